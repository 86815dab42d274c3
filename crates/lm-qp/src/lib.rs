//! The dual of margin machines, solved with evidence: support vector machines.
//!
//! Every machine is a case of one problem, [`DualProblem`]; a [`Formulation`] builds it from labels and weights and reads
//! the machine back. All learn from any Gram matrix, and return a [`DualCertificate`] that bounds from both sides how far
//! the machine is from the best one.
//!
//! | machine | what it minimises |
//! |---|---|
//! | [`MaximalMargin`] | nothing but `‖w‖`: every example on its side, or a proof that there is no such machine |
//! | [`CSvc`] | `½‖w‖² + C Σξ` |
//! | [`TwoNormSvc`] | `½‖w‖² + ½C Σξ²` |
//! | [`MixedSvc`] | `½‖w‖² + C₁ Σξ + ½C₂ Σξ²` |
//! | [`NuSvc`] | `½‖w‖² − νρ + Σξ/n`, where `ν` bounds the share of margin errors |
//! | [`OneClass`] | `½‖w‖² − ρ + Σξ/(νn)`: where most of the examples lie |
//! | [`EpsilonSvr`] | `½‖w‖² + C Σ max(0, |y − f| − ε)` |
//! | [`QuadraticSvr`] | `½‖w‖² + ½C Σ max(0, |y − f| − ε)²` |
//! | [`NuSvr`] | `½‖w‖² + C(νε + Σ max(0, |y − f| − ε)/n)`, where the tube finds its own width |
//!
//! [`linear`] has the machines without a kernel, over examples instead of a Gram matrix:
//! [`LinearSvc`](linear::LinearSvc) and [`LinearSvr`](linear::LinearSvr).
//!
//! Beside them stand the machine of few kernel values, [`LpSvc`], which minimises `Σα + C Σξ`; [`linear_program`], which it is solved by; and
//! the question whether there is a hard margin at all: [`separate`] decides it for the stored numbers and proves the answer in [`exact`]
//! arithmetic, [`nearest_points`] finds the points of the two convex hulls that determine the largest margin.
//!
//! Weights of examples mean repetition in all of them, the [`Bias`] is an explicit choice where it is one, and
//! [`Solver`] says how good is good enough.
//!
//! Several classes are learned in pairs or against the rest by the schemes of [`lm_core::multiclass`], on kernel rows that
//! [`OnSharedRows`](lm_core::multiclass::OnSharedRows) has them share. [`WithProbabilities`] gives a probability to every class,
//! [`HeldOut`] and [`Grid`] judge machines by cross-validation and choose a cost and a kernel. [`Removals`] gives the decision value at
//! each example of the machine that is learned from all others, without a fit for each.

mod active_set;
mod bias;
mod c_svc;
mod certificate;
mod cross_check;
mod enclosure;
mod epsilon_svr;
pub mod exact;
mod formulation;
mod grid;
mod groups;
mod held_out;
mod hulls;
mod interior_point;
mod interval;
pub mod linear;
pub mod linear_program;
mod lp_svc;
mod maximal_margin;
mod minimum;
mod mixed_svc;
mod nu_svc;
mod nu_svr;
mod one_class;
mod optimality;
mod polish;
mod probabilities;
mod problem;
mod quadratic_svr;
mod removals;
mod separability;
mod smo;
mod solver;
mod two_norm_svc;

pub use bias::Bias;
pub use c_svc::CSvc;
pub use certificate::DualCertificate;
pub use cross_check::{CrossCheck, cross_check};
pub use enclosure::Enclosure;
pub use epsilon_svr::EpsilonSvr;
pub use formulation::Formulation;
pub use grid::{Cell, Grid, GridTable};
pub use groups::Groups;
pub use held_out::{FoldReport, HeldOut, Judged, Part};
pub use hulls::{NearestPoints, nearest_points, nearest_points_with};
pub use lp_svc::{LpCertificate, LpSvc};
pub use maximal_margin::MaximalMargin;
pub use minimum::Minimum;
pub use mixed_svc::MixedSvc;
pub use nu_svc::NuSvc;
pub use nu_svr::NuSvr;
pub use one_class::{OneClass, Unlabelled};
pub use probabilities::{CalibratedEvidence, SigmoidEvidence, WithProbabilities};
pub use problem::{Balance, DualProblem, Multipliers};
pub use quadratic_svr::QuadraticSvr;
pub use removals::{Aims, Removals};
pub use separability::{
    ExactInseparability, ExactSeparation, Separability, Undecided, separate, separate_exact, separate_gram,
    separate_with,
};
pub use solver::{Method, Solver};
pub use two_norm_svc::TwoNormSvc;

/// The example of the README is run as a test of this crate.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
