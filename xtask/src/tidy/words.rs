//! Words that do not belong in the tree.
//!
//! Unfinished work, tests that do not run, paths and hosts of one machine, and praise. The patterns are put
//! together from pieces, so that this file does not hold what it looks for.

use super::Finding;

/// Where a pattern is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Rust, scripts and configuration: prose may name the rule.
    Code,
    /// Every file.
    Everywhere,
}

/// How a pattern is found in a line.
#[derive(Clone, Copy)]
enum Match {
    /// The characters as they stand.
    Exact,
    /// As a whole word, as it stands.
    Word,
    /// In any case.
    AnyCase,
    /// A path from the root: nothing that could be a part of a longer path goes before.
    Path,
}

/// A pattern, where and how it is looked for, and what is wrong with it.
struct Rule(&'static str, Scope, Match, &'static str);

const UNFINISHED: &str = "unfinished work";
const NOT_RUN: &str = "a test or an example that does not run";
const MACHINE: &str = "a path of one machine";
const HOST: &str = "a registry's address";
const PRAISE: &str = "praise; say what was measured";

const RULES: [Rule; 25] = [
    Rule(concat!("to", "do!"), Scope::Code, Match::AnyCase, UNFINISHED),
    Rule(concat!("unimple", "mented!"), Scope::Code, Match::Exact, UNFINISHED),
    Rule(concat!("TO", "DO"), Scope::Code, Match::Word, UNFINISHED),
    Rule(concat!("FIX", "ME"), Scope::Everywhere, Match::Word, UNFINISHED),
    Rule(concat!("X", "XX"), Scope::Everywhere, Match::Word, UNFINISHED),
    Rule(concat!("db", "g!("), Scope::Code, Match::Exact, "a trace of debugging"),
    Rule(concat!("#[ig", "nore"), Scope::Code, Match::Exact, NOT_RUN),
    Rule(concat!("``", "`ignore"), Scope::Code, Match::Exact, NOT_RUN),
    Rule(concat!("``", "`no_run"), Scope::Code, Match::Exact, NOT_RUN),
    Rule(concat!("/wo", "rk/"), Scope::Everywhere, Match::Path, MACHINE),
    Rule(concat!("/tm", "p/bash"), Scope::Everywhere, Match::Path, MACHINE),
    Rule(concat!("/ho", "me/"), Scope::Everywhere, Match::Path, MACHINE),
    Rule(concat!("/ro", "ot/"), Scope::Everywhere, Match::Path, MACHINE),
    Rule(concat!("/Us", "ers/"), Scope::Everywhere, Match::Path, MACHINE),
    Rule(concat!("index.", "crates.io"), Scope::Everywhere, Match::AnyCase, HOST),
    Rule(concat!("static.", "crates.io"), Scope::Everywhere, Match::AnyCase, HOST),
    Rule(concat!("sparse", "+http"), Scope::Everywhere, Match::AnyCase, HOST),
    Rule(concat!("registry", "+http"), Scope::Everywhere, Match::AnyCase, HOST),
    Rule(concat!("arti", "factory"), Scope::Everywhere, Match::AnyCase, HOST),
    Rule(concat!("127.0", ".0.1"), Scope::Everywhere, Match::Exact, HOST),
    Rule(concat!("bla", "zing"), Scope::Everywhere, Match::AnyCase, PRAISE),
    Rule(concat!("state-of", "-the-art"), Scope::Everywhere, Match::AnyCase, PRAISE),
    Rule(concat!("state of", " the art"), Scope::Everywhere, Match::AnyCase, PRAISE),
    Rule(concat!("world", "-class"), Scope::Everywhere, Match::AnyCase, PRAISE),
    Rule(concat!("cutting", "-edge"), Scope::Everywhere, Match::AnyCase, PRAISE),
];

/// Finds the banned words of a file.
pub(super) fn banned(path: &str, text: &str) -> Vec<Finding> {
    let is_prose = path.ends_with(".md") || path.ends_with(".html");
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let lower = line.to_lowercase();
        for Rule(pattern, scope, way, what) in &RULES {
            if (*scope == Scope::Code && is_prose) || !occurs(line, &lower, pattern, *way) {
                continue;
            }
            findings.push(Finding {
                path: path.into(),
                line: index + 1,
                what: format!("`{pattern}`: {what}"),
            });
        }
    }
    findings
}

/// Whether a pattern occurs in a line; `lower` is the line in lower case.
fn occurs(line: &str, lower: &str, pattern: &str, way: Match) -> bool {
    match way {
        Match::Exact => line.contains(pattern),
        Match::AnyCase => lower.contains(&pattern.to_lowercase()),
        Match::Word => line.match_indices(pattern).any(|(at, _)| {
            let after = line[at + pattern.len()..].chars().next();
            !line[..at].chars().next_back().is_some_and(is_name) && !after.is_some_and(is_name)
        }),
        Match::Path => line.match_indices(pattern).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            !before.is_some_and(|c| is_name(c) || ".-}*".contains(c))
        }),
    }
}

/// Whether a character can be part of a name.
fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The lock file names no source but the public index.
pub(super) fn lock_sources(path: &str, text: &str) -> Vec<Finding> {
    let accepted = concat!("registry", "+https://github.com/rust-lang/crates.io-index");
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some(source) = line.strip_prefix("source = ") else { continue };
        if source.trim_matches('"') != accepted {
            findings.push(Finding {
                path: path.into(),
                line: index + 1,
                what: "a package from another source than the public index".into(),
            });
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(path: &str, text: &str) -> usize {
        banned(path, text).len()
    }

    #[test]
    fn every_pattern_is_found_in_code() {
        for Rule(pattern, ..) in &RULES {
            let text = format!("//! A.\nlet a = \"{pattern}\";\n");
            let found = banned("a.rs", &text);
            assert!(found.iter().any(|f| f.line == 2 && f.what.contains(pattern)), "{pattern}: {found:?}");
        }
    }

    #[test]
    fn clean_text_has_no_findings() {
        let text =
            "//! The fixed mesh of the network.\n/// See crates/network/src and https://a.example/x.\n";
        assert_eq!(banned("a.rs", text), []);
    }

    #[test]
    fn prose_may_name_a_rule_about_code_but_may_not_praise() {
        let rule = concat!("No `#[ig", "nore]` in the tests.");
        assert_eq!((count("a.md", rule), count("a.rs", rule)), (0, 1));
        assert_eq!(count("a.md", concat!("A World", "-Class solver.")), 1);
    }

    #[test]
    fn a_word_inside_a_word_is_another_word() {
        assert_eq!(count("a.rs", concat!("const MAX", "XX: u8 = 1;")), 0);
        assert_eq!(count("a.rs", concat!("// X", "XX: later")), 1);
    }

    #[test]
    fn only_a_path_from_the_root_is_of_one_machine() {
        assert_eq!(count("a.md", concat!("See `/wo", "rk/a`.")), 1);
        assert_eq!(count("a.md", concat!("file:///ho", "me/a")), 1);
        assert_eq!(count("a.md", concat!("https://a.example/ho", "me/ and ../wo", "rk/a")), 0);
    }

    #[test]
    fn the_lock_file_keeps_to_the_public_index() {
        let good = concat!("source = \"registry", "+https://github.com/rust-lang/crates.io-index\"\n");
        assert_eq!(lock_sources("Cargo.lock", good), []);
        let bad = format!("{good}source = \"git+https://a.example/b\"\n");
        assert_eq!(lock_sources("Cargo.lock", &bad).iter().map(|f| f.line).collect::<Vec<_>>(), [2]);
    }
}
