//! The perceptron in dual form: a count of mistakes for each example.
//!
//! # Problem
//! ```text
//! find α ≥ 0 and b with  yᵢ (Σⱼ αⱼ yⱼ K(xⱼ, xᵢ) + b) > 0  for every i
//! ```
//! # Method
//! Visit the examples in order; where one is on the wrong side, or on the hyperplane, add 1 to its `αᵢ` and `yᵢR²`
//! to `b`, with `R² = maxᵢ K(xᵢ, xᵢ)`. Stop after a pass without a mistake. The scores `Σⱼ αⱼyⱼKⱼᵢ` of all examples
//! are kept up to date, so that an example that is right costs nothing.
//! # Cost
//! One row of the Gram matrix and `n` additions for each mistake, `n` comparisons for each pass. On separable data
//! the mistakes number at most `(2R/γ)²` (Novikoff); on other data the run ends with its budget.
//! # Reference
//! Rosenblatt (1956); Cristianini & Shawe-Taylor (2000), Table 2.2 and Theorem 2.3.

use lm_core::{
    BinaryLabels, Columns, Control, DualExpansion, Error, Fit, Gram, Learner, Meter, Result, Stop,
    TrainingSet,
};

use crate::MistakeTrace;

/// The settings of the dual perceptron. It needs none but a limit on its passes.
///
/// ```
/// use lm_core::{BinaryLabels, Certificate, Hypothesis, Learner, MatrixGram, TrainingSet};
/// use lm_online::DualPerceptron;
///
/// // Four examples of which only the inner products are known.
/// let gram = MatrixGram::precomputed(
///     vec![2.0, 1.0, -1.0, -2.0, 1.0, 1.0, 0.0, -1.0, -1.0, 0.0, 1.0, 1.0, -2.0, -1.0, 1.0, 2.0],
///     4,
/// )?;
/// let labels = BinaryLabels::from_integers(&[1, 1, -1, -1])?;
/// let fit = DualPerceptron::default().fit(&gram, &labels)?.converged()?;
/// assert_eq!(fit.model.signs(&gram)?, labels.signs());
/// assert!(fit.certificate.verify(&TrainingSet::new(&gram, &labels)?)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DualPerceptron {
    passes: u64,
}

impl Default for DualPerceptron {
    fn default() -> Self {
        Self { passes: 1_000 }
    }
}

impl DualPerceptron {
    /// Ends the run after this many passes over the data, if it has not converged. At least 1; default 1000. A
    /// budget on iterations takes its place.
    #[must_use]
    pub fn with_passes(self, passes: u64) -> Self {
        Self { passes }
    }

    fn validate(&self) -> Result<()> {
        if self.passes == 0 {
            return Err(Error::Setting { name: "passes", value: 0.0, accepted: "an integer of at least 1" });
        }
        Ok(())
    }
}

impl<G: Gram + ?Sized> Learner<G, BinaryLabels> for DualPerceptron {
    type Model = DualExpansion;
    type Certificate = MistakeTrace;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, G, BinaryLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<DualExpansion, MistakeTrace>> {
        self.validate()?;
        let mut meter = control.start(self.passes);
        let mut state = State::new(set)?;
        let stop = state.run(&mut meter)?;
        let model = DualExpansion::from_all(&state.coefficients(), state.bias)?;
        let trace = MistakeTrace::new(state.mistakes, state.radius_squared, stop == Stop::Converged);
        Ok(Fit { model, report: meter.report(stop, None), certificate: trace })
    }
}

struct State<'a, G: ?Sized> {
    gram: &'a G,
    signs: Vec<f64>,
    /// How often each example is visited in a pass: its weight.
    visits: Vec<u32>,
    alpha: Vec<f64>,
    /// `Σⱼ αⱼ yⱼ K(xⱼ, xᵢ)` for every `i`.
    scores: Vec<f64>,
    bias: f64,
    radius_squared: f64,
    row: Vec<f64>,
    /// The example of each mistake, in order.
    mistakes: Vec<u32>,
}

impl<'a, G: Gram + ?Sized> State<'a, G> {
    fn new(set: &TrainingSet<'a, G, BinaryLabels>) -> Result<Self> {
        let (gram, len) = (set.examples(), set.len());
        if u32::try_from(len).is_err() {
            return Err(Error::TooLarge { what: "the training set", size: len, limit: u32::MAX as usize });
        }
        let visits = (0..len).map(|row| visits_of(row, set.weight(row))).collect::<Result<Vec<_>>>()?;
        let radius_squared = gram.diagonal()?.into_iter().fold(0.0, f64::max);
        Ok(Self {
            gram,
            signs: set.labels().values(),
            visits,
            alpha: vec![0.0; len],
            scores: vec![0.0; len],
            bias: 0.0,
            radius_squared,
            row: vec![0.0; len],
            mistakes: Vec::new(),
        })
    }

    /// Passes over the data until one is clean or the budget is used up.
    fn run(&mut self, meter: &mut Meter<'_>) -> Result<Stop> {
        // Corrections between two looks at the clock: each costs a row of the Gram matrix.
        const BLOCK: usize = 16;
        let len = self.signs.len() as u64;
        loop {
            let (before, mut counted) = (self.mistakes.len(), self.mistakes.len());
            for example in 0..self.signs.len() {
                for _ in 0..self.visits[example] {
                    self.step(example)?;
                }
                if self.mistakes.len() >= counted + BLOCK {
                    let stop = meter.advance(0, (self.mistakes.len() - counted) as u64 * len);
                    counted = self.mistakes.len();
                    if let Some(stop) = stop {
                        return Ok(stop);
                    }
                }
            }
            let stop = meter.advance(1, (self.mistakes.len() - counted) as u64 * len);
            let made = self.mistakes.len() - before;
            meter.observe(Some(made as f64), None);
            if made == 0 {
                return Ok(Stop::Converged);
            }
            if let Some(stop) = stop {
                return Ok(stop);
            }
        }
    }

