//! Gaussian process regression at given parameters.
//!
//! # Problem
//! ```text
//! f ~ GP(0, k) ,   yᵢ = f(xᵢ) + noise of variance σ²/ωᵢ :   the distribution of f(x) given the data
//! ```
//! # Method
//! With `K` the matrix of `k/s²` and `Λ = σ²/(s²ω)`, a Cholesky factor of `C = K + Λ` gives everything:
//! ```text
//! mean(x)     = kᵗβ ,               β = C⁻¹y
//! variance(x) = s²(1 − kᵗC⁻¹k) ,    k the values k(x, xᵢ)/s²
//! log p(y)    = −½ yᵗβ/s² − ½ log|C| − n/2 log(2πs²)
//! ```
//! The mean is that of kernel ridge regression with `λ = σ²/s²`, and is refined as such. A weight divides the noise of its
//! example; with the density of the copies that it stands for, the evidence too is that of repetition. Where the matrix
//! does not fit into the memory, the mean alone is computed, by conjugate gradients.
//! # Cost
//! `n²/2` kernel values and `n³/3` operations; `8n²` bytes. A variance costs `n²` operations.
//! # Reference
//! Rasmussen & Williams (2006), algorithm 2.1; Cristianini & Shawe-Taylor (2000), section 6.2.3.

mod bounded_lbfgs;
mod certificate;
mod covariance;
mod evidence;
mod gram_process;
mod inputs;
mod leave_one_out;
mod maximum_evidence;
mod model;

pub use certificate::GaussianProcessCertificate;
pub use covariance::{GaussianCovariance, Lengths};
pub use evidence::{Evidence, EvidenceGradient};
pub use gram_process::{GramPosterior, GramProcess};
pub use leave_one_out::LeaveOneOut;
pub use maximum_evidence::{MaximumEvidence, MaximumEvidenceCertificate, Start};
pub use model::{GaussianProcessModel, Predictions};

use lm_core::{
    Control, Dense, Examples, Fit, Gram, Learner, Meter, Result, Stop, Targets, TrainingSet, VectorGram,
    VectorKernel,
};

use self::inputs::Inputs;
use crate::kernel_ridge::Kept;
use crate::kernel_system::{
    DEFAULT_ITERATIONS, DEFAULT_MEMORY, Factored, KernelSolver, Solution, System, bytes,
};

/// The relative duality gap up to which the mean is refined after the step with a factor, which gives far less where the
/// matrix allows for it; with hardly any noise it does not.
const GAP: f64 = 1e-10;

/// The relative duality gap of a mean without a factor, which iterations reach and do not pass.
const GAP_BY_PRODUCTS: f64 = 1e-16;

/// The kernel of inputs in units of their lengths.
fn unit_kernel() -> Result<VectorKernel> {
    VectorKernel::gaussian(0.5)
}

/// The settings of Gaussian process regression at given parameters.
///
/// The process has mean 0, unless [`GaussianProcess::with_centring`] asks for the mean of the targets. Inputs are copied
/// as dense rows, in units of the lengths. Memory: `8n²` bytes; where a budget, or 2 GiB without one, does not allow for
/// that, the mean is computed without the matrix, and there are no variances.
///
/// ```
/// use lm_closed::{GaussianCovariance, GaussianProcess};
/// use lm_core::{Dense, Learner, Targets};
///
/// let inputs = Dense::new((0..5).map(f64::from).collect(), 5, 1)?;
/// let targets = Targets::new((0..5).map(|x| f64::from(x).sin()).collect())?;
/// let process = GaussianProcess::new(GaussianCovariance::default().with_noise_variance(0.01));
/// let fit = process.fit(&inputs, &targets)?.converged()?;
/// let at = Dense::new(vec![1.5, 20.0], 2, 1)?;
/// let found = fit.model.predict(&at)?;
/// assert!((found.means()[0] - 1.5_f64.sin()).abs() < 0.01);
/// assert!(found.variances()[0] < 0.02 && found.variances()[1] > 0.99); // far away only the prior is known
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GaussianProcess {
    covariance: GaussianCovariance,
    centred: bool,
}

impl GaussianProcess {
    /// A process with this prior.
    pub fn new(covariance: GaussianCovariance) -> Self {
        Self { covariance, centred: false }
    }

