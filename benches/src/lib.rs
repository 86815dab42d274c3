//! Shared cases of the benchmarks.

pub mod peak;

use std::path::PathBuf;

use lm_core::Result;
use lm_data::generate::{Cloud, Spread, gaussians};
use lm_data::svmlight;

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
    let cloud =
        |class, mean| Cloud { class, len: rows / 2, mean: vec![mean; dim], spread: Spread::Round(0.3) };
    let made = gaussians(&[cloud(-1, -0.5), cloud(1, 0.5)], seed)?;
    let values = made.examples.contiguous().unwrap_or_default();
    let rounded = values.iter().map(|value| (value * 1e6).round() / 1e6).collect();
    let examples = lm_core::Dense::new(rounded, 2 * (rows / 2), dim)?;
    let labels: Vec<f64> =
        made.labels.indices().iter().map(|&class| if class == 0 { -1.0 } else { 1.0 }).collect();
    let mut text = Vec::new();
    svmlight::write(&mut text, &examples, &labels)?;
    Ok(text)
}

/// The training file of a data set in the folder that the environment variable `LM_DATA` names, if it is there.
/// The layout is `NAME/train.svm.gz`.
pub fn real_data(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(std::env::var_os("LM_DATA")?).join(name).join("train.svm.gz");
    path.is_file().then_some(path)
}
