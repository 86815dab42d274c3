//! What a set of examples is like: the facts that decide how it is packed and how exact the result is.

use crate::{Examples, Row, parallel};

/// Facts about a set of examples, from one pass.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Survey {
    pub(crate) len: usize,
    pub(crate) dim: usize,
    /// Entries that are not zero.
    pub(crate) entries: usize,
    /// The most such entries of an example.
    pub(crate) longest: usize,
    /// Whether every example is stored as a sparse row.
    pub(crate) sparse: bool,
    /// The largest squared norm; infinite where it overflows.
    pub(crate) radius_squared: f64,
    /// What the values have in common.
    pub(crate) grain: Grain,
}

/// Values that are few: exact arithmetic in whole numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Grain {
    /// Every entry is 0 or this number.
    Binary(f64),
    /// Every entry is a whole multiple of `unit`, up to a unit in the last place; the multiples lie between `low` and
    /// `low + 255`.
    Multiples { unit: f64, low: i32 },
    /// Nothing is known.
    Fine,
}

/// Examples that one task looks at.
const ROWS: usize = 256;

impl Survey {
    /// Looks at every example.
    pub(crate) fn of<E: Examples + ?Sized>(examples: &E) -> Self {
        let (len, dim) = (examples.len(), examples.dim());
        let parts = parallel::map(len.div_ceil(ROWS), |part| {
            (part * ROWS..len.min((part + 1) * ROWS)).fold(Part::default(), |facts, row| {
                facts.and(Part::of_row(&examples.row(row), examples.norm_squared(row)))
            })
        });
        let all = parts.into_iter().fold(Part::default(), Part::and);
        let grain = all.grain(examples);
        let Part { entries, longest, sparse_rows, radius_squared, .. } = all;
        Self { len, dim, entries, longest, sparse: sparse_rows == len, radius_squared, grain }
    }
}

/// Facts about some examples.
#[derive(Debug, Clone, Copy)]
struct Part {
    entries: usize,
    longest: usize,
    sparse_rows: usize,
    radius_squared: f64,
    least: f64,
    most: f64,
    /// The smallest size of an entry that is not zero.
    smallest: f64,
}

impl Default for Part {
    fn default() -> Self {
        Self {
            entries: 0,
            longest: 0,
            sparse_rows: 0,
            radius_squared: 0.0,
            least: f64::INFINITY,
            most: f64::NEG_INFINITY,
            smallest: f64::INFINITY,
        }
    }
}

impl Part {
    fn of_row(row: &Row<'_>, norm_squared: f64) -> Self {
        let sparse = matches!(row, Row::SparseF32(_) | Row::SparseF64(_));
        let start =
            Self { sparse_rows: usize::from(sparse), radius_squared: norm_squared, ..Self::default() };
        let mut facts = start;
        row.for_each(|_, value| {
            facts.entries += usize::from(value != 0.0);
            facts.least = facts.least.min(value);
            facts.most = facts.most.max(value);
            if value != 0.0 {
                facts.smallest = facts.smallest.min(value.abs());
            }
        });
        facts.longest = facts.entries;
        facts
    }

    fn and(self, other: Self) -> Self {
        Self {
            entries: self.entries + other.entries,
            longest: self.longest.max(other.longest),
            sparse_rows: self.sparse_rows + other.sparse_rows,
            radius_squared: self.radius_squared.max(other.radius_squared),
            least: self.least.min(other.least),
            most: self.most.max(other.most),
            smallest: self.smallest.min(other.smallest),
        }
    }

