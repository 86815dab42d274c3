//! Machines that say how probable each class is.
//!
//! # Problem
//! Give every class a probability, from the decision values of the machines of all pairs, so that the predicted class is
//! always the most probable one.
//! # Method
//! For each pair of classes, decision values of its examples are computed by machines that have not seen them (folds), and a
//! sigmoid is fitted to these ([`Platt`](lm_core::probability::Platt)); then the machine of the pair is learned from all its
//! examples. Pairs are coupled and the result is moved to the nearest probabilities that agree with the class that has most
//! votes ([`Calibrated`]). All fits share their kernel rows.
//! # Cost
//! A fit more for each fold and pair than without probabilities.
//! # Reference
//! Platt (2000); Wu, Lin & Weng (2004).

use lm_core::gram::SharedRows;
use lm_core::multiclass::{DecideRows, OneVsOneModel, Part as PairPart, shared_memory};
use lm_core::probability::{Calibrated, Platt, PlattCertificate, Sigmoid};
use lm_core::{
    BinaryLabels, Certificate, ClassLabels, Control, DualExpansion, Error, Fit, Folds, Gram, Learner, Report,
    Result, TrainingSet, Verdict, parallel,
};

use crate::certificate::DualCertificate;
use crate::formulation::Formulation;
use crate::held_out::{Judged, Part, check_folds, first_stop, fit_part, fit_without};

/// A machine of two classes made one of any number of classes that gives probabilities.
///
/// ```
/// use lm_core::multiclass::Classifier;
/// use lm_core::{ClassLabels, Dense, Folds, Learner, OverVectors, VectorKernel};
/// use lm_qp::{CSvc, WithProbabilities};
///
/// let examples = Dense::new((0..18).map(|k| f64::from(k % 3) * 2.0 + 0.1 * f64::from(k)).collect(), 18, 1)?;
/// let labels = ClassLabels::from_integers(&(0..18).map(|k| k % 3).collect::<Vec<i64>>())?;
/// let folds = Folds::new((0..18).map(|row| row / 3 % 3).collect())?;
/// let learner = OverVectors::new(WithProbabilities::new(CSvc::default(), folds), VectorKernel::gaussian(0.5)?);
/// let model = learner.fit(&examples, &labels)?.converged()?.model;
/// let found = model.probabilities(&examples)?;
/// assert_eq!(found.most_probable(), model.classify(&examples)?);
/// assert!((found.row(0)?.iter().sum::<f64>() - 1.0).abs() < 1e-12);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct WithProbabilities<M> {
    machine: M,
    folds: Folds,
}

impl<M> WithProbabilities<M> {
    /// The machine, and the folds of the set that it will learn from; stratified ones, so that every pair has examples of both
    /// classes in all of them.
    pub fn new(machine: M, folds: Folds) -> Self {
        Self { machine, folds }
    }
}

/// The evidence for a machine with probabilities: that for each pair's machine, and for each pair's sigmoid with the held-out
/// decision values that it was fitted to.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CalibratedEvidence<M> {
    machines: Vec<PairPart<DualCertificate<M>>>,
    sigmoids: Vec<SigmoidEvidence>,
}

/// The evidence for the sigmoid of a pair.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SigmoidEvidence {
    /// The rows of the pair, in increasing order.
    pub rows: Vec<usize>,
    /// The decision value of each, by a machine that has not seen it.
    pub values: Vec<f64>,
    /// Criterion, gradient and curvature of the fit.
    pub certificate: PlattCertificate,
}

impl<M> CalibratedEvidence<M> {
    /// The evidence for the machine of each pair.
    pub fn machines(&self) -> &[PairPart<DualCertificate<M>>] {
        &self.machines
    }

    /// The evidence for the sigmoid of each pair.
    pub fn sigmoids(&self) -> &[SigmoidEvidence] {
        &self.sigmoids
    }
}

/// What one pair comes to.
struct Pair<M> {
    fit: Fit<DualExpansion, DualCertificate<M>>,
    sigmoid: Sigmoid,
    evidence: SigmoidEvidence,
    reports: Vec<Report>,
}

