//! Expansions and their support vectors in serde formats: what is written, and what a decoder reads before it is
//! checked by the constructors.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{DualExpansion, SupportVectors, VectorExpansion};
use crate::kernel::VectorKernel;
use crate::{Error, Result, serde_array};

/// A [`DualExpansion`] before it is checked.
#[derive(Deserialize)]
pub(super) struct StoredDual {
    #[serde(with = "serde_array")]
    rows: Vec<u64>,
    #[serde(with = "serde_array")]
    coefficients: Vec<f64>,
    bias: f64,
}

impl TryFrom<StoredDual> for DualExpansion {
    type Error = Error;

    fn try_from(stored: StoredDual) -> Result<Self> {
        let rows = addresses(stored.rows).ok_or(Error::TooLarge {
            what: "a row of the Gram matrix",
            size: usize::MAX,
            limit: usize::MAX,
        })?;
        Self::new(rows, stored.coefficients, stored.bias)
    }
}

/// A [`VectorExpansion`] before it is checked.
#[derive(Deserialize)]
pub(super) struct StoredExpansion {
    kernel: VectorKernel,
    support: SupportVectors,
    #[serde(with = "serde_array")]
    coefficients: Vec<f64>,
    bias: f64,
}

impl TryFrom<StoredExpansion> for VectorExpansion {
    type Error = Error;

    fn try_from(stored: StoredExpansion) -> Result<Self> {
        Self::new(stored.kernel, stored.support, stored.coefficients, stored.bias)
    }
}

/// Writes row numbers with eight bytes each, whatever the width of an address is here.
pub(super) fn rows<S: Serializer>(rows: &[usize], serializer: S) -> Result<S::Ok, S::Error> {
    let wide: Vec<u64> = rows.iter().map(|&row| row as u64).collect();
    serde_array::serialize(&wide, serializer)
}

/// Row numbers as addresses, unless one is too large for that. Where both have eight bytes, in the same memory.
fn addresses(wide: Vec<u64>) -> Option<Vec<usize>> {
    wide.into_iter().map(|row| usize::try_from(row).ok()).collect()
}

/// Dense examples as their number and their values, row after row.
pub(super) mod dense {
    use super::*;
    use crate::serde_array::Number;
    use crate::{Collection, Dense, Element};

    #[derive(Serialize, Deserialize)]
    #[serde(bound = "T: Number")]
    struct Stored<T> {
        len: u64,
        #[serde(with = "serde_array")]
        values: Vec<T>,
    }

    #[derive(Serialize)]
    #[serde(bound = "T: Number")]
    struct Borrowed<'a, T> {
        len: u64,
        #[serde(serialize_with = "slice")]
        values: &'a [T],
    }

    fn slice<T: Number, S: Serializer>(values: &&[T], serializer: S) -> Result<S::Ok, S::Error> {
        serde_array::serialize(values, serializer)
    }

    pub(in super::super) fn serialize<T: Element + Number, S: Serializer>(
        examples: &Dense<'_, T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let len = examples.len() as u64;
        match examples.contiguous() {
            Some(values) => Borrowed { len, values }.serialize(serializer),
            None => {
                let rows = (0..examples.len()).flat_map(|row| examples.slice(row).iter().copied());
                Stored { len, values: rows.collect() }.serialize(serializer)
            }
        }
    }

    pub(in super::super) fn deserialize<'de, T: Element + Number, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Dense<'static, T>, D::Error> {
        let Stored { len, values } = Stored::deserialize(deserializer)?;
        let len = usize::try_from(len).map_err(D::Error::custom)?;
        // The constructor refuses a number of values that is not `len · dim`.
        let dim = values.len().checked_div(len).unwrap_or(0);
        Dense::new(values, len, dim).map_err(D::Error::custom)
    }
}

/// Sparse examples as their three arrays and their dimension.
pub(super) mod sparse {
    use super::*;
    use crate::serde_array::Number;
    use crate::{Csr, Element, Examples};

    #[derive(Serialize, Deserialize)]
    #[serde(bound = "T: Number")]
    struct Stored<T> {
        dim: u64,
        #[serde(with = "serde_array")]
        offsets: Vec<u64>,
        #[serde(with = "serde_array")]
        indices: Vec<u32>,
        #[serde(with = "serde_array")]
        values: Vec<T>,
    }

    pub(in super::super) fn serialize<T: Element + Number, S: Serializer>(
        examples: &Csr<'_, T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let (offsets, indices, values) = examples.parts();
        let offsets = offsets.iter().map(|&offset| offset as u64).collect();
        let (indices, values) = (indices.to_vec(), values.to_vec());
        Stored { dim: examples.dim() as u64, offsets, indices, values }.serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, T: Element + Number, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Csr<'static, T>, D::Error> {
        let Stored { dim, offsets, indices, values } = Stored::deserialize(deserializer)?;
        let dim = usize::try_from(dim).map_err(D::Error::custom)?;
        let offsets = addresses(offsets).ok_or_else(|| D::Error::custom("an offset beyond memory"))?;
        Csr::new(offsets, indices, values, dim).map_err(D::Error::custom)
    }
}
