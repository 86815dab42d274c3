//! Systems with a Hessian: scaled to unit diagonal, by Cholesky where it is well conditioned, by eigenvalues where not.

use lm_core::linalg::{Cholesky, Matrix, SymmetricEigen};
use lm_core::{Error, Result};

/// A factored symmetric positive semidefinite matrix `H`.
///
/// Directions in which `H` is zero to working precision are left alone: solutions are those of least norm among the
/// scaled variables.
pub(super) struct Curvature {
    /// Powers of two that bring the diagonal to about 1; 0 for a variable that `H` does not know.
    scale: Vec<f64>,
    factor: Factor,
    rank: usize,
    condition: f64,
}

enum Factor {
    Cholesky(Cholesky),
    Eigen(SymmetricEigen),
}

impl Curvature {
    /// Factors a matrix of which the lower triangle is given.
    pub(super) fn of(mut matrix: Matrix) -> Result<Self> {
        let n = matrix.rows();
        let scale: Vec<f64> = (0..n).map(|k| scale_of(matrix[(k, k)])).collect();
        let known = scale.iter().filter(|&&scale| scale > 0.0).count();
        for column in 0..n {
            for (row, value) in matrix.column_mut(column).iter_mut().enumerate().skip(column) {
                *value = if row == column && scale[column] == 0.0 {
                    1.0
                } else {
                    *value * scale[row] * scale[column]
                };
            }
        }
        let tolerance = 16.0 * n as f64 * f64::EPSILON;
        if let Some(cholesky) = Cholesky::factor(matrix.clone())? {
            let condition = cholesky.condition();
            if condition * tolerance <= 1.0 {
                return Ok(Self { scale, factor: Factor::Cholesky(cholesky), rank: known, condition });
            }
        }
        let eigen = SymmetricEigen::of(&matrix)?;
        let largest = eigen.values.last().copied().unwrap_or(0.0);
        let smallest = eigen.values.iter().copied().find(|&value| value > tolerance * largest);
        let rank = eigen.values.iter().filter(|&&value| value > tolerance * largest).count();
        let condition = smallest.map_or(f64::INFINITY, |smallest| largest / smallest);
        // The unit diagonal of a variable that is not known is an eigenvalue of its own.
        Ok(Self { scale, factor: Factor::Eigen(eigen), rank: rank - (n - known).min(rank), condition })
    }

    /// The number of directions that the matrix knows.
    pub(super) fn rank(&self) -> usize {
        self.rank
    }

    /// The condition of the scaled matrix on those directions: an estimate by Cholesky, a ratio of eigenvalues else.
    pub(super) fn condition(&self) -> f64 {
        self.condition
    }

    /// Solves `H x = r` in place.
    pub(super) fn solve(&self, r: &mut [f64]) -> Result<()> {
        r.iter_mut().zip(&self.scale).for_each(|(r, scale)| *r *= scale);
        match &self.factor {
            Factor::Cholesky(cholesky) => cholesky.solve(r)?,
            Factor::Eigen(eigen) => {
                let mut sum = vec![0.0; r.len()];
                for (k, value) in self.kept(eigen) {
                    let vector = eigen.vectors.column(k);
                    let along: f64 = vector.iter().zip(&*r).map(|(v, r)| v * r).sum::<f64>() / value;
                    sum.iter_mut().zip(vector).for_each(|(sum, v)| *sum += along * v);
                }
                r.copy_from_slice(&sum);
            }
        }
        r.iter_mut().zip(&self.scale).for_each(|(r, scale)| *r *= scale);
        if r.iter().all(|value| value.is_finite()) {
            Ok(())
        } else {
            Err(Error::Numerical { what: "a Newton step" })
        }
    }

    /// The inverse, on the directions that the matrix knows.
    pub(super) fn inverse(&self) -> Result<Matrix> {
        let n = self.scale.len();
        let mut inverse = Matrix::identity(n)?;
        for column in 0..n {
            self.solve(inverse.column_mut(column))?;
        }
        Ok(inverse)
    }

    /// The logarithm of the determinant, on the directions that the matrix knows.
    pub(super) fn log_determinant(&self) -> f64 {
        let scales: f64 = self.scale.iter().filter(|&&scale| scale > 0.0).map(|scale| scale.ln()).sum();
        let scaled = match &self.factor {
            Factor::Cholesky(cholesky) => cholesky.log_determinant(),
            Factor::Eigen(eigen) => self.kept(eigen).map(|(_, value)| value.ln()).sum(),
        };
        scaled - 2.0 * scales
    }

    fn kept<'a>(&self, eigen: &'a SymmetricEigen) -> impl Iterator<Item = (usize, f64)> + 'a {
        let largest = eigen.values.last().copied().unwrap_or(0.0);
        let tolerance = 16.0 * self.scale.len() as f64 * f64::EPSILON * largest;
        eigen.values.iter().copied().enumerate().filter(move |(_, value)| *value > tolerance)
    }
}

/// The power of two that brings a diagonal entry to between ½ and 2.
fn scale_of(diagonal: f64) -> f64 {
    if diagonal > 0.0 { (-0.5 * diagonal.log2()).round().clamp(-1000.0, 1000.0).exp2() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_singular_matrix_is_solved_on_what_it_knows() {
        // Two equal columns and one that is zero: x₀ + x₁ = 3 with the least norm.
        let matrix = Matrix::from_rows(&[1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0], 3, 3).unwrap();
        let curvature = Curvature::of(matrix).unwrap();
        let mut r = [3.0, 3.0, 0.0];
        curvature.solve(&mut r).unwrap();
        assert_eq!(curvature.rank(), 1);
        assert!(
            r.iter().zip([1.5, 1.5, 0.0]).all(|(found, expected)| (found - expected).abs() < 1e-14),
            "{r:?}"
        );
    }

    #[test]
    fn badly_scaled_is_not_badly_conditioned() {
        let matrix = Matrix::from_rows(&[4e200, 0.0, 1.0, 1e-200], 2, 2).unwrap();
        let curvature = Curvature::of(matrix).unwrap();
        let mut r = [5e200, 2.0];
        curvature.solve(&mut r).unwrap();
        assert!(curvature.condition() < 10.0);
        assert!((r[0] - 1.0).abs() < 1e-14 && (r[1] / 1e200 - 1.0).abs() < 1e-14, "{r:?}");
        assert!((curvature.log_determinant() - 3.0_f64.ln()).abs() < 1e-12);
    }
}
