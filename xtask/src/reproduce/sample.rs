//! Entries that claim nothing of any source: the tests of the frame run them.

use super::bench::{Bench, Scope};
use super::entry::{Entry, Outcome, Record};
use super::run::run_one;

/// One entry for each way in which an entry can end.
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "A01",
        place: "A 2.1",
        claim: "Seven is <seven>, and a half & a half are one.",
        how: "By looking at it.",
        seed: 7,
        body: sound,
    },
    Entry {
        id: "B03",
        place: "B (2)",
        claim: "A count of terms that is off by one in the source, told in a sentence long enough for a \
                narrow terminal to cut it.",
        how: "By counting.",
        seed: 2,
        body: erratum,
    },
    Entry { id: "C04", place: "C 6", claim: "The gap closes.", how: "By waiting.", seed: 3, body: error },
    Entry { id: "D05", place: "D 1", claim: "Three is small.", how: "By asking.", seed: 4, body: panics },
    Entry { id: "E06", place: "E 1", claim: "Nothing.", how: "Not at all.", seed: 5, body: empty },
];

fn sound(bench: &mut Bench) -> Outcome {
    bench.check_equal("the seed", 7, bench.seed());
    bench.check_close("half and half", 1.0, 0.5 + 0.5, 1e-12);
    bench.note("Nothing was rounded: 1 < 2.");
    bench.figure("dot", "A \"dot\" & nothing else.", "<svg viewBox=\"0 0 1 1\"></svg>\n".into())
}

fn erratum(bench: &mut Bench) -> Outcome {
    bench.check_equal("terms for n = 10", 66, (10 + 1) * (10 + 2) / 2);
    bench.erratum("65 terms", "66 terms", "the constant was left out", true);
    Ok(())
}

fn error(bench: &mut Bench) -> Outcome {
    bench.check_at_most("the gap", 1e-6, 0.5);
    Err("the solver did not converge".into())
}

fn panics(_: &mut Bench) -> Outcome {
    panic!("index {} is out of range", 3)
}

fn empty(bench: &mut Bench) -> Outcome {
    bench.note("There is nothing to see.");
    Ok(())
}

/// All of them after a run, each with the same made-up time.
pub(super) fn records() -> Vec<Record<'static>> {
    ENTRIES.iter().map(|entry| Record { seconds: 1.25, ..run_one(entry, &Scope::default()) }).collect()
}
