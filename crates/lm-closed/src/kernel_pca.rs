//! Principal components in the feature space of a kernel.
//!
//! # Problem
//! The directions `v` of unit length in which the centred images `φ(xᵢ) − Σ pⱼφ(xⱼ)` vary most, with `p = ω/Σω`.
//! # Method
//! The centred matrix `K̃ᵢⱼ = Kᵢⱼ − aᵢ − aⱼ + c`, with `a = Kp` and `c = pᵗa`, scaled to `P^½K̃P^½`, has the eigenvectors
//! `u` and eigenvalues `μ`: the variance along `v = Σ √pᵢ uᵢ/√μ·φ̃(xᵢ)` is `μ`. The projection of a point on `v` is then
//! an expansion in kernel values. Directions whose variance is rounding are left out; the rank says how many are not.
//! # Cost
//! `n²/2` kernel values and `O(n³)` operations on one core; `32n²` bytes.
//! # Reference
//! Schölkopf, Smola & Müller (1998); Shawe-Taylor & Cristianini (2004), section 6.2.

use lm_core::linalg::{Matrix, SymmetricEigen, product, transposed_product};
use lm_core::{
    Certificate, Columns, Control, Discrepancy, Error, Examples, Fit, Gram, Result, Selection, Stop,
    SupportVectors, VectorKernel, Verdict, Weights,
};

use crate::chain::for_each_block;

/// The settings of kernel principal component analysis.
///
/// ```
/// use lm_closed::KernelPca;
/// use lm_core::{Dense, VectorGram, VectorKernel};
///
/// // Points on a line in the plane: one direction explains everything.
/// let examples = Dense::new(vec![0.0, 0.0, 3.0, 4.0, 6.0, 8.0], 3, 2)?;
/// let gram = VectorGram::new(&examples, VectorKernel::linear())?;
/// let fit = KernelPca::default().fit(&gram)?;
/// assert_eq!(fit.model.rank(), 1);
/// assert!((fit.model.variances()[0] - 50.0 / 3.0).abs() < 1e-12); // of −5, 0, 5
/// let of_vectors = fit.model.over_vectors(&examples, VectorKernel::linear())?;
/// let place = of_vectors.project(&Dense::new(vec![9.0, 12.0], 1, 2)?)?;
/// assert!((place.column(0)[0].abs() - 10.0).abs() < 1e-12);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelPca {
    components: usize,
}

impl Default for KernelPca {
    fn default() -> Self {
        Self { components: usize::MAX }
    }
}

impl KernelPca {
    /// The most directions that are kept, at least 1; default all that the data have.
    #[must_use]
    pub fn with_components(self, components: usize) -> Self {
        Self { components }
    }

    fn validate(&self) -> Result<()> {
        if self.components == 0 {
            return Err(Error::Setting {
                name: "components",
                value: 0.0,
                accepted: "an integer of at least 1",
            });
        }
        Ok(())
    }

    /// The directions of a Gram matrix whose examples count alike, with the default budget.
    ///
    /// # Errors
    /// As [`KernelPca::fit_with`].
    pub fn fit<G: Gram + ?Sized>(&self, gram: &G) -> Result<Fit<KernelComponents, KernelPcaCertificate>> {
        self.fit_with(gram, None, &Control::default())
    }

    /// The directions of a Gram matrix. A run that is stopped before it has computed them has a model without any.
    ///
    /// # Errors
    /// [`Error::Setting`] for a setting outside its domain, [`Error::Empty`] without examples, [`Error::Length`] unless
    /// there is one weight per example, [`Error::Memory`] if the budget has no room, [`Error::Numerical`] if the centred
    /// matrix overflows, and what computing its values gives.
    pub fn fit_with<G: Gram + ?Sized>(
        &self,
        gram: &G,
        weights: Option<&Weights>,
        control: &Control<'_>,
    ) -> Result<Fit<KernelComponents, KernelPcaCertificate>> {
        self.validate()?;
        if gram.is_empty() {
            return Err(Error::Empty { what: "the Gram matrix" });
        }
        let mut meter = control.start(1);
        let shares = shares(gram.len(), weights)?;
        let rows: Vec<usize> = (0..gram.len()).filter(|&row| shares[row] > 0.0).collect();
        let needed = rows.len().saturating_mul(rows.len()).saturating_mul(4 * size_of::<f64>());
        meter.budget().check_memory("the centred Gram matrix and its eigenvectors", needed)?;
        let mut model = KernelComponents {
            rows,
            coefficients: Vec::new(),
            biases: Vec::new(),
            variances: Vec::new(),
            total: 0.0,
        };
        let mut stop = meter.advance(0, 0);
        if stop.is_none() {
            let evaluations = model.compute(gram, &shares, self.components)?;
            stop = meter.advance(1, evaluations).filter(|stop| *stop != Stop::Iterations);
        }
        let certificate = KernelPcaCertificate { shares, model: model.clone() };
        Ok(Fit { model, report: meter.report(stop.unwrap_or(Stop::Converged), None), certificate })
    }
}

