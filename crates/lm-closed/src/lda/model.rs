//! What linear discriminant analysis learns.

use lm_core::linalg::Matrix;
use lm_core::multiclass::{Classifier, Decisions, LinearMachine};
use lm_core::{Error, Examples, Linear, Result};

use super::projection::Projection;
use crate::range::InRange;

/// A linear machine whose functions are log-probabilities up to a common summand, with the projection that belongs to it.
///
/// ```text
/// g_c(x) = (m_c − m)ᵗ Σ⁻¹ (x − m) − ½ (m_c − m)ᵗ Σ⁻¹ (m_c − m) + ln π_c ,      P(c | x) = exp g_c(x) / Σ exp g_k(x)
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored"))]
pub struct LdaModel {
    machine: LinearMachine,
    projection: Projection,
    shrinkage: f64,
    rank: u64,
    condition: f64,
}

/// What a decoder reads before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Stored {
    machine: LinearMachine,
    projection: Projection,
    shrinkage: f64,
    rank: u64,
    condition: f64,
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for LdaModel {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self> {
        let Stored { machine, projection, shrinkage, rank, condition } = stored;
        let rank = usize::try_from(rank).unwrap_or(usize::MAX);
        Self::new(machine, projection, shrinkage, rank, condition)
    }
}

#[cfg(feature = "persist")]
impl lm_core::persist::Persist for LdaModel {
    const KIND: &'static str = "lda";
    const VERSION: u16 = 1;
}

impl LdaModel {
    pub(crate) fn new(
        machine: LinearMachine,
        projection: Projection,
        shrinkage: f64,
        rank: usize,
        condition: f64,
    ) -> Result<Self> {
        let dim = machine.functions().first().map_or(0, |function| function.weights().len());
        if projection.dim() != dim {
            return Err(Error::Length { what: "a direction", expected: dim, found: projection.dim() });
        }
        if !(0.0..=1.0).contains(&shrinkage) {
            return Err(Error::Setting {
                name: "shrinkage",
                value: shrinkage,
                accepted: "a number from 0 to 1",
            });
        }
        if rank > dim {
            return Err(Error::TooLarge { what: "the rank of the scatter", size: rank, limit: dim });
        }
        if !(condition >= 0.0) {
            return Err(Error::Numerical { what: "the condition of the scatter" });
        }
        Ok(Self { machine, projection, shrinkage, rank: rank as u64, condition })
    }

    /// The linear function of every class; the largest one decides.
    pub fn machine(&self) -> &LinearMachine {
        &self.machine
    }

    /// The discriminant directions.
    pub fn projection(&self) -> &Projection {
        &self.projection
    }

    /// The share of the common variance that was mixed into the scatter, 0 where none was asked for.
    pub fn shrinkage(&self) -> f64 {
        self.shrinkage
    }

    /// The number of independent directions in which classes scatter. Where it is less than the number of columns, what lies
    /// outside of them has no part in the model: see [`LdaModel::is_singular`].
    pub fn rank(&self) -> usize {
        self.rank as usize
    }

    /// The condition of the scatter within classes, its columns scaled to a common size; infinite if it is singular.
    pub fn condition(&self) -> f64 {
        self.condition
    }

    /// Whether the scatter within classes is singular, to working precision: some combination of columns does not vary within
    /// any class. The model is then that of the pseudoinverse; shrinkage makes use of all directions.
    pub fn is_singular(&self) -> bool {
        self.rank() < self.projection.dim()
    }

    /// The probability of every class for every example, one row for each example, under normal classes with a common
    /// covariance.
    ///
    /// # Errors
    /// As [`Classifier::decisions`].
    pub fn probabilities<E: Examples + ?Sized>(&self, examples: &E) -> Result<Matrix> {
        let decisions = self.machine.decisions(examples)?;
        let mut out = Matrix::zeros(examples.len(), decisions.width())?;
        for (row, values) in decisions.rows().enumerate() {
            let largest = values.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
            let sum: f64 = values.iter().map(|value| (value - largest).exp()).sum();
            for (class, value) in values.iter().enumerate() {
                out[(row, class)] = (value - largest).exp() / sum;
            }
        }
        Ok(out)
    }

    /// The same model of the examples as they were before their columns were scaled.
    pub(crate) fn restored(self, copy: &InRange) -> Result<Self> {
        let functions: Result<Vec<Linear>> =
            self.machine.functions().iter().map(|function| copy.restored(function)).collect();
        let classes = Classifier::<dyn Examples>::classes(&self.machine).to_vec();
        let machine = LinearMachine::new(classes, functions?)?;
        let projection = self.projection.restored(copy)?;
        Self::new(machine, projection, self.shrinkage, self.rank as usize, self.condition)
    }
}

impl<E: Examples + ?Sized> Classifier<E> for LdaModel {
    fn classes(&self) -> &[i64] {
        Classifier::<E>::classes(&self.machine)
    }

    fn class_numbers(&self, set: &E) -> Result<Vec<usize>> {
        self.machine.class_numbers(set)
    }

    fn decisions(&self, set: &E) -> Result<Decisions> {
        self.machine.decisions(set)
    }
}
