//! Fisher's discriminant: its criterion, its thresholds, and what it has in common with least squares.

use lm_closed::{Fisher, Lda, Priors, Threshold, fisher_criterion};
use lm_core::testing::SplitMix64;
use lm_core::{
    BinaryLabels, Certificate, ClassLabels, Dense, Error, Hypothesis, Learner, Sign, TrainingSet, Weights,
};

/// Two slanted clouds of unequal size, or two species of iris.
pub(crate) fn sets() -> Vec<(Dense<'static>, BinaryLabels)> {
    let mut sets = Vec::new();
    for seed in 0..8 {
        let mut random = SplitMix64::new(seed);
        let (len, dim) = (20 + 30 * seed as usize, 1 + seed as usize);
        let mut rows: Vec<Vec<f64>> = Vec::new();
        let mut signs = Vec::new();
        for at in 0..len {
            let side = if at % 3 == 0 { 1.0 } else { -1.0 };
            let common = random.uniform(-2.0, 2.0);
            rows.push(
                (0..dim).map(|k| 10.0 + common + 0.4 * side * k as f64 + random.uniform(-1.0, 1.0)).collect(),
            );
            signs.push(Sign::of(side));
        }
        sets.push((Dense::from_rows(&rows).unwrap(), BinaryLabels::new(signs).unwrap()));
    }
    let iris = lm_data::classic::iris().unwrap().data;
    for (positive, negative) in [(1.0, 2.0), (0.0, 1.0), (2.0, 0.0)] {
        let rows: Vec<usize> =
            (0..150).filter(|&row| [positive, negative].contains(&iris.labels[row])).collect();
        let values: Vec<&[f64]> = rows.iter().map(|&row| iris.examples.slice(row)).collect();
        let signs = rows
            .iter()
            .map(|&row| if iris.labels[row] == positive { Sign::Positive } else { Sign::Negative });
        sets.push((Dense::from_rows(&values).unwrap(), BinaryLabels::new(signs.collect()).unwrap()));
    }
    sets
}

pub(crate) fn with_bias(threshold: Threshold, examples: &Dense<'static>, labels: &BinaryLabels) -> Vec<f64> {
    let model = Fisher::default().with_threshold(threshold).fit(examples, labels).unwrap().model;
    model.weights().iter().copied().chain([model.bias()]).collect()
}

#[test]
fn no_direction_has_a_larger_criterion() {
    for (at, (examples, labels)) in sets().iter().enumerate() {
        let set = TrainingSet::new(examples, labels).unwrap();
        let fit = Fisher::default().fit(examples, labels).unwrap();
        let best = fisher_criterion(&set, fit.model.weights()).unwrap();
        assert!((fit.certificate.figures().criterion - best).abs() <= 1e-11 * best, "set {at}");
        let mut random = SplitMix64::new(at as u64);
        for _ in 0..50 {
            let near: Vec<f64> = fit
                .model
                .weights()
                .iter()
                .map(|w| {
                    w * (1.0 + random.uniform(-0.3, 0.3)) + random.uniform(-0.01, 0.01) * fit.model.norm()
                })
                .collect();
            assert!(fisher_criterion(&set, &near).unwrap() <= best * (1.0 + 1e-12), "set {at}");
        }
    }
}

pub(crate) fn classes(labels: &BinaryLabels) -> ClassLabels {
    let integers: Vec<i64> = labels.signs().iter().map(|sign| sign.value() as i64).collect();
    ClassLabels::from_integers(&integers).unwrap()
}

#[test]
fn thresholds_are_those_of_the_machine_of_two_classes() {
    for (examples, labels) in &sets() {
        for (threshold, priors) in [
            (Threshold::Midpoint, Priors::Equal),
            (Threshold::Shares, Priors::Counts),
            (Threshold::Prior(0.9), Priors::Given(vec![0.1, 0.9])),
        ] {
            let lda = Lda::default().with_priors(priors).fit(examples, &classes(labels)).unwrap().model;
            let boundary = lda.machine().boundary(1, 0).unwrap();
            let fisher = with_bias(threshold, examples, labels);
            let size = fisher.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
            for (a, b) in fisher.iter().zip(boundary.weights().iter().chain([&boundary.bias()])) {
                assert!((a - b).abs() < 1e-10 * size, "{threshold:?}: {a} and {b}");
            }
        }
    }
}

