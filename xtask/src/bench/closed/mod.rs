//! Learners that solve linear systems: whole fits against scipy, scikit-learn, scikit-learn-intelex and GPy, in turn.

mod problem;
mod problems;

use std::error::Error;

use problem::{Peers, Times};

use super::SuiteArguments;
use super::peer::started_in;
use super::report::{Run, write_run};
use crate::root::workspace_root;

/// The releases that are measured.
const RELEASES: [&str; 3] = ["scikit-learn==1.9.1", "scikit-learn-intelex==2026.2.0", "scipy==1.17.1"];

/// GPy needs an older numpy than the others, and a plotting library to be imported.
const GPY: [&str; 2] = ["GPy==1.13.2", "matplotlib==3.11.2"];

/// Measures, reports, and says whether the targets were met.
pub(super) fn run(arguments: &SuiteArguments) -> Result<bool, Box<dyn Error>> {
    let root = workspace_root();
    let scratch = root.join("target/bench-data");
    std::fs::create_dir_all(&scratch)?;
    let mut peers = Peers {
        main: started_in(&root, "venv", "closed.py", &RELEASES),
        gpy: started_in(&root, "gpy", "gpy.py", &GPY),
        scratch,
    };
    let known = peers.main.iter().chain(&peers.gpy);
    let mut run = Run::new("cargo xtask bench closed --data DIR", arguments.repeats, known);
    println!("{}", Times::head());
    run.cases = problems::measure(arguments, &mut peers)?;
    let met = run.cases.iter().all(Times::met);
    let table = run.cases.iter().fold(Times::head(), |text, times| text + &times.lines());
    if arguments.only.is_none() {
        write_run(&root, "closed", &run, &table)?;
    }
    Ok(met)
}
