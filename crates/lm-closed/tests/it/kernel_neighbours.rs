//! Nearest neighbours in a feature space: the classes they give, ties, and the conformance suite.

use lm_closed::{KernelNeighbours, NeighboursModel};
use lm_core::multiclass::Classifier;
use lm_core::testing::conformance::{Suite, assert_conforms};
use lm_core::{Certificate, ClassLabels, Dense, Error, Learner, TrainingSet, VectorKernel};

#[test]
fn with_a_gaussian_kernel_the_neighbours_are_those_of_the_plane() {
    // K(x, z) falls with the distance, so that the order of the neighbours is the same.
    let iris = lm_data::classic::iris().unwrap().data;
    let labels = ClassLabels::from_numbers(&iris.labels).unwrap();
    let kernels = [VectorKernel::linear(), VectorKernel::gaussian(0.2).unwrap()];
    let [plain, gaussian] = kernels
        .map(|kernel| KernelNeighbours::new(kernel).with_neighbours(7).fit(&iris.examples, &labels).unwrap());
    assert_eq!(
        plain.model.classify(&iris.examples).unwrap(),
        gaussian.model.classify(&iris.examples).unwrap()
    );
    assert_eq!(plain.certificate.errors(), gaussian.certificate.errors());
    assert!(plain.certificate.errors() < 10.0);
    let set = TrainingSet::new(&iris.examples, &labels).unwrap();
    assert!(plain.certificate.verify(&set).unwrap().is_valid());
}

#[test]
fn ties_are_said() {
    let examples = Dense::new(vec![-1.0, 1.0, 5.0, -5.0], 4, 1).unwrap();
    let labels = ClassLabels::from_integers(&[3, 8, 8, 3]).unwrap();
    let learner = KernelNeighbours::new(VectorKernel::linear()).with_neighbours(1);
    let model = learner.fit(&examples, &labels).unwrap().model;
    let votes = model.votes(&Dense::new(vec![0.0, 0.9], 2, 1).unwrap()).unwrap();
    assert!(votes[0].tied && votes[0].shared_distance && votes[0].winner == 0);
    assert!(!votes[1].tied && !votes[1].shared_distance && votes[1].winner == 1);
}

#[test]
fn a_file_that_contradicts_itself_is_refused() {
    let examples = Dense::new(vec![0.0, 1.0, 2.0], 3, 1).unwrap();
    let labels = ClassLabels::from_integers(&[1, 2, 2]).unwrap();
    let model = KernelNeighbours::new(VectorKernel::linear()).fit(&examples, &labels).unwrap().model;
    let good = serde_json::to_value(&model).unwrap();
    assert_eq!(serde_json::from_value::<NeighboursModel>(good.clone()).unwrap(), model);
    for (field, value) in [
        ("neighbours", serde_json::json!(0)),
        ("numbers", serde_json::json!([0, 1, 2])),
        ("numbers", serde_json::json!([0, 1])),
        ("weights", serde_json::json!([1.0, 0.0, 1.0])),
        ("classes", serde_json::json!([2, 1])),
    ] {
        let mut bad = good.clone();
        bad[field] = value;
        assert!(serde_json::from_value::<NeighboursModel>(bad).is_err(), "{field}");
    }
    let none = KernelNeighbours::new(VectorKernel::linear()).with_neighbours(0).fit(&examples, &labels);
    assert!(matches!(none, Err(Error::Setting { name: "neighbours", .. })));
}

#[test]
fn kernel_neighbours_conform() {
    for kernel in [VectorKernel::gaussian(0.5).unwrap(), VectorKernel::linear()] {
        let learner = KernelNeighbours::new(kernel).with_neighbours(3);
        assert_conforms(&Suite::classes(&learner).persistent().certified());
    }
}
