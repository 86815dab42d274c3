//! Choosing a machine by theory: one interface for bounds, the exact leave-one-out error, evidence and cross-validation.
//!
//! # Problem
//! Of some settings, such as pairs of a kernel parameter and a cost, choose the one whose machine will do best on new examples.
//! # Method
//! The machine of every setting is solved and judged by one [`Criterion`]. The smallest figure wins; of equal figures the one with
//! fewer support vectors, and of those the first. A setting that the criterion says nothing about is not chosen.
//! # Cost
//! A solution for each setting, and what the criterion costs.
//! # Reference
//! Chapelle, Vapnik, Bousquet & Mukherjee (2002); Chung, Kao, Sun, Wang & Lin (2003) for the radius and margin of 1-norm slack;
//! Stone (1974) for cross-validation.

mod figures;

use lm_core::{Control, Error, Result, WithoutOne};

/// By what a machine is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Criterion {
    /// Radius and margin, with slack counted: `(R² + 1/C)(‖w‖² + 2CΣξ)/ℓ` for 1-norm slack, `(R² + 1/C)Σα/ℓ` for squared slack,
    /// `R²‖w‖²/ℓ` for a hard margin.
    RadiusMargin,
    /// The share of decision values that the spans of the support vectors turn.
    Span,
    /// Joachims's ξα bound.
    XiAlpha,
    /// The exact leave-one-out error.
    ExactLeaveOneOut,
    /// The logarithm of the evidence, negated.
    Evidence,
    /// The share of errors in so many folds, in which each class is dealt out in turn.
    CrossValidation(usize),
}

/// Something that can be judged: a solved machine, or the evidence for a setting.
pub trait Candidate {
    /// The machine, if it is one.
    fn machine(&self) -> Option<&dyn WithoutOne>;

    /// The squared radius of the smallest ball around the examples in feature space, or what is known to be no smaller.
    ///
    /// # Errors
    /// What computing it gives.
    fn radius_squared(&self) -> Result<f64>;

    /// The logarithm of the evidence, if there is one.
    fn log_evidence(&self) -> Option<f64> {
        None
    }
}

impl<M: WithoutOne> Candidate for M {
    fn machine(&self) -> Option<&dyn WithoutOne> {
        Some(self)
    }

    /// The largest `K(x, x)`: the radius around the origin.
    fn radius_squared(&self) -> Result<f64> {
        Ok(self.shares().iter().fold(0.0, |most: f64, share| most.max(share.norm_squared)))
    }
}

/// A solved machine with a radius that is known to be smaller than that around the origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WithRadius<M> {
    /// The machine.
    pub machine: M,
    /// The squared radius.
    pub radius_squared: f64,
}

impl<M: WithoutOne> Candidate for WithRadius<M> {
    fn machine(&self) -> Option<&dyn WithoutOne> {
        Some(&self.machine)
    }

    fn radius_squared(&self) -> Result<f64> {
        Ok(self.radius_squared)
    }
}

/// The logarithm of the evidence for a setting, as a Gaussian process has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogEvidence(pub f64);

impl Candidate for LogEvidence {
    fn machine(&self) -> Option<&dyn WithoutOne> {
        None
    }

    fn radius_squared(&self) -> Result<f64> {
        Err(Error::Numerical { what: "the radius of a setting without a machine" })
    }

    fn log_evidence(&self) -> Option<f64> {
        Some(self.0)
    }
}

/// A setting and what the criterion says of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged<P> {
    /// The setting.
    pub setting: P,
    /// The figure, the smaller the better; none where the criterion says nothing.
    pub figure: Option<f64>,
    /// How many support vectors the machine has, if it is one.
    pub support: Option<usize>,
}

/// All settings with their figures, and the chosen one.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice<P> {
    table: Vec<Judged<P>>,
    chosen: usize,
}

impl<P> Choice<P> {
    /// Every setting, in the order given.
    pub fn table(&self) -> &[Judged<P>] {
        &self.table
    }

    /// The number of the chosen setting.
    pub fn chosen(&self) -> usize {
        self.chosen
    }

    /// The chosen setting with its figure.
    pub fn best(&self) -> &Judged<P> {
        &self.table[self.chosen]
    }
}

/// Judges every setting by a criterion, and chooses one.
///
/// ```
/// use lm_bounds::{Criterion, choose};
/// use lm_core::{BinaryLabels, Control, Dense, TrainingSet, VectorGram, VectorKernel};
/// use lm_qp::{CSvc, Removals};
///
/// // Two classes that take turns along a line: no wide kernel tells them apart.
/// let examples = Dense::new((0..24).map(f64::from).collect(), 24, 1)?;
/// let labels = BinaryLabels::from_integers(&(0..24).map(|i| i / 4 % 2).collect::<Vec<_>>())?;
/// let control = Control::default();
/// let solve = |gamma: &f64| {
///     let gram = VectorGram::new(&examples, VectorKernel::gaussian(*gamma)?)?;
///     Removals::solve(&CSvc::default().with_cost(10.0), &TrainingSet::new(&gram, &labels)?, &control)
/// };
/// let choice = choose(&[1e-4, 0.3], Criterion::ExactLeaveOneOut, &control, solve)?;
/// assert_eq!(choice.best().setting, 0.3);
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Empty`] without settings, [`Error::Setting`] for fewer than two folds or more than there are examples,
/// [`Error::Numerical`] if the criterion says nothing of any setting, and what solving and judging give.
pub fn choose<P: Clone, C: Candidate>(
    settings: &[P],
    criterion: Criterion,
    control: &Control<'_>,
    mut solve: impl FnMut(&P) -> Result<C>,
) -> Result<Choice<P>> {
    if settings.is_empty() {
        return Err(Error::Empty { what: "the list of settings" });
    }
    let mut table = Vec::with_capacity(settings.len());
    for setting in settings {
        let candidate = solve(setting)?;
        let figure = judge(&candidate, criterion, control)?;
        let support = candidate
            .machine()
            .map(|machine| machine.shares().iter().filter(|share| share.is_support()).count());
        table.push(Judged { setting: setting.clone(), figure, support });
    }
    let known =
        (0..table.len()).filter_map(|at| table[at].figure.map(|figure| (figure, table[at].support, at)));
    let first = known.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
    match first {
        Some((_, _, chosen)) => Ok(Choice { table, chosen }),
        None => Err(Error::Numerical { what: "the figure of any setting by this criterion" }),
    }
}

/// The figure of a candidate by a criterion, the smaller the better; none where the criterion says nothing of it.
///
/// # Errors
/// As [`choose`].
pub fn judge<C: Candidate + ?Sized>(
    candidate: &C,
    criterion: Criterion,
    control: &Control<'_>,
) -> Result<Option<f64>> {
    if criterion == Criterion::Evidence {
        return Ok(candidate.log_evidence().map(|value| -value).filter(|value| value.is_finite()));
    }
    let Some(machine) = candidate.machine() else { return Ok(None) };
    let figure = match criterion {
        Criterion::RadiusMargin => figures::radius_margin(machine, candidate.radius_squared()?)?,
        Criterion::Span => crate::Spans::of(machine)?.map(|spans| spans.error()),
        Criterion::XiAlpha => figures::xi_alpha(machine, candidate.radius_squared()?)?,
        Criterion::ExactLeaveOneOut => Some(crate::leave_one_out(machine, control)?.error()),
        Criterion::CrossValidation(folds) => Some(figures::cross_validated(machine, folds, control)?),
        Criterion::Evidence => None,
    };
    Ok(figure)
}
