//! Sparse examples: compressed rows.

use std::borrow::Cow;
use std::ops::Range;

use super::element::first_non_finite;
use super::row::sparse_dense;
use super::several::{From, sparse_dots};
use super::{Element, Examples, Row, SparseRow};
use crate::collection::Collection;
use crate::{Error, Result};

/// Sparse examples as compressed rows: `offsets[i]..offsets[i + 1]` are the entries of row `i`, each a column index
/// and a value. Owned or borrowed. A row may be empty: it is the zero vector.
///
/// ```
/// use lm_core::{Csr, Examples};
///
/// let examples = Csr::new(vec![0, 1, 3], vec![2, 0, 1], vec![5.0, 1.0, 2.0], 3)?;
/// assert_eq!(examples.dot(1, &[10.0, 1.0, 0.0]), 12.0);
/// assert_eq!(examples.entries(), 3);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Csr<'a, T: Element = f64> {
    offsets: Cow<'a, [usize]>,
    indices: Cow<'a, [u32]>,
    values: Cow<'a, [T]>,
    dim: usize,
}

impl<T: Element> Csr<'static, T> {
    /// Compressed rows of examples of dimension `dim`.
    ///
    /// # Errors
    /// [`Error::Empty`] for no examples or no columns; [`Error::Length`] if the arrays do not fit each other;
    /// [`Error::Sparse`] where offsets decrease, or the indices of a row do not increase strictly or reach `dim`;
    /// [`Error::NonFinite`] for NaN or an infinity; [`Error::TooLarge`] for a dimension above 2³².
    pub fn new(offsets: Vec<usize>, indices: Vec<u32>, values: Vec<T>, dim: usize) -> Result<Self> {
        Self::checked(Cow::Owned(offsets), Cow::Owned(indices), Cow::Owned(values), dim)
    }
}

impl<T: Element> Csr<'static, T> {
    /// A sparse copy of dense examples, without their zeros.
    ///
    /// # Errors
    /// As [`Csr::new`].
    pub fn from_rows(dense: &super::Dense<'_, T>) -> Result<Self> {
        let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in 0..dense.len() {
            for (column, &value) in dense.slice(row).iter().enumerate().filter(|(_, v)| v.to_f64() != 0.0) {
                indices.push(u32::try_from(column).map_err(|_| too_wide(dense.dim()))?);
                values.push(value);
            }
            offsets.push(values.len());
        }
        Self::new(offsets, indices, values, dense.dim())
    }
}

fn too_wide(dim: usize) -> Error {
    Error::TooLarge { what: "the dimension of sparse examples", size: dim, limit: 1 << 32 }
}

impl<'a, T: Element> Csr<'a, T> {
    /// A view of compressed rows.
    ///
    /// # Errors
    /// As [`Csr::new`].
    pub fn borrowed(offsets: &'a [usize], indices: &'a [u32], values: &'a [T], dim: usize) -> Result<Self> {
        Self::checked(Cow::Borrowed(offsets), Cow::Borrowed(indices), Cow::Borrowed(values), dim)
    }

    fn checked(
        offsets: Cow<'a, [usize]>,
        indices: Cow<'a, [u32]>,
        values: Cow<'a, [T]>,
        dim: usize,
    ) -> Result<Self> {
        let Some((&first, &last)) = offsets.first().zip(offsets.last()).filter(|_| offsets.len() > 1) else {
            return Err(Error::Empty { what: "the set of examples" });
        };
        if dim == 0 {
            return Err(Error::Empty { what: "the set of columns" });
        }
        if dim as u64 > 1 << 32 {
            return Err(too_wide(dim));
        }
        if first != 0 {
            return Err(Error::Sparse { row: 0, position: first, problem: "the first offset must be 0" });
        }
        if indices.len() != last {
            return Err(Error::Length { what: "the array of indices", expected: last, found: indices.len() });
        }
        if values.len() != last {
            return Err(Error::Length { what: "the array of values", expected: last, found: values.len() });
        }
        for (row, pair) in offsets.windows(2).enumerate() {
            let (start, end) = (pair[0], pair[1]);
            if end < start || end > last {
                return Err(Error::Sparse { row, position: end, problem: "offsets must not decrease" });
            }
            check_row(row, start, &indices[start..end], dim)?;
        }
        if let Some(position) = first_non_finite(&values) {
            let row = offsets.partition_point(|&offset| offset <= position) - 1;
            return Err(Error::NonFinite { what: "example", row, column: Some(indices[position] as usize) });
        }
        Ok(Self { offsets, indices, values, dim })
    }

