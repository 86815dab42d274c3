//! A learner that lives on: it takes examples as they come, and can be kept and continued.

use std::ops::Range;

use lm_core::{Error, Examples, Linear, Result, Row};

use crate::Bias;
use crate::memory::zeros;
use crate::passes::{Procedure, walk_once};
use crate::rule::{Label, Meeting, Rule, check_count, check_labels};
use crate::words::check_radius;

/// A linear function under correction: what a [`Rule`] makes of the examples met so far.
///
/// It learns from single examples and from blocks of any size, so from a reader larger than memory; its state is the
/// weights, the bias and two counts. Saved, loaded and continued, it goes on with the same bits. The settings types make
/// one by their method `live`.
///
/// ```
/// use lm_core::{Dense, Examples, Sign};
/// use lm_online::{Bias, Perceptron};
///
/// let mut learner = Perceptron::default().with_bias(Bias::Standard).live(2)?;
/// let block = Dense::new(vec![2.0, 1.0, -1.0, -3.0, 1.0, 2.0], 3, 2)?;
/// let met = learner.learn_batch(&block, &[Sign::Positive, Sign::Negative, Sign::Positive])?;
/// assert_eq!((met.examples, met.corrections), (3, 1));
/// let single = Dense::new(vec![0.0, -2.0], 1, 2)?;
/// assert!(!learner.learn_one(&single.row(0), Sign::Negative)?.corrected);
/// assert_eq!(learner.seen(), 4);
/// assert_eq!(learner.model()?.weights(), [2.0, 1.0]);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(try_from = "Stored<R>", bound(deserialize = "R: Rule + serde::Deserialize<'de>"))
)]
pub struct Live<R> {
    rule: R,
    /// In the unit of the rule, as is the bias.
    #[cfg_attr(feature = "serde", serde(with = "lm_core::serde_array"))]
    weights: Vec<f64>,
    bias: f64,
    /// `β`.
    bias_step: f64,
    seen: u64,
    corrections: u64,
}

/// What happened when an example was met.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Met {
    /// Its score `⟨w·x⟩ + b` before any correction.
    pub score: f64,
    /// Whether it led to a correction.
    pub corrected: bool,
}

/// What happened when a block of examples was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetBlock {
    /// How many examples there were.
    pub examples: u64,
    /// How many of them led to a correction.
    pub corrections: u64,
}

impl<R: Rule> Live<R> {
    /// A learner of `dim` columns that has seen nothing yet: all weights are 0. `radius` is the `R` of [`Bias::Radius`], of
    /// which other biases take no notice.
    ///
    /// # Errors
    /// [`Error::Empty`] for no columns, [`Error::Allocation`] if there is no memory for the weights, [`Error::Setting`] if a
    /// radius is needed and not given, or is not a number > 0 with a finite square.
    pub fn new(rule: R, dim: usize, bias: Bias, radius: Option<f64>) -> Result<Self> {
        let radius = radius.unwrap_or(f64::NAN);
        if bias == Bias::Radius {
            check_radius(radius)?;
        }
        Self::with_step(rule, dim, bias.step(radius * radius))
    }

    /// As [`Live::new`], given `β`.
    pub(crate) fn with_step(rule: R, dim: usize, bias_step: f64) -> Result<Self> {
        if dim == 0 {
            return Err(Error::Empty { what: "the set of columns" });
        }
        let weights = zeros("the weight vector", dim)?;
        Ok(Self { rule, weights, bias: 0.0, bias_step, seen: 0, corrections: 0 })
    }

    /// Learns from one example, which may have fewer columns than the learner.
    ///
    /// # Errors
    /// [`Error::Length`] for an example with more columns, [`Error::NonFinite`] for a target that is not finite,
    /// [`Error::Numerical`] if the score or the correction is not finite. The learner is then as it was before.
    pub fn learn_one(&mut self, example: &Row<'_>, label: R::Label) -> Result<Met> {
        self.check_dim(example.dim())?;
        check_labels(&[label])?;
        let score = example.dot_dense(&self.weights) + self.bias;
        let corrected = self.is_due(label, score);
        if corrected {
            let norm_squared = if R::USES_NORM { example.norm_squared() } else { 0.0 };
            let factor = self.factor(label, score, norm_squared)?;
            example.add_scaled_to(factor, &mut self.weights);
        }
        self.seen += 1;
        Ok(Met { score: score * self.rule.unit(), corrected })
    }

