//! Probabilities of classes, from decision values.
//!
//! A decision value says which side, and how far; a [`Sigmoid`] says how probable that makes the positive class. It is
//! fitted by [`Platt`] to decision values of examples that the machine was not trained on. For several classes each pair
//! has one, and the pairs are brought together by [`couple`].
//!
//! **A probability never disagrees with the predicted class.** What a sigmoid or a coupling says can: the most probable class
//! may be another one than that on whose side the point lies, or that has most votes. [`agree`] moves such probabilities to
//! the nearest ones that agree, and [`Calibrated`] returns no others.

mod agreement;
mod calibrated;
mod coupling;
mod platt;
mod sigmoid;

pub use agreement::agree;
pub use calibrated::{Calibrated, Probabilities};
pub use coupling::{Coupling, couple};
pub use platt::{Platt, PlattCertificate};
pub use sigmoid::Sigmoid;
