//! Learners that see one example at a time: error-correcting and descent procedures.
//!
//! Each learner is a type that holds its settings and implements [`Learner`](lm_core::Learner). What it returns is a
//! model with a trace of its mistakes, which [`MistakeTrace`] replays against the data.
//!
//! - [`DualPerceptron`]: the perceptron in dual form, over any Gram matrix.
//! - [`GradientDescent`] and [`Newton`]: descent on any [`Criterion`], of which [`SampleCriterion`] has five.

mod augmented;
mod bias;
mod cholesky;
mod criteria;
mod criterion;
mod descent;
mod dual_perceptron;
mod gradient_descent;
mod newton;
mod order;
mod schedule;
mod trace;

pub use bias::Bias;
pub use criteria::SampleCriterion;
pub use criterion::Criterion;
pub use descent::{Stationarity, Visit};
pub use dual_perceptron::DualPerceptron;
pub use gradient_descent::GradientDescent;
pub use newton::Newton;
pub use order::Order;
pub use schedule::{Conditions, Schedule};
pub use trace::MistakeTrace;
