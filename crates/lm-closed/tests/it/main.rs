//! Tests of the crate as its users see it, one module for each capability.

// Helpers of tests may fail as loudly as tests do.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod discriminant_conformance;
mod fisher;
mod gaussian_process;
mod ho_kashyap;
mod kernel_neighbours;
mod kernel_pca;
mod kernel_ridge;
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
mod samples;
