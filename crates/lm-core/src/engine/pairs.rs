//! Kernel values of one pair after the other: where nothing can be packed.

use super::coefficients::Coefficients;
use super::elementary::Real;
use crate::gram::Columns;
use crate::kernel::{Kernel, VectorKernel};
use crate::{Examples, parallel};

/// Adds to `out[q·outputs + o]` the sum of `c·K(x, query q)`.
pub(super) fn expand(
    kernel: VectorKernel,
    examples: &dyn Examples,
    queries: &dyn Examples,
    coefficients: &Coefficients,
    out: &mut [f64],
) {
    parallel::for_each_chunk(out, coefficients.outputs().max(1), |query, out| {
        let query = queries.row(query);
        for j in 0..examples.len() {
            let value = kernel.value(&examples.row(j), &query);
            coefficients.of(j).iter().for_each(|&(output, c)| out[output] += c * value);
        }
    });
}

/// Writes rows of kernel values.
pub(super) fn fill<T: Real>(
    kernel: VectorKernel,
    examples: &dyn Examples,
    rows: &[usize],
    columns: Columns<'_>,
    out: &mut [T],
) {
    const COLUMNS: usize = 512;
    let count = columns.count(examples.len()).max(1);
    for (&row, out) in rows.iter().zip(out.chunks_exact_mut(count)) {
        let own = examples.row(row);
        parallel::for_each_chunk(out, COLUMNS, |block, out| {
            for (offset, out) in out.iter_mut().enumerate() {
                let other = examples.row(columns.at(block * COLUMNS + offset));
                *out = T::of(kernel.value(&own, &other));
            }
        });
    }
}
