//! Packed examples with their norms and the kernel's epilogue: rows of kernel values.

use std::ops::Range;

use super::WORTH_A_THREAD;
use super::arithmetic::{Arithmetic, Element};
use super::elementary::Real;
use super::epilogue::{Epilogue, Places};
use super::panels::{PackedRows, Panels, SelfSums};
use super::simd::{Instructions, Simd, Task};
use super::tile::{MOST_WIDTH, Sums};
use crate::gram::Columns;
use crate::{Result, parallel};

/// A set of examples in panels, ready for one arithmetic and one kernel.
#[derive(Debug)]
pub(crate) struct Packed<A: Arithmetic> {
    panels: Panels<A::Element>,
    /// One for each place of a panel.
    norms: Vec<A::Real>,
    epilogue: Epilogue<A::Real>,
}

impl<A: Arithmetic> Packed<A> {
    /// Panels whose norms are what each example accumulates with itself.
    pub(crate) fn new(
        instructions: Instructions,
        panels: Panels<A::Element>,
        epilogue: Epilogue<A::Real>,
    ) -> Self {
        let sums = instructions.run(SelfSums::<A>(&panels));
        let norms = sums.into_iter().map(|sum| epilogue.norm(sum)).collect();
        Self { panels, norms, epilogue }
    }

    /// Panels with norms that were computed otherwise.
    pub(crate) fn with_norms(
        panels: Panels<A::Element>,
        mut norms: Vec<A::Real>,
        epilogue: Epilogue<A::Real>,
    ) -> Self {
        norms.resize(panels.count() * A::Element::WIDTH, A::Real::default());
        Self { panels, norms, epilogue }
    }

    /// The kernel.
    pub(crate) fn epilogue(&self) -> Epilogue<A::Real> {
        self.epilogue
    }

    /// The examples.
    pub(crate) fn panels(&self) -> &Panels<A::Element> {
        &self.panels
    }

    /// Turns what rows accumulated with a panel into kernel values; `owns` are the norms of the rows.
    #[inline(always)]
    pub(crate) fn apply<S: Simd>(
        &self,
        s: S,
        panel: usize,
        owns: &[A::Real],
        sums: &Sums<A::Real>,
        to: Places<'_, '_, A::Real>,
    ) {
        let width = A::Element::WIDTH;
        self.epilogue.apply(s, owns, &self.norms[panel * width..][..width], sums, to);
    }

    /// Writes the kernel value of every example with itself.
    pub(crate) fn diagonal(&self, instructions: Instructions, out: &mut [f64]) {
        instructions.run(Diagonal { epilogue: &self.epilogue, norms: self.norms(), out });
    }

    /// The norm of each example.
    pub(crate) fn norms(&self) -> &[A::Real] {
        &self.norms[..self.panels.len()]
    }

    /// Writes the asked columns of the asked rows, which exist.
    pub(crate) fn fill<T: Real>(
        &self,
        instructions: Instructions,
        rows: &[usize],
        columns: Columns<'_>,
        out: &mut [T],
    ) -> Result<()> {
        if out.is_empty() {
            return Ok(());
        }
        let count = out.len() / rows.len();
        let out = out.chunks_exact_mut(count).collect();
        let all = self.panels.len();
        match columns {
            Columns::All => self.fill_range(instructions, rows, 0..all, out),
            Columns::Range { start, end } => self.fill_range(instructions, rows, start..end, out),
            Columns::List(list) if self.is_dense(rows.len(), list) => {
                self.fill_picked(instructions, rows, list, out);
            }
            Columns::List(list) => {
                let others = list.iter().map(|&column| self.norms[column]).collect();
                let some = Self::with_norms(self.panels.gathered(list)?, others, self.epilogue);
                self.fill_from(instructions, rows, &some, 0..list.len(), out);
            }
        }
        Ok(())
    }

    /// Whether computing every column from the first to the last of a list costs less than packing those of the list.
    fn is_dense(&self, rows: usize, list: &[usize]) -> bool {
        let (Some(first), Some(last)) = (list.first(), list.last()) else { return false };
        // Packing an entry costs what 32 rows do with it; fewer than four rows cost as much as four.
        let rows = rows.max(4);
        list.is_sorted() && (last - first) * rows <= list.len() * (rows + 32)
    }

    /// Writes listed columns, in increasing order, from whole ranges of columns.
    fn fill_picked<T: Real>(
        &self,
        instructions: Instructions,
        rows: &[usize],
        list: &[usize],
        mut out: Vec<&mut [T]>,
    ) {
        // Columns of a range, which is computed into memory that stays near.
        const RANGE: usize = 1024;
        let mut block = vec![T::default(); rows.len() * RANGE];
        let mut at = 0;
        while let Some(&start) = list.get(at) {
            let end = at + list[at..].partition_point(|&column| column < start + RANGE);
            let range = start..list[end - 1] + 1;
            let block = &mut block[..rows.len() * range.len()];
            let places = block.chunks_exact_mut(range.len()).collect();
            self.fill_range(instructions, rows, range.clone(), places);
            for (out, values) in out.iter_mut().zip(block.chunks_exact(range.len())) {
                let columns = out[at..end].iter_mut().zip(&list[at..end]);
                columns.for_each(|(out, &column)| *out = values[column - start]);
            }
            at = end;
        }
    }

