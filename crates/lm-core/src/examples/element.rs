//! The numbers that examples are stored in.

/// A storage type of examples: `f32` or `f64`. Arithmetic is done in `f64` for both.
pub trait Element: Copy + Send + Sync + PartialEq + std::fmt::Debug + private::Sealed + 'static {
    /// The value, exactly.
    fn to_f64(self) -> f64;

    /// Whether the value is neither NaN nor infinite.
    fn is_finite(self) -> bool;

    /// A dense row of this type.
    fn dense_row(values: &[Self]) -> super::Row<'_>;

    /// A sparse row of this type.
    fn sparse_row(row: super::SparseRow<'_, Self>) -> super::Row<'_>;
}

mod private {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

macro_rules! element {
    ($type:ty, $dense:ident, $sparse:ident) => {
        impl Element for $type {
            #[inline]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }

            #[inline]
            fn is_finite(self) -> bool {
                <$type>::is_finite(self)
            }

            #[inline]
            fn dense_row(values: &[Self]) -> super::Row<'_> {
                super::Row::$dense(values)
            }

            #[inline]
            fn sparse_row(row: super::SparseRow<'_, Self>) -> super::Row<'_> {
                super::Row::$sparse(row)
            }
        }
    };
}

element!(f32, DenseF32, SparseF32);
element!(f64, DenseF64, SparseF64);

/// The position of the first value that is not finite.
pub(super) fn first_non_finite<T: Element>(values: &[T]) -> Option<usize> {
    // Whole blocks first: the loop without an early exit is vectorised.
    const BLOCK: usize = 256;
    let finite = |block: &[T]| block.iter().fold(true, |all, value| all & value.is_finite());
    let bad = values.chunks(BLOCK).position(|block| !finite(block))?;
    let start = bad * BLOCK;
    values[start..].iter().position(|value| !value.is_finite()).map(|offset| start + offset)
}
