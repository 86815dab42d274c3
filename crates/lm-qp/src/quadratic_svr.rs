//! Regression with a tube and squared loss outside it.
//!
//! ```text
//! primal:  minimise ½‖w‖² + ½C Σ max(0, |yᵢ − f(xᵢ)| − ε)²
//! dual:    maximise Σ yᵢβᵢ − ε Σ|βᵢ| − ½ ΣΣ βᵢβⱼ(Kᵢⱼ + δᵢⱼ/C)   subject to Σ βᵢ = 0
//! ```
//! Without a tube, `ε = 0`, it is ridge regression with `λ = 1/C` and a bias. A weight multiplies `C`.

use lm_core::{Collection, Result, Targets, TrainingSet};

use crate::bias::Bias;
use crate::epsilon_svr::regression;
use crate::formulation::{Formulation, check_positive, learner, weights};
use crate::problem::DualProblem;
use crate::solver::Solver;
use crate::two_norm_svc::squared;

/// The settings of the regression with squared loss outside a tube.
///
/// ```
/// use lm_core::{Dense, Hypothesis, Learner, Targets, VectorGram, VectorKernel};
/// use lm_qp::QuadraticSvr;
///
/// let examples = Dense::new(vec![0.0, 1.0, 2.0], 3, 1)?;
/// let targets = Targets::new(vec![0.0, 1.0, 5.0])?;
/// let gram = VectorGram::new(&examples, VectorKernel::linear())?;
/// let (cost, epsilon) = (3.0, 0.25);
/// let machine = QuadraticSvr::default().with_cost(cost).with_epsilon(epsilon).with_gap(1e-12);
/// let fit = machine.fit(&gram, &targets)?.converged()?;
/// // Outside the tube the coefficient is C times the distance to it.
/// let values = fit.model.decision_values(&gram)?;
/// for ((value, target), beta) in values.iter().zip(targets.values()).zip(fit.certificate.coefficients()) {
///     let outside = ((target - value).abs() - epsilon).max(0.0) * (target - value).signum();
///     assert!((beta - cost * outside).abs() < 1e-5);
/// }
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuadraticSvr {
    cost: f64,
    epsilon: f64,
    bias: Bias,
    solver: Solver,
}

impl Default for QuadraticSvr {
    fn default() -> Self {
        Self { cost: 1.0, epsilon: 0.1, bias: Bias::Free, solver: Solver::default() }
    }
}

impl QuadraticSvr {
    /// The cost `C` of a squared unit of distance from the tube, finite and > 0; default 1.
    #[must_use]
    pub fn with_cost(self, cost: f64) -> Self {
        Self { cost, ..self }
    }

    /// The half width `ε` of the tube, finite and ≥ 0; default 0.1.
    #[must_use]
    pub fn with_epsilon(self, epsilon: f64) -> Self {
        Self { epsilon, ..self }
    }

    /// What is done about the bias; default [`Bias::Free`].
    #[must_use]
    pub fn with_bias(self, bias: Bias) -> Self {
        Self { bias, ..self }
    }
}

impl Formulation<Targets> for QuadraticSvr {
    fn problem<S: Collection + ?Sized>(&self, set: &TrainingSet<'_, S, Targets>) -> Result<DualProblem> {
        check_positive("cost", self.cost)?;
        let costs: Vec<f64> = weights(set).iter().map(|weight| weight * self.cost).collect();
        let (most, ridge) = squared(&costs);
        regression(set, most, self.epsilon, self.bias)?.with_ridge(ridge)
    }

    fn solver(&self) -> Solver {
        self.solver
    }

    fn bias(&self) -> Bias {
        self.bias
    }

    fn is_sum_of_losses(&self) -> bool {
        true
    }
}

learner!(QuadraticSvr, Targets);
