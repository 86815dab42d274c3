//! What the commands that train have in common: limits, threads, scaling.

use std::time::Duration;

use lm_core::{Budget, Cancel, Control};
use lm_data::scaling::{Scaler, Scaling};

use crate::args::LimitArgs;
use crate::failure::{Ending, Failure, Outcome};
use crate::input::{Data, Stored};
use crate::interrupt::cancel_on_interrupt;
use crate::model_file::scaled;
use crate::settings::{ScaleName, Settings};

/// Limits of a run, and the token that Ctrl-C cancels.
pub(crate) struct Limits {
    budget: Budget,
    cancel: Cancel,
}

impl Limits {
    pub(crate) fn new(args: &LimitArgs) -> Outcome<Self> {
        let mut budget = Budget::default();
        if let Some(seconds) = args.time_limit {
            let time = Duration::try_from_secs_f64(seconds);
            let refused =
                |_| Failure::new(format!("`--time-limit` is {seconds}; accepted is a number of seconds ≥ 0"));
            budget = budget.with_time(time.map_err(refused)?);
        }
        if let Some(megabytes) = args.memory_limit {
            let bytes = megabytes.checked_mul(1 << 20).and_then(|bytes| usize::try_from(bytes).ok());
            let refused = || Failure::new("`--memory-limit` is too large; accepted is a number of megabytes");
            budget = budget.with_memory(bytes.ok_or_else(refused)?);
        }
        if let Some(iterations) = args.iterations {
            budget = budget.with_iterations(iterations);
        }
        Ok(Self { budget, cancel: cancel_on_interrupt()? })
    }

    pub(crate) fn control(&self) -> Control<'_> {
        Control::new(self.budget).with_cancel(&self.cancel)
    }

    /// What is left of the limits after this time; none if nothing is.
    pub(crate) fn left(&self, spent: Duration) -> Option<Control<'_>> {
        if self.is_cancelled() {
            return None;
        }
        let Some(time) = self.budget.time() else { return Some(self.control()) };
        let left = time.checked_sub(spent)?;
        Some(self.control().with_budget(self.budget.with_time(left)))
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// How a run ended.
    pub(crate) fn ending(&self, converged: bool) -> Ending {
        match (self.is_cancelled(), converged) {
            (_, true) => Ending::Done,
            (true, false) => Ending::Interrupted,
            (false, false) => Ending::Unconverged,
        }
    }
}

/// Sets the number of threads, for the whole program.
pub(crate) fn use_threads(threads: Option<usize>) -> Outcome<()> {
    let Some(threads) = threads else { return Ok(()) };
    if threads == 0 || threads > 1024 {
        return Err(Failure::new(format!("`--threads` is {threads}; accepted is 1 to 1024")));
    }
    let built = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    built.map_err(|error| Failure::new(format!("threads cannot be started: {error}")))
}

/// The scaling of the settings fitted to data, and the data after it.
pub(crate) fn prepare(settings: &Settings, data: &Data) -> Outcome<(Option<Scaler>, Stored)> {
    let scaling = match settings.scale {
        ScaleName::None => return Ok((None, data.examples.clone())),
        ScaleName::Minmax => Scaling::MinMax { low: -1.0, high: 1.0 },
        ScaleName::Standard => Scaling::Standard,
    };
    let scaler = Scaler::fit(data.set(), scaling)?;
    let examples = scaled(&scaler, data)?;
    Ok((Some(scaler), examples))
}
