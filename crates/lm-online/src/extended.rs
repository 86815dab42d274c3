//! The perceptron in the extended space: an attribute of its own for each example, so that all data can be separated.
//!
//! # Problem
//! ```text
//! find w, b and c with  yᵢ (⟨w·xᵢ⟩ + b + Δ·cᵢ) > 0  for every i ,
//! ```
//! which has a solution for every `Δ > 0`, whatever the examples and labels are.
//! # Method
//! The [perceptron](crate::Perceptron) on examples with `n` more attributes, of which that of example `i` has the value `Δ`
//! in `xᵢ` and 0 in all others. They are not written down: their weights are `Δ` times the sum of the factors by which each
//! example was added. On new examples those attributes are 0, so what is learned is the function `(w, b)`. The larger `Δ`,
//! the sooner an example that lies among the other class is let go.
//! # Cost
//! That of the perceptron, and a number for each example. The corrections are at most
//!
//! ```text
//! (R² + Δ² + β)(1 + D²/Δ² + b²/β)/γ²
//! ```
//!
//! for any hyperplane with `‖w‖ = 1` and slacks of 2-norm `D` for a margin `γ`: the run ends on all data.
//! # Reference
//! Freund & Schapire (1999); Cristianini & Shawe-Taylor (2000), Theorem 2.7, Remark 2.8 and exercise 3.

use std::ops::Range;

use lm_core::{
    BinaryLabels, Certificate, Control, Csr, Error, Examples, Fit, Learner, Linear, Result, TrainingSet,
    Verdict,
};

use crate::fit::{Course, bias_step, radius_squared};
use crate::live::{Lessons, Live};
use crate::passes::Procedure;
use crate::words::{Walk, setters};
use crate::{Bias, PerceptronRule, Trace};

/// The settings of the perceptron in the extended space.
///
/// ```
/// use lm_core::{BinaryLabels, Certificate, Dense, Hypothesis, Learner, TrainingSet};
/// use lm_online::ExtendedPerceptron;
///
/// // One example among those of the other class: no hyperplane separates them, and the run ends all the same.
/// let examples = Dense::new(vec![-2.0, -1.5, -1.0, 1.0, 1.2, 2.0, 3.0], 7, 1)?;
/// let labels = BinaryLabels::from_integers(&[-1, -1, -1, 1, -1, 1, 1])?;
/// let fit = ExtendedPerceptron::default().fit(&examples, &labels)?.converged()?;
/// let signs = fit.model.signs(&examples)?;
/// assert!(signs.iter().zip(labels.signs()).filter(|(a, b)| a != b).count() <= 2);
/// assert!(fit.certificate.verify(&TrainingSet::new(&examples, &labels)?)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExtendedPerceptron {
    walk: Walk,
    delta: Option<f64>,
}

impl Default for ExtendedPerceptron {
    fn default() -> Self {
        Self { walk: Walk::new(100_000, Bias::Radius), delta: None }
    }
}

impl ExtendedPerceptron {
    setters! { passes = "100000", order, bias = "Radius" }

    /// `Δ`, the value of an example's own attribute. Above 0, with a finite square; default: the largest norm of an
    /// example. The theorem's best choice is `√(R·D)`, for the 2-norm `D` of the slacks of the hyperplane hoped for.
    #[must_use]
    pub fn with_delta(self, delta: f64) -> Self {
        Self { delta: Some(delta), ..self }
    }

    fn validate(&self) -> Result<()> {
        self.walk.validate()?;
        match self.delta {
            Some(delta) if !(delta > 0.0 && (delta * delta).is_finite()) => Err(Error::Setting {
                name: "delta",
                value: delta,
                accepted: "a number > 0 whose square is finite",
            }),
            _ => Ok(()),
        }
    }
}

impl<E: Examples + ?Sized> Learner<E, BinaryLabels> for ExtendedPerceptron {
    type Model = Linear;
    type Certificate = ExtendedTrace;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, E, BinaryLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<Linear, ExtendedTrace>> {
        self.validate()?;
        let examples = set.examples();
        let mut course = Course::start(&self.walk, set, control)?;
        let delta = match self.delta {
            Some(delta) => delta,
            // Examples that are all zero have no radius to go by.
            None => Some(radius_squared(examples, &course.visits)?.sqrt())
                .filter(|&delta| delta > 0.0)
                .unwrap_or(1.0),
        };
        let own = if self.walk.bias == Bias::Radius { delta * delta } else { 0.0 };
        let step = bias_step(&self.walk, examples, &course.visits)? + own;
        let mut live = Live::with_step(PerceptronRule::PLAIN, examples.dim(), step)?;
        let lessons = Lessons { live: &mut live, labels: set.labels().signs() };
        let mut extended = Extended { lessons, own: vec![0.0; set.len()], delta_squared: delta * delta };
        let stop = course.run(&mut extended, examples)?;
        let own: f64 = extended.own.iter().map(|own| own * own).sum();
        let model = live.model()?;
        // The trace is about the function in the extended space, of which the weights of the own attributes are a part.
        let norm = model.norm().hypot(delta * own.sqrt());
        let end = Linear::new(vec![norm], model.bias())?;
        let (report, trace) = course.traced(&live, &self.walk, stop, &end);
        Ok(Fit { model, report, certificate: ExtendedTrace { trace, delta } })
    }
}

