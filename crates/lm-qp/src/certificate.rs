//! The evidence for a machine: coefficients and multipliers, from which both sides of the duality gap are recomputed.

use lm_core::{
    Certificate, Columns, Discrepancy, DualExpansion, DualityFigures, Error, Gram, Labelling, Precision,
    Result, TrainingSet, Verdict, parallel,
};

use crate::formulation::{Formulation, machine, seen};
use crate::problem::{Balance, DualProblem, Multipliers};

/// The coefficients of a machine, the multipliers of its balance, and the figures that follow from them.
///
/// The dual value of any feasible coefficients is a lower bound on the optimum and the primal value of any machine an upper
/// one. Both are computed here from the product of the coefficients with the Gram matrix, by code that shares nothing else with
/// the solvers; `verify` computes that product anew. The problem itself
/// is built anew from labels, weights and settings.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DualCertificate<F> {
    formulation: F,
    beta: Vec<f64>,
    multipliers: Multipliers,
    figures: DualityFigures,
}

impl<F> DualCertificate<F> {
    /// From coefficients; their product with the Gram matrix, as [`product`] computes it, need not be computed again if it is
    /// known.
    pub(crate) fn compute<G, L>(
        formulation: F,
        set: &TrainingSet<'_, G, L>,
        problem: &DualProblem,
        (beta, known): (Vec<f64>, Option<Vec<f64>>),
        multipliers: Multipliers,
    ) -> Result<Self>
    where
        F: Formulation<L>,
        G: Gram + ?Sized,
        L: Labelling,
    {
        let scores = match known {
            Some(scores) => scores,
            None => seen(&formulation, &set.examples(), |gram| product(gram, &beta))?,
        };
        let figures = figures(problem, &beta, &scores, multipliers)?;
        Ok(Self { formulation, beta, multipliers, figures })
    }

    /// The formulation that was solved.
    pub fn formulation(&self) -> &F {
        &self.formulation
    }

    /// The coefficients `β` of the problem as it was solved, before any scaling of the machine; where the formulation has
    /// copies of the examples, copy after copy.
    pub fn coefficients(&self) -> &[f64] {
        &self.beta
    }

    /// The sizes of the coefficients: the multipliers `α` of a classifier.
    pub fn alpha(&self) -> Vec<f64> {
        self.beta.iter().map(|beta| beta.abs()).collect()
    }

    /// The multipliers of the balance: the bias, and the margin variable of machines with a `ν`.
    pub fn multipliers(&self) -> Multipliers {
        self.multipliers
    }

    /// The machine that these coefficients make, over as many examples: what a stored model is compared with.
    ///
    /// # Errors
    /// [`Error::Length`] unless the coefficients are those of so many examples, and as [`DualExpansion::from_all`].
    pub fn expansion<L: Labelling>(&self, examples: usize) -> Result<DualExpansion>
    where
        F: Formulation<L>,
    {
        let expected = examples.saturating_mul(self.formulation.copies());
        if examples == 0 || self.beta.len() != expected {
            return Err(Error::Length { what: "the coefficients", expected, found: self.beta.len() });
        }
        machine(&self.formulation, &self.beta, self.multipliers, examples)
    }

    /// Primal and dual value, largest violation of the optimality conditions and of the constraints.
    pub fn figures(&self) -> DualityFigures {
        self.figures
    }
}

/// What `take` makes of each row of the Gram matrix over the coefficients that are not 0, and of these; on all cores.
pub(crate) fn for_rows<G: Gram + ?Sized, R: Send>(
    gram: &G,
    beta: &[f64],
    take: impl Fn(&[f64], &[f64]) -> R + Sync,
) -> Result<Vec<R>> {
    // At least as many rows at a time as the engine computes at full speed, and more as long as the block is small: the columns
    // are packed for every block.
    const ROWS: usize = 48;
    const VALUES: usize = 1 << 20;
    let support: Vec<usize> = (0..beta.len()).filter(|&row| beta[row] != 0.0).collect();
    let coefficients: Vec<f64> = support.iter().map(|&row| beta[row]).collect();
    if support.is_empty() {
        return Ok((0..beta.len()).map(|_| take(&[], &[])).collect());
    }
    let all: Vec<usize> = (0..beta.len()).collect();
    let together = (VALUES / support.len()).clamp(ROWS, 8 * ROWS).min(beta.len());
    let mut values = vec![0.0; support.len() * together];
    let mut taken = Vec::with_capacity(beta.len());
    for rows in all.chunks(together) {
        let block = &mut values[..rows.len() * support.len()];
        gram.fill(rows, Columns::List(&support), block)?;
        let row = |at: usize| &block[at * support.len()..(at + 1) * support.len()];
        taken.extend(parallel::map(rows.len(), |at| take(row(at), &coefficients)));
    }
    Ok(taken)
}

/// `Kβ`, each value summed with twice the digits.
pub(crate) fn product<G: Gram + ?Sized>(gram: &G, beta: &[f64]) -> Result<Vec<f64>> {
    let support: Vec<usize> = (0..beta.len()).filter(|&row| beta[row] != 0.0).collect();
    let coefficients: Vec<f64> = support.iter().map(|&row| beta[row]).collect();
    let mut scores = vec![0.0; beta.len()];
    gram.combine(&support, &coefficients, Columns::All, Precision::F64, &mut scores)?;
    Ok(scores)
}

