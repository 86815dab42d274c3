//! The commands of the program, one file each.

mod bounds;
mod convert;
mod cross_validation;
mod grid;
pub(crate) mod libsvm;
mod pages;
mod plot;
mod predict;
mod run;
mod scale;
mod separable;
mod train;
mod verify;

pub(crate) use bounds::bounds;
pub(crate) use convert::convert;
pub(crate) use cross_validation::cv;
pub(crate) use grid::grid;
pub(crate) use pages::{completions, man};
pub(crate) use plot::plot;
pub(crate) use predict::predict;
pub(crate) use scale::scale;
pub(crate) use separable::separable;
pub(crate) use train::train;
pub(crate) use verify::verify;
