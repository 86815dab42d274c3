//! Solutions from accumulated moments alone, without the data.

use lm_core::linalg::{Matrix, SymmetricEigen, matrix_vector, transposed_vector};
use lm_core::{Error, Linear, Result};

use super::power::{exponent, power_of_two};
use super::problem::{Diagnosis, Route};
use super::seminormal::SemiNormal;
use crate::statistics::Moments;

/// Functions solved from moments, and how far that can be trusted.
#[derive(Debug, Clone, PartialEq)]
pub struct Streamed {
    models: Vec<Linear>,
    diagnosis: Diagnosis,
    squares: Vec<f64>,
}

impl Streamed {
    /// One function for each target.
    pub fn models(&self) -> &[Linear] {
        &self.models
    }

    /// Rank and condition of the matrix of the examples. The error of the functions is about its square times `ε`.
    pub fn diagnosis(&self) -> Diagnosis {
        self.diagnosis
    }

    /// `Σ ωr²` of each function, as far as moments tell.
    pub fn sums_of_squares(&self) -> &[f64] {
        &self.squares
    }

    /// Whether the moments do not determine the coefficients to half of their digits: their condition is the square of
    /// that of the data.
    pub fn ill_conditioned(&self) -> bool {
        let squared = self.diagnosis.condition * self.diagnosis.condition;
        !(self.diagnosis.rank == self.diagnosis.columns && squared <= 1.0 / f64::EPSILON.sqrt())
    }

    pub(crate) fn of(moments: &Moments, targets: usize, bias: bool, penalty: f64) -> Result<Self> {
        let found = moments.dim();
        if targets == 0 {
            return Err(Error::Empty { what: "the list of targets" });
        }
        if found <= targets {
            return Err(Error::Length { what: "the columns of the moments", expected: targets + 1, found });
        }
        if !(moments.weight() > 0.0) {
            return Err(Error::Empty { what: "the set that the moments are of" });
        }
        let dim = found - targets;
        let columns = dim + usize::from(bias);
        let mut models = Vec::with_capacity(targets);
        let (rank, condition) = match SemiNormal::factor(moments, dim, bias, penalty)? {
            Some(system) if system.squared_condition() <= 1.0 / (dim as f64 * f64::EPSILON) => {
                for at in dim..found {
                    let (weights, bias) = system.plain(moments, at)?;
                    let weights = weights.iter().map(|w| w.value()).collect();
                    models.push(Linear::new(weights, bias.value())?);
                }
                (columns, system.squared_condition().sqrt())
            }
            _ => least_norm(moments, dim, bias, penalty, &mut models)?,
        };
        let squares = models.iter().zip(dim..found).map(|(f, at)| squares(moments, f, at)).collect();
        let diagnosis = Diagnosis { route: Route::Moments, columns, rank, condition };
        Ok(Self { models, diagnosis, squares })
    }
}

/// A moment about the mean, or about zero without a bias.
fn moment(moments: &Moments, i: usize, j: usize, bias: bool) -> f64 {
    let (i, j) = (i.max(j), i.min(j));
    let about_zero = if bias { 0.0 } else { moments.weight() * moments.mean()[i] * moments.mean()[j] };
    moments.scatter()[(i, j)] + about_zero
}

/// Solutions by eigenvalues of the scaled moments, of least norm in scaled units; rank and condition.
fn least_norm(
    moments: &Moments,
    dim: usize,
    bias: bool,
    penalty: f64,
    models: &mut Vec<Linear>,
) -> Result<(usize, f64)> {
    let mut matrix = Matrix::zeros(dim, dim)?;
    let diagonal = |k: usize| moment(moments, k, k, bias) + penalty;
    let scale: Vec<f64> = (0..dim).map(|k| power_of_two(-exponent(diagonal(k)) / 2)).collect();
    for j in 0..dim {
        for i in j..dim {
            let pull = if i == j { penalty } else { 0.0 };
            matrix[(i, j)] = (moment(moments, i, j, bias) + pull) * scale[i] * scale[j];
        }
    }
    let eigen = SymmetricEigen::of(&matrix)?;
    let top = eigen.values.last().copied().unwrap_or(0.0);
    let counts = |value: f64| value > dim as f64 * 8.0 * f64::EPSILON * top;
    let rank = eigen.values.iter().filter(|&&value| counts(value)).count();
    for at in dim..moments.dim() {
        let right: Vec<f64> = (0..dim).map(|k| moment(moments, at, k, bias) * scale[k]).collect();
        let mut inner = transposed_vector(&eigen.vectors, &right)?;
        for (inner, &value) in inner.iter_mut().zip(&eigen.values) {
            *inner = if counts(value) { *inner / value } else { 0.0 };
        }
        let scaled = matrix_vector(&eigen.vectors, &inner)?;
        let weights: Vec<f64> = scaled.iter().zip(&scale).map(|(w, scale)| w * scale).collect();
        let product: f64 = weights.iter().zip(moments.mean()).map(|(w, m)| w * m).sum();
        let shift = if bias { moments.mean()[at] - product } else { 0.0 };
        models.push(Linear::new(weights, shift)?);
    }
    let least = eigen.values.iter().copied().find(|&value| counts(value)).unwrap_or(top);
    let condition = if top > 0.0 { (top / least).sqrt() } else { 1.0 };
    Ok((rank + usize::from(bias), condition))
}

/// `Σω(⟨w·x⟩ + b − t)²` from moments.
fn squares(moments: &Moments, model: &Linear, at: usize) -> f64 {
    let w = model.weights();
    let mut sum = moment(moments, at, at, true);
    let mut off = model.bias() - moments.mean()[at];
    for (k, own) in w.iter().enumerate() {
        off += own * moments.mean()[k];
        sum -= 2.0 * own * moment(moments, at, k, true);
        sum += w.iter().enumerate().map(|(j, w)| own * w * moment(moments, k, j, true)).sum::<f64>();
    }
    sum.max(0.0) + moments.weight() * off * off
}
