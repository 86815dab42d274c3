//! Machines that predict numbers, and the one-class machine.

use lm_closed::{GaussianCovariance, GaussianProcess, KernelRidge, LeastSquares, MaximumEvidence, Ridge};
use lm_core::fit::OverVectorsCertificate;
use lm_core::{Control, Learner, OverVectors, Report, Result, Targets, VectorExpansion, VectorKernel};
use lm_online::{Lms, Order};
use lm_qp::{EpsilonSvr, NuSvr, OneClass, Solver, Unlabelled};

use super::{AnyExamples, AnySet, Evidence, Machine};
use crate::settings::{MachineName, Settings};

/// The machine of the settings, its evidence, and the report of the run.
pub(super) fn regression(
    settings: &Settings,
    solver: Solver,
    set: &AnySet<'_, Targets>,
    control: &Control<'_>,
) -> Result<(Machine, Evidence, Report)> {
    let kernel = settings.kernel.unwrap_or_else(VectorKernel::linear);
    match settings.machine {
        MachineName::Svr => {
            let machine = EpsilonSvr::default().with_cost(settings.c).with_epsilon(settings.epsilon);
            over_vectors(machine.with_solver(solver), kernel, set, control, Evidence::Svr)
        }
        MachineName::NuSvr => {
            let machine = NuSvr::default().with_cost(settings.c).with_nu(settings.nu);
            over_vectors(machine.with_solver(solver), kernel, set, control, Evidence::NuSvr)
        }
        MachineName::KernelRidge => {
            let machine = KernelRidge::default().with_penalty(settings.lambda.unwrap_or(1.0));
            over_vectors(machine.with_gap(settings.gap), kernel, set, control, Evidence::KernelRidge)
        }
        MachineName::Lms => {
            let order = settings.seed.map_or(Order::Given, |seed| Order::Shuffled { seed });
            let machine = Lms::default().with_passes(settings.passes).with_order(order);
            let fit = machine.with_tolerance(settings.gap).fit_with(set, control)?;
            Ok((Machine::LinearFunction(fit.model), Evidence::Lms(fit.certificate), fit.report))
        }
        MachineName::Ridge => {
            let machine = Ridge::default().with_penalty(settings.lambda.unwrap_or(1.0));
            let fit = machine.fit_with(set, control)?;
            Ok((Machine::LinearFunction(fit.model), Evidence::LinearSystem(fit.certificate), fit.report))
        }
        MachineName::Gp => gaussian_process(settings, set, control),
        _ => {
            let fit = LeastSquares::default().fit_with(set, control)?;
            Ok((Machine::LinearFunction(fit.model), Evidence::LinearSystem(fit.certificate), fit.report))
        }
    }
}

/// A dual learner of a real function.
fn over_vectors<M, C>(
    learner: M,
    kernel: VectorKernel,
    set: &AnySet<'_, Targets>,
    control: &Control<'_>,
    wrap: impl FnOnce(C) -> Evidence,
) -> Result<(Machine, Evidence, Report)>
where
    OverVectors<M>:
        Learner<AnyExamples, Targets, Model = VectorExpansion, Certificate = OverVectorsCertificate<C>>,
    C: Clone,
{
    let fit = OverVectors::new(learner, kernel).fit_with(set, control)?;
    Ok((Machine::KernelFunction(fit.model), wrap(fit.certificate.evidence().clone()), fit.report))
}

/// A process at the parameters that were given, or at those of the largest evidence.
fn gaussian_process(
    settings: &Settings,
    set: &AnySet<'_, Targets>,
    control: &Control<'_>,
) -> Result<(Machine, Evidence, Report)> {
    if settings.gamma.is_none() && settings.lambda.is_none() {
        let fit = MaximumEvidence::default().with_centring(true).fit_with(set, control)?;
        let evidence = Evidence::GaussianProcess(fit.certificate.process().clone());
        return Ok((Machine::GaussianProcess(fit.model), evidence, fit.report));
    }
    let gamma = settings.gamma.unwrap_or(1.0 / set.examples().dim() as f64);
    // exp(−γ‖x − z‖²) = exp(−‖x − z‖²/(2ℓ²)). A γ outside its domain gives a length outside its own.
    let length = VectorKernel::gaussian(gamma).map(|_| (0.5 / gamma).sqrt())?;
    let covariance =
        GaussianCovariance::default().with_length(length).with_noise_variance(settings.lambda.unwrap_or(1.0));
    let fit = GaussianProcess::new(covariance).with_centring(true).fit_with(set, control)?;
    Ok((Machine::GaussianProcess(fit.model), Evidence::GaussianProcess(fit.certificate), fit.report))
}

/// The one-class machine.
pub(super) fn one_class(
    settings: &Settings,
    solver: Solver,
    set: &AnySet<'_, Unlabelled>,
    control: &Control<'_>,
) -> Result<(Machine, Evidence, Report)> {
    let kernel = settings.kernel.unwrap_or_else(VectorKernel::linear);
    let machine = OneClass::default().with_nu(settings.nu).with_solver(solver);
    let fit = OverVectors::new(machine, kernel).fit_with(set, control)?;
    Ok((Machine::Novelty(fit.model), Evidence::OneClass(fit.certificate.evidence().clone()), fit.report))
}
