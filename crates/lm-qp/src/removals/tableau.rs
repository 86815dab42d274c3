//! What every slope and every free coefficient of a solution does when others are moved: one table for all removals.
//!
//! # Problem
//! The dual problem without an example, from the solution with it, where many coefficients are free.
//! # Method
//! As long as the free coefficients `F` stay free and the others `N` at their ends, optimality is a linear system. Its solution is
//! tabulated once: how the free coefficients and the slopes of the others answer to the slopes of the free ones and to the
//! coefficients of the others,
//! ```text
//! P = (K_FF + R)⁻¹, bordered by the balance     H = P K_FN + p 1ᵗ     S = K_NN − K_NF H − 1 rᵗ
//! δβ_F    = P·δs_F  − H·δβ_N
//! δs_N    = Hᵗ·δs_F + S·δβ_N
//! ```
//! A removal asks for a coefficient of 0. Free coefficients that leave their bounds are then held at them, and held ones whose
//! slopes take the wrong sign are set free, all at a time, until nothing changes; each round is a system of as many equations as
//! there are such coefficients. It need not end: the point it comes to is a start for pairs, and how good it is, is judged there.
//! # Cost
//! `O(n³)` operations and `8n²` bytes once; `O(nk + k³)` a round for `k` coefficients that change places.
//! # Reference
//! Cauwenberghs & Poggio (2001) for removing an example; Hintermüller, Ito & Kunisch (2003) for changing all places at a time.

use lm_core::linalg::{Cholesky, Matrix, product, transposed_product};
use lm_core::{Columns, Gram, Result};

use super::Rows;
use super::bound::Point;
use crate::problem::{Balance, DualProblem};

/// Rounds of changing places.
const ROUNDS: usize = 25;

/// Coefficients that may change places.
const MOST: usize = 120;

/// What counts as 0, as a share of the largest coefficient or slope.
const NOTHING: f64 = 1e-11;

/// The table of a solution.
#[derive(Debug, Clone)]
pub(super) struct Tableau {
    /// Whether a coefficient is free.
    free: Vec<bool>,
    /// Column `j`: what moving `j` does to everything, `n` numbers.
    columns: Matrix,
    /// The slopes of each coefficient at the solution, without those that the problem adds.
    gradient: Vec<f64>,
}

/// A coefficient that is not where it is in the solution on all examples.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Change {
    row: usize,
    place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Place {
    /// It was free and is held at this value.
    Held(f64),
    /// It was held and is free on the side up to this end, which may be either bound.
    Freed(f64),
    /// It was held and is held at this other end.
    Across(f64),
}

impl Tableau {
    /// The table of a solution; none if no coefficient is free, or the free ones have no inverse.
    pub(super) fn new(rows: &Rows, problem: &DualProblem, point: &mut Point) -> Result<Option<Self>> {
        let border = match problem.balance() {
            Balance::Open => false,
            Balance::Total(_) => true,
            Balance::Sides { .. } | Balance::Sizes { .. } => return Ok(None),
        };
        let n = point.beta.len();
        let (low, high) = (problem.lower(), problem.upper());
        let free: Vec<bool> =
            (0..n).map(|i| point.beta[i] != 0.0 && point.beta[i] != low[i] && point.beta[i] != high[i]).collect();
        let (inside, outside): (Vec<usize>, Vec<usize>) = (0..n).partition(|&i| free[i]);
        let Some(inverse) = Inverse::new(rows, problem, &inside, border)? else { return Ok(None) };
        inverse.settle(rows, problem, point, &inside);
        let columns = inverse.columns(rows, &inside, &outside)?;
        let mut tableau = Self { free, columns, gradient: Vec::new() };
        tableau.gradient = tableau.slopes(problem, point, &inside, border);
        Ok(Some(tableau))
    }

    /// The gradient with the bias that makes the slopes of the free coefficients vanish.
    fn slopes(&self, problem: &DualProblem, point: &Point, inside: &[usize], border: bool) -> Vec<f64> {
        let own = |i: usize| point.scores[i] + problem.ridge(i) * point.beta[i];
        let slope = |i: usize| if point.beta[i] > 0.0 { problem.above()[i] } else { problem.below()[i] };
        let off: f64 = inside.iter().map(|&i| own(i) + slope(i)).sum();
        let bias = if border { -off / inside.len() as f64 } else { 0.0 };
        (0..point.beta.len()).map(|i| own(i) + bias).collect()
    }

