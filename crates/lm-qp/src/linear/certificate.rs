//! The evidence for a linear machine: its weights, coefficients of the examples, and both sides of the duality gap.

use lm_core::double_double::{DoubleDouble, dot, two_product, two_sum};
use lm_core::{
    Certificate, Discrepancy, DualityFigures, Error, Examples, Labelling, Linear, Result, Row, TrainingSet,
    Verdict, parallel,
};

use super::LinearMachine;
use crate::bias::Bias;
use crate::certificate::compared;
use crate::problem::{Balance, DualProblem};

/// A hyperplane, dual coefficients of the examples, and the figures that follow from them.
///
/// The primal value is that of the hyperplane as it was returned, the dual value that of the coefficients. Nothing is taken
/// over from the solver: scores and combinations of examples are summed anew with twice the digits, and
/// [`Certificate::verify`] builds the problem from the labels, the weights and the settings it is shown. The coefficients
/// bound the optimum only if they keep to their constraints: [`DualityFigures::infeasibility`] says by how much they miss them.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LinearCertificate<M> {
    machine: M,
    hyperplane: Linear,
    beta: Vec<f64>,
    figures: DualityFigures,
}

impl<M> LinearCertificate<M> {
    pub(super) fn compute<E, L>(
        machine: M,
        set: &TrainingSet<'_, E, L>,
        problem: &DualProblem,
        hyperplane: Linear,
        beta: Vec<f64>,
    ) -> Result<Self>
    where
        M: LinearMachine<L>,
        E: Examples + ?Sized,
        L: Labelling,
    {
        let figures = figures(set.examples(), problem, machine.bias(), &hyperplane, &beta)?;
        Ok(Self { machine, hyperplane, beta, figures })
    }

    /// The settings of the machine.
    pub fn machine(&self) -> &M {
        &self.machine
    }

    /// The hyperplane.
    pub fn hyperplane(&self) -> &Linear {
        &self.hyperplane
    }

    /// The coefficients `β` of the examples in the dual: `αᵢyᵢ` of a classifier, `αᵢ − αᵢ*` of a regression. At the optimum
    /// the weights are `Σ βᵢxᵢ`.
    pub fn coefficients(&self) -> &[f64] {
        &self.beta
    }

    /// The sizes of the coefficients: the multipliers `α` of a classifier.
    pub fn alpha(&self) -> Vec<f64> {
        self.beta.iter().map(|beta| beta.abs()).collect()
    }

    /// Primal value of the hyperplane, dual value of the coefficients, largest violation of the optimality conditions (by a
    /// score, or by a weight that is not `Σ βᵢxᵢ`) and of the constraints.
    pub fn figures(&self) -> DualityFigures {
        self.figures
    }
}

/// `Σ βᵢxᵢ`, with twice the digits.
fn combination<E: Examples + ?Sized>(examples: &E, beta: &[f64]) -> Vec<DoubleDouble> {
    const PARTS: usize = 16;
    let (n, d) = (examples.len(), examples.dim());
    let rows = n.div_ceil(PARTS).max(1024);
    let parts = parallel::map(n.div_ceil(rows), |part| {
        let (mut sums, mut errors) = (vec![0.0; d], vec![0.0; d]);
        for row in (part * rows..n.min((part + 1) * rows)).filter(|&row| beta[row] != 0.0) {
            examples.row(row).for_each(|k, x| {
                let (product, error) = two_product(beta[row], x);
                let (sum, lost) = two_sum(sums[k], product);
                sums[k] = sum;
                errors[k] += error + lost;
            });
        }
        (sums, errors)
    });
    let mut total = vec![DoubleDouble::ZERO; d];
    for (sums, errors) in parts {
        for ((total, sum), error) in total.iter_mut().zip(sums).zip(errors) {
            *total = *total + sum + error;
        }
    }
    total
}

/// `⟨w·x⟩`, with twice the digits. `values` and `gathered` are room to work in.
fn product(row: &Row<'_>, w: &[f64], values: &mut Vec<f64>, gathered: &mut Vec<f64>) -> DoubleDouble {
    if let Row::DenseF64(x) = row {
        return dot(x, w);
    }
    values.clear();
    gathered.clear();
    row.for_each(|k, x| {
        values.push(x);
        gathered.push(w[k]);
    });
    dot(values, gathered)
}

/// `⟨w·xᵢ⟩ + b` of every example, with twice the digits.
fn scores<E: Examples + ?Sized>(examples: &E, hyperplane: &Linear) -> Vec<DoubleDouble> {
    const ROWS: usize = 1024;
    let mut scores = vec![DoubleDouble::ZERO; examples.len()];
    parallel::for_each_chunk(&mut scores, ROWS, |part, out| {
        let (mut values, mut gathered) = (Vec::new(), Vec::new());
        for (row, out) in (part * ROWS..).zip(out) {
            let product = product(&examples.row(row), hyperplane.weights(), &mut values, &mut gathered);
            *out = product + hyperplane.bias();
        }
    });
    scores
}

