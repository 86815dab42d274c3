//! Logistic regression of any number of classes: one linear function for each, and the softmax of their values.

use lm_core::multiclass::{Classifier, Decisions, LinearMachine};
use lm_core::{ClassLabels, Control, Dense, Error, Examples, Fit, Learner, Result, TrainingSet};

use super::binary::{open, settings};
use super::certificate::LogisticCertificate;
use super::likelihood::Likelihood;
use super::run::Plan;
use super::sample::Sample;

/// The settings of multinomial logistic regression.
///
/// ```text
/// minimise Σ ωᵢ (log Σₖ exp fₖ(xᵢ) − f_yᵢ(xᵢ)) + ½λΣₖ‖wₖ‖²   over fₖ(x) = ⟨wₖ·x⟩ + bₖ
/// ```
/// No class is a reference: functions sum to zero, which is the solution of least norm where the objective does not
/// change if all functions move together (without a penalty), and what the penalty asks for (with one). With two classes
/// and twice the penalty of [`Logistic`](super::Logistic) the difference of both functions is its function.
///
/// ```
/// use lm_closed::Multinomial;
/// use lm_core::multiclass::Classifier;
/// use lm_core::{ClassLabels, Dense, Learner};
///
/// let examples = Dense::new(vec![0.0, 1.0, 2.0, 4.0, 5.0, 6.0, 8.0, 9.0, 10.0], 9, 1)?;
/// let labels = ClassLabels::from_integers(&[1, 1, 2, 1, 2, 2, 3, 2, 3])?;
/// let fit = Multinomial::default().with_penalty(0.01).fit(&examples, &labels)?.converged()?;
/// assert_eq!(fit.model.classify(&Dense::new(vec![0.5, 5.5, 12.0], 3, 1)?)?, [1, 2, 3]);
/// let p = fit.model.probability(&[5.5])?;
/// assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-15);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Multinomial(Plan);

settings!(Multinomial);

impl<E: Examples + ?Sized> Learner<E, ClassLabels> for Multinomial {
    type Model = MultinomialModel;
    type Certificate = LogisticCertificate;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, E, ClassLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<MultinomialModel, LogisticCertificate>> {
        let (functions, report, certificate) = self.0.fit(&Sample::classes(set), control)?;
        let machine = LinearMachine::new(set.labels().classes().to_vec(), functions)?;
        Ok(Fit { model: MultinomialModel { machine }, report, certificate })
    }
}

/// A linear machine whose values are logarithms of probabilities, up to a constant.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MultinomialModel {
    machine: LinearMachine,
}

impl MultinomialModel {
    /// The model of a linear machine.
    pub fn new(machine: LinearMachine) -> Self {
        Self { machine }
    }

    /// The functions and the classes.
    pub fn machine(&self) -> &LinearMachine {
        &self.machine
    }

    /// The probability of each class of one example, in the order of the classes, each strictly between 0 and 1.
    ///
    /// # Errors
    /// As [`Linear::decision`](lm_core::Linear::decision).
    pub fn probability(&self, example: &[f64]) -> Result<Vec<f64>> {
        self.probabilities(&Dense::single(example)?)?
            .into_iter()
            .next()
            .ok_or(Error::Empty { what: "the example" })
    }

    /// The probability of each class of every example.
    ///
    /// # Errors
    /// As [`Classifier::decisions`].
    pub fn probabilities<E: Examples + ?Sized>(&self, examples: &E) -> Result<Vec<Vec<f64>>> {
        let decisions = self.machine.decisions(examples)?;
        let likelihood = Likelihood::Softmax(decisions.width());
        let row = |scores: &[f64]| {
            let mut scores = scores.to_vec();
            likelihood.probabilities(&mut scores);
            scores.iter_mut().for_each(|p| *p = open(*p));
            scores
        };
        Ok(decisions.rows().map(row).collect())
    }
}

impl<E: Examples + ?Sized> Classifier<E> for MultinomialModel {
    fn classes(&self) -> &[i64] {
        Classifier::<E>::classes(&self.machine)
    }

    fn class_numbers(&self, set: &E) -> Result<Vec<usize>> {
        self.machine.class_numbers(set)
    }

    fn decisions(&self, set: &E) -> Result<Decisions> {
        self.machine.decisions(set)
    }
}

#[cfg(feature = "persist")]
impl lm_core::persist::Persist for MultinomialModel {
    const KIND: &'static str = "multinomial";
    const VERSION: u16 = 1;
}
