//! Shrinkage of a scatter matrix toward a multiple of the identity.
//!
//! # Problem
//! ```text
//! Σ(γ) = (1 − γ) S + γ μ I ,  S = S_W / W ,  μ = tr S / d ;      choose γ with least E ‖Σ(γ) − Σ‖²
//! ```
//! # Method
//! The best `γ` is the variance of the entries of `S` over its distance from `μI`, and both have consistent estimates:
//! ```text
//! β² = (Σ ω‖x − m_c‖⁴ / W − ‖S‖²) / W ,      δ² = ‖S − μI‖² ,      γ = min(β², δ²) / δ²        (Frobenius norms)
//! ```
//! # Cost
//! One more pass over the examples for the fourth powers, `nd` operations.
//! # Reference
//! Ledoit & Wolf (2004), *A well-conditioned estimator for large-dimensional covariance matrices*, section 3.

use lm_core::linalg::Matrix;
use lm_core::{Collection, Error, Examples, Result, Weights, parallel};

use crate::lda::ClassMoments;
use crate::statistics::RowBlocks;

/// How much of the common variance is mixed into the scatter.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Shrinkage {
    /// Nothing.
    #[default]
    None,
    /// This share, from 0 to 1.
    Given(f64),
    /// The share that is best in the mean, estimated from the examples by the rule of Ledoit and Wolf. It costs another pass.
    LedoitWolf,
}

impl Shrinkage {
    pub(crate) fn validate(self) -> Result<()> {
        match self {
            Self::Given(share) if !(0.0..=1.0).contains(&share) => {
                Err(Error::Setting { name: "shrinkage", value: share, accepted: "a number from 0 to 1" })
            }
            _ => Ok(()),
        }
    }
}

/// `(1 − γ) S_W + γ (tr S_W / d) I`, in the lower triangle.
pub(crate) fn shrunk(scatter: &Matrix, share: f64) -> Matrix {
    let dim = scatter.rows();
    let mean = (0..dim).map(|k| scatter[(k, k)]).sum::<f64>() / dim as f64;
    let mut shrunk = scatter.clone();
    if share > 0.0 {
        shrunk.values_mut().iter_mut().for_each(|value| *value *= 1.0 - share);
        (0..dim).for_each(|k| shrunk[(k, k)] += share * mean);
    }
    shrunk
}

/// `Σ ω‖x − m_c‖⁴` over examples, the means being those of `moments`. The sums of the blocks of a stream add up.
///
/// # Errors
/// [`Error::Length`] for another dimension or other numbers of labels or weights, [`Error::Label`] for a class that the
/// moments do not have, [`Error::Numerical`] if the sum overflows.
pub fn fourth_powers<E: Examples + ?Sized>(
    moments: &ClassMoments,
    examples: &E,
    labels: &[i64],
    weights: Option<&Weights>,
) -> Result<f64> {
    examples.check_dim("the class mean", moments.dim())?;
    let of_weights = weights.map_or(examples.len(), Collection::len);
    for (what, found) in [("the list of labels", labels.len()), ("the list of weights", of_weights)] {
        if found != examples.len() {
            return Err(Error::Length { what, expected: examples.len(), found });
        }
    }
    let class = |row: usize| {
        let accepted = "a class of the accumulator";
        moments.classes().binary_search(&labels[row]).map_err(|_| Error::Label {
            row,
            value: labels[row] as f64,
            accepted,
        })
    };
    let blocks = RowBlocks::with_rows(examples, 512);
    let parts = parallel::map(blocks.len(), |block| {
        let mut rows = Vec::new();
        blocks.fill(block, &mut rows);
        let mut sum = 0.0;
        for (row, x) in blocks.range(block).zip(rows.chunks_exact(moments.dim())) {
            let own = weights.map_or(1.0, |weights| weights.values()[row]);
            if own > 0.0 {
                let deviations = x.iter().zip(moments.mean(class(row)?)).map(|(x, mean)| x - mean);
                let square: f64 = deviations.map(|deviation| deviation * deviation).sum();
                sum += own * square * square;
            }
        }
        Ok(sum)
    });
    let sum = parts.into_iter().sum::<Result<f64>>()?;
    if sum.is_finite() { Ok(sum) } else { Err(Error::Numerical { what: "the sum of fourth powers" }) }
}

/// The share that is best in the mean, from the scatter within classes and [`fourth_powers`].
///
/// # Errors
/// [`Error::Setting`] for a sum of fourth powers that is negative or not finite, [`Error::Numerical`] if norms overflow.
///
/// ```
/// use lm_closed::{ClassMoments, fourth_powers, ledoit_wolf};
/// use lm_core::Dense;
///
/// let examples = Dense::new(vec![1.0, 0.0, -1.0, 0.0, 5.0, 2.0, 5.0, -2.0], 4, 2)?;
/// let labels = [0, 0, 1, 1];
/// let mut moments = ClassMoments::new(&[0, 1], 2)?;
/// moments.add(&examples, &labels, None)?;
/// let share = ledoit_wolf(&moments, fourth_powers(&moments, &examples, &labels, None)?)?;
/// assert!((0.0..=1.0).contains(&share)); // four examples in the plane say little: the share is large
/// assert!(share > 0.5);
/// # Ok::<(), lm_core::Error>(())
/// ```
pub fn ledoit_wolf(moments: &ClassMoments, fourth_powers: f64) -> Result<f64> {
    if !(fourth_powers >= 0.0 && fourth_powers.is_finite()) {
        let accepted = "a finite number ≥ 0";
        return Err(Error::Setting { name: "fourth_powers", value: fourth_powers, accepted });
    }
    let (scatter, total, dim) = (moments.scatter(), moments.weight(), moments.dim());
    let mean = (0..dim).map(|k| scatter[(k, k)]).sum::<f64>() / (dim as f64 * total);
    let (mut square, mut distance) = (0.0, 0.0);
    for j in 0..dim {
        for i in j..dim {
            let (value, times) = (scatter[(i, j)] / total, if i == j { 1.0 } else { 2.0 });
            let off = if i == j { value - mean } else { value };
            square += times * value * value;
            distance += times * off * off;
        }
    }
    best_share((fourth_powers / total - square) / total, distance)
}

/// `γ` from `β²` and `δ²`.
pub(crate) fn best_share(variance: f64, distance: f64) -> Result<f64> {
    if !(variance.is_finite() && distance.is_finite()) {
        return Err(Error::Numerical { what: "the norm of the scatter" });
    }
    // A scatter that is a multiple of the identity is left as it is by any share.
    Ok(if distance > 0.0 { (variance / distance).clamp(0.0, 1.0) } else { 0.0 })
}
