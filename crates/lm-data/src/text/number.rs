//! Decimal numbers, correctly rounded.
//!
//! # Problem
//! Read `[+-] digits [. digits] [e [+-] digits]` from bytes and return the nearest `f64` or `f32`.
//! # Method
//! Up to eight digits are recognised and converted in one 64-bit word. A number of at most 15 digits and no exponent
//! is `mantissa / 10ᵏ` with both parts exact in `f64`, so one correctly rounded division gives the nearest number
//! (Clinger 1990, §4). All others take the standard library's parser, which is correctly rounded too.
//! # Cost
//! A few nanoseconds a number on the short path.

use lm_core::Element;

/// A number type that data files are read into: `f64` or `f32`.
pub trait Stored: Element {
    /// The number nearest to a decimal, given the nearest `f64` and the decimal itself; `None` if it is too large.
    #[doc(hidden)]
    fn from_decimal(wide: f64, decimal: &[u8]) -> Option<Self>;
}

impl Stored for f64 {
    #[inline]
    fn from_decimal(wide: f64, _: &[u8]) -> Option<Self> {
        Some(wide)
    }
}

impl Stored for f32 {
    #[inline]
    fn from_decimal(wide: f64, decimal: &[u8]) -> Option<Self> {
        // Rounding twice differs from rounding once only if the first result lies half-way between two `f32`
        // numbers; below the normal range half-way points lie elsewhere.
        const HALF_WAY: u64 = 1 << 28;
        let narrow = wide as f32;
        let doubtful = wide.to_bits() & (2 * HALF_WAY - 1) == HALF_WAY || !narrow.is_normal();
        let narrow = if doubtful && wide != 0.0 { parsed::<f32>(decimal)? } else { narrow };
        narrow.is_finite().then_some(narrow)
    }
}

/// Why no number could be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// There is no decimal number at this place.
    NotANumber,
    /// The number is larger than any finite one.
    Overflow,
}

/// Reads the decimal that starts at `start`: its value and the place behind it. What follows is the caller's
/// business.
#[inline]
pub(crate) fn scan(text: &[u8], start: usize) -> Result<(f64, usize), Fault> {
    let first = byte(text, start);
    let negative = first == b'-';
    let mut at = start + usize::from(negative | (first == b'+'));
    let (whole, mut mantissa) = digits(word(text, at));
    at += whole;
    let mut fraction = 0;
    if byte(text, at) == b'.' {
        at += 1;
        let (count, part) = digits(word(text, at));
        mantissa = mantissa * power_of_ten(count) + part;
        (fraction, at) = (count, at + count);
        if count == 8 {
            let (count, part) = digits(word(text, at));
            mantissa = mantissa.wrapping_mul(power_of_ten(count)).wrapping_add(part);
            (fraction, at) = (fraction + count, at + count);
        }
    }
    let next = byte(text, at);
    let short = whole < 8 && whole + fraction <= 15 && whole + fraction > 0;
    if !short || next | 0x20 == b'e' || next.is_ascii_digit() {
        return scan_any(text, start);
    }
    let value = mantissa as f64 / TENS[fraction];
    Ok((if negative { -value } else { value }, at))
}

/// Reads an integer without sign: its value, saturated, and the place behind it; `None` without a digit.
#[inline]
pub(crate) fn scan_index(text: &[u8], start: usize) -> Option<(u64, usize)> {
    let (count, value) = digits(word(text, start));
    match count {
        0 => None,
        8 => Some(scan_long_index(text, start)),
        _ => Some((value, start + count)),
    }
}

#[cold]
fn scan_long_index(text: &[u8], start: usize) -> (u64, usize) {
    let end = end_of_digits(text, start);
    let add = |value: u64, &digit: &u8| value.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
    (text[start..end].iter().fold(0, add), end)
}

/// The whole of `text` as one number.
pub(crate) fn whole(text: &[u8]) -> Result<f64, Fault> {
    match scan(text, 0)? {
        (value, end) if end == text.len() => Ok(value),
        _ => Err(Fault::NotANumber),
    }
}

/// Any decimal, by the standard library's parser once its end is known.
#[cold]
fn scan_any(text: &[u8], start: usize) -> Result<(f64, usize), Fault> {
    let from = start + usize::from(matches!(byte(text, start), b'+' | b'-'));
    let mut end = end_of_digits(text, from);
    let mut count = end - from;
    if byte(text, end) == b'.' {
        let behind = end_of_digits(text, end + 1);
        count += behind - end - 1;
        end = behind;
    }
    if count == 0 {
        return Err(Fault::NotANumber);
    }
    if byte(text, end) | 0x20 == b'e' {
        let exponent = end + 1 + usize::from(matches!(byte(text, end + 1), b'+' | b'-'));
        end = end_of_digits(text, exponent);
        if end == exponent {
            return Err(Fault::NotANumber);
        }
    }
    let value = parsed::<f64>(&text[start..end]).ok_or(Fault::NotANumber)?;
    if value.is_finite() { Ok((value, end)) } else { Err(Fault::Overflow) }
}

fn parsed<T: std::str::FromStr>(decimal: &[u8]) -> Option<T> {
    std::str::from_utf8(decimal).ok()?.parse().ok()
}

fn end_of_digits(text: &[u8], start: usize) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    // A start behind the end of the text is the end of no digits.
    start + rest.iter().position(|b| !b.is_ascii_digit()).unwrap_or(rest.len())
}

/// The byte at a place; the end of the text reads as a line end.
#[inline]
pub(crate) fn byte(text: &[u8], at: usize) -> u8 {
    text.get(at).copied().unwrap_or(b'\n')
}