    /// The number of stored entries.
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    /// The stored entries of one example.
    ///
    /// # Panics
    /// Panics, as a slice does, unless `row < self.len()`.
    #[inline]
    pub fn sparse_row(&self, row: usize) -> SparseRow<'_, T> {
        let range = self.offsets[row]..self.offsets[row + 1];
        SparseRow { indices: &self.indices[range.clone()], values: &self.values[range], dim: self.dim }
    }

    /// The offsets of the rows, the column indices, and the values.
    pub fn parts(&self) -> (&[usize], &[u32], &[T]) {
        (&self.offsets, &self.indices, &self.values)
    }

    /// The same entries in a space with more columns, all zero.
    ///
    /// # Errors
    /// [`Error::Length`] if `dim` is smaller than the present dimension, [`Error::TooLarge`] above 2³².
    pub fn widened(self, dim: usize) -> Result<Self> {
        if dim < self.dim {
            return Err(Error::Length { what: "the wider example", expected: self.dim, found: dim });
        }
        if dim as u64 > 1 << 32 {
            return Err(too_wide(dim));
        }
        Ok(Self { dim, ..self })
    }

    /// The same examples, owned.
    pub fn into_owned(self) -> Csr<'static, T> {
        Csr {
            offsets: Cow::Owned(self.offsets.into_owned()),
            indices: Cow::Owned(self.indices.into_owned()),
            values: Cow::Owned(self.values.into_owned()),
            dim: self.dim,
        }
    }
}

/// Checks that the indices of a row increase strictly and stay below `dim`.
fn check_row(row: usize, start: usize, indices: &[u32], dim: usize) -> Result<()> {
    if let Some(k) = indices.windows(2).position(|pair| pair[0] >= pair[1]) {
        let problem = "the column indices of a row must increase, each occurring once";
        return Err(Error::Sparse { row, position: start + k + 1, problem });
    }
    match indices.last() {
        Some(&index) if index as usize >= dim => {
            let problem = "a column index must be smaller than the dimension";
            Err(Error::Sparse { row, position: start + indices.len() - 1, problem })
        }
        _ => Ok(()),
    }
}

impl<T: Element> Collection for Csr<'_, T> {
    fn len(&self) -> usize {
        self.offsets.len() - 1
    }
}

impl<T: Element> Examples for Csr<'_, T> {
    fn dim(&self) -> usize {
        self.dim
    }

    #[inline]
    fn row(&self, row: usize) -> Row<'_> {
        T::sparse_row(self.sparse_row(row))
    }

    #[inline]
    fn dot(&self, row: usize, w: &[f64]) -> f64 {
        sparse_dense(self.sparse_row(row), w)
    }

    fn dots(&self, rows: Range<usize>, w: &[f64], out: &mut [f64]) {
        sparse_dots(|row| self.sparse_row(row), From(rows.start, rows.len()), w, out);
    }

    fn dots_at(&self, rows: &[u32], w: &[f64], out: &mut [f64]) {
        sparse_dots(|row| self.sparse_row(row), rows, w, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn csr(offsets: &[usize], indices: &[u32], values: &[f64], dim: usize) -> Result<Csr<'static>> {
        Csr::new(offsets.to_vec(), indices.to_vec(), values.to_vec(), dim)
    }

    #[test]
    fn contradictions_between_the_arrays_are_named() {
        let sparse = |row, position| move |e: &Error| matches!(*e, Error::Sparse { row: r, position: p, .. } if (r, p) == (row, position));
        assert!(matches!(csr(&[0], &[], &[], 2), Err(Error::Empty { .. })));
        assert!(matches!(csr(&[], &[], &[], 2), Err(Error::Empty { .. })));
        assert!(matches!(csr(&[0, 0], &[], &[], 0), Err(Error::Empty { .. })));
        assert!(csr(&[1, 1], &[0], &[1.0], 2).is_err_and(|e| sparse(0, 1)(&e)));
        assert!(csr(&[0, 2, 1], &[0], &[1.0], 2).is_err_and(|e| sparse(0, 2)(&e)));
        assert!(csr(&[0, 3, 2], &[0, 1], &[1.0; 2], 2).is_err_and(|e| sparse(0, 3)(&e)));
        assert!(csr(&[0, 1, 3], &[0, 1, 1], &[1.0; 3], 2).is_err_and(|e| sparse(1, 2)(&e)));
        assert!(csr(&[0, 1], &[2], &[1.0], 2).is_err_and(|e| sparse(0, 0)(&e)));
        assert!(matches!(csr(&[0, 2], &[0], &[1.0; 2], 2), Err(Error::Length { .. })));
        assert!(matches!(csr(&[0, 1], &[0], &[1.0; 2], 2), Err(Error::Length { .. })));
    }

    #[test]
    fn a_value_that_is_not_finite_is_named_with_its_row_and_column() {
        let error = csr(&[0, 1, 1, 3], &[4, 0, 3], &[1.0, 1.0, f64::NAN], 5).unwrap_err();
        assert_eq!(error, Error::NonFinite { what: "example", row: 2, column: Some(3) });
    }

    #[test]
    fn an_empty_row_is_the_zero_vector() {
        let examples = csr(&[0, 0, 1], &[1], &[2.0], 2).unwrap();
        assert_eq!(examples.norm_squared(0), 0.0);
        assert_eq!(examples.dot(0, &[1.0, 1.0]), 0.0);
    }

    #[test]
    fn only_a_wider_space_is_accepted() {
        let examples = csr(&[0, 1], &[1], &[2.0], 2).unwrap();
        assert_eq!(examples.clone().widened(7).unwrap().dim(), 7);
        assert!(examples.widened(1).is_err());
    }
}
