//! A rule and a training set make a fit.

use lm_core::{BinaryLabels, Control, Error, Examples, Fit, Linear, Meter, Result, Sign, Stop, TrainingSet};

use crate::journal::Journal;
use crate::live::{Lessons, Live};
use crate::passes::{block, run};
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
    let mut course = Course::start(rule, walk, set, control)?;
    let (examples, labels) = (set.examples(), set.labels().signs());
    let mut lessons = Lessons { live: &mut course.live, labels };
    let block = block(examples.dim());
    let (stop, seen) =
        run(&mut lessons, examples, &course.visits, &mut course.journal, block, &mut course.meter)?;
    course.live.count(seen);
    let model = course.live.model()?;
    let trace =
        Trace::new(&course.live, (walk.bias, walk.radius), course.journal, &model, stop == Stop::Converged);
    Ok(Fit { model, report: course.meter.report(stop, None), certificate: trace })
}

/// What a run over a set needs beside the set.
pub(crate) struct Course<'a, R> {
    pub(crate) live: Live<R>,
    pub(crate) visits: Visits,
    pub(crate) journal: Journal,
    pub(crate) meter: Meter<'a>,
}

impl<'a, R: Rule<Label = Sign>> Course<'a, R> {
    pub(crate) fn start<E: Examples + ?Sized>(
        rule: R,
        walk: &Walk,
        set: &TrainingSet<'_, E, BinaryLabels>,
        control: &Control<'a>,
    ) -> Result<Self> {
        let (examples, visits) = (set.examples(), Visits::of(set)?);
        check_len(examples.len())?;
        let meter = control.start(walk.passes);
        let weights = examples.dim().saturating_mul(size_of::<f64>());
        meter.budget().check_memory("the weight vector", weights)?;
        let left = meter.budget().memory().map_or(usize::MAX, |allowed| allowed - weights);
        let live = Live::with_step(rule, examples.dim(), bias_step(walk, examples, &visits)?)?;
        Ok(Self { live, visits, journal: Journal::new(walk.order, examples.len(), left), meter })
    }
}

/// `β` for a set of examples.
pub(crate) fn bias_step<E: Examples + ?Sized>(walk: &Walk, examples: &E, visits: &Visits) -> Result<f64> {
    let radius_squared = match (walk.bias, walk.radius) {
        (Bias::Radius, None) => {
            let rows = (0..examples.len()).filter(|&row| visits.to(row) > 0);
            // Written so that NaN stays.
            rows.map(|row| examples.norm_squared(row))
                .fold(0.0, |largest, norm| if norm <= largest { largest } else { norm })
        }
        (_, radius) => radius.map_or(0.0, |radius| radius * radius),
    };
    if radius_squared.is_finite() {
        Ok(walk.bias.step(radius_squared))
    } else {
        Err(Error::Numerical { what: "the squared radius of the examples (rescale them)" })
    }
}
