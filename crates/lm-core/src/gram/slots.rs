//! Slots of memory for rows of a Gram matrix, and which row to give up.
//!
//! By the clock rule: a hand goes round the slots and takes the first whose row was not used since the hand last passed.

use super::{Columns, Gram};
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

/// Memory of a cache that is no longer used.
#[derive(Debug, Clone, Default)]
pub struct CacheMemory<T>(pub(super) Vec<T>);

#[derive(Debug)]
pub(super) struct Store<T> {
    /// The length of a row.
    pub(super) len: usize,
    /// The rows and columns of the matrix that are left, if not all.
    members: Option<Vec<usize>>,
    /// The bytes that may be used.
    pub(super) bytes: usize,
    pub(super) arena: Vec<T>,
    /// The row that each slot holds.
    owner: Vec<Option<usize>>,
    /// Whether the slot was used since the hand last passed it.
    used: Vec<bool>,
    /// The slot of each row.
    pub(super) slot: Vec<Option<u32>>,
    hand: usize,
    pub(super) capacity: usize,
    pub(super) figures: CacheFigures,
}

impl<T: CacheElement> Store<T> {
    /// Bytes that each row of the matrix costs, kept or not.
    pub(super) fn books(len: usize) -> usize {
        len.saturating_mul(size_of::<Option<u32>>())
    }

    /// Bytes that a kept row costs.
    pub(super) fn per_slot(len: usize) -> usize {
        len.saturating_mul(size_of::<T>()).saturating_add(size_of::<Option<usize>>() + size_of::<bool>())
    }

    pub(super) fn new(len: usize, bytes: usize, memory: CacheMemory<T>) -> Result<Self> {
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

    pub(super) fn slice(&self, slot: usize) -> &[T] {
        &self.arena[slot * self.len..(slot + 1) * self.len]
    }

    /// The slot of a row, computed unless it is there; the slot `keep` is not given up for it.
    pub(super) fn obtain<G: Gram + ?Sized>(
        &mut self,
        gram: &G,
        row: usize,
        keep: Option<usize>,
    ) -> Result<usize> {
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
    pub(super) fn prefetch<G: Gram + ?Sized>(&mut self, gram: &G, rows: &[usize]) -> Result<u64> {
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
    pub(super) fn narrow(&mut self, kept: &[usize]) {
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
