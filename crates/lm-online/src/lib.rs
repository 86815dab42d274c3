//! Learners that see one example at a time: error-correcting and descent procedures.
//!
//! Each learner is a type that holds its settings and implements [`Learner`](lm_core::Learner). What it returns is a
//! model with a trace of its mistakes, which [`Trace`] and [`DualTrace`] replay against the data.
//!
//! - [`Perceptron`]: adds what is on the wrong side.
//! - [`DualPerceptron`]: the perceptron in dual form, over any Gram matrix.

mod alpha_perceptron;
mod averaged;
mod bias;
mod corrections;
mod dual_perceptron;
mod dual_trace;
mod extended;
mod fit;
mod journal;
mod live;
mod maxover;
mod mistake_bound;
mod multiclass_perceptron;
mod order;
mod passes;
mod passive_aggressive;
mod perceptron;
mod pocket;
mod relaxation;
mod replay;
mod rule;
mod schedule;
mod trace;
mod visits;
mod voted;
mod winnow;
mod winnow_trace;
mod words;

pub use alpha_perceptron::{AlphaModel, AlphaPerceptron, AlphaTrace, Layer};
pub use averaged::AveragedPerceptron;
pub use bias::Bias;
pub use dual_perceptron::DualPerceptron;
pub use dual_trace::DualTrace;
pub use extended::{ExtendedPerceptron, ExtendedTrace};
pub use journal::Journal;
pub use live::{Live, Met, MetBlock};
pub use maxover::{Maxover, Stability};
pub use mistake_bound::MistakeBound;
pub use multiclass_perceptron::{MulticlassPerceptron, MulticlassTrace};
pub use order::Order;
pub use passive_aggressive::{Aggressiveness, PassiveAggressive, PassiveAggressiveRule};
pub use perceptron::{Perceptron, PerceptronRule};
pub use pocket::{PocketCertificate, PocketPerceptron};
pub use relaxation::{Relaxation, RelaxationRule};
pub use rule::{Label, Meeting, Rule};
pub use schedule::{Conditions, Schedule};
pub use trace::Trace;
pub use voted::{Voted, VotedPerceptron};
pub use winnow::{LiveWinnow, Winnow};
pub use winnow_trace::WinnowTrace;
