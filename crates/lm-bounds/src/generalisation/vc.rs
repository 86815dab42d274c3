//! Bounds by the dimension of Vapnik and Chervonenkis: `n + 1` for hyperplanes with a bias over `n` attributes.
//!
//! They hold for any hypothesis of a class of dimension `d ≤ ℓ`, however it was found, and know nothing of margins.
//!
//! Reference: Vapnik (1995), section 3.7; Cristianini & Shawe-Taylor (2000), Theorem 4.1, whose logarithms are to the base 2.

use lm_core::Result;

use crate::domain::{confidence, examples, part};
use crate::outward::Enclosed;

/// `(2/ℓ)(d·log₂(2eℓ/d) + log₂(2/δ))`, for a hypothesis without a training error.
///
/// ```
/// use lm_bounds::generalisation::vc;
///
/// // A line in the plane: d = 3. The bound says something from some hundred examples on.
/// assert!(vc::consistent(100, 3, 0.05)? > 0.5 && vc::consistent(10_000, 3, 0.05)? < 0.01);
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`](lm_core::Error::Setting) unless `1 ≤ d ≤ ℓ` and `0 < δ < 1`.
pub fn consistent(len: u64, dimension: u64, delta: f64) -> Result<f64> {
    let (len, dimension) = checked(len, dimension, delta)?;
    let choices = dimension * ((len / dimension).scaled(1).log2() + (one() / Enclosed::from(2.0).ln()));
    let confidence = (Enclosed::from(2.0) / Enclosed::from(delta)).log2();
    Ok(((choices + confidence).scaled(1) / len).at_most())
}

/// `k/ℓ + √((d(ln(2ℓ/d) + 1) + ln(4/δ))/ℓ)`, for a hypothesis with `k` training errors.
///
/// # Errors
/// As [`consistent`]; also for more errors than examples.
pub fn additive(len: u64, errors: u64, dimension: u64, delta: f64) -> Result<f64> {
    let share = Enclosed::count(part("training errors", errors, len)?) / Enclosed::count(examples(len)?);
    Ok((share + capacity(len, dimension, delta)?.sqrt()).at_most())
}

/// `e + (E/2)(1 + √(1 + 4e/E))` with `e = k/ℓ` and `E` four times what is under the root of [`additive`]: better where there are few
/// training errors.
///
/// # Errors
/// As [`additive`].
pub fn relative(len: u64, errors: u64, dimension: u64, delta: f64) -> Result<f64> {
    let share = Enclosed::count(part("training errors", errors, len)?) / Enclosed::count(examples(len)?);
    let room = capacity(len, dimension, delta)?.scaled(2);
    let root = ((share / room).scaled(2) + 1.0).sqrt();
    Ok((share + room.scaled(-1) * (root + 1.0)).at_most())
}

/// `(d(ln(2ℓ/d) + 1) + ln(4/δ))/ℓ`.
fn capacity(len: u64, dimension: u64, delta: f64) -> Result<Enclosed> {
    let (len, dimension) = checked(len, dimension, delta)?;
    let choices = dimension * ((len / dimension).scaled(1).ln() + 1.0);
    Ok((choices + (Enclosed::from(4.0) / Enclosed::from(delta)).ln()) / len)
}

fn one() -> Enclosed {
    Enclosed::from(1.0)
}

fn checked(len: u64, dimension: u64, delta: f64) -> Result<(Enclosed, Enclosed)> {
    confidence(delta)?;
    examples(len)?;
    if dimension == 0 || dimension > len {
        let accepted = "a whole number from 1 to the number of examples";
        return Err(lm_core::Error::Setting { name: "dimension", value: dimension as f64, accepted });
    }
    Ok((Enclosed::count(len), Enclosed::count(dimension)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_errors_and_more_dimensions_never_help() {
        for errors in 0..50 {
            for dimension in 1..20 {
                let at = |k, d| (additive(1000, k, d, 0.1).unwrap(), relative(1000, k, d, 0.1).unwrap());
                let (here, more, wider) =
                    (at(errors, dimension), at(errors + 1, dimension), at(errors, dimension + 1));
                assert!(here.0 < more.0 && here.1 < more.1 && here.0 < wider.0 && here.1 < wider.1);
            }
        }
    }

    #[test]
    fn arguments_outside_their_domain_are_refused() {
        assert!(consistent(10, 0, 0.1).is_err() && consistent(10, 11, 0.1).is_err());
        assert!(additive(10, 11, 2, 0.1).is_err() && relative(0, 0, 1, 0.1).is_err());
    }
}
