//! What the crate promises, capability by capability.

mod basis;
mod gram;
mod kernels;
mod loss;
mod margin;
mod mercer;
