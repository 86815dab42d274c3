//! Labels of a two-class problem.

use super::{Labelling, Sign, Weights, integer_label, picked};
use crate::collection::Collection;
use crate::{Error, Result};

/// One [`Sign`] for each example, and the two integers that the signs stand for.
///
/// Any two integers will do: the smaller one becomes the negative class, the larger one the positive class.
///
/// ```
/// use lm_core::{BinaryLabels, Sign};
///
/// let labels = BinaryLabels::from_integers(&[7, 0, 7])?;
/// assert_eq!(labels.signs(), [Sign::Positive, Sign::Negative, Sign::Positive]);
/// assert_eq!(labels.class_of(Sign::Positive), 7);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BinaryLabels {
    signs: Vec<Sign>,
    negative: i64,
    positive: i64,
}

impl BinaryLabels {
    /// Labels given as signs, standing for −1 and +1.
    ///
    /// # Errors
    /// [`Error::Empty`] without labels, [`Error::Classes`] if all signs are equal.
    pub fn new(signs: Vec<Sign>) -> Result<Self> {
        Self::with_classes(signs, -1, 1)
    }

    /// Labels given as integers of which exactly two different ones occur.
    ///
    /// # Errors
    /// [`Error::Empty`] without labels, [`Error::Classes`] for one class or more than two.
    pub fn from_integers(labels: &[i64]) -> Result<Self> {
        let (Some(&low), Some(&high)) = (labels.iter().min(), labels.iter().max()) else {
            return Err(Error::Empty { what: "the list of labels" });
        };
        if labels.iter().any(|&label| label != low && label != high) {
            let mut classes = labels.to_vec();
            classes.sort_unstable();
            classes.dedup();
            return Err(Error::Classes { found: classes.len(), accepted: "exactly two classes" });
        }
        let sign = |&label: &i64| if label == high { Sign::Positive } else { Sign::Negative };
        Self::with_classes(labels.iter().map(sign).collect(), low, high)
    }

    /// Labels given as numbers, as data files store them. Each must be an integer.
    ///
    /// # Errors
    /// [`Error::Label`] for a number that is not an integer, and as [`BinaryLabels::from_integers`].
    pub fn from_numbers(labels: &[f64]) -> Result<Self> {
        let integers: Result<Vec<i64>> =
            labels.iter().enumerate().map(|(i, &v)| integer_label(i, v)).collect();
        Self::from_integers(&integers?)
    }

    /// Labels given as signs that stand for two integers of the caller's choice.
    ///
    /// # Errors
    /// [`Error::Empty`] without labels, [`Error::Classes`] if all signs or the two integers are equal.
    pub fn with_classes(signs: Vec<Sign>, negative: i64, positive: i64) -> Result<Self> {
        let Some(&first) = signs.first() else {
            return Err(Error::Empty { what: "the list of labels" });
        };
        if negative == positive || signs.iter().all(|&sign| sign == first) {
            return Err(Error::Classes { found: 1, accepted: "exactly two classes" });
        }
        Ok(Self { signs, negative, positive })
    }

    /// The sign of each example.
    pub fn signs(&self) -> &[Sign] {
        &self.signs
    }

    /// +1 or −1 for each example.
    pub fn values(&self) -> Vec<f64> {
        self.signs.iter().map(|sign| sign.value()).collect()
    }

    /// The integer that a sign stands for.
    pub fn class_of(&self, sign: Sign) -> i64 {
        match sign {
            Sign::Negative => self.negative,
            Sign::Positive => self.positive,
        }
    }

    /// How many examples have this sign.
    pub fn count(&self, sign: Sign) -> usize {
        self.signs.iter().filter(|&&s| s == sign).count()
    }
}

impl Collection for BinaryLabels {
    fn len(&self) -> usize {
        self.signs.len()
    }
}

impl Labelling for BinaryLabels {
    fn select(&self, rows: &[usize]) -> Result<Self> {
        Self::with_classes(picked("label", &self.signs, rows)?, self.negative, self.positive)
    }

    fn check_weights(&self, weights: &Weights) -> Result<()> {
        let present = |sign: Sign| {
            self.signs.iter().zip(weights.values()).any(|(&own, &weight)| own == sign && weight > 0.0)
        };
        let found = usize::from(present(Sign::Negative)) + usize::from(present(Sign::Positive));
        if found == 2 {
            Ok(())
        } else {
            Err(Error::Classes { found, accepted: "two classes of positive weight" })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_class_or_three_are_refused() {
        assert_eq!(BinaryLabels::from_integers(&[]), Err(Error::Empty { what: "the list of labels" }));
        let accepted = "exactly two classes";
        assert_eq!(BinaryLabels::from_integers(&[4, 4]), Err(Error::Classes { found: 1, accepted }));
        assert_eq!(BinaryLabels::from_integers(&[1, 2, 3, 2]), Err(Error::Classes { found: 3, accepted }));
    }

    #[test]
    fn numbers_that_are_not_integers_are_refused_and_large_integers_kept() {
        let error = BinaryLabels::from_numbers(&[1.0, 1.2]).unwrap_err();
        assert!(matches!(error, Error::Label { row: 1, .. }));
        assert!(BinaryLabels::from_numbers(&[1.0, f64::NAN]).is_err());
        assert!(BinaryLabels::from_numbers(&[1.0, f64::INFINITY]).is_err());
        let large = BinaryLabels::from_numbers(&[2e10, 1e10]).unwrap();
        assert_eq!(large.class_of(Sign::Positive), 20_000_000_000);
    }

    #[test]
    fn a_selection_keeps_the_meaning_of_the_signs() {
        let labels = BinaryLabels::from_integers(&[5, 9, 9, 5]).unwrap();
        let some = labels.select(&[3, 1]).unwrap();
        assert_eq!(some.class_of(some.signs()[0]), 5);
        assert!(matches!(labels.select(&[0, 3]), Err(Error::Classes { .. })));
        assert!(matches!(labels.select(&[0, 4]), Err(Error::Index { index: 4, len: 4, .. })));
    }
}
