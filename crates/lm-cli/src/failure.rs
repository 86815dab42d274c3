//! What ends the program before its work is done: one sentence for people, and an exit code.

use lm_core::Error;

/// The result of everything that can fail.
pub(crate) type Outcome<T> = Result<T, Failure>;

/// How a command ended; the numbers are the exit codes of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Everything asked for was done: converged, valid, separable.
    Done = 0,
    /// The answer is no: invalid, not separable.
    No = 1,
    /// The command line, a setting, a file or the data are not as they must be; nothing was written.
    Refused = 2,
    /// Not converged, by a limit or for want of a solution; what was found so far was written, with its honest certificate.
    Unconverged = 3,
    /// Ended by Ctrl-C; what was found so far was written, with its honest certificate.
    Interrupted = 130,
}

/// Why the program cannot go on.
#[derive(Debug)]
pub(crate) struct Failure(String);

impl Failure {
    /// A failure with this sentence.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// The same failure, with the file (or other place) that it is about in front.
    pub(crate) fn at(self, place: impl std::fmt::Display) -> Self {
        Self(format!("{place}: {}", self.0))
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self(error.to_string())
    }
}
