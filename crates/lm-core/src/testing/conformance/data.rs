//! The data of the suite.

use super::subject::Task;
use crate::collection::Collection;
use crate::testing::SplitMix64;
use crate::{Csr, Dense, Examples, Result, Row};

/// Something to learn from.
pub(super) struct Case {
    pub(super) examples: Box<dyn Examples>,
    pub(super) targets: Vec<f64>,
    pub(super) weights: Option<Vec<f64>>,
}

/// A case before it is put into a storage: rows, and a class number or target for each.
#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) rows: Vec<Vec<f64>>,
    pub(super) targets: Vec<f64>,
}

impl Table {
    /// Clusters around points on different axes, `apart` from the origin, or a linear target. All numbers are small
    /// multiples of 1/64, so that single precision holds them exactly; some entries are zero.
    pub(super) fn new(task: Task, len: usize, dim: usize, apart: f64, seed: u64) -> Self {
        let mut random = SplitMix64::new(seed);
        let (mut rows, mut targets) = (Vec::with_capacity(len), Vec::with_capacity(len));
        for at in 0..len {
            let class = at % task.classes().max(1);
            let mut row: Vec<f64> = (0..dim)
                .map(|_| {
                    if random.below(3) == 0 { 0.0 } else { (random.uniform(-1.0, 1.0) * 64.0).round() / 64.0 }
                })
                .collect();
            if task == Task::Regression {
                let slope = |k: usize| (1 + k % 3) as f64 / 8.0;
                targets.push(1.0 + row.iter().enumerate().map(|(k, x)| slope(k) * x).sum::<f64>());
            } else {
                row[class % dim] += apart;
                targets.push(class as f64);
            }
            rows.push(row);
        }
        Self { rows, targets }
    }

    /// Far enough apart that every sensible learner tells the classes from each other.
    pub(super) fn separated(task: Task, len: usize, dim: usize) -> Self {
        Self::new(task, len, dim, 8.0, 1)
    }

    /// Classes that overlap, so that every example matters.
    pub(super) fn overlapping(task: Task, len: usize, dim: usize) -> Self {
        Self::new(task, len, dim, 0.75, 2)
    }

    /// Other rows, with the same targets.
    pub(super) fn map(&self, change: impl Fn(&[f64]) -> Vec<f64>) -> Self {
        Self { rows: self.rows.iter().map(|row| change(row)).collect(), targets: self.targets.clone() }
    }

    /// Some rows, in this order.
    pub(super) fn select(&self, rows: &[usize]) -> Self {
        Self {
            rows: rows.iter().map(|&row| self.rows[row].clone()).collect(),
            targets: rows.iter().map(|&row| self.targets[row]).collect(),
        }
    }

    pub(super) fn dense(&self) -> Result<Dense<'static>> {
        Dense::from_rows(&self.rows)
    }

    pub(super) fn narrow(&self) -> Result<Dense<'static, f32>> {
        let rows: Vec<Vec<f32>> =
            self.rows.iter().map(|row| row.iter().map(|&value| value as f32).collect()).collect();
        Dense::from_rows(&rows)
    }

    /// The case in dense storage.
    pub(super) fn case(&self) -> Result<Case> {
        Ok(self.over(self.dense()?))
    }

    pub(super) fn sparse_case(&self) -> Result<Case> {
        Ok(self.over(Csr::from_rows(&self.dense()?)?))
    }

    pub(super) fn narrow_case(&self) -> Result<Case> {
        Ok(self.over(self.narrow()?))
    }

    pub(super) fn narrow_sparse_case(&self) -> Result<Case> {
        Ok(self.over(Csr::from_rows(&self.narrow()?)?))
    }

    /// The case with an entry that is not finite, behind a type that does not check.
    pub(super) fn holed_case(&self, hole: f64) -> Case {
        let mut rows = self.rows.clone();
        let middle = rows.len() / 2;
        rows[middle][0] = hole;
        self.over(Unchecked(rows))
    }

    fn over<E: Examples + 'static>(&self, examples: E) -> Case {
        Case { examples: Box::new(examples), targets: self.targets.clone(), weights: None }
    }
}

/// Examples of a user's own type, whose author forgot to check them.
pub(super) struct Unchecked(pub(super) Vec<Vec<f64>>);

impl Collection for Unchecked {
    fn len(&self) -> usize {
        self.0.len()
    }
}

impl Examples for Unchecked {
    fn dim(&self) -> usize {
        self.0.first().map_or(0, Vec::len)
    }

    fn row(&self, row: usize) -> Row<'_> {
        Row::DenseF64(&self.0[row])
    }
}
