//! A set of examples, packed in one of the ways that the engine knows.

use std::ops::Range;

use super::arithmetic::{Bits, Bytes, Differences, Products, Squares};
use super::coefficients::Coefficients;
use super::elementary::Real;
use super::packed::Packed;
use super::scheme::{Binary, Multiples, Reals};
use super::simd::Instructions;
use super::sparse::SparseSet;
use crate::gram::Columns;
use crate::{Examples, Result, Row};

/// Packed examples, with what packs others like them.
#[derive(Debug)]
pub(crate) enum Store {
    /// Inner products in single precision.
    Products32(Reals, Packed<Products<f32>>),
    /// Inner products in double precision.
    Products64(Reals, Packed<Products<f64>>),
    /// Manhattan distances in single precision.
    Differences32(Reals, Packed<Differences<f32>>),
    /// Manhattan distances in double precision.
    Differences64(Reals, Packed<Differences<f64>>),
    /// Squared distances from differences in double precision.
    Squares64(Reals, Packed<Squares<f64>>),
    /// Common bits, then single precision.
    Bits32(Binary, Packed<Bits<f32>>),
    /// Common bits, then double precision.
    Bits64(Binary, Packed<Bits<f64>>),
    /// Products of bytes, then double precision.
    Bytes(Multiples, Packed<Bytes>),
    /// Inner products of sparse rows in single precision.
    Table32(SparseSet<f32>),
    /// Inner products of sparse rows in double precision.
    Table64(SparseSet<f64>),
}

/// Evaluates `$body` with `$set` bound to the packed examples, of whichever kind.
macro_rules! by_kind {
    ($store:expr, $set:ident => $body:expr) => {
        match $store {
            Store::Products32(_, $set) => $body,
            Store::Products64(_, $set) => $body,
            Store::Differences32(_, $set) => $body,
            Store::Differences64(_, $set) => $body,
            Store::Squares64(_, $set) => $body,
            Store::Bits32(_, $set) => $body,
            Store::Bits64(_, $set) => $body,
            Store::Bytes(_, $set) => $body,
            Store::Table32($set) => $body,
            Store::Table64($set) => $body,
        }
    };
}

impl Store {
    /// Writes the asked columns of the asked rows, which exist.
    pub(crate) fn fill<T: Real>(
        &self,
        instructions: Instructions,
        rows: &[usize],
        columns: Columns<'_>,
        out: &mut [T],
    ) -> Result<()> {
        by_kind!(self, set => set.fill(instructions, rows, columns, out))
    }

    /// Writes a range of columns of some rows, each to its place; false where this store can only write blocks.
    pub(crate) fn fill_range<T: Real>(
        &self,
        instructions: Instructions,
        rows: &[usize],
        range: Range<usize>,
        out: Vec<&mut [T]>,
    ) -> bool {
        match self {
            Self::Products32(_, set) => set.fill_range(instructions, rows, range, out),
            Self::Products64(_, set) => set.fill_range(instructions, rows, range, out),
            Self::Differences32(_, set) => set.fill_range(instructions, rows, range, out),
            Self::Differences64(_, set) => set.fill_range(instructions, rows, range, out),
            Self::Squares64(_, set) => set.fill_range(instructions, rows, range, out),
            Self::Bits32(_, set) => set.fill_range(instructions, rows, range, out),
            Self::Bits64(_, set) => set.fill_range(instructions, rows, range, out),
            Self::Bytes(_, set) => set.fill_range(instructions, rows, range, out),
            Self::Table32(_) | Self::Table64(_) => return false,
        }
        true
    }

    /// Adds to `out` the sum of `coefficients[r]·K(rows[r], column)` for every asked column; false where this store has no
    /// way that is faster than from rows.
    pub(crate) fn combine(
        &self,
        instructions: Instructions,
        rows: &[usize],
        coefficients: &[f64],
        columns: Columns<'_>,
        out: &mut [f64],
    ) -> Result<bool> {
        match self {
            Self::Products32(_, set) => set.combine(instructions, rows, coefficients, columns, out)?,
            Self::Products64(_, set) => set.combine(instructions, rows, coefficients, columns, out)?,
            Self::Differences32(_, set) => set.combine(instructions, rows, coefficients, columns, out)?,
            Self::Differences64(_, set) => set.combine(instructions, rows, coefficients, columns, out)?,
            Self::Squares64(_, set) => set.combine(instructions, rows, coefficients, columns, out)?,
            Self::Bits32(_, set) => set.combine(instructions, rows, coefficients, columns, out)?,
            Self::Bits64(_, set) => set.combine(instructions, rows, coefficients, columns, out)?,
            Self::Bytes(_, set) => set.combine(instructions, rows, coefficients, columns, out)?,
            Self::Table32(_) | Self::Table64(_) => return Ok(false),
        }
        Ok(true)
    }

    /// Writes the kernel value of every example with itself.
    pub(crate) fn diagonal(&self, instructions: Instructions, out: &mut [f64]) {
        by_kind!(self, set => set.diagonal(instructions, out));
    }

    /// Whether an example can be packed like these.
    pub(crate) fn holds(&self, instructions: Instructions, row: &Row<'_>) -> bool {
        match self {
            Self::Bits32(scheme, _) | Self::Bits64(scheme, _) => scheme.holds(row),
            Self::Bytes(scheme, _) => scheme.holds(instructions, row),
            _ => true,
        }
    }

    /// Adds to `out[q·outputs + o]` the sum of `c·K(x, query q)` over the examples `x` with a part in function `o`. The
    /// queries are `count` examples from `first` on, all of which this store [`holds`](Self::holds).
    pub(crate) fn expand<E: Examples + ?Sized>(
        &self,
        instructions: Instructions,
        queries: &E,
        part: (usize, usize),
        coefficients: &Coefficients,
        out: &mut [f64],
    ) -> Result<()> {
        /// Packs the queries like the set, and sums.
        macro_rules! like {
            ($set:expr, $scheme:expr) => {{
                let queries = $scheme.pack(instructions, queries, part, $set.epilogue())?;
                $set.expand(instructions, &queries, coefficients, out);
            }};
        }
        match self {
            Self::Products32(scheme, set) => like!(set, scheme),
            Self::Products64(scheme, set) => like!(set, scheme),
            Self::Differences32(scheme, set) => like!(set, scheme),
            Self::Differences64(scheme, set) => like!(set, scheme),
            Self::Squares64(scheme, set) => like!(set, scheme),
            Self::Bits32(scheme, set) => like!(set, scheme),
            Self::Bits64(scheme, set) => like!(set, scheme),
            Self::Bytes(scheme, set) => like!(set, scheme),
            Self::Table32(set) => {
                set.expand(instructions, &set.queries(queries, part.0, part.1)?, coefficients, out);
            }
            Self::Table64(set) => {
                set.expand(instructions, &set.queries(queries, part.0, part.1)?, coefficients, out);
            }
        }
        Ok(())
    }
}
