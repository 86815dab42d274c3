//! The minimum squared error classifier: least squares toward a margin for each example.
//!
//! # Problem
//! ```text
//! minimise ‖Y a − b‖²   over a = (w₀, w) ,   row i of Y being yᵢ·(1, xᵢ) ,   b > 0 given
//! ```
//! # Method
//! `yᵢ(aᵗ(1, xᵢ)) − bᵢ` and `aᵗ(1, xᵢ) − yᵢbᵢ` differ by a sign only, so `a = Y†b` is the [`LeastSquares`] fit to targets `yᵢbᵢ`. With
//! `b = 1` it tends to the best linear approximation of `P(+|x) − P(−|x)` as examples grow in number; with `b = n/n₊` and `n/n₋` for
//! the two classes its direction is Fisher's and `w₀ = −mᵗw`. It need not separate what can be separated.
//! # Cost
//! That of least squares: `nd²` operations on all cores.
//! # Reference
//! Duda, Hart & Stork (2001), sections 5.8.1 to 5.8.3.

use lm_core::{
    BinaryLabels, Certificate, Control, Error, Examples, Fit, Learner, Linear, Result, Sign, Targets,
    TrainingSet, Verdict,
};

use crate::{LeastSquares, LinearSystemCertificate};

/// The margin vector `b`.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum MarginVector {
    /// 1 for every example.
    #[default]
    Ones,
    /// The weight of all examples over that of the class: `n/n₊` and `n/n₋`, which leads to Fisher's discriminant.
    Fisher,
    /// A number above 0 for each example.
    Given(Vec<f64>),
}

impl MarginVector {
    /// The targets `yᵢbᵢ`.
    fn targets<E: Examples + ?Sized>(&self, set: &TrainingSet<'_, E, BinaryLabels>) -> Result<Targets> {
        let signs = set.labels().signs();
        let of = |margin: &dyn Fn(usize) -> f64| {
            Targets::new(signs.iter().enumerate().map(|(row, sign)| sign.value() * margin(row)).collect())
        };
        match self {
            Self::Ones => of(&|_| 1.0),
            Self::Fisher => {
                let weight = |sign: Sign| -> f64 {
                    (0..set.len()).filter(|&row| signs[row] == sign).map(|row| set.weight(row)).sum()
                };
                let (positive, negative) = (weight(Sign::Positive), weight(Sign::Negative));
                let total = positive + negative;
                of(&|row| total / if signs[row] == Sign::Positive { positive } else { negative })
            }
            Self::Given(margins) => {
                if margins.len() != set.len() {
                    let (expected, found) = (set.len(), margins.len());
                    return Err(Error::Length { what: "the margin vector", expected, found });
                }
                of(&|row| margins[row])
            }
        }
    }
}

/// The minimum squared error classifier.
///
/// ```
/// use lm_closed::MseClassifier;
/// use lm_core::{BinaryLabels, Certificate, Dense, Learner, TrainingSet};
///
/// let examples = Dense::new(vec![1.0, 2.0, 2.0, 0.0, 3.0, 1.0, 2.0, 3.0], 4, 2)?;
/// let labels = BinaryLabels::from_integers(&[1, 1, -1, -1])?;
/// let fit = MseClassifier::default().fit(&examples, &labels)?;
/// let (w, bias) = (fit.model.weights(), fit.model.bias());
/// assert!((bias - 11.0 / 3.0).abs() < 1e-14);
/// assert!((w[0] + 4.0 / 3.0).abs() < 1e-14 && (w[1] + 2.0 / 3.0).abs() < 1e-14);
/// assert!(fit.certificate.verify(&TrainingSet::new(&examples, &labels)?)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MseClassifier {
    margins: MarginVector,
}

impl MseClassifier {
    /// The margins to be approached. Default: [`MarginVector::Ones`].
    #[must_use]
    pub fn with_margins(self, margins: MarginVector) -> Self {
        Self { margins }
    }

    fn validate(&self) -> Result<()> {
        let MarginVector::Given(margins) = &self.margins else { return Ok(()) };
        match margins.iter().find(|margin| !(**margin > 0.0 && margin.is_finite())) {
            Some(&value) => Err(Error::Setting { name: "margins", value, accepted: "finite numbers > 0" }),
            None => Ok(()),
        }
    }
}

/// The evidence for a least squares solution toward margins.
///
/// [`Certificate::verify`] makes the targets anew and checks the [`LinearSystemCertificate`] against them.
#[derive(Debug, Clone, PartialEq)]
pub struct MseCertificate {
    margins: MarginVector,
    system: LinearSystemCertificate,
}

impl MseCertificate {
    /// The evidence for the system that was solved: figures, rank and condition.
    pub fn system(&self) -> &LinearSystemCertificate {
        &self.system
    }
}

/// The same examples and weights with targets for labels.
fn with_targets<'a, E: Examples + ?Sized>(
    set: &TrainingSet<'a, E, BinaryLabels>,
    targets: &'a Targets,
) -> Result<TrainingSet<'a, E, Targets>> {
    let with = TrainingSet::new(set.examples(), targets)?;
    set.weights().map_or(Ok(with), |weights| with.with_weights(weights))
}

impl<E: Examples + ?Sized> Certificate<TrainingSet<'_, E, BinaryLabels>> for MseCertificate {
    fn verify(&self, set: &TrainingSet<'_, E, BinaryLabels>) -> Result<Verdict> {
        let targets = self.margins.targets(set)?;
        self.system.verify(&with_targets(set, &targets)?)
    }
}

impl<E: Examples + ?Sized> Learner<E, BinaryLabels> for MseClassifier {
    type Model = Linear;
    type Certificate = MseCertificate;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, E, BinaryLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<Linear, MseCertificate>> {
        self.validate()?;
        let targets = self.margins.targets(set)?;
        let Fit { model, report, certificate: system } =
            LeastSquares::default().fit_with(&with_targets(set, &targets)?, control)?;
        Ok(Fit { model, report, certificate: MseCertificate { margins: self.margins.clone(), system } })
    }
}
