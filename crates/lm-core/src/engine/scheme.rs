//! How an example is written into a panel: scaled and centred numbers, bits, or bytes.

use super::arithmetic::{Arithmetic, Bytes, Element};
use super::distances::origin;
use super::elementary::Real;
use super::epilogue::Epilogue;
use super::packed::Packed;
use super::panels::Panels;
use super::simd::{Instructions, Simd, Task};
use super::survey::ROUND;
use crate::{Examples, Result, Row};

/// Columns that are kept, moved and scaled before they are rounded.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reals {
    /// What every number is multiplied by.
    pub(crate) factor: f64,
    /// The columns that are kept, each with what is subtracted from it. All as they are, if there is no list.
    pub(crate) columns: Option<Vec<(usize, f64)>>,
}

impl Reals {
    /// Every column, multiplied by a factor.
    pub(crate) fn scaled(factor: f64) -> Self {
        Self { factor, columns: None }
    }

    /// Every column, those that are far from 0 less a number amid them, multiplied by a factor; nothing if none is far.
    pub(crate) fn moved<E: Examples + ?Sized>(examples: &E, factor: f64) -> Option<Self> {
        let origin = origin(examples)?;
        Some(Self { factor, columns: Some(origin.into_iter().enumerate().collect()) })
    }

    /// The columns less their mean, multiplied by a factor; `closed` sets, which are compared with nothing else, without
    /// the columns in which no examples differ.
    pub(crate) fn centred<E: Examples + ?Sized>(examples: &E, factor: f64, closed: bool) -> Self {
        let (len, dim) = (examples.len(), examples.dim());
        let mut sums = vec![0.0; dim];
        let (mut least, mut most) = (vec![f64::INFINITY; dim], vec![f64::NEG_INFINITY; dim]);
        let mut wide = vec![0.0; dim];
        for row in 0..len {
            examples.row(row).write_to(&mut wide);
            for (k, &value) in wide.iter().enumerate() {
                // Divided first: a sum of large numbers may not be finite.
                sums[k] += value / len as f64;
                least[k] = least[k].min(value);
                most[k] = most[k].max(value);
            }
        }
        // Far from 0 the rounding of the sum may be as large as the range.
        let rounding = len as f64 * f64::EPSILON;
        let lost = |k: usize| rounding * most[k].abs().max(least[k].abs()) > (most[k] - least[k]) / 64.0;
        if (0..dim).any(lost)
            && let Some(origin) = origin(examples)
        {
            (0..dim).filter(|&k| lost(k)).for_each(|k| sums[k] = origin[k]);
        }
        let kept = |k: &usize| !closed || least[*k] < most[*k];
        let columns = (0..dim).filter(kept).map(|k| (k, sums[k])).collect();
        Self { factor, columns: Some(columns) }
    }

    /// The largest squared norm of an example after that.
    pub(crate) fn radius_squared<E: Examples + ?Sized>(&self, examples: &E) -> f64 {
        let norms = crate::parallel::map(examples.len(), |row| self.norm_squared(&examples.row(row)));
        norms.into_iter().fold(0.0, f64::max)
    }

    /// The squared norm of an example after that.
    pub(crate) fn norm_squared(&self, row: &Row<'_>) -> f64 {
        let Some(columns) = &self.columns else {
            return row.norm_squared() * self.factor * self.factor;
        };
        let mut wide = vec![0.0; row.dim()];
        row.write_to(&mut wide);
        columns.iter().map(|&(k, mean)| (self.factor * (wide[k] - mean)).powi(2)).sum()
    }

    fn steps(&self, dim: usize) -> usize {
        self.columns.as_ref().map_or(dim, Vec::len)
    }

    fn write<T: Real>(&self, row: &Row<'_>, out: &mut [T]) {
        match &self.columns {
            None => row.for_each(|k, value| out[k] = T::of(value * self.factor)),
            Some(columns) => {
                let mut wide = vec![0.0; row.dim()];
                row.write_to(&mut wide);
                for (out, &(k, mean)) in out.iter_mut().zip(columns) {
                    *out = T::of((wide[k] - mean) * self.factor);
                }
            }
        }
    }

