//! The linear programming machine: sparse, certified, and the same however it is asked for.

use std::time::Duration;

use lm_core::testing::SplitMix64;
use lm_core::{
    BinaryLabels, Budget, Certificate, Control, Dense, Error, Gram, Learner, MatrixGram, Stop, TrainingSet,
    VectorGram, VectorKernel, Weights,
};
use lm_data::svmlight;
use lm_qp::{CSvc, LpSvc};

use crate::data;

/// Two clouds in the plane that overlap.
fn clouds(len: usize, seed: u64) -> (Dense<'static>, BinaryLabels) {
    let mut random = SplitMix64::new(seed);
    let (mut rows, mut labels) = (Vec::new(), Vec::new());
    for i in 0..len {
        let shift = if i % 2 == 0 { 0.6 } else { -0.6 };
        rows.push([random.uniform(-1.5, 1.5) + shift, random.uniform(-1.5, 1.5)]);
        labels.push(i64::from(i % 2 == 0));
    }
    (Dense::from_rows(&rows).unwrap(), BinaryLabels::from_integers(&labels).unwrap())
}

/// Optima and numbers of coefficients by the dual simplex method of HiGHS, through scipy 1.17.1 (`linprog`, `highs-ds`, tolerances
/// 1e-10), on the primal program with the kernel values of scikit-learn. HiGHS leaves slacks of 1e-10, so its values are a little low.
#[test]
fn known_optima_are_reached_on_public_data() {
    for (name, gamma, cost, optimum, kept) in [
        ("heart_scale", 1.0 / 13.0, 1.0, 105.604_858_860_437, 12),
        ("heart_scale", 1.0 / 13.0, 100.0, 3_087.708_054_120, 70),
        ("diabetes_scale", 0.125, 1.0, 418.493_925_663_319, 9),
    ] {
        let Some(path) = data(&format!("{name}/train.svm.gz")) else { return };
        let set = svmlight::open::<f64>(&path, &svmlight::Options::default()).unwrap();
        let labels = BinaryLabels::from_numbers(&set.labels).unwrap();
        let gram = VectorGram::new(&set.examples, VectorKernel::gaussian(gamma).unwrap()).unwrap();
        let fit = LpSvc::default()
            .with_cost(cost)
            .with_gap(1e-10)
            .fit(&gram, &labels)
            .unwrap()
            .converged()
            .unwrap();
        let figures = fit.certificate.figures();
        assert!((figures.primal / optimum - 1.0).abs() < 1e-9, "{name}, C = {cost}: {figures:?}");
        assert_eq!(fit.model.rows().len(), kept, "{name}, C = {cost}");
        assert!(fit.certificate.verify(&TrainingSet::new(&gram, &labels).unwrap()).unwrap().is_valid());
        let quadratic = CSvc::default().with_cost(cost).fit(&gram, &labels).unwrap();
        assert!(kept < quadratic.model.rows().len());
    }
}

#[test]
fn order_repetition_and_weights_do_not_change_the_optimum() {
    for seed in 0..10 {
        let (examples, labels) = clouds(60, seed);
        let kernel = VectorKernel::gaussian(1.0).unwrap();
        let value = |rows: &[usize], weights: Option<&Weights>| {
            let picked: Vec<&[f64]> = rows.iter().map(|&row| examples.slice(row)).collect();
            let picked = Dense::from_rows(&picked).unwrap();
            let signs = BinaryLabels::new(rows.iter().map(|&row| labels.signs()[row]).collect()).unwrap();
            let gram = VectorGram::new(&picked, kernel).unwrap();
            let mut set = TrainingSet::new(&gram, &signs).unwrap();
            if let Some(weights) = weights {
                set = set.with_weights(weights).unwrap();
            }
            let fit =
                LpSvc::default().with_cost(3.0).with_gap(1e-9).fit_with(&set, &Control::default()).unwrap();
            assert_eq!(fit.report.stop, Stop::Converged, "seed {seed}");
            assert!(fit.certificate.verify(&set).unwrap().is_valid());
            fit.certificate.figures().dual
        };
        let all: Vec<usize> = (0..60).collect();
        let plain = value(&all, None);
        let mut mixed = all.clone();
        SplitMix64::new(seed).shuffle(&mut mixed);
        assert!((value(&mixed, None) / plain - 1.0).abs() < 1e-9, "seed {seed}");
        let repeated: Vec<usize> = all.iter().copied().chain(0..20).collect();
        let twice = Weights::new((0..60).map(|i| if i < 20 { 2.0 } else { 1.0 }).collect()).unwrap();
        let (a, b) = (value(&repeated, None), value(&all, Some(&twice)));
        assert!((a / b - 1.0).abs() < 1e-9, "seed {seed}: {a}, {b}");
        let fewer = Weights::new((0..60).map(|i| if i < 20 { 0.0 } else { 1.0 }).collect()).unwrap();
        let (a, b) = (value(&all[20..], None), value(&all, Some(&fewer)));
        assert!((a / b - 1.0).abs() < 1e-9, "seed {seed}: {a}, {b}");
    }
}

#[test]
fn the_same_points_in_both_classes_and_one_point_for_all_are_handled() {
    let kernels = [VectorKernel::linear(), VectorKernel::gaussian(0.5).unwrap()];
    for kernel in kernels {
        for values in [[1.0, 1.0, 2.0, 2.0], [3.0; 4]] {
            let examples = Dense::new(values.to_vec(), 4, 1).unwrap();
            let labels = BinaryLabels::from_integers(&[-1, 1, -1, 1]).unwrap();
            let gram = VectorGram::new(&examples, kernel).unwrap();
            let fit = LpSvc::default().with_cost(2.0).fit(&gram, &labels).unwrap().converged().unwrap();
            // Nothing can be told apart: every slack is 1.
            assert!((fit.certificate.figures().primal - 8.0).abs() < 1e-9);
        }
    }
}

