//! A whole Gram matrix in memory.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::{Columns, Gram, Precision, check_diagonal, check_request, narrowed};
use crate::collection::Collection;
use crate::fit::Budget;
use crate::memory::zeros;
use crate::{Error, Result};

/// All kernel values, in memory: computed once from another Gram matrix, or precomputed by the caller.
///
/// ```
/// use lm_core::{Collection, Error, MatrixGram};
///
/// let gram = MatrixGram::precomputed(vec![2.0, 1.0, 1.0, 2.0], 2)?;
/// assert_eq!(gram.len(), 2);
/// let skew = MatrixGram::precomputed(vec![2.0, 1.0, 0.0, 2.0], 2);
/// assert!(matches!(skew, Err(Error::Asymmetric { row: 0, column: 1, .. })));
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MatrixGram<'a> {
    values: Cow<'a, [f64]>,
    len: usize,
    error: f64,
    /// The largest absolute value, once it has been asked for.
    largest: OnceLock<f64>,
}

impl MatrixGram<'static> {
    /// A matrix that the caller computed, row after row.
    ///
    /// # Errors
    /// [`Error::Empty`] for no rows, [`Error::Length`] unless there are `len²` values, [`Error::NonFinite`] for NaN
    /// or an infinity, [`Error::Asymmetric`] where an entry differs from its mirror image by more than rounding. Where
    /// it differs by rounding, the upper triangle counts for both.
    pub fn precomputed(values: Vec<f64>, len: usize) -> Result<Self> {
        Self::checked(Cow::Owned(values), len)
    }

    /// All values of another Gram matrix, if they fit into the memory that the budget allows.
    ///
    /// # Errors
    /// [`Error::Memory`] if they do not fit, [`Error::TooLarge`] or [`Error::Allocation`] if they cannot be held at all,
    /// and what computing them gives.
    pub fn computed<G: Gram + ?Sized>(gram: &G, budget: &Budget) -> Result<Self> {
        Self::computed_in(gram, budget, Vec::new())
    }

    /// As [`MatrixGram::computed`], in memory that is there already, such as that of a matrix that is no longer needed:
    /// the first touch of new pages can cost more than the arithmetic.
    ///
    /// ```
    /// use lm_core::{Budget, Dense, MatrixGram, VectorGram, VectorKernel};
    ///
    /// let examples = Dense::new(vec![0.0, 1.0, 3.0], 3, 1)?;
    /// let mut memory = Vec::new();
    /// for gamma in [0.1, 1.0] {
    ///     let gram = VectorGram::new(&examples, VectorKernel::gaussian(gamma)?)?;
    ///     let matrix = MatrixGram::computed_in(&gram, &Budget::default(), memory)?;
    ///     assert_eq!(matrix.row(1)[0], (-gamma).exp());
    ///     memory = matrix.into_values();
    /// }
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`MatrixGram::computed`].
    pub fn computed_in<G: Gram + ?Sized>(gram: &G, budget: &Budget, memory: Vec<f64>) -> Result<Self> {
        let len = gram.len();
        let needed = len.saturating_mul(len).saturating_mul(size_of::<f64>());
        budget.check_memory("the Gram matrix", needed)?;
        let mut values = memory;
        if values.len() < needed / size_of::<f64>() {
            values = zeros("the Gram matrix", len, len)?;
        }
        values.truncate(needed / size_of::<f64>());
        gram.fill_all(&mut values)?;
        let error = gram.error_bound(Precision::F64);
        Ok(Self { values: Cow::Owned(values), len, error, largest: OnceLock::new() })
    }
}

impl<'a> MatrixGram<'a> {
    /// A view of a matrix that the caller computed, row after row.
    ///
    /// # Errors
    /// As [`MatrixGram::precomputed`].
    pub fn borrowed(values: &'a [f64], len: usize) -> Result<Self> {
        Self::checked(Cow::Borrowed(values), len)
    }

