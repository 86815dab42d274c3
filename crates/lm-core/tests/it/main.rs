//! What the crate promises, capability by capability.
// Helpers of tests are tests: they may stop the run.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod basis;
mod gram;
mod kernels;
mod loss;
mod margin;
mod mercer;
