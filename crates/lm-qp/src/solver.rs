//! How a dual problem is solved: the settings that every formulation shares, and the way from a start to a solution.

use lm_core::{CacheFigures, Error, Gram, Meter, Result, Stop};

use crate::optimality::Standing;
use crate::problem::DualProblem;
use crate::smo::{Goal, Rest, Smo};

/// When a machine is good enough, and by which means it gets there.
///
/// ```
/// use lm_qp::{CSvc, Solver};
///
/// let precise = CSvc::default().with_solver(Solver::default().with_gap(1e-12));
/// let as_libsvm = CSvc::default().with_solver(Solver::default().with_libsvm_epsilon(1e-3));
/// assert_ne!(precise, as_libsvm);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Solver {
    gap: f64,
    libsvm_epsilon: Option<f64>,
    shrinking: bool,
    polish: bool,
}

impl Default for Solver {
    fn default() -> Self {
        Self { gap: 1e-6, libsvm_epsilon: None, shrinking: true, polish: true }
    }
}

impl Solver {
    /// The relative duality gap at which a machine is good enough, between 0 and 1; default 1e-6. A smaller gap takes
    /// more iterations, and below 1e-9 usually the polish.
    #[must_use]
    pub fn with_gap(self, gap: f64) -> Self {
        Self { gap, libsvm_epsilon: None, ..self }
    }

    /// LIBSVM's rule instead of a gap: the largest violation `m(α) − M(α)` of a pair, > 0 and finite. It says nothing about
    /// the distance to the optimum; it is here for comparisons. Default: not used.
    #[must_use]
    pub fn with_libsvm_epsilon(self, epsilon: f64) -> Self {
        Self { libsvm_epsilon: Some(epsilon), ..self }
    }

    /// Whether variables at a bound are set aside while the others settle; default true. It changes the path, not the goal.
    #[must_use]
    pub fn with_shrinking(self, shrinking: bool) -> Self {
        Self { shrinking, ..self }
    }

    /// Whether a run that makes no more progress by pairs is finished by a direct solver on the undecided variables;
    /// default true. It needs the square of their number in memory.
    #[must_use]
    pub fn with_polish(self, polish: bool) -> Self {
        Self { polish, ..self }
    }

    /// The relative duality gap asked for, unless LIBSVM's rule is.
    pub fn gap(&self) -> Option<f64> {
        self.libsvm_epsilon.is_none().then_some(self.gap)
    }

    /// Checks the settings.
    pub(crate) fn validate(&self) -> Result<()> {
        if !(self.gap > 0.0 && self.gap < 1.0) {
            let accepted = "a number between 0 and 1";
            return Err(Error::Setting { name: "gap", value: self.gap, accepted });
        }
        match self.libsvm_epsilon {
            Some(value) if !(value > 0.0 && value.is_finite()) => {
                Err(Error::Setting { name: "libsvm_epsilon", value, accepted: "a finite number > 0" })
            }
            _ => Ok(()),
        }
    }
}

/// What came of solving a problem.
#[derive(Debug)]
pub(crate) struct Solution {
    pub(crate) beta: Vec<f64>,
    pub(crate) standing: Standing,
    pub(crate) stop: Stop,
    pub(crate) cache: CacheFigures,
}

/// Solves a problem: by pairs, and by the polish where pairs do not get on.
pub(crate) fn solve<G: Gram + ?Sized>(
    gram: &G,
    problem: &DualProblem,
    start: Option<&[f64]>,
    solver: &Solver,
    nought: Option<f64>,
    meter: &mut Meter<'_>,
) -> Result<Solution> {
    let mut smo = Smo::new(gram, problem, start, meter)?;
    let patience = (problem.len() as u64).saturating_mul(20).max(100_000);
    let mut goal = Goal {
        gap: solver.gap,
        violation: solver.libsvm_epsilon,
        nought,
        shrinking: solver.shrinking,
        patience,
    };
    let (mut rest, mut standing) = smo.run(&goal, meter)?;
    while rest == Rest::Weary {
        goal.patience = goal.patience.saturating_mul(4);
        (rest, standing) = smo.run(&goal, meter)?;
    }
    let stop = match rest {
        Rest::Reached => Stop::Converged,
        Rest::Stopped(stop) => stop,
        Rest::Weary | Rest::Stuck => Stop::Stalled,
    };
    Ok(Solution { beta: smo.beta().to_vec(), standing, stop, cache: smo.cache_figures() })
}
