//! Real targets, for regression.

use super::{Labelling, picked};
use crate::collection::Collection;
use crate::{Error, Result};

/// A finite real number for each example.
///
/// ```
/// use lm_core::{Error, Targets};
///
/// assert_eq!(Targets::new(vec![0.5, -2.0])?.values(), [0.5, -2.0]);
/// let refused = Targets::new(vec![0.5, f64::INFINITY]);
/// assert_eq!(refused, Err(Error::NonFinite { what: "target", row: 1, column: None }));
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Targets(Vec<f64>);

impl Targets {
    /// Checks and keeps the targets.
    ///
    /// # Errors
    /// [`Error::Empty`] without targets, [`Error::NonFinite`] for NaN or an infinity.
    pub fn new(values: Vec<f64>) -> Result<Self> {
        if values.is_empty() {
            return Err(Error::Empty { what: "the list of targets" });
        }
        match values.iter().position(|value| !value.is_finite()) {
            Some(row) => Err(Error::NonFinite { what: "target", row, column: None }),
            None => Ok(Self(values)),
        }
    }

    /// The target of each example.
    pub fn values(&self) -> &[f64] {
        &self.0
    }
}

impl Collection for Targets {
    fn len(&self) -> usize {
        self.0.len()
    }
}

impl Labelling for Targets {
    fn select(&self, rows: &[usize]) -> Result<Self> {
        Self::new(picked("target", &self.0, rows)?)
    }
}
