//! Quadratic discriminants: their matrix form, and the surface on which they are zero.
//!
//! The matrix of a quadratic form tells positive, negative and neither by its eigenvalues. Leading principal minors do
//! not: those of `diag(0, −1)` are 0 and 0, none negative, and yet the form is negative along the second axis. Nor is
//! the surface of a negative definite form a hyperboloid: `−x² − y² + 1 = 0` is a circle. A surface is decided here by
//! eigenvalues, and by the value at its centre.

use super::monomials::Monomials;
use crate::{Error, Result, eigen};

/// `g(x) = xᵗAx + xᵗb + c`, with `A` symmetric.
///
/// ```
/// use lm_core::basis::{Definiteness, Quadratic, Surface};
///
/// let g = Quadratic::new(vec![2.0, 1.0, 1.0, 4.0], vec![1.0, 2.0], -3.0)?;
/// assert_eq!((g.value(&[0.0, -1.0])?, g.value(&[1.0, 1.0])?), (-1.0, 8.0));
/// assert_eq!(g.weights(), [2.0, 2.0, 4.0, 1.0, 2.0, -3.0]); // of x₁², x₁x₂, x₂², x₁, x₂, 1
/// let shape = g.shape(1e-12)?;
/// assert_eq!(shape.definiteness, Definiteness::Positive);
/// assert_eq!(shape.surface, Surface::Hyperellipsoid);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Quadratic {
    matrix: Vec<f64>,
    linear: Vec<f64>,
    constant: f64,
}

/// The signs of the values of a quadratic form `xᵗAx`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Definiteness {
    /// Positive for all `x ≠ 0`.
    Positive,
    /// Never negative, but 0 for some `x ≠ 0`.
    PositiveSemi,
    /// Negative for all `x ≠ 0`.
    Negative,
    /// Never positive, but 0 for some `x ≠ 0`.
    NegativeSemi,
    /// Positive for some `x` and negative for others.
    Indefinite,
    /// 0 for all `x`.
    Zero,
}

/// The set on which a quadratic function is zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// All points at one distance from the centre.
    Hypersphere,
    /// An ellipsoid whose axes are not all equal.
    Hyperellipsoid,
    /// A hyperboloid: `A` is indefinite and regular, the centre is not on the surface.
    Hyperhyperboloid,
    /// A cone with its tip in the centre, or its product with a flat: in two variables a pair of crossing lines.
    Cone,
    /// A paraboloid, or its product with a flat: a direction in which only the linear term counts.
    Paraboloid,
    /// The product of a lower-dimensional ellipsoid or hyperboloid with a flat, such as two parallel hyperplanes.
    Cylinder,
    /// A flat of lower dimension, such as the line `x² = 0` in the plane.
    Flat,
    /// A single point: `A` is definite, and the function is zero in the centre.
    Point,
    /// A hyperplane: `A` is zero.
    Hyperplane,
    /// Nothing: the function has one sign everywhere.
    Empty,
    /// Everything: the function is zero.
    Everything,
}

/// What a quadratic function looks like in its own axes.
#[derive(Debug, Clone, PartialEq)]
pub struct QuadraticShape {
    /// The eigenvalues of `A`, in increasing order.
    pub eigenvalues: Vec<f64>,
    /// The direction of the axis that belongs to each eigenvalue, of length 1.
    pub axes: Vec<Vec<f64>>,
    /// The point at which the gradient is zero, the one nearest to the origin if there are several; none for a
    /// paraboloid or a hyperplane.
    pub centre: Option<Vec<f64>>,
    /// `g(centre)`, where there is one.
    pub value_at_centre: Option<f64>,
    /// The signs of the quadratic form.
    pub definiteness: Definiteness,
    /// The set on which the function is zero.
    pub surface: Surface,
}

impl QuadraticShape {
    /// Half the length of the surface along an axis, `√(−g(centre)/λ)`: the semi-axis of an ellipsoid, the distance
    /// of a hyperboloid's vertices. None along an axis that the surface does not cut twice.
    pub fn semi_axis(&self, axis: usize) -> Option<f64> {
        let square = -self.value_at_centre? / self.eigenvalues.get(axis)?;
        (square > 0.0 && square.is_finite()).then(|| square.sqrt())
    }
}

