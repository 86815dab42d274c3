//! The Widrow–Hoff rule (Adaline, LMS): least squares, one example after the other.
//!
//! # Problem
//! ```text
//! minimise Σ ωᵢ (⟨w·xᵢ⟩ + b − tᵢ)²   over w and b ,   t a real target or a label ±1
//! ```
//! # Method
//! Meeting an example with the score `s = ⟨w·x⟩ + b`,
//!
//! ```text
//! w ← w + η(k)·(t − s)·x ,   b ← b + η(k)·(t − s)·β
//! ```
//!
//! With a constant rate the function circles about the least squares solution at a distance that grows with the rate; with
//! the default rate, `1/(p·(R² + β))` in pass `p`, it comes to rest there. The run ends when what is left of the gradient
//! is small; it is looked at after passes 1, 2, 4, 8, … and, once it is near, after every pass.
//! # Cost
//! An inner product and an addition of an example for each visit; as much again for a look at the gradient.
//! # Reference
//! Widrow & Hoff (1960); Cristianini & Shawe-Taylor (2000), Table 2.3; Duda, Hart & Stork (2001), §5.8.4, algorithm 10.

use lm_core::{
    BinaryLabels, Control, Error, Examples, Fit, Labelling, Learner, Linear, Result, Stop, Targets,
    TrainingSet,
};

use crate::augmented::norm;
use crate::fit::{Course, bias_step, radius_squared};
use crate::journal::Journal;
use crate::live::{Lessons, Live, Watched, Witness};
use crate::rule::{Meeting, Rule};
use crate::visits::Visits;
use crate::words::{Walk, check_tolerance, kind, setters};
use crate::{Bias, LeastSquaresCertificate, Schedule, SquaresFigures};

/// The settings of the Widrow–Hoff rule.
///
/// ```
/// use lm_core::{Certificate, Dense, Learner, Targets, TrainingSet};
/// use lm_online::Lms;
///
/// let examples = Dense::new(vec![-1.0, 0.0, 1.0, 2.0], 4, 1)?;
/// let targets = Targets::new(vec![-1.0, 1.0, 3.0, 5.0])?; // 1 + 2x
/// let fit = Lms::default().fit(&examples, &targets)?.converged()?;
/// assert!((fit.model.weights()[0] - 2.0).abs() < 1e-2 && (fit.model.bias() - 1.0).abs() < 1e-2);
/// assert!(fit.certificate.verify(&TrainingSet::new(&examples, &targets)?)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lms {
    walk: Walk,
    schedule: Option<Schedule>,
    tolerance: f64,
}

impl Default for Lms {
    fn default() -> Self {
        Self { walk: Walk::new(1_000, Bias::Standard), schedule: None, tolerance: 1e-3 }
    }
}

impl Lms {
    setters! {
        passes = "1000", order, bias = "Standard",
        tolerance = "What may be left of the norm of the gradient at zero. At least 0, below 1; default 0.001.",
    }

    /// Takes its rates from a schedule, `k` counting visits. Default: `1/(p·(R² + β))` in pass `p`, with the largest norm `R`
    /// of an example. A live learner, which has no passes, must be given one. A rate of `2/(R² + β)` or more diverges, and is
    /// an error then.
    #[must_use]
    pub fn with_schedule(self, schedule: Schedule) -> Self {
        Self { schedule: Some(schedule), ..self }
    }

    /// A learner that takes examples as they come, without end. Labels ±1 are given as numbers.
    ///
    /// # Errors
    /// As [`Live::new`]; [`Error::Setting`] for a setting outside its domain, and without a schedule.
    pub fn live(&self, dim: usize) -> Result<Live<LmsRule>> {
        self.validate()?;
        let Some(schedule) = self.schedule else {
            let accepted = "the learning rate of each visit, for a live learner";
            return Err(Error::Setting { name: "schedule", value: f64::NAN, accepted });
        };
        Live::new(LmsRule(Rate::Scheduled(schedule)), dim, self.walk.bias, self.walk.radius)
    }

    fn validate(&self) -> Result<()> {
        self.walk.validate()?;
        check_tolerance(self.tolerance)
    }

