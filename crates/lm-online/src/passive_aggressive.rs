//! Passive–aggressive learning: the smallest change that makes an example right.
//!
//! # Problem
//! ```text
//! w ← argmin ½‖w' − w‖²  subject to  y(⟨w'·x⟩ + b') ≥ 1                        PA
//!     argmin ½‖w' − w‖² + C·ξ   with   y(⟨w'·x⟩ + b') ≥ 1 − ξ, ξ ≥ 0           PA-I
//!     argmin ½‖w' − w‖² + C·ξ²  with   y(⟨w'·x⟩ + b') ≥ 1 − ξ                  PA-II
//! ```
//! # Method
//! All three have the solution `w' = w + τ·y·x`, with the loss `ℓ = 1 − y s` of the score `s = ⟨w·x⟩ + b` and
//!
//! ```text
//! τ = ℓ/(‖x‖² + β)      τ = min(C, ℓ/(‖x‖² + β))      τ = ℓ/(‖x‖² + β + 1/(2C))
//! ```
//!
//! where `ℓ > 0`; otherwise nothing changes. Passes end when no loss exceeds the tolerance.
//! # Cost
//! An inner product for each visit, a norm and an addition of an example for each correction.
//! # Reference
//! Crammer, Dekel, Keshet, Shalev-Shwartz & Singer (2006), Figure 1.

use lm_core::{Error, Result, Sign};

use crate::Bias;
use crate::rule::{Meeting, Rule};
use crate::words::{Walk, check_tolerance, fit_by_rule, kind, setters};

/// How far a correction may go.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Aggressiveness {
    /// As far as it takes (PA). Meant for data that can be separated.
    Unbounded,
    /// By a factor of at most `C` (PA-I).
    Capped(f64),
    /// Against a price of `C` for the square of what is left (PA-II).
    Damped(f64),
}

/// The settings of passive–aggressive learning.
///
/// ```
/// use lm_core::{BinaryLabels, Certificate, Dense, Hypothesis, Learner, TrainingSet};
/// use lm_online::{Aggressiveness, PassiveAggressive};
///
/// let examples = Dense::new(vec![2.0, 1.0, 1.0, 2.0, -1.0, -2.0, -2.0, 0.0], 4, 2)?;
/// let labels = BinaryLabels::from_integers(&[1, 1, -1, -1])?;
/// let learner = PassiveAggressive::default().with_aggressiveness(Aggressiveness::Unbounded);
/// let fit = learner.fit(&examples, &labels)?.converged()?;
/// let values = fit.model.decision_values(&examples)?;
/// assert!(values.iter().zip(labels.values()).all(|(value, y)| y * value > 0.99));
/// assert!(fit.certificate.verify(&TrainingSet::new(&examples, &labels)?)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PassiveAggressive {
    walk: Walk,
    aggressiveness: Aggressiveness,
    tolerance: f64,
}

impl Default for PassiveAggressive {
    fn default() -> Self {
        let walk = Walk::new(1_000, Bias::Standard);
        Self { walk, aggressiveness: Aggressiveness::Capped(1.0), tolerance: 1e-2 }
    }
}

impl PassiveAggressive {
    setters! {
        passes = "1000", order, bias = "Standard", radius,
        tolerance = "The loss up to which an example counts as right. At least 0, below 1; default 0.01. With 0, the rule of the paper, a run over a set approaches its goal without reaching it.",
    }

    /// How far a correction may go. Default: by a factor of at most 1.
    #[must_use]
    pub fn with_aggressiveness(self, aggressiveness: Aggressiveness) -> Self {
        Self { aggressiveness, ..self }
    }

    fn validate(&self) -> Result<()> {
        self.walk.validate()?;
        self.rule().checked().map(drop)
    }

    fn rule(&self) -> PassiveAggressiveRule {
        PassiveAggressiveRule { aggressiveness: self.aggressiveness, tolerance: self.tolerance }
    }
}

fit_by_rule!(PassiveAggressive, PassiveAggressiveRule);

