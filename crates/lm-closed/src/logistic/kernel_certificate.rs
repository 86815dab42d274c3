//! The evidence for kernel logistic regression: coefficients from which both bounds are recomputed.

use lm_core::{
    BinaryLabels, Certificate, Columns, Discrepancy, DualityFigures, Error, Gram, Result, TrainingSet,
    Verdict,
};

use super::likelihood::{Likelihood, loss, sigmoid};

/// The coefficients and the bias of a kernel logistic model, and the figures that follow from them.
///
/// ```text
/// P = Σ ωᵢ log(1 + exp(−yᵢf(xᵢ))) + ½λ αᵗKα ,   D = Σ ωᵢ h(qᵢ) − ½λ βᵗKβ ,   λβᵢ = ωᵢ([yᵢ = 1] − qᵢ) ,   Σ βᵢ = 0
/// ```
/// with the entropy `h`. `D ≤ P` for all `q` between 0 and 1 that meet the constraint; those of the coefficients, `β = α`,
/// are taken, after clipping where a run was cut short.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelLogisticCertificate {
    alpha: Vec<f64>,
    bias: f64,
    penalty: f64,
    figures: DualityFigures,
}

/// The probability of class 1 that a coefficient stands for.
pub(super) fn probability_of(alpha: f64, class: u32, weight: f64, penalty: f64) -> f64 {
    Likelihood::Logistic.target(class, 0) - penalty * alpha / weight
}

impl KernelLogisticCertificate {
    /// Computes the figures from values that the solver has: class and weight, coefficient and value of each example
    /// with a weight, and products with the Gram matrix of these.
    pub(super) fn compute(
        alpha: Vec<f64>,
        bias: f64,
        penalty: f64,
        sample: &[(u32, f64)],
        own: &[f64],
        f: &[f64],
        multiply: &dyn Fn(&[f64]) -> Result<Vec<f64>>,
    ) -> Result<Self> {
        let mut sums = Sums::default();
        let mut beta = vec![0.0; own.len()];
        for (i, &(class, weight)) in sample.iter().enumerate() {
            beta[i] = sums.add(class, weight, own[i], f[i], penalty);
        }
        let form = |alpha: &[f64], f: &[f64], bias: f64| -> f64 {
            alpha.iter().zip(f).map(|(alpha, f)| alpha * (f - bias)).sum()
        };
        let norm = form(own, f, bias);
        let dual_norm = if beta == own { norm } else { form(&beta, &multiply(&beta)?, 0.0) };
        let figures = sums.figures(norm, dual_norm, penalty)?;
        Ok(Self { alpha, bias, penalty, figures })
    }

    /// The coefficient of each example.
    pub fn alpha(&self) -> &[f64] {
        &self.alpha
    }

    /// The bias.
    pub fn bias(&self) -> f64 {
        self.bias
    }

    /// The penalty λ of the objective.
    pub fn penalty(&self) -> f64 {
        self.penalty
    }

    /// Primal and dual value; the largest violation of the optimality conditions `λαᵢ = ωᵢ([yᵢ = 1] − pᵢ)`, per unit of
    /// weight; the violation of the constraint, as a share of the sum of the weights.
    pub fn figures(&self) -> DualityFigures {
        self.figures
    }
}

/// What is summed over the examples.
#[derive(Default)]
struct Sums {
    loss: f64,
    entropy: f64,
    kkt: f64,
    balance: f64,
    weight: f64,
}

impl Sums {
    /// Adds an example; the coefficient of its multiplier, within bounds.
    fn add(&mut self, class: u32, weight: f64, alpha: f64, f: f64, penalty: f64) -> f64 {
        let target = Likelihood::Logistic.target(class, 0);
        let q = probability_of(alpha, class, weight, penalty);
        let inside = q.clamp(0.0, 1.0);
        let beta = if inside == q { alpha } else { weight * (target - inside) / penalty };
        self.loss += weight * loss(if class == 1 { f } else { -f });
        self.entropy += weight * Likelihood::Logistic.entropy(&[inside]);
        self.kkt = self.kkt.max((q - sigmoid(f)).abs());
        self.balance += beta;
        self.weight += weight;
        beta
    }

