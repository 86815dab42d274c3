//! The check of a run: its journal is gone through again, by plain arithmetic.
//!
//! Nothing here or in the implementations of [`Plain`] is shared with the code that ran: scores are summed term by term,
//! one example at a time.

use lm_core::{Discrepancy, Error, Result, Verdict};

use crate::journal::Journal;
use crate::order::Orders;
use crate::visits::Visits;

/// A hypothesis under correction, in plain arithmetic.
pub(crate) trait Plain {
    /// By how much an example exceeds the margin below which it is corrected, `y·s − m`, and how far that number may be
    /// from the one that the run saw, by rounding.
    fn excess(&mut self, row: usize) -> Result<(f64, f64)>;

    /// Corrects.
    fn correct(&mut self, row: usize) -> Result<()>;
}

/// Goes through a journal: every correction in it was due, and no other. A journal that is cut is followed to its last
/// known correction.
pub(crate) fn replay(journal: &Journal, visits: &Visits, plain: &mut impl Plain) -> Result<Verdict> {
    let (len, mut orders) = (journal.examples() as u64, Orders::new(journal.order(), journal.examples()));
    let mut claims = journal.places().peekable();
    for pass in 0..journal.visited().div_ceil(len.max(1)) {
        let (order, first) = (orders.of_pass(pass), pass * len);
        if claims.peek().is_none_or(|&place| place >= first + len) && first + len < journal.visited() {
            // So that the check of a forged journal ends: every pass but the last has a correction.
            return wrong(
                "the number of visits, where a clean pass ends",
                journal.visited() as f64,
                (first + len) as f64,
                0,
            );
        }
        for place in first..journal.visited().min(first + len) {
            if journal.is_cut() && claims.peek().is_none() {
                return Ok(Verdict::Valid);
            }
            let row =
                order.map_or((place - first) as usize, |order| order[(place - first) as usize] as usize);
            let mut left = visits.to(row);
            while claims.next_if_eq(&place).is_some() {
                let (excess, doubt) = plain.excess(row)?;
                if left == 0 {
                    return wrong("the number of corrections in a visit", 1.0, 0.0, row);
                }
                if excess > doubt {
                    return wrong("what a corrected example exceeds its margin by", 0.0, excess, row);
                }
                plain.correct(row)?;
                left -= 1;
            }
            if left > 0 && !spared(plain, row)? {
                let (excess, _) = plain.excess(row)?;
                return wrong("what an example without a correction exceeds its margin by", 0.0, excess, row);
            }
        }
    }
    match claims.next() {
        Some(place) => {
            wrong("the last visit", journal.visited() as f64, place as f64, (place % len) as usize)
        }
        None => Ok(Verdict::Valid),
    }
}

/// Checks that no example has to be corrected.
pub(crate) fn check_all_spared(len: usize, visits: &Visits, plain: &mut impl Plain) -> Result<Verdict> {
    for row in (0..len).filter(|&row| visits.to(row) > 0) {
        if !spared(plain, row)? {
            let (excess, _) = plain.excess(row)?;
            return wrong("what an example exceeds the margin of a separation by", 0.0, excess, row);
        }
    }
    Ok(Verdict::Valid)
}

/// Whether an example needs no correction, as far as rounding lets one tell.
fn spared(plain: &mut impl Plain, row: usize) -> Result<bool> {
    let (excess, doubt) = plain.excess(row)?;
    if excess.is_nan() || doubt.is_nan() {
        return Err(Error::Numerical { what: "the replay of a run" });
    }
    Ok(excess > -doubt)
}

fn wrong(what: &'static str, claimed: f64, recomputed: f64, row: usize) -> Result<Verdict> {
    Ok(Verdict::Invalid(Discrepancy { what, claimed, recomputed, row: Some(row) }))
}