    /// Learns from a block of examples, one after the other, with the same result as [`Live::learn_one`]
    /// for each. A block may have fewer columns than the learner, and examples of one class only.
    ///
    /// # Errors
    /// [`Error::Length`] for examples with more columns or another number of labels; as [`Live::learn_one`], and then the
    /// learner has learned from the examples before the one that was refused.
    pub fn learn_batch<E: Examples + ?Sized>(
        &mut self,
        examples: &E,
        labels: &[R::Label],
    ) -> Result<MetBlock> {
        self.check_dim(examples.dim())?;
        check_count(labels, examples)?;
        check_labels(labels)?;
        let before = self.corrections;
        let (seen, result) = walk_once(&mut Lessons { live: self, labels }, examples);
        self.seen += seen;
        result?;
        Ok(MetBlock { examples: seen, corrections: self.corrections - before })
    }

    /// What was learned so far.
    ///
    /// # Errors
    /// [`Error::NonFinite`] or [`Error::Numerical`] if a weight has grown beyond all numbers.
    pub fn model(&self) -> Result<Linear> {
        let unit = self.rule.unit();
        Linear::new(self.weights.iter().map(|weight| unit * weight).collect(), unit * self.bias)
    }

    /// The rule of its corrections.
    pub fn rule(&self) -> &R {
        &self.rule
    }

    /// The number of columns.
    pub fn dim(&self) -> usize {
        self.weights.len()
    }

    /// How many examples it has met.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// How many corrections it has made.
    pub fn corrections(&self) -> u64 {
        self.corrections
    }

    /// `β`: a correction by `a·x` moves the bias by `a·β`.
    pub fn bias_step(&self) -> f64 {
        self.bias_step
    }

    #[inline]
    pub(crate) fn is_due(&self, label: R::Label, score: f64) -> bool {
        // Written so that NaN is looked at more closely.
        !(label.value() * score > self.rule.margin())
    }

    /// Moves the bias and counts the correction; the factor by which the example is added to the weights.
    fn factor(&mut self, label: R::Label, score: f64, norm_squared: f64) -> Result<f64> {
        let meeting = Meeting {
            score,
            label: label.value(),
            norm_squared: if R::USES_NORM { norm_squared + self.bias_step } else { 0.0 },
            correction: self.corrections + 1,
        };
        let factor = self.rule.factor(&meeting);
        let bias = self.bias + factor * self.bias_step;
        if !(score.is_finite() && factor.is_finite() && bias.is_finite()) {
            return Err(Error::Numerical { what: "a correction (rescale the examples)" });
        }
        (self.bias, self.corrections) = (bias, self.corrections + 1);
        Ok(factor)
    }

    fn check_dim(&self, found: usize) -> Result<()> {
        let expected = self.weights.len();
        if found <= expected { Ok(()) } else { Err(Error::Length { what: "an example", expected, found }) }
    }
}

/// A live learner and the labels of a set.
#[derive(Debug)]
pub(crate) struct Lessons<'a, R: Rule> {
    pub(crate) live: &'a mut Live<R>,
    pub(crate) labels: &'a [R::Label],
}

impl<R: Rule> Lessons<'_, R> {
    /// Corrects; the factor by which the example was added to the weights.
    pub(crate) fn corrected<E: Examples + ?Sized>(
        &mut self,
        examples: &E,
        row: usize,
        score: f64,
    ) -> Result<f64> {
        let norm_squared = if R::USES_NORM { examples.norm_squared(row) } else { 0.0 };
        let factor = self.live.factor(self.labels[row], score, norm_squared)?;
        examples.add_scaled(row, factor, &mut self.live.weights);
        Ok(factor)
    }
}

