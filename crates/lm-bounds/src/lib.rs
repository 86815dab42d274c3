//! Numbers about learners: what theory says of a machine.

pub mod binomial;
pub mod generalisation;
pub mod ledger;
pub mod mistakes;
pub mod outward;
pub mod radius;

mod domain;

pub use ledger::{Bound, Evidence, Ledger};
