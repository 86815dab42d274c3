//! Pegasos over any Gram matrix: the soft margin machine with a kernel by stochastic subgradient descent.
//!
//! # Problem
//! ```text
//! minimise ½‖w‖² + C Σ ωᵢ max(0, 1 − yᵢ(⟨w·φ(xᵢ)⟩ + b)) ,   w = Σⱼ αⱼyⱼφ(xⱼ)
//! ```
//! # Method
//! That of [`Pegasos`](crate::Pegasos), with the coefficients `αⱼ` in place of the weights. The scores of all examples are
//! kept up to date, so that an example beyond the margin costs nothing.
//! # Cost
//! One row of the Gram matrix and `2n` additions for each correction, `n` comparisons for each pass; a look at the gap asks
//! for a row for each multiplier that moves. `10n` numbers.
//! # Reference
//! Shalev-Shwartz, Singer, Srebro & Cotter (2011), "Pegasos", section 4 and figure 3.

use lm_core::{
    BinaryLabels, Certificate, Columns, Control, DualExpansion, DualityFigures, Error, Fit, Gram, Learner,
    Meter, Result, Stop, TrainingSet, Verdict,
};

use crate::Order;
use crate::averaging::{Averaging, Sums};
use crate::dual_ascent::{Ascent, Scores};
use crate::hinge_certificate::{Sum, compare, infeasible};
use crate::order::Orders;
use crate::pace::{Options, Pace};
use crate::pegasos::{Penalty, Settings, counted, settings, sweeps};
use crate::soft_margin::{Best, Problem, Run, confirmed, run};

/// The settings of Pegasos over a Gram matrix.
///
/// ```
/// use lm_core::{BinaryLabels, Certificate, Dense, Hypothesis, Learner, TrainingSet, VectorGram, VectorKernel};
/// use lm_online::KernelPegasos;
///
/// // Exclusive or, separated by the products of the coordinates.
/// let examples = Dense::new(vec![1.0, 1.0, -1.0, -1.0, 1.0, -1.0, -1.0, 1.0], 4, 2)?;
/// let labels = BinaryLabels::from_integers(&[1, 1, -1, -1])?;
/// let gram = VectorGram::new(&examples, VectorKernel::polynomial(2, 1.0, 1.0)?)?;
/// let fit = KernelPegasos::default().fit(&gram, &labels)?.converged()?;
/// assert_eq!(fit.model.signs(&gram)?, labels.signs());
/// assert!(fit.certificate.figures().relative_gap() <= 0.01);
/// assert!(fit.certificate.verify(&TrainingSet::new(&gram, &labels)?)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KernelPegasos(Settings);

impl Default for KernelPegasos {
    fn default() -> Self {
        Self(Settings::new())
    }
}

settings!(KernelPegasos);

impl<G: Gram + ?Sized> Learner<G, BinaryLabels> for KernelPegasos {
    type Model = DualExpansion;
    type Certificate = KernelHingeCertificate;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, G, BinaryLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<DualExpansion, KernelHingeCertificate>> {
        self.0.validate()?;
        let mut meter = control.start(self.0.passes(set.len()));
        let mut state = State::new(set, &self.0)?;
        let orders = Orders::new(self.0.order, set.len());
        let (stop, best) = run(&mut state, orders, self.0.tolerance, &mut meter)?;
        let (coefficients, bias) = best.machine;
        let model = DualExpansion::from_all(&coefficients, bias)?;
        let (cost, biased) = (state.cost, self.0.options.biased);
        let certificate = KernelHingeCertificate::compute(set, model.clone(), best.alpha, cost, biased)?;
        let stop = confirmed(stop, certificate.figures, self.0.tolerance);
        let report = meter.report(stop, None);
        Ok(Fit { model, report, certificate })
    }
}

/// Coefficients with their signs, and a bias.
type Machine = (Vec<f64>, f64);

