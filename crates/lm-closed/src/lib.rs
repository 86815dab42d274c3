//! Linear systems, and the models made of them.
//!
//! This crate is the home of the learners that are solved rather than iterated. Each is a settings type with a `fit`
//! ([`Learner`](lm_core::Learner)), and each fit carries a certificate that recomputes its claims from the data.
//!
//! | what is learned | by |
//! |---|---|
//! | a linear function of least squared error | [`LeastSquares`], [`PolynomialFit`] |
//! | one with small weights | [`Ridge`], [`RidgePath`] for all penalties at once |
//! | a separating hyperplane, or the proof that there is none | [`HoKashyap`] |
//! | two classes | [`MseClassifier`], [`Fisher`], [`Logistic`], [`FirthLogistic`] |
//! | many classes | [`Lda`], [`Multinomial`] |
//! | a function of a feature space | [`KernelRidge`], [`KernelLogistic`] |
//! | a function and how sure to be of it | [`GaussianProcess`], [`MaximumEvidence`] |
//! | directions and neighbours in a feature space | [`KernelPca`], [`KernelNeighbours`] |
//!
//! ```
//! use lm_closed::LeastSquares;
//! use lm_core::{Certificate, Dense, Learner, Targets, TrainingSet};
//!
//! let hours = Dense::new(vec![1.0, 2.0, 3.0, 4.0], 4, 1)?;
//! let marks = Targets::new(vec![2.1, 3.9, 6.2, 7.8])?;
//! let fit = LeastSquares::default().fit(&hours, &marks)?;
//! assert!((fit.model.decision(&[5.0])? - 9.85).abs() < 1e-12);
//! assert!(fit.certificate.verify(&TrainingSet::new(&hours, &marks)?)?.is_valid());
//! # Ok::<(), lm_core::Error>(())
//! ```
//!
//! # Sums that merge
//!
//! Least squares, ridge regression, discriminants and each step of logistic regression are computed from sums over rows:
//! [`Moments`], [`ClassMoments`], [`LogisticStatistics`]. They can be accumulated block by block, from a file larger
//! than memory or on several machines, stored with `serde`, merged, and solved.
//!
//! # Features
//!
//! - `parallel` (default): all cores, with the same bits as one.
//! - `persist` (default): models in files. It includes `serde`.

pub mod least_squares;
pub mod logistic;
pub mod polynomial;
pub mod ridge;
pub mod statistics;

mod centred;
mod chain;
mod conjugate_gradients;
mod fisher;
mod gaussian_process;
mod ho_kashyap;
mod kernel_neighbours;
mod kernel_pca;
mod kernel_ridge;
mod kernel_ridge_certificate;
mod kernel_system;
mod lda;
mod mse;
mod pseudoinverse;
mod range;
mod scatter_residual;
mod separability;
mod shrinkage;
mod threshold;
mod whitening;
mod wrong_side;

pub use fisher::{Fisher, FisherCertificate, FisherFigures, Threshold, fisher_criterion};
pub use gaussian_process::{
    Evidence, EvidenceGradient, GaussianCovariance, GaussianProcess, GaussianProcessCertificate,
    GaussianProcessModel, GramPosterior, GramProcess, LeaveOneOut, Lengths, MaximumEvidence,
    MaximumEvidenceCertificate, Predictions, Start,
};
pub use ho_kashyap::{HoKashyap, HoKashyapRule};
pub use kernel_neighbours::{KernelNeighbours, NeighboursCertificate, NeighboursModel, Vote};
pub use kernel_pca::{KernelComponents, KernelPca, KernelPcaCertificate, VectorComponents};
pub use kernel_ridge::{KernelRidge, Response};
pub use kernel_ridge_certificate::KernelRidgeCertificate;
pub use kernel_system::KernelSolver;
pub use lda::{ClassMoments, Lda, LdaCertificate, LdaFigures, LdaLeaveOneOut, LdaModel, Priors, Projection};
pub use least_squares::{
    Diagnosis, Influence, LeastNormEvidence, LeastSquares, LinearSystemCertificate, LinearSystemFigures,
    Route, Streamed, Summary,
};
pub use logistic::{
    Conditioning, FirthCertificate, FirthFigures, FirthLogistic, Frame, Irls, IrlsState, KernelLogistic,
    KernelLogisticCertificate, Logistic, LogisticCertificate, LogisticInference, LogisticModel,
    LogisticStatistics, Multinomial, MultinomialModel, Recession,
};
pub use mse::{MarginVector, MseCertificate, MseClassifier};
pub use polynomial::{Polynomial, PolynomialCertificate, PolynomialFit};
pub use pseudoinverse::Pseudoinverse;
pub use ridge::{Criterion, Form, Path, PathPoint, Ridge, RidgePath};
pub use separability::{Separability, Undecided};
pub use shrinkage::{Shrinkage, fourth_powers, ledoit_wolf};
pub use statistics::{Moments, RowBlocks};
