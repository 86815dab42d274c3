//! Least squares by corrected semi-normal equations: one pass for the matrix, one or two for the digits.
//!
//! # Problem
//! ```text
//! minimise Σ ωᵢ (⟨w·xᵢ⟩ + b − tᵢ)² + λ‖w‖²   over w ∈ ℝᵈ and b
//! ```
//! # Method
//! The centred second moments give the normal equations, whose matrix is scaled by powers of two and factorised by
//! Cholesky. Its solution has lost twice the digits that the data lose, and is corrected: a pass over the data computes the
//! gradient to twice the digits of `f64`, and the factorisation turns it into a change of the coefficients, which are
//! kept as double-double numbers. A round multiplies the error by about `κ²·2⁻⁵³`, and is enough if `κ < 10⁴`.
//! # Cost
//! `nd²` operations for the moments, about `20nd` for a round; memory for `d²` numbers and some blocks of rows.
//! # Reference
//! Björck (1987), Stability analysis of the method of seminormal equations; Björck (1996), section 6.6.5.

use lm_core::double_double::DoubleDouble;
use lm_core::linalg::{Cholesky, Matrix};
use lm_core::{Examples, Meter, Result, Stop};

use super::power::{exponent, power_of_two};
use super::problem::{LinearSystemFigures, Problem, Solution};
use super::sweep::{Coefficients, Sweep, sweep};
use crate::statistics::Moments;

/// Rounds after which the data are given up for a better factorisation.
const ROUNDS: usize = 8;

/// The largest condition of the scaled matrix of the normal equations at which a round gains digits: `κ = 10⁵`.
pub(crate) const CONDITION: f64 = 1e10;

/// A factorisation of the normal equations.
#[derive(Debug)]
pub(crate) struct SemiNormal {
    factor: Cholesky,
    /// Powers of two that bring the diagonal to about 1.
    scale: Vec<f64>,
    mean: Vec<f64>,
    weight: f64,
    bias: bool,
    penalty: f64,
    /// Roots of the diagonal of the centred moments, and of the moments about zero.
    spread: Vec<f64>,
    size: Vec<f64>,
}

impl SemiNormal {
    /// Factorises the moments of the first `dim` of their columns; `None` if they depend on each other.
    pub(crate) fn factor(moments: &Moments, dim: usize, bias: bool, penalty: f64) -> Result<Option<Self>> {
        let (scatter, mean, weight) = (moments.scatter(), &moments.mean()[..dim], moments.weight());
        let mut matrix = Matrix::zeros(dim, dim)?;
        for j in 0..dim {
            for i in j..dim {
                let about_zero = if bias { 0.0 } else { weight * mean[i] * mean[j] };
                matrix[(i, j)] = scatter[(i, j)] + about_zero;
            }
        }
        let spread: Vec<f64> = (0..dim).map(|k| matrix[(k, k)].sqrt()).collect();
        let size = (0..dim).map(|k| (scatter[(k, k)] + weight * mean[k] * mean[k]).sqrt()).collect();
        (0..dim).for_each(|k| matrix[(k, k)] += penalty);
        if (0..dim).any(|k| !(matrix[(k, k)] > 0.0 && matrix[(k, k)].is_finite())) {
            return Ok(None);
        }
        let scale: Vec<f64> = (0..dim).map(|k| power_of_two(-exponent(matrix[(k, k)]) / 2)).collect();
        for j in 0..dim {
            for i in j..dim {
                matrix[(i, j)] *= scale[i] * scale[j];
            }
        }
        let mean = mean.to_vec();
        let factor = Cholesky::factor(matrix)?;
        Ok(factor.map(|factor| Self { factor, scale, mean, weight, bias, penalty, spread, size }))
    }

    /// An estimate of the condition of the scaled matrix of the normal equations: the square of that of the data.
    pub(crate) fn squared_condition(&self) -> f64 {
        self.factor.condition()
    }

    /// The factorisation, of the matrix with row and column `k` multiplied by `scale()[k]`.
    pub(crate) fn cholesky(&self) -> &Cholesky {
        &self.factor
    }

    /// The size of each column, `√(Σωx²/Σω)`.
    pub(crate) fn sizes(&self) -> Vec<f64> {
        self.size.iter().map(|size| size / self.weight.sqrt()).collect()
    }

