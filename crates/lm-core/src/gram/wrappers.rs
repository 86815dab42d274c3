//! Gram matrices made from one other: with a ridge, normalised, centred, scaled.

use super::{Columns, Gram, Precision, check_diagonal_values, check_values, narrowed};
use crate::collection::Collection;
use crate::{Error, Result, parallel};

impl<G: Gram + ?Sized> Collection for &G {
    fn len(&self) -> usize {
        (**self).len()
    }
}

impl<G: Gram + ?Sized> Gram for &G {
    fn diagonal_into(&self, out: &mut [f64]) -> Result<()> {
        (**self).diagonal_into(out)
    }

    fn fill(&self, rows: &[usize], columns: Columns<'_>, out: &mut [f64]) -> Result<()> {
        (**self).fill(rows, columns, out)
    }

    fn fill_f32(&self, rows: &[usize], columns: Columns<'_>, out: &mut [f32]) -> Result<()> {
        (**self).fill_f32(rows, columns, out)
    }

    fn fill_all(&self, out: &mut [f64]) -> Result<()> {
        (**self).fill_all(out)
    }

    fn combine(
        &self,
        rows: &[usize],
        coefficients: &[f64],
        columns: Columns<'_>,
        precision: Precision,
        out: &mut [f64],
    ) -> Result<()> {
        (**self).combine(rows, coefficients, columns, precision, out)
    }

    fn is_cheap(&self) -> bool {
        (**self).is_cheap()
    }

    fn error_bound(&self, precision: Precision) -> f64 {
        (**self).error_bound(precision)
    }
}

/// The largest diagonal value, which bounds every value of an inner product; infinite if it cannot be computed.
pub(super) fn largest_diagonal<G: Gram>(gram: &G) -> f64 {
    gram.diagonal().map_or(f64::INFINITY, |values| values.iter().fold(0.0, |a: f64, b| a.max(b.abs())))
}

/// Calls `change` with row, column and value of every entry of a block.
fn for_each_entry(
    rows: &[usize],
    columns: Columns<'_>,
    len: usize,
    out: &mut [f64],
    change: impl Fn(usize, usize, &mut f64),
) {
    let count = columns.count(len).max(1);
    for (&row, out) in rows.iter().zip(out.chunks_exact_mut(count)) {
        out.iter_mut().enumerate().for_each(|(position, value)| change(row, columns.at(position), value));
    }
}

/// `K + diag(r)`: the ridge of kernel ridge regression, and `K + δ/C` of the 2-norm soft margin.
///
/// ```
/// use lm_core::gram::Ridged;
/// use lm_core::{Gram, MatrixGram};
///
/// let gram = MatrixGram::precomputed(vec![2.0, 1.0, 1.0, 2.0], 2)?;
/// assert_eq!(Ridged::by_cost(&gram, 4.0)?.diagonal()?, [2.25, 2.25]);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Ridged<G> {
    gram: G,
    ridge: Vec<f64>,
}

impl<G: Gram> Ridged<G> {
    /// Adds `ridge[i]` to the diagonal.
    ///
    /// # Errors
    /// [`Error::Length`] unless there is one value per row, [`Error::NonFinite`] or [`Error::Setting`] unless all
    /// are finite and not negative.
    pub fn new(gram: G, ridge: Vec<f64>) -> Result<Self> {
        if ridge.len() != gram.len() {
            return Err(Error::Length { what: "the ridge", expected: gram.len(), found: ridge.len() });
        }
        if let Some(&value) = ridge.iter().find(|&&value| !(value >= 0.0 && value.is_finite())) {
            return Err(Error::Setting { name: "ridge", value, accepted: "a finite number ≥ 0" });
        }
        Ok(Self { gram, ridge })
    }

    /// Adds the same value to the whole diagonal.
    ///
    /// # Errors
    /// As [`Ridged::new`].
    pub fn constant(gram: G, ridge: f64) -> Result<Self> {
        let len = gram.len();
        Self::new(gram, vec![ridge; len])
    }

    /// `K + δ/C`.
    ///
    /// # Errors
    /// [`Error::Setting`] unless `C > 0`. An infinite `C` adds nothing.
    pub fn by_cost(gram: G, cost: f64) -> Result<Self> {
        if !(cost > 0.0) {
            return Err(Error::Setting { name: "C", value: cost, accepted: "a number > 0" });
        }
        Self::constant(gram, 1.0 / cost)
    }
}

