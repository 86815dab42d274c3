//! Cholesky factorisation with pivots on the diagonal, of a matrix that is only seen row by row.
//!
//! # Problem
//! ```text
//! K + σI = L Lᵗ + R ,   L of n × r ,  R as small as asked for
//! ```
//! # Method
//! Each step takes the largest diagonal entry of what is left as pivot, asks for that row of `K`, subtracts what the
//! columns of `L` explain of it, and appends it as a new column. It ends when what is left is small, when an entry of
//! its diagonal is negative, which no positive semi-definite matrix allows, or when all rows were pivots.
//! # Cost
//! `r` rows of `K`, `O(n r²)` operations, memory for `n r` numbers: cheap for matrices of low rank, whatever `n`.
//! # Reference
//! Higham (2002), section 10.3; Fine & Scheinberg (2001).

use super::{Columns, Gram};
use crate::fit::Budget;
use crate::memory::zeros;
use crate::{Error, Result, parallel};

/// Why a factorisation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Every row was a pivot.
    Complete,
    /// The diagonal of what is left is negligible, or no more pivots were asked for; its smallest entry is in this row.
    Small(usize),
    /// The diagonal of what is left is negative in this row.
    Negative(usize),
}

/// The columns of `L` and the rows that were pivots, in order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Factor {
    pub(super) len: usize,
    /// One column of `L` after the other.
    pub(super) columns: Vec<f64>,
    pub(super) pivots: Vec<usize>,
}

/// A Gram matrix up to a rest: `K = L Lᵗ + R`, with `L` of few columns and `R` positive semi-definite if `K` is.
///
/// The pivots are the rows that explain most of what the ones before them leave, so a few columns are enough where the
/// eigenvalues of `K` fall fast. It serves as a preconditioner, and as a basis of the span of the examples.
///
/// ```
/// use lm_core::gram::LowRank;
/// use lm_core::{Budget, MatrixGram};
///
/// let gram = MatrixGram::precomputed(vec![4.0, 2.0, 2.0, 1.5], 2)?;
/// let part = LowRank::of(&gram, 1, &Budget::default())?;
/// assert_eq!((part.pivots(), part.columns()), (&[0][..], &[2.0, 1.0][..]));
/// assert_eq!(part.rest(), 0.5); // 1.5 − 1²
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LowRank {
    factor: Factor,
    rest: f64,
}

impl LowRank {
    /// Takes at most `rank` pivots; fewer where nothing is left to explain, or where the matrix turns out not to be
    /// positive semi-definite.
    ///
    /// # Errors
    /// [`Error::Memory`] or [`Error::Allocation`] if the columns do not fit, [`Error::Numerical`] if the factor
    /// overflows, and what computing the rows gives.
    pub fn of<G: Gram + ?Sized>(gram: &G, rank: usize, budget: &Budget) -> Result<Self> {
        Self::of_while(gram, budget, &mut |pivots| pivots < rank)
    }

