//! How much a fit may cost.

use std::time::Duration;

use crate::{Error, Result};

/// Limits of a run. What is not limited here has the finite default that the learner documents.
///
/// ```
/// use std::time::Duration;
/// use lm_core::Budget;
///
/// let budget = Budget::default().with_time(Duration::from_secs(2)).with_iterations(1_000_000);
/// assert_eq!(budget.iterations(), Some(1_000_000));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Budget {
    iterations: Option<u64>,
    time: Option<Duration>,
    kernel_evaluations: Option<u64>,
    memory: Option<usize>,
}

impl Budget {
    /// Stops after this many iterations of the learner. Default: the learner's own, always finite.
    #[must_use]
    pub fn with_iterations(self, iterations: u64) -> Self {
        Self { iterations: Some(iterations), ..self }
    }

    /// Stops after this much wall-clock time, kept to within one block of work. Default: no limit.
    #[must_use]
    pub fn with_time(self, time: Duration) -> Self {
        Self { time: Some(time), ..self }
    }

    /// Stops after this many kernel values were computed, kept to within one block. Default: no limit.
    #[must_use]
    pub fn with_kernel_evaluations(self, evaluations: u64) -> Self {
        Self { kernel_evaluations: Some(evaluations), ..self }
    }

    /// Bytes the learner may use beside the data, caches included. Default: what the learner documents.
    #[must_use]
    pub fn with_memory(self, bytes: usize) -> Self {
        Self { memory: Some(bytes), ..self }
    }

    /// The limit on iterations, if set.
    pub fn iterations(&self) -> Option<u64> {
        self.iterations
    }

    /// The limit on wall-clock time, if set.
    pub fn time(&self) -> Option<Duration> {
        self.time
    }

    /// The limit on kernel values, if set.
    pub fn kernel_evaluations(&self) -> Option<u64> {
        self.kernel_evaluations
    }

    /// The limit on memory in bytes, if set.
    pub fn memory(&self) -> Option<usize> {
        self.memory
    }

    /// Checks a need for memory against the limit.
    ///
    /// # Errors
    /// [`Error::Memory`] if more is needed than is allowed.
    pub fn check_memory(&self, what: &'static str, needed: usize) -> Result<()> {
        match self.memory {
            Some(allowed) if needed > allowed => Err(Error::Memory { what, needed, allowed }),
            _ => Ok(()),
        }
    }

    /// The part of the budget that each of several sub-problems gets: memory and kernel values are divided,
    /// iterations and time hold for each.
    #[must_use]
    pub fn divided(self, parts: usize) -> Self {
        let parts = parts.max(1);
        Self {
            kernel_evaluations: self.kernel_evaluations.map(|evaluations| evaluations / parts as u64),
            memory: self.memory.map(|bytes| bytes / parts),
            ..self
        }
    }
}
