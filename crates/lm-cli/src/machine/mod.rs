//! Machines: what is trained, what it predicts, and the evidence for it.

mod evidence;
mod figures;
mod fit;
mod kernel;
mod linear;
mod predict;
mod regression;
mod supports;

pub(crate) use evidence::Evidence;
pub(crate) use figures::{Figures, stop_name};
pub(crate) use fit::{Training, fit};
pub(crate) use predict::{Prediction, predict};

use lm_closed::{GaussianProcessModel, LdaModel, LogisticModel, MultinomialModel};
use lm_core::multiclass::{DagModel, LinearMachine, OneVsOneModel, OneVsRestModel};
use lm_core::probability::Calibrated;
use lm_core::{Examples, Linear, Report, TrainingSet, VectorExpansion};
use serde::{Deserialize, Serialize};

/// Examples of any storage.
pub(crate) type AnyExamples = dyn Examples;

/// A training set of such examples.
pub(crate) type AnySet<'a, L> = TrainingSet<'a, AnyExamples, L>;

/// A machine of any kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Machine {
    /// Pairs of classes, over support vectors.
    KernelPairs(OneVsOneModel<VectorExpansion>),
    /// One class against the others, over support vectors.
    KernelRest(OneVsRestModel<VectorExpansion>),
    /// Pairs in a directed graph, over support vectors.
    KernelDag(DagModel<VectorExpansion>),
    /// Pairs with probabilities.
    Calibrated(Calibrated<VectorExpansion>),
    /// Pairs of classes, by hyperplanes.
    LinearPairs(OneVsOneModel<Linear>),
    /// One class against the others, by hyperplanes.
    LinearRest(OneVsRestModel<Linear>),
    /// Pairs in a directed graph, by hyperplanes.
    LinearDag(DagModel<Linear>),
    /// A linear function for each class, of a file of LIBLINEAR.
    LinearMachine(LinearMachine),
    /// Linear discriminant analysis.
    Lda(LdaModel),
    /// Logistic regression of two classes, the smaller one first.
    Logistic { model: LogisticModel, classes: [i64; 2] },
    /// Logistic regression of several classes.
    Multinomial(MultinomialModel),
    /// A real function over support vectors.
    KernelFunction(VectorExpansion),
    /// A linear function.
    LinearFunction(Linear),
    /// A Gaussian process.
    GaussianProcess(GaussianProcessModel),
    /// Positive where most of the examples lie.
    Novelty(VectorExpansion),
    /// The same by a hyperplane, of a file of LIBLINEAR.
    LinearNovelty(Linear),
}

/// What came of training.
#[derive(Debug, Clone)]
pub(crate) struct Trained {
    pub(crate) machine: Machine,
    pub(crate) evidence: Evidence,
    pub(crate) report: Report,
    /// The number of examples that the machine is made of, where it is made of examples.
    pub(crate) support: Option<usize>,
}

impl Machine {
    /// The integers of the classes; none for machines that predict numbers.
    pub(crate) fn classes(&self) -> Option<Vec<i64>> {
        use lm_core::multiclass::Classifier;
        let of = |classifier: &dyn Classifier<AnyExamples>| Some(classifier.classes().to_vec());
        match self {
            Self::KernelPairs(model) => of(model),
            Self::KernelRest(model) => of(model),
            Self::KernelDag(model) => of(model),
            Self::Calibrated(model) => of(model),
            Self::LinearPairs(model) => of(model),
            Self::LinearRest(model) => of(model),
            Self::LinearDag(model) => of(model),
            Self::LinearMachine(model) => of(model),
            Self::Lda(model) => of(model),
            Self::Multinomial(model) => of(model),
            Self::Logistic { classes, .. } => Some(classes.to_vec()),
            Self::Novelty(_) | Self::LinearNovelty(_) => Some(vec![-1, 1]),
            Self::KernelFunction(_) | Self::LinearFunction(_) | Self::GaussianProcess(_) => None,
        }
    }
}
