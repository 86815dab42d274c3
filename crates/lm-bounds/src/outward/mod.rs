//! Numbers that are known to twice the digits of `f64`, with a bound on what is not known of them.
//!
//! A bound must not be below the value that its theorem gives, not by a rounding. So every formula of this crate is evaluated
//! in [`Enclosed`] numbers: a [`DoubleDouble`], about 32 digits, and a bound on its distance from the real number, kept
//! through every operation. At the end [`Enclosed::at_most`] rounds up past that distance and [`Enclosed::at_least`]
//! down. As the distance is about 10⁻²⁸ of the number, the `f64` is almost always the one next to the real number.
//!
//! An operation that has no exact result in the numbers, such as an overflow or a division by what may be 0, makes the
//! distance infinite: the bound is then `∞`, which is true, and never NaN.

mod factorial;
mod functions;
mod normal;

use std::ops::{Add, Div, Mul, Neg, Sub};

use lm_core::double_double::{DoubleDouble, two_product, two_sum};

pub use factorial::{ln_binomial, ln_factorial};
pub use normal::normal_tail;

/// A real number: an approximation of about 32 digits, and how far it may be off.
///
/// ```
/// use lm_bounds::outward::Enclosed;
///
/// let third = Enclosed::from(1.0) / Enclosed::from(3.0);
/// assert!(third.at_least() < third.at_most());
/// assert_eq!(third.at_least().next_up(), third.at_most());
/// assert_eq!((third * Enclosed::from(3.0)).at_most(), 1.0_f64.next_up());
/// assert_eq!((Enclosed::from(1.0) / Enclosed::from(4.0)).at_most(), 0.25); // without a rounding
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Enclosed {
    value: DoubleDouble,
    error: f64,
}

/// What an operation on double-double numbers may lose, relative to its result. The error bounds of Joldes, Muller and
/// Popescu (2017) for these algorithms are below `16·2⁻¹⁰⁶`.
const UNIT: f64 = 1.0 / (1_u128 << 98) as f64;

/// What an operation may lose where it underflows: some of the smallest numbers there are.
const TINY: f64 = 64.0 * f64::from_bits(1);

/// Room for the roundings of an error bound itself.
const ROOM: f64 = 1.0 + 1e-10;

/// The range in which a product of two numbers and its rounding error are exact.
const SAFE: f64 = 1e-280;

impl Enclosed {
    /// Nothing.
    pub const ZERO: Self = Self { value: DoubleDouble::ZERO, error: 0.0 };

    /// Everything: nothing is known of the number.
    pub(crate) const UNKNOWN: Self = Self { value: DoubleDouble::ZERO, error: f64::INFINITY };

    /// A whole number.
    pub fn count(count: u64) -> Self {
        // Both halves are exact.
        let (high, low) = (count >> 32, count & 0xffff_ffff);
        let (hi, lo) = two_sum(high as f64 * 4_294_967_296.0, low as f64);
        Self { value: DoubleDouble { hi, lo }, error: 0.0 }
    }

    /// A number that is known up to an error.
    pub fn within(value: f64, error: f64) -> Self {
        Self { value: DoubleDouble::from(value), error: error.abs() }.checked()
    }

    /// A number of which this much is known: `relative` is what the last operation may have lost.
    fn new(value: DoubleDouble, error: f64, relative: f64) -> Self {
        let error = (error + value.hi.abs() * relative + TINY) * ROOM;
        Self { value, error }.checked()
    }

    /// An exact result, if no error came in with the operands.
    fn exact(value: DoubleDouble, error: f64) -> Self {
        if error == 0.0 { Self { value, error }.checked() } else { Self::new(value, error, 0.0) }
    }

    /// Nothing is known of what is not a number.
    fn checked(self) -> Self {
        let known = self.value.hi.is_finite() && self.value.lo.is_finite() && self.error.is_finite();
        if known { self } else { Self::UNKNOWN }
    }

    /// The `f64` nearest to the approximation: neither above nor below the number by promise.
    pub fn nearest(self) -> f64 {
        if self.error.is_finite() { self.value.value() } else { f64::NAN }
    }

    /// An `f64` that is not below the number, and next to it where the number is known well.
    pub fn at_most(self) -> f64 {
        if self.error == f64::INFINITY {
            return f64::INFINITY;
        }
        let up = |(sum, rest): (f64, f64)| if rest > 0.0 { sum.next_up() } else { sum };
        up(two_sum(self.value.hi, up(two_sum(self.value.lo, self.error))))
    }

    /// An `f64` that is not above the number.
    pub fn at_least(self) -> f64 {
        -(-self).at_most()
    }

    /// Whether the number is above 0 for certain.
    pub fn is_positive(self) -> bool {
        self.at_least() > 0.0
    }

