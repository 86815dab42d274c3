//! Multipliers that prove how good a soft margin machine is: coordinate ascent of the dual problem.
//!
//! # Problem
//! ```text
//! maximise Σαᵢ − ½‖Σ αᵢyᵢφ(xᵢ)‖²   subject to 0 ≤ αᵢ ≤ cᵢ  and, with a bias,  Σ αᵢyᵢ = 0
//! ```
//! # Method
//! The method of multipliers for the constraint: with `b` as its multiplier and a penalty `½ρ(Σ αᵢyᵢ)²`, the best value of
//! one `αᵢ` given all others is
//! ```text
//! αᵢ + (1 − yᵢ(⟨w·φ(xᵢ)⟩ + b + ρ Σ αⱼyⱼ)) / (K(xᵢ, xᵢ) + ρ) ,   cut off at 0 and cᵢ .
//! ```
//! A sweep visits all of them, in an order that differs from sweep to sweep; then `b ← b + ρ Σ αⱼyⱼ`. The penalty `ρ` is the
//! mean of `K(xᵢ, xᵢ)`. After some sweeps the side of larger sum gives up what is left to balance, by the multipliers first
//! that lie furthest beyond the margin, so that the constraint holds.
//! # Cost
//! One inner product and one addition of an example for each multiplier that changes; over a Gram matrix, one row.
//! # Reference
//! Hsieh, Chang, Lin, Keerthi & Sundararajan (2008), "A dual coordinate descent method for large-scale linear SVM";
//! Bertsekas (1982), chapter 2, for the method of multipliers.

use lm_core::{Columns, Examples, Gram, Result};

use crate::soft_margin::Problem;

/// Where the weights `Σ αᵢyᵢφ(xᵢ)` live.
pub(crate) trait Space {
    /// Visits between two questions whether to go on.
    const BLOCK: usize;

    /// `⟨w·φ(xᵢ)⟩`.
    fn score(&self, row: usize) -> f64;

    /// `K(xᵢ, xᵢ)`.
    fn own(&self, row: usize) -> f64;

    /// `w ← w + a·φ(xᵢ)`.
    fn add(&mut self, row: usize, a: f64) -> Result<()>;

    /// `‖w‖²`, given the coefficients of the weights.
    fn norm_squared(&self, coefficients: impl Iterator<Item = f64>) -> f64;
}

/// Weights as a vector.
pub(crate) struct Vectors<'a, E: ?Sized> {
    pub(crate) examples: &'a E,
    pub(crate) weights: Vec<f64>,
}

impl<E: Examples + ?Sized> Space for Vectors<'_, E> {
    const BLOCK: usize = 4096;

    fn score(&self, row: usize) -> f64 {
        self.examples.dot(row, &self.weights)
    }

    fn own(&self, row: usize) -> f64 {
        self.examples.norm_squared(row)
    }

    fn add(&mut self, row: usize, a: f64) -> Result<()> {
        self.examples.add_scaled(row, a, &mut self.weights);
        Ok(())
    }

    fn norm_squared(&self, _: impl Iterator<Item = f64>) -> f64 {
        self.weights.iter().map(|w| w * w).sum()
    }
}

/// Weights known by their scores at all examples.
pub(crate) struct Scores<'a, G: ?Sized> {
    pub(crate) gram: &'a G,
    pub(crate) diagonal: Vec<f64>,
    pub(crate) scores: Vec<f64>,
    row: Vec<f64>,
    /// How many rows of the matrix were asked for.
    pub(crate) rows: u64,
}

impl<'a, G: Gram + ?Sized> Scores<'a, G> {
    pub(crate) fn new(gram: &'a G, diagonal: Vec<f64>) -> Self {
        let len = diagonal.len();
        Self { gram, diagonal, scores: vec![0.0; len], row: vec![0.0; len], rows: 0 }
    }
}

