//! Writing a table so that reading gives it back, bit for bit.

use std::io::{BufWriter, Write};

use lm_core::{Error, Examples, Result, Row};

use super::table::Columns;
use crate::text::number::{Fault, whole};
use crate::text::shortest::Shortest;

/// Writes examples and labels under a header, the target in the last column.
///
/// Numbers are written with the fewest digits that name them, so that [`super::read`] into the same type returns the
/// same bits. If `columns` has classes, labels are their positions and the names are written. To read the table back,
/// say [`super::Header::Present`] if a column is called by a number, and name the target if a feature is called
/// `target`, `label`, `class` or `y`.
///
/// ```
/// use lm_core::Dense;
/// use lm_data::csv::{self, Columns};
///
/// let examples = Dense::new(vec![0.5, 2.0], 2, 1)?;
/// let columns = Columns { classes: Some(vec!["no".into(), "yes, but".into()]), ..Columns::numbered(1) };
/// let mut text = Vec::new();
/// csv::write(&mut text, &examples, &[0.0, 1.0], &columns)?;
/// assert_eq!(text, b"x1,y\n0.5,no\n2,\"yes, but\"\n");
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Length`] unless there is a label for each example and a name for each column; [`Error::NonFinite`] for a
/// label that is not finite; [`Error::Label`] for one that is no position of a class; [`Error::Setting`] for a class
/// name that is empty or reads as a number; [`Error::Io`] if the writer fails.
pub fn write<E: Examples + ?Sized>(
    writer: &mut impl Write,
    examples: &E,
    labels: &[f64],
    columns: &Columns,
) -> Result<()> {
    check(examples, labels, columns)?;
    let failed = |error: std::io::Error| Error::io("writing the table", &error);
    let mut out = BufWriter::with_capacity(1 << 16, writer);
    for name in &columns.features {
        write!(out, "{},", Quoted(name)).map_err(failed)?;
    }
    writeln!(out, "{}", Quoted(&columns.target)).map_err(failed)?;
    let mut wide = vec![0.0; examples.dim()];
    for (row, &label) in labels.iter().enumerate() {
        let example = examples.row(row);
        example.write_to(&mut wide);
        let narrow = matches!(example, Row::DenseF32(_) | Row::SparseF32(_));
        for &value in &wide {
            let written = if narrow {
                write!(out, "{},", Shortest(value as f32))
            } else {
                write!(out, "{},", Shortest(value))
            };
            written.map_err(failed)?;
        }
        let class = columns.classes.as_ref().and_then(|classes| classes.get(label as usize));
        let written = match class {
            Some(name) => writeln!(out, "{}", Quoted(name)),
            None => writeln!(out, "{}", Shortest(label)),
        };
        written.map_err(failed)?;
    }
    out.flush().map_err(failed)
}

fn check<E: Examples + ?Sized>(examples: &E, labels: &[f64], columns: &Columns) -> Result<()> {
    let lengths = [
        ("the list of labels", examples.len(), labels.len()),
        ("the list of feature names", examples.dim(), columns.features.len()),
    ];
    if let Some(&(what, expected, found)) = lengths.iter().find(|(_, expected, found)| expected != found) {
        return Err(Error::Length { what, expected, found });
    }
    if let Some(row) = labels.iter().position(|label| !label.is_finite()) {
        return Err(Error::NonFinite { what: "label", row, column: None });
    }
    let Some(classes) = &columns.classes else { return Ok(()) };
    let unreadable = |name: &String| name.is_empty() || whole(name.as_bytes()) != Err(Fault::NotANumber);
    if let Some(position) = classes.iter().position(unreadable) {
        let accepted = "a class name that is not empty and does not read as a number";
        return Err(Error::Setting { name: "class name (its position)", value: position as f64, accepted });
    }
    let position = |label: f64| label >= 0.0 && label.fract() == 0.0 && label < classes.len() as f64;
    match labels.iter().position(|&label| !position(label)) {
        Some(row) => Err(Error::Label { row, value: labels[row], accepted: "the position of a class name" }),
        None => Ok(()),
    }
}

/// A name, in quotes where the format asks for them.
struct Quoted<'a>(&'a str);

impl std::fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let plain =
            !self.0.contains([',', '"', '\n', '\r', '\0']) && self.0.trim() == self.0 && !self.0.is_empty();
        if plain { f.write_str(self.0) } else { write!(f, "\"{}\"", self.0.replace('"', "\"\"")) }
    }
}
