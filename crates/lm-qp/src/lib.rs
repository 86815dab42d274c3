//! The dual of margin machines, solved with evidence: support vector machines.
//!
//! - [`CSvc`]: the 1-norm soft margin machine over any Gram matrix, by sequential minimal optimisation; its
//!   [`SvcCertificate`] bounds from both sides how far the machine is from the best one.

mod c_svc;
mod certificate;
#[allow(dead_code, reason = "the solvers that use it are on their way")]
mod optimality;
mod problem;
mod smo;

pub use c_svc::CSvc;
pub use certificate::SvcCertificate;
pub use problem::{Balance, DualProblem, Multipliers};

/// The example of the README is run as a test of this crate.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
