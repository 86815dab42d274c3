//! The linear programming machine: a sum of few kernel values instead of a small norm.
//!
//! # Problem
//! ```text
//! primal:  minimise Σαⱼ + C Σξᵢ   subject to yᵢ(Σⱼ αⱼyⱼKᵢⱼ + b) ≥ 1 − ξᵢ ,  α ≥ 0 ,  ξ ≥ 0
//! dual:    maximise Σβᵢ           subject to Σᵢ βᵢyᵢyⱼKᵢⱼ ≤ 1 for all j ,  Σ βᵢyᵢ = 0 ,  0 ≤ βᵢ ≤ C
//! ```
//! # Method
//! The dual by the simplex method of `linear_program/`: `β = 0` is feasible, and the multipliers of its rows are `α` and `−b`. At a vertex no
//! more coefficients are different from 0 than examples have their `β` between the bounds, so the machine is sparse. `K` need not be
//! positive definite.
//!
//! The weights of a machine that was stopped early may be negative before they are cut off at 0; the best bias for what is left makes
//! it the machine that is returned.
//! # Cost
//! `16n²` bytes, and `4nk` operations a move for `k` coefficients; as a rule a few moves for each.
//! # Reference
//! Mangasarian (2000), *Generalized support vector machines*; Cristianini & Shawe-Taylor (2000), section 6.1.3.

use lm_core::{
    BinaryLabels, Budget, Certificate, Collection, Columns, Control, Discrepancy, DualExpansion,
    DualityFigures, Error, Fit, Gram, Learner, MatrixGram, Result, Selection, Stop, TrainingSet, Verdict,
};

use crate::linear_program::{End, Simplex};

/// The settings of the linear programming machine.
///
/// A weight multiplies the cost `C` of its example, which is what that many copies of the example would do.
///
/// ```
/// use lm_core::{BinaryLabels, Certificate, Dense, Hypothesis, Learner, TrainingSet, VectorGram, VectorKernel};
/// use lm_qp::LpSvc;
///
/// let examples = Dense::new(vec![0.0, 0.3, 0.6, 2.0, 2.4, 2.9], 6, 1)?;
/// let labels = BinaryLabels::from_integers(&[-1, -1, -1, 1, 1, 1])?;
/// let gram = VectorGram::new(&examples, VectorKernel::gaussian(0.5)?)?;
/// let fit = LpSvc::default().with_cost(10.0).fit(&gram, &labels)?.converged()?;
/// assert_eq!(fit.model.signs(&gram)?, labels.signs());
/// assert!(fit.model.rows().len() <= 2);
/// assert!(fit.certificate.figures().relative_gap() <= 1e-6);
/// assert!(fit.certificate.verify(&TrainingSet::new(&gram, &labels)?)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LpSvc {
    cost: f64,
    gap: f64,
}

impl Default for LpSvc {
    fn default() -> Self {
        Self { cost: 1.0, gap: 1e-6 }
    }
}

impl LpSvc {
    /// The cost `C` of a unit of slack, finite and > 0; default 1. A larger cost takes more moves.
    #[must_use]
    pub fn with_cost(self, cost: f64) -> Self {
        Self { cost, ..self }
    }

    /// The relative duality gap that a converged machine has at most, between 0 and 1; default 1e-6. The method ends at an optimum but for
    /// rounding, so this is a check and not a wish.
    #[must_use]
    pub fn with_gap(self, gap: f64) -> Self {
        Self { gap, ..self }
    }

    fn validate(&self) -> Result<()> {
        let setting = |name, value, accepted| Err(Error::Setting { name, value, accepted });
        if !(self.cost > 0.0 && self.cost.is_finite()) {
            return setting("cost", self.cost, "a finite number > 0");
        }
        if !(self.gap > 0.0 && self.gap < 1.0) {
            return setting("gap", self.gap, "a number between 0 and 1");
        }
        Ok(())
    }
}

/// The examples of positive weight with their signs and the bounds of their `β`.
struct Present {
    rows: Vec<usize>,
    signs: Vec<f64>,
    most: Vec<f64>,
}

impl Present {
    fn of<S: Collection + ?Sized>(set: &TrainingSet<'_, S, BinaryLabels>, cost: f64) -> Result<Self> {
        let rows: Vec<usize> = (0..set.len()).filter(|&row| set.weight(row) > 0.0).collect();
        let signs = rows.iter().map(|&row| set.labels().signs()[row].value()).collect();
        let most: Vec<f64> = rows.iter().map(|&row| cost * set.weight(row)).collect();
        if most.iter().sum::<f64>().is_finite() {
            Ok(Self { rows, signs, most })
        } else {
            Err(Error::Numerical { what: "the cost of all examples" })
        }
    }
}

