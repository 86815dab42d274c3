//! Bounds on the optimum that hold with every rounding counted.
//!
//! # Problem
//! The figures of a certificate are computed in floating-point arithmetic: they are near the values they stand for, on
//! either side. Here every operation is rounded outward, so that the optimum of the stored numbers lies between the two
//! bounds as a theorem about them.
//! # Method
//! For any coefficients `β` and multipliers `μ`, feasible or not, the machine that they make has a primal value
//! ```text
//! P = ½ βᵗKβ + Σ lossᵢ + μ·t
//! ```
//! that no optimum exceeds. The dual value bounds the optimum from below at feasible coefficients only: the sums of stored
//! numbers are not exactly those of the balance, so one coefficient of each sum with room for it is moved by what is
//! missing, a real number between two bounds, and what this changes is added. Products `Kβ` are summed in double-double
//! arithmetic, with the bound of Ogita, Rump and Oishi on its error; the rest is done in intervals.
//! # Cost
//! That of the certificate: every row of the Gram matrix over the support vectors.
//! # Reference
//! Ogita, Rump & Oishi (2005), corollary 4.2; Jansson, Chaykin & Keil (2007) for bounds from points that are not quite feasible.

use lm_core::double_double::{DoubleDouble, dot};
use lm_core::{Error, Gram, Labelling, Precision, Result, TrainingSet};

use crate::certificate::{DualCertificate, for_rows};
use crate::formulation::{Formulation, seen};
use crate::interval::Interval;
use crate::problem::{Balance, DualProblem, Multipliers};

/// Two bounds with the optimum between them.
///
/// The Gram matrix is taken to be positive semi-definite, and each of its values to be within
/// [`Gram::error_bound`](lm_core::Gram::error_bound) of the kernel's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Enclosure {
    /// The optimum is at least this.
    pub at_least: f64,
    /// The optimum is at most this.
    pub at_most: f64,
}

impl Enclosure {
    /// An upper bound on `(primal − dual) / max(|primal|, |dual|)` at the optimum's enclosure.
    ///
    /// It is 0 where the bounds meet.
    pub fn relative_gap(&self) -> f64 {
        let gap = (Interval::from(self.at_most) - Interval::from(self.at_least)).high();
        if gap <= 0.0 {
            return 0.0;
        }
        (Interval::from(gap) / Interval::from(self.at_most.abs().max(self.at_least.abs()))).high()
    }
}

impl<F> DualCertificate<F> {
    /// Bounds on the optimum with every rounding counted, from the coefficients and multipliers of this certificate.
    ///
    /// ```
    /// use lm_core::{BinaryLabels, Dense, Learner, TrainingSet, VectorGram, VectorKernel};
    /// use lm_qp::CSvc;
    ///
    /// let examples = Dense::new(vec![0.0, 0.1, 0.3, 0.7, 0.9, 1.0], 6, 1)?;
    /// let labels = BinaryLabels::from_integers(&[-1, 1, -1, 1, -1, 1])?;
    /// let gram = VectorGram::new(&examples, VectorKernel::linear())?;
    /// let fit = CSvc::default().with_gap(1e-12).fit(&gram, &labels)?.converged()?;
    /// let bounds = fit.certificate.enclosure(&TrainingSet::new(&gram, &labels)?)?;
    /// assert!(bounds.at_least <= bounds.at_most && bounds.relative_gap() < 1e-11);
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`verify`](lm_core::Certificate::verify), and [`Error::Numerical`] where the coefficients leave their bounds or no
    /// coefficient has room for what the balance misses.
    pub fn enclosure<G, L>(&self, set: &TrainingSet<'_, G, L>) -> Result<Enclosure>
    where
        G: Gram + ?Sized,
        L: Labelling,
        F: Formulation<L>,
    {
        let problem = self.formulation().problem(set)?;
        let beta = self.coefficients();
        if beta.len() != problem.len() {
            let (expected, found) = (problem.len(), beta.len());
            return Err(Error::Length { what: "the coefficients", expected, found });
        }
        seen(self.formulation(), &set.examples(), |gram| enclosed(gram, &problem, beta, self.multipliers()))
    }
}

