//! `lm libsvm-train` and `lm libsvm-predict`: the command lines of `svm-train` and `svm-predict`, flag for flag.

mod flags;
mod numbers;
mod predict;
mod train;

pub(crate) use predict::predict;
pub(crate) use train::train;
