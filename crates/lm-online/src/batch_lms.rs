//! Least squares by gradient descent over all examples: the batch form of the Widrow–Hoff rule.
//!
//! # Problem
//! ```text
//! minimise Σ ωᵢ (aᵗyᵢ − tᵢ)²   over a ,   y = (β, x) ,  t a real target or a label ±1
//! ```
//! # Method
//! `a ← a − η(k) Σ ωᵢ (aᵗyᵢ − tᵢ) yᵢ`. The rate is that of a schedule, or by default the optimal one, which for a quadratic
//! function minimises along the gradient exactly. Optionally directions are made conjugate to those before, which without
//! rounding ends after as many steps as there are weights. The run starts at zero, so of many solutions it approaches the
//! one of least norm.
//! # Cost
//! Two passes over the data a step, one with a schedule; memory for `3d` numbers. With the plain gradient the steps grow
//! with the condition of `Σ ωyyᵗ`, with conjugate directions with its root.
//! # Reference
//! Widrow & Hoff (1960); Duda, Hart & Stork (2001), section 5.8.4; Cristianini & Shawe-Taylor (2000), exercise 2.2;
//! Hestenes & Stiefel (1952) for conjugate directions.

use lm_core::{Control, Error, Examples, Fit, Linear, Meter, Result, Stop};

use crate::augmented::{Augmented, norm};
use crate::criterion::dot;
use crate::descent::{checked_passes, checked_share};
use crate::{Bias, LeastSquaresCertificate, Schedule, SquaresFigures};

/// How least squares are approached, in primal and in dual form.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Plan {
    pub(crate) schedule: Option<Schedule>,
    pub(crate) conjugate: bool,
    pub(crate) bias: Bias,
    pub(crate) passes: u64,
    pub(crate) tolerance: f64,
}

impl Plan {
    pub(crate) const DEFAULT: Self =
        Self { schedule: None, conjugate: false, bias: Bias::Standard, passes: 10_000, tolerance: 1e-8 };

    pub(crate) fn validate(&self) -> Result<()> {
        checked_passes(self.passes)?;
        checked_share(self.tolerance)
    }
}

/// The setters of least squares by descent over all examples.
macro_rules! settings {
    ($type:ident) => {
        impl $type {
            /// Takes its rates from a schedule, `k` counting steps. Default: the optimal rate, computed anew in every
            /// step.
            #[must_use]
            pub fn with_schedule(self, schedule: Schedule) -> Self {
                Self(Plan { schedule: Some(schedule), ..self.0 })
            }

            /// Makes each direction conjugate to those before. Rates are optimal then, whatever the schedule. Default:
            /// the plain gradient.
            #[must_use]
            pub fn with_conjugate_directions(self) -> Self {
                Self(Plan { conjugate: true, ..self.0 })
            }

            /// How the bias moves; default [`Bias::Standard`]. The solution is the same for all kinds of bias where it is
            /// unique; the way to it is not.
            #[must_use]
            pub fn with_bias(self, bias: Bias) -> Self {
                Self(Plan { bias, ..self.0 })
            }

            /// Ends the run after this many steps. At least 1; default 10 000. A budget on iterations takes its place.
            #[must_use]
            pub fn with_passes(self, passes: u64) -> Self {
                Self(Plan { passes, ..self.0 })
            }

            /// What may be left of the norm of the gradient at zero, between 0 and 1; default 1e-8.
            #[must_use]
            pub fn with_tolerance(self, tolerance: f64) -> Self {
                Self(Plan { tolerance, ..self.0 })
            }
        }
    };
}
pub(crate) use settings;

/// Learning real targets and labels ±1 by one and the same run.
macro_rules! least_squares {
    ($type:ty, $seam:ident, $model:ty, $certificate:ty) => {
        crate::batch_lms::least_squares!(@ $type, $seam, $model, $certificate, lm_core::Targets);
        crate::batch_lms::least_squares!(@ $type, $seam, $model, $certificate, lm_core::BinaryLabels);
    };
    (@ $type:ty, $seam:ident, $model:ty, $certificate:ty, $labels:ty) => {
        impl<S: $seam + ?Sized> lm_core::Learner<S, $labels> for $type {
            type Model = $model;
            type Certificate = $certificate;

            fn fit_with(
                &self,
                set: &lm_core::TrainingSet<'_, S, $labels>,
                control: &lm_core::Control<'_>,
            ) -> lm_core::Result<lm_core::Fit<$model, $certificate>> {
                self.run(set.examples(), &set.labels().values()[..], &|row| set.weight(row), control)
            }
        }
    };
}
pub(crate) use least_squares;

