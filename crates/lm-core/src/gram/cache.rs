//! A cache of Gram rows in a byte budget that is never exceeded.
//!
//! The memory is taken once and used again: below some sixty columns of data, touching new pages costs more than
//! computing the rows that would fill them.

use super::Gram;
use super::slots::{CacheElement, CacheMemory, Store};
use crate::fit::CacheFigures;
use crate::{Error, Result};

/// Whole rows of a Gram matrix, kept while there is room.
///
/// A solver owns its cache; nothing is locked.
///
/// ```
/// use lm_core::{Dense, RowCache, VectorGram, VectorKernel};
///
/// let examples = Dense::new((0..100).map(f64::from).collect(), 100, 1)?;
/// let gram = VectorGram::new(&examples, VectorKernel::linear())?;
/// let mut cache = RowCache::<_, f64>::with_rows(&gram, 3)?;
/// assert_eq!(cache.row(2)?[7], 14.0);
/// assert_eq!(cache.row(2)?[8], 16.0);
/// assert_eq!((cache.figures().hits, cache.figures().misses), (1, 1));
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug)]
pub struct RowCache<'a, G: ?Sized, T> {
    gram: &'a G,
    store: Store<T>,
}

impl<'a, G: Gram + ?Sized, T: CacheElement> RowCache<'a, G, T> {
    /// A cache of as many rows as fit into `bytes`, book-keeping included; at least two, as a solver of pairs needs
    /// both.
    ///
    /// # Errors
    /// [`Error::Memory`] if two rows do not fit, or the memory cannot be had.
    pub fn new(gram: &'a G, bytes: usize) -> Result<Self> {
        Self::reusing(gram, bytes, CacheMemory(Vec::new()))
    }

    /// A cache of this many rows, at least two.
    ///
    /// # Errors
    /// [`Error::Memory`] for fewer than two rows, or if the memory cannot be had.
    pub fn with_rows(gram: &'a G, rows: usize) -> Result<Self> {
        let len = gram.len();
        Self::new(gram, Store::<T>::books(len).saturating_add(rows.saturating_mul(Store::<T>::per_slot(len))))
    }

