//! An entry of the ledger.

/// What a bound is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum Quantity {
    /// The number of mistakes of a run, over all passes.
    Mistakes,
    /// The number of mistakes of the first pass.
    FirstPass,
    /// The probability of an error on a new example.
    Error,
    /// The share of errors where each example is left out in turn, whose mean over training sets is that of the error on a new example.
    LeaveOneOut,
}

impl Quantity {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Mistakes => "mistakes over all passes",
            Self::FirstPass => "mistakes in the first pass",
            Self::Error => "error on a new example",
            Self::LeaveOneOut => "errors when one is left out",
        }
    }
}

/// A bound, with all that is needed to judge it.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Bound {
    /// Its name.
    pub name: &'static str,
    /// What it is about.
    pub of: Quantity,
    /// The formula.
    pub statement: &'static str,
    /// Where it is from.
    pub reference: &'static str,
    /// The numbers that went into the formula.
    pub inputs: Vec<(&'static str, f64)>,
    /// The probability with which it may fail; nothing for one that always holds or is an estimate.
    pub delta: Option<f64>,
    /// What it assumes.
    pub assumptions: &'static str,
    /// Its value, rounded up.
    pub value: f64,
    /// The largest value that the quantity can have: a bound of so much or more says nothing.
    pub trivial: f64,
    /// What was observed of the quantity, where something was.
    pub observed: Option<f64>,
}

impl Bound {
    /// Whether the bound says nothing that was not known before.
    pub fn is_vacuous(&self) -> bool {
        !(self.value < self.trivial)
    }
}
