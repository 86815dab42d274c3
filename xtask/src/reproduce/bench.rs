//! The work bench of an entry: where its body writes down what it measured.
//!
//! Every `check…` adds one row with what the source claims beside what came out. Numbers become text in one
//! way ([`number`]), so the same bits give the same report.

use std::error::Error;
use std::fmt::Display;
use std::path::{Path, PathBuf};

use lm_core::Verdict;

use super::entry::{Erratum, Figure, Findings, Measurement};

/// How much a run does beyond what the repository holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scope {
    /// A folder with sets that are too large for the repository.
    pub(crate) data: Option<PathBuf>,
    /// Whether sizes and counts are large.
    pub(crate) full: bool,
}

/// Collects the findings of one entry.
pub(crate) struct Bench {
    seed: u64,
    scope: Scope,
    findings: Findings,
}

impl Bench {
    /// An empty bench for an entry with this seed.
    #[cfg(test)]
    pub(crate) fn new(seed: u64) -> Self {
        Self::within(seed, Scope::default())
    }

    /// An empty bench for a run of this scope.
    pub(crate) fn within(seed: u64, scope: Scope) -> Self {
        Bench { seed, scope, findings: Findings::default() }
    }

    /// The folder with large sets, if one was named.
    pub(crate) fn data(&self) -> Option<&Path> {
        self.scope.data.as_deref()
    }

    /// A count or size: the first by default, the second in a full run.
    pub(crate) fn amount<T>(&self, usual: T, full: T) -> T {
        if self.scope.full { full } else { usual }
    }

    /// The seed of the entry, from which every random number of the body must come.
    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    /// What has been recorded.
    pub(crate) fn into_findings(self) -> Findings {
        self.findings
    }

    /// Records a row whose truth the caller has worked out.
    pub(crate) fn check(
        &mut self,
        what: impl Into<String>,
        claimed: impl Into<String>,
        measured: impl Into<String>,
        holds: bool,
    ) {
        self.push(what.into(), claimed.into(), measured.into(), holds, false);
    }

    /// Records a row about times. Its text differs from run to run, and the report says so.
    pub(crate) fn check_timed(
        &mut self,
        what: impl Into<String>,
        claimed: impl Into<String>,
        measured: impl Into<String>,
        holds: bool,
    ) {
        self.push(what.into(), claimed.into(), measured.into(), holds, true);
    }

    /// `|claimed − measured| ≤ tolerance`. A tolerance relative to the claim is the caller's product.
    pub(crate) fn check_close(
        &mut self,
        what: impl Into<String>,
        claimed: f64,
        measured: f64,
        tolerance: f64,
    ) {
        let difference = (claimed - measured).abs();
        let claimed = format!("{} ± {}", number(claimed), number(tolerance));
        let measured = format!("{} (off by {})", number(measured), magnitude(difference));
        // Written so that NaN does not hold.
        self.push(what.into(), claimed, measured, difference <= tolerance, false);
    }

    /// Every component is close: `maxᵢ |claimedᵢ − measuredᵢ| ≤ tolerance`, with as many on both sides.
    pub(crate) fn check_all_close(
        &mut self,
        what: impl Into<String>,
        claimed: &[f64],
        measured: &[f64],
        tolerance: f64,
    ) {
        let differences = claimed.iter().zip(measured).map(|(a, b)| (a - b).abs());
        // `f64::max` drops NaN, so a NaN is looked for by itself.
        let broken = claimed.iter().chain(measured).any(|value| value.is_nan());
        let worst = if broken { f64::NAN } else { differences.fold(0.0, f64::max) };
        let holds = claimed.len() == measured.len() && worst <= tolerance;
        let claimed = format!("{} ± {}", numbers(claimed), number(tolerance));
        let measured = format!("{} (off by {})", numbers(measured), magnitude(worst));
        self.push(what.into(), claimed, measured, holds, false);
    }

    /// The two are equal.
    #[expect(clippy::needless_pass_by_value, reason = "a call reads better without references to numbers")]
    pub(crate) fn check_equal<T: PartialEq + Display>(
        &mut self,
        what: impl Into<String>,
        claimed: T,
        measured: T,
    ) {
        let holds = claimed == measured;
        self.push(what.into(), claimed.to_string(), measured.to_string(), holds, false);
    }

    /// `measured ≤ bound`.
    pub(crate) fn check_at_most(&mut self, what: impl Into<String>, bound: f64, measured: f64) {
        self.push(what.into(), format!("≤ {}", number(bound)), number(measured), measured <= bound, false);
    }

    /// `measured ≥ bound`.
    pub(crate) fn check_at_least(&mut self, what: impl Into<String>, bound: f64, measured: f64) {
        self.push(what.into(), format!("≥ {}", number(bound)), number(measured), measured >= bound, false);
    }

    /// A certificate, checked anew against the data, is valid.
    pub(crate) fn check_valid(&mut self, what: impl Into<String>, verdict: Verdict) {
        self.push(what.into(), "valid".into(), verdict.to_string(), verdict.is_valid(), false);
    }

    /// Records a point in which the source is wrong. `shown` is the computed condition that proves it: if it
    /// is false, the entry fails, because the source may be right after all.
    pub(crate) fn erratum(
        &mut self,
        says: impl Into<String>,
        truth: impl Into<String>,
        evidence: impl Into<String>,
        shown: bool,
    ) {
        let erratum = Erratum { says: says.into(), truth: truth.into(), evidence: evidence.into(), shown };
        self.findings.errata.push(erratum);
    }

