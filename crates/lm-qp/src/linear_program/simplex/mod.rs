//! The primal simplex method for variables with bounds.
//!
//! # Problem
//! ```text
//! minimise cᵗx   subject to l ≤ x ≤ u ,   s = A x ,   L ≤ s ≤ U
//! ```
//! # Method
//! Variables and row activities are one list; a basis is as many of them as there are rows, all others sit at a bound. From multipliers
//! that price the basic ones at 0 follow the prices of the others. The one that gains most for the length of its way is moved until a basic one, or it itself, comes to
//! a bound; those two change places. As long as basic variables are outside their bounds, the sum of what is missing is minimised instead.
//! Of the variables that stop a move at almost the same place, the one with the largest rate leaves. After many moves of length 0 the least
//! index enters and leaves, until something moves again.
//!
//! Columns and rows are scaled by powers of two. Basic activities need no arithmetic of their own, so that all work is in the inverse of
//! `kernel.rs`, which is made anew from time to time, and before anything is claimed.
//! # Cost
//! `k(m + n)` operations a move for `m` rows, `n` variables and `k` variables of the basis that are not activities, and `k³` every hundredth.
//! # Reference
//! Dantzig (1963); Harris (1973) for the weights of prices and the choice of what leaves; Bland (1977) for the least index.

mod prices;
mod scaling;

use lm_core::{Meter, Stop};

use self::scaling::{power_of_two_near, scaled};
use super::kernel::{Kernel, axpy};

/// What may be missing at a bound, and what a price may be on the wrong side, after scaling.
const TOLERANCE: f64 = 1e-9;

/// The smallest rate at which a basic variable counts as moving.
const PIVOT: f64 = 1e-9;

/// Moves between two inversions, and moves of length 0 before the least index takes over.
const FRESH: usize = 100;
const PATIENCE: usize = 500;

/// Where a variable or an activity is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Basic,
    Lower,
    Upper,
    /// At 0, where it has no bounds.
    Free,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum End {
    Optimal,
    /// The multipliers price every way to make the violation smaller.
    Infeasible,
    /// A direction along which the value falls without end, in the units of the caller.
    Unbounded(Vec<f64>),
    Stopped(Stop),
}

/// The scaled program with its present basis.
pub(crate) struct Simplex {
    m: usize,
    n: usize,
    /// The matrix row by row, and column by column.
    rows: Vec<f64>,
    columns: Vec<f64>,
    cost: Vec<f64>,
    /// Of the variables, then of the activities.
    lower: Vec<f64>,
    upper: Vec<f64>,
    x: Vec<f64>,
    place: Vec<Place>,
    /// The basic variables and the rows whose activities are not basic, as many of each.
    inside: Vec<usize>,
    tight: Vec<usize>,
    kernel: Kernel,
    /// What each row, each column and the costs were multiplied by.
    row_scale: Vec<f64>,
    column_scale: Vec<f64>,
    cost_scale: f64,
    /// What the variables were divided by besides, so that the largest bound is near 1.
    bound_scale: f64,
    /// About the squared length of the way that a unit of a variable makes, as far as it was seen since the weights began at 1: a price
    /// counts by that length.
    weight: Vec<f64>,
    multipliers: Vec<f64>,
    age: usize,
    still: usize,
}

/// The way of a move: the rate of every inside variable and of every activity.
struct Way {
    inside: Vec<f64>,
    activities: Vec<f64>,
}

