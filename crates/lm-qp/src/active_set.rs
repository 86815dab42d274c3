//! An active-set method that ends at the solution itself, rounded.
//!
//! # Problem
//! That of `problem.rs`, with its matrix in memory, from a point near the solution.
//! # Method
//! The coefficients at a bound or at the kink are held there; the others solve the linear equations that say that their
//! slopes vanish and the balance is kept:
//! ```text
//! [ K + diag r   Aᵗ ] [ δ ]   [ −slopes ]
//! [     A        0  ] [ μ ] = [ t − Aβ  ]
//! ```
//! Slopes are computed in double-double arithmetic and the solution is corrected until nothing changes any more, so the
//! answer has the digits of the numbers it is stored in. A step that meets a bound ends there and holds the coefficient;
//! when the free ones have settled, those held ones that gain by moving are let go. The matrix may be singular: a shift by
//! a rounding makes it regular, the corrections take the shift out again, and along a direction without curvature the
//! step is as long as the bounds allow.
//! # Cost
//! `f³/3` operations a round for `f` free coefficients, and `nf` in double-double arithmetic.
//! # Reference
//! Nocedal & Wright (2006), section 16.5; Scheinberg (2006) for support vector machines.

mod equations;

use lm_core::double_double::{DoubleDouble, add_transposed_products};
use lm_core::linalg::Matrix;
use lm_core::{Meter, Result};

use crate::optimality::best_multipliers;
use crate::problem::{Balance, DualProblem, Multipliers};
use equations::{Row, solved};

/// How a coefficient may move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Not at all: it is at a bound or at the kink.
    Held,
    /// Between 0 and its upper bound.
    Positive,
    /// Between its lower bound and 0.
    Negative,
}

/// The share of a bound on the sizes that may be missing where it is taken for met.
const NEAR: f64 = 1e-6;

/// How often a coefficient may be let go in vain.
const REFUSALS: u8 = 2;

/// Corrections of a solution before the next look at what is held.
const CORRECTIONS: usize = 12;

/// How far slopes lean to the cheaper side, in parts of the largest that rounding has left.
const LEAN: f64 = 1.5;

/// Of the largest gain: held coefficients that gain less wait for the next round.
const SHARE: f64 = 0.1;

struct State<'a> {
    k: &'a Matrix,
    problem: &'a DualProblem,
    beta: Vec<f64>,
    places: Vec<Place>,
    /// `Kβ` and the shift.
    v: Vec<DoubleDouble>,
    multipliers: Multipliers,
    /// What the slopes of free coefficients are to be: 0, but for rounding.
    aims: Vec<f64>,
    /// Whether the last round could not move at all: then one coefficient is let go at a time.
    stuck: bool,
    /// How often each coefficient was let go and could not move.
    refused: Vec<u8>,
    /// Whether the bound on the sizes is met, where there is one.
    tight: bool,
    largest: f64,
}

/// Where the method ends.
pub(crate) struct End {
    /// The coefficients.
    pub(crate) beta: Vec<f64>,
    /// The size of slopes that are rounding, where nothing more is to be gained.
    pub(crate) settled: Option<f64>,
}

/// Improves a point; the coefficients that are not `free` are taken to be where they belong, and `shift` is added to the
/// slopes. Ends at the last point reached when the rounds or the budget are used up.
pub(crate) fn improve(
    k: &Matrix,
    problem: &DualProblem,
    shift: &[DoubleDouble],
    start: &[f64],
    free: &[bool],
    rounds: usize,
    meter: &mut Meter<'_>,
) -> Result<End> {
    let mut state = State::new(k, problem, shift, start, free);
    for _ in 0..rounds {
        if meter.advance(0, 0).is_some() {
            break;
        }
        let settled = state.settle(meter)?;
        let stop = meter.advance(1, 0);
        match settled {
            Settled::Blocked if stop.is_none() => {}
            Settled::Blocked => break,
            Settled::Interrupted => break,
            Settled::Yes => {
                if !state.let_go() {
                    state.lean(meter)?;
                    return Ok(End { settled: Some(state.noise()), beta: state.beta });
                }
            }
        }
    }
    Ok(End { beta: state.beta, settled: None })
}

