//! The dual problem itself, for who has one that is no machine.

use lm_core::{Control, DualityFigures, Error, Gram, Report, Result, Stop};

use crate::certificate::{figures, product};
use crate::enclosure::{Enclosure, enclosed};
use crate::problem::{DualProblem, Multipliers};
use crate::smo::default_iterations;
use crate::solver::{Solution, Solver, solve};

/// A point of a [`DualProblem`], and how far it is from the best one.
#[derive(Debug, Clone, PartialEq)]
pub struct Minimum {
    /// The coefficients.
    pub coefficients: Vec<f64>,
    /// The multipliers of the balance.
    pub multipliers: Multipliers,
    /// Minus the objective as the dual value, and a primal value that no optimum exceeds.
    pub figures: DualityFigures,
    /// How the run went.
    pub report: Report,
}

impl DualProblem {
    /// Minimises the objective over a matrix that is positive semi-definite.
    ///
    /// ```
    /// use lm_core::{Control, MatrixGram};
    /// use lm_qp::{Balance, DualProblem, Solver};
    ///
    /// // The nearest point to the origin of the segment from (1, 0) to (0, 2): weights 4/5 and 1/5.
    /// let gram = MatrixGram::precomputed(vec![1.0, 0.0, 0.0, 4.0], 2)?;
    /// let problem = DualProblem::new(vec![0.0; 2], vec![1.0; 2], vec![0.0; 2], Balance::Total(1.0))?;
    /// let found = problem.minimise(&gram, &Solver::default().with_gap(1e-12), &Control::default())?;
    /// assert!((found.coefficients[0] - 0.8).abs() < 1e-12);
    /// assert!((found.figures.dual + 0.4).abs() < 1e-12);
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Length`] unless the matrix has the size of the problem, [`Error::Setting`] for a setting of the solver outside
    /// its domain, [`Error::Numerical`] where the arithmetic breaks down; and what the matrix gives.
    pub fn minimise<G: Gram + ?Sized>(
        &self,
        gram: &G,
        solver: &Solver,
        control: &Control<'_>,
    ) -> Result<Minimum> {
        solver.validate()?;
        let mut meter = control.start(default_iterations(self.len()));
        let Solution { beta, product: known, standing, stop, cache } =
            solve(gram, self, None, solver, None, &mut meter)?;
        let scores = known.map_or_else(|| product(gram, &beta), Ok)?;
        let figures = figures(self, &beta, &scores, standing.multipliers)?;
        let stop = match (stop, solver.gap()) {
            (Stop::Converged, Some(gap)) if !(figures.relative_gap() <= gap) => Stop::Stalled,
            _ => stop,
        };
        let report = meter.report(stop, Some(cache));
        Ok(Minimum { coefficients: beta, multipliers: standing.multipliers, figures, report })
    }

    /// The figures of any point, computed from their product with the matrix, by code that shares nothing else with the solvers.
    ///
    /// # Errors
    /// [`Error::Length`] unless there is one coefficient per variable, [`Error::Numerical`] where the arithmetic breaks down.
    pub fn figures<G: Gram + ?Sized>(
        &self,
        gram: &G,
        coefficients: &[f64],
        multipliers: Multipliers,
    ) -> Result<DualityFigures> {
        self.check_point(gram, coefficients)?;
        figures(self, coefficients, &product(gram, coefficients)?, multipliers)
    }

    /// Bounds on the negative of the minimum with every rounding counted, from any point.
    ///
    /// # Errors
    /// As [`DualProblem::figures`], and [`Error::Numerical`] where the coefficients leave their bounds or none has room for
    /// what the balance misses.
    pub fn enclosure<G: Gram + ?Sized>(
        &self,
        gram: &G,
        coefficients: &[f64],
        multipliers: Multipliers,
    ) -> Result<Enclosure> {
        self.check_point(gram, coefficients)?;
        enclosed(gram, self, coefficients, multipliers)
    }

    fn check_point<G: Gram + ?Sized>(&self, gram: &G, coefficients: &[f64]) -> Result<()> {
        for (what, found) in [("the Gram matrix", gram.len()), ("the coefficients", coefficients.len())] {
            if found != self.len() {
                return Err(Error::Length { what, expected: self.len(), found });
            }
        }
        Ok(())
    }
}
