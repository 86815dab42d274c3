//! The whole reproduction, run by the tests: its text is compared with the snapshots, its figures are looked at.
//!
//! E08 takes longer than all other entries together; `cargo xtask reproduce` runs it. The numbers of the snapshots are rounded
//! to two digits, and what is below a millionth is only called small, so that they hold on every machine. After a change of
//! entries, `INSTA_UPDATE=always cargo test -p xtask whole` writes them anew.

use std::sync::LazyLock;

use rayon::prelude::*;

use super::bench::Scope;
use super::entry::{Record, Verdict};
use super::{registry, run};

/// Every entry but E08, in order.
static RECORDS: LazyLock<Vec<Record<'static>>> = LazyLock::new(|| {
    let entries: Vec<_> = registry::all().into_iter().filter(|entry| entry.id != "E08").collect();
    entries.into_par_iter().map(|entry| run::run_one(entry, &Scope::default())).collect()
});

/// A text with its numbers rounded to two digits.
fn rounded(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        out += &rest[..start];
        rest = &rest[start..];
        let mut end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        // A full stop behind a number ends the sentence.
        end = rest[..end].trim_end_matches('.').len();
        let mut number = rest[..end].to_string();
        let after = &rest[end..];
        let minus = ["e−", "e-", "e"].into_iter().find(|mark| after.starts_with(mark)).unwrap_or("");
        let power = after[minus.len()..].bytes().take_while(u8::is_ascii_digit).count();
        if !minus.is_empty() && power > 0 {
            number += &format!("{}{}", minus.replace('−', "-"), &after[minus.len()..minus.len() + power]);
            end += minus.len() + power;
        }
        rest = &rest[end..];
        out += &short(&number);
    }
    out + rest
}

/// A number without a sign, short.
fn short(number: &str) -> String {
    let Ok(value) = number.parse::<f64>() else { return number.into() };
    let two_digits = format!("{value:.1e}");
    match value {
        _ if number.len() <= 2 => number.into(),
        _ if value != 0.0 && value < 1e-6 => "small".into(),
        0.001..1000.0 => two_digits.parse::<f64>().map_or(two_digits, |value| value.to_string()),
        _ => two_digits,
    }
}

/// What the report says of one source, without what differs from machine to machine.
fn told(letter: char) -> String {
    let mut text = String::new();
    for record in RECORDS.iter().filter(|record| record.entry.id.starts_with(letter)) {
        let (entry, findings) = (record.entry, &record.findings);
        text += &format!("{} [{}] {}, seed {}\n", entry.id, entry.place, record.verdict().word(), entry.seed);
        for row in &findings.measurements {
            // How near a number came is rounding, and a time is a time.
            let measured =
                if row.timed { "(a time)" } else { row.measured.split(" (off by").next().unwrap_or("") };
            let holds = if row.holds { "" } else { " DOES NOT HOLD" };
            text += &rounded(&format!("  {}: {} | {measured}{holds}\n", row.what, row.claimed));
        }
        for erratum in &findings.errata {
            text += &format!("  wrong: {}\n  right: {}\n", erratum.says, erratum.truth);
            text += &rounded(&format!("  proof: {}\n", erratum.evidence));
        }
        for figure in &findings.figures {
            text += &rounded(&format!("  figure {}: {}\n", figure.name, figure.caption));
        }
    }
    text
}

#[test]
fn the_text_of_every_source_is_as_it_was() {
    for letter in ['A', 'B', 'C', 'D', 'E'] {
        insta::assert_snapshot!(format!("the_text_of_source_{letter}"), told(letter));
    }
}

#[test]
fn no_claim_fails() {
    for record in RECORDS.iter() {
        let failed: Vec<_> = record.findings.measurements.iter().filter(|row| !row.holds).collect();
        assert!(
            record.verdict() != Verdict::Fails,
            "{}: {:?} {failed:?}",
            record.entry.id,
            record.findings.failure
        );
    }
}

#[test]
fn two_runs_measure_the_same_bits() {
    for id in ["A06", "B08", "C04", "C12", "D05", "E06"] {
        let record = RECORDS.iter().find(|record| record.entry.id == id).unwrap();
        let mut again = run::run_one(record.entry, &Scope::default());
        again.seconds = record.seconds;
        assert_eq!(again.findings, record.findings, "{id}");
    }
}

