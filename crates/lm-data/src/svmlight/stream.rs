//! A set of any size, block after block, in bounded memory.

use std::io::Read;
use std::marker::PhantomData;

use lm_core::{Csr, Result};

use super::options::Options;
use super::parse::parse;
use super::read::no_examples;
use crate::text::lines::{LineEnds, Lines};
use crate::{Labelled, Stored};

/// The examples of a reader, plain or gzip, as an iterator over blocks.
///
/// One block at a time is in memory: about [`Options::with_block_bytes`] of text, or one line if that is longer, up
/// to [`Options::with_line_limit`]. Blocks hold the same numbers as [`super::read`], and the first error is the same;
/// after an error the iterator ends.
///
/// Without [`Options::with_dim`] a block is as wide as the widest line so far, and at least 1 wide:
/// [`Csr::widened`] brings earlier blocks to a later width.
///
/// ```
/// use lm_core::{Collection, Csr};
/// use lm_data::svmlight::{Blocks, Options};
///
/// let options = Options::default().with_dim(3).with_block_bytes(8);
/// let blocks = Blocks::<_, f64>::new("1 1:2\n-1 2:1\n1 3:4\n".as_bytes(), &options)?;
/// let sizes: Result<Vec<usize>, _> = blocks.map(|block| block.map(|b| b.examples.len())).collect();
/// assert_eq!(sizes?.iter().sum::<usize>(), 3);
/// # Ok::<(), lm_core::Error>(())
/// ```
pub struct Blocks<R: Read, T> {
    lines: Lines<R>,
    options: Options,
    dim: usize,
    rows: u64,
    ended: bool,
    stored: PhantomData<T>,
}

impl<R: Read, T: Stored> Blocks<R, T> {
    /// Prepares to read; only the first bytes are read here.
    ///
    /// # Errors
    /// [`lm_core::Error::Setting`] for an option outside its domain, [`lm_core::Error::Io`] if the reader fails.
    pub fn new(reader: R, options: &Options) -> Result<Self> {
        options.validate()?;
        let lines = Lines::new(reader, options.limits(), LineEnds::All)?;
        let dim = options.dim().unwrap_or(1);
        Ok(Self { lines, options: options.clone(), dim, rows: 0, ended: false, stored: PhantomData })
    }

    fn next_rows(&mut self) -> Result<Option<Labelled<Csr<'static, T>>>> {
        while let Some(block) = self.lines.next_block()? {
            let rows = parse::<T>(&block, &self.options)?;
            if rows.labels.is_empty() {
                continue;
            }
            self.dim = self.dim.max(rows.dim);
            self.rows += rows.labels.len() as u64;
            let (examples, labels) = rows.into_examples(self.dim)?;
            return Ok(Some(Labelled { examples, labels }));
        }
        if self.rows == 0 { Err(no_examples()) } else { Ok(None) }
    }
}

impl<R: Read, T: Stored> Iterator for Blocks<R, T> {
    type Item = Result<Labelled<Csr<'static, T>>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = self.next_rows().transpose();
        self.ended = !matches!(next, Some(Ok(_)));
        next
    }
}
