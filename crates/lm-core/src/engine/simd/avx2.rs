//! 256-bit vectors with fused multiply-add.
#![allow(unsafe_code)] // Calls of instructions that `detect` has found; see the SAFETY lines.
#![allow(unused_unsafe)] // Calls are nested.

use std::arch::x86_64::*;

use super::{Floats, Quads, Simd, Task, Words};

/// Proof that this processor has the instructions: only [`Avx2::detect`] makes one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// The token, where the processor has every instruction that this file uses.
    #[inline]
    pub(crate) fn detect() -> Option<Self> {
        (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")).then_some(Self(()))
    }
}

/// Calls an intrinsic function.
macro_rules! call {
    ($name:ident($($argument:expr),*)) => {
        // SAFETY: `self` exists only where `detect` found the instruction.
        unsafe { $name($($argument),*) }
    };
    ($name:ident<$immediate:tt>($($argument:expr),*)) => {
        // SAFETY: `self` exists only where `detect` found the instruction.
        unsafe { $name::<$immediate>($($argument),*) }
    };
}

impl Simd for Avx2 {
    const ROWS: usize = 6;
    const FUSED: bool = true;

    #[inline(always)]
    fn prefetch<T>(self, soon: &[T]) {
        let start = soon.as_ptr().cast::<i8>();
        for offset in (0..size_of_val(soon)).step_by(64) {
            // SAFETY: a prefetch reads nothing, whatever its address.
            unsafe { _mm_prefetch::<_MM_HINT_T1>(start.wrapping_add(offset)) }
        }
    }

    #[inline]
    fn vectorize<T: Task>(self, task: T) -> T::Output {
        #[target_feature(enable = "avx2,fma")]
        #[inline(never)]
        fn compiled<T: Task>(token: Avx2, task: T) -> T::Output {
            task.run(token)
        }
        // SAFETY: `self` exists only where `detect` found these instructions.
        unsafe { compiled(self, task) }
    }
}

floats_by_intrinsics! {
    [] Avx2, f32, __m256, 8,
    _mm256_set1_ps, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_add_ps, _mm256_sub_ps, _mm256_mul_ps, _mm256_div_ps, _mm256_fmadd_ps, _mm256_min_ps, _mm256_max_ps, _mm256_and_ps, _mm256_andnot_ps, _mm256_or_ps,

    #[inline(always)]
    fn split(self, a: __m256) -> (__m256, __m256) {
        let whole = call!(_mm256_round_ps<0b1000>(a));
        (whole, call!(_mm256_sub_ps(a, whole)))
    }

    #[inline(always)]
    fn scale(self, p: __m256, n: __m256) -> __m256 {
        // Added to 2²³ + 127, a whole number lies in the last bits as the exponent of its power; that of −127 is 0.
        let n = call!(_mm256_max_ps(n, call!(_mm256_set1_ps(-127.0))));
        let bits = call!(_mm256_castps_si256(call!(_mm256_add_ps(n, call!(_mm256_set1_ps(8_388_735.0))))));
        call!(_mm256_mul_ps(p, call!(_mm256_castsi256_ps(call!(_mm256_slli_epi32<23>(bits))))))
    }
}

floats_by_intrinsics! {
    [] Avx2, f64, __m256d, 4,
    _mm256_set1_pd, _mm256_loadu_pd, _mm256_storeu_pd, _mm256_add_pd, _mm256_sub_pd, _mm256_mul_pd, _mm256_div_pd, _mm256_fmadd_pd, _mm256_min_pd, _mm256_max_pd, _mm256_and_pd, _mm256_andnot_pd, _mm256_or_pd,

    #[inline(always)]
    fn split(self, a: __m256d) -> (__m256d, __m256d) {
        let whole = call!(_mm256_round_pd<0b1000>(a));
        (whole, call!(_mm256_sub_pd(a, whole)))
    }

    #[inline(always)]
    fn scale(self, p: __m256d, n: __m256d) -> __m256d {
        // As above, with 2⁵² + 1023.
        let n = call!(_mm256_max_pd(n, call!(_mm256_set1_pd(-1023.0))));
        let bits = call!(_mm256_castpd_si256(call!(_mm256_add_pd(n, call!(_mm256_set1_pd(4_503_599_627_371_519.0))))));
        call!(_mm256_mul_pd(p, call!(_mm256_castsi256_pd(call!(_mm256_slli_epi64<52>(bits))))))
    }
}

impl Quads for Avx2 {
    type V = __m256i;
    const LANES: usize = 8;

    #[inline(always)]
    fn splat(self, value: i32) -> __m256i {
        call!(_mm256_set1_epi32(value))
    }

    #[inline(always)]
    fn load(self, from: &[i32]) -> __m256i {
        assert!(from.len() >= 8);
        // SAFETY: the slice has 8 numbers; `self` proves the instruction.
        unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, v: __m256i, to: &mut [i32]) {
        assert!(to.len() >= 8);
        // SAFETY: the slice has 8 places; `self` proves the instruction.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), v) }
    }

    #[inline(always)]
    fn add_products(self, sum: __m256i, a: __m256i, b: __m256i) -> __m256i {
        // Widened to 16 bits, even and odd bytes apart: the sum of two products of 8 bits fits into 32.
        let even_a = call!(_mm256_and_si256(a, call!(_mm256_set1_epi16(0x00ff))));
        let odd_a = call!(_mm256_srli_epi16<8>(a));
        let even_b = call!(_mm256_srai_epi16<8>(call!(_mm256_slli_epi16<8>(b))));
        let odd_b = call!(_mm256_srai_epi16<8>(b));
        let even = call!(_mm256_madd_epi16(even_a, even_b));
        let odd = call!(_mm256_madd_epi16(odd_a, odd_b));
        call!(_mm256_add_epi32(sum, call!(_mm256_add_epi32(even, odd))))
    }
}

impl Words for Avx2 {
    type V = __m256i;
    const LANES: usize = 4;

    #[inline(always)]
    fn splat(self, value: u64) -> __m256i {
        call!(_mm256_set1_epi64x(value.cast_signed()))
    }

    #[inline(always)]
    fn load(self, from: &[u64]) -> __m256i {
        assert!(from.len() >= 4);
        // SAFETY: the slice has 4 words; `self` proves the instruction.
        unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, v: __m256i, to: &mut [u64]) {
        assert!(to.len() >= 4);
        // SAFETY: the slice has 4 places; `self` proves the instruction.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), v) }
    }

    #[inline(always)]
    fn add_common(self, count: __m256i, a: __m256i, b: __m256i) -> __m256i {
        // The bits of each half byte from a table, then the sum of the bytes of each word.
        let table = call!(_mm256_setr_epi8(
            0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4
        ));
        let both = call!(_mm256_and_si256(a, b));
        let low = call!(_mm256_set1_epi8(0x0f));
        let first = call!(_mm256_shuffle_epi8(table, call!(_mm256_and_si256(both, low))));
        let high = call!(_mm256_and_si256(call!(_mm256_srli_epi16<4>(both)), low));
        let second = call!(_mm256_shuffle_epi8(table, high));
        let bytes = call!(_mm256_add_epi8(first, second));
        call!(_mm256_add_epi64(count, call!(_mm256_sad_epu8(bytes, call!(_mm256_setzero_si256())))))
    }
}
