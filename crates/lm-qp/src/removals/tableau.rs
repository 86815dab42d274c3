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
//! The coefficient that is removed goes to 0 on a way on which everything answers linearly, until a free coefficient meets a
//! bound and is held there, or the slope of a held one changes its sign and it is set free. The answers from there on follow from
//! the table and a system of as many equations as there are such changes. Where the way ends is a start for pairs, exact but for
//! rounding; how good it is, is judged there.
//! # Cost
//! `O(n³)` operations and `8n²` bytes once; `O(nk + k³)` a change for the `k`-th one.
//! # Reference
//! Cauwenberghs & Poggio (2001) for removing an example; Hastie, Rosset, Tibshirani & Zhu (2004) for paths that are linear in parts.

use lm_core::Result;
use lm_core::linalg::Matrix;

use super::bound::Point;
use super::inverse::Inverse;
use super::rows::Rows;
use crate::problem::{Balance, DualProblem};

/// Changes of places on the way of one removal.
const MOST: usize = 400;

/// The smallest pivot that counts, as a share of the largest.
const PIVOT: f64 = 1e-11;

/// What slopes of coefficients that depend on others are taken for rounding.
const FLAT: f64 = 1e-11;

/// The table of a solution.
#[derive(Debug, Clone)]
pub(super) struct Tableau {
    /// Whether a coefficient is free.
    free: Vec<bool>,
    /// Column `j`: what moving `j` does to everything, `n` numbers.
    columns: Matrix,
    /// The coefficients that are free, and the gradients of the others.
    values: Vec<f64>,
    /// Where these may be without a change of places.
    ranges: Vec<(f64, f64)>,
}

/// A coefficient that is not where it is in the solution on all examples.
#[derive(Debug, Clone, Copy)]
struct Change {
    row: usize,
    place: Place,
    /// By how much it is moved: the slope of one that is held, the coefficient of one that is freed.
    moved: f64,
}

#[derive(Debug, Clone, Copy)]
enum Place {
    /// The example that is removed, on its way to 0.
    Leaving,
    /// It was free and is held at its lower or upper end.
    Held { low: bool },
    /// It was held and is free, to move up or down by this much at most.
    Freed { rising: bool, room: f64 },
    /// It was held and is held at the other end of its side.
    Across { rising: bool, room: f64 },
}

/// What happens first on the way.
#[derive(Clone, Copy)]
enum Event {
    /// Nothing: the way is done.
    End,
    /// A value meets the end of its range.
    Met { row: usize, low: bool },
    /// A changed coefficient is back where it was.
    Back { at: usize },
    /// A freed coefficient meets the end beyond.
    Beyond { at: usize },
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
        let between: Vec<usize> = (0..n).filter(|&i| is_between(problem, i, point.beta[i])).collect();
        let Some((inside, inverse)) = Inverse::of_independent(rows, problem, between, border)? else {
            return Ok(None);
        };
        let mut free = vec![false; n];
        inside.iter().for_each(|&i| free[i] = true);
        let outside: Vec<usize> = (0..n).filter(|&i| !free[i]).collect();
        inverse.settle(rows, problem, point, &inside);
        let columns = inverse.columns(rows, problem, &inside, &outside)?;
        let gradient = gradient(problem, point, &inside, border);
        let values = (0..n).map(|i| if free[i] { point.beta[i] } else { gradient[i] }).collect();
        let ranges = (0..n).map(|i| range(problem, i, point.beta[i], free[i])).collect();
        Ok(Some(Self { free, columns, values, ranges }))
    }

    /// The way of an example out of the machine, as far as changes of places lead.
    pub(super) fn remove(&self, problem: &DualProblem, beta: &[f64], removed: usize) -> Way<'_> {
        let mut way = Way::new(self, removed, beta[removed]);
        for _ in 0..MOST {
            if !way.aim() {
                break;
            }
            let (length, event) = way.first();
            way.go(length);
            match event {
                Event::End => break,
                Event::Back { at } => {
                    let change = way.changes.swap_remove(at);
                    way.ranges[change.row] = self.ranges[change.row];
                }
                Event::Beyond { at } => way.hold_beyond(at),
                Event::Met { row, low } => way.change(row, self.place(problem, beta[row], row, low)),
            }
        }
        way
    }

    /// What becomes of a coefficient whose value meets an end of its range.
    fn place(&self, problem: &DualProblem, beta: f64, row: usize, low: bool) -> Place {
        if self.free[row] {
            return Place::Held { low };
        }
        let (lower, upper) = (problem.lower()[row], problem.upper()[row]);
        // A gradient at its lower end lets the coefficient rise, one at its upper end lets it fall.
        let end = match (low, beta > 0.0, beta < 0.0) {
            (true, _, true) | (false, true, _) => 0.0,
            (true, _, false) => upper,
            (false, false, _) => lower,
        };
        Place::Freed { rising: low, room: (end - beta).abs() }
    }
}