impl Simplex {
    /// Starts with the activities as the basis and every variable at its bound nearest to 0.
    pub(crate) fn new(m: usize, cost: &[f64], matrix: Vec<f64>, bounds: (Vec<f64>, Vec<f64>)) -> Self {
        let n = cost.len();
        let mut rows = matrix;
        let scales = scaled(&mut rows, m, n);
        let mut columns = vec![0.0; m * n];
        for (i, row) in rows.chunks_exact(n.max(1)).enumerate() {
            row.iter().enumerate().for_each(|(j, value)| columns[j * m + i] = *value);
        }
        let factor = |v: usize| if v < n { 1.0 / scales.1[v] } else { scales.0[v - n] };
        let (mut lower, mut upper) = bounds;
        lower.iter_mut().enumerate().for_each(|(v, bound)| *bound *= factor(v));
        upper.iter_mut().enumerate().for_each(|(v, bound)| *bound *= factor(v));
        let finite = lower.iter().chain(&upper).filter(|bound| bound.is_finite());
        let largest = finite.fold(0.0_f64, |largest, bound| largest.max(bound.abs()));
        let bound_scale = if largest > 0.0 { power_of_two_near(largest) } else { 1.0 };
        lower.iter_mut().chain(&mut upper).for_each(|bound| *bound /= bound_scale);
        let mut cost: Vec<f64> = cost.iter().zip(&scales.1).map(|(cost, scale)| cost * scale).collect();
        // Prices are measured by the largest cost.
        let largest = cost.iter().fold(0.0_f64, |largest, cost| largest.max(cost.abs()));
        let cost_scale = if largest > 0.0 { 1.0 / power_of_two_near(largest) } else { 1.0 };
        cost.iter_mut().for_each(|cost| *cost *= cost_scale);
        let weight = vec![1.0; n + m];
        let (mut x, mut place) = (vec![0.0; n + m], vec![Place::Basic; n + m]);
        for v in 0..n {
            (x[v], place[v]) = match (lower[v].is_finite(), upper[v].is_finite()) {
                (true, true) if upper[v].abs() < lower[v].abs() => (upper[v], Place::Upper),
                (true, _) => (lower[v], Place::Lower),
                (false, true) => (upper[v], Place::Upper),
                (false, false) => (0.0, Place::Free),
            };
        }
        let (row_scale, column_scale) = scales;
        let (inside, tight, kernel) = (Vec::new(), Vec::new(), Kernel::default());
        let multipliers = vec![0.0; m];
        let mut simplex = Self {
            m,
            n,
            rows,
            columns,
            cost,
            lower,
            upper,
            x,
            place,
            inside,
            tight,
            kernel,
            row_scale,
            column_scale,
            cost_scale,
            bound_scale,
            weight,
            multipliers,
            age: 0,
            still: 0,
        };
        simplex.refresh();
        simplex
    }

    /// Moves until nothing is left to be gained.
    pub(crate) fn run(&mut self, meter: &mut Meter<'_>) -> End {
        loop {
            if let Some(end) = self.step() {
                // What rounding has done since the last inversion is taken out before anything is claimed.
                if self.age == 0 {
                    return end;
                }
                self.refresh();
                continue;
            }
            if let Some(stop) = meter.advance(1, 0) {
                self.refresh();
                return End::Stopped(stop);
            }
            if self.age >= FRESH {
                self.refresh();
            }
        }
    }

    /// One move, or the reason why there is none.
    fn step(&mut self) -> Option<End> {
        let (signs, missing) = self.missing();
        let prices = self.prices(missing.then_some(&signs));
        let least_index = self.still >= PATIENCE;
        let Some((entering, up)) = self.entering(&prices, least_index) else {
            return Some(if missing { End::Infeasible } else { End::Optimal });
        };
        let direction = if up { 1.0 } else { -1.0 };
        let way = self.way(entering, direction);
        let (length, stop) = self.length(entering, &way, missing.then_some(&signs), least_index);
        if !length.is_finite() {
            return Some(if missing {
                End::Stopped(Stop::Stalled)
            } else {
                End::Unbounded(self.ray(entering, direction, &way))
            });
        }
        self.advance(entering, direction * length, length, &way);
        self.still = if length > TOLERANCE { 0 } else { self.still + 1 };
        self.age += 1;
        match stop {
            None => self.place[entering] = if up { Place::Upper } else { Place::Lower },
            Some((leaving, at)) => {
                self.weigh(entering, leaving, &way);
                self.exchange(entering, leaving, at, &way, direction);
            }
        }
        None
    }

