//! `lm predict`: what a model says of new examples, and how good that is where labels are known.

use std::fmt::Write;
use std::time::Instant;

use serde_json::{Value, json};

use super::run::use_threads;
use crate::args::PredictArgs;
use crate::failure::{Failure, Outcome};
use crate::input;
use crate::machine::{Prediction, predict as predicted};
use crate::model_file::{Model, load};
use crate::output::{Answer, columns, number, write_file};

/// How predictions compare with labels.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Judgement {
    /// The share of right classes, with how many of how many.
    accuracy: Option<(f64, usize, usize)>,
    /// Mean squared error and the coefficient of determination.
    errors: Option<(f64, Option<f64>)>,
    /// The share of examples inside.
    inside: Option<(f64, usize, usize)>,
}

impl Judgement {
    /// Says it in the table and in the JSON object.
    pub(super) fn describe(&self, answer: &mut Answer, which: &str) {
        let key = |name: &str| format!("{}{name}", which.replace(' ', "_"));
        if let Some((share, right, all)) = self.accuracy {
            answer.line(&format!("{which}accuracy"), format!("{:.4} % ({right} of {all})", 100.0 * share));
            answer.member(&key("accuracy"), share);
        }
        if let Some((mse, r2)) = self.errors {
            answer.line(&format!("{which}mean squared error"), number(mse));
            if let Some(r2) = r2 {
                answer.line(&format!("{which}R²"), number(r2));
            }
            answer.member(&key("mse"), mse);
            answer.member(&key("r2"), json!(r2));
        }
        if let Some((share, inside, all)) = self.inside {
            answer
                .line(&format!("{which}share inside"), format!("{:.4} % ({inside} of {all})", 100.0 * share));
            answer.member(&key("inside"), share);
        }
    }

    /// What cross-validation makes small: the share of errors, or the mean squared error.
    pub(super) fn loss(&self) -> f64 {
        match (self.accuracy, self.errors) {
            (Some((share, ..)), _) => 1.0 - share,
            (_, Some((mse, _))) => mse,
            _ => f64::NAN,
        }
    }
}

/// Compares predictions with labels, where there are any.
pub(super) fn judged(prediction: &Prediction, labels: Option<&[f64]>) -> Judgement {
    let share = |right: usize, all: usize| Some((right as f64 / all.max(1) as f64, right, all));
    match (prediction, labels) {
        (Prediction::Classes { predicted, .. }, Some(labels)) => {
            let right =
                predicted.iter().zip(labels).filter(|(class, label)| **class as f64 == **label).count();
            Judgement { accuracy: share(right, labels.len()), ..Judgement::default() }
        }
        (Prediction::Numbers { predicted, .. }, Some(labels)) => {
            let n = labels.len().max(1) as f64;
            let mse = predicted.iter().zip(labels).map(|(a, b)| (a - b) * (a - b) / n).sum::<f64>();
            let mean = labels.iter().map(|label| label / n).sum::<f64>();
            let variance = labels.iter().map(|label| (label - mean) * (label - mean) / n).sum::<f64>();
            let r2 = (variance > 0.0).then(|| 1.0 - mse / variance);
            Judgement { errors: Some((mse, r2)), ..Judgement::default() }
        }
        (Prediction::Novelty { values }, labels) => {
            let inside = values.iter().filter(|value| **value >= 0.0).count();
            // Labels 1 and −1 say what is inside.
            let known = labels.filter(|labels| labels.iter().all(|label| label.abs() == 1.0));
            let right = known.map(|labels| {
                values.iter().zip(labels).filter(|(value, label)| (**value >= 0.0) == (**label > 0.0)).count()
            });
            let accuracy = right.and_then(|right| share(right, values.len()));
            Judgement { accuracy, inside: share(inside, values.len()), ..Judgement::default() }
        }
        _ => Judgement::default(),
    }
}

