//! Which of the two alternatives holds, decided by exact pivots.
//!
//! # Problem
//! ```text
//! either   yᵢ(⟨w·xᵢ⟩ + b) > 0   for all i    or    λ ≥ 0 ,  Σ λᵢ = 1 ,  Σ λᵢyᵢxᵢ = 0 ,  Σ λᵢyᵢ = 0
//! ```
//! # Method
//! The second alternative asks for a feasible point of a linear program in standard form, whose columns are `(yᵢxᵢ, yᵢ, 1)`. The dual
//! simplex method looks for it from any basis: with no costs, every basis is dual feasible. It begins with a basis that a search in
//! floating-point arithmetic proposes, and computes with integers only. A basic solution without negative entries is `λ`, with no more
//! than `d + 2` entries that are not 0. A row that has a negative right side and no negative entry is a hyperplane: the same
//! combination of the equations that it is of gives every example a positive value. At first the most negative entry leaves; after
//! some rounds the least index does, so that the search ends.
//! # Cost
//! `2(d + 2)²` integer products a pivot, and an integer inner product with every example; integers of up to `d + 2` times the length of an
//! entry.
//! # Reference
//! Gordan (1873); Farkas (1902); Lemke (1954) for the dual simplex method; Bland (1977) for its end.

use lm_core::{Collection, Meter, Result, Sign, Stop};

use crate::exact::{ExactExamples, Integer, IntegerInverse, Pivoted, Rational};

/// Rounds for each row of the program before the rule of the least index takes over.
const FREE_ROUNDS: u64 = 20;

/// What was decided.
pub(super) enum Decision {
    /// `λ`, of which the entries that are not 0.
    Inseparable(Vec<(usize, Rational)>),
    /// Weights and bias.
    Separable(Vec<Rational>, Rational),
    /// The budget was used up.
    Stopped(Stop),
}

/// The program with its present basis.
struct State<'a> {
    examples: &'a ExactExamples,
    signs: &'a [Sign],
    present: &'a [usize],
    inverse: IntegerInverse,
    /// The example of each basic column; none for the unit column that the row began with.
    basis: Vec<Option<usize>>,
    basic: Vec<bool>,
}

/// Decides, beginning with a basis of these examples as far as they are independent.
pub(super) fn decide(
    examples: &ExactExamples,
    signs: &[Sign],
    present: &[usize],
    proposal: &[usize],
    most_bits: u64,
    meter: &mut Meter<'_>,
) -> Result<Decision> {
    let m = examples.dim() + 2;
    let (inverse, basis) = (IntegerInverse::unit(m, most_bits), vec![None; m]);
    let mut state = State { examples, signs, present, inverse, basis, basic: vec![false; examples.len()] };
    for &row in proposal {
        let column = state.column(row);
        let alpha = state.inverse.times(&column);
        // A small pivot keeps the numbers small, and any that is not 0 is exact.
        let free = (0..m).filter(|&r| state.basis[r].is_none() && !alpha[r].is_zero());
        let Some(r) = free.min_by_key(|&r| alpha[r].bits()) else { continue };
        if let Pivoted::Stopped(stop) = state.enter(row, r, &alpha, meter)? {
            return Ok(Decision::Stopped(stop));
        }
    }
    let free_rounds = FREE_ROUNDS * m as u64;
    for round in 0.. {
        let least_index = round >= free_rounds;
        let Some((r, above)) = state.leaving(least_index) else { return Ok(state.multipliers()) };
        let Some(row) = state.entering(r, above, least_index) else { return Ok(state.hyperplane(r, above)) };
        let alpha = state.inverse.times(&state.column(row));
        if let Some(stop) = meter.advance(1, 0) {
            return Ok(Decision::Stopped(stop));
        }
        if let Pivoted::Stopped(stop) = state.enter(row, r, &alpha, meter)? {
            return Ok(Decision::Stopped(stop));
        }
    }
    Ok(Decision::Stopped(Stop::Iterations))
}

