//! Batch relaxation with margin: all samples short of the margin pull the weights towards their hyperplanes together.
//!
//! # Problem
//! ```text
//! minimise J_r(a) = ½ Σ ω (aᵗy − b)²/‖y‖²   over the sign-normalised, augmented samples with aᵗy ≤ b
//! ```
//! which is 0 where every sample has the margin `b > 0`.
//! # Method
//! `a ← a + η(k) Σ ω (b − aᵗy)/‖y‖² · y` over these samples, the gradient descent of `J_r`, until there are none, or until
//! a step is shorter than the threshold `θ`. A sample within a share of the margin, the tolerance, is left alone: the way to
//! the margin itself has no end. By default `η = 1/Σω`: a step is the mean of the exact relaxations of all
//! samples, and `J_r` never grows. Rates up to `2/Σω` keep that; larger ones may end sooner or never.
//! # Cost
//! One pass over the data an iteration; memory for `2d` numbers and the trace.
//! # Reference
//! Duda, Hart & Stork (2001), section 5.6, algorithm 8; Agmon (1954), Motzkin & Schoenberg (1954).

use crate::Bias;
use crate::batch::{Plan, Rates, Rule, batch_procedure};

/// The settings of batch relaxation.
///
/// ```
/// use lm_core::{BinaryLabels, Certificate, Dense, Hypothesis, Learner, TrainingSet};
/// use lm_online::BatchRelaxation;
///
/// let examples = Dense::new(vec![0.0, 1.0, 3.0, 5.0], 4, 1)?;
/// let labels = BinaryLabels::from_integers(&[-1, -1, 1, 1])?;
/// let fit = BatchRelaxation::default().fit(&examples, &labels)?.converged()?;
/// assert_eq!(fit.model.signs(&examples)?, labels.signs());
/// assert!(fit.certificate.verify(&TrainingSet::new(&examples, &labels)?)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BatchRelaxation(Plan);

impl Default for BatchRelaxation {
    fn default() -> Self {
        let (rule, rates) = (Rule::Relaxation, Rates::Mean);
        let (margin, tolerance, threshold) = (1.0, 0.01, 0.0);
        Self(Plan { rule, rates, margin, tolerance, threshold, bias: Bias::Standard, passes: 10_000 })
    }
}

batch_procedure! {
    BatchRelaxation,
    schedule = "one over the sum of the weights",
    margin = "Finite and > 0; default 1. Towards a margin of 0 all weights would stay 0.",
    passes = "10 000",
    value = "`J_r`"
}

impl BatchRelaxation {
    /// The share of the margin by which a sample may fall short and still count as right. At least 0, below 1; default
    /// 0.01. With 0 the run approaches its goal without reaching it, unless its rate is large.
    #[must_use]
    pub fn with_tolerance(self, tolerance: f64) -> Self {
        Self(Plan { tolerance, ..self.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Schedule;
    use crate::{Criterion, SampleCriterion};
    use lm_core::testing::SplitMix64;
    use lm_core::{BinaryLabels, Certificate, Control, Dense, Error, Learner, Margins, TrainingSet, Weights};

    fn overlapping(seed: u64) -> (Dense<'static>, BinaryLabels, Weights) {
        let mut random = SplitMix64::new(seed);
        let values: Vec<f64> = (0..60).map(|_| random.uniform(-1.0, 1.0)).collect();
        let mut labels: Vec<i64> = values.chunks_exact(3).map(|x| i64::from(x[0] > x[1])).collect();
        labels[seed as usize % 20] ^= 1;
        let weights = (0..20).map(|_| random.below(3) as f64 + 0.5).collect();
        let labels = BinaryLabels::from_integers(&labels).unwrap();
        (Dense::new(values, 20, 3).unwrap(), labels, Weights::new(weights).unwrap())
    }

    #[test]
    fn a_step_is_a_step_down_the_criterion() {
        for seed in 0..10 {
            let (examples, labels, weights) = overlapping(seed);
            let set = TrainingSet::new(&examples, &labels).unwrap().with_weights(&weights).unwrap();
            for bias in [Bias::Standard, Bias::Radius, Bias::None] {
                let criterion = SampleCriterion::relaxation(&set, bias, 0.7).unwrap();
                let mut path = Vec::new();
                let learner = BatchRelaxation::default().with_margin(0.7).with_bias(bias).with_tolerance(0.0);
                let learner = learner.with_passes(200);
                let fit = learner
                    .fit_watching(&set, &Control::default(), &mut |visit| {
                        assert!((visit.value - criterion.value(visit.point)).abs() < 1e-12);
                        path.push((visit.point.to_vec(), visit.value));
                    })
                    .unwrap();
                assert!(path.windows(2).all(|pair| pair[1].1 <= pair[0].1 * (1.0 + 1e-12)), "seed {seed}");
                let mut gradient = vec![0.0; criterion.dim()];
                criterion.gradient(&path[3].0, &mut gradient);
                for (k, slope) in gradient.iter().enumerate() {
                    let step = path[4].0[k] - path[3].0[k];
                    assert!((step + slope / weights.total()).abs() < 1e-14, "seed {seed}");
                }
                assert!(fit.certificate.verify(&set).unwrap().is_valid(), "seed {seed}, {bias:?}");
            }
        }
    }

    #[test]
    fn one_sample_of_each_class_is_relaxed_exactly() {
        // y = 2 twice, once from −(−2): both are at a = b/2 after the mean of two exact steps.
        let examples = Dense::new(vec![2.0, -2.0], 2, 1).unwrap();
        let labels = BinaryLabels::from_integers(&[1, -1]).unwrap();
        let learner = BatchRelaxation::default().with_bias(Bias::None).with_margin(3.0).with_tolerance(0.0);
        let fit = learner.with_passes(1).fit(&examples, &labels).unwrap();
        assert_eq!(fit.model.weights(), [1.5]);
        let over = learner.with_schedule(Schedule::constant(0.75).unwrap()).fit(&examples, &labels).unwrap();
        let over = over.converged().unwrap();
        assert_eq!((over.model.weights(), over.report.iterations), (&[2.25][..], 2));
        assert!(over.certificate.separates());
        let set = TrainingSet::new(&examples, &labels).unwrap();
        assert!(Margins::functional(&over.model, &set).unwrap().minimum() > 3.0);
    }

    #[test]
    fn settings_outside_their_domain_are_named() {
        let (examples, labels, _) = overlapping(0);
        let name = |learner: BatchRelaxation| match learner.fit(&examples, &labels) {
            Err(Error::Setting { name, .. }) => name,
            other => panic!("{other:?}"),
        };
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(name(BatchRelaxation::default().with_margin(bad)), "margin");
            assert_eq!(name(BatchRelaxation::default().with_threshold(bad)), "threshold");
            assert_eq!(name(BatchRelaxation::default().with_tolerance(bad)), "tolerance");
        }
        assert_eq!(name(BatchRelaxation::default().with_margin(0.0)), "margin");
        assert_eq!(name(BatchRelaxation::default().with_passes(0)), "passes");
    }
}
