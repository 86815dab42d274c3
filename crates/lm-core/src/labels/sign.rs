//! The two sides of a hyperplane.

/// A binary label, or the side on which a decision value falls.
///
/// ```
/// use lm_core::Sign;
///
/// assert_eq!(Sign::of(-0.5), Sign::Negative);
/// assert_eq!(Sign::of(0.0), Sign::Positive); // sgn(0) = +1
/// assert_eq!(Sign::Negative.value(), -1.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(i8)]
pub enum Sign {
    /// The class of decision values below zero.
    Negative = -1,
    /// The class of decision values at or above zero.
    Positive = 1,
}

impl Sign {
    /// The side of a decision value, with sgn(0) = +1. A NaN, which no model of this workspace returns, is
    /// negative.
    #[inline]
    pub fn of(decision: f64) -> Self {
        if decision >= 0.0 { Self::Positive } else { Self::Negative }
    }

    /// +1 or −1.
    #[inline]
    pub fn value(self) -> f64 {
        f64::from(self as i8)
    }

    /// The other side.
    #[inline]
    #[must_use]
    pub fn flipped(self) -> Self {
        match self {
            Self::Negative => Self::Positive,
            Self::Positive => Self::Negative,
        }
    }
}
