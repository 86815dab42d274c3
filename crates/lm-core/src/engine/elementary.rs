//! The exponential and the hyperbolic tangent, on vectors.
//!
//! # Problem
//! `2^t` in single precision for `t ≤ 0` with a relative error of at most 1e-7, and `exp(x)` in double precision for
//! `x ≤ 0` with an error of at most 2 units in the last place; the same bits on every processor that multiplies and adds
//! with one rounding.
//! # Method
//! The argument is a whole number plus a rest: `t = n + r` with `|r| ≤ ½` in single, `x = n·ln 2 + r` with `|r| ≤ ½ ln 2`
//! in double precision, where `ln 2` is subtracted in two parts. The power of the rest is a polynomial with the smallest possible
//! largest relative error (degrees 6 and 11, errors 2e-9 and 4e-18), whose constant term is exactly 1, so that `2^0` and
//! `exp(0)` are exactly 1. The whole number goes into the exponent; what is below the normal numbers is 0, because
//! subnormal results take a hundred times as long.
//! # Cost
//! 10 operations a vector in single precision where the processor scales by itself, 17 in double.
//! # Reference
//! Muller et al., *Handbook of Floating-Point Arithmetic* (2018), §10; the coefficients are from a Remez exchange in 40
//! digits.

use super::simd::{Floats, Instructions, Simd, Task};

/// Numbers in which kernel values are computed, with their vectors.
///
/// The operations are those of [`Floats`], named so that code over any `T: Real` and any `S: Simd` can call them.
pub(crate) trait Real: Copy + Default + PartialOrd + std::fmt::Debug + Send + Sync + 'static {
    /// The vector of these numbers.
    type V<S: Simd>: Copy;
    /// What an argument of the exponential is multiplied by before [`Real::power`] is taken: the logarithm of e to the
    /// base of that power.
    const EXPONENT_SCALE: f64;

    /// The number nearest to `value`.
    fn of(value: f64) -> Self;
    /// The number, exactly.
    fn wide(self) -> f64;
    /// `base^t` of every lane, for `t ≤ 0`; the base is 2 in single precision and e in double.
    fn power<S: Simd>(s: S, t: Self::V<S>) -> Self::V<S>;

    /// Rows of numbers of any type as rows of these, if they are; else none of them.
    fn these<'a, 'b, T: Real>(rows: &'a mut [&'b mut [T]]) -> &'a mut [&'b mut [Self]];
    /// Rows of these numbers as rows of `f32`, if they are.
    fn as_f32<'a, 'b>(rows: &'a mut [&'b mut [Self]]) -> &'a mut [&'b mut [f32]] {
        let _ = rows;
        &mut []
    }
    /// Rows of these numbers as rows of `f64`, if they are.
    fn as_f64<'a, 'b>(rows: &'a mut [&'b mut [Self]]) -> &'a mut [&'b mut [f64]] {
        let _ = rows;
        &mut []
    }

    /// Numbers in a vector.
    fn lanes<S: Simd>() -> usize;
    /// As [`Floats::splat`].
    fn splat<S: Simd>(s: S, value: Self) -> Self::V<S>;
    /// As [`Floats::load`].
    fn load<S: Simd>(s: S, from: &[Self]) -> Self::V<S>;
    /// As [`Floats::store`].
    fn store<S: Simd>(s: S, v: Self::V<S>, to: &mut [Self]);
    /// As [`Floats::add`].
    fn add<S: Simd>(s: S, a: Self::V<S>, b: Self::V<S>) -> Self::V<S>;
    /// As [`Floats::sub`].
    fn sub<S: Simd>(s: S, a: Self::V<S>, b: Self::V<S>) -> Self::V<S>;
    /// As [`Floats::mul`].
    fn mul<S: Simd>(s: S, a: Self::V<S>, b: Self::V<S>) -> Self::V<S>;
    /// As [`Floats::div`].
    fn div<S: Simd>(s: S, a: Self::V<S>, b: Self::V<S>) -> Self::V<S>;
    /// As [`Floats::mul_add`].
    fn mul_add<S: Simd>(s: S, a: Self::V<S>, b: Self::V<S>, c: Self::V<S>) -> Self::V<S>;
    /// As [`Floats::min`].
    fn min<S: Simd>(s: S, a: Self::V<S>, b: Self::V<S>) -> Self::V<S>;
    /// As [`Floats::abs`].
    fn abs<S: Simd>(s: S, a: Self::V<S>) -> Self::V<S>;
    /// As [`Floats::copy_sign`].
    fn copy_sign<S: Simd>(s: S, a: Self::V<S>, b: Self::V<S>) -> Self::V<S>;
}

/// Hands the operations of a number on to the vectors of the processor.
macro_rules! operations {
    ($type:ty: $($name:ident($($argument:ident),+)),+) => {
        $(
            #[inline(always)]
            fn $name<S: Simd>(s: S, $($argument: Self::V<S>),+) -> Self::V<S> {
                Floats::<$type>::$name(s, $($argument),+)
            }
        )+
    };
}

