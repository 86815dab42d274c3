//! Newton's method for linear machines, with multipliers that sharpen the smoothed loss.
//!
//! # Problem
//! ```text
//! minimise ½‖w‖² + Σ cᵢ ℓᵢ(⟨w·xᵢ⟩ + b)   over w, and over b where it is free
//! ```
//! for losses with a kink (hinge, tube) and their squares, by the dual problem of `problem.rs` with `K = XXᵗ`.
//! # Method
//! A loss with a kink is replaced by a smooth one: its dual variable `βᵢ` pays `½κᵢ(βᵢ − centreᵢ)²` for leaving a centre. With
//! centre 0 that is the loss rounded at the kink over a score of `κᵢcᵢ`, like Huber's. The smooth objective is minimised by
//! Newton steps: its Hessian takes the examples between the kinks only, and a step is as long as makes the slope along it
//! small, found on the scores alone. The variables at the minimum are the next centre (the method of multipliers), and `κ`
//! becomes smaller, or larger again when the steps got too many. Any `κ` leads to the solution, so it never has to be so small
//! that digits are lost: the bound sets settle after a few rounds, and then each step solves the equations of the free
//! variables as they are. Squared losses are smooth by themselves and need one round.
//!
//! A variable answers its score divided by `κ`, rounding of the score included. Where that is all that is left of the gap, or
//! all that steps still change, the variables between the kinks are solved for anew with those at a bound and the weights as
//! they are, which takes the rounding away.
//!
//! The gap between primal and dual value is `½‖w − Σβᵢxᵢ‖²` and a sum over examples of terms that are at least 0, so it is
//! known at every step, and a centre is moved when the first part is small against the second.
//! # Cost
//! A step takes two passes over the data and a system (`system.rs`) with the examples between the kinks. Twenty to a hundred
//! steps with a kink, three to ten without.
//! # Reference
//! Rockafellar (1976); Keerthi & DeCoste (2005) and Mangasarian (2002) for squared losses; Chapelle (2007) for the smoothed
//! hinge; Li, Sun & Toh (2018) for Newton steps inside the method of multipliers.

use lm_core::{Error, Examples, Meter, Result, parallel};

use super::Rest;
use super::sample::{Point, Sample, Worth, dot};
use super::system::{Direction, System, least_bytes};
use crate::bias::Bias;

/// Newton steps between two centres, before the loss is made smoother.
const PATIENCE: usize = 15;

/// Centres without progress before a run gives up.
const IDLE: usize = 60;

/// By how much the least smoothing falls again with each new centre: what rounding forbade at one it may allow at another.
const RELAX: f64 = 0.3;

/// The smallest and the largest smoothing, in units of the score.
const SMOOTHING: (f64, f64) = (1e-8, 1e8);

/// The state of the solver.
pub(super) struct Newton<'a, 'b, E: ?Sized> {
    sample: &'a Sample<'b, E>,
    /// The mean of each column; empty where columns are not shifted.
    middle: Vec<f64>,
    squared: bool,
    /// How wide the kinks are, in units of the score.
    smoothing: f64,
    /// The least of it that rounding has allowed so far.
    sharpest: f64,
    centre: Vec<f64>,
    now: Point,
    scores: Vec<f64>,
    /// Whether the scores were added up over several steps.
    drifted: bool,
    /// How fast each variable answers its score.
    rates: Vec<f64>,
    /// Room for what all variables answer, and for the change of the scores along a step.
    answers: Vec<(f64, f64)>,
    along: Vec<f64>,
    gradient: Direction,
    best: Point,
    worth: Option<Worth>,
    /// Steps since the centre was moved, or the kinks made rounder.
    steps: usize,
    /// Centres without progress.
    idle: usize,
    /// Whether a finish was tried at this centre in vain.
    finished: bool,
    /// The sum of the terms at the present centre.
    misses: f64,
}

/// What is left to do at a point.
struct Standing {
    worth: Worth,
    /// The part of the gap that belongs to the smooth problem.
    inner: f64,
    /// The part that belongs to the smoothing.
    outer: f64,
}

