//! A Gaussian process over any Gram matrix: the covariance is the matrix itself.

use lm_core::linalg::Cholesky;
use lm_core::{
    Control, DualExpansion, Error, Fit, Gram, Hypothesis, Learner, Result, Selection, Targets, TrainingSet,
};

use super::{Solved, solve};
use crate::KernelRidgeCertificate;
use crate::kernel_ridge::Kept;
use crate::kernel_system::DEFAULT_ITERATIONS;

/// The settings of Gaussian process regression whose covariance is a Gram matrix, of vectors or of anything else.
///
/// Mean and variance of new examples follow from their kernel values with those of the matrix. Memory as for
/// [`GaussianProcess`](crate::GaussianProcess).
///
/// ```
/// use lm_closed::GramProcess;
/// use lm_core::{Learner, MatrixGram, Targets};
///
/// let gram = MatrixGram::precomputed(vec![1.0, 0.0, 0.0, 1.0], 2)?;
/// let targets = Targets::new(vec![2.0, -4.0])?;
/// let fit = GramProcess::default().with_noise_variance(1.0).fit(&gram, &targets)?.converged()?;
/// assert!((fit.model.mean(&[1.0, 0.0])? - 1.0).abs() < 1e-15); // the first example again: 2/(1 + 1)
/// assert!((fit.model.variance(&[1.0, 0.0], 1.0)? - 0.5).abs() < 1e-15);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GramProcess {
    noise: f64,
}

impl Default for GramProcess {
    fn default() -> Self {
        Self { noise: 0.01 }
    }
}

impl GramProcess {
    /// The variance `σ²` of the noise, finite and > 0; default 0.01.
    #[must_use]
    pub fn with_noise_variance(self, noise: f64) -> Self {
        Self { noise }
    }

    fn validate(&self) -> Result<()> {
        if self.noise > 0.0 && self.noise.is_finite() {
            Ok(())
        } else {
            Err(Error::Setting { name: "noise variance", value: self.noise, accepted: "a finite number > 0" })
        }
    }
}

/// The distribution of a process over a Gram matrix given the data. Its decision values on members of the matrix are the
/// means.
#[derive(Debug, Clone, PartialEq)]
pub struct GramPosterior {
    mean: DualExpansion,
    /// The rows that count, in order.
    rows: Vec<usize>,
    uncertainty: Uncertainty,
}

/// What is known of the variances.
#[derive(Debug, Clone, PartialEq)]
enum Uncertainty {
    /// A factor of the system's matrix, and how much was added to its diagonal for it.
    Factor(Cholesky, f64),
    /// The run was stopped, or had no room for a factor.
    Unknown,
}

impl GramPosterior {
    /// The mean as an expansion over rows of the matrix.
    pub fn expansion(&self) -> &DualExpansion {
        &self.mean
    }

    /// What was added to the diagonal of the matrix for the variances; 0 if nothing was.
    pub fn jitter(&self) -> f64 {
        match self.uncertainty {
            Uncertainty::Factor(_, jitter) => jitter,
            Uncertainty::Unknown => 0.0,
        }
    }

    /// The mean of the process at a new example, from its kernel values with every row of the matrix.
    ///
    /// # Errors
    /// As [`DualExpansion::decide`].
    pub fn mean(&self, kernel_values: &[f64]) -> Result<f64> {
        self.mean.decide(kernel_values)
    }

    /// The variance of the process at a new example, from its kernel values with every row of the matrix and its kernel
    /// value with itself.
    ///
    /// # Errors
    /// [`Error::Index`] if a row has no kernel value, [`Error::Numerical`] if the fit left no factor, because it was
    /// stopped or had no room for one, or if the result is not finite.
    pub fn variance(&self, kernel_values: &[f64], own: f64) -> Result<f64> {
        let Uncertainty::Factor(factor, _) = &self.uncertainty else {
            return Err(Error::Numerical { what: "a variance without a factor of the kernel matrix" });
        };
        let value = |&row: &usize| {
            let missing = Error::Index { what: "kernel value", index: row, len: kernel_values.len() };
            kernel_values.get(row).copied().ok_or(missing)
        };
        let values = self.rows.iter().map(value).collect::<Result<Vec<f64>>>()?;
        let mut solved = values.clone();
        factor.solve(&mut solved)?;
        let explained: f64 = values.iter().zip(&solved).map(|(a, b)| a * b).sum();
        let variance = own - explained;
        if variance.is_finite() {
            // Rounding may explain a little more than there is.
            Ok(variance.max(0.0))
        } else {
            Err(Error::Numerical { what: "a predictive variance" })
        }
    }
}

impl<G: Gram + ?Sized> Hypothesis<G> for GramPosterior {
    fn decision_values_into(&self, set: &G, out: &mut [f64]) -> Result<()> {
        self.mean.decision_values_into(set, out)
    }
}

impl<G: Gram + ?Sized> Learner<G, Targets> for GramProcess {
    type Model = GramPosterior;
    type Certificate = KernelRidgeCertificate;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, G, Targets>,
        control: &Control<'_>,
    ) -> Result<Fit<GramPosterior, KernelRidgeCertificate>> {
        self.validate()?;
        let mut meter = control.start(DEFAULT_ITERATIONS);
        let kept = Kept::new(set, self.noise)?;
        let rows: Vec<usize> = (0..set.len()).filter(|&row| set.weight(row) > 0.0).collect();
        let gram = Selection::new(set.examples(), &rows)?;
        let targets = kept.pick(set.labels().values());
        let Solved { solution, factored } = solve(&gram, &kept.ridge, &targets, &mut meter)?;
        let alpha = kept.spread(&solution.alpha, set.len());
        let mean = DualExpansion::from_all(&alpha, 0.0)?;
        let certificate = KernelRidgeCertificate::compute(
            set.labels().values(),
            |row| set.weight(row),
            (alpha, 0.0, &solution.residual),
            self.noise,
            false,
        )?;
        let factor = |factored: crate::kernel_system::Factored| {
            Uncertainty::Factor(factored.cholesky, factored.jitter)
        };
        let uncertainty = factored.map_or(Uncertainty::Unknown, factor);
        let report = meter.report(solution.stop, None);
        Ok(Fit { model: GramPosterior { mean, rows, uncertainty }, report, certificate })
    }
}