    /// Packs examples `first..first + count` for an arithmetic of real numbers.
    pub(crate) fn pack<A, T, E>(
        &self,
        instructions: Instructions,
        examples: &E,
        (first, count): (usize, usize),
        epilogue: Epilogue<T>,
    ) -> Result<Packed<A>>
    where
        A: Arithmetic<Element = T, Real = T>,
        T: Real + Element,
        E: Examples + ?Sized,
    {
        let panels = Panels::pack(count, self.steps(examples.dim()), |row, out| {
            self.write(&examples.row(first + row), out);
        })?;
        Ok(Packed::new(instructions, panels, epilogue))
    }
}

/// One bit for each column that holds the number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Binary {
    /// The number.
    pub(crate) value: f64,
}

impl Binary {
    /// Whether an example can be written.
    pub(crate) fn holds(&self, row: &Row<'_>) -> bool {
        let mut all = true;
        row.for_each(|_, value| all &= value == 0.0 || value == self.value);
        all
    }

    /// Packs examples that can be written.
    pub(crate) fn pack<A, E>(
        &self,
        instructions: Instructions,
        examples: &E,
        (first, count): (usize, usize),
        epilogue: Epilogue<A::Real>,
    ) -> Result<Packed<A>>
    where
        A: Arithmetic<Element = u64>,
        E: Examples + ?Sized,
    {
        let panels = Panels::pack(count, examples.dim().div_ceil(64), |row, out: &mut [u64]| {
            examples.row(first + row).for_each(|k, value| out[k / 64] |= u64::from(value != 0.0) << (k % 64));
        })?;
        Ok(Packed::new(instructions, panels, epilogue))
    }
}

/// One byte for each column: the number of units above the lowest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Multiples {
    pub(crate) unit: f64,
    pub(crate) low: i32,
}

impl Multiples {
    /// Whether an example can be written.
    pub(crate) fn holds(&self, instructions: Instructions, row: &Row<'_>) -> bool {
        let mut bytes = vec![0; row.dim()];
        self.write(instructions, row, &mut bytes)
    }

    /// Writes the bytes of an example; false if it cannot be written.
    fn write(&self, instructions: Instructions, row: &Row<'_>, out: &mut [u8]) -> bool {
        if let Row::DenseF64(values) = row {
            return instructions.run(ToBytes { scheme: *self, values, out });
        }
        let mut wide = vec![0.0; row.dim()];
        row.write_to(&mut wide);
        instructions.run(ToBytes { scheme: *self, values: &wide, out })
    }

    /// Packs examples that can be written.
    pub(crate) fn pack<E: Examples + ?Sized>(
        &self,
        instructions: Instructions,
        examples: &E,
        (first, count): (usize, usize),
        epilogue: Epilogue<f64>,
    ) -> Result<Packed<Bytes>> {
        let dim = examples.dim();
        let bytes = |row: usize| {
            let mut bytes = vec![0; dim.next_multiple_of(4)];
            // What cannot be written was ruled out before.
            self.write(instructions, &examples.row(first + row), &mut bytes[..dim]);
            bytes
        };
        let panels = Panels::pack(count, dim.div_ceil(4), |row, out: &mut [i32]| {
            let bytes = bytes(row);
            let (groups, _) = bytes.as_chunks::<4>();
            out.iter_mut().zip(groups).for_each(|(out, group)| *out = i32::from_le_bytes(*group));
        })?;
        let sums = |row: usize| {
            let bytes = bytes(row);
            let sum: u64 = bytes.iter().map(|&byte| u64::from(byte)).sum();
            let squares: u64 = bytes.iter().map(|&byte| u64::from(byte) * u64::from(byte)).sum();
            // Below 2³¹, as the number of columns is bounded.
            (128 * sum as i32, squares as f64)
        };
        let (starts, norms) = crate::parallel::map(count, sums).into_iter().unzip();
        Ok(Packed::with_norms(panels.with_starts(starts), norms, epilogue))
    }
}

/// Numbers as bytes; false if one is none.
struct ToBytes<'a> {
    scheme: Multiples,
    values: &'a [f64],
    out: &'a mut [u8],
}

impl Task for ToBytes<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> bool {
        let (unit, low) = (self.scheme.unit, f64::from(self.scheme.low));
        let mut all = true;
        for (out, &value) in self.out.iter_mut().zip(self.values) {
            // Without branches, so that the loop is vectorised.
            let whole = (value / unit + ROUND) - ROUND;
            let byte = whole - low;
            all &= (whole * unit - value).abs() <= f64::EPSILON * value.abs();
            all &= (byte - 127.5).abs() <= 127.5;
            *out = (byte + ROUND).to_bits() as u8;
        }
        all
    }
}
