//! What every learner is held to.
//!
//! A [`Suite`] runs a learner through all of [`Check::ALL`]: bad, degenerate and extreme data, equivalent data in
//! other forms, budgets, threads, and the way to disk and back. It is written against [`Learner`] over
//! `dyn Examples`, so it takes every learner that accepts any examples; one over Gram matrices is wrapped in
//! [`OverVectors`](crate::OverVectors). What a learner does not promise is left out by name.
//!
//! ```
//! # use lm_core::*;
//! use lm_core::testing::conformance::{Check, Suite, assert_conforms};
//! # struct Means; // the hyperplane halfway between the means of both classes
//! # impl<E: Examples + ?Sized> Learner<E, BinaryLabels> for Means {
//! #     type Model = Linear;
//! #     type Certificate = ();
//! #     fn fit_with(&self, set: &TrainingSet<'_, E, BinaryLabels>, control: &Control<'_>) -> Result<Fit<Linear, ()>> {
//! #         let dim = set.examples().dim();
//! #         let (mut w, mut middle) = (vec![0.0; dim], vec![0.0; dim]);
//! #         for (row, &sign) in set.labels().signs().iter().enumerate() {
//! #             let share = 1.0 / set.labels().count(sign) as f64;
//! #             set.examples().add_scaled(row, sign.value() * share, &mut w);
//! #             set.examples().add_scaled(row, share / 2.0, &mut middle);
//! #         }
//! #         let b = -w.iter().zip(&middle).map(|(w, m)| w * m).sum::<f64>();
//! #         let report = control.start(1).report(Stop::Converged, None);
//! #         Ok(Fit { model: Linear::new(w, b)?, report, certificate: () })
//! #     }
//! # }
//!
//! // `Means` is a binary learner that takes no notice of weights.
//! let suite = Suite::binary(&Means).persistent();
//! assert_eq!(suite.run().unwrap_err().0.len(), 2);
//! assert_conforms(&suite.without(Check::WeightRepetition).without(Check::ZeroWeight));
//! ```
//!
//! Failures are returned as named [`Finding`]s; a panic of the learner is one of them.

mod checks;
mod data;
mod subject;

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::fit::{Certificate, Learner, Verdict};
use crate::hypothesis::Hypothesis;
use crate::labels::{BinaryLabels, ClassLabels, Labelling, Targets};
use crate::multiclass::Classifier;
use crate::persist::{self, Persist};
use crate::training_set::TrainingSet;
use crate::{Examples, Result};

use subject::{Prediction, Subject, Task};

macro_rules! checks {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// One thing that a learner is held to.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Check {
            $($(#[$doc])* $name,)*
        }

        impl Check {
            /// All checks, in the order in which they are run.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];
        }
    };
}

checks! {
    /// Clusters that lie far apart are told apart; a linear target is followed.
    Learns,
    /// NaN in examples of a type that does not check leads to an error or to a finite model.
    NotFinite,
    /// Labels of another number and examples of another dimension are refused.
    Shapes,
    /// Many more examples than columns.
    Tall,
    /// Many more columns than examples.
    Wide,
    /// One example for each class, or a single target: an error or a finite model.
    FewExamples,
    /// The same rows several times.
    DuplicateRows,
    /// The same column several times.
    DuplicateColumns,
    /// A column in which all examples agree, and one of zeros.
    ConstantColumn,
    /// Every point with every label.
    OppositeLabels,
    /// All points the same.
    IdenticalPoints,
    /// Rows in another order: the same decision values, up to the tolerance.
    RowPermutation,
    /// Data of size 10¹⁵⁰, 10⁻¹⁵⁰ and 10³⁰⁰: an error or finite values.
    Scale,
    /// Labels such as {0, 7} and {10¹⁰, 2·10¹⁰}: the same decision values, bit for bit.
    LabelIntegers,
    /// Encoded, decoded, and predicting the same bits. Asked for by [`Suite::persistent`].
    Persistence,
    /// The same run twice gives the same bits.
    Repeatability,
    /// Thread pools of 1, 2, 3, 4 and 8 give the same bits.
    Threads,
    /// An integer weight means what that many copies mean, up to the tolerance.
    WeightRepetition,
    /// An example of weight 0 is absent, up to the tolerance.
    ZeroWeight,
    /// Budgets of 0 and 1 iterations are kept, with a finite model.
    IterationLimit,
    /// A budget of no time ends the run at once, with a finite model.
    TimeLimit,
    /// A run that is cancelled from the start ends at once, with a finite model.
    Cancellation,
    /// Sparse storage of the same numbers: the same decision values, up to the tolerance.
    SparseStorage,
    /// Single-precision storage of the same numbers: the same decision values, up to the tolerance.
    SinglePrecision,
    /// The certificate holds, also after a run that was cut short. Asked for by [`Suite::certified`].
    Evidence,
}

/// A promise that a learner did not keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The check that failed.
    pub check: Check,
    /// What happened.
    pub problem: String,
}

/// All promises that a learner did not keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Findings(pub Vec<Finding>);

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of the checks failed:", self.0.len())?;
        self.0.iter().try_for_each(|finding| write!(f, "\n  {:?}: {}", finding.check, finding.problem))
    }
}

impl std::error::Error for Findings {}

/// Examples of any type, behind a reference.
pub type AnyExamples = dyn Examples;

