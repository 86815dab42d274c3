//! Working sets in single precision, corrected in double precision.
//!
//! # Problem
//! That of `smo.rs` with one balance: most of the way, at a fraction of the cost.
//! # Method
//! A working set is what violates most, together with some of the set before. Its problem, with all other coefficients as they
//! are, is solved by pairs in single precision on a matrix that stays in the cache of a core; then one combination of rows
//! changes the gradient of all variables, on all cores, in double precision. Variables that no partner can move are left
//! out, and when enough can be, everything is cut to the others. When the violation is small enough, the gradient is
//! computed anew from values in double precision, and the next round starts from there: single precision limits the
//! correction that a round makes and not the result.
//! # Cost
//! A round: a combination of some hundred rows for each working set, and steps that cost as much as a working set is large;
//! one product of the Gram matrix with the coefficients in double precision at its end.
//! # Reference
//! Joachims (1999), Making large-scale SVM learning practical, for working sets and leaving out; Wilkinson (1963), Rounding
//! errors in algebraic processes, for correction in a higher precision.

use lm_core::{CacheFigures, Gram, Meter, Result, Stop};

use super::local::{Local, room};
use super::rows::Rows;
use super::{Goal, Rest, Smo};
use crate::optimality::Standing;
use crate::problem::{Balance, DualProblem};

/// Fewer variables than this are solved as fast without it.
const WORTHWHILE: usize = 500;

/// The share of the first violation that the first round is to leave.
const FIRST: f64 = 1e-3;

/// What a round must make of a violation for another to follow.
const PROGRESS: f64 = 0.5;

/// The most variables of a working set.
const MOST: usize = 1024;

/// The share of the violation that is left in a working set, and of what is allowed.
const LEFT: f64 = 0.1;
const ALLOWED: f64 = 0.5;

/// Steps for each variable of a working set.
const STEPS: u64 = 20;

/// Working sets until variables are looked through for those to leave out, and the share that is worth it.
const PAUSE: u32 = 8;
const CUT: f64 = 0.75;

/// How a round ended.
enum Round {
    /// No violation among the variables left is larger than the tolerance.
    Settled,
    /// Single precision can do no more.
    Lost,
    Stopped(Stop),
    /// As much was done as the caller's patience allows.
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

    /// Working sets from an exact gradient.
    fn round(&mut self, tolerance: f64, left: &mut u64, meter: &mut Meter<'_>) -> Result<Round> {
        let largest = self.curvature.iter().fold(0.0, |a: f64, &b| a.max(b.abs()));
        // The smallest part of the memory is that of the working set's own matrix.
        let square = (self.quick_bytes / (4 * size_of::<f32>())).isqrt();
        let mut blocks = Blocks {
            rows: Rows::new(self.cache.gram(), self.quick_bytes)?,
            most: MOST.min(square).max(2),
            problem: self.problem,
            curvature: &self.curvature,
            floor: (largest * 1e-6).max(f64::from(f32::MIN_POSITIVE)),
            beta: &mut self.beta,
            gradient: self.gradient.clone(),
            recent: Vec::new(),
            matrix: Vec::new(),
        };
        let ended = blocks.run(tolerance, left, meter);
        let (now, before) = (blocks.rows.figures(), self.quick_figures);
        // One after the other: the memory is that of the larger.
        self.quick_figures = CacheFigures { bytes: now.bytes.max(before.bytes), ..now.and(before) };
        ended
    }
}

/// The variables that are left, with their gradient.
struct Blocks<'a, 'b, G: ?Sized> {
    rows: Rows<'a, G>,
    /// The most variables of a working set.
    most: usize,
    problem: &'a DualProblem,
    curvature: &'b [f64],
    /// The smallest curvature that is taken for more than rounding of single precision.
    floor: f64,
    /// Of all variables.
    beta: &'b mut [f64],
    /// Of the variables that are left.
    gradient: Vec<f64>,
    /// The working set before, as places among the variables that are left.
    recent: Vec<usize>,
    /// Memory for the kernel values of a working set.
    matrix: Vec<f32>,
}

/// What it costs to move each variable up, and what moving it down saves; and the ends of these.
struct Offers {
    up: Vec<f64>,
    down: Vec<f64>,
    cheapest: f64,
    dearest: f64,
}

impl<G: Gram + ?Sized> Blocks<'_, '_, G> {
    fn run(&mut self, tolerance: f64, left: &mut u64, meter: &mut Meter<'_>) -> Result<Round> {
        let mut until_cut = PAUSE;
        loop {
            let mut offers = self.offers();
            if !(offers.dearest - offers.cheapest > tolerance) {
                return Ok(Round::Settled);
            }
            until_cut = until_cut.saturating_sub(1);
            if until_cut == 0 {
                until_cut = PAUSE;
                if self.cut(&offers)? {
                    offers = self.offers();
                }
            }
            let working = self.choose(&offers);
            let (steps, values) = self.improve(&working, &offers, tolerance, meter.iterations_left())?;
            if steps == 0 {
                return Ok(Round::Lost);
            }
            if let Some(stop) = meter.advance(steps, values) {
                return Ok(Round::Stopped(stop));
            }
            // Patience is counted in steps that cost as much as there are variables.
            let share = steps.saturating_mul(working.len() as u64) / self.beta.len() as u64;
            *left = left.saturating_sub(share.max(1));
            if *left == 0 {
                return Ok(Round::Weary);
            }
            self.recent = working;
        }
    }

