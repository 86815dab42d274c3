//! Newton descent on any twice differentiable criterion.
//!
//! # Problem
//! ```text
//! minimise J(a)   over a ∈ ℝᵈ
//! ```
//! # Method
//! `a ← a − H⁻¹∇J(a)`, the minimum of the second-order model, until a step is shorter than the threshold `θ`. On a
//! quadratic function one step is enough. A matrix of second derivatives that is singular or not positive definite has
//! no such minimum: the run ends there and says so.
//! # Cost
//! One gradient, one matrix of `d²` second derivatives and `d³/6` multiplications a step.
//! # Reference
//! Duda, Hart & Stork (2001), section 5.4, algorithm 2.

use lm_core::{Control, Fit, Result};

use crate::cholesky;
use crate::criterion::{Criterion, square};
use crate::descent::{self, Limits, State, Stationarity, Turn, Visit, minimises};

/// The settings of Newton descent.
///
/// ```
/// use lm_core::{BinaryLabels, Dense, TrainingSet};
/// use lm_online::{Bias, Newton, SampleCriterion};
///
/// let examples = Dense::new(vec![0.0, 1.0, 3.0, 5.0], 4, 1)?;
/// let labels = BinaryLabels::from_integers(&[-1, -1, 1, 1])?;
/// let set = TrainingSet::new(&examples, &labels)?;
/// let criterion = SampleCriterion::squared_error(&set, Bias::Standard, 1.0)?;
/// let fit = Newton::default().with_steps(1).minimise(&criterion, &[5.0, -3.0])?;
/// assert!(fit.certificate.gradient_norm() < 1e-12); // after one step
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Newton {
    limits: Limits,
}

impl Default for Newton {
    fn default() -> Self {
        Self { limits: Limits { steps: 200, threshold: 1e-9 } }
    }
}

impl Newton {
    fn go<C: Criterion + ?Sized>(
        &self,
        criterion: &C,
        start: &[f64],
        control: &Control<'_>,
        watch: &mut dyn FnMut(&Visit<'_>),
    ) -> Result<Fit<Vec<f64>, Stationarity>> {
        let needed = criterion.dim().saturating_mul(criterion.dim()).saturating_mul(size_of::<f64>());
        control.budget().check_memory("the matrix of second derivatives", needed)?;
        let (mut matrix, mut direction) = (square(criterion.dim())?, vec![0.0; criterion.dim()]);
        descent::run((criterion, start), control, self.limits, watch, |state, _| {
            Ok(step(state, &mut matrix, &mut direction))
        })
    }
}

minimises! {
    Newton,
    steps = "200",
    infeasible = "the matrix of second derivatives was not positive definite"
}

/// Moves the point to the minimum of the second-order model.
fn step<C: Criterion + ?Sized>(state: &mut State<'_, C>, matrix: &mut [f64], direction: &mut [f64]) -> Turn {
    state.criterion.hessian(&state.a, matrix);
    direction.copy_from_slice(&state.gradient);
    match cholesky::solve(matrix, direction) {
        Ok(()) => state.descend(1.0, Some(direction)),
        Err(found) => Turn::Flat(found.pivot),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::{Budget, Certificate, Error, Stop};

    /// `a⁴/4 − a + c·b²/2`.
    struct Quartic {
        c: f64,
    }

    impl Criterion for Quartic {
        fn dim(&self) -> usize {
            2
        }

        fn value(&self, a: &[f64]) -> f64 {
            0.25 * a[0].powi(4) - a[0] + 0.5 * self.c * a[1] * a[1]
        }

        fn gradient(&self, a: &[f64], out: &mut [f64]) {
            out.copy_from_slice(&[a[0].powi(3) - 1.0, self.c * a[1]]);
        }

        fn hessian(&self, a: &[f64], out: &mut [f64]) {
            out.copy_from_slice(&[3.0 * a[0] * a[0], 0.0, 0.0, self.c]);
        }
    }

    /// `2a² + 2ab + 5b² − 8a − 22b`, least at (1, 2).
    struct Bowl;

    impl Criterion for Bowl {
        fn dim(&self) -> usize {
            2
        }

        fn value(&self, a: &[f64]) -> f64 {
            2.0 * a[0] * a[0] + 2.0 * a[0] * a[1] + 5.0 * a[1] * a[1] - 8.0 * a[0] - 22.0 * a[1]
        }

        fn gradient(&self, a: &[f64], out: &mut [f64]) {
            out.copy_from_slice(&[4.0 * a[0] + 2.0 * a[1] - 8.0, 2.0 * a[0] + 10.0 * a[1] - 22.0]);
        }

        fn hessian(&self, _: &[f64], out: &mut [f64]) {
            out.copy_from_slice(&[4.0, 2.0, 2.0, 10.0]);
        }
    }

    #[test]
    fn a_quadratic_takes_one_step() {
        for start in [[0.0, 0.0], [9.0, -6.0], [-2.0, 5.0]] {
            let fit = Newton::default().minimise(&Bowl, &start).unwrap().converged().unwrap();
            assert_eq!(fit.model, [1.0, 2.0]);
            assert_eq!(fit.report.iterations, 1);
            assert!(fit.certificate.verify(&Bowl).unwrap().is_valid());
        }
    }

    #[test]
    fn steps_double_the_digits() {
        let criterion = Quartic { c: 2.0 };
        let mut errors = Vec::new();
        let fit = Newton::default()
            .minimise_with(&criterion, &[2.0, 3.0], &Control::default(), &mut |visit| {
                errors.push((visit.point[0] - 1.0).abs());
            })
            .unwrap();
        assert_eq!(fit.report.stop, Stop::Converged);
        assert!(fit.report.iterations < 10 && fit.certificate.gradient_norm() < 1e-9);
        assert!(
            errors.windows(2).skip(2).all(|pair| pair[1] <= 2.0 * pair[0] * pair[0] + 1e-15),
            "{errors:?}"
        );
    }

    #[test]
    fn a_matrix_that_is_not_positive_definite_ends_the_run() {
        for (c, start) in [(0.0, [2.0, 1.0]), (-1.0, [2.0, 1.0]), (1.0, [0.0, 1.0])] {
            let criterion = Quartic { c };
            let fit = Newton::default().minimise(&criterion, &start).unwrap();
            assert_eq!(fit.report.stop, Stop::Infeasible, "c = {c}");
            assert!(fit.certificate.curvature().unwrap() <= 0.0 && fit.model == start);
        }
    }

    #[test]
    fn broken_criteria_budgets_and_settings() {
        struct Broken;
        impl Criterion for Broken {
            fn dim(&self) -> usize {
                1
            }
            fn value(&self, _: &[f64]) -> f64 {
                f64::NAN
            }
            fn gradient(&self, _: &[f64], out: &mut [f64]) {
                out.fill(f64::NAN);
            }
            fn hessian(&self, _: &[f64], out: &mut [f64]) {
                out.fill(f64::NAN);
            }
        }
        assert!(matches!(Newton::default().minimise(&Broken, &[1.0]), Err(Error::Numerical { .. })));
        let control = Control::new(Budget::default().with_memory(8));
        let refused = Newton::default().minimise_with(&Bowl, &[0.0; 2], &control, &mut |_| {});
        assert!(matches!(refused, Err(Error::Memory { needed: 32, .. })));
        let refused = Newton::default().with_threshold(f64::NAN).minimise(&Bowl, &[0.0; 2]);
        assert!(matches!(refused, Err(Error::Setting { name: "threshold", .. })));
        assert!(Newton::default().with_steps(0).minimise(&Bowl, &[0.0; 2]).is_err());
    }
}