    /// The coefficients without an example, as far as changes of places lead.
    pub(super) fn without(&self, problem: &DualProblem, beta: &[f64], removed: usize) -> Vec<f64> {
        let n = beta.len();
        let size = beta.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        let slope = problem.above().iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        let (little, flat) = (NOTHING * size, NOTHING * slope.max(f64::MIN_POSITIVE));
        let mut changes = Vec::new();
        if self.free[removed] {
            changes.push(Change { row: removed, place: Place::Held(0.0) });
        }
        let mut answer = vec![0.0; n];
        let mut moves = Vec::new();
        for _ in 0..ROUNDS {
            let Some(found) = self.answered(beta, removed, &changes, &mut answer) else { break };
            moves = found;
            let before = changes.clone();
            let mut kept = Vec::with_capacity(changes.len());
            for (change, &by) in changes.iter().zip(&moves) {
                kept.extend(self.revised(problem, beta, removed, *change, by, answer[change.row], (little, flat)));
            }
            let changed: Vec<usize> = changes.iter().map(|change| change.row).collect();
            for row in (0..n).filter(|row| *row != removed && !changed.contains(row)) {
                kept.extend(self.change(problem, beta[row], row, answer[row], (little, flat)));
            }
            if kept == before || kept.len() > MOST {
                break;
            }
            changes = kept;
            moves.clear();
        }
        self.point(problem, beta, removed, (&changes, &moves), &answer)
    }

    /// What the changes move, and what everything answers; none where the equations have no solution.
    fn answered(
        &self,
        beta: &[f64],
        removed: usize,
        changes: &[Change],
        answer: &mut [f64],
    ) -> Option<Vec<f64>> {
        answer.fill(0.0);
        let mut add = |row: usize, by: f64| {
            answer.iter_mut().zip(self.columns.column(row)).for_each(|(sum, value)| *sum += by * value);
        };
        if !self.free[removed] {
            add(removed, -beta[removed]);
        }
        for change in changes {
            if let Place::Across(end) = change.place {
                add(change.row, end - beta[change.row]);
            }
        }
        let unknown: Vec<&Change> =
            changes.iter().filter(|change| !matches!(change.place, Place::Across(_))).collect();
        let k = unknown.len();
        let mut right: Vec<f64> = unknown.iter().map(|change| self.wanted(beta, change) - answer[change.row]).collect();
        let mut system: Vec<f64> = Vec::with_capacity(k * k);
        for row in &unknown {
            system.extend(unknown.iter().map(|column| self.columns[(row.row, column.row)]));
        }
        if !eliminated(&mut system, &mut right) {
            return None;
        }
        for (change, &by) in unknown.iter().zip(&right) {
            answer.iter_mut().zip(self.columns.column(change.row)).for_each(|(sum, value)| *sum += by * value);
        }
        let mut solved = right.into_iter();
        let by = |change: &Change| match change.place {
            Place::Across(end) => Some(end - beta[change.row]),
            Place::Held(_) | Place::Freed(_) => solved.next(),
        };
        changes.iter().map(by).collect()
    }

    /// What the answer of a changed coefficient is to be.
    fn wanted(&self, beta: &[f64], change: &Change) -> f64 {
        match change.place {
            Place::Held(value) => value - beta[change.row],
            Place::Freed(slope) | Place::Across(slope) => -(self.gradient[change.row] + slope),
        }
    }

    /// The change that an unchanged coefficient calls for.
    fn change(
        &self,
        problem: &DualProblem,
        beta: f64,
        row: usize,
        answer: f64,
        (little, flat): (f64, f64),
    ) -> Option<Change> {
        let place = if self.free[row] {
            let (low, high) = side(problem, row, beta);
            let value = beta + answer;
            if value < low - little {
                Place::Held(low)
            } else if value > high + little {
                Place::Held(high)
            } else {
                return None;
            }
        } else {
            let gradient = self.gradient[row] + answer;
            let (above, below) = (problem.above()[row], problem.below()[row]);
            let (rising, falling) = (gradient + above, gradient + below);
            if beta >= 0.0 && beta < problem.upper()[row] && rising < -flat {
                Place::Freed(above)
            } else if beta <= 0.0 && beta > problem.lower()[row] && falling > flat {
                Place::Freed(below)
            } else if beta > 0.0 && rising > flat {
                Place::Freed(above)
            } else if beta < 0.0 && falling < -flat {
                Place::Freed(below)
            } else {
                return None;
            }
        };
        Some(Change { row, place })
    }

