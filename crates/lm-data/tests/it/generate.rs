//! Generators: the same seed gives the same bits, another seed others, and absurd sizes are refused.

use lm_core::{Collection, Dense};
use lm_data::generate::*;

/// One set of each generator, without its labels.
fn all(seed: u64) -> Vec<Dense<'static>> {
    let cloud = |class, x| Cloud { class, len: 10, mean: vec![x, 0.0], spread: Spread::Round(1.0) };
    vec![
        separable(&SeparableSettings::default(), seed).unwrap().data.examples,
        gaussians(&[cloud(0, -1.0), cloud(1, 1.0)], seed).unwrap().examples,
        far_blob(20, 5, 10.0, seed).unwrap().examples,
        two_moons(20, 0.1, seed).unwrap().examples,
        rings(20, &[1.0, 2.0], 0.1, seed).unwrap().examples,
        chess_board(20, 4, seed).unwrap().examples,
        noisy_xor(20, 0.1, seed).unwrap().examples,
        irrelevant(&IrrelevantSettings::default(), seed).unwrap().data.examples,
        sinc(20, 3.0, 0.1, seed).unwrap().examples,
    ]
}

#[test]
fn a_seed_decides_every_bit() {
    for (first, (again, other)) in all(1).into_iter().zip(all(1).into_iter().zip(all(2))) {
        let bits =
            |set: &Dense<'_>| -> Vec<u64> { set.contiguous().unwrap().iter().map(|v| v.to_bits()).collect() };
        assert_eq!(bits(&first), bits(&again));
        assert_ne!(bits(&first), bits(&other));
        assert!(first.len() >= 20);
    }
}

#[test]
fn sizes_that_no_memory_holds_are_refused() {
    let len = usize::MAX / 16;
    assert!(separable(&SeparableSettings::default().with_len(len), 1).is_err());
    assert!(irrelevant(&IrrelevantSettings::default().with_len(len), 1).is_err());
    assert!(two_moons(len, 0.1, 1).is_err());
    assert!(rings(len, &[1.0, 2.0], 0.1, 1).is_err());
    assert!(chess_board(len, 4, 1).is_err());
    assert!(noisy_xor(len, 0.1, 1).is_err());
    assert!(far_blob(len, 5, 10.0, 1).is_err());
    assert!(sinc(len, 3.0, 0.1, 1).is_err());
}

#[test]
fn noise_that_is_no_number_is_refused() {
    for bad in [f64::NAN, -1.0, f64::INFINITY] {
        assert!(two_moons(10, bad, 1).is_err());
        assert!(rings(10, &[1.0, bad], 0.1, 1).is_err());
        assert!(noisy_xor(10, bad, 1).is_err());
        assert!(sinc(10, bad, 0.1, 1).is_err());
        assert!(sinc(10, 1.0, bad, 1).is_err());
        assert!(far_blob(10, 1, bad, 1).is_err());
    }
    assert!(rings(10, &[1.0], 0.1, 1).is_err());
    assert!(chess_board(10, 1, 1).is_err());
}
