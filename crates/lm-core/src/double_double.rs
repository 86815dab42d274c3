//! Numbers of twice the precision of `f64`, and the sums of products that residuals are made of.
//!
//! # Problem
//! A residual `y − Xβ` is a small difference of large numbers: in plain arithmetic all of its digits may be rounding
//! errors, and a solution cannot be better than the residual it is corrected by.
//! # Method
//! A [`DoubleDouble`] is the unevaluated sum `hi + lo` of two `f64`, `lo` being what rounding took from `hi`: about 32
//! digits. The rounding error of a sum is computed by six additions, that of a product by one fused multiply-add.
//! # Cost
//! About ten operations for a product and its addition. Over blocks of rows they keep up with the memory that the rows
//! come from.
//! # Reference
//! Knuth (1969), section 4.2.2; Dekker (1971); Ogita, Rump & Oishi (2005), algorithm 5.3 ("Dot2").

use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::engine::{Instructions, Simd, Task};

/// A number as the sum of two: `hi`, the nearest `f64`, and `lo`, what is left.
///
/// ```
/// use lm_core::double_double::DoubleDouble;
///
/// let third = DoubleDouble::from(1.0) / DoubleDouble::from(3.0);
/// let nought = third * 3.0 - 1.0;
/// assert!(nought.value().abs() < 1e-31);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DoubleDouble {
    /// The leading part.
    pub hi: f64,
    /// The rest, at most half a unit in the last place of `hi`.
    pub lo: f64,
}

/// `a + b` rounded, and the rounding error.
#[inline(always)]
pub fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

/// `a·b` rounded, and the rounding error.
#[inline(always)]
pub fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    (product, a.mul_add(b, -product))
}

/// `hi + lo` for `|hi| ≥ |lo|`, as a leading part and a rest.
#[inline(always)]
fn renormalised(hi: f64, lo: f64) -> DoubleDouble {
    let sum = hi + lo;
    DoubleDouble { hi: sum, lo: lo - (sum - hi) }
}

impl DoubleDouble {
    /// Nothing.
    pub const ZERO: Self = Self { hi: 0.0, lo: 0.0 };

    /// The nearest `f64`.
    #[inline]
    pub fn value(self) -> f64 {
        self.hi + self.lo
    }

    /// `a·b` without a rounding error.
    #[inline]
    pub fn product(a: f64, b: f64) -> Self {
        let (hi, lo) = two_product(a, b);
        Self { hi, lo }
    }

    /// The square root; NaN of a negative number.
    pub fn sqrt(self) -> Self {
        if self.hi == 0.0 {
            return Self::ZERO;
        }
        let root = self.hi.sqrt();
        // One step of Newton's method doubles the digits.
        let rest = (self - Self::product(root, root)).hi;
        renormalised(root, rest / (2.0 * root))
    }

    /// The size.
    pub fn abs(self) -> Self {
        if self.hi < 0.0 || (self.hi == 0.0 && self.lo < 0.0) { -self } else { self }
    }
}

impl From<f64> for DoubleDouble {
    #[inline]
    fn from(value: f64) -> Self {
        Self { hi: value, lo: 0.0 }
    }
}

impl Neg for DoubleDouble {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self { hi: -self.hi, lo: -self.lo }
    }
}

impl Add for DoubleDouble {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let (hi, error) = two_sum(self.hi, other.hi);
        let (lo, rest) = two_sum(self.lo, other.lo);
        let first = renormalised(hi, error + lo);
        renormalised(first.hi, first.lo + rest)
    }
}

impl Mul for DoubleDouble {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        let (hi, error) = two_product(self.hi, other.hi);
        renormalised(hi, error + (self.hi * other.lo + self.lo * other.hi))
    }
}

impl Div for DoubleDouble {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        let first = self.hi / other.hi;
        let rest = self - other * first;
        let second = rest.hi / other.hi;
        let last = (rest - other * second).hi / other.hi;
        let quotient = renormalised(first, second);
        renormalised(quotient.hi, quotient.lo + last)
    }
}