impl<'a, 'b, E: Examples + ?Sized> Newton<'a, 'b, E> {
    /// Starts at a machine, with its multipliers as the centre where there are any.
    pub(super) fn new(sample: &'a Sample<'b, E>, start: Option<Point>, meter: &Meter<'_>) -> Result<Self> {
        meter.budget().check_memory("the vectors of a Newton step", least_bytes(sample))?;
        let (n, d, squared) = (sample.len(), sample.dim(), sample.is_squared());
        let (middle, spread) = columns(sample);
        let smoothing = match (squared, &start) {
            (true, _) => 0.0,
            (false, Some(_)) => 0.1,
            (false, None) => first_smoothing(sample, spread),
        };
        let now = start.unwrap_or_else(|| Point { w: vec![0.0; d], b: 0.0, beta: vec![0.0; n] });
        Ok(Self {
            sample,
            middle,
            squared,
            smoothing,
            sharpest: SMOOTHING.0,
            centre: now.beta.clone(),
            scores: vec![0.0; n],
            drifted: true,
            rates: vec![0.0; n],
            answers: vec![(0.0, 0.0); n],
            along: vec![0.0; n],
            gradient: Direction { w: vec![0.0; d], b: 0.0 },
            best: now.clone(),
            now,
            worth: None,
            steps: 0,
            idle: 0,
            finished: false,
            misses: f64::INFINITY,
        })
    }

    /// The best point so far, feasible in the dual.
    pub(super) fn best(&self) -> Point {
        let Point { w, b, beta } = self.best.clone();
        Point { w, b, beta: self.sample.balanced(beta) }
    }

    /// Steps until the gap is this share of the primal value.
    pub(super) fn run(&mut self, share: f64, meter: &mut Meter<'_>) -> Result<Rest> {
        let mut stop = meter.advance(0, 0);
        loop {
            if let Some(stop) = stop {
                return Ok(Rest::Stopped(stop));
            }
            let standing = self.look()?;
            meter.observe(Some(standing.worth.primal), Some(standing.worth.relative_gap()));
            if standing.worth.meets(share) {
                if !self.drifted {
                    return Ok(Rest::Reached);
                }
                self.refresh();
                continue;
            }
            if self.idle > IDLE {
                return Ok(Rest::Stuck);
            }
            if !self.squared && standing.inner <= 0.1 * standing.outer {
                self.recentre(standing.outer);
                continue;
            }
            let settled = standing.outer <= 0.3 * share * standing.worth.primal && !self.finished;
            let stalled = !self.squared && (settled || self.steps >= PATIENCE);
            let moved = if stalled { Ok(false) } else { self.step(meter)? };
            match moved {
                Err(stop) => return Ok(Rest::Stopped(stop)),
                Ok(false) if self.squared => return Ok(Rest::Stuck),
                Ok(false) => match self.finish(meter)? {
                    Err(stop) => return Ok(Rest::Stopped(stop)),
                    Ok(Some(standing)) if standing.worth.meets(share) => return Ok(Rest::Reached),
                    Ok(Some(standing)) if standing.inner <= 0.1 * standing.outer => {
                        self.recentre(standing.outer);
                    }
                    Ok(_) if self.steps < PATIENCE && stalled => self.finished = true,
                    Ok(_) => self.soften(stalled),
                },
                Ok(true) => {}
            }
            stop = meter.advance(1, 0);
        }
    }

    /// How much dearer a variable is away from its centre.
    fn kappa(&self, i: usize) -> f64 {
        if self.squared || self.sample.costs[i] == 0.0 {
            0.0
        } else {
            self.smoothing * self.sample.unit / self.sample.costs[i]
        }
    }

    /// Computes the scores anew.
    fn refresh(&mut self) {
        self.sample.scores(&self.now.w, self.now.b, &mut self.scores);
        self.drifted = false;
    }

    /// Lets the variables answer the scores, and measures what is left.
    fn look(&mut self) -> Result<Standing> {
        const ROWS: usize = 4096;
        if self.worth.is_none() {
            self.refresh();
        }
        let mut answers = std::mem::take(&mut self.answers);
        parallel::for_each_chunk(&mut answers, ROWS, |part, out| {
            for (i, out) in (part * ROWS..).zip(out) {
                *out = self.sample.response(i, self.scores[i], self.kappa(i), self.centre[i]);
            }
        });
        for (i, &(beta, rate)) in answers.iter().enumerate() {
            (self.now.beta[i], self.rates[i]) = (beta, rate);
        }
        self.answers = answers;
        self.measure()
    }

