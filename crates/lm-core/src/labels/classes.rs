//! Labels of a problem with any number of classes.

use super::{BinaryLabels, Labelling, Sign, Weights, integer_label, picked};
use crate::collection::Collection;
use crate::{Error, Result};

/// A class number for each example, and the sorted integers that the class numbers stand for.
///
/// ```
/// use lm_core::ClassLabels;
///
/// let labels = ClassLabels::from_integers(&[30, -1, 30, 7])?;
/// assert_eq!(labels.classes(), [-1, 7, 30]);
/// assert_eq!(labels.indices(), [2, 0, 2, 1]);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassLabels {
    indices: Vec<u32>,
    classes: Vec<i64>,
}

impl ClassLabels {
    /// Labels given as integers.
    ///
    /// # Errors
    /// [`Error::Empty`] without labels, [`Error::Classes`] for a single class, [`Error::TooLarge`] for more than
    /// 2³² classes.
    pub fn from_integers(labels: &[i64]) -> Result<Self> {
        if labels.is_empty() {
            return Err(Error::Empty { what: "the list of labels" });
        }
        let mut classes = labels.to_vec();
        classes.sort_unstable();
        classes.dedup();
        if classes.len() < 2 {
            return Err(Error::Classes { found: 1, accepted: "two classes or more" });
        }
        let limit = u32::MAX as usize;
        let index = |label: &i64| {
            let position = classes.partition_point(|class| class < label);
            u32::try_from(position).map_err(|_| Error::TooLarge {
                what: "the set of classes",
                size: classes.len(),
                limit,
            })
        };
        let indices = labels.iter().map(index).collect::<Result<_>>()?;
        Ok(Self { indices, classes })
    }

    /// Labels given as numbers, as data files store them. Each must be an integer.
    ///
    /// # Errors
    /// [`Error::Label`] for a number that is not an integer, and as [`ClassLabels::from_integers`].
    pub fn from_numbers(labels: &[f64]) -> Result<Self> {
        let integers: Result<Vec<i64>> =
            labels.iter().enumerate().map(|(i, &v)| integer_label(i, v)).collect();
        Self::from_integers(&integers?)
    }

    /// The class number of each example: its position in [`ClassLabels::classes`].
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// The class number of one example.
    ///
    /// # Errors
    /// [`Error::Index`] for an example that does not exist.
    pub fn index(&self, row: usize) -> Result<usize> {
        let found = self.indices.get(row).map(|&index| index as usize);
        found.ok_or(Error::Index { what: "label", index: row, len: self.indices.len() })
    }

    /// The integers of the classes, in increasing order.
    pub fn classes(&self) -> &[i64] {
        &self.classes
    }

    /// The rows of each class, in increasing order.
    pub fn rows_by_class(&self) -> Vec<Vec<usize>> {
        let mut rows = vec![Vec::new(); self.classes.len()];
        for (row, &index) in self.indices.iter().enumerate() {
            rows[index as usize].push(row);
        }
        rows
    }

    /// Binary labels that are positive for one class and negative for all others, standing for +1 and −1.
    ///
    /// # Errors
    /// [`Error::Classes`] if the class has no example or all of them.
    pub fn one_against_rest(&self, class: usize) -> Result<BinaryLabels> {
        let sign = |&index: &u32| if index as usize == class { Sign::Positive } else { Sign::Negative };
        BinaryLabels::new(self.indices.iter().map(sign).collect())
    }
}

impl Collection for ClassLabels {
    fn len(&self) -> usize {
        self.indices.len()
    }
}

impl Labelling for ClassLabels {
    /// The labels of some rows. Only the classes that occur among them are kept.
    fn select(&self, rows: &[usize]) -> Result<Self> {
        let indices = picked("label", &self.indices, rows)?;
        let integers: Vec<i64> = indices.iter().map(|&index| self.classes[index as usize]).collect();
        Self::from_integers(&integers)
    }

    fn check_weights(&self, weights: &Weights) -> Result<()> {
        let mut present = vec![false; self.classes.len()];
        for (&class, &weight) in self.indices.iter().zip(weights.values()) {
            present[class as usize] |= weight > 0.0;
        }
        let found = present.iter().filter(|&&present| present).count();
        if found == self.classes.len() {
            Ok(())
        } else {
            Err(Error::Classes { found, accepted: "every class with a positive weight" })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extreme_integers_are_kept_exactly() {
        let labels = ClassLabels::from_integers(&[i64::MAX, i64::MIN, 0]).unwrap();
        assert_eq!(labels.classes(), [i64::MIN, 0, i64::MAX]);
        assert_eq!(labels.indices(), [2, 0, 1]);
    }

    #[test]
    fn rows_are_grouped_and_set_against_the_rest() {
        let labels = ClassLabels::from_integers(&[2, 1, 3, 2]).unwrap();
        assert_eq!(labels.rows_by_class(), [vec![1], vec![0, 3], vec![2]]);
        assert_eq!(labels.one_against_rest(1).unwrap().values(), [1.0, -1.0, -1.0, 1.0]);
        assert!(labels.one_against_rest(9).is_err());
    }

    #[test]
    fn a_selection_drops_the_classes_that_do_not_occur() {
        let labels = ClassLabels::from_integers(&[2, 1, 3, 2]).unwrap();
        assert_eq!(labels.select(&[0, 2]).unwrap().classes(), [2, 3]);
        assert!(matches!(labels.select(&[0, 3]), Err(Error::Classes { found: 1, .. })));
    }
}
