//! Real data over the whole range of settings: every fit ends, and what says that it converged has the gap it claims.
//!
//! The sets are public and not part of this repository; without them there is nothing to run. `LM_WIDE=1` takes all small
//! sets with all of their rows, which takes the better part of an hour.

use std::time::{Duration, Instant};

use lm_core::{
    BinaryLabels, Budget, Certificate, Control, Dense, DualExpansion, Error, Fit, Gram as _, Labelling,
    Learner, Result, Selection, Stop, Targets, TrainingSet, VectorGram, VectorKernel,
};
use lm_data::scaling::{Scaler, Scaling};
use lm_data::svmlight;
use lm_qp::{
    CSvc, DualCertificate, EpsilonSvr, Formulation, MaximalMargin, NuSvc, NuSvr, QuadraticSvr, TwoNormSvc,
};

use crate::data;

const GAP: f64 = 1e-6;
const LIMIT: Duration = Duration::from_secs(20);

type Gram<'a> = VectorGram<'a, Selection<'a, Dense<'static>>>;

type Fitted<F> = Result<Fit<DualExpansion, DualCertificate<F>>>;

fn is_wide() -> bool {
    std::env::var_os("LM_WIDE").is_some()
}

/// The kernels, and whether each is one of inner products: the last one may have no gap to close.
fn kernels() -> Vec<(VectorKernel, bool)> {
    let exponents: Vec<i32> = if is_wide() { (-3..=2).collect() } else { vec![-3, -1, 0, 2] };
    let gaussian = |e: &i32| VectorKernel::gaussian(10.0_f64.powi(*e)).unwrap();
    let laplacian = |e: &i32| VectorKernel::laplacian(10.0_f64.powi(*e)).unwrap();
    let mut kernels: Vec<(VectorKernel, bool)> = exponents.iter().map(|e| (gaussian(e), true)).collect();
    kernels.extend(exponents.iter().filter(|_| is_wide()).map(|e| (laplacian(e), true)));
    kernels.push((VectorKernel::linear(), true));
    kernels.push((VectorKernel::polynomial(3, 0.1, 1.0).unwrap(), true));
    kernels.push((VectorKernel::laplacian(0.1).unwrap(), true));
    kernels.push((VectorKernel::sigmoid(0.1, 0.0).unwrap(), false));
    kernels
}

/// The columns of a set between −1 and 1, as users are told to scale them, and its labels.
fn set(name: &str) -> Option<(Dense<'static>, Vec<f64>)> {
    let path = data(&format!("{name}/train.svm.gz"))?;
    let set = svmlight::open::<f64>(&path, &svmlight::Options::default()).unwrap();
    let scaler = Scaler::fit(&set.examples, Scaling::MinMax { low: -1.0, high: 1.0 }).unwrap();
    Some((scaler.apply(&set.examples).unwrap(), set.labels))
}

fn rows(len: usize) -> Vec<usize> {
    // Every so many, so that sets sorted by class keep both.
    let most = if is_wide() { len } else { len.min(300) };
    (0..most).map(|k| k * len / most).collect()
}

