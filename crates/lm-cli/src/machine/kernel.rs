//! Classifiers over kernels: from settings to machines.

use lm_core::fit::OverVectorsCertificate;
use lm_core::multiclass::{
    Dag, DagModel, OnSharedRows, OneVsOne, OneVsOneModel, OneVsRest, OneVsRestModel, Part,
};
use lm_core::{
    ClassLabels, Control, Fit, Learner, OverVectors, Report, Result, VectorExpansion, VectorKernel,
};

use super::{AnyExamples, AnySet, Machine};
use crate::settings::Scheme;

/// A machine of the scheme that is asked for, and the evidence for its parts.
pub(super) fn classifier<M, C>(
    learner: M,
    kernel: VectorKernel,
    scheme: Scheme,
    set: &AnySet<'_, ClassLabels>,
    control: &Control<'_>,
) -> Result<(Machine, Vec<Part<C>>, Report)>
where
    OverVectors<OnSharedRows<OneVsOne<M>>>: Learner<
            AnyExamples,
            ClassLabels,
            Model = OneVsOneModel<VectorExpansion>,
            Certificate = OverVectorsCertificate<Vec<Part<C>>>,
        >,
    OverVectors<OnSharedRows<OneVsRest<M>>>: Learner<
            AnyExamples,
            ClassLabels,
            Model = OneVsRestModel<VectorExpansion>,
            Certificate = OverVectorsCertificate<Vec<Part<C>>>,
        >,
    OverVectors<OnSharedRows<Dag<M>>>: Learner<
            AnyExamples,
            ClassLabels,
            Model = DagModel<VectorExpansion>,
            Certificate = OverVectorsCertificate<Vec<Part<C>>>,
        >,
    C: Clone,
{
    Ok(match scheme {
        Scheme::OneVsOne => {
            let fit = OverVectors::new(OnSharedRows::new(OneVsOne::new(learner)), kernel);
            taken(fit.fit_with(set, control)?, Machine::KernelPairs)
        }
        Scheme::OneVsRest => {
            let fit = OverVectors::new(OnSharedRows::new(OneVsRest::new(learner)), kernel);
            taken(fit.fit_with(set, control)?, Machine::KernelRest)
        }
        Scheme::Dag => {
            let fit = OverVectors::new(OnSharedRows::new(Dag::new(learner)), kernel);
            taken(fit.fit_with(set, control)?, Machine::KernelDag)
        }
    })
}

fn taken<T, C: Clone>(
    fit: Fit<T, OverVectorsCertificate<C>>,
    wrap: impl FnOnce(T) -> Machine,
) -> (Machine, C, Report) {
    (wrap(fit.model), fit.certificate.evidence().clone(), fit.report)
}
