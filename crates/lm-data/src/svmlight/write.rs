//! Writing examples so that reading gives them back, bit for bit.

use std::io::Write;

use lm_core::{Error, Examples, Result, Row};

use crate::text::shortest::Shortest;

/// Writes examples and their labels, with indices from 1.
///
/// Every number is written with the fewest digits that name it among the numbers of its type, so that [`super::read`]
/// into the same type returns the same bits. Stored zeros of sparse examples are kept; zeros of dense examples are
/// left out, except negative ones. The width is not part of the format: give it to the reader by
/// [`super::Options::with_dim`] if the last columns may be all zero.
///
/// ```
/// use lm_core::Dense;
/// use lm_data::svmlight;
///
/// let examples = Dense::new(vec![0.1, 0.0, 0.0, -3.0], 2, 2)?;
/// let mut text = Vec::new();
/// svmlight::write(&mut text, &examples, &[1.0, -1.0])?;
/// assert_eq!(text, b"1 1:0.1\n-1 2:-3\n");
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Length`] unless there is one label for each example, [`Error::NonFinite`] for a label that is not
/// finite, [`Error::TooLarge`] for more than 2³¹ − 1 columns, [`Error::Io`] if the writer fails.
pub fn write<E: Examples + ?Sized>(writer: &mut impl Write, examples: &E, labels: &[f64]) -> Result<()> {
    if labels.len() != examples.len() {
        let (expected, found) = (examples.len(), labels.len());
        return Err(Error::Length { what: "the list of labels", expected, found });
    }
    if let Some(row) = labels.iter().position(|label| !label.is_finite()) {
        return Err(Error::NonFinite { what: "label", row, column: None });
    }
    let limit = i32::MAX as usize;
    if examples.dim() > limit {
        return Err(Error::TooLarge { what: "the dimension of svmlight text", size: examples.dim(), limit });
    }
    // Lines are gathered in memory and passed on in large pieces, whatever the writer is.
    let mut text = Vec::with_capacity(2 * PIECE);
    for (row, label) in labels.iter().enumerate() {
        append(&mut text, format_args!("{}", Shortest(*label)));
        write_row(writer, &mut text, &examples.row(row))?;
        text.push(b'\n');
        if text.len() >= PIECE {
            pass_on(writer, &mut text)?;
        }
    }
    pass_on(writer, &mut text)?;
    writer.flush().map_err(|error| Error::io("writing the data", &error))
}

/// The text gathered before it is passed on.
const PIECE: usize = 1 << 16;

fn write_row(writer: &mut impl Write, text: &mut Vec<u8>, row: &Row<'_>) -> Result<()> {
    let keep_zeros = matches!(row, Row::SparseF64(_) | Row::SparseF32(_));
    // An f32 has shorter names than the f64 of equal value.
    let narrow = matches!(row, Row::DenseF32(_) | Row::SparseF32(_));
    let mut result = Ok(());
    row.for_each(|column, value| {
        if !keep_zeros && value.to_bits() == 0 {
            return;
        }
        if narrow {
            append(text, format_args!(" {}:{}", column + 1, Shortest(value as f32)));
        } else {
            append(text, format_args!(" {}:{}", column + 1, Shortest(value)));
        }
        if text.len() >= PIECE && result.is_ok() {
            result = pass_on(writer, text);
        }
    });
    result
}

fn append(text: &mut Vec<u8>, what: std::fmt::Arguments<'_>) {
    // Writing to memory cannot fail.
    let _ = text.write_fmt(what);
}

fn pass_on(writer: &mut impl Write, text: &mut Vec<u8>) -> Result<()> {
    let written = writer.write_all(text);
    text.clear();
    written.map_err(|error| Error::io("writing the data", &error))
}
