//! What a Gaussian process says of each observation without having seen it.
//!
//! # Problem
//! For every `i`, the distribution of `yᵢ` given all other observations, at the same parameters.
//! # Method
//! With `β = C⁻¹y` and `G = C⁻¹` it is normal with mean `yᵢ − βᵢ/Gᵢᵢ` and variance `s²/Gᵢᵢ`, of which `σ²/ωᵢ` is noise: the
//! inverse of a block says what the others leave unexplained. A row of weight `ω` is left out with all of its weight, and
//! what is predicted is one observation.
//! # Cost
//! `n³` operations, `16n²` bytes; no second fit.
//! # Reference
//! Rasmussen & Williams (2006), equations 5.10 to 5.12; Sundararajan & Keerthi (2001).

use std::f64::consts::PI;

use lm_core::{Control, Error, Examples, Result, Targets, TrainingSet, VectorGram};

use super::{GaussianProcess, ended, solve, unit_kernel};
use crate::kernel_system::{DEFAULT_ITERATIONS, DEFAULT_MEMORY, KernelSolver, bytes};

/// For each example that counts, in order, what the others say of its target.
#[derive(Debug, Clone, PartialEq)]
pub struct LeaveOneOut {
    /// The rows of the examples.
    pub rows: Vec<usize>,
    /// The mean of the target.
    pub means: Vec<f64>,
    /// The variance of the target, with its noise.
    pub variances: Vec<f64>,
    /// The logarithm of the density at the target.
    pub log_densities: Vec<f64>,
}

impl GaussianProcess {
    /// What the process says of each observation without having seen it.
    ///
    /// ```
    /// use lm_closed::{GaussianCovariance, GaussianProcess};
    /// use lm_core::{Control, Dense, Targets, TrainingSet};
    ///
    /// let inputs = Dense::new((0..9).map(|x| f64::from(x) / 2.0).collect(), 9, 1)?;
    /// let mut values: Vec<f64> = (0..9).map(|x| (f64::from(x) / 2.0).sin()).collect();
    /// values[4] += 3.0; // an outlier
    /// let targets = Targets::new(values)?;
    /// let found = GaussianProcess::default().leave_one_out(&TrainingSet::new(&inputs, &targets)?, &Control::default())?;
    /// let least = (0..9).min_by(|&a, &b| found.log_densities[a].total_cmp(&found.log_densities[b]));
    /// assert_eq!(least, Some(4));
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`GaussianProcess::evidence`].
    pub fn leave_one_out<E: Examples + ?Sized>(
        &self,
        set: &TrainingSet<'_, E, Targets>,
        control: &Control<'_>,
    ) -> Result<LeaveOneOut> {
        let mut meter = control.start(DEFAULT_ITERATIONS);
        let prepared = self.prepared(set)?;
        let needed = 2 * bytes(KernelSolver::Cholesky, prepared.targets.len());
        meter.budget().check_memory("the factor of the kernel matrix and its inverse", needed)?;
        let gram = VectorGram::new(&prepared.examples, unit_kernel()?)?;
        let solved = solve(&gram, &prepared.kept.ridge, &prepared.targets, &mut meter)?;
        let Some(factored) = solved.factored else {
            // Without a budget the factor may still be larger than what is taken unasked.
            let (needed, allowed) = (bytes(KernelSolver::Cholesky, prepared.targets.len()), DEFAULT_MEMORY);
            if needed > allowed {
                let what = "the factor of the kernel matrix";
                return Err(Error::Memory { what, needed, allowed });
            }
            return Err(ended(solved.solution.stop));
        };
        let diagonal = factored.cholesky.inverse_diagonal()?;
        let mut beta = prepared.targets.clone();
        factored.cholesky.solve(&mut beta)?;
        let (signal, noise) = (self.covariance.signal_variance(), self.covariance.noise_variance());
        let mut found = LeaveOneOut {
            rows: (0..set.len()).filter(|&row| set.weight(row) > 0.0).collect(),
            means: Vec::new(),
            variances: Vec::new(),
            log_densities: Vec::new(),
        };
        for (((y, beta), entry), weight) in
            prepared.targets.iter().zip(&beta).zip(&diagonal).zip(&prepared.weights)
        {
            let error = beta / entry;
            let variance = signal / entry + noise * (1.0 - 1.0 / weight);
            found.means.push(prepared.constant + y - error);
            found.variances.push(variance);
            found.log_densities.push(-0.5 * (error * error / variance + (2.0 * PI * variance).ln()));
        }
        let finite = found.means.iter().chain(&found.variances).chain(&found.log_densities);
        if finite.into_iter().all(|value| value.is_finite()) {
            Ok(found)
        } else {
            Err(Error::Numerical { what: "a predictive density" })
        }
    }
}
