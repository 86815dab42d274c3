//! Margin machines in the primal, by a barrier method: a reference that knows neither multipliers nor kernels.
//!
//! ```text
//! hard:  minimise ½‖w‖²            subject to zₖ(⟨w·xₖ⟩ + w₀) ≥ 1
//! soft:  minimise ½‖w‖² + c Σψₖ    subject to zₖ(⟨w·xₖ⟩ + w₀) ≥ 1 − ψₖ,  ψₖ ≥ 0
//! ```
//! Newton's method minimises `t·objective − Σ log(what each constraint has to spare)`, for larger and larger `t`: the
//! minimum lies inside of all constraints, and at most their number over `t` above the optimum.

use lm_core::linalg::{Cholesky, Matrix};
use lm_core::{Error, Result};

use super::vectors::dot;

/// A feasible point of the primal problem, and its value.
pub(crate) struct Primal {
    /// `(w, w₀)`.
    pub(crate) weights: Vec<f64>,
    /// `ψ`; zeros for the hard margin.
    pub(crate) slack: Vec<f64>,
    /// The objective at this point.
    pub(crate) value: f64,
    /// The least that a constraint has to spare.
    pub(crate) spare: f64,
    /// The objective after each value of `t`.
    pub(crate) course: Vec<f64>,
}

/// What is kept between two steps.
struct Barrier<'a> {
    rows: &'a [Vec<f64>],
    z: &'a [f64],
    /// The cost of slack; nothing for the hard margin.
    cost: Option<f64>,
    weights: Vec<f64>,
    slack: Vec<f64>,
}

/// The hard margin, from a hyperplane `(w, w₀)` that separates the examples.
pub(crate) fn hard_margin(rows: &[Vec<f64>], z: &[f64], separating: &[f64]) -> Result<Primal> {
    let mut barrier =
        Barrier { rows, z, cost: None, weights: separating.to_vec(), slack: vec![0.0; z.len()] };
    let least = barrier.spares().into_iter().fold(f64::INFINITY, f64::min) + 1.0;
    if !(least > 0.0) {
        return Err(Error::Numerical { what: "a start that does not separate the examples" });
    }
    barrier.weights.iter_mut().for_each(|w| *w *= 2.0 / least);
    barrier.run()
}

/// The soft margin at this cost.
pub(crate) fn soft_margin(rows: &[Vec<f64>], z: &[f64], cost: f64) -> Result<Primal> {
    let weights = vec![0.0; rows.first().map_or(0, Vec::len) + 1];
    Barrier { rows, z, cost: Some(cost), weights, slack: vec![2.0; z.len()] }.run()
}