/// The settings of least squares by batch descent.
///
/// ```
/// use lm_core::{Certificate, Dense, Learner, Targets, TrainingSet};
/// use lm_online::BatchLms;
///
/// let examples = Dense::new(vec![0.0, 1.0, 2.0, 3.0], 4, 1)?;
/// let targets = Targets::new(vec![1.0, 2.9, 5.1, 7.0])?; // about 1 + 2x
/// let fit = BatchLms::default().fit(&examples, &targets)?.converged()?;
/// assert!((fit.model.weights()[0] - 2.02).abs() < 1e-6 && (fit.model.bias() - 0.97).abs() < 1e-6);
/// assert!(fit.certificate.verify(&TrainingSet::new(&examples, &targets)?)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BatchLms(Plan);

impl Default for BatchLms {
    fn default() -> Self {
        Self(Plan::DEFAULT)
    }
}

settings!(BatchLms);

impl BatchLms {
    fn run<E: Examples + ?Sized>(
        &self,
        examples: &E,
        targets: &[f64],
        weight: &(dyn Fn(usize) -> f64 + Sync),
        control: &Control<'_>,
    ) -> Result<Fit<Linear, LeastSquaresCertificate>> {
        self.0.validate()?;
        let mut meter = control.start(self.0.passes);
        let mut state = State::new(examples, targets, weight, &self.0)?;
        let stop = state.run(&mut meter)?;
        let function = state.samples.hyperplane(&state.a)?;
        let (bias, figures) = (self.0.bias, state.figures);
        let certificate = LeastSquaresCertificate { function: function.clone(), bias, figures };
        Ok(Fit { model: function, report: meter.report(stop, None), certificate })
    }
}

least_squares!(BatchLms, Examples, Linear, LeastSquaresCertificate);

struct State<'a, E: ?Sized> {
    samples: Augmented<'a, E>,
    targets: &'a [f64],
    weight: &'a (dyn Fn(usize) -> f64 + Sync),
    plan: &'a Plan,
    a: Vec<f64>,
    gradient: Vec<f64>,
    /// Where the next step goes, downwards; the gradient of length 1 unless directions are conjugate.
    direction: Vec<f64>,
    figures: SquaresFigures,
}

impl<'a, E: Examples + ?Sized> State<'a, E> {
    fn new(
        examples: &'a E,
        targets: &'a [f64],
        weight: &'a (dyn Fn(usize) -> f64 + Sync),
        plan: &'a Plan,
    ) -> Result<Self> {
        let samples = Augmented::new(examples, plan.bias, weight);
        let (a, gradient, direction) =
            (vec![0.0; samples.dim()], vec![0.0; samples.dim()], vec![0.0; samples.dim()]);
        let figures = SquaresFigures { sum_of_squares: 0.0, gradient_norm: 0.0, initial_norm: 0.0 };
        let mut state = Self { samples, targets, weight, plan, a, gradient, direction, figures };
        state.look()?;
        state.figures.initial_norm = state.figures.gradient_norm;
        Ok(state)
    }

    fn run(&mut self, meter: &mut Meter<'_>) -> Result<Stop> {
        let mut stop = meter.advance(0, 0);
        loop {
            let figures = self.figures;
            meter.observe(Some(figures.sum_of_squares), Some(figures.relative_gradient()));
            if figures.relative_gradient() <= self.plan.tolerance {
                return Ok(Stop::Converged);
            }
            if let Some(stop) = stop {
                return Ok(stop);
            }
            if !self.step(meter.iterations() + 1) {
                return Ok(Stop::Stalled);
            }
            self.look()?;
            stop = meter.advance(1, 0);
        }
    }