    /// The Gram matrix behind the cache.
    pub fn gram(&self) -> &'a G {
        self.gram
    }

    /// How many rows fit.
    pub fn capacity(&self) -> usize {
        self.store.capacity
    }

    /// Whether the row can be had without computing it.
    pub fn contains(&self, row: usize) -> bool {
        self.store.slot.get(row).is_some_and(Option::is_some)
    }

    /// One row, computed unless it is there.
    ///
    /// # Errors
    /// As [`Gram::fill`].
    pub fn row(&mut self, row: usize) -> Result<&[T]> {
        let slot = self.store.obtain(self.gram, row, None)?;
        Ok(self.store.slice(slot))
    }

    /// Two rows at once.
    ///
    /// # Errors
    /// As [`Gram::fill`].
    pub fn pair(&mut self, first: usize, second: usize) -> Result<(&[T], &[T])> {
        let a = self.store.obtain(self.gram, first, None)?;
        let b = self.store.obtain(self.gram, second, Some(a))?;
        Ok((self.store.slice(a), self.store.slice(b)))
    }

    /// Some rows at once, at most as many as fit; those that are not there are computed together.
    ///
    /// # Errors
    /// As [`Gram::fill`]; [`Error::Memory`] for more rows than fit.
    pub fn rows(&mut self, rows: &[usize]) -> Result<Vec<&[T]>> {
        let computed = self.store.prefetch(self.gram, rows)?;
        self.store.figures.hits += (rows.len() as u64).saturating_sub(computed);
        let slot = |&row: &usize| self.store.slot[row].map(|slot| self.store.slice(slot as usize));
        let needed = rows.len().saturating_mul(Store::<T>::per_slot(self.store.len));
        let refused = Error::Memory { what: "rows at once", needed, allowed: self.store.bytes };
        rows.iter().map(slot).collect::<Option<Vec<&[T]>>>().ok_or(refused)
    }

    /// Computes those of the rows that are not there, as far as they fit, in as few blocks as the free places allow. Four
    /// to twelve rows at a time cost much less than each by itself.
    ///
    /// ```
    /// use lm_core::{Dense, RowCache, VectorGram, VectorKernel};
    ///
    /// let examples = Dense::new((0..100).map(f64::from).collect(), 100, 1)?;
    /// let gram = VectorGram::new(&examples, VectorKernel::linear())?;
    /// let mut cache = RowCache::<_, f32>::with_rows(&gram, 8)?;
    /// cache.prefetch(&[3, 5, 8, 5])?;
    /// assert!(cache.contains(3) && cache.contains(5) && cache.contains(8));
    /// assert_eq!(cache.row(8)?[2], 16.0);
    /// assert_eq!((cache.figures().hits, cache.figures().misses), (1, 3));
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Gram::fill`].
    pub fn prefetch(&mut self, rows: &[usize]) -> Result<()> {
        self.store.prefetch(self.gram, rows).map(|_| ())
    }

    /// Keeps some of the rows and columns only, in this order, which must be increasing: from now on the cache is one of the
    /// matrix of these, and they are counted from 0. Rows that are there are cut in place, and more of them fit.
    ///
    /// ```
    /// use lm_core::{Dense, RowCache, VectorGram, VectorKernel};
    ///
    /// let examples = Dense::new((0..100).map(f64::from).collect(), 100, 1)?;
    /// let gram = VectorGram::new(&examples, VectorKernel::linear())?;
    /// let mut cache = RowCache::<_, f32>::with_rows(&gram, 3)?;
    /// cache.row(5)?;
    /// cache.narrow(&[2, 5, 7])?;
    /// assert!(cache.contains(1) && !cache.contains(0));
    /// assert_eq!(cache.row(1)?, [10.0, 25.0, 35.0]);
    /// assert_eq!(cache.row(0)?, [4.0, 10.0, 14.0]);
    /// cache.narrow(&[0, 2])?;
    /// assert_eq!(cache.row(1)?, [14.0, 49.0]);
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Index`] unless they are rows of the cache in increasing order.
    pub fn narrow(&mut self, kept: &[usize]) -> Result<()> {
        let len = self.store.len;
        let follows = |at: usize| kept[at] < len && (at == 0 || kept[at - 1] < kept[at]);
        match (0..kept.len()).find(|&at| !follows(at)) {
            Some(at) => {
                Err(Error::Index { what: "row of the cache, in increasing order", index: kept[at], len })
            }
            None => {
                self.store.narrow(kept);
                Ok(())
            }
        }
    }

    /// What the cache did so far.
    pub fn figures(&self) -> CacheFigures {
        self.store.figures
    }

    /// The memory of the cache, for another one: its pages are there already.
    pub fn into_memory(self) -> CacheMemory<T> {
        CacheMemory(self.store.arena)
    }

    /// As [`RowCache::new`], in memory that another cache had.
    ///
    /// ```
    /// use lm_core::gram::CacheMemory;
    /// use lm_core::{Dense, RowCache, VectorGram, VectorKernel};
    ///
    /// let examples = Dense::new((0..100).map(f64::from).collect(), 100, 1)?;
    /// let mut memory = CacheMemory::default();
    /// for gamma in [0.1, 1.0] {
    ///     let gram = VectorGram::new(&examples, VectorKernel::gaussian(gamma)?)?;
    ///     let mut cache = RowCache::<_, f64>::reusing(&gram, 1 << 20, memory)?;
    ///     assert_eq!(cache.row(7)?[7], 1.0);
    ///     memory = cache.into_memory();
    /// }
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`RowCache::new`].
    pub fn reusing(gram: &'a G, bytes: usize, memory: CacheMemory<T>) -> Result<Self> {
        Ok(Self { gram, store: Store::new(gram.len(), bytes, memory)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::Collection;
    use crate::gram::{Columns, Precision};
    use crate::{Dense, VectorGram, VectorKernel};

    fn examples(len: usize) -> Dense<'static> {
        Dense::new((0..2 * len).map(|k| (k as f64 * 0.7).sin()).collect(), len, 2).unwrap()
    }

    #[test]
    fn rows_are_right_whatever_is_evicted_and_the_budget_holds() {
        let examples = examples(40);
        let gram = VectorGram::new(&examples, VectorKernel::gaussian(1.0).unwrap()).unwrap();
        let rows: Vec<usize> = (0..40).collect();
        let mut all = vec![0.0; 1600];
        gram.fill(&rows, Columns::All, &mut all).unwrap();
        for bytes in [1100, 2000, 5000, usize::MAX] {
            let mut cache = RowCache::<_, f64>::new(&gram, bytes).unwrap();
            let mut state = 7_usize;
            for _ in 0..500 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let (i, j) = ((state >> 20) % 40, (state >> 40) % 40);
                let (a, b) = cache.pair(i, j).unwrap();
                assert_eq!(a, &all[40 * i..40 * i + 40]);
                assert_eq!(b, &all[40 * j..40 * j + 40]);
            }
            let figures = cache.figures();
            assert!(figures.bytes <= bytes, "{} bytes used of {bytes}", figures.bytes);
            assert_eq!(figures.hits + figures.misses, 1000);
            assert!(figures.misses as usize >= cache.capacity().min(30));
            if cache.capacity() == 40 {
                assert_eq!(figures.evictions, 0);
            }
        }
    }

    #[test]
    fn rows_fetched_ahead_are_the_same_rows_within_the_same_budget() {
        let examples = examples(40);
        let gram = VectorGram::new(&examples, VectorKernel::gaussian(1.0).unwrap()).unwrap();
        let mut all = vec![0.0; 1600];
        gram.fill_all(&mut all).unwrap();
        let mut memory = CacheMemory::default();
        for capacity in [2, 3, 7, 40] {
            let bytes = Store::<f64>::books(40) + capacity * Store::<f64>::per_slot(40);
            let mut cache = RowCache::<_, f64>::reusing(&gram, bytes, memory).unwrap();
            assert_eq!(cache.capacity(), capacity);
            let mut state = 11_usize;
            for _ in 0..300 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let wanted: Vec<usize> = (0..5).map(|k| (state >> (20 + 6 * k)) % 40).collect();
                cache.prefetch(&wanted).unwrap();
                let i = (state >> 50) % 40;
                assert_eq!(cache.row(i).unwrap(), &all[40 * i..40 * i + 40]);
                for row in (0..40).filter(|&row| cache.contains(row)).collect::<Vec<usize>>() {
                    assert_eq!(
                        cache.row(row).unwrap(),
                        &all[40 * row..40 * row + 40],
                        "row {row} of {capacity}"
                    );
                }
            }
            assert!(cache.figures().bytes <= bytes);
            assert!(matches!(cache.prefetch(&[40]), Err(Error::Index { .. })));
            memory = cache.into_memory();
        }
    }

    #[test]
    fn a_budget_without_room_for_two_rows_is_refused() {
        let examples = examples(10);
        let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
        assert!(matches!(RowCache::<_, f64>::new(&gram, 100), Err(Error::Memory { .. })));
        assert!(matches!(RowCache::<_, f32>::with_rows(&gram, 1), Err(Error::Memory { .. })));
        assert_eq!(RowCache::<_, f32>::with_rows(&gram, 2).unwrap().capacity(), 2);
        assert!(matches!(RowCache::<_, f64>::with_rows(&gram, 2).unwrap().row(10), Err(Error::Index { .. })));
    }

    #[test]
    fn a_fill_that_fails_leaves_the_cache_sound() {
        let examples = Dense::new(vec![1.0, 2.0, 1e200], 3, 1).unwrap();
        let gram = VectorGram::new(&examples, VectorKernel::laplacian(1.0).unwrap()).unwrap();
        let bad = crate::gram::Product::new(&gram, Overflowing(&gram)).unwrap();
        let mut cache = RowCache::<_, f64>::with_rows(&bad, 2).unwrap();
        assert!(cache.row(0).is_ok());
        assert!(matches!(cache.row(2), Err(Error::KernelValue { row: 2, .. })));
        assert!(!cache.contains(2));
        assert!(cache.row(1).is_ok() && cache.row(0).is_ok());
    }

    /// A Gram matrix whose last row cannot be computed.
    struct Overflowing<'a, G>(&'a G);

    impl<G: Gram> Collection for Overflowing<'_, G> {
        fn len(&self) -> usize {
            self.0.len()
        }
    }

    impl<G: Gram> Gram for Overflowing<'_, G> {
        fn diagonal_into(&self, out: &mut [f64]) -> Result<()> {
            self.0.diagonal_into(out)
        }

        fn fill(&self, rows: &[usize], columns: Columns<'_>, out: &mut [f64]) -> Result<()> {
            match rows.iter().find(|&&row| row + 1 == self.len()) {
                Some(&row) => Err(Error::KernelValue { row, column: 0 }),
                None => self.0.fill(rows, columns, out),
            }
        }

        fn error_bound(&self, precision: Precision) -> f64 {
            self.0.error_bound(precision)
        }
    }
}
