//! The criteria of linear discriminants: sums over sign-normalised, augmented samples.
//!
//! ```text
//! m = aᵗy,  y = ±(1, x)                        summed over          at the kink
//!   error count                  1             m ≤ 0                derivatives 0
//!   perceptron                   −m            m ≤ 0                gradient −y at m = 0
//!   squared (relaxation)         m²            m ≤ 0                curvature 2 at m = 0
//!   relaxation with margin b     ½(m − b)²/‖y‖²  m ≤ b              curvature 1/‖y‖² at m = b
//!   squared error with margin b  (m − b)²      all samples          none
//! ```
//!
//! A sample on the kink counts as one to be corrected, as it does in the procedures. A weight counts as that many
//! copies.
//!
//! Reference: Duda, Hart & Stork (2001), sections 5.5, 5.6 and 5.8.

use lm_core::{BinaryLabels, Error, Examples, Linear, Result, Sign, TrainingSet};

use crate::Bias;
use crate::augmented::Augmented;
use crate::criterion::Criterion;

/// What one sample contributes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    ErrorCount,
    Perceptron,
    Squared,
    Relaxation(f64),
    SquaredError(f64),
}

/// A criterion over the samples of a training set, to be minimised or drawn.
///
/// Its vector is `a = (w₀, w)` with a bias, `a = w` without one; [`SampleCriterion::hyperplane`] reads it back.
///
/// ```
/// use lm_core::{BinaryLabels, Dense, Hypothesis, TrainingSet};
/// use lm_online::{Bias, Criterion, Newton, SampleCriterion};
///
/// let examples = Dense::new(vec![0.0, 1.0, 3.0, 5.0], 4, 1)?;
/// let labels = BinaryLabels::from_integers(&[-1, -1, 1, 1])?;
/// let set = TrainingSet::new(&examples, &labels)?;
/// let errors = SampleCriterion::error_count(&set, Bias::Standard);
/// assert_eq!(errors.value(&[-2.0, 0.0]), 2.0); // g(x) = −2: the two positive ones
///
/// let squares = SampleCriterion::squared_error(&set, Bias::Standard, 1.0)?;
/// let fit = Newton::default().minimise(&squares, &[0.0, 0.0])?.converged()?;
/// assert_eq!(squares.hyperplane(&fit.model)?.signs(&examples)?, labels.signs());
/// # Ok::<(), lm_core::Error>(())
/// ```
pub struct SampleCriterion<'a, E: ?Sized> {
    set: TrainingSet<'a, E, BinaryLabels>,
    samples: Augmented<'a, E>,
    form: Form,
}

impl<'a, E: Examples + ?Sized> SampleCriterion<'a, E> {
    fn new(set: &TrainingSet<'a, E, BinaryLabels>, bias: Bias, form: Form) -> Self {
        Self { set: *set, samples: Augmented::new(set.examples(), bias, |row| set.weight(row)), form }
    }

    /// `J`: the number of samples with `aᵗy ≤ 0`. It is constant almost everywhere, which no descent can use.
    pub fn error_count(set: &TrainingSet<'a, E, BinaryLabels>, bias: Bias) -> Self {
        Self::new(set, bias, Form::ErrorCount)
    }

    /// `J_p = Σ −aᵗy` over the samples with `aᵗy ≤ 0`: piecewise linear.
    pub fn perceptron(set: &TrainingSet<'a, E, BinaryLabels>, bias: Bias) -> Self {
        Self::new(set, bias, Form::Perceptron)
    }

    /// `J_q = Σ (aᵗy)²` over the samples with `aᵗy ≤ 0`: its gradient is continuous.
    pub fn squared(set: &TrainingSet<'a, E, BinaryLabels>, bias: Bias) -> Self {
        Self::new(set, bias, Form::Squared)
    }

    /// `J_r = ½ Σ (aᵗy − b)²/‖y‖²` over the samples with `aᵗy ≤ b`. A sample `y = 0` has no such term and is left out.
    ///
    /// # Errors
    /// [`Error::Setting`] unless the margin `b` is finite and not negative.
    pub fn relaxation(set: &TrainingSet<'a, E, BinaryLabels>, bias: Bias, margin: f64) -> Result<Self> {
        checked_margin(margin).map(|()| Self::new(set, bias, Form::Relaxation(margin)))
    }

    /// `J_s = Σ (aᵗy − b)²` over all samples: a quadratic function.
    ///
    /// # Errors
    /// [`Error::Setting`] unless the margin `b` is finite and not negative.
    pub fn squared_error(set: &TrainingSet<'a, E, BinaryLabels>, bias: Bias, margin: f64) -> Result<Self> {
        checked_margin(margin).map(|()| Self::new(set, bias, Form::SquaredError(margin)))
    }

