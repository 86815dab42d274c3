//! Linear systems, and the models made of them.
//!
//! This crate is the home of the learners that are solved rather than iterated: least squares, ridge regression,
//! the pseudoinverse classifier, Fisher's discriminant, Ho–Kashyap, logistic regression by reweighted least squares,
//! kernel ridge regression and Gaussian processes. Primal ones read [`Examples`](lm_core::Examples) block by block into
//! accumulators ([`Moments`]) that can be merged, stored and solved; dual ones take a [`Gram`](lm_core::Gram) matrix. Each
//! gives its residual as the certificate.

pub mod logistic;
pub mod statistics;

pub use logistic::{
    Conditioning, FirthCertificate, FirthFigures, FirthLogistic, Frame, Irls, IrlsState, KernelLogistic,
    KernelLogisticCertificate, Logistic, LogisticCertificate, LogisticInference, LogisticModel,
    LogisticStatistics, Multinomial, MultinomialModel, Recession,
};
pub use statistics::{Moments, RowBlocks};
