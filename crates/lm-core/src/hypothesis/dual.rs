//! What a dual learner returns: coefficients of rows of a Gram matrix.

use super::{
    Hypothesis, Lift, Linear, ObjectExpansion, SupportVectors, VectorExpansion, check_coefficients,
    check_finite, check_out,
};
use crate::kernel::{Kernel, VectorKernel};
use crate::{Columns, Error, Examples, Gram, Objects, Result};

/// `f(xᵢ) = Σⱼ cⱼ K(xⱼ, xᵢ) + b`, over some rows `j` of the Gram matrix it was learned from.
///
/// It knows no attributes of the examples. On members of the same Gram matrix it predicts as it is; on new data once
/// it is given the kernel values of new with old examples ([`DualExpansion::decide`]), or bound to the examples
/// ([`DualExpansion::over_vectors`], [`DualExpansion::over_columns`], [`DualExpansion::over_objects`]).
///
/// ```
/// use lm_core::{DualExpansion, Hypothesis, MatrixGram};
///
/// let gram = MatrixGram::precomputed(vec![1.0, 0.5, 0.5, 1.0], 2)?;
/// let f = DualExpansion::new(vec![0, 1], vec![2.0, -2.0], 0.25)?;
/// assert_eq!(f.decision_values(&gram)?, [1.25, -0.75]);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "super::stored::StoredDual"))]
pub struct DualExpansion {
    #[cfg_attr(feature = "serde", serde(serialize_with = "super::stored::rows"))]
    rows: Vec<usize>,
    #[cfg_attr(feature = "serde", serde(with = "crate::serde_array"))]
    coefficients: Vec<f64>,
    bias: f64,
}

impl DualExpansion {
    /// An expansion over these rows.
    ///
    /// # Errors
    /// [`Error::Length`] unless there is one coefficient per row, [`Error::NonFinite`] or [`Error::Numerical`] if one
    /// is not finite.
    pub fn new(rows: Vec<usize>, coefficients: Vec<f64>, bias: f64) -> Result<Self> {
        if coefficients.len() != rows.len() {
            let (expected, found) = (rows.len(), coefficients.len());
            return Err(Error::Length { what: "the list of coefficients", expected, found });
        }
        check_coefficients("coefficient", &coefficients, bias)?;
        Ok(Self { rows, coefficients, bias })
    }

    /// An expansion with a coefficient for every row of the matrix, of which those that are 0 are dropped.
    ///
    /// # Errors
    /// As [`DualExpansion::new`].
    pub fn from_all(coefficients: &[f64], bias: f64) -> Result<Self> {
        let kept = || coefficients.iter().enumerate().filter(|(_, value)| **value != 0.0);
        Self::new(kept().map(|(row, _)| row).collect(), kept().map(|(_, &value)| value).collect(), bias)
    }

    /// The rows with a coefficient: the support examples.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// The coefficient of each of these rows.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// The bias `b`.
    pub fn bias(&self) -> f64 {
        self.bias
    }

