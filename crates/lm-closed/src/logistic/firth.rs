//! Logistic regression with Firth's correction: estimates that exist for all data, with less bias on few.
//!
//! # Problem
//! ```text
//! minimise Σ ωᵢ log(1 + exp(−yᵢ f(xᵢ))) − ½ log det XᵗWX   over f(x) = ⟨w·x⟩ + b ,   W = diag(ωp(1 − p)) ,  rows (x, 1) of X
//! ```
//! The determinant is that on the directions that the data determine.
//! # Method
//! Fisher scoring with step control: `(XᵗWX) s = Σ ω([y = 1] − p + h(½ − p))x`, where `h = p(1 − p)·xᵗ(XᵗWX)⁻¹x` is the
//! leverage of one copy of the example. Convergence is linear, fast unless examples are few.
//! # Cost
//! Two sweeps of `n(d + 1)²` operations a step, on all cores; 10 to 50 steps.
//! # Reference
//! Firth (1993), *Biometrika* 80, 27–38; Heinze & Schemper (2002), *Statistics in Medicine* 21.

use lm_core::linalg::{Matrix, Svd};
use lm_core::{
    BinaryLabels, Certificate, Control, Discrepancy, Examples, Fit, Learner, Linear, Meter, Result, Row,
    Stop, TrainingSet, Verdict,
};

use super::LogisticStatistics;
use super::binary::LogisticModel;
use super::curvature::Curvature;
use super::frame::Frame;
use super::irls::check_tolerance;
use super::likelihood::sigmoid;
use super::newton::{Judged, Walk};
use super::sample::Sample;

/// The settings of logistic regression with Firth's correction.
///
/// ```
/// use lm_closed::FirthLogistic;
/// use lm_core::{BinaryLabels, Dense, Learner};
///
/// // Separable, so that the likelihood alone has no maximum.
/// let examples = Dense::new(vec![-3.0, -2.0, -1.0, 1.0, 2.0, 3.0], 6, 1)?;
/// let labels = BinaryLabels::from_integers(&[-1, -1, -1, 1, 1, 1])?;
/// let fit = FirthLogistic::default().fit(&examples, &labels)?.converged()?;
/// assert!((fit.model.function().weights()[0] - 0.938_416_488_578_068_5).abs() < 1e-11);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FirthLogistic {
    tolerance: f64,
    steps: u64,
}

impl Default for FirthLogistic {
    fn default() -> Self {
        Self { tolerance: 1e-12, steps: 1000 }
    }
}

impl FirthLogistic {
    /// The change of a score, of examples within the range of the data, below which a step ends the run; between 0 and
    /// 1, default 1e-12.
    #[must_use]
    pub fn with_tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    /// Ends the run after this many steps; default 1000. A budget on iterations takes its place.
    #[must_use]
    pub fn with_steps(self, steps: u64) -> Self {
        Self { steps, ..self }
    }
}

impl<E: Examples + ?Sized> Learner<E, BinaryLabels> for FirthLogistic {
    type Model = LogisticModel;
    type Certificate = FirthCertificate;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, E, BinaryLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<LogisticModel, FirthCertificate>> {
        check_tolerance(self.tolerance)?;
        let sample = Sample::binary(set);
        let mut meter = control.start(self.steps);
        let p = set.examples().dim().saturating_add(1);
        meter.budget().check_memory(
            "the Hessians of a sweep",
            sample.bytes().saturating_add(p.saturating_mul(8 * p)),
        )?;
        let mut state = State::new(&sample, self.tolerance)?;
        let stop = state.run(&mut meter)?;
        let function = state.frame.function(state.walk.at())?;
        let figures = FirthFigures { loss: state.loss, score: state.score };
        let certificate = FirthCertificate { function: function.clone(), figures };
        Ok(Fit { model: LogisticModel::new(function), report: meter.report(stop, None), certificate })
    }
}

struct State<'a, E: ?Sized> {
    sample: &'a Sample<'a, E>,
    tolerance: f64,
    frame: Frame,
    walk: Walk,
    /// At the best point: the loss without the correction, the largest entry of the corrected score.
    loss: f64,
    score: f64,
    /// The sum of the absolute coefficients of the last step.
    moves: f64,
    idle: u32,
}