    /// Writes a range of columns of some rows, each to its place.
    pub(crate) fn fill_range<T: Real>(
        &self,
        instructions: Instructions,
        rows: &[usize],
        range: Range<usize>,
        out: Vec<&mut [T]>,
    ) {
        self.fill_from(instructions, rows, self, range, out);
    }

    /// Writes the kernel values of some rows of this set with a range of another.
    fn fill_from<T: Real>(
        &self,
        instructions: Instructions,
        rows: &[usize],
        other: &Self,
        range: Range<usize>,
        out: Vec<&mut [T]>,
    ) {
        let packed = instructions.run(PackRows { set: self, rows });
        let norms: Vec<A::Real> = rows.iter().map(|&row| self.norms[row]).collect();
        let width = A::Element::WIDTH;
        let work = rows.len().saturating_mul(self.panels.steps());
        // Whole panels, so that none is computed twice.
        let columns = (WORTH_A_THREAD / 4 / work.max(1)).div_ceil(width).max(1) * width;
        let first = range.start / width * width;
        let cuts: Vec<usize> = (first + columns..range.end).step_by(columns).collect();
        let starts = std::iter::once(range.start).chain(cuts.iter().copied());
        let ends = cuts.iter().copied().chain(std::iter::once(range.end));
        let mut jobs: Vec<FillColumns<'_, A, T>> = (starts.zip(ends))
            .map(|(start, end)| {
                let out = Vec::with_capacity(rows.len());
                FillColumns { set: other, rows: &packed, norms: &norms, start, end, out }
            })
            .collect();
        for mut row in out {
            for job in &mut jobs {
                let (part, rest) = row.split_at_mut(job.end - job.start);
                job.out.push(part);
                row = rest;
            }
        }
        let small = work.saturating_mul(range.len()) < WORTH_A_THREAD;
        parallel::for_each(jobs, small, |job| instructions.run(job));
    }
}

/// The kernel values of examples with themselves: what they accumulate is their norm.
pub(super) struct Diagonal<'a, T> {
    pub(super) epilogue: &'a Epilogue<T>,
    pub(super) norms: &'a [T],
    pub(super) out: &'a mut [f64],
}

impl<T: Real> Task for Diagonal<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        for (&norm, out) in self.norms.iter().zip(self.out) {
            let (mut sums, mut values) = (Sums::new(), Sums::new());
            sums.0[0] = [norm; MOST_WIDTH];
            let mut rows = values.rows();
            let to = Places { rows: &mut rows, place: 0 };
            self.epilogue.apply(s, &[norm], &[norm; MOST_WIDTH], &sums, to);
            *out = values.0[0][0].wide();
        }
    }
}

/// Packs some rows of a set for tiles.
pub(super) struct PackRows<'a, A: Arithmetic> {
    pub(super) set: &'a Packed<A>,
    pub(super) rows: &'a [usize],
}

impl<A: Arithmetic> Task for PackRows<'_, A> {
    type Output = PackedRows<A::Element>;

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> Self::Output {
        PackedRows::pack::<S>(&self.set.panels, self.rows, A::row_entry)
    }
}

/// Some columns of all asked rows.
struct FillColumns<'a, A: Arithmetic, T> {
    set: &'a Packed<A>,
    rows: &'a PackedRows<A::Element>,
    norms: &'a [A::Real],
    start: usize,
    end: usize,
    /// The place of each row.
    out: Vec<&'a mut [T]>,
}

impl<A: Arithmetic, T: Real> Task for FillColumns<'_, A, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        let width = A::Element::WIDTH;
        let (mut sums, mut values) = (Sums::new(), Sums::new());
        let panels = &self.set.panels;
        let (mut first, last) = (self.start / width, self.end.div_ceil(width));
        while first < last {
            let group = first..last.min(first + panels.group());
            let mut row = 0;
            while row < self.rows.len() {
                let size = self.rows.tile::<S>(row);
                for panel in group.clone() {
                    self.rows.accumulate::<S, A>(s, panels, panel, row, &mut sums);
                    let owns = &self.norms[row..row + size];
                    let (from, to) = (self.start.max(panel * width), self.end.min((panel + 1) * width));
                    let (lane, place) = (from - panel * width, from - self.start);
                    let out = &mut self.out[row..row + size];
                    // A whole panel in the numbers of the tile goes to its place at once.
                    let rows = A::Real::these(out);
                    if to - from == width && rows.len() == size {
                        self.set.apply(s, panel, owns, &sums, Places { rows, place });
                        continue;
                    }
                    let mut rows = values.rows();
                    self.set.apply(s, panel, owns, &sums, Places { rows: &mut rows, place: 0 });
                    for (out, values) in out.iter_mut().zip(&values.0) {
                        let out = out[place..place + (to - from)].iter_mut();
                        out.zip(&values[lane..]).for_each(|(out, value)| *out = T::of(value.wide()));
                    }
                }
                row += size;
            }
            first = group.end;
        }
    }
}
