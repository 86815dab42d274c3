//! The tail of the binomial distribution, and its inversion.
//!
//! # Problem
//! ```text
//! P(k, m, p) = Σ_{i ≤ k} (m over i) pⁱ (1 − p)^(m − i) ,      the largest p with P(k, m, p) ≥ δ
//! ```
//! A hypothesis with error `p` makes at most `k` errors on `m` examples with probability `P`: one that made `k` has, with
//! confidence `1 − δ`, an error of at most the `p` of the inversion.
//! # Method
//! The largest term by the logarithm of its binomial coefficient, the others by their ratio to the one before, from there
//! downward, in enclosed numbers; what is left out is bounded by a geometric series. The inversion halves an interval until its ends
//! are neighbours in `f64`; a tail that cannot be told from δ counts as above it, so that the answer is never too small.
//! # Cost
//! `O(min(k, √(m·ln(1/ε))))` terms for a tail, 60 to 1100 tails for an inversion.
//! # Reference
//! Clopper & Pearson (1934); Langford (2005), *Tutorial on practical prediction theory for classification*, section 3.

use lm_core::{Error, Result};

use crate::domain::{confidence, examples, part};
use crate::outward::{Enclosed, ln_binomial};

/// Terms below this share of the sum are bounded and not added.
const NEGLIGIBLE: f64 = 1e-33;

