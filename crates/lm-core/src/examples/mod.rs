//! Examples as vectors: the primal seam.
//!
//! A primal learner touches an example only by `⟨w·x⟩` and `w ← w + a·x`; that is what [`Examples`] offers, for
//! [`Dense`] row-major and [`Csr`] sparse storage of `f32` or `f64`, owned or borrowed, never copied to be read.
//! Values are checked when a set is made: every stored number is finite, every shape fits.

mod adapters;
mod csr;
mod dense;
mod element;
mod row;
mod several;

#[cfg(feature = "faer")]
pub use adapters::FaerRows;
#[cfg(feature = "ndarray")]
pub use adapters::NdarrayRows;
pub use csr::Csr;
pub use dense::Dense;
pub use element::Element;
pub use row::{Row, SparseRow};

use std::ops::Range;

use crate::collection::{Collection, Selection};
use crate::{Error, Result};

/// A set of examples, each a vector of `dim` finite numbers.
///
/// Methods that take a row panic, as a slice does, unless `row < self.len()`; those that take a weight vector may
/// panic if it is shorter than `dim`. Learners check both once, at their door.
pub trait Examples: Collection {
    /// The dimension of every example.
    fn dim(&self) -> usize;

    /// The example of row `row`, as it lies in memory.
    fn row(&self, row: usize) -> Row<'_>;

    /// `⟨xᵢ·w⟩`.
    fn dot(&self, row: usize, w: &[f64]) -> f64 {
        self.row(row).dot_dense(w)
    }

    /// Writes `⟨xᵢ·w⟩` for each row of a range, the same bits as [`Examples::dot`] but faster where rows lie side by side.
    fn dots(&self, rows: Range<usize>, w: &[f64], out: &mut [f64]) {
        rows.zip(out).for_each(|(row, out)| *out = self.dot(row, w));
    }

    /// Writes `⟨xᵢ·w⟩` for each row of a list, the same bits as [`Examples::dot`] but faster where rows can be overlapped.
    fn dots_at(&self, rows: &[u32], w: &[f64], out: &mut [f64]) {
        rows.iter().zip(out).for_each(|(&row, out)| *out = self.dot(row as usize, w));
    }

    /// `w ← w + a·xᵢ`.
    fn add_scaled(&self, row: usize, a: f64, w: &mut [f64]) {
        self.row(row).add_scaled_to(a, w);
    }

    /// `‖xᵢ‖²`.
    fn norm_squared(&self, row: usize) -> f64 {
        self.row(row).norm_squared()
    }

    /// Checks that a vector has the dimension of the examples.
    ///
    /// # Errors
    /// [`Error::Length`] if it has not.
    fn check_dim(&self, what: &'static str, found: usize) -> Result<()> {
        if found == self.dim() { Ok(()) } else { Err(Error::Length { what, expected: self.dim(), found }) }
    }
}

/// All rows of a set, for kernels and functions that take one example at a time.
pub fn rows<E: Examples + ?Sized>(examples: &E) -> Vec<Row<'_>> {
    (0..examples.len()).map(|row| examples.row(row)).collect()
}

impl<E: Examples + ?Sized> Examples for Selection<'_, E> {
    fn dim(&self) -> usize {
        self.set().dim()
    }

    fn row(&self, row: usize) -> Row<'_> {
        self.set().row(self.rows()[row])
    }

    fn dot(&self, row: usize, w: &[f64]) -> f64 {
        self.set().dot(self.rows()[row], w)
    }

    fn add_scaled(&self, row: usize, a: f64, w: &mut [f64]) {
        self.set().add_scaled(self.rows()[row], a, w);
    }

    fn norm_squared(&self, row: usize) -> f64 {
        self.set().norm_squared(self.rows()[row])
    }
}
