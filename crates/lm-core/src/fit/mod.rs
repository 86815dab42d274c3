//! What a learner returns, and what it is held to.
//!
//! Every fit ends as a [`Fit`]: the model, a [`Report`] of how the run went, and a certificate that a third party
//! can check against the data without trusting the solver. A [`Budget`] bounds the run, an [`Observer`] watches it,
//! a [`Cancel`] token ends it. A run that is stopped early still returns its best model, and its certificate says
//! honestly how good that is.

mod budget;
mod certificate;
mod control;
mod over_vectors;
mod report;
mod separation;
mod without_one;

pub use budget::Budget;
pub use certificate::{Certificate, Discrepancy, DualityFigures, Verdict};
pub use control::{Cancel, Control, Meter, Observer, Progress};
pub use over_vectors::{OverVectors, OverVectorsCertificate};
pub use report::{CacheFigures, Report, Stop};
pub use separation::{Inseparability, Separation};
pub use without_one::{LeftOut, Share, Wanted, WithoutOne};

use crate::collection::Collection;
use crate::labels::Labelling;
use crate::training_set::TrainingSet;
use crate::{Error, Result};

/// A fitted model with the report of its run and the evidence for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit<M, C> {
    /// The model, always ready to predict.
    pub model: M,
    /// How the run went.
    pub report: Report,
    /// Evidence about the model that can be checked against the data.
    pub certificate: C,
}

impl<M, C> Fit<M, C> {
    /// The fit, for callers who insist that it converged.
    ///
    /// # Errors
    /// [`Error::NotConverged`], with the reason, if it did not.
    pub fn converged(self) -> Result<Self> {
        match self.report.stop {
            Stop::Converged => Ok(self),
            stop => Err(Error::NotConverged { stop, iterations: self.report.iterations }),
        }
    }

    /// The same fit with another model, for example one bound to the examples it was trained on.
    pub fn map<N>(self, f: impl FnOnce(M) -> N) -> Fit<N, C> {
        Fit { model: f(self.model), report: self.report, certificate: self.certificate }
    }
}

/// A learning procedure with its settings: something that turns a training set into a [`Fit`].
///
/// `S` is what it learns from and `L` how that is labelled. The trait is what the multi-class schemes and the
/// conformance suite are written against.
pub trait Learner<S: Collection + ?Sized, L: Labelling>: Sync {
    /// What it learns.
    type Model;
    /// The evidence it gives.
    type Certificate;

    /// Learns within the limits that `control` sets.
    ///
    /// # Errors
    /// An [`Error`] for a setting outside its domain, for a set it cannot learn from, or for broken arithmetic.
    /// Running out of budget is not an error: see [`Report::stop`].
    fn fit_with(
        &self,
        set: &TrainingSet<'_, S, L>,
        control: &Control<'_>,
    ) -> Result<Fit<Self::Model, Self::Certificate>>;

    /// Learns from examples and labels of equal weight with the default budget.
    ///
    /// # Errors
    /// As [`Learner::fit_with`], and [`Error::Length`] if there are not as many labels as examples.
    fn fit(&self, examples: &S, labels: &L) -> Result<Fit<Self::Model, Self::Certificate>> {
        self.fit_with(&TrainingSet::new(examples, labels)?, &Control::default())
    }
}

impl<S: Collection + ?Sized, Y: Labelling, L: Learner<S, Y> + ?Sized> Learner<S, Y> for &L {
    type Model = L::Model;
    type Certificate = L::Certificate;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, S, Y>,
        control: &Control<'_>,
    ) -> Result<Fit<Self::Model, Self::Certificate>> {
        (**self).fit_with(set, control)
    }
}
