//! Machines with probabilities: calibrated on held-out values, in agreement with the predicted class, with evidence.

use lm_core::multiclass::{Classifier, OneVsOne};
use lm_core::probability::Sigmoid;
use lm_core::{
    Certificate, ClassLabels, Control, Dense, Error, Folds, Learner, OverVectors, TrainingSet, VectorGram,
    VectorKernel, Weights, persist,
};
use lm_data::classic::iris;
use lm_data::generate::{Cloud, Spread, gaussians};
use lm_qp::{CSvc, HeldOut, TwoNormSvc, WithProbabilities};

fn iris_set() -> (Dense<'static>, ClassLabels) {
    let data = iris().unwrap().data;
    let labels = data.classes().unwrap();
    (data.examples, labels)
}

fn turns(len: u32, folds: u32) -> Folds {
    Folds::new((0..len).map(|row| row % folds).collect()).unwrap()
}

#[test]
fn sigmoids_on_iris_are_those_of_an_independent_minimisation() {
    let (examples, labels) = iris_set();
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(0.5).unwrap()).unwrap();
    let learner = WithProbabilities::new(CSvc::default().with_gap(1e-10), turns(150, 5));
    let fit = learner.fit(&gram, &labels).unwrap().converged().unwrap();
    // scikit-learn 1.9.1 for the held-out values, scipy 1.17.1 for the minimum: tests/data/cross_validation.py.
    let expected = [
        (-3.6240083257415057, -0.021848277240205195, 9.634144682936615),
        (-3.6859503454829787, -0.07581533392016372, 9.675717136278823),
        (-3.1423535210958566, -0.045527830828493314, 18.426554651184304),
    ];
    for ((sigmoid, evidence), (slope, offset, value)) in
        fit.model.sigmoids().iter().zip(fit.certificate.sigmoids()).zip(expected)
    {
        assert!((sigmoid.slope() - slope).abs() < 1e-4, "{} and {slope}", sigmoid.slope());
        assert!((sigmoid.offset() - offset).abs() < 1e-4, "{} and {offset}", sigmoid.offset());
        assert!((evidence.certificate.value() - value).abs() < 1e-4);
        assert!(evidence.certificate.gradient().iter().all(|g| g.abs() < 1e-9));
        assert!(evidence.certificate.curvature() > 1e-3);
    }
    let set = TrainingSet::new(&gram, &labels).unwrap();
    assert!(fit.certificate.verify(&set).unwrap().is_valid());
    // The machines themselves are those without probabilities.
    let plain = OneVsOne::new(CSvc::default().with_gap(1e-10)).fit(&gram, &labels).unwrap();
    assert_eq!(fit.model.pairs(), &plain.model);
}

#[test]
fn held_out_values_are_those_of_cross_validation() {
    let (examples, labels) = iris_set();
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(0.5).unwrap()).unwrap();
    let set = TrainingSet::new(&gram, &labels).unwrap();
    let folds = turns(150, 5);
    let fit = WithProbabilities::new(CSvc::default(), folds.clone()).fit(&gram, &labels).unwrap();
    let all = HeldOut::compute(&CSvc::default(), &set, &folds, &Control::default()).unwrap();
    for (pair, evidence) in fit.certificate.sigmoids().iter().enumerate() {
        for (&row, value) in evidence.rows.iter().zip(&evidence.values) {
            assert_eq!(*value, all.values()[row * all.width() + pair]);
        }
    }
}

/// Clouds that overlap, one of them rare: sigmoids with large offsets.
fn lopsided(seed: u64) -> (Dense<'static>, ClassLabels) {
    let cloud =
        |class, len, mean: [f64; 2]| Cloud { class, len, mean: mean.into(), spread: Spread::Round(1.0) };
    let clouds = [
        cloud(4, 60, [0.0, 0.0]),
        cloud(-2, 12, [1.2, 0.0]),
        cloud(9, 20, [0.0, 1.5]),
        cloud(1, 30, [1.5, 1.5]),
    ];
    let made = gaussians(&clouds, seed).unwrap();
    (made.examples, made.labels)
}