enum Settled {
    /// The free coefficients are where their slopes vanish.
    Yes,
    /// One of them met a bound.
    Blocked,
    /// Time is up, or the equations have no solution.
    Interrupted,
}

impl<'a> State<'a> {
    fn new(
        k: &'a Matrix,
        problem: &'a DualProblem,
        shift: &[DoubleDouble],
        start: &[f64],
        free: &[bool],
    ) -> Self {
        let largest =
            (0..problem.len()).map(|i| k[(i, i)].abs() + problem.ridge(i)).fold(f64::MIN_POSITIVE, f64::max);
        let place = |(&beta, &free): (&f64, &bool)| match beta {
            beta if free && beta > 0.0 => Place::Positive,
            beta if free && beta < 0.0 => Place::Negative,
            _ => Place::Held,
        };
        let mut state = Self {
            k,
            problem,
            beta: start.to_vec(),
            places: start.iter().zip(free).map(place).collect(),
            v: shift.to_vec(),
            multipliers: Multipliers::default(),
            tight: false,
            aims: vec![0.0; start.len()],
            stuck: false,
            refused: vec![0; start.len()],
            largest,
        };
        state.add_own();
        state.multipliers = best_multipliers(problem, &state.v.iter().map(|v| v.value()).collect::<Vec<_>>());
        if let Balance::Sizes { most, .. } = problem.balance() {
            // A tube of next to no width and room for larger sizes: the width is rounding.
            let left = most - state.beta.iter().map(|beta| beta.abs()).sum::<f64>();
            state.tight = state.multipliers.rho() < 0.0 && left <= NEAR * most;
            if !state.tight {
                state.price_alike();
            }
        }
        state
    }

    /// Adds `Kβ` to the shift.
    fn add_own(&mut self) {
        for (j, &beta) in self.beta.iter().enumerate().filter(|(_, beta)| **beta != 0.0) {
            add_transposed_products(self.k.column(j), &[beta.into()], &mut self.v);
        }
    }

    fn free(&self) -> Vec<usize> {
        (0..self.beta.len()).filter(|&i| self.places[i] != Place::Held).collect()
    }

    /// The slope of a coefficient that moves on one side, with the multiplier of that side.
    fn slope(&self, i: usize, positive: bool) -> DoubleDouble {
        let (own, multiplier) = if positive {
            (self.problem.above()[i], self.multipliers.positive)
        } else {
            (self.problem.below()[i], self.multipliers.negative)
        };
        self.v[i] + DoubleDouble::product(self.problem.ridge(i), self.beta[i]) + own + multiplier
    }

    /// Moves the free coefficients to where their slopes vanish, or as far as the first bound.
    fn settle(&mut self, meter: &mut Meter<'_>) -> Result<Settled> {
        let free = self.free();
        if free.is_empty() {
            return Ok(Settled::Yes);
        }
        let over: Vec<Vec<f64>> = self
            .rows(&free)
            .iter()
            .map(|row| free.iter().map(|&i| row.at(self.places[i])).collect())
            .collect();
        let Some(factor) = self.factored(&free, &over, meter)? else { return Ok(Settled::Interrupted) };
        let (mut last, mut kept) = (f64::INFINITY, None);
        // Corrections of the shift and of rounding; each is worth its pass only while it helps much.
        for round in 0..CORRECTIONS {
            let rows = self.rows(&free);
            let slopes: Vec<f64> = free
                .iter()
                .map(|&i| self.slope(i, self.places[i] == Place::Positive).value() - self.aims[i])
                .collect();
            let off = self.off(&slopes, &rows);
            if round > 0 && !(off < 0.5 * last) {
                if let Some((beta, v, multipliers)) = kept
                    && !(off < last)
                {
                    (self.beta, self.v, self.multipliers) = (beta, v, multipliers);
                }
                return Ok(Settled::Yes);
            }
            kept = Some((self.beta.clone(), self.v.clone(), self.multipliers));
            last = off;
            let missing: Vec<f64> = rows.iter().map(|row| row.missing).collect();
            let Some((step, mu)) = solved(&factor, &over, &missing, &slopes, self.largest)? else {
                return Ok(Settled::Interrupted);
            };
            if self.advance(&free, &step) {
                return Ok(Settled::Blocked);
            }
            for (row, mu) in rows.iter().zip(&mu) {
                self.multipliers.positive += mu * row.positive;
                self.multipliers.negative += mu * row.negative;
            }
        }
        Ok(Settled::Yes)
    }

