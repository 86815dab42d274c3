//! Classifiers by hyperplanes: from settings to machines.

use lm_core::multiclass::{Dag, DagModel, OneVsOne, OneVsOneModel, OneVsRest, OneVsRestModel, Part};
use lm_core::{ClassLabels, Control, Learner, Linear, Report, Result};

use super::{AnyExamples, AnySet, Machine};
use crate::settings::Scheme;

/// A machine of the scheme that is asked for, and the evidence for its parts. Two classes need one hyperplane in every
/// scheme.
pub(super) fn classifier<M, C>(
    learner: M,
    scheme: Scheme,
    set: &AnySet<'_, ClassLabels>,
    control: &Control<'_>,
) -> Result<(Machine, Vec<Part<C>>, Report)>
where
    OneVsOne<M>: Learner<AnyExamples, ClassLabels, Model = OneVsOneModel<Linear>, Certificate = Vec<Part<C>>>,
    OneVsRest<M>:
        Learner<AnyExamples, ClassLabels, Model = OneVsRestModel<Linear>, Certificate = Vec<Part<C>>>,
    Dag<M>: Learner<AnyExamples, ClassLabels, Model = DagModel<Linear>, Certificate = Vec<Part<C>>>,
{
    let two = set.labels().classes().len() == 2;
    Ok(match scheme {
        Scheme::OneVsRest if !two => {
            let fit = OneVsRest::new(learner).fit_with(set, control)?;
            (Machine::LinearRest(fit.model), fit.certificate, fit.report)
        }
        Scheme::Dag if !two => {
            let fit = Dag::new(learner).fit_with(set, control)?;
            (Machine::LinearDag(fit.model), fit.certificate, fit.report)
        }
        _ => {
            let fit = OneVsOne::new(learner).fit_with(set, control)?;
            (Machine::LinearPairs(fit.model), fit.certificate, fit.report)
        }
    })
}
