//! Householder's factorisation, for least squares.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch as scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj as apply,
    apply_block_householder_sequence_transpose_on_the_left_in_place_scratch as transposed_scratch,
    apply_block_householder_sequence_transpose_on_the_left_in_place_with_conj as apply_transposed,
};
use faer::linalg::qr::no_pivoting::factor::{qr_in_place, qr_in_place_scratch, recommended_block_size};
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Conj, MatMut, Par, Spec};

use super::condition::inverse_norm;
use super::{Matrix, check_length, power_of_two};
use crate::{Error, Result};

/// The factorisation `A = Q·R` of a matrix with at least as many rows as columns.
///
/// Columns are scaled by powers of two before they are factored, which is exact, so that the units of one column do not
/// cost the digits of another.
///
/// # Cost
/// `2nd²` multiplications and additions, on one core.
///
/// ```
/// use lm_core::linalg::{Matrix, Qr};
///
/// let a = Matrix::from_rows(&[1.0, 0.0, 1.0, 1.0, 1.0, 2.0], 3, 2)?; // a straight line through three points
/// let qr = Qr::factor(&a)?;
/// let mut x = [1.0, 3.0, 5.0];
/// qr.apply_transposed(&mut x)?;
/// qr.solve_r(&mut x[..2])?;
/// assert!((x[0] - 1.0).abs() < 1e-14 && (x[1] - 2.0).abs() < 1e-14);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Qr {
    /// Householder vectors below the diagonal.
    basis: Matrix,
    /// Their coefficients, a block of columns at a time.
    coefficients: Matrix,
    /// `R` of the scaled columns.
    scaled: Matrix,
    /// `R` of the columns as they are.
    r: Matrix,
    scales: Vec<f64>,
    full_rank: bool,
}

impl Qr {
    /// Factors a matrix.
    ///
    /// # Errors
    /// [`Error::Length`] if it has fewer rows than columns, [`Error::NonFinite`] for a value that is not finite.
    pub fn factor(a: &Matrix) -> Result<Self> {
        let (rows, columns) = (a.rows(), a.columns());
        if rows < columns {
            let what = "the list of rows of a matrix to be factored";
            return Err(Error::Length { what, expected: columns, found: rows });
        }
        a.check_finite()?;
        let mut basis = a.clone();
        let largest = |column: &[f64]| column.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
        let scales: Vec<f64> = (0..columns).map(|j| power_of_two(largest(a.column(j)))).collect();
        for (j, scale) in scales.iter().enumerate() {
            basis.column_mut(j).iter_mut().for_each(|x| *x /= scale);
        }
        let block = recommended_block_size::<f64>(rows, columns);
        let mut coefficients = Matrix::zeros(block, columns)?;
        let mut memory =
            MemBuffer::new(qr_in_place_scratch::<f64>(rows, columns, block, Par::Seq, Spec::default()));
        if columns > 0 {
            qr_in_place(
                basis.view_mut(),
                coefficients.view_mut(),
                Par::Seq,
                MemStack::new(&mut memory),
                Spec::default(),
            );
        }
        let mut scaled = Matrix::zeros(columns, columns)?;
        (0..columns).for_each(|j| scaled.column_mut(j)[..=j].copy_from_slice(&basis.column(j)[..=j]));
        scaled.check_finite()?;
        let full_rank = (0..columns).all(|j| scaled[(j, j)] != 0.0);
        let mut r = scaled.clone();
        for (j, scale) in scales.iter().enumerate() {
            r.column_mut(j).iter_mut().for_each(|x| *x *= scale);
        }
        Ok(Self { basis, coefficients, scaled, r, scales, full_rank })
    }

    /// `R`, with zeros below its diagonal.
    pub fn r(&self) -> &Matrix {
        &self.r
    }

