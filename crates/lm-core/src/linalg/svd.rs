//! Singular values, for ranks and pseudoinverses.

use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::{Par, Spec};

use super::products::{product_transposed, transposed_product};
use super::{Matrix, jacobi, power_of_two};
use crate::{Error, Result};

/// How many times the rounding error of a stable method a decomposition may be off, as LAPACK tests its own.
const RATIO: f64 = 50.0;

/// The thin singular value decomposition `A = U·diag(σ)·Vᵗ` of a matrix of any shape.
///
/// # Cost
/// Of the order of `nd²` for `n ≥ d`, on one core; as much again to check the answer.
///
/// ```
/// use lm_core::linalg::{Matrix, Svd};
///
/// let a = Matrix::from_rows(&[1.0, 1.0, 1.0, 1.0, 1.0, 1.0], 2, 3)?;
/// let svd = Svd::thin(&a)?;
/// assert_eq!(svd.rank(svd.default_tolerance()), 1);
/// assert!((svd.values[0] - 6.0_f64.sqrt()).abs() < 1e-14);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Svd {
    /// Orthonormal columns, as many as there are singular values.
    pub u: Matrix,
    /// The singular values, the largest first.
    pub values: Vec<f64>,
    /// Orthonormal columns, as many as there are singular values.
    pub v: Matrix,
}

impl Svd {
    /// Decomposes a matrix.
    ///
    /// # Errors
    /// [`Error::NonFinite`] for a value that is not finite, [`Error::Numerical`] if no decomposition multiplies back to
    /// the matrix.
    pub fn thin(a: &Matrix) -> Result<Self> {
        a.check_finite()?;
        let scale = power_of_two(a.largest());
        let mut scaled = if a.rows() >= a.columns() { a.clone() } else { a.transposed()? };
        scaled.values_mut().iter_mut().for_each(|x| *x /= scale);
        let by_faer = decompose(&scaled)?;
        let mut svd = match by_faer {
            Some(svd) if svd.is_of(&scaled)? => svd,
            _ => {
                let svd = jacobi::svd(&scaled)?;
                if !svd.is_of(&scaled)? {
                    return Err(Error::Numerical { what: "the singular values of a matrix" });
                }
                svd
            }
        };
        svd.values.iter_mut().for_each(|value| *value *= scale);
        if a.rows() < a.columns() {
            std::mem::swap(&mut svd.u, &mut svd.v);
        }
        Ok(svd)
    }

    /// How many singular values exceed `tolerance` times the largest.
    pub fn rank(&self, tolerance: f64) -> usize {
        let least = self.values.first().map_or(0.0, |largest| tolerance * largest);
        self.values.iter().take_while(|&&value| value > least).count()
    }

    /// The tolerance below which a singular value cannot be told from zero: the larger dimension times the precision.
    pub fn default_tolerance(&self) -> f64 {
        self.u.rows().max(self.v.rows()) as f64 * f64::EPSILON
    }

    /// The pseudoinverse, singular values up to `tolerance` times the largest taken for zero.
    ///
    /// # Errors
    /// As [`Matrix::zeros`].
    pub fn pseudoinverse(&self, tolerance: f64) -> Result<Matrix> {
        let rank = self.rank(tolerance);
        let mut left = Matrix::zeros(self.v.rows(), rank)?;
        let mut right = Matrix::zeros(self.u.rows(), rank)?;
        for j in 0..rank {
            let value = self.values[j];
            left.column_mut(j).iter_mut().zip(self.v.column(j)).for_each(|(to, x)| *to = x / value);
            right.column_mut(j).copy_from_slice(self.u.column(j));
        }
        product_transposed(&left, &right)
    }

    /// Whether the parts are orthonormal, sorted, and multiply to the matrix.
    fn is_of(&self, a: &Matrix) -> Result<bool> {
        let descending = self.values.windows(2).all(|pair| pair[0] >= pair[1]);
        if !descending || !self.values.iter().all(|value| *value >= 0.0) {
            return Ok(false);
        }
        let bar = RATIO * f64::EPSILON * a.rows().max(a.columns()) as f64;
        let mut left = self.u.clone();
        for (j, value) in self.values.iter().enumerate() {
            left.column_mut(j).iter_mut().for_each(|x| *x *= value);
        }
        let mut rest = product_transposed(&left, &self.v)?;
        rest.values_mut().iter_mut().zip(a.values()).for_each(|(rest, a)| *rest -= a);
        let largest = self.values.first().copied().unwrap_or(0.0);
        Ok(rest.largest() <= bar * largest && orthonormal(&self.u, bar)? && orthonormal(&self.v, bar)?)
    }
}

/// Whether the columns have length 1 and are orthogonal to each other.
pub(super) fn orthonormal(q: &Matrix, bar: f64) -> Result<bool> {
    let mut rest = transposed_product(q, q)?;
    (0..q.columns()).for_each(|j| rest[(j, j)] -= 1.0);
    Ok(rest.largest() <= bar)
}

/// faer's decomposition of a matrix with at least as many rows as columns; `None` if it did not converge.
fn decompose(a: &Matrix) -> Result<Option<Svd>> {
    let (rows, columns) = (a.rows(), a.columns());
    let mut svd_of = Svd {
        u: Matrix::zeros(rows, columns)?,
        values: vec![0.0; columns],
        v: Matrix::zeros(columns, columns)?,
    };
    let thin = ComputeSvdVectors::Thin;
    let mut memory = MemBuffer::new(svd_scratch::<f64>(rows, columns, thin, thin, Par::Seq, Spec::default()));
    let outcome = svd(
        a.view(),
        DiagMut::from_slice_mut(&mut svd_of.values),
        Some(svd_of.u.view_mut()),
        Some(svd_of.v.view_mut()),
        Par::Seq,
        MemStack::new(&mut memory),
        Spec::default(),
    );
    Ok(outcome.is_ok().then_some(svd_of))
}
