//! A binary learner of linear functions for the entries: the C-SVC under the linear kernel, read back as weights.

use lm_core::{
    BinaryLabels, Control, Examples, Fit, Learner, Linear, Result, TrainingSet, VectorGram, VectorKernel,
};
use lm_qp::{CSvc, DualCertificate};

/// The linear soft margin machine with this cost.
pub(crate) struct LinearSvc(pub(crate) f64);

impl<E: Examples + ?Sized> Learner<E, BinaryLabels> for LinearSvc {
    type Model = Linear;
    type Certificate = DualCertificate<CSvc>;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, E, BinaryLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<Linear, DualCertificate<CSvc>>> {
        let gram = VectorGram::new(set.examples(), VectorKernel::linear())?;
        let fit = CSvc::default().with_cost(self.0).with_gap(1e-8).fit_with(&set.over(&gram)?, control)?;
        let model = fit.model.over_columns(set.examples())?;
        Ok(fit.map(|_| model))
    }
}
