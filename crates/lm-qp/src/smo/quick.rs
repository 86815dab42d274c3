//! Pairs in single precision, on as few variables as matter, corrected in double precision.
//!
//! # Problem
//! That of `smo.rs` with one balance: most of the way, at a fraction of the cost.
//! # Method
//! Rows of the Gram matrix and prices are kept in single precision, in two passes over vectors an iteration. A row that is
//! missing is computed together with those that are likely to be asked for next. Variables that no partner can move are left
//! out, and when a quarter can be, prices and cached rows are cut to the others, so that a pass costs what is left. When the
//! violation is small enough, the gradient of all variables is computed anew in double precision, and the next round starts
//! from there: single precision limits the correction that a round makes and not the result. Prices are relative to the
//! multiplier of the balance, so that small differences keep their digits.
//! # Cost
//! Two rows of what is left an iteration; one product of the Gram matrix with the coefficients in double precision a round.
//! # Reference
//! Joachims (1999), Making large-scale SVM learning practical, for leaving out; Wilkinson (1963), Rounding errors in
//! algebraic processes, for correction in a higher precision.

use lm_core::{Extremes, Gram, Meter, Prices, Result, RowCache, Stop};

use super::{Goal, Rest, Smo};
use crate::optimality::Standing;
use crate::problem::{Balance, DualProblem};

/// Fewer variables than this are solved as fast without it.
const WORTHWHILE: usize = 500;

/// The share of the first violation that the first round is to leave.
const FIRST: f64 = 1e-3;

/// What a round must make of a violation for another to follow.
const PROGRESS: f64 = 0.5;

/// The share of variables that are worth cutting the rows for.
const CUT: f64 = 0.75;

/// Steps between two looks at the clock.
const BLOCK: u64 = 64;

/// How a round ended.
enum Round {
    /// No violation among the variables left is larger than the tolerance.
    Settled,
    /// Single precision can do no more.
    Lost,
    Stopped(Stop),
    /// As many steps were done as the caller's patience allows.
    Weary,
}

impl<G: Gram + ?Sized> Smo<'_, G> {
    /// Rounds until the goal is met, the budget or the patience is used up, or none: then single precision has done what it
    /// can, and the gradient is exact.
    pub(super) fn approach(
        &mut self,
        goal: &Goal,
        meter: &mut Meter<'_>,
    ) -> Result<Option<(Rest, Standing)>> {
        let one_balance = matches!(self.problem.balance(), Balance::Total(_));
        if !one_balance || !goal.shrinking || self.beta.len() < WORTHWHILE {
            return Ok(None);
        }
        let mut violation = self.violation();
        let mut tolerance = goal.violation.unwrap_or(FIRST * violation.max(0.0));
        let mut left = goal.patience;
        loop {
            // What is left out may be violated by a little more.
            let round = self.round(0.9 * tolerance, &mut left, meter)?;
            self.resynchronise()?;
            let now = self.violation();
            let standing = self.standing()?;
            meter.observe(Some(-standing.objective), Some(standing.relative_gap()));
            let reached = match goal.violation {
                Some(allowed) => now <= allowed,
                None => standing.relative_gap() <= goal.gap,
            } || goal.nought.is_some_and(|nought| standing.objective <= nought);
            match round {
                _ if reached => return Ok(Some((Rest::Reached, standing))),
                Round::Stopped(stop) => return Ok(Some((Rest::Stopped(stop), standing))),
                Round::Weary => return Ok(Some((Rest::Weary, standing))),
                Round::Lost => return Ok(None),
                Round::Settled if !(now < PROGRESS * violation) => return Ok(None),
                Round::Settled => {}
            }
            violation = now;
            if goal.violation.is_none() && now <= tolerance {
                // The gap falls at least in proportion to the violation.
                let wanted = 0.5 * goal.gap / standing.relative_gap();
                tolerance = now * wanted.clamp(0.02, 0.5);
            }
        }
    }

    /// Steps in single precision from an exact gradient.
    fn round(&mut self, tolerance: f64, left: &mut u64, meter: &mut Meter<'_>) -> Result<Round> {
        let gram = self.cache.gram();
        let cache = RowCache::new(gram, self.quick_bytes)?;
        let mut quick = Quick::new(cache, self.problem, &self.curvature, &mut self.beta, &self.gradient)?;
        let (mut computed, mut until_cut) = (0, quick.pause());
        let ended = loop {
            let (mut steps, mut outcome) = (0, None);
            while outcome.is_none() && steps < BLOCK.min(meter.iterations_left()).min(*left) {
                outcome = quick.step(tolerance)?;
                steps += 1;
            }
            *left -= steps;
            let misses = quick.cache.figures().misses;
            let values = (misses - computed) * quick.members.len() as u64;
            computed = misses;
            if let Some(stop) = meter.advance(steps, values) {
                break Round::Stopped(stop);
            }
            if let Some(outcome) = outcome {
                break outcome;
            }
            if *left == 0 {
                break Round::Weary;
            }
            until_cut = until_cut.saturating_sub(steps);
            if until_cut == 0 {
                quick.cut()?;
                until_cut = quick.pause();
            }
        };
        Ok(ended)
    }
}

