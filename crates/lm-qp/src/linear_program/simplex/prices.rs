//! What a move is worth: prices of the variables, and the lengths of the ways that they are measured by.

use super::super::kernel::axpy;
use super::{Place, Simplex, TOLERANCE, Way, slack};

impl Simplex {
    /// −1 for each basic variable below its lower bound, +1 above its upper one, and whether there is any.
    pub(super) fn missing(&self) -> (Vec<f64>, bool) {
        let sign = |v: usize| match self.place[v] {
            Place::Basic if self.x[v] < self.lower[v] - slack(self.lower[v]) => -1.0,
            Place::Basic if self.x[v] > self.upper[v] + slack(self.upper[v]) => 1.0,
            _ => 0.0,
        };
        let signs: Vec<f64> = (0..self.n + self.m).map(sign).collect();
        let any = signs.iter().any(|sign| *sign != 0.0);
        (signs, any)
    }

    /// Sets the multipliers for the costs, or for the sum of what is missing, and prices the variables; the price of an activity is its
    /// multiplier.
    pub(super) fn prices(&mut self, signs: Option<&Vec<f64>>) -> Vec<f64> {
        let cost =
            |v: usize| signs.map_or_else(|| if v < self.n { self.cost[v] } else { 0.0 }, |signs| signs[v]);
        let mut y = vec![0.0; self.m];
        if signs.is_some() {
            for (r, y) in y.iter_mut().enumerate().filter(|(r, _)| self.place[self.n + r] == Place::Basic) {
                *y = -cost(self.n + r);
            }
        }
        let priced: Vec<usize> = (0..self.m).filter(|&r| y[r] != 0.0).collect();
        let rest: Vec<f64> = self
            .inside
            .iter()
            .map(|&v| cost(v) - priced.iter().map(|&r| y[r] * self.rows[r * self.n + v]).sum::<f64>())
            .collect();
        for (value, &r) in self.kernel.transposed_times(&rest).into_iter().zip(&self.tight) {
            y[r] = value;
        }
        let mut prices: Vec<f64> = (0..self.n).map(cost).collect();
        for (r, &y) in y.iter().enumerate().filter(|(_, y)| **y != 0.0) {
            axpy(-y, &self.rows[r * self.n..(r + 1) * self.n], &mut prices);
        }
        prices.extend_from_slice(&y);
        self.multipliers = y;
        prices
    }

    /// The variable to be moved, and whether upward.
    pub(super) fn entering(&self, prices: &[f64], least_index: bool) -> Option<(usize, bool)> {
        let mut best: Option<(f64, usize, bool)> = None;
        for (v, &price) in prices.iter().enumerate() {
            let wrong = match self.place[v] {
                Place::Basic => false,
                _ if self.lower[v] == self.upper[v] => false,
                Place::Lower => price < -TOLERANCE,
                Place::Upper => price > TOLERANCE,
                Place::Free => price.abs() > TOLERANCE,
            };
            if wrong {
                if least_index {
                    return Some((v, price < 0.0));
                }
                let gain = price * price / self.weight[v];
                if best.is_none_or(|(most, ..)| gain > most) {
                    best = Some((gain, v, price < 0.0));
                }
            }
        }
        best.map(|(_, v, up)| (v, up))
    }

    /// Brings the weights up to date with a move: those of variables whose ways the leaving one was a part of.
    pub(super) fn weigh(&mut self, entering: usize, leaving: usize, way: &Way) {
        /// Weights so far from 1 say little; they begin again.
        const SPENT: f64 = 1e9;
        let (n, own) = (self.n, self.weight[entering]);
        // The rows of the basis inverse that give the rate of the leaving variable.
        let (mut row, rate) = if leaving < n {
            let p = self.inside.iter().position(|&v| v == leaving).unwrap_or(0);
            (vec![0.0; n], (self.kernel.row(p).to_vec(), way.inside[p]))
        } else {
            let r = leaving - n;
            let entries: Vec<f64> = self.inside.iter().map(|&v| self.rows[r * n + v]).collect();
            let across = self.kernel.transposed_times(&entries);
            (self.rows[r * n..(r + 1) * n].iter().map(|a| -a).collect(), (across, way.activities[r]))
        };
        let (across, rate) = rate;
        for (&t, &entry) in self.tight.iter().zip(&across).filter(|(_, entry)| **entry != 0.0) {
            axpy(entry, &self.rows[t * n..(t + 1) * n], &mut row);
        }
        if !(own < SPENT) {
            self.weight.fill(1.0);
            return;
        }
        let share = own / (rate * rate);
        for (v, value) in row.iter().enumerate().filter(|(v, _)| self.place[*v] != Place::Basic) {
            self.weight[v] = self.weight[v].max(value * value * share);
        }
        for (&t, value) in self.tight.iter().zip(&across) {
            self.weight[n + t] = self.weight[n + t].max(value * value * share);
        }
        self.weight[leaving] = share.max(1.0);
    }
}
