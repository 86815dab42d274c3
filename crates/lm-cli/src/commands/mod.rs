//! The commands of the program, one file each.

mod predict;
mod run;
mod train;
mod verify;

pub(crate) use predict::predict;
pub(crate) use train::train;
pub(crate) use verify::verify;
