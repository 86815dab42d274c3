//! Integers of any size.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

use super::natural;

/// An integer of any size.
///
/// ```
/// use lm_qp::exact::Integer;
///
/// let mut factorial = Integer::from(1);
/// for k in 1..=30 {
///     factorial = &factorial * &Integer::from(k);
/// }
/// assert_eq!(factorial.to_string(), "265252859812191058636308480000000");
/// assert_eq!(factorial.bits(), 108);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Integer {
    /// Never set for 0, so that equal numbers have equal parts.
    negative: bool,
    digits: Vec<u64>,
}

impl Integer {
    /// 0.
    pub const ZERO: Self = Self { negative: false, digits: Vec::new() };

    fn new(negative: bool, digits: Vec<u64>) -> Self {
        Self { negative: negative && !digits.is_empty(), digits }
    }

    /// `2^exponent`.
    pub fn power_of_two(exponent: u64) -> Self {
        Self::new(false, natural::shift_left(&[1], exponent))
    }

    /// `10^exponent`.
    pub fn power_of_ten(exponent: u32) -> Self {
        let (mut power, mut square, mut left) = (Self::from(1), Self::from(10), exponent);
        while left > 0 {
            if left & 1 == 1 {
                power = &power * &square;
            }
            square = &square * &square;
            left >>= 1;
        }
        power
    }

    /// The integer that these decimal digits stand for, if there is at least one and all are digits.
    pub(super) fn from_digits(digits: &str) -> Option<Self> {
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let mut value = Self::ZERO;
        for chunk in digits.as_bytes().chunks(18) {
            let part = chunk.iter().fold(0_u64, |part, byte| part * 10 + u64::from(byte - b'0'));
            let ten = 10_u64.pow(chunk.len() as u32);
            value = Self::new(false, natural::add(&natural::multiply(&value.digits, &[ten]), &trimmed(part)));
        }
        Some(value)
    }

    /// Whether it is 0.
    pub fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// Whether it is below 0.
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// Whether it is above 0.
    pub fn is_positive(&self) -> bool {
        !self.negative && !self.is_zero()
    }

    /// The number of binary digits of its size.
    pub fn bits(&self) -> u64 {
        natural::bits(&self.digits)
    }

    /// How often 2 divides it; 0 for 0.
    pub(super) fn twos(&self) -> u64 {
        natural::trailing_zeros(&self.digits)
    }

    /// Its size.
    #[must_use]
    pub fn abs(&self) -> Self {
        Self::new(false, self.digits.clone())
    }

    /// `self · 2^shift`.
    #[must_use]
    pub fn shifted(&self, shift: u64) -> Self {
        Self::new(self.negative, natural::shift_left(&self.digits, shift))
    }

    /// `self / 2^shift`, toward 0.
    pub(super) fn unshifted(&self, shift: u64) -> Self {
        Self::new(self.negative, natural::shift_right(&self.digits, shift))
    }

    /// Quotient, toward 0, and remainder, with the sign of the dividend; none for the divisor 0.
    pub fn divided(&self, divisor: &Self) -> Option<(Self, Self)> {
        if divisor.is_zero() {
            return None;
        }
        let (quotient, rest) = natural::divide(&self.digits, &divisor.digits);
        Some((Self::new(self.negative != divisor.negative, quotient), Self::new(self.negative, rest)))
    }

    /// The greatest common divisor, never negative.
    #[must_use]
    pub fn gcd(&self, other: &Self) -> Self {
        Self::new(false, natural::gcd(&self.digits, &other.digits))
    }

    /// `m` and `e` with `self = m·2^e` as nearly as 64 bits of `m` allow, and whether that is exact. The last bit of an inexact
    /// `m` is set, so that rounding once more goes the right way.
    pub(super) fn head(&self) -> (u64, u64, bool) {
        let excess = self.bits().saturating_sub(64);
        let head = natural::shift_right(&self.digits, excess).first().copied().unwrap_or(0);
        if excess <= self.twos() { (head, excess, true) } else { (head | 1, excess, false) }
    }

