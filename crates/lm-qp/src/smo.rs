//! Sequential minimal optimisation with second-order selection of the pair.
//!
//! # Problem
//! The problem of `problem.rs`, over any Gram matrix:
//! ```text
//! minimise ½ βᵗ(K + diag r)β + Σ sᵢ(βᵢ)   subject to lᵢ ≤ βᵢ ≤ uᵢ and the balance
//! ```
//! # Method
//! Keep the gradient `g = (K + diag r)β`. With the slope of `sᵢ` added it is the price of moving `βᵢ` up, or down; at the
//! kink these are two numbers. Take the variable `i` that is cheapest to move up and, as its partner, the variable `j`
//! whose move down by the same amount gains most by second-order information; move both exactly, as far as the next
//! bound or kink. With two balances a pair is taken within the side that is violated most; without a balance one
//! variable moves alone. Variables that sit at a bound and are priced beyond what any partner offers are set aside until
//! the others have settled. Stop when the relative duality gap, computed with the multipliers that minimise it on a
//! gradient computed anew, is small enough; tighten the working tolerance while it is not.
//! # Cost
//! Two rows of the Gram matrix, from the cache where they are, and three passes over the variables not set aside an
//! iteration.
//! # Reference
//! Platt (1998); Fan, Chen & Lin (2005), WSS 2 and section 5; Chang & Lin (2001) for two balances.

use lm_core::double_double::{DoubleDouble, add_transposed_products};
use lm_core::{CacheFigures, Error, Gram, Meter, Result, RowCache, Stop};

use crate::optimality::{Standing, standing};
use crate::problem::{Balance, DualProblem, Multipliers};

/// What is wrong where a step never ends.
const UNBOUNDED: &str = "the minimum of a problem without one (the kernel is not positive semi-definite and the coefficients are not bounded)";

/// A limit on iterations that only a run without progress reaches.
pub(crate) fn default_iterations(len: usize) -> u64 {
    (len as u64).saturating_mul(10_000).max(10_000_000)
}

/// What a run works toward.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Goal {
    /// The relative duality gap.
    pub(crate) gap: f64,
    /// LIBSVM's rule instead: the largest violation of a pair.
    pub(crate) violation: Option<f64>,
    /// An objective that counts as 0, and is good enough.
    pub(crate) nought: Option<f64>,
    /// Whether variables are set aside.
    pub(crate) shrinking: bool,
    /// Steps after which the run rests, so that another method can try.
    pub(crate) patience: u64,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Rest {
    /// The goal is met.
    Reached,
    /// A limit of the budget is met.
    Stopped(Stop),
    /// The steps of the goal's patience are used up.
    Weary,
    /// No pair can be moved by more than rounding.
    Stuck,
}

/// The state of the solver.
pub(crate) struct Smo<'a, G: ?Sized> {
    cache: RowCache<'a, G, f64>,
    problem: &'a DualProblem,
    /// `Kᵢᵢ + rᵢ`.
    curvature: Vec<f64>,
    beta: Vec<f64>,
    /// `(K + diag r)β`; of variables set aside, as it was then.
    gradient: Vec<f64>,
    /// The variables not set aside, in their order.
    active: Vec<usize>,
    /// The smallest curvature that is taken for more than rounding.
    floor: f64,
    /// What the sizes of the coefficients may still grow by, where their sum is bounded.
    slack: f64,
    misses: u64,
}

/// What a step did.
enum Step {
    Moved,
    /// No violation is larger than the tolerance.
    Settled,
    /// The best move is lost in rounding.
    Lost,
}

/// Lowest price up and highest price down on each side, and the variable that is cheapest to move up.
struct Extremes {
    up: [f64; 2],
    down: [f64; 2],
    cheapest: [usize; 2],
}

/// The sides on which one variable of a pair moves up and the other down: 0 is the positive side.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Sides {
    up: usize,
    down: usize,
}

impl Extremes {
    /// Of these sides, those that are violated most, and by how much.
    fn worst(&self, allowed: &[Sides]) -> (Sides, f64) {
        let mut worst = (Sides { up: 0, down: 0 }, f64::NEG_INFINITY);
        for &sides in allowed {
            let violation = self.down[sides.down] - self.up[sides.up];
            if violation > worst.1 {
                worst = (sides, violation);
            }
        }
        worst
    }
}

