//! Gram matrices: the dual seam.
//!
//! A dual learner sees data only through the kernel values of pairs of examples. It asks a [`Gram`] for blocks of
//! rows and never knows whether they are computed, read from a cache or from a matrix that was given:
//!
//! - [`VectorGram`]: examples and a vector kernel, computed when asked for;
//! - [`ObjectGram`]: objects of any kind and any kernel;
//! - [`MatrixGram`]: a whole matrix in memory, computed once or precomputed by the caller;
//! - [`Cached`]: any of them behind a row cache of bounded size;
//! - [`SharedRows`]: any of them with rows kept for fits that run side by side;
//! - [`Ridged`], [`Normalised`], [`Centred`], [`Scaled`], [`Sum`], [`Product`] and
//!   [`Selection`]: matrices made from other matrices.
//!
//! Whether a matrix is one of inner products is what [`mercer`] checks; [`LowRank`] is the part of one that a few rows
//! explain.

mod cache;
mod cached;
mod combine;
mod combined;
mod matrix;
pub mod mercer;
mod object;
mod pivoted_cholesky;
mod rayleigh;
mod shared;
mod slots;
mod vector;
mod wrappers;

pub use crate::engine::{Instructions, Layout, RowSums};
pub use cache::RowCache;
pub use cached::Cached;
pub use combined::{Product, Sum};
pub use matrix::MatrixGram;
pub use object::ObjectGram;
pub use pivoted_cholesky::LowRank;
pub use shared::SharedRows;
pub use slots::CacheMemory;
pub use vector::VectorGram;
pub use wrappers::{Centred, Normalised, Ridged, Scaled};

use std::ops::Range;

use crate::collection::{Collection, Selection};
use crate::{Element, Error, Result};

/// Which columns of a row are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Columns<'a> {
    /// All of them, in order.
    All,
    /// Those from `start` up to and without `end`.
    Range {
        /// The first column.
        start: usize,
        /// The column after the last.
        end: usize,
    },
    /// These, in this order.
    List(&'a [usize]),
}

impl From<Range<usize>> for Columns<'_> {
    fn from(range: Range<usize>) -> Self {
        Self::Range { start: range.start, end: range.end }
    }
}

impl Columns<'_> {
    /// How many columns are asked for, of a matrix that has `len`.
    pub fn count(&self, len: usize) -> usize {
        match self {
            Self::All => len,
            Self::Range { start, end } => end.saturating_sub(*start),
            Self::List(list) => list.len(),
        }
    }

    /// The column at position `position` of those asked for.
    ///
    /// # Panics
    /// Panics, as a slice does, for a position beyond a list.
    #[inline]
    pub fn at(&self, position: usize) -> usize {
        match self {
            Self::All => position,
            Self::Range { start, .. } => start + position,
            Self::List(list) => list[position],
        }
    }
}

/// The precision in which values are delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// Half the memory; computed with at least this precision.
    F32,
    /// Computed and delivered in double precision.
    F64,
}

/// The symmetric matrix of kernel values `Kᵢⱼ = K(xᵢ, xⱼ)`, asked for in blocks of rows.
///
/// Implementations check the request, so a wrong index is an error and never a panic; and they never deliver a value
/// that is not finite. They are immutable: a cache is a layer of its own ([`RowCache`]), held by the solver.
pub trait Gram: Collection {
    /// Writes `Kᵢᵢ` for every row.
    ///
    /// # Errors
    /// [`Error::Length`] unless `out` has one place per row, [`Error::KernelValue`] for a value that is not finite.
    fn diagonal_into(&self, out: &mut [f64]) -> Result<()>;

