//! Multi-class machines on shared kernel rows: the same machines, and no row computed twice.

use std::sync::atomic::AtomicU64;

use lm_core::multiclass::{Classifier, Dag, OnSharedRows, OneVsOne, OneVsRest};
use lm_core::{
    Budget, Certificate, ClassLabels, Control, Dense, Learner, OverVectors, TrainingSet, VectorGram,
    VectorKernel, Weights,
};
use lm_data::generate::{Cloud, Spread, gaussians};
use lm_qp::{CSvc, NuSvc, TwoNormSvc};

use crate::counting::Counting;

fn clouds(classes: i64, each: usize, seed: u64) -> (Dense<'static>, ClassLabels) {
    let cloud = |k: i64| {
        let angle = k as f64 * 2.4;
        Cloud {
            class: k,
            len: each,
            mean: vec![1.5 * angle.sin(), 1.5 * angle.cos()],
            spread: Spread::Round(0.9),
        }
    };
    let made = gaussians(&(0..classes).map(cloud).collect::<Vec<_>>(), seed).unwrap();
    (made.examples, made.labels)
}

fn on_one_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(work)
}

#[test]
fn no_row_is_computed_for_one_pair_after_the_other() {
    let (examples, labels) = clouds(6, 25, 1);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(0.8).unwrap()).unwrap();
    let n = 150_u64;
    let count = |shared: bool| {
        let counting = Counting(&gram, AtomicU64::new(0));
        let scheme = OneVsOne::new(CSvc::default());
        let fit = on_one_thread(|| {
            if shared {
                OnSharedRows::new(scheme).fit(&counting, &labels)
            } else {
                scheme.fit(&counting, &labels)
            }
        });
        (fit.unwrap(), counting.1.into_inner())
    };
    let ((alone, many), (shared, few)) = (count(false), count(true));
    assert_eq!(shared.model, alone.model);
    assert!(few <= n * n, "{few} values of {}", n * n);
    assert!(many > few, "{many} values without sharing, {few} with");
}

#[test]
fn whatever_the_memory_and_the_threads_the_same_bits() {
    let (examples, labels) = clouds(4, 20, 2);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(0.8).unwrap()).unwrap();
    let weights = Weights::new((0..80).map(|k| 0.5 + f64::from(k % 3)).collect()).unwrap();
    let set = TrainingSet::new(&gram, &labels).unwrap().with_weights(&weights).unwrap();
    let machine = CSvc::default().with_cost(3.0);
    let pairs = OneVsOne::new(machine).fit_with(&set, &Control::default()).unwrap();
    let rest = OneVsRest::new(machine).fit_with(&set, &Control::default()).unwrap();
    for memory in [40_000, 100_000, 1 << 20] {
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let control = Control::new(Budget::default().with_memory(memory));
            let shared = pool.install(|| OnSharedRows::new(OneVsOne::new(machine)).fit_with(&set, &control));
            let shared = shared.unwrap();
            assert_eq!(shared.model, pairs.model, "{memory} bytes, {threads} threads");
            assert!(shared.certificate.verify(&set).unwrap().is_valid());
            let shared = pool.install(|| OnSharedRows::new(OneVsRest::new(machine)).fit_with(&set, &control));
            assert_eq!(shared.unwrap().model, rest.model, "{memory} bytes, {threads} threads");
        }
    }
}

#[test]
fn every_scheme_of_every_machine_goes_over_vectors() {
    let (examples, labels) = clouds(3, 20, 3);
    let kernel = VectorKernel::gaussian(1.0).unwrap();
    let truth: Vec<i64> = labels.indices().iter().map(|&k| labels.classes()[k as usize]).collect();
    let right = |found: Vec<i64>| found.iter().zip(&truth).filter(|(a, b)| a == b).count();
    let pairs = OverVectors::new(OnSharedRows::new(OneVsOne::new(CSvc::default())), kernel);
    let fit = pairs.fit(&examples, &labels).unwrap().converged().unwrap();
    assert!(fit.certificate.verify(&TrainingSet::new(&examples, &labels).unwrap()).unwrap().is_valid());
    assert!(right(fit.model.classify(&examples).unwrap()) > 45);
    let rest = OverVectors::new(OnSharedRows::new(OneVsRest::new(TwoNormSvc::default())), kernel);
    assert!(right(rest.fit(&examples, &labels).unwrap().model.classify(&examples).unwrap()) > 45);
    let dag = OverVectors::new(OnSharedRows::new(Dag::new(NuSvc::default().with_nu(0.3))), kernel);
    assert!(right(dag.fit(&examples, &labels).unwrap().model.classify(&examples).unwrap()) > 45);
}

#[test]
fn evidence_about_other_labels_is_found_out() {
    let (examples, labels) = clouds(3, 20, 4);
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(1.0).unwrap()).unwrap();
    let fit = OnSharedRows::new(OneVsRest::new(CSvc::default())).fit(&gram, &labels).unwrap();
    assert!(fit.certificate.verify(&TrainingSet::new(&gram, &labels).unwrap()).unwrap().is_valid());
    let turned: Vec<i64> = labels.indices().iter().map(|&k| (i64::from(k) + 1) % 3).collect();
    let turned = ClassLabels::from_integers(&turned).unwrap();
    assert!(!fit.certificate.verify(&TrainingSet::new(&gram, &turned).unwrap()).unwrap().is_valid());
}
