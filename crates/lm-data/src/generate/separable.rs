//! Separable data whose margin and radius are guaranteed.
//!
//! # Problem
//! ```text
//! yᵢ (⟨w·xᵢ⟩ + b) / ‖w‖ ≥ γ   and   ‖xᵢ‖ ≤ R   for every i
//! ```
//! for the numbers as they are stored, in exact arithmetic.
//! # Method
//! Draw the height of a point along `w`, then a point of the ball that the sphere of radius `R` cuts out at that
//! height. Points are drawn for a margin and a radius a little stricter than asked for, and each is checked with a
//! bound on the rounding error of the check itself, so that the inequalities hold exactly.
//! # Cost
//! `O(d)` a point; the stricter sizes make a second draw the exception.

use lm_core::{BinaryLabels, Dense, Error, Linear, Result, Sign};

use super::{alternating, check_at_least, room};
use crate::Labelled;
use crate::random::Random;

/// What separable data is asked for: its size, dimension, margin, radius and bias.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeparableSettings {
    len: usize,
    dim: usize,
    margin: f64,
    radius: f64,
    bias: f64,
}

impl Default for SeparableSettings {
    fn default() -> Self {
        Self { len: 100, dim: 2, margin: 0.1, radius: 1.0, bias: 0.0 }
    }
}

impl SeparableSettings {
    /// The number of examples, at least 2. Default 100. As many are positive as negative, up to one.
    #[must_use]
    pub fn with_len(self, len: usize) -> Self {
        Self { len, ..self }
    }

    /// The dimension, at least 1. Default 2.
    #[must_use]
    pub fn with_dim(self, dim: usize) -> Self {
        Self { dim, ..self }
    }

    /// The distance γ > 0 that every example keeps from the hyperplane. Default 0.1. With the bias it must leave
    /// room on both sides: γ + |b| ≤ 0.999 R.
    #[must_use]
    pub fn with_margin(self, margin: f64) -> Self {
        Self { margin, ..self }
    }

    /// The radius R > 0 of the ball around the origin that holds all examples, from 10⁻¹⁰⁰ to 10¹⁰⁰. Default 1.
    #[must_use]
    pub fn with_radius(self, radius: f64) -> Self {
        Self { radius, ..self }
    }

    /// The bias b of the hyperplane, whose weight vector has length 1. Default 0.
    #[must_use]
    pub fn with_bias(self, bias: f64) -> Self {
        Self { bias, ..self }
    }

    fn validate(&self) -> Result<()> {
        check_at_least("len", self.len, 2, "2 or more examples")?;
        check_at_least("dim", self.dim, 1, "a dimension of 1 or more")?;
        let (radius, margin, bias) = (self.radius, self.margin, self.bias);
        if !(1e-100..=1e100).contains(&radius) {
            return Err(Error::Setting {
                name: "radius",
                value: radius,
                accepted: "a number from 1e-100 to 1e100",
            });
        }
        if !bias.is_finite() {
            return Err(Error::Setting { name: "bias", value: bias, accepted: "a finite number" });
        }
        // A margin far below the rounding error of the check could not be guaranteed.
        if !(margin >= 1e-6 * radius && margin + bias.abs() <= 0.999 * radius) {
            let accepted = "a number of at least 1e-6 · radius, with margin + |bias| ≤ 0.999 · radius";
            return Err(Error::Setting { name: "margin", value: margin, accepted });
        }
        Ok(())
    }
}

/// Separable data and the hyperplane that separates it.
#[derive(Debug, Clone, PartialEq)]
pub struct Separable {
    /// The examples and their labels.
    pub data: Labelled<Dense<'static>, BinaryLabels>,
    /// A hyperplane that keeps the margin; its weight vector has length 1 up to rounding.
    pub hyperplane: Linear,
    /// The distance γ that every example keeps from it, at least.
    pub margin: f64,
    /// The radius R that no example exceeds.
    pub radius: f64,
}

