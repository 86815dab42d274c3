//! Systems with a symmetric positive definite matrix.

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, MatMut, Par};

use super::blocked::{self, Outcome};
use super::condition::inverse_norm;
use super::{Matrix, check_length};
use crate::{Result, parallel};

/// Right-hand sides that one thread solves for.
const COLUMNS: usize = 64;

/// What came of work that may be asked to stop.
#[derive(Debug, Clone, PartialEq)]
pub enum Interruptible<T> {
    /// It was done.
    Done(T),
    /// It was stopped, and nothing is left of it.
    Stopped,
}

/// The factorisation `A = L·Lᵗ` of a positive definite matrix.
///
/// # Cost
/// `n³/3` multiplications and additions, on all cores; `n²` for each solution.
///
/// ```
/// use lm_core::linalg::{Cholesky, Matrix};
///
/// let a = Matrix::from_rows(&[2.0, 1.0, 1.0, 2.0], 2, 2)?;
/// let factor = Cholesky::factor(a)?.expect("positive definite");
/// assert!((factor.log_determinant() - 3.0_f64.ln()).abs() < 1e-15);
/// assert!(Cholesky::factor(Matrix::from_rows(&[1.0, 2.0, 2.0, 1.0], 2, 2)?)?.is_none());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Cholesky {
    lower: Matrix,
    norm: f64,
}

impl Cholesky {
    /// Factors a symmetric matrix, of which the lower triangle is read; `None` if it is not positive definite to working
    /// precision.
    ///
    /// # Errors
    /// [`Error::Length`](crate::Error::Length) unless it is square, [`Error::NonFinite`](crate::Error::NonFinite) for a
    /// value that is not finite.
    pub fn factor(a: Matrix) -> Result<Option<Self>> {
        match Self::factor_while(a, &mut || true)? {
            Interruptible::Done(factor) => Ok(factor),
            Interruptible::Stopped => Ok(None),
        }
    }

