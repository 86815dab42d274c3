//! Splits and folds: every row exactly once, proportions kept, the same lists for the same seed.

use lm_core::{ClassLabels, Collection, Error};
use lm_data::split::{folds, shuffled, stratified_folds, stratified_train_test, train_test};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

fn labels(seed: u64, n: usize) -> ClassLabels {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let classes: Vec<i64> =
        (0..n).map(|row| if row < 24 { row as i64 % 3 } else { rng.random_range(0..7) / 3 }).collect();
    ClassLabels::from_integers(&classes).unwrap()
}

#[test]
fn every_row_is_tested_exactly_once() {
    for (n, k) in [(2, 2), (10, 3), (100, 7), (101, 101)] {
        for seed in 0..5 {
            let all = folds(n, k, seed).unwrap();
            let mut tested: Vec<usize> = all.iter().flat_map(|fold| fold.test.clone()).collect();
            tested.sort_unstable();
            assert_eq!(tested, (0..n).collect::<Vec<_>>(), "n {n}, k {k}, seed {seed}");
            for fold in &all {
                assert!(fold.test.len() == n / k || fold.test.len() == n / k + 1);
                assert_eq!(fold.train.len() + fold.test.len(), n);
                assert!(fold.train.iter().all(|row| !fold.test.contains(row)));
                assert!(fold.train.is_sorted() && fold.test.is_sorted());
            }
        }
    }
}

#[test]
fn proportions_are_exact_up_to_one_row() {
    for seed in 0..20 {
        let n = 30 + 13 * seed as usize;
        let labels = labels(seed, n);
        for k in [2, 3, 5, 8] {
            let all = stratified_folds(&labels, k, seed).unwrap();
            let mut tested: Vec<usize> = all.iter().flat_map(|fold| fold.test.clone()).collect();
            tested.sort_unstable();
            assert_eq!(tested, (0..n).collect::<Vec<_>>());
            for (class, rows) in labels.rows_by_class().iter().enumerate() {
                for fold in &all {
                    let count =
                        fold.test.iter().filter(|&&row| labels.indices()[row] as usize == class).count();
                    assert!(count == rows.len() / k || count == rows.len().div_ceil(k), "seed {seed}, k {k}");
                }
            }
            let sizes: Vec<usize> = all.iter().map(|fold| fold.test.len()).collect();
            assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1, "{sizes:?}");
        }
        let split = stratified_train_test(&labels, 0.25, seed).unwrap();
        assert_eq!(split.train.len() + split.test.len(), labels.len());
        for (class, rows) in labels.rows_by_class().iter().enumerate() {
            let count = split.test.iter().filter(|&&row| labels.indices()[row] as usize == class).count();
            assert!((count as f64 - 0.25 * rows.len() as f64).abs() <= 1.0);
        }
    }
}

#[test]
fn a_seed_decides_and_another_decides_otherwise() {
    assert_eq!(shuffled(50, 3), shuffled(50, 3));
    assert_ne!(shuffled(50, 3), shuffled(50, 4));
    assert_eq!(folds(50, 5, 1).unwrap(), folds(50, 5, 1).unwrap());
    assert_ne!(train_test(50, 0.5, 1).unwrap(), train_test(50, 0.5, 2).unwrap());
    // Each of the 6 orders of three rows comes up about as often as the others.
    let mut counts = std::collections::BTreeMap::new();
    (0..6000).for_each(|seed| *counts.entry(shuffled(3, seed)).or_insert(0_i32) += 1);
    assert_eq!(counts.len(), 6);
    assert!(counts.values().all(|&count| (count - 1000).abs() < 150), "{counts:?}");
}

#[test]
fn impossible_splits_are_refused() {
    for (n, k) in [(10, 0), (10, 1), (10, 11), (0, 2), (1, 2)] {
        assert!(matches!(folds(n, k, 0), Err(Error::Setting { .. })), "{n} {k}");
    }
    for share in [0.0, 1.0, -0.5, f64::NAN] {
        assert!(matches!(train_test(10, share, 0), Err(Error::Setting { .. })), "{share}");
    }
    assert!(matches!(train_test(1, 0.5, 0), Err(Error::Length { .. })));
    let few = ClassLabels::from_integers(&[0, 0, 0, 0, 1, 1]).unwrap();
    assert!(stratified_folds(&few, 2, 0).is_ok());
    assert!(matches!(stratified_folds(&few, 3, 0), Err(Error::Setting { .. })));
    let single = ClassLabels::from_integers(&[0, 0, 1]).unwrap();
    assert!(stratified_train_test(&single, 0.5, 0).is_err());
}
