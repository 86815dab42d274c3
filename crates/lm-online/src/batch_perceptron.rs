//! The batch perceptron: all misclassified samples correct the weights together.
//!
//! # Problem
//! ```text
//! find a with aᵗy > b for every sign-normalised, augmented sample y = ±(β, x)
//! ```
//! # Method
//! `a ← a + η(k) Σ ωy` over the samples with `aᵗy ≤ b`, the gradient descent of the perceptron criterion, until there are
//! none, or until a step is shorter than the threshold `θ`. A weight `ω` counts as that many copies. On separable data
//! and with a schedule whose [`conditions`](crate::Schedule::conditions) hold the run ends; on other data, with its budget.
//! # Cost
//! One pass over the data an iteration; memory for `2d` numbers and the trace.
//! # Reference
//! Duda, Hart & Stork (2001), section 5.5, algorithms 3 (threshold) and 6 (variable increment, margin).

use crate::batch::{Plan, Rates, Rule, batch_procedure};
use crate::{Bias, Schedule};

/// The settings of the batch perceptron.
///
/// ```
/// use lm_core::{BinaryLabels, Certificate, Dense, Hypothesis, Learner, TrainingSet};
/// use lm_online::{BatchPerceptron, Schedule};
///
/// let examples = Dense::new(vec![0.0, 1.0, 3.0, 5.0], 4, 1)?;
/// let labels = BinaryLabels::from_integers(&[-1, -1, 1, 1])?;
/// let learner = BatchPerceptron::default().with_schedule(Schedule::harmonic(1.0)?);
/// let fit = learner.fit(&examples, &labels)?.converged()?;
/// assert!(fit.certificate.separates());
/// assert_eq!(fit.model.signs(&examples)?, labels.signs());
/// assert!(fit.certificate.verify(&TrainingSet::new(&examples, &labels)?)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BatchPerceptron(Plan);

impl Default for BatchPerceptron {
    fn default() -> Self {
        let (rule, rates) = (Rule::Perceptron, Rates::Schedule(Schedule::ONE));
        let (margin, tolerance, threshold) = (0.0, 0.0, 0.0);
        Self(Plan { rule, rates, margin, tolerance, threshold, bias: Bias::Standard, passes: 1_000 })
    }
}

batch_procedure! {
    BatchPerceptron,
    schedule = "1 in all of them",
    margin = "Finite and ≥ 0; default 0.",
    passes = "1000",
    value = "`Σ ω(b − aᵗy)`"
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::testing::SplitMix64;
    use lm_core::{
        BinaryLabels, Certificate, Control, Dense, Error, Learner, Margins, Result, Stop, TrainingSet,
    };

    #[test]
    fn iterations_by_hand() {
        // Samples (1, 2), (1, 1) and −(1, 0), sign-normalised.
        let examples = Dense::new(vec![2.0, 1.0, 0.0], 3, 1).unwrap();
        let labels = BinaryLabels::from_integers(&[1, 1, -1]).unwrap();
        let set = TrainingSet::new(&examples, &labels).unwrap();
        let mut path = Vec::new();
        let fit = BatchPerceptron::default()
            .fit_watching(&set, &Control::default(), &mut |visit| {
                path.push((visit.point.to_vec(), visit.value, visit.gradient_norm));
            })
            .unwrap();
        assert_eq!(path[0], (vec![0.0, 0.0], 0.0, 10.0_f64.sqrt())); // all three on the boundary
        assert_eq!(path[1], (vec![1.0, 3.0], 1.0, 1.0)); // −(1, 0) is wrong
        assert_eq!(path[2].0, [0.0, 3.0]); // and on the boundary
        assert_eq!(path[3].0, [-1.0, 3.0]);
        assert_eq!((path.len(), fit.report.stop), (4, Stop::Converged));
        assert_eq!(fit.certificate.corrected().collect::<Vec<_>>(), [3, 1, 1, 0]);
        assert_eq!((fit.model.weights(), fit.model.bias()), (&[3.0][..], -1.0));
    }

    fn separable(seed: u64, len: usize) -> (Dense<'static>, BinaryLabels) {
        let mut random = SplitMix64::new(seed);
        let (mut values, mut labels) = (Vec::new(), Vec::new());
        while labels.len() < len {
            let x = [random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)];
            let side = x[0] - 0.4 * x[1] + 0.1;
            if side.abs() > 0.1 {
                values.extend(x);
                labels.push(i64::from(side > 0.0));
            }
        }
        (Dense::new(values, len, 2).unwrap(), BinaryLabels::from_integers(&labels).unwrap())
    }

    #[test]
    fn every_schedule_that_meets_the_conditions_separates() {
        let schedules =
            [Schedule::constant(0.5), Schedule::harmonic(1.0), Schedule::growing(0.1)].map(Result::unwrap);
        for seed in 0..5 {
            let (examples, labels) = separable(seed, 60);
            let set = TrainingSet::new(&examples, &labels).unwrap();
            for schedule in schedules {
                for bias in [Bias::Standard, Bias::Radius] {
                    let learner = BatchPerceptron::default().with_schedule(schedule).with_bias(bias);
                    let fit = learner.with_margin(0.05).with_passes(20_000).fit(&examples, &labels).unwrap();
                    let fit = fit.converged().unwrap();
                    assert!(fit.certificate.separates());
                    assert!(Margins::functional(&fit.model, &set).unwrap().minimum() > 0.05, "seed {seed}");
                    assert!(fit.certificate.verify(&set).unwrap().is_valid(), "seed {seed}, {schedule:?}");
                }
            }
        }
    }

    #[test]
    fn a_threshold_ends_a_run_that_does_not_separate() {
        let examples = Dense::new(vec![0.0, 1.0, 2.0, 0.5], 4, 1).unwrap();
        let labels = BinaryLabels::from_integers(&[1, -1, 1, 1]).unwrap();
        let set = TrainingSet::new(&examples, &labels).unwrap();
        let learner = BatchPerceptron::default().with_schedule(Schedule::harmonic(1.0).unwrap());
        let fit = learner.with_threshold(0.01).fit(&examples, &labels).unwrap().converged().unwrap();
        assert!(!fit.certificate.separates() && fit.certificate.verify(&set).unwrap().is_valid());
        let endless = learner.with_passes(50).fit(&examples, &labels).unwrap();
        assert_eq!((endless.report.stop, endless.report.iterations), (Stop::Iterations, 50));
        // Two samples that ask for opposite corrections stop the weights.
        let examples = Dense::new(vec![1.0, 1.0], 2, 1).unwrap();
        let labels = BinaryLabels::from_integers(&[1, -1]).unwrap();
        let fit = BatchPerceptron::default().fit(&examples, &labels).unwrap();
        assert_eq!((fit.report.stop, fit.report.iterations), (Stop::Stalled, 1));
    }

    #[test]
    fn settings_outside_their_domain_are_named() {
        let (examples, labels) = separable(0, 10);
        let name = |learner: BatchPerceptron| match learner.fit(&examples, &labels) {
            Err(Error::Setting { name, .. }) => name,
            other => panic!("{other:?}"),
        };
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(name(BatchPerceptron::default().with_margin(bad)), "margin");
            assert_eq!(name(BatchPerceptron::default().with_threshold(bad)), "threshold");
        }
        assert_eq!(name(BatchPerceptron::default().with_passes(0)), "passes");
    }
}
