//! `cargo xtask ci`: the whole check, one named step after another.
//!
//! A step is a list of cargo commands ([`steps`]); this file runs them. Their output goes straight to the
//! terminal, so the counts of the tests can be read there. The first command that fails ends the run.

mod steps;

use std::error::Error;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::root::workspace_root;
use steps::{Call, Step, Work};

/// Arguments of `cargo xtask ci`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Prints the steps and their commands, and runs nothing.
    #[arg(long)]
    list: bool,
    /// Runs these steps only, in the order of the list.
    #[arg(long, value_name = "STEP", num_args = 1.., value_delimiter = ',')]
    only: Vec<String>,
}

/// Runs the check; `Ok(false)` says that a step failed.
pub(crate) fn command(arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    let root = workspace_root();
    let steps = choose(steps::all(&steps::read_metadata(&root)?)?, &arguments.only)?;
    if arguments.list {
        print!("{}", list(&steps));
        return Ok(true);
    }
    run(&steps, &root)
}

/// The steps named in `only`, or all of them when it is empty.
fn choose(steps: Vec<Step>, only: &[String]) -> Result<Vec<Step>, String> {
    for name in only {
        if !steps.iter().any(|step| step.name == name) {
            let known: Vec<_> = steps.iter().map(|step| step.name).collect();
            return Err(format!("no step is named '{name}'; the steps are: {}", known.join(", ")));
        }
    }
    Ok(steps
        .into_iter()
        .filter(|step| only.is_empty() || only.iter().any(|name| name == step.name))
        .collect())
}

/// The text of `--list`.
fn list(steps: &[Step]) -> String {
    let mut text = String::new();
    for step in steps {
        text += &format!("{:<14}{}\n", step.name, step.what);
        match &step.work {
            Work::Calls(calls) => calls.iter().for_each(|call| text += &format!("              $ {call}\n")),
            Work::Finding(_) => text += "              reads `cargo metadata`\n",
        }
    }
    text
}

/// Runs the steps in order and reports the seconds of each.
fn run(steps: &[Step], root: &Path) -> Result<bool, Box<dyn Error>> {
    let start = Instant::now();
    let mut seconds = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        say(&format!("── {} ({} of {}): {}", step.name, index + 1, steps.len(), step.what))?;
        let begin = Instant::now();
        let failure = perform(&step.work, root)?;
        seconds.push(begin.elapsed().as_secs_f64());
        if let Some(what) = failure {
            say(&format!("── {} failed after {:.1} s: {what}", step.name, seconds[index]))?;
            return Ok(false);
        }
        say(&format!("── {} passed in {:.1} s\n", step.name, seconds[index]))?;
    }
    for (step, seconds) in steps.iter().zip(&seconds) {
        say(&format!("{:<14}{seconds:>8.1} s", step.name))?;
    }
    say(&format!("{:<14}{:>8.1} s, all passed", "ci", start.elapsed().as_secs_f64()))?;
    Ok(true)
}

/// Does the work of one step; `Some` says what failed.
fn perform(work: &Work, root: &Path) -> Result<Option<String>, Box<dyn Error>> {
    match work {
        Work::Finding(finding) => Ok(finding.clone()),
        Work::Calls(calls) => {
            for call in calls {
                say(&format!("$ {call}"))?;
                if !execute(call, root)? {
                    return Ok(Some(call.to_string()));
                }
            }
            Ok(None)
        }
    }
}

/// Runs one cargo command in the root of the workspace.
fn execute(call: &Call, root: &Path) -> Result<bool, Box<dyn Error>> {
    let status = Command::new(steps::cargo())
        .args(&call.arguments)
        .envs(call.environment.iter().copied())
        .current_dir(root)
        .status()
        .map_err(|error| format!("cannot start `{call}`: {error}"))?;
    Ok(status.success())
}

/// Prints a line at once, so that it stands before the output of the command that follows.
fn say(line: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_steps() -> Vec<Step> {
        vec![
            Step { name: "first", what: "one", work: Work::Finding(None) },
            Step { name: "second", what: "two", work: Work::Finding(Some("broken".into())) },
        ]
    }

    #[test]
    fn an_empty_choice_takes_every_step() {
        assert_eq!(choose(two_steps(), &[]).unwrap().len(), 2);
    }

    #[test]
    fn a_choice_keeps_the_order_of_the_list() {
        let chosen = choose(two_steps(), &["second".into(), "first".into()]).unwrap();
        assert_eq!(chosen.iter().map(|step| step.name).collect::<Vec<_>>(), ["first", "second"]);
    }

    #[test]
    fn an_unknown_step_is_named_with_the_known_ones() {
        let error = choose(two_steps(), &["third".into()]).unwrap_err();
        assert_eq!(error, "no step is named 'third'; the steps are: first, second");
    }

    #[test]
    fn the_first_failure_ends_the_run() {
        let root = workspace_root();
        assert!(run(&two_steps()[..1], &root).unwrap());
        assert!(!run(&two_steps(), &root).unwrap());
    }

    #[test]
    fn a_command_that_fails_fails_its_step() {
        let root = workspace_root();
        let call = |argument: &str| Call { arguments: vec![argument.into()], environment: vec![] };
        assert_eq!(perform(&Work::Calls(vec![call("--version")]), &root).unwrap(), None);
        let failure =
            perform(&Work::Calls(vec![call("--version"), call("--no-such-option")]), &root).unwrap();
        assert_eq!(failure.as_deref(), Some("cargo --no-such-option"));
    }
}
