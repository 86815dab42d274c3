//! From the solution on all examples to that on all but some, by pairs.
//!
//! # Problem
//! The dual problem without some of the examples, from the solution with them, a great many times.
//! # Method
//! What the missing examples had of the balance is handed on in portions, each to the coefficient that takes it at the least
//! price. Then pairs are moved as in `smo/local.rs`, by prices in single precision over rows of the whole matrix that all removals
//! share, until the violation is a small share of what it was; scores in double precision follow from the coefficients that
//! have changed.
//! # Cost
//! Two passes over vectors a step, and a row for each coefficient that has changed.
//! # Reference
//! Fan, Chen & Lin (2005), WSS 2; DeCoste & Wagstaff (2000) for starting from the solution on all examples; Cauwenberghs & Poggio
//! (2001) for unlearning one example.

use lm_core::{Extremes, Prices, Result};

use super::bound::Point;
use super::rows::Rows;
use crate::problem::{Balance, DualProblem};
use crate::smo::{end, moved, room, set_room};

/// Portions in which a missing coefficient is handed on.
const PORTIONS: f64 = 8.0;

/// The smallest curvature that is taken for more than rounding of single precision, as a share of the largest.
const FLOOR: f64 = 1e-6;

/// Makes the coefficients of these examples 0 and keeps the balance, by moving others that are cheap to move.
pub(super) fn hand_on(rows: &Rows, problem: &DualProblem, point: &mut Point, removed: &[usize]) {
    for &i in removed {
        let portion = point.beta[i].abs() / PORTIONS;
        while point.beta[i] != 0.0 {
            let upwards = point.beta[i] > 0.0;
            let partner = match problem.balance() {
                Balance::Total(_) => cheapest(problem, point, upwards),
                _ => None,
            };
            let most = point.beta[i].abs().min(portion.max(f64::MIN_POSITIVE));
            // The last portion takes what rounding has left of the others.
            let most = if point.beta[i].abs() < 1.5 * portion { point.beta[i].abs() } else { most };
            let (by, row) = match partner {
                Some(j) => {
                    let end = end(problem, j, point.beta[j], upwards);
                    let by = (end - point.beta[j]).abs().min(most);
                    let signed = if upwards { by } else { -by };
                    point.beta[j] = if by < most { end } else { point.beta[j] + signed };
                    rows.add(point, j, signed);
                    (by, i)
                }
                None => (point.beta[i].abs(), i),
            };
            let signed = if upwards { -by } else { by };
            point.beta[i] = if by == point.beta[i].abs() { 0.0 } else { point.beta[i] + signed };
            rows.add(point, row, signed);
        }
    }
}

/// The coefficient that takes up a portion at the least price.
fn cheapest(problem: &DualProblem, point: &Point, upwards: bool) -> Option<usize> {
    let (mut best, mut least) = (None, f64::INFINITY);
    for (j, &beta) in point.beta.iter().enumerate() {
        let (up, down) = room(problem, j, beta);
        let slope = if upwards { up } else { down.map(|slope| -slope) };
        let Some(slope) = slope else { continue };
        let gradient = point.scores[j] + problem.ridge(j) * beta;
        let price = slope + if upwards { gradient } else { -gradient };
        if price < least {
            (best, least) = (Some(j), price);
        }
    }
    best
}

/// Moves pairs until their violation is no larger than `share` of what it is, in at most this many steps; says how many it took.
pub(super) fn settle(
    rows: &Rows,
    problem: &DualProblem,
    point: &mut Point,
    share: f64,
    most: u64,
) -> Result<u64> {
    let before = point.beta.clone();
    let mut pairs = Pairs::new(rows, problem, &mut point.beta, &point.scores)?;
    let violation = f64::from(pairs.extremes.down) - f64::from(pairs.extremes.up);
    let tolerance = share * violation.max(0.0);
    let mut steps = 0;
    while steps < most && pairs.step(tolerance) {
        steps += 1;
    }
    rows.follow(point, &before);
    Ok(steps)
}

struct Pairs<'a> {
    rows: &'a Rows,
    problem: &'a DualProblem,
    beta: &'a mut [f64],
    prices: Prices,
    extremes: Extremes,
    floor: f64,
}

impl<'a> Pairs<'a> {
    fn new(rows: &'a Rows, problem: &'a DualProblem, beta: &'a mut [f64], scores: &[f64]) -> Result<Self> {
        let n = beta.len();
        let gradient = |i: usize| scores[i] + problem.ridge(i) * beta[i];
        // The middle of the violation is where prices are counted from.
        let (mut up, mut down) = (f64::INFINITY, f64::NEG_INFINITY);
        for (i, &beta) in beta.iter().enumerate() {
            let (above, below) = room(problem, i, beta);
            up = up.min(above.map_or(f64::INFINITY, |slope| gradient(i) + slope));
            down = down.max(below.map_or(f64::NEG_INFINITY, |slope| gradient(i) + slope));
        }
        let middle = if (up + down).is_finite() { 0.5 * (up + down) } else { 0.0 };
        let relative = |i: usize| (gradient(i) + problem.above()[i] - middle) as f32;
        let curvature: Vec<f64> = (0..n).map(|i| rows.diagonal[i] + problem.ridge(i)).collect();
        let floor = curvature.iter().fold(0.0, |a: f64, b| a.max(b.abs())) * FLOOR;
        let narrow = curvature.iter().map(|&value| value as f32).collect();
        let mut prices = Prices::new((0..n).map(relative).collect(), narrow)?;
        beta.iter().enumerate().for_each(|(i, &beta)| set_room(&mut prices, problem, i, i, beta));
        let extremes = prices.extremes();
        Ok(Self { rows, problem, beta, prices, extremes, floor: floor.max(f64::from(f32::MIN_POSITIVE)) })
    }

    /// One step on the pair that gains most; false where none is left that gains.
    fn step(&mut self, tolerance: f64) -> bool {
        let Extremes { cheapest, up, down } = self.extremes;
        if !(f64::from(down) - f64::from(up) > tolerance) {
            return false;
        }
        let Some(i) = cheapest else { return false };
        let (problem, rows) = (self.problem, self.rows);
        let own = rows.diagonal[i] + problem.ridge(i);
        let row_i = rows.narrow(i);
        let Some(j) = self.prices.partner(up, own as f32, row_i, self.floor as f32) else { return false };
        let gain = f64::from(self.prices.down(j)) - f64::from(up);
        let curvature = own + rows.diagonal[j] + problem.ridge(j) - 2.0 * f64::from(row_i[j]);
        let Some(by) = moved(problem, self.beta, (i, j), gain / curvature.max(self.floor)) else {
            return false;
        };
        for (at, by) in [(i, by), (j, -by)] {
            set_room(&mut self.prices, problem, at, at, self.beta[at]);
            self.prices.add(at, (problem.ridge(at) * by) as f32);
        }
        self.extremes = self.prices.shift(by as f32, row_i, rows.narrow(j));
        true
    }
}
