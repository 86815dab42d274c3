//! A machine of several classes that says how probable each is.

use super::{Sigmoid, agree, couple};
use crate::collection::Collection;
use crate::hypothesis::{Hypothesis, OverExamples};
use crate::multiclass::{Classifier, Decisions, OneVsOneModel};
use crate::{Error, Examples, Result, VectorKernel};

/// Functions of all pairs of classes with a sigmoid for each: the class of a point is that of the pairs' votes, as without
/// probabilities, and its probability is the largest.
///
/// ```
/// use lm_core::multiclass::{Classifier, OneVsOneModel};
/// use lm_core::probability::{Calibrated, Sigmoid};
/// use lm_core::{Dense, Linear};
///
/// let pairs = OneVsOneModel::new(vec![-1, 1], vec![Linear::new(vec![1.0], 0.0)?])?;
/// // A sigmoid that would give less than one half to the class of 0.1.
/// let model = Calibrated::new(pairs, vec![Sigmoid::new(-2.0, 1.0)?])?;
/// let points = Dense::new(vec![-3.0, 0.1, 3.0], 3, 1)?;
/// let found = model.probabilities(&points)?;
/// assert_eq!(model.classify(&points)?, [-1, 1, 1]);
/// assert_eq!(found.most_probable(), [-1, 1, 1]);
/// assert!((found.row(2)?[1] - 1.0 / (1.0 + (-5.0_f64).exp())).abs() < 1e-15);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Parts<H>"))]
#[cfg_attr(feature = "serde", serde(bound(deserialize = "H: serde::Deserialize<'de>")))]
pub struct Calibrated<H> {
    pairs: OneVsOneModel<H>,
    sigmoids: Vec<Sigmoid>,
}

/// What a decoder reads before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(bound(deserialize = "H: serde::Deserialize<'de>"))]
struct Parts<H> {
    pairs: OneVsOneModel<H>,
    sigmoids: Vec<Sigmoid>,
}

#[cfg(feature = "serde")]
impl<H> TryFrom<Parts<H>> for Calibrated<H> {
    type Error = Error;

    fn try_from(parts: Parts<H>) -> Result<Self> {
        Self::new(parts.pairs, parts.sigmoids)
    }
}

impl<H> Calibrated<H> {
    /// A machine of pairs with a sigmoid for each, in the same order. A sigmoid says how probable the larger class of its pair
    /// is.
    ///
    /// # Errors
    /// [`Error::Length`] unless there are as many sigmoids as pairs.
    pub fn new(pairs: OneVsOneModel<H>, sigmoids: Vec<Sigmoid>) -> Result<Self> {
        let (expected, found) = (pairs.models().len(), sigmoids.len());
        if expected == found {
            Ok(Self { pairs, sigmoids })
        } else {
            Err(Error::Length { what: "the list of sigmoids", expected, found })
        }
    }

    /// The functions of the pairs.
    pub fn pairs(&self) -> &OneVsOneModel<H> {
        &self.pairs
    }

    /// The sigmoid of each pair.
    pub fn sigmoids(&self) -> &[Sigmoid] {
        &self.sigmoids
    }

    /// The functions and the sigmoids.
    pub fn into_parts(self) -> (OneVsOneModel<H>, Vec<Sigmoid>) {
        (self.pairs, self.sigmoids)
    }

    /// The probability of every class for every member of a set.
    ///
    /// # Errors
    /// As [`Hypothesis::decision_values_into`].
    pub fn probabilities<S: Collection + ?Sized>(&self, set: &S) -> Result<Probabilities>
    where
        H: Hypothesis<S>,
    {
        let decisions = self.pairs.decisions(set)?;
        let mut values = Vec::with_capacity(set.len() * self.pairs.classes().len());
        for row in decisions.rows() {
            values.extend(self.at(row)?);
        }
        Ok(Probabilities { classes: self.pairs.classes().to_vec(), values })
    }

    /// The probabilities at a point where the pairs have these decision values.
    fn at(&self, values: &[f64]) -> Result<Vec<f64>> {
        let second = self.sigmoids.iter().zip(values).map(|(sigmoid, &value)| sigmoid.probabilities(value));
        let mut found = match (self.sigmoids.as_slice(), values) {
            // What is very improbable keeps its digits.
            ([sigmoid], [value]) => sigmoid.probabilities(*value).to_vec(),
            _ => {
                let second: Vec<f64> = second.map(|[_, second]| second).collect();
                couple(&second, self.pairs.classes().len())?.probabilities
            }
        };
        agree(&mut found, self.pairs.winner(values)?)?;
        Ok(found)
    }
}