impl<G: Gram + ?Sized> Space for Scores<'_, G> {
    const BLOCK: usize = 64;

    fn score(&self, row: usize) -> f64 {
        self.scores[row]
    }

    fn own(&self, row: usize) -> f64 {
        self.diagonal[row]
    }

    fn add(&mut self, row: usize, a: f64) -> Result<()> {
        self.gram.fill(&[row], Columns::All, &mut self.row)?;
        self.rows += 1;
        self.scores.iter_mut().zip(&self.row).for_each(|(score, value)| *score += a * value);
        Ok(())
    }

    fn norm_squared(&self, coefficients: impl Iterator<Item = f64>) -> f64 {
        coefficients.zip(&self.scores).map(|(coefficient, score)| coefficient * score).sum()
    }
}

/// Multipliers and the weights that they make.
pub(crate) struct Ascent<S> {
    pub(crate) alpha: Vec<f64>,
    pub(crate) space: S,
    /// The multiplier `b` of the constraint.
    bias: f64,
    /// How many sweeps were made.
    sweeps: u64,
}

impl<S: Space> Ascent<S> {
    /// Multipliers with the weights that belong to them, and a guess of the bias.
    pub(crate) fn new(alpha: Vec<f64>, space: S, bias: f64) -> Self {
        Self { alpha, space, bias, sweeps: 0 }
    }

    /// `‖Σ αᵢyᵢφ(xᵢ)‖²`.
    pub(crate) fn norm_squared(&self, problem: &Problem) -> f64 {
        self.space.norm_squared(self.alpha.iter().zip(&problem.signs).map(|(alpha, sign)| alpha * sign))
    }

    /// The value of the dual problem with a bias in place of the constraint.
    pub(crate) fn value(&self, problem: &Problem, bias: f64) -> f64 {
        let terms = self.alpha.iter().zip(&problem.signs).map(|(alpha, sign)| alpha * (1.0 - bias * sign));
        terms.sum::<f64>() - 0.5 * self.norm_squared(problem)
    }

