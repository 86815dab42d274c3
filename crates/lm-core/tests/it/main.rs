//! What the crate promises, capability by capability.

mod loss;
mod margin;
