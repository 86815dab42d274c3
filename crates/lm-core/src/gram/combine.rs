//! Combinations of rows of a Gram matrix, from blocks of rows.

use super::{Columns, Gram, Precision, check_combination};
use crate::Result;
use crate::engine::RowSums;

/// Values of a block of rows, which stays near the processor, and the most rows that are worth computing together.
const VALUES: usize = 1 << 19;
const ROWS: usize = 48;

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
    let mut sums = RowSums::new(out.len());
    let parts = rows.chunks(together).zip(coefficients.chunks(together));
    match precision {
        Precision::F64 => {
            let mut block = vec![0.0; together * out.len()];
            for (rows, coefficients) in parts {
                let block = &mut block[..rows.len() * out.len()];
                gram.fill(rows, columns, block)?;
                sums.add_rows(coefficients, block);
            }
        }
        Precision::F32 => {
            let mut block = vec![0.0_f32; together * out.len()];
            for (rows, coefficients) in parts {
                let block = &mut block[..rows.len() * out.len()];
                gram.fill_f32(rows, columns, block)?;
                sums.add_rows(coefficients, block);
            }
        }
    }
    sums.add_to(out);
    Ok(())
}