    /// Makes some sweeps as long as it may go on, and balances what they leave.
    pub(crate) fn improve(
        &mut self,
        problem: &Problem,
        sweeps: u64,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<()> {
        let len = self.alpha.len();
        let penalty =
            if problem.biased { (0..len).map(|row| self.space.own(row) / len as f64).sum() } else { 0.0 };
        for _ in 0..sweeps {
            if !self.sweep(problem, penalty, go_on)? {
                break;
            }
        }
        self.balance(problem)
    }

    /// Visits every multiplier once, neighbours far apart: data are often sorted by class. False if it had to end.
    fn sweep(&mut self, problem: &Problem, penalty: f64, go_on: &mut dyn FnMut() -> bool) -> Result<bool> {
        let len = self.alpha.len();
        self.sweeps += 1;
        // The golden section spreads the strides of many sweeps evenly.
        let share = (self.sweeps as f64 * 0.618_033_988_749_895).fract();
        let stride = stride(len, (len as f64 * share) as usize);
        let mut balance = self.surplus(problem);
        let mut row = 0;
        for visit in 0..len {
            if visit % S::BLOCK == 0 && !go_on() {
                return Ok(false);
            }
            let bias = self.bias + penalty * balance;
            balance += problem.signs[row] * self.visit(problem, bias, penalty, row)?;
            row = (row + stride) % len;
        }
        // Without a bias it stays 0.
        self.bias += penalty * balance;
        Ok(true)
    }

    /// `Σ αᵢyᵢ`.
    fn surplus(&self, problem: &Problem) -> f64 {
        self.alpha.iter().zip(&problem.signs).map(|(alpha, sign)| alpha * sign).sum()
    }

    /// Gives one multiplier its best value; by how much it has changed.
    fn visit(&mut self, problem: &Problem, bias: f64, penalty: f64, row: usize) -> Result<f64> {
        let (sign, cost) = (problem.signs[row], problem.costs[row]);
        let short = 1.0 - sign * (self.space.score(row) + bias);
        let before = self.alpha[row];
        // Where the multiplier is at the end that the slope points to, there is nothing to compute.
        if (short <= 0.0 && before == 0.0) || (short >= 0.0 && before == cost) {
            return Ok(0.0);
        }
        let own = self.space.own(row) + penalty;
        let best = if own > 0.0 { before + short / own } else { short * f64::INFINITY };
        // Written so that NaN changes nothing.
        let after = if best >= cost { cost } else { best.max(0.0) };
        if after == before || !short.is_finite() {
            return Ok(0.0);
        }
        self.alpha[row] = after;
        self.space.add(row, (after - before) * sign)?;
        Ok(after - before)
    }

    /// Lowers multipliers of the side of larger sum until both sides are equal.
    fn balance(&mut self, problem: &Problem) -> Result<()> {
        if !problem.biased {
            return Ok(());
        }
        let surplus = self.surplus(problem);
        let (sign, mut surplus) = (1.0_f64.copysign(surplus), surplus.abs());
        let present = |&row: &usize| problem.signs[row] == sign && self.alpha[row] > 0.0;
        let mut rows: Vec<(f64, usize)> =
            (0..self.alpha.len()).filter(present).map(|row| (sign * self.space.score(row), row)).collect();
        rows.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (_, row) in rows {
            if !(surplus > 0.0) {
                break;
            }
            let given = surplus.min(self.alpha[row]);
            self.alpha[row] -= given;
            surplus -= given;
            self.space.add(row, -given * sign)?;
        }
        Ok(())
    }
}

/// The first number from `from` on that has no common divisor with the length.
fn stride(len: usize, from: usize) -> usize {
    let coprime = |&step: &usize| {
        let (mut a, mut b) = (len, step);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a == 1
    };
    (from.max(1)..len).find(coprime).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::testing::SplitMix64;
    use lm_core::{Dense, VectorGram, VectorKernel};

    #[test]
    fn strides_visit_every_row_once() {
        for len in 1..200 {
            for from in [0, len / 3, len / 2, len] {
                let stride = stride(len, from);
                let mut seen: Vec<usize> = (0..len).map(|k| k * stride % len).collect();
                seen.sort_unstable();
                assert!(seen.into_iter().eq(0..len), "{len}");
            }
        }
    }

    #[test]
    fn sweeps_raise_the_value_and_balance_keeps_the_constraints_in_both_spaces() {
        for seed in 0..10 {
            let mut random = SplitMix64::new(seed);
            let examples = Dense::new((0..60).map(|_| random.uniform(-1.0, 1.0)).collect(), 30, 2).unwrap();
            let signs: Vec<f64> = (0..30).map(|row| if row % 3 == 0 { 1.0 } else { -1.0 }).collect();
            let costs = (0..30).map(|_| random.below(3) as f64).collect();
            let problem = Problem { signs, costs, biased: true };
            let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
            let space = Vectors { examples: &examples, weights: vec![0.0; 2] };
            let mut a = Ascent::new(vec![0.0; 30], space, 0.0);
            let space = Scores::new(&gram, gram.diagonal().unwrap());
            let mut b = Ascent::new(vec![0.0; 30], space, 0.0);
            let free = Problem { biased: false, ..problem.clone() };
            let mut last = 0.0;
            for _ in 0..20 {
                assert!(a.sweep(&free, 0.0, &mut || true).unwrap());
                assert!(b.sweep(&free, 0.0, &mut || true).unwrap());
                let value = a.value(&free, 0.0);
                assert!(value >= last - 1e-12, "seed {seed}: {value} after {last}");
                assert!((value - b.value(&free, 0.0)).abs() < 1e-9, "seed {seed}");
                last = value;
            }
            a.improve(&problem, 3, &mut || true).unwrap();
            b.improve(&problem, 3, &mut || true).unwrap();
            let balance: f64 = a.alpha.iter().zip(&problem.signs).map(|(alpha, sign)| alpha * sign).sum();
            assert!(balance.abs() < 1e-12, "seed {seed}");
            assert!(a.alpha.iter().zip(&problem.costs).all(|(alpha, cost)| (0.0..=*cost).contains(alpha)));
            assert!((a.norm_squared(&problem) - b.norm_squared(&problem)).abs() < 1e-9, "seed {seed}");
            let weights = &a.space.weights;
            for row in 0..30 {
                assert!((examples.dot(row, weights) - b.space.scores[row]).abs() < 1e-9, "seed {seed}");
            }
        }
    }
}
