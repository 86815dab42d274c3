//! Rows of a Gram matrix that several fits share.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::combine::from_rows;
use super::{Columns, Gram, Precision, check_request};
use crate::Result;
use crate::collection::Collection;
use crate::fit::CacheFigures;

/// Rows that are computed together.
const BLOCK: usize = 48;

/// A Gram matrix whose rows are kept when they are first asked for, until a number of bytes is used up; later ones are
/// computed anew, those columns only that are asked for.
///
/// Fits that run side by side on parts of one set (pairs of classes, folds, values of a cost) take their rows from here.
/// Nothing is locked while values are computed, and a row is never given up, so which rows are kept changes no value. Two
/// threads that ask for a row at the same moment may both compute it.
///
/// ```
/// use lm_core::gram::SharedRows;
/// use lm_core::{Columns, Dense, Gram, VectorGram, VectorKernel};
///
/// let examples = Dense::new((0..50).map(f64::from).collect(), 50, 1)?;
/// let gram = VectorGram::new(&examples, VectorKernel::gaussian(0.1)?)?;
/// let shared = SharedRows::new(&gram, 1 << 20);
/// let mut two = [0.0; 2];
/// shared.fill(&[7], Columns::List(&[3, 4]), &mut two)?;
/// shared.fill(&[7], Columns::List(&[5, 6]), &mut two)?;
/// assert_eq!((shared.figures().misses, shared.figures().hits), (1, 1));
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug)]
pub struct SharedRows<'a, G: ?Sized> {
    gram: &'a G,
    rows: Vec<OnceLock<Box<[f64]>>>,
    /// How many more rows may be kept.
    left: AtomicUsize,
    hits: AtomicU64,
    misses: AtomicU64,
}

impl<'a, G: Gram + ?Sized> SharedRows<'a, G> {
    /// Keeps as many rows as fit into `bytes`, books included; none, if there is no room.
    pub fn new(gram: &'a G, bytes: usize) -> Self {
        let len = gram.len();
        let books = len.saturating_mul(size_of::<OnceLock<Box<[f64]>>>());
        let room = bytes.saturating_sub(books) / len.saturating_mul(size_of::<f64>()).max(1);
        let rows = if room == 0 { Vec::new() } else { (0..len).map(|_| OnceLock::new()).collect() };
        let left = AtomicUsize::new(room.min(len));
        Self { gram, rows, left, hits: AtomicU64::new(0), misses: AtomicU64::new(0) }
    }

    /// The bytes that all rows take, books included.
    pub fn bytes_of_all(len: usize) -> usize {
        let row = len.saturating_mul(size_of::<f64>()).saturating_add(size_of::<OnceLock<Box<[f64]>>>());
        len.saturating_mul(row)
    }

