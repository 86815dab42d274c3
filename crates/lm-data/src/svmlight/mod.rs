//! The svmlight format, which LIBSVM and most collections of data sets use: one example a line.
//!
//! ```text
//! label [qid:number] index:value index:value …  [# comment]
//! ```
//!
//! - The label and the values are finite decimal numbers. The label may be a class or a target: see
//!   [`Labelled`](crate::Labelled).
//! - Indices count from 1 (or from 0, see [`Options::zero_based`]), increase strictly and are at most 2³¹ − 1.
//!   Features that are not listed are zero.
//! - A query number `qid:…` is checked and dropped.
//! - Spaces and tabs separate; lines end with LF or CRLF; the last one need not end. Blank lines, lines of comment
//!   only, and a UTF-8 byte order mark are skipped.
//!
//! Everything else is refused with the line and the byte of the text where it stands: words for numbers (`nan`,
//! `inf`), numbers that overflow, decimal commas, several labels, indices out of order. Numbers are rounded
//! correctly.
//!
//! [`open`] and [`read`] hold the whole set in memory; [`Blocks`] goes through a file of any size in bounded memory.
//! All detect gzip by its first bytes, and all report the same error for the same text.
//!
//! # Memory
//! Arrays are allocated once, after their entries have been counted: 4 bytes an entry for the index, 8 for the value
//! (4 for `f32`), and 16 bytes a line, so that no length in a file can ask for more than the file pays for. An entry
//! takes at least four bytes of text. A compressed file may be much smaller than its text, hence
//! [`Options::with_text_limit`].

mod options;
mod parse;
mod read;
mod stream;
mod write;

pub use options::Options;
pub use read::{open, read};
pub use stream::Blocks;
pub use write::write;
