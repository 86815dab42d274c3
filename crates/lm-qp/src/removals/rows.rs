//! The matrix of kernel values that all removals read.

use lm_core::{Columns, Gram, MatrixGram, Meter, Result, TrainingSet};

use super::Aims;
use super::bound::Point;
use crate::formulation::{Formulation, seen};

/// The matrix of kernel values, which all removals read.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    pub(super) matrix: MatrixGram<'static>,
    narrow: Vec<f32>,
    pub(super) diagonal: Vec<f64>,
    /// The largest size of a kernel value, which lies on the diagonal of a matrix of inner products.
    pub(super) largest: f64,
}

impl Rows {
    pub(super) fn narrow(&self, i: usize) -> &[f32] {
        let n = self.diagonal.len();
        &self.narrow[i * n..(i + 1) * n]
    }

    /// Adds a multiple of a row to the scores.
    pub(super) fn add(&self, point: &mut Point, i: usize, by: f64) {
        point.scores.iter_mut().zip(self.matrix.row(i)).for_each(|(score, value)| *score += by * value);
        point.size += by.abs() * self.largest;
        point.slip += f64::EPSILON * (point.size + by.abs() * self.largest);
    }

    /// Has the scores follow from the coefficients that have changed.
    pub(super) fn follow(&self, point: &mut Point, before: &[f64]) {
        for (i, &old) in before.iter().enumerate() {
            if point.beta[i] != old {
                self.add(point, i, point.beta[i] - old);
            }
        }
    }
}

impl Rows {
    pub(super) fn new<F: Formulation<L>, G: Gram + ?Sized, L: Aims>(
        formulation: &F,
        set: &TrainingSet<'_, G, L>,
        meter: &Meter<'_>,
    ) -> Result<Self> {
        let n = set.len();
        let needed = n.saturating_mul(n).saturating_mul(size_of::<f64>() + size_of::<f32>());
        meter.budget().check_memory("the Gram matrix in both precisions", needed)?;
        let gram = set.examples();
        let matrix = seen(formulation, &gram, |gram| MatrixGram::computed(gram, meter.budget()))?;
        let all: Vec<usize> = (0..n).collect();
        let mut narrow = vec![0.0; n * n];
        matrix.fill_f32(&all, Columns::All, &mut narrow)?;
        let diagonal = matrix.diagonal()?;
        let largest = matrix.values().iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        Ok(Self { matrix, narrow, diagonal, largest })
    }

    /// The square root of the largest `Kᵢᵢ`.
    pub(super) fn longest(&self) -> f64 {
        self.diagonal.iter().fold(0.0, |most: f64, &value| most.max(value)).sqrt()
    }
}