/// Recomputes all figures.
fn figures<E: Examples + ?Sized>(
    examples: &E,
    problem: &DualProblem,
    bias: Bias,
    hyperplane: &Linear,
    beta: &[f64],
) -> Result<DualityFigures> {
    let (w, b) = (hyperplane.weights(), hyperplane.bias());
    let spanned = combination(examples, beta);
    let total = beta.iter().fold(DoubleDouble::ZERO, |sum, &beta| sum + beta);
    let (mut primal, mut dual) = (DoubleDouble::ZERO, DoubleDouble::ZERO);
    let (mut kkt, mut outside) = (0.0_f64, 0.0_f64);
    for (&w, &spanned) in w.iter().zip(&spanned) {
        primal = primal + DoubleDouble::product(w, w) * 0.5;
        dual = dual - spanned * spanned * 0.5;
        kkt = kkt.max((spanned - w).abs().value());
    }
    if bias == Bias::Penalised {
        primal = primal + DoubleDouble::product(b, b) * 0.5;
        dual = dual - total * total * 0.5;
        kkt = kkt.max((total - b).abs().value());
    }
    for (row, score) in scores(examples, hyperplane).into_iter().enumerate() {
        let (beta, ridge) = (beta[row], problem.ridge(row));
        let (lower, upper) = (problem.lower()[row], problem.upper()[row]);
        let rising = (score + problem.above()[row]).value();
        let falling = (score + problem.below()[row]).value();
        primal = primal + loss(-rising, ridge, upper).max(loss(falling, ridge, -lower));
        let own = if beta > 0.0 { problem.above()[row] } else { problem.below()[row] };
        dual = dual - (DoubleDouble::product(own, beta) + DoubleDouble::product(0.5 * ridge * beta, beta));
        outside = outside.max(lower - beta).max(beta - upper);
        let up = if beta < 0.0 { falling } else { rising } + ridge * beta;
        let down = if beta > 0.0 { rising } else { falling } + ridge * beta;
        kkt = if beta < upper { kkt.max(-up) } else { kkt };
        kkt = if beta > lower { kkt.max(down) } else { kkt };
    }
    let off = if problem.balance() == Balance::Open { 0.0 } else { total.abs().value() };
    let stray = if bias == Bias::None { b.abs() } else { 0.0 };
    let (primal, dual) = (primal.value(), dual.value());
    if primal.is_finite() && dual.is_finite() && kkt.is_finite() {
        Ok(DualityFigures { primal, dual, kkt: kkt.max(stray), infeasibility: outside.max(off) })
    } else {
        Err(Error::Numerical { what: "the duality gap" })
    }
}

/// What an example costs whose score falls short by `shortfall`: a square with a ridge, else `most` a unit.
fn loss(shortfall: f64, ridge: f64, most: f64) -> f64 {
    if !(shortfall > 0.0) || most == 0.0 {
        0.0
    } else if ridge > 0.0 {
        0.5 * shortfall * shortfall / ridge
    } else {
        most * shortfall
    }
}

impl<E, L, M> Certificate<TrainingSet<'_, E, L>> for LinearCertificate<M>
where
    E: Examples + ?Sized,
    L: Labelling,
    M: LinearMachine<L>,
{
    fn verify(&self, set: &TrainingSet<'_, E, L>) -> Result<Verdict> {
        let problem = self.machine.problem(set)?;
        set.examples().check_dim("the weight vector", self.hyperplane.weights().len())?;
        if self.beta.len() != problem.len() {
            let (expected, found) = (problem.len(), self.beta.len());
            return Err(Error::Length { what: "the coefficients", expected, found });
        }
        let now = figures(set.examples(), &problem, self.machine.bias(), &self.hyperplane, &self.beta)?;
        if self.machine.bias() == Bias::None && self.hyperplane.bias() != 0.0 {
            let (what, claimed) = ("the bias of a machine without one", self.hyperplane.bias());
            return Ok(Verdict::Invalid(Discrepancy { what, claimed, recomputed: 0.0, row: None }));
        }
        Ok(compared(&self.figures, &now, &self.beta))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::LinearSvc;
    use lm_core::{BinaryLabels, Dense};

    #[test]
    fn figures_by_hand_and_forged_ones() {
        let examples = Dense::new(vec![-1.0, 0.5, 1.0, 2.0], 4, 1).unwrap();
        let labels = BinaryLabels::from_integers(&[-1, 1, -1, 1]).unwrap();
        let set = TrainingSet::new(&examples, &labels).unwrap();
        let machine = LinearSvc::default();
        let problem = LinearMachine::problem(&machine, &set).unwrap();
        let hyperplane = Linear::new(vec![0.8], -0.25).unwrap();
        let beta = vec![-0.25, 1.0, -1.0, 0.25];
        let honest = LinearCertificate::compute(machine, &set, &problem, hyperplane, beta).unwrap();
        let figures = honest.figures();
        // Losses 0, 0.85, 1.55, 0 and ½·0.64; Σα = 2.5 and w(α) = 0.25 + 0.5 − 1 + 0.5 = ¼.
        assert!((figures.primal - 2.72).abs() < 1e-15);
        assert!((figures.dual - (2.5 - 0.5 * 0.0625)).abs() < 1e-15);
        assert_eq!(figures.infeasibility, 0.0);
        assert!((figures.kkt - 0.55).abs() < 1e-15, "{figures:?}");
        assert!(honest.verify(&set).unwrap().is_valid());
        let forge = |change: fn(&mut LinearCertificate<LinearSvc>)| {
            let mut forged = honest.clone();
            change(&mut forged);
            forged.verify(&set).map(|verdict| verdict.is_valid())
        };
        assert_eq!(forge(|c| c.figures.primal *= 0.999_999), Ok(false));
        assert_eq!(forge(|c| c.figures.dual += 1e-6), Ok(false));
        assert_eq!(forge(|c| c.figures.dual = f64::NAN), Ok(false));
        assert_eq!(forge(|c| c.beta[0] = -0.5), Ok(false), "out of balance");
        assert_eq!(forge(|c| c.beta[1] = 1.5), Ok(false), "above its cost");
        assert_eq!(forge(|c| c.machine = c.machine.with_bias(Bias::None)), Ok(false));
        assert!(forge(|c| c.beta.push(0.0)).is_err());
    }
}