    /// Corrects the hypothesis if the example is on the wrong side of it.
    fn step(&mut self, example: usize) -> Result<()> {
        let sign = self.signs[example];
        if sign * (self.scores[example] + self.bias) > 0.0 {
            return Ok(());
        }
        self.gram.fill(&[example], Columns::All, &mut self.row)?;
        self.scores.iter_mut().zip(&self.row).for_each(|(score, value)| *score += sign * value);
        self.alpha[example] += 1.0;
        self.bias += sign * self.radius_squared;
        self.mistakes.push(example as u32);
        if self.bias.is_finite() && self.scores[example].is_finite() {
            Ok(())
        } else {
            Err(Error::Numerical { what: "a score of the perceptron (rescale the kernel)" })
        }
    }

    fn coefficients(&self) -> Vec<f64> {
        self.alpha.iter().zip(&self.signs).map(|(alpha, sign)| alpha * sign).collect()
    }
}

/// A weight as a number of visits: repetition has no other meaning here.
fn visits_of(row: usize, weight: f64) -> Result<u32> {
    if weight.fract() == 0.0 && weight <= f64::from(u32::MAX) {
        Ok(weight as u32)
    } else {
        Err(Error::Weight {
            row,
            value: weight,
            accepted: "an integer: how often the example is visited in a pass",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::{Budget, Certificate, Dense, Hypothesis, VectorGram, VectorKernel, Weights};

    #[test]
    fn one_step_by_hand() {
        let examples = Dense::new(vec![1.0, 2.0], 2, 1).unwrap();
        let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
        let labels = BinaryLabels::from_integers(&[-1, 1]).unwrap();
        let mut state = State::new(&TrainingSet::new(&gram, &labels).unwrap()).unwrap();
        state.step(0).unwrap(); // on the hyperplane, so a mistake
        assert_eq!((state.alpha[0], state.bias), (1.0, -4.0));
        assert_eq!(state.scores, [-1.0, -2.0]);
        state.step(0).unwrap(); // now right
        assert_eq!(state.mistakes, [0]);
        state.step(1).unwrap();
        assert_eq!((state.alpha[1], state.bias), (1.0, 0.0));
        assert_eq!(state.scores, [1.0, 2.0]);
    }

    #[test]
    fn a_weight_is_a_number_of_visits() {
        let once = Dense::new(vec![1.0, 1.2, 3.0], 3, 1).unwrap();
        let twice = Dense::new(vec![1.0, 1.2, 1.2, 3.0], 4, 1).unwrap();
        let (a, b) = ([-1, 1, 1], [-1, 1, 1, 1]);
        let (a, b) = (BinaryLabels::from_integers(&a).unwrap(), BinaryLabels::from_integers(&b).unwrap());
        let weights = Weights::new(vec![1.0, 2.0, 1.0]).unwrap();
        let (once, twice) = (
            VectorGram::new(&once, VectorKernel::linear()).unwrap(),
            VectorGram::new(&twice, VectorKernel::linear()).unwrap(),
        );
        let set = TrainingSet::new(&once, &a).unwrap().with_weights(&weights).unwrap();
        let weighted = DualPerceptron::default().fit_with(&set, &Control::default()).unwrap();
        let repeated = DualPerceptron::default().fit(&twice, &b).unwrap();
        assert_eq!(weighted.model.bias(), repeated.model.bias());
        assert_eq!(weighted.certificate.mistakes().len(), repeated.certificate.mistakes().len());
        let half = Weights::new(vec![1.0, 0.5, 1.0]).unwrap();
        let set = TrainingSet::new(&once, &a).unwrap().with_weights(&half).unwrap();
        let refused = DualPerceptron::default().fit_with(&set, &Control::default());
        assert!(matches!(refused, Err(Error::Weight { row: 1, .. })));
    }

    #[test]
    fn data_that_cannot_be_separated_end_with_the_budget_and_an_honest_trace() {
        let examples = Dense::new(vec![0.0, 1.0, 2.0], 3, 1).unwrap();
        let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
        let labels = BinaryLabels::from_integers(&[1, -1, 1]).unwrap();
        let set = TrainingSet::new(&gram, &labels).unwrap();
        let control = Control::new(Budget::default().with_iterations(50));
        let fit = DualPerceptron::default().fit_with(&set, &control).unwrap();
        assert_eq!(fit.report.stop, Stop::Iterations);
        assert!(!fit.certificate.separates());
        assert!(fit.certificate.verify(&set).unwrap().is_valid());
        assert!(fit.model.decision_values(&gram).is_ok());
        assert!(fit.converged().is_err());
    }

    #[test]
    fn a_run_stopped_within_a_pass_has_a_valid_trace() {
        let examples = Dense::new((0..200).map(|k| f64::from(k * 37 % 101)).collect(), 200, 1).unwrap();
        let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
        let labels: Vec<i64> = (0..200).map(|k| k % 2).collect();
        let labels = BinaryLabels::from_integers(&labels).unwrap();
        let set = TrainingSet::new(&gram, &labels).unwrap();
        let control = Control::new(Budget::default().with_kernel_evaluations(200 * 20));
        let fit = DualPerceptron::default().fit_with(&set, &control).unwrap();
        assert_eq!((fit.report.stop, fit.report.iterations), (Stop::KernelEvaluations, 0));
        assert!(fit.report.kernel_evaluations <= 200 * 40, "a block beyond the budget at most");
        assert!(fit.certificate.verify(&set).unwrap().is_valid());
    }
}
