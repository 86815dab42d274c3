//! `cargo xtask tidy`: the rules of the house that no compiler checks.
//!
//! Each rule is a function from the contents of a file to its findings ([`source`], [`words`],
//! [`algorithms`], [`claims`]), with a good and a bad example in its tests. This file walks the tree and
//! hands out the contents. The same walk is a test, so `cargo test` fails when a rule is broken.

mod algorithms;
mod claims;
mod source;
mod strip;
mod words;

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::fs;
use std::path::Path;

use crate::reproduce::registry;
use crate::root::workspace_root;

/// The table of the algorithms, relative to the root.
const TABLE: &str = "docs/ALGORITHMS.md";

/// A broken rule: the place and what is wrong there.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    /// Path relative to the root, with `/` between its parts.
    path: String,
    /// Line counted from 1.
    line: usize,
    /// What is wrong, and where it helps, what is accepted.
    what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.what)
    }
}

/// Files of the tree: path relative to the root, and contents.
type Files = BTreeMap<String, String>;

/// Prints every finding; `Ok(false)` says that there is one.
pub(crate) fn command() -> Result<bool, Box<dyn Error>> {
    let files = read_tree(&workspace_root())?;
    let findings = check(&files);
    for finding in &findings {
        println!("{finding}");
    }
    match findings.len() {
        0 => println!("tidy: {} files, nothing to say", files.len()),
        count => println!("tidy: {count} findings in {} files", files.len()),
    }
    Ok(findings.is_empty())
}

/// Applies every rule to every file it is about.
fn check(files: &Files) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in files {
        if path.ends_with(".rs") {
            findings.extend(source::header(path, text));
            findings.extend(source::length(path, text));
            if source::is_library(path) {
                findings.extend(source::library_calls(path, text));
            }
        }
        if path == "Cargo.lock" {
            findings.extend(words::lock_sources(path, text));
        } else {
            findings.extend(words::banned(path, text));
        }
    }
    findings.extend(algorithms::check(TABLE, files));
    findings.extend(claims::check(registry::all().iter().map(|entry| entry.id)));
    findings
}

/// Reads the text files of the workspace.
fn read_tree(root: &Path) -> Result<Files, Box<dyn Error>> {
    let mut files = Files::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for item in fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))? {
            let path = item?.path();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if path.is_dir() {
                // What cargo and git keep for themselves is not ours to judge.
                if name != "target" && name != ".git" {
                    folders.push(path);
                }
            } else if is_text(&name, &folder) {
                let text =
                    fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
                let relative: Vec<_> =
                    path.strip_prefix(root)?.iter().map(std::ffi::OsStr::to_string_lossy).collect();
                files.insert(relative.join("/"), text);
            }
        }
    }
    Ok(files)
}

/// Whether a file is one that people write: source, prose, configuration.
fn is_text(name: &str, folder: &Path) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let written = ["rs", "md", "toml", "sh", "py", "yml", "yaml", "snap", "html", "css"];
    written.contains(&extension)
        || name == "Cargo.lock"
        || folder.file_name().is_some_and(|name| name == ".ci")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_tidy() {
        let files = read_tree(&workspace_root()).unwrap();
        assert!(files.contains_key("xtask/src/tidy/mod.rs"), "the walk misses this very file");
        assert!(files.contains_key(".ci/run"), "the walk misses the script of the check");
        let findings: Vec<_> = check(&files).iter().map(ToString::to_string).collect();
        assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
    }

    #[test]
    fn a_broken_tree_is_found_out() {
        let files = Files::from([
            ("crates/a/src/lib.rs".to_string(), "fn f() { None::<u8>.unwrap(); }\n".to_string()),
            (TABLE.to_string(), algorithms::SAMPLE_HEAD.to_string()),
        ]);
        let found: Vec<_> = check(&files).iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("crates/a/src/lib.rs:1: no `//!` header"), "{found:?}");
        assert!(found[1].contains("`.unwrap()`"), "{found:?}");
    }
}
