//! `cargo xtask ci`: the whole check, one named step after another.
//!
//! A step is a list of cargo commands ([`steps`]); this file runs them. Their output goes straight to the
//! terminal, so the counts of the tests can be read there. The first command that fails ends the run.

mod steps;

use std::error::Error;
use std::io::Write;
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
    run(&steps, &|call| cargo(call, &root), &mut std::io::stdout())
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

/// What runs a command: cargo, or a stand-in of the tests.
type Execute<'a> = &'a dyn Fn(&Call) -> Result<bool, Box<dyn Error>>;

/// Runs the steps in order and reports the seconds of each.
fn run(steps: &[Step], execute: Execute<'_>, out: &mut dyn Write) -> Result<bool, Box<dyn Error>> {
    let start = Instant::now();
    let mut seconds = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        writeln!(out, "── {} ({} of {}): {}", step.name, index + 1, steps.len(), step.what)?;
        let begin = Instant::now();
        let failure = perform(&step.work, execute, out)?;
        seconds.push(begin.elapsed().as_secs_f64());
        if let Some(what) = failure {
            writeln!(out, "── {} failed after {:.1} s: {what}", step.name, seconds[index])?;
            return Ok(false);
        }
        writeln!(out, "── {} passed in {:.1} s\n", step.name, seconds[index])?;
    }
    for (step, seconds) in steps.iter().zip(&seconds) {
        writeln!(out, "{:<14}{seconds:>8.1} s", step.name)?;
    }
    writeln!(out, "{:<14}{:>8.1} s, all passed", "ci", start.elapsed().as_secs_f64())?;
    Ok(true)
}

/// Does the work of one step; `Some` says what failed.
fn perform(work: &Work, execute: Execute<'_>, out: &mut dyn Write) -> Result<Option<String>, Box<dyn Error>> {
    match work {
        Work::Finding(finding) => Ok(finding.clone()),
        Work::Calls(calls) => {
            for call in calls {
                writeln!(out, "$ {call}")?;
                // The line stands before the output of the command.
                out.flush()?;
                if !execute(call)? {
                    return Ok(Some(call.to_string()));
                }
            }
            Ok(None)
        }
    }
}

/// Runs one cargo command in the root of the workspace.
fn cargo(call: &Call, root: &Path) -> Result<bool, Box<dyn Error>> {
    let status = Command::new(steps::cargo())
        .args(&call.arguments)
        .envs(call.environment.iter().copied())
        .current_dir(root)
        .status()
        .map_err(|error| format!("cannot start `{call}`: {error}"))?;
    Ok(status.success())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

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

    /// Runs steps with a stand-in that knows one command that fails; the answer has the commands it saw.
    fn rehearse(steps: &[Step]) -> (bool, Vec<String>, String) {
        let seen = RefCell::new(Vec::new());
        let mut out = Vec::new();
        let execute = |call: &Call| {
            seen.borrow_mut().push(call.to_string());
            Ok(call.arguments != ["bad"])
        };
        let passed = run(steps, &execute, &mut out).unwrap();
        (passed, seen.into_inner(), String::from_utf8(out).unwrap())
    }

    fn calls(words: &[&str]) -> Work {
        let call = |word: &&str| Call { arguments: vec![word.to_string()], environment: vec![] };
        Work::Calls(words.iter().map(call).collect())
    }

    #[test]
    fn all_steps_run_when_none_fails() {
        let steps = [
            Step { name: "first", what: "one", work: calls(&["a", "b"]) },
            Step { name: "second", what: "two", work: Work::Finding(None) },
        ];
        let (passed, seen, text) = rehearse(&steps);
        assert!(
            passed && text.contains("── second passed in") && text.trim_end().ends_with("all passed"),
            "{text}"
        );
        assert_eq!(seen, ["cargo a", "cargo b"]);
    }

    #[test]
    fn the_first_failure_ends_the_run() {
        let steps = [
            Step { name: "first", what: "one", work: calls(&["a", "bad", "b"]) },
            Step { name: "second", what: "two", work: calls(&["c"]) },
        ];
        let (passed, seen, text) = rehearse(&steps);
        assert!(!passed && text.contains("── first failed after") && text.contains("cargo bad"), "{text}");
        assert_eq!(seen, ["cargo a", "cargo bad"]);
        assert!(!rehearse(&two_steps()).0, "a finding fails its step");
    }

    #[test]
    fn cargo_itself_is_run() {
        let call = Call { arguments: vec!["--version".into()], environment: vec![] };
        assert!(cargo(&call, &workspace_root()).unwrap());
    }
}
