//! What one step of reweighted least squares needs to know of the data: sums over rows, which merge.

use std::ops::Range;

use lm_core::linalg::{Matrix, add_scatter};
use lm_core::{Error, Examples, Linear, Result, Row, Sign, Weights, exponentials};

use super::frame::Frame;
use super::likelihood::{Likelihood, Logarithms, logistic};

/// Loss, gradient and Hessian of the logistic likelihood at one point, summed over rows.
///
/// Rows are added where they are; statistics of parts of the data at the same point merge into those of the whole. That
/// is one step of [`Irls`](super::Irls), whether the parts are blocks of a file or live on other machines. Sums run in
/// the order of the calls: the same calls give the same bits.
///
/// ```
/// use lm_closed::{Frame, LogisticStatistics};
/// use lm_core::{Dense, Linear, Sign};
///
/// let (frame, zero) = (Frame::identity(1)?, Linear::new(vec![0.0], 0.0)?);
/// let mut left = LogisticStatistics::binary(&frame, &zero)?;
/// left.add(&Dense::new(vec![-1.0, 0.0], 2, 1)?, &[Sign::Negative; 2], None)?;
/// let mut right = LogisticStatistics::binary(&frame, &zero)?;
/// right.add(&Dense::new(vec![2.0], 1, 1)?, &[Sign::Positive], None)?;
/// left.merge(&right)?;
/// assert!((left.loss() - 3.0 * 2.0_f64.ln()).abs() < 1e-15);
/// assert_eq!(left.gradient(), [-1.5, 0.5]); // Σ (p − [y = +1])·(x, 1)
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "super::stored::Stored", into = "super::stored::Stored"))]
pub struct LogisticStatistics {
    pub(super) frame: Frame,
    pub(super) classes: usize,
    /// The coefficients of each score in the frame, one after the other.
    pub(super) at: Vec<f64>,
    pub(super) count: u64,
    pub(super) weight: f64,
    pub(super) loss: f64,
    pub(super) margin: f64,
    pub(super) gradient: Vec<f64>,
    /// The blocks of the Hessian, those of the lower triangle row after row; of each its lower triangle.
    pub(super) blocks: Vec<Matrix>,
}

impl LogisticStatistics {
    /// Empty statistics of two classes at a function whose sign tells them apart.
    ///
    /// # Errors
    /// [`Error::Length`] for a function of another dimension than the frame's, [`Error::NonFinite`] if its coefficients
    /// overflow there, [`Error::Allocation`] if there is no memory for the Hessian.
    pub fn binary(frame: &Frame, function: &Linear) -> Result<Self> {
        Self::at(frame.clone(), 2, frame.coordinates(function)?)
    }

    /// Empty statistics of several classes at one function for each.
    ///
    /// # Errors
    /// As [`LogisticStatistics::binary`], and [`Error::Classes`] for fewer than two functions.
    pub fn classes(frame: &Frame, functions: &[Linear]) -> Result<Self> {
        let found = functions.len();
        if found < 2 {
            return Err(Error::Classes { found, accepted: "two functions or more" });
        }
        let parts: Result<Vec<_>> = functions.iter().map(|function| frame.coordinates(function)).collect();
        Self::at(frame.clone(), found, parts?.concat())
    }

    /// Empty statistics at coefficients in the frame: of one score for two classes, or of one for each class.
    pub(super) fn at(frame: Frame, classes: usize, at: Vec<f64>) -> Result<Self> {
        let p = frame.dim() + 1;
        let width = at.len() / p;
        let blocks: Result<Vec<_>> = (0..width * (width + 1) / 2).map(|_| Matrix::zeros(p, p)).collect();
        let gradient = vec![0.0; at.len()];
        let (count, weight, loss, margin, blocks) = (0, 0.0, 0.0, f64::INFINITY, blocks?);
        Ok(Self { frame, classes, at, count, weight, loss, margin, gradient, blocks })
    }