    /// What the slopes of the free coefficients and the missing balance could cost.
    fn off(&self, slopes: &[f64], rows: &[Row]) -> f64 {
        let Multipliers { positive, negative } = self.multipliers;
        let price = positive.abs().max(negative.abs());
        // A coefficient that was let go is still 0: its slope counts as much as the others'.
        let size = self.beta.iter().fold(f64::MIN_POSITIVE, |size, beta| size.max(beta.abs()));
        let slopes: f64 = slopes.iter().map(|slope| slope.abs()).sum();
        slopes * size + rows.iter().map(|row| row.missing.abs() * price).sum::<f64>()
    }

    /// Moves the free coefficients along a step as far as the first bound or the kink, and says whether there was one.
    fn advance(&mut self, free: &[usize], step: &[f64]) -> bool {
        let (mut length, mut blocking) = (1.0, None);
        for (&i, &by) in free.iter().zip(step) {
            let room = self.room(i, by);
            if by != 0.0 && room < length * by.abs() {
                (length, blocking) = (room / by.abs(), Some(i));
            }
        }
        let growth = free
            .iter()
            .zip(step)
            .map(|(&i, by)| if self.places[i] == Place::Negative { -by } else { *by })
            .sum::<f64>();
        if let (Balance::Sizes { most, .. }, false) = (self.problem.balance(), self.tight) {
            let slack = most - self.beta.iter().map(|beta| beta.abs()).sum::<f64>();
            if growth > 0.0 && slack < length * growth {
                (length, blocking) = (slack.max(0.0) / growth, None);
                self.tight = true;
            }
        }
        self.stuck = length == 0.0;
        if let (true, Some(i)) = (self.stuck, blocking) {
            self.refused[i] = self.refused[i].saturating_add(1);
        }
        let mut met = length < 1.0;
        let mut moved = vec![DoubleDouble::ZERO; free.len()];
        for ((&i, &by), moved) in free.iter().zip(step).zip(&mut moved) {
            let old = self.beta[i];
            let (low, high) = self.range(i);
            let new = (old + length * by).clamp(low, high);
            let new = if blocking == Some(i) { if by > 0.0 { high } else { low } } else { new };
            self.beta[i] = new;
            *moved = DoubleDouble::from(new) - old;
            if (by < 0.0 && new == low) || (by > 0.0 && new == high) {
                self.places[i] = Place::Held;
                met = true;
            }
        }
        for (&j, moved) in free.iter().zip(&moved).filter(|(_, moved)| moved.hi != 0.0) {
            add_transposed_products(self.k.column(j), &[*moved], &mut self.v);
        }
        met
    }

    fn range(&self, i: usize) -> (f64, f64) {
        match self.places[i] {
            Place::Positive => (0.0, self.problem.upper()[i]),
            Place::Negative => (self.problem.lower()[i], 0.0),
            Place::Held => (self.beta[i], self.beta[i]),
        }
    }

    fn room(&self, i: usize, by: f64) -> f64 {
        let (low, high) = self.range(i);
        if by > 0.0 { high - self.beta[i] } else { self.beta[i] - low }
    }