#[test]
fn the_threshold_of_least_error_makes_no_more_errors_than_any_other() {
    for (at, (examples, labels)) in sets().iter().enumerate() {
        let set = TrainingSet::new(examples, labels).unwrap();
        let errors = |threshold| {
            let fit = Fisher::default().with_threshold(threshold).fit(examples, labels).unwrap();
            let found = fit.model.signs(examples).unwrap();
            let wrong = found.iter().zip(labels.signs()).filter(|(found, given)| found != given).count();
            assert!((fit.certificate.figures().errors - wrong as f64).abs() < 1e-9, "set {at}");
            assert!(fit.certificate.verify(&set).unwrap().is_valid(), "set {at}, {threshold:?}");
            wrong
        };
        let least = errors(Threshold::LeastError);
        for other in [Threshold::Midpoint, Threshold::Shares, Threshold::LeastSquares, Threshold::Prior(0.2)]
        {
            assert!(least <= errors(other), "set {at}");
        }
    }
}

#[test]
fn weights_that_balance_the_classes_turn_scatters_into_variances() {
    let (examples, labels) = sets().swap_remove(3);
    let set = TrainingSet::new(&examples, &labels).unwrap();
    let count = |sign: Sign| labels.count(sign) as f64;
    let weights =
        Weights::new(labels.signs().iter().map(|sign| 1.0 / count(*sign)).collect::<Vec<_>>()).unwrap();
    let balanced = set.with_weights(&weights).unwrap();
    let w = [0.3, -1.0, 0.7, 0.1];
    let along = |sign: Sign| -> Vec<f64> {
        let rows = (0..set.len()).filter(|&row| labels.signs()[row] == sign);
        rows.map(|row| examples.slice(row).iter().zip(w).map(|(x, w)| x * w).sum()).collect()
    };
    let mean_and_variance = |values: Vec<f64>| {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        (mean, values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64)
    };
    let ((m, v), (n, u)) =
        (mean_and_variance(along(Sign::Positive)), mean_and_variance(along(Sign::Negative)));
    let found = fisher_criterion(&balanced, &w).unwrap();
    assert!((found - (m - n).powi(2) / (v + u)).abs() < 1e-10 * found);
}

#[test]
fn singular_scatter_and_equal_means_are_reported() {
    let examples = Dense::new(vec![1.0, 1.0, 2.0, 2.0, 4.0, 4.0, 6.0, 6.0], 4, 2).unwrap();
    let labels = BinaryLabels::from_integers(&[-1, -1, 1, 1]).unwrap();
    let fit = Fisher::default().fit(&examples, &labels).unwrap();
    let figures = fit.certificate.figures();
    assert_eq!((figures.rank, figures.condition), (1, f64::INFINITY));
    assert_eq!(fit.model.signs(&examples).unwrap(), labels.signs());
    assert!(fit.certificate.verify(&TrainingSet::new(&examples, &labels).unwrap()).unwrap().is_valid());

    let same = Dense::new(vec![1.0, 2.0, 1.0, 2.0], 4, 1).unwrap();
    let fit = Fisher::default().fit(&same, &labels).unwrap();
    assert_eq!((fit.model.weights(), fit.certificate.figures().criterion), (&[0.0][..], 0.0));
}

#[test]
fn evidence_does_not_hold_for_other_data_and_settings_are_checked() {
    let (examples, labels) = sets().swap_remove(9);
    let fit = Fisher::default().fit(&examples, &labels).unwrap();
    let mut values: Vec<f64> = (0..100).flat_map(|row| examples.slice(row).to_vec()).collect();
    values[5] += 1e-5;
    let other = Dense::new(values, 100, 4).unwrap();
    assert!(!fit.certificate.verify(&TrainingSet::new(&other, &labels).unwrap()).unwrap().is_valid());
    for prior in [0.0, 1.0, f64::NAN] {
        let refused = Fisher::default().with_threshold(Threshold::Prior(prior)).fit(&examples, &labels);
        assert!(matches!(refused, Err(Error::Setting { name: "prior", .. })));
    }
    let set = TrainingSet::new(&examples, &labels).unwrap();
    assert!(matches!(fisher_criterion(&set, &[1.0]), Err(Error::Length { .. })));
    assert!(matches!(fisher_criterion(&set, &[f64::NAN; 4]), Err(Error::NonFinite { .. })));
}
