//! The voted perceptron: every function that a run goes through has as many votes as visits it survived.
//!
//! # Problem
//! On data that no hyperplane separates the corrections of the [perceptron](crate::Perceptron) never cease; a function that
//! was right for long should count for more than one that was corrected at once.
//! # Method
//! Run the perceptron; the function `fⱼ` between two corrections has a vote for each visit in between. Then
//!
//! ```text
//! g(x) = Σⱼ vⱼ·sgn(fⱼ(x)) / Σⱼ vⱼ
//! ```
//!
//! Neighbouring functions differ by one example, so the model keeps those examples and adds up
//! `fⱼ(x) = fⱼ₋₁(x) + aⱼ(⟨xⱼ·x⟩ + β)`: an inner product for each function, and no weight vector.
//! # Cost
//! That of the perceptron; memory and the cost of a decision grow with the number of corrections.
//! # Reference
//! Freund & Schapire (1999), *Large margin classification using the perceptron algorithm*, Figure 1.

use lm_core::{
    BinaryLabels, Control, Csr, Error, Examples, Fit, Hypothesis, Learner, Linear, Result, Sign, TrainingSet,
};

use crate::fit::Course;
use crate::live::{Lessons, Live, Watched, Witness};
use crate::words::{Walk, setters};
use crate::{Bias, PerceptronRule, Trace};

/// The settings of the voted perceptron.
///
/// The certificate is the trace of the run whose functions vote.
///
/// ```
/// use lm_core::{BinaryLabels, Dense, Hypothesis, Learner};
/// use lm_online::VotedPerceptron;
///
/// // One example among those of the other class: no hyperplane separates them.
/// let examples = Dense::new(vec![-2.0, -1.5, -1.0, 1.0, 1.2, 2.0, 3.0], 7, 1)?;
/// let labels = BinaryLabels::from_integers(&[-1, -1, -1, 1, -1, 1, 1])?;
/// let fit = VotedPerceptron::default().fit(&examples, &labels)?;
/// let signs = fit.model.signs(&examples)?;
/// assert_eq!(signs.iter().zip(labels.signs()).filter(|(a, b)| a != b).count(), 1);
/// assert_eq!(fit.model.functions() as u64, fit.certificate.journal().corrections() + 1);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VotedPerceptron {
    walk: Walk,
}

impl Default for VotedPerceptron {
    fn default() -> Self {
        Self { walk: Walk::new(10, Bias::Radius) }
    }
}

impl VotedPerceptron {
    setters! { passes = "10", order, bias = "Radius", radius }
}

impl<E: Examples + ?Sized> Learner<E, BinaryLabels> for VotedPerceptron {
    type Model = Voted;
    type Certificate = Trace<PerceptronRule>;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, E, BinaryLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<Voted, Trace<PerceptronRule>>> {
        self.walk.validate()?;
        let examples = set.examples();
        let mut course = Course::start(&self.walk, set, control)?;
        let mut live = course.learner(PerceptronRule::PLAIN, &self.walk, examples)?;
        let lessons = Lessons { live: &mut live, labels: set.labels().signs() };
        let limit = course.meter.budget().memory().unwrap_or(usize::MAX);
        let mut voting = Watched { lessons, witness: Voting { list: List::default(), since: 0, limit } };
        let stop = course.run(&mut voting, examples)?;
        let Voting { mut list, since, .. } = voting.witness;
        list.votes.push(course.seen - since);
        let model = Voted::new(
            Csr::new(list.offsets, list.indices, list.values, examples.dim())?,
            list.factors,
            list.votes,
            live.bias_step(),
        )?;
        let (report, certificate) = course.traced(&live, &self.walk, stop, &live.model()?);
        Ok(Fit { model, report, certificate })
    }
}

/// The corrections so far, as rows of a sparse matrix; the first row is empty and stands for the function 0.
struct List {
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
    factors: Vec<f64>,
    votes: Vec<u64>,
}

