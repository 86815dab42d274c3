//! Balanced Winnow: weights that grow and shrink by factors.
//!
//! # Problem
//! ```text
//! find w and b with  yᵢ (⟨w·xᵢ⟩ + b) > 0  for every i ,
//! ```
//! where most attributes are irrelevant.
//! # Method
//! Two positive weights for each attribute, `w = a⁺ − a⁻`. At a mistake `a⁺` is multiplied by `α^(y·x)` and `a⁻` by
//! `α^(−y·x)`, attribute by attribute. So with `v ← v + y·x`, the perceptron's own sum,
//!
//! ```text
//! wₖ = αᵛᵏ − α⁻ᵛᵏ = 2 sinh(vₖ·ln α)
//! ```
//!
//! The exponents `v` are what is kept. Weights that would outgrow the numbers share a factor `e⁻ˢ`, which changes no sign.
//! The bias is the weight of a constant attribute `√β`.
//! # Cost
//! An inner product for each visit, and an exponential for each entry of a corrected example. With `d` attributes in
//! `[−1, 1]` of which few matter, the mistakes grow with `ln d`, those of the perceptron with `d`.
//! # Reference
//! Littlestone (1988), *Learning quickly when irrelevant attributes abound*; Duda, Hart & Stork (2001), §5.5.3, algorithm 7.

use std::ops::Range;

use lm_core::{
    BinaryLabels, Control, Error, Examples, Fit, Learner, Linear, Result, Row, Sign, Stop, TrainingSet,
};

use crate::fit::{Course, bias_step};
use crate::memory::zeros;
use crate::passes::{Procedure, walk_once};
use crate::rule::check_count;
use crate::winnow_trace::WinnowTrace;
use crate::words::{Walk, setters};
use crate::{Bias, Met, MetBlock};

/// The settings of balanced Winnow.
///
/// ```
/// use lm_core::{Certificate, Hypothesis, Learner, TrainingSet};
/// use lm_data::generate::{Attributes, IrrelevantSettings, irrelevant};
/// use lm_online::{Perceptron, Winnow};
///
/// // 5 of 400 attributes matter.
/// let settings = IrrelevantSettings::default().with_dim(400).with_attributes(Attributes::PlusMinus);
/// let data = irrelevant(&settings, 1)?.data;
/// let winnow = Winnow::default().fit(&data.examples, &data.labels)?.converged()?;
/// let perceptron = Perceptron::default().fit(&data.examples, &data.labels)?.converged()?;
/// assert!(winnow.certificate.journal().corrections() < perceptron.certificate.journal().corrections());
/// assert!(winnow.certificate.verify(&TrainingSet::new(&data.examples, &data.labels)?)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Winnow {
    walk: Walk,
    promotion: f64,
}

impl Default for Winnow {
    fn default() -> Self {
        Self { walk: Walk::new(1_000, Bias::Standard), promotion: 1.1 }
    }
}

impl Winnow {
    setters! { passes = "1000", order, bias = "Standard", radius }

    /// `α`, by which weights grow at a mistake, for an attribute of 1. Above 1, at most 10⁶; default 1.1.
    #[must_use]
    pub fn with_promotion(self, promotion: f64) -> Self {
        Self { promotion, ..self }
    }

    /// A learner that takes examples as they come, without end.
    ///
    /// # Errors
    /// [`Error::Empty`] for no columns, [`Error::Setting`] for a setting outside its domain, or if [`Bias::Radius`] needs a
    /// radius that is not given.
    pub fn live(&self, dim: usize) -> Result<LiveWinnow> {
        self.validate()?;
        let radius = self.walk.radius.unwrap_or(f64::NAN);
        if self.walk.bias == Bias::Radius {
            crate::words::check_radius(radius)?;
        }
        LiveWinnow::new(
            self.promotion,
            zeros("the weight vector", dim)?,
            self.walk.bias.step(radius * radius),
        )
    }

    fn validate(&self) -> Result<()> {
        self.walk.validate()?;
        check_promotion(self.promotion)
    }
}

