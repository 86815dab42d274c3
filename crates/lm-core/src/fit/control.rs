//! The hold that a caller has on a run: its budget, its observer, and a way to end it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::{Budget, CacheFigures, Report, Stop};

/// A token that ends a run from another thread, or from a signal handler.
///
/// ```
/// use lm_core::{Cancel, Control, Stop};
///
/// let cancel = Cancel::default();
/// let control = Control::default().with_cancel(&cancel);
/// let mut meter = control.start(1_000);
/// assert_eq!(meter.advance(1, 0), None);
/// cancel.cancel();
/// assert_eq!(meter.advance(1, 0), Some(Stop::Cancelled));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks every run that holds this token to stop at its next block of work.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether that was asked for.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Where a run is. Figures that a learner does not have are absent.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Progress {
    /// Iterations done so far.
    pub iterations: u64,
    /// Time since the run began.
    pub elapsed: Duration,
    /// The value of the criterion being optimised.
    pub objective: Option<f64>,
    /// What is left between here and convergence, in the unit of the learner's tolerance.
    pub gap: Option<f64>,
}

/// Something that watches a run. It may be called from several threads.
pub trait Observer: Sync {
    /// Takes note of the progress made.
    fn progress(&self, progress: &Progress);
}

impl<F: Fn(&Progress) + Sync> Observer for F {
    fn progress(&self, progress: &Progress) {
        self(progress);
    }
}

/// Budget, observer and cancellation of a run.
#[derive(Clone, Default)]
pub struct Control<'a> {
    budget: Budget,
    observer: Option<&'a dyn Observer>,
    cancel: Option<Cancel>,
    deadline: Option<Instant>,
}

impl<'a> Control<'a> {
    /// A control that only bounds the run.
    pub fn new(budget: Budget) -> Self {
        Self { budget, ..Self::default() }
    }

    /// The same observer, token and deadline with other limits.
    #[must_use]
    pub fn with_budget(self, budget: Budget) -> Self {
        Self { budget, ..self }
    }

    /// Reports progress to an observer.
    #[must_use]
    pub fn with_observer(self, observer: &'a dyn Observer) -> Self {
        Self { observer: Some(observer), ..self }
    }

    /// The same limits, with nobody to hear of progress: for the parts of a run that reports by itself.
    #[must_use]
    pub fn without_observer(self) -> Self {
        Self { observer: None, ..self }
    }

    /// Lets a token end the run.
    #[must_use]
    pub fn with_cancel(self, cancel: &Cancel) -> Self {
        Self { cancel: Some(cancel.clone()), ..self }
    }

    /// The limits of the run.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Starts the clock. `iterations` is the learner's own limit, used where the budget has none.
    pub fn start(&self, iterations: u64) -> Meter<'a> {
        let started = Instant::now();
        // A time so long that the clock cannot express its end is no limit.
        let own = self.budget.time().and_then(|time| started.checked_add(time));
        let deadline = match (self.deadline, own) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let control = Control { deadline, ..self.clone() };
        let limit = self.budget.iterations().unwrap_or(iterations);
        Meter { control, started, limit, iterations: 0, kernel_evaluations: 0 }
    }
}

impl std::fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let observed = self.observer.is_some();
        f.debug_struct("Control")
            .field("budget", &self.budget)
            .field("observed", &observed)
            .finish_non_exhaustive()
    }
}

/// Counts what a run uses, and says when it must stop.
///
/// Reading the clock costs tens of nanoseconds: a learner with shorter iterations advances the meter once per block
/// of them.
#[derive(Debug)]
pub struct Meter<'a> {
    control: Control<'a>,
    started: Instant,
    limit: u64,
    iterations: u64,
    kernel_evaluations: u64,
}

impl<'a> Meter<'a> {
    /// Adds to what was used, and says whether a limit is reached.
    pub fn advance(&mut self, iterations: u64, kernel_evaluations: u64) -> Option<Stop> {
        self.iterations = self.iterations.saturating_add(iterations);
        self.kernel_evaluations = self.kernel_evaluations.saturating_add(kernel_evaluations);
        let cancelled = self.control.cancel.as_ref().is_some_and(Cancel::is_cancelled);
        let evaluations = self.control.budget.kernel_evaluations();
        if cancelled {
            Some(Stop::Cancelled)
        } else if self.iterations >= self.limit {
            Some(Stop::Iterations)
        } else if evaluations.is_some_and(|limit| self.kernel_evaluations >= limit) {
            Some(Stop::KernelEvaluations)
        } else if self.control.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Some(Stop::Time)
        } else {
            None
        }
    }

    /// Iterations counted so far.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// How many iterations are left before the limit.
    pub fn iterations_left(&self) -> u64 {
        self.limit.saturating_sub(self.iterations)
    }

    /// The limits of the run.
    pub fn budget(&self) -> &Budget {
        &self.control.budget
    }

    /// Tells the observer, if there is one, where the run is.
    pub fn observe(&self, objective: Option<f64>, gap: Option<f64>) {
        if let Some(observer) = self.control.observer {
            let (iterations, elapsed) = (self.iterations, self.started.elapsed());
            observer.progress(&Progress { iterations, elapsed, objective, gap });
        }
    }

    /// The control of each of `parts` sub-problems: the same deadline, observer and token, a share of the memory.
    pub fn divided(&self, parts: usize) -> Control<'a> {
        Control { budget: self.control.budget.divided(parts), ..self.control.clone() }
    }

    /// The report of a run that ended for this reason.
    pub fn report(&self, stop: Stop, cache: Option<CacheFigures>) -> Report {
        let (iterations, kernel_evaluations) = (self.iterations, self.kernel_evaluations);
        Report { stop, iterations, time: self.started.elapsed(), kernel_evaluations, cache }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    #[test]
    fn each_limit_stops_the_run_for_its_own_reason() {
        let stop =
            |budget: Budget, steps, evaluations| Control::new(budget).start(100).advance(steps, evaluations);
        assert_eq!(stop(Budget::default(), 99, u64::MAX), None);
        assert_eq!(stop(Budget::default(), 100, 0), Some(Stop::Iterations));
        assert_eq!(stop(Budget::default().with_iterations(5), 5, 0), Some(Stop::Iterations));
        assert_eq!(stop(Budget::default().with_kernel_evaluations(7), 1, 7), Some(Stop::KernelEvaluations));
        assert_eq!(stop(Budget::default().with_time(Duration::ZERO), 1, 0), Some(Stop::Time));
        assert_eq!(stop(Budget::default().with_time(Duration::MAX), 1, 0), None);
    }

    #[test]
    fn sub_problems_share_the_deadline_and_divide_the_memory() {
        let budget = Budget::default().with_time(Duration::ZERO).with_memory(100);
        let part = Control::new(budget).start(10).divided(4);
        assert_eq!(part.budget().memory(), Some(25));
        assert_eq!(part.start(10).advance(1, 0), Some(Stop::Time));
    }

    #[test]
    fn an_observer_hears_of_progress() {
        let heard = AtomicU64::new(0);
        let observer = |progress: &Progress| heard.store(progress.iterations, Ordering::Relaxed);
        let control = Control::default().with_observer(&observer);
        let mut meter = control.start(10);
        meter.advance(3, 0);
        meter.observe(None, Some(0.5));
        assert_eq!(heard.load(Ordering::Relaxed), 3);
    }
}
