//! Least squares: the linear function whose squared errors are smallest, to the last digit.
//!
//! ```text
//! minimise Σ ωᵢ (⟨w·xᵢ⟩ + b − tᵢ)²   over w and b
//! ```
//!
//! Which way a problem is solved depends on the data and is said in the result ([`Route`]): large problems of good condition
//! by normal equations, small ones and those of bad condition by Householder reflections, both corrected with residuals of
//! twice the digits of `f64` until the coefficients are those of the exact solution, rounded; and where columns depend on
//! each other, the solution of least norm by singular values. Rank and condition are part of the result
//! ([`Diagnosis`]).

mod certificate;
mod influence;
mod minimum_norm;
mod orthogonal;
mod power;
mod problem;
mod refinement;
mod route;
mod seminormal;
mod streamed;
mod summary;
mod sweep;
mod table;

pub use certificate::{LeastNormEvidence, LinearSystemCertificate};
pub use influence::Influence;
pub use problem::{Diagnosis, LinearSystemFigures, Route};
pub use streamed::Streamed;
pub use summary::Summary;

pub(crate) use influence::left_out;
pub(crate) use power::{exponent, in_range, scaled};
pub(crate) use problem::{Problem, Solution};
pub(crate) use refinement::refine;
pub(crate) use route::{finish, moments, solve, solve_table};
pub(crate) use summary::spread;
pub(crate) use table::Table;

use lm_core::{
    BinaryLabels, Control, Error, Examples, Fit, Linear, Meter, Result, Targets, TrainingSet, Weights,
};

use crate::statistics::Moments;

/// What a fit of one list of targets is.
type LinearFit = Fit<Linear, LinearSystemCertificate>;

/// Rounds of correction that a function may take, by default; far more than are needed.
const ROUNDS: u64 = 1000;

/// The settings of least squares.
///
/// An iteration, as budgets count them, is a round of correction; the first is the solution in plain arithmetic.
///
/// ```
/// use lm_closed::LeastSquares;
/// use lm_core::{Certificate, Dense, Learner, Targets, TrainingSet};
///
/// let examples = Dense::new(vec![0.0, 1.0, 2.0, 3.0], 4, 1)?;
/// let targets = Targets::new(vec![1.0, 2.0, 2.0, 5.0])?;
/// let fit = LeastSquares::default().fit(&examples, &targets)?.converged()?;
/// assert_eq!((fit.model.weights(), fit.model.bias()), (&[1.2][..], 0.7)); // the exact solution, rounded
/// assert!(!fit.certificate.diagnosis().ill_conditioned());
/// assert!(fit.certificate.verify(&TrainingSet::new(&examples, &targets)?)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeastSquares {
    bias: bool,
    tolerance: Option<f64>,
}

impl Default for LeastSquares {
    fn default() -> Self {
        Self { bias: true, tolerance: None }
    }
}

impl LeastSquares {
    /// Whether the function has a bias `b`. Default: true. Where solutions are many, the norm of `w` alone is the least.
    #[must_use]
    pub fn with_bias(self, bias: bool) -> Self {
        Self { bias, ..self }
    }

    /// The share of the largest singular value below which one counts as 0, at least 0 and below 1; default
    /// `max(n, d)·ε`. It takes part where columns may depend on each other, and is applied to columns scaled to equal size.
    #[must_use]
    pub fn with_tolerance(self, tolerance: f64) -> Self {
        Self { tolerance: Some(tolerance), ..self }
    }

    fn validate(&self) -> Result<()> {
        match self.tolerance {
            Some(value) if !(0.0..1.0).contains(&value) => {
                Err(Error::Setting { name: "tolerance", value, accepted: "at least 0, below 1" })
            }
            _ => Ok(()),
        }
    }

