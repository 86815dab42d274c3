//! Linear discriminant analysis: classes that share a covariance, told apart by linear functions.
//!
//! # Problem
//! ```text
//! S_W = Σ ω (x − m_c)(x − m_c)ᵗ ,   S_B = Σ W_c (m_c − m)(m_c − m)ᵗ :
//!   directions     S_B v = λ S_W v ,  the K − 1 largest λ
//!   functions      g_c(x) = (m_c − m)ᵗ Σ⁻¹ (x − m) − ½ (m_c − m)ᵗ Σ⁻¹ (m_c − m) + ln π_c ,   Σ = S_W / W
//! ```
//! # Method
//! One sweep gathers class means and `S_W` ([`ClassMoments`]). A whitening transform `T` with `TᵗS_W T = I` takes the weighted
//! class means to a `d × K` matrix `Z`; its thin singular value decomposition gives `λ = σ²` and `v = T u`, and its columns
//! give the functions. The `d × d` generalised eigenproblem is never formed. Where the scatter is ill-conditioned, `T` comes
//! from the rows themselves; where it is singular, from its pseudoinverse, and the model says so.
//! # Cost
//! `nd²` operations on all cores, then `d³/3 + d²K`; memory for some twenty `d × d` matrices, and for a copy of the examples
//! where the scatter is ill-conditioned. With fewer examples than columns `n²d` operations and memory for a few copies.
//! # Reference
//! Fisher (1936); Rao (1948); Duda, Hart & Stork (2001), sections 3.8 and 5.8; Hastie, Tibshirani & Friedman (2009), section 4.3.

mod certificate;
mod class_means;
mod class_moments;
mod leave_one_out;
mod model;
mod projection;

pub use certificate::{LdaCertificate, LdaFigures};
pub use class_moments::ClassMoments;
pub use leave_one_out::LdaLeaveOneOut;
pub use model::LdaModel;
pub use projection::Projection;

pub(crate) use class_means::ClassMeans;
pub(crate) use class_moments::roundings;

use lm_core::linalg::{Matrix, Svd};
use lm_core::multiclass::LinearMachine;
use lm_core::{ClassLabels, Control, Error, Examples, Fit, Learner, Linear, Result, Stop, TrainingSet};

use crate::centred::{Centred, gather};
use crate::shrinkage::{Shrinkage, shrunk};
use crate::whitening::Whitening;

/// How probable each class is before an example is seen.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Priors {
    /// As probable as its share in the weights of the examples.
    #[default]
    Counts,
    /// All alike.
    Equal,
    /// These numbers, in the order of the classes; above 0, with sum 1.
    Given(Vec<f64>),
}

/// Linear discriminant analysis of any number of classes.
///
/// ```
/// use lm_closed::Lda;
/// use lm_core::multiclass::Classifier;
/// use lm_core::{Certificate, Learner, TrainingSet};
///
/// let iris = lm_data::classic::iris()?;
/// let (examples, labels) = (&iris.data.examples, iris.data.classes()?);
/// let fit = Lda::default().fit(examples, &labels)?;
/// let wrong = fit.model.class_numbers(examples)?;
/// let wrong = wrong.iter().zip(labels.indices()).filter(|(found, given)| **found != **given as usize).count();
/// assert_eq!(wrong, 3);
/// assert!((fit.model.projection().eigenvalues()[0] - 32.191929198278).abs() < 1e-11);
/// assert!(fit.certificate.verify(&TrainingSet::new(examples, &labels)?)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lda {
    priors: Priors,
    shrinkage: Shrinkage,
}

impl Lda {
    /// How probable each class is beforehand. Default: [`Priors::Counts`]. It moves the functions, not the directions, whose
    /// `S_B` weighs every class by its examples.
    #[must_use]
    pub fn with_priors(self, priors: Priors) -> Self {
        Self { priors, ..self }
    }