impl<H: OverExamples> OverExamples for Calibrated<H> {
    type OverVectors = Calibrated<H::OverVectors>;

    fn over_examples<E: Examples + ?Sized>(
        &self,
        examples: &E,
        kernel: VectorKernel,
    ) -> Result<Self::OverVectors> {
        Calibrated::new(self.pairs.over_examples(examples, kernel)?, self.sigmoids.clone())
    }
}

impl<S: Collection + ?Sized, H: Hypothesis<S>> Classifier<S> for Calibrated<H> {
    fn classes(&self) -> &[i64] {
        self.pairs.classes()
    }

    fn class_numbers(&self, set: &S) -> Result<Vec<usize>> {
        self.pairs.class_numbers(set)
    }

    fn decisions(&self, set: &S) -> Result<Decisions> {
        self.pairs.decisions(set)
    }
}

/// A probability for each class and member of a set. Those of a member add up to 1, up to rounding.
#[derive(Debug, Clone, PartialEq)]
pub struct Probabilities {
    classes: Vec<i64>,
    values: Vec<f64>,
}

impl Probabilities {
    /// A table of probabilities, row after row, one column for each of these classes.
    ///
    /// # Errors
    /// [`Error::Empty`] without classes, [`Error::Length`] unless there is a whole number of rows, [`Error::NonFinite`] for a
    /// value that is not from 0 to 1.
    pub fn new(classes: Vec<i64>, values: Vec<f64>) -> Result<Self> {
        let width = classes.len();
        if width == 0 {
            return Err(Error::Empty { what: "the list of classes" });
        }
        if !values.len().is_multiple_of(width) {
            let expected = values.len() - values.len() % width;
            return Err(Error::Length { what: "the table of probabilities", expected, found: values.len() });
        }
        match values.iter().position(|p| !(*p >= 0.0 && *p <= 1.0)) {
            Some(at) => {
                Err(Error::NonFinite { what: "probability", row: at / width, column: Some(at % width) })
            }
            None => Ok(Self { classes, values }),
        }
    }

    /// The classes: the columns of the table.
    pub fn classes(&self) -> &[i64] {
        &self.classes
    }

    /// The members, in order.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.classes.len().max(1))
    }

    /// The probabilities of one member.
    ///
    /// # Errors
    /// [`Error::Index`] for a member that does not exist.
    pub fn row(&self, row: usize) -> Result<&[f64]> {
        let len = self.values.len() / self.classes.len().max(1);
        self.rows().nth(row).ok_or(Error::Index { what: "row of probabilities", index: row, len })
    }

    /// The class of each member that has the largest probability. No two are equal.
    pub fn most_probable(&self) -> Vec<i64> {
        let largest = |row: &[f64]| {
            let better = |best: usize, at: usize| if row[at] > row[best] { at } else { best };
            self.classes[(1..row.len()).fold(0, better)]
        };
        self.rows().map(largest).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dense, Linear};

    #[test]
    fn whatever_the_sigmoids_say_the_most_probable_class_is_the_predicted_one() {
        let mut state = 5_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Often zeros and equal numbers, so that votes and values are tied.
            (((state >> 40) % 7) as f64 - 3.0) * 0.5
        };
        for k in 2..7_usize {
            for _ in 0..50 {
                let count = k * (k - 1) / 2;
                let functions: Vec<Linear> =
                    (0..count).map(|_| Linear::new(vec![next(), next()], next()).unwrap()).collect();
                let sigmoids: Vec<Sigmoid> =
                    (0..count).map(|_| Sigmoid::new(2.0 * next(), next()).unwrap()).collect();
                let pairs = OneVsOneModel::new((0..k as i64).collect(), functions).unwrap();
                let model = Calibrated::new(pairs, sigmoids).unwrap();
                let points = Dense::new((0..40).map(|_| next()).collect(), 20, 2).unwrap();
                let found = model.probabilities(&points).unwrap();
                assert_eq!(found.most_probable(), model.classify(&points).unwrap());
                for row in found.rows() {
                    assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                    assert!(row.iter().all(|p| (0.0..=1.0).contains(p)));
                    let most = row.iter().fold(0.0, |a: f64, &b| a.max(b));
                    assert_eq!(row.iter().filter(|&&p| p == most).count(), 1);
                }
            }
        }
    }

    #[test]
    fn a_sigmoid_is_missing() {
        let pairs = OneVsOneModel::new(vec![1, 2], vec![Linear::new(vec![1.0], 0.0).unwrap()]).unwrap();
        assert!(matches!(Calibrated::new(pairs, vec![]), Err(Error::Length { expected: 1, found: 0, .. })));
    }
}
