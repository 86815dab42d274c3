//! A sigmoid fitted to decision values (Platt scaling).
//!
//! # Problem
//! ```text
//! minimise F(A, B) = Σ wᵢ [ log(1 + exp(zᵢ)) − (1 − tᵢ) zᵢ ]   with zᵢ = A fᵢ + B,   subject to A ≤ 0
//! tᵢ = (N₊ + 1)/(N₊ + 2) for positive examples, 1/(N₋ + 2) for negative ones
//! ```
//! The targets are those of Laplace's rule, so that a minimum exists also where the values separate the classes. `F` is
//! strictly convex if there are two different values. `A ≤ 0` says that a larger value never makes the positive class less
//! probable; where the values are worse than none, `A = 0`.
//! # Method
//! Newton's method with backtracking, in coordinates in which the values lie between −1 and 1. Nothing is computed as a
//! difference of logarithms or exponentials.
//! # Cost
//! Two exponentials an example and step, five to ten steps.
//! # Reference
//! Platt (2000); Lin, Lin & Weng (2007), *A note on Platt's probabilistic outputs for support vector machines*.

use super::Sigmoid;
use crate::fit::{Certificate, Control, Discrepancy, Fit, Learner, Meter, Stop, Verdict};
use crate::labels::{BinaryLabels, Sign};
use crate::training_set::TrainingSet;
use crate::{Error, Result};

/// Fits a [`Sigmoid`] to decision values and the labels of their examples. The values should be held-out ones: a machine
/// is more certain of the examples that it was trained on.
///
/// ```
/// use lm_core::probability::Platt;
/// use lm_core::{BinaryLabels, Learner};
///
/// let values = [-2.0, -1.0, -0.5, 0.25, 0.5, 2.0];
/// let labels = BinaryLabels::from_integers(&[-1, -1, 1, -1, 1, 1])?;
/// let fit = Platt::default().fit(&values[..], &labels)?.converged()?;
/// assert!(fit.model.slope() < 0.0);
/// assert!(fit.certificate.gradient().iter().all(|g| g.abs() < 1e-9));
/// assert!(fit.certificate.curvature() > 0.0); // the only minimum
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Platt {
    tolerance: f64,
}

impl Default for Platt {
    fn default() -> Self {
        Self { tolerance: 1e-14 }
    }
}

impl Platt {
    /// What the next step may gain, as a share of the criterion, for the fit to be good enough, between 0 and 1; default
    /// 1e-14.
    #[must_use]
    pub fn with_tolerance(self, tolerance: f64) -> Self {
        Self { tolerance }
    }
}

impl Learner<[f64], BinaryLabels> for Platt {
    type Model = Sigmoid;
    type Certificate = PlattCertificate;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, [f64], BinaryLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<Sigmoid, PlattCertificate>> {
        // Each step gains digits; so many are needed by no data.
        const STEPS: u64 = 200;
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            let accepted = "a number between 0 and 1";
            return Err(Error::Setting { name: "tolerance", value: self.tolerance, accepted });
        }
        let mut meter = control.start(STEPS);
        let mut state = State::new(set)?;
        let stop = state.run(self.tolerance, &mut meter);
        let model = state.sigmoid()?;
        let certificate = PlattCertificate::compute(model, set)?;
        Ok(Fit { model, report: meter.report(stop, None), certificate })
    }
}

/// The least and the largest value, as a middle and half a width.
fn range(values: &[f64]) -> Result<(f64, f64)> {
    if let Some(row) = values.iter().position(|value| !value.is_finite()) {
        return Err(Error::NonFinite { what: "decision value", row, column: None });
    }
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Ok((0.5 * low + 0.5 * high, 0.5 * high - 0.5 * low))
}

/// The target probability of each sign, by Laplace's rule on the weights.
fn targets(set: &TrainingSet<'_, [f64], BinaryLabels>) -> [f64; 2] {
    let mut total = [0.0; 2];
    for (row, &sign) in set.labels().signs().iter().enumerate() {
        total[usize::from(sign == Sign::Positive)] += set.weight(row);
    }
    [1.0 / (total[0] + 2.0), (total[1] + 1.0) / (total[1] + 2.0)]
}

/// An example: its value between −1 and 1, its target and its weight.
#[derive(Debug, Clone, Copy)]
struct Point {
    value: f64,
    target: f64,
    weight: f64,
}

/// The sums of a step: criterion, gradient, Hessian as (AA, AB, BB).
#[derive(Debug, Clone, Copy, PartialEq)]
struct Sums {
    value: f64,
    gradient: [f64; 2],
    hessian: [f64; 3],
}

