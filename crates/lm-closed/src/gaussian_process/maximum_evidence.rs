//! Gaussian process regression at the parameters that make the data most probable.
//!
//! # Problem
//! ```text
//! maximise log p(y | s², ℓ, σ²)   over the logarithms of all parameters, in a box
//! ```
//! # Method
//! L-BFGS in a box from several starts; the best end is kept, and each is reported. The box and the first start follow
//! from the data: lengths of the size of a column's deviation, variances of the size of that of the targets. The other
//! starts are spread over the box evenly, by multiples of an irrational number for each coordinate, the same ones in every
//! run. Evidence has several maxima and plateaus (a length without end, noise that explains everything): more starts find
//! more of them, and bounds keep the parameters finite.
//! # Cost
//! That of the evidence with its gradient, some 20 to 60 times a start.
//! # Reference
//! Rasmussen & Williams (2006), section 5.4.1; Cristianini & Shawe-Taylor (2000), section 6.2.3.

use lm_core::{
    Certificate, Control, Error, Examples, Fit, Learner, Meter, Result, Stop, Targets, TrainingSet, Verdict,
};

use super::bounded_lbfgs::{Evaluation, Minimum, minimise};
use super::{GaussianCovariance, GaussianProcess, GaussianProcessCertificate, GaussianProcessModel, Lengths};

/// The settings of Gaussian process regression at the parameters of most evidence.
///
/// An iteration is one computation of the evidence. A run that is stopped keeps the best parameters that it has seen.
///
/// ```
/// use lm_closed::MaximumEvidence;
/// use lm_core::{Control, Dense, Learner, Targets, TrainingSet};
///
/// let inputs = Dense::new((0..30).map(|x| f64::from(x) / 5.0).collect(), 30, 1)?;
/// let targets = Targets::new((0..30).map(|x| (f64::from(x) / 5.0).sin()).collect())?;
/// let fit = MaximumEvidence::default().fit(&inputs, &targets)?;
/// let best = fit.model.covariance();
/// assert!(best.noise_variance() < 1e-4); // there is no noise in these targets
/// assert!(fit.certificate.starts().iter().all(|start| start.log_evidence <= fit.certificate.log_evidence()));
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct MaximumEvidence {
    each_length: bool,
    centred: bool,
    starts: usize,
    tolerance: f64,
    shortest: f64,
    longest: f64,
    least_noise: f64,
}

impl Default for MaximumEvidence {
    fn default() -> Self {
        Self {
            each_length: false,
            centred: false,
            starts: 3,
            tolerance: 1e-6,
            shortest: 1e-2,
            longest: 1e3,
            least_noise: 1e-8,
        }
    }
}

impl MaximumEvidence {
    /// Whether every column has a length of its own; default no. A column that does not matter gets a long one.
    #[must_use]
    pub fn with_each_length(self, each_length: bool) -> Self {
        Self { each_length, ..self }
    }

    /// As [`GaussianProcess::with_centring`]; default no.
    #[must_use]
    pub fn with_centring(self, centred: bool) -> Self {
        Self { centred, ..self }
    }

    /// The number of starts, at least 1; default 3. Each costs as much as the first.
    #[must_use]
    pub fn with_starts(self, starts: usize) -> Self {
        Self { starts, ..self }
    }

    /// What may be left of the gradient in a logarithm, for each example, finite and > 0; default 1e-6.
    #[must_use]
    pub fn with_tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    /// The shortest and the longest length, in units of the deviation of the column, with 0 < shortest < longest; default
    /// 0.01 and 1000.
    #[must_use]
    pub fn with_length_range(self, shortest: f64, longest: f64) -> Self {
        Self { shortest, longest, ..self }
    }

    /// The least noise variance, in units of the variance of the targets, between 0 and 1; default 1e-8. Less noise makes
    /// the matrix nearly singular.
    #[must_use]
    pub fn with_least_noise(self, least_noise: f64) -> Self {
        Self { least_noise, ..self }
    }

