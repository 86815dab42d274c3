//! Cross-validation: every example is judged by a machine that has not seen it.
//!
//! # Problem
//! Estimate how a machine does on examples that it was not trained on, from the examples that there are.
//! # Method
//! The rows are divided into folds. For each fold a machine learns from the others and gives the decision values of the
//! fold's rows. For several classes that is a machine for each pair of them, and votes. All fits take their kernel rows from
//! one place, where a row is computed once for all folds and pairs, as far as half of the memory reaches.
//! # Cost
//! A fit for each fold (and pair), `n²` kernel values for all of them together.
//! # Reference
//! Stone (1974); Kohavi (1995) for stratified folds.

use lm_core::gram::SharedRows;
use lm_core::multiclass::{DecideRows, OneVsOneModel, PairProblem, shared_memory};
use lm_core::{
    BinaryLabels, ClassLabels, Collection, Control, Error, Fit, Folds, Gram, Labelling, Lift, Report, Result,
    Selection, Sign, Stop, Targets, TrainingSet, Weights, parallel,
};

use crate::certificate::DualCertificate;
use crate::formulation::{self, Formulation};

/// Labels by which held-out decision values are judged: two classes, several, or targets.
pub trait Judged: Labelling {
    /// The labels that one machine learns from.
    type Part: Labelling;

    /// The problems of the machines that are needed: one, or one for each pair of classes.
    ///
    /// # Errors
    /// What making a sub-problem gives.
    fn parts<S: Collection + ?Sized>(set: &TrainingSet<'_, S, Self>) -> Result<Vec<Part<Self::Part>>>
    where
        Self: Sized;

    /// What it costs to give the example of a row these decision values, one for each part: 1 for a wrong class, the squared
    /// error of a target.
    ///
    /// # Errors
    /// [`Error::Length`] unless there is a value for each part, [`Error::Index`] for a row that does not exist.
    fn loss(&self, row: usize, values: &[f64]) -> Result<f64>;
}

/// The problem of one machine: rows of the whole set, and their labels and weights.
#[derive(Debug, Clone)]
pub struct Part<L> {
    rows: Vec<usize>,
    labels: L,
    weights: Option<Weights>,
}

impl<L: Labelling + Clone> Part<L> {
    /// The problem of all rows.
    fn whole<S: Collection + ?Sized>(set: &TrainingSet<'_, S, L>) -> Self {
        Self { rows: (0..set.len()).collect(), labels: set.labels().clone(), weights: set.weights().cloned() }
    }
}

impl<L: Labelling> Part<L> {
    /// The rows of the whole set, in increasing order.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// The labels of these rows.
    pub fn labels(&self) -> &L {
        &self.labels
    }

    /// The weights of these rows, if there are any.
    pub fn weights(&self) -> Option<&Weights> {
        self.weights.as_ref()
    }

    /// The places of the rows that a fold leaves to learn from, the rows themselves, their labels and weights.
    pub(crate) fn without(&self, folds: &Folds, fold: usize) -> Result<Self> {
        let kept = |place: &usize| folds.numbers()[self.rows[*place]] as usize != fold;
        let places: Vec<usize> = (0..self.rows.len()).filter(kept).collect();
        Ok(Self {
            rows: places.iter().map(|&place| self.rows[place]).collect(),
            labels: self.labels.select(&places)?,
            weights: self.weights.as_ref().map(|weights| weights.select(&places)).transpose()?,
        })
    }
}

impl Judged for BinaryLabels {
    type Part = Self;

    fn parts<S: Collection + ?Sized>(set: &TrainingSet<'_, S, Self>) -> Result<Vec<Part<Self>>> {
        Ok(vec![Part::whole(set)])
    }

    fn loss(&self, row: usize, values: &[f64]) -> Result<f64> {
        let value = only(values)?;
        let missing = Error::Index { what: "label", index: row, len: self.len() };
        let sign = self.signs().get(row).ok_or(missing)?;
        Ok(f64::from(u8::from(Sign::of(value) != *sign)))
    }
}

impl Judged for Targets {
    type Part = Self;