    /// Fits a function to each of several lists of targets of the same examples, from one factorisation.
    ///
    /// # Errors
    /// As [`Learner::fit_with`](lm_core::Learner::fit_with); [`Error::Length`] for a list that is not as long as there are examples or weights.
    ///
    /// ```
    /// use lm_closed::LeastSquares;
    /// use lm_core::{Control, Dense, Learner, Targets};
    ///
    /// let examples = Dense::new(vec![0.0, 1.0, 2.0, 4.0], 4, 1)?;
    /// let targets = [Targets::new(vec![1.0, 3.0, 5.0, 9.0])?, Targets::new(vec![0.0, 1.0, 0.0, 1.0])?];
    /// let fits = LeastSquares::default().fit_many(&examples, &targets, None, &Control::default())?;
    /// assert_eq!((fits[0].model.weights(), fits[0].model.bias()), (&[2.0][..], 1.0));
    /// assert_eq!(fits[1].model, LeastSquares::default().fit(&examples, &targets[1])?.model);
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    pub fn fit_many<E: Examples + ?Sized>(
        &self,
        examples: &E,
        targets: &[Targets],
        weights: Option<&Weights>,
        control: &Control<'_>,
    ) -> Result<Vec<Fit<Linear, LinearSystemCertificate>>> {
        let Some(first) = targets.first() else { return Err(Error::Empty { what: "the list of targets" }) };
        let set = TrainingSet::new(examples, first)?;
        if let Some(weights) = weights {
            set.with_weights(weights)?;
        }
        let lists: Vec<&[f64]> = targets.iter().map(Targets::values).collect();
        let mut meter = control.start(ROUNDS * lists.len() as u64);
        self.run(examples, &lists, weights, &mut meter).map(|(fits, _)| fits)
    }

    /// Fits the function and computes what a table of the regression shows: standard errors, residual deviation, `R²`.
    ///
    /// Standard errors cost `np²` operations in double-double arithmetic up to 10⁸ of them, and are taken from a factorisation
    /// in plain arithmetic above.
    ///
    /// # Errors
    /// As [`Learner::fit_with`](lm_core::Learner::fit_with).
    ///
    /// ```
    /// use lm_closed::LeastSquares;
    /// use lm_core::{Control, Dense, Targets, TrainingSet};
    ///
    /// let examples = Dense::new(vec![0.0, 1.0, 2.0, 3.0], 4, 1)?;
    /// let targets = Targets::new(vec![1.0, 2.0, 2.0, 5.0])?;
    /// let set = TrainingSet::new(&examples, &targets)?;
    /// let (_, summary) = LeastSquares::default().summarised(&set, &Control::default())?;
    /// assert_eq!(summary.degrees_of_freedom(), 2.0);
    /// let error = summary.weight_errors().ok_or(lm_core::Error::Empty { what: "the errors" })?[0];
    /// assert!((error - (1.8_f64 / 2.0 / 5.0).sqrt()).abs() < 1e-15); // √(Σr²/2 / Σ(x − x̄)²)
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    pub fn summarised<E: Examples + ?Sized>(
        &self,
        set: &TrainingSet<'_, E, Targets>,
        control: &Control<'_>,
    ) -> Result<(Fit<Linear, LinearSystemCertificate>, Summary)> {
        let lists = [set.labels().values()];
        let mut meter = control.start(ROUNDS);
        let (mut fits, solutions) = self.run(set.examples(), &lists, set.weights(), &mut meter)?;
        let problem = self.problem(set.examples(), &lists, set.weights());
        let (Some(fit), [solution]) = (fits.pop(), &solutions[..]) else {
            return Err(Error::Empty { what: "the list of solutions" });
        };
        let summary = Summary::of(&problem, solution, &fit.certificate)?;
        Ok((fit, summary))
    }

    /// The leverage of every example, and the error that the function makes on it when fitted to all others.
    ///
    /// Costs `nd²` operations.
    ///
    /// # Errors
    /// As [`Learner::fit_with`](lm_core::Learner::fit_with).
    ///
    /// ```
    /// use lm_closed::LeastSquares;
    /// use lm_core::{Control, Dense, Targets, TrainingSet};
    ///
    /// let examples = Dense::new(vec![0.0, 1.0, 2.0, 3.0], 4, 1)?;
    /// let targets = Targets::new(vec![1.0, 2.0, 2.0, 5.0])?;
    /// let influence =
    ///     LeastSquares::default().influence(&TrainingSet::new(&examples, &targets)?, &Control::default())?;
    /// let trace: f64 = influence.leverages().iter().sum();
    /// assert!((trace - 2.0).abs() < 1e-14); // the number of coefficients
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    pub fn influence<E: Examples + ?Sized>(
        &self,
        set: &TrainingSet<'_, E, Targets>,
        control: &Control<'_>,
    ) -> Result<Influence> {
        let lists = [set.labels().values()];
        let mut meter = control.start(ROUNDS);
        let (fits, _) = self.run(set.examples(), &lists, set.weights(), &mut meter)?;
        let Some(fit) = fits.first() else { return Err(Error::Empty { what: "the list of solutions" }) };
        let problem = self.problem(set.examples(), &lists, set.weights());
        Influence::of(&problem, &fit.model, &meter, self.tolerance)
    }