struct State {
    points: Vec<Point>,
    middle: f64,
    half: f64,
    at: [f64; 2],
    sums: Sums,
}

impl State {
    fn new(set: &TrainingSet<'_, [f64], BinaryLabels>) -> Result<Self> {
        let (middle, half) = range(set.examples())?;
        let target = targets(set);
        let scaled = |value: f64| if half > 0.0 { (value - middle) / half } else { 0.0 };
        let points =
            set.examples().iter().zip(set.labels().signs()).enumerate().map(|(row, (&value, &sign))| Point {
                value: scaled(value),
                target: target[usize::from(sign == Sign::Positive)],
                weight: set.weight(row),
            });
        let points: Vec<Point> = points.collect();
        let at = [0.0, flat_offset(&points)];
        let sums = sums(&points, at);
        Ok(Self { points, middle, half, at, sums })
    }

    fn run(&mut self, tolerance: f64, meter: &mut Meter<'_>) -> Stop {
        loop {
            let Some((step, gain)) = self.direction() else { return Stop::Converged };
            meter.observe(Some(self.sums.value), Some(gain / self.sums.value));
            if gain <= tolerance * self.sums.value {
                self.polish(step);
                return Stop::Converged;
            }
            if !self.step(step, gain) {
                // What is left is below the rounding of the criterion.
                return if gain <= 1e-10 * self.sums.value { Stop::Converged } else { Stop::Stalled };
            }
            if let Some(stop) = meter.advance(1, 0) {
                return stop;
            }
        }
    }

    /// Newton's step and half of what it is expected to gain to second order; none if all values are equal, or the slope
    /// would have to be positive.
    fn direction(&self) -> Option<([f64; 2], f64)> {
        let ([ga, gb], [aa, ab, bb]) = (self.sums.gradient, self.sums.hessian);
        if !(self.half > 0.0) || (self.at[0] == 0.0 && ga <= 0.0) {
            // The start: the offset is the best one of slope 0 already.
            return None;
        }
        let determinant = aa * bb - ab * ab;
        if !(determinant > 0.0) {
            return None;
        }
        let step = [-(bb * ga - ab * gb) / determinant, -(aa * gb - ab * ga) / determinant];
        Some((step, -0.5 * (ga * step[0] + gb * step[1])))
    }

    /// Goes along a direction as far as the criterion falls enough; false if it does not fall.
    fn step(&mut self, [da, db]: [f64; 2], gain: f64) -> bool {
        let mut share = 1.0;
        while share > 1e-10 {
            let at = [self.at[0] + share * da, self.at[1] + share * db];
            let sums = sums(&self.points, at);
            if sums.value < self.sums.value - 1e-4 * share * gain {
                (self.at, self.sums) = (at, sums);
                return true;
            }
            share *= 0.5;
        }
        false
    }

    /// The last step: so near to the minimum it doubles the digits, though the criterion does not show it any more.
    fn polish(&mut self, [da, db]: [f64; 2]) {
        let at = [self.at[0] + da, self.at[1] + db];
        let sums = sums(&self.points, at);
        let size = |sums: &Sums| sums.gradient[0].hypot(sums.gradient[1]);
        if at[0] < 0.0 && size(&sums) < size(&self.sums) {
            (self.at, self.sums) = (at, sums);
        }
    }

    /// The sigmoid of the decision values themselves.
    fn sigmoid(&self) -> Result<Sigmoid> {
        if self.half > 0.0 && self.at[0] < 0.0 {
            let slope = self.at[0] / self.half;
            Sigmoid::new(slope, self.at[1] - slope * self.middle).map_err(|_| Error::Numerical {
                what: "the slope of the sigmoid (rescale the decision values)",
            })
        } else {
            Sigmoid::new(0.0, self.at[1])
        }
    }
}

/// The best offset of a sigmoid without slope: `log((1 − t)/t)` of the mean target.
fn flat_offset(points: &[Point]) -> f64 {
    let sum = |part: fn(&Point) -> f64| points.iter().map(part).sum::<f64>();
    (sum(|p| p.weight * (1.0 - p.target)) / sum(|p| p.weight * p.target)).ln()
}

fn sums(points: &[Point], [a, b]: [f64; 2]) -> Sums {
    let mut sums = Sums { value: 0.0, gradient: [0.0; 2], hessian: [0.0; 3] };
    for &Point { value, target, weight } in points {
        let z = a * value + b;
        let small = (-z.abs()).exp();
        sums.value += weight * (z.max(0.0) + small.ln_1p() - (1.0 - target) * z);
        let p = if z >= 0.0 { small } else { 1.0 } / (1.0 + small);
        let (slope, bend) = (weight * (target - p), weight * small / ((1.0 + small) * (1.0 + small)));
        sums.gradient[0] += slope * value;
        sums.gradient[1] += slope;
        sums.hessian[0] += bend * value * value;
        sums.hessian[1] += bend * value;
        sums.hessian[2] += bend;
    }
    sums
}

