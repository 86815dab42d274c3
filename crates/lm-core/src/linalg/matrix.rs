//! A dense matrix of numbers.

use std::ops::{Index, IndexMut};

use faer::{MatMut, MatRef};

use crate::memory::zeros;
use crate::{Error, Result, parallel};

/// Columns whose values are looked at by one thread.
const COLUMNS: usize = 64;

/// A dense matrix of `f64`, column by column.
///
/// Values need not be finite; the factorisations refuse what is not.
///
/// ```
/// use lm_core::linalg::Matrix;
///
/// let a = Matrix::from_rows(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2, 3)?;
/// assert_eq!(a[(1, 0)], 4.0);
/// assert_eq!(a.column(2), [3.0, 6.0]);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    values: Vec<f64>,
    rows: usize,
    columns: usize,
}

impl Matrix {
    /// A matrix of zeros.
    ///
    /// # Errors
    /// [`Error::TooLarge`] or [`Error::Allocation`] if there is no room for it.
    pub fn zeros(rows: usize, columns: usize) -> Result<Self> {
        Ok(Self { values: zeros("the matrix", rows, columns)?, rows, columns })
    }

    /// The matrix with ones on its diagonal and zeros elsewhere.
    ///
    /// # Errors
    /// As [`Matrix::zeros`].
    pub fn identity(n: usize) -> Result<Self> {
        let mut identity = Self::zeros(n, n)?;
        (0..n).for_each(|i| identity[(i, i)] = 1.0);
        Ok(identity)
    }

    /// A matrix from its values, column by column.
    ///
    /// # Errors
    /// [`Error::Length`] unless there are `rows·columns` values.
    pub fn from_columns(values: Vec<f64>, rows: usize, columns: usize) -> Result<Self> {
        let expected = rows.saturating_mul(columns);
        super::check_length("the list of matrix entries", expected, values.len())?;
        Ok(Self { values, rows, columns })
    }

    /// A matrix from its values, row by row.
    ///
    /// # Errors
    /// [`Error::Length`] unless there are `rows·columns` values; as [`Matrix::zeros`].
    pub fn from_rows(values: &[f64], rows: usize, columns: usize) -> Result<Self> {
        let expected = rows.saturating_mul(columns);
        super::check_length("the list of matrix entries", expected, values.len())?;
        let mut matrix = Self::zeros(rows, columns)?;
        for j in 0..columns {
            let column = matrix.column_mut(j);
            (0..rows).for_each(|i| column[i] = values[i * columns + j]);
        }
        Ok(matrix)
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// A column.
    ///
    /// # Panics
    /// Panics, as a slice does, unless `j < self.columns()`.
    pub fn column(&self, j: usize) -> &[f64] {
        &self.values[j * self.rows..(j + 1) * self.rows]
    }

    /// A column, to be written.
    ///
    /// # Panics
    /// Panics, as a slice does, unless `j < self.columns()`.
    pub fn column_mut(&mut self, j: usize) -> &mut [f64] {
        &mut self.values[j * self.rows..(j + 1) * self.rows]
    }

    /// All values, column by column.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// All values, column by column, to be written.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// The values, column by column.
    pub fn into_values(self) -> Vec<f64> {
        self.values
    }

    /// The matrix with rows and columns exchanged.
    ///
    /// # Errors
    /// As [`Matrix::zeros`].
    pub fn transposed(&self) -> Result<Self> {
        let mut out = Self::zeros(self.columns, self.rows)?;
        out.view_mut().copy_from(self.view().transpose());
        Ok(out)
    }

    /// Copies the lower triangle of a square matrix over the upper one.
    pub fn mirror_lower(&mut self) {
        let n = self.rows.min(self.columns);
        // Tiles, so that the side that is read across the columns stays near.
        for first in (0..n).step_by(COLUMNS) {
            for below in (first..n).step_by(COLUMNS) {
                for j in first..(first + COLUMNS).min(n) {
                    for i in below.max(j + 1)..(below + COLUMNS).min(n) {
                        self.values[i * self.rows + j] = self.values[j * self.rows + i];
                    }
                }
            }
        }
    }

    /// The largest size of an entry; 0 of an empty matrix, NaN if an entry is NaN.
    pub fn largest(&self) -> f64 {
        let parts = parallel::map(self.columns.div_ceil(COLUMNS), |part| {
            let end = (part + 1) * COLUMNS;
            let columns = part * COLUMNS * self.rows..end.min(self.columns) * self.rows;
            largest(&self.values[columns])
        });
        largest(&parts)
    }

    /// Checks that the matrix is square.
    pub(super) fn check_square(&self) -> Result<()> {
        super::check_length("the list of columns of a square matrix", self.rows, self.columns)
    }

    /// Checks every entry that the caller says is read.
    pub(super) fn check_finite(&self) -> Result<()> {
        self.check_finite_where(|_| 0..self.rows)
    }

    /// Checks the entries on and below the diagonal.
    pub(super) fn check_finite_lower(&self) -> Result<()> {
        self.check_finite_where(|j| j.min(self.rows)..self.rows)
    }

    fn check_finite_where(&self, rows: impl Fn(usize) -> std::ops::Range<usize> + Sync) -> Result<()> {
        let found = parallel::map(self.columns.div_ceil(COLUMNS), |part| {
            (part * COLUMNS..((part + 1) * COLUMNS).min(self.columns)).find_map(|j| {
                let range = rows(j);
                let start = range.start;
                // A sum of products with 0: 0 unless a factor is not finite.
                let doubt: f64 = self.column(j)[range.clone()].iter().map(|x| x * 0.0).sum();
                if doubt == 0.0 {
                    return None;
                }
                let at = self.column(j)[range].iter().position(|x| !x.is_finite())?;
                Some(Error::NonFinite { what: "matrix entry", row: start + at, column: Some(j) })
            })
        });
        found.into_iter().flatten().next().map_or(Ok(()), Err)
    }

    pub(super) fn view(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.values, self.rows, self.columns)
    }

    pub(super) fn view_mut(&mut self) -> MatMut<'_, f64> {
        MatMut::from_column_major_slice_mut(&mut self.values, self.rows, self.columns)
    }
}

/// The largest size in a list; NaN if one is NaN.
fn largest(values: &[f64]) -> f64 {
    values
        .iter()
        .fold(0.0, |largest: f64, x| if largest >= x.abs() || largest.is_nan() { largest } else { x.abs() })
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;

    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.column(column)[row]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f64 {
        &mut self.column_mut(column)[row]
    }
}
