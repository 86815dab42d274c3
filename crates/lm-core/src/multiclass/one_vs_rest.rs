//! One against the rest: a binary problem for each class.
//!
//! # Problem
//! For each of `k` classes, tell its examples from all others.
//! # Method
//! `k` binary fits over all examples. A point goes to the class with the largest decision value, to the smaller class
//! where values are equal.
//! # Cost
//! `k` fits of `n` examples, `k` decision values for a point.
//! # Reference
//! Duda, Hart & Stork (2001), §5.2.2, where the places claimed by no class or by several are shown.

use super::class_map::{check_classes, check_parts};
use super::{Claim, Classifier, Decisions, Part, gathered, largest, summed};
use crate::collection::Collection;
use crate::fit::{Control, Fit, Learner};
use crate::hypothesis::{Hypothesis, OverExamples};
use crate::labels::{BinaryLabels, ClassLabels};
use crate::training_set::TrainingSet;
use crate::{Examples, Result, VectorKernel, parallel};

/// Learns each class against all others with a binary learner.
///
/// ```
/// # use lm_core::*;
/// # use lm_core::multiclass::*;
/// # struct Means; // the hyperplane halfway between the means of both classes
/// # impl<E: Examples + ?Sized> Learner<E, BinaryLabels> for Means {
/// #     type Model = Linear;
/// #     type Certificate = ();
/// #     fn fit_with(&self, set: &TrainingSet<'_, E, BinaryLabels>, control: &Control<'_>) -> Result<Fit<Linear, ()>> {
/// #         let dim = set.examples().dim();
/// #         let (mut w, mut middle) = (vec![0.0; dim], vec![0.0; dim]);
/// #         for (row, &sign) in set.labels().signs().iter().enumerate() {
/// #             let share = 1.0 / set.labels().count(sign) as f64;
/// #             set.examples().add_scaled(row, sign.value() * share, &mut w);
/// #             set.examples().add_scaled(row, share / 2.0, &mut middle);
/// #         }
/// #         let b = -w.iter().zip(&middle).map(|(w, m)| w * m).sum::<f64>();
/// #         let report = control.start(1).report(Stop::Converged, None);
/// #         Ok(Fit { model: Linear::new(w, b)?, report, certificate: () })
/// #     }
/// # }
/// let examples = Dense::new(vec![0.0, 0.0, 9.0, 0.0, 0.0, 9.0], 3, 2)?;
/// let labels = ClassLabels::from_integers(&[10, 20, 30])?;
/// let fit = OneVsRest::new(Means).fit(&examples, &labels)?; // `Means` is a binary learner
/// assert_eq!(fit.model.classify(&examples)?, [10, 20, 30]);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OneVsRest<L> {
    learner: L,
}

impl<L> OneVsRest<L> {
    /// The scheme around a binary learner.
    pub fn new(learner: L) -> Self {
        Self { learner }
    }
}

impl<S, L> Learner<S, ClassLabels> for OneVsRest<L>
where
    S: Collection + ?Sized,
    L: Learner<S, BinaryLabels>,
    L::Model: Send,
    L::Certificate: Send,
{
    type Model = OneVsRestModel<L::Model>;
    type Certificate = Vec<Part<L::Certificate>>;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, S, ClassLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<Self::Model, Self::Certificate>> {
        let (meter, classes) = (control.start(u64::MAX), set.labels().classes());
        let control = meter.divided(classes.len());
        let fits = parallel::map(classes.len(), |class| {
            let labels = set.labels().one_against_rest(class)?;
            let problem = TrainingSet::new(set.examples(), &labels)?;
            let problem = set.weights().map_or(Ok(problem), |weights| problem.with_weights(weights))?;
            self.learner.fit_with(&problem, &control)
        });
        let (models, parts) = gathered(fits, classes.iter().map(|&class| (class, None)))?;
        let model = OneVsRestModel::new(classes.to_vec(), models)?;
        Ok(Fit { model, report: summed(meter, &parts), certificate: parts })
    }
}

