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
use super::simd::Simd;

/// The most rows of a tile.
pub(crate) const MOST_ROWS: usize = 12;

/// The widest panel.
pub(crate) const MOST_WIDTH: usize = 32;

/// What a tile of rows accumulated, a row of the panel's width for each.
pub(crate) type Sums<T> = [[T; MOST_WIDTH]; MOST_ROWS];

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

/// Accumulates `size` rows, packed column by column, with the examples of a panel.
#[inline(always)]
pub(crate) fn accumulate<S: Simd, A: Arithmetic>(
    s: S,
    size: usize,
    panel: &[<A::Element as Element>::Line],
    starts: &[A::Element],
    rows: &[A::Element],
    out: &mut Sums<A::Real>,
) {
    match size {
        12 if S::ROWS >= 12 => tile::<S, A, 12>(s, panel, starts, rows, out),
        8 if S::ROWS >= 8 => tile::<S, A, 8>(s, panel, starts, rows, out),
        6 if S::ROWS == 6 => tile::<S, A, 6>(s, panel, starts, rows, out),
        4 => tile::<S, A, 4>(s, panel, starts, rows, out),
        2 => tile::<S, A, 2>(s, panel, starts, rows, out),
        _ => tile::<S, A, 1>(s, panel, starts, rows, out),
    }
}

#[inline(always)]
fn tile<S: Simd, A: Arithmetic, const M: usize>(
    s: S,
    panel: &[<A::Element as Element>::Line],
    starts: &[A::Element],
    rows: &[A::Element],
    out: &mut Sums<A::Real>,
) {
    let lanes = A::lanes::<S>();
    for at in (0..<A::Element as Element>::WIDTH).step_by(2 * lanes) {
        let start = [A::start(s, &starts[at..]), A::start(s, &starts[at + lanes..])];
        let first = panel.len().min(A::BLOCK);
        let mut total = run::<S, A, M>(s, at, start, &panel[..first], &rows[..first * M]);
        let mut done = first;
        while done < panel.len() {
            let end = panel.len().min(done + A::BLOCK);
            let more = run::<S, A, M>(s, at, start, &panel[done..end], &rows[done * M..end * M]);
            for (total, more) in total.iter_mut().zip(more) {
                *total = [A::add(s, total[0], more[0]), A::add(s, total[1], more[1])];
            }
            done = end;
        }
        for (out, total) in out.iter_mut().zip(total) {
            A::store(s, total[0], &mut out[at..]);
            A::store(s, total[1], &mut out[at + lanes..]);
        }
    }
}

/// The columns of a block.
#[inline(always)]
fn run<S: Simd, A: Arithmetic, const M: usize>(
    s: S,
    at: usize,
    start: [A::Sum<S>; 2],
    panel: &[<A::Element as Element>::Line],
    rows: &[A::Element],
) -> [[A::Sum<S>; 2]; M] {
    let lanes = A::lanes::<S>();
    let mut sums = [start; M];
    for (line, row) in panel.iter().zip(rows.chunks_exact(M)) {
        let line = A::Element::slice(line);
        let (a, b) = (A::load(s, &line[at..at + lanes]), A::load(s, &line[at + lanes..at + 2 * lanes]));
        for (sum, &value) in sums.iter_mut().zip(row) {
            let value = A::splat(s, value);
            *sum = [A::step(s, sum[0], a, value), A::step(s, sum[1], b, value)];
        }
    }
    sums
}
