//! `lm cv`: how good a machine is on examples that it has not seen.

use std::time::Instant;

use lm_core::{ClassLabels, Stop};
use lm_data::split::{self, Split};
use serde_json::json;

use super::predict::judged;
use super::run::{Limits, prepare, use_threads};
use crate::args::CvArgs;
use crate::failure::{Ending, Failure, Outcome};
use crate::input::{self, Data, Expected};
use crate::machine::{Training, fit, predict};
use crate::model_file::scaled;
use crate::output::{Answer, columns, number};
use crate::settings::{Settings, Task};

/// What came of one fold.
#[derive(Debug, Clone)]
pub(super) struct Fold {
    /// The share of errors, or the mean squared error.
    pub(super) loss: f64,
    pub(super) tested: usize,
    pub(super) stop: Stop,
    pub(super) iterations: u64,
    pub(super) gap: Option<f64>,
}

/// The folds of data: with the proportions of the classes kept, for classifiers.
pub(super) fn splits(settings: &Settings, data: &Data, folds: usize) -> Outcome<Vec<Split>> {
    let seed = settings.seed.unwrap_or(0);
    Ok(match settings.machine.task() {
        Task::Classification => {
            split::stratified_folds(&ClassLabels::from_numbers(data.labels()?)?, folds, seed)?
        }
        Task::Regression => split::folds(data.len(), folds, seed)?,
        Task::Novelty => {
            return Err(Failure::new(
                "one-class has no labels to be judged by; accepted is a classifier or a regression",
            ));
        }
    })
}

/// Trains without each fold and predicts for it. Scaling is fitted anew each time, so that nothing of the fold is seen.
pub(super) fn run(
    settings: &Settings,
    data: &Data,
    splits: &[Split],
    limits: &Limits,
    began: Instant,
) -> Outcome<Vec<Fold>> {
    let labels = data.labels()?;
    let mut folds = Vec::new();
    for split in splits {
        let (train, test) = (data.select(&split.train)?, data.select(&split.test)?);
        let (scaler, examples) = prepare(settings, &train)?;
        let own: Vec<f64> = split.train.iter().map(|&row| labels[row]).collect();
        let training = Training {
            examples: examples.examples(),
            labels: &own,
            weights: None,
            class_names: data.class_names(),
        };
        // The limit on time is for all folds together.
        let Some(control) = limits.left(began.elapsed()) else { return Ok(folds) };
        let trained = fit(settings, &training, &control)?;
        let unseen = match &scaler {
            Some(scaler) => scaled(scaler, &test)?,
            None => test.examples.clone(),
        };
        let prediction = predict(&trained.machine, unseen.examples())?;
        let loss = judged(&prediction, test.labels.as_deref()).loss();
        folds.push(Fold {
            loss,
            tested: split.test.len(),
            stop: trained.report.stop,
            iterations: trained.report.iterations,
            gap: trained.evidence.figures().gap,
        });
    }
    Ok(folds)
}

/// The mean over all examples, and the standard deviation of the means of the folds.
pub(super) fn mean_and_spread(folds: &[Fold]) -> (f64, f64) {
    let all: usize = folds.iter().map(|fold| fold.tested).sum();
    let mean = folds.iter().map(|fold| fold.loss * fold.tested as f64).sum::<f64>() / all.max(1) as f64;
    let n = folds.len() as f64;
    let centre = folds.iter().map(|fold| fold.loss / n).sum::<f64>();
    let squares = folds.iter().map(|fold| (fold.loss - centre).powi(2)).sum::<f64>();
    (mean, if folds.len() > 1 { (squares / (n - 1.0)).sqrt() } else { 0.0 })
}

/// Cross-validates a machine.
pub(crate) fn cv(args: &CvArgs) -> Outcome<Answer> {
    use_threads(args.limits.threads)?;
    let limits = Limits::new(&args.limits)?;
    let began = Instant::now();
    let expected =
        Expected { format: args.input.format, target: args.input.target.clone(), ..Expected::default() };
    let data = input::read(&args.data, &expected)?;
    let read = began.elapsed().as_secs_f64();
    let settings = Settings::new(args.machine, &args.settings, data.set_dim())?;
    let began = Instant::now();
    let splits = splits(&settings, &data, args.folds)?;
    let folds = run(&settings, &data, &splits, &limits, began)?;
    let solve = began.elapsed().as_secs_f64();
    if folds.is_empty() {
        return Err(Failure::new("the run ended before one fold was known"));
    }
    let (mean, spread) = mean_and_spread(&folds);
    let classes = settings.machine.task() == Task::Classification;
    let complete = folds.len() == splits.len() && folds.iter().all(|fold| fold.stop == Stop::Converged);

    let mut answer = Answer::new();
    answer.ending = if complete { Ending::Done } else { limits.ending(false) };
    answer.line("machine", settings.machine.name());
    answer.line(
        "data",
        format!("{}: {} examples, {} features", input::place(&args.data), data.len(), data.set_dim()),
    );
    let shown = |loss: f64| if classes { format!("{:.4} %", 100.0 * (1.0 - loss)) } else { number(loss) };
    let deviation = if classes { format!("{:.4} %", 100.0 * spread) } else { number(spread) };
    let what = if classes { "accuracy" } else { "mean squared error" };
    answer.line(what, format!("{} ± {deviation} ({} folds)", shown(mean), folds.len()));
    let headings = ["fold", "examples", what, "iterations", "stop"].map(str::to_owned);
    let rows: Vec<Vec<String>> = folds
        .iter()
        .enumerate()
        .map(|(fold, own)| {
            let (tested, iterations) = (own.tested.to_string(), own.iterations.to_string());
            vec![(fold + 1).to_string(), tested, shown(own.loss), iterations, own.stop.to_string()]
        })
        .collect();
    answer.text("");
    columns(&headings, &rows).into_iter().for_each(|line| answer.text(line));
    let key = if classes { "accuracy" } else { "mse" };
    let value = |loss: f64| if classes { 1.0 - loss } else { loss };
    answer.member("machine", settings.machine.name());
    answer.member(key, value(mean));
    answer.member("deviation", spread);
    answer.member("folds", folds.iter().map(|fold| json!({ key: value(fold.loss), "examples": fold.tested, "iterations": fold.iterations, "gap": fold.gap, "stop": crate::machine::stop_name(fold.stop) })).collect::<Vec<_>>());
    answer.member("converged", complete);
    answer.member("seconds", json!({ "read": read, "solve": solve }));
    Ok(answer)
}
