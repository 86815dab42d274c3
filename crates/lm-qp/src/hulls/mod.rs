//! The nearest points of the convex hulls of two classes: the geometry behind the largest margin.
//!
//! ```text
//! minimise ‖p − q‖   over p = Σ λᵢxᵢ (positive examples), q = Σ λᵢxᵢ (negative examples), λ ≥ 0 with sum 1 on either side
//! ```
//! Their distance is `2γ`, twice the largest margin, and the hyperplane halfway between them, across the line through them, has it.

mod active_set;
mod exact;

use lm_core::{
    BinaryLabels, Budget, Certificate, Collection, Control, Discrepancy, Error, Examples, Linear, Meter,
    Report, Result, Sign, Stop, TrainingSet, Verdict,
};

pub(crate) use self::active_set::Nearest;
pub(crate) use self::exact::{ExactNearest, nearest as nearest_exactly};
use crate::exact::{ExactExamples, Integer, Rational};
use crate::separability::{combined, ends, half_root, present, squares};

/// Rounds of the search; only a run that gets nowhere needs as many.
const ITERATIONS: u64 = 1_000_000;

/// The relative gap at which the search in floating-point arithmetic ends.
const GAP: f64 = 1e-13;

/// Up to as many numbers the search works on a dense copy from which the first example is taken away.
const DENSE: usize = 1 << 24;

/// The most kept examples for which the points are then computed exactly.
pub(crate) const MOST_KEPT: usize = 48;

/// The longest integer of an exact computation in bits, unless the examples themselves need longer ones.
pub(crate) fn most_bits(examples: &ExactExamples) -> u64 {
    examples.scale().bits().saturating_mul(64).max(1 << 18)
}

/// The search in floating-point arithmetic.
pub(crate) fn search(
    examples: &ExactExamples,
    signs: &[Sign],
    present: &[usize],
    meter: &mut Meter<'_>,
) -> Result<Nearest> {
    if examples.len().saturating_mul(examples.dim()) <= DENSE {
        active_set::nearest(&examples.differences(meter.budget())?, signs, present, GAP, meter)
    } else {
        active_set::nearest(&examples.approximate()?, signs, present, GAP, meter)
    }
}

/// The nearest points of the convex hulls of two classes, with the combinations that they are and bounds on their distance.
#[derive(Debug, Clone, PartialEq)]
pub struct NearestPoints {
    multipliers: Vec<f64>,
    positive: Vec<f64>,
    negative: Vec<f64>,
    distance: f64,
    distance_at_least: f64,
    report: Report,
}

impl NearestPoints {
    /// The weight of each example in the point of its class, 1 in sum on either side.
    pub fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    /// The point of the hull of the positive examples.
    pub fn positive(&self) -> &[f64] {
        &self.positive
    }

    /// The point of the hull of the negative examples.
    pub fn negative(&self) -> &[f64] {
        &self.negative
    }

    /// The distance of the two points, rounded up: `2γ` for the largest margin `γ`.
    pub fn distance(&self) -> f64 {
        self.distance
    }

    /// The hulls are at least this far from each other: the width of the strip across the line through the points that no example
    /// enters. It is not above [`NearestPoints::distance`], and the same up to rounding once the search has converged.
    pub fn distance_at_least(&self) -> f64 {
        self.distance_at_least
    }

    /// How the search went: [`Stop::Converged`], [`Stop::Infeasible`] where the hulls meet, or why it ended before.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The hyperplane halfway between the points, 1 at the positive and −1 at the negative one.
    ///
    /// # Errors
    /// [`Error::Numerical`] if the points coincide, or are too near or too far for the weights to be stored.
    pub fn hyperplane(&self) -> Result<Linear> {
        let w: Vec<f64> = self.positive.iter().zip(&self.negative).map(|(p, q)| p - q).collect();
        // Scaled in two steps, so that no square is out of range.
        let length = Linear::new(w.clone(), 0.0)?.norm();
        if !(length > 0.0 && length.is_finite()) {
            return Err(Error::Numerical { what: "the hyperplane between two points" });
        }
        let unit: Vec<f64> = w.iter().map(|w| w / length).collect();
        let middle: f64 = unit
            .iter()
            .zip(self.positive.iter().zip(&self.negative))
            .map(|(u, (p, q))| u * (0.5 * p + 0.5 * q))
            .sum();
        let canonical = 2.0 / length;
        Linear::new(unit.iter().map(|u| canonical * u).collect(), -canonical * middle)
    }
}

