//! A table of any size, block after block, in bounded memory.

use std::io::Read;
use std::marker::PhantomData;

use lm_core::{Dense, Error, Result};

use super::options::Options;
use super::parse::{Kind, Layout, parse};
use super::table::Columns;
use crate::text::lines::{LineEnds, Lines};
use crate::{Labelled, Stored};

/// The rows of a reader, plain or gzip, as an iterator over blocks.
///
/// One block at a time is in memory: about [`Options::with_block_bytes`] of text, or one row if that is longer, up to
/// [`Options::with_record_limit`]. Blocks hold the same numbers as [`super::read`], and the first error is the same;
/// after an error the iterator ends. If the target is a name, the classes must be given by
/// [`Options::with_classes`], since their order is known only at the end of the table.
///
/// ```
/// use lm_core::Collection;
/// use lm_data::csv::{Blocks, Options};
///
/// let options = Options::default().with_classes(["no", "yes"]).with_block_bytes(10);
/// let blocks = Blocks::<_, f64>::new("a,y\n1,yes\n2,no\n3,yes\n".as_bytes(), &options)?;
/// assert_eq!(blocks.columns().features, ["a"]);
/// let mut labels = Vec::new();
/// for block in blocks {
///     labels.extend(block?.labels);
/// }
/// assert_eq!(labels, [1.0, 0.0, 1.0]);
/// # Ok::<(), lm_core::Error>(())
/// ```
pub struct Blocks<R: Read, T> {
    lines: Lines<R>,
    layout: Layout,
    ended: bool,
    stored: PhantomData<T>,
}

impl<R: Read, T: Stored> Blocks<R, T> {
    /// Reads the header and looks at the first row of data.
    ///
    /// # Errors
    /// As [`super::read`], and [`Error::Setting`] if the target is a name and no classes are given.
    pub fn new(reader: R, options: &Options) -> Result<Self> {
        options.validate()?;
        let mut lines = Lines::new(reader, options.limits(), LineEnds::OutsideQuotes)?;
        let layout = Layout::discover(&mut lines, options)?;
        if layout.kind == Kind::Names && layout.columns.classes.is_none() {
            let accepted = "the names of all classes, where a table with a target of names is streamed";
            return Err(Error::Setting { name: "classes (their number)", value: 0.0, accepted });
        }
        Ok(Self { lines, layout, ended: false, stored: PhantomData })
    }

    /// What the columns are called.
    pub fn columns(&self) -> &Columns {
        &self.layout.columns
    }

    fn next_rows(&mut self) -> Result<Option<Labelled<Dense<'static, T>>>> {
        while let Some(block) = self.lines.next_block()? {
            let rows = parse::<T>(&block, &self.layout)?;
            if rows.labels.is_empty() {
                continue;
            }
            let examples = Dense::new(rows.values, rows.labels.len(), self.layout.width - 1)?;
            return Ok(Some(Labelled { examples, labels: rows.labels }));
        }
        Ok(None)
    }
}

impl<R: Read, T: Stored> Iterator for Blocks<R, T> {
    type Item = Result<Labelled<Dense<'static, T>>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = self.next_rows().transpose();
        self.ended = !matches!(next, Some(Ok(_)));
        next
    }
}
