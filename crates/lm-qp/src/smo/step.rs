//! One step: the pair, or the variable alone, that gains most, and which variables are set aside.

use lm_core::{Error, Gram, Result};

use super::Smo;
use crate::problem::Balance;

/// What is wrong where a step never ends.
const UNBOUNDED: &str = "the minimum of a problem without one (the kernel is not positive semi-definite and the coefficients are not bounded)";

/// What a step did.
pub(super) enum Step {
    Moved,
    /// No violation is larger than the tolerance.
    Settled,
    /// The best move is lost in rounding.
    Lost,
}

/// Lowest price up and highest price down on each side, and the variable that is cheapest to move up.
pub(super) struct Extremes {
    pub(super) up: [f64; 2],
    pub(super) down: [f64; 2],
    pub(super) cheapest: [usize; 2],
}

/// The sides on which one variable of a pair moves up and the other down: 0 is the positive side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sides {
    pub(super) up: usize,
    pub(super) down: usize,
}

impl Extremes {
    /// Of these sides, those that are violated most, and by how much.
    pub(super) fn worst(&self, allowed: &[Sides]) -> (Sides, f64) {
        let mut worst = (Sides { up: 0, down: 0 }, f64::NEG_INFINITY);
        for &sides in allowed {
            let violation = self.down[sides.down] - self.up[sides.up];
            if violation > worst.1 {
                worst = (sides, violation);
            }
        }
        worst
    }
}

