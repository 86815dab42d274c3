//! Linear programs: a linear value under linear constraints, with evidence for every answer.
//!
//! ```text
//! minimise cᵗx   subject to   L ≤ A x ≤ U   and   l ≤ x ≤ u ,   where any bound may be infinite
//! ```
//! An optimum comes with the multipliers of the rows, which bound the value from the other side; a program without a feasible point with
//! multipliers that contradict all constraints together; one without a least value with a direction along which it falls. All three are
//! checked by products and sums ([`LinearSolution`] is a [`Certificate`](lm_core::Certificate)), and an optimum can be proven in exact
//! arithmetic ([`LinearProgram::prove`]).
//!
//! The method is in `simplex/`, its linear algebra in `kernel.rs`, the evidence in `certificate.rs`, the exact proof in `proof.rs`.

mod certificate;
mod kernel;
mod proof;
mod simplex;

use lm_core::{Control, Error, Report, Result, Stop};

pub use certificate::{LinearEvidence, LinearFigures};
pub use proof::ProvenOptimum;
use simplex::Place;
pub(crate) use simplex::{End, Simplex};

/// A linear program. Variables are at least 0 unless other bounds are given.
///
/// ```
/// use lm_core::Certificate;
/// use lm_qp::linear_program::{LinearEvidence, LinearProgram};
///
/// let program = LinearProgram::maximise(vec![3.0, 2.0])?
///     .at_most(&[-1.0, 3.0], 12.0)?
///     .at_most(&[1.0, 1.0], 8.0)?
///     .at_most(&[2.0, -1.0], 10.0)?;
/// let solution = program.solve()?;
/// assert!(solution.verify(&program)?.is_valid());
/// assert_eq!((solution.point(), solution.value()), (&[6.0, 2.0][..], 22.0));
///
/// // 22 is also the least bound that combinations of the rows give: 7/3 of the second and 1/3 of the third.
/// let proven = program.prove(&solution)?.unwrap();
/// assert_eq!(proven.value().to_string(), "22");
/// assert_eq!(proven.multipliers()[1].to_string(), "7/3");
///
/// let impossible = program.at_least(&[1.0, 1.0], 9.0)?;
/// let solution = impossible.solve()?;
/// assert!(matches!(solution.evidence(), LinearEvidence::Infeasible { .. }));
/// assert!(solution.verify(&impossible)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LinearProgram {
    /// Of the minimisation.
    cost: Vec<f64>,
    maximised: bool,
    /// Row after row.
    matrix: Vec<f64>,
    row_bounds: Vec<(f64, f64)>,
    bounds: Vec<(f64, f64)>,
}

impl LinearProgram {
    /// The least `cᵗx` over `x ≥ 0`.
    ///
    /// # Errors
    /// [`Error::Empty`] without variables, [`Error::NonFinite`] for a cost that is not finite.
    pub fn minimise(cost: Vec<f64>) -> Result<Self> {
        if cost.is_empty() {
            return Err(Error::Empty { what: "the list of variables" });
        }
        if let Some(row) = cost.iter().position(|cost| !cost.is_finite()) {
            return Err(Error::NonFinite { what: "cost", row, column: None });
        }
        let bounds = vec![(0.0, f64::INFINITY); cost.len()];
        Ok(Self { cost, maximised: false, matrix: Vec::new(), row_bounds: Vec::new(), bounds })
    }

    /// The largest `cᵗx` over `x ≥ 0`. Multipliers have the signs of this problem: a row `≤` has one that is at least 0.
    ///
    /// # Errors
    /// As [`LinearProgram::minimise`].
    pub fn maximise(gain: Vec<f64>) -> Result<Self> {
        let program = Self::minimise(gain.into_iter().map(|gain| -gain).collect())?;
        Ok(Self { maximised: true, ..program })
    }

    /// Other bounds for one variable, `lower ≤ x ≤ upper`; either may be infinite.
    ///
    /// # Errors
    /// [`Error::Index`] for a variable that is not there, [`Error::Setting`] for bounds between which there is no number.
    pub fn bounded(mut self, variable: usize, lower: f64, upper: f64) -> Result<Self> {
        let len = self.bounds.len();
        check_bounds(lower, upper)?;
        let missing = Error::Index { what: "variable", index: variable, len };
        *self.bounds.get_mut(variable).ok_or(missing)? = (lower, upper);
        Ok(self)
    }

    /// One variable without bounds.
    ///
    /// # Errors
    /// As [`LinearProgram::bounded`].
    pub fn free(self, variable: usize) -> Result<Self> {
        self.bounded(variable, f64::NEG_INFINITY, f64::INFINITY)
    }

    /// One more row, `lower ≤ aᵗx ≤ upper`.
    ///
    /// # Errors
    /// [`Error::Length`] unless there is one coefficient a variable, [`Error::NonFinite`] for one that is not finite,
    /// [`Error::Setting`] for bounds between which there is no number.
    pub fn between(mut self, coefficients: &[f64], lower: f64, upper: f64) -> Result<Self> {
        let (expected, found) = (self.cost.len(), coefficients.len());
        if found != expected {
            return Err(Error::Length { what: "a row of the program", expected, found });
        }
        let row = self.row_bounds.len();
        if let Some(column) = coefficients.iter().position(|value| !value.is_finite()) {
            return Err(Error::NonFinite { what: "coefficient", row, column: Some(column) });
        }
        check_bounds(lower, upper)?;
        self.matrix.extend_from_slice(coefficients);
        self.row_bounds.push((lower, upper));
        Ok(self)
    }