/// Predicts, and says how good that is.
pub(crate) fn predict(args: &PredictArgs) -> Outcome<Answer> {
    use_threads(args.threads)?;
    let began = Instant::now();
    let model = load(&args.model)?;
    let mut expected = model.expected(true);
    expected.format = args.input.format;
    expected.target.clone_from(&args.input.target);
    if expected.target.is_none() && model.features.is_some() {
        expected.target.clone_from(&model.target);
    }
    let data = input::read(&args.data, &expected)?;
    let read = began.elapsed();
    let began = Instant::now();
    let examples = model.scaled(&data)?;
    let prepared = began.elapsed();
    let began = Instant::now();
    let prediction = predicted(&model.machine, examples.examples())?;
    let solved = began.elapsed();
    let novelty = matches!(prediction, Prediction::Novelty { .. });
    if data.class_names().is_some() && model.class_names.is_none() && !novelty {
        return Err(
            Failure::new("the target is text; the model was trained on numbers").at(input::place(&args.data))
        );
    }
    let judgement =
        judged(&prediction, data.labels.as_deref().filter(|_| !(novelty && data.class_names().is_some())));

    let mut answer = Answer::new();
    answer.line("model", format!("{}: {}", args.model, model.settings.machine.name()));
    answer.line(
        "data",
        format!("{}: {} examples, {} features", input::place(&args.data), data.len(), data.set_dim()),
    );
    judgement.describe(&mut answer, "");
    if data.labels.is_none() {
        answer.line("labels", "none in these data, so nothing to compare with");
    }
    let (headings, rows) = table(&model, &prediction);
    match &args.output {
        Some(path) => {
            write_file(path, csv(&headings, &rows).as_bytes())?;
            if path == "-" {
                answer = Answer::new();
            } else {
                answer.line("predictions", path.clone());
            }
        }
        None => {
            const SHOWN: usize = 10;
            answer.text("");
            let short: Vec<Vec<String>> =
                rows.iter().take(SHOWN).map(|row| row.iter().map(Cell::shown).collect()).collect();
            columns(&headings, &short).into_iter().for_each(|line| answer.text(line));
            if rows.len() > SHOWN {
                answer.text(format!("… and {} more; `-o FILE` writes all of them", rows.len() - SHOWN));
            }
            answer.member("predictions", rows.iter().map(|row| json_row(&headings, row)).collect::<Vec<_>>());
        }
    }
    answer.member("machine", model.settings.machine.name());
    answer.member("examples", data.len());
    answer.member(
        "seconds",
        json!({ "read": read.as_secs_f64(), "prepare": prepared.as_secs_f64(), "solve": solved.as_secs_f64() }),
    );
    Ok(answer)
}

/// A cell of the table of predictions.
enum Cell {
    Number(f64),
    Text(String),
}

impl Cell {
    fn shown(&self) -> String {
        match self {
            Self::Number(value) => number(*value),
            Self::Text(text) => text.clone(),
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Number(value) => json!(value),
            Self::Text(text) => json!(text),
        }
    }
}

fn table(model: &Model, prediction: &Prediction) -> (Vec<String>, Vec<Vec<Cell>>) {
    let mut headings = vec!["prediction".to_owned()];
    match prediction {
        Prediction::Classes { classes, predicted, decisions, probabilities } => {
            headings.extend(score_names(model, classes, decisions.width()));
            if probabilities.is_some() {
                headings
                    .extend(classes.iter().map(|&class| format!("probability {}", model.class_name(class))));
            }
            let rows = predicted.iter().zip(decisions.rows()).enumerate().map(|(row, (&class, values))| {
                let own = probabilities.as_ref().and_then(|all| all.get(row)).map_or(&[][..], |own| own);
                let numbers = values.iter().chain(own).map(|&value| Cell::Number(value));
                std::iter::once(Cell::Text(model.class_name(class))).chain(numbers).collect()
            });
            (headings, rows.collect())
        }
        Prediction::Numbers { predicted, deviations } => {
            if deviations.is_some() {
                headings.push("deviation".to_owned());
            }
            let rows = predicted.iter().enumerate().map(|(row, &value)| {
                let deviation =
                    deviations.as_ref().and_then(|all| all.get(row)).map(|&own| Cell::Number(own));
                std::iter::once(Cell::Number(value)).chain(deviation).collect()
            });
            (headings, rows.collect())
        }
        Prediction::Novelty { values } => {
            headings.push("score".to_owned());
            let side = |value: f64| Cell::Text(if value >= 0.0 { "1" } else { "-1" }.to_owned());
            (headings, values.iter().map(|&value| vec![side(value), Cell::Number(value)]).collect())
        }
    }
}

/// What the decision values are about: a pair of classes, or one class.
fn score_names(model: &Model, classes: &[i64], width: usize) -> Vec<String> {
    let name = |class: i64| model.class_name(class);
    if width == 1 {
        return vec!["score".to_owned()];
    }
    if width == classes.len()
        && !matches!(
            model.machine,
            crate::machine::Machine::KernelPairs(_)
                | crate::machine::Machine::KernelDag(_)
                | crate::machine::Machine::Calibrated(_)
                | crate::machine::Machine::LinearPairs(_)
                | crate::machine::Machine::LinearDag(_)
        )
    {
        return classes.iter().map(|&class| format!("score {}", name(class))).collect();
    }
    let pairs = (0..classes.len()).flat_map(|low| (low + 1..classes.len()).map(move |high| (low, high)));
    pairs.map(|(low, high)| format!("score {}/{}", name(classes[high]), name(classes[low]))).collect()
}

fn json_row(headings: &[String], row: &[Cell]) -> Value {
    let members = headings.iter().zip(row).map(|(heading, cell)| (heading.clone(), cell.json()));
    Value::Object(members.collect())
}

fn csv(headings: &[String], rows: &[Vec<Cell>]) -> String {
    let quoted = |text: &str| match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    };
    let mut out = headings.iter().map(|heading| quoted(heading)).collect::<Vec<_>>().join(",") + "\n";
    for row in rows {
        for (place, cell) in row.iter().enumerate() {
            if place > 0 {
                out.push(',');
            }
            match cell {
                // The fewest digits that name the number.
                Cell::Number(value) => {
                    let _ = write!(out, "{value:?}");
                }
                Cell::Text(text) => out.push_str(&quoted(text)),
            }
        }
        out.push('\n');
    }
    out
}
