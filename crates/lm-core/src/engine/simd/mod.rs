//! Vector instructions: what the engine asks of a processor, and the three answers.
//!
//! [`Simd`] is a short list of operations on vectors of a processor-dependent length. Everything in the engine is
//! written once, in safe code, over that list. Four tokens implement it: [`Avx512`] with and without an instruction that
//! counts bits, [`Avx2`] and [`Portable`]. A
//! token can be had only where its instructions exist, which is what makes its operations safe to call; the `unsafe`
//! of this library is in the files of the two x86 tokens, and nowhere else.
//!
//! A [`Task`] is run through [`Instructions::run`]: the token's [`Simd::vectorize`] is a function compiled with
//! the instructions of that token, into which the whole task is inlined. So dispatch costs one branch per task.

/// Implements [`Floats`] for a token by intrinsic functions, which it proves to exist; `split` and `scale` come at the end.
#[cfg(target_arch = "x86_64")]
macro_rules! floats_by_intrinsics {
    (
        [$($generics:tt)*] $token:ty, $type:ty, $vector:ty, $lanes:literal,
        $splat:ident, $load:ident, $store:ident, $add:ident, $sub:ident, $mul:ident, $div:ident, $mul_add:ident,
        $min:ident, $max:ident, $and:ident, $and_not:ident, $or:ident,
        $($rest:tt)*
    ) => {
        impl<$($generics)*> Floats<$type> for $token {
            type V = $vector;
            const LANES: usize = $lanes;

            #[inline(always)]
            fn splat(self, value: $type) -> $vector {
                call!($splat(value))
            }

            #[inline(always)]
            fn load(self, from: &[$type]) -> $vector {
                assert!(from.len() >= $lanes);
                // SAFETY: the slice has as many numbers as the vector; `self` proves the instruction.
                unsafe { $load(from.as_ptr()) }
            }

            #[inline(always)]
            fn store(self, v: $vector, to: &mut [$type]) {
                assert!(to.len() >= $lanes);
                // SAFETY: the slice has as many places as the vector; `self` proves the instruction.
                unsafe { $store(to.as_mut_ptr(), v) }
            }

            #[inline(always)]
            fn add(self, a: $vector, b: $vector) -> $vector {
                call!($add(a, b))
            }

            #[inline(always)]
            fn sub(self, a: $vector, b: $vector) -> $vector {
                call!($sub(a, b))
            }

            #[inline(always)]
            fn mul(self, a: $vector, b: $vector) -> $vector {
                call!($mul(a, b))
            }

            #[inline(always)]
            fn div(self, a: $vector, b: $vector) -> $vector {
                call!($div(a, b))
            }

            #[inline(always)]
            fn mul_add(self, a: $vector, b: $vector, c: $vector) -> $vector {
                call!($mul_add(a, b, c))
            }

            #[inline(always)]
            fn min(self, a: $vector, b: $vector) -> $vector {
                call!($min(a, b))
            }

            #[inline(always)]
            fn max(self, a: $vector, b: $vector) -> $vector {
                call!($max(a, b))
            }

            #[inline(always)]
            fn abs(self, a: $vector) -> $vector {
                call!($and_not(call!($splat(-0.0)), a))
            }

            #[inline(always)]
            fn copy_sign(self, a: $vector, b: $vector) -> $vector {
                let sign = call!($splat(-0.0));
                call!($or(call!($and_not(sign, a)), call!($and(sign, b))))
            }

            $($rest)*
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

#[cfg(target_arch = "x86_64")]
use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
use avx512::Avx512;
use portable::Portable;

/// The instructions that blocks of a Gram matrix are computed with.
///
/// The best that the processor has are chosen when a Gram matrix or an expansion is made. Different instructions give
/// the same values within the error bounds, and all that have fused multiply-add give the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Instructions {
    /// What every processor has, as the compiler vectorises it.
    Portable,
    /// 256-bit vectors with fused multiply-add.
    Avx2,
    /// 512-bit vectors with byte products (from Cascade Lake on).
    Avx512,
    /// 512-bit vectors with byte products and bit counts (from Ice Lake and Zen 4 on).
    Avx512Counts,
}

impl Instructions {
    /// The best instructions of this processor.
    pub fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if Avx512::<true>::detect().is_some() {
                return Self::Avx512Counts;
            }
            if Avx512::<false>::detect().is_some() {
                return Self::Avx512;
            }
            if Avx2::detect().is_some() {
                return Self::Avx2;
            }
        }
        Self::Portable
    }

    /// All instructions of this processor, the plainest first.
    pub fn available() -> Vec<Self> {
        [Self::Portable, Self::Avx2, Self::Avx512, Self::Avx512Counts]
            .into_iter()
            .filter(|level| *level <= Self::best())
            .collect()
    }

    /// Runs a task with these instructions, or with the best that the processor has instead.
    #[inline]
    pub(crate) fn run<T: Task>(self, task: T) -> T::Output {
        #[cfg(target_arch = "x86_64")]
        {
            if self == Self::Avx512Counts
                && let Some(token) = Avx512::<true>::detect()
            {
                return token.vectorize(task);
            }
            if self >= Self::Avx512
                && let Some(token) = Avx512::<false>::detect()
            {
                return token.vectorize(task);
            }
            if self >= Self::Avx2
                && let Some(token) = Avx2::detect()
            {
                return token.vectorize(task);
            }
        }
        Portable.vectorize(task)
    }
}

