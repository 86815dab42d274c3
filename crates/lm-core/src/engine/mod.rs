//! The kernel-row engine: blocks of kernel values and of decision values at the speed of the processor.
//!
//! [`Engine`] looks at a set of examples once ([`survey`]), chooses a [`Layout`] for it, packs it when it is first asked
//! for, and delivers rows of kernel values, diagonals and decision values. Behind it:
//!
//! - [`simd`]: vector instructions, four kinds of them behind one trait; the only `unsafe` code of the library;
//! - [`elementary`]: the exponential and the hyperbolic tangent on vectors;
//! - [`arithmetic`], [`panels`], [`tile`]: what is accumulated for pairs of examples, and the loop that does it;
//! - [`epilogue`]: from what is accumulated to kernel values;
//! - [`packed`], [`sparse`], [`expand`], [`combine`]: rows of kernel values, and sums of them;
//! - [`distances`]: the origin that examples are moved to, so that distances keep their digits;
//! - [`pages`]: large pages for large arrays;
//! - [`prices`]: the passes of a solver by pairs over its variables;
//! - [`pairs`]: kernel values one by one, where nothing can be packed;
//! - [`scheme`], [`store`], [`choice`]: the ways to pack, and the choice of one.

mod arithmetic;
mod choice;
mod coefficients;
mod combine;
mod distances;
mod elementary;
mod epilogue;
mod expand;
mod packed;
pub(crate) mod pages;
mod pairs;
mod panels;
mod prices;
mod scheme;
mod simd;
mod sparse;
mod store;
mod survey;
mod tile;

pub use choice::Layout;
pub(crate) use coefficients::Coefficients;
pub use combine::RowSums;
pub use elementary::exponentials;
pub use prices::{Extremes, Prices};
pub use simd::Instructions;
pub(crate) use simd::{Floats, Simd, Task};

use std::ops::Range;
use std::sync::OnceLock;

use self::choice::Plan;
use self::store::Store;
use self::survey::Survey;
use crate::gram::{Columns, Precision};
use crate::kernel::VectorKernel;
use crate::{Collection, Error, Examples, Result, Row, Selection, parallel};

/// A set of examples and a kernel, packed when it is first asked for.
///
/// The examples are not kept: every call is given the set that the engine was made for. They come as a trait object
/// ([`View`]), so that the engine is compiled once, here, and not again for every type of examples in every crate.
#[derive(Debug)]
pub(crate) struct Engine {
    instructions: Instructions,
    plan: Plan,
    single: OnceLock<Store>,
    double: OnceLock<Store>,
    /// Double precision without a layout that asks something of the values, for queries that do not have it.
    any: OnceLock<Store>,
}

/// Operations, as multiply-adds, that outweigh handing work to another thread.
const WORTH_A_THREAD: usize = 1 << 21;

/// Examples that are packed together as queries.
const QUERIES: usize = 4096;

impl Engine {
    /// Chooses how to pack a set.
    ///
    /// # Errors
    /// [`Error::Empty`] without examples, [`Error::Numerical`] if a squared norm overflows and the kernel needs it.
    pub(crate) fn new(examples: &dyn Examples, kernel: VectorKernel) -> Result<Self> {
        if examples.is_empty() {
            return Err(Error::Empty { what: "the set of examples" });
        }
        let survey = Survey::of(examples);
        if kernel.needs_norms() && !survey.radius_squared.is_finite() {
            return Err(Error::Numerical { what: "the squared norm of an example (rescale the data)" });
        }
        Ok(Self::of(Plan::new(kernel, survey, true)))
    }

    /// Chooses how to pack the vectors of an expansion. Where squared norms overflow, values may still be finite: they are
    /// computed pair by pair.
    pub(crate) fn for_expansion(examples: &dyn Examples, kernel: VectorKernel) -> Self {
        Self::of(Plan::new(kernel, Survey::of(examples), false))
    }

    fn of(plan: Plan) -> Self {
        Self {
            instructions: Instructions::best(),
            plan,
            single: OnceLock::new(),
            double: OnceLock::new(),
            any: OnceLock::new(),
        }
    }

