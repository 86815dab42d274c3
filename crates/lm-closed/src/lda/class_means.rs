//! Class weights and class means, without the scatter around them.

use lm_core::linalg::Matrix;
use lm_core::{ClassLabels, Examples, Result, Weights};

use super::ClassMoments;

/// What the functions and directions of a discriminant are made of, beside a whitening transform.
#[derive(Debug, Clone)]
pub(crate) struct ClassMeans {
    pub(crate) classes: Vec<i64>,
    /// The sum of the weights of each class.
    pub(crate) weights: Vec<f64>,
    /// The mean of each class, one after the other.
    pub(crate) means: Vec<f64>,
    pub(crate) dim: usize,
}

impl ClassMeans {
    /// The means of a set, found one example after the other: around the first of each class, so that equal numbers have
    /// their own value as mean.
    pub(crate) fn of<E: Examples + ?Sized>(
        examples: &E,
        labels: &ClassLabels,
        weights: Option<&Weights>,
    ) -> Result<Self> {
        let (classes, dim) = (labels.classes().to_vec(), examples.dim());
        let mut pilots: Vec<Option<Vec<f64>>> = vec![None; classes.len()];
        let mut sums = Matrix::zeros(dim, classes.len())?;
        let (mut totals, mut x) = (vec![0.0; classes.len()], vec![0.0; dim]);
        for (row, &index) in labels.indices().iter().enumerate() {
            let (class, own) = (index as usize, weights.map_or(1.0, |weights| weights.values()[row]));
            if own > 0.0 {
                examples.row(row).write_to(&mut x);
                let pilot = pilots[class].get_or_insert_with(|| x.clone());
                let sum = sums.column_mut(class).iter_mut().zip(&x).zip(pilot);
                sum.for_each(|((sum, x), pilot)| *sum += own * (x - *pilot));
                totals[class] += own;
            }
        }
        for (class, pilot) in pilots.iter().enumerate() {
            if let Some(pilot) = pilot {
                let mean = sums.column_mut(class).iter_mut().zip(pilot);
                mean.for_each(|(sum, pilot)| *sum = pilot + *sum / totals[class]);
            }
        }
        Ok(Self { classes, weights: totals, means: sums.into_values(), dim })
    }

    /// The means that an accumulator has.
    pub(crate) fn of_moments(moments: &ClassMoments) -> Self {
        let classes = moments.classes().to_vec();
        let means = (0..classes.len()).flat_map(|class| moments.mean(class).to_vec()).collect();
        Self { classes, weights: moments.class_weights().to_vec(), means, dim: moments.dim() }
    }

    /// The sum of all weights.
    pub(crate) fn weight(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// The mean of a class.
    pub(crate) fn mean(&self, class: usize) -> &[f64] {
        &self.means[class * self.dim..(class + 1) * self.dim]
    }

    /// The mean of all examples.
    pub(crate) fn total_mean(&self) -> Vec<f64> {
        let total = self.weight();
        let share = |class: usize| if total > 0.0 { self.weights[class] / total } else { 0.0 };
        let sum = |k| (0..self.classes.len()).map(|class| share(class) * self.mean(class)[k]).sum();
        (0..self.dim).map(sum).collect()
    }

    /// `m_c − m` for every class.
    pub(crate) fn deviations(&self) -> Vec<Vec<f64>> {
        let mean = self.total_mean();
        let of_class = |own: &[f64]| own.iter().zip(&mean).map(|(own, all)| own - all).collect();
        self.means.chunks_exact(self.dim).map(of_class).collect()
    }

    /// The sizes of the numbers in each column, whose rounding the scatter holds: those of the class means.
    pub(crate) fn sizes(&self) -> Vec<f64> {
        let size =
            |k: usize| (0..self.classes.len()).fold(0.0_f64, |size, c| size.max(self.mean(c)[k].abs()));
        (0..self.dim).map(size).collect()
    }
}
