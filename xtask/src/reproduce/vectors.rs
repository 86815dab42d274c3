//! Plain arithmetic on short vectors, for entries that compute by themselves what a learner claims.

use lm_core::Linear;

/// `⟨a·b⟩`.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `a − b`.
pub(crate) fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// `‖a‖`.
pub(crate) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// `‖a − b‖`.
pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    norm(&minus(a, b))
}

/// `(w, b)` of a linear function: its weights, the bias last.
pub(crate) fn weights_and_bias(model: &Linear) -> Vec<f64> {
    model.weights().iter().copied().chain([model.bias()]).collect()
}
