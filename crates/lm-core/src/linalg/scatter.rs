//! Scatter matrices of row blocks.
//!
//! # Problem
//! ```text
//! S ← S + Σᵢ ωᵢ (zᵢ − c)(zᵢ − c)ᵗ ,   the lower triangle, zᵢ being the rows of a block
//! ```
//! # Method
//! Rows of up to [`NARROW`] numbers are centred, weighted and padded a few at a time into a buffer that stays next to the
//! processor; then each tile of six rows and two vectors of the result is held in registers while it passes over the
//! buffer. A general product of matrices would first copy the block into its own order, which for such narrow
//! blocks costs as much as the products. Wider rows are left to faer's product.
//! # Cost
//! `nd²/2` multiplications and additions, on one core.
//! # Reference
//! Goto & van de Geijn (2008), "Anatomy of high-performance matrix multiplication", for tiles in registers.

use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, MatRef, Par};

use super::{Matrix, check_length};
use crate::engine::{Floats, Instructions, Simd, Task};
use crate::{Error, Result};

/// The longest rows that tiles in registers are for.
const NARROW: usize = 200;

/// Rows of a tile, each of two vectors: with AVX2, twelve of sixteen registers.
const TILE: usize = 6;

/// Numbers of the buffer of rows: 12 kB, so that the result has room beside it.
const BUFFER: usize = 1536;

/// Adds `LᵗR` to the lower triangle of `total`, for two blocks of as many rows, row by row, each row as long as `total`
/// is wide: a scatter if both are the same, a weighted one if `left` is `right` with each row times its weight. On one
/// thread.
///
/// # Errors
/// [`Error::Length`] unless the blocks have the same number of whole rows and `total` is square.
///
/// ```
/// use lm_core::linalg::{Matrix, add_scatter};
///
/// let rows = [1.0, 2.0, 3.0, 4.0];
/// let mut total = Matrix::zeros(2, 2)?;
/// add_scatter(&mut total, &rows, &rows)?;
/// assert_eq!([total[(0, 0)], total[(1, 0)], total[(1, 1)]], [10.0, 14.0, 20.0]);
/// # Ok::<(), lm_core::Error>(())
/// ```
pub fn add_scatter(total: &mut Matrix, left: &[f64], right: &[f64]) -> Result<()> {
    check_length("the second block of rows", left.len(), right.len())?;
    let width = check_block(total, left)?;
    if width <= NARROW {
        let left = if std::ptr::eq(left, right) { Left::Same } else { Left::Given(left) };
        Instructions::best().run(Narrow {
            total: total.values_mut(),
            width,
            rows: right,
            left,
            centre: None,
        });
    } else {
        multiply(total, left, right);
    }
    Ok(())
}

/// Adds `Σ ωᵢ(zᵢ − c)(zᵢ − c)ᵗ` over a block of rows to the lower triangle of `total`; every weight is 1 unless some are
/// given. On one thread. `rows` may be changed.
///
/// # Errors
/// [`Error::Length`] unless the block has whole rows as long as `total` is wide and `centre` is long, with a weight each.
///
/// ```
/// use lm_core::linalg::{Matrix, add_centred_scatter};
///
/// let mut total = Matrix::zeros(1, 1)?;
/// add_centred_scatter(&mut total, &mut [1.0, 2.0, 6.0], &[3.0], Some(&[1.0, 1.0, 2.0]))?;
/// assert_eq!(total[(0, 0)], 23.0);
/// # Ok::<(), lm_core::Error>(())
/// ```
pub fn add_centred_scatter(
    total: &mut Matrix,
    rows: &mut [f64],
    centre: &[f64],
    weights: Option<&[f64]>,
) -> Result<()> {
    let width = check_block(total, rows)?;
    check_length("the centre", width, centre.len())?;
    if let Some(weights) = weights {
        check_length("the list of weights", rows.len() / width, weights.len())?;
    }
    if width <= NARROW {
        let left = weights.map_or(Left::Same, Left::Weights);
        let centre = Some(centre);
        Instructions::best().run(Narrow { total: total.values_mut(), width, rows, left, centre });
        return Ok(());
    }
    for row in rows.chunks_exact_mut(width) {
        row.iter_mut().zip(centre).for_each(|(x, centre)| *x -= centre);
    }
    match weights {
        None => multiply(total, rows, rows),
        Some(weights) => {
            let weighted =
                rows.chunks_exact(width).zip(weights).flat_map(|(row, w)| row.iter().map(move |x| w * x));
            let weighted: Vec<f64> = weighted.collect();
            multiply(total, &weighted, rows);
        }
    }
    Ok(())
}

