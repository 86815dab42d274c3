//! What both solvers of linear machines see of the data: scores, combinations of rows, and the variables one by one.

use std::ops::Range;

use lm_core::double_double::DoubleDouble;
use lm_core::{Error, Examples, Result, Row, parallel};

use crate::bias::Bias;
use crate::optimality::{best_multipliers, least};
use crate::problem::DualProblem;

/// Rows of a part of a sum over examples: a function of nothing, so that sums run in the same order on any number of threads.
const ROWS: usize = 4096;

/// A machine and its multipliers: what a run improves.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Point {
    /// The weights of the machine.
    pub(super) w: Vec<f64>,
    /// Its bias.
    pub(super) b: f64,
    /// The coefficients of the examples in the dual.
    pub(super) beta: Vec<f64>,
}

/// How good a point is, as a solver sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Worth {
    /// The primal value.
    pub(super) primal: f64,
    /// How far primal and dual value are apart.
    pub(super) gap: f64,
}

impl Worth {
    /// The gap as a share of the primal value.
    pub(super) fn relative_gap(&self) -> f64 {
        if self.gap == 0.0 { 0.0 } else { self.gap / self.primal }
    }

    /// Whether the gap is at most this share of the primal value.
    pub(super) fn meets(&self, share: f64) -> bool {
        self.gap <= share * self.primal
    }
}

/// Examples with the dual problem of their labels.
pub(super) struct Sample<'a, E: ?Sized> {
    pub(super) examples: &'a E,
    pub(super) problem: &'a DualProblem,
    pub(super) bias: Bias,
    /// `‖xᵢ‖²`.
    pub(super) norms: Vec<f64>,
    /// What a unit of loss costs, 0 for an example that does not count.
    pub(super) costs: Vec<f64>,
    /// The size of a score that matters: 1 for a margin, the spread of the targets for a regression.
    pub(super) unit: f64,
    pub(super) sparse: bool,
    entries: usize,
}

impl<'a, E: Examples + ?Sized> Sample<'a, E> {
    /// Checks the examples.
    ///
    /// # Errors
    /// [`Error::Empty`] without columns, [`Error::NonFinite`] for a row that is not finite, [`Error::Numerical`] for one
    /// whose square overflows, [`Error::TooLarge`] for rows that 32 bits cannot number.
    pub(super) fn new(examples: &'a E, problem: &'a DualProblem, bias: Bias) -> Result<Self> {
        if examples.dim() == 0 {
            return Err(Error::Empty { what: "the list of columns" });
        }
        let (n, limit) = (examples.len(), u32::MAX as usize);
        if n > limit {
            return Err(Error::TooLarge { what: "the training set", size: n, limit });
        }
        let mut norms = vec![0.0; n];
        parallel::for_each_chunk(&mut norms, ROWS, |part, out| {
            (part * ROWS..).zip(out).for_each(|(row, norm)| *norm = examples.norm_squared(row));
        });
        if let Some(row) = norms.iter().position(|norm| !norm.is_finite()) {
            return Err(broken(&examples.row(row), row));
        }
        let costs = (0..n).map(|i| cost(problem, i)).collect();
        let sparse = matches!(examples.row(0), Row::SparseF64(_) | Row::SparseF32(_));
        let entries = (0..n).map(|row| stored(&examples.row(row))).sum();
        let mut sample = Self { examples, problem, bias, norms, costs, unit: 1.0, sparse, entries };
        sample.unit = sample.spread();
        Ok(sample)
    }

