//! The least squares solution of least norm, by singular values: columns that depend on each other, or few examples.
//!
//! # Problem
//! ```text
//! of all (w, b) that minimise Σ ωᵢ (⟨w·xᵢ⟩ + b − tᵢ)² , the one with the smallest ‖w‖
//! ```
//! # Method
//! The bias is eliminated by centring; columns are scaled by powers of two, so that the rank does not depend on units, and
//! a column that is constant up to rounding is left out. The singular values of what remains above a tolerance are the
//! rank; they give a solution, which is projected on the row space in the caller's units, where its norm is the least,
//! and corrected with residuals of twice the digits of `f64` as long as the gradient shrinks.
//! # Cost
//! A thin singular value decomposition, `O(n d min(n, d))`; memory for three copies of the matrix.
//! # Reference
//! Golub & Van Loan (2013), section 5.5; Björck (1996), section 2.7.

use lm_core::double_double::DoubleDouble;
use lm_core::linalg::{Matrix, Qr, Svd, matrix_vector, transposed_vector};
use lm_core::{Error, Meter, Result, Stop};

use super::power::{exponent, power_of_two, scaled};
use super::table::Table;

/// Corrections after which the solution is as good as it gets.
const ROUNDS: usize = 6;

/// A decomposition of the centred and scaled rows of a table.
#[derive(Debug)]
pub(crate) struct MinimumNorm {
    table: Table,
    svd: Svd,
    rank: usize,
    mean: Vec<f64>,
    /// Exponents of the scales of the columns, relative to the table.
    scale: Vec<i32>,
    /// The row space in the caller's units, where those are not the scaled ones.
    basis: Option<Qr>,
    /// `2^reach[k]` times a scaled weight is one in the caller's units, up to a common factor.
    reach: Vec<i32>,
    total: f64,
}

/// A solution in the units of the table.
#[derive(Debug)]
pub(crate) struct LeastNorm {
    pub(crate) beta: Vec<DoubleDouble>,
    /// Numbers `u`, one for each row of the table, and an exponent: `Xᵗu·2^exponent = w` in the caller's units.
    pub(crate) multipliers: Vec<f64>,
    pub(crate) exponent: i32,
    pub(crate) stop: Stop,
}

impl MinimumNorm {
    /// Decomposes a table. Singular values below `tolerance` times the largest count as 0.
    pub(crate) fn factor(table: Table, tolerance: Option<f64>) -> Result<Self> {
        let (rows, first) = (table.rows(), usize::from(table.has_bias()));
        let dim = table.columns() - first;
        let tolerance = tolerance.unwrap_or(rows.max(dim) as f64 * f64::EPSILON);
        let total = (0..table.examples()).map(|row| table.weight(row)).sum();
        let mean = mean(&table);
        let mut matrix = Matrix::zeros(rows, dim)?;
        let mut scale = vec![0; dim];
        for (k, scale) in scale.iter_mut().enumerate() {
            let column = matrix.column_mut(k);
            let mut size = 0.0_f64;
            for (row, out) in column.iter_mut().enumerate() {
                let (root, x) = (table.weight(row).sqrt(), table.row(row));
                let centre = if first == 1 { x[0] * mean[k] } else { 0.0 };
                *out = root * (x[first + k] - centre);
                size = size.max((root * x[first + k]).abs());
            }
            let largest = column.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            // What is left of a constant column is rounding, and must not be scaled up.
            if largest <= tolerance * size {
                column.fill(0.0);
            } else {
                let norm = column.iter().map(|x| (x / largest) * (x / largest)).sum::<f64>().sqrt();
                *scale = -exponent(largest * norm);
                column.iter_mut().for_each(|x| *x = scaled(*x, *scale));
            }
        }
        let svd = Svd::thin(&matrix)?;
        let rank = svd.rank(tolerance);
        let reach: Vec<i32> = (0..dim).map(|k| scale[k] - table.exponent(first + k)).collect();
        let basis = basis(&svd, rank, &reach)?;
        Ok(Self { table, svd, rank, mean, scale, basis, reach, total })
    }

    /// The table.
    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    /// The table, when the decomposition is of no more use.
    pub(crate) fn into_table(self) -> Table {
        self.table
    }

    /// The rank, the bias included.
    pub(crate) fn rank(&self) -> usize {
        self.rank + usize::from(self.table.has_bias())
    }

    /// The ratio of the largest singular value to the smallest that counts.
    pub(crate) fn condition(&self) -> f64 {
        match self.rank {
            0 => 1.0,
            rank => self.svd.values[0] / self.svd.values[rank - 1],
        }
    }

    /// The left singular vectors that count, the share of each row in them squared: the leverages of centred rows.
    pub(crate) fn leverage(&self, row: usize) -> f64 {
        (0..self.rank).map(|j| self.svd.u[(row, j)] * self.svd.u[(row, j)]).sum()
    }

    /// The solution of least norm for targets that the table has scaled.
    pub(crate) fn solve(&self, targets: &[f64], meter: &mut Meter<'_>) -> Result<LeastNorm> {
        let columns = self.table.columns();
        let mut state = State { beta: vec![DoubleDouble::ZERO; columns] };
        let (mut before, mut best) = (f64::INFINITY, state.beta.clone());
        let mut stop = Stop::Converged;
        for _ in 0..ROUNDS {
            let gradient = state.gradient(self, targets);
            let size = gradient.iter().fold(0.0_f64, |size, g| size.max(g.abs()));
            if !(size < before / 2.0) {
                break;
            }
            (before, best) = (size, state.beta.clone());
            if size == 0.0 {
                break;
            }
            state.step(self, &gradient)?;
            if let Some(limit) = meter.advance(1, 0) {
                best = state.beta.clone();
                stop = limit;
                break;
            }
        }
        if best.iter().any(|beta| !beta.value().is_finite()) {
            return Err(Error::Numerical { what: "the solution of least norm" });
        }
        let (multipliers, exponent) = self.multipliers(&best)?;
        Ok(LeastNorm { beta: best, multipliers, exponent, stop })
    }

