//! The soft margin problem as evidence: the value of a machine, and a lower bound from multipliers.
//!
//! ```text
//! primal:  minimise ½‖w‖² + Σ cᵢ max(0, 1 − yᵢ f(xᵢ))        f(x) = ⟨w·x⟩ + b
//! dual:    maximise Σαᵢ − ½‖Σ αᵢyᵢxᵢ‖²   subject to 0 ≤ αᵢ ≤ cᵢ  and, with a bias,  Σ αᵢyᵢ = 0
//! ```
//!
//! Any machine bounds the optimum from above and any feasible multipliers bound it from below, so the two need not belong
//! to each other.

use lm_core::{BinaryLabels, Collection, DualityFigures, Error, Meter, Result, Stop, TrainingSet};

use crate::order::Orders;

/// The parts of the problem that do not depend on where its examples live.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Problem {
    /// `yᵢ`.
    pub(crate) signs: Vec<f64>,
    /// `cᵢ`: the cost of a unit of slack times the weight.
    pub(crate) costs: Vec<f64>,
    /// Whether there is a bias, which is not penalised.
    pub(crate) biased: bool,
}

impl Problem {
    /// The problem of a training set with this cost of a unit of slack.
    pub(crate) fn new<S: Collection + ?Sized>(
        set: &TrainingSet<'_, S, BinaryLabels>,
        cost: f64,
        biased: bool,
    ) -> Self {
        let costs = (0..set.len()).map(|row| cost * set.weight(row)).collect();
        Self { signs: set.labels().values(), costs, biased }
    }

    /// Scales multipliers that are a difference of sums, some of which rounding may have made negative, so that none is
    /// above its cost; the factor.
    pub(crate) fn scale(&self, alpha: &mut [f64]) -> f64 {
        let over = alpha.iter().zip(&self.costs).filter(|(alpha, cost)| alpha > cost);
        let scale = over.map(|(alpha, cost)| cost / alpha).fold(1.0, f64::min);
        alpha
            .iter_mut()
            .zip(&self.costs)
            .for_each(|(alpha, cost)| *alpha = (*alpha * scale).max(0.0).min(*cost));
        scale
    }

    /// The bias of least loss for scores `⟨w·xᵢ⟩`; where an interval of them is, the one nearest to `near`.
    ///
    /// The loss is piecewise linear in `b` with a kink at `yᵢ − scoreᵢ` for each example: its slope starts at minus the
    /// cost of the positive class and grows by `cᵢ` at each kink.
    pub(crate) fn best_bias(&self, scores: &[f64], near: f64) -> f64 {
        if !self.biased {
            return 0.0;
        }
        let examples = self.signs.iter().zip(scores).zip(&self.costs).filter(|(_, cost)| **cost > 0.0);
        let mut kinks: Vec<(f64, f64)> =
            examples.map(|((sign, score), cost)| (sign - score, *cost)).collect();
        kinks.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let positive = self.signs.iter().zip(&self.costs).filter(|(sign, _)| **sign > 0.0);
        let mut slope = -positive.map(|(_, cost)| cost).sum::<f64>();
        // The sum of many costs is exact only up to this.
        let rounding = 4.0 * f64::EPSILON * kinks.len() as f64 * slope.abs();
        let mut last = f64::NEG_INFINITY;
        for (kink, cost) in kinks.iter().chain(&[(f64::INFINITY, 0.0)]) {
            // Between the last kink and this one the loss has the slope found so far.
            if slope > rounding {
                return last;
            }
            if slope >= -rounding {
                return near.max(last).min(*kink);
            }
            slope += cost;
            last = *kink;
        }
        near
    }

    /// The figures of a machine with decision values `f`, and of multipliers, given the squared norms of both weight
    /// vectors.
    pub(crate) fn figures(
        &self,
        f: &[f64],
        norm: f64,
        alpha: &[f64],
        dual_norm: f64,
    ) -> Result<DualityFigures> {
        let (mut loss, mut total, mut balance) = (0.0, 0.0, 0.0_f64);
        let (mut kkt, mut infeasibility) = (0.0_f64, 0.0_f64);
        for (row, f) in f.iter().enumerate() {
            let (sign, cost, alpha) = (self.signs[row], self.costs[row], alpha[row]);
            let slack = 1.0 - sign * f;
            if !slack.is_finite() {
                return Err(Error::Numerical { what: "a decision value" });
            }
            loss += cost * slack.max(0.0);
            total += alpha;
            balance += alpha * sign;
            infeasibility = infeasibility.max(-alpha).max(alpha - cost);
            // An example short of the margin must be at its cost, one beyond it at 0.
            let violated = if slack > 0.0 { alpha < cost } else { alpha > 0.0 };
            kkt = kkt.max(if violated { slack.abs() } else { 0.0 });
        }
        let infeasibility = if self.biased { infeasibility.max(balance.abs()) } else { infeasibility };
        let (primal, dual) = (0.5 * norm + loss, total - 0.5 * dual_norm);
        if primal.is_finite() && dual.is_finite() {
            Ok(DualityFigures { primal, dual, kkt, infeasibility })
        } else {
            Err(Error::Numerical { what: "the duality gap" })
        }
    }
}

/// The best machine and the best bound found so far: they need not come from the same moment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Best<M> {
    pub(crate) machine: M,
    pub(crate) alpha: Vec<f64>,
    pub(crate) figures: DualityFigures,
}

