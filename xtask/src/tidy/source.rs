//! Rules about one Rust file: its header, its length, and what library code may not call.

use super::Finding;
use super::strip::strip;

/// The most lines that a file may have before its tests.
const MOST_LINES: usize = 450;

/// Calls that library code does not make: it returns errors, and it does not print.
const NOT_IN_LIBRARIES: [&str; 6] =
    [".unwrap()", ".expect(", "panic!(", "unreachable!(", "println!(", "eprintln!("];

/// A file says in its first line what it holds.
pub(super) fn header(path: &str, text: &str) -> Option<Finding> {
    let first = text.lines().next().unwrap_or_default();
    let says_something = first.strip_prefix("//!").is_some_and(|rest| !rest.trim().is_empty());
    (!says_something).then(|| Finding {
        path: path.into(),
        line: 1,
        what: "no `//!` header; the first line says what the file holds".into(),
    })
}

/// A file is one idea: it ends, without its tests, before it is long.
pub(super) fn length(path: &str, text: &str) -> Option<Finding> {
    let lines = before_tests(text).lines().count();
    (lines > MOST_LINES).then(|| Finding {
        path: path.into(),
        line: lines,
        what: format!("{lines} lines before the tests; at most {MOST_LINES}"),
    })
}

/// Whether the rules for library code hold for a path: `crates/*/src`, without the program `lm`.
pub(super) fn is_library(path: &str) -> bool {
    let mut parts = path.split('/');
    parts.next() == Some("crates") && parts.next() != Some("lm-cli") && parts.next() == Some("src")
}

/// Library code neither panics by choice nor prints. Comments, examples and tests may.
pub(super) fn library_calls(path: &str, text: &str) -> Vec<Finding> {
    let code = strip(before_tests(text));
    let mut findings = Vec::new();
    for (index, line) in code.lines().enumerate() {
        for call in NOT_IN_LIBRARIES.iter().filter(|call| is_called(line, call)) {
            findings.push(Finding {
                path: path.into(),
                line: index + 1,
                what: format!("`{call}` in library code; return an error instead, and print nothing"),
            });
        }
    }
    findings
}

/// Whether a line holds the call, and not as the end of a longer name: `eprintln!(` ends with `println!(`.
fn is_called(line: &str, call: &str) -> bool {
    line.match_indices(call).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        call.starts_with('.') || !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}

/// The text up to the test module: `#[cfg(test)]`, and then, after other attributes, `mod … {`.
///
/// A `#[cfg(test)]` on an import or on `mod tests;` does not hide what follows it.
fn before_tests(text: &str) -> &str {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if line.trim() == "#[cfg(test)]" && opens_module(&text[start + line.len()..]) {
            return &text[..start];
        }
        start += line.len();
    }
    text
}

/// Whether the first line that is not an attribute opens a module.
fn opens_module(text: &str) -> bool {
    let line = text.lines().map(str::trim).find(|line| !line.starts_with("#["));
    line.is_some_and(|line| line.contains("mod ") && line.ends_with('{'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_the_first_line_and_not_empty() {
        assert_eq!(header("a.rs", "//! Kernels.\n"), None);
        for bad in ["", "//!\n", "// Kernels.\n", "\n//! Kernels.\n", "use std::fmt;\n"] {
            assert_eq!(header("a.rs", bad).map(|finding| finding.line), Some(1), "{bad:?}");
        }
    }

    #[test]
    fn length_counts_up_to_the_test_module() {
        let code = "x\n".repeat(MOST_LINES);
        let tests = format!("#[cfg(test)]\n#[allow(unused)]\nmod tests {{\n{code}}}\n");
        assert_eq!(length("a.rs", &format!("{code}{tests}")), None);
        let long = length("a.rs", &format!("{code}x\n{tests}")).unwrap();
        assert_eq!(long.to_string(), "a.rs:451: 451 lines before the tests; at most 450");
        let import = format!("#[cfg(test)]\nuse std::fmt;\n{code}");
        assert!(length("a.rs", &import).is_some(), "an import for tests hides the rest of the file");
    }

    #[test]
    fn library_code_is_what_lies_in_src_of_a_library() {
        assert!(is_library("crates/lm-core/src/kernel/mod.rs"));
        for path in ["crates/lm-cli/src/main.rs", "crates/lm-core/tests/it/main.rs", "xtask/src/main.rs"] {
            assert!(!is_library(path), "{path}");
        }
    }

    #[test]
    fn calls_in_code_are_found_with_their_line() {
        let bad = "//! A.\nfn f() {\n    g().unwrap();\n    eprintln!(\"x\");\n    panic!(\"y\")\n}\n";
        let found: Vec<_> = library_calls("a.rs", bad).iter().map(|finding| finding.line).collect();
        assert_eq!(found, [3, 4, 5]);
    }

    #[test]
    fn calls_in_comments_strings_and_tests_are_left_alone() {
        let good = "//! A. `x.unwrap()`\n/// f().expect(\"ok\");\nfn f() { g(\"panic!(\").unwrap_or(0); }\n\
                    #[cfg(test)]\nmod tests {\n    fn g() { f().unwrap(); }\n}\n";
        assert_eq!(library_calls("a.rs", good), []);
    }
}
