//! The PAC-Bayes margin bound.
//!
//! # Problem
//! A hyperplane through the origin whose cosines with the examples are `cᵢ = yᵢ⟨w·xᵢ⟩/(‖w‖‖xᵢ‖)`. How large can its error be?
//! # Method
//! Weights drawn from a normal distribution around `μ·w/‖w‖` err on an example with probability `Φ̄(μcᵢ)`. With the standard normal
//! distribution as the prior, the mean error `Q` of such weights obeys, for all `w` and `μ` together,
//!
//! ```text
//! kl( (1/ℓ) Σ Φ̄(μcᵢ) ‖ Q ) ≤ (μ²/2 + ln((ℓ + 1)/δ))/ℓ .
//! ```
//!
//! An example on the wrong side of `w` is so for at least half of the weights: the error of `w` itself is at most `2Q`. The `μ` of the
//! least bound is searched for by the golden section; the bound there is evaluated with every rounding counted.
//! # Cost
//! Some fifty sums over the examples in `f64`, one in enclosed numbers, and an inversion of `kl`.
//! # Reference
//! Langford & Shawe-Taylor (2002); Seeger (2002); Langford (2005), section 5.3.

use lm_core::{Error, Result};

use crate::binomial::first_where;
use crate::domain::{all_finite, at_least_zero, confidence};
use crate::outward::{Enclosed, normal_tail};

/// A bound with the `μ` that it is for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PacBayes {
    /// `μ`, how far from the prior the weights lie.
    pub scale: f64,
    /// The mean share of errors that such weights make on the examples, rounded up.
    pub training: f64,
    /// The error of weights that are drawn anew for each example, rounded up.
    pub drawn: f64,
    /// The error of the hyperplane itself: twice as much.
    pub bound: f64,
}

/// The largest `p` with `kl(q‖p) ≤ c`, rounded up.
///
/// ```
/// use lm_bounds::generalisation::pac_bayes::largest_mean;
///
/// // kl(0‖p) = −ln(1 − p)
/// assert!((largest_mean(0.0, 0.1)? - (1.0 - (-0.1_f64).exp())).abs() < 1e-15);
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`] unless `0 ≤ q ≤ 1` and `c` is a finite number ≥ 0.
pub fn largest_mean(q: f64, c: f64) -> Result<f64> {
    if !(0.0..=1.0).contains(&q) {
        return Err(Error::Setting { name: "q", value: q, accepted: "a number from 0 to 1" });
    }
    Ok(inverse(q, Enclosed::from(at_least_zero("c", c)?)))
}

fn inverse(q: f64, c: Enclosed) -> f64 {
    if q >= 1.0 {
        return 1.0;
    }
    first_where(|p| p > q && (p >= 1.0 || (divergence(q, p) - c).is_positive()))
}

/// `kl(q‖p)` for `0 ≤ q < 1` and `0 < p < 1`.
fn divergence(q: f64, p: f64) -> Enclosed {
    let (q, p) = (Enclosed::from(q), Enclosed::from(p));
    let (not_q, not_p) = (Enclosed::from(1.0) - q, Enclosed::from(1.0) - p);
    let first = if q.at_most() == 0.0 { Enclosed::ZERO } else { q * (q / p).ln() };
    first + not_q * (not_q / not_p).ln()
}

/// The bound for one `μ > 0`.
///
/// # Errors
/// [`Error::Setting`] unless `μ` is a finite number ≥ 0 and `0 < δ < 1`; for a cosine beyond 1; [`Error::Empty`] and
/// [`Error::NonFinite`] for the list of cosines.
pub fn at_scale(cosines: &[f64], scale: f64, delta: f64) -> Result<PacBayes> {
    check(cosines, delta)?;
    let mu = Enclosed::from(at_least_zero("scale", scale)?);
    let len = Enclosed::count(cosines.len() as u64);
    let mean = cosines.iter().map(|&c| normal_tail(mu * c)).sum::<Enclosed>() / len;
    let training = mean.at_most().clamp(0.0, 1.0);
    let room = (mu.squared().scaled(-1) + ((len + 1.0) / Enclosed::from(delta)).ln()) / len;
    let drawn = inverse(training, room);
    Ok(PacBayes { scale, training, drawn, bound: 2.0 * drawn })
}

/// The bound for the best `μ`.
///
/// ```
/// use lm_bounds::generalisation::pac_bayes;
///
/// let best = pac_bayes::best(&vec![0.5; 2000], 0.05)?;
/// assert!(best.bound < 0.08 && best.bound < pac_bayes::at_scale(&vec![0.5; 2000], 20.0, 0.05)?.bound);
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// As [`at_scale`].
pub fn best(cosines: &[f64], delta: f64) -> Result<PacBayes> {
    check(cosines, delta)?;
    let len = cosines.len() as f64;
    let confidence = ((len + 1.0) / delta).ln();
    let value = |ln_mu: f64| {
        let mu = ln_mu.exp();
        let mean = cosines.iter().map(|c| rough_tail(mu * c)).sum::<f64>() / len;
        rough_inverse(mean, (0.5 * mu * mu + confidence) / len)
    };
    // Beyond μ = √(2ℓ) the second term alone is 1.
    let ends = (0.01_f64.ln(), (2.0 * len).sqrt().max(1.0).ln());
    at_scale(cosines, least(ends, value).exp(), delta)
}