impl<'a, G: Gram + ?Sized> Smo<'a, G> {
    /// Starts at a feasible point, or at the one nearest to 0.
    pub(crate) fn new(
        gram: &'a G,
        problem: &'a DualProblem,
        start: Option<&[f64]>,
        meter: &Meter<'_>,
    ) -> Result<Self> {
        let n = problem.len();
        if gram.len() != n {
            return Err(Error::Length { what: "the Gram matrix", expected: n, found: gram.len() });
        }
        // A quarter of a gigabyte unless the budget says otherwise.
        let bytes = meter.budget().memory().unwrap_or(256 << 20);
        let mut curvature = gram.diagonal()?;
        curvature.iter_mut().enumerate().for_each(|(i, value)| *value += problem.ridge(i));
        let largest = curvature.iter().fold(0.0, |a: f64, &b| a.max(b.abs()));
        let beta = match start {
            Some(start) => problem.feasible_near(start)?,
            None => problem.feasible_near(&vec![0.0; n])?,
        };
        let mut smo = Self {
            cache: RowCache::new(gram, bytes)?,
            problem,
            curvature,
            gradient: vec![0.0; n],
            active: (0..n).collect(),
            beta,
            floor: (largest * 1e-12).max(f64::MIN_POSITIVE),
            slack: f64::INFINITY,
            misses: 0,
        };
        smo.resynchronise()?;
        Ok(smo)
    }

    /// Steps until the goal is met, the budget or the patience is used up, or nothing moves.
    pub(crate) fn run(&mut self, goal: &Goal, meter: &mut Meter<'_>) -> Result<(Rest, Standing)> {
        // Steps between two looks at the clock.
        const BLOCK: u64 = 64;
        let pause = (self.beta.len() as u64).clamp(BLOCK, 1000);
        let (mut done, mut until_shrink) = (0, pause);
        let mut tolerance = match goal.violation {
            Some(violation) => violation,
            None => 0.1 * self.violation().max(0.0),
        };
        loop {
            let (mut outcome, mut steps) = (Step::Moved, 0);
            while matches!(outcome, Step::Moved) && steps < BLOCK.min(meter.iterations_left()) {
                outcome = self.step(tolerance)?;
                steps += 1;
            }
            done += steps;
            let stop = self.advance(steps, meter);
            if let Some(stop) = stop {
                // No time for a gradient computed anew; the certificate computes its own.
                if self.active.len() < self.beta.len() {
                    self.resynchronise()?;
                }
                return Ok((Rest::Stopped(stop), self.standing()?));
            }
            if matches!(outcome, Step::Moved) && done < goal.patience {
                until_shrink = until_shrink.saturating_sub(steps);
                if until_shrink == 0 && goal.shrinking {
                    self.shrink();
                    until_shrink = pause;
                }
                continue;
            }
            let whole = self.active.len() == self.beta.len();
            self.resynchronise()?;
            let violation = self.violation();
            if matches!(outcome, Step::Settled) && !whole && violation > tolerance {
                continue;
            }
            let standing = self.standing()?;
            meter.observe(Some(-standing.objective), Some(standing.relative_gap()));
            let reached = match goal.violation {
                Some(allowed) => violation <= allowed,
                None => standing.relative_gap() <= goal.gap,
            } || goal.nought.is_some_and(|nought| standing.objective <= nought);
            match outcome {
                _ if reached => return Ok((Rest::Reached, standing)),
                Step::Lost => return Ok((Rest::Stuck, standing)),
                Step::Moved => return Ok((Rest::Weary, standing)),
                Step::Settled if goal.violation.is_some() => {}
                Step::Settled => {
                    // The gap falls at least in proportion to the violation.
                    let wanted = 0.5 * goal.gap / standing.relative_gap();
                    tolerance = tolerance.min(violation.max(0.0)) * wanted.clamp(0.02, 0.5);
                    if !(tolerance > 0.0) {
                        return Ok((Rest::Stuck, standing));
                    }
                }
            }
        }
    }

    /// Counts steps and the kernel values computed for them.
    fn advance(&mut self, steps: u64, meter: &mut Meter<'_>) -> Option<Stop> {
        let computed = self.cache.figures().misses;
        let values = (computed - self.misses) * self.beta.len() as u64;
        self.misses = computed;
        meter.advance(steps, values)
    }

    /// Recomputes the gradient of every variable, and takes all of them up again.
    fn resynchronise(&mut self) -> Result<()> {
        let mut gradient: Vec<f64> =
            self.beta.iter().enumerate().map(|(i, b)| self.problem.ridge(i) * b).collect();
        self.for_support(|beta, row| gradient.iter_mut().zip(row).for_each(|(g, value)| *g += beta * value))?;
        self.gradient = gradient;
        self.take_up_all();
        Ok(())
    }

