//! Dense examples, row after row.

use std::borrow::Cow;
use std::ops::Range;

use super::element::first_non_finite;
use super::row::dense_dense;
use super::several::{From, dense_dots};
use super::{Element, Examples, Row};
use crate::collection::Collection;
use crate::{Error, Result};

/// Dense examples in row-major order, owned or borrowed. Rows may lie further apart than they are long.
///
/// ```
/// use lm_core::{Collection, Dense, Examples};
///
/// let values = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0];
/// let examples = Dense::borrowed(&values, 2, 3)?; // no copy
/// assert_eq!((examples.len(), examples.dim()), (2, 3));
/// assert_eq!(examples.dot(1, &[1.0, 0.0, 1.0]), 10.0);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Dense<'a, T: Element = f64> {
    values: Cow<'a, [T]>,
    len: usize,
    dim: usize,
    stride: usize,
}

impl<T: Element> Dense<'static, T> {
    /// `len` examples of dimension `dim`, one after the other.
    ///
    /// # Errors
    /// [`Error::Empty`] for no examples or no columns, [`Error::Length`] if the sizes do not fit the values,
    /// [`Error::NonFinite`] for NaN or an infinity, with its row and column.
    pub fn new(values: Vec<T>, len: usize, dim: usize) -> Result<Self> {
        Self::checked(Cow::Owned(values), len, dim, dim)
    }

    /// Examples given as rows of equal length.
    ///
    /// # Errors
    /// As [`Dense::new`]; [`Error::Length`] for a row of another length than the first.
    pub fn from_rows<R: AsRef<[T]>>(rows: &[R]) -> Result<Self> {
        let dim = rows.first().map_or(0, |row| row.as_ref().len());
        if let Some(row) = rows.iter().find(|row| row.as_ref().len() != dim) {
            return Err(Error::Length { what: "a row", expected: dim, found: row.as_ref().len() });
        }
        let values = rows.iter().flat_map(|row| row.as_ref().iter().copied()).collect();
        Self::new(values, rows.len(), dim)
    }
}

impl Dense<'static, f64> {
    /// A dense copy of any examples, zeros included.
    ///
    /// # Errors
    /// [`Error::Empty`] for no examples or no columns, [`Error::TooLarge`] if the copy cannot be addressed.
    pub fn copied<E: Examples + ?Sized>(examples: &E) -> Result<Self> {
        let (len, dim) = (examples.len(), examples.dim());
        let size = len.checked_mul(dim).filter(|&size| size <= isize::MAX as usize / 8);
        let Some(size) = size else {
            return Err(Error::TooLarge {
                what: "a dense copy",
                size: len.max(dim),
                limit: isize::MAX as usize / 8,
            });
        };
        let mut values = vec![0.0; size];
        for (row, out) in values.chunks_exact_mut(dim.max(1)).enumerate() {
            examples.row(row).write_to(out);
        }
        Self::new(values, len, dim)
    }
}

impl<'a, T: Element> Dense<'a, T> {
    /// A view of `len` examples of dimension `dim` that lie one after the other.
    ///
    /// # Errors
    /// As [`Dense::new`].
    pub fn borrowed(values: &'a [T], len: usize, dim: usize) -> Result<Self> {
        Self::checked(Cow::Borrowed(values), len, dim, dim)
    }

    /// A view of examples whose rows start `stride` values apart.
    ///
    /// # Errors
    /// As [`Dense::new`]; [`Error::Length`] if the stride is shorter than a row.
    pub fn strided(values: &'a [T], len: usize, dim: usize, stride: usize) -> Result<Self> {
        Self::checked(Cow::Borrowed(values), len, dim, stride)
    }

    /// A view of one example.
    ///
    /// # Errors
    /// As [`Dense::new`].
    pub fn single(values: &'a [T]) -> Result<Self> {
        Self::borrowed(values, 1, values.len())
    }

