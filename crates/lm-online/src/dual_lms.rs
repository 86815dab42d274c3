//! The Widrow–Hoff rule in dual form: one example after the other, over any Gram matrix.
//!
//! # Problem
//! ```text
//! minimise Σ ωᵢ (f(xᵢ) − tᵢ)²   over   f(x) = Σⱼ αⱼ K(xⱼ, x) + b
//! ```
//! # Method
//! Meeting example `i`, `αᵢ ← αᵢ − η ωᵢ(f(xᵢ) − tᵢ)` and `b ← b − η ωᵢβ²(f(xᵢ) − tᵢ)`: the step of the primal rule, whose
//! weights are `Σ αⱼxⱼ`. With a constant rate the function circles about the least squares solution at a distance that
//! grows with the rate; with the default rate, `1/(p·maxᵢ ωᵢ(K(xᵢ, xᵢ) + β²))` in pass `p`, it comes to rest there.
//! # Cost
//! One row of the Gram matrix and `n` additions for each visit; after each pass a look at the gradient, another `n²` kernel
//! values.
//! # Reference
//! Widrow & Hoff (1960); Cristianini & Shawe-Taylor (2000), table 2.3 and exercise 2.1.

use lm_core::{Columns, Control, DualExpansion, Error, Fit, Gram, Meter, Result, Stop};

use crate::batch_dual_lms::recomputed;
use crate::batch_lms::least_squares;
use crate::descent::{checked_passes, checked_share};
use crate::least_squares::squared_constant;
use crate::order::Orders;
use crate::{Bias, KernelLeastSquaresCertificate, Order, Schedule, SquaresFigures};

/// The settings of the Widrow–Hoff rule in dual form.
///
/// ```
/// use lm_core::{Certificate, Dense, Learner, Targets, TrainingSet, VectorGram, VectorKernel};
/// use lm_online::DualLms;
///
/// let examples = Dense::new(vec![-1.0, 0.0, 1.0, 2.0], 4, 1)?;
/// let targets = Targets::new(vec![-1.0, 1.0, 3.0, 5.0])?; // 1 + 2x
/// let gram = VectorGram::new(&examples, VectorKernel::linear())?;
/// let fit = DualLms::default().fit(&gram, &targets)?.converged()?;
/// let f = fit.model.over_columns(&examples)?;
/// assert!((f.weights()[0] - 2.0).abs() < 1e-2 && (f.bias() - 1.0).abs() < 1e-2);
/// assert!(fit.certificate.verify(&TrainingSet::new(&gram, &targets)?)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DualLms {
    schedule: Option<Schedule>,
    order: Order,
    bias: Bias,
    passes: u64,
    tolerance: f64,
}

impl Default for DualLms {
    fn default() -> Self {
        Self { schedule: None, order: Order::Given, bias: Bias::Standard, passes: 1_000, tolerance: 1e-3 }
    }
}

impl DualLms {
    /// Takes its rates from a schedule, `k` counting visits. Default: one over the pass and the largest norm.
    #[must_use]
    pub fn with_schedule(self, schedule: Schedule) -> Self {
        Self { schedule: Some(schedule), ..self }
    }

    /// The order in which a pass meets the examples; default that in which they are given.
    #[must_use]
    pub fn with_order(self, order: Order) -> Self {
        Self { order, ..self }
    }

    /// How the bias moves; default [`Bias::Standard`].
    #[must_use]
    pub fn with_bias(self, bias: Bias) -> Self {
        Self { bias, ..self }
    }

    /// Ends the run after this many passes. At least 1; default 1000. A budget on iterations takes its place.
    #[must_use]
    pub fn with_passes(self, passes: u64) -> Self {
        Self { passes, ..self }
    }

    /// What may be left of the norm of the gradient at zero, between 0 and 1; default 1e-3.
    #[must_use]
    pub fn with_tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    fn validate(&self) -> Result<()> {
        checked_passes(self.passes)?;
        checked_share(self.tolerance)
    }

