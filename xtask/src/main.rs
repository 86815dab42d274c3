//! The workspace's own tasks: `cargo xtask ci`, `tidy`, `reproduce` and `bench`.
//!
//! Each task is one module with a `command` that returns whether the work succeeded; this file only
//! reads the arguments and turns the answer into an exit code.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program speaks through the terminal")]

mod bench;
mod ci;
mod idx;
mod reproduce;
mod root;
mod tidy;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Tasks of the lm workspace.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

/// What to do.
#[derive(Subcommand)]
enum Task {
    /// Runs the whole check, and stops at the first step that fails.
    Ci(ci::Arguments),
    /// Checks the rules of the house that no compiler checks.
    Tidy,
    /// Runs the claims of the sources, and writes what was claimed beside what was measured.
    Reproduce(reproduce::Arguments),
    /// Measures against other programs.
    Bench(bench::Arguments),
}

fn main() -> ExitCode {
    let done = match Arguments::parse().task {
        Task::Ci(arguments) => ci::command(&arguments),
        Task::Tidy => tidy::command(),
        Task::Reproduce(arguments) => reproduce::command(&arguments),
        Task::Bench(arguments) => bench::command(&arguments),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