/// A number with everything but its exponential, which comes as `power`.
macro_rules! real {
    ($type:ty, $scale:expr, $power:ident, $as:ident) => {
        impl Real for $type {
            type V<S: Simd> = <S as Floats<$type>>::V;
            const EXPONENT_SCALE: f64 = $scale;

            #[inline(always)]
            fn of(value: f64) -> Self {
                value as $type
            }

            #[inline(always)]
            fn wide(self) -> f64 {
                f64::from(self)
            }

            #[inline(always)]
            fn power<S: Simd>(s: S, t: Self::V<S>) -> Self::V<S> {
                $power(s, t)
            }

            #[inline(always)]
            fn these<'a, 'b, T: Real>(rows: &'a mut [&'b mut [T]]) -> &'a mut [&'b mut [Self]] {
                T::$as(rows)
            }

            #[inline(always)]
            fn $as<'a, 'b>(rows: &'a mut [&'b mut [Self]]) -> &'a mut [&'b mut [Self]] {
                rows
            }

            #[inline(always)]
            fn lanes<S: Simd>() -> usize {
                <S as Floats<$type>>::LANES
            }

            #[inline(always)]
            fn splat<S: Simd>(s: S, value: Self) -> Self::V<S> {
                Floats::<$type>::splat(s, value)
            }

            #[inline(always)]
            fn load<S: Simd>(s: S, from: &[Self]) -> Self::V<S> {
                Floats::<$type>::load(s, from)
            }

            #[inline(always)]
            fn store<S: Simd>(s: S, v: Self::V<S>, to: &mut [Self]) {
                Floats::<$type>::store(s, v, to);
            }

            operations!($type: add(a, b), sub(a, b), mul(a, b), div(a, b), mul_add(a, b, c), min(a, b),
                abs(a), copy_sign(a, b));
        }
    };
}

real!(f32, std::f64::consts::LOG2_E, power_of_two, as_f32);
real!(f64, 1.0, exponential, as_f64);

/// `2^t` for `t ≤ 0`, in single precision.
#[inline(always)]
fn power_of_two<S: Floats<f32>>(s: S, t: S::V) -> S::V {
    let (n, r) = s.split(t);
    let mut q = s.splat(1.535_334_2e-4);
    for coefficient in [1.339_890_1e-3, 9.618_438e-3, 5.550_332_4e-2, 2.402_264_8e-1, 6.931_472e-1, 1.0] {
        q = s.mul_add(q, r, s.splat(coefficient));
    }
    s.scale(q, n)
}

/// `exp(x)` for `x ≤ 0`, in double precision.
#[inline(always)]
fn exponential<S: Floats<f64>>(s: S, x: S::V) -> S::V {
    // Adding it rounds to a whole number.
    let shift = s.splat(6_755_399_441_055_744.0);
    let x = s.max(x, s.splat(-746.0));
    let n = s.sub(s.mul_add(x, s.splat(std::f64::consts::LOG2_E), shift), shift);
    // The first part has 33 digits, so that its product with n is exact.
    let r = s.mul_add(n, s.splat(-0.693_147_180_485_539_1), x);
    let r = s.mul_add(n, s.splat(-7.440_617_110_012_397e-11), r);
    let mut q = s.splat(2.500_006_162_553_128e-8);
    for coefficient in [
        2.763_024_838_532_302e-7,
        2.755_758_637_378_518e-6,
        2.480_149_309_888_739e-5,
        1.984_126_950_657_872_3e-4,
        1.388_888_894_363_013_4e-3,
        8.333_333_333_494_461e-3,
        4.166_666_666_653_015_5e-2,
        1.666_666_666_666_641_3e-1,
        0.500_000_000_000_001_1,
    ] {
        q = s.mul_add(q, r, s.splat(coefficient));
    }
    let tail = s.mul_add(s.mul(r, r), q, r);
    s.scale(s.add(tail, s.splat(1.0)), n)
}

/// `tanh(y)` of every lane with an absolute error of some units of rounding, from `exp(−2|y|)`; odd to the bit.
#[inline(always)]
pub(crate) fn tanh<T: Real, S: Simd>(s: S, y: T::V<S>) -> T::V<S> {
    let e = T::power(s, T::mul(s, T::abs(s, y), T::splat(s, T::of(-2.0 * T::EXPONENT_SCALE))));
    let one = T::splat(s, T::of(1.0));
    T::copy_sign(s, T::div(s, T::sub(s, one, e), T::add(s, one, e)), y)
}

/// Replaces every number `x ≤ 0` by `exp(x)`, with the best instructions of this processor: within two units in the last
/// place, and 0 for what is below the normal numbers. What becomes of a number above 0, or of NaN, is not specified.
///
/// ```
/// let mut values = [0.0, -1.0, -800.0];
/// lm_core::exponentials(&mut values);
/// assert!(values[0] == 1.0 && (values[1] - (-1.0_f64).exp()).abs() < 1e-15 && values[2] == 0.0);
/// ```
pub fn exponentials(values: &mut [f64]) {
    Instructions::best().run(Exponentials(values));
}

