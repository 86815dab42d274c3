//! Weights as numbers of visits.

use lm_core::{Collection, Error, Labelling, Result, TrainingSet};

/// How often each example is met in a pass, one meeting after the other: repetition is what a weight means to a procedure
/// that sees one example at a time.
#[derive(Debug, Clone)]
pub(crate) enum Visits {
    /// Every example once.
    Once,
    /// Each as often as this says.
    Each(Vec<u32>),
}

impl Visits {
    /// The weights of a set as numbers of visits.
    pub(crate) fn of<S: Collection + ?Sized, L: Labelling>(set: &TrainingSet<'_, S, L>) -> Result<Self> {
        let Some(weights) = set.weights() else { return Ok(Self::Once) };
        let visits = weights.values().iter().enumerate().map(|(row, &weight)| visits_of(row, weight));
        visits.collect::<Result<_>>().map(Self::Each)
    }

    /// How often an example is met.
    #[inline]
    pub(crate) fn to(&self, row: usize) -> u32 {
        match self {
            Self::Once => 1,
            Self::Each(visits) => visits[row],
        }
    }
}

/// A weight as a number of visits.
fn visits_of(row: usize, weight: f64) -> Result<u32> {
    if weight.fract() == 0.0 && weight <= f64::from(u32::MAX) {
        Ok(weight as u32)
    } else {
        Err(Error::Weight {
            row,
            value: weight,
            accepted: "an integer: how often the example is visited in a pass",
        })
    }
}

/// Checks that examples can be numbered with 32 bits.
pub(crate) fn check_len(len: usize) -> Result<()> {
    let limit = u32::MAX as usize;
    if len <= limit { Ok(()) } else { Err(Error::TooLarge { what: "the training set", size: len, limit }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::{BinaryLabels, Dense, Weights};

    #[test]
    fn only_whole_numbers_are_numbers_of_visits() {
        let examples = Dense::new(vec![0.0, 1.0], 2, 1).unwrap();
        let labels = BinaryLabels::from_integers(&[-1, 1]).unwrap();
        let set = TrainingSet::new(&examples, &labels).unwrap();
        assert_eq!(Visits::of(&set).unwrap().to(1), 1);
        let weights = Weights::new(vec![1.0, 3.0]).unwrap();
        assert_eq!(Visits::of(&set.with_weights(&weights).unwrap()).unwrap().to(1), 3);
        let half = Weights::new(vec![1.0, 0.5]).unwrap();
        let refused = Visits::of(&set.with_weights(&half).unwrap());
        assert!(matches!(refused, Err(Error::Weight { row: 1, value: 0.5, .. })));
    }
}
