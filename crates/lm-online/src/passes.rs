//! Passes over a set, with a look ahead.
//!
//! A procedure that makes few corrections spends its time on scores. They are computed for several rows at once with the
//! present weights, which lets the processor overlap them, and are walked in order; at the first correction the rows that
//! are left are scored anew. A score computed ahead has the bits that it would have had in its turn, so what is learned is
//! the same, bit for bit, as without the look ahead.

use std::ops::Range;

use lm_core::{Collection, Meter, Result, Stop};

use crate::journal::Journal;
use crate::order::Orders;
use crate::visits::Visits;

/// The most rows that are scored ahead.
pub(crate) const AHEAD: usize = 16;

/// The most rows that are scored ahead after a correction: the next one is likely to be near.
const SOON: usize = 4;

/// A procedure, and what it learns.
pub(crate) trait Procedure<E: ?Sized> {
    /// Writes the scores of some rows.
    fn scores(&self, examples: &E, rows: Range<usize>, out: &mut [f64]);

    /// Writes the scores of listed rows.
    fn scores_at(&self, examples: &E, rows: &[u32], out: &mut [f64]);

    /// Whether an example with this score has to be corrected.
    fn is_due(&self, row: usize, score: f64) -> bool;

    /// Corrects. `seen` is the number of examples met before this one.
    fn correct(&mut self, examples: &E, row: usize, score: f64, seen: u64) -> Result<()>;

    /// Whether the run has converged, after a pass with this many corrections.
    fn ends(&mut self, corrections: u64) -> Result<bool> {
        Ok(corrections == 0)
    }

    /// Kernel values computed since this was last asked.
    fn evaluations(&mut self) -> u64 {
        0
    }

    /// What an observer is told after a pass: the criterion that falls. Default: the number of corrections.
    fn progress(&self, corrections: u64) -> f64 {
        corrections as f64
    }
}

/// Walks over examples, one after the other.
#[derive(Debug)]
pub(crate) struct Walker<'a, E: ?Sized> {
    examples: &'a E,
    visits: &'a Visits,
    /// How many examples were met.
    seen: u64,
    /// How many rows are scored at once: fewer where corrections are frequent.
    ahead: usize,
}

impl<'a, E: Collection + ?Sized> Walker<'a, E> {
    pub(crate) fn new(examples: &'a E, visits: &'a Visits) -> Self {
        Self { examples, visits, seen: 0, ahead: AHEAD }
    }

    /// How many examples were met, repeated visits included.
    pub(crate) fn seen(&self) -> u64 {
        self.seen
    }

    /// Meets the examples at some places of a pass; `note` hears of each correction how far into the places it was.
    pub(crate) fn walk<P: Procedure<E>>(
        &mut self,
        procedure: &mut P,
        order: Option<&[u32]>,
        places: Range<usize>,
        mut note: impl FnMut(usize),
    ) -> Result<()> {
        let mut scores = [0.0; AHEAD];
        let mut start = places.start;
        while start < places.end {
            let end = places.end.min(start + self.ahead);
            let scores = &mut scores[..end - start];
            match order {
                None => procedure.scores(self.examples, start..end, scores),
                Some(order) => procedure.scores_at(self.examples, &order[start..end], scores),
            }
            let mut next = end;
            self.ahead = AHEAD.min(2 * self.ahead);
            for (place, &score) in (start..end).zip(&*scores) {
                let row = order.map_or(place, |order| order[place] as usize);
                let corrections = self.meet(procedure, row, score)?;
                if corrections > 0 {
                    (0..corrections).for_each(|_| note(place - places.start));
                    next = place + 1;
                    self.ahead = SOON.min(next - start);
                    break;
                }
            }
            start = next;
        }
        Ok(())
    }

    /// Meets one example as often as its weight says; how often it was corrected.
    #[inline]
    fn meet<P: Procedure<E>>(&mut self, procedure: &mut P, row: usize, score: f64) -> Result<u32> {
        let visits = self.visits.to(row);
        if visits == 0 || !procedure.is_due(row, score) {
            self.seen += u64::from(visits);
            return Ok(0);
        }
        let (mut corrections, mut score) = (0, [score]);
        // What is right once stays right for the rest of its visits: nothing changes between them.
        while corrections < visits && procedure.is_due(row, score[0]) {
            procedure.correct(self.examples, row, score[0], self.seen + u64::from(corrections))?;
            corrections += 1;
            if corrections < visits {
                procedure.scores(self.examples, row..row + 1, &mut score);
            }
        }
        self.seen += u64::from(visits);
        Ok(corrections)
    }
}

/// Meets every example of a block once; how many were met, and what came of it.
pub(crate) fn walk_once<E: Collection + ?Sized, P: Procedure<E>>(
    procedure: &mut P,
    examples: &E,
) -> (u64, Result<()>) {
    let mut walker = Walker::new(examples, &Visits::Once);
    let result = walker.walk(procedure, None, 0..examples.len(), |_| ());
    (walker.seen(), result)
}

/// The examples between two looks at the clock, for examples of this dimension: some milliseconds' work at most.
pub(crate) fn block(dim: usize) -> usize {
    ((1 << 22) / dim.max(1)).clamp(16, 4096)
}

/// Passes over the data until the procedure ends or the budget is used up, with a look at the clock after every `block`
/// examples. The second result is the number of examples met, repeated visits included.
pub(crate) fn run<E, P>(
    procedure: &mut P,
    examples: &E,
    visits: &Visits,
    journal: &mut Journal,
    block: usize,
    meter: &mut Meter<'_>,
) -> Result<(Stop, u64)>
where
    E: Collection + ?Sized,
    P: Procedure<E>,
{
    let (len, mut walker) = (examples.len(), Walker::new(examples, visits));
    let mut orders = Orders::new(journal.order(), len);
    if let Some(stop) = meter.advance(0, 0) {
        return Ok((stop, 0));
    }
    for pass in 0.. {
        let (order, before) = (orders.of_pass(pass), journal.corrections());
        for start in (0..len).step_by(block) {
            let end = len.min(start + block);
            walker.walk(procedure, order, start..end, |ahead| journal.correct(ahead))?;
            journal.advance(end - start);
            if end < len
                && let Some(stop) = meter.advance(0, procedure.evaluations())
            {
                return Ok((stop, walker.seen()));
            }
        }
        let stop = meter.advance(1, procedure.evaluations());
        let corrections = journal.corrections() - before;
        let ended = procedure.ends(corrections)?;
        meter.observe(Some(procedure.progress(corrections)), None);
        if ended {
            return Ok((Stop::Converged, walker.seen()));
        }
        if let Some(stop) = stop {
            return Ok((stop, walker.seen()));
        }
    }
    Ok((Stop::Iterations, walker.seen()))
}
