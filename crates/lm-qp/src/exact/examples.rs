//! Examples as exact numbers.

use lm_core::{Budget, Collection, Csr, Dense, Error, Examples, Result};

use super::integer::two_to;
use super::rational::parts;
use super::{Integer, Rational};

/// What an entry takes in memory beside its digits: index, header and the allocator's own words.
const BYTES: usize = 64;

/// Examples whose entries are fractions: stored numbers as they are, or decimals as they are written. Zeros are not kept.
///
/// ```
/// use lm_qp::exact::{ExactExamples, Rational};
///
/// let written = ExactExamples::from_decimals(&[["0.1", "2"], ["0.3", "-1e3"]])?;
/// assert_eq!(written.value(0, 0), Rational::from_decimal("0.1")?);
/// assert_ne!(written.value(0, 0), Rational::from_f64(0.1)?);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ExactExamples {
    starts: Vec<usize>,
    columns: Vec<usize>,
    /// Integers; each stands for itself divided by `scale`.
    values: Vec<Integer>,
    scale: Integer,
    dim: usize,
}

impl ExactExamples {
    /// The stored numbers of examples, if their copy fits into the memory that the budget allows.
    ///
    /// # Errors
    /// [`Error::Memory`] or [`Error::TooLarge`] if it does not fit.
    pub fn new<E: Examples + ?Sized>(examples: &E, budget: &Budget) -> Result<Self> {
        // The least power of two in any entry is what makes all of them integers.
        let (mut entries, mut least, mut most) = (0_usize, 0_i32, 0_i32);
        for row in 0..examples.len() {
            examples.row(row).for_each(|_, value| {
                if let Some((mantissa, exponent)) = parts(value).filter(|(mantissa, _)| *mantissa != 0) {
                    entries += 1;
                    least = least.min(exponent + mantissa.trailing_zeros() as i32);
                    most = most.max(exponent + 53);
                }
            });
        }
        let each = BYTES + most.abs_diff(least) as usize / 8;
        budget.check_memory("the exact copy", entries.saturating_mul(each))?;
        let mut copy = Self::empty(examples.dim());
        copy.scale = Integer::power_of_two(u64::from(least.unsigned_abs()));
        for row in 0..examples.len() {
            examples.row(row).for_each(|k, value| {
                if let Some((mantissa, exponent)) = parts(value) {
                    let (shift, integer) = (exponent - least, Integer::from(mantissa));
                    copy.push(
                        k,
                        match u64::try_from(shift) {
                            Ok(up) => integer.shifted(up),
                            Err(_) => integer.unshifted(u64::from(shift.unsigned_abs())),
                        },
                    );
                }
            });
            copy.starts.push(copy.values.len());
        }
        Ok(copy)
    }

    /// Examples given as rows of decimals, each exactly the number that is written.
    ///
    /// # Errors
    /// [`Error::Empty`] without rows or columns, [`Error::Length`] for a row of another length than the first,
    /// [`Error::Parse`] for text that is no decimal, with the row as its line.
    pub fn from_decimals<R: AsRef<[T]>, T: AsRef<str>>(rows: &[R]) -> Result<Self> {
        let read = |(at, row): (usize, &R)| {
            let numbers = row.as_ref().iter().map(|text| Rational::from_decimal(text.as_ref()));
            numbers.collect::<Result<Vec<_>>>().map_err(|error| match error {
                Error::Parse { offset, problem, .. } => Error::Parse { line: at as u64 + 1, offset, problem },
                other => other,
            })
        };
        Self::from_fractions(&rows.iter().enumerate().map(read).collect::<Result<Vec<_>>>()?)
    }

    /// Examples given as rows of fractions.
    ///
    /// # Errors
    /// [`Error::Empty`] without rows or columns, [`Error::Length`] for a row of another length than the first.
    pub fn from_fractions(rows: &[Vec<Rational>]) -> Result<Self> {
        let dim = rows.first().ok_or(Error::Empty { what: "the set of examples" })?.len();
        if dim == 0 {
            return Err(Error::Empty { what: "the set of columns" });
        }
        if let Some(row) = rows.iter().find(|row| row.len() != dim) {
            return Err(Error::Length { what: "a row", expected: dim, found: row.len() });
        }
        let broken = Error::Numerical { what: "a common denominator" };
        let mut copy = Self::empty(dim);
        for value in rows.iter().flatten() {
            let below = value.denominator();
            let (part, _) = below.divided(&copy.scale.gcd(below)).ok_or(broken)?;
            copy.scale = &copy.scale * &part;
        }
        for row in rows {
            for (k, value) in row.iter().enumerate() {
                let (factor, _) = copy.scale.divided(value.denominator()).ok_or(broken)?;
                copy.push(k, value.numerator() * &factor);
            }
            copy.starts.push(copy.values.len());
        }
        Ok(copy)
    }

    fn empty(dim: usize) -> Self {
        Self { starts: vec![0], columns: Vec::new(), values: Vec::new(), scale: Integer::from(1), dim }
    }

    fn push(&mut self, column: usize, value: Integer) {
        if !value.is_zero() {
            self.columns.push(column);
            self.values.push(value);
        }
    }

