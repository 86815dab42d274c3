//! Sparse examples as they are gone through: hot columns dense, the others as lists of entries.

use super::super::elementary::Real;
use crate::examples::Examples;
use crate::{Error, Result};

/// The density from which a column is hot. On a9a and w8a, ½, ⅕ and ⅛ were all slower.
const HOT_DENSITY: f64 = 1.0 / 3.0;

/// Lists are filled up to a multiple of this, so that their ends are foreseen more often.
pub(super) const STRIDE: usize = 2;

/// The number of a column in which no example has an entry.
const UNSEEN: u32 = u32::MAX;

/// The columns in which there are entries, numbered by decreasing frequency.
#[derive(Debug)]
pub(super) struct Numbering {
    numbers: Numbers,
    /// How many come first that are dense enough.
    pub(super) hot: usize,
    /// How many are left.
    pub(super) cold: usize,
}

/// The number of each column.
#[derive(Debug)]
enum Numbers {
    /// For every column.
    All(Vec<u32>),
    /// For the columns that have entries, in increasing order: of a space so wide that a list of all its columns would be
    /// larger than the data.
    Few(Vec<(usize, u32)>),
}

/// The columns that have entries, in increasing order, and how many.
fn frequencies<E: Examples + ?Sized>(examples: &E, narrow: bool) -> Result<Vec<(usize, u32)>> {
    if narrow {
        let mut counts = reserved("the frequencies of columns", examples.dim())?;
        counts.resize(examples.dim(), 0_u32);
        for row in 0..examples.len() {
            examples.row(row).for_each(|column, value| {
                counts[column] = counts[column].saturating_add(u32::from(value != 0.0));
            });
        }
        let seen = counts.iter().filter(|&&count| count > 0).count();
        let mut found = reserved("the order of columns", seen)?;
        found.extend(counts.into_iter().enumerate().filter(|(_, count)| *count > 0));
        return Ok(found);
    }
    let mut columns = Vec::new();
    for row in 0..examples.len() {
        examples.row(row).for_each(|column, value| {
            if value != 0.0 {
                columns.push((column, 1_u32));
            }
        });
    }
    columns.sort_unstable();
    columns.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 = kept.1.saturating_add(u32::from(same));
        same
    });
    Ok(columns)
}

impl Numbering {
    /// Counts the entries of every column.
    pub(super) fn new<E: Examples + ?Sized>(examples: &E) -> Result<Self> {
        // Of a dimension beyond this a list of all columns is not made, unless the entries are as many.
        const NARROW: usize = 1 << 20;
        let dim = examples.dim();
        let entries: usize = (0..examples.len()).map(|row| examples.row(row).entries()).sum();
        let narrow = dim <= NARROW.max(entries.saturating_mul(8));
        let mut columns = frequencies(examples, narrow)?;
        let seen = columns.len();
        if seen >= UNSEEN as usize {
            let limit = UNSEEN as usize - 1;
            return Err(Error::TooLarge { what: "the number of columns with entries", size: seen, limit });
        }
        columns.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        let least = HOT_DENSITY * examples.len() as f64;
        let hot = columns.partition_point(|&(_, count)| f64::from(count) >= least);
        let numbers = if narrow {
            let mut numbers = reserved("the numbers of columns", dim)?;
            numbers.resize(dim, UNSEEN);
            (0..UNSEEN).zip(&columns).for_each(|(number, &(column, _))| numbers[column] = number);
            Numbers::All(numbers)
        } else {
            columns.iter_mut().zip(0..UNSEEN).for_each(|((_, place), number)| *place = number);
            columns.sort_unstable();
            Numbers::Few(columns)
        };
        Ok(Self { numbers, hot, cold: seen - hot })
    }

    /// The number of a column, where an example has an entry in it.
    fn of(&self, column: usize) -> Option<usize> {
        match &self.numbers {
            Numbers::All(numbers) => {
                numbers.get(column).filter(|&&number| number != UNSEEN).map(|&number| number as usize)
            }
            Numbers::Few(numbers) => {
                let place = numbers.binary_search_by_key(&column, |&(column, _)| column).ok()?;
                Some(numbers[place].1 as usize)
            }
        }
    }
}

/// Examples in the numbering of their columns.
#[derive(Debug)]
pub(super) struct Lists<T> {
    hot: usize,
    /// The hot columns of each example, zeros included.
    dense: Vec<T>,
    /// Where the list of each example starts, and the last one ends.
    offsets: Vec<usize>,
    /// Numbers of cold columns, counted from the first cold one. Where a list is filled up, the number after the last.
    indices: Vec<u32>,
    values: Vec<T>,
    /// For each example, the sum of squares of the entries that have no number.
    rests: Vec<f64>,
}

