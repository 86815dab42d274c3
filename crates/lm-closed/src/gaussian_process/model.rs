//! A fitted process: means and variances at new inputs.

use std::sync::OnceLock;

use lm_core::linalg::{Cholesky, Matrix};
use lm_core::{
    Budget, Collection, Control, Error, Examples, Hypothesis, Lift, Result, SupportVectors, VectorExpansion,
    VectorGram,
};

use super::covariance::GaussianCovariance;
use super::inputs::Inputs;
use super::{Prepared, Solved, ended, unit_kernel};
use crate::chain::for_each_block;
use crate::kernel_system::{DEFAULT_ITERATIONS, KernelSolver, System, bytes};

/// The distribution of the process given the data.
///
/// Its decision values are the means. Variances need a Cholesky factor of `8n²` bytes, which a fit leaves here, and which
/// a model from a file computes when it is first asked for one.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored"))]
pub struct GaussianProcessModel {
    covariance: GaussianCovariance,
    #[cfg_attr(feature = "serde", serde(with = "lm_core::serde_array"))]
    shift: Vec<f64>,
    #[cfg_attr(feature = "serde", serde(with = "lm_core::serde_array"))]
    ridge: Vec<f64>,
    mean: VectorExpansion,
    /// The factor, and how much jitter it took. Not a part of the distribution: it follows from the rest.
    #[cfg_attr(feature = "serde", serde(skip))]
    factor: OnceLock<Cholesky>,
}

impl PartialEq for GaussianProcessModel {
    fn eq(&self, other: &Self) -> bool {
        self.covariance == other.covariance
            && self.shift == other.shift
            && self.ridge == other.ridge
            && self.mean == other.mean
    }
}

/// What a decoder reads before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Stored {
    covariance: GaussianCovariance,
    #[serde(with = "lm_core::serde_array")]
    shift: Vec<f64>,
    #[serde(with = "lm_core::serde_array")]
    ridge: Vec<f64>,
    mean: VectorExpansion,
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for GaussianProcessModel {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self> {
        let Stored { covariance, shift, ridge, mean } = stored;
        let (dim, len) = (mean.support().as_examples().dim(), mean.coefficients().len());
        covariance.validate(dim)?;
        for (what, expected, found) in
            [("the mean of the inputs", dim, shift.len()), ("the list of ridges", len, ridge.len())]
        {
            if found != expected {
                return Err(Error::Length { what, expected, found });
            }
        }
        if let Some(row) = shift.iter().position(|value| !value.is_finite()) {
            return Err(Error::NonFinite { what: "the mean of the inputs", row, column: None });
        }
        if let Some(row) = ridge.iter().position(|&value| !(value > 0.0 && value.is_finite())) {
            return Err(Error::NonFinite { what: "ridge", row, column: None });
        }
        if mean.kernel() != unit_kernel()? || !matches!(mean.support(), SupportVectors::DenseF64(_)) {
            return Err(Error::Numerical { what: "a process of another kernel or storage" });
        }
        Ok(Self { covariance, shift, ridge, mean, factor: OnceLock::new() })
    }
}

#[cfg(feature = "persist")]
impl lm_core::persist::Persist for GaussianProcessModel {
    const KIND: &'static str = "gaussian-process";
    const VERSION: u16 = 1;
}

/// Means and variances of the process at some inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Predictions {
    means: Vec<f64>,
    variances: Vec<f64>,
    noise: f64,
}

impl Predictions {
    /// The mean of `f(x)`.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// The variance of `f(x)`, without the noise of an observation.
    pub fn variances(&self) -> &[f64] {
        &self.variances
    }

    /// The variance of an observation at `x`: that of `f(x)` and that of the noise.
    pub fn observed_variances(&self) -> Vec<f64> {
        self.variances.iter().map(|variance| variance + self.noise).collect()
    }
}

