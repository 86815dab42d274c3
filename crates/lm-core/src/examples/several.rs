//! Inner products of several rows with one vector, and the addition of a row to a vector, by the processor's vectors.
//!
//! Both are the plain loops of [`row`](super::row), compiled for the instructions that the processor has: the same
//! operations in the same order on each row, so the same bits. Several rows at once overlap, where the sums of one row
//! wait for each other.

use super::row::{LANES, dense_dense, sparse_dense, sum_of_lanes};
use super::{Element, SparseRow};
use crate::engine::{Floats, Instructions, Simd, Task};

/// Rows that are computed together.
const TOGETHER: usize = 4;

/// Fewer multiplications than this are done before the choice of instructions is made.
const WORTH_A_CHOICE: usize = 256;

/// Rows that lie side by side, or are listed.
pub(super) trait Rows: Copy {
    /// How many there are.
    fn len(self) -> usize;
    /// The row at a place below that number.
    fn at(self, place: usize) -> usize;
}

/// The rows from this one on, of this number.
#[derive(Clone, Copy)]
pub(super) struct From(pub(super) usize, pub(super) usize);

impl Rows for From {
    #[inline(always)]
    fn len(self) -> usize {
        self.1
    }

    #[inline(always)]
    fn at(self, place: usize) -> usize {
        self.0 + place
    }
}

impl Rows for &[u32] {
    #[inline(always)]
    fn len(self) -> usize {
        <[u32]>::len(self)
    }

    #[inline(always)]
    fn at(self, place: usize) -> usize {
        self[place] as usize
    }
}

/// Writes the inner product of each of some rows with `w`. Row `i` starts at `i·stride` and has `dim` values.
pub(super) fn dense_dots<T: Element>(
    values: &[T],
    (dim, stride): (usize, usize),
    rows: impl Rows,
    w: &[f64],
    out: &mut [f64],
) {
    if dim * rows.len() < WORTH_A_CHOICE {
        let slice = |row: usize| &values[row * stride..row * stride + dim];
        let places = 0..rows.len();
        places.zip(out).for_each(|(place, out)| *out = dense_dense(slice(rows.at(place)), w));
        return;
    }
    Instructions::best().run(DenseDots { values, dim, stride, rows, w, out });
}

/// `w ← w + a·x`.
pub(super) fn add_scaled<T: Element>(x: &[T], a: f64, w: &mut [f64]) {
    if x.len() < WORTH_A_CHOICE {
        plain_add_scaled(x, a, w);
    } else {
        Instructions::best().run(AddScaled { x, a, w });
    }
}

/// `w ← w + a·x`, entry by entry.
#[inline(always)]
pub(super) fn plain_add_scaled<T: Element>(x: &[T], a: f64, w: &mut [f64]) {
    for (w, x) in w.iter_mut().zip(x) {
        *w += a * x.to_f64();
    }
}

struct AddScaled<'a, T> {
    x: &'a [T],
    a: f64,
    w: &'a mut [f64],
}

impl<T: Element> Task for AddScaled<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        plain_add_scaled(self.x, self.a, self.w);
    }
}

struct DenseDots<'a, T, R> {
    values: &'a [T],
    dim: usize,
    stride: usize,
    rows: R,
    w: &'a [f64],
    out: &'a mut [f64],
}

impl<T: Element, R: Rows> Task for DenseDots<'_, T, R> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self { values, dim, stride, rows, w, out } = self;
        let slice = |place: usize| {
            let start = rows.at(place) * stride;
            &values[start..start + dim]
        };
        let (groups, rest) = out[..rows.len()].as_chunks_mut::<TOGETHER>();
        let mut at = 0;
        for group in groups {
            *group = together(s, [slice(at), slice(at + 1), slice(at + 2), slice(at + 3)], w);
            at += TOGETHER;
        }
        for out in rest {
            [*out] = together(s, [slice(at)], w);
            at += 1;
        }
    }
}