    /// Adds rows of two classes.
    ///
    /// # Errors
    /// [`Error::Length`] for rows of another dimension, or unless there are as many signs and weights as rows;
    /// [`Error::Classes`] if these are statistics of several functions; [`Error::Numerical`] if a score overflows.
    pub fn add<E: Examples + ?Sized>(
        &mut self,
        examples: &E,
        signs: &[Sign],
        weights: Option<&Weights>,
    ) -> Result<()> {
        if self.at.len() != self.frame.dim() + 1 {
            return Err(Error::Classes { found: 2, accepted: "class numbers, one function for each" });
        }
        let classes: Vec<u32> = signs.iter().map(|&sign| u32::from(sign == Sign::Positive)).collect();
        self.add_classes(examples, &classes, weights)
    }

    /// Adds rows with the number of the class of each.
    ///
    /// # Errors
    /// As [`LogisticStatistics::add`]; [`Error::Index`] for a class that does not exist.
    pub fn add_classes<E: Examples + ?Sized>(
        &mut self,
        examples: &E,
        classes: &[u32],
        weights: Option<&Weights>,
    ) -> Result<()> {
        examples.check_dim("the weight vector", self.frame.dim())?;
        let given = [Some(classes.len()), weights.map(|weights| weights.values().len())];
        if let Some(found) = given.into_iter().flatten().find(|&found| found != examples.len()) {
            return Err(Error::Length {
                what: "the list of labels or weights",
                expected: examples.len(),
                found,
            });
        }
        if let Some(&class) = classes.iter().find(|&&class| class as usize >= self.classes) {
            return Err(Error::Index { what: "class", index: class as usize, len: self.classes });
        }
        self.add_rows(examples, classes, weights, 0..examples.len())
    }

    /// Adds a range of rows that were checked.
    pub(super) fn add_rows<E: Examples + ?Sized>(
        &mut self,
        examples: &E,
        classes: &[u32],
        weights: Option<&Weights>,
        rows: Range<usize>,
    ) -> Result<()> {
        // A block of rows and its weighted copy stay in the second level of the cache.
        let size = (16_384 / (self.frame.dim() + 1)).clamp(32, 512);
        let weight = |row: usize| weights.map_or(1.0, |weights| weights.values()[row]);
        let mut work = Work::default();
        let mut start = rows.start;
        while start < rows.end {
            let block = start..rows.end.min(start + size);
            if self.frame.keeps_zeros() && sparse_block(examples, block.clone(), self.frame.dim()) {
                block.clone().for_each(|row| {
                    self.add_sparse(&examples.row(row), classes[row], weight(row), &mut work);
                });
            } else {
                self.add_block(examples, classes, &weight, block.clone(), &mut work)?;
            }
            self.count += block.clone().filter(|&row| weight(row) != 0.0).count() as u64;
            start = block.end;
        }
        if self.loss.is_finite() && self.gradient.iter().all(|value| value.is_finite()) {
            Ok(())
        } else {
            Err(Error::Numerical { what: "the likelihood" })
        }
    }

