//! The grammar of a line, and the rows of a block of lines.
//!
//! One pass over the bytes without a copy: a cursor moves over label and features, and every function returns the
//! place behind what it has read, or the place and the words of what it cannot read.

use lm_core::{Csr, Result};

use super::options::{LARGEST_INDEX, Options};
use crate::Stored;
use crate::text::lines::{Block, count};
use crate::text::number::{Fault, byte, scan, scan_index};
use crate::text::pipeline::{both, joined, reserved};

/// What is wrong, and at which byte of the block.
type Problem = (usize, &'static str);

/// The rows of some lines, in arrays that fit [`Csr`].
#[derive(Debug)]
pub(super) struct Rows<T> {
    pub(super) labels: Vec<f64>,
    /// For each row, the number of entries up to its end.
    ends: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<T>,
    /// The largest column plus 1; 0 without entries.
    pub(super) dim: usize,
}

/// Parses the lines of a block.
pub(super) fn parse<T: Stored>(block: &Block, options: &Options) -> Result<Rows<T>> {
    let text = &block.text[..];
    // Every entry has a colon and at least four bytes, every row a line and at least two.
    let entries = count(text, b':').min(text.len() / 4 + 1);
    let lines = (count(text, b'\n') + 1).min(text.len() / 2 + 1);
    let mut rows = Rows {
        labels: reserved(lines)?,
        ends: reserved(lines)?,
        indices: reserved(entries)?,
        values: reserved(entries)?,
        dim: 0,
    };
    let grammar = Grammar::new(options);
    let mut at = 0;
    while at < text.len() {
        at = grammar.line(text, at, &mut rows).map_err(|(at, problem)| block.error(at, problem))?;
    }
    Ok(rows)
}

impl<T: Stored> Rows<T> {
    /// All rows of all parts, in order.
    pub(super) fn concatenated(parts: Vec<Self>) -> Result<Self> {
        let dim = parts.iter().map(|part| part.dim).max().unwrap_or(0);
        let mut ends = reserved(parts.iter().map(|part| part.ends.len()).sum())?;
        let (mut labels, mut indices, mut values) = (Vec::new(), Vec::new(), Vec::new());
        let mut before = 0;
        for part in parts {
            ends.extend(part.ends.iter().map(|end| before + end));
            before += part.values.len();
            labels.push(part.labels);
            indices.push(part.indices);
            values.push(part.values);
        }
        let (rest, values) = both(|| (joined(labels), joined(indices)), || joined(values));
        Ok(Self { labels: rest.0?, ends, indices: rest.1?, values: values?, dim })
    }

    /// The examples, of dimension `dim`, and their labels.
    pub(super) fn into_examples(self, dim: usize) -> Result<(Csr<'static, T>, Vec<f64>)> {
        let mut offsets = self.ends;
        offsets.try_reserve_exact(1).map_err(|_| lm_core::Error::Allocation {
            what: "the offsets of the rows",
            needed: offsets.len() * size_of::<usize>(),
        })?;
        offsets.insert(0, 0);
        Ok((Csr::new(offsets, self.indices, self.values, dim)?, self.labels))
    }
}

/// The rules of a line.
struct Grammar {
    /// The index of the first column.
    base: u64,
    /// The largest index accepted.
    largest: u64,
    /// What is said of a larger one.
    too_large: &'static str,
}

impl Grammar {
    fn new(options: &Options) -> Self {
        let base = options.base();
        let (largest, too_large) = match options.dim() {
            Some(dim) if dim as u64 - 1 + base <= LARGEST_INDEX => (
                dim as u64 - 1 + base,
                "the index lies beyond the width asked for; accepted are indices within it",
            ),
            _ => (LARGEST_INDEX, "the index is too large; accepted is at most 2147483647"),
        };
        Self { base, largest, too_large }
    }

    /// Reads one line, appends its row if it has one, and returns the start of the next line.
    #[inline]
    fn line<T: Stored>(&self, text: &[u8], start: usize, rows: &mut Rows<T>) -> Result<usize, Problem> {
        let at = skip_blanks(text, start);
        if let Some(next) = line_end(text, at)? {
            return Ok(next);
        }
        let (label, mut at) = label(text, at)?;
        at = skip_blanks(text, at);
        if byte(text, at) == b'q' {
            at = skip_blanks(text, query(text, at)?);
        }
        // The least index accepted next.
        let mut least = self.base;
        loop {
            // Most features start with a digit: look there first.
            if !byte(text, at).is_ascii_digit()
                && let Some(next) = line_end(text, at)?
            {
                rows.dim = rows.dim.max((least - self.base) as usize);
                rows.labels.push(label);
                rows.ends.push(rows.values.len());
                return Ok(next);
            }
            let (index, colon) = self.index(text, at, least)?;
            let (value, end) = value(text, colon + 1)?;
            rows.indices.push((index - self.base) as u32);
            rows.values.push(value);
            least = index + 1;
            at = skip_blanks(text, end);
        }
    }

    /// Reads an index of at least `least`, up to its colon.
    #[inline]
    fn index(&self, text: &[u8], at: usize, least: u64) -> Result<(u64, usize), Problem> {
        match scan_index(text, at) {
            Some((index, colon)) if byte(text, colon) == b':' => {
                if (least..=self.largest).contains(&index) {
                    Ok((index, colon))
                } else {
                    Err((at, self.wrong_index(index)))
                }
            }
            Some((_, end)) => Err((end, "a colon is missing; accepted is a feature written index:value")),
            None => Err((at, wrong_feature(text, at))),
        }
    }

    #[cold]
    fn wrong_index(&self, index: u64) -> &'static str {
        if index > self.largest {
            self.too_large
        } else if index < self.base {
            "index 0 where indices count from 1; accepted are indices from 1 on, or the option for indices from 0"
        } else {
            "the index is not larger than the one before; accepted are strictly increasing indices"
        }
    }
}

