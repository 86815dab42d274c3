//! `lm separable`: whether a hyperplane separates two classes, decided exactly, with a proof that anybody can check.
//!
//! The proof is a JSON file of fractions. Of separable classes it holds weights `w`, a bias `b` and a margin `m > 0` with
//! `yᵢ(⟨w·xᵢ⟩ + b) ≥ m` for every example; otherwise multipliers `λ ≥ 0`, not all 0, with `Σ λᵢyᵢ = 0` and `Σ λᵢyᵢxᵢ = 0`,
//! which no hyperplane allows (Farkas). Both are checked in exact arithmetic on the numbers as they are stored.

use lm_core::{BinaryLabels, ClassLabels, Sign, TrainingSet};
use lm_qp::exact::Rational;
use lm_qp::{Separability, separate_with};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::run::{Limits, use_threads};
use super::verify::verdict;
use crate::args::{SeparableArgs, VerifyArgs};
use crate::failure::{Ending, Failure, Outcome};
use crate::input::{self, Data, Expected};
use crate::output::{Answer, number, write_file};

/// The name of the format, by which a proof is known.
const FORMAT: &str = "lm-proof";

/// A proof as it is kept.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Proof {
    format: String,
    version: u32,
    /// SHA-256 of the data.
    data_sha256: String,
    /// The class of sign +1; all others are −1.
    positive: String,
    separable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    hyperplane: Option<Hyperplane>,
    /// Rows, counted from 0, with their multipliers.
    #[serde(skip_serializing_if = "Option::is_none")]
    multipliers: Option<Vec<(usize, String)>>,
}

/// A hyperplane in fractions.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Hyperplane {
    weights: Vec<String>,
    bias: String,
    /// The least `yᵢ(⟨w·xᵢ⟩ + b)`.
    functional_margin: String,
}

/// Decides whether two classes are separable, and writes the proof.
pub(crate) fn separable(args: &SeparableArgs) -> Outcome<Answer> {
    use_threads(args.limits.threads)?;
    let limits = Limits::new(&args.limits)?;
    let expected =
        Expected { format: args.input.format, target: args.input.target.clone(), ..Expected::default() };
    let data = input::read(&args.data, &expected)?;
    let (positive, labels) = sides(&data, args.positive.as_deref())?;
    let set = TrainingSet::new(data.set(), &labels)?;
    let found = separate_with(&set, &limits.control())?;
    let mut answer = Answer::new();
    answer.line(
        "data",
        format!("{}: {} examples, {} features", input::place(&args.data), data.len(), data.set_dim()),
    );
    let mut proof = Proof {
        format: FORMAT.to_owned(),
        version: 1,
        data_sha256: data.hash.clone(),
        positive,
        separable: false,
        hyperplane: None,
        multipliers: None,
    };
    match &found {
        Separability::Separable(own) => {
            let margin = own.margin_squared().to_f64().sqrt();
            let largest = if own.is_maximal() { ", the largest there is (proven)" } else { "" };
            answer.line("separable", "yes");
            answer.line("margin", format!("{}{largest}", number(margin)));
            answer.member("separable", true);
            answer.member("margin", margin);
            answer.member("margin_is_largest", own.is_maximal());
            proof.separable = true;
            proof.hyperplane = Some(Hyperplane {
                weights: own.weights().iter().map(ToString::to_string).collect(),
                bias: own.bias().to_string(),
                functional_margin: own.functional_margin().to_string(),
            });
        }
        Separability::Inseparable(own) => {
            answer.ending = Ending::No;
            let multipliers = own.multipliers();
            answer.line("separable", "no");
            answer.line("proof", format!("{} multipliers under which the classes cancel", multipliers.len()));
            answer.member("separable", false);
            let listed: Vec<(usize, String)> =
                multipliers.iter().map(|(row, value)| (*row, value.to_string())).collect();
            answer.member("proof", json!({ "multipliers": listed }));
            proof.multipliers = Some(listed);
        }
        Separability::Undecided(own) => {
            answer.ending = limits.ending(false);
            answer.line("separable", format!("not decided: {}", own.stop()));
            answer.line("margin at most", number(own.margin_at_most()));
            answer.member("separable", json!(null));
            answer.member("margin_at_most", own.margin_at_most());
        }
    }
    match (&args.output, &found) {
        (Some(path), Separability::Separable(_) | Separability::Inseparable(_)) => {
            let text = serde_json::to_string_pretty(&proof);
            let text = text.map_err(|error| Failure::new(format!("the proof is no JSON: {error}")))?;
            write_file(path, (text + "\n").as_bytes())?;
            answer.line("proof file", path.clone());
            answer.member("proof_file", path.clone());
        }
        (Some(_), Separability::Undecided(_)) => answer.line("proof file", "none: nothing is proven"),
        (None, _) => {}
    }
    Ok(answer)
}

