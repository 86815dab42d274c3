//! Natural numbers of any size as lists of 64-bit digits, the least digit first and no zero at the end.
//!
//! Plain school arithmetic: the numbers of a proof have some tens to some thousands of digits, and faster schemes begin to
//! pay beyond.

use std::cmp::Ordering;

/// Takes away the zeros at the end.
pub(super) fn trim(digits: &mut Vec<u64>) {
    while digits.last() == Some(&0) {
        digits.pop();
    }
}

pub(super) fn compare(a: &[u64], b: &[u64]) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

/// The number of binary digits; 0 has none.
pub(super) fn bits(a: &[u64]) -> u64 {
    a.last().map_or(0, |last| a.len() as u64 * 64 - u64::from(last.leading_zeros()))
}

/// The number of zeros below the least binary digit that is 1; 0 has none.
pub(super) fn trailing_zeros(a: &[u64]) -> u64 {
    let whole = a.iter().take_while(|digit| **digit == 0).count();
    a.get(whole).map_or(0, |digit| whole as u64 * 64 + u64::from(digit.trailing_zeros()))
}

pub(super) fn add(a: &[u64], b: &[u64]) -> Vec<u64> {
    let (long, short) = if a.len() < b.len() { (b, a) } else { (a, b) };
    let mut sum = Vec::with_capacity(long.len() + 1);
    let mut carry = 0;
    for (k, &digit) in long.iter().enumerate() {
        let total = u128::from(digit) + u128::from(short.get(k).copied().unwrap_or(0)) + carry;
        sum.push(total as u64);
        carry = total >> 64;
    }
    if carry > 0 {
        sum.push(carry as u64);
    }
    sum
}

/// `a − b` for `a ≥ b`.
pub(super) fn subtract(a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut difference = Vec::with_capacity(a.len());
    let mut borrow = false;
    for (k, &digit) in a.iter().enumerate() {
        let (first, under) = digit.overflowing_sub(b.get(k).copied().unwrap_or(0));
        let (second, again) = first.overflowing_sub(u64::from(borrow));
        difference.push(second);
        borrow = under || again;
    }
    trim(&mut difference);
    difference
}

pub(super) fn multiply(a: &[u64], b: &[u64]) -> Vec<u64> {
    if a.is_empty() || b.is_empty() {
        return Vec::new();
    }
    let mut product = vec![0; a.len() + b.len()];
    for (k, &x) in a.iter().enumerate() {
        let mut carry = 0;
        for (out, &y) in product[k..].iter_mut().zip(b) {
            // (2⁶⁴ − 1)² + 2(2⁶⁴ − 1) is just below 2¹²⁸.
            let total = u128::from(x) * u128::from(y) + u128::from(*out) + carry;
            *out = total as u64;
            carry = total >> 64;
        }
        product[k + b.len()] = carry as u64;
    }
    trim(&mut product);
    product
}

pub(super) fn shift_left(a: &[u64], shift: u64) -> Vec<u64> {
    if a.is_empty() {
        return Vec::new();
    }
    let (whole, part) = ((shift / 64) as usize, (shift % 64) as u32);
    let mut shifted = vec![0; whole];
    if part == 0 {
        shifted.extend_from_slice(a);
        return shifted;
    }
    let mut carry = 0;
    for &digit in a {
        shifted.push(digit << part | carry);
        carry = digit >> (64 - part);
    }
    shifted.push(carry);
    trim(&mut shifted);
    shifted
}

/// The whole part of `a / 2^shift`.
pub(super) fn shift_right(a: &[u64], shift: u64) -> Vec<u64> {
    let whole = usize::try_from(shift / 64).unwrap_or(usize::MAX).min(a.len());
    let (kept, part) = (&a[whole..], (shift % 64) as u32);
    let mut shifted: Vec<u64> = kept.to_vec();
    if part > 0 {
        for k in 0..kept.len() {
            let above = kept.get(k + 1).map_or(0, |next| next << (64 - part));
            shifted[k] = kept[k] >> part | above;
        }
    }
    trim(&mut shifted);
    shifted
}

