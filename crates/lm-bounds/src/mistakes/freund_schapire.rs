//! The bound of Freund and Schapire: the mistakes of the first pass of a perceptron, on any data.
//!
//! Examples that fall short of a margin `γ` by slacks `ξᵢ`, of 2-norm `D`, get an attribute of their own that makes up for them. The
//! first pass runs as before, and Novikoff's bound for the longer examples, with the best length of the new attributes,
//! is `(2(R + D)/γ)²`.
//!
//! The proof of the source lets the longer examples make the steps of the bias longer too, which the algorithm does not do.
//! With the algorithm's own step `R²` the same argument gives `(√(2(R² + b²)) + D)²/γ²` ([`with_bias`]), which is at most the
//! stated bound where `|b| ≤ R`, as `√(2(R² + b²)) ≤ 2R`. A hyperplane with `|b| = R + t` beyond has all examples on one side. Let `n ≥ 1` be those of the other class:
//! `D ≥ √n(γ + t)`. If `R + t√n ≥ γ/√2`, the function that is constant gives `(√2 + 2√n)²`, which is at most the stated
//! bound; and otherwise `2(R² + b²) ≤ (2R + D)²`. So the theorem holds for every hyperplane on a set with both classes,
//! and for a set of one class it does not: there a far hyperplane has `D = 0` and any ratio `R/γ`.
//!
//! Reference: Freund & Schapire (1999); Cristianini & Shawe-Taylor (2000), Theorem 2.7.

use lm_core::Result;

use crate::domain::{all_finite, at_least_zero, finite, positive};
use crate::outward::Enclosed;

/// `(2(R + D)/γ)²`.
///
/// ```
/// use lm_bounds::mistakes::{freund_schapire, novikoff};
///
/// assert_eq!(freund_schapire::first_pass(1.0, 0.5, 0.25)?, 144.0);
/// assert_eq!(freund_schapire::first_pass(1.0, 0.0, 0.25)?, novikoff::with_bias(1.0, 0.25)?);
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`](lm_core::Error::Setting) unless radius and margin are finite numbers > 0 and the slack one ≥ 0.
pub fn first_pass(radius: f64, slack: f64, margin: f64) -> Result<f64> {
    let slack = Enclosed::from(at_least_zero("slack", slack)?);
    stated(positive("radius", radius)?, slack, positive("margin", margin)?)
}

fn stated(radius: f64, slack: Enclosed, margin: f64) -> Result<f64> {
    Ok(((slack + radius) / Enclosed::from(margin)).scaled(1).squared().at_most())
}

/// `(√(2(R² + b²)) + D)²/γ²`, what the argument gives for the step `R²` of the bias and a hyperplane with the bias `b`.
///
/// # Errors
/// As [`first_pass`]; also unless the bias is finite.
pub fn with_bias(radius: f64, bias: f64, slack: f64, margin: f64) -> Result<f64> {
    let (radius, margin) = (positive("radius", radius)?, positive("margin", margin)?);
    let (bias, slack) = (finite("bias", bias)?, Enclosed::from(at_least_zero("slack", slack)?));
    let length = (Enclosed::from(radius).squared() + Enclosed::from(bias).squared()).scaled(1).sqrt();
    Ok(((length + slack) / Enclosed::from(margin)).squared().at_most())
}

/// A margin, what the examples fall short of it by, and the bound of both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BestMargin {
    /// `γ`; infinite where the bound falls as long as the margin grows.
    pub margin: f64,
    /// `D`, the 2-norm of the slacks at that margin, rounded up; infinite with the margin.
    pub slack: f64,
    /// `(2(R + D)/γ)²`, rounded up; for an infinite margin its limit, four times the number of examples.
    pub bound: f64,
}

/// The bound at a target margin, for the geometric margins of the examples with respect to one hyperplane.
///
/// # Errors
/// [`Error::Setting`](lm_core::Error::Setting) unless radius and target are finite numbers > 0,
/// [`Error::Empty`](lm_core::Error::Empty) and [`Error::NonFinite`](lm_core::Error::NonFinite) for the list of margins.
pub fn at_margin(radius: f64, margins: &[f64], target: f64) -> Result<BestMargin> {
    let (radius, target) = (positive("radius", radius)?, positive("target margin", target)?);
    all_finite("margin", margins)?;
    let short = margins.iter().filter(|&&margin| margin < target);
    let squares = short.map(|&margin| (Enclosed::from(target) - margin).squared());
    let slack = squares.sum::<Enclosed>().sqrt();
    Ok(BestMargin { margin: target, slack: slack.at_most(), bound: stated(radius, slack, target)? })
}

/// The target margin `γ` for which the bound is least, for one hyperplane.
///
/// In `g = 1/γ` the root of the bound is `2(R·g + ‖max(0, 1 − g·mᵢ)‖)`, which is convex, and smooth between the places `1/mᵢ`; the
/// least value is at one of these or where a quadratic equation says.
///
/// ```
/// use lm_bounds::mistakes::freund_schapire::{at_margin, best_margin};
///
/// // One example out of 100 on the wrong side: it is not worth the margin of all others.
/// let mut margins = vec![0.5; 100];
/// margins[0] = -0.1;
/// let best = best_margin(1.0, &margins)?;
/// for target in [0.1, 0.3, 0.45, 0.5, 0.6, 2.0] {
///     assert!(best.bound <= at_margin(1.0, &margins, target)?.bound);
/// }
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// As [`at_margin`].
pub fn best_margin(radius: f64, margins: &[f64]) -> Result<BestMargin> {
    let radius = positive("radius", radius)?;
    all_finite("margin", margins)?;
    let mut sorted = margins.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    // In units of the radius nothing overflows that matters.
    let scaled: Vec<f64> = sorted.iter().map(|margin| margin / radius).collect();
    let (mut first, mut second) = (0.0, 0.0);
    let mut best = (f64::INFINITY, 0.0);
    for (index, &margin) in scaled.iter().enumerate() {
        first += margin;
        second += margin * margin;
        // Slack is left to the examples up to this one: g from 1/next to 1/margin.
        let low = scaled.get(index + 1).map_or(0.0, |next| reciprocal(*next).min(reciprocal(margin)));
        let high = reciprocal(margin);
        let count = (index + 1) as f64;
        let value = |g: f64| g + (count - 2.0 * g * first + g * g * second).max(0.0).sqrt();
        let spread = (count * second - first * first).max(0.0);
        let inner = if second > 1.0 { (first - (spread / (second - 1.0)).sqrt()) / second } else { low };
        for g in [low, high, inner.clamp(low, high)] {
            if g > 0.0 && g.is_finite() && value(g) < best.0 {
                best = (value(g), g);
            }
        }
    }
    let limit = margins.len() as f64;
    let target = radius / best.1;
    if !(best.0 * best.0 < limit) || !(target > 0.0 && target.is_finite()) {
        let bound = Enclosed::count(margins.len() as u64).scaled(2).at_most();
        return Ok(BestMargin { margin: f64::INFINITY, slack: f64::INFINITY, bound });
    }
    at_margin(radius, margins, target)
}

