//! What a tile accumulates over the columns of two examples: products, distances, or counts.

use std::marker::PhantomData;

use super::elementary::Real;
use super::simd::{Quads, Simd, Words};

/// One line of a panel: the same column (or group of columns) of consecutive examples, on its own cache lines.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(128))]
pub(crate) struct Line<T, const W: usize>(pub(crate) [T; W]);

/// A number that panels are made of.
pub(crate) trait Element: Copy + Default + std::fmt::Debug + Send + Sync + 'static {
    /// 128 bytes of them.
    type Line: Copy + Send + Sync + std::fmt::Debug + 'static;
    /// How many examples lie side by side in a panel.
    const WIDTH: usize;

    /// A line of zeros.
    fn blank() -> Self::Line;
    /// The numbers of a line.
    fn slice(line: &Self::Line) -> &[Self];
    /// The numbers of a line.
    fn slice_mut(line: &mut Self::Line) -> &mut [Self];
}

macro_rules! element {
    ($type:ty, $width:literal) => {
        impl Element for $type {
            type Line = Line<$type, $width>;
            const WIDTH: usize = $width;

            #[inline(always)]
            fn blank() -> Self::Line {
                Line([<$type>::default(); $width])
            }

            #[inline(always)]
            fn slice(line: &Self::Line) -> &[Self] {
                &line.0
            }

            #[inline(always)]
            fn slice_mut(line: &mut Self::Line) -> &mut [Self] {
                &mut line.0
            }
        }
    };
}

element!(f32, 32);
element!(f64, 16);
element!(i32, 32);
element!(u64, 16);

/// How two examples are combined, column by column, into one number.
pub(crate) trait Arithmetic: Copy + std::fmt::Debug + Send + Sync + 'static {
    /// What panels hold.
    type Element: Element;
    /// A vector of them.
    type Operand<S: Simd>: Copy;
    /// A vector of running sums.
    type Sum<S: Simd>: Copy;
    /// The numbers that sums are delivered in.
    type Real: Real;
    /// Columns after which a running sum is added to a total, so that rounding grows with this number and the number
    /// of blocks instead of with the number of columns.
    const BLOCK: usize;

    /// Examples in a vector.
    fn lanes<S: Simd>() -> usize;
    /// The sums before the first column.
    fn start<S: Simd>(s: S, starts: &[Self::Element]) -> Self::Sum<S>;
    /// The columns of some examples.
    fn load<S: Simd>(s: S, from: &[Self::Element]) -> Self::Operand<S>;
    /// A column of one example.
    fn splat<S: Simd>(s: S, value: Self::Element) -> Self::Operand<S>;
    /// An entry of a panel as the entry of a row.
    #[inline(always)]
    fn row_entry(entry: Self::Element) -> Self::Element {
        entry
    }
    /// Takes in one column.
    fn step<S: Simd>(s: S, sum: Self::Sum<S>, a: Self::Operand<S>, b: Self::Operand<S>) -> Self::Sum<S>;
    /// Adds two sums.
    fn add<S: Simd>(s: S, a: Self::Sum<S>, b: Self::Sum<S>) -> Self::Sum<S>;
    /// Delivers sums.
    fn store<S: Simd>(s: S, sum: Self::Sum<S>, to: &mut [Self::Real]);
}

/// Columns between two additions to the total.
pub(crate) const BLOCK: usize = 64;

/// `Σₖ xₖzₖ`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Products<T>(PhantomData<T>);

/// `Σₖ |xₖ − zₖ|`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Differences<T>(PhantomData<T>);

/// `Σₖ (xₖ − zₖ)²`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Squares<T>(PhantomData<T>);

/// `Σₖ xₖzₖ` of small integers, in whole numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bytes;

/// The number of columns in which both have a bit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bits<T>(PhantomData<T>);

/// Arithmetic of real numbers: everything but the step.
macro_rules! of_reals {
    ($name:ident, |$s:ident, $sum:ident, $a:ident, $b:ident| $step:expr) => {
        impl<T: Element + Real> Arithmetic for $name<T> {
            type Element = T;
            type Operand<S: Simd> = T::V<S>;
            type Sum<S: Simd> = T::V<S>;
            type Real = T;
            const BLOCK: usize = BLOCK;

            #[inline(always)]
            fn lanes<S: Simd>() -> usize {
                T::lanes::<S>()
            }

            #[inline(always)]
            fn start<S: Simd>(s: S, _: &[T]) -> Self::Sum<S> {
                T::splat(s, T::default())
            }

            #[inline(always)]
            fn load<S: Simd>(s: S, from: &[T]) -> Self::Operand<S> {
                T::load(s, from)
            }

            #[inline(always)]
            fn splat<S: Simd>(s: S, value: T) -> Self::Operand<S> {
                T::splat(s, value)
            }

            #[inline(always)]
            fn step<S: Simd>(
                $s: S,
                $sum: Self::Sum<S>,
                $a: Self::Operand<S>,
                $b: Self::Operand<S>,
            ) -> Self::Sum<S> {
                $step
            }

            #[inline(always)]
            fn add<S: Simd>(s: S, a: Self::Sum<S>, b: Self::Sum<S>) -> Self::Sum<S> {
                T::add(s, a, b)
            }

            #[inline(always)]
            fn store<S: Simd>(s: S, sum: Self::Sum<S>, to: &mut [T]) {
                T::store(s, sum, to);
            }
        }
    };
}

