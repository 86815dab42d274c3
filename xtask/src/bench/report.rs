//! The raw run as JSON, and its section in `docs/BENCHMARKS.md`.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write;
use std::path::Path;

use serde::Serialize;

use super::machine::Machine;
use super::peer::Peer;
use crate::reproduce::date::today;

/// All times of a run.
#[derive(Serialize)]
pub(super) struct Run<T> {
    date: String,
    command: &'static str,
    machine: Machine,
    peer: BTreeMap<String, String>,
    repeats: u32,
    pub(super) cases: Vec<T>,
}

impl<T: Serialize> Run<T> {
    pub(super) fn new<'a>(
        command: &'static str,
        repeats: u32,
        peers: impl IntoIterator<Item = &'a Peer>,
    ) -> Self {
        let peer = peers.into_iter().flat_map(|peer| peer.versions.clone()).collect();
        Self { date: today(), command, machine: Machine::here(), peer, repeats, cases: Vec::new() }
    }
}

/// The middle one of the times; of an even number, the lower of the two.
pub(super) fn median(times: &[f64]) -> Option<f64> {
    let mut sorted = times.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.get(sorted.len().checked_sub(1)? / 2).copied()
}

/// How many times faster `ours` is than `theirs`, by the medians.
pub(super) fn ratio(ours: &[f64], theirs: &[f64]) -> Option<f64> {
    Some(median(theirs)? / median(ours)?)
}

/// The median in milliseconds, for a table.
pub(super) fn milliseconds(times: &[f64]) -> String {
    median(times).map_or("–".to_owned(), |seconds| format!("{:.1}", 1e3 * seconds))
}

/// A ratio, for a table.
pub(super) fn times_faster(ratio: Option<f64>) -> String {
    ratio.map_or("–".to_owned(), |ratio| format!("{ratio:.1}"))
}

/// Writes the raw run, and its tables into the section of the suite.
pub(super) fn write_run<T: Serialize>(
    root: &Path,
    suite: &str,
    run: &Run<T>,
    tables: &str,
) -> Result<(), Box<dyn Error>> {
    let folder = root.join("benches/runs");
    std::fs::create_dir_all(&folder)?;
    let name = format!("{suite}-{}.json", run.date);
    std::fs::write(folder.join(&name), serde_json::to_string_pretty(run)? + "\n")?;
    let path = root.join("docs/BENCHMARKS.md");
    let document = std::fs::read_to_string(&path)?;
    let text = section(run, &name, tables)?;
    std::fs::write(&path, with_section(&document, suite, &text)?)?;
    println!("benches/runs/{name} and docs/BENCHMARKS.md are written");
    Ok(())
}

fn section<T>(run: &Run<T>, name: &str, tables: &str) -> Result<String, std::fmt::Error> {
    let Machine { processor, threads, system, compiler } = &run.machine;
    let versions: Vec<String> = run.peer.iter().map(|(what, version)| format!("{what} {version}")).collect();
    let peer = if versions.is_empty() { "not run".to_owned() } else { versions.join(", ") };
    let mut text = String::new();
    writeln!(text, "Measured on {}: {processor}, {threads} threads, {system}; {compiler}.", run.date)?;
    writeln!(text, "Peer: {peer}. Raw times: `benches/runs/{name}`.\n")?;
    writeln!(text, "```text\n{}\n```\n", run.command)?;
    text.push_str(tables);
    Ok(text)
}

/// The document with what stands between the marks of a suite replaced.
fn with_section(document: &str, suite: &str, section: &str) -> Result<String, &'static str> {
    let missing = "docs/BENCHMARKS.md lacks the marks of this section";
    let start = format!("<!-- {suite}: written by `xtask bench {suite}` -->\n");
    let end = format!("<!-- {suite}: end -->\n");
    let (before, rest) = document.split_once(&start).ok_or(missing)?;
    let (_, after) = rest.split_once(&end).ok_or(missing)?;
    Ok(format!("{before}{start}{section}{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_ratios() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.0));
        assert_eq!(ratio(&[0.5, 0.25, 1.0], &[4.0, 5.0, 6.0]), Some(10.0));
        assert_eq!(ratio(&[0.5], &[]), None);
        assert_eq!((milliseconds(&[0.5]), milliseconds(&[])), ("500.0".into(), "–".into()));
        assert_eq!((times_faster(Some(10.04)), times_faster(None)), ("10.0".into(), "–".into()));
    }

    #[test]
    fn a_section_is_replaced_between_its_marks() {
        let (start, end) = ("<!-- a: written by `xtask bench a` -->\n", "<!-- a: end -->\n");
        let document = format!("a\n{start}old\n{end}b\n");
        assert_eq!(with_section(&document, "a", "new\n"), Ok(format!("a\n{start}new\n{end}b\n")));
        assert!(with_section("a\n", "a", "new\n").is_err());
    }

    #[test]
    fn the_document_has_the_marks_of_every_suite() {
        let path = crate::root::workspace_root().join("docs/BENCHMARKS.md");
        let document = std::fs::read_to_string(path).unwrap();
        for suite in ["io", "engine", "online", "closed", "svm"] {
            assert!(with_section(&document, suite, "").is_ok(), "{suite}");
        }
    }
}
