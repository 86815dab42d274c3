//! The time in which Pegasos proves that its machine is within one per cent of the optimum.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use lm_core::{Certificate, Control, DualityFigures, Learner, TrainingSet};
use lm_data::svmlight;
use lm_online::Pegasos;
use serde::Serialize;

use crate::bench::report::milliseconds;

/// The relative gap that is proved.
const GAP: f64 = 0.01;

/// The times of whole fits, in seconds, and what they reached.
#[derive(Serialize)]
pub(super) struct Times {
    case: &'static str,
    fit: Vec<f64>,
    passes: u64,
    figures: DualityFigures,
}

pub(super) fn measure(data: &Path, repeats: u32) -> Result<Times, Box<dyn Error>> {
    let path = data.join("a9a/train.svm.gz");
    let read = svmlight::open::<f64>(&path, &svmlight::Options::default())?;
    let labels = read.binary()?;
    let set = TrainingSet::new(&read.examples, &labels)?;
    let learner = Pegasos::default().with_cost(1.0).with_tolerance(GAP);
    let run = || -> Result<_, Box<dyn Error>> {
        let start = Instant::now();
        let fit = learner.fit_with(&set, &Control::default())?.converged()?;
        Ok((start.elapsed().as_secs_f64(), fit))
    };
    let (_, first) = run()?;
    if !first.certificate.verify(&set)?.is_valid() {
        return Err("the certificate of Pegasos does not hold".into());
    }
    let (passes, figures) = (first.report.iterations, first.certificate.figures());
    let mut times = Times { case: "a9a, C = 1", fit: Vec::new(), passes, figures };
    for _ in 0..repeats {
        times.fit.push(run()?.0);
    }
    println!("{}", line(&times));
    Ok(times)
}

fn line(times: &Times) -> String {
    format!(
        "| {} | {} | {} | {:.3} | {:.3} | {:.4} |",
        times.case,
        milliseconds(&times.fit),
        times.passes,
        times.figures.primal,
        times.figures.dual,
        times.figures.relative_gap(),
    )
}

/// The table of the fit.
pub(super) fn table(times: &Times) -> String {
    format!(
        "Pegasos until its certificate proves a relative gap of {GAP}, whole fits, medians. The optimum of the quadratic \
         program lies between the two values.\n\n\
         | problem | ms | passes | primal value | dual bound | relative gap |\n|---|--:|--:|--:|--:|--:|\n{}\n",
        line(times)
    )
}
