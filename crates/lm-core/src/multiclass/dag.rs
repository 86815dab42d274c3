//! A directed acyclic graph of pairwise decisions.
//!
//! # Problem
//! Use the models of one-vs-one without asking all of them.
//! # Method
//! A point starts with all classes as candidates. The function of the smallest and the largest candidate rules one of
//! them out, until one is left. Points that are at the same pair are asked about together.
//! # Cost
//! Training as one-vs-one; `k − 1` decision values for a point instead of `k(k−1)/2`.
//! # Reference
//! Platt, Cristianini & Shawe-Taylor (2000), *Large margin DAGs for multiclass classification*.

use super::one_vs_one::{OneVsOne, OneVsOneModel};
use super::{Classifier, Decisions};
use crate::collection::{Collection, Objects, Selection};
use crate::fit::{Control, Fit, Learner};
use crate::gram::{Columns, Gram};
use crate::hypothesis::{DualExpansion, Hypothesis, Linear, ObjectExpansion, OverExamples, VectorExpansion};
use crate::labels::{ClassLabels, Sign};
use crate::training_set::TrainingSet;
use crate::{Error, Examples, Kernel, Result, VectorKernel};

/// Learns as [`OneVsOne`] does, and decides by ruling out one class after the other.
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
/// let fit = Dag::new(Means).fit(&examples, &labels)?; // `Means` is a binary learner
/// assert_eq!(fit.model.classify(&examples)?, [10, 20, 30]);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dag<L> {
    pairwise: OneVsOne<L>,
}

impl<L> Dag<L> {
    /// The scheme around a binary learner.
    pub fn new(learner: L) -> Self {
        Self { pairwise: OneVsOne::new(learner) }
    }
}

impl<S, L, H> Learner<S, ClassLabels> for Dag<L>
where
    S: Collection + ?Sized,
    L: Sync,
    OneVsOne<L>: Learner<S, ClassLabels, Model = OneVsOneModel<H>>,
{
    type Model = DagModel<H>;
    type Certificate = <OneVsOne<L> as Learner<S, ClassLabels>>::Certificate;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, S, ClassLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<Self::Model, Self::Certificate>> {
        Ok(self.pairwise.fit_with(set, control)?.map(DagModel::from))
    }
}

/// The functions of all pairs of classes, asked `k − 1` at a time.
///
/// ```
/// use lm_core::multiclass::{Classifier, DagModel, OneVsOneModel};
/// use lm_core::{Dense, Linear};
///
/// let f = |w, b| Linear::new(vec![w], b);
/// let pairs = OneVsOneModel::new(vec![1, 2, 3], vec![f(1.0, 1.0)?, f(1.0, 0.0)?, f(1.0, -1.0)?])?;
/// let model = DagModel::from(pairs);
/// let points = Dense::new(vec![-2.0, 0.0, 2.0], 3, 1)?;
/// assert_eq!(model.classify(&points)?, [1, 2, 3]);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(bound(deserialize = "H: serde::Deserialize<'de>")))]
pub struct DagModel<H> {
    pairwise: OneVsOneModel<H>,
}

impl<H> DagModel<H> {
    /// The functions of the pairs.
    pub fn pairwise(&self) -> &OneVsOneModel<H> {
        &self.pairwise
    }
}

impl<H> From<OneVsOneModel<H>> for DagModel<H> {
    fn from(pairwise: OneVsOneModel<H>) -> Self {
        Self { pairwise }
    }
}

impl<H: OverExamples> OverExamples for DagModel<H> {
    type OverVectors = DagModel<H::OverVectors>;

    fn over_examples<E: Examples + ?Sized>(
        &self,
        examples: &E,
        kernel: VectorKernel,
    ) -> Result<Self::OverVectors> {
        Ok(DagModel::from(self.pairwise.over_examples(examples, kernel)?))
    }
}

impl<S: Collection + ?Sized, H: DecideRows<S>> Classifier<S> for DagModel<H> {
    fn classes(&self) -> &[i64] {
        self.pairwise.classes()
    }

    fn class_numbers(&self, set: &S) -> Result<Vec<usize>> {
        let k = self.pairwise.classes().len();
        // The smallest candidate of each point; the largest is `span` above it.
        let mut lowest = vec![0; set.len()];
        for span in (1..k).rev() {
            let mut at = vec![Vec::new(); k - span];
            lowest.iter().enumerate().for_each(|(row, &low): (usize, &usize)| at[low].push(row));
            for (low, rows) in at.iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
                let values = self.pairwise.pair(low, low + span)?.decision_values_at(set, rows)?;
                for (&row, &value) in rows.iter().zip(&values) {
                    // The larger class wins: the smaller one is ruled out.
                    lowest[row] += usize::from(Sign::of(value) == Sign::Positive);
                }
            }
        }
        Ok(lowest)
    }

    /// One column for each pair, also those that no point was asked about.
    fn decisions(&self, set: &S) -> Result<Decisions> {
        self.pairwise.decisions(set)
    }
}

/// A hypothesis that can be asked about some members of a set at the cost of these alone.
///
/// For a function of the example itself that is a [`Selection`]; one over the rows of a Gram matrix must still see
/// all of them.
pub trait DecideRows<S: Collection + ?Sized>: Hypothesis<S> {
    /// The decision value of these members of the set, in this order.
    ///
    /// # Errors
    /// [`Error::Index`] for a row that does not exist, and as [`Hypothesis::decision_values_into`].
    fn decision_values_at(&self, set: &S, rows: &[usize]) -> Result<Vec<f64>>;
}

impl<E: Examples + ?Sized> DecideRows<E> for Linear {
    fn decision_values_at(&self, set: &E, rows: &[usize]) -> Result<Vec<f64>> {
        self.decision_values(&Selection::new(set, rows)?)
    }
}

impl<E: Examples + ?Sized> DecideRows<E> for VectorExpansion {
    fn decision_values_at(&self, set: &E, rows: &[usize]) -> Result<Vec<f64>> {
        self.decision_values(&Selection::new(set, rows)?)
    }
}

impl<K, X, S> DecideRows<S> for ObjectExpansion<K, X>
where
    K: Kernel<X> + Send,
    X: Send + Sync,
    S: Objects<Object = X> + ?Sized,
{
    fn decision_values_at(&self, set: &S, rows: &[usize]) -> Result<Vec<f64>> {
        self.decision_values(&Selection::new(set, rows)?)
    }
}

impl<G: Gram + ?Sized> DecideRows<G> for DualExpansion {
    fn decision_values_at(&self, set: &G, rows: &[usize]) -> Result<Vec<f64>> {
        let (mut values, mut column) = (vec![self.bias(); rows.len()], vec![0.0; rows.len()]);
        for (&support, coefficient) in self.rows().iter().zip(self.coefficients()) {
            set.fill(&[support], Columns::List(rows), &mut column)?;
            values.iter_mut().zip(&column).for_each(|(value, kernel)| *value += coefficient * kernel);
        }
        if values.iter().all(|value| value.is_finite()) {
            Ok(values)
        } else {
            Err(Error::Numerical { what: "a decision value" })
        }
    }
}
