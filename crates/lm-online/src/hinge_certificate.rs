//! The evidence for a soft margin machine in primal form: its hyperplane, and multipliers that bound the optimum.

use lm_core::{
    BinaryLabels, Certificate, Discrepancy, DualityFigures, Error, Examples, Hypothesis, Linear, Result,
    TrainingSet, Verdict,
};

use crate::soft_margin::Problem;

/// A hyperplane, multipliers, and the figures that follow from them: how far the hyperplane can be from the best.
///
/// [`Certificate::verify`] recomputes every figure entry by entry from the data, by code that shares nothing with the
/// learner.
#[derive(Debug, Clone, PartialEq)]
pub struct HingeCertificate {
    hyperplane: Linear,
    alpha: Vec<f64>,
    cost: f64,
    biased: bool,
    figures: DualityFigures,
}

impl HingeCertificate {
    /// Computes the figures of a hyperplane and of feasible multipliers.
    pub(crate) fn compute<E: Examples + ?Sized>(
        set: &TrainingSet<'_, E, BinaryLabels>,
        hyperplane: Linear,
        alpha: Vec<f64>,
        cost: f64,
        biased: bool,
    ) -> Result<Self> {
        let problem = Problem::new(set, cost, biased);
        let values = hyperplane.decision_values(set.examples())?;
        let mut of_alpha = vec![0.0; set.examples().dim()];
        for (row, alpha) in alpha.iter().enumerate().filter(|(_, alpha)| **alpha > 0.0) {
            set.examples().add_scaled(row, alpha * problem.signs[row], &mut of_alpha);
        }
        let norm_squared = |w: &[f64]| w.iter().map(|w| w * w).sum::<f64>();
        let norms = (norm_squared(hyperplane.weights()), norm_squared(&of_alpha));
        let figures = problem.figures(&values, norms.0, &alpha, norms.1)?;
        Ok(Self { hyperplane, alpha, cost, biased, figures })
    }

    /// The hyperplane.
    pub fn hyperplane(&self) -> &Linear {
        &self.hyperplane
    }

    /// The multiplier of each example.
    pub fn alpha(&self) -> &[f64] {
        &self.alpha
    }

    /// The cost `C` of a unit of slack; with `λ`, that is `1/(λ Σωᵢ)`.
    pub fn cost(&self) -> f64 {
        self.cost
    }

    /// Primal value of the hyperplane, dual value of the multipliers, largest violation of the optimality conditions and
    /// of the constraints.
    pub fn figures(&self) -> DualityFigures {
        self.figures
    }
}

/// A recomputed number, and the size of the terms it is a sum of.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sum {
    pub(crate) value: f64,
    pub(crate) size: f64,
}

impl Sum {
    pub(crate) fn add(&mut self, term: f64, size: f64) {
        self.value += term;
        self.size += size;
    }
}

/// Compares a primal and a dual value with what was recomputed.
pub(crate) fn compare(figures: DualityFigures, primal: Sum, dual: Sum, terms: usize) -> Result<Verdict> {
    if !(primal.size.is_finite() && dual.size.is_finite()) {
        return Err(Error::Numerical { what: "the duality gap" });
    }
    let rounding = 8.0 * f64::EPSILON * (terms as f64 + 8.0);
    let claims = [("the primal value", figures.primal, primal), ("the dual value", figures.dual, dual)];
    // Written so that NaN fails.
    let wrong = claims.iter().find(|(_, claimed, now)| !((claimed - now.value).abs() <= rounding * now.size));
    Ok(wrong.map_or(Verdict::Valid, |&(what, claimed, now)| {
        Verdict::Invalid(Discrepancy { what, claimed, recomputed: now.value, row: None })
    }))
}

/// Checks that multipliers bound anything at all: `0 ≤ αᵢ ≤ cᵢ` and, with a bias, `Σ αᵢyᵢ = 0`.
pub(crate) fn infeasible(alpha: &[f64], signs: &[f64], costs: &[f64], biased: bool) -> Option<Discrepancy> {
    let (mut balance, mut total) = (0.0_f64, 0.0);
    for row in (0..alpha.len()).rev() {
        let (alpha, cost) = (alpha[row], costs[row]);
        if !(alpha >= 0.0 && alpha <= cost * (1.0 + 4.0 * f64::EPSILON)) {
            let what = "a multiplier, which must lie between 0 and its cost,";
            return Some(Discrepancy { what, claimed: cost, recomputed: alpha, row: Some(row) });
        }
        balance += alpha * signs[row];
        total += alpha;
    }
    let allowed = 8.0 * f64::EPSILON * (alpha.len() as f64 + 8.0) * total;
    (biased && !(balance.abs() <= allowed)).then_some(Discrepancy {
        what: "the balance of the multipliers",
        claimed: 0.0,
        recomputed: balance,
        row: None,
    })
}

