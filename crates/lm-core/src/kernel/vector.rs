//! Kernels on vectors.

use super::Kernel;
use crate::{Error, Result, Row};

/// The formula of a [`VectorKernel`], with its parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum KernelForm {
    /// `⟨x·z⟩`.
    Linear,
    /// `(scale·⟨x·z⟩ + constant)^degree`.
    Polynomial {
        /// The exponent, at least 1.
        degree: u32,
        /// The factor of the inner product, positive.
        scale: f64,
        /// The constant, not negative.
        constant: f64,
    },
    /// `exp(−γ‖x − z‖²)`.
    Gaussian {
        /// The steepness γ, positive.
        gamma: f64,
    },
    /// `exp(−γ Σₖ |xₖ − zₖ|)`.
    Laplacian {
        /// The steepness γ, positive.
        gamma: f64,
    },
    /// `tanh(scale·⟨x·z⟩ + constant)`, which is not an inner product for all parameters and data.
    Sigmoid {
        /// The factor of the inner product, any finite number but 0.
        scale: f64,
        /// The constant, any finite number.
        constant: f64,
    },
}

/// What a kernel is a function of, besides the norms of the two vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statistic {
    /// `⟨x·z⟩`.
    InnerProduct,
    /// `Σₖ |xₖ − zₖ|`.
    ManhattanDistance,
}

/// A kernel on vectors: linear, polynomial, Gaussian, Laplacian or sigmoid.
///
/// ```
/// use lm_core::{Kernel, VectorKernel};
///
/// let (u, v) = ([1.0, 2.0], [3.0, -1.0]);
/// assert_eq!(VectorKernel::linear().value(&u[..], &v[..]), 1.0);
/// assert_eq!(VectorKernel::polynomial(2, 1.0, 1.0)?.value(&u[..], &v[..]), 4.0);
/// let by_gamma = VectorKernel::gaussian(0.125)?;
/// let by_width = VectorKernel::gaussian_width(2.0)?; // γ = 1/(2σ²)
/// assert_eq!(by_gamma.value(&u[..], &v[..]), by_width.value(&u[..], &v[..]));
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "KernelForm", into = "KernelForm"))]
pub struct VectorKernel(KernelForm);

impl TryFrom<KernelForm> for VectorKernel {
    type Error = Error;

    fn try_from(form: KernelForm) -> Result<Self> {
        match form {
            KernelForm::Linear => {}
            KernelForm::Polynomial { degree, scale, constant } => {
                if degree == 0 {
                    let accepted = "an integer of at least 1";
                    return Err(Error::Setting { name: "degree", value: f64::from(degree), accepted });
                }
                check_positive("scale", scale)?;
                if !(constant >= 0.0 && constant.is_finite()) {
                    let accepted = "a finite number ≥ 0";
                    return Err(Error::Setting { name: "constant", value: constant, accepted });
                }
            }
            KernelForm::Gaussian { gamma } | KernelForm::Laplacian { gamma } => {
                check_positive("gamma", gamma)?;
            }
            KernelForm::Sigmoid { scale, constant } => {
                if !scale.is_finite() || scale == 0.0 {
                    let accepted = "a finite number other than 0";
                    return Err(Error::Setting { name: "scale", value: scale, accepted });
                }
                if !constant.is_finite() {
                    return Err(Error::Setting {
                        name: "constant",
                        value: constant,
                        accepted: "a finite number",
                    });
                }
            }
        }
        Ok(Self(form))
    }
}

impl From<VectorKernel> for KernelForm {
    fn from(kernel: VectorKernel) -> Self {
        kernel.0
    }
}

fn check_positive(name: &'static str, value: f64) -> Result<()> {
    // Written so that NaN fails.
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(Error::Setting { name, value, accepted: "a finite number > 0" })
    }
}

impl VectorKernel {
    /// `⟨x·z⟩`.
    pub fn linear() -> Self {
        Self(KernelForm::Linear)
    }

    /// `⟨x·z⟩^degree`.
    ///
    /// # Errors
    /// [`Error::Setting`] for degree 0.
    pub fn homogeneous(degree: u32) -> Result<Self> {
        Self::polynomial(degree, 1.0, 0.0)
    }