    /// What becomes of a change: it stays, is another one, or none.
    fn revised(
        &self,
        problem: &DualProblem,
        beta: &[f64],
        removed: usize,
        change: Change,
        by: f64,
        answer: f64,
        (little, flat): (f64, f64),
    ) -> Option<Change> {
        let Change { row, place } = change;
        if row == removed {
            return Some(change);
        }
        match place {
            Place::Held(value) => {
                // The slope of a coefficient at its lower end is not negative, at its upper end not positive.
                let (low, _) = side(problem, row, beta[row]);
                let right = if value == low { by >= -flat } else { by <= flat };
                right.then_some(change)
            }
            Place::Freed(slope) => {
                let positive = if beta[row] == 0.0 { slope == problem.above()[row] } else { beta[row] > 0.0 };
                let (low, high) =
                    if positive { (0.0, problem.upper()[row]) } else { (problem.lower()[row], 0.0) };
                let value = beta[row] + by;
                let end = if value < low - little {
                    low
                } else if value > high + little {
                    high
                } else {
                    return Some(change);
                };
                (end != beta[row]).then_some(Change { row, place: Place::Across(end) })
            }
            Place::Across(end) => {
                let positive = end > 0.0 || beta[row] > 0.0;
                let slope = if positive { problem.above()[row] } else { problem.below()[row] };
                let slope_there = self.gradient[row] + slope + answer;
                let right = if end > beta[row] { slope_there <= flat } else { slope_there >= -flat };
                Some(if right { change } else { Change { row, place: Place::Freed(slope) } })
            }
        }
    }

    /// The coefficients that the changes lead to, within their bounds.
    fn point(
        &self,
        problem: &DualProblem,
        beta: &[f64],
        removed: usize,
        (changes, moves): (&[Change], &[f64]),
        answer: &[f64],
    ) -> Vec<f64> {
        let mut point: Vec<f64> = (0..beta.len())
            .map(|row| {
                let (low, high) = side(problem, row, beta[row]);
                if self.free[row] { (beta[row] + answer[row]).clamp(low, high) } else { beta[row] }
            })
            .collect();
        for (change, by) in changes.iter().zip(moves) {
            let row = change.row;
            point[row] = match change.place {
                Place::Held(value) | Place::Across(value) => value,
                Place::Freed(_) => (beta[row] + by).clamp(problem.lower()[row], problem.upper()[row]),
            };
        }
        point[removed] = 0.0;
        point
    }
}

/// The ends of the side that a coefficient is on.
fn side(problem: &DualProblem, row: usize, beta: f64) -> (f64, f64) {
    if beta > 0.0 { (0.0, problem.upper()[row].max(0.0)) } else { (problem.lower()[row].min(0.0), 0.0) }
}

/// The inverse over the free coefficients.
struct Inverse {
    matrix: Matrix,
    /// The border: the last column of the inverse, and its last entry.
    border: Option<(Vec<f64>, f64)>,
}

impl Inverse {
    fn new(rows: &Rows, problem: &DualProblem, inside: &[usize], border: bool) -> Result<Option<Self>> {
        let m = inside.len();
        if m == 0 {
            return Ok(None);
        }
        // The square of the balance changes nothing where the balance is kept.
        let square = if border { rows.largest } else { 0.0 };
        let mut matrix = Matrix::zeros(m, m)?;
        for (column, &j) in inside.iter().enumerate() {
            let row = rows.matrix.row(j);
            let to = matrix.column_mut(column);
            to.iter_mut().zip(inside).for_each(|(to, &i)| *to = row[i] + square);
            to[column] += problem.ridge(j);
        }
        let Some(factor) = Cholesky::factor(matrix)? else { return Ok(None) };
        let mut matrix = factor.inverse()?;
        if !border {
            return Ok(Some(Self { matrix, border: None }));
        }
        let mut last = vec![1.0; m];
        factor.solve(&mut last)?;
        let total: f64 = last.iter().sum();
        for column in 0..m {
            let by = last[column] / total;
            matrix.column_mut(column).iter_mut().zip(&last).for_each(|(to, one)| *to -= by * one);
        }
        last.iter_mut().for_each(|value| *value /= total);
        let sound = matrix.values().iter().chain(&last).all(|value| value.is_finite());
        Ok(sound.then_some(Self { matrix, border: Some((last, square - 1.0 / total)) }))
    }

