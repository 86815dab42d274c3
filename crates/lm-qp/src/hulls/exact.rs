//! The nearest points of two convex hulls in exact arithmetic, from the examples that a search proposes.
//!
//! # Problem
//! That of `active_set.rs`. Its solution has fractions for weights wherever the examples are fractions: a set of kept examples gives
//! it by a linear system.
//! # Method
//! The same active set as in `active_set.rs`, with the normal equations of the directions solved by integers: over independent directions
//! their matrix is positive definite, so no pivot vanishes, and a pivot that does shows a direction that depends on the others. Where the
//! proposal was right, one solution and one look at all examples prove it.
//! # Cost
//! `k³` products of integers of up to `2k` times the length of an entry for `k` kept examples, and an inner product with every example, a
//! round.
//! # Reference
//! Wolfe (1976); Bareiss (1968) for the solution.

use lm_core::{Meter, Result, Sign, Stop};

use crate::exact::{ExactExamples, Integer, IntegerInverse, Pivoted, Rational};

/// The nearest points, proven, or why they were not found.
pub(crate) enum ExactNearest {
    /// The kept examples with their weights, and `p − q` with `⟨p + q·p − q⟩ / 2`, all exact.
    Found { kept: Vec<(usize, Rational)>, v: Vec<Rational>, offset: Rational },
    /// The budget was used up.
    Stopped(Stop),
}

/// An end of the work before its result.
enum Halt {
    Stopped(Stop),
    Broken(lm_core::Error),
}

impl From<lm_core::Error> for Halt {
    fn from(error: lm_core::Error) -> Self {
        Self::Broken(error)
    }
}

struct State<'a> {
    examples: &'a ExactExamples,
    signs: &'a [Sign],
    present: &'a [usize],
    sides: [Vec<(usize, Rational)>; 2],
    most_bits: u64,
}

/// Finds the nearest points of hulls that do not meet, beginning with these examples and weights.
pub(crate) fn nearest(
    examples: &ExactExamples,
    signs: &[Sign],
    present: &[usize],
    proposal: &[(usize, f64)],
    most_bits: u64,
    meter: &mut Meter<'_>,
) -> Result<ExactNearest> {
    let mut sides = [Vec::new(), Vec::new()];
    for (row, weight) in super::rationals(proposal, signs)? {
        sides[usize::from(signs[row] == Sign::Negative)].push((row, weight));
    }
    if sides.iter().any(Vec::is_empty) {
        return Ok(ExactNearest::Stopped(Stop::Stalled));
    }
    let mut state = State { examples, signs, present, sides, most_bits };
    match state.run(meter) {
        Ok(found) => Ok(found),
        Err(Halt::Stopped(stop)) => Ok(ExactNearest::Stopped(stop)),
        Err(Halt::Broken(error)) => Err(error),
    }
}

