//! Cholesky's factorisation by blocks of columns, in `f64` or `f32`, on all cores with the same bits as on one.
//!
//! # Problem
//! ```text
//! A = L Lᵗ ,  L lower triangular
//! ```
//! # Method
//! Right-looking: the square at the head of a panel of columns is factored, the rows below it are divided by it, and what
//! the panel contributes to the columns on its right is subtracted there, by products of matrices. Stretches of rows and
//! strips of columns go to threads, and their sizes depend on the matrix only.
//! # Cost
//! `n³/3` multiplications and additions, at the speed of products of matrices.
//! # Reference
//! Golub & Van Loan (2013), section 4.2.9.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::traits::{RealField, math_utils};
use faer::{Accum, MatMut, MatRef, Par, Spec};

use crate::parallel;

/// Columns of a panel.
const PANEL: usize = 256;

/// Rows below a panel that one thread divides.
const STRETCH: usize = 128;

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

/// Replaces the lower triangle of an `n × n` matrix, column by column, by its factor; what is above it is overwritten.
/// `go_on` is asked after each panel.
pub(super) fn factor<T: RealField + Copy>(
    values: &mut [T],
    n: usize,
    go_on: &mut dyn FnMut() -> bool,
) -> Outcome {
    let mut start = 0;
    while start < n {
        let width = PANEL.min(n - start);
        let (panel, right) = values[start * n..].split_at_mut(width * n);
        let panel = MatMut::from_column_major_slice_mut(panel, n, width).subrows_mut(start, n - start);
        let (mut square, mut below) = panel.split_at_row_mut(width);
        if !factor_square(square.as_mut()) {
            return Outcome::NotPositive;
        }
        let square = square.as_ref();
        start += width;
        parallel::for_each(stretches(below.as_mut()), false, |rows| {
            // X Lᵗ = B is L Xᵗ = Bᵗ.
            solve_lower_triangular_in_place(square, rows.transpose_mut(), Par::Seq);
        });
        subtract_contributions(right, n, start, below.as_ref());
        if start < n && !go_on() {
            return Outcome::Stopped;
        }
    }
    Outcome::Factored
}

/// Factors the square at the head of a panel; false if a pivot is not positive and finite.
fn factor_square<T: RealField + Copy>(mut square: MatMut<'_, T>) -> bool {
    let width = square.nrows();
    let scratch = llt::factor::cholesky_in_place_scratch::<T>(width, Par::Seq, Spec::default());
    let factored = llt::factor::cholesky_in_place(
        square.as_mut(),
        llt::factor::LltRegularization::default(),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Spec::default(),
    );
    // faer accepts an infinite pivot.
    factored.is_ok() && (0..width).all(|i| math_utils::is_finite(&square[(i, i)]))
}

/// Subtracts from the columns from `start` on what the rows of a panel from there on contribute.
fn subtract_contributions<T: RealField + Copy>(
    right: &mut [T],
    n: usize,
    start: usize,
    below: MatRef<'_, T>,
) {
    let rows = below.nrows();
    // Wide strips, but enough of them for several threads.
    let strip = if rows >= 4096 { 256 } else { 128 };
    // Turned once: products whose right factor lies column by column run up to twice as fast.
    let turned = below.transpose().to_owned();
    let minus_one = math_utils::neg(&math_utils::one::<T>());
    parallel::for_each_chunk(right, n * strip, |part, columns| {
        let (first, width) = (part * strip, columns.len() / n);
        let to = MatMut::from_column_major_slice_mut(columns, n, width);
        let to = to.subrows_mut(start + first, rows - first);
        let (left, turned) = (below.subrows(first, rows - first), turned.as_ref().subcols(first, width));
        matmul(to, Accum::Add, left, turned, minus_one, Par::Seq);
    });
}

/// Rows, cut into stretches for several threads.
fn stretches<T>(mut rest: MatMut<'_, T>) -> Vec<MatMut<'_, T>> {
    let mut parts = Vec::with_capacity(rest.nrows().div_ceil(STRETCH));
    while rest.nrows() > STRETCH {
        let (part, below) = rest.split_at_row_mut(STRETCH);
        parts.push(part);
        rest = below;
    }
    parts.push(rest);
    parts
}
