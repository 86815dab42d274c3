//! `lm bounds`: what theory says of a model's error, from its training data, from test data, or from both.

use lm_bounds::ledger::{Evidence as Known, LeaveOneOutFigure, Ledger};
use lm_core::{
    BinaryLabels, ClassLabels, Collection, DualExpansion, Gram, Hypothesis, KernelForm, Linear, Margins,
    TrainingSet, VectorGram, VectorKernel,
};
use lm_qp::DualCertificate;
use serde_json::Value;

use super::run::use_threads;
use crate::args::BoundsArgs;
use crate::failure::{Failure, Outcome};
use crate::input::{self, Data};
use crate::machine::{AnyExamples, Evidence, Machine, Prediction, predict};
use crate::model_file::{Model, load};
use crate::output::{Answer, write_file};
use crate::settings::Task;

/// Enters every bound that is known of a model.
pub(crate) fn bounds(args: &BoundsArgs) -> Outcome<Answer> {
    use_threads(args.threads)?;
    let model = load(&args.model)?;
    check_tolerance(&model, args.tolerance)?;
    let data = read(&model, &args.data, args)?;
    let trained_on = data.hash == model.data_hash;
    let test = args.test.as_deref().map(|path| read(&model, path, args)).transpose()?;
    if let (Some(path), Some(test)) = (&args.test, &test)
        && test.hash == model.data_hash
    {
        return Err(Failure::new("are the data that the model was trained on; accepted are others").at(path));
    }
    if !trained_on && test.is_some() {
        let message = "are not the data that the model was trained on (another SHA-256); accepted are these, or test data without `--test`";
        return Err(Failure::new(message).at(input::place(&args.data)));
    }
    let examples = u64::try_from(model.examples).unwrap_or(u64::MAX);
    // A model of another program does not say how many examples it has seen; the bounds of a test do not ask.
    let mut known = Known::new(examples.max(1));
    if trained_on {
        known = of_training(known, &model, &data, args.tolerance)?;
    }
    if let Some(held_out) = test.as_ref().or((!trained_on).then_some(&data)) {
        let errors = errors(&model, held_out, args.tolerance)?.iter().filter(|wrong| **wrong).count();
        known = known.with_held_out(errors as u64, held_out.len() as u64);
    }
    let mut ledger = Ledger::new(args.delta)?.with_name(&args.model);
    if args.simultaneous {
        ledger = ledger.simultaneous();
    }
    let ledger = ledger.with(&known)?;
    let mut answer = Answer::new();
    let place = input::place(&args.data);
    answer.line("model", format!("{}: {}", args.model, model.settings.machine.name()));
    answer.line("training data", if trained_on { place } else { "not given: a test only" });
    if let Some(path) = args.test.as_deref().or((!trained_on).then_some(place)) {
        answer.line("test data", path);
    }
    if let Some(tolerance) = args.tolerance {
        answer.line("an error is", format!("a prediction that is off by more than {tolerance}"));
    }
    answer.text("");
    answer.text(ledger.text().trim_end());
    let json: Value = serde_json::from_str(&ledger.json())
        .map_err(|error| Failure::new(format!("the ledger is no JSON: {error}")))?;
    if let Value::Object(members) = json {
        members.into_iter().for_each(|(key, value)| answer.member(&key, value));
    }
    answer.member("machine", model.settings.machine.name());
    answer.member("trained_on_data", trained_on);
    if let Some(path) = &args.output {
        write_file(path, ledger.picture().as_bytes())?;
        answer.line("picture", path.clone());
        answer.member("picture", path.clone());
    }
    Ok(answer)
}

fn read(model: &Model, path: &str, args: &BoundsArgs) -> Outcome<Data> {
    let mut expected = model.expected(false);
    expected.format = args.input.format;
    expected.target = args.input.target.clone().or_else(|| model.features.as_ref().and(model.target.clone()));
    input::read(path, &expected)
}

