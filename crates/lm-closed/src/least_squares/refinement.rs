//! The loop that all corrections share: go on while they shrink.

use lm_core::{Meter, Result, Stop};

/// Rounds after which a correction that still shrinks is let be.
const ROUNDS: usize = 30;

/// Calls `step`, which corrects a solution and returns the share of the correction in it, until the share is at most
/// `fine`, is no longer halved, or a limit is reached. The first step is the solution itself.
///
/// The solution has converged if a correction was at most `ε`: the one after it, which bounds the error, is smaller.
pub(crate) fn refine(
    fine: f64,
    meter: &mut Meter<'_>,
    mut step: impl FnMut() -> Result<f64>,
) -> Result<Stop> {
    let (mut before, mut reached) = (f64::INFINITY, f64::INFINITY);
    let mut stop = Stop::Stalled;
    for round in 0..ROUNDS {
        let change = step()?;
        let limit = meter.advance(1, 0);
        if round > 0 || change == 0.0 {
            reached = reached.min(change);
        }
        if change <= fine || (round > 1 && change > before / 2.0) {
            break;
        }
        if let Some(limit) = limit {
            stop = limit;
            break;
        }
        before = change;
    }
    Ok(if reached <= f64::EPSILON { Stop::Converged } else { stop })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::{Budget, Control};

    fn run(changes: &[f64], budget: Budget) -> (Stop, usize) {
        let (mut changes, mut count) = (changes.iter().copied(), 0);
        let step = || {
            count += 1;
            Ok(changes.next().unwrap_or(1.0))
        };
        let stop = refine(1e-26, &mut Control::new(budget).start(1000), step).unwrap();
        (stop, count)
    }

    #[test]
    fn corrections_go_on_while_they_shrink() {
        let free = Budget::default();
        assert_eq!(run(&[1.0, 1e-10, 1e-20, 1e-27], free), (Stop::Converged, 4));
        assert_eq!(run(&[1.0, 1e-3, 1e-3], free), (Stop::Stalled, 3));
        assert_eq!(run(&[1.0, 1e-10, 1e-17, 9e-18], free), (Stop::Converged, 4));
        assert_eq!(run(&[0.0], free), (Stop::Converged, 1));
        assert_eq!(run(&[1.0, 1e-10, 1e-20], free.with_iterations(2)), (Stop::Iterations, 2));
        assert_eq!(run(&[1.0, 1e-17, 1e-25], free.with_iterations(2)), (Stop::Converged, 2));
    }
}
