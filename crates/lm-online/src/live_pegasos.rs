//! Pegasos on a stream: a learner that is fed example by example, kept, and continued.

use lm_core::{Error, Examples, Linear, Result, Row, Sign};

use crate::averaging::{Averaging, Clock, Sums};
use crate::pace::{Options, Pace, Step};
use crate::rule::check_count;

/// Pegasos that learns from one example after the other, however many there will be.
///
/// It goes down the mean over the stream of `λ/2 ‖w‖² + max(0, 1 − y(⟨w·x⟩ + b))`: see [`Pegasos`](crate::Pegasos) for
/// the step. An example costs its stored entries, the learner `2d` numbers. Saved, loaded and continued, it has the same
/// bits as if it had never stopped.
///
/// ```
/// use lm_core::{Dense, Hypothesis, Sign};
/// use lm_online::LivePegasos;
///
/// let mut learner = LivePegasos::new(1, 0.01)?;
/// let block = Dense::new(vec![-2.0, 3.0, -1.0, 2.0], 4, 1)?;
/// let labels = [Sign::Negative, Sign::Positive, Sign::Negative, Sign::Positive];
/// for _ in 0..50 {
///     learner.learn_batch(&block, &labels)?;
/// }
/// assert_eq!(learner.seen(), 200);
/// assert_eq!(learner.model()?.signs(&block)?, labels);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored"))]
pub struct LivePegasos {
    pace: Pace,
    weights: Sums,
}

impl LivePegasos {
    /// A learner of examples with at most `dim` columns that penalises `λ/2 ‖w‖²`. It has a bias, does not project, and
    /// averages late iterates.
    ///
    /// # Errors
    /// [`Error::Empty`] without columns, [`Error::Setting`] unless `λ` is finite and positive, [`Error::Allocation`] if
    /// there is no room for the weights.
    pub fn new(dim: usize, lambda: f64) -> Result<Self> {
        let options = Options { biased: true, projected: false };
        Self::with_options(dim, lambda, options, Averaging::default())
    }

    pub(crate) fn with_options(
        dim: usize,
        lambda: f64,
        options: Options,
        averaging: Averaging,
    ) -> Result<Self> {
        if dim == 0 {
            return Err(Error::Empty { what: "the set of columns" });
        }
        let pace = Pace::new(lambda, options, averaging)?;
        let needed = dim.saturating_mul(2 * size_of::<f64>());
        let refused = Error::Allocation { what: "the weights of the learner", needed };
        Vec::<f64>::new().try_reserve_exact(dim.saturating_mul(2)).map_err(|_| refused)?;
        Ok(Self { pace, weights: Sums::new(dim) })
    }

    /// Learns without a bias: every hyperplane goes through the origin. Only before the first example.
    ///
    /// # Errors
    /// [`Error::Setting`] after the first example.
    pub fn without_bias(self) -> Result<Self> {
        let options = Options { biased: false, ..self.pace.options() };
        self.unstarted("without_bias", options, self.clock().averaging())
    }

    /// Projects every iterate into the ball `‖w‖ ≤ 1/√λ`, which holds the optimum. Only before the first example.
    ///
    /// # Errors
    /// [`Error::Setting`] after the first example.
    pub fn with_projection(self) -> Result<Self> {
        let options = Options { projected: true, ..self.pace.options() };
        self.unstarted("with_projection", options, self.clock().averaging())
    }

    /// Which iterates make the model; default [`Averaging::Late`]. Only before the first example.
    ///
    /// # Errors
    /// [`Error::Setting`] after the first example.
    pub fn with_averaging(self, averaging: Averaging) -> Result<Self> {
        self.unstarted("with_averaging", self.pace.options(), averaging)
    }

    fn unstarted(&self, name: &'static str, options: Options, averaging: Averaging) -> Result<Self> {
        if self.seen() > 0 {
            let accepted = "to be set before the first example is learned";
            return Err(Error::Setting { name, value: self.seen() as f64, accepted });
        }
        Self::with_options(self.weights.now.len(), self.lambda(), options, averaging)
    }

    /// Learns from one example; true if it was short of the margin 1 and so corrected the weights.
    ///
    /// # Errors
    /// [`Error::Length`] for more columns than the learner has, [`Error::Numerical`] if a score or a correction is not
    /// finite. The learner is then as it was.
    pub fn learn_one(&mut self, example: &Row<'_>, label: Sign) -> Result<bool> {
        self.check_columns(example.dim())?;
        let step = self.step(example, label.value(), 1.0)?;
        Ok(step.correction.is_some())
    }

