//! The last digits of a solution, and the way out where pairs make no more progress.
//!
//! Only the undecided coefficients are moved: those between their bounds, and those whose price at a bound is no larger
//! than what is still violated. The others keep their places, which shifts the slopes and the balance of a smaller problem
//! of the same kind. It is solved by an active-set method from where pairs have led, and by an interior-point method,
//! followed by the active-set method, where that is not enough.

use lm_core::double_double::{DoubleDouble, add_transposed_products};
use lm_core::linalg::Matrix;
use lm_core::{Columns, Gram, Meter, Result};

use crate::active_set::{self, End};
use crate::interior_point;
use crate::optimality::Standing;
use crate::problem::DualProblem;
use crate::smo::Smo;

/// Rounds of the active-set method after the interior-point method, which has found nearly all that is free.
const ROUNDS: usize = 60;

/// Rounds of it after pairs: where these have not found what is free, the interior-point method is faster.
const ROUNDS_AFTER_PAIRS: usize = 15;

/// Bytes for the matrix of the undecided coefficients and its factor, unless the budget says otherwise.
const DEFAULT_BYTES: usize = 512 << 20;

/// Bytes that `n` coefficients take: the matrix, its factor and a copy.
fn bytes_of(n: usize) -> usize {
    n.saturating_mul(n).saturating_mul(3 * size_of::<f64>())
}

/// How much may be undecided, beside a cache of so many bytes.
fn most_undecided(cache: usize, meter: &Meter<'_>) -> usize {
    let bytes = meter.budget().memory().map_or(DEFAULT_BYTES, |bytes| bytes.saturating_sub(cache));
    ((bytes / bytes_of(1)) as f64).sqrt() as usize
}

/// What the polish has come to.
pub(crate) struct Polished {
    /// Where the run stands.
    pub(crate) standing: Standing,
    /// Whether the gap is as small as numbers of this precision allow.
    pub(crate) exhausted: bool,
}

/// A smaller problem: some coefficients, and what the others do to them.
struct Lesser {
    rows: Vec<usize>,
    k: Matrix,
    problem: DualProblem,
    /// What the others add to the slopes.
    shift: Vec<DoubleDouble>,
    start: Vec<f64>,
}