/// `Σ ωᵢzᵢ / Σ ωᵢ` over a block of rows of this width; every weight is 1 unless some are given. Zeros of no rows.
///
/// # Errors
/// [`Error::Length`] unless the block has whole rows, with a weight each.
///
/// ```
/// use lm_core::linalg::mean_row;
///
/// assert_eq!(mean_row(&[1.0, 10.0, 3.0, 30.0], 2, Some(&[3.0, 1.0]))?, [1.5, 15.0]);
/// # Ok::<(), lm_core::Error>(())
/// ```
pub fn mean_row(rows: &[f64], width: usize, weights: Option<&[f64]>) -> Result<Vec<f64>> {
    if width == 0 || !rows.len().is_multiple_of(width) {
        let expected = rows.len() - rows.len() % width.max(1);
        return Err(Error::Length { what: "a block of whole rows", expected, found: rows.len() });
    }
    if let Some(weights) = weights {
        check_length("the list of weights", rows.len() / width, weights.len())?;
    }
    Ok(Instructions::best().run(Mean { rows, width, weights }))
}

struct Mean<'a> {
    rows: &'a [f64],
    width: usize,
    weights: Option<&'a [f64]>,
}

impl Task for Mean<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> Vec<f64> {
        let Self { rows, width, weights } = self;
        let mut sums = vec![0.0; width];
        let Some(pilot) = rows.get(..width) else { return sums };
        // Around the first row, so that the mean of equal rows is that row.
        let total = match weights {
            None => {
                for row in rows.chunks_exact(width) {
                    sums.iter_mut().zip(row).zip(pilot).for_each(|((sum, x), pilot)| *sum += x - pilot);
                }
                (rows.len() / width) as f64
            }
            Some(weights) => {
                for (row, weight) in rows.chunks_exact(width).zip(weights) {
                    sums.iter_mut()
                        .zip(row)
                        .zip(pilot)
                        .for_each(|((sum, x), pilot)| *sum += weight * (x - pilot));
                }
                weights.iter().sum()
            }
        };
        if total > 0.0 {
            sums.iter_mut().zip(pilot).for_each(|(sum, pilot)| *sum = pilot + *sum / total);
        }
        sums
    }
}

/// The length of a row, if the block has whole ones.
fn check_block(total: &Matrix, rows: &[f64]) -> Result<usize> {
    total.check_square()?;
    let width = total.rows();
    if width == 0 || !rows.len().is_multiple_of(width) {
        let expected = rows.len() - rows.len() % width.max(1);
        return Err(Error::Length { what: "a block of whole rows", expected, found: rows.len() });
    }
    Ok(width)
}

