//! Text cut into blocks of whole lines, in bounded memory.
//!
//! A block is what one task parses. It starts at the start of a line and ends behind a line end, so tasks need
//! nothing from each other. What a block holds depends on its size, but where lines start, and which line is too
//! long, does not: readers report the same places whatever the sizes.

use std::io::Read;

use lm_core::{Error, Result};

use super::source::Source;

/// The sizes a reader of text keeps to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// The text handed to one task, in bytes, unless one line is longer.
    pub(crate) block: usize,
    /// The longest line.
    pub(crate) line: usize,
    /// The longest text.
    pub(crate) text: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { block: 1 << 20, line: 64 << 20, text: 16 << 30 }
    }
}

impl Limits {
    /// Checks that no size is 0. `line` is what the setting for the longest line is called.
    pub(crate) fn validate(&self, line: &'static str) -> Result<()> {
        let sizes = [(line, self.line as u64), ("text_limit", self.text), ("block_bytes", self.block as u64)];
        match sizes.iter().find(|(_, bytes)| *bytes == 0) {
            Some(&(name, _)) => Err(Error::Setting { name, value: 0.0, accepted: "at least 1 byte" }),
            None => Ok(()),
        }
    }
}

/// What ends a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineEnds {
    /// Every newline.
    All,
    /// A newline outside double quotes.
    OutsideQuotes,
}

/// Whole lines of a text, and where they start in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// The lines.
    pub(crate) text: Vec<u8>,
    /// The byte offset of the first of them in the whole text.
    pub(crate) offset: u64,
    /// The newlines before it in the whole text.
    pub(crate) newlines: u64,
}

impl Block {
    /// A parse error at a byte of this block.
    pub(crate) fn error(&self, at: usize, problem: &'static str) -> Error {
        let before = self.text.get(..at).unwrap_or(&self.text);
        let line = self.newlines + count(before, b'\n') as u64 + 1;
        Error::Parse { line, offset: self.offset + at as u64, problem }
    }
}

/// The blocks of a text, one after the other.
pub(crate) struct Lines<R: Read> {
    source: Source<R>,
    limits: Limits,
    ends: LineEnds,
    size: usize,
    rest: Vec<u8>,
    offset: u64,
    newlines: u64,
    end: Option<End>,
    /// A block that was looked at and is to be handed out again.
    put_back: Option<Block>,
}

/// Why no more is read from the source.
#[derive(Clone, Copy)]
enum End {
    /// It has no more.
    Complete,
    /// It failed; said once the lines before are used up.
    Failed(Error),
}

/// The first block is small, so that small files cost little; later ones double up to the limit.
const FIRST_BLOCK: usize = 1 << 14;

impl<R: Read> Lines<R> {
    /// Starts at the beginning of the text, behind its byte order mark if there is one.
    pub(crate) fn new(reader: R, limits: Limits, ends: LineEnds) -> Result<Self> {
        // Never larger than a line may be: then a line is too long exactly if no block can hold it.
        let block = limits.block.min(limits.line).max(1);
        let limits = Limits { block, ..limits };
        let source = Source::new(reader)?;
        let size = FIRST_BLOCK.min(block);
        let mut lines = Self {
            source,
            limits,
            ends,
            size,
            rest: Vec::new(),
            offset: 0,
            newlines: 0,
            end: None,
            put_back: None,
        };
        lines.skip_mark();
        Ok(lines)
    }

    fn skip_mark(&mut self) {
        let mut head = Vec::new();
        self.fill(&mut head, 3);
        if head == [0xEF, 0xBB, 0xBF] {
            self.offset = 3;
        } else {
            self.rest = head;
        }
    }

    /// The next block; `None` at the end.
    pub(crate) fn next_block(&mut self) -> Result<Option<Block>> {
        if let Some(block) = self.put_back.take() {
            return Ok(Some(block));
        }
        let mut text = std::mem::take(&mut self.rest);
        let mut wanted = self.size;
        self.size = (2 * self.size).min(self.limits.block);
        loop {
            self.fill(&mut text, wanted);
            if let Some(cut) = last_line_end(&text, self.ends) {
                self.rest = text.get(cut..).unwrap_or_default().to_vec();
                text.truncate(cut);
                return Ok(Some(self.pass_on(text)));
            }
            match self.end {
                Some(End::Failed(error)) => return Err(error),
                Some(End::Complete) if text.is_empty() => return Ok(None),
                Some(End::Complete) if text.len() <= self.limits.line => {
                    return Ok(Some(self.pass_on(text)));
                }
                _ if text.len() > self.limits.line => {
                    let problem =
                        "the line is longer than the limit on lines; raise it if the file is meant so";
                    let line = self.newlines + 1;
                    self.end = Some(End::Complete);
                    return Err(Error::Parse { line, offset: self.offset, problem });
                }
                // One byte above the limit tells a line that just fits from one that does not.
                _ => wanted = (2 * text.len()).clamp(self.limits.block, self.limits.line.saturating_add(1)),
            }
        }
    }

    /// Makes `block` the next block again.
    pub(crate) fn put_back(&mut self, block: Block) {
        self.put_back = Some(block);
    }

    fn pass_on(&mut self, text: Vec<u8>) -> Block {
        let block = Block { offset: self.offset, newlines: self.newlines, text };
        self.offset += block.text.len() as u64;
        self.newlines += count(&block.text, b'\n') as u64;
        block
    }

