//! Linear combinations of rows of kernel values, summed while the values are in the nearest cache.
//!
//! # Problem
//! `Σᵣ cᵣ K(xᵣ, xⱼ)` over some rows `r`, for every column `j` or for some of them: what a change of coefficients does to a
//! gradient, and the gradient itself.
//! # Method
//! The columns are the panels, the rows are packed for tiles. Each row of a tile of kernel values is multiplied by its
//! coefficient and added to the sums of its columns, in double precision and in the order of the rows; kernel values are
//! stored nowhere. Where the values are double, what each product and each addition rounds off is summed beside.
//! The sums of a column do not depend on the columns that are computed with it, nor on the number of threads.
//! # Cost
//! One kernel value a pair, and one multiply-add; about eight more operations where roundings are summed.
//! # Reference
//! Ogita, Rump & Oishi (2005), *Accurate sum and dot product*, for the sums beside.

use super::arithmetic::{Arithmetic, Element};
use super::elementary::Real;
use super::epilogue::Places;
use super::packed::{PackRows, Packed};
use super::panels::PackedRows;
use super::simd::{Instructions, Simd, Task};
use super::tile::Sums;
use crate::gram::Columns;
use crate::{Result, parallel};

/// Rows that are gone through before the next: packed, they stay in the cache of a core.
const ROWS: usize = 240;

/// Panels that one thread works on at a time.
const PANELS: usize = 16;

/// Sums that are kept side by side.
const LANES: usize = 16;

impl<A: Arithmetic> Packed<A> {
    /// Adds to `out[j]` the sum of `coefficients[r]·K(rows[r], column j)`; rows and columns exist.
    pub(crate) fn combine(
        &self,
        instructions: Instructions,
        rows: &[usize],
        coefficients: &[f64],
        columns: Columns<'_>,
        out: &mut [f64],
    ) -> Result<()> {
        let some;
        let (set, first) = match columns {
            Columns::All => (self, 0),
            Columns::Range { start, .. } => (self, start),
            Columns::List(list) => {
                let norms = list.iter().map(|&column| self.norms()[column]).collect();
                some = Self::with_norms(self.panels().gathered(list)?, norms, self.epilogue());
                (&some, 0)
            }
        };
        let blocks: Vec<RowBlock<'_, A>> = (rows.chunks(ROWS))
            .zip(coefficients.chunks(ROWS))
            .map(|(rows, coefficients)| {
                let packed = instructions.run(PackRows { set: self, rows });
                let norms = rows.iter().map(|&row| self.norms()[row]).collect();
                RowBlock { packed, norms, coefficients }
            })
            .collect();
        // Whole panels, so that none is computed twice.
        let width = A::Element::WIDTH;
        let mut rest = out;
        let (mut start, mut jobs) = (first, Vec::new());
        while !rest.is_empty() {
            let panel = start / width;
            let (part, others) = rest.split_at_mut(rest.len().min((panel + PANELS) * width - start));
            jobs.push((start, part));
            (start, rest) = (jobs.last().map_or(start, |(start, part)| start + part.len()), others);
        }
        let work = rows.len().saturating_mul(self.panels().steps().max(1)).saturating_mul(PANELS * width);
        let small = work.saturating_mul(jobs.len()) < super::WORTH_A_THREAD;
        parallel::for_each(jobs, small, |(start, out)| {
            instructions.run(CombineColumns { set, blocks: &blocks, start, out });
        });
        Ok(())
    }
}

/// Some rows, packed, with their norms and coefficients.
struct RowBlock<'a, A: Arithmetic> {
    packed: PackedRows<A::Element>,
    norms: Vec<A::Real>,
    coefficients: &'a [f64],
}

/// Some columns, combined over all rows.
struct CombineColumns<'a, A: Arithmetic> {
    set: &'a Packed<A>,
    blocks: &'a [RowBlock<'a, A>],
    start: usize,
    out: &'a mut [f64],
}

impl<A: Arithmetic> Task for CombineColumns<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self { set, blocks, start, out } = self;
        let (width, panels) = (A::Element::WIDTH, set.panels());
        let (from, to) = (start / width, (start + out.len()).div_ceil(width));
        let mut totals = vec![[0.0; LANES]; (to - from) * width / LANES];
        let mut lost = totals.clone();
        let (mut sums, mut kernel) = (Sums::new(), Sums::new());
        for RowBlock { packed, norms, coefficients } in blocks {
            let mut first = from;
            while first < to {
                let group = first..to.min(first + panels.group());
                let mut row = 0;
                while row < packed.len() {
                    let size = packed.tile::<S>(row);
                    let coefficients = &coefficients[row..row + size];
                    for panel in group.clone() {
                        packed.accumulate::<S, A>(s, panels, panel, row, &mut sums);
                        let mut rows = kernel.rows();
                        let to = Places { rows: &mut rows, place: 0 };
                        set.apply(s, panel, &norms[row..row + size], &sums, to);
                        let own = (panel - from) * width / LANES..(panel + 1 - from) * width / LANES;
                        let (totals, lost) = (&mut totals[own.clone()], &mut lost[own]);
                        for (part, (totals, lost)) in totals.iter_mut().zip(lost).enumerate() {
                            add_tile::<S, _>(&kernel, part * LANES, coefficients, totals, lost);
                        }
                    }
                    row += size;
                }
                first = group.end;
            }
        }
        let before = start - from * width;
        let sums = totals.as_flattened().iter().zip(lost.as_flattened()).skip(before);
        out.iter_mut().zip(sums).for_each(|(out, (total, lost))| *out += total + lost);
    }
}

