//! Margin bounds by the fat-shattering dimension.
//!
//! Theorem 4.18 of Cristianini & Shawe-Taylor: for functions `⟨w·x⟩` with `‖w‖ = 1` on a ball of radius `R` around the origin, and a
//! margin `γ` that is fixed beforehand, a function with that margin on all `ℓ` examples has an error of at most
//!
//! ```text
//! (2/ℓ)( (64R²/γ²)·log₂(eℓγ/(4R))·log₂(128ℓR²/γ²) + log₂(4/δ) ) ,   if 64R²/γ² < ℓ .
//! ```
//!
//! Theorems 4.22 and 4.24 bound the error by `(R² + ‖ξ‖²)/γ²` up to a constant that they do not name. [`soft`] names one: an
//! example's own attribute of the length `R` takes up its slack, as in the proof of the mistake bound of Freund and Schapire, and Theorem
//! 4.18 in the space of the longer examples has the ratio `ρ² = 2(R² + ‖ξ‖²)/γ²` in place of `R²/γ²`. As that ratio depends on the data,
//! the bound is stated for `ρ² = 1, 2, 4, …` together.
//!
//! A bias is the weight of a constant attribute, which counts in radius, norm and margin.
//!
//! Reference: Shawe-Taylor, Bartlett, Williamson & Anthony (1998); Shawe-Taylor & Cristianini (2002); Cristianini & Shawe-Taylor (2000),
//! Theorems 4.18, 4.22 and 4.24.

use lm_core::Result;

use super::share;
use crate::domain::{all_finite, at_least_zero, confidence, examples, positive};
use crate::outward::Enclosed;

