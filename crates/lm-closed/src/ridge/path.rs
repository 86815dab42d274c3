//! Ridge regression for many penalties from one factorisation, and the choice of one.
//!
//! # Problem
//! ```text
//! w(λ) = (S + λI)⁻¹ s   for all λ of a list ,
//! leave one out:  Σ ωᵢ (rᵢ / (1 − hᵢ))² / Σω   with hᵢ = 1/Σω + (xᵢ − x̄)ᵗ(S + λI)⁻¹(xᵢ − x̄) ,
//! generalised cross-validation:  (Σ ωᵢrᵢ² / Σω) / (1 − tr H / Σω)²
//! ```
//! # Method
//! The eigenvectors of the scatter `S`, or the right singular vectors of the centred examples where there are fewer of them
//! than columns or the smallest penalty is lost in the rounding of `S`, make all matrices diagonal. One pass over the data
//! turns every example into their coordinates; residuals and leverages for all penalties are two products with matrices
//! of as many columns as there are penalties. The chosen penalty is then solved for by [`Ridge`], to the last digit.
//! # Cost
//! `nd²` operations for the scatter, about `9d³` for its eigenvectors, `nd(d + 2p)` for the pass with `p` penalties.
//! # Reference
//! Allen (1974); Golub, Heath & Wahba (1979), Generalized cross-validation as a method for choosing a good ridge parameter.

use lm_core::linalg::{Matrix, Svd, SymmetricEigen, matrix_vector, transposed_product, transposed_vector};
use lm_core::{
    BinaryLabels, Control, Error, Examples, Fit, Linear, Meter, Result, Targets, TrainingSet, Weights,
    parallel,
};

use super::{ROUNDS, Ridge};
use crate::least_squares::{LinearSystemCertificate, Problem, in_range, learns, left_out, moments};
use crate::statistics::{Moments, RowBlocks};

/// By what a penalty is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Criterion {
    /// The least mean squared error on examples that are left out, one at a time.
    #[default]
    LeaveOneOut,
    /// The least value of generalised cross-validation.
    Generalised,
}

/// The settings of a path of penalties.
///
/// ```
/// use lm_closed::RidgePath;
/// use lm_core::{Control, Dense, Learner, Targets, TrainingSet};
///
/// let examples = Dense::new(vec![0.0, 0.1, 1.0, 0.8, 2.0, 2.1, 3.0, 2.9], 4, 2)?;
/// let targets = Targets::new(vec![0.1, 0.9, 2.2, 2.9])?;
/// let learner = RidgePath::default();
/// let path = learner.path(&TrainingSet::new(&examples, &targets)?, &Control::default())?;
/// let best = path.points()[path.chosen()].leave_one_out;
/// assert!(path.points().iter().all(|point| point.leave_one_out >= best || point.leave_one_out.is_none()));
/// let fit = learner.fit(&examples, &targets)?.converged()?;
/// assert_eq!(fit.certificate.penalty(), path.points()[path.chosen()].penalty);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RidgePath {
    penalties: Option<Vec<f64>>,
    without_bias: bool,
    criterion: Criterion,
}

impl RidgePath {
    /// The penalties, finite and at least 0, at least one of them. Default: the largest eigenvalue of the scatter times
    /// 25 powers from 10⁻¹⁰ to 10², two for each factor of 10.
    #[must_use]
    pub fn with_penalties(self, penalties: Vec<f64>) -> Self {
        Self { penalties: Some(penalties), ..self }
    }

    /// Whether the functions have a bias, which is not penalised. Default: true.
    #[must_use]
    pub fn with_bias(self, bias: bool) -> Self {
        Self { without_bias: !bias, ..self }
    }

    /// By what a penalty is chosen. Default: [`Criterion::LeaveOneOut`].
    #[must_use]
    pub fn with_criterion(self, criterion: Criterion) -> Self {
        Self { criterion, ..self }
    }

    fn validate(&self) -> Result<()> {
        let Some(penalties) = &self.penalties else { return Ok(()) };
        if penalties.is_empty() {
            return Err(Error::Empty { what: "the list of penalties" });
        }
        match penalties.iter().find(|&&penalty| !(penalty >= 0.0 && penalty.is_finite())) {
            Some(&value) => Err(Error::Setting { name: "penalty", value, accepted: "a finite number ≥ 0" }),
            None => Ok(()),
        }
    }