    /// The largest ratio of the size of a column to its spread about the mean; 1 without a bias. A penalty keeps columns
    /// apart that have no spread.
    pub(crate) fn offset(&self) -> f64 {
        let ratio = |(size, spread): (&f64, &f64)| size / (spread * spread + self.penalty).sqrt();
        let largest =
            self.size.iter().zip(&self.spread).map(ratio).fold(1.0, |a: f64, b| if b <= a { a } else { b });
        if self.bias { largest } else { 1.0 }
    }

    /// Whether columns are centred.
    pub(crate) fn centred(&self) -> bool {
        self.bias
    }

    /// The means that columns are centred at, if they are.
    pub(crate) fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The powers of two that the columns are multiplied by.
    pub(crate) fn scale(&self) -> &[f64] {
        &self.scale
    }

    /// The solution of the normal equations in plain arithmetic, for column `at` of the moments.
    pub(crate) fn plain(&self, moments: &Moments, at: usize) -> Result<Coefficients> {
        let (scatter, target) = (moments.scatter(), moments.mean()[at]);
        let about_zero = |k: usize| if self.bias { 0.0 } else { self.weight * self.mean[k] * target };
        let right = (0..self.mean.len()).map(|k| scatter[(at, k)] + about_zero(k)).collect();
        let (weights, bias) = self.solve(right, self.weight * target)?;
        Ok((weights.into_iter().map(DoubleDouble::from).collect(), DoubleDouble::from(bias)))
    }

    /// Solves for a right-hand side that is centred, if there is a bias, and its part for the bias.
    fn solve(&self, mut right: Vec<f64>, total: f64) -> Result<(Vec<f64>, f64)> {
        right.iter_mut().zip(&self.scale).for_each(|(x, scale)| *x *= scale);
        self.factor.solve(&mut right)?;
        right.iter_mut().zip(&self.scale).for_each(|(x, scale)| *x *= scale);
        let product: f64 = right.iter().zip(&self.mean).map(|(w, m)| w * m).sum();
        let bias = if self.bias { total / self.weight - product } else { 0.0 };
        Ok((right, bias))
    }

    /// Solutions for all targets in plain arithmetic, for a run that ended before the first correction.
    pub(crate) fn unrefined<E: Examples + ?Sized>(
        &self,
        problem: &Problem<'_, E>,
        moments: &Moments,
        stop: Stop,
    ) -> Result<Vec<Solution>> {
        let first = self.mean.len();
        let plain = |at: usize| {
            let (weights, bias) = self.plain(moments, first + at)?;
            Ok(Solution { weights, bias, figures: None, residual_norm: None, stop, multipliers: None })
        };
        (0..problem.targets.len()).map(plain).collect()
    }