    /// `(scale·⟨x·z⟩ + constant)^degree`.
    ///
    /// # Errors
    /// [`Error::Setting`] unless `degree ≥ 1`, `scale > 0` and `constant ≥ 0`, all finite.
    pub fn polynomial(degree: u32, scale: f64, constant: f64) -> Result<Self> {
        KernelForm::Polynomial { degree, scale, constant }.try_into()
    }

    /// `exp(−γ‖x − z‖²)`.
    ///
    /// # Errors
    /// [`Error::Setting`] unless `γ > 0` and finite.
    pub fn gaussian(gamma: f64) -> Result<Self> {
        KernelForm::Gaussian { gamma }.try_into()
    }

    /// `exp(−‖x − z‖² / 2σ²)`.
    ///
    /// # Errors
    /// [`Error::Setting`] unless `σ > 0` and finite and so is `1/(2σ²)`.
    pub fn gaussian_width(sigma: f64) -> Result<Self> {
        check_positive("sigma", sigma)?;
        Self::gaussian(0.5 / (sigma * sigma)).map_err(|_| Error::Setting {
            name: "sigma",
            value: sigma,
            accepted: "a width for which 1/(2σ²) is finite and > 0",
        })
    }

    /// `exp(−γ Σₖ |xₖ − zₖ|)`.
    ///
    /// # Errors
    /// [`Error::Setting`] unless `γ > 0` and finite.
    pub fn laplacian(gamma: f64) -> Result<Self> {
        KernelForm::Laplacian { gamma }.try_into()
    }

    /// `tanh(scale·⟨x·z⟩ + constant)`.
    ///
    /// # Errors
    /// [`Error::Setting`] unless both are finite and `scale ≠ 0`.
    pub fn sigmoid(scale: f64, constant: f64) -> Result<Self> {
        KernelForm::Sigmoid { scale, constant }.try_into()
    }

    /// The formula and its parameters.
    pub fn form(&self) -> KernelForm {
        self.0
    }

    /// What a block of kernel values is made from.
    pub fn statistic(&self) -> Statistic {
        match self.0 {
            KernelForm::Laplacian { .. } => Statistic::ManhattanDistance,
            _ => Statistic::InnerProduct,
        }
    }

    /// Whether kernel values are made of inner products and are not bounded by 1, so that finite squared norms are needed
    /// for them to be finite.
    pub(crate) fn needs_norms(&self) -> bool {
        !matches!(self.0, KernelForm::Gaussian { .. } | KernelForm::Laplacian { .. })
    }

    /// Turns the statistics of one example with many others into kernel values, in place.
    ///
    /// `norm_squared` is `‖x‖²` of the one and `norms_squared[j]` that of the others.
    pub fn apply(&self, values: &mut [f64], norm_squared: f64, norms_squared: &[f64]) {
        match self.0 {
            KernelForm::Linear => {}
            KernelForm::Polynomial { degree, scale, constant } => {
                values.iter_mut().for_each(|v| *v = power(scale * *v + constant, degree));
            }
            KernelForm::Gaussian { gamma } => {
                for (v, other) in values.iter_mut().zip(norms_squared) {
                    // Equal vectors give an exact 0 here; rounding may put near ones below it.
                    let distance = ((norm_squared - *v) + (*other - *v)).max(0.0);
                    *v = (-gamma * distance).exp();
                }
            }
            KernelForm::Laplacian { gamma } => values.iter_mut().for_each(|v| *v = (-gamma * *v).exp()),
            KernelForm::Sigmoid { scale, constant } => {
                values.iter_mut().for_each(|v| *v = (scale * *v + constant).tanh());
            }
        }
    }

    /// `K(x, x)` from `‖x‖²`.
    pub fn self_value(&self, norm_squared: f64) -> f64 {
        match self.0 {
            KernelForm::Gaussian { .. } | KernelForm::Laplacian { .. } => 1.0,
            KernelForm::Linear | KernelForm::Polynomial { .. } | KernelForm::Sigmoid { .. } => {
                let mut value = [norm_squared];
                self.apply(&mut value, norm_squared, &[norm_squared]);
                value[0]
            }
        }
    }