    /// The rates at which basic variables and activities move with the one that enters.
    fn way(&self, entering: usize, direction: f64) -> Way {
        let (inside, mut activities);
        if entering < self.n {
            let column = self.column(entering);
            let across: Vec<f64> = self.tight.iter().map(|&r| -direction * column[r]).collect();
            inside = self.kernel.times(&across);
            activities = column.iter().map(|value| direction * value).collect::<Vec<f64>>();
        } else {
            let t = self.tight.iter().position(|&r| r == entering - self.n).unwrap_or(0);
            inside = self.kernel.column(t).into_iter().map(|value| direction * value).collect();
            activities = vec![0.0; self.m];
        }
        for (&v, &rate) in self.inside.iter().zip(&inside).filter(|(_, rate)| **rate != 0.0) {
            axpy(rate, self.column(v), &mut activities);
        }
        for &r in &self.tight {
            activities[r] = 0.0;
        }
        if entering >= self.n {
            activities[entering - self.n] = direction;
        }
        Way { inside, activities }
    }

    fn column(&self, v: usize) -> &[f64] {
        &self.columns[v * self.m..(v + 1) * self.m]
    }

    /// Every basic variable with its rate.
    fn moving<'a>(&'a self, way: &'a Way) -> impl Iterator<Item = (usize, f64)> + Clone + 'a {
        let inside = self.inside.iter().copied().zip(way.inside.iter().copied());
        let activities = way.activities.iter().copied().enumerate().map(|(r, rate)| (self.n + r, rate));
        inside.chain(activities.filter(|(v, _)| self.place[*v] == Place::Basic))
    }

    /// Where a moving variable comes to a bound: the way to it, and which bound it is. One that is outside stops where it comes back in.
    fn reach(&self, v: usize, rate: f64, sign: f64, share: f64) -> Option<(f64, Place)> {
        let (bound, place) = match (sign < 0.0, sign > 0.0, rate > 0.0) {
            (true, _, true) => (self.lower[v], Place::Lower),
            (_, true, false) => (self.upper[v], Place::Upper),
            (true, ..) | (_, true, _) => return None,
            (.., true) => (self.upper[v] + share * slack(self.upper[v]), Place::Upper),
            (.., false) => (self.lower[v] - share * slack(self.lower[v]), Place::Lower),
        };
        bound.is_finite().then(|| (((bound - self.x[v]) / rate).max(0.0), place))
    }

    /// How far the move goes, and the basic variable that ends it with the bound that it comes to; none if the entering one comes to its
    /// own other bound first.
    fn length(
        &self,
        entering: usize,
        way: &Way,
        signs: Option<&Vec<f64>>,
        least_index: bool,
    ) -> (f64, Option<(usize, Place)>) {
        let sign = |v: usize| signs.map_or(0.0, |signs| signs[v]);
        let rates = self.moving(way).filter(|(_, rate)| rate.abs() > PIVOT);
        // With bounds relaxed by the tolerance, all that stop before the first are as good; the fastest is the safest to divide by.
        let relaxed = if least_index { 0.0 } else { 0.5 };
        let reaches = rates.clone().filter_map(|(v, rate)| self.reach(v, rate, sign(v), relaxed));
        let first = reaches.map(|(length, _)| length).fold(f64::INFINITY, f64::min);
        let own = self.upper[entering] - self.lower[entering];
        if own <= first && own.is_finite() {
            return (own, None);
        }
        let mut chosen: Option<(f64, usize, f64, Place)> = None;
        for (v, rate) in rates {
            let Some((length, place)) = self.reach(v, rate, sign(v), 0.0) else { continue };
            if length <= first {
                let better = chosen.is_none_or(
                    |(most, old, ..)| {
                        if least_index { v < old } else { rate.abs() > most }
                    },
                );
                if better {
                    chosen = Some((rate.abs(), v, length, place));
                }
            }
        }
        chosen.map_or((f64::INFINITY, None), |(_, v, length, place)| (length, Some((v, place))))
    }

    fn advance(&mut self, entering: usize, change: f64, length: f64, way: &Way) {
        for (&v, rate) in self.inside.iter().zip(&way.inside) {
            self.x[v] += length * rate;
        }
        let activities = &mut self.x[self.n..];
        axpy(length, &way.activities, activities);
        if entering < self.n {
            self.x[entering] += change;
        }
    }

