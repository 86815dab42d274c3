//! The raw run as JSON, and its section in `docs/BENCHMARKS.md`.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write;
use std::path::Path;

use serde::Serialize;

use super::machine::Machine;
use crate::reproduce::date::today;

/// All times of a run.
#[derive(Serialize)]
pub(super) struct Run {
    date: String,
    command: &'static str,
    machine: Machine,
    peer: BTreeMap<String, String>,
    repeats: u32,
    pub(super) files: Vec<Times>,
}

/// The times of one file, in seconds, in the order they were taken.
#[derive(Serialize)]
pub(super) struct Times {
    pub(super) set: &'static str,
    pub(super) form: &'static str,
    pub(super) bytes: u64,
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) entries: usize,
    pub(super) ours: Vec<f64>,
    pub(super) theirs: Vec<f64>,
}

const COMMAND: &str = "cargo xtask bench io --data DIR";

impl Run {
    pub(super) fn new(repeats: u32, peer: BTreeMap<String, String>) -> Self {
        Self { date: today(), command: COMMAND, machine: Machine::here(), peer, repeats, files: Vec::new() }
    }
}

impl Times {
    /// How many times faster ours is, by the medians.
    pub(super) fn ratio(&self) -> Option<f64> {
        Some(median(&self.theirs)? / median(&self.ours)?)
    }

    /// A row of the table.
    pub(super) fn line(&self) -> String {
        let milliseconds =
            |seconds: Option<f64>| seconds.map_or("–".to_owned(), |s| format!("{:.1}", 1e3 * s));
        let least = |times: &[f64]| times.iter().copied().reduce(f64::min);
        format!(
            "| {} ({}) | {:.1} | {} | {} | {} | {} | {} | {} | {} |",
            self.set,
            self.form,
            self.bytes as f64 / 1e6,
            self.rows,
            self.entries,
            milliseconds(median(&self.ours)),
            milliseconds(least(&self.ours)),
            milliseconds(median(&self.theirs)),
            milliseconds(least(&self.theirs)),
            self.ratio().map_or("–".to_owned(), |ratio| format!("{ratio:.1}"))
        )
    }
}

/// The middle one of the times; of an even number, the lower of the two.
fn median(times: &[f64]) -> Option<f64> {
    let mut sorted = times.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.get(sorted.len().checked_sub(1)? / 2).copied()
}

/// Writes the raw run and the section.
pub(super) fn write_run(root: &Path, run: &Run) -> Result<(), Box<dyn Error>> {
    let folder = root.join("benches/runs");
    std::fs::create_dir_all(&folder)?;
    let name = format!("io-{}.json", run.date);
    std::fs::write(folder.join(&name), serde_json::to_string_pretty(run)? + "\n")?;
    let path = root.join("docs/BENCHMARKS.md");
    let document = std::fs::read_to_string(&path)?;
    std::fs::write(&path, with_section(&document, &section(run, &name)?)?)?;
    println!("benches/runs/{name} and docs/BENCHMARKS.md are written");
    Ok(())
}

fn section(run: &Run, name: &str) -> Result<String, std::fmt::Error> {
    let Machine { processor, threads, system, compiler } = &run.machine;
    let versions: Vec<String> = run.peer.iter().map(|(what, version)| format!("{what} {version}")).collect();
    let peer = if versions.is_empty() { "not run".to_owned() } else { versions.join(", ") };
    let mut text = String::new();
    writeln!(text, "Measured on {}: {processor}, {threads} threads, {system}; {compiler}.", run.date)?;
    writeln!(text, "Peer: {peer}. Raw times: `benches/runs/{name}`.\n")?;
    writeln!(text, "```text\n{}\n```\n", run.command)?;
    writeln!(
        text,
        "| file | MB | rows | entries | ours, median ms | ours, best ms | scikit-learn, median ms | scikit-learn, best ms | times faster (medians) |"
    )?;
    writeln!(text, "|---|--:|--:|--:|--:|--:|--:|--:|--:|")?;
    run.files.iter().try_for_each(|times| writeln!(text, "{}", times.line()))?;
    Ok(text)
}

const START: &str = "<!-- io: written by `xtask bench io` -->\n";
const END: &str = "<!-- io: end -->\n";

/// The document with what stands between the marks replaced.
fn with_section(document: &str, section: &str) -> Result<String, &'static str> {
    let missing = "docs/BENCHMARKS.md lacks the marks of this section";
    let (before, rest) = document.split_once(START).ok_or(missing)?;
    let (_, after) = rest.split_once(END).ok_or(missing)?;
    Ok(format!("{before}{START}{section}{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_ratios() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.0));
        let mut times = Times {
            set: "a",
            form: "text",
            bytes: 2_000_000,
            rows: 1,
            columns: 1,
            entries: 1,
            ours: vec![0.5, 0.25, 1.0],
            theirs: vec![4.0, 5.0, 6.0],
        };
        assert_eq!(times.ratio(), Some(10.0));
        assert_eq!(times.line(), "| a (text) | 2.0 | 1 | 1 | 500.0 | 250.0 | 5000.0 | 4000.0 | 10.0 |");
        times.theirs.clear();
        assert_eq!(times.ratio(), None);
    }

    #[test]
    fn a_section_is_replaced_between_its_marks() {
        let document = format!("a\n{START}old\n{END}b\n");
        assert_eq!(with_section(&document, "new\n"), Ok(format!("a\n{START}new\n{END}b\n")));
        assert!(with_section("a\n", "new\n").is_err());
    }

    #[test]
    fn the_document_has_the_marks() {
        let path = crate::root::workspace_root().join("docs/BENCHMARKS.md");
        assert!(with_section(&std::fs::read_to_string(path).unwrap(), "").is_ok());
    }
}
