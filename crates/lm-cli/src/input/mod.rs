//! Reading data: svmlight or CSV, plain or gzip, from a file or from standard input.

mod sha256;
mod sniff;

use std::fs::File;
use std::io::{BufReader, Cursor, Read};

use flate2::bufread::MultiGzDecoder;
use lm_core::{Collection, Csr, Dense, Examples};
use lm_data::{csv, svmlight};

use crate::failure::{Failure, Outcome};
pub(crate) use sha256::Sha256;
use sniff::Sniffed;

/// How a data file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// One example a line: a label, then `index:value` for every entry that is not 0
    Svmlight,
    /// A table with a column for every feature and one for the target
    Csv,
}

/// Examples of any width, stored as the file has them.
#[derive(Debug, Clone)]
pub(crate) enum Stored {
    Dense(Dense<'static>),
    Sparse(Csr<'static>),
}

impl Stored {
    pub(crate) fn examples(&self) -> &(dyn Examples + 'static) {
        match self {
            Self::Dense(set) => set,
            Self::Sparse(set) => set,
        }
    }
}

/// What a file holds.
#[derive(Debug, Clone)]
pub(crate) struct Data {
    pub(crate) examples: Stored,
    /// One number for each example, unless the table has no target.
    pub(crate) labels: Option<Vec<f64>>,
    /// The names of a table with a header, and of its classes.
    pub(crate) columns: Option<csv::Columns>,
    pub(crate) format: Format,
    /// SHA-256 of the examples and labels as they were read.
    pub(crate) hash: String,
}

/// What is known of the data before they are read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Expected {
    pub(crate) format: Option<Format>,
    pub(crate) target: Option<String>,
    /// The width of the examples that a model takes.
    pub(crate) dim: Option<usize>,
    /// The names of a model's features, for tables.
    pub(crate) features: Option<Vec<String>>,
    /// The names of a model's classes.
    pub(crate) classes: Option<Vec<String>>,
    /// Whether a table may come without its target.
    pub(crate) target_optional: bool,
}

impl Data {
    pub(crate) fn set(&self) -> &(dyn Examples + 'static) {
        self.examples.examples()
    }

    pub(crate) fn len(&self) -> usize {
        self.set().len()
    }

    pub(crate) fn set_dim(&self) -> usize {
        self.set().dim()
    }

    /// The labels, where they are needed.
    pub(crate) fn labels(&self) -> Outcome<&[f64]> {
        let missing = "the table has no target column; accepted is one with it (`--target NAME` names it)";
        self.labels.as_deref().ok_or_else(|| Failure::new(missing))
    }

    /// The names of the classes, if labels are positions of names.
    pub(crate) fn class_names(&self) -> Option<&[String]> {
        self.columns.as_ref().and_then(|columns| columns.classes.as_deref())
    }

    /// What a column is called: by the header, or by its number from 1 on.
    pub(crate) fn column_name(&self, column: usize) -> String {
        let named = self.columns.as_ref().and_then(|columns| columns.features.get(column));
        named.cloned().unwrap_or_else(|| format!("feature {}", column + 1))
    }

