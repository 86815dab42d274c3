//! The evidence for the solution of a linear system: residuals and gradient, recomputed entry by entry.

use lm_core::double_double::DoubleDouble;
use lm_core::{
    BinaryLabels, Certificate, Discrepancy, Error, Examples, Linear, Result, Targets, TrainingSet, Verdict,
    Weights, parallel,
};

use super::minimum_norm::MinimumNorm;
use super::power::{exponent, in_range, largest, scaled};
use super::problem::{Diagnosis, LinearSystemFigures};
use super::table::Table;

/// A linear function, the problem that it solves, and how well.
///
/// The problem is to minimise `Σ ω(f(x) − t)² + λ‖w‖²`; least squares has `λ = 0`. [`Certificate::verify`] recomputes the
/// residuals and the gradient entry by entry, with double-double sums, and compares.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LinearSystemCertificate {
    pub(crate) function: Linear,
    pub(crate) bias: bool,
    pub(crate) penalty: f64,
    pub(crate) figures: Option<LinearSystemFigures>,
    pub(crate) diagnosis: Diagnosis,
    pub(crate) least_norm: Option<LeastNormEvidence>,
}

/// The evidence that no smaller weights do the same: they are in the row space of the examples.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LeastNormEvidence {
    pub(crate) multipliers: Vec<f64>,
    pub(crate) error: f64,
    pub(crate) tolerance: Option<f64>,
}

impl LeastNormEvidence {
    /// Numbers `u` with `Σ uᵢxᵢ = w` and, if there is a bias, `Σ uᵢ = 0`.
    pub fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    /// The largest share of what is missing in one of these equations in the size of its terms.
    pub fn error(&self) -> f64 {
        self.error
    }
}

impl LinearSystemCertificate {
    /// The function that is claimed to solve the problem.
    pub fn function(&self) -> &Linear {
        &self.function
    }

    /// The figures; `None` if the run was stopped before they were known.
    pub fn figures(&self) -> Option<LinearSystemFigures> {
        self.figures
    }

    /// Rank and condition of the matrix, and the way that was taken.
    pub fn diagnosis(&self) -> Diagnosis {
        self.diagnosis
    }

    /// The penalty `λ`; 0 for least squares.
    pub fn penalty(&self) -> f64 {
        self.penalty
    }

    /// The evidence for least norm, where the solution is not the only one.
    pub fn least_norm(&self) -> Option<&LeastNormEvidence> {
        self.least_norm.as_ref()
    }

    /// `‖w − w*‖` is at most this, `w*` being the exact solution: with a penalty `λ` the criterion is strongly convex, and
    /// the bound is the norm of half its gradient divided by `λ`. `None` without a penalty or without figures.
    pub fn distance_bound(&self) -> Option<f64> {
        self.figures.filter(|_| self.penalty > 0.0).map(|figures| figures.gradient_norm / self.penalty)
    }

    fn check<E: Examples + ?Sized>(
        &self,
        examples: &E,
        targets: &[f64],
        weights: Option<&Weights>,
    ) -> Result<Verdict> {
        examples.check_dim("the weight vector", self.function.weights().len())?;
        if let Some(figures) = self.figures {
            let now = measure(examples, targets, weights, &self.function, self.bias, self.penalty)?;
            let noise = 1e-26 * (examples.len() + examples.dim()) as f64;
            let slack = |claimed: f64, size: f64| claimed * (1.0 + 1e-6) + noise * size;
            let off = (figures.residual_norm - now.figures.residual_norm).abs();
            let invalid = |what, claimed, recomputed| {
                Ok(Verdict::Invalid(Discrepancy { what, claimed, recomputed, row: None }))
            };
            // Written so that NaN fails.
            if !(off <= 8.0 * f64::EPSILON * now.size) {
                return invalid(
                    "the norm of the residuals",
                    figures.residual_norm,
                    now.figures.residual_norm,
                );
            }
            if !(now.figures.backward_error <= slack(figures.backward_error, 1.0)) {
                return invalid("the backward error", figures.backward_error, now.figures.backward_error);
            }
            if !(now.figures.gradient_norm <= slack(figures.gradient_norm, now.gradient_size)) {
                return invalid("the norm of the gradient", figures.gradient_norm, now.figures.gradient_norm);
            }
        }
        self.least_norm
            .as_ref()
            .map_or(Ok(Verdict::Valid), |evidence| self.check_least_norm(evidence, examples, weights))
    }