impl<G: Gram + ?Sized> Learner<G, BinaryLabels> for LpSvc {
    type Model = DualExpansion;
    type Certificate = LpCertificate;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, G, BinaryLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<DualExpansion, LpCertificate>> {
        self.validate()?;
        let present = Present::of(set, self.cost)?;
        let n = present.rows.len();
        control.budget().check_memory("the linear program", n.saturating_mul(n + 1).saturating_mul(16))?;
        let mut meter = control.start(100 * n as u64 + 10_000);
        let (multipliers, beta, end) = {
            let gram = set.examples();
            let selected = Selection::new(&gram, &present.rows)?;
            let mut matrix = MatrixGram::computed(&selected, &Budget::default())?.into_values();
            for (row, sign) in matrix.chunks_exact_mut(n).zip(&present.signs) {
                row.iter_mut().zip(&present.signs).for_each(|(value, other)| *value *= sign * other);
            }
            matrix.extend_from_slice(&present.signs);
            let _ = meter.advance(0, (n * n) as u64);
            let bounds = |own: &[f64], rows: f64| -> Vec<f64> {
                own.iter().copied().chain(vec![rows; n]).chain([0.0]).collect()
            };
            let bounds = (bounds(&vec![0.0; n], f64::NEG_INFINITY), bounds(&present.most, 1.0));
            let mut simplex = Simplex::new(n + 1, &vec![-1.0; n], matrix, bounds);
            let end = simplex.run(&mut meter);
            (simplex.multipliers(), simplex.point(), end)
        };
        let spread = |values: &[f64]| {
            let mut all = vec![0.0; set.len()];
            present.rows.iter().zip(values).for_each(|(&row, value)| all[row] = *value);
            all
        };
        let alpha: Vec<f64> = multipliers[..n].iter().map(|y| (-y).max(0.0)).collect();
        let (alpha, beta) = (spread(&alpha), spread(&beta));
        let certificate = LpCertificate::compute(self.cost, set, &present, alpha, beta)?;
        let coefficients: Vec<f64> = certificate
            .alpha
            .iter()
            .zip(set.labels().signs())
            .map(|(alpha, sign)| alpha * sign.value())
            .collect();
        let model = DualExpansion::from_all(&coefficients, certificate.bias)?;
        // Converged is what the certificate says, not what the solver believes.
        let stop = match end {
            End::Stopped(stop) => stop,
            _ if certificate.figures.relative_gap() <= self.gap => Stop::Converged,
            _ => Stop::Stalled,
        };
        Ok(Fit { model, report: meter.report(stop, None), certificate })
    }
}

/// Coefficients and multipliers of a linear programming machine, from which both sides of its duality gap are recomputed.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LpCertificate {
    cost: f64,
    alpha: Vec<f64>,
    bias: f64,
    beta: Vec<f64>,
    figures: DualityFigures,
}

impl LpCertificate {
    /// Makes `beta` feasible and chooses the best bias.
    fn compute<G: Gram + ?Sized>(
        cost: f64,
        set: &TrainingSet<'_, G, BinaryLabels>,
        present: &Present,
        alpha: Vec<f64>,
        mut beta: Vec<f64>,
    ) -> Result<Self> {
        let Present { rows, signs, most } = present;
        let mut sums = [0.0; 2];
        for ((&row, &sign), &most) in rows.iter().zip(signs).zip(most) {
            beta[row] = beta[row].clamp(0.0, most);
            sums[usize::from(sign < 0.0)] += beta[row];
        }
        // The heavier side is made as light as the other one; then all are divided by the largest activity beyond 1.
        let light = sums[0].min(sums[1]);
        for (&row, &sign) in rows.iter().zip(signs) {
            let own = sums[usize::from(sign < 0.0)];
            beta[row] *= if own > 0.0 { light / own } else { 0.0 };
        }
        let (scores, activities) = products(set, &alpha, &beta)?;
        let beyond = rows.iter().fold(1.0_f64, |beyond, &row| beyond.max(activities[row]));
        beta.iter_mut().for_each(|beta| *beta /= beyond);
        let bias = best_bias(&scores, present);
        let mut certificate = Self { cost, alpha, bias, beta, figures: NOTHING };
        certificate.figures = certificate.figures_on(set, present)?;
        Ok(certificate)
    }

