//! Intervals with ends rounded outward.

use std::ops::{Add, Div, Mul, Neg, Sub};

use lm_core::double_double::two_sum;

/// All numbers between two ends; an operation encloses every result of numbers in its operands.
///
/// Operations round to the nearest number, so the true result lies between the neighbours of the rounded one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Interval {
    low: f64,
    high: f64,
}

impl Interval {
    /// The lower end.
    pub(crate) fn low(self) -> f64 {
        self.low
    }

    /// The upper end.
    pub(crate) fn high(self) -> f64 {
        self.high
    }

    /// `value + rest`, give or take `error ≥ 0`.
    pub(crate) fn around(value: f64, rest: f64, error: f64) -> Self {
        Self::from(value) + Self::from(rest) + Self { low: -error, high: error }
    }

    /// The sizes of the numbers.
    pub(crate) fn size(self) -> Self {
        if self.low >= 0.0 {
            self
        } else if self.high <= 0.0 {
            -self
        } else {
            Self { low: 0.0, high: self.high.max(-self.low) }
        }
    }

    /// The square roots of numbers that are not negative.
    pub(crate) fn root(self) -> Self {
        Self { low: self.low.max(0.0).sqrt().next_down().max(0.0), high: self.high.sqrt().next_up() }
    }

    /// The sum of the terms.
    pub(crate) fn sum(terms: &[f64]) -> Self {
        terms.iter().fold(Self::from(0.0), |sum, &term| sum + Self::from(term))
    }

    /// The sum of the terms, as narrow as an interval can be: a point where it is a stored number.
    pub(crate) fn exact_sum(terms: impl Iterator<Item = f64>) -> Self {
        // Numbers that do not overlap and add up to the sum without any rounding.
        let mut parts: Vec<f64> = Vec::new();
        for term in terms {
            let (mut sum, mut kept) = (term, 0);
            for k in 0..parts.len() {
                let (next, error) = two_sum(sum, parts[k]);
                if error != 0.0 {
                    parts[kept] = error;
                    kept += 1;
                }
                sum = next;
            }
            parts.truncate(kept);
            if sum != 0.0 {
                parts.push(sum);
            }
        }
        Self::sum(&parts)
    }

    /// The sum of the sizes of the terms.
    pub(crate) fn sum_of_sizes(terms: &[f64]) -> Self {
        terms.iter().fold(Self::from(0.0), |sum, &term| sum + Self::from(term.abs()))
    }
}

impl From<f64> for Interval {
    fn from(value: f64) -> Self {
        Self { low: value, high: value }
    }
}

/// Below and above a rounded result; a sum or product with 0 is exact.
fn outward(low: f64, high: f64) -> Interval {
    Interval { low: low.next_down(), high: high.next_up() }
}

impl Neg for Interval {
    type Output = Self;

    fn neg(self) -> Self {
        Self { low: -self.high, high: -self.low }
    }
}

impl Add for Interval {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let nought = Self::from(0.0);
        if other == nought {
            self
        } else if self == nought {
            other
        } else {
            outward(self.low + other.low, self.high + other.high)
        }
    }
}

impl Sub for Interval {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Interval {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let nought = Self::from(0.0);
        if self == nought || other == nought {
            return nought;
        }
        let corners =
            [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high];
        let low = corners.iter().copied().fold(f64::INFINITY, f64::min);
        let high = corners.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        outward(low, high)
    }
}

impl Div for Interval {
    type Output = Self;

    /// By numbers that are positive; anything else gives the whole line.
    fn div(self, other: Self) -> Self {
        if !(other.low > 0.0) {
            return Self { low: f64::NEG_INFINITY, high: f64::INFINITY };
        }
        let corners =
            [self.low / other.low, self.low / other.high, self.high / other.low, self.high / other.high];
        let low = corners.iter().copied().fold(f64::INFINITY, f64::min);
        let high = corners.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        outward(low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Integers below 2⁵⁰ over powers of two: sums and products are known exactly as integers.
    #[test]
    fn exact_results_lie_inside() {
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 12) as i64 - (1 << 51)
        };
        for _ in 0..10_000 {
            let (a, b) = (next(), next());
            let (x, y) = (Interval::from(a as f64), Interval::from(b as f64));
            // |a·b| < 2¹⁰²: compared in 128 bits by rounding the ends, which are integers as well.
            let exact = i128::from(a) * i128::from(b);
            let product = x * y;
            assert!((product.low as i128) <= exact && exact <= (product.high as i128), "{a}·{b}");
            let (sum, difference) = (x + y, x - y);
            assert!(sum.low as i128 <= i128::from(a) + i128::from(b));
            assert!(i128::from(a) - i128::from(b) <= difference.high as i128);
            if b > 0 {
                // low·b ≤ a ≤ high·b
                let quotient = x / y;
                let (low, high) = (Interval::from(quotient.low) * y, Interval::from(quotient.high) * y);
                assert!(low.low <= a as f64 && a as f64 <= high.high);
            }
        }
    }

    #[test]
    fn what_is_exact_stays_so() {
        let nought = Interval::from(0.0);
        let x = Interval::from(0.1);
        assert_eq!((x + nought, x * nought, nought - x), (x, nought, -x));
        assert_eq!(Interval::around(3.0, 0.0, 0.0), Interval::from(3.0));
        assert_eq!((x / nought).high(), f64::INFINITY);
    }

    #[test]
    fn a_sum_that_is_a_number_is_a_point() {
        let of = |terms: &[f64]| Interval::exact_sum(terms.iter().copied());
        assert_eq!(of(&[1e300, 0.1, -1e300, -0.1]), Interval::from(0.0));
        assert_eq!(of(&[1e16, 1.0, 1.0, -1e16]), Interval::from(2.0));
        assert_eq!(of(&[]), Interval::from(0.0));
        // 0.1 and 0.2 do not add up to a number.
        let sum = of(&[0.1, 0.2]);
        assert!(sum.low() < 0.1 + 0.2 && sum.high() >= 0.1 + 0.2 && sum.high() - sum.low() < 1e-15);
    }

    #[test]
    fn sizes_and_roots_enclose() {
        let across = Interval::around(1.0, 0.0, 3.0);
        assert_eq!(across.size().low(), 0.0);
        assert!(across.size().high() >= 4.0);
        let root = Interval::from(2.0).root();
        assert!(root.low() * root.low() < 2.0 && root.high() * root.high() > 2.0);
    }
}