/// The class of sign +1 and the signs.
fn sides(data: &Data, positive: Option<&str>) -> Outcome<(String, BinaryLabels)> {
    let labels = ClassLabels::from_numbers(data.labels()?)?;
    let name = |class: i64| {
        let names = data.class_names();
        let name = names.and_then(|names| usize::try_from(class).ok().and_then(|class| names.get(class)));
        name.cloned().unwrap_or_else(|| class.to_string())
    };
    let classes = labels.classes();
    let place = match positive {
        Some(wanted) => classes.iter().position(|&class| name(class) == wanted).ok_or_else(|| {
            let known: Vec<String> = classes.iter().map(|&class| name(class)).collect();
            Failure::new(format!("`--positive` is {wanted}; accepted is one of {}", known.join(", ")))
        })?,
        None if classes.len() == 2 => 1,
        None => {
            let message = format!(
                "there are {} classes; `--positive CLASS` says which one is to be separated from the others",
                classes.len()
            );
            return Err(Failure::new(message));
        }
    };
    Ok((name(classes[place]), labels.one_against_rest(place)?))
}

/// Whether a file is a proof and not a model.
pub(super) fn is_proof(path: &str) -> bool {
    let mut start = [0_u8; 64];
    let read = std::fs::File::open(path).and_then(|mut file| std::io::Read::read(&mut file, &mut start));
    read.is_ok_and(|len| start[..len].trim_ascii_start().starts_with(b"{"))
}

/// Checks a proof in exact arithmetic.
pub(super) fn verify_proof(args: &VerifyArgs) -> Outcome<Answer> {
    let failed = |why: String| Failure::new(why).at(&args.model);
    let text = std::fs::read_to_string(&args.model).map_err(|error| failed(error.to_string()))?;
    let proof: Proof =
        serde_json::from_str(&text).map_err(|error| failed(format!("is no proof of lm: {error}")))?;
    if proof.format != FORMAT || proof.version != 1 {
        return Err(failed(format!(
            "is a proof of format {} {}; accepted is {FORMAT} 1",
            proof.format, proof.version
        )));
    }
    let expected =
        Expected { format: args.input.format, target: args.input.target.clone(), ..Expected::default() };
    let data = input::read(&args.data, &expected)?;
    let mut why = Vec::new();
    if data.hash != proof.data_sha256 {
        why.push(format!(
            "these are not the data that the proof is about: their SHA-256 is {}, that of the proof {}",
            data.hash, proof.data_sha256
        ));
    } else {
        let (_, labels) = sides(&data, Some(&proof.positive))?;
        let found = match (&proof.hyperplane, &proof.multipliers, proof.separable) {
            (Some(hyperplane), None, true) => separates(hyperplane, &data, &labels).map_err(|why| failed(why.to_string()))?,
            (None, Some(multipliers), false) => cancels(multipliers, &data, &labels).map_err(|why| failed(why.to_string()))?,
            _ => Some("the file holds neither a hyperplane of separable classes nor multipliers of inseparable ones".to_owned()),
        };
        why.extend(found);
    }
    let says = match proof.separable {
        true => "every example is on its own side of the hyperplane, with the margin that is claimed",
        false => "the classes cancel under the multipliers, so no hyperplane separates them",
    };
    Ok(verdict(&why, &args.model, &args.data, says))
}

