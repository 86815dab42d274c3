//! Data.

pub mod classic;
pub mod csv;
pub mod generate;
pub mod scaling;
pub mod split;
pub mod svmlight;

mod labelled;
mod random;
mod text;

pub use labelled::Labelled;
pub use text::Stored;
