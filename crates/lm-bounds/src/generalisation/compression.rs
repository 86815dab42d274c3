//! The compression bound: few examples that suffice to rebuild a hypothesis.
//!
//! If a hypothesis can be rebuilt from `d` of `ℓ` examples, the others are a test set that did not take part. There are `(ℓ over d)`
//! choices of `d` examples and `ℓ` values of `d`, so the confidence of each is `δ/(ℓ·(ℓ over d))`. For a machine with a margin the `d`
//! examples are its support vectors.
//!
//! Reference: Littlestone & Warmuth (1986); Floyd & Warmuth (1995); Cristianini & Shawe-Taylor (2000), Theorems 4.25 and 6.8; Langford
//! (2005), section 5, for the form with errors.

use lm_core::Result;

use crate::binomial::largest_with_tail;
use crate::domain::{confidence, examples, part};
use crate::outward::{Enclosed, ln_binomial};

/// Theorem 6.8: `(d·ln(eℓ/d) + ln(ℓ/δ))/(ℓ − d)`, for a hypothesis without a training error. Infinite where all examples are needed.
///
/// ```
/// use lm_bounds::generalisation::compression;
///
/// let (stated, sharper) = (compression::stated(1000, 10, 0.05)?, compression::consistent(1000, 10, 0.05)?);
/// assert!(stated > 0.066 && stated < 0.067 && sharper < 0.063);
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`](lm_core::Error::Setting) for no examples, more support vectors than examples, or unless `0 < δ < 1`.
pub fn stated(len: u64, support: u64, delta: f64) -> Result<f64> {
    let rest = checked(len, support, delta)?;
    let (all, kept) = (Enclosed::count(len), Enclosed::count(support));
    let choices = if support == 0 { Enclosed::ZERO } else { kept * ((all / kept).ln() + 1.0) };
    Ok(((choices + (all / Enclosed::from(delta)).ln()) / Enclosed::count(rest)).at_most())
}

/// The same argument without its estimates: `1 − (δ/(ℓ·(ℓ over d)))^(1/(ℓ − d))`.
///
/// # Errors
/// As [`stated`].
pub fn consistent(len: u64, support: u64, delta: f64) -> Result<f64> {
    let rest = checked(len, support, delta)?;
    let Some(choices) = ln_binomial(len, support) else { return Ok(f64::INFINITY) };
    let exponent = (choices + (Enclosed::count(len) / Enclosed::from(delta)).ln()) / Enclosed::count(rest);
    Ok((-(-exponent).exp_m1()).at_most().min(if rest == 0 { f64::INFINITY } else { 1.0 }))
}

/// For a hypothesis with `errors` errors on the `ℓ − d` examples that it is not rebuilt from: the inversion of the binomial tail at
/// the confidence `δ/(ℓ·(ℓ over d))`.
///
/// # Errors
/// As [`stated`]; also for more errors than examples that are left.
pub fn with_errors(len: u64, support: u64, errors: u64, delta: f64) -> Result<f64> {
    let rest = checked(len, support, delta)?;
    part("errors beside the support vectors", errors, rest)?;
    let Some(choices) = ln_binomial(len, support).filter(|_| rest > 0) else { return Ok(f64::INFINITY) };
    let share = (Enclosed::from(delta) / Enclosed::count(len)).ln() - choices;
    largest_with_tail(errors, rest, share)
}

/// The examples that are left.
fn checked(len: u64, support: u64, delta: f64) -> Result<u64> {
    confidence(delta)?;
    Ok(examples(len)? - part("support vectors", support, len)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sharper_form_is_sharper_and_grows_with_the_support() {
        for len in [10, 100, 5000] {
            let mut last = 0.0;
            for support in 0..len.min(200) {
                let (loose, sharp) =
                    (stated(len, support, 0.05).unwrap(), consistent(len, support, 0.05).unwrap());
                assert!(sharp <= loose && sharp >= last, "{len} {support}");
                let none = with_errors(len, support, 0, 0.05).unwrap();
                assert!((none - sharp).abs() <= 1e-14, "{len} {support}: {none} {sharp}");
                last = sharp;
            }
        }
    }

    #[test]
    fn nothing_is_said_where_all_examples_are_needed() {
        assert_eq!(stated(5, 5, 0.1).unwrap(), f64::INFINITY);
        assert_eq!(consistent(5, 5, 0.1).unwrap(), f64::INFINITY);
        assert_eq!(with_errors(5, 5, 0, 0.1).unwrap(), f64::INFINITY);
        assert!(with_errors(5000, 2500, 10, 0.1).unwrap() < 1.0);
        assert!(stated(5, 6, 0.1).is_err() && with_errors(5, 2, 4, 0.1).is_err());
    }
}
