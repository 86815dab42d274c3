//! One example, as it lies in memory, and the arithmetic of pairs of examples.

use super::Element;
use super::several::add_scaled;

/// One example, borrowed from its set: dense or sparse, `f32` or `f64`.
///
/// Values are converted to `f64` before any arithmetic. Sums run in a fixed order that depends only on the two
/// rows, so that equal rows give an inner product equal to their squared norm, bit for bit.
///
/// ```
/// use lm_core::{Dense, Examples};
///
/// let examples = Dense::new(vec![3.0, 4.0, 0.0, 4.0], 2, 2)?;
/// let (a, b) = (examples.row(0), examples.row(1));
/// assert_eq!(a.dot(&b), 16.0);
/// assert_eq!(a.distance_squared(&b), 9.0);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Row<'a> {
    /// All values, `f64`.
    DenseF64(&'a [f64]),
    /// All values, `f32`.
    DenseF32(&'a [f32]),
    /// The values that are not zero, `f64`.
    SparseF64(SparseRow<'a, f64>),
    /// The values that are not zero, `f32`.
    SparseF32(SparseRow<'a, f32>),
}

/// The stored entries of a sparse example. Indices increase strictly; all others are zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SparseRow<'a, T> {
    pub(super) indices: &'a [u32],
    pub(super) values: &'a [T],
    pub(super) dim: usize,
}

impl<'a, T: Element> SparseRow<'a, T> {
    /// The columns of the stored entries, strictly increasing.
    pub fn indices(&self) -> &'a [u32] {
        self.indices
    }

    /// The stored entries.
    pub fn values(&self) -> &'a [T] {
        self.values
    }

    #[inline]
    fn entries(self) -> impl Iterator<Item = (usize, f64)> + Clone + 'a {
        self.indices.iter().zip(self.values).map(|(&k, &v)| (k as usize, v.to_f64()))
    }
}

/// Binds `$a` to the inner value of whichever variant `$row` is, and evaluates `$dense` or `$sparse`.
macro_rules! by_kind {
    ($row:expr, $a:ident => $dense:expr, $sparse:expr) => {
        match $row {
            Row::DenseF64($a) => $dense,
            Row::DenseF32($a) => $dense,
            Row::SparseF64($a) => $sparse,
            Row::SparseF32($a) => $sparse,
        }
    };
}

