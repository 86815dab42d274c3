//! Combinations of rows of a Gram matrix, from blocks of rows.

use super::{Columns, Gram, Precision, check_combination};
use crate::{Element, Result, parallel};

/// Values of a block of rows, which stays near the processor, and the most rows that are worth computing together.
const VALUES: usize = 1 << 19;
const ROWS: usize = 48;

/// Columns that one core adds up.
const COLUMNS: usize = 2048;

/// What [`Gram::combine`] does, for any matrix that delivers rows.
pub(super) fn from_rows<G: Gram + ?Sized>(
    gram: &G,
    rows: &[usize],
    coefficients: &[f64],
    columns: Columns<'_>,
    precision: Precision,
    out: &mut [f64],
) -> Result<()> {
    check_combination(gram.len(), rows, coefficients, columns, out.len())?;
    if rows.is_empty() || out.is_empty() {
        return Ok(());
    }
    let together = (VALUES / out.len()).clamp(4, ROWS).min(rows.len());
    // What the rounding of each sum lost.
    let mut sums: Vec<Sum> = out.iter().map(|&before| Sum { total: before, lost: 0.0 }).collect();
    match precision {
        Precision::F64 => {
            let mut block = vec![0.0; together * out.len()];
            for (rows, coefficients) in rows.chunks(together).zip(coefficients.chunks(together)) {
                let block = &mut block[..rows.len() * out.len()];
                gram.fill(rows, columns, block)?;
                add(coefficients, block, &mut sums);
            }
        }
        Precision::F32 => {
            let mut block = vec![0.0; together * out.len()];
            for (rows, coefficients) in rows.chunks(together).zip(coefficients.chunks(together)) {
                let block = &mut block[..rows.len() * out.len()];
                gram.fill_f32(rows, columns, block)?;
                add(coefficients, block, &mut sums);
            }
        }
    }
    out.iter_mut().zip(sums).for_each(|(out, sum)| *out = sum.total + sum.lost);
    Ok(())
}

/// A sum and what its additions rounded off.
#[derive(Clone, Copy)]
struct Sum {
    total: f64,
    lost: f64,
}

/// Adds rows with their coefficients, on all cores.
fn add<T: Element>(coefficients: &[f64], block: &[T], sums: &mut [Sum]) {
    let count = sums.len();
    parallel::for_each_chunk(sums, COLUMNS, |at, sums| {
        for (&coefficient, values) in coefficients.iter().zip(block.chunks_exact(count)) {
            for (sum, value) in sums.iter_mut().zip(&values[at * COLUMNS..]) {
                let product = coefficient * value.to_f64();
                let total = sum.total + product;
                let back = total - sum.total;
                sum.lost += (sum.total - (total - back)) + (product - back);
                sum.total = total;
            }
        }
    });
}
