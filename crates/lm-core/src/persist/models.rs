//! The kinds of model that this crate can keep.

use super::{KindPath, Persist};
use crate::kernel::VectorKernel;
use crate::multiclass::{DagModel, LinearMachine, OneVsOneModel, OneVsRestModel};
use crate::probability::{Calibrated, Sigmoid};
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
    LinearMachine => "linear-machine", 1;
    Sigmoid => "sigmoid", 1;
}

/// Names the kind of a type that is made of models of one other kind. A file names both, so that a model is never
/// decoded as one made of others.
macro_rules! kinds_of_kinds {
    ($($type:ident => $kind:literal, $version:literal;)*) => {$(
        impl<H: Persist> Persist for $type<H> {
            const KIND: &'static str = $kind;
            const VERSION: u16 = $version;

            fn describe(path: &mut KindPath) {
                path.push::<Self>();
                H::describe(path);
            }
        }
    )*};
}

kinds_of_kinds! {
    OneVsRestModel => "one-vs-rest", 1;
    OneVsOneModel => "one-vs-one", 1;
    DagModel => "dag", 1;
    Calibrated => "calibrated", 1;
}