/// The rule of passive–aggressive learning: `a = τ·y` where the loss `1 − y·s` exceeds the tolerance.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored"))]
pub struct PassiveAggressiveRule {
    aggressiveness: Aggressiveness,
    tolerance: f64,
}

impl PassiveAggressiveRule {
    fn checked(self) -> Result<Self> {
        check_tolerance(self.tolerance)?;
        match self.aggressiveness {
            Aggressiveness::Capped(c) | Aggressiveness::Damped(c) if !(c > 0.0 && c.is_finite()) => {
                Err(Error::Setting { name: "C", value: c, accepted: "a finite number > 0" })
            }
            _ => Ok(self),
        }
    }
}

impl Rule for PassiveAggressiveRule {
    type Label = Sign;
    const USES_NORM: bool = true;

    #[inline]
    fn margin(&self) -> f64 {
        1.0 - self.tolerance
    }

    #[inline]
    fn factor(&self, meeting: &Meeting) -> f64 {
        let (label, norm_squared) = (meeting.label, meeting.norm_squared);
        // Rounding may see a loss where there is none.
        let loss = (1.0 - label * meeting.score).max(0.0);
        let step = match self.aggressiveness {
            // An example of zeros cannot be made right.
            Aggressiveness::Unbounded | Aggressiveness::Capped(_) if norm_squared == 0.0 => 0.0,
            Aggressiveness::Unbounded => loss / norm_squared,
            Aggressiveness::Capped(c) => c.min(loss / norm_squared),
            Aggressiveness::Damped(c) => loss / (norm_squared + 0.5 / c),
        };
        label * step
    }
}

/// What a decoder reads before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Stored {
    aggressiveness: Aggressiveness,
    tolerance: f64,
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for PassiveAggressiveRule {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self> {
        let Stored { aggressiveness, tolerance } = stored;
        Self { aggressiveness, tolerance }.checked()
    }
}

kind!(PassiveAggressiveRule, "passive-aggressive-rule");

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::{BinaryLabels, Dense, Examples, Learner};

    #[test]
    fn each_variant_goes_as_far_as_its_formula_says() {
        let examples = Dense::new(vec![3.0, 4.0], 1, 2).unwrap();
        // ‖x‖² + β = 26, and the loss at the start is 1.
        for (aggressiveness, factor) in [
            (Aggressiveness::Unbounded, 1.0 / 26.0),
            (Aggressiveness::Capped(0.01), 0.01),
            (Aggressiveness::Capped(10.0), 1.0 / 26.0),
            (Aggressiveness::Damped(0.25), 1.0 / 28.0),
        ] {
            let mut live = PassiveAggressive::default().with_aggressiveness(aggressiveness).live(2).unwrap();
            live.learn_one(&examples.row(0), Sign::Negative).unwrap();
            let model = live.model().unwrap();
            assert_eq!((model.weights()[0], model.bias()), (-3.0 * factor, -factor), "{aggressiveness:?}");
            let again = live.learn_one(&examples.row(0), Sign::Negative).unwrap();
            let right = matches!(aggressiveness, Aggressiveness::Unbounded | Aggressiveness::Capped(10.0));
            assert_eq!(again.corrected, !right);
        }
    }

    #[test]
    fn settings_outside_their_domain_are_refused_by_name() {
        let examples = Dense::new(vec![1.0, -2.0], 2, 1).unwrap();
        let labels = BinaryLabels::from_integers(&[1, -1]).unwrap();
        let refused = |settings: PassiveAggressive| match settings.fit(&examples, &labels) {
            Err(Error::Setting { name, .. }) => name,
            other => panic!("{other:?}"),
        };
        for c in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            for aggressiveness in [Aggressiveness::Capped(c), Aggressiveness::Damped(c)] {
                assert_eq!(refused(PassiveAggressive::default().with_aggressiveness(aggressiveness)), "C");
            }
        }
        assert_eq!(refused(PassiveAggressive::default().with_tolerance(1.0)), "tolerance");
    }
}