    /// The rule for a set of examples.
    fn rule<E: Examples + ?Sized>(&self, examples: &E, visits: &Visits, step: f64) -> Result<LmsRule> {
        if let Some(schedule) = self.schedule {
            return Ok(LmsRule(Rate::Scheduled(schedule)));
        }
        let largest = radius_squared(examples, visits)? + step;
        // Examples that are all zero are right or cannot be helped: any rate will do.
        let first = if largest > 0.0 { 1.0 / largest } else { 1.0 };
        let visits = (0..examples.len()).map(|row| u64::from(visits.to(row))).sum();
        LmsRule(Rate::ByPass { first, visits }).checked()
    }

    fn run<E: Examples + ?Sized, L: Labelling>(
        &self,
        set: &TrainingSet<'_, E, L>,
        targets: &[f64],
        control: &Control<'_>,
    ) -> Result<Fit<Linear, LeastSquaresCertificate>> {
        self.validate()?;
        let examples = set.examples();
        let mut course = Course::start(&self.walk, set, control)?;
        // Every visit is a correction: there is nothing to take note of.
        course.journal = Journal::new(self.walk.order, set.len(), 0);
        let step = bias_step(&self.walk, examples, &course.visits)?;
        let mut live = Live::with_step(self.rule(examples, &course.visits, step)?, examples.dim(), step)?;
        let visits = course.visits.clone();
        let witness = Squares::new(examples, targets, &visits, &live, self.tolerance)?;
        let mut watched = Watched { lessons: Lessons { live: &mut live, labels: targets }, witness };
        let stop = course.run(&mut watched, examples)?;
        let mut squares = watched.witness;
        let figures = squares.look(&live)?;
        let reached = stop == Stop::Iterations && figures.relative_gradient() <= self.tolerance;
        let stop = if reached { Stop::Converged } else { stop };
        let model = live.model()?;
        let certificate = LeastSquaresCertificate { function: model.clone(), bias: self.walk.bias, figures };
        Ok(Fit { model, report: course.meter.report(stop, None), certificate })
    }
}

macro_rules! learner {
    ($labels:ty, |$given:ident| $targets:expr) => {
        impl<E: Examples + ?Sized> Learner<E, $labels> for Lms {
            type Model = Linear;
            type Certificate = LeastSquaresCertificate;

            fn fit_with(
                &self,
                set: &TrainingSet<'_, E, $labels>,
                control: &Control<'_>,
            ) -> Result<Fit<Linear, LeastSquaresCertificate>> {
                let $given = set.labels();
                self.run(set, &$targets[..], control)
            }
        }
    };
}

learner!(Targets, |targets| targets.values());
learner!(BinaryLabels, |labels| labels.values());

/// The rule of Widrow and Hoff: `a = η(k)·(t − s)`, always.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Rate", into = "Rate"))]
pub struct LmsRule(Rate);

#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Rate {
    /// A rate for each visit.
    Scheduled(Schedule),
    /// `first/p` in pass `p`, of so many visits.
    ByPass { first: f64, visits: u64 },
}

impl LmsRule {
    fn checked(self) -> Result<Self> {
        match self.0 {
            Rate::ByPass { first, visits } if !(first > 0.0 && first.is_finite() && visits > 0) => {
                Err(Error::Numerical { what: "the learning rate (rescale the examples)" })
            }
            _ => Ok(self),
        }
    }
}

impl TryFrom<Rate> for LmsRule {
    type Error = Error;

    fn try_from(rate: Rate) -> Result<Self> {
        Self(rate).checked()
    }
}

impl From<LmsRule> for Rate {
    fn from(rule: LmsRule) -> Self {
        rule.0
    }
}

impl Rule for LmsRule {
    type Label = f64;

    #[inline]
    fn margin(&self) -> f64 {
        f64::INFINITY
    }

    #[inline]
    fn factor(&self, meeting: &Meeting) -> f64 {
        let rate = match self.0 {
            Rate::Scheduled(schedule) => schedule.rate(meeting.correction),
            Rate::ByPass { first, visits } => first / ((meeting.correction - 1) / visits + 1) as f64,
        };
        rate * (meeting.label - meeting.score)
    }
}

kind!(LmsRule, "lms-rule");

/// What looks at the gradient.
struct Squares<'a, E: ?Sized> {
    examples: &'a E,
    visits: &'a Visits,
    targets: &'a [f64],
    gradient: Vec<f64>,
    initial_norm: f64,
    tolerance: f64,
    passes: u64,
    /// What was left of the gradient at the last look, as a share.
    left: f64,
}

