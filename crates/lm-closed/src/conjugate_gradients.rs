//! Conjugate gradients with a preconditioner, for kernel systems with or without a free bias.
//!
//! # Problem
//! ```text
//! (K + D) α + b·1 = y      with  Σα = 0  where the bias is free,  b = 0  where there is none
//! ```
//! It is the maximum of the dual `W(α) = yᵗα − ½αᵗ(K + D)α`, on the plane `Σα = 0` where the bias is free.
//! # Method
//! Conjugate directions in the metric of a preconditioner `P ≈ K + D`. Where the bias is free, a direction is projected
//! onto the plane by `z ← z − P⁻¹1·(1ᵗz)/(1ᵗP⁻¹1)`, and what is projected away is the change of the bias; the residual
//! `r = y − (K + D)α − b·1` is kept without it. The duality gap is `½ rᵗD⁻¹r`, so the run ends at a gap, not at a norm.
//! The residual is then computed anew, by a product with the matrix, and the run goes on from it if it had drifted. With
//! a factor of `K + D` itself as preconditioner the first step is the direct solution, and further ones refine it.
//! # Cost
//! One product with the matrix and one solution with the preconditioner an iteration; five vectors.
//! # Reference
//! Hestenes & Stiefel (1952); Gould, Hribar & Nocedal (2001), algorithm II, for the projection.

use lm_core::{Error, Meter, Result, Stop};

/// A symmetric positive definite matrix that is seen by its products.
pub(crate) trait Operator {
    /// `out ← (K + D)v`; the reason to end, if the budget does not allow for all of the product.
    fn apply(&self, v: &[f64], out: &mut [f64], meter: &mut Meter<'_>) -> Result<Option<Stop>>;
}

/// A matrix near to that of the system, which is easy to solve.
pub(crate) trait Preconditioner {
    /// `r ← P⁻¹r`.
    fn solve(&self, r: &mut [f64]) -> Result<()>;
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The gap, from a residual computed anew, meets the tolerance.
    Solved,
    /// As many iterations as were asked for were not enough, or will not be.
    Slow,
    /// No further progress is possible in floating-point arithmetic, or the matrix is not positive definite.
    Stalled,
    /// A limit of the budget was reached.
    Stopped(Stop),
}

/// The iterate, with the buffers of an iteration.
#[derive(Debug)]
pub(crate) struct State<'a> {
    targets: &'a [f64],
    ridge: &'a [f64],
    free_bias: bool,
    tolerance: f64,
    pub(crate) alpha: Vec<f64>,
    pub(crate) bias: f64,
    /// `y − (K + D)α − b·1`.
    pub(crate) residual: Vec<f64>,
    /// `W(α)`.
    dual: f64,
    direction: Vec<f64>,
    /// The preconditioned residual, or the product with a direction.
    work: Vec<f64>,
    /// `P⁻¹1` and its sum, where the bias is free.
    ones: Vec<f64>,
    ones_sum: f64,
    /// `rᵗP⁻¹r`.
    rho: f64,
}

impl<'a> State<'a> {
    /// Starts from the best constant. `ridge` is the diagonal `D`; `tolerance` is that of the relative duality gap.
    pub(crate) fn new(targets: &'a [f64], ridge: &'a [f64], free_bias: bool, tolerance: f64) -> Self {
        let len = targets.len();
        let mut bias = 0.0;
        if free_bias {
            let total: f64 = ridge.iter().map(|d| 1.0 / d).sum();
            bias = targets.iter().zip(ridge).map(|(y, d)| y / d / total).sum();
        }
        Self {
            targets,
            ridge,
            free_bias,
            tolerance,
            alpha: vec![0.0; len],
            bias,
            residual: targets.iter().map(|y| y - bias).collect(),
            dual: 0.0,
            direction: vec![0.0; len],
            work: vec![0.0; len],
            ones: Vec::new(),
            ones_sum: 0.0,
            rho: 0.0,
        }
    }

