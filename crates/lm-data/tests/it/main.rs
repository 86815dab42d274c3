//! What the crate promises to its users, one file for each capability.

// The helpers of tests fail by panicking, as the tests do.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "test helpers")]

mod csv;
mod generate;
mod malformed_models;
mod model_files;
mod robustness;
mod scaling;
mod split;
mod svmlight;
