//! The figures of a certificate, for people and programs.

use lm_core::multiclass::Part;
use lm_core::{DualityFigures, Stop};
use lm_online::{Trace, WinnowTrace};
use lm_qp::linear::LinearCertificate;
use lm_qp::{DualCertificate, LpCertificate};
use serde_json::{Value, json};

use super::Evidence;

/// Primal and dual value, gap and violations, where a machine has them, and what else is known.
#[derive(Debug, Clone, Default)]
pub(crate) struct Figures {
    /// The sum of the primal values of all parts.
    pub(crate) primal: Option<f64>,
    /// The sum of the dual values of all parts.
    pub(crate) dual: Option<f64>,
    /// The largest relative duality gap of a part.
    pub(crate) gap: Option<f64>,
    /// The largest violation of the optimality conditions.
    pub(crate) kkt: Option<f64>,
    /// The two-class problems that the machine is made of.
    pub(crate) parts: usize,
    /// What else the certificate says: names and values.
    pub(crate) more: Vec<(&'static str, Value)>,
}

/// Figures of a problem with two sides.
fn dual_figures(all: impl IntoIterator<Item = DualityFigures>) -> Figures {
    let mut found = Figures::default();
    let most = |a: Option<f64>, b: f64| Some(a.map_or(b, |a| a.max(b)));
    for figures in all {
        found.primal = Some(found.primal.unwrap_or(0.0) + figures.primal);
        found.dual = Some(found.dual.unwrap_or(0.0) + figures.dual);
        found.gap = most(found.gap, figures.relative_gap());
        found.kkt = most(found.kkt, figures.kkt);
        found.parts += 1;
    }
    found
}

fn of_parts<C>(parts: &[Part<C>], figures: impl Fn(&C) -> DualityFigures) -> Figures {
    dual_figures(parts.iter().map(|part| figures(&part.certificate)))
}

/// How many parts were shown to be separable, and how many not to be.
fn separability<C>(
    parts: &[Part<C>],
    separates: impl Fn(&C) -> bool,
    corrections: impl Fn(&C) -> u64,
) -> Figures {
    let separated = parts.iter().filter(|part| separates(&part.certificate)).count();
    let total: u64 = parts.iter().map(|part| corrections(&part.certificate)).sum();
    let more = vec![("parts_separated", json!(separated)), ("corrections", json!(total))];
    Figures { parts: parts.len(), more, ..Figures::default() }
}

impl Evidence {
    /// The figures that are claimed.
    pub(crate) fn figures(&self) -> Figures {
        match self {
            Self::Svc(parts) => of_parts(parts, DualCertificate::figures),
            Self::NuSvc(parts) => of_parts(parts, DualCertificate::figures),
            Self::CalibratedSvc(evidence) => of_parts(evidence.machines(), DualCertificate::figures),
            Self::CalibratedNuSvc(evidence) => of_parts(evidence.machines(), DualCertificate::figures),
            Self::LpSvc(parts) => of_parts(parts, LpCertificate::figures),
            Self::LinearSvc(parts) => of_parts(parts, LinearCertificate::figures),
            Self::Svr(own) => dual_figures([own.figures()]),
            Self::NuSvr(own) => {
                let figures = dual_figures([own.figures()]);
                Figures { more: vec![("tube", json!(own.tube()))], ..figures }
            }
            Self::OneClass(own) => dual_figures([own.figures()]),
            Self::KernelRidge(own) => {
                let more = vec![("residual_norm", json!(own.residual_norm()))];
                Figures { gap: Some(own.relative_gap()), more, ..dual_figures([own.figures()]) }
            }
            Self::Logistic(own) => {
                let mut more = Vec::new();
                if own.recession().is_some() {
                    more.push(("finite_maximum", json!(false)));
                }
                Figures { more, ..dual_figures([own.figures()]) }
            }
            Self::Perceptron(parts) => {
                separability(parts, Trace::separates, |own| own.journal().corrections())
            }
            Self::Relaxation(parts) => {
                separability(parts, Trace::separates, |own| own.journal().corrections())
            }
            Self::Winnow(parts) => {
                separability(parts, WinnowTrace::separates, |own| own.journal().corrections())
            }
            Self::HoKashyap(parts) => {
                use lm_closed::Separability::{Inseparable, Separable};
                let count = |test: fn(&lm_closed::Separability) -> bool| {
                    json!(parts.iter().filter(|part| test(&part.certificate)).count())
                };
                let more = vec![
                    ("parts_separated", count(|own| matches!(own, Separable(_)))),
                    ("parts_proven_inseparable", count(|own| matches!(own, Inseparable(_)))),
                ];
                Figures { parts: parts.len(), more, ..Figures::default() }
            }
            Self::Lda(own) => {
                let figures = own.figures();
                let more = vec![
                    ("solve_residual", json!(figures.solve_residual)),
                    ("eigen_residual", json!(figures.eigen_residual)),
                ];
                Figures { parts: 1, more, ..Figures::default() }
            }
            Self::LinearSystem(own) => {
                let mut more =
                    vec![("rank", json!(own.diagnosis().rank)), ("columns", json!(own.diagnosis().columns))];
                if let Some(figures) = own.figures() {
                    more.push(("residual_norm", json!(figures.residual_norm)));
                    more.push(("backward_error", json!(figures.backward_error)));
                }
                more.push(("condition", json!(own.diagnosis().condition)));
                Figures { parts: 1, more, ..Figures::default() }
            }
            Self::Lms(own) => {
                let more = vec![
                    ("sum_of_squares", json!(own.figures().sum_of_squares)),
                    ("relative_gradient", json!(own.figures().relative_gradient())),
                ];
                Figures { parts: 1, more, ..Figures::default() }
            }
            Self::GaussianProcess(own) => {
                let mut more = Vec::new();
                if let Some(evidence) = own.log_evidence() {
                    more.push(("log_evidence", json!(evidence)));
                }
                Figures { gap: Some(own.mean().relative_gap()), more, ..dual_figures([own.mean().figures()]) }
            }
            Self::Absent => Figures::default(),
        }
    }
}

/// Why a run ended, as programs read it.
pub(crate) fn stop_name(stop: Stop) -> &'static str {
    match stop {
        Stop::Converged => "converged",
        Stop::Iterations => "iterations",
        Stop::Time => "time",
        Stop::KernelEvaluations => "kernel-evaluations",
        Stop::Cancelled => "cancelled",
        Stop::Infeasible => "infeasible",
        _ => "stalled",
    }
}
