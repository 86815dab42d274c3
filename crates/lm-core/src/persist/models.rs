//! The kinds of model that this crate can keep.

use super::Persist;
use crate::kernel::VectorKernel;
use crate::{DualExpansion, Linear, VectorExpansion};

/// Names the kind of a type that is not made of other models.
macro_rules! kinds {
    ($($type:ty => $kind:literal, $version:literal;)*) => {$(
        impl Persist for $type {
            const KIND: &'static str = $kind;
            const VERSION: u16 = $version;
        }
    )*};
}

kinds! {
    Linear => "linear", 1;
    VectorExpansion => "vector-expansion", 1;
    DualExpansion => "dual-expansion", 1;
    VectorKernel => "vector-kernel", 1;
}
