//! Functions to be minimised by descent, known by their value and their first two derivatives.

use lm_core::{Error, Result};

use crate::memory::zeros;

/// A twice differentiable function `J(a)` of a vector.
///
/// Where it has kinks, the derivatives are those of one side; the implementor says which.
///
/// ```
/// use lm_online::{Criterion, Newton};
///
/// /// (a₀ − 3)² + a₀a₁ + 2a₁²
/// struct Bowl;
///
/// impl Criterion for Bowl {
///     fn dim(&self) -> usize {
///         2
///     }
///
///     fn value(&self, a: &[f64]) -> f64 {
///         (a[0] - 3.0).powi(2) + a[0] * a[1] + 2.0 * a[1] * a[1]
///     }
///
///     fn gradient(&self, a: &[f64], out: &mut [f64]) {
///         out[0] = 2.0 * (a[0] - 3.0) + a[1];
///         out[1] = a[0] + 4.0 * a[1];
///     }
///
///     fn hessian(&self, _: &[f64], out: &mut [f64]) {
///         out.copy_from_slice(&[2.0, 1.0, 1.0, 4.0]);
///     }
/// }
///
/// let fit = Newton::default().minimise(&Bowl, &[10.0, -7.0])?.converged()?;
/// let mut gradient = [0.0; 2];
/// Bowl.gradient(&fit.model, &mut gradient);
/// assert!(gradient.iter().all(|slope| slope.abs() < 1e-12));
/// # Ok::<(), lm_core::Error>(())
/// ```
pub trait Criterion: Sync {
    /// The number of entries of `a`.
    fn dim(&self) -> usize;

    /// `J(a)`.
    fn value(&self, a: &[f64]) -> f64;

    /// Writes `∇J(a)`, `dim` numbers.
    fn gradient(&self, a: &[f64], out: &mut [f64]);

    /// Writes the matrix of second derivatives, row after row: `dim²` numbers, symmetric.
    fn hessian(&self, a: &[f64], out: &mut [f64]);

    /// `dᵗ H(a) d` for a direction `d`. The default fills the whole matrix; override it where that is not needed.
    ///
    /// # Errors
    /// [`Error::TooLarge`] or [`Error::Allocation`] if there is no room for the matrix.
    fn hessian_along(&self, a: &[f64], direction: &[f64]) -> Result<f64> {
        let mut matrix = square(self.dim())?;
        self.hessian(a, &mut matrix);
        let rows = matrix.chunks_exact(self.dim().max(1)).zip(direction);
        Ok(rows.map(|(row, d)| d * dot(row, direction)).sum())
    }
}

/// `⟨a·b⟩`.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Zeros for a matrix of `dim × dim`, asked for in a way that can be refused.
pub(crate) fn square(dim: usize) -> Result<Vec<f64>> {
    let what = "the matrix of second derivatives";
    let limit = isize::MAX as usize / size_of::<f64>();
    let size = dim.checked_mul(dim).filter(|&size| size <= limit);
    let size = size.ok_or(Error::TooLarge { what, size: dim, limit })?;
    zeros(what, size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_that_cannot_be_had_is_refused() {
        assert_eq!(square(3).unwrap(), [0.0; 9]);
        assert!(matches!(square(usize::MAX), Err(Error::TooLarge { .. })));
        assert!(matches!(square(1 << 29), Err(Error::Allocation { .. })));
    }

    #[test]
    fn the_default_curvature_is_that_of_the_whole_matrix() {
        struct Saddle;
        impl Criterion for Saddle {
            fn dim(&self) -> usize {
                2
            }
            fn value(&self, a: &[f64]) -> f64 {
                a[0] * a[0] + 3.0 * a[0] * a[1] - 2.0 * a[1] * a[1]
            }
            fn gradient(&self, a: &[f64], out: &mut [f64]) {
                out.copy_from_slice(&[2.0 * a[0] + 3.0 * a[1], 3.0 * a[0] - 4.0 * a[1]]);
            }
            fn hessian(&self, _: &[f64], out: &mut [f64]) {
                out.copy_from_slice(&[2.0, 3.0, 3.0, -4.0]);
            }
        }
        assert_eq!(Saddle.hessian_along(&[9.0, 9.0], &[1.0, 2.0]), Ok(2.0 + 12.0 - 16.0));
    }
}
