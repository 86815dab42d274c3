//! Which way a least squares problem is solved: by its size, its shape and its condition.

use std::ops::Range;

use lm_core::double_double::DoubleDouble;
use lm_core::{Budget, Control, Error, Examples, Fit, Linear, Meter, Result, Selection, Stop, Weights};

use super::certificate::{LeastNormEvidence, LinearSystemCertificate, measure, misalignment};
use super::minimum_norm::MinimumNorm;
use super::orthogonal::Orthogonal;
use super::power::{in_range, largest, scaled, scaled_wide};
use super::problem::{Diagnosis, Problem, Route, Solution};
use super::seminormal::{CONDITION, SemiNormal};
use super::table::Table;
use crate::statistics::Moments;

/// Matrices of at most this many entries are solved by orthogonal transformations, which take microseconds there.
pub(super) const SMALL: usize = 100_000;

/// Entries that are summed up between two looks at the clock: some 30 ms of work.
const SHARE: usize = 1 << 23;

/// Data of at most this many entries are measured even if a run was told to end.
const QUICK: usize = 1_000_000;

/// The largest backward error of a solution that counts as found.
const GOOD: f64 = 1e-10;

/// The largest ratio of the size of a column to its spread that centring is trusted with.
const OFFSET: f64 = 1e6;

/// Solves for all targets of a problem.
pub(crate) fn solve<E: Examples + ?Sized>(
    problem: &Problem<'_, E>,
    tolerance: Option<f64>,
    meter: &mut Meter<'_>,
) -> Result<(Vec<Solution>, Diagnosis)> {
    problem.check()?;
    let (count, columns) = (problem.count(), problem.columns());
    let small = count.saturating_mul(columns) <= SMALL;
    if !small
        && (count >= columns || problem.penalty > 0.0)
        && let Some(solved) = by_moments(problem, meter)?
    {
        return Ok(solved);
    }
    by_table(problem, tolerance, meter)
}

/// The way of large problems; `None` if their condition is too bad for it, or their numbers too large or small.
fn by_moments<E: Examples + ?Sized>(
    problem: &Problem<'_, E>,
    meter: &mut Meter<'_>,
) -> Result<Option<(Vec<Solution>, Diagnosis)>> {
    let Some((moments, ended)) = accumulated(problem, meter)? else { return Ok(None) };
    let columns = problem.columns();
    let Some(system) = trusted(&moments, problem)? else {
        return Ok(ended.map(|stop| of_means(problem, &moments, stop)));
    };
    let solutions = match ended {
        Some(stop) => system.unrefined(problem, &moments, stop)?,
        None => system.refined(problem, &moments, meter)?,
    };
    if solutions.iter().any(|solution| solution.stop == Stop::Stalled) {
        return Ok(None);
    }
    let condition = system.squared_condition().sqrt() * system.offset();
    Ok(Some((solutions, Diagnosis { route: Route::SemiNormal, columns, rank: columns, condition })))
}

/// The means of the targets: what a run that ends at once has found out.
fn of_means<E: Examples + ?Sized>(
    problem: &Problem<'_, E>,
    moments: &Moments,
    stop: Stop,
) -> (Vec<Solution>, Diagnosis) {
    let dim = problem.examples.dim();
    let solution = |target: &f64| Solution {
        weights: vec![DoubleDouble::ZERO; dim],
        bias: DoubleDouble::from(if problem.bias { *target } else { 0.0 }),
        figures: None,
        residual_norm: None,
        stop,
        multipliers: None,
    };
    let diagnosis =
        Diagnosis { route: Route::SemiNormal, columns: problem.columns(), rank: 0, condition: f64::INFINITY };
    (moments.mean()[dim..].iter().map(solution).collect(), diagnosis)
}

/// The moments of all examples and targets, whatever the time; `None` if squares leave the range of numbers.
pub(crate) fn moments<E: Examples + ?Sized>(
    problem: &Problem<'_, E>,
    meter: &Meter<'_>,
) -> Result<Option<Moments>> {
    let memory = meter.budget().memory();
    let budget = memory.map_or_else(Budget::default, |bytes| Budget::default().with_memory(bytes));
    Ok(accumulated(problem, &mut Control::new(budget).start(u64::MAX))?.map(|(moments, _)| moments))
}

