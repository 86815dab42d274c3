//! A least squares problem as its solvers see it, and what they give back.

use lm_core::double_double::DoubleDouble;
use lm_core::{Error, Examples, Linear, Result, Stop, Weights};

/// Examples, the targets of one or more functions, weights, and whether there is a bias and a penalty.
#[derive(Debug)]
pub(crate) struct Problem<'a, E: ?Sized> {
    pub(crate) examples: &'a E,
    pub(crate) targets: &'a [&'a [f64]],
    pub(crate) weights: Option<&'a Weights>,
    pub(crate) bias: bool,
    /// The factor `λ` of `‖w‖²`; 0 for plain least squares.
    pub(crate) penalty: f64,
}

impl<E: Examples + ?Sized> Problem<'_, E> {
    /// The number of coefficients of a function.
    pub(crate) fn columns(&self) -> usize {
        self.examples.dim() + usize::from(self.bias)
    }

    /// How many examples count.
    pub(crate) fn count(&self) -> usize {
        let counted = |weights: &Weights| weights.values().iter().filter(|&&weight| weight > 0.0).count();
        self.weights.map_or(self.examples.len(), counted)
    }

    /// The sum of the weights: the number of examples, each as often as its weight says.
    pub(crate) fn total(&self) -> f64 {
        self.weights.map_or(self.examples.len() as f64, Weights::total)
    }

    /// Checks that there is something to weigh.
    pub(crate) fn check(&self) -> Result<()> {
        if self.examples.dim() == 0 {
            return Err(Error::Empty { what: "the list of columns" });
        }
        for targets in self.targets {
            if targets.len() != self.examples.len() {
                let (expected, found) = (self.examples.len(), targets.len());
                return Err(Error::Length { what: "the list of targets", expected, found });
            }
        }
        Ok(())
    }
}

/// What is claimed of a solution, and recomputed by its certificate.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LinearSystemFigures {
    /// `√Σ ωr²`, the norm of the residuals.
    pub residual_norm: f64,
    /// The largest share, over all columns, of what is missing in a normal equation in the size of its terms: at most as
    /// large a relative change of every number in the data makes the solution exact.
    pub backward_error: f64,
    /// An upper bound on the norm of half the gradient in `w`, the bias being the best for `w`.
    pub gradient_norm: f64,
}

/// One function, in the caller's units.
#[derive(Debug, Clone)]
pub(crate) struct Solution {
    pub(crate) weights: Vec<DoubleDouble>,
    pub(crate) bias: DoubleDouble,
    /// Figures of the function with its coefficients rounded; `None` if they are still to be measured.
    pub(crate) figures: Option<LinearSystemFigures>,
    /// `√Σ ωr²` before the coefficients are rounded, where it is known.
    pub(crate) residual_norm: Option<DoubleDouble>,
    pub(crate) stop: Stop,
    /// For a solution of least norm: numbers `u` with `Xᵗu = w`.
    pub(crate) multipliers: Option<Vec<f64>>,
}

impl Solution {
    /// The function, with its coefficients rounded.
    pub(crate) fn model(&self) -> Result<Linear> {
        Linear::new(self.weights.iter().map(|w| w.value()).collect(), self.bias.value())
    }
}

/// How a problem was solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Route {
    /// Normal equations by Cholesky, corrected with residuals of twice the digits: a problem of good condition.
    SemiNormal,
    /// Householder reflections, corrected likewise: a small problem, or one of bad condition.
    Orthogonal,
    /// Singular values: columns that depend on each other, or fewer examples than columns.
    MinimumNorm,
    /// A system of as many equations as there are examples, corrected likewise.
    Dual,
    /// Normal equations from accumulated moments alone, without the data.
    Moments,
}

/// What the matrix of a problem is like, and which way was taken.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Diagnosis {
    /// How the problem was solved.
    pub route: Route,
    /// The number of coefficients, the bias included.
    pub columns: usize,
    /// The rank of the matrix `(1, X)`: `columns`, unless columns depend on each other.
    pub rank: usize,
    /// An estimate of the condition number of the matrix with its columns scaled, centred where the normal equations are;
    /// of those that are independent, if the rank is smaller.
    pub condition: f64,
}

impl Diagnosis {
    /// Whether the data cannot determine the coefficients to half of their digits: a change in the last digit of an entry
    /// may change a coefficient by more than `√ε ≈ 1.5e-8` of it, or columns depend on each other.
    pub fn ill_conditioned(&self) -> bool {
        // Written so that NaN fails.
        !(self.rank == self.columns && self.condition <= 1.0 / f64::EPSILON.sqrt())
    }
}
