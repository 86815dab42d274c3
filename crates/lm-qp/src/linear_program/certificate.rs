//! The evidence for an answer to a linear program, and its check in arithmetic with twice the digits.
//!
//! For any multipliers `y` of the rows and prices `d = c − Aᵗy`, every feasible point has
//! ```text
//! cᵗx = yᵗAx + dᵗx  ≥  Σᵢ min(yᵢLᵢ, yᵢUᵢ) + Σⱼ min(dⱼlⱼ, dⱼuⱼ)
//! ```
//! where a term with an infinite bound on the side that counts must have the factor 0. With `c = 0` and a positive right side the same
//! inequality says that there is no feasible point.

use lm_core::double_double::dot;
use lm_core::{Certificate, Discrepancy, Error, Result, Verdict};

use super::{LinearProgram, LinearSolution};

/// The figures of an answer, all of the minimisation, computed anew from point and multipliers.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LinearFigures {
    /// `cᵗx`.
    pub value: f64,
    /// The bound on `cᵗx` that the multipliers give; for a contradiction, what is left on its right side.
    pub bound: f64,
    /// The largest amount by which the point breaks a bound, as a share of 1 and the terms of the row.
    pub infeasibility: f64,
    /// The largest factor that counts with an infinite bound, as a share of the size that its terms can have.
    pub price: f64,
}

/// An answer to a linear program with what shows it.
#[derive(Debug, Clone, PartialEq)]
pub enum LinearEvidence {
    /// A point, and multipliers of the rows that bound the value from the other side.
    Optimal {
        /// The variables.
        point: Vec<f64>,
        /// The multipliers of the rows, of the minimisation.
        multipliers: Vec<f64>,
        /// What follows from them.
        figures: LinearFigures,
    },
    /// No point meets all constraints: their combination with these multipliers is a contradiction.
    Infeasible {
        /// Where the search ended.
        point: Vec<f64>,
        /// The multipliers of the rows.
        multipliers: Vec<f64>,
        /// What follows from them.
        figures: LinearFigures,
    },
    /// There is no least value: it falls along a direction that keeps to all constraints.
    Unbounded {
        /// A feasible point.
        point: Vec<f64>,
        /// The direction.
        direction: Vec<f64>,
        /// Of the point; `bound` is the slope along the direction, `price` the largest amount by which that breaks a bound.
        figures: LinearFigures,
    },
    /// The run ended before an answer.
    Unfinished {
        /// Where it ended.
        point: Vec<f64>,
        /// Of the point.
        figures: LinearFigures,
    },
}

impl LinearEvidence {
    pub(super) fn optimal(program: &LinearProgram, point: Vec<f64>, multipliers: Vec<f64>) -> Result<Self> {
        let multipliers = countable(program, multipliers);
        let figures = figures(program, &point, Some((&multipliers, 1.0)))?;
        Ok(Self::Optimal { point, multipliers, figures })
    }

    pub(super) fn infeasible(program: &LinearProgram, point: Vec<f64>, multipliers: &[f64]) -> Result<Self> {
        let largest = multipliers.iter().fold(0.0_f64, |largest, y| largest.max(y.abs()));
        let scale = if largest > 0.0 && largest.is_finite() { 1.0 / largest } else { 1.0 };
        let multipliers = countable(program, multipliers.iter().map(|y| y * scale).collect());
        let figures = figures(program, &point, Some((&multipliers, 0.0)))?;
        Ok(Self::Infeasible { point, multipliers, figures })
    }

    pub(super) fn unbounded(program: &LinearProgram, point: Vec<f64>, direction: Vec<f64>) -> Result<Self> {
        let figures = along(program, figures(program, &point, None)?, &direction)?;
        Ok(Self::Unbounded { point, direction, figures })
    }

    pub(super) fn unfinished(program: &LinearProgram, point: Vec<f64>) -> Result<Self> {
        let figures = figures(program, &point, None)?;
        Ok(Self::Unfinished { point, figures })
    }
}

