//! Fisher's discriminant: the direction along which two classes lie farthest apart for their spread.
//!
//! # Problem
//! ```text
//! maximise F(w) = (m₊ − m₋)² / (s₊² + s₋²) ,     m, s² mean and scatter Σ ω(⟨w·x⟩ − m)² of each class along w
//! ```
//! # Method
//! `w = W S_W⁻¹ (m₊ − m₋)`: one solve with the scatter within classes, gathered in one sweep; with its pseudoinverse where it
//! is singular, which is said. This scale of `w` makes decision values log-odds under normal classes of a common covariance.
//! The bias is chosen by a [`Threshold`].
//! # Cost
//! `nd²` operations on all cores, then `d³/3`; the threshold of least error `O(nd + n log n)` more.
//! # Reference
//! Fisher (1936); Cristianini & Shawe-Taylor (2000), section 2.1.2; Duda, Hart & Stork (2001), sections 3.8.2 and 5.8.2.

use lm_core::double_double::dot;
use lm_core::{
    BinaryLabels, Certificate, ClassLabels, Control, Discrepancy, Error, Examples, Fit, Learner, Linear,
    Result, Sign, Stop, TrainingSet, Verdict, Weights,
};

use crate::centred::{Centred, gather};
use crate::lda::roundings;
use crate::range::InRange;
use crate::scatter_residual::{Recomputed, relative_residual, roots, size_along};
use crate::threshold::{Cut, least_error};
use crate::wrong_side::wrong_side;

/// How the bias of the discriminant is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Threshold {
    /// Halfway between the means of both classes along the direction: both are equally probable beforehand.
    #[default]
    Midpoint,
    /// The positive class has this probability beforehand, above 0 and below 1: the threshold of least error for normal classes
    /// of a common covariance.
    Prior(f64),
    /// As [`Threshold::Prior`], with the share of the positive class in the weights.
    Shares,
    /// The fewest training errors, exactly: no other threshold makes fewer.
    LeastError,
    /// That of least squares with targets ±1, of which the direction is a multiple.
    LeastSquares,
}

/// Fisher's discriminant of two classes.
///
/// ```
/// use lm_closed::{Fisher, Threshold, fisher_criterion};
/// use lm_core::{BinaryLabels, Certificate, Dense, Learner, TrainingSet};
///
/// let examples = Dense::new(vec![0.0, 0.0, 1.0, 2.0, 2.0, 1.0, 4.0, 0.0, 5.0, 2.0, 6.0, 1.5], 6, 2)?;
/// let labels = BinaryLabels::from_integers(&[-1, -1, -1, 1, 1, 1])?;
/// let set = TrainingSet::new(&examples, &labels)?;
/// let fit = Fisher::default().with_threshold(Threshold::LeastError).fit(&examples, &labels)?;
/// assert!(fit.certificate.verify(&set)?.is_valid());
/// let best = fisher_criterion(&set, fit.model.weights())?;
/// for w in [[1.0, 0.0], [0.0, 1.0], [1.0, -1.0], [2.0, 1.0]] {
///     assert!(fisher_criterion(&set, &w)? <= best);
/// }
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Fisher {
    threshold: Threshold,
}

impl Fisher {
    /// How the bias is chosen. Default: [`Threshold::Midpoint`]. [`Threshold::LeastError`] costs another pass and a sort.
    #[must_use]
    pub fn with_threshold(self, threshold: Threshold) -> Self {
        Self { threshold }
    }

    fn validate(&self) -> Result<()> {
        match self.threshold {
            Threshold::Prior(prior) if !(prior > 0.0 && prior < 1.0) => {
                Err(Error::Setting { name: "prior", value: prior, accepted: "a number between 0 and 1" })
            }
            _ => Ok(()),
        }
    }

    /// Fits examples that are in range.
    fn fit_in_range<E: Examples + ?Sized>(
        &self,
        set: &TrainingSet<'_, E, ClassLabels>,
        centred: &Centred,
        labels: &BinaryLabels,
    ) -> Result<(Linear, FisherFigures)> {
        let (examples, means) = (set.examples(), &centred.means);
        let whitening = centred.whitening(set, 0.0)?;
        let total = means.weight();
        let sides = || means.mean(1).iter().zip(means.mean(0));
        let apart: Vec<f64> = sides().map(|(positive, negative)| positive - negative).collect();
        let w: Vec<f64> = whitening.solve(&apart)?.into_iter().map(|w| total * w).collect();
        // (m₊ − m₋)ᵗ Σ⁻¹ (m₊ − m₋), the squared distance of Mahalanobis.
        let distance: f64 = w.iter().zip(&apart).map(|(w, apart)| w * apart).sum();
        let middle: f64 = w
            .iter()
            .zip(sides())
            .map(|(w, (positive, negative))| w * (0.5 * positive + 0.5 * negative))
            .sum();
        let share = means.weights[1] / total;
        let weight = |row: usize| set.weight(row);
        let bias = match self.threshold {
            Threshold::Midpoint => -middle,
            Threshold::Prior(prior) => (prior / (1.0 - prior)).ln() - middle,
            Threshold::Shares => (share / (1.0 - share)).ln() - middle,
            Threshold::LeastError => -cut(examples, &w, labels, weight)?.threshold,
            // Least squares is f = c·⟨w·(x − m)⟩ + ȳ with c = 2π₊π₋ / (1 + π₊π₋ D²); its zero is that of f/c.
            Threshold::LeastSquares => {
                let (along, product) = (middle + (share - 0.5) * distance, share * (1.0 - share));
                (2.0 * share - 1.0) * (1.0 + product * distance) / (2.0 * product) - along
            }
        };
        let model = Linear::new(w, bias)?;
        let figures = FisherFigures {
            criterion: distance / total,
            errors: wrong(examples, &model, labels, weight),
            residual: measured(&model, centred, &apart, examples.len())?,
            rank: whitening.rank(),
            condition: whitening.condition(),
        };
        Ok((model, figures))
    }
}

