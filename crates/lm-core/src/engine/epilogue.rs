//! From what a tile accumulated to kernel values, while it is in the nearest cache.

use super::elementary::{Real, tanh};
use super::simd::{Simd, Task};
use super::tile::Sums;
use crate::kernel::KernelForm;

/// A kernel as a function of accumulated numbers `v` and of the norms `nᵢ`, `nⱼ` of the two examples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Epilogue<T> {
    /// `factor·v`.
    Linear { factor: T },
    /// `(factor·v + constant)^degree`.
    Power { factor: T, constant: T, degree: u32 },
    /// `exp(rate·((nᵢ − v) + (nⱼ − v)))`: `v` is an inner product and `n` squared norms, so the sum is a squared distance,
    /// exactly 0 for equal examples. The rate is negative.
    Distance { rate: T },
    /// The power of `v − (nᵢ + nⱼ)`, where examples were scaled so that `n` is half the squared norm.
    Halved,
    /// The power of `rate·v`, for a distance `v`. The rate is negative.
    Decay { rate: T },
    /// `tanh(factor·v + constant)`.
    Tanh { factor: T, constant: T },
}

/// Writes a function of every vector of a tile, of its row's norm and of the norms of the panel. A macro, because a
/// closure is not certain to be compiled with the instructions of its caller.
macro_rules! each {
    ($s:ident, $owns:ident, $others:ident, $sums:ident, $to:ident, |$v:pat_param, $own:pat_param, $other:pat_param| $f:expr) => {
        for (row, (values, &own)) in $sums.0.iter().zip($owns).enumerate() {
            let $own = T::splat($s, own);
            let to = &mut $to.rows[row][$to.place..][..$others.len()];
            for at in (0..$others.len()).step_by(T::lanes::<S>()) {
                let ($v, $other) = (T::load($s, &values[at..]), T::load($s, &$others[at..]));
                T::store($s, $f, &mut to[at..]);
            }
        }
    };
}

impl<T: Real> Epilogue<T> {
    /// The epilogue of a kernel, where inner products come in units of `unit` (so that `⟨x·z⟩ = unit·v`) and Manhattan
    /// distances as they are.
    pub(crate) fn of(form: KernelForm, unit: f64) -> Self {
        match form {
            KernelForm::Linear => Self::Linear { factor: T::of(unit) },
            KernelForm::Polynomial { degree, scale, constant } => {
                Self::Power { factor: T::of(scale * unit), constant: T::of(constant), degree }
            }
            KernelForm::Gaussian { gamma } => {
                Self::Distance { rate: T::of(-gamma * unit * T::EXPONENT_SCALE) }
            }
            KernelForm::Laplacian { gamma } => Self::Decay { rate: T::of(-gamma * T::EXPONENT_SCALE) },
            KernelForm::Sigmoid { scale, constant } => {
                Self::Tanh { factor: T::of(scale * unit), constant: T::of(constant) }
            }
        }
    }

    /// What is kept as the norm of an example that accumulates `sum` with itself.
    pub(crate) fn norm(&self, sum: T) -> T {
        if matches!(self, Self::Halved) { T::of(sum.wide() / 2.0) } else { sum }
    }

    /// Turns what a tile accumulated into kernel values: `owns` are the norms of its rows, `others` those of the panel.
    ///
    /// A task of its own, so that it is compiled once and not into every loop that needs it.
    #[inline(always)]
    pub(crate) fn apply<S: Simd>(
        &self,
        s: S,
        owns: &[T],
        others: &[T],
        sums: &Sums<T>,
        to: Places<'_, '_, T>,
    ) {
        s.vectorize(Apply { epilogue: self, owns, others, sums, to });
    }
}

/// Where the kernel values of a tile go: to each row from a place on.
#[derive(Debug)]
pub(crate) struct Places<'a, 'b, T> {
    pub(crate) rows: &'a mut [&'b mut [T]],
    pub(crate) place: usize,
}

/// The epilogue of one tile.
struct Apply<'a, 'b, T> {
    epilogue: &'a Epilogue<T>,
    owns: &'a [T],
    others: &'a [T],
    sums: &'a Sums<T>,
    to: Places<'a, 'b, T>,
}

impl<T: Real> Task for Apply<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self { epilogue, owns, others, sums, to } = self;
        let zero = T::splat(s, T::default());
        match *epilogue {
            Epilogue::Linear { factor } => {
                let factor = T::splat(s, factor);
                each!(s, owns, others, sums, to, |v, _, _| T::mul(s, factor, v));
            }
            Epilogue::Power { factor, constant, degree } => {
                let (factor, constant) = (T::splat(s, factor), T::splat(s, constant));
                each!(s, owns, others, sums, to, |v, _, _| {
                    power::<T, S>(s, T::mul_add(s, factor, v, constant), degree)
                });
            }
            Epilogue::Distance { rate } => {
                let rate = T::splat(s, rate);
                each!(s, owns, others, sums, to, |v, own, other| {
                    let distance = T::add(s, T::sub(s, own, v), T::sub(s, other, v));
                    // Rounding may put near examples below 0.
                    T::power(s, T::min(s, T::mul(s, rate, distance), zero))
                });
            }
            Epilogue::Halved => each!(s, owns, others, sums, to, |v, own, other| {
                T::power(s, T::min(s, T::sub(s, v, T::add(s, own, other)), zero))
            }),
            Epilogue::Decay { rate } => {
                let rate = T::splat(s, rate);
                each!(s, owns, others, sums, to, |v, _, _| T::power(s, T::mul(s, rate, v)));
            }
            Epilogue::Tanh { factor, constant } => {
                let (factor, constant) = (T::splat(s, factor), T::splat(s, constant));
                each!(s, owns, others, sums, to, |v, _, _| tanh::<T, S>(
                    s,
                    T::mul_add(s, factor, v, constant)
                ));
            }
        }
    }
}

/// `base^exponent` by repeated squaring, as for a single value.
#[inline(always)]
fn power<T: Real, S: Simd>(s: S, base: T::V<S>, exponent: u32) -> T::V<S> {
    let (mut result, mut square, mut left) = (T::splat(s, T::of(1.0)), base, exponent);
    while left > 0 {
        if left & 1 == 1 {
            result = T::mul(s, result, square);
        }
        left >>= 1;
        if left > 0 {
            square = T::mul(s, square, square);
        }
    }
    result
}