    /// Replaces `b` by `Qᵗb`, whose first entries are those that `R` answers to.
    ///
    /// # Errors
    /// [`Error::Length`] unless `b` has as many entries as the matrix has rows.
    pub fn apply_transposed(&self, rhs: &mut [f64]) -> Result<()> {
        let (rows, block) = self.check_rows(rhs.len())?;
        let mut memory = MemBuffer::new(transposed_scratch::<f64>(rows, block, 1));
        let rhs = MatMut::from_column_major_slice_mut(rhs, rows, 1);
        if self.basis.columns() > 0 {
            let (basis, factor) = (self.basis.view(), self.coefficients.view());
            apply_transposed(basis, factor, Conj::No, rhs, Par::Seq, MemStack::new(&mut memory));
        }
        Ok(())
    }

    /// Replaces `b` by `Qb`.
    ///
    /// # Errors
    /// As [`Qr::apply_transposed`].
    pub fn apply(&self, rhs: &mut [f64]) -> Result<()> {
        let (rows, block) = self.check_rows(rhs.len())?;
        let mut memory = MemBuffer::new(scratch::<f64>(rows, block, 1));
        let rhs = MatMut::from_column_major_slice_mut(rhs, rows, 1);
        if self.basis.columns() > 0 {
            let (basis, factor) = (self.basis.view(), self.coefficients.view());
            apply(basis, factor, Conj::No, rhs, Par::Seq, MemStack::new(&mut memory));
        }
        Ok(())
    }

    /// Replaces `b` by the solution of `R·x = b`.
    ///
    /// # Errors
    /// [`Error::Length`] unless `b` has as many entries as the matrix has columns, [`Error::Numerical`] if `R` has a zero on
    /// its diagonal.
    pub fn solve_r(&self, rhs: &mut [f64]) -> Result<()> {
        self.check_solvable(rhs.len())?;
        self.solve_scaled(rhs)?;
        rhs.iter_mut().zip(&self.scales).for_each(|(x, scale)| *x /= scale);
        Ok(())
    }

    /// Replaces `b` by the solution of `Rᵗ·x = b`.
    ///
    /// # Errors
    /// As [`Qr::solve_r`].
    pub fn solve_r_transposed(&self, rhs: &mut [f64]) -> Result<()> {
        self.check_solvable(rhs.len())?;
        rhs.iter_mut().zip(&self.scales).for_each(|(x, scale)| *x /= scale);
        self.solve_scaled_transposed(rhs)
    }

    /// An estimate of the condition `‖R‖₁·‖R⁻¹‖₁` with scaled columns, rarely more than three times too small; infinite if
    /// `R` is singular.
    pub fn condition(&self) -> f64 {
        let n = self.scaled.columns();
        if n == 0 {
            return 1.0;
        }
        if !self.full_rank {
            return f64::INFINITY;
        }
        let norm = (0..n).map(|j| self.scaled.column(j).iter().map(|x| x.abs()).sum()).fold(0.0, f64::max);
        let inverse = inverse_norm(n, |x| self.solve_scaled(x), |x| self.solve_scaled_transposed(x));
        inverse.map_or(f64::INFINITY, |inverse| norm * inverse)
    }

    fn solve_scaled(&self, rhs: &mut [f64]) -> Result<()> {
        solve_upper_triangular_in_place(self.scaled.view(), self.column(rhs), Par::Seq);
        Ok(())
    }

    fn solve_scaled_transposed(&self, rhs: &mut [f64]) -> Result<()> {
        solve_lower_triangular_in_place(self.scaled.view().transpose(), self.column(rhs), Par::Seq);
        Ok(())
    }

    fn column<'a>(&self, rhs: &'a mut [f64]) -> MatMut<'a, f64> {
        MatMut::from_column_major_slice_mut(rhs, self.scaled.rows(), 1)
    }

    fn check_rows(&self, found: usize) -> Result<(usize, usize)> {
        let rows = self.basis.rows();
        check_length("the right-hand side", rows, found)?;
        Ok((rows, self.coefficients.rows()))
    }

    fn check_solvable(&self, found: usize) -> Result<()> {
        check_length("the right-hand side", self.scaled.columns(), found)?;
        if self.full_rank {
            Ok(())
        } else {
            Err(Error::Numerical { what: "the solution of a singular triangular system" })
        }
    }
}