/// Multipliers without those that count with an infinite bound, which are 0 but for rounding.
fn countable(program: &LinearProgram, multipliers: Vec<f64>) -> Vec<f64> {
    let counts = |y: f64, (lower, upper): (f64, f64)| if y > 0.0 { lower } else { upper }.is_finite();
    let all = multipliers.into_iter().zip(&program.row_bounds);
    all.map(|(y, bounds)| if counts(y, *bounds) { y } else { 0.0 }).collect()
}

/// By how much `value` lies outside its bounds.
fn outside(value: f64, (lower, upper): (f64, f64)) -> f64 {
    (lower - value).max(value - upper).max(0.0)
}

/// The figures of a point, and of multipliers with the costs counted so many times.
fn figures(program: &LinearProgram, point: &[f64], dual: Option<(&[f64], f64)>) -> Result<LinearFigures> {
    let mut found = LinearFigures { value: dot(&program.cost, point).value(), ..LinearFigures::default() };
    for (value, bounds) in point.iter().zip(&program.bounds) {
        found.infeasibility = found.infeasibility.max(outside(*value, *bounds) / (1.0 + value.abs()));
    }
    for (r, &bounds) in program.row_bounds.iter().enumerate() {
        let (activity, size) = sum(program.row(r), point);
        found.infeasibility = found.infeasibility.max(outside(activity, bounds) / (1.0 + size));
    }
    if let Some((multipliers, share)) = dual {
        let mut terms: Vec<(f64, f64)> = Vec::new();
        let largest = multipliers.iter().fold(0.0_f64, |largest, y| largest.max(y.abs()));
        for (&y, &bounds) in multipliers.iter().zip(&program.row_bounds) {
            found.price = found.price.max(term(y, largest, bounds, &mut terms));
        }
        for (j, &bounds) in program.bounds.iter().enumerate() {
            let mut column: Vec<f64> = (0..program.rows()).map(|r| -program.row(r)[j]).collect();
            let size = largest * column.iter().map(|a| a.abs()).sum::<f64>() + share * program.cost[j].abs();
            column.push(program.cost[j]);
            let price = dot(&column, &[multipliers, &[share]].concat()).value();
            found.price = found.price.max(term(price, size, bounds, &mut terms));
        }
        let (factors, bounds): (Vec<f64>, Vec<f64>) = terms.into_iter().unzip();
        found.bound = dot(&factors, &bounds).value();
    }
    checked(found)
}

/// `Σ aᵢbᵢ` with twice the digits, and the sum of the sizes of its terms.
fn sum(a: &[f64], b: &[f64]) -> (f64, f64) {
    (dot(a, b).value(), a.iter().zip(b).map(|(a, b)| (a * b).abs()).sum())
}

/// Adds the term of a factor and the bound on the side that counts; returns the share of the factor where that bound is infinite.
fn term(factor: f64, size: f64, (lower, upper): (f64, f64), terms: &mut Vec<(f64, f64)>) -> f64 {
    let bound = if factor > 0.0 { lower } else { upper };
    if factor == 0.0 {
        0.0
    } else if bound.is_finite() {
        terms.push((factor, bound));
        0.0
    } else {
        factor.abs() / size
    }
}

/// The slope along a direction, and by how much it breaks a bound.
fn along(program: &LinearProgram, figures: LinearFigures, direction: &[f64]) -> Result<LinearFigures> {
    let mut worst = 0.0_f64;
    let largest = direction.iter().fold(0.0_f64, |largest, d| largest.max(d.abs()));
    // Where a bound is finite, the direction must not lead beyond it however far one goes.
    let beyond = |rate: f64, (lower, upper): (f64, f64)| {
        let down = if lower.is_finite() { -rate } else { 0.0 };
        let up = if upper.is_finite() { rate } else { 0.0 };
        down.max(up).max(0.0)
    };
    for (rate, bounds) in direction.iter().zip(&program.bounds) {
        worst = worst.max(beyond(*rate, *bounds) / largest);
    }
    for (r, &bounds) in program.row_bounds.iter().enumerate() {
        let rate = dot(program.row(r), direction).value();
        let size = largest * program.row(r).iter().map(|a| a.abs()).sum::<f64>();
        worst = worst.max(if rate == 0.0 { 0.0 } else { beyond(rate, bounds) / size });
    }
    checked(LinearFigures { bound: dot(&program.cost, direction).value(), price: worst, ..figures })
}

