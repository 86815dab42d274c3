//! Kernel logistic regression: Newton's method on the coefficients of the representer theorem.
//!
//! # Problem
//! ```text
//! minimise Σ ωᵢ log(1 + exp(−yᵢ f(xᵢ))) + ½λ αᵗKα   over f = Kα + b ,   λ > 0 ,  b free
//! ```
//! # Method
//! Each step is a kernel ridge regression with weights `W = ωp(1 − p)`: `(K + λW⁻¹)α' + b' = z`, `Σα' = 0`, where
//! `z = f + W⁻¹ω([y = 1] − p)`. It is solved by the Cholesky factor of `I + W^½KW^½/λ`, whose eigenvalues are at least 1,
//! and is shortened until the objective falls enough; that needs no more kernel values. The new coefficients are
//! multipliers of the dual problem by themselves: `λαᵢ = ωᵢ([yᵢ = 1] − qᵢ)` with `q` between 0 and 1, so that every step
//! comes with its duality gap.
//! # Cost
//! All kernel values once, `n³/3` operations a step and `2n²` numbers. Five to ten steps.
//! # Reference
//! Rasmussen & Williams (2006), algorithm 3.1; Zhu & Hastie (2005); Keerthi et al. (2005) for the dual.

use lm_core::linalg::{Cholesky, Interruptible, Matrix, matrix_vector};
use lm_core::{
    BinaryLabels, Columns, Control, DualExpansion, Error, Fit, Gram, Learner, Meter, Result, Stop,
    TrainingSet,
};

use super::irls::{check_tolerance, is_small};
use super::kernel_certificate::{KernelLogisticCertificate, probability_of};
use super::likelihood::{Likelihood, loss, sigmoid};
use super::newton::{Judged, Walk};
use super::run::ROUNDING;

/// The settings of kernel logistic regression.
///
/// The Gram matrix must be one of inner products; on another one a run may stall. With
/// [`OverVectors`](lm_core::OverVectors) it learns from vectors and predicts on new ones; probabilities are those of
/// [`probability`](super::probability).
///
/// ```
/// use lm_closed::KernelLogistic;
/// use lm_core::{BinaryLabels, Certificate, Dense, Learner, OverVectors, TrainingSet, VectorKernel};
///
/// let examples = Dense::new(vec![1.0, 1.0, -1.0, -1.0, 1.0, -1.0, -1.0, 1.0], 4, 2)?;
/// let labels = BinaryLabels::from_integers(&[1, 1, -1, -1])?; // exclusive or
/// let learner = OverVectors::new(KernelLogistic::default().with_penalty(0.1), VectorKernel::gaussian(0.5)?);
/// let fit = learner.fit(&examples, &labels)?.converged()?;
/// assert!(fit.model.decision(&[0.9, 0.9])? > 0.0 && fit.model.decision(&[0.9, -0.9])? < 0.0);
/// assert!(fit.certificate.verify(&TrainingSet::new(&examples, &labels)?)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KernelLogistic {
    penalty: f64,
    tolerance: f64,
    steps: u64,
}

impl Default for KernelLogistic {
    fn default() -> Self {
        Self { penalty: 1.0, tolerance: 1e-10, steps: 100 }
    }
}

impl KernelLogistic {
    /// The penalty `λ` on `½‖f‖²`, finite and > 0; default 1. A small one costs more steps.
    #[must_use]
    pub fn with_penalty(self, penalty: f64) -> Self {
        Self { penalty, ..self }
    }

    /// The relative duality gap at which the model is good enough, between 0 and 1; default 1e-10.
    #[must_use]
    pub fn with_tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    /// Ends the run after this many Newton steps; default 100. A budget on iterations takes its place.
    #[must_use]
    pub fn with_steps(self, steps: u64) -> Self {
        Self { steps, ..self }
    }

    fn validate(&self) -> Result<()> {
        if !(self.penalty > 0.0 && self.penalty.is_finite()) {
            let (name, value) = ("penalty", self.penalty);
            return Err(Error::Setting { name, value, accepted: "a finite number > 0" });
        }
        check_tolerance(self.tolerance)
    }
}

impl<G: Gram + ?Sized> Learner<G, BinaryLabels> for KernelLogistic {
    type Model = DualExpansion;
    type Certificate = KernelLogisticCertificate;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, G, BinaryLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<DualExpansion, KernelLogisticCertificate>> {
        self.validate()?;
        let mut meter = control.start(self.steps);
        let mut state = State::new(self, set);
        let stop = state.run(set.examples(), &mut meter)?;
        let (alpha, bias) = state.expansion(set.len());
        let model = DualExpansion::from_all(&alpha, bias)?;
        let certificate = state.certificate(alpha, bias)?;
        // Converged is what the certificate says, not what the solver believes.
        let missed =
            stop == Stop::Converged && certificate.figures().relative_gap() > self.tolerance.max(ROUNDING);
        let report = meter.report(if missed { Stop::Stalled } else { stop }, None);
        Ok(Fit { model, report, certificate })
    }
}

