//! The multiply-adds that a core can do: what a measured rate is a share of.

use std::hint::black_box;
use std::time::Instant;

/// The single-precision rate of this machine in operations a second, one multiply-add counting two, with `threads` threads
/// at once: the best of some short runs. `None` where no vector instructions are known for this processor.
pub fn single_precision(threads: usize) -> Option<f64> {
    let run = kernel()?;
    let best = (0..20).map(|_| {
        let start = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| black_box(run(STEPS)));
            }
        });
        (threads * STEPS) as f64 * operations() / start.elapsed().as_secs_f64()
    });
    best.reduce(f64::max)
}

/// Multiply-adds in rounds, of which the number is given; the sum keeps the compiler from leaving them out.
type Loop = fn(usize) -> f32;

/// Rounds of a run: some ten milliseconds.
const STEPS: usize = 4_000_000;

/// Independent sums: enough to hide the delay of a multiply-add, few enough for the registers.
const SUMS: usize = 12;

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)] // The functions below are compiled for instructions that were found before they are called.
mod x86 {
    use std::arch::x86_64::*;
    use std::hint::black_box;

    use super::{Loop, SUMS};

    #[target_feature(enable = "avx512f")]
    fn avx512(steps: usize) -> f32 {
        let (a, b) = (_mm512_set1_ps(black_box(0.999)), _mm512_set1_ps(black_box(0.001)));
        let mut sums = [_mm512_set1_ps(black_box(1.5)); SUMS];
        for _ in 0..steps {
            for sum in &mut sums {
                *sum = _mm512_fmadd_ps(*sum, a, b);
            }
        }
        sums.into_iter().map(|sum| _mm512_reduce_add_ps(sum)).sum()
    }

    #[target_feature(enable = "avx2,fma")]
    fn avx2(steps: usize) -> f32 {
        let (a, b) = (_mm256_set1_ps(black_box(0.999)), _mm256_set1_ps(black_box(0.001)));
        let mut sums = [_mm256_set1_ps(black_box(1.5)); SUMS];
        for _ in 0..steps {
            for sum in &mut sums {
                *sum = _mm256_fmadd_ps(*sum, a, b);
            }
        }
        sums.into_iter().map(|sum| _mm256_cvtss_f32(sum)).sum()
    }

    /// The loop for the best instructions, with the numbers in a vector.
    pub(super) fn best() -> Option<(Loop, usize)> {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the instructions were found.
            Some((|steps| unsafe { avx512(steps) }, 16))
        } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: the instructions were found.
            Some((|steps| unsafe { avx2(steps) }, 8))
        } else {
            None
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod x86 {
    pub(super) fn best() -> Option<(super::Loop, usize)> {
        None
    }
}

fn kernel() -> Option<Loop> {
    x86::best().map(|(run, _)| run)
}

/// Operations of a round.
fn operations() -> f64 {
    x86::best().map_or(0.0, |(_, lanes)| (2 * SUMS * lanes) as f64)
}
