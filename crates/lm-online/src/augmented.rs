//! Examples with a constant attribute in front, so that a bias is one more weight.
//!
//! ```text
//! y = (β, x),   a = (a₀, w):   ⟨a·y⟩ = ⟨w·x⟩ + b   with   b = β·a₀
//! ```
//!
//! A correction `a ← a + η·y` moves the bias by `η·β²`: with `β = 1` that is the standard step, with `β = R` the step
//! `η·R²`. Without a bias there is no such attribute.

use lm_core::{Examples, Linear, Result};

use crate::Bias;

/// Examples with a constant attribute `β` in front, or without one.
pub(crate) struct Augmented<'a, E: ?Sized> {
    examples: &'a E,
    constant: Option<f64>,
}

impl<'a, E: Examples + ?Sized> Augmented<'a, E> {
    /// The examples with the constant that this kind of bias asks for; those of weight 0 do not count for the radius.
    pub(crate) fn new(examples: &'a E, bias: Bias, weight: impl Fn(usize) -> f64) -> Self {
        let radius = || {
            let present = (0..examples.len()).filter(|&row| weight(row) != 0.0);
            largest(present.map(|row| examples.norm_squared(row))).sqrt()
        };
        let constant = match bias {
            Bias::Radius => Some(radius()),
            Bias::Standard => Some(1.0),
            Bias::None => None,
        };
        Self { examples, constant }
    }

    /// The number of weights.
    pub(crate) fn dim(&self) -> usize {
        self.examples.dim() + usize::from(self.constant.is_some())
    }

    /// `β`, where there is a bias.
    pub(crate) fn constant(&self) -> Option<f64> {
        self.constant
    }

    /// `⟨a·y⟩`.
    pub(crate) fn dot(&self, row: usize, a: &[f64]) -> f64 {
        match (self.constant, a) {
            (Some(constant), [first, w @ ..]) => self.examples.dot(row, w) + constant * first,
            _ => self.examples.dot(row, a),
        }
    }

    /// Calls `visit` with every row and its `⟨a·y⟩`, in order: scores of neighbouring rows are cheaper together.
    pub(crate) fn for_each_score(&self, a: &[f64], mut visit: impl FnMut(usize, f64)) {
        const BLOCK: usize = 64;
        let (bias, w) = match (self.constant, a) {
            (Some(constant), [first, w @ ..]) => (constant * first, w),
            _ => (0.0, a),
        };
        let mut scores = [0.0; BLOCK];
        for start in (0..self.examples.len()).step_by(BLOCK) {
            let end = (start + BLOCK).min(self.examples.len());
            let scores = &mut scores[..end - start];
            self.examples.dots(start..end, w, scores);
            (start..end).zip(scores).for_each(|(row, score)| visit(row, *score + bias));
        }
    }

    /// `a ← a + factor·y`.
    pub(crate) fn add_scaled(&self, row: usize, factor: f64, a: &mut [f64]) {
        match (self.constant, a) {
            (Some(constant), [first, w @ ..]) => {
                *first += factor * constant;
                self.examples.add_scaled(row, factor, w);
            }
            (_, a) => self.examples.add_scaled(row, factor, a),
        }
    }

    /// `‖y‖²`.
    pub(crate) fn norm_squared(&self, row: usize) -> f64 {
        self.examples.norm_squared(row) + self.constant.map_or(0.0, |constant| constant * constant)
    }

    /// Calls `visit` with the place and value of every stored entry of `y`.
    pub(crate) fn for_each_entry(&self, row: usize, mut visit: impl FnMut(usize, f64)) {
        let offset = usize::from(self.constant.is_some());
        if let Some(constant) = self.constant {
            visit(0, constant);
        }
        self.examples.row(row).for_each(|k, x| visit(k + offset, x));
    }

    /// The function `⟨w·x⟩ + β·a₀`.
    pub(crate) fn hyperplane(&self, a: &[f64]) -> Result<Linear> {
        match (self.constant, a) {
            (Some(constant), [first, w @ ..]) => Linear::new(w.to_vec(), constant * first),
            _ => Linear::new(a.to_vec(), 0.0),
        }
    }
}

/// The largest of some numbers ≥ 0. A maximum passes over NaN: this one keeps it, for the learner to find.
pub(crate) fn largest(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.fold(0.0, |most, number| if number <= most { most } else { number })
}

/// `‖a‖`, without overflow where the norm itself is finite.
pub(crate) fn norm(a: &[f64]) -> f64 {
    let largest = a.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    if largest == 0.0 || !largest.is_finite() {
        // The maximum passes over NaN: a sum does not.
        return a.iter().map(|value| value.abs()).sum();
    }
    let scaled: f64 = a.iter().map(|value| (value / largest) * (value / largest)).sum();
    largest * scaled.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::Dense;

    #[test]
    fn the_bias_is_the_weight_of_the_constant() {
        let examples = Dense::new(vec![3.0, 4.0, 1.0, 0.0], 2, 2).unwrap();
        for (bias, constant) in [(Bias::Radius, Some(5.0)), (Bias::Standard, Some(1.0)), (Bias::None, None)] {
            let augmented = Augmented::new(&examples, bias, |_| 1.0);
            assert_eq!(augmented.constant(), constant);
            let mut a = vec![0.0; augmented.dim()];
            augmented.add_scaled(0, 2.0, &mut a);
            let f = augmented.hyperplane(&a).unwrap();
            assert_eq!(f.weights(), [6.0, 8.0]);
            assert_eq!(f.bias(), constant.map_or(0.0, |c| 2.0 * c * c));
            assert_eq!(augmented.dot(1, &a), f.decision(&[1.0, 0.0]).unwrap());
            let mut scores = Vec::new();
            augmented.for_each_score(&a, |row, score| scores.push((row, score)));
            assert_eq!(scores, [(0, augmented.dot(0, &a)), (1, augmented.dot(1, &a))]);
            assert_eq!(augmented.norm_squared(0), 25.0 + constant.map_or(0.0, |c| c * c));
        }
    }

    #[test]
    fn norms_neither_overflow_nor_hide_nan() {
        assert_eq!(norm(&[3e300, 4e300]), 5e300);
        assert_eq!(norm(&[0.0, 0.0]), 0.0);
        assert!(norm(&[0.0, f64::NAN]).is_nan());
        assert!(norm(&[f64::INFINITY, 1.0]).is_infinite());
    }
}