struct State<'a> {
    settings: &'a KernelLogistic,
    /// The examples that have a weight; all below is of these.
    rows: Vec<usize>,
    classes: Vec<u32>,
    weights: Vec<f64>,
    gram: Option<Matrix>,
    /// Coefficients, bias and values `f`, one after the other: all of them are linear along a step.
    walk: Walk,
    /// Minus the derivative of the objective along the last step.
    decrement: f64,
}

impl<'a> State<'a> {
    fn new<G: Gram + ?Sized>(settings: &'a KernelLogistic, set: &TrainingSet<'_, G, BinaryLabels>) -> Self {
        let rows: Vec<usize> = (0..set.len()).filter(|&row| set.weight(row) != 0.0).collect();
        let weights: Vec<f64> = rows.iter().map(|&row| set.weight(row)).collect();
        let positive = |row: usize| set.labels().signs()[row].value() > 0.0;
        let classes: Vec<u32> = rows.iter().map(|&row| u32::from(positive(row))).collect();
        let total = |class: u32| -> f64 {
            classes.iter().zip(&weights).filter(|(own, _)| **own == class).map(|(_, weight)| weight).sum()
        };
        let odds = (total(1) / total(0)).ln();
        let odds = if odds.is_finite() { odds } else { 0.0 };
        let n = rows.len();
        let mut start = vec![0.0; n];
        start.resize(2 * n + 1, odds);
        Self {
            settings,
            rows,
            classes,
            weights,
            gram: None,
            walk: Walk::new(start),
            decrement: f64::INFINITY,
        }
    }

    fn run<G: Gram + ?Sized>(&mut self, gram: &G, meter: &mut Meter<'_>) -> Result<Stop> {
        self.judge();
        if let Some(stop) = meter.advance(0, 0) {
            return Ok(stop);
        }
        let n = self.rows.len();
        // The matrix, the one to be factored, and its factor while it is made.
        meter
            .budget()
            .check_memory("the Gram matrix and its factor", n.saturating_mul(n).saturating_mul(24))?;
        if let Some(stop) = self.fill(gram, meter)? {
            return Ok(stop);
        }
        loop {
            match self.turn(meter)? {
                Turn::Stopped(stop) => return Ok(stop),
                Turn::Ready => {}
            }
            loop {
                match self.judge() {
                    Judged::Accepted => break,
                    Judged::Shortened => {}
                    Judged::Exhausted => return Ok(Stop::Converged),
                }
            }
            let gap = self.gap();
            let stop = meter.advance(1, 0);
            meter.observe(Some(self.walk.value()), gap);
            let small = is_small(self.decrement, self.walk.value(), self.settings.tolerance);
            if small && gap.is_some_and(|gap| gap <= self.settings.tolerance.max(ROUNDING)) {
                return Ok(Stop::Converged);
            }
            if let Some(stop) = stop {
                return Ok(stop);
            }
        }
    }

    /// Computes the kernel values of all pairs with a weight.
    fn fill<G: Gram + ?Sized>(&mut self, gram: &G, meter: &mut Meter<'_>) -> Result<Option<Stop>> {
        /// Rows between two looks at the clock.
        const ROWS: usize = 256;
        let n = self.rows.len();
        let mut matrix = Matrix::zeros(n, n)?;
        let columns = if n == gram.len() { Columns::All } else { Columns::List(&self.rows) };
        for (rows, out) in self.rows.chunks(ROWS).zip(matrix.values_mut().chunks_mut(ROWS * n)) {
            gram.fill(rows, columns, out)?;
            if let Some(stop) = meter.advance(0, out.len() as u64) {
                return Ok(Some(stop));
            }
        }
        self.gram = Some(matrix);
        Ok(None)
    }

    /// The objective at the trial, from coefficients and values alone.
    fn judge(&mut self) -> Judged {
        let (alpha, bias, f) = parts(self.walk.trial(), self.rows.len());
        let mut value = 0.5 * self.settings.penalty * form(alpha, bias, f);
        for ((&class, weight), f) in self.classes.iter().zip(&self.weights).zip(f) {
            value += weight * loss(if class == 1 { *f } else { -f });
        }
        self.walk.judge(value)
    }

