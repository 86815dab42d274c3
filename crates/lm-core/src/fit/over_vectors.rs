//! A learner over Gram matrices as a learner over vectors.

use super::{Certificate, Control, Fit, Learner, Verdict};
use crate::gram::{Gram, MatrixGram, VectorGram};
use crate::hypothesis::OverExamples;
use crate::kernel::VectorKernel;
use crate::labels::Labelling;
use crate::training_set::TrainingSet;
use crate::{Examples, Result};

/// A dual learner together with the kernel that makes its Gram matrix: it takes examples, and returns an expansion over
/// support vectors that predicts on new ones; or a multi-class scheme around a dual learner, and several of them.
///
/// ```
/// # use lm_core::*;
/// # /// The difference of the class means in the feature space.
/// # struct Means;
/// # impl<G: Gram + ?Sized> Learner<G, BinaryLabels> for Means {
/// #     type Model = DualExpansion;
/// #     type Certificate = ();
/// #     fn fit_with(&self, set: &TrainingSet<'_, G, BinaryLabels>, control: &Control<'_>) -> Result<Fit<DualExpansion, ()>> {
/// #         let share = |sign: &Sign| sign.value() / set.labels().count(*sign) as f64;
/// #         let coefficients: Vec<f64> = set.labels().signs().iter().map(share).collect();
/// #         let report = control.start(1).report(Stop::Converged, None);
/// #         Ok(Fit { model: DualExpansion::from_all(&coefficients, 0.0)?, report, certificate: () })
/// #     }
/// # }
/// let examples = Dense::new(vec![0.0, 1.0, 5.0, 6.0], 4, 1)?;
/// let labels = BinaryLabels::from_integers(&[-1, -1, 1, 1])?;
/// let learner = OverVectors::new(Means, VectorKernel::gaussian(0.5)?); // `Means` learns from any Gram matrix
/// let fit = learner.fit(&examples, &labels)?;
/// assert!(fit.model.decision(&[5.5])? > 0.0);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OverVectors<L> {
    learner: L,
    kernel: VectorKernel,
}

impl<L> OverVectors<L> {
    /// The learner, run on the Gram matrix of this kernel.
    pub fn new(learner: L, kernel: VectorKernel) -> Self {
        Self { learner, kernel }
    }
}

impl<E, Y, L> Learner<E, Y> for OverVectors<L>
where
    E: Examples + ?Sized,
    Y: Labelling,
    // The first bound names the types of model and certificate; the second says that they are the same for every Gram matrix.
    L: Learner<MatrixGram<'static>, Y>,
    <L as Learner<MatrixGram<'static>, Y>>::Model: OverExamples,
    for<'g> L: Learner<
            dyn Gram + 'g,
            Y,
            Model = <L as Learner<MatrixGram<'static>, Y>>::Model,
            Certificate = <L as Learner<MatrixGram<'static>, Y>>::Certificate,
        >,
{
    type Model = <<L as Learner<MatrixGram<'static>, Y>>::Model as OverExamples>::OverVectors;
    type Certificate = OverVectorsCertificate<<L as Learner<MatrixGram<'static>, Y>>::Certificate>;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, E, Y>,
        control: &Control<'_>,
    ) -> Result<Fit<Self::Model, Self::Certificate>> {
        let gram = VectorGram::new(set.examples(), self.kernel)?;
        let gram: &dyn Gram = &gram;
        let fit = self.learner.fit_with(&set.over(gram)?, control)?;
        let model: <L as Learner<MatrixGram<'static>, Y>>::Model = fit.model;
        let model = model.over_examples(set.examples(), self.kernel)?;
        let certificate = OverVectorsCertificate { kernel: self.kernel, evidence: fit.certificate };
        Ok(Fit { model, report: fit.report, certificate })
    }
}

/// Evidence about the Gram matrix of examples, checked by making that matrix anew.
#[derive(Debug, Clone, PartialEq)]
pub struct OverVectorsCertificate<C> {
    kernel: VectorKernel,
    evidence: C,
}

impl<C> OverVectorsCertificate<C> {
    /// The kernel of the Gram matrix.
    pub fn kernel(&self) -> VectorKernel {
        self.kernel
    }

    /// What the dual learner certifies.
    pub fn evidence(&self) -> &C {
        &self.evidence
    }
}

impl<E, Y, C> Certificate<TrainingSet<'_, E, Y>> for OverVectorsCertificate<C>
where
    E: Examples + ?Sized,
    Y: Labelling,
    for<'g> C: Certificate<TrainingSet<'g, dyn Gram + 'g, Y>>,
{
    fn verify(&self, set: &TrainingSet<'_, E, Y>) -> Result<Verdict> {
        let gram = VectorGram::new(set.examples(), self.kernel)?;
        let gram: &dyn Gram = &gram;
        self.evidence.verify(&set.over(gram)?)
    }
}