    /// Measures what is left at the present machine and variables.
    fn measure(&mut self) -> Result<Standing> {
        let (sample, now) = (self.sample, &self.now);
        let (spanned, total) = sample.combination(&now.beta);
        self.gradient.w.iter_mut().zip(&now.w).zip(spanned).for_each(|((g, w), spanned)| *g = w - spanned);
        self.gradient.b = match sample.bias {
            Bias::Free => -total,
            Bias::Penalised => now.b - total,
            Bias::None => 0.0,
        };
        let off = match sample.bias {
            Bias::Free => total.abs() * sample.unit,
            Bias::Penalised => 0.5 * self.gradient.b * self.gradient.b,
            Bias::None => 0.0,
        };
        let [losses, outer] = sample.sums(|i| {
            let (loss, miss) = sample.loss_and_miss(i, self.scores[i], now.beta[i]);
            [loss, miss]
        });
        let inner = 0.5 * dot(&self.gradient.w, &self.gradient.w) + off;
        let worth = Worth { primal: sample.penalty(&now.w, now.b) + losses, gap: inner + outer };
        if !(worth.primal.is_finite() && worth.gap.is_finite()) {
            return Err(Error::Numerical { what: "the objective" });
        }
        if self.worth.is_none_or(|best| worth.gap * best.primal < best.gap * worth.primal) {
            self.best.clone_from(&self.now);
            self.worth = Some(worth);
        }
        Ok(Standing { worth, inner, outer })
    }

    /// Makes the present variables the centre, and the kinks sharper.
    fn recentre(&mut self, misses: f64) {
        self.centre.clone_from(&self.now.beta);
        let factor = if self.steps <= 5 { 0.1 } else { 0.3 };
        self.smoothing = (self.smoothing * factor).max(self.sharpest);
        self.sharpest = (RELAX * self.sharpest).max(SMOOTHING.0);
        self.idle = if misses < 0.5 * self.misses { 0 } else { self.idle + 1 };
        self.misses = self.misses.min(misses);
        (self.steps, self.finished) = (0, false);
        self.refresh();
    }

    /// Makes the kinks rounder: they are too sharp for Newton steps, or so sharp that the variables answer the rounding of the
    /// scores, and then once for all.
    fn soften(&mut self, for_now: bool) {
        self.smoothing = (10.0 * self.smoothing).min(SMOOTHING.1);
        if !for_now {
            self.sharpest = self.smoothing;
        }
        (self.steps, self.idle, self.finished) = (0, self.idle + 1, false);
        self.refresh();
    }

    /// Solves for the variables between the kinks with those at a bound and the machine as they are: what rounding of the
    /// scores has added to the variables is taken away again. The standing of the result, if there is one.
    fn finish(&mut self, meter: &mut Meter<'_>) -> Result<Result<Option<Standing>, lm_core::Stop>> {
        let (rows, weights) = self.between();
        let middle = std::mem::take(&mut self.middle);
        let system =
            System { sample: self.sample, centre: &middle, rows: &rows, weights: &weights, faint: 1.0 };
        let mut last: Option<Standing> = None;
        let mut stop = None;
        // Each round corrects the rounding of the one before.
        for _ in 0..4 {
            let excess = match system.excess(&self.gradient, meter)? {
                Ok(Some(excess)) => excess,
                Ok(None) => break,
                Err(reason) => {
                    stop = Some(reason);
                    break;
                }
            };
            let before = self.now.beta.clone();
            for (&row, excess) in rows.iter().zip(excess) {
                let (i, problem) = (row as usize, self.sample.problem);
                self.now.beta[i] = (self.now.beta[i] - excess).clamp(problem.lower()[i], problem.upper()[i]);
            }
            let standing = self.measure()?;
            if last.as_ref().is_some_and(|last| !(standing.worth.gap < 0.5 * last.worth.gap)) {
                self.now.beta = before;
                break;
            }
            last = Some(standing);
        }
        self.middle = middle;
        Ok(stop.map_or(Ok(last), Err))
    }

    /// The variables between the kinks, and their rates.
    fn between(&self) -> (Vec<u32>, Vec<f64>) {
        (0_u32..).zip(&self.rates).filter(|(_, rate)| **rate > 0.0).map(|(i, rate)| (i, *rate)).unzip()
    }

