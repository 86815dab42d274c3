//! Class means and the scatter within classes, gathered in one sweep and mergeable.
//!
//! # Problem
//! ```text
//! W_c = Σ ω,   m_c = Σ ωx / W_c   over the examples of class c,      S_W = Σ ω (x − m_c)(x − m_c)ᵗ   over all
//! ```
//! # Method
//! A block of rows is shifted by the first row of each class, then by what is left of the block's class means, so that
//! neither far classes nor far data cancel; its scatter is one symmetric product. Blocks are joined by the rule of Chan,
//! Golub and LeVeque: two parts of a class add `W₁W₂/(W₁ + W₂) δδᵗ`, δ being the difference of their means. `S_W` is
//! never found as a difference of scatters.
//! # Cost
//! `nd²` operations in one pass on all cores, and memory for some twenty `d × d` matrices. Chunks and the order in which
//! they are joined follow from the data alone, so the bits do not depend on the number of threads.
//! # Reference
//! Chan, Golub & LeVeque (1983), *Algorithms for computing the sample variance*; Welford (1962).

use std::ops::Range;

use lm_core::linalg::{Matrix, add_centred_scatter, add_scatter};
use lm_core::{ClassLabels, Error, Examples, Result, Weights, parallel};

use super::class_means::ClassMeans;
use crate::statistics::RowBlocks;

/// How many chunks are in work at once: what memory they need does not grow with the data.
const WAVE: usize = 16;

/// Class weights, class means and the scatter within classes of the examples seen so far.
///
/// Blocks of a stream are added one after the other, accumulators of several workers merged; a
/// [`Lda`](crate::Lda) solves what was gathered.
///
/// ```
/// use lm_closed::ClassMoments;
/// use lm_core::Dense;
///
/// let mut moments = ClassMoments::new(&[10, 20], 1)?;
/// moments.add(&Dense::new(vec![1.0, 3.0], 2, 1)?, &[10, 10], None)?; // a block may lack a class
/// moments.add(&Dense::new(vec![7.0, 9.0, 2.0], 3, 1)?, &[20, 20, 10], None)?;
/// assert_eq!(moments.mean(0), [2.0]);
/// assert_eq!(moments.mean(1), [8.0]);
/// assert_eq!(moments.scatter()[(0, 0)], 4.0); // 1 + 1 + 0 within class 10, 1 + 1 within class 20
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(into = "Stored", try_from = "Stored"))]
pub struct ClassMoments {
    classes: Vec<i64>,
    counts: Vec<u64>,
    weights: Vec<f64>,
    /// The mean of each class, one after the other.
    means: Vec<f64>,
    /// The lower triangle is kept.
    scatter: Matrix,
}

/// What is kept in a file.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Stored {
    #[serde(with = "lm_core::serde_array")]
    classes: Vec<i64>,
    #[serde(with = "lm_core::serde_array")]
    counts: Vec<u64>,
    #[serde(with = "lm_core::serde_array")]
    weights: Vec<f64>,
    #[serde(with = "lm_core::serde_array")]
    means: Vec<f64>,
    /// Column by column.
    #[serde(with = "lm_core::serde_array")]
    scatter: Vec<f64>,
}

#[cfg(feature = "serde")]
impl From<ClassMoments> for Stored {
    fn from(moments: ClassMoments) -> Self {
        let ClassMoments { classes, counts, weights, means, scatter } = moments;
        Self { classes, counts, weights, means, scatter: scatter.into_values() }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for ClassMoments {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self> {
        let Stored { classes, counts, weights, means, scatter } = stored;
        check_classes(&classes)?;
        let length = |what, expected, found| {
            if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) }
        };
        length("the list of class counts", classes.len(), counts.len())?;
        length("the list of class weights", classes.len(), weights.len())?;
        let dim = means.len() / classes.len();
        if dim == 0 {
            return Err(Error::Empty { what: "the list of class means" });
        }
        length("the list of class means", classes.len() * dim, means.len())?;
        length("the scatter matrix", dim.saturating_mul(dim), scatter.len())?;
        let not_finite = |what, row| Err(Error::NonFinite { what, row, column: None });
        if let Some(row) = weights.iter().position(|&weight| !(weight >= 0.0 && weight.is_finite())) {
            return Err(Error::Weight { row, value: weights[row], accepted: "a finite number ≥ 0" });
        }
        if let Some(row) = means.iter().position(|value| !value.is_finite()) {
            return not_finite("class mean", row);
        }
        if let Some(row) = scatter.iter().position(|value| !value.is_finite()) {
            return not_finite("scatter", row);
        }
        let scatter = Matrix::from_columns(scatter, dim, dim)?;
        if let Some(row) = (0..dim).find(|&k| !(scatter[(k, k)] >= 0.0)) {
            return Err(Error::Weight { row, value: scatter[(row, row)], accepted: "a scatter ≥ 0" });
        }
        Ok(Self { classes, counts, weights, means, scatter })
    }
}

