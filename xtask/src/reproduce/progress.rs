//! The bar of a run: what runs, how much is done, and about how long is left.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::entry::{Entry, Record};
use super::summary;

/// The entries that take long, with their seconds on two cores; any other takes about a tenth of a second.
const LONG: &[(&str, f64)] =
    &[("A17", 2.0), ("A20", 0.5), ("B14", 4.5), ("B19", 1.2), ("B23", 2.0), ("E06", 0.6), ("E08", 40.0)];

/// The bar, and what it knows about the time that entries take.
pub(super) struct Progress {
    bar: ProgressBar,
    expected: BTreeMap<&'static str, f64>,
    /// Seconds that were expected of what has run, and seconds that it took.
    done: [f64; 2],
    left: f64,
}

impl Progress {
    /// A bar for these entries. An earlier report tells how long each took here.
    pub(super) fn new(entries: &[&Entry], earlier: &Path) -> Self {
        let earlier = seconds_of(earlier);
        let usual = |id: &str| LONG.iter().find(|long| long.0 == id).map_or(0.1, |long| long.1);
        let expected: BTreeMap<_, _> = entries
            .iter()
            .map(|entry| {
                (entry.id, earlier.get(entry.id).copied().unwrap_or_else(|| usual(entry.id)).max(0.01))
            })
            .collect();
        let bar = ProgressBar::new(entries.len() as u64);
        // A template that does not parse leaves the bar with its plain look.
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len}  {elapsed}  {msg}") {
            bar.set_style(style);
        }
        // A long entry shows that time goes on.
        bar.enable_steady_tick(Duration::from_millis(250));
        let left = expected.values().sum();
        Self { bar, expected, done: [0.0; 2], left }
    }

    /// An entry begins.
    pub(super) fn begin(&self, entry: &Entry) {
        self.bar.set_message(format!("{} left  {} {}", spoken(self.remaining()), entry.id, entry.place));
    }

    /// An entry has run, or was taken from an interrupted run.
    pub(super) fn end(&mut self, record: &Record<'_>, again: bool) {
        let expected = self.expected.get(record.entry.id).copied().unwrap_or(0.1);
        self.left -= expected;
        if again {
            self.done[0] += expected;
            self.done[1] += record.seconds;
        }
        // Where there is no terminal there is no bar: a line for each entry tells of the progress.
        if self.bar.is_hidden() {
            println!("{}", summary::line(record));
        }
        self.bar.inc(1);
    }

    /// The run is over.
    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }

    /// About how many seconds are left: what is expected, at the pace of what has run.
    fn remaining(&self) -> f64 {
        // A second on both sides keeps the first short entries from setting the pace.
        self.left.max(0.0) * (self.done[1] + 1.0) / (self.done[0] + 1.0)
    }
}

/// The seconds of every entry of an earlier report; nothing, if there is none that can be read.
fn seconds_of(report: &Path) -> BTreeMap<String, f64> {
    let text = fs::read_to_string(report).unwrap_or_default();
    let report: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let entries = report["entries"].as_array().cloned().unwrap_or_default();
    entries
        .iter()
        .filter_map(|entry| Some((entry["id"].as_str()?.into(), entry["seconds"].as_f64()?)))
        .collect()
}

/// A length of time as people say it.
fn spoken(seconds: f64) -> String {
    if seconds < 90.0 { format!("{} s", seconds.ceil()) } else { format!("{} min", (seconds / 60.0).round()) }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn what_is_left_follows_the_pace() {
        let entries: Vec<_> = sample::ENTRIES.iter().take(3).collect();
        let mut progress = Progress::new(&entries, Path::new("no such file"));
        assert!((progress.remaining() - 0.3).abs() < 1e-12);
        // The first takes ten times as long as expected.
        progress.end(&sample::records()[0], true);
        let pace = (1.25 + 1.0) / (0.1 + 1.0);
        assert!((progress.remaining() - 0.2 * pace).abs() < 1e-12);
        progress.finish();
    }

    #[test]
    fn an_earlier_report_tells_the_times() {
        let path = std::env::temp_dir().join(format!("lm-progress-{}.json", std::process::id()));
        fs::write(&path, r#"{"entries": [{"id": "A01", "seconds": 7.5}, {"id": "B03"}]}"#).unwrap();
        assert_eq!(seconds_of(&path), BTreeMap::from([("A01".to_string(), 7.5)]));
        fs::write(&path, "no json").unwrap();
        assert!(seconds_of(&path).is_empty());
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn times_are_spoken_in_seconds_and_minutes() {
        assert_eq!([spoken(0.2), spoken(89.0), spoken(200.0)], ["1 s", "89 s", "3 min"]);
    }
}
