//! Learners that see one example at a time: error-correcting and descent procedures.
//!
//! Each learner is a type that holds its settings and implements [`Learner`](lm_core::Learner). What it returns is a
//! model with a trace of its mistakes, which [`MistakeTrace`] replays against the data.
//!
//! - [`DualPerceptron`]: the perceptron in dual form, over any Gram matrix.

mod dual_perceptron;
mod order;
mod schedule;
mod trace;

pub use dual_perceptron::DualPerceptron;
pub use order::Order;
pub use schedule::{Conditions, Schedule};
pub use trace::MistakeTrace;
