//! The program `lm`: trains, predicts and verifies from the command line.

mod args;
mod commands;
mod failure;
mod help;
mod input;
mod interrupt;
mod machine;
mod model_file;
mod output;
mod peak_memory;
mod progress;
mod settings;
mod svg;

use std::io::Write;
use std::process::ExitCode;

use args::{Cli, Command};
use clap::Parser;
use failure::{Ending, Outcome};

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(&cli.command) {
        Ok(ending) => ExitCode::from(ending as u8),
        Err(failure) => {
            // Where standard error is closed there is nobody to tell.
            let _ = writeln!(std::io::stderr(), "lm: {failure}");
            ExitCode::from(Ending::Refused as u8)
        }
    }
}

fn run(command: &Command) -> Outcome<Ending> {
    let (answer, json) = match command {
        Command::Train(args) => (commands::train(args)?, args.json),
        Command::Predict(args) => (commands::predict(args)?, args.json),
        Command::Verify(args) => (commands::verify(args)?, args.json),
        Command::Separable(args) => (commands::separable(args)?, args.json),
        Command::Bounds(args) => (commands::bounds(args)?, args.json),
        Command::Cv(args) => (commands::cv(args)?, args.json),
        Command::Grid(args) => (commands::grid(args)?, args.json),
        Command::Scale(args) => (commands::scale(args)?, args.json),
        Command::Convert(args) => (commands::convert(args)?, args.json),
        Command::Plot(args) => (commands::plot(args)?, args.json),
        Command::LibsvmTrain(args) => return commands::libsvm::train(&args.words),
        Command::LibsvmPredict(args) => return commands::libsvm::predict(&args.words),
        Command::Completions(args) => return commands::completions(args),
        Command::Man(args) => return commands::man(args),
    };
    answer.write(json)?;
    Ok(answer.ending)
}