    /// Weights in the table's units as weights in the caller's, up to a common power of two.
    fn reached(&self, scaled_weights: &[f64]) -> Vec<f64> {
        let low = self.reach.iter().copied().min().unwrap_or(0);
        scaled_weights.iter().zip(&self.reach).map(|(w, reach)| scaled(*w, reach - low)).collect()
    }

    /// The projection of weights on the row space in the caller's units, both given in scaled units.
    fn projected(&self, scaled_weights: Vec<f64>) -> Result<Vec<f64>> {
        let Some(basis) = &self.basis else { return Ok(scaled_weights) };
        let mut weights = self.reached(&scaled_weights);
        basis.apply_transposed(&mut weights)?;
        weights[self.rank..].fill(0.0);
        basis.apply(&mut weights)?;
        let low = self.reach.iter().copied().min().unwrap_or(0);
        Ok(weights.iter().zip(&self.reach).map(|(w, reach)| scaled(*w, low - reach)).collect())
    }

    /// Numbers `u` with `Xᵗu = w`: they prove that no smaller weights do the same.
    fn multipliers(&self, beta: &[DoubleDouble]) -> Result<(Vec<f64>, i32)> {
        let first = usize::from(self.table.has_bias());
        let w: Vec<f64> = beta[first..].iter().zip(&self.scale).map(|(b, s)| scaled(b.value(), -s)).collect();
        let inner = match &self.basis {
            Some(basis) => {
                let mut w = self.reached(&w);
                basis.apply_transposed(&mut w)?;
                w.truncate(self.rank);
                basis.solve_r(&mut w)?;
                w
            }
            None => transposed_vector(&self.svd.v, &w)?[..self.rank].to_vec(),
        };
        let mut shares = vec![0.0; self.svd.values.len()];
        shares.iter_mut().zip(&inner).zip(&self.svd.values).for_each(|((s, c), value)| *s = c / value);
        let mut multipliers = matrix_vector(&self.svd.u, &shares)?;
        multipliers.iter_mut().enumerate().for_each(|(row, u)| *u *= self.table.weight(row).sqrt());
        Ok((multipliers, 2 * self.reach.iter().copied().min().unwrap_or(0)))
    }
}

/// The weighted means of the columns, to the last digit: a constant column must have its constant as its mean.
fn mean(table: &Table) -> Vec<f64> {
    let first = usize::from(table.has_bias());
    if first == 0 {
        return vec![0.0; table.columns()];
    }
    let ones: Vec<DoubleDouble> =
        (0..table.rows()).map(|row| DoubleDouble::from(table.row(row)[0])).collect();
    let sums = table.gradient(&ones);
    sums[first..].iter().map(|sum| (*sum / sums[0]).value()).collect()
}

/// An orthogonal basis of the row space in the caller's units, or `None` where those differ by a common factor only.
fn basis(svd: &Svd, rank: usize, reach: &[i32]) -> Result<Option<Qr>> {
    let low = reach.iter().copied().min().unwrap_or(0);
    if rank == 0 || reach.iter().all(|&reach| reach == low) {
        return Ok(None);
    }
    let mut rows = Matrix::zeros(reach.len(), rank)?;
    for j in 0..rank {
        for (k, out) in rows.column_mut(j).iter_mut().enumerate() {
            *out = svd.v[(k, j)] * power_of_two((low - reach[k]).max(-1000));
        }
    }
    Ok(Some(Qr::factor(&rows)?))
}

/// The coefficients so far.
struct State {
    beta: Vec<DoubleDouble>,
}

impl State {
    /// The half gradient in scaled weights, the bias being the best for them, and its part for the bias at the end.
    fn gradient(&self, system: &MinimumNorm, targets: &[f64]) -> Vec<f64> {
        let table = &system.table;
        let gradient = table.gradient(&table.residuals(targets, &self.beta));
        let first = usize::from(table.has_bias());
        let total = if first == 1 { gradient[0] } else { DoubleDouble::ZERO };
        let mut centred: Vec<f64> = (0..system.scale.len())
            .map(|k| scaled((gradient[first + k] - total * system.mean[k]).value(), system.scale[k]))
            .collect();
        centred.push(total.value());
        centred
    }

    /// Adds what the decomposition makes of a gradient.
    fn step(&mut self, system: &MinimumNorm, gradient: &[f64]) -> Result<()> {
        let (dim, first) = (system.scale.len(), usize::from(system.table.has_bias()));
        let mut inner = transposed_vector(&system.svd.v, &gradient[..dim])?;
        for (j, value) in inner.iter_mut().enumerate() {
            let s = system.svd.values[j];
            *value = if j < system.rank { *value / s / s } else { 0.0 };
        }
        let change = system.projected(matrix_vector(&system.svd.v, &inner)?)?;
        let mut shift = if first == 1 { gradient[dim] / system.total } else { 0.0 };
        for (k, change) in change.iter().enumerate() {
            let change = scaled(*change, system.scale[k]);
            self.beta[first + k] = self.beta[first + k] + change;
            shift -= change * system.mean[k];
        }
        if first == 1 {
            self.beta[0] = self.beta[0] + shift;
        }
        Ok(())
    }
}
