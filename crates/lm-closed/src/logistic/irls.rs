//! Logistic regression by iteratively reweighted least squares: Newton's method with step control.
//!
//! # Problem
//! ```text
//! minimise Σ ωᵢ ℓ(yᵢ, f(xᵢ)) + ½λ Σₖ ‖wₖ‖²   over f = (fₖ) ,  fₖ(x) = ⟨wₖ·x⟩ + bₖ ,  λ ≥ 0 ,  biases free
//! ```
//! where `ℓ` is `−log` of the probability of the class: the logistic loss for one function, the softmax loss for as many
//! functions as classes.
//! # Method
//! One sweep over the data gives loss, gradient `g` and Hessian `H` at a point ([`LogisticStatistics`]); the step solves
//! `H s = −g`, which is a least squares problem with weights `ωp(1 − p)`, and is halved until the loss falls enough.
//! Half the squared Newton decrement `½ gᵗH⁻¹g` estimates what is left. With several functions the objective does not
//! change if all of them are moved together; steps stay where the functions sum to zero.
//!
//! Without a penalty a minimum need not exist. It exists if and only if there are numbers strictly between 0 and 1 that
//! could be probabilities, `Σ ω(pᵢ − [yᵢ = 1])xᵢ = 0` (Albert & Anderson). Moving the probabilities of a point along with
//! its Newton step meets the equation, and keeps them in bounds if no score moves by 1 or more: so a step in which no
//! score moves by more than ½ proves that the minimum exists, and on data without one every step moves some score by at
//! least 1.
//! # Cost
//! A sweep of `n(d + 1)²/2` multiply-adds a step, on all cores; a Cholesky factorisation of size `K(d + 1)`. Five to ten
//! steps.
//! # Reference
//! Hastie, Tibshirani & Friedman (2009), section 4.4; Albert & Anderson (1984), *Biometrika* 71; Böhning (1992) for
//! several classes.

use lm_core::linalg::Matrix;
use lm_core::{Error, Linear, Result};

use super::LogisticStatistics;
use super::curvature::Curvature;
use super::frame::Frame;
use super::newton::{Judged, Walk};

/// What came of a look at the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum IrlsState {
    /// Statistics at the next point are wanted.
    Continue,
    /// What is left is below the tolerance: the next point is the result, and nothing more need be summed.
    Settled,
    /// Without a penalty: every margin is positive, so the data are separable and no minimum exists.
    Separated,
    /// Without a penalty: the loss no longer falls, but the weights still grow. Probably no minimum exists.
    Diverging,
    /// No step makes the objective fall.
    Exhausted,
}

/// Newton's method for the logistic likelihood, driven by statistics that somebody else sums.
///
/// ```
/// use lm_closed::{Frame, Irls, IrlsState};
/// use lm_core::{Dense, Sign};
///
/// let examples = Dense::new(vec![0.0, 1.0, 2.0, 3.0], 4, 1)?;
/// let signs = [Sign::Negative, Sign::Positive, Sign::Negative, Sign::Positive];
/// let mut irls = Irls::binary(Frame::of(&examples, None, 0.1)?, 0.1, 1e-10)?;
/// loop {
///     let mut total = irls.statistics()?; // here from one block; elsewhere merged from many
///     total.add(&examples, &signs, None)?;
///     if irls.take(&total)? != IrlsState::Continue {
///         break;
///     }
/// }
/// let f = &irls.functions()?[0];
/// // The gradient vanishes: probabilities add up to the number of positive examples.
/// let p: f64 = (0..4).map(|x| 1.0 / (1.0 + (-f.weights()[0] * f64::from(x) - f.bias()).exp())).sum();
/// assert!((p - 2.0).abs() < 1e-9);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Irls {
    frame: Frame,
    classes: usize,
    penalty: f64,
    tolerance: f64,
    walk: Walk,
    step: Vec<f64>,
    settled: bool,
    decrement: f64,
    rank: Option<usize>,
    condition: f64,
    reduced: bool,
}

impl Irls {
    /// A run for two classes that starts at zero.
    ///
    /// # Errors
    /// [`Error::Setting`] for a penalty that is negative or not finite, or a tolerance outside (0, 1).
    pub fn binary(frame: Frame, penalty: f64, tolerance: f64) -> Result<Self> {
        let start = vec![0.0; frame.dim() + 1];
        Self::at(frame, 2, start, penalty, tolerance)
    }

