//! Telling svmlight text and tables apart, by the name of the file and by the first line.

use std::path::Path;

use super::{Expected, Format};

/// What the first line says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sniffed {
    pub(super) format: Format,
    pub(super) delimiter: char,
    pub(super) has_header: bool,
    cells: Vec<String>,
}

impl Sniffed {
    /// Whether the table has a target column beside the features that are expected.
    pub(super) fn has_target(&self, expected: &Expected) -> bool {
        if self.has_header {
            return match &expected.target {
                Some(target) => self.cells.contains(target),
                None => true,
            };
        }
        expected.dim.is_none_or(|dim| self.cells.len() != dim)
    }

    /// The number of columns.
    pub(super) fn width(&self) -> usize {
        self.cells.len()
    }

    /// The cells of the first line.
    pub(super) fn names(&self) -> &[String] {
        &self.cells
    }

    /// Whether the target is meant by its number, counted from 1, because the table has no header.
    pub(super) fn is_numbered(&self, name: &str) -> bool {
        !self.has_header && name.parse::<usize>().is_ok_and(|number| number > 0)
    }
}

/// Looks at the beginning of a text.
pub(super) fn sniff(text: &[u8], path: &str, format: Option<Format>) -> Sniffed {
    let text = text.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(text);
    let lines = text.split(|&byte| byte == b'\n' || byte == b'\r');
    let content = |line: &&[u8]| line.iter().any(|byte| !byte.is_ascii_whitespace()) && line[0] != b'#';
    let line = String::from_utf8_lossy(lines.into_iter().find(content).unwrap_or_default()).into_owned();
    let format = format.or_else(|| by_name(path)).unwrap_or_else(|| by_line(&line));
    let delimiter = delimiter(&line);
    let cells = cells(&line, delimiter);
    let number = |cell: &String| cell.parse::<f64>().is_ok();
    let has_header = !cells.iter().any(number);
    Sniffed { format, delimiter, has_header, cells }
}

fn by_name(path: &str) -> Option<Format> {
    let name = path.strip_suffix(".gz").unwrap_or(path);
    match Path::new(name).extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "csv" | "tsv" => Some(Format::Csv),
        "svm" | "libsvm" | "svmlight" => Some(Format::Svmlight),
        _ => None,
    }
}

/// svmlight text has `index:` in its second word, or in its first one if the label is missing.
fn by_line(line: &str) -> Format {
    let is_entry = |word: &str| {
        let index = word.strip_prefix(['+', '-']).unwrap_or(word).split_once(':').map(|(index, _)| index);
        index.is_some_and(|index| !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut words = line.split_ascii_whitespace();
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let marked = line.contains([',', ';', '\t', '|']);
    match () {
        () if is_entry(second) || second.starts_with("qid:") => Format::Svmlight,
        () if !marked => Format::Svmlight,
        () if is_entry(first) && !first.contains([',', ';', '|']) => Format::Svmlight,
        () => Format::Csv,
    }
}

/// The mark that occurs most often outside quotes.
fn delimiter(line: &str) -> char {
    let count = |mark: char| {
        let mut quoted = false;
        let outside = |c: char| {
            quoted ^= c == '"';
            c == mark && !quoted
        };
        line.chars().map(outside).filter(|&found| found).count()
    };
    let best = [',', ';', '\t', '|'].into_iter().rev().max_by_key(|&mark| count(mark));
    best.filter(|&mark| count(mark) > 0).unwrap_or(',')
}

fn cells(line: &str, delimiter: char) -> Vec<String> {
    let (mut cells, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            c if c == delimiter && !quoted => cells.push(std::mem::take(&mut cell).trim().to_owned()),
            c => cell.push(c),
        }
    }
    cells.push(cell.trim().to_owned());
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_apart() {
        for (text, format) in [
            ("+1 1:0.5 3:2\n", Format::Svmlight),
            ("\n# a comment\n1 1:0.5\n", Format::Svmlight),
            ("1 1:0,5\n", Format::Svmlight),
            ("1,2 1:0.5\n", Format::Svmlight),
            ("1:2 3:4\n", Format::Svmlight),
            ("1 -1:0.5\n", Format::Svmlight),
            ("abc 1:2\n", Format::Svmlight),
            ("1\n", Format::Svmlight),
            ("", Format::Svmlight),
            ("a,b,y\n1,2,3\n", Format::Csv),
            ("1;2;3\n", Format::Csv),
            ("10:30,5\n", Format::Csv),
        ] {
            assert_eq!(sniff(text.as_bytes(), "data", None).format, format, "{text:?}");
        }
        assert_eq!(sniff(b"1 2 3\n", "a.csv.gz", None).format, Format::Csv);
        assert_eq!(sniff(b"a,b\n", "a.csv", Some(Format::Svmlight)).format, Format::Svmlight);
    }

    #[test]
    fn marks_in_quotes_do_not_count() {
        let found = sniff(b"\"a,b\";c;\"d,e\"\n", "t.csv", None);
        assert_eq!((found.delimiter, found.has_header), (';', true));
        assert_eq!(found.cells, ["a,b", "c", "d,e"]);
    }
}
