//! Means and scatter of a stream of rows, in parts that can be merged.
//!
//! # Problem
//! ```text
//! W = Σ ωᵢ ,  m = Σ ωᵢzᵢ / W ,  S = Σ ωᵢ (zᵢ − m)(zᵢ − m)ᵗ
//! ```
//! # Method
//! Within a block, rows are centred on the mean of the block before they are multiplied, so that nothing cancels however
//! far from the origin they lie. Two parts are merged by
//! ```text
//! S ← S₁ + S₂ + W₁W₂/(W₁ + W₂)·(m₁ − m₂)(m₁ − m₂)ᵗ .
//! ```
//! # Cost
//! `nd²/2` multiplications and additions at the speed of a product of matrices, on all cores; `d²` numbers are kept.
//! # Reference
//! Chan, Golub & LeVeque (1983), "Algorithms for computing the sample variance".

use lm_core::linalg::{Matrix, add_centred_scatter, mean_row};
use lm_core::{Error, Examples, Result, Weights, parallel};

use super::RowBlocks;

/// The most row blocks that are summed up by one thread before they are merged with others, and the fewest groups of them,
/// so that several threads have work.
const BLOCKS: usize = 8;
const GROUPS: usize = 8;

/// Count, weight, mean and scatter of rows `z = (x, t, …)`: examples with other columns, such as targets, appended.
///
/// Least squares, ridge regression and discriminants are computed from it alone. It can be added to block by block, from a
/// file larger than memory or on another machine, stored with `serde`, and merged.
///
/// ```
/// use lm_closed::Moments;
/// use lm_core::Dense;
///
/// let examples = Dense::new(vec![1.0, 2.0, 3.0, 6.0], 4, 1)?;
/// let all = Moments::of(&examples, &[], None)?;
/// assert_eq!(all.mean(), [3.0]);
/// assert_eq!(all.scatter()[(0, 0)], 14.0);
///
/// let (first, second) = (Dense::new(vec![1.0, 2.0], 2, 1)?, Dense::new(vec![3.0, 6.0], 2, 1)?);
/// let mut merged = Moments::of(&first, &[], None)?;
/// merged.merge(&Moments::of(&second, &[], None)?)?;
/// assert_eq!(merged, all);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored", into = "Stored"))]
pub struct Moments {
    count: u64,
    weight: f64,
    mean: Vec<f64>,
    scatter: Matrix,
}

impl Moments {
    /// Of no rows yet, each of which has `dim` numbers.
    ///
    /// # Errors
    /// [`Error::Empty`] for dimension 0, [`Error::TooLarge`] or [`Error::Allocation`] if `dim²` numbers do not fit.
    pub fn new(dim: usize) -> Result<Self> {
        if dim == 0 {
            return Err(Error::Empty { what: "the list of columns" });
        }
        Ok(Self { count: 0, weight: 0.0, mean: vec![0.0; dim], scatter: Matrix::zeros(dim, dim)? })
    }

    /// Of all examples, each with its entry of the `extra` columns appended, and counting as much as its weight says.
    ///
    /// # Errors
    /// [`Error::Length`] unless columns and weights are as long as there are examples; as [`Moments::new`];
    /// [`Error::Numerical`] if sums overflow.
    pub fn of<E: Examples + ?Sized>(
        examples: &E,
        extra: &[&[f64]],
        weights: Option<&Weights>,
    ) -> Result<Self> {
        let mut moments = Self::new(examples.dim() + extra.len())?;
        moments.add(examples, extra, weights)?;
        Ok(moments)
    }

    /// Adds a block of a stream.
    ///
    /// # Errors
    /// As [`Moments::of`], and [`Error::Length`] if the rows have another length.
    pub fn add<E: Examples + ?Sized>(
        &mut self,
        examples: &E,
        extra: &[&[f64]],
        weights: Option<&Weights>,
    ) -> Result<()> {
        self.check(examples, extra, weights)?;
        let blocks = RowBlocks::new(examples);
        let size = (blocks.len() / GROUPS).clamp(1, BLOCKS);
        let groups = blocks.len().div_ceil(size);
        // As many groups at a time as keep the cores busy without holding a matrix for every group of a large set.
        for wave in (0..groups).step_by(WAVE) {
            let parts = parallel::map(WAVE.min(groups - wave), |at| {
                let mut part = Self::new(self.dim())?;
                let mut rows = Vec::new();
                let first = (wave + at) * size;
                for block in first..(first + size).min(blocks.len()) {
                    part.add_block(&blocks, block, extra, weights, &mut rows)?;
                }
                Ok::<_, Error>(part)
            });
            for part in parts {
                self.merge(&part?)?;
            }
        }
        Ok(())
    }