    /// Computes residuals and gradient, and turns the direction.
    fn look(&mut self) -> Result<()> {
        let before = self.figures.gradient_norm;
        let Self { samples, targets, weight, a, gradient, figures, .. } = self;
        gradient.fill(0.0);
        let mut squares = 0.0;
        samples.for_each_score(a, |row, score| {
            let (weight, residual) = (weight(row), score - targets[row]);
            if weight != 0.0 {
                squares += weight * residual * residual;
                samples.add_scaled(row, weight * residual, gradient);
            }
        });
        figures.sum_of_squares = squares;
        figures.gradient_norm = norm(gradient);
        if !(squares.is_finite() && figures.gradient_norm.is_finite()) {
            return Err(Error::Numerical { what: "the squared error (try a smaller learning rate)" });
        }
        let (now, kept) = (self.figures.gradient_norm, self.plan.conjugate && before > 0.0);
        // The direction is kept relative to the norm of its gradient: β = ‖g‖²/‖g'‖² becomes one factor of both.
        let beta = if kept { now / before } else { 0.0 };
        if now > 0.0 {
            for (direction, slope) in self.direction.iter_mut().zip(&self.gradient) {
                *direction = slope / now + beta * *direction;
            }
        }
        Ok(())
    }

    /// Moves the weights; false if none has changed.
    fn step(&mut self, k: u64) -> bool {
        let rate = match self.plan.schedule {
            Some(schedule) if !self.plan.conjugate => schedule.rate(k) * self.figures.gradient_norm,
            _ => {
                let mut curvature = 0.0;
                let direction = &self.direction;
                self.samples
                    .for_each_score(direction, |row, along| curvature += (self.weight)(row) * along * along);
                dot(&self.gradient, direction) / curvature
            }
        };
        let mut moved = false;
        for (a, direction) in self.a.iter_mut().zip(&self.direction) {
            let before = *a;
            *a -= rate * direction;
            moved |= before != *a;
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::testing::SplitMix64;
    use lm_core::{BinaryLabels, Certificate, Dense, Learner, Targets, TrainingSet, Weights};

    /// Least squares by Householder reflections: rows `√ω(1, x)`, right-hand sides `√ω·t`.
    #[allow(clippy::needless_range_loop, reason = "the indices of the matrix are those of the textbook")]
    fn by_qr(rows: &[Vec<f64>], targets: &[f64], weights: &[f64]) -> Vec<f64> {
        let (n, d) = (rows.len(), rows[0].len() + 1);
        let mut a: Vec<Vec<f64>> = (0..n)
            .map(|i| {
                let root = weights[i].sqrt();
                let values = [1.0].into_iter().chain(rows[i].iter().copied()).chain([targets[i]]);
                values.map(|value| root * value).collect()
            })
            .collect();
        for k in 0..d {
            let length = (k..n).map(|i| a[i][k] * a[i][k]).sum::<f64>().sqrt();
            let mut v: Vec<f64> = (k..n).map(|i| a[i][k]).collect();
            v[0] += length.copysign(v[0]);
            let size: f64 = v.iter().map(|v| v * v).sum();
            for j in k..=d {
                let product: f64 = v.iter().enumerate().map(|(i, v)| v * a[k + i][j]).sum();
                v.iter().enumerate().for_each(|(i, v)| a[k + i][j] -= 2.0 * product / size * v);
            }
        }
        let mut x = vec![0.0; d];
        for k in (0..d).rev() {
            let known: f64 = (k + 1..d).map(|j| a[k][j] * x[j]).sum();
            x[k] = (a[k][d] - known) / a[k][k];
        }
        x
    }

    fn regression(seed: u64, n: usize, d: usize) -> (Vec<Vec<f64>>, Vec<f64>) {
        let mut random = SplitMix64::new(seed);
        let row =
            |random: &mut SplitMix64| (0..d).map(|k| random.uniform(-1.0, 1.0) + k as f64 / 3.0).collect();
        let rows: Vec<Vec<f64>> = (0..n).map(|_| row(&mut random)).collect();
        let target = |row: &Vec<f64>, noise: f64| 0.5 + row.iter().sum::<f64>() + noise;
        let targets = rows.iter().map(|row| target(row, random.uniform(-0.5, 0.5))).collect();
        (rows, targets)
    }

    #[test]
    fn every_way_ends_at_the_solution_of_qr() {
        for seed in 0..10 {
            let (rows, values) = regression(seed, 40, 1 + seed as usize % 5);
            let weights: Vec<f64> = (0..40).map(|row| f64::from(1 + row % 3)).collect();
            let expected = by_qr(&rows, &values, &weights);
            let (examples, targets) = (Dense::from_rows(&rows).unwrap(), Targets::new(values).unwrap());
            let weights = Weights::new(weights).unwrap();
            let set = TrainingSet::new(&examples, &targets).unwrap().with_weights(&weights).unwrap();
            let base = BatchLms::default().with_tolerance(1e-11).with_passes(100_000);
            for learner in [
                base,
                base.with_bias(Bias::Radius),
                base.with_conjugate_directions(),
                base.with_schedule(Schedule::constant(0.002).unwrap()),
            ] {
                let fit = learner.fit_with(&set, &Control::default()).unwrap().converged().unwrap();
                let found = [fit.model.bias()].into_iter().chain(fit.model.weights().iter().copied());
                for (found, expected) in found.zip(&expected) {
                    assert!(
                        (found - expected).abs() < 1e-6 * (1.0 + expected.abs()),
                        "seed {seed}, {learner:?}"
                    );
                }
                assert!(fit.certificate.verify(&set).unwrap().is_valid(), "seed {seed}, {learner:?}");
                assert!(!learner.0.conjugate || fit.report.iterations <= 20, "{}", fit.report.iterations);
            }
        }
    }

    #[test]
    fn a_step_by_hand_and_labels_as_targets() {
        let examples = Dense::new(vec![1.0, -1.0], 2, 1).unwrap();
        let labels = BinaryLabels::from_integers(&[1, -1]).unwrap();
        // The gradient at 0 is −Σ ty = (0, −2); the optimal rate ½ leads to (0, 1).
        let fit = BatchLms::default().fit(&examples, &labels).unwrap().converged().unwrap();
        assert_eq!((fit.model.weights(), fit.model.bias(), fit.report.iterations), (&[1.0][..], 0.0, 1));
        let slow = BatchLms::default().with_schedule(Schedule::constant(0.25).unwrap()).with_passes(1);
        assert_eq!(slow.fit(&examples, &labels).unwrap().model.weights(), [0.5]);
    }

    #[test]
    fn many_solutions_give_the_one_of_least_norm() {
        let examples = Dense::new(vec![1.0, 1.0, 2.0, 2.0], 2, 2).unwrap();
        let targets = Targets::new(vec![2.0, 4.0]).unwrap();
        let fit =
            BatchLms::default().with_bias(Bias::None).fit(&examples, &targets).unwrap().converged().unwrap();
        assert!(fit.model.weights().iter().all(|w| (w - 1.0).abs() < 1e-7));
    }

    #[test]
    fn rates_that_are_too_large_forgeries_and_settings() {
        let (rows, values) = regression(3, 20, 2);
        let (examples, targets) = (Dense::from_rows(&rows).unwrap(), Targets::new(values).unwrap());
        let set = TrainingSet::new(&examples, &targets).unwrap();
        let steep = BatchLms::default().with_schedule(Schedule::constant(10.0).unwrap());
        assert!(matches!(steep.fit(&examples, &targets), Err(Error::Numerical { .. })));
        let honest = BatchLms::default().fit(&examples, &targets).unwrap().certificate;
        let forge = |change: fn(&mut LeastSquaresCertificate)| {
            let mut forged = honest.clone();
            change(&mut forged);
            forged.verify(&set).unwrap().is_valid()
        };
        assert!(forge(|_| {}));
        assert!(!forge(|c| c.figures.sum_of_squares *= 0.999));
        assert!(!forge(|c| c.figures.gradient_norm += 1e-6));
        assert!(!forge(|c| c.function = Linear::new(vec![1.0, 1.0], 0.0).unwrap()));
        for bad in [0.0, 1.0, f64::NAN] {
            let refused = BatchLms::default().with_tolerance(bad).fit(&examples, &targets);
            assert!(matches!(refused, Err(Error::Setting { name: "tolerance", .. })));
        }
        let refused = BatchLms::default().with_passes(0).fit(&examples, &targets);
        assert!(matches!(refused, Err(Error::Setting { name: "passes", .. })));
    }
}
