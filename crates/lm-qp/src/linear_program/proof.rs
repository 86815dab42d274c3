//! The optimum of a linear program in exact arithmetic, from the basis that the simplex method ended with.

use lm_core::{Certificate, Control, Discrepancy, Error, Result, Stop, Verdict};

use super::simplex::Place;
use super::{LinearProgram, LinearSolution};
use crate::exact::{Integer, IntegerInverse, Pivoted, Rational};

/// An optimum with every number a fraction: point and multipliers fulfil all conditions exactly, for the stored numbers of the program.
#[derive(Debug, Clone, PartialEq)]
pub struct ProvenOptimum {
    point: Vec<Rational>,
    multipliers: Vec<Rational>,
    value: Rational,
}

impl ProvenOptimum {
    /// The variables.
    pub fn point(&self) -> &[Rational] {
        &self.point
    }

    /// The multiplier of each row.
    pub fn multipliers(&self) -> &[Rational] {
        &self.multipliers
    }

    /// `cᵗx`, which is also the bound that the multipliers give.
    pub fn value(&self) -> &Rational {
        &self.value
    }
}

/// Numbers that an exact solution may have, in bits, and the most basic variables that it is computed for.
const MOST_BITS: u64 = 1 << 18;
const MOST_BASIC: usize = 128;

impl LinearProgram {
    /// Solves the equations of the final basis in exact arithmetic, and proves that they give an optimum; none if they do not, because the
    /// solution is no optimum or the basis is one only up to rounding, or if more than 128 variables or longer numbers than 2¹⁸ bits
    /// would be needed.
    ///
    /// # Errors
    /// [`Error::Length`] for the solution of another program.
    pub fn prove(&self, solution: &LinearSolution) -> Result<Option<ProvenOptimum>> {
        let (n, m) = (self.variables(), self.rows());
        if solution.places.len() != n + m {
            return Err(Error::Length { what: "the basis", expected: n + m, found: solution.places.len() });
        }
        if solution.report.stop != Stop::Converged {
            return Ok(None);
        }
        let inside: Vec<usize> = (0..n).filter(|&v| solution.places[v] == Place::Basic).collect();
        let tight: Vec<usize> = (0..m).filter(|&r| solution.places[n + r] != Place::Basic).collect();
        if inside.len() != tight.len() || inside.len() > MOST_BASIC {
            return Ok(None);
        }
        let Some(found) = self.solved(&solution.places, &inside, &tight)? else { return Ok(None) };
        Ok(found.verify(self)?.is_valid().then_some(found))
    }

    /// The basic solution, whatever it is worth.
    fn solved(&self, places: &[Place], inside: &[usize], tight: &[usize]) -> Result<Option<ProvenOptimum>> {
        let exact = |value: f64| Rational::from_f64(value);
        // One power of two makes the matrix one of integers.
        let mut scale = Integer::from(1);
        for (&r, &v) in tight.iter().flat_map(|r| inside.iter().map(move |v| (r, v))) {
            let below = exact(self.row(r)[v])?.denominator().clone();
            scale = scale.max(below);
        }
        let whole = |value: f64| -> Result<Integer> {
            let value = &exact(value)? * &Rational::from(scale.clone());
            Ok(value.numerator().clone())
        };
        let mut meter = Control::default().start(u64::MAX);
        let mut inverse = IntegerInverse::unit(inside.len(), MOST_BITS);
        let mut held: Vec<Option<usize>> = vec![None; inside.len()];
        for (p, &v) in inside.iter().enumerate() {
            let column = tight.iter().map(|&r| whole(self.row(r)[v])).collect::<Result<Vec<_>>>()?;
            let alpha = inverse.times(&column);
            let Some(at) = (0..held.len()).find(|&at| held[at].is_none() && !alpha[at].is_zero()) else {
                return Ok(None);
            };
            if inverse.exchange(at, &alpha, &mut meter)? != Pivoted::Done {
                return Ok(None);
            }
            held[at] = Some(p);
        }
        let at_bound = |place: Place, bounds: (f64, f64)| match place {
            Place::Lower => exact(bounds.0),
            Place::Upper => exact(bounds.1),
            Place::Basic | Place::Free => Ok(Rational::default()),
        };
        let n = self.variables();
        let mut point = (0..n).map(|v| at_bound(places[v], self.bounds[v])).collect::<Result<Vec<_>>>()?;
        let mut right = Vec::with_capacity(tight.len());
        for &r in tight {
            let mut value = at_bound(places[n + r], self.row_bounds[r])?;
            for v in (0..n).filter(|&v| places[v] != Place::Basic && !point[v].is_zero()) {
                value = &value - &(&exact(self.row(r)[v])? * &point[v]);
            }
            right.push(value);
        }
        let over = Rational::new(scale, inverse.denominator().clone()).unwrap_or_default();
        let mut multipliers = vec![Rational::default(); self.rows()];
        for (at, p) in held.iter().enumerate().filter_map(|(at, p)| p.map(|p| (at, p))) {
            let cost = exact(self.cost[inside[p]])?;
            let mut value = Rational::default();
            for ((entry, right), &r) in inverse.row(at).iter().zip(&right).zip(tight) {
                let entry = Rational::from(entry.clone());
                value = &value + &(&entry * right);
                multipliers[r] = &multipliers[r] + &(&(&entry * &cost) * &over);
            }
            point[inside[p]] = &value * &over;
        }
        let negate = |value: Rational| if self.maximised { -&value } else { value };
        let value = self.exact_sum(&self.cost, &point)?;
        let multipliers = multipliers.into_iter().map(negate).collect();
        Ok(Some(ProvenOptimum { point, multipliers, value: negate(value) }))
    }

