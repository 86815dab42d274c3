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
        let blocks: Vec<(PackedRows<A::Element>, Vec<A::Real>, &[f64])> = (rows.chunks(ROWS))
            .zip(coefficients.chunks(ROWS))
            .map(|(rows, coefficients)| {
                let packed = instructions.run(PackRows { set: self, rows });
                (packed, rows.iter().map(|&row| self.norms()[row]).collect(), coefficients)
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

/// Some columns, combined over all rows.
struct CombineColumns<'a, A: Arithmetic> {
    set: &'a Packed<A>,
    /// Packed rows, their norms and their coefficients.
    blocks: &'a [(PackedRows<A::Element>, Vec<A::Real>, &'a [f64])],
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
        let mut beside = totals.clone();
        let (mut sums, mut kernel) = (Sums::new(), Sums::new());
        for (packed, norms, coefficients) in blocks {
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
                        let (totals, beside) = (&mut totals[own.clone()], &mut beside[own]);
                        for (part, (totals, beside)) in totals.iter_mut().zip(beside).enumerate() {
                            add_tile::<S, _>(&kernel, part * LANES, coefficients, totals, beside);
                        }
                    }
                    row += size;
                }
                first = group.end;
            }
        }
        let before = start - from * width;
        let sums = totals.as_flattened().iter().zip(beside.as_flattened()).skip(before);
        out.iter_mut().zip(sums).for_each(|(out, (total, beside))| *out += total + beside);
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
    let (mut sums, mut rounded_off) = (*totals, *beside);
    for (values, &coefficient) in tile.0.iter().zip(coefficients) {
        let values = &values[at..at + LANES];
        for lane in 0..LANES {
            let value = values[lane].wide();
            if size_of::<T>() == size_of::<f64>() {
                let product = coefficient * value;
                let sum = sums[lane] + product;
                let back = sum - sums[lane];
                let mut lost = (sums[lane] - (sum - back)) + (product - back);
                if S::FUSED {
                    lost += coefficient.mul_add(value, -product);
                }
                (sums[lane], rounded_off[lane]) = (sum, rounded_off[lane] + lost);
            } else {
                sums[lane] += coefficient * value;
            }
        }
    }
    (*totals, *beside) = (sums, rounded_off);
}
