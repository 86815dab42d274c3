//! Training: from settings and data to a machine with its evidence.

use lm_closed::{HoKashyap, Lda, Logistic, Multinomial};
use lm_core::multiclass::Part;
use lm_core::{
    BinaryLabels, ClassLabels, Control, Folds, Learner, OverVectors, Report, Result, Targets, TrainingSet,
    VectorKernel, Weights,
};
use lm_data::split;
use lm_online::{Order, Perceptron, Relaxation, Winnow};
use lm_qp::linear::{LinearSvc, SvcLoss};
use lm_qp::{CSvc, LpSvc, NuSvc, Solver, Unlabelled, WithProbabilities};

use super::{AnyExamples, AnySet, Evidence, Machine, Trained, kernel, linear, regression, supports};
use crate::failure::{Failure, Outcome};
use crate::settings::{LossName, MachineName, Settings, Task};

/// What a machine is trained on: examples after scaling, their labels, weights, and the names of classes.
#[derive(Clone, Copy)]
pub(crate) struct Training<'a> {
    pub(crate) examples: &'a AnyExamples,
    pub(crate) labels: &'a [f64],
    pub(crate) weights: Option<&'a [f64]>,
    pub(crate) class_names: Option<&'a [String]>,
}

/// The folds from which probabilities are learned.
const FOLDS: usize = 5;

impl Training<'_> {
    pub(crate) fn class_labels(&self) -> Outcome<ClassLabels> {
        Ok(ClassLabels::from_numbers(self.labels)?)
    }

    pub(crate) fn targets(&self, machine: MachineName) -> Outcome<Targets> {
        if self.class_names.is_some() {
            let name = machine.name();
            return Err(Failure::new(format!(
                "the target is text and {name} predicts numbers; accepted is a target of numbers, or a classifier"
            )));
        }
        Ok(Targets::new(self.labels.to_vec())?)
    }

    /// The weights of the examples: their own times those of their classes.
    pub(crate) fn all_weights(
        &self,
        settings: &Settings,
        labels: Option<&ClassLabels>,
    ) -> Outcome<Option<Weights>> {
        let own = self.weights.map(|weights| Weights::new(weights.to_vec())).transpose()?;
        let Some(labels) = labels.filter(|_| !settings.class_weights.is_empty()) else { return Ok(own) };
        let mut by_class = vec![1.0; labels.classes().len()];
        for (class, weight) in &settings.class_weights {
            let number = match self.class_names {
                Some(names) => names.iter().position(|name| name == class).map(|place| place as i64),
                None => {
                    class.parse::<f64>().ok().filter(|value| value.fract() == 0.0).map(|value| value as i64)
                }
            };
            let place = number.and_then(|number| labels.classes().binary_search(&number).ok());
            let place = place.ok_or_else(|| {
                Failure::new(format!("no example has the class `{class}` of `--class-weight`"))
            })?;
            by_class[place] = *weight;
        }
        Ok(Some(Weights::by_class(labels, &by_class, own.as_ref())?))
    }
}

/// A training set, with weights where there are any.
pub(super) fn weighted<'a, L: lm_core::Labelling>(
    examples: &'a AnyExamples,
    labels: &'a L,
    weights: Option<&'a Weights>,
) -> Result<AnySet<'a, L>> {
    let set = TrainingSet::new(examples, labels)?;
    weights.map_or(Ok(set), |weights| set.with_weights(weights))
}

/// When a dual machine is good enough.
fn solver(settings: &Settings) -> Solver {
    let solver = Solver::default().with_gap(settings.gap);
    settings.libsvm_epsilon.map_or(solver, |epsilon| solver.with_libsvm_epsilon(epsilon))
}

/// Trains the machine of the settings.
pub(crate) fn fit(settings: &Settings, training: &Training<'_>, control: &Control<'_>) -> Outcome<Trained> {
    match settings.machine.task() {
        Task::Classification => {
            let labels = training.class_labels()?;
            let weights = training.all_weights(settings, Some(&labels))?;
            let set = weighted(training.examples, &labels, weights.as_ref())?;
            let (machine, evidence, report) = classifier(settings, &set, control)?;
            let support = supports::of_classes(&evidence, &set)?;
            Ok(Trained { machine, evidence, report, support })
        }
        Task::Regression => {
            let labels = training.targets(settings.machine)?;
            let weights = training.all_weights(settings, None)?;
            let set = weighted(training.examples, &labels, weights.as_ref())?;
            let (machine, evidence, report) =
                regression::regression(settings, solver(settings), &set, control)?;
            let support = supports::of_function(&evidence, set.len());
            Ok(Trained { machine, evidence, report, support })
        }
        Task::Novelty => {
            let labels = Unlabelled::new(training.examples.len());
            let weights = training.all_weights(settings, None)?;
            let set = weighted(training.examples, &labels, weights.as_ref())?;
            let (machine, evidence, report) =
                regression::one_class(settings, solver(settings), &set, control)?;
            let support = supports::of_function(&evidence, set.len());
            Ok(Trained { machine, evidence, report, support })
        }
    }
}