impl<G: Gram + ?Sized> Smo<'_, G> {
    /// The price of moving a variable up; infinite where there is no room.
    #[inline]
    pub(super) fn price_up(&self, i: usize) -> f64 {
        let beta = self.beta[i];
        if beta < 0.0 {
            self.gradient[i] + self.problem.below()[i]
        } else if beta < self.problem.upper()[i] {
            self.gradient[i] + self.problem.above()[i]
        } else {
            f64::INFINITY
        }
    }

    /// What moving a variable down saves; minus infinity where there is no room.
    #[inline]
    pub(super) fn price_down(&self, i: usize) -> f64 {
        let beta = self.beta[i];
        if beta > 0.0 {
            self.gradient[i] + self.problem.above()[i]
        } else if beta > self.problem.lower()[i] {
            self.gradient[i] + self.problem.below()[i]
        } else {
            f64::NEG_INFINITY
        }
    }

    /// The sides that a variable belongs to when it moves up and when it moves down.
    #[inline]
    pub(super) fn sides(&self, i: usize) -> (usize, usize) {
        match self.problem.balance() {
            Balance::Sides { .. } | Balance::Sizes { .. } => {
                (usize::from(self.beta[i] < 0.0), usize::from(!(self.beta[i] > 0.0)))
            }
            Balance::Open | Balance::Total(_) => (0, 0),
        }
    }

    /// The sides from which a pair may be taken: the same one for both; where only the sum of the sizes is bounded, also
    /// two sizes that shrink, and two that grow while there is room.
    pub(super) fn allowed(&self) -> &'static [Sides] {
        const EACH: [Sides; 4] = [
            Sides { up: 0, down: 0 },
            Sides { up: 1, down: 1 },
            Sides { up: 1, down: 0 },
            Sides { up: 0, down: 1 },
        ];
        match self.problem.balance() {
            Balance::Open | Balance::Total(_) => &EACH[..1],
            Balance::Sides { .. } => &EACH[..2],
            Balance::Sizes { most, .. } if self.slack > 8.0 * f64::EPSILON * most => &EACH,
            Balance::Sizes { .. } => &EACH[..3],
        }
    }

    pub(super) fn extremes(&self) -> Extremes {
        let mut found =
            Extremes { up: [f64::INFINITY; 2], down: [f64::NEG_INFINITY; 2], cheapest: [usize::MAX; 2] };
        for &i in &self.active {
            let (up, down) = (self.price_up(i), self.price_down(i));
            let (a, b) = self.sides(i);
            if up < found.up[a] {
                (found.up[a], found.cheapest[a]) = (up, i);
            }
            if down > found.down[b] {
                found.down[b] = down;
            }
        }
        if self.problem.balance() == Balance::Open {
            // A variable alone pays nothing to a partner.
            found.up[0] = found.up[0].min(0.0);
            found.down[0] = found.down[0].max(0.0);
        }
        found
    }

    /// One exact step on the variables that gain most.
    pub(super) fn step(&mut self, tolerance: f64) -> Result<Step> {
        let extremes = self.extremes();
        let (sides, violation) = extremes.worst(self.allowed());
        if !(violation > tolerance) {
            return Ok(Step::Settled);
        }
        if self.problem.balance() == Balance::Open {
            return self.step_alone();
        }
        let (i, up) = (extremes.cheapest[sides.up], extremes.up[sides.up]);
        let Some(j) = self.partner(i, up, sides.down)? else { return Ok(Step::Lost) };
        let (room_i, room_j) = (self.room(i, true), self.room(j, false));
        let growth = if sides == (Sides { up: 0, down: 1 }) { 0.5 * self.slack } else { f64::INFINITY };
        let gain = self.price_down(j) - up;
        let (row_i, row_j) = self.cache.pair(i, j)?;
        let curvature = self.curvature[i] + self.curvature[j] - 2.0 * row_i[j];
        let most = room_i.min(room_j).min(growth);
        if curvature < -self.floor && most == f64::INFINITY {
            return Err(Error::Numerical { what: UNBOUNDED });
        }
        let by = (gain / curvature.max(self.floor)).min(most);
        if self.active.len() == self.gradient.len() {
            for (g, (a, b)) in self.gradient.iter_mut().zip(row_i.iter().zip(row_j)) {
                *g += by * (a - b);
            }
        } else {
            for &k in &self.active {
                self.gradient[k] += by * (row_i[k] - row_j[k]);
            }
        }
        let before = (self.beta[i], self.beta[j]);
        self.shift(i, by, by == room_i);
        self.shift(j, -by, by == room_j);
        Ok(if before == (self.beta[i], self.beta[j]) { Step::Lost } else { Step::Moved })
    }

    /// The variable whose move down, paired with `i` moving up at this price, gains most.
    pub(super) fn partner(&mut self, i: usize, up: f64, side: usize) -> Result<Option<usize>> {
        let (mut best, mut most) = (None, 0.0);
        let Self { cache, problem, curvature, beta, gradient, active, floor, .. } = self;
        let row = cache.row(i)?;
        let two = matches!(problem.balance(), Balance::Sides { .. } | Balance::Sizes { .. });
        for &j in active.iter() {
            let price = if beta[j] > 0.0 {
                gradient[j] + problem.above()[j]
            } else if beta[j] > problem.lower()[j] {
                gradient[j] + problem.below()[j]
            } else {
                continue;
            };
            let difference = price - up;
            if !(difference > 0.0) || (two && usize::from(!(beta[j] > 0.0)) != side) {
                continue;
            }
            let gain = difference * difference / (curvature[i] + curvature[j] - 2.0 * row[j]).max(*floor);
            if gain > most {
                (best, most) = (Some(j), gain);
            }
        }
        Ok(best)
    }

    /// Without a balance: the one variable whose own move gains most.
    pub(super) fn step_alone(&mut self) -> Result<Step> {
        let (mut best, mut most) = (None, 0.0);
        for &i in &self.active {
            // At most one of the two is a saving.
            let (up, down) = (-self.price_up(i), self.price_down(i));
            let saving = up.max(down);
            let gain = saving * saving / self.curvature[i].max(self.floor);
            if saving > 0.0 && gain > most {
                (best, most) = (Some((i, up > down, saving)), gain);
            }
        }
        let Some((i, upwards, saving)) = best else { return Ok(Step::Lost) };
        let room = self.room(i, upwards);
        if self.curvature[i] < -self.floor && room == f64::INFINITY {
            return Err(Error::Numerical { what: UNBOUNDED });
        }
        let by = (saving / self.curvature[i].max(self.floor)).min(room);
        let signed = if upwards { by } else { -by };
        let row = self.cache.row(i)?;
        for &k in &self.active {
            self.gradient[k] += signed * row[k];
        }
        let before = self.beta[i];
        self.shift(i, signed, by == room);
        Ok(if before == self.beta[i] { Step::Lost } else { Step::Moved })
    }

    /// How far a variable can move before its next bound or kink.
    pub(super) fn room(&self, i: usize, upwards: bool) -> f64 {
        let (beta, end) = (self.beta[i], self.end(i, upwards));
        if upwards { end - beta } else { beta - end }
    }

    /// The next bound or kink.
    pub(super) fn end(&self, i: usize, upwards: bool) -> f64 {
        let beta = self.beta[i];
        match upwards {
            true if beta < 0.0 => 0.0,
            true => self.problem.upper()[i],
            false if beta > 0.0 => 0.0,
            false => self.problem.lower()[i],
        }
    }

    /// Moves a variable; one that used up its room lands on its bound exactly.
    pub(super) fn shift(&mut self, i: usize, by: f64, to_end: bool) {
        let end = self.end(i, by > 0.0);
        let old = self.beta[i];
        let new = if to_end { end } else { (old + by).clamp(old.min(end), old.max(end)) };
        self.beta[i] = new;
        self.slack += old.abs() - new.abs();
        self.gradient[i] += self.problem.ridge(i) * by;
    }

    /// Sets variables aside that no partner can move.
    pub(super) fn shrink(&mut self) {
        let extremes = self.extremes();
        let (up, down) = match self.problem.balance() {
            Balance::Open => {
                let violation = (-extremes.up[0]).max(extremes.down[0]);
                ([-violation; 2], [violation; 2])
            }
            // Any two sides may meet.
            Balance::Sizes { .. } => {
                ([extremes.up[0].min(extremes.up[1]); 2], [extremes.down[0].max(extremes.down[1]); 2])
            }
            Balance::Total(_) | Balance::Sides { .. } => (extremes.up, extremes.down),
        };
        let stays = |i: usize| {
            let (a, b) = self.sides(i);
            !(self.price_up(i) > down[a] && self.price_down(i) < up[b])
        };
        let kept: Vec<usize> = self.active.iter().copied().filter(|&i| stays(i)).collect();
        self.active = kept;
    }
}
