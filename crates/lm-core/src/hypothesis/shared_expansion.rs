//! Several expansions over the same support vectors.

use std::sync::OnceLock;

use super::{SupportVectors, VectorExpansion, check_finite};
use crate::engine::{Coefficients, Engine};
use crate::gram::Precision;
use crate::kernel::VectorKernel;
use crate::multiclass::Decisions;
use crate::{Error, Examples, Result, Selection};

/// Members of the set whose values are computed together.
const BLOCK: usize = 1024;

/// `fₒ(x) = Σⱼ cₒⱼ K(xⱼ, x) + bₒ` for several functions `o`, over support vectors that it owns once for all of them.
///
/// A support vector need not have a part in every function: that of a pair of classes supports the pairs that its class is
/// in. Each kernel value is computed once.
///
/// ```
/// use lm_core::{Dense, SharedExpansion, SupportVectors, VectorKernel};
///
/// let support = SupportVectors::DenseF64(Dense::new(vec![1.0, 0.0, 0.0, 1.0], 2, 2)?);
/// let parts = [vec![(0, 2.0), (1, 1.0)], vec![(1, -1.0)]];
/// let f = SharedExpansion::new(VectorKernel::linear(), support, parts, vec![0.5, 0.0])?;
/// let values = f.decisions(&Dense::new(vec![3.0, 4.0], 1, 2)?)?;
/// assert_eq!(values.row(0)?, [6.5, -1.0]);
/// assert_eq!(f.function(0)?.decision(&[3.0, 4.0])?, 6.5);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug)]
pub struct SharedExpansion {
    kernel: VectorKernel,
    support: SupportVectors,
    coefficients: Coefficients,
    biases: Vec<f64>,
    packed: OnceLock<Engine>,
}

// The packed support vectors are no part of the functions: copies start without them, and they make no difference.
impl Clone for SharedExpansion {
    fn clone(&self) -> Self {
        let (support, coefficients) = (self.support.clone(), self.coefficients.clone());
        let (kernel, biases) = (self.kernel, self.biases.clone());
        Self { kernel, support, coefficients, biases, packed: OnceLock::new() }
    }
}

impl PartialEq for SharedExpansion {
    fn eq(&self, other: &Self) -> bool {
        self.kernel == other.kernel
            && self.support == other.support
            && self.coefficients == other.coefficients
            && self.biases == other.biases
    }
}

impl SharedExpansion {
    /// Functions over these vectors: for each vector the functions that it has a part in, with its coefficient, and a bias
    /// for each function.
    ///
    /// # Errors
    /// [`Error::Empty`] without functions, [`Error::Length`] unless there are parts for each vector, [`Error::Index`] for a
    /// function that does not exist, [`Error::NonFinite`] if a coefficient or a bias is not finite.
    pub fn new<P: IntoIterator<Item = (usize, f64)>>(
        kernel: VectorKernel,
        support: SupportVectors,
        parts: impl IntoIterator<Item = P>,
        biases: Vec<f64>,
    ) -> Result<Self> {
        let (outputs, expected) = (biases.len(), support.as_examples().len());
        if outputs == 0 {
            return Err(Error::Empty { what: "the list of functions" });
        }
        if let Some(row) = biases.iter().position(|bias| !bias.is_finite()) {
            return Err(Error::NonFinite { what: "bias", row, column: None });
        }
        let (mut offsets, mut all) = (vec![0], Vec::new());
        for (row, parts) in parts.into_iter().enumerate() {
            for (index, coefficient) in parts {
                if index >= outputs {
                    return Err(Error::Index { what: "function", index, len: outputs });
                }
                if !coefficient.is_finite() {
                    return Err(Error::NonFinite { what: "coefficient", row, column: Some(index) });
                }
                all.push((index, coefficient));
            }
            offsets.push(all.len());
        }
        let found = offsets.len() - 1;
        if found != expected {
            return Err(Error::Length { what: "the list of coefficients", expected, found });
        }
        let coefficients = Coefficients::packed(outputs, offsets, all);
        Ok(Self { kernel, support, coefficients, biases, packed: OnceLock::new() })
    }

    /// The kernel.
    pub fn kernel(&self) -> VectorKernel {
        self.kernel
    }

    /// The support vectors.
    pub fn support(&self) -> &SupportVectors {
        &self.support
    }

    /// The bias of each function.
    pub fn biases(&self) -> &[f64] {
        &self.biases
    }

    /// The functions that a support vector has a part in, with its coefficients.
    ///
    /// # Errors
    /// [`Error::Index`] for a support vector that does not exist.
    pub fn parts(&self, vector: usize) -> Result<&[(usize, f64)]> {
        let len = self.coefficients.len();
        if vector < len {
            Ok(self.coefficients.of(vector))
        } else {
            Err(Error::Index { what: "support vector", index: vector, len })
        }
    }