    fn offers(&self) -> Offers {
        let members = self.rows.members();
        let (mut up, mut down) = (Vec::with_capacity(members.len()), Vec::with_capacity(members.len()));
        let (mut cheapest, mut dearest) = (f64::INFINITY, f64::NEG_INFINITY);
        for (&i, gradient) in members.iter().zip(&self.gradient) {
            let (above, below) = room(self.problem, i, self.beta[i]);
            let costs = above.map_or(f64::INFINITY, |slope| gradient + slope);
            let saves = below.map_or(f64::NEG_INFINITY, |slope| gradient + slope);
            (cheapest, dearest) = (cheapest.min(costs), dearest.max(saves));
            up.push(costs);
            down.push(saves);
        }
        Offers { up, down, cheapest, dearest }
    }

    /// The variables that violate most, from both ends, and some of the working set before: those between their bounds first.
    fn choose(&self, offers: &Offers) -> Vec<usize> {
        let n = self.gradient.len();
        let most = self.most.min(self.rows.most()).min(n);
        let between = |&at: &usize| {
            let i = self.rows.members()[at];
            let (beta, problem) = (self.beta[i], self.problem);
            beta != 0.0 && beta > problem.lower()[i] && beta < problem.upper()[i]
        };
        let (free, bound): (Vec<usize>, Vec<usize>) = self.recent.iter().partition(|at| between(at));
        // Those between their bounds move together: few of them settle while the others stand still.
        let kept = free.len().clamp(most / 2, most - most / 4).min(self.recent.len());
        let new = most - kept;
        let mut chosen = vec![false; n];
        let mut working = Vec::with_capacity(most);
        let cheap = (0..n).filter(|&at| offers.up[at] < offers.dearest).map(|at| (offers.up[at], at));
        take(cheap.collect(), new.div_ceil(2), &mut chosen, &mut working);
        let dear = (0..n).filter(|&at| offers.down[at] > offers.cheapest).map(|at| (-offers.down[at], at));
        take(dear.collect(), new, &mut chosen, &mut working);
        for at in free.into_iter().chain(bound) {
            if working.len() < most && !chosen[at] {
                chosen[at] = true;
                working.push(at);
            }
        }
        working
    }

    /// Solves for the variables of the working set, and changes the gradient of all; steps and kernel values that it took.
    fn improve(
        &mut self,
        working: &[usize],
        offers: &Offers,
        tolerance: f64,
        most: u64,
    ) -> Result<(u64, u64)> {
        let count = working.len();
        self.matrix.resize(count * count, 0.0);
        let mut values = self.rows.square(working, &mut self.matrix)?;
        let variables: Vec<usize> = working.iter().map(|&at| self.rows.members()[at]).collect();
        let gradient: Vec<f64> = working.iter().map(|&at| self.gradient[at]).collect();
        let before: Vec<f64> = variables.iter().map(|&i| self.beta[i]).collect();
        let (problem, curvature, floor) = (self.problem, self.curvature, self.floor);
        let local = Local { problem, variables: &variables, matrix: &self.matrix, curvature, floor };
        let (violation, ends) = (offers.dearest - offers.cheapest, offers.dearest + offers.cheapest);
        let goal = (LEFT * violation).max(ALLOWED * tolerance);
        let steps = local.solve(&gradient, 0.5 * ends, goal, most.min(STEPS * count as u64), self.beta)?;
        let (mut places, mut changes) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for ((&at, &i), before) in working.iter().zip(&variables).zip(before) {
            let change = self.beta[i] - before;
            if change != 0.0 {
                places.push(at);
                changes.push(change);
                self.gradient[at] += problem.ridge(i) * change;
            }
        }
        values += self.rows.combine(&places, &changes, &mut self.gradient)?;
        Ok((steps, values))
    }

    /// Leaves out variables that no partner can move, if they are many; whether they were.
    fn cut(&mut self, offers: &Offers) -> Result<bool> {
        let n = self.gradient.len();
        let stays = |&at: &usize| !(offers.up[at] > offers.dearest && offers.down[at] < offers.cheapest);
        let kept: Vec<usize> = (0..n).filter(stays).collect();
        if kept.len() as f64 > CUT * n as f64 || kept.len() < 2 {
            return Ok(false);
        }
        self.rows.narrow(&kept)?;
        self.gradient = kept.iter().map(|&at| self.gradient[at]).collect();
        let mut place = vec![None; n];
        kept.iter().enumerate().for_each(|(to, &from)| place[from] = Some(to));
        self.recent = self.recent.iter().filter_map(|&at| place[at]).collect();
        Ok(true)
    }
}

/// Takes those with the smallest keys that are not chosen yet, at most until there are `most`.
fn take(mut all: Vec<(f64, usize)>, most: usize, chosen: &mut [bool], to: &mut Vec<usize>) {
    all.retain(|&(_, at)| !chosen[at]);
    let count = most.saturating_sub(to.len()).min(all.len());
    let smaller = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    if count > 0 && count < all.len() {
        all.select_nth_unstable_by(count - 1, smaller);
    }
    all.truncate(count);
    // In their order, so that the same rows are asked for in the same order.
    all.sort_unstable_by_key(|&(_, at)| at);
    for (_, at) in all {
        chosen[at] = true;
        to.push(at);
    }
}