impl GaussianProcessModel {
    pub(super) fn fitted(covariance: GaussianCovariance, prepared: Prepared, solved: Solved) -> Result<Self> {
        let support = SupportVectors::DenseF64(prepared.examples);
        let mean = VectorExpansion::new(unit_kernel()?, support, solved.solution.alpha, prepared.constant)?;
        let factor = OnceLock::new();
        if let Some(factored) = solved.factored {
            let _ = factor.set(factored.cholesky);
        }
        Ok(Self { covariance, shift: prepared.inputs.shift, ridge: prepared.kept.ridge, mean, factor })
    }

    /// The prior.
    pub fn covariance(&self) -> &GaussianCovariance {
        &self.covariance
    }

    /// The mean of the process as an expansion over inputs in units of their lengths, about their mean.
    pub fn expansion(&self) -> &VectorExpansion {
        &self.mean
    }

    /// Mean and variance at every input, with no limit on memory.
    ///
    /// # Errors
    /// As [`GaussianProcessModel::predict_within`].
    pub fn predict<E: Examples + ?Sized>(&self, set: &E) -> Result<Predictions> {
        self.predict_within(set, &Budget::default())
    }

    /// Mean and variance at every input. The factor that the variances need is computed here if it is not there yet.
    ///
    /// # Errors
    /// As [`Hypothesis::decision_values_into`]; [`Error::Memory`] or [`Error::Allocation`] if the factor does not fit,
    /// [`Error::NotConverged`] if the budget ends its computation.
    pub fn predict_within<E: Examples + ?Sized>(&self, set: &E, budget: &Budget) -> Result<Predictions> {
        let queries = self.inputs().all(set)?;
        let means = self.mean.decision_values(&queries)?;
        let factor = self.factor(budget)?;
        let mut variances = Vec::with_capacity(queries.len());
        let (kept, signal) = (self.mean.support().as_examples(), self.covariance.signal_variance());
        for_each_block(kept, &queries, unit_kernel()?, |block| {
            let mut solved = Matrix::from_columns(block.values.to_vec(), block.len, block.own.len())?;
            factor.solve_lower(&mut solved)?;
            for column in 0..solved.columns() {
                let explained: f64 = solved.column(column).iter().map(|value| value * value).sum();
                // Rounding may explain a little more than there is.
                variances.push(signal * (1.0 - explained).max(0.0));
            }
            Ok(())
        })?;
        if variances.iter().all(|variance| variance.is_finite()) {
            Ok(Predictions { means, variances, noise: self.covariance.noise_variance() })
        } else {
            Err(Error::Numerical { what: "a predictive variance" })
        }
    }

    fn factor(&self, budget: &Budget) -> Result<&Cholesky> {
        if let Some(factor) = self.factor.get() {
            return Ok(factor);
        }
        let needed = bytes(KernelSolver::Cholesky, self.ridge.len());
        budget.check_memory("the factor for predictive variances", needed)?;
        let support = self.mean.support().as_examples();
        let gram = VectorGram::new(support, unit_kernel()?)?;
        let system = System {
            gram: &gram,
            ridge: &self.ridge,
            free_bias: false,
            tolerance: super::GAP,
            solver: KernelSolver::Cholesky,
        };
        let mut meter = Control::new(*budget).start(DEFAULT_ITERATIONS);
        let factored = system.factor(&mut meter)?.map_err(ended)?;
        Ok(self.factor.get_or_init(|| factored.cholesky))
    }

    fn inputs(&self) -> Inputs {
        Inputs::about(self.shift.clone(), &self.covariance)
    }
}

impl<E: Examples + ?Sized> Hypothesis<E> for GaussianProcessModel {
    fn decision_values_into(&self, set: &E, out: &mut [f64]) -> Result<()> {
        if out.len() != set.len() {
            let (expected, found) = (set.len(), out.len());
            return Err(Error::Length { what: "the array of decision values", expected, found });
        }
        self.mean.decision_values_into(&self.inputs().all(set)?, out)
    }
}

impl Lift for GaussianProcessModel {
    fn lifted(self, _: &[usize]) -> Result<Self> {
        Ok(self)
    }
}
