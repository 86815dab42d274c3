//! Tests of the crate as its users see it, one module for each capability.

mod gaussian_process;
mod kernel_neighbours;
mod kernel_pca;
mod kernel_ridge;
mod samples;