/// Theorem 4.18, for a margin that is fixed beforehand; infinite where the theorem says nothing.
///
/// ```
/// use lm_bounds::generalisation::margin;
///
/// // The constants are large: it takes a hundred thousand examples to say something of a margin of R/2.
/// assert!(margin::fixed(1.0, 0.5, 10_000, 0.05)? > 1.0);
/// assert!(margin::fixed(1.0, 0.5, 1_000_000, 0.05)? < 0.5);
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`](lm_core::Error::Setting) unless radius and margin are finite numbers > 0, `ℓ ≥ 1` and `0 < δ < 1`.
pub fn fixed(radius: f64, margin: f64, len: u64, delta: f64) -> Result<f64> {
    let ratio = Enclosed::from(positive("radius", radius)?) / Enclosed::from(positive("margin", margin)?);
    let delta = Enclosed::from(confidence(delta)?);
    Ok(theorem(ratio.squared(), examples(len)?, delta))
}

/// Theorem 4.18, for the margin that came out.
///
/// # Errors
/// As [`fixed`].
pub fn observed(radius: f64, margin: f64, len: u64, delta: f64) -> Result<f64> {
    let ratio = Enclosed::from(positive("radius", radius)?) / Enclosed::from(positive("margin", margin)?);
    confidence(delta)?;
    examples(len)?;
    // The grid is R, R/2, R/4, …: a larger margin counts as R.
    let Some(stratum) = powers_of_two(ratio.at_most()) else { return Ok(f64::INFINITY) };
    let squared = Enclosed::from(1.0).scaled(2 * stratum as i32);
    Ok(theorem(squared, len, share(delta, stratum)))
}

/// Theorem 4.18 for examples that fall short of a margin by slacks of 2-norm `D`; the margin may be chosen by the data.
///
/// It assumes that no single example of those that fall short has a positive probability.
///
/// # Errors
/// As [`fixed`]; also unless the slack is a finite number ≥ 0.
pub fn soft(radius: f64, slack: f64, margin: f64, len: u64, delta: f64) -> Result<f64> {
    confidence(delta)?;
    examples(len)?;
    let Some(stratum) = powers_of_two(2.0 * complexity(radius, slack, margin)?) else { return Ok(f64::INFINITY) };
    Ok(theorem(Enclosed::from(1.0).scaled(stratum as i32), len, share(delta, stratum)))
}

/// `(R² + D²)/γ²`: what Theorems 4.22 and 4.24 say the error grows with; without slack the radius–margin quantity `R²/γ²`.
///
/// ```
/// use lm_bounds::generalisation::margin;
///
/// assert_eq!(margin::complexity(3.0, 0.0, 0.5)?, 36.0);
/// assert_eq!(margin::complexity(3.0, 4.0, 0.5)?, 100.0);
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`](lm_core::Error::Setting) unless radius and margin are finite numbers > 0 and the slack one ≥ 0.
pub fn complexity(radius: f64, slack: f64, margin: f64) -> Result<f64> {
    let (radius, margin) = (positive("radius", radius)?, Enclosed::from(positive("margin", margin)?));
    let slack = Enclosed::from(at_least_zero("slack", slack)?) / margin;
    Ok(((Enclosed::from(radius) / margin).squared() + slack.squared()).at_most())
}

/// The margin for which `(R² + D²)/γ²` is least, with the 2-norm `D` of the slacks, rounded up, for the geometric margins of the
/// examples.
///
/// In `g = 1/γ` it is `R²g² + Σ max(0, 1 − g·mᵢ)²`, which is convex and a parabola between the places `1/mᵢ`.
///
/// # Errors
/// [`Error::Setting`](lm_core::Error::Setting) unless the radius is a finite number > 0, and if no margin is positive enough for a
/// finite answer; [`Error::Empty`](lm_core::Error::Empty) and [`Error::NonFinite`](lm_core::Error::NonFinite) for the margins.
pub fn best_soft(radius: f64, margins: &[f64]) -> Result<(f64, f64)> {
    let radius = positive("radius", radius)?;
    all_finite("margin", margins)?;
    let mut sorted: Vec<f64> = margins.iter().map(|margin| margin / radius).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let reciprocal = |margin: f64| if margin > 0.0 { 1.0 / margin } else { f64::INFINITY };
    let (mut first, mut second, mut best) = (0.0, 0.0, (f64::INFINITY, 0.0));
    for (index, &margin) in sorted.iter().enumerate() {
        first += margin;
        second += margin * margin;
        let high = reciprocal(margin);
        let low = sorted.get(index + 1).map_or(0.0, |next| reciprocal(*next).min(high));
        let count = (index + 1) as f64;
        let value = |g: f64| g * g * (1.0 + second) - 2.0 * g * first + count;
        for g in [low, high, (first / (1.0 + second)).clamp(low, high)] {
            if g > 0.0 && g.is_finite() && value(g) < best.0 {
                best = (value(g), g);
            }
        }
    }
    let gamma = positive("margin", radius / best.1).map_err(|_| lm_core::Error::Setting {
        name: "margins",
        value: sorted.last().copied().unwrap_or(f64::NAN) * radius,
        accepted: "margins of which the sum is positive",
    })?;
    let found = crate::mistakes::freund_schapire::at_margin(radius, margins, gamma)?;
    Ok((gamma, found.slack))
}

/// The least `i ≥ 0` with `2ⁱ ≥ x`, up to some limit beyond which every bound is vacuous.
fn powers_of_two(x: f64) -> Option<u32> {
    (0..=100).find(|&i| x <= 2.0_f64.powi(i as i32))
}

/// The theorem for a squared ratio `R²/γ²`.
fn theorem(ratio: Enclosed, len: u64, delta: Enclosed) -> f64 {
    let all = Enclosed::count(len);
    let dimension = ratio.scaled(6);
    if !(dimension.at_most() < len as f64) {
        return f64::INFINITY;
    }
    let e = Enclosed::from(1.0).exp();
    let first = (e * all.scaled(-2) / ratio.sqrt()).log2();
    let second = (all * ratio.scaled(7)).log2();
    let confidence = (Enclosed::from(4.0) / delta).log2();
    ((dimension * first * second + confidence).scaled(1) / all).at_most()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_larger_margin_never_hurts_and_an_observed_one_costs() {
        let mut last = f64::INFINITY;
        for step in 1..1000 {
            let margin = 0.001 * f64::from(step);
            let (fixed, observed) = (fixed(1.0, margin, 1_000_000, 0.05).unwrap(), observed(1.0, margin, 1_000_000, 0.05).unwrap());
            assert!(fixed <= last && fixed <= observed);
            last = fixed;
        }
        assert!(last < 0.3);
        assert!(soft(1.0, 0.0, 1.0, 1_000_000, 0.05).unwrap() >= last);
    }

    #[test]
    fn slack_only_hurts() {
        let at = |slack: f64| soft(1.0, slack, 0.5, 10_000_000, 0.05).unwrap();
        assert!(at(0.0) <= at(1.0) && at(1.0) < at(10.0) && at(1e5) == f64::INFINITY);
    }

    #[test]
    fn the_best_soft_margin_beats_a_grid() {
        let margins = [0.5, 0.4, -0.2, 0.9, 0.1, 0.7, 0.7];
        let (gamma, slack) = best_soft(1.0, &margins).unwrap();
        let least = complexity(1.0, slack, gamma).unwrap();
        for step in 1..500 {
            let target = 0.01 * f64::from(step);
            let slack: f64 = margins.iter().map(|m| (target - m).max(0.0).powi(2)).sum();
            assert!(least <= complexity(1.0, slack.sqrt(), target).unwrap() * (1.0 + 1e-12));
        }
        assert!(best_soft(1.0, &[-1.0, -2.0]).is_err());
    }
}
