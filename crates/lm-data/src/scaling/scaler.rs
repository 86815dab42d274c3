//! The scaler: fitted on one set, applied to any of the same width.

use lm_core::{Csr, Dense, Element, Error, Examples, Result};
use serde::{Deserialize, Serialize};

use super::columns::{moments, ranges, unit};

/// What a scaler brings to a common size, and how.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Scaling {
    /// Each column to the interval from `low` to `high`, its least entry to `low`, its largest to `high`.
    MinMax {
        /// The least value, finite.
        low: f64,
        /// The largest value, finite and larger than `low`.
        high: f64,
    },
    /// Each column to mean 0 and standard deviation 1 (dividing by n).
    Standard,
    /// Each column by its largest absolute value. Keeps zeros.
    MaxAbs,
    /// Each row to Euclidean length 1. Keeps zeros.
    UnitLength,
}

/// A scaling fitted to a set of examples.
///
/// ```
/// use lm_core::{Dense, Error};
/// use lm_data::scaling::{Scaler, Scaling};
///
/// let train = Dense::new(vec![0.0, 7.0, 5.0, 7.0, 10.0, 7.0], 3, 2)?;
/// let scaler = Scaler::fit(&train, Scaling::MinMax { low: -1.0, high: 1.0 })?;
/// let scaled = scaler.apply(&train)?;
/// assert_eq!(scaled.contiguous(), Some(&[-1.0, 0.0, 0.0, 0.0, 1.0, 0.0][..])); // the second column is constant
///
/// let wider = Dense::new(vec![1.0; 3], 1, 3)?;
/// assert!(matches!(scaler.apply(&wider), Err(Error::Length { expected: 2, found: 3, .. })));
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts")]
pub struct Scaler {
    scaling: Scaling,
    dim: usize,
    /// The power of two that each column is measured in; empty for `UnitLength`, as the next two.
    #[serde(with = "lm_core::serde_array")]
    units: Vec<f64>,
    /// What is taken off, in that unit.
    #[serde(with = "lm_core::serde_array")]
    shifts: Vec<f64>,
    /// What is divided by, in that unit; 0 marks a constant column.
    #[serde(with = "lm_core::serde_array")]
    spans: Vec<f64>,
}

/// What a decoder reads before it is checked.
#[derive(Deserialize)]
struct Parts {
    scaling: Scaling,
    dim: usize,
    #[serde(with = "lm_core::serde_array")]
    units: Vec<f64>,
    #[serde(with = "lm_core::serde_array")]
    shifts: Vec<f64>,
    #[serde(with = "lm_core::serde_array")]
    spans: Vec<f64>,
}

impl TryFrom<Parts> for Scaler {
    type Error = Error;

    fn try_from(parts: Parts) -> Result<Self> {
        let Parts { scaling, dim, units, shifts, spans } = parts;
        validate(scaling)?;
        if dim == 0 {
            return Err(Error::Empty { what: "the set of columns of a scaler" });
        }
        let expected = if scaling == Scaling::UnitLength { 0 } else { dim };
        for array in [&units, &shifts, &spans] {
            if array.len() != expected {
                return Err(Error::Length { what: "an array of a scaler", expected, found: array.len() });
            }
        }
        // Units divide, spans divide unless they are 0; all are finite.
        let good = |k: &usize| {
            units[*k].is_normal()
                && units[*k] > 0.0
                && shifts[*k].is_finite()
                && spans[*k] >= 0.0
                && spans[*k].is_finite()
        };
        match (0..expected).find(|k| !good(k)) {
            Some(column) => Err(Error::NonFinite { what: "a scaler", row: 0, column: Some(column) }),
            None => Ok(Self { scaling, dim, units, shifts, spans }),
        }
    }
}

fn validate(scaling: Scaling) -> Result<()> {
    if let Scaling::MinMax { low, high } = scaling {
        if !low.is_finite() {
            return Err(Error::Setting { name: "low", value: low, accepted: "a finite number" });
        }
        if !(high > low && high.is_finite()) {
            return Err(Error::Setting {
                name: "high",
                value: high,
                accepted: "a finite number larger than low",
            });
        }
    }
    Ok(())
}

impl Scaler {
    /// Measures the examples.
    ///
    /// # Errors
    /// [`Error::Empty`] without examples or columns, [`Error::Setting`] for an interval that is empty or not finite.
    pub fn fit<E: Examples + ?Sized>(examples: &E, scaling: Scaling) -> Result<Self> {
        validate(scaling)?;
        let dim = examples.dim();
        if examples.is_empty() || dim == 0 {
            return Err(Error::Empty { what: "the set of examples" });
        }
        if scaling == Scaling::UnitLength {
            return Ok(Self { scaling, dim, units: Vec::new(), shifts: Vec::new(), spans: Vec::new() });
        }
        let ranges = ranges(examples);
        let units: Vec<f64> = ranges.iter().map(|&range| unit(range)).collect();
        let in_units = ranges.iter().zip(&units).map(|(&(low, high), &unit)| (low / unit, high / unit));
        let (shifts, mut spans): (Vec<f64>, Vec<f64>) = match scaling {
            Scaling::MinMax { .. } => in_units.map(|(low, high)| (low, high - low)).unzip(),
            Scaling::MaxAbs => in_units.map(|(low, high)| (0.0, low.abs().max(high.abs()))).unzip(),
            Scaling::Standard | Scaling::UnitLength => moments(examples, &units).into_iter().unzip(),
        };
        // Equal entries have deviation 0, whatever rounding made of their mean.
        if scaling != Scaling::MaxAbs {
            let constant = |&(low, high): &(f64, f64)| low == high;
            spans
                .iter_mut()
                .zip(&ranges)
                .filter(|(_, range)| constant(range))
                .for_each(|(span, _)| *span = 0.0);
        }
        Ok(Self { scaling, dim, units, shifts, spans })
    }

