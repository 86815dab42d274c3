//! Kernel rows over sparse examples: batches of rows scattered into a table, hot columns dense.
//!
//! # Problem
//! Kernels that are functions of inner products, for every pair of some rows with some examples, most of whose entries
//! are zero; and sums of such values over kept examples.
//! # Method
//! Columns are numbered by decreasing frequency. Those with entries in a third of the examples or more are hot: every
//! example holds them densely, without indices. Two vectors of rows are scattered into a table with a line for each column,
//! so that a stored entry of an example costs a broadcast, the loads of its line and a multiply-add for each vector.
//! Where a table of all columns would exceed 256 KB, it has lines only for the columns in which its rows have entries, found
//! through a slot for each column; all other columns share a line of zeros. Tiles of twelve examples go through the
//! epilogue and are transposed in squares of four.
//!
//! The inner product of a pair is one running sum, in the order of the numbering. Terms with an absent entry are exact
//! zeros, so it has the same bits whichever of the two is in the table, in every request. Norms are formed by the same code.
//!
//! Measured choices: density ⅓ against ½, ⅕ and ⅛; lists filled up to 2 entries against 1, 4 and 8; two vectors of rows
//! against one (a quarter to a half less time a value); slots against a table of all columns (half the time on
//! news20). Neither going through two lists at once nor dropping the entries of other columns before multiplying was
//! faster. Narrower batches and prefetching were not tried once slots kept tables small.
//! # Cost
//! For a batch of rows, a pass over the entries of the examples. Gaussian values in single precision on one
//! core with AVX-512, examples as long as those of a9a, w8a and news20 (14, 12 and 80 entries): about 1.0, 1.3 and 6.8 ns a
//! value, best of many runs on a shared machine; 0.8, 1.0 and 4.3 ns where values are summed instead of stored.
//! # Reference
//! Gustavson (1978), *Two fast algorithms for sparse matrices*, for rows scattered into a dense accumulator.

mod expand;
mod lists;
mod table;

use std::sync::Arc;

use super::WORTH_A_THREAD;
use super::arithmetic::Element;
use super::coefficients::Coefficients;
use super::elementary::Real;
use super::epilogue::{Epilogue, Places};
use super::packed::Diagonal;
use super::simd::{Instructions, Simd, Task};
use super::tile::{MOST_ROWS, MOST_WIDTH, Sums};
use crate::examples::Examples;
use crate::gram::Columns;
use crate::{Result, parallel};
use expand::Expand;
use lists::{Lists, Numbering, reserved};
use table::Table;

/// Tables that are filled at the same time, so that examples are gone through several times while they are near.
const GROUP: usize = 4;

/// Bytes of examples that are gone through with one table before the next: a part of the cache of a core.
const NEAR: usize = 256 << 10;

/// Parts that a large request is cut into, at least: more than most machines have cores.
const PARTS: usize = 16;

/// Sparse examples, ready for one kernel that is a function of inner products.
#[derive(Debug)]
pub(crate) struct SparseSet<T: Real + Element> {
    instructions: Instructions,
    numbering: Arc<Numbering>,
    lists: Lists<T>,
    norms: Vec<T>,
    factor: f64,
    epilogue: Epilogue<T>,
    norm: fn(T) -> T,
}

impl<T: Real + Element> SparseSet<T> {
    /// Packs examples, every value times `factor`. The norm of an example is `norm` of its sum of squares.
    pub(crate) fn new<E: Examples + ?Sized>(
        instructions: Instructions,
        examples: &E,
        factor: f64,
        epilogue: Epilogue<T>,
        norm: fn(T) -> T,
    ) -> Result<Self> {
        let numbering = Arc::new(Numbering::new(examples)?);
        let lists = Lists::pack(&numbering, examples, 0, examples.len(), factor)?;
        Self { instructions, numbering, lists, norms: Vec::new(), factor, epilogue, norm }.with_norms()
    }

