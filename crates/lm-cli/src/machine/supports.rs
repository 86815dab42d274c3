//! The machine that a certificate is about: compared with the stored one, and the examples that it is made of counted.

use lm_core::multiclass::{OneVsRestModel, PairProblem, Part};
use lm_core::{
    BinaryLabels, ClassLabels, Collection, DualExpansion, Lift, Linear, OverExamples, Result,
    VectorExpansion, VectorKernel,
};
use lm_qp::{DualCertificate, Formulation};

use super::{AnyExamples, AnySet, Evidence, Machine};

/// The expansions of all parts over the rows of the whole set.
fn expansions<C>(
    parts: &[Part<C>],
    set: &AnySet<'_, ClassLabels>,
    of: impl Fn(&C, &BinaryLabels) -> Result<DualExpansion>,
) -> Result<Vec<DualExpansion>> {
    let labels = set.labels();
    let number = |class: i64| labels.classes().binary_search(&class).unwrap_or(usize::MAX);
    parts
        .iter()
        .map(|part| match part.negative {
            Some(negative) => {
                let problem = PairProblem::new(set, number(negative), number(part.positive))?;
                let rows = lm_core::Selection::new(set.examples(), problem.rows())?;
                let own = problem.training_set(&rows)?;
                of(&part.certificate, own.labels())?.lifted(problem.rows())
            }
            None => of(&part.certificate, &labels.one_against_rest(number(part.positive))?),
        })
        .collect()
}

fn dual<F: Formulation<BinaryLabels>>(
    certificate: &DualCertificate<F>,
    labels: &BinaryLabels,
) -> Result<DualExpansion> {
    certificate.expansion(labels.len())
}

/// The expansions of a classifier over kernels; none for other evidence.
fn of_evidence(evidence: &Evidence, set: &AnySet<'_, ClassLabels>) -> Result<Option<Vec<DualExpansion>>> {
    Ok(Some(match evidence {
        Evidence::Svc(parts) => expansions(parts, set, dual)?,
        Evidence::NuSvc(parts) => expansions(parts, set, dual)?,
        Evidence::CalibratedSvc(evidence) => expansions(evidence.machines(), set, dual)?,
        Evidence::CalibratedNuSvc(evidence) => expansions(evidence.machines(), set, dual)?,
        Evidence::LpSvc(parts) => expansions(parts, set, |certificate, labels| {
            let signed =
                certificate.alpha().iter().zip(labels.signs()).map(|(alpha, sign)| alpha * sign.value());
            DualExpansion::from_all(&signed.collect::<Vec<_>>(), certificate.bias())
        })?,
        _ => return Ok(None),
    }))
}

/// How many examples a classifier is made of; none if it is not made of examples.
pub(super) fn of_classes(evidence: &Evidence, set: &AnySet<'_, ClassLabels>) -> Result<Option<usize>> {
    Ok(of_evidence(evidence, set)?.map(|expansions| {
        let mut used = vec![false; set.len()];
        expansions.iter().flat_map(DualExpansion::rows).for_each(|&row| used[row] = true);
        used.into_iter().filter(|&used| used).count()
    }))
}

/// How many examples a real function is made of.
pub(super) fn of_function(evidence: &Evidence, examples: usize) -> Option<usize> {
    let count = |values: &[f64]| Some(values.iter().filter(|value| **value != 0.0).count());
    match evidence {
        Evidence::Svr(certificate) => certificate.expansion(examples).ok().map(|own| own.rows().len()),
        Evidence::NuSvr(certificate) => certificate.expansion(examples).ok().map(|own| own.rows().len()),
        Evidence::OneClass(certificate) => certificate.expansion(examples).ok().map(|own| own.rows().len()),
        Evidence::KernelRidge(certificate) => count(certificate.alpha()),
        Evidence::GaussianProcess(certificate) => count(certificate.mean().alpha()),
        _ => None,
    }
}