/// Fits within the limit, and holds the fit to what it says of itself.
fn held<L: Labelling, F: Formulation<L>>(
    what: &str,
    set: &TrainingSet<'_, Gram<'_>, L>,
    inner: bool,
    fit: &dyn Fn(&Control<'_>) -> Fitted<F>,
) -> Stop {
    let started = Instant::now();
    let fit = match fit(&Control::new(Budget::default().with_time(LIMIT))) {
        Ok(fit) => fit,
        // Without bounds on the coefficients a kernel that is no inner product may have no minimum.
        Err(Error::Numerical { .. }) if !inner => return Stop::Infeasible,
        Err(error) => panic!("{what}: {error}"),
    };
    let (figures, report) = (fit.certificate.figures(), &fit.report);
    let took = started.elapsed();
    let what = format!("{what}: {figures:?}, {report:?}, {took:?}");
    assert!(took < LIMIT + Duration::from_secs(5), "{what}");
    assert!(fit.certificate.verify(set).unwrap().is_valid(), "{what}");
    // Next to nothing as an optimum has no six digits: it ends as stalled, and its gap is small beside the data.
    let tiny = figures.primal - figures.dual
        <= 1e-16 * set.examples().diagonal().unwrap().iter().fold(0.0, |a: f64, b| a.max(*b));
    assert!(!inner || tiny || matches!(report.stop, Stop::Converged | Stop::Infeasible), "{what}");
    if report.stop == Stop::Converged {
        assert!(figures.relative_gap() <= GAP, "{what}");
    }
    report.stop
}

#[test]
fn every_classifier_ends_and_says_truly_whether_it_converged() {
    let mut names =
        vec!["heart_scale", "sonar_scale", "ionosphere_scale", "australian_scale", "breast-cancer_scale"];
    if is_wide() {
        names.extend([
            "diabetes_scale",
            "german_numer_scale",
            "fourclass_scale",
            "splice",
            "svmguide3",
            "sk_iris",
            "sk_wine",
        ]);
    }
    for name in names {
        let Some((examples, labels)) = set(name) else { return };
        let rows = rows(labels.len());
        let signs: Vec<f64> =
            rows.iter().map(|&row| if labels[row] == labels[0] { 1.0 } else { -1.0 }).collect();
        let labels = BinaryLabels::from_numbers(&signs).unwrap();
        let smaller =
            signs.iter().filter(|s| **s > 0.0).count().min(signs.iter().filter(|s| **s < 0.0).count());
        let nu = 0.5 * smaller as f64 / signs.len() as f64;
        let examples = Selection::new(&examples, &rows).unwrap();
        for (kernel, inner) in kernels() {
            let gram = VectorGram::new(&examples, kernel).unwrap();
            let set = TrainingSet::new(&gram, &labels).unwrap();
            for exponent in -3..=6 {
                let cost = 10.0_f64.powi(exponent);
                let what = format!("{name}, {kernel:?}, C = {cost}");
                held(&what, &set, inner, &|control| {
                    CSvc::default().with_cost(cost).with_gap(GAP).fit_with(&set, control)
                });
                if is_wide() || exponent % 3 == 0 {
                    let what = format!("{what}, 2-norm");
                    held(&what, &set, inner, &|control| {
                        TwoNormSvc::default().with_cost(cost).with_gap(GAP).fit_with(&set, control)
                    });
                }
            }
            held(&format!("{name}, {kernel:?}, ν"), &set, inner, &|control| {
                NuSvc::default().with_nu(nu).with_gap(GAP).fit_with(&set, control)
            });
            held(&format!("{name}, {kernel:?}, hard"), &set, inner, &|control| {
                MaximalMargin::default().with_gap(GAP).fit_with(&set, control)
            });
        }
    }
}

#[test]
fn every_regression_ends_and_says_truly_whether_it_converged() {
    let names = if is_wide() { vec!["housing", "mg_scale", "sk_diabetes"] } else { vec!["mg_scale"] };
    for name in names {
        let Some((examples, targets)) = set(name) else { return };
        let rows = rows(targets.len());
        let targets = Targets::new(rows.iter().map(|&row| targets[row]).collect()).unwrap();
        let examples = Selection::new(&examples, &rows).unwrap();
        for (kernel, inner) in kernels() {
            let gram = VectorGram::new(&examples, kernel).unwrap();
            let set = TrainingSet::new(&gram, &targets).unwrap();
            for exponent in [-3, -1, 1, 3, 5] {
                let cost = 10.0_f64.powi(exponent);
                let what = format!("{name}, {kernel:?}, C = {cost}");
                held(&what, &set, inner, &|control| {
                    EpsilonSvr::default().with_cost(cost).with_gap(GAP).fit_with(&set, control)
                });
                held(&what, &set, inner, &|control| {
                    QuadraticSvr::default().with_cost(cost).with_gap(GAP).fit_with(&set, control)
                });
                held(&what, &set, inner, &|control| {
                    NuSvr::default().with_cost(cost * 300.0).with_gap(GAP).fit_with(&set, control)
                });
            }
        }
    }
}
