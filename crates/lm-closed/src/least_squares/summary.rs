//! The table of a regression: standard errors, residual deviation, share of the variance.
//!
//! # Problem
//! ```text
//! s² = Σ ωr² / (Σω − rank) ,  standard error of βₖ:  s·√((XᵗWX)⁻¹)ₖₖ ,  R² = 1 − Σ ωr² / Σ ω(t − t̄)²
//! ```
//! # Method
//! The matrix `XᵗWX` is summed and factorised in double-double arithmetic, so that the standard errors of data of condition
//! `κ` are right to about `32 − 2·log₁₀ κ` digits; a large one is taken from the factorisation in plain arithmetic. The
//! residuals are those of the solution before it is rounded. Without a bias, `t̄` is 0.
//! # Cost
//! `np²` operations in double-double arithmetic, at most 10⁸ of them; else `np²` in plain arithmetic.
//! # Reference
//! Björck (1996), section 2.8.1; the National Institute of Standards and Technology's Statistical Reference Datasets.

use lm_core::double_double::DoubleDouble;
use lm_core::linalg::matrix_vector;
use lm_core::{Control, Error, Examples, Result, Weights, parallel};

use super::certificate::{LinearSystemCertificate, measure};
use super::power::{exponent, in_range, largest, scaled, scaled_wide};
use super::problem::{Diagnosis, Problem, Solution};
use super::route::{moments, trusted};
use super::table::Table;

/// The most products that are summed in double-double arithmetic.
const PRODUCTS: usize = 100_000_000;

/// What a table of a regression shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    pub(crate) degrees_of_freedom: f64,
    pub(crate) residual_deviation: Option<f64>,
    pub(crate) r_squared: Option<f64>,
    pub(crate) errors: Option<(Vec<f64>, Option<f64>)>,
    pub(crate) diagnosis: Diagnosis,
    pub(crate) residual_norm: f64,
}

impl Summary {
    /// The sum of the weights minus the rank: how many residuals are free.
    pub fn degrees_of_freedom(&self) -> f64 {
        self.degrees_of_freedom
    }

    /// `√(Σωr² / degrees of freedom)`; `None` if there are none.
    pub fn residual_deviation(&self) -> Option<f64> {
        self.residual_deviation
    }

    /// `√Σωr²` of the solution before its coefficients are rounded.
    pub fn residual_norm(&self) -> f64 {
        self.residual_norm
    }

    /// The share of the variance of the targets that the function explains; `None` if they have none. Without a bias it is
    /// the share in the sum of the squared targets.
    pub fn r_squared(&self) -> Option<f64> {
        self.r_squared
    }

    /// The standard error of each weight; `None` if the solution is not the only one or no residual is free.
    pub fn weight_errors(&self) -> Option<&[f64]> {
        self.errors.as_ref().map(|(weights, _)| &weights[..])
    }

    /// The standard error of the bias; `None` also if there is no bias.
    pub fn bias_error(&self) -> Option<f64> {
        self.errors.as_ref().and_then(|(_, bias)| *bias)
    }

    /// Rank, condition and the way that was taken.
    pub fn diagnosis(&self) -> Diagnosis {
        self.diagnosis
    }

    pub(crate) fn of<E: Examples + ?Sized>(
        problem: &Problem<'_, E>,
        solution: &Solution,
        certificate: &LinearSystemCertificate,
    ) -> Result<Self> {
        let diagnosis = certificate.diagnosis;
        let [targets] = problem.targets else {
            return Err(Error::Length {
                what: "the list of targets",
                expected: 1,
                found: problem.targets.len(),
            });
        };
        let residual_norm = match (solution.residual_norm, certificate.figures) {
            (Some(norm), _) => norm,
            (None, Some(figures)) => figures.residual_norm.into(),
            (None, None) => {
                let Problem { examples, weights, bias, penalty, .. } = *problem;
                let now = measure(examples, targets, weights, &certificate.function, bias, penalty)?;
                now.figures.residual_norm.into()
            }
        };
        let spread = spread(targets, problem.weights, problem.bias);
        let inverse = if diagnosis.rank == diagnosis.columns { inverse_diagonal(problem)? } else { None };
        Ok(Self::from_parts(residual_norm, spread, problem.total(), problem.bias, inverse, diagnosis))
    }

    /// A table from the norm of the residuals, the spread `√Σω(t − t̄)²` of the targets, and the roots of the diagonal of
    /// `(XᵗWX)⁻¹`.
    pub(crate) fn from_parts(
        norm: DoubleDouble,
        spread: DoubleDouble,
        total: f64,
        bias: bool,
        inverse: Option<Vec<f64>>,
        diagnosis: Diagnosis,
    ) -> Self {
        let residual_norm = norm.value();
        let degrees_of_freedom = total - diagnosis.rank as f64;
        let deviation = (degrees_of_freedom > 0.0).then(|| residual_norm / degrees_of_freedom.sqrt());
        let errors = deviation.zip(inverse).map(|(deviation, roots)| {
            let (own, weights) = roots.split_at(usize::from(bias));
            (weights.iter().map(|root| root * deviation).collect(), own.first().map(|root| root * deviation))
        });
        let r_squared = (spread.hi > 0.0).then(|| {
            let share = norm / spread;
            (DoubleDouble::from(1.0) - share * share).value()
        });
        Self {
            degrees_of_freedom,
            residual_deviation: deviation,
            r_squared,
            errors,
            diagnosis,
            residual_norm,
        }
    }
}

