//! What the crate promises, checked from outside.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]
#![allow(missing_docs, reason = "the names of tests say what they show")]

mod ledger;
mod million;
mod monte_carlo;
mod references;
mod traces;