/// A learner, and what it promises.
pub struct Suite<'a, L: Learner<AnyExamples, Y>, Y: Labelling> {
    learner: &'a L,
    task: Task,
    labels: fn(&[f64]) -> Result<Y>,
    predict: fn(&L::Model, &Y, &AnyExamples) -> Result<Prediction>,
    round_trip: Option<RoundTrip<L::Model>>,
    verify: Option<Verify<L::Certificate, Y>>,
    skipped: Vec<Check>,
    tolerance: f64,
}

/// Encodes a model; the bytes, and the model decoded from them.
type RoundTrip<M> = fn(&M) -> Result<(Vec<u8>, M)>;

type Verify<C, Y> = fn(&C, &TrainingSet<'_, AnyExamples, Y>) -> Result<Verdict>;

impl<'a, L> Suite<'a, L, BinaryLabels>
where
    L: Learner<AnyExamples, BinaryLabels> + Send,
    L::Model: Hypothesis<AnyExamples>,
{
    /// The suite for a learner of two classes.
    pub fn binary(learner: &'a L) -> Self {
        Self::new(learner, Task::Binary, BinaryLabels::from_numbers, |model, labels, set| {
            let classes = model.signs(set)?.into_iter().map(|sign| labels.class_of(sign)).collect();
            Ok(Prediction { values: model.decision_values(set)?, classes })
        })
    }
}

impl<'a, L> Suite<'a, L, ClassLabels>
where
    L: Learner<AnyExamples, ClassLabels> + Send,
    L::Model: Classifier<AnyExamples>,
{
    /// The suite for a learner of several classes.
    pub fn classes(learner: &'a L) -> Self {
        Self::new(learner, Task::Classes, ClassLabels::from_numbers, |model, _, set| {
            let values = model.decisions(set)?.values().to_vec();
            Ok(Prediction { values, classes: model.classify(set)? })
        })
    }
}

impl<'a, L> Suite<'a, L, Targets>
where
    L: Learner<AnyExamples, Targets> + Send,
    L::Model: Hypothesis<AnyExamples>,
{
    /// The suite for a learner of real targets.
    pub fn regression(learner: &'a L) -> Self {
        Self::new(
            learner,
            Task::Regression,
            |values| Targets::new(values.to_vec()),
            |model, _, set| Ok(Prediction { values: model.decision_values(set)?, classes: Vec::new() }),
        )
    }
}

impl<'a, L: Learner<AnyExamples, Y>, Y: Labelling> Suite<'a, L, Y> {
    fn new(
        learner: &'a L,
        task: Task,
        labels: fn(&[f64]) -> Result<Y>,
        predict: fn(&L::Model, &Y, &AnyExamples) -> Result<Prediction>,
    ) -> Self {
        let (skipped, tolerance) = (Vec::new(), 1e-8);
        Self { learner, task, labels, predict, round_trip: None, verify: None, skipped, tolerance }
    }

    /// Leaves out a check: the learner does not promise that.
    #[must_use]
    pub fn without(mut self, check: Check) -> Self {
        self.skipped.push(check);
        self
    }

    /// The error allowed between fits of equivalent data, relative to the largest decision value. Default: 10⁻⁸; a
    /// learner that stops at a tolerance of its own needs more.
    #[must_use]
    pub fn with_tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    /// Adds [`Check::Persistence`].
    #[must_use]
    pub fn persistent(self) -> Self
    where
        L::Model: Persist,
    {
        let round_trip: RoundTrip<L::Model> = |model| {
            let bytes = persist::encode(model)?;
            let decoded = persist::decode(&bytes)?;
            Ok((bytes, decoded))
        };
        Self { round_trip: Some(round_trip), ..self }
    }

    /// Adds [`Check::Evidence`].
    #[must_use]
    pub fn certified(self) -> Self
    where
        for<'s> L::Certificate: Certificate<TrainingSet<'s, AnyExamples, Y>>,
    {
        Self { verify: Some(|certificate, set| certificate.verify(set)), ..self }
    }

    /// Runs every check that is not left out.
    ///
    /// # Errors
    /// The findings, if there are any.
    pub fn run(&self) -> Result<(), Findings> {
        let context = checks::Context { subject: self as &dyn Subject, tolerance: self.tolerance };
        let chosen = Check::ALL.iter().filter(|check| !self.skipped.contains(check));
        let finding = |&check: &Check| {
            let outcome = catch_unwind(AssertUnwindSafe(|| context.run(check)));
            let outcome = outcome.unwrap_or_else(|panic| Err(format!("panicked: {}", message(&*panic))));
            outcome.err().map(|problem| Finding { check, problem })
        };
        let findings: Vec<Finding> = chosen.filter_map(finding).collect();
        if findings.is_empty() { Ok(()) } else { Err(Findings(findings)) }
    }
}

impl<L: Learner<AnyExamples, Y>, Y: Labelling> fmt::Debug for Suite<'_, L, Y> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Suite")
            .field("task", &self.task)
            .field("skipped", &self.skipped)
            .finish_non_exhaustive()
    }
}

/// What a panic said.
fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a message")
}

/// Runs a suite and panics with its findings, for use in tests.
///
/// # Panics
/// Panics if there are findings: that is its purpose.
pub fn assert_conforms<L: Learner<AnyExamples, Y>, Y: Labelling>(suite: &Suite<'_, L, Y>) {
    let outcome = suite.run();
    assert!(outcome.is_ok(), "{}", outcome.err().map_or_else(String::new, |findings| findings.to_string()));
}