    fn validate(&self) -> Result<()> {
        let setting = |name, value, accepted| Err(Error::Setting { name, value, accepted });
        if self.starts == 0 {
            return setting("starts", 0.0, "an integer of at least 1");
        }
        if !(self.tolerance > 0.0 && self.tolerance.is_finite()) {
            return setting("tolerance", self.tolerance, "a finite number > 0");
        }
        if !(self.shortest > 0.0 && self.shortest < self.longest) {
            return setting("shortest length", self.shortest, "a number > 0 and below the longest length");
        }
        if !self.longest.is_finite() {
            return setting("longest length", self.longest, "a finite number");
        }
        if !(self.least_noise > 0.0 && self.least_noise < 1.0) {
            return setting("least noise", self.least_noise, "a number between 0 and 1");
        }
        Ok(())
    }

    /// The first start and the box, in logarithms: `s²`, `σ²`, then the lengths.
    fn search<E: Examples + ?Sized>(&self, set: &TrainingSet<'_, E, Targets>) -> Search {
        let dim = set.examples().dim();
        let deviations = deviations(set);
        let lengths = if self.each_length {
            deviations
        } else {
            let mean = deviations.iter().map(|d| d * (d / dim as f64)).sum::<f64>().sqrt();
            vec![if mean > 0.0 && mean.is_finite() { mean } else { 1.0 }]
        };
        let scale = target_scale(set, self.centred);
        // With d columns, distances are √d deviations.
        let spread = (dim as f64).sqrt().ln();
        let mut start = vec![scale.ln(), (0.05 * scale).ln()];
        let mut bounds = vec![
            ((1e-4 * scale).ln(), (1e4 * scale).ln()),
            ((self.least_noise * scale).ln(), (10.0 * scale).ln()),
        ];
        for length in &lengths {
            let (low, high) = (length.ln() + self.shortest.ln(), length.ln() + spread + self.longest.ln());
            start.push((length.ln() + spread).clamp(low, high));
            bounds.push((low, high));
        }
        let kind = if self.each_length { Lengths::Each(lengths) } else { Lengths::One(1.0) };
        Search { start, bounds, kind }
    }

    /// Maximises from every start.
    fn maximise<E: Examples + ?Sized>(
        &self,
        set: &TrainingSet<'_, E, Targets>,
        search: &Search,
        meter: &mut Meter<'_>,
    ) -> Result<(GaussianCovariance, Vec<Start>, Option<Stop>)> {
        let mut best = search.covariance(&search.start);
        let (mut starts, mut best_value, mut stopped) = (Vec::<Start>::new(), f64::NEG_INFINITY, None);
        for number in 0..self.starts {
            let from = search.point(number);
            let mut evaluate = |x: &[f64]| self.evaluate(set, &search.covariance(x), meter);
            let tolerance = self.tolerance * set.len() as f64;
            let found = minimise(&from, &search.bounds, tolerance, u64::MAX, &mut evaluate)?;
            let stop = match &found {
                Ok(found) => found.stop,
                Err(stop) => *stop,
            };
            if let Ok(Minimum { x, value, slope, .. }) = found {
                let covariance = search.covariance(&x);
                if -value > best_value {
                    (best, best_value) = (covariance.clone(), -value);
                }
                let from = search.covariance(&from);
                starts.push(Start { from, covariance, log_evidence: -value, slope, stop });
            }
            if !matches!(stop, Stop::Converged | Stop::Stalled) {
                stopped = Some(stop);
                break;
            }
        }
        Ok((best, starts, stopped))
    }