impl<'a, E: Examples + ?Sized> State<'a, E> {
    fn new(sample: &'a Sample<'a, E>, tolerance: f64) -> Result<Self> {
        let frame = Frame::of(sample.examples, sample.weights, 0.0)?;
        let walk = Walk::new(sample.start());
        let (loss, score, moves, idle) = (f64::INFINITY, f64::INFINITY, f64::INFINITY, 0);
        Ok(Self { sample, tolerance, frame, walk, loss, score, moves, idle })
    }

    fn run(&mut self, meter: &mut Meter<'_>) -> Result<Stop> {
        let mut stop = meter.advance(0, 0);
        loop {
            let empty = LogisticStatistics::at(self.frame.clone(), 2, self.walk.trial().to_vec())?;
            let total = match self.sample.statistics(&empty, self.walk.value().is_finite(), meter)? {
                Ok(total) => total,
                Err(stop) => return Ok(stop),
            };
            let curvature = Curvature::of(total.hessian()?)?;
            match self.walk.judge(total.loss() - 0.5 * curvature.log_determinant()) {
                Judged::Exhausted => return Ok(Stop::Stalled),
                Judged::Shortened => {}
                Judged::Accepted => {
                    self.loss = total.loss();
                    if let Some(stop) = self.turn(&total, &curvature)? {
                        return Ok(stop);
                    }
                }
            }
            meter.observe(Some(self.walk.value()), Some(self.moves));
            if let Some(stop) = stop {
                return Ok(stop);
            }
            stop = meter.advance(1, 0);
        }
    }

    /// Solves for the next step; converged if it moves nothing.
    fn turn(&mut self, total: &LogisticStatistics, curvature: &Curvature) -> Result<Option<Stop>> {
        let inverse = curvature.inverse()?;
        let (correction, sizes) = correction(self.sample, &self.frame, self.walk.at(), &inverse)?;
        let gradient: Vec<f64> = total.gradient().iter().zip(&correction).map(|(g, c)| g + c).collect();
        let share = |(g, size): (&f64, &f64)| if *size > 0.0 { g.abs() / size } else { 0.0 };
        self.score = gradient.iter().zip(&sizes).map(share).fold(0.0, f64::max);
        let mut step = gradient.clone();
        curvature.solve(&mut step)?;
        step.iter_mut().for_each(|s| *s = -*s);
        let slope: f64 = gradient.iter().zip(&step).map(|(g, s)| g * s).sum();
        let moves = step.iter().map(|s| s.abs()).sum::<f64>();
        // Steps that no longer shrink, far below what matters, are rounding.
        self.idle = if moves > 0.9 * self.moves && moves < 1e-6 { self.idle + 1 } else { 0 };
        self.moves = moves;
        self.walk.propose(&step, slope.min(0.0));
        Ok(if moves <= self.tolerance {
            Some(Stop::Converged)
        } else if self.idle > 5 {
            Some(Stop::Stalled)
        } else {
            None
        })
    }
}

/// `Σ ωh(p − ½)x̃` and `Σ ω|x̃|`, with leverages `h` from the inverse of the Hessian.
fn correction<E: Examples + ?Sized>(
    sample: &Sample<'_, E>,
    frame: &Frame,
    at: &[f64],
    inverse: &Matrix,
) -> Result<(Vec<f64>, Vec<f64>)> {
    let p = at.len();
    let mut sums = sample.fold(2 * p, |rows, sums| {
        let (correction, sizes) = sums.split_at_mut(p);
        let mut block = Vec::new();
        for row in rows {
            let weight = sample.weight(row);
            if weight == 0.0 {
                continue;
            }
            frame.fill(sample.examples, row..row + 1, &mut block);
            let x = Row::DenseF64(&block);
            let probability = sigmoid(x.dot_dense(at));
            let form: f64 =
                block.iter().enumerate().map(|(k, value)| value * x.dot_dense(inverse.column(k))).sum();
            let leverage = probability * (1.0 - probability) * form;
            x.add_scaled_to(weight * leverage * (probability - 0.5), correction);
            sizes.iter_mut().zip(&block).for_each(|(size, x)| *size += weight * x.abs());
        }
    })?;
    let sizes = sums.split_off(p);
    Ok((sums, sizes))
}

