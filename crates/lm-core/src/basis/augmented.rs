//! The bias as one more weight: augmented examples, and examples normalised by their sign.
//!
//! ```text
//! y = (1, x),   a = (w₀, w):      ⟨a·y⟩ = ⟨w·x⟩ + w₀
//! z = yᵢ·(1, xᵢ):                 ⟨a·z⟩ > 0 for all examples  ⇔  a separates the classes
//! ```
//!
//! Reference: Duda, Hart & Stork (2001), sections 5.3 to 5.5.

use super::FeatureMap;
use crate::collection::Collection;
use crate::{BinaryLabels, Dense, Error, Examples, Linear, Result, Sign};

/// `x ↦ (1, x)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Augment {
    /// The dimension of `x`.
    pub dim: usize,
}

impl FeatureMap for Augment {
    fn dim_in(&self) -> usize {
        self.dim
    }

    fn dim_out(&self) -> usize {
        self.dim.saturating_add(1)
    }

    fn map_into(&self, x: &[f64], out: &mut [f64]) {
        if let Some((first, rest)) = out.split_first_mut() {
            *first = 1.0;
            rest.copy_from_slice(x);
        }
    }
}

/// The augmented examples `(1, xᵢ)`.
///
/// ```
/// use lm_core::basis::augmented;
/// use lm_core::{Dense, Examples, Linear};
///
/// let examples = Dense::new(vec![2.0, 3.0], 1, 2)?;
/// let f = Linear::new(vec![10.0, 100.0], 7.0)?;
/// let a = augmented::weights(&f); // (w₀, w)
/// assert_eq!(augmented::examples(&examples)?.dot(0, &a), f.decision(&[2.0, 3.0])?);
/// assert_eq!(augmented::hyperplane(&a)?, f);
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// As [`FeatureMap::expand`].
pub fn examples<E: Examples + ?Sized>(examples: &E) -> Result<Dense<'static>> {
    Augment { dim: examples.dim() }.expand(examples)
}

/// The augmented examples, those of the negative class with their sign changed: `yᵢ·(1, xᵢ)`.
///
/// ```
/// use lm_core::basis::augmented;
/// use lm_core::{BinaryLabels, Dense};
///
/// let examples = Dense::new(vec![2.0, 3.0], 2, 1)?;
/// let labels = BinaryLabels::from_integers(&[1, -1])?;
/// let normalised = augmented::normalised(&examples, &labels)?;
/// assert_eq!(normalised.slice(0), [1.0, 2.0]);
/// assert_eq!(normalised.slice(1), [-1.0, -3.0]);
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Length`] unless there is one label per example, and as [`FeatureMap::expand`].
pub fn normalised<E: Examples + ?Sized>(examples: &E, labels: &BinaryLabels) -> Result<Dense<'static>> {
    let (expected, found) = (examples.len(), labels.len());
    if found != expected {
        return Err(Error::Length { what: "the list of labels", expected, found });
    }
    let dim = Augment { dim: examples.dim() }.dim_out();
    let mut values = super::zeros("the normalised examples", expected, dim)?;
    for (row, (out, &sign)) in values.chunks_exact_mut(dim).zip(labels.signs()).enumerate() {
        examples.row(row).write_to(&mut out[1..]);
        out[0] = 1.0;
        if sign == Sign::Negative {
            out.iter_mut().for_each(|value| *value = -*value);
        }
    }
    Dense::new(values, expected, dim)
}

/// The augmented weight vector `a = (w₀, w)` of a hyperplane.
pub fn weights(hyperplane: &Linear) -> Vec<f64> {
    std::iter::once(hyperplane.bias()).chain(hyperplane.weights().iter().copied()).collect()
}

/// The hyperplane of an augmented weight vector `a = (w₀, w)`.
///
/// # Errors
/// [`Error::Empty`] for fewer than two entries, and as [`Linear::new`].
pub fn hyperplane(weights: &[f64]) -> Result<Linear> {
    match weights.split_first() {
        Some((&bias, weights)) => Linear::new(weights.to_vec(), bias),
        None => Err(Error::Empty { what: "the augmented weight vector" }),
    }
}