/// The share of each example in the whole weight.
fn shares(len: usize, weights: Option<&Weights>) -> Result<Vec<f64>> {
    let Some(weights) = weights else { return Ok(vec![1.0 / len as f64; len]) };
    if weights.values().len() != len {
        let found = weights.values().len();
        return Err(Error::Length { what: "the list of weights", expected: len, found });
    }
    let total = weights.total();
    Ok(weights.values().iter().map(|weight| weight / total).collect())
}

/// Directions in the feature space, as expansions over rows of the Gram matrix: those of most variance first.
///
/// The sign of a direction is such that its largest coefficient is positive.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelComponents {
    /// The rows that count, in order.
    rows: Vec<usize>,
    /// The coefficients of one direction after the other.
    coefficients: Vec<f64>,
    biases: Vec<f64>,
    variances: Vec<f64>,
    total: f64,
}

impl KernelComponents {
    fn compute<G: Gram + ?Sized>(&mut self, gram: &G, shares: &[f64], components: usize) -> Result<u64> {
        let len = self.rows.len();
        let own: Vec<f64> = self.rows.iter().map(|&row| shares[row]).collect();
        let roots: Vec<f64> = own.iter().map(|share| share.sqrt()).collect();
        let mut matrix = Matrix::zeros(len, len)?;
        Selection::new(gram, &self.rows)?.fill_all(matrix.values_mut())?;
        let means: Vec<f64> = (0..len).map(|j| weighted_sum(matrix.column(j), &own)).collect();
        let mean = weighted_sum(&means, &own);
        for j in 0..len {
            for (i, value) in matrix.column_mut(j).iter_mut().enumerate() {
                *value = ((*value - means[i]) - (means[j] - mean)) * roots[i] * roots[j];
            }
        }
        self.total = (0..len).map(|j| matrix[(j, j)]).sum();
        let eigen = SymmetricEigen::of(&matrix)?;
        let largest = eigen.values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        let least = len as f64 * f64::EPSILON * largest;
        for j in (0..len).rev().take(components).take_while(|&j| eigen.values[j] > least) {
            let (variance, vector) = (eigen.values[j], eigen.vectors.column(j));
            let steepest = vector.iter().fold(0.0, |a: f64, &b| if b.abs() > a.abs() { b } else { a });
            let scale = steepest.signum() / variance.sqrt();
            let direction: Vec<f64> = vector.iter().zip(&roots).map(|(u, root)| scale * u * root).collect();
            // The sum is 0 but for rounding; what is left of it belongs to the mean.
            let sum: f64 = direction.iter().sum();
            let bias = sum * mean - weighted_sum(&direction, &means);
            self.coefficients.extend(direction.iter().zip(&own).map(|(value, share)| value - sum * share));
            self.biases.push(bias);
            self.variances.push(variance);
        }
        let finite = self.coefficients.iter().chain(&self.biases).all(|value| value.is_finite());
        if finite && self.total.is_finite() {
            Ok((len as u64).saturating_mul(len as u64))
        } else {
            Err(Error::Numerical { what: "the directions of most variance (rescale the kernel)" })
        }
    }

    /// The number of directions.
    pub fn rank(&self) -> usize {
        self.variances.len()
    }

    /// The variance along each direction, the largest first.
    pub fn variances(&self) -> &[f64] {
        &self.variances
    }

    /// The variance of all directions, kept or not.
    pub fn total_variance(&self) -> f64 {
        self.total
    }

    /// The share of the whole variance that each direction explains; 0 where there is none to explain.
    pub fn explained(&self) -> Vec<f64> {
        let share = |variance: &f64| if self.total > 0.0 { variance / self.total } else { 0.0 };
        self.variances.iter().map(share).collect()
    }