    /// Mixes the common variance into the scatter within classes. Default: [`Shrinkage::None`]. With a share above 0 the scatter
    /// is positive definite, with fewer examples than columns too; the rule of Ledoit and Wolf costs another pass.
    #[must_use]
    pub fn with_shrinkage(self, shrinkage: Shrinkage) -> Self {
        Self { shrinkage, ..self }
    }

    fn validate(&self, classes: usize) -> Result<()> {
        self.shrinkage.validate()?;
        let Priors::Given(priors) = &self.priors else { return Ok(()) };
        if priors.len() != classes {
            return Err(Error::Length { what: "the list of priors", expected: classes, found: priors.len() });
        }
        let setting = |value, accepted| Err(Error::Setting { name: "priors", value, accepted });
        if let Some(&value) = priors.iter().find(|prior| !(**prior > 0.0 && prior.is_finite())) {
            return setting(value, "numbers > 0");
        }
        let sum: f64 = priors.iter().sum();
        if (sum - 1.0).abs() <= 1e-9 { Ok(()) } else { setting(sum, "numbers with sum 1") }
    }

    /// Solves what was gathered from a stream.
    ///
    /// # Errors
    /// [`Error::Classes`] if a class has no example, [`Error::Setting`] for a setting outside its domain, or for
    /// [`Shrinkage::LedoitWolf`], which needs the examples: give the share that
    /// [`ledoit_wolf`](crate::ledoit_wolf) finds. [`Error::Numerical`] if a weight is not finite.
    ///
    /// ```
    /// use lm_closed::{ClassMoments, Lda};
    /// use lm_core::multiclass::Classifier;
    /// use lm_core::{Dense, Learner};
    ///
    /// let iris = lm_data::classic::iris()?;
    /// let (examples, labels) = (&iris.data.examples, iris.data.classes()?);
    /// let mut moments = ClassMoments::new(labels.classes(), 4)?;
    /// for first in (0..150).step_by(50) {
    ///     let rows: Vec<&[f64]> = (first..first + 50).map(|row| examples.slice(row)).collect();
    ///     let integers: Vec<i64> = (first..first + 50).map(|row| i64::from(labels.indices()[row])).collect();
    ///     moments.add(&Dense::from_rows(&rows)?, &integers, None)?;
    /// }
    /// let streamed = Lda::default().solve(&moments)?;
    /// let whole = Lda::default().fit(examples, &labels)?.model;
    /// assert_eq!(streamed.classify(examples)?, whole.classify(examples)?);
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    pub fn solve(&self, moments: &ClassMoments) -> Result<LdaModel> {
        self.validate(moments.classes().len())?;
        let share = match self.shrinkage {
            Shrinkage::None => 0.0,
            Shrinkage::Given(share) => share,
            Shrinkage::LedoitWolf => {
                let accepted = "no shrinkage or a given share, where the examples are not at hand";
                return Err(Error::Setting { name: "shrinkage", value: f64::NAN, accepted });
            }
        };
        let means = ClassMeans::of_moments(moments);
        let scatter = shrunk(moments.scatter(), share);
        let whitening = Whitening::of_scatter(&scatter, means.weight(), &means.sizes())?;
        self.model(&means, &whitening, share)
    }

    /// Fits examples that are in range.
    fn fit_in_range<E: Examples + ?Sized>(
        &self,
        set: &TrainingSet<'_, E, ClassLabels>,
        centred: &Centred,
    ) -> Result<(LdaModel, LdaFigures)> {
        let share = match self.shrinkage {
            Shrinkage::None => 0.0,
            Shrinkage::Given(share) => share,
            Shrinkage::LedoitWolf => centred.ledoit_wolf(set)?,
        };
        let model = self.model(&centred.means, &centred.whitening(set, share)?, share)?;
        let figures = LdaFigures::measured(&model, centred, set.len())?;
        Ok((model, figures))
    }

