//! The one error type of the workspace: what was wrong, where, and what is accepted.
//!
//! Fields are numbers and fixed words, so that an error is cheap to make, to compare and to test, and never
//! carries the caller's data away. An error means a wrong call, a bad input or broken arithmetic. A fit that ran
//! out of its budget is not an error: it returns its best model and says why it stopped (see [`crate::fit`]).

use std::fmt;

use crate::fit::Stop;

/// A `Result` with the workspace's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What was wrong, where, and what is accepted.
///
/// ```
/// use lm_core::{Dense, Error};
///
/// let error = Dense::new(vec![1.0, f64::NAN], 1, 2).unwrap_err();
/// assert_eq!(error, Error::NonFinite { what: "example", row: 0, column: Some(1) });
/// assert_eq!(error.to_string(), "example in row 0, column 1 is not finite; every value must be a finite number");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A collection that must hold something is empty.
    Empty {
        /// What is empty.
        what: &'static str,
    },
    /// A value is NaN or infinite.
    NonFinite {
        /// What kind of value it is.
        what: &'static str,
        /// Its row, counted from 0.
        row: usize,
        /// Its column, counted from 0, where it has one.
        column: Option<usize>,
    },
    /// Two lengths that must agree do not.
    Length {
        /// What has the wrong length.
        what: &'static str,
        /// The length it must have.
        expected: usize,
        /// The length it has.
        found: usize,
    },
    /// An index lies outside what it points into.
    Index {
        /// What is indexed.
        what: &'static str,
        /// The index.
        index: usize,
        /// The number of things there are.
        len: usize,
    },
    /// A size is too large to be represented.
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// The size asked for, or its largest factor where their product overflows.
        size: usize,
        /// The largest size accepted.
        limit: usize,
    },
    /// Compressed sparse rows whose arrays contradict each other.
    Sparse {
        /// The row, counted from 0.
        row: usize,
        /// The position in the array of indices, counted from 0.
        position: usize,
        /// What is wrong there.
        problem: &'static str,
    },
    /// An edge of a graph that cannot be.
    Edge {
        /// The position of the edge in the list, counted from 0.
        edge: usize,
        /// The vertex it starts at.
        from: usize,
        /// The vertex it ends at.
        to: usize,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A matrix of another library lies in memory in a way that cannot be borrowed.
    Layout {
        /// What is accepted.
        accepted: &'static str,
    },
    /// A setting outside its domain.
    Setting {
        /// The name of the setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// The values it accepts.
        accepted: &'static str,
    },
    /// A label that is not of the accepted kind.
    Label {
        /// Its row, counted from 0.
        row: usize,
        /// The label.
        value: f64,
        /// What is accepted.
        accepted: &'static str,
    },
    /// The wrong number of classes for this learner.
    Classes {
        /// The number of classes found.
        found: usize,
        /// What is accepted.
        accepted: &'static str,
    },
    /// A sample weight outside its domain.
    Weight {
        /// Its row, counted from 0.
        row: usize,
        /// The weight.
        value: f64,
        /// What is accepted.
        accepted: &'static str,
    },
    /// A kernel gave a value that is not finite.
    KernelValue {
        /// The row of the Gram matrix, or of the new examples.
        row: usize,
        /// The column of the Gram matrix, or the support example.
        column: usize,
    },
    /// A matrix that must be symmetric is not.
    Asymmetric {
        /// The row, counted from 0.
        row: usize,
        /// The column, counted from 0.
        column: usize,
        /// The difference between the entry and its mirror image.
        difference: f64,
    },
    /// More memory is needed than the caller allows.
    Memory {
        /// What needs it.
        what: &'static str,
        /// The bytes it needs.
        needed: usize,
        /// The bytes allowed.
        allowed: usize,
    },
    /// The system has no more memory to give.
    Allocation {
        /// What it was for.
        what: &'static str,
        /// The bytes asked for.
        needed: usize,
    },
    /// A text file that breaks the rules of its format.
    Parse {
        /// The line, counted from 1.
        line: u64,
        /// The byte offset in the decompressed text, counted from 0.
        offset: u64,
        /// What is wrong there, and what is accepted.
        problem: &'static str,
    },
    /// A binary file that is not what it should be.
    Container {
        /// The byte offset at which the problem was found, counted from 0.
        offset: u64,
        /// What is wrong, and what is accepted.
        problem: &'static str,
    },
    /// The operating system refused an operation.
    Io {
        /// What was being done.
        operation: &'static str,
        /// The kind of failure.
        kind: std::io::ErrorKind,
    },
    /// Arithmetic broke down where it must not, for example by overflow.
    Numerical {
        /// What could not be computed.
        what: &'static str,
    },
    /// The caller insisted on convergence, and the fit stopped for another reason.
    NotConverged {
        /// Why it stopped.
        stop: Stop,
        /// After how many iterations.
        iterations: u64,
    },
}

