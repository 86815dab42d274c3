//! One against one: a binary problem for each pair of classes.
//!
//! # Problem
//! For each pair of `k` classes, tell their examples apart.
//! # Method
//! `k(k−1)/2` binary fits, each over the examples of two classes, the larger class positive. Each votes for the class
//! on whose side a point lies. The class with most votes wins; among those with equally many, the one with the largest
//! sum of decision values in its favour, over all its pairs; among equals again, the smaller class.
//! # Cost
//! `k(k−1)/2` fits of about `2n/k` examples, as many decision values for a point.
//! # Reference
//! Duda, Hart & Stork (2001), §5.2.2; Kreßel (1999).

use super::class_map::{check_classes, check_parts, class_at};
use super::{Claim, Classifier, Decisions, Part, gathered, summed};
use crate::collection::{Collection, Selection};
use crate::fit::{Control, Fit, Learner};
use crate::hypothesis::{Hypothesis, Lift, OverExamples};
use crate::labels::{BinaryLabels, ClassLabels, Labelling, Sign, Weights};
use crate::training_set::TrainingSet;
use crate::{Error, Examples, Result, VectorKernel, parallel};

/// Learns each pair of classes with a binary learner.
///
/// The learner sees the two classes as a [`Selection`] of the set, without a copy. Its models are restated as models
/// about the whole set ([`Lift`]), so one over a Gram matrix predicts on the matrix that it was trained with.
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
/// let fit = OneVsOne::new(Means).fit(&examples, &labels)?; // `Means` is a binary learner
/// assert_eq!(fit.model.classify(&examples)?, [10, 20, 30]);
/// assert_eq!((fit.certificate[1].negative, fit.certificate[1].positive), (Some(10), 30));
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OneVsOne<L> {
    learner: L,
}

impl<L> OneVsOne<L> {
    /// The scheme around a binary learner.
    pub fn new(learner: L) -> Self {
        Self { learner }
    }
}

impl<S, L> Learner<S, ClassLabels> for OneVsOne<L>
where
    S: Collection + ?Sized,
    // The first bound names the types of model and certificate; the second says that they are the same for selections.
    L: Learner<S, BinaryLabels>,
    for<'a> L: Learner<
            Selection<'a, S>,
            BinaryLabels,
            Model = <L as Learner<S, BinaryLabels>>::Model,
            Certificate = <L as Learner<S, BinaryLabels>>::Certificate,
        >,
    <L as Learner<S, BinaryLabels>>::Model: Lift + Send,
    <L as Learner<S, BinaryLabels>>::Certificate: Send,
{
    type Model = OneVsOneModel<<L as Learner<S, BinaryLabels>>::Model>;
    type Certificate = Vec<Part<<L as Learner<S, BinaryLabels>>::Certificate>>;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, S, ClassLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<Self::Model, Self::Certificate>> {
        let (meter, classes) = (control.start(u64::MAX), set.labels().classes());
        let pairs: Vec<(usize, usize)> = pairs(classes.len()).collect();
        let control = meter.divided(pairs.len());
        let fits = parallel::map(pairs.len(), |pair| {
            let problem = PairProblem::new(set, pairs[pair].0, pairs[pair].1)?;
            let selection = Selection::new(set.examples(), problem.rows())?;
            let fit = self.learner.fit_with(&problem.training_set(&selection)?, &control)?;
            let model: <L as Learner<S, BinaryLabels>>::Model = fit.model;
            let model = model.lifted(problem.rows())?;
            Ok(Fit { model, report: fit.report, certificate: fit.certificate })
        });
        let sides = pairs.iter().map(|&(low, high)| (classes[high], Some(classes[low])));
        let (models, parts) = gathered(fits, sides)?;
        let model = OneVsOneModel::new(classes.to_vec(), models)?;
        Ok(Fit { model, report: summed(meter, &parts), certificate: parts })
    }
}

