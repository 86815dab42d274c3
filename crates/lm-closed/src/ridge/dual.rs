//! Ridge regression in its dual form: as many equations as there are examples.
//!
//! # Problem
//! ```text
//! (λI + G)α = t ,  w = Σ αᵢxᵢ   with G of centred examples:
//! λvᵢ = tᵢ − b − ⟨w·xᵢ⟩ ,  w = Σ ωᵢvᵢxᵢ ,  Σ ωᵢvᵢ = 0
//! ```
//! # Method
//! The matrix of inner products of centred examples, each multiplied by the roots of both weights, plus `λ` on its
//! diagonal, is factorised by Cholesky. The unknowns `v` and `b` are kept as double-double numbers and corrected by what is
//! missing in their equations, computed to twice the digits of `f64`; a round multiplies the error by about the condition
//! of the matrix times `2⁻⁵³`.
//! # Cost
//! `n²d` operations for the matrix, `n³/3` for its factor, about `40nd` for a round; memory for `n² + 2nd` numbers.
//! # Reference
//! Saunders, Gammerman & Vovk (1998), Ridge regression learning algorithm in dual variables; Cristianini & Shawe-Taylor
//! (2000), section 2.2.2.

use lm_core::double_double::DoubleDouble;
use lm_core::linalg::{Cholesky, Matrix, matrix_vector, transposed_product};
use lm_core::{Examples, Meter, Result};

use crate::least_squares::{Diagnosis, Problem, Route, Solution, Table, refine, scaled};

/// Corrections below this share of the unknowns change no digit that is used.
const FINE: f64 = 1e-20;

/// The largest condition at which a round gains digits.
const CONDITION: f64 = 1e13;

/// Solves for all targets; `None` if the condition is too bad, or the numbers too large or small.
pub(super) fn solve<E: Examples + ?Sized>(
    problem: &Problem<'_, E>,
    meter: &mut Meter<'_>,
) -> Result<Option<(Vec<Solution>, Diagnosis)>> {
    let (count, dim) = (problem.count(), problem.examples.dim());
    let needed = count.saturating_mul(count.saturating_add(2 * dim)).saturating_mul(size_of::<f64>());
    meter.budget().check_memory("the matrix of inner products", needed)?;
    let table = Table::of(problem.examples, problem.weights, false, 0.0)?;
    if (0..dim).any(|k| table.exponent(k) != 0) {
        return Ok(None);
    }
    let Some(system) = Dual::factor(table, problem.bias, problem.penalty)? else { return Ok(None) };
    let squared = system.factor.condition();
    // Written so that NaN fails.
    if !(squared <= CONDITION) {
        return Ok(None);
    }
    let mut solutions = Vec::with_capacity(problem.targets.len());
    for given in problem.targets {
        solutions.push(system.solve(given, meter)?);
    }
    let columns = problem.columns();
    let diagnosis = Diagnosis { route: Route::Dual, columns, rank: columns, condition: squared.sqrt() };
    Ok(Some((solutions, diagnosis)))
}

/// A factorisation of the matrix of inner products, with the penalty on its diagonal.
struct Dual {
    table: Table,
    factor: Cholesky,
    /// The centred examples times the roots of their weights, one in each column.
    centred: Matrix,
    roots: Vec<f64>,
    mean: Vec<f64>,
    total: f64,
    bias: bool,
    penalty: f64,
}

impl Dual {
    fn factor(table: Table, bias: bool, penalty: f64) -> Result<Option<Self>> {
        let (rows, dim) = (table.rows(), table.columns());
        let roots: Vec<f64> = (0..rows).map(|row| table.weight(row).sqrt()).collect();
        let total: f64 = (0..rows).map(|row| table.weight(row)).sum();
        let mean = if bias {
            let sums = table.gradient(&vec![DoubleDouble::from(1.0); rows]);
            sums.iter().map(|sum| sum.value() / total).collect()
        } else {
            vec![0.0; dim]
        };
        let mut centred = Matrix::zeros(dim, rows)?;
        for (row, root) in roots.iter().enumerate() {
            let entries = table.row(row).iter().zip(&mean);
            centred
                .column_mut(row)
                .iter_mut()
                .zip(entries)
                .for_each(|(out, (x, mean))| *out = root * (x - mean));
        }
        let penalty = scaled(penalty, -table.weight_exponent());
        let mut gram = transposed_product(&centred, &centred)?;
        (0..rows).for_each(|row| gram[(row, row)] += penalty);
        let finite = gram.values().iter().all(|value| value.is_finite());
        let factor = if finite { Cholesky::factor(gram)? } else { None };
        Ok(factor.map(|factor| Self { table, factor, centred, roots, mean, total, bias, penalty }))
    }

    fn solve(&self, given: &[f64], meter: &mut Meter<'_>) -> Result<Solution> {
        let (targets, scale) = self.table.targets(given);
        let mut state = State { v: vec![DoubleDouble::ZERO; self.roots.len()], bias: DoubleDouble::ZERO };
        let stop = refine(FINE, meter, || state.step(self, &targets))?;
        let weights = self.table.gradient(&state.v);
        let (weights, _) = self.table.unscaled(&weights, scale);
        let bias = DoubleDouble { hi: scaled(state.bias.hi, scale), lo: scaled(state.bias.lo, scale) };
        Ok(Solution { weights, bias, figures: None, residual_norm: None, stop, multipliers: None })
    }
}

/// The unknowns so far.
struct State {
    v: Vec<DoubleDouble>,
    bias: DoubleDouble,
}

impl State {
    /// One correction; its share in the unknowns.
    fn step(&mut self, system: &Dual, targets: &[f64]) -> Result<f64> {
        let table = &system.table;
        let mut missing = table.residuals(targets, &table.gradient(&self.v));
        let mut sum = DoubleDouble::ZERO;
        for (row, (missing, v)) in missing.iter_mut().zip(&self.v).enumerate() {
            *missing = *missing - self.bias - *v * system.penalty;
            sum = sum + *missing * table.weight(row);
        }
        let shift = if system.bias { sum.value() / system.total } else { 0.0 };
        let mut change: Vec<f64> = missing
            .iter()
            .zip(&system.roots)
            .map(|(missing, root)| (*missing - shift).value() * root)
            .collect();
        system.factor.solve(&mut change)?;
        let moved = change.iter().fold(0.0_f64, |most, change| most.max(change.abs()));
        for ((v, change), root) in self.v.iter_mut().zip(&change).zip(&system.roots) {
            // A weight that underflowed stands for an example that does not count.
            if *root > 0.0 {
                *v = *v + change / root;
            }
        }
        if system.bias {
            let weights = matrix_vector(&system.centred, &change)?;
            let along: f64 = weights.iter().zip(&system.mean).map(|(w, mean)| w * mean).sum();
            self.bias = self.bias + shift - along;
            let sum = (self.v.iter().enumerate())
                .fold(DoubleDouble::ZERO, |sum, (row, v)| sum + *v * table.weight(row));
            let mean = sum / system.total;
            self.v.iter_mut().for_each(|v| *v = *v - mean);
        }
        let all =
            (self.v.iter().zip(&system.roots)).fold(0.0_f64, |most, (v, root)| most.max(v.hi.abs() * root));
        Ok(if moved == 0.0 { 0.0 } else { moved / all })
    }
}