    /// The root.
    #[must_use]
    pub fn sqrt(self) -> Self {
        let Self { value, error } = self;
        if !(value.hi > 0.0) {
            // A number that should be 0 or more, up to its error.
            let largest = self.at_most();
            let root = if largest > 0.0 { largest.sqrt().next_up() } else { 0.0 };
            return if largest >= 0.0 { Self::within(0.0, root) } else { Self::UNKNOWN };
        }
        let exponent = exponent(value.hi) / 2;
        let (scaled, error) = (scale(value, -2 * exponent), scale_error(error, -2 * exponent));
        let root = scaled.sqrt();
        let is_exact = scaled.lo == 0.0 && root.lo == 0.0 && two_product(root.hi, root.hi) == (scaled.hi, 0.0);
        // √v − √(v − e) ≤ e/√v.
        let off = error / root.hi * ROOM;
        let off = if is_exact { off } else { off + root.hi * UNIT };
        Self::exact(scale(root, exponent), scale_error(off, exponent))
    }

    /// The square.
    #[must_use]
    pub fn squared(self) -> Self {
        self * self
    }

    /// The larger of two numbers.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        if self.at_least() >= other.at_most() {
            return self;
        }
        if other.at_least() >= self.at_most() {
            return other;
        }
        let larger = if self.value.hi > other.value.hi { self } else { other };
        Self { value: larger.value, error: (self.error + other.error) * ROOM }.checked()
    }

    /// The number times a power of two.
    #[must_use]
    pub fn scaled(self, exponent: i32) -> Self {
        Self::exact(scale(self.value, exponent), scale_error(self.error, exponent))
    }
}

/// The exponent of the largest power of two that is not larger than a number other than 0.
fn exponent(value: f64) -> i32 {
    let bits = |value: f64| ((value.abs().to_bits() >> 52) as i32) - 1023;
    if value.abs() < f64::MIN_POSITIVE { bits(value * 18_446_744_073_709_551_616.0) - 64 } else { bits(value) }
}

/// `2ᵏ` for a `k` within the range of normal numbers.
fn power(k: i32) -> f64 {
    f64::from_bits(((k + 1023) as u64) << 52)
}

/// A number times `2ᵏ`, in two steps that are each within range.
fn scale(value: DoubleDouble, k: i32) -> DoubleDouble {
    let k = k.clamp(-2040, 2040);
    let (first, second) = (power(k / 2), power(k - k / 2));
    DoubleDouble { hi: value.hi * first * second, lo: value.lo * first * second }
}

/// An error bound times `2ᵏ`: one that is not 0 does not become 0.
fn scale_error(error: f64, k: i32) -> f64 {
    if error == 0.0 { 0.0 } else { scale(DoubleDouble::from(error), k).hi.max(f64::from_bits(1)) }
}

impl From<f64> for Enclosed {
    fn from(value: f64) -> Self {
        Self::within(value, 0.0)
    }
}

impl Neg for Enclosed {
    type Output = Self;

    fn neg(self) -> Self {
        Self { value: -self.value, error: self.error }
    }
}

impl Add for Enclosed {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let sum = self.value + other.value;
        let error = self.error + other.error;
        if self.value.lo == 0.0 && other.value.lo == 0.0 {
            return Self::exact(sum, error);
        }
        // Relative to the operands too, in case they cancel.
        let size = self.value.hi.abs().max(other.value.hi.abs());
        Self::new(sum, error + size * (UNIT * UNIT), UNIT)
    }
}

impl Sub for Enclosed {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Enclosed {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let product = self.value * other.value;
        let (a, b) = (self.value.hi.abs(), other.value.hi.abs());
        // The leading parts may be half a unit below the numbers.
        let error = (a * other.error + b * self.error) * ROOM + self.error * other.error;
        // Errors that underflow are still errors.
        let error = if self.error == 0.0 && other.error == 0.0 { 0.0 } else { error + TINY };
        let single = self.value.lo == 0.0 && other.value.lo == 0.0;
        if single && (a == 0.0 || b == 0.0 || product.hi.abs() > SAFE) {
            return Self::exact(product, error);
        }
        Self::new(product, error, UNIT)
    }
}

