//! How far the decision values of a point are from those of the best machine.
//!
//! # Two bounds
//! Let `β` be feasible, `w` and any bias its machine, `γ` the duality gap of both, and `w*` the solution. The primal objective
//! grows at least by `½‖w − w*‖²` from `w*` to `w`, and the dual one falls at least by as much, so that
//! ```text
//! ‖w − w*‖² ≤ γ   and   |⟨w·φ(x)⟩ − ⟨w*·φ(x)⟩| ≤ √γ √K(x,x)
//! ```
//! A free bias is the middle of where a sum of steps crosses the balance. Each step is at minus the score of an example, plus a
//! constant: when no score moves by more than `s`, neither do the ends of the crossing. So the middle that belongs to `w` is
//! within `√γ max √Kⱼⱼ` of the one that belongs to `w*`. The gap is computed with scores that may be off by `slip`, which only
//! makes it larger here.

use lm_core::double_double::DoubleDouble;

use crate::optimality::{best_multipliers, least};
use crate::problem::{Balance, DualProblem, Multipliers};

/// A point of a problem.
#[derive(Debug, Clone)]
pub(super) struct Point {
    pub(super) beta: Vec<f64>,
    /// `Kβ`.
    pub(super) scores: Vec<f64>,
    /// How far any score may be from `Kβ`.
    pub(super) slip: f64,
    /// What no score has ever been larger than.
    pub(super) size: f64,
}

impl Point {
    /// A point with scores that were computed with twice the digits and rounded.
    pub(super) fn exact(beta: Vec<f64>, scores: Vec<f64>) -> Self {
        let size = scores.iter().fold(0.0, |most: f64, score| most.max(score.abs()));
        let slip = f64::EPSILON * (size + f64::MIN_POSITIVE);
        Self { beta, scores, slip, size }
    }
}

/// What a point says of the best machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Judgement {
    /// The bias that belongs to the scores.
    pub(super) bias: f64,
    /// How far `w` is from the solution, at most.
    distance: f64,
    /// What rounding adds.
    slip: f64,
    /// The square root of the largest `Kⱼⱼ` that the bias depends on; 0 where it depends on none.
    longest: f64,
}

impl Judgement {
    /// Whether this is a better point than another.
    pub(super) fn is_nearer_than(&self, other: &Self) -> bool {
        self.distance < 0.5 * other.distance
    }

    /// How far a decision value is from that of the best machine, for an example of this norm.
    pub(super) fn error(&self, norm: f64) -> f64 {
        let rounding = 1.0 + 16.0 * f64::EPSILON;
        (self.distance * (norm + self.longest) + 4.0 * self.slip) * rounding
    }
}

/// Judges a point of a problem; `longest` is the square root of the largest `Kⱼⱼ`.
pub(super) fn judged(problem: &DualProblem, point: &Point, longest: f64) -> Judgement {
    let multipliers = multipliers(problem, &point.scores);
    let largest = |list: &[f64]| list.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    let size = largest(&point.scores)
        + multipliers.positive.abs().max(multipliers.negative.abs())
        + largest(problem.above()).max(largest(problem.below()));
    let slip = point.slip + 4.0 * f64::EPSILON * size;
    let distance = gap(problem, point, multipliers, slip).sqrt();
    let longest = if problem.balance() == Balance::Open { 0.0 } else { longest };
    Judgement { bias: multipliers.bias(), distance, slip, longest }
}

/// An upper bound on the duality gap.
fn gap(problem: &DualProblem, point: &Point, multipliers: Multipliers, slip: f64) -> f64 {
    let Multipliers { positive, negative } = multipliers;
    let mut gap = 0.0;
    for (i, (&beta, &score)) in point.beta.iter().zip(&point.scores).enumerate() {
        // What a coefficient adds is convex in its score: no score between these adds more.
        let adds = |score: f64| lost(problem, i, beta, (score + positive, score + negative));
        gap += adds(score - slip).max(adds(score + slip)).max(0.0);
    }
    // A balance that rounding has left open by a little is paid at the price of the bias.
    let open = match problem.balance() {
        Balance::Open => 0.0,
        Balance::Total(total) => 2.0 * (positive * (sum(point.beta.iter().copied()) - total)).abs(),
        Balance::Sides { positive: up, negative: down } => {
            let (a, b) =
                (sum(point.beta.iter().map(|b| b.max(0.0))), sum(point.beta.iter().map(|b| b.min(0.0))));
            2.0 * (positive * (a - up)).abs() + 2.0 * (negative * (b + down)).abs()
        }
        // Not one of the machines that are judged here.
        Balance::Sizes { .. } => f64::INFINITY,
    };
    let rounding = 1.0 + (point.beta.len() as f64 + 16.0) * f64::EPSILON;
    (gap + open) * rounding
}

