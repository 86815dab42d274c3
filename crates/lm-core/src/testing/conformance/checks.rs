//! The checks, one function each.

use std::time::Duration;

use super::data::{Case, Table, Unchecked};
use super::subject::{Outcome, Prediction, Subject, Task};
use super::{AnyExamples, Check};
use crate::Result;
use crate::fit::{Budget, Cancel, Control, Stop, Verdict};
use crate::testing::SplitMix64;

/// What the checks are run with.
pub(super) struct Context<'a> {
    pub(super) subject: &'a dyn Subject,
    pub(super) tolerance: f64,
}

/// A finding, or nothing.
type Outcomes = Result<(), String>;

fn ensure(holds: bool, problem: impl FnOnce() -> String) -> Outcomes {
    if holds { Ok(()) } else { Err(problem()) }
}

/// The library's own refusal of the suite's data would be a fault of the suite.
fn made<T>(made: Result<T>) -> Result<T, String> {
    made.map_err(|error| format!("the data of the suite could not be made: {error}"))
}

impl Context<'_> {
    pub(super) fn run(&self, check: Check) -> Outcomes {
        match check {
            Check::Learns => self.learns(),
            Check::NotFinite => self.not_finite(),
            Check::Shapes => self.shapes(),
            Check::Tall => self.fits(&Table::separated(self.task(), 400, 3)),
            Check::Wide => self.fits(&Table::separated(self.task(), 6, 60)),
            Check::FewExamples => self.few_examples(),
            Check::DuplicateRows => self.duplicate_rows(),
            Check::DuplicateColumns => self.fits(&self.separated().map(|row| [row, row, row].concat())),
            Check::ConstantColumn => self.fits(&self.separated().map(|row| [row, &[5.0, 0.0]].concat())),
            Check::OppositeLabels => self.opposite_labels(),
            Check::IdenticalPoints => self.fits(&self.separated().map(|row| vec![0.5; row.len()])),
            Check::RowPermutation => self.row_permutation(),
            Check::Scale => self.scale(),
            Check::LabelIntegers => self.label_integers(),
            Check::Persistence => self.persistence(),
            Check::Repeatability => self.repeatability(),
            Check::Threads => self.threads(),
            Check::WeightRepetition => self.weight_repetition(),
            Check::ZeroWeight => self.zero_weight(),
            Check::IterationLimit => self.iteration_limit(),
            Check::TimeLimit => self.time_limit(),
            Check::Cancellation => self.cancellation(),
            Check::SparseStorage => self.sparse_storage(),
            Check::SinglePrecision => self.single_precision(),
            Check::Evidence => self.evidence(),
        }
    }

    fn task(&self) -> Task {
        self.subject.task()
    }

    fn separated(&self) -> Table {
        Table::separated(self.task(), 30, 4)
    }

    fn overlapping(&self) -> Table {
        Table::overlapping(self.task(), 30, 4)
    }

    /// Fits a case that a learner has to accept, and shows the model dense rows.
    fn fit(
        &self,
        case: &Case,
        shown: &Table,
        control: &Control<'_>,
    ) -> Result<(Outcome, Prediction), String> {
        let shown = made(shown.dense())?;
        let outcome = self.subject.fit(case, control, &[&shown]);
        let mut outcome = outcome.map_err(|error| format!("the fit was refused: {error}"))?;
        let prediction = outcome.predictions.pop().ok_or("no prediction was made")?;
        let prediction = prediction.map_err(|error| format!("the model refused to predict: {error}"))?;
        sane(&prediction)?;
        Ok((outcome, prediction))
    }

    /// A fit with the default control.
    fn plain(&self, case: &Case, shown: &Table) -> Result<Prediction, String> {
        self.fit(case, shown, &Control::default()).map(|(_, prediction)| prediction)
    }

    /// A table that a learner has to accept.
    fn fits(&self, table: &Table) -> Outcomes {
        self.plain(&made(table.case())?, table).map(drop)
    }

    /// A case that a learner may refuse, but must not answer with numbers that are not finite.
    fn refused_or_sane(&self, case: &Case, shown: &[&AnyExamples]) -> Outcomes {
        let Ok(outcome) = self.subject.fit(case, &Control::default(), shown) else { return Ok(()) };
        outcome.predictions.iter().flatten().try_for_each(sane)
    }

    fn close(&self, what: &str, a: &Prediction, b: &Prediction) -> Outcomes {
        let size = a.values.iter().chain(&b.values).fold(0.0_f64, |size, value| size.max(value.abs()));
        let allowed = self.tolerance * size;
        let off = a.values.iter().zip(&b.values).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        ensure(a.values.len() == b.values.len() && off <= allowed, || {
            format!("{what} changes a decision value by {off:e}; allowed is {allowed:e}")
        })
    }

    fn learns(&self) -> Outcomes {
        let table = self.separated();
        let found = self.plain(&made(table.case())?, &table)?;
        if self.task() == Task::Regression {
            let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
            let (p, y) = (mean(&found.values), mean(&table.targets));
            let covariance: f64 = found
                .values
                .iter()
                .zip(&table.targets)
                .map(|(value, target)| (value - p) * (target - y))
                .sum();
            return ensure(covariance > 0.0, || format!("values and targets have covariance {covariance:e}"));
        }
        let wrong =
            found.classes.iter().zip(&table.targets).filter(|(class, target)| **class as f64 != **target);
        let wrong = wrong.count();
        ensure(wrong == 0, || {
            format!("{wrong} of {} well separated examples are misclassified", table.rows.len())
        })
    }

    fn not_finite(&self) -> Outcomes {
        let table = self.separated();
        let good = made(table.dense())?;
        for hole in [f64::NAN, f64::INFINITY] {
            self.refused_or_sane(&table.holed_case(hole), &[&good])?;
            let holed = Unchecked(table.map(|row| vec![hole; row.len()]).rows);
            self.refused_or_sane(&made(table.case())?, &[&holed])?;
        }
        Ok(())
    }

    fn shapes(&self) -> Outcomes {
        let table = self.separated();
        let case = made(table.case())?;
        let refused = made(self.subject.refuses_missing_labels(&case))?;
        ensure(refused, || "one label less than there are examples was accepted".to_owned())?;
        for columns in [1, 3, 5, 9] {
            let other = made(table.map(|_| vec![1.0; columns]).dense())?;
            let outcome = self.subject.fit(&case, &Control::default(), &[&other]);
            let outcome = outcome.map_err(|error| format!("the fit was refused: {error}"))?;
            ensure(outcome.predictions.iter().all(Result::is_err), || {
                format!("a model of 4 columns predicts examples of {columns}")
            })?;
        }
        Ok(())
    }

    fn few_examples(&self) -> Outcomes {
        let table = Table::separated(self.task(), self.task().classes().max(1), 3);
        let shown = made(table.dense())?;
        self.refused_or_sane(&made(table.case())?, &[&shown])
    }

    fn duplicate_rows(&self) -> Outcomes {
        let table = self.separated();
        let twice: Vec<usize> = (0..table.rows.len()).flat_map(|row| [row, row, row]).collect();
        self.fits(&table.select(&twice))
    }

    fn opposite_labels(&self) -> Outcomes {
        let table = self.overlapping();
        let classes = self.task().classes().max(2);
        let rows: Vec<usize> =
            (0..table.rows.len()).flat_map(|row| std::iter::repeat_n(row, classes)).collect();
        let mut every = table.select(&rows);
        every.targets.iter_mut().enumerate().for_each(|(row, target)| *target = (row % classes) as f64);
        self.fits(&every)
    }

    fn row_permutation(&self) -> Outcomes {
        let table = self.overlapping();
        let before = self.plain(&made(table.case())?, &table)?;
        let mut order: Vec<usize> = (0..table.rows.len()).collect();
        SplitMix64::new(3).shuffle(&mut order);
        let after = self.plain(&made(table.select(&order).case())?, &table)?;
        self.close("another order of the rows", &before, &after)
    }

    fn scale(&self) -> Outcomes {
        for scale in [1e150, 1e-150, 1e300] {
            let table = self.separated().map(|row| row.iter().map(|x| x * scale).collect());
            let shown = made(table.dense())?;
            let result = self.refused_or_sane(&made(table.case())?, &[&shown]);
            result.map_err(|problem| format!("at scale {scale:e}: {problem}"))?;
        }
        Ok(())
    }

    fn label_integers(&self) -> Outcomes {
        if self.task() == Task::Regression {
            return Ok(());
        }
        let table = self.separated();
        let reference = self.plain(&made(table.case())?, &table)?;
        for integers in [[0.0, 7.0, 8.0], [1e10, 2e10, 3e10], [-5.0, -4.0, 1e15]] {
            let mut case = made(table.case())?;
            case.targets.iter_mut().for_each(|target| *target = integers[*target as usize]);
            let targets = case.targets.clone();
            let found = self.plain(&case, &table)?;
            same_bits("another choice of label integers", &reference, &found)?;
            let wrong =
                found.classes.iter().zip(&targets).position(|(class, target)| *class as f64 != *target);
            ensure(wrong.is_none(), || format!("labels {integers:?} come back as {:?}", found.classes))?;
        }
        Ok(())
    }

    fn persistence(&self) -> Outcomes {
        let table = self.overlapping();
        let (outcome, before) = self.fit(&made(table.case())?, &table, &Control::default())?;
        let Some(decoded) = outcome.decoded else { return Ok(()) };
        let decoded = decoded.map_err(|error| format!("the model was not kept: {error}"))?;
        for prediction in decoded.predictions {
            let after =
                prediction.map_err(|error| format!("the decoded model refused to predict: {error}"))?;
            same_bits("the way to the container and back", &before, &after)?;
        }
        Ok(())
    }

    fn repeatability(&self) -> Outcomes {
        let table = self.overlapping();
        let run = || self.fit(&made(table.case())?, &table, &Control::default());
        let (first, before) = run()?;
        for _ in 0..2 {
            let (again, after) = run()?;
            same_bits("a second run", &before, &after)?;
            let counts = (first.iterations, again.iterations);
            ensure(counts.0 == counts.1, || {
                format!("a second run needs another number of iterations: {counts:?}")
            })?;
            if let (Some(Ok(a)), Some(Ok(b))) = (&first.decoded, &again.decoded) {
                ensure(a.bytes == b.bytes, || "a second run changes bytes of the model".to_owned())?;
            }
        }
        Ok(())
    }

    #[cfg(feature = "parallel")]
    fn threads(&self) -> Outcomes {
        let table = Table::overlapping(self.task(), 1500, 5);
        let mut first: Option<Prediction> = None;
        for threads in [1, 2, 3, 4, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.map_err(|error| format!("no pool of {threads} threads: {error}"))?;
            let found = pool.install(|| self.plain(&made(table.case())?, &table))?;
            match &first {
                Some(first) => same_bits("another number of threads", first, &found)?,
                None => first = Some(found),
            }
        }
        Ok(())
    }

    /// Without threads there is nothing to compare.
    #[cfg(not(feature = "parallel"))]
    fn threads(&self) -> Outcomes {
        Ok(())
    }

    fn weight_repetition(&self) -> Outcomes {
        let table = self.overlapping();
        // Row by row 1, 2, 3, 1, …, shifted so that every class has each.
        let count = |row: usize| 1 + (row + row / 3) % 3;
        let mut case = made(table.case())?;
        case.weights = Some((0..table.rows.len()).map(|row| count(row) as f64).collect());
        let weighted = self.plain(&case, &table)?;
        let copies: Vec<usize> =
            (0..table.rows.len()).flat_map(|row| std::iter::repeat_n(row, count(row))).collect();
        let repeated = self.plain(&made(table.select(&copies).case())?, &table)?;
        self.close("a weight instead of copies", &repeated, &weighted)
    }

    fn zero_weight(&self) -> Outcomes {
        let table = self.overlapping();
        let absent = self.plain(&made(table.case())?, &table)?;
        let mut more = table.clone();
        let classes = self.task().classes().max(1);
        for at in 0..2 * classes {
            more.rows.push(vec![if at % 2 == 0 { 20.0 } else { -30.0 }; 4]);
            more.targets.push((at % classes) as f64);
        }
        let mut case = made(more.case())?;
        case.weights =
            Some((0..more.rows.len()).map(|row| f64::from(u8::from(row < table.rows.len()))).collect());
        let ignored = self.plain(&case, &table)?;
        self.close("an example of weight 0", &absent, &ignored)
    }

    /// A run that had to end early must say so, unless it needs no iterations.
    fn ended(&self, outcome: &Outcome, reason: Stop) -> Outcomes {
        let (stop, iterations) = (outcome.stop, outcome.iterations);
        ensure(stop == reason || iterations <= self.task().runs(), || {
            format!(
                "the run should have ended because {reason}; it says {stop}, after {iterations} iterations"
            )
        })
    }

    fn iteration_limit(&self) -> Outcomes {
        let table = self.overlapping();
        for limit in [0, 1] {
            let control = Control::new(Budget::default().with_iterations(limit));
            let (outcome, _) = self.fit(&made(table.case())?, &table, &control)?;
            let (allowed, found) = (limit.max(1) * self.task().runs(), outcome.iterations);
            ensure(found <= allowed, || {
                format!("{found} iterations were done; {limit} were allowed to each run")
            })?;
        }
        Ok(())
    }

    fn time_limit(&self) -> Outcomes {
        let table = self.overlapping();
        let control = Control::new(Budget::default().with_time(Duration::ZERO));
        let (outcome, _) = self.fit(&made(table.case())?, &table, &control)?;
        self.ended(&outcome, Stop::Time)
    }

    fn cancellation(&self) -> Outcomes {
        let (table, cancel) = (self.overlapping(), Cancel::default());
        cancel.cancel();
        let control = Control::default().with_cancel(&cancel);
        let (outcome, _) = self.fit(&made(table.case())?, &table, &control)?;
        self.ended(&outcome, Stop::Cancelled)
    }

    fn sparse_storage(&self) -> Outcomes {
        let table = self.overlapping();
        let dense = self.plain(&made(table.case())?, &table)?;
        let sparse = self.plain(&made(table.sparse_case())?, &table)?;
        self.close("sparse storage", &dense, &sparse)
    }

    fn single_precision(&self) -> Outcomes {
        let table = self.overlapping();
        let wide = self.plain(&made(table.case())?, &table)?;
        let narrow = self.plain(&made(table.narrow_case())?, &table)?;
        self.close("single-precision storage", &wide, &narrow)?;
        let narrow = self.plain(&made(table.narrow_sparse_case())?, &table)?;
        self.close("sparse single-precision storage", &wide, &narrow)
    }

    fn evidence(&self) -> Outcomes {
        let table = self.overlapping();
        let budgets = [Budget::default(), Budget::default().with_iterations(1)];
        for budget in budgets {
            let (outcome, _) = self.fit(&made(table.case())?, &table, &Control::new(budget))?;
            match outcome.verdict {
                None | Some(Ok(Verdict::Valid)) => {}
                Some(Ok(verdict)) => return Err(format!("the certificate does not hold: {verdict}")),
                Some(Err(error)) => return Err(format!("the certificate cannot be checked: {error}")),
            }
        }
        Ok(())
    }
}

fn sane(prediction: &Prediction) -> Outcomes {
    match prediction.values.iter().find(|value| !value.is_finite()) {
        Some(value) => Err(format!("a decision value is {value}")),
        None => ensure(!prediction.values.is_empty(), || "no decision value was returned".to_owned()),
    }
}

fn same_bits(what: &str, a: &Prediction, b: &Prediction) -> Outcomes {
    let differs = a.values.iter().zip(&b.values).find(|(a, b)| a.to_bits() != b.to_bits());
    let lengths = (a.values.len(), b.values.len());
    match differs {
        Some((a, b)) => Err(format!("{what} changes bits of a decision value: {a:e} and {b:e}")),
        None => {
            ensure(lengths.0 == lengths.1, || format!("{what} changes the number of values: {lengths:?}"))
        }
    }
}