#[cfg(feature = "persist")]
impl lm_core::persist::Persist for ClassMoments {
    const KIND: &'static str = "class-moments";
    const VERSION: u16 = 1;
}

fn check_classes(classes: &[i64]) -> Result<()> {
    if classes.len() < 2 {
        return Err(Error::Classes { found: classes.len(), accepted: "two classes or more" });
    }
    match classes.windows(2).position(|pair| pair[0] >= pair[1]) {
        Some(row) => Err(Error::Label {
            row: row + 1,
            value: classes[row + 1] as f64,
            accepted: "classes that increase",
        }),
        None => Ok(()),
    }
}

impl ClassMoments {
    /// An accumulator for these classes, in increasing order, that has seen nothing.
    ///
    /// # Errors
    /// [`Error::Classes`] for fewer than two classes, [`Error::Label`] if they do not increase, [`Error::Empty`] for
    /// dimension 0, [`Error::TooLarge`] or [`Error::Allocation`] if there is no memory for the scatter matrix.
    pub fn new(classes: &[i64], dim: usize) -> Result<Self> {
        check_classes(classes)?;
        if dim == 0 {
            return Err(Error::Empty { what: "the list of columns" });
        }
        let scatter = Matrix::zeros(dim, dim)?;
        // As many as in a matrix, so refused in the same way.
        let means = Matrix::zeros(dim, classes.len())?.into_values();
        let k = classes.len();
        Ok(Self { classes: classes.to_vec(), counts: vec![0; k], weights: vec![0.0; k], means, scatter })
    }

    /// The moments of a whole set.
    ///
    /// # Errors
    /// As [`ClassMoments::new`] and [`ClassMoments::add`].
    pub fn of<E: Examples + ?Sized>(
        examples: &E,
        labels: &ClassLabels,
        weights: Option<&Weights>,
    ) -> Result<Self> {
        let mut moments = Self::new(labels.classes(), examples.dim())?;
        moments.add_indexed(examples, labels.indices(), weights.map(Weights::values))?;
        Ok(moments)
    }

    /// Adds a block of examples, each with the integer of its class.
    ///
    /// # Errors
    /// [`Error::Length`] for another dimension or other numbers of labels or weights, [`Error::Label`] for a class that
    /// the accumulator does not have, [`Error::Numerical`] if a sum is not finite. After an error the accumulator is as it
    /// was before.
    pub fn add<E: Examples + ?Sized>(
        &mut self,
        examples: &E,
        labels: &[i64],
        weights: Option<&Weights>,
    ) -> Result<()> {
        let index = |(row, label): (usize, &i64)| {
            let found = self.classes.binary_search(label).ok().and_then(|at| u32::try_from(at).ok());
            found.ok_or(Error::Label { row, value: *label as f64, accepted: "a class of the accumulator" })
        };
        let indices: Vec<u32> = labels.iter().enumerate().map(index).collect::<Result<_>>()?;
        self.add_indexed(examples, &indices, weights.map(Weights::values))
    }

    /// Adds all examples, on all cores.
    pub(crate) fn add_indexed<E: Examples + ?Sized>(
        &mut self,
        examples: &E,
        indices: &[u32],
        weights: Option<&[f64]>,
    ) -> Result<()> {
        examples.check_dim("the class mean", self.dim())?;
        let lengths = [
            ("the list of labels", indices.len()),
            ("the list of weights", weights.map_or(indices.len(), <[f64]>::len)),
        ];
        if let Some((what, found)) = lengths.into_iter().find(|(_, found)| *found != examples.len()) {
            return Err(Error::Length { what, expected: examples.len(), found });
        }
        let blocks = RowBlocks::with_rows(examples, block_rows(self.dim()));
        // A chunk has at least as many numbers as the matrix that it makes.
        let per_chunk = 4_usize.max((2 * self.dim()).div_ceil(block_rows(self.dim())));
        let chunks = blocks.len().div_ceil(per_chunk);
        let mut sum = self.clone();
        for wave in (0..chunks).step_by(WAVE) {
            let parts = parallel::map(WAVE.min(chunks - wave), |chunk| {
                let first = (wave + chunk) * per_chunk;
                self.of_blocks(&blocks, first..blocks.len().min(first + per_chunk), indices, weights)
            });
            for part in parts {
                sum.merge(&part?)?;
            }
        }
        *self = sum;
        Ok(())
    }