    /// Learns from some examples in the order given, and counts those that corrected the weights. They may all be of one
    /// class, and have fewer columns than the learner.
    ///
    /// # Errors
    /// As [`LivePegasos::learn_one`], and [`Error::Length`] unless there are as many labels as examples. Examples before
    /// the one that is refused are learned.
    pub fn learn_batch<E: Examples + ?Sized>(&mut self, examples: &E, labels: &[Sign]) -> Result<u64> {
        check_count(labels, examples)?;
        self.check_columns(examples.dim())?;
        let before = self.corrections();
        for (row, label) in labels.iter().enumerate() {
            self.step(&examples.row(row), label.value(), 1.0)?;
        }
        Ok(self.corrections() - before)
    }

    /// The function learned so far.
    ///
    /// # Errors
    /// [`Error::NonFinite`] or [`Error::Numerical`] if a weight has overflowed.
    pub fn model(&self) -> Result<Linear> {
        Linear::new(self.weights.output(self.clock()), self.output_bias())
    }

    /// The number of examples learned from.
    pub fn seen(&self) -> u64 {
        self.clock().steps()
    }

    /// How many of them corrected the weights.
    pub fn corrections(&self) -> u64 {
        self.pace.corrections()
    }

    /// The penalty `λ`.
    pub fn lambda(&self) -> f64 {
        self.pace.lambda()
    }

    pub(crate) fn clock(&self) -> &Clock {
        self.pace.clock()
    }

    pub(crate) fn output_bias(&self) -> f64 {
        self.pace.output_bias()
    }

    fn check_columns(&self, found: usize) -> Result<()> {
        let limit = self.weights.now.len();
        if found <= limit {
            Ok(())
        } else {
            Err(Error::TooLarge { what: "the number of columns", size: found, limit })
        }
    }

    /// One step with an example whose loss counts `factor` times.
    pub(crate) fn step(&mut self, example: &Row<'_>, sign: f64, factor: f64) -> Result<Step> {
        let raw = example.dot_dense(&self.weights.now);
        let step = self.pace.step(raw, || example.norm_squared(), sign, factor)?;
        if let Some(correction) = step.correction {
            let delta = sign * correction.delta;
            example.add_scaled_to(delta, &mut self.weights.now);
            if correction.mass != 0.0 {
                example.add_scaled_to(delta * correction.mass, &mut self.weights.lagged);
            }
        }
        if let Some(rescale) = step.rescale {
            self.weights.rescale(rescale);
        }
        Ok(step)
    }
}

/// A learner as it is kept: every decoder validates.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Stored {
    pace: Pace,
    weights: Sums,
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for LivePegasos {
    type Error = Error;

    fn try_from(Stored { pace, weights }: Stored) -> Result<Self> {
        pace.check()?;
        if weights.now.is_empty() {
            return Err(Error::Empty { what: "the set of columns" });
        }
        if weights.lagged.len() != weights.now.len() {
            let (expected, found) = (weights.now.len(), weights.lagged.len());
            return Err(Error::Length { what: "the lagged weights", expected, found });
        }
        for list in [&weights.now, &weights.lagged] {
            if let Some(row) = list.iter().position(|value| !value.is_finite()) {
                return Err(Error::NonFinite { what: "weight", row, column: None });
            }
        }
        Ok(Self { pace, weights })
    }
}

#[cfg(feature = "persist")]
impl lm_core::persist::Persist for LivePegasos {
    const KIND: &'static str = "live-pegasos";
    const VERSION: u16 = 1;
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::testing::SplitMix64;
    use lm_core::{Csr, Dense};

    fn stream(seed: u64, len: usize) -> (Dense<'static>, Vec<Sign>) {
        let mut random = SplitMix64::new(seed);
        let values: Vec<f64> = (0..len * 3).map(|_| random.uniform(-1.0, 1.0)).collect();
        let labels = values.chunks_exact(3).map(|x| Sign::of(x[0] - 0.5 * x[1] + 0.2)).collect();
        (Dense::new(values, len, 3).unwrap(), labels)
    }

    #[test]
    fn steps_by_hand() {
        // λ = ½: the first step makes w = x/λ, b = 1.
        let mut learner = LivePegasos::new(1, 0.5).unwrap().with_averaging(Averaging::Last).unwrap();
        assert!(learner.learn_one(&Row::DenseF64(&[1.0]), Sign::Positive).unwrap());
        assert_eq!(learner.model().unwrap(), Linear::new(vec![2.0], 1.0).unwrap());
        // Score 3 is beyond the margin: w shrinks to (1 − ½)·2.
        assert!(!learner.learn_one(&Row::DenseF64(&[1.0]), Sign::Positive).unwrap());
        assert_eq!(learner.model().unwrap(), Linear::new(vec![1.0], 1.0).unwrap());
        // Score 1 − 2 + … of −2 is −1, on the margin of a negative example: no correction.
        assert!(!learner.learn_one(&Row::DenseF64(&[-2.0]), Sign::Negative).unwrap());
        assert_eq!((learner.seen(), learner.corrections()), (3, 1));
    }

