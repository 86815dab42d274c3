//! A cache of Gram rows in a byte budget that is never exceeded.
//!
//! The memory is taken once and used again: below some sixty columns of data, touching new pages costs more than
//! computing the rows that would fill them. Which row to give up is decided by the clock rule: a hand goes round the
//! slots and takes the first whose row was not used since the hand last passed.

use std::sync::{Mutex, PoisonError};

use super::{Columns, Gram, Precision, check_request};
use crate::collection::Collection;
use crate::engine::pages::prefer_large;
use crate::fit::CacheFigures;
use crate::{Error, Result};

/// A value that rows can be kept in: `f32` or `f64`.
pub trait CacheElement: Copy + Default + Send + Sync + private::Sealed {
    /// Asks a Gram matrix for rows in this precision.
    ///
    /// # Errors
    /// As [`Gram::fill`].
    fn fill<G: Gram + ?Sized>(gram: &G, rows: &[usize], columns: Columns<'_>, out: &mut [Self])
    -> Result<()>;
}

mod private {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

impl CacheElement for f64 {
    fn fill<G: Gram + ?Sized>(
        gram: &G,
        rows: &[usize],
        columns: Columns<'_>,
        out: &mut [Self],
    ) -> Result<()> {
        gram.fill(rows, columns, out)
    }
}

impl CacheElement for f32 {
    fn fill<G: Gram + ?Sized>(
        gram: &G,
        rows: &[usize],
        columns: Columns<'_>,
        out: &mut [Self],
    ) -> Result<()> {
        gram.fill_f32(rows, columns, out)
    }
}

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

#[derive(Debug)]
struct Store<T> {
    /// The length of a row.
    len: usize,
    /// The rows and columns of the matrix that are left, if not all.
    members: Option<Vec<usize>>,
    /// The bytes that may be used.
    bytes: usize,
    arena: Vec<T>,
    /// The row that each slot holds.
    owner: Vec<Option<usize>>,
    /// Whether the slot was used since the hand last passed it.
    used: Vec<bool>,
    /// The slot of each row.
    slot: Vec<Option<u32>>,
    hand: usize,
    capacity: usize,
    figures: CacheFigures,
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

/// Memory of a cache that is no longer used.
#[derive(Debug, Clone, Default)]
pub struct CacheMemory<T>(Vec<T>);

impl<T: CacheElement> Store<T> {
    /// Bytes that each row of the matrix costs, kept or not.
    fn books(len: usize) -> usize {
        len.saturating_mul(size_of::<Option<u32>>())
    }

    /// Bytes that a kept row costs.
    fn per_slot(len: usize) -> usize {
        len.saturating_mul(size_of::<T>()).saturating_add(size_of::<Option<usize>>() + size_of::<bool>())
    }

    fn new(len: usize, bytes: usize, memory: CacheMemory<T>) -> Result<Self> {
        let least = len.min(2);
        let needed = Self::books(len).saturating_add(least.saturating_mul(Self::per_slot(len)));
        let refused = Error::Memory { what: "a row cache of two rows", needed, allowed: bytes };
        let capacity =
            (bytes.saturating_sub(Self::books(len)) / Self::per_slot(len)).min(len).min(u32::MAX as usize);
        if capacity < least {
            return Err(refused);
        }
        // The address space is taken once, so that growing never holds two copies; pages are touched when used.
        // Memory that is larger than the budget is given back.
        let mut arena = memory.0;
        arena.clear();
        if arena.capacity() * size_of::<T>() > bytes {
            arena = Vec::new();
        }
        arena.try_reserve_exact(capacity * len).map_err(|_| refused)?;
        prefer_large(arena.spare_capacity_mut());
        let figures = CacheFigures { bytes: Self::books(len), ..CacheFigures::default() };
        let (owner, used) = (Vec::with_capacity(capacity), Vec::with_capacity(capacity));
        Ok(Self {
            len,
            members: None,
            bytes,
            arena,
            owner,
            used,
            slot: vec![None; len],
            hand: 0,
            capacity,
            figures,
        })
    }

    fn slice(&self, slot: usize) -> &[T] {
        &self.arena[slot * self.len..(slot + 1) * self.len]
    }

    /// The slot of a row, computed unless it is there; the slot `keep` is not given up for it.
    fn obtain<G: Gram + ?Sized>(&mut self, gram: &G, row: usize, keep: Option<usize>) -> Result<usize> {
        let known = self.slot.get(row).ok_or(Error::Index {
            what: "row of the Gram matrix",
            index: row,
            len: self.len,
        })?;
        if let Some(slot) = *known {
            let slot = slot as usize;
            self.used[slot] = true;
            self.figures.hits += 1;
            return Ok(slot);
        }
        let slot = self.free_slot(|slot| Some(slot) == keep)?;
        self.compute(gram, &[row], slot)?;
        self.owner[slot] = Some(row);
        self.used[slot] = true;
        self.slot[row] = u32::try_from(slot).ok();
        self.figures.misses += 1;
        Ok(slot)
    }