fn multiply(total: &mut Matrix, left: &[f64], right: &[f64]) {
    let width = total.rows();
    let rows = left.len() / width;
    let view = |of| MatRef::from_row_major_slice(of, rows, width);
    triangular::matmul(
        total.view_mut(),
        BlockStructure::TriangularLower,
        Accum::Add,
        view(left).transpose(),
        BlockStructure::Rectangular,
        view(right),
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
}

/// What the rows are multiplied with.
#[derive(Clone, Copy)]
enum Left<'a> {
    /// Themselves.
    Same,
    /// Other rows.
    Given(&'a [f64]),
    /// Themselves, each times a weight.
    Weights(&'a [f64]),
}

/// A block of rows of at most [`NARROW`] numbers.
struct Narrow<'a> {
    total: &'a mut [f64],
    width: usize,
    rows: &'a [f64],
    left: Left<'a>,
    centre: Option<&'a [f64]>,
}

impl Task for Narrow<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self { total, width, rows, left, centre } = self;
        let across = 2 * <S as Floats<f64>>::LANES;
        let padded = width.next_multiple_of(across).max(width.next_multiple_of(TILE));
        let at_once = (BUFFER / padded).max(8);
        let mut right = vec![0.0; at_once * padded];
        let mut weighted = if matches!(left, Left::Same) { Vec::new() } else { right.clone() };
        let mut sums = vec![0.0; padded * padded];
        for (part, block) in rows.chunks(at_once * width).enumerate() {
            let count = block.len() / width;
            let first = part * at_once;
            copy_centred(block, width, padded, centre, &mut right);
            match left {
                Left::Same => {}
                Left::Given(left) => {
                    let block = &left[first * width..(first + count) * width];
                    copy_centred(block, width, padded, None, &mut weighted);
                }
                Left::Weights(weights) => {
                    for (i, weight) in weights[first..first + count].iter().enumerate() {
                        let (to, from) =
                            (&mut weighted[i * padded..][..width], &right[i * padded..][..width]);
                        to.iter_mut().zip(from).for_each(|(to, from)| *to = weight * from);
                    }
                }
            }
            let right = &right[..count * padded];
            let left = if matches!(left, Left::Same) { right } else { &weighted[..count * padded] };
            for row in (0..width).step_by(TILE) {
                let mut column = 0;
                // Tiles that touch the lower triangle.
                while column < (row + TILE).min(width) {
                    tile(s, left, right, padded, (row, column), &mut sums);
                    column += across;
                }
            }
        }
        for k in 0..width {
            for j in k..width {
                total[k * width + j] += sums[j * padded + k];
            }
        }
    }
}

/// Copies rows of `width` numbers to the start of rows of `padded` ones, less the centre.
#[inline(always)]
fn copy_centred(from: &[f64], width: usize, padded: usize, centre: Option<&[f64]>, to: &mut [f64]) {
    for (from, to) in from.chunks_exact(width).zip(to.chunks_exact_mut(padded)) {
        match centre {
            None => to[..width].copy_from_slice(from),
            Some(centre) => {
                to.iter_mut().zip(from).zip(centre).for_each(|((to, from), centre)| *to = from - centre);
            }
        }
    }
}

/// Adds what the buffered rows contribute to six rows of two vectors of the result.
#[inline(always)]
fn tile<S: Simd>(s: S, left: &[f64], right: &[f64], padded: usize, at: (usize, usize), sums: &mut [f64]) {
    let lanes = <S as Floats<f64>>::LANES;
    let (row, column) = at;
    let mut held = [[Floats::<f64>::splat(s, 0.0); 2]; TILE];
    for (left, right) in left.chunks_exact(padded).zip(right.chunks_exact(padded)) {
        let Some(left) = left[row..].first_chunk::<TILE>() else { return };
        let right = &right[column..column + 2 * lanes];
        let (first, second) = (Floats::<f64>::load(s, right), Floats::<f64>::load(s, &right[lanes..]));
        for (held, &left) in held.iter_mut().zip(left) {
            let left = Floats::<f64>::splat(s, left);
            held[0] = Floats::<f64>::mul_add(s, left, first, held[0]);
            held[1] = Floats::<f64>::mul_add(s, left, second, held[1]);
        }
    }
    for (j, held) in held.iter().enumerate() {
        let to = &mut sums[(row + j) * padded + column..][..2 * lanes];
        for (part, &held) in held.iter().enumerate() {
            let to = &mut to[part * lanes..];
            let sum = Floats::<f64>::add(s, Floats::<f64>::load(s, to), held);
            Floats::<f64>::store(s, sum, to);
        }
    }
}
