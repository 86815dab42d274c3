//! Machines of this crate as model files that LIBSVM reads, and starts from models that it wrote.
//!
//! `tests/data/iris_pairs.model` was written by the first test with `LM_WRITE_MODELS=1`; `iris_pairs.expected` holds what LIBSVM
//! 3.37 says with it (`tests/data/iris_pairs.py`).

use lm_core::multiclass::{Classifier, OnSharedRows, OneVsOne};
use lm_core::{Dense, Folds, Hypothesis, Learner, OverVectors, Targets, VectorKernel};
use lm_data::classic::iris;
use lm_data::libsvm::{self, Task};
use lm_qp::{CSvc, EpsilonSvr, WithProbabilities};

const MODEL: &str = include_str!("../data/iris_pairs.model");
const EXPECTED: &str = include_str!("../data/iris_pairs.expected");

/// Points, and LIBSVM's decision values, predictions and probabilities.
type Answers = (Dense<'static>, Vec<Vec<f64>>, Vec<f64>, Vec<Vec<f64>>);

fn points() -> Answers {
    let (mut x, mut f, mut y, mut p) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for line in EXPECTED.lines() {
        let (kind, rest) = line.split_once(' ').unwrap();
        let numbers: Vec<f64> = rest.split(' ').map(|word| word.parse().unwrap()).collect();
        match kind {
            "x" => x.push(numbers),
            "f" => f.push(numbers),
            "y" => y.push(numbers[0]),
            _ => p.push(numbers),
        }
    }
    let rows: Vec<&[f64]> = x.iter().map(|row| &**row).collect();
    (Dense::from_rows(&rows).unwrap(), f, y, p)
}

#[test]
fn a_machine_of_pairs_decides_in_libsvm_as_it_does_here() {
    let data = iris().unwrap().data;
    let folds = Folds::new((0..150).map(|row| row % 5).collect()).unwrap();
    let machine = WithProbabilities::new(CSvc::default().with_cost(2.0).with_gap(1e-10), folds);
    let learner = OverVectors::new(machine, VectorKernel::gaussian(0.4).unwrap());
    let fit = learner.fit(&data.examples, &data.classes().unwrap()).unwrap().converged().unwrap();
    let mut text = Vec::new();
    libsvm::write(&mut text, &libsvm::Model::from_calibrated(&fit.model).unwrap()).unwrap();
    if std::env::var_os("LM_WRITE_MODELS").is_some() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/iris_pairs.model");
        std::fs::write(path, &text).unwrap();
    }
    let (points, decisions, predicted, probabilities) = points();
    assert_eq!(predicted.len(), 12);
    // The file as it was written once, and a fit of today.
    for (text, tolerance) in [(MODEL.as_bytes(), 1e-12), (&text[..], 1e-4)] {
        let model = libsvm::read(text).unwrap();
        assert_eq!(model.labels(), [2, 1, 0]);
        let found = model.decisions(&points).unwrap();
        for (row, expected) in decisions.iter().enumerate() {
            for (a, b) in found.row(row).unwrap().iter().zip(expected) {
                assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{a} and {b}");
            }
        }
        assert_eq!(model.predict(&points).unwrap(), predicted);
        let found = model.probabilities(&points).unwrap().unwrap();
        for (row, expected) in found.rows().zip(&probabilities) {
            // LIBSVM ends its iteration early.
            assert!(row.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.01));
        }
        let here = fit.model.classify(&points).unwrap();
        assert_eq!(here.iter().map(|&class| class as f64).collect::<Vec<_>>(), predicted);
    }
}

#[test]
fn every_machine_survives_the_way_through_a_file() {
    let data = iris().unwrap().data;
    let kernels = [
        VectorKernel::linear(),
        VectorKernel::polynomial(3, 0.25, 1.0).unwrap(),
        VectorKernel::gaussian(0.4).unwrap(),
        VectorKernel::sigmoid(0.01, -0.5).unwrap(),
    ];
    let through = |model: &libsvm::Model| {
        let mut text = Vec::new();
        libsvm::write(&mut text, model).unwrap();
        libsvm::read(&text[..]).unwrap()
    };
    let targets = Targets::new((0..150).map(|row| data.examples.slice(row)[0]).collect()).unwrap();
    for kernel in kernels {
        let learner = OverVectors::new(OnSharedRows::new(OneVsOne::new(CSvc::default())), kernel);
        let model = learner.fit(&data.examples, &data.classes().unwrap()).unwrap().model;
        let again = through(&libsvm::Model::from_pairs(&model).unwrap()).to_pairs().unwrap();
        let (a, b) = (model.decisions(&data.examples).unwrap(), again.decisions(&data.examples).unwrap());
        assert!(a.values().iter().zip(b.values()).all(|(a, b)| (a - b).abs() <= 1e-11 * (1.0 + a.abs())));
        let learner = OverVectors::new(EpsilonSvr::default(), kernel);
        let model = learner.fit(&data.examples, &targets).unwrap().model;
        let again =
            through(&libsvm::Model::from_function(Task::EpsilonSvr, &model).unwrap()).to_function().unwrap();
        let (a, b) =
            (model.decision_values(&data.examples).unwrap(), again.decision_values(&data.examples).unwrap());
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= 1e-11 * (1.0 + a.abs())));
    }
}
