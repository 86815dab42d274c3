//! Data that several tests share.

use lm_core::{Dense, Targets};

/// Twelve examples of three columns whose numbers are exact in binary arithmetic, as in `data/kernel_references.py`.
pub(crate) fn dyadic() -> (Dense<'static>, Targets) {
    let row = |i: usize| {
        [((7 * i) % 16) as f64 / 8.0, ((5 * i + 3) % 16) as f64 / 4.0, ((11 * i + 1) % 8) as f64 / 2.0]
    };
    let rows: Vec<[f64; 3]> = (0..12).map(row).collect();
    let targets = (0..12).map(|i| ((13 * i + 5) % 32) as f64 / 16.0 - 1.0).collect();
    (Dense::from_rows(&rows).unwrap(), Targets::new(targets).unwrap())
}

/// A smooth function of `dim` columns with a ripple that no smooth function follows.
pub(crate) fn wavy(len: usize, dim: usize, seed: u64) -> (Dense<'static>, Targets) {
    let mut random = lm_core::testing::SplitMix64::new(seed);
    let rows: Vec<Vec<f64>> =
        (0..len).map(|_| (0..dim).map(|_| random.uniform(-2.0, 2.0)).collect()).collect();
    let value = |(i, row): (usize, &Vec<f64>)| {
        row.iter().enumerate().map(|(k, x)| (x * (1.0 + k as f64)).sin()).sum::<f64>()
            + 0.1 * (i as f64).cos()
    };
    let targets = rows.iter().enumerate().map(value).collect();
    (Dense::from_rows(&rows).unwrap(), Targets::new(targets).unwrap())
}

/// The largest difference of two lists of the same length.
pub(crate) fn apart(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}