of_reals!(Products, |s, sum, a, b| T::mul_add(s, a, b, sum));
of_reals!(Differences, |s, sum, a, b| T::add(s, sum, T::abs(s, T::sub(s, a, b))));
of_reals!(Squares, |s, sum, a, b| {
    let difference = T::sub(s, a, b);
    T::mul_add(s, difference, difference, sum)
});

impl Arithmetic for Bytes {
    type Element = i32;
    type Operand<S: Simd> = <S as Quads>::V;
    type Sum<S: Simd> = <S as Quads>::V;
    type Real = f64;
    const BLOCK: usize = usize::MAX;

    #[inline(always)]
    fn lanes<S: Simd>() -> usize {
        <S as Quads>::LANES
    }

    #[inline(always)]
    fn start<S: Simd>(s: S, starts: &[i32]) -> Self::Sum<S> {
        Quads::load(s, starts)
    }

    #[inline(always)]
    fn load<S: Simd>(s: S, from: &[i32]) -> Self::Operand<S> {
        Quads::load(s, from)
    }

    #[inline(always)]
    fn splat<S: Simd>(s: S, value: i32) -> Self::Operand<S> {
        Quads::splat(s, value)
    }

    #[inline(always)]
    fn row_entry(entry: i32) -> i32 {
        // Unsigned bytes less 128 as signed ones; the sums start from what that takes away.
        entry ^ i32::from_le_bytes([0x80; 4])
    }

    #[inline(always)]
    fn step<S: Simd>(s: S, sum: Self::Sum<S>, a: Self::Operand<S>, b: Self::Operand<S>) -> Self::Sum<S> {
        s.add_products(sum, a, b)
    }

    #[inline(always)]
    fn add<S: Simd>(_: S, a: Self::Sum<S>, _: Self::Sum<S>) -> Self::Sum<S> {
        // Whole numbers are summed in one block.
        a
    }

    #[inline(always)]
    fn store<S: Simd>(s: S, sum: Self::Sum<S>, to: &mut [f64]) {
        let mut whole = [0; 32];
        Quads::store(s, sum, &mut whole);
        to.iter_mut().zip(whole).take(<S as Quads>::LANES).for_each(|(to, whole)| *to = f64::from(whole));
    }
}

impl<T: Real> Arithmetic for Bits<T> {
    type Element = u64;
    type Operand<S: Simd> = <S as Words>::V;
    type Sum<S: Simd> = <S as Words>::V;
    type Real = T;
    const BLOCK: usize = usize::MAX;

    #[inline(always)]
    fn lanes<S: Simd>() -> usize {
        <S as Words>::LANES
    }

    #[inline(always)]
    fn start<S: Simd>(s: S, _: &[u64]) -> Self::Sum<S> {
        Words::splat(s, 0)
    }

    #[inline(always)]
    fn load<S: Simd>(s: S, from: &[u64]) -> Self::Operand<S> {
        Words::load(s, from)
    }

    #[inline(always)]
    fn splat<S: Simd>(s: S, value: u64) -> Self::Operand<S> {
        Words::splat(s, value)
    }

    #[inline(always)]
    fn step<S: Simd>(s: S, sum: Self::Sum<S>, a: Self::Operand<S>, b: Self::Operand<S>) -> Self::Sum<S> {
        s.add_common(sum, a, b)
    }

    #[inline(always)]
    fn add<S: Simd>(_: S, a: Self::Sum<S>, _: Self::Sum<S>) -> Self::Sum<S> {
        // Counts are summed in one block.
        a
    }

    #[inline(always)]
    fn store<S: Simd>(s: S, sum: Self::Sum<S>, to: &mut [T]) {
        let mut whole = [0_u64; 16];
        Words::store(s, sum, &mut whole);
        // A count is below 2³²: the conversion of 32-bit numbers is an instruction.
        let counts = whole.map(|count| T::of(f64::from(count as u32)));
        to.iter_mut().zip(counts).take(<S as Words>::LANES).for_each(|(to, count)| *to = count);
    }
}