    /// Examples `first..first + count` of other ones, packed with the same numbering of columns, factor and norm.
    ///
    /// Entries in columns that no example of this set has count in the norms, and nowhere else.
    pub(crate) fn queries<E: Examples + ?Sized>(
        &self,
        examples: &E,
        first: usize,
        count: usize,
    ) -> Result<Self> {
        let &Self { instructions, factor, epilogue, norm, .. } = self;
        let numbering = Arc::clone(&self.numbering);
        let lists = Lists::pack(&numbering, examples, first, count, factor)?;
        Self { instructions, numbering, lists, norms: Vec::new(), factor, epilogue, norm }.with_norms()
    }

    fn with_norms(mut self) -> Result<Self> {
        let squares = self.instructions.run(Squares { numbering: &self.numbering, lists: &self.lists })?;
        let mut norms = reserved("the norms of the examples", squares.len())?;
        let rests = self.lists.rests();
        norms.extend(squares.iter().zip(rests).map(|(s, rest)| (self.norm)(T::of(s.wide() + rest))));
        self.norms = norms;
        Ok(self)
    }

    /// Writes the kernel value of every example with itself.
    pub(crate) fn diagonal(&self, instructions: Instructions, out: &mut [f64]) {
        instructions.run(Diagonal { epilogue: &self.epilogue, norms: &self.norms, out });
    }

    /// Writes the asked columns of the asked rows, which exist, row after row.
    pub(crate) fn fill<O: Real>(
        &self,
        instructions: Instructions,
        rows: &[usize],
        columns: Columns<'_>,
        out: &mut [O],
    ) -> Result<()> {
        let count = columns.count(self.lists.len());
        if count == 0 {
            return Ok(());
        }
        let mut tables = Vec::new();
        for _ in 0..rows.len().div_ceil(T::WIDTH).min(GROUP) {
            tables.push(Table::try_new(&self.numbering)?);
        }
        let group = GROUP * T::WIDTH;
        for (rows, out) in rows.chunks(group).zip(out.chunks_mut(group * count)) {
            let batches = rows.chunks(T::WIDTH);
            let used = batches.len();
            for (table, batch) in tables.iter_mut().zip(batches) {
                table.scatter(&self.lists, &self.norms, batch.iter().copied());
            }
            self.fill_group(instructions, &tables[..used], columns, count, out);
        }
        Ok(())
    }

    /// Writes the columns of the rows that are in tables.
    fn fill_group<O: Real>(
        &self,
        instructions: Instructions,
        tables: &[Table<T>],
        columns: Columns<'_>,
        count: usize,
        out: &mut [O],
    ) {
        let work = tables.len().saturating_mul(T::WIDTH).saturating_mul(self.lists.steps());
        let part = self.near().min(count.div_ceil(PARTS)).max(WORTH_A_THREAD / 4 / work);
        let part = part.next_multiple_of(MOST_ROWS);
        let mut jobs: Vec<FillColumns<'_, T, O>> = Vec::with_capacity(count.div_ceil(part));
        for start in (0..count).step_by(part) {
            let (end, out) = (count.min(start + part), Vec::with_capacity(out.len() / count));
            jobs.push(FillColumns { set: self, tables, columns, start, end, out });
        }
        for row in out.chunks_exact_mut(count) {
            for (job, part) in jobs.iter_mut().zip(row.chunks_mut(part)) {
                job.out.push(part);
            }
        }
        let small = work.saturating_mul(count) < WORTH_A_THREAD;
        parallel::for_each(jobs, small, |job| instructions.run(job));
    }

