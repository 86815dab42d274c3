//! Kernel rows over sparse examples: batches of rows scattered into a table, hot columns dense.

mod lists;
mod table;

use std::sync::Arc;

use super::arithmetic::Element;
use super::coefficients::Coefficients;
use super::elementary::Real;
use super::epilogue::Epilogue;
use super::simd::{Instructions, Simd, Task};
use super::tile::{MOST_ROWS, MOST_WIDTH, Sums};
use crate::examples::Examples;
use crate::gram::Columns;
use crate::{Result, threads};
use lists::{Lists, Numbering, reserved};
use table::Table;

/// Tables that are filled at the same time, so that examples are gone through several times while they are near.
const GROUP: usize = 4;

/// Bytes of examples that are gone through with one table before the next: a part of the cache of a core.
const NEAR: usize = 256 << 10;

/// Parts that a large request is cut into, at least: more than most machines have cores.
const PARTS: usize = 16;

/// Operations, as multiply-adds, that outweigh handing work to another thread.
const WORTH_A_THREAD: usize = 1 << 21;

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
        let squares =
            self.instructions.run(Squares { numbering: &self.numbering, lists: &self.lists })?;
        let mut norms = reserved("the norms of the examples", squares.len())?;
        let rests = self.lists.rests();
        norms.extend(squares.iter().zip(rests).map(|(s, rest)| (self.norm)(T::of(s.wide() + rest))));
        self.norms = norms;
        Ok(self)
    }

    /// The norm of each example.
    pub(crate) fn norms(&self) -> &[T] {
        &self.norms
    }

    /// The largest number of terms in the inner product of an example: its entries, and all hot columns.
    pub(crate) fn longest(&self) -> usize {
        self.lists.longest()
    }

    /// How many columns are stored densely.
    pub(crate) fn hot_columns(&self) -> usize {
        self.numbering.hot
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
        threads::for_each(jobs, small, |job| instructions.run(job));
    }

    /// Adds to `out[q·outputs + o]` the sum over the examples `j` of this set of `cⱼₒ·K(xⱼ, query q)`, in double precision.
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
        threads::for_each(jobs, small, |job| instructions.run(job));
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
        table.accumulate(s, &self.lists, examples, sums);
        self.epilogue.apply(s, &owns[..examples.len().min(MOST_ROWS)], table.norms::<S>(), sums);
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

/// The sums of some queries.
struct Expand<'a, T: Real + Element> {
    kept: &'a SparseSet<T>,
    queries: &'a SparseSet<T>,
    coefficients: &'a Coefficients,
    first: usize,
    out: &'a mut [f64],
}

impl<T: Real + Element> Task for Expand<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let outputs = self.coefficients.outputs();
        let count = self.out.len() / outputs;
        let mut tables = Vec::new();
        for _ in 0..count.div_ceil(T::WIDTH).min(GROUP) {
            tables.push(Table::new(&self.kept.numbering));
        }
        let mut totals = vec![[0.0; MOST_WIDTH]; outputs * GROUP];
        let mut first = self.first;
        for out in self.out.chunks_mut(GROUP * T::WIDTH * outputs) {
            let last = first + out.len() / outputs;
            let mut used = 0;
            while first < last {
                let end = last.min(first + T::WIDTH);
                tables[used].scatter(&self.queries.lists, &self.queries.norms, first..end);
                first = end;
                used += 1;
            }
            totals.fill([0.0; MOST_WIDTH]);
            sum(s, self.kept, self.coefficients, &tables[..used], &mut totals);
            let batches = out.chunks_mut(T::WIDTH * outputs).zip(totals.chunks_exact(outputs));
            for (out, totals) in batches {
                for (lane, out) in out.chunks_exact_mut(outputs).enumerate() {
                    out.iter_mut().zip(totals).for_each(|(out, total)| *out += total[lane]);
                }
            }
        }
    }
}

