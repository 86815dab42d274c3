//! Bringing columns, or rows, to a common size.
//!
//! A [`Scaler`] is fitted on the training set, applied to it and to every later example, and saved with the model: it
//! is `serde`, its decoder checks everything, and it refuses examples of another width. [`Scaled`] keeps the two together.
//!
//! ```text
//! MinMax       x ↦ low + (high − low) · (x − min) / (max − min)     by column
//! Standard     x ↦ (x − mean) / deviation                           by column
//! MaxAbs       x ↦ x / max |x|                                      by column
//! UnitLength   x ↦ x / ‖x‖                                          by row
//! ```
//!
//! A constant column says nothing, and is mapped to zero (or to `low`, if zero lies outside the interval); a row of
//! zeros stays as it is. Columns are measured in units of a power of two near their largest entry, which costs no
//! accuracy and keeps data near the largest finite number from overflowing.
//!
//! Sparse examples stay sparse ([`Scaler::apply_sparse`]) where zero is mapped to zero: always for `MaxAbs` and
//! `UnitLength`, never by silently leaving out the shift. [`Scaler::apply`] returns dense examples in every case.

mod columns;
mod scaled;
mod scaler;

pub use scaled::Scaled;
pub use scaler::{Scaler, Scaling};
