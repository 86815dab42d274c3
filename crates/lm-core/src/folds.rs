//! Folds: which rows are held out together.

use crate::collection::Collection;
use crate::{Error, Result};

/// A partition of the rows of a set into folds. Each fold is held out once, while the others are learned from.
///
/// It is made from lists of rows, such as those that a seeded stratified split draws, so that this crate needs no random
/// numbers.
///
/// ```
/// use lm_core::Folds;
///
/// let folds = Folds::from_tests(5, [&[0, 3][..], &[1, 4], &[2]])?;
/// assert_eq!(folds.count(), 3);
/// assert_eq!((folds.test(1), folds.train(1)), (vec![1, 4], vec![0, 2, 3]));
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folds {
    of: Vec<u32>,
    count: usize,
}

impl Folds {
    /// Folds from the number of the fold of each row. Numbers from 0 on, each of which occurs.
    ///
    /// # Errors
    /// [`Error::Empty`] without rows, [`Error::Setting`] for a single fold, or for one without rows.
    pub fn new(of: Vec<u32>) -> Result<Self> {
        let Some(&last) = of.iter().max() else {
            return Err(Error::Empty { what: "the list of folds" });
        };
        let (count, refused) = (last as usize + 1, |accepted| Error::Setting {
            name: "folds",
            value: f64::from(last),
            accepted,
        });
        if count < 2 {
            return Err(refused("two folds or more"));
        }
        // More folds than rows leave one empty; and a number is not taken for a size before that is known.
        if count > of.len() {
            return Err(refused("at most as many folds as rows"));
        }
        let mut occurs = vec![false; count];
        of.iter().for_each(|&fold| occurs[fold as usize] = true);
        if occurs.contains(&false) {
            return Err(refused("numbers from 0 on, each of which occurs"));
        }
        Ok(Self { of, count })
    }

    /// Folds of `len` rows from the rows that each holds out.
    ///
    /// # Errors
    /// [`Error::Index`] for a row that does not exist, [`Error::Setting`] unless every row is in exactly one fold and there
    /// are two folds or more, none of them empty.
    pub fn from_tests<'a>(len: usize, tests: impl IntoIterator<Item = &'a [usize]>) -> Result<Self> {
        const NONE: u32 = u32::MAX;
        let accepted = "every row in exactly one fold";
        let refused = |row: usize| Error::Setting { name: "folds", value: row as f64, accepted };
        let mut of = vec![NONE; len];
        for (fold, rows) in tests.into_iter().enumerate() {
            let number = u32::try_from(fold).ok().filter(|&number| number != NONE).ok_or(refused(fold))?;
            for &row in rows {
                let place = of.get_mut(row).ok_or(Error::Index { what: "row", index: row, len })?;
                if *place != NONE {
                    return Err(refused(row));
                }
                *place = number;
            }
        }
        match of.iter().position(|&fold| fold == NONE) {
            Some(row) => Err(refused(row)),
            None => Self::new(of),
        }
    }

    /// How many folds there are, at least two.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The fold of each row.
    pub fn numbers(&self) -> &[u32] {
        &self.of
    }

    /// The rows that a fold holds out, in increasing order; none for a fold that does not exist.
    pub fn test(&self, fold: usize) -> Vec<usize> {
        (0..self.of.len()).filter(|&row| self.of[row] as usize == fold).collect()
    }

    /// The rows that are learned from while a fold is held out, in increasing order.
    pub fn train(&self, fold: usize) -> Vec<usize> {
        (0..self.of.len()).filter(|&row| self.of[row] as usize != fold).collect()
    }

    /// The same folds of some of the rows, for a sub-problem: a fold that loses all its rows is gone.
    ///
    /// # Errors
    /// [`Error::Index`] for a row that does not exist, and as [`Folds::new`].
    pub fn select(&self, rows: &[usize]) -> Result<Self> {
        let len = self.of.len();
        let fold =
            |&row: &usize| self.of.get(row).copied().ok_or(Error::Index { what: "row", index: row, len });
        let picked = rows.iter().map(fold).collect::<Result<Vec<u32>>>()?;
        let mut present = vec![false; self.count];
        picked.iter().for_each(|&fold| present[fold as usize] = true);
        let mut number = vec![0; self.count];
        let mut next = 0;
        for (number, present) in number.iter_mut().zip(present) {
            *number = next;
            next += u32::from(present);
        }
        Self::new(picked.into_iter().map(|fold| number[fold as usize]).collect())
    }
}

impl Collection for Folds {
    fn len(&self) -> usize {
        self.of.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_in_no_fold_or_in_two_are_refused_with_their_number() {
        let refused = |tests: [&[usize]; 2], row: f64| {
            let found = Folds::from_tests(4, tests);
            assert!(matches!(found, Err(Error::Setting { value, .. }) if value == row), "{found:?}");
        };
        refused([&[0, 1], &[2]], 3.0);
        refused([&[0, 1], &[1, 2, 3]], 1.0);
        assert!(matches!(Folds::from_tests(4, [&[0, 1][..], &[2, 4]]), Err(Error::Index { index: 4, .. })));
        assert!(Folds::from_tests(2, [&[0, 1][..]]).is_err());
        assert!(Folds::from_tests(2, [&[0, 1][..], &[]]).is_err());
        assert!(Folds::new(vec![0, 2, 0, 2]).is_err() && Folds::new(vec![]).is_err());
        assert!(Folds::new(vec![0, u32::MAX]).is_err());
    }

    #[test]
    fn folds_of_some_rows_are_numbered_without_gaps() {
        let folds = Folds::new(vec![0, 1, 2, 0, 1, 2]).unwrap();
        assert_eq!(folds.select(&[0, 2, 5]).unwrap().numbers(), [0, 1, 1]);
        assert!(folds.select(&[0, 3]).is_err() && folds.select(&[6]).is_err());
    }
}