/// The pairs of `k` class numbers: (0, 1), (0, 2), …, (1, 2), ….
fn pairs(k: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..k).flat_map(move |low| (low + 1..k).map(move |high| (low, high)))
}

/// The sub-problem of two classes: its rows, labels and weights, as the learner saw them. With it the certificate of a
/// pair can be checked.
///
/// ```
/// use lm_core::multiclass::PairProblem;
/// use lm_core::{ClassLabels, Dense, Selection, Sign, TrainingSet};
///
/// let examples = Dense::new(vec![1.0, 2.0, 3.0, 4.0], 4, 1)?;
/// let labels = ClassLabels::from_integers(&[7, 5, 9, 7])?;
/// let set = TrainingSet::new(&examples, &labels)?;
/// let problem = PairProblem::new(&set, 1, 2)?; // classes 7 and 9
/// assert_eq!(problem.rows(), [0, 2, 3]);
/// let selection = Selection::new(&examples, problem.rows())?;
/// let pair = problem.training_set(&selection)?;
/// assert_eq!(pair.labels().class_of(Sign::Positive), 9);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PairProblem {
    rows: Vec<usize>,
    labels: BinaryLabels,
    weights: Option<Weights>,
}

impl PairProblem {
    /// The sub-problem of the classes with these numbers, the second one positive.
    ///
    /// # Errors
    /// [`Error::Index`] for a class that does not exist, [`Error::Classes`] if both are the same.
    pub fn new<S: Collection + ?Sized>(
        set: &TrainingSet<'_, S, ClassLabels>,
        negative: usize,
        positive: usize,
    ) -> Result<Self> {
        let labels = set.labels();
        let sides = (class_at(labels.classes(), negative)?, class_at(labels.classes(), positive)?);
        let chosen = |&(_, &class): &(usize, &u32)| class as usize == negative || class as usize == positive;
        let chosen = || labels.indices().iter().enumerate().filter(chosen);
        let sign = |class: u32| if class as usize == positive { Sign::Positive } else { Sign::Negative };
        let rows: Vec<usize> = chosen().map(|(row, _)| row).collect();
        let signs = chosen().map(|(_, &class)| sign(class)).collect();
        let weights = set.weights().map(|weights| weights.select(&rows)).transpose()?;
        Ok(Self { rows, labels: BinaryLabels::with_classes(signs, sides.0, sides.1)?, weights })
    }

    /// The rows of the whole set that belong to either class, in increasing order.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// The training set of the pair, over the selection of its rows.
    ///
    /// # Errors
    /// [`Error::Length`] if the selection has another number of rows.
    pub fn training_set<'a, T: Collection + ?Sized>(
        &'a self,
        selection: &'a T,
    ) -> Result<TrainingSet<'a, T, BinaryLabels>> {
        let set = TrainingSet::new(selection, &self.labels)?;
        self.weights.as_ref().map_or(Ok(set), |weights| set.with_weights(weights))
    }
}

/// A function for each pair of classes, positive on the side of the larger one.
///
/// ```
/// use lm_core::multiclass::{Claim, Classifier, OneVsOneModel};
/// use lm_core::{Dense, Linear};
///
/// // Three classes that beat each other in a circle near the origin.
/// let f = |w, b| Linear::new(vec![w], b);
/// let model = OneVsOneModel::new(vec![1, 2, 3], vec![f(1.0, -0.5)?, f(1.0, 0.5)?, f(1.0, -0.5)?])?;
/// let points = Dense::new(vec![-2.0, 0.0, 2.0], 3, 1)?;
/// assert_eq!(model.votes(&points)?, [[2, 1, 0], [1, 1, 1], [0, 1, 2]]);
/// assert_eq!(model.claims(&points)?[1], Claim::Several(vec![1, 2, 3]));
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "super::stored::Stored<H>"))]
#[cfg_attr(feature = "serde", serde(bound(deserialize = "H: serde::Deserialize<'de>")))]
pub struct OneVsOneModel<H> {
    #[cfg_attr(feature = "serde", serde(with = "crate::serde_array"))]
    classes: Vec<i64>,
    models: Vec<H>,
}

