//! An expansion in kernel values over kept objects of any kind.

use super::{Hypothesis, Lift, check_coefficients, check_finite, check_out};
use crate::{Error, Kernel, Objects, Result, parallel};

/// `f(x) = Σⱼ cⱼ K(xⱼ, x) + b`, over support objects that it owns.
///
/// ```
/// use lm_core::{Kernel, ObjectExpansion};
///
/// struct SameLength;
/// impl Kernel<String> for SameLength {
///     fn value(&self, a: &String, b: &String) -> f64 {
///         if a.len() == b.len() { 1.0 } else { 0.0 }
///     }
/// }
///
/// let f = ObjectExpansion::new(SameLength, vec!["ab".to_string()], vec![2.0], -1.0)?;
/// assert_eq!(f.decision(&"xy".to_string())?, 1.0);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Parts<K, X>"))]
#[cfg_attr(
    feature = "serde",
    serde(bound(deserialize = "K: serde::Deserialize<'de>, X: serde::Deserialize<'de>"))
)]
pub struct ObjectExpansion<K, X> {
    kernel: K,
    support: Vec<X>,
    coefficients: Vec<f64>,
    bias: f64,
}

/// What a decoder reads before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Parts<K, X> {
    kernel: K,
    support: Vec<X>,
    coefficients: Vec<f64>,
    bias: f64,
}

#[cfg(feature = "serde")]
impl<K, X> TryFrom<Parts<K, X>> for ObjectExpansion<K, X> {
    type Error = Error;

    fn try_from(parts: Parts<K, X>) -> Result<Self> {
        Self::checked(parts.kernel, parts.support, parts.coefficients, parts.bias)
    }
}

impl<K, X> ObjectExpansion<K, X> {
    fn checked(kernel: K, support: Vec<X>, coefficients: Vec<f64>, bias: f64) -> Result<Self> {
        if coefficients.len() != support.len() {
            let (expected, found) = (support.len(), coefficients.len());
            return Err(Error::Length { what: "the list of coefficients", expected, found });
        }
        check_coefficients("coefficient", &coefficients, bias)?;
        Ok(Self { kernel, support, coefficients, bias })
    }

    /// The kernel.
    pub fn kernel(&self) -> &K {
        &self.kernel
    }

    /// The support objects.
    pub fn support(&self) -> &[X] {
        &self.support
    }

    /// The coefficient of each support object.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// The bias `b`.
    pub fn bias(&self) -> f64 {
        self.bias
    }
}

impl<K: Kernel<X>, X: Send + Sync> ObjectExpansion<K, X> {
    /// An expansion over these objects. None at all gives a constant function.
    ///
    /// # Errors
    /// [`Error::Length`] unless there is one coefficient per object, [`Error::NonFinite`] or [`Error::Numerical`] if
    /// one is not finite.
    pub fn new(kernel: K, support: Vec<X>, coefficients: Vec<f64>, bias: f64) -> Result<Self> {
        Self::checked(kernel, support, coefficients, bias)
    }

    /// The decision value of one object.
    ///
    /// # Errors
    /// [`Error::Numerical`] if the value is not finite.
    pub fn decision(&self, object: &X) -> Result<f64> {
        let value = self.sum(object);
        check_finite(&[value]).map(|()| value)
    }

    fn sum(&self, object: &X) -> f64 {
        let terms = self.support.iter().zip(&self.coefficients);
        terms.fold(self.bias, |sum, (support, c)| sum + c * self.kernel.value(support, object))
    }
}

impl<K, X, S> Hypothesis<S> for ObjectExpansion<K, X>
where
    K: Kernel<X> + Send,
    X: Send + Sync,
    S: Objects<Object = X> + ?Sized,
{
    fn decision_values_into(&self, set: &S, out: &mut [f64]) -> Result<()> {
        check_out(set, out)?;
        parallel::for_each_chunk(out, 1, |row, out| out[0] = self.sum(set.object(row)));
        check_finite(out)
    }
}

impl<K, X> Lift for ObjectExpansion<K, X> {
    fn lifted(self, _: &[usize]) -> Result<Self> {
        Ok(self)
    }
}