impl Row<'_> {
    /// The dimension of the example, zeros included.
    #[inline]
    pub fn dim(&self) -> usize {
        by_kind!(self, a => a.len(), a.dim)
    }

    /// The number of stored entries.
    pub(crate) fn entries(&self) -> usize {
        by_kind!(self, a => a.len(), a.values.len())
    }

    /// `⟨x·w⟩` with a vector of as many entries as the example has.
    ///
    /// # Panics
    /// May panic if `w` is shorter than the example.
    #[inline]
    pub fn dot_dense(&self, w: &[f64]) -> f64 {
        by_kind!(self, a => dense_dense(a, w), sparse_dense(*a, w))
    }

    /// `w ← w + a·x`.
    ///
    /// # Panics
    /// May panic if `w` is shorter than the example.
    #[inline]
    pub fn add_scaled_to(&self, a: f64, w: &mut [f64]) {
        by_kind!(
            self,
            x => add_scaled(x, a, w),
            for (k, v) in x.entries() {
                w[k] += a * v;
            }
        );
    }

    /// `‖x‖²`.
    #[inline]
    pub fn norm_squared(&self) -> f64 {
        by_kind!(self, a => dense_dense(a, a), total(a.values.iter().map(|v| v.to_f64() * v.to_f64())))
    }

    /// `⟨x·z⟩`.
    pub fn dot(&self, other: &Row<'_>) -> f64 {
        by_kind!(
            self,
            a => by_kind!(other, b => dense_dense(a, b), sparse_dense(*b, a)),
            by_kind!(other, b => sparse_dense(*a, b), sparse_sparse(*a, *b))
        )
    }

    /// `‖x − z‖²`, from the differences of the entries, so without cancellation.
    pub fn distance_squared(&self, other: &Row<'_>) -> f64 {
        self.fold_differences(other, |d| d * d)
    }

    /// `‖factor·(x − z)‖²`, where the square of the unscaled distance would overflow.
    pub(crate) fn scaled_distance_squared(&self, other: &Row<'_>, factor: f64) -> f64 {
        self.fold_differences(other, |d| (factor * d) * (factor * d))
    }

    /// `Σₖ |xₖ − zₖ|`.
    pub fn distance_manhattan(&self, other: &Row<'_>) -> f64 {
        self.fold_differences(other, f64::abs)
    }

    /// Calls `visit` with the column and value of every stored entry, in order.
    pub fn for_each(&self, mut visit: impl FnMut(usize, f64)) {
        by_kind!(
            self,
            a => a.iter().enumerate().for_each(|(k, v)| visit(k, v.to_f64())),
            a.entries().for_each(|(k, v)| visit(k, v))
        );
    }

    /// Writes the example into `out`, zeros included.
    ///
    /// # Panics
    /// May panic if `out` is shorter than the example.
    pub fn write_to(&self, out: &mut [f64]) {
        match self {
            Row::DenseF64(a) => {
                let (to, rest) = out.split_at_mut(a.len());
                to.copy_from_slice(a);
                rest.fill(0.0);
            }
            _ => {
                out.fill(0.0);
                self.for_each(|k, v| out[k] = v);
            }
        }
    }

    fn fold_differences(&self, other: &Row<'_>, f: impl Fn(f64) -> f64) -> f64 {
        by_kind!(
            self,
            a => by_kind!(
                other,
                b => total(a.iter().zip(*b).map(|(x, z)| f(x.to_f64() - z.to_f64()))),
                fold_union(entries_of(a), b.entries(), &f)
            ),
            by_kind!(
                other,
                b => fold_union(a.entries(), entries_of(b), &f),
                fold_union(a.entries(), b.entries(), &f)
            )
        )
    }
}

fn entries_of<T: Element>(values: &[T]) -> impl Iterator<Item = (usize, f64)> + '_ {
    values.iter().enumerate().map(|(k, v)| (k, v.to_f64()))
}

/// The number of running sums of a dense inner product.
pub(super) const LANES: usize = 8;

/// The sum of the running sums.
#[inline(always)]
pub(super) fn sum_of_lanes(sums: &[f64; LANES]) -> f64 {
    ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]))
}

/// Eight running sums, added up in a fixed order: fast without a vector unit's help, and the same on every machine
/// that follows IEEE 754.
#[inline]
pub(crate) fn dense_dense<A: Element, B: Element>(a: &[A], b: &[B]) -> f64 {
    let len = a.len().min(b.len());
    let (a, b) = (&a[..len], &b[..len]);
    let mut sums = [0.0; LANES];
    let (a_blocks, b_blocks) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let (a_rest, b_rest) = (a_blocks.remainder(), b_blocks.remainder());
    for (x, z) in a_blocks.zip(b_blocks) {
        for lane in 0..LANES {
            sums[lane] += x[lane].to_f64() * z[lane].to_f64();
        }
    }
    let mut total = sum_of_lanes(&sums);
    for (x, z) in a_rest.iter().zip(b_rest) {
        total += x.to_f64() * z.to_f64();
    }
    total
}

/// Four running sums, added up in a fixed order: the sum of one entry does not wait for that of the entry before.
#[inline]
pub(crate) fn sparse_dense<A: Element, B: Element>(a: SparseRow<'_, A>, b: &[B]) -> f64 {
    const LANES: usize = 4;
    let (indices, last_indices) = a.indices.as_chunks::<LANES>();
    let (values, last_values) = a.values.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (indices, values) in indices.iter().zip(values) {
        for lane in 0..LANES {
            sums[lane] += values[lane].to_f64() * b[indices[lane] as usize].to_f64();
        }
    }
    let mut total = (sums[0] + sums[2]) + (sums[1] + sums[3]);
    for (&k, value) in last_indices.iter().zip(last_values) {
        total += value.to_f64() * b[k as usize].to_f64();
    }
    total
}