    fn parts<S: Collection + ?Sized>(set: &TrainingSet<'_, S, Self>) -> Result<Vec<Part<Self>>> {
        Ok(vec![Part::whole(set)])
    }

    fn loss(&self, row: usize, values: &[f64]) -> Result<f64> {
        let value = only(values)?;
        let missing = Error::Index { what: "target", index: row, len: self.len() };
        let error = value - self.values().get(row).ok_or(missing)?;
        Ok(error * error)
    }
}

impl Judged for ClassLabels {
    type Part = BinaryLabels;

    fn parts<S: Collection + ?Sized>(set: &TrainingSet<'_, S, Self>) -> Result<Vec<Part<BinaryLabels>>> {
        let k = set.labels().classes().len();
        let pairs = (0..k).flat_map(|low| (low + 1..k).map(move |high| (low, high)));
        let part = |(low, high)| {
            let problem = PairProblem::new(set, low, high)?;
            let pair = problem.training_set(problem.rows())?;
            let (labels, weights) = (pair.labels().clone(), pair.weights().cloned());
            Ok(Part { rows: problem.rows().to_vec(), labels, weights })
        };
        pairs.map(part).collect()
    }

    fn loss(&self, row: usize, values: &[f64]) -> Result<f64> {
        let pairs = OneVsOneModel::new(self.classes().to_vec(), vec![(); values.len()])?;
        Ok(f64::from(u8::from(pairs.winner(values)? != self.index(row)?)))
    }
}

/// The value of a set whose labels need a single machine.
fn only(values: &[f64]) -> Result<f64> {
    match values {
        [value] => Ok(*value),
        _ => Err(Error::Length { what: "the list of decision values", expected: 1, found: values.len() }),
    }
}

/// How one of the machines of a cross-validation did.
#[derive(Debug, Clone, PartialEq)]
pub struct FoldReport {
    /// The fold that was held out.
    pub fold: usize,
    /// The number of the part: 0, or that of a pair of classes.
    pub part: usize,
    /// How the run went.
    pub report: Report,
    /// The relative duality gap that its certificate shows.
    pub gap: f64,
}

/// Decision values by machines that have not seen the example, and how these were learned.
///
/// ```
/// use lm_core::{BinaryLabels, Control, Dense, Folds, TrainingSet, VectorGram, VectorKernel};
/// use lm_qp::{CSvc, HeldOut};
///
/// let examples = Dense::new((0..12).map(f64::from).collect(), 12, 1)?;
/// let labels = BinaryLabels::from_integers(&[0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1])?;
/// let gram = VectorGram::new(&examples, VectorKernel::linear())?;
/// let folds = Folds::new((0..12).map(|row| row % 3).collect())?;
/// let set = TrainingSet::new(&gram, &labels)?;
/// let found = HeldOut::compute(&CSvc::default(), &set, &folds, &Control::default())?;
/// assert_eq!(found.values().len(), 12);
/// assert_eq!(found.mean_loss(&set)?, 2.0 / 12.0); // the two in the middle
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct HeldOut {
    /// One row for each example, one column for each part.
    values: Vec<f64>,
    width: usize,
    reports: Vec<FoldReport>,
}

impl HeldOut {
    /// Cross-validates a machine: of two classes, of targets, or of the pairs of several classes.
    ///
    /// # Errors
    /// [`Error::Length`] unless the folds are those of the set, [`Error::Classes`] if a fold holds out all of a class, and what
    /// fitting gives.
    pub fn compute<M, G, L>(
        machine: &M,
        set: &TrainingSet<'_, G, L>,
        folds: &Folds,
        control: &Control<'_>,
    ) -> Result<Self>
    where
        M: Formulation<L::Part>,
        G: Gram + ?Sized,
        L: Judged,
    {
        check_folds(folds, set.len())?;
        let (bytes, control) = shared_memory(set.len(), control);
        let shared = SharedRows::new(set.examples(), bytes);
        let parts = L::parts(set)?;
        let control = control.start(u64::MAX).divided(folds.count() * parts.len());
        let found = parallel::map(folds.count() * parts.len(), |job| {
            let (fold, part) = (job / parts.len(), job % parts.len());
            let fit = fit_without(machine, &shared, &parts[part], folds, fold, None, &control)?;
            let rows = folds.test(fold);
            let values = fit.model.decision_values_at(&shared, &rows)?;
            let gap = fit.certificate.figures().relative_gap();
            Ok((rows, values, FoldReport { fold, part, report: fit.report, gap }))
        });
        let width = parts.len();
        let (mut values, mut reports) = (vec![0.0; set.len() * width], Vec::with_capacity(found.len()));
        for found in found {
            let (rows, own, report): (Vec<usize>, Vec<f64>, FoldReport) = found?;
            rows.iter().zip(own).for_each(|(&row, value)| values[row * width + report.part] = value);
            reports.push(report);
        }
        Ok(Self { values, width, reports })
    }