    /// A run for several classes that starts at zero.
    ///
    /// # Errors
    /// As [`Irls::binary`], and [`Error::Classes`] for fewer than two.
    pub fn classes(frame: Frame, classes: usize, penalty: f64, tolerance: f64) -> Result<Self> {
        if classes < 2 {
            return Err(Error::Classes { found: classes, accepted: "two classes or more" });
        }
        let start = vec![0.0; (frame.dim() + 1) * classes];
        Self::at(frame, classes, start, penalty, tolerance)
    }

    pub(super) fn at(
        frame: Frame,
        classes: usize,
        start: Vec<f64>,
        penalty: f64,
        tolerance: f64,
    ) -> Result<Self> {
        check_penalty(penalty)?;
        check_tolerance(tolerance)?;
        let step = vec![0.0; start.len()];
        let walk = Walk::new(start);
        let (settled, decrement, rank, condition, reduced) = (false, f64::INFINITY, None, 1.0, false);
        Ok(Self {
            frame,
            classes,
            penalty,
            tolerance,
            walk,
            step,
            settled,
            decrement,
            rank,
            condition,
            reduced,
        })
    }

    /// Empty statistics at the point where the next ones are wanted.
    ///
    /// # Errors
    /// [`Error::Allocation`] if there is no memory for a Hessian.
    pub fn statistics(&self) -> Result<LogisticStatistics> {
        LogisticStatistics::at(self.frame.clone(), self.classes, self.walk.trial().to_vec())
    }

    /// Takes the statistics of all data at the point asked for, and moves on.
    ///
    /// # Errors
    /// [`Error::Numerical`] for statistics at another point, or if arithmetic breaks down.
    pub fn take(&mut self, total: &LogisticStatistics) -> Result<IrlsState> {
        if total.point() != self.walk.trial() || total.frame() != &self.frame {
            return Err(Error::Numerical { what: "a step from statistics at another point" });
        }
        let value = total.loss() + self.penalty_at(total.point());
        if !value.is_finite() {
            return Err(Error::Numerical { what: "the likelihood" });
        }
        self.settled = false;
        match self.walk.judge(value) {
            Judged::Shortened => return Ok(IrlsState::Continue),
            Judged::Exhausted => return Ok(IrlsState::Exhausted),
            Judged::Accepted => {}
        }
        self.turn(total)?;
        if self.penalty == 0.0 && total.smallest_margin() > 0.0 {
            return Ok(IrlsState::Separated);
        }
        let small = is_small(self.decrement, value, self.tolerance);
        let moves: f64 = self.step.iter().map(|step| step.abs()).sum();
        let exists = self.penalty > 0.0 || moves <= 0.5 && !self.reduced;
        self.settled = small && exists;
        Ok(match (small, exists) {
            (true, true) => IrlsState::Settled,
            (true, false) => IrlsState::Diverging,
            (false, _) => IrlsState::Continue,
        })
    }

    /// Solves for the next step.
    fn turn(&mut self, total: &LogisticStatistics) -> Result<()> {
        let p = self.frame.dim() + 1;
        let mut hessian = total.hessian()?;
        self.step.copy_from_slice(total.gradient());
        for (k, scale) in self.frame.scale().iter().enumerate() {
            let penalty = self.penalty * scale * scale;
            for at in (k..self.step.len()).step_by(p) {
                hessian[(at, at)] += penalty;
                self.step[at] += penalty * self.walk.at()[at];
            }
        }
        let width = self.step.len() / p;
        let tied = if width > 1 { fix_sum(&mut hessian, p, width) } else { 0 };
        let curvature = Curvature::of(hessian)?;
        let gradient = self.step.clone();
        curvature.solve(&mut self.step)?;
        if width > 1 {
            sum_to_zero(&mut self.step, p);
        }
        self.decrement = gradient.iter().zip(&self.step).map(|(g, s)| g * s).sum::<f64>().max(0.0);
        self.step.iter_mut().for_each(|s| *s = -*s);
        self.condition = curvature.condition();
        // With weights that vanish in some direction the Hessian no longer sees what it saw at the start.
        let rank = curvature.rank() - tied.min(curvature.rank());
        self.reduced = rank < *self.rank.get_or_insert(rank);
        self.walk.propose(&self.step, -self.decrement);
        Ok(())
    }

