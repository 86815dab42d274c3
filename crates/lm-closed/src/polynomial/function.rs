//! A polynomial in one variable.

use lm_core::double_double::DoubleDouble;
use lm_core::{Error, Examples, Hypothesis, Result};

/// `f(x) = Σ cₖxᵏ`, evaluated in double-double arithmetic and rounded.
///
/// ```
/// use lm_closed::Polynomial;
///
/// let f = Polynomial::new(vec![1.0, 0.0, 3.0])?;
/// assert_eq!(f.value(2.0)?, 13.0);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Parts"))]
pub struct Polynomial {
    #[cfg_attr(feature = "serde", serde(with = "lm_core::serde_array"))]
    coefficients: Vec<f64>,
}

/// What a decoder reads before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Parts {
    #[serde(with = "lm_core::serde_array")]
    coefficients: Vec<f64>,
}

#[cfg(feature = "serde")]
impl TryFrom<Parts> for Polynomial {
    type Error = Error;

    fn try_from(parts: Parts) -> Result<Self> {
        Self::new(parts.coefficients)
    }
}

#[cfg(feature = "persist")]
impl lm_core::persist::Persist for Polynomial {
    const KIND: &'static str = "polynomial";
    const VERSION: u16 = 1;
}

impl Polynomial {
    /// A polynomial with these coefficients, that of the constant first.
    ///
    /// # Errors
    /// [`Error::Empty`] without coefficients, [`Error::NonFinite`] for one that is not finite.
    pub fn new(coefficients: Vec<f64>) -> Result<Self> {
        if coefficients.is_empty() {
            return Err(Error::Empty { what: "the list of coefficients" });
        }
        match coefficients.iter().position(|c| !c.is_finite()) {
            Some(row) => Err(Error::NonFinite { what: "coefficient", row, column: None }),
            None => Ok(Self { coefficients }),
        }
    }

    /// The coefficients, that of the constant first.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// The degree that the coefficients allow.
    pub fn degree(&self) -> usize {
        self.coefficients.len() - 1
    }

    /// The value at a point.
    ///
    /// # Errors
    /// [`Error::NonFinite`] for a point that is not finite, [`Error::Numerical`] if the value overflows.
    pub fn value(&self, x: f64) -> Result<f64> {
        if !x.is_finite() {
            return Err(Error::NonFinite { what: "point", row: 0, column: None });
        }
        let value = self.wide(x).value();
        if value.is_finite() { Ok(value) } else { Err(Error::Numerical { what: "a decision value" }) }
    }

    /// The value before it is rounded, by Horner's rule.
    pub(super) fn wide(&self, x: f64) -> DoubleDouble {
        self.coefficients.iter().rev().fold(DoubleDouble::ZERO, |value, &c| value * x + c)
    }
}

impl<E: Examples + ?Sized> Hypothesis<E> for Polynomial {
    /// The value at the only column of each example.
    fn decision_values_into(&self, set: &E, out: &mut [f64]) -> Result<()> {
        set.check_dim("the point", 1)?;
        if out.len() != set.len() {
            let (expected, found) = (set.len(), out.len());
            return Err(Error::Length { what: "the array of decision values", expected, found });
        }
        for (row, out) in out.iter_mut().enumerate() {
            *out = self.value(set.dot(row, &[1.0]))?;
        }
        Ok(())
    }
}