    /// Solves from accumulated moments alone: the last `targets` of their columns are what the others are to predict.
    ///
    /// Moments of blocks of rows are accumulated and merged where the rows are; the data need not be at hand, nor fit in
    /// memory. Without them the solution cannot be corrected: its error grows with the square of the condition, which
    /// [`Streamed`] reports.
    ///
    /// # Errors
    /// [`Error::Setting`] for settings outside their domain, [`Error::Length`] if the moments do not have more columns than
    /// targets, [`Error::Numerical`] for moments that are not finite.
    ///
    /// ```
    /// use lm_closed::LeastSquares;
    /// use lm_closed::statistics::Moments;
    /// use lm_core::Dense;
    ///
    /// let mut moments = Moments::new(2)?;
    /// for (x, t) in [([0.0, 1.0], [1.0, 3.0]), ([2.0, 4.0], [5.0, 9.0])] {
    ///     moments.add(&Dense::new(x.to_vec(), 2, 1)?, &[&t], None)?; // t = 2x + 1
    /// }
    /// let solved = LeastSquares::default().solve(&moments, 1)?;
    /// let model = &solved.models()[0];
    /// assert!((model.weights()[0] - 2.0).abs() < 1e-14 && (model.bias() - 1.0).abs() < 1e-14);
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    pub fn solve(&self, moments: &Moments, targets: usize) -> Result<Streamed> {
        self.validate()?;
        Streamed::of(moments, targets, self.bias, 0.0)
    }

    fn problem<'a, E: ?Sized>(
        &self,
        examples: &'a E,
        targets: &'a [&'a [f64]],
        weights: Option<&'a Weights>,
    ) -> Problem<'a, E> {
        Problem { examples, targets, weights, bias: self.bias, penalty: 0.0 }
    }

    fn run<E: Examples + ?Sized>(
        &self,
        examples: &E,
        targets: &[&[f64]],
        weights: Option<&Weights>,
        meter: &mut Meter<'_>,
    ) -> Result<(Vec<LinearFit>, Vec<Solution>)> {
        self.validate()?;
        let problem = self.problem(examples, targets, weights);
        let (solutions, diagnosis) = solve(&problem, self.tolerance, meter)?;
        let mut fits = Vec::with_capacity(solutions.len());
        for (targets, solution) in problem.targets.iter().zip(&solutions) {
            fits.push(finish(&problem, targets, solution, diagnosis, self.tolerance, meter)?);
        }
        Ok((fits, solutions))
    }
}

/// Writes the fit of a list of numbers that labels stand for.
macro_rules! learns {
    ($learner:ty, $labels:ty, |$given:ident| $values:expr) => {
        impl<E: lm_core::Examples + ?Sized> lm_core::Learner<E, $labels> for $learner {
            type Model = lm_core::Linear;
            type Certificate = crate::least_squares::LinearSystemCertificate;

            fn fit_with(
                &self,
                set: &lm_core::TrainingSet<'_, E, $labels>,
                control: &lm_core::Control<'_>,
            ) -> lm_core::Result<lm_core::Fit<Self::Model, Self::Certificate>> {
                let $given = set.labels();
                self.fit_values(set.examples(), &$values[..], set.weights(), control)
            }
        }
    };
}

pub(crate) use learns;

impl LeastSquares {
    fn fit_values<E: Examples + ?Sized>(
        &self,
        examples: &E,
        values: &[f64],
        weights: Option<&Weights>,
        control: &Control<'_>,
    ) -> Result<Fit<Linear, LinearSystemCertificate>> {
        let (mut fits, _) = self.run(examples, &[values], weights, &mut control.start(ROUNDS))?;
        fits.pop().ok_or(Error::Empty { what: "the list of solutions" })
    }
}

learns!(LeastSquares, Targets, |targets| targets.values());
learns!(LeastSquares, BinaryLabels, |labels| labels.values());
