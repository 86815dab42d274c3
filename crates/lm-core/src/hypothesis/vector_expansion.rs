//! An expansion in kernel values over kept support vectors.

use std::num::NonZero;

use super::{Hypothesis, Lift, check_coefficients, check_finite, check_out};
use crate::kernel::{Kernel, VectorKernel};
use crate::{Collection, Csr, Dense, Error, Examples, Result, Row, threads};

/// The support vectors of an expansion, owned, in the storage that the training examples had.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum SupportVectors {
    /// Dense, `f64`.
    #[cfg_attr(feature = "serde", serde(with = "super::stored::dense"))]
    DenseF64(Dense<'static, f64>),
    /// Dense, `f32`.
    #[cfg_attr(feature = "serde", serde(with = "super::stored::dense"))]
    DenseF32(Dense<'static, f32>),
    /// Sparse, `f64`.
    #[cfg_attr(feature = "serde", serde(with = "super::stored::sparse"))]
    SparseF64(Csr<'static, f64>),
    /// Sparse, `f32`.
    #[cfg_attr(feature = "serde", serde(with = "super::stored::sparse"))]
    SparseF32(Csr<'static, f32>),
    /// None: the expansion is its bias. A run that was stopped before its first step has such a model.
    None(NoVectors),
}

/// No vectors at all, of a known dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NoVectors {
    dim: NonZero<u64>,
}

impl NoVectors {
    /// No vectors of this dimension.
    ///
    /// # Errors
    /// [`Error::Empty`] for dimension 0.
    pub fn new(dim: usize) -> Result<Self> {
        let dim = NonZero::new(dim as u64).ok_or(Error::Empty { what: "the set of columns" })?;
        Ok(Self { dim })
    }
}

impl Collection for NoVectors {
    fn len(&self) -> usize {
        0
    }
}

impl Examples for NoVectors {
    fn dim(&self) -> usize {
        usize::try_from(self.dim.get()).unwrap_or(usize::MAX)
    }

    fn row(&self, _: usize) -> Row<'_> {
        // No row exists, so none is asked for; an empty one has no effect on any sum.
        Row::DenseF64(&[])
    }
}

impl SupportVectors {
    /// Copies some rows of a set, in its own storage. A set whose rows differ in storage is copied as dense `f64`.
    ///
    /// # Errors
    /// [`Error::Index`] for a row that does not exist.
    pub fn copied<E: Examples + ?Sized>(examples: &E, rows: &[usize]) -> Result<Self> {
        let (len, dim) = (examples.len(), examples.dim());
        if let Some(&index) = rows.iter().find(|&&row| row >= len) {
            return Err(Error::Index { what: "row", index, len });
        }
        let Some(&first) = rows.first() else {
            return NoVectors::new(dim).map(Self::None);
        };
        let chosen = || rows.iter().map(|&row| examples.row(row));
        match examples.row(first) {
            Row::DenseF32(_) if chosen().all(|row| matches!(row, Row::DenseF32(_))) => {
                let values = chosen()
                    .flat_map(|row| if let Row::DenseF32(row) = row { row.to_vec() } else { Vec::new() });
                Dense::new(values.collect(), rows.len(), dim).map(Self::DenseF32)
            }
            Row::SparseF64(_) if chosen().all(|row| matches!(row, Row::SparseF64(_))) => {
                let parts = chosen().map(|row| {
                    if let Row::SparseF64(row) = row {
                        (row.indices(), row.values())
                    } else {
                        (&[][..], &[][..])
                    }
                });
                gathered(parts, dim).map(Self::SparseF64)
            }
            Row::SparseF32(_) if chosen().all(|row| matches!(row, Row::SparseF32(_))) => {
                let parts = chosen().map(|row| {
                    if let Row::SparseF32(row) = row {
                        (row.indices(), row.values())
                    } else {
                        (&[][..], &[][..])
                    }
                });
                gathered(parts, dim).map(Self::SparseF32)
            }
            _ => Dense::copied(&crate::Selection::new(examples, rows)?).map(Self::DenseF64),
        }
    }

    /// The support vectors as a set of examples.
    pub fn as_examples(&self) -> &dyn Examples {
        match self {
            Self::DenseF64(set) => set,
            Self::DenseF32(set) => set,
            Self::SparseF64(set) => set,
            Self::SparseF32(set) => set,
            Self::None(set) => set,
        }
    }
}

/// Compressed rows put together from rows.
fn gathered<'r, T: crate::Element>(
    rows: impl Iterator<Item = (&'r [u32], &'r [T])>,
    dim: usize,
) -> Result<Csr<'static, T>> {
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for (row_indices, row_values) in rows {
        indices.extend_from_slice(row_indices);
        values.extend_from_slice(row_values);
        offsets.push(values.len());
    }
    Csr::new(offsets, indices, values, dim)
}

