//! The rows of a least squares problem in memory, scaled so that every product of theirs keeps its digits.
//!
//! A table has the bias as its first column, if there is one, leaves out examples of weight 0, and appends one row for
//! each column that is penalised: `√λ·eₖ` with target 0, kept as the row `eₖ` of weight `λ`. Columns, targets and weights
//! of extreme size are divided by powers of two, which changes no digit. An entry may have a low part, for matrices that
//! are known to more digits than an `f64` holds.

use lm_core::double_double::{DoubleDouble, add_transposed_products, subtract_products};
use lm_core::linalg::Matrix;
use lm_core::{Error, Examples, Result, Weights, parallel};

use super::power::{exponent, in_range, largest, scaled, scaled_wide};

/// Rows that a thread takes at a time.
const CHUNK: usize = 256;

/// See the module.
#[derive(Debug)]
pub(crate) struct Table {
    rows: usize,
    columns: usize,
    /// How many of the rows are examples; the others are penalties.
    examples: usize,
    bias: bool,
    high: Vec<f64>,
    /// Empty, or as long as `high`.
    low: Vec<f64>,
    /// Empty if all are 1.
    weights: Vec<f64>,
    /// The rows of the given set that are in the table; `None` if all are.
    kept: Option<Vec<usize>>,
    exponents: Vec<i32>,
    /// Even, so that the root of the power is one.
    weight_exponent: i32,
}

impl Table {
    /// The examples of positive weight, with a bias or without.
    ///
    /// # Errors
    /// [`Error::NonFinite`] for an entry that is not finite, [`Error::Allocation`] without memory.
    pub(crate) fn of<E: Examples + ?Sized>(
        examples: &E,
        weights: Option<&Weights>,
        bias: bool,
        penalty: f64,
    ) -> Result<Self> {
        let (dim, offset) = (examples.dim(), usize::from(bias));
        let (kept, given) = counted(weights);
        let count = kept.as_ref().map_or(examples.len(), Vec::len);
        let columns = dim + offset;
        let penalties = if penalty > 0.0 { dim } else { 0 };
        let rows = count + penalties;
        let mut high = Matrix::zeros(columns, rows)?.into_values();
        for (at, out) in high.chunks_exact_mut(columns).take(count).enumerate() {
            let row = kept.as_ref().map_or(at, |kept| kept[at]);
            out[..offset].fill(1.0);
            examples.row(row).for_each(|k, x| out[offset + k] = x);
            if let Some(column) = out[offset..].iter().position(|x| !x.is_finite()) {
                return Err(Error::NonFinite { what: "example", row, column: Some(column) });
            }
        }
        let exponents = vec![0; columns];
        let mut table = Self {
            rows,
            columns,
            examples: count,
            bias,
            high,
            low: Vec::new(),
            weights: given,
            kept,
            exponents,
            weight_exponent: 0,
        };
        table.scale_weights();
        table.scale_columns(penalty);
        table.append_penalties(penalty);
        Ok(table)
    }

    /// Rows that `fill` writes for each row of positive weight: their leading parts and what is left of them. The bias is
    /// the first column.
    ///
    /// # Errors
    /// [`Error::Allocation`] without memory.
    pub(crate) fn filled(
        len: usize,
        columns: usize,
        weights: Option<&Weights>,
        fill: impl Fn(usize, &mut [f64], &mut [f64]),
    ) -> Result<Self> {
        let (kept, weights) = counted(weights);
        let rows = kept.as_ref().map_or(len, Vec::len);
        let mut high = Matrix::zeros(columns, rows)?.into_values();
        let mut low = Matrix::zeros(columns, rows)?.into_values();
        for (at, (high, low)) in high.chunks_exact_mut(columns).zip(low.chunks_exact_mut(columns)).enumerate()
        {
            fill(kept.as_ref().map_or(at, |kept| kept[at]), high, low);
        }
        let exponents = vec![0; columns];
        let (bias, weight_exponent) = (true, 0);
        let mut table = Self {
            rows,
            columns,
            examples: rows,
            bias,
            high,
            low,
            weights,
            kept,
            exponents,
            weight_exponent,
        };
        table.scale_weights();
        table.scale_columns(0.0);
        Ok(table)
    }

