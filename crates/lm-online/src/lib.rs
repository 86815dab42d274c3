//! Learners that see one example at a time: error-correcting and descent procedures.
//!
//! Each learner is a type that holds its settings and implements [`Learner`](lm_core::Learner). What it returns is a
//! model with a trace of its mistakes, which [`Trace`] and [`DualTrace`] replay against the data.
//!
//! - [`Perceptron`]: adds what is on the wrong side.
//! - [`DualPerceptron`]: the perceptron in dual form, over any Gram matrix.
//! - [`BatchPerceptron`] and [`BatchRelaxation`]: all samples short of a margin correct the weights together.
//! - [`BatchLms`], [`BatchDualLms`] and [`DualLms`]: least squares by descent, over examples and over Gram matrices.
//! - [`Pegasos`], [`KernelPegasos`] and [`LivePegasos`]: the soft margin machine by stochastic subgradient descent.
//! - [`GradientDescent`] and [`Newton`]: descent on any [`Criterion`], of which [`SampleCriterion`] has five.

mod alpha_perceptron;
mod augmented;
mod averaged;
mod averaging;
mod batch;
mod batch_dual_lms;
mod batch_lms;
mod batch_perceptron;
mod batch_relaxation;
mod batch_trace;
mod bias;
mod cholesky;
mod corrections;
mod criteria;
mod criterion;
mod descent;
mod dual_ascent;
mod dual_lms;
mod dual_perceptron;
mod dual_trace;
mod extended;
mod fit;
mod gradient_descent;
mod hinge_certificate;
mod journal;
mod kernel_pegasos;
mod least_squares;
mod live;
mod live_pegasos;
mod maxover;
mod mistake_bound;
mod multiclass_perceptron;
mod newton;
mod order;
mod pace;
mod passes;
mod passive_aggressive;
mod pegasos;
mod perceptron;
mod pocket;
mod relaxation;
mod replay;
mod rule;
mod schedule;
mod soft_margin;
mod trace;
mod visits;
mod voted;
mod winnow;
mod winnow_trace;
mod words;

pub use alpha_perceptron::{AlphaModel, AlphaPerceptron, AlphaTrace, Layer};
pub use averaged::AveragedPerceptron;
pub use averaging::Averaging;
pub use batch_dual_lms::BatchDualLms;
pub use batch_lms::BatchLms;
pub use batch_perceptron::BatchPerceptron;
pub use batch_relaxation::BatchRelaxation;
pub use batch_trace::BatchTrace;
pub use bias::Bias;
pub use criteria::SampleCriterion;
pub use criterion::Criterion;
pub use descent::{Stationarity, Visit};
pub use dual_lms::DualLms;
pub use dual_perceptron::DualPerceptron;
pub use dual_trace::DualTrace;
pub use extended::{ExtendedPerceptron, ExtendedTrace};
pub use gradient_descent::GradientDescent;
pub use hinge_certificate::HingeCertificate;
pub use journal::Journal;
pub use kernel_pegasos::{KernelHingeCertificate, KernelPegasos};
pub use least_squares::{KernelLeastSquaresCertificate, LeastSquaresCertificate, SquaresFigures};
pub use live::{Live, Met, MetBlock};
pub use live_pegasos::LivePegasos;
pub use maxover::{Maxover, Stability};
pub use mistake_bound::MistakeBound;
pub use multiclass_perceptron::{MulticlassPerceptron, MulticlassTrace};
pub use newton::Newton;
pub use order::Order;
pub use passive_aggressive::{Aggressiveness, PassiveAggressive, PassiveAggressiveRule};
pub use pegasos::Pegasos;
pub use perceptron::{Perceptron, PerceptronRule};
pub use pocket::{PocketCertificate, PocketPerceptron};
pub use relaxation::{Relaxation, RelaxationRule};
pub use rule::{Label, Meeting, Rule};
pub use schedule::{Conditions, Schedule};
pub use trace::Trace;
pub use voted::{Voted, VotedPerceptron};
pub use winnow::{LiveWinnow, Winnow};
pub use winnow_trace::WinnowTrace;
