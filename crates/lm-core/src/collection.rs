//! What a learner is given: a number of things, addressed by their row.

use crate::{Error, Result};

/// A number of things, counted from 0: examples, objects, labels, or the rows of a Gram matrix.
pub trait Collection: Sync {
    /// How many there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A collection of objects of any kind, for kernels that are not functions of vectors.
pub trait Objects: Collection {
    /// The kind of object.
    type Object: ?Sized + Sync;

    /// The object of row `row`.
    ///
    /// # Panics
    /// Panics, as a slice does, unless `row < self.len()`.
    fn object(&self, row: usize) -> &Self::Object;
}

impl<X: Sync> Collection for [X] {
    fn len(&self) -> usize {
        <[X]>::len(self)
    }
}

impl<X: Sync> Objects for [X] {
    type Object = X;

    fn object(&self, row: usize) -> &X {
        &self[row]
    }
}

/// Some rows of a collection, in an order of their own, without a copy of anything.
///
/// A selection of [`Examples`](crate::Examples) is a set of examples, one of [`Objects`] a set of objects, and one
/// of a [`Gram`](crate::Gram) matrix is a Gram matrix. Folds, one-vs-one sub-problems and active sets are
/// selections.
///
/// ```
/// use lm_core::{Collection, Dense, Examples, Selection};
///
/// let examples = Dense::new(vec![1.0, 2.0, 3.0], 3, 1)?;
/// let some = Selection::new(&examples, &[2, 0])?;
/// assert_eq!(some.len(), 2);
/// assert_eq!(some.dot(0, &[10.0]), 30.0);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Selection<'a, S: ?Sized> {
    set: &'a S,
    rows: &'a [usize],
}

// Not derived: a selection is a pair of references, whatever it selects from.
impl<S: ?Sized> Clone for Selection<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: ?Sized> Copy for Selection<'_, S> {}

impl<'a, S: Collection + ?Sized> Selection<'a, S> {
    /// The rows `rows` of `set`, in the order given. A row may be chosen more than once.
    ///
    /// # Errors
    /// [`Error::Index`] for a row that does not exist.
    pub fn new(set: &'a S, rows: &'a [usize]) -> Result<Self> {
        let len = set.len();
        match rows.iter().find(|&&row| row >= len) {
            Some(&index) => Err(Error::Index { what: "row", index, len }),
            None => Ok(Self { set, rows }),
        }
    }

    /// The collection that is selected from.
    pub fn set(&self) -> &'a S {
        self.set
    }

    /// The chosen rows of that collection.
    pub fn rows(&self) -> &'a [usize] {
        self.rows
    }
}

impl<S: Sync + ?Sized> Collection for Selection<'_, S> {
    fn len(&self) -> usize {
        self.rows.len()
    }
}

impl<S: Objects + ?Sized> Objects for Selection<'_, S> {
    type Object = S::Object;

    fn object(&self, row: usize) -> &S::Object {
        self.set.object(self.rows[row])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selection_of_objects_is_a_set_of_objects() {
        let words = ["a", "b", "c"];
        let some = Selection::new(&words[..], &[2, 2, 1]).unwrap();
        let picked: Vec<&str> = (0..some.len()).map(|row| *some.object(row)).collect();
        assert_eq!(picked, ["c", "c", "b"]);
        assert!(matches!(Selection::new(&words[..], &[3]), Err(Error::Index { index: 3, len: 3, .. })));
    }
}
