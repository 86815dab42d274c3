//! The mistakes of a perceptron against the hinge loss of any hyperplane.
//!
//! Weights `u` with the norm `U` have on the rounds with a mistake the hinge losses `ℓₜ = max(0, 1 − yₜ⟨u·xₜ⟩)`, with the sum `L`. In `M` mistakes
//! the inner product of the perceptron's weights with `u` grows by at least `M − L`, while their norm stays within `R√M`. So
//! `M − L ≤ UR√M`, and
//!
//! ```text
//! M ≤ ((UR + √(U²R² + 4L))/2)² ≤ L + UR√L + U²R²
//! ```
//!
//! for any sequence of examples, with no distribution and no separability: the regret against `u` is of the order `√L`.
//! A bias with the step `β` is one attribute more: `R² + β` for `R²` and `U² + b²/β` for `U²`.
//!
//! Reference: Gentile (2003); Shalev-Shwartz (2012), *Online learning and online convex optimization*, section 3.3.

use lm_core::Result;

use crate::domain::{at_least_zero, positive};
use crate::outward::Enclosed;

/// `((UR + √(U²R² + 4L))/2)²`: the mistakes in rounds for which `u` has the norm `U` and a hinge loss of at most `L` in sum.
///
/// ```
/// use lm_bounds::mistakes::{novikoff, regret};
///
/// // Without loss it is Novikoff's bound: U = 1/γ.
/// assert_eq!(regret::mistakes(2.0, 4.0, 0.0)?, novikoff::through_origin(2.0, 0.25)?);
/// assert_eq!(regret::mistakes(1.0, 3.0, 10.0)?, 25.0); // 25 − 10 ≤ 3·√25
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`](lm_core::Error::Setting) unless the radius is a finite number > 0 and the others are finite numbers ≥ 0.
pub fn mistakes(radius: f64, norm: f64, loss: f64) -> Result<f64> {
    let (radius, norm) = (positive("radius", radius)?, at_least_zero("norm", norm)?);
    let loss = Enclosed::from(at_least_zero("loss", loss)?);
    Ok(solved(Enclosed::from(radius) * norm, loss).at_most())
}

/// The largest `M` with `M ≤ L + s√M`.
fn solved(s: Enclosed, loss: Enclosed) -> Enclosed {
    ((s + (s.squared() + loss.scaled(2)).sqrt()).scaled(-1)).squared()
}

/// As [`mistakes`], for a perceptron whose bias moves by `β` and a hyperplane with the bias `b`.
///
/// # Errors
/// As [`mistakes`]; also unless the bias is finite and the step a finite number > 0.
pub fn mistakes_with_step(radius: f64, norm: f64, bias: f64, step: f64, loss: f64) -> Result<f64> {
    let (radius, norm) = (positive("radius", radius)?, at_least_zero("norm", norm)?);
    let bias = crate::domain::finite("bias", bias)?;
    let (step, loss) =
        (Enclosed::from(positive("step", step)?), Enclosed::from(at_least_zero("loss", loss)?));
    let growth = Enclosed::from(radius).squared() + step;
    let size = Enclosed::from(norm).squared() + Enclosed::from(bias).squared() / step;
    Ok(solved((growth * size).sqrt(), loss).at_most())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_solves_its_inequality() {
        for (s, loss) in [(0.0, 5.0), (1.0, 0.0), (0.3, 7.0), (100.0, 2.0)] {
            let most = solved(Enclosed::from(s), Enclosed::from(loss)).at_most();
            let right = loss + s * most.sqrt();
            assert!((most - right).abs() <= 1e-12 * right, "{s} {loss}");
            assert!(most <= loss + s * loss.sqrt() + s * s + 1e-9);
        }
    }

    #[test]
    fn a_hyperplane_of_no_use_loses_all_rounds() {
        for most in [mistakes(1.0, 0.0, 17.0).unwrap(), mistakes_with_step(1.0, 0.0, 0.0, 1.0, 17.0).unwrap()] {
            assert!(most >= 17.0 && most <= 17.0_f64.next_up());
        }
        assert!(mistakes(1.0, -1.0, 0.0).is_err() && mistakes(1.0, 1.0, f64::NAN).is_err());
    }
}
