//! The kernel-row engine: rows of kernel values against the processor's peak, whole Gram matrices and decision values
//! against scikit-learn and scikit-learn-intelex, in turn.

mod decisions;
mod gram;
mod rows;

use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::peer::started;
use super::report::{Run, write_run};
use crate::root::workspace_root;

/// One measured case.
#[derive(Serialize)]
#[serde(untagged)]
enum Case {
    Rows(rows::Rows),
    Gram(gram::Times),
    Decisions(decisions::Times),
}

/// The releases that are measured.
const RELEASES: [&str; 2] = ["scikit-learn==1.9.1", "scikit-learn-intelex==2026.2.0"];

/// Measures, reports, and says whether the targets were met.
pub(super) fn run(data: &Path, repeats: u32) -> Result<bool, Box<dyn Error>> {
    let root = workspace_root();
    let scratch = root.join("target/bench-data");
    std::fs::create_dir_all(&scratch)?;
    let mut peer = started(&root, "engine.py", &RELEASES);
    let mut run = Run::new("cargo xtask bench engine --data DIR", repeats, &peer);
    let mut text = String::new();

    let rows = rows::measure(data, repeats)?;
    writeln!(text, "{}", rows::table(&rows))?;
    let grams = gram::measure(&scratch, peer.as_mut(), repeats)?;
    writeln!(text, "{}", gram::table(&grams))?;
    let decisions = decisions::measure(data, &scratch, peer.as_mut(), repeats)?;
    write!(text, "{}", decisions::table(&decisions))?;

    let met = rows.iter().all(rows::Rows::met)
        && grams.iter().all(gram::Times::met)
        && decisions.iter().all(decisions::Times::met);
    run.cases.extend(rows.into_iter().map(Case::Rows));
    run.cases.extend(grams.into_iter().map(Case::Gram));
    run.cases.extend(decisions.into_iter().map(Case::Decisions));
    write_run(&root, "engine", &run, &text)?;
    Ok(met)
}

/// Writes an array as raw numbers.
pub(super) fn write_numbers(path: &PathBuf, numbers: &[f64]) -> Result<(), Box<dyn Error>> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    Ok(std::fs::write(path, bytes)?)
}

/// Reads an array of raw numbers.
pub(super) fn read_numbers(path: &PathBuf) -> Result<Vec<f64>, Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    let (numbers, _) = bytes.as_chunks::<8>();
    Ok(numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect())
}