    /// Leans the slopes that rounding has left to the side where they cost less: a coefficient far below its bound loses
    /// more by a slope that would raise it than by one that would lower it. Kept only if it helps.
    fn lean(&mut self, meter: &mut Meter<'_>) -> Result<()> {
        let free = self.free();
        let before = (self.beta.clone(), self.places.clone(), self.v.clone(), self.multipliers);
        let cost = self.cost(&free);
        let slope = |i: usize| self.slope(i, self.places[i] == Place::Positive).value().abs();
        let left = free.iter().fold(0.0, |most: f64, &i| most.max(slope(i)));
        for &i in &free {
            let (low, high) = self.range(i);
            let (below, above) = (self.beta[i] - low, high - self.beta[i]);
            self.aims[i] = if above > 8.0 * below {
                LEAN * left
            } else if below > 8.0 * above {
                -LEAN * left
            } else {
                0.0
            };
        }
        let settled = matches!(self.settle(meter)?, Settled::Yes);
        self.aims.fill(0.0);
        if !settled || !(self.cost(&free) < cost) {
            (self.beta, self.places, self.v, self.multipliers) = before;
        }
        Ok(())
    }

    /// What the slopes of free coefficients cost in the duality gap.
    fn cost(&self, free: &[usize]) -> f64 {
        let one = |&i: &usize| {
            let (low, high) = self.range(i);
            let slope = self.slope(i, self.places[i] == Place::Positive).value();
            let ridge = self.problem.ridge(i);
            let room = if slope > 0.0 { self.beta[i] - low } else { high - self.beta[i] };
            let by = if ridge > 0.0 { room.min(slope.abs() / ridge) } else { room };
            slope.abs() * by
        };
        free.iter().map(one).sum()
    }

    /// Frees the held coefficients that gain most by moving; false if none does.
    fn let_go(&mut self) -> bool {
        self.price_sides_without_free();
        let noise = self.noise();
        if self.tight && self.multipliers.rho() > noise {
            // A tube of negative width: larger sizes would not help.
            self.price_alike();
            self.tight = false;
            return true;
        }
        let held =
            (0..self.beta.len()).filter(|&i| self.places[i] == Place::Held && self.refused[i] < REFUSALS);
        let gains: Vec<(usize, Place, f64)> = held.filter_map(|i| self.gain(i)).collect();
        let most = gains.iter().fold(0.0, |most: f64, gain| most.max(gain.2));
        if !(most > noise) {
            return false;
        }
        let mut enough = gains.into_iter().filter(|gain| gain.2 > SHARE * most);
        if self.stuck {
            // The first one: no cycle goes round twice.
            enough.next().into_iter().for_each(|(i, place, _)| self.places[i] = place);
        } else {
            enough.for_each(|(i, place, _)| self.places[i] = place);
        }
        true
    }

    /// Without a tube both sides have the same multiplier.
    fn price_alike(&mut self) {
        let bias = self.multipliers.bias();
        self.multipliers = Multipliers { positive: bias, negative: bias };
    }

    /// A side on which no coefficient is free has a multiplier that the equations do not give.
    fn price_sides_without_free(&mut self) {
        let has = |place| self.places.contains(&place);
        let (positive, negative) = (has(Place::Positive), has(Place::Negative));
        let v: Vec<f64> = self.v.iter().map(|v| v.value()).collect();
        let apart = match self.problem.balance() {
            Balance::Open => return,
            Balance::Total(_) => false,
            Balance::Sides { .. } => true,
            Balance::Sizes { .. } => self.tight,
        };
        if (apart && positive && negative) || (!apart && (positive || negative)) {
            return;
        }
        let best = best_multipliers(self.problem, &v);
        if !positive {
            self.multipliers.positive = best.positive;
        }
        if !negative {
            self.multipliers.negative = best.negative;
        }
    }

    /// What slopes are taken for rounding: those that the free coefficients have left, and a few units of the last place.
    fn noise(&self) -> f64 {
        let left =
            self.free().into_iter().map(|i| self.slope(i, self.places[i] == Place::Positive).value().abs());
        let terms = (0..self.beta.len()).map(|i| self.v[i].hi.abs().max(self.problem.above()[i].abs()));
        let scale =
            terms.fold(self.multipliers.positive.abs().max(self.multipliers.negative.abs()), f64::max);
        left.fold(4.0 * f64::EPSILON * scale, f64::max)
    }

