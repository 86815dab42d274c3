//! Kernels made from kernels: sum, product, scale, normalisation, centring, composition, reweighting.
//!
//! Each is an inner product again if its parts are, and each is a [`Kernel`] on the same objects, so they nest. The
//! matrices of [`gram`](crate::gram) with the same names do the same to a Gram matrix; a kernel can also be evaluated
//! on objects that were not there when it was made.

use super::Kernel;
use crate::basis::FeatureMap;
use crate::{Error, Result, VectorKernel};

/// `K₁(x, z) + K₂(x, z)`: the two feature spaces side by side.
///
/// ```
/// use lm_core::kernel::algebra::{Product, Scaled, Sum};
/// use lm_core::{Kernel, VectorKernel};
///
/// let linear = VectorKernel::linear();
/// let square = Product::new(linear, linear);
/// let k = Sum::new(square, Scaled::new(linear, 3.0)?); // ⟨x·z⟩² + 3⟨x·z⟩
/// assert_eq!(k.value(&vec![1.0, 1.0], &vec![2.0, 3.0]), 40.0);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sum<A, B> {
    first: A,
    second: B,
}

impl<A, B> Sum<A, B> {
    /// The sum of two kernels.
    pub fn new(first: A, second: B) -> Self {
        Self { first, second }
    }
}

impl<X: ?Sized, A: Kernel<X>, B: Kernel<X>> Kernel<X> for Sum<A, B> {
    fn value(&self, a: &X, b: &X) -> f64 {
        self.first.value(a, b) + self.second.value(a, b)
    }
}

/// `K₁(x, z) · K₂(x, z)`: all products of a feature of one with a feature of the other.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Product<A, B> {
    first: A,
    second: B,
}

impl<A, B> Product<A, B> {
    /// The product of two kernels.
    pub fn new(first: A, second: B) -> Self {
        Self { first, second }
    }
}

impl<X: ?Sized, A: Kernel<X>, B: Kernel<X>> Kernel<X> for Product<A, B> {
    fn value(&self, a: &X, b: &X) -> f64 {
        self.first.value(a, b) * self.second.value(a, b)
    }
}

/// `factor · K(x, z)`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "ScaledParts<K>"))]
#[cfg_attr(feature = "serde", serde(bound(deserialize = "K: serde::Deserialize<'de>")))]
pub struct Scaled<K> {
    kernel: K,
    factor: f64,
}

/// What a decoder reads before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct ScaledParts<K> {
    kernel: K,
    factor: f64,
}

#[cfg(feature = "serde")]
impl<K> TryFrom<ScaledParts<K>> for Scaled<K> {
    type Error = Error;

    fn try_from(parts: ScaledParts<K>) -> Result<Self> {
        Self::new(parts.kernel, parts.factor)
    }
}

impl<K> Scaled<K> {
    /// A kernel times a positive number.
    ///
    /// # Errors
    /// [`Error::Setting`] unless the factor is positive and finite.
    pub fn new(kernel: K, factor: f64) -> Result<Self> {
        if factor > 0.0 && factor.is_finite() {
            Ok(Self { kernel, factor })
        } else {
            Err(Error::Setting { name: "factor", value: factor, accepted: "a finite number > 0" })
        }
    }
}

impl<X: ?Sized, K: Kernel<X>> Kernel<X> for Scaled<K> {
    fn value(&self, a: &X, b: &X) -> f64 {
        self.kernel.value(a, b) * self.factor
    }
}

/// `K(x, z) / √(K(x, x) K(z, z))`: every object moved to the unit sphere of the feature space.
///
/// An object with `K(x, x) = 0` has no direction. Its value is NaN, which a Gram matrix or an expansion reports as an
/// error with the place.
///
/// ```
/// use lm_core::kernel::algebra::Normalised;
/// use lm_core::{Kernel, VectorKernel};
///
/// let cosine = Normalised::new(VectorKernel::linear());
/// assert_eq!(cosine.value(&vec![3.0, 0.0], &vec![3.0, 4.0]), 0.6);
/// assert_eq!(cosine.value(&vec![0.1, 0.7], &vec![0.1, 0.7]), 1.0); // exactly
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Normalised<K> {
    kernel: K,
}

impl<K> Normalised<K> {
    /// A kernel normalised.
    pub fn new(kernel: K) -> Self {
        Self { kernel }
    }
}

impl<X: ?Sized, K: Kernel<X>> Kernel<X> for Normalised<K> {
    fn value(&self, a: &X, b: &X) -> f64 {
        let (value, own, other) = (self.kernel.value(a, b), self.kernel.value(a, a), self.kernel.value(b, b));
        if !(own > 0.0 && other > 0.0) {
            return f64::NAN;
        }
        // Equal objects give exactly 1 this way, which the product of two rounded roots would not.
        if own == other { value / own } else { value / (own.sqrt() * other.sqrt()) }
    }
}

/// `K(x, z) − m(x) − m(z) + m̄` with `m(x) = mean of K(x, xⱼ)` over reference objects: the origin of the feature space
/// moved to their mean.
///
/// ```
/// use lm_core::kernel::algebra::Centred;
/// use lm_core::{Kernel, VectorKernel};
///
/// let k = Centred::new(VectorKernel::linear(), vec![vec![1.0], vec![3.0]])?; // the mean is 2
/// assert_eq!(k.value(&vec![5.0], &vec![1.0]), (5.0 - 2.0) * (1.0 - 2.0));
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Centred<K, X> {
    kernel: K,
    reference: Vec<X>,
    mean: f64,
}

