//! Lines of words and numbers, each with its place: what the readers of model files share.

use std::io::Read;

use lm_core::{Error, Result};

use super::lines::{Limits, LineEnds, Lines};
use super::number::{Fault, whole};

/// A line without its end, and where it is in the text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'t> {
    text: &'t [u8],
    number: u64,
    offset: u64,
}

/// A word of a line, and its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Word<'t> {
    pub(crate) text: &'t [u8],
    pub(crate) place: Place,
}

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Place {
    line: u64,
    offset: u64,
}

impl Place {
    /// An error here.
    pub(crate) fn error(self, problem: &'static str) -> Error {
        Error::Parse { line: self.line, offset: self.offset, problem }
    }
}

/// Calls `take` with every line of a text, plain or gzip, and returns the place of its end.
pub(crate) fn each_line(reader: impl Read, mut take: impl FnMut(Line<'_>) -> Result<()>) -> Result<Place> {
    let mut lines = Lines::new(reader, Limits::default(), LineEnds::All)?;
    let mut end = Place { line: 1, offset: 0 };
    while let Some(block) = lines.next_block()? {
        let mut start = 0;
        end = Place { line: block.newlines + 1, offset: block.offset };
        for text in block.text.split_inclusive(|&byte| byte == b'\n') {
            let bare = text.strip_suffix(b"\n").unwrap_or(text);
            let bare = bare.strip_suffix(b"\r").unwrap_or(bare);
            take(Line { text: bare, number: end.line, offset: block.offset + start as u64 })?;
            start += text.len();
            end.offset = block.offset + start as u64;
            end.line += u64::from(text.ends_with(b"\n"));
        }
    }
    Ok(end)
}

impl<'t> Line<'t> {
    /// Whether the line holds nothing.
    pub(crate) fn is_blank(&self) -> bool {
        self.text.iter().all(|&byte| is_blank(byte))
    }

    /// Its beginning.
    pub(crate) fn place(&self) -> Place {
        Place { line: self.number, offset: self.offset }
    }

    /// Its end.
    pub(crate) fn end(&self) -> Place {
        Place { line: self.number, offset: self.offset + self.text.len() as u64 }
    }

    /// Its words, in order.
    pub(crate) fn words(&self) -> impl Iterator<Item = Word<'t>> + use<'t> {
        let Self { text, number, offset } = *self;
        let mut at = 0;
        std::iter::from_fn(move || {
            at += text[at..].iter().position(|&byte| !is_blank(byte))?;
            let start = at;
            at += text[at..].iter().position(|&byte| is_blank(byte)).unwrap_or(text.len() - at);
            let place = Place { line: number, offset: offset + start as u64 };
            Some(Word { text: &text[start..at], place })
        })
    }
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

impl Word<'_> {
    /// An error at this word.
    pub(crate) fn error(&self, problem: &'static str) -> Error {
        self.place.error(problem)
    }

    /// The word as a finite number.
    pub(crate) fn number(&self) -> Result<f64> {
        number(self.text).map_err(|problem| self.error(problem))
    }

    /// The word as an integer of 32 bits.
    pub(crate) fn integer(&self) -> Result<i32> {
        let read = std::str::from_utf8(self.text).ok().and_then(|text| text.parse().ok());
        read.ok_or_else(|| self.error("not an integer; accepted is one from -2147483648 to 2147483647"))
    }

    /// The word as a count from `least` on.
    pub(crate) fn count(&self, least: i32, problem: &'static str) -> Result<usize> {
        let count = self.integer()?;
        let found = usize::try_from(count).ok().filter(|_| count >= least);
        found.ok_or_else(|| self.error(problem))
    }
}

/// A finite decimal number, or what is wrong with it.
pub(crate) fn number(text: &[u8]) -> std::result::Result<f64, &'static str> {
    whole(text).map_err(|fault| match fault {
        Fault::NotANumber => "not a finite number; accepted is a decimal such as -0.25 or 1e-05",
        Fault::Overflow => "the number is too large; accepted are those that a double can hold",
    })
}

/// The numbers that follow the key of a line: exactly `count`.
pub(crate) fn numbers<'t>(
    key: &Word<'_>,
    words: impl Iterator<Item = Word<'t>>,
    count: usize,
    problem: &'static str,
) -> Result<Vec<f64>> {
    let mut found = Vec::new();
    for word in words {
        if found.len() == count {
            return Err(word.error(problem));
        }
        found.push(word.number()?);
    }
    if found.len() == count { Ok(found) } else { Err(key.error(problem)) }
}

/// The only word that follows the key of a line.
pub(crate) fn only<'t>(key: &Word<'t>, mut words: impl Iterator<Item = Word<'t>>) -> Result<Word<'t>> {
    let problem = "accepted is one value behind this key";
    match (words.next(), words.next()) {
        (Some(word), None) => Ok(word),
        (_, Some(word)) => Err(word.error(problem)),
        (None, None) => Err(key.error(problem)),
    }
}

/// Keeps what a key says, once.
pub(crate) fn once<T>(place: &mut Option<T>, key: &Word<'_>, value: T) -> Result<()> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(key.error("the key is repeated; accepted is each key once")),
    }
}

/// The labels of as many classes, no two alike.
pub(crate) fn different<'t>(
    key: &Word<'_>,
    words: impl Iterator<Item = Word<'t>>,
    classes: usize,
) -> Result<Vec<i32>> {
    let problem = "accepted is one label for each class";
    let mut labels = Vec::new();
    for word in words {
        if labels.len() == classes {
            return Err(word.error(problem));
        }
        labels.push(word.integer()?);
    }
    let mut sorted = labels.clone();
    sorted.sort_unstable();
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(key.error("a label is repeated; accepted are different ones"));
    }
    if labels.len() == classes { Ok(labels) } else { Err(key.error(problem)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_their_line_and_byte() {
        let mut found = Vec::new();
        let end = each_line(&b"ab  c\r\n\n d"[..], |line| {
            found.extend(line.words().map(|w| (w.text.to_vec(), w.place.line, w.place.offset)));
            Ok(())
        })
        .unwrap();
        assert_eq!(found, [(b"ab".to_vec(), 1, 0), (b"c".to_vec(), 1, 4), (b"d".to_vec(), 3, 9)]);
        assert_eq!(end, Place { line: 3, offset: 10 });
        assert_eq!(each_line(&b""[..], |_| Ok(())).unwrap(), Place { line: 1, offset: 0 });
    }

    #[test]
    fn counts_and_integers_keep_to_their_range() {
        let word = |text| Word { text, place: Place { line: 2, offset: 7 } };
        assert_eq!(word(b"-3").integer().unwrap(), -3);
        for bad in [&b"2147483648"[..], b"1.5", b"", b"x", b"\xff"] {
            assert!(matches!(word(bad).integer(), Err(Error::Parse { line: 2, offset: 7, .. })));
        }
        assert!(word(b"1").count(2, "two").is_err());
        assert_eq!(word(b"2").count(2, "two").unwrap(), 2);
    }
}
