//! Linear classification by a margin, without a kernel.

use lm_core::{BinaryLabels, Collection, Control, Examples, Fit, Learner, Linear, Result, TrainingSet};

use super::{LinearCertificate, LinearMachine, LinearSolver, Means, fit, shared_settings};
use crate::bias::Bias;
use crate::c_svc::classification;
use crate::formulation::{check_positive, weights};
use crate::problem::DualProblem;
use crate::two_norm_svc::squared;

/// What a margin below 1 costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SvcLoss {
    /// `max(0, 1 − y·f(x))`: few examples have a coefficient.
    #[default]
    Hinge,
    /// `max(0, 1 − y·f(x))²`: smooth, so it takes fewer steps.
    SquaredHinge,
}

/// The settings of linear classification: `½‖w‖² + C Σ loss`.
///
/// ```
/// use lm_core::{BinaryLabels, Certificate, Dense, Hypothesis, Learner, TrainingSet};
/// use lm_qp::linear::LinearSvc;
///
/// let examples = Dense::new(vec![0.0, 0.0, 1.0, 0.0, 3.0, 1.0, 4.0, 0.5], 4, 2)?;
/// let labels = BinaryLabels::from_integers(&[-1, -1, 1, 1])?;
/// let fit = LinearSvc::default().with_cost(10.0).fit(&examples, &labels)?.converged()?;
/// assert_eq!(fit.model.signs(&examples)?, labels.signs());
/// assert!(fit.certificate.figures().relative_gap() <= 1e-6);
/// assert!(fit.certificate.verify(&TrainingSet::new(&examples, &labels)?)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// The hinge is the machine of [`CSvc`](crate::CSvc) with the linear kernel. The squared hinge with `C` is
/// [`TwoNormSvc`](crate::TwoNormSvc) with `2C`: there the square has a factor ½, here, as in LIBLINEAR, it has none.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LinearSvc {
    cost: f64,
    loss: SvcLoss,
    bias: Bias,
    means: Means,
}

impl Default for LinearSvc {
    fn default() -> Self {
        Self { cost: 1.0, loss: SvcLoss::Hinge, bias: Bias::Free, means: Means::default() }
    }
}

impl LinearSvc {
    /// What a margin below 1 costs; default [`SvcLoss::Hinge`].
    #[must_use]
    pub fn with_loss(self, loss: SvcLoss) -> Self {
        Self { loss, ..self }
    }

    /// The loss.
    pub fn loss(&self) -> SvcLoss {
        self.loss
    }
}

shared_settings!(LinearSvc);

impl LinearMachine<BinaryLabels> for LinearSvc {
    fn problem<S: Collection + ?Sized>(&self, set: &TrainingSet<'_, S, BinaryLabels>) -> Result<DualProblem> {
        check_positive("cost", self.cost)?;
        let costs: Vec<f64> = weights(set).iter().map(|weight| weight * self.cost).collect();
        match self.loss {
            SvcLoss::Hinge => classification(set, &costs, self.bias),
            SvcLoss::SquaredHinge => {
                let doubled: Vec<f64> = costs.iter().map(|cost| 2.0 * cost).collect();
                let (most, ridge) = squared(&doubled);
                classification(set, &most, self.bias)?.with_ridge(ridge)
            }
        }
    }

    fn bias(&self) -> Bias {
        self.bias
    }
}

impl<E: Examples + ?Sized> Learner<E, BinaryLabels> for LinearSvc {
    type Model = Linear;
    type Certificate = LinearCertificate<Self>;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, E, BinaryLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<Linear, LinearCertificate<Self>>> {
        fit(self, &self.means, set, control)
    }
}
