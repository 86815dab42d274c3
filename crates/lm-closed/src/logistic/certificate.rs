//! The evidence for a logistic model: a lower bound on the objective from probabilities that meet the optimality conditions.
//!
//! ```text
//! P(f) = Σ ωᵢ ℓ(yᵢ, f(xᵢ)) + ½λΣ‖wₖ‖²
//! D(q) = Σ ωᵢ h(qᵢ) − Σ‖vₖ‖²/(2λ) ,   vₖ = Σ ωᵢ ([yᵢ = k] − qᵢₖ) xᵢ ,   subject to Σ ωᵢ ([yᵢ = k] − qᵢₖ) = 0
//! ```
//! with the entropy `h`. For every distribution `qᵢ` over the classes `D(q) ≤ P(f)`; without a penalty `vₖ = 0` is a
//! constraint too. Probabilities `p` of a function meet the constraints at the optimum only. Moved along with a Newton
//! step from `f₀` to `f`, `q = p₀ + p₀'·(f − f₀)`, they meet them exactly, with `vₖ = λwₖ`: so two functions, the last and
//! the one before, are a proof, and the gap it leaves is of the order of the square of the last step's gain.

use lm_core::{
    BinaryLabels, Certificate, ClassLabels, Discrepancy, DualityFigures, Error, Examples, Linear, Result,
    Row, TrainingSet, Verdict,
};

use super::irls::Conditioning;
use super::sample::Sample;
use super::separation::Recession;

/// The functions of a logistic model, those of the Newton step before, and the figures that follow from both.
///
/// Figures are recomputed from the data by code that shares nothing with the solver. `kkt` is the largest entry of the
/// gradient and `infeasibility` the largest violation of a constraint, each divided by the sum of the absolute values of
/// its column, so that they mean the same at every scale.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LogisticCertificate {
    pub(super) functions: Vec<Linear>,
    pub(super) base: Vec<Linear>,
    pub(super) penalty: f64,
    pub(super) figures: DualityFigures,
    pub(super) conditioning: Option<Conditioning>,
    pub(super) recession: Option<Recession>,
}

impl LogisticCertificate {
    /// Computes the figures of functions at the end of a step from `base`.
    pub(super) fn compute<E: Examples + ?Sized>(
        sample: &Sample<'_, E>,
        functions: Vec<Linear>,
        base: Vec<Linear>,
        penalty: f64,
    ) -> Result<Self> {
        let figures = figures(sample, &functions, &base, penalty)?;
        Ok(Self { functions, base, penalty, figures, conditioning: None, recession: None })
    }

    /// Primal and dual value, the largest entry of the gradient, the largest violation of a constraint.
    pub fn figures(&self) -> DualityFigures {
        self.figures
    }

    /// The functions of the model: one for two classes, one for each class else.
    pub fn functions(&self) -> &[Linear] {
        &self.functions
    }

    /// The penalty λ of the objective.
    pub fn penalty(&self) -> f64 {
        self.penalty
    }

    /// How well the data determine the coefficients, where the Hessian was formed.
    pub fn conditioning(&self) -> Option<Conditioning> {
        self.conditioning
    }

    /// The proof that the objective has no minimum, where that was found: the stop reason is then
    /// [`Stop::Infeasible`](lm_core::Stop::Infeasible).
    pub fn recession(&self) -> Option<&Recession> {
        self.recession.as_ref()
    }

    fn check<E: Examples + ?Sized>(&self, sample: &Sample<'_, E>) -> Result<Verdict> {
        let expected = sample.likelihood.width();
        for found in [self.functions.len(), self.base.len()] {
            if found != expected {
                return Err(Error::Length { what: "the list of functions", expected, found });
            }
        }
        for function in self.functions.iter().chain(&self.base) {
            sample.examples.check_dim("the weight vector", function.weights().len())?;
        }
        let mut recount = Recount::new(sample, self);
        (0..sample.len()).rev().filter(|&row| sample.weight(row) != 0.0).for_each(|row| recount.add(row));
        for (what, claimed, recomputed, allowed) in recount.claims(self.figures) {
            // Written so that NaN fails.
            if !((claimed - recomputed).abs() <= allowed) {
                return Ok(Verdict::Invalid(Discrepancy { what, claimed, recomputed, row: None }));
            }
        }
        Ok(self.recession.as_ref().map_or(Verdict::Valid, |recession| recession.check(sample)))
    }
}

