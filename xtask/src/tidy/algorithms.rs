//! The table of `docs/ALGORITHMS.md` and the algorithm files name each other.
//!
//! An algorithm file is a Rust file under `crates/*/src` whose header has the headings Problem, Method, Cost
//! and Reference.

use std::collections::BTreeSet;

use super::claims::is_id;
use super::source::is_library;
use super::{Files, Finding};

/// The columns of the table, in order.
const COLUMNS: [&str; 5] = ["algorithm", "file", "claims", "cost", "guarantee"];

/// The headings that make a file an algorithm file.
const HEADINGS: [&str; 4] = ["# Problem", "# Method", "# Cost", "# Reference"];

/// The first two lines of a table, for tests.
#[cfg(test)]
pub(super) const SAMPLE_HEAD: &str =
    "| algorithm | file | claims | cost | guarantee |\n|---|---|---|---|---|\n";

/// Compares the table at `path` with the files.
pub(super) fn check(path: &str, files: &Files) -> Vec<Finding> {
    let at = |line, what: String| Finding { path: path.into(), line, what };
    let Some(text) = files.get(path) else {
        return vec![at(1, "the table of the algorithms is missing".into())];
    };
    let (rows, mut findings) = match rows(text) {
        Ok(rows) => (rows, Vec::new()),
        Err((line, what)) => return vec![at(line, what)],
    };
    let mut named = BTreeSet::new();
    for row in &rows {
        for id in row.claims.iter().filter(|id| !is_id(id)) {
            findings.push(at(
                row.line,
                format!("'{id}' is not the id of a claim, such as A01; separate ids by commas"),
            ));
        }
        match files.get(&row.file) {
            None => findings.push(at(row.line, format!("{} does not exist", row.file))),
            Some(text) if !is_algorithm(text) => {
                let needed = HEADINGS.join(", ");
                findings.push(at(row.line, format!("the header of {} lacks one of {needed}", row.file)));
            }
            Some(_) => {}
        }
        named.insert(row.file.as_str());
    }
    for (file, text) in files {
        let is_rust = file.ends_with(".rs") && (is_library(file) || file.starts_with("crates/lm-cli/src/"));
        if is_rust && is_algorithm(text) && !named.contains(file.as_str()) {
            findings.push(Finding {
                path: file.clone(),
                line: 1,
                what: format!("this algorithm is not in {path}"),
            });
        }
    }
    findings
}

/// Whether the header of a file has every heading of an algorithm.
fn is_algorithm(text: &str) -> bool {
    let header: Vec<_> = text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim).collect();
    HEADINGS.iter().all(|heading| header.contains(heading))
}

/// A row of the table.
#[derive(Debug)]
struct Row {
    line: usize,
    file: String,
    claims: Vec<String>,
}

/// Reads the rows; the error is a line and what is wrong with it.
fn rows(text: &str) -> Result<Vec<Row>, (usize, String)> {
    let mut table = text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with('|'));
    let (line, head) =
        table.next().ok_or((1, format!("no table with the columns {}", COLUMNS.join(", "))))?;
    if cells(head).iter().map(|cell| cell.to_lowercase()).ne(COLUMNS) {
        return Err((line + 1, format!("the columns are {}", COLUMNS.join(", "))));
    }
    table.skip(1).map(|(line, text)| row(line + 1, text).map_err(|what| (line + 1, what))).collect()
}

/// Reads one row.
fn row(line: usize, text: &str) -> Result<Row, String> {
    let cells = cells(text);
    if cells.len() != COLUMNS.len() {
        return Err(format!("{} cells; a row has {}", cells.len(), COLUMNS.len()));
    }
    let file = cells[1]
        .strip_prefix('`')
        .and_then(|rest| rest.strip_suffix('`'))
        .ok_or_else(|| format!("'{}' is not a path between backticks", cells[1]))?;
    // A dash stands for "none": not every algorithm is a claim of the sources.
    let claims = cells[2]
        .split([',', ' '])
        .filter(|id| !id.is_empty() && !["–", "-", "—"].contains(id))
        .map(String::from)
        .collect();
    Ok(Row { line, file: file.into(), claims })
}

/// The cells of a row; `\|` is a bar inside a cell.
fn cells(text: &str) -> Vec<String> {
    let bar = '\u{1}';
    let text = text.trim().replace("\\|", &bar.to_string());
    let inner = text.strip_prefix('|').unwrap_or(&text);
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    inner.split('|').map(|cell| cell.trim().replace(bar, "|")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "docs/ALGORITHMS.md";
    const ALGORITHM: &str =
        "//! A.\n//!\n//! # Problem\n//! p\n//! # Method\n//! # Cost\n//! # Reference\n\nfn f() {}\n";

    fn found(rows: &str, files: &[(&str, &str)]) -> Vec<String> {
        let mut tree: Files = files.iter().map(|(path, text)| (path.to_string(), text.to_string())).collect();
        tree.insert(TABLE.into(), format!("# Algorithms\n\n{SAMPLE_HEAD}{rows}"));
        check(TABLE, &tree).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_table_and_its_files_agree() {
        let row = "| Smo | `crates/a/src/smo.rs` | C01, C02 | `O(n)` with \\|α\\| | gap |\n\
                   | Ball | `crates/a/src/ball.rs` | – | O(n) | gap |\n";
        let files = [
            ("crates/a/src/smo.rs", ALGORITHM),
            ("crates/a/src/ball.rs", ALGORITHM),
            ("crates/a/src/lib.rs", "//! A.\n"),
        ];
        assert_eq!(found(row, &files), [""; 0]);
    }

    #[test]
    fn a_row_without_its_file_is_found() {
        let found = found("| Smo | `crates/a/src/smo.rs` | C01 | O(n) | gap |\n", &[]);
        assert_eq!(found, ["docs/ALGORITHMS.md:5: crates/a/src/smo.rs does not exist"]);
    }

    #[test]
    fn a_file_without_its_row_is_found() {
        let found = found("", &[("crates/a/src/smo.rs", ALGORITHM)]);
        assert_eq!(found, ["crates/a/src/smo.rs:1: this algorithm is not in docs/ALGORITHMS.md"]);
    }

    #[test]
    fn a_row_must_name_an_algorithm_file_and_ids_of_claims() {
        let row = "| Smo | `crates/a/src/lib.rs` | C1, B01–B03 | O(n) | gap |\n";
        let found = found(row, &[("crates/a/src/lib.rs", "//! A.\n")]);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].contains("'C1'") && found[1].contains("'B01–B03'"), "{found:?}");
        assert!(found[2].contains("lacks one of # Problem, # Method"), "{found:?}");
    }

    #[test]
    fn a_malformed_table_is_found() {
        assert_eq!(found("| Smo | `a.rs` | C01 |\n", &[]), ["docs/ALGORITHMS.md:5: 3 cells; a row has 5"]);
        assert_eq!(
            found("| Smo | a.rs | C01 | x | y |\n", &[]),
            ["docs/ALGORITHMS.md:5: 'a.rs' is not a path between backticks"]
        );
        let tree = Files::from([(TABLE.to_string(), "| a | b |\n".to_string())]);
        assert!(check(TABLE, &tree)[0].what.starts_with("the columns are"));
        assert!(check(TABLE, &Files::new())[0].what.contains("missing"));
    }
}
