//! What linear discriminant analysis says of each example without having seen it.
//!
//! # Problem
//! For every example `x` of a class `c`, the functions of the analysis that is learned from all others, at `x`.
//! # Method
//! Without an example of weight `ω` the mean of its class moves along `u = x − m_c` and the scatter loses a square of it,
//! ```text
//! m_c' = m_c − ω/(W_c − ω) u        S_W' = S_W − a u uᵗ ,   a = ωW_c/(W_c − ω)
//! z ᵗS_W'⁻¹z = zᵗS_W⁻¹z + a (zᵗS_W⁻¹u)² / (1 − a uᵗS_W⁻¹u)
//! ```
//! so that one factor of `S_W` is enough for all of them. Where the last denominator vanishes the others do not scatter in all
//! directions, which is an error.
//! # Cost
//! `nd²` operations to whiten the examples, then `nKd`.
//! # Reference
//! Lachenbruch & Mickey (1968); Sherman & Morrison (1950).

use lm_core::linalg::{Cholesky, Matrix};
use lm_core::{ClassLabels, Control, Error, Examples, Result, TrainingSet};

use super::{ClassMoments, Lda, Priors};
use crate::shrinkage::Shrinkage;

/// A denominator this small has no digits left.
const NOTHING: f64 = 1e-12;

/// For each example, what the analysis of all others says of it.
#[derive(Debug, Clone, PartialEq)]
pub struct LdaLeaveOneOut {
    decisions: Matrix,
    given: Vec<u32>,
}

impl LdaLeaveOneOut {
    /// One row for each example, one column for each class: log-probabilities up to a summand that all classes of a row share.
    pub fn decisions(&self) -> &Matrix {
        &self.decisions
    }

    /// The number of the class that each example is given; of equal ones the first.
    pub fn class_numbers(&self) -> Vec<usize> {
        let best = |row: usize| {
            let value = |class: usize| self.decisions[(row, class)];
            (1..self.decisions.columns())
                .fold(0, |best, class| if value(class) > value(best) { class } else { best })
        };
        (0..self.decisions.rows()).map(best).collect()
    }

    /// How many examples are given another class than their own.
    pub fn errors(&self) -> usize {
        self.class_numbers()
            .iter()
            .zip(&self.given)
            .filter(|(found, given)| **found != **given as usize)
            .count()
    }
}

