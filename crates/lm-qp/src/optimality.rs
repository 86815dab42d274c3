//! How far a point of the problem is from the best one, as the solvers see it.
//!
//! The certificate does not use this file: it has its own words for the same facts.

use crate::problem::{Balance, DualProblem, Multipliers};

/// What a point is worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Standing {
    /// The multipliers of the balance that prove most.
    pub(crate) multipliers: Multipliers,
    /// The objective, to be minimised; minus the dual value of the machine.
    pub(crate) objective: f64,
    /// How far the objective can be above the minimum.
    pub(crate) gap: f64,
}

impl Standing {
    /// The gap as a share of the larger of primal and dual value.
    pub(crate) fn relative_gap(&self) -> f64 {
        if self.gap == 0.0 {
            0.0
        } else {
            self.gap / self.objective.abs().max((self.gap - self.objective).abs())
        }
    }
}

/// The standing of a point with `v = Kβ`.
pub(crate) fn standing(problem: &DualProblem, beta: &[f64], v: &[f64]) -> Standing {
    let mut multipliers = best_multipliers(problem, v);
    let mut gap = gap(problem, beta, v, multipliers);
    if let Balance::Sizes { total, .. } = problem.balance() {
        // Where the bound on the sizes does not bind, a tube of a rounding's width costs more than none.
        let b = crossing(problem, v, true, true, total);
        let without = Multipliers { positive: b, negative: b };
        let other = self::gap(problem, beta, v, without);
        if other < gap {
            (multipliers, gap) = (without, other);
        }
    }
    let own = |(i, (&beta, &v)): (usize, (&f64, &f64))| 0.5 * beta * v + problem.own_cost(i, beta);
    let objective = beta.iter().zip(v).enumerate().map(own).sum();
    Standing { multipliers, objective, gap }
}

/// How far the objective can be above the minimum, as these multipliers prove it.
fn gap(problem: &DualProblem, beta: &[f64], v: &[f64], multipliers: Multipliers) -> f64 {
    let mut gap = 0.0;
    for (i, (&beta, &v)) in beta.iter().zip(v).enumerate() {
        let slope = if beta > 0.0 { multipliers.positive } else { multipliers.negative };
        let (_, least) = least(problem, i, v + multipliers.positive, v + multipliers.negative);
        gap += ((v + slope) * beta + problem.own_cost(i, beta) - least).max(0.0);
    }
    if let Balance::Sizes { most, .. } = problem.balance() {
        // A tube that has a width although there is room for larger coefficients.
        let sizes: f64 = beta.iter().map(|beta| beta.abs()).sum();
        gap += -multipliers.rho() * (most - sizes).max(0.0);
    }
    gap
}

/// The `t` between the bounds with the least `zt + ½rᵢt² + sᵢ(t)`, where `z` is one number for `t > 0` and another for
/// `t < 0`, and that least value, never above 0; `−∞` where there is none.
pub(crate) fn least(problem: &DualProblem, i: usize, positive: f64, negative: f64) -> (f64, f64) {
    let ridge = problem.ridge(i);
    let up = one_sided(positive + problem.above()[i], ridge, problem.upper()[i]);
    let down = one_sided(-(negative + problem.below()[i]), ridge, -problem.lower()[i]);
    if down.1 < up.1 { (-down.0, down.1) } else { up }
}

/// The `0 ≤ t ≤ most` with the least `st + ½rt²`, and that value.
fn one_sided(slope: f64, ridge: f64, most: f64) -> (f64, f64) {
    if !(slope < 0.0) || most == 0.0 {
        return (0.0, 0.0);
    }
    let t = if ridge > 0.0 { (-slope / ridge).min(most) } else { most };
    (t, t * (slope + 0.5 * ridge * t))
}

/// The multipliers with the smallest gap.
///
/// In each multiplier the gap is convex, and its derivative is the balance less what the variables would add up to if
/// each were free to take its best value: that sum only falls as the multiplier grows. Where a whole interval is best,
/// its middle is taken.
pub(crate) fn best_multipliers(problem: &DualProblem, v: &[f64]) -> Multipliers {
    match problem.balance() {
        Balance::Open => Multipliers::default(),
        Balance::Total(total) => {
            let b = crossing(problem, v, true, true, total);
            Multipliers { positive: b, negative: b }
        }
        Balance::Sides { positive, negative } => sides(problem, v, positive, negative),
        Balance::Sizes { total, most } => {
            let found = sides(problem, v, 0.5 * (most + total), 0.5 * (most - total));
            if found.rho() <= 0.0 {
                return found;
            }
            // The bound on the sizes does not bind: the tube has no width.
            let b = crossing(problem, v, true, true, total);
            Multipliers { positive: b, negative: b }
        }
    }
}

/// The multipliers of positive and negative coefficients that add up to these sizes.
fn sides(problem: &DualProblem, v: &[f64], positive: f64, negative: f64) -> Multipliers {
    Multipliers {
        positive: crossing(problem, v, true, false, positive),
        negative: crossing(problem, v, false, true, -negative),
    }
}

/// Where the sum of the best values, counted on the sides asked for, crosses `target`.
fn crossing(problem: &DualProblem, v: &[f64], ups: bool, downs: bool, target: f64) -> f64 {
    // All kinks lie between these ends, unless a ridge moves the crossing beyond them.
    let (mut low, mut high, mut size) = (f64::INFINITY, f64::NEG_INFINITY, target.abs());
    for (i, &v) in v.iter().enumerate() {
        if ups && problem.upper()[i] > 0.0 {
            let kink = -v - problem.above()[i];
            (low, high) = (low.min(kink), high.max(kink));
            size += if problem.upper()[i].is_finite() { problem.upper()[i] } else { 0.0 };
        }
        if downs && problem.lower()[i] < 0.0 {
            let kink = -v - problem.below()[i];
            (low, high) = (low.min(kink), high.max(kink));
            size += if problem.lower()[i].is_finite() { -problem.lower()[i] } else { 0.0 };
        }
    }
    if !(low <= high) {
        return 0.0;
    }
    let sum = |b: f64| -> f64 {
        let one = |(i, &v): (usize, &f64)| {
            let (up, down) =
                (if ups { v + b } else { f64::INFINITY }, if downs { v + b } else { f64::NEG_INFINITY });
            least(problem, i, up, down).0
        };
        v.iter().enumerate().map(one).sum::<f64>() - target
    };
    // Sums of bounds are rounded: what is this small counts as 0.
    let nothing = 4.0 * v.len() as f64 * f64::EPSILON * size;
    let width = (high - low).max(low.abs().max(high.abs()) * f64::EPSILON).max(f64::MIN_POSITIVE);
    (low, high) = (low - width, high + width);
    let mut reach = width;
    for _ in 0..64 {
        let (above, below) = (sum(low), sum(high));
        if above >= -nothing && below <= nothing {
            break;
        }
        reach *= 2.0;
        (low, high) = (
            if above < -nothing { low - reach } else { low },
            if below > nothing { high + reach } else { high },
        );
    }
    let first = bisected(low, high, |b| sum(b) > nothing);
    let last = bisected(low, high, |b| sum(b) >= -nothing);
    first + 0.5 * (last - first)
}

/// The last place between `low` and `high` at which `holds`, which holds below it and not above it.
fn bisected(mut low: f64, mut high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..200 {
        let middle = low + 0.5 * (high - low);
        if !(low < middle && middle < high) {
            break;
        }
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low + 0.5 * (high - low)
}
