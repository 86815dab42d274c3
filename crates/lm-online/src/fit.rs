//! A rule and a training set make a fit.

use lm_core::{
    BinaryLabels, Control, Error, Examples, Fit, Labelling, Linear, Meter, Result, Sign, Stop, TrainingSet,
};

use crate::journal::Journal;
use crate::live::{Lessons, Live};
use crate::passes::{Procedure, block, run};
use crate::rule::Rule;
use crate::visits::{Visits, check_len};
use crate::words::Walk;
use crate::{Bias, Trace};

/// Makes passes over a set until one needs no correction.
pub(crate) fn fit<E: Examples + ?Sized, R: Rule<Label = Sign>>(
    rule: R,
    walk: &Walk,
    set: &TrainingSet<'_, E, BinaryLabels>,
    control: &Control<'_>,
) -> Result<Fit<Linear, Trace<R>>> {
    let mut course = Course::start(walk, set, control)?;
    let mut live = course.learner(rule, walk, set.examples())?;
    let stop = course.run(&mut Lessons { live: &mut live, labels: set.labels().signs() }, set.examples())?;
    let model = live.model()?;
    let (report, certificate) = course.traced(&live, walk, stop, &model);
    Ok(Fit { model, report, certificate })
}

/// What a run over a set needs beside the set and the learner.
pub(crate) struct Course<'a> {
    pub(crate) visits: Visits,
    pub(crate) journal: Journal,
    pub(crate) meter: Meter<'a>,
    /// How many examples were met, repeated visits included.
    pub(crate) seen: u64,
    /// How many examples lie between two looks at the clock.
    pub(crate) block: usize,
}

impl<'a> Course<'a> {
    /// Checks the set, and starts the clock.
    pub(crate) fn start<E: Examples + ?Sized, L: Labelling>(
        walk: &Walk,
        set: &TrainingSet<'_, E, L>,
        control: &Control<'a>,
    ) -> Result<Self> {
        let visits = Visits::of(set)?;
        check_len(set.len())?;
        let meter = control.start(walk.passes);
        let weights = set.examples().dim().saturating_mul(size_of::<f64>());
        meter.budget().check_memory("the weight vector", weights)?;
        let left = meter.budget().memory().map_or(usize::MAX, |allowed| allowed - weights);
        let block = block(set.examples().dim());
        Ok(Self { visits, journal: Journal::new(walk.order, set.len(), left), meter, seen: 0, block })
    }

    /// A learner for the examples of the set.
    pub(crate) fn learner<E: Examples + ?Sized, R: Rule>(
        &self,
        rule: R,
        walk: &Walk,
        examples: &E,
    ) -> Result<Live<R>> {
        Live::with_step(rule, examples.dim(), bias_step(walk, examples, &self.visits)?)
    }

    /// Makes passes until the procedure ends or the budget is used up.
    pub(crate) fn run<E: Examples + ?Sized>(
        &mut self,
        procedure: &mut impl Procedure<E>,
        examples: &E,
    ) -> Result<Stop> {
        let (stop, seen) =
            run(procedure, examples, &self.visits, &mut self.journal, self.block, &mut self.meter)?;
        self.seen = seen;
        Ok(stop)
    }

    /// The report of the run, and the trace of a learner that ended with this function.
    pub(crate) fn traced<R: Rule>(
        self,
        live: &Live<R>,
        walk: &Walk,
        stop: Stop,
        end: &Linear,
    ) -> (lm_core::Report, Trace<R>) {
        let report = self.meter.report(stop, None);
        (report, Trace::new(live, (walk.bias, walk.radius), self.journal, end, stop == Stop::Converged))
    }
}

/// `β` for a set of examples.
pub(crate) fn bias_step<E: Examples + ?Sized>(walk: &Walk, examples: &E, visits: &Visits) -> Result<f64> {
    let radius_squared = match (walk.bias, walk.radius) {
        (Bias::Radius, None) => radius_squared(examples, visits)?,
        (_, radius) => radius.map_or(0.0, |radius| radius * radius),
    };
    Ok(walk.bias.step(radius_squared))
}

/// The largest squared norm of an example that is visited.
pub(crate) fn radius_squared<E: Examples + ?Sized>(examples: &E, visits: &Visits) -> Result<f64> {
    let rows = (0..examples.len()).filter(|&row| visits.to(row) > 0);
    // Written so that NaN stays.
    let larger = |largest: f64, norm: f64| if norm <= largest { largest } else { norm };
    let largest = rows.map(|row| examples.norm_squared(row)).fold(0.0, larger);
    if largest.is_finite() {
        Ok(largest)
    } else {
        Err(Error::Numerical { what: "the squared radius of the examples (rescale them)" })
    }
}