    /// Adds a remark for the reader.
    pub(crate) fn note(&mut self, text: impl Into<String>) {
        self.findings.notes.push(text.into());
    }

    /// Adds a figure. The name becomes part of a file name: lower-case letters, digits and dashes, each name
    /// once in an entry.
    pub(crate) fn figure(
        &mut self,
        name: &str,
        caption: impl Into<String>,
        svg: String,
    ) -> Result<(), Box<dyn Error>> {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if name.is_empty() || !name.chars().all(plain) {
            return Err(format!("'{name}' is no name of a figure: use a-z, 0-9 and dashes").into());
        }
        if self.findings.figures.iter().any(|figure| figure.name == name) {
            return Err(format!("two figures are named '{name}'").into());
        }
        self.findings.figures.push(Figure { name: name.into(), caption: caption.into(), svg });
        Ok(())
    }

    fn push(&mut self, what: String, claimed: String, measured: String, holds: bool, timed: bool) {
        self.findings.measurements.push(Measurement { what, claimed, measured, holds, timed });
    }
}

/// A number with six significant digits, without trailing zeros; powers of ten where they are shorter.
pub(crate) fn number(value: f64) -> String {
    significant(value, 6)
}

/// The size of a difference: two significant digits.
fn magnitude(value: f64) -> String {
    significant(value, 2)
}

/// A few numbers in brackets; of a long list the first ones.
fn numbers(values: &[f64]) -> String {
    const SHOWN: usize = 8;
    let mut parts: Vec<_> = values.iter().take(SHOWN).map(|&value| number(value)).collect();
    if values.len() > SHOWN {
        parts.push(format!("… {} in all", values.len()));
    }
    format!("({})", parts.join(", "))
}

/// A number with `digits` significant digits.
fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        // Zero keeps no sign: −0 and 0 read the same.
        return if value == 0.0 { "0".into() } else { value.to_string().replace('-', "−") };
    }
    let scientific = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    };
    let text = if (-4..9).contains(&exponent) {
        let decimals = usize::try_from(digits as i32 - 1 - exponent).unwrap_or(0);
        trim(&format!("{value:.decimals$}"))
    } else {
        format!("{}e{exponent}", trim(mantissa))
    };
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(bench: &Bench) -> (String, String, bool) {
        let row = bench.findings.measurements.last().unwrap();
        (row.claimed.clone(), row.measured.clone(), row.holds)
    }

    #[test]
    fn numbers_keep_six_digits_and_no_zeros() {
        let cases = [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (-1.5, "−1.5"),
            (std::f64::consts::SQRT_2, "1.41421"),
            (183_181_376.0, "183181376"),
            (1.0e-10, "1e−10"),
            (2.5e12, "2.5e12"),
            (0.000_123_4, "0.0001234"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "−inf"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn close_is_judged_by_the_tolerance_and_nan_never_holds() {
        let mut bench = Bench::new(1);
        bench.check_close("a", 1.0, 1.25, 0.25);
        assert_eq!(last(&bench), ("1 ± 0.25".into(), "1.25 (off by 0.25)".into(), true));
        bench.check_close("a", 1.0, 1.5, 0.25);
        assert!(!last(&bench).2);
        bench.check_close("a", 1.0, f64::NAN, 0.25);
        assert!(!last(&bench).2);
        bench.check_close("a", 1.0, 1.0, f64::NAN);
        assert!(!last(&bench).2);
    }

    #[test]
    fn vectors_are_close_in_every_component_and_in_length() {
        let mut bench = Bench::new(1);
        bench.check_all_close("a", &[1.0, 2.0], &[1.0, 2.5], 0.5);
        assert_eq!(last(&bench), ("(1, 2) ± 0.5".into(), "(1, 2.5) (off by 0.5)".into(), true));
        for wrong in [&[1.0, 3.0][..], &[1.0], &[1.0, f64::NAN], &[1.0, 2.0, 3.0]] {
            bench.check_all_close("a", &[1.0, 2.0], wrong, 0.5);
            assert!(!last(&bench).2, "{wrong:?}");
        }
    }

    #[test]
    fn bounds_and_equality() {
        let mut bench = Bench::new(1);
        bench.check_at_most("a", 3.0, 3.0);
        assert_eq!(last(&bench), ("≤ 3".into(), "3".into(), true));
        bench.check_at_most("a", 3.0, f64::NAN);
        assert!(!last(&bench).2);
        bench.check_at_least("a", 3.0, 2.0);
        assert!(!last(&bench).2);
        bench.check_equal("a", 66, 66);
        assert_eq!(last(&bench), ("66".into(), "66".into(), true));
        bench.check_equal("a", "x", "y");
        assert!(!last(&bench).2);
    }

    #[test]
    fn a_figure_has_a_plain_name_of_its_own() {
        let mut bench = Bench::new(1);
        bench.figure("two-moons", "c", "<svg/>".into()).unwrap();
        assert!(bench.figure("two-moons", "c", "<svg/>".into()).is_err());
        for bad in ["", "../a", "A", "a b"] {
            assert!(bench.figure(bad, "c", "<svg/>".into()).is_err(), "{bad}");
        }
    }
}
