//! The soft margin machine with both norms of the slack.
//!
//! ```text
//! primal:  minimise ½‖w‖² + C₁ Σ ξᵢ + ½C₂ Σ ξᵢ²   subject to yᵢ(⟨w·φ(xᵢ)⟩ + b) ≥ 1 − ξᵢ,  ξᵢ ≥ 0
//! ```
//! A sum of two losses is what two copies of each example with a loss each cost: the dual has two variables an example, one
//! between 0 and `C₁`, the other unbounded with a ridge of `1/C₂`. A weight multiplies both costs.

use lm_core::{BinaryLabels, Collection, Result, TrainingSet};

use crate::bias::Bias;
use crate::formulation::{Formulation, check_positive, learner, weights};
use crate::problem::{Balance, DualProblem};
use crate::solver::Solver;
use crate::two_norm_svc::squared;

/// The settings of the machine with mixed norms.
///
/// ```
/// use lm_core::{BinaryLabels, Dense, Hypothesis, Learner, VectorGram, VectorKernel};
/// use lm_qp::MixedSvc;
///
/// let examples = Dense::new(vec![0.0, 1.0, 0.9, 2.0], 4, 1)?;
/// let labels = BinaryLabels::from_integers(&[-1, -1, 1, 1])?;
/// let gram = VectorGram::new(&examples, VectorKernel::linear())?;
/// let fit = MixedSvc::default().with_costs(1.0, 2.0).fit(&gram, &labels)?.converged()?;
/// let loss = |slack: f64| slack + slack * slack;
/// let values = fit.model.decision_values(&gram)?;
/// let paid: f64 = values.iter().zip(labels.values()).map(|(f, y)| loss((1.0 - y * f).max(0.0))).sum();
/// let primal = 0.5 * fit.model.norm_squared(&gram)? + paid;
/// assert!((primal - fit.certificate.figures().primal).abs() < 1e-9);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MixedSvc {
    linear: f64,
    squared: f64,
    bias: Bias,
    solver: Solver,
}

impl Default for MixedSvc {
    fn default() -> Self {
        Self { linear: 1.0, squared: 1.0, bias: Bias::Free, solver: Solver::default() }
    }
}

impl MixedSvc {
    /// The costs `C₁` of slack and `C₂` of squared slack, both finite and > 0; default 1 and 1.
    #[must_use]
    pub fn with_costs(self, linear: f64, squared: f64) -> Self {
        Self { linear, squared, ..self }
    }

    /// What is done about the bias; default [`Bias::Free`].
    #[must_use]
    pub fn with_bias(self, bias: Bias) -> Self {
        Self { bias, ..self }
    }
}

impl Formulation<BinaryLabels> for MixedSvc {
    fn problem<S: Collection + ?Sized>(&self, set: &TrainingSet<'_, S, BinaryLabels>) -> Result<DualProblem> {
        check_positive("linear cost", self.linear)?;
        check_positive("squared cost", self.squared)?;
        let (weights, n) = (weights(set), set.len());
        let costs: Vec<f64> = weights.iter().map(|weight| weight * self.squared).collect();
        let (unbounded, ridges) = squared(&costs);
        let most: Vec<f64> = weights.iter().map(|weight| weight * self.linear).chain(unbounded).collect();
        let signs = set.labels().values().repeat(2);
        let on_side =
            |side: f64| move |(&most, &sign): (&f64, &f64)| if sign == side { side * most } else { 0.0 };
        let upper = most.iter().zip(&signs).map(on_side(1.0)).collect();
        let lower = most.iter().zip(&signs).map(on_side(-1.0)).collect();
        let balance = if self.bias == Bias::Free { Balance::Total(0.0) } else { Balance::Open };
        let ridge = vec![0.0; n].into_iter().chain(ridges).collect();
        DualProblem::new(lower, upper, signs.iter().map(|sign| -sign).collect(), balance)?.with_ridge(ridge)
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

    fn copies(&self) -> usize {
        2
    }
}

learner!(MixedSvc, BinaryLabels);
