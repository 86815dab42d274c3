//! The cells of a row, by the rules of RFC 4180.

use std::borrow::Cow;

use lm_core::Result;

use crate::text::number::byte;

/// What is wrong, and at which byte of the block.
pub(super) type Problem = (usize, &'static str);

/// One cell: where it starts, what it says, and what follows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cell<'a> {
    pub(super) start: usize,
    pub(super) content: Cow<'a, [u8]>,
    pub(super) next: Next,
}

/// What follows a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// Another cell of the row, which starts here.
    Cell(usize),
    /// The end of the row; the next one starts here.
    Row(usize),
}

/// Skips line ends and blank lines before a row.
pub(super) fn skip_blank_lines(text: &[u8], mut at: usize, delimiter: u8) -> usize {
    while at < text.len() {
        let end = skip_blanks(text, at, delimiter);
        match byte(text, end) {
            b'\n' => at = end + 1,
            b'\r' if byte(text, end + 1) == b'\n' => at = end + 2,
            _ => return at,
        }
    }
    text.len()
}

#[inline]
pub(super) fn skip_blanks(text: &[u8], mut at: usize, delimiter: u8) -> usize {
    while matches!(byte(text, at), b' ' | b'\t') && byte(text, at) != delimiter {
        at += 1;
    }
    at
}

/// What stands at the end of a cell, if it ends here.
#[inline]
pub(super) fn cell_end(text: &[u8], at: usize, delimiter: u8) -> Option<Next> {
    match byte(text, at) {
        b'\n' => Some(Next::Row(at + 1)),
        b'\r' if byte(text, at + 1) == b'\n' => Some(Next::Row(at + 2)),
        b if b == delimiter => Some(Next::Cell(at + 1)),
        _ => None,
    }
}

/// Reads the cell that starts at `at`, without the blanks around it.
pub(super) fn cell(text: &[u8], at: usize, delimiter: u8) -> Result<Cell<'_>, Problem> {
    let start = skip_blanks(text, at, delimiter);
    if byte(text, start) == b'"' {
        return quoted(text, start, delimiter);
    }
    let mut end = start;
    loop {
        if let Some(next) = cell_end(text, end, delimiter) {
            let content = text.get(start..end).unwrap_or_default().trim_ascii_end();
            return Ok(Cell { start, content: Cow::Borrowed(content), next });
        }
        match byte(text, end) {
            b'"' => {
                return Err((
                    end,
                    "a quote inside a cell; accepted is a cell all in quotes, quotes inside doubled",
                ));
            }
            b'\r' => return Err((end, "a carriage return inside a row; accepted are line ends LF and CRLF")),
            b'\0' => return Err((end, "a NUL byte; accepted is plain text")),
            _ => end += 1,
        }
    }
}

fn quoted(text: &[u8], start: usize, delimiter: u8) -> Result<Cell<'_>, Problem> {
    let mut content = Cow::Borrowed(&[][..]);
    let mut from = start + 1;
    loop {
        let rest = text.get(from..).unwrap_or_default();
        let Some(length) = rest.iter().position(|&b| b == b'"') else {
            return Err((start, "a quoted cell is not closed; accepted is a second quote at its end"));
        };
        let piece = &rest[..length];
        let behind = from + length + 1;
        if content.is_empty() {
            content = Cow::Borrowed(piece);
        } else {
            content.to_mut().extend_from_slice(piece);
        }
        if byte(text, behind) == b'"' {
            content.to_mut().push(b'"');
            from = behind + 1;
            continue;
        }
        let end = skip_blanks(text, behind, delimiter);
        return match cell_end(text, end, delimiter) {
            Some(next) => Ok(Cell { start, content, next }),
            None => Err((end, "text behind a quoted cell; accepted is the delimiter or the end of the row")),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(text: &str) -> Result<Vec<String>, Problem> {
        let (mut at, mut all) = (0, Vec::new());
        loop {
            let cell = cell(text.as_bytes(), at, b',')?;
            all.push(String::from_utf8(cell.content.into_owned()).unwrap());
            match cell.next {
                Next::Cell(next) => at = next,
                Next::Row(_) => return Ok(all),
            }
        }
    }

    #[test]
    fn cells_end_at_delimiters_and_line_ends() {
        assert_eq!(cells("a, b c ,\td\r\n").unwrap(), ["a", "b c", "d"]);
        assert_eq!(cells(",").unwrap(), ["", ""]);
        assert_eq!(cells("\"a,\"\"b\"\"\n\" ,\"\",\"\"\"\"").unwrap(), ["a,\"b\"\n", "", "\""]);
    }

    #[test]
    fn stray_quotes_are_refused_with_their_place() {
        assert_eq!(cells("a,b\"c").unwrap_err().0, 3);
        assert_eq!(cells("a,\"b").unwrap_err().0, 2);
        assert_eq!(cells("a,\"b\"c").unwrap_err().0, 5);
        assert_eq!(cells("a\rb").unwrap_err().0, 1);
    }
}