struct State<'a, G: ?Sized> {
    gram: &'a G,
    problem: Problem,
    /// `C`.
    cost: f64,
    /// By how much each example counts beside the mean; 0 for those that are absent.
    factors: Vec<f64>,
    diagonal: Vec<f64>,
    pace: Pace,
    /// `α`, without signs.
    coefficients: Sums,
    /// `Σⱼ αⱼyⱼKⱼᵢ` for every `i`.
    scores: Sums,
    row: Vec<f64>,
    /// The multipliers of the bound.
    ascent: Ascent<Scores<'a, G>>,
}

impl<'a, G: Gram + ?Sized> State<'a, G> {
    fn new(set: &TrainingSet<'a, G, BinaryLabels>, settings: &Settings) -> Result<Self> {
        let (gram, len) = (set.examples(), set.len());
        let (cost, factors) = counted(set, settings.penalty)?;
        let problem = Problem::new(set, cost, settings.options.biased);
        let lambda = 1.0 / problem.costs.iter().sum::<f64>();
        let pace = Pace::new(lambda, settings.options, settings.averaging)?;
        let (coefficients, scores, row) = (Sums::new(len), Sums::new(len), vec![0.0; len]);
        let diagonal = gram.diagonal()?;
        let ascent = Ascent::new(vec![0.0; len], Scores::new(gram, diagonal.clone()), 0.0);
        Ok(Self { gram, problem, cost, factors, diagonal, pace, coefficients, scores, row, ascent })
    }

    /// Meets one example.
    fn step(&mut self, example: usize) -> Result<()> {
        let (sign, factor) = (self.problem.signs[example], self.factors[example]);
        if factor == 0.0 {
            return Ok(());
        }
        let own = self.diagonal[example];
        let step = self.pace.step(self.scores.now[example], || own, sign, factor)?;
        if let Some(correction) = step.correction {
            self.gram.fill(&[example], Columns::All, &mut self.row)?;
            let (delta, lag) = (sign * correction.delta, sign * correction.delta * correction.mass);
            for (value, (now, lagged)) in
                self.row.iter().zip(self.scores.now.iter_mut().zip(&mut self.scores.lagged))
            {
                *now += delta * value;
                *lagged += lag * value;
            }
            self.coefficients.now[example] += correction.delta;
            self.coefficients.lagged[example] += correction.delta * correction.mass;
        }
        if let Some(rescale) = step.rescale {
            self.coefficients.rescale(rescale);
            self.scores.rescale(rescale);
        }
        Ok(())
    }
}

impl<G: Gram + ?Sized> Run for State<'_, G> {
    type Machine = Machine;

    fn pass(&mut self, order: Option<&[u32]>, meter: &mut Meter<'_>) -> Result<Option<Stop>> {
        // Corrections between two looks at the clock: each costs a row of the Gram matrix.
        const BLOCK: u64 = 16;
        let len = self.factors.len();
        let mut counted = self.pace.corrections();
        for position in 0..len {
            self.step(order.map_or(position, |order| order[position] as usize))?;
            let made = self.pace.corrections() - counted;
            if made >= BLOCK {
                counted += made;
                if let Some(stop) = meter.advance(0, made * len as u64) {
                    return Ok(Some(stop));
                }
            }
        }
        let rows = self.pace.corrections() - counted + std::mem::take(&mut self.ascent.space.rows);
        Ok(meter.advance(1, rows * len as u64))
    }

    /// The machine that the sums hold now, and a bound from its multipliers, improved. The next pass counts the kernel
    /// values that this asks for.
    fn look(&mut self, go_on: &mut dyn FnMut() -> bool) -> Result<Best<Machine>> {
        let clock = self.pace.clock();
        let mut alpha = self.coefficients.output(clock);
        let mut scores = self.scores.output(clock);
        if scores.iter().any(|score| !score.is_finite()) {
            return Err(Error::Numerical { what: "a score (rescale the kernel)" });
        }
        let machine: Vec<f64> =
            alpha.iter().zip(&self.problem.signs).map(|(alpha, sign)| alpha * sign).collect();
        let norm: f64 = machine.iter().zip(&scores).map(|(coefficient, score)| coefficient * score).sum();
        let bias = self.problem.best_bias(&scores, self.pace.output_bias());
        let scale = self.problem.scale(&mut alpha);
        let mut own = Ascent::new(alpha, Scores::new(self.gram, self.diagonal.clone()), bias);
        own.space.scores = scores.iter().map(|score| score * scale).collect();
        if own.value(&self.problem, bias) > self.ascent.value(&self.problem, bias) {
            own.space.rows = self.ascent.space.rows;
            self.ascent = own;
        }
        let sweeps = sweeps(self.pace.clock().steps() / self.factors.len() as u64);
        self.ascent.improve(&self.problem, sweeps, go_on)?;
        let dual_norm = self.ascent.norm_squared(&self.problem);
        scores.iter_mut().for_each(|score| *score += bias);
        let figures = self.problem.figures(&scores, norm, &self.ascent.alpha, dual_norm)?;
        Ok(Best { machine: (machine, bias), alpha: self.ascent.alpha.clone(), figures })
    }
}

