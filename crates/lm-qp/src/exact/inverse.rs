//! The inverse of an integer matrix, column by column, without fractions.
//!
//! # Problem
//! Solve linear systems whose matrix changes by one column at a time, exactly.
//! # Method
//! Keep `D` and the integer matrix `N = D·B⁻¹`, beginning with the unit matrix and `D = 1`. When a column `a` replaces column
//! `r` of `B`, with `α = N a`,
//! ```text
//! Nᵢ ← (αᵣNᵢ − αᵢNᵣ) / D   for i ≠ r ,    Nᵣ stays ,    D ← αᵣ
//! ```
//! Up to the sign `D` is the determinant of `B` and the entries of `N` are its minors, so every division leaves nothing and
//! no number outgrows Hadamard's bound.
//! # Cost
//! `2m²` products and `m²` divisions of numbers of up to `m` times the length of an entry, a column.
//! # Reference
//! Edmonds (1967), *Systems of distinct representatives and linear algebra*; Bareiss (1968).

use lm_core::{Error, Meter, Result, Stop};

use super::Integer;

/// `D·B⁻¹` and `D > 0` for an integer matrix `B`.
#[derive(Debug, Clone)]
pub(crate) struct IntegerInverse {
    rows: Vec<Vec<Integer>>,
    determinant: Integer,
    most_bits: u64,
}

/// What became of an exchange of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pivoted {
    Done,
    /// The numbers have become longer than allowed, or the budget is used up: the matrix is not to be used any more.
    Stopped(Stop),
}

impl IntegerInverse {
    /// The inverse of the unit matrix; later numbers may have this many bits.
    pub(crate) fn unit(size: usize, most_bits: u64) -> Self {
        let row = |i: usize| (0..size).map(|j| Integer::from(i64::from(i == j))).collect();
        Self { rows: (0..size).map(row).collect(), determinant: Integer::from(1), most_bits }
    }

    /// The common denominator `D`.
    pub(crate) fn denominator(&self) -> &Integer {
        &self.determinant
    }

    /// One row of `D·B⁻¹`.
    pub(crate) fn row(&self, r: usize) -> &[Integer] {
        &self.rows[r]
    }

    /// `D·B⁻¹a`.
    pub(crate) fn times(&self, column: &[Integer]) -> Vec<Integer> {
        self.rows.iter().map(|row| dot(row, column)).collect()
    }

    /// Replaces column `r` by one whose product with `D·B⁻¹` is `alpha`, with `alphaᵣ ≠ 0`.
    ///
    /// # Errors
    /// [`Error::Numerical`] if a division leaves a rest, which says that `alpha` was not such a product.
    pub(crate) fn exchange(&mut self, r: usize, alpha: &[Integer], meter: &mut Meter<'_>) -> Result<Pivoted> {
        let broken = Error::Numerical { what: "an exact inverse" };
        let negative = alpha[r].is_negative();
        let pivot = self.rows[r].clone();
        for (i, row) in self.rows.iter_mut().enumerate() {
            if i == r {
                continue;
            }
            // A row takes long where numbers are long, so the clock is looked at here.
            if let Some(stop) = meter.advance(0, 0) {
                return Ok(Pivoted::Stopped(stop));
            }
            for (own, other) in row.iter_mut().zip(&pivot) {
                if alpha[i].is_zero() && own.is_zero() {
                    continue;
                }
                let next = &(&alpha[r] * &*own) - &(&alpha[i] * other);
                let (quotient, rest) = next.divided(&self.determinant).ok_or(broken)?;
                if !rest.is_zero() {
                    return Err(broken);
                }
                *own = if negative { -&quotient } else { quotient };
            }
        }
        if negative {
            self.rows[r].iter_mut().for_each(|value| *value = -&*value);
        }
        self.determinant = alpha[r].abs();
        let too_long = self.determinant.bits() > self.most_bits;
        Ok(if too_long { Pivoted::Stopped(Stop::Stalled) } else { Pivoted::Done })
    }
}