impl<T: Real> Lists<T> {
    /// Examples `first..first + count`, every value times `factor`.
    pub(super) fn pack<E: Examples + ?Sized>(
        numbering: &Numbering,
        examples: &E,
        first: usize,
        count: usize,
        factor: f64,
    ) -> Result<Self> {
        let (last, len) = (first.saturating_add(count), examples.len());
        if last > len {
            return Err(Error::Index { what: "example", index: last.saturating_sub(1), len });
        }
        let places = count.saturating_mul(numbering.hot);
        let mut dense = reserved("the hot columns of the examples", places)?;
        dense.resize(places, T::default());
        let entries = padded_entries(numbering, examples, first..last);
        let mut lists = Self {
            hot: numbering.hot,
            dense,
            offsets: reserved("the examples", count + 1)?,
            indices: reserved("the columns of the entries", entries)?,
            values: reserved("the entries of the examples", entries)?,
            rests: reserved("the examples", count)?,
        };
        lists.offsets.push(0);
        let mut row_entries = Vec::new();
        for row in first..last {
            lists.push(numbering, examples, row, factor, &mut row_entries)?;
        }
        Ok(lists)
    }

    fn push<E: Examples + ?Sized>(
        &mut self,
        numbering: &Numbering,
        examples: &E,
        row: usize,
        factor: f64,
        entries: &mut Vec<(u32, T)>,
    ) -> Result<()> {
        entries.clear();
        let (mut rest, mut beyond) = (0.0, None);
        let position = self.len();
        let dense = &mut self.dense[position * self.hot..(position + 1) * self.hot];
        examples.row(row).for_each(|column, value| {
            let scaled = T::of(factor * value);
            // An infinity would make its products with absent entries NaN, and those only if it is gone through.
            if !scaled.wide().is_finite() {
                beyond = beyond.or(Some(column));
                return;
            }
            match numbering.of(column) {
                _ if scaled.wide() == 0.0 => {}
                None => rest += scaled.wide() * scaled.wide(),
                Some(number) => match dense.get_mut(number) {
                    Some(place) => *place = scaled,
                    None => entries.push(((number - numbering.hot) as u32, scaled)),
                },
            }
        });
        if beyond.is_some() {
            return Err(Error::NonFinite { what: "scaled example", row, column: beyond });
        }
        entries.sort_unstable_by_key(|&(number, _)| number);
        entries.resize(entries.len().next_multiple_of(STRIDE), (numbering.cold as u32, T::default()));
        self.indices.extend(entries.iter().map(|&(number, _)| number));
        self.values.extend(entries.iter().map(|&(_, value)| value));
        self.offsets.push(self.values.len());
        self.rests.push(rest);
        Ok(())
    }

    /// How many examples there are.
    pub(super) fn len(&self) -> usize {
        self.rests.len()
    }

    pub(super) fn rests(&self) -> &[f64] {
        &self.rests
    }

    /// Columns that are gone through for an example, on average and at least 1.
    pub(super) fn steps(&self) -> usize {
        (self.hot + self.values.len() / self.len().max(1)).max(1)
    }

    /// The hot columns of an example.
    #[inline(always)]
    pub(super) fn dense(&self, example: usize) -> &[T] {
        &self.dense[example * self.hot..(example + 1) * self.hot]
    }

    /// The list of an example, filled up.
    #[inline(always)]
    pub(super) fn list(&self, example: usize) -> (&[[u32; STRIDE]], &[[T; STRIDE]]) {
        let range = self.offsets[example]..self.offsets[example + 1];
        (self.indices[range.clone()].as_chunks().0, self.values[range].as_chunks().0)
    }
}

/// The entries in cold columns, lists filled up.
fn padded_entries<E: Examples + ?Sized>(
    numbering: &Numbering,
    examples: &E,
    rows: std::ops::Range<usize>,
) -> usize {
    let mut total = 0;
    for row in rows {
        let mut entries = 0_usize;
        examples.row(row).for_each(|column, value| {
            entries += usize::from(value != 0.0 && numbering.of(column).is_some_and(|n| n >= numbering.hot));
        });
        total += entries.next_multiple_of(STRIDE);
    }
    total
}

/// An empty vector with room for `len`.
pub(super) fn reserved<X>(what: &'static str, len: usize) -> Result<Vec<X>> {
    let mut vector = Vec::new();
    let needed = len.saturating_mul(size_of::<X>());
    vector.try_reserve_exact(len).map_err(|_| Error::Allocation { what, needed })?;
    Ok(vector)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Csr;

    #[test]
    fn a_space_of_billions_of_columns_is_numbered_as_a_small_one() {
        let made = |columns: [u32; 6], dim: usize| {
            let examples = Csr::new(vec![0, 2, 5, 6], columns.to_vec(), vec![1.0; 6], dim).unwrap();
            Numbering::new(&examples).unwrap()
        };
        let small = made([1, 5, 1, 4, 5, 5], 7);
        let wide = made([10, 4_000_000_000, 10, 50, 4_000_000_000, 4_000_000_000], 1 << 32);
        assert!(matches!(small.numbers, Numbers::All(_)) && matches!(wide.numbers, Numbers::Few(_)));
        assert_eq!((small.hot, small.cold), (wide.hot, wide.cold));
        for (column, far) in [(0, 0), (1, 10), (4, 50), (5, 4_000_000_000), (6, 4_000_000_001)] {
            assert_eq!(small.of(column), wide.of(far));
        }
    }
}
