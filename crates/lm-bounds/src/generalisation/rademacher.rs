//! Margin bounds by Rademacher complexity.
//!
//! Functions `⟨w·x⟩` with `‖w‖ ≤ 1` in the space of a kernel have on a sample the empirical Rademacher complexity
//!
//! ```text
//! E sup_w (1/ℓ) Σ σᵢ⟨w·xᵢ⟩ = E ‖Σ σᵢxᵢ‖/ℓ ≤ √(Σ K(xᵢ, xᵢ))/ℓ ,    at most R/√ℓ .
//! ```
//!
//! For a margin `γ` that is fixed beforehand, all these functions together have errors of at most
//!
//! ```text
//! (1/ℓ) Σ min(1, ξᵢ/γ) + (2/γ)·√(Σ K(xᵢ, xᵢ))/ℓ + 3√(ln(2/δ)/(2ℓ)) .
//! ```
//!
//! The first term is at most `‖ξ‖₁/(ℓγ)`: this is the bound by the 1-norm of the slacks, with its constants. A bias is the weight of a constant
//! attribute, which counts in trace, norm and margin.
//!
//! Reference: Bartlett & Mendelson (2002); Koltchinskii & Panchenko (2002); Mohri, Rostamizadeh & Talwalkar (2018), Theorems 5.8 and 6.12.

use lm_core::Result;

use super::{deviation, share};
use crate::domain::{all_finite, at_least_zero, confidence, examples, positive};
use crate::outward::Enclosed;

/// `√(Σ K(xᵢ, xᵢ))/ℓ`, rounded up: a bound on the complexity of unit functions in the space of a kernel.
///
/// # Errors
/// [`Error::Setting`](lm_core::Error::Setting) for no examples, or unless the trace is a finite number ≥ 0.
pub fn of_kernel(trace: f64, len: u64) -> Result<f64> {
    Ok(complexity(trace, len)?.at_most())
}

/// `R/√ℓ`, rounded up: the same from the radius alone.
///
/// # Errors
/// [`Error::Setting`](lm_core::Error::Setting) for no examples, or unless the radius is a finite number ≥ 0.
pub fn of_ball(radius: f64, len: u64) -> Result<f64> {
    let radius = Enclosed::from(at_least_zero("radius", radius)?);
    Ok((radius / Enclosed::count(examples(len)?).sqrt()).at_most())
}

fn complexity(trace: f64, len: u64) -> Result<Enclosed> {
    Ok(Enclosed::from(at_least_zero("trace", trace)?).sqrt() / Enclosed::count(examples(len)?))
}

/// The bound for a margin that is fixed beforehand, from the geometric margins of all examples.
///
/// ```
/// use lm_bounds::generalisation::rademacher;
///
/// let margins = vec![0.5; 10_000];
/// let bound = rademacher::fixed(&margins, 0.5, 10_000.0, 0.05)?;
/// assert!((bound - (0.04 + 3.0 * (40.0_f64.ln() / 20_000.0).sqrt())).abs() < 1e-15);
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`](lm_core::Error::Setting) unless the margin is a finite number > 0, the trace one ≥ 0 and `0 < δ < 1`;
/// [`Error::Empty`](lm_core::Error::Empty) and [`Error::NonFinite`](lm_core::Error::NonFinite) for the margins.
pub fn fixed(margins: &[f64], margin: f64, trace: f64, delta: f64) -> Result<f64> {
    all_finite("margin", margins)?;
    let delta = Enclosed::from(confidence(delta)?);
    let complexity = complexity(trace, margins.len() as u64)?;
    Ok(theorem(margins, Enclosed::from(positive("margin", margin)?), complexity, delta).at_most())
}

/// The least of the bounds for the margins `R, R/2, R/4, …`, which hold together: the margin is the one that suits the data. The radius
/// must be fixed beforehand too.
///
/// # Errors
/// As [`fixed`]; also unless the radius is a finite number > 0.
pub fn observed(margins: &[f64], radius: f64, trace: f64, delta: f64) -> Result<f64> {
    all_finite("margin", margins)?;
    let radius = Enclosed::from(positive("radius", radius)?);
    confidence(delta)?;
    let complexity = complexity(trace, margins.len() as u64)?;
    let mut least = f64::INFINITY;
    for stratum in 0..100 {
        let margin = radius.scaled(-(stratum as i32));
        // Smaller margins only have a larger second term.
        if (complexity.scaled(1) / margin).at_least() >= least {
            break;
        }
        least = least.min(theorem(margins, margin, complexity, share(delta, stratum)).at_most());
    }
    Ok(least)
}

fn theorem(margins: &[f64], margin: Enclosed, complexity: Enclosed, delta: Enclosed) -> Enclosed {
    let len = margins.len() as u64;
    let ramp = |value: f64| {
        let short = margin - value;
        if short.at_most() <= 0.0 {
            return Enclosed::ZERO;
        }
        if value <= 0.0 { Enclosed::from(1.0) } else { (short / margin).max(Enclosed::ZERO) }
    };
    let loss = margins.iter().map(|&value| ramp(value)).sum::<Enclosed>() / Enclosed::count(len);
    loss + complexity.scaled(1) / margin + deviation(2.0, delta, len) * 3.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_margins_never_hurt() {
        let base: Vec<f64> = (0..200).map(|k| f64::from(k) * 0.01 - 0.3).collect();
        let mut last = f64::INFINITY;
        for shift in 0..50 {
            let moved: Vec<f64> = base.iter().map(|m| m + 0.02 * f64::from(shift)).collect();
            let bound = fixed(&moved, 0.5, 200.0, 0.05).unwrap();
            assert!(bound <= last);
            last = bound;
            assert!(observed(&moved, 1.0, 200.0, 0.05).unwrap() > 0.0);
        }
    }

    #[test]
    fn the_trace_is_at_most_the_ball() {
        assert!(of_kernel(50.0, 100).unwrap() < of_ball(1.0, 100).unwrap());
        assert_eq!(of_ball(1.0, 100).unwrap(), 0.1);
        assert!(fixed(&[], 1.0, 1.0, 0.1).is_err() && fixed(&[1.0], -1.0, 1.0, 0.1).is_err());
    }
}
