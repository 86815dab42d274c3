//! Shared cases of the benchmarks.

pub mod peak;

use std::path::PathBuf;

use lm_core::{ClassLabels, Csr, Dense, Result, Sign};
use lm_data::generate::{Cloud, Spread, gaussians};
use lm_data::{Labelled, svmlight};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// svmlight text of `rows` dense examples of dimension `dim`, two normal clouds rounded to six decimals.
///
/// ```
/// let text = lm_benches::svmlight_text(10, 3, 1)?;
/// assert_eq!(text.iter().filter(|&&byte| byte == b'\n').count(), 10);
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// As [`gaussians`] and [`svmlight::write`].
pub fn svmlight_text(rows: usize, dim: usize, seed: u64) -> Result<Vec<u8>> {
    let made = clouds(rows, dim, seed)?;
    let values = made.examples.contiguous().unwrap_or_default();
    let rounded = values.iter().map(|value| (value * 1e6).round() / 1e6).collect();
    let examples = lm_core::Dense::new(rounded, 2 * (rows / 2), dim)?;
    let labels: Vec<f64> =
        made.labels.indices().iter().map(|&class| if class == 0 { -1.0 } else { 1.0 }).collect();
    let mut text = Vec::new();
    svmlight::write(&mut text, &examples, &labels)?;
    Ok(text)
}

/// Dense examples, two normal clouds.
///
/// # Errors
/// As [`gaussians`].
pub fn dense(len: usize, dim: usize, seed: u64) -> Result<Dense<'static>> {
    Ok(clouds(len, dim, seed)?.examples)
}

/// Two normal clouds of equal size.
fn clouds(len: usize, dim: usize, seed: u64) -> Result<Labelled<Dense<'static>, ClassLabels>> {
    let cloud =
        |class, mean| Cloud { class, len: len / 2, mean: vec![mean; dim], spread: Spread::Round(0.3) };
    gaussians(&[cloud(-1, -0.5), cloud(1, 0.5)], seed)
}

/// Random examples, row after row, on the sides of a random hyperplane, one in a hundred on the wrong side. The numbers
/// are those of single precision, so that both storages hold the same examples.
///
/// ```
/// let (values, signs) = lm_benches::noisy(10, 3);
/// assert_eq!((values.len(), signs.len()), (30, 10));
/// ```
pub fn noisy(rows: usize, columns: usize) -> (Vec<f64>, Vec<Sign>) {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let normal: Vec<f64> = (0..columns).map(|_| random.random_range(-1.0..1.0)).collect();
    let mut number = || f64::from(random.random_range(-1.0_f32..1.0));
    let values: Vec<f64> = (0..rows * columns).map(|_| number()).collect();
    let side = |example: &[f64]| example.iter().zip(&normal).map(|(x, w)| x * w).sum::<f64>();
    let signs = values.chunks_exact(columns).map(|example| {
        let sign = Sign::of(side(example));
        if random.random_range(0..100) == 0 { sign.flipped() } else { sign }
    });
    let signs = signs.collect();
    (values, signs)
}

/// Random examples, row after row, and targets: a linear function of them and a tenth of noise.
///
/// ```
/// let (values, targets) = lm_benches::regression(10, 3, 1);
/// assert_eq!((values.len(), targets.len()), (30, 10));
/// ```
pub fn regression(rows: usize, columns: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut number = || random.random_range(-1.0..1.0);
    let weights: Vec<f64> = (0..columns).map(|_| number()).collect();
    let values: Vec<f64> = (0..rows * columns).map(|_| number()).collect();
    let value = |example: &[f64]| example.iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>();
    let targets = values.chunks_exact(columns).map(|example| value(example) + 0.1 * number()).collect();
    (values, targets)
}

/// Random examples, row after row, and the classes they belong to in turn, each around a mean of its own.
///
/// ```
/// let (values, classes) = lm_benches::classes(10, 3, 4, 1);
/// assert_eq!((values.len(), classes[5]), (30, 1));
/// ```
pub fn classes(rows: usize, columns: usize, count: usize, seed: u64) -> (Vec<f64>, Vec<i64>) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut number = || random.random_range(-1.0..1.0);
    let means: Vec<f64> = (0..count * columns).map(|_| 0.3 * number()).collect();
    let values = (0..rows * columns)
        .map(|at| means[(at / columns % count) * columns + at % columns] + number())
        .collect();
    (values, (0..rows).map(|row| (row % count) as i64).collect())
}

/// Sparse examples with this many entries each, in columns that differ in frequency as words do.
///
/// # Errors
/// As [`Csr::new`].
pub fn sparse(len: usize, dim: usize, entries: usize, seed: u64) -> Result<Csr<'static>> {
    let mut state = seed;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for _ in 0..len {
        let mut columns: Vec<u32> =
            (0..entries).map(|_| ((dim as f64).powf(uniform()) - 1.0) as u32).collect();
        columns.sort_unstable();
        columns.dedup();
        values.extend(columns.iter().map(|_| uniform()));
        indices.extend(columns);
        offsets.push(values.len());
    }
    Csr::new(offsets, indices, values, dim)
}

/// The training file of a data set in the folder that the environment variable `LM_DATA` names, if it is there.
/// The layout is `NAME/train.svm.gz`.
pub fn real_data(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(std::env::var_os("LM_DATA")?).join(name).join("train.svm.gz");
    path.is_file().then_some(path)
}
