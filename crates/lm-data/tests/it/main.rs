//! What the crate promises to its users, one file for each capability.

mod csv;
mod generate;
mod robustness;
mod scaling;
mod split;
mod svmlight;
