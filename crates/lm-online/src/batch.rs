//! The loop of the batch procedures: all samples short of the margin correct the weights together.

use lm_core::{BinaryLabels, Control, Error, Examples, Fit, Linear, Meter, Result, Stop, TrainingSet};

use crate::augmented::{Augmented, norm};
use crate::batch_trace::{BatchTrace, Entry};
use crate::descent::{Visit, checked_passes, checked_threshold};
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
    /// The share of the margin by which a sample may fall short and still count as right.
    pub(crate) tolerance: f64,
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
        if !(0.0..1.0).contains(&self.tolerance) {
            let accepted = "at least 0, below 1";
            return Err(Error::Setting { name: "tolerance", value: self.tolerance, accepted });
        }
        checked_passes(self.passes)?;
        checked_threshold(self.threshold)
    }

    /// What `aᵗy` must exceed for a sample to be left alone.
    pub(crate) fn required(&self) -> f64 {
        self.margin * (1.0 - self.tolerance)
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

/// The setters and the fit of a batch procedure, a newtype of [`Plan`].
macro_rules! batch_procedure {
    ($type:ident, schedule = $schedule:literal, margin = $margin:literal, passes = $passes:literal, value = $value:literal) => {
        impl $type {
            #[doc = concat!("The rate of each iteration; default ", $schedule, ".")]
            #[must_use]
            pub fn with_schedule(self, schedule: crate::Schedule) -> Self {
                Self(Plan { rates: Rates::Schedule(schedule), ..self.0 })
            }

            #[doc = concat!("The margin `b`: a sample is corrected unless `aᵗy > b`. ", $margin)]
            #[must_use]
            pub fn with_margin(self, margin: f64) -> Self {
                Self(Plan { margin, ..self.0 })
            }

            /// The length `θ` of a step that is short enough, finite and ≥ 0; default 0. A run that ends by it converged,
            /// but need not separate: ask [`BatchTrace::separates`](crate::BatchTrace::separates).
            #[must_use]
            pub fn with_threshold(self, threshold: f64) -> Self {
                Self(Plan { threshold, ..self.0 })
            }

            /// How the bias moves; default [`Bias::Standard`](crate::Bias::Standard), that of samples augmented by 1.
            #[must_use]
            pub fn with_bias(self, bias: crate::Bias) -> Self {
                Self(Plan { bias, ..self.0 })
            }

            #[doc = concat!(
                "Ends the run after this many iterations, each a pass over the data. At least 1; default ",
                $passes,
                ". A budget on iterations takes its place."
            )]
            #[must_use]
            pub fn with_passes(self, passes: u64) -> Self {
                Self(Plan { passes, ..self.0 })
            }

            #[doc = concat!(
                "As [`Learner::fit_with`](lm_core::Learner::fit_with); `watch` is shown the weights `a = (a₀, w)`, the ",
                "criterion ",
                $value,
                " and the norm of its gradient wherever samples were looked at, the start included."
            )]
            ///
            /// # Errors
            /// As [`Learner::fit_with`](lm_core::Learner::fit_with).
            pub fn fit_watching<E: lm_core::Examples + ?Sized>(
                &self,
                set: &lm_core::TrainingSet<'_, E, lm_core::BinaryLabels>,
                control: &lm_core::Control<'_>,
                watch: &mut dyn FnMut(&crate::Visit<'_>),
            ) -> lm_core::Result<lm_core::Fit<lm_core::Linear, crate::BatchTrace>> {
                self.0.fit(set, control, watch)
            }
        }

        impl<E: lm_core::Examples + ?Sized> lm_core::Learner<E, lm_core::BinaryLabels> for $type {
            type Model = lm_core::Linear;
            type Certificate = crate::BatchTrace;

            fn fit_with(
                &self,
                set: &lm_core::TrainingSet<'_, E, lm_core::BinaryLabels>,
                control: &lm_core::Control<'_>,
            ) -> lm_core::Result<lm_core::Fit<lm_core::Linear, crate::BatchTrace>> {
                self.fit_watching(set, control, &mut |_| {})
            }
        }
    };
}
pub(crate) use batch_procedure;

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
        let (mut found, required) = (Found::default(), plan.required());
        direction.fill(0.0);
        samples.for_each_score(a, |row, score| {
            let (sign, weight) = (set.labels().signs()[row].value(), set.weight(row));
            // Written so that NaN counts as short, and is found. An example of weight 0 is absent.
            if sign * score > required || weight == 0.0 {
                return;
            }
            let short = plan.margin - sign * score;
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
