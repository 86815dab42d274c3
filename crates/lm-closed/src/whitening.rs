//! Whitening by a scatter matrix, as far as it has an inverse.
//!
//! # Problem
//! ```text
//! find T with Tᵗ S T = I ,   so that S⁻¹ = T Tᵗ ;   for a singular S:  T Tᵗ = D (D S D)⁺ D
//! ```
//! # Method
//! Columns are scaled by powers of two, `D`, so that the diagonal of `C = D S D` lies between 1 and 4: units of measurement do
//! not matter. Where `C` is positive definite and its condition is below 10¹⁰, `C = L Lᵗ` and `T = D L⁻ᵗ`. Otherwise `T`
//! has a column for each singular value of the scaled centred rows that stands out of their rounding error: rows keep the
//! digits that their products lose. Where only `S` is at hand, its eigenvalues take their place. A column that does not
//! vary has no part in `T`.
//! # Cost
//! `d³/3` operations, or `O(nd·min(n, d))` for the rows; `d²` numbers a solve.
//! # Reference
//! Golub & Van Loan (2013), sections 4.2, 5.5 and 8.7; van der Sluis (1969) for the scaling.

use lm_core::linalg::{Cholesky, Matrix, Qr, Svd, SymmetricEigen, product, transposed_product};
use lm_core::{Error, Result};

/// The condition of the scaled scatter up to which Cholesky's factor is used: half of the digits are left.
const WELL_CONDITIONED: f64 = 1e10;

/// A whitening transform `T`.
#[derive(Debug, Clone)]
pub(crate) struct Whitening {
    scale: Vec<f64>,
    factor: Factor,
    rank: usize,
    condition: f64,
}

#[derive(Debug, Clone)]
enum Factor {
    /// `C = L Lᵗ`.
    Cholesky(Cholesky),
    /// `C⁺ = B Bᵗ`.
    Basis(Matrix),
    /// `C^(−½) = r I + V diag(g) Vᵗ` with orthonormal columns of `V`.
    Spread { directions: Matrix, gains: Vec<f64>, rest: f64 },
}

impl Whitening {
    /// From a scatter matrix (lower triangle) whose entries are sums of products of numbers of at most `sizes`.
    ///
    /// `None`: it is too ill-conditioned, and the rows themselves would tell more.
    pub(crate) fn well_conditioned(scatter: &Matrix, weight: f64, sizes: &[f64]) -> Result<Option<Self>> {
        let scale = scales(scatter, weight, sizes);
        let scaled = scaled_scatter(scatter, &scale)?;
        let Some(factor) = Cholesky::factor(scaled)? else { return Ok(None) };
        let (rank, condition) = (factor.dim(), factor.condition());
        // Written so that NaN is not well conditioned.
        if !(condition <= WELL_CONDITIONED) || scale.contains(&0.0) {
            return Ok(None);
        }
        Ok(Some(Self { scale, factor: Factor::Cholesky(factor), rank, condition }))
    }

    /// From a scatter matrix alone, whatever its condition.
    pub(crate) fn of_scatter(scatter: &Matrix, weight: f64, sizes: &[f64]) -> Result<Self> {
        if let Some(found) = Self::well_conditioned(scatter, weight, sizes)? {
            return Ok(found);
        }
        let scale = scales(scatter, weight, sizes);
        let eigen = SymmetricEigen::of(&scaled_scatter(scatter, &scale)?)?;
        let largest = eigen.values.last().copied().unwrap_or(0.0);
        // The entries are sums: some roundings more than those of the decomposition.
        let least = 16.0 * scatter.rows() as f64 * f64::EPSILON * largest;
        let kept: Vec<usize> = (0..eigen.values.len()).rev().filter(|&at| eigen.values[at] > least).collect();
        let columns = kept.iter().map(|&at| (eigen.vectors.column(at), eigen.values[at].sqrt()));
        Self::with_basis(scale, columns, |smallest| largest / (smallest * smallest))
    }