/// `Σ aᵢbᵢ`.
pub(crate) fn dot(a: &[Integer], b: &[Integer]) -> Integer {
    a.iter()
        .zip(b)
        .filter(|(a, b)| !a.is_zero() && !b.is_zero())
        .fold(Integer::ZERO, |sum, (a, b)| &sum + &(a * b))
}

#[cfg(test)]
mod tests {
    use super::super::Rational;
    use super::*;
    use lm_core::Control;
    use lm_core::testing::SplitMix64;

    fn column(values: &[i64]) -> Vec<Integer> {
        values.iter().map(|&value| Integer::from(value)).collect()
    }

    /// Brings in the columns of a matrix, each in the place of its own row; the places are swapped where a pivot is 0.
    fn inverse(columns: &[Vec<Integer>]) -> Option<(IntegerInverse, Vec<usize>)> {
        let mut meter = Control::default().start(u64::MAX);
        let mut inverse = IntegerInverse::unit(columns.len(), 1 << 20);
        let mut places = vec![usize::MAX; columns.len()];
        for (j, column) in columns.iter().enumerate() {
            let alpha = inverse.times(column);
            let r = (0..columns.len()).find(|&r| places[r] == usize::MAX && !alpha[r].is_zero())?;
            assert_eq!(inverse.exchange(r, &alpha, &mut meter).unwrap(), Pivoted::Done);
            places[r] = j;
        }
        Some((inverse, places))
    }

    #[test]
    fn two_by_two_by_hand() {
        // B = (2 1; 4 3) with determinant 2 and adjugate (3 −1; −4 2).
        let (inverse, places) = inverse(&[column(&[2, 4]), column(&[1, 3])]).unwrap();
        assert_eq!(places, [0, 1]);
        assert_eq!(*inverse.denominator(), Integer::from(2));
        assert_eq!(inverse.row(0), column(&[3, -1]));
        assert_eq!(inverse.row(1), column(&[-4, 2]));
    }

    #[test]
    fn the_hilbert_matrix_of_nine_has_its_known_determinant() {
        // With entries multiplied by lcm(1, …, 17) = 12252240; the determinant of the Hilbert matrix of order 9 is
        // 1/1028781784378569697887052962909388800000000 (sequence A005249).
        let scale = 12_252_240;
        let columns: Vec<Vec<Integer>> =
            (0..9).map(|j| column(&(0..9).map(|i| scale / (i + j + 1)).collect::<Vec<_>>())).collect();
        let (inverse, _) = inverse(&columns).unwrap();
        let power = (0..9).fold(Integer::from(1), |power, _| &power * &Integer::from(scale));
        let determinant = Rational::new(inverse.denominator().clone(), power).unwrap();
        assert_eq!(determinant.to_string(), "1/1028781784378569697887052962909388800000000");
    }

    #[test]
    fn times_the_matrix_is_the_unit_matrix() {
        let mut random = SplitMix64::new(8);
        for size in 1..12 {
            let long =
                |random: &mut SplitMix64| &Integer::from(random.next_u64()) - &Integer::power_of_two(63);
            let columns: Vec<Vec<Integer>> =
                (0..size).map(|_| (0..size).map(|_| long(&mut random)).collect()).collect();
            let (inverse, places) = inverse(&columns).unwrap();
            for (j, column) in columns.iter().enumerate() {
                for (r, value) in inverse.times(column).iter().enumerate() {
                    let expected = if places[r] == j { inverse.denominator().clone() } else { Integer::ZERO };
                    assert_eq!(*value, expected);
                }
            }
        }
    }

    #[test]
    fn a_limit_on_the_length_of_numbers_is_kept() {
        let mut inverse = IntegerInverse::unit(1, 100);
        let alpha = [Integer::power_of_two(200)];
        let stopped = inverse.exchange(0, &alpha, &mut Control::default().start(u64::MAX)).unwrap();
        assert_eq!(stopped, Pivoted::Stopped(Stop::Stalled));
    }
}
