//! The evidence for a polynomial fit: residuals and normal equations, recomputed from the points.

use lm_core::double_double::DoubleDouble;
use lm_core::{Discrepancy, Error, Result, Targets, Verdict, Weights};

use super::{Polynomial, unit};
use crate::least_squares::{Diagnosis, LinearSystemFigures, scaled};

/// A polynomial, and how well it solves its problem.
///
/// [`PolynomialCertificate::verify`] recomputes residuals and normal equations from the points, in double-double
/// arithmetic. The norm of the gradient is that of all coefficients, in powers of the points divided by a power of two.
#[derive(Debug, Clone, PartialEq)]
pub struct PolynomialCertificate {
    function: Polynomial,
    figures: LinearSystemFigures,
    diagnosis: Diagnosis,
}

impl PolynomialCertificate {
    pub(super) fn measured(
        function: Polynomial,
        diagnosis: Diagnosis,
        points: &[f64],
        targets: &[f64],
        weights: Option<&Weights>,
    ) -> Result<Self> {
        let (figures, _) = measure(&function, points, targets, weights)?;
        Ok(Self { function, figures, diagnosis })
    }

    /// The polynomial.
    pub fn function(&self) -> &Polynomial {
        &self.function
    }

    /// Residuals and backward error.
    pub fn figures(&self) -> LinearSystemFigures {
        self.figures
    }

    /// Rank and condition of the matrix of powers, and the way that was taken.
    pub fn diagnosis(&self) -> Diagnosis {
        self.diagnosis
    }

    /// Recomputes what is claimed.
    ///
    /// # Errors
    /// [`Error::Length`] unless there is a target and a weight for each point, [`Error::Numerical`] if residuals overflow.
    pub fn verify(&self, points: &[f64], targets: &Targets, weights: Option<&Weights>) -> Result<Verdict> {
        super::check(points, targets, weights)?;
        let (now, size) = measure(&self.function, points, targets.values(), weights)?;
        let claimed = self.figures;
        let noise = 1e-24 * points.len() as f64;
        let claims = [
            ("the norm of the residuals", claimed.residual_norm, now.residual_norm, 1e-15 * size),
            ("the backward error", claimed.backward_error, now.backward_error, noise),
            ("the norm of the gradient", claimed.gradient_norm, now.gradient_norm, 1e-12 * now.gradient_norm),
        ];
        // Written so that NaN fails.
        let wrong = claims.iter().find(|(_, claimed, now, allowed)| !((claimed - now).abs() <= *allowed));
        Ok(wrong.map_or(Verdict::Valid, |&(what, claimed, recomputed, _)| {
            Verdict::Invalid(Discrepancy { what, claimed, recomputed, row: None })
        }))
    }
}

/// The figures of a polynomial, and `√Σω(|t| + Σ|cₖxᵏ|)²`.
fn measure(
    function: &Polynomial,
    points: &[f64],
    targets: &[f64],
    weights: Option<&Weights>,
) -> Result<(LinearSystemFigures, f64)> {
    let degree = function.degree();
    let unit = unit(points, degree);
    let coefficients: Vec<f64> = (0..)
        .zip(function.coefficients())
        .map(|(k, c): (i32, _)| scaled(*c, unit.saturating_mul(k)))
        .collect();
    let scaled_function = Polynomial::new(coefficients)?;
    let (mut gradient, mut sizes) = (vec![DoubleDouble::ZERO; degree + 1], vec![0.0; degree + 1]);
    let (mut squares, mut total) = (DoubleDouble::ZERO, 0.0);
    for (row, (&x, &t)) in points.iter().zip(targets).enumerate().rev() {
        let weight = weights.map_or(1.0, |weights| weights.values()[row]);
        let x = scaled(x, -unit);
        let r = DoubleDouble::from(t) - scaled_function.wide(x);
        let size =
            scaled_function.coefficients().iter().rev().fold(0.0, |sum, c| sum * x.abs() + c.abs()) + t.abs();
        squares = squares + r * r * weight;
        total += size * size * weight;
        let mut power = DoubleDouble::from(1.0);
        for (g, s) in gradient.iter_mut().zip(&mut sizes) {
            *g = *g + r * weight * power;
            *s += weight * size * power.hi.abs();
            power = power * x;
        }
    }
    let share = |(g, &size): (&DoubleDouble, &f64)| if g.hi == 0.0 { 0.0 } else { g.value().abs() / size };
    let figures = LinearSystemFigures {
        residual_norm: squares.sqrt().value(),
        backward_error: gradient.iter().zip(&sizes).map(share).fold(0.0, f64::max),
        gradient_norm: gradient.iter().fold(0.0, |norm: f64, g| norm.hypot(g.value())),
    };
    let size = f64::sqrt(total);
    if size.is_finite() && figures.gradient_norm.is_finite() {
        Ok((figures, size))
    } else {
        Err(Error::Numerical { what: "the residuals" })
    }
}
