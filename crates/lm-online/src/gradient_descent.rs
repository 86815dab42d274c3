//! Gradient descent on any twice differentiable criterion.
//!
//! # Problem
//! ```text
//! minimise J(a)   over a ∈ ℝᵈ
//! ```
//! # Method
//! `a ← a − η(k) ∇J(a)` until a step is shorter than the threshold `θ`. The rate is that of a schedule, or the optimal
//! one of the second-order model along the gradient,
//! ```text
//! η = ‖∇J‖² / ∇JᵗH∇J .
//! ```
//! Where the curvature `∇JᵗH∇J` is not positive that model has no minimum, and the run ends and says so.
//! # Cost
//! One gradient, one value and, for the optimal rate, one curvature along the gradient a step.
//! # Reference
//! Duda, Hart & Stork (2001), section 5.4, algorithm 1 and equation 14.

use lm_core::{Control, Fit, Result};

use crate::Schedule;
use crate::criterion::Criterion;
use crate::descent::{self, Limits, State, Stationarity, Turn, Visit, minimises};

/// The settings of gradient descent.
///
/// ```
/// use lm_core::{BinaryLabels, Certificate, Dense, TrainingSet};
/// use lm_online::{Bias, GradientDescent, SampleCriterion};
///
/// let examples = Dense::new(vec![0.0, 1.0, 3.0, 5.0], 4, 1)?;
/// let labels = BinaryLabels::from_integers(&[-1, -1, 1, 1])?;
/// let set = TrainingSet::new(&examples, &labels)?;
/// let criterion = SampleCriterion::squared_error(&set, Bias::Standard, 1.0)?;
/// let fit = GradientDescent::default().minimise(&criterion, &[0.0, 0.0])?.converged()?;
/// assert!(fit.certificate.gradient_norm() < 1e-6);
/// assert!(fit.certificate.verify(&criterion)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GradientDescent {
    limits: Limits,
    schedule: Option<Schedule>,
}

impl Default for GradientDescent {
    fn default() -> Self {
        Self { limits: Limits { steps: 10_000, threshold: 1e-9 }, schedule: None }
    }
}

impl GradientDescent {
    /// Takes its rates from a schedule, `k` counting steps. Default: the optimal rate, computed anew in every step.
    #[must_use]
    pub fn with_schedule(self, schedule: Schedule) -> Self {
        Self { schedule: Some(schedule), ..self }
    }

