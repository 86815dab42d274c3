//! The evidence for a ridge solution in a feature space: both values of the criterion, and the residual.

use lm_core::{
    BinaryLabels, Certificate, Columns, Discrepancy, DualityFigures, Error, Gram, Result, Targets,
    TrainingSet, Verdict,
};

use crate::conjugate_gradients::largest;
use crate::kernel_ridge::Kept;

/// The coefficients and the bias of a function, and how near it is to the solution of
///
/// ```text
/// primal:  minimise ½‖w‖² + 1/(2λ) Σ ωᵢ(yᵢ − ⟨w·φ(xᵢ)⟩ − b)²
/// dual:    maximise Σ yᵢαᵢ − ½ ΣΣ αᵢαⱼKᵢⱼ − ½ Σ (λ/ωᵢ) αᵢ²      subject to Σα = 0 where the bias is free
/// ```
///
/// With `r = y − (K + λW⁻¹)α − b` the duality gap is `½ Σ ωᵢrᵢ²/λ`, so the residual bounds how far the function is from
/// the best one ([`KernelRidgeCertificate::function_error`]). [`Certificate::verify`] recomputes everything from rows of
/// the Gram matrix. The bounds hold for a kernel that is an inner product, which they take for granted.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct KernelRidgeCertificate {
    alpha: Vec<f64>,
    bias: f64,
    free_bias: bool,
    lambda: f64,
    largest_weight: f64,
    figures: DualityFigures,
    residual_norm: f64,
    gap: f64,
}

/// Sums of a pass over the rows, each with the sum of the sizes of its terms.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    value: f64,
    size: f64,
}

impl Sum {
    fn add(&mut self, value: f64, size: f64) {
        self.value += value;
        self.size += size;
    }
}

/// What follows from `α`, `b` and the values `Kα`.
#[derive(Debug, Clone, Copy, Default)]
struct Figures {
    primal: Sum,
    dual: Sum,
    kkt: Sum,
    balance: Sum,
    /// `Σr²`.
    squares: Sum,
    /// `½ Σ ωr²/λ`.
    gap: Sum,
}

impl Figures {
    /// Adds an example with coefficient `alpha`, target `y`, ridge `λ/ω`, value `Kα` with the size of its terms, and bias.
    fn add(&mut self, alpha: f64, y: f64, ridge: f64, (product, product_size): (f64, f64), bias: f64) {
        let error = y - product - bias;
        let size = y.abs() + product_size + bias.abs();
        let residual = error - ridge * alpha;
        let residual_size = size + (ridge * alpha).abs();
        self.primal.add(
            0.5 * alpha * product + 0.5 * error * (error / ridge),
            alpha.abs() * product_size + size * (size / ridge),
        );
        self.dual.add(
            alpha * y - 0.5 * alpha * (product + ridge * alpha),
            alpha.abs() * (y.abs() + product_size + (ridge * alpha).abs()),
        );
        if !(residual.abs() <= self.kkt.value) {
            self.kkt.value = residual.abs();
        }
        self.kkt.size = self.kkt.size.max(residual_size);
        self.balance.add(alpha, alpha.abs());
        self.squares.add(residual * residual, residual_size * residual_size);
        self.gap.add(0.5 * residual * (residual / ridge), residual_size * (residual_size / ridge));
    }

    fn figures(&self, free_bias: bool) -> Result<DualityFigures> {
        let infeasibility = if free_bias { self.balance.value.abs() } else { 0.0 };
        let figures = DualityFigures {
            primal: self.primal.value,
            dual: self.dual.value,
            kkt: self.kkt.value,
            infeasibility,
        };
        if figures.primal.is_finite() && figures.dual.is_finite() && self.squares.value.is_finite() {
            Ok(figures)
        } else {
            Err(Error::Numerical { what: "the duality gap (rescale the targets)" })
        }
    }
}

