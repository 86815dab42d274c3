//! The linear equations of the free coefficients.

use lm_core::double_double::DoubleDouble;
use lm_core::linalg::{Cholesky, Interruptible, Matrix};
use lm_core::{Meter, Result};

use super::{Place, State};
use crate::problem::Balance;

/// An equality of the balance: its coefficients on both sides, and what is missing from its sum.
pub(super) struct Row {
    pub(super) positive: f64,
    pub(super) negative: f64,
    pub(super) missing: f64,
}

impl Row {
    pub(super) fn at(&self, place: Place) -> f64 {
        match place {
            Place::Positive => self.positive,
            Place::Negative => self.negative,
            Place::Held => 0.0,
        }
    }
}

impl State<'_> {
    /// The rows of the balance that bind a free coefficient.
    pub(super) fn rows(&self, free: &[usize]) -> Vec<Row> {
        let row = |positive: f64, negative: f64, target: f64| {
            let mut missing = DoubleDouble::from(target);
            for &beta in &self.beta {
                missing = missing - DoubleDouble::product(if beta > 0.0 { positive } else { negative }, beta);
            }
            Row { positive, negative, missing: missing.value() }
        };
        let rows = match self.problem.balance() {
            Balance::Open => Vec::new(),
            Balance::Total(total) => vec![row(1.0, 1.0, total)],
            Balance::Sides { positive, negative } => vec![row(1.0, 0.0, positive), row(0.0, 1.0, -negative)],
            Balance::Sizes { total, most } if self.tight => vec![row(1.0, 1.0, total), row(1.0, -1.0, most)],
            Balance::Sizes { total, .. } => vec![row(1.0, 1.0, total)],
        };
        rows.into_iter().filter(|row| free.iter().any(|&i| row.at(self.places[i]) != 0.0)).collect()
    }

    /// Factors the matrix over the free coefficients. The squares of the rows of the balance are added: they change nothing
    /// where the balance is kept, and make regular what is singular only along a direction that the balance forbids.
    pub(super) fn factored(
        &self,
        free: &[usize],
        rows: &[Vec<f64>],
        meter: &mut Meter<'_>,
    ) -> Result<Option<Cholesky>> {
        let mut shift = 1e-14 * self.largest;
        loop {
            let mut matrix = Matrix::zeros(free.len(), free.len())?;
            for (column, &j) in free.iter().enumerate() {
                let from = self.k.column(j);
                let to = matrix.column_mut(column);
                to.iter_mut().zip(free).for_each(|(to, &i)| *to = from[i]);
                for row in rows.iter().filter(|row| row[column] != 0.0) {
                    let by = self.largest * row[column];
                    to.iter_mut().zip(row).for_each(|(to, a)| *to += by * a);
                }
                matrix[(column, column)] += self.problem.ridge(j) + shift;
            }
            match Cholesky::factor_while(matrix, &mut || meter.advance(0, 0).is_none())? {
                Interruptible::Stopped => return Ok(None),
                Interruptible::Done(Some(factor)) => return Ok(Some(factor)),
                Interruptible::Done(None) if shift > 1e-7 * self.largest => return Ok(None),
                Interruptible::Done(None) => shift *= 100.0,
            }
        }
    }
}

/// The step of the free coefficients and the changes of the multipliers; none where the numbers break down. The factor is
/// that of the matrix with the squares of the rows added `weight` times.
pub(super) fn solved(
    factor: &Cholesky,
    rows: &[Vec<f64>],
    missing: &[f64],
    slopes: &[f64],
    weight: f64,
) -> Result<Option<(Vec<f64>, Vec<f64>)>> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut step: Vec<f64> = slopes.iter().map(|slope| -slope).collect();
    for (row, missing) in rows.iter().zip(missing) {
        step.iter_mut().zip(row).for_each(|(step, a)| *step += weight * missing * a);
    }
    factor.solve(&mut step)?;
    let mut answers = rows.to_vec();
    for answer in &mut answers {
        factor.solve(answer)?;
    }
    let right: Vec<f64> = rows.iter().zip(missing).map(|(row, missing)| dot(row, &step) - missing).collect();
    let mut mu = vec![0.0; rows.len()];
    match rows {
        [] => {}
        [row] => mu[0] = right[0] / dot(row, &answers[0]),
        [first, second, ..] => {
            let (a, b, d) = (dot(first, &answers[0]), dot(first, &answers[1]), dot(second, &answers[1]));
            let determinant = a * d - b * b;
            if determinant > 1e-12 * a * d {
                mu[0] = (d * right[0] - b * right[1]) / determinant;
                mu[1] = (a * right[1] - b * right[0]) / determinant;
            } else {
                // Both say the same of these coefficients.
                mu[0] = right[0] / a;
            }
        }
    }
    for (answer, mu) in answers.iter().zip(&mu) {
        step.iter_mut().zip(answer).for_each(|(step, answer)| *step -= mu * answer);
    }
    let sound = step.iter().chain(&mu).all(|value| value.is_finite());
    Ok(sound.then_some((step, mu)))
}