    /// Writes the asked columns of the asked rows, one row after the other.
    ///
    /// # Errors
    /// [`Error::Index`] for a row or column that does not exist, [`Error::Length`] unless `out` has one place per
    /// value, [`Error::KernelValue`] for a value that is not finite.
    fn fill(&self, rows: &[usize], columns: Columns<'_>, out: &mut [f64]) -> Result<()>;

    /// As [`Gram::fill`], in single precision.
    ///
    /// # Errors
    /// As [`Gram::fill`]; a value beyond the range of `f32` is [`Error::KernelValue`].
    fn fill_f32(&self, rows: &[usize], columns: Columns<'_>, out: &mut [f32]) -> Result<()> {
        let mut wide = vec![0.0; out.len()];
        self.fill(rows, columns, &mut wide)?;
        let count = columns.count(self.len()).max(1);
        for (position, (narrow, wide)) in out.iter_mut().zip(wide).enumerate() {
            *narrow = wide as f32;
            if !narrow.is_finite() {
                return Err(Error::KernelValue {
                    row: rows[position / count],
                    column: columns.at(position % count),
                });
            }
        }
        Ok(())
    }

    /// Writes the whole matrix, row after row.
    ///
    /// # Errors
    /// As [`Gram::fill`].
    fn fill_all(&self, out: &mut [f64]) -> Result<()> {
        let len = self.len();
        check_whole(len, out.len())?;
        for (block, out) in out.chunks_mut(ROWS * len.max(1)).enumerate() {
            let rows: Vec<usize> = (block * ROWS..len.min((block + 1) * ROWS)).collect();
            self.fill(&rows, Columns::All, out)?;
        }
        Ok(())
    }

    /// Adds `Σᵣ coefficients[r]·K(rows[r], column)` to the place of every asked column: the rows, combined without being kept.
    /// Values are in this precision; sums are in double precision, and what values in double precision lose in them to
    /// rounding is summed beside.
    ///
    /// # Errors
    /// As [`Gram::fill`]; [`Error::Length`] unless there is a coefficient for every row.
    fn combine(
        &self,
        rows: &[usize],
        coefficients: &[f64],
        columns: Columns<'_>,
        precision: Precision,
        out: &mut [f64],
    ) -> Result<()> {
        combine::from_rows(self, rows, coefficients, columns, precision, out)
    }

    /// Whether computing a value costs no more than fetching it from memory: then it is not worth keeping.
    fn is_cheap(&self) -> bool {
        false
    }

    /// A bound on the absolute error of any value delivered in this precision, for this data and kernel.
    fn error_bound(&self, precision: Precision) -> f64;

    /// `Kᵢᵢ` for every row.
    ///
    /// # Errors
    /// As [`Gram::diagonal_into`].
    fn diagonal(&self) -> Result<Vec<f64>> {
        let mut out = vec![0.0; self.len()];
        self.diagonal_into(&mut out)?;
        Ok(out)
    }
}

/// The bound in single precision that follows from the bound in double precision and the largest value.
pub(crate) fn narrowed(bound: f64, largest: f64, precision: Precision) -> f64 {
    match precision {
        Precision::F64 => bound,
        Precision::F32 => bound + largest.max(f64::from(f32::MIN_POSITIVE)) * f64::from(f32::EPSILON) / 2.0,
    }
}

/// Checks a request for a combination of rows.
fn check_combination(
    len: usize,
    rows: &[usize],
    coefficients: &[f64],
    columns: Columns<'_>,
    out: usize,
) -> Result<()> {
    check_indices(len, rows, columns)?;
    for (what, expected, found) in [
        ("the coefficients", rows.len(), coefficients.len()),
        ("the columns of the combination", columns.count(len), out),
    ] {
        if expected != found {
            return Err(Error::Length { what, expected, found });
        }
    }
    Ok(())
}

/// Checks a request for a block against the number of rows.
fn check_request(len: usize, rows: &[usize], columns: Columns<'_>, out: usize) -> Result<()> {
    check_indices(len, rows, columns)?;
    let expected = rows.len() * columns.count(len);
    if out == expected {
        Ok(())
    } else {
        Err(Error::Length { what: "the block of the Gram matrix", expected, found: out })
    }
}

/// Checks that rows and columns exist.
fn check_indices(len: usize, rows: &[usize], columns: Columns<'_>) -> Result<()> {
    if let Some(&index) = rows.iter().find(|&&row| row >= len) {
        return Err(Error::Index { what: "row of the Gram matrix", index, len });
    }
    let beyond = match columns {
        Columns::All => None,
        Columns::Range { start, end } => (start > end || end > len).then_some(start.max(end)),
        Columns::List(list) => list.iter().find(|&&column| column >= len).copied(),
    };
    match beyond {
        Some(index) => Err(Error::Index { what: "column of the Gram matrix", index, len }),
        None => Ok(()),
    }
}

/// Checks that one place is given per row.
fn check_diagonal(len: usize, out: usize) -> Result<()> {
    if out == len {
        Ok(())
    } else {
        Err(Error::Length { what: "the diagonal of the Gram matrix", expected: len, found: out })
    }
}

/// Names the first value of a block that is not finite.
fn check_values<T: Element>(rows: &[usize], columns: Columns<'_>, len: usize, out: &[T]) -> Result<()> {
    if out.iter().fold(true, |all, value| all & value.is_finite()) {
        return Ok(());
    }
    let count = columns.count(len).max(1);
    match out.iter().position(|value| !value.is_finite()) {
        Some(at) => Err(Error::KernelValue { row: rows[at / count], column: columns.at(at % count) }),
        None => Ok(()),
    }
}

/// Rows that are computed together where a whole matrix is: some tiles of the engine.
const ROWS: usize = 96;

/// Checks that there is one place for each value of the matrix.
fn check_whole(len: usize, out: usize) -> Result<()> {
    if len.checked_mul(len) == Some(out) {
        Ok(())
    } else {
        Err(Error::Length { what: "the Gram matrix", expected: len.saturating_mul(len), found: out })
    }
}

/// Names the first value of a diagonal that is not finite.
fn check_diagonal_values(out: &[f64]) -> Result<()> {
    match out.iter().position(|value| !value.is_finite()) {
        Some(at) => Err(Error::KernelValue { row: at, column: at }),
        None => Ok(()),
    }
}

impl<G: Gram + ?Sized> Gram for Selection<'_, G> {
    fn diagonal_into(&self, out: &mut [f64]) -> Result<()> {
        check_diagonal(self.len(), out.len())?;
        let whole = self.set().diagonal()?;
        out.iter_mut().zip(self.rows()).for_each(|(out, &row)| *out = whole[row]);
        Ok(())
    }

