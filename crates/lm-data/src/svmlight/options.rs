//! How svmlight text is read.

use lm_core::{Error, Result};

use crate::text::lines::Limits;

/// How svmlight text is read: where indices start, how wide examples are, and how much text is accepted.
///
/// ```
/// use lm_core::Examples;
/// use lm_data::svmlight;
///
/// let options = svmlight::Options::default().zero_based(true).with_dim(5);
/// let data = svmlight::read::<f64>("1 0:2.5 3:1\n".as_bytes(), &options)?;
/// assert_eq!(data.examples.dim(), 5);
/// assert_eq!(data.examples.dot(0, &[1.0, 0.0, 0.0, 1.0, 0.0]), 3.5);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    zero_based: bool,
    dim: Option<usize>,
    limits: Limits,
}

/// The largest index accepted: the largest that readers with 32-bit signed indices accept too.
pub(super) const LARGEST_INDEX: u64 = i32::MAX as u64;

impl Options {
    /// Whether indices count from 0. By default they count from 1, and index 0 is refused.
    #[must_use]
    pub fn zero_based(self, zero_based: bool) -> Self {
        Self { zero_based, ..self }
    }

    /// The dimension of the examples, from 1 to 2³¹: narrower data is padded with zeros, an index beyond it is
    /// refused. By default the largest index of the text decides. Give the width of the training set when reading a
    /// test set.
    #[must_use]
    pub fn with_dim(self, dim: usize) -> Self {
        Self { dim: Some(dim), ..self }
    }

    /// The longest line accepted, in bytes, at least 1. Default 64 MiB. It bounds the memory of [`super::Blocks`].
    #[must_use]
    pub fn with_line_limit(self, bytes: usize) -> Self {
        Self { limits: Limits { line: bytes, ..self.limits }, ..self }
    }

    /// The longest text accepted, in bytes after decompression, at least 1. Default 16 GiB. It bounds what a small
    /// gzip file can unfold to.
    #[must_use]
    pub fn with_text_limit(self, bytes: u64) -> Self {
        Self { limits: Limits { text: bytes, ..self.limits }, ..self }
    }

    /// The text that one task parses, and that one block of [`super::Blocks`] is made from, in bytes, at least 1.
    /// Default 1 MiB. It changes no result. A longer line is a block of its own.
    #[must_use]
    pub fn with_block_bytes(self, bytes: usize) -> Self {
        Self { limits: Limits { block: bytes, ..self.limits }, ..self }
    }

    pub(super) fn validate(&self) -> Result<()> {
        let largest = LARGEST_INDEX + 1;
        if let Some(dim) = self.dim.filter(|&dim| dim == 0 || dim as u64 > largest) {
            return Err(Error::Setting { name: "dim", value: dim as f64, accepted: "1 to 2147483648" });
        }
        self.limits.validate("line_limit")
    }

    /// The number of the first column.
    pub(super) fn base(&self) -> u64 {
        u64::from(!self.zero_based)
    }

    pub(super) fn dim(&self) -> Option<usize> {
        self.dim
    }

    pub(super) fn limits(&self) -> Limits {
        self.limits
    }
}