/// All figures, from coefficients and their product with the Gram matrix.
pub(crate) fn figures(
    problem: &DualProblem,
    beta: &[f64],
    scores: &[f64],
    multipliers: Multipliers,
) -> Result<DualityFigures> {
    let (mut dual, mut gap, mut kkt) = (0.0, 0.0, 0.0_f64);
    let (mut sums, mut outside) = ([0.0; 2], 0.0_f64);
    for (row, (&score, &beta)) in scores.iter().zip(beta).enumerate() {
        let (lower, upper, ridge) = (problem.lower()[row], problem.upper()[row], problem.ridge(row));
        // The derivative by the coefficient, just above 0 and just below.
        let rising = score + multipliers.positive + problem.above()[row];
        let falling = score + multipliers.negative + problem.below()[row];
        let (slope, own) =
            if beta > 0.0 { (rising, problem.above()[row]) } else { (falling, problem.below()[row]) };
        let loss = loss(-rising, ridge, upper).max(loss(falling, ridge, -lower));
        dual -= beta * (0.5 * score + own + 0.5 * ridge * beta);
        gap += (slope * beta + 0.5 * ridge * beta * beta + loss).max(0.0);
        sums[usize::from(beta < 0.0)] += beta.abs();
        outside = outside.max(lower - beta).max(beta - upper);
        let up = if beta < 0.0 { falling } else { rising } + ridge * beta;
        let down = if beta > 0.0 { rising } else { falling } + ridge * beta;
        if beta < upper {
            kkt = kkt.max(-up);
        }
        if beta > lower {
            kkt = kkt.max(down);
        }
    }
    let (off, paid) = match problem.balance() {
        Balance::Open => (0.0, 0.0),
        Balance::Total(total) => {
            let off = sums[0] - sums[1] - total;
            (off.abs(), multipliers.positive * off)
        }
        Balance::Sides { positive, negative } => {
            let (a, b) = (sums[0] - positive, sums[1] - negative);
            (a.abs().max(b.abs()), multipliers.positive * a - multipliers.negative * b)
        }
        Balance::Sizes { total, most } => {
            let (off, beyond) = (sums[0] - sums[1] - total, sums[0] + sums[1] - most);
            // A negative tube would reward sizes: it proves nothing.
            let tube = 0.5 * (multipliers.positive - multipliers.negative);
            let paid = if tube >= 0.0 { multipliers.bias() * off + tube * beyond } else { f64::NAN };
            (off.abs().max(beyond), paid)
        }
    };
    let figures = DualityFigures { primal: dual + (gap - paid), dual, kkt, infeasibility: outside.max(off) };
    if figures.primal.is_finite() && figures.dual.is_finite() && figures.kkt.is_finite() {
        Ok(figures)
    } else {
        Err(Error::Numerical { what: "the duality gap" })
    }
}

/// What an example costs in the primal when it falls short by `shortfall`: linear up to `most`, with a ridge quadratic at
/// first.
fn loss(shortfall: f64, ridge: f64, most: f64) -> f64 {
    if !(shortfall > 0.0) || most == 0.0 {
        0.0
    } else if ridge > 0.0 && shortfall < ridge * most {
        0.5 * shortfall * shortfall / ridge
    } else {
        most * (shortfall - 0.5 * ridge * most)
    }
}

impl<G, L, F> Certificate<TrainingSet<'_, G, L>> for DualCertificate<F>
where
    G: Gram + ?Sized,
    L: Labelling,
    F: Formulation<L>,
{
    fn verify(&self, set: &TrainingSet<'_, G, L>) -> Result<Verdict> {
        let problem = self.formulation.problem(set)?;
        if self.beta.len() != problem.len() {
            let (expected, found) = (problem.len(), self.beta.len());
            return Err(Error::Length { what: "the coefficients", expected, found });
        }
        let scores = seen(&self.formulation, &set.examples(), |gram| product(gram, &self.beta))?;
        let now = figures(&problem, &self.beta, &scores, self.multipliers)?;
        Ok(compared(&self.figures, &now, &self.beta))
    }
}

/// Whether claimed figures are those recomputed, up to rounding, and the coefficients keep to the constraints.
pub(crate) fn compared(claimed: &DualityFigures, now: &DualityFigures, beta: &[f64]) -> Verdict {
    let rounding = 8.0 * f64::EPSILON * beta.len() as f64;
    let scale = now.primal.abs().max(now.dual.abs());
    let total: f64 = beta.iter().map(|beta| beta.abs()).sum();
    let claims = [
        ("the primal value", claimed.primal, now.primal, rounding * scale),
        ("the dual value", claimed.dual, now.dual, rounding * scale),
        ("the violation of the optimality conditions", claimed.kkt, now.kkt, rounding * (1.0 + now.kkt)),
        ("the violation of the constraints", claimed.infeasibility, now.infeasibility, rounding * total),
        // Coefficients that break the constraints bound nothing.
        ("the constraints on the coefficients", 0.0, now.infeasibility, rounding * total),
    ];
    let wrong =
        claims.iter().find(|(_, claimed, recomputed, allowed)| !((claimed - recomputed).abs() <= *allowed));
    wrong.map_or(Verdict::Valid, |&(what, claimed, recomputed, _)| {
        Verdict::Invalid(Discrepancy { what, claimed, recomputed, row: None })
    })
}
