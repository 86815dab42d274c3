//! The steps of the check, made from what `cargo metadata` says about the workspace.
//!
//! A crate or a feature that is added to the workspace is in the check without a change here.

use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

/// One named part of the check.
#[derive(Debug)]
pub(super) struct Step {
    /// The name, as `--only` takes it.
    pub(super) name: &'static str,
    /// What the step shows, in a few words.
    pub(super) what: &'static str,
    /// What is done.
    pub(super) work: Work,
}

/// The work of a step.
#[derive(Debug)]
pub(super) enum Work {
    /// Cargo commands, in order.
    Calls(Vec<Call>),
    /// A question the metadata alone answers: `Some` says what is wrong.
    Finding(Option<String>),
}

/// A cargo command.
#[derive(Debug)]
pub(super) struct Call {
    /// What follows `cargo`.
    pub(super) arguments: Vec<String>,
    /// Variables that are set for the command.
    pub(super) environment: Vec<(&'static str, &'static str)>,
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.environment {
            write!(f, "{name}='{value}' ")?;
        }
        write!(f, "cargo {}", self.arguments.join(" "))
    }
}

/// The part of `cargo metadata` that the steps need.
#[derive(Deserialize)]
pub(super) struct Metadata {
    packages: Vec<Package>,
    workspace_root: std::path::PathBuf,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    manifest_path: std::path::PathBuf,
    // A sorted map: the order of the commands is the same on every run.
    features: std::collections::BTreeMap<String, Vec<String>>,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
    test: bool,
    doctest: bool,
}

