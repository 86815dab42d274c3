//! Powers of two: factors that change the size of numbers and none of their digits.

use lm_core::double_double::DoubleDouble;

/// `2^exponent`; the exponent is clamped to those of normal numbers.
pub(crate) fn power_of_two(exponent: i32) -> f64 {
    let biased = i64::from(exponent.clamp(-1022, 1023)) + 1023;
    f64::from_bits((biased as u64) << 52)
}

/// The exponent of the power of two at or below `|value|`; 0 for 0 and for what is not finite.
pub(crate) fn exponent(value: f64) -> i32 {
    if value == 0.0 || !value.is_finite() {
        return 0;
    }
    let biased = |value: f64| ((value.to_bits() >> 52) & 0x7ff) as i32;
    match biased(value) {
        // A subnormal number: 2^64 times it is normal.
        0 => biased(value * power_of_two(64)) - 1023 - 64,
        other => other - 1023,
    }
}

/// `value·2^exponent`, for exponents whose own power may not be a number.
pub(crate) fn scaled(value: f64, exponent: i32) -> f64 {
    let half = exponent / 2;
    value * power_of_two(half) * power_of_two(exponent - half)
}

/// As [`scaled`], for a number of twice the digits.
pub(crate) fn scaled_wide(value: DoubleDouble, exponent: i32) -> DoubleDouble {
    DoubleDouble { hi: scaled(value.hi, exponent), lo: scaled(value.lo, exponent) }
}

/// The size that squares, products and their rounding errors can be computed with: `2^±300`.
const RANGE: i32 = 300;

/// The largest size of some numbers, NaN if one is not finite.
pub(crate) fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0.0, |most: f64, value| {
        if value.is_finite() && !most.is_nan() { most.max(value.abs()) } else { f64::NAN }
    })
}

/// Whether arithmetic with numbers of this size keeps its digits; zeros do.
pub(crate) fn in_range(size: f64) -> bool {
    size == 0.0 || (size.is_finite() && exponent(size).abs() <= RANGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_and_powers_undo_each_other() {
        for e in [-1074, -1050, -1022, -300, -1, 0, 1, 52, 1023] {
            let value = scaled(1.0, e);
            assert_eq!(exponent(value), e, "2^{e}");
            assert_eq!(scaled(value, -e), 1.0);
            assert_eq!(exponent(-value), e);
        }
        assert_eq!(exponent(0.75), -1);
        assert_eq!((exponent(0.0), exponent(f64::NAN)), (0, 0));
        assert_eq!(scaled(3.0, 2000), f64::INFINITY);
        assert_eq!(scaled(3.0, -2000), 0.0);
    }

    #[test]
    fn the_largest_of_numbers_keeps_what_is_not_finite() {
        assert_eq!(largest([1.0, -3.0, 2.0]), 3.0);
        assert!(largest([1.0, f64::INFINITY, 2.0]).is_nan());
        assert!(largest([f64::NAN, 2.0]).is_nan());
        assert!(in_range(0.0) && in_range(1e-80) && !in_range(1e-100) && !in_range(f64::NAN));
    }
}