impl Div for Enclosed {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        let size = other.value.hi.abs() * (1.0 - 1e-15);
        if !(size > other.error) || self.error == f64::INFINITY {
            return Self::UNKNOWN;
        }
        if self.value.hi == 0.0 {
            let error = self.error / (size - other.error) * ROOM;
            return Self::exact(DoubleDouble::ZERO, if self.error == 0.0 { 0.0 } else { error + TINY });
        }
        let (ka, kb) = (exponent(self.value.hi), exponent(other.value.hi));
        let (a, b) = (scale(self.value, -ka), scale(other.value, -kb));
        let (of_a, of_b) = (scale_error(self.error, -ka), scale_error(other.error, -kb));
        let quotient = a / b;
        let single = a.lo == 0.0 && b.lo == 0.0 && quotient.lo == 0.0;
        let is_exact = single && two_product(quotient.hi, b.hi) == (a.hi, 0.0);
        let mut error = (of_a + quotient.hi.abs() * of_b) / (b.hi.abs() * (1.0 - 1e-15) - of_b) * ROOM;
        if !is_exact {
            error += quotient.hi.abs() * UNIT;
        }
        Self::exact(scale(quotient, ka - kb), scale_error(error, ka - kb))
    }
}

macro_rules! with_f64 {
    ($($trait:ident, $method:ident);*) => {$(
        impl $trait<f64> for Enclosed {
            type Output = Self;

            fn $method(self, other: f64) -> Self {
                $trait::$method(self, Self::from(other))
            }
        }
    )*};
}

with_f64!(Add, add; Sub, sub; Mul, mul; Div, div);

impl std::iter::Sum for Enclosed {
    fn sum<I: Iterator<Item = Self>>(numbers: I) -> Self {
        numbers.fold(Self::ZERO, |sum, number| sum + number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enclosed(value: f64) -> Enclosed {
        Enclosed::from(value)
    }

    #[test]
    fn what_is_exact_stays_exact() {
        let four = enclosed(2.0) * enclosed(2.0);
        assert_eq!((four.at_least(), four.at_most()), (4.0, 4.0));
        assert_eq!(enclosed(16.0).sqrt().at_most(), 4.0);
        assert_eq!((enclosed(1.5) / enclosed(0.5)).at_most(), 3.0);
        assert_eq!((enclosed(0.25) + enclosed(1e10)).at_most(), 1e10 + 0.25);
        assert_eq!(Enclosed::count(u64::MAX).at_most(), 18_446_744_073_709_551_616.0);
        assert!(Enclosed::count(u64::MAX).at_least() < 18_446_744_073_709_551_615.0);
    }

    #[test]
    fn what_is_not_exact_is_rounded_outward_by_one_step() {
        let root = enclosed(2.0).sqrt();
        assert_eq!(root.at_least().next_up(), root.at_most());
        assert!(root.at_least() <= std::f64::consts::SQRT_2 && std::f64::consts::SQRT_2 <= root.at_most());
        let sum = enclosed(1.0) + enclosed(1e-40);
        assert_eq!((sum.at_least(), sum.at_most()), (1.0, 1.0_f64.next_up()));
    }

    #[test]
    fn a_square_of_a_root_encloses_the_number() {
        for k in -1070..1023 {
            let x = scale(DoubleDouble::from(1.7), k).hi;
            let back = enclosed(x).sqrt().squared();
            assert!(back.at_least() <= x && x <= back.at_most(), "2^{k}: {back:?}");
            assert!(back.at_most() <= x * (1.0 + 1e-15) + 1e-320, "2^{k}");
            let ratio = enclosed(x) / enclosed(3.0) * enclosed(3.0);
            assert!(ratio.at_least() <= x && x <= ratio.at_most(), "2^{k}: {ratio:?}");
            let one = enclosed(x) / enclosed(x);
            assert_eq!((one.at_least(), one.at_most()), (1.0, 1.0), "2^{k}");
        }
    }

    #[test]
    fn what_has_no_value_is_infinite_and_never_nan() {
        for unknown in [
            enclosed(1.0) / Enclosed::ZERO,
            enclosed(f64::NAN),
            enclosed(f64::INFINITY),
            enclosed(1e300) * enclosed(1e300),
            enclosed(-1.0).sqrt(),
            enclosed(1.0) / Enclosed::within(1.0, 2.0),
            Enclosed::UNKNOWN * Enclosed::ZERO,
            Enclosed::ZERO / Enclosed::UNKNOWN,
            Enclosed::UNKNOWN - Enclosed::UNKNOWN,
        ] {
            assert_eq!((unknown.at_least(), unknown.at_most()), (f64::NEG_INFINITY, f64::INFINITY));
        }
    }

    #[test]
    fn a_difference_that_cancels_keeps_its_error() {
        let third = enclosed(1.0) / enclosed(3.0);
        let nought = third - third;
        assert!(nought.at_least() <= 0.0 && nought.at_most() >= 0.0 && nought.at_most() < 1e-28);
        assert!(!nought.is_positive());
    }

    #[test]
    fn the_larger_of_two_that_cannot_be_told_apart_covers_both() {
        let (a, b) = (Enclosed::within(1.0, 0.5), Enclosed::within(1.2, 0.1));
        let larger = a.max(b);
        assert!(larger.at_most() >= 1.5 && larger.at_least() <= 1.1);
    }
}