fn check_promotion(promotion: f64) -> Result<()> {
    if promotion > 1.0 && promotion <= 1e6 {
        return Ok(());
    }
    Err(Error::Setting { name: "promotion", value: promotion, accepted: "above 1, at most 1e6" })
}

impl<E: Examples + ?Sized> Learner<E, BinaryLabels> for Winnow {
    type Model = Linear;
    type Certificate = WinnowTrace;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, E, BinaryLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<Linear, WinnowTrace>> {
        self.validate()?;
        let examples = set.examples();
        let mut course = Course::start(&self.walk, set, control)?;
        let step = bias_step(&self.walk, examples, &course.visits)?;
        let mut live = LiveWinnow::new(self.promotion, zeros("the weight vector", examples.dim())?, step)?;
        let stop = course.run(&mut Lessons { live: &mut live, labels: set.labels().signs() }, examples)?;
        let certificate = WinnowTrace {
            promotion: self.promotion,
            bias: self.walk.bias,
            radius: self.walk.radius,
            bias_step: step,
            separates: stop == Stop::Converged && !course.journal.is_cut(),
            journal: course.journal,
        };
        Ok(Fit { model: live.model()?, report: course.meter.report(stop, None), certificate })
    }
}

/// Balanced Winnow that takes examples as they come: see [`Live`](crate::Live), whose methods it has.
///
/// ```
/// use lm_core::{Dense, Examples, Sign};
/// use lm_online::{Bias, Winnow};
///
/// let mut learner = Winnow::default().with_promotion(2.0).with_bias(Bias::None).live(2)?;
/// let example = Dense::new(vec![1.0, -1.0], 1, 2)?;
/// assert!(learner.learn_one(&example.row(0), Sign::Positive)?.corrected);
/// // 2 − ½ and ½ − 2.
/// let weights = learner.model()?.weights().to_vec();
/// assert!((weights[0] - 1.5).abs() < 1e-15 && (weights[1] + 1.5).abs() < 1e-15);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored", into = "Stored"))]
pub struct LiveWinnow {
    promotion: f64,
    /// `v`, and that of the bias.
    exponents: Vec<f64>,
    bias_exponent: f64,
    /// `√β`, the attribute that stands for the bias.
    constant: f64,
    /// `s`: weights are kept as `e⁻ˢ` times what they are.
    shift: f64,
    /// Each a function of its exponent and the shift.
    weights: Vec<f64>,
    bias: f64,
    seen: u64,
    corrections: u64,
}

/// The exponent, beyond the shift, at which the shift is raised.
const HIGH: f64 = 600.0;

/// `e⁻ˢ(eᵃ − e⁻ᵃ)`.
#[inline]
fn weight(a: f64, shift: f64) -> f64 {
    ((a.abs() - shift).exp() * -(-2.0 * a.abs()).exp_m1()).copysign(a)
}

impl LiveWinnow {
    fn new(promotion: f64, exponents: Vec<f64>, bias_step: f64) -> Result<Self> {
        if exponents.is_empty() {
            return Err(Error::Empty { what: "the set of columns" });
        }
        let weights = zeros("the weight vector", exponents.len())?;
        Ok(Self {
            promotion,
            exponents,
            bias_exponent: 0.0,
            constant: bias_step.sqrt(),
            shift: 0.0,
            weights,
            bias: 0.0,
            seen: 0,
            corrections: 0,
        })
    }

    /// Learns from one example, which may have fewer columns than the learner.
    ///
    /// # Errors
    /// [`Error::Length`] for an example with more columns, [`Error::Numerical`] if its score or an exponent is not finite.
    pub fn learn_one(&mut self, example: &Row<'_>, label: Sign) -> Result<Met> {
        self.check_dim(example.dim())?;
        let score = example.dot_dense(&self.weights) + self.bias;
        let corrected = is_due(label, score);
        if corrected {
            self.correct(example, label, score)?;
        }
        self.seen += 1;
        Ok(Met { score, corrected })
    }

