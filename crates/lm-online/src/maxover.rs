//! Maximal stability: the perceptron that corrects the least stable example, and ends near the largest margin.
//!
//! # Problem
//! ```text
//! maximise  minᵢ yᵢ (⟨w·xᵢ⟩ + b) / √(‖w‖² + b²/β)   over w and b
//! ```
//! This is the margin in the space where the bias is the weight of a constant attribute `√β`; without a bias, the geometric
//! margin itself.
//! # Method
//! The weights are a sum of examples, `αᵢ` copies of each. A step finds the example of least overlap `y·s` and the one of
//! most overlap among those with `αᵢ > 0`, adds the first twice and takes the second away once. So there is one copy more
//! after each step, and never fewer than none of an example.
//!
//! Let `k = Σα`. Any hyperplane with unit length and margin `γ` has inner product at least `kγ` with the weights, so
//! `γ ≤ ‖w‖/k`; and the margin of the weights themselves is at most the largest one. Both are computed in every step, and
//! the run ends when they are within a share of each other. On data that cannot be separated `‖w‖/k` tends to 0: it is then
//! the margin that is ruled out.
//! # Cost
//! A pass over the examples for each step, and a count for each example. The gap falls like `1/k`.
//! # Reference
//! Krauth & Mézard (1987), who add the example of least overlap; Martinetz (2003), *MaxMinOver*, who also takes one away;
//! Wendemuth (1995), *Learning the unlearnable*, for Maxover, of which this keeps the goal and not the choice of examples.

use lm_core::{
    BinaryLabels, Certificate, Control, Discrepancy, Error, Examples, Fit, Learner, Linear, Meter, Result,
    Stop, TrainingSet, Verdict,
};

use crate::Bias;
use crate::fit::bias_step;
use crate::visits::{Visits, check_len};
use crate::words::{Walk, check_tolerance, setters};

/// The settings of the perceptron of maximal stability.
///
/// ```
/// use lm_core::{BinaryLabels, Certificate, Dense, Learner, Margins, TrainingSet};
/// use lm_online::{Bias, Maxover};
///
/// let examples = Dense::new(vec![3.0, 1.0, 2.0, 2.0, -1.0, -1.0, -4.0, 0.0], 4, 2)?;
/// let labels = BinaryLabels::from_integers(&[1, 1, -1, -1])?;
/// let learner = Maxover::default().with_bias(Bias::None).with_tolerance(1e-3);
/// let fit = learner.fit(&examples, &labels)?.converged()?;
/// let set = TrainingSet::new(&examples, &labels)?;
/// // The nearest example is (−1, −1), at a distance of √2 from the best hyperplane through the origin.
/// let margin = Margins::geometric(&fit.model, &set)?.minimum();
/// assert!(margin > 0.999 * 2.0_f64.sqrt());
/// assert!(fit.certificate.at_most() >= 2.0_f64.sqrt() - 1e-12);
/// assert!(fit.certificate.verify(&set)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Maxover {
    walk: Walk,
    tolerance: f64,
}

impl Default for Maxover {
    fn default() -> Self {
        Self { walk: Walk::new(10_000, Bias::Standard), tolerance: 0.01 }
    }
}

impl Maxover {
    setters! {
        passes = "10000", bias = "Standard", radius,
        tolerance = "The share by which the margin may fall short of the largest one. At least 0, below 1; default 0.01.",
    }

    fn validate(&self) -> Result<()> {
        self.walk.validate()?;
        check_tolerance(self.tolerance)
    }
}

impl<E: Examples + ?Sized> Learner<E, BinaryLabels> for Maxover {
    type Model = Linear;
    type Certificate = Stability;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, E, BinaryLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<Linear, Stability>> {
        self.validate()?;
        check_len(set.len())?;
        let (mut meter, visits) = (control.start(self.walk.passes), Visits::of(set)?);
        let step = bias_step(&self.walk, set.examples(), &visits)?;
        let mut state = State::new(set, &visits, step);
        let stop = state.run(&mut meter, self.tolerance)?;
        let model = Linear::new(state.weights, state.bias)?;
        let certificate = Stability {
            bias_step: step,
            counts: state.counts,
            at_least: state.at_least,
            at_most: state.at_most,
        };
        Ok(Fit { model, report: meter.report(stop, None), certificate })
    }
}

struct State<'a, E: ?Sized> {
    examples: &'a E,
    signs: Vec<f64>,
    /// The examples that are visited, whatever their weight: copies do not change a margin.
    rows: Vec<usize>,
    counts: Vec<u64>,
    weights: Vec<f64>,
    bias: f64,
    bias_step: f64,
    overlaps: Vec<f64>,
    /// The margin of the weights, and one that no hyperplane exceeds.
    at_least: f64,
    at_most: f64,
}

