//! The averaged perceptron: the mean of all functions that a run goes through.
//!
//! # Problem
//! On data that no hyperplane separates the corrections of the [perceptron](crate::Perceptron) never cease, and the
//! function that it happens to end with may be a bad one.
//! # Method
//! Run the perceptron and return the mean of its functions after each visit,
//!
//! ```text
//! w̄ = (1/T) Σₜ wₜ = w − (1/T) Σₖ tₖ·aₖ·xₖ
//! ```
//!
//! where the correction `k` by `aₖ·xₖ` came after `tₖ` of the `T` visits: one more addition for each correction.
//! # Cost
//! That of the perceptron, and a second addition of an example for each correction.
//! # Reference
//! Freund & Schapire (1999), *Large margin classification using the perceptron algorithm*; Duda, Hart & Stork (2001), §5.7.

use lm_core::{BinaryLabels, Control, Error, Examples, Fit, Learner, Linear, Result, TrainingSet};

use crate::fit::Course;
use crate::live::{Lessons, Live, Watched, Witness};
use crate::words::{Walk, setters};
use crate::{Bias, PerceptronRule, Trace};

/// The settings of the averaged perceptron.
///
/// The certificate is the trace of the run whose functions are averaged.
///
/// ```
/// use lm_core::{BinaryLabels, Dense, Hypothesis, Learner};
/// use lm_online::AveragedPerceptron;
///
/// // One example among those of the other class: no hyperplane separates them.
/// let examples = Dense::new(vec![-2.0, -1.5, -1.0, 1.0, 1.2, 2.0, 3.0], 7, 1)?;
/// let labels = BinaryLabels::from_integers(&[-1, -1, -1, 1, -1, 1, 1])?;
/// let fit = AveragedPerceptron::default().fit(&examples, &labels)?;
/// let signs = fit.model.signs(&examples)?;
/// assert!(signs.iter().zip(labels.signs()).filter(|(a, b)| a != b).count() <= 2);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AveragedPerceptron {
    walk: Walk,
}

impl Default for AveragedPerceptron {
    fn default() -> Self {
        Self { walk: Walk::new(100, Bias::Radius) }
    }
}

impl AveragedPerceptron {
    setters! { passes = "100", order, bias = "Radius", radius }
}

impl<E: Examples + ?Sized> Learner<E, BinaryLabels> for AveragedPerceptron {
    type Model = Linear;
    type Certificate = Trace<PerceptronRule>;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, E, BinaryLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<Linear, Trace<PerceptronRule>>> {
        self.walk.validate()?;
        let examples = set.examples();
        let mut course = Course::start(&self.walk, set, control)?;
        let mut live = course.learner(PerceptronRule::PLAIN, &self.walk, examples)?;
        let lessons = Lessons { live: &mut live, labels: set.labels().signs() };
        let witness = Delayed { weights: vec![0.0; examples.dim()], bias: 0.0 };
        let mut averaging = Watched { lessons, witness };
        let stop = course.run(&mut averaging, examples)?;
        let delayed = averaging.witness;
        let end = live.model()?;
        // Without a visit there is nothing to subtract.
        let share = 1.0 / course.seen.max(1) as f64;
        let weights = end.weights().iter().zip(&delayed.weights).map(|(w, u)| w - share * u).collect();
        let model = Linear::new(weights, end.bias() - share * delayed.bias)?;
        let (report, certificate) = course.traced(&live, &self.walk, stop, &end);
        Ok(Fit { model, report, certificate })
    }
}

/// `Σₖ tₖ·aₖ·xₖ`: what the mean lacks.
struct Delayed {
    weights: Vec<f64>,
    bias: f64,
}

impl<E: Examples + ?Sized> Witness<E, PerceptronRule> for Delayed {
    fn after(
        &mut self,
        learner: &Live<PerceptronRule>,
        examples: &E,
        (row, factor): (usize, f64),
        seen: u64,
    ) -> Result<()> {
        let delay = seen as f64 * factor;
        examples.add_scaled(row, delay, &mut self.weights);
        self.bias += delay * learner.bias_step();
        if self.bias.is_finite() {
            Ok(())
        } else {
            Err(Error::Numerical { what: "the average (rescale the examples)" })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::{Dense, Weights};

    #[test]
    fn the_mean_is_that_of_all_functions_visit_by_visit() {
        let values: Vec<f64> = (0..90).map(|k| f64::from(k * 37 % 19) - 9.0).collect();
        let examples = Dense::new(values, 30, 3).unwrap();
        let labels: Vec<i64> = (0..30).map(|k| k * 7 % 3 % 2).collect();
        let labels = BinaryLabels::from_integers(&labels).unwrap();
        let weights = Weights::new((0..30).map(|k| f64::from(k % 3)).collect()).unwrap();
        let set = TrainingSet::new(&examples, &labels).unwrap().with_weights(&weights).unwrap();
        let learner = AveragedPerceptron::default().with_passes(4).with_bias(Bias::Standard);
        let fit = learner.fit_with(&set, &Control::default()).unwrap();
        let mut live = crate::Perceptron::default().with_bias(Bias::Standard).live(3).unwrap();
        let (mut sum, mut visits) = ([0.0; 4], 0.0);
        for row in (0..4).flat_map(|_| 0..30) {
            for _ in 0..row % 3 {
                live.learn_one(&examples.row(row), labels.signs()[row]).unwrap();
                let now = live.model().unwrap();
                sum.iter_mut().zip(now.weights().iter().chain([&now.bias()])).for_each(|(sum, w)| *sum += w);
                visits += 1.0;
            }
        }
        for (sum, mean) in sum.iter().zip(fit.model.weights().iter().chain([&fit.model.bias()])) {
            assert!((sum / visits - mean).abs() < 1e-12 * (1.0 + mean.abs()), "{sum} {mean}");
        }
    }
}