    fn run<G: Gram + ?Sized>(
        &self,
        gram: &G,
        targets: &[f64],
        weight: &(dyn Fn(usize) -> f64 + Sync),
        control: &Control<'_>,
    ) -> Result<Fit<DualExpansion, KernelLeastSquaresCertificate>> {
        self.validate()?;
        let weights = (0..targets.len()).map(weight).collect();
        let mut meter = control.start(self.passes);
        let mut state = State::new(gram, targets, weights, self)?;
        let (stop, function, figures) = state.run(&mut meter, self)?;
        let certificate =
            KernelLeastSquaresCertificate { function: function.clone(), bias: self.bias, figures };
        Ok(Fit { model: function, report: meter.report(stop, None), certificate })
    }
}

least_squares!(DualLms, Gram, DualExpansion, KernelLeastSquaresCertificate);

struct State<'a, G: ?Sized> {
    gram: &'a G,
    targets: &'a [f64],
    weights: Vec<f64>,
    /// `β²`.
    constant: f64,
    /// `maxᵢ ωᵢ(Kᵢᵢ + β²)`.
    largest: f64,
    schedule: Option<Schedule>,
    alpha: Vec<f64>,
    bias: f64,
    /// `f(xᵢ) − b`.
    scores: Vec<f64>,
    row: Vec<f64>,
    visits: u64,
}

impl<'a, G: Gram + ?Sized> State<'a, G> {
    fn new(gram: &'a G, targets: &'a [f64], weights: Vec<f64>, settings: &DualLms) -> Result<Self> {
        let len = targets.len();
        if u32::try_from(len).is_err() {
            return Err(Error::TooLarge { what: "the training set", size: len, limit: u32::MAX as usize });
        }
        let constant = squared_constant(gram, settings.bias, |row| weights[row])?;
        let norms = gram.diagonal()?.into_iter().zip(&weights).map(|(own, weight)| weight * (own + constant));
        let largest = norms.fold(0.0, f64::max);
        let (alpha, scores, row) = (vec![0.0; len], vec![0.0; len], vec![0.0; len]);
        let schedule = settings.schedule;
        Ok(Self {
            gram,
            targets,
            weights,
            constant,
            largest,
            schedule,
            alpha,
            bias: 0.0,
            scores,
            row,
            visits: 0,
        })
    }

    /// Passes over the data until the gradient is small enough or the budget is used up.
    fn run(
        &mut self,
        meter: &mut Meter<'_>,
        settings: &DualLms,
    ) -> Result<(Stop, DualExpansion, SquaresFigures)> {
        let mut orders = Orders::new(settings.order, self.targets.len());
        let mut stop = meter.advance(0, 0);
        loop {
            let function = DualExpansion::from_all(&self.alpha, self.bias)?;
            let figures = recomputed(self.gram, &function, self.targets, &self.weights, self.constant)?;
            meter.observe(Some(figures.sum_of_squares), Some(figures.relative_gradient()));
            if figures.relative_gradient() <= settings.tolerance {
                return Ok((Stop::Converged, function, figures));
            }
            if let Some(stop) = stop {
                return Ok((stop, function, figures));
            }
            stop = self.pass(orders.of_pass(meter.iterations()), meter)?;
        }
    }

    /// One pass over the data; it may be cut short.
    fn pass(&mut self, order: Option<&[u32]>, meter: &mut Meter<'_>) -> Result<Option<Stop>> {
        // Visits between two looks at the clock: each costs a row of the Gram matrix.
        const BLOCK: usize = 16;
        let len = self.targets.len();
        let pass = meter.iterations() + 1;
        for start in (0..len).step_by(BLOCK) {
            let end = (start + BLOCK).min(len);
            for position in start..end {
                self.step(order.map_or(position, |order| order[position] as usize), pass)?;
            }
            if let Some(stop) = meter.advance(0, ((end - start) * len) as u64) {
                return Ok(Some(stop));
            }
        }
        // The look at the gradient that follows makes two products with the matrix.
        Ok(meter.advance(1, 2 * (len * len) as u64))
    }