    fn go<C: Criterion + ?Sized>(
        &self,
        criterion: &C,
        start: &[f64],
        control: &Control<'_>,
        watch: &mut dyn FnMut(&Visit<'_>),
    ) -> Result<Fit<Vec<f64>, Stationarity>> {
        let mut unit = vec![0.0; criterion.dim()];
        descent::run((criterion, start), control, self.limits, watch, |state, k| match self.schedule {
            Some(schedule) => Ok(state.descend(schedule.rate(k), None)),
            None => step(state, &mut unit),
        })
    }
}

minimises! {
    GradientDescent,
    steps = "10 000",
    infeasible = "the curvature along the gradient was not positive"
}

/// Moves the point along the gradient by the optimal rate.
fn step<C: Criterion + ?Sized>(state: &mut State<'_, C>, unit: &mut [f64]) -> Result<Turn> {
    // Along the gradient of length 1, so that no square overflows.
    let size = state.gradient_norm;
    unit.iter_mut().zip(&state.gradient).for_each(|(unit, slope)| *unit = slope / size);
    let curvature = state.criterion.hessian_along(&state.a, unit)?;
    // Written so that NaN fails.
    Ok(if curvature > 0.0 { state.descend(1.0 / curvature, None) } else { Turn::Flat(curvature) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::{Budget, Certificate, Error, Stop};

    /// `½ Σ cₖ(aₖ − k)²`.
    struct Diagonal(Vec<f64>);

    impl Criterion for Diagonal {
        fn dim(&self) -> usize {
            self.0.len()
        }

        fn value(&self, a: &[f64]) -> f64 {
            self.0.iter().zip(a).enumerate().map(|(k, (c, a))| 0.5 * c * (a - k as f64).powi(2)).sum()
        }

        fn gradient(&self, a: &[f64], out: &mut [f64]) {
            for (k, (out, a)) in out.iter_mut().zip(a).enumerate() {
                *out = self.0[k] * (a - k as f64);
            }
        }

        fn hessian(&self, _: &[f64], out: &mut [f64]) {
            out.fill(0.0);
            self.0.iter().enumerate().for_each(|(k, c)| out[k * self.0.len() + k] = *c);
        }
    }

    #[test]
    fn the_optimal_rate_minimises_along_the_gradient() {
        let bowl = Diagonal(vec![1.0, 4.0]);
        let mut path = Vec::new();
        let descent = GradientDescent::default().with_steps(3);
        descent
            .minimise_with(&bowl, &[4.0, 2.0], &Control::default(), &mut |visit| {
                path.push((visit.iteration, visit.point.to_vec(), visit.value));
            })
            .unwrap();
        // The gradient is (4, 4): η = 32/(16 + 64) = 0.4.
        assert_eq!(path[0].1, [4.0, 2.0]);
        assert!((path[1].1[0] - 2.4).abs() < 1e-15 && (path[1].1[1] - 0.4).abs() < 1e-15);
        assert!(path.len() == 4 && path.windows(2).all(|pair| pair[1].2 < pair[0].2));
        let round = Diagonal(vec![3.0, 3.0]);
        let fit = GradientDescent::default().minimise(&round, &[7.0, -2.0]).unwrap().converged().unwrap();
        assert!(
            fit.report.iterations <= 2 && fit.model[0].abs() < 1e-14 && (fit.model[1] - 1.0).abs() < 1e-14
        );
        assert!(fit.certificate.verify(&round).unwrap().is_valid());
    }

    #[test]
    fn a_schedule_sets_the_rates() {
        let bowl = Diagonal(vec![1.0, 4.0]);
        let descent = GradientDescent::default().with_schedule(Schedule::constant(0.25).unwrap());
        let fit = descent.minimise(&bowl, &[4.0, 2.0]).unwrap().converged().unwrap();
        assert!(fit.model[0].abs() < 1e-7 && (fit.model[1] - 1.0).abs() < 1e-7);
        let steep = GradientDescent::default().with_schedule(Schedule::constant(10.0).unwrap());
        assert!(matches!(steep.minimise(&bowl, &[4.0, 2.0]), Err(Error::Numerical { .. })));
    }

    #[test]
    fn curvature_that_is_not_positive_ends_the_run_with_its_value() {
        for (curvatures, start) in [(vec![1.0, -4.0], vec![0.0, 3.0]), (vec![0.0, -1.0], vec![1.0, 2.0])] {
            let saddle = Diagonal(curvatures);
            let fit = GradientDescent::default().minimise(&saddle, &start).unwrap();
            assert_eq!(fit.report.stop, Stop::Infeasible);
            assert!(fit.certificate.curvature().unwrap() <= 0.0);
            assert!(fit.certificate.verify(&saddle).unwrap().is_valid());
        }
    }

    #[test]
    fn budgets_settings_and_another_criterion() {
        let bowl = Diagonal(vec![1.0, 4.0]);
        let control = Control::new(Budget::default().with_iterations(0));
        let fit =
            GradientDescent::default().minimise_with(&bowl, &[4.0, 2.0], &control, &mut |_| {}).unwrap();
        assert_eq!((fit.report.stop, fit.report.iterations), (Stop::Iterations, 0));
        assert!(fit.certificate.verify(&Diagonal(vec![1.0])).is_err());
        assert!(!fit.certificate.verify(&Diagonal(vec![1.0, 5.0])).unwrap().is_valid());
        let descent = GradientDescent::default();
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            let refused = descent.with_threshold(bad).minimise(&bowl, &[0.0; 2]);
            assert!(matches!(refused, Err(Error::Setting { name: "threshold", .. })));
        }
        assert!(matches!(
            descent.with_steps(0).minimise(&bowl, &[0.0; 2]),
            Err(Error::Setting { name: "steps", .. })
        ));
        assert!(matches!(descent.minimise(&bowl, &[0.0]), Err(Error::Length { .. })));
        assert!(matches!(descent.minimise(&bowl, &[0.0, f64::NAN]), Err(Error::NonFinite { row: 1, .. })));
    }
}
