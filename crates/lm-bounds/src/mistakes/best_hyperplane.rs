//! The hyperplane, margin and slack for which the bound of Freund and Schapire is least.
//!
//! # Problem
//! With `u = w/γ` and `c = b/γ` the root of the bound `(2(R + D)/γ)²` is twice
//!
//! ```text
//! minimise  R‖u‖ + ‖ξ‖₂ ,   ξᵢ = max(0, 1 − yᵢ(⟨u·xᵢ⟩ + c))
//! ```
//!
//! a convex problem, whose dual says that no hyperplane does better than
//!
//! ```text
//! maximise  Σαᵢ   over α ≥ 0 with Σαᵢyᵢ = 0, ‖Σαᵢyᵢxᵢ‖ ≤ R and ‖α‖₂ ≤ 1 .
//! ```
//! # Method
//! For a ridge `λ` the 2-norm machine, `½αᵗ(Q + λI)α − Σα` by pairs of examples, gives `u`, `ξ = λα`, and by scaling `α` a point of
//! the dual problem. The ridge of the solution has `R‖α‖ = ‖u‖`: it is found on a logarithmic scale, from the step
//! `λ ← λ·R‖α‖/‖u‖`, by the rule of false position once two ridges lie on both sides. The run ends at a small gap between both problems,
//! whatever the ridge is.
//! # Cost
//! The Gram matrix in memory, and about ten machines, each from the one before.
//! # Reference
//! Freund & Schapire (1999); Cristianini & Shawe-Taylor (2000), Theorem 2.7; Fan, Chen & Lin (2005) for the choice of pairs.

use lm_core::double_double::dot;
use lm_core::{BinaryLabels, Budget, Collection, Error, Gram, MatrixGram, Precision, Result};

use crate::outward::Enclosed;
use crate::radius;

/// The gap between both problems at which the search ends, relative.
const GAP: f64 = 1e-9;

/// Ridges that are tried.
const RIDGES: u32 = 60;

/// A hyperplane in the space of a Gram matrix, its bound, and what no hyperplane can be below.
#[derive(Debug, Clone, PartialEq)]
pub struct BestHyperplane {
    /// `vᵢ = αᵢyᵢ`: the weights are `u = Σ vᵢxᵢ`.
    pub coefficients: Vec<f64>,
    /// `c`, the bias that belongs to `u`.
    pub bias: f64,
    /// `‖u‖ = 1/γ`, rounded up.
    pub norm: f64,
    /// `‖ξ‖ = D/γ`, rounded up.
    pub hinge: f64,
    /// `R`, rounded up.
    pub radius: f64,
    /// `(2(R + D)/γ)²` of this hyperplane, rounded up.
    pub bound: f64,
    /// What the dual problem says of all hyperplanes and margins: none has a smaller bound. Computed in `f64`, not rounded
    /// outward.
    pub no_less_than: f64,
}

impl BestHyperplane {
    /// `γ`, infinite for the function that is constant.
    pub fn margin(&self) -> f64 {
        1.0 / self.norm
    }

    /// `D`, for the hyperplane with `‖w‖ = 1`.
    pub fn slack(&self) -> f64 {
        self.hinge / self.norm
    }

    /// By how much the bound may be above the least one, relative.
    pub fn gap(&self) -> f64 {
        self.bound / self.no_less_than - 1.0
    }
}