    /// The number of columns.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// One entry.
    ///
    /// # Panics
    /// Panics, as a slice does, unless `row < self.len()`.
    pub fn value(&self, row: usize, column: usize) -> Rational {
        let found = self.row(row).find(|(k, _)| *k == column);
        found.and_then(|(_, value)| Rational::new(value.clone(), self.scale.clone())).unwrap_or_default()
    }

    /// The entries of one example that are not 0, multiplied by [`ExactExamples::scale`], with their columns.
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = (usize, &Integer)> + Clone {
        let range = self.starts[row]..self.starts[row + 1];
        self.columns[range.clone()].iter().copied().zip(&self.values[range])
    }

    /// What makes every entry an integer, a positive number.
    pub(crate) fn scale(&self) -> &Integer {
        &self.scale
    }

    /// `Σ aₖxₖ` for one example, multiplied by [`ExactExamples::scale`].
    pub(crate) fn dot(&self, row: usize, a: &[Integer]) -> Integer {
        self.row(row)
            .fold(Integer::ZERO, |sum, (k, x)| if a[k].is_zero() { sum } else { &sum + &(&a[k] * x) })
    }

    /// The nearest stored numbers, with a power of two taken out so that the largest is about 1: what a search in floating-point
    /// arithmetic begins with.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if a column has no index of 32 bits.
    pub(crate) fn approximate(&self) -> Result<Csr<'static>> {
        let most = self.values.iter().map(Integer::bits).max().unwrap_or(0);
        let too_large = |&k: &usize| Error::TooLarge { what: "a column", size: k, limit: u32::MAX as usize };
        let columns = self.columns.iter().map(|k| u32::try_from(*k).map_err(|_| too_large(k)));
        let values = self.values.iter().map(|value| near(value, most)).collect();
        Csr::new(self.starts.clone(), columns.collect::<Result<_>>()?, values, self.dim)
    }

    /// The same for the examples less the first one, taken away before anything is rounded.
    ///
    /// # Errors
    /// [`Error::Memory`] if the budget does not allow them, [`Error::TooLarge`] if they cannot be addressed.
    pub(crate) fn differences(&self, budget: &Budget) -> Result<Dense<'static>> {
        let limit = isize::MAX as usize / 8;
        let size = self.len().checked_mul(self.dim).filter(|&size| size <= limit);
        let size =
            size.ok_or(Error::TooLarge { what: "the differences", size: self.len().max(self.dim), limit })?;
        budget.check_memory("the differences", size * 8)?;
        let mut first = vec![Integer::ZERO; self.dim];
        self.row(0).for_each(|(k, value)| first[k] = value.clone());
        let most = 1 + self.values.iter().map(Integer::bits).max().unwrap_or(0);
        let away: Vec<f64> = first.iter().map(|value| -near(value, most)).collect();
        let mut values = Vec::with_capacity(size);
        for row in 0..self.len() {
            values.extend_from_slice(&away);
            let at = values.len() - self.dim;
            self.row(row).for_each(|(k, value)| values[at + k] = near(&(value - &first[k]), most));
        }
        Dense::new(values, self.len(), self.dim)
    }
}

/// `value / 2^most`, as nearly as a stored number can be.
fn near(value: &Integer, most: u64) -> f64 {
    let (head, exponent, _) = value.head();
    let size = head as f64 * two_to(exponent as i64 - most as i64);
    if value.is_negative() { -size } else { size }
}

impl Collection for ExactExamples {
    fn len(&self) -> usize {
        self.starts.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_numbers_are_kept_exactly_at_every_scale() {
        let values = [1.5, -0.1, 0.0, 1e160, 5e-324, -1e-160];
        let dense = Dense::new(values.to_vec(), 2, 3).unwrap();
        let exact = ExactExamples::new(&dense, &Budget::default()).unwrap();
        for (k, &value) in values.iter().enumerate() {
            assert_eq!(exact.value(k / 3, k % 3), Rational::from_f64(value).unwrap());
        }
        let sparse = Csr::new(vec![0, 1, 2], vec![2, 0], vec![0.75, -4.0], 3).unwrap();
        let exact = ExactExamples::new(&sparse, &Budget::default()).unwrap();
        assert_eq!(exact.value(0, 2).to_string(), "3/4");
        assert_eq!(exact.value(1, 0).to_string(), "-4");
        assert!(exact.value(1, 1).is_zero());
    }

    #[test]
    fn a_budget_of_memory_is_kept_and_bad_tables_are_named() {
        let dense = Dense::new(vec![1.0; 100], 10, 10).unwrap();
        let little = Budget::default().with_memory(1000);
        assert!(matches!(ExactExamples::new(&dense, &little), Err(Error::Memory { .. })));
        let bad = ExactExamples::from_decimals(&[vec!["1", "2"], vec!["x", "2"]]);
        assert!(matches!(bad, Err(Error::Parse { line: 2, .. })));
        assert!(matches!(ExactExamples::from_decimals::<[&str; 0], _>(&[]), Err(Error::Empty { .. })));
        assert!(matches!(ExactExamples::from_decimals(&[vec!["1"], vec![]]), Err(Error::Length { .. })));
    }
}
