//! The linear system of kernel ridge regression and of Gaussian processes, and the ways to solve it.
//!
//! # Problem
//! ```text
//! (K + D) α + b·1 = y ,   D = λW⁻¹ ,   with  Σα = 0  where the bias is free,  b = 0  where there is none
//! ```
//! # Method
//! Conjugate gradients, preconditioned by what the memory allows and the spectrum needs: by a factor of `K + D`, which makes
//! the first step the direct solution; by a factor of it in single precision; or by `LLᵗ + D`, with the few columns `L` of
//! a pivoted Cholesky factorisation of `K`. The whole matrix is kept where it fits, as its lower triangle; otherwise
//! products are computed from rows that are kept nowhere. Where a preconditioner turns out too weak, the next stronger one
//! goes on from the same iterate. A matrix without a factor in working precision is factorised with a larger diagonal: that
//! enters the preconditioner, never the solution.
//! # Cost
//! `n²/2` kernel values, then `n³/3` operations for a factor, or `n²` for each of some ten to a hundred products.
//! # Reference
//! Cutajar, Osborne, Cunningham & Filippone (2016) for preconditioned kernel systems; Higham (2002), section 12 for
//! refinement.

mod preconditioners;
mod products;

use lm_core::linalg::{Cholesky, Interruptible, Matrix, SingleCholesky, power_of_two};
use lm_core::{Budget, Error, Gram, Meter, Result, Stop};

use self::preconditioners::{Diagonal, FewColumns};
use self::products::{Rows, Stored, lower_triangle};
use crate::conjugate_gradients::{End, Preconditioner, State, largest};

/// Rows of the Gram matrix that are computed together.
const BLOCK: usize = 96;

/// Bytes that a learner of this crate uses for a kernel matrix, unless the budget says otherwise: 2 GiB.
pub(crate) const DEFAULT_MEMORY: usize = 1 << 31;

/// Iterations that a run may take, unless the budget says otherwise.
pub(crate) const DEFAULT_ITERATIONS: u64 = 2000;

/// Vectors of an iteration, with some room.
const VECTORS: usize = 10;

/// The columns of a preconditioner for a matrix in memory: few enough that they cost less than what they save.
fn rank(len: usize) -> usize {
    (len / 32).clamp(64, 512)
}

/// The bytes that a way takes at least.
pub(crate) fn bytes(solver: KernelSolver, len: usize) -> usize {
    let (whole, rows) = match solver {
        KernelSolver::Automatic | KernelSolver::FewColumns => (8, VECTORS + BLOCK + 2 * rank(len)),
        KernelSolver::Cholesky => (8, VECTORS + BLOCK.min(len)),
        KernelSolver::SingleCholesky => (12, VECTORS + BLOCK.min(len)),
        KernelSolver::MatrixFree => (0, VECTORS + 1),
    };
    len.saturating_mul(len).saturating_mul(whole).saturating_add(len.saturating_mul(8 * rows))
}

/// How the linear system of a kernel learner is solved. All ways lead to the same solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum KernelSolver {
    /// What the memory allows and the data need: the matrix in memory, with few columns as preconditioner first, then a
    /// factor in single precision, then one in double precision; products from rows where the matrix does not fit.
    #[default]
    Automatic,
    /// A factor in double precision: `8n²` bytes, `n³/3` operations.
    Cholesky,
    /// A factor in single precision as preconditioner: `12n²` bytes, half the time.
    SingleCholesky,
    /// The whole matrix in memory, and few of its columns as preconditioner: `8n²` bytes, some ten products.
    FewColumns,
    /// Nothing but few columns in memory: a product costs `n²/2` kernel values.
    MatrixFree,
}

/// A kernel system, without its right-hand side.
pub(crate) struct System<'a, G: ?Sized> {
    pub(crate) gram: &'a G,
    /// The diagonal `D`, positive.
    pub(crate) ridge: &'a [f64],
    pub(crate) free_bias: bool,
    /// The relative duality gap that is asked for.
    pub(crate) tolerance: f64,
    pub(crate) solver: KernelSolver,
}

/// A way to go on with a matrix in memory.
type Way<S> = fn(&S, &Matrix, &mut State<'_>, &mut Meter<'_>) -> Result<End>;

/// A solution, or how far a run came.
#[derive(Debug)]
pub(crate) struct Solution {
    pub(crate) alpha: Vec<f64>,
    pub(crate) bias: f64,
    /// `y − (K + D)α − b·1`.
    pub(crate) residual: Vec<f64>,
    pub(crate) stop: Stop,
}

