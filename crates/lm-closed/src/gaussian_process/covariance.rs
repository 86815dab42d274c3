//! The Gaussian covariance function with one length or one for each column, and the noise of the observations.

use lm_core::{Error, Result};

/// How far apart two inputs may be and still know of each other.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Lengths {
    /// One length `ℓ` for all columns.
    One(f64),
    /// A length `ℓₖ` for each column; a long one says that the column matters little.
    Each(Vec<f64>),
}

impl Lengths {
    /// The lengths, one or one for each column.
    pub fn values(&self) -> &[f64] {
        match self {
            Self::One(length) => std::slice::from_ref(length),
            Self::Each(lengths) => lengths,
        }
    }

    /// The length of one column.
    pub(crate) fn of(&self, column: usize) -> f64 {
        match self {
            Self::One(length) => *length,
            Self::Each(lengths) => lengths[column],
        }
    }

    /// Lengths of the same kind with other values.
    pub(crate) fn with_values(&self, values: &[f64]) -> Self {
        match self {
            Self::One(length) => Self::One(values.first().copied().unwrap_or(*length)),
            Self::Each(_) => Self::Each(values.to_vec()),
        }
    }
}

/// The prior of a Gaussian process, and the noise that is added to its values when they are observed:
///
/// ```text
/// k(x, z) = s² exp(−½ Σₖ (xₖ − zₖ)²/ℓₖ²) ,      y = f(x) + noise of variance σ²
/// ```
///
/// ```
/// use lm_closed::GaussianCovariance;
///
/// let prior = GaussianCovariance::default().with_signal_variance(4.0).with_length(2.0);
/// assert!((prior.value(&[0.0], &[2.0])? - 4.0 * (-0.5_f64).exp()).abs() < 1e-15);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GaussianCovariance {
    signal: f64,
    lengths: Lengths,
    noise: f64,
}

impl Default for GaussianCovariance {
    fn default() -> Self {
        Self { signal: 1.0, lengths: Lengths::One(1.0), noise: 0.01 }
    }
}

impl GaussianCovariance {
    /// The variance `s²` of the process at a point, finite and > 0; default 1.
    #[must_use]
    pub fn with_signal_variance(self, signal: f64) -> Self {
        Self { signal, ..self }
    }

    /// One length `ℓ` for all columns, finite and > 0; default 1.
    #[must_use]
    pub fn with_length(self, length: f64) -> Self {
        Self { lengths: Lengths::One(length), ..self }
    }

    /// A length `ℓₖ` for each column, finite and > 0.
    #[must_use]
    pub fn with_lengths(self, lengths: Vec<f64>) -> Self {
        Self { lengths: Lengths::Each(lengths), ..self }
    }

    /// The variance `σ²` of the noise, finite and > 0; default 0.01.
    #[must_use]
    pub fn with_noise_variance(self, noise: f64) -> Self {
        Self { noise, ..self }
    }

    /// The variance `s²` of the process at a point.
    pub fn signal_variance(&self) -> f64 {
        self.signal
    }

    /// The lengths.
    pub fn lengths(&self) -> &Lengths {
        &self.lengths
    }

    /// The variance `σ²` of the noise.
    pub fn noise_variance(&self) -> f64 {
        self.noise
    }

    /// `k(x, z)`.
    ///
    /// # Errors
    /// [`Error::Length`] for vectors or lengths of different dimensions, [`Error::Setting`] for parameters outside their
    /// domain, [`Error::NonFinite`] for NaN or an infinity.
    pub fn value(&self, x: &[f64], z: &[f64]) -> Result<f64> {
        self.validate(x.len())?;
        if z.len() != x.len() {
            return Err(Error::Length { what: "the second input", expected: x.len(), found: z.len() });
        }
        let mut sum = 0.0;
        for (k, (x, z)) in x.iter().zip(z).enumerate() {
            if !(x.is_finite() && z.is_finite()) {
                return Err(Error::NonFinite { what: "input", row: 0, column: Some(k) });
            }
            let difference = x / self.lengths.of(k) - z / self.lengths.of(k);
            sum += difference * difference;
        }
        Ok(self.signal * (-0.5 * sum).exp())
    }

    /// `σ²/s²`: the ridge of the system whose matrix has ones on the diagonal.
    pub(crate) fn ratio(&self) -> f64 {
        self.noise / self.signal
    }

    pub(crate) fn validate(&self, dim: usize) -> Result<()> {
        let positive = |name, value: f64| {
            if value > 0.0 && value.is_finite() {
                Ok(())
            } else {
                Err(Error::Setting { name, value, accepted: "a finite number > 0" })
            }
        };
        positive("signal variance", self.signal)?;
        positive("noise variance", self.noise)?;
        positive("noise variance over signal variance", self.ratio())?;
        if let Lengths::Each(lengths) = &self.lengths
            && lengths.len() != dim
        {
            return Err(Error::Length { what: "the list of lengths", expected: dim, found: lengths.len() });
        }
        self.lengths.values().iter().try_for_each(|&length| positive("length", length))
    }
}
