//! The rows that a run learns from: examples, class numbers and weights, and sweeps over them on all cores.

use std::ops::Range;

use lm_core::linalg::Matrix;
use lm_core::parallel;
use lm_core::{
    BinaryLabels, ClassLabels, Error, Examples, Linear, Meter, Result, Row, Sign, Stop, TrainingSet, Weights,
};

use super::LogisticStatistics;
use super::likelihood::Likelihood;

/// Examples with the number of the class and the weight of each.
pub(super) struct Sample<'a, E: ?Sized> {
    pub(super) examples: &'a E,
    pub(super) classes: Vec<u32>,
    pub(super) weights: Option<&'a Weights>,
    pub(super) likelihood: Likelihood,
}

impl<'a, E: Examples + ?Sized> Sample<'a, E> {
    /// Two classes: 0 and 1, told apart by one function.
    pub(super) fn binary(set: &TrainingSet<'a, E, BinaryLabels>) -> Self {
        let signs = set.labels().signs().iter();
        let classes = signs.map(|&sign| u32::from(sign == Sign::Positive)).collect();
        let likelihood = Likelihood::Logistic;
        Self { examples: set.examples(), classes, weights: set.weights(), likelihood }
    }

    /// Any number of classes, one function for each.
    pub(super) fn classes(set: &TrainingSet<'a, E, ClassLabels>) -> Self {
        let (labels, weights) = (set.labels(), set.weights());
        let likelihood = Likelihood::Softmax(labels.classes().len());
        Self { examples: set.examples(), classes: labels.indices().to_vec(), weights, likelihood }
    }

    pub(super) fn len(&self) -> usize {
        self.classes.len()
    }

