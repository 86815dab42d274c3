//! Eigenvalues and eigenvectors of a small symmetric matrix.
//!
//! # Problem
//! ```text
//! A = V diag(λ) Vᵗ ,  Vᵗ V = I ,  λ₁ ≤ … ≤ λₙ
//! ```
//! # Method
//! Cyclic Jacobi rotations: each makes one off-diagonal pair zero by the rotation of smaller angle, and sweeps go on
//! until a whole sweep finds nothing left to rotate. Corrections to the diagonal are summed up over a sweep before
//! they are added, and the matrix is first scaled by a power of two, so that neither 10³⁰⁰ nor 10⁻³⁰⁰ is special.
//! # Cost
//! `O(n³)` a sweep, six to ten sweeps; meant for `n` up to a few hundred.
//! # Reference
//! Rutishauser (1966), "The Jacobi method for real symmetric matrices"; Golub & Van Loan (2013), section 8.5.

use crate::{Error, Result};

/// Eigenvalues in increasing order, each with its eigenvector of length 1.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Eigen {
    pub(crate) values: Vec<f64>,
    pub(crate) vectors: Vec<Vec<f64>>,
}

/// Sweeps after which convergence, which is quadratic, has failed for a reason that more sweeps do not cure.
const SWEEPS: usize = 60;

/// Decomposes the symmetric matrix whose rows are `matrix`, of which only the upper triangle is read.
///
/// # Errors
/// [`Error::Length`] unless there are `n²` values, [`Error::NonFinite`] if one is not finite, [`Error::Numerical`] if
/// the sweeps do not converge.
pub(crate) fn symmetric(matrix: &[f64], n: usize) -> Result<Eigen> {
    if n.checked_mul(n) != Some(matrix.len()) {
        let expected = n.saturating_mul(n);
        return Err(Error::Length { what: "the symmetric matrix", expected, found: matrix.len() });
    }
    if let Some(at) = matrix.iter().position(|value| !value.is_finite()) {
        return Err(Error::NonFinite { what: "matrix entry", row: at / n, column: Some(at % n) });
    }
    let largest = matrix.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let scale = power_of_two(largest);
    let mut state = State::new(matrix, n, scale);
    for _ in 0..SWEEPS {
        if !state.sweep() {
            return Ok(state.finish(scale));
        }
    }
    Err(Error::Numerical { what: "the eigenvalues of a symmetric matrix" })
}

/// A power of two near `value` whose inverse is finite.
fn power_of_two(value: f64) -> f64 {
    if value < f64::MIN_POSITIVE {
        return f64::MIN_POSITIVE;
    }
    // Clearing the fraction leaves the largest power of two that is not above the value.
    f64::from_bits(value.to_bits() & (0x7ff << 52)).min(2.0_f64.powi(1000))
}

struct State {
    n: usize,
    /// The upper triangle holds what is left off the diagonal.
    a: Vec<f64>,
    /// The diagonal.
    d: Vec<f64>,
    /// Row k is the k-th eigenvector.
    v: Vec<f64>,
}

impl State {
    fn new(matrix: &[f64], n: usize, scale: f64) -> Self {
        let a: Vec<f64> = matrix.iter().map(|value| value / scale).collect();
        let d = (0..n).map(|i| a[i * n + i]).collect();
        let mut v = vec![0.0; n * n];
        (0..n).for_each(|i| v[i * n + i] = 1.0);
        Self { n, a, d, v }
    }

    /// Visits every pair once; false if all were negligible already.
    fn sweep(&mut self) -> bool {
        let n = self.n;
        let start = self.d.clone();
        let mut change = vec![0.0; n];
        let mut rotated = false;
        for p in 0..n {
            for q in p + 1..n {
                let off = self.a[p * n + q];
                if off == 0.0 {
                    continue;
                }
                // Relative to the geometric mean, so that small eigenvalues keep their digits; the second term ends
                // the work where one of the two is zero.
                let (p_size, q_size) = (self.d[p].abs(), self.d[q].abs());
                let mean = (p_size * q_size).sqrt();
                if off.abs() <= 0.125 * f64::EPSILON * mean.max(f64::EPSILON * p_size.max(q_size)) {
                    self.a[p * n + q] = 0.0;
                    continue;
                }
                rotated = true;
                let t = self.rotate(p, q, off);
                change[p] -= t * off;
                change[q] += t * off;
                self.d[p] = start[p] + change[p];
                self.d[q] = start[q] + change[q];
            }
        }
        rotated
    }

