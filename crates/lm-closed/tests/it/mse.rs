//! The minimum squared error classifier, and what it has in common with Fisher's discriminant.

use lm_closed::{Fisher, Lda, MarginVector, MseClassifier, Threshold};
use lm_core::testing::conformance::{Suite, assert_conforms};
use lm_core::{Certificate, Control, Error, Learner, TrainingSet, Weights};

use crate::fisher::{classes, sets, with_bias};

/// The largest difference between two vectors after both were given length 1.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    let norm = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
    let (of_a, of_b) = (norm(a), norm(b));
    a.iter().zip(b).map(|(a, b)| (a / of_a - b / of_b).abs()).fold(0.0, f64::max)
}

#[test]
fn least_squares_on_signs_is_a_multiple_of_fishers_discriminant() {
    for (at, (examples, labels)) in sets().iter().enumerate() {
        let mse = MseClassifier::default().fit(examples, labels).unwrap().model;
        let squares: Vec<f64> = mse.weights().iter().copied().chain([mse.bias()]).collect();
        // The weights are proportional, and so is the bias of the least squares threshold.
        let off = apart(&squares, &with_bias(Threshold::LeastSquares, examples, labels));
        assert!(off < 1e-10, "set {at}: {off:e}");
        let lda = Lda::default().fit(examples, &classes(labels)).unwrap().model;
        let off = apart(mse.weights(), lda.machine().boundary(1, 0).unwrap().weights());
        assert!(off < 1e-10, "set {at}: {off:e}");
    }
}

#[test]
fn margins_of_fisher_lead_to_his_discriminant_with_the_bias_of_the_mean() {
    for (at, (examples, labels)) in sets().iter().enumerate() {
        let mse =
            MseClassifier::default().with_margins(MarginVector::Fisher).fit(examples, labels).unwrap().model;
        let fisher = Fisher::default().fit(examples, labels).unwrap().model;
        assert!(apart(mse.weights(), fisher.weights()) < 1e-10, "set {at}");
        let len = labels.signs().len();
        let mean = |k: usize| (0..len).map(|row| examples.slice(row)[k]).sum::<f64>() / len as f64;
        let at_mean: f64 = mse.weights().iter().enumerate().map(|(k, w)| w * mean(k)).sum();
        assert!((mse.bias() + at_mean).abs() < 1e-10 * (1.0 + at_mean.abs()), "set {at}");
    }
}

#[test]
fn given_margins_are_approached_and_checked() {
    let (examples, labels) = sets().swap_remove(9);
    let given = MseClassifier::default().with_margins(MarginVector::Given(vec![-1.0; 100]));
    assert!(matches!(given.fit(&examples, &labels), Err(Error::Setting { name: "margins", .. })));
    let few = MseClassifier::default().with_margins(MarginVector::Given(vec![1.0; 3]));
    assert!(matches!(few.fit(&examples, &labels), Err(Error::Length { .. })));
    let halves: Vec<f64> = (0..100).map(|row| 0.5 + (row % 4) as f64).collect();
    let weights = Weights::new((0..100).map(|row| (row % 3) as f64).collect()).unwrap();
    let set = TrainingSet::new(&examples, &labels).unwrap().with_weights(&weights).unwrap();
    let fit = MseClassifier::default()
        .with_margins(MarginVector::Given(halves))
        .fit_with(&set, &Control::default())
        .unwrap();
    assert!(fit.certificate.verify(&set).unwrap().is_valid());
    assert!(!fit.certificate.verify(&TrainingSet::new(&examples, &labels).unwrap()).unwrap().is_valid());
}

#[test]
fn mse_classifier_conforms() {
    for margins in [MarginVector::Ones, MarginVector::Fisher] {
        let learner = MseClassifier::default().with_margins(margins);
        assert_conforms(&Suite::binary(&learner).persistent().certified());
    }
}
