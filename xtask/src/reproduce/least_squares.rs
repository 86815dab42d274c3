//! Least squares by Householder reflections: the reference that learners of least squares are compared with.

use lm_core::{Dense, Linear};

use super::bench::Bench;
use super::vectors::{distance, dot, norm, weights_and_bias};

/// Least squares by Householder reflections: the weights of the columns of `rows`.
pub(crate) fn least_squares(rows: &[Vec<f64>], targets: &[f64]) -> Vec<f64> {
    let (len, width) = (rows.len(), rows[0].len());
    let mut a: Vec<Vec<f64>> = rows
        .iter()
        .zip(targets)
        .map(|(row, target)| row.iter().copied().chain([*target]).collect())
        .collect();
    for k in 0..width {
        let mut v: Vec<f64> = a[k..].iter().map(|row| row[k]).collect();
        v[0] += norm(&v).copysign(v[0]);
        let size = dot(&v, &v);
        for j in k..=width {
            let factor = 2.0 * v.iter().zip(&a[k..]).map(|(v, row)| v * row[j]).sum::<f64>() / size;
            v.iter().zip(&mut a[k..len]).for_each(|(v, row)| row[j] -= factor * v);
        }
    }
    let mut solution = vec![0.0; width];
    for k in (0..width).rev() {
        let known = dot(&a[k][k + 1..width], &solution[k + 1..]);
        solution[k] = (a[k][width] - known) / a[k][k];
    }
    solution
}

/// Examples as rows `(x, 1)`.
pub(crate) fn augmented(examples: &Dense<'_>, len: usize) -> Vec<Vec<f64>> {
    (0..len).map(|row| examples.slice(row).iter().copied().chain([1.0]).collect()).collect()
}

/// Checks the distance of a linear function from a solution `(w, b)`.
pub(crate) fn check_near(
    bench: &mut Bench,
    what: impl Into<String>,
    tolerance: f64,
    model: &Linear,
    solution: &[f64],
) {
    let what = format!("{}: distance from least squares", what.into());
    bench.check_at_most(what, tolerance, distance(&weights_and_bias(model), solution));
}
