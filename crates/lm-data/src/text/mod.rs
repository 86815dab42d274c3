//! What the readers of text share: where it comes from, how it is cut, parsed in parallel, and read as numbers.

pub(crate) mod fields;
pub(crate) mod general;
pub(crate) mod lines;
pub(crate) mod number;
pub(crate) mod pipeline;
pub(crate) mod shortest;
pub(crate) mod source;

pub use number::Stored;
