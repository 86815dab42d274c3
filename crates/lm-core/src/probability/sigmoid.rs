//! The sigmoid that turns a decision value into a probability.

use crate::{Error, Result};

/// `P(+ | f) = 1 / (1 + exp(A f + B))`. With `A < 0` a larger decision value makes the positive class more probable.
///
/// ```
/// use lm_core::probability::Sigmoid;
///
/// let sigmoid = Sigmoid::new(-2.0, 0.0)?;
/// let [negative, positive] = sigmoid.probabilities(1.0);
/// assert!((positive / negative - 2.0_f64.exp()).abs() < 1e-12);
/// assert_eq!(sigmoid.probabilities(-1.0), [positive, negative]);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "(f64, f64)", into = "(f64, f64)"))]
pub struct Sigmoid {
    slope: f64,
    offset: f64,
}

impl TryFrom<(f64, f64)> for Sigmoid {
    type Error = Error;

    fn try_from((slope, offset): (f64, f64)) -> Result<Self> {
        Self::new(slope, offset)
    }
}

impl From<Sigmoid> for (f64, f64) {
    fn from(sigmoid: Sigmoid) -> Self {
        (sigmoid.slope, sigmoid.offset)
    }
}

impl Sigmoid {
    /// A sigmoid with the slope `A` and the offset `B`.
    ///
    /// # Errors
    /// [`Error::Setting`] unless both are finite.
    pub fn new(slope: f64, offset: f64) -> Result<Self> {
        for (name, value) in [("slope", slope), ("offset", offset)] {
            if !value.is_finite() {
                return Err(Error::Setting { name, value, accepted: "a finite number" });
            }
        }
        Ok(Self { slope, offset })
    }

    /// The slope `A`.
    pub fn slope(&self) -> f64 {
        self.slope
    }

    /// The offset `B`.
    pub fn offset(&self) -> f64 {
        self.offset
    }

    /// The probabilities of the negative and the positive class at a finite decision value. Each keeps its digits, also where
    /// it is small.
    pub fn probabilities(&self, value: f64) -> [f64; 2] {
        let exponent = self.slope * value + self.offset;
        // An overflow of both terms, in opposite directions, decides nothing.
        let exponent = if exponent.is_nan() { 0.0 } else { exponent };
        let small = (-exponent.abs()).exp();
        let (likely, unlikely) = (1.0 / (1.0 + small), small / (1.0 + small));
        if exponent >= 0.0 { [likely, unlikely] } else { [unlikely, likely] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_add_up_and_keep_their_digits_at_both_ends() {
        let sigmoid = Sigmoid::new(-1.0, 0.5).unwrap();
        for value in [-700.0, -40.0, -1.0, 0.0, 0.5, 3.0, 40.0, 700.0] {
            let [negative, positive] = sigmoid.probabilities(value);
            assert!((negative + positive - 1.0).abs() < 1e-15);
            assert!(((positive / negative).ln() - (value - 0.5)).abs() < 1e-12 * (1.0 + value.abs()));
        }
        assert_eq!(Sigmoid::new(-1e300, 0.0).unwrap().probabilities(1e300), [0.0, 1.0]);
        assert_eq!(Sigmoid::new(-1e300, f64::MAX).unwrap().probabilities(1e300), [0.0, 1.0]);
        assert!(Sigmoid::new(f64::NAN, 0.0).is_err() && Sigmoid::new(0.0, f64::INFINITY).is_err());
    }
}
