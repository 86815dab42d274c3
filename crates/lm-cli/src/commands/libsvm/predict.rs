//! `svm-predict`: predictions of a model file of LIBSVM, in its words.

use lm_core::probability::{Sigmoid, couple};
use lm_core::{Collection, Examples};
use lm_data::libsvm::{self, Kernel, Model};
use lm_data::svmlight;

use super::numbers::general;
use crate::failure::{Ending, Failure, Outcome};
use crate::output::{write_file, write_out};

/// What is shown for a command line that cannot be understood.
pub(crate) const PREDICT_USAGE: &str = "\
Usage: lm libsvm-predict [options] test_file model_file output_file
options:
  -b probability  0 or 1: whether to write probabilities (classification) (default 0)
  -q              no output";

/// Predicts, and writes one prediction a line.
pub(crate) fn predict(words: &[String]) -> Outcome<Ending> {
    let (mut probability, mut quiet, mut at) = (false, false, 0);
    while let Some(flag) = words.get(at).filter(|word| word.starts_with('-') && word.len() > 1) {
        match (flag.as_str(), words.get(at + 1).map(String::as_str)) {
            ("-q", _) => {
                quiet = true;
                at += 1;
            }
            ("-b", Some("0" | "1")) => {
                probability = words[at + 1] == "1";
                at += 2;
            }
            ("-b", _) => return Err(wrong("`-b` takes 0 or 1")),
            _ => return Err(wrong(&format!("`{flag}` is no option"))),
        }
    }
    let [test, model, output] = &words[at.min(words.len())..] else {
        return Err(wrong("accepted are three files"));
    };
    let machine = libsvm::open(model).map_err(|error| Failure::from(error).at(model))?;
    let by_kernel = machine.kernel() == Kernel::Precomputed;
    let options = svmlight::Options::default().zero_based(by_kernel);
    let data = svmlight::open::<f64>(test, &options).map_err(|error| Failure::from(error).at(test))?;
    let mut examples = data.examples;
    let machine = match by_kernel {
        true => machine,
        false => {
            let dim = machine.dim().max(examples.dim());
            examples = examples.widened(dim)?;
            machine.widened(dim)?
        }
    };
    let at_test = |failure: Failure| failure.at(test);
    let mut predicted = match by_kernel {
        true => by_values(&machine, &examples).map_err(at_test)?,
        false => outcomes(&machine, &examples).map_err(at_test)?,
    };
    let mut text = String::new();
    if probability {
        if by_kernel {
            return Err(Failure::new("`-b 1` with a precomputed kernel is not done; accepted is `-b 0`"));
        }
        let refused = || Failure::new("Model does not support probabiliy estimates").at(model);
        let found = probabilities(&machine, &examples)?.ok_or_else(refused)?;
        text.push_str("labels");
        machine.labels().iter().for_each(|label| text.push_str(&format!(" {label}")));
        text.push('\n');
        for (value, row) in predicted.iter_mut().zip(&found) {
            // The label is the most probable one here, which may be another than that of most votes.
            let best =
                (1..row.len()).fold(0, |best, class| if row[class] > row[best] { class } else { best });
            *value = f64::from(machine.labels().get(best).copied().unwrap_or(0));
            text.push_str(&general(*value, 6));
            row.iter().for_each(|share| text.push_str(&format!(" {}", general(*share, 6))));
            text.push('\n');
        }
    } else {
        predicted.iter().for_each(|value| text.push_str(&format!("{}\n", general(*value, 17))));
    }
    write_file(output, text.as_bytes())?;
    if !quiet {
        let (errors, correlation, right) = compared(&predicted, &data.labels);
        let all = data.labels.len();
        let said = match machine.task().is_regression() {
            true => format!(
                "Mean squared error = {} (regression)\nSquared correlation coefficient = {} (regression)\n",
                general(errors, 6),
                general(correlation, 6)
            ),
            false => format!(
                "Accuracy = {}% ({right}/{all}) (classification)\n",
                general(100.0 * right as f64 / all as f64, 6)
            ),
        };
        write_out(said.as_bytes())?;
    }
    Ok(Ending::Done)
}

/// The probabilities that LIBSVM gives the labels of the file, coupled to the end of its iteration; none without sigmoids.
fn probabilities(model: &Model, examples: &lm_core::Csr<'_>) -> Outcome<Option<Vec<Vec<f64>>>> {
    let Some((slopes, offsets)) = model.sigmoids() else { return Ok(None) };
    let sigmoids = slopes.iter().zip(offsets).map(|(&a, &b)| Sigmoid::new(a, b));
    let sigmoids = sigmoids.collect::<lm_core::Result<Vec<_>>>()?;
    let decisions = model.decisions(examples)?;
    let row = |values: &[f64]| {
        // A decision value is positive for the first label of a pair, the coupling asks for the second.
        let second = sigmoids.iter().zip(values).map(|(sigmoid, &value)| sigmoid.probabilities(value)[0]);
        couple(&second.collect::<Vec<_>>(), model.labels().len()).map(|coupled| coupled.probabilities)
    };
    Ok(Some(decisions.rows().map(row).collect::<lm_core::Result<_>>()?))
}

/// What LIBSVM predicts for vectors.
pub(super) fn outcomes<E: Examples>(model: &Model, examples: &E) -> Outcome<Vec<f64>> {
    let model = match model.dim() < examples.dim() {
        true => model.clone().widened(examples.dim())?,
        false => model.clone(),
    };
    Ok(model.predict(examples)?)
}

/// The same for rows of kernel values, `0:number 1:K(i,1) 2:K(i,2) …`.
fn by_values(model: &Model, examples: &lm_core::Csr<'_>) -> Outcome<Vec<f64>> {
    let width = examples.dim();
    let len = width.saturating_sub(1);
    let mut values = Vec::with_capacity(examples.len() * len);
    let mut row = vec![0.0; width];
    for number in 0..examples.len() {
        examples.row(number).write_to(&mut row);
        values.extend_from_slice(&row[1..]);
    }
    let decisions = model.decisions_by_kernel(&values, len)?;
    Ok(decisions.rows().map(|row| model.outcome(row)).collect::<lm_core::Result<_>>()?)
}

/// Mean squared error, squared correlation, and the number of equal values.
pub(super) fn compared(predicted: &[f64], labels: &[f64]) -> (f64, f64, usize) {
    let n = labels.len() as f64;
    let right = predicted.iter().zip(labels).filter(|(a, b)| a == b).count();
    let (mut errors, mut p, mut y, mut pp, mut yy, mut py) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    for (a, b) in predicted.iter().zip(labels) {
        errors += (a - b) * (a - b);
        p += a;
        y += b;
        pp += a * a;
        yy += b * b;
        py += a * b;
    }
    let correlation = (n * py - p * y).powi(2) / ((n * pp - p * p) * (n * yy - y * y));
    (errors / n, correlation, right)
}

fn wrong(what: &str) -> Failure {
    Failure::new(format!("{what}\n{PREDICT_USAGE}"))
}