fn checked(figures: LinearFigures) -> Result<LinearFigures> {
    let LinearFigures { value, bound, infeasibility, price } = figures;
    if [value, bound, infeasibility, price].iter().all(|figure| figure.is_finite()) {
        Ok(figures)
    } else {
        Err(Error::Numerical { what: "the value of a linear program" })
    }
}

/// What may be missing in a valid answer, relative to the terms of each sum.
const ALLOWED: f64 = 1e-7;

impl Certificate<LinearProgram> for LinearSolution {
    /// Recomputes all figures, and accepts an answer that keeps to its constraints to 1e-7 of their terms.
    ///
    /// A contradiction must leave something on its right side, a direction must fall; how good an optimum is, is what its figures say.
    fn verify(&self, program: &LinearProgram) -> Result<Verdict> {
        let check_len = |what, expected: usize, found: usize| {
            if found == expected { Ok(()) } else { Err(Error::Length { what, expected, found }) }
        };
        check_len("the point of a linear program", program.variables(), self.point().len())?;
        let (claimed, now) = match self.evidence() {
            LinearEvidence::Optimal { point, multipliers, figures: claimed } => {
                check_len("the list of multipliers", program.rows(), multipliers.len())?;
                (claimed, figures(program, point, Some((multipliers, 1.0)))?)
            }
            LinearEvidence::Infeasible { point, multipliers, figures: claimed } => {
                check_len("the list of multipliers", program.rows(), multipliers.len())?;
                (claimed, figures(program, point, Some((multipliers, 0.0)))?)
            }
            LinearEvidence::Unbounded { point, direction, figures: claimed } => {
                check_len("the direction", program.variables(), direction.len())?;
                (claimed, along(program, figures(program, point, None)?, direction)?)
            }
            LinearEvidence::Unfinished { point, figures: claimed } => {
                (claimed, figures(program, point, None)?)
            }
        };
        let scale = 1.0 + now.value.abs().max(now.bound.abs());
        let same = [
            ("the value", claimed.value, now.value, 1e-12 * scale),
            ("the bound on the value", claimed.bound, now.bound, 1e-12 * scale),
            ("the violation of the constraints", claimed.infeasibility, now.infeasibility, 1e-12),
            ("the violation of the prices", claimed.price, now.price, 1e-12),
        ];
        let (point_counts, price_counts) = match self.evidence() {
            LinearEvidence::Optimal { .. } | LinearEvidence::Unbounded { .. } => (true, true),
            LinearEvidence::Infeasible { .. } => (false, true),
            LinearEvidence::Unfinished { .. } => (false, false),
        };
        let wrong = same.into_iter().find(|(_, claimed, now, allowed)| !((claimed - now).abs() <= *allowed));
        let broken = (point_counts && !(now.infeasibility <= ALLOWED))
            .then_some(("the violation of the constraints", 0.0, now.infeasibility, 0.0))
            .or((price_counts && !(now.price <= ALLOWED)).then_some((
                "the violation of the prices",
                0.0,
                now.price,
                0.0,
            )));
        let empty = match self.evidence() {
            LinearEvidence::Infeasible { .. } if !(now.bound > 0.0) => Some((
                "the contradiction of the constraints, which must be positive,",
                claimed.bound,
                now.bound,
                0.0,
            )),
            LinearEvidence::Unbounded { .. } if !(now.bound < 0.0) => {
                Some(("the slope of the direction, which must be negative,", claimed.bound, now.bound, 0.0))
            }
            _ => None,
        };
        Ok(match wrong.or(broken).or(empty) {
            None => Verdict::Valid,
            Some((what, claimed, recomputed, _)) => {
                Verdict::Invalid(Discrepancy { what, claimed, recomputed, row: None })
            }
        })
    }
}
