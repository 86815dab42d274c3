//! Explicit feature maps of polynomial kernels: what a kernel computes without them.
//!
//! The map of a kernel is not unique: [`PolynomialMap`], [`TensorMap`] and, in the plane, [`RotatedSquares`] all have
//! the kernel `⟨x·z⟩²`, in spaces of 3, 4 and 3 dimensions.

use super::FeatureMap;
use super::monomials::{Monomials, binomial};
use crate::kernel::{KernelForm, VectorKernel};
use crate::{Error, Result};

/// Monomials weighted so that `⟨φ(x)·φ(z)⟩ = (scale·⟨x·z⟩ + constant)^degree`.
///
/// ```text
/// φ(x)_t = √( C(p,k) cᵖ⁻ᵏ sᵏ · k!/(e₁!⋯eₙ!) ) · x₁^e₁⋯xₙ^eₙ    for every term t of degree k = e₁+…+eₙ ≤ p
/// ```
///
/// Terms come in increasing degree. Without a constant only those of degree `p` remain.
///
/// ```
/// use lm_core::basis::{FeatureMap, PolynomialMap};
/// use lm_core::{Kernel, VectorKernel};
///
/// let kernel = VectorKernel::polynomial(2, 1.0, 1.0)?; // (1 + u·v)²
/// let map = PolynomialMap::new(kernel, 2)?; // 1, √2x₁, √2x₂, x₁², √2x₁x₂, x₂²
/// let (u, v) = (map.map(&[1.0, 2.0])?, map.map(&[3.0, -1.0])?);
/// let product: f64 = u.iter().zip(&v).map(|(a, b)| a * b).sum();
/// assert!((product - kernel.value(&[1.0, 2.0][..], &[3.0, -1.0][..])).abs() < 1e-14);
/// assert_eq!(map.dim_out(), 6);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PolynomialMap {
    monomials: Monomials,
    coefficients: Vec<f64>,
}

impl PolynomialMap {
    /// The map of a linear or polynomial kernel on vectors of dimension `dim`.
    ///
    /// # Errors
    /// [`Error::Setting`] for a kernel whose feature space has no finite dimension, [`Error::Numerical`] if a
    /// coefficient overflows, and as [`Monomials::of_degrees`].
    pub fn new(kernel: VectorKernel, dim: usize) -> Result<Self> {
        let (degree, scale, constant) = match kernel.form() {
            KernelForm::Linear => (1, 1.0, 0.0),
            KernelForm::Polynomial { degree, scale, constant } => (degree, scale, constant),
            KernelForm::Gaussian { gamma: value }
            | KernelForm::Laplacian { gamma: value }
            | KernelForm::Sigmoid { scale: value, .. } => {
                let accepted = "a linear or polynomial kernel, whose feature space has a finite dimension";
                return Err(Error::Setting { name: "kernel", value, accepted });
            }
        };
        let monomials = if constant == 0.0 {
            Monomials::exactly(dim, degree)?
        } else {
            // The same terms as up_to, in the other order.
            Monomials::up_to(dim, degree)?;
            Monomials::of_degrees(dim, &(0..=degree).collect::<Vec<u32>>())?
        };
        let coefficient = |term: &[u32]| {
            let k = term.len() as u32;
            let choices =
                binomial(u128::from(degree), u128::from(k)).map_or(f64::INFINITY, |count| count as f64);
            let powers = scale.powf(f64::from(k)) * constant.powf(f64::from(degree - k));
            (choices * powers * multinomial(term)).sqrt()
        };
        let coefficients: Vec<f64> = monomials.terms().map(coefficient).collect();
        if coefficients.iter().all(|value| value.is_finite()) {
            Ok(Self { monomials, coefficients })
        } else {
            Err(Error::Numerical { what: "a coefficient of the polynomial feature map" })
        }
    }

    /// The monomials, in the order of the features.
    pub fn monomials(&self) -> &Monomials {
        &self.monomials
    }

    /// The coefficient of each monomial.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }
}

/// `k!/(e₁!⋯eₙ!)`: in how many orders the factors of a term can be written. Exact while it is below 2⁵³.
fn multinomial(term: &[u32]) -> f64 {
    let (mut orders, mut run) = (1.0, 0.0);
    for (position, variable) in term.iter().enumerate() {
        run = if position > 0 && term[position - 1] == *variable { run + 1.0 } else { 1.0 };
        // A multinomial of the first factors at every step, so a whole number.
        orders = orders * (position as f64 + 1.0) / run;
    }
    orders
}

impl FeatureMap for PolynomialMap {
    fn dim_in(&self) -> usize {
        self.monomials.dim_in()
    }

    fn dim_out(&self) -> usize {
        self.monomials.dim_out()
    }

    fn map_into(&self, x: &[f64], out: &mut [f64]) {
        self.monomials.map_into(x, out);
        out.iter_mut().zip(&self.coefficients).for_each(|(out, coefficient)| *out *= coefficient);
    }
}

/// All `nᵈ` ordered products of `d` attributes, `(x₁², x₁x₂, x₂x₁, x₂²)` in the plane, with kernel `⟨x·z⟩ᵈ`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TensorMap {
    dim: usize,
    degree: u32,
    dim_out: usize,
}

impl TensorMap {
    /// The products of `degree` attributes of vectors of dimension `dim`.
    ///
    /// # Errors
    /// [`Error::Empty`] for dimension 0, [`Error::Setting`] for degree 0, [`Error::TooLarge`] if there are too many.
    pub fn new(dim: usize, degree: u32) -> Result<Self> {
        if dim == 0 {
            return Err(Error::Empty { what: "the set of variables" });
        }
        if degree == 0 {
            return Err(Error::Setting { name: "degree", value: 0.0, accepted: "an integer of at least 1" });
        }
        let limit = isize::MAX as usize / size_of::<f64>();
        let dim_out = dim.checked_pow(degree).filter(|&count| count <= limit);
        let dim_out = dim_out.ok_or(Error::TooLarge { what: "the tensor feature map", size: dim, limit })?;
        Ok(Self { dim, degree, dim_out })
    }
}

impl FeatureMap for TensorMap {
    fn dim_in(&self) -> usize {
        self.dim
    }

    fn dim_out(&self) -> usize {
        self.dim_out
    }

    fn map_into(&self, x: &[f64], out: &mut [f64]) {
        for (index, out) in out.iter_mut().enumerate() {
            let mut place = index;
            *out = 1.0;
            for _ in 0..self.degree {
                *out *= x[place % self.dim];
                place /= self.dim;
            }
        }
    }
}

/// `(x₁² − x₂², 2x₁x₂, x₁² + x₂²)/√2` in the plane, with kernel `⟨x·z⟩²`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RotatedSquares;

impl FeatureMap for RotatedSquares {
    fn dim_in(&self) -> usize {
        2
    }

    fn dim_out(&self) -> usize {
        3
    }

    fn map_into(&self, x: &[f64], out: &mut [f64]) {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        out[0] = half * (x[0] - x[1]) * (x[0] + x[1]);
        out[1] = 2.0 * half * x[0] * x[1];
        out[2] = half * (x[0] * x[0] + x[1] * x[1]);
    }
}
