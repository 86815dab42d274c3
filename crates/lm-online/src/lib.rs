//! Learners that see one example at a time: error-correcting and descent procedures.
//!
//! Each learner is a type that holds its settings and implements [`Learner`](lm_core::Learner). What it returns is a
//! model with a trace of its mistakes, which [`Trace`] and [`DualTrace`] replay against the data.
//!
//! - [`Perceptron`]: adds what is on the wrong side.
//! - [`DualPerceptron`]: the perceptron in dual form, over any Gram matrix.

mod bias;
mod corrections;
mod dual_perceptron;
mod dual_trace;
mod fit;
mod journal;
mod live;
mod mistake_bound;
mod order;
mod passes;
mod perceptron;
mod replay;
mod rule;
mod schedule;
mod trace;
mod visits;
mod words;

pub use bias::Bias;
pub use dual_perceptron::DualPerceptron;
pub use dual_trace::DualTrace;
pub use journal::Journal;
pub use live::{Live, Met, MetBlock};
pub use mistake_bound::MistakeBound;
pub use order::Order;
pub use perceptron::{Perceptron, PerceptronRule};
pub use rule::{Label, Meeting, Rule};
pub use schedule::{Conditions, Schedule};
pub use trace::Trace;
