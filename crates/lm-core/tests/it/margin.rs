//! Margins and slack: definitions, distribution, extremes.

use lm_core::basis::{FeatureMap, PolynomialMap};
use lm_core::{
    BinaryLabels, Dense, DualExpansion, Error, Linear, Margins, Sign, TrainingSet, VectorGram, VectorKernel,
};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

fn labels(values: &[i64]) -> BinaryLabels {
    BinaryLabels::from_integers(values).unwrap()
}

#[test]
fn functional_and_geometric_margins_follow_their_definitions() {
    let examples = Dense::new(vec![1.0, 2.0, -1.0, 0.0, 3.0, -4.0], 3, 2).unwrap();
    let labels = labels(&[1, -1, 1]);
    let set = TrainingSet::new(&examples, &labels).unwrap();
    let hyperplane = Linear::new(vec![3.0, 4.0], -5.0).unwrap();
    assert_eq!(Margins::functional(&hyperplane, &set).unwrap().values(), [6.0, 8.0, -12.0]);
    let geometric = Margins::geometric(&hyperplane, &set).unwrap();
    assert_eq!(geometric.values(), [1.2, 1.6, -2.4]);
    assert_eq!((geometric.minimum(), geometric.negative()), (-2.4, 1));
    // A geometric margin does not change with the length of w.
    let longer = Linear::new(vec![3e150, 4e150], -5e150).unwrap();
    for (a, b) in Margins::geometric(&longer, &set).unwrap().values().iter().zip(geometric.values()) {
        assert!((a - b).abs() <= 1e-15 * b.abs());
    }
}

#[test]
fn margins_in_a_feature_space_are_those_of_the_explicit_map() {
    let examples = Dense::new(vec![1.0, 2.0, -1.0, 0.5, 3.0, -4.0, 0.25, 0.0], 4, 2).unwrap();
    let labels = labels(&[1, -1, 1, -1]);
    let machine = DualExpansion::from_all(&[0.5, -0.25, 0.0, 1.5], -0.75).unwrap();
    for kernel in [VectorKernel::linear(), VectorKernel::polynomial(2, 1.0, 1.0).unwrap()] {
        let mapped = PolynomialMap::new(kernel, 2).unwrap().expand(&examples).unwrap();
        let hyperplane = machine.over_columns(&mapped).unwrap();
        let explicit = Margins::geometric(&hyperplane, &TrainingSet::new(&mapped, &labels).unwrap()).unwrap();
        let gram = VectorGram::new(&examples, kernel).unwrap();
        let set = TrainingSet::new(&gram, &labels).unwrap();
        let found = Margins::in_feature_space(&machine, &set).unwrap();
        for (found, expected) in found.values().iter().zip(explicit.values()) {
            assert!((found - expected).abs() <= 1e-13 * explicit.sorted()[3].abs(), "{found} {expected}");
        }
        let nothing = DualExpansion::from_all(&[0.0; 4], 1.0).unwrap();
        let refused = Margins::in_feature_space(&nothing, &set);
        assert!(matches!(refused, Err(Error::Setting { name: "norm", .. })));
    }
}

#[test]
fn slack_exceeds_gamma_exactly_on_the_wrong_side() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let decisions: Vec<f64> = (0..500).map(|_| random.random_range(-2.0..2.0)).collect();
    let integers: Vec<i64> = (0..500).map(|row| if row % 3 == 0 { -1 } else { 1 }).collect();
    let labels = labels(&integers);
    let margins = Margins::new(&decisions, &labels, 1.0).unwrap();
    for gamma in [0.01, 0.5, 3.0] {
        let slack = margins.slack(gamma).unwrap();
        let mut wrong = 0;
        for (row, &xi) in slack.values().iter().enumerate() {
            let misclassified = Sign::of(decisions[row]) != labels.signs()[row];
            assert_eq!(xi > gamma, misclassified, "row {row}");
            assert!((xi - (gamma - labels.signs()[row].value() * decisions[row]).max(0.0)).abs() == 0.0);
            wrong += usize::from(misclassified);
        }
        assert_eq!(wrong, margins.negative());
        let naive = slack.values().iter().map(|xi| xi * xi).sum::<f64>().sqrt();
        assert!((slack.norm() - naive).abs() <= 1e-13 * naive);
        assert!(slack.norm() <= slack.sum());
    }
}

#[test]
fn quantiles_run_from_the_smallest_to_the_largest() {
    let margins = Margins::new(&[4.0, 1.0, 2.0, 8.0], &labels(&[1, 1, 1, -1]), 2.0).unwrap();
    assert_eq!(margins.sorted(), [-4.0, 0.5, 1.0, 2.0]);
    assert_eq!(margins.quantile(0.0).unwrap(), -4.0);
    assert_eq!(margins.quantile(1.0).unwrap(), 2.0);
    assert_eq!(margins.quantile(0.5).unwrap(), 0.75);
    assert_eq!(margins.quantile(1.0 / 3.0).unwrap(), 0.5);
    for bad in [-0.1, 1.1, f64::NAN] {
        assert!(matches!(margins.quantile(bad), Err(Error::Setting { name: "share", .. })));
    }
    let extreme = Margins::new(&[f64::MAX, -f64::MAX], &labels(&[1, -1]), 1.0).unwrap();
    assert_eq!(extreme.quantile(0.5).unwrap(), f64::MAX);
    let opposite = Margins::new(&[f64::MAX, f64::MAX], &labels(&[1, -1]), 1.0).unwrap();
    assert_eq!(opposite.quantile(0.5).unwrap(), 0.0);
}

#[test]
fn the_norm_of_the_slack_neither_overflows_nor_vanishes() {
    for scale in [1e-200, 1.0, 1e200] {
        let margins = Margins::new(&[-2.0 * scale, 3.0 * scale], &labels(&[1, -1]), 1.0).unwrap();
        let norm = margins.slack(1.0 * scale).unwrap().norm();
        assert!((norm / (5.0 * scale) - 1.0).abs() < 1e-15, "{norm:e} at {scale:e}");
    }
    let margins = Margins::new(&[-f64::MAX, 1.0], &labels(&[1, -1]), 1.0).unwrap();
    assert!(matches!(margins.slack(f64::MAX), Err(Error::Numerical { .. })));
}

#[test]
fn bad_arguments_are_refused() {
    let two = labels(&[1, -1]);
    assert!(matches!(Margins::new(&[1.0], &two, 1.0), Err(Error::Length { .. })));
    assert!(matches!(Margins::new(&[1.0, f64::NAN], &two, 1.0), Err(Error::NonFinite { row: 1, .. })));
    for norm in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(Margins::new(&[1.0, 1.0], &two, norm), Err(Error::Setting { name: "norm", .. })));
    }
    assert!(matches!(Margins::new(&[1e300, 1.0], &two, 1e-300), Err(Error::Numerical { .. })));
    let margins = Margins::new(&[1.0, 1.0], &two, 1.0).unwrap();
    for gamma in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(margins.slack(gamma), Err(Error::Setting { name: "gamma", .. })));
    }
}
