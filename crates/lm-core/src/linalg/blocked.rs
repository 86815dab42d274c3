//! Cholesky's factorisation by blocks of columns, in `f64` or `f32`, on all cores with the same bits as on one.
//!
//! # Problem
//! ```text
//! A = L Lᵗ ,  L lower triangular
//! ```
//! # Method
//! Left-looking: a strip of columns takes what all strips before it contribute, by products of matrices over stretches
//! of its rows; then its square on the diagonal is factored, and the rows below are divided by it. Stretches go to
//! threads, and their sizes depend on the matrix only.
//! # Cost
//! `n³/3` multiplications and additions, at the speed of products of matrices; each entry is written twice.
//! # Reference
//! Golub & Van Loan (2013), section 4.2.9.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::traits::{RealField, math_utils};
use faer::{Accum, MatMut, MatRef, Par, Spec};

use crate::parallel;

/// Columns of a strip.
const STRIP: usize = 192;

/// How a factorisation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The lower triangle holds the factor.
    Factored,
    /// A pivot was not positive.
    NotPositive,
    /// The caller asked for an end.
    Stopped,
}

/// Replaces the lower triangle of an `n × n` matrix, column by column, by its factor. `go_on` is asked after each strip.
pub(super) fn factor<T: RealField + Copy>(
    values: &mut [T],
    n: usize,
    go_on: &mut dyn FnMut() -> bool,
) -> Outcome {
    let mut start = 0;
    while start < n {
        let width = STRIP.min(n - start);
        let (before, rest) = values.split_at_mut(start * n);
        let before = MatRef::from_column_major_slice(before, n, start);
        let strip = MatMut::from_column_major_slice_mut(&mut rest[..width * n], n, width);
        let mut strip = strip.subrows_mut(start, n - start);
        if start > 0 {
            subtract_contributions(strip.as_mut(), before, start, width);
        }
        let (mut square, below) = strip.split_at_row_mut(width);
        let mut memory =
            MemBuffer::new(llt::factor::cholesky_in_place_scratch::<T>(width, Par::Seq, Spec::default()));
        let factored = llt::factor::cholesky_in_place(
            square.as_mut(),
            llt::factor::LltRegularization::default(),
            Par::Seq,
            MemStack::new(&mut memory),
            Spec::default(),
        );
        // faer accepts an infinite pivot.
        let finite = (0..width).all(|i| math_utils::is_finite(&square[(i, i)]));
        if factored.is_err() || !finite {
            return Outcome::NotPositive;
        }
        let square = square.as_ref();
        parallel::for_each(stretches(below), n - start < 2 * STRIP, |rows| {
            // X Lᵗ = B is L Xᵗ = Bᵗ.
            solve_lower_triangular_in_place(square, rows.transpose_mut(), Par::Seq);
        });
        start += width;
        if start < n && !go_on() {
            return Outcome::Stopped;
        }
    }
    Outcome::Factored
}

/// Subtracts from a strip, whose first row is row `start`, what the columns before it contribute.
fn subtract_contributions<T: RealField + Copy>(
    strip: MatMut<'_, T>,
    before: MatRef<'_, T>,
    start: usize,
    width: usize,
) {
    let across = before.subrows(start, width);
    let mut row = start;
    let jobs: Vec<(usize, MatMut<'_, T>)> = stretches(strip)
        .into_iter()
        .map(|part| {
            let at = row;
            row += part.nrows();
            (at, part)
        })
        .collect();
    let minus_one = math_utils::neg(&math_utils::one::<T>());
    parallel::for_each(jobs, false, |(at, part)| {
        let own = before.subrows(at, part.nrows());
        matmul(part, Accum::Add, own, across.transpose(), minus_one, Par::Seq);
    });
}

/// The rows of a strip, cut into stretches: long ones, but enough of them for several threads.
fn stretches<T>(mut rest: MatMut<'_, T>) -> Vec<MatMut<'_, T>> {
    let rows = rest.nrows();
    let length = if rows >= 4096 {
        256
    } else if rows >= 1024 {
        128
    } else {
        64
    };
    let mut parts = Vec::with_capacity(rows.div_ceil(length));
    while rest.nrows() > length {
        let (part, below) = rest.split_at_row_mut(length);
        parts.push(part);
        rest = below;
    }
    parts.push(rest);
    parts
}