/// Bounds on the optimum of a problem from a point of it.
pub(crate) fn enclosed<G: Gram + ?Sized>(
    gram: &G,
    problem: &DualProblem,
    beta: &[f64],
    multipliers: Multipliers,
) -> Result<Enclosure> {
    let outside = |(i, &beta): (usize, &f64)| !(problem.lower()[i] <= beta && beta <= problem.upper()[i]);
    if beta.iter().enumerate().any(outside) {
        return Err(Error::Numerical { what: "coefficients between their bounds" });
    }
    let v = products(gram, beta)?;
    let half_norm = half_norm(beta, &v);
    let at_most = half_norm + losses(problem, &v, multipliers) + paid(problem, multipliers)?;
    let mut objective = half_norm;
    for (i, &beta) in beta.iter().enumerate() {
        let own = if beta > 0.0 { problem.above()[i] } else { problem.below()[i] };
        let half_ridge = Interval::from(problem.ridge(i)) * Interval::from(0.5 * beta);
        objective = objective + (Interval::from(own) + half_ridge) * Interval::from(beta);
    }
    let objective = objective + moved(gram, problem, beta, &v)?;
    let bounds = Enclosure { at_least: -objective.high(), at_most: at_most.high() };
    if bounds.at_least.is_finite() && bounds.at_most.is_finite() {
        Ok(bounds)
    } else {
        Err(Error::Numerical { what: "the bounds on the optimum" })
    }
}

/// A product `(Kβ)ᵢ` and how far it may be from the truth.
#[derive(Debug, Clone, Copy)]
struct Product {
    value: DoubleDouble,
    error: f64,
}

impl Product {
    /// The product with two stored numbers added.
    fn plus(self, a: f64, b: f64) -> Interval {
        let sum = self.value + a + b;
        // Each addition in double-double arithmetic errs by less than this share of what is added.
        let size = self.value.hi.abs() + a.abs() + b.abs();
        let error = (Interval::from(size) * Interval::from(SHARE) + Interval::from(self.error)).high();
        Interval::around(sum.hi, sum.lo, error)
    }
}

/// More than the share of its size that an operation in double-double arithmetic may lose.
const SHARE: f64 = 1.0 / (1_u128 << 100) as f64;

fn products<G: Gram + ?Sized>(gram: &G, beta: &[f64]) -> Result<Vec<Product>> {
    let kernel = gram.error_bound(Precision::F64);
    for_rows(gram, beta, |row, coefficients| {
        let sizes: Vec<f64> = row.iter().zip(coefficients).map(|(k, c)| (k * c).abs()).collect();
        let n = row.len() as f64;
        // n² u² Σ|kβ|, four times over for the rounding of the sum itself, and what products below the smallest number lose.
        let total = Interval::sum(&sizes).high();
        let growth = (n + 8.0) * (n + 8.0) * (1.0 / (1_u128 << 104) as f64);
        let of_kernel = Interval::sum_of_sizes(coefficients).high();
        let error = Interval::from(growth) * Interval::from(total)
            + Interval::from(kernel) * Interval::from(of_kernel)
            + Interval::from((n + 1.0) * f64::MIN_POSITIVE);
        Product { value: dot(row, coefficients), error: error.high() }
    })
}

/// `½ βᵗKβ`.
fn half_norm(beta: &[f64], v: &[Product]) -> Interval {
    let mut sum = Interval::from(0.0);
    for (&beta, &v) in beta.iter().zip(v).filter(|(beta, _)| **beta != 0.0) {
        sum = sum + v.plus(0.0, 0.0) * Interval::from(0.5 * beta);
    }
    sum
}

/// What the examples cost in the primal.
fn losses(problem: &DualProblem, v: &[Product], multipliers: Multipliers) -> Interval {
    let mut sum = Interval::from(0.0);
    for (i, v) in v.iter().enumerate() {
        let rising = v.plus(multipliers.positive, problem.above()[i]);
        let falling = v.plus(multipliers.negative, problem.below()[i]);
        let ridge = problem.ridge(i);
        let up = loss(-rising.low(), ridge, problem.upper()[i]);
        let down = loss(falling.high(), ridge, -problem.lower()[i]);
        sum = sum + Interval::from(up.max(down));
    }
    sum
}

/// An upper bound on the loss of a shortfall that is at most this large.
fn loss(shortfall: f64, ridge: f64, most: f64) -> f64 {
    if !(shortfall > 0.0) || most == 0.0 {
        return 0.0;
    }
    let s = Interval::from(shortfall);
    // The largest st − ½rt² over 0 ≤ t ≤ most: no t beyond either form has a larger value.
    let free = if ridge > 0.0 { (s * s / Interval::from(ridge)).high() * 0.5 } else { f64::INFINITY };
    let bounded = (s * Interval::from(most)).high();
    if ridge > 0.0 && shortfall >= ridge * most {
        let at_end = s - Interval::from(ridge) * Interval::from(0.5 * most);
        return (at_end * Interval::from(most)).high().min(free);
    }
    free.min(bounded)
}