/// The variables that are left, with prices in single precision.
struct Quick<'a, 'b, G: ?Sized> {
    cache: RowCache<'a, G, f32>,
    problem: &'a DualProblem,
    curvature: &'b [f64],
    /// Of all variables.
    beta: &'b mut [f64],
    prices: Prices,
    extremes: Extremes,
    /// The variables that are left.
    members: Vec<usize>,
    /// The smallest curvature that is taken for more than rounding of single precision.
    floor: f64,
    /// Where rows that are computed ahead are looked for.
    turn: usize,
}

impl<'a, 'b, G: Gram + ?Sized> Quick<'a, 'b, G> {
    fn new(
        cache: RowCache<'a, G, f32>,
        problem: &'a DualProblem,
        curvature: &'b [f64],
        beta: &'b mut [f64],
        gradient: &[f64],
    ) -> Result<Self> {
        let n = beta.len();
        // The middle of the violation is where prices are counted from.
        let (mut up, mut down) = (f64::INFINITY, f64::NEG_INFINITY);
        for (i, &beta) in beta.iter().enumerate() {
            let (above, below) = room(problem, i, beta);
            up = up.min(above.map_or(f64::INFINITY, |slope| gradient[i] + slope));
            down = down.max(below.map_or(f64::NEG_INFINITY, |slope| gradient[i] + slope));
        }
        let middle = if (up + down).is_finite() { 0.5 * (up + down) } else { 0.0 };
        let relative = |i: usize| (gradient[i] + problem.above()[i] - middle) as f32;
        let narrow = curvature.iter().map(|&value| value as f32).collect();
        let mut prices = Prices::new((0..n).map(relative).collect(), narrow)?;
        beta.iter().enumerate().for_each(|(i, &beta)| set_room(&mut prices, problem, i, i, beta));
        let extremes = prices.extremes();
        let largest = curvature.iter().fold(0.0, |a: f64, &b| a.max(b.abs()));
        let floor = (largest * 1e-6).max(f64::from(f32::MIN_POSITIVE));
        let members = (0..n).collect();
        Ok(Self { cache, problem, curvature, beta, prices, extremes, members, floor, turn: 0 })
    }

    /// Steps until variables are looked through for those to leave out.
    fn pause(&self) -> u64 {
        (self.members.len() as u64).clamp(BLOCK, 1000)
    }

    /// One exact step on the pair that gains most; how the round ended, if it did.
    fn step(&mut self, tolerance: f64) -> Result<Option<Round>> {
        let Extremes { cheapest, up, down } = self.extremes;
        let violation = f64::from(down) - f64::from(up);
        if !(violation > tolerance) {
            return Ok(Some(Round::Settled));
        }
        let Some(i) = cheapest else { return Ok(Some(Round::Settled)) };
        self.obtain(i)?;
        let own = self.curvature[self.members[i]];
        let row = self.cache.row(i)?;
        let Some(j) = self.prices.partner(up, own as f32, row, self.floor as f32) else {
            return Ok(Some(Round::Lost));
        };
        self.obtain(j)?;
        let (a, b) = (self.members[i], self.members[j]);
        let problem = self.problem;
        let gain = f64::from(self.prices.down(j)) - f64::from(up);
        let (row_i, row_j) = self.cache.pair(i, j)?;
        let curvature = self.curvature[a] + self.curvature[b] - 2.0 * f64::from(row_i[j]);
        let Some(by) = moved(problem, self.beta, (a, b), gain / curvature.max(self.floor)) else {
            return Ok(Some(Round::Lost));
        };
        for (at, variable, by) in [(i, a, by), (j, b, -by)] {
            set_room(&mut self.prices, problem, at, variable, self.beta[variable]);
            self.prices.add(at, (problem.ridge(variable) * by) as f32);
        }
        self.extremes = self.prices.shift(by as f32, row_i, row_j);
        Ok(None)
    }

    /// Has a row in the cache, with some that are likely to be asked for soon.
    fn obtain(&mut self, row: usize) -> Result<()> {
        // Rows that are computed together: as many as make the most of a pass over the data.
        const TOGETHER: usize = 8;
        if self.cache.contains(row) {
            return Ok(());
        }
        let most = TOGETHER.min(self.cache.capacity() / 4).max(1);
        let Extremes { up, down, .. } = self.extremes;
        let near = 0.1 * (down - up);
        let (cheap, dear) = (up + near, down - near);
        let n = self.members.len();
        let mut rows = vec![row];
        for offset in 0..n {
            if rows.len() == most {
                break;
            }
            let at = if self.turn + offset < n { self.turn + offset } else { self.turn + offset - n };
            let wanted = self.prices.up(at) < cheap || self.prices.down(at) > dear;
            if wanted && at != row && !self.cache.contains(at) {
                rows.push(at);
            }
        }
        self.turn = rows.last().map_or(0, |&last| if last + 1 < n { last + 1 } else { 0 });
        self.cache.prefetch(&rows)
    }

    /// Leaves out variables that no partner can move, if they are many.
    fn cut(&mut self) -> Result<()> {
        let Extremes { up, down, .. } = self.extremes;
        let stays = |&at: &usize| !(self.prices.up(at) > down && self.prices.down(at) < up);
        let kept: Vec<usize> = (0..self.members.len()).filter(stays).collect();
        if kept.len() as f64 > CUT * self.members.len() as f64 || kept.len() < 2 {
            return Ok(());
        }
        self.cache.narrow(&kept)?;
        self.prices.keep(&kept);
        self.members = kept.iter().map(|&at| self.members[at]).collect();
        self.turn = 0;
        self.extremes = self.prices.extremes();
        Ok(())
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
