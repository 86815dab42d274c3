//! 512-bit vectors with byte products (VNNI), and with bit counts (VPOPCNTDQ) or without.
#![allow(unsafe_code)] // Calls of instructions that `detect` has found; see the SAFETY lines.
#![allow(unused_unsafe)] // Calls are nested.

use std::arch::x86_64::*;

use super::{Floats, Quads, Simd, Task, Words};

/// Proof that this processor has the instructions: only [`Avx512::detect`] makes one. `COUNTS` says whether bits are counted
/// by an instruction or by a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Avx512<const COUNTS: bool>(());

impl<const COUNTS: bool> Avx512<COUNTS> {
    /// The token, where the processor has every instruction that is used with it.
    #[inline]
    pub(crate) fn detect() -> Option<Self> {
        let has = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vnni")
            && (!COUNTS || is_x86_feature_detected!("avx512vpopcntdq"))
            && is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("popcnt");
        has.then_some(Self(()))
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

impl<const COUNTS: bool> Simd for Avx512<COUNTS> {
    const ROWS: usize = 12;
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
        #[target_feature(
            enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx512vpopcntdq,avx2,fma,popcnt"
        )]
        #[inline(never)]
        fn with_counts<S: Simd, T: Task>(token: S, task: T) -> T::Output {
            task.run(token)
        }
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,popcnt")]
        #[inline(never)]
        fn without<S: Simd, T: Task>(token: S, task: T) -> T::Output {
            task.run(token)
        }
        // SAFETY: `self` exists only where `detect` found these instructions.
        if COUNTS { unsafe { with_counts(self, task) } } else { unsafe { without(self, task) } }
    }
}

floats_by_intrinsics! {
    [const COUNTS: bool] Avx512<COUNTS>, f32, __m512, 16,
    _mm512_set1_ps, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_add_ps, _mm512_sub_ps, _mm512_mul_ps, _mm512_div_ps, _mm512_fmadd_ps, _mm512_min_ps, _mm512_max_ps, _mm512_and_ps, _mm512_andnot_ps, _mm512_or_ps,

    #[inline(always)]
    fn split(self, a: __m512) -> (__m512, __m512) {
        // SAFETY: `self` proves the instruction. The immediate asks for the nearest whole number, without exceptions.
        let rest = unsafe { _mm512_reduce_ps::<0b1000>(a) };
        (call!(_mm512_sub_ps(a, rest)), rest)
    }

    #[inline(always)]
    fn scale(self, p: __m512, n: __m512) -> __m512 {
        // Lanes that underflow are left out: an instruction whose result is subnormal takes a hundred times as long.
        let least = call!(_mm512_set1_ps(-126.0));
        // SAFETY: `self` proves the instructions.
        let normal = unsafe { _mm512_cmp_ps_mask::<_CMP_GE_OQ>(n, least) };
        call!(_mm512_maskz_scalef_ps(normal, p, n))
    }
}

floats_by_intrinsics! {
    [const COUNTS: bool] Avx512<COUNTS>, f64, __m512d, 8,
    _mm512_set1_pd, _mm512_loadu_pd, _mm512_storeu_pd, _mm512_add_pd, _mm512_sub_pd, _mm512_mul_pd, _mm512_div_pd, _mm512_fmadd_pd, _mm512_min_pd, _mm512_max_pd, _mm512_and_pd, _mm512_andnot_pd, _mm512_or_pd,

    #[inline(always)]
    fn split(self, a: __m512d) -> (__m512d, __m512d) {
        // SAFETY: `self` proves the instruction. The immediate asks for the nearest whole number, without exceptions.
        let rest = unsafe { _mm512_reduce_pd::<0b1000>(a) };
        (call!(_mm512_sub_pd(a, rest)), rest)
    }

    #[inline(always)]
    fn scale(self, p: __m512d, n: __m512d) -> __m512d {
        // Lanes that underflow are left out: an instruction whose result is subnormal takes a hundred times as long.
        let least = call!(_mm512_set1_pd(-1022.0));
        // SAFETY: `self` proves the instructions.
        let normal = unsafe { _mm512_cmp_pd_mask::<_CMP_GE_OQ>(n, least) };
        call!(_mm512_maskz_scalef_pd(normal, p, n))
    }
}

impl<const COUNTS: bool> Quads for Avx512<COUNTS> {
    type V = __m512i;
    const LANES: usize = 16;

    #[inline(always)]
    fn splat(self, value: i32) -> __m512i {
        call!(_mm512_set1_epi32(value))
    }

    #[inline(always)]
    fn load(self, from: &[i32]) -> __m512i {
        assert!(from.len() >= 16);
        // SAFETY: the slice has 16 numbers; `self` proves the instruction.
        unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, v: __m512i, to: &mut [i32]) {
        assert!(to.len() >= 16);
        // SAFETY: the slice has 16 places; `self` proves the instruction.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), v) }
    }

    #[inline(always)]
    fn add_products(self, sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
        call!(_mm512_dpbusd_epi32(sum, a, b))
    }
}

impl<const COUNTS: bool> Words for Avx512<COUNTS> {
    type V = __m512i;
    const LANES: usize = 8;

    #[inline(always)]
    fn splat(self, value: u64) -> __m512i {
        call!(_mm512_set1_epi64(value.cast_signed()))
    }

    #[inline(always)]
    fn load(self, from: &[u64]) -> __m512i {
        assert!(from.len() >= 8);
        // SAFETY: the slice has 8 words; `self` proves the instruction.
        unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, v: __m512i, to: &mut [u64]) {
        assert!(to.len() >= 8);
        // SAFETY: the slice has 8 places; `self` proves the instruction.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), v) }
    }

    #[inline(always)]
    fn add_common(self, count: __m512i, a: __m512i, b: __m512i) -> __m512i {
        let both = call!(_mm512_and_si512(a, b));
        if COUNTS {
            return call!(_mm512_add_epi64(count, call!(_mm512_popcnt_epi64(both))));
        }
        // The bits of each half byte from a table, then the sum of the bytes of each word.
        let table = call!(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
        let table = call!(_mm512_broadcast_i32x4(table));
        let low = call!(_mm512_set1_epi8(0x0f));
        let first = call!(_mm512_shuffle_epi8(table, call!(_mm512_and_si512(both, low))));
        let high = call!(_mm512_and_si512(call!(_mm512_srli_epi16<4>(both)), low));
        let second = call!(_mm512_shuffle_epi8(table, high));
        let bytes = call!(_mm512_add_epi8(first, second));
        call!(_mm512_add_epi64(count, call!(_mm512_sad_epu8(bytes, call!(_mm512_setzero_si512())))))
    }
}
