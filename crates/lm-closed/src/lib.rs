//! Linear systems, and the models made of them.
//!
//! This crate is the home of the learners that are solved rather than iterated: least squares, ridge regression,
//! the pseudoinverse classifier, Fisher's discriminant, Ho–Kashyap, logistic regression by reweighted least squares,
//! kernel ridge regression and Gaussian processes. Primal ones read [`Examples`](lm_core::Examples) block by block into
//! accumulators ([`Moments`]) that can be merged, stored and solved; dual ones take a [`Gram`](lm_core::Gram) matrix. Each
//! gives its residual as the certificate.

pub mod least_squares;
pub mod polynomial;
pub mod ridge;
pub mod statistics;

mod centred;
mod fisher;
mod ho_kashyap;
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
pub use ho_kashyap::{HoKashyap, HoKashyapRule};
pub use lda::{ClassMoments, Lda, LdaCertificate, LdaFigures, LdaModel, Priors, Projection};
pub use mse::{MarginVector, MseCertificate, MseClassifier};
pub use pseudoinverse::Pseudoinverse;
pub use separability::{Separability, Undecided};
pub use shrinkage::{Shrinkage, fourth_powers, ledoit_wolf};

pub use least_squares::{
    Diagnosis, Influence, LeastNormEvidence, LeastSquares, LinearSystemCertificate, LinearSystemFigures,
    Route, Streamed, Summary,
};
pub use polynomial::{Polynomial, PolynomialCertificate, PolynomialFit};
pub use ridge::{Criterion, Form, Path, PathPoint, Ridge, RidgePath};
pub mod logistic;

pub use logistic::{
    Conditioning, FirthCertificate, FirthFigures, FirthLogistic, Frame, Irls, IrlsState, KernelLogistic,
    KernelLogisticCertificate, Logistic, LogisticCertificate, LogisticInference, LogisticModel,
    LogisticStatistics, Multinomial, MultinomialModel, Recession,
};
pub use statistics::{Moments, RowBlocks};
