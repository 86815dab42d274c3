//! The pocket perceptron with ratchet: keep the best function met so far.
//!
//! # Problem
//! ```text
//! minimise  #{i : sgn(⟨w·xᵢ⟩ + b) ≠ yᵢ}   over w and b ,
//! ```
//! each example counted as often as its weight says. To find the least number is NP-complete.
//! # Method
//! Run the [perceptron](crate::Perceptron). When a function is about to be corrected that was right for a longer run of
//! visits than the one in the pocket, count its errors on all examples; if they are fewer, it goes into the pocket
//! (the ratchet). A function without errors ends the run.
//! # Cost
//! That of the perceptron, and a pass over the examples for each count. The runs that lead to one grow longer and longer.
//! # Reference
//! Gallant (1990), *Perceptron-based learning algorithms*; Cristianini & Shawe-Taylor (2000), Remark 2.9.

use lm_core::{
    BinaryLabels, Certificate, Control, Discrepancy, Examples, Fit, Learner, Linear, Result, Sign, Stop,
    TrainingSet, Verdict,
};

use crate::fit::Course;
use crate::live::{Lessons, Live, Watched, Witness};
use crate::visits::Visits;
use crate::words::{Walk, setters};
use crate::{Bias, PerceptronRule, Trace};

/// The settings of the pocket perceptron.
///
/// ```
/// use lm_core::{BinaryLabels, Certificate, Dense, Learner, TrainingSet};
/// use lm_online::PocketPerceptron;
///
/// // One example among those of the other class: no hyperplane separates them.
/// let examples = Dense::new(vec![-2.0, -1.5, -1.0, 1.0, 1.2, 2.0, 3.0], 7, 1)?;
/// let labels = BinaryLabels::from_integers(&[-1, -1, -1, 1, -1, 1, 1])?;
/// let fit = PocketPerceptron::default().fit(&examples, &labels)?;
/// assert_eq!(fit.certificate.errors(), 1);
/// assert!(fit.certificate.verify(&TrainingSet::new(&examples, &labels)?)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PocketPerceptron {
    walk: Walk,
}

impl Default for PocketPerceptron {
    fn default() -> Self {
        Self { walk: Walk::new(100, Bias::Standard) }
    }
}

impl PocketPerceptron {
    setters! { passes = "100", order, bias = "Standard", radius }
}

impl<E: Examples + ?Sized> Learner<E, BinaryLabels> for PocketPerceptron {
    type Model = Linear;
    type Certificate = PocketCertificate;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, E, BinaryLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<Linear, PocketCertificate>> {
        self.walk.validate()?;
        let (examples, labels) = (set.examples(), set.labels().signs());
        let mut course = Course::start(&self.walk, set, control)?;
        let mut live = course.learner(PerceptronRule::PLAIN, &self.walk, examples)?;
        // A visit may cost a pass over the examples.
        course.block = 16;
        let visits = course.visits.clone();
        let lessons = Lessons { live: &mut live, labels };
        let witness = Pocket { labels, visits: &visits, held: None, run: 0, since: 0 };
        let mut watched = Watched { lessons, witness };
        let stop = course.run(&mut watched, examples)?;
        let mut pocket = watched.witness;
        // What the run ended with is a candidate like all others; after a clean pass it has no errors.
        if stop == Stop::Converged {
            pocket.run = 0;
        }
        pocket.consider(&live, examples, course.seen)?;
        let end = live.model()?;
        let (model, errors) = match pocket.held {
            Some(held) => held,
            None => {
                let errors = errors(examples, labels, &visits, &end);
                (end.clone(), errors)
            }
        };
        let (report, trace) = course.traced(&live, &self.walk, stop, &end);
        Ok(Fit { certificate: PocketCertificate { trace, function: model.clone(), errors }, model, report })
    }
}

/// What keeps the best function.
struct Pocket<'a> {
    labels: &'a [Sign],
    visits: &'a Visits,
    /// The best function so far, and its errors.
    held: Option<(Linear, u64)>,
    /// For how many visits it was right.
    run: u64,
    /// How many visits lay before the present function.
    since: u64,
}

impl Pocket<'_> {
    /// Puts the present function into the pocket if it is the better one.
    fn consider<E: Examples + ?Sized>(
        &mut self,
        learner: &Live<PerceptronRule>,
        examples: &E,
        seen: u64,
    ) -> Result<()> {
        let run = seen - self.since;
        if run <= self.run {
            return Ok(());
        }
        let function = learner.model()?;
        let errors = errors(examples, self.labels, self.visits, &function);
        if self.held.as_ref().is_none_or(|(_, fewest)| errors < *fewest) {
            (self.held, self.run) = (Some((function, errors)), run);
        }
        Ok(())
    }
}

