//! The smallest ball that encloses the examples, in the space of a Gram matrix.
//!
//! # Problem
//! ```text
//! minimise maxᵢ ‖xᵢ − c‖²   over centres c = Σ βᵢxᵢ ,
//! whose dual is to maximise  Σ βᵢKᵢᵢ − βᵗKβ   over β ≥ 0 with Σ βᵢ = 1 .
//! ```
//! # Method
//! Weight moves from the example of those that carry some that is nearest to the centre to the example that is farthest, by the
//! step that gains most of the dual value; so pairs of Frank and Wolfe's method, which converge linearly. The largest
//! distance and the dual value enclose the squared radius.
//! # Cost
//! Two rows of the Gram matrix a step, which is kept in memory.
//! # Reference
//! Bădoiu & Clarkson (2003); Yıldırım (2008); Lacoste-Julien & Jaggi (2015).

use lm_core::double_double::dot;
use lm_core::{Budget, Collection, Error, Gram, MatrixGram, Precision, Result};

use crate::outward::Enclosed;

/// A ball that encloses all examples, and how much smaller one could be.
#[derive(Debug, Clone, PartialEq)]
pub struct EnclosingBall {
    /// `β`: the centre is `Σ βᵢxᵢ`. The weights are 0 or more, and their sum is 1 up to rounding.
    pub weights: Vec<f64>,
    /// The radius of a ball around that centre that encloses every example, rounded up.
    pub radius: f64,
    /// No ball of a smaller radius encloses every example: the root of the dual value, rounded down.
    pub no_less_than: f64,
    /// The steps that were made.
    pub steps: u64,
}

impl EnclosingBall {
    /// By how much the radius may be above the least one, relative.
    pub fn gap(&self) -> f64 {
        if self.radius == 0.0 { 0.0 } else { self.radius / self.no_less_than - 1.0 }
    }

    /// Both ends of the radius once more, from the weights alone and the rows of a Gram matrix.
    ///
    /// # Errors
    /// [`Error::Length`] for a Gram matrix of another size, [`Error::Numerical`] for weights that are not those of a centre, and what
    /// computing rows gives.
    pub fn recomputed<G: Gram + ?Sized>(&self, gram: &G) -> Result<(f64, f64)> {
        let len = gram.len();
        if self.weights.len() != len {
            return Err(Error::Length { what: "the weights of the centre", expected: len, found: self.weights.len() });
        }
        let mut row = vec![0.0; len];
        let diagonal = gram.diagonal()?;
        enclosure(&self.weights, &diagonal, gram.error_bound(Precision::F64), |i| {
            gram.fill(&[i], lm_core::Columns::All, &mut row)?;
            Ok(dot(&row, &self.weights))
        })
    }
}