struct Exponentials<'a>(&'a mut [f64]);

impl Task for Exponentials<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        const MOST: usize = 16;
        let lanes = <S as Floats<f64>>::LANES;
        let of = |part: &mut [f64]| {
            let x = Floats::<f64>::load(s, part);
            Floats::<f64>::store(s, exponential(s, x), part);
        };
        let mut parts = self.0.chunks_exact_mut(lanes);
        parts.by_ref().for_each(of);
        let rest = parts.into_remainder();
        if !rest.is_empty() {
            let mut padded = [0.0; MOST];
            padded[..rest.len()].copy_from_slice(rest);
            of(&mut padded[..lanes]);
            rest.copy_from_slice(&padded[..rest.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Power<'a, T>(&'a [T]);

    impl<T: Real> Task for Power<'_, T> {
        type Output = Vec<T>;

        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> Vec<T> {
            let mut out = self.0.to_vec();
            for part in out.chunks_exact_mut(T::lanes::<S>()) {
                let v = T::power(s, T::load(s, part));
                T::store(s, v, part);
            }
            out
        }
    }

    #[test]
    fn single_precision_stays_below_1e_7() {
        // Every 64th number between −123 and −1e-9, and then some.
        let mut bits = 1e-9_f32.to_bits();
        let mut worst = 0.0_f64;
        while bits < 123.0_f32.to_bits() {
            let arguments: Vec<f32> = (0..4096).map(|k| -f32::from_bits(bits + 64 * k)).collect();
            bits += 64 * 4096;
            let first = Instructions::Portable.run(Power(&arguments));
            for level in Instructions::available() {
                let values = level.run(Power(&arguments));
                for ((value, t), plain) in values.iter().zip(&arguments).zip(&first) {
                    let exact = f64::from(*t).exp2();
                    worst = worst.max((f64::from(*value) / exact - 1.0).abs());
                    assert!((f64::from(*value) - f64::from(*plain)).abs() <= 2e-7 * exact);
                }
            }
        }
        assert!(worst <= 1e-7, "{worst:e}");
    }

    #[test]
    fn double_precision_stays_below_two_units_in_the_last_place() {
        let arguments: Vec<f64> =
            (0..400_000).map(|k| -708.0 * (f64::from(k) / 400_000.0).powi(3) - 1e-12).collect();
        for level in Instructions::available() {
            let values = level.run(Power(&arguments));
            for (value, x) in values.iter().zip(&arguments) {
                // The library's exponential is within one unit itself.
                let expected = x.exp();
                let unit = f64::from_bits(expected.to_bits() + 1) - expected;
                assert!((value - expected).abs() <= 2.0 * unit, "{level:?}: exp({x}) = {value}");
            }
        }
    }

    #[test]
    fn every_length_of_a_list_is_served() {
        for len in 0..40 {
            let mut values: Vec<f64> = (0..len).map(|k| -0.7 * f64::from(k)).collect();
            exponentials(&mut values);
            for (k, value) in (0..len).zip(values) {
                let expected = (-0.7 * f64::from(k)).exp();
                assert!((value - expected).abs() <= 4e-16 * expected, "{len} {k}");
            }
        }
    }

    #[test]
    fn the_ends_are_exact_and_what_underflows_is_zero() {
        for level in Instructions::available() {
            let narrow = level.run(Power(&[
                0.0_f32, -0.0, -1.0, -126.0, -149.0, -152.0, -1e9, -3e38, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
                0.0,
            ]));
            let powers = [1.0, 1.0, 0.5, f32::MIN_POSITIVE, 0.0, 0.0, 0.0, 0.0];
            assert_eq!(narrow[..8], powers, "{level:?}");
            let wide = level.run(Power(&[0.0, -0.0, -745.0, -746.5, -1e300, f64::MIN, -708.0, -1.0]));
            assert_eq!((wide[0], wide[1], wide[3], wide[4], wide[5]), (1.0, 1.0, 0.0, 0.0, 0.0), "{level:?}");
            assert_eq!(wide[2], 0.0, "{level:?}");
        }
    }

    #[test]
    fn fused_instructions_give_the_same_bits() {
        let arguments: Vec<f64> = (0..4096).map(|k| -0.019 * f64::from(k).powf(1.2)).collect();
        let narrow: Vec<f32> = arguments.iter().map(|&x| x as f32).collect();
        let levels = Instructions::available();
        if let [_, avx2, avx512] = levels[..] {
            assert_eq!(avx2.run(Power(&arguments)), avx512.run(Power(&arguments)));
            assert_eq!(avx2.run(Power(&narrow)), avx512.run(Power(&narrow)));
        }
    }
}
