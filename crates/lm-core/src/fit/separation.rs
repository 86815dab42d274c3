//! Evidence for and against linear separability, checkable by multiplication.

use super::{Certificate, Discrepancy, Verdict};
use crate::hypothesis::Linear;
use crate::training_set::TrainingSet;
use crate::{BinaryLabels, Error, Examples, Result};

/// The claim that a hyperplane classifies every example correctly with at least this geometric margin.
///
/// ```
/// use lm_core::{BinaryLabels, Certificate, Dense, Linear, Separation, TrainingSet};
///
/// let examples = Dense::new(vec![-2.0, 3.0], 2, 1)?;
/// let labels = BinaryLabels::from_integers(&[-1, 1])?;
/// let set = TrainingSet::new(&examples, &labels)?;
/// let claim = Separation { hyperplane: Linear::new(vec![1.0], -0.5)?, margin: 2.5 };
/// assert!(claim.verify(&set)?.is_valid());
/// assert!(!Separation { margin: 2.6, ..claim }.verify(&set)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Separation {
    /// The hyperplane.
    pub hyperplane: Linear,
    /// The smallest distance from an example to the hyperplane, positive on its own side.
    pub margin: f64,
}

impl<E: Examples + ?Sized> Certificate<TrainingSet<'_, E, BinaryLabels>> for Separation {
    /// Recomputes every distance entry by entry, with a bound on its rounding error, and accepts the margin if no
    /// distance falls short of it by more than that bound.
    fn verify(&self, set: &TrainingSet<'_, E, BinaryLabels>) -> Result<Verdict> {
        let (examples, hyperplane) = (set.examples(), &self.hyperplane);
        examples.check_dim("the weight vector", hyperplane.weights().len())?;
        let norm = hyperplane.norm();
        let invalid = |what, recomputed, row| {
            Ok(Verdict::Invalid(Discrepancy { what, claimed: self.margin, recomputed, row }))
        };
        if !(self.margin > 0.0) {
            return invalid("a margin of a separation, which must be positive,", self.margin, None);
        }
        if !(norm > 0.0) {
            return invalid("the margin of a hyperplane whose weights are all zero", 0.0, None);
        }
        for (row, &sign) in set.labels().signs().iter().enumerate() {
            let (value, error) = checked_decision(examples, row, hyperplane);
            let distance = sign.value() * value / norm;
            // Written so that NaN fails.
            if !(distance + error / norm >= self.margin) {
                return invalid("the margin", distance, Some(row));
            }
        }
        Ok(Verdict::Valid)
    }
}

/// A decision value summed term by term, and a bound on the rounding error of that sum.
fn checked_decision<E: Examples + ?Sized>(examples: &E, row: usize, hyperplane: &Linear) -> (f64, f64) {
    let (mut value, mut size, mut terms) = (hyperplane.bias(), hyperplane.bias().abs(), 2.0);
    examples.row(row).for_each(|k, x| {
        let term = hyperplane.weights()[k] * x;
        value += term;
        size += term.abs();
        terms += 1.0;
    });
    // A sum of n rounded products is within n·ε·Σ|terms| of the truth; twice that covers the norm's own rounding.
    (value, 2.0 * terms * f64::EPSILON * size)
}

/// The claim that no hyperplane separates the examples, with Farkas multipliers as the proof.
///
/// For multipliers `λ ≥ 0` with `Σλ = 1`, let `r = Σ λᵢyᵢxᵢ` and `s = Σ λᵢyᵢ`. A hyperplane with `‖w‖ = 1` and
/// margin `γ` on every example has
///
/// ```text
/// γ = Σ λᵢ γ ≤ Σ λᵢ yᵢ (⟨w·xᵢ⟩ + b) = ⟨w·r⟩ + b s ≤ ‖r‖ + |b| |s| ,
/// ```
///
/// so `r = 0` and `s = 0` prove that no margin is positive; in floating-point arithmetic they prove that none is
/// larger than [`Inseparability::margin_at_most`].
///
/// ```
/// use lm_core::{BinaryLabels, Certificate, Dense, Inseparability, TrainingSet};
///
/// let examples = Dense::new(vec![0.0, 1.0, 2.0], 3, 1)?;
/// let labels = BinaryLabels::from_integers(&[1, -1, 1])?; // −1 lies between two +1
/// let set = TrainingSet::new(&examples, &labels)?;
/// let proof = Inseparability::new(&[0.25, 0.5, 0.25], &set)?;
/// assert_eq!(proof.margin_at_most(), 0.0);
/// assert!(proof.verify(&set)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Inseparability {
    multipliers: Vec<f64>,
    margin_at_most: f64,
}

impl Inseparability {
    /// Scales multipliers to `Σλ = 1` and computes the bound that they prove.
    ///
    /// # Errors
    /// [`Error::Length`] unless there is one multiplier per example, [`Error::Weight`] for one that is negative or
    /// not finite, [`Error::Numerical`] if their sum is not positive and finite.
    pub fn new<E: Examples + ?Sized>(
        multipliers: &[f64],
        set: &TrainingSet<'_, E, BinaryLabels>,
    ) -> Result<Self> {
        if multipliers.len() != set.len() {
            let (expected, found) = (set.len(), multipliers.len());
            return Err(Error::Length { what: "the list of multipliers", expected, found });
        }
        if let Some(row) = multipliers.iter().position(|&value| !(value >= 0.0 && value.is_finite())) {
            return Err(Error::Weight { row, value: multipliers[row], accepted: "a multiplier ≥ 0" });
        }
        let total: f64 = multipliers.iter().sum();
        if !(total > 0.0 && total.is_finite()) {
            return Err(Error::Numerical { what: "the sum of the multipliers" });
        }
        let multipliers: Vec<f64> = multipliers.iter().map(|value| value / total).collect();
        let margin_at_most = bound(&multipliers, set);
        if margin_at_most.is_finite() {
            Ok(Self { multipliers, margin_at_most })
        } else {
            Err(Error::Numerical { what: "the residual of the multipliers" })
        }
    }