    /// Functions and directions, from the class means and a whitening transform.
    fn model(&self, means: &ClassMeans, whitening: &Whitening, share: f64) -> Result<LdaModel> {
        let (dim, classes, total) = (means.dim, means.classes.len(), means.weight());
        let shares: Vec<f64> = means.weights.iter().map(|own| own / total).collect();
        let present = shares.iter().filter(|share| **share > 0.0).count();
        if present < classes {
            return Err(Error::Classes { found: present, accepted: "every class with an example" });
        }
        let mean = means.total_mean();
        let mut weighted = Matrix::zeros(dim, classes)?;
        for (class, (own, deviation)) in means.weights.iter().zip(means.deviations()).enumerate() {
            let column = weighted.column_mut(class).iter_mut().zip(deviation);
            column.for_each(|(to, deviation)| *to = own.sqrt() * deviation);
        }
        // Tᵗ(m_c − m)√W_c: its squared singular values are the eigenvalues.
        let z = whitening.whiten(weighted)?;
        let squares: Vec<f64> = (0..classes).map(|c| z.column(c).iter().map(|z| z * z).sum()).collect();
        let projection = projection(&z, whitening, &mean, total)?;
        let solved = whitening.unwhiten(z)?;
        let mut functions = Vec::with_capacity(classes);
        for (class, share) in shares.iter().enumerate() {
            // Σ⁻¹ = W S_W⁻¹, and the column holds √W_c of it.
            let factor = (total / share).sqrt();
            let weights: Vec<f64> = solved.column(class).iter().map(|w| factor * w).collect();
            let at_mean: f64 = weights.iter().zip(&mean).map(|(w, m)| w * m).sum();
            let prior = match &self.priors {
                Priors::Counts => *share,
                Priors::Equal => 1.0 / classes as f64,
                Priors::Given(priors) => priors[class],
            };
            functions.push(Linear::new(weights, prior.ln() - at_mean - 0.5 * squares[class] / share)?);
        }
        let machine = LinearMachine::new(means.classes.clone(), functions)?;
        LdaModel::new(machine, projection, share, whitening.rank(), whitening.condition())
    }
}

/// The directions, from the class means in whitened coordinates.
fn projection(z: &Matrix, whitening: &Whitening, mean: &[f64], total: f64) -> Result<Projection> {
    let most = z.rows().min(z.columns() - 1);
    if most == 0 {
        return Projection::new(Vec::new(), Vec::new(), Vec::new(), mean.len());
    }
    let svd = Svd::thin(z)?;
    let u = svd.u.values()[..most * z.rows()].to_vec();
    let directions = whitening.unwhiten(Matrix::from_columns(u, z.rows(), most)?)?;
    let (mut weights, mut biases) = (Vec::new(), Vec::new());
    for j in 0..most {
        let v = directions.column(j);
        let largest = v.iter().fold(0.0_f64, |largest, v| if v.abs() > largest.abs() { *v } else { largest });
        // Variance 1 within classes: vᵗ(S_W / W)v = 1.
        let factor = total.sqrt().copysign(largest);
        weights.extend(v.iter().map(|v| factor * v));
        biases.push(-factor * v.iter().zip(mean).map(|(v, m)| v * m).sum::<f64>());
    }
    let eigenvalues = svd.values[..most].iter().map(|sigma| sigma * sigma).collect();
    Projection::new(weights, biases, eigenvalues, mean.len())
}

impl<E: Examples + ?Sized> Learner<E, ClassLabels> for Lda {
    type Model = LdaModel;
    type Certificate = LdaCertificate;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, E, ClassLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<LdaModel, LdaCertificate>> {
        self.validate(set.labels().classes().len())?;
        let mut meter = control.start(1);
        let (model, figures) = match gather(set, meter.budget())? {
            (None, centred) => self.fit_in_range(set, &centred)?,
            (Some(copy), centred) => {
                let (model, figures) = self.fit_in_range(&set.over(&copy.examples)?, &centred)?;
                (model.restored(&copy)?, figures)
            }
        };
        // A closed form has one iteration, done whatever the limit.
        let _ = meter.advance(1, 0);
        let certificate = LdaCertificate::new(model.clone(), figures);
        Ok(Fit { model, report: meter.report(Stop::Converged, None), certificate })
    }
}
