//! Examples packed for the tile: panels of examples side by side, column after column.

use super::arithmetic::{Arithmetic, Element};
use super::pages::prefer_large;
use super::simd::{Simd, Task};
use super::tile::{MOST_WIDTH, PanelView, Sums, accumulate, tile_size};
use crate::{Error, Result, parallel};

/// Examples side by side. The last panel is filled up with zeros.
#[derive(Debug, Clone)]
pub(crate) struct Panels<E: Element> {
    lines: Vec<E::Line>,
    /// Lines of a panel: columns, or groups of them.
    steps: usize,
    len: usize,
    /// What the sums of each example start from, where that is not 0.
    starts: Vec<E>,
}

impl<E: Element> Panels<E> {
    /// Packs `len` examples of `steps` entries; `write` is given an example and a place, all zero, for each of its
    /// entries.
    pub(crate) fn pack(len: usize, steps: usize, write: impl Fn(usize, &mut [E]) + Sync) -> Result<Self> {
        let panels = len.div_ceil(E::WIDTH);
        let refused = |needed| Error::Allocation { what: "the packed examples", needed };
        let size = panels.checked_mul(steps).ok_or_else(|| refused(usize::MAX))?;
        let mut lines = Vec::new();
        lines.try_reserve_exact(size).map_err(|_| refused(size.saturating_mul(size_of::<E::Line>())))?;
        prefer_large(lines.spare_capacity_mut());
        lines.resize(size, E::blank());
        parallel::for_each_chunk(&mut lines, steps, |panel, lines| {
            let mut entries = vec![E::default(); steps];
            for lane in 0..E::WIDTH.min(len - panel * E::WIDTH) {
                entries.fill(E::default());
                write(panel * E::WIDTH + lane, &mut entries);
                lines.iter_mut().zip(&entries).for_each(|(line, &entry)| E::slice_mut(line)[lane] = entry);
            }
        });
        Ok(Self { lines, steps, len, starts: Vec::new() })
    }

    /// The same panels, whose sums start from these numbers, one for each example.
    pub(crate) fn with_starts(mut self, mut starts: Vec<E>) -> Self {
        starts.resize(self.count() * E::WIDTH, E::default());
        self.starts = starts;
        self
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn steps(&self) -> usize {
        self.steps
    }

    /// The number of panels.
    pub(crate) fn count(&self) -> usize {
        self.len.div_ceil(E::WIDTH)
    }

    /// How many panels are gone through with one tile of rows before the next tile: as many as stay in the cache of a
    /// core together.
    pub(crate) fn group(&self) -> usize {
        const BYTES: usize = 128 << 10;
        (BYTES / (self.steps.max(1) * size_of::<E::Line>())).clamp(1, 16)
    }

    pub(crate) fn panel(&self, panel: usize) -> &[E::Line] {
        &self.lines[panel * self.steps..(panel + 1) * self.steps]
    }

    /// What the sums of a panel's examples start from.
    pub(crate) fn starts(&self, panel: usize) -> &[E] {
        if self.starts.is_empty() { &[] } else { &self.starts[panel * E::WIDTH..(panel + 1) * E::WIDTH] }
    }

    /// One example's entries, in order.
    pub(crate) fn entries(&self, row: usize) -> impl Iterator<Item = E> + '_ {
        let lane = row % E::WIDTH;
        self.panel(row / E::WIDTH).iter().map(move |line| E::slice(line)[lane])
    }

    /// Examples in another order, packed anew.
    pub(crate) fn gathered(&self, rows: &[usize]) -> Result<Self> {
        let gathered = Self::pack(rows.len(), self.steps, |position, out| {
            out.iter_mut().zip(self.entries(rows[position])).for_each(|(out, entry)| *out = entry);
        })?;
        if self.starts.is_empty() {
            return Ok(gathered);
        }
        Ok(gathered.with_starts(rows.iter().map(|&row| self.starts[row]).collect()))
    }
}

/// Rows packed for tiles: those of a tile side by side, column after column.
#[derive(Debug)]
pub(crate) struct PackedRows<E> {
    entries: Vec<E>,
    steps: usize,
    len: usize,
}

impl<E: Element> PackedRows<E> {
    /// Packs rows of panels for the tiles of these instructions, each entry changed as rows need it.
    pub(crate) fn pack<S: Simd>(panels: &Panels<E>, rows: &[usize], entry: impl Fn(E) -> E) -> Self {
        let (len, steps) = (rows.len(), panels.steps());
        let mut entries = vec![E::default(); len * steps];
        let mut start = 0;
        while start < len {
            let size = tile_size::<S>(len - start);
            let tile = &mut entries[start * steps..(start + size) * steps];
            let sources: Vec<(&[E::Line], usize)> = (rows[start..start + size].iter())
                .map(|&row| (panels.panel(row / E::WIDTH), row % E::WIDTH))
                .collect();
            for (step, to) in tile.chunks_exact_mut(size).enumerate() {
                for (to, (lines, lane)) in to.iter_mut().zip(&sources) {
                    *to = entry(E::slice(&lines[step])[*lane]);
                }
            }
            start += size;
        }
        Self { entries, steps, len }
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// How many rows the tile has that starts at `start`.
    #[inline(always)]
    pub(crate) fn tile<S: Simd>(&self, start: usize) -> usize {
        tile_size::<S>(self.len - start)
    }

    /// Accumulates the tile of rows that starts at `start` with a panel.
    #[inline(always)]
    pub(crate) fn accumulate<S: Simd, A: Arithmetic<Element = E>>(
        &self,
        s: S,
        panels: &Panels<E>,
        panel: usize,
        start: usize,
        sums: &mut Sums<A::Real>,
    ) {
        let zeros = [E::default(); MOST_WIDTH];
        let starts = panels.starts(panel);
        let starts = if starts.is_empty() { &zeros } else { starts };
        let ahead = panel + panels.group();
        let next = if ahead < panels.count() { panels.panel(ahead) } else { &[] };
        let size = tile_size::<S>(self.len - start);
        let rows = &self.entries[start * self.steps..(start + size) * self.steps];
        // A share of the next panel for each row.
        let (from, to) = (next.len() * start / self.len, next.len() * (start + size) / self.len);
        let view = PanelView { lines: panels.panel(panel), starts, soon: &next[from..to] };
        accumulate::<S, A>(s, size, &view, rows, sums);
    }
}

/// What each example accumulates with itself, in the order that a tile would: squared norms, for products.
pub(crate) struct SelfSums<'a, A: Arithmetic>(pub(crate) &'a Panels<A::Element>);

impl<A: Arithmetic> Task for SelfSums<'_, A> {
    type Output = Vec<A::Real>;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Vec<A::Real> {
        let (panels, width) = (self.0, <A::Element as Element>::WIDTH);
        let mut out = vec![A::Real::default(); panels.count() * width];
        let zeros = [A::Element::default(); MOST_WIDTH];
        for (panel, out) in out.chunks_exact_mut(width).enumerate() {
            for at in (0..width).step_by(A::lanes::<S>()) {
                let mut total = None;
                for block in panels.panel(panel).chunks(A::BLOCK.min(usize::MAX >> 1)) {
                    let mut sum = A::start(s, &zeros[at..]);
                    for line in block {
                        let x = A::load(s, &A::Element::slice(line)[at..]);
                        sum = A::step(s, sum, x, x);
                    }
                    total = Some(total.map_or(sum, |total| A::add(s, total, sum)));
                }
                if let Some(total) = total {
                    A::store(s, total, &mut out[at..]);
                }
            }
        }
        out
    }
}