    /// Exchanges the places of two variables.
    fn exchange(&mut self, entering: usize, leaving: usize, at: Place, way: &Way, direction: f64) {
        let n = self.n;
        self.place[entering] = Place::Basic;
        self.place[leaving] = if self.lower[leaving].is_infinite() && self.upper[leaving].is_infinite() {
            Place::Free
        } else {
            at
        };
        self.x[leaving] = if at == Place::Upper { self.upper[leaving] } else { self.lower[leaving] };
        let inside_at = |v: usize| self.inside.iter().position(|&own| own == v).unwrap_or(0);
        let tight_at = |v: usize| self.tight.iter().position(|&r| r == v - n).unwrap_or(0);
        let row =
            |v: usize| -> Vec<f64> { self.inside.iter().map(|&p| self.rows[(v - n) * n + p]).collect() };
        // The rates are those of the negative column times the inverse.
        let alpha = || way.inside.iter().map(|rate| -direction * rate).collect::<Vec<f64>>();
        match (entering < n, leaving < n) {
            (true, true) => {
                let p = inside_at(leaving);
                let alpha = alpha();
                self.kernel.replace_variable(p, &alpha);
                self.inside[p] = entering;
            }
            (true, false) => {
                let (alpha, row) = (alpha(), row(leaving));
                let beta = self.kernel.transposed_times(&row);
                self.kernel.grow(&alpha, &beta, direction * way.activities[leaving - n]);
                self.inside.push(entering);
                self.tight.push(leaving - n);
            }
            (false, true) => {
                let (p, t) = (inside_at(leaving), tight_at(entering));
                self.kernel.shrink(p, t);
                self.inside.swap_remove(p);
                self.tight.swap_remove(t);
            }
            (false, false) => {
                let (t, row) = (tight_at(entering), row(leaving));
                let beta = self.kernel.transposed_times(&row);
                self.kernel.replace_row(t, &beta);
                self.tight[t] = leaving - n;
            }
        }
    }

    /// Inverts the basis anew, drops what depends on the rest, and computes all that is basic from what is not.
    fn refresh(&mut self) {
        loop {
            let entry =
                |t: &usize| self.inside.iter().map(|&v| self.rows[t * self.n + v]).collect::<Vec<f64>>();
            match Kernel::inverted(self.tight.iter().map(entry).collect()) {
                Ok(kernel) => {
                    self.kernel = kernel;
                    break;
                }
                Err((columns, rows)) => {
                    for &p in columns.iter().rev() {
                        let v = self.inside.remove(p);
                        self.rest(v);
                    }
                    for &t in rows.iter().rev() {
                        let r = self.tight.remove(t);
                        self.place[self.n + r] = Place::Basic;
                    }
                }
            }
        }
        let mut activities = vec![0.0; self.m];
        for v in (0..self.n).filter(|&v| self.place[v] != Place::Basic && self.x[v] != 0.0) {
            axpy(self.x[v], self.column(v), &mut activities);
        }
        let left: Vec<f64> = self.tight.iter().map(|&r| self.x[self.n + r] - activities[r]).collect();
        let values = self.kernel.times(&left);
        for (&v, value) in self.inside.iter().zip(values) {
            self.x[v] = value;
            axpy(value, &self.columns[v * self.m..(v + 1) * self.m], &mut activities);
        }
        for (r, value) in activities.into_iter().enumerate() {
            if self.place[self.n + r] == Place::Basic {
                self.x[self.n + r] = value;
            }
        }
        self.age = 0;
    }

    /// Puts a variable that leaves without a bound of its own at the nearer one.
    fn rest(&mut self, v: usize) {
        let (low, high) = (self.lower[v], self.upper[v]);
        (self.place[v], self.x[v]) = match (low.is_finite(), high.is_finite()) {
            (false, false) => (Place::Free, 0.0),
            (true, false) => (Place::Lower, low),
            (false, true) => (Place::Upper, high),
            (true, true) if (self.x[v] - low).abs() <= (high - self.x[v]).abs() => (Place::Lower, low),
            (true, true) => (Place::Upper, high),
        };
    }