impl<E: Examples + ?Sized> Certificate<TrainingSet<'_, E, BinaryLabels>> for LogisticCertificate {
    fn verify(&self, set: &TrainingSet<'_, E, BinaryLabels>) -> Result<Verdict> {
        self.check(&Sample::binary(set))
    }
}

impl<E: Examples + ?Sized> Certificate<TrainingSet<'_, E, ClassLabels>> for LogisticCertificate {
    fn verify(&self, set: &TrainingSet<'_, E, ClassLabels>) -> Result<Verdict> {
        self.check(&Sample::classes(set))
    }
}

/// Computes all figures in two sweeps over the data, on all cores.
fn figures<E: Examples + ?Sized>(
    sample: &Sample<'_, E>,
    functions: &[Linear],
    base: &[Linear],
    penalty: f64,
) -> Result<DualityFigures> {
    let (likelihood, width, p) = (sample.likelihood, functions.len(), sample.examples.dim() + 1);
    // Loss and entropy, the size of each column, then for each function the gradient and v, each followed by the bias.
    let size = 2 + p + 2 * width * p;
    let sums = sample.fold(size, |rows, sums| {
        let (mut now, mut before) = (Vec::new(), Vec::new());
        sample.scores(functions, rows.clone(), &mut now);
        sample.scores(base, rows.clone(), &mut before);
        let (mut slopes, mut rest, mut change) = (vec![0.0; width], vec![0.0; width], vec![0.0; width]);
        let (values, vectors) = sums.split_at_mut(2);
        let (sizes, vectors) = vectors.split_at_mut(p);
        let len = rows.len();
        for (at, row) in rows.enumerate() {
            let (weight, class) = (sample.weight(row), sample.classes[row]);
            if weight == 0.0 {
                continue;
            }
            for k in 0..width {
                slopes[k] = now[k * len + at];
                rest[k] = before[k * len + at];
                change[k] = slopes[k] - rest[k];
            }
            values[0] += weight * likelihood.slope(class, &mut slopes);
            values[1] += weight * likelihood.dual(class, &mut rest, &mut change);
            let example = sample.examples.row(row);
            add_sizes(&example, weight, sizes);
            sizes[p - 1] += weight;
            for (k, pair) in vectors.chunks_exact_mut(2 * p).enumerate() {
                let (gradient, v) = pair.split_at_mut(p);
                for (factor, to) in [(slopes[k], gradient), (rest[k], v)] {
                    example.add_scaled_to(weight * factor, &mut to[..p - 1]);
                    to[p - 1] += weight * factor;
                }
            }
        }
    })?;
    let (loss, entropy) = (sums[0], sums[1]);
    let (sizes, vectors) = sums[2..].split_at(p);
    let mut found = Figures::new(loss, entropy, penalty);
    for (pair, function) in vectors.chunks_exact(2 * p).zip(functions) {
        let (gradient, v) = pair.split_at(p);
        for k in 0..p {
            let w = function.weights().get(k).copied();
            found.add(w, gradient[k], v[k], sizes[k]);
        }
    }
    found.finish()
}

/// Adds the absolute values of a row.
fn add_sizes(example: &Row<'_>, weight: f64, sizes: &mut [f64]) {
    if let Row::DenseF64(values) = example {
        values.iter().zip(sizes).for_each(|(x, size)| *size += weight * x.abs());
    } else {
        example.for_each(|k, x| sizes[k] += weight * x.abs());
    }
}

/// What is left to do once the sums are known.
struct Figures {
    loss: f64,
    entropy: f64,
    penalty: f64,
    weights_squared: f64,
    v_squared: f64,
    kkt: f64,
    infeasibility: f64,
}

impl Figures {
    fn new(loss: f64, entropy: f64, penalty: f64) -> Self {
        Self { loss, entropy, penalty, weights_squared: 0.0, v_squared: 0.0, kkt: 0.0, infeasibility: 0.0 }
    }