    /// The linear function that belongs to a vector `a`.
    ///
    /// # Errors
    /// [`Error::Length`] unless `a` has one entry per weight; as [`Linear::new`].
    pub fn hyperplane(&self, a: &[f64]) -> Result<Linear> {
        if a.len() != self.dim() {
            let (expected, found) = (self.dim(), a.len());
            return Err(Error::Length { what: "the vector of the criterion", expected, found });
        }
        self.samples.hyperplane(a)
    }

    fn sign(&self, row: usize) -> Sign {
        self.set.labels().signs()[row]
    }

    /// `⟨a·y⟩`, the sign of the sample included.
    fn margin(&self, row: usize, a: &[f64]) -> f64 {
        self.sign(row).value() * self.samples.dot(row, a)
    }

    /// Value, first and second derivative of a sample's term in its margin `m`, its weight included.
    fn term(&self, row: usize, m: f64) -> (f64, f64, f64) {
        // The negation keeps a margin that is not a number, so that the learner finds it.
        let corrected = |b: f64| !(m > b);
        let (value, slope, curvature) = match self.form {
            Form::ErrorCount if corrected(0.0) => (1.0, 0.0, 0.0),
            Form::Perceptron if corrected(0.0) => (-m, -1.0, 0.0),
            Form::Squared if corrected(0.0) => (m * m, 2.0 * m, 2.0),
            Form::Relaxation(b) if corrected(b) => match self.samples.norm_squared(row) {
                0.0 => (0.0, 0.0, 0.0),
                norm => (0.5 * (m - b) * ((m - b) / norm), (m - b) / norm, 1.0 / norm),
            },
            Form::SquaredError(b) => ((m - b) * (m - b), 2.0 * (m - b), 2.0),
            _ => (0.0, 0.0, 0.0),
        };
        let weight = self.set.weight(row);
        // A weight of 0 means absent, whatever the term.
        if weight == 0.0 { (0.0, 0.0, 0.0) } else { (weight * value, weight * slope, weight * curvature) }
    }
}

fn checked_margin(margin: f64) -> Result<()> {
    if margin >= 0.0 && margin.is_finite() {
        Ok(())
    } else {
        Err(Error::Setting { name: "margin", value: margin, accepted: "a finite number ≥ 0" })
    }
}

impl<E: Examples + ?Sized> Criterion for SampleCriterion<'_, E> {
    fn dim(&self) -> usize {
        self.samples.dim()
    }

    fn value(&self, a: &[f64]) -> f64 {
        let mut total = 0.0;
        self.samples.for_each_score(a, |row, score| {
            total += self.term(row, self.sign(row).value() * score).0;
        });
        total
    }

    fn gradient(&self, a: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        self.samples.for_each_score(a, |row, score| {
            let sign = self.sign(row).value();
            let slope = self.term(row, sign * score).1;
            if slope != 0.0 {
                self.samples.add_scaled(row, sign * slope, out);
            }
        });
    }

    fn hessian(&self, a: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let dim = self.dim();
        for row in 0..self.set.len() {
            let curvature = self.term(row, self.margin(row, a)).2;
            if curvature != 0.0 {
                // The sign of the sample occurs twice.
                self.samples.for_each_entry(row, |k, y| {
                    self.samples.add_scaled(row, curvature * y, &mut out[k * dim..(k + 1) * dim]);
                });
            }
        }
    }

    fn hessian_along(&self, a: &[f64], direction: &[f64]) -> Result<f64> {
        let mut total = 0.0;
        self.samples.for_each_score(a, |row, score| {
            let curvature = self.term(row, self.sign(row).value() * score).2;
            if curvature != 0.0 {
                let along = self.samples.dot(row, direction);
                total += curvature * along * along;
            }
        });
        Ok(total)
    }
}

