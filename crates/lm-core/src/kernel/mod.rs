//! Kernels: inner products in a feature space, on objects of any kind.
//!
//! A [`Kernel`] gives a value for two objects. [`VectorKernel`]s are functions of the inner product (or the
//! Manhattan distance) of two vectors and of their norms, so a whole block of them can be computed from one block of
//! products: that is how a [`Gram`](crate::Gram) matrix over vectors is filled. New kernels are made from old ones by
//! the [`algebra`].

pub mod algebra;
pub mod graph;
pub mod sequence;
mod vector;

pub use vector::{KernelForm, Statistic, VectorKernel};

/// An inner product `K(x, z) = ⟨φ(x)·φ(z)⟩` of two objects in some feature space.
///
/// Implement it for a kernel of your own; a kernel must be symmetric, and whether it is an inner product for given
/// data is what [`mercer`](crate::gram::mercer) checks.
///
/// ```
/// use lm_core::Kernel;
///
/// /// Counts the letters that two words share, place by place.
/// struct Matching;
///
/// impl Kernel<&str> for Matching {
///     fn value(&self, a: &&str, b: &&str) -> f64 {
///         a.chars().zip(b.chars()).filter(|(x, z)| x == z).count() as f64
///     }
/// }
///
/// assert_eq!(Matching.value(&"kernel", &"vernal"), 4.0);
/// ```
pub trait Kernel<X: ?Sized>: Sync {
    /// `K(a, b)`.
    fn value(&self, a: &X, b: &X) -> f64;
}

impl<X: ?Sized, K: Kernel<X> + ?Sized> Kernel<X> for &K {
    fn value(&self, a: &X, b: &X) -> f64 {
        (**self).value(a, b)
    }
}
