//! Inputs in units of the lengths, about their mean.

use lm_core::linalg::Matrix;
use lm_core::{Dense, Error, Examples, Result};

use super::covariance::GaussianCovariance;

/// The map `x ↦ (x − m)/ℓ`, under which the covariance is a Gaussian of one known width.
///
/// A shift changes no distance, but the nearer to the origin, the more exact are distances that are computed from norms
/// and inner products.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Inputs {
    pub(super) shift: Vec<f64>,
    pub(super) lengths: Vec<f64>,
}

impl Inputs {
    /// The map for these rows of a set.
    pub(super) fn new<E: Examples + ?Sized>(
        examples: &E,
        rows: &[usize],
        covariance: &GaussianCovariance,
    ) -> Self {
        let mut shift = vec![0.0; examples.dim()];
        let share = 1.0 / rows.len() as f64;
        rows.iter().for_each(|&row| examples.add_scaled(row, share, &mut shift));
        Self::about(shift, covariance)
    }

    /// The map with a mean that is known.
    pub(super) fn about(shift: Vec<f64>, covariance: &GaussianCovariance) -> Self {
        let lengths = (0..shift.len()).map(|column| covariance.lengths().of(column)).collect();
        Self { shift, lengths }
    }

    /// The inputs of some rows, mapped.
    pub(super) fn mapped<E: Examples + ?Sized>(
        &self,
        examples: &E,
        rows: &[usize],
    ) -> Result<Dense<'static>> {
        examples.check_dim("the list of lengths", self.shift.len())?;
        let dim = self.shift.len();
        let mut values = Matrix::zeros(dim, rows.len())?.into_values();
        for (&row, to) in rows.iter().zip(values.chunks_exact_mut(dim.max(1))) {
            let mut finite = true;
            examples.row(row).for_each(|k, x| {
                finite &= x.is_finite();
                to[k] = x;
            });
            if !finite {
                return Err(Error::NonFinite { what: "example", row, column: None });
            }
            for ((to, shift), length) in to.iter_mut().zip(&self.shift).zip(&self.lengths) {
                *to = (*to - shift) / length;
            }
            if to.iter().any(|value| !value.is_finite()) {
                return Err(Error::Numerical { what: "an input in units of its length (rescale the data)" });
            }
        }
        Dense::new(values, rows.len(), dim)
    }

    /// All inputs of a set, mapped.
    pub(super) fn all<E: Examples + ?Sized>(&self, examples: &E) -> Result<Dense<'static>> {
        let rows: Vec<usize> = (0..examples.len()).collect();
        self.mapped(examples, &rows)
    }
}