/// The gradient with the bias that makes the slopes of the free coefficients vanish.
fn gradient(problem: &DualProblem, point: &Point, inside: &[usize], border: bool) -> Vec<f64> {
    let own = |i: usize| point.scores[i] + problem.ridge(i) * point.beta[i];
    let slope = |i: usize| if point.beta[i] > 0.0 { problem.above()[i] } else { problem.below()[i] };
    let off: f64 = inside.iter().map(|&i| own(i) + slope(i)).sum();
    let bias = if border { -off / inside.len() as f64 } else { 0.0 };
    (0..point.beta.len()).map(|i| own(i) + bias).collect()
}

fn is_between(problem: &DualProblem, row: usize, beta: f64) -> bool {
    beta != 0.0 && beta != problem.lower()[row] && beta != problem.upper()[row]
}

/// Where a free coefficient, or the gradient of a held one, may be.
fn range(problem: &DualProblem, row: usize, beta: f64, free: bool) -> (f64, f64) {
    if free {
        return side(problem, row, beta);
    }
    let (above, below) = (-problem.above()[row], -problem.below()[row]);
    let flat = FLAT * above.abs().max(below.abs()).max(1.0);
    if is_between(problem, row, beta) {
        // It depends on free ones: as long as these are free its slope is 0 but for rounding.
        let own = if beta > 0.0 { above } else { below };
        (own - flat, own + flat)
    } else if beta > 0.0 {
        (f64::NEG_INFINITY, above + flat)
    } else if beta < 0.0 {
        (below - flat, f64::INFINITY)
    } else {
        let low = if problem.upper()[row] > 0.0 { above - flat } else { f64::NEG_INFINITY };
        let high = if problem.lower()[row] < 0.0 { below + flat } else { f64::INFINITY };
        (low, high)
    }
}

/// The way of a coefficient to 0, on which everything answers.
pub(super) struct Way<'a> {
    tableau: &'a Tableau,
    removed: usize,
    /// What the coefficient still has to lose.
    left: f64,
    values: Vec<f64>,
    /// Infinite for those that have changed places.
    ranges: Vec<(f64, f64)>,
    changes: Vec<Change>,
    /// How values and changed coefficients move with the way that is left.
    rates: Vec<f64>,
    turns: Vec<f64>,
}

impl<'a> Way<'a> {
    fn new(tableau: &'a Tableau, removed: usize, beta: f64) -> Self {
        let mut way = Self {
            tableau,
            removed,
            left: beta,
            values: tableau.values.clone(),
            ranges: tableau.ranges.clone(),
            changes: Vec::new(),
            rates: vec![0.0; tableau.values.len()],
            turns: Vec::new(),
        };
        way.ranges[removed] = (f64::NEG_INFINITY, f64::INFINITY);
        if tableau.free[removed] {
            way.changes.push(Change { row: removed, place: Place::Leaving, moved: 0.0 });
        }
        way
    }

