//! Where most of the examples lie (one-class machine).
//!
//! ```text
//! primal:  minimise ½‖w‖² − ρ + (1/νn) Σ ξᵢ   subject to ⟨w·φ(xᵢ)⟩ ≥ ρ − ξᵢ,  ξᵢ ≥ 0
//! dual:    minimise ½ ΣΣ αᵢαⱼKᵢⱼ              subject to 0 ≤ αᵢ ≤ 1/(νn),  Σ αᵢ = 1
//! ```
//! The decision value is `Σ αᵢK(xᵢ, x) − ρ`, negative for at most a share `ν` of the examples. Weights count as that many
//! examples. Where the origin lies among the examples, `w` and `ρ` are 0 and the run ends as
//! [`Infeasible`](lm_core::Stop::Infeasible).

use lm_core::{Collection, Error, Labelling, Result, TrainingSet};

use crate::formulation::{Formulation, learner, weights};
use crate::problem::{Balance, DualProblem};
use crate::solver::Solver;

/// The labels of examples that have none: only their number.
///
/// ```
/// use lm_core::Collection;
/// use lm_qp::Unlabelled;
///
/// assert_eq!(Unlabelled::new(3).len(), 3);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unlabelled(usize);

impl Unlabelled {
    /// No labels for this many examples.
    pub fn new(len: usize) -> Self {
        Self(len)
    }
}

impl Collection for Unlabelled {
    fn len(&self) -> usize {
        self.0
    }
}

impl Labelling for Unlabelled {
    fn select(&self, rows: &[usize]) -> Result<Self> {
        match rows.iter().find(|&&row| row >= self.0) {
            Some(&index) => Err(Error::Index { what: "row", index, len: self.0 }),
            None if rows.is_empty() => Err(Error::Empty { what: "the selection" }),
            None => Ok(Self(rows.len())),
        }
    }
}

/// The settings of the one-class machine.
///
/// ```
/// use lm_core::{Dense, Hypothesis, Learner, VectorGram, VectorKernel};
/// use lm_qp::{OneClass, Unlabelled};
///
/// let examples = Dense::new(vec![0.0, 0.1, 0.2, 0.15, 0.05, 9.0], 6, 1)?;
/// let gram = VectorGram::new(&examples, VectorKernel::gaussian(1.0)?)?;
/// let fit = OneClass::default().with_nu(0.5).fit(&gram, &Unlabelled::new(6))?.converged()?;
/// let values = fit.model.decision_values(&gram)?;
/// assert!(values[5] < 0.0 && values[1] > 0.0); // the far one is the odd one
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OneClass {
    nu: f64,
    solver: Solver,
}

impl Default for OneClass {
    fn default() -> Self {
        Self { nu: 0.5, solver: Solver::default() }
    }
}

impl OneClass {
    /// The share `ν` of examples that may lie outside, > 0 and ≤ 1; default 0.5.
    #[must_use]
    pub fn with_nu(self, nu: f64) -> Self {
        Self { nu, ..self }
    }
}

impl Formulation<Unlabelled> for OneClass {
    fn problem<S: Collection + ?Sized>(&self, set: &TrainingSet<'_, S, Unlabelled>) -> Result<DualProblem> {
        if !(self.nu > 0.0 && self.nu <= 1.0) {
            return Err(Error::Setting { name: "nu", value: self.nu, accepted: "a number > 0 and ≤ 1" });
        }
        let weights = weights(set);
        let total: f64 = weights.iter().sum();
        let upper = weights.iter().map(|weight| weight / (self.nu * total)).collect();
        DualProblem::new(vec![0.0; set.len()], upper, vec![0.0; set.len()], Balance::Total(1.0))
    }

    fn solver(&self) -> Solver {
        self.solver
    }

    fn nought(&self, largest: f64) -> Option<f64> {
        Some(1e-14 * largest)
    }
}

learner!(OneClass, Unlabelled);