    /// The decision values, example by example, one for each part.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// How many values each example has: one, or one for each pair of classes.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How the machines were learned, fold by fold.
    pub fn reports(&self) -> &[FoldReport] {
        &self.reports
    }

    /// Whether every machine met its tolerance; otherwise the first reason why one did not.
    pub fn stop(&self) -> Stop {
        first_stop(self.reports.iter().map(|report| report.report.stop))
    }

    /// The mean loss over all examples, by weight: the share of errors, or the mean squared error.
    ///
    /// # Errors
    /// [`Error::Length`] for another set than that of the values.
    pub fn mean_loss<S: Collection + ?Sized, L: Judged>(&self, set: &TrainingSet<'_, S, L>) -> Result<f64> {
        if set.len() * self.width != self.values.len() {
            let (expected, found) = (self.values.len() / self.width.max(1), set.len());
            return Err(Error::Length { what: "the set", expected, found });
        }
        let (mut sum, mut total) = (0.0, 0.0);
        for (row, values) in self.values.chunks_exact(self.width.max(1)).enumerate() {
            sum += set.weight(row) * set.labels().loss(row, values)?;
            total += set.weight(row);
        }
        Ok(sum / total)
    }
}

/// The first reason to stop that is not convergence.
pub(crate) fn first_stop(mut stops: impl Iterator<Item = Stop>) -> Stop {
    stops.find(|&stop| stop != Stop::Converged).unwrap_or(Stop::Converged)
}

pub(crate) fn check_folds(folds: &Folds, expected: usize) -> Result<()> {
    let found = folds.len();
    if found == expected { Ok(()) } else { Err(Error::Length { what: "the list of folds", expected, found }) }
}

/// The machine of a part without the rows of a fold, over the rows of the whole Gram matrix.
pub(crate) fn fit_without<M, G, L>(
    machine: &M,
    gram: &G,
    part: &Part<L>,
    folds: &Folds,
    fold: usize,
    start: Option<&[f64]>,
    control: &Control<'_>,
) -> Result<Fit<lm_core::DualExpansion, DualCertificate<M>>>
where
    M: Formulation<L>,
    G: Gram,
    L: Labelling,
{
    fit_part(machine, gram, &part.without(folds, fold)?, start, control)
}

/// The machine of a part, over the rows of the whole Gram matrix. A start has a coefficient for each row of the part.
pub(crate) fn fit_part<M, G, L>(
    machine: &M,
    gram: &G,
    part: &Part<L>,
    start: Option<&[f64]>,
    control: &Control<'_>,
) -> Result<Fit<lm_core::DualExpansion, DualCertificate<M>>>
where
    M: Formulation<L>,
    G: Gram,
    L: Labelling,
{
    let rows = Selection::new(gram, &part.rows)?;
    let set = TrainingSet::new(&rows, &part.labels)?;
    let set = part.weights.as_ref().map_or(Ok(set), |weights| set.with_weights(weights))?;
    let fit = formulation::fit(machine, &set, control, start)?;
    let model = fit.model.lifted(&part.rows)?;
    Ok(Fit { model, report: fit.report, certificate: fit.certificate })
}