    /// The scaling that was fitted.
    pub fn scaling(&self) -> Scaling {
        self.scaling
    }

    /// The number of columns of the examples that it was fitted to, and that it accepts.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Scaled copies of examples, dense.
    ///
    /// # Errors
    /// [`Error::Length`] for another width, [`Error::NonFinite`] where an entry lies so far outside the fitted range
    /// that its image overflows, [`Error::TooLarge`] if the copies cannot be addressed.
    pub fn apply<E: Examples + ?Sized>(&self, examples: &E) -> Result<Dense<'static>> {
        self.check(examples)?;
        let mut values = Dense::copied(examples)?.contiguous().map(<[f64]>::to_vec).unwrap_or_default();
        values.chunks_exact_mut(self.dim).for_each(|row| self.scale(row));
        Dense::new(values, examples.len(), self.dim)
    }

    /// Scales one example in place.
    ///
    /// # Errors
    /// [`Error::Length`] for another width, [`Error::NonFinite`] if an entry or its image is not finite.
    pub fn apply_to(&self, example: &mut [f64]) -> Result<()> {
        if example.len() != self.dim {
            return Err(Error::Length { what: "the example", expected: self.dim, found: example.len() });
        }
        self.scale(example);
        match example.iter().position(|value| !value.is_finite()) {
            Some(column) => Err(Error::NonFinite { what: "scaled example", row: 0, column: Some(column) }),
            None => Ok(()),
        }
    }

    /// Scaled copies of sparse examples, sparse.
    ///
    /// ```
    /// use lm_core::Csr;
    /// use lm_data::scaling::{Scaler, Scaling};
    ///
    /// let examples = Csr::new(vec![0, 1, 2], vec![0, 1], vec![4.0, -2.0], 2)?;
    /// let scaled = Scaler::fit(&examples, Scaling::MaxAbs)?.apply_sparse(&examples)?;
    /// assert_eq!(scaled.parts().2, [1.0, -1.0]);
    /// // Taking the mean off would fill every zero.
    /// assert!(Scaler::fit(&examples, Scaling::Standard)?.apply_sparse(&examples).is_err());
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Setting`] if zero is not mapped to zero in some column, whose number it says; as [`Scaler::apply`].
    pub fn apply_sparse<T: Element>(&self, examples: &Csr<'_, T>) -> Result<Csr<'static>> {
        self.check(examples)?;
        if let Some(column) = (0..self.units.len()).find(|&column| self.scaled(column, 0.0) != 0.0) {
            let accepted =
                "a scaling that maps zero to zero in every column; otherwise scale to dense examples";
            return Err(Error::Setting {
                name: "scaling of sparse examples, column",
                value: column as f64,
                accepted,
            });
        }
        let (offsets, indices, stored) = examples.parts();
        let mut values: Vec<f64> = stored.iter().map(|value| value.to_f64()).collect();
        if self.scaling == Scaling::UnitLength {
            for row in offsets.windows(2) {
                unit_length(&mut values[row[0]..row[1]]);
            }
        } else {
            values.iter_mut().zip(indices).for_each(|(value, &k)| *value = self.scaled(k as usize, *value));
        }
        Csr::new(offsets.to_vec(), indices.to_vec(), values, self.dim)
    }

    fn check<E: Examples + ?Sized>(&self, examples: &E) -> Result<()> {
        if examples.dim() == self.dim {
            return Ok(());
        }
        Err(Error::Length { what: "an example to be scaled", expected: self.dim, found: examples.dim() })
    }

    fn scale(&self, row: &mut [f64]) {
        if self.scaling == Scaling::UnitLength {
            unit_length(row);
        } else {
            row.iter_mut().enumerate().for_each(|(column, value)| *value = self.scaled(column, *value));
        }
    }

    /// The image of one entry of a column.
    fn scaled(&self, column: usize, value: f64) -> f64 {
        let (shift, span) = (self.shifts[column], self.spans[column]);
        if span == 0.0 {
            return match self.scaling {
                Scaling::MinMax { low, high } if !(low <= 0.0 && high >= 0.0) => low,
                _ => 0.0,
            };
        }
        let t = (value / self.units[column] - shift) / span;
        match self.scaling {
            // Exact at both ends: t is 0 for the least entry and 1 for the largest.
            Scaling::MinMax { low, high } => low * (1.0 - t) + high * t,
            _ => t,
        }
    }
}

/// Divides by the Euclidean norm, which is taken of entries at most 1 in size, so that no square overflows or
/// vanishes. A row of zeros stays.
fn unit_length(row: &mut [f64]) {
    let size = row.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
    if size == 0.0 {
        return;
    }
    let norm = row.iter().map(|value| (value / size) * (value / size)).sum::<f64>().sqrt();
    row.iter_mut().for_each(|value| *value = *value / size / norm);
}
