//! The support vectors that an expansion keeps.

use std::num::NonZero;

use crate::{Collection, Csr, Dense, Error, Examples, Result, Row};

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
