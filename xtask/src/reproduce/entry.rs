//! What an entry of the reproduction is, and what is kept of its run.

use std::error::Error;

use serde::{Deserialize, Serialize};

use super::bench::Bench;

/// What the body of an entry returns: an error fails the entry, with its text.
pub(crate) type Outcome = Result<(), Box<dyn Error>>;

/// A claim of a source, and the experiment that shows it.
pub(crate) struct Entry {
    /// A letter for the source and two digits: `A01`.
    pub(crate) id: &'static str,
    /// Where the source makes the claim: `A 2.1`.
    pub(crate) place: &'static str,
    /// What is claimed, in our own words, in one or two sentences.
    pub(crate) claim: &'static str,
    /// How the experiment is run, in one or two sentences.
    pub(crate) how: &'static str,
    /// The seed of every random number of the experiment.
    pub(crate) seed: u64,
    /// The experiment.
    pub(crate) body: fn(&mut Bench) -> Outcome,
}

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    /// Every measurement agrees with the claim.
    Holds,
    /// Every measurement came out, and the source is shown to be wrong in a point.
    Erratum,
    /// A measurement disagrees, or the experiment could not be done.
    Fails,
}

impl Verdict {
    /// The verdict as a word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Erratum => "erratum",
            Verdict::Fails => "fails",
        }
    }
}

/// One thing that was measured, beside what was claimed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Measurement {
    /// The quantity.
    pub(crate) what: String,
    /// What the source says.
    pub(crate) claimed: String,
    /// What came out.
    pub(crate) measured: String,
    /// Whether the two agree.
    pub(crate) holds: bool,
    /// Whether the text holds times, which differ from run to run.
    pub(crate) timed: bool,
}

/// A point in which the source is wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Erratum {
    /// What the source says.
    pub(crate) says: String,
    /// What is true instead.
    pub(crate) truth: String,
    /// What was computed to show it.
    pub(crate) evidence: String,
    /// Whether the computation shows it.
    pub(crate) shown: bool,
}

/// A figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Figure {
    /// The name, unique in its entry: the file is `ID-name.svg`.
    pub(crate) name: String,
    /// What is to be seen.
    pub(crate) caption: String,
    /// The picture.
    pub(crate) svg: String,
}

/// What an experiment recorded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Findings {
    /// What was measured, in order.
    pub(crate) measurements: Vec<Measurement>,
    /// Remarks for the reader.
    pub(crate) notes: Vec<String>,
    /// Points in which the source is wrong.
    pub(crate) errata: Vec<Erratum>,
    /// The figures, in order.
    pub(crate) figures: Vec<Figure>,
    /// Why the experiment could not be done to its end.
    pub(crate) failure: Option<String>,
}

impl Findings {
    /// The verdict that follows from what was recorded.
    ///
    /// Nothing measured is a failure: an entry that shows nothing must not pass.
    pub(crate) fn verdict(&self) -> Verdict {
        let shown =
            self.measurements.iter().all(|row| row.holds) && self.errata.iter().all(|item| item.shown);
        let empty = self.measurements.is_empty() && self.errata.is_empty();
        if self.failure.is_some() || empty || !shown {
            Verdict::Fails
        } else if self.errata.is_empty() {
            Verdict::Holds
        } else {
            Verdict::Erratum
        }
    }
}

/// An entry after its run.
pub(crate) struct Record<'a> {
    /// What was run.
    pub(crate) entry: &'a Entry,
    /// What it recorded.
    pub(crate) findings: Findings,
    /// How long it took.
    pub(crate) seconds: f64,
}

impl Record<'_> {
    /// The verdict of the entry.
    pub(crate) fn verdict(&self) -> Verdict {
        self.findings.verdict()
    }

    /// The file name of a figure.
    pub(crate) fn file_of(&self, figure: &Figure) -> String {
        format!("{}-{}.svg", self.entry.id, figure.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(holds: bool) -> Measurement {
        Measurement { what: "w".into(), claimed: "c".into(), measured: "m".into(), holds, timed: false }
    }

    fn erratum(shown: bool) -> Erratum {
        Erratum { says: "s".into(), truth: "t".into(), evidence: "e".into(), shown }
    }

    fn verdict(rows: &[bool], errata: &[bool], failure: Option<&str>) -> Verdict {
        Findings {
            measurements: rows.iter().map(|&holds| row(holds)).collect(),
            errata: errata.iter().map(|&shown| erratum(shown)).collect(),
            failure: failure.map(String::from),
            ..Findings::default()
        }
        .verdict()
    }

    #[test]
    fn all_rows_must_hold() {
        assert_eq!(verdict(&[true, true], &[], None), Verdict::Holds);
        assert_eq!(verdict(&[true, false], &[], None), Verdict::Fails);
    }

    #[test]
    fn an_erratum_must_be_shown() {
        assert_eq!(verdict(&[true], &[true], None), Verdict::Erratum);
        assert_eq!(verdict(&[], &[true], None), Verdict::Erratum);
        assert_eq!(verdict(&[true], &[false], None), Verdict::Fails);
        assert_eq!(verdict(&[false], &[true], None), Verdict::Fails);
    }

    #[test]
    fn an_empty_or_broken_experiment_fails() {
        assert_eq!(verdict(&[], &[], None), Verdict::Fails);
        assert_eq!(verdict(&[true], &[], Some("no convergence")), Verdict::Fails);
    }
}