/// An expansion, multipliers, and the figures that follow from them: how far the expansion can be from the best.
///
/// [`Certificate::verify`] recomputes every figure from rows of the Gram matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelHingeCertificate {
    machine: DualExpansion,
    alpha: Vec<f64>,
    cost: f64,
    biased: bool,
    figures: DualityFigures,
}

impl KernelHingeCertificate {
    fn compute<G: Gram + ?Sized>(
        set: &TrainingSet<'_, G, BinaryLabels>,
        machine: DualExpansion,
        alpha: Vec<f64>,
        cost: f64,
        biased: bool,
    ) -> Result<Self> {
        let problem = Problem::new(set, cost, biased);
        let values = lm_core::Hypothesis::decision_values(&machine, set.examples())?;
        let signed: Vec<f64> = alpha.iter().zip(&problem.signs).map(|(alpha, sign)| alpha * sign).collect();
        let dual_norm = DualExpansion::from_all(&signed, 0.0)?.norm_squared(set.examples())?;
        let norm = machine.norm_squared(set.examples())?;
        let figures = problem.figures(&values, norm, &alpha, dual_norm)?;
        Ok(Self { machine, alpha, cost, biased, figures })
    }

    /// The multiplier of each example.
    pub fn alpha(&self) -> &[f64] {
        &self.alpha
    }

    /// The cost `C` of a unit of slack; with `λ`, that is `1/(λ Σωᵢ)`.
    pub fn cost(&self) -> f64 {
        self.cost
    }

    /// Primal value of the machine, dual value of the multipliers, largest violation of the optimality conditions and of
    /// the constraints.
    pub fn figures(&self) -> DualityFigures {
        self.figures
    }
}