impl Default for List {
    fn default() -> Self {
        let (indices, values, votes) = (Vec::new(), Vec::new(), Vec::new());
        Self { offsets: vec![0, 0], indices, values, factors: vec![0.0], votes }
    }
}

impl List {
    /// Adds a correction; the memory that the list takes then is at most `limit` bytes.
    fn push(&mut self, example: &lm_core::Row<'_>, factor: f64, votes: u64, limit: usize) -> Result<()> {
        let mut entries = 0;
        example.for_each(|_, value| entries += usize::from(value != 0.0));
        let needed = 12 * (self.values.len() + entries) + 24 * (self.factors.len() + 1);
        if needed > limit {
            return Err(Error::Memory { what: "the list of functions", needed, allowed: limit });
        }
        let allocated = self.indices.try_reserve(entries).and_then(|()| self.values.try_reserve(entries));
        allocated.map_err(|_| Error::Allocation { what: "the list of functions", needed })?;
        example.for_each(|k, value| {
            if value != 0.0 {
                self.indices.push(k as u32);
                self.values.push(value);
            }
        });
        self.offsets.push(self.values.len());
        self.factors.push(factor);
        self.votes.push(votes);
        Ok(())
    }
}

/// What keeps the list of functions.
struct Voting {
    list: List,
    /// How many visits lay before the present function.
    since: u64,
    limit: usize,
}

impl<E: Examples + ?Sized> Witness<E, PerceptronRule> for Voting {
    fn after(
        &mut self,
        _: &Live<PerceptronRule>,
        examples: &E,
        (row, factor): (usize, f64),
        seen: u64,
    ) -> Result<()> {
        self.list.push(&examples.row(row), factor, seen - self.since, self.limit)?;
        self.since = seen;
        Ok(())
    }
}

/// A list of linear functions with votes; decision values lie between −1 and 1.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored", into = "Stored"))]
pub struct Voted {
    /// What each function adds to the one before, and by which factor.
    steps: Csr<'static>,
    factors: Vec<f64>,
    votes: Vec<u64>,
    bias_step: f64,
}

impl Voted {
    fn new(steps: Csr<'static>, factors: Vec<f64>, votes: Vec<u64>, bias_step: f64) -> Result<Self> {
        use lm_core::Collection;
        let expected = steps.len();
        if let Some(found) = [factors.len(), votes.len()].into_iter().find(|&found| found != expected) {
            return Err(Error::Length { what: "the list of functions", expected, found });
        }
        let finite = factors.iter().all(|factor| factor.is_finite());
        let total = votes.iter().try_fold(0_u64, |total, &votes| total.checked_add(votes));
        if finite && bias_step >= 0.0 && bias_step.is_finite() && total.is_some() {
            Ok(Self { steps, factors, votes, bias_step })
        } else {
            Err(Error::Numerical { what: "the list of functions" })
        }
    }

    /// How many functions vote.
    pub fn functions(&self) -> usize {
        self.factors.len()
    }

    /// The votes of each function.
    pub fn votes(&self) -> &[u64] {
        &self.votes
    }

    /// One of the functions.
    ///
    /// # Errors
    /// [`Error::Index`] for one that does not exist, [`Error::NonFinite`] or [`Error::Numerical`] if a weight overflows.
    pub fn function(&self, index: usize) -> Result<Linear> {
        if index >= self.factors.len() {
            return Err(Error::Index { what: "function", index, len: self.factors.len() });
        }
        let (mut weights, mut bias) = (vec![0.0; self.steps.dim()], 0.0);
        for (step, &factor) in self.factors[..=index].iter().enumerate() {
            self.steps.add_scaled(step, factor, &mut weights);
            bias += factor * self.bias_step;
        }
        Linear::new(weights, bias)
    }
}

