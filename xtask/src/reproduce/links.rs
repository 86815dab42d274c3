//! Where the page points in the workspace: the files of the algorithms of a claim, and the file of its experiment.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// An algorithm that serves a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Algorithm {
    /// What the table of the algorithms calls it.
    pub(super) name: String,
    /// Its file, from the root of the workspace.
    pub(super) file: String,
}

/// Definitions, which are no algorithms, with their files: what the table of the algorithms does not list.
const DEFINITIONS: &[(&str, &str, &str)] = &[
    ("A01", "linear functions", "crates/lm-core/src/hypothesis/linear.rs"),
    ("A07", "margins", "crates/lm-core/src/margin.rs"),
    ("B01", "linear functions", "crates/lm-core/src/hypothesis/linear.rs"),
    ("B07", "augmented examples", "crates/lm-core/src/basis/augmented.rs"),
    ("B26", "kernels on vectors", "crates/lm-core/src/kernel/vector.rs"),
    ("B27", "feature maps", "crates/lm-core/src/basis/feature_map.rs"),
    ("C14", "losses", "crates/lm-core/src/loss.rs"),
    ("C23", "losses", "crates/lm-core/src/loss.rs"),
    ("E03", "kernels on vectors", "crates/lm-core/src/kernel/vector.rs"),
];

/// The files of every claim.
#[derive(Debug, Default)]
pub(super) struct Links {
    algorithms: BTreeMap<String, Vec<Algorithm>>,
    experiments: BTreeMap<String, String>,
    /// From the page to the root of the workspace, ending in a slash.
    prefix: String,
}

impl Links {
    /// Reads the table of the algorithms and the files of the entries of the workspace at `root`, for a page in `out`. What
    /// cannot be read is not linked.
    pub(super) fn read(root: &Path, out: &Path) -> Self {
        let table = fs::read_to_string(root.join("docs/ALGORITHMS.md")).unwrap_or_default();
        let mut experiments = BTreeMap::new();
        let folder = "xtask/src/reproduce/entries";
        for item in fs::read_dir(root.join(folder)).into_iter().flatten().flatten() {
            let text = fs::read_to_string(item.path()).unwrap_or_default();
            let name = item.file_name().to_string_lossy().into_owned();
            for id in ids_in(&text).filter(|_| name != "mod.rs") {
                experiments.insert(id, format!("{folder}/{name}"));
            }
        }
        Self { algorithms: algorithms(&table), experiments, prefix: between(out, root) }
    }

    /// The algorithms that serve a claim.
    pub(super) fn algorithms(&self, id: &str) -> &[Algorithm] {
        self.algorithms.get(id).map_or(&[], Vec::as_slice)
    }

    /// The file that holds the experiment of a claim.
    pub(super) fn experiment(&self, id: &str) -> Option<&str> {
        self.experiments.get(id).map(String::as_str)
    }

    /// The address of a file of the workspace, seen from the page.
    pub(super) fn address(&self, file: &str) -> String {
        format!("{}{file}", self.prefix)
    }
}

/// The algorithms of each claim, from the rows of the table, and the definitions.
fn algorithms(table: &str) -> BTreeMap<String, Vec<Algorithm>> {
    let mut found: BTreeMap<String, Vec<Algorithm>> = BTreeMap::new();
    for line in table.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [name, file, claims, ..] = cells[..] else { continue };
        let Some(file) = file.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')) else { continue };
        for id in claims.split(',').map(str::trim).filter(|id| id.len() == 3) {
            let algorithm = Algorithm { name: name.into(), file: file.into() };
            found.entry(id.into()).or_default().push(algorithm);
        }
    }
    for (id, name, file) in DEFINITIONS {
        let definition = Algorithm { name: (*name).into(), file: (*file).into() };
        found.entry((*id).into()).or_default().push(definition);
    }
    found
}

/// The ids of the entries that a source file holds: what stands between the quotes of `id: "…"`.
fn ids_in(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split("id: \"").skip(1).filter_map(|rest| rest.get(..3)).map(String::from)
}

/// The way from a folder to another, as an address that ends in a slash; a whole path where there is no way.
fn between(from: &Path, to: &Path) -> String {
    let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let (from, to) = (whole(from), whole(to));
    let shared = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    if shared == 0 {
        return format!("file://{}/", to.display());
    }
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    let way: PathBuf = up.chain(to.components().skip(shared)).collect();
    let way = way.to_string_lossy().replace('\\', "/");
    if way.is_empty() { String::new() } else { format!("{way}/") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::workspace_root;

    #[test]
    fn rows_of_the_table_become_links() {
        let table = "| algorithm | file | claims | cost | guarantee |\n|---|---|---|---|---|\n\
                     | Smo | `crates/a/src/smo.rs` | C01, C02 | `O(n)` | gap |\n| Ball | `b.rs` | - | 1 | 2 |\n";
        let found = algorithms(table);
        assert_eq!(found.len(), 2 + DEFINITIONS.len());
        assert_eq!(found["C02"], [Algorithm { name: "Smo".into(), file: "crates/a/src/smo.rs".into() }]);
    }

    #[test]
    fn every_linked_file_of_the_workspace_exists() {
        let root = workspace_root();
        let links = Links::read(&root, &root.join("target/reproduce"));
        for id in ["A02", "B21", "C12", "D05", "E08"] {
            let experiment = links.experiment(id).unwrap();
            assert!(root.join(experiment).is_file(), "{experiment}");
        }
        assert!(links.algorithms("C19").len() >= 3);
        for entry in crate::reproduce::registry::all() {
            assert!(!links.algorithms(entry.id).is_empty(), "{} names no file of an algorithm", entry.id);
        }
        for algorithm in links.algorithms.values().flatten() {
            assert!(root.join(&algorithm.file).is_file(), "{}", algorithm.file);
        }
    }

    #[test]
    fn the_way_goes_up_and_down() {
        assert_eq!(between(Path::new("/none/a/target/reproduce"), Path::new("/none/a")), "../../");
        assert_eq!(between(Path::new("/none/a"), Path::new("/none/b/c")), "../b/c/");
        assert_eq!(between(Path::new("/none/a"), Path::new("/none/a")), "");
    }
}
