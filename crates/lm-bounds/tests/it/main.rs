//! What the crate promises, checked from outside.

mod ledger;
mod million;
mod monte_carlo;
mod references;
mod traces;
