//! What a problem looks like to the method: parts of coefficients, the rows of the balance over them, and a start.

use lm_core::Result;
use lm_core::linalg::{Matrix, matrix_vector};

use super::Iterate;
use crate::problem::{Balance, DualProblem};

/// One part of a variable: the size of its positive or of its negative coefficient.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub(super) variable: usize,
    pub(super) sign: f64,
    pub(super) width: f64,
    pub(super) cost: f64,
}

/// The parts that have room; the last one, without a variable's row, is what is left of a bound on the sizes.
pub(super) fn parts(problem: &DualProblem) -> Vec<Part> {
    let mut parts = Vec::with_capacity(problem.len());
    for i in 0..problem.len() {
        let (up, down) = (problem.upper()[i], -problem.lower()[i]);
        if up > 0.0 {
            parts.push(Part { variable: i, sign: 1.0, width: up, cost: problem.above()[i] });
        }
        if down > 0.0 {
            parts.push(Part { variable: i, sign: -1.0, width: down, cost: -problem.below()[i] });
        }
    }
    if let Balance::Sizes { .. } = problem.balance() {
        // It moves no coefficient: a sign of 0 keeps it out of the matrix.
        parts.push(Part { variable: 0, sign: 0.0, width: f64::INFINITY, cost: 0.0 });
    }
    parts
}

/// The rows of the balance over the parts, and their targets.
pub(super) fn balance(problem: &DualProblem, parts: &[Part]) -> (Vec<Vec<f64>>, Vec<f64>) {
    let row = |of: &dyn Fn(f64) -> f64| parts.iter().map(|part| of(part.sign)).collect::<Vec<f64>>();
    match problem.balance() {
        Balance::Open => (Vec::new(), Vec::new()),
        Balance::Total(total) => (vec![row(&|sign| sign)], vec![total]),
        Balance::Sides { positive, negative } => {
            (vec![row(&|sign| sign.max(0.0)), row(&|sign| sign.min(0.0))], vec![positive, -negative])
        }
        Balance::Sizes { total, most } => (vec![row(&|sign| sign), row(&|_| 1.0)], vec![total, most]),
    }
}

/// The rows of the balance that are sums of coefficients, whatever the parts.
pub(super) fn squared(problem: &DualProblem) -> Vec<(usize, Vec<f64>)> {
    let n = problem.len();
    let (lower, upper) = (problem.lower(), problem.upper());
    match problem.balance() {
        Balance::Open => Vec::new(),
        Balance::Total(_) | Balance::Sizes { .. } => vec![(0, vec![1.0; n])],
        // A coefficient that may be on either side counts in one row or the other.
        Balance::Sides { .. } if (0..n).any(|i| lower[i] < 0.0 && upper[i] > 0.0) => Vec::new(),
        Balance::Sides { .. } => {
            let on = |of: &dyn Fn(usize) -> bool| (0..n).map(|i| if of(i) { 1.0 } else { 0.0 }).collect();
            vec![(0, on(&|i| upper[i] > 0.0)), (1, on(&|i| lower[i] < 0.0))]
        }
    }
}

/// A point well inside the bounds, with prices that explain its slopes.
pub(super) fn start(
    k: &Matrix,
    problem: &DualProblem,
    parts: &[Part],
    targets: &[f64],
    largest: f64,
) -> Result<Iterate> {
    let steepest = parts.iter().fold(0.0, |a: f64, part| a.max(part.cost.abs()));
    let shared = targets.iter().fold(0.0, |a: f64, t| a.max(t.abs())) / parts.len().max(1) as f64;
    let size = (steepest / largest).max(shared);
    let size = if size > 0.0 && size.is_finite() { size } else { 1.0 };
    let x: Vec<f64> = parts.iter().map(|part| size.min(0.5 * part.width)).collect();
    let mut beta = vec![0.0; problem.len()];
    for (part, x) in parts.iter().zip(&x) {
        beta[part.variable] += part.sign * x;
    }
    let mut gradient = matrix_vector(k, &beta)?;
    gradient.iter_mut().zip(&beta).enumerate().for_each(|(i, (g, b))| *g += problem.ridge(i) * b);
    let slopes: Vec<f64> = parts.iter().map(|part| part.cost + part.sign * gradient[part.variable]).collect();
    let typical = slopes.iter().map(|slope| slope.abs()).sum::<f64>() / slopes.len().max(1) as f64;
    let typical = typical.max(1e-3 * steepest).max(f64::MIN_POSITIVE);
    let z = slopes.iter().map(|slope| slope.max(0.0) + typical).collect();
    let y = slopes
        .iter()
        .zip(parts)
        .map(|(slope, part)| if part.width.is_finite() { (-slope).max(0.0) + typical } else { 0.0 })
        .collect();
    Ok(Iterate { x, z, y, mu: vec![0.0; targets.len()] })
}