fn fraction(text: &str) -> Outcome<Rational> {
    let refused = || Failure::new(format!("`{text}` is no fraction; accepted is such as -3/4"));
    let whole = |digits: &str| {
        let plain = digits.strip_prefix('-').unwrap_or(digits);
        let good = !plain.is_empty() && plain.bytes().all(|byte| byte.is_ascii_digit());
        if good { Rational::from_decimal(digits).map_err(|_| refused()) } else { Err(refused()) }
    };
    let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
    whole(numerator)?.divided(&whole(denominator)?).ok_or_else(refused)
}

/// `⟨w·x⟩`, exactly.
fn product(weights: &[Rational], data: &Data, row: usize) -> Outcome<Rational> {
    let mut entries = Vec::new();
    data.set().row(row).for_each(|column, value| entries.push((column, value)));
    let mut sum = Rational::default();
    for (column, value) in entries {
        let weight = weights.get(column).filter(|weight| !weight.is_zero());
        if let (Some(weight), true) = (weight, value != 0.0) {
            sum = &sum + &(weight * &Rational::from_f64(value)?);
        }
    }
    Ok(sum)
}

/// Why a hyperplane does not separate, if it does not.
fn separates(own: &Hyperplane, data: &Data, labels: &BinaryLabels) -> Outcome<Option<String>> {
    if own.weights.len() != data.set_dim() {
        return Ok(Some(format!(
            "the hyperplane has {} weights for {} features",
            own.weights.len(),
            data.set_dim()
        )));
    }
    let weights = own.weights.iter().map(|text| fraction(text)).collect::<Outcome<Vec<_>>>()?;
    let (bias, least) = (fraction(&own.bias)?, fraction(&own.functional_margin)?);
    if !least.is_positive() {
        return Ok(Some("the margin is not above 0".to_owned()));
    }
    for (row, sign) in labels.signs().iter().enumerate() {
        let value = &product(&weights, data, row)? + &bias;
        let value = if *sign == Sign::Positive { value } else { -&value };
        if value < least {
            return Ok(Some(format!(
                "example {row} (counted from 0) falls short of the margin: {}",
                number(value.to_f64())
            )));
        }
    }
    Ok(None)
}

/// Why multipliers are no proof, if they are none.
fn cancels(multipliers: &[(usize, String)], data: &Data, labels: &BinaryLabels) -> Outcome<Option<String>> {
    let (mut balance, mut sum) = (Rational::default(), vec![Rational::default(); data.set_dim()]);
    let mut any = false;
    for (row, text) in multipliers {
        let value = fraction(text)?;
        let Some(sign) = labels.signs().get(*row) else {
            return Ok(Some(format!("there is no example {row}")));
        };
        if value.is_negative() {
            return Ok(Some(format!("the multiplier of example {row} is negative")));
        }
        any |= value.is_positive();
        let signed = if *sign == Sign::Positive { value } else { -&value };
        balance = &balance + &signed;
        let mut entries = Vec::new();
        data.set().row(*row).for_each(|column, value| entries.push((column, value)));
        for (column, value) in entries {
            sum[column] = &sum[column] + &(&signed * &Rational::from_f64(value)?);
        }
    }
    let off = sum.iter().position(|value| !value.is_zero());
    Ok(match (any, balance.is_zero(), off) {
        (false, ..) => Some("all multipliers are 0".to_owned()),
        (_, false, _) => {
            Some(format!("the multipliers of both sides differ by {}", number(balance.to_f64())))
        }
        (.., Some(column)) => {
            Some(format!("feature {} does not cancel: {} is left", column + 1, number(sum[column].to_f64())))
        }
        _ => None,
    })
}