    /// One sweep over a block: scores, losses, gradient, and the products of rows with weighted rows.
    fn add_block<E: Examples + ?Sized>(
        &mut self,
        examples: &E,
        classes: &[u32],
        weight: &dyn Fn(usize) -> f64,
        rows: Range<usize>,
        work: &mut Work,
    ) -> Result<()> {
        let (p, likelihood) = (self.frame.dim() + 1, self.likelihood());
        let (width, pairs) = (likelihood.width(), likelihood.pairs());
        let Work { right, scores, curvature, .. } = work;
        self.frame.fill(examples, rows.clone(), right);
        scores.resize(width, 0.0);
        curvature.clear();
        curvature.resize(rows.len() * pairs, 0.0);
        if likelihood == Likelihood::Logistic {
            self.add_scores(classes, weight, rows, work);
        } else {
            for ((row, x), curvature) in
                rows.zip(right.chunks_exact(p)).zip(curvature.chunks_exact_mut(pairs))
            {
                let weight = weight(row);
                if weight == 0.0 {
                    continue;
                }
                let x = Row::DenseF64(x);
                scores
                    .iter_mut()
                    .zip(self.at.chunks_exact(p))
                    .for_each(|(score, at)| *score = x.dot_dense(at));
                let (loss, margin) = likelihood.expand(classes[row], scores, curvature);
                self.weight += weight;
                self.loss += weight * loss;
                self.margin = self.margin.min(margin);
                let gradients = self.gradient.chunks_exact_mut(p);
                gradients
                    .zip(&*scores)
                    .for_each(|(gradient, slope)| x.add_scaled_to(weight * slope, gradient));
                curvature.iter_mut().for_each(|value| *value *= weight);
            }
        }
        let Work { right, left, curvature, .. } = work;
        for (pair, block) in self.blocks.iter_mut().enumerate() {
            left.clear();
            let weights = curvature.iter().skip(pair).step_by(pairs);
            for (x, weight) in right.chunks_exact(p).zip(weights) {
                left.extend(x.iter().map(|x| weight * x));
            }
            add_scatter(block, left, right)?;
        }
        Ok(())
    }

    /// Losses, gradient and curvatures of a block with one score a row: its exponentials are taken together.
    fn add_scores(
        &mut self,
        classes: &[u32],
        weight: &dyn Fn(usize) -> f64,
        rows: Range<usize>,
        work: &mut Work,
    ) {
        let Work { right, scores, curvature, .. } = work;
        let examples = || right.chunks_exact(self.at.len()).map(Row::DenseF64);
        scores.clear();
        scores.extend(examples().map(|x| x.dot_dense(&self.at)));
        for (small, score) in curvature.iter_mut().zip(&*scores) {
            *small = -score.abs();
        }
        exponentials(curvature);
        let mut losses = Logarithms::default();
        for (((row, x), score), small) in rows.zip(examples()).zip(&*scores).zip(&mut *curvature) {
            let weight = weight(row);
            let (slope, curve, margin) = logistic(classes[row], *score, *small);
            if weight != 0.0 {
                self.weight += weight;
                self.loss += weight * (-margin).max(0.0);
                losses.add(*small, weight);
                self.margin = self.margin.min(margin);
                x.add_scaled_to(weight * slope, &mut self.gradient);
            }
            *small = weight * curve;
        }
        self.loss += losses.total();
    }

    /// The same for one sparse row, entry by entry.
    fn add_sparse(&mut self, row: &Row<'_>, class: u32, weight: f64, work: &mut Work) {
        if weight == 0.0 {
            return;
        }
        let (p, likelihood) = (self.frame.dim() + 1, self.likelihood());
        let Work { right: values, columns, scores, curvature, .. } = work;
        // Columns and values of the entries, the bias last.
        values.clear();
        columns.clear();
        row.for_each(|k, x| {
            values.push(x * self.frame.scale()[k]);
            columns.push(k);
        });
        values.push(1.0);
        columns.push(p - 1);
        scores.clear();
        for at in self.at.chunks_exact(p) {
            scores.push(values.iter().zip(&*columns).map(|(x, &k)| x * at[k]).sum());
        }
        curvature.clear();
        curvature.resize(likelihood.pairs(), 0.0);
        let (loss, margin) = likelihood.expand(class, scores, curvature);
        self.weight += weight;
        self.loss += weight * loss;
        self.margin = self.margin.min(margin);
        for (gradient, slope) in self.gradient.chunks_exact_mut(p).zip(&*scores) {
            values.iter().zip(&*columns).for_each(|(x, &k)| gradient[k] += weight * slope * x);
        }
        for (block, curvature) in self.blocks.iter_mut().zip(&*curvature) {
            for (entry, (x, &column)) in values.iter().zip(&*columns).enumerate() {
                // Column by column of the lower triangle: rows from the diagonal on.
                let (own, below) = (weight * curvature * x, block.column_mut(column));
                for (z, &k) in values[entry..].iter().zip(&columns[entry..]) {
                    below[k] += own * z;
                }
            }
        }
    }