#[cfg(feature = "serde")]
impl<H> TryFrom<super::stored::Stored<H>> for OneVsOneModel<H> {
    type Error = Error;

    fn try_from(stored: super::stored::Stored<H>) -> Result<Self> {
        Self::new(stored.classes, stored.models)
    }
}

impl<H> OneVsOneModel<H> {
    /// A model from the classes in increasing order and a function for each pair, ordered (0, 1), (0, 2), …, (1, 2), ….
    ///
    /// # Errors
    /// [`Error::Classes`] for fewer than two classes, [`Error::Label`] if they do not increase, [`Error::Length`]
    /// unless there is one function per pair.
    pub fn new(classes: Vec<i64>, models: Vec<H>) -> Result<Self> {
        check_classes(&classes)?;
        let k = classes.len();
        check_parts(k.checked_mul(k - 1).map(|twice| twice / 2), models.len())?;
        Ok(Self { classes, models })
    }

    /// The integers of the classes, in increasing order.
    pub fn classes(&self) -> &[i64] {
        &self.classes
    }

    /// The function of each pair, in the order (0, 1), (0, 2), …, (1, 2), ….
    pub fn models(&self) -> &[H] {
        &self.models
    }

    /// The function that tells two classes apart, given by their numbers, the smaller first. It is positive on the side
    /// of the second.
    ///
    /// # Errors
    /// [`Error::Index`] unless `low < high` and both exist.
    pub fn pair(&self, low: usize, high: usize) -> Result<&H> {
        let k = self.classes.len();
        let absent = Error::Index { what: "pair of classes", index: low.max(high), len: k };
        if low >= high || high >= k {
            return Err(absent);
        }
        // Pairs before those of `low`: (k−1) + (k−2) + … + (k−low).
        let before = low * (2 * k - low - 1) / 2;
        self.models.get(before + high - low - 1).ok_or(absent)
    }

    /// The number of the class that wins at a point where the pairs have these decision values.
    ///
    /// # Errors
    /// [`Error::Length`] unless there is a value for each pair.
    pub fn winner(&self, values: &[f64]) -> Result<usize> {
        if values.len() != self.models.len() {
            let (expected, found) = (self.models.len(), values.len());
            return Err(Error::Length { what: "the list of decision values", expected, found });
        }
        let k = self.classes.len();
        let mut standing = Standing { votes: vec![0; k], favour: vec![0.0; k] };
        pairs(k).zip(values).for_each(|(pair, &value)| standing.count(pair, value));
        Ok(standing.winner())
    }

    /// The number of pairs that each class wins, for every member of the set.
    ///
    /// # Errors
    /// As [`Hypothesis::decision_values_into`].
    pub fn votes<S: Collection + ?Sized>(&self, set: &S) -> Result<Vec<Vec<u32>>>
    where
        H: Hypothesis<S>,
    {
        Ok(self.tally(set)?.into_iter().map(|standing| standing.votes).collect())
    }

    /// The classes with the most votes at each point: one where the answer is clear.
    ///
    /// # Errors
    /// As [`Hypothesis::decision_values_into`].
    pub fn claims<S: Collection + ?Sized>(&self, set: &S) -> Result<Vec<Claim>>
    where
        H: Hypothesis<S>,
    {
        let claim = |standing: Standing| {
            let most = standing.votes.iter().max();
            let tied = self.classes.iter().zip(&standing.votes).filter(|(_, votes)| Some(*votes) == most);
            Claim::of(tied.map(|(&class, _)| class).collect())
        };
        Ok(self.tally(set)?.into_iter().map(claim).collect())
    }

