//! Singular values by rotations of columns: slow, and never without an answer.
//!
//! # Problem
//! ```text
//! A = U diag(σ) Vᵗ ,  UᵗU = VᵗV = I ,  σ₁ ≥ σ₂ ≥ … ≥ 0
//! ```
//! # Method
//! One-sided Jacobi: rotate each pair of columns so that they become orthogonal, sweep after sweep, until all are. Their
//! lengths are then the singular values, and the rotations taken together are `V`. It stands in where the fast method
//! does not converge or does not multiply back to its matrix.
//! # Cost
//! `O(nd²)` a sweep, six to ten sweeps.
//! # Reference
//! Hestenes (1958); Golub & Van Loan (2013), section 8.6.3.

use super::{Matrix, Svd};
use crate::{Error, Result};

/// Sweeps after which convergence, which is quadratic, has failed for a reason that more sweeps do not cure.
const SWEEPS: usize = 60;

/// Decomposes a matrix of moderate size with at least as many rows as columns.
pub(super) fn svd(a: &Matrix) -> Result<Svd> {
    let (mut u, mut v) = (a.clone(), Matrix::identity(a.columns())?);
    let mut sweeps = 0;
    while sweep(&mut u, &mut v) {
        sweeps += 1;
        if sweeps == SWEEPS {
            return Err(Error::Numerical { what: "the singular values of a matrix" });
        }
    }
    let n = a.columns();
    let lengths: Vec<f64> = (0..n).map(|j| length(u.column(j))).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| lengths[j].total_cmp(&lengths[i]));
    let negligible = f64::EPSILON * a.rows() as f64 * order.first().map_or(0.0, |&first| lengths[first]);
    let mut sorted = Svd { u: Matrix::zeros(a.rows(), n)?, values: vec![0.0; n], v: Matrix::zeros(n, n)? };
    for (to, &from) in order.iter().enumerate() {
        sorted.values[to] = lengths[from];
        sorted.v.column_mut(to).copy_from_slice(v.column(from));
        let column = sorted.u.column_mut(to);
        if lengths[from] > negligible {
            column.iter_mut().zip(u.column(from)).for_each(|(to, x)| *to = x / lengths[from]);
        }
    }
    complete(&mut sorted.u, &sorted.values, negligible);
    Ok(sorted)
}

/// Makes every pair of columns orthogonal once; false if all were.
fn sweep(u: &mut Matrix, v: &mut Matrix) -> bool {
    let mut rotated = false;
    for p in 0..u.columns() {
        for q in p + 1..u.columns() {
            let (first, second) = (u.column(p), u.column(q));
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let (alpha, beta, gamma) = (dot(first, first), dot(second, second), dot(first, second));
            // Squares that vanish have no direction left to rotate.
            if !(gamma.abs() > 4.0 * f64::EPSILON * (alpha * beta).sqrt()) || gamma.abs() < f64::MIN_POSITIVE
            {
                continue;
            }
            rotated = true;
            let zeta = (beta - alpha) / (2.0 * gamma);
            let t = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
            let c = 1.0 / t.hypot(1.0);
            rotate(u, p, q, c, c * t);
            rotate(v, p, q, c, c * t);
        }
    }
    rotated
}

fn rotate(a: &mut Matrix, p: usize, q: usize, c: f64, s: f64) {
    let rows = a.rows();
    let (before, after) = a.values_mut().split_at_mut(q * rows);
    let first = &mut before[p * rows..(p + 1) * rows];
    for (x, y) in first.iter_mut().zip(&mut after[..rows]) {
        (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
    }
}

fn length(column: &[f64]) -> f64 {
    column.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Gives the columns of negligible singular values directions that are orthogonal to all others.
fn complete(u: &mut Matrix, values: &[f64], negligible: f64) {
    let rows = u.rows();
    let mut axis = 0;
    for (j, value) in values.iter().enumerate() {
        // Twice through the columns before makes what is left orthogonal to working precision.
        while !(*value > negligible) && axis < rows {
            let mut candidate = vec![0.0; rows];
            candidate[axis] = 1.0;
            axis += 1;
            for other in (0..2 * j).map(|k| u.column(k % j.max(1))) {
                let along: f64 = other.iter().zip(&candidate).map(|(a, b)| a * b).sum();
                candidate.iter_mut().zip(other).for_each(|(to, x)| *to -= along * x);
            }
            let left = length(&candidate);
            if left > 0.5 / (rows as f64).sqrt() {
                u.column_mut(j).iter_mut().zip(&candidate).for_each(|(to, x)| *to = x / left);
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stands in when the fast method fails must itself be a decomposition.
    #[test]
    fn rotations_give_what_the_fast_method_gives() {
        let mut values = Vec::new();
        let mut state = 1_u64;
        for _ in 0..40 * 12 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            values.push((state >> 11) as f64 / 2.0_f64.powi(53) - 0.5);
        }
        let mut a = Matrix::from_columns(values, 40, 12).unwrap();
        let copy = a.column(3).to_vec();
        a.column_mut(7).copy_from_slice(&copy); // rank 11
        a.column_mut(9).fill(0.0); // rank 10
        let (rotated, fast) = (svd(&a).unwrap(), Svd::thin(&a).unwrap());
        for (a, b) in rotated.values.iter().zip(&fast.values) {
            assert!((a - b).abs() <= 1e-14 * fast.values[0], "{a} and {b}");
        }
        assert_eq!(rotated.rank(1e-12), 10);
        assert!(super::super::svd::orthonormal(&rotated.u, 1e-13).unwrap());
        assert!(super::super::svd::orthonormal(&rotated.v, 1e-13).unwrap());
        let nothing = svd(&Matrix::zeros(5, 3).unwrap()).unwrap();
        assert_eq!(nothing.values, [0.0; 3]);
    }
}