    /// Makes entry `(p, q)` zero, and gives the tangent of the angle.
    fn rotate(&mut self, p: usize, q: usize, off: f64) -> f64 {
        let n = self.n;
        let theta = 0.5 * (self.d[q] - self.d[p]) / off;
        // The smaller root of t² + 2θt − 1 = 0, without cancellation; for huge θ it is 1/2θ.
        let t = if theta.abs() > 1e150 {
            0.5 / theta
        } else {
            theta.signum() / (theta.abs() + (1.0 + theta * theta).sqrt())
        };
        let c = 1.0 / (1.0 + t * t).sqrt();
        let s = t * c;
        let tau = s / (1.0 + c);
        self.a[p * n + q] = 0.0;
        for k in 0..n {
            if k != p && k != q {
                let (first, second) = (upper(n, k, p), upper(n, k, q));
                let (g, h) = (self.a[first], self.a[second]);
                self.a[first] = g - s * (h + g * tau);
                self.a[second] = h + s * (g - h * tau);
            }
            let (g, h) = (self.v[p * n + k], self.v[q * n + k]);
            self.v[p * n + k] = g - s * (h + g * tau);
            self.v[q * n + k] = h + s * (g - h * tau);
        }
        t
    }

    fn finish(self, scale: f64) -> Eigen {
        let mut order: Vec<usize> = (0..self.n).collect();
        order.sort_by(|&i, &j| self.d[i].total_cmp(&self.d[j]));
        let values = order.iter().map(|&k| self.d[k] * scale).collect();
        let vectors = order.iter().map(|&k| self.v[k * self.n..(k + 1) * self.n].to_vec()).collect();
        Eigen { values, vectors }
    }
}

/// The place of an off-diagonal entry in the upper triangle.
fn upper(n: usize, i: usize, j: usize) -> usize {
    i.min(j) * n + i.max(j)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    fn random_symmetric(n: usize, random: &mut ChaCha8Rng) -> Vec<f64> {
        let mut matrix = vec![0.0; n * n];
        for i in 0..n {
            for j in i..n {
                let value = random.random_range(-1.0..1.0);
                (matrix[i * n + j], matrix[j * n + i]) = (value, value);
            }
        }
        matrix
    }

    #[test]
    fn a_two_by_two_matrix_is_right_to_the_last_digit() {
        let found = symmetric(&[2.0, 1.0, 1.0, 4.0], 2).unwrap();
        let root = std::f64::consts::SQRT_2;
        assert_eq!(found.values, [3.0 - root, 3.0 + root]);
        for (vector, slope) in found.vectors.iter().zip([1.0 - root, 1.0 + root]) {
            assert!((vector[1] / vector[0] - slope).abs() <= 4.0 * f64::EPSILON * slope.abs());
        }
    }

    #[test]
    fn residuals_and_orthogonality_are_within_fifty_roundings() {
        let mut random = ChaCha8Rng::seed_from_u64(4);
        for n in 1..=30 {
            for scale in [1.0, 1e-300, 1e300] {
                let matrix: Vec<f64> = random_symmetric(n, &mut random).iter().map(|v| v * scale).collect();
                let found = symmetric(&matrix, n).unwrap();
                let norm = found.values.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
                let bound = 50.0 * f64::EPSILON;
                assert!(found.values.windows(2).all(|pair| pair[0] <= pair[1]));
                for (k, (value, vector)) in found.values.iter().zip(&found.vectors).enumerate() {
                    for i in 0..n {
                        let product: f64 = (0..n).map(|j| matrix[i * n + j] / norm * vector[j]).sum();
                        let residual = product - value / norm * vector[i];
                        assert!(residual.abs() <= bound, "n = {n}, scale {scale:e}: {residual:e}");
                    }
                    for (l, other) in found.vectors.iter().enumerate() {
                        let product: f64 = vector.iter().zip(other).map(|(a, b)| a * b).sum();
                        let expected = f64::from(u8::from(k == l));
                        assert!((product - expected).abs() <= bound, "n = {n}: vectors {k} and {l}");
                    }
                }
            }
        }
    }

    #[test]
    fn special_matrices_are_decomposed() {
        assert_eq!(symmetric(&[0.0; 9], 3).unwrap().values, [0.0; 3]);
        for n in [2, 3, 10, 60] {
            let ones = symmetric(&vec![1.0; n * n], n).unwrap();
            assert!((ones.values[n - 1] / n as f64 - 1.0).abs() <= 50.0 * f64::EPSILON);
            assert!(ones.values[..n - 1].iter().all(|value| value.abs() <= 50.0 * f64::EPSILON));
        }
        let graded = symmetric(&[1.0, 1e-150, 1e-150, 1e-300], 2).unwrap();
        assert_eq!(graded.values[1], 1.0);
        assert!(graded.values[0].abs() <= 1e-300);
        assert_eq!(symmetric(&[f64::MAX, 0.0, 0.0, -f64::MAX], 2).unwrap().values, [-f64::MAX, f64::MAX]);
        assert_eq!(symmetric(&[5e-324, 0.0, 0.0, 0.0], 2).unwrap().values, [0.0, 5e-324]);
        assert_eq!(symmetric(&[0.0, 2.0, 2.0, 0.0], 2).unwrap().values, [-2.0, 2.0]);
        assert!(matches!(symmetric(&[1.0; 3], 2), Err(Error::Length { .. })));
        assert!(matches!(symmetric(&[1.0, 2.0, f64::NAN, 1.0], 2), Err(Error::NonFinite { row: 1, .. })));
    }
}