/// The moments of examples and targets, or of those that were met before a limit of time, with the reason; `None` if
/// squares leave the range of numbers.
fn accumulated<E: Examples + ?Sized>(
    problem: &Problem<'_, E>,
    meter: &mut Meter<'_>,
) -> Result<Option<(Moments, Option<Stop>)>> {
    let Problem { examples, targets, weights, .. } = *problem;
    let dim = examples.dim() + targets.len();
    let needed = dim.saturating_mul(dim).saturating_mul(4 * size_of::<f64>());
    meter.budget().check_memory("the matrix of the normal equations", needed)?;
    let extreme = |values: &[f64]| !in_range(largest(values.iter().copied()));
    if targets.iter().any(|targets| extreme(targets))
        || weights.is_some_and(|weights| extreme(weights.values()))
    {
        return Ok(None);
    }
    let mut moments = Moments::new(dim)?;
    let share = (SHARE / dim).max(1);
    for start in (0..examples.len()).step_by(share) {
        let rows = start..examples.len().min(start + share);
        let added = if rows.len() == examples.len() {
            moments.add(examples, targets, weights)
        } else {
            add_share(&mut moments, problem, rows)
        };
        match added {
            Err(Error::Numerical { .. }) => return Ok(None),
            other => other?,
        }
        if let Some(stop) = ended(meter).filter(|_| moments.weight() > 0.0 && start + share < examples.len())
        {
            return Ok(Some((moments, Some(stop))));
        }
    }
    Ok(Some((moments, None)))
}

fn add_share<E: Examples + ?Sized>(
    moments: &mut Moments,
    problem: &Problem<'_, E>,
    rows: Range<usize>,
) -> Result<()> {
    let targets: Vec<&[f64]> = problem.targets.iter().map(|targets| &targets[rows.clone()]).collect();
    let weights = problem.weights.map(|weights| &weights.values()[rows.clone()]);
    if weights.is_some_and(|weights| weights.iter().all(|&weight| weight == 0.0)) {
        return Ok(());
    }
    let weights = weights.map(|weights| Weights::new(weights.to_vec())).transpose()?;
    let rows: Vec<usize> = rows.collect();
    moments.add(&Selection::new(problem.examples, &rows)?, &targets, weights.as_ref())
}

/// Whether time is up or the run was cancelled; a limit on iterations is another matter.
pub(super) fn ended(meter: &mut Meter<'_>) -> Option<Stop> {
    meter.advance(0, 0).filter(|stop| matches!(stop, Stop::Time | Stop::Cancelled))
}

/// A factorisation of the normal equations that a pass over the data can correct.
pub(crate) fn trusted<E: Examples + ?Sized>(
    moments: &Moments,
    problem: &Problem<'_, E>,
) -> Result<Option<SemiNormal>> {
    let Some(system) = SemiNormal::factor(moments, problem.examples.dim(), problem.bias, problem.penalty)?
    else {
        return Ok(None);
    };
    // Written so that NaN fails.
    let good = system.sizes().iter().all(|&size| (size > 0.0 || problem.penalty > 0.0) && in_range(size))
        && system.squared_condition() <= CONDITION
        && system.offset() <= OFFSET;
    Ok(good.then_some(system))
}

/// The way of small problems and of those of bad condition.
fn by_table<E: Examples + ?Sized>(
    problem: &Problem<'_, E>,
    tolerance: Option<f64>,
    meter: &mut Meter<'_>,
) -> Result<(Vec<Solution>, Diagnosis)> {
    let penalties = if problem.penalty > 0.0 { problem.examples.dim() } else { 0 };
    let rows = problem.count() + penalties;
    let needed = rows.saturating_mul(problem.columns()).saturating_mul(4 * size_of::<f64>());
    meter.budget().check_memory("the factorisation of the examples", needed)?;
    let table = Table::of(problem.examples, problem.weights, problem.bias, problem.penalty)?;
    solve_table(table, problem.targets, tolerance, meter)
}

/// Solves for lists of targets, one for each row that the table was made of.
pub(crate) fn solve_table(
    mut table: Table,
    targets: &[&[f64]],
    tolerance: Option<f64>,
    meter: &mut Meter<'_>,
) -> Result<(Vec<Solution>, Diagnosis)> {
    let (rows, columns) = (table.rows(), table.columns());
    if rows >= columns {
        let system = Orthogonal::factor(table)?;
        if system.is_regular() {
            return orthogonal(&system, targets, meter);
        }
        table = system.into_table();
    }
    let system = MinimumNorm::factor(table, tolerance)?;
    if system.rank() == columns && rows >= columns {
        // The rank is full all the same: the solution is the only one, and reflections know it better.
        return orthogonal(&Orthogonal::factor(system.into_table())?, targets, meter);
    }
    least_norm(&system, targets, meter)
}