    /// All penalties with what they cost.
    ///
    /// # Errors
    /// [`Error::Setting`] for a penalty outside its domain, [`Error::Numerical`] if squares of the data overflow or
    /// underflow, and as [`Learner::fit_with`](lm_core::Learner::fit_with).
    pub fn path<E: Examples + ?Sized>(
        &self,
        set: &TrainingSet<'_, E, Targets>,
        control: &Control<'_>,
    ) -> Result<Path> {
        self.trace(set.examples(), set.labels().values(), set.weights(), &control.start(ROUNDS))
    }

    fn trace<E: Examples + ?Sized>(
        &self,
        examples: &E,
        values: &[f64],
        weights: Option<&Weights>,
        meter: &Meter<'_>,
    ) -> Result<Path> {
        self.validate()?;
        let lists = [values];
        let problem = Problem { examples, targets: &lists, weights, bias: !self.without_bias, penalty: 0.0 };
        problem.check()?;
        let basis = Basis::of(&problem, self.penalties.as_deref(), meter)?;
        let penalties = match &self.penalties {
            Some(penalties) => penalties.clone(),
            None => basis.penalties(),
        };
        let points = basis.points(&problem, &penalties)?;
        let cost = |point: &PathPoint| match self.criterion {
            Criterion::LeaveOneOut => point.leave_one_out,
            Criterion::Generalised => point.generalised,
        };
        let defined = points.iter().enumerate().filter_map(|(at, point)| Some((at, cost(point)?)));
        // Without any value the strongest penalty is the safe choice.
        let strongest = (0..points.len()).max_by(|&a, &b| penalties[a].total_cmp(&penalties[b])).unwrap_or(0);
        let chosen = defined.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(strongest, |(at, _)| at);
        Ok(Path { basis, points, chosen })
    }

    fn fit_values<E: Examples + ?Sized>(
        &self,
        examples: &E,
        values: &[f64],
        weights: Option<&Weights>,
        control: &Control<'_>,
    ) -> Result<Fit<Linear, LinearSystemCertificate>> {
        let mut meter = control.start(ROUNDS);
        let path = self.trace(examples, values, weights, &meter)?;
        let penalty = path.points[path.chosen].penalty;
        let ridge = Ridge::default().with_penalty(penalty).with_bias(!self.without_bias);
        ridge.run(examples, values, weights, &mut meter)
    }
}

learns!(RidgePath, Targets, |targets| targets.values());
learns!(RidgePath, BinaryLabels, |labels| labels.values());

/// What one penalty costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathPoint {
    /// The penalty `λ`.
    pub penalty: f64,
    /// `Σ ωr²`.
    pub sum_of_squares: f64,
    /// The trace of the matrix that takes targets to fitted values: the number of coefficients, as far as they are free.
    pub freedom: f64,
    /// The mean squared error on examples left out one at a time; `None` if the others do not determine one of them.
    pub leave_one_out: Option<f64>,
    /// Generalised cross-validation; `None` if no residual is free.
    pub generalised: Option<f64>,
}

/// Penalties, what they cost, and the function of every penalty.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    basis: Basis,
    points: Vec<PathPoint>,
    chosen: usize,
}

impl Path {
    /// The penalties in the order given, with what they cost.
    pub fn points(&self) -> &[PathPoint] {
        &self.points
    }

    /// The place of the chosen one.
    pub fn chosen(&self) -> usize {
        self.chosen
    }

    /// The function of any penalty, in plain arithmetic.
    ///
    /// # Errors
    /// [`Error::Setting`] unless the penalty is finite and at least 0.
    pub fn model(&self, penalty: f64) -> Result<Linear> {
        if !(penalty >= 0.0 && penalty.is_finite()) {
            return Err(Error::Setting {
                name: "penalty", value: penalty, accepted: "a finite number ≥ 0"
            });
        }
        let basis = &self.basis;
        let shares: Vec<f64> = basis
            .values
            .iter()
            .zip(&basis.right)
            .map(|(&value, c)| c * basis.inverse(value, penalty))
            .collect();
        let weights = matrix_vector(&basis.vectors, &shares)?;
        let along: f64 = weights.iter().zip(&basis.mean).map(|(w, mean)| w * mean).sum();
        let bias = if basis.bias { basis.target - along } else { 0.0 };
        Linear::new(weights, bias)
    }
}