#[cold]
fn wrong_feature(text: &[u8], at: usize) -> &'static str {
    match byte(text, at) {
        b'-' => "a negative index; accepted are indices written with digits only",
        b'+' => "an index with a sign; accepted are indices written with digits only",
        b'q' => "a query number is accepted once, right behind the label",
        b'\0' => "a NUL byte; accepted is plain text",
        _ => "accepted here are features written index:value, a comment behind #, or the end of the line",
    }
}

/// Reads the label that a line starts with.
#[inline]
fn label(text: &[u8], at: usize) -> Result<(f64, usize), Problem> {
    match scan(text, at) {
        Ok((label, end)) if ends_number(byte(text, end)) => Ok((label, end)),
        Ok((_, end)) => Err(match byte(text, end) {
            b':' => (at, "the line starts with a feature; accepted is a label first, then index:value"),
            b',' => (end, "several labels, or a decimal comma; accepted is one decimal number with a point"),
            _ => (end, "the label goes on behind its number; accepted is one finite decimal number"),
        }),
        Err(Fault::Overflow) => Err((at, "the label is too large; accepted is a finite decimal number")),
        Err(Fault::NotANumber) => {
            Err((at, "the line does not start with a label; accepted is a finite decimal number"))
        }
    }
}

/// Reads the value of a feature.
#[inline]
fn value<T: Stored>(text: &[u8], at: usize) -> Result<(T, usize), Problem> {
    const TOO_LARGE: &str = "the value is too large for the number type; accepted is a finite decimal number";
    match scan(text, at) {
        Ok((wide, end)) if ends_number(byte(text, end)) => {
            T::from_decimal(wide, text.get(at..end).unwrap_or_default())
                .map_or(Err((at, TOO_LARGE)), |value| Ok((value, end)))
        }
        Ok((_, end)) => {
            Err((end, "the value goes on behind its number; accepted is a finite decimal number"))
        }
        Err(Fault::Overflow) => Err((at, TOO_LARGE)),
        Err(Fault::NotANumber) if ends_number(byte(text, at)) => {
            Err((at, "the feature has no value; accepted is a finite decimal number behind the colon"))
        }
        Err(Fault::NotANumber) => Err((at, "the value is no number; accepted is a finite decimal number")),
    }
}

/// Checks `qid:number` and returns the place behind it.
#[cold]
fn query(text: &[u8], at: usize) -> Result<usize, Problem> {
    let problem = "accepted is a query number written qid:number, or features written index:value";
    if !text.get(at..).is_some_and(|rest| rest.starts_with(b"qid:")) {
        return Err((at, problem));
    }
    match scan_index(text, at + 4) {
        Some((number, end)) if number < u64::MAX && ends_number(byte(text, end)) => Ok(end),
        _ => Err((at + 4, problem)),
    }
}

