//! Progress on a terminal: iterations, gap, and the time that is left, rewritten in place.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use lm_core::{Observer, Progress};

/// How often the line is rewritten.
const EVERY: Duration = Duration::from_millis(200);

/// A line on standard error that says where a run is; nothing where that is no terminal.
pub(crate) struct ProgressLine {
    shown: Mutex<Shown>,
    /// The gap at which the run ends, where it has one.
    goal: Option<f64>,
}

struct Shown {
    last: Instant,
    drawn: bool,
    /// Gaps and times of the run, from which the time left is estimated.
    first: Option<(f64, f64)>,
}

impl ProgressLine {
    /// A line for a run that ends at this gap; none if nobody would see it.
    pub(crate) fn for_terminal(goal: Option<f64>) -> Option<Self> {
        let shown = Shown { last: Instant::now(), drawn: false, first: None };
        std::io::stderr().is_terminal().then(|| Self { shown: Mutex::new(shown), goal })
    }

    /// Wipes the line away.
    pub(crate) fn clear(&self) {
        if self.shown.lock().is_ok_and(|shown| shown.drawn) {
            // Nothing depends on the terminal.
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

impl Observer for ProgressLine {
    fn progress(&self, progress: &Progress) {
        let Ok(mut shown) = self.shown.lock() else { return };
        let seconds = progress.elapsed.as_secs_f64();
        let left = match (progress.gap, shown.first) {
            (Some(gap), Some(first)) => self.goal.and_then(|goal| seconds_left(first, (seconds, gap), goal)),
            (Some(gap), None) if gap > 0.0 => {
                shown.first = Some((seconds, gap));
                None
            }
            _ => None,
        };
        if shown.last.elapsed() < EVERY {
            return;
        }
        shown.last = Instant::now();
        shown.drawn = true;
        let gap = progress.gap.map_or(String::new(), |gap| format!(", gap {gap:.1e}"));
        let left = left.map_or(String::new(), |left| format!(", about {left:.0} s left"));
        let iterations = progress.iterations;
        let line = format!(
            "\r\x1b[K{seconds:.1} s, {iterations} iterations{gap}{left} (Ctrl-C stops with the best so far)"
        );
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
}

/// The time until the gap reaches the goal, if it goes on shrinking by the same factor in the same time.
fn seconds_left(first: (f64, f64), now: (f64, f64), goal: f64) -> Option<f64> {
    let rate = (first.1 / now.1).ln() / (now.0 - first.0);
    let left = (now.1 / goal).ln() / rate;
    (rate > 0.0 && left.is_finite()).then(|| left.max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_that_shrinks_by_ten_each_second_needs_a_second_for_each_digit() {
        let left = seconds_left((0.0, 1.0), (2.0, 1e-2), 1e-6).unwrap();
        assert!((left - 4.0).abs() < 1e-9);
        assert_eq!(seconds_left((0.0, 1.0), (2.0, 1.0), 1e-6), None);
        assert_eq!(seconds_left((0.0, 1.0), (2.0, 2.0), 1e-6), None);
        assert_eq!(seconds_left((0.0, 1.0), (2.0, 1e-9), 1e-6), Some(0.0));
    }
}