    /// As [`LowRank::of`], asking before every pivot, with the number of those taken, whether to go on.
    ///
    /// # Errors
    /// As [`LowRank::of`].
    pub fn of_while<G: Gram + ?Sized>(
        gram: &G,
        budget: &Budget,
        go_on: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Self> {
        let diagonal = gram.diagonal()?;
        let size = diagonal.iter().fold(0.0, |size: f64, value| size.max(value.abs()));
        let (factor, _) = factorise(gram, 0.0, size, 0.0, budget, go_on)?;
        let left = diagonal.iter().enumerate().map(|(row, value)| {
            let explained: f64 = (0..factor.rank()).map(|k| square(factor.column(k)[row])).sum();
            (value - explained).max(0.0)
        });
        let rest = left.sum();
        Ok(Self { factor, rest })
    }

    /// The number of columns of `L`.
    pub fn rank(&self) -> usize {
        self.factor.rank()
    }

    /// The rows that were pivots, in order.
    pub fn pivots(&self) -> &[usize] {
        &self.factor.pivots
    }

    /// `L`, one column after the other.
    pub fn columns(&self) -> &[f64] {
        &self.factor.columns
    }

    /// `L`, one column after the other, owned.
    pub fn into_columns(self) -> Vec<f64> {
        self.factor.columns
    }

    /// The trace of `R`, which bounds its eigenvalues.
    pub fn rest(&self) -> f64 {
        self.rest
    }
}

/// Rows of the matrix that are asked for at a time when all of it is read.
pub(super) const BLOCK: usize = 64;

/// Room for a block of rows.
pub(super) fn block_of_rows(len: usize) -> Result<Vec<f64>> {
    zeros("a block of the Gram matrix", len, BLOCK.min(len))
}

/// Factorises `K + shift·I`, whose largest entry is `size` in absolute value, until the diagonal of what is left adds
/// up to at most `trace`, or `go_on`, which is told how many rows were pivots, says no.
pub(super) fn factorise<G: Gram + ?Sized>(
    gram: &G,
    shift: f64,
    size: f64,
    trace: f64,
    budget: &Budget,
    go_on: &mut dyn FnMut(usize) -> bool,
) -> Result<(Factor, End)> {
    let len = gram.len();
    let mut diagonal = gram.diagonal()?;
    diagonal.iter_mut().for_each(|value| *value += shift);
    let mut left: Vec<usize> = (0..len).collect();
    let mut factor = Factor { len, columns: Vec::new(), pivots: Vec::new() };
    loop {
        let rank = factor.pivots.len();
        let by_value = |&&a: &&usize, &&b: &&usize| diagonal[a].total_cmp(&diagonal[b]);
        // Of equal entries the first, so that the pivots do not depend on how ties are broken.
        let (Some(&largest), Some(&smallest)) =
            (left.iter().rev().max_by(by_value), left.iter().min_by(by_value))
        else {
            return Ok((factor, End::Complete));
        };
        // What rounding may have left of a diagonal entry from which `rank` squares were subtracted.
        let noise = (rank as f64 + 4.0) * f64::EPSILON * size;
        if diagonal[smallest] < -noise {
            return Ok((factor, End::Negative(smallest)));
        }
        let rest: f64 = left.iter().map(|&row| diagonal[row].max(0.0)).sum();
        if rest <= trace || diagonal[largest] <= noise || !go_on(rank) {
            return Ok((factor, End::Small(smallest)));
        }
        factor.extend(gram, shift, largest, diagonal[largest], budget)?;
        left.retain(|&row| row != largest);
        let column = factor.column(rank);
        diagonal.iter_mut().zip(column).for_each(|(diagonal, value)| *diagonal -= value * value);
    }
}

impl Factor {
    pub(super) fn rank(&self) -> usize {
        self.pivots.len()
    }

    pub(super) fn column(&self, k: usize) -> &[f64] {
        &self.columns[k * self.len..(k + 1) * self.len]
    }

    /// Appends the column of a pivot row.
    fn extend<G: Gram + ?Sized>(
        &mut self,
        gram: &G,
        shift: f64,
        row: usize,
        pivot: f64,
        budget: &Budget,
    ) -> Result<()> {
        let (len, rank) = (self.len, self.rank());
        self.reserve(budget)?;
        self.columns.resize((rank + 1) * len, 0.0);
        let (done, column) = self.columns.split_at_mut(rank * len);
        gram.fill(&[row], Columns::All, column)?;
        column[row] += shift;
        let own: Vec<f64> = (0..rank).map(|k| done[k * len + row]).collect();
        parallel::for_each_chunk(column, TILE, |tile, out| subtract(done, len, tile * TILE, &own, out));
        let root = pivot.sqrt();
        column.iter_mut().for_each(|value| *value /= root);
        // What was eliminated is zero by construction, not by rounding.
        self.pivots.iter().for_each(|&pivot| column[pivot] = 0.0);
        column[row] = root;
        self.pivots.push(row);
        if column.iter().all(|value| value.is_finite()) {
            Ok(())
        } else {
            Err(Error::Numerical { what: "the factor of the Gram matrix" })
        }
    }

    /// Makes room for one more column, and for a quarter more than there are.
    fn reserve(&mut self, budget: &Budget) -> Result<()> {
        let what = "the factor of the Gram matrix";
        let needed = (self.columns.len() + self.len) * size_of::<f64>();
        budget.check_memory(what, needed)?;
        if self.columns.len() + self.len > self.columns.capacity() {
            let more = (self.rank() / 4).max(16).min(self.len - self.rank()) * self.len;
            let allowed = budget.memory().unwrap_or(usize::MAX) / size_of::<f64>();
            let more = more.min(allowed.saturating_sub(self.columns.len())).max(self.len);
            self.columns.try_reserve_exact(more).map_err(|_| Error::Allocation { what, needed })?;
        }
        Ok(())
    }