    /// The coefficient of every row of a matrix of `len` rows, zeros included: a start for a fit that goes on from here.
    ///
    /// ```
    /// use lm_core::DualExpansion;
    ///
    /// let f = DualExpansion::new(vec![0, 3], vec![2.0, -2.0], 0.25)?;
    /// assert_eq!(f.all_coefficients(5)?, [2.0, 0.0, 0.0, -2.0, 0.0]);
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Index`] for a row that the matrix does not have.
    pub fn all_coefficients(&self, len: usize) -> Result<Vec<f64>> {
        if let Some(&index) = self.rows.iter().find(|&&row| row >= len) {
            return Err(Error::Index { what: "row", index, len });
        }
        let mut all = vec![0.0; len];
        self.rows.iter().zip(&self.coefficients).for_each(|(&row, value)| all[row] += value);
        Ok(all)
    }

    /// The decision value of a new example from its kernel values with every row of the Gram matrix.
    ///
    /// # Errors
    /// [`Error::Index`] if a support row has no kernel value, [`Error::Numerical`] if the result is not finite.
    pub fn decide(&self, kernel_values: &[f64]) -> Result<f64> {
        let mut value = self.bias;
        for (&row, coefficient) in self.rows.iter().zip(&self.coefficients) {
            let missing = Error::Index { what: "kernel value", index: row, len: kernel_values.len() };
            value += coefficient * kernel_values.get(row).ok_or(missing)?;
        }
        check_finite(&[value]).map(|()| value)
    }

    /// `‖w‖² = ΣᵢΣⱼ cᵢcⱼKᵢⱼ`, the squared norm of the weight vector in the feature space.
    ///
    /// # Errors
    /// As [`Gram::fill`]; [`Error::Numerical`] if the result is not finite.
    pub fn norm_squared<G: Gram + ?Sized>(&self, gram: &G) -> Result<f64> {
        let mut values = vec![0.0; self.rows.len()];
        let mut total = 0.0;
        for (&row, coefficient) in self.rows.iter().zip(&self.coefficients) {
            gram.fill(&[row], Columns::List(&self.rows), &mut values)?;
            total += coefficient * values.iter().zip(&self.coefficients).map(|(k, c)| k * c).sum::<f64>();
        }
        check_finite(&[total]).map(|()| total)
    }

    /// The same function as a linear one, `w = Σⱼ cⱼxⱼ`, if the Gram matrix was that of the linear kernel.
    ///
    /// ```
    /// use lm_core::{Dense, DualExpansion};
    ///
    /// let examples = Dense::new(vec![1.0, 0.0, 0.0, 2.0], 2, 2)?;
    /// let f = DualExpansion::new(vec![0, 1], vec![3.0, -1.0], 0.5)?.over_columns(&examples)?;
    /// assert_eq!((f.weights(), f.bias()), (&[3.0, -2.0][..], 0.5));
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Index`] if a row is not in the set, [`Error::NonFinite`] if a weight overflows.
    pub fn over_columns<E: Examples + ?Sized>(&self, examples: &E) -> Result<Linear> {
        let len = examples.len();
        if let Some(&index) = self.rows.iter().find(|&&row| row >= len) {
            return Err(Error::Index { what: "row", index, len });
        }
        let mut weights = vec![0.0; examples.dim()];
        for (&row, &coefficient) in self.rows.iter().zip(&self.coefficients) {
            examples.add_scaled(row, coefficient, &mut weights);
        }
        Linear::new(weights, self.bias)
    }

    /// The same function of vectors: the support examples are copied out of the set that the Gram matrix was made
    /// from.
    ///
    /// # Errors
    /// [`Error::Index`] if a row is not in the set, and as [`VectorExpansion::new`].
    pub fn over_vectors<E: Examples + ?Sized>(
        &self,
        examples: &E,
        kernel: VectorKernel,
    ) -> Result<VectorExpansion> {
        let support = SupportVectors::copied(examples, &self.rows)?;
        VectorExpansion::new(kernel, support, self.coefficients.clone(), self.bias)
    }

    /// The same function of objects: the support objects are copied out of the set that the Gram matrix was made
    /// from.
    ///
    /// # Errors
    /// [`Error::Index`] if a row is not in the set, and as [`ObjectExpansion::new`].
    pub fn over_objects<S, K>(&self, objects: &S, kernel: K) -> Result<ObjectExpansion<K, S::Object>>
    where
        S: Objects + ?Sized,
        S::Object: Clone + Send,
        K: Kernel<S::Object>,
    {
        let len = objects.len();
        let copy = |&index: &usize| {
            if index < len {
                Ok(objects.object(index).clone())
            } else {
                Err(Error::Index { what: "row", index, len })
            }
        };
        let support = self.rows.iter().map(copy).collect::<Result<Vec<_>>>()?;
        ObjectExpansion::new(kernel, support, self.coefficients.clone(), self.bias)
    }
}

impl<G: Gram + ?Sized> Hypothesis<G> for DualExpansion {
    fn decision_values_into(&self, set: &G, out: &mut [f64]) -> Result<()> {
        // As many rows at a time as the engine computes at full speed.
        const BLOCK: usize = 48;
        check_out(set, out)?;
        out.fill(self.bias);
        let mut block = vec![0.0; BLOCK.min(self.rows.len()) * out.len()];
        for (rows, coefficients) in self.rows.chunks(BLOCK).zip(self.coefficients.chunks(BLOCK)) {
            let block = &mut block[..rows.len() * out.len()];
            set.fill(rows, Columns::All, block)?;
            for (values, coefficient) in block.chunks_exact(out.len()).zip(coefficients) {
                out.iter_mut().zip(values).for_each(|(out, value)| *out += coefficient * value);
            }
        }
        check_finite(out)
    }
}

impl Lift for DualExpansion {
    fn lifted(mut self, rows: &[usize]) -> Result<Self> {
        for row in &mut self.rows {
            let beyond = Error::Index { what: "row of the selection", index: *row, len: rows.len() };
            *row = *rows.get(*row).ok_or(beyond)?;
        }
        Ok(self)
    }
}
