//! Data that several tests use.

use lm_core::testing::SplitMix64;
use lm_core::{BinaryLabels, Csr, Dense, Examples, Sign};

/// Examples with uniform entries, about a third of them zero, and signs of which a share is drawn by lot.
pub(crate) fn noisy(len: usize, dim: usize, noise: f64, seed: u64) -> (Dense<'static>, BinaryLabels) {
    let mut random = SplitMix64::new(seed);
    let direction: Vec<f64> = (0..dim).map(|_| random.uniform(-1.0, 1.0)).collect();
    let (mut values, mut signs) = (Vec::new(), Vec::new());
    for _ in 0..len {
        let row: Vec<f64> = (0..dim)
            .map(|_| if random.below(3) == 0 { 0.0 } else { f64::from(random.uniform(-2.0, 2.0) as f32) })
            .collect();
        let score: f64 = row.iter().zip(&direction).map(|(x, w)| x * w).sum::<f64>() + 0.3;
        let lot = random.uniform(0.0, 1.0) < noise;
        let value = if lot { random.uniform(-1.0, 1.0) } else { score };
        signs.push(Sign::of(value));
        values.extend(row);
    }
    // Both classes occur, whatever the seed.
    (signs[0], signs[1]) = (Sign::Positive, Sign::Negative);
    (Dense::new(values, len, dim).unwrap(), BinaryLabels::new(signs).unwrap())
}

/// The same numbers, each of which single precision holds exactly, in all storages.
pub(crate) fn storages(examples: &Dense<'_>) -> Vec<(&'static str, Box<dyn Examples>)> {
    let values: Vec<f32> = examples.contiguous().unwrap().iter().map(|&value| value as f32).collect();
    let narrow = Dense::new(values, lm_core::Collection::len(examples), examples.dim()).unwrap();
    vec![
        ("sparse", Box::new(Csr::from_rows(examples).unwrap())),
        ("sparse f32", Box::new(Csr::from_rows(&narrow).unwrap())),
        ("dense f32", Box::new(narrow)),
        ("dense", Box::new(examples.clone().into_owned())),
    ]
}
