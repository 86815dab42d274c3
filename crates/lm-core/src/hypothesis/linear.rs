//! The linear function: one weight for each column, and a bias.

use super::{Hypothesis, Lift, check_coefficients, check_finite, check_out};
use crate::{Dense, Error, Examples, Result, Sign, parallel};

/// `f(x) = ⟨w·x⟩ + b`, and the hyperplane `f(x) = 0`.
///
/// ```
/// use lm_core::{Linear, Sign};
///
/// let f = Linear::new(vec![3.0, 4.0], -5.0)?;
/// assert_eq!(f.decision(&[1.0, 2.0])?, 6.0);
/// assert_eq!(f.distance(&[1.0, 2.0])?, 1.2); // f(x) / ‖w‖
/// assert_eq!(f.classify(&[1.0, 0.5])?, Sign::Positive); // on the hyperplane: sgn(0) = +1
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Parts"))]
pub struct Linear {
    #[cfg_attr(feature = "serde", serde(with = "crate::serde_array"))]
    weights: Vec<f64>,
    bias: f64,
}

/// What a decoder reads before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Parts {
    #[serde(with = "crate::serde_array")]
    weights: Vec<f64>,
    bias: f64,
}

#[cfg(feature = "serde")]
impl TryFrom<Parts> for Linear {
    type Error = Error;

    fn try_from(parts: Parts) -> Result<Self> {
        Self::new(parts.weights, parts.bias)
    }
}

impl Linear {
    /// A linear function with these weights and this bias.
    ///
    /// # Errors
    /// [`Error::Empty`] without weights, [`Error::NonFinite`] or [`Error::Numerical`] if one is not finite.
    pub fn new(weights: Vec<f64>, bias: f64) -> Result<Self> {
        if weights.is_empty() {
            return Err(Error::Empty { what: "the weight vector" });
        }
        check_coefficients("weight", &weights, bias)?;
        Ok(Self { weights, bias })
    }

    /// The weight vector `w`.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The bias `b`.
    pub fn bias(&self) -> f64 {
        self.bias
    }

    /// `‖w‖`, without overflow where the norm itself is finite.
    pub fn norm(&self) -> f64 {
        let largest = self.weights.iter().fold(0.0_f64, |largest, w| largest.max(w.abs()));
        if largest == 0.0 {
            return 0.0;
        }
        let scaled: f64 = self.weights.iter().map(|w| (w / largest) * (w / largest)).sum();
        largest * scaled.sqrt()
    }

    /// The decision value of one example.
    ///
    /// # Errors
    /// [`Error::Length`] for another dimension, [`Error::NonFinite`] for an example that is not finite,
    /// [`Error::Numerical`] if the value overflows.
    pub fn decision(&self, example: &[f64]) -> Result<f64> {
        let mut value = [0.0];
        self.decision_values_into(&Dense::single(example)?, &mut value)?;
        Ok(value[0])
    }

    /// The side of one example, with sgn(0) = +1.
    ///
    /// # Errors
    /// As [`Linear::decision`].
    pub fn classify(&self, example: &[f64]) -> Result<Sign> {
        self.decision(example).map(Sign::of)
    }

    /// The signed distance of one example to the hyperplane, `f(x) / ‖w‖`.
    ///
    /// # Errors
    /// As [`Linear::decision`]; [`Error::Numerical`] if all weights are zero, so that there is no hyperplane.
    pub fn distance(&self, example: &[f64]) -> Result<f64> {
        let distance = self.decision(example)? / self.norm();
        if distance.is_finite() {
            Ok(distance)
        } else {
            Err(Error::Numerical { what: "the distance to the hyperplane" })
        }
    }

    /// The difference of two functions: zero where they are equal.
    ///
    /// # Errors
    /// [`Error::Length`] for different dimensions, [`Error::NonFinite`] or [`Error::Numerical`] for overflow.
    pub fn minus(&self, other: &Self) -> Result<Self> {
        if other.weights.len() != self.weights.len() {
            let (expected, found) = (self.weights.len(), other.weights.len());
            return Err(Error::Length { what: "the other weight vector", expected, found });
        }
        let weights = self.weights.iter().zip(&other.weights).map(|(a, b)| a - b).collect();
        Self::new(weights, self.bias - other.bias)
    }
}

impl<E: Examples + ?Sized> Hypothesis<E> for Linear {
    fn decision_values_into(&self, set: &E, out: &mut [f64]) -> Result<()> {
        // Long enough that a block outweighs handing it to a thread.
        const BLOCK: usize = 1024;
        set.check_dim("the weight vector", self.weights.len())?;
        check_out(set, out)?;
        parallel::for_each_chunk(out, BLOCK, |block, out| {
            for (offset, out) in out.iter_mut().enumerate() {
                *out = set.dot(block * BLOCK + offset, &self.weights) + self.bias;
            }
        });
        check_finite(out)
    }
}

impl Lift for Linear {
    fn lifted(self, _: &[usize]) -> Result<Self> {
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_that_are_not_finite_make_no_model() {
        assert!(matches!(Linear::new(vec![], 0.0), Err(Error::Empty { .. })));
        assert!(matches!(Linear::new(vec![1.0, f64::NAN], 0.0), Err(Error::NonFinite { row: 1, .. })));
        assert!(matches!(Linear::new(vec![1.0], f64::INFINITY), Err(Error::Numerical { .. })));
    }

    #[test]
    fn norms_of_huge_and_tiny_weights_are_right() {
        for scale in [1e300, 1e-300, 1.0] {
            let norm = Linear::new(vec![3.0 * scale, -4.0 * scale], 0.0).unwrap().norm();
            assert!((norm / (5.0 * scale) - 1.0).abs() < 1e-15);
        }
        assert_eq!(Linear::new(vec![0.0], 1.0).unwrap().norm(), 0.0);
    }

    #[test]
    fn overflow_and_a_missing_hyperplane_are_errors() {
        let huge = Linear::new(vec![1e300, 1e300], 0.0).unwrap();
        assert!(matches!(huge.decision(&[1e300, 1e300]), Err(Error::Numerical { .. })));
        let flat = Linear::new(vec![0.0], 1.0).unwrap();
        assert!(matches!(flat.distance(&[1.0]), Err(Error::Numerical { .. })));
        assert!(matches!(flat.decision(&[1.0, 2.0]), Err(Error::Length { .. })));
        assert!(matches!(flat.decision(&[f64::NAN]), Err(Error::NonFinite { .. })));
    }
}