impl Error {
    /// An [`Error::Io`] from the standard library's error.
    pub fn io(operation: &'static str, error: &std::io::Error) -> Self {
        Self::Io { operation, kind: error.kind() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Empty { what } => write!(f, "{what} is empty; at least one is needed"),
            Self::NonFinite { what, row, column: Some(column) } => {
                write!(
                    f,
                    "{what} in row {row}, column {column} is not finite; every value must be a finite number"
                )
            }
            Self::NonFinite { what, row, column: None } => {
                write!(f, "{what} in row {row} is not finite; every value must be a finite number")
            }
            Self::Length { what, expected, found } => {
                write!(f, "{what} has length {found}; it must have length {expected}")
            }
            Self::Index { what, index, len } => {
                write!(f, "{what} {index} does not exist; there are {len}, counted from 0")
            }
            Self::TooLarge { what, size, limit } => {
                write!(f, "{what} of size {size} is too large; at most {limit} is accepted")
            }
            Self::Sparse { row, position, problem } => {
                write!(f, "sparse row {row}, entry {position}: {problem}")
            }
            Self::Edge { edge, from, to, problem } => write!(f, "edge {edge} from {from} to {to}: {problem}"),
            Self::Layout { accepted } => write!(f, "this matrix cannot be borrowed; accepted is {accepted}"),
            Self::Setting { name, value, accepted } => {
                write!(f, "setting `{name}` is {value}; accepted is {accepted}")
            }
            Self::Label { row, value, accepted } => {
                write!(f, "label {value} in row {row}; accepted is {accepted}")
            }
            Self::Classes { found, accepted } => write!(f, "{found} classes found; accepted is {accepted}"),
            Self::Weight { row, value, accepted } => {
                write!(f, "weight {value} in row {row}; accepted is {accepted}")
            }
            Self::KernelValue { row, column } => {
                write!(
                    f,
                    "the kernel of row {row} and column {column} is not finite; rescale the data or its parameters"
                )
            }
            Self::Asymmetric { row, column, difference } => {
                write!(
                    f,
                    "entry ({row}, {column}) differs from its mirror image by {difference:e}; the matrix must be symmetric"
                )
            }
            Self::Memory { what, needed, allowed } => {
                write!(f, "{what} needs {needed} bytes; {allowed} are allowed")
            }
            Self::Allocation { what, needed } => {
                write!(
                    f,
                    "{what} needs {needed} bytes, which the system refuses; less data or a smaller block is accepted"
                )
            }
            Self::Parse { line, offset, problem } => write!(f, "line {line}, byte {offset}: {problem}"),
            Self::Container { offset, problem } => write!(f, "byte {offset}: {problem}"),
            Self::Io { operation, kind } => write!(f, "{operation} failed: {kind}"),
            Self::Numerical { what } => write!(f, "{what} could not be computed in finite arithmetic"),
            Self::NotConverged { stop, iterations } => {
                write!(f, "not converged: {stop} after {iterations} iterations")
            }
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_fit_in_a_cache_line_and_cross_threads() {
        fn crosses<T: Send + Sync + 'static>() {}
        crosses::<Error>();
        assert!(size_of::<Error>() <= 64);
    }

    #[test]
    fn every_sentence_says_what_where_and_what_is_accepted() {
        let errors = [
            Error::Empty { what: "the set of examples" },
            Error::NonFinite { what: "target", row: 3, column: None },
            Error::Length { what: "labels", expected: 4, found: 3 },
            Error::Index { what: "example", index: 9, len: 9 },
            Error::TooLarge { what: "dimension", size: 5, limit: 4 },
            Error::Sparse { row: 1, position: 7, problem: "indices must increase" },
            Error::Edge { edge: 2, from: 4, to: 4, problem: "an edge must join two different vertices" },
            Error::Layout { accepted: "row-major" },
            Error::Setting { name: "C", value: f64::NAN, accepted: "a number > 0" },
            Error::Label { row: 2, value: 1.5, accepted: "an integer" },
            Error::Classes { found: 1, accepted: "two or more" },
            Error::Weight { row: 0, value: -1.0, accepted: "a finite number ≥ 0" },
            Error::KernelValue { row: 1, column: 2 },
            Error::Asymmetric { row: 1, column: 2, difference: 0.5 },
            Error::Memory { what: "the Gram matrix", needed: 800, allowed: 100 },
            Error::Allocation { what: "the Gram matrix", needed: 800 },
            Error::Parse { line: 3, offset: 17, problem: "a feature needs a value after its colon" },
            Error::Container { offset: 8, problem: "unknown version" },
            Error::Io { operation: "opening the file", kind: std::io::ErrorKind::NotFound },
            Error::Numerical { what: "the norm" },
            Error::NotConverged { stop: Stop::Iterations, iterations: 10 },
        ];
        let text: Vec<String> = errors.iter().map(ToString::to_string).collect();
        insta::assert_snapshot!(text.join("\n"));
    }
}
