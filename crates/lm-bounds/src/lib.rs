//! Numbers about learners: what theory says of a machine.

pub mod binomial;
pub mod generalisation;
pub mod mistakes;
pub mod outward;
pub mod radius;

mod domain;