/// What [`dense_dense`] gives for each row, the rows side by side.
#[inline(always)]
fn together<S: Simd, T: Element, const N: usize>(s: S, rows: [&[T]; N], w: &[f64]) -> [f64; N] {
    let len = rows.iter().fold(w.len(), |len, row| len.min(row.len()));
    let (w_blocks, w_rest) = w[..len].as_chunks::<LANES>();
    let blocks = rows.map(|row| &row[..len].as_chunks::<LANES>().0[..w_blocks.len()]);
    // Of eight running sums, as many vectors as hold them.
    let vectors = LANES / <S as Floats<f64>>::LANES;
    let mut sums = [[Floats::<f64>::splat(s, 0.0); LANES]; N];
    for (at, z) in w_blocks.iter().enumerate() {
        for (sums, blocks) in sums.iter_mut().zip(&blocks) {
            let x = blocks[at].map(T::to_f64);
            for (part, sum) in sums[..vectors].iter_mut().enumerate() {
                let lane = part * <S as Floats<f64>>::LANES;
                let product = Floats::<f64>::mul(
                    s,
                    Floats::<f64>::load(s, &x[lane..]),
                    Floats::<f64>::load(s, &z[lane..]),
                );
                *sum = Floats::<f64>::add(s, *sum, product);
            }
        }
    }
    let mut totals = [0.0; N];
    let start = len - w_rest.len();
    for ((total, sums), row) in totals.iter_mut().zip(&sums).zip(&rows) {
        let mut lanes = [0.0; LANES];
        for (part, &sum) in sums[..vectors].iter().enumerate() {
            Floats::<f64>::store(s, sum, &mut lanes[part * <S as Floats<f64>>::LANES..]);
        }
        *total = sum_of_lanes(&lanes);
        for (x, z) in row[start..len].iter().zip(w_rest) {
            *total += x.to_f64() * z;
        }
    }
    totals
}

/// Writes the inner product of each sparse row with `w`, one after the other: the processor overlaps them by itself.
#[inline]
pub(super) fn sparse_dots<'a, T: Element>(
    row: impl Fn(usize) -> SparseRow<'a, T>,
    rows: impl Rows,
    w: &[f64],
    out: &mut [f64],
) {
    let places = 0..rows.len();
    places.zip(out).for_each(|(place, out)| *out = sparse_dense(row(rows.at(place)), w));
}

#[cfg(test)]
mod tests {
    use crate::{Csr, Dense, Examples};
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    /// Random numbers of very different sizes, so that another order of summation shows; some are zero.
    fn numbers(len: usize, random: &mut ChaCha8Rng) -> Vec<f64> {
        let number = |random: &mut ChaCha8Rng| {
            let size = 10_f64.powi(random.random_range(0..9_i32) - 4);
            if random.random_range(0..4) == 0 { 0.0 } else { random.random_range(-1.0..1.0) * size }
        };
        (0..len).map(|_| number(random)).collect()
    }

    fn check(examples: &dyn Examples, random: &mut ChaCha8Rng, what: &str) {
        let (len, dim) = (examples.len(), examples.dim());
        // A learner may have more columns than a block of examples.
        let w = numbers(dim + random.random_range(0..3), random);
        for _ in 0..4 {
            let start = random.random_range(0..len);
            let end = start + random.random_range(0..len - start + 1);
            let mut out = vec![f64::NAN; end - start];
            examples.dots(start..end, &w, &mut out);
            for (row, value) in (start..end).zip(out) {
                assert_eq!(
                    value.to_bits(),
                    examples.dot(row, &w).to_bits(),
                    "{what}, row {row} of {start}..{end}"
                );
                assert_eq!(value.to_bits(), examples.row(row).dot_dense(&w).to_bits(), "{what}, row {row}");
            }
        }
        let listed: Vec<u32> =
            (0..random.random_range(0..20)).map(|_| random.random_range(0..len) as u32).collect();
        let mut out = vec![f64::NAN; listed.len()];
        examples.dots_at(&listed, &w, &mut out);
        for (&row, value) in listed.iter().zip(out) {
            assert_eq!(
                value.to_bits(),
                examples.dot(row as usize, &w).to_bits(),
                "{what}, row {row} of a list"
            );
        }
        let (mut added, mut expected) = (w.clone(), w.clone());
        let (row, a) = (random.random_range(0..len), random.random_range(-3.0..3.0));
        examples.add_scaled(row, a, &mut added);
        examples.row(row).for_each(|k, x| expected[k] += a * x);
        let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&added), bits(&expected), "{what}");
    }

    #[test]
    fn scores_of_several_rows_and_of_one_have_the_same_bits() {
        let mut random = ChaCha8Rng::seed_from_u64(7);
        for round in 0..300 {
            let (len, dim) = (
                1 + random.random_range(0..40),
                1 + random.random_range(0..(if round % 10 == 0 { 1500 } else { 90 })),
            );
            let stride = dim + random.random_range(0..3);
            let values = numbers(len * stride, &mut random);
            let narrow: Vec<f32> = values.iter().map(|&value| value as f32).collect();
            let what = format!("round {round}, {len} × {dim}");
            let strided = Dense::strided(&values, len, dim, stride).unwrap();
            check(&strided, &mut random, &what);
            check(&Dense::strided(&narrow, len, dim, stride).unwrap(), &mut random, &what);
            check(&Csr::from_rows(&strided).unwrap(), &mut random, &what);
            let narrow = Dense::strided(&narrow, len, dim, stride).unwrap();
            check(&Csr::from_rows(&narrow).unwrap(), &mut random, &what);
        }
    }
}