    /// The direction of a move in the units of the caller.
    fn ray(&self, entering: usize, direction: f64, way: &Way) -> Vec<f64> {
        let mut ray = vec![0.0; self.n];
        if entering < self.n {
            ray[entering] = direction;
        }
        self.inside.iter().zip(&way.inside).for_each(|(&v, rate)| ray[v] = *rate);
        ray.iter().zip(&self.column_scale).map(|(value, scale)| value * scale).collect()
    }

    /// The variables, in the units of the caller.
    pub(crate) fn point(&self) -> Vec<f64> {
        self.x[..self.n]
            .iter()
            .zip(&self.column_scale)
            .map(|(x, scale)| x * self.bound_scale * scale)
            .collect()
    }

    /// The multipliers of the last prices, in the units of the caller; those of a violation have units of their own.
    pub(crate) fn multipliers(&self) -> Vec<f64> {
        self.multipliers.iter().zip(&self.row_scale).map(|(y, scale)| y * scale / self.cost_scale).collect()
    }

    /// Where every variable and every activity is.
    pub(crate) fn places(&self) -> &[Place] {
        &self.place
    }
}

/// What a variable may be beyond a bound.
fn slack(bound: f64) -> f64 {
    TOLERANCE * (1.0 + bound.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Minimise −3x₁ − 2x₂ under −x₁ + 3x₂ ≤ 12, x₁ + x₂ ≤ 8, 2x₁ − x₂ ≤ 10, x ≥ 0.
    fn textbook() -> Simplex {
        let below = vec![f64::NEG_INFINITY; 3];
        let lower = [vec![0.0; 2], below].concat();
        let upper = vec![f64::INFINITY, f64::INFINITY, 12.0, 8.0, 10.0];
        Simplex::new(3, &[-3.0, -2.0], vec![-1.0, 3.0, 1.0, 1.0, 2.0, -1.0], (lower, upper))
    }

    #[test]
    fn moves_by_hand() {
        let mut simplex = textbook();
        assert_eq!(simplex.point(), [0.0, 0.0]);
        // x₁ gains 3 a unit and is stopped by the third row at 5.
        assert_eq!(simplex.step(), None);
        assert_eq!(simplex.point(), [5.0, 0.0]);
        assert_eq!((&simplex.inside, &simplex.tight), (&vec![0], &vec![2]));
        // Along that row x₂ gains 2 + 3/2, until the second row stops it at (6, 2).
        assert_eq!(simplex.step(), None);
        assert_eq!((&simplex.inside, &simplex.tight), (&vec![0, 1], &vec![2, 1]));
        let point = simplex.point();
        assert!((point[0] - 6.0).abs() < 1e-14 && (point[1] - 2.0).abs() < 1e-14);
        assert_eq!(simplex.step(), Some(End::Optimal));
        let y = simplex.multipliers();
        assert!(y[0] == 0.0 && (y[1] + 7.0 / 3.0).abs() < 1e-14 && (y[2] + 1.0 / 3.0).abs() < 1e-14);
    }

    #[test]
    fn a_refreshed_state_is_the_same_state() {
        let mut simplex = textbook();
        let _ = simplex.step();
        let _ = simplex.step();
        let (x, kernel) = (simplex.x.clone(), simplex.kernel.clone());
        simplex.refresh();
        assert!(simplex.x.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-14));
        for p in 0..2 {
            assert!(simplex.kernel.row(p).iter().zip(kernel.row(p)).all(|(a, b)| (a - b).abs() < 1e-14));
        }
    }

    #[test]
    fn a_variable_may_go_from_bound_to_bound_without_a_pivot() {
        let bounds = (vec![-1.0, f64::NEG_INFINITY], vec![2.0, 100.0]);
        let mut simplex = Simplex::new(1, &[-1.0], vec![1.0], bounds);
        assert_eq!(simplex.step(), None);
        assert_eq!(simplex.places(), [Place::Upper, Place::Basic]);
        assert_eq!(simplex.point(), [2.0]);
        assert_eq!(simplex.step(), Some(End::Optimal));
    }
}