    /// The moments of some blocks, one after the other.
    fn of_blocks<E: Examples + ?Sized>(
        &self,
        blocks: &RowBlocks<'_, E>,
        chosen: Range<usize>,
        indices: &[u32],
        weights: Option<&[f64]>,
    ) -> Result<Self> {
        let mut moments = Self::new(&self.classes, self.dim())?;
        let mut rows = Vec::new();
        for block in chosen {
            blocks.fill(block, &mut rows);
            let range = blocks.range(block);
            moments.add_block(&mut rows, &indices[range.clone()], weights.map(|weights| &weights[range]))?;
        }
        Ok(moments)
    }

    /// Adds rows that lie one after the other, and leaves their deviations from the block's class means in their place.
    fn add_block(&mut self, rows: &mut [f64], indices: &[u32], weights: Option<&[f64]>) -> Result<()> {
        let (dim, classes) = (self.dim(), self.classes.len());
        let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
        let (mut pilots, mut offsets) = (vec![0.0; classes * dim], vec![0.0; classes * dim]);
        let (mut counts, mut sums) = (vec![0_u64; classes], vec![0.0; classes]);
        for (at, row) in rows.chunks_exact_mut(dim).enumerate() {
            let (class, own) = (indices[at] as usize, weight(at));
            if own == 0.0 {
                row.fill(0.0); // absent: it has no deviation
                continue;
            }
            let place = class * dim..(class + 1) * dim;
            if counts[class] == 0 {
                pilots[place.clone()].copy_from_slice(row);
            }
            counts[class] += 1;
            sums[class] += own;
            let pilot = &pilots[place.clone()];
            for ((x, pilot), offset) in row.iter_mut().zip(pilot).zip(&mut offsets[place]) {
                *x -= pilot;
                *offset += own * *x;
            }
        }
        for (offset, &sum) in offsets.chunks_exact_mut(dim).zip(&sums).filter(|(_, sum)| **sum > 0.0) {
            offset.iter_mut().for_each(|offset| *offset /= sum);
        }
        for (at, row) in rows.chunks_exact_mut(dim).enumerate().filter(|(at, _)| weight(*at) != 0.0) {
            let offset = &offsets[indices[at] as usize * dim..];
            row.iter_mut().zip(offset).for_each(|(x, offset)| *x -= offset);
        }
        add_centred_scatter(&mut self.scatter, rows, &vec![0.0; dim], weights)?;
        // m = pilot + offset: the difference to the mean so far is taken before the two are rounded to one number.
        let shift =
            |class: usize, k: usize, mean: f64| (pilots[class * dim + k] - mean) + offsets[class * dim + k];
        self.join(&counts, &sums, shift)
    }

