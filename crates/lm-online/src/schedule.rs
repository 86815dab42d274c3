//! Learning rates, as functions of the number of corrections made.
//!
//! A schedule gives `η(k)` for the k-th correction, `k = 1, 2, …`. Two properties decide whether the variable-increment
//! perceptron with a margin ends on separable data:
//!
//! ```text
//! Σ η(k) = ∞     and     Σ η(k)² / (Σ η(k))² → 0
//! ```
//!
//! Both are known for every schedule here: see [`Schedule::conditions`].
//!
//! Reference: Duda, Hart & Stork (2001), section 5.5.2, algorithm 5.

use lm_core::{Error, Result};

/// How the learning rate goes on from its first value.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Form {
    /// `η`.
    Constant,
    /// `η·kᵖ`.
    Power(f64),
    /// `η·rᵏ⁻¹`.
    Geometric(f64),
}

/// A learning rate `η(k) ≥ 0` for each correction `k = 1, 2, …`.
///
/// ```
/// use lm_online::Schedule;
///
/// let falling = Schedule::harmonic(0.5)?;
/// assert_eq!((falling.rate(1), falling.rate(5)), (0.5, 0.1));
/// assert!(falling.conditions().hold());
/// // 1 + ½ + ¼ + … stays below 2: a learner may run out of steps before it arrives.
/// assert!(!Schedule::geometric(1.0, 0.5)?.conditions().sum_diverges);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored", into = "Stored"))]
pub struct Schedule {
    first: f64,
    form: Form,
}

/// What is known of the sums of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conditions {
    /// `Σ η(k) = ∞`: no distance is out of reach.
    pub sum_diverges: bool,
    /// `Σ η(k)² / (Σ η(k))² → 0`: no single correction outweighs all others.
    pub squares_vanish: bool,
}

impl Conditions {
    /// Whether both hold, so that the variable-increment perceptron ends on separable data.
    pub fn hold(self) -> bool {
        self.sum_diverges && self.squares_vanish
    }
}

impl Schedule {
    /// `η(k) = 1`.
    pub const ONE: Self = Self { first: 1.0, form: Form::Constant };

    /// `η(k) = η`.
    ///
    /// # Errors
    /// [`Error::Setting`] unless `η` is finite and positive.
    pub fn constant(rate: f64) -> Result<Self> {
        Self { first: rate, form: Form::Constant }.checked()
    }

    /// `η(k) = η/k`.
    ///
    /// # Errors
    /// [`Error::Setting`] unless `η` is finite and positive.
    pub fn harmonic(rate: f64) -> Result<Self> {
        Self::power(rate, -1.0)
    }

    /// `η(k) = η·k`.
    ///
    /// # Errors
    /// [`Error::Setting`] unless `η` is finite and positive.
    pub fn growing(rate: f64) -> Result<Self> {
        Self::power(rate, 1.0)
    }

    /// `η(k) = η·kᵖ`.
    ///
    /// # Errors
    /// [`Error::Setting`] unless `η` is finite and positive and `p` lies between −8 and 8.
    pub fn power(rate: f64, exponent: f64) -> Result<Self> {
        Self { first: rate, form: Form::Power(exponent) }.checked()
    }

    /// `η(k) = η·rᵏ⁻¹`.
    ///
    /// # Errors
    /// [`Error::Setting`] unless `η` is finite and positive and `0 < r ≤ 2`.
    pub fn geometric(rate: f64, ratio: f64) -> Result<Self> {
        Self { first: rate, form: Form::Geometric(ratio) }.checked()
    }

    fn checked(self) -> Result<Self> {
        if !(self.first > 0.0 && self.first.is_finite()) {
            let accepted = "a finite number > 0";
            return Err(Error::Setting { name: "learning rate", value: self.first, accepted });
        }
        match self.form {
            Form::Power(p) if !(p.abs() <= 8.0) => Err(Error::Setting {
                name: "exponent of the schedule",
                value: p,
                accepted: "between -8 and 8",
            }),
            Form::Geometric(r) if !(r > 0.0 && r <= 2.0) => Err(Error::Setting {
                name: "ratio of the schedule",
                value: r,
                accepted: "above 0, at most 2",
            }),
            _ => Ok(self),
        }
    }

