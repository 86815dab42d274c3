//! The error on new examples, from the errors on examples that were held out.
//!
//! The number of errors on `m` held-out examples is binomial, so the inversion of its tail ([`crate::binomial`]) gives the largest error
//! that is compatible with what was seen. Nothing can be better at confidence `1 − δ` for one hypothesis.

use lm_core::Result;

use super::deviation;
use crate::binomial::{largest_probability, smallest_probability};
use crate::domain::{confidence, examples, part};
use crate::outward::Enclosed;

/// The error is at most this, by the inversion of the binomial tail.
///
/// ```
/// use lm_bounds::generalisation::test_set;
///
/// // 3 errors on 100 held-out examples, at 95 %.
/// let (low, high) = (test_set::at_least(3, 100, 0.05)?, test_set::at_most(3, 100, 0.05)?);
/// assert!(low > 0.008 && high < 0.076);
/// assert!(high < test_set::hoeffding(3, 100, 0.05)?);
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`](lm_core::Error::Setting) for no examples, more errors than examples, or unless `0 < δ < 1`.
pub fn at_most(errors: u64, size: u64, delta: f64) -> Result<f64> {
    largest_probability(errors, size, delta)
}

/// The error is at least this, rounded down.
///
/// # Errors
/// As [`at_most`].
pub fn at_least(errors: u64, size: u64, delta: f64) -> Result<f64> {
    smallest_probability(errors, size, delta)
}

/// Hoeffding's bound `k/m + √(ln(1/δ)/(2m))`, which needs no table and is never better.
///
/// # Errors
/// As [`at_most`].
pub fn hoeffding(errors: u64, size: u64, delta: f64) -> Result<f64> {
    let delta = Enclosed::from(confidence(delta)?);
    let share = Enclosed::count(part("errors", errors, examples(size)?)?) / Enclosed::count(size);
    Ok((share + deviation(1.0, delta, size)).at_most())
}
