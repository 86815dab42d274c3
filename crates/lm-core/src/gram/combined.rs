//! Gram matrices made from two others: sum and elementwise product.

use super::{Columns, Gram, Precision, check_diagonal_values, check_values, narrowed};
use crate::collection::Collection;
use crate::{Error, Result};

/// `K + L`.
///
/// ```
/// use lm_core::gram::Sum;
/// use lm_core::{Gram, MatrixGram};
///
/// let gram = MatrixGram::precomputed(vec![4.0, 3.0, 3.0, 9.0], 2)?;
/// assert_eq!(Sum::new(&gram, &gram)?.diagonal()?, [8.0, 18.0]);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Sum<A, B>(Pair<A, B>);

/// `Kᵢⱼ · Lᵢⱼ`, the elementwise product, which is again a Gram matrix.
///
/// ```
/// use lm_core::gram::Product;
/// use lm_core::{Gram, MatrixGram};
///
/// let gram = MatrixGram::precomputed(vec![4.0, 3.0, 3.0, 9.0], 2)?;
/// assert_eq!(Product::new(&gram, &gram)?.diagonal()?, [16.0, 81.0]);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Product<A, B>(Pair<A, B>);

#[derive(Debug)]
struct Pair<A, B> {
    first: A,
    second: B,
}

impl<A: Gram, B: Gram> Pair<A, B> {
    fn new(first: A, second: B) -> Result<Self> {
        if first.len() == second.len() {
            Ok(Self { first, second })
        } else {
            let (expected, found) = (first.len(), second.len());
            Err(Error::Length { what: "the second Gram matrix", expected, found })
        }
    }

    fn diagonal(&self, out: &mut [f64], combine: impl Fn(f64, f64) -> f64) -> Result<()> {
        self.first.diagonal_into(out)?;
        let other = self.second.diagonal()?;
        out.iter_mut().zip(other).for_each(|(out, other)| *out = combine(*out, other));
        check_diagonal_values(out)
    }

    fn fill(
        &self,
        rows: &[usize],
        columns: Columns<'_>,
        out: &mut [f64],
        combine: impl Fn(f64, f64) -> f64,
    ) -> Result<()> {
        self.first.fill(rows, columns, out)?;
        let mut other = vec![0.0; out.len()];
        self.second.fill(rows, columns, &mut other)?;
        out.iter_mut().zip(other).for_each(|(out, other)| *out = combine(*out, other));
        check_values(rows, columns, self.first.len(), out)
    }

    /// The largest value of each matrix: that of its diagonal, as for every inner product.
    fn largest(&self) -> (f64, f64) {
        (super::wrappers::largest_diagonal(&self.first), super::wrappers::largest_diagonal(&self.second))
    }
}

impl<A: Gram, B: Gram> Sum<A, B> {
    /// The sum of two matrices of equal size.
    ///
    /// # Errors
    /// [`Error::Length`] if the sizes differ.
    pub fn new(first: A, second: B) -> Result<Self> {
        Pair::new(first, second).map(Self)
    }
}

impl<A: Gram, B: Gram> Product<A, B> {
    /// The elementwise product of two matrices of equal size.
    ///
    /// # Errors
    /// [`Error::Length`] if the sizes differ.
    pub fn new(first: A, second: B) -> Result<Self> {
        Pair::new(first, second).map(Self)
    }
}

impl<A: Gram, B: Gram> Collection for Sum<A, B> {
    fn len(&self) -> usize {
        self.0.first.len()
    }
}

impl<A: Gram, B: Gram> Collection for Product<A, B> {
    fn len(&self) -> usize {
        self.0.first.len()
    }
}

impl<A: Gram, B: Gram> Gram for Sum<A, B> {
    fn diagonal_into(&self, out: &mut [f64]) -> Result<()> {
        self.0.diagonal(out, |a, b| a + b)
    }

    fn fill(&self, rows: &[usize], columns: Columns<'_>, out: &mut [f64]) -> Result<()> {
        self.0.fill(rows, columns, out, |a, b| a + b)
    }

    fn error_bound(&self, precision: Precision) -> f64 {
        let (a, b) = self.0.largest();
        let exact = self.0.first.error_bound(Precision::F64) + self.0.second.error_bound(Precision::F64);
        narrowed(exact + (a + b) * f64::EPSILON, a + b, precision)
    }
}

impl<A: Gram, B: Gram> Gram for Product<A, B> {
    fn diagonal_into(&self, out: &mut [f64]) -> Result<()> {
        self.0.diagonal(out, |a, b| a * b)
    }

    fn fill(&self, rows: &[usize], columns: Columns<'_>, out: &mut [f64]) -> Result<()> {
        self.0.fill(rows, columns, out, |a, b| a * b)
    }

    fn error_bound(&self, precision: Precision) -> f64 {
        let (a, b) = self.0.largest();
        let (da, db) = (self.0.first.error_bound(Precision::F64), self.0.second.error_bound(Precision::F64));
        narrowed(a * db + b * da + da * db + a * b * f64::EPSILON, a * b, precision)
    }
}