#[test]
fn every_figure_is_whole_labelled_and_of_a_sensible_size() {
    let mut count = 0;
    for record in RECORDS.iter() {
        for figure in &record.findings.figures {
            let (name, svg) = (record.file_of(figure), &figure.svg);
            assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{name}");
            assert!((3_000..400_000).contains(&svg.len()), "{name} has {} bytes", svg.len());
            for broken in ["NaN", "inf\"", "-2147483648", "2147483647"] {
                assert!(!svg.contains(broken), "{name} holds {broken}");
            }
            let size: Vec<f64> =
                svg.split('"').nth(3).unwrap().split(' ').map(|part| part.parse().unwrap()).collect();
            assert!((0.2..1.6).contains(&(size[3] / size[2])), "{name} is {size:?}");
            // Ticks on both axes and their labels.
            assert!(svg.matches("<text").count() >= 6, "{name} says too little");
            let drawn = ["<circle", "<polyline", "<polygon", "<rect"].map(|mark| svg.matches(mark).count());
            assert!(drawn.iter().sum::<usize>() >= 8, "{name} is nearly empty: {drawn:?}");
            assert!(
                figure.caption.len() >= 25 && figure.caption.ends_with('.'),
                "{name}: {}",
                figure.caption
            );
            count += 1;
        }
    }
    assert!(count >= 100, "{count} figures");
}

/// The figures that the claims name, and what each must tell.
const NAMED: &[(&str, &str, &[&str])] = &[
    ("A05", "steps", &["step 1", "step R²", "mistakes"]),
    ("A07", "slack", &["slack ξ", "margin γ", "misclassified"]),
    ("A12", "hardest", &["the 12 largest α", "largest margin"]),
    ("B02", "rest", &["no decision", "class 4"]),
    ("B02", "pairs", &["no decision"]),
    ("B02", "machine", &["class 1", "class 4"]),
    ("B07", "parabola", &["x²", "g ≥ 0"]),
    ("B08", "quadratic", &["Newton descent", "gradient descent, optimal rate"]),
    ("B09", "errors", &["J (errors)"]),
    ("B09", "perceptron", &["J_p (perceptron)"]),
    ("B09", "squares", &["J_q (squares)"]),
    ("B09", "relaxation", &["J_r (relaxation)"]),
    ("B09", "squared-error", &["J_s (squared error)"]),
    ("B10", "trajectory", &["a(2)", "a(5)", "steps"]),
    ("B14", "irrelevant", &["perceptron", "balanced Winnow", "irrelevant features"]),
    ("B15", "under", &["relaxation, η = 0.4"]),
    ("B15", "over", &["relaxation, η = 1.6"]),
    ("B19", "error", &["samples n"]),
    ("B20", "separable", &["LMS", "misclassified by LMS"]),
    ("C04", "soft", &["steps", "gap over the optimum"]),
    ("C08", "narrow", &["support vectors", "f = +1"]),
    ("C08", "wide", &["support vectors", "f = +1"]),
    ("C12", "hard", &["support vectors", "boundary"]),
    ("C12", "two-norm", &["support vectors", "boundary"]),
    ("C12", "one-norm", &["support vectors", "boundary"]),
    ("C14", "linear", &["ε = 0.5", "loss"]),
    ("C14", "quadratic", &["ε = 0.5", "loss"]),
    ("C16", "tube", &["f(x) ± ε", "slack ξ"]),
    ("C19", "band", &["mean ± 2σ"]),
    ("D01", "angle", &["Fisher criterion", "angle of the direction, degrees"]),
    ("D04", "iris", &["setosa", "versicolor", "virginica"]),
    ("D07", "far-blob", &["LDA with it", "logistic regression with it"]),
    ("D10", "c-1e1", &["f(x) = ±1"]),
    ("D10", "c-1e4", &["f(x) = ±1"]),
    ("E09", "reliability", &["Platt scaling", "probability that is given"]),
];

#[test]
fn the_figures_that_the_claims_name_show_what_they_must() {
    for (id, name, texts) in NAMED {
        let record = RECORDS.iter().find(|record| record.entry.id == *id).unwrap();
        let figure = record.findings.figures.iter().find(|figure| figure.name == *name);
        let svg = &figure.unwrap_or_else(|| panic!("{id} has no figure {name}")).svg;
        for text in *texts {
            assert!(svg.contains(text), "{id}-{name} does not say {text}");
        }
    }
}

#[test]
fn numbers_are_rounded() {
    let cases = [
        ("the 1797 digits", "the 1.8e3 digits"),
        ("4.44089e−16 and 0.5273", "small and 0.53"),
        ("12 of 128.", "12 of 130."),
        ("(1, 0, 2.0e3)", "(1, 0, 2.0e3)"),
    ];
    for (text, short) in cases {
        assert_eq!(rounded(text), short);
    }
}
