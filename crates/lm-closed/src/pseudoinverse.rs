//! The pseudoinverse of a matrix, with its rank and condition.
//!
//! # Problem
//! ```text
//! Y† = lim (YᵗY + εI)⁻¹Yᵗ   as ε → 0 :   a = Y†b has least ‖Ya − b‖, and least ‖a‖ of all that do
//! ```
//! # Method
//! `Y = U diag(σ) Vᵗ` gives `Y† = V diag(1/σ) Uᵗ`, singular values that cannot be told from zero left out; and the matrix before the
//! limit is `V diag(σ/(σ² + ε)) Uᵗ`.
//! # Cost
//! A singular value decomposition, `O(nd²)` operations for `n ≥ d`.
//! # Reference
//! Moore (1920); Penrose (1955); Duda, Hart & Stork (2001), section 5.8.1; Golub & Van Loan (2013), section 5.5.

use lm_core::linalg::{Matrix, Svd, matrix_vector, product_transposed};
use lm_core::{Error, Result};

/// A pseudoinverse, and what is known of the matrix.
///
/// ```
/// use lm_closed::Pseudoinverse;
/// use lm_core::linalg::Matrix;
///
/// let y = Matrix::from_rows(&[1.0, 1.0, 1.0, 1.0], 2, 2)?; // singular
/// let inverse = Pseudoinverse::of(&y)?;
/// assert_eq!(inverse.rank(), 1);
/// assert!((inverse.matrix()[(0, 1)] - 0.25).abs() < 1e-15);
/// let a = inverse.times(&[1.0, 3.0])?; // of all a with a₁ + a₂ = 2 the one of least norm
/// assert!((a[0] - 1.0).abs() < 1e-15 && (a[1] - 1.0).abs() < 1e-15);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Pseudoinverse {
    svd: Svd,
    rank: usize,
    matrix: Matrix,
}

impl Pseudoinverse {
    /// The pseudoinverse of a matrix, singular values below `max(n, d)·ε` times the largest taken for zero.
    ///
    /// # Errors
    /// [`Error::Empty`] for a matrix without entries, [`Error::NonFinite`] for an entry that is not finite,
    /// [`Error::Numerical`] if an entry of the inverse is not.
    pub fn of(y: &Matrix) -> Result<Self> {
        if y.values().is_empty() {
            return Err(Error::Empty { what: "the matrix to be inverted" });
        }
        let svd = Svd::thin(y)?;
        let tolerance = svd.default_tolerance();
        let (rank, matrix) = (svd.rank(tolerance), svd.pseudoinverse(tolerance)?);
        checked(matrix).map(|matrix| Self { svd, rank, matrix })
    }

    /// `Y†`.
    pub fn matrix(&self) -> &Matrix {
        &self.matrix
    }

    /// The number of singular values that are not zero.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The singular values of `Y`, the largest first.
    pub fn singular_values(&self) -> &[f64] {
        &self.svd.values
    }

    /// The largest singular value over the least: infinite if some are zero.
    pub fn condition(&self) -> f64 {
        match (self.svd.values.first(), self.svd.values.last()) {
            (Some(largest), Some(least)) if self.rank == self.svd.values.len() => largest / least,
            _ => f64::INFINITY,
        }
    }

    /// `Y†b`.
    ///
    /// # Errors
    /// [`Error::Length`] unless `b` has as many entries as `Y` has rows.
    pub fn times(&self, b: &[f64]) -> Result<Vec<f64>> {
        matrix_vector(&self.matrix, b)
    }

    /// `(YᵗY + εI)⁻¹Yᵗ` for an `ε` above 0: near `Y†` where `ε` is small beside the squares of the singular values that are not
    /// zero.
    ///
    /// # Errors
    /// [`Error::Setting`] unless `ε` is above 0 and finite, [`Error::Numerical`] if an entry is not finite.
    pub fn before_limit(&self, epsilon: f64) -> Result<Matrix> {
        if !(epsilon > 0.0 && epsilon.is_finite()) {
            return Err(Error::Setting { name: "epsilon", value: epsilon, accepted: "a finite number > 0" });
        }
        let mut left = self.svd.v.clone();
        for (j, sigma) in self.svd.values.iter().enumerate() {
            // σ/(σ² + ε), written so that no square overflows or vanishes; what cannot be told from zero is zero.
            let factor = if j < self.rank { 1.0 / (sigma + epsilon / sigma) } else { 0.0 };
            left.column_mut(j).iter_mut().for_each(|v| *v *= factor);
        }
        checked(product_transposed(&left, &self.svd.u)?)
    }
}