    fn fill(&self, rows: &[usize], columns: Columns<'_>, out: &mut [f64]) -> Result<()> {
        check_request(self.len(), rows, columns, out.len())?;
        let (rows, list) = self.translated(rows, columns);
        self.set().fill(&rows, Columns::List(&list), out)
    }

    fn fill_f32(&self, rows: &[usize], columns: Columns<'_>, out: &mut [f32]) -> Result<()> {
        check_request(self.len(), rows, columns, out.len())?;
        let (rows, list) = self.translated(rows, columns);
        self.set().fill_f32(&rows, Columns::List(&list), out)
    }

    fn combine(
        &self,
        rows: &[usize],
        coefficients: &[f64],
        columns: Columns<'_>,
        precision: Precision,
        out: &mut [f64],
    ) -> Result<()> {
        check_combination(self.len(), rows, coefficients, columns, out.len())?;
        let (rows, list) = self.translated(rows, columns);
        self.set().combine(&rows, coefficients, Columns::List(&list), precision, out)
    }

    fn is_cheap(&self) -> bool {
        self.set().is_cheap()
    }

    fn error_bound(&self, precision: Precision) -> f64 {
        self.set().error_bound(precision)
    }
}

impl<G: ?Sized + Gram> Selection<'_, G> {
    /// A request about the selection, as one about the whole matrix.
    fn translated(&self, rows: &[usize], columns: Columns<'_>) -> (Vec<usize>, Vec<usize>) {
        let chosen = rows.iter().map(|&row| self.rows()[row]).collect();
        let list = (0..columns.count(self.len())).map(|position| self.rows()[columns.at(position)]).collect();
        (chosen, list)
    }
}
