//! Capabilities of `lm-online`, one file each.

#![allow(clippy::unwrap_used, reason = "a test that cannot unwrap has failed")]
#![allow(missing_docs, reason = "the names of tests say what they show")]

mod batch_conformance;
mod classes;
mod conformance;
mod dual_and_primal;
mod lms;
mod look_ahead;
mod mistake_bound;
mod pegasos;
mod sample;
mod settings;
mod streaming;
mod winnow;
