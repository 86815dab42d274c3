//! What a formulation says: which problem it is, and how the machine is read back from the solution.

use lm_core::{
    Collection, Control, DualExpansion, Error, Fit, Gram, Labelling, Result, Selection, Stop, TrainingSet,
};

use crate::bias::{Bias, WithConstant};
use crate::certificate::DualCertificate;
use crate::problem::{DualProblem, Multipliers};
use crate::smo::default_iterations;
use crate::solver::{Solution, Solver, solve};

/// A machine as a case of the [`DualProblem`]: settings that build the problem from labels and weights.
///
/// The certificate keeps the formulation and builds the problem anew from the data that it is checked against, so that a
/// claim about one set of labels cannot pass for another.
pub trait Formulation<L: Labelling>: Clone + Send + Sync {
    /// The problem for these labels and weights. With [`Formulation::copies`] it has that many variables an example.
    ///
    /// # Errors
    /// [`Error::Setting`] for a setting outside its domain, or one that these labels do not allow.
    fn problem<S: Collection + ?Sized>(&self, set: &TrainingSet<'_, S, L>) -> Result<DualProblem>;

    /// When it is good enough, and how it gets there.
    fn solver(&self) -> Solver;

    /// What is done about the bias. A bias that is not free has no balance.
    fn bias(&self) -> Bias {
        Bias::Free
    }

    /// How often each example appears in the problem: once, unless two losses are added up.
    fn copies(&self) -> usize {
        1
    }

    /// What the coefficients are multiplied by to be those of the machine.
    fn scale(&self, multipliers: Multipliers) -> f64 {
        let _ = multipliers;
        1.0
    }

    /// Whether what is minimised is a regulariser and a sum of losses, one of each example, that do not depend on how many
    /// examples there are. The problem without an example is then this problem with one variable less.
    fn is_sum_of_losses(&self) -> bool {
        false
    }

    /// The objective below which the solution counts as 0, given the largest `Kᵢᵢ`; none for most.
    fn nought(&self, largest: f64) -> Option<f64> {
        let _ = largest;
        None
    }
}

/// Solves a formulation and reads the machine back.
pub(crate) fn fit<F, G, L>(
    formulation: &F,
    set: &TrainingSet<'_, G, L>,
    control: &Control<'_>,
    start: Option<&[f64]>,
) -> Result<Fit<DualExpansion, DualCertificate<F>>>
where
    F: Formulation<L>,
    G: Gram + ?Sized,
    L: Labelling,
{
    fit_by(formulation, &formulation.solver(), set, control, start)
}

/// As [`fit`], by another solver than the formulation's own.
pub(crate) fn fit_by<F, G, L>(
    formulation: &F,
    solver: &Solver,
    set: &TrainingSet<'_, G, L>,
    control: &Control<'_>,
    start: Option<&[f64]>,
) -> Result<Fit<DualExpansion, DualCertificate<F>>>
where
    F: Formulation<L>,
    G: Gram + ?Sized,
    L: Labelling,
{
    solver.validate()?;
    let mut meter = control.start(default_iterations(set.len()));
    let gram = set.examples();
    let problem = formulation.problem(set)?;
    let start = start.map(|start| spread(start, set.len(), formulation.copies())).transpose()?;
    let (solution, nought) = seen(formulation, &gram, |gram| {
        let largest = gram.diagonal()?.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        let nought = formulation.nought(largest);
        Ok((solve(gram, &problem, start.as_deref(), solver, nought, &mut meter)?, nought))
    })?;
    let Solution { beta, product, standing, stop, cache } = solution;
    let multipliers = standing.multipliers;
    let model = machine(formulation, &beta, multipliers, set.len())?;
    let certificate =
        DualCertificate::compute(formulation.clone(), set, &problem, (beta, product), multipliers)?;
    // Converged is what the certificate says, not what the solver believes.
    let figures = certificate.figures();
    let stop = match (stop, solver.gap(), nought) {
        (Stop::Converged, _, Some(nought)) if -figures.dual <= nought => Stop::Infeasible,
        (Stop::Converged, Some(gap), _) if !(figures.relative_gap() <= gap) => Stop::Stalled,
        (Stop::Converged, Some(gap), _) if solver.is_rigorous() => {
            let proven = certificate.enclosure(set).is_ok_and(|bounds| bounds.relative_gap() <= gap);
            if proven { stop } else { Stop::Stalled }
        }
        _ => stop,
    };
    Ok(Fit { model, report: meter.report(stop, Some(cache)), certificate })
}

/// The machine of a solution.
pub(crate) fn machine<F: Formulation<L>, L: Labelling>(
    formulation: &F,
    beta: &[f64],
    multipliers: Multipliers,
    n: usize,
) -> Result<DualExpansion> {
    let scale = formulation.scale(multipliers);
    let mut coefficients = vec![0.0; n];
    for copy in beta.chunks(n) {
        coefficients.iter_mut().zip(copy).for_each(|(sum, value)| *sum += value * scale);
    }
    let bias = match formulation.bias() {
        Bias::Free => multipliers.bias() * scale,
        Bias::Penalised => coefficients.iter().sum(),
        Bias::None => 0.0,
    };
    DualExpansion::from_all(&coefficients, bias)
}

/// Calls `work` with the Gram matrix as the formulation sees it: with copies, and with a constant for the bias.
pub(crate) fn seen<F, G, L, R>(
    formulation: &F,
    gram: &G,
    work: impl FnOnce(&dyn Gram) -> Result<R>,
) -> Result<R>
where
    F: Formulation<L>,
    G: Gram,
    L: Labelling,
{
    let n = gram.len();
    let rows: Vec<usize> = match formulation.copies() {
        1 => Vec::new(),
        copies => (0..copies * n).map(|row| row % n).collect(),
    };
    let copied = Selection::new(gram, &rows)?;
    let gram: &dyn Gram = if rows.is_empty() { gram } else { &copied };
    match formulation.bias() {
        Bias::Penalised => work(&WithConstant(gram)),
        Bias::Free | Bias::None => work(gram),
    }
}

/// A start for each example, for as many copies as there are.
fn spread(start: &[f64], n: usize, copies: usize) -> Result<Vec<f64>> {
    if start.len() != n {
        return Err(Error::Length { what: "the start", expected: n, found: start.len() });
    }
    Ok((0..n * copies).map(|i| start[i % n] / copies as f64).collect())
}

/// The weights of a set, one for each example.
pub(crate) fn weights<S: Collection + ?Sized, L: Labelling>(set: &TrainingSet<'_, S, L>) -> Vec<f64> {
    (0..set.len()).map(|row| set.weight(row)).collect()
}

/// Checks a cost, or another setting that must be positive and finite.
pub(crate) fn check_positive(name: &'static str, value: f64) -> Result<()> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(Error::Setting { name, value, accepted: "a finite number > 0" })
    }
}