impl Quadratic {
    /// A quadratic function. Only the symmetric part of the matrix, given row after row, has a meaning and is kept.
    ///
    /// # Errors
    /// [`Error::Empty`] for dimension 0, [`Error::Length`] unless the matrix has as many rows and columns as `linear`
    /// has entries, [`Error::NonFinite`] or [`Error::Numerical`] if a number is not finite.
    pub fn new(matrix: Vec<f64>, linear: Vec<f64>, constant: f64) -> Result<Self> {
        let n = linear.len();
        if n == 0 {
            return Err(Error::Empty { what: "the set of variables" });
        }
        if n.checked_mul(n) != Some(matrix.len()) {
            let expected = n.saturating_mul(n);
            return Err(Error::Length {
                what: "the matrix of the quadratic form",
                expected,
                found: matrix.len(),
            });
        }
        if let Some(at) = matrix.iter().position(|value| !value.is_finite()) {
            return Err(Error::NonFinite { what: "matrix entry", row: at / n, column: Some(at % n) });
        }
        if let Some(row) = linear.iter().position(|value| !value.is_finite()) {
            return Err(Error::NonFinite { what: "coefficient", row, column: None });
        }
        if !constant.is_finite() {
            return Err(Error::Numerical { what: "the constant" });
        }
        let mut quadratic = Self { matrix, linear, constant };
        for i in 0..n {
            for j in i + 1..n {
                let mean = 0.5 * quadratic.matrix[i * n + j] + 0.5 * quadratic.matrix[j * n + i];
                (quadratic.matrix[i * n + j], quadratic.matrix[j * n + i]) = (mean, mean);
            }
        }
        Ok(quadratic)
    }

    /// The function whose weights belong to the monomials of degree 2, 1 and 0, in the order of
    /// [`Monomials::up_to`]: `x₁², x₁x₂, …, xₙ², x₁, …, xₙ, 1`.
    ///
    /// # Errors
    /// [`Error::Length`] unless there are `(n+1)(n+2)/2` weights, and as [`Quadratic::new`].
    pub fn from_weights(weights: &[f64], variables: usize) -> Result<Self> {
        let monomials = Monomials::up_to(variables, 2)?;
        if weights.len() != monomials.len() {
            let (expected, found) = (monomials.len(), weights.len());
            return Err(Error::Length { what: "the list of weights", expected, found });
        }
        let n = variables;
        let (mut matrix, mut linear, mut constant) = (vec![0.0; n * n], vec![0.0; n], 0.0);
        for (term, &weight) in monomials.terms().zip(weights) {
            match *term {
                // The symmetric part halves the weight of a mixed term.
                [i, j] => matrix[i as usize * n + j as usize] = weight,
                [i] => linear[i as usize] = weight,
                _ => constant = weight,
            }
        }
        Self::new(matrix, linear, constant)
    }

    /// The weights of the monomials, in the order of [`Quadratic::from_weights`].
    pub fn weights(&self) -> Vec<f64> {
        let n = self.dim();
        let mut weights = Vec::with_capacity((n + 1) * (n + 2) / 2);
        for i in 0..n {
            for j in i..n {
                let entry = self.matrix[i * n + j];
                weights.push(if i == j { entry } else { 2.0 * entry });
            }
        }
        weights.extend_from_slice(&self.linear);
        weights.push(self.constant);
        weights
    }

    /// The number of variables.
    pub fn dim(&self) -> usize {
        self.linear.len()
    }

    /// The symmetric matrix `A`, row after row.
    pub fn matrix(&self) -> &[f64] {
        &self.matrix
    }

    /// The vector `b`.
    pub fn linear(&self) -> &[f64] {
        &self.linear
    }

    /// The number `c`.
    pub fn constant(&self) -> f64 {
        self.constant
    }

    /// `g(x)`.
    ///
    /// # Errors
    /// [`Error::Length`] for another dimension, [`Error::NonFinite`] for an entry that is not finite,
    /// [`Error::Numerical`] if the value overflows.
    pub fn value(&self, x: &[f64]) -> Result<f64> {
        if x.len() != self.dim() {
            return Err(Error::Length { what: "the example", expected: self.dim(), found: x.len() });
        }
        if let Some(column) = x.iter().position(|value| !value.is_finite()) {
            return Err(Error::NonFinite { what: "example", row: 0, column: Some(column) });
        }
        let rows = self.matrix.chunks_exact(self.dim());
        let form: f64 = rows.zip(x).map(|(row, xi)| xi * dot(row, x)).sum();
        let value = form + dot(&self.linear, x) + self.constant;
        if value.is_finite() { Ok(value) } else { Err(Error::Numerical { what: "the quadratic function" }) }
    }

    /// The determinants of the leading 1×1, 2×2, …, n×n blocks of `A`. They decide whether `A` is positive or negative
    /// *definite* (all positive; or alternating, the first negative), and nothing about semi-definite matrices.
    pub fn leading_minors(&self) -> Vec<f64> {
        (1..=self.dim()).map(|size| determinant(&self.matrix, self.dim(), size)).collect()
    }

