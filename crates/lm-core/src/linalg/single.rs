//! Cholesky's factorisation in single precision: half the time, seven digits; to precondition, not to answer.

use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{MatMut, MatRef, Par};

use super::blocked::{self, Outcome};
use super::cholesky::Interruptible;
use super::{Matrix, check_length, power_of_two};
use crate::{Error, Result, parallel};

/// The factorisation `A ≈ L·Lᵗ` in `f32`.
///
/// A system that is solved with it has about seven digits less the logarithm of the condition; a few steps of conjugate
/// gradients with the matrix in `f64`, preconditioned by it, give the others.
///
/// ```
/// use lm_core::linalg::{Matrix, SingleCholesky};
///
/// let a = Matrix::from_rows(&[4.0, 2.0, 2.0, 3.0], 2, 2)?;
/// let factor = SingleCholesky::factor(&a)?.expect("positive definite");
/// let mut x = [8.0, 7.0];
/// factor.solve(&mut x)?;
/// assert!((x[0] - 1.25).abs() < 1e-5 && (x[1] - 1.5).abs() < 1e-5);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SingleCholesky {
    lower: Vec<f32>,
    dim: usize,
    scale: f64,
}

impl SingleCholesky {
    /// Factors a symmetric matrix, of which the lower triangle is read; `None` if it is not positive definite to single
    /// precision.
    ///
    /// # Errors
    /// As [`Cholesky::factor`](super::Cholesky::factor), and [`Error::Allocation`] if there is no room for the factor.
    pub fn factor(a: &Matrix) -> Result<Option<Self>> {
        match Self::factor_while(a, &mut || true)? {
            Interruptible::Done(factor) => Ok(factor),
            Interruptible::Stopped => Ok(None),
        }
    }

    /// As [`SingleCholesky::factor`], asking every few columns whether to go on.
    ///
    /// # Errors
    /// As [`SingleCholesky::factor`].
    pub fn factor_while(a: &Matrix, go_on: &mut dyn FnMut() -> bool) -> Result<Interruptible<Option<Self>>> {
        a.check_square()?;
        a.check_finite_lower()?;
        let dim = a.rows();
        let scale = power_of_two((0..dim).fold(0.0, |largest, i| a[(i, i)].abs().max(largest)));
        let needed = a.values().len().saturating_mul(size_of::<f32>());
        let mut lower = Vec::new();
        let refused = Error::Allocation { what: "the factor in single precision", needed };
        lower.try_reserve_exact(a.values().len()).map_err(|_| refused)?;
        lower.resize(a.values().len(), 0.0_f32);
        if dim > 0 {
            parallel::for_each_chunk(&mut lower, dim, |j, column| {
                let from = &a.column(j)[j..];
                column[j..].iter_mut().zip(from).for_each(|(to, from)| *to = (from / scale) as f32);
            });
        }
        Ok(match blocked::factor(&mut lower, dim, go_on) {
            Outcome::Stopped => Interruptible::Stopped,
            Outcome::NotPositive => Interruptible::Done(None),
            Outcome::Factored => Interruptible::Done(Some(Self { lower, dim, scale })),
        })
    }

    /// Replaces `b` by an approximate solution of `A·x = b`.
    ///
    /// # Errors
    /// [`Error::Length`] unless `b` has as many entries as `A` has rows, [`Error::Numerical`] if `b` or the solution is
    /// not finite.
    pub fn solve(&self, rhs: &mut [f64]) -> Result<()> {
        check_length("the right-hand side", self.dim, rhs.len())?;
        let largest = rhs.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
        // Of the size of 1, so that nothing leaves the range of single precision that need not.
        let size = power_of_two(largest);
        let mut x: Vec<f32> = rhs.iter().map(|x| (x / size) as f32).collect();
        let lower = MatRef::from_column_major_slice(&self.lower, self.dim, self.dim);
        let mut column = MatMut::from_column_major_slice_mut(&mut x, self.dim, 1);
        solve_lower_triangular_in_place(lower, column.as_mut(), Par::Seq);
        solve_upper_triangular_in_place(lower.transpose(), column, Par::Seq);
        rhs.iter_mut().zip(&x).for_each(|(rhs, &x)| *rhs = f64::from(x) * size / self.scale);
        if rhs.iter().all(|x| x.is_finite()) {
            Ok(())
        } else {
            Err(Error::Numerical { what: "a solution in single precision" })
        }
    }
}
