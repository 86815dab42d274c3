//! Support vector machines with a Gaussian kernel: whole fits against LIBSVM, scikit-learn and scikit-learn-intelex, in turn.

mod evaluate;
mod training;

use std::error::Error;

use super::SuiteArguments;
use super::peer::started;
use super::report::{Run, write_run};
use crate::root::workspace_root;
use training::Times;

/// The releases that are measured.
const RELEASES: [&str; 4] =
    ["scikit-learn==1.9.1", "scikit-learn-intelex==2026.2.0", "scipy==1.17.1", "libsvm-official==3.37.0"];

/// Measures, reports, and says whether the targets were met.
pub(super) fn run(arguments: &SuiteArguments) -> Result<bool, Box<dyn Error>> {
    let root = workspace_root();
    let scratch = root.join("target/bench-data");
    std::fs::create_dir_all(&scratch)?;
    let mut peer = started(&root, "svm.py", &RELEASES);
    let mut run = Run::new("cargo xtask bench svm --data DIR", arguments.repeats, peer.as_ref());
    println!("{}", Times::head());
    run.cases = training::measure(arguments, &scratch, peer.as_mut())?;
    let table = run.cases.iter().fold(Times::head(), |text, times| text + &times.lines());
    let table = table + "\n" + &training::summary(&run.cases);
    println!("{}", training::summary(&run.cases));
    if arguments.only.is_none() {
        write_run(&root, "svm", &run, &table)?;
    }
    Ok(training::met(&run.cases))
}
