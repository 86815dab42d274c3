//! A primal–dual interior-point method for the whole problem at once.
//!
//! # Problem
//! That of `problem.rs`, with its matrix in memory. Each `βᵢ` is split at its kink into the sizes of a positive and a
//! negative part, of which a classifier has one and a regression both:
//! ```text
//! minimise ½ βᵗ(K + diag r)β + Σ cₕxₕ   over 0 ≤ xₕ ≤ wₕ,   βᵢ = Σ σₕxₕ,   Ax = t
//! ```
//! `A` has a row for each multiplier of the balance.
//! # Method
//! Newton's method on the optimality conditions with `xz = τ` and `(w − x)y = τ` in place of the complementarity
//! products, from outside the balance, with Mehrotra's predictor to choose `τ` and to correct for curvature. The parts of
//! one variable share a row of the matrix, so a step factors one matrix `K + diag r + E⁻¹` of the size of the problem,
//! however many parts there are. The best point seen is kept: the last steps may be lost in rounding.
//! # Cost
//! `n³/3` operations an iteration and some 15 to 40 iterations, in `2n²` numbers.
//! # Reference
//! Mehrotra (1992); Ferris & Munson (2002) for support vector machines; Nocedal & Wright (2006), section 16.6.

mod parts;
mod system;

use lm_core::linalg::{Interruptible, Matrix, matrix_vector};
use lm_core::{Meter, Result};

use crate::problem::DualProblem;
use parts::{Part, balance, parts, squared, start};

/// Steps after which no problem seen was still getting better.
const MOST_STEPS: usize = 120;

/// The share of itself to which an error falls in a step that counts as progress.
const FALLING: f64 = 0.8;

/// The point that a run ends at.
#[derive(Debug)]
pub(crate) struct Point {
    /// The coefficients, none of them quite at a bound.
    pub(crate) beta: Vec<f64>,
    /// The coefficients with those at the bounds and at the kink that belong there.
    pub(crate) snapped: Vec<f64>,
    /// For each variable, whether its coefficient belongs between the bounds and the kink.
    pub(crate) free: Vec<bool>,
}

/// Solves a problem to a relative gap of `goal`, or as near as the arithmetic allows; an objective of which the size is
/// below `nought` counts as 0. None where the matrix is not positive semi-definite.
pub(crate) fn solve(
    k: &Matrix,
    problem: &DualProblem,
    goal: f64,
    nought: f64,
    meter: &mut Meter<'_>,
) -> Result<Option<Point>> {
    let mut state = State::new(k, problem)?;
    for _ in 0..MOST_STEPS {
        if state.good_enough(goal, nought) || state.stagnates() || meter.advance(0, 0).is_some() {
            break;
        }
        match state.step(meter)? {
            Outcome::Moved => {}
            Outcome::Interrupted => break,
            Outcome::NotConvex => return Ok(None),
        }
        if meter.advance(1, 0).is_some() {
            break;
        }
    }
    state.into_point().map(Some)
}

enum Outcome {
    Moved,
    Interrupted,
    NotConvex,
}

/// The numbers that a step changes, one for each part.
#[derive(Debug, Clone)]
struct Iterate {
    x: Vec<f64>,
    /// The price of `x ≥ 0`.
    z: Vec<f64>,
    /// The price of `x ≤ w`; 0 where there is no such bound.
    y: Vec<f64>,
    /// The multipliers of the balance.
    mu: Vec<f64>,
}

struct State<'a> {
    k: &'a Matrix,
    problem: &'a DualProblem,
    parts: Vec<Part>,
    /// Rows of the balance as sums of coefficients, by their number. Their squares are added to the matrix of a step: this
    /// changes nothing where the balance is kept, and makes regular what is singular only where the balance forbids it.
    squared: Vec<(usize, Vec<f64>)>,
    /// The rows of the balance over the parts, and what they add up to.
    rows: Vec<Vec<f64>>,
    targets: Vec<f64>,
    at: Iterate,
    best: Iterate,
    /// The least error of the objective so far, and the least in parts of the objective.
    least: f64,
    least_share: f64,
    /// What error, share, balance and slopes were when each last fell by a step that counts, and how many steps ago one did.
    marks: [f64; 4],
    since: usize,
    largest: f64,
}

