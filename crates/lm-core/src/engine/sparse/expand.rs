//! Sums of kernel values over kept examples, for a range of queries.

use super::super::arithmetic::Element;
use super::super::coefficients::Coefficients;
use super::super::elementary::Real;
use super::super::simd::{Simd, Task};
use super::super::tile::{MOST_ROWS, MOST_WIDTH, Sums};
use super::table::Table;
use super::{GROUP, SparseSet};

/// The sums of some queries.
pub(super) struct Expand<'a, T: Real + Element> {
    pub(super) kept: &'a SparseSet<T>,
    pub(super) queries: &'a SparseSet<T>,
    pub(super) coefficients: &'a Coefficients,
    /// The first of them.
    pub(super) first: usize,
    /// The place of each output of each query.
    pub(super) out: &'a mut [f64],
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
