//! Capabilities of `lm-qp`, one file each.

#![allow(clippy::unwrap_used, reason = "a test that cannot unwrap has failed")]
#![allow(missing_docs, reason = "the names of tests say what they show")]

mod conformance;
mod cross_validation;
mod formulations;
mod libsvm_files;
mod nasty_input;
mod probabilities;
mod reference_values;
mod shared_rows;