    /// `α`, one for each example.
    pub fn alpha(&self) -> &[f64] {
        &self.alpha
    }

    /// The bias of the machine.
    pub fn bias(&self) -> f64 {
        self.bias
    }

    /// The multipliers `β` of the examples: the price of a unit of slack.
    pub fn beta(&self) -> &[f64] {
        &self.beta
    }

    /// Primal and dual value, the largest violation of complementary slackness and of the constraints.
    pub fn figures(&self) -> DualityFigures {
        self.figures
    }

    fn figures_on<G: Gram + ?Sized>(
        &self,
        set: &TrainingSet<'_, G, BinaryLabels>,
        present: &Present,
    ) -> Result<DualityFigures> {
        let (scores, activities) = products(set, &self.alpha, &self.beta)?;
        let (mut primal, mut dual, mut kkt, mut outside) = (0.0, 0.0, 0.0_f64, 0.0_f64);
        let mut balance = 0.0;
        for ((&row, &sign), &most) in present.rows.iter().zip(&present.signs).zip(&present.most) {
            let (alpha, beta) = (self.alpha[row], self.beta[row]);
            let short = 1.0 - sign * (scores[row] + self.bias);
            primal += alpha + most * short.max(0.0);
            dual += beta;
            balance += sign * beta;
            outside = outside.max(-alpha).max(-beta).max(beta - most).max(activities[row] - 1.0);
            if beta < most {
                kkt = kkt.max(short);
            }
            if beta > 0.0 {
                kkt = kkt.max(-short);
            }
            if alpha > 0.0 {
                kkt = kkt.max(1.0 - activities[row]);
            }
        }
        let figures = DualityFigures { primal, dual, kkt, infeasibility: outside.max(f64::abs(balance)) };
        if primal.is_finite() && dual.is_finite() && kkt.is_finite() {
            Ok(figures)
        } else {
            Err(Error::Numerical { what: "the duality gap" })
        }
    }
}

/// Figures before they are computed.
const NOTHING: DualityFigures = DualityFigures { primal: 0.0, dual: 0.0, kkt: 0.0, infeasibility: 0.0 };

/// `Σⱼ αⱼyⱼKᵢⱼ` for every example, and `yⱼ Σᵢ βᵢyᵢKᵢⱼ`.
fn products<G: Gram + ?Sized>(
    set: &TrainingSet<'_, G, BinaryLabels>,
    alpha: &[f64],
    beta: &[f64],
) -> Result<(Vec<f64>, Vec<f64>)> {
    // As many rows at a time as the engine computes at full speed.
    const BLOCK: usize = 48;
    let n = set.len();
    let signs = set.labels().values();
    let signed = |values: &[f64]| -> Vec<f64> {
        values.iter().zip(&signs).map(|(value, sign)| value * sign).collect()
    };
    let (alpha, beta) = (signed(alpha), signed(beta));
    let all: Vec<usize> = (0..n).collect();
    let mut block = vec![0.0; n * BLOCK.min(n)];
    let (mut scores, mut activities) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for rows in all.chunks(BLOCK) {
        let values = &mut block[..rows.len() * n];
        set.examples().fill(rows, Columns::All, values)?;
        for (row, values) in rows.iter().zip(values.chunks_exact(n)) {
            scores.push(lm_core::double_double::dot(values, &alpha).value());
            activities.push(signs[*row] * lm_core::double_double::dot(values, &beta).value());
        }
    }
    Ok((scores, activities))
}

/// The bias with the least sum of slacks for these scores; of an interval of them, the middle.
fn best_bias(scores: &[f64], present: &Present) -> f64 {
    // Example i has slack below b = 1 − fᵢ if it is positive, and above b = −1 − fᵢ if it is negative.
    let mut kinks: Vec<(f64, f64)> = Vec::with_capacity(present.rows.len());
    let mut slope = 0.0;
    for ((&row, &sign), &most) in present.rows.iter().zip(&present.signs).zip(&present.most) {
        kinks.push((sign - scores[row], most));
        slope -= if sign > 0.0 { most } else { 0.0 };
    }
    kinks.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Sums of costs are rounded: what is this small counts as 0.
    let nothing = 4.0 * f64::EPSILON * kinks.len() as f64 * present.most.iter().sum::<f64>();
    let mut flat = None;
    for (at, most) in kinks {
        slope += most;
        if slope > nothing {
            // What lies between two kinks is flat; without a flat stretch this kink is the minimum.
            return flat.map_or(at, |first| first + 0.5 * (at - first));
        }
        if slope >= -nothing {
            flat.get_or_insert(at);
        }
    }
    flat.unwrap_or(0.0)
}