    fn checked(values: Cow<'a, [T]>, len: usize, dim: usize, stride: usize) -> Result<Self> {
        if len == 0 {
            return Err(Error::Empty { what: "the set of examples" });
        }
        if dim == 0 {
            return Err(Error::Empty { what: "the set of columns" });
        }
        if stride < dim {
            return Err(Error::Length { what: "the stride", expected: dim, found: stride });
        }
        // The last row need not be followed by padding.
        let limit = isize::MAX as usize / size_of::<T>();
        let needed = (len - 1).checked_mul(stride).and_then(|start| start.checked_add(dim));
        let Some(needed) = needed.filter(|&needed| needed <= limit) else {
            return Err(Error::TooLarge { what: "the set of examples", size: len.max(stride), limit });
        };
        if values.len() < needed || (stride == dim && values.len() != needed) {
            return Err(Error::Length { what: "the array of values", expected: needed, found: values.len() });
        }
        let examples = Self { values, len, dim, stride };
        for row in 0..len {
            if let Some(column) = first_non_finite(examples.slice(row)) {
                return Err(Error::NonFinite { what: "example", row, column: Some(column) });
            }
        }
        Ok(examples)
    }

    /// The values of one example.
    ///
    /// # Panics
    /// Panics, as a slice does, unless `row < self.len()`.
    #[inline]
    pub fn slice(&self, row: usize) -> &[T] {
        let start = row * self.stride;
        &self.values[start..start + self.dim]
    }

    /// All values in row-major order, if nothing lies between the rows.
    pub fn contiguous(&self) -> Option<&[T]> {
        (self.stride == self.dim).then_some(&*self.values)
    }

    /// The same examples, owned.
    pub fn into_owned(self) -> Dense<'static, T> {
        Dense {
            values: Cow::Owned(self.values.into_owned()),
            len: self.len,
            dim: self.dim,
            stride: self.stride,
        }
    }
}

impl<T: Element> Collection for Dense<'_, T> {
    fn len(&self) -> usize {
        self.len
    }
}

impl<T: Element> Examples for Dense<'_, T> {
    fn dim(&self) -> usize {
        self.dim
    }

    #[inline]
    fn row(&self, row: usize) -> Row<'_> {
        T::dense_row(self.slice(row))
    }

    #[inline]
    fn dot(&self, row: usize, w: &[f64]) -> f64 {
        dense_dense(self.slice(row), w)
    }

    fn dots(&self, rows: Range<usize>, w: &[f64], out: &mut [f64]) {
        dense_dots(&self.values, (self.dim, self.stride), From(rows.start, rows.len()), w, out);
    }

    fn dots_at(&self, rows: &[u32], w: &[f64], out: &mut [f64]) {
        dense_dots(&self.values, (self.dim, self.stride), rows, w, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_checked_at_the_door() {
        assert_eq!(Dense::<f64>::new(vec![], 0, 3), Err(Error::Empty { what: "the set of examples" }));
        assert_eq!(Dense::<f64>::new(vec![], 3, 0), Err(Error::Empty { what: "the set of columns" }));
        assert!(matches!(Dense::new(vec![1.0; 5], 2, 3), Err(Error::Length { expected: 6, found: 5, .. })));
        assert!(matches!(Dense::new(vec![1.0; 7], 2, 3), Err(Error::Length { expected: 6, found: 7, .. })));
        assert!(matches!(Dense::new(vec![1.0], usize::MAX, 2), Err(Error::TooLarge { .. })));
        assert!(matches!(Dense::from_rows(&[vec![1.0], vec![1.0, 2.0]]), Err(Error::Length { .. })));
    }

    #[test]
    fn a_value_that_is_not_finite_is_named_wherever_it_is() {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            for position in [0, 299, 300, 777, 899] {
                let mut values = vec![1.0_f32; 900];
                values[position] = bad;
                let place =
                    Error::NonFinite { what: "example", row: position / 300, column: Some(position % 300) };
                assert_eq!(Dense::new(values, 3, 300), Err(place));
            }
        }
    }

    #[test]
    fn a_strided_view_skips_what_lies_between_its_rows() {
        let values = [1.0, 2.0, f64::NAN, 3.0, 4.0];
        let view = Dense::strided(&values, 2, 2, 3).unwrap();
        assert_eq!(view.slice(1), [3.0, 4.0]);
        assert_eq!(view.contiguous(), None);
        assert!(Dense::strided(&values, 2, 2, 1).is_err());
        assert!(Dense::strided(&values, 3, 2, 3).is_err());
    }
}
