//! The ledger: every bound that applies to a machine, with what it says and what it assumes.
//!
//! Evidence comes in as numbers, from any learner; [`Ledger::with`] evaluates every bound that they suffice for. Values are rounded
//! up. Each bound that holds with probability `1 − δ` does so by itself; [`Ledger::simultaneous`] shares `δ` among them, so that they hold
//! together and the least may be chosen.

mod bound;
mod entries;
mod evidence;
mod json;
mod picture;
mod text;

pub use bound::{Bound, Quantity};
pub use evidence::{Evidence, HeldOut, LeaveOneOutFigure, WinnowEvidence};

use lm_core::Result;

use crate::domain::confidence;

/// Bounds on one machine, in the order in which they were entered.
///
/// ```
/// use lm_bounds::ledger::{Evidence, Ledger, Quantity};
///
/// // A machine with 12 support vectors, a margin of 0.3 or more within a ball of radius 1, and 9 errors on 500 held-out examples.
/// let evidence = Evidence::new(2000)
///     .with_training_errors(0)
///     .with_support(12)
///     .with_margins(vec![0.3; 2000])
///     .with_radius(1.0)
///     .with_held_out(9, 500);
/// let ledger = Ledger::new(0.05)?.with(&evidence)?;
/// let least = ledger.least(Quantity::Error).map(|bound| bound.value);
/// assert!(least.is_some_and(|value| value < 0.04));
/// assert!(ledger.bounds().iter().any(|bound| bound.is_vacuous()));
/// println!("{}", ledger.text());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Ledger {
    name: String,
    delta: f64,
    simultaneous: bool,
    bounds: Vec<Bound>,
    held_out: Option<HeldOut>,
}

impl Ledger {
    /// An empty ledger, for bounds that each fail with probability at most `δ`.
    ///
    /// # Errors
    /// [`Error::Setting`](lm_core::Error::Setting) unless `0 < δ < 1`.
    pub fn new(delta: f64) -> Result<Self> {
        let (name, bounds) = (String::from("machine"), Vec::new());
        Ok(Self { name, delta: confidence(delta)?, simultaneous: false, bounds, held_out: None })
    }

    /// What the ledger is about, for its headings. Default: "machine".
    #[must_use]
    pub fn with_name(self, name: &str) -> Self {
        Self { name: name.into(), ..self }
    }

    /// Shares `δ` equally among the bounds that may fail, so that all of them hold together with probability `1 − δ`. Default: each
    /// has `δ` for itself. To be said before evidence is given.
    #[must_use]
    pub fn simultaneous(self) -> Self {
        Self { simultaneous: true, ..self }
    }

    /// Enters every bound that the evidence suffices for.
    ///
    /// # Errors
    /// [`Error::Setting`](lm_core::Error::Setting) for a number outside its domain, [`Error::Length`](lm_core::Error::Length) for a list
    /// that is not one of the examples, [`Error::NonFinite`](lm_core::Error::NonFinite) in it.
    pub fn with(mut self, evidence: &Evidence) -> Result<Self> {
        evidence.check()?;
        let mut found = entries::all(evidence, self.delta)?;
        let may_fail = found.iter().filter(|bound| bound.delta.is_some()).count();
        if self.simultaneous && may_fail > 1 {
            found = entries::all(evidence, self.delta / may_fail as f64)?;
        }
        self.bounds.append(&mut found);
        self.held_out = evidence.held_out.or(self.held_out);
        Ok(self)
    }

    /// Enters a bound of the caller's own.
    #[must_use]
    pub fn with_bound(mut self, bound: Bound) -> Self {
        self.bounds.push(bound);
        self
    }

    /// What the ledger is about.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// `δ`.
    pub fn delta(&self) -> f64 {
        self.delta
    }

    /// All entries.
    pub fn bounds(&self) -> &[Bound] {
        &self.bounds
    }

    /// The errors on held-out examples, if there was a test.
    pub fn held_out(&self) -> Option<HeldOut> {
        self.held_out
    }

    /// The entry of the least value about a quantity.
    pub fn least(&self, quantity: Quantity) -> Option<&Bound> {
        self.bounds.iter().filter(|bound| bound.of == quantity).min_by(|a, b| a.value.total_cmp(&b.value))
    }

    /// The entries as lines of text, each with its inputs, and below what each of them states and assumes.
    pub fn text(&self) -> String {
        text::write(self)
    }

    /// The entries as JSON. A value that is infinite is `null`.
    pub fn json(&self) -> String {
        json::write(self)
    }

    /// A picture (SVG) of the bounds on the error, on one axis, beside the error on held-out examples.
    pub fn picture(&self) -> String {
        picture::draw(self)
    }
}
