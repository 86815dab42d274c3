//! Optima computed by others to twelve digits and more.
//!
//! The values for heart_scale come from an interior-point solver run to a gap of 1e-12. The data set is public and not
//! part of this repository: the test reads it from the folder that `LM_DATA` names, or from the one beside the
//! checkout, and has nothing to compare where there is none.

use std::path::PathBuf;

use lm_core::{BinaryLabels, Certificate, Dense, Learner, TrainingSet, VectorGram, VectorKernel};
use lm_data::svmlight;
use lm_qp::CSvc;

fn data(name: &str) -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("LM_DATA").map_or(beside, PathBuf::from);
    Some(folder.join(name).join("train.svm.gz")).filter(|path| path.is_file())
}

#[test]
fn heart_scale_reaches_the_known_optima() {
    let Some(path) = data("heart_scale") else { return };
    let set = svmlight::open::<f64>(&path, &svmlight::Options::default()).unwrap();
    let labels = BinaryLabels::from_numbers(&set.labels).unwrap();
    let gaussian = VectorKernel::gaussian(1.0 / 13.0).unwrap();
    for (kernel, cost, optimum) in [
        (VectorKernel::linear(), 1.0, 92.473_374_620_169_5),
        (gaussian, 1.0, 100.877_291_556_940),
        (gaussian, 100.0, 2_526.925_624_16),
        (gaussian, 1000.0, 4_815.724_990_026_43),
    ] {
        let gram = VectorGram::new(&set.examples, kernel).unwrap();
        let fit =
            CSvc::default().with_cost(cost).with_gap(1e-9).fit(&gram, &labels).unwrap().converged().unwrap();
        let figures = fit.certificate.figures();
        assert!((figures.dual / optimum - 1.0).abs() <= 1e-9, "{kernel:?}, C = {cost}: {figures:?}");
        assert!(figures.primal >= optimum * (1.0 - 1e-12) && figures.dual <= optimum * (1.0 + 1e-12));
        assert!(fit.certificate.verify(&TrainingSet::new(&gram, &labels).unwrap()).unwrap().is_valid());
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