    /// Adds another part of the stream, gathered elsewhere.
    ///
    /// # Errors
    /// [`Error::Length`] for another dimension or number of classes, [`Error::Label`] for other classes,
    /// [`Error::Numerical`] if a sum is not finite.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        let length = |what, expected, found| Err(Error::Length { what, expected, found });
        if other.classes.len() != self.classes.len() {
            return length("the list of classes", self.classes.len(), other.classes.len());
        }
        if other.dim() != self.dim() {
            return length("the class mean", self.dim(), other.dim());
        }
        if let Some(row) = (0..self.classes.len()).find(|&row| self.classes[row] != other.classes[row]) {
            let (value, accepted) = (other.classes[row] as f64, "the classes of the accumulator");
            return Err(Error::Label { row, value, accepted });
        }
        let (ours, theirs) = (self.scatter.values_mut(), other.scatter.values());
        ours.iter_mut().zip(theirs).for_each(|(sum, part)| *sum += part);
        let dim = self.dim();
        self.join(&other.counts, &other.weights, |class, k, mean| other.means[class * dim + k] - mean)
    }

    /// Moves the means by what a part says of them, and adds the scatter between the parts of each class.
    ///
    /// `shift` gives, for a class and a column, how far the mean of the part lies from a given number.
    fn join(
        &mut self,
        counts: &[u64],
        weights: &[f64],
        shift: impl Fn(usize, usize, f64) -> f64,
    ) -> Result<()> {
        let dim = self.dim();
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for class in (0..counts.len()).filter(|&class| counts[class] > 0) {
            let (before, part) = (self.weights[class], weights[class]);
            let after = before + part;
            let mean = &mut self.means[class * dim..(class + 1) * dim];
            if before == 0.0 {
                mean.iter_mut().enumerate().for_each(|(k, mean)| *mean = shift(class, k, 0.0));
            } else {
                for (k, mean) in mean.iter_mut().enumerate() {
                    let delta = shift(class, k, *mean);
                    left.push(before * (part / after) * delta);
                    right.push(delta);
                    *mean += delta * (part / after);
                }
            }
            self.weights[class] = after;
            self.counts[class] = self.counts[class].saturating_add(counts[class]);
        }
        if !right.is_empty() {
            add_scatter(&mut self.scatter, &left, &right)?;
        }
        let sound = |values: &[f64]| values.iter().fold(true, |all, value| all & value.is_finite());
        if sound(self.scatter.values()) && sound(&self.means) && sound(&self.weights) {
            Ok(())
        } else {
            Err(Error::Numerical { what: "the scatter within classes" })
        }
    }

    /// The classes, in increasing order.
    pub fn classes(&self) -> &[i64] {
        &self.classes
    }

    /// The dimension of the examples.
    pub fn dim(&self) -> usize {
        self.scatter.rows()
    }

    /// How many examples of each class were seen, those of weight 0 not counted.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The sum of the weights of each class.
    pub fn class_weights(&self) -> &[f64] {
        &self.weights
    }

    /// The sum of all weights.
    pub fn weight(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// The mean of a class, zero if none of its examples was seen.
    ///
    /// # Panics
    /// Panics, as a slice does, unless there is such a class.
    pub fn mean(&self, class: usize) -> &[f64] {
        &self.means[class * self.dim()..(class + 1) * self.dim()]
    }

    /// The mean of all examples.
    pub fn total_mean(&self) -> Vec<f64> {
        ClassMeans::of_moments(self).total_mean()
    }

    /// The scatter within classes, `S_W`, in the lower triangle.
    pub fn scatter(&self) -> &Matrix {
        &self.scatter
    }

    /// The scatter of the class means, `S_B = Σ W_c (m_c − m)(m_c − m)ᵗ`, in the lower triangle. `S_W + S_B` is the scatter
    /// of all examples around their mean.
    ///
    /// # Errors
    /// As [`Matrix::zeros`].
    pub fn between(&self) -> Result<Matrix> {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for (deviation, own) in ClassMeans::of_moments(self).deviations().iter().zip(&self.weights) {
            right.extend_from_slice(deviation);
            left.extend(deviation.iter().map(|deviation| own * deviation));
        }
        let mut between = Matrix::zeros(self.dim(), self.dim())?;
        add_scatter(&mut between, &left, &right)?;
        Ok(between)
    }
}

/// Rows of a block: long enough for the product, short enough for the cache.
fn block_rows(dim: usize) -> usize {
    (131_072 / dim.max(1)).clamp(256, 1024)
}

