//! Losses: what a wrong value of a function costs, in the one vocabulary that all crates share.
//!
//! A loss is a function of the target `y` and the value `f = f(x)`. Losses of classification depend on the margin
//! `y·f` with `y = ±1`, those of regression on the residual `f − y`. Learners minimise a norm plus such losses
//! ([`Loss::regularised_risk`]), and differ in the loss, the space and the way.
//!
//! ```text
//! of the margin m = y·f                     of the residual r = f − y
//!   zero-one       1 if sgn(f) ≠ y            square                   r²
//!   perceptron     max(0, −m)                 ε-insensitive            max(0, |r| − ε)
//!   hinge          max(0, 1 − m)              quadratic ε-insensitive  max(0, |r| − ε)²
//!   squared hinge  max(0, 1 − m)²
//!   logistic       ln(1 + exp(−m))
//! ```
//!
//! Reference: Cristianini & Shawe-Taylor (2000), definition 6.17 and section 6.3.

use crate::{Error, Result, Sign, Weights};

/// The half-width ε of the tube in which a residual costs nothing: a finite number, not negative.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "f64", into = "f64"))]
pub struct Epsilon(f64);

impl Epsilon {
    /// The half-width.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Epsilon {
    type Error = Error;

    fn try_from(value: f64) -> Result<Self> {
        if value >= 0.0 && value.is_finite() {
            Ok(Self(value))
        } else {
            Err(Error::Setting { name: "epsilon", value, accepted: "a finite number ≥ 0" })
        }
    }
}

impl From<Epsilon> for f64 {
    fn from(epsilon: Epsilon) -> Self {
        epsilon.0
    }
}

/// What a loss is a function of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    /// The margin `y·f`, for targets `y = ±1`.
    Margin,
    /// The residual `f − y`, for real targets.
    Residual,
}

/// A loss `L(y, f)`.
///
/// All but [`Loss::ZeroOne`] are convex in `f`. No value, derivative or curvature is NaN for finite arguments; what
/// exceeds the range of `f64` (a square of 10²⁰⁰) is infinite.
///
/// ```
/// use lm_core::Loss;
///
/// assert_eq!(Loss::Hinge.value(1.0, 0.25), 0.75);
/// assert_eq!(Loss::Hinge.derivative(1.0, 0.25), -1.0);
/// assert_eq!(Loss::epsilon_insensitive(0.5)?.value(2.0, 3.0), 0.5);
/// assert_eq!(Loss::Logistic.value(-1.0, 1e300), 1e300); // no overflow on the way
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Loss {
    /// 1 if `sgn(f) ≠ y`, with sgn(0) = +1, else 0. Its derivative is 0 wherever it has one.
    ZeroOne,
    /// `max(0, −y·f)`. At `f = 0` the derivative is taken to be `−y`, so that learning can start from zero.
    Perceptron,
    /// `max(0, 1 − y·f)`. At `y·f = 1` the derivative is taken to be 0.
    Hinge,
    /// `max(0, 1 − y·f)²`. At `y·f = 1` the curvature is taken to be 0.
    SquaredHinge,
    /// `ln(1 + exp(−y·f))`.
    Logistic,
    /// `(f − y)²`.
    Square,
    /// `max(0, |f − y| − ε)`. At `|f − y| = ε` the derivative is taken to be 0.
    EpsilonInsensitive(Epsilon),
    /// `max(0, |f − y| − ε)²`. At `|f − y| = ε` the curvature is taken to be 0, unless `ε = 0`, where this is the
    /// square loss.
    QuadraticEpsilonInsensitive(Epsilon),
}

impl Loss {
    /// `max(0, |f − y| − ε)`.
    ///
    /// # Errors
    /// [`Error::Setting`] unless ε is finite and not negative.
    pub fn epsilon_insensitive(epsilon: f64) -> Result<Self> {
        epsilon.try_into().map(Self::EpsilonInsensitive)
    }

    /// `max(0, |f − y| − ε)²`.
    ///
    /// # Errors
    /// [`Error::Setting`] unless ε is finite and not negative.
    pub fn quadratic_epsilon_insensitive(epsilon: f64) -> Result<Self> {
        epsilon.try_into().map(Self::QuadraticEpsilonInsensitive)
    }

    /// What the loss is a function of, and with that which targets it accepts.
    pub fn argument(self) -> Argument {
        match self {
            Self::ZeroOne | Self::Perceptron | Self::Hinge | Self::SquaredHinge | Self::Logistic => {
                Argument::Margin
            }
            Self::Square | Self::EpsilonInsensitive(_) | Self::QuadraticEpsilonInsensitive(_) => {
                Argument::Residual
            }
        }
    }