impl<E: Examples + ?Sized, R: Rule> Procedure<E> for Lessons<'_, R> {
    #[inline]
    fn scores(&self, examples: &E, rows: Range<usize>, out: &mut [f64]) {
        examples.dots(rows, &self.live.weights, out);
        out.iter_mut().for_each(|score| *score += self.live.bias);
    }

    #[inline]
    fn scores_at(&self, examples: &E, rows: &[u32], out: &mut [f64]) {
        examples.dots_at(rows, &self.live.weights, out);
        out.iter_mut().for_each(|score| *score += self.live.bias);
    }

    #[inline]
    fn is_due(&self, row: usize, score: f64) -> bool {
        self.live.is_due(self.labels[row], score)
    }

    fn correct(&mut self, examples: &E, row: usize, score: f64, _: u64) -> Result<()> {
        self.corrected(examples, row, score).map(drop)
    }
}

/// Something that takes note of corrections.
pub(crate) trait Witness<E: ?Sized, R: Rule> {
    /// Sees the learner before a correction; `seen` examples were met before the one to be corrected.
    fn before(&mut self, learner: &Live<R>, examples: &E, seen: u64) -> Result<()> {
        let _ = (learner, examples, seen);
        Ok(())
    }

    /// Hears that an example was added by a factor.
    fn after(
        &mut self,
        learner: &Live<R>,
        examples: &E,
        (row, factor): (usize, f64),
        seen: u64,
    ) -> Result<()> {
        let _ = (learner, examples, row, factor, seen);
        Ok(())
    }

    /// As [`Procedure::ends`].
    fn ends(&mut self, learner: &Live<R>, corrections: u64) -> Result<bool> {
        let _ = learner;
        Ok(corrections == 0)
    }

    /// As [`Procedure::progress`].
    fn progress(&self, corrections: u64) -> f64 {
        corrections as f64
    }
}

/// Lessons before a witness.
pub(crate) struct Watched<'a, R: Rule, W> {
    pub(crate) lessons: Lessons<'a, R>,
    pub(crate) witness: W,
}

impl<E: Examples + ?Sized, R: Rule, W: Witness<E, R>> Procedure<E> for Watched<'_, R, W> {
    #[inline]
    fn scores(&self, examples: &E, rows: Range<usize>, out: &mut [f64]) {
        self.lessons.scores(examples, rows, out);
    }

    #[inline]
    fn scores_at(&self, examples: &E, rows: &[u32], out: &mut [f64]) {
        self.lessons.scores_at(examples, rows, out);
    }

    #[inline]
    fn is_due(&self, row: usize, score: f64) -> bool {
        self.lessons.live.is_due(self.lessons.labels[row], score)
    }

    fn correct(&mut self, examples: &E, row: usize, score: f64, seen: u64) -> Result<()> {
        self.witness.before(self.lessons.live, examples, seen)?;
        let factor = self.lessons.corrected(examples, row, score)?;
        self.witness.after(self.lessons.live, examples, (row, factor), seen)
    }

    fn ends(&mut self, corrections: u64) -> Result<bool> {
        self.witness.ends(self.lessons.live, corrections)
    }

    fn progress(&self, corrections: u64) -> f64 {
        self.witness.progress(corrections)
    }
}

/// What a decoder reads before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Stored<R> {
    rule: R,
    #[serde(with = "lm_core::serde_array")]
    weights: Vec<f64>,
    bias: f64,
    bias_step: f64,
    seen: u64,
    corrections: u64,
}

#[cfg(feature = "serde")]
impl<R> TryFrom<Stored<R>> for Live<R> {
    type Error = Error;

    fn try_from(stored: Stored<R>) -> Result<Self> {
        let Stored { rule, weights, bias, bias_step, seen, corrections } = stored;
        // The constructor of a linear function checks that there are weights and that all numbers are finite.
        let function = Linear::new(weights, bias)?;
        if !(bias_step >= 0.0 && bias_step.is_finite()) || corrections > seen {
            return Err(Error::Numerical { what: "the state of a live learner" });
        }
        Ok(Self { rule, weights: function.weights().to_vec(), bias, bias_step, seen, corrections })
    }
}

#[cfg(feature = "persist")]
impl<R: Rule + lm_core::persist::Persist> lm_core::persist::Persist for Live<R> {
    const KIND: &'static str = "live";
    const VERSION: u16 = 1;

    fn describe(path: &mut lm_core::persist::KindPath) {
        path.push::<Self>();
        R::describe(path);
    }
}