    /// Calls `add` with every coefficient that is not 0 and its row.
    fn for_support(&mut self, mut add: impl FnMut(f64, &[f64])) -> Result<()> {
        // Rows that are computed together.
        const BLOCK: usize = 12;
        let support: Vec<usize> = (0..self.beta.len()).filter(|&i| self.beta[i] != 0.0).collect();
        for block in support.chunks(BLOCK.min(self.cache.capacity()).max(1)) {
            self.cache.prefetch(block)?;
            for &j in block {
                add(self.beta[j], self.cache.row(j)?);
            }
        }
        Ok(())
    }

    /// No variable is set aside any more.
    fn take_up_all(&mut self) {
        if let Balance::Sizes { most, .. } = self.problem.balance() {
            self.slack = most - self.beta.iter().map(|beta| beta.abs()).sum::<f64>();
        }
        self.active.clear();
        self.active.extend(0..self.beta.len());
    }

    /// The price of moving a variable up; infinite where there is no room.
    #[inline]
    fn price_up(&self, i: usize) -> f64 {
        let beta = self.beta[i];
        if beta < 0.0 {
            self.gradient[i] + self.problem.below()[i]
        } else if beta < self.problem.upper()[i] {
            self.gradient[i] + self.problem.above()[i]
        } else {
            f64::INFINITY
        }
    }

    /// What moving a variable down saves; minus infinity where there is no room.
    #[inline]
    fn price_down(&self, i: usize) -> f64 {
        let beta = self.beta[i];
        if beta > 0.0 {
            self.gradient[i] + self.problem.above()[i]
        } else if beta > self.problem.lower()[i] {
            self.gradient[i] + self.problem.below()[i]
        } else {
            f64::NEG_INFINITY
        }
    }

    /// The sides that a variable belongs to when it moves up and when it moves down.
    #[inline]
    fn sides(&self, i: usize) -> (usize, usize) {
        match self.problem.balance() {
            Balance::Sides { .. } | Balance::Sizes { .. } => {
                (usize::from(self.beta[i] < 0.0), usize::from(!(self.beta[i] > 0.0)))
            }
            Balance::Open | Balance::Total(_) => (0, 0),
        }
    }