    /// A bound on the error of a value that [`VectorKernel::apply`] computes, for vectors of dimension `dim` and
    /// squared norm at most `radius_squared`, when products were summed in `f64`.
    pub fn error_bound(&self, dim: usize, radius_squared: f64) -> f64 {
        self.rounding_bound(f64::EPSILON / 2.0, dim as f64 + 1.0, dim, radius_squared)
    }

    /// A bound on the error of a value when numbers have the rounding unit `unit` and a sum has at most `terms` units of
    /// relative error, compared with the sum of the sizes of its terms.
    pub(crate) fn rounding_bound(&self, unit: f64, terms: f64, dim: usize, radius_squared: f64) -> f64 {
        // |fl(⟨x·z⟩) − ⟨x·z⟩| ≤ n·u/(1 − n·u)·‖x‖‖z‖, and what underflows in n products.
        let product = terms * unit * radius_squared * 1.01 + (dim as f64 + 1.0) * f64::MIN_POSITIVE * unit;
        match self.0 {
            KernelForm::Linear => product,
            KernelForm::Polynomial { degree, scale, constant } => {
                let largest = scale * radius_squared + constant;
                let inner = scale * product + 4.0 * unit * largest;
                let degree = f64::from(degree);
                // The slope of t^d where |t| is largest, and the rounding of d − 1 multiplications.
                (degree * inner + degree * unit * largest) * largest.powf(degree - 1.0) * 1.01
            }
            KernelForm::Gaussian { .. } if !(4.0 * radius_squared).is_finite() => {
                Self::direct_bound(unit, terms)
            }
            // exp has slope at most 1 on t ≤ 0; its own rounding is below 2 units.
            KernelForm::Gaussian { gamma } => {
                gamma * 4.0 * (product + 2.0 * unit * radius_squared) * 1.01 + 2.0 * unit
            }
            KernelForm::Laplacian { gamma } => {
                // Σ|xₖ − zₖ| ≤ √d·‖x − z‖ ≤ 2√(d)·R.
                let largest = 2.0 * (dim as f64 * radius_squared).sqrt();
                gamma * (terms + 1.0) * unit * largest * 1.01 + 2.0 * unit
            }
            KernelForm::Sigmoid { scale, constant } => {
                // tanh has slope at most 1; its own rounding is below 6 units.
                let largest = scale.abs() * radius_squared + constant.abs();
                scale.abs() * product + 4.0 * unit * largest + 6.0 * unit
            }
        }
    }

    /// A bound on the error of a value of a Gaussian or Laplacian kernel that is computed from the differences of unrounded
    /// entries: the exponent `t` has a relative error of `n·u`, and `t·exp(−t) ≤ 1/e`.
    pub(crate) fn direct_bound(unit: f64, terms: f64) -> f64 {
        (terms + 4.0) * unit
    }
}

/// `base^exponent` by repeated squaring: the same bits on every platform, unlike a library `pow`.
fn power(base: f64, exponent: u32) -> f64 {
    let (mut result, mut square, mut left) = (1.0, base, exponent);
    while left > 0 {
        if left & 1 == 1 {
            result *= square;
        }
        left >>= 1;
        if left > 0 {
            square *= square;
        }
    }
    result
}

impl Kernel<Row<'_>> for VectorKernel {
    /// The value of one pair, from the differences of the entries where the kernel is a function of them.
    fn value(&self, a: &Row<'_>, b: &Row<'_>) -> f64 {
        match self.0 {
            KernelForm::Gaussian { gamma } => {
                let distance_squared = a.distance_squared(b);
                // Differences so large that their squares overflow are scaled before they are squared.
                let scaled = || a.scaled_distance_squared(b, gamma.sqrt());
                let exponent = if distance_squared.is_finite() { gamma * distance_squared } else { scaled() };
                (-exponent).exp()
            }
            KernelForm::Laplacian { gamma } => (-gamma * a.distance_manhattan(b)).exp(),
            KernelForm::Linear | KernelForm::Polynomial { .. } | KernelForm::Sigmoid { .. } => {
                let mut value = [a.dot(b)];
                self.apply(&mut value, 0.0, &[0.0]);
                value[0]
            }
        }
    }
}

impl Kernel<[f64]> for VectorKernel {
    fn value(&self, a: &[f64], b: &[f64]) -> f64 {
        self.value(&Row::DenseF64(a), &Row::DenseF64(b))
    }
}