fn classifier(
    settings: &Settings,
    set: &AnySet<'_, ClassLabels>,
    control: &Control<'_>,
) -> Outcome<(Machine, Evidence, Report)> {
    let kernel = settings.kernel.unwrap_or_else(VectorKernel::linear);
    let order = settings.seed.map_or(Order::Given, |seed| Order::Shuffled { seed });
    let scheme = settings.scheme;
    Ok(match settings.machine {
        MachineName::Svc => {
            let machine = CSvc::default().with_cost(settings.c).with_solver(solver(settings));
            if settings.probability {
                let learner =
                    OverVectors::new(WithProbabilities::new(machine, folds(settings, set)?), kernel);
                let fit = learner.fit_with(set, control)?;
                let evidence = Evidence::CalibratedSvc(fit.certificate.evidence().clone());
                return Ok((Machine::Calibrated(fit.model), evidence, fit.report));
            }
            with(kernel::classifier(machine, kernel, scheme, set, control)?, Evidence::Svc)
        }
        MachineName::NuSvc => {
            let machine = NuSvc::default().with_nu(settings.nu).with_solver(solver(settings));
            if settings.probability {
                let learner =
                    OverVectors::new(WithProbabilities::new(machine, folds(settings, set)?), kernel);
                let fit = learner.fit_with(set, control)?;
                let evidence = Evidence::CalibratedNuSvc(fit.certificate.evidence().clone());
                return Ok((Machine::Calibrated(fit.model), evidence, fit.report));
            }
            with(kernel::classifier(machine, kernel, scheme, set, control)?, Evidence::NuSvc)
        }
        MachineName::LpSvc => {
            let machine = LpSvc::default().with_cost(settings.c).with_gap(settings.gap);
            with(kernel::classifier(machine, kernel, scheme, set, control)?, Evidence::LpSvc)
        }
        MachineName::LinearSvc => {
            let loss = if settings.loss == LossName::Hinge { SvcLoss::Hinge } else { SvcLoss::SquaredHinge };
            let machine = LinearSvc::default().with_cost(settings.c).with_loss(loss).with_gap(settings.gap);
            let machine = machine.with_seed(settings.seed.unwrap_or(0));
            with(linear::classifier(machine, scheme, set, control)?, Evidence::LinearSvc)
        }
        MachineName::Perceptron => {
            let machine = Perceptron::default().with_passes(settings.passes).with_order(order);
            let machine = machine.with_margin(settings.margin.unwrap_or(0.0));
            with(linear::classifier(machine, scheme, set, control)?, Evidence::Perceptron)
        }
        MachineName::Relaxation => {
            let machine = Relaxation::default().with_passes(settings.passes).with_order(order);
            let machine = machine.with_margin(settings.margin.unwrap_or(1.0));
            with(linear::classifier(machine, scheme, set, control)?, Evidence::Relaxation)
        }
        MachineName::Winnow => {
            let machine = Winnow::default().with_passes(settings.passes).with_order(order);
            with(linear::classifier(machine, scheme, set, control)?, Evidence::Winnow)
        }
        MachineName::HoKashyap => {
            with(linear::classifier(HoKashyap::default(), scheme, set, control)?, Evidence::HoKashyap)
        }
        MachineName::Lda => {
            let fit = Lda::default().fit_with(set, control)?;
            (Machine::Lda(fit.model), Evidence::Lda(fit.certificate), fit.report)
        }
        MachineName::Logistic => logistic(settings, set, control)?,
        other => return Err(Failure::new(format!("{} is no classifier", other.name()))),
    })
}

fn with<C>(
    (machine, parts, report): (Machine, Vec<Part<C>>, Report),
    wrap: impl FnOnce(Vec<Part<C>>) -> Evidence,
) -> (Machine, Evidence, Report) {
    (machine, wrap(parts), report)
}

/// Logistic regression; of two classes by one function.
fn logistic(
    settings: &Settings,
    set: &AnySet<'_, ClassLabels>,
    control: &Control<'_>,
) -> Result<(Machine, Evidence, Report)> {
    let (penalty, gap) = (settings.lambda.unwrap_or(1.0), settings.gap);
    if let Some((labels, classes)) = two_sided(set.labels())? {
        let two = weighted(set.examples(), &labels, set.weights())?;
        let machine = Logistic::default().with_penalty(penalty).with_tolerance(gap);
        let fit = machine.fit_with(&two, control)?;
        return Ok((
            Machine::Logistic { model: fit.model, classes },
            Evidence::Logistic(fit.certificate),
            fit.report,
        ));
    }
    let fit = Multinomial::default().with_penalty(penalty).with_tolerance(gap).fit_with(set, control)?;
    Ok((Machine::Multinomial(fit.model), Evidence::Logistic(fit.certificate), fit.report))
}

/// The labels of two classes as signs; none for more classes.
pub(super) fn two_sided(labels: &ClassLabels) -> Result<Option<(BinaryLabels, [i64; 2])>> {
    match labels.classes() {
        &[low, high] => Ok(Some((labels.one_against_rest(1)?, [low, high]))),
        _ => Ok(None),
    }
}

/// Stratified folds, from which probabilities are learned.
fn folds(settings: &Settings, set: &AnySet<'_, ClassLabels>) -> Result<Folds> {
    let splits = split::stratified_folds(set.labels(), FOLDS, settings.seed.unwrap_or(0))?;
    Folds::from_tests(set.len(), splits.iter().map(|split| &split.test[..]))
}
