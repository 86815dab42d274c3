//! Runs the bodies, one after another, whatever they do.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;
use std::time::Instant;

use super::bench::{Bench, Scope};
use super::entry::{Entry, Findings, Record};

/// Runs one entry. An error or a panic in its body becomes a failure of the entry; what was recorded before
/// it is kept.
pub(super) fn run_one<'a>(entry: &'a Entry, scope: &Scope) -> Record<'a> {
    let start = Instant::now();
    let mut bench = Bench::within(entry.seed, scope.clone());
    // The bench holds plain lists that are only ever appended to: it is whole after a panic.
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| (entry.body)(&mut bench)));
    let failure = match outcome {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(error.to_string()),
        Err(payload) => Some(format!("panicked: {}", message(payload.as_ref()))),
    };
    let mut findings: Findings = bench.into_findings();
    if failure.is_none() && findings.measurements.is_empty() && findings.errata.is_empty() {
        findings.failure = Some("nothing was measured".into());
    } else {
        findings.failure = failure;
    }
    Record { entry, findings, seconds: start.elapsed().as_secs_f64() }
}

/// Runs a function while panics are silent, so that they do not tear the progress bar; their places are
/// kept and handed back with the result.
pub(super) fn quietly<T>(work: impl FnOnce(&dyn Fn() -> Option<String>) -> T) -> T {
    static PLACE: Mutex<Option<String>> = Mutex::new(None);
    let lock = || PLACE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let former = panic::take_hook();
    panic::set_hook(Box::new(|info| {
        if let (Some(place), Ok(mut last)) = (info.location(), PLACE.lock()) {
            *last = Some(format!("{}:{}", place.file(), place.line()));
        }
    }));
    let result = work(&|| lock().take());
    panic::set_hook(former);
    result
}

/// The text of a panic.
fn message(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use super::super::entry::Verdict;
    use super::super::sample;
    use super::*;

    fn run(id: &str) -> Record<'static> {
        run_one(sample::ENTRIES.iter().find(|entry| entry.id == id).unwrap(), &Scope::default())
    }

    #[test]
    fn a_sound_entry_holds_and_sees_its_seed() {
        let record = run("A01");
        assert_eq!(record.verdict(), Verdict::Holds);
        assert_eq!(record.findings.failure, None);
        assert_eq!(record.findings.measurements[0].measured, "7");
        assert!(record.seconds >= 0.0);
    }

    #[test]
    fn an_erratum_is_a_verdict_of_its_own() {
        assert_eq!(run("B03").verdict(), Verdict::Erratum);
    }

    #[test]
    fn an_error_fails_the_entry_and_keeps_what_was_recorded() {
        let record = run("C04");
        assert_eq!(record.verdict(), Verdict::Fails);
        assert_eq!(record.findings.failure.as_deref(), Some("the solver did not converge"));
        assert_eq!(record.findings.measurements.len(), 1);
    }

    #[test]
    fn a_panic_fails_the_entry_only() {
        let record = run("D05");
        assert_eq!(record.verdict(), Verdict::Fails);
        assert_eq!(record.findings.failure.as_deref(), Some("panicked: index 3 is out of range"));
    }

    #[test]
    fn an_entry_without_a_measurement_fails() {
        let record = run("E06");
        assert_eq!(record.verdict(), Verdict::Fails);
        assert_eq!(record.findings.failure.as_deref(), Some("nothing was measured"));
    }
}
