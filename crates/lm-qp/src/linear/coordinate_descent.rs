//! Dual coordinate descent with shrinking.
//!
//! # Problem
//! The problem of `problem.rs` with `K = XXᵗ`, for examples that are sparse or have many columns:
//! ```text
//! minimise ½‖Σ βᵢxᵢ‖² + Σ (½rᵢβᵢ² + sᵢ(βᵢ))   subject to lᵢ ≤ βᵢ ≤ uᵢ, and Σβᵢ = 0 if the bias is free
//! ```
//! # Method
//! Keep `w = Σ βᵢxᵢ`. Visit the variables in random order and move each to its minimum, which takes one inner product with `w`
//! and, if it moves, one addition to it. Variables that sit at a bound or the kink, and are priced beyond any violation of
//! the pass before, are set aside until the others have settled.
//!
//! One variable alone cannot move without leaving `Σβ = 0`. So a free bias is held near a centre at first, `(b − centre)²/2τ`:
//! that is a penalised bias, an attribute `√τ` of every example, and leaves the variables free to move alone. When they have
//! settled better than the balance, `b` becomes the centre. This is the proximal point method on a convex function of one
//! number (the multiplier of the balance), which converges for any `τ > 0` and from any start; `τ` is the mean square of the
//! other attributes, or so much that the bias can cross the scores. After 5, 10, 20, … passes the centre starts afresh, at the
//! bias that is best for the weights so far.
//! # Cost
//! As many visits as there are examples an iteration, which take a pass over their entries; tens of iterations for a small
//! cost, and for a large one as many as its condition asks for.
//! # Reference
//! Hsieh et al. (2008), algorithm 3; Ho & Lin (2012), section 3.2, for the tube; Rockafellar (1976) for the centre.

use lm_core::{Error, Examples, Meter, Result, Stop};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;

use super::Rest;
use super::sample::{Point, Sample, Worth};
use crate::bias::Bias;

/// Entries that are visited between two looks at the clock.
const ENTRIES: usize = 1 << 18;

/// The state of the solver.
pub(super) struct CoordinateDescent<'a, 'b, E: ?Sized> {
    sample: &'a Sample<'b, E>,
    w: Vec<f64>,
    beta: Vec<f64>,
    /// `Σ βᵢ`.
    total: f64,
    /// What the bias is held near: 0 unless it is free.
    centre: f64,
    /// How loosely: `τ`, or 1 for a bias that is penalised.
    looseness: f64,
    active: Vec<u32>,
    /// A price above which a variable at a bound is set aside.
    threshold: f64,
    /// A violation at which the variables count as settled.
    settled: f64,
    random: ChaCha8Rng,
    block: u64,
    /// Visits so far.
    visits: u64,
    /// The iteration after which the centre starts afresh.
    fresh: u64,
    best: Option<(Worth, Point)>,
}

/// What a pass found.
struct Pass {
    /// The largest violation.
    violation: f64,
    stop: Option<Stop>,
}

impl<'a, 'b, E: Examples + ?Sized> CoordinateDescent<'a, 'b, E> {
    /// Starts at 0.
    pub(super) fn new(sample: &'a Sample<'b, E>, seed: u64, meter: &Meter<'_>) -> Result<Self> {
        let (n, d) = (sample.len(), sample.dim());
        let bytes = (6 * n + 40 * d) * size_of::<f64>();
        meter.budget().check_memory("the vectors of coordinate descent", bytes)?;
        let mean = sample.norms.iter().sum::<f64>() / n as f64;
        if !mean.is_finite() {
            return Err(Error::Numerical { what: "the squared norms of the examples" });
        }
        let looseness = match sample.bias {
            Bias::Free => {
                let attribute = mean * (n as f64 / sample.entries().max(1) as f64);
                attribute.max(sample.unit / sample.costs.iter().sum::<f64>()).clamp(1e-300, 1e300)
            }
            Bias::Penalised => 1.0,
            Bias::None => 0.0,
        };
        Ok(Self {
            sample,
            w: vec![0.0; d],
            beta: vec![0.0; n],
            total: 0.0,
            centre: 0.0,
            looseness,
            active: everyone(n),
            threshold: f64::INFINITY,
            settled: 0.1 * sample.unit,
            random: ChaCha8Rng::seed_from_u64(seed),
            block: (ENTRIES * n / sample.entries().max(1)).clamp(16, ENTRIES) as u64,
            visits: 0,
            fresh: 5,
            best: None,
        })
    }