    fn checked(mut values: Cow<'a, [f64]>, len: usize) -> Result<Self> {
        if len == 0 {
            return Err(Error::Empty { what: "the Gram matrix" });
        }
        if len.checked_mul(len) != Some(values.len()) {
            let expected = len.saturating_mul(len);
            return Err(Error::Length { what: "the array of kernel values", expected, found: values.len() });
        }
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            return Err(Error::NonFinite { what: "kernel value", row: at / len, column: Some(at % len) });
        }
        let largest = largest(&values);
        // What computing the two triangles in different orders may leave.
        let allowed = 1e-12 * largest;
        for row in 0..len {
            for column in row + 1..len {
                let difference = values[row * len + column] - values[column * len + row];
                if difference.abs() > allowed {
                    return Err(Error::Asymmetric { row, column, difference });
                }
                if difference != 0.0 {
                    let upper = values[row * len + column];
                    values.to_mut()[column * len + row] = upper;
                }
            }
        }
        Ok(Self { values, len, error: 0.0, largest: OnceLock::from(largest) })
    }

    /// The values, row after row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The values, row after row, owned.
    pub fn into_values(self) -> Vec<f64> {
        self.values.into_owned()
    }

    /// One row.
    ///
    /// # Panics
    /// Panics, as a slice does, unless `row < self.len()`.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.len..(row + 1) * self.len]
    }
}

impl PartialEq for MatrixGram<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.error == other.error && self.values == other.values
    }
}

/// The largest absolute value.
fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()))
}

impl Collection for MatrixGram<'_> {
    fn len(&self) -> usize {
        self.len
    }
}

impl Gram for MatrixGram<'_> {
    fn diagonal_into(&self, out: &mut [f64]) -> Result<()> {
        check_diagonal(self.len, out.len())?;
        out.iter_mut().enumerate().for_each(|(i, out)| *out = self.values[i * self.len + i]);
        Ok(())
    }

    fn fill(&self, rows: &[usize], columns: Columns<'_>, out: &mut [f64]) -> Result<()> {
        check_request(self.len, rows, columns, out.len())?;
        let count = columns.count(self.len);
        for (&row, out) in rows.iter().zip(out.chunks_exact_mut(count.max(1))) {
            let values = self.row(row);
            match columns {
                Columns::All => out.copy_from_slice(values),
                Columns::Range { start, end } => out.copy_from_slice(&values[start..end]),
                Columns::List(list) => {
                    out.iter_mut().zip(list).for_each(|(out, &column)| *out = values[column]);
                }
            }
        }
        Ok(())
    }

    fn error_bound(&self, precision: Precision) -> f64 {
        narrowed(self.error, *self.largest.get_or_init(|| largest(&self.values)), precision)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_between_the_triangles_is_removed() {
        let near = 1.0 + f64::EPSILON;
        let values = [2.0, near, 1.0, 2.0];
        let gram = MatrixGram::borrowed(&values, 2).unwrap();
        assert_eq!(gram.values(), [2.0, near, near, 2.0]);
        let exact = [2.0, 1.0, 1.0, 2.0];
        let untouched = MatrixGram::borrowed(&exact, 2).unwrap();
        assert!(std::ptr::eq(untouched.values(), &exact[..]));
    }

    #[test]
    fn shapes_and_values_are_checked() {
        assert!(matches!(MatrixGram::precomputed(vec![], 0), Err(Error::Empty { .. })));
        assert!(matches!(MatrixGram::precomputed(vec![1.0; 3], 2), Err(Error::Length { expected: 4, .. })));
        let refused = MatrixGram::precomputed(vec![1.0, f64::NAN, 0.0, 1.0], 2);
        assert!(matches!(refused, Err(Error::NonFinite { row: 0, column: Some(1), .. })));
        let gram = MatrixGram::precomputed(vec![1.0; 4], 2).unwrap();
        let small = Budget::default().with_memory(16);
        assert!(matches!(MatrixGram::computed(&gram, &small), Err(Error::Memory { needed: 32, .. })));
    }
}
