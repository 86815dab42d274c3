//! Blocks of rows of any examples, as numbers side by side.

use std::ops::Range;

use lm_core::Examples;

/// The values that a block of narrow rows holds at most: 256 kB, so that it stays near the processor.
const VALUES: usize = 32_768;

/// The values that a block of wide rows holds at most. Their products are copied into another order anyway, and pay for a
/// matrix of sums with every block.
const WIDE_VALUES: usize = 4 * VALUES;

/// The longest row that is narrow.
const NARROW: usize = 200;

/// The rows of a set of examples, cut into blocks that are copied out one at a time, row by row, as `f64`.
///
/// Blocks depend on the examples only, not on the number of threads: what is summed block by block, in the order of the
/// blocks, has the same bits on any number of them.
///
/// ```
/// use lm_closed::RowBlocks;
/// use lm_core::Dense;
///
/// let examples = Dense::new(vec![1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0], 3, 2)?;
/// let blocks = RowBlocks::with_rows(&examples, 2);
/// assert_eq!(blocks.len(), 2);
/// let mut values = Vec::new();
/// blocks.fill(1, &mut values);
/// assert_eq!(values, [5.0, 6.0]);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug)]
pub struct RowBlocks<'a, E: ?Sized> {
    examples: &'a E,
    rows: usize,
}

impl<'a, E: Examples + ?Sized> RowBlocks<'a, E> {
    /// Blocks of a size that suits the dimension.
    pub fn new(examples: &'a E) -> Self {
        let dim = examples.dim().max(1);
        let values = if dim > NARROW { WIDE_VALUES } else { VALUES };
        Self::with_rows(examples, (values / dim).clamp(16, 4096))
    }

    /// Blocks of this many rows, at least 1; the last may have fewer.
    pub fn with_rows(examples: &'a E, rows: usize) -> Self {
        Self { examples, rows: rows.max(1) }
    }

    /// The number of blocks.
    pub fn len(&self) -> usize {
        self.examples.len().div_ceil(self.rows)
    }

    /// Whether there is no block.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows of a block; none beyond the last.
    pub fn range(&self, block: usize) -> Range<usize> {
        let len = self.examples.len();
        let start = block.saturating_mul(self.rows).min(len);
        start..start.saturating_add(self.rows).min(len)
    }

    /// Writes a block over what `values` held: its rows one after the other, each with the dimension of the examples.
    pub fn fill(&self, block: usize, values: &mut Vec<f64>) {
        self.fill_strided(block, self.examples.dim(), values);
    }

    /// As [`RowBlocks::fill`], each row followed by zeros up to a length of `stride`.
    ///
    /// # Panics
    /// Panics, as a slice does, if `stride` is smaller than the dimension.
    pub fn fill_strided(&self, block: usize, stride: usize, values: &mut Vec<f64>) {
        let (range, dim) = (self.range(block), self.examples.dim());
        // Every value is written below: what was there need not be cleared first.
        values.resize(range.len() * stride, 0.0);
        if stride == 0 {
            return;
        }
        for (row, to) in range.zip(values.chunks_exact_mut(stride)) {
            let (to, rest) = to.split_at_mut(dim);
            self.examples.row(row).write_to(to);
            rest.fill(0.0);
        }
    }
}
