//! Regression with a tube (ε-SVR).
//!
//! ```text
//! primal:  minimise ½‖w‖² + C Σ max(0, |yᵢ − f(xᵢ)| − ε)
//! dual:    maximise Σ yᵢβᵢ − ε Σ|βᵢ| − ½ ΣΣ βᵢβⱼKᵢⱼ   subject to −C ≤ βᵢ ≤ C,  Σ βᵢ = 0
//! ```
//! One variable an example: `β = α − α*`, and the tube is a kink at 0. Examples inside the tube have `β = 0`, those outside
//! it `|β| = C`. A weight multiplies `C`.

use lm_core::{Collection, Error, Result, Targets, TrainingSet};

use crate::bias::Bias;
use crate::formulation::{Formulation, check_positive, learner, weights};
use crate::problem::{Balance, DualProblem};
use crate::solver::Solver;

/// The settings of the regression with a tube.
///
/// ```
/// use lm_core::{Dense, Hypothesis, Learner, Targets, VectorGram, VectorKernel};
/// use lm_qp::EpsilonSvr;
///
/// let examples = Dense::new(vec![0.0, 1.0, 2.0, 3.0], 4, 1)?;
/// let targets = Targets::new(vec![0.0, 1.1, 1.9, 3.0])?;
/// let gram = VectorGram::new(&examples, VectorKernel::linear())?;
/// let fit = EpsilonSvr::default().with_cost(10.0).with_epsilon(0.2).fit(&gram, &targets)?.converged()?;
/// // A flat line of the tube's freedom: every target within ε.
/// for (value, target) in fit.model.decision_values(&gram)?.iter().zip(targets.values()) {
///     assert!((value - target).abs() < 0.2 + 1e-4);
/// }
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EpsilonSvr {
    cost: f64,
    epsilon: f64,
    bias: Bias,
    solver: Solver,
}

impl Default for EpsilonSvr {
    fn default() -> Self {
        Self { cost: 1.0, epsilon: 0.1, bias: Bias::Free, solver: Solver::default() }
    }
}

impl EpsilonSvr {
    /// The cost `C` of a unit of distance from the tube, finite and > 0; default 1.
    #[must_use]
    pub fn with_cost(self, cost: f64) -> Self {
        Self { cost, ..self }
    }

    /// The half width `ε` of the tube, finite and ≥ 0; default 0.1. A wider tube has fewer support vectors.
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

/// The problem of a regression whose coefficients have these largest sizes.
pub(crate) fn regression<S: Collection + ?Sized>(
    set: &TrainingSet<'_, S, Targets>,
    most: Vec<f64>,
    epsilon: f64,
    bias: Bias,
) -> Result<DualProblem> {
    if !(epsilon >= 0.0 && epsilon.is_finite()) {
        return Err(Error::Setting { name: "epsilon", value: epsilon, accepted: "a finite number ≥ 0" });
    }
    let balance = if bias == Bias::Free { Balance::Total(0.0) } else { Balance::Open };
    let lower = most.iter().map(|most| -most).collect();
    let slopes = set.labels().values().iter().map(|target| -target).collect();
    DualProblem::new(lower, most, slopes, balance)?.with_tube(&vec![epsilon; set.len()])
}

impl Formulation<Targets> for EpsilonSvr {
    fn problem<S: Collection + ?Sized>(&self, set: &TrainingSet<'_, S, Targets>) -> Result<DualProblem> {
        check_positive("cost", self.cost)?;
        let most = weights(set).iter().map(|weight| weight * self.cost).collect();
        regression(set, most, self.epsilon, self.bias)
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

learner!(EpsilonSvr, Targets);