    /// Counts votes pair by pair, or block by block where the pairs are computed together, so that memory grows with the
    /// number of classes and not of pairs.
    fn tally<S: Collection + ?Sized>(&self, set: &S) -> Result<Vec<Standing>>
    where
        H: Hypothesis<S>,
    {
        let k = self.classes.len();
        let mut standings = vec![Standing { votes: vec![0; k], favour: vec![0.0; k] }; set.len()];
        let together = H::together(&self.models, set, &mut |first, values| {
            for (standing, values) in
                standings[first..].iter_mut().zip(values.chunks_exact(self.models.len()))
            {
                pairs(k).zip(values).for_each(|(pair, &value)| standing.count(pair, value));
            }
        })?;
        if together {
            return Ok(standings);
        }
        let mut values = vec![0.0; set.len()];
        for (pair, model) in pairs(k).zip(&self.models) {
            model.decision_values_into(set, &mut values)?;
            standings.iter_mut().zip(&values).for_each(|(standing, &value)| standing.count(pair, value));
        }
        Ok(standings)
    }
}

impl<H: OverExamples> OverExamples for OneVsOneModel<H> {
    type OverVectors = OneVsOneModel<H::OverVectors>;

    fn over_examples<E: Examples + ?Sized>(
        &self,
        examples: &E,
        kernel: VectorKernel,
    ) -> Result<Self::OverVectors> {
        let models = self.models.iter().map(|model| model.over_examples(examples, kernel));
        OneVsOneModel::new(self.classes.clone(), models.collect::<Result<_>>()?)
    }
}

/// What a point's classes have: pairs won, and the sum of decision values in their favour, divided by their number.
#[derive(Debug, Clone)]
struct Standing {
    votes: Vec<u32>,
    favour: Vec<f64>,
}

impl Standing {
    /// Takes in the decision value of a pair.
    fn count(&mut self, (low, high): (usize, usize), value: f64) {
        let winner = if Sign::of(value) == Sign::Positive { high } else { low };
        self.votes[winner] += 1;
        // Divided before it is added, so that the sum of finite values stays finite.
        let share = value / self.votes.len() as f64;
        self.favour[high] += share;
        self.favour[low] -= share;
    }

    /// The class with most votes, then most favour, then the smaller one.
    fn winner(&self) -> usize {
        let ahead = |a: usize, b: usize| {
            self.votes[a] > self.votes[b]
                || (self.votes[a] == self.votes[b] && self.favour[a] > self.favour[b])
        };
        (1..self.votes.len()).fold(0, |best, class| if ahead(class, best) { class } else { best })
    }
}

impl<S: Collection + ?Sized, H: Hypothesis<S>> Classifier<S> for OneVsOneModel<H> {
    fn classes(&self) -> &[i64] {
        &self.classes
    }

    fn class_numbers(&self, set: &S) -> Result<Vec<usize>> {
        Ok(self.tally(set)?.iter().map(Standing::winner).collect())
    }

    /// One column for each pair.
    fn decisions(&self, set: &S) -> Result<Decisions> {
        Decisions::of(&self.models, set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Linear;

    #[test]
    fn every_pair_is_found_at_its_place() {
        for k in 2..9 {
            let functions = pairs(k).map(|(low, high)| Linear::new(vec![low as f64], high as f64).unwrap());
            let model = OneVsOneModel::new((0..k as i64).collect(), functions.collect()).unwrap();
            for (low, high) in pairs(k) {
                let found = model.pair(low, high).unwrap();
                assert_eq!((found.weights()[0], found.bias()), (low as f64, high as f64));
            }
            assert!(model.pair(1, 0).is_err() && model.pair(0, k).is_err() && model.pair(0, 0).is_err());
        }
    }

    #[test]
    fn ties_go_to_the_larger_favour_then_to_the_smaller_class() {
        let standing =
            |votes: &[u32], favour: &[f64]| Standing { votes: votes.into(), favour: favour.into() };
        assert_eq!(standing(&[1, 2, 0], &[9.0, 0.0, 9.0]).winner(), 1);
        assert_eq!(standing(&[1, 1, 1], &[0.5, 0.25, 0.75]).winner(), 2);
        assert_eq!(standing(&[1, 1, 1], &[0.5, 0.5, 0.5]).winner(), 0);
    }
}