fn orthogonal(
    system: &Orthogonal,
    targets: &[&[f64]],
    meter: &mut Meter<'_>,
) -> Result<(Vec<Solution>, Diagnosis)> {
    let table = system.table();
    let mut solutions = Vec::with_capacity(targets.len());
    for given in targets {
        let (targets, scale) = table.targets(given);
        let refined = system.solve(&targets, meter)?;
        let (weights, bias) = table.unscaled(&refined.beta, scale);
        let squares = (refined.residuals[..table.examples()].iter().enumerate())
            .fold(DoubleDouble::ZERO, |sum, (row, r)| sum + *r * *r * table.weight(row));
        let residual_norm = Some(scaled_wide(squares.sqrt(), scale + table.weight_exponent() / 2));
        let stop = refined.stop;
        solutions.push(Solution { weights, bias, figures: None, residual_norm, stop, multipliers: None });
    }
    let (columns, condition) = (table.columns(), system.condition());
    Ok((solutions, Diagnosis { route: Route::Orthogonal, columns, rank: columns, condition }))
}

fn least_norm(
    system: &MinimumNorm,
    targets: &[&[f64]],
    meter: &mut Meter<'_>,
) -> Result<(Vec<Solution>, Diagnosis)> {
    let table = system.table();
    let mut solutions = Vec::with_capacity(targets.len());
    for given in targets {
        let (targets, scale) = table.targets(given);
        let found = system.solve(&targets, meter)?;
        let (weights, bias) = table.unscaled(&found.beta, scale);
        let mut multipliers = vec![0.0; given.len()];
        for (at, u) in found.multipliers[..table.examples()].iter().enumerate() {
            multipliers[table.row_of(at)] = scaled(*u, scale + found.exponent);
        }
        let (residual_norm, stop) = (None, found.stop);
        let multipliers = Some(multipliers);
        solutions.push(Solution { weights, bias, figures: None, residual_norm, stop, multipliers });
    }
    let (columns, rank, condition) = (table.columns(), system.rank(), system.condition());
    Ok((solutions, Diagnosis { route: Route::MinimumNorm, columns, rank, condition }))
}

/// The certificate of a solution, measured where its figures are not known.
fn certificate<E: Examples + ?Sized>(
    problem: &Problem<'_, E>,
    targets: &[f64],
    solution: &Solution,
    diagnosis: Diagnosis,
    tolerance: Option<f64>,
) -> Result<LinearSystemCertificate> {
    let Problem { examples, weights, bias, penalty, .. } = *problem;
    let function = solution.model()?;
    let ended = matches!(solution.stop, Stop::Time | Stop::Cancelled);
    let quick = examples.len().saturating_mul(examples.dim()) <= QUICK;
    let figures = match solution.figures {
        None if quick || !ended => {
            Some(measure(examples, targets, weights, &function, bias, penalty)?.figures)
        }
        known => known,
    };
    let least_norm = solution.multipliers.as_ref().filter(|_| penalty == 0.0).map(|multipliers| {
        let error = misalignment(examples, &function, bias, multipliers);
        LeastNormEvidence { multipliers: multipliers.clone(), error, tolerance }
    });
    Ok(LinearSystemCertificate { function, bias, penalty, figures, diagnosis, least_norm })
}

/// The fit that a solution makes.
pub(crate) fn finish<E: Examples + ?Sized>(
    problem: &Problem<'_, E>,
    targets: &[f64],
    solution: &Solution,
    diagnosis: Diagnosis,
    tolerance: Option<f64>,
    meter: &Meter<'_>,
) -> Result<Fit<Linear, LinearSystemCertificate>> {
    let certificate = certificate(problem, targets, solution, diagnosis, tolerance)?;
    let error = certificate.figures.map_or(0.0, |figures| figures.backward_error);
    // Converged is what the certificate says, not what the solver believes; what a caller's own tolerance cuts off is meant.
    let missed = solution.stop == Stop::Converged && tolerance.is_none() && !(error <= GOOD);
    let report = meter.report(if missed { Stop::Stalled } else { solution.stop }, None);
    Ok(Fit { model: certificate.function.clone(), report, certificate })
}
