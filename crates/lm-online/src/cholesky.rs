//! Cholesky factorisation of a small dense matrix, and the solution of a system with it.
//!
//! # Problem
//! ```text
//! H x = g ,   H symmetric and positive definite
//! ```
//! # Method
//! `H = LLᵗ` column by column. A pivot that is not larger than what rounding may leave of its diagonal entry says that
//! the matrix is singular or indefinite, up to rounding, and ends the work.
//! # Cost
//! `n³/6` multiplications; the factor takes the place of the matrix.
//! # Reference
//! Higham (2002), chapter 10.

/// A matrix that is not positive definite: the pivot that says so.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NotPositive {
    /// What is left of the diagonal entry.
    pub(crate) pivot: f64,
}

/// Replaces `rhs` by the solution of `H x = rhs`. Of the matrix only the lower triangle is read, and overwritten.
pub(crate) fn solve(matrix: &mut [f64], rhs: &mut [f64]) -> Result<(), NotPositive> {
    let n = rhs.len();
    for j in 0..n {
        let diagonal = matrix[j * n + j];
        let (above, rest) = matrix.split_at_mut(j * n + j);
        let left = &above[j * n..];
        let pivot = diagonal - left.iter().map(|value| value * value).sum::<f64>();
        // Written so that NaN fails.
        if !(pivot > (n as f64 + 4.0) * f64::EPSILON * diagonal.abs()) {
            return Err(NotPositive { pivot });
        }
        let root = pivot.sqrt();
        rest[0] = root;
        for i in j + 1..n {
            let (done, row) = matrix.split_at_mut(i * n);
            let product: f64 = row[..j].iter().zip(&done[j * n..j * n + j]).map(|(a, b)| a * b).sum();
            row[j] = (row[j] - product) / root;
        }
    }
    for i in 0..n {
        let known: f64 = (0..i).map(|k| matrix[i * n + k] * rhs[k]).sum();
        rhs[i] = (rhs[i] - known) / matrix[i * n + i];
    }
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|k| matrix[k * n + i] * rhs[k]).sum();
        rhs[i] = (rhs[i] - known) / matrix[i * n + i];
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::testing::SplitMix64;

    #[test]
    fn a_system_by_hand() {
        let mut matrix = [4.0, 2.0, 2.0, 10.0];
        let mut x = [8.0, 22.0];
        solve(&mut matrix, &mut x).unwrap();
        assert_eq!(x, [1.0, 2.0]);
    }

    #[test]
    fn residuals_are_small_for_random_systems() {
        for seed in 0..30 {
            let mut random = SplitMix64::new(seed);
            let n = 1 + random.below(12);
            let factor: Vec<f64> = (0..n * n).map(|_| random.uniform(-1.0, 1.0)).collect();
            let mut matrix = vec![0.0; n * n];
            for i in 0..n {
                for j in 0..n {
                    matrix[i * n + j] = (0..n).map(|k| factor[i * n + k] * factor[j * n + k]).sum();
                }
                matrix[i * n + i] += 0.5;
            }
            let rhs: Vec<f64> = (0..n).map(|_| random.uniform(-1.0, 1.0)).collect();
            let mut x = rhs.clone();
            solve(&mut matrix.clone(), &mut x).unwrap();
            for i in 0..n {
                let left: f64 = (0..n).map(|j| matrix[i * n + j] * x[j]).sum();
                assert!((left - rhs[i]).abs() < 1e-12, "seed {seed}");
            }
        }
    }

    #[test]
    fn singular_and_indefinite_matrices_and_nan_are_refused() {
        for matrix in [[1.0, 1.0, 1.0, 1.0], [1.0, 2.0, 2.0, 1.0], [0.0; 4], [f64::NAN, 0.0, 0.0, 1.0]] {
            assert!(solve(&mut matrix.clone(), &mut [1.0, 1.0]).is_err(), "{matrix:?}");
        }
        let mut third = [1.0, 0.0, 0.0, 0.1, 0.01, 0.0, 0.3, 0.03, 0.09];
        assert!(solve(&mut third, &mut [1.0; 3]).is_err());
    }
}