    /// Reads until `text` has `wanted` bytes, or to the end.
    fn fill(&mut self, text: &mut Vec<u8>, wanted: usize) {
        let missing = wanted.saturating_sub(text.len());
        if missing == 0 || self.end.is_some() {
            return;
        }
        if text.try_reserve_exact(missing).is_err() {
            let error = Error::Allocation { what: "a block of text", needed: wanted };
            self.end = Some(End::Failed(error));
            return;
        }
        let read = self.source.by_ref().take(missing as u64).read_to_end(text);
        let length = self.offset + text.len() as u64;
        self.end = match read {
            Err(error) => Some(End::Failed(Error::io(self.source.operation(), &error))),
            Ok(_) if length > self.limits.text => {
                let problem = "the text is longer than the limit on texts; raise it if the file is meant so";
                let excess = (length - self.limits.text) as usize;
                text.truncate(text.len().saturating_sub(excess));
                let line = self.newlines + count(text, b'\n') as u64 + 1;
                Some(End::Failed(Error::Parse { line, offset: self.limits.text, problem }))
            }
            Ok(read) if read < missing => Some(End::Complete),
            Ok(_) => None,
        };
    }
}

/// The place behind the last line end of a text that starts with a line.
fn last_line_end(text: &[u8], ends: LineEnds) -> Option<usize> {
    if ends == LineEnds::OutsideQuotes && text.contains(&b'"') {
        let (mut quoted, mut last) = (false, None);
        for (at, &byte) in text.iter().enumerate() {
            // A doubled quote inside quotes leaves and enters again: the parity is right at every newline.
            quoted ^= byte == b'"';
            if byte == b'\n' && !quoted {
                last = Some(at + 1);
            }
        }
        return last;
    }
    text.iter().rposition(|&byte| byte == b'\n').map(|at| at + 1)
}

/// How often a byte occurs.
pub(crate) fn count(text: &[u8], byte: u8) -> usize {
    // Short blocks keep the running counts in single bytes, which the compiler turns into vector instructions.
    let in_block = |block: &[u8]| block.iter().map(|&b| u8::from(b == byte)).sum::<u8>();
    text.chunks(255).map(|block| usize::from(in_block(block))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(text: &[u8], limits: Limits, ends: LineEnds) -> Vec<Result<Block>> {
        let mut lines = Lines::new(text, limits, ends).unwrap();
        std::iter::from_fn(|| lines.next_block().transpose()).take(100).collect()
    }

    const WIDE: Limits = Limits { block: 1 << 20, line: 1 << 20, text: 1 << 30 };

    #[test]
    fn blocks_are_whole_lines_and_know_their_place() {
        let text = b"ab\ncd\n\nefgh\ni";
        for block in 1..20 {
            let all: Vec<Block> = blocks(text, Limits { block, ..WIDE }, LineEnds::All)
                .into_iter()
                .map(Result::unwrap)
                .collect();
            let joined: Vec<u8> = all.iter().flat_map(|block| block.text.clone()).collect();
            assert_eq!(joined, text, "block of {block}");
            for part in &all {
                let start = part.offset as usize;
                assert_eq!(text[..start].iter().filter(|&&b| b == b'\n').count() as u64, part.newlines);
                assert!(start == 0 || text[start - 1] == b'\n');
            }
        }
    }

    #[test]
    fn a_line_is_too_long_whatever_the_block_size() {
        for block in [1, 2, 3, 4, 5, 9, 100] {
            let limits = Limits { block, line: 4, ..WIDE };
            assert!(blocks(b"abc\nabc\nabcd", limits, LineEnds::All).iter().all(Result::is_ok), "{block}");
            let last = blocks(b"abc\nabcde\nx\n", limits, LineEnds::All).pop().unwrap();
            assert!(matches!(last, Err(Error::Parse { line: 2, offset: 4, .. })), "{block}: {last:?}");
        }
    }

    #[test]
    fn a_text_above_the_limit_is_refused_behind_its_whole_lines() {
        for block in [1, 3, 100] {
            let limits = Limits { block, text: 6, ..WIDE };
            let all = blocks(b"ab\ncd\nef\n", limits, LineEnds::All);
            let text: Vec<u8> = all.iter().flatten().flat_map(|block| block.text.clone()).collect();
            assert_eq!(text, b"ab\ncd\n", "{block}");
            assert!(matches!(all.last(), Some(Err(Error::Parse { offset: 6, .. }))), "{block}");
        }
    }

    #[test]
    fn newlines_inside_quotes_end_no_block() {
        let text = b"a,\"x\ny\"\"\n\",b\nc,d\n";
        for block in 1..20 {
            for part in blocks(text, Limits { block, ..WIDE }, LineEnds::OutsideQuotes) {
                assert!([0, 13].contains(&part.unwrap().offset), "block of {block}");
            }
        }
    }

    #[test]
    fn a_byte_order_mark_is_skipped_and_counted() {
        let all = blocks(b"\xEF\xBB\xBFab\n", WIDE, LineEnds::All);
        assert_eq!(all, [Ok(Block { text: b"ab\n".to_vec(), offset: 3, newlines: 0 })]);
        assert_eq!(blocks(b"", WIDE, LineEnds::All), []);
    }

    #[test]
    fn bytes_are_counted_across_blocks() {
        assert_eq!(count(&[b':'; 1000], b':'), 1000);
        assert_eq!(count(b"a:b:c", b':'), 2);
    }
}