/// What is left of `S_W w = W(m₊ − m₋)`, with the rounding of the sums added.
fn measured(model: &Linear, centred: &Centred, apart: &[f64], len: usize) -> Result<f64> {
    let (means, w) = (&centred.means, model.weights());
    let (roots, sizes, total) = (roots(&centred.diagonal()), means.sizes(), means.weight());
    let along = size_along(&roots, w);
    let rhs: Vec<f64> = apart.iter().map(|apart| total * apart).collect();
    let entry = 4.0 * f64::EPSILON * (roundings(len, means.dim) + means.dim as f64);
    let doubt = |i: usize| entry * (roots[i] * along + rhs[i].abs()) + 8.0 * f64::EPSILON * total * sizes[i];
    let product = centred.products(&[w.to_vec()])?;
    Ok(relative_residual(&product[0], &roots, along, &rhs, doubt))
}

/// The best cut of the examples along `w`.
fn cut<E: Examples + ?Sized>(
    examples: &E,
    w: &[f64],
    labels: &BinaryLabels,
    weight: impl Fn(usize) -> f64,
) -> Result<Cut> {
    let mut values = vec![0.0; examples.len()];
    examples.dots(0..examples.len(), w, &mut values);
    least_error(&values, |row| labels.signs()[row], weight)
}

/// The weight of the examples on the wrong side.
fn wrong<E: Examples + ?Sized>(
    examples: &E,
    model: &Linear,
    labels: &BinaryLabels,
    weight: impl Fn(usize) -> f64,
) -> f64 {
    let side = |row: usize| Sign::of(examples.dot(row, model.weights()) + model.bias());
    (0..examples.len()).filter(|&row| side(row) != labels.signs()[row]).map(weight).sum()
}

/// Fisher's criterion `F(w) = (m₊ − m₋)²/(s₊² + s₋²)` of a direction: the squared distance of the class means along it, over
/// the sum of the scatters `Σ ω(⟨w·x⟩ − m)²` of both classes. Weights that make both classes count 1 turn scatters into
/// variances. It is infinite where the classes differ and do not scatter, and 0 where they do not differ.
///
/// # Errors
/// [`Error::Length`] for a direction of another dimension, [`Error::NonFinite`] if it is not finite, [`Error::Numerical`] if a
/// sum overflows.
pub fn fisher_criterion<E: Examples + ?Sized>(
    set: &TrainingSet<'_, E, BinaryLabels>,
    direction: &[f64],
) -> Result<f64> {
    set.examples().check_dim("the direction", direction.len())?;
    if let Some(row) = direction.iter().position(|w| !w.is_finite()) {
        return Err(Error::NonFinite { what: "direction", row, column: None });
    }
    let values: Vec<f64> = (0..set.len()).map(|row| set.examples().dot(row, direction)).collect();
    let side = |sign: Sign| {
        let rows = || (0..set.len()).filter(move |&row| set.labels().signs()[row] == sign);
        let total: f64 = rows().map(|row| set.weight(row)).sum();
        let pilot = rows().next().map_or(0.0, |row| values[row]);
        let mean = pilot + rows().map(|row| set.weight(row) * (values[row] - pilot)).sum::<f64>() / total;
        let scatter: f64 = rows().map(|row| set.weight(row) * (values[row] - mean).powi(2)).sum();
        (mean, scatter)
    };
    let ((positive, of_positive), (negative, of_negative)) = (side(Sign::Positive), side(Sign::Negative));
    let (apart, scatter) = ((positive - negative).powi(2), of_positive + of_negative);
    if !(apart.is_finite() && scatter.is_finite()) {
        return Err(Error::Numerical { what: "Fisher's criterion" });
    }
    Ok(if apart == 0.0 { 0.0 } else { apart / scatter })
}