#[inline]
fn skip_blanks(text: &[u8], mut at: usize) -> usize {
    while matches!(byte(text, at), b' ' | b'\t') {
        at += 1;
    }
    at
}

/// Whether a byte may follow a number.
#[inline]
fn ends_number(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | b'#')
}

/// The start of the next line, if this one ends here: at LF, CRLF, a comment, or the end of the text.
#[inline]
fn line_end(text: &[u8], at: usize) -> Result<Option<usize>, Problem> {
    match byte(text, at) {
        b'\n' => Ok(Some(at + 1)),
        b'\r' if byte(text, at + 1) == b'\n' => Ok(Some(at + 2)),
        b'\r' => Err((at, "a carriage return inside a line; accepted are line ends LF and CRLF")),
        b'#' => {
            let comment = text.get(at..).unwrap_or_default();
            Ok(Some(at + comment.iter().position(|&b| b == b'\n').unwrap_or(comment.len()) + 1))
        }
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::Error;

    fn rows(text: &str, options: &Options) -> Result<Rows<f64>> {
        parse(&Block { text: text.as_bytes().to_vec(), offset: 0, newlines: 0 }, options)
    }

    #[test]
    fn a_line_is_a_label_and_its_features() {
        let rows = rows("+1 qid:3 1:0.5\t4:-2e3 # note 9:9\r\n\n-1.5\n0 2:1", &Options::default()).unwrap();
        assert_eq!(rows.labels, [1.0, -1.5, 0.0]);
        assert_eq!(rows.ends, [2, 2, 3]);
        assert_eq!(rows.indices, [0, 3, 1]);
        assert_eq!(rows.values, [0.5, -2000.0, 1.0]);
        assert_eq!(rows.dim, 4);
    }

    #[test]
    fn the_first_index_may_be_zero_if_the_options_say_so() {
        let options = Options::default().zero_based(true);
        let rows = rows("1 0:5 1:6\n1 0:7\n", &options).unwrap();
        assert_eq!((rows.indices, rows.dim), (vec![0, 1, 0], 2));
        assert!(super::tests::rows("1 0:5 0:6\n", &options).is_err());
        assert!(super::tests::rows("1 0:5\n", &Options::default()).is_err());
    }

    #[test]
    fn a_width_asked_for_is_the_last_index_accepted() {
        let options = Options::default().with_dim(3);
        assert!(rows("1 3:1\n", &options).is_ok());
        assert!(matches!(rows("1 2:1\n1 4:1\n", &options), Err(Error::Parse { line: 2, offset: 8, .. })));
        let options = options.zero_based(true);
        assert!(rows("1 2:1\n", &options).is_ok());
        assert!(rows("1 3:1\n", &options).is_err());
    }

    #[test]
    fn every_refusal_names_its_place_and_what_is_accepted() {
        let bad = [
            "abc 1:2",
            "1:2 2:3",
            "1 1:",
            "1 1:abc",
            "1 1:2x",
            "1 1:1 1:2",
            "1 2:1 1:2",
            "1 -1:2",
            "1 +1:2",
            "1 0:2",
            "1 2147483648:1",
            "1 99999999999999999999:1",
            "1 1:1e400",
            "1 1:nan",
            "1 1:inf",
            "1 1:0,5",
            "1,2 1:1",
            "nan 1:1",
            "inf 1:1",
            "1e999 1:1",
            "1 1:0x10",
            "1 1: 2",
            "1 1 :2",
            "1 1",
            "1 1:1\0",
            "1 \0",
            "\0",
            "1 qid:x",
            "1 1:1 qid:2",
            "1 qid:99999999999999999999 1:1",
            "1\r2 1:1",
            "1 1:1;2:2",
            "1 1:--2",
            "1 1:1.2.3",
            "- 1:1",
            "1x 1:1",
        ];
        let said: Vec<String> = bad
            .iter()
            .map(|text| {
                let error = rows(&format!("1 1:1\n{text}\n"), &Options::default()).unwrap_err();
                assert!(matches!(error, Error::Parse { line: 2 | 3, .. }), "{text:?}: {error}");
                format!("{text:?}: {error}")
            })
            .collect();
        insta::assert_snapshot!(said.join("\n"));
    }
}