impl Sub for DoubleDouble {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

macro_rules! with_f64 {
    ($($trait:ident, $method:ident);*) => {$(
        impl $trait<f64> for DoubleDouble {
            type Output = Self;

            #[inline]
            fn $method(self, other: f64) -> Self {
                $trait::$method(self, Self::from(other))
            }
        }
    )*};
}

with_f64!(Add, add; Sub, sub; Mul, mul; Div, div);

/// Running sums that a processor adds to side by side.
const LANES: usize = 8;

/// `Σ aₖbₖ` over the shorter of both, as if computed with twice the digits of `f64` and rounded at the end.
///
/// ```
/// use lm_core::double_double::dot;
///
/// let exact = dot(&[1e17, 1.0, -1e17], &[1.0, 0.5, 1.0]);
/// assert_eq!(exact.value(), 0.5);
/// ```
pub fn dot(a: &[f64], b: &[f64]) -> DoubleDouble {
    Instructions::best().run(Dot { a, b })
}

struct Dot<'a> {
    a: &'a [f64],
    b: &'a [f64],
}

impl Task for Dot<'_> {
    type Output = DoubleDouble;

    #[inline(always)]
    fn run<S: Simd>(self, _: S) -> DoubleDouble {
        let len = self.a.len().min(self.b.len());
        let (a, a_rest) = self.a[..len].as_chunks::<LANES>();
        let (b, b_rest) = self.b[..len].as_chunks::<LANES>();
        let (mut sums, mut errors) = ([0.0; LANES], [0.0; LANES]);
        for (a, b) in a.iter().zip(b) {
            for lane in 0..LANES {
                let (product, error) = two_product(a[lane], b[lane]);
                let (sum, lost) = two_sum(sums[lane], product);
                sums[lane] = sum;
                errors[lane] += error + lost;
            }
        }
        for (lane, (&a, &b)) in a_rest.iter().zip(b_rest).enumerate() {
            let (product, error) = two_product(a, b);
            let (sum, lost) = two_sum(sums[lane], product);
            sums[lane] = sum;
            errors[lane] += error + lost;
        }
        total(sums, errors)
    }
}

/// The sum of all lanes, halves added to halves, so that additions do not wait for each other.
#[inline(always)]
fn total(mut sums: [f64; LANES], mut errors: [f64; LANES]) -> DoubleDouble {
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            let (sum, lost) = two_sum(sums[lane], sums[lane + half]);
            sums[lane] = sum;
            errors[lane] += errors[lane + half] + lost;
        }
        half /= 2;
    }
    let (hi, lo) = two_sum(sums[0], errors[0]);
    DoubleDouble { hi, lo }
}

/// `rᵢ ← rᵢ − Σₖ xᵢₖwₖ` for a row-major block of as many rows as `r` is long, each as long as `w`.
pub fn subtract_products(rows: &[f64], w: &[DoubleDouble], r: &mut [DoubleDouble]) {
    let hi: Vec<f64> = w.iter().map(|w| w.hi).collect();
    let lo: Vec<f64> = w.iter().map(|w| w.lo).collect();
    Instructions::best().run(SubtractProducts { rows, hi: &hi, lo: &lo, r });
}

struct SubtractProducts<'a> {
    rows: &'a [f64],
    hi: &'a [f64],
    lo: &'a [f64],
    r: &'a mut [DoubleDouble],
}

impl Task for SubtractProducts<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Self { rows, hi, lo, r } = self;
        let width = hi.len();
        if width == 0 {
            return;
        }
        let w = Weights::new(hi, lo);
        let (sides, rest) = r.as_chunks_mut::<SIDE>();
        let (together, alone) = rows.split_at(rows.len().min(sides.len() * SIDE * width));
        // A sum waits for the one before it: rows side by side fill the time.
        for (x, r) in together.chunks_exact(SIDE * width).zip(sides) {
            let (x0, x) = x.split_at(width);
            let (x1, x) = x.split_at(width);
            let (x2, x3) = x.split_at(width);
            w.subtract([x0, x1, x2, x3], r);
        }
        for (x, r) in alone.chunks_exact(width).zip(rest) {
            w.subtract([x], std::slice::from_mut(r));
        }
    }
}

/// Rows whose sums are computed side by side.
const SIDE: usize = 4;

