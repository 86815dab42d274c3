//! A learner over Gram matrices as a learner over examples.

use crate::fit::{Control, Fit, Learner};
use crate::gram::VectorGram;
use crate::hypothesis::{DualExpansion, VectorExpansion};
use crate::kernel::VectorKernel;
use crate::labels::Labelling;
use crate::training_set::TrainingSet;
use crate::{Examples, Result};

/// A dual learner with a vector kernel, so that the conformance suite, which speaks of examples, can be run on it.
///
/// The certificate, which speaks of the Gram matrix, is dropped.
#[derive(Debug, Clone, Copy)]
pub struct Kernelised<L> {
    learner: L,
    kernel: VectorKernel,
}

impl<L> Kernelised<L> {
    /// The learner, run on the Gram matrix of this kernel.
    pub fn new(learner: L, kernel: VectorKernel) -> Self {
        Self { learner, kernel }
    }
}

impl<E, Y, L> Learner<E, Y> for Kernelised<L>
where
    E: Examples + ?Sized,
    Y: Labelling,
    L: Sync,
    for<'a> L: Learner<VectorGram<'a, E>, Y, Model = DualExpansion>,
{
    type Model = VectorExpansion;
    type Certificate = ();

    fn fit_with(
        &self,
        set: &TrainingSet<'_, E, Y>,
        control: &Control<'_>,
    ) -> Result<Fit<VectorExpansion, ()>> {
        let gram = VectorGram::new(set.examples(), self.kernel)?;
        let over_gram = TrainingSet::new(&gram, set.labels())?;
        let over_gram = set.weights().map_or(Ok(over_gram), |weights| over_gram.with_weights(weights))?;
        let fit = self.learner.fit_with(&over_gram, control)?;
        // A constant function needs a support vector to know its dimension.
        let constant = || DualExpansion::new(vec![0], vec![0.0], fit.model.bias());
        let model = if fit.model.rows().is_empty() { constant()? } else { fit.model };
        let model = model.over_vectors(set.examples(), self.kernel)?;
        Ok(Fit { model, report: fit.report, certificate: () })
    }
}
