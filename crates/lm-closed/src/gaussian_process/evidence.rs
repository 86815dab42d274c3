//! The evidence of a Gaussian process, and its gradient in the logarithms of all parameters at once.
//!
//! # Problem
//! ```text
//! log p(y) = −½ yᵗβ/s² − ½ log|C| − n/2 log(2πs²) ,   C = K + Λ ,  β = C⁻¹y
//! ```
//! and its derivatives by `log s²`, `log σ²` and every `log ℓₖ`.
//! # Method
//! With `W = ββᵗ/s² − C⁻¹` and `M = W∘K` the derivatives are
//! ```text
//! by log s²:  ½ ΣΣ Mᵢⱼ      by log σ²:  ½ Σ WᵢᵢΛᵢᵢ      by log ℓₖ:  ½ ΣΣ Mᵢⱼ (xᵢₖ − xⱼₖ)²/ℓₖ²
//! ```
//! all sums of one pass over the pairs, from differences, without a matrix for each length. A weight `ω` stands for copies
//! of its example, whose density has the factor `(2πσ²)^((1−ω)/2) ω^(−½)` beside that of their mean.
//! # Cost
//! `n³` operations for factor and inverse, `n²d/2` for the pass; `24n²` bytes.
//! # Reference
//! Rasmussen & Williams (2006), equations 2.30 and 5.9.

use std::f64::consts::PI;

use lm_core::linalg::Matrix;
use lm_core::{
    Collection, Columns, Control, Dense, Error, Examples, Gram, Meter, Result, Stop, Targets, TrainingSet,
    VectorGram, parallel,
};

use super::{GaussianProcess, Lengths, Prepared, ended, unit_kernel};
use crate::conjugate_gradients::{dot, largest};
use crate::kernel_system::{DEFAULT_ITERATIONS, KernelSolver, System};

/// The derivatives of the log evidence by the logarithms of the parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceGradient {
    /// By `log s²`.
    pub signal: f64,
    /// By `log ℓ`, or by each `log ℓₖ`.
    pub lengths: Vec<f64>,
    /// By `log σ²`.
    pub noise: f64,
}

/// The log evidence and its gradient, with what they rest on.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// `log p(y)`.
    pub value: f64,
    /// Its derivatives.
    pub gradient: EvidenceGradient,
    /// What was added to the diagonal of `C`, whose largest entry is about 1, so that it has a factor; 0 if nothing was.
    pub jitter: f64,
    /// The condition number `‖C‖₁·‖C⁻¹‖₁`.
    pub condition: f64,
}

