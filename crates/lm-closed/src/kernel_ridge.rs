//! Ridge regression in the feature space of a kernel.
//!
//! # Problem
//! ```text
//! minimise λ‖w‖² + Σ ωᵢ(yᵢ − ⟨w·φ(xᵢ)⟩ − b)²    over w, and over b where the bias is free (b = 0 otherwise)
//! ```
//! # Method
//! `w = Σ αᵢφ(xᵢ)` with `(K + λW⁻¹)α + b = y`, and `Σα = 0` where the bias is free. The system is solved by
//! [`KernelSolver`]. A weight divides the ridge of its example, which is what that many copies would do; an example of
//! weight 0 is left out. Leaving out one example changes its error from `λαᵢ/ωᵢ` to `αᵢ/Gᵢᵢ`, with `G` the inverse of
//! the system's matrix, bordered where the bias is free: no second fit is needed.
//! # Cost
//! That of the system; `n³/3` operations more for the errors of leaving out one.
//! # Reference
//! Cristianini & Shawe-Taylor (2000), proposition 6.24, and 6.20 with ε = 0 for the free bias; Saunders, Gammerman &
//! Vovk (1998).

use lm_core::{
    BinaryLabels, Control, DualExpansion, Error, Fit, Gram, Learner, Result, Selection, Targets, TrainingSet,
};

use crate::KernelRidgeCertificate;
use crate::kernel_system::{DEFAULT_ITERATIONS, KernelSolver, Solution, System};

/// The settings of kernel ridge regression.
///
/// With [`Targets`] it is a regression, with [`BinaryLabels`] least squares on the labels ±1. The model is an expansion
/// over all examples that count. Memory: [`KernelSolver`] says how much; without a budget at most 2 GiB.
///
/// ```
/// use lm_closed::KernelRidge;
/// use lm_core::{Certificate, Dense, Learner, Targets, TrainingSet, VectorGram, VectorKernel};
///
/// let examples = Dense::new(vec![0.0, 1.0, 2.0, 3.0], 4, 1)?;
/// let targets = Targets::new(vec![0.0, 1.0, 4.0, 9.0])?; // a parabola
/// let kernel = VectorKernel::polynomial(2, 1.0, 1.0)?;
/// let gram = VectorGram::new(&examples, kernel)?;
/// let fit = KernelRidge::default().with_penalty(1e-9).fit(&gram, &targets)?.converged()?;
/// let f = fit.model.over_vectors(&examples, kernel)?;
/// assert!((f.decision(&[1.5])? - 2.25).abs() < 1e-6);
/// assert!(fit.certificate.verify(&TrainingSet::new(&gram, &targets)?)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KernelRidge {
    lambda: f64,
    free_bias: bool,
    gap: f64,
    solver: KernelSolver,
}

impl Default for KernelRidge {
    fn default() -> Self {
        Self { lambda: 1.0, free_bias: false, gap: 1e-16, solver: KernelSolver::Automatic }
    }
}

impl KernelRidge {
    /// The penalty `λ` on `‖w‖²`, finite and > 0; default 1. A smaller one fits more closely and makes the system harder to
    /// solve.
    #[must_use]
    pub fn with_penalty(self, lambda: f64) -> Self {
        Self { lambda, ..self }
    }

    /// Whether there is a bias, which is not penalised; default no. It costs one more solution with the preconditioner.
    #[must_use]
    pub fn with_bias(self, free_bias: bool) -> Self {
        Self { free_bias, ..self }
    }

    /// The relative duality gap at which a solution is good enough, between 0 and 1; default 1e-16, which bounds the error
    /// of the function by about 1e-8 of its norm. A smaller one costs some products with the matrix.
    #[must_use]
    pub fn with_gap(self, gap: f64) -> Self {
        Self { gap, ..self }
    }

    /// How the system is solved; default [`KernelSolver::Automatic`].
    #[must_use]
    pub fn with_solver(self, solver: KernelSolver) -> Self {
        Self { solver, ..self }
    }

