//! `lm train`: a machine from data, with its certificate, in a model file.

use std::time::Instant;

use lm_core::Stop;
use serde_json::{Value, json};

use super::predict::{Judgement, judged};
use super::run::{Limits, prepare, use_threads};
use crate::args::TrainArgs;
use crate::failure::{Failure, Outcome};
use crate::input::{self, Data, Expected};
use crate::machine::{Figures, Machine, Trained, Training, fit, predict, stop_name};
use crate::model_file::{Model, save};
use crate::output::{Answer, number};
use crate::peak_memory::peak_memory_bytes;
use crate::progress::ProgressLine;
use crate::settings::{Settings, Task};

/// Trains a machine, saves it and says what came of it.
pub(crate) fn train(args: &TrainArgs) -> Outcome<Answer> {
    use_threads(args.limits.threads)?;
    let limits = Limits::new(&args.limits)?;
    no_stdout(args.output.as_ref())?;
    let began = Instant::now();
    let expected =
        Expected { format: args.input.format, target: args.input.target.clone(), ..Expected::default() };
    let data = input::read(&args.data, &expected)?;
    let weights = args.weights.as_deref().map(input::read_weights).transpose()?;
    let read = began.elapsed();

    let began = Instant::now();
    let settings = Settings::new(args.machine, &args.settings, data.set_dim())?;
    let (scaler, examples) = prepare(&settings, &data)?;
    let prepared = began.elapsed();

    let began = Instant::now();
    let training = Training {
        examples: examples.examples(),
        labels: data.labels()?,
        weights: weights.as_deref(),
        class_names: data.class_names(),
    };
    let progress = ProgressLine::for_terminal(Some(settings.gap));
    let control = limits.control();
    let control = match &progress {
        Some(line) => control.with_observer(line),
        None => control,
    };
    let trained = fit(&settings, &training, &control).map_err(|failure| failure.at(input::place(&args.data)));
    if let Some(line) = &progress {
        line.clear();
    }
    let trained = trained?;
    let solved = began.elapsed();

    let judgement = match is_cheap(&trained.machine, &data) {
        true => judged(
            &predict(&trained.machine, training.examples)?,
            data.labels.as_deref().filter(|_| settings.machine.task() != Task::Novelty),
        ),
        false => Judgement::default(),
    };
    let model = into_model(settings, scaler, trained, &data, weights);
    let path = args.output.clone().unwrap_or_else(|| default_path(&args.data));
    save(&path, &model)?;

    let mut answer = Answer::new();
    answer.ending = limits.ending(model.stop == Some(Stop::Converged));
    describe(&mut answer, &model, &args.data);
    answer.line(
        "time",
        format!(
            "{:.3} s: read {:.3}, prepare {:.3}, solve {:.3}",
            (read + prepared + solved).as_secs_f64(),
            read.as_secs_f64(),
            prepared.as_secs_f64(),
            solved.as_secs_f64()
        ),
    );
    judgement.describe(&mut answer, "training ");
    answer.line("model", path.clone());
    answer.member("model", path);
    answer.member(
        "seconds",
        json!({ "read": read.as_secs_f64(), "prepare": prepared.as_secs_f64(), "solve": solved.as_secs_f64() }),
    );
    answer.member("peak_memory_bytes", json!(peak_memory_bytes()));
    Ok(answer)
}

/// A file name beside nothing else: that of the data in the current folder, with the ending of a model.
fn default_path(data: &str) -> String {
    let name = std::path::Path::new(data).file_name().and_then(|name| name.to_str()).unwrap_or("model");
    let name = if data == "-" { "model" } else { name };
    format!("{name}.lm")
}

/// Whether predicting all training examples takes less than a second or so.
fn is_cheap(machine: &Machine, data: &Data) -> bool {
    const MOST: usize = 1_000_000_000;
    let support = |functions: &[lm_core::VectorExpansion]| {
        functions.iter().map(|function| function.coefficients().len()).sum::<usize>()
    };
    let vectors = match machine {
        Machine::KernelPairs(model) => support(model.models()),
        Machine::KernelRest(model) => support(model.models()),
        Machine::KernelDag(model) => support(model.pairwise().models()),
        Machine::Calibrated(model) => support(model.pairs().models()),
        Machine::KernelFunction(model) | Machine::Novelty(model) => model.coefficients().len(),
        // A variance for each takes a solve with all of them.
        Machine::GaussianProcess(model) => model.expansion().coefficients().len().pow(2),
        _ => 1,
    };
    data.len().saturating_mul(vectors).saturating_mul(data.set_dim().min(64)) < MOST
}

