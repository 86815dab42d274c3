//! Fractions of integers of any size.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

use lm_core::{Error, Result};

use super::Integer;
use super::integer::two_to;

/// The largest exponent of ten that a decimal may have: beyond it a short text would stand for a number without end.
const MOST_TENS: u32 = 5000;

/// A fraction in lowest terms.
///
/// ```
/// use lm_qp::exact::Rational;
///
/// let third = Rational::new(2.into(), 6.into()).unwrap();
/// assert_eq!(third.to_string(), "1/3");
/// assert_eq!(third.to_f64(), 1.0 / 3.0);
/// assert_eq!(Rational::from_decimal("-12.50e-1")?.to_string(), "-5/4");
/// assert!(Rational::from_decimal("1,5").is_err());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Rational {
    numerator: Integer,
    /// Always positive, and without a common factor with the numerator.
    denominator: Integer,
}

impl Default for Rational {
    fn default() -> Self {
        Self::from(Integer::ZERO)
    }
}

impl From<Integer> for Rational {
    fn from(value: Integer) -> Self {
        Self { numerator: value, denominator: Integer::from(1) }
    }
}

impl Rational {
    /// `numerator / denominator`; none for the denominator 0.
    pub fn new(numerator: Integer, denominator: Integer) -> Option<Self> {
        if denominator.is_zero() {
            return None;
        }
        let divisor = numerator.gcd(&denominator);
        let (numerator, denominator) = if divisor == Integer::from(1) {
            (numerator, denominator)
        } else {
            (numerator.divided(&divisor)?.0, denominator.divided(&divisor)?.0)
        };
        let signed = |value: Integer| if denominator.is_negative() { -&value } else { value };
        Some(Self { numerator: signed(numerator), denominator: denominator.abs() })
    }

    /// The fraction that a stored number is: with a power of two below.
    ///
    /// # Errors
    /// [`Error::Numerical`] for NaN and the infinities.
    pub fn from_f64(value: f64) -> Result<Self> {
        let (mantissa, exponent) = parts(value).ok_or(Error::Numerical { what: "a fraction" })?;
        let numerator = Integer::from(mantissa);
        Ok(match u64::try_from(exponent) {
            Ok(up) => Self::from(numerator.shifted(up)),
            Err(_) => {
                // Only factors of two can be common.
                let down = u64::from(exponent.unsigned_abs());
                let common = numerator.twos().min(down);
                let denominator = if numerator.is_zero() { 0 } else { down - common };
                Self {
                    numerator: numerator.unshifted(common),
                    denominator: Integer::power_of_two(denominator),
                }
            }
        })
    }

    /// The fraction that a decimal is, such as `-12.5` or `3e-4`: exactly the number that is written.
    ///
    /// # Errors
    /// [`Error::Parse`] for anything else than an optional sign, digits with at most one point, and an optional exponent of
    /// at most 5000.
    pub fn from_decimal(text: &str) -> Result<Self> {
        let bad = |problem| Error::Parse { line: 1, offset: 0, problem };
        let number = "a decimal is an optional sign, digits with at most one point, and an optional exponent";
        let (mantissa, exponent) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], text[at + 1..].parse::<i64>().map_err(|_| bad(number))?),
            None => (text, 0),
        };
        let (negative, digits) = match mantissa.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, mantissa.strip_prefix('+').unwrap_or(mantissa)),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let size = Integer::from_digits(&format!("{whole}{fraction}")).ok_or(bad(number))?;
        let numerator = if negative { -&size } else { size };
        let tens = exponent.saturating_sub(fraction.len() as i64);
        let size = u32::try_from(tens.unsigned_abs()).ok().filter(|size| *size <= MOST_TENS);
        let size = size.ok_or(bad("the exponent of a decimal is at most 5000"))?;
        let power = Integer::power_of_ten(size);
        let value =
            if tens < 0 { Self::new(numerator, power) } else { Some(Self::from(&numerator * &power)) };
        value.ok_or(Error::Numerical { what: "a fraction" })
    }

    /// What stands above.
    pub fn numerator(&self) -> &Integer {
        &self.numerator
    }

    /// What stands below, always positive.
    pub fn denominator(&self) -> &Integer {
        &self.denominator
    }

    /// Whether it is 0.
    pub fn is_zero(&self) -> bool {
        self.numerator.is_zero()
    }

    /// Whether it is above 0.
    pub fn is_positive(&self) -> bool {
        self.numerator.is_positive()
    }

    /// Whether it is below 0.
    pub fn is_negative(&self) -> bool {
        self.numerator.is_negative()
    }

    /// `self / divisor`; none for the divisor 0.
    pub fn divided(&self, divisor: &Self) -> Option<Self> {
        Self::new(&self.numerator * &divisor.denominator, &self.denominator * &divisor.numerator)
    }

    /// The nearest `f64`: ties to even, gradual below the least normal number, infinite where it is out of range.
    pub fn to_f64(&self) -> f64 {
        /// The exponent of the least positive number.
        const LEAST: i64 = 1074;
        let excess = self.numerator.bits() as i64 - self.denominator.bits() as i64;
        let shift = (66 - excess).min(LEAST);
        let (above, below) = match u64::try_from(shift) {
            Ok(up) => (self.numerator.abs().shifted(up), self.denominator.clone()),
            Err(_) => (self.numerator.abs(), self.denominator.shifted(shift.unsigned_abs())),
        };
        // The denominator is never 0.
        let (mut quotient, rest) = above.divided(&below).unwrap_or_default();
        let size = if shift == LEAST && quotient.bits() <= 53 {
            let half = rest.shifted(1).cmp(&below);
            let odd = quotient.twos() == 0 && !quotient.is_zero();
            if half == Ordering::Greater || (half == Ordering::Equal && odd) {
                quotient = &quotient + &Integer::from(1);
            }
            quotient.to_f64() * two_to(-LEAST)
        } else {
            // A last bit that is set when anything is left makes the rounding of the quotient that of the fraction.
            let sticky = Integer::from(i64::from(!rest.is_zero()));
            let longer = &quotient.shifted(1) + &sticky;
            longer.to_f64() * 0.5 * two_to(-shift)
        };
        if self.is_negative() { -size } else { size }
    }
}