/// What counts as an error must be said of machines that predict numbers, and of no others.
fn check_tolerance(model: &Model, tolerance: Option<f64>) -> Outcome<()> {
    let name = model.settings.machine.name();
    match (model.settings.machine.task(), tolerance) {
        (Task::Novelty, _) => {
            Err(Failure::new("one-class has no errors to bound; accepted is a classifier or a regression"))
        }
        (Task::Regression, None) => Err(Failure::new(format!(
            "{name} predicts numbers; `--tolerance NUMBER` says by how much one may be off before it is an error"
        ))),
        (Task::Regression, Some(tolerance)) if !(tolerance >= 0.0 && tolerance.is_finite()) => {
            Err(Failure::new(format!("`--tolerance` is {tolerance}; accepted is a finite number ≥ 0")))
        }
        (Task::Classification, Some(_)) => Err(Failure::new(format!(
            "`--tolerance` is for machines that predict numbers, which {name} does not"
        ))),
        _ => Ok(()),
    }
}

/// Which examples a model gets wrong.
fn errors(model: &Model, data: &Data, tolerance: Option<f64>) -> Outcome<Vec<bool>> {
    let examples = model.scaled(data)?;
    let labels = data.labels()?;
    Ok(match predict(&model.machine, examples.examples())? {
        Prediction::Classes { predicted, .. } => {
            predicted.iter().zip(labels).map(|(class, label)| *class as f64 != *label).collect()
        }
        Prediction::Numbers { predicted, .. } => {
            let most = tolerance.unwrap_or(0.0);
            // Written so that NaN is an error.
            predicted.iter().zip(labels).map(|(value, label)| !((value - label).abs() <= most)).collect()
        }
        Prediction::Novelty { .. } => Vec::new(),
    })
}

/// What the training data show.
fn of_training(known: Known, model: &Model, data: &Data, tolerance: Option<f64>) -> Outcome<Known> {
    let wrong = errors(model, data, tolerance)?;
    if model.settings.machine.task() == Task::Regression {
        return Ok(known);
    }
    let examples = model.scaled(data)?;
    let set = examples.examples();
    let labels = ClassLabels::from_numbers(data.labels()?)?;
    let mut known = known.with_training_errors(wrong.iter().filter(|wrong| **wrong).count() as u64);
    if let Some(used) = support(model, &labels)? {
        let count = used.iter().filter(|used| **used).count();
        // A scaling was fitted to all examples, so the support vectors alone would not give the same machine.
        if model.scaler.is_none() {
            let beside = used.iter().zip(&wrong).filter(|(used, wrong)| !**used && **wrong).count();
            known = known.with_support_and_errors(count as u64, beside as u64);
        }
        known = known.with_left_out(LeaveOneOutFigure::SupportVectors, count as f64 / data.len() as f64);
    }
    if labels.classes().len() != 2 {
        return Ok(known);
    }
    let signs = labels.one_against_rest(1)?;
    match (&model.machine, &model.evidence) {
        (Machine::KernelPairs(_), Evidence::Svc(parts)) => match &parts[..] {
            [part] => over_kernel(known, model, set, &signs, &part.certificate),
            _ => Ok(known),
        },
        (Machine::LinearPairs(own), evidence) => match own.models() {
            [function] => over_columns(known, function, set, &signs, evidence),
            _ => Ok(known),
        },
        (Machine::Logistic { model, .. }, evidence) => {
            over_columns(known, model.function(), set, &signs, evidence)
        }
        _ => Ok(known),
    }
}

/// The examples that a support vector machine is made of: without the others it is the same. None for other machines.
fn support(model: &Model, labels: &ClassLabels) -> Outcome<Option<Vec<bool>>> {
    let mut used = vec![false; labels.len()];
    let mut mark = |negative: Option<i64>, positive: i64, coefficients: &[f64]| {
        let classes = labels.classes();
        let part = |row: &usize| {
            let class = labels.indices().get(*row).and_then(|&index| classes.get(index as usize)).copied();
            class == Some(positive) || negative.is_none() || class == negative
        };
        let rows = (0..labels.len()).filter(part).zip(coefficients);
        rows.filter(|(_, value)| **value != 0.0).for_each(|(row, _)| used[row] = true);
    };
    match &model.evidence {
        Evidence::Svc(parts) => {
            parts.iter().for_each(|part| mark(part.negative, part.positive, part.certificate.coefficients()));
        }
        Evidence::LinearSvc(parts) => {
            parts.iter().for_each(|part| mark(part.negative, part.positive, part.certificate.coefficients()));
        }
        _ => return Ok(None),
    }
    Ok(Some(used))
}