/// What a discriminant claims of itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FisherFigures {
    /// The value of Fisher's criterion along the direction: the largest there is, unless the scatter is singular.
    pub criterion: f64,
    /// The weight of the training examples on the wrong side.
    pub errors: f64,
    /// An upper bound of what is left of `S_W w = W(m₊ − m₋)`, relative to the size of its terms. Near 1 where the scatter is
    /// singular and the class means differ outside of its range.
    pub residual: f64,
    /// The number of independent directions in which the classes scatter.
    pub rank: usize,
    /// The condition of the scatter, its columns scaled to a common size; infinite if it is singular.
    pub condition: f64,
}

/// A discriminant and its figures.
///
/// [`Certificate::verify`] takes class means and scatter from the examples anew, in double-double arithmetic, and recounts the
/// errors; where the threshold is the one of least error, it finds the least error anew.
#[derive(Debug, Clone, PartialEq)]
pub struct FisherCertificate {
    model: Linear,
    threshold: Threshold,
    figures: FisherFigures,
}

impl FisherCertificate {
    /// The figures that are claimed.
    pub fn figures(&self) -> FisherFigures {
        self.figures
    }

    /// The residual and the criterion, in double-double arithmetic.
    fn recomputed<E: Examples + ?Sized>(
        &self,
        examples: &E,
        w: &[f64],
        labels: &BinaryLabels,
        weight: &(dyn Fn(usize) -> f64 + Sync),
    ) -> Result<(f64, f64)> {
        let class = |row: usize| usize::from(labels.signs()[row] == Sign::Positive);
        let found = Recomputed::of(examples, 2, class, weight, &[w.to_vec()])?;
        let (apart, total) = (found.difference(1, 0), found.weight());
        let (roots, rhs) =
            (roots(&found.diagonal), apart.iter().map(|apart| total * apart).collect::<Vec<_>>());
        let left = relative_residual(&found.products[0], &roots, size_along(&roots, w), &rhs, |_| 0.0);
        let (along, scatter) = (dot(w, &apart).value(), dot(w, &found.products[0]).value());
        Ok((left, if along == 0.0 { 0.0 } else { along * along / scatter }))
    }
}

impl<E: Examples + ?Sized> Certificate<TrainingSet<'_, E, BinaryLabels>> for FisherCertificate {
    fn verify(&self, set: &TrainingSet<'_, E, BinaryLabels>) -> Result<Verdict> {
        let (examples, w) = (set.examples(), self.model.weights());
        examples.check_dim("the weight vector", w.len())?;
        let weight = |row: usize| set.weight(row);
        let (residual, criterion) = match InRange::of(examples)? {
            None => self.recomputed(examples, w, set.labels(), &weight)?,
            Some(copy) => self.recomputed(&copy.examples, &copy.carried(w), set.labels(), &weight)?,
        };
        let FisherFigures { criterion: claimed, errors, residual: bound, .. } = self.figures;
        let invalid = |what, claimed, recomputed| {
            Ok(Verdict::Invalid(Discrepancy { what, claimed, recomputed, row: None }))
        };
        // All checks are written so that NaN fails.
        if !(residual <= bound) {
            return invalid("the residual of the direction", bound, residual);
        }
        // The criterion of a vector that solves its system but for the residual.
        if !((criterion - claimed).abs() <= (1e-9 + 4.0 * bound) * claimed.max(criterion)) {
            return invalid("Fisher's criterion", claimed, criterion);
        }
        let rounding = 1e-12 * set.weights().map_or(set.len() as f64, Weights::total);
        let (least, most) = wrong_side(&self.model, set)?;
        if !(least - rounding <= errors && errors <= most + rounding) {
            return invalid("the weight of the errors", errors, least);
        }
        if self.threshold == Threshold::LeastError {
            let best = cut(examples, w, set.labels(), |row| set.weight(row))?.errors;
            if !(errors <= best + rounding) {
                return invalid("the least weight of errors along the direction", errors, best);
            }
        }
        Ok(Verdict::Valid)
    }
}

impl<E: Examples + ?Sized> Learner<E, BinaryLabels> for Fisher {
    type Model = Linear;
    type Certificate = FisherCertificate;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, E, BinaryLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<Linear, FisherCertificate>> {
        self.validate()?;
        let labels = set.labels();
        let mut meter = control.start(1);
        let integers: Vec<i64> = labels.signs().iter().map(|sign| sign.value() as i64).collect();
        let classes = ClassLabels::from_integers(&integers)?;
        let given = TrainingSet::new(set.examples(), &classes)?;
        let given = set.weights().map_or(Ok(given), |weights| given.with_weights(weights))?;
        let (model, figures) = match gather(&given, meter.budget())? {
            (None, centred) => self.fit_in_range(&given, &centred, labels)?,
            (Some(copy), centred) => {
                let (model, figures) = self.fit_in_range(&given.over(&copy.examples)?, &centred, labels)?;
                (copy.restored(&model)?, figures)
            }
        };
        // A closed form has one iteration, done whatever the limit.
        let _ = meter.advance(1, 0);
        let certificate = FisherCertificate { model: model.clone(), threshold: self.threshold, figures };
        Ok(Fit { model, report: meter.report(Stop::Converged, None), certificate })
    }
}