    #[test]
    fn a_projection_keeps_the_weights_in_the_ball() {
        let (examples, labels) = stream(1, 500);
        let mut learner = LivePegasos::new(3, 0.01).unwrap().with_projection().unwrap();
        learner = learner.with_averaging(Averaging::Last).unwrap();
        for (row, label) in labels.iter().enumerate() {
            learner.learn_one(&examples.row(row), *label).unwrap();
            assert!(learner.model().unwrap().norm() <= 10.0 * (1.0 + 1e-12));
        }
        assert!(learner.with_projection().is_err(), "a setting cannot change once learning has begun");
    }

    #[test]
    fn sparse_and_dense_rows_and_fewer_columns_learn_the_same() {
        let (examples, labels) = stream(2, 200);
        let sparse = Csr::from_rows(&examples).unwrap();
        let (mut a, mut b) = (LivePegasos::new(5, 0.1).unwrap(), LivePegasos::new(5, 0.1).unwrap());
        a.learn_batch(&examples, &labels).unwrap();
        b.learn_batch(&sparse, &labels).unwrap();
        let (a, b) = (a.model().unwrap(), b.model().unwrap());
        assert!(a.minus(&b).unwrap().norm() < 1e-12);
        assert_eq!(a.weights()[3..], [0.0, 0.0]);
    }

    #[test]
    fn what_is_refused_leaves_the_learner_as_it_was() {
        let mut learner = LivePegasos::new(2, 0.1).unwrap();
        learner.learn_one(&Row::DenseF64(&[1.0, 2.0]), Sign::Positive).unwrap();
        let before = learner.clone();
        for bad in [[f64::NAN, 1.0], [f64::INFINITY, 0.0], [-1e300, 0.0]] {
            assert!(learner.learn_one(&Row::DenseF64(&bad), Sign::Positive).is_err(), "{bad:?}");
        }
        assert!(learner.learn_one(&Row::DenseF64(&[1.0; 3]), Sign::Positive).is_err());
        let one = Dense::new(vec![1.0, 1.0], 1, 2).unwrap();
        assert!(matches!(learner.learn_batch(&one, &[]), Err(Error::Length { .. })));
        assert_eq!(learner, before);
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-310] {
            assert!(matches!(LivePegasos::new(2, bad), Err(Error::Setting { name: "lambda", .. })));
        }
        assert!(matches!(LivePegasos::new(0, 1.0), Err(Error::Empty { .. })));
        assert!(matches!(LivePegasos::new(usize::MAX / 64, 1.0), Err(Error::Allocation { .. })));
    }

    #[cfg(feature = "persist")]
    #[test]
    fn saved_loaded_and_continued_with_the_same_bits() {
        let (examples, labels) = stream(3, 300);
        let (first, second) = (stream(4, 100), stream(5, 200));
        for projected in [false, true] {
            let fresh = LivePegasos::new(3, 0.02).unwrap();
            let mut whole = if projected { fresh.with_projection().unwrap() } else { fresh };
            whole.learn_batch(&examples, &labels).unwrap();
            let mut kept = lm_core::persist::encode(&whole).unwrap();
            let mut continued: LivePegasos = lm_core::persist::decode(&kept).unwrap();
            for (examples, labels) in [&first, &second] {
                whole.learn_batch(examples, labels).unwrap();
                continued.learn_batch(examples, labels).unwrap();
                kept = lm_core::persist::encode(&continued).unwrap();
                continued = lm_core::persist::decode(&kept).unwrap();
            }
            assert_eq!(kept, lm_core::persist::encode(&whole).unwrap());
        }
    }

    #[cfg(feature = "persist")]
    #[test]
    fn a_decoder_refuses_states_that_cannot_be() {
        let (examples, labels) = stream(6, 50);
        let mut learner = LivePegasos::new(3, 0.02).unwrap();
        learner.learn_batch(&examples, &labels).unwrap();
        let forge = |change: fn(&mut LivePegasos)| {
            let mut forged = learner.clone();
            change(&mut forged);
            lm_core::persist::decode::<LivePegasos>(&lm_core::persist::encode(&forged).unwrap()).is_err()
        };
        assert!(!forge(|_| {}));
        assert!(forge(|learner| learner.weights.now[1] = f64::INFINITY));
        assert!(forge(|learner| learner.weights.lagged.clear()));
        assert!(forge(|learner| learner.weights = Sums::new(0)));
    }
}