impl<'a, E: Examples + ?Sized> Squares<'a, E> {
    fn new(
        examples: &'a E,
        targets: &'a [f64],
        visits: &'a Visits,
        learner: &Live<LmsRule>,
        tolerance: f64,
    ) -> Result<Self> {
        let gradient = vec![0.0; examples.dim()];
        let mut squares =
            Self { examples, visits, targets, gradient, initial_norm: 0.0, tolerance, passes: 0, left: 1.0 };
        squares.initial_norm = squares.look(learner)?.gradient_norm;
        Ok(squares)
    }

    /// The sum of squares and its gradient at the present function.
    fn look(&mut self, learner: &Live<LmsRule>) -> Result<SquaresFigures> {
        const BLOCK: usize = 64;
        let (function, targets) = (learner.model()?, self.targets);
        let (mut scores, mut sum, mut bias) = ([0.0; BLOCK], 0.0, 0.0);
        self.gradient.fill(0.0);
        for start in (0..targets.len()).step_by(BLOCK) {
            let end = targets.len().min(start + BLOCK);
            self.examples.dots(start..end, function.weights(), &mut scores[..end - start]);
            for (row, score) in (start..end).zip(scores) {
                let visits = f64::from(self.visits.to(row));
                if visits > 0.0 {
                    let residual = score + function.bias() - targets[row];
                    sum += visits * residual * residual;
                    bias += visits * residual;
                    self.examples.add_scaled(row, visits * residual, &mut self.gradient);
                }
            }
        }
        let gradient_norm = norm(&self.gradient).hypot(learner.bias_step().sqrt() * bias);
        if sum.is_finite() && gradient_norm.is_finite() {
            Ok(SquaresFigures { sum_of_squares: sum, gradient_norm, initial_norm: self.initial_norm })
        } else {
            Err(Error::Numerical {
                what: "the sum of squares (lower the learning rate or rescale the examples)",
            })
        }
    }
}

impl<E: Examples + ?Sized> Witness<E, LmsRule> for Squares<'_, E> {
    fn ends(&mut self, learner: &Live<LmsRule>, _: u64) -> Result<bool> {
        self.passes += 1;
        if self.passes.is_power_of_two() || self.left <= 10.0 * self.tolerance {
            self.left = self.look(learner)?.relative_gradient();
        }
        Ok(self.left <= self.tolerance)
    }

    fn progress(&self, _: u64) -> f64 {
        self.left
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::{Dense, Examples};

    #[test]
    fn a_step_by_hand() {
        let mut live = Lms::default().with_schedule(Schedule::constant(0.1).unwrap()).live(2).unwrap();
        let examples = Dense::new(vec![1.0, 2.0, 3.0, 0.0], 2, 2).unwrap();
        // w = 0.1·5·(1, 2), b = 0.5; then s = 1.5 + 0.5 = 2 and the step is 0.1·(1 − 2).
        assert!(live.learn_one(&examples.row(0), 5.0).unwrap().corrected);
        let met = live.learn_one(&examples.row(1), 1.0).unwrap();
        assert_eq!(met.score, 2.0);
        let model = live.model().unwrap();
        let expected = [0.5 - 0.3, 1.0, 0.5 - 0.1];
        let found = [model.weights()[0], model.weights()[1], model.bias()];
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{found:?}");
        assert!(matches!(live.learn_one(&examples.row(0), f64::NAN), Err(Error::NonFinite { .. })));
        assert_eq!(live.seen(), 2);
    }

    #[test]
    fn a_rate_that_diverges_is_an_error_and_a_missing_one_is_named() {
        let examples = Dense::new(vec![1.0, -2.0, 3.0, 4.0], 4, 1).unwrap();
        let targets = Targets::new(vec![1.0, 2.0, 3.0, -4.0]).unwrap();
        let diverging = Lms::default().with_schedule(Schedule::constant(10.0).unwrap());
        assert!(matches!(
            diverging.fit(&examples, &targets),
            Err(Error::Numerical { .. } | Error::NonFinite { .. })
        ));
        assert!(matches!(Lms::default().live(1), Err(Error::Setting { name: "schedule", .. })));
        let refused = Lms::default().with_tolerance(f64::NAN).fit(&examples, &targets);
        assert!(matches!(refused, Err(Error::Setting { name: "tolerance", .. })));
    }
}
