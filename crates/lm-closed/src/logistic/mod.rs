//! Logistic regression: probabilities from linear functions.
//!
//! [`Logistic`] tells two classes apart, [`Multinomial`] any number, [`KernelLogistic`] two in the feature space of a kernel;
//! [`FirthLogistic`] is for few examples. All maximise a likelihood by Newton's method and return a duality gap as
//! evidence, or the proof that no maximum exists. A step consists of sums over rows: [`LogisticStatistics`] are these
//! sums, and [`Irls`] the procedure that asks for them, for data that do not fit into one memory.

mod binary;
mod certificate;
mod curvature;
mod firth;
mod frame;
mod inference;
mod irls;
mod kernel;
mod kernel_certificate;
mod likelihood;
mod multinomial;
mod newton;
mod run;
mod sample;
mod separation;
mod statistics;
#[cfg(feature = "serde")]
mod stored;
mod truncated;

pub use binary::{Logistic, LogisticModel};
pub use certificate::LogisticCertificate;
pub use firth::{FirthCertificate, FirthFigures, FirthLogistic};
pub use frame::Frame;
pub use inference::LogisticInference;
pub use irls::{Conditioning, Irls, IrlsState};
pub use kernel::KernelLogistic;
pub use kernel_certificate::KernelLogisticCertificate;
pub use multinomial::{Multinomial, MultinomialModel};
pub use separation::Recession;
pub use statistics::LogisticStatistics;

/// The probability of the positive class that a logistic decision value stands for, strictly between 0 and 1.
///
/// ```
/// use lm_closed::logistic::probability;
///
/// assert_eq!(probability(0.0), 0.5);
/// assert!(probability(-1e9) > 0.0 && probability(1e9) < 1.0);
/// ```
pub fn probability(decision: f64) -> f64 {
    binary::open(likelihood::sigmoid(decision))
}