    fn scale_weights(&mut self) {
        let size = largest(self.weights.iter().copied());
        if !in_range(size) {
            self.weight_exponent = exponent(size) / 2 * 2;
            let by = -self.weight_exponent;
            self.weights.iter_mut().for_each(|weight| *weight = scaled(*weight, by));
        }
    }

    /// Scales columns of extreme size to about 1: each by its own power or, as a penalty treats all columns alike, all
    /// by one.
    fn scale_columns(&mut self, penalty: f64) {
        let mut sizes = vec![0.0_f64; self.columns];
        for row in self.high.chunks_exact(self.columns) {
            sizes.iter_mut().zip(row).for_each(|(size, x)| *size = size.max(x.abs()));
        }
        let first = usize::from(self.bias);
        if sizes[first..].iter().all(|&size| in_range(size)) {
            return;
        }
        if penalty > 0.0 {
            let size = sizes[first..].iter().fold(0.0_f64, |most, &size| most.max(size));
            // The penalty is divided by the square of the scale, and must stay a number.
            let common = exponent(size).max((exponent(penalty) - self.weight_exponent - 500) / 2);
            self.exponents[first..].fill(common);
        } else {
            self.exponents[first..]
                .iter_mut()
                .zip(&sizes[first..])
                .for_each(|(e, &size)| *e = exponent(size));
        }
        for values in [&mut self.high, &mut self.low] {
            for row in values.chunks_exact_mut(self.columns) {
                row.iter_mut().zip(&self.exponents).for_each(|(x, &e)| *x = scaled(*x, -e));
            }
        }
    }

    fn append_penalties(&mut self, penalty: f64) {
        let first = usize::from(self.bias);
        if self.rows == self.examples {
            return;
        }
        if self.weights.is_empty() {
            self.weights = vec![1.0; self.examples];
        }
        for k in first..self.columns {
            let row = self.examples + k - first;
            self.high[row * self.columns + k] = 1.0;
            let weight = scaled(penalty, -2 * self.exponents[k] - self.weight_exponent);
            self.weights.push(weight);
        }
    }

    /// The number of rows, penalties included.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns, with the bias.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// How many rows are examples.
    pub(crate) fn examples(&self) -> usize {
        self.examples
    }

    /// Whether the first column is the bias.
    pub(crate) fn has_bias(&self) -> bool {
        self.bias
    }

    /// A row.
    pub(crate) fn row(&self, row: usize) -> &[f64] {
        &self.high[row * self.columns..(row + 1) * self.columns]
    }

    /// The row of the given set that a row of the table is.
    pub(crate) fn row_of(&self, row: usize) -> usize {
        self.kept.as_ref().map_or(row, |kept| kept[row])
    }

    /// The weight of a row.
    pub(crate) fn weight(&self, row: usize) -> f64 {
        self.weights.get(row).copied().unwrap_or(1.0)
    }

    /// The exponent of a column's scale.
    pub(crate) fn exponent(&self, column: usize) -> i32 {
        self.exponents[column]
    }

    /// The exponent of the weights' scale, an even number.
    pub(crate) fn weight_exponent(&self) -> i32 {
        self.weight_exponent
    }

    /// The targets of the rows, scaled, and the exponent of their scale.
    pub(crate) fn targets(&self, given: &[f64]) -> (Vec<f64>, i32) {
        let mut targets: Vec<f64> = match &self.kept {
            Some(kept) => kept.iter().map(|&row| given[row]).collect(),
            None => given.to_vec(),
        };
        let size = largest(targets.iter().copied());
        let scale = if in_range(size) { 0 } else { exponent(size) };
        if scale != 0 {
            targets.iter_mut().for_each(|target| *target = scaled(*target, -scale));
        }
        targets.resize(self.rows, 0.0);
        (targets, scale)
    }