    /// The size of the scores: 1 where every variable has one sign, else the spread of the targets.
    fn spread(&self) -> f64 {
        let problem = self.problem;
        if problem.lower().iter().zip(problem.upper()).all(|(&lower, &upper)| lower == 0.0 || upper == 0.0) {
            return 1.0;
        }
        let target = |i: usize| -0.5 * (problem.above()[i] + problem.below()[i]);
        let [total, sum] = self.sums(|i| [self.costs[i], self.costs[i] * target(i)]);
        let mean = sum / total;
        let [squares] = self.sums(|i| [self.costs[i] / total * (target(i) - mean) * (target(i) - mean)]);
        let tube = 0.5 * (problem.above()[0] - problem.below()[0]);
        let size = squares.sqrt().max(tube);
        [size, mean.abs()].into_iter().find(|size| *size > 0.0 && size.is_finite()).unwrap_or(1.0)
    }

    pub(super) fn len(&self) -> usize {
        self.norms.len()
    }

    pub(super) fn dim(&self) -> usize {
        self.examples.dim()
    }

    /// The number of stored entries of all rows.
    pub(super) fn entries(&self) -> usize {
        self.entries
    }

    /// Whether the losses are squares, so that coefficients have no upper bound.
    pub(super) fn is_squared(&self) -> bool {
        (0..self.len()).any(|i| self.problem.ridge(i) > 0.0)
    }

    /// `⟨w·xᵢ⟩ + b` for every example.
    pub(super) fn scores(&self, w: &[f64], b: f64, out: &mut [f64]) {
        parallel::for_each_chunk(out, ROWS, |part, out| {
            let first = part * ROWS;
            self.examples.dots(first..first + out.len(), w, out);
            out.iter_mut().for_each(|score| *score += b);
        });
    }

    /// `Σ βᵢxᵢ` and `Σ βᵢ`.
    pub(super) fn combination(&self, beta: &[f64]) -> (Vec<f64>, f64) {
        let [sum] = self.sums(|i| [beta[i]]);
        let total = self.folded(self.len(), |rows, total| {
            for row in rows.filter(|&row| beta[row] != 0.0) {
                self.examples.add_scaled(row, beta[row], total);
            }
        });
        (total, sum)
    }

    /// Sums vectors of one number a column over `count` things, part by part on all cores, and the parts in their order.
    pub(super) fn folded(&self, count: usize, add: impl Fn(Range<usize>, &mut [f64]) + Sync) -> Vec<f64> {
        let d = self.dim();
        // A part must outweigh the sum of its vector.
        let parts = (self.entries / (2 * d)).clamp(1, 32);
        let rows = count.div_ceil(parts).max(512);
        let summed = parallel::map(count.div_ceil(rows), |part| {
            let mut total = vec![0.0; d];
            add(part * rows..count.min((part + 1) * rows), &mut total);
            total
        });
        let mut summed = summed.into_iter();
        let mut total = summed.next().unwrap_or_else(|| vec![0.0; d]);
        for part in summed {
            total.iter_mut().zip(part).for_each(|(total, part)| *total += part);
        }
        total
    }

    /// Sums of some numbers of each example, in an order that does not depend on the threads.
    pub(super) fn sums<const K: usize>(&self, of: impl Fn(usize) -> [f64; K] + Sync) -> [f64; K] {
        let n = self.costs.len();
        let add = |mut total: [f64; K], terms: [f64; K]| {
            total.iter_mut().zip(terms).for_each(|(total, term)| *total += term);
            total
        };
        parallel::map(n.div_ceil(ROWS), |part| {
            (part * ROWS..n.min((part + 1) * ROWS)).map(&of).fold([0.0; K], add)
        })
        .into_iter()
        .fold([0.0; K], add)
    }