/// A model as it is kept.
pub(super) fn into_model(
    settings: Settings,
    scaler: Option<lm_data::scaling::Scaler>,
    trained: Trained,
    data: &Data,
    weights: Option<Vec<f64>>,
) -> Model {
    let columns = data.columns.as_ref();
    let Trained { machine, evidence, report, support } = trained;
    let classes = settings.machine.task() == Task::Classification;
    Model {
        program: env!("CARGO_PKG_VERSION").to_owned(),
        dim: data.set_dim(),
        features: columns.map(|columns| columns.features.clone()),
        target: columns.map(|columns| columns.target.clone()),
        class_names: columns.filter(|_| classes).and_then(|columns| columns.classes.clone()),
        scaler,
        machine,
        evidence,
        weights,
        support,
        data_hash: data.hash.clone(),
        examples: data.len(),
        stop: Some(report.stop),
        iterations: report.iterations,
        settings,
    }
}

/// What the model is and what its certificate says.
pub(super) fn describe(answer: &mut Answer, model: &Model, data: &str) {
    let settings = model.settings.shown();
    let words: Vec<String> =
        settings.iter().map(|(name, value)| format!("{name} {}", plain(value))).collect();
    let name = model.settings.machine.name();
    answer.line("machine", format!("{name}: {}", words.join(", ")));
    let classes = model.machine.classes().filter(|_| model.settings.machine.task() == Task::Classification);
    let counted = classes.as_ref().map_or(String::new(), |classes| format!(", {} classes", classes.len()));
    answer.line(
        "data",
        format!("{}: {} examples, {} features{counted}", input::place(data), model.examples, model.dim),
    );
    let Figures { primal, dual, gap, kkt, parts, more } = model.evidence.figures();
    if let Some(stop) = model.stop {
        answer.line("stop", format!("{stop} ({} iterations)", model.iterations));
    }
    if let (Some(primal), Some(dual)) = (primal, dual) {
        answer.line("primal value", format!("{primal:.12}"));
        answer.line("dual value", format!("{dual:.12}"));
    }
    if let Some(gap) = gap {
        answer
            .line("relative gap", format!("{gap:.2e} (the machine is at most this share from the best one)"));
    }
    if let Some(kkt) = kkt {
        answer.line("largest violation", format!("{kkt:.2e}"));
    }
    if parts > 1 {
        answer.line(
            "parts",
            format!("{parts} two-class problems; values are sums, gap and violation the largest"),
        );
    }
    for (name, value) in &more {
        answer.line(&name.replace('_', " "), plain(value));
    }
    if let Some(support) = model.support {
        answer.line("support vectors", format!("{support} of {}", model.examples));
    }
    answer.member("machine", name);
    answer.member(
        "settings",
        settings.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<serde_json::Map<_, _>>(),
    );
    answer.member("examples", model.examples);
    answer.member("features", model.dim);
    let class_names =
        classes.map(|classes| classes.iter().map(|&class| model.class_name(class)).collect::<Vec<_>>());
    answer.member("classes", json!(class_names));
    answer.member("data_sha256", model.data_hash.clone());
    answer.member("primal", json!(primal));
    answer.member("dual", json!(dual));
    answer.member("gap", json!(gap));
    answer.member("kkt", json!(kkt));
    answer.member("parts", parts);
    let more: serde_json::Map<_, _> =
        more.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    answer.member("evidence", more);
    answer.member("iterations", model.iterations);
    answer.member("stop", json!(model.stop.map(stop_name)));
    answer.member("converged", model.stop == Some(Stop::Converged));
    answer.member("support_vectors", json!(model.support));
}

/// In a few words, what the certificate shows.
pub(super) fn figures_line(model: &Model) -> String {
    let figures = model.evidence.figures();
    match (figures.primal, figures.dual, figures.gap) {
        (Some(primal), Some(dual), Some(gap)) => {
            format!("primal value {}, dual value {}, relative gap {gap:.2e}", number(primal), number(dual))
        }
        _ => {
            let more: Vec<String> = figures
                .more
                .iter()
                .map(|(name, value)| format!("{} {}", name.replace('_', " "), plain(value)))
                .collect();
            more.join(", ")
        }
    }
}

/// A JSON value as people read it.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(own) if own.is_f64() => number(own.as_f64().unwrap_or(f64::NAN)),
        other => other.to_string(),
    }
}

/// Refuses a model path that is standard output.
pub(super) fn no_stdout(path: Option<&String>) -> Outcome<()> {
    match path.is_some_and(|path| path == "-") {
        true => {
            Err(Failure::new("a model is not written to standard output; accepted is the path of a file"))
        }
        false => Ok(()),
    }
}
