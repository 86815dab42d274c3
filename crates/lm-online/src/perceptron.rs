//! The perceptron: add what is on the wrong side.
//!
//! # Problem
//! ```text
//! find w and b with  yᵢ (⟨w·xᵢ⟩ + b) > m  for every i,  with a margin m ≥ 0
//! ```
//! # Method
//! Visit the examples in order; where `y(⟨w·x⟩ + b) ≤ m`, correct
//!
//! ```text
//! w ← w + η(k)·y·x ,   b ← b + η(k)·y·β
//! ```
//!
//! in the k-th correction, with `β` one of `R²`, 1 and 0. Stop after a pass without a correction. A constant `η` is the
//! fixed increment: it is only the unit of the result, and weights are kept in that unit, so that with `m = 0` no choice
//! of it changes a bit of the course. Other schedules are the variable increment, which ends on separable data if its
//! [conditions](crate::Schedule::conditions) hold.
//! # Cost
//! An inner product for each visit and an addition of an example for each correction. On separable data with a constant
//! rate and `m = 0` the corrections number at most `(2R/γ)²`; on other data the run ends with its budget.
//! # Reference
//! Rosenblatt (1956); Novikoff (1962); Cristianini & Shawe-Taylor (2000), Table 2.1; Duda, Hart & Stork (2001), §5.5.2,
//! algorithms 4 and 5.

use lm_core::{Result, Sign};

use crate::rule::{Meeting, Rule, check_margin};
use crate::words::{Walk, fit_by_rule, kind, setters};
use crate::{Bias, Schedule};

/// The settings of the perceptron.
///
/// ```
/// use lm_core::{BinaryLabels, Certificate, Dense, Hypothesis, Learner, TrainingSet};
/// use lm_online::Perceptron;
///
/// let examples = Dense::new(vec![2.0, 1.0, 1.0, 2.0, -1.0, -2.0, -2.0, 0.0], 4, 2)?;
/// let labels = BinaryLabels::from_integers(&[1, 1, 0, 0])?;
/// let fit = Perceptron::default().fit(&examples, &labels)?.converged()?;
/// assert_eq!(fit.model.signs(&examples)?, labels.signs());
/// // The run can be replayed from its trace, which says that the hyperplane separates the examples.
/// assert!(fit.certificate.separates());
/// assert!(fit.certificate.verify(&TrainingSet::new(&examples, &labels)?)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Perceptron {
    walk: Walk,
    schedule: Schedule,
    margin: f64,
}

impl Default for Perceptron {
    fn default() -> Self {
        Self { walk: Walk::new(1_000, Bias::Radius), schedule: Schedule::ONE, margin: 0.0 }
    }
}

impl Perceptron {
    setters! { passes = "1000", order, bias = "Radius", radius, schedule = "a constant rate of 1", margin = "At least 0; default 0." }

    fn validate(&self) -> Result<()> {
        self.walk.validate()?;
        check_margin(self.margin)
    }

    fn rule(&self) -> PerceptronRule {
        PerceptronRule { schedule: self.schedule, margin: self.margin }
    }
}

fit_by_rule!(Perceptron, PerceptronRule);

/// The rule of the perceptron: `a = η(k)·y` where `y·s ≤ m`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored"))]
pub struct PerceptronRule {
    schedule: Schedule,
    margin: f64,
}

impl PerceptronRule {
    /// The rule with a rate of 1 and no margin.
    pub(crate) const PLAIN: Self = Self { schedule: Schedule::ONE, margin: 0.0 };

    /// The learning rate of each correction.
    pub fn schedule(&self) -> Schedule {
        self.schedule
    }
}

impl Rule for PerceptronRule {
    type Label = Sign;

    #[inline]
    fn margin(&self) -> f64 {
        self.margin / self.unit()
    }

    #[inline]
    fn factor(&self, meeting: &Meeting) -> f64 {
        meeting.label * self.schedule.relative(meeting.correction)
    }

    /// The first rate: see the header of this file.
    #[inline]
    fn unit(&self) -> f64 {
        self.schedule.rate(1)
    }
}

/// What a decoder reads before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Stored {
    schedule: Schedule,
    margin: f64,
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for PerceptronRule {
    type Error = lm_core::Error;

    fn try_from(stored: Stored) -> Result<Self> {
        check_margin(stored.margin)?;
        Ok(Self { schedule: stored.schedule, margin: stored.margin })
    }
}