    /// From the centred rows, each times the root of its weight, in the columns' own units. The rows are scaled in place.
    pub(crate) fn of_rows(mut rows: Matrix, weight: f64, sizes: &[f64]) -> Result<Self> {
        let squares = |j: usize| rows.column(j).iter().map(|x| x * x).sum::<f64>();
        let scale: Vec<f64> = (0..rows.columns()).map(|j| scale_of(squares(j), weight, sizes[j])).collect();
        for (j, factor) in scale.iter().enumerate() {
            rows.column_mut(j).iter_mut().for_each(|x| *x *= factor);
        }
        let tolerance = 4.0 * rows.rows().max(rows.columns()) as f64 * f64::EPSILON;
        // Tall rows are first brought to the triangle that has the same singular values.
        let tall = rows.rows() >= 2 * rows.columns();
        let svd = if tall { Svd::thin(Qr::factor(&rows)?.r())? } else { Svd::thin(&rows)? };
        let rank = svd.rank(tolerance);
        let largest = svd.values.first().copied().unwrap_or(0.0);
        let columns = (0..rank).map(|at| (svd.v.column(at), svd.values[at]));
        Self::with_basis(scale, columns, |smallest| (largest / smallest) * (largest / smallest))
    }

    /// From fewer centred rows than columns, each times the root of its weight, of `(1 − γ)RᵗR + γ(tr RᵗR/d)I`: across the rows
    /// the scatter is that multiple of the identity, so no `d × d` matrix is needed.
    pub(crate) fn of_shrunk_rows(rows: &Matrix, share: f64) -> Result<Self> {
        let svd = Svd::thin(rows)?;
        let trace: f64 = svd.values.iter().map(|sigma| sigma * sigma).sum();
        let common = share * trace / rows.columns() as f64;
        let scale = vec![1.0; rows.columns()];
        if !(common > 0.0) {
            return Self::with_basis(scale, std::iter::empty(), |_| 1.0);
        }
        let along = |sigma: &f64| (1.0 - share) * sigma * sigma + common;
        let rest = common.sqrt().recip();
        let gains = svd.values.iter().map(|sigma| along(sigma).sqrt().recip() - rest).collect();
        let condition = svd.values.first().map_or(1.0, along) / common;
        let (rank, factor) = (scale.len(), Factor::Spread { directions: svd.v, gains, rest });
        Ok(Self { scale, factor, rank, condition })
    }

    /// `T` from directions and the roots of what the scaled scatter is along them, in decreasing order.
    fn with_basis<'a>(
        scale: Vec<f64>,
        columns: impl Iterator<Item = (&'a [f64], f64)>,
        condition: impl Fn(f64) -> f64,
    ) -> Result<Self> {
        let (mut values, mut rank, mut smallest) = (Vec::new(), 0, 1.0);
        for (direction, root) in columns {
            values.extend(direction.iter().map(|v| v / root));
            (rank, smallest) = (rank + 1, root);
        }
        // Of what is singular there is no condition but that of the part that is not.
        let condition = if rank == scale.len() { condition(smallest) } else { f64::INFINITY };
        let basis = Matrix::from_columns(values, scale.len(), rank)?;
        Ok(Self { scale, factor: Factor::Basis(basis), rank, condition })
    }

    /// The number of independent directions in which there is scatter.
    pub(crate) fn rank(&self) -> usize {
        self.rank
    }

    /// The condition of the scaled scatter, infinite if it is singular.
    pub(crate) fn condition(&self) -> f64 {
        self.condition
    }

    /// `Tᵗ A`: the columns of `A` in whitened coordinates.
    pub(crate) fn whiten(&self, mut columns: Matrix) -> Result<Matrix> {
        if columns.rows() != self.scale.len() {
            let (expected, found) = (self.scale.len(), columns.rows());
            return Err(Error::Length { what: "a vector to be whitened", expected, found });
        }
        self.scale_rows(&mut columns);
        match &self.factor {
            Factor::Cholesky(factor) => factor.solve_lower(&mut columns).map(|()| columns),
            Factor::Basis(basis) => transposed_product(basis, &columns),
            Factor::Spread { directions, gains, rest } => spread(directions, gains, *rest, columns),
        }
    }