/// Makes a formulation a learner over Gram matrices, and one that can start from coefficients.
macro_rules! learner {
    ($machine:ty, $labels:ty) => {
        impl<G: lm_core::Gram + ?Sized> lm_core::Learner<G, $labels> for $machine {
            type Model = lm_core::DualExpansion;
            type Certificate = $crate::DualCertificate<$machine>;

            fn fit_with(
                &self,
                set: &lm_core::TrainingSet<'_, G, $labels>,
                control: &lm_core::Control<'_>,
            ) -> lm_core::Result<lm_core::Fit<Self::Model, Self::Certificate>> {
                $crate::formulation::fit(self, set, control, None)
            }
        }

        impl $machine {
            /// As `fit_with`, starting near these coefficients of the machine, one for each example: those of a model
            /// for a similar setting, or of fewer examples filled up with zeros. The start is clipped to what is
            /// feasible; it changes the work and not the goal.
            ///
            /// # Errors
            /// As `fit_with`, and [`Error::Length`](lm_core::Error::Length) or
            /// [`Error::NonFinite`](lm_core::Error::NonFinite) for a start that does not fit.
            pub fn fit_from<G: lm_core::Gram + ?Sized>(
                &self,
                set: &lm_core::TrainingSet<'_, G, $labels>,
                control: &lm_core::Control<'_>,
                start: &[f64],
            ) -> lm_core::Result<lm_core::Fit<lm_core::DualExpansion, $crate::DualCertificate<$machine>>>
            {
                $crate::formulation::fit(self, set, control, Some(start))
            }

            /// The settings of the solver: the goal and the means; default [`Solver::default`](crate::Solver).
            #[must_use]
            pub fn with_solver(mut self, solver: $crate::Solver) -> Self {
                self.solver = solver;
                self
            }

            /// The relative duality gap at which the machine is good enough, between 0 and 1; default 1e-6.
            #[must_use]
            pub fn with_gap(mut self, gap: f64) -> Self {
                self.solver = self.solver.with_gap(gap);
                self
            }
        }
    };
}
pub(crate) use learner;