    fn check_least_norm<E: Examples + ?Sized>(
        &self,
        evidence: &LeastNormEvidence,
        examples: &E,
        weights: Option<&Weights>,
    ) -> Result<Verdict> {
        if evidence.multipliers.len() != examples.len() {
            let (expected, found) = (examples.len(), evidence.multipliers.len());
            return Err(Error::Length { what: "the list of multipliers", expected, found });
        }
        let error = misalignment(examples, &self.function, self.bias, &evidence.multipliers);
        if !(error <= evidence.error * (1.0 + 1e-6) + 1e-26) {
            let what = "the distance of the weights from the row space";
            return Ok(Verdict::Invalid(Discrepancy {
                what,
                claimed: evidence.error,
                recomputed: error,
                row: None,
            }));
        }
        let table = Table::of(examples, weights, self.bias, 0.0)?;
        let rank = MinimumNorm::factor(table, evidence.tolerance)?.rank();
        if rank != self.diagnosis.rank {
            let (claimed, recomputed) = (self.diagnosis.rank as f64, rank as f64);
            return Ok(Verdict::Invalid(Discrepancy { what: "the rank", claimed, recomputed, row: None }));
        }
        Ok(Verdict::Valid)
    }
}

/// Figures recomputed, and the sizes that their rounding is relative to.
pub(crate) struct Measured {
    pub(crate) figures: LinearSystemFigures,
    /// `√Σω(|t| + |b| + Σ|wx|)²`.
    size: f64,
    gradient_size: f64,
}

/// What one part of the rows adds.
struct Part {
    gradient: Vec<DoubleDouble>,
    sizes: Vec<f64>,
    sums: Vec<DoubleDouble>,
    total: DoubleDouble,
    weight: DoubleDouble,
    squares: DoubleDouble,
    size: f64,
}

/// Measures a function on data, entry by entry; columns and targets of extreme size are scaled by powers of two.
pub(crate) fn measure<E: Examples + ?Sized>(
    examples: &E,
    targets: &[f64],
    weights: Option<&Weights>,
    function: &Linear,
    bias: bool,
    penalty: f64,
) -> Result<Measured> {
    const ROWS: usize = 1024;
    let (len, dim) = (examples.len(), examples.dim());
    let weight = |row: usize| weights.map_or(1.0, |weights| weights.values()[row]);
    let scales = Scales::of(examples, targets, weights);
    let Scales { columns, target, weight: heavy } = &scales;
    let w: Vec<f64> = function.weights().iter().zip(columns).map(|(w, e)| scaled(*w, e - target)).collect();
    let b = scaled(function.bias(), -target);
    let part = |at: usize| {
        let mut part = Part::new(dim);
        for row in (at * ROWS..((at + 1) * ROWS).min(len)).rev().filter(|&row| weight(row) > 0.0) {
            let (t, own) = (scaled(targets[row], -target), scaled(weight(row), -heavy));
            let mut r = DoubleDouble::from(t) - b;
            let mut size = t.abs() + b.abs();
            examples.row(row).for_each(|k, x| {
                let term = DoubleDouble::product(scaled(x, -columns[k]), w[k]);
                r = r - term;
                size += term.hi.abs();
            });
            let weighted = r * own;
            examples.row(row).for_each(|k, x| {
                let x = scaled(x, -columns[k]);
                part.gradient[k] = part.gradient[k] + weighted * x;
                part.sums[k] = part.sums[k] + DoubleDouble::product(own, x);
                part.sizes[k] += own * x.abs() * size;
            });
            part.total = part.total + weighted;
            part.weight = part.weight + own;
            part.squares = part.squares + weighted * r;
            part.size += own * size * size;
        }
        part
    };
    let mut all = Part::new(dim);
    parallel::map(len.div_ceil(ROWS), part).iter().for_each(|part| all.add(part));
    for (k, (w, column)) in w.iter().zip(columns).enumerate() {
        let pull = DoubleDouble::from(scaled(penalty, -2 * column - heavy)) * *w;
        all.gradient[k] = all.gradient[k] - pull;
        all.sizes[k] += pull.hi.abs();
    }
    all.finish(&scales, bias)
}

/// Exponents of powers of two that bring columns, targets and weights of extreme size to about 1.
struct Scales {
    columns: Vec<i32>,
    target: i32,
    weight: i32,
}

impl Scales {
    fn of<E: Examples + ?Sized>(examples: &E, targets: &[f64], weights: Option<&Weights>) -> Self {
        let mut sizes = vec![0.0_f64; examples.dim()];
        for row in 0..examples.len() {
            examples.row(row).for_each(|k, x| sizes[k] = sizes[k].max(x.abs()));
        }
        let needed = |size: f64| if in_range(size) { 0 } else { exponent(size) };
        let heavy = weights.map_or(0, |weights| needed(largest(weights.values().iter().copied())));
        Self {
            columns: sizes.into_iter().map(needed).collect(),
            target: needed(largest(targets.iter().copied())),
            weight: heavy / 2 * 2,
        }
    }
}

