//! A whole table in memory, parsed on all cores.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use lm_core::{Dense, Error, Result};

use super::options::Options;
use super::parse::{Kind, Layout, Rows, parse};
use super::table::Table;
use crate::text::lines::{LineEnds, Lines};
use crate::text::{pipeline, source};
use crate::{Labelled, Stored};

/// Reads a file, plain or gzip, on all cores.
///
/// ```
/// use lm_data::csv;
///
/// let path = std::env::temp_dir().join(format!("lm-data-open-{}.csv", std::process::id()));
/// std::fs::write(&path, "width,height,Class\n1,2,oak\n3,4,ash\n")?;
/// let table = csv::open::<f64>(&path, &csv::Options::default())?;
/// assert_eq!(table.columns.classes, Some(vec!["ash".into(), "oak".into()]));
/// assert_eq!(table.data.labels, [1.0, 0.0]);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Error::Io`] if the file cannot be opened or read, or is a directory; otherwise as [`read`].
pub fn open<T: Stored>(path: impl AsRef<Path>, options: &Options) -> Result<Table<T>> {
    read(source::open(path.as_ref())?, options)
}

/// Reads everything from a reader, plain or gzip. Blocks are parsed on all cores while the next ones are read.
///
/// ```
/// use lm_core::Error;
/// use lm_data::csv::{self, Options};
///
/// let table = csv::read::<f64>("1,2,0.5\n3,4,1.5\n".as_bytes(), &Options::default())?;
/// assert_eq!(table.data.examples.slice(1), [3.0, 4.0]);
///
/// let missing = csv::read::<f64>("1,2,0.5\n3,,1.5\n".as_bytes(), &Options::default());
/// assert!(matches!(missing, Err(Error::Parse { line: 2, offset: 10, .. })));
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parse`] with line and byte for text that breaks the format or a limit, or holds no row;
/// [`Error::Classes`] for more than 65 536 class names;
/// [`Error::Io`] if the reader fails or the gzip stream is damaged; [`Error::Setting`] for an option outside its
/// domain; [`Error::Allocation`] if the arrays cannot be allocated.
pub fn read<T: Stored>(reader: impl Read, options: &Options) -> Result<Table<T>> {
    options.validate()?;
    let mut lines = Lines::new(reader, options.limits(), LineEnds::OutsideQuotes)?;
    let layout = Layout::discover(&mut lines, options)?;
    let mut parts: Vec<Rows<T>> = pipeline::parse_all(&mut lines, |block| parse(block, &layout))?;
    let width = layout.width - 1;
    let mut columns = layout.columns;
    if layout.kind == Kind::Names && columns.classes.is_none() {
        columns.classes = Some(number_by_name(&mut parts)?);
    }
    let (labels, values) = parts.into_iter().map(|part| (part.labels, part.values)).unzip();
    let (labels, values): (Vec<f64>, Vec<T>) = (pipeline::joined(labels)?, pipeline::joined(values)?);
    let examples = Dense::new(values, labels.len(), width)?;
    Ok(Table { data: Labelled { examples, labels }, columns })
}

/// Renumbers the names of all parts in sorted order, and returns them so.
fn number_by_name<T>(parts: &mut [Rows<T>]) -> Result<Vec<String>> {
    let mut all: BTreeMap<Vec<u8>, u32> = BTreeMap::new();
    for part in parts.iter() {
        all.extend(part.names.keys().map(|name| (name.clone(), 0)));
        if all.len() > 1 << 16 {
            return Err(Error::Classes { found: all.len(), accepted: "at most 65536 class names" });
        }
    }
    all.values_mut().zip(0..).for_each(|(number, sorted)| *number = sorted);
    for part in parts.iter_mut() {
        let mut sorted = vec![0.0; part.names.len()];
        for (name, &number) in &part.names {
            if let (Some(place), Some(&new)) = (sorted.get_mut(number as usize), all.get(name)) {
                *place = f64::from(new);
            }
        }
        for label in &mut part.labels {
            *label = sorted.get(*label as usize).copied().unwrap_or(*label);
        }
    }
    // Every name was checked to be UTF-8 when it was read.
    Ok(all.into_keys().map(|name| String::from_utf8_lossy(&name).into_owned()).collect())
}
