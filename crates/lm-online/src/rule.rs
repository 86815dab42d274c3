//! What a procedure does when it meets an example: the part in which procedures differ.
//!
//! All procedures that correct a linear function by one example at a time are
//!
//! ```text
//! unless y·s > m:   w ← w + a·x ,   b ← b + a·β        with the score s = ⟨w·x⟩ + b
//! ```
//!
//! and a [`Rule`] says the margin `m` and the factor `a`. The rest is written once: [`Live`](crate::Live) learns example
//! after example, a fit makes passes over a set, and a [`Trace`](crate::Trace) replays them.

use lm_core::{Collection, Error, Result, Sign};

/// What is known when an example is to be corrected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Meeting {
    /// `s = ⟨w·x⟩ + b`, before the correction, in the unit of [`Rule::unit`].
    pub score: f64,
    /// `y`: +1 or −1, or the target.
    pub label: f64,
    /// `‖x‖² + β`, the squared norm of the example with the attribute that stands for the bias; 0 unless
    /// [`Rule::USES_NORM`].
    pub norm_squared: f64,
    /// The number of this correction, counted from 1.
    pub correction: u64,
}

/// When a procedure corrects a linear function, and by how much.
///
/// ```
/// use lm_core::{Dense, Examples, Sign};
/// use lm_online::{Bias, Live, Meeting, Rule};
///
/// /// A step that shrinks with the norm of the example.
/// #[derive(Debug, Clone)]
/// struct Normalised;
///
/// impl Rule for Normalised {
///     type Label = Sign;
///     const USES_NORM: bool = true;
///
///     fn margin(&self) -> f64 {
///         0.0
///     }
///
///     fn factor(&self, meeting: &Meeting) -> f64 {
///         meeting.label / meeting.norm_squared.sqrt()
///     }
/// }
///
/// let mut learner = Live::new(Normalised, 2, Bias::None, None)?;
/// let examples = Dense::new(vec![0.0, 4.0], 1, 2)?;
/// assert!(learner.learn_one(&examples.row(0), Sign::Positive)?.corrected);
/// assert_eq!(learner.model()?.weights(), [0.0, 1.0]);
/// # Ok::<(), lm_core::Error>(())
/// ```
pub trait Rule: Clone + Send + Sync {
    /// What examples are labelled with: [`Sign`] or `f64`.
    type Label: Label;

    /// Whether the factor depends on the norm of the example, which is computed only then.
    const USES_NORM: bool = false;

    /// `m`: an example is corrected unless `y·s > m`. In the unit of [`Rule::unit`]. A rule that corrects always says
    /// infinity.
    fn margin(&self) -> f64;

    /// `a`, in the unit of [`Rule::unit`].
    fn factor(&self, meeting: &Meeting) -> f64;

    /// What weights and scores are measured in; default 1. A rule whose factors are all proportional to one number keeps
    /// that number here, so that it cannot change the course of a run by rounding.
    fn unit(&self) -> f64 {
        1.0
    }
}

/// What an example is labelled with.
pub trait Label: Copy + Send + Sync + private::Sealed {
    /// The label as a number.
    fn value(self) -> f64;
}

mod private {
    pub trait Sealed {}
    impl Sealed for lm_core::Sign {}
    impl Sealed for f64 {}
}

impl Label for Sign {
    #[inline]
    fn value(self) -> f64 {
        Sign::value(self)
    }
}

impl Label for f64 {
    #[inline]
    fn value(self) -> f64 {
        self
    }
}

/// Checks that labels are finite numbers.
pub(crate) fn check_labels<L: Label>(labels: &[L]) -> Result<()> {
    match labels.iter().position(|label| !label.value().is_finite()) {
        Some(row) => Err(Error::NonFinite { what: "target", row, column: None }),
        None => Ok(()),
    }
}

/// Checks that there are as many labels as examples.
pub(crate) fn check_count<L, E: Collection + ?Sized>(labels: &[L], examples: &E) -> Result<()> {
    let (expected, found) = (examples.len(), labels.len());
    if found == expected {
        Ok(())
    } else {
        Err(Error::Length { what: "the list of labels", expected, found })
    }
}

/// Checks a margin `b ≥ 0`.
pub(crate) fn check_margin(margin: f64) -> Result<()> {
    if margin >= 0.0 && margin.is_finite() {
        return Ok(());
    }
    Err(Error::Setting { name: "margin", value: margin, accepted: "a finite number ≥ 0" })
}