impl Part {
    fn new(dim: usize) -> Self {
        let zero = DoubleDouble::ZERO;
        Self {
            gradient: vec![zero; dim],
            sizes: vec![0.0; dim],
            sums: vec![zero; dim],
            total: zero,
            weight: zero,
            squares: zero,
            size: 0.0,
        }
    }

    fn add(&mut self, other: &Self) {
        let add = |to: &mut [DoubleDouble], from: &[DoubleDouble]| {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = *to + *from);
        };
        add(&mut self.gradient, &other.gradient);
        add(&mut self.sums, &other.sums);
        self.sizes.iter_mut().zip(&other.sizes).for_each(|(to, from)| *to += from);
        self.total = self.total + other.total;
        self.weight = self.weight + other.weight;
        self.squares = self.squares + other.squares;
        self.size += other.size;
    }

    fn finish(self, scales: &Scales, bias: bool) -> Result<Measured> {
        // In units of 2^(target + weight / 2).
        let unit = scales.target + scales.weight / 2;
        let share = |missing: f64, size: f64| if missing == 0.0 { 0.0 } else { missing.abs() / size };
        let shares = self.gradient.iter().zip(&self.sizes).map(|(g, &size)| share(g.value(), size));
        // What the normal equation of the bias sums is at most √(weight · Σω size²) large.
        let of_bias = share(self.total.value(), (self.weight.value() * self.size).sqrt());
        let backward_error = shares.chain(bias.then_some(of_bias)).fold(0.0, f64::max);
        let (mut gradient_norm, mut gradient_size) = (0.0_f64, 0.0_f64);
        for (k, g) in self.gradient.iter().enumerate() {
            let centred = if bias { *g - self.sums[k] / self.weight * self.total } else { *g };
            let to = scales.columns[k] + scales.target + scales.weight;
            gradient_norm = gradient_norm.hypot(scaled(centred.value(), to));
            gradient_size = gradient_size.hypot(scaled(self.sizes[k], to));
        }
        let residual_norm = scaled(self.squares.value().max(0.0).sqrt(), unit);
        let size = scaled(self.size.sqrt(), unit);
        // Written so that NaN fails; the norm of a gradient may be beyond all numbers.
        if !(backward_error.is_finite() && size.is_finite()) || gradient_norm.is_nan() {
            return Err(Error::Numerical { what: "the residuals" });
        }
        let figures = LinearSystemFigures { residual_norm, backward_error, gradient_norm };
        Ok(Measured { figures, size, gradient_size })
    }
}

/// The largest share of what is missing in `Σ uᵢxᵢ = w`, and in `Σ uᵢ = 0`, in the size of the terms.
pub(crate) fn misalignment<E: Examples + ?Sized>(
    examples: &E,
    function: &Linear,
    bias: bool,
    multipliers: &[f64],
) -> f64 {
    let dim = examples.dim();
    let (mut sums, mut sizes) = (vec![DoubleDouble::ZERO; dim + 1], vec![0.0; dim + 1]);
    let mut add = |k: usize, term: DoubleDouble| {
        sums[k] = sums[k] + term;
        sizes[k] += term.hi.abs();
    };
    for (row, &u) in multipliers.iter().enumerate().filter(|(_, u)| **u != 0.0) {
        examples.row(row).for_each(|k, x| add(k, DoubleDouble::product(u, x)));
        if bias {
            add(dim, DoubleDouble::from(u));
        }
    }
    function.weights().iter().enumerate().for_each(|(k, &w)| add(k, DoubleDouble::from(-w)));
    let share =
        |(sum, &size): (&DoubleDouble, &f64)| if size == 0.0 { 0.0 } else { sum.value().abs() / size };
    sums.iter().zip(&sizes).map(share).fold(0.0, |most, share| if share <= most { most } else { share })
}

macro_rules! verify {
    ($labels:ty, |$given:ident| $values:expr) => {
        impl<E: Examples + ?Sized> Certificate<TrainingSet<'_, E, $labels>> for LinearSystemCertificate {
            fn verify(&self, set: &TrainingSet<'_, E, $labels>) -> Result<Verdict> {
                let $given = set.labels();
                self.check(set.examples(), &$values[..], set.weights())
            }
        }
    };
}

verify!(Targets, |targets| targets.values());
verify!(BinaryLabels, |labels| labels.values());
