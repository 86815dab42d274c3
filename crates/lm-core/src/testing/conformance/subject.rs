//! A learner with its types forgotten: data in, decision values out.

use super::data::Case;
use super::{AnyExamples, RoundTrip, Suite};
use crate::Result;
use crate::fit::{Control, Learner, Stop, Verdict};
use crate::labels::{Labelling, Weights};
use crate::training_set::TrainingSet;

/// What is learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Task {
    Binary,
    Classes,
    Regression,
}

impl Task {
    /// The number of classes in the data of the suite; a regression has none.
    pub(super) fn classes(self) -> usize {
        match self {
            Self::Binary => 2,
            Self::Classes => 3,
            Self::Regression => 0,
        }
    }

    /// The number of runs that a fit consists of: three pairs of three classes, or three against the rest.
    pub(super) fn runs(self) -> u64 {
        if self == Self::Classes { 3 } else { 1 }
    }
}

/// What a model says of a set.
#[derive(Debug, Clone)]
pub(super) struct Prediction {
    /// Decision values, finite or not.
    pub(super) values: Vec<f64>,
    /// The classes that follow from them; none for a regression.
    pub(super) classes: Vec<i64>,
}

/// What came of a fit.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) stop: Stop,
    pub(super) iterations: u64,
    /// What the model says of each set it was shown.
    pub(super) predictions: Vec<Result<Prediction>>,
    /// What came of encoding and decoding the model, where that is promised.
    pub(super) decoded: Option<Result<Decoded>>,
    pub(super) verdict: Option<Result<Verdict>>,
}

/// The container of a model, and what the decoded model says of each set.
#[derive(Debug)]
pub(super) struct Decoded {
    pub(super) bytes: Vec<u8>,
    pub(super) predictions: Vec<Result<Prediction>>,
}

/// A learner that can be run on a case.
pub(super) trait Subject: Sync {
    fn task(&self) -> Task;

    /// Fits the case and shows the model some sets.
    fn fit(&self, case: &Case, control: &Control<'_>, shown: &[&AnyExamples]) -> Result<Outcome>;

    /// Whether labels of another number than the examples are refused.
    fn refuses_missing_labels(&self, case: &Case) -> Result<bool>;
}

impl<L: Learner<AnyExamples, Y>, Y: Labelling> Subject for Suite<'_, L, Y> {
    fn task(&self) -> Task {
        self.task
    }

    fn fit(&self, case: &Case, control: &Control<'_>, shown: &[&AnyExamples]) -> Result<Outcome> {
        let labels = (self.labels)(&case.targets)?;
        let weights = case.weights.clone().map(Weights::new).transpose()?;
        let set = TrainingSet::new(&*case.examples, &labels)?;
        let set = weights.as_ref().map_or(Ok(set), |weights| set.with_weights(weights))?;
        let fit = self.learner.fit_with(&set, control)?;
        let predict = |model: &L::Model| -> Vec<Result<Prediction>> {
            shown.iter().map(|set| (self.predict)(model, &labels, *set)).collect()
        };
        let round_trip = |round_trip: RoundTrip<L::Model>| {
            let (bytes, model) = round_trip(&fit.model)?;
            Ok(Decoded { bytes, predictions: predict(&model) })
        };
        Ok(Outcome {
            stop: fit.report.stop,
            iterations: fit.report.iterations,
            predictions: predict(&fit.model),
            decoded: self.round_trip.map(round_trip),
            verdict: self.verify.map(|verify| verify(&fit.certificate, &set)),
        })
    }

    fn refuses_missing_labels(&self, case: &Case) -> Result<bool> {
        let labels = (self.labels)(&case.targets[..case.targets.len() - 1])?;
        Ok(self.learner.fit(&*case.examples, &labels).is_err())
    }
}