    /// Adds the statistics of other rows at the same point.
    ///
    /// # Errors
    /// [`Error::Length`] or [`Error::Numerical`] if they are statistics at another point or in another frame.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        if other.at.len() != self.at.len() {
            let (expected, found) = (self.at.len(), other.at.len());
            return Err(Error::Length { what: "the point of the other statistics", expected, found });
        }
        if other.at != self.at || other.frame != self.frame || other.classes != self.classes {
            return Err(Error::Numerical { what: "the sum of statistics at different points" });
        }
        self.absorb(other);
        Ok(())
    }

    /// Adds what was computed at this very point.
    pub(super) fn absorb(&mut self, other: &Self) {
        self.count += other.count;
        self.weight += other.weight;
        self.loss += other.loss;
        self.margin = self.margin.min(other.margin);
        self.gradient.iter_mut().zip(&other.gradient).for_each(|(a, b)| *a += b);
        for (own, other) in self.blocks.iter_mut().zip(&other.blocks) {
            own.values_mut().iter_mut().zip(other.values()).for_each(|(a, b)| *a += b);
        }
    }

    pub(super) fn likelihood(&self) -> Likelihood {
        if self.at.len() == self.frame.dim() + 1 {
            Likelihood::Logistic
        } else {
            Likelihood::Softmax(self.classes)
        }
    }

    /// The coordinates in which gradient and Hessian are given.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// The point in the frame: weights and bias of each function, one function after the other.
    pub fn point(&self) -> &[f64] {
        &self.at
    }

    /// The number of rows with a weight.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The sum of the weights of the rows.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// `−log` of the likelihood of all rows.
    pub fn loss(&self) -> f64 {
        self.loss
    }

    /// The smallest margin of a row: how far the score of its class is above that of any other.
    pub fn smallest_margin(&self) -> f64 {
        self.margin
    }

    /// The gradient of the loss in the frame, weights and bias of each function in turn.
    pub fn gradient(&self) -> &[f64] {
        &self.gradient
    }

    /// The Hessian of the loss in the frame; the lower triangle is what is filled.
    ///
    /// # Errors
    /// [`Error::Allocation`] or [`Error::TooLarge`] if there is no memory for it.
    pub fn hessian(&self) -> Result<Matrix> {
        let (p, width) = (self.frame.dim() + 1, self.likelihood().width());
        let mut whole = Matrix::zeros(p * width, p * width)?;
        let mut blocks = self.blocks.iter();
        for k in 0..width {
            for (l, block) in (0..=k).zip(&mut blocks) {
                for column in 0..p {
                    for row in column..p {
                        let value = block[(row, column)];
                        // Blocks are symmetric themselves.
                        whole[(k * p + row, l * p + column)] = value;
                        whole[(k * p + column, l * p + row)] = value;
                    }
                }
            }
        }
        Ok(whole)
    }
}

/// Buffers of a sweep.
#[derive(Default)]
struct Work {
    right: Vec<f64>,
    left: Vec<f64>,
    columns: Vec<usize>,
    scores: Vec<f64>,
    curvature: Vec<f64>,
}

/// Whether products of the stored entries alone are cheaper than those of whole rows.
fn sparse_block<E: Examples + ?Sized>(examples: &E, rows: Range<usize>, dim: usize) -> bool {
    let mut entries = 0;
    for row in rows.clone() {
        match examples.row(row) {
            Row::SparseF64(row) => entries += row.indices().len(),
            Row::SparseF32(row) => entries += row.indices().len(),
            Row::DenseF64(_) | Row::DenseF32(_) => return false,
        }
    }
    // An entry of a whole row costs about a fifth of one that has to be looked up.
    5 * entries < dim * rows.len() * 2
}
