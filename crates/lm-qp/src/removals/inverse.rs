//! The inverse over the free coefficients of a solution, and the columns of the table that follow from it.
//!
//! The inverse is bordered by the balance. Coefficients that depend on others, such as copies, are not among those that it is over:
//! which are independent is found by a factorisation with pivots.

use lm_core::gram::LowRank;
use lm_core::linalg::{Cholesky, Matrix, product, transposed_product};
use lm_core::{Budget, Gram, MatrixGram, Result};

use super::bound::Point;
use super::rows::Rows;
use super::tableau::side;
use crate::problem::DualProblem;

/// The share of the largest kernel value that must be left of one after the others are taken out, for it to be independent.
const INDEPENDENT: f64 = 1e-10;

/// The largest condition of an inverse that is worth having.
const CONDITION: f64 = 1e11;

/// Slopes without their mean, which a bias takes up.
pub(super) fn centred(mut slopes: Vec<f64>, bias: bool) -> Vec<f64> {
    if bias && !slopes.is_empty() {
        let mean = slopes.iter().sum::<f64>() / slopes.len() as f64;
        slopes.iter_mut().for_each(|slope| *slope -= mean);
    }
    slopes
}

/// The matrix over some coefficients, with the square of the balance, which changes nothing where the balance is kept.
fn system(rows: &Rows, problem: &DualProblem, of: &[usize], square: f64) -> Result<Matrix> {
    let mut matrix = Matrix::zeros(of.len(), of.len())?;
    for (column, &j) in of.iter().enumerate() {
        let row = rows.matrix.row(j);
        let to = matrix.column_mut(column);
        to.iter_mut().zip(of).for_each(|(to, &i)| *to = row[i] + square);
        to[column] += problem.ridge(j);
    }
    Ok(matrix)
}

/// The inverse over the free coefficients.
pub(super) struct Inverse {
    matrix: Matrix,
    /// The border: the last column of the inverse, and its last entry.
    border: Option<(Vec<f64>, f64)>,
}

impl Inverse {
    /// The inverse over as many of these coefficients as are independent, and which they are; none if there are none.
    pub(super) fn of_independent(
        rows: &Rows,
        problem: &DualProblem,
        between: Vec<usize>,
        border: bool,
    ) -> Result<Option<(Vec<usize>, Self)>> {
        if between.is_empty() {
            return Ok(None);
        }
        let square = if border { rows.largest } else { 0.0 };
        if let Some(inverse) = Self::new(system(rows, problem, &between, square)?, square)? {
            return Ok(Some((between, inverse)));
        }
        // Duplicates, or more than there are dimensions.
        let values = system(rows, problem, &between, square)?.into_values();
        let gram = MatrixGram::precomputed(values, between.len())?;
        let size = gram.diagonal()?.iter().fold(0.0, |most: f64, value| most.max(*value));
        let part = LowRank::of(&gram, between.len(), &Budget::default())?;
        let (m, columns) = (between.len(), part.columns());
        let left = |k: usize, row: usize| columns[k * m + row] * columns[k * m + row];
        let pivots = part.pivots().iter().enumerate();
        let mut kept: Vec<usize> = pivots
            .take_while(|&(k, &row)| left(k, row) > INDEPENDENT * size)
            .map(|(_, &row)| between[row])
            .collect();
        kept.sort_unstable();
        if kept.is_empty() {
            return Ok(None);
        }
        let inverse = Self::new(system(rows, problem, &kept, square)?, square)?;
        Ok(inverse.map(|inverse| (kept, inverse)))
    }

    /// The inverse of a system that is positive definite and not too near to one that is not.
    fn new(matrix: Matrix, square: f64) -> Result<Option<Self>> {
        let m = matrix.rows();
        let Some(factor) = Cholesky::factor(matrix)?.filter(|factor| factor.condition() < CONDITION) else {
            return Ok(None);
        };
        let mut matrix = factor.inverse()?;
        if square == 0.0 {
            return Ok(Some(Self { matrix, border: None }));
        }
        let mut last = vec![1.0; m];
        factor.solve(&mut last)?;
        let total: f64 = last.iter().sum();
        for column in 0..m {
            let by = last[column] / total;
            matrix.column_mut(column).iter_mut().zip(&last).for_each(|(to, one)| *to -= by * one);
        }
        last.iter_mut().for_each(|value| *value /= total);
        let sound = matrix.values().iter().chain(&last).all(|value| value.is_finite());
        Ok(sound.then_some(Self { matrix, border: Some((last, square - 1.0 / total)) }))
    }

    /// Takes out what is left of the slopes of the free coefficients, where that leads out of no bound.
    pub(super) fn settle(&self, rows: &Rows, problem: &DualProblem, point: &mut Point, inside: &[usize]) {
        for _ in 0..2 {
            let slope = |&i: &usize| {
                let own = if point.beta[i] > 0.0 { problem.above()[i] } else { problem.below()[i] };
                point.scores[i] + problem.ridge(i) * point.beta[i] + own
            };
            let slopes = centred(inside.iter().map(slope).collect(), self.border.is_some());
            let mut step = vec![0.0; inside.len()];
            for (column, slope) in slopes.iter().enumerate() {
                step.iter_mut().zip(self.matrix.column(column)).for_each(|(step, p)| *step -= slope * p);
            }
            let within = |(&i, step): (&usize, &f64)| {
                let (low, high) = side(problem, i, point.beta[i]);
                point.beta[i] + step > low && point.beta[i] + step < high
            };
            if !inside.iter().zip(&step).all(within) {
                return;
            }
            let before = point.beta.clone();
            inside.iter().zip(&step).for_each(|(&i, step)| point.beta[i] += step);
            rows.follow(point, &before);
        }
    }

    /// The columns of the table.
    pub(super) fn columns(
        &self,
        rows: &Rows,
        problem: &DualProblem,
        inside: &[usize],
        outside: &[usize],
    ) -> Result<Matrix> {
        let n = inside.len() + outside.len();
        let mut across = Matrix::zeros(inside.len(), outside.len())?;
        for (column, &j) in outside.iter().enumerate() {
            let row = rows.matrix.row(j);
            across.column_mut(column).iter_mut().zip(inside).for_each(|(to, &i)| *to = row[i]);
        }
        let mut answers = product(&self.matrix, &across)?;
        if let Some((last, _)) = &self.border {
            for column in 0..outside.len() {
                answers.column_mut(column).iter_mut().zip(last).for_each(|(to, p)| *to += p);
            }
        }
        let explained = transposed_product(&across, &answers)?;
        let mut table = Matrix::zeros(n, n)?;
        for (column, &j) in inside.iter().enumerate() {
            let to = table.column_mut(j);
            inside.iter().zip(self.matrix.column(column)).for_each(|(&i, p)| to[i] = *p);
            outside.iter().enumerate().for_each(|(at, &i)| to[i] = answers[(column, at)]);
        }
        for (column, &j) in outside.iter().enumerate() {
            let row = rows.matrix.row(j);
            let price = self.border.as_ref().map_or(0.0, |(last, corner)| {
                corner + last.iter().zip(across.column(column)).map(|(p, k)| p * k).sum::<f64>()
            });
            let to = table.column_mut(j);
            inside.iter().zip(answers.column(column)).for_each(|(&i, h)| to[i] = -h);
            outside.iter().enumerate().for_each(|(at, &i)| to[i] = row[i] - explained[(at, column)] - price);
            to[j] += problem.ridge(j);
        }
        Ok(table)
    }
}
