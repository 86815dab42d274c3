//! The nearest points of two convex hulls by an active set.
//!
//! # Problem
//! ```text
//! minimise ‖p − q‖   over p in the hull of the positive and q in the hull of the negative examples
//! ```
//! # Method
//! Keep a few examples with weights `λ > 0`, such that the directions between those of one class are linearly independent, and
//! `v = p − q`. If no example of either class lies nearer to the other along `v`, the points are the nearest ones. Otherwise take in
//! the example that lies nearest, minimise over the affine hulls of those kept, and go there, or as far as the first weight that
//! vanishes, whose example is let go. Every round shortens `v`, so no set of examples is kept twice.
//!
//! The minimum over affine hulls is a least squares problem in the directions from one example of each class to the others; their
//! orthogonal factor grows by a column where an example is taken in, and is made anew where one is let go.
//! # Cost
//! An inner product with every example a round, and `O(dk)` operations for `k` kept examples; `O(dk²)` where one is let go.
//! # Reference
//! Wolfe (1976), *Finding the nearest point in a polytope*, for one polytope: here that of the differences, without forming it.

use lm_core::{Error, Examples, Meter, Result, Sign, Stop};

/// Directions that lie this near to the span of the others count as dependent.
const DEPENDENT: f64 = 1e-12;

/// What the search ended with.
#[derive(Debug, Clone)]
pub(crate) struct Nearest {
    /// The kept examples of both classes and their weights, which add up to 1 on either side.
    pub(crate) kept: Vec<(usize, f64)>,
    /// `p − q`.
    pub(crate) v: Vec<f64>,
    pub(crate) stop: Stop,
}

/// The kept examples of one class: the first is the one that directions start from.
type Side = Vec<(usize, f64)>;

struct State<'a, E: ?Sized> {
    examples: &'a E,
    signs: &'a [Sign],
    /// The positive and the negative side.
    sides: [Side; 2],
    /// Row and side of each direction, in the order in which they were taken in.
    order: Vec<(usize, usize)>,
    /// Orthonormal directions, and the triangle that makes the given ones of them, column by column.
    q: Vec<Vec<f64>>,
    r: Vec<Vec<f64>>,
    /// The difference of the two starting examples.
    v0: Vec<f64>,
}

/// Finds the nearest points of the hulls of the examples of positive weight.
///
/// Converged means that `‖v‖` is within the share `gap` of the distance; infeasible, that the points are nearer than the rounding of
/// the search, whose hulls may meet.
pub(super) fn nearest<E: Examples + ?Sized>(
    examples: &E,
    signs: &[Sign],
    present: &[usize],
    gap: f64,
    meter: &mut Meter<'_>,
) -> Result<Nearest> {
    let mut state = State::new(examples, signs, present)?;
    let largest = present.iter().map(|&row| examples.norm_squared(row)).fold(0.0, f64::max).sqrt();
    if !largest.is_finite() {
        return Err(Error::Numerical { what: "the norm of an example" });
    }
    let mut v = state.v();
    let mut length = norm_squared(&v);
    loop {
        let kept = |stop| Ok(Nearest { kept: state.sides.concat(), v: v.clone(), stop });
        // Below the rounding of the examples themselves nothing is known of the direction.
        if !(length.sqrt() > 4.0 * f64::EPSILON * largest) {
            return kept(Stop::Infeasible);
        }
        let found = state.scan(&v, present);
        meter.observe(Some(length.sqrt()), Some(length - found.width));
        if length - found.width <= gap * length {
            return kept(Stop::Converged);
        }
        if let Some(stop) = meter.advance(1, 0) {
            return kept(stop);
        }
        let before = state.sides.clone();
        if state.holds(found.row) || !state.take_in(found.row) || !state.settle() {
            let v = state.stalled(before);
            return Ok(Nearest { kept: state.sides.concat(), v, stop: Stop::Stalled });
        }
        let next = state.v();
        let shorter = norm_squared(&next);
        if !(shorter < length) {
            let v = state.stalled(before);
            return Ok(Nearest { kept: state.sides.concat(), v, stop: Stop::Stalled });
        }
        (v, length) = (next, shorter);
    }
}

/// What a look at all examples finds.
struct Scan {
    /// `min ⟨v·x⟩` over the positive less `max ⟨v·x⟩` over the negative examples: `‖v‖` times a lower bound on the distance.
    width: f64,
    /// The example that lies farthest on the wrong side of its own point.
    row: usize,
}