/// Work that is compiled once for each kind of instructions.
///
/// Implementations mark `run` and all that it calls on a hot path `#[inline(always)]`: what is not inlined is not
/// compiled with the instructions of the token.
pub(crate) trait Task {
    /// What comes of it.
    type Output;

    /// Does the work with the instructions of `s`.
    fn run<S: Simd>(self, s: S) -> Self::Output;
}

/// A processor's vectors of numbers, of bytes in fours, and of words of bits.
pub(crate) trait Simd: Floats<f32> + Floats<f64> + Quads + Words {
    /// The most rows of a tile that is two vectors wide and stays in registers.
    const ROWS: usize;
    /// Whether numbers are multiplied and added with one rounding.
    const FUSED: bool;

    /// Asks for something to be brought near that will be read soon.
    #[inline(always)]
    fn prefetch<T>(self, soon: &[T]) {
        let _ = soon;
    }

    /// Runs a task, compiled with these instructions.
    fn vectorize<T: Task>(self, task: T) -> T::Output;
}

/// Vectors of `f32` or `f64`.
pub(crate) trait Floats<T>: Copy + Send + Sync + 'static {
    /// The vector.
    type V: Copy;
    /// How many numbers it holds.
    const LANES: usize;

    /// The same number in every lane.
    fn splat(self, value: T) -> Self::V;
    /// The first numbers of a slice, which has at least as many as the vector.
    fn load(self, from: &[T]) -> Self::V;
    /// Writes a vector to the start of a slice, which has at least as many places.
    fn store(self, v: Self::V, to: &mut [T]);
    /// `a + b`.
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a − b`.
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a·b`.
    fn mul(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a / b`.
    fn div(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a·b + c`, rounded once where the processor can.
    fn mul_add(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// The smaller of both.
    fn min(self, a: Self::V, b: Self::V) -> Self::V;
    /// The larger of both.
    fn max(self, a: Self::V, b: Self::V) -> Self::V;
    /// `|a|`.
    fn abs(self, a: Self::V) -> Self::V;
    /// The size of `a` with the sign of `b`.
    fn copy_sign(self, a: Self::V, b: Self::V) -> Self::V;
    /// The whole number nearest to `a`, halves to the even one, and what is left of `a`.
    fn split(self, a: Self::V) -> (Self::V, Self::V);
    /// `p·2ⁿ` for `p` between ½ and 2 and a whole number `n ≤ 0`; 0 where `2ⁿ` is not a normal number.
    fn scale(self, p: Self::V, n: Self::V) -> Self::V;
}

/// Vectors of groups of four bytes, for exact inner products of small integers.
pub(crate) trait Quads: Copy + Send + Sync + 'static {
    /// The vector of 32-bit groups.
    type V: Copy;
    /// How many groups it holds.
    const LANES: usize;

    /// The same group in every lane.
    fn splat(self, value: i32) -> Self::V;
    /// The first groups of a slice.
    fn load(self, from: &[i32]) -> Self::V;
    /// Writes a vector to the start of a slice.
    fn store(self, v: Self::V, to: &mut [i32]);
    /// Adds to each lane of `sum` the inner product of four unsigned bytes of `a` with four signed bytes of `b`.
    fn add_products(self, sum: Self::V, a: Self::V, b: Self::V) -> Self::V;
}

