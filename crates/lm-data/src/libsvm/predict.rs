//! What a model of LIBSVM says of new examples.

use lm_core::multiclass::Decisions;
use lm_core::probability::{Probabilities, Sigmoid, agree, couple};
use lm_core::{Error, Examples, Result};

use super::model::{Functions, Model, Task, class_of_each, pair_of_column, width};

impl Model {
    /// The decision values of all pairs of classes, in the order of the file, *positive for the first class* of a pair; one
    /// value where there are no classes.
    ///
    /// # Errors
    /// [`Error::Length`] for examples of another dimension (see [`Model::widened`]), or for a precomputed kernel (see
    /// [`Model::decisions_by_kernel`]); [`Error::Numerical`] if a value is not finite.
    pub fn decisions<E: Examples + ?Sized>(&self, set: &E) -> Result<Decisions> {
        match &self.functions {
            Functions::Vectors(functions) => functions.decisions(set),
            Functions::Rows(_) => {
                Err(Error::Length { what: "a precomputed kernel", expected: set.dim(), found: 0 })
            }
        }
    }

    /// As [`Model::decisions`], for a precomputed kernel: from the kernel values of new examples with all examples of the
    /// training set, `len` for each new one.
    ///
    /// # Errors
    /// [`Error::Index`] if a support example has no kernel value, [`Error::Length`] unless there is a whole number of rows or
    /// if the kernel is one of vectors, [`Error::Numerical`] if a value is not finite.
    pub fn decisions_by_kernel(&self, kernel_values: &[f64], len: usize) -> Result<Decisions> {
        let Functions::Rows(rows) = &self.functions else {
            return Err(Error::Length { what: "a row of kernel values", expected: 0, found: len });
        };
        if len == 0 || !kernel_values.len().is_multiple_of(len) {
            return Err(Error::Length {
                what: "the kernel values",
                expected: len,
                found: kernel_values.len(),
            });
        }
        if let Some(&index) = rows.iter().find(|&&row| row >= len) {
            return Err(Error::Index { what: "kernel value", index, len });
        }
        let (columns, classes) = (width(self.task, self.labels.len()), self.labels.len());
        let mut values = Vec::new();
        for kernel in kernel_values.chunks_exact(len) {
            let mut own: Vec<f64> = self.rho.iter().map(|rho| 0.0 - rho).collect();
            let vectors = self.coefficients.chunks_exact(columns).zip(class_of_each(&self.sizes, rows.len()));
            for ((coefficients, class), &row) in vectors.zip(rows) {
                for (column, coefficient) in coefficients.iter().enumerate() {
                    let pair = if classes == 0 { 0 } else { pair_of_column(class, column, classes) };
                    own[pair] += coefficient * kernel[row];
                }
            }
            values.extend(own);
        }
        if values.iter().any(|value| !value.is_finite()) {
            return Err(Error::Numerical { what: "a decision value" });
        }
        Decisions::new(values, self.rho.len())
    }

    /// What LIBSVM predicts from decision values: the label with most votes, and the first of those in the file where
    /// several have most; +1 or −1 for a one-class machine; the value itself for a regression.
    ///
    /// # Errors
    /// [`Error::Length`] unless there is a value for each decision function.
    pub fn outcome(&self, values: &[f64]) -> Result<f64> {
        let (expected, found) = (self.rho.len(), values.len());
        match (self.task, values) {
            _ if found != expected => {
                Err(Error::Length { what: "the list of decision values", expected, found })
            }
            (Task::CSvc | Task::NuSvc, _) => Ok(f64::from(self.labels[self.winner(values)])),
            (Task::OneClass, [value]) => Ok(if *value > 0.0 { 1.0 } else { -1.0 }),
            (_, values) => Ok(values.first().copied().unwrap_or(0.0)),
        }
    }

    /// The place of the class with most votes.
    fn winner(&self, values: &[f64]) -> usize {
        let k = self.labels.len();
        let mut votes = vec![0_usize; k];
        let pairs = (0..k).flat_map(|low| (low + 1..k).map(move |high| (low, high)));
        for ((low, high), value) in pairs.zip(values) {
            votes[if *value > 0.0 { low } else { high }] += 1;
        }
        (1..k).fold(0, |best, class| if votes[class] > votes[best] { class } else { best })
    }

    /// What LIBSVM predicts for every member of a set.
    ///
    /// # Errors
    /// As [`Model::decisions`].
    pub fn predict<E: Examples + ?Sized>(&self, set: &E) -> Result<Vec<f64>> {
        self.decisions(set)?.rows().map(|values| self.outcome(values)).collect()
    }

    /// The probability of each class for every member of a set, in the order of [`Model::labels`]; none if the file has no
    /// sigmoids.
    ///
    /// Pairs are coupled as LIBSVM does, but to the end of its iteration; and where the class of [`Model::predict`] would not
    /// be the most probable one, the probabilities are moved to the nearest ones in which it is
    /// ([`agree`](lm_core::probability::agree)).
    ///
    /// # Errors
    /// As [`Model::decisions`].
    pub fn probabilities<E: Examples + ?Sized>(&self, set: &E) -> Result<Option<Probabilities>> {
        let Some((slopes, offsets)) = self.sigmoids() else { return Ok(None) };
        let sigmoids: Vec<Sigmoid> =
            slopes.iter().zip(offsets).map(|(&a, &b)| Sigmoid::new(a, b)).collect::<Result<_>>()?;
        let mut values = Vec::with_capacity(set.len() * self.labels.len());
        for decisions in self.decisions(set)?.rows() {
            // The decision value is positive for the first class of a pair, the coupling asks for the second.
            let second =
                sigmoids.iter().zip(decisions).map(|(sigmoid, &value)| sigmoid.probabilities(value)[0]);
            let second: Vec<f64> = second.collect();
            let mut found = couple(&second, self.labels.len())?.probabilities;
            agree(&mut found, self.winner(decisions))?;
            values.extend(found);
        }
        let classes = self.labels.iter().map(|&label| i64::from(label)).collect();
        Probabilities::new(classes, values).map(Some)
    }

    /// The probability that an example with this decision value is an inlier, in steps of a tenth, as the marks of a one-class
    /// machine give it; none if the file has no marks.
    pub fn inlier_probability(&self, value: f64) -> Option<f64> {
        let marks = self.density_marks()?;
        let (first, last) = (marks.first()?, marks.last()?);
        Some(if value < *first {
            0.001
        } else if value > *last {
            0.999
        } else {
            // The number of marks at or below, at least one and short of all.
            let below = marks.iter().take_while(|mark| **mark <= value).count();
            below.clamp(1, marks.len() - 1) as f64 / marks.len() as f64
        })
    }
}
