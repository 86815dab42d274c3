//! How an error-correcting procedure moves its bias.

/// How a correction by `η` of an example labelled `y` moves the bias.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Bias {
    /// By `y·η·R²`, where `R` is the largest norm of an example.
    #[default]
    Radius,
    /// By `y·η`, as the weight of a constant attribute 1.
    Standard,
    /// Not at all: there is no bias.
    None,
}
