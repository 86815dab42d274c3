//! The tile: some rows against one panel of examples, in registers.
//!
//! # Problem
//! What two examples accumulate over their columns (inner products, distances, common bits), for every pair of some
//! rows with the examples of a panel.
//! # Method
//! A panel holds its examples side by side, column after column. A tile of `M` rows and two vectors of examples keeps
//! its `2M` sums in registers; each column costs two loads, `M` broadcasts and `2M` multiply-adds. After 64 columns the
//! sums are added to totals, so that the rounding error grows with 64 plus the number of blocks. The sum of a pair
//! is formed in the same order whatever tile it falls into: the same bits for every request, and in both triangles.
//! # Cost
//! One multiply-add a column and pair: the processor's peak, from four rows on.
//! # Reference
//! Goto & van de Geijn (2008), *Anatomy of high-performance matrix multiplication*, for packing and register tiles.

use super::arithmetic::{Arithmetic, Element};
use super::simd::{Simd, Task};

/// The most rows of a tile.
pub(crate) const MOST_ROWS: usize = 12;

/// The widest panel.
pub(crate) const MOST_WIDTH: usize = 32;

/// What a tile of rows accumulated, a row of the panel's width for each, on cache lines of their own.
#[derive(Debug)]
#[repr(C, align(128))]
pub(crate) struct Sums<T>(pub(crate) [[T; MOST_WIDTH]; MOST_ROWS]);

impl<T: Copy + Default> Sums<T> {
    pub(crate) fn new() -> Self {
        Self([[T::default(); MOST_WIDTH]; MOST_ROWS])
    }

    /// The rows, as places to write to.
    #[inline(always)]
    pub(crate) fn rows(&mut self) -> [&mut [T]; MOST_ROWS] {
        self.0.each_mut().map(|row| &mut row[..])
    }
}

/// The sizes of the tiles that a number of rows is cut into, largest first.
#[inline(always)]
pub(crate) fn tile_size<S: Simd>(left: usize) -> usize {
    match left {
        12.. if S::ROWS >= 12 => 12,
        8.. if S::ROWS >= 8 => 8,
        6.. if S::ROWS == 6 => 6,
        4.. => 4,
        2.. => 2,
        _ => left,
    }
}

/// A panel as a tile reads it.
#[derive(Debug)]
pub(crate) struct PanelView<'a, E: Element> {
    /// Column after column.
    pub(crate) lines: &'a [E::Line],
    /// What the sums of its examples start from.
    pub(crate) starts: &'a [E],
    /// A part of the next panel, to be brought near meanwhile: it comes from a far cache or from memory, whose delay
    /// no processor hides by itself.
    pub(crate) soon: &'a [E::Line],
}

/// Accumulates `size` rows, packed column by column, with the examples of a panel.
///
/// A task of its own, so that it is compiled once and not into every loop that needs it.
#[inline(always)]
pub(crate) fn accumulate<S: Simd, A: Arithmetic>(
    s: S,
    size: usize,
    panel: &PanelView<'_, A::Element>,
    rows: &[A::Element],
    out: &mut Sums<A::Real>,
) {
    s.vectorize(Tile::<A> { size, panel, rows, out });
}

/// One tile.
struct Tile<'a, A: Arithmetic> {
    size: usize,
    panel: &'a PanelView<'a, A::Element>,
    rows: &'a [A::Element],
    out: &'a mut Sums<A::Real>,
}

impl<A: Arithmetic> Task for Tile<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self { size, panel, rows, out } = self;
        match size {
            12 if S::ROWS >= 12 => tile::<S, A, 12>(s, panel, rows, out),
            8 if S::ROWS >= 8 => tile::<S, A, 8>(s, panel, rows, out),
            6 if S::ROWS == 6 => tile::<S, A, 6>(s, panel, rows, out),
            4 => tile::<S, A, 4>(s, panel, rows, out),
            2 => tile::<S, A, 2>(s, panel, rows, out),
            _ => tile::<S, A, 1>(s, panel, rows, out),
        }
    }
}

#[inline(always)]
fn tile<S: Simd, A: Arithmetic, const M: usize>(
    s: S,
    panel: &PanelView<'_, A::Element>,
    rows: &[A::Element],
    out: &mut Sums<A::Real>,
) {
    let PanelView { lines, starts, mut soon } = *panel;
    let lanes = A::lanes::<S>();
    // As much of the next panel in each block as brings all of it.
    let blocks = lines.len().div_ceil(A::BLOCK).max(1) * (<A::Element as Element>::WIDTH / (2 * lanes));
    let share = soon.len().div_ceil(blocks);
    for at in (0..<A::Element as Element>::WIDTH).step_by(2 * lanes) {
        let start = [A::start(s, &starts[at..]), A::start(s, &starts[at + lanes..])];
        let mut total = [start; M];
        let mut done = 0;
        while done < lines.len() {
            let end = lines.len().min(done.saturating_add(A::BLOCK));
            soon = brought(s, soon, share);
            let sums = run::<S, A, M>(s, at, start, &lines[done..end], &rows[done * M..end * M]);
            if done == 0 {
                total = sums;
            } else {
                for (total, sums) in total.iter_mut().zip(sums) {
                    *total = [A::add(s, total[0], sums[0]), A::add(s, total[1], sums[1])];
                }
            }
            done = end;
        }
        for (out, total) in out.0.iter_mut().zip(total) {
            A::store(s, total[0], &mut out[at..]);
            A::store(s, total[1], &mut out[at + lanes..]);
        }
    }
}

/// Asks for the first lines; what is left.
#[inline(always)]
fn brought<S: Simd, L>(s: S, soon: &[L], share: usize) -> &[L] {
    let (now, later) = soon.split_at(share.min(soon.len()));
    s.prefetch(now);
    later
}

/// The columns of a block, some at a time: the end of a short loop is foreseen, so that the next tile starts early.
#[inline(always)]
fn run<S: Simd, A: Arithmetic, const M: usize>(
    s: S,
    at: usize,
    start: [A::Sum<S>; 2],
    lines: &[<A::Element as Element>::Line],
    rows: &[A::Element],
) -> [[A::Sum<S>; 2]; M] {
    const STRIDE: usize = 2;
    let mut sums = [start; M];
    let (lines, last_lines) = lines.as_chunks::<STRIDE>();
    let (rows, last_rows) = rows.split_at((lines.len() * STRIDE * M).min(rows.len()));
    for (lines, rows) in lines.iter().zip(rows.chunks_exact(STRIDE * M)) {
        for (step, line) in lines.iter().enumerate() {
            column::<S, A, M>(s, at, line, &rows[step * M..(step + 1) * M], &mut sums);
        }
    }
    for (line, row) in last_lines.iter().zip(last_rows.chunks_exact(M)) {
        column::<S, A, M>(s, at, line, row, &mut sums);
    }
    sums
}

/// One column of `M` rows and two vectors of examples.
#[inline(always)]
fn column<S: Simd, A: Arithmetic, const M: usize>(
    s: S,
    at: usize,
    line: &<A::Element as Element>::Line,
    row: &[A::Element],
    sums: &mut [[A::Sum<S>; 2]; M],
) {
    let (line, lanes) = (A::Element::slice(line), A::lanes::<S>());
    let (a, b) = (A::load(s, &line[at..at + lanes]), A::load(s, &line[at + lanes..at + 2 * lanes]));
    for (sum, &value) in sums.iter_mut().zip(row) {
        let value = A::splat(s, value);
        *sum = [A::step(s, sum[0], a, value), A::step(s, sum[1], b, value)];
    }
}
