//! Ridge regression: least squares with a price on the size of the weights, none on the bias.
//!
//! ```text
//! minimise Σ ωᵢ (⟨w·xᵢ⟩ + b − tᵢ)² + λ‖w‖²   over w and b
//! ```
//!
//! With at least as many examples as columns the normal equations of the weights are solved, `(λI + S)w = s`, else those of
//! the examples, `(λI + G)α = t` with `w = Σ αᵢxᵢ`: both on centred data, corrected until the digits are right. The
//! criterion is strongly convex, so that the gradient at the solution bounds its distance from the exact one
//! ([`LinearSystemCertificate::distance_bound`]). [`RidgePath`] finds the solutions for many penalties, and chooses.

mod dual;
mod path;

pub use path::{Criterion, Path, PathPoint, RidgePath};

use lm_core::{BinaryLabels, Control, Error, Examples, Fit, Linear, Meter, Result, Targets, Weights};

use crate::least_squares::{LinearSystemCertificate, Problem, Streamed, finish, learns, solve};
use crate::statistics::Moments;

/// Rounds of correction that a fit may take, by default; far more than are needed.
const ROUNDS: u64 = 1000;

/// Which equations are solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// Those that are fewer.
    #[default]
    Automatic,
    /// One for each column.
    Primal,
    /// One for each example.
    Dual,
}

/// The settings of ridge regression.
///
/// An iteration, as budgets count them, is a round of correction; the first is the solution in plain arithmetic.
///
/// ```
/// use lm_closed::Ridge;
/// use lm_core::{Certificate, Dense, Learner, Targets, TrainingSet};
///
/// let examples = Dense::new(vec![-1.0, 0.0, 1.0], 3, 1)?;
/// let targets = Targets::new(vec![0.0, 1.0, 2.0])?;
/// let fit = Ridge::default().with_penalty(2.0).fit(&examples, &targets)?.converged()?;
/// assert_eq!((fit.model.weights(), fit.model.bias()), (&[0.5][..], 1.0)); // 2 / (2 + λ), and the mean of the targets
/// assert!(fit.certificate.distance_bound().is_some_and(|bound| bound < 1e-15));
/// assert!(fit.certificate.verify(&TrainingSet::new(&examples, &targets)?)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ridge {
    penalty: f64,
    bias: bool,
    form: Form,
}

impl Default for Ridge {
    fn default() -> Self {
        Self { penalty: 1.0, bias: true, form: Form::Automatic }
    }
}

impl Ridge {
    /// The price `λ` of `‖w‖²`, finite and at least 0; default 1. With 0 it is least squares, and of least norm where
    /// solutions are many.
    #[must_use]
    pub fn with_penalty(self, penalty: f64) -> Self {
        Self { penalty, ..self }
    }

    /// Whether the function has a bias `b`, which is not penalised. Default: true.
    #[must_use]
    pub fn with_bias(self, bias: bool) -> Self {
        Self { bias, ..self }
    }

    /// Which equations are solved. Default: those that are fewer. The dual form costs `n²d + n³/3` operations and `n²`
    /// numbers, the primal one `nd² + d³/3` and `d²`. Without a penalty there is no dual form, and this has no effect.
    #[must_use]
    pub fn with_form(self, form: Form) -> Self {
        Self { form, ..self }
    }

    fn validate(&self) -> Result<()> {
        if self.penalty >= 0.0 && self.penalty.is_finite() {
            return Ok(());
        }
        Err(Error::Setting { name: "penalty", value: self.penalty, accepted: "a finite number ≥ 0" })
    }

    /// Solves from accumulated moments alone: the last `targets` of their columns are what the others are to predict. See
    /// [`LeastSquares::solve`](crate::LeastSquares::solve).
    ///
    /// # Errors
    /// As there.
    ///
    /// ```
    /// use lm_closed::{Moments, Ridge};
    /// use lm_core::Dense;
    ///
    /// let moments = Moments::of(&Dense::new(vec![-1.0, 0.0, 1.0], 3, 1)?, &[&[0.0, 1.0, 2.0]], None)?;
    /// let solved = Ridge::default().with_penalty(2.0).solve(&moments, 1)?;
    /// assert!((solved.models()[0].weights()[0] - 0.5).abs() < 1e-15); // 2 / (2 + λ)
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    pub fn solve(&self, moments: &Moments, targets: usize) -> Result<Streamed> {
        self.validate()?;
        Streamed::of(moments, targets, self.bias, self.penalty)
    }

    fn fit_values<E: Examples + ?Sized>(
        &self,
        examples: &E,
        values: &[f64],
        weights: Option<&Weights>,
        control: &Control<'_>,
    ) -> Result<Fit<Linear, LinearSystemCertificate>> {
        self.run(examples, values, weights, &mut control.start(ROUNDS))
    }

    fn run<E: Examples + ?Sized>(
        &self,
        examples: &E,
        values: &[f64],
        weights: Option<&Weights>,
        meter: &mut Meter<'_>,
    ) -> Result<Fit<Linear, LinearSystemCertificate>> {
        self.validate()?;
        let lists = [values];
        let problem = Problem { examples, targets: &lists, weights, bias: self.bias, penalty: self.penalty };
        problem.check()?;
        let dual = match self.form {
            Form::Automatic => problem.count() < examples.dim(),
            Form::Primal => false,
            Form::Dual => true,
        };
        let solved = if dual && self.penalty > 0.0 { dual::solve(&problem, meter)? } else { None };
        let (solutions, diagnosis) = match solved {
            Some(solved) => solved,
            None => solve(&problem, None, meter)?,
        };
        let Some(solution) = solutions.first() else {
            return Err(Error::Empty { what: "the list of solutions" });
        };
        finish(&problem, values, solution, diagnosis, None, meter)
    }
}

learns!(Ridge, Targets, |targets| targets.values());
learns!(Ridge, BinaryLabels, |labels| labels.values());