    /// The sides from which a pair may be taken: the same one for both; where only the sum of the sizes is bounded, also
    /// two sizes that shrink, and two that grow while there is room.
    fn allowed(&self) -> &'static [Sides] {
        const EACH: [Sides; 4] = [
            Sides { up: 0, down: 0 },
            Sides { up: 1, down: 1 },
            Sides { up: 1, down: 0 },
            Sides { up: 0, down: 1 },
        ];
        match self.problem.balance() {
            Balance::Open | Balance::Total(_) => &EACH[..1],
            Balance::Sides { .. } => &EACH[..2],
            Balance::Sizes { most, .. } if self.slack > 8.0 * f64::EPSILON * most => &EACH,
            Balance::Sizes { .. } => &EACH[..3],
        }
    }

    /// The largest violation of the optimality conditions by a pair.
    pub(crate) fn violation(&self) -> f64 {
        self.extremes().worst(self.allowed()).1
    }

    fn extremes(&self) -> Extremes {
        let mut found =
            Extremes { up: [f64::INFINITY; 2], down: [f64::NEG_INFINITY; 2], cheapest: [usize::MAX; 2] };
        for &i in &self.active {
            let (up, down) = (self.price_up(i), self.price_down(i));
            let (a, b) = self.sides(i);
            if up < found.up[a] {
                (found.up[a], found.cheapest[a]) = (up, i);
            }
            if down > found.down[b] {
                found.down[b] = down;
            }
        }
        if self.problem.balance() == Balance::Open {
            // A variable alone pays nothing to a partner.
            found.up[0] = found.up[0].min(0.0);
            found.down[0] = found.down[0].max(0.0);
        }
        found
    }

    /// One exact step on the variables that gain most.
    fn step(&mut self, tolerance: f64) -> Result<Step> {
        let extremes = self.extremes();
        let (sides, violation) = extremes.worst(self.allowed());
        if !(violation > tolerance) {
            return Ok(Step::Settled);
        }
        if self.problem.balance() == Balance::Open {
            return self.step_alone();
        }
        let (i, up) = (extremes.cheapest[sides.up], extremes.up[sides.up]);
        let Some(j) = self.partner(i, up, sides.down)? else { return Ok(Step::Lost) };
        let (room_i, room_j) = (self.room(i, true), self.room(j, false));
        let growth = if sides == (Sides { up: 0, down: 1 }) { 0.5 * self.slack } else { f64::INFINITY };
        let gain = self.price_down(j) - up;
        let (row_i, row_j) = self.cache.pair(i, j)?;
        let curvature = self.curvature[i] + self.curvature[j] - 2.0 * row_i[j];
        let most = room_i.min(room_j).min(growth);
        if curvature < -self.floor && most == f64::INFINITY {
            return Err(Error::Numerical { what: UNBOUNDED });
        }
        let by = (gain / curvature.max(self.floor)).min(most);
        if self.active.len() == self.gradient.len() {
            for (g, (a, b)) in self.gradient.iter_mut().zip(row_i.iter().zip(row_j)) {
                *g += by * (a - b);
            }
        } else {
            for &k in &self.active {
                self.gradient[k] += by * (row_i[k] - row_j[k]);
            }
        }
        let before = (self.beta[i], self.beta[j]);
        self.shift(i, by, by == room_i);
        self.shift(j, -by, by == room_j);
        Ok(if before == (self.beta[i], self.beta[j]) { Step::Lost } else { Step::Moved })
    }

    /// The variable whose move down, paired with `i` moving up at this price, gains most.
    fn partner(&mut self, i: usize, up: f64, side: usize) -> Result<Option<usize>> {
        let (mut best, mut most) = (None, 0.0);
        let Self { cache, problem, curvature, beta, gradient, active, floor, .. } = self;
        let row = cache.row(i)?;
        let two = matches!(problem.balance(), Balance::Sides { .. } | Balance::Sizes { .. });
        for &j in active.iter() {
            let price = if beta[j] > 0.0 {
                gradient[j] + problem.above()[j]
            } else if beta[j] > problem.lower()[j] {
                gradient[j] + problem.below()[j]
            } else {
                continue;
            };
            let difference = price - up;
            if !(difference > 0.0) || (two && usize::from(!(beta[j] > 0.0)) != side) {
                continue;
            }
            let gain = difference * difference / (curvature[i] + curvature[j] - 2.0 * row[j]).max(*floor);
            if gain > most {
                (best, most) = (Some(j), gain);
            }
        }
        Ok(best)
    }

    /// Without a balance: the one variable whose own move gains most.
    fn step_alone(&mut self) -> Result<Step> {
        let (mut best, mut most) = (None, 0.0);
        for &i in &self.active {
            // At most one of the two is a saving.
            let (up, down) = (-self.price_up(i), self.price_down(i));
            let saving = up.max(down);
            let gain = saving * saving / self.curvature[i].max(self.floor);
            if saving > 0.0 && gain > most {
                (best, most) = (Some((i, up > down, saving)), gain);
            }
        }
        let Some((i, upwards, saving)) = best else { return Ok(Step::Lost) };
        let room = self.room(i, upwards);
        if self.curvature[i] < -self.floor && room == f64::INFINITY {
            return Err(Error::Numerical { what: UNBOUNDED });
        }
        let by = (saving / self.curvature[i].max(self.floor)).min(room);
        let signed = if upwards { by } else { -by };
        let row = self.cache.row(i)?;
        for &k in &self.active {
            self.gradient[k] += signed * row[k];
        }
        let before = self.beta[i];
        self.shift(i, signed, by == room);
        Ok(if before == self.beta[i] { Step::Lost } else { Step::Moved })
    }

    /// How far a variable can move before its next bound or kink.
    fn room(&self, i: usize, upwards: bool) -> f64 {
        let (beta, end) = (self.beta[i], self.end(i, upwards));
        if upwards { end - beta } else { beta - end }
    }

    /// The next bound or kink.
    fn end(&self, i: usize, upwards: bool) -> f64 {
        let beta = self.beta[i];
        match upwards {
            true if beta < 0.0 => 0.0,
            true => self.problem.upper()[i],
            false if beta > 0.0 => 0.0,
            false => self.problem.lower()[i],
        }
    }

    /// Moves a variable; one that used up its room lands on its bound exactly.
    fn shift(&mut self, i: usize, by: f64, to_end: bool) {
        let end = self.end(i, by > 0.0);
        let old = self.beta[i];
        let new = if to_end { end } else { (old + by).clamp(old.min(end), old.max(end)) };
        self.beta[i] = new;
        self.slack += old.abs() - new.abs();
        self.gradient[i] += self.problem.ridge(i) * by;
    }

    /// Sets variables aside that no partner can move.
    fn shrink(&mut self) {
        let extremes = self.extremes();
        let (up, down) = match self.problem.balance() {
            Balance::Open => {
                let violation = (-extremes.up[0]).max(extremes.down[0]);
                ([-violation; 2], [violation; 2])
            }
            // Any two sides may meet.
            Balance::Sizes { .. } => {
                ([extremes.up[0].min(extremes.up[1]); 2], [extremes.down[0].max(extremes.down[1]); 2])
            }
            Balance::Total(_) | Balance::Sides { .. } => (extremes.up, extremes.down),
        };
        let stays = |i: usize| {
            let (a, b) = self.sides(i);
            !(self.price_up(i) > down[a] && self.price_down(i) < up[b])
        };
        let kept: Vec<usize> = self.active.iter().copied().filter(|&i| stays(i)).collect();
        self.active = kept;
    }

    pub(crate) fn standing(&self) -> Result<Standing> {
        let v: Vec<f64> =
            (0..self.beta.len()).map(|i| self.gradient[i] - self.problem.ridge(i) * self.beta[i]).collect();
        let standing = standing(self.problem, &self.beta, &v);
        if standing.gap.is_finite() && standing.objective.is_finite() {
            Ok(standing)
        } else {
            Err(Error::Numerical { what: "the duality gap (rescale the kernel)" })
        }
    }

    /// The problem that is solved.
    pub(crate) fn problem(&self) -> &'a DualProblem {
        self.problem
    }

    /// The point that the solver is at.
    pub(crate) fn beta(&self) -> &[f64] {
        &self.beta
    }

    /// As `resynchronise`, with sums of twice the digits; returns `Kβ`.
    pub(crate) fn resynchronise_precisely(&mut self) -> Result<Vec<DoubleDouble>> {
        let mut v = vec![DoubleDouble::ZERO; self.beta.len()];
        self.for_support(|beta, row| add_transposed_products(row, &[beta.into()], &mut v))?;
        for (i, (g, v)) in self.gradient.iter_mut().zip(&v).enumerate() {
            *g = (*v + DoubleDouble::product(self.problem.ridge(i), self.beta[i])).value();
        }
        self.take_up_all();
        Ok(v)
    }

    /// The variables that are not settled at a bound or kink: at most this many, those with the smallest price first.
    pub(crate) fn undecided(&self, standing: &Standing, most: usize) -> Vec<usize> {
        let Multipliers { positive, negative } = standing.multipliers;
        // What a variable loses by moving away from where it is; 0 between its bounds.
        let price = |i: usize| {
            let (beta, g) = (self.beta[i], self.gradient[i]);
            let rising = g + self.problem.above()[i] + positive;
            let falling = g + self.problem.below()[i] + negative;
            let (upper, lower) = (self.problem.upper()[i], self.problem.lower()[i]);
            if beta == 0.0 {
                let up = if upper > 0.0 { rising } else { f64::INFINITY };
                up.min(if lower < 0.0 { -falling } else { f64::INFINITY })
            } else if beta == upper {
                -rising
            } else if beta == lower {
                falling
            } else {
                0.0
            }
        };
        let prices: Vec<f64> = (0..self.beta.len()).map(price).collect();
        let violated = prices.iter().fold(self.violation().max(0.0), |most: f64, price| most.max(-price));
        let mut undecided: Vec<usize> = (0..prices.len()).filter(|&i| prices[i] <= 2.0 * violated).collect();
        if undecided.len() > most {
            undecided.sort_by(|&a, &b| prices[a].total_cmp(&prices[b]).then(a.cmp(&b)));
            undecided.truncate(most);
            undecided.sort_unstable();
        }
        undecided
    }

    /// Goes on from a point with other values of some coefficients if it is better than the present one.
    pub(crate) fn take_if_better(
        &mut self,
        rows: &[usize],
        values: &[f64],
        now: Standing,
    ) -> Result<Standing> {
        let before = self.beta.clone();
        let mut beta = self.beta.clone();
        rows.iter().zip(values).for_each(|(&i, &value)| beta[i] = value);
        self.beta = self.problem.feasible_near(&beta)?;
        self.resynchronise_precisely()?;
        let then = self.standing()?;
        if then.gap < now.gap || then.objective < now.objective {
            return Ok(then);
        }
        self.beta = before;
        self.resynchronise_precisely()?;
        Ok(now)
    }

    pub(crate) fn cache_figures(&self) -> CacheFigures {
        self.cache.figures()
    }
}
