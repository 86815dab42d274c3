//! How the bias moves along with the weights.

/// The step of the bias in a correction `w ← w + a·x`: it is `a·β`, as if every example had another attribute `√β`.
///
/// The mistake bound of the perceptron (Novikoff) with `β = R²` is within a factor 4 of that without a bias, wherever
/// the hyperplane lies. With `β = 1` it depends on the margin of the examples with their constant attribute, which may be
/// much smaller where the hyperplane is far from the origin.
///
/// Reference: Cristianini & Shawe-Taylor (2000), Table 2.1 and Remark 2.4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Bias {
    /// `β = R²`, with `R` the largest norm of an example.
    #[default]
    Radius,
    /// `β = 1`: a constant attribute 1.
    Standard,
    /// `β = 0`: the hyperplane goes through the origin.
    None,
}

impl Bias {
    /// `β`, given `R²`.
    pub(crate) fn step(self, radius_squared: f64) -> f64 {
        match self {
            Self::Radius => radius_squared,
            Self::Standard => 1.0,
            Self::None => 0.0,
        }
    }
}
