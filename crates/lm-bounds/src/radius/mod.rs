//! The radius of the data: the largest norm, and the smallest ball that encloses them.
//!
//! In feature space a squared norm is a diagonal entry of the Gram matrix: `R² = max K(xᵢ, xᵢ)`. The source of this (Remark 6.7) has
//! no square, which is a misprint: doubling all examples quadruples `K` and doubles `R`.

mod ball;

pub use ball::{EnclosingBall, enclosing_ball};

use lm_core::{Error, Gram, Precision, Result};

use crate::outward::Enclosed;

/// `R = maxᵢ √K(xᵢ, xᵢ)`, rounded up: every example is in the ball of this radius around the origin.
///
/// ```
/// use lm_bounds::radius;
/// use lm_core::{Dense, VectorGram, VectorKernel};
///
/// let examples = Dense::new(vec![3.0, 4.0, 0.0, 1.0], 2, 2)?;
/// let gram = VectorGram::new(&examples, VectorKernel::linear())?;
/// let largest = radius::largest_norm(&gram)?;
/// assert!(largest >= 5.0 && largest < 5.0 + 1e-12);
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Numerical`] if a diagonal entry is below 0 by more than its error, and what computing the diagonal gives.
pub fn largest_norm<G: Gram + ?Sized>(gram: &G) -> Result<f64> {
    of_diagonal(&gram.diagonal()?, gram.error_bound(Precision::F64))
}

/// The root of the largest entry, each of which may be off by an error.
pub(crate) fn of_diagonal(diagonal: &[f64], error: f64) -> Result<f64> {
    if diagonal.is_empty() {
        return Err(Error::Empty { what: "the Gram matrix" });
    }
    if diagonal.iter().any(|&value| !(value >= -error)) {
        return Err(Error::Numerical { what: "the norm of an example: its kernel value is negative" });
    }
    let largest = diagonal.iter().copied().fold(0.0, f64::max);
    Ok(Enclosed::within(largest, error).sqrt().at_most())
}

/// `Σᵢ K(xᵢ, xᵢ)`, rounded up.
///
/// # Errors
/// As [`largest_norm`].
pub fn trace<G: Gram + ?Sized>(gram: &G) -> Result<f64> {
    let (diagonal, error) = (gram.diagonal()?, gram.error_bound(Precision::F64));
    of_diagonal(&diagonal, error)?;
    Ok(diagonal.iter().map(|&value| Enclosed::within(value.max(0.0), error)).sum::<Enclosed>().at_most())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::MatrixGram;

    #[test]
    fn doubling_the_examples_doubles_the_radius() {
        let gram = |factor: f64| MatrixGram::precomputed(vec![4.0 * factor, 0.0, 0.0, 9.0 * factor], 2).unwrap();
        assert_eq!(largest_norm(&gram(1.0)).unwrap(), 3.0);
        assert_eq!(largest_norm(&gram(4.0)).unwrap(), 6.0);
        assert_eq!(trace(&gram(1.0)).unwrap(), 13.0);
    }

    #[test]
    fn a_negative_squared_norm_is_refused() {
        let gram = MatrixGram::precomputed(vec![-1.0, 0.0, 0.0, 1.0], 2).unwrap();
        assert!(matches!(largest_norm(&gram), Err(Error::Numerical { .. })));
    }
}
