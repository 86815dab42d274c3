//! What coefficients are worth, in plain double precision and in words that no solver shares: primal and dual value of the
//! soft margin machine, and the largest violation of its optimality conditions.

use std::error::Error;

use lm_core::{Columns, Dense, Gram, VectorGram, VectorKernel};
use serde::Serialize;

/// The figures of a machine.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Worth {
    pub(super) primal: f64,
    pub(super) dual: f64,
    /// `(primal − dual) / primal`.
    pub(super) gap: f64,
    /// LIBSVM's `m(α) − M(α)`.
    pub(super) kkt: f64,
    pub(super) support_vectors: usize,
}

/// The figures of coefficients `αᵢyᵢ`. Such as leave their bounds by rounding are put back; the bias is the best one.
pub(super) fn worth(
    examples: &Dense<'_>,
    labels: &[f64],
    coefficients: &[f64],
    cost: f64,
    gamma: f64,
) -> Result<Worth, Box<dyn Error>> {
    let n = labels.len();
    if coefficients.len() != n {
        return Err(format!("{} coefficients for {n} examples", coefficients.len()).into());
    }
    let alpha: Vec<f64> = labels.iter().zip(coefficients).map(|(y, c)| (y * c).clamp(0.0, cost)).collect();
    let support: Vec<usize> = (0..n).filter(|&i| alpha[i] > 0.0).collect();
    let gram = VectorGram::new(examples, VectorKernel::gaussian(gamma)?)?;
    let mut scores = vec![0.0; n];
    let mut block = vec![0.0; 48 * n];
    for rows in support.chunks(48) {
        let block = &mut block[..rows.len() * n];
        gram.fill(rows, Columns::All, block)?;
        for (&row, values) in rows.iter().zip(block.chunks_exact(n)) {
            let coefficient = alpha[row] * labels[row];
            scores.iter_mut().zip(values).for_each(|(sum, value)| *sum += coefficient * value);
        }
    }
    let norm: f64 = support.iter().map(|&i| alpha[i] * labels[i] * scores[i]).sum();
    let dual = alpha.iter().sum::<f64>() - 0.5 * norm;
    let primal = 0.5 * norm + cost * least_hinge(&scores, labels);
    // The bias that each example asks for, from above and from below.
    let (mut up, mut low) = (f64::NEG_INFINITY, f64::INFINITY);
    for i in 0..n {
        let asked = labels[i] - scores[i];
        let (grows, falls) = (alpha[i] < cost, alpha[i] > 0.0);
        if (labels[i] > 0.0 && grows) || (labels[i] < 0.0 && falls) {
            up = up.max(asked);
        }
        if (labels[i] > 0.0 && falls) || (labels[i] < 0.0 && grows) {
            low = low.min(asked);
        }
    }
    Ok(Worth { primal, dual, gap: (primal - dual) / primal, kkt: up - low, support_vectors: support.len() })
}

/// `Σ max(0, 1 − y(s + b))` for the best `b`: the sum is convex and bends where an example meets its margin.
fn least_hinge(scores: &[f64], labels: &[f64]) -> f64 {
    let mut bends: Vec<f64> = scores.iter().zip(labels).map(|(s, y)| y - s).collect();
    bends.sort_unstable_by(f64::total_cmp);
    // Left of all bends every positive example is short, and each bend adds 1 to the slope.
    let positive = labels.iter().filter(|&&y| y > 0.0).count();
    let Some(&bias) = bends.get(positive.min(bends.len().saturating_sub(1))) else { return 0.0 };
    scores.iter().zip(labels).map(|(s, y)| (1.0 - y * (s + bias)).max(0.0)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_opposite_examples_have_the_figures_of_the_textbook() {
        // K = [[1, k], [k, 1]]: α = 1/(1 − k) each, both on their margins.
        let examples = Dense::new(vec![0.0, 1.0], 2, 1).unwrap();
        let (labels, k) = ([1.0, -1.0], (-1.0_f64).exp());
        let alpha = 1.0 / (1.0 - k);
        let best = worth(&examples, &labels, &[alpha, -alpha], 10.0, 1.0).unwrap();
        assert!((best.dual - alpha).abs() < 1e-14 && best.gap.abs() < 1e-14 && best.kkt.abs() < 1e-14);
        let none = worth(&examples, &labels, &[0.0, 0.0], 10.0, 1.0).unwrap();
        assert_eq!((none.primal, none.dual, none.kkt), (20.0, 0.0, 2.0));
    }
}
