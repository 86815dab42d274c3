//! The classifier that is told a share of errors instead of a cost (ν-SVC).
//!
//! ```text
//! primal:  minimise ½‖w‖² − νρ + (1/n) Σ ξᵢ   subject to yᵢ(⟨w·φ(xᵢ)⟩ + b) ≥ ρ − ξᵢ,  ξᵢ ≥ 0,  ρ ≥ 0
//! dual:    minimise ½ ΣΣ αᵢαⱼyᵢyⱼKᵢⱼ          subject to 0 ≤ αᵢ ≤ 1/n,  Σ αᵢyᵢ = 0,  Σ αᵢ = ν
//! ```
//! At most a share `ν` of the examples are margin errors, and at least that share are support vectors. The machine is
//! scaled so that its margins are at ±1: it is then the C-SVC with `C = 1/(ρn)`. Weights count as that many examples.
//! Where `ν` allows too few errors for any margin to be positive, `w` and `ρ` are 0 and the run ends as
//! [`Infeasible`](lm_core::Stop::Infeasible).

use lm_core::{BinaryLabels, Collection, Error, Result, TrainingSet};

use crate::bias::Bias;
use crate::c_svc::classification;
use crate::formulation::{Formulation, learner, weights};
use crate::maximal_margin::canonical;
use crate::problem::{Balance, DualProblem, Multipliers};
use crate::solver::Solver;

/// The settings of the ν-SVC.
///
/// ```
/// use lm_core::{BinaryLabels, Dense, Learner, VectorGram, VectorKernel};
/// use lm_qp::NuSvc;
///
/// let examples = Dense::new(vec![0.0, 0.3, 0.7, 0.9, 1.1, 1.5, 2.0, 0.5], 8, 1)?;
/// let labels = BinaryLabels::from_integers(&[-1, -1, -1, -1, 1, 1, 1, 1])?;
/// let gram = VectorGram::new(&examples, VectorKernel::gaussian(1.0)?)?;
/// let fit = NuSvc::default().with_nu(0.5).fit(&gram, &labels)?.converged()?;
/// assert!(fit.model.rows().len() >= 4); // at least half are support vectors
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NuSvc {
    nu: f64,
    solver: Solver,
}

impl Default for NuSvc {
    fn default() -> Self {
        Self { nu: 0.5, solver: Solver::default() }
    }
}

impl NuSvc {
    /// The share `ν`, > 0 and at most twice the share of the smaller class; default 0.5.
    #[must_use]
    pub fn with_nu(self, nu: f64) -> Self {
        Self { nu, ..self }
    }
}

impl Formulation<BinaryLabels> for NuSvc {
    fn problem<S: Collection + ?Sized>(&self, set: &TrainingSet<'_, S, BinaryLabels>) -> Result<DualProblem> {
        let (weights, signs) = (weights(set), set.labels().values());
        let total: f64 = weights.iter().sum();
        let of = |side: f64| {
            weights.iter().zip(&signs).filter(|(_, sign)| **sign == side).map(|(w, _)| w).sum::<f64>()
        };
        // A share of the smaller class that is meant to be all of it may be rounded up.
        let most = 2.0 * of(1.0).min(of(-1.0)) / total * (1.0 + 4.0 * f64::EPSILON * weights.len() as f64);
        if !(self.nu > 0.0 && self.nu <= most) {
            let accepted = "a number > 0 and at most twice the share of the smaller class";
            return Err(Error::Setting { name: "nu", value: self.nu, accepted });
        }
        let upper: Vec<f64> = weights.iter().map(|weight| weight / total).collect();
        let half = 0.5 * self.nu;
        let bounds = classification(set, &upper, Bias::None)?;
        let balance = Balance::Sides { positive: half, negative: half };
        DualProblem::new(bounds.lower().to_vec(), bounds.upper().to_vec(), vec![0.0; set.len()], balance)
    }

    fn solver(&self) -> Solver {
        self.solver
    }

    fn scale(&self, multipliers: Multipliers) -> f64 {
        canonical(multipliers)
    }

    fn nought(&self, largest: f64) -> Option<f64> {
        // The two points of the hulls are weighted by ν/2 each.
        Some(1e-14 * largest * (0.5 * self.nu).powi(2))
    }
}

learner!(NuSvc, BinaryLabels);
