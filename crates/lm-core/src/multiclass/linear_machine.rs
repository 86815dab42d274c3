//! The linear machine: the largest of `k` linear functions.
//!
//! # Problem
//! Divide the space among `k` classes so that every point belongs to exactly one.
//! # Method
//! `x` belongs to the class with the largest `gᵢ(x) = ⟨wᵢ·x⟩ + bᵢ`, to the smaller class where values are equal. Two
//! classes meet in the hyperplane `Hᵢⱼ: gᵢ = gⱼ`, which is normal to `wᵢ − wⱼ` and at distance
//! `(gᵢ − gⱼ)/‖wᵢ − wⱼ‖` from `x`. Each region is an intersection of half-spaces, so it is convex.
//! # Cost
//! `k` inner products for a point.
//! # Reference
//! Duda, Hart & Stork (2001), §5.2.2; Cristianini & Shawe-Taylor (2000), §2.1.3.

use super::class_map::{check_classes, check_parts};
use super::{Classifier, Decisions, OneVsRest, OneVsRestModel, Part, largest};
use crate::collection::Collection;
use crate::fit::{Control, Fit, Learner};
use crate::hypothesis::{Hypothesis, Linear};
use crate::labels::{BinaryLabels, ClassLabels};
use crate::training_set::TrainingSet;
use crate::{Error, Examples, Result};

/// Learns a linear function for each class against the rest, and reads them as a linear machine.
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
/// let machine = LinearMachineLearner::new(Means).fit(&examples, &labels)?.model;
/// assert_eq!(machine.classify(&examples)?, [10, 20, 30]);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinearMachineLearner<L> {
    against_rest: OneVsRest<L>,
}

impl<L> LinearMachineLearner<L> {
    /// The scheme around a binary learner of linear functions.
    pub fn new(learner: L) -> Self {
        Self { against_rest: OneVsRest::new(learner) }
    }
}

impl<S, L> Learner<S, ClassLabels> for LinearMachineLearner<L>
where
    S: Collection + ?Sized,
    L: Learner<S, BinaryLabels, Model = Linear>,
    L::Certificate: Send,
{
    type Model = LinearMachine;
    type Certificate = Vec<Part<L::Certificate>>;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, S, ClassLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<Self::Model, Self::Certificate>> {
        let Fit { model, report, certificate } = self.against_rest.fit_with(set, control)?;
        Ok(Fit { model: model.try_into()?, report, certificate })
    }
}

/// A linear function for each class; the largest one decides.
///
/// ```
/// use lm_core::Linear;
/// use lm_core::multiclass::LinearMachine;
///
/// // With two classes: the hyperplane of w₁ − w₀.
/// let g = vec![Linear::new(vec![1.0, 0.0], 0.0)?, Linear::new(vec![-2.0, 4.0], 1.0)?];
/// let machine = LinearMachine::new(vec![-1, 1], g)?;
/// assert_eq!(machine.boundary(1, 0)?, Linear::new(vec![-3.0, 4.0], 1.0)?);
/// assert_eq!(machine.distance(&[1.0, 2.0], 1, 0)?, 6.0 / 5.0);
/// assert_eq!(machine.classify_one(&[1.0, 2.0])?, 1);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored"))]
pub struct LinearMachine {
    #[cfg_attr(feature = "serde", serde(with = "crate::serde_array"))]
    classes: Vec<i64>,
    functions: Vec<Linear>,
}

/// What a decoder reads before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Stored {
    #[serde(with = "crate::serde_array")]
    classes: Vec<i64>,
    #[serde(deserialize_with = "super::stored::list")]
    functions: Vec<Linear>,
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for LinearMachine {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self> {
        Self::new(stored.classes, stored.functions)
    }
}

impl TryFrom<OneVsRestModel<Linear>> for LinearMachine {
    type Error = Error;

    /// The functions of a one-vs-rest model decide by the largest value too: the answers are the same.
    fn try_from(model: OneVsRestModel<Linear>) -> Result<Self> {
        let (classes, functions) = model.into_parts();
        Self::new(classes, functions)
    }
}

impl LinearMachine {
    /// A machine from the classes in increasing order and a function for each.
    ///
    /// # Errors
    /// [`Error::Classes`] for fewer than two classes, [`Error::Label`] if they do not increase, [`Error::Length`]
    /// unless there is one function per class and all have the same dimension.
    pub fn new(classes: Vec<i64>, functions: Vec<Linear>) -> Result<Self> {
        check_classes(&classes)?;
        check_parts(Some(classes.len()), functions.len())?;
        let dims = || functions.iter().map(|function| function.weights().len());
        let expected = dims().next().unwrap_or(0);
        match dims().find(|&found| found != expected) {
            Some(found) => Err(Error::Length { what: "a weight vector", expected, found }),
            None => Ok(Self { classes, functions }),
        }
    }

    /// The function of each class, in the order of the classes.
    pub fn functions(&self) -> &[Linear] {
        &self.functions
    }

    /// `gᵢ − gⱼ`: zero on the boundary `Hᵢⱼ`, positive on the side of class number `i`.
    ///
    /// # Errors
    /// [`Error::Index`] for a class number that does not exist, [`Error::NonFinite`] or [`Error::Numerical`] if the
    /// difference overflows.
    pub fn boundary(&self, i: usize, j: usize) -> Result<Linear> {
        let function = |index: usize| {
            let absent = Error::Index { what: "class", index, len: self.functions.len() };
            self.functions.get(index).ok_or(absent)
        };
        function(i)?.minus(function(j)?)
    }

    /// The signed distance of a point to `Hᵢⱼ`, positive on the side of class number `i`.
    ///
    /// # Errors
    /// As [`LinearMachine::boundary`] and [`Linear::distance`]; [`Error::Numerical`] if both weight vectors are equal,
    /// so that there is no boundary.
    pub fn distance(&self, example: &[f64], i: usize, j: usize) -> Result<f64> {
        self.boundary(i, j)?.distance(example)
    }

    /// The class of one example.
    ///
    /// # Errors
    /// As [`Linear::decision`].
    pub fn classify_one(&self, example: &[f64]) -> Result<i64> {
        let values: Result<Vec<f64>> = self.functions.iter().map(|g| g.decision(example)).collect();
        let number = largest(&values?);
        super::class_map::class_at(&self.classes, number)
    }

    /// The class number of every member of a set, without a table of all decision values.
    fn best<E: Examples + ?Sized>(&self, set: &E) -> Result<Vec<usize>> {
        let mut values = vec![0.0; set.len()];
        let (mut numbers, mut best) = (vec![0; set.len()], vec![f64::NEG_INFINITY; set.len()]);
        for (class, function) in self.functions.iter().enumerate() {
            function.decision_values_into(set, &mut values)?;
            for ((number, best), &value) in numbers.iter_mut().zip(&mut best).zip(&values) {
                if value > *best {
                    (*number, *best) = (class, value);
                }
            }
        }
        Ok(numbers)
    }
}

impl<E: Examples + ?Sized> Classifier<E> for LinearMachine {
    fn classes(&self) -> &[i64] {
        &self.classes
    }

    fn class_numbers(&self, set: &E) -> Result<Vec<usize>> {
        self.best(set)
    }

    /// One column for each class.
    fn decisions(&self, set: &E) -> Result<Decisions> {
        Decisions::of(&self.functions, set)
    }
}
