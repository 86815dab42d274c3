//! Margins of examples with respect to a hyperplane, their distribution, and the slack that they leave.
//!
//! ```text
//! functional margin   γᵢ = yᵢ (⟨w·xᵢ⟩ + b)
//! geometric margin    γᵢ / ‖w‖, the signed distance to the hyperplane
//! margin slack        ξᵢ = max(0, γ − γᵢ) for a target margin γ > 0
//! ```
//!
//! Reference: Cristianini & Shawe-Taylor (2000), definitions 2.2 and 2.6.

use crate::collection::Collection;
use crate::{BinaryLabels, DualExpansion, Error, Examples, Gram, Hypothesis, Linear, Result, TrainingSet};

/// The margin of every example of a set, in the order of the examples, with their distribution.
///
/// ```
/// use lm_core::{BinaryLabels, Dense, Linear, Margins, TrainingSet};
///
/// let examples = Dense::new(vec![-2.0, 3.0, 0.25], 3, 1)?;
/// let labels = BinaryLabels::from_integers(&[-1, 1, -1])?;
/// let set = TrainingSet::new(&examples, &labels)?;
/// let margins = Margins::geometric(&Linear::new(vec![2.0], 0.0)?, &set)?;
/// assert_eq!(margins.values(), [2.0, 3.0, -0.25]);
/// assert_eq!(margins.minimum(), -0.25); // the margin of the set
/// assert_eq!(margins.quantile(0.5)?, 2.0);
///
/// let slack = margins.slack(1.0)?;
/// assert_eq!(slack.values(), [0.0, 0.0, 1.25]); // ξ > γ: misclassified
/// assert_eq!(slack.norm(), 1.25);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Margins {
    values: Vec<f64>,
    sorted: Vec<f64>,
}

impl Margins {
    /// The margins that belong to decision values and labels: functional ones if `norm` is 1, geometric ones if it is
    /// `‖w‖`, in whatever space `w` lives.
    ///
    /// # Errors
    /// [`Error::Length`] unless there is one label per decision value, [`Error::NonFinite`] for a decision value that
    /// is not finite, [`Error::Setting`] unless the norm is positive and finite, [`Error::Numerical`] if a margin
    /// overflows.
    pub fn new(decision_values: &[f64], labels: &BinaryLabels, norm: f64) -> Result<Self> {
        if decision_values.len() != labels.len() {
            let (expected, found) = (labels.len(), decision_values.len());
            return Err(Error::Length { what: "the list of decision values", expected, found });
        }
        if let Some(row) = decision_values.iter().position(|value| !value.is_finite()) {
            return Err(Error::NonFinite { what: "decision value", row, column: None });
        }
        if !(norm > 0.0 && norm.is_finite()) {
            return Err(Error::Setting { name: "norm", value: norm, accepted: "a finite number > 0" });
        }
        let pairs = decision_values.iter().zip(labels.signs());
        let values: Vec<f64> = pairs.map(|(value, sign)| sign.value() * value / norm).collect();
        if values.iter().any(|value| !value.is_finite()) {
            return Err(Error::Numerical { what: "a geometric margin" });
        }
        let mut sorted = values.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        Ok(Self { values, sorted })
    }

    /// `yᵢ f(xᵢ)` for every example of a set.
    ///
    /// # Errors
    /// What computing the decision values gives.
    pub fn functional<S: Collection + ?Sized>(
        hypothesis: &impl Hypothesis<S>,
        set: &TrainingSet<'_, S, BinaryLabels>,
    ) -> Result<Self> {
        Self::new(&hypothesis.decision_values(set.examples())?, set.labels(), 1.0)
    }

    /// `yᵢ f(xᵢ) / ‖w‖` for every example of a set.
    ///
    /// # Errors
    /// As [`Margins::new`]; [`Error::Setting`] if all weights are zero, so that there is no hyperplane.
    pub fn geometric<E: Examples + ?Sized>(
        hyperplane: &Linear,
        set: &TrainingSet<'_, E, BinaryLabels>,
    ) -> Result<Self> {
        Self::new(&hyperplane.decision_values(set.examples())?, set.labels(), hyperplane.norm())
    }