impl<G: Gram> Collection for Ridged<G> {
    fn len(&self) -> usize {
        self.gram.len()
    }
}

impl<G: Gram> Gram for Ridged<G> {
    fn diagonal_into(&self, out: &mut [f64]) -> Result<()> {
        self.gram.diagonal_into(out)?;
        out.iter_mut().zip(&self.ridge).for_each(|(out, ridge)| *out += ridge);
        check_diagonal_values(out)
    }

    fn fill(&self, rows: &[usize], columns: Columns<'_>, out: &mut [f64]) -> Result<()> {
        self.gram.fill(rows, columns, out)?;
        for_each_entry(rows, columns, self.len(), out, |row, column, value| {
            if row == column {
                *value += self.ridge[row];
            }
        });
        check_values(rows, columns, self.len(), out)
    }

    fn error_bound(&self, precision: Precision) -> f64 {
        let largest = largest_diagonal(self);
        narrowed(self.gram.error_bound(Precision::F64) + largest * f64::EPSILON, largest, precision)
    }
}

/// `Kᵢⱼ / √(Kᵢᵢ Kⱼⱼ)`: every example moved to the unit sphere of the feature space.
///
/// ```
/// use lm_core::gram::Normalised;
/// use lm_core::{Columns, Gram, MatrixGram};
///
/// let gram = MatrixGram::precomputed(vec![4.0, 3.0, 3.0, 9.0], 2)?;
/// let mut row = [0.0; 2];
/// Normalised::new(&gram)?.fill(&[0], Columns::All, &mut row)?;
/// assert_eq!(row, [1.0, 0.5]);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Normalised<G> {
    gram: G,
    inverse_norms: Vec<f64>,
}

impl<G: Gram> Normalised<G> {
    /// Normalises a matrix.
    ///
    /// # Errors
    /// [`Error::KernelValue`], with the row, unless every diagonal value is positive.
    pub fn new(gram: G) -> Result<Self> {
        let diagonal = gram.diagonal()?;
        let inverse_norms: Vec<f64> = diagonal.iter().map(|value| 1.0 / value.sqrt()).collect();
        match inverse_norms.iter().position(|value| !(value.is_finite() && *value > 0.0)) {
            Some(row) => Err(Error::KernelValue { row, column: row }),
            None => Ok(Self { gram, inverse_norms }),
        }
    }
}

impl<G: Gram> Collection for Normalised<G> {
    fn len(&self) -> usize {
        self.gram.len()
    }
}

impl<G: Gram> Gram for Normalised<G> {
    fn diagonal_into(&self, out: &mut [f64]) -> Result<()> {
        super::check_diagonal(self.len(), out.len())?;
        out.fill(1.0);
        Ok(())
    }

    fn fill(&self, rows: &[usize], columns: Columns<'_>, out: &mut [f64]) -> Result<()> {
        self.gram.fill(rows, columns, out)?;
        for_each_entry(rows, columns, self.len(), out, |row, column, value| {
            // An example with itself is 1 by definition, not by rounding.
            *value = if row == column {
                1.0
            } else {
                // Larger factor first: the same bits in both triangles, and in every selection.
                let (a, b) = (self.inverse_norms[row], self.inverse_norms[column]);
                *value * a.max(b) * a.min(b)
            };
        });
        check_values(rows, columns, self.len(), out)
    }

    fn error_bound(&self, precision: Precision) -> f64 {
        let largest = self.inverse_norms.iter().fold(0.0, |a: f64, b| a.max(*b));
        narrowed(
            self.gram.error_bound(Precision::F64) * largest * largest * 2.0 + 8.0 * f64::EPSILON,
            1.0,
            precision,
        )
    }
}

/// `K̃ᵢⱼ = Kᵢⱼ − K̄ᵢ − K̄ⱼ + K̄`: the origin of the feature space moved to the mean of the examples.
///
/// ```
/// use lm_core::gram::Centred;
/// use lm_core::{Columns, Gram, MatrixGram};
///
/// let gram = MatrixGram::precomputed(vec![1.0, 3.0, 3.0, 9.0], 2)?; // of the points 1 and 3
/// let mut row = [0.0; 2];
/// Centred::new(&gram)?.fill(&[0], Columns::All, &mut row)?;
/// assert_eq!(row, [1.0, -1.0]); // of the points −1 and 1
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Centred<G> {
    gram: G,
    row_means: Vec<f64>,
    mean: f64,
}