/// What a coefficient loses against its best value, at these slopes without its own.
fn lost(problem: &DualProblem, i: usize, beta: f64, (positive, negative): (f64, f64)) -> f64 {
    let (best, least) = least(problem, i, positive, negative);
    let (slope, own) =
        if beta > 0.0 { (positive, problem.above()[i]) } else { (negative, problem.below()[i]) };
    if beta * best > 0.0 || (best == 0.0 && beta != 0.0) {
        // On one side the difference is taken before anything is multiplied, so that it is 0 where both are equal.
        return (slope + own + 0.5 * problem.ridge(i) * (beta + best)) * (beta - best);
    }
    slope * beta + problem.own_cost(i, beta) - least
}

/// A sum with twice the digits, rounded.
fn sum(of: impl Iterator<Item = f64>) -> f64 {
    of.fold(DoubleDouble::ZERO, |sum, value| sum + value).value()
}

/// The multipliers that belong to the scores: in the middle, where a whole interval is best.
fn multipliers(problem: &DualProblem, scores: &[f64]) -> Multipliers {
    match problem.balance() {
        Balance::Total(total) => match middle(problem, scores, total) {
            Some(b) => Multipliers { positive: b, negative: b },
            None => best_multipliers(problem, scores),
        },
        _ => best_multipliers(problem, scores),
    }
}

/// The middle of where a sum of steps crosses `total`; none unless all parts are steps and both ends exist.
fn middle(problem: &DualProblem, scores: &[f64], total: f64) -> Option<f64> {
    let (mut steps, mut sum, mut size) = (Vec::with_capacity(scores.len()), -total, total.abs());
    for (i, &score) in scores.iter().enumerate() {
        let (lower, upper) = (problem.lower()[i], problem.upper()[i]);
        if problem.ridge(i) > 0.0 {
            return None;
        }
        if upper > 0.0 {
            steps.push((-score - problem.above()[i], upper));
        }
        if lower < 0.0 {
            steps.push((-score - problem.below()[i], -lower));
        }
        sum += upper;
        size += upper - lower;
    }
    // Sums of bounds are rounded: what is this small counts as 0.
    let nothing = 4.0 * scores.len() as f64 * f64::EPSILON * size;
    if !(size.is_finite() && sum > nothing) {
        return None;
    }
    steps.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let mut first = None;
    for (at, fall) in steps {
        sum -= fall;
        if sum <= nothing && first.is_none() {
            first = Some(at);
        }
        if let (true, Some(first)) = (sum < -nothing, first) {
            return Some(first + 0.5 * (at - first));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_sorted_steps_is_that_of_bisection() {
        // Four examples at scores that leave an interval, and the same with one more that settles the crossing.
        let cases: [(&[f64], &[f64]); 2] =
            [(&[1.0, 1.0, -1.0, -1.0], &[0.3, 1.7, -0.2, -1.1]), (&[1.0, 1.0, -1.0], &[0.3, 1.7, -0.2])];
        for (signs, scores) in cases {
            let upper = signs.iter().map(|sign: &f64| sign.max(0.0)).collect();
            let lower = signs.iter().map(|sign| sign.min(0.0)).collect();
            let slopes = signs.iter().map(|sign| -sign).collect();
            let problem = DualProblem::new(lower, upper, slopes, Balance::Total(0.0)).unwrap();
            let found = middle(&problem, scores, 0.0).unwrap();
            assert!((found - best_multipliers(&problem, scores).positive).abs() < 1e-12, "{found}");
        }
    }
}