/// The probability that a binomial variable of `trials` trials with probability `p` is at most `successes`.
///
/// ```
/// use lm_bounds::binomial::tail;
///
/// // (1 − ½)³ + 3·½·(1 − ½)² = ½.
/// let half = tail(1, 3, 0.5)?;
/// assert!(half.at_least() <= 0.5 && 0.5 <= half.at_most());
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`] unless `0 ≤ p ≤ 1`, and for more successes than trials.
pub fn tail(successes: u64, trials: u64, p: f64) -> Result<Enclosed> {
    if !(0.0..=1.0).contains(&p) {
        return Err(Error::Setting { name: "p", value: p, accepted: "a number from 0 to 1" });
    }
    examples(trials)?;
    part("successes", successes, trials)?;
    Ok(lower_tail(successes, trials, p))
}

/// `P(k, m, p)` for arguments within their domain.
fn lower_tail(k: u64, m: u64, p: f64) -> Enclosed {
    if k == m || p == 0.0 {
        return Enclosed::from(1.0);
    }
    if p == 1.0 {
        return Enclosed::ZERO;
    }
    let q = Enclosed::from(1.0) - p;
    // Above the mean the other side has the short sum: the variable exceeds k.
    if (k as f64) > m as f64 * p {
        let (ln_first, sum) = terms_downward(m - k - 1, m, q, Enclosed::from(p));
        return Enclosed::from(1.0) - ln_first.exp() * sum;
    }
    let (ln_first, sum) = terms_downward(k, m, Enclosed::from(p), q);
    ln_first.exp() * sum
}

/// `ln P(k, m, p)` for `0 < p < 1` and `k < m`, also where the tail is below all numbers.
fn ln_lower_tail(k: u64, m: u64, p: f64) -> Enclosed {
    if (k as f64) > m as f64 * p {
        return lower_tail(k, m, p).ln();
    }
    let (ln_first, sum) = terms_downward(k, m, Enclosed::from(p), Enclosed::from(1.0) - p);
    ln_first + sum.ln()
}

/// `Σ_{i ≤ k} (m over i) pⁱ qᵐ⁻ⁱ` for `k` up to about `mp`, where the terms fall from `i = k` down: the logarithm of the first term,
/// and the sum of all in units of it.
fn terms_downward(k: u64, m: u64, p: Enclosed, q: Enclosed) -> (Enclosed, Enclosed) {
    let coefficient = ln_binomial(m, k).unwrap_or(Enclosed::UNKNOWN);
    let power = |base: Enclosed, count: u64| {
        if count == 0 { Enclosed::ZERO } else { base.ln() * Enclosed::count(count) }
    };
    let ln_first = coefficient + power(p, k) + power(q, m - k);
    let odds = q / p;
    let (mut term, mut sum) = (Enclosed::from(1.0), Enclosed::from(1.0));
    for i in (1..=k).rev() {
        let ratio = Enclosed::count(i) / Enclosed::count(m - i + 1) * odds;
        term = term * ratio;
        sum = sum + term;
        let (share, ratio) = (term.at_most(), ratio.at_most());
        // All that follow are at most a geometric series.
        if ratio < 1.0 && share * ratio < NEGLIGIBLE * (1.0 - ratio) {
            sum = sum + Enclosed::within(0.0, (share * ratio / (1.0 - ratio)).next_up() * (1.0 + 1e-12));
            break;
        }
    }
    (ln_first, sum)
}

/// The largest probability with which at most `successes` in `trials` trials still has the probability `delta`: never
/// below it, and at most one `f64` above where the tail can be told from `delta`.
///
/// ```
/// use lm_bounds::binomial::largest_probability;
///
/// // No success in 100 trials: (1 − p)¹⁰⁰ = 0.05.
/// let p = largest_probability(0, 100, 0.05)?;
/// assert!((p - (1.0 - 0.05_f64.powf(0.01))).abs() < 1e-15);
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`] unless `0 < δ < 1`, and for more successes than trials.
pub fn largest_probability(successes: u64, trials: u64, delta: f64) -> Result<f64> {
    largest_with_tail(successes, trials, Enclosed::from(confidence(delta)?).ln())
}

/// As [`largest_probability`], for a `δ` that is given by its logarithm.
pub(crate) fn largest_with_tail(successes: u64, trials: u64, ln_delta: Enclosed) -> Result<f64> {
    examples(trials)?;
    part("successes", successes, trials)?;
    if successes == trials {
        return Ok(1.0);
    }
    let is_below = |p: f64| p >= 1.0 || (ln_delta - ln_lower_tail(successes, trials, p)).is_positive();
    Ok(first_where(is_below))
}

/// The smallest probability with which at least `successes` in `trials` trials still has the probability `delta`, never
/// above it.
///
/// # Errors
/// [`Error::Setting`] unless `0 < δ < 1`, and for more successes than trials.
pub fn smallest_probability(successes: u64, trials: u64, delta: f64) -> Result<f64> {
    confidence(delta)?;
    examples(trials)?;
    part("successes", successes, trials)?;
    if successes == 0 {
        return Ok(0.0);
    }
    // P(variable ≥ k) grows with p: the first p at which it is certainly not below δ, and the one before.
    let is_reached = |p: f64| (Enclosed::from(1.0) - lower_tail(successes - 1, trials, p)).at_most() >= delta;
    Ok(first_where(is_reached).next_down().max(0.0))
}

/// The first number from 0 to 1 at which a condition is met that is not met at 0 and, once met, stays so. The interval is
/// halved in the order of the `f64`, so that small numbers get all their digits.
pub(crate) fn first_where(is_met: impl Fn(f64) -> bool) -> f64 {
    let (mut below, mut above) = (0.0_f64.to_bits(), 1.0_f64.to_bits());
    // Probabilities below 10⁻¹⁶ are rare: a first step keeps the search short.
    let start = 1e-16_f64.to_bits();
    if is_met(f64::from_bits(start)) { above = start } else { below = start }
    while above - below > 1 {
        let middle = below + (above - below) / 2;
        if is_met(f64::from_bits(middle)) { above = middle } else { below = middle }
    }
    f64::from_bits(above)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `Σ (m over i) aⁱ (2ⁿ − a)^(m − i)` over `2^(nm)`, in whole numbers.
    fn exact(k: u32, m: u32, a: u128, bits: u32) -> f64 {
        let (mut sum, mut coefficient) = (0_u128, 1_u128);
        for i in 0..=k {
            sum += coefficient * a.pow(i) * ((1 << bits) - a).pow(m - i);
            coefficient = coefficient * u128::from(m - i) / u128::from(i + 1);
        }
        sum as f64 / 2.0_f64.powi((bits * m) as i32)
    }

    #[test]
    fn the_tail_is_that_of_whole_numbers() {
        for m in 1..=20 {
            for a in 1..32 {
                for k in 0..=m {
                    let (found, truth) = (tail(k.into(), m.into(), a as f64 / 32.0).unwrap(), exact(k, m, a, 5));
                    let off = truth * f64::EPSILON;
                    assert!(found.at_least() <= truth + off && truth <= found.at_most() + off, "{k} {m} {a}");
                    assert!(found.at_most() - found.at_least() <= 3.0 * off, "{k} {m} {a}: {found:?}");
                }
            }
        }
    }

    #[test]
    fn the_inversion_is_the_first_number_beyond() {
        for (k, m, delta) in [(0, 1, 0.5), (0, 100, 0.05), (3, 50, 0.01), (499, 1000, 1e-6), (1, 1_000_000, 0.05)] {
            let p = largest_probability(k, m, delta).unwrap();
            assert!(tail(k, m, p).unwrap().at_least() < delta);
            assert!(tail(k, m, p.next_down()).unwrap().at_most() >= delta);
            let low = smallest_probability(k, m, delta).unwrap();
            assert!(low <= k as f64 / m as f64 && k as f64 / m as f64 <= p);
        }
        assert_eq!(largest_probability(7, 7, 0.1).unwrap(), 1.0);
        assert_eq!(smallest_probability(0, 7, 0.1).unwrap(), 0.0);
    }

    #[test]
    fn arguments_outside_their_domain_are_refused_by_name() {
        assert!(matches!(largest_probability(3, 2, 0.1), Err(Error::Setting { name: "successes", .. })));
        assert!(matches!(largest_probability(0, 0, 0.1), Err(Error::Setting { name: "examples", .. })));
        for delta in [0.0, 1.0, f64::NAN, -0.1] {
            assert!(matches!(largest_probability(0, 1, delta), Err(Error::Setting { name: "delta", .. })));
        }
        assert!(matches!(tail(0, 1, f64::NAN), Err(Error::Setting { name: "p", .. })));
    }
}