impl Kernel<Vec<f64>> for VectorKernel {
    fn value(&self, a: &Vec<f64>, b: &Vec<f64>) -> f64 {
        self.value(a.as_slice(), b.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_outside_their_domain_are_refused_with_their_name() {
        let setting = |kernel: Result<VectorKernel>, expected: &str| {
            assert!(matches!(kernel, Err(Error::Setting { name, .. }) if name == expected), "{kernel:?}");
        };
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            setting(VectorKernel::gaussian(bad), "gamma");
            setting(VectorKernel::gaussian_width(bad), "sigma");
            setting(VectorKernel::laplacian(bad), "gamma");
            setting(VectorKernel::polynomial(2, bad, 0.0), "scale");
        }
        setting(VectorKernel::gaussian_width(1e-200), "sigma");
        setting(VectorKernel::gaussian_width(1e200), "sigma");
        setting(VectorKernel::polynomial(0, 1.0, 0.0), "degree");
        setting(VectorKernel::polynomial(2, 1.0, -1.0), "constant");
        setting(VectorKernel::polynomial(2, 1.0, f64::NAN), "constant");
        setting(VectorKernel::sigmoid(0.0, 0.0), "scale");
        setting(VectorKernel::sigmoid(f64::NAN, 0.0), "scale");
        setting(VectorKernel::sigmoid(1.0, f64::INFINITY), "constant");
        assert!(VectorKernel::sigmoid(-1.0, -1.0).is_ok());
    }

    #[test]
    fn a_gaussian_of_huge_vectors_is_neither_nan_nor_wrong() {
        let kernel = VectorKernel::gaussian(1e-320).unwrap();
        let value = kernel.value(&[1e160][..], &[0.0][..]);
        assert!((value - (-1.0_f64).exp()).abs() < 1e-4, "{value}"); // 1e-320 has few digits itself
        assert_eq!(VectorKernel::gaussian(1.0).unwrap().value(&[1e300][..], &[-1e300][..]), 0.0);
        assert_eq!(VectorKernel::gaussian(1.0).unwrap().value(&[1e300][..], &[1e300][..]), 1.0);
    }

    #[test]
    fn powers_are_exact_where_they_can_be() {
        for exponent in 0..40 {
            assert_eq!(power(-3.0, exponent.min(33)), (-3.0_f64).powi(exponent.min(33) as i32));
        }
    }

    #[test]
    fn blocks_agree_with_single_values_within_the_bound() {
        let kernels = [
            VectorKernel::linear(),
            VectorKernel::homogeneous(3).unwrap(),
            VectorKernel::polynomial(4, 0.5, 1.0).unwrap(),
            VectorKernel::gaussian(0.7).unwrap(),
            VectorKernel::laplacian(0.3).unwrap(),
            VectorKernel::sigmoid(0.2, -0.4).unwrap(),
        ];
        let vectors: Vec<Vec<f64>> =
            (0..12).map(|i| (0..7).map(|k| f64::from(i * 7 + k).sin() * 2.0).collect()).collect();
        let norms: Vec<f64> = vectors.iter().map(|v| Row::DenseF64(v).norm_squared()).collect();
        let radius_squared = norms.iter().fold(0.0_f64, |a, &b| a.max(b));
        for kernel in kernels {
            let bound = kernel.error_bound(7, radius_squared);
            for (i, x) in vectors.iter().enumerate() {
                let statistic = |z: &Vec<f64>| match kernel.statistic() {
                    Statistic::InnerProduct => Row::DenseF64(x).dot(&Row::DenseF64(z)),
                    Statistic::ManhattanDistance => Row::DenseF64(x).distance_manhattan(&Row::DenseF64(z)),
                };
                let mut block: Vec<f64> = vectors.iter().map(statistic).collect();
                kernel.apply(&mut block, norms[i], &norms);
                for (j, z) in vectors.iter().enumerate() {
                    let difference = (block[j] - kernel.value(x, z)).abs();
                    assert!(difference <= 2.0 * bound, "{kernel:?}: {difference:e} > {bound:e}");
                }
                assert_eq!(block[i], kernel.self_value(norms[i]));
            }
        }
    }
}
