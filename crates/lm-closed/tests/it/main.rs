//! The capabilities of the crate, one module each.

// Helpers of tests may fail as loudly as tests do.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod logistic;
mod logistic_conformance;
mod logistic_reference;
mod moments;