    fn exact_sum(&self, coefficients: &[f64], values: &[Rational]) -> Result<Rational> {
        let mut sum = Rational::default();
        for (coefficient, value) in
            coefficients.iter().zip(values).filter(|(c, value)| **c != 0.0 && !value.is_zero())
        {
            sum = &sum + &(&Rational::from_f64(*coefficient)? * value);
        }
        Ok(sum)
    }
}

impl Certificate<LinearProgram> for ProvenOptimum {
    /// Checks in exact arithmetic that the point keeps to all bounds, that no multiplier counts with an infinite one, and that value and
    /// bound are equal.
    fn verify(&self, program: &LinearProgram) -> Result<Verdict> {
        for (what, expected, found) in [
            ("the point of a linear program", program.variables(), self.point.len()),
            ("the list of multipliers", program.rows(), self.multipliers.len()),
        ] {
            if found != expected {
                return Err(Error::Length { what, expected, found });
            }
        }
        let invalid = |what, claimed: f64, recomputed: &Rational, row| {
            let recomputed = recomputed.to_f64();
            Ok(Verdict::Invalid(Discrepancy { what, claimed, recomputed, row }))
        };
        let within = |value: &Rational, (lower, upper): (f64, f64)| -> Result<bool> {
            let above = !lower.is_finite() || *value >= Rational::from_f64(lower)?;
            Ok(above && (!upper.is_finite() || *value <= Rational::from_f64(upper)?))
        };
        let mut bound = Rational::default();
        let negate = |value: &Rational| if program.maximised { -value } else { value.clone() };
        // The factor of a bound, and whether the bound on the side that counts is a number.
        let mut add = |factor: &Rational, (lower, upper): (f64, f64)| -> Result<bool> {
            let side = if factor.is_positive() { lower } else { upper };
            if factor.is_zero() {
                return Ok(true);
            }
            if side.is_finite() {
                bound = &bound + &(factor * &Rational::from_f64(side)?);
            }
            Ok(side.is_finite())
        };
        for (r, &bounds) in program.row_bounds.iter().enumerate() {
            let activity = program.exact_sum(program.row(r), &self.point)?;
            if !within(&activity, bounds)? {
                return invalid(
                    "a row of the program, which must keep to its bounds,",
                    bounds.0,
                    &activity,
                    Some(r),
                );
            }
            if !add(&negate(&self.multipliers[r]), bounds)? {
                return invalid(
                    "a multiplier, which must not count with infinity,",
                    0.0,
                    &self.multipliers[r],
                    Some(r),
                );
            }
        }
        let mut prices: Vec<Rational> =
            program.cost.iter().map(|&cost| Rational::from_f64(cost)).collect::<Result<_>>()?;
        for (r, y) in self.multipliers.iter().enumerate().filter(|(_, y)| !y.is_zero()) {
            let y = negate(y);
            for (price, &value) in prices.iter_mut().zip(program.row(r)).filter(|(_, value)| **value != 0.0) {
                *price = &*price - &(&y * &Rational::from_f64(value)?);
            }
        }
        for (v, (price, &bounds)) in prices.iter().zip(&program.bounds).enumerate() {
            if !within(&self.point[v], bounds)? {
                return invalid(
                    "a variable, which must keep to its bounds,",
                    bounds.0,
                    &self.point[v],
                    Some(v),
                );
            }
            if !add(price, bounds)? {
                return invalid("a price, which must not count with infinity,", 0.0, price, Some(v));
            }
        }
        let value = program.exact_sum(&program.cost, &self.point)?;
        if value != bound {
            return invalid("the bound on the value", value.to_f64(), &bound, None);
        }
        if value != negate(&self.value) {
            return invalid("the value", self.value.to_f64(), &negate(&value), None);
        }
        Ok(Verdict::Valid)
    }
}