    fn figures(&self, norm: f64, dual_norm: f64, penalty: f64) -> Result<DualityFigures> {
        let primal = self.loss + 0.5 * penalty * norm;
        // Losses and norms are not negative: 0 is a bound that needs no proof.
        let dual = (self.entropy - 0.5 * penalty * dual_norm).max(0.0);
        let infeasibility = penalty * self.balance.abs() / self.weight;
        if primal.is_finite() && self.kkt.is_finite() && infeasibility.is_finite() {
            Ok(DualityFigures { primal, dual, kkt: self.kkt, infeasibility })
        } else {
            Err(Error::Numerical { what: "the duality gap" })
        }
    }
}

impl<G: Gram + ?Sized> Certificate<TrainingSet<'_, G, BinaryLabels>> for KernelLogisticCertificate {
    /// Recomputes all figures, one row of the Gram matrix at a time, from the last to the first.
    fn verify(&self, set: &TrainingSet<'_, G, BinaryLabels>) -> Result<Verdict> {
        if self.alpha.len() != set.len() {
            let (expected, found) = (set.len(), self.alpha.len());
            return Err(Error::Length { what: "the list of coefficients", expected, found });
        }
        let class = |row: usize| u32::from(set.labels().signs()[row].value() > 0.0);
        let clipped = |row: usize| {
            let weight = set.weight(row);
            if weight == 0.0 {
                return 0.0;
            }
            let q = probability_of(self.alpha[row], class(row), weight, self.penalty).clamp(0.0, 1.0);
            weight * (Likelihood::Logistic.target(class(row), 0) - q) / self.penalty
        };
        let beta: Vec<f64> = (0..set.len()).map(clipped).collect();
        let mut values = vec![0.0; set.len()];
        let mut sums = Sums::default();
        let (mut norm, mut dual_norm, mut size, mut worst) = (0.0, 0.0, 0.0, 0.0_f64);
        for row in (0..set.len()).rev().filter(|&row| set.weight(row) != 0.0) {
            set.examples().fill(&[row], Columns::All, &mut values)?;
            let (mut own, mut dual, mut terms) = (0.0, 0.0, 0.0);
            for ((value, alpha), beta) in values.iter().zip(&self.alpha).zip(&beta) {
                own += alpha * value;
                dual += beta * value;
                terms += (alpha.abs().max(beta.abs()) * value).abs();
            }
            sums.add(class(row), set.weight(row), self.alpha[row], own + self.bias, self.penalty);
            norm += self.alpha[row] * own;
            dual_norm += beta[row] * dual;
            size +=
                self.penalty * self.alpha[row].abs().max(beta[row].abs()) * terms + set.weight(row) * terms;
            worst = worst.max(terms);
        }
        let now = sums.figures(norm, dual_norm, self.penalty)?;
        let rounding = 8.0 * f64::EPSILON * (set.len() as f64 + 16.0);
        let value_error = rounding * (now.primal + sums.entropy + size);
        let claims = [
            ("the primal value", self.figures.primal, now.primal, value_error),
            ("the dual value", self.figures.dual, now.dual, value_error),
            (
                "the violation of the optimality conditions",
                self.figures.kkt,
                now.kkt,
                rounding * (1.0 + now.kkt + worst),
            ),
            ("the violation of the constraint", self.figures.infeasibility, now.infeasibility, rounding),
        ];
        let wrong = claims.iter().find(|(_, claimed, found, allowed)| !((claimed - found).abs() <= *allowed));
        Ok(wrong.map_or(Verdict::Valid, |&(what, claimed, recomputed, _)| {
            Verdict::Invalid(Discrepancy { what, claimed, recomputed, row: None })
        }))
    }
}