fn check(cosines: &[f64], delta: f64) -> Result<()> {
    all_finite("cosine", cosines)?;
    confidence(delta)?;
    match cosines.iter().find(|cosine| cosine.abs() > 1.0 + 1e-9) {
        Some(&value) => Err(Error::Setting { name: "cosine", value, accepted: "a number from −1 to 1" }),
        None => Ok(()),
    }
}

/// Where a function is least, if it has one valley: the best of a coarse grid, then the golden section around it.
fn least((low, high): (f64, f64), value: impl Fn(f64) -> f64) -> f64 {
    const GRID: usize = 16;
    let at = |k: usize| low + (high - low) * k as f64 / GRID as f64;
    let best = (0..=GRID).min_by(|&a, &b| value(at(a)).total_cmp(&value(at(b)))).unwrap_or(0);
    let (mut a, mut b) = (at(best.saturating_sub(1)), at((best + 1).min(GRID)));
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    for _ in 0..28 {
        let (c, d) = (b - GOLDEN * (b - a), a + GOLDEN * (b - a));
        if value(c) <= value(d) { b = d } else { a = c }
    }
    0.5 * (a + b)
}

/// `Φ̄(x)` to seven digits, for the search: Abramowitz & Stegun (1964), 7.1.26.
fn rough_tail(x: f64) -> f64 {
    let z = x.abs() * std::f64::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let series = t * (0.254_829_592 + t * (-0.284_496_736 + t * (1.421_413_741 + t * (-1.453_152_027 + t * 1.061_405_429))));
    let tail = 0.5 * series * (-z * z).exp();
    if x >= 0.0 { tail } else { 1.0 - tail }
}

/// `kl` inverted in `f64`, for the search.
fn rough_inverse(q: f64, c: f64) -> f64 {
    let kl = |p: f64| {
        let first = if q > 0.0 { q * (q / p).ln() } else { 0.0 };
        first + (1.0 - q) * ((1.0 - q) / (1.0 - p)).ln()
    };
    let (mut low, mut high) = (q, 1.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if kl(middle) > c { high = middle } else { low = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inversion_is_the_first_number_beyond() {
        for (q, c) in [(0.0, 0.01), (0.1, 0.0), (0.1, 0.05), (0.5, 1e-6), (0.9, 3.0), (1e-12, 0.2)] {
            let p = largest_mean(q, c).unwrap();
            assert!(p >= q && (p == 1.0 || divergence(q, p).at_most() > c), "{q} {c}: {p}");
            assert!(divergence(q, p.next_down()).at_least() <= c, "{q} {c}: {p}");
        }
        assert_eq!(largest_mean(1.0, 0.1).unwrap(), 1.0);
        assert!(largest_mean(1.1, 0.1).is_err() && largest_mean(0.1, f64::NAN).is_err());
    }

    #[test]
    fn the_best_scale_beats_a_grid() {
        let cosines: Vec<f64> = (0..300).map(|k| 0.05 + 0.002 * f64::from(k)).collect();
        let best = best(&cosines, 0.05).unwrap();
        for step in 1..80 {
            let other = at_scale(&cosines, 0.3 * f64::from(step), 0.05).unwrap();
            assert!(best.bound <= other.bound + 1e-6, "{best:?} {other:?}");
        }
    }

    #[test]
    fn a_cosine_beyond_one_is_refused() {
        assert!(matches!(best(&[0.1, 1.5], 0.1), Err(Error::Setting { name: "cosine", .. })));
        assert!(best(&[], 0.1).is_err() && best(&[f64::NAN], 0.1).is_err());
        // All on the wrong side: nothing is known.
        assert!(best(&[-1.0; 5], 0.1).unwrap().bound >= 1.0);
    }
}