    /// One of the functions by itself, over the vectors whose coefficient in it is not 0.
    ///
    /// # Errors
    /// [`Error::Index`] for a function that does not exist.
    pub fn function(&self, index: usize) -> Result<VectorExpansion> {
        let len = self.biases.len();
        let &bias = self.biases.get(index).ok_or(Error::Index { what: "function", index, len })?;
        let (mut rows, mut coefficients) = (Vec::new(), Vec::new());
        for vector in 0..self.coefficients.len() {
            let own = self.coefficients.of(vector).iter().filter(|(function, _)| *function == index);
            let coefficient: f64 = own.map(|(_, coefficient)| coefficient).sum();
            if coefficient != 0.0 {
                rows.push(vector);
                coefficients.push(coefficient);
            }
        }
        let support = SupportVectors::copied(self.support.as_examples(), &rows)?;
        VectorExpansion::new(self.kernel, support, coefficients, bias)
    }

    /// The values of all functions, one row for each member of the set.
    ///
    /// # Errors
    /// [`Error::Length`] for members of another dimension, [`Error::Numerical`] if a value is not finite,
    /// [`Error::TooLarge`] if the table cannot be held.
    pub fn decisions<E: Examples + ?Sized>(&self, set: &E) -> Result<Decisions> {
        let support = self.support.as_examples();
        set.check_dim("a support vector", support.dim())?;
        let width = self.biases.len();
        let limit = isize::MAX as usize / size_of::<f64>();
        let size = set.len().checked_mul(width).filter(|&size| size <= limit);
        let size =
            size.ok_or(Error::TooLarge { what: "a table of decision values", size: set.len(), limit })?;
        let mut values = vec![0.0; size];
        values.chunks_exact_mut(width).for_each(|row| row.copy_from_slice(&self.biases));
        if !support.is_empty() {
            let engine = self.packed.get_or_init(|| Engine::for_expansion(support, self.kernel));
            let all: Vec<usize> = (0..set.len()).collect();
            for (rows, out) in all.chunks(BLOCK).zip(values.chunks_mut(BLOCK * width)) {
                let some = Selection::new(set, rows)?;
                engine.expand(support, &some, &self.coefficients, Precision::F64, out)?;
            }
        }
        check_finite(&values)?;
        Decisions::new(values, width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dense, Hypothesis};

    #[test]
    fn together_they_are_what_each_is_by_itself() {
        let vectors: Vec<f64> = (0..60).map(|k| (f64::from(k) * 1.7).sin()).collect();
        let support = SupportVectors::DenseF64(Dense::new(vectors, 20, 3).unwrap());
        let parts = (0..20).map(|j| [(j % 3, j as f64 - 9.5), ((j + 1) % 3, 0.25 * j as f64)]);
        let kernel = VectorKernel::gaussian(0.7).unwrap();
        let f = SharedExpansion::new(kernel, support, parts, vec![1.0, -2.0, 0.0]).unwrap();
        let points = Dense::new((0..90).map(|k| (f64::from(k) * 0.3).cos()).collect(), 30, 3).unwrap();
        let all = f.decisions(&points).unwrap();
        for index in 0..3 {
            let alone = f.function(index).unwrap().decision_values(&points).unwrap();
            for (row, alone) in all.rows().zip(alone) {
                assert!((row[index] - alone).abs() < 1e-12);
            }
        }
        assert!(matches!(f.function(3), Err(Error::Index { index: 3, .. })));
        assert!(f.parts(20).is_err());
    }

    #[test]
    fn parts_that_do_not_fit_are_refused() {
        let support = || SupportVectors::DenseF64(Dense::new(vec![1.0, 2.0], 2, 1).unwrap());
        let made = |parts: Vec<Vec<(usize, f64)>>, biases| {
            SharedExpansion::new(VectorKernel::linear(), support(), parts, biases)
        };
        assert!(matches!(made(vec![vec![]], vec![0.0]), Err(Error::Length { expected: 2, .. })));
        assert!(matches!(made(vec![vec![(1, 1.0)], vec![]], vec![0.0]), Err(Error::Index { .. })));
        assert!(matches!(made(vec![vec![(0, f64::NAN)], vec![]], vec![0.0]), Err(Error::NonFinite { .. })));
        assert!(matches!(made(vec![vec![], vec![]], vec![f64::NAN]), Err(Error::NonFinite { .. })));
        assert!(matches!(made(vec![vec![], vec![]], vec![]), Err(Error::Empty { .. })));
    }
}