/// Quotient and remainder by one digit, which must not be 0.
pub(super) fn divide_by_digit(a: &[u64], divisor: u64) -> (Vec<u64>, u64) {
    let (mut quotient, mut rest) = (vec![0; a.len()], 0_u128);
    for k in (0..a.len()).rev() {
        let whole = rest << 64 | u128::from(a[k]);
        quotient[k] = (whole / u128::from(divisor)) as u64;
        rest = whole % u128::from(divisor);
    }
    trim(&mut quotient);
    (quotient, rest as u64)
}

/// Quotient and remainder by a number that must not be 0: Knuth's algorithm D.
pub(super) fn divide(a: &[u64], b: &[u64]) -> (Vec<u64>, Vec<u64>) {
    if compare(a, b) == Ordering::Less {
        return (Vec::new(), a.to_vec());
    }
    if let [digit] = b {
        let (quotient, rest) = divide_by_digit(a, *digit);
        return (quotient, if rest == 0 { Vec::new() } else { vec![rest] });
    }
    // With the highest bit of the divisor set, a guess from two digits is at most 2 too large.
    let shift = u64::from(b[b.len() - 1].leading_zeros());
    let b = shift_left(b, shift);
    let mut rest = shift_left(a, shift);
    rest.resize(a.len() + 1, 0);
    let (n, top, next) = (b.len(), u128::from(b[b.len() - 1]), u128::from(b[b.len() - 2]));
    let mut quotient = vec![0; rest.len() - n];
    for k in (0..quotient.len()).rev() {
        let head = u128::from(rest[k + n]) << 64 | u128::from(rest[k + n - 1]);
        let (mut guess, mut left) = (head / top, head % top);
        while guess >> 64 != 0 || guess * next > (left << 64 | u128::from(rest[k + n - 2])) {
            guess -= 1;
            left += top;
            if left >> 64 != 0 {
                break;
            }
        }
        if take_multiple(&mut rest[k..=k + n], &b, guess as u64) {
            guess -= 1;
            give_back(&mut rest[k..=k + n], &b);
        }
        quotient[k] = guess as u64;
    }
    trim(&mut quotient);
    trim(&mut rest);
    (quotient, shift_right(&rest, shift))
}

/// `rest ← rest − factor·b`, and whether that fell below 0, so that `2^64ⁿ` was borrowed.
fn take_multiple(rest: &mut [u64], b: &[u64], factor: u64) -> bool {
    let (mut carry, mut borrow) = (0_u128, false);
    for (k, out) in rest.iter_mut().enumerate() {
        let product = u128::from(factor) * u128::from(b.get(k).copied().unwrap_or(0)) + carry;
        carry = product >> 64;
        let (first, under) = out.overflowing_sub(product as u64);
        let (second, again) = first.overflowing_sub(u64::from(borrow));
        *out = second;
        borrow = under || again;
    }
    borrow
}

/// `rest ← rest + b`, the carry dropped.
fn give_back(rest: &mut [u64], b: &[u64]) {
    let mut carry = 0;
    for (k, out) in rest.iter_mut().enumerate() {
        let total = u128::from(*out) + u128::from(b.get(k).copied().unwrap_or(0)) + carry;
        *out = total as u64;
        carry = total >> 64;
    }
}

/// The greatest common divisor by Euclid's algorithm; powers of two, which most numbers here share, are taken out first.
pub(super) fn gcd(a: &[u64], b: &[u64]) -> Vec<u64> {
    if a.is_empty() || b.is_empty() {
        return if a.is_empty() { b.to_vec() } else { a.to_vec() };
    }
    let (twos_a, twos_b) = (trailing_zeros(a), trailing_zeros(b));
    let (mut a, mut b) = (shift_right(a, twos_a), shift_right(b, twos_b));
    while !b.is_empty() {
        if let ([x], [y]) = (a.as_slice(), b.as_slice()) {
            let (mut x, mut y) = (*x, *y);
            while y != 0 {
                (x, y) = (y, x % y);
            }
            a = vec![x];
            break;
        }
        let (_, rest) = divide(&a, &b);
        (a, b) = (b, rest);
    }
    shift_left(&a, twos_a.min(twos_b))
}