    fn validate(&self) -> Result<()> {
        if !(self.lambda > 0.0 && self.lambda.is_finite()) {
            return Err(Error::Setting {
                name: "penalty",
                value: self.lambda,
                accepted: "a finite number > 0",
            });
        }
        if !(self.gap > 0.0 && self.gap < 1.0) {
            return Err(Error::Setting {
                name: "gap",
                value: self.gap,
                accepted: "a number between 0 and 1",
            });
        }
        Ok(())
    }

    /// The errors `yᵢ − f₋ᵢ(xᵢ)` of the functions that each leave out one example, with all of its weight; 0 for an
    /// example of weight 0.
    ///
    /// ```
    /// use lm_closed::KernelRidge;
    /// use lm_core::{Control, MatrixGram, Targets, TrainingSet};
    ///
    /// let gram = MatrixGram::precomputed(vec![1.0, 0.5, 0.5, 1.0], 2)?;
    /// let targets = Targets::new(vec![1.0, 3.0])?;
    /// let set = TrainingSet::new(&gram, &targets)?;
    /// let errors = KernelRidge::default().leave_one_out(&set, &Control::default())?;
    /// // Without the second example α₁ = 1/2, so f(x₂) = 1/4; without the first α₂ = 3/2 and f(x₁) = 3/4.
    /// assert!((errors[0] - 0.25).abs() < 1e-14 && (errors[1] - 2.75).abs() < 1e-14);
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Learner::fit_with`]; [`Error::Memory`] if the budget has no room for the matrix and its inverse,
    /// [`Error::NotConverged`] if it ends the run, [`Error::Numerical`] if the matrix has no factor in working precision.
    pub fn leave_one_out<G: Gram + ?Sized, Y: Response>(
        &self,
        set: &TrainingSet<'_, G, Y>,
        control: &Control<'_>,
    ) -> Result<Vec<f64>> {
        self.validate()?;
        let needed = set.len().saturating_mul(set.len()).saturating_mul(16);
        control.budget().check_memory("the inverse of the kernel matrix", needed)?;
        let targets = set.labels().response();
        let kept = Kept::new(set, self.lambda)?;
        let errors = kept.over(set.examples(), |gram| self.left_out(gram, &kept, &targets, control))??;
        Ok(kept.spread(&errors, set.len()))
    }

    fn left_out<G: Gram + ?Sized>(
        &self,
        gram: &G,
        kept: &Kept,
        targets: &[f64],
        control: &Control<'_>,
    ) -> Result<Vec<f64>> {
        let mut meter = control.start(DEFAULT_ITERATIONS);
        let system = self.system(gram, kept);
        let ended = |stop| Error::NotConverged { stop, iterations: 0 };
        let factored = system.factor(&mut meter)?.map_err(ended)?;
        if factored.jitter > 0.0 {
            return Err(Error::Numerical {
                what: "the inverse of the kernel matrix (a larger penalty is needed)",
            });
        }
        let solution = system.solve_by(&factored, &kept.pick(targets), &mut meter)?;
        let mut diagonal = factored.cholesky.inverse_diagonal()?;
        if self.free_bias {
            let mut ones = vec![1.0; diagonal.len()];
            factored.cholesky.solve(&mut ones)?;
            let total: f64 = ones.iter().sum();
            diagonal.iter_mut().zip(&ones).for_each(|(entry, one)| *entry -= one * (one / total));
        }
        let errors: Vec<f64> =
            solution.alpha.iter().zip(&diagonal).map(|(alpha, entry)| alpha / entry).collect();
        // The bias of nothing is nothing: a single example cannot be left out.
        match errors.iter().position(|error| !error.is_finite()) {
            Some(_) => Err(Error::Numerical { what: "the error of leaving out an example" }),
            None => Ok(errors),
        }
    }

    fn system<'a, G: Gram + ?Sized>(&self, gram: &'a G, kept: &'a Kept) -> System<'a, G> {
        let (free_bias, tolerance, solver) = (self.free_bias, self.gap, self.solver);
        System { gram, ridge: &kept.ridge, free_bias, tolerance, solver }
    }

    fn run<G: Gram + ?Sized, Y: Response>(
        &self,
        set: &TrainingSet<'_, G, Y>,
        control: &Control<'_>,
    ) -> Result<Fit<DualExpansion, KernelRidgeCertificate>> {
        self.validate()?;
        let mut meter = control.start(DEFAULT_ITERATIONS);
        let targets = set.labels().response();
        let kept = Kept::new(set, self.lambda)?;
        let chosen = kept.pick(&targets);
        let solution =
            kept.over(set.examples(), |gram| self.system(gram, &kept).solve(&chosen, &mut meter))??;
        let Solution { alpha, bias, residual, stop } = solution;
        let alpha = kept.spread(&alpha, set.len());
        let model = DualExpansion::from_all(&alpha, bias)?;
        let solution = (alpha, bias, &residual[..]);
        let weight = |row| set.weight(row);
        let certificate =
            KernelRidgeCertificate::compute(&targets, weight, solution, self.lambda, self.free_bias)?;
        Ok(Fit { model, report: meter.report(stop, None), certificate })
    }
}

/// What is regressed on: real targets, or the labels ±1.
pub trait Response: lm_core::Labelling {
    /// A number for each example.
    fn response(&self) -> Vec<f64>;
}

impl Response for Targets {
    fn response(&self) -> Vec<f64> {
        self.values().to_vec()
    }
}

impl Response for BinaryLabels {
    fn response(&self) -> Vec<f64> {
        self.values()
    }
}

impl<G: Gram + ?Sized> Learner<G, Targets> for KernelRidge {
    type Model = DualExpansion;
    type Certificate = KernelRidgeCertificate;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, G, Targets>,
        control: &Control<'_>,
    ) -> Result<Fit<DualExpansion, KernelRidgeCertificate>> {
        self.run(set, control)
    }
}

impl<G: Gram + ?Sized> Learner<G, BinaryLabels> for KernelRidge {
    type Model = DualExpansion;
    type Certificate = KernelRidgeCertificate;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, G, BinaryLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<DualExpansion, KernelRidgeCertificate>> {
        self.run(set, control)
    }
}

/// The examples that count, and the ridge `λ/ω` of each.
#[derive(Debug)]
pub(crate) struct Kept {
    /// Their rows, where not all count.
    rows: Option<Vec<usize>>,
    pub(crate) ridge: Vec<f64>,
}

impl Kept {
    pub(crate) fn new<S: lm_core::Collection + ?Sized, Y: lm_core::Labelling>(
        set: &TrainingSet<'_, S, Y>,
        lambda: f64,
    ) -> Result<Self> {
        let rows: Vec<usize> = (0..set.len()).filter(|&row| set.weight(row) > 0.0).collect();
        let ridge: Vec<f64> = rows.iter().map(|&row| lambda / set.weight(row)).collect();
        if let Some(at) = ridge.iter().position(|d| !(*d > 0.0 && d.is_finite())) {
            let (row, value) = (rows[at], set.weight(rows[at]));
            return Err(Error::Weight {
                row, value, accepted: "a weight ω for which λ/ω is a number > 0"
            });
        }
        Ok(Self { rows: (rows.len() < set.len()).then_some(rows), ridge })
    }

    /// The values of these examples.
    pub(crate) fn pick(&self, values: &[f64]) -> Vec<f64> {
        match &self.rows {
            Some(rows) => rows.iter().map(|&row| values[row]).collect(),
            None => values.to_vec(),
        }
    }

    /// Values of these examples as values of all, 0 for those that do not count.
    pub(crate) fn spread(&self, values: &[f64], len: usize) -> Vec<f64> {
        match &self.rows {
            Some(rows) => {
                let mut all = vec![0.0; len];
                rows.iter().zip(values).for_each(|(&row, &value)| all[row] = value);
                all
            }
            None => values.to_vec(),
        }
    }

    /// Calls `work` with the Gram matrix of these examples.
    fn over<G: Gram + ?Sized, R>(&self, gram: &G, work: impl FnOnce(&dyn Gram) -> R) -> Result<R> {
        Ok(match &self.rows {
            Some(rows) => work(&Selection::new(gram, rows)?),
            None => work(&gram),
        })
    }
}