kind!(PerceptronRule, "perceptron-rule");

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::{
        BinaryLabels, Budget, Certificate, Control, Dense, Error, Examples, Hypothesis, Learner, Stop,
        TrainingSet, Weights,
    };

    /// Three examples on a line, of which the middle one is the largest.
    fn line() -> (Dense<'static>, BinaryLabels) {
        let examples = Dense::new(vec![1.0, -2.0, 1.5], 3, 1).unwrap();
        (examples, BinaryLabels::from_integers(&[1, -1, 1]).unwrap())
    }

    #[test]
    fn a_correction_by_hand() {
        let (examples, _) = line();
        let settings = Perceptron::default().with_schedule(Schedule::harmonic(0.5).unwrap()).with_radius(2.0);
        let mut live = settings.live(1).unwrap();
        // On the hyperplane, so a mistake: w = ½·1, b = ½·4.
        let met = live.learn_one(&examples.row(0), Sign::Positive).unwrap();
        assert_eq!((met.score, met.corrected), (0.0, true));
        let model = live.model().unwrap();
        assert_eq!((model.weights(), model.bias()), (&[0.5][..], 2.0));
        // ½·(−2) + 2 = 1 is on the wrong side: w = ½ + ¼·2, b = 2 − ¼·4.
        let met = live.learn_one(&examples.row(1), Sign::Negative).unwrap();
        assert_eq!((met.score, met.corrected), (1.0, true));
        let model = live.model().unwrap();
        assert_eq!((model.weights(), model.bias()), (&[1.0][..], 1.0));
        let met = live.learn_one(&examples.row(2), Sign::Positive).unwrap();
        assert_eq!((met.score, met.corrected), (2.5, false));
        assert_eq!((live.seen(), live.corrections()), (3, 2));
    }

    #[test]
    fn every_bias_moves_by_its_own_step() {
        let (examples, labels) = line();
        for (bias, step) in [(Bias::Radius, 4.0), (Bias::Standard, 1.0), (Bias::None, 0.0)] {
            let fit = Perceptron::default().with_bias(bias).fit(&examples, &labels).unwrap();
            assert_eq!(fit.certificate.bias_step(), step);
            let counts = fit.certificate.journal().counts();
            let balance = counts[0] as f64 - counts[1] as f64 + counts[2] as f64;
            assert_eq!(fit.model.bias(), step * balance, "{bias:?}");
        }
    }

    #[test]
    fn a_margin_is_kept_by_all_examples_at_the_end() {
        let (examples, labels) = line();
        for rate in [0.25, 1.0, 3.0] {
            let settings = Perceptron::default().with_margin(5.0);
            let settings = settings.with_schedule(Schedule::constant(rate).unwrap());
            let fit = settings.fit(&examples, &labels).unwrap().converged().unwrap();
            let values = fit.model.decision_values(&examples).unwrap();
            assert!(values.iter().zip(labels.values()).all(|(value, y)| y * value > 5.0));
            assert!(
                fit.certificate.verify(&TrainingSet::new(&examples, &labels).unwrap()).unwrap().is_valid()
            );
        }
    }

    #[test]
    fn a_weight_is_a_number_of_visits_and_none_is_no_visit() {
        let once = Dense::new(vec![1.0, 1.2, 50.0, 3.0], 4, 1).unwrap();
        let twice = Dense::new(vec![1.0, 1.2, 1.2, 3.0], 4, 1).unwrap();
        let (a, b) = ([-1, 1, -1, 1], [-1, 1, 1, 1]);
        let (a, b) = (BinaryLabels::from_integers(&a).unwrap(), BinaryLabels::from_integers(&b).unwrap());
        let weights = Weights::new(vec![1.0, 2.0, 0.0, 1.0]).unwrap();
        let set = TrainingSet::new(&once, &a).unwrap().with_weights(&weights).unwrap();
        let weighted = Perceptron::default().fit_with(&set, &Control::default()).unwrap();
        let repeated = Perceptron::default().fit(&twice, &b).unwrap();
        assert_eq!(weighted.model, repeated.model);
        assert!(weighted.certificate.verify(&set).unwrap().is_valid());
    }

    #[test]
    fn data_that_cannot_be_separated_end_with_the_budget_and_an_honest_trace() {
        let examples = Dense::new(vec![0.0, 1.0, 2.0], 3, 1).unwrap();
        let labels = BinaryLabels::from_integers(&[1, -1, 1]).unwrap();
        let set = TrainingSet::new(&examples, &labels).unwrap();
        let control = Control::new(Budget::default().with_iterations(50));
        let fit = Perceptron::default().fit_with(&set, &control).unwrap();
        assert_eq!((fit.report.stop, fit.report.iterations), (Stop::Iterations, 50));
        assert!(!fit.certificate.separates());
        assert!(fit.certificate.verify(&set).unwrap().is_valid());
        assert!(fit.converged().is_err());
    }

    #[test]
    fn a_rate_that_outgrows_the_numbers_is_an_error() {
        let examples = Dense::new(vec![0.0, 1.0, 2.0], 3, 1).unwrap();
        let labels = BinaryLabels::from_integers(&[1, -1, 1]).unwrap();
        let settings = Perceptron::default().with_schedule(Schedule::geometric(1.0, 2.0).unwrap());
        assert!(matches!(settings.fit(&examples, &labels), Err(Error::Numerical { .. })));
    }

    #[test]
    fn settings_outside_their_domain_are_refused_by_name() {
        let (examples, labels) = line();
        let refused = |settings: Perceptron| match settings.fit(&examples, &labels) {
            Err(Error::Setting { name, .. }) => name,
            other => panic!("{other:?}"),
        };
        assert_eq!(refused(Perceptron::default().with_passes(0)), "passes");
        for margin in [-1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(refused(Perceptron::default().with_margin(margin)), "margin");
        }
        for radius in [0.0, -1.0, f64::NAN, 1e200] {
            assert_eq!(refused(Perceptron::default().with_radius(radius)), "radius");
        }
        // A live learner cannot find the radius out.
        assert!(matches!(Perceptron::default().live(2), Err(Error::Setting { name: "radius", .. })));
        assert!(matches!(Perceptron::default().with_radius(1.0).live(0), Err(Error::Empty { .. })));
    }
}