    /// Iterates with a preconditioner, from where the last run ended: at most `most` times, and fewer if the gap falls so
    /// slowly that it will take longer.
    pub(crate) fn run(
        &mut self,
        operator: &dyn Operator,
        preconditioner: &dyn Preconditioner,
        most: u64,
        meter: &mut Meter<'_>,
    ) -> Result<End> {
        // Iterations after which the pace is known.
        const TRIAL: u64 = 10;
        // Iterations without a smaller gap after which rounding errors are all that is left.
        const PATIENCE: u64 = 100;
        self.restart(preconditioner)?;
        let (first, mut last_checked) = (self.gap(), f64::INFINITY);
        let (mut best, mut best_at) = (first, 0);
        for done in 0.. {
            if self.is_solved() {
                if let Some(stop) = self.refresh(operator, meter)? {
                    return Ok(End::Stopped(stop));
                }
                if self.is_solved() {
                    return Ok(End::Solved);
                }
                if !(self.gap() <= 0.25 * last_checked) {
                    return Ok(End::Stalled);
                }
                last_checked = self.gap();
                best = last_checked;
                self.restart(preconditioner)?;
            }
            if done == TRIAL && self.needed(first, done) > most as f64 {
                return Ok(End::Slow);
            }
            if done >= most || done > best_at + PATIENCE {
                return Ok(if done >= most { End::Slow } else { End::Stalled });
            }
            match self.step(operator, preconditioner, meter)? {
                Some(end) => return Ok(end),
                None => meter.observe(Some(self.dual), Some(self.relative_gap())),
            }
            if self.gap() < best {
                (best, best_at) = (self.gap(), done + 1);
            }
            if let Some(stop) = meter.advance(1, 0) {
                return Ok(End::Stopped(stop));
            }
        }
        Ok(End::Slow)
    }

    /// One iteration: the maximum of the dual along the direction, then the next direction.
    fn step(
        &mut self,
        operator: &dyn Operator,
        preconditioner: &dyn Preconditioner,
        meter: &mut Meter<'_>,
    ) -> Result<Option<End>> {
        if let Some(stop) = operator.apply(&self.direction, &mut self.work, meter)? {
            return Ok(Some(End::Stopped(stop)));
        }
        let curvature = dot(&self.direction, &self.work);
        // Written so that NaN ends the run.
        if !(curvature > 0.0 && self.rho > 0.0 && (self.rho / curvature).is_finite()) {
            return Ok(Some(End::Stalled));
        }
        let step = self.rho / curvature;
        self.dual += 0.5 * step * self.rho;
        self.alpha.iter_mut().zip(&self.direction).for_each(|(alpha, p)| *alpha += step * p);
        self.residual.iter_mut().zip(&self.work).for_each(|(r, q)| *r -= step * q);
        let before = self.rho;
        self.precondition(preconditioner)?;
        let next = self.rho / before;
        self.direction.iter_mut().zip(&self.work).for_each(|(p, z)| *p = z + next * *p);
        Ok(None)
    }

    /// Begins anew from the residual, with the direction of this preconditioner.
    fn restart(&mut self, preconditioner: &dyn Preconditioner) -> Result<()> {
        if self.free_bias {
            self.ones = vec![1.0; self.targets.len()];
            preconditioner.solve(&mut self.ones)?;
            self.ones_sum = self.ones.iter().sum();
            if !(self.ones_sum > 0.0 && self.ones_sum.is_finite()) {
                return Err(Error::Numerical { what: "the bias of the kernel system" });
            }
        }
        self.precondition(preconditioner)?;
        self.direction.copy_from_slice(&self.work);
        Ok(())
    }

    /// `work ← P⁻¹r`, projected where the bias is free, which moves the bias.
    fn precondition(&mut self, preconditioner: &dyn Preconditioner) -> Result<()> {
        self.work.copy_from_slice(&self.residual);
        preconditioner.solve(&mut self.work)?;
        if self.free_bias {
            let shift = self.work.iter().sum::<f64>() / self.ones_sum;
            self.work.iter_mut().zip(&self.ones).for_each(|(z, one)| *z -= shift * one);
            self.residual.iter_mut().for_each(|r| *r -= shift);
            self.bias += shift;
        }
        self.rho = dot(&self.residual, &self.work);
        Ok(())
    }

    /// Computes the residual anew.
    fn refresh(&mut self, operator: &dyn Operator, meter: &mut Meter<'_>) -> Result<Option<Stop>> {
        let stop = operator.apply(&self.alpha, &mut self.work, meter)?;
        if stop.is_none() {
            for ((r, y), product) in self.residual.iter_mut().zip(self.targets).zip(&self.work) {
                *r = (y - self.bias) - product;
            }
        }
        Ok(stop)
    }

    /// The duality gap `½ rᵗD⁻¹r`.
    fn gap(&self) -> f64 {
        0.5 * self.residual.iter().zip(self.ridge).map(|(r, d)| r * (r / d)).sum::<f64>()
    }

    fn relative_gap(&self) -> f64 {
        let gap = self.gap();
        if gap == 0.0 { 0.0 } else { gap / (self.dual + gap).abs() }
    }

    /// Whether the gap meets the tolerance, or the residual is what rounding the targets would leave.
    pub(crate) fn is_solved(&self) -> bool {
        self.relative_gap() <= self.tolerance
            || largest(&self.residual) <= 4.0 * f64::EPSILON * largest(self.targets)
    }