/// A function for each class, positive where the class claims the point.
///
/// ```
/// use lm_core::multiclass::{Claim, Classifier, OneVsRestModel};
/// use lm_core::{Dense, Linear};
///
/// let left = Linear::new(vec![-1.0], -1.0)?; // claims x ≤ −1
/// let right = Linear::new(vec![1.0], -1.0)?; // claims x ≥ 1
/// let model = OneVsRestModel::new(vec![3, 5], vec![left, right])?;
/// let points = Dense::new(vec![-2.0, 0.5, 4.0], 3, 1)?;
/// assert_eq!(model.classify(&points)?, [3, 5, 5]);
/// assert_eq!(model.claims(&points)?, [Claim::One(3), Claim::Nobody, Claim::One(5)]);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "super::stored::Stored<H>"))]
#[cfg_attr(feature = "serde", serde(bound(deserialize = "H: serde::Deserialize<'de>")))]
pub struct OneVsRestModel<H> {
    #[cfg_attr(feature = "serde", serde(with = "crate::serde_array"))]
    classes: Vec<i64>,
    models: Vec<H>,
}

#[cfg(feature = "serde")]
impl<H> TryFrom<super::stored::Stored<H>> for OneVsRestModel<H> {
    type Error = crate::Error;

    fn try_from(stored: super::stored::Stored<H>) -> Result<Self> {
        Self::new(stored.classes, stored.models)
    }
}

impl<H> OneVsRestModel<H> {
    /// A model from the classes in increasing order and a function for each.
    ///
    /// # Errors
    /// [`Error::Classes`](crate::Error::Classes) for fewer than two classes, [`Error::Label`](crate::Error::Label) if
    /// they do not increase, [`Error::Length`](crate::Error::Length) unless there is one function per class.
    pub fn new(classes: Vec<i64>, models: Vec<H>) -> Result<Self> {
        check_classes(&classes)?;
        check_parts(Some(classes.len()), models.len())?;
        Ok(Self { classes, models })
    }

    /// The function of each class, in the order of the classes.
    pub fn models(&self) -> &[H] {
        &self.models
    }

    /// The classes and their functions.
    pub fn into_parts(self) -> (Vec<i64>, Vec<H>) {
        (self.classes, self.models)
    }

    /// The classes whose function is not negative at each point: one where the answer is clear.
    ///
    /// # Errors
    /// As [`Hypothesis::decision_values_into`].
    pub fn claims<S: Collection + ?Sized>(&self, set: &S) -> Result<Vec<Claim>>
    where
        H: Hypothesis<S>,
    {
        let claim = |values: &[f64]| {
            let claiming = self.classes.iter().zip(values).filter(|(_, value)| **value >= 0.0);
            Claim::of(claiming.map(|(&class, _)| class).collect())
        };
        Ok(Decisions::of(&self.models, set)?.rows().map(claim).collect())
    }
}

impl<S: Collection + ?Sized, H: Hypothesis<S>> Classifier<S> for OneVsRestModel<H> {
    fn classes(&self) -> &[i64] {
        &self.classes
    }

    fn class_numbers(&self, set: &S) -> Result<Vec<usize>> {
        Ok(self.decisions(set)?.rows().map(largest).collect())
    }

    /// One column for each class.
    fn decisions(&self, set: &S) -> Result<Decisions> {
        Decisions::of(&self.models, set)
    }
}

impl<H: OverExamples> OverExamples for OneVsRestModel<H> {
    type OverVectors = OneVsRestModel<H::OverVectors>;

    fn over_examples<E: Examples + ?Sized>(
        &self,
        examples: &E,
        kernel: VectorKernel,
    ) -> Result<Self::OverVectors> {
        let models = self.models.iter().map(|model| model.over_examples(examples, kernel));
        OneVsRestModel::new(self.classes.clone(), models.collect::<Result<_>>()?)
    }
}