    /// Computes the rows that are missing, those in neighbouring slots together; how many. Those that are there stay.
    fn prefetch<G: Gram + ?Sized>(&mut self, gram: &G, rows: &[usize]) -> Result<u64> {
        if let Some(&index) = rows.iter().find(|&&row| row >= self.len) {
            return Err(Error::Index { what: "row of the Gram matrix", index, len: self.len });
        }
        let mut missing: Vec<usize> = rows.iter().copied().filter(|&row| self.slot[row].is_none()).collect();
        missing.sort_unstable();
        missing.dedup();
        if missing.is_empty() {
            return Ok(0);
        }
        let mut kept = vec![false; self.capacity];
        rows.iter().filter_map(|&row| self.slot[row]).for_each(|slot| kept[slot as usize] = true);
        missing.truncate(kept.iter().filter(|kept| !**kept).count());
        let mut slots = Vec::with_capacity(missing.len());
        while slots.len() < missing.len() {
            let slot = self.free_slot(|slot| kept[slot])?;
            (self.used[slot], kept[slot]) = (true, true);
            slots.push(slot);
        }
        slots.sort_unstable();
        let mut start = 0;
        while start < slots.len() {
            let end = (start + 1..slots.len()).find(|&k| slots[k] != slots[k - 1] + 1).unwrap_or(slots.len());
            self.compute(gram, &missing[start..end], slots[start])?;
            for (&slot, &row) in slots[start..end].iter().zip(&missing[start..end]) {
                self.owner[slot] = Some(row);
                self.slot[row] = u32::try_from(slot).ok();
            }
            self.figures.misses += (end - start) as u64;
            start = end;
        }
        Ok(missing.len() as u64)
    }

    /// Computes rows into slots that follow each other.
    fn compute<G: Gram + ?Sized>(&mut self, gram: &G, rows: &[usize], slot: usize) -> Result<()> {
        let out = &mut self.arena[slot * self.len..(slot + rows.len()) * self.len];
        match &self.members {
            None => T::fill(gram, rows, Columns::All, out),
            Some(members) => {
                let rows: Vec<usize> = rows.iter().map(|&row| members[row]).collect();
                T::fill(gram, &rows, Columns::List(members), out)
            }
        }
    }

    /// Keeps some rows and columns only. What is kept of a row moves toward the start of the memory, over what is not.
    fn narrow(&mut self, kept: &[usize]) {
        let (old, new) = (self.len, kept.len());
        self.members = Some(match &self.members {
            None => kept.to_vec(),
            Some(members) => kept.iter().map(|&at| members[at]).collect(),
        });
        let mut slot = vec![None; new];
        let mut place: Vec<Option<usize>> = vec![None; old];
        kept.iter().enumerate().for_each(|(to, &from)| place[from] = Some(to));
        let mut filled = 0;
        for from in 0..self.owner.len() {
            let Some(row) = self.owner[from].and_then(|row| place[row]) else { continue };
            for (to, &column) in kept.iter().enumerate() {
                self.arena[filled * new + to] = self.arena[from * old + column];
            }
            self.owner[filled] = Some(row);
            self.used[filled] = self.used[from];
            slot[row] = u32::try_from(filled).ok();
            filled += 1;
        }
        self.arena.truncate(filled * new);
        self.owner.truncate(filled);
        self.used.truncate(filled);
        (self.slot, self.len, self.hand) = (slot, new, 0);
        let room = self.bytes.saturating_sub(Self::books(old)) / Self::per_slot(new);
        self.capacity = room.min(self.arena.capacity() / new.max(1)).min(new);
    }

    /// A slot that may be overwritten: a new one while there is room, else one whose row is given up. Some are not kept.
    fn free_slot(&mut self, is_kept: impl Fn(usize) -> bool) -> Result<usize> {
        if self.owner.len() < self.capacity {
            self.arena.resize(self.arena.len() + self.len, T::default());
            self.owner.push(None);
            self.used.push(false);
            let now = Self::books(self.slot.len()) + self.owner.len() * Self::per_slot(self.len);
            self.figures.bytes = self.figures.bytes.max(now);
            return Ok(self.owner.len() - 1);
        }
        loop {
            let slot = self.hand;
            self.hand = (self.hand + 1) % self.capacity;
            if is_kept(slot) {
                continue;
            }
            if !std::mem::take(&mut self.used[slot]) {
                if let Some(row) = self.owner[slot].take() {
                    self.slot[row] = None;
                    self.figures.evictions += 1;
                }
                return Ok(slot);
            }
        }
    }
}

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
    /// [`Error::Memory`] if two rows do not fit.
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

#[cfg(test)]
mod tests {
    use super::*;
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