    /// Eigenvalues, axes, centre and surface. An eigenvalue counts as 0 if it is at most `tolerance` times the largest
    /// one in absolute value, and the other decisions are relative in the same way.
    ///
    /// # Errors
    /// [`Error::Setting`] unless `0 ≤ tolerance < 1`, [`Error::Numerical`] if the eigenvalues or the centre cannot be
    /// computed.
    pub fn shape(&self, tolerance: f64) -> Result<QuadraticShape> {
        if !(0.0..1.0).contains(&tolerance) {
            let accepted = "a number from 0 up to, but not including, 1";
            return Err(Error::Setting { name: "tolerance", value: tolerance, accepted });
        }
        let eigen = eigen::symmetric(&self.matrix, self.dim())?;
        let largest = eigen.values.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        let zero = |value: f64| value.abs() <= tolerance * largest || value == 0.0;
        let signs = (
            eigen.values.iter().filter(|&&value| !zero(value) && value > 0.0).count(),
            eigen.values.iter().filter(|&&value| !zero(value) && value < 0.0).count(),
        );
        // In the axes of A: g = Σ λₖuₖ² + βₖuₖ + c, completed to Σ λₖ(uₖ + βₖ/2λₖ)² + c − Σ βₖ²/4λₖ.
        let beta: Vec<f64> = eigen.vectors.iter().map(|axis| dot(axis, &self.linear)).collect();
        let slope = beta.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        let straight =
            (0..self.dim()).any(|k| zero(eigen.values[k]) && !(beta[k].abs() <= tolerance * slope));
        let (mut centre, mut value, mut size) = (vec![0.0; self.dim()], self.constant, self.constant.abs());
        for k in (0..self.dim()).filter(|&k| !zero(eigen.values[k])) {
            let shift = -0.5 * beta[k] / eigen.values[k];
            value += 0.5 * beta[k] * shift;
            size += (0.5 * beta[k] * shift).abs();
            centre.iter_mut().zip(&eigen.vectors[k]).for_each(|(centre, axis)| *centre += shift * axis);
        }
        if !size.is_finite() || centre.iter().any(|value| !value.is_finite()) {
            return Err(Error::Numerical { what: "the centre of the quadratic surface" });
        }
        if value.abs() <= tolerance * size {
            value = 0.0;
        }
        let equal = eigen.values.iter().all(|value| zero(value - eigen.values[0]));
        Ok(QuadraticShape {
            definiteness: definiteness(signs, self.dim()),
            surface: surface(signs, self.dim(), straight, value, equal),
            centre: (!straight).then_some(centre),
            value_at_centre: (!straight).then_some(value),
            eigenvalues: eigen.values,
            axes: eigen.vectors,
        })
    }
}

/// The kind of form with this many positive and negative eigenvalues.
fn definiteness((positive, negative): (usize, usize), n: usize) -> Definiteness {
    match (positive, negative) {
        (0, 0) => Definiteness::Zero,
        (p, 0) if p == n => Definiteness::Positive,
        (0, q) if q == n => Definiteness::Negative,
        (_, 0) => Definiteness::PositiveSemi,
        (0, _) => Definiteness::NegativeSemi,
        _ => Definiteness::Indefinite,
    }
}

/// The surface of a function with this many positive and negative eigenvalues; `straight` if it is linear and not
/// constant along an axis, `value` its value in the centre otherwise, `equal` if all eigenvalues are.
fn surface(
    (positive, negative): (usize, usize),
    n: usize,
    straight: bool,
    value: f64,
    equal: bool,
) -> Surface {
    let rank = positive + negative;
    if rank == 0 {
        return match (straight, value == 0.0) {
            (true, _) => Surface::Hyperplane,
            (false, true) => Surface::Everything,
            (false, false) => Surface::Empty,
        };
    }
    if straight {
        return Surface::Paraboloid;
    }
    if positive > 0 && negative > 0 {
        return match (value == 0.0, rank == n) {
            (true, _) => Surface::Cone,
            (false, true) => Surface::Hyperhyperboloid,
            (false, false) => Surface::Cylinder,
        };
    }
    // Σ λₖuₖ² = −value with all λ of one sign.
    if value == 0.0 {
        return if rank == n { Surface::Point } else { Surface::Flat };
    }
    if (value < 0.0) != (positive > 0) {
        return Surface::Empty;
    }
    match (rank == n, equal) {
        (false, _) => Surface::Cylinder,
        (true, true) => Surface::Hypersphere,
        (true, false) => Surface::Hyperellipsoid,
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The determinant of the leading block, by elimination with row exchanges.
fn determinant(matrix: &[f64], n: usize, size: usize) -> f64 {
    let mut rows: Vec<Vec<f64>> = (0..size).map(|i| matrix[i * n..i * n + size].to_vec()).collect();
    let mut determinant = 1.0;
    for step in 0..size {
        let largest = (step..size).max_by(|&i, &j| rows[i][step].abs().total_cmp(&rows[j][step].abs()));
        let pivot_row = largest.unwrap_or(step);
        let pivot = rows[pivot_row][step];
        if pivot == 0.0 {
            return 0.0;
        }
        if pivot_row != step {
            rows.swap(pivot_row, step);
            determinant = -determinant;
        }
        determinant *= pivot;
        let (done, rest) = rows.split_at_mut(step + 1);
        for row in rest {
            let factor = row[step] / pivot;
            row.iter_mut().zip(&done[step]).skip(step).for_each(|(value, own)| *value -= factor * own);
        }
    }
    determinant
}