impl<E: Examples + ?Sized> std::fmt::Debug for SampleCriterion<'_, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SampleCriterion").field("form", &self.form).field("samples", &self.set.len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::criterion::dot;
    use lm_core::testing::SplitMix64;
    use lm_core::{Dense, Weights};

    fn all<'a>(
        set: &TrainingSet<'a, Dense<'static>, BinaryLabels>,
        bias: Bias,
    ) -> Vec<SampleCriterion<'a, Dense<'static>>> {
        vec![
            SampleCriterion::error_count(set, bias),
            SampleCriterion::perceptron(set, bias),
            SampleCriterion::squared(set, bias),
            SampleCriterion::relaxation(set, bias, 0.5).unwrap(),
            SampleCriterion::squared_error(set, bias, 0.5).unwrap(),
        ]
    }

    #[test]
    fn derivatives_are_those_that_differences_show() {
        for seed in 0..20 {
            let mut random = SplitMix64::new(seed);
            let values: Vec<f64> = (0..24).map(|_| random.uniform(-1.0, 1.0)).collect();
            let examples = Dense::new(values, 8, 3).unwrap();
            let labels = BinaryLabels::from_integers(&[0, 1, 0, 1, 1, 0, 1, 0]).unwrap();
            let weights = Weights::new((0..8).map(|k| f64::from(k % 3)).collect()).unwrap();
            let set = TrainingSet::new(&examples, &labels).unwrap().with_weights(&weights).unwrap();
            for bias in [Bias::Radius, Bias::Standard, Bias::None] {
                for criterion in all(&set, bias) {
                    let dim = criterion.dim();
                    let a: Vec<f64> = (0..dim).map(|_| random.uniform(-1.0, 1.0)).collect();
                    check(&criterion, &a, seed);
                }
            }
        }
    }

    /// Central differences, at a point that is not within their step of a kink.
    fn check(criterion: &SampleCriterion<'_, Dense<'static>>, a: &[f64], seed: u64) {
        const STEP: f64 = 1e-5;
        let dim = criterion.dim();
        let near = |row: usize| {
            let m = criterion.margin(row, a);
            m.abs() < 1e-3 || (m - 0.5).abs() < 1e-3
        };
        if (0..criterion.set.len()).any(near) {
            return;
        }
        let (mut gradient, mut hessian) = (vec![0.0; dim], vec![0.0; dim * dim]);
        criterion.gradient(a, &mut gradient);
        criterion.hessian(a, &mut hessian);
        let moved = |k: usize, by: f64| {
            let mut a = a.to_vec();
            a[k] += by;
            a
        };
        for k in 0..dim {
            let difference =
                (criterion.value(&moved(k, STEP)) - criterion.value(&moved(k, -STEP))) / (2.0 * STEP);
            assert!((difference - gradient[k]).abs() < 1e-8, "seed {seed}, {criterion:?}: ∂{k}");
            let (mut up, mut down) = (vec![0.0; dim], vec![0.0; dim]);
            criterion.gradient(&moved(k, STEP), &mut up);
            criterion.gradient(&moved(k, -STEP), &mut down);
            for j in 0..dim {
                let difference = (up[j] - down[j]) / (2.0 * STEP);
                assert!(
                    (difference - hessian[k * dim + j]).abs() < 1e-8,
                    "seed {seed}, {criterion:?}: ∂{k}∂{j}"
                );
            }
        }
        let along = criterion.hessian_along(a, &gradient).unwrap();
        let rows =
            hessian.chunks_exact(dim).zip(&gradient).map(|(row, g)| g * dot(row, &gradient)).sum::<f64>();
        assert!((along - rows).abs() <= 1e-10 * (1.0 + rows.abs()), "seed {seed}, {criterion:?}");
    }

    #[test]
    fn at_a_kink_a_sample_counts_as_one_to_be_corrected() {
        let examples = Dense::new(vec![2.0, -2.0], 2, 1).unwrap();
        let labels = BinaryLabels::from_integers(&[1, -1]).unwrap();
        let set = TrainingSet::new(&examples, &labels).unwrap();
        let (mut gradient, mut hessian) = ([0.0], [0.0]);
        for (criterion, a, expected) in [
            (SampleCriterion::error_count(&set, Bias::None), 0.0, (2.0, 0.0, 0.0)),
            (SampleCriterion::perceptron(&set, Bias::None), 0.0, (0.0, -4.0, 0.0)),
            (SampleCriterion::squared(&set, Bias::None), 0.0, (0.0, 0.0, 16.0)),
            (SampleCriterion::relaxation(&set, Bias::None, 1.0).unwrap(), 0.5, (0.0, 0.0, 2.0)),
        ] {
            criterion.gradient(&[a], &mut gradient);
            criterion.hessian(&[a], &mut hessian);
            assert_eq!((criterion.value(&[a]), gradient[0], hessian[0]), expected, "{criterion:?}");
        }
    }

    #[test]
    fn a_weight_is_a_number_of_copies_and_margins_are_checked() {
        let once = Dense::new(vec![1.0, -2.0], 2, 1).unwrap();
        let labels = BinaryLabels::from_integers(&[-1, 1]).unwrap();
        let weights = Weights::new(vec![3.0, 1.0]).unwrap();
        let set = TrainingSet::new(&once, &labels).unwrap().with_weights(&weights).unwrap();
        let copies = Dense::new(vec![1.0, 1.0, 1.0, -2.0], 4, 1).unwrap();
        let many = BinaryLabels::from_integers(&[-1, -1, -1, 1]).unwrap();
        let repeated = TrainingSet::new(&copies, &many).unwrap();
        for (a, b) in all(&set, Bias::Standard).iter().zip(&all(&repeated, Bias::Standard)) {
            assert_eq!(a.value(&[0.25, 0.5]), b.value(&[0.25, 0.5]));
        }
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            let refused = SampleCriterion::relaxation(&set, Bias::None, bad).err();
            assert!(matches!(refused, Some(Error::Setting { name: "margin", .. })));
            assert!(SampleCriterion::squared_error(&set, Bias::None, bad).is_err());
        }
        assert!(all(&set, Bias::Standard)[0].hyperplane(&[1.0]).is_err());
    }
}