    /// Learns from a block of examples, one after the other, as [`LiveWinnow::learn_one`] does. A block may have fewer
    /// columns than the learner, and examples of one class only.
    ///
    /// # Errors
    /// [`Error::Length`] for examples with more columns or another number of labels; as [`LiveWinnow::learn_one`], and then
    /// the learner has learned from the examples before the one that was refused.
    pub fn learn_batch<E: Examples + ?Sized>(&mut self, examples: &E, labels: &[Sign]) -> Result<MetBlock> {
        self.check_dim(examples.dim())?;
        check_count(labels, examples)?;
        let before = self.corrections;
        let (seen, result) = walk_once(&mut Lessons { live: self, labels }, examples);
        self.seen += seen;
        result?;
        Ok(MetBlock { examples: seen, corrections: self.corrections - before })
    }

    /// What was learned so far; up to a positive factor, once weights have outgrown the numbers.
    ///
    /// # Errors
    /// [`Error::NonFinite`] or [`Error::Numerical`] if a weight is not finite.
    pub fn model(&self) -> Result<Linear> {
        Linear::new(self.weights.clone(), self.bias)
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

    fn check_dim(&self, found: usize) -> Result<()> {
        let expected = self.weights.len();
        if found <= expected { Ok(()) } else { Err(Error::Length { what: "an example", expected, found }) }
    }

    /// Adds an example to the exponents, and brings the weights of its attributes up to date.
    fn correct(&mut self, example: &Row<'_>, label: Sign, score: f64) -> Result<()> {
        if !score.is_finite() {
            return Err(Error::Numerical { what: "a score of Winnow (rescale the examples)" });
        }
        let (rate, y) = (self.promotion.ln(), label.value());
        example.add_scaled_to(y, &mut self.exponents);
        self.bias_exponent += y * self.constant;
        let mut largest = rate * self.bias_exponent.abs();
        let (exponents, weights, shift) = (&self.exponents, &mut self.weights, self.shift);
        example.for_each(|k, _| {
            let a = rate * exponents[k];
            // Written so that NaN stays.
            largest = if a.abs() <= largest { largest } else { a.abs() };
            weights[k] = weight(a, shift);
        });
        if !largest.is_finite() {
            return Err(Error::Numerical { what: "an exponent of Winnow (rescale the examples)" });
        }
        if largest - self.shift > HIGH {
            self.shift = largest;
            self.recompute();
        }
        self.bias = self.constant * weight(rate * self.bias_exponent, self.shift);
        self.corrections += 1;
        Ok(())
    }

    /// All weights from their exponents.
    fn recompute(&mut self) {
        let (rate, shift) = (self.promotion.ln(), self.shift);
        self.weights.iter_mut().zip(&self.exponents).for_each(|(w, v)| *w = weight(rate * v, shift));
        self.bias = self.constant * weight(rate * self.bias_exponent, shift);
    }
}

#[inline]
fn is_due(label: Sign, score: f64) -> bool {
    !(label.value() * score > 0.0)
}

/// A live learner and the labels of a set.
struct Lessons<'a> {
    live: &'a mut LiveWinnow,
    labels: &'a [Sign],
}

impl<E: Examples + ?Sized> Procedure<E> for Lessons<'_> {
    fn scores(&self, examples: &E, rows: Range<usize>, out: &mut [f64]) {
        examples.dots(rows, &self.live.weights, out);
        out.iter_mut().for_each(|score| *score += self.live.bias);
    }

    fn scores_at(&self, examples: &E, rows: &[u32], out: &mut [f64]) {
        examples.dots_at(rows, &self.live.weights, out);
        out.iter_mut().for_each(|score| *score += self.live.bias);
    }

    fn is_due(&self, row: usize, score: f64) -> bool {
        is_due(self.labels[row], score)
    }

    fn correct(&mut self, examples: &E, row: usize, score: f64, _: u64) -> Result<()> {
        self.live.correct(&examples.row(row), self.labels[row], score)
    }
}