/// A factor of `K + D + τI`, where the jitter `τ` is 0 unless there is none without it.
#[derive(Debug)]
pub(crate) struct Factored {
    pub(crate) cholesky: Cholesky,
    pub(crate) jitter: f64,
}

impl<G: Gram + ?Sized> System<'_, G> {
    /// Solves the system within the budget.
    pub(crate) fn solve(&self, targets: &[f64], meter: &mut Meter<'_>) -> Result<Solution> {
        // Powers of two: the same solution at every scale of the targets, without overflow on the way.
        let unit = power_of_two(largest(targets));
        let scaled: Vec<f64> = targets.iter().map(|y| y / unit).collect();
        let mut state = State::new(&scaled, self.ridge, self.free_bias, self.tolerance);
        let end = match meter.advance(0, 0) {
            Some(stop) => End::Stopped(stop),
            None if state.is_solved() => End::Solved,
            None => self.advance(&mut state, meter)?,
        };
        self.finished(state, unit, end)
    }

    /// Solves the system with a factor that is there already.
    pub(crate) fn solve_by(
        &self,
        factored: &Factored,
        targets: &[f64],
        meter: &mut Meter<'_>,
    ) -> Result<Solution> {
        let unit = power_of_two(largest(targets));
        let scaled: Vec<f64> = targets.iter().map(|y| y / unit).collect();
        let mut state = State::new(&scaled, self.ridge, self.free_bias, self.tolerance);
        let end = state.run(&self.rows(BLOCK), &factored.cholesky, meter.iterations_left(), meter)?;
        self.finished(state, unit, end)
    }

    fn finished(&self, state: State<'_>, unit: f64, end: End) -> Result<Solution> {
        let stop = match end {
            _ if state.is_solved() => Stop::Converged,
            End::Stopped(stop) => stop,
            End::Solved | End::Slow | End::Stalled => Stop::Stalled,
        };
        let (mut alpha, bias, mut residual) = (state.alpha, state.bias * unit, state.residual);
        alpha.iter_mut().chain(&mut residual).for_each(|value| *value *= unit);
        if bias.is_finite() && alpha.iter().chain(&residual).all(|value| value.is_finite()) {
            Ok(Solution { alpha, bias, residual, stop })
        } else {
            Err(Error::Numerical { what: "the solution of the kernel system (rescale the data)" })
        }
    }

    fn advance(&self, state: &mut State<'_>, meter: &mut Meter<'_>) -> Result<End> {
        match self.chosen(meter.budget())? {
            KernelSolver::MatrixFree => self.matrix_free(state, meter),
            KernelSolver::Cholesky => {
                let triangle = match lower_triangle(self.gram, self.ridge, meter)? {
                    Ok(triangle) => triangle,
                    Err(stop) => return Ok(End::Stopped(stop)),
                };
                self.by_factor(triangle, state, meter)
            }
            KernelSolver::SingleCholesky => self.in_memory(&[Self::by_single_factor], state, meter),
            KernelSolver::FewColumns => self.in_memory(&[Self::by_few_columns], state, meter),
            KernelSolver::Automatic => {
                self.in_memory(&[Self::by_few_columns, Self::by_single_factor], state, meter)
            }
        }
    }

    /// The way that is taken, if it fits into the memory.
    fn chosen(&self, budget: &Budget) -> Result<KernelSolver> {
        // Up to here a factor costs less than the choice.
        const SMALL: usize = 768;
        let len = self.gram.len();
        if self.solver != KernelSolver::Automatic {
            budget.check_memory("the kernel matrix", bytes(self.solver, len))?;
            return Ok(self.solver);
        }
        let allowed = budget.memory().unwrap_or(DEFAULT_MEMORY);
        let fits = |solver| bytes(solver, len) <= allowed;
        Ok(if len > SMALL && fits(KernelSolver::FewColumns) {
            KernelSolver::Automatic
        } else if fits(KernelSolver::Cholesky) {
            KernelSolver::Cholesky
        } else {
            KernelSolver::MatrixFree
        })
    }

    /// Tries one preconditioner after the other on the matrix in memory, and at last its factor.
    fn in_memory(&self, ways: &[Way<Self>], state: &mut State<'_>, meter: &mut Meter<'_>) -> Result<End> {
        let triangle = match lower_triangle(self.gram, self.ridge, meter)? {
            Ok(triangle) => triangle,
            Err(stop) => return Ok(End::Stopped(stop)),
        };
        for way in ways {
            match way(self, &triangle, state, meter)? {
                End::Slow | End::Stalled => {}
                end => return Ok(end),
            }
        }
        self.by_factor(triangle, state, meter)
    }

    /// The matrix in memory, few columns as preconditioner. It gives up when a factor would cost less.
    fn by_few_columns(&self, triangle: &Matrix, state: &mut State<'_>, meter: &mut Meter<'_>) -> Result<End> {
        let len = self.gram.len();
        let Some(columns) = FewColumns::of(self.gram, self.ridge, rank(len), meter)? else {
            return Ok(End::Slow);
        };
        // A product takes n² operations at the pace of the memory, a factor n³/3 at that of the processor.
        let most = (len as u64 / 160).max(12);
        state.run(&Stored(triangle), &columns, most, meter)
    }

    /// The matrix in memory, its factor in single precision as preconditioner.
    fn by_single_factor(
        &self,
        triangle: &Matrix,
        state: &mut State<'_>,
        meter: &mut Meter<'_>,
    ) -> Result<End> {
        const MOST: u64 = 25;
        let needed = bytes(KernelSolver::SingleCholesky, self.gram.len());
        if needed > meter.budget().memory().unwrap_or(usize::MAX) {
            return Ok(End::Slow);
        }
        let mut stopped = None;
        let factor = SingleCholesky::factor_while(triangle, &mut || {
            stopped = meter.advance(0, 0);
            stopped.is_none()
        })?;
        match (factor, stopped) {
            (Interruptible::Done(Some(factor)), _) => state.run(&Stored(triangle), &factor, MOST, meter),
            (Interruptible::Stopped, Some(stop)) => Ok(End::Stopped(stop)),
            _ => Ok(End::Slow),
        }
    }

    /// A factor in double precision as preconditioner: the direct solution, refined.
    fn by_factor(&self, triangle: Matrix, state: &mut State<'_>, meter: &mut Meter<'_>) -> Result<End> {
        match self.factored(triangle, meter)? {
            Ok(factored) => state.run(&self.rows(BLOCK), &factored.cholesky, meter.iterations_left(), meter),
            Err(stop) => Ok(End::Stopped(stop)),
        }
    }

    /// A factor of the system from its lower triangle, with as much jitter as it takes.
    fn factored(&self, mut triangle: Matrix, meter: &mut Meter<'_>) -> Result<Result<Factored, Stop>> {
        let len = self.gram.len();
        let size = (0..len).fold(0.0, |size: f64, k| size.max(triangle[(k, k)].abs()));
        let mut jitter = 0.0;
        loop {
            for k in 0..len {
                triangle[(k, k)] += jitter;
            }
            let mut stopped = None;
            let factor = Cholesky::factor_while(triangle, &mut || {
                stopped = meter.advance(0, 0);
                stopped.is_none()
            })?;
            match (factor, stopped) {
                (Interruptible::Done(Some(cholesky)), _) => return Ok(Ok(Factored { cholesky, jitter })),
                (Interruptible::Stopped, stop) => return Ok(Err(stop.unwrap_or(Stop::Cancelled))),
                (Interruptible::Done(None), _) => {}
            }
            // From what rounding leaves of a matrix of rank one up to where nothing of the matrix would be left.
            jitter = if jitter == 0.0 { len as f64 * f64::EPSILON * size } else { 10.0 * jitter };
            if !(jitter < size) {
                return Err(Error::Numerical {
                    what: "a factor of the kernel matrix, which is not positive,",
                });
            }
            triangle = match lower_triangle(self.gram, self.ridge, meter)? {
                Ok(triangle) => triangle,
                Err(stop) => return Ok(Err(stop)),
            };
        }
    }

    /// A factor of the system, from the Gram matrix.
    pub(crate) fn factor(&self, meter: &mut Meter<'_>) -> Result<Result<Factored, Stop>> {
        match lower_triangle(self.gram, self.ridge, meter)? {
            Ok(triangle) => self.factored(triangle, meter),
            Err(stop) => Ok(Err(stop)),
        }
    }

    /// Products from rows, few columns as preconditioner.
    fn matrix_free(&self, state: &mut State<'_>, meter: &mut Meter<'_>) -> Result<End> {
        let len = self.gram.len();
        meter.budget().check_memory("conjugate gradients", bytes(KernelSolver::MatrixFree, len))?;
        let allowed = meter.budget().memory().unwrap_or(DEFAULT_MEMORY) / size_of::<f64>();
        let left = (allowed / len.max(1)).saturating_sub(VECTORS);
        // The columns of the factor are there twice while they are made.
        let rank = (2 * rank(len)).min(left / 4);
        let rows = (left - 2 * rank).clamp(1, BLOCK);
        let columns = match rank {
            0 => None,
            _ => FewColumns::of(self.gram, self.ridge, rank, meter)?,
        };
        let preconditioner: Box<dyn Preconditioner> = match columns {
            Some(columns) => Box::new(columns),
            None => Box::new(Diagonal::of(self.gram, self.ridge)?),
        };
        state.run(&self.rows(rows), &*preconditioner, meter.iterations_left(), meter)
    }

    fn rows(&self, rows: usize) -> Rows<'_, G> {
        Rows { gram: self.gram, ridge: self.ridge, rows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conjugate_gradients::{Operator, dot};
    use lm_core::{Control, Dense, MatrixGram, VectorGram, VectorKernel};

    fn data(len: usize) -> (Dense<'static>, Vec<f64>) {
        let x: Vec<f64> = (0..2 * len).map(|k| (k as f64 * 0.7).sin() * (1.0 + (k % 7) as f64)).collect();
        let y = (0..len).map(|k| (x[2 * k] + 0.5 * x[2 * k + 1]).sin() + 0.1 * (k as f64).cos()).collect();
        (Dense::new(x, len, 2).unwrap(), y)
    }

    #[test]
    fn all_ways_lead_to_the_same_solution() {
        let len = 1000;
        let (examples, targets) = data(len);
        let gram = VectorGram::new(&examples, VectorKernel::gaussian(0.3).unwrap()).unwrap();
        let ridge: Vec<f64> = (0..len).map(|k| 0.1 + 0.01 * (k % 5) as f64).collect();
        for free_bias in [false, true] {
            let solve = |solver| {
                let system = System { gram: &gram, ridge: &ridge, free_bias, tolerance: 1e-22, solver };
                system.solve(&targets, &mut Control::default().start(DEFAULT_ITERATIONS)).unwrap()
            };
            let direct = solve(KernelSolver::Cholesky);
            assert_eq!(direct.stop, Stop::Converged);
            let size = largest(&direct.alpha);
            for solver in [
                KernelSolver::Automatic,
                KernelSolver::SingleCholesky,
                KernelSolver::FewColumns,
                KernelSolver::MatrixFree,
            ] {
                let other = solve(solver);
                assert_eq!(other.stop, Stop::Converged, "{solver:?}");
                let off: Vec<f64> = direct.alpha.iter().zip(&other.alpha).map(|(a, b)| a - b).collect();
                assert!(largest(&off) < 1e-10 * size, "{solver:?}: {:e}", largest(&off) / size);
                assert!((direct.bias - other.bias).abs() < 1e-10);
            }
        }
    }

    #[test]
    fn products_from_the_triangle_and_from_rows_are_those_of_the_matrix() {
        for len in [1, 2, 65, 200, 333] {
            let (examples, v) = data(len);
            let gram = VectorGram::new(&examples, VectorKernel::gaussian(0.3).unwrap()).unwrap();
            let whole = MatrixGram::computed(&gram, &Budget::default()).unwrap();
            let ridge = vec![0.25; len];
            let mut meter = Control::default().start(10);
            let triangle = lower_triangle(&gram, &ridge, &mut meter).unwrap().unwrap();
            let operators: [&dyn Operator; 3] = [
                &Stored(&triangle),
                &Rows { gram: &gram, ridge: &ridge, rows: BLOCK },
                &Rows { gram: &gram, ridge: &ridge, rows: 7 },
            ];
            for operator in operators {
                let mut out = vec![0.0; len];
                assert_eq!(operator.apply(&v, &mut out, &mut meter).unwrap(), None);
                for (row, out) in out.iter().enumerate() {
                    let expected = dot(whole.row(row), &v) + 0.25 * v[row];
                    assert!((out - expected).abs() <= 1e-13 * (len as f64), "{len} {row}");
                }
            }
        }
    }

    #[test]
    fn a_matrix_without_a_factor_gets_jitter_in_the_preconditioner_only() {
        // Rank one, and a ridge far below the rounding of its entries.
        let gram = MatrixGram::precomputed(vec![1.0; 2500], 50).unwrap();
        let ridge = vec![1e-18; 50];
        let system = System {
            gram: &gram,
            ridge: &ridge,
            free_bias: false,
            tolerance: 1e-10,
            solver: KernelSolver::Cholesky,
        };
        let mut meter = Control::default().start(DEFAULT_ITERATIONS);
        let factored = system.factor(&mut meter).unwrap().unwrap();
        assert!(factored.jitter > 0.0 && factored.jitter < 1e-9);
        let solution = system.solve(&vec![2.0; 50], &mut meter).unwrap();
        // The targets are those of the constant function 2, which is in the span.
        let sum: f64 = solution.alpha.iter().sum();
        assert!((sum - 2.0).abs() < 1e-9, "{sum}");
    }
}