    /// The same engine with other instructions, as far as the processor has them.
    pub(crate) fn with_instructions(self, instructions: Instructions) -> Self {
        let instructions = instructions.min(Instructions::best());
        Self { instructions, single: OnceLock::new(), double: OnceLock::new(), any: OnceLock::new(), ..self }
    }

    /// The same engine with another promise for values in single precision, as a share of the largest kernel value.
    pub(crate) fn with_tolerance(self, tolerance: f64) -> Self {
        Self { plan: self.plan.with_tolerance(tolerance), single: OnceLock::new(), ..self }
    }

    pub(crate) fn instructions(&self) -> Instructions {
        self.instructions
    }

    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// A bound on the error of a kernel value of two members of the set.
    pub(crate) fn error_bound(&self, examples: &dyn Examples, precision: Precision) -> f64 {
        self.plan.error_bound(examples, precision)
    }

    /// The packed set, in this precision; none where pairs are computed one by one.
    fn store(&self, examples: &dyn Examples, precision: Precision) -> Result<Option<&Store>> {
        let (place, single) = match precision {
            Precision::F32 if self.plan.narrow(examples).is_some() => (&self.single, true),
            _ => (&self.double, false),
        };
        obtained(place, || self.plan.pack(self.instructions, examples, single))
    }

    /// Writes rows of kernel values in double precision. The request has been checked.
    pub(crate) fn fill(
        &self,
        examples: &dyn Examples,
        rows: &[usize],
        columns: Columns<'_>,
        out: &mut [f64],
    ) -> Result<()> {
        self.fill_in(examples, Precision::F64, rows, columns, out)
    }

    /// Writes rows of kernel values in single precision. The request has been checked.
    pub(crate) fn fill_f32(
        &self,
        examples: &dyn Examples,
        rows: &[usize],
        columns: Columns<'_>,
        out: &mut [f32],
    ) -> Result<()> {
        self.fill_in(examples, Precision::F32, rows, columns, out)
    }

    fn fill_in<T: elementary::Real>(
        &self,
        examples: &dyn Examples,
        precision: Precision,
        rows: &[usize],
        columns: Columns<'_>,
        out: &mut [T],
    ) -> Result<()> {
        match self.store(examples, precision)? {
            Some(store) => store.fill(self.instructions, rows, columns, out),
            None => {
                pairs::fill(self.plan.kernel(), examples, rows, columns, out);
                Ok(())
            }
        }
    }

    /// Writes a range of columns of some rows in double precision, each to its place.
    pub(crate) fn fill_range(
        &self,
        examples: &dyn Examples,
        rows: &[usize],
        range: Range<usize>,
        mut out: Vec<&mut [f64]>,
    ) -> Result<()> {
        let store = self.store(examples, Precision::F64)?;
        let reborrowed = out.iter_mut().map(|row| &mut **row).collect();
        if store.is_some_and(|store| store.fill_range(self.instructions, rows, range.clone(), reborrowed)) {
            return Ok(());
        }
        let mut block = vec![0.0; rows.len() * range.len()];
        self.fill(examples, rows, range.clone().into(), &mut block)?;
        for (out, values) in out.iter_mut().zip(block.chunks_exact(range.len().max(1))) {
            out.copy_from_slice(values);
        }
        Ok(())
    }

    /// Adds to `out` the sum of `coefficients[r]·K(rows[r], column)` for every asked column, with values in this precision;
    /// false where that is no faster than from rows. The request has been checked.
    pub(crate) fn combine(
        &self,
        examples: &dyn Examples,
        precision: Precision,
        rows: &[usize],
        coefficients: &[f64],
        columns: Columns<'_>,
        out: &mut [f64],
    ) -> Result<bool> {
        match self.store(examples, precision)? {
            Some(store) => store.combine(self.instructions, rows, coefficients, columns, out),
            None => Ok(false),
        }
    }

    /// Writes the kernel value of every example with itself.
    pub(crate) fn diagonal(&self, examples: &dyn Examples, out: &mut [f64]) -> Result<()> {
        match self.store(examples, Precision::F64)? {
            Some(store) if !self.plan.is_one_with_itself() => store.diagonal(self.instructions, out),
            _ => out.fill(1.0),
        }
        Ok(())
    }

