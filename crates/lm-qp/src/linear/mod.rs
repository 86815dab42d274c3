//! Linear machines without a kernel: for data too large for a Gram matrix.
//!
//! [`LinearSvc`] and [`LinearSvr`] learn from [`Examples`] directly, dense or sparse, and return a
//! [`Linear`] function with a [`LinearCertificate`]: coefficients of the examples that prove how far the function is from the
//! best one. They minimise the same objectives as the machines over Gram matrices with the linear kernel.
//!
//! | loss | classification | regression |
//! |---|---|---|
//! | with a kink | [`SvcLoss::Hinge`] | [`SvrLoss::EpsilonInsensitive`] |
//! | squared | [`SvcLoss::SquaredHinge`] | [`SvrLoss::SquaredEpsilonInsensitive`] |
//!
//! Both solvers take every loss and every [`Bias`]: Newton steps (`newton.rs`), whose cost per step grows with the square of
//! the smaller side of the data, and dual coordinate descent (`coordinate_descent.rs`), whose cost is that of a pass.

mod certificate;
mod coordinate_descent;
mod newton;
mod products;
mod sample;
mod svc;
mod svr;
mod system;

pub use certificate::LinearCertificate;
pub use svc::{LinearSvc, SvcLoss};
pub use svr::{LinearSvr, SvrLoss};

use lm_core::{
    Collection, Control, Error, Examples, Fit, Labelling, Linear, Meter, Result, Stop, TrainingSet,
};

use crate::bias::Bias;
use crate::problem::DualProblem;
use coordinate_descent::CoordinateDescent;
use newton::Newton;
use sample::{Point, Sample};

/// How a linear machine is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum LinearSolver {
    /// Newton steps where the examples or the columns are at most 2000. Else coordinate descent, and Newton steps from
    /// where it has got to if 200 iterations were not enough.
    #[default]
    Automatic,
    /// Dual coordinate descent only.
    DualCoordinateDescent,
    /// Newton steps only.
    Newton,
}

/// A linear machine as a case of the [`DualProblem`] whose matrix holds the inner products of the examples.
///
/// The certificate keeps the machine and builds the problem anew from the data that it is checked against.
pub trait LinearMachine<L: Labelling>: Clone + Send + Sync {
    /// The problem for these labels and weights.
    ///
    /// # Errors
    /// [`Error::Setting`] for a setting outside its domain.
    fn problem<S: Collection + ?Sized>(&self, set: &TrainingSet<'_, S, L>) -> Result<DualProblem>;

    /// What is done about the bias.
    fn bias(&self) -> Bias;
}

/// When a machine is good enough, and by which means it gets there.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Means {
    gap: f64,
    solver: LinearSolver,
    seed: u64,
}

impl Default for Means {
    fn default() -> Self {
        Self { gap: 1e-6, solver: LinearSolver::Automatic, seed: 0 }
    }
}

/// The settings that all linear machines share.
macro_rules! shared_settings {
    ($machine:ty) => {
        impl $machine {
            /// The cost `C` of a unit of loss, finite and > 0; default 1. A larger cost takes more steps.
            #[must_use]
            pub fn with_cost(self, cost: f64) -> Self {
                Self { cost, ..self }
            }

            /// What is done about the bias; default [`Bias::Free`].
            #[must_use]
            pub fn with_bias(self, bias: Bias) -> Self {
                Self { bias, ..self }
            }

            /// The relative duality gap at which the machine is good enough, between 0 and 1; default 1e-6.
            #[must_use]
            pub fn with_gap(self, gap: f64) -> Self {
                Self { means: Means { gap, ..self.means }, ..self }
            }

            /// How the machine is found; default [`LinearSolver::Automatic`].
            #[must_use]
            pub fn with_solver(self, solver: LinearSolver) -> Self {
                Self { means: Means { solver, ..self.means }, ..self }
            }

            /// Where the random orders of coordinate descent begin (ChaCha8); default 0.
            #[must_use]
            pub fn with_seed(self, seed: u64) -> Self {
                Self { means: Means { seed, ..self.means }, ..self }
            }

            /// The cost `C`.
            pub fn cost(&self) -> f64 {
                self.cost
            }
        }
    };
}
use shared_settings;