    /// Extends a vector on rows that were not pivots to all rows, such that `vᵗ(K + σI)v = uᵗRu`.
    pub(super) fn extended(&self, u: &[(usize, f64)]) -> Vec<f64> {
        let mut v = vec![0.0; self.len];
        u.iter().for_each(|&(row, value)| v[row] += value);
        // With L₁ the pivot rows and L₂ the others: L₁ᵗ z = −L₂ᵗ u, solved from the last pivot on.
        let mut z = vec![0.0; self.rank()];
        for k in (0..self.rank()).rev() {
            let column = self.column(k);
            let known: f64 = u.iter().map(|&(row, value)| column[row] * value).sum();
            let later: f64 = (k + 1..self.rank()).map(|j| column[self.pivots[j]] * z[j]).sum();
            z[k] = -(known + later) / column[self.pivots[k]];
        }
        self.pivots.iter().zip(&z).for_each(|(&row, &value)| v[row] += value);
        v
    }
}

/// Entries that stay in the fastest memory while all columns pass over them.
const TILE: usize = 512;

/// `out ← out − Σₖ cₖ·(column k)`, on the entries from `start` on, four columns at a time.
pub(super) fn subtract(columns: &[f64], len: usize, start: usize, coefficients: &[f64], out: &mut [f64]) {
    let count = out.len();
    let part = |k: usize| &columns[k * len + start..k * len + start + count];
    let whole = coefficients.len() / 4 * 4;
    for k in (0..whole).step_by(4) {
        let (a, b, c, d) = (part(k), part(k + 1), part(k + 2), part(k + 3));
        let [p, q, r, s] = [0, 1, 2, 3].map(|offset| coefficients[k + offset]);
        for (((out, a), b), (c, d)) in out.iter_mut().zip(a).zip(b).zip(c.iter().zip(d)) {
            *out -= (p * a + q * b) + (r * c + s * d);
        }
    }
    for (k, coefficient) in coefficients.iter().enumerate().skip(whole) {
        out.iter_mut().zip(part(k)).for_each(|(out, value)| *out -= coefficient * value);
    }
}

/// What a factorisation leaves: `R = K + σI − LLᵗ`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Residual {
    /// The largest entry in absolute value.
    pub(super) largest: f64,
    /// Where it is, and its sign.
    pub(super) place: (usize, usize, f64),
    /// The Frobenius norm, which bounds every eigenvalue of `R`.
    pub(super) norm: f64,
    /// A bound on the rounding error of the norm.
    pub(super) rounding: f64,
}

/// Computes the upper triangle of `K + shift·I − LLᵗ` block by block. `size` is the largest entry of `K` in absolute
/// value.
pub(super) fn residual<G: Gram + ?Sized>(
    gram: &G,
    factor: &Factor,
    shift: f64,
    size: f64,
) -> Result<Residual> {
    let len = factor.len;
    let mut found = Residual { largest: 0.0, place: (0, 0, 1.0), norm: 0.0, rounding: 0.0 };
    let (mut squares, mut whole) = (0.0, 0.0);
    let mut block = block_of_rows(len)?;
    let rows: Vec<usize> = (0..len).collect();
    for rows in rows.chunks(BLOCK) {
        let first = rows[0];
        let width = len - first;
        let block = &mut block[..rows.len() * width];
        gram.fill(rows, Columns::Range { start: first, end: len }, block)?;
        for offset in 0..rows.len() {
            block[offset * width + offset] += shift;
        }
        whole += upper(block, width).map(|(i, j, value)| twice(i, j) * square(value / size)).sum::<f64>();
        subtract_products(factor, first, block);
        for (i, j, value) in upper(block, width) {
            squares += twice(i, j) * square(value / size);
            if value.abs() > found.largest {
                found.largest = value.abs();
                found.place = (first + i, first + j, value.signum());
            }
        }
    }
    found.norm = squares.sqrt() * size;
    // Each entry is a sum of r + 2 terms; |L||L|ᵗ has a Frobenius norm of at most ‖L‖².
    let products: f64 = factor.columns.iter().map(|value| square(value / size.sqrt())).sum();
    found.rounding = rounding(factor.rank(), f64::sqrt(whole) + products) * size;
    if found.norm.is_finite() && found.rounding.is_finite() {
        Ok(found)
    } else {
        Err(Error::Numerical { what: "the residual of the factorisation" })
    }
}