impl<'a, E: Examples + ?Sized> State<'a, E> {
    /// Starts at two examples near each other.
    fn new(examples: &'a E, signs: &'a [Sign], present: &[usize]) -> Result<Self> {
        let first = |sign| present.iter().copied().find(|&row| signs[row] == sign);
        let (Some(i), Some(j)) = (first(Sign::Positive), first(Sign::Negative)) else {
            return Err(Error::Classes { found: 1, accepted: "two classes of positive weight" });
        };
        let nearest_to = |to: usize, sign| {
            let others = present.iter().copied().filter(|&row| signs[row] == sign);
            let distance = |row: usize| examples.row(row).distance_squared(&examples.row(to));
            others.min_by(|&a, &b| distance(a).total_cmp(&distance(b))).unwrap_or(to)
        };
        let j = nearest_to(i, signs[j]);
        let i = nearest_to(j, Sign::Positive);
        let sides = [vec![(i, 1.0)], vec![(j, 1.0)]];
        let mut state =
            Self { examples, signs, sides, order: Vec::new(), q: Vec::new(), r: Vec::new(), v0: Vec::new() };
        state.v0 = state.difference(i, j);
        Ok(state)
    }

    fn side(&self, row: usize) -> usize {
        usize::from(self.signs[row] == Sign::Negative)
    }

    fn holds(&self, row: usize) -> bool {
        self.sides[self.side(row)].iter().any(|(kept, _)| *kept == row)
    }

    /// `xᵢ − xⱼ`.
    fn difference(&self, i: usize, j: usize) -> Vec<f64> {
        let mut out = vec![0.0; self.examples.dim()];
        self.examples.add_scaled(i, 1.0, &mut out);
        self.examples.add_scaled(j, -1.0, &mut out);
        out
    }

    /// The direction in which `v` moves with the weight of an example.
    fn direction(&self, row: usize) -> Vec<f64> {
        let side = self.side(row);
        let from = self.sides[side][0].0;
        if side == 0 { self.difference(row, from) } else { self.difference(from, row) }
    }

    /// `p − q` from the weights, by differences, which do not cancel far from the origin.
    fn v(&self) -> Vec<f64> {
        let mut v = self.v0.clone();
        for side in &self.sides {
            for &(row, weight) in &side[1..] {
                let direction = self.direction(row);
                v.iter_mut().zip(direction).for_each(|(v, d)| *v += weight * d);
            }
        }
        v
    }

    fn scan(&self, v: &[f64], present: &[usize]) -> Scan {
        let mut least = [(f64::INFINITY, 0); 2];
        for &row in present {
            let side = self.side(row);
            let value = if side == 0 { 1.0 } else { -1.0 } * self.examples.dot(row, v);
            if value < least[side].0 {
                least[side] = (value, row);
            }
        }
        // How far each point lies beyond the nearest example of its class.
        let beyond = [0, 1].map(|side| {
            let sign = if side == 0 { 1.0 } else { -1.0 };
            let own: f64 =
                self.sides[side].iter().map(|&(row, w)| w * sign * self.examples.dot(row, v)).sum();
            own - least[side].0
        });
        let side = usize::from(beyond[1] > beyond[0]);
        Scan { width: least[0].0 + least[1].0, row: least[side].1 }
    }

    /// Takes an example in with the weight 0, unless it depends on those kept.
    fn take_in(&mut self, row: usize) -> bool {
        let direction = self.direction(row);
        if !self.append(direction) {
            return false;
        }
        let side = self.side(row);
        self.sides[side].push((row, 0.0));
        self.order.push((row, side));
        true
    }

    /// Adds a column to the factor: orthogonalised twice, so that rounding leaves nothing of the others in it.
    fn append(&mut self, mut direction: Vec<f64>) -> bool {
        let length = norm_squared(&direction).sqrt();
        let mut column = vec![0.0; self.q.len()];
        for _ in 0..2 {
            for (q, r) in self.q.iter().zip(&mut column) {
                let part: f64 = q.iter().zip(&direction).map(|(q, d)| q * d).sum();
                direction.iter_mut().zip(q).for_each(|(d, q)| *d -= part * q);
                *r += part;
            }
        }
        let left = norm_squared(&direction).sqrt();
        if !(left > DEPENDENT * length) {
            return false;
        }
        direction.iter_mut().for_each(|d| *d /= left);
        column.push(left);
        self.q.push(direction);
        self.r.push(column);
        true
    }

    /// The weights at the minimum over the affine hulls, in the order of the sides; they may be negative.
    fn minimum(&self) -> [Vec<f64>; 2] {
        let k = self.q.len();
        let mut t: Vec<f64> =
            self.q.iter().map(|q| -q.iter().zip(&self.v0).map(|(q, v)| q * v).sum::<f64>()).collect();
        for i in (0..k).rev() {
            t[i] /= self.r[i][i];
            let value = t[i];
            (0..i).for_each(|j| t[j] -= value * self.r[i][j]);
        }
        let weight = |side: usize, row: usize| {
            let at = self.order.iter().position(|entry| *entry == (row, side));
            at.map_or(0.0, |at| t[at])
        };
        [0, 1].map(|side| {
            let mut weights: Vec<f64> = self.sides[side].iter().map(|&(row, _)| weight(side, row)).collect();
            weights[0] = 1.0 - weights[1..].iter().sum::<f64>();
            weights
        })
    }

