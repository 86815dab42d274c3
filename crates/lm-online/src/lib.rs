//! Learners that see one example at a time: error-correcting and descent procedures.
//!
//! Each learner is a type that holds its settings and implements [`Learner`](lm_core::Learner). What it returns is a
//! model with a trace of its mistakes, which [`MistakeTrace`] replays against the data.
//!
//! - [`DualPerceptron`]: the perceptron in dual form, over any Gram matrix.
//! - [`BatchPerceptron`] and [`BatchRelaxation`]: all samples short of a margin correct the weights together.
//! - [`BatchLms`], [`BatchDualLms`] and [`DualLms`]: least squares by descent, over examples and over Gram matrices.
//! - [`Pegasos`], [`KernelPegasos`] and [`LivePegasos`]: the soft margin machine by stochastic subgradient descent.
//! - [`GradientDescent`] and [`Newton`]: descent on any [`Criterion`], of which [`SampleCriterion`] has five.

mod augmented;
mod averaging;
mod batch;
mod batch_dual_lms;
mod batch_lms;
mod batch_perceptron;
mod batch_relaxation;
mod batch_trace;
mod bias;
mod cholesky;
mod criteria;
mod criterion;
mod descent;
mod dual_ascent;
mod dual_lms;
mod dual_perceptron;
mod gradient_descent;
mod hinge_certificate;
mod kernel_pegasos;
mod least_squares;
mod live_pegasos;
mod newton;
mod order;
mod pace;
mod pegasos;
mod schedule;
mod soft_margin;
mod trace;

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
pub use gradient_descent::GradientDescent;
pub use hinge_certificate::HingeCertificate;
pub use kernel_pegasos::{KernelHingeCertificate, KernelPegasos};
pub use least_squares::{KernelLeastSquaresCertificate, LeastSquaresCertificate, SquaresFigures};
pub use live_pegasos::LivePegasos;
pub use newton::Newton;
pub use order::Order;
pub use pegasos::Pegasos;
pub use schedule::{Conditions, Schedule};
pub use trace::MistakeTrace;