    /// Takes a coefficient from its place to another.
    fn change(&mut self, row: usize, place: Place) {
        self.ranges[row] = (f64::NEG_INFINITY, f64::INFINITY);
        match self.changes.iter_mut().find(|change| change.row == row) {
            // One that was held beyond is free again.
            Some(change) => {
                if let Place::Across { rising, room } = change.place {
                    change.place = Place::Freed { rising, room };
                }
            }
            None => self.changes.push(Change { row, place, moved: 0.0 }),
        }
    }

    /// Holds a freed coefficient at the other end, until its gradient lets it back.
    fn hold_beyond(&mut self, at: usize) {
        let change = &mut self.changes[at];
        if let Place::Freed { rising, room } = change.place {
            change.place = Place::Across { rising, room };
            change.moved = if rising { room } else { -room };
            let value = self.values[change.row];
            self.ranges[change.row] =
                if rising { (f64::NEG_INFINITY, value) } else { (value, f64::INFINITY) };
        }
    }

    /// Whether the way was gone to its end.
    pub(super) fn is_done(&self) -> bool {
        self.left == 0.0
    }

    /// The coefficients where the way has ended, within their bounds; that of the example that is removed is 0.
    pub(super) fn coefficients(&self, problem: &DualProblem, beta: &[f64]) -> Vec<f64> {
        let free = &self.tableau.free;
        let mut point: Vec<f64> =
            (0..beta.len()).map(|i| if free[i] { self.values[i] } else { beta[i] }).collect();
        for change in &self.changes {
            if let Place::Freed { .. } | Place::Across { .. } = change.place {
                point[change.row] = beta[change.row] + change.moved;
            }
        }
        for (i, value) in point.iter_mut().enumerate() {
            let (low, high) = side(problem, i, *value);
            *value = value.clamp(low, high);
        }
        point[self.removed] = 0.0;
        point
    }

    /// The rows whose slopes are to vanish where the way has ended.
    pub(super) fn settled(&self) -> Vec<usize> {
        let changed = |row: &usize| self.changes.iter().any(|change| change.row == *row);
        let stayed = (0..self.values.len()).filter(|row| self.tableau.free[*row] && !changed(row));
        let freed = self.changes.iter().filter(|change| matches!(change.place, Place::Freed { .. }));
        stayed.chain(freed.map(|change| change.row)).collect()
    }

    /// Moves the coefficients so that these slopes vanish, one for each of the settled rows. False if nothing can be said.
    pub(super) fn correct(&mut self, settled: &[usize], slopes: &[f64]) -> bool {
        let tableau = self.tableau;
        self.rates.fill(0.0);
        for (&row, slope) in settled.iter().zip(slopes).filter(|(row, _)| tableau.free[**row]) {
            add(&mut self.rates, tableau.columns.column(row), -slope);
        }
        let slope = |row: usize| settled.iter().position(|&other| other == row).map_or(0.0, |at| slopes[at]);
        let aims: Vec<f64> = self
            .changes
            .iter()
            .map(|change| if tableau.free[change.row] { 0.0 } else { -slope(change.row) })
            .collect();
        if !self.answer(&aims) {
            return false;
        }
        add(&mut self.values, &self.rates, 1.0);
        for (change, turn) in self.changes.iter_mut().zip(&self.turns) {
            if let Place::Freed { .. } = change.place {
                change.moved += turn;
            }
        }
        true
    }

    /// Computes how everything moves until the next change; a coefficient that cannot be freed beside the others stays where
    /// it is. False if nothing can be said.
    fn aim(&mut self) -> bool {
        loop {
            self.rates.fill(0.0);
            if !self.tableau.free[self.removed] {
                add(&mut self.rates, self.tableau.columns.column(self.removed), -self.left);
            }
            let leaving = |change: &Change| matches!(change.place, Place::Leaving);
            let aims: Vec<f64> =
                self.changes.iter().map(|change| if leaving(change) { -self.left } else { 0.0 }).collect();
            if self.answer(&aims) {
                return true;
            }
            match self.changes.pop() {
                Some(change) if !leaving(&change) && change.moved == 0.0 => {}
                _ => return false,
            }
        }
    }