    /// The best point so far, feasible in the dual.
    pub(super) fn best(&self) -> Point {
        let nothing = || Point { w: vec![0.0; self.w.len()], b: 0.0, beta: vec![0.0; self.beta.len()] };
        self.best.as_ref().map_or_else(nothing, |(_, point)| point.clone())
    }

    /// Iterates until the gap is this share of the primal value, or until `patience` more iterations are made.
    pub(super) fn run(&mut self, share: f64, patience: u64, meter: &mut Meter<'_>) -> Result<Rest> {
        let mut next = self.iterations() + 5;
        let last = self.iterations().saturating_add(patience);
        if let Some(stop) = meter.advance(0, 0) {
            return Ok(Rest::Stopped(stop));
        }
        loop {
            let before = self.iterations();
            let Pass { violation, stop } = self.pass(meter);
            let iterations = self.iterations();
            let whole = self.active.len() == self.beta.len();
            let done = violation <= self.settled;
            if let Some(stop) = stop.or_else(|| meter.advance(iterations - before, 0)) {
                self.look(meter)?;
                return Ok(Rest::Stopped(stop));
            }
            if done && whole || iterations >= next {
                if self.look(meter)?.meets(share) {
                    return Ok(Rest::Reached);
                }
                next = iterations + 5 + iterations / 8;
            }
            let moved = self.move_centre(violation);
            if done {
                if whole && !moved {
                    self.settled *= 0.1;
                    // Below this a violation is lost in rounding.
                    if self.settled < 1e-16 * self.sample.unit {
                        return Ok(Rest::Stuck);
                    }
                }
                self.active = everyone(self.beta.len());
                self.threshold = f64::INFINITY;
            }
            if iterations >= last {
                self.look(meter)?;
                return Ok(Rest::Stuck);
            }
        }
    }

    /// As many visits as there are variables are an iteration.
    fn iterations(&self) -> u64 {
        self.visits / self.beta.len() as u64
    }

    /// The bias at these variables.
    fn bias(&self) -> f64 {
        self.centre + self.looseness * self.total
    }

    /// Moves the centre to the bias once the balance is worse than the variables, if that changes it.
    fn move_centre(&mut self, violation: f64) -> bool {
        let shift = self.looseness * self.total;
        let fresh = self.iterations() >= self.fresh;
        if self.sample.bias != Bias::Free || !(fresh || violation <= 0.5 * shift.abs()) {
            return false;
        }
        let before = self.centre;
        if fresh {
            self.fresh = self.iterations().saturating_mul(2);
            self.centre = self.best_bias();
        } else {
            self.centre += shift;
        }
        self.threshold = f64::INFINITY;
        self.active = everyone(self.beta.len());
        // Less than this is lost in the scores.
        (self.centre - before).abs() > 4.0 * f64::EPSILON * self.sample.unit.max(self.centre.abs())
    }

    /// The bias at which the weights so far cost least: where the coefficients that the scores ask for are balanced.
    fn best_bias(&self) -> f64 {
        let sample = self.sample;
        let mut scores = vec![0.0; self.beta.len()];
        sample.scores(&self.w, 0.0, &mut scores);
        let reach =
            |i: usize| scores[i].abs() + sample.problem.above()[i].abs().max(sample.problem.below()[i].abs());
        let most = (0..scores.len()).filter(|&i| sample.costs[i] > 0.0).map(reach).fold(0.0, f64::max);
        let (mut low, mut high) = (-most, most);
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            let [total] = sample.sums(|i| [sample.response(i, scores[i] + middle, 0.0, 0.0).0]);
            // The sum only falls as the bias grows.
            if total > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }

    /// Visits every variable that is not set aside, once: a pass.
    fn pass(&mut self, meter: &mut Meter<'_>) -> Pass {
        self.active.shuffle(&mut self.random);
        let (mut at, mut violation) = (0, 0.0_f64);
        while at < self.active.len() {
            let i = self.active[at] as usize;
            let (off, aside) = self.visit(i);
            violation = violation.max(off);
            if aside {
                self.active.swap_remove(at);
            } else {
                at += 1;
            }
            self.visits += 1;
            if self.visits.is_multiple_of(self.block)
                && let Some(stop) = meter.advance(0, 0)
            {
                return Pass { violation, stop: Some(stop) };
            }
        }
        self.threshold = if violation > 0.0 { violation } else { f64::INFINITY };
        Pass { violation, stop: None }
    }

