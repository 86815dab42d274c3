//! Least squares by gradient descent in dual form: a coefficient for each example, over any Gram matrix.
//!
//! # Problem
//! ```text
//! minimise Σ ωᵢ (f(xᵢ) − tᵢ)²   over   f(x) = Σⱼ αⱼ K(xⱼ, x) + b
//! ```
//! # Method
//! That of [`BatchLms`](crate::BatchLms): the gradient in the weights is a combination of examples, so a step moves the
//! coefficients by `αᵢ ← αᵢ − η ωᵢ(f(xᵢ) − tᵢ)` and the bias by `β²` times their sum. Rate and conjugate directions need
//! norms in the feature space only, which the Gram matrix gives.
//! # Cost
//! One product with the Gram matrix, `n²` kernel values, a step; `5n` numbers.
//! # Reference
//! Cristianini & Shawe-Taylor (2000), exercises 2.1 and 2.2, section 2.3.

use lm_core::{Control, DualExpansion, Error, Fit, Gram, Hypothesis, Meter, Result, Stop};

use crate::batch_lms::{Plan, least_squares, settings};
use crate::criterion::dot;
use crate::least_squares::squared_constant;
use crate::{Bias, KernelLeastSquaresCertificate, Schedule, SquaresFigures};

/// The settings of least squares by batch descent in dual form.
///
/// ```
/// use lm_core::{Certificate, Dense, Learner, Targets, TrainingSet, VectorGram, VectorKernel};
/// use lm_online::BatchDualLms;
///
/// let examples = Dense::new(vec![0.0, 1.0, 2.0, 3.0], 4, 1)?;
/// let targets = Targets::new(vec![1.0, 2.9, 5.1, 7.0])?; // about 1 + 2x
/// let gram = VectorGram::new(&examples, VectorKernel::linear())?;
/// let fit = BatchDualLms::default().fit(&gram, &targets)?.converged()?;
/// let f = fit.model.over_columns(&examples)?;
/// assert!((f.weights()[0] - 2.02).abs() < 1e-6 && (f.bias() - 0.97).abs() < 1e-6);
/// assert!(fit.certificate.verify(&TrainingSet::new(&gram, &targets)?)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BatchDualLms(Plan);

impl Default for BatchDualLms {
    fn default() -> Self {
        Self(Plan::DEFAULT)
    }
}

settings!(BatchDualLms);

impl BatchDualLms {
    fn run<G: Gram + ?Sized>(
        &self,
        gram: &G,
        targets: &[f64],
        weight: &(dyn Fn(usize) -> f64 + Sync),
        control: &Control<'_>,
    ) -> Result<Fit<DualExpansion, KernelLeastSquaresCertificate>> {
        self.0.validate()?;
        let weights = (0..targets.len()).map(weight).collect();
        let mut meter = control.start(self.0.passes);
        let mut state = State::new(gram, targets, weights, &self.0)?;
        let stop = state.run(&mut meter)?;
        let function = DualExpansion::from_all(&state.alpha, state.bias)?;
        let figures = recomputed(gram, &function, targets, &state.weights, state.constant)?;
        let certificate =
            KernelLeastSquaresCertificate { function: function.clone(), bias: self.0.bias, figures };
        // Converged is what the certificate says: the kept residuals have gathered rounding errors.
        let missed = stop == Stop::Converged && figures.relative_gradient() > 2.0 * self.0.tolerance;
        let report = meter.report(if missed { Stop::Stalled } else { stop }, None);
        Ok(Fit { model: function, report, certificate })
    }
}

least_squares!(BatchDualLms, Gram, DualExpansion, KernelLeastSquaresCertificate);

/// `Σⱼ cⱼ K(xⱼ, xᵢ)` for every `i`.
pub(crate) fn product<G: Gram + ?Sized>(gram: &G, coefficients: &[f64]) -> Result<Vec<f64>> {
    DualExpansion::from_all(coefficients, 0.0)?.decision_values(gram)
}

/// The figures of a function, from its residuals computed anew.
pub(crate) fn recomputed<G: Gram + ?Sized>(
    gram: &G,
    function: &DualExpansion,
    targets: &[f64],
    weights: &[f64],
    constant: f64,
) -> Result<SquaresFigures> {
    let values = function.decision_values(gram)?;
    let residuals: Vec<f64> = values.iter().zip(targets).map(|(value, target)| value - target).collect();
    let gradient_norm = |errors: &[f64]| -> Result<f64> {
        let weighted: Vec<f64> = errors.iter().zip(weights).map(|(error, weight)| error * weight).collect();
        let along = product(gram, &weighted)?;
        Ok((dot(&weighted, &along) + constant * weighted.iter().sum::<f64>().powi(2)).max(0.0).sqrt())
    };
    let squares = residuals.iter().zip(weights).map(|(residual, weight)| weight * residual * residual);
    let figures = SquaresFigures {
        sum_of_squares: squares.sum(),
        gradient_norm: gradient_norm(&residuals)?,
        initial_norm: gradient_norm(targets)?,
    };
    let finite = [figures.sum_of_squares, figures.gradient_norm, figures.initial_norm];
    if finite.iter().all(|figure| figure.is_finite()) {
        Ok(figures)
    } else {
        Err(Error::Numerical { what: "the squared error (rescale the kernel)" })
    }
}

