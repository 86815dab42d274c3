//! The vocabulary of linear learning machines: examples, labels, kernels, Gram matrices, hypotheses, and evidence.
//!
//! A linear learning machine decides by the sign of a weighted sum. The sum runs over the attributes of an example,
//! `⟨w·x⟩ + b`, or over kernel values with kept examples, `Σ cⱼK(xⱼ, x) + b`. How the weights are found differs from
//! learner to learner and is the matter of the other crates; what all of them share is here.
//!
//! # From data to examples
//!
//! [`Dense`] and [`Csr`] hold vectors, of `f32` or `f64`, owned or borrowed. [`BinaryLabels`], [`ClassLabels`] and
//! [`Targets`] hold what is to be learned, [`Weights`] how much each example counts. Everything is checked once, where
//! it enters:
//!
//! ```
//! use lm_core::{BinaryLabels, Dense, Error, TrainingSet};
//!
//! let examples = Dense::new(vec![0.0, 0.5, 2.0, 3.0], 2, 2)?;
//! let labels = BinaryLabels::from_integers(&[0, 7])?; // any two integers
//! let set = TrainingSet::new(&examples, &labels)?;
//! assert_eq!(set.len(), 2);
//!
//! let error = Dense::new(vec![0.0, f64::NAN, 2.0, 3.0], 2, 2).unwrap_err();
//! assert_eq!(error, Error::NonFinite { what: "example", row: 0, column: Some(1) });
//! # Ok::<(), Error>(())
//! ```
//!
//! [`Selection`] is *some rows of* a set, without a copy.
//!
//! # Two seams
//!
//! A primal learner touches an example only by `⟨w·x⟩` and `w ← w + a·x`: that is [`Examples`]. A dual learner touches
//! data only through kernel values of pairs: that is [`Gram`]. Kernels are in [`kernel`], Gram matrices of vectors, of
//! objects or precomputed in [`gram`], with [`gram::mercer`] to prove or refute that one is a matrix of inner products.
//!
//! ```
//! use lm_core::{Columns, Dense, Gram, VectorGram, VectorKernel};
//!
//! let examples = Dense::new(vec![0.0, 0.5, 2.0, 3.0], 2, 2)?;
//! let gram = VectorGram::new(&examples, VectorKernel::polynomial(2, 1.0, 1.0)?)?;
//! let mut row = [0.0; 2];
//! gram.fill(&[1], Columns::All, &mut row)?;
//! assert_eq!(row, [6.25, 196.0]); // (⟨x·z⟩ + 1)²
//! # Ok::<(), lm_core::Error>(())
//! ```
//!
//! # Learning, and what comes of it
//!
//! A [`Learner`] turns a [`TrainingSet`] into a [`Fit`]: a model, a [`Report`] of the run, and a [`Certificate`] that
//! recomputes from the data what the learner claims. A [`Control`] bounds the run, watches it and can end it. Models are
//! [`Linear`] functions or expansions ([`VectorExpansion`], [`ObjectExpansion`], [`DualExpansion`]); all are a
//! [`Hypothesis`]. [`OverVectors`] makes a dual learner one over vectors, [`multiclass`] makes a binary learner one of
//! many classes.
//!
//! ```
//! use lm_core::{BinaryLabels, Certificate, Dense, Linear, Margins, Separation, TrainingSet};
//!
//! let examples = Dense::new(vec![0.0, 0.5, 2.0, 3.0], 2, 2)?;
//! let labels = BinaryLabels::from_integers(&[0, 7])?;
//! let set = TrainingSet::new(&examples, &labels)?;
//! let hyperplane = Linear::new(vec![0.6, 0.8], -2.0)?;
//! let margin = Margins::geometric(&hyperplane, &set)?.minimum();
//! let claim = Separation { hyperplane, margin }; // anybody can check it
//! assert!(claim.verify(&set)?.is_valid());
//! # Ok::<(), lm_core::Error>(())
//! ```
//!
//! # The rest
//!
//! [`probability`] makes probabilities of decision values; [`margin`] and [`loss`] measure a hypothesis on data; [`basis`] expands attributes, so that linear learners draw
//! curved boundaries; `persist` keeps models in files; `testing` holds learners to one conformance suite.
//!
//! # Features
//!
//! - `parallel` (default): all cores through rayon, with the same bits as one.
//! - `persist` (default): model files. It includes `serde`, which is enough for other formats.
//! - `linalg`: dense matrices, and their factorisations by faer behind checks.
//! - `faer`, `ndarray`: examples borrowed from the matrices of these libraries.
//! - `testing`: the conformance suite, for dev-dependencies.
//!
//! Without default features the crate depends on nothing.

pub mod basis;
pub mod double_double;
pub mod examples;
pub mod fit;
pub mod gram;
pub mod hypothesis;
pub mod kernel;
pub mod labels;
#[cfg(feature = "linalg")]
pub mod linalg;
pub mod loss;
pub mod margin;
pub mod multiclass;
pub mod parallel;
#[cfg(feature = "persist")]
pub mod persist;
pub mod probability;
#[cfg(feature = "serde")]
pub mod serde_array;
#[cfg(feature = "testing")]
pub mod testing;

mod collection;
mod eigen;
mod engine;
mod error;
mod folds;
mod memory;
mod training_set;

pub use basis::FeatureMap;
pub use collection::{Collection, Objects, Selection};
pub use engine::{Extremes, Prices, exponentials};
pub use error::{Error, Result};
#[cfg(feature = "faer")]
pub use examples::FaerRows;
#[cfg(feature = "ndarray")]
pub use examples::NdarrayRows;
pub use examples::{Csr, Dense, Element, Examples, Row, SparseRow};
pub use fit::{
    Budget, CacheFigures, Cancel, Certificate, Control, Discrepancy, DualityFigures, Fit, Inseparability,
    Learner, Meter, Observer, OverVectors, Progress, Report, Separation, Stop, Verdict,
};
pub use folds::Folds;
pub use gram::{Cached, Columns, Gram, MatrixGram, ObjectGram, Precision, RowCache, VectorGram};
pub use hypothesis::{
    DualExpansion, Hypothesis, Lift, Linear, ObjectExpansion, OverExamples, SharedExpansion, SupportVectors,
    VectorExpansion,
};
pub use kernel::{Kernel, KernelForm, VectorKernel};
pub use labels::{BinaryLabels, ClassLabels, Labelling, Sign, Targets, Weights};
pub use loss::Loss;
pub use margin::{Margins, Slack};
pub use training_set::TrainingSet;
