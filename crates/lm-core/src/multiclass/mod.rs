//! More than two classes, from learners that know two.
//!
//! | scheme | sub-problems | a new point is given | places without a clear answer |
//! |---|---|---|---|
//! | [`OneVsRest`] | `k`, of all examples | to the class with the largest decision value | claimed by no class, or by several |
//! | [`OneVsOne`] | `k(k−1)/2`, of two classes each | to the class with most votes | votes that are tied |
//! | [`Dag`] | as one-vs-one | by `k − 1` of the pairs, one losing class at a time | none, but the order of classes matters |
//! | [`LinearMachine`] | `k` linear functions | to the largest function | none: convex regions that fill the space |
//!
//! Each scheme is a [`Learner`](crate::Learner) over [`ClassLabels`](crate::ClassLabels) around any binary learner, and
//! its model is a [`Classifier`] that keeps the integers of the classes. Sub-problems run in parallel with the same
//! result as one after the other; weights, budget, observer and cancellation are passed on to each.
//! Over a Gram matrix, [`OnSharedRows`] has the sub-problems share their kernel rows.
//! With two classes, [`OneVsOne`] is the binary learner itself, with a model that remembers the labels.

mod class_map;
mod dag;
mod linear_machine;
mod on_shared_rows;
mod one_vs_one;
mod one_vs_rest;
#[cfg(feature = "serde")]
mod stored;

pub use dag::{Dag, DagModel, DecideRows};
pub use linear_machine::{LinearMachine, LinearMachineLearner};
pub use on_shared_rows::{OnSharedRows, shared_memory};
pub use one_vs_one::{OneVsOne, OneVsOneModel, PairProblem};
pub use one_vs_rest::{OneVsRest, OneVsRestModel};

use crate::collection::Collection;
use crate::fit::{CacheFigures, Fit, Meter, Report, Stop};
use crate::hypothesis::Hypothesis;
use crate::{Error, Result};

/// A function that gives every member of a set one of several classes.
pub trait Classifier<S: Collection + ?Sized>: Send + Sync {
    /// The integers of the classes, in increasing order.
    fn classes(&self) -> &[i64];

    /// The position in [`Classifier::classes`] of the class of every member of the set.
    ///
    /// # Errors
    /// As [`Hypothesis::decision_values_into`].
    fn class_numbers(&self, set: &S) -> Result<Vec<usize>>;

    /// The decision values of all parts of the model, for every member of the set.
    ///
    /// # Errors
    /// As [`Hypothesis::decision_values_into`].
    fn decisions(&self, set: &S) -> Result<Decisions>;

    /// The class of every member of the set, as the integer that it was trained with.
    ///
    /// # Errors
    /// As [`Hypothesis::decision_values_into`].
    fn classify(&self, set: &S) -> Result<Vec<i64>> {
        let classes = self.classes();
        Ok(self.class_numbers(set)?.into_iter().filter_map(|number| classes.get(number).copied()).collect())
    }
}

/// Decision values, one row for each member of a set and one column for each part of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Decisions {
    values: Vec<f64>,
    width: usize,
}

impl Decisions {
    /// Decision values, row after row, `width` for each member of the set.
    ///
    /// # Errors
    /// [`Error::Length`] unless there is a whole number of rows, [`Error::NonFinite`] for NaN or an infinity.
    pub fn new(values: Vec<f64>, width: usize) -> Result<Self> {
        let rows = values.len().checked_div(width).unwrap_or(0);
        if rows * width != values.len() {
            let (expected, found) = (rows * width, values.len());
            return Err(Error::Length { what: "the table of decision values", expected, found });
        }
        match values.iter().position(|value| !value.is_finite()) {
            Some(at) => {
                Err(Error::NonFinite { what: "decision value", row: at / width, column: Some(at % width) })
            }
            None => Ok(Self { values, width }),
        }
    }

    /// Evaluates every part of a model on a set.
    fn of<S: Collection + ?Sized, H: Hypothesis<S>>(parts: &[H], set: &S) -> Result<Self> {
        let (len, width) = (set.len(), parts.len());
        let limit = isize::MAX as usize / size_of::<f64>();
        let size = len.checked_mul(width).filter(|&size| size <= limit);
        let size = size.ok_or(Error::TooLarge { what: "a table of decision values", size: len, limit })?;
        let mut values = vec![0.0; size];
        let together = H::together(parts, set, &mut |first, block| {
            values[first * width..first * width + block.len()].copy_from_slice(block);
        })?;
        if together {
            return Ok(Self { values, width });
        }
        let mut column = vec![0.0; len];
        for (part, model) in parts.iter().enumerate() {
            model.decision_values_into(set, &mut column)?;
            values.iter_mut().skip(part).step_by(width).zip(&column).for_each(|(to, &from)| *to = from);
        }
        Ok(Self { values, width })
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// All values, row after row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The rows, in order.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.width.max(1))
    }

    /// The values of one member of the set.
    ///
    /// # Errors
    /// [`Error::Index`] for a member that does not exist.
    pub fn row(&self, row: usize) -> Result<&[f64]> {
        let len = self.values.len() / self.width.max(1);
        self.rows().nth(row).ok_or(Error::Index { what: "row of decision values", index: row, len })
    }
}