/// Eight bytes from a place on, as a little-endian word; bytes behind the end read as zero, which is no digit.
#[inline]
fn word(text: &[u8], at: usize) -> u64 {
    match text.get(at..).and_then(<[u8]>::first_chunk) {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => last_word(text, at),
    }
}

#[cold]
fn last_word(text: &[u8], at: usize) -> u64 {
    let rest = text.get(at..).unwrap_or_default();
    rest.iter().take(8).rev().fold(0, |word, &b| word << 8 | u64::from(b))
}

/// How many of eight bytes are digits before the first that is not, and the number they form.
#[inline]
fn digits(word: u64) -> (usize, u64) {
    // A digit becomes 0 … 9. Adding 0x76 sets the top bit of every other byte; a carry only reaches bytes behind it.
    let x = word ^ 0x3030_3030_3030_3030;
    let stops = (x.wrapping_add(0x7676_7676_7676_7676) | x) & 0x8080_8080_8080_8080;
    let count = stops.trailing_zeros() / 8;
    // Shift the digits to the last places, so that zeros stand before them; then add up pairs, fours, eights.
    let x = x.checked_shl(64 - 8 * count).unwrap_or(0);
    let x = (x.wrapping_mul(10).wrapping_add(x >> 8)) & 0x00FF_00FF_00FF_00FF;
    let x = (x.wrapping_mul(100).wrapping_add(x >> 16)) & 0x0000_FFFF_0000_FFFF;
    let x = (x.wrapping_mul(10_000).wrapping_add(x >> 32)) & 0xFFFF_FFFF;
    (count as usize, x)
}

/// Powers of ten that are exact in `f64`.
const TENS: [f64; 17] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16];

#[inline]
fn power_of_ten(exponent: usize) -> u64 {
    const POWERS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
    POWERS[exponent]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn eight_digits_are_read_at_once() {
        for (text, count, value) in [
            ("", 0, 0),
            (" 12", 0, 0),
            ("7", 1, 7),
            ("42:1", 2, 42),
            ("0012345 ", 7, 12_345),
            ("987654321", 8, 98_765_432),
            ("12\u{fffd}4", 2, 12),
            ("1/", 1, 1),
            ("9:", 1, 9),
        ] {
            assert_eq!(digits(word(text.as_bytes(), 0)), (count, value), "{text:?}");
        }
    }

    #[test]
    fn decimals_equal_the_standard_parser_bit_for_bit() {
        let mut random = Random::new(1);
        for round in 0..200_000 {
            let mut text = String::new();
            text.push_str(["", "-", "+"][random.below(3)]);
            (0..random.below(11)).for_each(|_| text.push(char::from(b'0' + random.below(10) as u8)));
            if random.below(3) > 0 {
                text.push('.');
                (0..random.below(20)).for_each(|_| text.push(char::from(b'0' + random.below(10) as u8)));
            }
            if random.below(4) == 0 {
                text.push_str(["e", "E", "e+", "e-"][random.below(4)]);
                text.push_str(&random.below(400).to_string());
            }
            let ours = whole(text.as_bytes());
            match text.parse::<f64>() {
                Ok(value) if value.is_finite() => {
                    assert_eq!(ours.map(f64::to_bits), Ok(value.to_bits()), "round {round}: {text}");
                    let narrow = text.parse::<f32>().ok().filter(|v| v.is_finite());
                    let own = f32::from_decimal(value, text.as_bytes());
                    assert_eq!(own.map(f32::to_bits), narrow.map(f32::to_bits), "round {round}: {text}");
                }
                Ok(_) => assert_eq!(ours, Err(Fault::Overflow), "round {round}: {text}"),
                Err(_) => assert_eq!(ours, Err(Fault::NotANumber), "round {round}: {text}"),
            }
        }
    }

    #[test]
    fn half_way_decimals_are_rounded_once() {
        // Just above the middle of 1 and the next f32: rounding to f64 first would land on the middle.
        let text = b"1.00000005960464477539062500000001";
        let wide = whole(text).unwrap();
        assert_eq!(wide as f32, 1.0);
        assert_eq!(f32::from_decimal(wide, text), Some(1.000_000_1));
        assert_eq!(f32::from_decimal(1e39, b"1e39"), None);
        assert_eq!(f32::from_decimal(1e-45, b"1e-45"), Some(1e-45));
    }

    #[test]
    fn words_and_other_notations_are_no_numbers() {
        for text in [
            "", "+", "-", ".", "-.", "e5", "1e", "1e+", "nan", "inf", "0x10", "1_000", "1,5", "1 ", "--1",
            "1.2.3",
        ] {
            assert_eq!(whole(text.as_bytes()), Err(Fault::NotANumber), "{text:?}");
        }
        assert_eq!(whole(b"1e400"), Err(Fault::Overflow));
        assert_eq!(whole(b"1e99999999999999999999"), Err(Fault::Overflow));
        assert_eq!(whole(b"1e-400"), Ok(0.0));
        assert_eq!(whole(b"4.9e-324"), Ok(f64::from_bits(1)));
        assert!(whole(b"-0").unwrap().is_sign_negative());
    }

    #[test]
    fn indices_saturate() {
        assert_eq!(scan_index(b"99999999999999999999:", 0), Some((u64::MAX, 20)));
        assert_eq!(scan_index(b"0000000012:", 0), Some((12, 10)));
        assert_eq!(scan_index(b"-1:", 0), None);
    }
}