impl Lesser {
    /// The problem of these coefficients of a run, of which the products `v = Kβ` are known.
    fn new<G: Gram + ?Sized>(
        gram: &G,
        problem: &DualProblem,
        beta: &[f64],
        v: &[DoubleDouble],
        rows: Vec<usize>,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Self>> {
        let Some(k) = matrix(gram, &rows, meter)? else { return Ok(None) };
        let start: Vec<f64> = rows.iter().map(|&i| beta[i]).collect();
        let mut shift: Vec<DoubleDouble> = rows.iter().map(|&i| v[i]).collect();
        for (j, &beta) in start.iter().enumerate().filter(|(_, beta)| **beta != 0.0) {
            add_transposed_products(k.column(j), &[(-beta).into()], &mut shift);
        }
        let mut others = beta.to_vec();
        rows.iter().for_each(|&i| others[i] = 0.0);
        let problem = problem.restricted(&rows, &others);
        Ok(Some(Self { rows, k, problem, shift, start }))
    }

    /// The active-set method from a point of which the coefficients between their bounds are free.
    fn improved(&self, start: &[f64], free: &[bool], rounds: usize, meter: &mut Meter<'_>) -> Result<End> {
        active_set::improve(&self.k, &self.problem, &self.shift, start, free, rounds, meter)
    }

    /// The active-set method from where pairs have led.
    fn after_pairs(&self, meter: &mut Meter<'_>) -> Result<End> {
        let (lower, upper) = (self.problem.lower(), self.problem.upper());
        let between = |(i, &b): (usize, &f64)| b != 0.0 && b != upper[i] && b != lower[i];
        let free: Vec<bool> = self.start.iter().enumerate().map(between).collect();
        self.improved(&self.start, &free, ROUNDS_AFTER_PAIRS, meter)
    }

    /// The interior-point method, then the active-set method from where it ends; the run takes what is better.
    fn through_the_interior<G: Gram + ?Sized>(
        &self,
        smo: &mut Smo<'_, G>,
        now: Standing,
        goal: f64,
        nought: f64,
        meter: &mut Meter<'_>,
    ) -> Result<Polished> {
        let shift: Vec<f64> = self.shift.iter().map(|shift| shift.value()).collect();
        let problem = self.problem.shifted(&shift);
        // The active-set method adds the last digits.
        let goal = (0.1 * goal).max(1e-12);
        let Some(point) = interior_point::solve(&self.k, &problem, goal, nought, meter)? else {
            return Ok(Polished { standing: now, exhausted: false });
        };
        let end = self.improved(&point.snapped, &point.free, ROUNDS, meter)?;
        let polished = ended(smo, &self.rows, &end, now)?;
        if end.settled.is_some() {
            return Ok(polished);
        }
        let standing = smo.take_if_better(&self.rows, &point.beta, polished.standing)?;
        Ok(Polished { standing, exhausted: false })
    }
}

/// Moves the undecided coefficients of a run to where they belong, as far as the budget goes; the run goes on from the
/// better point.
pub(crate) fn polish<G: Gram + ?Sized>(
    gram: &G,
    smo: &mut Smo<'_, G>,
    goal: f64,
    nought: f64,
    meter: &mut Meter<'_>,
) -> Result<Polished> {
    let v = smo.resynchronise_precisely()?;
    let now = smo.standing()?;
    let undecided = smo.undecided(&now, most_undecided(smo.cache_figures().bytes, meter));
    if undecided.is_empty() {
        return Ok(Polished { standing: now, exhausted: false });
    }
    let Some(lesser) = Lesser::new(gram, smo.problem(), smo.beta(), &v, undecided, meter)? else {
        return Ok(Polished { standing: now, exhausted: false });
    };
    let polished = ended(smo, &lesser.rows, &lesser.after_pairs(meter)?, now)?;
    if polished.exhausted || polished.standing.relative_gap() <= goal || meter.advance(0, 0).is_some() {
        return Ok(polished);
    }
    lesser.through_the_interior(smo, polished.standing, goal, nought, meter)
}

/// Solves for all coefficients, from no start.
pub(crate) fn polish_all<G: Gram + ?Sized>(
    gram: &G,
    smo: &mut Smo<'_, G>,
    goal: f64,
    nought: f64,
    meter: &mut Meter<'_>,
) -> Result<Standing> {
    let all: Vec<usize> = (0..smo.beta().len()).collect();
    let needed = bytes_of(all.len()).saturating_add(smo.cache_figures().bytes);
    meter.budget().check_memory("the matrix of all coefficients", needed)?;
    let v = smo.resynchronise_precisely()?;
    let now = smo.standing()?;
    let Some(lesser) = Lesser::new(gram, smo.problem(), smo.beta(), &v, all, meter)? else { return Ok(now) };
    Ok(lesser.through_the_interior(smo, now, goal, nought, meter)?.standing)
}

/// Takes the end of the active-set method, if it is better.
fn ended<G: Gram + ?Sized>(
    smo: &mut Smo<'_, G>,
    rows: &[usize],
    end: &End,
    now: Standing,
) -> Result<Polished> {
    let standing = smo.take_if_better(rows, &end.beta, now)?;
    // Nothing is left but rounding, of these coefficients and of all others.
    let exhausted = end.settled.is_some_and(|noise| smo.violation() <= 16.0 * noise);
    Ok(Polished { standing, exhausted })
}

/// The matrix over some variables; none if a limit is met before it is whole.
fn matrix<G: Gram + ?Sized>(gram: &G, rows: &[usize], meter: &mut Meter<'_>) -> Result<Option<Matrix>> {
    // As many rows at a time as the engine computes at full speed.
    const BLOCK: usize = 48;
    let m = rows.len();
    let mut k = Matrix::zeros(m, m)?;
    for (block, out) in rows.chunks(BLOCK).zip(k.values_mut().chunks_mut(BLOCK * m)) {
        gram.fill(block, Columns::List(rows), out)?;
        if meter.advance(0, (block.len() * m) as u64).is_some() {
            return Ok(None);
        }
    }
    Ok(Some(k))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::{Budget, Control, MatrixGram};

    fn meter(budget: Budget) -> Meter<'static> {
        Control::new(budget).start(1000)
    }

    #[test]
    fn what_may_be_undecided_fits_beside_the_cache() {
        for (allowed, cache) in [(1_000_000, 400_000), (10_000, 9_999), (10_000, 20_000)] {
            let most = most_undecided(cache, &meter(Budget::default().with_memory(allowed)));
            assert!(most == 0 || bytes_of(most) + cache <= allowed, "{most} beside {cache} of {allowed}");
            assert!(bytes_of(most + 1) + cache > allowed, "{most} beside {cache} of {allowed}");
        }
    }

    #[test]
    fn a_limit_on_kernel_values_ends_the_matrix() {
        let gram = MatrixGram::precomputed(vec![1.0; 100 * 100], 100).unwrap();
        let rows: Vec<usize> = (0..100).collect();
        let mut limited = meter(Budget::default().with_kernel_evaluations(5_000));
        assert!(matrix(&gram, &rows, &mut limited).unwrap().is_none());
        assert!(matrix(&gram, &rows, &mut meter(Budget::default())).unwrap().is_some());
    }
}