    pub(super) fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights.values()[row])
    }

    /// The weight of each class.
    pub(super) fn class_weights(&self) -> Vec<f64> {
        let count = if self.likelihood == Likelihood::Logistic { 2 } else { self.likelihood.width() };
        let mut totals = vec![0.0; count];
        self.classes.iter().enumerate().for_each(|(row, &class)| totals[class as usize] += self.weight(row));
        totals
    }

    /// Where a run starts: weights of zero, and biases that give every class its share.
    pub(super) fn start(&self) -> Vec<f64> {
        let p = self.examples.dim() + 1;
        let mut start = vec![0.0; p * self.likelihood.width()];
        let totals = self.class_weights();
        if self.likelihood == Likelihood::Logistic {
            start[p - 1] = (totals[1] / totals[0]).ln();
        } else {
            let mean = totals.iter().map(|total| total.ln()).sum::<f64>() / totals.len() as f64;
            for (function, total) in start.chunks_exact_mut(p).zip(&totals) {
                function[p - 1] = total.ln() - mean;
            }
        }
        // A share that is not finite, of weights that are far apart, is none.
        start.iter_mut().filter(|value| !value.is_finite()).for_each(|value| *value = 0.0);
        start
    }

    /// Rows of a part of a sweep, and parts that are in memory at once: functions of the data only, so that sums run in
    /// the same order on any number of threads.
    fn parts(&self, values: usize) -> (usize, usize) {
        let rows = self.len().div_ceil(64).next_multiple_of(512).max(1024);
        (rows, if values > 512 * 512 { 4 } else { 16 })
    }

    /// The rows of each part.
    pub(super) fn ranges(&self, rows: usize) -> impl Fn(usize) -> Range<usize> + Sync + use<E> {
        let len = self.len();
        move |part| part * rows..len.min((part + 1) * rows)
    }

    /// The statistics of all rows at the point of empty ones; the reason if the budget of a run that `may_end` ends first.
    pub(super) fn statistics(
        &self,
        empty: &LogisticStatistics,
        may_end: bool,
        meter: &mut Meter<'_>,
    ) -> Result<std::result::Result<LogisticStatistics, Stop>> {
        let mut total = empty.clone();
        let p = self.examples.dim() + 1;
        let (rows, together) = self.parts(p * p * self.likelihood.pairs());
        let range = self.ranges(rows);
        let count = self.len().div_ceil(rows);
        let mut first = 0;
        while first < count {
            let parts = parallel::map(together.min(count - first), |part| {
                let mut statistics = empty.clone();
                statistics.add_rows(self.examples, &self.classes, self.weights, range(first + part))?;
                Ok::<_, Error>(statistics)
            });
            for part in parts {
                total.absorb(&part?);
            }
            first += together;
            if let Some(stop) = meter.advance(0, 0).filter(|_| may_end && first < count) {
                return Ok(Err(stop));
            }
        }
        Ok(Ok(total))
    }

    /// The bytes that a sweep with Hessians holds at once.
    pub(super) fn bytes(&self) -> usize {
        let p = self.examples.dim().saturating_add(1);
        let values = p.saturating_mul(p).saturating_mul(self.likelihood.pairs());
        let (_, together) = self.parts(values);
        // Parts, their sum, the whole matrix, its copy and its factor.
        let width = self.likelihood.width();
        let whole = p.saturating_mul(p).saturating_mul(width * width);
        values.saturating_mul(together + 1).saturating_add(whole.saturating_mul(4)).saturating_mul(8)
    }

    /// Folds all rows into vectors of numbers, part by part on all cores, and sums the parts in order.
    pub(super) fn fold(
        &self,
        size: usize,
        work: impl Fn(Range<usize>, &mut [f64]) + Sync,
    ) -> Result<Vec<f64>> {
        let rows = self.fold_rows(size);
        let range = self.ranges(rows);
        let parts = parallel::map(self.len().div_ceil(rows), |part| -> Result<Vec<f64>> {
            let mut sums = Matrix::zeros(size, 1)?.into_values();
            work(range(part), &mut sums);
            Ok(sums)
        });
        let mut total = Matrix::zeros(size, 1)?.into_values();
        for part in parts {
            total.iter_mut().zip(part?).for_each(|(total, part)| *total += part);
        }
        Ok(total)
    }

    /// The rows of a part of a fold: a part must outweigh the sum of its vector.
    fn fold_rows(&self, size: usize) -> usize {
        let parts = (self.entries() / size.saturating_mul(2).max(1)).clamp(1, 64);
        self.len().div_ceil(parts).max(512)
    }

    /// The bytes that a run without Hessians holds at once: scores, the vectors of a step, the parts of a fold.
    pub(super) fn vector_bytes(&self) -> usize {
        let (p, width) = (self.examples.dim().saturating_add(1), self.likelihood.width());
        // Of the certificate, which folds the most.
        let size = p.saturating_mul(2 * width + 1).saturating_add(2);
        let parts = self.len().div_ceil(self.fold_rows(size));
        let vectors = size.saturating_mul(parts + 16);
        vectors.saturating_add(self.len().saturating_mul(width)).saturating_mul(size_of::<f64>())
    }

    /// The number of stored entries of all rows.
    fn entries(&self) -> usize {
        let dim = self.examples.dim();
        let entries = |row| match self.examples.row(row) {
            Row::SparseF64(row) => row.indices().len(),
            Row::SparseF32(row) => row.indices().len(),
            Row::DenseF64(_) | Row::DenseF32(_) => dim,
        };
        (0..self.len()).map(entries).sum()
    }

    /// The scores of some rows under each function, function by function.
    pub(super) fn scores(&self, functions: &[Linear], rows: Range<usize>, out: &mut Vec<f64>) {
        out.clear();
        out.resize(rows.len() * functions.len(), 0.0);
        for (function, out) in functions.iter().zip(out.chunks_exact_mut(rows.len().max(1))) {
            self.examples.dots(rows.clone(), function.weights(), out);
            out.iter_mut().for_each(|score| *score += function.bias());
        }
    }
}