impl<'a, E: Examples + ?Sized> State<'a, E> {
    fn new(set: &TrainingSet<'a, E, BinaryLabels>, visits: &Visits, bias_step: f64) -> Self {
        let rows = (0..set.len()).filter(|&row| visits.to(row) > 0).collect();
        Self {
            examples: set.examples(),
            signs: set.labels().values(),
            rows,
            counts: vec![0; set.len()],
            weights: vec![0.0; set.examples().dim()],
            bias: 0.0,
            bias_step,
            overlaps: vec![0.0; set.len()],
            at_least: f64::NEG_INFINITY,
            at_most: f64::INFINITY,
        }
    }

    fn run(&mut self, meter: &mut Meter<'_>, tolerance: f64) -> Result<Stop> {
        loop {
            if let Some(stop) = self.stop(tolerance)? {
                return Ok(stop);
            }
            if let Some(stop) = meter.advance(0, 0) {
                return Ok(stop);
            }
            self.step()?;
            let stop = meter.advance(1, 0);
            meter.observe(Some(self.at_least), Some(self.at_most - self.at_least));
            if let Some(stop) = stop {
                // The figures are those of the weights that are returned.
                let reached = self.stop(tolerance)?;
                return Ok(reached.unwrap_or(stop));
            }
        }
    }

    /// Overlaps of all examples with the present weights, and what follows from them.
    fn stop(&mut self, tolerance: f64) -> Result<Option<Stop>> {
        self.examples.dots(0..self.overlaps.len(), &self.weights, &mut self.overlaps);
        for (overlap, sign) in self.overlaps.iter_mut().zip(&self.signs) {
            *overlap = sign * (*overlap + self.bias);
        }
        let copies: u64 = self.counts.iter().sum();
        if copies == 0 {
            return Ok(None);
        }
        let bias = if self.bias == 0.0 { 0.0 } else { self.bias / self.bias_step.sqrt() };
        let norm = self.weights.iter().fold(bias.abs(), |norm, w| norm.hypot(*w));
        let least = self.rows.iter().fold(f64::INFINITY, |least, &row| least.min(self.overlaps[row]));
        if !(norm.is_finite() && least.is_finite()) {
            return Err(Error::Numerical { what: "the margin (rescale the examples)" });
        }
        self.at_most = norm / copies as f64;
        // Weights that are all zero have no margin, and rule out every one.
        self.at_least = if norm == 0.0 { 0.0 } else { least / norm };
        let reached = self.at_least > 0.0 && self.at_least >= (1.0 - tolerance) * self.at_most;
        Ok(match norm == 0.0 {
            true => Some(Stop::Infeasible),
            false => reached.then_some(Stop::Converged),
        })
    }

    /// Adds the example of least overlap twice, and takes one of most overlap away.
    fn step(&mut self) -> Result<()> {
        let first = |best: Option<usize>, row: usize| match best {
            Some(best) if !(self.overlaps[row] < self.overlaps[best]) => Some(best),
            _ => Some(row),
        };
        let last = |best: Option<usize>, row: usize| match best {
            Some(best) if !(self.overlaps[row] > self.overlaps[best]) => Some(best),
            _ => Some(row),
        };
        let least = self.rows.iter().copied().fold(None, first);
        let most = self.rows.iter().copied().filter(|&row| self.counts[row] > 0).fold(None, last);
        if let Some(row) = least {
            let copies = if most.is_some() { 2 } else { 1 };
            self.counts[row] += copies;
            self.add(row, copies as f64);
        }
        if let Some(row) = most {
            self.counts[row] -= 1;
            self.add(row, -1.0);
        }
        if self.bias.is_finite() {
            Ok(())
        } else {
            Err(Error::Numerical { what: "the bias (rescale the examples)" })
        }
    }

    fn add(&mut self, row: usize, copies: f64) {
        let factor = copies * self.signs[row];
        self.examples.add_scaled(row, factor, &mut self.weights);
        self.bias += factor * self.bias_step;
    }
}

/// How near a function is to the one of largest margin: its own margin, and one that no hyperplane exceeds.
///
/// Margins are those in the space where the bias is the weight of a constant attribute `√β`. [`Certificate::verify`] adds the
/// examples up anew from their counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Stability {
    bias_step: f64,
    counts: Vec<u64>,
    at_least: f64,
    at_most: f64,
}

impl Stability {
    /// The margin of the function; −∞ if it was never corrected.
    pub fn at_least(&self) -> f64 {
        self.at_least
    }

    /// A margin that no hyperplane exceeds.
    pub fn at_most(&self) -> f64 {
        self.at_most
    }

    /// How many copies of each example make up the weights.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }
}