    /// Minus the evidence and its gradient.
    fn evaluate<E: Examples + ?Sized>(
        &self,
        set: &TrainingSet<'_, E, Targets>,
        covariance: &GaussianCovariance,
        meter: &mut Meter<'_>,
    ) -> Result<Evaluation> {
        if let Some(stop) = meter.advance(0, 0) {
            return Ok(Evaluation::Stopped(stop));
        }
        let process = GaussianProcess::new(covariance.clone()).with_centring(self.centred);
        let evidence = match process.prepared(set).and_then(|prepared| process.evidence_of(&prepared, meter))
        {
            Ok(Ok(evidence)) => evidence,
            Ok(Err(stop)) => return Ok(Evaluation::Stopped(stop)),
            // Too far out for the arithmetic: not a point to go to.
            Err(Error::Numerical { .. } | Error::Setting { .. } | Error::Weight { .. }) => {
                return Ok(Evaluation::Unknown);
            }
            Err(error) => return Err(error),
        };
        // The limit is looked at before the next point: this one is known.
        let _ = meter.advance(1, 0);
        meter.observe(Some(evidence.value), None);
        let mut gradient = vec![-evidence.gradient.signal, -evidence.gradient.noise];
        gradient.extend(evidence.gradient.lengths.iter().map(|g| -g));
        Ok(Evaluation::Known(-evidence.value, gradient))
    }
}

/// Where parameters are looked for.
struct Search {
    start: Vec<f64>,
    bounds: Vec<(f64, f64)>,
    kind: Lengths,
}

impl Search {
    fn covariance(&self, x: &[f64]) -> GaussianCovariance {
        let lengths: Vec<f64> = x[2..].iter().map(|x| x.exp()).collect();
        let with =
            GaussianCovariance::default().with_signal_variance(x[0].exp()).with_noise_variance(x[1].exp());
        match self.kind.with_values(&lengths) {
            Lengths::One(length) => with.with_length(length),
            Lengths::Each(lengths) => with.with_lengths(lengths),
        }
    }

    /// The first start, or a point of the middle of the box.
    fn point(&self, number: usize) -> Vec<f64> {
        if number == 0 {
            return self.start.clone();
        }
        // The positive root of x^(d+1) = x + 1, whose powers fill a box of d dimensions evenly (Roberts).
        let dim = self.start.len() as f64;
        let root = (0..50).fold(1.5_f64, |x, _| (1.0 + x).powf(1.0 / (dim + 1.0)));
        let place = |(k, (start, (low, high))): (usize, (&f64, &(f64, f64)))| {
            let share = (0.5 + number as f64 / root.powi(k as i32 + 1)).fract();
            // Half of the way to the bounds: at the bounds themselves evidence is flat.
            let (low, high) = (0.5 * (start + low), 0.5 * (start + high));
            low + share * (high - low)
        };
        self.start.iter().zip(&self.bounds).enumerate().map(place).collect()
    }
}

/// The weighted deviation of every column; 1 for a column that does not vary.
fn deviations<E: Examples + ?Sized>(set: &TrainingSet<'_, E, Targets>) -> Vec<f64> {
    let (examples, dim) = (set.examples(), set.examples().dim());
    let total: f64 = (0..set.len()).map(|row| set.weight(row)).sum();
    let mut mean = vec![0.0; dim];
    for row in 0..set.len() {
        examples.add_scaled(row, set.weight(row) / total, &mut mean);
    }
    let mut squares = vec![0.0; dim];
    let mut dense = vec![0.0; dim];
    for row in 0..set.len() {
        dense.fill(0.0);
        examples.add_scaled(row, 1.0, &mut dense);
        let share = set.weight(row) / total;
        for ((square, x), mean) in squares.iter_mut().zip(&dense).zip(&mean) {
            *square += share * (x - mean) * (x - mean);
        }
    }
    let scale = |square: &f64| if *square > 0.0 && square.is_finite() { square.sqrt() } else { 1.0 };
    squares.iter().map(scale).collect()
}

