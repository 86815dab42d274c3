//! `cargo xtask reproduce`: the claims of the sources, run one by one.
//!
//! An entry ([`entry`]) says what a source claims and how it is tried; its body writes what came out on a
//! [`mod@bench`]. The [`registry`] lists the entries of [`entries`], [`run`] runs them, [`resume`] goes on where a
//! run was interrupted, [`progress`] and [`summary`] speak to the terminal, and [`report`] and [`page`] write the
//! files, with pictures made by [`figure`], explanations from [`matter`] and formulas set by [`notation`].

mod active_sets;
mod barrier;
pub(crate) mod bench;
pub(crate) mod date;
mod digit_sets;
mod dual_by_hand;
mod entries;
pub(crate) mod entry;
pub(crate) mod figure;
mod least_squares;
mod links;
mod matter;
mod measure;
mod normalised;
mod notation;
mod page;
mod progress;
pub(crate) mod registry;
mod report;
mod resume;
mod run;
#[cfg(test)]
mod sample;
mod summary;
mod vectors;
#[cfg(test)]
mod whole;
mod widest;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::root::workspace_root;
use bench::Scope;
use entry::{Entry, Record, Verdict};
use progress::Progress;
use resume::Store;

/// The figures that the README shows, in `docs/figures`.
const SHOWN: [&str; 3] = ["C01-moons.svg", "C04-soft.svg", "E08-sensitivity.svg"];

/// Arguments of `cargo xtask reproduce`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Prints the entries, and runs nothing.
    #[arg(long)]
    list: bool,
    /// Runs these entries only.
    #[arg(long, value_name = "ID", num_args = 1.., value_delimiter = ',')]
    only: Vec<String>,
    /// A folder with large sets: mnist (the four IDX files) and usps (train and test in the format of LIBSVM).
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Larger sizes and more repetitions.
    #[arg(long)]
    full: bool,
    /// Opens the page in the browser when the run is over.
    #[arg(long)]
    open: bool,
    /// Does not go on from where a run was interrupted, but begins anew.
    #[arg(long)]
    anew: bool,
    /// Where the report goes; target/reproduce of the workspace if not given.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Writes the figures that the README shows into this folder, as far as they were drawn.
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,
}

/// Runs the entries and writes the report; `Ok(false)` says that a claim failed or that one has no entry.
pub(crate) fn command(arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    let all = registry::all();
    let entries = registry::choose(&all, &arguments.only)?;
    if arguments.list {
        print!("{}", summary::list(&entries, summary::terminal_width()));
        return Ok(true);
    }
    if entries.is_empty() {
        return Err("no entries are registered: nothing can be reproduced".into());
    }
    let scope = Scope { data: data_folder(arguments.data.as_deref())?, full: arguments.full };
    let out = arguments.out.clone().unwrap_or_else(|| workspace_root().join("target").join("reproduce"));
    fs::create_dir_all(&out).map_err(|error| at(&out, &error))?;
    let store = Store::open(&out, &scope).map_err(|error| at(&out, &error))?;
    if arguments.anew {
        store.clear().map_err(|error| at(&out, &error))?;
    }
    let run = Run { scope: &scope, store: &store, report: &out.join("report.json") };
    let records = run::quietly(|panic_place| run.all(&entries, panic_place))?;
    let missing = if arguments.only.is_empty() { registry::missing(&all) } else { Vec::new() };
    let paths = write(&records, &missing, &out)?;
    store.clear().map_err(|error| at(&out, &error))?;
    if let Some(folder) = &arguments.figures {
        write_shown(&records, folder)?;
    }
    print!("{}", summary::table(&records, summary::terminal_width()));
    if !missing.is_empty() {
        println!("no entry for {}", missing.join(", "));
    }
    for path in &paths {
        println!("{}", path.display());
    }
    if arguments.open {
        open_page(&paths[1])?;
    }
    Ok(missing.is_empty() && records.iter().all(|record| record.verdict() != Verdict::Fails))
}

/// Says which file or folder cannot be written.
fn at(path: &Path, error: &std::io::Error) -> String {
    format!("cannot write {}: {error}", path.display())
}

/// The folder with large sets, from the root of the file system, if it is one.
fn data_folder(named: Option<&Path>) -> Result<Option<PathBuf>, String> {
    let Some(folder) = named else { return Ok(None) };
    let why = |error: std::io::Error| format!("--data {}: {error}; a folder is needed", folder.display());
    let found = folder.canonicalize().map_err(why)?;
    if found.is_dir() { Ok(Some(found)) } else { Err(format!("--data {} is no folder", folder.display())) }
}

/// Opens a page with the program that the system has for it.
fn open_page(page: &Path) -> Result<(), String> {
    let (program, first): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    match Command::new(program).args(first).arg(page).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{program} could not open {}: {status}", page.display())),
        Err(error) => {
            Err(format!("{program} could not be started: {error}; open {} yourself", page.display()))
        }
    }
}

