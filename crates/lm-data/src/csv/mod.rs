//! Tables of comma-separated values: one example a row, one column of it the target.
//!
//! Cells are written as RFC 4180 says: separated by commas (or another [delimiter](Options::with_delimiter)), rows by
//! LF or CRLF, a cell in double quotes if it contains a delimiter, a line end or a quote, which is then doubled.
//! Blanks around a cell and blank lines are skipped, and so is a UTF-8 byte order mark. gzip is detected by its first
//! bytes.
//!
//! - **Header.** The first row is a header if none of its cells is a number; [`Options::with_header`] decides
//!   otherwise.
//! - **Target.** The column named in the options; else the first one called `target`, `label`, `class` or `y`, in
//!   capitals or not; else the last.
//! - **Features.** All other columns. Every cell must be a finite decimal number. Missing values are not supported:
//!   an empty cell is refused with its place.
//! - **Classes.** The target cells are all numbers or all names, as in the first row. Names get the class numbers 0,
//!   1, … in the order of the alphabet (by code point), and are kept in [`Columns::classes`].
//!
//! Errors say the line and the byte of the cell. [`open`] and [`read`] hold the whole table in memory, 8 bytes a cell
//! (4 for `f32`); [`Blocks`] goes through a file of any size in bounded memory.

mod options;
mod parse;
mod read;
mod record;
mod stream;
mod table;
mod write;

pub use options::{Header, Options};
pub use read::{open, read};
pub use stream::Blocks;
pub use table::{Columns, Table};
pub use write::write;