/// Adds the rows of a tile, each with its coefficient, to the sums of its columns.
#[inline(always)]
fn add_tile<S: Simd, T: Real>(
    tile: &Sums<T>,
    at: usize,
    coefficients: &[f64],
    totals: &mut [f64; LANES],
    beside: &mut [f64; LANES],
) {
    let (mut sums, mut lost) = (*totals, *beside);
    for (values, &coefficient) in tile.0.iter().zip(coefficients) {
        let values = &values[at..at + LANES];
        for lane in 0..LANES {
            (sums[lane], lost[lane]) = added::<S, T>(sums[lane], lost[lane], coefficient, values[lane]);
        }
    }
    (*totals, *beside) = (sums, lost);
}

/// A sum and what was lost in it, with one more product.
#[inline(always)]
fn added<S: Simd, T: Real>(sum: f64, lost: f64, coefficient: f64, value: T) -> (f64, f64) {
    let (value, mut lost) = (value.wide(), lost);
    let product = coefficient * value;
    let total = sum + product;
    if size_of::<T>() == size_of::<f64>() {
        let back = total - sum;
        let mut rounded_off = (sum - (total - back)) + (product - back);
        if S::FUSED {
            rounded_off += coefficient.mul_add(value, -product);
        }
        lost += rounded_off;
    }
    (total, lost)
}

/// Sums of rows that are there, with their coefficients: the same bits as combinations of rows that are computed.
///
/// ```
/// use lm_core::gram::RowSums;
///
/// let mut sums = RowSums::new(2);
/// sums.add(1e16, &[1.0, 1.0]);
/// sums.add(1.0, &[1.0, 2.0]);
/// sums.add(-1e16, &[1.0, 1.0]);
/// let mut out = [0.0; 2];
/// sums.add_to(&mut out);
/// assert_eq!(out, [1.0, 2.0]);
/// ```
#[derive(Debug, Clone)]
pub struct RowSums {
    instructions: Instructions,
    totals: Vec<f64>,
    lost: Vec<f64>,
}

/// Columns that one core adds up.
const COLUMNS: usize = 2048;

impl RowSums {
    /// Sums of 0, one for each column.
    pub fn new(columns: usize) -> Self {
        let instructions = Instructions::best();
        Self { instructions, totals: vec![0.0; columns], lost: vec![0.0; columns] }
    }

    /// Adds a row; one that is longer or shorter counts as far as there are columns for its values.
    pub fn add(&mut self, coefficient: f64, row: &[f64]) {
        self.add_rows(&[coefficient], row);
    }

    /// Adds rows that lie one after the other, each with its coefficient, on all cores.
    pub(crate) fn add_rows<T: Real>(&mut self, coefficients: &[f64], rows: &[T]) {
        let (count, instructions) = (self.totals.len().max(1), self.instructions);
        let sums = self.totals.chunks_mut(COLUMNS).zip(self.lost.chunks_mut(COLUMNS));
        let jobs = sums.enumerate().collect::<Vec<_>>();
        let small = coefficients.len().saturating_mul(count) < super::WORTH_A_THREAD / 64;
        parallel::for_each(jobs, small, |(part, (totals, lost))| {
            for (&coefficient, row) in coefficients.iter().zip(rows.chunks(count)) {
                let row = row.get(part * COLUMNS..).unwrap_or(&[]);
                instructions.run(AddRow { coefficient, row, totals, lost });
            }
        });
    }

    /// Adds the sums to numbers, one for each column.
    pub fn add_to(&self, out: &mut [f64]) {
        let sums = self.totals.iter().zip(&self.lost);
        out.iter_mut().zip(sums).for_each(|(out, (total, lost))| *out += total + lost);
    }
}

/// One row, added to some columns.
struct AddRow<'a, T> {
    coefficient: f64,
    row: &'a [T],
    totals: &'a mut [f64],
    lost: &'a mut [f64],
}

impl<T: Real> Task for AddRow<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        for ((total, lost), &value) in self.totals.iter_mut().zip(self.lost).zip(self.row) {
            (*total, *lost) = added::<S, T>(*total, *lost, self.coefficient, value);
        }
    }
}