#[test]
fn an_indefinite_kernel_is_as_good_as_any() {
    let (examples, labels) = clouds(80, 3);
    let gram = VectorGram::new(&examples, VectorKernel::sigmoid(-1.0, 0.5).unwrap()).unwrap();
    let fit =
        LpSvc::default().with_cost(2.0).with_gap(1e-9).fit(&gram, &labels).unwrap().converged().unwrap();
    assert!(fit.certificate.figures().relative_gap() <= 1e-9);
}

#[test]
fn scales_of_the_kernel_are_no_obstacle() {
    let (examples, labels) = clouds(40, 4);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(1.0).unwrap()).unwrap();
    let values = MatrixGram::computed(&gram, &Budget::default()).unwrap().into_values();
    let fit = |exponent: i32, cost: f64| {
        let scaled = values.iter().map(|k| k * 2.0_f64.powi(exponent)).collect();
        let scaled = MatrixGram::precomputed(scaled, 40).unwrap();
        let set = TrainingSet::new(&scaled, &labels).unwrap();
        let fit = LpSvc::default().with_cost(cost).fit_with(&set, &Control::default()).unwrap();
        assert!(fit.certificate.verify(&set).unwrap().is_valid(), "2^{exponent}");
        fit.converged().unwrap().certificate.figures().dual
    };
    // K·s with C/s: the coefficients are those of K divided by s, and so is the value.
    let plain = fit(0, 1.0);
    for exponent in [-300, -40, 40, 300] {
        let s = 2.0_f64.powi(exponent);
        assert!((fit(exponent, 1.0 / s) * s / plain - 1.0).abs() < 1e-9, "2^{exponent}");
    }
    // A kernel so small that no coefficient is worth its while; and one so large that a cost of 1 is a large one.
    assert!((fit(-30, 1.0) - 40.0).abs() < 1e-9);
    let (large, costly) = (fit(20, 1.0) * 2.0_f64.powi(20), fit(0, 2.0_f64.powi(20)));
    assert!((large / costly - 1.0).abs() < 1e-6, "{large}, {costly}");
}

#[test]
fn budgets_are_kept_with_an_honest_certificate() {
    let (examples, labels) = clouds(300, 5);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(2.0).unwrap()).unwrap();
    let set = TrainingSet::new(&gram, &labels).unwrap();
    let best = LpSvc::default().with_cost(10.0).fit(&gram, &labels).unwrap().converged().unwrap();
    let best = best.certificate.figures().dual;
    for iterations in [1, 5, 50] {
        let control = Control::new(Budget::default().with_iterations(iterations));
        let fit = LpSvc::default().with_cost(10.0).fit_with(&set, &control).unwrap();
        assert_eq!(fit.report.stop, Stop::Iterations);
        let figures = fit.certificate.figures();
        assert!(figures.dual <= best * (1.0 + 1e-9) && best <= figures.primal * (1.0 + 1e-9), "{figures:?}");
        assert!(fit.certificate.verify(&set).unwrap().is_valid());
    }
    let none = Control::new(Budget::default().with_time(Duration::ZERO));
    assert_eq!(LpSvc::default().fit_with(&set, &none).unwrap().report.stop, Stop::Time);
    let little = Control::new(Budget::default().with_memory(1000));
    assert!(matches!(LpSvc::default().fit_with(&set, &little), Err(Error::Memory { .. })));
}

#[test]
fn a_certificate_for_other_labels_or_another_matrix_is_found_out() {
    let (examples, labels) = clouds(40, 6);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(1.0).unwrap()).unwrap();
    let fit = LpSvc::default().fit(&gram, &labels).unwrap();
    let flipped = BinaryLabels::new(labels.signs().iter().map(|sign| sign.flipped()).collect()).unwrap();
    let mut signs = labels.signs().to_vec();
    signs.swap(0, 1);
    let swapped = BinaryLabels::new(signs).unwrap();
    assert!(!fit.certificate.verify(&TrainingSet::new(&gram, &swapped).unwrap()).unwrap().is_valid());
    let other = VectorGram::new(&examples, VectorKernel::gaussian(1.5).unwrap()).unwrap();
    assert!(!fit.certificate.verify(&TrainingSet::new(&other, &labels).unwrap()).unwrap().is_valid());
    // Exchanging the classes changes the sign of the machine and nothing else.
    let mirrored = LpSvc::default().fit(&gram, &flipped).unwrap();
    assert!((mirrored.certificate.figures().dual - fit.certificate.figures().dual).abs() < 1e-9);
    assert_eq!(gram.diagonal().unwrap().len(), 40);
}

#[test]
fn settings_outside_their_domain_are_named() {
    let (examples, labels) = clouds(10, 7);
    let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = LpSvc::default().with_cost(bad).fit(&gram, &labels);
        assert!(matches!(refused, Err(Error::Setting { name: "cost", .. })));
    }
    for bad in [0.0, 1.0, f64::NAN] {
        let refused = LpSvc::default().with_gap(bad).fit(&gram, &labels);
        assert!(matches!(refused, Err(Error::Setting { name: "gap", .. })));
    }
}