    /// A solution for the scaled table and targets, as weights in the caller's units and a bias.
    pub(crate) fn unscaled(&self, beta: &[DoubleDouble], scale: i32) -> (Vec<DoubleDouble>, DoubleDouble) {
        let at = |k: usize| scaled_wide(beta[k], scale - self.exponents[k]);
        let first = usize::from(self.bias);
        let bias = if self.bias { at(0) } else { DoubleDouble::ZERO };
        ((first..self.columns).map(at).collect(), bias)
    }

    /// `√ω·X` by columns.
    pub(crate) fn weighted(&self) -> Result<Matrix> {
        let mut matrix = Matrix::zeros(self.rows, self.columns)?;
        for row in 0..self.rows {
            let root = self.weight(row).sqrt();
            for (k, x) in self.row(row).iter().enumerate() {
                matrix[(row, k)] = root * x;
            }
        }
        Ok(matrix)
    }

    /// `t − Xβ`.
    pub(crate) fn residuals(&self, targets: &[f64], beta: &[DoubleDouble]) -> Vec<DoubleDouble> {
        let mut residuals: Vec<DoubleDouble> = targets.iter().map(|&t| DoubleDouble::from(t)).collect();
        parallel::for_each_chunk(&mut residuals, CHUNK, |chunk, residuals| {
            let from = chunk * CHUNK * self.columns;
            let to = from + residuals.len() * self.columns;
            subtract_products(&self.high[from..to], beta, residuals);
            if !self.low.is_empty() {
                subtract_products(&self.low[from..to], beta, residuals);
            }
        });
        residuals
    }

    /// `XᵗWr`.
    pub(crate) fn gradient(&self, residuals: &[DoubleDouble]) -> Vec<DoubleDouble> {
        let parts = parallel::map(self.rows.div_ceil(CHUNK), |chunk| {
            let rows = chunk * CHUNK..((chunk + 1) * CHUNK).min(self.rows);
            let entries = rows.start * self.columns..rows.end * self.columns;
            let weighted: Vec<DoubleDouble> = rows.map(|row| residuals[row] * self.weight(row)).collect();
            let mut part = vec![DoubleDouble::ZERO; self.columns];
            add_transposed_products(&self.high[entries.clone()], &weighted, &mut part);
            if !self.low.is_empty() {
                add_transposed_products(&self.low[entries], &weighted, &mut part);
            }
            part
        });
        sum(parts, self.columns)
    }

    /// Column `k`, to all digits that are known.
    pub(crate) fn column(&self, k: usize) -> Vec<DoubleDouble> {
        let low = |at: usize| self.low.get(at).copied().unwrap_or(0.0);
        let entry = |row: usize| {
            let at = row * self.columns + k;
            DoubleDouble::from(self.high[at]) + low(at)
        };
        (0..self.rows).map(entry).collect()
    }
}

/// The rows of positive weight, `None` if all are, and their weights; no weights if all are 1.
fn counted(weights: Option<&Weights>) -> (Option<Vec<usize>>, Vec<f64>) {
    let Some(values) = weights.map(Weights::values) else { return (None, Vec::new()) };
    if !values.contains(&0.0) {
        return (None, values.to_vec());
    }
    let kept: Vec<usize> = (0..values.len()).filter(|&row| values[row] > 0.0).collect();
    let given = kept.iter().map(|&row| values[row]).collect();
    (Some(kept), given)
}

/// The sum of vectors, in their order.
pub(crate) fn sum(parts: Vec<Vec<DoubleDouble>>, len: usize) -> Vec<DoubleDouble> {
    let mut total = vec![DoubleDouble::ZERO; len];
    for part in parts {
        total.iter_mut().zip(part).for_each(|(total, part)| *total = *total + part);
    }
    total
}