/// How many visits of a pass a function gets wrong.
fn errors<E: Examples + ?Sized>(examples: &E, labels: &[Sign], visits: &Visits, function: &Linear) -> u64 {
    const BLOCK: usize = 64;
    let mut scores = [0.0; BLOCK];
    let mut errors = 0;
    for start in (0..labels.len()).step_by(BLOCK) {
        let end = labels.len().min(start + BLOCK);
        let scores = &mut scores[..end - start];
        examples.dots(start..end, function.weights(), scores);
        for (row, score) in (start..end).zip(scores) {
            let wrong = Sign::of(*score + function.bias()) != labels[row];
            errors += u64::from(wrong) * u64::from(visits.to(row));
        }
    }
    errors
}

impl<E: Examples + ?Sized> Witness<E, PerceptronRule> for Pocket<'_> {
    fn before(&mut self, learner: &Live<PerceptronRule>, examples: &E, seen: u64) -> Result<()> {
        self.consider(learner, examples, seen)?;
        self.since = seen;
        Ok(())
    }
}

/// The function in the pocket with its number of errors, and the trace of the run that it was met in.
///
/// [`Certificate::verify`] replays the run and counts the errors anew, entry by entry; a score within the rounding error of
/// its sum may fall either way.
#[derive(Debug, Clone, PartialEq)]
pub struct PocketCertificate {
    trace: Trace<PerceptronRule>,
    function: Linear,
    errors: u64,
}

impl PocketCertificate {
    /// How many examples the function gets wrong, each counted as often as its weight says.
    pub fn errors(&self) -> u64 {
        self.errors
    }

    /// The trace of the run.
    pub fn trace(&self) -> &Trace<PerceptronRule> {
        &self.trace
    }
}

impl<E: Examples + ?Sized> Certificate<TrainingSet<'_, E, BinaryLabels>> for PocketCertificate {
    fn verify(&self, set: &TrainingSet<'_, E, BinaryLabels>) -> Result<Verdict> {
        let (examples, visits) = (set.examples(), Visits::of(set)?);
        examples.check_dim("the weight vector", self.function.weights().len())?;
        let (mut surely, mut perhaps) = (0, 0);
        for (row, sign) in set.labels().signs().iter().enumerate() {
            let (mut score, mut size, mut terms) = (self.function.bias(), self.function.bias().abs(), 2.0);
            examples.row(row).for_each(|k, x| {
                let term = self.function.weights()[k] * x;
                (score, size, terms) = (score + term, size + term.abs(), terms + 1.0);
            });
            let (doubt, visits) = (terms * f64::EPSILON * size, u64::from(visits.to(row)));
            surely += if sign.value() * score < -doubt { visits } else { 0 };
            perhaps += if sign.value() * score <= doubt { visits } else { 0 };
        }
        if (surely..=perhaps).contains(&self.errors) {
            return self.trace.verify(set);
        }
        let (what, claimed) = ("the number of errors", self.errors as f64);
        Ok(Verdict::Invalid(Discrepancy { what, claimed, recomputed: surely as f64, row: None }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::Dense;

    #[test]
    fn the_pocket_is_no_worse_than_any_function_of_a_long_run() {
        let values: Vec<f64> = (0..80).map(|k| f64::from(k * 37 % 41) / 10.0 - 2.0).collect();
        let examples = Dense::new(values, 40, 2).unwrap();
        let labels: Vec<i64> =
            (0..40).map(|k| i64::from(examples.slice(k)[0] + 0.3 * (k % 5) as f64 > 0.5)).collect();
        let labels = BinaryLabels::from_integers(&labels).unwrap();
        let set = TrainingSet::new(&examples, &labels).unwrap();
        let mut fewest = u64::MAX;
        for passes in [1, 3, 10, 30, 100] {
            let fit = PocketPerceptron::default().with_passes(passes).fit(&examples, &labels).unwrap();
            let count = errors(&examples, labels.signs(), &Visits::Once, &fit.model);
            assert_eq!(count, fit.certificate.errors());
            assert!(count <= fewest, "a longer run only betters the pocket");
            fewest = count;
            assert!(fit.certificate.verify(&set).unwrap().is_valid());
            let forged = PocketCertificate { errors: count + 1, ..fit.certificate };
            assert!(!forged.verify(&set).unwrap().is_valid());
        }
    }

    #[test]
    fn data_that_can_be_separated_leave_no_error() {
        let examples = Dense::new(vec![-2.0, -1.0, 0.5, 2.0], 4, 1).unwrap();
        let labels = BinaryLabels::from_integers(&[-1, -1, 1, 1]).unwrap();
        let fit = PocketPerceptron::default().fit(&examples, &labels).unwrap().converged().unwrap();
        assert_eq!(fit.certificate.errors(), 0);
    }
}
