//! `cargo xtask bench`: measurements against other programs, in the same run on the same machine.
//!
//! Each suite alternates ours and theirs, keeps every single time, checks that both computed the same thing, writes
//! the raw run to `benches/runs/` and its section of `docs/BENCHMARKS.md`. Figures of a build without optimisation
//! would mislead, so a debug build refuses.

mod closed;
mod engine;
mod io;
mod machine;
mod online;
mod peer;
mod report;
mod svm;

use std::error::Error;
use std::path::PathBuf;
use std::process::Command;

use clap::{Args, Subcommand};

/// What to measure.
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    suite: Suite,
}

/// The suites.
#[derive(Subcommand)]
enum Suite {
    /// Reading svmlight files, against scikit-learn.
    Io(SuiteArguments),
    /// Kernel rows, Gram matrices and decision values, against scikit-learn and scikit-learn-intelex.
    Engine(SuiteArguments),
    /// Learners that solve linear systems, against scipy, scikit-learn, scikit-learn-intelex and GPy.
    Closed(SuiteArguments),
    /// Epochs of online learners, against scikit-learn and Vowpal Wabbit.
    Online(SuiteArguments),
    /// Training of support vector machines, against LIBSVM, scikit-learn and scikit-learn-intelex.
    Svm(SuiteArguments),
}

/// What a suite needs.
#[derive(Args)]
struct SuiteArguments {
    /// The folder with the data sets, as NAME/train.svm.gz.
    #[arg(long)]
    data: PathBuf,
    /// How often each case is measured with each program.
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeats: u32,
    /// Only problems whose name contains this text; printed, and kept nowhere.
    #[arg(long)]
    only: Option<String>,
}

impl SuiteArguments {
    /// Whether a problem of this name is to be measured.
    fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|text| name.contains(text))
    }
}

/// Runs a suite; false if a target was missed.
pub(crate) fn command(arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    if cfg!(debug_assertions) {
        return Err("measure an optimised build, as `cargo xtask` makes".into());
    }
    // Both sides keep their memory: this program starts itself again with the settings of its peers.
    if peer::KEPT_MEMORY.iter().any(|(name, value)| std::env::var(name).as_deref() != Ok(value)) {
        let mut again = Command::new(std::env::current_exe()?);
        return Ok(again.args(std::env::args_os().skip(1)).envs(peer::KEPT_MEMORY).status()?.success());
    }
    match &arguments.suite {
        Suite::Io(arguments) => io::run(&arguments.data, arguments.repeats),
        Suite::Engine(arguments) => engine::run(&arguments.data, arguments.repeats),
        Suite::Closed(arguments) => closed::run(arguments),
        Suite::Online(arguments) => online::run(&arguments.data, arguments.repeats),
        Suite::Svm(arguments) => svm::run(arguments),
    }
}
