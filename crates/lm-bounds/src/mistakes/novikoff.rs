//! Novikoff's bound: the mistakes of a perceptron on data that a hyperplane separates.
//!
//! Give every example a constant attribute `√β`, whose weight is the bias: a correction then moves the bias by `β`. Each
//! correction brings the weights nearer to a hyperplane `(w, b)` with `‖w‖ = 1` and margin `γ` by at least `γ` in inner product, and
//! lengthens their square by at most `R² + β`. So there are at most `(R² + β)(1 + b²/β)/γ²` of them, over all passes, whatever
//! the learning rate. With `β = R²` and `|b| ≤ R` that is at most `(2R/γ)²`.
//!
//! Reference: Novikoff (1962); Cristianini & Shawe-Taylor (2000), Theorem 2.3 and Remark 2.4.

use lm_core::Result;

use crate::domain::{finite, positive};
use crate::outward::Enclosed;

/// `(2R/γ)²`: the perceptron whose bias moves by `R²`, for the margin `γ` of any hyperplane within the radius `R`.
///
/// ```
/// use lm_bounds::mistakes::novikoff;
///
/// assert_eq!(novikoff::with_bias(1.0, 0.25)?, 64.0);
/// assert_eq!(novikoff::through_origin(1.0, 0.25)?, 16.0); // a factor 4 better
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`](lm_core::Error::Setting) unless both are finite numbers > 0.
pub fn with_bias(radius: f64, margin: f64) -> Result<f64> {
    Ok(ratio(radius, margin)?.scaled(1).squared().at_most())
}

/// `(R/γ)²`: the perceptron without a bias, for the margin `γ` of a hyperplane through the origin.
///
/// # Errors
/// As [`with_bias`].
pub fn through_origin(radius: f64, margin: f64) -> Result<f64> {
    Ok(ratio(radius, margin)?.squared().at_most())
}

/// `(R² + 1)/γ²`: the perceptron whose bias moves by 1, for the margin `γ` of the examples with a constant attribute 1, with respect
/// to a weight vector of which the bias is a part and whose norm is 1.
///
/// # Errors
/// As [`with_bias`].
pub fn augmented(radius: f64, margin: f64) -> Result<f64> {
    let (radius, margin) = (positive("radius", radius)?, positive("margin", margin)?);
    Ok(((Enclosed::from(radius).squared() + 1.0) / Enclosed::from(margin).squared()).at_most())
}

/// `(R² + β)(1 + b²/β)/γ²`: the perceptron whose bias moves by `β`, for the margin `γ` of a hyperplane with `‖w‖ = 1` and the
/// bias `b`.
///
/// ```
/// use lm_bounds::mistakes::novikoff;
///
/// // Not more than (2R/γ)² where |b| ≤ R, and half of it where b = 0.
/// assert_eq!(novikoff::with_step(1.0, 0.25, 1.0, 1.0)?, 64.0);
/// assert_eq!(novikoff::with_step(1.0, 0.25, 0.0, 1.0)?, 32.0);
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`](lm_core::Error::Setting) unless radius, margin and step are finite numbers > 0 and the bias is finite.
pub fn with_step(radius: f64, margin: f64, bias: f64, step: f64) -> Result<f64> {
    let (radius, margin) = (positive("radius", radius)?, positive("margin", margin)?);
    let (bias, step) = (finite("bias", bias)?, Enclosed::from(positive("step", step)?));
    Ok((growth(radius, bias, step) / Enclosed::from(margin).squared()).at_most())
}

/// `(R² + β)(1 + b²/β)`.
pub(crate) fn growth(radius: f64, bias: f64, step: Enclosed) -> Enclosed {
    (Enclosed::from(radius).squared() + step) * (Enclosed::from(bias).squared() / step + 1.0)
}

fn ratio(radius: f64, margin: f64) -> Result<Enclosed> {
    Ok(Enclosed::from(positive("radius", radius)?) / Enclosed::from(positive("margin", margin)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::Error;

    #[test]
    fn arguments_outside_their_domain_are_refused_by_name() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(with_bias(bad, 1.0), Err(Error::Setting { name: "radius", .. })));
            assert!(matches!(through_origin(1.0, bad), Err(Error::Setting { name: "margin", .. })));
            assert!(matches!(with_step(1.0, 1.0, 0.0, bad), Err(Error::Setting { name: "step", .. })));
        }
        assert!(matches!(with_step(1.0, 1.0, f64::NAN, 1.0), Err(Error::Setting { name: "bias", .. })));
    }

    #[test]
    fn a_ratio_out_of_range_is_infinite() {
        assert_eq!(with_bias(1e300, 1e-300).unwrap(), f64::INFINITY);
        assert!(with_bias(1e-300, 1e300).unwrap() > 0.0);
    }
}
