//! What a learner learns from: examples, their labels and, if they differ, their weights.

use crate::collection::Collection;
use crate::labels::{Labelling, Weights};
use crate::{Error, Result};

/// Examples with their labels and weights, of equal number; checked once, here.
///
/// `S` is any collection: [`Examples`](crate::Examples) for primal learners, a [`Gram`](crate::Gram) matrix for dual
/// ones, [`Objects`](crate::Objects) for kernels on anything.
///
/// ```
/// use lm_core::{BinaryLabels, Dense, TrainingSet, Weights};
///
/// let examples = Dense::new(vec![0.0, 1.0], 2, 1)?;
/// let labels = BinaryLabels::from_integers(&[-1, 1])?;
/// let weights = Weights::new(vec![1.0, 3.0])?;
/// let set = TrainingSet::new(&examples, &labels)?.with_weights(&weights)?;
/// assert_eq!(set.weight(1), 3.0);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug)]
pub struct TrainingSet<'a, S: ?Sized, L> {
    examples: &'a S,
    labels: &'a L,
    weights: Option<&'a Weights>,
}

// Not derived: a training set is a triple of references, whatever they refer to.
impl<S: ?Sized, L> Clone for TrainingSet<'_, S, L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: ?Sized, L> Copy for TrainingSet<'_, S, L> {}

impl<'a, S: Collection + ?Sized, L: Labelling> TrainingSet<'a, S, L> {
    /// Examples with as many labels.
    ///
    /// # Errors
    /// [`Error::Empty`] without examples, [`Error::Length`] if the numbers differ.
    pub fn new(examples: &'a S, labels: &'a L) -> Result<Self> {
        if examples.is_empty() {
            return Err(Error::Empty { what: "the training set" });
        }
        if labels.len() != examples.len() {
            return Err(Error::Length {
                what: "the list of labels",
                expected: examples.len(),
                found: labels.len(),
            });
        }
        Ok(Self { examples, labels, weights: None })
    }

    /// The same set, each example counting as much as its weight says.
    ///
    /// # Errors
    /// [`Error::Length`] if there are more or fewer weights than examples, [`Error::Classes`] if a class is left
    /// with no weight at all.
    pub fn with_weights(self, weights: &'a Weights) -> Result<Self> {
        if weights.len() != self.len() {
            return Err(Error::Length {
                what: "the list of weights",
                expected: self.len(),
                found: weights.len(),
            });
        }
        self.labels.check_weights(weights)?;
        Ok(Self { weights: Some(weights), ..self })
    }

    /// The same labels and weights over another collection of as many members: the Gram matrix of the examples, say.
    ///
    /// # Errors
    /// [`Error::Length`] if the numbers differ.
    pub fn over<T: Collection + ?Sized>(&self, examples: &'a T) -> Result<TrainingSet<'a, T, L>> {
        let set = TrainingSet::new(examples, self.labels)?;
        Ok(TrainingSet { weights: self.weights, ..set })
    }

    /// The number of examples.
    pub fn len(&self) -> usize {
        self.examples.len()
    }

    /// Always false: an empty training set cannot be made.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The examples.
    pub fn examples(&self) -> &'a S {
        self.examples
    }

    /// The labels.
    pub fn labels(&self) -> &'a L {
        self.labels
    }

    /// The weights, if any were given.
    pub fn weights(&self) -> Option<&'a Weights> {
        self.weights
    }

    /// The weight of one example: 1 unless weights were given.
    ///
    /// # Panics
    /// Panics, as a slice does, unless `row < self.len()`.
    pub fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights.values()[row])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BinaryLabels, Dense};

    #[test]
    fn numbers_must_agree_and_no_class_may_vanish() {
        let examples = Dense::new(vec![0.0, 1.0, 2.0], 3, 1).unwrap();
        let two = BinaryLabels::from_integers(&[0, 1]).unwrap();
        assert!(matches!(
            TrainingSet::new(&examples, &two),
            Err(Error::Length { expected: 3, found: 2, .. })
        ));
        let labels = BinaryLabels::from_integers(&[0, 1, 1]).unwrap();
        let set = TrainingSet::new(&examples, &labels).unwrap();
        assert!(set.with_weights(&Weights::new(vec![1.0, 2.0]).unwrap()).is_err());
        assert!(set.with_weights(&Weights::new(vec![1.0, 0.0, 0.5]).unwrap()).is_ok());
        let one_class = Weights::new(vec![0.0, 1.0, 1.0]).unwrap();
        assert!(matches!(set.with_weights(&one_class), Err(Error::Classes { found: 1, .. })));
    }
}
