//! Where text comes from: any reader, plain or gzip, told apart by the first bytes.

use std::fs::File;
use std::io::{self, BufReader, Chain, Cursor, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use lm_core::{Error, Result};

/// The first bytes of a reader, put back before the rest.
type Peeked<R> = Chain<Cursor<Vec<u8>>, R>;

/// Plain or decompressed text.
pub(crate) enum Source<R: Read> {
    /// Text as it is.
    Plain(Peeked<R>),
    /// Text inside gzip, of one or more members.
    Gzip(Box<MultiGzDecoder<BufReader<Peeked<R>>>>),
}

impl<R: Read> Source<R> {
    /// Looks at the first two bytes: 1f 8b is gzip, anything else is text.
    pub(crate) fn new(mut reader: R) -> Result<Self> {
        let mut head = Vec::with_capacity(2);
        let read = reader.by_ref().take(2).read_to_end(&mut head);
        read.map_err(|error| Error::io("reading the data", &error))?;
        let gzip = head == [0x1f, 0x8b];
        let peeked = Cursor::new(head).chain(reader);
        Ok(if gzip {
            Self::Gzip(Box::new(MultiGzDecoder::new(BufReader::with_capacity(1 << 16, peeked))))
        } else {
            Self::Plain(peeked)
        })
    }

    /// What an error of this source interrupts.
    pub(crate) fn operation(&self) -> &'static str {
        match self {
            Self::Plain(_) => "reading the data",
            Self::Gzip(_) => "decompressing the data (gzip)",
        }
    }
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(reader) => reader.read(buffer),
            Self::Gzip(reader) => reader.read(buffer),
        }
    }
}

/// Opens a file for reading; a directory is refused here, where the reason can be named.
pub(crate) fn open(path: &Path) -> Result<File> {
    let operation = "opening the data file";
    let file = File::open(path).map_err(|error| Error::io(operation, &error))?;
    let metadata = file.metadata().map_err(|error| Error::io(operation, &error))?;
    if metadata.is_dir() {
        return Err(Error::Io { operation, kind: io::ErrorKind::IsADirectory });
    }
    Ok(file)
}
