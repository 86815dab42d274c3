//! What a command answers: a table for people, or one JSON object for programs.

use std::io::Write;

use serde_json::{Map, Value};

use crate::failure::{Ending, Failure, Outcome};

/// The answer of a command.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) ending: Ending,
    /// Lines of a table: what, and its value. A line without a value stands by itself.
    lines: Vec<(String, String)>,
    json: Map<String, Value>,
}

impl Answer {
    pub(crate) fn new() -> Self {
        Self { ending: Ending::Done, lines: Vec::new(), json: Map::new() }
    }

    /// A line of the table.
    pub(crate) fn line(&mut self, what: &str, value: impl Into<String>) {
        self.lines.push((what.to_owned(), value.into()));
    }

    /// A line that stands by itself.
    pub(crate) fn text(&mut self, text: impl Into<String>) {
        self.lines.push((text.into(), String::new()));
    }

    /// A member of the JSON object.
    pub(crate) fn member(&mut self, key: &str, value: impl Into<Value>) {
        self.json.insert(key.to_owned(), value.into());
    }

    /// Writes the answer to standard output.
    pub(crate) fn write(&self, json: bool) -> Outcome<()> {
        let text = if json { self.as_json()? } else { self.as_text() };
        write_out(text.as_bytes())
    }

    fn as_json(&self) -> Outcome<String> {
        let text = serde_json::to_string(&self.json);
        let text = text.map_err(|error| Failure::new(format!("the answer is no JSON: {error}")))?;
        Ok(text + "\n")
    }

    fn as_text(&self) -> String {
        let paired = self.lines.iter().filter(|(_, value)| !value.is_empty());
        let width = paired.map(|(what, _)| what.chars().count()).max().unwrap_or(0);
        let mut text = String::new();
        for (what, value) in &self.lines {
            text.push_str(what);
            if !value.is_empty() {
                (what.chars().count()..width + 2).for_each(|_| text.push(' '));
                text.push_str(value);
            }
            text.push('\n');
        }
        text
    }
}

/// Writes to standard output. A reader that has seen enough and left is no failure.
pub(crate) fn write_out(bytes: &[u8]) -> Outcome<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|error| Failure::new(format!("standard output: {error}"))),
    }
}

/// Writes to a file, or to standard output for `-`; a file holds its old content or the new one at every moment.
pub(crate) fn write_file(path: &str, bytes: &[u8]) -> Outcome<()> {
    if path == "-" {
        return write_out(bytes);
    }
    if std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        // Pipes and devices are written to, not replaced.
        return std::fs::write(path, bytes).map_err(|error| Failure::new(format!("{path}: {error}")));
    }
    lm_core::persist::replace(path, bytes).map_err(|error| Failure::from(error).at(path))
}

/// A number with six digits, for people.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if (1e-4..1e9).contains(&size) {
        let digits = (5 - size.log10().floor() as i32).clamp(0, 9) as usize;
        let text = format!("{value:.digits$}");
        match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        }
    } else {
        format!("{value:.5e}")
    }
}

/// A table of cells under headings, numbers to the right.
pub(crate) fn columns(headings: &[String], rows: &[Vec<String>]) -> Vec<String> {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).chain(headings.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    let line = |cells: &[String]| {
        let padded = cells.iter().zip(&widths).map(|(cell, &width)| {
            let space = width.saturating_sub(cell.chars().count());
            format!("{}{cell}", " ".repeat(space))
        });
        padded.collect::<Vec<_>>().join("  ")
    };
    std::iter::once(line(headings)).chain(rows.iter().map(|row| line(row))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_six_digits() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.25, "0.25"),
            (1234567.0, "1234567"),
            (-0.123456789, "-0.123457"),
            (1e-9, "1.00000e-9"),
            (123.456789, "123.457"),
            (100.0, "100"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn tables_are_aligned() {
        let mut answer = Answer::new();
        answer.line("a", "1");
        answer.text("a long line by itself");
        answer.line("longer", "2");
        assert_eq!(answer.as_text(), "a       1\na long line by itself\nlonger  2\n");
        let rows = columns(&["x".into(), "long".into()], &[vec!["10".into(), "2".into()]]);
        assert_eq!(rows, [" x  long", "10     2"]);
    }
}