impl<M> Best<M> {
    /// Keeps what is better of two.
    pub(crate) fn or(self, new: Self) -> Self {
        let primal_improves = new.figures.primal < self.figures.primal;
        let dual_improves = new.figures.dual > self.figures.dual;
        let (machine, primal) = if primal_improves {
            (new.machine, new.figures.primal)
        } else {
            (self.machine, self.figures.primal)
        };
        let (alpha, dual, infeasibility) = if dual_improves {
            (new.alpha, new.figures.dual, new.figures.infeasibility)
        } else {
            (self.alpha, self.figures.dual, self.figures.infeasibility)
        };
        // Which of both machines violates the conditions by how much is computed once, at the end.
        let figures = DualityFigures { primal, dual, kkt: f64::INFINITY, infeasibility };
        Self { machine, alpha, figures }
    }
}

/// A run that goes over the data, and whose machine can be looked at.
pub(crate) trait Run {
    /// What is learned.
    type Machine;

    /// One pass over the data; it may be cut short.
    fn pass(&mut self, order: Option<&[u32]>, meter: &mut Meter<'_>) -> Result<Option<Stop>>;

    /// The machine at this moment, and a bound, for which some work may be done as long as `go_on` allows it.
    fn look(&mut self, go_on: &mut dyn FnMut() -> bool) -> Result<Best<Self::Machine>>;
}

/// Goes over the data until the relative gap is small enough or the budget is used up.
pub(crate) fn run<R: Run>(
    state: &mut R,
    mut orders: Orders,
    tolerance: f64,
    meter: &mut Meter<'_>,
) -> Result<(Stop, Best<R::Machine>)> {
    let (mut looks, mut best) = (Looks::default(), None::<Best<R::Machine>>);
    let mut stop = meter.advance(0, 0);
    loop {
        if stop.is_some() || looks.is_due(meter.iterations()) {
            // A run that has made all its passes has time left for its bound; one that is out of time has not.
            let mut go_on = || stop == Some(Stop::Iterations) || meter.advance(0, 0).is_none();
            let found = state.look(&mut go_on)?;
            let found = match best.take() {
                Some(best) => best.or(found),
                None => found,
            };
            let gap = found.figures.relative_gap();
            meter.observe(Some(found.figures.primal), Some(gap));
            // A little less than was asked for: the certificate computes the gap anew, and rounds in its own way.
            let converged = (gap <= tolerance * (1.0 - 1e-6)).then_some(Stop::Converged);
            if let Some(stop) = converged.or(stop) {
                return Ok((stop, found));
            }
            best = Some(found);
        }
        stop = state.pass(orders.of_pass(meter.iterations()), meter)?;
    }
}

/// Converged is what the certificate says: the sums of a run have gathered rounding errors.
pub(crate) fn confirmed(stop: Stop, figures: DualityFigures, tolerance: f64) -> Stop {
    let missed = stop == Stop::Converged && !(figures.relative_gap() <= tolerance);
    if missed { Stop::Stalled } else { stop }
}

/// The passes after which a run looks at its gap.
#[derive(Debug, Default)]
struct Looks {
    next: u64,
}

impl Looks {
    /// Whether it is time after this many passes: a look costs some passes itself, so looks grow apart.
    fn is_due(&mut self, passes: u64) -> bool {
        let due = passes >= self.next;
        if due {
            self.next = passes + 1 + passes / 4;
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::testing::SplitMix64;

    #[test]
    fn multipliers_are_scaled_to_their_costs() {
        let problem = Problem { signs: vec![1.0, 1.0, -1.0], costs: vec![1.0, 1.0, 2.0], biased: true };
        let mut alpha = [0.5, 1.0, -1e-20];
        assert_eq!((problem.scale(&mut alpha), alpha), (1.0, [0.5, 1.0, 0.0]));
        let mut alpha = [0.5, 4.0, 3.0];
        assert_eq!((problem.scale(&mut alpha), alpha), (0.25, [0.125, 1.0, 0.75]));
    }

    #[test]
    fn no_other_bias_has_less_loss() {
        for seed in 0..50 {
            let mut random = SplitMix64::new(seed);
            let n = 2 + random.below(12);
            let signs = (0..n).map(|k| if k % 2 == 0 { 1.0 } else { -1.0 }).collect();
            let costs = (0..n).map(|_| random.below(4) as f64).collect();
            let problem = Problem { signs, costs, biased: true };
            let scores: Vec<f64> = (0..n).map(|_| random.uniform(-2.0, 2.0)).collect();
            let loss = |b: f64| -> f64 {
                (0..n).map(|i| problem.costs[i] * (1.0 - problem.signs[i] * (scores[i] + b)).max(0.0)).sum()
            };
            let best = problem.best_bias(&scores, 0.25);
            for k in -400..400 {
                let other = f64::from(k) / 100.0;
                assert!(loss(best) <= loss(other) + 1e-12, "seed {seed}: {best} and {other}");
                let nearer = (other - 0.25).abs() < (best - 0.25).abs() - 1e-9;
                assert!(!nearer || loss(best) < loss(other), "seed {seed}: {other} is as good and nearer");
            }
        }
    }

    #[test]
    fn looks_grow_apart() {
        let mut looks = Looks::default();
        let due: Vec<u64> = (1..=30).filter(|&pass| looks.is_due(pass)).collect();
        assert_eq!(due, [1, 2, 3, 4, 6, 8, 11, 14, 18, 23, 29]);
    }
}
