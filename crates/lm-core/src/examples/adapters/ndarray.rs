//! Examples borrowed from ndarray.

use ndarray::ArrayView2;

use super::shared::check;
use crate::collection::Collection;
use crate::examples::row::dense_dense;
use crate::{Dense, Element, Error, Examples, Result, Row};

const ACCEPTED: &str = "an ndarray view whose rows are contiguous (column stride 1); copy others";

/// The rows of an ndarray view, borrowed.
///
/// ```
/// use lm_core::{Examples, NdarrayRows};
/// use ndarray::{arr2, s};
///
/// let array = arr2(&[[1.0, 2.0], [0.0, 0.0], [3.0, 4.0]]);
/// let examples = NdarrayRows::new(array.slice(s![..;2, ..]))?; // every other row
/// assert_eq!(examples.dot(1, &[1.0, 10.0]), 43.0);
/// assert!(std::ptr::eq(examples.slice(0).as_ptr(), array.as_ptr())); // no copy
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct NdarrayRows<'a, T: Element> {
    view: ArrayView2<'a, T>,
}

#[allow(clippy::needless_pass_by_value, reason = "a view is a reference already, and Copy")]
impl<'a, T: Element> NdarrayRows<'a, T> {
    /// Borrows a view with contiguous rows, in standard layout or with any distance between rows.
    ///
    /// # Errors
    /// [`Error::Layout`] if rows are not contiguous, as in a transposed array; [`Error::Empty`] for no examples or no
    /// columns; [`Error::NonFinite`] for NaN or an infinity, with its row and column.
    pub fn new(view: ArrayView2<'a, T>) -> Result<Self> {
        let (len, dim) = view.dim();
        let rows = Self { view };
        check(len, dim, |row| rows.view.row(row).to_slice(), ACCEPTED)?;
        Ok(rows)
    }

    /// Copies a view of any layout.
    ///
    /// # Errors
    /// As [`NdarrayRows::new`], but for the layout.
    pub fn copied(view: ArrayView2<'_, T>) -> Result<Dense<'static, T>> {
        let (len, dim) = view.dim();
        Dense::new(view.into_iter().copied().collect(), len, dim)
    }

    /// The values of one example.
    ///
    /// # Panics
    /// Panics, as a slice does, unless `row < self.len()`.
    #[inline]
    pub fn slice(&self, row: usize) -> &[T] {
        // `new` has seen that every row is a slice.
        self.view.row(row).to_slice().unwrap_or_default()
    }
}

impl<T: Element> Collection for NdarrayRows<'_, T> {
    fn len(&self) -> usize {
        self.view.nrows()
    }
}

impl<T: Element> Examples for NdarrayRows<'_, T> {
    fn dim(&self) -> usize {
        self.view.ncols()
    }

    #[inline]
    fn row(&self, row: usize) -> Row<'_> {
        T::dense_row(self.slice(row))
    }

    #[inline]
    fn dot(&self, row: usize, w: &[f64]) -> f64 {
        dense_dense(self.slice(row), w)
    }
}

impl<'a, T: Element> TryFrom<ArrayView2<'a, T>> for Dense<'a, T> {
    type Error = Error;

    /// Borrows a view in standard (row-major) layout, without gaps, whose rows are the examples.
    fn try_from(view: ArrayView2<'a, T>) -> Result<Self> {
        let (len, dim) = view.dim();
        let slice =
            view.to_slice().ok_or(Error::Layout { accepted: "an ndarray view in standard layout" })?;
        Dense::borrowed(slice, len, dim)
    }
}