impl KernelRidgeCertificate {
    /// The figures of a solution, from its residual `y − (K + λW⁻¹)α − b` on the rows with a weight, in order.
    pub(crate) fn compute(
        targets: &[f64],
        weight: impl Fn(usize) -> f64,
        solution: (Vec<f64>, f64, &[f64]),
        lambda: f64,
        free_bias: bool,
    ) -> Result<Self> {
        let (alpha, bias, residual) = solution;
        let (mut sums, mut largest_weight) = (Figures::default(), 0.0_f64);
        let rows = (0..alpha.len()).filter(|&row| weight(row) > 0.0);
        for (row, r) in rows.zip(residual) {
            let ridge = lambda / weight(row);
            let product = targets[row] - r - bias - ridge * alpha[row];
            sums.add(alpha[row], targets[row], ridge, (product, product.abs()), bias);
            largest_weight = largest_weight.max(weight(row));
        }
        let figures = sums.figures(free_bias)?;
        let (residual_norm, gap) = (sums.squares.value.sqrt(), sums.gap.value);
        Ok(Self { alpha, bias, free_bias, lambda, largest_weight, figures, residual_norm, gap })
    }

    /// The same claim about the examples that count alone.
    pub(crate) fn restricted(self, kept: &Kept) -> Self {
        Self { alpha: kept.pick(&self.alpha), ..self }
    }

    /// The coefficient of each example.
    pub fn alpha(&self) -> &[f64] {
        &self.alpha
    }

    /// The bias.
    pub fn bias(&self) -> f64 {
        self.bias
    }

    /// Primal and dual value, the largest residual as violation of the optimality conditions, and `|Σα|`.
    pub fn figures(&self) -> DualityFigures {
        self.figures
    }

    /// The duality gap over the primal value: the share by which the criterion may still be off. It is computed from the
    /// residual, as `½ Σ ωr²/λ`, which keeps the digits that the difference of the two values loses.
    pub fn relative_gap(&self) -> f64 {
        if self.gap == 0.0 { 0.0 } else { self.gap / self.figures.primal.abs() }
    }

    /// `‖y − (K + λW⁻¹)α − b‖`, over the examples that count.
    pub fn residual_norm(&self) -> f64 {
        self.residual_norm
    }

    /// A bound on `‖α − α*‖` where there is no bias: `‖r‖` over the smallest entry of `λW⁻¹`.
    pub fn coefficient_error(&self) -> f64 {
        self.residual_norm * self.largest_weight / self.lambda
    }

    /// A bound on the distance to the best function in the feature space, `‖w − w*‖ ≤ √(2·gap)`: a decision value
    /// without the bias is off by at most `√K(x, x)` times this.
    pub fn function_error(&self) -> f64 {
        self.residual_norm * (self.largest_weight / self.lambda).sqrt()
    }

    fn check<G: Gram + ?Sized>(
        &self,
        gram: &G,
        targets: &[f64],
        weight: impl Fn(usize) -> f64,
    ) -> Result<Verdict> {
        if self.alpha.len() != targets.len() {
            let (expected, found) = (targets.len(), self.alpha.len());
            return Err(Error::Length { what: "the list of coefficients", expected, found });
        }
        let support: Vec<usize> = (0..self.alpha.len()).filter(|&row| self.alpha[row] != 0.0).collect();
        if let Some(&row) = support.iter().find(|&&row| weight(row) == 0.0) {
            let (what, recomputed) = ("the coefficient of an example of weight 0", self.alpha[row]);
            return Ok(Verdict::Invalid(Discrepancy { what, claimed: 0.0, recomputed, row: Some(row) }));
        }
        let mut values = vec![0.0; support.len()];
        let mut sums = Figures::default();
        for row in (0..targets.len()).rev().filter(|&row| weight(row) > 0.0) {
            gram.fill(&[row], Columns::List(&support), &mut values)?;
            let mut product = Sum::default();
            for (value, &column) in values.iter().zip(&support).rev() {
                let term = value * self.alpha[column];
                product.add(term, term.abs());
            }
            let ridge = self.lambda / weight(row);
            sums.add(self.alpha[row], targets[row], ridge, (product.value, product.size), self.bias);
        }
        self.compare(&sums)
    }