/// The cargo that started this program, or the one on the search path.
pub(super) fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Asks cargo about the members of the workspace.
pub(super) fn read_metadata(root: &Path) -> Result<Metadata, Box<dyn Error>> {
    let output = Command::new(cargo())
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .current_dir(root)
        .output()
        .map_err(|error| format!("cannot start `cargo metadata`: {error}"))?;
    if !output.status.success() {
        return Err(format!("`cargo metadata` failed: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Every step, in the order of the check.
pub(super) fn all(metadata: &Metadata) -> Result<Vec<Step>, String> {
    let libraries = libraries(metadata);
    if libraries.is_empty() {
        return Err("cargo metadata names no library under crates/".into());
    }
    let calls = |calls: Vec<Call>| Work::Calls(calls);
    Ok(vec![
        Step { name: "fmt", what: "the sources are formatted", work: calls(vec![call("fmt --all --check")]) },
        Step {
            name: "clippy",
            what: "no warning in any target",
            work: calls(vec![call("clippy --workspace --all-targets -- -D warnings")]),
        },
        Step {
            name: "test",
            what: "unit tests, integration tests, doctests and tidy",
            work: calls(vec![call("test --workspace")]),
        },
        Step {
            name: "doctests",
            what: "no library has switched its tests or doctests off",
            work: Work::Finding(switched_off(&libraries)),
        },
        Step {
            name: "docs",
            what: "the documentation builds without a warning",
            work: calls(vec![Call {
                environment: vec![("RUSTDOCFLAGS", "-D warnings")],
                ..call("doc --workspace --no-deps")
            }]),
        },
        Step {
            name: "features",
            what: "each feature of each library alone, and none",
            work: calls(libraries.iter().flat_map(|library| features_alone(library)).collect()),
        },
        Step {
            name: "all-features",
            what: "the tests of lm-core with every feature",
            work: calls(vec![call("test -p lm-core --all-features")]),
        },
    ])
}

/// The packages with a library, in a folder of `crates/`.
fn libraries(metadata: &Metadata) -> Vec<&Package> {
    let folder = metadata.workspace_root.join("crates");
    let is_library = |target: &Target| target.kind.iter().any(|kind| kind == "lib");
    metadata
        .packages
        .iter()
        .filter(|package| {
            package.manifest_path.starts_with(&folder) && package.targets.iter().any(is_library)
        })
        .collect()
}

/// Names the libraries whose manifest turns tests or doctests off: `cargo test` would pass over them.
fn switched_off(libraries: &[&Package]) -> Option<String> {
    let quiet = |package: &&&Package| {
        package
            .targets
            .iter()
            .any(|target| target.kind.iter().any(|kind| kind == "lib") && !(target.test && target.doctest))
    };
    let names: Vec<_> = libraries.iter().filter(quiet).map(|package| package.name.as_str()).collect();
    (!names.is_empty()).then(|| format!("tests or doctests are off in {}", names.join(", ")))
}

/// The commands that check a library with no feature, and with each of its features but `default`.
///
/// Clippy costs what `check` costs. Its arguments equal those of the step `clippy`, so that crates which
/// have been seen there with the same features are not compiled again.
fn features_alone(library: &Package) -> Vec<Call> {
    let none = format!("clippy -p {} --no-default-features", library.name);
    let mut calls = vec![call(&format!("{none} -- -D warnings"))];
    for feature in library.features.keys().filter(|name| *name != "default") {
        calls.push(call(&format!("{none} --features {feature} -- -D warnings")));
    }
    calls
}

/// A command from its words.
fn call(words: &str) -> Call {
    Call { arguments: words.split_whitespace().map(String::from).collect(), environment: vec![] }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = r#"{
        "workspace_root": "/w",
        "packages": [
            {"name": "lib-a", "manifest_path": "/w/crates/lib-a/Cargo.toml",
             "features": {"default": ["fast"], "fast": [], "big": []},
             "targets": [{"kind": ["lib"], "test": true, "doctest": true}]},
            {"name": "tool", "manifest_path": "/w/crates/tool/Cargo.toml", "features": {},
             "targets": [{"kind": ["bin"], "test": true, "doctest": false}]},
            {"name": "lib-b", "manifest_path": "/w/crates/lib-b/Cargo.toml", "features": {},
             "targets": [{"kind": ["lib"], "test": true, "doctest": false}]},
            {"name": "outside", "manifest_path": "/w/outside/Cargo.toml", "features": {"x": []},
             "targets": [{"kind": ["lib"], "test": true, "doctest": true}]}
        ]}"#;

    fn sample() -> Metadata {
        serde_json::from_str(SAMPLE).unwrap()
    }

    #[test]
    fn each_feature_is_checked_alone_and_default_never() {
        let metadata = sample();
        let calls: Vec<_> =
            libraries(&metadata).into_iter().flat_map(features_alone).map(|call| call.to_string()).collect();
        assert_eq!(
            calls,
            [
                "cargo clippy -p lib-a --no-default-features -- -D warnings",
                "cargo clippy -p lib-a --no-default-features --features big -- -D warnings",
                "cargo clippy -p lib-a --no-default-features --features fast -- -D warnings",
                "cargo clippy -p lib-b --no-default-features -- -D warnings",
            ]
        );
    }

    #[test]
    fn a_library_without_doctests_is_named() {
        let metadata = sample();
        let libraries = libraries(&metadata);
        assert_eq!(switched_off(&libraries).as_deref(), Some("tests or doctests are off in lib-b"));
        assert_eq!(switched_off(&libraries[..1]), None);
    }

    #[test]
    fn the_steps_come_in_the_order_of_the_check() {
        let names: Vec<_> = all(&sample()).unwrap().iter().map(|step| step.name).collect();
        assert_eq!(names, ["fmt", "clippy", "test", "doctests", "docs", "features", "all-features"]);
    }

    #[test]
    fn the_workspace_itself_is_understood() {
        let metadata = read_metadata(&crate::root::workspace_root()).unwrap();
        let names: Vec<_> = libraries(&metadata).iter().map(|package| package.name.clone()).collect();
        assert!(names.contains(&"lm-core".to_string()), "{names:?}");
    }
}