/// Weights in blocks of as many as are added side by side; the last block is filled up with zeros.
struct Weights<'a> {
    hi: &'a [[f64; LANES]],
    lo: &'a [[f64; LANES]],
    last_hi: [f64; LANES],
    last_lo: [f64; LANES],
}

impl<'a> Weights<'a> {
    #[inline(always)]
    fn new(hi: &'a [f64], lo: &'a [f64]) -> Self {
        let ((hi, hi_rest), (lo, lo_rest)) = (hi.as_chunks(), lo.as_chunks());
        Self { hi, lo, last_hi: filled(hi_rest), last_lo: filled(lo_rest) }
    }

    /// `r ← r − ⟨x·w⟩` for some rows. The sum of a row does not depend on its company.
    #[inline(always)]
    fn subtract<const N: usize>(&self, x: [&[f64]; N], r: &mut [DoubleDouble]) {
        let (mut sums, mut errors) = ([[0.0; LANES]; N], [[0.0; LANES]; N]);
        let parts = x.map(|x| x.as_chunks::<LANES>());
        for (block, (hi, lo)) in self.hi.iter().zip(self.lo).enumerate() {
            for row in 0..N {
                add_products(&parts[row].0[block], hi, lo, &mut sums[row], &mut errors[row]);
            }
        }
        for row in 0..N {
            let x = filled(parts[row].1);
            add_products(&x, &self.last_hi, &self.last_lo, &mut sums[row], &mut errors[row]);
        }
        for (row, r) in r.iter_mut().enumerate().take(N) {
            *r = *r - total(sums[row], errors[row]);
        }
    }
}

/// Fewer numbers than [`LANES`], filled up with zeros.
#[inline(always)]
fn filled(rest: &[f64]) -> [f64; LANES] {
    let mut block = [0.0; LANES];
    block[..rest.len()].copy_from_slice(rest);
    block
}

/// Adds the products of a block to running sums, and what rounding took from them to running errors.
#[inline(always)]
fn add_products(
    x: &[f64; LANES],
    hi: &[f64; LANES],
    lo: &[f64; LANES],
    sums: &mut [f64; LANES],
    errors: &mut [f64; LANES],
) {
    for lane in 0..LANES {
        let (product, error) = two_product(x[lane], hi[lane]);
        let (sum, lost) = two_sum(sums[lane], product);
        sums[lane] = sum;
        errors[lane] += x[lane].mul_add(lo[lane], error + lost);
    }
}

/// `gₖ ← gₖ + Σᵢ xᵢₖrᵢ` for a row-major block of as many rows as `r` is long, each as long as `g`.
pub fn add_transposed_products(rows: &[f64], r: &[DoubleDouble], g: &mut [DoubleDouble]) {
    let mut hi: Vec<f64> = g.iter().map(|g| g.hi).collect();
    let mut lo: Vec<f64> = g.iter().map(|g| g.lo).collect();
    Instructions::best().run(AddTransposed { rows, r, hi: &mut hi, lo: &mut lo });
    for ((g, hi), lo) in g.iter_mut().zip(hi).zip(lo) {
        let (hi, lo) = two_sum(hi, lo);
        *g = DoubleDouble { hi, lo };
    }
}

struct AddTransposed<'a> {
    rows: &'a [f64],
    r: &'a [DoubleDouble],
    hi: &'a mut [f64],
    lo: &'a mut [f64],
}

impl Task for AddTransposed<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Self { rows, r, hi, lo } = self;
        if hi.is_empty() {
            return;
        }
        let width = hi.len();
        let (sides, rest) = r.as_chunks::<SIDE>();
        let (together, alone) = rows.split_at(rows.len().min(sides.len() * SIDE * width));
        // Several rows for one look at the sums.
        for (x, r) in together.chunks_exact(SIDE * width).zip(sides) {
            let (x0, x) = x.split_at(width);
            let (x1, x) = x.split_at(width);
            let (x2, x3) = x.split_at(width);
            let columns = x0.iter().zip(x1).zip(x2).zip(x3);
            for ((((x0, x1), x2), x3), (hi, lo)) in columns.zip(hi.iter_mut().zip(lo.iter_mut())) {
                for (x, r) in [x0, x1, x2, x3].into_iter().zip(r) {
                    add_product(*x, *r, hi, lo);
                }
            }
        }
        for (x, r) in alone.chunks_exact(width).zip(rest) {
            x.iter()
                .zip(hi.iter_mut().zip(lo.iter_mut()))
                .for_each(|(x, (hi, lo))| add_product(*x, *r, hi, lo));
        }
    }
}