/// Why a solver came to rest.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Rest {
    /// Its own figures meet the goal.
    Reached,
    /// A limit of the budget is met.
    Stopped(Stop),
    /// It makes no more progress.
    Stuck,
}

/// Steps, or iterations of as many visits as there are examples, unless the budget says otherwise: only a run without progress makes so many.
const ITERATIONS: u64 = 10_000;

/// The smaller side of the data up to which Newton steps come first.
const NARROW: usize = 2000;

/// Iterations of coordinate descent after which Newton steps take over.
const PATIENCE: u64 = 200;

/// A method under way.
enum Method<'a, 'b, E: ?Sized> {
    Descent(Box<CoordinateDescent<'a, 'b, E>>),
    Newton(Box<Newton<'a, 'b, E>>),
}

impl<E: Examples + ?Sized> Method<'_, '_, E> {
    fn run(&mut self, share: f64, patience: u64, meter: &mut Meter<'_>) -> Result<Rest> {
        match self {
            Self::Descent(descent) => descent.run(share, patience, meter),
            Self::Newton(newton) => newton.run(share, meter),
        }
    }

    fn best(&self) -> Point {
        match self {
            Self::Descent(descent) => descent.best(),
            Self::Newton(newton) => newton.best(),
        }
    }
}

/// Finds a machine, and keeps the best that a certificate has confirmed.
fn fit<M, E, L>(
    machine: &M,
    means: &Means,
    set: &TrainingSet<'_, E, L>,
    control: &Control<'_>,
) -> Result<Fit<Linear, LinearCertificate<M>>>
where
    M: LinearMachine<L>,
    E: Examples + ?Sized,
    L: Labelling,
{
    if !(means.gap > 0.0 && means.gap < 1.0) {
        return Err(Error::Setting { name: "gap", value: means.gap, accepted: "a number between 0 and 1" });
    }
    let mut meter = control.start(ITERATIONS);
    let problem = machine.problem(set)?;
    let sample = Sample::new(set.examples(), &problem, machine.bias())?;
    let narrow = sample.dim().min(sample.len()) <= NARROW;
    let newton_first =
        means.solver == LinearSolver::Newton || means.solver == LinearSolver::Automatic && narrow;
    let patience = if means.solver == LinearSolver::Automatic { PATIENCE } else { u64::MAX };
    let mut method = if newton_first {
        Method::Newton(Box::new(Newton::new(&sample, None, &meter)?))
    } else {
        Method::Descent(Box::new(CoordinateDescent::new(&sample, means.seed, &meter)?))
    };
    let mut share = means.gap;
    let mut best: Option<LinearCertificate<M>> = None;
    let stop = loop {
        let rest = method.run(share, patience, &mut meter)?;
        let Point { w, b, beta } = sample.with_middle_bias(method.best());
        let hyperplane = Linear::new(w, b)?;
        let found = LinearCertificate::compute(machine.clone(), set, &problem, hyperplane, beta)?;
        let gap = found.figures().relative_gap();
        if best.as_ref().is_none_or(|best| gap < best.figures().relative_gap()) {
            best = Some(found);
        }
        // Converged is what the certificate says, not what the solver believes.
        if gap <= means.gap {
            break Stop::Converged;
        }
        match rest {
            Rest::Stopped(stop) => break stop,
            Rest::Reached if share > 0.01 * means.gap => share *= 0.25,
            Rest::Stuck
                if matches!(method, Method::Descent(_)) && means.solver == LinearSolver::Automatic =>
            {
                method = Method::Newton(Box::new(Newton::new(&sample, Some(method.best()), &meter)?));
            }
            Rest::Reached | Rest::Stuck => break Stop::Stalled,
        }
    };
    let certificate = best.ok_or(Error::Numerical { what: "the duality gap" })?;
    let model = certificate.hyperplane().clone();
    Ok(Fit { model, report: meter.report(stop, None), certificate })
}
