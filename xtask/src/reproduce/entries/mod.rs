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
mod criteria;
mod descent;
mod dual;
mod family;
mod feature_space;
mod fisher;
mod gaussian_process;
mod gram_only;
mod hinge;
mod ho_kashyap;
mod hyperplane;
mod increments;
mod inseparable;
mod kernel_ridge;
mod lda;
mod lms;
mod logistic;
mod losses;
mod many_classes;
mod margin_slack;
mod mercer;
mod mse;
mod never_ceasing;
mod perceptron;
mod polynomial;
mod probabilities;
mod pseudoinverse;
mod quadratic;
mod quadratic_regression;
mod regression;
mod relaxation;
mod structured;
mod widrow_hoff;
mod winnow;

use super::entry::Entry;

/// The entries of every file of this folder.
pub(super) const GROUPS: &[&[Entry]] = &[
    augmented::ENTRIES,
    batch::ENTRIES,
    beyond::ENTRIES,
    bias_step::ENTRIES,
    criteria::ENTRIES,
    descent::ENTRIES,
    dual::ENTRIES,
    family::ENTRIES,
    feature_space::ENTRIES,
    fisher::ENTRIES,
    gaussian_process::ENTRIES,
    gram_only::ENTRIES,
    hinge::ENTRIES,
    ho_kashyap::ENTRIES,
    hyperplane::ENTRIES,
    increments::ENTRIES,
    inseparable::ENTRIES,
    lda::ENTRIES,
    kernel_ridge::ENTRIES,
    lms::ENTRIES,
    logistic::ENTRIES,
    losses::ENTRIES,
    many_classes::ENTRIES,
    margin_slack::ENTRIES,
    mercer::ENTRIES,
    mse::ENTRIES,
    never_ceasing::ENTRIES,
    perceptron::ENTRIES,
    polynomial::ENTRIES,
    probabilities::ENTRIES,
    pseudoinverse::ENTRIES,
    quadratic::ENTRIES,
    quadratic_regression::ENTRIES,
    regression::ENTRIES,
    relaxation::ENTRIES,
    structured::ENTRIES,
    widrow_hoff::ENTRIES,
    winnow::ENTRIES,
];