/// Whether the stored real function is that of the evidence.
pub(super) fn function_is(
    evidence: &Evidence,
    machine: &Machine,
    examples: &AnyExamples,
    kernel: VectorKernel,
) -> Result<bool> {
    let made = |expansion: DualExpansion| expansion.over_examples(examples, kernel);
    Ok(match (evidence, machine) {
        (Evidence::Svr(own), Machine::KernelFunction(stored)) => {
            made(own.expansion(examples.len())?)? == *stored
        }
        (Evidence::NuSvr(own), Machine::KernelFunction(stored)) => {
            made(own.expansion(examples.len())?)? == *stored
        }
        (Evidence::OneClass(own), Machine::Novelty(stored)) => {
            made(own.expansion(examples.len())?)? == *stored
        }
        (Evidence::KernelRidge(own), Machine::KernelFunction(stored)) => {
            made(DualExpansion::from_all(own.alpha(), own.bias())?)? == *stored
        }
        (Evidence::LinearSystem(own), Machine::LinearFunction(stored)) => own.function() == stored,
        (Evidence::Lms(own), Machine::LinearFunction(stored)) => own.function() == stored,
        (Evidence::GaussianProcess(own), Machine::GaussianProcess(stored)) => {
            let alpha: Vec<f64> = own.mean().alpha().iter().copied().filter(|value| *value != 0.0).collect();
            alpha == stored.expansion().coefficients()
        }
        _ => false,
    })
}

/// Whether the stored classifier is that of the evidence.
pub(super) fn classifier_is(
    evidence: &Evidence,
    machine: &Machine,
    set: &AnySet<'_, ClassLabels>,
    kernel: VectorKernel,
) -> Result<bool> {
    if let Some(expansions) = of_evidence(evidence, set)? {
        let stored: &[VectorExpansion] = match machine {
            Machine::KernelPairs(model) => model.models(),
            Machine::KernelRest(model) => model.models(),
            Machine::KernelDag(model) => model.pairwise().models(),
            Machine::Calibrated(model) => model.pairs().models(),
            _ => return Ok(false),
        };
        let made: Result<Vec<VectorExpansion>> =
            expansions.iter().map(|own| own.over_examples(set.examples(), kernel)).collect();
        return Ok(made? == stored);
    }
    let linear: &[Linear] = match machine {
        Machine::LinearPairs(model) => model.models(),
        Machine::LinearRest(model) => OneVsRestModel::models(model),
        Machine::LinearDag(model) => model.pairwise().models(),
        Machine::Logistic { model, .. } => std::slice::from_ref(model.function()),
        Machine::Multinomial(model) => model.machine().functions(),
        _ => &[],
    };
    // A norm is summed in another order than that of the replay.
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (a.abs() + b.abs() + f64::MIN_POSITIVE);
    Ok(match evidence {
        Evidence::LinearSvc(parts) => all(parts, linear, |own, function| own.hyperplane() == function),
        Evidence::Perceptron(parts) => all(parts, linear, |own, function| {
            near(own.norm(), function.norm()) && near(own.final_bias(), function.bias())
        }),
        Evidence::Relaxation(parts) => all(parts, linear, |own, function| {
            near(own.norm(), function.norm()) && near(own.final_bias(), function.bias())
        }),
        // The trace claims where corrections were made, and that it separates; the weights follow from these.
        Evidence::Winnow(parts) => parts.len() == linear.len(),
        Evidence::HoKashyap(parts) => all(parts, linear, |own, function| match own {
            lm_closed::Separability::Separable(own) => own.hyperplane == *function,
            _ => true,
        }),
        Evidence::Logistic(own) => own.functions() == linear,
        Evidence::Lda(own) => matches!(machine, Machine::Lda(stored) if own.model() == stored),
        _ => false,
    })
}

fn all<C>(parts: &[Part<C>], functions: &[Linear], same: impl Fn(&C, &Linear) -> bool) -> bool {
    parts.len() == functions.len()
        && parts.iter().zip(functions).all(|(part, own)| same(&part.certificate, own))
}