    /// One more row, `aᵗx ≤ most`.
    ///
    /// # Errors
    /// As [`LinearProgram::between`].
    pub fn at_most(self, coefficients: &[f64], most: f64) -> Result<Self> {
        self.between(coefficients, f64::NEG_INFINITY, most)
    }

    /// One more row, `aᵗx ≥ least`.
    ///
    /// # Errors
    /// As [`LinearProgram::between`].
    pub fn at_least(self, coefficients: &[f64], least: f64) -> Result<Self> {
        self.between(coefficients, least, f64::INFINITY)
    }

    /// One more row, `aᵗx = value`.
    ///
    /// # Errors
    /// As [`LinearProgram::between`].
    pub fn equal(self, coefficients: &[f64], value: f64) -> Result<Self> {
        self.between(coefficients, value, value)
    }

    /// The number of variables.
    pub fn variables(&self) -> usize {
        self.cost.len()
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.row_bounds.len()
    }

    fn row(&self, r: usize) -> &[f64] {
        &self.matrix[r * self.cost.len()..(r + 1) * self.cost.len()]
    }

    /// −1 where the caller's value is minus that of the minimisation.
    fn sense(&self) -> f64 {
        if self.maximised { -1.0 } else { 1.0 }
    }

    /// Solves the program with the default budget: `50(m + n) + 10 000` moves.
    ///
    /// # Errors
    /// As [`LinearProgram::solve_with`].
    pub fn solve(&self) -> Result<LinearSolution> {
        self.solve_with(&Control::default())
    }

    /// Solves the program within a budget.
    ///
    /// # Errors
    /// [`Error::Memory`] if the work does not fit into the budget, [`Error::Numerical`] if the solution is out of range.
    pub fn solve_with(&self, control: &Control<'_>) -> Result<LinearSolution> {
        let (m, n) = (self.rows(), self.variables());
        let size = m.saturating_add(n);
        let needed = self.matrix.len().saturating_mul(16).saturating_add(size.saturating_mul(80));
        control.budget().check_memory("the linear program", needed)?;
        let mut meter = control.start(50 * size as u64 + 10_000);
        let all = || self.bounds.iter().chain(&self.row_bounds);
        let bounds = (all().map(|bound| bound.0).collect(), all().map(|bound| bound.1).collect());
        let mut simplex = Simplex::new(m, &self.cost, self.matrix.clone(), bounds);
        let end = simplex.run(&mut meter);
        // What is at a bound is exactly there.
        let mut point = simplex.point();
        for (v, value) in point.iter_mut().enumerate() {
            match simplex.places()[v] {
                Place::Lower => *value = self.bounds[v].0,
                Place::Upper => *value = self.bounds[v].1,
                Place::Basic | Place::Free => {}
            }
        }
        let multipliers = simplex.multipliers();
        let places = simplex.places().to_vec();
        let (stop, evidence) = match end {
            End::Optimal => (Stop::Converged, LinearEvidence::optimal(self, point, multipliers)?),
            End::Infeasible => (Stop::Infeasible, LinearEvidence::infeasible(self, point, &multipliers)?),
            End::Unbounded(direction) => {
                (Stop::Infeasible, LinearEvidence::unbounded(self, point, direction)?)
            }
            End::Stopped(stop) => (stop, LinearEvidence::unfinished(self, point)?),
        };
        let sense = self.sense();
        Ok(LinearSolution { report: meter.report(stop, None), evidence, sense, places })
    }
}

/// Bounds with at least one finite number between them.
fn check_bounds(lower: f64, upper: f64) -> Result<()> {
    if lower <= upper && lower < f64::INFINITY && upper > f64::NEG_INFINITY {
        return Ok(());
    }
    let accepted = "a number at least as large as the lower bound";
    Err(Error::Setting { name: "upper", value: upper, accepted })
}

/// What came of a linear program, with the evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearSolution {
    report: Report,
    evidence: LinearEvidence,
    sense: f64,
    places: Vec<Place>,
}

impl LinearSolution {
    /// How the run went: [`Stop::Converged`] for an optimum, [`Stop::Infeasible`] where there is none, or why it ended before.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The answer with its proof.
    pub fn evidence(&self) -> &LinearEvidence {
        &self.evidence
    }

    /// The variables: at the optimum, or where the run ended.
    pub fn point(&self) -> &[f64] {
        match &self.evidence {
            LinearEvidence::Optimal { point, .. }
            | LinearEvidence::Infeasible { point, .. }
            | LinearEvidence::Unbounded { point, .. }
            | LinearEvidence::Unfinished { point, .. } => point,
        }
    }

    /// `cᵗx` at this point.
    pub fn value(&self) -> f64 {
        let figures = match &self.evidence {
            LinearEvidence::Optimal { figures, .. }
            | LinearEvidence::Infeasible { figures, .. }
            | LinearEvidence::Unbounded { figures, .. }
            | LinearEvidence::Unfinished { figures, .. } => figures,
        };
        self.sense * figures.value
    }

    /// The multiplier of each row: how much a unit of its bound is worth; none unless there is an optimum.
    pub fn multipliers(&self) -> Option<Vec<f64>> {
        match &self.evidence {
            LinearEvidence::Optimal { multipliers, .. } => {
                Some(multipliers.iter().map(|value| self.sense * value).collect())
            }
            _ => None,
        }
    }

    /// The solution, for callers who insist on an optimum.
    ///
    /// # Errors
    /// [`Error::NotConverged`], with the reason, if there is none.
    pub fn converged(self) -> Result<Self> {
        match self.report.stop {
            Stop::Converged => Ok(self),
            stop => Err(Error::NotConverged { stop, iterations: self.report.iterations }),
        }
    }
}