impl<M, G> Learner<G, ClassLabels> for WithProbabilities<M>
where
    M: Formulation<BinaryLabels>,
    G: Gram + ?Sized,
{
    type Model = Calibrated<DualExpansion>;
    type Certificate = CalibratedEvidence<M>;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, G, ClassLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<Self::Model, Self::Certificate>> {
        check_folds(&self.folds, set.len())?;
        let (bytes, control) = shared_memory(set.len(), control);
        let mut meter = control.start(u64::MAX);
        let parts = ClassLabels::parts(set)?;
        let control = meter.divided(parts.len());
        let shared = SharedRows::new(set.examples(), bytes);
        let found = parallel::map(parts.len(), |pair| self.pair(&shared, &parts[pair], &control));
        let classes = set.labels().classes();
        let k = classes.len();
        let sides = (0..k).flat_map(|low| (low + 1..k).map(move |high| (classes[low], classes[high])));
        let (mut models, mut sigmoids, mut reports) = (Vec::new(), Vec::new(), Vec::new());
        let mut evidence = CalibratedEvidence { machines: Vec::new(), sigmoids: Vec::new() };
        for (found, (negative, positive)) in found.into_iter().zip(sides) {
            let Pair { fit, sigmoid, evidence: own, reports: others } = found?;
            models.push(fit.model);
            sigmoids.push(sigmoid);
            reports.push(fit.report.clone());
            reports.extend(others);
            let (report, certificate) = (fit.report, fit.certificate);
            evidence.machines.push(PairPart { positive, negative: Some(negative), report, certificate });
            evidence.sigmoids.push(own);
        }
        let model = Calibrated::new(OneVsOneModel::new(classes.to_vec(), models)?, sigmoids)?;
        let total = |figure: fn(&Report) -> u64| reports.iter().map(figure).fold(0, u64::saturating_add);
        // The limits hold for the parts; the meter of the whole only counts.
        let _ = meter.advance(total(|report| report.iterations), total(|report| report.kernel_evaluations));
        let stop = first_stop(reports.iter().map(|report| report.stop));
        Ok(Fit { model, report: meter.report(stop, Some(shared.figures())), certificate: evidence })
    }
}

impl<M: Formulation<BinaryLabels>> WithProbabilities<M> {
    /// The machine of a pair, and its sigmoid from held-out values.
    fn pair<G: Gram + ?Sized>(
        &self,
        shared: &SharedRows<'_, G>,
        part: &Part<BinaryLabels>,
        control: &Control<'_>,
    ) -> Result<Pair<M>> {
        // A fold without rows of this pair needs no machine.
        self.folds.select(part.rows())?;
        let mut values = vec![0.0; part.rows().len()];
        let mut reports = Vec::new();
        for fold in 0..self.folds.count() {
            let held = |place: &usize| self.folds.numbers()[part.rows()[*place]] as usize == fold;
            let places: Vec<usize> = (0..part.rows().len()).filter(held).collect();
            if places.is_empty() {
                continue;
            }
            let fit = fit_without(&self.machine, shared, part, &self.folds, fold, None, control)?;
            let rows: Vec<usize> = places.iter().map(|&place| part.rows()[place]).collect();
            let found = fit.model.decision_values_at(shared, &rows)?;
            places.iter().zip(found).for_each(|(&place, value)| values[place] = value);
            reports.push(fit.report);
        }
        let fit = fit_part(&self.machine, shared, part, None, control)?;
        let set = TrainingSet::new(&values[..], part.labels())?;
        let set = part.weights().map_or(Ok(set), |weights| set.with_weights(weights))?;
        let platt = Platt::default().fit_with(&set, &Control::default())?;
        reports.push(platt.report);
        let evidence = SigmoidEvidence { rows: part.rows().to_vec(), values, certificate: platt.certificate };
        Ok(Pair { fit, sigmoid: platt.model, evidence, reports })
    }
}

impl<G, M> Certificate<TrainingSet<'_, G, ClassLabels>> for CalibratedEvidence<M>
where
    G: Gram + ?Sized,
    M: Formulation<BinaryLabels>,
{
    /// Checks the machine of each pair, and each sigmoid against its held-out values. That these come from machines that have
    /// not seen the examples is shown by cross-validating again ([`HeldOut`](crate::HeldOut)).
    fn verify(&self, set: &TrainingSet<'_, G, ClassLabels>) -> Result<Verdict> {
        let verdict = self.machines.verify(set)?;
        if !verdict.is_valid() {
            return Ok(verdict);
        }
        let parts = ClassLabels::parts(set)?;
        if parts.len() != self.sigmoids.len() {
            let (expected, found) = (parts.len(), self.sigmoids.len());
            return Err(Error::Length { what: "the list of sigmoids", expected, found });
        }
        for (part, own) in parts.iter().zip(&self.sigmoids) {
            if part.rows() != own.rows {
                let (expected, found) = (part.rows().len(), own.rows.len());
                return Err(Error::Length { what: "the rows of a pair", expected, found });
            }
            let pair = TrainingSet::new(&own.values[..], part.labels())?;
            let pair = part.weights().map_or(Ok(pair), |weights| pair.with_weights(weights))?;
            let verdict = own.certificate.verify(&pair)?;
            if !verdict.is_valid() {
                return Ok(verdict);
            }
        }
        Ok(Verdict::Valid)
    }
}