/// Sums the kernel values of the kept examples with the rows of each table, output by output.
#[inline(always)]
fn sum<S: Simd, T: Real + Element>(
    s: S,
    kept: &SparseSet<T>,
    coefficients: &Coefficients,
    tables: &[Table<T>],
    totals: &mut [[f64; MOST_WIDTH]],
) {
    let (outputs, len) = (coefficients.outputs(), coefficients.len().min(kept.lists.len()));
    let near = kept.near();
    let mut sums = Sums::new();
    let mut examples = [0; MOST_ROWS];
    let mut first = 0;
    while first < len {
        let last = len.min(first + near);
        for (table, totals) in tables.iter().zip(totals.chunks_exact_mut(outputs)) {
            let mut at = first;
            while at < last {
                let size = MOST_ROWS.min(last - at);
                for (offset, example) in examples[..size].iter_mut().enumerate() {
                    *example = at + offset;
                }
                kept.tile(s, table, &examples[..size], &mut sums);
                for (values, &example) in sums.0.iter().zip(&examples[..size]) {
                    for &(output, c) in coefficients.of(example) {
                        for (total, value) in totals[output].iter_mut().zip(values).take(T::WIDTH) {
                            *total += c * value.wide();
                        }
                    }
                }
                at += size;
            }
        }
        first = last;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Csr;

    fn read(name: &str, most: usize) -> Csr<'static> {
        let text = std::fs::read_to_string(format!("/tmp/sp_{name}.svm")).unwrap();
        let (mut offsets, mut indices, mut values, mut dim) = (vec![0], vec![], vec![], 0);
        for line in text.lines().take(most) {
            for entry in line.split_whitespace().skip(1) {
                let (k, v) = entry.split_once(':').unwrap();
                let k: u32 = k.parse().unwrap();
                if k > std::env::var("DCAP").map_or(u32::MAX, |v| v.parse().unwrap()) {
                    continue;
                }
                dim = dim.max(k as usize);
                indices.push(k - 1);
                values.push(v.parse().unwrap());
            }
            offsets.push(values.len());
        }
        Csr::new(offsets, indices, values, dim).unwrap()
    }

    #[test]
    fn probe_speed() {
        let env = |name: &str, default: usize| std::env::var(name).map_or(default, |r| r.parse().unwrap());
        let names = std::env::var("SET").unwrap_or("a9a,w8a,news20".into());
        let level = [Instructions::Portable, Instructions::Avx2, Instructions::Avx512][env("LEVEL", 2)];
        for name in names.split(',') {
            let examples = read(name, env("N", 100_000).min(if name == "a9a" { 10_000 } else { 100_000 }));
            use crate::collection::Collection;
            let n = examples.len();
            let gamma = if name == "news20" { 0.001 } else { 0.05 };
            let factor = (2.0 * gamma * std::f64::consts::LOG2_E).sqrt();
            let t = std::time::Instant::now();
            let set =
                SparseSet::<f32>::new(level, &examples, factor, Epilogue::Halved, |n| n / 2.0).unwrap();
            println!("{name}: packed in {:.1} ms, hot {}", t.elapsed().as_secs_f64() * 1e3, set.hot_columns());
            let ms = std::env::var("M").map_or(vec![1, 16, 32, 128], |d| vec![d.parse().unwrap()]);
            for m in ms {
                let rows: Vec<usize> = (0..m).map(|k| k * 61 % n).collect();
                let mut out = vec![0.0_f32; m * n];
                let mut best = f64::INFINITY;
                for _ in 0..env("R", 1 + 2560 / (m + 16)) {
                    let t = std::time::Instant::now();
                    set.fill(level, &rows, Columns::All, &mut out).unwrap();
                    best = best.min(t.elapsed().as_secs_f64());
                }
                println!("  {level:?} m={m}: {:.3} ns  {}", best * 1e9 / (m * n) as f64, out[5]);
            }
            let queries = set.queries(&examples, 0, 1000).unwrap();
            let coefficients = Coefficients::single(&vec![0.5; n]);
            let mut out = vec![0.0; 1000];
            let mut best = f64::INFINITY;
            for _ in 0..10 {
                let t = std::time::Instant::now();
                set.expand(level, &queries, &coefficients, &mut out);
                best = best.min(t.elapsed().as_secs_f64());
            }
            println!("  expand {:.3} ns {}", best * 1e6 / n as f64, out[7]);
        }
    }
}
