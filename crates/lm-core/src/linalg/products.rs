//! Products of matrices, on all cores with the same bits as on one.

use faer::linalg::matmul::matmul;
use faer::{Accum, ColMut, ColRef, MatMut, MatRef, Par};

use super::Matrix;
use super::check_length;
use crate::{Result, parallel};

/// Columns of a product that one thread computes.
const COLUMNS: usize = 64;

/// Rows of a tall product `AᵗB` that one thread sums up.
const ROWS: usize = 4096;

/// `A·B`.
///
/// # Errors
/// [`Error::Length`](crate::Error::Length) unless `A` has as many columns as `B` has rows; as [`Matrix::zeros`].
///
/// ```
/// use lm_core::linalg::{Matrix, product};
///
/// let a = Matrix::from_rows(&[1.0, 2.0, 3.0, 4.0], 2, 2)?;
/// assert_eq!(product(&a, &a)?, Matrix::from_rows(&[7.0, 10.0, 15.0, 22.0], 2, 2)?);
/// # Ok::<(), lm_core::Error>(())
/// ```
pub fn product(a: &Matrix, b: &Matrix) -> Result<Matrix> {
    multiply(a.view(), b.view())
}

/// `A·Bᵗ`.
///
/// # Errors
/// [`Error::Length`](crate::Error::Length) unless both have as many columns; as [`Matrix::zeros`].
pub fn product_transposed(a: &Matrix, b: &Matrix) -> Result<Matrix> {
    multiply(a.view(), b.view().transpose())
}

/// `Aᵗ·B`.
///
/// # Errors
/// [`Error::Length`](crate::Error::Length) unless both have as many rows; as [`Matrix::zeros`].
pub fn transposed_product(a: &Matrix, b: &Matrix) -> Result<Matrix> {
    check_length("the list of rows of the second factor", a.rows(), b.rows())?;
    let tall = a.rows() >= 2 * ROWS && b.columns() <= COLUMNS;
    if !tall {
        return multiply(a.view().transpose(), b.view());
    }
    // One thread sums each stretch of rows, and the sums are added in the order of the stretches.
    let parts = parallel::map(a.rows().div_ceil(ROWS), |part| {
        let (start, len) = (part * ROWS, ROWS.min(a.rows() - part * ROWS));
        let rows = |of: &Matrix| of.view().subrows(start, len).to_owned();
        multiply(rows(a).as_ref().transpose(), rows(b).as_ref())
    });
    let mut total = Matrix::zeros(a.columns(), b.columns())?;
    for part in parts {
        total.values_mut().iter_mut().zip(part?.values()).for_each(|(total, part)| *total += part);
    }
    Ok(total)
}

fn multiply(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Result<Matrix> {
    check_length("the list of rows of the second factor", a.ncols(), b.nrows())?;
    let (rows, columns) = (a.nrows(), b.ncols());
    let mut out = Matrix::zeros(rows, columns)?;
    if rows == 0 {
        return Ok(out);
    }
    parallel::for_each_chunk(out.values_mut(), rows * COLUMNS, |part, values| {
        let width = values.len() / rows;
        let to = MatMut::from_column_major_slice_mut(values, rows, width);
        matmul(to, Accum::Replace, a, b.subcols(part * COLUMNS, width), 1.0, Par::Seq);
    });
    Ok(out)
}

/// `A·x`.
///
/// # Errors
/// [`Error::Length`](crate::Error::Length) unless `x` is as long as `A` has columns.
pub fn matrix_vector(a: &Matrix, x: &[f64]) -> Result<Vec<f64>> {
    times_vector(a.view(), x)
}

/// `Aᵗ·x`.
///
/// # Errors
/// [`Error::Length`](crate::Error::Length) unless `x` is as long as `A` has rows.
pub fn transposed_vector(a: &Matrix, x: &[f64]) -> Result<Vec<f64>> {
    times_vector(a.view().transpose(), x)
}

fn times_vector(a: MatRef<'_, f64>, x: &[f64]) -> Result<Vec<f64>> {
    check_length("the vector", a.ncols(), x.len())?;
    let mut out = vec![0.0; a.nrows()];
    let x = ColRef::from_slice(x);
    // As many rows to a thread as hold about 64 000 values.
    let chunk = (65_536 / a.ncols().max(1)).max(64);
    parallel::for_each_chunk(&mut out, chunk, |part, values| {
        let rows = a.subrows(part * chunk, values.len());
        matmul(ColMut::from_slice_mut(values).as_mat_mut(), Accum::Replace, rows, x.as_mat(), 1.0, Par::Seq);
    });
    Ok(out)
}