/// Adds `x·r` to a sum `hi + lo`.
#[inline(always)]
fn add_product(x: f64, r: DoubleDouble, hi: &mut f64, lo: &mut f64) {
    let (product, error) = two_product(x, r.hi);
    let (sum, lost) = two_sum(*hi, product);
    *hi = sum;
    *lo += x.mul_add(r.lo, error + lost);
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    /// An integer times a power of two, so that a sum of products can be computed without rounding.
    fn number(random: &mut ChaCha8Rng) -> (i64, f64) {
        let whole = random.random_range(-(1_i64 << 50)..1 << 50);
        (whole, whole as f64)
    }

    #[test]
    fn arithmetic_has_thirty_digits() {
        let (two, three) = (DoubleDouble::from(2.0), DoubleDouble::from(3.0));
        let root = two.sqrt();
        assert!((root * root - 2.0).value().abs() < 1e-31);
        let ratio = two / three;
        assert!((ratio * 3.0 - 2.0).value().abs() < 1e-31);
        assert_eq!((ratio - ratio).value(), 0.0);
        assert_eq!((-ratio).abs(), ratio);
        assert_eq!(DoubleDouble::ZERO.sqrt(), DoubleDouble::ZERO);
    }

    #[test]
    fn a_dot_product_that_cancels_keeps_its_digits() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        for len in [0, 1, 7, 8, 9, 40, 133] {
            let a: Vec<_> = (0..len).map(|_| number(&mut random)).collect();
            let b: Vec<_> = (0..len).map(|_| number(&mut random)).collect();
            let exact: i128 = a.iter().zip(&b).map(|(a, b)| i128::from(a.0) * i128::from(b.0)).sum();
            let values = |of: &[(i64, f64)]| of.iter().map(|pair| pair.1).collect::<Vec<_>>();
            let found = dot(&values(&a), &values(&b));
            // 2¹⁰⁷ terms: what double-double arithmetic can hold is within 2⁻¹⁰⁰ of the size of the terms.
            let difference = exact - (found.hi as i128 + found.lo as i128);
            assert!(difference.unsigned_abs() <= 1 << 10, "{len}: {difference}");
        }
    }

    #[test]
    fn blocks_of_rows_agree_with_dot_products_one_by_one() {
        let mut random = ChaCha8Rng::seed_from_u64(4);
        for (n, d) in [(1, 1), (5, 3), (9, 8), (17, 29)] {
            let rows: Vec<f64> = (0..n * d).map(|_| random.random_range(-1e3..1e3)).collect();
            let wide = |random: &mut ChaCha8Rng| {
                DoubleDouble::from(random.random_range(-1.0..1.0)) + random.random_range(-1e-17..1e-17)
            };
            let w: Vec<DoubleDouble> = (0..d).map(|_| wide(&mut random)).collect();
            let mut r: Vec<DoubleDouble> = (0..n).map(|_| wide(&mut random)).collect();
            let mut expected = r.clone();
            for (i, r) in expected.iter_mut().enumerate() {
                (0..d).for_each(|k| *r = *r - w[k] * rows[i * d + k]);
            }
            subtract_products(&rows, &w, &mut r);
            for (r, e) in r.iter().zip(&expected) {
                assert!((*r - *e).value().abs() <= 1e-26 * d as f64, "{n} × {d}");
            }
            let mut g = w.clone();
            let mut expected = w;
            for (k, g) in expected.iter_mut().enumerate() {
                (0..n).for_each(|i| *g = *g + r[i] * rows[i * d + k]);
            }
            add_transposed_products(&rows, &r, &mut g);
            for (g, e) in g.iter().zip(&expected) {
                assert!((*g - *e).value().abs() <= 1e-21 * n as f64, "{n} × {d}");
            }
        }
    }
}