/// Finds the nearest points of the convex hulls of two classes.
///
/// ```
/// use lm_core::{BinaryLabels, Certificate, Dense, TrainingSet};
/// use lm_qp::nearest_points;
///
/// let examples = Dense::new(vec![0.0, 0.0, 2.0, -1.0, 2.0, 3.0], 3, 2)?;
/// let labels = BinaryLabels::from_integers(&[-1, 1, 1])?;
/// let found = nearest_points(&examples, &labels)?;
/// assert_eq!(found.positive(), [2.0, 0.0]); // ¾ of (2, −1) and ¼ of (2, 3)
/// assert_eq!(found.multipliers(), [1.0, 0.75, 0.25]);
/// assert!((found.distance() - 2.0).abs() < 1e-14 && found.distance() - found.distance_at_least() < 1e-14);
/// assert!(found.verify(&TrainingSet::new(&examples, &labels)?)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Length`] if there are not as many labels as examples, [`Error::Numerical`] if a distance is out of range.
pub fn nearest_points<E: Examples + ?Sized>(examples: &E, labels: &BinaryLabels) -> Result<NearestPoints> {
    nearest_points_with(&TrainingSet::new(examples, labels)?, &Control::default())
}

/// As [`nearest_points`], within a budget. An example of weight 0 is absent; other weights do not matter.
///
/// Points that no more than 48 examples determine are computed exactly and then rounded.
///
/// # Errors
/// As [`nearest_points`], and [`Error::Memory`] if the exact copy of the examples does not fit into the budget.
pub fn nearest_points_with<E: Examples + ?Sized>(
    set: &TrainingSet<'_, E, BinaryLabels>,
    control: &Control<'_>,
) -> Result<NearestPoints> {
    let examples = ExactExamples::new(set.examples(), control.budget())?;
    let (signs, rows) = (set.labels().signs(), present(set));
    let mut meter = control.start(ITERATIONS);
    let guess = search(&examples, signs, &rows, &mut meter)?;
    let mut stop = guess.stop;
    let mut kept = rationals(&guess.kept, signs)?;
    if matches!(stop, Stop::Converged | Stop::Stalled | Stop::Infeasible) && kept.len() <= MOST_KEPT {
        let bits = most_bits(&examples);
        match nearest_exactly(&examples, signs, &rows, &guess.kept, bits, &mut meter)? {
            ExactNearest::Found { kept: exact, v, .. } => {
                kept = exact;
                stop = if v.iter().all(Rational::is_zero) { Stop::Infeasible } else { Stop::Converged };
            }
            ExactNearest::Stopped(why) => stop = if stop == Stop::Converged { stop } else { why },
        }
    }
    let side = |sign: Sign| -> Vec<f64> {
        let own: Vec<_> = kept.iter().filter(|(row, _)| signs[*row] == sign).cloned().collect();
        let point = combined(&own, &examples, signs);
        point.iter().map(|value| sign.value() * value.to_f64()).collect()
    };
    let v = combined(&kept, &examples, signs);
    let (distance, distance_at_least) = bounds(&v, &examples, signs, &rows);
    if !distance.is_finite() {
        return Err(Error::Numerical { what: "the distance of two hulls" });
    }
    let mut multipliers = vec![0.0; set.len()];
    kept.iter().for_each(|(row, weight)| multipliers[*row] = weight.to_f64());
    let (positive, negative) = (side(Sign::Positive), side(Sign::Negative));
    let report = meter.report(stop, None);
    Ok(NearestPoints { multipliers, positive, negative, distance, distance_at_least, report })
}

