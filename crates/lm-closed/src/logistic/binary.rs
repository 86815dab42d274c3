//! Logistic regression of two classes: settings, model and probabilities.

use lm_core::{
    BinaryLabels, Control, Dense, Error, Examples, Fit, Hypothesis, Learner, Lift, Linear, Result,
    TrainingSet,
};

use super::certificate::LogisticCertificate;
use super::likelihood::sigmoid;
use super::run::Plan;
use super::sample::Sample;

/// The setters of a logistic learner.
macro_rules! settings {
    ($type:ident) => {
        impl Default for $type {
            fn default() -> Self {
                Self(Plan::DEFAULT)
            }
        }

        impl $type {
            /// The penalty `λ` on `½‖w‖²`, finite and ≥ 0; default 1, which is C = 1/λ = 1 of other programs. With
            /// `λ = 0` the likelihood alone is maximised; where it has no maximum, the fit says so and proves it. A mean
            /// of losses with `λ'‖w‖²`, as some texts write it, is `λ = 2nλ'` here. A small penalty costs more steps.
            #[must_use]
            pub fn with_penalty(self, penalty: f64) -> Self {
                Self(Plan { penalty, ..self.0 })
            }

            /// The relative duality gap at which the model is good enough, between 0 and 1; default 1e-10. Convergence is
            /// quadratic: a smaller gap costs a step, if any. Below some 4e-15 the gap is lost in rounding; a smaller
            /// tolerance still makes the last step smaller, which gives more digits of the coefficients.
            #[must_use]
            pub fn with_tolerance(self, tolerance: f64) -> Self {
                Self(Plan { tolerance, ..self.0 })
            }

            /// Ends the run after this many Newton steps; default 100. A budget on iterations takes its place.
            #[must_use]
            pub fn with_steps(self, steps: u64) -> Self {
                Self(Plan { steps, ..self.0 })
            }
        }
    };
}
pub(super) use settings;

/// The settings of logistic regression of two classes.
///
/// ```text
/// minimise Σ ωᵢ log(1 + exp(−yᵢ(⟨w·xᵢ⟩ + b))) + ½λ‖w‖²   over w and b
/// ```
/// The bias is not penalised. A weight means what that many copies of the example mean. With `λ = 0` and classes that can
/// be separated, no minimum exists: the run then ends with [`Stop::Infeasible`](lm_core::Stop::Infeasible), a model that
/// separates them, and a [`Recession`](super::Recession) as the proof. With up to 1500 coefficients, and memory for the
/// Hessian, steps are exact ([`Irls`](super::Irls)), beyond by conjugate gradients.
///
/// ```
/// use lm_closed::Logistic;
/// use lm_core::{BinaryLabels, Certificate, Dense, Learner, TrainingSet};
///
/// let hours = Dense::new(vec![0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0], 8, 1)?;
/// let passed = BinaryLabels::from_integers(&[0, 0, 0, 1, 0, 1, 1, 1])?;
/// let digits = Logistic::default().with_penalty(0.0).with_tolerance(1e-14);
/// let fit = digits.fit(&hours, &passed)?.converged()?;
/// assert!(fit.model.probability(&[1.0])? < 0.5 && fit.model.probability(&[4.0])? > 0.5);
/// // At the maximum of the likelihood, probabilities add up to the number of those who passed.
/// let expected: f64 = fit.model.probabilities(&hours)?.iter().sum();
/// assert!((expected - 4.0).abs() < 1e-9);
/// assert!(fit.certificate.verify(&TrainingSet::new(&hours, &passed)?)?.is_valid());
///
/// // Without the overlap, there is no maximum.
/// let apart = BinaryLabels::from_integers(&[0, 0, 0, 0, 1, 1, 1, 1])?;
/// let fit = Logistic::default().with_penalty(0.0).fit(&hours, &apart)?;
/// let separation = fit.certificate.recession().and_then(|proof| proof.separation());
/// assert!(separation.is_some_and(|separation| separation.margin > 0.0));
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Logistic(Plan);

settings!(Logistic);

impl<E: Examples + ?Sized> Learner<E, BinaryLabels> for Logistic {
    type Model = LogisticModel;
    type Certificate = LogisticCertificate;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, E, BinaryLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<LogisticModel, LogisticCertificate>> {
        let (functions, report, certificate) = self.0.fit(&Sample::binary(set), control)?;
        Ok(Fit { model: LogisticModel::of(functions)?, report, certificate })
    }
}

/// A linear function whose logistic transform is the probability of the positive class.
///
/// ```
/// use lm_closed::LogisticModel;
/// use lm_core::Linear;
///
/// let model = LogisticModel::new(Linear::new(vec![2.0], -1.0)?);
/// assert_eq!(model.probability(&[0.5])?, 0.5);
/// assert!(model.probability(&[1e6])? < 1.0); // never certain
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LogisticModel {
    function: Linear,
}

/// The largest number below 1, and the smallest normal number: what a probability is kept between.
const BOUNDS: (f64, f64) = (f64::MIN_POSITIVE, 1.0 - f64::EPSILON / 2.0);

/// Keeps a probability off 0 and 1, which no finite score means.
pub(super) fn open(probability: f64) -> f64 {
    probability.clamp(BOUNDS.0, BOUNDS.1)
}

impl LogisticModel {
    /// The model of a linear function.
    pub fn new(function: Linear) -> Self {
        Self { function }
    }

    /// The model of a list of one function.
    pub(super) fn of(functions: Vec<Linear>) -> Result<Self> {
        let function = functions.into_iter().next();
        function.map(Self::new).ok_or(Error::Empty { what: "the list of functions" })
    }

    /// The function: the logarithm of the odds of the positive class.
    pub fn function(&self) -> &Linear {
        &self.function
    }

    /// The probability of the positive class of one example, strictly between 0 and 1.
    ///
    /// # Errors
    /// As [`Linear::decision`].
    pub fn probability(&self, example: &[f64]) -> Result<f64> {
        self.probabilities(&Dense::single(example)?)?
            .first()
            .copied()
            .ok_or(Error::Empty { what: "the example" })
    }

    /// The probability of the positive class of every example, strictly between 0 and 1.
    ///
    /// # Errors
    /// As [`Hypothesis::decision_values_into`].
    pub fn probabilities<E: Examples + ?Sized>(&self, examples: &E) -> Result<Vec<f64>> {
        let mut values = self.function.decision_values(examples)?;
        values.iter_mut().for_each(|value| *value = open(sigmoid(*value)));
        Ok(values)
    }
}

impl<E: Examples + ?Sized> Hypothesis<E> for LogisticModel {
    fn decision_values_into(&self, set: &E, out: &mut [f64]) -> Result<()> {
        self.function.decision_values_into(set, out)
    }
}

impl Lift for LogisticModel {
    fn lifted(self, _: &[usize]) -> Result<Self> {
        Ok(self)
    }
}

#[cfg(feature = "persist")]
impl lm_core::persist::Persist for LogisticModel {
    const KIND: &'static str = "logistic";
    const VERSION: u16 = 1;
}
