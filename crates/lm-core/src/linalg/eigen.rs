//! Eigenvalues of symmetric matrices.

use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Par, Spec};

use super::products::product_transposed;
use super::svd::orthonormal;
use super::{Matrix, power_of_two};
use crate::{Error, Result};

/// How many times the rounding error of a stable method a decomposition may be off, as LAPACK tests its own.
const RATIO: f64 = 60.0;

/// The decomposition `A = V·diag(λ)·Vᵗ` of a symmetric matrix.
///
/// # Cost
/// Of the order of `n³`, on one core; half as much again to check the answer.
///
/// ```
/// use lm_core::linalg::{Matrix, SymmetricEigen};
///
/// let eigen = SymmetricEigen::of(&Matrix::from_rows(&[2.0, 1.0, 1.0, 2.0], 2, 2)?)?;
/// assert!((eigen.values[0] - 1.0).abs() < 1e-15 && (eigen.values[1] - 3.0).abs() < 1e-15);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SymmetricEigen {
    /// The eigenvalues, the smallest first.
    pub values: Vec<f64>,
    /// The eigenvectors, of length 1, as columns.
    pub vectors: Matrix,
}

impl SymmetricEigen {
    /// Decomposes a symmetric matrix, of which the lower triangle is read.
    ///
    /// # Errors
    /// [`Error::Length`] unless it is square, [`Error::NonFinite`] for a value that is not finite, [`Error::Numerical`] if
    /// no decomposition multiplies back to the matrix.
    pub fn of(a: &Matrix) -> Result<Self> {
        a.check_square()?;
        a.check_finite_lower()?;
        let mut scaled = a.clone();
        scaled.mirror_lower();
        let scale = power_of_two(scaled.largest());
        scaled.values_mut().iter_mut().for_each(|x| *x /= scale);
        let by_faer = decompose(&scaled)?;
        let mut eigen = match by_faer {
            Some(eigen) if eigen.is_of(&scaled)? => eigen,
            _ => {
                let eigen = by_rotations(&scaled)?;
                if !eigen.is_of(&scaled)? {
                    return Err(Error::Numerical { what: "the eigenvalues of a symmetric matrix" });
                }
                eigen
            }
        };
        eigen.values.iter_mut().for_each(|value| *value *= scale);
        Ok(eigen)
    }

    /// Whether the vectors are orthonormal, the values sorted, and both multiply to the matrix.
    fn is_of(&self, a: &Matrix) -> Result<bool> {
        if !self.values.windows(2).all(|pair| pair[0] <= pair[1]) {
            return Ok(false);
        }
        let bar = RATIO * f64::EPSILON * a.rows() as f64;
        let mut left = self.vectors.clone();
        for (j, value) in self.values.iter().enumerate() {
            left.column_mut(j).iter_mut().for_each(|x| *x *= value);
        }
        let mut rest = product_transposed(&left, &self.vectors)?;
        rest.values_mut().iter_mut().zip(a.values()).for_each(|(rest, a)| *rest -= a);
        let largest = self.values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        Ok(rest.largest() <= bar * largest && orthonormal(&self.vectors, bar)?)
    }
}

/// Jacobi's rotations, as the check of Mercer's condition uses them.
fn by_rotations(a: &Matrix) -> Result<SymmetricEigen> {
    let n = a.rows();
    let eigen = crate::eigen::symmetric(a.values(), n)?;
    let vectors = Matrix::from_columns(eigen.vectors.concat(), n, n)?;
    Ok(SymmetricEigen { values: eigen.values, vectors })
}

/// faer's decomposition; `None` if it did not converge.
fn decompose(a: &Matrix) -> Result<Option<SymmetricEigen>> {
    let n = a.rows();
    let mut eigen = SymmetricEigen { values: vec![0.0; n], vectors: Matrix::zeros(n, n)? };
    if n == 0 {
        return Ok(Some(eigen));
    }
    let wanted = ComputeEigenvectors::Yes;
    let mut memory = MemBuffer::new(self_adjoint_evd_scratch::<f64>(n, wanted, Par::Seq, Spec::default()));
    let outcome = self_adjoint_evd(
        a.view(),
        DiagMut::from_slice_mut(&mut eigen.values),
        Some(eigen.vectors.view_mut()),
        Par::Seq,
        MemStack::new(&mut memory),
        Spec::default(),
    );
    Ok(outcome.is_ok().then_some(eigen))
}
