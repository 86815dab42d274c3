//! What the crate promises, capability by capability.

mod basis;
mod kernels;
mod loss;
mod margin;
mod mercer;
