//! The evidence for a machine as a model file keeps it, and its verification against data.

use lm_closed::{
    GaussianProcessCertificate, KernelRidgeCertificate, LdaCertificate, LinearSystemCertificate,
    LogisticCertificate, Separability,
};
use lm_core::multiclass::Part;
use lm_core::{Certificate, Discrepancy, Gram, Result, VectorGram, VectorKernel, Verdict};
use lm_online::{LeastSquaresCertificate, PerceptronRule, RelaxationRule, Trace, WinnowTrace};
use lm_qp::linear::{LinearCertificate, LinearSvc};
use lm_qp::{
    CSvc, CalibratedEvidence, DualCertificate, EpsilonSvr, LpCertificate, NuSvc, NuSvr, OneClass, Unlabelled,
};
use serde::{Deserialize, Serialize};

use super::fit::{two_sided, weighted};
use super::{Machine, Training, supports};
use crate::failure::{Failure, Outcome};
use crate::settings::Settings;

/// What was shown of a machine.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Evidence {
    Svc(Vec<Part<DualCertificate<CSvc>>>),
    NuSvc(Vec<Part<DualCertificate<NuSvc>>>),
    CalibratedSvc(CalibratedEvidence<CSvc>),
    CalibratedNuSvc(CalibratedEvidence<NuSvc>),
    LpSvc(Vec<Part<LpCertificate>>),
    LinearSvc(Vec<Part<LinearCertificate<LinearSvc>>>),
    Perceptron(Vec<Part<Trace<PerceptronRule>>>),
    Relaxation(Vec<Part<Trace<RelaxationRule>>>),
    Winnow(Vec<Part<WinnowTrace>>),
    HoKashyap(Vec<Part<Separability>>),
    Lda(LdaCertificate),
    Logistic(LogisticCertificate),
    Svr(DualCertificate<EpsilonSvr>),
    NuSvr(DualCertificate<NuSvr>),
    OneClass(DualCertificate<OneClass>),
    KernelRidge(KernelRidgeCertificate),
    LinearSystem(LinearSystemCertificate),
    Lms(LeastSquaresCertificate),
    GaussianProcess(GaussianProcessCertificate),
    /// A model of another program comes without evidence.
    Absent,
}

impl Evidence {
    /// Recomputes everything that is claimed, and compares the machine with the one that the claims are about.
    pub(crate) fn verify(
        &self,
        machine: &Machine,
        settings: &Settings,
        training: &Training<'_>,
    ) -> Outcome<Verdict> {
        let examples = training.examples;
        let kernel = settings.kernel.unwrap_or_else(VectorKernel::linear);
        match self {
            Self::Absent => Err(Failure::new(
                "the model was made by another program and has no certificate; train it with `lm train` to get one",
            )),
            Self::Svr(_) | Self::NuSvr(_) | Self::KernelRidge(_) => {
                let labels = training.targets(settings.machine)?;
                let weights = training.all_weights(settings, None)?;
                let set = weighted(examples, &labels, weights.as_ref())?;
                let gram = VectorGram::new(examples, kernel)?;
                let gram: &dyn Gram = &gram;
                let over = set.over(gram)?;
                let verdict = match self {
                    Self::Svr(certificate) => certificate.verify(&over)?,
                    Self::NuSvr(certificate) => certificate.verify(&over)?,
                    Self::KernelRidge(certificate) => certificate.verify(&over)?,
                    _ => nothing(),
                };
                and_same(verdict, || supports::function_is(self, machine, examples, kernel))
            }
            Self::OneClass(certificate) => {
                let labels = Unlabelled::new(examples.len());
                let weights = training.all_weights(settings, None)?;
                let set = weighted(examples, &labels, weights.as_ref())?;
                let gram = VectorGram::new(examples, kernel)?;
                let gram: &dyn Gram = &gram;
                let verdict = certificate.verify(&set.over(gram)?)?;
                and_same(verdict, || supports::function_is(self, machine, examples, kernel))
            }
            Self::LinearSystem(_) | Self::Lms(_) | Self::GaussianProcess(_) => {
                let labels = training.targets(settings.machine)?;
                let weights = training.all_weights(settings, None)?;
                let set = weighted(examples, &labels, weights.as_ref())?;
                let verdict = match self {
                    Self::LinearSystem(certificate) => certificate.verify(&set)?,
                    Self::Lms(certificate) => certificate.verify(&set)?,
                    Self::GaussianProcess(certificate) => certificate.verify(&set)?,
                    _ => nothing(),
                };
                and_same(verdict, || supports::function_is(self, machine, examples, kernel))
            }
            _ => self.verify_classes(machine, settings, training, kernel),
        }
    }

    fn verify_classes(
        &self,
        machine: &Machine,
        settings: &Settings,
        training: &Training<'_>,
        kernel: VectorKernel,
    ) -> Outcome<Verdict> {
        let labels = training.class_labels()?;
        let weights = training.all_weights(settings, Some(&labels))?;
        let set = weighted(training.examples, &labels, weights.as_ref())?;
        // Prepared for the machines with a kernel only.
        let gram = match self {
            Self::Svc(_)
            | Self::NuSvc(_)
            | Self::LpSvc(_)
            | Self::CalibratedSvc(_)
            | Self::CalibratedNuSvc(_) => Some(VectorGram::new(training.examples, kernel)?),
            _ => None,
        };
        if let Some(gram) = &gram {
            let over = set.over(gram)?;
            let verdict = match self {
                Self::Svc(parts) => parts.verify(&over)?,
                Self::NuSvc(parts) => parts.verify(&over)?,
                Self::LpSvc(parts) => parts.verify(&over)?,
                Self::CalibratedSvc(evidence) => evidence.verify(&over)?,
                Self::CalibratedNuSvc(evidence) => evidence.verify(&over)?,
                _ => nothing(),
            };
            return and_same(verdict, || supports::classifier_is(self, machine, &set, kernel));
        }
        let verdict = match self {
            Self::LinearSvc(parts) => parts.verify(&set)?,
            Self::Perceptron(parts) => parts.verify(&set)?,
            Self::Relaxation(parts) => parts.verify(&set)?,
            Self::Winnow(parts) => parts.verify(&set)?,
            Self::HoKashyap(parts) => parts.verify(&set)?,
            Self::Lda(certificate) => certificate.verify(&set)?,
            Self::Logistic(certificate) => match two_sided(&labels)? {
                Some((signs, _)) => {
                    certificate.verify(&weighted(training.examples, &signs, set.weights())?)?
                }
                None => certificate.verify(&set)?,
            },
            _ => nothing(),
        };
        and_same(verdict, || supports::classifier_is(self, machine, &set, kernel))
    }
}

/// No evidence is no proof.
fn nothing() -> Verdict {
    Verdict::Invalid(Discrepancy { what: "the evidence", claimed: 1.0, recomputed: 0.0, row: None })
}

/// The verdict, and if it is good, whether the machine is the one that the evidence is about.
fn and_same(verdict: Verdict, same: impl FnOnce() -> Result<bool>) -> Outcome<Verdict> {
    if !verdict.is_valid() {
        return Ok(verdict);
    }
    let what = "that the stored machine is the one that the certificate is about,";
    Ok(match same()? {
        true => verdict,
        false => Verdict::Invalid(Discrepancy { what, claimed: 1.0, recomputed: 0.0, row: None }),
    })
}
