//! The kernel-row engine: blocks of kernel values and of decision values at the speed of the processor.

mod arithmetic;
mod coefficients;
mod elementary;
mod epilogue;
mod packed;
mod panels;
mod simd;
mod sparse;
mod tile;

pub use simd::Instructions;