impl Barrier<'_> {
    fn run(mut self) -> Result<Primal> {
        let count = self.z.len() as f64 * if self.cost.is_some() { 2.0 } else { 1.0 };
        let mut t = count / self.value();
        let mut course = Vec::new();
        loop {
            // Far fewer steps settle a minimum, unless rounding hides it.
            for _ in 0..60 {
                if self.step(t)? < 1e-6 {
                    break;
                }
            }
            course.push(self.value());
            if !(count / t > 1e-11 * self.value()) {
                break;
            }
            t *= 8.0;
        }
        let slack = if self.cost.is_some() { &self.slack[..] } else { &[] };
        let spare =
            self.spares().iter().chain(slack).fold(f64::INFINITY, |least: f64, spare| least.min(*spare));
        Ok(Primal { value: self.value(), weights: self.weights, slack: self.slack, spare, course })
    }

    fn value(&self) -> f64 {
        let w = &self.weights[..self.weights.len() - 1];
        0.5 * dot(w, w) + self.cost.unwrap_or(0.0) * self.slack.iter().sum::<f64>()
    }

    /// `zₖ(⟨w·xₖ⟩ + w₀) − 1 + ψₖ`.
    fn spares(&self) -> Vec<f64> {
        let bias = self.weights[self.weights.len() - 1];
        let spare = |((x, z), psi): ((&Vec<f64>, &f64), &f64)| z * (dot(x, &self.weights) + bias) - 1.0 + psi;
        self.rows.iter().zip(self.z).zip(&self.slack).map(spare).collect()
    }

    /// One step of Newton's method, shortened so that it stays inside; the answer is its decrement.
    fn step(&mut self, t: f64) -> Result<f64> {
        let (n, d) = (self.z.len(), self.weights.len());
        let spares = self.spares();
        let (mut hessian, mut slope) = (Matrix::zeros(d, d)?, vec![0.0; d]);
        for (k, slope) in slope.iter_mut().enumerate().take(d - 1) {
            hessian.column_mut(k)[k] = t;
            *slope = t * self.weights[k];
        }
        // The slack of each example is eliminated from the linear system.
        let mut eliminated = vec![(0.0, 1.0); n];
        for k in 0..n {
            let y: Vec<f64> = self.rows[k].iter().chain([&1.0]).map(|x| self.z[k] * x).collect();
            let (pull, mut curvature) = (1.0 / spares[k], spares[k].powi(-2));
            let mut push = pull;
            if let Some(cost) = self.cost {
                let own = self.slack[k].powi(-2);
                let gradient = t * cost - pull - 1.0 / self.slack[k];
                eliminated[k] = (gradient, curvature + own);
                push += curvature * gradient / (curvature + own);
                curvature *= own / (curvature + own);
            }
            for j in 0..d {
                let factor = curvature * y[j];
                hessian.column_mut(j)[j..].iter_mut().zip(&y[j..]).for_each(|(h, y)| *h += factor * y);
                slope[j] -= push * y[j];
            }
        }
        let mut step: Vec<f64> = slope.iter().map(|slope| -slope).collect();
        let factor =
            Cholesky::factor(hessian)?.ok_or(Error::Numerical { what: "the step of the barrier" })?;
        factor.solve(&mut step)?;
        let mut slack_step = vec![0.0; n];
        let mut decrement = -dot(&slope, &step);
        if self.cost.is_some() {
            for k in 0..n {
                let along = self.z[k] * (dot(&self.rows[k], &step) + step[d - 1]);
                let (gradient, curvature) = eliminated[k];
                slack_step[k] = -(gradient + spares[k].powi(-2) * along) / curvature;
                decrement += gradient * gradient / curvature;
            }
        }
        self.walk(t, &step, &slack_step, decrement);
        Ok(decrement)
    }

    /// Goes along a step as far as it stays inside and the barrier falls.
    fn walk(&mut self, t: f64, step: &[f64], slack_step: &[f64], decrement: f64) {
        let (weights, slack) = (self.weights.clone(), self.slack.clone());
        let before = self.height(t);
        // A step of this size is inside and falls enough, by the self-concordance of the barrier.
        let safe = 1.0 / (1.0 + decrement.max(0.0).sqrt());
        let mut size = 1.0;
        loop {
            let moved = |from: &[f64], along: &[f64]| -> Vec<f64> {
                from.iter().zip(along).map(|(a, b)| a + size * b).collect()
            };
            (self.weights, self.slack) = (moved(&weights, step), moved(&slack, slack_step));
            if size <= safe || self.height(t) <= before - 0.1 * size * decrement {
                return;
            }
            size = (0.5 * size).max(safe);
        }
    }

    /// The function that is minimised; infinite outside.
    fn height(&self, t: f64) -> f64 {
        let mut height = t * self.value();
        let slack = if self.cost.is_some() { &self.slack[..] } else { &[] };
        for spare in self.spares().iter().chain(slack) {
            height -= if *spare > 0.0 { spare.ln() } else { f64::NEG_INFINITY };
        }
        height
    }
}

#[cfg(test)]
mod tests {
    use super::super::vectors::norm;
    use super::*;

    #[test]
    fn two_points_are_halved() {
        let rows = [vec![0.0, 0.0], vec![3.0, 4.0]];
        let primal = hard_margin(&rows, &[-1.0, 1.0], &[1.0, 0.0, -1.0]).unwrap();
        assert!((primal.value - 0.08).abs() < 1e-11 && primal.spare >= 0.0, "{}", primal.value);
        let expected = [6.0 / 25.0, 8.0 / 25.0, -1.0];
        assert!(primal.weights.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5));
        assert!(hard_margin(&rows, &[-1.0, 1.0], &[1.0, 0.0, 1.0]).is_err());
    }

    #[test]
    fn slack_is_paid_where_it_is_cheap() {
        // f(x) = wx with w = 2c, as long as that is at most 1.
        let rows = [vec![-1.0], vec![1.0]];
        let primal = soft_margin(&rows, &[-1.0, 1.0], 0.25).unwrap();
        assert!((primal.value - 0.375).abs() < 1e-11, "{}", primal.value);
        assert!((primal.weights[0] - 0.5).abs() < 1e-5 && (primal.slack[1] - 0.5).abs() < 1e-5);
        let primal = soft_margin(&rows, &[-1.0, 1.0], 4.0).unwrap();
        assert!((primal.value - 0.5).abs() < 1e-11 && norm(&primal.slack) < 1e-5);
    }
}