impl Lda {
    /// What the analysis of all other examples says of each, without a second fit; an example is left out with all of its
    /// weight.
    ///
    /// ```
    /// use lm_closed::Lda;
    /// use lm_core::{Control, TrainingSet};
    ///
    /// let iris = lm_data::classic::iris()?;
    /// let (examples, labels) = (&iris.data.examples, iris.data.classes()?);
    /// let found = Lda::default().leave_one_out(&TrainingSet::new(examples, &labels)?, &Control::default())?;
    /// assert_eq!(found.errors(), 3);
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As fitting; [`Error::Setting`] with shrinkage, whose share of the common variance depends on every example,
    /// [`Error::Classes`] if an example is the only one of its class, [`Error::Memory`] if the budget has no room for the whitened
    /// examples, and [`Error::Numerical`] if the scatter is singular, or would be without one of the examples.
    pub fn leave_one_out<E: Examples + ?Sized>(
        &self,
        set: &TrainingSet<'_, E, ClassLabels>,
        control: &Control<'_>,
    ) -> Result<LdaLeaveOneOut> {
        let (examples, labels) = (set.examples(), set.labels());
        self.validate(labels.classes().len())?;
        if !matches!(self.shrinkage, Shrinkage::None) {
            let accepted = "no shrinkage, where examples are left out by a formula";
            return Err(Error::Setting { name: "shrinkage", value: f64::NAN, accepted });
        }
        let (n, dim, classes) = (examples.len(), examples.dim(), labels.classes().len());
        control.budget().check_memory("the whitened examples", n.saturating_mul(dim).saturating_mul(8))?;
        let moments = ClassMoments::of(examples, labels, set.weights())?;
        let white = whitened(examples, &moments)?;
        let means: Vec<Vec<f64>> = (0..classes).map(|class| white.transformed(moments.mean(class))).collect();
        let mut decisions = Matrix::zeros(n, classes)?;
        let total = moments.weight();
        for row in 0..n {
            let (own, weight) = (labels.index(row)?, set.weight(row));
            let of_class = moments.class_weights()[own];
            let rest = of_class - weight;
            if !(rest > 0.0) {
                return Err(Error::Classes { found: classes - 1, accepted: "two examples of every class" });
            }
            let x = white.rows.column(row);
            let u: Vec<f64> = x.iter().zip(&means[own]).map(|(x, m)| x - m).collect();
            let a = weight * of_class / rest;
            let left = 1.0 - a * dot(&u, &u);
            if !(left > NOTHING) {
                return Err(Error::Numerical { what: "the inverse scatter without one of the examples" });
            }
            for class in 0..classes {
                let mut z: Vec<f64> = x.iter().zip(&means[class]).map(|(x, m)| x - m).collect();
                let mut share = moments.class_weights()[class];
                if class == own {
                    // The mean of its class moves away from it.
                    z.iter_mut().for_each(|z| *z *= of_class / rest);
                    share = rest;
                }
                let across = dot(&z, &u);
                let distance = dot(&z, &z) + a * across * across / left;
                let prior = match &self.priors {
                    Priors::Counts => share / (total - weight),
                    Priors::Equal => 1.0 / classes as f64,
                    Priors::Given(priors) => priors[class],
                };
                decisions[(row, class)] = prior.ln() - 0.5 * (total - weight) * distance;
            }
        }
        if decisions.values().iter().any(|value| !value.is_finite()) {
            return Err(Error::Numerical { what: "the functions of the classes" });
        }
        Ok(LdaLeaveOneOut { decisions, given: labels.indices().to_vec() })
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Examples in coordinates in which the scatter within classes is the identity.
struct Whitened {
    /// Row `j` of `L⁻¹D⁻¹`, and what it makes of the common mean.
    weights: Vec<Vec<f64>>,
    shifts: Vec<f64>,
    /// Example by example.
    rows: Matrix,
}

impl Whitened {
    fn transformed(&self, x: &[f64]) -> Vec<f64> {
        self.weights.iter().zip(&self.shifts).map(|(weights, shift)| dot(weights, x) - shift).collect()
    }
}

fn whitened<E: Examples + ?Sized>(examples: &E, moments: &ClassMoments) -> Result<Whitened> {
    let (n, dim, scatter) = (examples.len(), examples.dim(), moments.scatter());
    let singular = Error::Numerical { what: "the inverse of the scatter within classes" };
    // Columns of a common size.
    let sizes: Vec<f64> = (0..dim).map(|k| scatter[(k, k)].sqrt()).collect();
    if sizes.iter().any(|size| !(*size > 0.0 && size.is_finite())) {
        return Err(singular);
    }
    let mut scaled = Matrix::zeros(dim, dim)?;
    for j in 0..dim {
        (j..dim).for_each(|i| scaled[(i, j)] = scatter[(i, j)] / (sizes[i] * sizes[j]));
    }
    let factor =
        Cholesky::factor(scaled)?.filter(|factor| factor.condition() < 1.0 / f64::EPSILON).ok_or(singular)?;
    let mut inverse = Matrix::identity(dim)?;
    factor.solve_lower(&mut inverse)?;
    let mean = moments.total_mean();
    let weights: Vec<Vec<f64>> =
        (0..dim).map(|j| (0..dim).map(|k| inverse[(j, k)] / sizes[k]).collect()).collect();
    let shifts: Vec<f64> = weights.iter().map(|weights| dot(weights, &mean)).collect();
    let mut rows = Matrix::zeros(dim, n)?;
    for row in 0..n {
        let to = rows.column_mut(row);
        for ((to, weights), shift) in to.iter_mut().zip(&weights).zip(&shifts) {
            *to = examples.dot(row, weights) - shift;
        }
    }
    Ok(Whitened { weights, shifts, rows })
}
