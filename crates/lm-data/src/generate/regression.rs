//! A curve with noise, for regression.

use lm_core::{Dense, Error, Result, Targets};

use super::{check_at_least, check_spread, room};
use crate::Labelled;
use crate::random::Random;

/// `sin(πx) / (πx)`, and 1 at 0.
///
/// ```
/// use lm_data::generate::sinc_value;
///
/// assert_eq!(sinc_value(0.0), 1.0);
/// assert!((sinc_value(0.5) - 2.0 / std::f64::consts::PI).abs() < 1e-15);
/// ```
pub fn sinc_value(x: f64) -> f64 {
    let t = std::f64::consts::PI * x;
    if t == 0.0 { 1.0 } else { t.sin() / t }
}

/// Points `x` uniform between −`range` and `range`, in increasing order, with targets [`sinc_value`]`(x)` plus normal
/// noise.
///
/// ```
/// use lm_data::generate::{sinc, sinc_value};
///
/// let data = sinc(50, 4.0, 0.0, 1)?;
/// for (row, &target) in data.labels.values().iter().enumerate() {
///     assert_eq!(target, sinc_value(data.examples.slice(row)[0]));
/// }
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`] without points, for a range that is not a finite number > 0, or a noise that is not a finite
/// number ≥ 0.
pub fn sinc(len: usize, range: f64, noise: f64, seed: u64) -> Result<Labelled<Dense<'static>, Targets>> {
    check_at_least("len", len, 1, "1 or more points")?;
    room(len, 2)?;
    check_spread("noise", noise)?;
    if !(range > 0.0 && range <= 1e300) {
        return Err(Error::Setting { name: "range", value: range, accepted: "a number > 0, at most 1e300" });
    }
    let mut random = Random::new(seed);
    let mut points: Vec<f64> = (0..len).map(|_| random.between(-range, range)).collect();
    points.sort_unstable_by(f64::total_cmp);
    let targets = points.iter().map(|&x| sinc_value(x) + noise * random.normal()).collect();
    Ok(Labelled { examples: Dense::new(points, len, 1)?, labels: Targets::new(targets)? })
}