/// Margins, radius and ξα of a support vector machine of two classes.
fn over_kernel(
    known: Known,
    model: &Model,
    set: &AnyExamples,
    signs: &BinaryLabels,
    certificate: &DualCertificate<lm_qp::CSvc>,
) -> Outcome<Known> {
    let kernel = model.settings.kernel.unwrap_or_else(VectorKernel::linear);
    let gram = VectorGram::new(set, kernel)?;
    let expansion: DualExpansion = certificate.expansion(set.len())?;
    let values = expansion.decision_values(&gram)?;
    let norm = expansion.norm_squared(&gram)?.sqrt();
    let diagonal = gram.diagonal()?;
    let largest = diagonal.iter().fold(0.0_f64, |largest, value| largest.max(*value));
    // ξα needs a number R² with c ≤ K ≤ c + R² for some c.
    let span = match kernel.form() {
        KernelForm::Gaussian { .. } | KernelForm::Laplacian { .. } => 1.0,
        _ => 2.0 * largest,
    };
    let alpha = certificate.alpha();
    let counted = alpha.iter().zip(&values).zip(signs.values()).filter(|((alpha, value), sign)| {
        let slack = (1.0 - sign * **value).max(0.0);
        **alpha > 0.0 && 2.0 * **alpha * span + slack >= 1.0
    });
    let share = counted.count() as f64 / set.len() as f64;
    let mut known = known.with_left_out(LeaveOneOutFigure::XiAlpha, share);
    if norm > 0.0 && largest > 0.0 {
        known = with_constant(known, &values, signs, norm.hypot(expansion.bias()), &diagonal)?;
    }
    Ok(known)
}

/// Margins and radius where the bias is the weight of a constant attribute 1, which the bounds by margins ask for.
fn with_constant(
    known: Known,
    values: &[f64],
    signs: &BinaryLabels,
    norm: f64,
    squares: &[f64],
) -> Outcome<Known> {
    let margins = Margins::new(values, signs, norm)?;
    let wider = squares.iter().map(|square| square + 1.0);
    let cosines = margins.values().iter().zip(wider.clone()).map(|(margin, square)| margin / square.sqrt());
    let largest = wider.clone().fold(0.0_f64, f64::max).sqrt().next_up();
    let trace = wider.sum::<f64>().next_up();
    let known = known.with_margins(margins.values().to_vec()).with_cosines(cosines.collect());
    Ok(known.with_radius(largest).with_trace(trace))
}

/// Margins, radius, dimension and mistakes of a hyperplane.
fn over_columns(
    known: Known,
    function: &Linear,
    set: &AnyExamples,
    signs: &BinaryLabels,
    evidence: &Evidence,
) -> Outcome<Known> {
    let mut known = known.with_dimension(set.dim() as u64 + 1);
    if let Evidence::Perceptron(parts) = evidence
        && let [part] = &parts[..]
    {
        let journal = part.certificate.journal();
        let all = part.certificate.separates().then(|| journal.corrections());
        known = known.with_mistakes(journal.corrections_in_first_pass(), all);
    }
    let squares: Vec<f64> = (0..set.len()).map(|row| set.norm_squared(row)).collect();
    let largest = squares.iter().fold(0.0_f64, |largest, value| largest.max(*value));
    if function.norm() > 0.0 && largest > 0.0 && largest.is_finite() {
        if !matches!(evidence, Evidence::Perceptron(_)) {
            let values = function.decision_values(set)?;
            return with_constant(known, &values, signs, function.norm().hypot(function.bias()), &squares);
        }
        let margins = Margins::geometric(function, &TrainingSet::new(set, signs)?)?;
        let trace = squares.iter().sum::<f64>().next_up();
        known = known
            .with_margins(margins.values().to_vec())
            .with_radius(largest.sqrt().next_up())
            .with_trace(trace);
        known = known.with_bias(function.bias() / function.norm());
    }
    Ok(known)
}