/// `f(x) = Σⱼ cⱼ K(xⱼ, x) + b`, over support vectors that it owns.
///
/// ```
/// use lm_core::{Dense, SupportVectors, VectorExpansion, VectorKernel};
///
/// let support = SupportVectors::DenseF64(Dense::new(vec![1.0, 0.0, 0.0, 1.0], 2, 2)?);
/// let f = VectorExpansion::new(VectorKernel::linear(), support, vec![2.0, -1.0], 0.5)?;
/// assert_eq!(f.decision(&[3.0, 4.0])?, 2.5);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "super::stored::StoredExpansion"))]
pub struct VectorExpansion {
    kernel: VectorKernel,
    support: SupportVectors,
    #[cfg_attr(feature = "serde", serde(with = "crate::serde_array"))]
    coefficients: Vec<f64>,
    bias: f64,
}

impl VectorExpansion {
    /// An expansion over these vectors.
    ///
    /// # Errors
    /// [`Error::Length`] unless there is one coefficient per vector, [`Error::NonFinite`] or [`Error::Numerical`] if
    /// one is not finite.
    pub fn new(
        kernel: VectorKernel,
        support: SupportVectors,
        coefficients: Vec<f64>,
        bias: f64,
    ) -> Result<Self> {
        let expected = support.as_examples().len();
        if coefficients.len() != expected {
            return Err(Error::Length {
                what: "the list of coefficients",
                expected,
                found: coefficients.len(),
            });
        }
        check_coefficients("coefficient", &coefficients, bias)?;
        Ok(Self { kernel, support, coefficients, bias })
    }

    /// The kernel.
    pub fn kernel(&self) -> VectorKernel {
        self.kernel
    }

    /// The support vectors.
    pub fn support(&self) -> &SupportVectors {
        &self.support
    }

    /// The coefficient of each support vector.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// The bias `b`.
    pub fn bias(&self) -> f64 {
        self.bias
    }

    /// The decision value of one example.
    ///
    /// # Errors
    /// [`Error::Length`] for another dimension, [`Error::NonFinite`] for an example that is not finite,
    /// [`Error::Numerical`] if the value overflows.
    pub fn decision(&self, example: &[f64]) -> Result<f64> {
        let mut value = [0.0];
        self.decision_values_into(&Dense::single(example)?, &mut value)?;
        Ok(value[0])
    }

    fn sum(&self, example: &Row<'_>) -> f64 {
        let support = self.support.as_examples();
        let terms = self.coefficients.iter().enumerate();
        terms.fold(self.bias, |sum, (j, c)| sum + c * self.kernel.value(&support.row(j), example))
    }
}

impl<E: Examples + ?Sized> Hypothesis<E> for VectorExpansion {
    fn decision_values_into(&self, set: &E, out: &mut [f64]) -> Result<()> {
        const BLOCK: usize = 16;
        set.check_dim("a support vector", self.support.as_examples().dim())?;
        check_out(set, out)?;
        threads::for_each_chunk(out, BLOCK, |block, out| {
            out.iter_mut()
                .enumerate()
                .for_each(|(offset, out)| *out = self.sum(&set.row(block * BLOCK + offset)));
        });
        check_finite(out)
    }
}

impl Lift for VectorExpansion {
    fn lifted(self, _: &[usize]) -> Result<Self> {
        Ok(self)
    }
}