    /// The nearest `f64`, infinite where it is out of range.
    pub fn to_f64(&self) -> f64 {
        // 65 bits with a sticky last one round as all bits do.
        let (head, exponent, _) = self.head();
        let size = head as f64 * two_to(exponent.min(2000) as i64);
        if self.negative { -size } else { size }
    }
}

/// `2^exponent`, exactly where it is a number: 0 below all of them, infinite above.
pub(super) fn two_to(exponent: i64) -> f64 {
    match exponent {
        1024.. => f64::INFINITY,
        -1022..=1023 => f64::from_bits(((exponent + 1023) as u64) << 52),
        -1074..=-1023 => f64::from_bits(1 << (exponent + 1074)),
        _ => 0.0,
    }
}

/// The digits of one number.
fn trimmed(value: u64) -> Vec<u64> {
    if value == 0 { Vec::new() } else { vec![value] }
}

impl From<i64> for Integer {
    fn from(value: i64) -> Self {
        Self::new(value < 0, trimmed(value.unsigned_abs()))
    }
}

impl From<u64> for Integer {
    fn from(value: u64) -> Self {
        Self::new(false, trimmed(value))
    }
}

impl From<i32> for Integer {
    fn from(value: i32) -> Self {
        Self::from(i64::from(value))
    }
}

impl PartialOrd for Integer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Integer {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => natural::compare(&self.digits, &other.digits),
            (true, true) => natural::compare(&other.digits, &self.digits),
        }
    }
}

impl Integer {
    /// `self ± other`, where `negative` is the sign that `other` counts with.
    fn plus(&self, other: &Self, negative: bool) -> Self {
        if self.negative == negative {
            return Self::new(negative, natural::add(&self.digits, &other.digits));
        }
        match natural::compare(&self.digits, &other.digits) {
            Ordering::Equal => Self::ZERO,
            Ordering::Greater => Self::new(self.negative, natural::subtract(&self.digits, &other.digits)),
            Ordering::Less => Self::new(negative, natural::subtract(&other.digits, &self.digits)),
        }
    }
}

impl Add for &Integer {
    type Output = Integer;

    fn add(self, other: Self) -> Integer {
        self.plus(other, other.negative)
    }
}

impl Sub for &Integer {
    type Output = Integer;

    fn sub(self, other: Self) -> Integer {
        self.plus(other, !other.negative)
    }
}

impl Mul for &Integer {
    type Output = Integer;

    fn mul(self, other: Self) -> Integer {
        Integer::new(self.negative != other.negative, natural::multiply(&self.digits, &other.digits))
    }
}

impl Neg for &Integer {
    type Output = Integer;