impl<E: Examples + ?Sized> Certificate<TrainingSet<'_, E, BinaryLabels>> for HingeCertificate {
    fn verify(&self, set: &TrainingSet<'_, E, BinaryLabels>) -> Result<Verdict> {
        let (examples, w) = (set.examples(), self.hyperplane.weights());
        examples.check_dim("the weight vector", w.len())?;
        if self.alpha.len() != set.len() {
            let (expected, found) = (set.len(), self.alpha.len());
            return Err(Error::Length { what: "the list of multipliers", expected, found });
        }
        let costs: Vec<f64> = (0..set.len()).map(|row| self.cost * set.weight(row)).collect();
        if let Some(found) = infeasible(&self.alpha, &set.labels().values(), &costs, self.biased) {
            return Ok(Verdict::Invalid(found));
        }
        if !self.biased && self.hyperplane.bias() != 0.0 {
            let (what, claimed) = ("the bias of a machine without one", self.hyperplane.bias());
            return Ok(Verdict::Invalid(Discrepancy { what, claimed, recomputed: 0.0, row: None }));
        }
        let (mut primal, mut dual) = (Sum::default(), Sum::default());
        let (mut of_alpha, mut sizes) = (vec![0.0; w.len()], vec![0.0; w.len()]);
        for row in (0..set.len()).rev() {
            let (sign, alpha) = (set.labels().signs()[row].value(), self.alpha[row]);
            let mut value = Sum { value: self.hyperplane.bias(), size: self.hyperplane.bias().abs() };
            examples.row(row).for_each(|k, x| {
                value.add(w[k] * x, (w[k] * x).abs());
                of_alpha[k] += alpha * sign * x;
                sizes[k] += (alpha * x).abs();
            });
            primal.add(costs[row] * (1.0 - sign * value.value).max(0.0), costs[row] * (1.0 + value.size));
            dual.add(alpha, alpha);
        }
        for k in 0..w.len() {
            primal.add(0.5 * w[k] * w[k], 0.5 * w[k] * w[k]);
            dual.add(-0.5 * of_alpha[k] * of_alpha[k], sizes[k] * sizes[k]);
        }
        compare(self.figures, primal, dual, set.len() + w.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::Dense;

    #[test]
    fn forged_figures_are_found_out() {
        let examples = Dense::new(vec![-1.0, 0.5, 1.0, 2.0], 4, 1).unwrap();
        let labels = BinaryLabels::from_integers(&[-1, 1, -1, 1]).unwrap();
        let set = TrainingSet::new(&examples, &labels).unwrap();
        let hyperplane = Linear::new(vec![0.8], -0.25).unwrap();
        let honest =
            HingeCertificate::compute(&set, hyperplane, vec![0.25, 1.0, 1.0, 0.25], 1.0, true).unwrap();
        assert!(honest.verify(&set).unwrap().is_valid());
        let forge = |change: fn(&mut HingeCertificate)| {
            let mut forged = honest.clone();
            change(&mut forged);
            forged.verify(&set).map(|verdict| verdict.is_valid())
        };
        assert_eq!(forge(|c| c.figures.primal *= 0.999_999), Ok(false));
        assert_eq!(forge(|c| c.figures.dual += 1e-6), Ok(false));
        assert_eq!(forge(|c| c.figures.dual = f64::NAN), Ok(false));
        assert_eq!(forge(|c| c.alpha[0] = 0.5), Ok(false), "out of balance");
        assert_eq!(forge(|c| c.alpha[1] = 1.5), Ok(false), "above its cost");
        assert_eq!(forge(|c| c.biased = false), Ok(false), "a bias that must not be");
        assert!(forge(|c| c.alpha.push(0.0)).is_err());
    }
}