/// Directions in which all matrices of the path are diagonal.
#[derive(Debug, Clone, PartialEq)]
struct Basis {
    /// Orthonormal directions, one in each column.
    vectors: Matrix,
    /// The scatter along each of them.
    values: Vec<f64>,
    /// The scatter with the targets along each of them.
    right: Vec<f64>,
    mean: Vec<f64>,
    target: f64,
    weight: f64,
    bias: bool,
    /// Scatter up to here cannot be told from 0.
    nothing: f64,
}

impl Basis {
    fn of<E: Examples + ?Sized>(
        problem: &Problem<'_, E>,
        penalties: Option<&[f64]>,
        meter: &Meter<'_>,
    ) -> Result<Self> {
        let dim = problem.examples.dim();
        let overflow = Error::Numerical { what: "the squares of the examples" };
        let moments = moments(problem, meter)?.ok_or(overflow)?;
        let sizes = (0..=dim)
            .map(|k| (moments.scatter()[(k, k)] / moments.weight()).sqrt() + moments.mean()[k].abs());
        if !sizes.into_iter().all(in_range) {
            return Err(overflow);
        }
        let least = penalties.map(|list| list.iter().copied().fold(f64::INFINITY, f64::min));
        if problem.count() >= dim {
            let basis = Self::by_scatter(&moments, dim, problem.bias)?;
            let (top, low) = (basis.top(), basis.values.first().copied().unwrap_or(0.0));
            let floor = least.unwrap_or(1e-10 * top).max(low);
            if floor >= 1e-9 * top {
                return Ok(basis);
            }
        }
        Self::by_rows(problem, &moments)
    }

    fn by_scatter(moments: &Moments, dim: usize, bias: bool) -> Result<Self> {
        let (mean, weight, target) = (moments.mean(), moments.weight(), moments.mean()[dim]);
        let moment = |i: usize, j: usize| {
            moments.scatter()[(i, j)] + if bias { 0.0 } else { weight * mean[i] * mean[j] }
        };
        let mut scatter = Matrix::zeros(dim, dim)?;
        for j in 0..dim {
            (j..dim).for_each(|i| scatter[(i, j)] = moment(i, j));
        }
        let eigen = SymmetricEigen::of(&scatter)?;
        let right: Vec<f64> = (0..dim).map(|k| moment(dim, k)).collect();
        let right = transposed_vector(&eigen.vectors, &right)?;
        let values: Vec<f64> = eigen.values.iter().map(|value| value.max(0.0)).collect();
        let mean = if bias { mean[..dim].to_vec() } else { vec![0.0; dim] };
        let nothing = values.last().copied().unwrap_or(0.0) * dim as f64 * f64::EPSILON;
        Ok(Self { vectors: eigen.vectors, values, right, mean, target, weight, bias, nothing })
    }

    /// From the singular values of the centred rows.
    fn by_rows<E: Examples + ?Sized>(problem: &Problem<'_, E>, moments: &Moments) -> Result<Self> {
        let Problem { examples, weights, bias, .. } = *problem;
        let (len, dim) = (examples.len(), examples.dim());
        let mean = if bias { moments.mean()[..dim].to_vec() } else { vec![0.0; dim] };
        let target = moments.mean()[dim];
        let mut rows = Matrix::zeros(dim, len)?;
        let mut values = vec![0.0; len];
        for (row, value) in values.iter_mut().enumerate() {
            let root = weights.map_or(1.0, |weights| weights.values()[row].sqrt());
            let column = rows.column_mut(row);
            column.iter_mut().zip(&mean).for_each(|(x, mean)| *x = -mean);
            examples.row(row).for_each(|k, x| column[k] += x);
            column.iter_mut().for_each(|x| *x *= root);
            let own = problem.targets.first().map_or(0.0, |targets| targets[row]);
            *value = root * (own - if bias { target } else { 0.0 });
        }
        let svd = Svd::thin(&rows)?;
        let along = transposed_vector(&svd.v, &values)?;
        let right = along.iter().zip(&svd.values).map(|(a, s)| a * s).collect();
        let nothing = svd.values.first().map_or(0.0, |top| top * len.max(dim) as f64 * f64::EPSILON);
        let nothing = nothing * nothing;
        let values = svd.values.iter().map(|s| s * s).collect();
        Ok(Self { vectors: svd.u, values, right, mean, target, weight: moments.weight(), bias, nothing })
    }

