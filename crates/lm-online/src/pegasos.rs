//! Pegasos: the soft margin machine by stochastic subgradient descent.
//!
//! # Problem
//! ```text
//! minimise ½‖w‖² + C Σ ωᵢ max(0, 1 − yᵢ(⟨w·xᵢ⟩ + b)) ,     λ = 1/(C Σωᵢ)
//! ```
//! with `ωᵢ` the weight of an example and a bias that is not penalised.
//! # Method
//! Step `t` meets one example. The weights shrink by `1 − 1/t`; if the example is short of the margin 1 it is added with
//! the factor `y/(λt)`. In the bias the criterion is not strongly convex, and a step of `1/(λt)` would throw it about: it
//! moves by `y/√t`, and at the end the bias of least loss for the weights found is computed exactly. Optionally each
//! iterate is projected into the ball `‖w‖ ≤ 1/√λ`. What is returned is an average of the iterates.
//!
//! The weights are a sum of examples with coefficients, and after whole passes the coefficient of an example is `Cωᵢ`
//! times the share of its visits at which it was short of the margin: multipliers of the dual problem. They are
//! feasible once the classes balance, but blurred by all the iterates that they remember, so each look improves the
//! multipliers it has by some sweeps of coordinate ascent. The machine is that of the descent alone; the multipliers prove
//! how good it is, and the run ends when the relative gap between its value and their bound is small enough.
//! # Cost
//! The stored entries of an example a visit, whatever the dimension; `3d + 4n` numbers. A look at the gap costs about
//! four passes; looks grow apart by a quarter.
//! # Reference
//! Shalev-Shwartz, Singer, Srebro & Cotter (2011), "Pegasos", figure 1 and section 6; Lacoste-Julien, Schmidt & Bach
//! (2012) for the average.

use lm_core::{
    BinaryLabels, Control, Error, Examples, Fit, Learner, Linear, Meter, Result, Stop, TrainingSet,
};

use crate::Order;
use crate::averaging::{Averaging, Sums};
use crate::descent::{checked_passes, checked_share};
use crate::dual_ascent::{Ascent, Vectors};
use crate::hinge_certificate::HingeCertificate;
use crate::live_pegasos::LivePegasos;
use crate::order::Orders;
use crate::pace::Options;
use crate::soft_margin::{Best, Problem, Run, confirmed, run};

/// How much slack costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Penalty {
    Cost(f64),
    Lambda(f64),
}

impl Penalty {
    pub(crate) fn validate(self) -> Result<()> {
        let (name, value) = match self {
            Self::Cost(value) => ("cost", value),
            Self::Lambda(value) => ("lambda", value),
        };
        if value > 0.0 && value.is_finite() {
            Ok(())
        } else {
            Err(Error::Setting { name, value, accepted: "a finite number > 0" })
        }
    }

    /// `C` for examples of this total weight.
    pub(crate) fn cost(self, total_weight: f64) -> f64 {
        match self {
            Self::Cost(cost) => cost,
            Self::Lambda(lambda) => 1.0 / (lambda * total_weight),
        }
    }
}

/// The settings that Pegasos has in primal and in dual form.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Settings {
    pub(crate) penalty: Penalty,
    /// None for a limit that depends on the number of examples.
    pub(crate) passes: Option<u64>,
    pub(crate) order: Order,
    pub(crate) options: Options,
    pub(crate) averaging: Averaging,
    pub(crate) tolerance: f64,
}

impl Settings {
    pub(crate) fn new() -> Self {
        Self {
            penalty: Penalty::Cost(1.0),
            passes: None,
            order: Order::Shuffled { seed: 0 },
            options: Options { biased: true, projected: false },
            averaging: Averaging::default(),
            tolerance: 0.01,
        }
    }

    /// The limit on passes: a thousand, or a million steps where that is more.
    pub(crate) fn passes(&self, len: usize) -> u64 {
        self.passes.unwrap_or_else(|| (1_000_000 / len.max(1) as u64).max(1_000))
    }

