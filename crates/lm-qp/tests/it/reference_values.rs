//! Optima computed by others to eleven digits and more.
//!
//! The values for heart_scale come from an interior-point solver run to a gap of 1e-12, those of the four problems of
//! Maros and Mészáros from their collection. The data are public and not part of this repository: a test reads them from
//! the folder that `LM_DATA` names, or from the one beside the checkout, and has nothing to compare where there is none.

use std::fs::File;
use std::io::BufReader;

use lm_core::{
    BinaryLabels, Certificate, Control, Dense, Learner, MatrixGram, Stop, TrainingSet, VectorGram,
    VectorKernel,
};
use lm_data::svmlight;
use lm_qp::{Balance, CSvc, DualProblem, MaximalMargin, Method, Solver};

use crate::data;

const BOTH: [Method; 2] = [Method::Automatic, Method::InteriorPoint];

#[test]
fn heart_scale_reaches_the_known_optima() {
    let Some(path) = data("heart_scale/train.svm.gz") else { return };
    let set = svmlight::open::<f64>(&path, &svmlight::Options::default()).unwrap();
    let labels = BinaryLabels::from_numbers(&set.labels).unwrap();
    let gaussian = VectorKernel::gaussian(1.0 / 13.0).unwrap();
    for (kernel, cost, optimum) in [
        (VectorKernel::linear(), 1.0, 92.473_374_620_169_5),
        (VectorKernel::linear(), 100.0, 8_987.159_989_12),
        (VectorKernel::linear(), 1000.0, 89_845.916_640_234_1),
        (VectorKernel::linear(), 1e4, 898_433.483_15),
        (gaussian, 1.0, 100.877_291_556_940),
        (gaussian, 100.0, 2_526.925_624_16),
        (gaussian, 1000.0, 4_815.724_990_026_43),
        (gaussian, 1e4, 4_980.411_669_96),
    ] {
        let gram = VectorGram::new(&set.examples, kernel).unwrap();
        for method in BOTH {
            let machine = CSvc::default()
                .with_cost(cost)
                .with_solver(Solver::default().with_gap(1e-12).with_method(method));
            let fit = machine.fit(&gram, &labels).unwrap().converged().unwrap();
            let figures = fit.certificate.figures();
            let off = figures.dual / optimum - 1.0;
            assert!(off.abs() <= 1e-11, "{kernel:?}, C = {cost}, {method:?}: {figures:?}, {off:e} off");
            assert!(fit.certificate.verify(&TrainingSet::new(&gram, &labels).unwrap()).unwrap().is_valid());
        }
    }
}

#[test]
fn what_numbers_of_this_precision_cannot_reach_is_said() {
    let Some(path) = data("heart_scale/train.svm.gz") else { return };
    let set = svmlight::open::<f64>(&path, &svmlight::Options::default()).unwrap();
    let labels = BinaryLabels::from_numbers(&set.labels).unwrap();
    for kernel in [VectorKernel::linear(), VectorKernel::gaussian(1.0 / 13.0).unwrap()] {
        let gram = VectorGram::new(&set.examples, kernel).unwrap();
        // A slope of a rounding times a room of 10⁶ is more than this share of the optimum.
        let fit = CSvc::default().with_cost(1e6).with_gap(1e-14).fit(&gram, &labels).unwrap();
        let gap = fit.certificate.figures().relative_gap();
        assert_eq!(fit.report.stop, Stop::Stalled, "{kernel:?}: {gap:e}");
        assert!(gap > 1e-14 && gap < 1e-9, "{kernel:?}: {gap:e}");
        assert!(fit.report.iterations < 1_000_000, "{kernel:?}: {:?}", fit.report);
    }
}