/// How many roundings a sum of the accumulator may have gone through, relative to the sum of absolute values.
pub(crate) fn roundings(len: usize, dim: usize) -> f64 {
    (block_rows(dim).min(len) + len.div_ceil(block_rows(dim)) + 16) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::Dense;
    use lm_core::testing::SplitMix64;

    fn random(len: usize, dim: usize, classes: usize, far: f64) -> (Vec<Vec<f64>>, Vec<i64>) {
        let mut random = SplitMix64::new(len as u64);
        let rows = (0..len).map(|at| {
            (0..dim).map(|_| far * (1.0 + (at % classes) as f64) + random.uniform(-1.0, 1.0)).collect()
        });
        (rows.collect(), (0..len).map(|at| (at % classes) as i64).collect())
    }

    /// `S_W` by the two-pass rule, entry by entry.
    fn by_definition(rows: &[Vec<f64>], labels: &[i64], classes: usize) -> Vec<Vec<f64>> {
        let dim = rows[0].len();
        let mut scatter = vec![vec![0.0; dim]; dim];
        for class in 0..classes as i64 {
            let own: Vec<_> =
                rows.iter().zip(labels).filter(|(_, label)| **label == class).map(|(row, _)| row).collect();
            let mean: Vec<f64> =
                (0..dim).map(|k| own.iter().map(|row| row[k]).sum::<f64>() / own.len() as f64).collect();
            for row in own {
                for i in 0..dim {
                    for j in 0..dim {
                        scatter[i][j] += (row[i] - mean[i]) * (row[j] - mean[j]);
                    }
                }
            }
        }
        scatter
    }

    #[test]
    fn the_scatter_is_that_of_the_definition_even_far_from_zero() {
        for (len, far, tolerance) in [(7, 0.0, 1e-14), (5000, 0.0, 1e-12), (5000, 1e6, 1e-9)] {
            let (rows, labels) = random(len, 3, 3, far);
            let examples = Dense::from_rows(&rows).unwrap();
            let labels_of = ClassLabels::from_integers(&labels).unwrap();
            let moments = ClassMoments::of(&examples, &labels_of, None).unwrap();
            let expected = by_definition(&rows, &labels, 3);
            for (i, expected) in expected.iter().enumerate() {
                for (j, value) in expected.iter().enumerate().take(i + 1) {
                    let off = (moments.scatter()[(i, j)] - value).abs();
                    assert!(off <= tolerance * expected[i], "n = {len}, far {far:e}: {off:e}");
                }
            }
        }
    }

    #[test]
    fn a_constant_column_has_no_scatter_at_all() {
        let rows: Vec<[f64; 2]> = (0..3000).map(|at| [0.1, at as f64]).collect();
        let labels: Vec<i64> = (0..3000).map(|at| at % 2).collect();
        let labels = ClassLabels::from_integers(&labels).unwrap();
        let moments = ClassMoments::of(&Dense::from_rows(&rows).unwrap(), &labels, None).unwrap();
        assert_eq!(moments.scatter()[(0, 0)], 0.0);
        assert_eq!(moments.scatter()[(1, 0)], 0.0);
        assert_eq!((moments.mean(0)[0], moments.mean(1)[0]), (0.1, 0.1));
    }

    #[test]
    fn parts_of_a_stream_and_weights_give_what_the_whole_gives() {
        let (rows, labels) = random(2600, 4, 3, 10.0);
        let examples = Dense::from_rows(&rows).unwrap();
        let weights: Vec<f64> = (0..2600).map(|at| (at % 3) as f64).collect();
        let weights = Weights::new(weights).unwrap();
        let class_labels = ClassLabels::from_integers(&labels).unwrap();
        let whole = ClassMoments::of(&examples, &class_labels, Some(&weights)).unwrap();
        let mut copies = (Vec::new(), Vec::new());
        for (row, own) in weights.values().iter().enumerate() {
            for _ in 0..*own as usize {
                copies.0.push(rows[row].clone());
                copies.1.push(labels[row]);
            }
        }
        let mut parts = ClassMoments::new(&[0, 1, 2], 4).unwrap();
        for (rows, labels) in copies.0.chunks(700).zip(copies.1.chunks(700)) {
            let mut part = ClassMoments::new(&[0, 1, 2], 4).unwrap();
            part.add(&Dense::from_rows(rows).unwrap(), labels, None).unwrap();
            parts.merge(&part).unwrap();
        }
        assert_eq!(whole.class_weights(), parts.class_weights());
        for (a, b) in whole.scatter().values().iter().zip(parts.scatter().values()) {
            assert!((a - b).abs() <= 1e-11 * whole.scatter().largest(), "{a} and {b}");
        }
        for class in 0..3 {
            for (a, b) in whole.mean(class).iter().zip(parts.mean(class)) {
                assert!((a - b).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn what_does_not_belong_together_is_refused() {
        let mut moments = ClassMoments::new(&[0, 1], 2).unwrap();
        let rows = Dense::new(vec![1.0, 2.0], 1, 2).unwrap();
        assert!(matches!(moments.add(&rows, &[7], None), Err(Error::Label { row: 0, .. })));
        assert!(matches!(moments.add(&rows, &[0, 1], None), Err(Error::Length { .. })));
        assert!(moments.merge(&ClassMoments::new(&[0, 2], 2).unwrap()).is_err());
        assert!(moments.merge(&ClassMoments::new(&[0, 1], 3).unwrap()).is_err());
        assert!(ClassMoments::new(&[1, 1], 2).is_err() && ClassMoments::new(&[1], 2).is_err());
        let huge = Dense::new(vec![1e300, -1e300], 2, 1).unwrap();
        let mut narrow = ClassMoments::new(&[0, 1], 1).unwrap();
        assert!(matches!(narrow.add(&huge, &[0, 0], None), Err(Error::Numerical { .. })));
        assert_eq!(narrow, ClassMoments::new(&[0, 1], 1).unwrap());
    }
}
