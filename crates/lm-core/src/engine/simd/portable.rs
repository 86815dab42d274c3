//! Vectors as arrays: for every processor, vectorised by the compiler.

use super::{Floats, Quads, Simd, Task, Words};

/// The instructions that every processor has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Portable;

impl Simd for Portable {
    const ROWS: usize = 4;
    const FUSED: bool = FUSED;

    #[inline(never)]
    fn vectorize<T: Task>(self, task: T) -> T::Output {
        task.run(self)
    }
}

/// Whether the processor multiplies and adds with one rounding. Where it does not, the library's routine would be
/// a hundred times slower than two operations.
const FUSED: bool = cfg!(any(target_arch = "aarch64", target_feature = "fma"));

macro_rules! floats {
    ($type:ty, $lanes:literal, $shift:literal, $power:ident) => {
        impl Floats<$type> for Portable {
            type V = [$type; $lanes];
            const LANES: usize = $lanes;

            #[inline(always)]
            fn splat(self, value: $type) -> Self::V {
                [value; $lanes]
            }

            #[inline(always)]
            fn load(self, from: &[$type]) -> Self::V {
                std::array::from_fn(|lane| from[lane])
            }

            #[inline(always)]
            fn store(self, v: Self::V, to: &mut [$type]) {
                to[..$lanes].copy_from_slice(&v);
            }

            #[inline(always)]
            fn add(self, a: Self::V, b: Self::V) -> Self::V {
                std::array::from_fn(|lane| a[lane] + b[lane])
            }

            #[inline(always)]
            fn sub(self, a: Self::V, b: Self::V) -> Self::V {
                std::array::from_fn(|lane| a[lane] - b[lane])
            }

            #[inline(always)]
            fn mul(self, a: Self::V, b: Self::V) -> Self::V {
                std::array::from_fn(|lane| a[lane] * b[lane])
            }

            #[inline(always)]
            fn div(self, a: Self::V, b: Self::V) -> Self::V {
                std::array::from_fn(|lane| a[lane] / b[lane])
            }

            #[inline(always)]
            fn mul_add(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V {
                std::array::from_fn(|lane| {
                    if FUSED { a[lane].mul_add(b[lane], c[lane]) } else { a[lane] * b[lane] + c[lane] }
                })
            }

            #[inline(always)]
            fn min(self, a: Self::V, b: Self::V) -> Self::V {
                std::array::from_fn(|lane| if a[lane] < b[lane] { a[lane] } else { b[lane] })
            }

            #[inline(always)]
            fn max(self, a: Self::V, b: Self::V) -> Self::V {
                std::array::from_fn(|lane| if a[lane] > b[lane] { a[lane] } else { b[lane] })
            }

            #[inline(always)]
            fn abs(self, a: Self::V) -> Self::V {
                a.map(<$type>::abs)
            }

            #[inline(always)]
            fn copy_sign(self, a: Self::V, b: Self::V) -> Self::V {
                std::array::from_fn(|lane| a[lane].copysign(b[lane]))
            }

            #[inline(always)]
            fn split(self, a: Self::V) -> (Self::V, Self::V) {
                // Adding a large number rounds to a whole one; beyond it, every number is whole.
                let whole = a.map(|value| {
                    let shift = <$type>::copysign($shift, value);
                    if value.abs() < $shift { (value + shift) - shift } else { value }
                });
                (whole, std::array::from_fn(|lane| a[lane] - whole[lane]))
            }

            #[inline(always)]
            fn scale(self, p: Self::V, n: Self::V) -> Self::V {
                std::array::from_fn(|lane| $power(p[lane], n[lane]))
            }
        }
    };
}

floats!(f32, 8, 8_388_608.0, scale_f32);
floats!(f64, 4, 4_503_599_627_370_496.0, scale_f64);

/// `p·2ⁿ`, or 0 where that is below the normal numbers.
#[inline(always)]
fn scale_f32(p: f32, n: f32) -> f32 {
    let power = f32::from_bits(((n.max(-126.0) as i32 + 127) as u32) << 23);
    if n >= -126.0 { p * power } else { 0.0 }
}

/// `p·2ⁿ`, or 0 where that is below the normal numbers.
#[inline(always)]
fn scale_f64(p: f64, n: f64) -> f64 {
    let power = f64::from_bits(((n.max(-1022.0) as i64 + 1023) as u64) << 52);
    if n >= -1022.0 { p * power } else { 0.0 }
}

impl Quads for Portable {
    type V = [i32; 8];
    const LANES: usize = 8;

    #[inline(always)]
    fn splat(self, value: i32) -> Self::V {
        [value; 8]
    }

    #[inline(always)]
    fn load(self, from: &[i32]) -> Self::V {
        std::array::from_fn(|lane| from[lane])
    }

    #[inline(always)]
    fn store(self, v: Self::V, to: &mut [i32]) {
        to[..8].copy_from_slice(&v);
    }

    #[inline(always)]
    fn add_products(self, sum: Self::V, a: Self::V, b: Self::V) -> Self::V {
        std::array::from_fn(|lane| {
            let (a, b) = (a[lane].to_le_bytes(), b[lane].to_le_bytes());
            let product = |k: usize| i32::from(a[k]) * i32::from(b[k] as i8);
            sum[lane].wrapping_add(product(0) + product(1) + product(2) + product(3))
        })
    }
}

impl Words for Portable {
    type V = [u64; 4];
    const LANES: usize = 4;

    #[inline(always)]
    fn splat(self, value: u64) -> Self::V {
        [value; 4]
    }

    #[inline(always)]
    fn load(self, from: &[u64]) -> Self::V {
        std::array::from_fn(|lane| from[lane])
    }

    #[inline(always)]
    fn store(self, v: Self::V, to: &mut [u64]) {
        to[..4].copy_from_slice(&v);
    }

    #[inline(always)]
    fn add_common(self, count: Self::V, a: Self::V, b: Self::V) -> Self::V {
        std::array::from_fn(|lane| count[lane] + u64::from((a[lane] & b[lane]).count_ones()))
    }
}