    /// Goes to the minimum over the affine hulls of the kept examples, letting those go whose weights vanish on the way.
    fn settle(&mut self) -> bool {
        loop {
            let target = self.minimum();
            if target.iter().flatten().any(|weight| !weight.is_finite()) {
                return false;
            }
            let mut step = (1.0_f64, None);
            for (side, weights) in target.iter().enumerate() {
                for (at, (&(_, own), &goal)) in self.sides[side].iter().zip(weights).enumerate() {
                    if goal <= 0.0 {
                        let reach = if own > goal { own / (own - goal) } else { 0.0 };
                        if reach < step.0 || step.1.is_none() {
                            step = (reach, Some((side, at)));
                        }
                    }
                }
            }
            for (side, weights) in self.sides.iter_mut().zip(&target) {
                side.iter_mut().zip(weights).for_each(|((_, own), goal)| *own += step.0 * (goal - *own));
            }
            let Some((side, at)) = step.1 else { return true };
            if self.sides[side].len() == 1 {
                return false;
            }
            self.sides[side].remove(at);
            self.rebuild();
        }
    }

    /// Makes the factor anew, from the first example of each side; those that depend on the others are let go.
    fn rebuild(&mut self) {
        self.v0 = self.difference(self.sides[0][0].0, self.sides[1][0].0);
        self.q.clear();
        self.r.clear();
        self.order.clear();
        for side in [0, 1] {
            // What rounding has done to the sum goes to the first.
            let rest: f64 = self.sides[side][1..].iter().map(|(_, weight)| weight).sum();
            self.sides[side][0].1 = 1.0 - rest;
        }
        for side in [0, 1] {
            let rows: Vec<usize> = self.sides[side][1..].iter().map(|(row, _)| *row).collect();
            for row in rows {
                let direction = self.direction(row);
                if self.append(direction) {
                    self.order.push((row, side));
                } else {
                    self.sides[side].retain(|(kept, _)| *kept != row);
                }
            }
        }
    }

    /// Back to the weights before a step that did not shorten `v`.
    fn stalled(&mut self, sides: [Side; 2]) -> Vec<f64> {
        self.sides = sides;
        self.v0 = self.difference(self.sides[0][0].0, self.sides[1][0].0);
        self.v()
    }
}

fn norm_squared(v: &[f64]) -> f64 {
    v.iter().map(|v| v * v).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::{Control, Dense};

    fn signs(labels: &[i8]) -> Vec<Sign> {
        labels.iter().map(|&y| if y > 0 { Sign::Positive } else { Sign::Negative }).collect()
    }

    #[test]
    fn a_point_and_a_segment_meet_at_the_foot_of_the_perpendicular() {
        // (0, 0) and the segment from (2, −1) to (2, 3): the foot is (2, 0) = ¾(2, −1) + ¼(2, 3).
        let examples = Dense::from_rows(&[[0.0, 0.0], [2.0, -1.0], [2.0, 3.0]]).unwrap();
        let signs = signs(&[-1, 1, 1]);
        let mut meter = Control::default().start(100);
        let found = nearest(&examples, &signs, &[0, 1, 2], 1e-14, &mut meter).unwrap();
        assert_eq!(found.stop, Stop::Converged);
        assert_eq!(found.v, [2.0, 0.0]);
        let mut kept = found.kept;
        kept.sort_by_key(|(row, _)| *row);
        assert_eq!(kept, [(0, 1.0), (1, 0.75), (2, 0.25)]);
    }

    #[test]
    fn a_round_takes_in_the_example_farthest_on_the_wrong_side() {
        let examples = Dense::from_rows(&[[0.0, 0.0], [2.0, -1.0], [2.0, 3.0]]).unwrap();
        let signs = signs(&[-1, 1, 1]);
        let mut state = State::new(&examples, &signs, &[0, 1, 2]).unwrap();
        assert_eq!(state.v(), [2.0, -1.0]);
        let scan = state.scan(&[2.0, -1.0], &[0, 1, 2]);
        assert_eq!((scan.row, scan.width), (2, 1.0)); // ⟨v·(2, 3)⟩ = 1
        assert!(state.take_in(2));
        assert_eq!(state.minimum(), [vec![0.75, 0.25], vec![1.0]]);
        assert!(!state.take_in(1), "the direction to the first example itself is 0");
    }

    #[test]
    fn hulls_that_meet_end_the_search() {
        let examples = Dense::new(vec![0.0, 1.0, 2.0], 3, 1).unwrap();
        let signs = signs(&[1, -1, 1]);
        let mut meter = Control::default().start(100);
        let found = nearest(&examples, &signs, &[0, 1, 2], 1e-14, &mut meter).unwrap();
        assert_eq!(found.stop, Stop::Infeasible);
        assert_eq!(found.kept.len(), 3);
    }
}