    fn compare(&self, now: &Figures) -> Result<Verdict> {
        let figures = now.figures(self.free_bias)?;
        let rounding = 8.0 * f64::EPSILON * (self.alpha.len() as f64 + 8.0);
        let norm = now.squares.value.sqrt();
        let claims = [
            ("the primal value", self.figures.primal, figures.primal, now.primal.size),
            ("the dual value", self.figures.dual, figures.dual, now.dual.size),
            ("the largest residual", self.figures.kkt, figures.kkt, now.kkt.size),
            (
                "the sum of the coefficients",
                self.figures.infeasibility,
                figures.infeasibility,
                now.balance.size,
            ),
            ("the norm of the residual", self.residual_norm, norm, now.squares.size.sqrt()),
            ("the duality gap", self.gap.sqrt(), now.gap.value.sqrt(), now.gap.size.sqrt()),
        ];
        // Written so that NaN fails.
        let wrong = claims.iter().find(|(_, claimed, now, size)| !((claimed - now).abs() <= rounding * size));
        if let Some(&(what, claimed, recomputed, _)) = wrong {
            return Ok(Verdict::Invalid(Discrepancy { what, claimed, recomputed, row: None }));
        }
        // Coefficients off the plane bound nothing.
        let allowed = rounding * largest(&self.alpha) * self.alpha.len() as f64;
        if figures.infeasibility > allowed {
            let (what, recomputed) = ("the constraint on the coefficients", figures.infeasibility);
            return Ok(Verdict::Invalid(Discrepancy { what, claimed: 0.0, recomputed, row: None }));
        }
        Ok(Verdict::Valid)
    }
}

impl<G: Gram + ?Sized> Certificate<TrainingSet<'_, G, Targets>> for KernelRidgeCertificate {
    fn verify(&self, set: &TrainingSet<'_, G, Targets>) -> Result<Verdict> {
        self.check(set.examples(), set.labels().values(), |row| set.weight(row))
    }
}

impl<G: Gram + ?Sized> Certificate<TrainingSet<'_, G, BinaryLabels>> for KernelRidgeCertificate {
    fn verify(&self, set: &TrainingSet<'_, G, BinaryLabels>) -> Result<Verdict> {
        self.check(set.examples(), &set.labels().values(), |row| set.weight(row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::MatrixGram;

    fn claim(alpha: Vec<f64>, residual: &[f64]) -> KernelRidgeCertificate {
        // K = [[1, 0], [0, 3]], λ = 1, y = (4, 4): α = (2, 1).
        KernelRidgeCertificate::compute(&[4.0, 4.0], |_| 1.0, (alpha, 0.0, residual), 1.0, false).unwrap()
    }

    #[test]
    fn figures_by_hand() {
        let gram = MatrixGram::precomputed(vec![1.0, 0.0, 0.0, 3.0], 2).unwrap();
        let targets = Targets::new(vec![4.0, 4.0]).unwrap();
        let set = TrainingSet::new(&gram, &targets).unwrap();
        let exact = claim(vec![2.0, 1.0], &[0.0, 0.0]);
        // ½(2·2 + 1·3) + ½(2² + 1²) = 6 = 12 − ½(2·4 + 1·4).
        assert_eq!((exact.figures().primal, exact.figures().dual), (6.0, 6.0));
        assert!(exact.verify(&set).unwrap().is_valid());
        let off = claim(vec![1.0, 1.0], &[2.0, 0.0]);
        let figures = off.figures();
        assert_eq!((figures.primal - figures.dual, figures.kkt), (2.0, 2.0)); // ½ r²
        assert_eq!((off.coefficient_error(), off.function_error()), (2.0, 2.0));
        assert!(off.verify(&set).unwrap().is_valid());
    }

    #[test]
    fn forged_claims_are_found_out() {
        let gram = MatrixGram::precomputed(vec![1.0, 0.0, 0.0, 3.0], 2).unwrap();
        let targets = Targets::new(vec![4.0, 4.0]).unwrap();
        let set = TrainingSet::new(&gram, &targets).unwrap();
        let honest = claim(vec![2.0, 1.0], &[0.0, 0.0]);
        let mut forged = vec![claim(vec![1.0, 1.0], &[0.0, 0.0])];
        forged.push(KernelRidgeCertificate { alpha: vec![2.0, 1.5], ..honest.clone() });
        forged.push(KernelRidgeCertificate { bias: 1.0, ..honest.clone() });
        forged.push(KernelRidgeCertificate { lambda: 2.0, ..honest.clone() });
        forged.push(KernelRidgeCertificate { free_bias: true, ..honest.clone() });
        let figures = DualityFigures { infeasibility: 3.0, ..honest.figures };
        forged.push(KernelRidgeCertificate { free_bias: true, figures, ..honest.clone() });
        for forged in forged {
            assert!(!forged.verify(&set).unwrap().is_valid(), "{forged:?}");
        }
        let short = claim(vec![2.0], &[0.0]);
        assert!(matches!(short.verify(&set), Err(Error::Length { .. })));
    }
}
