//! The table: a batch of rows scattered so that each column of it is one line.

use super::super::arithmetic::Element;
use super::super::elementary::Real;
use super::super::simd::Simd;
use super::super::tile::{MOST_ROWS, MOST_WIDTH, Sums};
use super::lists::{Lists, Numbering, STRIDE, reserved};
use crate::Result;

/// Bytes of a table up to which every column has a line of its own.
const DIRECT: usize = 256 << 10;

/// A batch of rows, column by column.
#[derive(Debug)]
pub(super) struct Table<T: Element> {
    /// The hot columns.
    hot: Vec<T::Line>,
    /// The other columns: all of them and a line of zeros, or a line of zeros and those in which the batch has entries.
    cold: Vec<T::Line>,
    /// Which line a cold column has, where not all have one; the first one is that of zeros.
    slots: Vec<u32>,
    /// The cold columns in which the batch has entries.
    used: Vec<u32>,
    norms: [T; MOST_WIDTH],
    rows: usize,
}

impl<T: Real + Element> Table<T> {
    /// An empty table.
    pub(super) fn new(numbering: &Numbering) -> Self {
        Self::in_room(numbering, (Vec::new(), Vec::new(), Vec::new()))
    }

    /// An empty table, or an error where the system refuses the memory.
    pub(super) fn try_new(numbering: &Numbering) -> Result<Self> {
        const WHAT: &str = "a table of columns";
        let (lines, slots) = Self::sizes(numbering);
        let room = (reserved(WHAT, numbering.hot)?, reserved(WHAT, lines)?, reserved(WHAT, slots)?);
        Ok(Self::in_room(numbering, room))
    }

    /// How many lines there are for cold columns, and how many columns find theirs through a slot.
    fn sizes(numbering: &Numbering) -> (usize, usize) {
        // One more than there are columns: where lists are filled up.
        let columns = numbering.cold + 1;
        if columns.saturating_mul(size_of::<T::Line>()) <= DIRECT { (columns, 0) } else { (1, columns) }
    }

    fn in_room(numbering: &Numbering, room: (Vec<T::Line>, Vec<T::Line>, Vec<u32>)) -> Self {
        let (mut hot, mut cold, mut slots) = room;
        let (lines, columns) = Self::sizes(numbering);
        hot.resize(numbering.hot, T::blank());
        cold.resize(lines, T::blank());
        slots.resize(columns, 0);
        Self { hot, cold, slots, used: Vec::new(), norms: [T::default(); MOST_WIDTH], rows: 0 }
    }

    /// Puts rows of `lists` into the table, in place of those that are in it: at most as many as a line is wide.
    pub(super) fn scatter(
        &mut self,
        lists: &Lists<T>,
        norms: &[T],
        rows: impl ExactSizeIterator<Item = usize>,
    ) {
        self.clear();
        self.rows = rows.len();
        for (lane, row) in rows.enumerate().take(T::WIDTH) {
            self.norms[lane] = norms[row];
            for (line, &value) in self.hot.iter_mut().zip(lists.dense(row)) {
                T::slice_mut(line)[lane] = value;
            }
            let (indices, values) = lists.list(row);
            for (&column, &value) in indices.as_flattened().iter().zip(values.as_flattened()) {
                if value.wide() != 0.0 {
                    let line = self.line(column);
                    T::slice_mut(&mut self.cold[line])[lane] = value;
                }
            }
        }
    }

    /// The line of a column in which there will be an entry.
    fn line(&mut self, column: u32) -> usize {
        if let Some(slot) = self.slots.get_mut(column as usize) {
            if *slot == 0 {
                *slot = self.cold.len() as u32;
                self.cold.push(T::blank());
                self.used.push(column);
            }
            *slot as usize
        } else {
            self.used.push(column);
            column as usize
        }
    }

    /// Takes all rows out, touching used columns only.
    fn clear(&mut self) {
        self.hot.fill(T::blank());
        for &column in &self.used {
            match self.slots.get_mut(column as usize) {
                Some(slot) => *slot = 0,
                None => self.cold[column as usize] = T::blank(),
            }
        }
        if !self.slots.is_empty() {
            self.cold.truncate(1);
        }
        self.used.clear();
    }

    /// How many rows are in the table.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// The norms of the rows, filled up to whole vectors that [`Table::accumulate`] writes.
    #[inline(always)]
    pub(super) fn norms<S: Simd>(&self) -> &[T] {
        &self.norms[..self.vectors::<S>() * T::lanes::<S>()]
    }