    /// The projections of every member of the Gram matrix: a row for each member, a column for each direction.
    ///
    /// # Errors
    /// What computing the matrix gives; [`Error::Numerical`] if a projection is not finite.
    pub fn project<G: Gram + ?Sized>(&self, gram: &G) -> Result<Matrix> {
        let mut out = Matrix::zeros(gram.len(), self.rank())?;
        let mut values = vec![0.0; self.rows.len()];
        for row in 0..gram.len() {
            gram.fill(&[row], Columns::List(&self.rows), &mut values)?;
            for (k, place) in self.place(&values).into_iter().enumerate() {
                out[(row, k)] = place;
            }
        }
        finite(out)
    }

    /// The projections of a new example, from its kernel values with every row of the matrix.
    ///
    /// # Errors
    /// [`Error::Index`] if a row has no kernel value.
    pub fn project_values(&self, kernel_values: &[f64]) -> Result<Vec<f64>> {
        let value = |&row: &usize| {
            let missing = Error::Index { what: "kernel value", index: row, len: kernel_values.len() };
            kernel_values.get(row).copied().ok_or(missing)
        };
        Ok(self.place(&self.rows.iter().map(value).collect::<Result<Vec<f64>>>()?))
    }

    /// The projections from the kernel values with the rows that count.
    fn place(&self, values: &[f64]) -> Vec<f64> {
        let directions = self.coefficients.chunks_exact(self.rows.len().max(1)).zip(&self.biases);
        directions.map(|(direction, bias)| weighted_sum(direction, values) + bias).collect()
    }

    /// The same directions for vectors: the examples that count are copied out of the set that the matrix was made from.
    ///
    /// # Errors
    /// [`Error::Index`] if a row is not in the set.
    pub fn over_vectors<E: Examples + ?Sized>(
        &self,
        examples: &E,
        kernel: VectorKernel,
    ) -> Result<VectorComponents> {
        let support = SupportVectors::copied(examples, &self.rows)?;
        let (coefficients, biases) = (self.coefficients.clone(), self.biases.clone());
        VectorComponents::new(kernel, support, coefficients, biases, self.variances.clone(), self.total)
    }
}

fn weighted_sum(values: &[f64], weights: &[f64]) -> f64 {
    values.iter().zip(weights).map(|(value, weight)| value * weight).sum()
}

fn finite(matrix: Matrix) -> Result<Matrix> {
    if matrix.values().iter().all(|value| value.is_finite()) {
        Ok(matrix)
    } else {
        Err(Error::Numerical { what: "a projection" })
    }
}

/// Directions in the feature space of a vector kernel, which project new vectors.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "StoredComponents"))]
pub struct VectorComponents {
    kernel: VectorKernel,
    support: SupportVectors,
    #[cfg_attr(feature = "serde", serde(with = "lm_core::serde_array"))]
    coefficients: Vec<f64>,
    #[cfg_attr(feature = "serde", serde(with = "lm_core::serde_array"))]
    biases: Vec<f64>,
    #[cfg_attr(feature = "serde", serde(with = "lm_core::serde_array"))]
    variances: Vec<f64>,
    total: f64,
}

/// What a decoder reads before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct StoredComponents {
    kernel: VectorKernel,
    support: SupportVectors,
    #[serde(with = "lm_core::serde_array")]
    coefficients: Vec<f64>,
    #[serde(with = "lm_core::serde_array")]
    biases: Vec<f64>,
    #[serde(with = "lm_core::serde_array")]
    variances: Vec<f64>,
    total: f64,
}

#[cfg(feature = "serde")]
impl TryFrom<StoredComponents> for VectorComponents {
    type Error = Error;

    fn try_from(stored: StoredComponents) -> Result<Self> {
        let StoredComponents { kernel, support, coefficients, biases, variances, total } = stored;
        Self::new(kernel, support, coefficients, biases, variances, total)
    }
}

#[cfg(feature = "persist")]
impl lm_core::persist::Persist for VectorComponents {
    const KIND: &'static str = "kernel-components";
    const VERSION: u16 = 1;
}