    /// The `t` between the bounds that minimises `vt + sᵢ(t) + ½rᵢt² + ½κ(t − centre)²`, and the rate at which it falls
    /// as `v` grows: 0 at a bound or a kink.
    #[inline]
    pub(super) fn response(&self, i: usize, v: f64, kappa: f64, centre: f64) -> (f64, f64) {
        let problem = self.problem;
        let (lower, upper) = (problem.lower()[i], problem.upper()[i]);
        let curvature = kappa + problem.ridge(i);
        let pulled = kappa * centre - v;
        let (up, down) = (pulled - problem.above()[i], pulled - problem.below()[i]);
        if !(curvature > 0.0) {
            return (
                if up > 0.0 {
                    upper
                } else if down < 0.0 {
                    lower
                } else {
                    0.0
                },
                0.0,
            );
        }
        let (t, inside) = if up > 0.0 {
            let t = up / curvature;
            (t.min(upper), t < upper)
        } else if down < 0.0 {
            let t = down / curvature;
            (t.max(lower), t > lower)
        } else {
            (0.0, false)
        };
        (t, if inside { 1.0 / curvature } else { 0.0 })
    }

    /// The loss of an example with this score, and by how much the score and the coefficient miss each other: a sum of terms
    /// that are at least 0 and add up to the gap.
    pub(super) fn loss_and_miss(&self, i: usize, v: f64, beta: f64) -> (f64, f64) {
        let loss = -least(self.problem, i, v, v).1;
        let miss = v * beta + self.problem.own_cost(i, beta) + loss;
        // Not `max`, which would hide NaN.
        (loss, if miss < 0.0 { 0.0 } else { miss })
    }

    /// The same point with the middle of all biases that are equally good: where no coefficient is between its bounds, none of
    /// them says which bias is meant.
    pub(super) fn with_middle_bias(&self, point: Point) -> Point {
        let free = |i: usize| {
            let size = point.beta[i].abs() / self.costs[i];
            size > 1e-6 && size < 1.0 - 1e-6
        };
        if self.bias != Bias::Free || self.is_squared() || (0..self.len()).any(free) {
            return point;
        }
        let mut scores = vec![0.0; self.len()];
        self.scores(&point.w, 0.0, &mut scores);
        let middle = best_multipliers(self.problem, &scores).bias();
        let losses = |b: f64| self.sums(|i| [self.loss_and_miss(i, scores[i] + b, 0.0).0])[0];
        // Sums that are equal may differ by their rounding.
        if losses(middle) <= (1.0 + 1e-14) * losses(point.b) { Point { b: middle, ..point } } else { point }
    }

    /// `½‖w‖²`, with `½b²` for a bias that is penalised.
    pub(super) fn penalty(&self, w: &[f64], b: f64) -> f64 {
        let own = if self.bias == Bias::Penalised { b * b } else { 0.0 };
        0.5 * (dot(w, w) + own)
    }

    /// Coefficients that add up to 0 where the bias is free: one that is between its bounds gives way, and if it has not room
    /// enough, all of the heavier side become smaller. Those at a bound stay there if they can.
    pub(super) fn balanced(&self, mut beta: Vec<f64>) -> Vec<f64> {
        if self.bias != Bias::Free {
            return beta;
        }
        let problem = self.problem;
        let room = |i: usize, value: f64| match value {
            0.0 => 0.0,
            _ if value > 0.0 => value.min(problem.upper()[i] - value),
            _ => (-value).min(value - problem.lower()[i]),
        };
        for _ in 0..3 {
            let excess = exact_sum(&beta);
            if excess == 0.0 {
                break;
            }
            let widest = |best: (usize, f64), (i, &value): (usize, &f64)| {
                let room = room(i, value);
                if room > best.1 { (i, room) } else { best }
            };
            let (taker, most) = beta.iter().enumerate().fold((0, 0.0), widest);
            if excess.abs() <= most {
                beta[taker] -= excess;
                continue;
            }
            let side = |value: f64| if excess > 0.0 { value > 0.0 } else { value < 0.0 };
            let sizes: f64 = beta.iter().filter(|&&value| side(value)).map(|value| value.abs()).sum();
            let factor = (1.0 - excess.abs() / sizes).max(0.0);
            beta.iter_mut().filter(|value| side(**value)).for_each(|value| *value *= factor);
        }
        beta
    }
}