/// A run of some entries.
struct Run<'s> {
    scope: &'s Scope,
    store: &'s Store,
    /// The report of an earlier run, which tells how long entries take.
    report: &'s Path,
}

impl Run<'_> {
    /// Runs the entries in order. Those that an interrupted run had finished are taken from there.
    ///
    /// `panic_place` takes the place of the last panic, if there was one.
    fn all<'a>(
        &self,
        entries: &[&'a Entry],
        panic_place: &dyn Fn() -> Option<String>,
    ) -> Result<Vec<Record<'a>>, String> {
        let mut progress = Progress::new(entries, self.report);
        let mut records = Vec::with_capacity(entries.len());
        let mut taken = 0;
        for entry in entries {
            progress.begin(entry);
            let (record, again) = match self.store.take(entry) {
                Some(record) => (record, false),
                None => (self.one(entry, panic_place)?, true),
            };
            taken += usize::from(!again);
            progress.end(&record, again);
            records.push(record);
        }
        progress.finish();
        if taken > 0 {
            println!("{taken} of them were finished by a run that was interrupted; --anew runs all");
        }
        Ok(records)
    }

    fn one<'a>(
        &self,
        entry: &'a Entry,
        panic_place: &dyn Fn() -> Option<String>,
    ) -> Result<Record<'a>, String> {
        let mut record = run::run_one(entry, self.scope);
        if let (Some(failure), Some(place)) = (&mut record.findings.failure, panic_place()) {
            *failure += &format!(" (at {place})");
        }
        // What failed runs again: the cause may have been outside.
        if record.verdict() != Verdict::Fails {
            self.store.keep(&record).map_err(|error| format!("cannot keep {}: {error}", entry.id))?;
        }
        Ok(record)
    }
}

/// Writes those of the figures of the README that are among the records.
fn write_shown(records: &[Record<'_>], folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| at(folder, &error))?;
    for record in records {
        for figure in &record.findings.figures {
            let name = record.file_of(figure);
            if SHOWN.contains(&name.as_str()) {
                let path = folder.join(name);
                fs::write(&path, &figure.svg).map_err(|error| at(&path, &error))?;
            }
        }
    }
    Ok(())
}

/// Writes `report.json`, `index.html` and the figures; the answer names the first two.
fn write(records: &[Record<'_>], missing: &[&str], out: &Path) -> Result<[PathBuf; 2], Box<dyn Error>> {
    let figures = out.join("figures");
    fs::create_dir_all(&figures).map_err(|error| at(&figures, &error))?;
    remove_old_figures(&figures).map_err(|error| at(&figures, &error))?;
    for record in records {
        for figure in &record.findings.figures {
            let path = figures.join(record.file_of(figure));
            fs::write(&path, &figure.svg).map_err(|error| at(&path, &error))?;
        }
    }
    let date = date::today();
    let paths = [out.join("report.json"), out.join("index.html")];
    let links = links::Links::read(&workspace_root(), out);
    let book = page::Book { records, missing, date: &date, links: &links };
    let texts = [report::json(records, missing, &date)?, book.html()];
    for (path, text) in paths.iter().zip(texts) {
        fs::write(path, text).map_err(|error| at(path, &error))?;
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
        let [json, page] = write(&sample::records(), &["A02"], &out).unwrap();
        let json: serde_json::Value = serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
        let figure = json["entries"][0]["figures"][0]["file"].as_str().unwrap();
        assert!(out.join(figure).is_file(), "the report names {figure}");
        assert!(fs::read_to_string(page).unwrap().contains("<svg"));
        assert!(!figures.join("B99-old.svg").exists() && figures.join("mine.svg").exists());
        fs::remove_dir_all(&out).unwrap();
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named() {
        let error = write(&[], &[], Path::new("Cargo.toml/out")).unwrap_err().to_string();
        assert!(error.starts_with("cannot write Cargo.toml/out"), "{error}");
    }

    #[test]
    fn every_entry_runs_after_a_panic_and_the_place_is_told() {
        let entries: Vec<_> = sample::ENTRIES.iter().collect();
        let out = std::env::temp_dir().join(format!("lm-run-{}", std::process::id()));
        let scope = Scope::default();
        let store = Store::open(&out, &scope).unwrap();
        let run = Run { scope: &scope, store: &store, report: Path::new("no such file") };
        let records = run.all(&entries, &|| Some("a.rs:1".into())).unwrap();
        assert!(store.take(&sample::ENTRIES[0]).is_some() && store.take(&sample::ENTRIES[3]).is_none());
        store.clear().unwrap();
        fs::remove_dir_all(&out).unwrap();
        assert_eq!(records.len(), entries.len());
        assert_eq!(
            records[3].findings.failure.as_deref(),
            Some("panicked: index 3 is out of range (at a.rs:1)")
        );
    }
}