struct State<'a, G: ?Sized> {
    gram: &'a G,
    targets: &'a [f64],
    weights: Vec<f64>,
    plan: &'a Plan,
    /// `β²`.
    constant: f64,
    alpha: Vec<f64>,
    bias: f64,
    /// `f(xᵢ) − tᵢ`.
    residuals: Vec<f64>,
    direction: Direction,
    gradient_norm: f64,
    initial_norm: f64,
}

/// Where the next step goes, downwards.
#[derive(Debug, Clone, Default)]
struct Direction {
    coefficients: Vec<f64>,
    bias: f64,
    /// The values of the direction as a function, at every example.
    values: Vec<f64>,
}

impl<'a, G: Gram + ?Sized> State<'a, G> {
    fn new(gram: &'a G, targets: &'a [f64], weights: Vec<f64>, plan: &'a Plan) -> Result<Self> {
        let len = targets.len();
        let constant = squared_constant(gram, plan.bias, |row| weights[row])?;
        let zeros = || vec![0.0; len];
        let direction = Direction { coefficients: zeros(), bias: 0.0, values: zeros() };
        let residuals = targets.iter().map(|target| -target).collect();
        let (alpha, norms) = (zeros(), (0.0, 0.0));
        let mut state = Self {
            gram,
            targets,
            weights,
            plan,
            constant,
            alpha,
            bias: 0.0,
            residuals,
            direction,
            gradient_norm: norms.0,
            initial_norm: norms.1,
        };
        state.look()?;
        state.initial_norm = state.gradient_norm;
        Ok(state)
    }

    fn run(&mut self, meter: &mut Meter<'_>) -> Result<Stop> {
        let evaluations = (self.targets.len() * self.targets.len()) as u64;
        let mut stop = meter.advance(0, evaluations);
        loop {
            let left = if self.gradient_norm == 0.0 { 0.0 } else { self.gradient_norm / self.initial_norm };
            let squares = self.residuals.iter().zip(&self.weights).map(|(r, weight)| weight * r * r);
            meter.observe(Some(squares.sum()), Some(left));
            if left <= self.plan.tolerance {
                return Ok(Stop::Converged);
            }
            if let Some(stop) = stop {
                return Ok(stop);
            }
            if !self.step(meter.iterations() + 1) {
                return Ok(Stop::Stalled);
            }
            self.look()?;
            stop = meter.advance(1, evaluations);
        }
    }

    /// Computes the gradient as a function, its norm, and turns the direction.
    fn look(&mut self) -> Result<()> {
        let before = self.gradient_norm;
        let weighted: Vec<f64> =
            self.residuals.iter().zip(&self.weights).map(|(r, weight)| r * weight).collect();
        let along = product(self.gram, &weighted)?;
        let sum: f64 = weighted.iter().sum();
        let square = dot(&weighted, &along) + self.constant * sum * sum;
        if !square.is_finite() {
            return Err(Error::Numerical { what: "the squared error (try a smaller learning rate)" });
        }
        // A kernel that is not one of inner products may give a negative square: then there is no way down.
        self.gradient_norm = square.max(0.0).sqrt();
        let now = self.gradient_norm;
        if now > 0.0 {
            let beta = if self.plan.conjugate && before > 0.0 { now / before } else { 0.0 };
            let turn = |old: &mut f64, slope: f64| *old = slope / now + beta * *old;
            self.direction.coefficients.iter_mut().zip(&weighted).for_each(|(old, slope)| turn(old, *slope));
            turn(&mut self.direction.bias, self.constant * sum);
            let slopes = along.iter().map(|value| value + self.constant * sum);
            self.direction.values.iter_mut().zip(slopes).for_each(|(old, slope)| turn(old, slope));
        }
        Ok(())
    }