/// What is wrong with a point: the right-hand sides of Newton's equations.
struct Residuals {
    stationarity: Vec<f64>,
    balance: Vec<f64>,
    /// `Σ xz + Σ (w − x)y`.
    complementarity: f64,
    objective: f64,
    products: usize,
}

impl<'a> State<'a> {
    fn new(k: &'a Matrix, problem: &'a DualProblem) -> Result<Self> {
        let parts = parts(problem);
        let (rows, targets) = balance(problem, &parts);
        let largest =
            (0..problem.len()).map(|i| k[(i, i)].abs() + problem.ridge(i)).fold(f64::MIN_POSITIVE, f64::max);
        let at = start(k, problem, &parts, &targets, largest)?;
        let best = at.clone();
        let squared = squared(problem);
        let mut state = Self {
            k,
            squared,
            problem,
            parts,
            rows,
            targets,
            at,
            best,
            least: f64::INFINITY,
            least_share: f64::INFINITY,
            marks: [f64::INFINITY; 4],
            since: 0,
            largest,
        };
        state.take_note()?;
        Ok(state)
    }

    /// The coefficients of a point.
    fn beta(&self, x: &[f64]) -> Vec<f64> {
        let mut beta = vec![0.0; self.problem.len()];
        for (part, x) in self.parts.iter().zip(x) {
            beta[part.variable] += part.sign * x;
        }
        beta
    }

    /// `(K + diag r)·x`.
    fn times(&self, x: &[f64]) -> Result<Vec<f64>> {
        let mut out = matrix_vector(self.k, x)?;
        out.iter_mut().zip(x).enumerate().for_each(|(i, (out, x))| *out += self.problem.ridge(i) * x);
        Ok(out)
    }

    /// The matrix of a step times `x`.
    fn times_squared(&self, x: &[f64]) -> Result<Vec<f64>> {
        let mut out = self.times(x)?;
        for (_, row) in &self.squared {
            let sum = self.largest * row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
            out.iter_mut().zip(row).for_each(|(out, a)| *out += sum * a);
        }
        Ok(out)
    }

    fn residuals(&self) -> Result<Residuals> {
        let Iterate { x, z, y, mu } = &self.at;
        let beta = self.beta(x);
        let gradient = self.times(&beta)?;
        let mut objective = 0.5 * beta.iter().zip(&gradient).map(|(a, b)| a * b).sum::<f64>();
        let mut stationarity = Vec::with_capacity(x.len());
        let (mut complementarity, mut products) = (0.0, 0);
        for (h, part) in self.parts.iter().enumerate() {
            let paid: f64 = self.rows.iter().zip(mu).map(|(row, mu)| row[h] * mu).sum();
            stationarity.push(z[h] - y[h] - part.cost - part.sign * gradient[part.variable] - paid);
            complementarity += x[h] * z[h];
            products += 1;
            if part.width.is_finite() {
                complementarity += (part.width - x[h]) * y[h];
                products += 1;
            }
            objective += part.cost * x[h];
        }
        let balance = self.rows.iter().zip(&self.targets);
        let balance =
            balance.map(|(row, t)| t - row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>()).collect();
        Ok(Residuals { stationarity, balance, complementarity, objective, products })
    }

    /// Keeps the point if it is the best one.
    fn take_note(&mut self) -> Result<()> {
        let now = self.residuals()?;
        let x = &self.at.x;
        // What the violations could cost, added to what the products say.
        let moved: f64 = now.stationarity.iter().zip(x).map(|(r, x)| r.abs() * x).sum();
        let paid: f64 = now.balance.iter().zip(&self.at.mu).map(|(r, mu)| (r * mu).abs()).sum();
        let off: f64 = now
            .balance
            .iter()
            .zip(&self.targets)
            .map(|(r, t)| r.abs() / (t.abs() + x.iter().sum::<f64>()).max(f64::MIN_POSITIVE))
            .sum();
        let error = now.complementarity + moved + paid + off * now.objective.abs();
        // From a start far away the objective grows faster than the error; where the optimum is 0, only the error falls.
        let share = error / now.objective.abs().max(f64::MIN_POSITIVE);
        let slopes = now.stationarity.iter().fold(0.0, |most: f64, r| most.max(r.abs()));
        self.since += 1;
        for (mark, now) in self.marks.iter_mut().zip([error, share, off, slopes]) {
            if now < FALLING * *mark {
                *mark = now;
                self.since = 0;
            }
        }
        if error < self.least || share < self.least_share {
            self.least = self.least.min(error);
            self.least_share = self.least_share.min(share);
            self.best = self.at.clone();
        }
        Ok(())
    }