    /// As [`Cholesky::factor`], asking every few columns whether to go on.
    ///
    /// # Errors
    /// As [`Cholesky::factor`].
    pub fn factor_while(
        mut a: Matrix,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Interruptible<Option<Self>>> {
        a.check_square()?;
        a.check_finite_lower()?;
        let (n, norm) = (a.rows(), one_norm_of_lower(&a));
        match blocked::factor(a.values_mut(), n, go_on) {
            Outcome::Stopped => return Ok(Interruptible::Stopped),
            Outcome::NotPositive => return Ok(Interruptible::Done(None)),
            Outcome::Factored => {}
        }
        (1..n).for_each(|j| a.column_mut(j)[..j].fill(0.0));
        Ok(Interruptible::Done(Some(Self { lower: a, norm })))
    }

    /// The number of rows.
    pub fn dim(&self) -> usize {
        self.lower.rows()
    }

    /// `L`, with zeros above its diagonal.
    pub fn lower(&self) -> &Matrix {
        &self.lower
    }

    /// Replaces `b` by the solution of `A·x = b`.
    ///
    /// # Errors
    /// [`Error::Length`](crate::Error::Length) unless `b` has as many entries as `A` has rows.
    pub fn solve(&self, rhs: &mut [f64]) -> Result<()> {
        check_length("the right-hand side", self.dim(), rhs.len())?;
        self.solve_both(rhs);
        Ok(())
    }

    /// Replaces each column `b` by the solution of `A·x = b`.
    ///
    /// # Errors
    /// As [`Cholesky::solve`].
    pub fn solve_matrix(&self, rhs: &mut Matrix) -> Result<()> {
        self.for_columns(rhs, |columns| self.solve_both(columns))
    }

    /// Replaces `B` by `L⁻¹·B`.
    ///
    /// # Errors
    /// As [`Cholesky::solve`].
    pub fn solve_lower(&self, rhs: &mut Matrix) -> Result<()> {
        self.for_columns(rhs, |columns| {
            solve_lower_triangular_in_place(self.lower.view(), self.view(columns), Par::Seq);
        })
    }

    /// Replaces `B` by `L⁻ᵗ·B`.
    ///
    /// # Errors
    /// As [`Cholesky::solve`].
    pub fn solve_lower_transposed(&self, rhs: &mut Matrix) -> Result<()> {
        self.for_columns(rhs, |columns| {
            solve_upper_triangular_in_place(self.lower.view().transpose(), self.view(columns), Par::Seq);
        })
    }

    /// `ln |A|`.
    pub fn log_determinant(&self) -> f64 {
        2.0 * (0..self.dim()).map(|i| self.lower[(i, i)].ln()).sum::<f64>()
    }

    /// `A⁻¹`, both triangles.
    ///
    /// # Errors
    /// As [`Matrix::zeros`].
    pub fn inverse(&self) -> Result<Matrix> {
        let n = self.dim();
        let mut root = Matrix::zeros(n, n)?;
        self.for_columns_of_inverse_factor(root.values_mut());
        let mut inverse = Matrix::zeros(n, n)?;
        if n == 0 {
            return Ok(inverse);
        }
        // A⁻¹ = L⁻ᵗL⁻¹: rows i of the first factor start at column i, so that tile (i, j) sums from row i on.
        parallel::for_each_chunk(inverse.values_mut(), n * COLUMNS, |part, values| {
            let (first, width) = (part * COLUMNS, values.len() / n);
            let mut strip = MatMut::from_column_major_slice_mut(values, n, width);
            for row in (first..n).step_by(2 * COLUMNS) {
                let height = (2 * COLUMNS).min(n - row);
                let left = root.view().submatrix(row, row, n - row, height);
                let right = root.view().submatrix(row, first, n - row, width);
                let tile = strip.as_mut().subrows_mut(row, height);
                matmul(tile, Accum::Replace, left.transpose(), right, 1.0, Par::Seq);
            }
        });
        inverse.mirror_lower();
        Ok(inverse)
    }

    /// The diagonal of `A⁻¹`, at half the cost of [`Cholesky::inverse`] and in the memory of one factor more.
    ///
    /// # Errors
    /// As [`Matrix::zeros`].
    pub fn inverse_diagonal(&self) -> Result<Vec<f64>> {
        let n = self.dim();
        let mut root = Matrix::zeros(n, n)?;
        self.for_columns_of_inverse_factor(root.values_mut());
        Ok(parallel::map(n, |j| root.column(j)[j..].iter().map(|x| x * x).sum()))
    }

    /// An estimate of the condition `‖A‖₁·‖A⁻¹‖₁`, rarely more than three times too small.
    pub fn condition(&self) -> f64 {
        let n = self.dim();
        if n == 0 {
            return 1.0;
        }
        let solve = |x: &mut [f64]| {
            self.solve_both(x);
            Ok(())
        };
        inverse_norm(n, solve, solve).map_or(f64::INFINITY, |inverse| self.norm * inverse)
    }

    /// Writes `L⁻¹` over zeros.
    fn for_columns_of_inverse_factor(&self, values: &mut [f64]) {
        let n = self.dim();
        if n == 0 {
            return;
        }
        parallel::for_each_chunk(values, n * COLUMNS, |part, values| {
            let (first, width) = (part * COLUMNS, values.len() / n);
            (0..width).for_each(|j| values[j * n + first + j] = 1.0);
            let columns = MatMut::from_column_major_slice_mut(values, n, width);
            // What lies above the diagonal stays zero.
            let lower = self.lower.view().submatrix(first, first, n - first, n - first);
            solve_lower_triangular_in_place(lower, columns.subrows_mut(first, n - first), Par::Seq);
        });
    }

    fn solve_both(&self, columns: &mut [f64]) {
        let lower = self.lower.view();
        solve_lower_triangular_in_place(lower, self.view(columns), Par::Seq);
        solve_upper_triangular_in_place(lower.transpose(), self.view(columns), Par::Seq);
    }

    fn view<'a>(&self, columns: &'a mut [f64]) -> MatMut<'a, f64> {
        let width = columns.len().checked_div(self.dim()).unwrap_or(0);
        MatMut::from_column_major_slice_mut(columns, self.dim(), width)
    }

    fn for_columns(&self, rhs: &mut Matrix, work: impl Fn(&mut [f64]) + Sync) -> Result<()> {
        check_length("the list of rows of the right-hand sides", self.dim(), rhs.rows())?;
        parallel::for_each_chunk(rhs.values_mut(), self.dim() * COLUMNS, |_, columns| work(columns));
        Ok(())
    }
}

/// The largest sum of sizes of a column of the symmetric matrix whose lower triangle is given.
fn one_norm_of_lower(a: &Matrix) -> f64 {
    let n = a.rows();
    let mut sums = vec![0.0; n];
    for j in 0..n {
        let column = &a.column(j)[j..];
        let mut own = 0.0;
        for (x, sum) in column.iter().zip(&mut sums[j..]) {
            *sum += x.abs();
            own += x.abs();
        }
        // The diagonal was added to both.
        sums[j] += own - column[0].abs();
    }
    sums.into_iter().fold(0.0, f64::max)
}
