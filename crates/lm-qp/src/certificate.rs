//! The evidence for a soft margin machine: multipliers from which both bounds are recomputed.

use lm_core::{
    BinaryLabels, Certificate, Columns, Discrepancy, DualityFigures, Error, Gram, Result, TrainingSet,
    Verdict,
};

/// The multipliers of a machine, the costs they are bounded by, its bias, and the figures that follow from them.
///
/// The dual value of any feasible multipliers is a lower bound on the optimum and the primal value of any machine an
/// upper one. Both are computed here from rows of the Gram matrix, by code that shares nothing with the solver.
#[derive(Debug, Clone, PartialEq)]
pub struct SvcCertificate {
    alpha: Vec<f64>,
    costs: Vec<f64>,
    bias: f64,
    figures: DualityFigures,
}

impl SvcCertificate {
    /// Computes the figures of multipliers and a bias.
    pub(crate) fn compute<G: Gram + ?Sized>(
        set: &TrainingSet<'_, G, BinaryLabels>,
        alpha: Vec<f64>,
        costs: Vec<f64>,
        bias: f64,
    ) -> Result<Self> {
        let figures = figures(set, &alpha, &costs, bias)?;
        Ok(Self { alpha, costs, bias, figures })
    }

    /// The multiplier of each example.
    pub fn alpha(&self) -> &[f64] {
        &self.alpha
    }

    /// The cost that bounds each multiplier.
    pub fn costs(&self) -> &[f64] {
        &self.costs
    }

    /// Primal and dual value, largest violation of the optimality conditions and of the constraints.
    pub fn figures(&self) -> DualityFigures {
        self.figures
    }
}

/// Recomputes all figures, one row of the Gram matrix at a time.
fn figures<G: Gram + ?Sized>(
    set: &TrainingSet<'_, G, BinaryLabels>,
    alpha: &[f64],
    costs: &[f64],
    bias: f64,
) -> Result<DualityFigures> {
    let (gram, signs) = (set.examples(), set.labels().values());
    let support: Vec<usize> = (0..set.len()).filter(|&row| alpha[row] != 0.0).collect();
    let mut values = vec![0.0; support.len()];
    let (mut norm_squared, mut loss, mut total, mut kkt) = (0.0, 0.0, 0.0, 0.0_f64);
    let (mut balance, mut infeasibility) = (0.0, 0.0_f64);
    for row in 0..set.len() {
        gram.fill(&[row], Columns::List(&support), &mut values)?;
        let score: f64 = values.iter().zip(&support).map(|(value, &j)| alpha[j] * signs[j] * value).sum();
        let slack = 1.0 - signs[row] * (score + bias);
        norm_squared += alpha[row] * signs[row] * score;
        loss += costs[row] * slack.max(0.0);
        total += alpha[row];
        balance += alpha[row] * signs[row];
        infeasibility = infeasibility.max(-alpha[row]).max(alpha[row] - costs[row]);
        // An example short of the margin must be at its cost, one beyond it at 0.
        let violation = if slack > 0.0 && alpha[row] < costs[row] {
            slack
        } else if slack < 0.0 && alpha[row] > 0.0 {
            -slack
        } else {
            0.0
        };
        kkt = kkt.max(violation);
    }
    let infeasibility = infeasibility.max(f64::abs(balance));
    let figures = DualityFigures {
        primal: 0.5 * norm_squared + loss,
        dual: total - 0.5 * norm_squared,
        kkt,
        infeasibility,
    };
    if figures.primal.is_finite() && figures.dual.is_finite() {
        Ok(figures)
    } else {
        Err(Error::Numerical { what: "the duality gap" })
    }
}

impl<G: Gram + ?Sized> Certificate<TrainingSet<'_, G, BinaryLabels>> for SvcCertificate {
    fn verify(&self, set: &TrainingSet<'_, G, BinaryLabels>) -> Result<Verdict> {
        for (what, found) in [("the multipliers", self.alpha.len()), ("the costs", self.costs.len())] {
            if found != set.len() {
                return Err(Error::Length { what, expected: set.len(), found });
            }
        }
        let now = figures(set, &self.alpha, &self.costs, self.bias)?;
        let scale = now.primal.abs().max(now.dual.abs());
        let rounding = 8.0 * f64::EPSILON * set.len() as f64;
        let largest_cost = self.costs.iter().fold(0.0, |a: f64, &b| a.max(b));
        let claims = [
            ("the primal value", self.figures.primal, now.primal, rounding * scale),
            ("the dual value", self.figures.dual, now.dual, rounding * scale),
            (
                "the violation of the optimality conditions",
                self.figures.kkt,
                now.kkt,
                rounding * (1.0 + now.kkt),
            ),
            (
                "the violation of the constraints",
                self.figures.infeasibility,
                now.infeasibility,
                rounding * largest_cost,
            ),
        ];
        let wrong = claims
            .iter()
            .find(|(_, claimed, recomputed, allowed)| !((claimed - recomputed).abs() <= *allowed));
        if let Some(&(what, claimed, recomputed, _)) = wrong {
            return Ok(Verdict::Invalid(Discrepancy { what, claimed, recomputed, row: None }));
        }
        // Multipliers that break the constraints bound nothing.
        let allowed = rounding * largest_cost * set.len() as f64;
        if now.infeasibility > allowed {
            let (what, recomputed) = ("the constraints on the multipliers", now.infeasibility);
            return Ok(Verdict::Invalid(Discrepancy { what, claimed: 0.0, recomputed, row: None }));
        }
        Ok(Verdict::Valid)
    }
}
