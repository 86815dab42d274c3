//! Sign-normalised samples of the plane as a training set: learners are asked for `aᵗy > 0`.

use lm_core::{BinaryLabels, Dense, Result};

/// Examples and labels whose normalised samples `±x` are the given ones. The last one enters as the opposite of a
/// negative example, so that there are two classes. Learn without a bias.
pub(crate) fn normalised(samples: &[[f64; 2]]) -> Result<(Dense<'static>, BinaryLabels)> {
    let positive = samples.len().saturating_sub(1);
    let side = |row: usize| if row < positive { 1 } else { -1 };
    let labels: Vec<i64> = (0..samples.len()).map(side).collect();
    let rows: Vec<[f64; 2]> =
        samples.iter().zip(&labels).map(|(y, sign)| y.map(|y| y * *sign as f64)).collect();
    Ok((Dense::from_rows(&rows)?, BinaryLabels::from_integers(&labels)?))
}