/// Which classes lay claim to a point. Two of the schemes leave places where none does, or several do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// No class claims the point.
    Nobody,
    /// One class does.
    One(i64),
    /// Several do, in increasing order.
    Several(Vec<i64>),
}

impl Claim {
    fn of(mut claimants: Vec<i64>) -> Self {
        match claimants.len() {
            0 => Self::Nobody,
            1 => claimants.pop().map_or(Self::Nobody, Self::One),
            _ => Self::Several(claimants),
        }
    }

    /// Whether the point is claimed by none or by several.
    pub fn is_ambiguous(&self) -> bool {
        !matches!(self, Self::One(_))
    }
}

/// What is known of one sub-problem of a multi-class fit.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Part<C> {
    /// The class on the positive side.
    pub positive: i64,
    /// The class on the negative side; all other classes where there is none.
    pub negative: Option<i64>,
    /// How the run of the sub-problem went.
    pub report: Report,
    /// The evidence for its model, to be checked against the data of the sub-problem.
    pub certificate: C,
}

/// The models of the sub-problems and what is known of each, or the first error in their order.
fn gathered<M, C>(
    fits: Vec<Result<Fit<M, C>>>,
    sides: impl Iterator<Item = (i64, Option<i64>)>,
) -> Result<(Vec<M>, Vec<Part<C>>)> {
    let (mut models, mut parts) = (Vec::with_capacity(fits.len()), Vec::with_capacity(fits.len()));
    for (fit, (positive, negative)) in fits.into_iter().zip(sides) {
        let Fit { model, report, certificate } = fit?;
        models.push(model);
        parts.push(Part { positive, negative, report, certificate });
    }
    Ok((models, parts))
}

/// The report of the whole: figures added up, and the first reason to stop that is not convergence.
fn summed<C>(mut meter: Meter<'_>, parts: &[Part<C>]) -> Report {
    let reports = || parts.iter().map(|part| &part.report);
    let total = |figure: fn(&Report) -> u64| reports().map(figure).fold(0, u64::saturating_add);
    let stop = reports().map(|report| report.stop).find(|&stop| stop != Stop::Converged);
    let cache = reports().filter_map(|report| report.cache).reduce(|a, b| CacheFigures {
        hits: a.hits.saturating_add(b.hits),
        misses: a.misses.saturating_add(b.misses),
        evictions: a.evictions.saturating_add(b.evictions),
        bytes: a.bytes.saturating_add(b.bytes),
    });
    // The limits hold for the parts; the meter of the whole only counts.
    let _ = meter.advance(total(|report| report.iterations), total(|report| report.kernel_evaluations));
    meter.report(stop.unwrap_or(Stop::Converged), cache)
}

/// The position of the largest value, the first one where several are equal.
fn largest(values: &[f64]) -> usize {
    let better = |best: usize, (at, &value): (usize, &f64)| {
        if values.get(best).is_some_and(|&largest| value > largest) { at } else { best }
    };
    values.iter().enumerate().fold(0, better)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_decisions_is_whole_and_finite() {
        assert_eq!(Decisions::new(vec![1.0, 2.0, 3.0, 4.0], 2).unwrap().row(1).unwrap(), [3.0, 4.0]);
        assert!(matches!(Decisions::new(vec![1.0; 3], 2), Err(Error::Length { found: 3, .. })));
        assert!(matches!(Decisions::new(vec![1.0], 0), Err(Error::Length { .. })));
        let holed = Decisions::new(vec![1.0, 2.0, 3.0, f64::NAN], 2);
        assert!(matches!(holed, Err(Error::NonFinite { row: 1, column: Some(1), .. })));
    }

    #[test]
    fn the_first_of_equal_values_is_the_largest() {
        assert_eq!(largest(&[1.0, 3.0, 3.0, 2.0]), 1);
        assert_eq!(largest(&[-0.0, 0.0]), 0);
        assert_eq!(largest(&[-2.0]), 0);
    }

    #[test]
    fn the_first_part_that_did_not_converge_gives_the_reason() {
        let part = |stop, iterations| Part {
            positive: 1,
            negative: None,
            report: Report {
                stop,
                iterations,
                time: std::time::Duration::ZERO,
                kernel_evaluations: 10,
                cache: Some(CacheFigures { hits: 1, misses: 2, evictions: 3, bytes: 4 }),
            },
            certificate: (),
        };
        let meter = || crate::Control::default().start(u64::MAX);
        let parts = [part(Stop::Converged, 5), part(Stop::Stalled, 7), part(Stop::Time, 1)];
        let report = summed(meter(), &parts);
        assert_eq!((report.stop, report.iterations, report.kernel_evaluations), (Stop::Stalled, 13, 30));
        assert_eq!(report.cache, Some(CacheFigures { hits: 3, misses: 6, evictions: 9, bytes: 12 }));
        assert_eq!(summed(meter(), &parts[..1]).stop, Stop::Converged);
    }
}
