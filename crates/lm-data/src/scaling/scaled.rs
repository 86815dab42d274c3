//! A model together with the scaling of the examples it was learned from.

use lm_core::persist::{KindPath, Persist};
use lm_core::{Dense, Error, Examples, Hypothesis, Result, Selection};
use serde::{Deserialize, Serialize};

use super::Scaler;

/// A model of scaled examples, and the scaler: one thing to save, and to ask about examples as they come.
///
/// Every example is scaled before the model sees it, and one of another width than the scaler was fitted to is
/// refused.
///
/// ```
/// use lm_core::{Dense, Hypothesis, Linear, persist};
/// use lm_data::scaling::{Scaled, Scaler, Scaling};
///
/// let train = Dense::new(vec![0.0, 50.0, 100.0], 3, 1)?;
/// let scaler = Scaler::fit(&train, Scaling::MinMax { low: -1.0, high: 1.0 })?;
/// let model = Scaled::new(scaler, Linear::new(vec![2.0], 0.0)?); // learned from scaled examples
/// assert_eq!(model.decision_values(&train)?, [-2.0, 0.0, 2.0]);
///
/// let bytes = persist::encode(&model)?;
/// let back: Scaled<Linear> = persist::decode(&bytes)?;
/// assert_eq!(back.decision_values(&train)?, [-2.0, 0.0, 2.0]);
/// assert!(back.decision_values(&Dense::new(vec![1.0, 2.0], 1, 2)?).is_err());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scaled<M> {
    scaler: Scaler,
    model: M,
}

impl<M> Scaled<M> {
    /// A model and the scaler of the examples that it was learned from.
    pub fn new(scaler: Scaler, model: M) -> Self {
        Self { scaler, model }
    }

    /// The scaler.
    pub fn scaler(&self) -> &Scaler {
        &self.scaler
    }

    /// The model of scaled examples.
    pub fn model(&self) -> &M {
        &self.model
    }
}

/// The examples scaled at a time, which bounds the memory for their copies.
const ROWS: usize = 1024;

impl<E: Examples + ?Sized, M: Hypothesis<Dense<'static>>> Hypothesis<E> for Scaled<M> {
    fn decision_values_into(&self, set: &E, out: &mut [f64]) -> Result<()> {
        if out.len() != set.len() {
            let (expected, found) = (set.len(), out.len());
            return Err(Error::Length { what: "the array of decision values", expected, found });
        }
        for (block, out) in out.chunks_mut(ROWS).enumerate() {
            let rows: Vec<usize> = (block * ROWS..block * ROWS + out.len()).collect();
            let scaled = self.scaler.apply(&Selection::new(set, &rows)?)?;
            self.model.decision_values_into(&scaled, out)?;
        }
        Ok(())
    }
}

impl Persist for Scaler {
    const KIND: &'static str = "scaler";
    const VERSION: u16 = 1;
}

impl<M: Persist> Persist for Scaled<M> {
    const KIND: &'static str = "scaled";
    const VERSION: u16 = 1;

    fn describe(path: &mut KindPath) {
        path.push::<Self>();
        M::describe(path);
    }
}
