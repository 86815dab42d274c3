//! The capabilities of the crate, one module each.

// Helpers of tests may fail as loudly as tests do.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod discriminant_conformance;
mod fisher;
mod ho_kashyap;
mod lda;
mod least_squares;
mod linear_conformance;
mod logistic;
mod logistic_conformance;
mod logistic_reference;
mod moments;
mod mse;
mod nist;
mod ridge;
