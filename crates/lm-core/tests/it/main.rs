//! The capabilities of the crate, one module each.

// Helpers of tests may fail as loudly as tests do.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

#[cfg(any(feature = "faer", feature = "ndarray"))]
mod adapters;
mod allocation;
mod basis;
mod combine;
#[cfg(feature = "testing")]
mod conformance;
mod engine;
mod far_from_origin;
mod gram;
mod gram_precision;
#[cfg(feature = "testing")]
mod hypothesis;
mod kernels;
#[cfg(feature = "linalg")]
mod linalg;
mod loss;
mod margin;
mod means;
mod mercer;
mod multiclass;
#[cfg(feature = "persist")]
mod persist;
#[cfg(feature = "persist")]
mod persist_files;