#[test]
fn the_most_probable_class_is_the_predicted_one_everywhere() {
    let (examples, labels) = lopsided(1);
    let learner = OverVectors::new(
        WithProbabilities::new(CSvc::default(), turns(122, 4)),
        VectorKernel::gaussian(0.5).unwrap(),
    );
    let model = learner.fit(&examples, &labels).unwrap().model;
    let grid: Vec<f64> =
        (0..60 * 60).flat_map(|k| [f64::from(k % 60) * 0.1 - 2.0, f64::from(k / 60) * 0.1 - 2.0]).collect();
    let points = Dense::new(grid, 3600, 2).unwrap();
    let found = model.probabilities(&points).unwrap();
    assert_eq!(found.most_probable(), model.classify(&points).unwrap());
    // Without the step toward agreement they would disagree at some of these points.
    let decisions = model.decisions(&points).unwrap();
    let mut disagree = 0;
    for (row, values) in decisions.rows().enumerate() {
        let second: Vec<f64> = model
            .sigmoids()
            .iter()
            .zip(values)
            .map(|(s, &value): (&Sigmoid, _)| s.probabilities(value)[1])
            .collect();
        let coupled = lm_core::probability::couple(&second, 4).unwrap().probabilities;
        let winner = model.pairs().winner(values).unwrap();
        let moved =
            coupled.iter().zip(found.row(row).unwrap()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        if coupled.iter().any(|p| *p > coupled[winner]) {
            disagree += 1;
        } else {
            assert!(moved < 1e-15, "probabilities that agree were moved by {moved}");
        }
    }
    assert!(disagree > 20, "only {disagree} of 3600 points disagree, so this shows little");
}

#[test]
fn any_number_of_threads_and_any_memory_give_the_same_bits() {
    let (examples, labels) = lopsided(2);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(0.5).unwrap()).unwrap();
    let weights = Weights::new((0..122).map(|k| 0.5 + f64::from(k % 3)).collect()).unwrap();
    let set = TrainingSet::new(&gram, &labels).unwrap().with_weights(&weights).unwrap();
    let learner = WithProbabilities::new(TwoNormSvc::default(), turns(122, 3));
    let fit = learner.fit_with(&set, &Control::default()).unwrap();
    assert!(fit.certificate.verify(&set).unwrap().is_valid());
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let control = Control::new(lm_core::Budget::default().with_memory(150_000));
        let again = pool.install(|| learner.fit_with(&set, &control)).unwrap();
        assert_eq!(
            (again.model, again.certificate.sigmoids()),
            (fit.model.clone(), fit.certificate.sigmoids())
        );
    }
}

#[test]
fn a_calibrated_machine_is_kept_in_a_file() {
    let (examples, labels) = lopsided(3);
    let learner = OverVectors::new(
        WithProbabilities::new(CSvc::default(), turns(122, 3)),
        VectorKernel::gaussian(0.5).unwrap(),
    );
    let model = learner.fit(&examples, &labels).unwrap().model;
    let bytes = persist::encode(&model).unwrap();
    assert_eq!(persist::kind_of(&bytes).unwrap(), "calibrated@1/vector-expansion@1");
    let again: lm_core::probability::Calibrated<lm_core::VectorExpansion> = persist::decode(&bytes).unwrap();
    assert_eq!(again, model);
    assert_eq!(again.probabilities(&examples).unwrap(), model.probabilities(&examples).unwrap());
}

#[test]
fn evidence_of_other_labels_and_folds_that_do_not_fit_are_found_out() {
    let (examples, labels) = lopsided(4);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(0.5).unwrap()).unwrap();
    let fit = WithProbabilities::new(CSvc::default(), turns(122, 3)).fit(&gram, &labels).unwrap();
    let turned: Vec<i64> = labels.indices().iter().map(|&k| i64::from(k) * 7 % 5).collect();
    let turned = ClassLabels::from_integers(&turned).unwrap();
    let found = fit.certificate.verify(&TrainingSet::new(&gram, &turned).unwrap());
    assert!(!found.is_ok_and(|verdict| verdict.is_valid()));
    let refused = WithProbabilities::new(CSvc::default(), turns(121, 3)).fit(&gram, &labels);
    assert!(matches!(refused, Err(Error::Length { expected: 122, found: 121, .. })));
    // A class within one fold.
    let alone = Folds::new(labels.indices().iter().map(|&k| u32::from(k == 0)).collect()).unwrap();
    assert!(WithProbabilities::new(CSvc::default(), alone).fit(&gram, &labels).is_err());
}