/// Draws separable data. Its largest margin is at least the one asked for; its radius is at most the one asked for.
///
/// ```
/// use lm_core::{Collection, Examples};
/// use lm_data::generate::{SeparableSettings, separable};
///
/// let settings = SeparableSettings::default().with_margin(0.2).with_radius(3.0).with_bias(-1.0);
/// let made = separable(&settings, 7)?;
/// for (row, y) in made.data.labels.values().into_iter().enumerate() {
///     let f = made.data.examples.dot(row, made.hyperplane.weights()) + made.hyperplane.bias();
///     assert!(y * f >= 0.2 && made.data.examples.norm_squared(row) <= 9.0);
/// }
/// assert_eq!(made.data.examples.len(), 100);
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`] for a setting outside its domain.
pub fn separable(settings: &SeparableSettings, seed: u64) -> Result<Separable> {
    settings.validate()?;
    let SeparableSettings { len, dim, margin, radius, bias } = *settings;
    let mut values = room(len, dim)?;
    let mut random = Random::new(seed);
    let w = direction(&mut random, dim, None);
    let mut signs: Vec<Sign> = (0..len).map(alternating).collect();
    random.shuffle(&mut signs);
    for sign in &signs {
        values.extend(point(&mut random, settings, &w, sign.value())?);
    }
    let data = Labelled { examples: Dense::new(values, len, dim)?, labels: BinaryLabels::new(signs)? };
    Ok(Separable { data, hyperplane: Linear::new(w, bias)?, margin, radius })
}

/// One point on the side `y`.
fn point(random: &mut Random, settings: &SeparableSettings, w: &[f64], y: f64) -> Result<Vec<f64>> {
    const STRICTER: f64 = 1e-9;
    const DRAWS: usize = 1000;
    let (low, high) =
        (settings.margin * (1.0 + STRICTER) - y * settings.bias, settings.radius * (1.0 - STRICTER));
    for _ in 0..DRAWS {
        // The signed distance from the origin along y·w lies between what the margin and what the radius allow.
        let height = random.between(low.max(-high), high);
        let across = (high * high - height * height).max(0.0).sqrt();
        let mut x: Vec<f64> = w.iter().map(|w| y * height * w).collect();
        if w.len() > 1 {
            let length = across * random.unit().powf(1.0 / (w.len() - 1) as f64);
            direction(random, w.len(), Some(w)).iter().zip(&mut x).for_each(|(u, x)| *x += length * u);
        }
        if holds(&x, settings, w, y) {
            return Ok(x);
        }
    }
    Err(Error::Numerical { what: "a point with this margin and radius" })
}

/// Whether margin and radius hold exactly, allowing for the rounding errors of this very check.
fn holds(x: &[f64], settings: &SeparableSettings, w: &[f64], y: f64) -> bool {
    // Sums of d products in any order are off by at most about d ε Σ|…|; the factor 2 covers products and bias.
    let slack = 2.0 * (x.len() + 3) as f64 * f64::EPSILON;
    let (mut dot, mut size, mut squares, mut norm) = (0.0, settings.bias.abs(), 0.0, 0.0);
    for (x, w) in x.iter().zip(w) {
        dot += w * x;
        size += (w * x).abs();
        squares += x * x;
        norm += w * w;
    }
    let margin = y * (dot + settings.bias) - slack * size;
    // ‖w‖ is 1 up to rounding; dividing by more than it could be gives no margin away.
    let longest = (norm * (1.0 + slack)).sqrt() * (1.0 + f64::EPSILON);
    margin >= settings.margin * longest.max(1.0)
        && squares * (1.0 + slack) <= settings.radius * settings.radius * (1.0 - f64::EPSILON)
}

/// A random unit vector, orthogonal to another one if asked.
fn direction(random: &mut Random, dim: usize, orthogonal_to: Option<&[f64]>) -> Vec<f64> {
    loop {
        let mut u: Vec<f64> = (0..dim).map(|_| random.normal()).collect();
        if let Some(w) = orthogonal_to {
            // Twice, since one projection leaves a rounding error along w.
            for _ in 0..2 {
                let along: f64 = u.iter().zip(w).map(|(u, w)| u * w).sum();
                u.iter_mut().zip(w).for_each(|(u, w)| *u -= along * w);
            }
        }
        let norm = u.iter().map(|u| u * u).sum::<f64>().sqrt();
        // A vector this short has lost its direction to rounding; it is drawn about never.
        if norm > 1e-8 {
            u.iter_mut().for_each(|u| *u /= norm);
            return u;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::Collection;

    /// Exact comparison is out of reach of f64, so the test asks for a margin in double-double arithmetic.
    fn two_sum((high, low): (f64, f64), x: f64) -> (f64, f64) {
        let sum = high + x;
        let part = sum - high;
        (sum, low + (high - (sum - part)) + (x - part))
    }

    #[test]
    fn margin_and_radius_hold_beyond_rounding() {
        for seed in 0..60 {
            let dim = [1, 2, 3, 10, 200][seed as usize % 5];
            let (margin, bias) = [(0.01, 0.5), (0.6, -0.3), (1e-4, 0.0)][seed as usize % 3];
            let radius = [1.0, 1e-3, 1e6][seed as usize / 3 % 3];
            let settings = SeparableSettings::default()
                .with_len(51)
                .with_dim(dim)
                .with_margin(margin * radius)
                .with_radius(radius)
                .with_bias(bias * radius);
            let made = separable(&settings, seed).unwrap();
            assert_eq!(made.data.examples.len(), 51);
            for (row, y) in made.data.labels.values().into_iter().enumerate() {
                let x = made.data.examples.slice(row);
                let (mut f, mut squares) = ((made.hyperplane.bias(), 0.0), (0.0, 0.0));
                for (x, w) in x.iter().zip(made.hyperplane.weights()) {
                    for (sum, a, b) in [(&mut f, *x, *w), (&mut squares, *x, *x)] {
                        let product = a * b;
                        *sum = two_sum(*sum, product);
                        *sum = two_sum(*sum, a.mul_add(b, -product));
                    }
                }
                assert!(y * (f.0 + f.1) >= made.margin, "seed {seed}, row {row}");
                assert!(squares.0 + squares.1 <= radius * radius, "seed {seed}, row {row}");
            }
        }
    }

    #[test]
    fn impossible_sizes_are_refused() {
        let settings = SeparableSettings::default();
        for bad in [
            settings.with_margin(1.0),
            settings.with_margin(0.0),
            settings.with_margin(f64::NAN),
            settings.with_bias(0.95),
            settings.with_bias(f64::NAN),
            settings.with_radius(f64::INFINITY),
            settings.with_radius(-1.0),
            settings.with_len(1),
            settings.with_dim(0),
        ] {
            assert!(matches!(separable(&bad, 0), Err(Error::Setting { .. })), "{bad:?}");
        }
    }
}
