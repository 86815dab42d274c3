//! How a table is read.

use lm_core::{Error, Result};

use crate::text::lines::Limits;

/// Whether the first row names the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Header {
    /// It does if none of its cells is a number.
    #[default]
    Detect,
    /// It does.
    Present,
    /// It does not; the columns are then called `x1`, `x2`, … and the target `y`.
    Absent,
}

/// How a table is read: its delimiter, header, target and classes, and how much text is accepted.
///
/// ```
/// use lm_data::csv;
///
/// let options = csv::Options::default().with_delimiter(';').with_target_name("price");
/// let table = csv::read::<f64>("price;rooms\n2.5;3\n4;5\n".as_bytes(), &options)?;
/// assert_eq!(table.data.labels, [2.5, 4.0]);
/// assert_eq!(table.columns.features, ["rooms"]);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    delimiter: char,
    header: Header,
    target: Target,
    classes: Option<Vec<String>>,
    limits: Limits,
}

/// Which column is the target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// The first with a usual name, else the last.
    Usual,
    /// The one with this name.
    Name(String),
    /// The one with this number, counted from 0.
    Column(usize),
}

impl Default for Options {
    fn default() -> Self {
        Self {
            delimiter: ',',
            header: Header::Detect,
            target: Target::Usual,
            classes: None,
            limits: Limits::default(),
        }
    }
}

impl Options {
    /// What separates the cells: a tab or an ASCII mark that occurs in no number and is no double quote, such as
    /// `,` `;` `|`. Default `,`.
    #[must_use]
    pub fn with_delimiter(self, delimiter: char) -> Self {
        Self { delimiter, ..self }
    }

    /// Whether the first row is a header. Default [`Header::Detect`].
    #[must_use]
    pub fn with_header(self, header: Header) -> Self {
        Self { header, ..self }
    }

    /// The name of the target column; the header must have it. By default the first column called `target`,
    /// `label`, `class` or `y`, else the last.
    #[must_use]
    pub fn with_target_name(self, name: impl Into<String>) -> Self {
        Self { target: Target::Name(name.into()), ..self }
    }

    /// The number of the target column, counted from 0. By default as for [`Options::with_target_name`].
    #[must_use]
    pub fn with_target_column(self, column: usize) -> Self {
        Self { target: Target::Column(column), ..self }
    }

    /// The names of the classes, whose positions become the labels; a name that is not among them is refused. By
    /// default the names that occur, sorted. Give the names of the training set when reading a test set, and always
    /// when streaming a table whose target is a name.
    #[must_use]
    pub fn with_classes<S: Into<String>>(self, names: impl IntoIterator<Item = S>) -> Self {
        Self { classes: Some(names.into_iter().map(Into::into).collect()), ..self }
    }

    /// The longest row accepted, in bytes, at least 1. Default 64 MiB. It bounds the memory of [`super::Blocks`].
    #[must_use]
    pub fn with_record_limit(self, bytes: usize) -> Self {
        Self { limits: Limits { line: bytes, ..self.limits }, ..self }
    }

    /// The longest text accepted, in bytes after decompression, at least 1. Default 16 GiB.
    #[must_use]
    pub fn with_text_limit(self, bytes: u64) -> Self {
        Self { limits: Limits { text: bytes, ..self.limits }, ..self }
    }

    /// The text that one task parses, and that one block of [`super::Blocks`] is made from, in bytes, at least 1.
    /// Default 1 MiB. It changes no result. A longer row is a block of its own.
    #[must_use]
    pub fn with_block_bytes(self, bytes: usize) -> Self {
        Self { limits: Limits { block: bytes, ..self.limits }, ..self }
    }

    pub(super) fn validate(&self) -> Result<()> {
        let mark = self.delimiter.is_ascii_punctuation() && !"\"+-._'".contains(self.delimiter);
        if !mark && self.delimiter != '\t' {
            let value = f64::from(u32::from(self.delimiter));
            let accepted = "a tab or an ASCII mark that occurs in no number, such as , ; |";
            return Err(Error::Setting { name: "delimiter (its code)", value, accepted });
        }
        if let Some(names) = &self.classes {
            let mut sorted: Vec<&String> = names.iter().collect();
            sorted.sort_unstable();
            sorted.dedup();
            if sorted.len() != names.len() || names.is_empty() {
                let (value, accepted) = (names.len() as f64, "one name or more, each given once");
                return Err(Error::Setting { name: "classes (their number)", value, accepted });
            }
        }
        self.limits.validate("record_limit")
    }

    /// The delimiter as a byte; the check admits ASCII only.
    pub(super) fn delimiter(&self) -> u8 {
        u8::try_from(self.delimiter).unwrap_or(b',')
    }

    pub(super) fn header(&self) -> Header {
        self.header
    }

    pub(super) fn target(&self) -> &Target {
        &self.target
    }

    pub(super) fn classes(&self) -> Option<&[String]> {
        self.classes.as_deref()
    }

    pub(super) fn limits(&self) -> Limits {
        self.limits
    }
}