    /// Takes a column, or the bias, which has no weight.
    fn add(&mut self, w: Option<f64>, gradient: f64, v: f64, size: f64) {
        let share = |value: f64| if size > 0.0 { value.abs() / size } else { 0.0 };
        let pull = w.map_or(0.0, |w| if self.penalty > 0.0 { self.penalty * w } else { 0.0 });
        self.kkt = self.kkt.max(share(gradient + pull));
        match w {
            Some(w) if self.penalty > 0.0 => {
                self.weights_squared += w * w;
                self.v_squared += v * v;
            }
            _ => self.infeasibility = self.infeasibility.max(share(v)),
        }
    }

    fn finish(self) -> Result<DualityFigures> {
        let half = 0.5 * self.penalty;
        let primal = self.loss + if half > 0.0 { half * self.weights_squared } else { 0.0 };
        let bound = self.entropy - if half > 0.0 { self.v_squared / (4.0 * half) } else { 0.0 };
        // Losses and penalties are not negative: 0 is a bound that needs no proof.
        let dual = bound.max(0.0);
        if primal.is_finite() && self.kkt.is_finite() {
            Ok(DualityFigures { primal, dual, kkt: self.kkt, infeasibility: self.infeasibility })
        } else {
            Err(Error::Numerical { what: "the objective" })
        }
    }
}

/// All figures once more: row by row from the last to the first, entry by entry, with bounds on the rounding errors.
struct Recount<'a, E: ?Sized> {
    sample: &'a Sample<'a, E>,
    claim: &'a LogisticCertificate,
    loss: f64,
    entropy: f64,
    /// For each function the gradient, then v; the bias last.
    gradients: Vec<Vec<f64>>,
    vs: Vec<Vec<f64>>,
    sizes: Vec<f64>,
    /// What rounding may do to a score, summed over the rows, and the most that it may do to one.
    score_error: f64,
    worst_error: f64,
}

impl<'a, E: Examples + ?Sized> Recount<'a, E> {
    fn new(sample: &'a Sample<'a, E>, claim: &'a LogisticCertificate) -> Self {
        let (p, width) = (sample.examples.dim() + 1, claim.functions.len());
        let (gradients, vs, sizes) = (vec![vec![0.0; p]; width], vec![vec![0.0; p]; width], vec![0.0; p]);
        let (loss, entropy, score_error, worst_error) = (0.0, 0.0, 0.0, 0.0);
        Self { sample, claim, loss, entropy, gradients, vs, sizes, score_error, worst_error }
    }

    /// The scores of a row, and the size of the terms they are summed from.
    fn scores(&self, functions: &[Linear], row: usize) -> (Vec<f64>, f64) {
        let (mut scores, mut size) = (Vec::with_capacity(functions.len()), 0.0);
        for function in functions {
            let (mut score, mut own) = (function.bias(), function.bias().abs());
            self.sample.examples.row(row).for_each(|k, x| {
                score += function.weights()[k] * x;
                own += (function.weights()[k] * x).abs();
            });
            scores.push(score);
            size = f64::max(size, own);
        }
        (scores, size)
    }

    fn add(&mut self, row: usize) {
        let (weight, class) = (self.sample.weight(row), self.sample.classes[row] as usize);
        let (now, size) = self.scores(&self.claim.functions, row);
        let (before, other) = self.scores(&self.claim.base, row);
        let error = 4.0 * f64::EPSILON * self.sizes.len() as f64 * size.max(other);
        self.score_error += weight * error;
        self.worst_error = self.worst_error.max(error);
        let (p, q) = (distribution(&now), moved(&distribution(&before), &now, &before));
        self.loss += weight * loss(&now, class);
        self.entropy += weight * q.iter().map(|&q| if q > 0.0 { -q * q.ln() } else { 0.0 }).sum::<f64>();
        let is = |k: usize| f64::from(u8::from(k == class));
        let sample = self.sample;
        let example = sample.examples.row(row);
        for (at, (gradient, v)) in self.gradients.iter_mut().zip(&mut self.vs).enumerate() {
            // With one function it is class 1 that it speaks for.
            let k = if now.len() == 1 { 1 } else { at };
            let (slope, rest) = (weight * (p[k] - is(k)), weight * (is(k) - q[k]));
            example.for_each(|j, x| {
                gradient[j] += slope * x;
                v[j] += rest * x;
            });
            if let (Some(gradient), Some(v)) = (gradient.last_mut(), v.last_mut()) {
                *gradient += slope;
                *v += rest;
            }
        }
        example.for_each(|j, x| self.sizes[j] += weight * x.abs());
        if let Some(size) = self.sizes.last_mut() {
            *size += weight;
        }
    }

