//! Numbers about learners: what theory says of a machine.
//!
//! This crate is the home of mistake bounds, margin and compression bounds, and leave-one-out estimates. It takes
//! numbers and narrow evidence, such as margins, counts, multipliers or a [`Gram`](lm_core::Gram) matrix, from any
//! learner, and knows none of them.
//!
//! # Leaving out
//! [`leave_one_out`] is the exact error of a machine that gives [`WithoutOne`](lm_core::WithoutOne); [`support_share`],
//! [`jaakkola_haussler`], [`xi_alpha`], [`radius_margin`], [`Spans`] and [`gacv`] estimate it from what the machine knows. [`choose`]
//! takes any of them, evidence or cross-validation to choose a kernel and a cost.

mod choice;
mod leave_one_out;

pub use choice::{Candidate, Choice, Criterion, Judged, LogEvidence, WithRadius, choose, judge};
pub use leave_one_out::{
    ExactLeaveOneOut, Finding, Outcome, Spans, gacv, jaakkola_haussler, leave_one_out, left_out_values,
    norm_squared, radius_margin, spans_squared, support_share, xi_alpha,
};