impl<G: Gram + ?Sized> Certificate<TrainingSet<'_, G, BinaryLabels>> for LpCertificate {
    /// Recomputes both values from rows of the Gram matrix with twice the digits, and checks that neither side breaks its constraints.
    fn verify(&self, set: &TrainingSet<'_, G, BinaryLabels>) -> Result<Verdict> {
        for found in [self.alpha.len(), self.beta.len()] {
            if found != set.len() {
                return Err(Error::Length { what: "the coefficients", expected: set.len(), found });
            }
        }
        let present = Present::of(set, self.cost)?;
        let invalid = |what, claimed, recomputed, row| {
            Ok(Verdict::Invalid(Discrepancy { what, claimed, recomputed, row }))
        };
        let absent =
            |row: &usize| set.weight(*row) == 0.0 && (self.alpha[*row] != 0.0 || self.beta[*row] != 0.0);
        if let Some(row) = (0..set.len()).find(absent) {
            return invalid("the coefficient of an absent example", 0.0, self.alpha[row], Some(row));
        }
        let now = self.figures_on(set, &present)?;
        let rounding = 16.0 * f64::EPSILON * set.len() as f64;
        // The activities and the balance are sums of terms that add up to this size, whose β are rounded.
        let largest = set.examples().diagonal()?.iter().fold(0.0_f64, |largest, k| largest.max(k.abs()));
        let terms = (1.0 + largest) * self.beta.iter().sum::<f64>();
        let scale = now.primal.abs().max(now.dual.abs());
        for (what, claimed, recomputed, allowed) in [
            ("the primal value", self.figures.primal, now.primal, rounding * scale),
            ("the dual value", self.figures.dual, now.dual, rounding * scale),
            (
                "the violation of complementary slackness",
                self.figures.kkt,
                now.kkt,
                rounding * (1.0 + now.kkt),
            ),
            (
                "the violation of the constraints",
                self.figures.infeasibility,
                now.infeasibility,
                rounding * (1.0 + terms),
            ),
        ] {
            if !((claimed - recomputed).abs() <= allowed) {
                return invalid(what, claimed, recomputed, None);
            }
        }
        // Multipliers that break the constraints bound nothing.
        if !(now.infeasibility <= rounding * (1.0 + terms)) {
            return invalid("the constraints", 0.0, now.infeasibility, None);
        }
        Ok(Verdict::Valid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn present(signs: &[f64], most: &[f64]) -> Present {
        Present { rows: (0..signs.len()).collect(), signs: signs.to_vec(), most: most.to_vec() }
    }

    #[test]
    fn the_best_bias_by_hand() {
        // Scores 2 and −2 with margins to spare: any b in [−1, 1] leaves no slack.
        assert_eq!(best_bias(&[2.0, -2.0], &present(&[1.0, -1.0], &[1.0, 1.0])), 0.0);
        // The cheaper example gives way: kinks at 1 (positive, cost 1) and −1 (negative, cost 3).
        assert_eq!(best_bias(&[0.0, 0.0], &present(&[1.0, -1.0], &[1.0, 3.0])), -1.0);
        assert_eq!(best_bias(&[0.0, 0.0], &present(&[1.0, -1.0], &[3.0, 1.0])), 1.0);
        // Equal costs: every b between the kinks is as good.
        assert_eq!(best_bias(&[0.0, 0.0], &present(&[1.0, -1.0], &[1.0, 1.0])), 0.0);
    }

    #[test]
    fn two_points_by_hand() {
        // K = (1 0; 0 1): y f = α + yb, so α = 1 for both at C > 1 and b = 0; the value is 2, and β = 1.
        let gram = MatrixGram::precomputed(vec![1.0, 0.0, 0.0, 1.0], 2).unwrap();
        let labels = BinaryLabels::from_integers(&[-1, 1]).unwrap();
        let fit = LpSvc::default().with_cost(5.0).fit(&gram, &labels).unwrap().converged().unwrap();
        let figures = fit.certificate.figures();
        assert!((figures.primal - 2.0).abs() < 1e-12 && (figures.dual - 2.0).abs() < 1e-12);
        assert!(fit.certificate.beta().iter().all(|beta| (beta - 1.0).abs() < 1e-12));
    }
}
