//! The command line.

use clap::{Args, Parser, Subcommand};

use crate::input::Format;
use crate::settings::{MachineName, SettingArgs};

/// Linear learning machines and kernel machines that prove their answers.
#[derive(Debug, Parser)]
#[command(name = "lm", version, propagate_version = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Train a machine and save it with its certificate
    Train(TrainArgs),
    /// Predict classes, scores and probabilities, or numbers
    Predict(PredictArgs),
    /// Recompute a certificate from the data: VALID or INVALID, and why
    Verify(VerifyArgs),
}

/// How data are read.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Data")]
pub(crate) struct InputArgs {
    /// Column that is the target, by its name [default: a column called target, label, class or y, else the last]
    #[arg(long, value_name = "NAME")]
    pub(crate) target: Option<String>,
    /// Format of the data [default: told from the name and the first line]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
}

/// What a run may cost.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitArgs {
    /// Stop after so many seconds, with the best machine so far
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) time_limit: Option<f64>,
    /// Megabytes that the learner may use beside the data
    #[arg(long, value_name = "MB")]
    pub(crate) memory_limit: Option<u64>,
    /// Stop after so many iterations of the learner
    #[arg(long, value_name = "INTEGER")]
    pub(crate) iterations: Option<u64>,
    /// Threads [default: all cores]; the result is the same for any number
    #[arg(long, value_name = "INTEGER")]
    pub(crate) threads: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct TrainArgs {
    /// Machine to train
    #[arg(value_name = "MACHINE")]
    pub(crate) machine: MachineName,
    /// Training data: svmlight or CSV, plain or gzip; `-` for standard input
    #[arg(value_name = "DATA")]
    pub(crate) data: String,
    /// File for the model [default: the name of the data with `.lm` added, in the current folder]
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) output: Option<String>,
    /// File with a weight ≥ 0 for each example, one a line
    #[arg(long, value_name = "FILE")]
    pub(crate) weights: Option<String>,
    #[command(flatten)]
    pub(crate) settings: SettingArgs,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// One JSON object instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PredictArgs {
    /// Model that `lm train` wrote
    #[arg(value_name = "MODEL")]
    pub(crate) model: String,
    /// Data to predict for; the target may be missing
    #[arg(value_name = "DATA")]
    pub(crate) data: String,
    /// Write all predictions as CSV; `-` for standard output, without anything else
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Threads [default: all cores]
    #[arg(long, value_name = "INTEGER")]
    pub(crate) threads: Option<usize>,
    /// One JSON object instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// Model that `lm train` wrote, or proof that `lm separable` wrote
    #[arg(value_name = "MODEL")]
    pub(crate) model: String,
    /// The data that it was trained on
    #[arg(value_name = "DATA")]
    pub(crate) data: String,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Threads [default: all cores]
    #[arg(long, value_name = "INTEGER")]
    pub(crate) threads: Option<usize>,
    /// One JSON object instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}