    fn check<E: Examples + ?Sized>(
        &self,
        examples: &E,
        extra: &[&[f64]],
        weights: Option<&Weights>,
    ) -> Result<()> {
        let length = |what, expected, found| {
            if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) }
        };
        length("the row of examples and other columns", self.dim(), examples.dim() + extra.len())?;
        for column in extra {
            length("a column beside the examples", examples.len(), column.len())?;
        }
        weights
            .map_or(Ok(()), |weights| length("the list of weights", examples.len(), weights.values().len()))
    }

    /// Merges one block: centred on its own mean, multiplied, then merged as a part of its own.
    fn add_block<E: Examples + ?Sized>(
        &mut self,
        blocks: &RowBlocks<'_, E>,
        block: usize,
        extra: &[&[f64]],
        weights: Option<&Weights>,
        rows: &mut Vec<f64>,
    ) -> Result<()> {
        let (range, dim) = (blocks.range(block), self.dim());
        blocks.fill_strided(block, dim, rows);
        let weights = weights.map(|weights| &weights.values()[range.clone()]);
        let first = dim - extra.len();
        for (i, row) in range.clone().zip(rows.chunks_exact_mut(dim)) {
            row[first..].iter_mut().zip(extra).for_each(|(to, column)| *to = column[i]);
        }
        let count = match weights {
            None => range.len(),
            Some(weights) => weights.iter().filter(|&&weight| weight > 0.0).count(),
        };
        let weight = weights.map_or(range.len() as f64, |weights| weights.iter().sum());
        if count == 0 {
            return Ok(());
        }
        let mean = mean_row(rows, dim, weights)?;
        self.absorb(count as u64, weight, &mean)?;
        add_centred_scatter(&mut self.scatter, rows, &mean, weights)
    }

    /// Adds rows of another mean, but for their scatter around it.
    fn absorb(&mut self, count: u64, weight: f64, mean: &[f64]) -> Result<()> {
        let total = self.weight + weight;
        if !total.is_finite() {
            return Err(Error::Numerical { what: "the sum of the weights" });
        }
        if weight == 0.0 {
            return Ok(());
        }
        let share = weight / total;
        let factor = self.weight * share;
        let apart: Vec<f64> = mean.iter().zip(&self.mean).map(|(theirs, ours)| theirs - ours).collect();
        if factor > 0.0 {
            for (j, along) in apart.iter().enumerate() {
                let along = factor * along;
                let column = &mut self.scatter.column_mut(j)[j..];
                column.iter_mut().zip(&apart[j..]).for_each(|(to, apart)| *to += along * apart);
            }
            self.mean.iter_mut().zip(&apart).for_each(|(mean, apart)| *mean += share * apart);
        } else {
            self.mean.copy_from_slice(mean);
        }
        self.weight = total;
        self.count += count;
        Ok(())
    }

    /// Adds what another accumulator has seen. The order of merging changes the last bits only.
    ///
    /// # Errors
    /// [`Error::Length`] unless both have the same dimension, [`Error::Numerical`] if sums overflow.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        if other.dim() != self.dim() {
            let (expected, found) = (self.dim(), other.dim());
            return Err(Error::Length { what: "the mean of the other part", expected, found });
        }
        self.absorb(other.count, other.weight, &other.mean)?;
        for j in 0..self.dim() {
            let from = &other.scatter.column(j)[j..];
            self.scatter.column_mut(j)[j..].iter_mut().zip(from).for_each(|(to, from)| *to += from);
        }
        // An overflow shows on the diagonal, whose entries bound the others.
        if (0..self.dim()).all(|j| self.scatter[(j, j)].is_finite()) {
            Ok(())
        } else {
            Err(Error::Numerical { what: "the scatter of the examples" })
        }
    }

    /// The length of a row.
    pub fn dim(&self) -> usize {
        self.mean.len()
    }

    /// The number of rows of positive weight.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The sum of their weights.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// Their weighted mean; zeros before there are any.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The scatter around the mean, `Σ ω(z − m)(z − m)ᵗ`. Only the lower triangle is meant.
    pub fn scatter(&self) -> &Matrix {
        &self.scatter
    }
}

/// Groups of blocks that are under way at a time.
const WAVE: usize = 16;

/// The fields as they are stored; the decoder checks that they belong together.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Stored {
    count: u64,
    weight: f64,
    #[serde(with = "lm_core::serde_array")]
    mean: Vec<f64>,
    /// The lower triangle, column by column.
    #[serde(with = "lm_core::serde_array")]
    scatter: Vec<f64>,
}

#[cfg(feature = "serde")]
impl From<Moments> for Stored {
    fn from(moments: Moments) -> Self {
        let dim = moments.dim();
        let scatter = (0..dim).flat_map(|j| moments.scatter.column(j)[j..].iter().copied()).collect();
        Self { count: moments.count, weight: moments.weight, mean: moments.mean, scatter }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for Moments {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self> {
        let dim = stored.mean.len();
        let expected = dim.saturating_mul(dim.saturating_add(1)) / 2;
        if stored.scatter.len() != expected {
            let found = stored.scatter.len();
            return Err(Error::Length { what: "the triangle of the scatter", expected, found });
        }
        let finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
        let empty = stored.count == 0;
        if !(stored.weight >= 0.0) || !finite(&[stored.weight]) || empty != (stored.weight == 0.0) {
            return Err(Error::Weight {
                row: 0,
                value: stored.weight,
                accepted: "a finite total that fits the count",
            });
        }
        if !finite(&stored.mean) || !finite(&stored.scatter) {
            return Err(Error::NonFinite { what: "moment", row: 0, column: None });
        }
        let mut moments = Self::new(dim)?;
        let mut rest = stored.scatter.as_slice();
        for j in 0..dim {
            let (column, after) = rest.split_at(dim - j);
            if !(column[0] >= 0.0) {
                return Err(Error::Numerical { what: "a scatter with a negative diagonal" });
            }
            moments.scatter.column_mut(j)[j..].copy_from_slice(column);
            rest = after;
        }
        Ok(Self { count: stored.count, weight: stored.weight, mean: stored.mean, scatter: moments.scatter })
    }
}