    /// `yᵢ f(xᵢ) / ‖w‖` for every example of a set, where `w` lies in the feature space of the Gram matrix.
    ///
    /// ```
    /// use lm_core::{BinaryLabels, DualExpansion, Margins, MatrixGram, TrainingSet};
    ///
    /// // ‖w‖² = 1 + 1 − 2·½ = 1.
    /// let gram = MatrixGram::precomputed(vec![1.0, 0.5, 0.5, 1.0], 2)?;
    /// let labels = BinaryLabels::from_integers(&[1, -1])?;
    /// let machine = DualExpansion::new(vec![0, 1], vec![3.0, -3.0], 0.0)?;
    /// let margins = Margins::in_feature_space(&machine, &TrainingSet::new(&gram, &labels)?)?;
    /// assert_eq!(margins.values(), [0.5, 0.5]);
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Margins::new`], and as computing the rows of the Gram matrix; [`Error::Setting`] if `w` is 0, so that there is no
    /// hyperplane.
    pub fn in_feature_space<G: Gram + ?Sized>(
        machine: &DualExpansion,
        set: &TrainingSet<'_, G, BinaryLabels>,
    ) -> Result<Self> {
        let norm = machine.norm_squared(set.examples())?.sqrt();
        Self::new(&machine.decision_values(set.examples())?, set.labels(), norm)
    }

    /// The margin of each example.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The margins in increasing order.
    pub fn sorted(&self) -> &[f64] {
        &self.sorted
    }

    /// The smallest margin: the margin of the set, positive if the hyperplane separates it.
    pub fn minimum(&self) -> f64 {
        self.sorted.first().copied().unwrap_or_default()
    }

    /// The margin below which a share `share` of the examples lies, interpolated between neighbours.
    ///
    /// # Errors
    /// [`Error::Setting`] unless `0 ≤ share ≤ 1`.
    pub fn quantile(&self, share: f64) -> Result<f64> {
        if !(0.0..=1.0).contains(&share) {
            return Err(Error::Setting { name: "share", value: share, accepted: "a number from 0 to 1" });
        }
        let last = self.sorted.len().saturating_sub(1);
        let position = share * last as f64;
        let below = (position.floor() as usize).min(last);
        let (low, high) = (self.sorted[below], self.sorted[(below + 1).min(last)]);
        let part = position - below as f64;
        // Not low + part·(high − low), which overflows for margins of opposite sign.
        Ok((1.0 - part) * low + part * high)
    }

    /// How many examples lie strictly on the wrong side. An example on the hyperplane itself has margin 0 for either
    /// label, and is classified by sgn(0) = +1.
    pub fn negative(&self) -> usize {
        self.sorted.partition_point(|&value| value < 0.0)
    }

    /// The slack that the examples leave with respect to a target margin.
    ///
    /// # Errors
    /// [`Error::Setting`] unless the target margin is positive and finite, [`Error::Numerical`] if a slack overflows.
    pub fn slack(&self, gamma: f64) -> Result<Slack> {
        if !(gamma > 0.0 && gamma.is_finite()) {
            return Err(Error::Setting { name: "gamma", value: gamma, accepted: "a finite number > 0" });
        }
        let values: Vec<f64> = self.values.iter().map(|margin| (gamma - margin).max(0.0)).collect();
        let slack = Slack { norm: norm(&values), values, gamma };
        if slack.norm.is_finite() {
            Ok(slack)
        } else {
            Err(Error::Numerical { what: "the norm of the margin slack" })
        }
    }
}

/// By how much each example fails to have a target margin γ.
///
/// An example is strictly on the wrong side exactly if `ξᵢ > γ` in exact arithmetic. In floating-point arithmetic a
/// margin that is negative and tiny beside γ leaves `ξᵢ = γ`; count those with [`Margins::negative`].
#[derive(Debug, Clone, PartialEq)]
pub struct Slack {
    values: Vec<f64>,
    gamma: f64,
    norm: f64,
}

impl Slack {
    /// `ξᵢ` for every example.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The target margin γ.
    pub fn gamma(&self) -> f64 {
        self.gamma
    }

    /// `D = ‖ξ‖`, without overflow where `D` itself is finite.
    pub fn norm(&self) -> f64 {
        self.norm
    }

    /// The sum of the slacks, `‖ξ‖₁`.
    pub fn sum(&self) -> f64 {
        self.values.iter().sum()
    }
}

/// The Euclidean norm, scaled by the largest entry so that no square overflows or vanishes.
fn norm(values: &[f64]) -> f64 {
    let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    let scaled: f64 = values.iter().map(|value| (value / largest) * (value / largest)).sum();
    largest * scaled.sqrt()
}
