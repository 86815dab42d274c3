//! `lm completions` and `lm man`: what shells and readers of manuals want.

use std::path::Path;

use clap::CommandFactory;

use crate::args::{Cli, CompletionArgs, ManArgs};
use crate::failure::{Ending, Failure, Outcome};
use crate::output::{write_file, write_out};

/// Completions for a shell, on standard output.
pub(crate) fn completions(args: &CompletionArgs) -> Outcome<Ending> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "lm", &mut text);
    write_out(&text).map(|()| Ending::Done)
}

/// The manual: one page for the program and one for each command.
pub(crate) fn man(args: &ManArgs) -> Outcome<Ending> {
    let failed = |error: std::io::Error| Failure::new(format!("the manual cannot be made: {error}"));
    let page = |command: clap::Command| -> Outcome<Vec<u8>> {
        let mut text = Vec::new();
        clap_mangen::Man::new(command).render(&mut text).map_err(failed)?;
        Ok(text)
    };
    let mut program = Cli::command();
    program.build();
    let Some(folder) = &args.output else {
        return write_out(&page(program)?).map(|()| Ending::Done);
    };
    std::fs::create_dir_all(folder).map_err(failed)?;
    let path = |name: &str| Path::new(folder).join(format!("{name}.1")).to_string_lossy().into_owned();
    for command in program.get_subcommands().filter(|command| command.get_name() != "help") {
        let name = format!("lm-{}", command.get_name());
        write_file(&path(&name), &page(command.clone())?)?;
    }
    write_file(&path("lm"), &page(program)?)?;
    Ok(Ending::Done)
}
