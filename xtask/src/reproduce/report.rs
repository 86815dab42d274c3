//! `report.json`: everything that was recorded, for other programs.
//!
//! Only `date`, `seconds` and the rows marked `timed` differ between two runs.

use serde::Serialize;

use super::entry::{Erratum, Measurement, Record, Verdict};
use super::{matter, notation};

/// The file.
#[derive(Serialize)]
struct Report<'a> {
    date: &'a str,
    version: &'static str,
    counts: Counts,
    /// The ids of claims that have no entry.
    missing: &'a [&'a str],
    entries: Vec<Item<'a>>,
}

/// How many entries there are of each verdict.
#[derive(Serialize)]
struct Counts {
    entries: usize,
    holds: usize,
    erratum: usize,
    fails: usize,
}

/// One entry.
#[derive(Serialize)]
struct Item<'a> {
    id: &'static str,
    title: &'static str,
    place: &'static str,
    claim: &'static str,
    formulas: Vec<String>,
    how: &'static str,
    seed: u64,
    seconds: f64,
    verdict: Verdict,
    failure: Option<&'a str>,
    measurements: &'a [Measurement],
    errata: &'a [Erratum],
    notes: &'a [String],
    figures: Vec<Picture<'a>>,
}

/// Where a figure is, relative to the report.
#[derive(Serialize)]
struct Picture<'a> {
    file: String,
    caption: &'a str,
}

/// The text of the file.
pub(super) fn json(records: &[Record<'_>], missing: &[&str], date: &str) -> serde_json::Result<String> {
    let count = |verdict| records.iter().filter(|record| record.verdict() == verdict).count();
    let report = Report {
        date,
        version: env!("CARGO_PKG_VERSION"),
        counts: Counts {
            entries: records.len(),
            holds: count(Verdict::Holds),
            erratum: count(Verdict::Erratum),
            fails: count(Verdict::Fails),
        },
        missing,
        entries: records.iter().map(item).collect(),
    };
    Ok(serde_json::to_string_pretty(&report)? + "\n")
}

/// An entry as it goes into the file.
fn item<'a>(record: &'a Record<'_>) -> Item<'a> {
    let findings = &record.findings;
    let matter = matter::of(record.entry.id);
    let picture = |figure| format!("figures/{}", record.file_of(figure));
    Item {
        id: record.entry.id,
        title: matter.map_or("", |matter| matter.title),
        place: record.entry.place,
        claim: record.entry.claim,
        formulas: matter
            .map_or(&[][..], |matter| matter.formulas)
            .iter()
            .map(|text| notation::plain(text))
            .collect(),
        how: record.entry.how,
        seed: record.entry.seed,
        // Milliseconds are enough, and read better.
        seconds: (record.seconds * 1e3).round() / 1e3,
        verdict: record.verdict(),
        failure: findings.failure.as_deref(),
        measurements: &findings.measurements,
        errata: &findings.errata,
        notes: &findings.notes,
        figures: findings
            .figures
            .iter()
            .map(|figure| Picture { file: picture(figure), caption: &figure.caption })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn the_shape_of_a_small_report() {
        insta::assert_snapshot!(json(&sample::records()[..2], &["A02"], "2000-01-01").unwrap());
    }

    #[test]
    fn two_runs_write_the_same_bits() {
        let [first, second] = [0, 1].map(|_| json(&sample::records(), &[], "2000-01-01").unwrap());
        assert_eq!(first, second);
    }

    #[test]
    fn verdicts_and_counts_agree() {
        let text = json(&sample::records(), &[], "2000-01-01").unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        let verdicts: Vec<_> = value["entries"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["verdict"].as_str().unwrap())
            .collect();
        assert_eq!(verdicts, ["holds", "erratum", "fails", "fails", "fails"]);
        assert_eq!(value["counts"]["fails"], 3);
        assert_eq!(value["entries"][3]["failure"], "panicked: index 3 is out of range");
    }
}
