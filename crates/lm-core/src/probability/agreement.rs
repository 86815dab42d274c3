//! The nearest probabilities in which a given class is the most probable one.
//!
//! # Problem
//! ```text
//! given q and a class c:  minimise Σ qⱼ log(qⱼ/pⱼ)   over p with Σ pⱼ = 1 and p_c ≥ pⱼ for every j
//! ```
//! If `q` were true, `p` would have the least expected logarithmic loss of all probabilities that agree with `c`.
//! # Method
//! Classes with more than `c` are pooled with it, the largest first, while the next one has more than the mean of the pool;
//! each of the pool gets that mean. (At the minimum `pⱼ = (qⱼ + λⱼ)/ν` with multipliers `λ` that take from those who are
//! equal to `c` what they give to it; that is the mean.) Then `c` is raised to the next number where others are equal to it,
//! so that it is the only largest one, however ties are broken later.
//! # Cost
//! `O(k log k)` where the probabilities disagree, `O(k)` where they agree.
//! # Reference
//! Pooling of adjacent violators: Ayer, Brunk, Ewing, Reid & Silverman (1955); Barlow & Brunk (1972), for likelihoods.

use crate::{Error, Result};

/// Moves probabilities to the nearest ones in which `class` is the largest, and the only largest one. Those in which it is
/// are left as they are.
///
/// ```
/// use lm_core::probability::agree;
///
/// let mut p = [0.2, 0.5, 0.3];
/// agree(&mut p, 0)?;
/// assert!(p[0] > p[1] && p[0] > p[2]);
/// assert!((p[0] - 0.35).abs() < 1e-15); // shared with the one that had most
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Index`] for a class that does not exist, [`Error::NonFinite`] for a value that is not a finite number ≥ 0.
pub fn agree(probabilities: &mut [f64], class: usize) -> Result<()> {
    let len = probabilities.len();
    let Some(&own) = probabilities.get(class) else {
        return Err(Error::Index { what: "class", index: class, len });
    };
    if let Some(row) = probabilities.iter().position(|p| !(*p >= 0.0 && p.is_finite())) {
        return Err(Error::NonFinite { what: "probability", row, column: None });
    }
    let mut above: Vec<usize> = (0..len).filter(|&j| j != class && probabilities[j] > own).collect();
    // Stable, so that equal ones keep their order.
    above.sort_by(|&a, &b| probabilities[b].total_cmp(&probabilities[a]));
    let (mut sum, mut pooled) = (own, 0);
    for &j in &above {
        if !(probabilities[j] > sum / (pooled + 1) as f64) {
            break;
        }
        sum += probabilities[j];
        pooled += 1;
    }
    let mean = sum / (pooled + 1) as f64;
    above[..pooled].iter().for_each(|&j| probabilities[j] = mean);
    let most = (0..len).filter(|&j| j != class).fold(0.0, |most: f64, j| most.max(probabilities[j]));
    // Raised by one unit in the last place, where the mean is equal to others or rounded below them.
    probabilities[class] = if mean > most { mean } else { most.next_up() };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The minimum over a grid of probabilities that agree.
    fn by_search(q: &[f64; 3], class: usize) -> f64 {
        let mut best = f64::INFINITY;
        for i in 1..300_u32 {
            for j in 1..300 - i {
                let p = [f64::from(i) / 300.0, f64::from(j) / 300.0, f64::from(300 - i - j) / 300.0];
                if p[class] >= p[0].max(p[1]).max(p[2]) {
                    best = best.min(loss(q, &p));
                }
            }
        }
        best
    }

    fn loss(q: &[f64], p: &[f64]) -> f64 {
        -q.iter().zip(p).map(|(q, p)| q * p.ln()).sum::<f64>()
    }

    #[test]
    fn no_other_agreeing_probabilities_have_less_expected_loss() {
        for q in [[0.2, 0.5, 0.3], [0.1, 0.5, 0.4], [0.34, 0.33, 0.33], [0.25, 0.7, 0.05], [0.6, 0.2, 0.2]] {
            for class in 0..3 {
                let mut p = q;
                agree(&mut p, class).unwrap();
                assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-15);
                let found = loss(&q, &p);
                assert!(found <= by_search(&q, class) + 1e-12, "{q:?}, {class}: {p:?}");
                assert!(found <= by_search(&q, class) && found >= by_search(&q, class) - 0.01);
            }
        }
    }

    #[test]
    fn the_class_is_the_only_largest_one_also_after_rounding() {
        for q in [vec![0.5, 0.5], vec![0.25; 4], vec![0.1; 10], vec![1.0, 0.0], vec![0.0, 1.0, 0.0]] {
            for class in 0..q.len() {
                let mut p = q.clone();
                agree(&mut p, class).unwrap();
                assert!((0..p.len()).all(|j| j == class || p[j] < p[class]), "{p:?}, {class}");
                assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-14);
                let before = p.clone();
                agree(&mut p, class).unwrap();
                assert_eq!(p, before);
            }
        }
        assert!(agree(&mut [0.5, 0.5], 2).is_err() && agree(&mut [f64::NAN, 0.5], 1).is_err());
    }
}