/// Finds the hyperplane of the least bound. The gap that was reached is in the answer. Binary labels are of both classes, as the
/// theorem asks for.
///
/// ```
/// use lm_bounds::mistakes::best_hyperplane;
/// use lm_core::{BinaryLabels, Dense, VectorGram, VectorKernel};
///
/// // Four points of one attribute, of which the last has the wrong label.
/// let examples = Dense::new(vec![-1.0, -0.5, 0.5, 1.0, -0.9], 5, 1)?;
/// let labels = BinaryLabels::from_integers(&[-1, -1, 1, 1, 1])?;
/// let best = best_hyperplane::find(&VectorGram::new(&examples, VectorKernel::linear())?, &labels)?;
/// assert!(best.gap() < 1e-6);
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Length`] unless there is one label per example, [`Error::Numerical`] if all examples are 0 or values leave the range of numbers, and what computing the Gram matrix gives.
pub fn find<G: Gram + ?Sized>(gram: &G, labels: &BinaryLabels) -> Result<BestHyperplane> {
    let len = gram.len();
    if labels.len() != len {
        return Err(Error::Length { what: "the list of labels", expected: len, found: labels.len() });
    }
    let y = labels.values();
    let error = gram.error_bound(Precision::F64);
    let gram = MatrixGram::computed(gram, &Budget::default())?;
    let radius = radius::of_diagonal(&gram.diagonal()?, error)?;
    if !(radius > 0.0) {
        return Err(Error::Numerical { what: "a bound for examples that are all 0" });
    }
    let mut machine = Machine::new(&gram, &y, radius * radius)?;
    let mut best: Option<BestHyperplane> = None;
    // The side of the solution on which a ridge lies: ln(R‖α‖/‖u‖) at ln λ.
    let (mut low, mut high): (Option<(f64, f64)>, Option<(f64, f64)>) = (None, None);
    let mut place = (radius * radius).ln();
    for round in 0..RIDGES {
        machine.solve(place.exp());
        let (norm, size) = machine.lengths();
        let found = machine.hyperplane(radius, error, norm, size)?;
        let no_less_than = best.as_ref().map_or(0.0, |best| best.no_less_than).max(found.no_less_than);
        let better = best.as_ref().is_none_or(|best| found.bound < best.bound);
        best = if better { Some(found) } else { best };
        if let Some(best) = &mut best {
            best.no_less_than = no_less_than;
            if best.gap() <= GAP {
                break;
            }
        }
        let side = (radius * size / norm).ln().clamp(-20.0, 20.0);
        if side > 0.0 { low = Some((place, side)) } else { high = Some((place, side)) }
        place = match (low, high) {
            (Some((a, at_a)), Some((b, at_b))) if round % 3 != 2 => a + (b - a) * at_a / (at_a - at_b),
            (Some((a, _)), Some((b, _))) => 0.5 * (a + b),
            // Longer and longer steps while the solution is on one side.
            _ => place + side * f64::from(1 + round),
        };
        if !(place.abs() < 600.0) {
            break;
        }
    }
    best.ok_or(Error::Numerical { what: "the best hyperplane" })
}

/// The 2-norm machine with its multipliers and gradient.
struct Machine<'a> {
    gram: &'a MatrixGram<'a>,
    y: &'a [f64],
    alpha: Vec<f64>,
    /// `(Kv)ᵢ` for `v = αy`.
    scores: Vec<f64>,
    diagonal: Vec<f64>,
    /// A kernel value that counts as large.
    size: f64,
    ridge: f64,
    bias: f64,
}

impl<'a> Machine<'a> {
    fn new(gram: &'a MatrixGram<'a>, y: &'a [f64], size: f64) -> Result<Self> {
        let len = y.len();
        let (alpha, scores) = (vec![0.0; len], vec![0.0; len]);
        Ok(Self { gram, y, alpha, scores, diagonal: gram.diagonal()?, size, ridge: size, bias: 0.0 })
    }

    /// Minimises over pairs until no pair of examples violates the optimality conditions by much.
    fn solve(&mut self, ridge: f64) {
        const TOLERANCE: f64 = 1e-10;
        self.ridge = ridge;
        for _ in 0..200 * self.y.len() + 20_000 {
            let Some((i, up, j, low)) = self.pair() else { return };
            self.bias = 0.5 * (up + low);
            if up - low <= TOLERANCE {
                return;
            }
            self.step(i, j, up);
        }
    }

    /// `−yᵢ·Gᵢ`, with the gradient `G = Qα + λα − 1`.
    fn slope(&self, i: usize) -> f64 {
        self.y[i] * (1.0 - self.ridge * self.alpha[i]) - self.scores[i]
    }

    /// The most violating pair: the first by its slope, the second by what moving both gains. The answer also has the largest
    /// slope of those that can move up and the least of those that can move down.
    fn pair(&self) -> Option<(usize, f64, usize, f64)> {
        let (mut i, mut up) = (None, f64::NEG_INFINITY);
        for k in 0..self.y.len() {
            let slope = self.slope(k);
            if (self.y[k] > 0.0 || self.alpha[k] > 0.0) && slope > up {
                (i, up) = (Some(k), slope);
            }
        }
        let i = i?;
        let row = self.gram.row(i);
        let (mut j, mut low, mut most) = (None, f64::INFINITY, f64::NEG_INFINITY);
        for k in 0..self.y.len() {
            if !(self.y[k] < 0.0 || self.alpha[k] > 0.0) || k == i {
                continue;
            }
            let slope = self.slope(k);
            low = low.min(slope);
            let gain = (up - slope).max(0.0).powi(2) / self.curvature(i, k, row[k]);
            if gain > most {
                (j, most) = (Some(k), gain);
            }
        }
        Some((i, up, j?, low))
    }

    fn curvature(&self, i: usize, j: usize, value: f64) -> f64 {
        (self.diagonal[i] + self.diagonal[j] - 2.0 * value).max(1e-14 * self.size) + 2.0 * self.ridge
    }

    /// Moves `yᵢαᵢ` up and `yⱼαⱼ` down by the same amount.
    fn step(&mut self, i: usize, j: usize, up: f64) {
        let gram = self.gram;
        let (row_i, row_j) = (gram.row(i), gram.row(j));
        let mut amount = (up - self.slope(j)) / self.curvature(i, j, row_i[j]);
        if self.y[i] < 0.0 {
            amount = amount.min(self.alpha[i]);
        }
        if self.y[j] > 0.0 {
            amount = amount.min(self.alpha[j]);
        }
        self.alpha[i] = (self.alpha[i] + self.y[i] * amount).max(0.0);
        self.alpha[j] = (self.alpha[j] - self.y[j] * amount).max(0.0);
        self.scores.iter_mut().zip(row_i).zip(row_j).for_each(|((score, a), b)| *score += amount * (a - b));
    }

    /// `‖u‖` and `‖α‖`.
    fn lengths(&self) -> (f64, f64) {
        let pairs = self.alpha.iter().zip(self.y).zip(&self.scores);
        let square: f64 = pairs.map(|((alpha, y), score)| alpha * y * score).sum();
        let size: f64 = self.alpha.iter().map(|alpha| alpha * alpha).sum();
        (square.max(0.0).sqrt(), size.sqrt())
    }

    /// The bound of the present hyperplane, with every rounding counted, and that of the dual problem.
    fn hyperplane(&self, radius: f64, error: f64, norm: f64, size: f64) -> Result<BestHyperplane> {
        let coefficients: Vec<f64> = self.alpha.iter().zip(self.y).map(|(alpha, y)| alpha * y).collect();
        let sum: Enclosed = self.alpha.iter().map(|&alpha| Enclosed::from(alpha)).sum();
        // A score may be off by the errors of the kernel values and by what double-double sums leave.
        let total = sum.at_most();
        let row_error = error * total + total * self.size * 1e-26;
        let (mut square, mut hinge) = (Enclosed::ZERO, Enclosed::ZERO);
        for (row, (&v, &y)) in coefficients.iter().zip(self.y).enumerate() {
            let exact = dot(self.gram.row(row), &coefficients);
            let score = Enclosed::from(exact.hi) + Enclosed::within(exact.lo, row_error);
            square = square + score * v;
            let short = Enclosed::from(1.0) - (score + self.bias) * y;
            if short.at_most() > 0.0 {
                hinge = hinge + short.squared();
            }
        }
        let (length, hinge) = (square.max(Enclosed::ZERO).sqrt(), hinge.sqrt());
        let root = length * radius + hinge;
        let bound = root.scaled(1).squared().at_most();
        let shrink = (radius / norm).min(1.0 / size);
        let dual = if shrink.is_finite() { 4.0 * (shrink * sum.nearest()).powi(2) } else { 0.0 };
        if !bound.is_finite() {
            return Err(Error::Numerical { what: "the bound of the best hyperplane" });
        }
        Ok(BestHyperplane {
            coefficients,
            bias: self.bias,
            norm: length.at_most(),
            hinge: hinge.at_most(),
            radius,
            bound,
            no_less_than: dual,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mistakes::freund_schapire::best_margin;
    use lm_core::{Dense, VectorGram, VectorKernel};

    fn cloud(seed: u64, len: usize) -> (Dense<'static>, BinaryLabels) {
        let mut state = seed;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let mut values = Vec::new();
        let mut labels = Vec::new();
        for k in 0..len {
            let side = if k % 2 == 0 { 0.3 } else { -0.3 };
            values.extend([random() + side, random() - 0.5 * side]);
            labels.push(k as i64 % 2);
        }
        (Dense::new(values, len, 2).unwrap(), BinaryLabels::from_integers(&labels).unwrap())
    }

    #[test]
    fn no_hyperplane_of_a_grid_has_a_smaller_bound() {
        for seed in 1..12 {
            let (examples, labels) = cloud(seed, 30);
            let best = find(&VectorGram::new(&examples, VectorKernel::linear()).unwrap(), &labels).unwrap();
            assert!(best.gap() < 1e-6 && best.gap() > -1e-9, "seed {seed}: {best:?}");
            let mut least = f64::INFINITY;
            for angle in 0..60 {
                let (s, c) = (f64::from(angle) * std::f64::consts::TAU / 60.0).sin_cos();
                for offset in -10..=10 {
                    let margins: Vec<f64> = (0..30)
                        .map(|row| {
                            let x = examples.slice(row);
                            labels.values()[row] * (c * x[0] + s * x[1] + 0.1 * f64::from(offset))
                        })
                        .collect();
                    least = least.min(best_margin(best.radius, &margins).unwrap().bound);
                }
            }
            assert!(best.bound <= least, "seed {seed}: {} and {least}", best.bound);
        }
    }

    #[test]
    fn examples_without_a_radius_are_refused() {
        let zeros = Dense::new(vec![0.0, 0.0], 2, 1).unwrap();
        let labels = BinaryLabels::from_integers(&[1, -1]).unwrap();
        let gram = VectorGram::new(&zeros, VectorKernel::linear()).unwrap();
        assert!(matches!(find(&gram, &labels), Err(Error::Numerical { .. })));
    }
}
