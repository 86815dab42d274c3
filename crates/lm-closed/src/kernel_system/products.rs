//! Products with the matrix of a kernel system: from its lower triangle in memory, or from rows that are kept nowhere.

use lm_core::linalg::Matrix;
use lm_core::{Columns, Gram, Meter, Result, Stop, parallel};

use super::BLOCK;
use crate::conjugate_gradients::{Operator, dot};

/// `K + D` with its lower triangle in memory, one column after the other.
pub(super) struct Stored<'a>(pub(super) &'a Matrix);

impl Operator for Stored<'_> {
    /// Each entry below the diagonal is read once and serves its row and its column. The columns are cut into chunks by
    /// their number alone, and the sums of the chunks are added in their order.
    fn apply(&self, v: &[f64], out: &mut [f64], meter: &mut Meter<'_>) -> Result<Option<Stop>> {
        const MOST_CHUNKS: usize = 64;
        if let Some(stop) = meter.advance(0, 0) {
            return Ok(Some(stop));
        }
        let len = v.len();
        let chunk = len.div_ceil(MOST_CHUNKS).max(64);
        let parts = parallel::map(len.div_ceil(chunk), |index| {
            let start = index * chunk;
            let mut part = vec![0.0; len - start];
            for j in start..len.min(start + chunk) {
                let (diagonal, below) = (self.0[(j, j)], &self.0.column(j)[j + 1..]);
                let own = add_scaled_and_dot(below, v[j], &mut part[j + 1 - start..], &v[j + 1..]);
                part[j - start] += own + diagonal * v[j];
            }
            part
        });
        out.fill(0.0);
        for (index, part) in parts.iter().enumerate() {
            out[index * chunk..].iter_mut().zip(part).for_each(|(out, value)| *out += value);
        }
        Ok(None)
    }
}

/// `out ← out + a·column`, and `⟨column·v⟩`, in one pass over the column.
fn add_scaled_and_dot(column: &[f64], a: f64, out: &mut [f64], v: &[f64]) -> f64 {
    const LANES: usize = 8;
    let whole = column.len() / LANES * LANES;
    let (column, column_rest) = column.split_at(whole);
    let (out, out_rest) = out.split_at_mut(whole);
    let mut sums = [0.0; LANES];
    let lanes = column.chunks_exact(LANES).zip(out.chunks_exact_mut(LANES)).zip(v.chunks_exact(LANES));
    for ((column, out), v) in lanes {
        for lane in 0..LANES {
            out[lane] += a * column[lane];
            sums[lane] += column[lane] * v[lane];
        }
    }
    let mut rest = 0.0;
    for ((value, out), v) in column_rest.iter().zip(out_rest).zip(&v[whole..]) {
        *out += a * value;
        rest += value * v;
    }
    sums.iter().sum::<f64>() + rest
}

/// `K + D` with `K` computed block by block, and kept nowhere.
pub(super) struct Rows<'a, G: ?Sized> {
    pub(super) gram: &'a G,
    pub(super) ridge: &'a [f64],
    /// Rows of a block.
    pub(super) rows: usize,
}

impl<G: Gram + ?Sized> Operator for Rows<'_, G> {
    /// One triangle is computed: a block of rows from the diagonal on gives its rows of the product, and its part of the
    /// rows below.
    fn apply(&self, v: &[f64], out: &mut [f64], meter: &mut Meter<'_>) -> Result<Option<Stop>> {
        let len = v.len();
        for ((out, v), d) in out.iter_mut().zip(v).zip(self.ridge) {
            *out = d * v;
        }
        let mut block = Matrix::zeros(len, self.rows.min(len))?.into_values();
        for start in (0..len).step_by(self.rows) {
            if let Some(stop) = meter.advance(0, 0) {
                return Ok(Some(stop));
            }
            let end = len.min(start + self.rows);
            let (rows, width): (Vec<usize>, usize) = ((start..end).collect(), len - start);
            let block = &mut block[..rows.len() * width];
            self.gram.fill(&rows, Columns::Range { start, end: len }, block)?;
            let _ = meter.advance(0, block.len() as u64);
            let own =
                parallel::map(rows.len(), |row| dot(&block[row * width..(row + 1) * width], &v[start..]));
            out[start..end].iter_mut().zip(own).for_each(|(out, own)| *out += own);
            let below = &mut out[end..];
            parallel::for_each_chunk(below, 2048, |chunk, out| {
                let from = end - start + chunk * 2048;
                for (row, v) in v[start..end].iter().enumerate() {
                    let values = &block[row * width + from..row * width + from + out.len()];
                    out.iter_mut().zip(values).for_each(|(out, value)| *out += v * value);
                }
            });
        }
        Ok(None)
    }
}

/// The lower triangle of `K + D`, one column after the other; the reason to end, if the budget does not allow for all of
/// it.
///
/// A row from the diagonal on is a column from the diagonal down.
pub(super) fn lower_triangle<G: Gram + ?Sized>(
    gram: &G,
    ridge: &[f64],
    meter: &mut Meter<'_>,
) -> Result<Result<Matrix, Stop>> {
    let len = gram.len();
    let mut triangle = Matrix::zeros(len, len)?;
    let mut block = Matrix::zeros(len, BLOCK.min(len))?.into_values();
    for start in (0..len).step_by(BLOCK) {
        if let Some(stop) = meter.advance(0, 0) {
            return Ok(Err(stop));
        }
        let end = len.min(start + BLOCK);
        let (rows, width): (Vec<usize>, usize) = ((start..end).collect(), len - start);
        let block = &mut block[..rows.len() * width];
        gram.fill(&rows, Columns::Range { start, end: len }, block)?;
        let _ = meter.advance(0, block.len() as u64);
        let columns = &mut triangle.values_mut()[start * len..end * len];
        parallel::for_each_chunk(columns, len, |row, column| {
            column[start..].copy_from_slice(&block[row * width..(row + 1) * width]);
            column[start + row] += ridge[start + row];
        });
    }
    Ok(Ok(triangle))
}