    fn good_enough(&self, goal: f64, nought: f64) -> bool {
        self.least_share <= goal || self.least <= 1e-3 * nought
    }

    fn stagnates(&self) -> bool {
        self.since > 12
    }

    /// One step: where complementarity alone would lead, then a step that aims at what this promises.
    fn step(&mut self, meter: &mut Meter<'_>) -> Result<Outcome> {
        let system = match self.factored(meter)? {
            Interruptible::Done(Some(system)) => system,
            Interruptible::Done(None) => return Ok(Outcome::NotConvex),
            Interruptible::Stopped => return Ok(Outcome::Interrupted),
        };
        let now = self.residuals()?;
        let tau = now.complementarity / now.products as f64;
        let (x, z, y) = (&self.at.x, &self.at.z, &self.at.y);
        let room: Vec<f64> = self.parts.iter().zip(x).map(|(part, x)| part.width - x).collect();
        let at_zero: Vec<f64> = x.iter().zip(z).map(|(x, z)| -x * z).collect();
        let at_width: Vec<f64> =
            (0..x.len()).map(|h| if y[h] > 0.0 { -room[h] * y[h] } else { 0.0 }).collect();
        let aim = self.direction(&system, &now, &at_zero, &at_width)?;
        let reach = self.reach(&aim).min(1.0);
        let mut promised = 0.0;
        for h in 0..x.len() {
            promised += (x[h] + reach * aim.x[h]) * (z[h] + reach * aim.z[h]);
            if room[h].is_finite() {
                promised += (room[h] - reach * aim.x[h]) * (y[h] + reach * aim.y[h]);
            }
        }
        let share = (promised / now.products as f64 / tau).clamp(0.0, 1.0);
        let target = share * share * share * tau;
        let at_zero: Vec<f64> = (0..x.len()).map(|h| target - x[h] * z[h] - aim.x[h] * aim.z[h]).collect();
        let at_width: Vec<f64> = (0..x.len())
            .map(|h| if room[h].is_finite() { target - room[h] * y[h] + aim.x[h] * aim.y[h] } else { 0.0 })
            .collect();
        let step = self.direction(&system, &now, &at_zero, &at_width)?;
        let length = (0.995 * self.reach(&step)).min(1.0);
        self.at.add(&step, length);
        self.keep_inside();
        self.take_note()?;
        Ok(Outcome::Moved)
    }

    /// Rounding must not put a point on a bound.
    fn keep_inside(&mut self) {
        for (h, part) in self.parts.iter().enumerate() {
            let x = self.at.x[h].max(f64::MIN_POSITIVE);
            self.at.x[h] = if part.width.is_finite() { x.min(part.width * (1.0 - f64::EPSILON)) } else { x };
            self.at.z[h] = self.at.z[h].max(f64::MIN_POSITIVE);
            if part.width.is_finite() {
                self.at.y[h] = self.at.y[h].max(f64::MIN_POSITIVE);
            }
        }
    }

    /// How far one can go before a bound.
    fn reach(&self, step: &Iterate) -> f64 {
        let mut reach = f64::INFINITY;
        let mut limit = |value: f64, change: f64| {
            if change < 0.0 {
                reach = reach.min(-value / change);
            }
        };
        for (h, part) in self.parts.iter().enumerate() {
            limit(self.at.x[h], step.x[h]);
            limit(self.at.z[h], step.z[h]);
            if part.width.is_finite() {
                limit(part.width - self.at.x[h], -step.x[h]);
                limit(self.at.y[h], step.y[h]);
            }
        }
        reach
    }