    /// Where a held coefficient would go, and the slope that takes it there.
    fn gain(&self, i: usize) -> Option<(usize, Place, f64)> {
        let (beta, upper, lower) = (self.beta[i], self.problem.upper()[i], self.problem.lower()[i]);
        let rising = self.slope(i, true).value();
        let falling = self.slope(i, false).value();
        let (place, gain) = if beta > 0.0 {
            (Place::Positive, rising)
        } else if beta < 0.0 {
            (Place::Negative, -falling)
        } else if upper > 0.0 && rising < 0.0 {
            (Place::Positive, -rising)
        } else if lower < 0.0 {
            (Place::Negative, falling)
        } else {
            return None;
        };
        (gain > 0.0).then_some((i, place, gain))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::Control;

    fn improved(k: &Matrix, problem: &DualProblem, start: &[f64], free: &[bool]) -> End {
        let mut meter = Control::default().start(1000);
        let shift = vec![DoubleDouble::ZERO; start.len()];
        improve(k, problem, &shift, start, free, 20, &mut meter).unwrap()
    }

    #[test]
    fn free_coefficients_settle_in_one_round() {
        // minimise ½(2β₀² + 3β₁²) − β₀ + β₁ with β₀ + β₁ = 0: β₀ = 2/5.
        let k = Matrix::from_rows(&[2.0, 0.0, 0.0, 3.0], 2, 2).unwrap();
        let problem =
            DualProblem::new(vec![0.0, -1.0], vec![1.0, 0.0], vec![-1.0, 1.0], Balance::Total(0.0)).unwrap();
        let end = improved(&k, &problem, &[0.1, -0.1], &[true, true]);
        assert!((end.beta[0] - 0.4).abs() <= 1e-16 && end.beta[1] == -end.beta[0]);
        assert!(end.settled.is_some_and(|noise| noise < 4e-15));
    }

    #[test]
    fn a_coefficient_that_is_held_where_it_does_not_belong_is_let_go() {
        let k = Matrix::from_rows(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], 3, 3).unwrap();
        let problem =
            DualProblem::new(vec![0.0; 3], vec![1.0; 3], vec![0.0; 3], Balance::Total(1.0)).unwrap();
        let end = improved(&k, &problem, &[0.5, 0.5, 0.0], &[true, true, false]);
        assert!(end.beta.iter().all(|beta| (beta - 1.0 / 3.0).abs() < 1e-15), "{:?}", end.beta);
        // And from a corner, where nothing is free and the balance has no price yet.
        let end = improved(&k, &problem, &[1.0, 0.0, 0.0], &[false; 3]);
        assert!(end.beta.iter().all(|beta| (beta - 1.0 / 3.0).abs() < 1e-15), "{:?}", end.beta);
    }

    #[test]
    fn a_step_ends_at_the_first_bound() {
        // The second coefficient would be 4/5 but may be ½ at most.
        let k = Matrix::from_rows(&[4.0, 0.0, 0.0, 1.0], 2, 2).unwrap();
        let problem =
            DualProblem::new(vec![0.0; 2], vec![1.0, 0.5], vec![0.0; 2], Balance::Total(1.0)).unwrap();
        let end = improved(&k, &problem, &[0.6, 0.4], &[true, true]);
        assert_eq!(end.beta, [0.5, 0.5]);
    }

    #[test]
    fn a_singular_matrix_has_a_solution_all_the_same() {
        // Four points on a line, two of each sign, linear kernel: rank 1 and two balances.
        let x: [f64; 4] = [1.0, 2.0, -1.0, -3.0];
        let values: Vec<f64> = (0..16).map(|at| x[at / 4] * x[at % 4]).collect();
        let k = Matrix::from_rows(&values, 4, 4).unwrap();
        let (lower, upper) = (vec![0.0, 0.0, -1.0, -1.0], vec![1.0, 1.0, 0.0, 0.0]);
        let balance = Balance::Sides { positive: 1.0, negative: 1.0 };
        let problem = DualProblem::new(lower, upper, vec![0.0; 4], balance).unwrap();
        let end = improved(&k, &problem, &[0.5, 0.5, -0.5, -0.5], &[true; 4]);
        // The hulls are nearest at 1 and −1.
        assert_eq!(end.beta, [1.0, 0.0, -1.0, 0.0]);
    }
}