    /// Adds to the rates what brings the values of changed rows to these aims; false if the equations have no solution.
    fn answer(&mut self, aims: &[f64]) -> bool {
        let columns = &self.tableau.columns;
        let moving: Vec<usize> = (0..self.changes.len())
            .filter(|&at| !matches!(self.changes[at].place, Place::Across { .. }))
            .collect();
        let rows: Vec<usize> = moving.iter().map(|&at| self.changes[at].row).collect();
        let mut turns: Vec<f64> =
            moving.iter().map(|&at| aims[at] - self.rates[self.changes[at].row]).collect();
        let mut system = Vec::with_capacity(rows.len() * rows.len());
        for &row in &rows {
            system.extend(rows.iter().map(|&column| columns[(row, column)]));
        }
        if !eliminated(&mut system, &mut turns) {
            return false;
        }
        self.turns = vec![0.0; self.changes.len()];
        for ((&row, &at), &by) in rows.iter().zip(&moving).zip(&turns) {
            add(&mut self.rates, columns.column(row), by);
            self.turns[at] = by;
        }
        true
    }

    /// What happens first, and after which share of the way that is left.
    fn first(&self) -> (f64, Event) {
        let (mut length, mut event) = (1.0, Event::End);
        let mut meet = |share: f64, what: Event| {
            if share < length {
                (length, event) = (share.max(0.0), what);
            }
        };
        for (row, ((value, (low, high)), rate)) in
            self.values.iter().zip(&self.ranges).zip(&self.rates).enumerate()
        {
            let end = if *rate < 0.0 { low } else { high };
            let share = (end - value) / rate;
            if share < 1.0 && *rate != 0.0 {
                meet(share, Event::Met { row, low: *rate < 0.0 });
            }
        }
        for (at, (change, &turn)) in self.changes.iter().zip(&self.turns).enumerate() {
            match change.place {
                // The slope of a coefficient at its lower end is not negative, at its upper end not positive.
                Place::Held { low } if low == (turn < 0.0) && turn != 0.0 => {
                    meet(-change.moved / turn, Event::Back { at });
                }
                Place::Freed { rising, room } if turn != 0.0 => {
                    if rising == (turn < 0.0) {
                        meet(-change.moved / turn, Event::Back { at });
                    } else {
                        meet((room - change.moved.abs()) / turn.abs(), Event::Beyond { at });
                    }
                }
                _ => {}
            }
        }
        (length, event)
    }

    /// Goes a share of the way that is left.
    fn go(&mut self, share: f64) {
        add(&mut self.values, &self.rates, share);
        self.changes.iter_mut().zip(&self.turns).for_each(|(change, turn)| change.moved += share * turn);
        self.left *= 1.0 - share;
    }
}

fn add(to: &mut [f64], from: &[f64], by: f64) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += by * from);
}

/// The ends of the side that a coefficient is on.
pub(super) fn side(problem: &DualProblem, row: usize, beta: f64) -> (f64, f64) {
    if beta > 0.0 { (0.0, problem.upper()[row].max(0.0)) } else { (problem.lower()[row].min(0.0), 0.0) }
}

/// Gaussian elimination with the largest pivot of each column: the solution in place of the right side; false if the matrix
/// has no inverse.
fn eliminated(system: &mut [f64], right: &mut [f64]) -> bool {
    let k = right.len();
    let least = PIVOT * (0..k).fold(0.0, |most: f64, i| most.max(system[i * k + i].abs()));
    for step in 0..k {
        let size = |row: usize| system[row * k + step].abs();
        let pivot = (step..k).fold(step, |best, row| if size(row) > size(best) { row } else { best });
        if !(size(pivot) > least && size(pivot).is_finite()) {
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