    fn top(&self) -> f64 {
        self.values.iter().copied().fold(0.0, f64::max)
    }

    fn penalties(&self) -> Vec<f64> {
        let top = self.top();
        let top = if top > 0.0 { top } else { 1.0 };
        (-20..=4).map(|half| top * 10.0_f64.powf(f64::from(half) / 2.0)).collect()
    }

    /// `1 / (value + penalty)`, or 0 along a direction in which there is nothing to learn.
    fn inverse(&self, value: f64, penalty: f64) -> f64 {
        if value <= self.nothing && penalty <= self.nothing { 0.0 } else { 1.0 / (value + penalty) }
    }

    /// One pass over the data: residuals and leverages for all penalties.
    fn points<E: Examples + ?Sized>(
        &self,
        problem: &Problem<'_, E>,
        penalties: &[f64],
    ) -> Result<Vec<PathPoint>> {
        let (rank, count) = (self.values.len(), penalties.len());
        let (mut shares, mut inverses) = (Matrix::zeros(rank, count)?, Matrix::zeros(rank, count)?);
        for (l, &penalty) in penalties.iter().enumerate() {
            for j in 0..rank {
                inverses[(j, l)] = self.inverse(self.values[j], penalty);
                shares[(j, l)] = inverses[(j, l)] * self.right[j];
            }
        }
        let blocks = RowBlocks::new(problem.examples);
        let parts =
            parallel::map(blocks.len(), |block| self.block(problem, &blocks, block, &shares, &inverses));
        let mut sums = vec![(0.0, Some(0.0)); count];
        for part in parts {
            for ((squares, errors), (more, other)) in sums.iter_mut().zip(part?) {
                *squares += more;
                *errors = errors.zip(other).map(|(a, b): (f64, f64)| a + b);
            }
        }
        let point = |(&penalty, (squares, errors)): (&f64, (f64, Option<f64>))| {
            let own = if self.bias { 1.0 } else { 0.0 };
            let share = |&value: &f64| value * self.inverse(value, penalty);
            let freedom = own + self.values.iter().map(share).sum::<f64>();
            let rest = 1.0 - freedom / self.weight;
            let generalised = (rest > 1e-12).then(|| squares / self.weight / (rest * rest));
            let leave_one_out = errors.map(|errors| errors / self.weight);
            PathPoint { penalty, sum_of_squares: squares, freedom, leave_one_out, generalised }
        };
        Ok(penalties.iter().zip(sums).map(point).collect())
    }

    /// `Σωr²`, and `Σω(r/(1 − h))²` where it is defined, of a block for each penalty.
    fn block<E: Examples + ?Sized>(
        &self,
        problem: &Problem<'_, E>,
        blocks: &RowBlocks<'_, E>,
        block: usize,
        shares: &Matrix,
        inverses: &Matrix,
    ) -> Result<Vec<(f64, Option<f64>)>> {
        let (dim, range) = (problem.examples.dim(), blocks.range(block));
        let mut values = Vec::new();
        blocks.fill(block, &mut values);
        for row in values.chunks_exact_mut(dim) {
            row.iter_mut().zip(&self.mean).for_each(|(x, mean)| *x -= mean);
        }
        let rows = Matrix::from_columns(values, dim, range.len())?;
        let mut along = transposed_product(&self.vectors, &rows)?;
        let fitted = transposed_product(&along, shares)?;
        along.values_mut().iter_mut().for_each(|x| *x *= *x);
        let leverages = transposed_product(&along, inverses)?;
        let (offset, floor) = if self.bias { (self.target, 1.0 / self.weight) } else { (0.0, 0.0) };
        let sums = (0..shares.columns()).map(|l| {
            let mut sums = (0.0, Some(0.0));
            for (at, row) in range.clone().enumerate() {
                let weight = problem.weights.map_or(1.0, |weights| weights.values()[row]);
                let own = problem.targets.first().map_or(0.0, |targets| targets[row]);
                let r = own - offset - fitted[(at, l)];
                sums.0 += weight * r * r;
                let error = left_out(r, floor + leverages[(at, l)], weight);
                let error = if weight == 0.0 { Some(0.0) } else { error };
                sums.1 = sums.1.zip(error).map(|(sum, error): (f64, f64)| sum + weight * error * error);
            }
            sums
        });
        Ok(sums.collect())
    }
}
