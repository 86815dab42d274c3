//! The evidence for a least squares solution: the sum of squares, and the gradient that a minimum does not have.

use lm_core::{
    BinaryLabels, Certificate, Columns, Discrepancy, DualExpansion, Error, Examples, Gram, Linear, Result,
    Targets, TrainingSet, Verdict,
};

use crate::Bias;
use crate::augmented::{Augmented, largest};
use crate::hinge_certificate::Sum;

/// `Σ ωr²` with `r = f(x) − t`, and the norms of its half gradient `Σ ωr·y` at the solution and at zero.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SquaresFigures {
    /// The weighted sum of the squared residuals.
    pub sum_of_squares: f64,
    /// The norm of half the gradient at the solution.
    pub gradient_norm: f64,
    /// The norm of half the gradient at the function 0.
    pub initial_norm: f64,
}

impl SquaresFigures {
    /// `gradient_norm / initial_norm`: what is left of the gradient; 0 if there was none.
    pub fn relative_gradient(&self) -> f64 {
        if self.gradient_norm == 0.0 { 0.0 } else { self.gradient_norm / self.initial_norm }
    }
}

/// A linear function, and how near it is to the least squares solution.
///
/// [`Certificate::verify`] recomputes residuals and gradient entry by entry.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LeastSquaresCertificate {
    pub(crate) function: Linear,
    pub(crate) bias: Bias,
    pub(crate) figures: SquaresFigures,
}

impl LeastSquaresCertificate {
    /// The function that the figures are about.
    pub fn function(&self) -> &Linear {
        &self.function
    }

    /// The sum of squares and the gradients.
    pub fn figures(&self) -> SquaresFigures {
        self.figures
    }

    fn check<E: Examples + ?Sized>(
        &self,
        examples: &E,
        targets: &[f64],
        weight: impl Fn(usize) -> f64,
    ) -> Result<Verdict> {
        examples.check_dim("the weight vector", self.function.weights().len())?;
        let samples = Augmented::new(examples, self.bias, &weight);
        let offset = usize::from(samples.constant().is_some());
        let (w, bias) = (self.function.weights(), self.function.bias());
        let mut squares = Sum::default();
        let mut gradient = vec![Sum::default(); samples.dim()];
        let mut initial = gradient.clone();
        for row in (0..targets.len()).rev() {
            let (target, weight) = (targets[row], weight(row));
            let mut residual = Sum { value: bias - target, size: bias.abs() + target.abs() };
            samples.for_each_entry(row, |k, y| {
                if k >= offset {
                    residual.add(w[k - offset] * y, (w[k - offset] * y).abs());
                }
            });
            squares.add(weight * residual.value * residual.value, weight * residual.size * residual.size);
            samples.for_each_entry(row, |k, y| {
                gradient[k].add(weight * residual.value * y, weight * residual.size * y.abs());
                initial[k].add(weight * target * y, weight * (target * y).abs());
            });
        }
        compare(self.figures, squares, root(&gradient), root(&initial), targets.len() + w.len())
    }
}

/// The norm of a vector of sums.
fn root(sums: &[Sum]) -> Sum {
    let of = |f: fn(&Sum) -> f64| crate::augmented::norm(&sums.iter().map(f).collect::<Vec<_>>());
    Sum { value: of(|sum| sum.value), size: of(|sum| sum.size) }
}

fn compare(
    figures: SquaresFigures,
    squares: Sum,
    gradient: Sum,
    initial: Sum,
    terms: usize,
) -> Result<Verdict> {
    if !(squares.size.is_finite() && gradient.size.is_finite() && initial.size.is_finite()) {
        return Err(Error::Numerical { what: "the sum of squares" });
    }
    let rounding = 16.0 * f64::EPSILON * (terms as f64 + 8.0);
    let claims = [
        ("the sum of squares", figures.sum_of_squares, squares),
        ("the norm of the gradient", figures.gradient_norm, gradient),
        ("the norm of the gradient at zero", figures.initial_norm, initial),
    ];
    // Written so that NaN fails.
    let wrong = claims.iter().find(|(_, claimed, now)| !((claimed - now.value).abs() <= rounding * now.size));
    Ok(wrong.map_or(Verdict::Valid, |&(what, claimed, now)| {
        Verdict::Invalid(Discrepancy { what, claimed, recomputed: now.value, row: None })
    }))
}