/// Finds the smallest ball, up to a relative gap of its squared radius.
///
/// ```
/// use lm_bounds::radius::{enclosing_ball, largest_norm};
/// use lm_core::{Dense, VectorGram, VectorKernel};
///
/// // Far from the origin the ball around the origin is a poor radius.
/// let examples = Dense::new(vec![10.0, 1.0, 10.0, -1.0, 11.0, 0.0, 10.5, 0.0], 4, 2)?;
/// let gram = VectorGram::new(&examples, VectorKernel::linear())?;
/// let ball = enclosing_ball(&gram, 1e-9)?;
/// assert!((ball.radius - 1.0).abs() < 1e-8 && largest_norm(&gram)? > 10.0);
/// assert!(ball.no_less_than <= ball.radius);
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`] unless the gap is a number between 0 and 1, [`Error::Numerical`] for a matrix that is not one of inner
/// products, and what computing it gives.
pub fn enclosing_ball<G: Gram + ?Sized>(gram: &G, gap: f64) -> Result<EnclosingBall> {
    if !(gap > 0.0 && gap < 1.0) {
        return Err(Error::Setting { name: "gap", value: gap, accepted: "a number between 0 and 1, both excluded" });
    }
    let error = gram.error_bound(Precision::F64);
    let gram = MatrixGram::computed(gram, &Budget::default())?;
    let mut state = State::new(&gram)?;
    let most = 1000 * gram.len() as u64 + 100_000;
    let mut steps = 0;
    while steps < most && state.step(gap) {
        steps += 1;
        if steps % 4096 == 0 {
            state.refresh();
        }
    }
    let weights = state.weights;
    let (no_less_than, radius) =
        enclosure(&weights, &state.diagonal, error, |i| Ok(dot(gram.row(i), &weights)))?;
    Ok(EnclosingBall { weights, radius, no_less_than, steps })
}

/// The centre and the distances to it.
struct State<'a> {
    gram: &'a MatrixGram<'a>,
    diagonal: Vec<f64>,
    weights: Vec<f64>,
    /// `(Kβ)ᵢ`.
    products: Vec<f64>,
}

impl<'a> State<'a> {
    /// Starts at the middle between the first example and the one that is farthest from it.
    fn new(gram: &'a MatrixGram<'a>) -> Result<Self> {
        let (diagonal, len) = (gram.diagonal()?, gram.len());
        let distance = |i: usize| diagonal[0] + diagonal[i] - 2.0 * gram.row(0)[i];
        let far = (0..len).max_by(|&a, &b| distance(a).total_cmp(&distance(b))).unwrap_or(0);
        let mut weights = vec![0.0; len];
        weights[0] = 0.5;
        weights[far] += 0.5;
        let mut state = Self { gram, diagonal, weights, products: vec![0.0; len] };
        state.refresh();
        Ok(state)
    }

    /// Sums the products anew, without the roundings of the steps.
    fn refresh(&mut self) {
        for (i, product) in self.products.iter_mut().enumerate() {
            *product = dot(self.gram.row(i), &self.weights).value();
        }
    }

    /// Moves weight to the farthest example; false if there is little to gain.
    fn step(&mut self, gap: f64) -> bool {
        // ‖xᵢ − c‖² but for a constant.
        let distance = |i: usize| self.diagonal[i] - 2.0 * self.products[i];
        let (mut far, mut near) = (0, None);
        for i in 0..self.weights.len() {
            if distance(i) > distance(far) {
                far = i;
            }
            if self.weights[i] > 0.0 && near.is_none_or(|near| distance(i) < distance(near)) {
                near = Some(i);
            }
        }
        let Some(near) = near else { return false };
        let square: f64 = self.weights.iter().zip(&self.products).map(|(weight, product)| weight * product).sum();
        let largest = distance(far) + square;
        let gain = distance(far) - distance(near);
        // The gap is at most the largest distance less the least one that carries weight.
        if !(gain > gap * largest) || near == far {
            return false;
        }
        let (row_far, row_near) = (self.gram.row(far), self.gram.row(near));
        let curvature = self.diagonal[far] + self.diagonal[near] - 2.0 * row_far[near];
        let wanted = 0.5 * gain / curvature;
        let amount = if wanted > 0.0 { wanted.min(self.weights[near]) } else { self.weights[near] };
        self.weights[far] += amount;
        self.weights[near] = (self.weights[near] - amount).max(0.0);
        for (product, (a, b)) in self.products.iter_mut().zip(row_far.iter().zip(row_near)) {
            *product += amount * (a - b);
        }
        true
    }
}

/// Both ends of the least radius, with every rounding counted: the dual value from below, the largest distance from above.
fn enclosure(
    weights: &[f64],
    diagonal: &[f64],
    error: f64,
    mut product: impl FnMut(usize) -> Result<lm_core::double_double::DoubleDouble>,
) -> Result<(f64, f64)> {
    let sum: Enclosed = weights.iter().map(|&weight| Enclosed::from(weight)).sum();
    if weights.iter().any(|&weight| !(weight >= 0.0)) || !sum.is_positive() {
        return Err(Error::Numerical { what: "the centre of a ball: its weights are not those of a mean" });
    }
    let largest = diagonal.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let total = sum.at_most();
    let row_error = total * (error + largest * 1e-26);
    let (mut linear, mut square) = (Enclosed::ZERO, Enclosed::ZERO);
    let mut distances = Vec::with_capacity(weights.len());
    for (i, (&weight, &value)) in weights.iter().zip(diagonal).enumerate() {
        let exact = product(i)?;
        let mean = (Enclosed::from(exact.hi) + Enclosed::within(exact.lo, row_error)) / sum;
        let norm = Enclosed::within(value, error);
        linear = linear + norm * weight;
        square = square + mean * weight;
        distances.push(norm - mean.scaled(1));
    }
    let (linear, square) = (linear / sum, square / sum);
    let farthest = distances.into_iter().fold(f64::NEG_INFINITY, |far, d| far.max((d + square).at_most()));
    if !farthest.is_finite() || farthest < 0.0 {
        return Err(Error::Numerical { what: "the radius of a ball: the matrix is not one of inner products" });
    }
    let dual = (linear - square).max(Enclosed::ZERO);
    Ok((dual.sqrt().at_least().max(0.0), Enclosed::from(farthest).sqrt().at_most()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::{Dense, VectorGram, VectorKernel};

    fn points(seed: u64, len: usize, dim: usize) -> Dense<'static> {
        let mut state = seed;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        Dense::new((0..len * dim).map(|_| random() + 5.0).collect(), len, dim).unwrap()
    }

    #[test]
    fn the_ball_of_a_simplex_is_known() {
        // Unit vectors of n axes: the centre is their mean, the squared radius 1 − 1/n.
        for n in [2_usize, 3, 10, 40] {
            let mut values = vec![0.0; n * n];
            (0..n).for_each(|i| values[i * n + i] = 1.0);
            let ball = enclosing_ball(&MatrixGram::precomputed(values, n).unwrap(), 1e-12).unwrap();
            let truth = (1.0 - 1.0 / n as f64).sqrt();
            assert!(ball.no_less_than <= truth && truth <= ball.radius && ball.gap() < 1e-11, "{n}: {ball:?}");
        }
    }

    #[test]
    fn the_ball_encloses_every_example_and_recomputes_to_the_same_ends() {
        for (seed, kernel) in
            [(1, VectorKernel::linear()), (2, VectorKernel::gaussian(2.0).unwrap()), (3, VectorKernel::linear())]
        {
            let examples = points(seed, 80, 3);
            let gram = VectorGram::new(&examples, kernel).unwrap();
            let ball = enclosing_ball(&gram, 1e-10).unwrap();
            assert!(ball.gap() < 1e-9, "{}", ball.gap());
            assert_eq!(ball.recomputed(&gram).unwrap(), (ball.no_less_than, ball.radius));
            assert!(ball.radius <= super::super::largest_norm(&gram).unwrap() * (1.0 + 1e-9));
            if seed != 2 {
                let centre: Vec<f64> = (0..3)
                    .map(|k| ball.weights.iter().enumerate().map(|(i, w)| w * examples.slice(i)[k]).sum())
                    .collect();
                for i in 0..80 {
                    let square: f64 = examples.slice(i).iter().zip(&centre).map(|(x, c)| (x - c).powi(2)).sum();
                    assert!(square.sqrt() <= ball.radius * (1.0 + 1e-12));
                }
            }
        }
    }

    #[test]
    fn one_point_or_many_at_one_place_have_no_radius() {
        for len in [1, 5] {
            let gram = MatrixGram::precomputed(vec![4.0; len * len], len).unwrap();
            let ball = enclosing_ball(&gram, 1e-9).unwrap();
            assert!(ball.radius < 1e-7 && ball.no_less_than == 0.0, "{ball:?}");
        }
    }

    #[test]
    fn a_matrix_that_is_none_of_inner_products_ends_all_the_same() {
        let gram = MatrixGram::precomputed(vec![1.0, 3.0, 3.0, 1.0], 2).unwrap();
        let ball = enclosing_ball(&gram, 1e-9);
        assert!(ball.is_err() || ball.is_ok_and(|ball| ball.radius.is_finite()));
        assert!(enclosing_ball(&MatrixGram::precomputed(vec![1.0], 1).unwrap(), f64::NAN).is_err());
    }
}
