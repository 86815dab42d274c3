//! What learners learn: functions that give every example a decision value.
//!
//! A hypothesis is a [`Linear`] function of the example, or an expansion in kernel values over kept support
//! examples: [`VectorExpansion`] over vectors, [`ObjectExpansion`] over objects of any kind, and
//! [`DualExpansion`] over the rows of a Gram matrix, which is what a dual learner returns. A [`SharedExpansion`] is several
//! functions over the same support vectors.

mod dual;
mod linear;
mod object_expansion;
mod shared_expansion;
#[cfg(feature = "serde")]
mod stored;
mod support_vectors;
mod together;
mod vector_expansion;

pub use dual::DualExpansion;
pub use linear::Linear;
pub use object_expansion::ObjectExpansion;
pub use shared_expansion::SharedExpansion;
pub use support_vectors::{NoVectors, SupportVectors};
pub use vector_expansion::VectorExpansion;

use crate::collection::Collection;
use crate::labels::Sign;
use crate::{Error, Result};

/// A real-valued function of the members of a set `S`: [`Examples`](crate::Examples), [`Objects`](crate::Objects) or
/// the rows of a [`Gram`](crate::Gram) matrix. One example is a set of one.
pub trait Hypothesis<S: Collection + ?Sized>: Send + Sync {
    /// Writes the decision value of every member of the set.
    ///
    /// # Errors
    /// [`Error::Length`] if `out` does not have one place per member, or the members are not of the kind learned
    /// from (another dimension); [`Error::Numerical`] or [`Error::KernelValue`] if a value is not finite.
    fn decision_values_into(&self, set: &S, out: &mut [f64]) -> Result<()>;

    /// The decision value of every member of the set.
    ///
    /// # Errors
    /// As [`Hypothesis::decision_values_into`].
    fn decision_values(&self, set: &S) -> Result<Vec<f64>> {
        let mut out = vec![0.0; set.len()];
        self.decision_values_into(set, &mut out)?;
        Ok(out)
    }

    /// The side of every member of the set, with sgn(0) = +1.
    ///
    /// # Errors
    /// As [`Hypothesis::decision_values_into`].
    fn signs(&self, set: &S) -> Result<Vec<Sign>> {
        Ok(self.decision_values(set)?.into_iter().map(Sign::of).collect())
    }

    /// The decision values of several functions on a set, where that is cheaper than one function after the other; false
    /// where it is not, and nothing is done. `take` is given the first member of a block and, member by member, the
    /// values of all functions.
    ///
    /// # Errors
    /// As [`Hypothesis::decision_values_into`].
    fn together(models: &[Self], set: &S, take: &mut dyn FnMut(usize, &[f64])) -> Result<bool>
    where
        Self: Sized,
    {
        let _ = (models, set, take);
        Ok(false)
    }
}

/// A hypothesis learned from some rows of a set, restated as one about the whole set.
pub trait Lift {
    /// The same hypothesis, where it refers to row `i` of the selection now referring to row `rows[i]` of the set.
    ///
    /// # Errors
    /// [`Error::Index`] if it refers to a row that the selection does not have.
    fn lifted(self, rows: &[usize]) -> Result<Self>
    where
        Self: Sized;
}

/// A model over the rows of a Gram matrix, restated as one of vectors.
pub trait OverExamples {
    /// The same model over vectors.
    type OverVectors;

    /// The same function of vectors: the support examples are copied out of the set that the Gram matrix was made from.
    ///
    /// # Errors
    /// [`Error::Index`] if a row is not in the set, and as [`VectorExpansion::new`].
    fn over_examples<E: crate::Examples + ?Sized>(
        &self,
        examples: &E,
        kernel: crate::VectorKernel,
    ) -> Result<Self::OverVectors>;
}

impl OverExamples for DualExpansion {
    type OverVectors = VectorExpansion;

    fn over_examples<E: crate::Examples + ?Sized>(
        &self,
        examples: &E,
        kernel: crate::VectorKernel,
    ) -> Result<VectorExpansion> {
        self.over_vectors(examples, kernel)
    }
}

/// Checks that there is one place for each member.
fn check_out<S: Collection + ?Sized>(set: &S, out: &[f64]) -> Result<()> {
    if out.len() == set.len() {
        Ok(())
    } else {
        Err(Error::Length { what: "the array of decision values", expected: set.len(), found: out.len() })
    }
}

/// Checks that every decision value is finite.
fn check_finite(out: &[f64]) -> Result<()> {
    if out.iter().fold(true, |all, value| all & value.is_finite()) {
        Ok(())
    } else {
        Err(Error::Numerical { what: "a decision value" })
    }
}

/// Checks a list of coefficients and a bias for NaN and infinities.
fn check_coefficients(what: &'static str, coefficients: &[f64], bias: f64) -> Result<()> {
    if let Some(row) = coefficients.iter().position(|value| !value.is_finite()) {
        return Err(Error::NonFinite { what, row, column: None });
    }
    if bias.is_finite() { Ok(()) } else { Err(Error::Numerical { what: "the bias" }) }
}