    /// Moves one variable to its minimum: its violation before, and whether it is to be set aside.
    fn visit(&mut self, i: usize) -> (f64, bool) {
        let (problem, old) = (self.sample.problem, self.beta[i]);
        let (lower, upper) = (problem.lower()[i], problem.upper()[i]);
        let own = if self.sample.bias == Bias::None { 0.0 } else { self.looseness };
        let score = self.sample.examples.dot(i, &self.w) + self.bias();
        let slope = score + problem.ridge(i) * old;
        // The derivatives just above and just below.
        let up = slope + if old >= 0.0 { problem.above()[i] } else { problem.below()[i] };
        let down = slope + if old > 0.0 { problem.above()[i] } else { problem.below()[i] };
        let (may_rise, may_fall) = (old < upper, old > lower);
        let violation = if may_rise { -up } else { 0.0 }.max(if may_fall { down } else { 0.0 }).max(0.0);
        if violation == 0.0 {
            let beyond = (!may_rise || up > self.threshold) && (!may_fall || down < -self.threshold);
            return (0.0, beyond);
        }
        let (new, _) = self.sample.response(i, score, self.sample.norms[i] + own, old);
        if new != old {
            self.beta[i] = new;
            self.total += new - old;
            self.sample.examples.add_scaled(i, new - old, &mut self.w);
        }
        (violation, false)
    }

    /// Measures the gap, from sums computed anew.
    fn look(&mut self, meter: &Meter<'_>) -> Result<Worth> {
        let sample = self.sample;
        (self.w, self.total) = sample.combination(&self.beta);
        let b = if sample.bias == Bias::None { 0.0 } else { self.bias() };
        let beta = sample.balanced(self.beta.clone());
        let w = if sample.bias == Bias::Free { sample.combination(&beta).0 } else { self.w.clone() };
        let mut scores = vec![0.0; beta.len()];
        sample.scores(&w, b, &mut scores);
        let [losses, gap] = sample.sums(|i| {
            let (loss, miss) = sample.loss_and_miss(i, scores[i], beta[i]);
            [loss, miss]
        });
        let worth = Worth { primal: sample.penalty(&w, b) + losses, gap };
        if !(worth.primal.is_finite() && worth.gap.is_finite()) {
            return Err(Error::Numerical { what: "the objective" });
        }
        meter.observe(Some(worth.primal), Some(worth.relative_gap()));
        let better = |best: &Worth| worth.gap * best.primal < best.gap * worth.primal;
        if self.best.as_ref().is_none_or(|(best, _)| better(best)) {
            self.best = Some((worth, Point { w, b, beta }));
        }
        Ok(worth)
    }
}

/// All variables, in their order.
fn everyone(n: usize) -> Vec<u32> {
    (0_u32..).take(n).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Balance, DualProblem};
    use lm_core::{Control, Dense};

    #[test]
    fn a_visit_by_hand() {
        // x = 2 and 1, labels ±1, C = 1, no bias.
        let examples = Dense::new(vec![2.0, 1.0], 2, 1).unwrap();
        let problem =
            DualProblem::new(vec![0.0, -1.0], vec![1.0, 0.0], vec![-1.0, 1.0], Balance::Open).unwrap();
        let sample = Sample::new(&examples, &problem, Bias::None).unwrap();
        let meter = Control::default().start(10);
        let mut descent = CoordinateDescent::new(&sample, 0, &meter).unwrap();
        // The derivative is −1, the curvature 4: up by ¼, and w = ½.
        assert_eq!(descent.visit(0), (1.0, false));
        assert_eq!((descent.beta[0], descent.w[0]), (0.25, 0.5));
        // Score ½ and label −1: down by 1.5, but no further than −1.
        assert_eq!(descent.visit(1), (1.5, false));
        assert_eq!((descent.beta[1], descent.w[0]), (-1.0, -0.5));
        // Now it sits at its bound: above any violation there may have been before, it is set aside.
        descent.threshold = 0.25;
        assert_eq!(descent.visit(1), (0.0, true));
        descent.threshold = 0.75;
        assert_eq!(descent.visit(1), (0.0, false));
    }
}