    pub(crate) fn validate(&self) -> Result<()> {
        self.penalty.validate()?;
        checked_passes(self.passes.unwrap_or(1))?;
        checked_share(self.tolerance)
    }
}

/// The setters that Pegasos has in primal and in dual form.
macro_rules! settings {
    ($type:ident) => {
        impl $type {
            /// The cost `C` of a unit of slack, finite and > 0; default 1. Takes the place of `λ`. A larger cost takes
            /// more passes.
            #[must_use]
            pub fn with_cost(self, cost: f64) -> Self {
                Self(Settings { penalty: Penalty::Cost(cost), ..self.0 })
            }

            /// The penalty `λ = 1/(C Σωᵢ)` of `½‖w‖²` beside the mean loss, finite and > 0. Takes the place of `C`.
            #[must_use]
            pub fn with_lambda(self, lambda: f64) -> Self {
                Self(Settings { penalty: Penalty::Lambda(lambda), ..self.0 })
            }

            /// Ends the run after this many passes over the data. At least 1; default 1000, or as many as make a million
            /// steps. A budget on iterations takes its place.
            #[must_use]
            pub fn with_passes(self, passes: u64) -> Self {
                Self(Settings { passes: Some(passes), ..self.0 })
            }

            /// The order in which a pass meets the examples; default a new random one in each pass, from seed 0.
            #[must_use]
            pub fn with_order(self, order: Order) -> Self {
                Self(Settings { order, ..self.0 })
            }

            /// Learns without a bias: every hyperplane goes through the origin. Default: with one, not penalised.
            #[must_use]
            pub fn without_bias(self) -> Self {
                Self(Settings { options: Options { biased: false, ..self.0.options }, ..self.0 })
            }

            /// Projects every iterate into the ball `‖w‖ ≤ 1/√λ`, which holds the optimum. Default: no projection.
            #[must_use]
            pub fn with_projection(self) -> Self {
                Self(Settings { options: Options { projected: true, ..self.0.options }, ..self.0 })
            }

            /// Which iterates make the weights; default [`Averaging::Late`].
            #[must_use]
            pub fn with_averaging(self, averaging: Averaging) -> Self {
                Self(Settings { averaging, ..self.0 })
            }

            /// The relative duality gap at which the machine is good enough, between 0 and 1; default 0.01. Half of it
            /// takes about twice the passes.
            #[must_use]
            pub fn with_tolerance(self, tolerance: f64) -> Self {
                Self(Settings { tolerance, ..self.0 })
            }
        }
    };
}
pub(crate) use settings;

/// The settings of Pegasos.
///
/// ```
/// use lm_core::{BinaryLabels, Certificate, Dense, Hypothesis, Learner, TrainingSet};
/// use lm_online::Pegasos;
///
/// let examples = Dense::new(vec![0.0, 1.0, 1.5, 3.0, 4.0, 5.0], 6, 1)?;
/// let labels = BinaryLabels::from_integers(&[-1, -1, 1, -1, 1, 1])?; // not separable
/// let fit = Pegasos::default().with_cost(2.0).fit(&examples, &labels)?.converged()?;
/// let figures = fit.certificate.figures();
/// assert!(figures.dual <= figures.primal && figures.relative_gap() <= 0.01);
/// assert!(fit.certificate.verify(&TrainingSet::new(&examples, &labels)?)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pegasos(Settings);

impl Default for Pegasos {
    fn default() -> Self {
        Self(Settings::new())
    }
}

settings!(Pegasos);

impl<E: Examples + ?Sized> Learner<E, BinaryLabels> for Pegasos {
    type Model = Linear;
    type Certificate = HingeCertificate;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, E, BinaryLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<Linear, HingeCertificate>> {
        self.0.validate()?;
        let mut meter = control.start(self.0.passes(set.len()));
        let mut state = State::new(set, &self.0)?;
        let orders = Orders::new(self.0.order, set.len());
        let (stop, best) = run(&mut state, orders, self.0.tolerance, &mut meter)?;
        let certificate =
            HingeCertificate::compute(set, best.machine, best.alpha, state.cost, self.0.options.biased)?;
        let model = certificate.hyperplane().clone();
        let stop = confirmed(stop, certificate.figures(), self.0.tolerance);
        Ok(Fit { model, report: meter.report(stop, None), certificate })
    }
}

