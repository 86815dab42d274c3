//! How many examples a hyperplane puts on the wrong side, recounted with the rounding of every value in view.

use lm_core::{BinaryLabels, Examples, Linear, Result, TrainingSet};

/// Weights of examples: on the wrong side beyond doubt, and not on the right side beyond doubt. A count by other sums lies
/// between the two.
pub(crate) fn wrong_side<E: Examples + ?Sized>(
    hyperplane: &Linear,
    set: &TrainingSet<'_, E, BinaryLabels>,
) -> Result<(f64, f64)> {
    set.examples().check_dim("the weight vector", hyperplane.weights().len())?;
    let (mut least, mut most) = (0.0, 0.0);
    for (row, sign) in set.labels().signs().iter().enumerate() {
        let (mut value, mut size, mut terms) = (hyperplane.bias(), hyperplane.bias().abs(), 2.0);
        set.examples().row(row).for_each(|k, x| {
            let term = hyperplane.weights()[k] * x;
            value += term;
            size += term.abs();
            terms += 1.0;
        });
        let (margin, rounding) = (sign.value() * value, 2.0 * terms * f64::EPSILON * size);
        least += if margin < -rounding { set.weight(row) } else { 0.0 };
        // Written so that NaN counts.
        most += if margin > rounding { 0.0 } else { set.weight(row) };
    }
    Ok((least, most))
}
