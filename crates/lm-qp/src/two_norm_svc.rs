//! The 2-norm soft margin machine: squared slack.
//!
//! ```text
//! primal:  minimise ½‖w‖² + ½C Σ ξᵢ²                  subject to yᵢ(⟨w·φ(xᵢ)⟩ + b) ≥ 1 − ξᵢ
//! dual:    maximise Σαᵢ − ½ ΣΣ αᵢαⱼyᵢyⱼ(Kᵢⱼ + δᵢⱼ/C)   subject to 0 ≤ αᵢ,  Σ αᵢyᵢ = 0
//! ```
//! It is the maximal margin machine of the kernel `K + δ/C`. A weight multiplies `C`.

use lm_core::{BinaryLabels, Collection, Result, TrainingSet};

use crate::bias::Bias;
use crate::c_svc::classification;
use crate::formulation::{Formulation, check_positive, learner, weights};
use crate::problem::DualProblem;
use crate::solver::Solver;

/// The settings of the 2-norm soft margin machine.
///
/// ```
/// use lm_core::{BinaryLabels, Dense, Hypothesis, Learner, VectorGram, VectorKernel};
/// use lm_qp::TwoNormSvc;
///
/// let examples = Dense::new(vec![0.0, 1.0, 0.9, 2.0], 4, 1)?;
/// let labels = BinaryLabels::from_integers(&[-1, -1, 1, 1])?;
/// let gram = VectorGram::new(&examples, VectorKernel::linear())?;
/// let cost = 10.0;
/// let fit = TwoNormSvc::default().with_cost(cost).with_gap(1e-12).fit(&gram, &labels)?.converged()?;
/// // The slack of an example is α/C, whatever its α.
/// let values = fit.model.decision_values(&gram)?;
/// for ((value, sign), alpha) in values.iter().zip(labels.values()).zip(fit.certificate.alpha()) {
///     assert!(((1.0 - sign * value).max(0.0) - alpha / cost).abs() < 1e-5);
/// }
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TwoNormSvc {
    cost: f64,
    bias: Bias,
    solver: Solver,
}

impl Default for TwoNormSvc {
    fn default() -> Self {
        Self { cost: 1.0, bias: Bias::Free, solver: Solver::default() }
    }
}

impl TwoNormSvc {
    /// The cost `C` of squared slack, finite and > 0; default 1. A larger cost takes more iterations.
    #[must_use]
    pub fn with_cost(self, cost: f64) -> Self {
        Self { cost, ..self }
    }

    /// What is done about the bias; default [`Bias::Free`].
    #[must_use]
    pub fn with_bias(self, bias: Bias) -> Self {
        Self { bias, ..self }
    }
}

/// The largest multipliers and the ridge of squared slack at these costs; an example without cost is left out.
pub(crate) fn squared(costs: &[f64]) -> (Vec<f64>, Vec<f64>) {
    costs.iter().map(|&cost| if cost > 0.0 { (f64::INFINITY, 1.0 / cost) } else { (0.0, 0.0) }).unzip()
}

impl Formulation<BinaryLabels> for TwoNormSvc {
    fn problem<S: Collection + ?Sized>(&self, set: &TrainingSet<'_, S, BinaryLabels>) -> Result<DualProblem> {
        check_positive("cost", self.cost)?;
        let costs: Vec<f64> = weights(set).iter().map(|weight| weight * self.cost).collect();
        let (most, ridge) = squared(&costs);
        classification(set, &most, self.bias)?.with_ridge(ridge)
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

learner!(TwoNormSvc, BinaryLabels);