    /// Adds to `out[q·outputs + o]` the sum over the examples `j` of this set of `cⱼₒ·K(xⱼ, query q)`, in double precision.
    ///
    /// Threads share queries and not examples: fewer queries than two vectors hold are answered by one of them.
    pub(crate) fn expand(
        &self,
        instructions: Instructions,
        queries: &Self,
        coefficients: &Coefficients,
        out: &mut [f64],
    ) {
        let outputs = coefficients.outputs();
        if outputs == 0 {
            return;
        }
        let part = queries.lists.len().div_ceil(PARTS).next_multiple_of(T::WIDTH).max(T::WIDTH);
        let jobs: Vec<_> = (out.chunks_mut(part * outputs).enumerate())
            .map(|(job, out)| Expand { kept: self, queries, coefficients, first: job * part, out })
            .collect();
        let work = self.lists.len().saturating_mul(self.lists.steps());
        let small = work.saturating_mul(queries.lists.len()) < WORTH_A_THREAD;
        parallel::for_each(jobs, small, |job| instructions.run(job));
    }

    /// Examples that are gone through with one table before the next.
    fn near(&self) -> usize {
        let bytes = self.lists.steps() * (size_of::<T>() + size_of::<u32>());
        (NEAR / bytes).max(1).next_multiple_of(MOST_ROWS)
    }

    /// The kernel values of some examples with the rows in a table.
    #[inline(always)]
    fn tile<S: Simd>(&self, s: S, table: &Table<T>, examples: &[usize], sums: &mut Sums<T>) {
        let mut owns = [T::default(); MOST_ROWS];
        for (own, &example) in owns.iter_mut().zip(examples) {
            *own = self.norms[example];
        }
        let mut products = Sums::new();
        table.accumulate(s, &self.lists, examples, &mut products);
        let owns = &owns[..examples.len().min(MOST_ROWS)];
        let to = Places { rows: &mut sums.rows(), place: 0 };
        self.epilogue.apply(s, owns, table.norms::<S>(), &products, to);
    }
}

/// The product of each example with itself, as a tile forms it.
struct Squares<'a, T> {
    numbering: &'a Numbering,
    lists: &'a Lists<T>,
}

impl<T: Real + Element> Task for Squares<'_, T> {
    type Output = Result<Vec<T>>;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Self::Output {
        let len = self.lists.len();
        let mut out = reserved("the norms of the examples", len)?;
        out.resize(len, T::default());
        let mut table = Table::try_new(self.numbering)?;
        let mut sums = Sums::new();
        let mut start = 0;
        while start < len {
            let end = len.min(start + T::WIDTH);
            table.scatter(self.lists, &out, start..end);
            for (lane, out) in out[start..end].iter_mut().enumerate() {
                table.accumulate(s, self.lists, &[start + lane], &mut sums);
                *out = sums.0[0][lane];
            }
            start = end;
        }
        Ok(out)
    }
}

/// Some columns of the rows in tables.
struct FillColumns<'a, T: Real + Element, O> {
    set: &'a SparseSet<T>,
    tables: &'a [Table<T>],
    columns: Columns<'a>,
    start: usize,
    end: usize,
    /// The place of each row.
    out: Vec<&'a mut [O]>,
}

impl<T: Real + Element, O: Real> Task for FillColumns<'_, T, O> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, s: S) {
        let mut sums = Sums::new();
        let mut examples = [0; MOST_ROWS];
        let near = self.set.near();
        let mut first = self.start;
        while first < self.end {
            let last = self.end.min(first + near);
            let mut row = 0;
            for table in self.tables {
                let out = &mut self.out[row..row + table.rows()];
                let mut at = first;
                while at < last {
                    let size = MOST_ROWS.min(last - at);
                    for (offset, example) in examples[..size].iter_mut().enumerate() {
                        *example = self.columns.at(at + offset);
                    }
                    self.set.tile(s, table, &examples[..size], &mut sums);
                    deliver(&sums, size, at - self.start, out);
                    at += size;
                }
                row += table.rows();
            }
            first = last;
        }
    }
}

