//! Every example of the help and of `docs/CLI.md` is run.

use crate::workshop::Workshop;

/// The lines of a text that are examples.
fn examples(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim).map(|line| line.strip_prefix("$ ").unwrap_or(line));
    lines
        .filter(|line| line.starts_with("lm "))
        .map(|line| line.trim_start_matches("lm ").to_owned())
        .collect()
}

/// Runs an example. Those about classes that are not separable end with 1, others with 0.
fn run(workshop: &Workshop, line: &str) {
    let ran = workshop.lm(line);
    let expected = i32::from(line.starts_with("separable pair.svm"));
    assert_eq!(ran.code, expected, "lm {line}\n{}{}", ran.out, ran.err);
}

#[test]
fn every_example_of_the_help_runs() {
    let workshop = Workshop::new();
    let commands = [
        "",
        "train",
        "predict",
        "verify",
        "separable",
        "bounds",
        "cv",
        "grid",
        "scale",
        "convert",
        "plot",
        "libsvm-train",
        "libsvm-predict",
        "completions",
        "man",
    ];
    let mut count = 0;
    for command in commands {
        let help = workshop.done(&format!("help {command}")).out;
        let lines = examples(&help);
        assert!(!lines.is_empty(), "{command} has no example:\n{help}");
        for line in lines {
            run(&workshop, &line);
            count += 1;
        }
    }
    assert!(count >= 35, "{count}");
    let listed = workshop.done("help").out;
    let missing =
        listed.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    for line in missing {
        let name = line.split_whitespace().next().unwrap();
        assert!(name == "help" || commands.contains(&name), "{name} is not tested here");
    }
}

#[test]
fn every_example_of_the_docs_runs() {
    let workshop = Workshop::new();
    let page = include_str!("../../../../docs/CLI.md");
    let mut inside = false;
    let mut count = 0;
    for line in page.lines() {
        if line.starts_with("```") {
            inside = line == "```sh";
        } else if inside && line.starts_with("lm ") {
            run(&workshop, line.trim_start_matches("lm "));
            count += 1;
        }
    }
    assert!(count >= 15, "{count}");
    // Every flag that the page names is one of the program.
    let helps: String =
        ["train", "predict", "verify", "separable", "bounds", "cv", "grid", "scale", "convert", "plot"]
            .map(|command| workshop.done(&format!("{command} --help")).out)
            .concat();
    for word in page
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
        .filter(|word| word.starts_with("--") && word.contains(char::is_alphabetic))
    {
        assert!(
            helps.contains(word) || word == "--version" || word == "--locked" || word == "--path",
            "{word} is no flag"
        );
    }
}

#[test]
fn the_manual_and_the_completions_name_every_command() {
    let workshop = Workshop::new();
    workshop.done("man -o pages");
    for command in
        ["train", "predict", "verify", "separable", "bounds", "cv", "grid", "scale", "convert", "plot"]
    {
        let page = std::fs::read_to_string(workshop.path(&format!("pages/lm-{command}.1"))).unwrap();
        assert!(page.contains(".TH") && page.contains("Examples"), "{command}");
    }
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = workshop.done(&format!("completions {shell}")).out;
        assert!(text.contains("separable") && text.contains("libsvm-eps"), "{shell}");
    }
}
