//! How a run went: why it stopped, and what it cost.

use std::fmt;
use std::time::Duration;

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Stop {
    /// The certificate meets the tolerance that was asked for.
    Converged,
    /// The limit on iterations was reached.
    Iterations,
    /// The limit on time was reached.
    Time,
    /// The limit on kernel values was reached.
    KernelEvaluations,
    /// The caller cancelled the run.
    Cancelled,
    /// No further progress is possible in floating-point arithmetic.
    Stalled,
    /// The problem has no solution of the kind asked for; the certificate says why.
    Infeasible,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Converged => "converged",
            Self::Iterations => "the limit on iterations was reached",
            Self::Time => "the limit on time was reached",
            Self::KernelEvaluations => "the limit on kernel values was reached",
            Self::Cancelled => "cancelled",
            Self::Stalled => "no further progress is possible in floating-point arithmetic",
            Self::Infeasible => "the problem has no solution of the kind asked for",
        })
    }
}

/// What a run cost and why it ended.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Report {
    /// Why the run ended.
    pub stop: Stop,
    /// Iterations done, as the learner counts them.
    pub iterations: u64,
    /// Wall-clock time. Not kept by `serde`, as what the cache did: what is stored of a run is the same bytes every time.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub time: Duration,
    /// Kernel values computed.
    pub kernel_evaluations: u64,
    /// What the row cache did, where there was one.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub cache: Option<CacheFigures>,
}

/// What a row cache did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CacheFigures {
    /// Rows that were there when asked for.
    pub hits: u64,
    /// Rows that had to be computed.
    pub misses: u64,
    /// Rows that were given up for others.
    pub evictions: u64,
    /// Bytes the cache holds, never more than it was allowed.
    pub bytes: usize,
}

impl CacheFigures {
    /// Of two caches that were there at the same time.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            hits: self.hits + other.hits,
            misses: self.misses + other.misses,
            evictions: self.evictions + other.evictions,
            bytes: self.bytes + other.bytes,
        }
    }
}