/// Vectors of 64-bit words, for counting common bits.
pub(crate) trait Words: Copy + Send + Sync + 'static {
    /// The vector.
    type V: Copy;
    /// How many words it holds.
    const LANES: usize;

    /// The same word in every lane.
    fn splat(self, value: u64) -> Self::V;
    /// The first words of a slice.
    fn load(self, from: &[u64]) -> Self::V;
    /// Writes a vector to the start of a slice.
    fn store(self, v: Self::V, to: &mut [u64]);
    /// Adds to each lane of `count` the number of bits that are set in both.
    fn add_common(self, count: Self::V, a: Self::V, b: Self::V) -> Self::V;
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn the_best_instructions_are_available_and_the_portable_ones_everywhere() {
        let all = Instructions::available();
        assert_eq!(all[0], Instructions::Portable);
        assert_eq!(all.last(), Some(&Instructions::best()));
    }

    /// Every operation on random operands, the results one after the other.
    struct Everything<'a> {
        a: &'a [f64; 16],
        b: &'a [f64; 16],
    }

    impl Task for Everything<'_> {
        type Output = (Vec<u64>, Vec<u64>);

        #[inline(always)]
        fn run<S: Simd>(self, s: S) -> Self::Output {
            (floats(s, self.a, self.b), integers(s, self.a, self.b))
        }
    }

    #[inline(always)]
    fn floats<S: Simd>(s: S, a: &[f64; 16], b: &[f64; 16]) -> Vec<u64> {
        let mut results = Vec::new();
        let lanes = <S as Floats<f64>>::LANES;
        for at in (0..16).step_by(lanes) {
            let (x, y) = (Floats::<f64>::load(s, &a[at..]), Floats::<f64>::load(s, &b[at..]));
            let (half, small) = (Floats::<f64>::splat(s, 0.75), Floats::<f64>::splat(s, -3.0));
            let mut rounded = [0.0; 16];
            rounded.iter_mut().zip(&a[at..]).for_each(|(to, x)| *to = x.min(0.0).round());
            let whole = Floats::<f64>::load(s, &rounded);
            let all = [
                Floats::<f64>::add(s, x, y),
                Floats::<f64>::sub(s, x, y),
                Floats::<f64>::mul(s, x, y),
                Floats::<f64>::div(s, x, y),
                Floats::<f64>::min(s, x, y),
                Floats::<f64>::max(s, x, y),
                Floats::<f64>::abs(s, x),
                Floats::<f64>::copy_sign(s, x, y),
                Floats::<f64>::add(s, Floats::<f64>::split(s, x).0, Floats::<f64>::splat(s, 0.0)), // +0 for −0
                Floats::<f64>::split(s, x).1,
                Floats::<f64>::scale(s, half, whole),
                Floats::<f64>::scale(s, half, small),
            ];
            for v in all {
                let mut out = [0.0; 16];
                Floats::<f64>::store(s, v, &mut out);
                results.extend(out[..lanes].iter().map(|value: &f64| value.to_bits()));
            }
        }
        // Operation by operation, whatever the length of a vector.
        let (blocks, operations) = (16 / lanes, 12);
        let mut sorted = Vec::new();
        for operation in 0..operations {
            for block in 0..blocks {
                let start = (block * operations + operation) * lanes;
                sorted.extend_from_slice(&results[start..start + lanes]);
            }
        }
        sorted
    }

    #[inline(always)]
    fn integers<S: Simd>(s: S, a: &[f64; 16], b: &[f64; 16]) -> Vec<u64> {
        let mut results = Vec::new();
        let quads = |of: &[f64; 16]| of.map(|value| value.to_bits() as i32 ^ (value.to_bits() >> 32) as i32);
        let (x, y) = (quads(a), quads(b));
        for at in (0..16).step_by(<S as Quads>::LANES) {
            let sum = Quads::splat(s, -7);
            let v = s.add_products(sum, Quads::load(s, &x[at..]), Quads::load(s, &y[at..]));
            let mut out = [0; 16];
            Quads::store(s, v, &mut out);
            results.extend(out[..<S as Quads>::LANES].iter().map(|&value| value as u64));
        }
        let (x, y) = (a.map(f64::to_bits), b.map(f64::to_bits));
        for at in (0..16).step_by(<S as Words>::LANES) {
            let count = Words::splat(s, 5);
            let v = s.add_common(count, Words::load(s, &x[at..]), Words::load(s, &y[at..]));
            let mut out = [0; 16];
            Words::store(s, v, &mut out);
            results.extend_from_slice(&out[..<S as Words>::LANES]);
        }
        results
    }

    #[test]
    fn every_operation_gives_the_same_bits_with_all_instructions() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for round in 0..2_000 {
            let mut numbers = || {
                let mut out = [0.0; 16];
                out.iter_mut().for_each(|out| *out = random.random_range(-1100.0..1100.0));
                out[round % 16] = f64::from(round as i32 % 7 - 3);
                out
            };
            let (a, b) = (numbers(), numbers());
            let expected = Instructions::Portable.run(Everything { a: &a, b: &b });
            for level in Instructions::available() {
                assert_eq!(level.run(Everything { a: &a, b: &b }), expected, "{level:?}, round {round}");
            }
        }
    }
}