    /// Some of the rows, as data of their own.
    pub(crate) fn select(&self, rows: &[usize]) -> Outcome<Self> {
        let examples = match &self.examples {
            Stored::Dense(set) => {
                let values = rows.iter().flat_map(|&row| set.slice(row).iter().copied()).collect();
                Stored::Dense(Dense::new(values, rows.len(), set.dim())?)
            }
            Stored::Sparse(set) => {
                let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
                for &row in rows {
                    let entries = set.sparse_row(row);
                    indices.extend_from_slice(entries.indices());
                    values.extend_from_slice(entries.values());
                    offsets.push(values.len());
                }
                Stored::Sparse(Csr::new(offsets, indices, values, set.dim())?)
            }
        };
        let labels =
            self.labels.as_ref().map(|labels| rows.iter().map(|&row| labels[row]).collect::<Vec<_>>());
        Ok(Self { examples, labels, columns: self.columns.clone(), format: self.format, hash: String::new() })
    }
}

/// Reads a file, or standard input for `-`.
pub(crate) fn read(path: &str, expected: &Expected) -> Outcome<Data> {
    read_from(path, expected).map_err(|failure| failure.at(place(path)))
}

/// What a path is called in a message.
pub(crate) fn place(path: &str) -> &str {
    if path == "-" { "standard input" } else { path }
}

/// Opens a file, or standard input for `-`.
fn open(path: &str) -> Outcome<Box<dyn Read>> {
    if path == "-" {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    let file = File::open(path).map_err(|error| Failure::new(format!("cannot be opened: {error}")))?;
    let metadata = file.metadata().map_err(|error| Failure::new(format!("cannot be looked at: {error}")))?;
    if metadata.is_dir() {
        return Err(Failure::new("is a folder; accepted is a file of data, or `-` for standard input"));
    }
    Ok(Box::new(file))
}

/// The most text that is looked at to tell what a file is.
const LOOK: u64 = 1 << 18;

/// Reads up to so many bytes.
fn head(reader: &mut dyn Read, bytes: u64) -> Outcome<Vec<u8>> {
    let mut head = Vec::new();
    let read = reader.take(bytes).read_to_end(&mut head);
    read.map_err(|error| Failure::new(format!("cannot be read: {error}")))?;
    Ok(head)
}

fn read_from(path: &str, expected: &Expected) -> Outcome<Data> {
    let mut raw = open(path)?;
    let magic = head(&mut raw, 2)?;
    let gzip = magic == [0x1f, 0x8b];
    let raw = Cursor::new(magic).chain(raw);
    let mut text: Box<dyn Read> = match gzip {
        true => Box::new(MultiGzDecoder::new(BufReader::with_capacity(1 << 16, raw))),
        false => Box::new(raw),
    };
    let look = head(&mut text, LOOK)?;
    if look.starts_with(&[0x89, b'L', b'M', 0x0d]) {
        return Err(Failure::new("is a model of lm; accepted here is a file of data (is the order right?)"));
    }
    let sniffed = sniff::sniff(&look, path, expected.format);
    let text = Cursor::new(look).chain(text);
    let mut data = match sniffed.format {
        Format::Svmlight => read_svmlight(text, expected)?,
        Format::Csv => read_csv(text, &sniffed, expected)?,
    };
    data.hash = hash(&data);
    Ok(data)
}

fn read_svmlight(text: impl Read, expected: &Expected) -> Outcome<Data> {
    if expected.target.is_some() {
        return Err(Failure::new(
            "`--target` names a column of a CSV table; svmlight text has its label first",
        ));
    }
    let data = svmlight::read::<f64>(text, &svmlight::Options::default())?;
    let mut examples = data.examples;
    if let Some(dim) = expected.dim {
        let found = examples.dim();
        if found > dim {
            let message = format!(
                "has a feature with index {found}; the model takes {dim} features, so indices 1 to {dim} are accepted"
            );
            return Err(Failure::new(message));
        }
        examples = examples.widened(dim)?;
    }
    Ok(Data {
        examples: Stored::Sparse(examples),
        labels: Some(data.labels),
        columns: None,
        format: Format::Svmlight,
        hash: String::new(),
    })
}

fn read_csv(text: impl Read, sniffed: &Sniffed, expected: &Expected) -> Outcome<Data> {
    let mut options = csv::Options::default().with_delimiter(sniffed.delimiter);
    let mut unlabelled = false;
    if expected.target_optional && !sniffed.has_target(expected) && sniffed.width() == 1 {
        return read_column(text, sniffed, expected);
    }
    if expected.target_optional && !sniffed.has_target(expected) {
        // The reader needs a target: the first column stands in for it, and is put back afterwards.
        unlabelled = true;
        options = options.with_target_column(0);
    } else if let Some(name) = &expected.target {
        options = if sniffed.is_numbered(name) {
            options.with_target_column(name.parse::<usize>().unwrap_or(1).saturating_sub(1))
        } else {
            options.with_target_name(name)
        };
    }
    if let Some(classes) = expected.classes.as_ref().filter(|_| !unlabelled) {
        options = options.with_classes(classes.clone());
    }
    let table = csv::read::<f64>(text, &options)?;
    let (mut examples, mut columns, labels) = (table.data.examples, table.columns, table.data.labels);
    let mut labels = Some(labels);
    if let Some(first) = labels.take_if(|_| unlabelled) {
        if columns.classes.is_some() {
            let name = &columns.target;
            return Err(Failure::new(format!("column `{name}` holds text; features must be numbers")));
        }
        let values = examples.contiguous().unwrap_or_default();
        let (width, mut whole) = (examples.dim(), Vec::with_capacity(values.len() + first.len()));
        for (own, rest) in first.iter().zip(values.chunks_exact(width)) {
            whole.push(*own);
            whole.extend_from_slice(rest);
        }
        let (name, others) = (columns.target.clone(), columns.features.clone());
        columns = csv::Columns {
            features: std::iter::once(name).chain(others).collect(),
            target: expected.target.clone().unwrap_or_else(|| "y".to_owned()),
            classes: None,
        };
        examples = Dense::new(whole, first.len(), width + 1)?;
    }
    if !sniffed.has_header {
        columns = csv::Columns { classes: columns.classes, ..csv::Columns::numbered(examples.dim()) };
    }
    if let Some(wanted) = expected.features.as_ref().filter(|_| sniffed.has_header) {
        examples = in_order(examples, &columns.features, wanted)?;
        columns.features.clone_from(wanted);
    }
    if let Some(dim) = expected.dim.filter(|&dim| dim != examples.dim()) {
        let found = examples.dim();
        return Err(Failure::new(format!("has {found} features; the model takes {dim}")));
    }
    Ok(Data {
        examples: Stored::Dense(examples),
        labels,
        columns: Some(columns),
        format: Format::Csv,
        hash: String::new(),
    })
}

/// A table of one feature and no target: one number a line.
fn read_column(mut text: impl Read, sniffed: &Sniffed, expected: &Expected) -> Outcome<Data> {
    let mut own = String::new();
    text.read_to_string(&mut own).map_err(|error| Failure::new(format!("cannot be read: {error}")))?;
    let own = own.strip_prefix('\u{feff}').unwrap_or(&own);
    let lines = own.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let values = lines.skip(usize::from(sniffed.has_header)).map(|(number, line)| {
        let value = line.trim().parse::<f64>().ok().filter(|value| value.is_finite());
        let line = number + 1;
        value.ok_or_else(|| Failure::new(format!("line {line}: accepted is a finite number")))
    });
    let values = values.collect::<Outcome<Vec<f64>>>()?;
    let mut columns = csv::Columns::numbered(1);
    if sniffed.has_header {
        columns.features = sniffed.names().to_vec();
    }
    let mut examples = Dense::new(values.clone(), values.len(), 1)?;
    if let Some(wanted) = expected.features.as_ref().filter(|_| sniffed.has_header) {
        examples = in_order(examples, &columns.features, wanted)?;
    }
    if let Some(dim) = expected.dim.filter(|&dim| dim != 1) {
        return Err(Failure::new(format!("has 1 feature; the model takes {dim}")));
    }
    Ok(Data {
        examples: Stored::Dense(examples),
        labels: None,
        columns: Some(columns),
        format: Format::Csv,
        hash: String::new(),
    })
}

/// The columns in the order in which a model knows them.
fn in_order(examples: Dense<'static>, names: &[String], wanted: &[String]) -> Outcome<Dense<'static>> {
    if names == wanted {
        return Ok(examples);
    }
    if let Some(missing) = wanted.iter().find(|name| !names.contains(name)) {
        return Err(Failure::new(format!("has no column `{missing}`, which the model was trained with")));
    }
    if let Some(other) = names.iter().find(|name| !wanted.contains(name)) {
        return Err(Failure::new(format!("has a column `{other}` that the model does not know")));
    }
    if names.len() != wanted.len() {
        return Err(Failure::new("has two columns of the same name"));
    }
    let places: Vec<usize> =
        wanted.iter().filter_map(|name| names.iter().position(|own| own == name)).collect();
    let values = (0..examples.len())
        .flat_map(|row| places.iter().map(|&place| examples.slice(row)[place]).collect::<Vec<_>>())
        .collect();
    Ok(Dense::new(values, examples.len(), wanted.len())?)
}

/// The hash of entries that are not 0, and of labels: the same for svmlight and CSV, plain or gzip.
fn hash(data: &Data) -> String {
    let mut hash = Sha256::new();
    let set = data.set();
    hash.add(&(set.len() as u64).to_le_bytes());
    hash.add(&(set.dim() as u64).to_le_bytes());
    let mut bytes = Vec::new();
    for row in 0..set.len() {
        bytes.clear();
        set.row(row).for_each(|column, value| {
            if value != 0.0 {
                bytes.extend_from_slice(&(column as u64).to_le_bytes());
                bytes.extend_from_slice(&value.to_bits().to_le_bytes());
            }
        });
        let label = data.labels.as_ref().map_or(f64::NAN, |labels| labels[row] + 0.0);
        bytes.extend_from_slice(&u64::MAX.to_le_bytes());
        bytes.extend_from_slice(&label.to_bits().to_le_bytes());
        hash.add(&bytes);
    }
    hash.hex()
}

/// Reads weights, one number a line.
pub(crate) fn read_weights(path: &str) -> Outcome<Vec<f64>> {
    let read = || -> Outcome<Vec<f64>> {
        let mut text = String::new();
        let read = open(path)?.read_to_string(&mut text);
        read.map_err(|error| Failure::new(format!("cannot be read: {error}")))?;
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        lines
            .map(|(number, line)| {
                let value = line.trim().parse::<f64>().ok();
                value.filter(|value| *value >= 0.0 && value.is_finite()).ok_or_else(|| {
                    let line = line.trim();
                    let number = number + 1;
                    Failure::new(format!("line {number}: weight `{line}`; accepted is a finite number ≥ 0"))
                })
            })
            .collect()
    };
    read().map_err(|failure| failure.at(place(path)))
}