    /// Vectors that are computed: 1, 2 or 4.
    #[inline(always)]
    fn vectors<S: Simd>(&self) -> usize {
        self.rows.div_ceil(T::lanes::<S>()).next_power_of_two()
    }

    /// The inner products of some examples with the rows.
    #[inline(always)]
    pub(super) fn accumulate<S: Simd>(&self, s: S, lists: &Lists<T>, examples: &[usize], sums: &mut Sums<T>) {
        match (self.vectors::<S>(), self.slots.is_empty()) {
            (1, true) => self.tile::<S, 1, 4, false>(s, lists, examples, sums),
            (2, true) => self.tile::<S, 2, 4, false>(s, lists, examples, sums),
            (_, true) => self.tile::<S, 4, 2, false>(s, lists, examples, sums),
            (1, false) => self.tile::<S, 1, 4, true>(s, lists, examples, sums),
            (2, false) => self.tile::<S, 2, 4, true>(s, lists, examples, sums),
            (_, false) => self.tile::<S, 4, 2, true>(s, lists, examples, sums),
        }
    }

    /// `M` examples at a time.
    #[inline(always)]
    fn tile<S: Simd, const V: usize, const M: usize, const SLOTS: bool>(
        &self,
        s: S,
        lists: &Lists<T>,
        examples: &[usize],
        sums: &mut Sums<T>,
    ) {
        // A tile wider than a line does not occur; said here, it costs nothing.
        if V * T::lanes::<S>() > T::WIDTH {
            return;
        }
        let (some, rest) = examples.as_chunks::<M>();
        let (some_sums, rest_sums) = sums.0.split_at_mut((some.len() * M).min(MOST_ROWS));
        for (examples, sums) in some.iter().zip(some_sums.as_chunks_mut::<M>().0) {
            self.group::<S, V, M, SLOTS>(s, lists, examples, sums);
        }
        for (&example, sums) in rest.iter().zip(rest_sums) {
            self.group::<S, V, 1, SLOTS>(s, lists, &[example], std::array::from_mut(sums));
        }
    }

    /// `M` examples with `V` vectors of rows: hot columns together, then each example's list.
    #[inline(always)]
    fn group<S: Simd, const V: usize, const M: usize, const SLOTS: bool>(
        &self,
        s: S,
        lists: &Lists<T>,
        examples: &[usize; M],
        out: &mut [[T; MOST_WIDTH]; M],
    ) {
        let lanes = T::lanes::<S>();
        let mut sums = [[T::splat(s, T::default()); V]; M];
        let hot = &self.hot[..];
        let mut dense: [&[T]; M] = [&[]; M];
        for (dense, &example) in dense.iter_mut().zip(examples) {
            *dense = &lists.dense(example)[..hot.len()];
        }
        for (column, line) in hot.iter().enumerate() {
            let line = T::slice(line);
            for (sums, dense) in sums.iter_mut().zip(&dense) {
                let value = T::splat(s, dense[column]);
                for (v, sum) in sums.iter_mut().enumerate() {
                    *sum = T::mul_add(s, value, T::load(s, &line[v * lanes..]), *sum);
                }
            }
        }
        for (sums, &example) in sums.iter_mut().zip(examples) {
            self.run::<S, V, SLOTS>(s, lists.list(example), sums);
        }
        for (out, sums) in out.iter_mut().zip(sums) {
            for (v, &sum) in sums.iter().enumerate() {
                T::store(s, sum, &mut out[v * lanes..]);
            }
        }
    }

    /// Adds the products of a list of entries with their lines.
    #[inline(always)]
    fn run<S: Simd, const V: usize, const SLOTS: bool>(
        &self,
        s: S,
        (indices, values): (&[[u32; STRIDE]], &[[T; STRIDE]]),
        sums: &mut [T::V<S>; V],
    ) {
        let lanes = T::lanes::<S>();
        // A copy of their own stays in registers.
        let mut own = *sums;
        for (indices, values) in indices.iter().zip(values) {
            for (&index, &value) in indices.iter().zip(values) {
                let place = if SLOTS { self.slots[index as usize] } else { index };
                let line = T::slice(&self.cold[place as usize]);
                let value = T::splat(s, value);
                for (v, sum) in own.iter_mut().enumerate() {
                    *sum = T::mul_add(s, value, T::load(s, &line[v * lanes..]), *sum);
                }
            }
        }
        *sums = own;
    }
}