/// The perceptron, and what the attributes of single examples add to their scores.
struct Extended<'a> {
    lessons: Lessons<'a, PerceptronRule>,
    /// The sum of the factors by which each example was added.
    own: Vec<f64>,
    delta_squared: f64,
}

impl<E: Examples + ?Sized> Procedure<E> for Extended<'_> {
    fn scores(&self, examples: &E, rows: Range<usize>, out: &mut [f64]) {
        self.lessons.scores(examples, rows.clone(), out);
        rows.zip(out).for_each(|(row, out)| *out += self.delta_squared * self.own[row]);
    }

    fn scores_at(&self, examples: &E, rows: &[u32], out: &mut [f64]) {
        self.lessons.scores_at(examples, rows, out);
        rows.iter().zip(out).for_each(|(&row, out)| *out += self.delta_squared * self.own[row as usize]);
    }

    fn is_due(&self, row: usize, score: f64) -> bool {
        self.lessons.live.is_due(self.lessons.labels[row], score)
    }

    fn correct(&mut self, examples: &E, row: usize, score: f64, _: u64) -> Result<()> {
        self.own[row] += self.lessons.corrected(examples, row, score)?;
        Ok(())
    }
}

/// The trace of a run in the extended space.
///
/// [`Certificate::verify`] writes the extended examples down and replays the run on them.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ExtendedTrace {
    trace: Trace<PerceptronRule>,
    delta: f64,
}

impl ExtendedTrace {
    /// The trace of the run on the extended examples.
    pub fn trace(&self) -> &Trace<PerceptronRule> {
        &self.trace
    }

    /// `Δ`.
    pub fn delta(&self) -> f64 {
        self.delta
    }

    /// The examples with their own attributes, one for each example, after all others.
    ///
    /// # Errors
    /// [`Error::TooLarge`] for more than 2³² attributes.
    pub fn extend<E: Examples + ?Sized>(&self, examples: &E) -> Result<Csr<'static>> {
        let (dim, len) = (examples.dim(), examples.len());
        let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in 0..len {
            examples.row(row).for_each(|k, value| {
                indices.push(k as u32);
                values.push(value);
            });
            indices.push((dim + row) as u32);
            values.push(self.delta);
            offsets.push(values.len());
        }
        Csr::new(offsets, indices, values, dim.saturating_add(len))
    }
}

impl<E: Examples + ?Sized> Certificate<TrainingSet<'_, E, BinaryLabels>> for ExtendedTrace {
    fn verify(&self, set: &TrainingSet<'_, E, BinaryLabels>) -> Result<Verdict> {
        let extended = self.extend(set.examples())?;
        self.trace.verify(&set.over(&extended)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Perceptron;
    use lm_core::Dense;

    #[test]
    fn it_is_the_perceptron_on_the_extended_examples() {
        let values: Vec<f64> = (0..60).map(|k| f64::from(k * 37 % 19) - 9.0).collect();
        let examples = Dense::new(values, 20, 3).unwrap();
        let labels: Vec<i64> = (0..20).map(|k| k * 7 % 3 % 2).collect();
        let labels = BinaryLabels::from_integers(&labels).unwrap();
        for bias in [Bias::Radius, Bias::Standard, Bias::None] {
            for delta in [2.0, 8.0] {
                let learner = ExtendedPerceptron::default().with_bias(bias).with_delta(delta);
                let fit = learner.fit(&examples, &labels).unwrap().converged().unwrap();
                assert!(
                    fit.certificate
                        .verify(&TrainingSet::new(&examples, &labels).unwrap())
                        .unwrap()
                        .is_valid()
                );
                let extended = fit.certificate.extend(&examples).unwrap();
                let plain = Perceptron::default()
                    .with_bias(bias)
                    .with_passes(100_000)
                    .fit(&extended, &labels)
                    .unwrap();
                assert_eq!(plain.certificate.journal(), fit.certificate.trace().journal());
                assert_eq!(plain.model.weights()[..3], fit.model.weights()[..]);
                assert_eq!(plain.model.bias(), fit.model.bias());
            }
        }
    }

    #[test]
    fn a_delta_outside_its_domain_is_refused_by_name() {
        let examples = Dense::new(vec![1.0, -2.0], 2, 1).unwrap();
        let labels = BinaryLabels::from_integers(&[1, -1]).unwrap();
        for delta in [0.0, -1.0, f64::NAN, 1e200] {
            let refused = ExtendedPerceptron::default().with_delta(delta).fit(&examples, &labels);
            assert!(matches!(refused, Err(Error::Setting { name: "delta", .. })));
        }
    }
}