/// Mantissa and exponent of a finite number: `value = mantissa · 2^exponent`.
pub(super) fn parts(value: f64) -> Option<(i64, i32)> {
    if !value.is_finite() {
        return None;
    }
    let bits = value.to_bits();
    let (stored, field) = ((bits & ((1 << 52) - 1)) as i64, ((bits >> 52) & 0x7ff) as i32);
    // A number with the field 0 has no hidden bit, and the exponent of field 1.
    let (size, exponent) = if field == 0 { (stored, -1074) } else { (stored | 1 << 52, field - 1075) };
    let signed = if value < 0.0 { -size } else { size };
    Some((signed, if size == 0 { 0 } else { exponent }))
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }
}

/// A fraction whose denominator is a product of positive numbers, and so not 0.
fn fraction(numerator: Integer, denominator: Integer) -> Rational {
    Rational::new(numerator, denominator).unwrap_or_default()
}

impl Add for &Rational {
    type Output = Rational;

    fn add(self, other: Self) -> Rational {
        let sum = &(&self.numerator * &other.denominator) + &(&other.numerator * &self.denominator);
        fraction(sum, &self.denominator * &other.denominator)
    }
}

impl Sub for &Rational {
    type Output = Rational;

    fn sub(self, other: Self) -> Rational {
        self + &-other
    }
}

impl Mul for &Rational {
    type Output = Rational;

    fn mul(self, other: Self) -> Rational {
        fraction(&self.numerator * &other.numerator, &self.denominator * &other.denominator)
    }
}

impl Neg for &Rational {
    type Output = Rational;

    fn neg(self) -> Rational {
        Rational { numerator: -&self.numerator, denominator: self.denominator.clone() }
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.denominator == Integer::from(1) {
            write!(f, "{}", self.numerator)
        } else {
            write!(f, "{}/{}", self.numerator, self.denominator)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::testing::SplitMix64;

    fn rational(text: &str) -> Rational {
        Rational::from_decimal(text).unwrap()
    }

    #[test]
    fn stored_numbers_come_back_with_the_same_bits() {
        let mut random = SplitMix64::new(3);
        let mut values: Vec<f64> = (0..3000).map(|_| f64::from_bits(random.next_u64())).collect();
        values.extend([0.0, 1.0, -0.1, f64::MAX, f64::MIN_POSITIVE, 5e-324, 1e-310, -3e-320]);
        for value in values.into_iter().filter(|value| value.is_finite()) {
            let exact = Rational::from_f64(value).unwrap();
            assert_eq!(exact.to_f64(), value, "{value:e}");
            assert_eq!(exact.numerator().gcd(exact.denominator()), Integer::from(1), "{value:e}");
        }
        assert!(Rational::from_f64(f64::NAN).is_err() && Rational::from_f64(f64::INFINITY).is_err());
    }

    #[test]
    fn decimals_round_as_the_standard_library_reads_them() {
        let mut random = SplitMix64::new(4);
        for _ in 0..2000 {
            let (digits, exponent) = (random.next_u64(), random.below(640) as i32 - 330);
            let text = format!("{digits}e{exponent}");
            assert_eq!(rational(&text).to_f64(), text.parse::<f64>().unwrap(), "{text}");
        }
        for text in ["2.2250738585072011e-308", "4.9e-324", "2.4703282292062327e-324", "1e400", "-1e-400"] {
            assert_eq!(rational(text).to_f64(), text.parse::<f64>().unwrap(), "{text}");
        }
    }

    #[test]
    fn sums_and_products_are_those_of_the_textbook() {
        let (a, b) = (rational("0.5"), Rational::new(1.into(), 3.into()).unwrap());
        assert_eq!((&a + &b).to_string(), "5/6");
        assert_eq!((&a - &b).to_string(), "1/6");
        assert_eq!((&a * &b).to_string(), "1/6");
        assert_eq!(a.divided(&b).unwrap().to_string(), "3/2");
        assert_eq!(a.divided(&Rational::default()), None);
        assert!(b < a && -&a < b);
        // The harmonic number of 20.
        let sum =
            (1..=20).fold(Rational::default(), |sum, k| &sum + &Rational::new(1.into(), k.into()).unwrap());
        assert_eq!(sum.to_string(), "55835135/15519504");
    }

    #[test]
    fn text_that_is_no_decimal_is_refused() {
        for text in ["", "-", ".", "1e", "1.2.3", "0x1", "nan", "inf", "1e99999", "1_0", " 1", "1e5.0"] {
            assert!(matches!(Rational::from_decimal(text), Err(Error::Parse { .. })), "{text}");
        }
        assert_eq!(rational("+.5e1").to_string(), "5");
        assert_eq!(rational("5.").to_string(), "5");
    }
}