    /// `η(k)`; `k` counts from 1, and 0 is taken for 1. It may grow to infinity or fall to 0: learners check what they
    /// make of it.
    #[inline]
    pub fn rate(&self, k: u64) -> f64 {
        let k = k.max(1);
        match self.form {
            Form::Constant => self.first,
            // A division rounds once, where a power rounds twice.
            Form::Power(-1.0) => self.first / k as f64,
            Form::Power(p) => self.first * (k as f64).powf(p),
            Form::Geometric(r) => self.first * r.powf((k - 1) as f64),
        }
    }

    /// `η(k)/η`: the same whatever the unit of the rate is.
    #[inline]
    pub(crate) fn relative(&self, k: u64) -> f64 {
        Self { first: 1.0, ..*self }.rate(k)
    }

    /// Whether every correction has the same rate.
    pub fn is_constant(&self) -> bool {
        matches!(self.form, Form::Constant | Form::Power(0.0) | Form::Geometric(1.0))
    }

    /// Which of the conditions for convergence hold.
    pub fn conditions(&self) -> Conditions {
        match self.form {
            Form::Constant => Conditions { sum_diverges: true, squares_vanish: true },
            // Σ kᵖ has a limit for p < −1, and with it the ratio of the sums. Otherwise Σ k²ᵖ grows by a factor of m
            // (of m/ln m at p = −½, of (ln m)² at p = −1) less than (Σ kᵖ)².
            Form::Power(p) => Conditions { sum_diverges: p >= -1.0, squares_vanish: p >= -1.0 },
            // Both sums are those of geometric series: their ratio tends to |1 − r|/(1 + r).
            Form::Geometric(r) => Conditions { sum_diverges: r >= 1.0, squares_vanish: r == 1.0 },
        }
    }
}

/// A schedule as it is kept: every decoder validates.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Stored {
    first: f64,
    form: Form,
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for Schedule {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self> {
        Self { first: stored.first, form: stored.form }.checked()
    }
}

#[cfg(feature = "serde")]
impl From<Schedule> for Stored {
    fn from(schedule: Schedule) -> Self {
        Self { first: schedule.first, form: schedule.form }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_those_of_their_formulas() {
        let rates = |schedule: Result<Schedule>| [1, 2, 4].map(|k| schedule.unwrap().rate(k));
        assert_eq!(rates(Schedule::constant(0.3)), [0.3; 3]);
        assert_eq!(rates(Schedule::harmonic(1.0)), [1.0, 0.5, 0.25]);
        assert_eq!(rates(Schedule::growing(2.0)), [2.0, 4.0, 8.0]);
        assert_eq!(rates(Schedule::power(1.0, -2.0)), [1.0, 0.25, 0.0625]);
        assert_eq!(rates(Schedule::geometric(1.0, 0.5)), [1.0, 0.5, 0.125]);
    }

    #[test]
    fn the_conditions_are_what_the_sums_show() {
        for p in [-2.0, -1.5, -1.0, -0.5, 0.0, 1.0] {
            check(Schedule::power(1.0, p).unwrap());
        }
        for r in [0.5, 0.9, 1.0, 1.1, 1.5] {
            check(Schedule::geometric(1.0, r).unwrap());
        }
    }

    /// Sums over 600 and 6000 terms: a sum that diverges still grows, a ratio that vanishes still falls.
    fn check(schedule: Schedule) {
        let sums = |terms: u64| {
            let rates = (1..=terms).map(|k| schedule.rate(k));
            rates.fold((0.0, 0.0), |(sum, squares), rate| (sum + rate, squares + rate * rate))
        };
        let (few, many) = (sums(600), sums(6000));
        let found = schedule.conditions();
        // Where the rates outgrow the numbers, the sum has certainly grown.
        let grows = !many.0.is_finite() || many.0 > 1.2 * few.0;
        assert_eq!(found.sum_diverges, grows, "{schedule:?}");
        let ratio = |(sum, squares): (f64, f64)| squares / (sum * sum);
        let falls = many.0.is_finite() && ratio(many) < 0.9 * ratio(few);
        assert_eq!(found.squares_vanish, falls, "{schedule:?}");
    }

    #[test]
    fn settings_outside_their_domain_are_refused_by_name() {
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(Schedule::constant(rate), Err(Error::Setting { name: "learning rate", .. })));
        }
        assert!(Schedule::power(1.0, f64::NAN).is_err());
        assert!(Schedule::geometric(1.0, 0.0).is_err());
        assert!(Schedule::geometric(1.0, 2.5).is_err());
    }
}
