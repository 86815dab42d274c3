//! A Gram matrix with a cache of its own, behind a lock.

use std::sync::{Mutex, PoisonError};

use super::slots::{CacheMemory, Store};
use super::{Columns, Gram, Precision, check_request};
use crate::Result;
use crate::collection::Collection;
use crate::fit::CacheFigures;

/// A Gram matrix behind a row cache, for learners that keep no cache of their own.
///
/// ```
/// use lm_core::{Cached, Columns, Dense, Gram, VectorGram, VectorKernel};
///
/// let examples = Dense::new((0..50).map(f64::from).collect(), 50, 1)?;
/// let gram = VectorGram::new(&examples, VectorKernel::gaussian(0.1)?)?;
/// let cached = Cached::new(&gram, 1 << 20)?;
/// let (mut a, mut b) = ([0.0; 50], [0.0; 50]);
/// cached.fill(&[3], Columns::All, &mut a)?;
/// gram.fill(&[3], Columns::All, &mut b)?;
/// assert_eq!(a, b);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Cached<'a, G: ?Sized> {
    gram: &'a G,
    store: Mutex<Store<f64>>,
}

impl<'a, G: Gram + ?Sized> Cached<'a, G> {
    /// Keeps as many rows as fit into `bytes`, at least two.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory) if two rows do not fit.
    pub fn new(gram: &'a G, bytes: usize) -> Result<Self> {
        Ok(Self { gram, store: Mutex::new(Store::new(gram.len(), bytes, CacheMemory(Vec::new()))?) })
    }

    /// What the cache did so far.
    pub fn figures(&self) -> CacheFigures {
        self.store.lock().unwrap_or_else(PoisonError::into_inner).figures
    }
}

impl<G: Gram + ?Sized> Collection for Cached<'_, G> {
    fn len(&self) -> usize {
        self.gram.len()
    }
}

impl<G: Gram + ?Sized> Gram for Cached<'_, G> {
    fn diagonal_into(&self, out: &mut [f64]) -> Result<()> {
        self.gram.diagonal_into(out)
    }

    fn fill(&self, rows: &[usize], columns: Columns<'_>, out: &mut [f64]) -> Result<()> {
        check_request(self.len(), rows, columns, out.len())?;
        let count = columns.count(self.len());
        // A slot is only marked as holding a row after its fill, so a poisoned lock guards a sound store.
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        for (&row, out) in rows.iter().zip(out.chunks_exact_mut(count.max(1))) {
            let slot = store.obtain(self.gram, row, None)?;
            let values = store.slice(slot);
            out.iter_mut().enumerate().for_each(|(position, out)| *out = values[columns.at(position)]);
        }
        Ok(())
    }

    fn error_bound(&self, precision: Precision) -> f64 {
        self.gram.error_bound(precision)
    }
}