/// The evidence for a fitted sigmoid: the criterion, and its gradient and curvature where the sigmoid is.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PlattCertificate {
    sigmoid: Sigmoid,
    value: f64,
    gradient: [f64; 2],
    curvature: f64,
}

impl PlattCertificate {
    /// Recomputes everything from the sigmoid alone.
    fn compute(sigmoid: Sigmoid, set: &TrainingSet<'_, [f64], BinaryLabels>) -> Result<Self> {
        let (middle, half) = range(set.examples())?;
        let target = targets(set);
        let (mut value, mut gradient, mut hessian) = (0.0, [0.0; 2], [0.0; 3]);
        for (row, (&f, &sign)) in set.examples().iter().zip(set.labels().signs()).enumerate() {
            let [q, p] = sigmoid.probabilities(f);
            let (t, weight) = (target[usize::from(sign == Sign::Positive)], set.weight(row));
            let scaled = if half > 0.0 { (f - middle) / half } else { 0.0 };
            // The logarithms of probabilities that are both at least the smallest number.
            let (log_p, log_q) = (p.max(f64::MIN_POSITIVE).ln(), q.max(f64::MIN_POSITIVE).ln());
            value -= weight * (t * log_p + (1.0 - t) * log_q);
            gradient[0] += weight * (t - p) * scaled;
            gradient[1] += weight * (t - p);
            for (sum, product) in hessian.iter_mut().zip([scaled * scaled, scaled, 1.0]) {
                *sum += weight * p * q * product;
            }
        }
        // The smaller eigenvalue of the Hessian, without cancellation.
        let (mean, apart) = (0.5 * (hessian[0] + hessian[2]), 0.5 * (hessian[0] - hessian[2]));
        let larger = mean + apart.hypot(hessian[1]);
        let determinant = hessian[0] * hessian[2] - hessian[1] * hessian[1];
        let curvature = if larger > 0.0 { (determinant / larger).max(0.0) } else { 0.0 };
        Ok(Self { sigmoid, value, gradient, curvature })
    }

    /// The criterion `F`: the logarithmic loss against the targets.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// The derivatives of `F` by slope and offset, in coordinates in which the values lie between −1 and 1. At the minimum both
    /// are 0; where the slope is held at 0, the first may be negative.
    pub fn gradient(&self) -> [f64; 2] {
        self.gradient
    }

    /// The smaller eigenvalue of the Hessian in the same coordinates. Where it is positive, the minimum is the only one.
    pub fn curvature(&self) -> f64 {
        self.curvature
    }
}