/// A sum that is +0 without terms; that of the standard library is −0, so that symmetric values differ in a bit.
#[inline]
fn total(terms: impl Iterator<Item = f64>) -> f64 {
    terms.fold(0.0, |total, term| total + term)
}

fn sparse_sparse<A: Element, B: Element>(a: SparseRow<'_, A>, b: SparseRow<'_, B>) -> f64 {
    let (mut i, mut j, mut total) = (0, 0, 0.0);
    while i < a.indices.len() && j < b.indices.len() {
        match a.indices[i].cmp(&b.indices[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                total += a.values[i].to_f64() * b.values[j].to_f64();
                i += 1;
                j += 1;
            }
        }
    }
    total
}

/// Sums `f(xₖ − zₖ)` over the columns stored in either row; `f(0)` is 0.
fn fold_union(
    mut a: impl Iterator<Item = (usize, f64)>,
    mut b: impl Iterator<Item = (usize, f64)>,
    f: &impl Fn(f64) -> f64,
) -> f64 {
    let (mut x, mut z, mut total) = (a.next(), b.next(), 0.0);
    loop {
        let difference = match (x, z) {
            (None, None) => return total,
            (Some((i, u)), Some((j, v))) if i == j => {
                (x, z) = (a.next(), b.next());
                u - v
            }
            (Some((i, u)), other) if other.is_none_or(|(j, _)| i < j) => {
                x = a.next();
                u
            }
            (_, Some((_, v))) => {
                z = b.next();
                -v
            }
            (Some((_, u)), None) => {
                x = a.next();
                u
            }
        };
        total += f(difference);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Csr, Dense, Examples};

    /// The four storages of the same two examples.
    fn storages(a: &[f64; 9], b: &[f64; 9]) -> Vec<Box<dyn Examples>> {
        let values: Vec<f64> = a.iter().chain(b).copied().collect();
        let narrow: Vec<f32> = values.iter().map(|&v| v as f32).collect();
        let dense = Dense::new(values, 2, 9).unwrap();
        let sparse = Csr::from_rows(&dense).unwrap();
        let dense32 = Dense::new(narrow, 2, 9).unwrap();
        let sparse32 = Csr::from_rows(&dense32).unwrap();
        vec![Box::new(dense), Box::new(sparse), Box::new(dense32), Box::new(sparse32)]
    }

    #[test]
    fn all_pairs_of_storages_agree() {
        let a = [1.0, 0.0, -2.0, 0.5, 0.0, 0.0, 3.0, 0.0, 1.0];
        let b = [0.0, 0.0, 4.0, 1.5, 2.0, 0.0, -1.0, 0.0, 0.0];
        let sets = storages(&a, &b);
        for left in &sets {
            assert_eq!(left.row(0).norm_squared(), 15.25);
            assert_eq!(left.norm_squared(0), 15.25);
            for right in &sets {
                let (x, z) = (left.row(0), right.row(1));
                assert_eq!(x.dot(&z), -10.25);
                assert_eq!(x.distance_squared(&z), 1.0 + 36.0 + 1.0 + 4.0 + 16.0 + 1.0);
                assert_eq!(x.distance_manhattan(&z), 1.0 + 6.0 + 1.0 + 2.0 + 4.0 + 1.0);
            }
        }
    }

    #[test]
    fn an_equal_row_gives_the_squared_norm_bit_for_bit() {
        for len in 0..40 {
            let values: Vec<f64> = (0..len).map(|k| (f64::from(k) * 1.7).sin() / 3.0).collect();
            let row = Row::DenseF64(&values);
            assert_eq!(row.dot(&Row::DenseF64(&values.clone())).to_bits(), row.norm_squared().to_bits());
        }
    }

    #[test]
    fn writing_and_adding_touch_stored_entries_only() {
        let sparse = Csr::new(vec![0, 2], vec![1, 3], vec![5.0, 7.0], 4).unwrap();
        let mut out = [9.0; 4];
        sparse.row(0).write_to(&mut out);
        assert_eq!(out, [0.0, 5.0, 0.0, 7.0]);
        sparse.row(0).add_scaled_to(2.0, &mut out);
        assert_eq!(out, [0.0, 15.0, 0.0, 21.0]);
    }
}
