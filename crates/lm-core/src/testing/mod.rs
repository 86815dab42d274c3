//! Helpers for tests: a conformance suite for learners, a comparison of numbers, and a small random generator.
//!
//! Nothing here is used by the library itself. The feature `testing` is meant for `[dev-dependencies]`.

pub mod conformance;
mod split_mix;

pub use split_mix::SplitMix64;

/// Whether two numbers are equal up to a relative error, or up to an absolute one near zero:
/// `|a − b| ≤ max(relative·max(|a|, |b|), absolute)`. NaN is close to nothing, an infinity only to itself.
///
/// ```
/// use lm_core::testing::close;
///
/// assert!(close(1e10, 1e10 + 1.0, 1e-9, 0.0));
/// assert!(!close(1.0, 1.1, 1e-9, 1e-3));
/// assert!(!close(f64::NAN, f64::NAN, 1.0, 1.0));
/// ```
pub fn close(a: f64, b: f64, relative: f64, absolute: f64) -> bool {
    a == b || (a - b).abs() <= (relative * a.abs().max(b.abs())).max(absolute) && (a - b).is_finite()
}
