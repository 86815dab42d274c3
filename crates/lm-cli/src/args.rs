//! The command line.

use clap::{Args, Parser, Subcommand};

use crate::failure::{Failure, Outcome};
use crate::help;
use crate::input::Format;
use crate::settings::{MachineName, ScaleName, SettingArgs};

/// Linear learning machines and kernel machines that prove their answers.
#[derive(Debug, Parser)]
#[command(name = "lm", version, propagate_version = true, max_term_width = 100, after_help = help::PROGRAM)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Train a machine and save it with its certificate
    #[command(after_help = help::TRAIN)]
    Train(TrainArgs),
    /// Predict classes, scores and probabilities, or numbers
    #[command(after_help = help::PREDICT)]
    Predict(PredictArgs),
    /// Recompute a certificate from the data: VALID or INVALID, and why
    #[command(after_help = help::VERIFY)]
    Verify(VerifyArgs),
    /// Decide whether a hyperplane separates two classes, with a proof
    #[command(after_help = help::SEPARABLE)]
    Separable(SeparableArgs),
    /// What theory says of a model's error: the ledger of bounds
    #[command(after_help = help::BOUNDS)]
    Bounds(BoundsArgs),
    /// Cross-validate a machine
    #[command(after_help = help::CV)]
    Cv(CvArgs),
    /// Search a grid of settings by cross-validation
    #[command(after_help = help::GRID)]
    Grid(GridArgs),
    /// Scale data
    #[command(after_help = help::SCALE)]
    Scale(ScaleArgs),
    /// Convert models from and to LIBSVM and LIBLINEAR
    #[command(after_help = help::CONVERT)]
    Convert(ConvertArgs),
    /// Draw the regions of a model over two features
    #[command(after_help = help::PLOT)]
    Plot(PlotArgs),
    /// Take the command line of LIBSVM's svm-train
    #[command(after_help = help::LIBSVM_TRAIN)]
    LibsvmTrain(LibsvmTrainArgs),
    /// Take the command line of LIBSVM's svm-predict
    #[command(after_help = help::LIBSVM_PREDICT)]
    LibsvmPredict(LibsvmPredictArgs),
    /// Write completions for a shell
    #[command(after_help = help::COMPLETIONS)]
    Completions(CompletionArgs),
    /// Write the manual
    #[command(after_help = help::MAN)]
    Man(ManArgs),
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

#[derive(Debug, Args)]
pub(crate) struct SeparableArgs {
    /// Data with two classes, or more with `--positive`
    #[arg(value_name = "DATA")]
    pub(crate) data: String,
    /// File for the proof, which `lm verify` checks
    #[arg(short, long, value_name = "PROOF")]
    pub(crate) output: Option<String>,
    /// The class that is to be separated from all others [default: the larger of two]
    #[arg(long, value_name = "CLASS", allow_hyphen_values = true)]
    pub(crate) positive: Option<String>,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// One JSON object instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BoundsArgs {
    /// Model that `lm train` wrote
    #[arg(value_name = "MODEL")]
    pub(crate) model: String,
    /// The data that it was trained on, or test data
    #[arg(value_name = "DATA")]
    pub(crate) data: String,
    /// Test data that took no part in the training or in any choice
    #[arg(long, value_name = "FILE")]
    pub(crate) test: Option<String>,
    /// Probability with which a bound may fail, between 0 and 1
    #[arg(long, value_name = "NUMBER", default_value_t = 0.05, allow_negative_numbers = true)]
    pub(crate) delta: f64,
    /// Share the probability among all bounds, so that the least may be chosen
    #[arg(long)]
    pub(crate) simultaneous: bool,
    /// By how much a predicted number may be off before it counts as an error
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) tolerance: Option<f64>,
    /// File for a picture of the bounds, as SVG
    #[arg(short, long, value_name = "SVG")]
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
pub(crate) struct CvArgs {
    /// Machine to train
    #[arg(value_name = "MACHINE")]
    pub(crate) machine: MachineName,
    /// Labelled data
    #[arg(value_name = "DATA")]
    pub(crate) data: String,
    /// Number of folds; those of a classifier keep the proportions of the classes
    #[arg(long, value_name = "INTEGER", default_value_t = 5)]
    pub(crate) folds: usize,
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

/// Powers of two from one exponent to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Powers {
    pub(crate) from: i32,
    pub(crate) to: i32,
    pub(crate) step: i32,
}