/// `1/m` for a positive margin; beyond all others for a margin that never suffices.
fn reciprocal(margin: f64) -> f64 {
    if margin > 0.0 { 1.0 / margin } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_separable_set_with_one_margin_gets_novikoffs_bound_at_that_margin() {
        let best = best_margin(2.0, &[0.5; 70]).unwrap();
        assert_eq!((best.margin, best.slack, best.bound), (0.5, 0.0, 64.0));
    }

    #[test]
    fn the_best_margin_beats_a_fine_grid() {
        let mut state = 7_u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        for case in 0..300 {
            let len = 1 + case % 40;
            let shift = random();
            let margins: Vec<f64> = (0..len).map(|_| 2.0 * random() - shift).collect();
            let radius = 0.2 + 3.0 * random();
            let best = best_margin(radius, &margins).unwrap();
            for step in 1..400 {
                let target = 0.01 * f64::from(step);
                let other = at_margin(radius, &margins, target).unwrap().bound;
                assert!(best.bound <= other * (1.0 + 1e-9), "{case}: {best:?} at {target}: {other}");
            }
            assert!(best.bound <= 4.0 * len as f64);
        }
    }

    #[test]
    fn margins_that_are_all_negative_have_no_best_margin() {
        let best = best_margin(1.0, &[-1.0, -0.5]).unwrap();
        assert_eq!((best.margin, best.bound), (f64::INFINITY, 8.0));
    }

    #[test]
    fn within_the_radius_the_sharper_bound_is_the_smaller_one() {
        for bias in [-1.0, -0.3, 0.0, 0.5, 1.0] {
            for slack in [0.0, 0.2, 3.0] {
                let (sharp, stated) =
                    (with_bias(1.0, bias, slack, 0.1).unwrap(), first_pass(1.0, slack, 0.1).unwrap());
                assert!(sharp <= stated, "{bias} {slack}");
            }
        }
    }
}
