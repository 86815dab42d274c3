//! `cargo xtask reproduce`: the claims of the sources, run one by one.
//!
//! An entry ([`entry`]) says what a source claims and how it is tried; its body writes what came out on a
//! [`mod@bench`]. The [`registry`] lists the entries of [`entries`], [`run`] runs them, [`summary`] speaks to
//! the terminal, and [`report`] and [`page`] write the files, with pictures made by [`figure`].

mod active_sets;
mod barrier;
pub(crate) mod bench;
pub(crate) mod date;
mod dual_by_hand;
mod entries;
pub(crate) mod entry;
pub(crate) mod figure;
mod least_squares;
mod linear_svc;
mod measure;
mod normalised;
mod page;
pub(crate) mod registry;
mod report;
mod run;
#[cfg(test)]
mod sample;
mod summary;
mod vectors;
mod widest;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};

use crate::root::workspace_root;
use entry::{Entry, Record, Verdict};

/// Arguments of `cargo xtask reproduce`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Prints the entries, and runs nothing.
    #[arg(long)]
    list: bool,
    /// Runs these entries only.
    #[arg(long, value_name = "ID", num_args = 1.., value_delimiter = ',')]
    only: Vec<String>,
    /// Where the report goes; target/reproduce of the workspace if not given.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs the entries and writes the report; `Ok(false)` says that a claim failed.
pub(crate) fn command(arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    let entries = registry::choose(&registry::all(), &arguments.only)?;
    if arguments.list {
        print!("{}", summary::list(&entries, summary::terminal_width()));
        return Ok(true);
    }
    if entries.is_empty() {
        return Err("no entries are registered: nothing can be reproduced".into());
    }
    let out = arguments.out.clone().unwrap_or_else(|| workspace_root().join("target").join("reproduce"));
    let records = run::quietly(|panic_place| run_all(&entries, panic_place));
    let paths = write(&records, &out)?;
    print!("{}", summary::table(&records, summary::terminal_width()));
    for path in &paths {
        println!("{}", path.display());
    }
    Ok(records.iter().all(|record| record.verdict() != Verdict::Fails))
}

/// Runs the entries in order, with a progress bar on a terminal and a line per entry elsewhere.
///
/// `panic_place` takes the place of the last panic, if there was one.
fn run_all<'a>(entries: &[&'a Entry], panic_place: &dyn Fn() -> Option<String>) -> Vec<Record<'a>> {
    let bar = ProgressBar::new(entries.len() as u64);
    // A template that does not parse leaves the bar with its plain look.
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len}  {elapsed}  {msg}") {
        bar.set_style(style);
    }
    // A long entry shows that time goes on.
    bar.enable_steady_tick(std::time::Duration::from_millis(250));
    let mut records = Vec::with_capacity(entries.len());
    for entry in entries {
        bar.set_message(format!("{} {}", entry.id, entry.place));
        let mut record = run::run_one(entry);
        if let (Some(failure), Some(place)) = (&mut record.findings.failure, panic_place()) {
            *failure += &format!(" (at {place})");
        }
        if bar.is_hidden() {
            println!("{}", summary::line(&record));
        }
        records.push(record);
        bar.inc(1);
    }
    bar.finish_and_clear();
    records
}

/// Writes `report.json`, `index.html` and the figures; the answer names the first two.
fn write(records: &[Record<'_>], out: &Path) -> Result<[PathBuf; 2], Box<dyn Error>> {
    let at = |path: &Path, error: std::io::Error| format!("cannot write {}: {error}", path.display());
    let figures = out.join("figures");
    fs::create_dir_all(&figures).map_err(|error| at(&figures, error))?;
    remove_old_figures(&figures).map_err(|error| at(&figures, error))?;
    for record in records {
        for figure in &record.findings.figures {
            let path = figures.join(record.file_of(figure));
            fs::write(&path, &figure.svg).map_err(|error| at(&path, error))?;
        }
    }
    let date = date::today();
    let paths = [out.join("report.json"), out.join("index.html")];
    let texts = [report::json(records, &date)?, page::html(records, &date)];
    for (path, text) in paths.iter().zip(texts) {
        fs::write(path, text).map_err(|error| at(path, error))?;
    }
    Ok(paths)
}

/// Removes what an earlier run drew, and nothing else: files named like `A01-….svg`.
fn remove_old_figures(folder: &Path) -> std::io::Result<()> {
    for item in fs::read_dir(folder)? {
        let path = item?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let ours = matches!(name.as_bytes(), [b'A'..=b'E', b'0'..=b'9', b'0'..=b'9', b'-', ..]);
        if ours && name.ends_with(".svg") {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_is_written_and_old_figures_go() {
        let out = std::env::temp_dir().join(format!("lm-reproduce-{}", std::process::id()));
        let figures = out.join("figures");
        fs::create_dir_all(&figures).unwrap();
        fs::write(figures.join("B99-old.svg"), "old").unwrap();
        fs::write(figures.join("mine.svg"), "mine").unwrap();
        let [json, page] = write(&sample::records(), &out).unwrap();
        let json: serde_json::Value = serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
        let figure = json["entries"][0]["figures"][0]["file"].as_str().unwrap();
        assert!(out.join(figure).is_file(), "the report names {figure}");
        assert!(fs::read_to_string(page).unwrap().contains("<svg"));
        assert!(!figures.join("B99-old.svg").exists() && figures.join("mine.svg").exists());
        fs::remove_dir_all(&out).unwrap();
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named() {
        let error = write(&[], Path::new("Cargo.toml/out")).unwrap_err().to_string();
        assert!(error.starts_with("cannot write Cargo.toml/out"), "{error}");
    }

    #[test]
    fn every_entry_runs_after_a_panic_and_the_place_is_told() {
        let entries: Vec<_> = sample::ENTRIES.iter().collect();
        let records = run_all(&entries, &|| Some("a.rs:1".into()));
        assert_eq!(records.len(), entries.len());
        assert_eq!(
            records[3].findings.failure.as_deref(),
            Some("panicked: index 3 is out of range (at a.rs:1)")
        );
    }
}