impl State<'_> {
    /// `(yx, y, 1)`, the first part multiplied by the scale of the examples.
    fn column(&self, row: usize) -> Vec<Integer> {
        let dim = self.examples.dim();
        let negative = self.signs[row] == Sign::Negative;
        let mut column = vec![Integer::ZERO; dim + 2];
        for (k, value) in self.examples.row(row) {
            column[k] = if negative { -value } else { value.clone() };
        }
        column[dim] = Integer::from(if negative { -1 } else { 1 });
        column[dim + 1] = Integer::from(1);
        column
    }

    /// The product of a row of the inverse with the column of an example.
    fn entry(&self, rho: &[Integer], row: usize) -> Integer {
        let dim = self.examples.dim();
        let inside = &self.examples.dot(row, rho) + &rho[dim];
        let signed = if self.signs[row] == Sign::Negative { -&inside } else { inside };
        &signed + &rho[dim + 1]
    }

    fn enter(&mut self, row: usize, r: usize, alpha: &[Integer], meter: &mut Meter<'_>) -> Result<Pivoted> {
        if let Some(old) = self.basis[r].replace(row) {
            self.basic[old] = false;
        }
        self.basic[row] = true;
        self.inverse.exchange(r, alpha, meter)
    }

    /// The value of a basic variable, multiplied by the common denominator.
    fn value(&self, r: usize) -> &Integer {
        &self.inverse.row(r)[self.examples.dim() + 1]
    }

    /// A basic variable outside its bounds, and whether it is above them, which only that of a unit column can be.
    fn leaving(&self, least_index: bool) -> Option<(usize, bool)> {
        let outside = |r: &usize| {
            let value = self.value(*r);
            value.is_negative() || (self.basis[*r].is_none() && !value.is_zero())
        };
        let rows = (0..self.basis.len()).filter(outside);
        let r = if least_index {
            // Unit columns come before all examples, and never come back.
            rows.min_by_key(|&r| self.basis[r].map_or(0, |row| row + 1))
        } else {
            rows.max_by_key(|&r| (self.basis[r].is_none(), self.value(r).abs()))
        };
        r.map(|r| (r, self.value(r).is_positive()))
    }

    /// An example whose entry in row `r` has the sign that moves the basic variable toward its bound.
    fn entering(&self, r: usize, above: bool, least_index: bool) -> Option<usize> {
        let rho = self.inverse.row(r);
        let fits = |row: &usize| {
            let entry = self.entry(rho, *row);
            let right = if above { entry.is_positive() } else { entry.is_negative() };
            right.then_some((entry.abs(), *row))
        };
        let mut candidates = self.present.iter().filter(|&&row| !self.basic[row]);
        if least_index {
            candidates.find_map(fits).map(|(_, row)| row)
        } else {
            candidates.filter_map(fits).max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1))).map(|(_, row)| row)
        }
    }

    /// The basic solution, which is feasible.
    fn multipliers(&self) -> Decision {
        let denominator = self.inverse.denominator();
        let kept = self.basis.iter().enumerate().filter_map(|(r, &row)| {
            let value = Rational::new(self.value(r).clone(), denominator.clone())?;
            row.filter(|_| !value.is_zero()).map(|row| (row, value))
        });
        let mut multipliers: Vec<_> = kept.collect();
        multipliers.sort_by_key(|(row, _)| *row);
        Decision::Inseparable(multipliers)
    }

    /// The hyperplane that row `r` stands for: `ρ·(yx, y) ≥ −ρ₀ > 0` for every example, with the sign that makes it so.
    fn hyperplane(&self, r: usize, above: bool) -> Decision {
        let dim = self.examples.dim();
        let signed = |value: &Integer| if above { -value } else { value.clone() };
        let row = self.inverse.row(r);
        let weights =
            row[..dim].iter().map(|value| Rational::from(&signed(value) * self.examples.scale())).collect();
        Decision::Separable(weights, Rational::from(signed(&row[dim])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::Control;

    fn decided(points: &[[&str; 1]], signs: &[Sign], proposal: &[usize]) -> Decision {
        let examples = ExactExamples::from_decimals(points).unwrap();
        let rows: Vec<usize> = (0..points.len()).collect();
        let mut meter = Control::default().start(100);
        decide(&examples, signs, &rows, proposal, 1 << 20, &mut meter).unwrap()
    }

    #[test]
    fn three_points_on_a_line_by_hand() {
        use Sign::{Negative, Positive};
        // −1 at 1 lies between +1 at 0 and +1 at 3: λ = (1/3, 1/2, 1/6), from any proposal.
        for proposal in [&[][..], &[0, 1, 2], &[2], &[1, 0]] {
            let found = decided(&[["0"], ["1"], ["3"]], &[Positive, Negative, Positive], proposal);
            let Decision::Inseparable(multipliers) = found else { panic!("{proposal:?}") };
            let shown: Vec<String> =
                multipliers.iter().map(|(row, value)| format!("{row}: {value}")).collect();
            assert_eq!(shown, ["0: 1/3", "1: 1/2", "2: 1/6"]);
        }
        // With the sign of 3 changed, anything between 0 and 1 separates.
        for proposal in [&[][..], &[0, 1, 2], &[2]] {
            let found = decided(&[["0"], ["1"], ["3"]], &[Positive, Negative, Negative], proposal);
            let Decision::Separable(weights, bias) = found else { panic!("{proposal:?}") };
            assert!(weights[0].is_negative() && bias.is_positive());
            assert!((&weights[0] + &bias).is_negative());
        }
    }

    #[test]
    fn one_column_by_hand() {
        let examples = ExactExamples::from_decimals(&[["0.5"], ["2"]]).unwrap();
        let signs = [Sign::Positive, Sign::Negative];
        let inverse = IntegerInverse::unit(3, 100);
        let state = State {
            examples: &examples,
            signs: &signs,
            present: &[0, 1],
            inverse,
            basis: vec![None; 3],
            basic: vec![false; 2],
        };
        // Integers are those of twice the data.
        assert_eq!(state.column(0), [1, 1, 1].map(Integer::from));
        assert_eq!(state.column(1), [-4, -1, 1].map(Integer::from));
        let rho = [2, 3, 5].map(Integer::from);
        assert_eq!(state.entry(&rho, 1), Integer::from(-6)); // 2·(−4) + 3·(−1) + 5
        assert_eq!(state.leaving(false), Some((2, true)));
        assert_eq!(state.entering(2, true, true), Some(0));
    }
}
