//! How much each example counts.

use super::{ClassLabels, Labelling, picked};
use crate::collection::Collection;
use crate::{Error, Result};

/// A weight for each example. Weight 2 means what two copies of the example mean; weight 0, that it is absent.
///
/// ```
/// use lm_core::{Error, Weights};
///
/// assert_eq!(Weights::new(vec![2.0, 0.0])?.total(), 2.0);
/// assert!(matches!(Weights::new(vec![1.0, f64::NAN]), Err(Error::Weight { row: 1, .. })));
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Weights(Vec<f64>);

impl Weights {
    /// Checks and keeps the weights.
    ///
    /// # Errors
    /// [`Error::Empty`] without weights, [`Error::Weight`] for one that is negative or not finite, or if all are 0.
    pub fn new(values: Vec<f64>) -> Result<Self> {
        if values.is_empty() {
            return Err(Error::Empty { what: "the list of weights" });
        }
        // Written so that NaN fails.
        if let Some(row) = values.iter().position(|&value| !(value >= 0.0 && value.is_finite())) {
            return Err(Error::Weight { row, value: values[row], accepted: "a finite number ≥ 0" });
        }
        if values.iter().all(|&value| value == 0.0) {
            return Err(Error::Weight { row: 0, value: 0.0, accepted: "at least one weight > 0" });
        }
        if !values.iter().sum::<f64>().is_finite() {
            return Err(Error::Numerical { what: "the sum of the weights" });
        }
        Ok(Self(values))
    }

    /// The weight of each example's class, times the weight it has already, if any.
    ///
    /// # Errors
    /// [`Error::Length`] unless there is one class weight per class and one weight per example; as
    /// [`Weights::new`].
    pub fn by_class(labels: &ClassLabels, class_weights: &[f64], weights: Option<&Self>) -> Result<Self> {
        if class_weights.len() != labels.classes().len() {
            let (expected, found) = (labels.classes().len(), class_weights.len());
            return Err(Error::Length { what: "the list of class weights", expected, found });
        }
        if let Some(weights) = weights.filter(|weights| weights.len() != labels.len()) {
            return Err(Error::Length {
                what: "the list of weights",
                expected: labels.len(),
                found: weights.len(),
            });
        }
        let own = |row: usize| weights.map_or(1.0, |weights| weights.0[row]);
        let rows = labels.indices().iter().enumerate();
        Self::new(rows.map(|(row, &class)| class_weights[class as usize] * own(row)).collect())
    }

    /// The weight of each example.
    pub fn values(&self) -> &[f64] {
        &self.0
    }

    /// The sum of the weights, always finite and positive.
    pub fn total(&self) -> f64 {
        self.0.iter().sum()
    }
}

impl Collection for Weights {
    fn len(&self) -> usize {
        self.0.len()
    }
}

impl Labelling for Weights {
    fn select(&self, rows: &[usize]) -> Result<Self> {
        Self::new(picked("weight", &self.0, rows)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_outside_their_domain_are_refused_with_their_row() {
        for (bad, row) in [(vec![1.0, -0.5], 1), (vec![f64::INFINITY], 0), (vec![0.0, 0.0], 0)] {
            assert!(matches!(Weights::new(bad), Err(Error::Weight { row: r, .. }) if r == row));
        }
        assert!(matches!(Weights::new(vec![f64::MAX, f64::MAX]), Err(Error::Numerical { .. })));
    }

    #[test]
    fn class_weights_multiply_sample_weights() {
        let labels = ClassLabels::from_integers(&[3, 8, 3]).unwrap();
        let own = Weights::new(vec![1.0, 2.0, 3.0]).unwrap();
        assert_eq!(Weights::by_class(&labels, &[10.0, 1.0], Some(&own)).unwrap().values(), [10.0, 2.0, 30.0]);
        assert!(Weights::by_class(&labels, &[10.0], None).is_err());
        assert!(Weights::by_class(&labels, &[f64::NAN, 1.0], None).is_err());
    }
}