/// What the balance adds to the primal value.
fn paid(problem: &DualProblem, multipliers: Multipliers) -> Result<Interval> {
    let Multipliers { positive, negative } = multipliers;
    let times = |a: f64, b: f64| Interval::from(a) * Interval::from(b);
    Ok(match problem.balance() {
        Balance::Open => Interval::from(0.0),
        Balance::Total(total) if positive == negative => times(positive, total),
        Balance::Sides { positive: up, negative: down } => times(positive, up) - times(negative, down),
        Balance::Sizes { total, most } if positive >= negative => {
            let (a, b) = (Interval::from(positive), Interval::from(negative));
            let half = Interval::from(0.5);
            (a + b) * half * Interval::from(total) + (a - b) * half * Interval::from(most)
        }
        _ => return Err(Error::Numerical { what: "multipliers that fit the balance" }),
    })
}

/// What is missing from a sum, and how often its coefficient counts on which side.
struct Missing {
    amount: Interval,
    on_positive: bool,
    on_negative: bool,
}

/// By how much the objective changes at most when the coefficients are moved to keep the balance exactly.
fn moved<G: Gram + ?Sized>(gram: &G, problem: &DualProblem, beta: &[f64], v: &[Product]) -> Result<Interval> {
    let diagonal = gram.diagonal()?;
    let kernel = gram.error_bound(Precision::F64);
    let (mut change, mut length) = (Interval::from(0.0), Interval::from(0.0));
    for missing in missing(problem, beta) {
        if missing.amount.low() == 0.0 && missing.amount.high() == 0.0 {
            continue;
        }
        let (j, positive) = mover(problem, beta, v, &missing)
            .ok_or(Error::Numerical { what: "a coefficient with room for what the balance misses" })?;
        let own = if positive { problem.above()[j] } else { problem.below()[j] };
        let slope = v[j].plus(own, 0.0) + Interval::from(problem.ridge(j)) * Interval::from(beta[j]);
        change = change + slope * missing.amount;
        // Moves along several coefficients are at most as long as all of them in a row.
        let curvature =
            Interval::from(diagonal[j].abs()) + Interval::from(kernel) + Interval::from(problem.ridge(j));
        length = length + missing.amount.size() * curvature.root();
    }
    Ok(change + length * length * Interval::from(0.5))
}

/// What the sums of the balance miss.
fn missing(problem: &DualProblem, beta: &[f64]) -> Vec<Missing> {
    // The sums are exact: coefficients that are all at their bounds have no room for a rounding.
    let without = |target: &[f64], of: &dyn Fn(f64) -> f64| {
        Interval::exact_sum(target.iter().copied().chain(beta.iter().map(|&beta| -of(beta))))
    };
    let whole = |total: f64| Missing {
        amount: without(&[total], &|beta| beta),
        on_positive: true,
        on_negative: true,
    };
    let sides = |up: &[f64], down: &[f64]| {
        let positive =
            Missing { amount: without(up, &|beta| beta.max(0.0)), on_positive: true, on_negative: false };
        let negative =
            Missing { amount: without(down, &|beta| beta.min(0.0)), on_positive: false, on_negative: true };
        vec![positive, negative]
    };
    match problem.balance() {
        Balance::Open => Vec::new(),
        Balance::Total(total) => vec![whole(total)],
        Balance::Sides { positive, negative } => sides(&[positive], &[-negative]),
        Balance::Sizes { total, most } => {
            let one = whole(total);
            let room = without(&[most], &f64::abs) - one.amount.size();
            if room.low() >= 0.0 {
                return vec![one];
            }
            // Halves of stored numbers are stored numbers.
            sides(&[0.5 * most, 0.5 * total], &[-0.5 * most, 0.5 * total])
        }
    }
}

/// The coefficient that takes what is missing at the least cost, and the side that it moves on.
fn mover(problem: &DualProblem, beta: &[f64], v: &[Product], missing: &Missing) -> Option<(usize, bool)> {
    let (low, high) = (missing.amount.low(), missing.amount.high());
    let mut best: Option<(f64, usize, bool)> = None;
    for (i, &beta) in beta.iter().enumerate() {
        let sides = [
            (true, missing.on_positive && beta >= 0.0, 0.0, problem.upper()[i], problem.above()[i]),
            (false, missing.on_negative && beta <= 0.0, problem.lower()[i], 0.0, problem.below()[i]),
        ];
        for (positive, counts, floor, ceiling, own) in sides {
            // Both ends of the interval, rounded outward, must be between the bounds.
            let fits = (Interval::from(beta) + Interval::from(low)).low() >= floor
                && (Interval::from(beta) + Interval::from(high)).high() <= ceiling;
            if counts && fits {
                let slope = v[i].value.hi + own + problem.ridge(i) * beta;
                let cost = (slope * low).max(slope * high);
                if best.is_none_or(|(least, _, _)| cost < least) {
                    best = Some((cost, i, positive));
                }
            }
        }
    }
    best.map(|(_, i, positive)| (i, positive))
}