/// The weighted mean square of the targets, about their mean if that is taken away; 1 if it is 0.
fn target_scale<E: Examples + ?Sized>(set: &TrainingSet<'_, E, Targets>, centred: bool) -> f64 {
    let total: f64 = (0..set.len()).map(|row| set.weight(row)).sum();
    let targets = set.labels().values();
    let mut mean = 0.0;
    if centred {
        mean = targets.iter().enumerate().map(|(row, y)| y * (set.weight(row) / total)).sum();
    }
    let square = |(row, y): (usize, &f64)| (y - mean) * ((y - mean) * (set.weight(row) / total));
    let scale: f64 = targets.iter().enumerate().map(square).sum();
    if scale > 0.0 && scale.is_finite() { scale } else { 1.0 }
}

/// What came of one start.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// Where it began.
    pub from: GaussianCovariance,
    /// Where it ended.
    pub covariance: GaussianCovariance,
    /// The log evidence there.
    pub log_evidence: f64,
    /// The largest entry of the gradient there that does not point out of the box.
    pub slope: f64,
    /// Why it ended.
    pub stop: Stop,
}

/// What is claimed of a process at the parameters of most evidence.
///
/// [`Certificate::verify`] checks the process at these parameters, its log evidence included, and that no start ended
/// higher. That no other parameters are better is not claimed.
#[derive(Debug, Clone, PartialEq)]
pub struct MaximumEvidenceCertificate {
    process: GaussianProcessCertificate,
    starts: Vec<Start>,
}

impl MaximumEvidenceCertificate {
    /// What is claimed of the process at the parameters that were found.
    pub fn process(&self) -> &GaussianProcessCertificate {
        &self.process
    }

    /// What came of every start that was made.
    pub fn starts(&self) -> &[Start] {
        &self.starts
    }

    /// The largest log evidence of all starts; −∞ if the run was stopped before the first was known.
    pub fn log_evidence(&self) -> f64 {
        self.starts.iter().map(|start| start.log_evidence).fold(f64::NEG_INFINITY, f64::max)
    }
}

impl<E: Examples + ?Sized> Certificate<TrainingSet<'_, E, Targets>> for MaximumEvidenceCertificate {
    fn verify(&self, set: &TrainingSet<'_, E, Targets>) -> Result<Verdict> {
        let verdict = self.process.verify(set)?;
        let (Some(own), best) = (self.process.log_evidence(), self.log_evidence()) else {
            return Ok(verdict);
        };
        // Not lower than any start, up to the rounding of two computations.
        if verdict.is_valid() && own < best - 1e-9 * (1.0 + best.abs()) {
            let what = "the largest log evidence of the starts";
            let found = lm_core::Discrepancy { what, claimed: own, recomputed: best, row: None };
            return Ok(Verdict::Invalid(found));
        }
        Ok(verdict)
    }
}

impl<E: Examples + ?Sized> Learner<E, Targets> for MaximumEvidence {
    type Model = GaussianProcessModel;
    type Certificate = MaximumEvidenceCertificate;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, E, Targets>,
        control: &Control<'_>,
    ) -> Result<Fit<GaussianProcessModel, MaximumEvidenceCertificate>> {
        // Evaluations of the evidence.
        const MOST: u64 = 2000;
        self.validate()?;
        let mut meter = control.start(MOST);
        let search = self.search(set);
        let (covariance, starts, stopped) = self.maximise(set, &search, &mut meter)?;
        let process = GaussianProcess::new(covariance).with_centring(self.centred);
        // The parameters are found: what is left is one fit, under the same deadline.
        let fit = process.fit_with(set, &meter.divided(1))?;
        let best = starts.iter().max_by(|a, b| a.log_evidence.total_cmp(&b.log_evidence));
        let converged = best.is_some_and(|start| start.stop == Stop::Converged);
        let stop = match (stopped, fit.report.stop) {
            (Some(stop), _) => stop,
            (None, Stop::Converged) if !converged => Stop::Stalled,
            (None, stop) => stop,
        };
        let certificate = MaximumEvidenceCertificate { process: fit.certificate, starts };
        Ok(Fit { model: fit.model, report: meter.report(stop, None), certificate })
    }
}