/// `Σ aₖbₖ`, in plain order.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The sum, with twice the digits.
fn exact_sum(values: &[f64]) -> f64 {
    values.iter().fold(DoubleDouble::ZERO, |sum, &value| sum + value).value()
}

/// What a unit of loss of an example costs.
fn cost(problem: &DualProblem, i: usize) -> f64 {
    let most = problem.upper()[i].max(-problem.lower()[i]);
    if most.is_finite() { most } else { 1.0 / problem.ridge(i) }
}

/// The number of stored entries of a row.
pub(super) fn stored(row: &Row<'_>) -> usize {
    match row {
        Row::SparseF64(row) => row.indices().len(),
        Row::SparseF32(row) => row.indices().len(),
        Row::DenseF64(_) | Row::DenseF32(_) => row.dim(),
    }
}

/// Why a row has no finite norm.
fn broken(example: &Row<'_>, row: usize) -> Error {
    let mut column = None;
    example.for_each(|k, x| {
        if !x.is_finite() && column.is_none() {
            column = Some(k);
        }
    });
    match column {
        Some(_) => Error::NonFinite { what: "example", row, column },
        None => Error::Numerical { what: "the squared norm of an example" },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Balance;
    use lm_core::Dense;

    /// Two examples of a classifier and C = 2.
    fn hinge(ridge: f64) -> DualProblem {
        let most = if ridge > 0.0 { f64::INFINITY } else { 2.0 };
        DualProblem::new(vec![0.0, -most], vec![most, 0.0], vec![-1.0, 1.0], Balance::Total(0.0))
            .and_then(|problem| problem.with_ridge(vec![ridge; 2]))
            .unwrap()
    }

    #[test]
    fn a_variable_answers_its_score() {
        let examples = Dense::new(vec![1.0, -1.0], 2, 1).unwrap();
        let problem = hinge(0.0);
        let sample = Sample::new(&examples, &problem, Bias::Free).unwrap();
        // v + above = −½: up by ½/κ from the centre, within the bound 2.
        assert_eq!(sample.response(0, 0.5, 1.0, 0.25), (0.75, 1.0));
        assert_eq!(sample.response(0, 0.5, 0.25, 0.25), (2.0, 0.0));
        assert_eq!(sample.response(0, 1.5, 1.0, 0.25), (0.0, 0.0));
        // The margin error ½ costs C/2 = 1, and β = 2 is what it asks for.
        assert_eq!(sample.loss_and_miss(0, 0.5, 2.0), (1.0, 0.0));
        assert_eq!(sample.loss_and_miss(0, 0.5, 1.0), (1.0, 0.5));
        let problem = hinge(0.25);
        let sample = Sample::new(&examples, &problem, Bias::Free).unwrap();
        assert_eq!(sample.response(0, 0.5, 0.0, 0.0), (2.0, 4.0));
        assert_eq!(sample.loss_and_miss(0, 0.5, 2.0), (0.5, 0.0));
    }

    #[test]
    fn the_heavier_side_gives_way() {
        let examples = Dense::new(vec![1.0, -1.0], 2, 1).unwrap();
        let problem = hinge(0.0);
        let sample = Sample::new(&examples, &problem, Bias::Free).unwrap();
        assert_eq!(sample.balanced(vec![1.5, -0.5]), [0.5, -0.5]);
        assert_eq!(sample.balanced(vec![0.0, -0.5]), [0.0, 0.0]);
        let sample = Sample::new(&examples, &problem, Bias::None).unwrap();
        assert_eq!(sample.balanced(vec![1.5, -0.5]), [1.5, -0.5]);
    }

    #[test]
    fn rows_that_are_not_numbers_are_named() {
        let examples = Dense::new(vec![1.0, 1e200], 2, 1).unwrap();
        let problem = hinge(0.0);
        let overflows = Sample::new(&examples, &problem, Bias::Free);
        assert!(matches!(overflows.err(), Some(Error::Numerical { .. })));
    }
}