    /// `T Z`: back from whitened coordinates.
    pub(crate) fn unwhiten(&self, mut columns: Matrix) -> Result<Matrix> {
        let mut back = match &self.factor {
            Factor::Cholesky(factor) => factor.solve_lower_transposed(&mut columns).map(|()| columns)?,
            Factor::Basis(basis) => product(basis, &columns)?,
            Factor::Spread { directions, gains, rest } => spread(directions, gains, *rest, columns)?,
        };
        self.scale_rows(&mut back);
        Ok(back)
    }

    /// `S⁻¹ x`, or `D (D S D)⁺ D x`.
    pub(crate) fn solve(&self, x: &[f64]) -> Result<Vec<f64>> {
        let column = Matrix::from_columns(x.to_vec(), x.len(), 1)?;
        Ok(self.unwhiten(self.whiten(column)?)?.into_values())
    }

    fn scale_rows(&self, columns: &mut Matrix) {
        for j in 0..columns.columns() {
            columns.column_mut(j).iter_mut().zip(&self.scale).for_each(|(value, factor)| *value *= factor);
        }
    }
}

/// `(r I + V diag(g) Vᵗ) A`.
fn spread(directions: &Matrix, gains: &[f64], rest: f64, mut columns: Matrix) -> Result<Matrix> {
    let mut along = transposed_product(directions, &columns)?;
    for j in 0..along.columns() {
        along.column_mut(j).iter_mut().zip(gains).for_each(|(value, gain)| *value *= gain);
    }
    let added = product(directions, &along)?;
    columns
        .values_mut()
        .iter_mut()
        .zip(added.values())
        .for_each(|(value, added)| *value = rest * *value + added);
    Ok(columns)
}

/// The scale of every column.
fn scales(scatter: &Matrix, weight: f64, sizes: &[f64]) -> Vec<f64> {
    (0..scatter.rows()).map(|k| scale_of(scatter[(k, k)], weight, sizes[k])).collect()
}

/// A power of two that brings a sum of squares to between 1 and 4; 0 if the sum is nothing but the rounding of numbers of
/// this size.
fn scale_of(squares: f64, weight: f64, size: f64) -> f64 {
    let rounding = 4.0 * f64::EPSILON * size;
    // Written so that NaN gives 0; the caller's sums are finite.
    if !(squares > weight * rounding * rounding) {
        return 0.0;
    }
    2.0_f64.powi((-0.5 * squares.log2()).ceil() as i32)
}