    /// The number of iterations that the gap will take from `first` to the tolerance, at the pace of those done.
    fn needed(&self, first: f64, done: u64) -> f64 {
        let gone = (self.gap() / first).ln();
        let whole = (self.tolerance * (self.dual + self.gap()) / first).ln();
        if gone < 0.0 { done as f64 * whole / gone } else { f64::INFINITY }
    }
}

/// `⟨a·b⟩`, in lanes.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    let (left, right) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f64 = left.remainder().iter().zip(right.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in left.zip(right) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// The largest absolute value.
pub(crate) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::{Budget, Control};

    /// A matrix in memory, row after row.
    struct Whole(Vec<f64>);

    impl Operator for Whole {
        fn apply(&self, v: &[f64], out: &mut [f64], _: &mut Meter<'_>) -> Result<Option<Stop>> {
            out.iter_mut().zip(self.0.chunks_exact(v.len())).for_each(|(out, row)| *out = dot(row, v));
            Ok(None)
        }
    }

    /// The diagonal.
    struct Diagonal(Vec<f64>);

    impl Preconditioner for Diagonal {
        fn solve(&self, r: &mut [f64]) -> Result<()> {
            r.iter_mut().zip(&self.0).for_each(|(r, d)| *r /= d);
            Ok(())
        }
    }

    #[test]
    fn one_step_by_hand() {
        // [[3, 1], [1, 2]]α = (4, 3) from 0 with P = I: the direction is (4, 3), its curvature 90, the step 25/90.
        let (targets, ridge) = ([4.0, 3.0], [1.0, 1.0]);
        let mut state = State::new(&targets, &ridge, false, 1e-20);
        let identity = Diagonal(vec![1.0; 2]);
        state.restart(&identity).unwrap();
        let mut meter = Control::default().start(10);
        let end = state.step(&Whole(vec![3.0, 1.0, 1.0, 2.0]), &identity, &mut meter).unwrap();
        assert_eq!(end, None);
        let step = 25.0 / 90.0;
        assert!((state.alpha[0] - 4.0 * step).abs() < 1e-15 && (state.alpha[1] - 3.0 * step).abs() < 1e-15);
        assert!((state.residual[0] - (4.0 - 15.0 * step)).abs() < 1e-14);
        assert!((state.dual - 0.5 * 25.0 * step).abs() < 1e-14);
    }

    #[test]
    fn as_many_steps_as_rows_solve_a_system_and_a_bordered_one() {
        let matrix = vec![4.0, 1.0, 0.5, 1.0, 3.0, -1.0, 0.5, -1.0, 5.0];
        let (targets, ridge) = ([1.0, -2.0, 3.5], [1.0, 2.0, 0.5]);
        for free_bias in [false, true] {
            let mut state = State::new(&targets, &ridge, free_bias, 1e-28);
            let mut meter = Control::default().start(100);
            let end = state.run(&Whole(matrix.clone()), &Diagonal(vec![4.0, 3.0, 5.0]), 100, &mut meter);
            assert_eq!(end.unwrap(), End::Solved);
            assert!(meter.iterations() <= 5);
            for (row, y) in matrix.chunks_exact(3).zip(targets) {
                assert!((dot(row, &state.alpha) + state.bias - y).abs() < 1e-13);
            }
            let balance: f64 = state.alpha.iter().sum();
            assert!(if free_bias { balance.abs() < 1e-14 } else { state.bias == 0.0 });
        }
    }

    #[test]
    fn negative_curvature_ends_the_run() {
        let (targets, ridge) = ([1.0, 1.0], [1.0, 1.0]);
        let mut state = State::new(&targets, &ridge, false, 1e-20);
        let mut meter = Control::default().start(100);
        let end = state.run(&Whole(vec![-1.0, 0.0, 0.0, -1.0]), &Diagonal(vec![1.0; 2]), 100, &mut meter);
        assert_eq!(end.unwrap(), End::Stalled);
        assert_eq!(state.alpha, [0.0; 2]);
    }

    #[test]
    fn a_limit_is_kept_and_what_was_reached_is_kept_too() {
        let (targets, ridge) = ([4.0, 3.0], [1.0, 1.0]);
        let mut state = State::new(&targets, &ridge, false, 1e-20);
        let mut meter = Control::new(Budget::default().with_iterations(1)).start(100);
        let end = state.run(&Whole(vec![3.0, 1.0, 1.0, 2.0]), &Diagonal(vec![1.0; 2]), 100, &mut meter);
        assert_eq!(end.unwrap(), End::Stopped(Stop::Iterations));
        assert!(state.dual > 0.0);
    }
}
