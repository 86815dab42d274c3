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

mod blocks;
mod local;
mod rows;
mod step;
mod whole;

use lm_core::gram::RowSums;
use lm_core::{CacheFigures, Error, Gram, Meter, Result, RowCache, Stop};

use crate::certificate::product;
use crate::optimality::{Standing, standing};
use crate::problem::{Balance, DualProblem};
pub(crate) use local::{end, moved, room, set_room};
use step::Step;

/// A limit on iterations that only a run without progress reaches.
pub(crate) fn default_iterations(len: usize) -> u64 {
    (len as u64).saturating_mul(10_000).max(10_000_000)
}

/// Bytes of the cache unless the budget says otherwise.
const CACHE: usize = 256 << 20;

/// Rows that are worth keeping when a gradient is computed anew.
const FEW: usize = 500;

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
    /// Coefficients whose product with the Gram matrix is known, and the product.
    known: Option<(Vec<f64>, Vec<f64>)>,
    /// Whether single precision may still do some of the work, and the bytes that its rows may take.
    quick: bool,
    quick_bytes: usize,
    quick_figures: CacheFigures,
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
        // A quarter of a gigabyte unless the budget says otherwise; half of that, so that the polish has the other, if rows fit.
        let (cache, quick_bytes) = match meter.budget().memory() {
            None => (RowCache::new(gram, CACHE)?, CACHE),
            Some(bytes) => {
                (RowCache::new(gram, bytes / 2).or_else(|_| RowCache::new(gram, bytes))?, bytes / 2)
            }
        };
        let mut curvature = gram.diagonal()?;
        curvature.iter_mut().enumerate().for_each(|(i, value)| *value += problem.ridge(i));
        let largest = curvature.iter().fold(0.0, |a: f64, &b| a.max(b.abs()));
        let beta = match start {
            Some(start) => problem.feasible_near(start)?,
            None => problem.feasible_near(&vec![0.0; n])?,
        };
        let mut smo = Self {
            cache,
            problem,
            curvature,
            gradient: vec![0.0; n],
            active: (0..n).collect(),
            beta,
            floor: (largest * 1e-12).max(f64::MIN_POSITIVE),
            slack: f64::INFINITY,
            misses: 0,
            known: None,
            quick: true,
            quick_bytes,
            quick_figures: CacheFigures::default(),
        };
        smo.resynchronise()?;
        Ok(smo)
    }

    /// Steps until the goal is met, the budget or the patience is used up, or nothing moves.
    pub(crate) fn run(&mut self, goal: &Goal, meter: &mut Meter<'_>) -> Result<(Rest, Standing)> {
        // Steps between two looks at the clock.
        const BLOCK: u64 = 64;
        if self.quick {
            if let Some(ended) = self.approach(goal, meter)? {
                return Ok(ended);
            }
            self.quick = false;
        }
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

    /// Recomputes the gradient of every variable, and takes all of them up again: from rows that are kept, or all at once. The
    /// bits are the same.
    fn resynchronise(&mut self) -> Result<()> {
        let missing = |&i: &usize| self.beta[i] != 0.0 && !self.cache.contains(i);
        let known = if (0..self.beta.len()).filter(missing).count() > self.cache.capacity().min(FEW) {
            product(self.cache.gram(), &self.beta)?
        } else {
            let mut sums = RowSums::new(self.beta.len());
            self.for_support(|beta, row| sums.add(beta, row))?;
            let mut product = vec![0.0; self.beta.len()];
            sums.add_to(&mut product);
            product
        };
        for (i, (g, product)) in self.gradient.iter_mut().zip(&known).enumerate() {
            *g = product + self.problem.ridge(i) * self.beta[i];
        }
        self.known = Some((self.beta.clone(), known));
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

    /// The largest violation of the optimality conditions by a pair.
    pub(crate) fn violation(&self) -> f64 {
        self.extremes().worst(self.allowed()).1
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

    /// The coefficients, and their product with the Gram matrix if it was just computed.
    pub(crate) fn into_solution(self) -> (Vec<f64>, Option<Vec<f64>>) {
        let product = self.known.and_then(|(of, product)| (of == self.beta).then_some(product));
        (self.beta, product)
    }

    pub(crate) fn cache_figures(&self) -> CacheFigures {
        self.cache.figures().and(self.quick_figures)
    }
}
