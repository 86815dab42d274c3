//! Online learners: epochs against a plain read of the same memory, scikit-learn and Vowpal Wabbit, in turn; and the
//! time in which Pegasos proves that it is near the optimum.

mod epochs;
mod pegasos;

use std::error::Error;
use std::fmt::Write;
use std::path::Path;

use serde::Serialize;

use super::peer::started;
use super::report::{Run, write_run};
use crate::root::workspace_root;

/// One measured case.
#[derive(Serialize)]
#[serde(untagged)]
enum Case {
    Epochs(epochs::Times),
    Pegasos(pegasos::Times),
}

/// The releases that are measured.
const RELEASES: [&str; 2] = ["scikit-learn==1.9.1", "vowpalwabbit==9.11.9"];

/// Measures, reports, and says whether the targets were met.
pub(super) fn run(data: &Path, repeats: u32) -> Result<bool, Box<dyn Error>> {
    let root = workspace_root();
    let scratch = root.join("target/bench-data");
    std::fs::create_dir_all(&scratch)?;
    let mut peer = started(&root, "online.py", &RELEASES);
    let mut run = Run::new("cargo xtask bench online --data DIR", repeats, &peer);
    let mut text = String::new();
    let all = epochs::measure(data, &scratch, peer.as_mut(), repeats)?;
    writeln!(text, "{}", epochs::table(&all))?;
    let near = pegasos::measure(data, repeats)?;
    write!(text, "{}", pegasos::table(&near))?;
    let met = all.iter().all(epochs::Times::met);
    run.cases.extend(all.into_iter().map(Case::Epochs));
    run.cases.push(Case::Pegasos(near));
    write_run(&root, "online", &run, &text)?;
    Ok(met)
}
