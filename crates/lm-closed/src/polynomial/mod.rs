//! A polynomial fitted to points by least squares, from powers that are not rounded.
//!
//! # Problem
//! ```text
//! minimise Σ ωᵢ (Σₖ cₖxᵢᵏ − tᵢ)²   over c₀, …, cₘ
//! ```
//! # Method
//! The powers of a point are formed in double-double arithmetic. Their leading parts make the matrix that is factorised; the
//! residuals by which the solution is corrected use all digits. So the result is that of the points as given: with powers
//! rounded to `f64`, even the exact solution of the rounded matrix may have lost half of its digits.
//! # Cost
//! As Householder's factorisation with corrections, on `n × (m + 1)` numbers.
//! # Reference
//! Björck (1967); Filippelli's data in the Statistical Reference Datasets of the National Institute of Standards and
//! Technology.

mod certificate;
mod function;

pub use certificate::PolynomialCertificate;
pub use function::Polynomial;

use lm_core::double_double::DoubleDouble;
use lm_core::{Collection, Control, Error, Fit, Result, Stop, Targets, Weights};

use crate::least_squares::{Solution, Summary, Table, exponent, scaled, solve_table, spread};

/// The settings of a polynomial fit.
///
/// ```
/// use lm_closed::PolynomialFit;
/// use lm_core::Targets;
///
/// let points = [0.0, 1.0, 2.0, 3.0];
/// let targets = Targets::new(vec![1.0, 4.0, 13.0, 28.0])?; // 1 + 3x²
/// let fit = PolynomialFit::default().with_degree(2).fit(&points, &targets)?.converged()?;
/// let off = fit.model.coefficients().iter().zip([1.0, 0.0, 3.0]).map(|(found, exact)| (found - exact).abs());
/// assert!(off.fold(0.0, f64::max) < 1e-30);
/// assert!(fit.certificate.verify(&points, &targets, None)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PolynomialFit {
    degree: usize,
}

impl Default for PolynomialFit {
    fn default() -> Self {
        Self { degree: 1 }
    }
}

impl PolynomialFit {
    /// The degree `m`, from 0 to 100; default 1. Points of fewer than `m + 1` different values leave the coefficients open:
    /// then they are those of least norm, the constant not counted.
    #[must_use]
    pub fn with_degree(self, degree: usize) -> Self {
        Self { degree }
    }

    fn validate(&self) -> Result<()> {
        if self.degree <= 100 {
            return Ok(());
        }
        Err(Error::Setting {
            name: "degree",
            value: self.degree as f64,
            accepted: "an integer from 0 to 100",
        })
    }

    /// Fits a polynomial to points of equal weight.
    ///
    /// # Errors
    /// As [`PolynomialFit::summarised`].
    pub fn fit(&self, points: &[f64], targets: &Targets) -> Result<Fit<Polynomial, PolynomialCertificate>> {
        self.summarised(points, targets, None, &Control::default()).map(|(fit, _)| fit)
    }

    /// Fits a polynomial, and computes standard errors, residual deviation and `R²`.
    ///
    /// # Errors
    /// [`Error::Setting`] for a degree that is too large, [`Error::Length`] unless there is a target and a weight for each
    /// point, [`Error::NonFinite`] for a point that is not finite, [`Error::Numerical`] if a coefficient overflows.
    ///
    /// ```
    /// use lm_closed::PolynomialFit;
    /// use lm_core::{Control, Targets};
    ///
    /// let targets = Targets::new(vec![1.0, 0.0, 1.0, 4.5])?;
    /// let (_, summary) =
    ///     PolynomialFit::default().with_degree(2).summarised(&[-1.0, 0.0, 1.0, 2.0], &targets, None, &Control::default())?;
    /// assert_eq!(summary.degrees_of_freedom(), 1.0);
    /// assert!(summary.r_squared().is_some_and(|share| share > 0.99));
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    pub fn summarised(
        &self,
        points: &[f64],
        targets: &Targets,
        weights: Option<&Weights>,
        control: &Control<'_>,
    ) -> Result<(Fit<Polynomial, PolynomialCertificate>, Summary)> {
        self.validate()?;
        check(points, targets, weights)?;
        let (columns, unit) = (self.degree + 1, unit(points, self.degree));
        let fill = |row: usize, high: &mut [f64], low: &mut [f64]| {
            let x = scaled(points[row], -unit);
            let mut power = DoubleDouble::from(1.0);
            for (high, low) in high.iter_mut().zip(low) {
                (*high, *low) = (power.hi, power.lo);
                power = power * x;
            }
        };
        let table = Table::filled(points.len(), columns, weights, fill)?;
        let mut inverse = table.inverse_diagonal();
        let mut meter = control.start(1000);
        let (solutions, diagnosis) = solve_table(table, &[targets.values()], None, &mut meter)?;
        let Some(solution) = solutions.first() else {
            return Err(Error::Empty { what: "the list of solutions" });
        };
        let model = model(solution, unit)?;
        let certificate =
            PolynomialCertificate::measured(model, diagnosis, points, targets.values(), weights)?;
        let missed = solution.stop == Stop::Converged && !(certificate.figures().backward_error <= 1e-10);
        let report = meter.report(if missed { Stop::Stalled } else { solution.stop }, None);
        if diagnosis.rank < columns {
            inverse = None;
        }
        if let Some(inverse) = &mut inverse {
            (0..).zip(inverse).for_each(|(k, root)| *root = scaled(*root, -unit * k));
        }
        let norm = solution.residual_norm.unwrap_or_else(|| certificate.figures().residual_norm.into());
        let total = weights.map_or(points.len() as f64, Weights::total);
        let summary = Summary::from_parts(
            norm,
            spread(targets.values(), weights, true),
            total,
            true,
            inverse,
            diagnosis,
        );
        Ok((Fit { model: certificate.function().clone(), report, certificate }, summary))
    }
}

fn check(points: &[f64], targets: &Targets, weights: Option<&Weights>) -> Result<()> {
    let lengths = [
        ("the list of targets", targets.len()),
        ("the list of weights", weights.map_or(points.len(), Collection::len)),
    ];
    if let Some((what, found)) = lengths.into_iter().find(|(_, found)| *found != points.len()) {
        return Err(Error::Length { what, expected: points.len(), found });
    }
    match points.iter().position(|x| !x.is_finite()) {
        Some(row) => Err(Error::NonFinite { what: "point", row, column: None }),
        None => Ok(()),
    }
}

/// The exponent of the power of two that points are divided by, so that their powers stay numbers of ordinary size.
pub(super) fn unit(points: &[f64], degree: usize) -> i32 {
    let size = points.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let unit = exponent(size);
    if (unit.unsigned_abs() as usize).saturating_mul(degree) <= 300 { 0 } else { unit }
}

/// The polynomial in the caller's points.
fn model(solution: &Solution, unit: i32) -> Result<Polynomial> {
    let all = [solution.bias].into_iter().chain(solution.weights.iter().copied());
    let unscaled = (0..).zip(all).map(|(k, c): (i32, _)| scaled(c.value(), -unit.saturating_mul(k)));
    Polynomial::new(unscaled.collect())
}