    /// What the values have in common, given their range.
    fn grain<E: Examples + ?Sized>(&self, examples: &E) -> Grain {
        if self.entries == 0 || !self.radius_squared.is_finite() {
            return Grain::Fine;
        }
        // Binary: the entries that are not zero are all the same number.
        let value = if self.most > 0.0 { self.most } else { self.least };
        if self.smallest == value.abs() && (self.least >= 0.0 || self.most <= 0.0) {
            return Grain::Binary(value);
        }
        let largest = self.most.abs().max(self.least.abs());
        for unit in [1.0, 1.0 / 255.0, 1.0 / 16.0, 1.0 / 256.0, self.smallest] {
            if !(largest <= 255.0 * unit) {
                continue;
            }
            let (low, high) = ((self.least.min(0.0) / unit).round(), (self.most.max(0.0) / unit).round());
            let fits = high - low <= 255.0;
            // A few examples first, which is enough to rule out nearly every set.
            if fits && all_multiples(examples, unit, 16) && all_multiples(examples, unit, usize::MAX) {
                return Grain::Multiples { unit, low: low as i32 };
            }
        }
        Grain::Fine
    }
}

/// Whether the entries of the first examples are multiples of a unit.
fn all_multiples<E: Examples + ?Sized>(examples: &E, unit: f64, rows: usize) -> bool {
    let rows = rows.min(examples.len());
    let parts = parallel::map(rows.div_ceil(ROWS), |part| {
        (part * ROWS..rows.min((part + 1) * ROWS)).all(|row| {
            let mut all = true;
            examples.row(row).for_each(|_, value| all &= multiple(value, unit).is_some());
            all
        })
    });
    parts.into_iter().all(|all| all)
}

/// The whole number of units that a value is, up to a unit in its last place; up to 2⁵¹ of them.
#[inline(always)]
pub(crate) fn multiple(value: f64, unit: f64) -> Option<f64> {
    let whole = (value / unit + ROUND) - ROUND;
    ((whole * unit - value).abs() <= f64::EPSILON * value.abs()).then_some(whole)
}

/// Adding it rounds to a whole number, which is then in the last bits.
pub(crate) const ROUND: f64 = 6_755_399_441_055_744.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Csr, Dense};

    fn grain(values: &[f64]) -> Grain {
        Survey::of(&Dense::new(values.to_vec(), values.len(), 1).unwrap()).grain
    }

    #[test]
    fn values_that_are_few_are_recognised() {
        assert_eq!(grain(&[0.0, 1.0, 1.0]), Grain::Binary(1.0));
        assert_eq!(grain(&[0.0, -0.5, -0.5]), Grain::Binary(-0.5));
        assert_eq!(grain(&[0.0, 0.0]), Grain::Fine);
        assert_eq!(grain(&[0.0, 255.0, 3.0]), Grain::Multiples { unit: 1.0, low: 0 });
        assert_eq!(grain(&[-128.0, 127.0, 3.0]), Grain::Multiples { unit: 1.0, low: -128 });
        assert_eq!(grain(&[0.0, 256.0, 3.0]), Grain::Fine);
        let pixels: Vec<f64> = (0..256).map(|k| f64::from(k) / 255.0).collect();
        assert_eq!(grain(&pixels), Grain::Multiples { unit: 1.0 / 255.0, low: 0 });
        assert_eq!(grain(&[0.1, 0.2, 0.30000000000000004]), Grain::Multiples { unit: 0.1, low: 0 });
        assert_eq!(grain(&[0.1, 0.2, 0.31]), Grain::Fine);
        assert_eq!(grain(&[1.0, -1.0]), Grain::Multiples { unit: 1.0, low: -1 });
    }

    #[test]
    fn storage_and_density_are_seen() {
        let dense = Dense::new(vec![0.0, 2.5, 0.0, 1.25], 2, 2).unwrap();
        let facts = Survey::of(&dense);
        assert_eq!((facts.entries, facts.sparse, facts.radius_squared), (2, false, 6.25));
        assert!(Survey::of(&Csr::from_rows(&dense).unwrap()).sparse);
        let huge = Dense::new(vec![1e200, 1.0], 2, 1).unwrap();
        assert_eq!(Survey::of(&huge).radius_squared, f64::INFINITY);
    }
}