    /// The Gram matrix behind.
    pub fn gram(&self) -> &'a G {
        self.gram
    }

    /// What was kept and used so far.
    pub fn figures(&self) -> CacheFigures {
        let len = self.gram.len();
        let kept = self.rows.iter().filter(|row| row.get().is_some()).count();
        CacheFigures {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            evictions: 0,
            bytes: self.rows.len() * size_of::<OnceLock<Box<[f64]>>>() + kept * len * size_of::<f64>(),
        }
    }

    fn kept(&self, row: usize) -> Option<&[f64]> {
        self.rows.get(row).and_then(OnceLock::get).map(|values| &**values)
    }

    /// Takes the right to keep up to `wanted` more rows, and says how many it got.
    fn reserve(&self, wanted: usize) -> usize {
        let taken = |left: usize| Some(left - left.min(wanted));
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken).map_or(0, |left| left.min(wanted))
    }

    /// Computes rows of which none is kept, as far as there is room; the number of them that were.
    fn keep(&self, rows: &[usize]) -> Result<usize> {
        let len = self.gram.len();
        let granted = self.reserve(rows.len());
        for block in rows[..granted].chunks(BLOCK) {
            let mut values = vec![0.0; block.len() * len];
            self.gram.fill(block, Columns::All, &mut values)?;
            for (&row, values) in block.iter().zip(values.chunks_exact(len)) {
                if self.rows[row].set(values.into()).is_err() {
                    // Another thread was as fast; the place is free for another row.
                    self.left.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        Ok(granted)
    }
}

impl<G: Gram + ?Sized> Collection for SharedRows<'_, G> {
    fn len(&self) -> usize {
        self.gram.len()
    }
}

impl<G: Gram + ?Sized> Gram for SharedRows<'_, G> {
    fn diagonal_into(&self, out: &mut [f64]) -> Result<()> {
        self.gram.diagonal_into(out)
    }

    fn fill(&self, rows: &[usize], columns: Columns<'_>, out: &mut [f64]) -> Result<()> {
        check_request(self.len(), rows, columns, out.len())?;
        let count = columns.count(self.len());
        if count == 0 {
            return Ok(());
        }
        let mut missing: Vec<usize> = rows.iter().copied().filter(|&row| self.kept(row).is_none()).collect();
        missing.sort_unstable();
        missing.dedup();
        self.hits.fetch_add(rows.len().saturating_sub(missing.len()) as u64, Ordering::Relaxed);
        self.misses.fetch_add(missing.len() as u64, Ordering::Relaxed);
        self.keep(&missing)?;
        let mut others = Vec::new();
        for (position, (&row, out)) in rows.iter().zip(out.chunks_exact_mut(count)).enumerate() {
            match (self.kept(row), columns) {
                (Some(values), Columns::All) => out.copy_from_slice(values),
                (Some(values), Columns::Range { start, end }) => out.copy_from_slice(&values[start..end]),
                (Some(values), Columns::List(list)) => {
                    out.iter_mut().zip(list).for_each(|(out, &column)| *out = values[column]);
                }
                (None, _) => others.push(position),
            }
        }
        // Rows that found no room, in runs that lie side by side in `out`.
        let mut start = 0;
        while start < others.len() {
            let run = (start + 1..others.len()).find(|&k| others[k] != others[k - 1] + 1);
            let end = run.unwrap_or(others.len());
            let (first, last) = (others[start], others[end - 1] + 1);
            self.gram.fill(&rows[first..last], columns, &mut out[first * count..last * count])?;
            start = end;
        }
        Ok(())
    }

    fn combine(
        &self,
        rows: &[usize],
        coefficients: &[f64],
        columns: Columns<'_>,
        precision: Precision,
        out: &mut [f64],
    ) -> Result<()> {
        if self.is_cheap() {
            return self.gram.combine(rows, coefficients, columns, precision, out);
        }
        from_rows(self, rows, coefficients, columns, precision, out)
    }

    fn is_cheap(&self) -> bool {
        self.gram.is_cheap()
    }

    fn error_bound(&self, precision: Precision) -> f64 {
        self.gram.error_bound(precision)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dense, Error, VectorGram, VectorKernel};

    #[test]
    fn every_request_is_answered_as_without_sharing_whatever_the_room() {
        let examples = Dense::new((0..80).map(|k| (f64::from(k) * 0.7).sin()).collect(), 40, 2).unwrap();
        let gram = VectorGram::new(&examples, VectorKernel::gaussian(1.0).unwrap()).unwrap();
        let mut all = vec![0.0; 1600];
        gram.fill_all(&mut all).unwrap();
        for bytes in [0, 40 * 16 + 3 * 320, SharedRows::<VectorGram<'_, Dense<'_>>>::bytes_of_all(40)] {
            let shared = SharedRows::new(&gram, bytes);
            let mut state = 7_usize;
            for _ in 0..200 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let pick = |k: usize| (state >> (9 * k + 3)) % 40;
                let (rows, list) = ([pick(0), pick(1), pick(2)], [pick(3), pick(4)]);
                for columns in [Columns::All, Columns::Range { start: 5, end: 17 }, Columns::List(&list)] {
                    let count = columns.count(40);
                    let mut out = vec![0.0; 3 * count];
                    shared.fill(&rows, columns, &mut out).unwrap();
                    for (at, value) in out.iter().enumerate() {
                        assert_eq!(*value, all[40 * rows[at / count] + columns.at(at % count)]);
                    }
                }
            }
            assert!(shared.figures().bytes <= bytes, "{} of {bytes}", shared.figures().bytes);
            let mut one = [0.0];
            let beyond = shared.fill(&[40], Columns::List(&[0]), &mut one);
            assert!(matches!(beyond, Err(Error::Index { index: 40, .. })));
        }
    }
}