/// `√Σω(t − t̄)²`, or `√Σωt²` without a bias.
pub(crate) fn spread(targets: &[f64], weights: Option<&Weights>, bias: bool) -> DoubleDouble {
    let size = largest(targets.iter().copied());
    let unit = if in_range(size) { 0 } else { exponent(size) };
    let heavy = weights.map_or(1.0, |weights| largest(weights.values().iter().copied()));
    let weight_unit = if in_range(heavy) { 0 } else { exponent(heavy) / 2 * 2 };
    let weight = |row: usize| weights.map_or(1.0, |weights| scaled(weights.values()[row], -weight_unit));
    let values = || targets.iter().enumerate().map(|(row, t)| (weight(row), scaled(*t, -unit)));
    let (sum, total) = values()
        .fold((DoubleDouble::ZERO, DoubleDouble::ZERO), |(sum, total), (weight, t)| {
            (sum + DoubleDouble::product(weight, t), total + weight)
        });
    let mean = if bias { sum / total } else { DoubleDouble::ZERO };
    let squares = values().fold(DoubleDouble::ZERO, |squares, (weight, t)| {
        let off = DoubleDouble::from(t) - mean;
        squares + off * off * weight
    });
    scaled_wide(squares.sqrt(), unit + weight_unit / 2)
}

/// The roots of the diagonal of `(XᵗWX)⁻¹`, the bias first; `None` if the matrix cannot be told from a singular one.
fn inverse_diagonal<E: Examples + ?Sized>(problem: &Problem<'_, E>) -> Result<Option<Vec<f64>>> {
    let columns = problem.columns();
    if problem.count().saturating_mul(columns).saturating_mul(columns) <= PRODUCTS {
        return Ok(Table::of(problem.examples, problem.weights, problem.bias, 0.0)?.inverse_diagonal());
    }
    let meter = Control::default().start(1);
    let Some(moments) = moments(problem, &meter)? else { return Ok(None) };
    let Some(system) = trusted(&moments, problem)? else { return Ok(None) };
    let inverse = system.cholesky().inverse()?;
    let scale = system.scale();
    let mut roots: Vec<f64> = (0..scale.len()).map(|k| inverse[(k, k)].sqrt() * scale[k]).collect();
    if problem.bias {
        // b = t̄ − ⟨w·x̄⟩: its variance is that of the mean, and that of the weights along the mean.
        let along: Vec<f64> = system.mean().iter().zip(scale).map(|(mean, scale)| mean * scale).collect();
        let product = matrix_vector(&inverse, &along)?;
        let of_weights: f64 = product.iter().zip(&along).map(|(a, b)| a * b).sum();
        roots.insert(0, (1.0 / moments.weight() + of_weights).sqrt());
    }
    Ok(Some(roots))
}

impl Table {
    /// The roots of the diagonal of `(XᵗWX)⁻¹` in the caller's units, with sums and factorisation in double-double
    /// arithmetic; `None` if the matrix cannot be told from a singular one.
    pub(crate) fn inverse_diagonal(&self) -> Option<Vec<f64>> {
        let columns = self.columns();
        let gram: Vec<Vec<DoubleDouble>> = (0..columns).map(|k| self.gradient(&self.column(k))).collect();
        let lower = wide_cholesky(gram)?;
        // Column j of L⁻¹ has the squares that sum to entry j of the diagonal.
        Some(parallel::map(columns, |j| {
            let mut x = vec![DoubleDouble::ZERO; columns];
            let mut squares = DoubleDouble::ZERO;
            for (i, row) in lower.iter().enumerate().skip(j) {
                let known = (j..i).fold(DoubleDouble::ZERO, |sum, k| sum + row[k] * x[k]);
                let right = if i == j { DoubleDouble::from(1.0) } else { DoubleDouble::ZERO };
                x[i] = (right - known) / row[i];
                squares = squares + x[i] * x[i];
            }
            scaled(squares.sqrt().value(), -self.exponent(j) - self.weight_exponent() / 2)
        }))
    }
}

/// The Cholesky factor, row by row; `None` if a pivot cannot be told from 0.
fn wide_cholesky(mut a: Vec<Vec<DoubleDouble>>) -> Option<Vec<Vec<DoubleDouble>>> {
    // Twice the digits of an f64, with some of them lost to the sums.
    const PRECISION: f64 = 1e-29;
    for i in 0..a.len() {
        for j in 0..=i {
            let sum = (0..j).fold(a[i][j], |sum, k| sum - a[i][k] * a[j][k]);
            if i == j {
                // Written so that NaN fails.
                if !(sum.hi > PRECISION * a[i][i].hi) {
                    return None;
                }
                a[i][i] = sum.sqrt();
            } else {
                a[i][j] = sum / a[j][j];
            }
        }
    }
    Some(a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factorisation_in_double_double_arithmetic_has_its_digits() {
        // The Hilbert matrix of 6 rows has condition 1.5e7; its inverse has integer entries.
        let gram = (0..6)
            .map(|i| (0..6).map(|j| DoubleDouble::from(1.0) / f64::from(i + j + 1)).collect())
            .collect();
        let lower = wide_cholesky(gram).unwrap();
        let corner = DoubleDouble::from(1.0) / (lower[5][5] * lower[5][5]);
        assert!((corner - 698_544.0).value().abs() < 1e-15 * 698_544.0, "{corner:?}");
        let singular = vec![vec![DoubleDouble::from(1.0); 2]; 2];
        assert!(wide_cholesky(singular).is_none());
    }
}