fn checked(matrix: Matrix) -> Result<Matrix> {
    if matrix.values().iter().all(|value| value.is_finite()) {
        Ok(matrix)
    } else {
        Err(Error::Numerical { what: "the pseudoinverse" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::linalg::{product, transposed_product};
    use lm_core::testing::SplitMix64;

    fn off(a: &Matrix, b: &Matrix) -> f64 {
        assert_eq!((a.rows(), a.columns()), (b.rows(), b.columns()));
        a.values().iter().zip(b.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    /// A random matrix of a rank of choice.
    fn random(rows: usize, columns: usize, rank: usize, seed: u64) -> Matrix {
        let mut random = SplitMix64::new(seed);
        let mut factor = |n: usize| {
            let values = (0..n * rank).map(|_| random.uniform(-1.0, 1.0)).collect();
            Matrix::from_columns(values, n, rank).unwrap()
        };
        product_transposed(&factor(rows), &factor(columns)).unwrap()
    }

    #[test]
    fn the_four_conditions_of_penrose_hold() {
        for (rows, columns, rank) in [(5, 3, 3), (3, 5, 3), (6, 4, 2), (4, 4, 4), (1, 3, 1), (7, 1, 1)] {
            let y = random(rows, columns, rank, 10 * rows as u64 + columns as u64);
            let inverse = Pseudoinverse::of(&y).unwrap();
            let x = inverse.matrix();
            assert_eq!(inverse.rank(), rank);
            assert_eq!(inverse.condition().is_finite(), rank == rows.min(columns));
            let (yx, xy) = (product(&y, x).unwrap(), product(x, &y).unwrap());
            let size = 1e-12 * x.largest() * y.largest();
            assert!(off(&product(&yx, &y).unwrap(), &y) < size * y.largest());
            assert!(off(&product(&xy, x).unwrap(), x) < size * x.largest());
            assert!(off(&yx, &yx.transposed().unwrap()) < size && off(&xy, &xy.transposed().unwrap()) < size);
        }
    }

    #[test]
    fn the_matrix_before_the_limit_is_that_of_its_definition_and_tends_to_the_pseudoinverse() {
        let y = random(6, 4, 2, 3);
        let inverse = Pseudoinverse::of(&y).unwrap();
        let epsilon = 1e-3;
        let found = inverse.before_limit(epsilon).unwrap();
        // (YᵗY + εI)·X = Yᵗ
        let mut normal = transposed_product(&y, &y).unwrap();
        (0..4).for_each(|k| normal[(k, k)] += epsilon);
        assert!(off(&product(&normal, &found).unwrap(), &y.transposed().unwrap()) < 1e-13);
        let mut last = f64::INFINITY;
        for epsilon in [1e-2, 1e-4, 1e-6, 1e-8] {
            let away = off(&inverse.before_limit(epsilon).unwrap(), inverse.matrix());
            assert!(away < 0.1 * last, "{epsilon:e}: {away:e}");
            last = away;
        }
        assert!(inverse.before_limit(0.0).is_err() && inverse.before_limit(f64::NAN).is_err());
    }

    #[test]
    fn extreme_sizes_and_zeros_are_inverted_or_refused() {
        for scale in [1e300, 1e-300] {
            let y = Matrix::from_rows(&[2.0 * scale, 0.0, 0.0, scale], 2, 2).unwrap();
            let x = Pseudoinverse::of(&y).unwrap();
            assert!((x.matrix()[(0, 0)] * scale - 0.5).abs() < 1e-15);
        }
        let zero = Pseudoinverse::of(&Matrix::zeros(3, 2).unwrap()).unwrap();
        assert_eq!((zero.rank(), zero.matrix().largest()), (0, 0.0));
        assert!(Pseudoinverse::of(&Matrix::from_columns(vec![f64::NAN], 1, 1).unwrap()).is_err());
        assert!(Pseudoinverse::of(&Matrix::zeros(0, 2).unwrap()).is_err());
        assert!(Pseudoinverse::of(&Matrix::from_columns(vec![5e-324], 1, 1).unwrap()).is_err());
    }
}