    /// Whether the mean of the targets, weighted, is the mean of the process; default no: it is 0. The uncertainty of that
    /// mean does not enter the variances.
    #[must_use]
    pub fn with_centring(self, centred: bool) -> Self {
        Self { centred, ..self }
    }

    /// The prior.
    pub fn covariance(&self) -> &GaussianCovariance {
        &self.covariance
    }

    fn validate(&self, dim: usize) -> Result<()> {
        self.covariance.validate(dim)
    }

    /// The data as the process sees them.
    fn prepared<E: Examples + ?Sized>(&self, set: &TrainingSet<'_, E, Targets>) -> Result<Prepared> {
        self.validate(set.examples().dim())?;
        let kept = Kept::new(set, self.covariance.ratio())?;
        let rows: Vec<usize> = (0..set.len()).filter(|&row| set.weight(row) > 0.0).collect();
        let weights: Vec<f64> = rows.iter().map(|&row| set.weight(row)).collect();
        let inputs = Inputs::new(set.examples(), &rows, &self.covariance);
        let examples = inputs.mapped(set.examples(), &rows)?;
        let mut targets = kept.pick(set.labels().values());
        let constant = if self.centred { weighted_mean(&targets, &weights) } else { 0.0 };
        targets.iter_mut().for_each(|target| *target -= constant);
        Ok(Prepared { inputs, examples, targets, constant, weights, kept })
    }
}

/// The weighted mean, without overflow.
fn weighted_mean(values: &[f64], weights: &[f64]) -> f64 {
    let total: f64 = weights.iter().sum();
    values.iter().zip(weights).map(|(value, weight)| value * (weight / total)).sum()
}

/// The data of a process: the examples that count, in units of the lengths, and their targets about the mean.
struct Prepared {
    inputs: Inputs,
    examples: Dense<'static>,
    targets: Vec<f64>,
    constant: f64,
    weights: Vec<f64>,
    kept: Kept,
}

/// The system of a process, solved, with its factor where there was room for one.
struct Solved {
    solution: Solution,
    factored: Option<Factored>,
}

/// Solves the system of a process: by a factor where the memory allows for one.
fn solve<G: Gram + ?Sized>(
    gram: &G,
    ridge: &[f64],
    targets: &[f64],
    meter: &mut Meter<'_>,
) -> Result<Solved> {
    let len = targets.len();
    let allowed = meter.budget().memory().unwrap_or(DEFAULT_MEMORY);
    let fits = bytes(KernelSolver::Cholesky, len) <= allowed;
    let (solver, tolerance) = match fits {
        true => (KernelSolver::Cholesky, GAP),
        false => (KernelSolver::MatrixFree, GAP_BY_PRODUCTS),
    };
    let system = System { gram, ridge, free_bias: false, tolerance, solver };
    if !fits {
        return Ok(Solved { solution: system.solve(targets, meter)?, factored: None });
    }
    match system.factor(meter)? {
        Ok(factored) => {
            let solution = system.solve_by(&factored, targets, meter)?;
            Ok(Solved { solution, factored: Some(factored) })
        }
        Err(stop) => {
            let (alpha, residual) = (vec![0.0; len], targets.to_vec());
            Ok(Solved { solution: Solution { alpha, bias: 0.0, residual, stop }, factored: None })
        }
    }
}

impl<E: Examples + ?Sized> Learner<E, Targets> for GaussianProcess {
    type Model = GaussianProcessModel;
    type Certificate = GaussianProcessCertificate;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, E, Targets>,
        control: &Control<'_>,
    ) -> Result<Fit<GaussianProcessModel, GaussianProcessCertificate>> {
        let mut meter = control.start(DEFAULT_ITERATIONS);
        let prepared = self.prepared(set)?;
        let gram = VectorGram::new(&prepared.examples, unit_kernel()?)?;
        let solved = solve(&gram, &prepared.kept.ridge, &prepared.targets, &mut meter)?;
        let stop = solved.solution.stop;
        let certificate = GaussianProcessCertificate::compute(self, set, &prepared, &solved)?;
        let model = GaussianProcessModel::fitted(self.covariance.clone(), prepared, solved)?;
        Ok(Fit { model, report: meter.report(stop, None), certificate })
    }
}

/// The error of a run that has no partial result to give.
fn ended(stop: Stop) -> lm_core::Error {
    lm_core::Error::NotConverged { stop, iterations: 0 }
}