    /// Takes out what is left of the slopes of the free coefficients, where that leads out of no bound.
    fn settle(&self, rows: &Rows, problem: &DualProblem, point: &mut Point, inside: &[usize]) {
        for _ in 0..2 {
            let slope = |&i: &usize| {
                let own = if point.beta[i] > 0.0 { problem.above()[i] } else { problem.below()[i] };
                point.scores[i] + problem.ridge(i) * point.beta[i] + own
            };
            let slopes: Vec<f64> = inside.iter().map(slope).collect();
            let mut step = vec![0.0; inside.len()];
            for (column, slope) in slopes.iter().enumerate() {
                step.iter_mut().zip(self.matrix.column(column)).for_each(|(step, p)| *step -= slope * p);
            }
            let within = |(&i, step): (&usize, &f64)| {
                let (low, high) = side(problem, i, point.beta[i]);
                point.beta[i] + step > low && point.beta[i] + step < high
            };
            if !inside.iter().zip(&step).all(within) {
                return;
            }
            let before = point.beta.clone();
            inside.iter().zip(&step).for_each(|(&i, step)| point.beta[i] += step);
            rows.follow(point, &before);
        }
    }

    /// The columns of the table.
    fn columns(&self, rows: &Rows, inside: &[usize], outside: &[usize]) -> Result<Matrix> {
        let n = inside.len() + outside.len();
        let mut across = Matrix::zeros(inside.len(), outside.len())?;
        for (column, &j) in outside.iter().enumerate() {
            let row = rows.matrix.row(j);
            across.column_mut(column).iter_mut().zip(inside).for_each(|(to, &i)| *to = row[i]);
        }
        let mut answers = product(&self.matrix, &across)?;
        if let Some((last, _)) = &self.border {
            for column in 0..outside.len() {
                answers.column_mut(column).iter_mut().zip(last).for_each(|(to, p)| *to += p);
            }
        }
        let explained = transposed_product(&across, &answers)?;
        let mut table = Matrix::zeros(n, n)?;
        for (column, &j) in inside.iter().enumerate() {
            let to = table.column_mut(j);
            inside.iter().zip(self.matrix.column(column)).for_each(|(&i, p)| to[i] = *p);
            outside.iter().enumerate().for_each(|(at, &i)| to[i] = answers[(column, at)]);
        }
        for (column, &j) in outside.iter().enumerate() {
            let row = rows.matrix.row(j);
            let price = self.border.as_ref().map_or(0.0, |(last, corner)| {
                corner + last.iter().zip(across.column(column)).map(|(p, k)| p * k).sum::<f64>()
            });
            let to = table.column_mut(j);
            inside.iter().zip(answers.column(column)).for_each(|(&i, h)| to[i] = -h);
            outside.iter().enumerate().for_each(|(at, &i)| to[i] = row[i] - explained[(at, column)] - price);
        }
        Ok(table)
    }
}

/// Gaussian elimination with the largest pivot of each column: the solution in place of the right side; false if the matrix
/// has no inverse.
fn eliminated(system: &mut [f64], right: &mut [f64]) -> bool {
    let k = right.len();
    for step in 0..k {
        let size = |row: usize| system[row * k + step].abs();
        let pivot = (step..k).fold(step, |best, row| if size(row) > size(best) { row } else { best });
        if !(size(pivot) > 0.0 && size(pivot).is_finite()) {
            return false;
        }
        if pivot != step {
            (0..k).for_each(|column| system.swap(pivot * k + column, step * k + column));
            right.swap(pivot, step);
        }
        for row in step + 1..k {
            let by = system[row * k + step] / system[step * k + step];
            if by != 0.0 {
                (step..k).for_each(|column| system[row * k + column] -= by * system[step * k + column]);
                right[row] -= by * right[step];
            }
        }
    }
    for step in (0..k).rev() {
        let known: f64 = (step + 1..k).map(|column| system[step * k + column] * right[column]).sum();
        right[step] = (right[step] - known) / system[step * k + step];
    }
    right.iter().all(|value| value.is_finite())
}
