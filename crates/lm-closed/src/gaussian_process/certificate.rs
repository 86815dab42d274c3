//! The evidence for a fitted process: the residual of its mean, and the log evidence of its parameters.

use lm_core::{
    Certificate, Columns, Discrepancy, Error, Examples, Gram, Result, Targets, TrainingSet, VectorGram,
    Verdict, Weights,
};

use super::{GaussianProcess, Prepared, Solved, unit_kernel};
use crate::KernelRidgeCertificate;
use crate::conjugate_gradients::dot;

/// What is claimed of a fitted process.
///
/// The mean is a ridge solution, and its certificate is one of that ([`KernelRidgeCertificate`], with `λ = σ²/s²`, on the
/// inputs in units of their lengths). [`Certificate::verify`] recomputes it, and the log evidence by an elimination of its
/// own, of `n³/3` operations on one core.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GaussianProcessCertificate {
    process: GaussianProcess,
    mean: KernelRidgeCertificate,
    log_evidence: Option<f64>,
    jitter: f64,
    condition: Option<f64>,
}

impl GaussianProcessCertificate {
    pub(super) fn compute<E: Examples + ?Sized>(
        process: &GaussianProcess,
        set: &TrainingSet<'_, E, Targets>,
        prepared: &Prepared,
        solved: &Solved,
    ) -> Result<Self> {
        let len = set.len();
        let (alpha, residual) =
            (prepared.kept.spread(&solved.solution.alpha, len), &solved.solution.residual);
        let targets = prepared.kept.spread(&prepared.targets, len);
        let lambda = process.covariance.ratio();
        let mean = KernelRidgeCertificate::compute(
            &targets,
            |row| set.weight(row),
            (alpha, 0.0, residual),
            lambda,
            false,
        )?;
        let (mut log_evidence, mut jitter, mut condition) = (None, 0.0, None);
        if let Some(factored) = &solved.factored {
            let determinant = factored.cholesky.log_determinant();
            // The evidence of the matrix that was factorised, jitter included.
            let mut beta = prepared.targets.clone();
            factored.cholesky.solve(&mut beta)?;
            let form = dot(&prepared.targets, &beta);
            log_evidence = Some(process.log_evidence(prepared, form, determinant)?);
            (jitter, condition) = (factored.jitter, Some(factored.cholesky.condition()));
        }
        Ok(Self { process: process.clone(), mean, log_evidence, jitter, condition })
    }

    /// What is claimed of the mean.
    pub fn mean(&self) -> &KernelRidgeCertificate {
        &self.mean
    }

    /// The log evidence of the parameters; none, if the run had no factor of the matrix.
    pub fn log_evidence(&self) -> Option<f64> {
        self.log_evidence
    }

    /// What was added to the diagonal of `C`, whose largest entry is about 1, for variances and evidence; 0 if nothing was.
    /// The mean is that of the matrix without it.
    pub fn jitter(&self) -> f64 {
        self.jitter
    }

    /// An estimate of the condition number of `C`; none, if the run had no factor of it.
    pub fn condition(&self) -> Option<f64> {
        self.condition
    }
}

impl<E: Examples + ?Sized> Certificate<TrainingSet<'_, E, Targets>> for GaussianProcessCertificate {
    fn verify(&self, set: &TrainingSet<'_, E, Targets>) -> Result<Verdict> {
        if self.mean.alpha().len() != set.len() {
            let (expected, found) = (set.len(), self.mean.alpha().len());
            return Err(Error::Length { what: "the list of coefficients", expected, found });
        }
        let prepared = self.process.prepared(set)?;
        let gram = VectorGram::new(&prepared.examples, unit_kernel()?)?;
        let targets = Targets::new(prepared.targets.clone())?;
        let weights = Weights::new(prepared.weights.clone())?;
        let on_gram = TrainingSet::new(&gram, &targets)?.with_weights(&weights)?;
        let mean = self.mean.clone().restricted(&prepared.kept);
        let verdict = mean.verify(&on_gram)?;
        match self.log_evidence {
            Some(claimed) if verdict.is_valid() => self.check_evidence(&prepared, &gram, claimed),
            _ => Ok(verdict),
        }
    }
}

impl GaussianProcessCertificate {
    fn check_evidence(&self, prepared: &Prepared, gram: &impl Gram, claimed: f64) -> Result<Verdict> {
        let what = "the log evidence";
        let Some((forward, log_determinant)) = eliminated(gram, prepared, self.jitter)? else {
            let recomputed = f64::NAN;
            return Ok(Verdict::Invalid(Discrepancy { what, claimed, recomputed, row: None }));
        };
        // yᵗC⁻¹y = ‖L⁻¹y‖².
        let squares: f64 = forward.iter().map(|value| value * value).sum();
        let recomputed = self.process.log_evidence(prepared, squares, log_determinant)?;
        // Both sides are exact for a matrix within n·ε of C; the terms move by that times the condition number.
        let moved = 4.0 * f64::EPSILON * (gram.len() as f64 + 8.0) * self.condition.unwrap_or(1.0);
        let size = squares / self.process.covariance.signal_variance()
            + gram.len() as f64
            + log_determinant.abs()
            + recomputed.abs();
        if (claimed - recomputed).abs() <= moved.max(64.0 * f64::EPSILON) * size {
            Ok(Verdict::Valid)
        } else {
            Ok(Verdict::Invalid(Discrepancy { what, claimed, recomputed, row: None }))
        }
    }
}

/// `L⁻¹y` and `log|C|` by a factorisation row by row, without blocks; none where a pivot is not positive.
fn eliminated(gram: &impl Gram, prepared: &Prepared, jitter: f64) -> Result<Option<(Vec<f64>, f64)>> {
    let len = gram.len();
    let mut rows: Vec<Vec<f64>> = Vec::with_capacity(len);
    let (mut forward, mut log_determinant) = (Vec::with_capacity(len), 0.0);
    for i in 0..len {
        let mut row = vec![0.0; i + 1];
        gram.fill(&[i], Columns::Range { start: 0, end: i + 1 }, &mut row)?;
        row[i] += prepared.kept.ridge[i] + jitter;
        for j in 0..i {
            let known: f64 = row[..j].iter().zip(&rows[j]).map(|(a, b)| a * b).sum();
            row[j] = (row[j] - known) / rows[j][j];
        }
        let pivot = row[i] - row[..i].iter().map(|value| value * value).sum::<f64>();
        if !(pivot > 0.0) {
            return Ok(None);
        }
        row[i] = pivot.sqrt();
        log_determinant += pivot.ln();
        let known: f64 = row[..i].iter().zip(&forward).map(|(a, b)| a * b).sum();
        forward.push((prepared.targets[i] - known) / row[i]);
        rows.push(row);
    }
    Ok(Some((forward, log_determinant)))
}