    /// Adds to `out[q·outputs + o]` the sum of `c·K(x, query q)` over the examples `x` with a part in function `o`.
    pub(crate) fn expand(
        &self,
        examples: &dyn Examples,
        queries: &dyn Examples,
        coefficients: &Coefficients,
        precision: Precision,
        out: &mut [f64],
    ) -> Result<()> {
        let outputs = coefficients.outputs();
        let store = self.store(examples, precision)?;
        // Each query goes its own way, so that its value does not depend on the queries beside it.
        let way = |row: usize| match store {
            Some(_) if !self.plan.takes(examples, precision, queries, row) => Way::Pairs,
            Some(store) if store.holds(self.instructions, &queries.row(row)) => Way::Packed,
            Some(_) => Way::Plain,
            None => Way::Pairs,
        };
        let mut ways = vec![Way::Pairs; queries.len()];
        parallel::for_each_chunk(&mut ways, 64, |chunk, ways| {
            ways.iter_mut().enumerate().for_each(|(offset, to)| *to = way(64 * chunk + offset));
        });
        for kind in [Way::Packed, Way::Plain, Way::Pairs] {
            let rows: Vec<usize> = (0..ways.len()).filter(|&row| ways[row] == kind).collect();
            if rows.is_empty() {
                continue;
            }
            let store = match kind {
                Way::Plain => {
                    obtained(&self.any, || self.plan.pack_plain(self.instructions, examples).map(Some))?
                }
                Way::Packed => store,
                Way::Pairs => None,
            };
            let some = Selection::new(queries, &rows)?;
            let mut values: Vec<f64> =
                rows.iter().flat_map(|&row| &out[row * outputs..(row + 1) * outputs]).copied().collect();
            match store {
                Some(store) => self.expand_packed(store, &some, coefficients, &mut values)?,
                None => pairs::expand(self.plan.kernel(), examples, &some, coefficients, &mut values),
            }
            for (&row, values) in rows.iter().zip(values.chunks_exact(outputs.max(1))) {
                out[row * outputs..(row + 1) * outputs].copy_from_slice(values);
            }
        }
        Ok(())
    }

    fn expand_packed(
        &self,
        store: &Store,
        queries: &dyn Examples,
        coefficients: &Coefficients,
        out: &mut [f64],
    ) -> Result<()> {
        let outputs = coefficients.outputs().max(1);
        for (block, out) in out.chunks_mut(QUERIES * outputs).enumerate() {
            let part = (block * QUERIES, out.len() / outputs);
            store.expand(self.instructions, queries, part, coefficients, out)?;
        }
        Ok(())
    }

    /// For each query, a bound on how far its kernel values with members of the set in single and in double precision are
    /// apart; 0 where both are the same.
    pub(crate) fn query_bounds(&self, examples: &dyn Examples, queries: &dyn Examples) -> Vec<f64> {
        parallel::map(queries.len(), |row| self.plan.query_bound(examples, &queries.row(row)))
    }
}

/// Any examples as a trait object.
#[derive(Debug)]
pub(crate) struct View<'a, E: ?Sized>(pub(crate) &'a E);

impl<E: Examples + ?Sized> Collection for View<'_, E> {
    fn len(&self) -> usize {
        self.0.len()
    }
}

impl<E: Examples + ?Sized> Examples for View<'_, E> {
    fn dim(&self) -> usize {
        self.0.dim()
    }

    fn row(&self, row: usize) -> Row<'_> {
        self.0.row(row)
    }

    fn norm_squared(&self, row: usize) -> f64 {
        self.0.norm_squared(row)
    }
}

/// How the kernel values of a query are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Packed like the set.
    Packed,
    /// In double precision, because it cannot be packed like the set.
    Plain,
    /// One by one.
    Pairs,
}

/// What a place holds, made now unless it is there.
fn obtained(place: &OnceLock<Store>, make: impl FnOnce() -> Result<Option<Store>>) -> Result<Option<&Store>> {
    if let Some(store) = place.get() {
        return Ok(Some(store));
    }
    Ok(make()?.map(|store| place.get_or_init(|| store)))
}