struct State<'a, E: ?Sized> {
    examples: &'a E,
    problem: Problem,
    /// `C`.
    cost: f64,
    /// By how much each example counts beside the mean; 0 for those that are absent.
    factors: Vec<f64>,
    learner: LivePegasos,
    /// The coefficients of the examples in the weights.
    coefficients: Sums,
    scores: Vec<f64>,
    /// The multipliers of the bound.
    ascent: Ascent<Vectors<'a, E>>,
}

impl<'a, E: Examples + ?Sized> State<'a, E> {
    fn new(set: &TrainingSet<'a, E, BinaryLabels>, settings: &Settings) -> Result<Self> {
        let (examples, len) = (set.examples(), set.len());
        let (cost, factors) = counted(set, settings.penalty)?;
        let total_weight: f64 = (0..len).map(|row| set.weight(row)).sum();
        let problem = Problem::new(set, cost, settings.options.biased);
        let lambda = 1.0 / (cost * total_weight);
        let learner =
            LivePegasos::with_options(examples.dim(), lambda, settings.options, settings.averaging)?;
        let (coefficients, scores) = (Sums::new(len), vec![0.0; len]);
        let ascent =
            Ascent::new(vec![0.0; len], Vectors { examples, weights: vec![0.0; examples.dim()] }, 0.0);
        Ok(Self { examples, problem, cost, factors, learner, coefficients, scores, ascent })
    }

    /// Meets one example.
    fn step(&mut self, row: usize) -> Result<()> {
        let factor = self.factors[row];
        if factor == 0.0 {
            return Ok(());
        }
        let step = self.learner.step(&self.examples.row(row), self.problem.signs[row], factor)?;
        if let Some(correction) = step.correction {
            self.coefficients.now[row] += correction.delta;
            self.coefficients.lagged[row] += correction.delta * correction.mass;
        }
        if let Some(rescale) = step.rescale {
            self.coefficients.rescale(rescale);
        }
        Ok(())
    }

    /// The coefficients of the examples in the weights, scaled so that they are feasible.
    fn own_multipliers(&self, weights: &[f64], bias: f64) -> Ascent<Vectors<'a, E>> {
        let mut alpha = self.coefficients.output(self.learner.clock());
        let scale = self.problem.scale(&mut alpha);
        let weights = weights.iter().map(|w| w * scale).collect();
        Ascent::new(alpha, Vectors { examples: self.examples, weights }, bias)
    }
}

impl<E: Examples + ?Sized> Run for State<'_, E> {
    type Machine = Linear;

    fn pass(&mut self, order: Option<&[u32]>, meter: &mut Meter<'_>) -> Result<Option<Stop>> {
        // Visits between two looks at the clock.
        const BLOCK: usize = 4096;
        let len = self.factors.len();
        for start in (0..len).step_by(BLOCK) {
            if start > 0
                && let Some(stop) = meter.advance(0, 0)
            {
                return Ok(Some(stop));
            }
            for position in start..(start + BLOCK).min(len) {
                self.step(order.map_or(position, |order| order[position] as usize))?;
            }
        }
        Ok(meter.advance(1, 0))
    }

    /// The machine that the sums hold now, and a bound from its multipliers, improved.
    fn look(&mut self, go_on: &mut dyn FnMut() -> bool) -> Result<Best<Linear>> {
        let weights = self.learner.model()?.weights().to_vec();
        self.examples.dots(0..self.scores.len(), &weights, &mut self.scores);
        if self.scores.iter().any(|score| !score.is_finite()) {
            return Err(Error::Numerical { what: "a score (rescale the examples)" });
        }
        let bias = self.problem.best_bias(&self.scores, self.learner.output_bias());
        self.scores.iter_mut().for_each(|score| *score += bias);
        let own = self.own_multipliers(&weights, bias);
        if own.value(&self.problem, bias) > self.ascent.value(&self.problem, bias) {
            self.ascent = own;
        }
        let sweeps = sweeps(self.learner.seen() / self.factors.len() as u64);
        self.ascent.improve(&self.problem, sweeps, go_on)?;
        let norm = weights.iter().map(|w| w * w).sum();
        let dual_norm = self.ascent.norm_squared(&self.problem);
        let figures = self.problem.figures(&self.scores, norm, &self.ascent.alpha, dual_norm)?;
        Ok(Best { machine: Linear::new(weights, bias)?, alpha: self.ascent.alpha.clone(), figures })
    }
}