    /// The best point, and which parts are free: those whose distance from a bound outweighs their price there.
    fn into_point(self) -> Result<Point> {
        let n = self.problem.len();
        let Iterate { x, z, y, .. } = &self.best;
        let beta = self.beta(x);
        let size = beta.iter().fold(f64::MIN_POSITIVE, |size: f64, beta| size.max(beta.abs()));
        // Prices count beside the terms that they are the difference of.
        let terms = self.times(&beta)?;
        let costs = self.parts.iter().map(|part| part.cost);
        let price =
            terms.into_iter().chain(costs).fold(f64::MIN_POSITIVE, |price: f64, t| price.max(t.abs()));
        let (mut snapped, mut free) = (vec![0.0; n], vec![false; n]);
        for (h, part) in self.parts.iter().enumerate().filter(|(_, part)| part.sign != 0.0) {
            let i = part.variable;
            let room = part.width - x[h];
            if part.width.is_finite() && room / size.min(part.width) < y[h] / price {
                snapped[i] += part.sign * part.width;
            } else if x[h] / size.min(part.width) >= z[h] / price {
                snapped[i] += part.sign * x[h];
                free[i] = true;
            }
        }
        Ok(Point { beta, snapped, free })
    }
}

impl Iterate {
    fn add(&mut self, step: &Self, length: f64) {
        let pairs = [
            (&mut self.x, &step.x),
            (&mut self.z, &step.z),
            (&mut self.y, &step.y),
            (&mut self.mu, &step.mu),
        ];
        for (to, by) in pairs {
            to.iter_mut().zip(by).for_each(|(to, by)| *to += length * by);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Balance;
    use lm_core::Control;

    /// minimise ½(2β₀² + 2β₁²) − β₀ + β₁ over β₀ in [0, 1], β₁ in [−1, 0] with β₀ + β₁ = 0: ½ and −½.
    fn two() -> (Matrix, DualProblem) {
        let k = Matrix::from_rows(&[2.0, 0.0, 0.0, 2.0], 2, 2).unwrap();
        let problem =
            DualProblem::new(vec![0.0, -1.0], vec![1.0, 0.0], vec![-1.0, 1.0], Balance::Total(0.0)).unwrap();
        (k, problem)
    }

    #[test]
    fn a_step_keeps_inside_and_comes_nearer() {
        let (k, problem) = two();
        let mut meter = Control::default().start(100);
        let mut state = State::new(&k, &problem).unwrap();
        // Both parts start at 1/4, the sizes that a steepest slope of 1 and a diagonal of 2 suggest, cut to half the room.
        assert_eq!(state.at.x, [0.5, 0.5]);
        let before = state.residuals().unwrap();
        assert_eq!(before.balance, [0.0]);
        assert!(matches!(state.step(&mut meter).unwrap(), Outcome::Moved));
        let after = state.residuals().unwrap();
        assert!(after.complementarity < 0.5 * before.complementarity);
        for h in 0..2 {
            assert!(state.at.x[h] > 0.0 && state.at.x[h] < 1.0 && state.at.z[h] > 0.0 && state.at.y[h] > 0.0);
        }
    }

    #[test]
    fn the_point_is_free_where_it_belongs_between_the_bounds() {
        let (k, problem) = two();
        let mut meter = Control::default().start(100);
        let point = solve(&k, &problem, 1e-12, 0.0, &mut meter).unwrap().unwrap();
        assert_eq!(point.free, [true, true]);
        assert!((point.beta[0] - 0.5).abs() < 1e-10 && (point.beta[1] + 0.5).abs() < 1e-10);
        // With a fifth of the room both sit at their bounds.
        let narrow =
            DualProblem::new(vec![0.0, -0.2], vec![0.2, 0.0], vec![-1.0, 1.0], Balance::Total(0.0)).unwrap();
        let point = solve(&k, &narrow, 1e-12, 0.0, &mut meter).unwrap().unwrap();
        assert_eq!((point.snapped, point.free), (vec![0.2, -0.2], vec![false, false]));
    }

    #[test]
    fn a_matrix_that_is_not_positive_is_refused() {
        let k = Matrix::from_rows(&[0.0, 5.0, 5.0, 0.0], 2, 2).unwrap();
        let wide = vec![f64::INFINITY; 2];
        let problem = DualProblem::new(vec![0.0; 2], wide, vec![-1.0; 2], Balance::Total(1.0)).unwrap();
        let mut meter = Control::default().start(100);
        // The sum is fixed, so only the difference counts, along which the curvature is −10.
        assert!(solve(&k, &problem, 1e-12, 0.0, &mut meter).unwrap().is_none());
    }
}
