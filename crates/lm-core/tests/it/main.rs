//! What the crate promises, capability by capability.

mod basis;
mod loss;
mod margin;