/// Writes a tile of `size` examples to the rows of `out`, from column `at` on.
#[inline(always)]
fn deliver<T: Real, O: Real>(sums: &Sums<T>, size: usize, at: usize, out: &mut [&mut [O]]) {
    let (blocks, last) = sums.0[..size].as_chunks::<SIDE>();
    let (fours, rest) = out.as_chunks_mut::<SIDE>();
    let (done, lanes) = (at + blocks.len() * SIDE, fours.len() * SIDE);
    for (four, rows) in fours.iter_mut().enumerate() {
        for (block, values) in blocks.iter().enumerate() {
            transpose(values, four * SIDE, rows, at + block * SIDE);
        }
    }
    for (lane, row) in fours.as_flattened_mut().iter_mut().enumerate() {
        for (values, out) in last.iter().zip(&mut row[done..]) {
            *out = O::of(values[lane].wide());
        }
    }
    for (lane, row) in rest.iter_mut().enumerate() {
        for (values, out) in sums.0[..size].iter().zip(&mut row[at..]) {
            *out = O::of(values[lanes + lane].wide());
        }
    }
}

/// Examples and rows that are transposed together: so few that the compiler shuffles them in registers, where for more it
/// gathers them from memory.
const SIDE: usize = 4;

/// Writes a square block of a tile to the rows of `out`.
#[inline(always)]
fn transpose<T: Real, O: Real>(
    values: &[[T; MOST_WIDTH]; SIDE],
    lane: usize,
    out: &mut [&mut [O]; SIDE],
    at: usize,
) {
    let mut block = [[O::default(); SIDE]; SIDE];
    for (example, values) in values.iter().enumerate() {
        for (row, value) in values[lane..lane + SIDE].iter().enumerate() {
            block[row][example] = O::of(value.wide());
        }
    }
    for (out, row) in out.iter_mut().zip(&block) {
        out[at..at + SIDE].copy_from_slice(row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::Collection;
    use crate::kernel::{Kernel, KernelForm};
    use crate::{Csr, Row, VectorKernel};
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    /// Examples with some dense columns, some columns without entries, an empty row and two equal rows.
    fn random_set(random: &mut ChaCha8Rng, len: usize, dim: usize, density: f64) -> Csr<'static> {
        let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in 0..len {
            if row == 2 {
                indices.extend_from_within(offsets[0]..offsets[1]);
                values.extend_from_within(offsets[0]..offsets[1]);
            } else if row != 1 {
                for column in 0..dim {
                    let density = if column % 9 == 4 { 0.7 } else { density };
                    if column % 11 != 10 && random.random_bool(density) {
                        indices.push(column as u32);
                        values.push(random.random_range(-1.0..1.0));
                    }
                }
            }
            offsets.push(values.len());
        }
        Csr::new(offsets, indices, values, dim).unwrap()
    }

    /// Sets of many shapes; the last ones have more columns than a table has lines of their own.
    fn sets() -> impl Iterator<Item = (u64, Csr<'static>)> {
        let shapes = [(1, 1, 0.5), (1, 9, 0.0), (3, 4, 1.0), (14, 30, 0.1), (37, 12, 0.5), (150, 200, 0.02)];
        let wide = [(40, 6_000, 0.03), (7, 9_000, 0.4)];
        shapes.into_iter().chain(wide).zip(1..).map(|((len, dim, density), seed)| {
            (seed, random_set(&mut ChaCha8Rng::seed_from_u64(seed), len, dim, density))
        })
    }

    /// An epilogue with its factor and norm, and the kernel that it computes.
    type Case<T> = (VectorKernel, f64, Epilogue<T>, fn(T) -> T);

    fn cases<T: Real>() -> Vec<Case<T>> {
        let kernels = [
            VectorKernel::linear(),
            VectorKernel::polynomial(3, 0.1, 0.5).unwrap(),
            VectorKernel::gaussian(0.05).unwrap(),
            VectorKernel::sigmoid(0.02, -0.3).unwrap(),
        ];
        let mut cases: Vec<Case<T>> = Vec::new();
        for kernel in kernels {
            cases.push((kernel, 1.0, Epilogue::of(kernel.form(), 1.0), |norm| norm));
        }
        let factor = (2.0 * 0.05 * T::EXPONENT_SCALE).sqrt();
        cases.push((kernels[2], factor, Epilogue::Halved, |norm| T::of(norm.wide() / 2.0)));
        cases
    }

    fn unit<T: Real>() -> f64 {
        if size_of::<T>() == 4 { f64::from(f32::EPSILON) / 2.0 } else { f64::EPSILON / 2.0 }
    }

    /// What rounding to a unit `u` can do to a kernel value: `terms` sums and products, two rounded factors, and
    /// the error of the kernel's own function, propagated to first order with 1 % to spare.
    fn tolerance(kernel: &VectorKernel, a: &Row<'_>, b: &Row<'_>, terms: usize, u: f64) -> f64 {
        let mut sizes = vec![0.0; a.dim().max(b.dim())];
        a.for_each(|column, value| sizes[column] = value.abs());
        let mut product = 0.0;
        b.for_each(|column, value| product += value.abs() * sizes[column]);
        let norms = a.norm_squared() + b.norm_squared();
        let steps = (terms + 6) as f64 * u * 1.01;
        match kernel.form() {
            KernelForm::Linear => steps * product,
            KernelForm::Polynomial { degree, scale, constant } => {
                let base = scale * product + constant;
                f64::from(degree) * base.powi(degree as i32) * (steps + 4.0 * u)
            }
            // Of the exponent: the two norms and twice the product, each at most their sum. The power is good to 4 units.
            KernelForm::Gaussian { gamma } => gamma * 2.0 * norms * steps + 5.0 * u,
            KernelForm::Sigmoid { scale, constant } => {
                (scale.abs() * product + constant.abs()) * (steps + 3.0 * u) + 10.0 * u
            }
            KernelForm::Laplacian { .. } => 0.0,
        }
    }

    fn whole<T: Real + Element>(set: &SparseSet<T>, level: Instructions) -> Vec<T> {
        let len = set.norms.len();
        let rows: Vec<usize> = (0..len).collect();
        let mut out = vec![T::default(); len * len];
        set.fill(level, &rows, Columns::All, &mut out).unwrap();
        out
    }

    fn bits<T: Real>(values: &[T]) -> Vec<u64> {
        values.iter().map(|value| value.wide().to_bits()).collect()
    }

    fn values_are_right_and_symmetric<T: Real + Element>() {
        for (seed, examples) in sets() {
            let len = examples.len();
            for (kernel, factor, epilogue, norm) in cases::<T>() {
                for level in Instructions::available() {
                    let set = SparseSet::new(level, &examples, factor, epilogue, norm).unwrap();
                    let values = whole(&set, level);
                    for i in 0..len {
                        for j in 0..len {
                            let (a, b) = (examples.row(i), examples.row(j));
                            let (value, exact) = (values[i * len + j].wide(), kernel.value(&a, &b));
                            let tolerance = tolerance(
                                &kernel,
                                &a,
                                &b,
                                set.numbering.hot + set.numbering.cold,
                                unit::<T>(),
                            );
                            let place = format!("{kernel:?} {level:?} seed {seed}: {i}, {j}");
                            assert!((value - exact).abs() <= tolerance, "{place}: {value} for {exact}");
                            let mirrored = values[j * len + i].wide();
                            assert_eq!(value.to_bits(), mirrored.to_bits(), "{place}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn values_are_right_and_symmetric_in_single_precision() {
        values_are_right_and_symmetric::<f32>();
    }

    #[test]
    fn values_are_right_and_symmetric_in_double_precision() {
        values_are_right_and_symmetric::<f64>();
    }

    fn equal_examples_have_value_one<T: Real + Element>() {
        for (seed, examples) in sets().filter(|(_, examples)| examples.len() > 2) {
            for (_, factor, epilogue, norm) in cases::<T>() {
                if !matches!(epilogue, Epilogue::Halved | Epilogue::Distance { .. }) {
                    continue;
                }
                for level in Instructions::available() {
                    let set = SparseSet::new(level, &examples, factor, epilogue, norm).unwrap();
                    let (values, len) = (whole(&set, level), examples.len());
                    assert!((0..len).all(|i| values[i * len + i].wide() == 1.0), "{level:?} seed {seed}");
                    assert_eq!(
                        (values[2].wide(), values[2 * len].wide()),
                        (1.0, 1.0),
                        "{level:?} seed {seed}"
                    );
                }
            }
        }
    }

    #[test]
    fn equal_examples_have_gaussian_value_exactly_one() {
        equal_examples_have_value_one::<f32>();
        equal_examples_have_value_one::<f64>();
    }

    fn every_request_gives_the_same_bits<T: Real + Element>() {
        for (seed, examples) in sets() {
            let random = &mut ChaCha8Rng::seed_from_u64(seed);
            let (_, factor, epilogue, norm) = cases::<T>()[4];
            for level in Instructions::available() {
                let set = SparseSet::new(level, &examples, factor, epilogue, norm).unwrap();
                let (values, len) = (whole(&set, level), examples.len());
                for count in [0, 1, 2, 5, 9, 16, 17, 31, 33, 64, 131] {
                    let mut some = |count| (0..count).map(|_| random.random_range(0..len)).collect();
                    let rows: Vec<usize> = some(count);
                    let list: Vec<usize> = some(count / 2 + 1);
                    let start = list[0];
                    for columns in
                        [Columns::All, (start..len).into(), (start..start).into(), Columns::List(&list)]
                    {
                        let mut out = vec![0.0; rows.len() * columns.count(len)];
                        set.fill(level, &rows, columns, &mut out).unwrap();
                        let expected: Vec<T> = (rows.iter())
                            .flat_map(|row| (0..columns.count(len)).map(move |k| row * len + columns.at(k)))
                            .map(|place| values[place])
                            .collect();
                        assert_eq!(
                            bits(&out),
                            bits(&expected),
                            "{level:?} seed {seed}: {count} rows, {columns:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn every_request_gives_the_same_bits_in_both_precisions() {
        every_request_gives_the_same_bits::<f32>();
        every_request_gives_the_same_bits::<f64>();
    }

    #[test]
    fn fused_instructions_give_the_same_bits() {
        if let [_, avx2, avx512] = Instructions::available()[..] {
            for (seed, examples) in sets() {
                for (_, factor, epilogue, norm) in cases::<f32>() {
                    let values = [avx2, avx512].map(|level| {
                        whole(&SparseSet::new(level, &examples, factor, epilogue, norm).unwrap(), level)
                    });
                    assert_eq!(bits(&values[0]), bits(&values[1]), "{epilogue:?} seed {seed}");
                }
            }
        }
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let examples = random_set(&mut ChaCha8Rng::seed_from_u64(9), 700, 300, 0.1);
        let (_, factor, epilogue, norm) = cases::<f32>()[4];
        let level = Instructions::best();
        let set = SparseSet::new(level, &examples, factor, epilogue, norm).unwrap();
        let coefficients: Vec<f64> = (0..700).map(|k| f64::from(k).sin()).collect();
        let coefficients = Coefficients::single(&coefficients);
        let queries = set.queries(&examples, 100, 500).unwrap();
        let results: Vec<_> = (1..=3)
            .map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let mut sums = vec![0.0; 500];
                let values = pool.install(|| {
                    set.expand(level, &queries, &coefficients, &mut sums);
                    whole(&set, level)
                });
                (bits(&values), bits(&sums))
            })
            .collect();
        assert!(results[0] == results[1] && results[0] == results[2]);
    }

    fn expansions_are_plain_sums<T: Real + Element>() {
        for (seed, examples) in sets() {
            let random = &mut ChaCha8Rng::seed_from_u64(100 + seed);
            let (len, dim) = (examples.len(), examples.dim());
            // With entries in columns that the kept examples do not have, some of them beyond their dimension.
            let others = random_set(random, 45, dim + 13, 0.3);
            for outputs in [1, 4] {
                let mut parts = vec![Vec::new(); len];
                for part in &mut parts {
                    for output in 0..outputs {
                        if outputs == 1 || random.random_bool(0.6) {
                            part.push((output, random.random_range(-2.0..2.0)));
                        }
                    }
                }
                let coefficients = Coefficients::several(outputs, &parts).unwrap();
                let wider = examples.clone().widened(dim + 13).unwrap();
                for (kernel, factor, epilogue, norm) in cases::<T>() {
                    for level in Instructions::available() {
                        let set = SparseSet::new(level, &examples, factor, epilogue, norm).unwrap();
                        let queries = set.queries(&others, 3, 41).unwrap();
                        let terms = set.numbering.hot + set.numbering.cold;
                        let mut out = vec![0.25; 41 * outputs];
                        set.expand(level, &queries, &coefficients, &mut out);
                        for (place, &found) in out.iter().enumerate() {
                            let query = others.row(3 + place / outputs);
                            let (mut sum, mut slack, mut size) = (0.25, 0.0, 0.25);
                            for (row, part) in parts.iter().enumerate() {
                                for &(_, c) in part.iter().filter(|(o, _)| *o == place % outputs) {
                                    let (own, value) =
                                        (wider.row(row), kernel.value(&wider.row(row), &query));
                                    sum += c * value;
                                    size += (c * value).abs();
                                    slack += c.abs() * tolerance(&kernel, &own, &query, terms, unit::<T>());
                                }
                            }
                            // Both sums round in double precision.
                            slack += 2.0 * (len + 1) as f64 * f64::EPSILON * size;
                            assert!(
                                (found - sum).abs() <= slack,
                                "{kernel:?} {level:?} seed {seed}: {found} for {sum}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn expansions_are_plain_sums_in_both_precisions() {
        expansions_are_plain_sums::<f32>();
        expansions_are_plain_sums::<f64>();
    }

    #[test]
    fn a_query_equal_to_an_example_has_value_one() {
        for (seed, examples) in sets() {
            let (_, factor, epilogue, norm) = cases::<f32>()[4];
            let level = Instructions::best();
            let set = SparseSet::new(level, &examples, factor, epilogue, norm).unwrap();
            for kept in 0..examples.len() {
                let mut coefficients = vec![0.0; examples.len()];
                coefficients[kept] = 1.0;
                let (queries, mut out) = (set.queries(&examples, kept, 1).unwrap(), [0.0]);
                set.expand(level, &queries, &Coefficients::single(&coefficients), &mut out);
                assert_eq!(out, [1.0], "seed {seed}: {kept}");
            }
        }
    }

    #[test]
    fn hot_columns_are_the_dense_ones() {
        // Columns 1 and 3 are in all rows, column 0 in one of four; column 2 is empty.
        let offsets = vec![0, 3, 5, 7, 9];
        let examples = Csr::new(offsets, vec![0, 1, 3, 1, 3, 1, 3, 1, 3], vec![1.0; 9], 4).unwrap();
        let epilogue = Epilogue::Linear { factor: 1.0 };
        let set = SparseSet::<f64>::new(Instructions::best(), &examples, 2.0, epilogue, |norm| norm).unwrap();
        assert_eq!(set.numbering.hot, 2);
        assert_eq!(set.norms, [12.0, 8.0, 8.0, 8.0]);
    }

    #[test]
    fn a_value_that_overflows_when_scaled_and_a_query_that_does_not_exist_are_errors() {
        let examples = Csr::new(vec![0, 1, 2], vec![0, 1], vec![1.0, 1e30], 2).unwrap();
        let make = |factor| {
            let epilogue = Epilogue::Linear { factor: 1.0_f32 };
            SparseSet::new(Instructions::best(), &examples, factor, epilogue, |norm| norm)
        };
        let expected = crate::Error::NonFinite { what: "scaled example", row: 1, column: Some(1) };
        assert_eq!(make(1e10).err(), Some(expected));
        let refused = make(1.0).unwrap().queries(&examples, 1, 2).err();
        assert_eq!(refused, Some(crate::Error::Index { what: "example", index: 2, len: 2 }));
    }
}