impl<G: Gram> Centred<G> {
    /// Centres a matrix, at the cost of computing all of it once.
    ///
    /// # Errors
    /// What computing the matrix gives.
    pub fn new(gram: G) -> Result<Self> {
        let len = gram.len();
        let sums = parallel::map(len, |row| {
            let mut values = vec![0.0; len];
            gram.fill(&[row], Columns::All, &mut values).map(|()| values.iter().sum::<f64>() / len as f64)
        });
        let row_means = sums.into_iter().collect::<Result<Vec<f64>>>()?;
        let mean = row_means.iter().sum::<f64>() / len as f64;
        Ok(Self { gram, row_means, mean })
    }

    /// The mean of each row of the original matrix.
    pub fn row_means(&self) -> &[f64] {
        &self.row_means
    }

    /// The mean of the original matrix.
    pub fn mean(&self) -> f64 {
        self.mean
    }
}

impl<G: Gram> Collection for Centred<G> {
    fn len(&self) -> usize {
        self.gram.len()
    }
}

impl<G: Gram> Gram for Centred<G> {
    fn diagonal_into(&self, out: &mut [f64]) -> Result<()> {
        self.gram.diagonal_into(out)?;
        out.iter_mut().zip(&self.row_means).for_each(|(out, own)| *out = (*out - own) - (own - self.mean));
        check_diagonal_values(out)
    }

    fn fill(&self, rows: &[usize], columns: Columns<'_>, out: &mut [f64]) -> Result<()> {
        self.gram.fill(rows, columns, out)?;
        for_each_entry(rows, columns, self.len(), out, |row, column, value| {
            // Smaller index first: the same bits in both triangles.
            let (a, b) = (self.row_means[row.min(column)], self.row_means[row.max(column)]);
            *value = (*value - a) - (b - self.mean);
        });
        check_values(rows, columns, self.len(), out)
    }

    fn error_bound(&self, precision: Precision) -> f64 {
        let largest = largest_diagonal(&self.gram);
        let sums = (self.len() as f64 + 4.0) * f64::EPSILON * largest;
        narrowed(4.0 * (self.gram.error_bound(Precision::F64) + sums), 4.0 * largest, precision)
    }
}

/// `factor · K`.
///
/// ```
/// use lm_core::gram::Scaled;
/// use lm_core::{Gram, MatrixGram};
///
/// let gram = MatrixGram::precomputed(vec![4.0, 3.0, 3.0, 9.0], 2)?;
/// assert_eq!(Scaled::new(&gram, 0.5)?.diagonal()?, [2.0, 4.5]);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Scaled<G> {
    gram: G,
    factor: f64,
}

impl<G: Gram> Scaled<G> {
    /// Multiplies a matrix by a positive number.
    ///
    /// # Errors
    /// [`Error::Setting`] unless the factor is positive and finite.
    pub fn new(gram: G, factor: f64) -> Result<Self> {
        if factor > 0.0 && factor.is_finite() {
            Ok(Self { gram, factor })
        } else {
            Err(Error::Setting { name: "factor", value: factor, accepted: "a finite number > 0" })
        }
    }
}

impl<G: Gram> Collection for Scaled<G> {
    fn len(&self) -> usize {
        self.gram.len()
    }
}

impl<G: Gram> Gram for Scaled<G> {
    fn diagonal_into(&self, out: &mut [f64]) -> Result<()> {
        self.gram.diagonal_into(out)?;
        out.iter_mut().for_each(|out| *out *= self.factor);
        check_diagonal_values(out)
    }

    fn fill(&self, rows: &[usize], columns: Columns<'_>, out: &mut [f64]) -> Result<()> {
        self.gram.fill(rows, columns, out)?;
        out.iter_mut().for_each(|out| *out *= self.factor);
        check_values(rows, columns, self.len(), out)
    }

    fn error_bound(&self, precision: Precision) -> f64 {
        let largest = self.factor * largest_diagonal(&self.gram);
        narrowed(
            self.factor * self.gram.error_bound(Precision::F64) + largest * f64::EPSILON,
            largest,
            precision,
        )
    }
}
