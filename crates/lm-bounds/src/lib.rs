//! Numbers about learners: what theory says of a machine, rounded outward.
//!
//! The crate takes numbers and narrow evidence, such as margins, counts, a radius, multipliers or a [`Gram`](lm_core::Gram)
//! matrix, from any learner, and knows none of them. Every value is an upper bound in `f64` too: formulas are evaluated in
//! [enclosed](outward) numbers of about 32 digits and rounded up at the end, so that a rounding never makes a bound too small, and
//! nearly always the result is the `f64` next to the real number.
//!
//! # The ledger
//!
//! One call evaluates every bound that the evidence suffices for, with what it states and what it assumes:
//!
//! ```
//! use lm_bounds::ledger::{Evidence, Ledger, Quantity};
//! use lm_core::{BinaryLabels, Dense, Linear, Margins, TrainingSet};
//!
//! let examples = Dense::new(vec![-1.0, -0.8, -0.6, 0.5, 0.9, 1.0], 6, 1)?;
//! let labels = BinaryLabels::from_integers(&[-1, -1, -1, 1, 1, 1])?;
//! let machine = Linear::new(vec![1.0], 0.0)?;
//! let margins = Margins::geometric(&machine, &TrainingSet::new(&examples, &labels)?)?;
//!
//! let evidence = Evidence::new(6).with_margins(margins.values().to_vec()).with_radius(1.0).with_held_out(2, 100);
//! let ledger = Ledger::new(0.05)?.with_name("threshold").with(&evidence)?;
//! assert_eq!(ledger.least(Quantity::Mistakes).map(|bound| bound.value), Some(4.0)); // Novikoff: (1/0.5)²
//! assert!(ledger.least(Quantity::Error).is_some_and(|bound| bound.value < 0.062)); // by the test set
//! println!("{}", ledger.text());
//! # Ok::<(), lm_core::Error>(())
//! ```
//!
//! [`Ledger::json`] and [`Ledger::picture`] give the same for programs and for the eye.
//!
//! # Leaving out
//! [`leave_one_out`] is the exact error of a machine that gives [`WithoutOne`](lm_core::WithoutOne); [`support_share`],
//! [`jaakkola_haussler`], [`xi_alpha`], [`radius_margin`], [`Spans`] and [`gacv`] estimate it from what the machine knows. [`choose`]
//! takes any of them, evidence or cross-validation to choose a kernel and a cost.
//!
//! # Its parts
//!
//! - [`mistakes`]: Novikoff, Freund and Schapire (also for the hyperplane and margin that minimise it, with a proof by a dual problem), Winnow, regret.
//! - [`generalisation`]: test sets, compression, VC, margins by fat-shattering and by Rademacher complexity, PAC-Bayes.
//! - [`radius`]: the largest norm, and the smallest enclosing ball in feature space with both ends of its radius.
//! - [`binomial`]: the binomial tail and its inversion.
//! - [`outward`]: the enclosed numbers, for bounds of your own.
//!
//! # Features
//!
//! - `serde`: ledgers can be written in any format.

pub mod binomial;
pub mod generalisation;
pub mod ledger;
pub mod mistakes;
pub mod outward;
pub mod radius;

mod choice;
mod domain;
mod leave_one_out;

pub use choice::{Candidate, Choice, Criterion, Judged, LogEvidence, WithRadius, choose, judge};
pub use leave_one_out::{
    ExactLeaveOneOut, Finding, Outcome, Spans, gacv, jaakkola_haussler, leave_one_out, left_out_values,
    norm_squared, radius_margin, spans_squared, support_share, xi_alpha,
};
pub use ledger::{Bound, Evidence, Ledger};
