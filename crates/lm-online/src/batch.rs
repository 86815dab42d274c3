//! The loop of the batch procedures: all samples short of the margin correct the weights together.

use lm_core::{BinaryLabels, Control, Error, Examples, Fit, Linear, Meter, Result, Stop, TrainingSet};

use crate::augmented::{Augmented, norm};
use crate::batch_trace::{BatchTrace, Entry};
use crate::descent::{Visit, checked_threshold};
use crate::{Bias, Schedule};

/// What a sample that is short of the margin contributes to a correction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// `y`.
    Perceptron,
    /// `(b − aᵗy)/‖y‖² · y`.
    Relaxation,
}

/// The rate of step `k`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Rates {
    /// From a schedule.
    Schedule(Schedule),
    /// One over the sum of the weights, so that a step is the mean of the corrections.
    Mean,
}

impl Rates {
    pub(crate) fn rate(self, k: u64, total_weight: f64) -> f64 {
        match self {
            Self::Schedule(schedule) => schedule.rate(k),
            Self::Mean => 1.0 / total_weight,
        }
    }
}

/// The settings of a batch procedure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Plan {
    pub(crate) rule: Rule,
    pub(crate) rates: Rates,
    pub(crate) margin: f64,
    pub(crate) threshold: f64,
    pub(crate) bias: Bias,
    pub(crate) passes: u64,
}

impl Plan {
    fn validate(&self) -> Result<()> {
        let margin = self.margin;
        let (accepted, good) = match self.rule {
            Rule::Perceptron => ("a finite number ≥ 0", margin >= 0.0 && margin.is_finite()),
            // Without a margin the target of a relaxation is the boundary itself, where a = 0 is.
            Rule::Relaxation => ("a finite number > 0", margin > 0.0 && margin.is_finite()),
        };
        if !good {
            return Err(Error::Setting { name: "margin", value: margin, accepted });
        }
        if self.passes == 0 {
            return Err(Error::Setting { name: "passes", value: 0.0, accepted: "an integer of at least 1" });
        }
        checked_threshold(self.threshold)
    }

    /// Runs the procedure; `watch` is shown every point at which samples were looked at.
    pub(crate) fn fit<E: Examples + ?Sized>(
        &self,
        set: &TrainingSet<'_, E, BinaryLabels>,
        control: &Control<'_>,
        watch: &mut dyn FnMut(&Visit<'_>),
    ) -> Result<Fit<Linear, BatchTrace>> {
        self.validate()?;
        let mut meter = control.start(self.passes);
        let mut state = State::new(set, self);
        let stop = state.run(&mut meter, watch)?;
        let model = state.samples.hyperplane(&state.a)?;
        let certificate =
            BatchTrace::new(*self, state.entries, meter.iterations(), model.clone(), state.clean);
        Ok(Fit { model, report: meter.report(stop, None), certificate })
    }
}

struct State<'a, 'p, E: ?Sized> {
    set: TrainingSet<'a, E, BinaryLabels>,
    samples: Augmented<'a, E>,
    plan: &'p Plan,
    total_weight: f64,
    a: Vec<f64>,
    direction: Vec<f64>,
    entries: Vec<Entry>,
    /// Whether the last look found nothing to correct.
    clean: bool,
}

/// What a look at all samples found.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Found {
    /// How many samples are short of the margin.
    corrected: u32,
    /// The value of the criterion that the rule descends.
    value: f64,
}

impl<'a, 'p, E: Examples + ?Sized> State<'a, 'p, E> {
    fn new(set: &TrainingSet<'a, E, BinaryLabels>, plan: &'p Plan) -> Self {
        let samples = Augmented::new(set.examples(), plan.bias, |row| set.weight(row));
        let total_weight = (0..set.len()).map(|row| set.weight(row)).sum();
        let (a, direction) = (vec![0.0; samples.dim()], vec![0.0; samples.dim()]);
        Self { set: *set, samples, plan, total_weight, a, direction, entries: Vec::new(), clean: false }
    }

    fn run(&mut self, meter: &mut Meter<'_>, watch: &mut dyn FnMut(&Visit<'_>)) -> Result<Stop> {
        if let Some(stop) = meter.advance(0, 0) {
            return Ok(stop);
        }
        loop {
            let found = self.look();
            let gradient_norm = norm(&self.direction);
            if !(gradient_norm.is_finite() && found.value.is_finite()) {
                return Err(Error::Numerical { what: "a correction (rescale the examples or the rate)" });
            }
            let (iteration, value) = (meter.iterations(), found.value);
            watch(&Visit { iteration, point: &self.a, value, gradient_norm });
            meter.observe(Some(value), Some(f64::from(found.corrected)));
            let length = self.step(iteration + 1, gradient_norm)?;
            self.note(found);
            let stop = meter.advance(1, 0);
            if let Some(stop) = self.stop(found, length).or(stop) {
                return Ok(stop);
            }
        }
    }

    /// Adds up what all samples short of the margin ask for.
    fn look(&mut self) -> Found {
        let Self { set, samples, plan, a, direction, .. } = self;
        let mut found = Found::default();
        direction.fill(0.0);
        samples.for_each_score(a, |row, score| {
            let (sign, weight) = (set.labels().signs()[row].value(), set.weight(row));
            let short = plan.margin - sign * score;
            // Written so that NaN counts as short, and is found. An example of weight 0 is absent.
            if short < 0.0 || weight == 0.0 {
                return;
            }
            let (factor, value) = match plan.rule {
                Rule::Perceptron => (1.0, short),
                Rule::Relaxation => match samples.norm_squared(row) {
                    // No correction can help a sample y = 0.
                    0.0 => (0.0, 0.0),
                    norm_squared => (short / norm_squared, 0.5 * short * (short / norm_squared)),
                },
            };
            found.corrected += 1;
            found.value += weight * value;
            samples.add_scaled(row, weight * sign * factor, direction);
        });
        found
    }

    /// Moves the weights; the length of the step, 0 if no weight has changed.
    fn step(&mut self, k: u64, norm: f64) -> Result<f64> {
        let rate = self.plan.rates.rate(k, self.total_weight);
        let mut moved = false;
        for (a, direction) in self.a.iter_mut().zip(&self.direction) {
            let before = *a;
            *a += rate * direction;
            moved |= before != *a;
        }
        if !self.a.iter().all(|a| a.is_finite()) {
            return Err(Error::Numerical { what: "a weight (rescale the examples or the rate)" });
        }
        Ok(if moved { rate * norm } else { 0.0 })
    }

    fn note(&mut self, found: Found) {
        self.clean = found.corrected == 0;
        if self.entries.len() < BatchTrace::LIMIT {
            self.entries.push(Entry { corrected: found.corrected, norm: norm(&self.a) });
        }
    }

    fn stop(&self, found: Found, length: f64) -> Option<Stop> {
        if found.corrected == 0 || length < self.plan.threshold {
            Some(Stop::Converged)
        } else if length == 0.0 {
            Some(Stop::Stalled)
        } else {
            None
        }
    }
}
