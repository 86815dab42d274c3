//! The discriminant directions: at most one fewer than there are classes.

use lm_core::linalg::Matrix;
use lm_core::{Error, Examples, Hypothesis, Linear, Result};

use crate::range::InRange;

/// Directions `v` with `S_B v = λ S_W v`, the most telling first, and the map `x ↦ vᵗ(x − m)` onto them.
///
/// Along every direction the variance within classes is 1, and no two are correlated within classes. Their sign is such that
/// the weight of the largest size is positive.
///
/// ```
/// use lm_closed::Lda;
/// use lm_core::Learner;
///
/// let iris = lm_data::classic::iris()?;
/// let fit = Lda::default().fit(&iris.data.examples, &iris.data.classes()?)?;
/// let projection = fit.model.projection();
/// assert_eq!((projection.dim(), projection.len()), (4, 2));
/// assert!(projection.proportions()[0] > 0.99); // one direction tells nearly all
/// let plane = projection.project(&iris.data.examples)?;
/// assert_eq!((plane.rows(), plane.columns()), (150, 2));
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored"))]
pub struct Projection {
    /// Direction after direction.
    #[cfg_attr(feature = "serde", serde(with = "lm_core::serde_array"))]
    weights: Vec<f64>,
    /// `−vᵗm` for each.
    #[cfg_attr(feature = "serde", serde(with = "lm_core::serde_array"))]
    biases: Vec<f64>,
    #[cfg_attr(feature = "serde", serde(with = "lm_core::serde_array"))]
    eigenvalues: Vec<f64>,
    dim: u64,
}

/// What a decoder reads before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Stored {
    #[serde(with = "lm_core::serde_array")]
    weights: Vec<f64>,
    #[serde(with = "lm_core::serde_array")]
    biases: Vec<f64>,
    #[serde(with = "lm_core::serde_array")]
    eigenvalues: Vec<f64>,
    dim: u64,
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for Projection {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self> {
        let dim = usize::try_from(stored.dim).unwrap_or(usize::MAX);
        Self::new(stored.weights, stored.biases, stored.eigenvalues, dim)
    }
}

#[cfg(feature = "persist")]
impl lm_core::persist::Persist for Projection {
    const KIND: &'static str = "discriminant-projection";
    const VERSION: u16 = 1;
}

impl Projection {
    pub(crate) fn new(
        weights: Vec<f64>,
        biases: Vec<f64>,
        eigenvalues: Vec<f64>,
        dim: usize,
    ) -> Result<Self> {
        if dim == 0 {
            return Err(Error::Empty { what: "the list of columns" });
        }
        let expected = biases.len().saturating_mul(dim);
        if weights.len() != expected {
            return Err(Error::Length { what: "the list of directions", expected, found: weights.len() });
        }
        if eigenvalues.len() != biases.len() {
            let (expected, found) = (biases.len(), eigenvalues.len());
            return Err(Error::Length { what: "the list of eigenvalues", expected, found });
        }
        if let Some(row) = weights.iter().chain(&biases).position(|value| !value.is_finite()) {
            return Err(Error::NonFinite { what: "direction", row, column: None });
        }
        if let Some(row) = eigenvalues.iter().position(|value| !(*value >= 0.0 && value.is_finite())) {
            return Err(Error::Weight {
                row, value: eigenvalues[row], accepted: "a finite eigenvalue ≥ 0"
            });
        }
        Ok(Self { weights, biases, eigenvalues, dim: dim as u64 })
    }

    /// The dimension of the examples.
    pub fn dim(&self) -> usize {
        self.dim as usize
    }

    /// The number of directions.
    pub fn len(&self) -> usize {
        self.biases.len()
    }

    /// Whether there is no direction: nothing varies within classes, or the class means are equal.
    pub fn is_empty(&self) -> bool {
        self.biases.is_empty()
    }

    /// The directions, in the order of their eigenvalues.
    pub fn directions(&self) -> impl Iterator<Item = &[f64]> {
        self.weights.chunks_exact(self.dim())
    }

    /// The coordinate along each direction, as a function: `vᵗ(x − m)`.
    ///
    /// # Errors
    /// None: the parts were checked when the projection was made.
    pub fn functions(&self) -> Result<Vec<Linear>> {
        self.directions().zip(&self.biases).map(|(v, bias)| Linear::new(v.to_vec(), *bias)).collect()
    }

    /// `λ`: the scatter between classes over that within them, along each direction, the largest first.
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// The share of each direction in the sum of the eigenvalues, the *proportion of trace*.
    pub fn proportions(&self) -> Vec<f64> {
        let trace: f64 = self.eigenvalues.iter().sum();
        self.eigenvalues.iter().map(|value| if trace > 0.0 { value / trace } else { 0.0 }).collect()
    }

    /// Wilks' `Λ = Π 1/(1 + λ)`: the share of the generalised variance that the classes leave unexplained.
    pub fn wilks_lambda(&self) -> f64 {
        self.eigenvalues.iter().map(|value| 1.0 / (1.0 + value)).product()
    }

    /// The coordinates of every example, one row for each and one column for each direction.
    ///
    /// # Errors
    /// [`Error::Length`] for examples of another dimension, [`Error::Numerical`] if a coordinate overflows, as
    /// [`Matrix::zeros`].
    pub fn project<E: Examples + ?Sized>(&self, examples: &E) -> Result<Matrix> {
        examples.check_dim("a direction", self.dim())?;
        let mut out = Matrix::zeros(examples.len(), self.len())?;
        for (j, function) in self.functions()?.iter().enumerate() {
            function.decision_values_into(examples, out.column_mut(j))?;
        }
        Ok(out)
    }

    /// The same projection of the examples as they were before their columns were scaled.
    pub(crate) fn restored(self, copy: &InRange) -> Result<Self> {
        let functions: Result<Vec<Linear>> =
            self.functions()?.iter().map(|function| copy.restored(function)).collect();
        let weights = functions?.iter().flat_map(|function| function.weights().to_vec()).collect();
        let dim = self.dim();
        Self::new(weights, self.biases, self.eigenvalues, dim)
    }
}