    /// Solves the weighted ridge regression at the best point and proposes the way there.
    fn turn(&mut self, meter: &mut Meter<'_>) -> Result<Turn> {
        let n = self.rows.len();
        let (alpha, bias, f) = parts(self.walk.at(), n);
        let missing = Error::Numerical { what: "a step without kernel values" };
        let gram = self.gram.as_ref().ok_or(missing)?;
        let lambda = self.settings.penalty;
        let (mut slopes, mut roots) = (vec![0.0; n], vec![0.0; n]);
        let (mut z, mut ones) = (vec![0.0; n], vec![0.0; n]);
        for i in 0..n {
            let p = sigmoid(f[i]);
            slopes[i] = self.weights[i] * (Likelihood::Logistic.target(self.classes[i], 0) - p);
            // Far out weights vanish; the least one keeps the step finite, and it is controlled anyway.
            roots[i] = (self.weights[i] * (p * (1.0 - p)).max(1e-290)).sqrt();
            z[i] = roots[i] * f[i] + slopes[i] / roots[i];
            ones[i] = roots[i];
        }
        let mut matrix = gram.clone();
        for (j, column) in matrix.values_mut().chunks_exact_mut(n).enumerate() {
            let own = roots[j] / lambda;
            column.iter_mut().zip(&roots).for_each(|(value, root)| *value *= own * root);
            column[j] += 1.0;
        }
        let mut stop = None;
        let factor = Cholesky::factor_while(matrix, &mut || {
            stop = meter.advance(0, 0);
            stop.is_none()
        })?;
        let cholesky = match factor {
            Interruptible::Stopped => return Ok(Turn::Stopped(stop.unwrap_or(Stop::Cancelled))),
            Interruptible::Done(None) => return Ok(Turn::Stopped(Stop::Stalled)),
            Interruptible::Done(Some(cholesky)) => cholesky,
        };
        cholesky.solve(&mut z)?;
        cholesky.solve(&mut ones)?;
        for ((z, one), root) in z.iter_mut().zip(&mut ones).zip(&roots) {
            *z *= root / lambda;
            *one *= root / lambda;
        }
        let new_bias = z.iter().sum::<f64>() / ones.iter().sum::<f64>();
        let new_alpha: Vec<f64> = z.iter().zip(&ones).map(|(z, one)| z - new_bias * one).collect();
        let values = matrix_vector(gram, &new_alpha)?;
        let mut step: Vec<f64> = new_alpha.iter().zip(alpha).map(|(new, old)| new - old).collect();
        step.push(new_bias - bias);
        step.extend(values.iter().zip(f).map(|(value, f)| value + new_bias - f));
        let slope = self.slope(&step, &slopes);
        if !(step.iter().all(|s| s.is_finite()) && slope.is_finite()) {
            return Err(Error::Numerical { what: "a Newton step" });
        }
        self.decrement = -slope;
        self.walk.propose(&step, slope.min(0.0));
        Ok(Turn::Ready)
    }

    /// The derivative of the objective along a step.
    fn slope(&self, step: &[f64], slopes: &[f64]) -> f64 {
        let n = self.rows.len();
        let (alpha, ..) = parts(self.walk.at(), n);
        let (_, bias, change) = parts(step, n);
        let pull: f64 = alpha.iter().zip(change).map(|(alpha, change)| alpha * (change - bias)).sum();
        let fall: f64 = slopes.iter().zip(change).map(|(slope, change)| slope * change).sum();
        self.settings.penalty * pull - fall
    }

    /// The relative duality gap at the best point, where the coefficients are multipliers.
    fn gap(&self) -> Option<f64> {
        let (alpha, bias, f) = parts(self.walk.at(), self.rows.len());
        let mut entropy = 0.0;
        for ((&class, &weight), &alpha) in self.classes.iter().zip(&self.weights).zip(alpha) {
            let q = probability_of(alpha, class, weight, self.settings.penalty);
            if !(0.0..=1.0).contains(&q) {
                return None;
            }
            entropy += weight * Likelihood::Logistic.entropy(&[q]);
        }
        let dual = entropy - 0.5 * self.settings.penalty * form(alpha, bias, f);
        let primal = self.walk.value();
        Some((primal - dual) / primal.abs().max(dual.abs()))
    }

    /// Coefficients of all examples, those of weight 0 included, and the bias.
    fn expansion(&self, len: usize) -> (Vec<f64>, f64) {
        let (alpha, bias, _) = parts(self.walk.at(), self.rows.len());
        let mut all = vec![0.0; len];
        self.rows.iter().zip(alpha).for_each(|(&row, &alpha)| all[row] = alpha);
        (all, bias)
    }

    fn certificate(&self, alpha: Vec<f64>, bias: f64) -> Result<KernelLogisticCertificate> {
        let (own, _, f) = parts(self.walk.at(), self.rows.len());
        let multiply = |other: &[f64]| match &self.gram {
            Some(gram) => matrix_vector(gram, other),
            // Without kernel values all coefficients are zero.
            None => Ok(vec![0.0; other.len()]),
        };
        let sample: Vec<(u32, f64)> =
            self.classes.iter().copied().zip(self.weights.iter().copied()).collect();
        KernelLogisticCertificate::compute(alpha, bias, self.settings.penalty, &sample, own, f, &multiply)
    }
}

enum Turn {
    Ready,
    Stopped(Stop),
}

/// Coefficients, bias and values.
fn parts(point: &[f64], n: usize) -> (&[f64], f64, &[f64]) {
    (&point[..n], point[n], &point[n + 1..])
}

/// `αᵗKα`, from the values `f = Kα + b`.
fn form(alpha: &[f64], bias: f64, f: &[f64]) -> f64 {
    alpha.iter().zip(f).map(|(alpha, f)| alpha * (f - bias)).sum()
}
