//! The pull of each example on its own prediction, and the error when it is left out.
//!
//! # Problem
//! ```text
//! hᵢ = xᵢᵗ (XᵗWX)⁻¹ xᵢ   with x = (1, x) ,      t − f₍ᵢ₎(x) = rᵢ / (1 − hᵢ) ,
//! ```
//! `f₍ᵢ₎` being the function that is fitted without one copy of example `i`.
//! # Method
//! `hᵢ` is the squared norm of a row of the orthogonal factor: by a triangular system for a block of rows at a time, or from
//! the left singular vectors.
//! # Cost
//! `nd²` operations.
//! # Reference
//! Allen (1974), The relationship between variable selection and data augmentation; Björck (1996), section 2.8.1.

use lm_core::linalg::Matrix;
use lm_core::{Error, Examples, Hypothesis, Linear, Meter, Result, parallel};

use super::minimum_norm::MinimumNorm;
use super::orthogonal::Orthogonal;
use super::power::scaled;
use super::problem::Problem;
use super::route::{SMALL, moments, trusted};
use super::seminormal::SemiNormal;
use super::table::Table;
use crate::statistics::RowBlocks;

/// The leverage of each example, its residual, and its error when it is left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Influence {
    leverages: Vec<f64>,
    residuals: Vec<f64>,
    errors: Vec<Option<f64>>,
    press: Option<f64>,
}

impl Influence {
    /// The leverage `hᵢ` of one copy of each example, between 0 and 1 for weights of at least 1; they sum to the rank, each
    /// as often as its weight says.
    pub fn leverages(&self) -> &[f64] {
        &self.leverages
    }

    /// `t − f(x)` for each example.
    pub fn residuals(&self) -> &[f64] {
        &self.residuals
    }

    /// `t − f₍ᵢ₎(x)` for each example, `f₍ᵢ₎` being fitted without one copy of it (without all of it, if its weight is
    /// below 1); `None` if the others do not determine the function there.
    pub fn left_out_errors(&self) -> &[Option<f64>] {
        &self.errors
    }

    /// The weighted sum of the squares of these errors (PRESS); `None` if one of them is not determined.
    pub fn press(&self) -> Option<f64> {
        self.press
    }

    pub(crate) fn of<E: Examples + ?Sized>(
        problem: &Problem<'_, E>,
        model: &Linear,
        meter: &Meter<'_>,
        tolerance: Option<f64>,
    ) -> Result<Self> {
        let [targets] = problem.targets else {
            return Err(Error::Length {
                what: "the list of targets",
                expected: 1,
                found: problem.targets.len(),
            });
        };
        let mut leverages = leverages(problem, meter, tolerance)?;
        let residuals = model.decision_values(problem.examples)?;
        let residuals: Vec<f64> = targets.iter().zip(residuals).map(|(t, f)| t - f).collect();
        let weight = |row: usize| problem.weights.map_or(1.0, |weights| weights.values()[row]);
        // An example that does not count pulls at nothing.
        leverages.iter_mut().enumerate().filter(|(row, _)| weight(*row) == 0.0).for_each(|(_, h)| *h = 0.0);
        let errors: Vec<Option<f64>> = (residuals.iter().zip(&leverages).enumerate())
            .map(|(row, (&r, &h))| left_out(r, h, weight(row)))
            .collect();
        let square = |(row, error): (usize, &Option<f64>)| error.map(|error| weight(row) * error * error);
        let press = errors.iter().enumerate().map(square).sum();
        Ok(Self { leverages, residuals, errors, press })
    }
}

/// The error of an example whose residual is `r` when a copy of it, of leverage `h`, is left out.
pub(crate) fn left_out(r: f64, h: f64, weight: f64) -> Option<f64> {
    let rest = 1.0 - h * weight.min(1.0);
    // What is left of 1 after rounding says nothing. Written so that NaN fails.
    (rest > 1e-12).then(|| r / rest)
}

/// The leverage of one copy of every example.
fn leverages<E: Examples + ?Sized>(
    problem: &Problem<'_, E>,
    meter: &Meter<'_>,
    tolerance: Option<f64>,
) -> Result<Vec<f64>> {
    let (count, columns) = (problem.count(), problem.columns());
    if count >= columns
        && count.saturating_mul(columns) > SMALL
        && let Some(moments) = moments(problem, meter)?
        && let Some(system) = trusted(&moments, problem)?
    {
        let floor = if problem.bias { 1.0 / moments.weight() } else { 0.0 };
        return by_blocks(problem.examples, &system, floor);
    }
    by_table(problem, tolerance)
}

/// `floor + ‖L⁻¹(x − m)‖²`, a block of rows at a time.
fn by_blocks<E: Examples + ?Sized>(examples: &E, system: &SemiNormal, floor: f64) -> Result<Vec<f64>> {
    let (dim, scale, mean) = (examples.dim(), system.scale(), system.mean());
    let centred = system.centred();
    let blocks = RowBlocks::new(examples);
    let parts = parallel::map(blocks.len(), |block| {
        let mut values = Vec::new();
        blocks.fill(block, &mut values);
        for row in values.chunks_exact_mut(dim) {
            for ((x, scale), mean) in row.iter_mut().zip(scale).zip(mean) {
                *x = (*x - if centred { *mean } else { 0.0 }) * scale;
            }
        }
        let rows = values.len() / dim;
        // A row of the block is a column of the matrix.
        let mut matrix = Matrix::from_columns(values, dim, rows)?;
        system.cholesky().solve_lower(&mut matrix)?;
        let norm = |j: usize| floor + matrix.column(j).iter().map(|x| x * x).sum::<f64>();
        Ok::<_, Error>((0..rows).map(norm).collect::<Vec<_>>())
    });
    let mut all = Vec::with_capacity(examples.len());
    for part in parts {
        all.extend(part?);
    }
    Ok(all)
}

/// From a factorisation of the rows themselves.
fn by_table<E: Examples + ?Sized>(problem: &Problem<'_, E>, tolerance: Option<f64>) -> Result<Vec<f64>> {
    let Problem { examples, weights, bias, .. } = *problem;
    let table = Table::of(examples, weights, bias, 0.0)?;
    let (rows, columns) = (table.rows(), table.columns());
    let mut leverages = vec![0.0; examples.len()];
    let mut table = table;
    if rows >= columns {
        let system = Orthogonal::factor(table)?;
        if system.is_regular() {
            let unit = -system.table().weight_exponent();
            for at in 0..rows {
                let mut x = system.table().row(at).to_vec();
                system.qr().solve_r_transposed(&mut x)?;
                let norm: f64 = x.iter().map(|x| x * x).sum();
                leverages[system.table().row_of(at)] = scaled(norm, unit);
            }
            return Ok(leverages);
        }
        table = system.into_table();
    }
    let system = MinimumNorm::factor(table, tolerance)?;
    let table = system.table();
    let total: f64 = (0..rows).map(|row| table.weight(row)).sum();
    let unit = -table.weight_exponent();
    for at in 0..rows {
        let weight = table.weight(at);
        let floor = if bias { 1.0 / total } else { 0.0 };
        let own = if weight > 0.0 { system.leverage(at) / weight } else { 0.0 };
        leverages[table.row_of(at)] = scaled(floor + own, unit);
    }
    Ok(leverages)
}
