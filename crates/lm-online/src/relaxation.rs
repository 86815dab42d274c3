//! Single-sample relaxation: move a share of the way to the hyperplane of an example.
//!
//! # Problem
//! ```text
//! find w and b with  yᵢ (⟨w·xᵢ⟩ + b) ≥ m  for every i,  with a margin m > 0
//! ```
//! # Method
//! In the space of weights, an example asks for one side of the hyperplane `y(⟨w·x⟩ + b) = m`. Where it does not have it,
//! move by `η` times the distance to it:
//!
//! ```text
//! w ← w + η(k)·y·(m − y s)/(‖x‖² + β)·x ,   b ← b + η(k)·y·(m − y s)/(‖x‖² + β)·β ,   s = ⟨w·x⟩ + b
//! ```
//!
//! The residual of that example becomes `(1 − η)` times what it was: `η < 1` is under-relaxation, `η = 1` goes onto the
//! hyperplane, `1 < η < 2` is over-relaxation and goes beyond it. An example within a share of the margin (the tolerance)
//! counts as right, so that runs end for all of these on separable data.
//! # Cost
//! An inner product for each visit, a norm and an addition of an example for each correction. Each correction brings the
//! weights nearer to every solution, so they stay bounded; on data that cannot be separated the run ends with its budget.
//! # Reference
//! Agmon (1954); Motzkin & Schoenberg (1954); Duda, Hart & Stork (2001), §5.6, algorithm 9 and equation 35.

use lm_core::{Error, Result, Sign};

use crate::rule::{Meeting, Rule};
use crate::words::{Walk, check_tolerance, fit_by_rule, kind, setters};
use crate::{Bias, Schedule};

/// The settings of single-sample relaxation.
///
/// ```
/// use lm_core::{BinaryLabels, Certificate, Dense, Hypothesis, Learner, TrainingSet};
/// use lm_online::{Relaxation, Schedule};
///
/// let examples = Dense::new(vec![2.0, 1.0, 1.0, 2.0, -1.0, -2.0, -2.0, 0.0], 4, 2)?;
/// let labels = BinaryLabels::from_integers(&[1, 1, -1, -1])?;
/// for rate in [0.5, 1.0, 1.9] {
///     let learner = Relaxation::default().with_schedule(Schedule::constant(rate)?);
///     let fit = learner.fit(&examples, &labels)?.converged()?;
///     let values = fit.model.decision_values(&examples)?;
///     assert!(values.iter().zip(labels.values()).all(|(value, y)| y * value > 0.99));
///     assert!(fit.certificate.verify(&TrainingSet::new(&examples, &labels)?)?.is_valid());
/// }
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Relaxation {
    walk: Walk,
    schedule: Schedule,
    margin: f64,
    tolerance: f64,
}

impl Default for Relaxation {
    fn default() -> Self {
        let (walk, schedule) = (Walk::new(1_000, Bias::Standard), Schedule::ONE);
        Self { walk, schedule, margin: 1.0, tolerance: 1e-2 }
    }
}

impl Relaxation {
    setters! {
        passes = "1000", order, bias = "Standard", radius,
        schedule = "a constant 1, exact relaxation. At most 2 in every correction",
        margin = "Above 0; default 1. Towards a margin of 0 all weights would stay 0.",
        tolerance = "The share of the margin by which an example may fall short and still count as right. At least 0, below 1; default 0.01. With 0 and a rate of at most 1 a run approaches its goal without reaching it.",
    }

    fn validate(&self) -> Result<()> {
        self.walk.validate()?;
        self.rule().checked().map(drop)
    }

    fn rule(&self) -> RelaxationRule {
        RelaxationRule { schedule: self.schedule, margin: self.margin, tolerance: self.tolerance }
    }
}

fit_by_rule!(Relaxation, RelaxationRule);

/// The rule of relaxation: `a = η(k)·y·(m − y s)/(‖x‖² + β)` where `y·s` falls short of the margin `m`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored"))]
pub struct RelaxationRule {
    schedule: Schedule,
    margin: f64,
    tolerance: f64,
}

impl RelaxationRule {
    fn checked(self) -> Result<Self> {
        if !(self.margin > 0.0 && self.margin.is_finite()) {
            return Err(Error::Setting {
                name: "margin",
                value: self.margin,
                accepted: "a finite number > 0",
            });
        }
        check_tolerance(self.tolerance)?;
        let largest = self.schedule.rate(1).max(self.schedule.rate(1) * self.schedule.relative(1 << 20));
        if largest <= 2.0 {
            return Ok(self);
        }
        Err(Error::Setting {
            name: "schedule",
            value: largest,
            accepted: "rates of at most 2 in every correction",
        })
    }
}

impl Rule for RelaxationRule {
    type Label = Sign;
    const USES_NORM: bool = true;

    #[inline]
    fn margin(&self) -> f64 {
        self.margin * (1.0 - self.tolerance)
    }

    #[inline]
    fn factor(&self, meeting: &Meeting) -> f64 {
        let Meeting { score, label, norm_squared, correction } = *meeting;
        // An example of zeros has no hyperplane to go to.
        if norm_squared == 0.0 {
            return 0.0;
        }
        self.schedule.rate(correction) * label * (self.margin - label * score) / norm_squared
    }
}

/// What a decoder reads before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Stored {
    schedule: Schedule,
    margin: f64,
    tolerance: f64,
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for RelaxationRule {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self> {
        let Stored { schedule, margin, tolerance } = stored;
        Self { schedule, margin, tolerance }.checked()
    }
}

kind!(RelaxationRule, "relaxation-rule");

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::{BinaryLabels, Dense, Examples, Learner};

    #[test]
    fn the_residual_shrinks_by_one_minus_the_rate() {
        let examples = Dense::new(vec![3.0, -4.0], 1, 2).unwrap();
        for rate in [0.25, 0.5, 1.0, 1.5, 2.0] {
            let settings =
                Relaxation::default().with_margin(2.0).with_schedule(Schedule::constant(rate).unwrap());
            let mut live = settings.live(2).unwrap();
            assert!(live.learn_one(&examples.row(0), Sign::Negative).unwrap().corrected);
            let score = live.model().unwrap().decision(&[3.0, -4.0]).unwrap();
            // −score − 2 = (1 − η)(0 − 2).
            assert!((-score - 2.0 - (1.0 - rate) * -2.0).abs() < 1e-15, "{rate}");
        }
    }

    #[test]
    fn settings_outside_their_domain_are_refused_by_name() {
        let examples = Dense::new(vec![1.0, -2.0], 2, 1).unwrap();
        let labels = BinaryLabels::from_integers(&[1, -1]).unwrap();
        let refused = |settings: Relaxation| match settings.fit(&examples, &labels) {
            Err(Error::Setting { name, .. }) => name,
            other => panic!("{other:?}"),
        };
        let settings = Relaxation::default();
        for margin in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(refused(settings.with_margin(margin)), "margin");
        }
        for tolerance in [-0.1, 1.0, f64::NAN] {
            assert_eq!(refused(settings.with_tolerance(tolerance)), "tolerance");
        }
        for schedule in [Schedule::constant(2.1), Schedule::growing(0.1), Schedule::geometric(1.0, 1.5)] {
            assert_eq!(refused(settings.with_schedule(schedule.unwrap())), "schedule");
        }
    }
}
