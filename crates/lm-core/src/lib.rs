//! The vocabulary of linear learning machines: examples, labels, kernels, Gram matrices, hypotheses, and evidence.

pub mod basis;
pub mod examples;
pub mod fit;
pub mod gram;
pub mod hypothesis;
pub mod kernel;
pub mod labels;
pub mod loss;
pub mod margin;
pub mod multiclass;
#[cfg(feature = "persist")]
pub mod persist;
#[cfg(feature = "serde")]
pub mod serde_array;
#[cfg(feature = "testing")]
pub mod testing;

mod collection;
mod eigen;
mod error;
mod threads;
mod training_set;

pub use basis::FeatureMap;
pub use collection::{Collection, Objects, Selection};
pub use error::{Error, Result};
#[cfg(feature = "faer")]
pub use examples::FaerRows;
#[cfg(feature = "ndarray")]
pub use examples::NdarrayRows;
pub use examples::{Csr, Dense, Element, Examples, Row, SparseRow};
pub use fit::{
    Budget, CacheFigures, Cancel, Certificate, Control, Discrepancy, DualityFigures, Fit, Inseparability,
    Learner, Meter, Observer, Progress, Report, Separation, Stop, Verdict,
};
pub use gram::{Cached, Columns, Gram, MatrixGram, ObjectGram, Precision, RowCache, VectorGram};
pub use hypothesis::{
    DualExpansion, Hypothesis, Lift, Linear, ObjectExpansion, SupportVectors, VectorExpansion,
};
pub use kernel::{Kernel, KernelForm, VectorKernel};
pub use labels::{BinaryLabels, ClassLabels, Labelling, Sign, Targets, Weights};
pub use loss::Loss;
pub use margin::{Margins, Slack};
pub use training_set::TrainingSet;