    /// `½λΣw²`, from coordinates in the frame.
    fn penalty_at(&self, point: &[f64]) -> f64 {
        // Not a product: weights of tiny columns may be too large to be squared.
        if self.penalty == 0.0 {
            return 0.0;
        }
        let mut sum = 0.0;
        for function in point.chunks_exact(self.frame.dim() + 1) {
            sum += function.iter().zip(self.frame.scale()).map(|(w, s)| (w * s) * (w * s)).sum::<f64>();
        }
        0.5 * self.penalty * sum
    }

    /// The functions of the result so far: one for two classes, one for each class else.
    ///
    /// # Errors
    /// [`Error::NonFinite`] or [`Error::Numerical`] if a weight overflows in the coordinates of the data.
    pub fn functions(&self) -> Result<Vec<Linear>> {
        self.functions_at(if self.settled { self.walk.trial() } else { self.walk.at() })
    }

    /// The functions one step before the result, if it is the end of a step; the same functions else.
    pub(super) fn base(&self) -> Result<Vec<Linear>> {
        self.functions_at(self.walk.at())
    }

    pub(super) fn functions_at(&self, point: &[f64]) -> Result<Vec<Linear>> {
        point.chunks_exact(self.frame.dim() + 1).map(|theta| self.frame.function(theta)).collect()
    }

    /// Where the run is: the best point looked at.
    pub(super) fn point(&self) -> &[f64] {
        self.walk.at()
    }

    /// The coordinates of the run.
    pub(super) fn frame(&self) -> &Frame {
        &self.frame
    }

    /// Whether the last Hessian knew fewer directions than the first.
    pub(super) fn is_reduced(&self) -> bool {
        self.reduced
    }

    /// The objective at the best point looked at; infinite before the first look.
    pub fn objective(&self) -> f64 {
        self.walk.value()
    }

    /// `gᵗH⁻¹g` at the best point looked at; infinite before the first look.
    pub fn decrement(&self) -> f64 {
        self.decrement
    }

    /// The number of directions that the data determine, and the condition of the last Hessian on them.
    pub(super) fn conditioning(&self) -> Conditioning {
        let (p, width) = (self.frame.dim() + 1, self.step.len() / (self.frame.dim() + 1));
        let variables = if width > 1 { (width - 1) * p } else { p };
        Conditioning { variables, rank: self.rank.unwrap_or(0), condition: self.condition }
    }
}

/// How well the data determine the coefficients.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Conditioning {
    /// The number of coefficients that are not tied by the convention that functions sum to zero.
    pub variables: usize,
    /// The number of directions among them that the data, or the penalty, determine to working precision.
    pub rank: usize,
    /// The condition of the Hessian on these directions, its diagonal scaled to 1: digits beyond
    /// `16 − log₁₀ condition` of a coefficient are not to be trusted.
    pub condition: f64,
}

/// Adds curvature along the direction in which all functions move together, where the objective is flat; the number of
/// columns in which there is any. Right-hand sides have no part in it, so solutions have none either.
fn fix_sum(hessian: &mut Matrix, p: usize, width: usize) -> usize {
    let mut tied = 0;
    for j in 0..p {
        let mean = (0..width).map(|k| hessian[(k * p + j, k * p + j)]).sum::<f64>() / width as f64;
        tied += usize::from(mean > 0.0);
        for k in 0..width {
            for l in 0..=k {
                hessian[(k * p + j, l * p + j)] += mean / width as f64;
            }
        }
    }
    tied
}

/// Subtracts from all functions their mean.
pub(super) fn sum_to_zero(functions: &mut [f64], p: usize) {
    let width = functions.len() / p;
    for j in 0..p {
        let mean = functions.iter().skip(j).step_by(p).sum::<f64>() / width as f64;
        functions.iter_mut().skip(j).step_by(p).for_each(|value| *value -= mean);
    }
}

/// Whether a step with this decrement leads to an objective that is good enough. What is left after the step is of the
/// order of the square of what is left before; a tolerance below what a gap can show asks for digits of the coefficients.
pub(super) fn is_small(decrement: f64, value: f64, tolerance: f64) -> bool {
    0.5 * decrement <= (0.01 * tolerance.sqrt()).min(1e4 * tolerance) * value
}

/// Checks a penalty λ ≥ 0.
pub(super) fn check_penalty(value: f64) -> Result<()> {
    if value >= 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(Error::Setting { name: "penalty", value, accepted: "a finite number ≥ 0" })
}

/// Checks a relative gap.
pub(super) fn check_tolerance(value: f64) -> Result<()> {
    if value > 0.0 && value < 1.0 {
        return Ok(());
    }
    Err(Error::Setting { name: "tolerance", value, accepted: "a number between 0 and 1" })
}