    /// Whether the loss is convex in `f`.
    pub fn is_convex(self) -> bool {
        self != Self::ZeroOne
    }

    /// `L(y, f)`.
    pub fn value(self, y: f64, f: f64) -> f64 {
        match self {
            Self::ZeroOne => f64::from(u8::from(Sign::of(f) != Sign::of(y))),
            Self::Perceptron => (-y * f).max(0.0),
            Self::Hinge => (1.0 - y * f).max(0.0),
            Self::SquaredHinge => squared((1.0 - y * f).max(0.0)),
            Self::Logistic => {
                // Both branches take the exponential of a number ≤ 0.
                let margin = y * f;
                (-margin.abs()).exp().ln_1p() + (-margin).max(0.0)
            }
            Self::Square => squared(f - y),
            Self::EpsilonInsensitive(epsilon) => excess(y, f, epsilon).abs(),
            Self::QuadraticEpsilonInsensitive(epsilon) => squared(excess(y, f, epsilon)),
        }
    }

    /// `∂L/∂f`, or the subgradient that the variant names where there is a kink.
    pub fn derivative(self, y: f64, f: f64) -> f64 {
        match self {
            Self::ZeroOne => 0.0,
            Self::Perceptron => only_if(y * f <= 0.0, -y),
            Self::Hinge => only_if(y * f < 1.0, -y),
            Self::SquaredHinge => -2.0 * y * (1.0 - y * f).max(0.0),
            Self::Logistic => -y * logistic(-y * f),
            Self::Square => 2.0 * (f - y),
            Self::EpsilonInsensitive(epsilon) => match excess(y, f, epsilon) {
                0.0 => 0.0,
                excess => excess.signum(),
            },
            Self::QuadraticEpsilonInsensitive(epsilon) => 2.0 * excess(y, f, epsilon),
        }
    }

    /// `∂²L/∂f²`, 0 at a kink.
    pub fn curvature(self, y: f64, f: f64) -> f64 {
        match self {
            Self::ZeroOne | Self::Perceptron | Self::Hinge | Self::EpsilonInsensitive(_) => 0.0,
            Self::SquaredHinge => only_if(y * f < 1.0, 2.0 * y * y),
            Self::Logistic => {
                let tail = (-(y * f).abs()).exp();
                y * y * (tail / squared(1.0 + tail))
            }
            Self::Square => 2.0,
            Self::QuadraticEpsilonInsensitive(epsilon) => {
                only_if(epsilon.0 == 0.0 || (f - y).abs() > epsilon.0, 2.0)
            }
        }
    }

    /// The weighted mean of the losses of many values, `Σ wᵢ L(yᵢ, fᵢ) / Σ wᵢ`. Without weights, each counts once.
    ///
    /// # Errors
    /// [`Error::Empty`] without targets, [`Error::Length`] if the lists differ in length, [`Error::NonFinite`] for a
    /// target or value that is not finite, [`Error::Label`] for a target other than ±1 of a loss of the margin,
    /// [`Error::Numerical`] if the mean overflows.
    pub fn mean(self, targets: &[f64], values: &[f64], weights: Option<&Weights>) -> Result<f64> {
        self.check(targets, values, weights)?;
        let pairs = targets.iter().zip(values).map(|(&y, &f)| self.value(y, f));
        let mean = match weights {
            None => pairs.sum::<f64>() / targets.len() as f64,
            Some(weights) => {
                // A weight of 0 means absent, whatever the loss.
                let terms = pairs.zip(weights.values()).filter(|(_, w)| **w > 0.0).map(|(loss, w)| w * loss);
                terms.sum::<f64>() / weights.total()
            }
        };
        if mean.is_finite() { Ok(mean) } else { Err(Error::Numerical { what: "the mean loss" }) }
    }

