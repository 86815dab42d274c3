//! Basis expansions: functions of the attributes as new attributes, and the discriminants that become linear in them.
//!
//! A [`FeatureMap`] turns a vector into another one; any set of examples can be expanded by it and handed to a linear
//! learner. [`Monomials`] are products of attributes, [`Quadratic`] is the discriminant that is linear in those of
//! degree two and less, [`PolynomialMap`] weighs monomials so that their inner product is a polynomial kernel, and
//! [`augmented`] puts the bias into the weight vector.

pub mod augmented;
mod feature_map;
mod monomials;
mod quadratic;

pub use feature_map::{PolynomialMap, RotatedSquares, TensorMap};
pub use monomials::{Monomials, binomial, monomials_of, monomials_up_to};
pub use quadratic::{Definiteness, Quadratic, QuadraticShape, Surface};

use crate::memory::zeros;
use crate::{Dense, Error, Examples, Result};

/// A map of vectors into another space: `φ : ℝⁿ → ℝᵐ`.
///
/// ```
/// use lm_core::basis::{FeatureMap, Monomials};
/// use lm_core::Dense;
///
/// // y = (1, x, x²): a line becomes a parabola, and two points of one class can enclose the other.
/// let map = Monomials::of_degrees(1, &[0, 1, 2])?;
/// let expanded = map.expand(&Dense::new(vec![-2.0, 0.5], 2, 1)?)?;
/// assert_eq!(expanded.slice(0), [1.0, -2.0, 4.0]);
/// assert_eq!(expanded.slice(1), [1.0, 0.5, 0.25]);
/// # Ok::<(), lm_core::Error>(())
/// ```
pub trait FeatureMap: Sync {
    /// The dimension `n` of what is mapped.
    fn dim_in(&self) -> usize;

    /// The dimension `m` of what it is mapped to.
    fn dim_out(&self) -> usize;

    /// Writes `φ(x)` into `out`.
    ///
    /// # Panics
    /// May panic unless `x` has [`FeatureMap::dim_in`] and `out` [`FeatureMap::dim_out`] entries;
    /// [`FeatureMap::map`] and [`FeatureMap::expand`] check that.
    fn map_into(&self, x: &[f64], out: &mut [f64]);

    /// `φ(x)` of one vector.
    ///
    /// # Errors
    /// [`Error::Length`] for a vector of another dimension, [`Error::NonFinite`] for an entry of `x` or of `φ(x)`
    /// that is not finite.
    fn map(&self, x: &[f64]) -> Result<Vec<f64>>
    where
        Self: Sized,
    {
        let expanded = self.expand(&Dense::single(x)?)?;
        Ok(expanded.slice(0).to_vec())
    }

    /// `φ(x)` of every example of a set.
    ///
    /// # Errors
    /// [`Error::Length`] for examples of another dimension, [`Error::TooLarge`] or [`Error::Allocation`] if the result
    /// cannot be held, [`Error::NonFinite`], with row and new column, if a value overflows.
    fn expand<E: Examples + ?Sized>(&self, examples: &E) -> Result<Dense<'static>>
    where
        Self: Sized,
    {
        examples.check_dim("the input of the feature map", self.dim_in())?;
        let (len, dim) = (examples.len(), self.dim_out());
        let mut values = zeros("the expanded examples", len, dim)?;
        let mut x = vec![0.0; self.dim_in()];
        for (row, out) in values.chunks_exact_mut(dim.max(1)).enumerate() {
            examples.row(row).write_to(&mut x);
            self.map_into(&x, out);
        }
        Dense::new(values, len, dim).map_err(|error| match error {
            Error::NonFinite { row, column, .. } => {
                Error::NonFinite { what: "expanded example", row, column }
            }
            other => other,
        })
    }
}
