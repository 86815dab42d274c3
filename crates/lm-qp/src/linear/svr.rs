//! Linear regression with a tube, without a kernel.

use lm_core::{Collection, Control, Examples, Fit, Learner, Linear, Result, Targets, TrainingSet};

use super::{LinearCertificate, LinearMachine, LinearSolver, Means, fit, shared_settings};
use crate::bias::Bias;
use crate::epsilon_svr::regression;
use crate::formulation::{check_positive, weights};
use crate::problem::DualProblem;
use crate::two_norm_svc::squared;

/// What a target outside the tube costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SvrLoss {
    /// `max(0, |y − f(x)| − ε)`: an outlier counts by its distance.
    #[default]
    EpsilonInsensitive,
    /// `max(0, |y − f(x)| − ε)²`: smooth, so it takes fewer steps.
    SquaredEpsilonInsensitive,
}

/// The settings of linear regression with a tube: `½‖w‖² + C Σ loss`.
///
/// ```
/// use lm_core::{Dense, Hypothesis, Learner, Targets};
/// use lm_qp::linear::LinearSvr;
///
/// let examples = Dense::new(vec![0.0, 1.0, 2.0, 3.0], 4, 1)?;
/// let targets = Targets::new(vec![0.0, 1.1, 1.9, 3.0])?;
/// let machine = LinearSvr::default().with_cost(10.0).with_epsilon(0.2);
/// let fit = machine.fit(&examples, &targets)?.converged()?;
/// // The flattest line within ε of every target.
/// for (value, target) in fit.model.decision_values(&examples)?.iter().zip(targets.values()) {
///     assert!((value - target).abs() < 0.2 + 1e-4);
/// }
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// The plain loss is the machine of [`EpsilonSvr`](crate::EpsilonSvr) with the linear kernel. The squared one with `C` is
/// [`QuadraticSvr`](crate::QuadraticSvr) with `2C`: there the square has a factor ½, here, as in LIBLINEAR, it has none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinearSvr {
    cost: f64,
    epsilon: f64,
    loss: SvrLoss,
    bias: Bias,
    means: Means,
}

impl Default for LinearSvr {
    fn default() -> Self {
        let (loss, bias, means) = (SvrLoss::EpsilonInsensitive, Bias::Free, Means::default());
        Self { cost: 1.0, epsilon: 0.1, loss, bias, means }
    }
}

impl LinearSvr {
    /// What a target outside the tube costs; default [`SvrLoss::EpsilonInsensitive`].
    #[must_use]
    pub fn with_loss(self, loss: SvrLoss) -> Self {
        Self { loss, ..self }
    }

    /// The half width `ε` of the tube, finite and ≥ 0; default 0.1.
    #[must_use]
    pub fn with_epsilon(self, epsilon: f64) -> Self {
        Self { epsilon, ..self }
    }

    /// The loss.
    pub fn loss(&self) -> SvrLoss {
        self.loss
    }

    /// The half width `ε`.
    pub fn epsilon(&self) -> f64 {
        self.epsilon
    }
}

shared_settings!(LinearSvr);

impl LinearMachine<Targets> for LinearSvr {
    fn problem<S: Collection + ?Sized>(&self, set: &TrainingSet<'_, S, Targets>) -> Result<DualProblem> {
        check_positive("cost", self.cost)?;
        let costs: Vec<f64> = weights(set).iter().map(|weight| weight * self.cost).collect();
        match self.loss {
            SvrLoss::EpsilonInsensitive => regression(set, costs, self.epsilon, self.bias),
            SvrLoss::SquaredEpsilonInsensitive => {
                let doubled: Vec<f64> = costs.iter().map(|cost| 2.0 * cost).collect();
                let (most, ridge) = squared(&doubled);
                regression(set, most, self.epsilon, self.bias)?.with_ridge(ridge)
            }
        }
    }

    fn bias(&self) -> Bias {
        self.bias
    }
}

impl<E: Examples + ?Sized> Learner<E, Targets> for LinearSvr {
    type Model = Linear;
    type Certificate = LinearCertificate<Self>;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, E, Targets>,
        control: &Control<'_>,
    ) -> Result<Fit<Linear, LinearCertificate<Self>>> {
        fit(self, &self.means, set, control)
    }
}
