//! Examples borrowed from faer.

use faer::{ContiguousFwd, MatRef};

use super::shared::check;
use crate::collection::Collection;
use crate::examples::row::dense_dense;
use crate::{Dense, Element, Error, Examples, Result, Row};

const ACCEPTED: &str = "a faer matrix whose rows are contiguous (column stride 1); copy others";

/// The rows of a faer matrix, borrowed.
///
/// ```
/// use lm_core::{Examples, FaerRows};
///
/// let values = [1.0, 2.0, 3.0, 4.0];
/// let matrix = faer::MatRef::from_row_major_slice(&values, 2, 2);
/// let examples = FaerRows::new(matrix)?;
/// assert_eq!(examples.dot(1, &[1.0, 10.0]), 43.0);
/// assert!(std::ptr::eq(examples.slice(0).as_ptr(), values.as_ptr())); // no copy
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct FaerRows<'a, T: Element> {
    matrix: MatRef<'a, T, usize, usize, isize, ContiguousFwd>,
}

impl<'a, T: Element> FaerRows<'a, T> {
    /// Borrows a matrix with contiguous rows, in row-major order or with any distance between rows.
    ///
    /// # Errors
    /// [`Error::Layout`] if rows are not contiguous, as in faer's own column-major matrices; [`Error::Empty`] for no
    /// examples or no columns; [`Error::NonFinite`] for NaN or an infinity, with its row and column.
    pub fn new(matrix: MatRef<'a, T>) -> Result<Self> {
        let (len, dim) = matrix.shape();
        let matrix = matrix.try_as_row_major();
        check(len, dim, |row| matrix.map(|matrix| matrix.row(row).as_slice()), ACCEPTED)?;
        matrix.map(|matrix| Self { matrix }).ok_or(Error::Layout { accepted: ACCEPTED })
    }

    /// Copies a matrix of any layout.
    ///
    /// # Errors
    /// As [`FaerRows::new`], but for the layout.
    pub fn copied(matrix: MatRef<'_, T>) -> Result<Dense<'static, T>> {
        let (len, dim) = matrix.shape();
        let entries = (0..len).flat_map(|row| (0..dim).map(move |column| *matrix.get(row, column)));
        Dense::new(entries.collect(), len, dim)
    }

    /// The values of one example.
    ///
    /// # Panics
    /// Panics, as a slice does, unless `row < self.len()`.
    #[inline]
    pub fn slice(&self, row: usize) -> &'a [T] {
        self.matrix.row(row).as_slice()
    }
}

impl<T: Element> Collection for FaerRows<'_, T> {
    fn len(&self) -> usize {
        self.matrix.nrows()
    }
}

impl<T: Element> Examples for FaerRows<'_, T> {
    fn dim(&self) -> usize {
        self.matrix.ncols()
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