impl State<'_> {
    fn run(&mut self, meter: &mut Meter<'_>) -> std::result::Result<ExactNearest, Halt> {
        loop {
            self.settle(meter)?;
            // Integers from here: weights over a common denominator, v over that and the scale.
            let (v, denominator) = self.v();
            let below = &denominator * self.examples.scale();
            let [p, q] = [0, 1].map(|side| self.examples.dot(self.sides[side][0].0, &v));
            if let Some(row) = self.beyond(&v, &p, &q) {
                let side = usize::from(self.signs[row] == Sign::Negative);
                self.sides[side].push((row, Rational::default()));
                if let Some(stop) = meter.advance(1, 0) {
                    return Err(Halt::Stopped(stop));
                }
                continue;
            }
            let over =
                |value: Integer, below: &Integer| Rational::new(value, below.clone()).unwrap_or_default();
            let offset = over(&p + &q, &(&(&below * self.examples.scale()) * &Integer::from(2)));
            let v = v.into_iter().map(|value| over(value, &below)).collect();
            return Ok(ExactNearest::Found { kept: self.sides.concat(), v, offset });
        }
    }

    /// `p − q`, multiplied by the scale and by the common denominator of the weights, which is given too.
    fn v(&self) -> (Vec<Integer>, Integer) {
        let mut denominator = Integer::from(1);
        for (_, weight) in self.sides.iter().flatten() {
            let below = weight.denominator();
            let part = below.divided(&denominator.gcd(below)).map_or(Integer::from(1), |(part, _)| part);
            denominator = &denominator * &part;
        }
        let mut v = vec![Integer::ZERO; self.examples.dim()];
        for (side, rows) in self.sides.iter().enumerate() {
            for (row, weight) in rows {
                let factor =
                    denominator.divided(weight.denominator()).map_or(Integer::ZERO, |(factor, _)| factor);
                let share = weight.numerator() * &factor;
                let signed = if side == 0 { share } else { -&share };
                self.examples.row(*row).for_each(|(k, x)| v[k] = &v[k] + &(&signed * x));
            }
        }
        (v, denominator)
    }

    /// The example farthest on the wrong side of its own point, if there is one. At the minimum over the affine hulls all kept examples
    /// of a side have the value of its point.
    fn beyond(&self, v: &[Integer], p: &Integer, q: &Integer) -> Option<usize> {
        let mut worst: Option<(Integer, usize)> = None;
        for &row in self.present {
            let value = self.examples.dot(row, v);
            let by = if self.signs[row] == Sign::Positive { p - &value } else { &value - q };
            if by.is_positive() && worst.as_ref().is_none_or(|(most, _)| by > *most) {
                worst = Some((by, row));
            }
        }
        worst.map(|(_, row)| row)
    }

    /// Goes to the minimum over the affine hulls, letting go of examples whose weights vanish on the way or that depend on others.
    fn settle(&mut self, meter: &mut Meter<'_>) -> std::result::Result<(), Halt> {
        loop {
            let Some(target) = self.minimum(meter)? else { continue };
            let mut step: Option<(Rational, usize, usize)> = None;
            for (side, goals) in target.iter().enumerate() {
                for (at, ((_, own), goal)) in self.sides[side].iter().zip(goals).enumerate() {
                    if goal.is_positive() {
                        continue;
                    }
                    // An example of weight 0 that is to stay there goes first.
                    let reach = own.divided(&(own - goal)).unwrap_or_default();
                    if step.as_ref().is_none_or(|(least, ..)| reach < *least) {
                        step = Some((reach, side, at));
                    }
                }
            }
            let Some((reach, side, at)) = step else {
                for (side, goals) in self.sides.iter_mut().zip(target) {
                    side.iter_mut().zip(goals).for_each(|((_, own), goal)| *own = goal);
                }
                return Ok(());
            };
            for (side, goals) in self.sides.iter_mut().zip(&target) {
                side.iter_mut().zip(goals).for_each(|((_, own), goal)| {
                    *own = &*own + &(&reach * &(goal - &*own));
                });
            }
            self.sides[side].remove(at);
            if let Some(stop) = meter.advance(1, 0) {
                return Err(Halt::Stopped(stop));
            }
        }
    }

    /// The weights at the minimum over the affine hulls; none if an example was let go because it depends on the others.
    fn minimum(&mut self, meter: &mut Meter<'_>) -> std::result::Result<Option<[Vec<Rational>; 2]>, Halt> {
        let directions: Vec<(usize, usize, Vec<Integer>)> = [0, 1]
            .into_iter()
            .flat_map(|side| (1..self.sides[side].len()).map(move |at| (side, at)))
            .map(|(side, at)| {
                let (from, to) = (self.sides[side][0].0, self.sides[side][at].0);
                let direction = if side == 0 { self.difference(to, from) } else { self.difference(from, to) };
                (side, at, direction)
            })
            .collect();
        let v0 = self.difference(self.sides[0][0].0, self.sides[1][0].0);
        let inner = |a: &[Integer], b: &[Integer]| {
            a.iter().zip(b).fold(Integer::ZERO, |sum, (a, b)| if a.is_zero() { sum } else { &sum + &(a * b) })
        };
        let mut inverse = IntegerInverse::unit(directions.len(), self.most_bits);
        for (r, (side, at, direction)) in directions.iter().enumerate() {
            let column: Vec<Integer> = directions.iter().map(|(.., other)| inner(direction, other)).collect();
            let alpha = inverse.times(&column);
            if alpha[r].is_zero() {
                self.let_go(*side, *at);
                return Ok(None);
            }
            if let Pivoted::Stopped(stop) = inverse.exchange(r, &alpha, meter)? {
                return Err(Halt::Stopped(stop));
            }
        }
        let right: Vec<Integer> = directions.iter().map(|(.., direction)| -&inner(direction, &v0)).collect();
        let solution = inverse.times(&right);
        let mut weights = [0, 1].map(|side| vec![Rational::default(); self.sides[side].len()]);
        for ((side, at, _), value) in directions.iter().zip(solution) {
            weights[*side][*at] = Rational::new(value, inverse.denominator().clone()).unwrap_or_default();
        }
        for side in &mut weights {
            let rest = side[1..].iter().fold(Rational::default(), |sum, weight| &sum + weight);
            side[0] = &Rational::from(Integer::from(1)) - &rest;
        }
        Ok(Some(weights))
    }

    /// Lets an example go and gives its weight to the first of its side.
    fn let_go(&mut self, side: usize, at: usize) {
        let (_, weight) = self.sides[side].remove(at);
        self.sides[side][0].1 = &self.sides[side][0].1 + &weight;
    }

    /// `xᵢ − xⱼ`, multiplied by the scale.
    fn difference(&self, i: usize, j: usize) -> Vec<Integer> {
        let mut out = vec![Integer::ZERO; self.examples.dim()];
        self.examples.row(i).for_each(|(k, x)| out[k] = x.clone());
        self.examples.row(j).for_each(|(k, x)| out[k] = &out[k] - x);
        out
    }
}
