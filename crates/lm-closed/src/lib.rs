//! Linear systems, and the models made of them.
//!
//! This crate is the home of the learners that are solved rather than iterated: least squares, ridge regression,
//! the pseudoinverse classifier, Fisher's discriminant, Ho–Kashyap, logistic regression by reweighted least squares,
//! kernel ridge regression and Gaussian processes. Primal ones read [`Examples`](lm_core::Examples) block by block into
//! accumulators ([`Moments`]) that can be merged, stored and solved; dual ones take a [`Gram`](lm_core::Gram) matrix. Each
//! gives its residual as the certificate.

pub mod statistics;

mod chain;
mod conjugate_gradients;
mod gaussian_process;
mod kernel_neighbours;
mod kernel_pca;
mod kernel_ridge;
mod kernel_ridge_certificate;
mod kernel_system;

pub use gaussian_process::{
    Evidence, EvidenceGradient, GaussianCovariance, GaussianProcess, GaussianProcessCertificate,
    GaussianProcessModel, GramPosterior, GramProcess, LeaveOneOut, Lengths, MaximumEvidence,
    MaximumEvidenceCertificate, Predictions, Start,
};
pub use kernel_neighbours::{KernelNeighbours, NeighboursCertificate, NeighboursModel, Vote};
pub use kernel_pca::{KernelComponents, KernelPca, KernelPcaCertificate, VectorComponents};
pub use kernel_ridge::{KernelRidge, Response};
pub use kernel_ridge_certificate::KernelRidgeCertificate;
pub use kernel_system::KernelSolver;
pub use statistics::{Moments, RowBlocks};