    /// Solutions for all targets, corrected by passes over the data. `moments` are those of examples and targets.
    pub(crate) fn refined<E: Examples + ?Sized>(
        &self,
        problem: &Problem<'_, E>,
        moments: &Moments,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<Solution>> {
        let dim = self.mean.len();
        let plain = |at: usize| self.plain(moments, dim + at);
        let mut state = State { functions: (0..problem.targets.len()).map(plain).collect::<Result<_>>()? };
        let mut stop = meter.advance(1, 0);
        let (mut before, mut shrink) = (f64::INFINITY, 0.0_f64);
        let (mut norms, mut left) = (vec![None; problem.targets.len()], f64::INFINITY);
        let mut round = 0;
        while stop.is_none() {
            let change = match state.step(self, problem, meter)? {
                Ok((change, now)) => {
                    norms = now;
                    change
                }
                Err(ended) => {
                    stop = Some(ended);
                    break;
                }
            };
            round += 1;
            // The first change is the error of the factorisation's own solution: by about so much a round shrinks it.
            shrink = if round == 1 { 16.0 * change } else { shrink.max(change / before) };
            left = change * shrink;
            stop = if left <= f64::EPSILON / 16.0 {
                Some(Stop::Converged)
            } else if round == ROUNDS || change > before / 2.0 {
                Some(Stop::Stalled)
            } else {
                meter.advance(1, 0)
            };
            before = change;
        }
        let stop = stop.unwrap_or(Stop::Stalled);
        let finish = |((weights, bias), norm): (Coefficients, Option<DoubleDouble>)| {
            self.finish(problem, weights, bias, norm, left, stop)
        };
        Ok(state.functions.into_iter().zip(norms).map(finish).collect())
    }

    /// What can be claimed of coefficients whose relative error is at most `left` before they are rounded.
    fn finish<E: Examples + ?Sized>(
        &self,
        problem: &Problem<'_, E>,
        weights: Vec<DoubleDouble>,
        bias: DoubleDouble,
        norm: Option<DoubleDouble>,
        left: f64,
        stop: Stop,
    ) -> Solution {
        let columns = problem.columns() as f64;
        let share = f64::EPSILON / 2.0 + columns * left;
        let terms = weights.iter().zip(&self.size).map(|(w, size)| w.hi.abs() * size).sum::<f64>();
        let moved = share * (terms + bias.hi.abs() * self.weight.sqrt());
        // What rounding the coefficients adds to the residuals meets each column by Cauchy and Schwarz.
        let gradient = weights.iter().zip(&self.spread).map(|(w, spread)| {
            let part = spread * moved + self.penalty * share * w.hi.abs();
            part * part
        });
        let residual_norm = norm.map_or(f64::NAN, DoubleDouble::value);
        let figures = LinearSystemFigures {
            residual_norm,
            backward_error: 2.0 * f64::EPSILON + columns * left,
            gradient_norm: 2.0 * gradient.sum::<f64>().sqrt(),
        };
        let figures = (stop == Stop::Converged).then_some(figures);
        Solution { weights, bias, figures, residual_norm: norm, stop, multipliers: None }
    }
}

/// The largest relative change of a correction, and the norms of the residuals after it.
type Corrected = (f64, Vec<Option<DoubleDouble>>);

/// The functions so far.
struct State {
    functions: Vec<Coefficients>,
}

impl State {
    /// One pass and one correction of every function: the largest relative change, and the norms of the residuals after it;
    /// or why the pass was not ended.
    fn step<E: Examples + ?Sized>(
        &mut self,
        system: &SemiNormal,
        problem: &Problem<'_, E>,
        meter: &mut Meter<'_>,
    ) -> Result<Result<Corrected, Stop>> {
        let sweeps = match sweep(problem, &self.functions, meter) {
            Ok(sweeps) => sweeps,
            Err(ended) => return Ok(Err(ended)),
        };
        let (mut largest, mut norms) = (0.0_f64, Vec::with_capacity(sweeps.len()));
        for (function, sweep) in self.functions.iter_mut().zip(&sweeps) {
            let (change, norm) = correct(function, sweep, system)?;
            largest = largest.max(change);
            norms.push(Some(norm));
        }
        Ok(Ok((largest, norms)))
    }
}

/// Corrects a function by what its gradient says.
fn correct(function: &mut Coefficients, sweep: &Sweep, system: &SemiNormal) -> Result<(f64, DoubleDouble)> {
    let (weights, bias) = function;
    let total = sweep.total.value();
    let missing: Vec<DoubleDouble> =
        (sweep.gradient.iter().zip(weights.iter())).map(|(g, w)| *g - *w * system.penalty).collect();
    let centred = |(k, g): (usize, &DoubleDouble)| {
        if system.bias { (*g - sweep.total * system.mean[k]).value() } else { g.value() }
    };
    let right = missing.iter().enumerate().map(centred).collect();
    let (change, shift) = system.solve(right, total)?;
    // Σωr² of the corrected function: −2δᵗXᵗWr + δᵗXᵗWXδ, where (XᵗWX + λI)δ is what was missing.
    let mut squares = sweep.squares - sweep.total * shift;
    for ((change, g), missing) in change.iter().zip(&sweep.gradient).zip(&missing) {
        squares = squares
            - (*g * 2.0 - *missing) * *change
            - DoubleDouble::product(*change, *change) * system.penalty;
    }
    let norm = if squares.hi > 0.0 { squares.sqrt() } else { DoubleDouble::ZERO };
    let (mut moved, mut all) = (shift.abs() * system.weight.sqrt(), 0.0_f64);
    for ((w, change), size) in weights.iter_mut().zip(&change).zip(&system.size) {
        *w = *w + *change;
        moved = moved.max(change.abs() * size);
        all = all.max(w.hi.abs() * size);
    }
    *bias = *bias + shift;
    all = all.max(bias.hi.abs() * system.weight.sqrt());
    Ok((if moved == 0.0 { 0.0 } else { moved / all }, norm))
}