impl<E: Examples + ?Sized> Hypothesis<E> for Voted {
    fn decision_values_into(&self, set: &E, out: &mut [f64]) -> Result<()> {
        set.check_dim("the weight vector", self.steps.dim())?;
        if out.len() != set.len() {
            let (expected, found) = (set.len(), out.len());
            return Err(Error::Length { what: "the array of decision values", expected, found });
        }
        let (mut example, mut products) = (vec![0.0; self.steps.dim()], vec![0.0; self.factors.len()]);
        let total = self.votes.iter().sum::<u64>().max(1) as f64;
        for (row, out) in out.iter_mut().enumerate() {
            set.row(row).write_to(&mut example);
            self.steps.dots(0..products.len(), &example, &mut products);
            let (mut value, mut sum) = (0.0, 0.0);
            for ((product, factor), &votes) in products.iter().zip(&self.factors).zip(&self.votes) {
                value += factor * (product + self.bias_step);
                sum += votes as f64 * Sign::of(value).value();
            }
            if !value.is_finite() {
                return Err(Error::Numerical { what: "a decision value" });
            }
            *out = sum / total;
        }
        Ok(())
    }
}

/// A list of functions as it is kept.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Stored {
    dim: u64,
    #[serde(with = "lm_core::serde_array")]
    offsets: Vec<u64>,
    #[serde(with = "lm_core::serde_array")]
    indices: Vec<u32>,
    #[serde(with = "lm_core::serde_array")]
    values: Vec<f64>,
    #[serde(with = "lm_core::serde_array")]
    factors: Vec<f64>,
    #[serde(with = "lm_core::serde_array")]
    votes: Vec<u64>,
    bias_step: f64,
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for Voted {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self> {
        let address = |value: u64| {
            let too_large = Error::TooLarge { what: "an offset", size: usize::MAX, limit: usize::MAX };
            usize::try_from(value).map_err(|_| too_large)
        };
        let offsets = stored.offsets.iter().map(|&offset| address(offset)).collect::<Result<_>>()?;
        let steps = Csr::new(offsets, stored.indices, stored.values, address(stored.dim)?)?;
        Self::new(steps, stored.factors, stored.votes, stored.bias_step)
    }
}

#[cfg(feature = "serde")]
impl From<Voted> for Stored {
    fn from(voted: Voted) -> Self {
        let (offsets, indices, values) = voted.steps.parts();
        Self {
            dim: voted.steps.dim() as u64,
            offsets: offsets.iter().map(|&offset| offset as u64).collect(),
            indices: indices.to_vec(),
            values: values.to_vec(),
            factors: voted.factors,
            votes: voted.votes,
            bias_step: voted.bias_step,
        }
    }
}

crate::words::kind!(Voted, "voted");

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::Dense;

    #[test]
    fn votes_are_those_of_the_functions_one_by_one() {
        let values: Vec<f64> = (0..60).map(|k| f64::from(k * 37 % 19) - 9.0).collect();
        let examples = Dense::new(values, 20, 3).unwrap();
        let labels: Vec<i64> = (0..20).map(|k| k * 7 % 3 % 2).collect();
        let labels = BinaryLabels::from_integers(&labels).unwrap();
        let fit = VotedPerceptron::default().with_passes(3).fit(&examples, &labels).unwrap();
        assert_eq!(fit.model.votes().iter().sum::<u64>(), 60);
        let mut sums = vec![0.0; 20];
        for index in 0..fit.model.functions() {
            let function = fit.model.function(index).unwrap();
            for (sum, sign) in sums.iter_mut().zip(function.signs(&examples).unwrap()) {
                *sum += fit.model.votes()[index] as f64 * sign.value() / 60.0;
            }
        }
        let found = fit.model.decision_values(&examples).unwrap();
        assert!(sums.iter().zip(&found).all(|(a, b)| (a - b).abs() < 1e-12), "{sums:?} {found:?}");
        assert!(fit.model.function(fit.model.functions()).is_err());
    }
}
