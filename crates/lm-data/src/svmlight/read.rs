//! A whole set in memory, parsed on all cores.

use std::io::Read;
use std::path::Path;

use lm_core::{Csr, Error, Result};

use super::options::Options;
use super::parse::{Rows, parse};
use crate::text::lines::{LineEnds, Lines};
use crate::text::{pipeline, source};
use crate::{Labelled, Stored};

/// Reads a file, plain or gzip, on all cores.
///
/// The result and the error do not depend on the number of threads.
///
/// ```
/// use lm_core::Collection;
/// use lm_data::svmlight;
///
/// let path = std::env::temp_dir().join(format!("lm-data-open-{}.svm", std::process::id()));
/// std::fs::write(&path, "1 1:0.5 3:2\n-1 2:1\n")?;
/// let data = svmlight::open::<f32>(&path, &svmlight::Options::default())?;
/// assert_eq!((data.examples.len(), data.examples.entries()), (2, 3));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::Io`] if the file cannot be opened or read, or is a directory; otherwise as [`read`].
pub fn open<T: Stored>(path: impl AsRef<Path>, options: &Options) -> Result<Labelled<Csr<'static, T>>> {
    read(source::open(path.as_ref())?, options)
}

/// Reads everything from a reader, plain or gzip. Blocks are parsed on all cores while the next ones are read.
///
/// ```
/// use lm_core::{Error, Examples};
/// use lm_data::svmlight::{self, Options};
///
/// let data = svmlight::read::<f64>("3.5 1:2 4:1\n".as_bytes(), &Options::default())?;
/// assert_eq!((data.labels, data.examples.dim()), (vec![3.5], 4));
///
/// let refused = svmlight::read::<f64>("1 1:2\n1 1:nan\n".as_bytes(), &Options::default());
/// assert!(matches!(refused, Err(Error::Parse { line: 2, offset: 10, .. })));
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parse`] with line and byte for text that breaks the format or a limit, or holds no example;
/// [`Error::Io`] if the reader fails or the gzip stream is damaged; [`Error::Setting`] for an option outside its
/// domain; [`Error::Allocation`] if the arrays cannot be allocated.
pub fn read<T: Stored>(reader: impl Read, options: &Options) -> Result<Labelled<Csr<'static, T>>> {
    options.validate()?;
    let mut lines = Lines::new(reader, options.limits(), LineEnds::All)?;
    let parts = pipeline::parse_all(&mut lines, |block| parse::<T>(block, options))?;
    let rows = Rows::concatenated(parts)?;
    if rows.labels.is_empty() {
        return Err(no_examples());
    }
    let Some(dim) = options.dim().or(Some(rows.dim)).filter(|&dim| dim > 0) else {
        let problem = "no line has a feature; accepted is at least one, or a width given in the options";
        return Err(Error::Parse { line: 1, offset: 0, problem });
    };
    let (examples, labels) = rows.into_examples(dim)?;
    Ok(Labelled { examples, labels })
}

pub(super) fn no_examples() -> Error {
    let problem = "the text holds no example; accepted is at least one line `label index:value …`";
    Error::Parse { line: 1, offset: 0, problem }
}