/// A function over the rows of a Gram matrix, and how near it is to the least squares solution.
///
/// [`Certificate::verify`] recomputes residuals and gradient from rows of the matrix. The gradient is that of the weights
/// in the feature space.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelLeastSquaresCertificate {
    pub(crate) function: DualExpansion,
    pub(crate) bias: Bias,
    pub(crate) figures: SquaresFigures,
}

impl KernelLeastSquaresCertificate {
    /// The sum of squares and the gradients.
    pub fn figures(&self) -> SquaresFigures {
        self.figures
    }

    fn check<G: Gram + ?Sized>(
        &self,
        gram: &G,
        targets: &[f64],
        weight: impl Fn(usize) -> f64,
    ) -> Result<Verdict> {
        let len = targets.len();
        if let Some(&index) = self.function.rows().iter().find(|&&row| row >= len) {
            return Err(Error::Index { what: "row of the expansion", index, len });
        }
        let constant = squared_constant(gram, self.bias, &weight)?;
        let (mut row_of, mut residuals) = (vec![0.0; len], vec![Sum::default(); len]);
        let bias = self.function.bias();
        for (row, residual) in residuals.iter_mut().enumerate() {
            gram.fill(&[row], Columns::All, &mut row_of)?;
            *residual = Sum { value: bias - targets[row], size: bias.abs() + targets[row].abs() };
            for (&j, c) in self.function.rows().iter().zip(self.function.coefficients()) {
                residual.add(c * row_of[j], (c * row_of[j]).abs());
            }
        }
        let mut squares = Sum::default();
        let (mut gradient, mut initial) = (Sum::default(), Sum::default());
        for row in (0..len).rev() {
            gram.fill(&[row], Columns::All, &mut row_of)?;
            let (own, r, t) = (weight(row), residuals[row], targets[row]);
            squares.add(own * r.value * r.value, own * r.size * r.size);
            for (j, value) in row_of.iter().enumerate() {
                let both = own * weight(j);
                let (value, size) = (both * (value + constant), both * (value.abs() + constant));
                gradient.add(value * r.value * residuals[j].value, size * r.size * residuals[j].size);
                initial.add(value * t * targets[j], size * (t * targets[j]).abs());
            }
        }
        compare(self.figures, squares, of_square(gradient, len), of_square(initial, len), 2 * len)
    }
}

/// The root of a sum of squares that was computed by a quadratic form, with the size that its rounding is relative to.
fn of_square(sum: Sum, terms: usize) -> Sum {
    // |√a − √b| ≤ √|a − b|: where the form cancels, rounding of its terms is all that is left of it.
    let rounding = f64::EPSILON * (terms as f64 + 8.0);
    let size = (sum.size / rounding).sqrt().max(sum.size.sqrt());
    Sum { value: sum.value.max(0.0).sqrt(), size }
}

/// `β²`: what the bias adds to every kernel value.
pub(crate) fn squared_constant<G: Gram + ?Sized>(
    gram: &G,
    bias: Bias,
    weight: impl Fn(usize) -> f64,
) -> Result<f64> {
    Ok(match bias {
        Bias::Radius => {
            let present = gram.diagonal()?.into_iter().enumerate().filter(|(row, _)| weight(*row) != 0.0);
            largest(present.map(|(_, own)| own))
        }
        Bias::Standard => 1.0,
        Bias::None => 0.0,
    })
}

macro_rules! verify {
    ($certificate:ty, $seam:ident, $labels:ty, |$given:ident| $values:expr) => {
        impl<S: $seam + ?Sized> Certificate<TrainingSet<'_, S, $labels>> for $certificate {
            fn verify(&self, set: &TrainingSet<'_, S, $labels>) -> Result<Verdict> {
                let $given = set.labels();
                self.check(set.examples(), &$values[..], |row| set.weight(row))
            }
        }
    };
}

verify!(LeastSquaresCertificate, Examples, Targets, |targets| targets.values());
verify!(LeastSquaresCertificate, Examples, BinaryLabels, |labels| labels.values());
verify!(KernelLeastSquaresCertificate, Gram, Targets, |targets| targets.values());
verify!(KernelLeastSquaresCertificate, Gram, BinaryLabels, |labels| labels.values());