    /// The general form of a regularised learning problem,
    ///
    /// ```text
    /// ‖f‖² + (C/ℓ) Σᵢ wᵢ L(yᵢ, fᵢ) ,   ℓ = Σᵢ wᵢ ,
    /// ```
    ///
    /// in which a weight counts as that many copies.
    ///
    /// ```
    /// use lm_core::Loss;
    ///
    /// // w = 2 and b = 0 on the examples 1 and 0.25, both positive: losses 0 and 0.5.
    /// let risk = Loss::Hinge.regularised_risk(4.0, 10.0, &[1.0, 1.0], &[2.0, 0.5], None)?;
    /// assert_eq!(risk, 4.0 + 10.0 / 2.0 * 0.5);
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Loss::mean`]; [`Error::Setting`] unless `‖f‖² ≥ 0` and `C > 0`, both finite.
    pub fn regularised_risk(
        self,
        norm_squared: f64,
        c: f64,
        targets: &[f64],
        values: &[f64],
        weights: Option<&Weights>,
    ) -> Result<f64> {
        if !(norm_squared >= 0.0 && norm_squared.is_finite()) {
            let accepted = "a finite number ≥ 0";
            return Err(Error::Setting { name: "norm_squared", value: norm_squared, accepted });
        }
        if !(c > 0.0 && c.is_finite()) {
            return Err(Error::Setting { name: "C", value: c, accepted: "a finite number > 0" });
        }
        let risk = norm_squared + c * self.mean(targets, values, weights)?;
        if risk.is_finite() { Ok(risk) } else { Err(Error::Numerical { what: "the regularised risk" }) }
    }

    fn check(self, targets: &[f64], values: &[f64], weights: Option<&Weights>) -> Result<()> {
        let expected = targets.len();
        if expected == 0 {
            return Err(Error::Empty { what: "the list of targets" });
        }
        if values.len() != expected {
            return Err(Error::Length { what: "the list of values", expected, found: values.len() });
        }
        if let Some(found) = weights.map(|weights| weights.values().len()).filter(|&found| found != expected)
        {
            return Err(Error::Length { what: "the list of weights", expected, found });
        }
        for (what, list) in [("target", targets), ("decision value", values)] {
            if let Some(row) = list.iter().position(|value| !value.is_finite()) {
                return Err(Error::NonFinite { what, row, column: None });
            }
        }
        match targets.iter().position(|y| y.abs() != 1.0) {
            Some(row) if self.argument() == Argument::Margin => {
                Err(Error::Label {
                    row, value: targets[row], accepted: "−1 or +1 for a loss of the margin"
                })
            }
            _ => Ok(()),
        }
    }
}

/// The logistic function `1/(1 + exp(−t))`, without overflow.
///
/// ```
/// assert_eq!(lm_core::loss::logistic(0.0), 0.5);
/// assert_eq!(lm_core::loss::logistic(-1e308), 0.0);
/// ```
pub fn logistic(t: f64) -> f64 {
    let tail = (-t.abs()).exp();
    if t >= 0.0 { 1.0 / (1.0 + tail) } else { tail / (1.0 + tail) }
}

fn squared(value: f64) -> f64 {
    value * value
}

fn only_if(condition: bool, value: f64) -> f64 {
    if condition { value } else { 0.0 }
}

/// By how much the residual leaves the tube, with its sign.
fn excess(y: f64, f: f64, epsilon: Epsilon) -> f64 {
    let residual = f - y;
    if residual.abs() <= epsilon.0 { 0.0 } else { residual - epsilon.0.copysign(residual) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choices_at_the_kinks_are_the_documented_ones() {
        let tube = Loss::epsilon_insensitive(0.5).unwrap();
        for (loss, y, f, expected) in [
            (Loss::Perceptron, 1.0, 0.0, -1.0),
            (Loss::Perceptron, -1.0, 0.0, 1.0),
            (Loss::Hinge, 1.0, 1.0, 0.0),
            (Loss::Hinge, -1.0, -1.0, 0.0),
            (Loss::SquaredHinge, 1.0, 1.0, 0.0),
            (tube, 1.0, 1.5, 0.0),
            (tube, 1.0, 0.5, 0.0),
            (Loss::epsilon_insensitive(0.0).unwrap(), 1.0, 1.0, 0.0),
        ] {
            assert_eq!(loss.derivative(y, f), expected, "{loss:?} at y = {y}, f = {f}");
        }
        assert_eq!(Loss::SquaredHinge.curvature(1.0, 1.0), 0.0);
        assert_eq!(Loss::quadratic_epsilon_insensitive(0.5).unwrap().curvature(0.0, 0.5), 0.0);
        assert_eq!(Loss::quadratic_epsilon_insensitive(0.0).unwrap().curvature(3.0, 3.0), 2.0);
        assert_eq!(Loss::ZeroOne.value(1.0, 0.0), 0.0); // sgn(0) = +1
        assert_eq!(Loss::ZeroOne.value(-1.0, 0.0), 1.0);
    }
}
