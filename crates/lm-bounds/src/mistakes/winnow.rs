//! The mistakes of balanced Winnow.
//!
//! # Problem
//! Balanced Winnow keeps exponents `v`, adds `y·x` to them at a mistake, and decides by `Σₖ xₖ(αᵛᵏ − α⁻ᵛᵏ)`. How many mistakes
//! can it make where some weights `u` with `‖u‖₁ = 1` have the margin `γ`, and all attributes are at most `X` in size?
//! # Method
//! With `η = ln α` the sum `Σₖ (e^(ηvₖ) + e^(−ηvₖ))` grows at a mistake by at most the factor `cosh(ηX)`, since the score is not
//! above 0 then, and it is at least `e^(η⟨u·v⟩)`, where `⟨u·v⟩` grew by `γ` less the slack of each example. From `2d` at the start,
//!
//! ```text
//! mistakes ≤ (ln 2d + η·Σξ)/(ηγ − ln cosh ηX)
//! ```
//!
//! over as many visits as the slacks are summed for, if the denominator is positive. The best rate has `tanh ηX = γ/X`.
//! A bias with the step `β` is one attribute more, of the size `√β`.
//! # Cost
//! A few operations.
//! # Reference
//! Littlestone (1988); Kivinen & Warmuth (1997); Grove, Littlestone & Schuurmans (2001).

use lm_core::{Error, Result};

use crate::domain::{at_least_zero, examples, positive};
use crate::outward::Enclosed;

/// The bound for a promotion `α > 1`: `d` attributes (with that of the bias), the largest of size `largest`, a margin
/// by weights of 1-norm 1, and the sum of the slacks, 0 for weights that separate. Infinite if `α` is too large for the margin.
///
/// ```
/// use lm_bounds::mistakes::winnow;
///
/// // A thousand attributes of ±1, of which a majority of 3 decides: γ = 1/3.
/// let (bound, best) = (winnow::mistakes(1000, 1.0, 1.0 / 3.0, 0.0, 1.1)?, winnow::best_promotion(1.0, 1.0 / 3.0)?);
/// assert!(bound < 300.0 && winnow::mistakes(1000, 1.0, 1.0 / 3.0, 0.0, best)? < 140.0);
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`] for no attributes, unless size and margin are finite numbers > 0 with a margin of at most the size, the slack one
/// ≥ 0, and `α` a finite number above 1.
pub fn mistakes(attributes: u64, largest: f64, margin: f64, slack: f64, promotion: f64) -> Result<f64> {
    examples(attributes).map_err(|_| Error::Setting {
        name: "attributes",
        value: attributes as f64,
        accepted: "a whole number from 1 to 2^52",
    })?;
    let slack = Enclosed::from(at_least_zero("slack", slack)?);
    check_margin(largest, margin)?;
    if !(promotion > 1.0 && promotion.is_finite()) {
        return Err(Error::Setting { name: "promotion", value: promotion, accepted: "a finite number > 1" });
    }
    let rate = Enclosed::from(promotion).ln();
    let gain = rate * margin - ln_cosh(rate * largest);
    if !gain.is_positive() {
        return Ok(f64::INFINITY);
    }
    Ok((((Enclosed::count(attributes).scaled(1)).ln() + rate * slack) / gain).at_most())
}

/// The promotion with the least bound for data without slack: `α = ((X + γ)/(X − γ))^(1/2X)`.
///
/// # Errors
/// As [`mistakes`]; also for a margin as large as the size, for which no promotion is large enough.
pub fn best_promotion(largest: f64, margin: f64) -> Result<f64> {
    check_margin(largest, margin)?;
    let promotion = ((margin / largest).atanh() / largest).exp();
    if promotion.is_finite() && promotion > 1.0 {
        return Ok(promotion);
    }
    Err(Error::Setting { name: "margin", value: margin, accepted: "a number below the largest attribute" })
}

fn check_margin(largest: f64, margin: f64) -> Result<()> {
    positive("largest attribute", largest)?;
    positive("margin", margin)?;
    if margin <= largest {
        return Ok(());
    }
    Err(Error::Setting { name: "margin", value: margin, accepted: "at most the largest attribute: ‖u‖₁ = 1" })
}

/// `ln cosh x` for `x ≥ 0`.
fn ln_cosh(x: Enclosed) -> Enclosed {
    // x + ln(1 + (e^(−2x) − 1)/2)
    x + (-x.scaled(1)).exp_m1().scaled(-1).ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_promotion_is_the_best() {
        for (largest, margin) in [(1.0, 0.3), (2.0, 0.01), (0.5, 0.49)] {
            let best = best_promotion(largest, margin).unwrap();
            let least = mistakes(50, largest, margin, 0.0, best).unwrap();
            for factor in [0.5, 0.9, 1.1, 1.5] {
                let other = 1.0 + (best - 1.0) * factor;
                assert!(least <= mistakes(50, largest, margin, 0.0, other).unwrap());
            }
            // The familiar form is a little above.
            assert!(least <= 2.0 * (largest / margin).powi(2) * 100.0_f64.ln());
        }
    }

    #[test]
    fn a_promotion_too_large_for_the_margin_has_no_bound() {
        assert_eq!(mistakes(10, 1.0, 0.01, 0.0, 2.0).unwrap(), f64::INFINITY);
        assert!(mistakes(10, 1.0, 2.0, 0.0, 2.0).is_err() && mistakes(0, 1.0, 0.5, 0.0, 2.0).is_err());
        assert!(best_promotion(1.0, 1.0).is_err());
    }
}
