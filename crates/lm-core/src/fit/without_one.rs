//! Machines that can be solved again without one of their examples.

use super::Control;
use crate::collection::Collection;
use crate::gram::Gram;
use crate::{Error, Result};

/// How well a decision value is to be known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Wanted {
    /// So well that its sign is certain.
    Sign,
    /// Up to an error of this size.
    Within(f64),
}

impl Wanted {
    /// Whether a value that is off by no more than `error` is known well enough.
    pub fn is_met(self, value: f64, error: f64) -> bool {
        match self {
            Self::Sign => value.abs() > error,
            Self::Within(most) => error <= most,
        }
    }

    /// Checks the setting.
    ///
    /// # Errors
    /// [`Error::Setting`] unless the size of the error is a number > 0.
    pub fn validate(self) -> Result<()> {
        match self {
            Self::Within(value) if !(value > 0.0) => {
                Err(Error::Setting { name: "error", value, accepted: "a number > 0" })
            }
            _ => Ok(()),
        }
    }
}

/// What a solved machine knows of one of its examples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// What was to be learned: the label ±1, or the target.
    pub target: f64,
    /// The size of its coefficient, `α`.
    pub alpha: f64,
    /// The most that `α` may be; infinite where nothing bounds it.
    pub most: f64,
    /// The decision value of the machine at it.
    pub value: f64,
    /// How far that may be from the decision value of the best machine.
    pub error: f64,
    /// Its kernel value with itself.
    pub norm_squared: f64,
}

impl Share {
    /// Whether it has a coefficient: whether it is a support vector.
    pub fn is_support(&self) -> bool {
        self.alpha > 0.0
    }

    /// Whether its coefficient is between its bounds.
    pub fn is_free(&self) -> bool {
        self.alpha > 0.0 && self.alpha < self.most
    }

    /// The functional margin `y·f(x)`, of a classifier.
    pub fn margin(&self) -> f64 {
        self.target * self.value
    }

    /// The slack `ξ = max(0, 1 − y·f(x))`, of a classifier whose margins are at ±1.
    pub fn slack(&self) -> f64 {
        (1.0 - self.margin()).max(0.0)
    }
}

/// The decision value at an example of the machine that was learned from all others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeftOut {
    /// The value.
    pub value: f64,
    /// How far it may be from that of the best machine; every machine that meets the optimum has its value this near.
    pub error: f64,
    /// The steps that it took; none where the machine on all examples is already the one without.
    pub steps: u64,
}

/// A solved dual machine, and the same machine without some of its examples.
///
/// It is the seam between the theory of leaving out and the solvers: what a bound, a span or an exact count needs of a machine
/// is here, and which solver gives it is not. `Collection` says how many examples there are.
pub trait WithoutOne: Collection {
    /// What the machine on all examples knows of each.
    fn shares(&self) -> &[Share];

    /// Its bias.
    fn bias(&self) -> f64;

    /// Whether the bias is chosen freely: then the coefficients with their signs add up to a constant.
    fn has_free_bias(&self) -> bool;

    /// Whether what is minimised is a regulariser and a sum of losses, one of each example, that do not depend on how many
    /// there are. Then an example that is misclassified in training is misclassified when it is left out.
    fn is_sum_of_losses(&self) -> bool;

    /// The kernel values of the examples, as the machine sees them.
    fn gram(&self) -> &dyn Gram;

    /// The decision value at an example of the machine that is learned from all others, as well known as is wanted or as
    /// arithmetic and budget allow.
    ///
    /// # Errors
    /// [`Error::Index`] for an example that does not exist, [`Error::Classes`] if it is the last of its class, and what
    /// solving gives.
    fn without(&self, row: usize, wanted: Wanted, control: &Control<'_>) -> Result<LeftOut>;

    /// The decision values at some examples of a machine that has seen none of them, learned to the tolerance of its
    /// settings.
    ///
    /// # Errors
    /// As [`WithoutOne::without`].
    fn without_all(&self, rows: &[usize], control: &Control<'_>) -> Result<Vec<f64>>;
}
