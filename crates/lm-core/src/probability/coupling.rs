//! Probabilities of several classes from those of their pairs.
//!
//! # Problem
//! ```text
//! minimise Σᵢ Σ_{j≠i} (rⱼᵢ pᵢ − rᵢⱼ pⱼ)²   subject to Σ pᵢ = 1
//! ```
//! where `rᵢⱼ` is the probability of `i` among `i` and `j`. Pairs that fit together, `rᵢⱼ = pᵢ/(pᵢ + pⱼ)`, give the value 0.
//! # Method
//! With `Qᵢᵢ = Σ_{s≠i} rₛᵢ²` and `Qᵢⱼ = −rⱼᵢrᵢⱼ` the criterion is `2pᵗQp`, and its minimum satisfies `Qp = μe`. `Q` is singular
//! where the pairs fit together, but `Q + eeᵗ` is positive definite, and its solution for `e` is a multiple of `p`: one
//! Cholesky factorisation. The minimum has no negative entry. Each `rᵢⱼ` is kept from 0 and 1 by 10⁻⁷.
//! # Cost
//! `k³/6 + O(k²)` multiplications.
//! # Reference
//! Wu, Lin & Weng (2004), *Probability estimates for multi-class classification by pairwise coupling*, second approach. There
//! the system is solved by an iteration that ends early; here directly.

use crate::{Error, Result};

/// How near a probability of a pair may be to 0 or 1.
const LEAST: f64 = 1e-7;

/// Probabilities of all classes, and the evidence that they solve the problem.
#[derive(Debug, Clone, PartialEq)]
pub struct Coupling {
    /// A probability for each class; they add up to 1.
    pub probabilities: Vec<f64>,
    /// `max |(Qp)ᵢ − pᵗQp|`, which is 0 at the minimum of a convex problem and nowhere else.
    pub residual: f64,
}

/// Couples the probabilities of pairs, in the order (0, 1), (0, 2), …, (1, 2), …, each that of the *second* class of its pair.
///
/// ```
/// use lm_core::probability::couple;
///
/// // Pairs that fit together: 1/6, 2/6 and 3/6.
/// let found = couple(&[2.0 / 3.0, 3.0 / 4.0, 3.0 / 5.0], 3)?;
/// for (p, expected) in found.probabilities.iter().zip([1.0, 2.0, 3.0]) {
///     assert!((p - expected / 6.0).abs() < 1e-14);
/// }
/// assert!(found.residual < 1e-15);
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Classes`] for fewer than two classes, [`Error::Length`] unless there is a probability for each pair,
/// [`Error::Setting`] for one that is not between 0 and 1.
pub fn couple(pairs: &[f64], classes: usize) -> Result<Coupling> {
    let k = classes;
    if k < 2 {
        return Err(Error::Classes { found: k, accepted: "two classes or more" });
    }
    let expected = k.checked_mul(k - 1).map_or(usize::MAX, |twice| twice / 2);
    if pairs.len() != expected {
        return Err(Error::Length { what: "the list of pairs", expected, found: pairs.len() });
    }
    if let Some(&value) = pairs.iter().find(|p| !(**p >= 0.0 && **p <= 1.0)) {
        return Err(Error::Setting {
            name: "probability of a pair",
            value,
            accepted: "a number from 0 to 1",
        });
    }
    let q = matrix(pairs, k);
    let shifted: Vec<f64> = q.iter().map(|value| value + 1.0).collect();
    let mut p = solved(shifted, k)?;
    // Below zero by rounding only.
    p.iter_mut().for_each(|p| *p = p.max(0.0));
    let sum: f64 = p.iter().sum();
    p.iter_mut().for_each(|p| *p /= sum);
    let products: Vec<f64> =
        q.chunks_exact(k).map(|row| row.iter().zip(&p).map(|(q, p)| q * p).sum()).collect();
    let value: f64 = products.iter().zip(&p).map(|(product, p)| product * p).sum();
    let residual = products.iter().fold(0.0, |worst: f64, product| worst.max((product - value).abs()));
    if sum > 0.0 && residual.is_finite() {
        Ok(Coupling { probabilities: p, residual })
    } else {
        Err(Error::Numerical { what: "the coupled probabilities" })
    }
}

/// `Q`, row after row.
fn matrix(pairs: &[f64], k: usize) -> Vec<f64> {
    let mut q = vec![0.0; k * k];
    let all = (0..k).flat_map(|low| (low + 1..k).map(move |high| (low, high)));
    for ((low, high), &second) in all.zip(pairs) {
        let second = second.clamp(LEAST, 1.0 - LEAST);
        let first = 1.0 - second;
        q[low * k + low] += second * second;
        q[high * k + high] += first * first;
        q[low * k + high] = -first * second;
        q[high * k + low] = -first * second;
    }
    q
}

/// The solution of `Ax = e` for a positive definite matrix.
fn solved(mut a: Vec<f64>, k: usize) -> Result<Vec<f64>> {
    let mut x = vec![1.0; k];
    for i in 0..k {
        for j in 0..=i {
            let inner: f64 = (0..j).map(|m| a[i * k + m] * a[j * k + m]).sum();
            let left = a[i * k + j] - inner;
            a[i * k + j] = match i == j {
                true if left > 0.0 => left.sqrt(),
                true => return Err(Error::Numerical { what: "the coupled probabilities" }),
                false => left / a[j * k + j],
            };
        }
        let inner: f64 = (0..i).map(|m| a[i * k + m] * x[m]).sum();
        x[i] = (x[i] - inner) / a[i * k + i];
    }
    for i in (0..k).rev() {
        let inner: f64 = (i + 1..k).map(|m| a[m * k + i] * x[m]).sum();
        x[i] = (x[i] - inner) / a[i * k + i];
    }
    Ok(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_classes_keep_what_their_pair_says() {
        for second in [0.0, 1e-7, 0.2, 0.5, 0.9, 1.0] {
            let p = couple(&[second], 2).unwrap().probabilities;
            let kept = second.clamp(LEAST, 1.0 - LEAST);
            assert!((p[1] - kept).abs() < 1e-15 && (p[0] + p[1] - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn pairs_that_contradict_each_other_have_a_least_value_that_no_step_lowers() {
        let mut state = 3_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        for k in 2..12 {
            for extreme in [false, true] {
                let pairs: Vec<f64> =
                    (0..k * (k - 1) / 2).map(|_| if extreme { next().round() } else { next() }).collect();
                let found = couple(&pairs, k).unwrap();
                assert!(found.residual < 1e-13, "{k}: {}", found.residual);
                let q = matrix(&pairs, k);
                let value = |p: &[f64]| (0..k * k).map(|at| p[at / k] * q[at] * p[at % k]).sum::<f64>();
                let best = value(&found.probabilities);
                for _ in 0..20 {
                    let (from, to) = ((next() * k as f64) as usize, (next() * k as f64) as usize);
                    let mut other = found.probabilities.clone();
                    let by = 0.1 * next() * other[from];
                    other[from] -= by;
                    other[to] += by;
                    assert!(value(&other) >= best - 1e-15);
                }
            }
        }
    }

    #[test]
    fn what_is_not_a_probability_is_refused() {
        assert!(matches!(couple(&[f64::NAN], 2), Err(Error::Setting { .. })));
        assert!(matches!(couple(&[1.5], 2), Err(Error::Setting { .. })));
        assert!(matches!(couple(&[0.5], 3), Err(Error::Length { expected: 3, .. })));
        assert!(matches!(couple(&[], 1), Err(Error::Classes { .. })));
    }
}