    /// One Newton step; false if it changes nothing.
    fn step(&mut self, meter: &mut Meter<'_>) -> Result<Result<bool, lm_core::Stop>> {
        let (rows, weights) = self.between();
        let [reach] = self.sample.sums(|i| {
            let curvature = self.kappa(i) + self.sample.problem.ridge(i);
            [if curvature > 0.0 { 1.0 / curvature } else { 0.0 }]
        });
        let faint = if reach > 0.0 && reach.is_finite() { 1e-3 * reach } else { 1.0 };
        let system =
            System { sample: self.sample, centre: &self.middle, rows: &rows, weights: &weights, faint };
        let direction = match system.solve(&self.gradient, meter)? {
            Ok(direction) => direction,
            Err(stop) => return Ok(Err(stop)),
        };
        self.sample.scores(&direction.w, direction.b, &mut self.along);
        let length = self.length(&direction);
        if !(length > 0.0) {
            return Ok(Ok(false));
        }
        self.steps += 1;
        let before = (self.now.b, self.now.w.clone());
        self.now.w.iter_mut().zip(&direction.w).for_each(|(w, s)| *w += length * s);
        self.now.b += length * direction.b;
        self.scores.iter_mut().zip(&self.along).for_each(|(score, s)| *score += length * s);
        self.drifted = true;
        Ok(Ok(before.0 != self.now.b || before.1 != self.now.w))
    }

    /// How far to go: to where the slope along the direction is a tenth of what it is here, or less; 0 if it does not fall.
    fn length(&self, direction: &Direction) -> f64 {
        let (sample, now, along) = (self.sample, &self.now, &self.along);
        let own = if sample.bias == Bias::Penalised { direction.b } else { 0.0 };
        let start = dot(&now.w, &direction.w) + own * now.b;
        let curve = dot(&direction.w, &direction.w) + own * own;
        let slope_at = |t: f64| {
            let [pull, rate] = sample.sums(|i| {
                let (beta, rate) =
                    sample.response(i, self.scores[i] + t * along[i], self.kappa(i), self.centre[i]);
                [beta * along[i], rate * along[i] * along[i]]
            });
            (start + t * curve - pull, curve + rate)
        };
        let first = slope_at(0.0).0;
        if !(first < 0.0) {
            return 0.0;
        }
        let (mut low, mut high, mut t) = (0.0, f64::INFINITY, 1.0);
        for _ in 0..60 {
            let (slope, curvature) = slope_at(t);
            if slope.abs() <= -0.1 * first {
                return t;
            }
            // Not a number counts as too far.
            if slope < 0.0 {
                low = t;
            } else {
                high = t;
            }
            let next = t - slope / curvature;
            t = match (next > low && next < high, high.is_finite()) {
                (true, _) => next,
                (false, true) => low + 0.5 * (high - low),
                (false, false) => 4.0 * t,
            };
        }
        low
    }
}

/// The means of the columns, where they are to be shifted, and `Σ 1/vₖ` over the mean squares `vₖ` of shifted columns.
fn columns<E: Examples + ?Sized>(sample: &Sample<'_, E>) -> (Vec<f64>, f64) {
    let (n, costs) = (sample.len(), &sample.costs);
    let [total] = sample.sums(|i| [costs[i]]);
    let mut middle = Vec::new();
    if sample.bias != Bias::None && !sample.sparse {
        middle = sample.folded(n, |rows, sum| {
            rows.for_each(|row| sample.examples.add_scaled(row, costs[row] / total, sum));
        });
    }
    let squares = sample.folded(n, |rows, sum| {
        for row in rows {
            let share = costs[row] / total;
            let off = |k: usize, x: f64| x - middle.get(k).copied().unwrap_or(0.0);
            sample.examples.row(row).for_each(|k, x| sum[k] += share * off(k, x) * off(k, x));
        }
    });
    let spread = squares.iter().filter(|square| **square > 0.0).map(|square| 1.0 / square).sum();
    (middle, spread)
}

/// How smooth the loss is at first: over a unit of the score, or more where the cost is so large that most coefficients
/// will end far below it. On data that can be separated, those are of the order of `‖w‖²`, that is of `Σ 1/vₖ`.
fn first_smoothing<E: Examples + ?Sized>(sample: &Sample<'_, E>, spread: f64) -> f64 {
    let largest = sample.costs.iter().fold(0.0_f64, |a, &b| a.max(b));
    let reached = 0.1 * sample.unit * spread;
    let smoothing = if reached > 0.0 { largest / reached } else { 1.0 };
    if smoothing.is_finite() { smoothing.clamp(1.0, SMOOTHING.1) } else { 1.0 }
}