impl<G: Gram + ?Sized> Certificate<TrainingSet<'_, G, BinaryLabels>> for KernelHingeCertificate {
    fn verify(&self, set: &TrainingSet<'_, G, BinaryLabels>) -> Result<Verdict> {
        let (len, signs) = (set.len(), set.labels().values());
        if self.alpha.len() != len {
            return Err(Error::Length {
                what: "the list of multipliers",
                expected: len,
                found: self.alpha.len(),
            });
        }
        if let Some(&index) = self.machine.rows().iter().find(|&&row| row >= len) {
            return Err(Error::Index { what: "row of the expansion", index, len });
        }
        let costs: Vec<f64> = (0..len).map(|row| self.cost * set.weight(row)).collect();
        if let Some(found) = infeasible(&self.alpha, &signs, &costs, self.biased) {
            return Ok(Verdict::Invalid(found));
        }
        let mut coefficients = vec![0.0; len];
        for (&row, &coefficient) in self.machine.rows().iter().zip(self.machine.coefficients()) {
            coefficients[row] = coefficient;
        }
        let bias = if self.biased { self.machine.bias() } else { 0.0 };
        let (mut primal, mut dual) = (Sum::default(), Sum::default());
        let mut values = vec![0.0; len];
        for row in (0..len).rev() {
            set.examples().fill(&[row], Columns::All, &mut values)?;
            let (mut score, mut of_alpha) = (Sum::default(), Sum::default());
            for (j, value) in values.iter().enumerate() {
                score.add(coefficients[j] * value, (coefficients[j] * value).abs());
                of_alpha.add(self.alpha[j] * signs[j] * value, (self.alpha[j] * value).abs());
            }
            let slack = (1.0 - signs[row] * (score.value + bias)).max(0.0);
            primal.add(costs[row] * slack, costs[row] * (1.0 + score.size + bias.abs()));
            primal.add(0.5 * coefficients[row] * score.value, 0.5 * coefficients[row].abs() * score.size);
            dual.add(self.alpha[row], self.alpha[row]);
            let product = 0.5 * self.alpha[row] * signs[row] * of_alpha.value;
            dual.add(-product, 0.5 * self.alpha[row] * of_alpha.size);
        }
        compare(self.figures, primal, dual, 2 * len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pegasos;
    use lm_core::testing::SplitMix64;
    use lm_core::{Dense, VectorGram, VectorKernel};

    fn overlapping(seed: u64, len: usize) -> (Dense<'static>, BinaryLabels) {
        let mut random = SplitMix64::new(seed);
        let values: Vec<f64> = (0..len * 2).map(|_| random.uniform(-1.0, 1.0)).collect();
        let label = |x: &[f64]| i64::from(x[0] + 0.5 * x[1] > 0.1);
        let mut labels: Vec<i64> = values.chunks_exact(2).map(label).collect();
        labels.iter_mut().step_by(7).for_each(|label| *label = 1 - *label);
        (Dense::new(values, len, 2).unwrap(), BinaryLabels::from_integers(&labels).unwrap())
    }

    #[test]
    fn a_linear_kernel_gives_the_primal_run() {
        let (examples, labels) = overlapping(1, 60);
        let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
        let set = TrainingSet::new(&gram, &labels).unwrap();
        let (primal, dual) = (Pegasos::default(), KernelPegasos::default());
        for (primal, dual) in [
            (primal, dual),
            (primal.with_projection(), dual.with_projection()),
            (primal.without_bias(), dual.without_bias()),
            (primal.with_averaging(Averaging::Last), dual.with_averaging(Averaging::Last)),
        ] {
            let a = primal.with_passes(37).with_tolerance(1e-9).fit(&examples, &labels).unwrap();
            let b = dual.with_passes(37).with_tolerance(1e-9).fit(&gram, &labels).unwrap();
            let b_linear = b.model.over_columns(&examples).unwrap();
            assert!(a.model.minus(&b_linear).unwrap().norm() < 1e-9 * a.model.norm());
            let (x, y) = (a.certificate.figures(), b.certificate.figures());
            assert!(
                (x.primal - y.primal).abs() < 1e-9 * x.primal && (x.dual - y.dual).abs() < 1e-9 * x.primal
            );
            assert!(b.certificate.verify(&set).unwrap().is_valid());
        }
    }

    #[test]
    fn forged_figures_are_found_out() {
        let (examples, labels) = overlapping(2, 30);
        let gram = VectorGram::new(&examples, VectorKernel::gaussian(2.0).unwrap()).unwrap();
        let set = TrainingSet::new(&gram, &labels).unwrap();
        let honest = KernelPegasos::default().fit(&gram, &labels).unwrap().converged().unwrap().certificate;
        assert!(honest.verify(&set).unwrap().is_valid());
        let forge = |change: fn(&mut KernelHingeCertificate)| {
            let mut forged = honest.clone();
            change(&mut forged);
            forged.verify(&set).map(|verdict| verdict.is_valid())
        };
        assert_eq!(forge(|c| c.figures.primal *= 0.999_999), Ok(false));
        assert_eq!(forge(|c| c.figures.dual *= 1.000_001), Ok(false));
        assert_eq!(forge(|c| c.alpha[0] += 0.5), Ok(false));
        assert!(forge(|c| c.alpha.truncate(3)).is_err());
    }
}