/// The sweeps of a look after this many passes: about half as many as there were passes since the last look.
pub(crate) fn sweeps(passes: u64) -> u64 {
    2 + passes / 8
}

/// `C`, and what each example counts: its weight over the mean weight of those that are present.
pub(crate) fn counted<S: lm_core::Collection + ?Sized>(
    set: &TrainingSet<'_, S, BinaryLabels>,
    penalty: Penalty,
) -> Result<(f64, Vec<f64>)> {
    let len = set.len();
    if u32::try_from(len).is_err() {
        return Err(Error::TooLarge { what: "the training set", size: len, limit: u32::MAX as usize });
    }
    let weights = || (0..len).map(|row| set.weight(row));
    let total: f64 = weights().sum();
    let present = weights().filter(|weight| *weight > 0.0).count() as f64;
    let cost = penalty.cost(total);
    if cost > 0.0 && cost.is_finite() && (cost * total).is_finite() && (cost * total).recip().is_finite() {
        Ok((cost, weights().map(|weight| weight * present / total).collect()))
    } else {
        Err(Error::Numerical { what: "the cost of slack beside the weights" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::testing::SplitMix64;
    use lm_core::{Budget, Certificate, Dense, Weights};

    fn overlapping(seed: u64, len: usize) -> (Dense<'static>, BinaryLabels) {
        let mut random = SplitMix64::new(seed);
        let values: Vec<f64> = (0..len * 3).map(|_| random.uniform(-1.0, 1.0)).collect();
        let side = |x: &[f64], noise: f64| i64::from(x[0] - x[1] + 0.3 + noise > 0.0);
        let labels: Vec<i64> = values.chunks_exact(3).map(|x| side(x, 0.0)).collect();
        let labels: Vec<i64> =
            labels.into_iter().map(|label| if random.below(10) == 0 { 1 - label } else { label }).collect();
        (Dense::new(values, len, 3).unwrap(), BinaryLabels::from_integers(&labels).unwrap())
    }

    #[test]
    fn the_coefficients_are_those_of_the_weights() {
        let (examples, labels) = overlapping(1, 40);
        let set = TrainingSet::new(&examples, &labels).unwrap();
        for learner in [Pegasos::default(), Pegasos::default().with_projection()] {
            for averaging in [Averaging::Last, Averaging::Uniform, Averaging::Late] {
                let settings = learner.with_averaging(averaging).0;
                let mut state = State::new(&set, &settings).unwrap();
                let control = Control::default();
                for _ in 0..20 {
                    state.pass(None, &mut control.start(100)).unwrap();
                }
                let coefficients = state.coefficients.output(state.learner.clock());
                let mut sum = vec![0.0; 3];
                for (row, coefficient) in coefficients.iter().enumerate() {
                    examples.add_scaled(row, coefficient * state.problem.signs[row], &mut sum);
                    let share = coefficient / state.problem.costs[row];
                    // At the ends of passes every coefficient of the last iterate is a share of its visits.
                    assert!(averaging != Averaging::Last || (0.0..=1.0 + 1e-12).contains(&share));
                }
                let weights = state.learner.model().unwrap();
                assert!(
                    sum.iter().zip(weights.weights()).all(|(a, b)| (a - b).abs() < 1e-9),
                    "{averaging:?}"
                );
            }
        }
    }

    #[test]
    fn gaps_close_with_every_setting_and_bounds_do_not_cross() {
        let (examples, labels) = overlapping(2, 200);
        let set = TrainingSet::new(&examples, &labels).unwrap();
        let base = Pegasos::default().with_cost(0.5).with_passes(4000);
        let mut optima = Vec::new();
        for learner in [
            base,
            base.with_projection(),
            base.with_averaging(Averaging::Uniform).with_tolerance(0.03),
            base.with_order(Order::Given),
            base.with_order(Order::Shuffled { seed: 9 }),
            Pegasos::default().with_lambda(1.0 / (0.5 * 200.0)).with_passes(4000),
        ] {
            let fit = learner.fit(&examples, &labels).unwrap().converged().unwrap();
            let figures = fit.certificate.figures();
            assert!(figures.dual <= figures.primal, "{learner:?}: {figures:?}");
            assert!(fit.certificate.verify(&set).unwrap().is_valid(), "{learner:?}");
            optima.push(figures);
        }
        // Every bound holds for every machine.
        for a in &optima {
            assert!(optima.iter().all(|b| a.dual <= b.primal));
        }
        let through_origin = base.without_bias().fit(&examples, &labels).unwrap().converged().unwrap();
        assert_eq!(through_origin.model.bias(), 0.0);
        assert!(through_origin.certificate.verify(&set).unwrap().is_valid());
    }

    #[test]
    fn a_weight_is_a_factor_of_the_loss() {
        let (examples, labels) = overlapping(3, 60);
        let weights = Weights::new((0..60).map(|row| f64::from(row % 3)).collect()).unwrap();
        let set = TrainingSet::new(&examples, &labels).unwrap().with_weights(&weights).unwrap();
        let rows: Vec<usize> = (0..60).flat_map(|row| std::iter::repeat_n(row, row % 3)).collect();
        let copies = Dense::copied(&lm_core::Selection::new(&examples, &rows).unwrap()).unwrap();
        let repeated = lm_core::Labelling::select(&labels, &rows).unwrap();
        let learner = Pegasos::default().with_tolerance(0.002).with_passes(20_000);
        let a = learner.fit_with(&set, &Control::default()).unwrap().converged().unwrap();
        let b = learner.fit(&copies, &repeated).unwrap().converged().unwrap();
        let (a, b) = (a.certificate.figures(), b.certificate.figures());
        assert!((a.primal / b.primal - 1.0).abs() < 0.003, "{a:?} {b:?}");
        assert!(a.dual <= b.primal && b.dual <= a.primal);
    }

    #[test]
    fn a_stopped_run_is_honest_about_its_gap() {
        let (examples, labels) = overlapping(4, 50);
        let set = TrainingSet::new(&examples, &labels).unwrap();
        for passes in [0, 1, 2] {
            let control = Control::new(Budget::default().with_iterations(passes));
            let fit = Pegasos::default().with_tolerance(1e-9).fit_with(&set, &control).unwrap();
            assert_eq!((fit.report.stop, fit.report.iterations), (Stop::Iterations, passes));
            assert!(fit.certificate.figures().relative_gap() > 0.0);
            assert!(fit.certificate.verify(&set).unwrap().is_valid());
        }
    }

    #[test]
    fn settings_outside_their_domain_are_named() {
        let (examples, labels) = overlapping(5, 10);
        let name = |learner: Pegasos| match learner.fit(&examples, &labels) {
            Err(Error::Setting { name, .. }) => name,
            other => panic!("{other:?}"),
        };
        let base = Pegasos::default();
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(name(base.with_cost(bad)), "cost");
            assert_eq!(name(base.with_lambda(bad)), "lambda");
            assert_eq!(name(base.with_tolerance(bad)), "tolerance");
        }
        assert_eq!(name(base.with_passes(0)), "passes");
    }
}
