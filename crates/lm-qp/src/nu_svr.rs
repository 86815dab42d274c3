//! Regression with a tube that finds its own width (ν-SVR).
//!
//! ```text
//! primal:  minimise ½‖w‖² + C (νε + (1/n) Σ max(0, |yᵢ − f(xᵢ)| − ε))   over w, b and ε ≥ 0
//! dual:    maximise Σ yᵢβᵢ − ½ ΣΣ βᵢβⱼKᵢⱼ   subject to |βᵢ| ≤ C/n,  Σ βᵢ = 0,  Σ|βᵢ| ≤ Cν
//! ```
//! At most a share `ν` of the examples lie outside the tube. Weights count as that many examples.

use lm_core::{Collection, Error, Result, Targets, TrainingSet};

use crate::bias::Bias;
use crate::certificate::DualCertificate;
use crate::epsilon_svr::regression;
use crate::formulation::{Formulation, check_positive, learner, weights};
use crate::problem::{Balance, DualProblem};
use crate::solver::Solver;

/// The settings of the ν-SVR.
///
/// ```
/// use lm_core::{Dense, Learner, Targets, VectorGram, VectorKernel};
/// use lm_qp::NuSvr;
///
/// let examples = Dense::new((0..10).map(f64::from).collect(), 10, 1)?;
/// let targets = Targets::new((0..10).map(|k| f64::from(k) + f64::from(k % 3)).collect())?;
/// let gram = VectorGram::new(&examples, VectorKernel::linear())?;
/// let fit = NuSvr::default().with_cost(100.0).with_nu(0.4).fit(&gram, &targets)?.converged()?;
/// assert!(fit.certificate.tube() > 0.0);
/// assert!(fit.model.rows().len() >= 4); // at least a share ν are support vectors
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NuSvr {
    cost: f64,
    nu: f64,
    solver: Solver,
}

impl Default for NuSvr {
    fn default() -> Self {
        Self { cost: 1.0, nu: 0.5, solver: Solver::default() }
    }
}

impl NuSvr {
    /// The cost `C`, shared out among the examples, finite and > 0; default 1. LIBSVM's cost is this one divided by the
    /// number of examples.
    #[must_use]
    pub fn with_cost(self, cost: f64) -> Self {
        Self { cost, ..self }
    }

    /// The share `ν`, > 0 and ≤ 1; default 0.5.
    #[must_use]
    pub fn with_nu(self, nu: f64) -> Self {
        Self { nu, ..self }
    }
}

impl Formulation<Targets> for NuSvr {
    fn problem<S: Collection + ?Sized>(&self, set: &TrainingSet<'_, S, Targets>) -> Result<DualProblem> {
        check_positive("cost", self.cost)?;
        if !(self.nu > 0.0 && self.nu <= 1.0) {
            return Err(Error::Setting { name: "nu", value: self.nu, accepted: "a number > 0 and ≤ 1" });
        }
        let weights = weights(set);
        let total: f64 = weights.iter().sum();
        let most = weights.iter().map(|weight| self.cost * (weight / total)).collect();
        let free = regression(set, most, 0.0, Bias::Free)?;
        let balance = Balance::Sizes { total: 0.0, most: self.cost * self.nu };
        DualProblem::new(free.lower().to_vec(), free.upper().to_vec(), free.above().to_vec(), balance)
    }

    fn solver(&self) -> Solver {
        self.solver
    }
}

impl DualCertificate<NuSvr> {
    /// The half width `ε` of the tube that was found.
    pub fn tube(&self) -> f64 {
        -self.multipliers().rho()
    }
}

learner!(NuSvr, Targets);