    /// Meets one example.
    fn step(&mut self, example: usize, pass: u64) -> Result<()> {
        let weight = self.weights[example];
        if weight == 0.0 {
            return Ok(());
        }
        self.visits += 1;
        let rate = self.schedule.map_or(1.0 / (self.largest * pass as f64), |rates| rates.rate(self.visits));
        let change = -rate * weight * (self.scores[example] + self.bias - self.targets[example]);
        if change == 0.0 {
            return Ok(());
        }
        self.gram.fill(&[example], Columns::All, &mut self.row)?;
        self.scores.iter_mut().zip(&self.row).for_each(|(score, value)| *score += change * value);
        self.alpha[example] += change;
        self.bias += change * self.constant;
        if self.scores[example].is_finite() && self.bias.is_finite() {
            Ok(())
        } else {
            Err(Error::Numerical { what: "a score (try a smaller learning rate)" })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::testing::SplitMix64;
    use lm_core::{Certificate, Dense, Examples, Learner, Targets, TrainingSet, VectorGram, VectorKernel};

    fn regression(seed: u64, noise: f64) -> (Dense<'static>, Targets) {
        let mut random = SplitMix64::new(seed);
        let values: Vec<f64> = (0..45).map(|_| random.uniform(-1.0, 1.0)).collect();
        let target =
            |x: &[f64], random: &mut SplitMix64| 0.5 + x[0] - x[2] + noise * random.uniform(-1.0, 1.0);
        let targets = values.chunks_exact(3).map(|x| target(x, &mut random)).collect();
        (Dense::new(values, 15, 3).unwrap(), Targets::new(targets).unwrap())
    }

    #[test]
    fn with_a_linear_kernel_it_makes_the_steps_of_the_primal_rule() {
        let (examples, targets) = regression(1, 0.3);
        let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
        for (schedule, bias, step) in [
            (Schedule::constant(0.1).unwrap(), Bias::Standard, 1.0),
            (Schedule::harmonic(0.5).unwrap(), Bias::None, 0.0),
        ] {
            let (mut w, mut b) = (vec![0.0; 3], 0.0);
            for k in 0..15 * 4 {
                let error = examples.dot(k % 15, &w) + b - targets.values()[k % 15];
                let rate = schedule.rate(k as u64 + 1);
                examples.add_scaled(k % 15, -rate * error, &mut w);
                b -= rate * step * error;
            }
            let learner = DualLms::default().with_schedule(schedule).with_bias(bias);
            let fit = learner.with_passes(4).with_tolerance(1e-9).fit(&gram, &targets).unwrap();
            let found = fit.model.over_columns(&examples).unwrap();
            assert!(found.weights().iter().zip(&w).all(|(a, b)| (a - b).abs() < 1e-12));
            assert!((found.bias() - b).abs() < 1e-12);
            assert_eq!((fit.report.stop, fit.report.iterations), (Stop::Iterations, 4));
        }
    }

    #[test]
    fn the_default_rate_comes_to_rest_at_the_least_squares_solution() {
        for seed in 0..5 {
            let (examples, targets) = regression(seed, 0.3);
            let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
            let set = TrainingSet::new(&gram, &targets).unwrap();
            let reference =
                crate::BatchLms::default().with_tolerance(1e-11).fit(&examples, &targets).unwrap().model;
            let mut last = f64::INFINITY;
            for (tolerance, order) in
                [(1e-2, Order::Given), (1e-3, Order::Shuffled { seed }), (1e-4, Order::Given)]
            {
                let learner =
                    DualLms::default().with_tolerance(tolerance).with_order(order).with_passes(100_000);
                let fit = learner.fit(&gram, &targets).unwrap().converged().unwrap();
                assert!(fit.certificate.verify(&set).unwrap().is_valid());
                let error = fit.model.over_columns(&examples).unwrap().minus(&reference).unwrap().norm();
                assert!(error < last && error < 100.0 * tolerance, "seed {seed}: {error:e} at {tolerance:e}");
                last = error;
            }
        }
    }

    #[test]
    fn rates_that_are_too_large_and_settings() {
        let (examples, targets) = regression(2, 0.1);
        let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
        let steep = DualLms::default().with_schedule(Schedule::constant(50.0).unwrap());
        assert!(matches!(steep.fit(&gram, &targets), Err(Error::Numerical { .. })));
        let refused = DualLms::default().with_tolerance(f64::NAN).fit(&gram, &targets);
        assert!(matches!(refused, Err(Error::Setting { name: "tolerance", .. })));
        let refused = DualLms::default().with_passes(0).fit(&gram, &targets);
        assert!(matches!(refused, Err(Error::Setting { name: "passes", .. })));
    }
}