    /// The multipliers `λ ≥ 0`, with sum 1.
    pub fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    /// The margin that the multipliers rule out: no hyperplane that cuts through the data has a larger one.
    pub fn margin_at_most(&self) -> f64 {
        self.margin_at_most
    }
}

/// `‖r‖ + R |s|`: a hyperplane that separates both classes has `|b| ≤ R`, the largest norm of an example.
fn bound<E: Examples + ?Sized>(multipliers: &[f64], set: &TrainingSet<'_, E, BinaryLabels>) -> f64 {
    let (examples, signs) = (set.examples(), set.labels().signs());
    let mut residual = vec![0.0; examples.dim()];
    let (mut imbalance, mut radius) = (0.0, 0.0_f64);
    for (row, (&multiplier, sign)) in multipliers.iter().zip(signs).enumerate() {
        examples.add_scaled(row, multiplier * sign.value(), &mut residual);
        imbalance += multiplier * sign.value();
        radius = radius.max(examples.norm_squared(row).sqrt());
    }
    residual.iter().map(|r| r * r).sum::<f64>().sqrt() + radius * f64::abs(imbalance)
}

impl<E: Examples + ?Sized> Certificate<TrainingSet<'_, E, BinaryLabels>> for Inseparability {
    /// Recomputes the bound column by column, in another order of summation than the constructor's.
    fn verify(&self, set: &TrainingSet<'_, E, BinaryLabels>) -> Result<Verdict> {
        let (examples, signs) = (set.examples(), set.labels().signs());
        if self.multipliers.len() != examples.len() {
            let (expected, found) = (examples.len(), self.multipliers.len());
            return Err(Error::Length { what: "the list of multipliers", expected, found });
        }
        let invalid = |what, claimed, recomputed, row| {
            Ok(Verdict::Invalid(Discrepancy { what, claimed, recomputed, row }))
        };
        if let Some(row) = self.multipliers.iter().position(|&value| !(value >= 0.0)) {
            return invalid(
                "a multiplier, which must not be negative,",
                0.0,
                self.multipliers[row],
                Some(row),
            );
        }
        let rounding = f64::EPSILON * (examples.len() as f64 + 2.0);
        let total: f64 = self.multipliers.iter().rev().sum();
        if !((total - 1.0).abs() <= rounding) {
            return invalid("the sum of the multipliers", 1.0, total, None);
        }
        let (mut residual, mut size) = (vec![0.0; examples.dim()], vec![0.0; examples.dim()]);
        let (mut imbalance, mut radius) = (0.0_f64, 0.0_f64);
        for (row, sign) in signs.iter().enumerate().rev() {
            let coefficient = self.multipliers[row] * sign.value();
            let mut norm = 0.0_f64;
            examples.row(row).for_each(|k, x| {
                residual[k] += coefficient * x;
                size[k] += (coefficient * x).abs();
                norm = norm.hypot(x);
            });
            imbalance += coefficient;
            radius = radius.max(norm);
        }
        let norm = |values: &[f64]| values.iter().fold(0.0_f64, |norm, &value| norm.hypot(value));
        let recomputed = norm(&residual) + radius * imbalance.abs();
        let allowed = 4.0 * rounding * (norm(&size) + radius);
        if recomputed <= self.margin_at_most + allowed {
            Ok(Verdict::Valid)
        } else {
            invalid("the margin that is ruled out", self.margin_at_most, recomputed, None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dense;

    #[test]
    fn forged_multipliers_are_found_out() {
        let examples = Dense::new(vec![0.0, 1.0, 2.0], 3, 1).unwrap();
        let labels = BinaryLabels::from_integers(&[1, -1, 1]).unwrap();
        let set = TrainingSet::new(&examples, &labels).unwrap();
        let honest = Inseparability::new(&[1.0, 2.0, 1.0], &set).unwrap();
        assert!(honest.verify(&set).unwrap().is_valid());
        for multipliers in [vec![0.5, 0.5, 0.0], vec![0.25, 0.5, 0.35], vec![0.75, 0.5, -0.25]] {
            let forged = Inseparability { multipliers, margin_at_most: 0.0 };
            assert!(!forged.verify(&set).unwrap().is_valid());
        }
        let separable = BinaryLabels::from_integers(&[-1, -1, 1]).unwrap();
        let other = TrainingSet::new(&examples, &separable).unwrap();
        assert!(!honest.verify(&other).unwrap().is_valid());
    }

    #[test]
    fn a_separation_must_hold_for_every_example() {
        let examples = Dense::new(vec![-2.0, 3.0, 1.0], 3, 1).unwrap();
        let labels = BinaryLabels::from_integers(&[-1, 1, 1]).unwrap();
        let set = TrainingSet::new(&examples, &labels).unwrap();
        let claim = |w: f64, b, margin| Separation { hyperplane: Linear::new(vec![w], b).unwrap(), margin };
        assert!(claim(4.0, 2.0, 1.5).verify(&set).unwrap().is_valid());
        assert!(!claim(4.0, 4.0, 1.5).verify(&set).unwrap().is_valid());
        assert!(!claim(-1.0, 0.0, 0.1).verify(&set).unwrap().is_valid());
        assert!(!claim(0.0, 1.0, 0.1).verify(&set).unwrap().is_valid());
        assert!(!claim(1.0, 0.0, 0.0).verify(&set).unwrap().is_valid());
        assert!(!claim(1.0, 0.0, f64::NAN).verify(&set).unwrap().is_valid());
    }
}
