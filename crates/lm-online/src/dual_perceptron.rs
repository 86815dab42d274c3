//! The perceptron in dual form: a count of mistakes for each example.
//!
//! # Problem
//! ```text
//! find α ≥ 0 and b with  yᵢ (Σⱼ αⱼ yⱼ K(xⱼ, xᵢ) + b) > m  for every i,  with a margin m ≥ 0
//! ```
//! # Method
//! Visit the examples in order; where one does not exceed the margin, add 1 to its `αᵢ` and `yᵢβ` to `b`, with `β` one of
//! `R² = maxᵢ K(xᵢ, xᵢ)`, 1 and 0. Stop after a pass without a mistake. The scores `Σⱼ αⱼyⱼKⱼᵢ` of all examples are kept
//! up to date, so that an example that is right costs nothing. With the linear kernel the mistakes are those of the
//! [perceptron](crate::Perceptron) in primal form with a rate of 1, in the same order.
//! # Cost
//! One row of the Gram matrix and `n` additions for each mistake, `n` comparisons for each pass. On separable data
//! the mistakes number at most `(2R/γ)²` (Novikoff); on other data the run ends with its budget.
//! # Reference
//! Rosenblatt (1956); Cristianini & Shawe-Taylor (2000), Table 2.2 and Theorem 2.3.

use std::ops::Range;

use lm_core::{
    BinaryLabels, Columns, Control, DualExpansion, Error, Fit, Gram, Learner, Result, Stop, TrainingSet,
};

use crate::journal::Journal;
use crate::passes::{Procedure, run};
use crate::rule::check_margin;
use crate::visits::{Visits, check_len};
use crate::words::{Walk, setters};
use crate::{Bias, DualTrace};

/// The settings of the dual perceptron: those of the [perceptron](crate::Perceptron), but for a learning rate, which would
/// only be the unit of its coefficients.
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
    walk: Walk,
    margin: f64,
}

impl Default for DualPerceptron {
    fn default() -> Self {
        Self { walk: Walk::new(1_000, Bias::Radius), margin: 0.0 }
    }
}

impl DualPerceptron {
    setters! { passes = "1000", order, bias = "Radius", margin = "At least 0; default 0." }

    fn validate(&self) -> Result<()> {
        self.walk.validate()?;
        check_margin(self.margin)
    }
}

impl<G: Gram + ?Sized> Learner<G, BinaryLabels> for DualPerceptron {
    type Model = DualExpansion;
    type Certificate = DualTrace;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, G, BinaryLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<DualExpansion, DualTrace>> {
        // Examples between two looks at the clock: each may cost a row of the Gram matrix.
        const BLOCK: usize = 16;
        self.validate()?;
        check_len(set.len())?;
        let (mut meter, visits) = (control.start(self.walk.passes), Visits::of(set)?);
        let mut journal = Journal::new(self.walk.order, set.len(), usize::MAX);
        let mut state = State::new(set, self.walk.bias, &visits, self.margin)?;
        let (stop, _) = run(&mut state, set.examples(), &visits, &mut journal, BLOCK, &mut meter)?;
        let model = DualExpansion::from_all(&state.coefficients(), state.bias)?;
        let separates = stop == Stop::Converged && !journal.is_cut();
        let trace = DualTrace {
            margin: self.margin,
            bias: self.walk.bias,
            bias_step: state.bias_step,
            journal,
            separates,
        };
        Ok(Fit { model, report: meter.report(stop, None), certificate: trace })
    }
}

struct State {
    signs: Vec<f64>,
    alpha: Vec<f64>,
    /// `Σⱼ αⱼ yⱼ K(xⱼ, xᵢ)` for every `i`.
    scores: Vec<f64>,
    bias: f64,
    bias_step: f64,
    margin: f64,
    row: Vec<f64>,
    /// Kernel values computed since the meter was last told.
    evaluations: u64,
}

impl State {
    fn new<G: Gram + ?Sized>(
        set: &TrainingSet<'_, G, BinaryLabels>,
        bias: Bias,
        visits: &Visits,
        margin: f64,
    ) -> Result<Self> {
        let (len, diagonal) = (set.len(), set.examples().diagonal()?);
        let visited = diagonal.into_iter().enumerate().filter(|&(row, _)| visits.to(row) > 0);
        let radius_squared = visited.fold(0.0, |largest, (_, value)| f64::max(largest, value));
        Ok(Self {
            signs: set.labels().values(),
            alpha: vec![0.0; len],
            scores: vec![0.0; len],
            bias: 0.0,
            bias_step: bias.step(radius_squared),
            margin,
            row: vec![0.0; len],
            evaluations: 0,
        })
    }

    fn coefficients(&self) -> Vec<f64> {
        self.alpha.iter().zip(&self.signs).map(|(alpha, sign)| alpha * sign).collect()
    }
}

impl<G: Gram + ?Sized> Procedure<G> for State {
    fn scores(&self, _: &G, rows: Range<usize>, out: &mut [f64]) {
        self.scores[rows].iter().zip(out).for_each(|(score, out)| *out = score + self.bias);
    }

    fn scores_at(&self, _: &G, rows: &[u32], out: &mut [f64]) {
        rows.iter().zip(out).for_each(|(&row, out)| *out = self.scores[row as usize] + self.bias);
    }

    fn is_due(&self, row: usize, score: f64) -> bool {
        !(self.signs[row] * score > self.margin)
    }

    /// Adds an example to the hypothesis.
    fn correct(&mut self, gram: &G, row: usize, _: f64, _: u64) -> Result<()> {
        let sign = self.signs[row];
        gram.fill(&[row], Columns::All, &mut self.row)?;
        self.evaluations += gram.len() as u64;
        self.scores.iter_mut().zip(&self.row).for_each(|(score, value)| *score += sign * value);
        self.alpha[row] += 1.0;
        self.bias += sign * self.bias_step;
        if self.bias.is_finite() && self.scores[row].is_finite() {
            Ok(())
        } else {
            Err(Error::Numerical { what: "a score of the perceptron (rescale the kernel)" })
        }
    }

    fn evaluations(&mut self) -> u64 {
        std::mem::take(&mut self.evaluations)
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
        let set = TrainingSet::new(&gram, &labels).unwrap();
        let mut state = State::new(&set, Bias::Radius, &Visits::Once, 0.0).unwrap();
        assert!(
            Procedure::<VectorGram<'_, Dense<'_>>>::is_due(&state, 0, 0.0),
            "on the hyperplane, so a mistake"
        );
        state.correct(&gram, 0, 0.0, 0).unwrap();
        assert_eq!((state.alpha[0], state.bias), (1.0, -4.0));
        assert_eq!(state.scores, [-1.0, -2.0]);
        let mut score = [0.0];
        state.scores(&gram, 0..1, &mut score);
        assert!(!Procedure::<VectorGram<'_, Dense<'_>>>::is_due(&state, 0, score[0]), "now right");
        state.correct(&gram, 1, 0.0, 1).unwrap();
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
        assert_eq!(
            weighted.certificate.journal().corrections(),
            repeated.certificate.journal().corrections()
        );
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