impl<E: Examples + ?Sized> Certificate<TrainingSet<'_, E, BinaryLabels>> for Stability {
    fn verify(&self, set: &TrainingSet<'_, E, BinaryLabels>) -> Result<Verdict> {
        let (examples, signs, visits) = (set.examples(), set.labels().values(), Visits::of(set)?);
        if self.counts.len() != set.len() {
            let (expected, found) = (set.len(), self.counts.len());
            return Err(Error::Length { what: "the list of counts", expected, found });
        }
        let (mut weights, mut size) = (vec![0.0; examples.dim()], vec![0.0; examples.dim()]);
        let (mut bias, mut copies) = (0.0, 0.0);
        for (row, &count) in self.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let factor = count as f64 * signs[row];
            examples.row(row).for_each(|k, x| {
                weights[k] += factor * x;
                size[k] += (factor * x).abs();
            });
            bias += factor;
            copies += count as f64;
        }
        if copies == 0.0 {
            return Ok(Verdict::Valid);
        }
        let root = self.bias_step.sqrt();
        let norm =
            |values: &[f64], bias: f64| values.iter().fold((root * bias).abs(), |norm, w| norm.hypot(*w));
        let (length, total) = (norm(&weights, bias), norm(&size, copies));
        // The run may have added examples in another order, one copy at a time.
        let rounding = 8.0 * f64::EPSILON * (examples.dim() as f64 + copies + 4.0);
        let invalid = |what, claimed, recomputed, row| {
            Ok(Verdict::Invalid(Discrepancy { what, claimed, recomputed, row }))
        };
        let at_most = length / copies;
        if !((at_most - self.at_most).abs() <= rounding * total / copies) {
            return invalid("the margin that no hyperplane exceeds", self.at_most, at_most, None);
        }
        let mut least: (f64, f64, Option<usize>) = (f64::INFINITY, 0.0, None);
        for row in (0..set.len()).filter(|&row| visits.to(row) > 0) {
            let (mut score, mut norm_squared) = (bias * self.bias_step, self.bias_step);
            examples.row(row).for_each(|k, x| {
                score += weights[k] * x;
                norm_squared += x * x;
            });
            if signs[row] * score < least.0 {
                least = (signs[row] * score, norm_squared.sqrt(), Some(row));
            }
        }
        if length == 0.0 {
            return Ok(Verdict::Valid);
        }
        let (at_least, allowed) = (least.0 / length, 2.0 * rounding * least.1 * total / length);
        if !((at_least - self.at_least).abs() <= allowed) {
            return invalid("the margin of the function", self.at_least, at_least, least.2);
        }
        Ok(Verdict::Valid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::Dense;

    #[test]
    fn both_sides_close_in_on_the_largest_margin() {
        // The best hyperplane is x₁ = 0: (0.5, 3) and (−0.5, 3) are at 0.5 from it.
        let rows = [[0.5, 3.0], [-0.5, 3.0], [2.0, -3.0], [-1.0, -2.0], [0.5, -1.0], [-0.5, -4.0]];
        let examples = Dense::from_rows(&rows).unwrap();
        let labels = BinaryLabels::from_integers(&[1, -1, 1, -1, 1, -1]).unwrap();
        let set = TrainingSet::new(&examples, &labels).unwrap();
        for (tolerance, bias) in
            [(0.1, Bias::None), (0.01, Bias::None), (0.01, Bias::Standard), (0.01, Bias::Radius)]
        {
            let learner = Maxover::default().with_bias(bias).with_tolerance(tolerance).with_passes(1_000_000);
            let fit = learner.fit(&examples, &labels).unwrap().converged().unwrap();
            let stability = &fit.certificate;
            assert!(
                stability.at_least() <= 0.5 + 1e-12 && stability.at_most() >= 0.5 - 1e-12,
                "{stability:?}"
            );
            assert!(stability.at_least() >= (1.0 - tolerance) * stability.at_most());
            assert!(stability.verify(&set).unwrap().is_valid());
            let forged = Stability { at_most: 0.99 * stability.at_most, ..stability.clone() };
            assert!(!forged.verify(&set).unwrap().is_valid());
            let forged = Stability { at_least: stability.at_least + 1e-6, ..stability.clone() };
            assert!(!forged.verify(&set).unwrap().is_valid());
        }
    }

    #[test]
    fn data_that_cannot_be_separated_leave_no_margin() {
        let examples = Dense::new(vec![0.0, 1.0, 2.0], 3, 1).unwrap();
        let labels = BinaryLabels::from_integers(&[1, -1, 1]).unwrap();
        let fit = Maxover::default().fit(&examples, &labels).unwrap();
        assert!(fit.certificate.at_most() < 1e-3, "{:?}", fit.certificate);
        assert!(fit.certificate.verify(&TrainingSet::new(&examples, &labels).unwrap()).unwrap().is_valid());
        assert!(fit.converged().is_err());
    }
}