    fn neg(self) -> Integer {
        Integer::new(!self.negative, self.digits.clone())
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const TEN_19: u64 = 10_000_000_000_000_000_000;
        let (mut left, mut parts) = (self.digits.clone(), Vec::new());
        while !left.is_empty() {
            let (quotient, part) = natural::divide_by_digit(&left, TEN_19);
            parts.push(part);
            left = quotient;
        }
        let mut text = parts.pop().unwrap_or(0).to_string();
        for part in parts.iter().rev() {
            text.push_str(&format!("{part:019}"));
        }
        f.pad_integral(!self.negative, "", &text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::testing::SplitMix64;

    fn integer(text: &str) -> Integer {
        match text.strip_prefix('-') {
            Some(size) => -&Integer::from_digits(size).unwrap(),
            None => Integer::from_digits(text).unwrap(),
        }
    }

    /// A number of up to `digits` digits, often with digits that are all zeros or all ones.
    fn random(random: &mut SplitMix64, digits: usize) -> Integer {
        let count = random.below(digits + 1);
        let digit = |random: &mut SplitMix64| match random.below(5) {
            0 => 0,
            1 => u64::MAX,
            _ => random.next_u64(),
        };
        let mut list: Vec<u64> = (0..count).map(|_| digit(random)).collect();
        natural::trim(&mut list);
        Integer::new(random.below(2) == 1, list)
    }

    #[test]
    fn known_numbers() {
        // Mersenne's 2¹²⁷ − 1, the repunit of 40 ones, and their product by another program.
        let mersenne = &Integer::power_of_two(127) - &Integer::from(1);
        assert_eq!(mersenne.to_string(), "170141183460469231731687303715884105727");
        let ones = integer(&"1".repeat(40));
        assert_eq!(&(&ones * &Integer::from(9)) + &Integer::from(1), Integer::power_of_ten(40));
        let product = &mersenne * &ones;
        assert_eq!(product.divided(&ones), Some((mersenne.clone(), Integer::ZERO)));
        assert_eq!(product.gcd(&mersenne), mersenne);
        // 2⁶⁴ + 1 = 274177 · 67280421310721.
        let fermat = &Integer::power_of_two(64) + &Integer::from(1);
        assert_eq!(&integer("274177") * &integer("67280421310721"), fermat);
        assert_eq!(fermat.gcd(&integer("-274177000")), integer("274177"));
        assert_eq!(integer("-17").divided(&integer("5")), Some((integer("-3"), integer("-2"))));
        assert_eq!(Integer::from(1).divided(&Integer::ZERO), None);
    }

    #[test]
    fn arithmetic_keeps_its_laws() {
        let mut source = SplitMix64::new(5);
        for _ in 0..3000 {
            let [a, b, c] = [(); 3].map(|()| random(&mut source, 6));
            assert_eq!(&(&a + &b) - &b, a);
            assert_eq!(&a * &(&b + &c), &(&a * &b) + &(&a * &c));
            if let Some((quotient, rest)) = a.divided(&b) {
                assert_eq!(&(&quotient * &b) + &rest, a);
                assert!(rest.abs() < b.abs() && (rest.is_zero() || rest.is_negative() == a.is_negative()));
            }
            let divisor = a.gcd(&b);
            if !divisor.is_zero() {
                let (x, y) = (a.divided(&divisor).unwrap(), b.divided(&divisor).unwrap());
                assert!(x.1.is_zero() && y.1.is_zero());
                assert_eq!(x.0.gcd(&y.0), Integer::from(1));
            }
            assert_eq!(integer(&a.to_string()), a);
            assert_eq!(a.shifted(77).unshifted(77), a);
        }
    }

    #[test]
    fn division_corrects_a_guess_that_is_too_large() {
        // The guess from two digits is one too large here: Knuth's rare case.
        let a = Integer::new(false, vec![0, 0, 1 << 63, (1 << 63) - 1]);
        let b = Integer::new(false, vec![1, 0, 1 << 63]);
        let (quotient, rest) = a.divided(&b).unwrap();
        assert_eq!(&(&quotient * &b) + &rest, a);
        assert!(rest < b);
    }

    #[test]
    fn conversion_to_floating_point_is_to_the_nearest() {
        let one = Integer::from(1);
        for (value, expected) in [
            (&Integer::power_of_two(53) + &one, 2.0_f64.powi(53)),
            (&Integer::power_of_two(53) + &Integer::from(3), 2.0_f64.powi(53) + 4.0),
            // Half way but for the last of 200 bits.
            (
                &(&Integer::power_of_two(200) + &Integer::power_of_two(147)) + &one,
                2.0_f64.powi(200) * (1.0 + f64::EPSILON),
            ),
            (Integer::power_of_ten(300), 1e300),
            (Integer::power_of_two(1100), f64::INFINITY),
            (Integer::from(-7), -7.0),
            (Integer::ZERO, 0.0),
        ] {
            assert_eq!(value.to_f64(), expected, "{value}");
        }
        assert_eq!(Integer::power_of_two(1023).to_f64(), 2.0_f64.powi(1023));
    }
}
