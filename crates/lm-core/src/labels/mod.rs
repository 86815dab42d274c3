//! What an example is labelled with: a side, a class, or a real target; and how much it counts.
//!
//! Labels are checked once, when they are made, and are types of their own: a learner that takes [`BinaryLabels`]
//! cannot be handed class numbers by mistake.

mod binary;
mod classes;
mod sign;
mod targets;
mod weights;

pub use binary::BinaryLabels;
pub use classes::ClassLabels;
pub use sign::Sign;
pub use targets::Targets;
pub use weights::Weights;

use crate::collection::Collection;
use crate::{Error, Result};

/// What belongs to each example of a set: labels or targets.
pub trait Labelling: Collection {
    /// The labels of some rows, in the order given.
    ///
    /// # Errors
    /// [`Error::Index`] for a row that does not exist, [`Error::Empty`] for no rows, and what the constructor of
    /// the type refuses.
    fn select(&self, rows: &[usize]) -> Result<Self>
    where
        Self: Sized;

    /// Checks that the weights, one for each label, leave no class without an example.
    ///
    /// # Errors
    /// [`Error::Classes`] if they do.
    fn check_weights(&self, weights: &Weights) -> Result<()> {
        let _ = weights;
        Ok(())
    }
}

/// Reads an integer label from a number, as data files store it.
fn integer_label(row: usize, value: f64) -> Result<i64> {
    // Above 2^53 neighbouring integers share one f64, so a label read there may be another one.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() <= EXACT {
        Ok(value as i64)
    } else {
        Err(Error::Label { row, value, accepted: "an integer of at most 2^53 in absolute value" })
    }
}

/// Picks rows of a slice, in the order given.
fn picked<T: Copy>(what: &'static str, values: &[T], rows: &[usize]) -> Result<Vec<T>> {
    rows.iter()
        .map(|&index| values.get(index).copied().ok_or(Error::Index { what, index, len: values.len() }))
        .collect()
}