impl Certificate<TrainingSet<'_, [f64], BinaryLabels>> for PlattCertificate {
    fn verify(&self, set: &TrainingSet<'_, [f64], BinaryLabels>) -> Result<Verdict> {
        let now = Self::compute(self.sigmoid, set)?;
        let total: f64 = (0..set.len()).map(|row| set.weight(row)).sum();
        let rounding = 8.0 * f64::EPSILON * set.examples().len() as f64 * total.max(1.0);
        let claims = [
            ("the criterion of the sigmoid", self.value, now.value),
            ("the derivative by the slope", self.gradient[0], now.gradient[0]),
            ("the derivative by the offset", self.gradient[1], now.gradient[1]),
            ("the curvature", self.curvature, now.curvature),
        ];
        let off =
            |(_, claimed, now): &&(_, f64, f64)| !((claimed - now).abs() <= rounding * (1.0 + now.abs()));
        Ok(claims.iter().find(off).map_or(Verdict::Valid, |&(what, claimed, recomputed)| {
            Verdict::Invalid(Discrepancy { what, claimed, recomputed, row: None })
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Weights;

    fn noisy(len: usize) -> (Vec<f64>, BinaryLabels) {
        let values: Vec<f64> = (0..len).map(|k| (k as f64 * 0.37).sin() * 3.0 + 0.4).collect();
        let label = |(k, value): (usize, &f64)| i64::from(value + 2.0 * (k as f64 * 1.91).cos() > 0.0);
        let labels: Vec<i64> = values.iter().enumerate().map(label).collect();
        (values, BinaryLabels::from_integers(&labels).unwrap())
    }

    #[test]
    fn two_values_are_given_their_targets() {
        // One negative example at −1, one positive at 1: t = 1/3 and 2/3, so A = −log 2 and B = 0.
        let labels = BinaryLabels::from_integers(&[0, 1]).unwrap();
        let fit = Platt::default().fit(&[-1.0, 1.0][..], &labels).unwrap().converged().unwrap();
        assert!((fit.model.slope() + 2.0_f64.ln()).abs() < 1e-14);
        assert!(fit.model.offset().abs() < 1e-14);
    }

    #[test]
    fn a_change_of_units_changes_the_slope_and_nothing_else() {
        let (values, labels) = noisy(60);
        let plain = Platt::default().fit(&values[..], &labels).unwrap().converged().unwrap().model;
        for (scale, shift) in [(1e-200, 0.0), (1e200, 0.0), (1.0, 1e3), (0.01, -7.0)] {
            let moved: Vec<f64> = values.iter().map(|f| scale * f + shift).collect();
            let set = TrainingSet::new(&moved[..], &labels).unwrap();
            let fit = Platt::default().fit_with(&set, &Control::default()).unwrap().converged().unwrap();
            assert!(fit.certificate.verify(&set).unwrap().is_valid());
            for (f, g) in values.iter().zip(&moved) {
                let (p, q) = (plain.probabilities(*f), fit.model.probabilities(*g));
                assert!((p[1] - q[1]).abs() < 1e-9, "{scale:e}, {shift}: {} and {}", p[1], q[1]);
            }
        }
    }

    #[test]
    fn separated_values_equal_values_and_useless_values_have_a_sigmoid() {
        let labels = BinaryLabels::from_integers(&[0, 0, 0, 1, 1]).unwrap();
        let fit = |values: [f64; 5]| Platt::default().fit(&values[..], &labels).unwrap().converged().unwrap();
        assert!(fit([-5.0, -4.0, -3.0, 3.0, 4.0]).model.slope() < -0.3);
        // With a constant or a misleading value only the shares of the targets count.
        let mean = (3.0 / 5.0 + 2.0 * 3.0 / 4.0) / 5.0;
        for values in [[2.5; 5], [5.0, 4.0, 3.0, -3.0, -4.0]] {
            let fit = fit(values);
            assert_eq!(fit.model.slope(), 0.0);
            assert!((fit.model.probabilities(1.0)[1] - mean).abs() < 1e-14);
            assert!(fit.certificate.gradient()[0] <= 0.0);
        }
    }

    #[test]
    fn weights_are_repetition() {
        let (values, labels) = noisy(30);
        let weights = Weights::new((0..30).map(|k| f64::from(k % 3)).collect()).unwrap();
        let set = TrainingSet::new(&values[..], &labels).unwrap().with_weights(&weights).unwrap();
        let weighted = Platt::default().fit_with(&set, &Control::default()).unwrap().model;
        let rows: Vec<usize> = (0..30).flat_map(|row| vec![row; row % 3]).collect();
        let repeated: Vec<f64> = rows.iter().map(|&row| values[row]).collect();
        let labels = crate::Labelling::select(&labels, &rows).unwrap();
        let repeated = Platt::default().fit(&repeated[..], &labels).unwrap().model;
        assert!((weighted.slope() - repeated.slope()).abs() < 1e-9);
        assert!((weighted.offset() - repeated.offset()).abs() < 1e-9);
    }

    #[test]
    fn values_and_settings_outside_their_domain_are_refused() {
        let labels = BinaryLabels::from_integers(&[0, 1]).unwrap();
        let found = Platt::default().fit(&[0.0, f64::NAN][..], &labels);
        assert!(matches!(found, Err(Error::NonFinite { row: 1, .. })));
        for bad in [0.0, 1.0, f64::NAN] {
            assert!(Platt::default().with_tolerance(bad).fit(&[0.0, 1.0][..], &labels).is_err());
        }
        let stopped = Control::new(crate::Budget::default().with_iterations(1));
        let (values, labels) = noisy(40);
        let set = TrainingSet::new(&values[..], &labels).unwrap();
        let fit = Platt::default().fit_with(&set, &stopped).unwrap();
        assert_eq!(fit.report.stop, Stop::Iterations);
        assert!(fit.certificate.verify(&set).unwrap().is_valid());
    }

    #[test]
    fn a_certificate_of_another_sigmoid_is_found_out() {
        let (values, labels) = noisy(40);
        let set = TrainingSet::new(&values[..], &labels).unwrap();
        let mut certificate = Platt::default().fit(&values[..], &labels).unwrap().certificate;
        certificate.sigmoid = Sigmoid::new(-9.0, 0.0).unwrap();
        assert!(!certificate.verify(&set).unwrap().is_valid());
    }
}