impl Powers {
    /// The powers in increasing order.
    pub(crate) fn values(self) -> Outcome<Vec<f64>> {
        let Self { from, to, step } = self;
        let (low, high) = (from.min(to), from.max(to));
        let step = step.unsigned_abs().max(1) as usize;
        if low < -1000 || high > 1000 {
            return Err(Failure::new(format!("exponents {from} to {to}; accepted are -1000 to 1000")));
        }
        Ok((low..=high).step_by(step).map(|exponent| f64::from(exponent).exp2()).collect())
    }
}

fn powers(text: &str) -> Result<Powers, String> {
    let numbers: Option<Vec<i32>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[from, to]) => Ok(Powers { from, to, step: 1 }),
        Some(&[from, to, step]) if step != 0 => Ok(Powers { from, to, step }),
        _ => Err("accepted is FROM,TO,STEP in exponents of 2, such as -5,15,2".to_owned()),
    }
}

#[derive(Debug, Args)]
pub(crate) struct GridArgs {
    /// Machine to search for: svc, svr, nu-svr, linear-svc, lp-svc, ridge, kernel-ridge or logistic
    #[arg(value_name = "MACHINE")]
    pub(crate) machine: MachineName,
    /// Labelled data
    #[arg(value_name = "DATA")]
    pub(crate) data: String,
    /// Costs C: exponents of 2 from, to and step [default: -5,15,2]
    #[arg(long, value_name = "FROM,TO,STEP", value_parser = powers, allow_hyphen_values = true)]
    pub(crate) log2c: Option<Powers>,
    /// Factors γ of the kernel: exponents of 2 from, to and step [default: -15,3,2]
    #[arg(long, value_name = "FROM,TO,STEP", value_parser = powers, allow_hyphen_values = true)]
    pub(crate) log2g: Option<Powers>,
    /// Penalties λ: exponents of 2 from, to and step [default: -5,15,2]
    #[arg(long, value_name = "FROM,TO,STEP", value_parser = powers, allow_hyphen_values = true)]
    pub(crate) log2lambda: Option<Powers>,
    /// Number of folds
    #[arg(long, value_name = "INTEGER", default_value_t = 5)]
    pub(crate) folds: usize,
    /// File for a map of the result, as SVG
    #[arg(short, long, value_name = "SVG")]
    pub(crate) output: Option<String>,
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
pub(crate) struct ScaleArgs {
    /// Data to scale
    #[arg(value_name = "DATA")]
    pub(crate) data: String,
    /// File for the scaled data, in the format of the data; `-` for standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: String,
    /// Scaling to fit to these data [default: minmax]
    #[arg(long, value_name = "SCALING")]
    pub(crate) scale: Option<ScaleName>,
    /// File for the scaling, to be restored for other data
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<String>,
    /// Scaling that was saved for other data
    #[arg(long, value_name = "FILE")]
    pub(crate) restore: Option<String>,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// One JSON object instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

/// Formats of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ModelFormat {
    /// A model of this program
    Lm,
    /// A model of LIBSVM
    Libsvm,
    /// A model of LIBLINEAR
    Liblinear,
}

#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// Model of lm, LIBSVM or LIBLINEAR
    #[arg(value_name = "MODEL")]
    pub(crate) model: String,
    /// Format to write
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: ModelFormat,
    /// File to write
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: String,
    /// One JSON object instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PlotArgs {
    /// Model that `lm train` wrote
    #[arg(value_name = "MODEL")]
    pub(crate) model: String,
    /// Data to show
    #[arg(value_name = "DATA")]
    pub(crate) data: String,
    /// File for the picture, as SVG; `-` for standard output
    #[arg(short, long, value_name = "SVG")]
    pub(crate) output: String,
    /// Two features, by names or numbers from 1; others stay at their mean [default: the two there are]
    #[arg(long, value_name = "A,B")]
    pub(crate) features: Option<String>,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// One JSON object instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct LibsvmTrainArgs {
    /// Options and files, as svm-train takes them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    pub(crate) words: Vec<String>,
}

#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct LibsvmPredictArgs {
    /// Options and files, as svm-predict takes them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    pub(crate) words: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionArgs {
    /// Shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Folder for all pages [default: the page of the program, on standard output]
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<String>,
}