impl VectorComponents {
    fn new(
        kernel: VectorKernel,
        support: SupportVectors,
        coefficients: Vec<f64>,
        biases: Vec<f64>,
        variances: Vec<f64>,
        total: f64,
    ) -> Result<Self> {
        let (len, rank) = (support.as_examples().len(), biases.len());
        for (what, expected, found) in [
            ("the list of coefficients", len.saturating_mul(rank), coefficients.len()),
            ("the list of variances", rank, variances.len()),
        ] {
            if found != expected {
                return Err(Error::Length { what, expected, found });
            }
        }
        for (what, values) in [
            ("coefficient", &coefficients[..]),
            ("bias", &biases),
            ("variance", &variances),
            ("variance", &[total]),
        ] {
            if let Some(row) = values.iter().position(|value| !value.is_finite()) {
                return Err(Error::NonFinite { what, row, column: None });
            }
        }
        Ok(Self { kernel, support, coefficients, biases, variances, total })
    }

    /// The variance along each direction, the largest first.
    pub fn variances(&self) -> &[f64] {
        &self.variances
    }

    /// The variance of all directions, kept or not.
    pub fn total_variance(&self) -> f64 {
        self.total
    }

    /// The projections of vectors: a row for each vector, a column for each direction.
    ///
    /// # Errors
    /// [`Error::Length`] for another dimension, [`Error::KernelValue`] or [`Error::Numerical`] if a value is not finite.
    pub fn project<E: Examples + ?Sized>(&self, set: &E) -> Result<Matrix> {
        let rank = self.biases.len();
        let mut out = Matrix::zeros(set.len(), rank)?;
        let kept = self.support.as_examples();
        set.check_dim("a kept example", kept.dim())?;
        if rank == 0 {
            return Ok(out);
        }
        let directions = Matrix::from_columns(self.coefficients.clone(), kept.len(), rank)?;
        let mut first = 0;
        for_each_block(kept, set, self.kernel, |block| {
            let values = Matrix::from_columns(block.values.to_vec(), block.len, block.own.len())?;
            let places = transposed_product(&values, &directions)?;
            for (k, bias) in self.biases.iter().enumerate() {
                for (row, place) in places.column(k).iter().enumerate() {
                    out[(first + row, k)] = place + bias;
                }
            }
            first += block.own.len();
            Ok(())
        })?;
        finite(out)
    }
}

/// The claim that directions are of unit length, at right angles, and without correlation, with the variances stated.
///
/// [`Certificate::verify`] projects every example anew and compares the covariance of the projections with the variances,
/// and the inner products of the directions with 0 and 1.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelPcaCertificate {
    shares: Vec<f64>,
    model: KernelComponents,
}

impl<G: Gram + ?Sized> Certificate<G> for KernelPcaCertificate {
    fn verify(&self, gram: &G) -> Result<Verdict> {
        if gram.len() != self.shares.len() {
            let (expected, found) = (self.shares.len(), gram.len());
            return Err(Error::Length { what: "the Gram matrix", expected, found });
        }
        let (rank, len) = (self.model.rank(), self.model.rows.len());
        if rank == 0 {
            return Ok(Verdict::Valid);
        }
        let all = self.model.project(gram)?;
        let (mut places, mut weighted) = (Matrix::zeros(len, rank)?, Matrix::zeros(len, rank)?);
        for k in 0..rank {
            for (at, &row) in self.model.rows.iter().enumerate() {
                places[(at, k)] = all[(row, k)];
                weighted[(at, k)] = all[(row, k)] * self.shares[row];
            }
        }
        let covariance = transposed_product(&places, &weighted)?;
        // ⟨vₖ·vₗ⟩ = Σ γᵢₖ ⟨vₗ·φ̃(xᵢ)⟩, as the coefficients of a direction add up to 0.
        let directions = Matrix::from_columns(self.model.coefficients.clone(), len, rank)?;
        let products = product(&directions.transposed()?, &places)?;
        let largest = self.model.variances[0];
        for k in 0..rank {
            for l in 0..rank {
                // Directions of little variance are known to as many digits less.
                let blur = 1e3 * f64::EPSILON * len as f64 * (largest / self.model.variances[k.max(l)]);
                let variance = if k == l { self.model.variances[k] } else { 0.0 };
                let size = largest.min(self.model.variances[k].max(self.model.variances[l]));
                let claims = [
                    ("the covariance of two projections", variance, covariance[(k, l)], blur * size),
                    ("the inner product of two directions", f64::from(k == l), products[(k, l)], blur),
                ];
                for (what, claimed, recomputed, allowed) in claims {
                    if !((claimed - recomputed).abs() <= allowed) {
                        let row = Some(k);
                        return Ok(Verdict::Invalid(Discrepancy { what, claimed, recomputed, row }));
                    }
                }
            }
        }
        Ok(Verdict::Valid)
    }
}