/// The entries on and above the diagonal of a block whose first row and column are the same.
fn upper(block: &[f64], width: usize) -> impl Iterator<Item = (usize, usize, f64)> {
    let rows = block.chunks_exact(width).enumerate();
    rows.flat_map(|(i, row)| row.iter().enumerate().skip(i).map(move |(j, &value)| (i, j, value)))
}

/// How often an entry of the upper triangle occurs in the matrix.
fn twice(i: usize, j: usize) -> f64 {
    if i == j { 1.0 } else { 2.0 }
}

fn square(value: f64) -> f64 {
    value * value
}

/// Subtracts `LLᵗ` from a block of rows and columns from `first` on.
fn subtract_products(factor: &Factor, first: usize, block: &mut [f64]) {
    // Rows that share one pass over the columns of L, of which so many at a time stay in the cache.
    const ROWS: usize = 8;
    const STRIP: usize = 32;
    let (len, rank) = (factor.len, factor.rank());
    let width = len - first;
    parallel::for_each_chunk(block, ROWS * width, |group, part| {
        let own = |offset: usize| -> Vec<f64> {
            let row = first + group * ROWS + offset;
            (0..rank).map(|k| factor.column(k)[row]).collect()
        };
        let coefficients: Vec<Vec<f64>> = (0..part.len() / width).map(own).collect();
        for start in (0..width).step_by(TILE) {
            let end = (start + TILE).min(width);
            for from in (0..rank).step_by(STRIP) {
                let to = (from + STRIP).min(rank);
                let columns = &factor.columns[from * len..to * len];
                for (out, own) in part.chunks_exact_mut(width).zip(&coefficients) {
                    subtract(columns, len, first + start, &own[from..to], &mut out[start..end]);
                }
            }
        }
    });
}

/// A bound on the rounding error of sums of `rank + 2` terms whose absolute values add up to `size`.
pub(super) fn rounding(rank: usize, size: f64) -> f64 {
    1.01 * (rank as f64 + 4.0) * (f64::EPSILON / 2.0) * size
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MatrixGram;

    #[test]
    fn a_matrix_by_hand() {
        // Pivot 9 in row 1, then 5 − 4 = 1 in row 0; nothing is left of row 2 = row 1 / 3.
        let gram = MatrixGram::precomputed(vec![5.0, 6.0, 2.0, 6.0, 9.0, 3.0, 2.0, 3.0, 1.0], 3).unwrap();
        let (factor, end) = factorise(&gram, 0.0, 9.0, 0.0, &Budget::default(), &mut |_| true).unwrap();
        assert_eq!((factor.pivots.as_slice(), end), (&[1, 0][..], End::Small(2)));
        assert_eq!(factor.columns, [2.0, 3.0, 1.0, 1.0, 0.0, 0.0]);
        let found = residual(&gram, &factor, 0.0, 9.0).unwrap();
        assert_eq!((found.largest, found.norm), (0.0, 0.0));
        // The null vector: (0, −1/3, 1).
        let v = factor.extended(&[(2, 1.0)]);
        assert!((v[1] + 1.0 / 3.0).abs() < 1e-15 && v[0].abs() < 1e-15 && v[2] == 1.0);
    }

    #[test]
    fn subtraction_does_not_depend_on_how_it_is_cut() {
        let (len, rank) = (1300, 7);
        let columns: Vec<f64> = (0..len * rank).map(|k| (k as f64).sin()).collect();
        let coefficients: Vec<f64> = (0..rank).map(|k| 1.0 / (k as f64 + 1.0)).collect();
        let mut whole = vec![1.0; len];
        subtract(&columns, len, 0, &coefficients, &mut whole);
        let mut parts = vec![1.0; len];
        parts.chunks_mut(TILE).enumerate().for_each(|(tile, out)| {
            subtract(&columns, len, tile * TILE, &coefficients, out);
        });
        assert_eq!(whole, parts);
    }
}
