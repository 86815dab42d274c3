//! Linear machines on public data sets: optima computed by others, and every cost within the budget.
//!
//! The data sets are not part of this repository: the tests read them from the folder that `LM_DATA` names, or from the
//! one beside the checkout, and have nothing to compare where there is none.

use std::time::Duration;

use lm_core::{BinaryLabels, Budget, Certificate, Control, Csr, Dense, Learner, Stop, Targets, TrainingSet};
use lm_data::svmlight;
use lm_qp::Bias;
use lm_qp::linear::{LinearSolver, LinearSvc, LinearSvr, SvcLoss, SvrLoss};

fn data(name: &str) -> Option<(Csr<'static>, Vec<f64>)> {
    let path = crate::data(&format!("{name}/train.svm.gz"))?;
    let set = svmlight::open::<f64>(&path, &svmlight::Options::default()).unwrap();
    Some((set.examples.into_owned(), set.labels))
}

/// Objectives that LIBLINEAR 2.50 (the Python package liblinear-official) ends with for `-B 1 -e 1e-12`, evaluated at its
/// weights in double precision. Its hinge solver stops at 300 passes, short of that tolerance for larger costs, so that its
/// value bounds the optimum from above.
#[test]
fn heart_scale_has_the_optima_of_liblinear() {
    let Some((examples, labels)) = data("heart_scale") else { return };
    let labels = BinaryLabels::from_numbers(&labels).unwrap();
    let set = TrainingSet::new(&examples, &labels).unwrap();
    for (loss, cost, objective, exact) in [
        (SvcLoss::Hinge, 0.01, 1.450_223_686_924_779_5, true), // -s 3
        (SvcLoss::Hinge, 0.1, 10.481_990_066_214_037, false),
        (SvcLoss::Hinge, 1.0, 92.970_789_262_595_89, false),
        (SvcLoss::SquaredHinge, 0.01, 1.429_175_684_578_601_4, true), // -s 1 and -s 2
        (SvcLoss::SquaredHinge, 0.1, 12.063_203_234_543_376, true),
        (SvcLoss::SquaredHinge, 1.0, 115.137_422_875_232_8, true),
    ] {
        let machine = LinearSvc::default().with_loss(loss).with_cost(cost).with_bias(Bias::Penalised);
        let fit = machine.with_gap(1e-12).fit_with(&set, &Control::default()).unwrap().converged().unwrap();
        let figures = fit.certificate.figures();
        assert!(figures.primal <= objective * (1.0 + 1e-12), "{loss:?}, C = {cost}: {figures:?}");
        if exact {
            assert!((figures.primal / objective - 1.0).abs() <= 1e-11, "{loss:?}, C = {cost}: {figures:?}");
        } else {
            assert!(figures.primal >= objective * (1.0 - 2e-4), "{loss:?}, C = {cost}: {figures:?}");
        }
    }
}

/// As above, for regression with `-p 0.1`: `-s 13` for the plain loss, `-s 11` and `-s 12` for the squared one.
#[test]
fn mg_scale_has_the_optima_of_liblinear() {
    let Some((examples, targets)) = data("mg_scale") else { return };
    let targets = Targets::new(targets).unwrap();
    let set = TrainingSet::new(&examples, &targets).unwrap();
    for (loss, cost, objective, exact) in [
        (SvrLoss::EpsilonInsensitive, 0.1, 6.358_664_254_555_371, false),
        (SvrLoss::EpsilonInsensitive, 1.0, 59.334_378_728_841_635, false),
        (SvrLoss::SquaredEpsilonInsensitive, 0.1, 1.285_763_641_066_876_5, true),
        (SvrLoss::SquaredEpsilonInsensitive, 1.0, 8.766_522_618_063_042, true),
    ] {
        let machine = LinearSvr::default().with_loss(loss).with_cost(cost).with_bias(Bias::Penalised);
        let fit = machine.with_gap(1e-12).fit_with(&set, &Control::default()).unwrap().converged().unwrap();
        let figures = fit.certificate.figures();
        assert!(figures.primal <= objective * (1.0 + 1e-12), "{loss:?}, C = {cost}: {figures:?}");
        let short = if exact { 1e-11 } else { 2e-3 };
        assert!(figures.primal >= objective * (1.0 - short), "{loss:?}, C = {cost}: {figures:?}");
    }
}