/// `D S D`, in the lower triangle.
fn scaled_scatter(scatter: &Matrix, scale: &[f64]) -> Result<Matrix> {
    let dim = scale.len();
    let mut scaled = Matrix::zeros(dim, dim)?;
    for j in 0..dim {
        let (from, to) = (&scatter.column(j)[j..], &mut scaled.column_mut(j)[j..]);
        for (k, (to, from)) in to.iter_mut().zip(from).enumerate() {
            *to = (from * scale[j]) * scale[j + k];
        }
    }
    Ok(scaled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scatter(rows: &[[f64; 3]]) -> Matrix {
        let mut scatter = Matrix::zeros(3, 3).unwrap();
        for i in 0..3 {
            for j in 0..=i {
                scatter[(i, j)] = rows.iter().map(|row| row[i] * row[j]).sum();
            }
        }
        scatter
    }

    /// `S x` of a symmetric matrix kept in its lower triangle.
    fn times(scatter: &Matrix, x: &[f64]) -> Vec<f64> {
        (0..3).map(|i| (0..3).map(|j| scatter[(i.max(j), i.min(j))] * x[j]).sum()).collect()
    }

    const ROWS: [[f64; 3]; 4] = [[1.0, 2e-6, -3e5], [0.0, 1e-6, 1e5], [-2.0, 0.0, 2e5], [1.0, -3e-6, 0.0]];

    #[test]
    fn units_do_not_matter_and_all_three_ways_agree() {
        let scatter = scatter(&ROWS);
        let sizes = [2.0, 3e-6, 3e5];
        let expected = [0.5, -2e5, 3e-6];
        let given = times(&scatter, &expected);
        let rows = Matrix::from_rows(&ROWS.concat(), 4, 3).unwrap();
        let ways = [
            Whitening::well_conditioned(&scatter, 4.0, &sizes).unwrap().unwrap(),
            Whitening::of_rows(rows, 4.0, &sizes).unwrap(),
        ];
        for way in ways {
            assert_eq!(way.rank(), 3);
            assert!(way.condition() < 1e3);
            for (found, expected) in way.solve(&given).unwrap().iter().zip(expected) {
                assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{found} and {expected}");
            }
        }
    }

    #[test]
    fn a_singular_scatter_is_inverted_where_it_can_be() {
        // The third column is the sum of the others; a solution that is in the range is found up to the null space.
        let rows = [[1.0, 2.0, 3.0], [0.0, 1.0, 1.0], [-2.0, 0.5, -1.5], [1.0, -3.5, -2.5]];
        let scatter = scatter(&rows);
        let sizes = [2.0, 3.5, 3.0];
        assert!(Whitening::well_conditioned(&scatter, 4.0, &sizes).unwrap().is_none());
        let by_scatter = Whitening::of_scatter(&scatter, 4.0, &sizes).unwrap();
        let by_rows =
            Whitening::of_rows(Matrix::from_rows(&rows.concat(), 4, 3).unwrap(), 4.0, &sizes).unwrap();
        for way in [by_scatter, by_rows] {
            assert_eq!((way.rank(), way.condition()), (2, f64::INFINITY));
            let given = times(&scatter, &[1.0, -1.0, 0.5]);
            let back = times(&scatter, &way.solve(&given).unwrap());
            for (back, given) in back.iter().zip(&given) {
                assert!((back - given).abs() < 1e-12 * 20.0);
            }
        }
    }

    #[test]
    fn shrunk_rows_are_inverted_without_their_matrix() {
        let rows = [[1.0, 2.0, 3.0], [-0.5, 1.0, 1.0]];
        let mut shrunk = scatter(&rows);
        let (share, mean) = (0.3, (0..3).map(|k| shrunk[(k, k)]).sum::<f64>() / 3.0);
        shrunk.values_mut().iter_mut().for_each(|value| *value *= 1.0 - share);
        (0..3).for_each(|k| shrunk[(k, k)] += share * mean);
        let way =
            Whitening::of_shrunk_rows(&Matrix::from_rows(&rows.concat(), 2, 3).unwrap(), share).unwrap();
        assert_eq!(way.rank(), 3);
        let expected = [0.7, -1.2, 0.4];
        for (found, expected) in way.solve(&times(&shrunk, &expected)).unwrap().iter().zip(expected) {
            assert!((found - expected).abs() < 1e-14, "{found} and {expected}");
        }
        let none = Whitening::of_shrunk_rows(&Matrix::zeros(2, 3).unwrap(), share).unwrap();
        assert_eq!((none.rank(), none.solve(&expected).unwrap()), (0, vec![0.0; 3]));
    }

    #[test]
    fn what_does_not_vary_but_for_rounding_has_no_part() {
        let rows = [[1.0, 1e-17, 3.0], [0.0, -1e-17, 1.0], [-2.0, 0.0, -1.5]];
        let way = Whitening::of_scatter(&scatter(&rows), 3.0, &[2.0, 0.3, 3.0]).unwrap();
        assert_eq!(way.rank(), 2);
        assert_eq!(way.solve(&[1.0, 1.0, 1.0]).unwrap()[1], 0.0);
        let none = Whitening::of_scatter(&Matrix::zeros(2, 2).unwrap(), 3.0, &[1.0, 1.0]).unwrap();
        assert_eq!((none.rank(), none.solve(&[1.0, 2.0]).unwrap()), (0, vec![0.0, 0.0]));
    }
}
