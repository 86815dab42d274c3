//! The entries: one file for a claim, or for a small group of claims that share an experiment.
//!
//! To add one, write `entries/a01.rs` (or `entries/perceptron.rs` for a group) and name it twice below: as a
//! module, and in [`GROUPS`]. The registry sorts by id, so the place in the list does not matter.
//!
//! ```text
//! //! A01: the decision rule, and the signed distance to the hyperplane.
//!
//! use crate::reproduce::bench::Bench;
//! use crate::reproduce::entry::{Entry, Outcome};
//! use crate::reproduce::figure::Plot;
//!
//! pub(super) const ENTRIES: &[Entry] = &[Entry {
//!     id: "A01",
//!     place: "A 2.1",
//!     claim: "What the source says, in our own words.",
//!     how: "What is computed, on which data.",
//!     seed: 1,
//!     body,
//! }];
//!
//! fn body(bench: &mut Bench) -> Outcome {
//!     let distance = …;                                    // errors go up with `?`
//!     bench.check_close("distance of the origin", 0.6, distance, 1e-12);
//!     let svg = Plot::new("x₁", "x₂").equal_axes().points("class +1", 0, &points).render()?;
//!     bench.figure("distance", "What is to be seen.", svg)
//! }
//! ```
//!
//! The verdict follows from the rows: every `check…` must hold. Where the source is wrong, call
//! `bench.erratum(says, truth, evidence, shown)` with a computed `shown`; the rows then state what is true.
//! Rows about times go through `check_timed`, so that all the rest of the report is the same on every run.
//! Random numbers come from `bench.seed()`. The figures are described in `figure/mod.rs`.

mod augmented;
mod batch;
mod beyond;
mod bias_step;
mod canonical;
mod chess_board;
mod complementarity;
mod compression;
mod compression_bound;
mod criteria;
mod descent;
mod dual;
mod error_parameter;
mod exclusive_or;
mod family;
mod feasibility_gap;
mod feature_space;
mod first_pass;
mod fisher;
mod gaussian_process;
mod gram_only;
mod handwritten_digits;
mod hinge;
mod hinge_form;
mod ho_kashyap;
mod hulls;
mod hyperplane;
mod increments;
mod insensitive;
mod inseparable;
mod kernel_ridge;
mod lda;
mod leave_one_out;
mod linear_programs;
mod lms;
mod logistic;
mod losses;
mod lp_machine;
mod many_classes;
mod margin_slack;
mod margins;
mod maximal_margin;
mod mercer;
mod mixed_slack;
mod mse;
mod never_ceasing;
mod novikoff;
mod nu_share;
mod nu_tube;
mod perceptron;
mod polynomial;
mod probabilities;
mod pseudoinverse;
mod quadratic;
mod quadratic_regression;
mod quadratic_tube;
mod radius_margin;
mod regression;
mod relaxation;
mod soft_margin;
mod strong_duality;
mod structured;
mod three_machines;
mod three_properties;
mod tube;
mod two_norm;
mod unbounded_dual;
mod widrow_hoff;
mod winnow;

use super::entry::Entry;

/// The entries of every file of this folder.
pub(super) const GROUPS: &[&[Entry]] = &[
    augmented::ENTRIES,
    batch::ENTRIES,
    beyond::ENTRIES,
    bias_step::ENTRIES,
    complementarity::ENTRIES,
    canonical::ENTRIES,
    chess_board::ENTRIES,
    compression::ENTRIES,
    compression_bound::ENTRIES,
    criteria::ENTRIES,
    descent::ENTRIES,
    dual::ENTRIES,
    error_parameter::ENTRIES,
    exclusive_or::ENTRIES,
    family::ENTRIES,
    feasibility_gap::ENTRIES,
    feature_space::ENTRIES,
    first_pass::ENTRIES,
    fisher::ENTRIES,
    gaussian_process::ENTRIES,
    gram_only::ENTRIES,
    handwritten_digits::ENTRIES,
    hinge::ENTRIES,
    hinge_form::ENTRIES,
    ho_kashyap::ENTRIES,
    hulls::ENTRIES,
    hyperplane::ENTRIES,
    increments::ENTRIES,
    insensitive::ENTRIES,
    inseparable::ENTRIES,
    kernel_ridge::ENTRIES,
    lda::ENTRIES,
    leave_one_out::ENTRIES,
    linear_programs::ENTRIES,
    lms::ENTRIES,
    logistic::ENTRIES,
    losses::ENTRIES,
    lp_machine::ENTRIES,
    many_classes::ENTRIES,
    margins::ENTRIES,
    margin_slack::ENTRIES,
    maximal_margin::ENTRIES,
    mercer::ENTRIES,
    mixed_slack::ENTRIES,
    mse::ENTRIES,
    never_ceasing::ENTRIES,
    novikoff::ENTRIES,
    nu_share::ENTRIES,
    nu_tube::ENTRIES,
    perceptron::ENTRIES,
    polynomial::ENTRIES,
    probabilities::ENTRIES,
    pseudoinverse::ENTRIES,
    quadratic::ENTRIES,
    quadratic_regression::ENTRIES,
    quadratic_tube::ENTRIES,
    radius_margin::ENTRIES,
    regression::ENTRIES,
    relaxation::ENTRIES,
    soft_margin::ENTRIES,
    structured::ENTRIES,
    three_machines::ENTRIES,
    tube::ENTRIES,
    two_norm::ENTRIES,
    strong_duality::ENTRIES,
    three_properties::ENTRIES,
    unbounded_dual::ENTRIES,
    widrow_hoff::ENTRIES,
    winnow::ENTRIES,
];