impl GaussianProcess {
    /// The log evidence of the parameters and its gradient.
    ///
    /// ```
    /// use lm_closed::{GaussianCovariance, GaussianProcess};
    /// use lm_core::{Control, Dense, Targets, TrainingSet};
    ///
    /// let inputs = Dense::new((0..5).map(f64::from).collect(), 5, 1)?;
    /// let targets = Targets::new((0..5).map(|x| f64::from(x).sin()).collect())?;
    /// let set = TrainingSet::new(&inputs, &targets)?;
    /// let at = |length: f64| GaussianProcess::new(GaussianCovariance::default().with_length(length));
    /// let evidence = at(1.0).evidence(&set, &Control::default())?;
    /// assert!((evidence.value + 4.469188646719919).abs() < 1e-12);
    /// // The gradient says that longer lengths explain a sine better.
    /// assert!(evidence.gradient.lengths[0] > 0.0);
    /// assert!(at(1.1).evidence(&set, &Control::default())?.value > evidence.value);
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Learner::fit_with`](lm_core::Learner::fit_with); [`Error::Memory`] if the budget has no room for the matrix and
    /// its inverse, [`Error::NotConverged`] if it ends the run.
    pub fn evidence<E: Examples + ?Sized>(
        &self,
        set: &TrainingSet<'_, E, Targets>,
        control: &Control<'_>,
    ) -> Result<Evidence> {
        let mut meter = control.start(DEFAULT_ITERATIONS);
        self.evidence_of(&self.prepared(set)?, &mut meter)?.map_err(ended)
    }

    /// As [`GaussianProcess::evidence`], of prepared data, with a meter that is running.
    pub(super) fn evidence_of(
        &self,
        prepared: &Prepared,
        meter: &mut Meter<'_>,
    ) -> Result<Result<Evidence, Stop>> {
        let len = prepared.targets.len();
        let needed = len.saturating_mul(len).saturating_mul(3 * size_of::<f64>());
        meter.budget().check_memory("the kernel matrix and its inverse", needed)?;
        let gram = VectorGram::new(&prepared.examples, unit_kernel()?)?;
        let ridge = &prepared.kept.ridge;
        let system = System {
            gram: &gram,
            ridge,
            free_bias: false,
            tolerance: super::GAP,
            solver: KernelSolver::Cholesky,
        };
        let factored = match system.factor(meter)? {
            Ok(factored) => factored,
            Err(stop) => return Ok(Err(stop)),
        };
        let mut beta = prepared.targets.clone();
        factored.cholesky.solve(&mut beta)?;
        let form = dot(&prepared.targets, &beta);
        let value = self.log_evidence(prepared, form, factored.cholesky.log_determinant())?;
        let inverse = factored.cholesky.inverse()?;
        if let Some(stop) = meter.advance(0, 0) {
            return Ok(Err(stop));
        }
        let jitter = factored.jitter;
        let (gradient, sums) = self.gradient(prepared, &gram, &beta, &inverse)?;
        // Kernel values are positive, so that their sums are those of absolute values.
        let norm = sums.iter().zip(ridge).fold(0.0, |norm: f64, (sum, d)| norm.max(sum + 1.0 + d + jitter));
        let columns = parallel::map(len, |j| inverse.column(j).iter().map(|x| x.abs()).sum::<f64>());
        let condition = norm * largest(&columns);
        Ok(Ok(Evidence { value, gradient, jitter, condition }))
    }

    /// The log evidence from `yᵗC⁻¹y` and `log|C|`.
    pub(super) fn log_evidence(&self, prepared: &Prepared, form: f64, log_determinant: f64) -> Result<f64> {
        let (signal, noise) = (self.covariance.signal_variance(), self.covariance.noise_variance());
        let copies: f64 = prepared
            .weights
            .iter()
            .map(|weight| 0.5 * (1.0 - weight) * (2.0 * PI * noise).ln() - 0.5 * weight.ln())
            .sum();
        let len = prepared.targets.len() as f64;
        let value =
            -0.5 * (form / signal) - 0.5 * log_determinant - 0.5 * len * (2.0 * PI * signal).ln() + copies;
        if value.is_finite() { Ok(value) } else { Err(Error::Numerical { what: "the log evidence" }) }
    }

    /// The gradient, and the sums of the columns of `K` without the diagonal.
    fn gradient(
        &self,
        prepared: &Prepared,
        gram: &impl Gram,
        beta: &[f64],
        inverse: &Matrix,
    ) -> Result<(EvidenceGradient, Vec<f64>)> {
        let signal = self.covariance.signal_variance();
        let scaled: Vec<f64> = beta.iter().map(|beta| beta / signal.sqrt()).collect();
        let mut noise = 0.0;
        let mut own = 0.0; // the diagonal of M, where K is 1
        for (row, (ridge, weight)) in prepared.kept.ridge.iter().zip(&prepared.weights).enumerate() {
            let diagonal = scaled[row] * scaled[row] - inverse[(row, row)];
            noise += 0.5 * diagonal * ridge + 0.5 * (1.0 - weight);
            own += diagonal;
        }
        let (sums, column_sums) = pass(&prepared.examples, gram, &scaled, inverse)?;
        let by_column = &sums[1..];
        let lengths = match self.covariance.lengths() {
            Lengths::One(_) => vec![by_column.iter().sum()],
            Lengths::Each(_) => by_column.to_vec(),
        };
        // Each pair of different inputs counts twice, which the half makes up for.
        let gradient = EvidenceGradient { signal: 0.5 * own + sums[0], lengths, noise };
        let finite = gradient.signal.is_finite() && gradient.noise.is_finite();
        if finite && gradient.lengths.iter().all(|value| value.is_finite()) {
            Ok((gradient, column_sums))
        } else {
            Err(Error::Numerical { what: "the gradient of the log evidence" })
        }
    }
}

/// `Σ Mᵢⱼ` and, for each column `k`, `Σ Mᵢⱼ(xᵢₖ − xⱼₖ)²`, over the pairs `i > j`, and for each `j` the sum of `Kᵢⱼ` over all
/// other `i`. `scaled` is `β/s`.
fn pass(
    examples: &Dense<'_>,
    gram: &impl Gram,
    scaled: &[f64],
    inverse: &Matrix,
) -> Result<(Vec<f64>, Vec<f64>)> {
    const ROWS: usize = 96;
    let (len, dim) = (examples.len(), examples.dim());
    let mut columns = vec![0.0; len * dim];
    for row in 0..len {
        examples.slice(row).iter().enumerate().for_each(|(k, x)| columns[k * len + row] = *x);
    }
    let (mut totals, mut column_sums) = (vec![0.0; dim + 1], vec![0.0; len]);
    let mut block = Matrix::zeros(len, ROWS.min(len))?.into_values();
    for start in (0..len).step_by(ROWS) {
        let end = len.min(start + ROWS);
        let (rows, width): (Vec<usize>, usize) = ((start..end).collect(), len - start);
        let block = &mut block[..rows.len() * width];
        gram.fill(&rows, Columns::Range { start, end: len }, block)?;
        let sums = parallel::map(rows.len(), |offset| {
            let j = start + offset;
            let kernel = &block[offset * width + offset + 1..(offset + 1) * width];
            let below = &inverse.column(j)[j + 1..];
            let products: Vec<f64> = kernel
                .iter()
                .zip(below)
                .zip(&scaled[j + 1..])
                .map(|((kernel, inverse), beta)| (scaled[j] * beta - inverse) * kernel)
                .collect();
            let mut sums = vec![products.iter().sum()];
            for column in columns.chunks_exact(len) {
                sums.push(weighted_squares(&products, &column[j + 1..], column[j]));
            }
            sums
        });
        for offset in 0..rows.len() {
            let kernel = &block[offset * width + offset + 1..(offset + 1) * width];
            column_sums[start + offset] += kernel.iter().sum::<f64>();
            column_sums[start + offset + 1..].iter_mut().zip(kernel).for_each(|(sum, value)| *sum += value);
        }
        for row in sums {
            totals.iter_mut().zip(row).for_each(|(total, sum)| *total += sum);
        }
    }
    Ok((totals, column_sums))
}

/// `Σ wᵢ(xᵢ − x)²`, in lanes.
fn weighted_squares(weights: &[f64], xs: &[f64], x: f64) -> f64 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    let (left, right) = (weights.chunks_exact(LANES), xs.chunks_exact(LANES));
    let square = |(w, other): (&f64, &f64)| w * (other - x) * (other - x);
    let rest: f64 = left.remainder().iter().zip(right.remainder()).map(square).sum();
    for (w, xs) in left.zip(right) {
        for lane in 0..LANES {
            let difference = xs[lane] - x;
            sums[lane] += w[lane] * difference * difference;
        }
    }
    sums.iter().sum::<f64>() + rest
}
