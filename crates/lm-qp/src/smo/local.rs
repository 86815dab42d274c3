//! The problem of a working set: all other coefficients as they are, by pairs, in single precision.

use lm_core::{Extremes, Prices, Result};

use crate::problem::DualProblem;

/// A working set, and what it needs to know of the whole.
pub(super) struct Local<'a> {
    pub(super) problem: &'a DualProblem,
    /// The variables of the set.
    pub(super) variables: &'a [usize],
    /// Their kernel values with each other, row after row.
    pub(super) matrix: &'a [f32],
    /// The curvature of all variables.
    pub(super) curvature: &'a [f64],
    /// The smallest curvature that is taken for more than rounding of single precision.
    pub(super) floor: f64,
}

impl Local<'_> {
    /// Exact steps on the pairs that gain most, until none is violated by more than the tolerance, single precision can do no
    /// more, or `most` are done; how many were done. The gradient is that of the variables of the set, `middle` what prices are
    /// counted from, so that small differences keep their digits.
    pub(super) fn solve(
        &self,
        gradient: &[f64],
        middle: f64,
        tolerance: f64,
        most: u64,
        beta: &mut [f64],
    ) -> Result<u64> {
        let Self { problem, variables, matrix, curvature, floor } = *self;
        let count = variables.len();
        let relative = |(&i, g): (&usize, &f64)| (g + problem.above()[i] - middle) as f32;
        let narrow = variables.iter().map(|&i| curvature[i] as f32).collect();
        let mut prices = Prices::new(variables.iter().zip(gradient).map(relative).collect(), narrow)?;
        for (place, &i) in variables.iter().enumerate() {
            set_room(&mut prices, problem, place, i, beta[i]);
        }
        let row = |place: usize| &matrix[place * count..(place + 1) * count];
        let mut extremes = prices.extremes();
        for step in 0..most {
            let Extremes { cheapest: Some(a), up, down } = extremes else { return Ok(step) };
            if !(f64::from(down) - f64::from(up) > tolerance) {
                return Ok(step);
            }
            let i = variables[a];
            let Some(b) = prices.partner(up, curvature[i] as f32, row(a), floor as f32) else {
                return Ok(step);
            };
            let j = variables[b];
            let gain = f64::from(prices.down(b)) - f64::from(up);
            let bend = curvature[i] + curvature[j] - 2.0 * f64::from(row(a)[b]);
            let Some(by) = moved(problem, beta, (i, j), gain / bend.max(floor)) else { return Ok(step) };
            for (place, variable, by) in [(a, i, by), (b, j, -by)] {
                set_room(&mut prices, problem, place, variable, beta[variable]);
                prices.add(place, (problem.ridge(variable) * by) as f32);
            }
            extremes = prices.shift(by as f32, row(a), row(b));
        }
        Ok(most)
    }
}

/// Moves one variable up and another down, as far as asked for or to the next bound or kink of one of them; none if that is
/// no move at all, or one without end.
pub(crate) fn moved(problem: &DualProblem, beta: &mut [f64], (a, b): (usize, usize), by: f64) -> Option<f64> {
    let before = (beta[a], beta[b]);
    let (end_a, end_b) = (end(problem, a, before.0, true), end(problem, b, before.1, false));
    let (room_a, room_b) = (end_a - before.0, before.1 - end_b);
    let by = by.min(room_a).min(room_b);
    if by == f64::INFINITY {
        return None;
    }
    beta[a] = if by == room_a { end_a } else { (before.0 + by).min(end_a) };
    beta[b] = if by == room_b { end_b } else { (before.1 - by).max(end_b) };
    ((beta[a], beta[b]) != before).then_some(by)
}

/// The slopes that count for moving a variable up and down; none where there is no room.
pub(crate) fn room(problem: &DualProblem, i: usize, beta: f64) -> (Option<f64>, Option<f64>) {
    let (above, below) = (problem.above()[i], problem.below()[i]);
    let up = if beta < 0.0 { Some(below) } else { (beta < problem.upper()[i]).then_some(above) };
    let down = if beta > 0.0 { Some(above) } else { (beta > problem.lower()[i]).then_some(below) };
    (up, down)
}

/// Tells the prices what moving a variable costs beyond its gradient with the slope above 0.
pub(crate) fn set_room(prices: &mut Prices, problem: &DualProblem, at: usize, variable: usize, beta: f64) {
    let (up, down) = room(problem, variable, beta);
    let relative = |slope: f64| (slope - problem.above()[variable]) as f32;
    prices.set_room(at, up.map(relative), down.map(relative));
}

/// The next bound or kink.
pub(crate) fn end(problem: &DualProblem, i: usize, beta: f64, upwards: bool) -> f64 {
    match upwards {
        true if beta < 0.0 => 0.0,
        true => problem.upper()[i],
        false if beta > 0.0 => 0.0,
        false => problem.lower()[i],
    }
}
