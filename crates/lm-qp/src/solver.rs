//! How a dual problem is solved: the settings that every formulation shares, and the way from a start to a solution.

use lm_core::{CacheFigures, Error, Gram, Meter, Result, Stop};

use crate::optimality::Standing;
use crate::polish::{polish, polish_all};
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Solver {
    gap: f64,
    libsvm_epsilon: Option<f64>,
    shrinking: bool,
    method: Method,
    rigorous: bool,
}

/// The means by which a dual problem is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Method {
    /// Pairs of coefficients until they make no more progress, then a direct method on the undecided ones.
    #[default]
    Automatic,
    /// Pairs of coefficients only (SMO): memory for a few rows of the Gram matrix is enough.
    Pairs,
    /// An interior-point method on all coefficients, finished by an active-set method: the whole Gram matrix twice in
    /// memory, and `n³` operations.
    InteriorPoint,
}

impl Default for Solver {
    fn default() -> Self {
        Self { gap: 1e-6, libsvm_epsilon: None, shrinking: true, method: Method::Automatic, rigorous: false }
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

    /// By which means; default [`Method::Automatic`].
    #[must_use]
    pub fn with_method(self, method: Method) -> Self {
        Self { method, ..self }
    }

    /// Whether a run counts as converged only if its [enclosure](crate::DualCertificate::enclosure), with every rounding
    /// counted, is as narrow as the gap asked for; default false. It costs as much as the certificate once more.
    #[must_use]
    pub fn with_rigour(self, rigorous: bool) -> Self {
        Self { rigorous, ..self }
    }

    pub(crate) fn is_rigorous(&self) -> bool {
        self.rigorous
    }

    /// Whether a point is good enough by the gap, or by an objective that counts as 0.
    fn satisfied(&self, standing: &Standing, nought: Option<f64>) -> bool {
        // LIBSVM's rule was judged where the violations are.
        self.libsvm_epsilon.is_some()
            || standing.relative_gap() <= self.gap
            || nought.is_some_and(|nought| standing.objective <= nought)
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
    /// Their product with the Gram matrix, if it is known.
    pub(crate) product: Option<Vec<f64>>,
    pub(crate) standing: Standing,
    pub(crate) stop: Stop,
    pub(crate) cache: CacheFigures,
}

/// The gap that pairs are asked for before the polish is tried.
const GAP_OF_PAIRS: f64 = 1e-7;

/// How often the polish may fail to halve the gap before a run that is stuck ends.
const MOST_IN_VAIN: u32 = 3;

/// Solves a problem by the means that were asked for.
pub(crate) fn solve<G: Gram + ?Sized>(
    gram: &G,
    problem: &DualProblem,
    start: Option<&[f64]>,
    solver: &Solver,
    nought: Option<f64>,
    meter: &mut Meter<'_>,
) -> Result<Solution> {
    let mut smo = Smo::new(gram, problem, start, meter)?;
    let (standing, stop) = match solver.method {
        Method::InteriorPoint => at_once(gram, &mut smo, solver, nought, meter)?,
        Method::Pairs | Method::Automatic => by_pairs(gram, &mut smo, solver, nought, meter)?,
    };
    let (cache, (beta, product)) = (smo.cache_figures(), smo.into_solution());
    Ok(Solution { beta, product, standing, stop, cache })
}

/// Pairs, and the polish where they do not get on.
fn by_pairs<G: Gram + ?Sized>(
    gram: &G,
    smo: &mut Smo<'_, G>,
    solver: &Solver,
    nought: Option<f64>,
    meter: &mut Meter<'_>,
) -> Result<(Standing, Stop)> {
    let polishing = solver.method == Method::Automatic;
    let patience = (smo.beta().len() as u64).saturating_mul(20).max(5_000);
    let mut goal = Goal {
        gap: if polishing { solver.gap.max(GAP_OF_PAIRS) } else { solver.gap },
        violation: solver.libsvm_epsilon,
        nought,
        shrinking: solver.shrinking,
        patience,
    };
    let (mut least, mut in_vain) = (f64::INFINITY, 0);
    loop {
        let (rest, standing) = smo.run(&goal, meter)?;
        match rest {
            Rest::Stopped(stop) => return Ok((standing, stop)),
            Rest::Reached if solver.satisfied(&standing, nought) => return Ok((standing, Stop::Converged)),
            Rest::Stuck if !polishing => return Ok((standing, Stop::Stalled)),
            _ => {}
        }
        if polishing {
            let polished = polish(gram, smo, solver.gap, nought.unwrap_or(0.0), meter)?;
            let settled = solver.libsvm_epsilon.is_none_or(|allowed| smo.violation() <= allowed);
            if settled && solver.satisfied(&polished.standing, nought) {
                return Ok((polished.standing, Stop::Converged));
            }
            if polished.exhausted || (rest == Rest::Stuck && in_vain >= MOST_IN_VAIN) {
                return Ok((polished.standing, Stop::Stalled));
            }
            in_vain = if polished.standing.gap < 0.5 * least { 0 } else { in_vain + 1 };
            least = least.min(polished.standing.gap);
        }
        goal.gap = solver.gap;
        goal.patience = if in_vain == 0 { patience } else { goal.patience.saturating_mul(4) };
    }
}

/// All coefficients at once, without pairs.
fn at_once<G: Gram + ?Sized>(
    gram: &G,
    smo: &mut Smo<'_, G>,
    solver: &Solver,
    nought: Option<f64>,
    meter: &mut Meter<'_>,
) -> Result<(Standing, Stop)> {
    let standing = polish_all(gram, smo, solver.gap, nought.unwrap_or(0.0), meter)?;
    let stop = match meter.advance(0, 0) {
        _ if solver.satisfied(&standing, nought) => Stop::Converged,
        Some(stop) => stop,
        None => Stop::Stalled,
    };
    Ok((standing, stop))
}