    /// Each claim with what was found and the difference that rounding explains.
    fn claims(&self, claimed: DualityFigures) -> [(&'static str, f64, f64, f64); 4] {
        let mut found = Figures::new(self.loss, self.entropy, self.claim.penalty);
        let rounding = 16.0 * f64::EPSILON * (self.sample.len() as f64 + 16.0);
        let share = rounding + 4.0 * self.worst_error;
        let (mut v_error, mut norm) = (0.0, 0.0);
        for ((gradient, v), function) in self.gradients.iter().zip(&self.vs).zip(&self.claim.functions) {
            for j in (0..self.sizes.len()).rev() {
                let w = function.weights().get(j).copied();
                found.add(w, gradient[j], v[j], self.sizes[j]);
                if w.is_some() && self.claim.penalty > 0.0 {
                    let error = share * self.sizes[j];
                    v_error += (2.0 * v[j].abs() + error) * error / (2.0 * self.claim.penalty);
                    norm += 0.5 * v[j] * v[j] / self.claim.penalty;
                }
            }
        }
        // Entropy has a steep slope where a probability is small: a relative error costs its logarithm.
        let primal_error = rounding * self.loss + 2.0 * self.score_error;
        let dual_error = rounding * (self.entropy + norm) + 64.0 * self.score_error + v_error;
        let primal = self.loss + half_norm(&self.claim.functions, self.claim.penalty);
        let dual = (self.entropy - norm).max(0.0);
        [
            ("the primal value", claimed.primal, primal, primal_error + rounding * primal),
            ("the dual value", claimed.dual, dual, dual_error + rounding * dual),
            ("the largest entry of the gradient", claimed.kkt, found.kkt, share),
            ("the violation of the constraints", claimed.infeasibility, found.infeasibility, share),
        ]
    }
}

/// `½λΣ‖w‖²`.
fn half_norm(functions: &[Linear], penalty: f64) -> f64 {
    if penalty > 0.0 { functions.iter().map(|f| 0.5 * penalty * f.norm() * f.norm()).sum() } else { 0.0 }
}

/// `−log` of the probability of a class, by its definition.
fn loss(scores: &[f64], class: usize) -> f64 {
    let scores: &[f64] = if let [f] = scores { &[0.0, *f] } else { scores };
    let largest = scores.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
    let top = scores.iter().position(|&score| score == largest).unwrap_or(0);
    let others = scores.iter().enumerate().filter(|(k, _)| *k != top);
    let rest: f64 = others.map(|(_, score)| (score - largest).exp()).sum();
    rest.ln_1p() + largest - scores[class]
}

/// The probabilities of all classes, the two of one score included.
fn distribution(scores: &[f64]) -> Vec<f64> {
    let scores: &[f64] = if let [f] = scores { &[0.0, *f] } else { scores };
    let largest = scores.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
    let shares: Vec<f64> = scores.iter().map(|score| (score - largest).exp()).collect();
    let total: f64 = shares.iter().sum();
    shares.iter().map(|share| share / total).collect()
}

/// Probabilities moved to first order from one set of scores to another, and back into the simplex.
fn moved(p: &[f64], now: &[f64], before: &[f64]) -> Vec<f64> {
    let change: Vec<f64> = match (now, before) {
        ([now], [before]) => vec![0.0, now - before],
        _ => now.iter().zip(before).map(|(now, before)| now - before).collect(),
    };
    let mean: f64 = p.iter().zip(&change).map(|(p, change)| p * change).sum();
    let moved: Vec<f64> =
        p.iter().zip(&change).map(|(p, change)| (p * (1.0 + (change - mean))).max(0.0)).collect();
    let total: f64 = moved.iter().sum();
    moved.iter().map(|p| p / total).collect()
}