/// A learner as it is kept: weights follow from their exponents, to the last bit.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Stored {
    promotion: f64,
    #[serde(with = "lm_core::serde_array")]
    exponents: Vec<f64>,
    bias_exponent: f64,
    constant: f64,
    shift: f64,
    seen: u64,
    corrections: u64,
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for LiveWinnow {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self> {
        let Stored { promotion, exponents, bias_exponent, constant, shift, seen, corrections } = stored;
        check_promotion(promotion)?;
        let state = [bias_exponent, constant, shift];
        let finite = exponents.iter().chain(&state).all(|value| value.is_finite());
        if !(finite && constant >= 0.0 && shift >= 0.0 && corrections <= seen) {
            return Err(Error::Numerical { what: "the state of a live learner" });
        }
        let fresh = Self::new(promotion, exponents, 0.0)?;
        let mut learner = Self { bias_exponent, constant, shift, seen, corrections, ..fresh };
        learner.recompute();
        learner.model()?;
        Ok(learner)
    }
}

#[cfg(feature = "serde")]
impl From<LiveWinnow> for Stored {
    fn from(learner: LiveWinnow) -> Self {
        let LiveWinnow { promotion, exponents, bias_exponent, constant, shift, seen, corrections, .. } =
            learner;
        Self { promotion, exponents, bias_exponent, constant, shift, seen, corrections }
    }
}

crate::words::kind!(LiveWinnow, "live-winnow");

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::{Certificate, Dense};

    /// Algorithm 7 as it is printed: two vectors of weights, multiplied.
    #[test]
    fn the_exponents_give_the_two_weights_of_the_textbook() {
        let values: Vec<f64> = (0..120).map(|k| f64::from(k * 37 % 3) - 1.0).collect();
        let examples = Dense::new(values, 30, 4).unwrap();
        let alpha = 1.3_f64;
        let mut live = Winnow::default().with_promotion(alpha).with_bias(Bias::None).live(4).unwrap();
        let (mut plus, mut minus) = ([1.0; 4], [1.0; 4]);
        for row in 0..30 {
            let (x, y) = (examples.slice(row), if row * 11 % 7 < 3 { 1.0 } else { -1.0 });
            let score: f64 = (0..4).map(|k| (plus[k] - minus[k]) * x[k]).sum();
            let met = live.learn_one(&examples.row(row), Sign::of(y)).unwrap();
            assert!((met.score - score).abs() < 1e-12 * (1.0 + score.abs()));
            if y * met.score <= 0.0 {
                for k in 0..4 {
                    plus[k] *= alpha.powf(y * x[k]);
                    minus[k] *= alpha.powf(-y * x[k]);
                }
            }
        }
        assert!(live.corrections() > 5);
    }

    #[test]
    fn weights_that_outgrow_the_numbers_keep_their_proportions() {
        // The margin is so small that exponents of thousands are needed.
        let examples = Dense::new(vec![1.0, 0.0, 0.999, 0.001, -1.0, 0.002], 3, 2).unwrap();
        let labels = BinaryLabels::from_integers(&[1, -1, 1]).unwrap();
        let learner = Winnow::default().with_promotion(1e6).with_bias(Bias::None).with_passes(3_000);
        let fit = learner.fit(&examples, &labels).unwrap();
        assert!(fit.model.weights().iter().all(|w| w.is_finite()));
        assert!(fit.certificate.verify(&TrainingSet::new(&examples, &labels).unwrap()).unwrap().is_valid());
        assert_eq!(weight(700.0, 0.0).ln(), 700.0);
        assert!((weight(5000.0, 4990.0).ln() - 10.0).abs() < 1e-12);
        assert_eq!(weight(-5000.0, 5000.0), -1.0);
        assert_eq!(weight(0.0, 0.0), 0.0);
    }

    #[test]
    fn a_dimension_without_memory_is_an_error_and_no_panic() {
        for dim in [usize::MAX, isize::MAX as usize / 8] {
            assert!(matches!(Winnow::default().live(dim), Err(Error::Allocation { .. })));
        }
    }

    #[test]
    fn settings_outside_their_domain_are_refused_by_name() {
        for promotion in [1.0, 0.5, f64::NAN, f64::INFINITY] {
            let refused = Winnow::default().with_promotion(promotion).live(3);
            assert!(matches!(refused, Err(Error::Setting { name: "promotion", .. })));
        }
        assert!(matches!(Winnow::default().live(0), Err(Error::Empty { .. })));
        let radius = Winnow::default().with_bias(Bias::Radius).live(1);
        assert!(matches!(radius, Err(Error::Setting { name: "radius", .. })));
    }
}