#[test]
fn the_dual_problems_of_the_collection_have_nine_digits() {
    for (name, optimum) in [
        ("DUAL1", 0.0350129657334899),
        ("DUAL2", 0.0337336761227336),
        ("DUAL3", 0.135755836866045),
        ("DUAL4", 0.746090841802119),
    ] {
        let Some(path) = data(&format!("maros_meszaros/{name}.json")) else { return };
        let stored: serde_json::Value =
            serde_json::from_reader(BufReader::new(File::open(path).unwrap())).unwrap();
        let n = stored["n"].as_u64().unwrap() as usize;
        let mut values = vec![0.0; n * n];
        for entry in stored["P"].as_array().unwrap() {
            let at = |k: usize| entry[k].as_u64().unwrap() as usize;
            values[at(0) * n + at(1)] = entry[2].as_f64().unwrap();
        }
        let slopes: Vec<f64> =
            stored["q"].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect();
        let gram = MatrixGram::precomputed(values, n).unwrap();
        let problem = DualProblem::new(vec![0.0; n], vec![1.0; n], slopes, Balance::Total(1.0)).unwrap();
        for method in BOTH {
            let solver = Solver::default().with_gap(1e-12).with_method(method);
            let found = problem.minimise(&gram, &solver, &Control::default()).unwrap();
            let value = -found.figures.dual;
            assert!((value / optimum - 1.0).abs() < 1e-11, "{name}, {method:?}: {value}");
            let bounds = problem.enclosure(&gram, &found.coefficients, found.multipliers).unwrap();
            assert!(bounds.at_least <= bounds.at_most && bounds.relative_gap() < 2e-12, "{name}: {bounds:?}");
        }
    }
}

#[test]
fn exclusive_or_is_exact() {
    let examples = Dense::new(vec![1.0, 1.0, -1.0, -1.0, 1.0, -1.0, -1.0, 1.0], 4, 2).unwrap();
    let labels = BinaryLabels::from_integers(&[1, 1, -1, -1]).unwrap();
    let gram = VectorGram::new(&examples, VectorKernel::polynomial(2, 1.0, 1.0).unwrap()).unwrap();
    for method in BOTH {
        let solver = Solver::default().with_gap(1e-15).with_method(method);
        let hard = MaximalMargin::default().with_solver(solver).fit(&gram, &labels).unwrap();
        for (c, sign) in hard.model.coefficients().iter().zip([1.0, 1.0, -1.0, -1.0]) {
            assert!((c - sign / 8.0).abs() < 1e-15, "{method:?}: {c}");
        }
        assert!((hard.certificate.margin_at_most() - 2.0_f64.sqrt()).abs() < 1e-15);
        let soft = CSvc::default().with_cost(1e3).with_solver(solver).fit(&gram, &labels).unwrap();
        assert!((soft.model.norm_squared(&gram).unwrap() - 0.5).abs() < 1e-15);
        assert!(soft.model.bias().abs() < 1e-15);
    }
}

#[test]
fn two_points_have_the_multiplier_of_the_textbook() {
    let examples = Dense::new(vec![3.0, 4.0, 0.0, 0.0], 2, 2).unwrap();
    let labels = BinaryLabels::from_integers(&[1, -1]).unwrap();
    let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
    let fit =
        CSvc::default().with_cost(10.0).with_gap(1e-12).fit(&gram, &labels).unwrap().converged().unwrap();
    for &alpha in &fit.certificate.alpha() {
        assert!((alpha - 2.0 / 25.0).abs() < 1e-15);
    }
}

#[test]
fn two_points_that_a_single_precision_cache_cannot_tell_apart_take_a_handful_of_steps() {
    // Exact in integers: q = 19 999 600 011, α = 8/q. A solver that rounds kernel values to 24 bits runs on and on.
    let examples = Dense::new(vec![1.0, 99_999.0, 2.0, 99_999.0], 2, 2).unwrap();
    let labels = BinaryLabels::from_integers(&[1, -1]).unwrap();
    let gram = VectorGram::new(&examples, VectorKernel::polynomial(2, 0.5, 0.0).unwrap()).unwrap();
    for method in [Method::Pairs, Method::Automatic, Method::InteriorPoint] {
        let solver = Solver::default().with_method(method);
        let fit = CSvc::default().with_solver(solver).fit(&gram, &labels).unwrap();
        for &alpha in &fit.certificate.alpha() {
            assert!((alpha * 19_999_600_011.0 / 8.0 - 1.0).abs() < 1e-5, "{method:?}: {alpha:e}");
        }
        assert!(method == Method::InteriorPoint || fit.report.iterations <= 8, "{:?}", fit.report);
    }
}
