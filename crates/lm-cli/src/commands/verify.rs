//! `lm verify`: what a model claims, recomputed from the data.

use lm_core::Verdict;
use serde_json::json;

use super::run::use_threads;
use super::separable::{is_proof, verify_proof};
use crate::args::VerifyArgs;
use crate::failure::{Ending, Outcome};
use crate::input;
use crate::machine::{Evidence, Training};
use crate::model_file::load;
use crate::output::Answer;

/// Recomputes the certificate of a model.
pub(crate) fn verify(args: &VerifyArgs) -> Outcome<Answer> {
    use_threads(args.threads)?;
    if is_proof(&args.model) {
        return verify_proof(args);
    }
    let model = load(&args.model)?;
    let mut expected = model.expected(false);
    expected.format = args.input.format;
    expected.target = args.input.target.clone().or_else(|| model.features.as_ref().and(model.target.clone()));
    let data = input::read(&args.data, &expected)?;
    let mut why = Vec::new();
    if matches!(model.evidence, Evidence::Absent) {
        why.push(
            "the model was made by another program and has no certificate; `lm train` makes one".to_owned(),
        );
    } else if data.hash != model.data_hash {
        why.push(format!(
            "these are not the data that the model was trained on: their SHA-256 is {}, that of the training data {}",
            data.hash, model.data_hash
        ));
    } else {
        let examples = model.scaled(&data)?;
        let training = Training {
            examples: examples.examples(),
            labels: data.labels()?,
            weights: model.weights.as_deref(),
            class_names: model.class_names.as_deref(),
        };
        match model.evidence.verify(&model.machine, &model.settings, &training)? {
            Verdict::Valid => {}
            verdict @ Verdict::Invalid(_) => why.push(verdict.to_string()),
        }
    }
    Ok(verdict(&why, &args.model, &args.data, &super::train::figures_line(&model)))
}

/// The answer: VALID, or INVALID and why.
pub(super) fn verdict(why: &[String], claim: &str, data: &str, says: &str) -> Answer {
    let mut answer = Answer::new();
    let valid = why.is_empty();
    answer.ending = if valid { Ending::Done } else { Ending::No };
    answer.text(if valid { "VALID" } else { "INVALID" });
    answer.line("claim", claim.to_owned());
    answer.line("data", input::place(data).to_owned());
    if valid {
        answer.line("recomputed", says.to_owned());
    }
    for reason in why {
        answer.line("because", reason.clone());
    }
    answer.member("valid", valid);
    answer.member("why", json!(why));
    answer
}