/// The optimum of the hinge with a free bias, from an interior-point solver run to a gap of 1e-12.
#[test]
fn heart_scale_reaches_the_known_optimum_with_a_free_bias() {
    let Some((examples, labels)) = data("heart_scale") else { return };
    let labels = BinaryLabels::from_numbers(&labels).unwrap();
    let fit = LinearSvc::default().with_gap(1e-13).fit(&examples, &labels).unwrap().converged().unwrap();
    let figures = fit.certificate.figures();
    assert!((figures.primal / 92.473_374_620_169_5 - 1.0).abs() <= 1e-12, "{figures:?}");
    assert!((figures.dual / 92.473_374_620_169_5 - 1.0).abs() <= 1e-12, "{figures:?}");
}

#[test]
fn scaled_sets_reach_a_gap_of_1e_9_at_every_cost() {
    let names = [
        "heart_scale",
        "australian_scale",
        "breast-cancer_scale",
        "diabetes_scale",
        "fourclass_scale",
        "german_numer_scale",
        "ionosphere_scale",
        "sonar_scale",
        "splice",
        "svmguide3",
    ];
    for name in names {
        let Some((sparse, labels)) = data(name) else { continue };
        let examples = Dense::copied(&sparse).unwrap();
        let labels = BinaryLabels::from_numbers(&labels).unwrap();
        let set = TrainingSet::new(&examples, &labels).unwrap();
        for cost in [1e-3, 1.0, 1e2, 1e4, 1e6] {
            for loss in [SvcLoss::Hinge, SvcLoss::SquaredHinge] {
                for bias in [Bias::Free, Bias::Penalised] {
                    let machine = LinearSvc::default().with_loss(loss).with_cost(cost).with_bias(bias);
                    let fit = machine.with_gap(1e-9).fit_with(&set, &Control::default()).unwrap();
                    let figures = fit.certificate.figures();
                    let what = format!("{name}, {loss:?}, {bias:?}, C = {cost}: {figures:?}");
                    assert_eq!(fit.report.stop, Stop::Converged, "{what}");
                    assert!(figures.relative_gap() <= 1e-9, "{what}");
                    assert!(fit.certificate.verify(&set).unwrap().is_valid(), "{what}");
                }
            }
        }
    }
}

#[test]
fn a9a_reaches_a_gap_of_1e_9() {
    let Some((examples, labels)) = data("a9a") else { return };
    let labels = BinaryLabels::from_numbers(&labels).unwrap();
    let set = TrainingSet::new(&examples, &labels).unwrap();
    for cost in [1e-3, 1.0, 1e4] {
        let fit = LinearSvc::default().with_cost(cost).with_gap(1e-9).fit_with(&set, &Control::default());
        let figures = fit.unwrap().converged().unwrap().certificate.figures();
        assert!(figures.relative_gap() <= 1e-9, "C = {cost}: {figures:?}");
    }
    // The other solver, as far as it gets in reasonable time.
    let descent = LinearSvc::default().with_solver(LinearSolver::DualCoordinateDescent).with_gap(1e-5);
    let fit = descent.fit_with(&set, &Control::default()).unwrap().converged().unwrap();
    let figures = fit.certificate.figures();
    // The optimum of C = 1, by Newton steps to a gap of 1e-15.
    assert!((figures.primal / 1.143_338_723_7e4 - 1.0).abs() <= 1e-5, "{figures:?}");
}

/// Raw columns of very different sizes, too: each run ends, and says what it has reached.
#[test]
fn regressions_end_within_the_budget_and_are_honest() {
    for name in ["housing", "mg_scale", "sk_diabetes", "space_ga", "abalone", "cpusmall"] {
        let Some((sparse, targets)) = data(name) else { continue };
        let examples = Dense::copied(&sparse).unwrap();
        let targets = Targets::new(targets).unwrap();
        let set = TrainingSet::new(&examples, &targets).unwrap();
        for cost in [1e-3, 1.0, 1e3, 1e6] {
            for loss in [SvrLoss::EpsilonInsensitive, SvrLoss::SquaredEpsilonInsensitive] {
                let machine = LinearSvr::default().with_loss(loss).with_cost(cost);
                let control = Control::new(Budget::default().with_time(Duration::from_secs(20)));
                let fit = machine.fit_with(&set, &control).unwrap();
                let figures = fit.certificate.figures();
                let what = format!("{name}, {loss:?}, C = {cost}: {figures:?}");
                assert!(fit.certificate.verify(&set).unwrap().is_valid(), "{what}");
                assert_eq!(fit.report.stop == Stop::Converged, figures.relative_gap() <= 1e-6, "{what}");
                assert_ne!(fit.report.stop, Stop::Time, "{what}");
                // Only the set whose columns differ by seven orders of magnitude may stall, and near the goal.
                let allowed = if name == "space_ga" { 1e-4 } else { 1e-6 };
                assert!(figures.relative_gap() <= allowed, "{what}");
            }
        }
    }
}