impl<X, K: Kernel<X>> Centred<K, X> {
    /// Centres a kernel on the mean of some objects, at the cost of all their kernel values. A value costs two kernel
    /// values with each of them.
    ///
    /// # Errors
    /// [`Error::Empty`] without objects, [`Error::KernelValue`] with the first object whose mean kernel value is not
    /// finite.
    pub fn new(kernel: K, reference: Vec<X>) -> Result<Self> {
        if reference.is_empty() {
            return Err(Error::Empty { what: "the set of reference objects" });
        }
        let mut centred = Self { kernel, reference, mean: 0.0 };
        let mut total = 0.0;
        for (row, object) in centred.reference.iter().enumerate() {
            let mean = centred.mean_with(object);
            if !mean.is_finite() {
                return Err(Error::KernelValue { row, column: row });
            }
            total += mean;
        }
        centred.mean = total / centred.reference.len() as f64;
        Ok(centred)
    }

    fn mean_with(&self, object: &X) -> f64 {
        let sum: f64 = self.reference.iter().map(|other| self.kernel.value(object, other)).sum();
        sum / self.reference.len() as f64
    }
}

impl<X: Sync, K: Kernel<X>> Kernel<X> for Centred<K, X> {
    fn value(&self, a: &X, b: &X) -> f64 {
        // The means are added first, so that the value does not depend on the order of the arguments.
        (self.kernel.value(a, b) - (self.mean_with(a) + self.mean_with(b))) + self.mean
    }
}

/// `K(φ(x), φ(z))` for a map `φ` from the objects to whatever the kernel is defined on.
///
/// ```
/// use lm_core::kernel::algebra::Composed;
/// use lm_core::{Kernel, VectorKernel};
///
/// // Words compared by their length.
/// let k = Composed::new(VectorKernel::linear(), |word: &&str| vec![word.len() as f64]);
/// assert_eq!(k.value(&"ab", &"abc"), 6.0);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Composed<K, F> {
    kernel: K,
    map: F,
}

impl<K, F> Composed<K, F> {
    /// A kernel after a map.
    pub fn new(kernel: K, map: F) -> Self {
        Self { kernel, map }
    }
}

impl<X: ?Sized, Y, K: Kernel<Y>, F: Fn(&X) -> Y + Sync> Kernel<X> for Composed<K, F> {
    fn value(&self, a: &X, b: &X) -> f64 {
        self.kernel.value(&(self.map)(a), &(self.map)(b))
    }
}

/// `K(φ(x), φ(z))` for a vector kernel and an explicit [`FeatureMap`].
///
/// ```
/// use lm_core::basis::Monomials;
/// use lm_core::kernel::algebra::OnFeatures;
/// use lm_core::{Kernel, VectorKernel};
///
/// let k = OnFeatures::new(VectorKernel::linear(), Monomials::up_to(1, 2)?); // (x², x, 1)
/// assert_eq!(k.value(&vec![2.0], &vec![3.0]), 36.0 + 6.0 + 1.0);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OnFeatures<M> {
    kernel: VectorKernel,
    map: M,
}

impl<M: FeatureMap> OnFeatures<M> {
    /// A vector kernel after a feature map.
    pub fn new(kernel: VectorKernel, map: M) -> Self {
        Self { kernel, map }
    }

    fn features(&self, x: &[f64]) -> Option<Vec<f64>> {
        let mut features = vec![0.0; self.map.dim_out()];
        (x.len() == self.map.dim_in()).then(|| self.map.map_into(x, &mut features))?;
        Some(features)
    }
}

impl<M: FeatureMap> Kernel<[f64]> for OnFeatures<M> {
    /// The value; NaN, which is reported as an error wherever kernel values are collected, for vectors of another
    /// dimension than the map's.
    fn value(&self, a: &[f64], b: &[f64]) -> f64 {
        match (self.features(a), self.features(b)) {
            (Some(a), Some(b)) => self.kernel.value(&a, &b),
            _ => f64::NAN,
        }
    }
}

impl<M: FeatureMap> Kernel<Vec<f64>> for OnFeatures<M> {
    fn value(&self, a: &Vec<f64>, b: &Vec<f64>) -> f64 {
        self.value(a.as_slice(), b.as_slice())
    }
}

/// `f(x) K(x, z) f(z)` for a real function `f`: the lengths in the feature space changed, the angles kept where `f` is
/// positive.
///
/// ```
/// use lm_core::kernel::algebra::Conformal;
/// use lm_core::{Kernel, VectorKernel};
///
/// let k = Conformal::new(VectorKernel::linear(), |x: &Vec<f64>| 1.0 / (1.0 + x[0] * x[0]));
/// assert_eq!(k.value(&vec![1.0], &vec![1.0]), 0.25);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Conformal<K, F> {
    kernel: K,
    factor: F,
}

impl<K, F> Conformal<K, F> {
    /// A kernel weighted by a function of each object.
    pub fn new(kernel: K, factor: F) -> Self {
        Self { kernel, factor }
    }
}

impl<X: ?Sized, K: Kernel<X>, F: Fn(&X) -> f64 + Sync> Kernel<X> for Conformal<K, F> {
    fn value(&self, a: &X, b: &X) -> f64 {
        // The two factors first: the same bits whatever the order of the arguments.
        ((self.factor)(a) * (self.factor)(b)) * self.kernel.value(a, b)
    }
}