    /// Moves coefficients and bias; false if no value of the function has changed.
    fn step(&mut self, k: u64) -> bool {
        let Self { direction, residuals, weights, .. } = self;
        let rate = match self.plan.schedule {
            Some(schedule) if !self.plan.conjugate => schedule.rate(k) * self.gradient_norm,
            _ => {
                let pairs = direction.values.iter().zip(residuals.iter()).zip(weights.iter());
                let (slope, curvature) =
                    pairs.fold((0.0, 0.0), |(slope, curvature), ((along, r), weight)| {
                        (slope + weight * r * along, curvature + weight * along * along)
                    });
                slope / curvature
            }
        };
        self.alpha.iter_mut().zip(&direction.coefficients).for_each(|(alpha, d)| *alpha -= rate * d);
        self.bias -= rate * direction.bias;
        let mut moved = false;
        for (residual, along) in residuals.iter_mut().zip(&direction.values) {
            let before = *residual;
            *residual -= rate * along;
            moved |= before != *residual;
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BatchLms;
    use lm_core::testing::SplitMix64;
    use lm_core::{
        BinaryLabels, Certificate, Dense, Learner, Targets, TrainingSet, VectorGram, VectorKernel, Weights,
    };

    #[test]
    fn with_a_linear_kernel_it_is_the_primal_descent() {
        for seed in 0..5 {
            let mut random = SplitMix64::new(seed);
            let values: Vec<f64> = (0..60).map(|_| random.uniform(-1.0, 1.0)).collect();
            let targets: Vec<f64> =
                values.chunks_exact(3).map(|x| x[0] - 2.0 * x[2] + random.uniform(-0.2, 0.2)).collect();
            let (examples, targets) = (Dense::new(values, 20, 3).unwrap(), Targets::new(targets).unwrap());
            let weights = Weights::new((0..20).map(|row| f64::from(row % 4)).collect()).unwrap();
            let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
            let primal = TrainingSet::new(&examples, &targets).unwrap().with_weights(&weights).unwrap();
            let dual = primal.over(&gram).unwrap();
            for bias in [Bias::Standard, Bias::Radius, Bias::None] {
                for passes in [1, 3, 7] {
                    let control = Control::default();
                    let a = BatchLms::default()
                        .with_bias(bias)
                        .with_passes(passes)
                        .fit_with(&primal, &control)
                        .unwrap();
                    let b = BatchDualLms::default()
                        .with_bias(bias)
                        .with_passes(passes)
                        .fit_with(&dual, &control)
                        .unwrap();
                    let linear = b.model.over_columns(&examples).unwrap();
                    let error = a.model.minus(&linear).unwrap();
                    assert!(error.norm() + error.bias().abs() < 1e-10, "seed {seed}, {bias:?}, {passes}");
                    assert!(b.certificate.verify(&dual).unwrap().is_valid());
                    let (x, y) = (a.certificate.figures(), b.certificate.figures());
                    assert!((x.gradient_norm - y.gradient_norm).abs() < 1e-9 * x.initial_norm);
                }
                let learner = BatchDualLms::default().with_bias(bias).with_conjugate_directions();
                let fit = learner.fit_with(&dual, &Control::default()).unwrap().converged().unwrap();
                let reference = BatchLms::default().with_bias(bias).with_tolerance(1e-10);
                let reference =
                    reference.fit_with(&primal, &Control::default()).unwrap().converged().unwrap();
                let error = reference.model.minus(&fit.model.over_columns(&examples).unwrap()).unwrap();
                assert!(error.norm() + error.bias().abs() < 1e-6, "seed {seed}, {bias:?}");
            }
        }
    }

    #[test]
    fn a_gaussian_kernel_interpolates_and_forgeries_are_found_out() {
        let examples = Dense::new((0..12).map(f64::from).collect(), 12, 1).unwrap();
        let labels: Vec<i64> = (0..12).map(|k| i64::from(k % 3 == 0)).collect();
        let labels = BinaryLabels::from_integers(&labels).unwrap();
        let gram = VectorGram::new(&examples, VectorKernel::gaussian(1.0).unwrap()).unwrap();
        let set = TrainingSet::new(&gram, &labels).unwrap();
        let fit = BatchDualLms::default()
            .with_conjugate_directions()
            .fit(&gram, &labels)
            .unwrap()
            .converged()
            .unwrap();
        assert_eq!(fit.model.signs(&gram).unwrap(), labels.signs());
        assert!(fit.certificate.figures().sum_of_squares < 1e-10);
        let forge = |change: fn(&mut KernelLeastSquaresCertificate)| {
            let mut forged = fit.certificate.clone();
            change(&mut forged);
            forged.verify(&set).map(|verdict| verdict.is_valid())
        };
        assert_eq!(forge(|_| {}), Ok(true));
        assert_eq!(forge(|c| c.figures.sum_of_squares = 1e-4), Ok(false));
        assert_eq!(forge(|c| c.figures.initial_norm *= 1.001), Ok(false));
        assert_eq!(forge(|c| c.function = DualExpansion::new(vec![0], vec![1.0], 0.0).unwrap()), Ok(false));
        assert!(forge(|c| c.function = DualExpansion::new(vec![99], vec![1.0], 0.0).unwrap()).is_err());
    }
}