/// The evidence for a fit with Firth's correction: the function at which the corrected score vanishes.
#[derive(Debug, Clone, PartialEq)]
pub struct FirthCertificate {
    function: Linear,
    figures: FirthFigures,
}

/// Figures of a fit with Firth's correction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FirthFigures {
    /// `−log` of the likelihood, without the correction.
    pub loss: f64,
    /// The largest entry of the corrected score, divided by the sum of the absolute values of its centred column.
    pub score: f64,
}

impl FirthCertificate {
    /// What is claimed.
    pub fn figures(&self) -> FirthFigures {
        self.figures
    }
}

impl<E: Examples + ?Sized> Certificate<TrainingSet<'_, E, BinaryLabels>> for FirthCertificate {
    /// Recomputes leverages from the singular vectors of `W^½X` instead of its normal equations.
    fn verify(&self, set: &TrainingSet<'_, E, BinaryLabels>) -> Result<Verdict> {
        let examples = set.examples();
        examples.check_dim("the weight vector", self.function.weights().len())?;
        let rows: Vec<usize> = (0..set.len()).filter(|&row| set.weight(row) != 0.0).collect();
        let p = examples.dim() + 1;
        let frame = Frame::of(examples, set.weights(), 0.0)?;
        let mut design = Matrix::zeros(rows.len(), p)?;
        let (mut loss, mut error, mut residuals) = (0.0, 0.0_f64, Vec::with_capacity(rows.len()));
        let mut x = Vec::new();
        for (at, &row) in rows.iter().enumerate() {
            let (mut score, mut size) = (self.function.bias(), self.function.bias().abs());
            examples.row(row).for_each(|k, x| {
                score += self.function.weights()[k] * x;
                size += (self.function.weights()[k] * x).abs();
            });
            error = error.max(4.0 * f64::EPSILON * p as f64 * size);
            let (weight, margin) = (set.weight(row), set.labels().signs()[row].value() * score);
            loss += weight * ((-margin.abs()).exp().ln_1p() + (-margin).max(0.0));
            let probability = 1.0 / (1.0 + (-score).exp());
            residuals.push(probability);
            frame.fill(examples, row..row + 1, &mut x);
            let root = (weight * probability * (1.0 - probability)).sqrt();
            x.iter().enumerate().for_each(|(k, x)| design[(at, k)] = root * x);
        }
        let svd = Svd::thin(&design)?;
        let rank = svd.rank(svd.default_tolerance());
        let (mut scores, mut sizes) = (vec![0.0; p], vec![0.0; p]);
        for (at, &row) in rows.iter().enumerate() {
            // Of all copies together.
            let leverage: f64 = (0..rank).map(|k| svd.u[(at, k)] * svd.u[(at, k)]).sum();
            let (weight, probability) = (set.weight(row), residuals[at]);
            let target = if set.labels().signs()[row].value() > 0.0 { 1.0 } else { 0.0 };
            let slope = weight * (probability - target) + leverage * (probability - 0.5);
            frame.fill(examples, row..row + 1, &mut x);
            for (k, x) in x.iter().enumerate() {
                scores[k] += slope * x;
                sizes[k] += weight * x.abs();
            }
        }
        let share = |(g, size): (&f64, &f64)| if *size > 0.0 { g.abs() / size } else { 0.0 };
        let score = scores.iter().zip(&sizes).map(share).fold(0.0, f64::max);
        let rounding = 64.0 * f64::EPSILON * (rows.len() as f64 + 16.0) + 8.0 * error;
        // Leverages by another way differ by the rounding of normal equations.
        let condition =
            svd.values.first().zip(svd.values.get(rank.saturating_sub(1))).map_or(1.0, |(a, b)| a / b);
        let claims = [
            ("the loss", self.figures.loss, loss, rounding * (1.0 + loss)),
            ("the corrected score", self.figures.score, score, rounding * (1.0 + condition * condition)),
        ];
        let wrong = claims.iter().find(|(_, claimed, found, allowed)| !((claimed - found).abs() <= *allowed));
        Ok(wrong.map_or(Verdict::Valid, |&(what, claimed, recomputed, _)| {
            Verdict::Invalid(Discrepancy { what, claimed, recomputed, row: None })
        }))
    }
}