/// Stored weights as fractions with the exact sum 1 on either side.
pub(crate) fn rationals(kept: &[(usize, f64)], signs: &[Sign]) -> Result<Vec<(usize, Rational)>> {
    let mut exact = Vec::with_capacity(kept.len());
    for sign in [Sign::Positive, Sign::Negative] {
        let own = kept.iter().filter(|(row, _)| signs[*row] == sign);
        let own: Vec<(usize, Rational)> = own
            .map(|&(row, weight)| Ok((row, Rational::from_f64(weight.max(0.0))?)))
            .collect::<Result<_>>()?;
        let total = own.iter().fold(Rational::default(), |sum, (_, weight)| &sum + weight);
        exact.extend(own.into_iter().map(|(row, weight)| (row, weight.divided(&total).unwrap_or_default())));
    }
    Ok(exact)
}

/// `‖v‖` rounded up, and the width of the strip across `v` rounded down.
fn bounds(v: &[Rational], examples: &ExactExamples, signs: &[Sign], rows: &[usize]) -> (f64, f64) {
    let length = squares(v);
    let distance = 2.0 * half_root(&length);
    let width = ends(v, examples, signs, rows).map(|(low, high)| &low - &high).filter(Rational::is_positive);
    // width/‖v‖ as ‖v‖·(width/‖v‖²), of which the root alone is rounded.
    let share = width.and_then(|width| width.divided(&length)).map_or(0.0, |share| share.to_f64());
    (distance, distance * share.min(1.0) * (1.0 - 16.0 * f64::EPSILON))
}

impl<E: Examples + ?Sized> Certificate<TrainingSet<'_, E, BinaryLabels>> for NearestPoints {
    /// Recomputes the points and both bounds on the distance from the stored weights, and accepts what rounding explains.
    fn verify(&self, set: &TrainingSet<'_, E, BinaryLabels>) -> Result<Verdict> {
        if self.multipliers.len() != set.len() {
            let (expected, found) = (set.len(), self.multipliers.len());
            return Err(Error::Length { what: "the list of multipliers", expected, found });
        }
        set.examples().check_dim("the nearest point", self.positive.len())?;
        let (signs, rows) = (set.labels().signs(), present(set));
        let invalid = |what, claimed, recomputed, row| {
            Ok(Verdict::Invalid(Discrepancy { what, claimed, recomputed, row }))
        };
        let mut sums = [0.0; 2];
        for (row, &weight) in self.multipliers.iter().enumerate() {
            if !(weight >= 0.0) || (weight > 0.0 && set.weight(row) == 0.0) {
                return invalid(
                    "a multiplier, which must be that of an example and not negative,",
                    0.0,
                    weight,
                    Some(row),
                );
            }
            sums[usize::from(signs[row] == Sign::Negative)] += weight;
        }
        let rounding = 4.0 * f64::EPSILON * (set.len() as f64 + 4.0);
        if let Some(&sum) = sums.iter().find(|sum| !((*sum - 1.0).abs() <= rounding)) {
            return invalid("the sum of the multipliers of one class", 1.0, sum, None);
        }
        let examples = ExactExamples::new(set.examples(), &Budget::default())?;
        let kept: Vec<(usize, f64)> =
            self.multipliers.iter().copied().enumerate().filter(|(_, weight)| *weight > 0.0).collect();
        let largest = kept
            .iter()
            .flat_map(|(row, _)| examples.row(*row).map(|(_, x)| x.abs()))
            .max()
            .and_then(|largest: Integer| Rational::new(largest, examples.scale().clone()))
            .map_or(0.0, |largest| largest.to_f64());
        let allowed = rounding * largest * (self.positive.len() as f64).sqrt();
        let v = combined(&rationals(&kept, signs)?, &examples, signs);
        for (k, value) in v.iter().enumerate() {
            let (claimed, recomputed) = (self.positive[k] - self.negative[k], value.to_f64());
            if !((claimed - recomputed).abs() <= allowed) {
                return invalid("the difference of the points", claimed, recomputed, None);
            }
        }
        let (distance, at_least) = bounds(&v, &examples, signs, &rows);
        if !((distance - self.distance).abs() <= allowed) {
            return invalid("the distance of the points", self.distance, distance, None);
        }
        if !(self.distance_at_least <= at_least + allowed) {
            return invalid("the least distance of the hulls", self.distance_at_least, at_least, None);
        }
        Ok(Verdict::Valid)
    }
}
