//! The one problem that every machine of this crate is a case of.
//!
//! # The problem
//! ```text
//! minimise   ½ βᵗ(K + diag r)β + Σ sᵢ(βᵢ)      over β ∈ ℝⁿ
//! subject to lᵢ ≤ βᵢ ≤ uᵢ   and the balance
//!
//! sᵢ(β) = aᵢβ for β ≥ 0,  cᵢβ for β ≤ 0,   cᵢ ≤ aᵢ,   lᵢ ≤ 0 ≤ uᵢ
//! ```
//! `β` holds the coefficients of the machine itself, `f(x) = Σ βᵢK(xᵢ, x) + b`: for a classifier `βᵢ = αᵢyᵢ`, for a
//! regression `βᵢ = αᵢ − αᵢ*`. The kink of `sᵢ` at 0 is what a tube costs, so that a regression has one variable an
//! example and not two. The [`Balance`] is the equality that a bias brings with it, or the two of the machines with a `ν`.
//!
//! # What bounds it
//! For any `β` that is feasible and any multipliers `μ` of the balance, with `v = Kβ` and `zᵢ` the slope of the balance,
//! ```text
//! objective(β) − minimum ≤ Σᵢ [ (vᵢ + zᵢ)βᵢ + ½rᵢβᵢ² + sᵢ(βᵢ) − mᵢ(vᵢ + zᵢ) ] ,   mᵢ(z) = min over lᵢ ≤ t ≤ uᵢ of zt + ½rᵢt² + sᵢ(t)
//! ```
//! Every term is at least 0, so nothing cancels in the sum; and `−Σ mᵢ` is the loss of the machine in the primal.

use lm_core::double_double::{DoubleDouble, dot};
use lm_core::{Error, Result};

/// The equalities of a problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Balance {
    /// None: the machine has no bias of its own.
    Open,
    /// `Σβᵢ` is this number; its multiplier is the bias `b`.
    Total(f64),
    /// The positive `βᵢ` add up to `positive` and the negative ones to `−negative`, each with a multiplier of its own:
    /// `b − ρ` and `b + ρ`.
    Sides {
        /// What the positive coefficients add up to.
        positive: f64,
        /// What the sizes of the negative coefficients add up to.
        negative: f64,
    },
    /// `Σβᵢ` is `total` and `Σ|βᵢ|` at most `most`; the multipliers are `b + ε` and `b − ε`, where `ε ≥ 0`.
    Sizes {
        /// What the coefficients add up to.
        total: f64,
        /// The most that their sizes add up to.
        most: f64,
    },
}

/// The multipliers of the balance, as slopes that are added to those of the problem.
///
/// Without a balance both are 0; for [`Balance::Total`] both are `b`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Multipliers {
    /// Added to the slope of positive coefficients: `b`, or `b − ρ`, or `b + ε`.
    pub positive: f64,
    /// Added to the slope of negative coefficients: `b`, or `b + ρ`, or `b − ε`.
    pub negative: f64,
}

impl Multipliers {
    /// The bias `b` of the machine.
    pub fn bias(&self) -> f64 {
        0.5 * (self.positive + self.negative)
    }

    /// The margin variable `ρ` of a classifier with a `ν`, and minus the tube `ε` of a regression with one; 0 for the others.
    pub fn rho(&self) -> f64 {
        0.5 * (self.negative - self.positive)
    }
}

/// Bounds, slopes, ridge and balance of a problem; the matrix `K` is a [`Gram`](lm_core::Gram) beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct DualProblem {
    lower: Vec<f64>,
    upper: Vec<f64>,
    below: Vec<f64>,
    above: Vec<f64>,
    ridge: Vec<f64>,
    balance: Balance,
}

impl DualProblem {
    /// A problem with a slope for each variable, `sᵢ(β) = slopesᵢβ`, and these bounds, `lower ≤ 0 ≤ upper`; bounds may be
    /// infinite.
    ///
    /// ```
    /// use lm_qp::{Balance, DualProblem};
    ///
    /// // The soft margin machine on two examples, C = 1: β₀ = α₀ and β₁ = −α₁.
    /// let problem = DualProblem::new(vec![0.0, -1.0], vec![1.0, 0.0], vec![-1.0, 1.0], Balance::Total(0.0))?;
    /// assert_eq!(problem.len(), 2);
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Empty`] without variables, [`Error::Length`] if the lists differ in length, [`Error::NonFinite`] for a
    /// slope that is not finite, [`Error::Setting`] for bounds that do not enclose 0 or a balance they do not allow.
    pub fn new(lower: Vec<f64>, upper: Vec<f64>, slopes: Vec<f64>, balance: Balance) -> Result<Self> {
        let n = lower.len();
        if n == 0 {
            return Err(Error::Empty { what: "the list of variables" });
        }
        for (what, found) in [("the list of upper bounds", upper.len()), ("the list of slopes", slopes.len())]
        {
            if found != n {
                return Err(Error::Length { what, expected: n, found });
            }
        }
        if let Some(&value) = lower.iter().find(|&&value| !(value <= 0.0)) {
            return Err(Error::Setting { name: "lower bound", value, accepted: "a number ≤ 0" });
        }
        if let Some(&value) = upper.iter().find(|&&value| !(value >= 0.0)) {
            return Err(Error::Setting { name: "upper bound", value, accepted: "a number ≥ 0" });
        }
        check_finite("slope", &slopes)?;
        let problem = Self { lower, upper, below: slopes.clone(), above: slopes, ridge: Vec::new(), balance };
        problem.check_balance()?;
        Ok(problem)
    }

    /// Widens the kink at 0: `sᵢ(β) = slopeᵢβ + widthᵢ|β|`.
    ///
    /// # Errors
    /// [`Error::Length`] unless there is one width per variable, [`Error::Setting`] unless all are finite and ≥ 0.
    pub fn with_tube(mut self, widths: &[f64]) -> Result<Self> {
        self.check_list("the list of widths", "width", widths)?;
        for (i, width) in widths.iter().enumerate() {
            self.above[i] += width;
            self.below[i] -= width;
        }
        Ok(self)
    }

    /// Adds `½ rᵢβᵢ²`: the cost of squared slack, as `K + diag r`.
    ///
    /// # Errors
    /// [`Error::Length`] unless there is one value per variable, [`Error::Setting`] unless all are finite and ≥ 0.
    pub fn with_ridge(mut self, ridge: Vec<f64>) -> Result<Self> {
        self.check_list("the ridge", "ridge", &ridge)?;
        self.ridge = ridge;
        Ok(self)
    }

    fn check_list(&self, what: &'static str, name: &'static str, list: &[f64]) -> Result<()> {
        if list.len() != self.len() {
            return Err(Error::Length { what, expected: self.len(), found: list.len() });
        }
        match list.iter().find(|&&value| !(value >= 0.0 && value.is_finite())) {
            Some(&value) => Err(Error::Setting { name, value, accepted: "a finite number ≥ 0" }),
            None => Ok(()),
        }
    }

    fn check_balance(&self) -> Result<()> {
        let (most, least): (f64, f64) = (self.upper.iter().sum(), self.lower.iter().sum());
        // Sums of bounds are rounded.
        let room = 1.0 + self.len() as f64 * f64::EPSILON;
        let within = |value: f64, low: f64, high: f64| value >= low * room && value <= high * room;
        let (value, possible) = match self.balance {
            Balance::Open => (0.0, true),
            Balance::Total(total) => (total, within(total, least, most)),
            Balance::Sides { positive, negative } if within(positive, 0.0, most) => {
                (negative, within(negative, 0.0, -least))
            }
            Balance::Sides { positive, .. } => (positive, false),
            Balance::Sizes { total, most } => (most, most >= total.abs() && within(total, least, most)),
        };
        if possible && value.is_finite() {
            Ok(())
        } else {
            Err(Error::Setting { name: "balance", value, accepted: "a sum that the bounds allow" })
        }
    }

    /// The number of variables.
    pub fn len(&self) -> usize {
        self.lower.len()
    }

    /// Always false: a problem without variables cannot be made.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The lower bounds `l`.
    #[inline]
    pub fn lower(&self) -> &[f64] {
        &self.lower
    }

    /// The upper bounds `u`.
    #[inline]
    pub fn upper(&self) -> &[f64] {
        &self.upper
    }

    /// The slopes `c` of negative coefficients.
    #[inline]
    pub fn below(&self) -> &[f64] {
        &self.below
    }

    /// The slopes `a` of positive coefficients.
    #[inline]
    pub fn above(&self) -> &[f64] {
        &self.above
    }

    /// The ridge `r` of one variable.
    ///
    /// # Panics
    /// Panics, as a slice does, unless `i < self.len()`.
    #[inline]
    pub fn ridge(&self, i: usize) -> f64 {
        if self.ridge.is_empty() { 0.0 } else { self.ridge[i] }
    }

    /// The equalities.
    #[inline]
    pub fn balance(&self) -> Balance {
        self.balance
    }

    /// `sᵢ(β) + ½rᵢβ²`.
    pub(crate) fn own_cost(&self, i: usize, beta: f64) -> f64 {
        let slope = if beta > 0.0 { self.above[i] } else { self.below[i] };
        (slope + 0.5 * self.ridge(i) * beta) * beta
    }

    /// The problem with these numbers added to the slopes.
    pub(crate) fn shifted(&self, shift: &[f64]) -> Self {
        let add = |slopes: &[f64]| slopes.iter().zip(shift).map(|(slope, shift)| slope + shift).collect();
        Self { below: add(&self.below), above: add(&self.above), ..self.clone() }
    }

    /// The problem of some variables, where `others` keep what they have of the balance. What these add to the slopes is
    /// for the caller to add.
    pub(crate) fn restricted(&self, rows: &[usize], others: &[f64]) -> Self {
        let some = |list: &[f64]| rows.iter().map(|&i| list[i]).collect::<Vec<f64>>();
        // A sum of one list is as exact as its balance must be.
        let sum = |of: &dyn Fn(f64) -> f64| {
            let terms: Vec<f64> = others.iter().map(|&value| of(value)).collect();
            dot(&terms, &vec![1.0; terms.len()])
        };
        let left = |total: f64, used: DoubleDouble| (DoubleDouble::from(total) - used).value();
        let balance = match self.balance {
            Balance::Open => Balance::Open,
            Balance::Total(total) => Balance::Total(left(total, sum(&|value| value))),
            Balance::Sides { positive, negative } => Balance::Sides {
                positive: left(positive, sum(&|value| value.max(0.0))),
                negative: left(negative, sum(&|value| (-value).max(0.0))),
            },
            Balance::Sizes { total, most } => {
                Balance::Sizes { total: left(total, sum(&|value| value)), most: left(most, sum(&f64::abs)) }
            }
        };
        Self {
            lower: some(&self.lower),
            upper: some(&self.upper),
            below: some(&self.below),
            above: some(&self.above),
            ridge: if self.ridge.is_empty() { Vec::new() } else { some(&self.ridge) },
            balance,
        }
    }

    /// The same problem over more variables, of which those not `kept` cannot move.
    pub(crate) fn spread(&self, kept: &[usize], len: usize) -> Self {
        let wide = |list: &[f64]| {
            let mut all = vec![0.0; len];
            kept.iter().zip(list).for_each(|(&i, &value)| all[i] = value);
            all
        };
        Self {
            lower: wide(&self.lower),
            upper: wide(&self.upper),
            below: wide(&self.below),
            above: wide(&self.above),
            ridge: if self.ridge.is_empty() { Vec::new() } else { wide(&self.ridge) },
            balance: self.balance,
        }
    }

    /// A feasible point near `start`: clipped to the bounds, then moved to the balance variable by variable.
    ///
    /// # Errors
    /// [`Error::Length`] unless there is one value per variable, [`Error::NonFinite`] for one that is not finite.
    pub fn feasible_near(&self, start: &[f64]) -> Result<Vec<f64>> {
        if start.len() != self.len() {
            return Err(Error::Length { what: "the start", expected: self.len(), found: start.len() });
        }
        check_finite("start", start)?;
        let mut beta: Vec<f64> =
            start.iter().enumerate().map(|(i, &value)| value.clamp(self.lower[i], self.upper[i])).collect();
        match self.balance {
            Balance::Open => {}
            Balance::Total(total) => {
                let excess = beta.iter().sum::<f64>() - total;
                self.take(&mut beta, excess, |lower, upper, _| (lower, upper));
            }
            Balance::Sizes { total, most } => self.take_sizes(&mut beta, total, most),
            Balance::Sides { positive, negative } => {
                let side =
                    |beta: &[f64], sign: f64| beta.iter().map(|value| (sign * value).max(0.0)).sum::<f64>();
                let excess = side(&beta, 1.0) - positive;
                // A variable keeps its side; one at 0 may take either.
                self.take(&mut beta, excess, |_, upper, value| {
                    (value.min(0.0), if value < 0.0 { value } else { upper })
                });
                let excess = side(&beta, -1.0) - negative;
                self.take(&mut beta, -excess, |lower, _, value| {
                    (if value > 0.0 { value } else { lower }, value.max(0.0))
                });
            }
        }
        Ok(beta)
    }

    /// Makes the sum `total` and the sum of the sizes at most `most`.
    fn take_sizes(&self, beta: &mut [f64], total: f64, most: f64) {
        // Toward 0 first, so that no size grows without need.
        let excess = beta.iter().sum::<f64>() - total;
        self.take(beta, excess, |_, _, value| (value.min(0.0), value.max(0.0)));
        let excess = beta.iter().sum::<f64>() - total;
        self.take(beta, excess, |lower, upper, _| (lower, upper));
        let (up, down) = beta
            .iter()
            .fold((0.0, 0.0), |(up, down), &value: &f64| (up + value.max(0.0), down + (-value).max(0.0)));
        // Both sides smaller by the same sum keep the total.
        let less = 0.5 * (up + down - most);
        if less > 0.0 {
            self.take(beta, less.min(up), |_, _, value| (value.min(0.0), value));
            self.take(beta, -less.min(down), |_, _, value| (value, value.max(0.0)));
        }
    }

    /// Takes `excess` away from the variables in their order, each within the bounds that `room` gives it: first from those
    /// between their bounds, so that one at a bound does not leave it for a rounding.
    fn take(&self, beta: &mut [f64], mut excess: f64, room: impl Fn(f64, f64, f64) -> (f64, f64)) {
        for between in [true, false] {
            for (i, value) in beta.iter_mut().enumerate() {
                if excess == 0.0 {
                    return;
                }
                let at_end = *value == 0.0 || *value == self.lower[i] || *value == self.upper[i];
                if between && at_end {
                    continue;
                }
                let (low, high) = room(self.lower[i], self.upper[i], *value);
                let moved = (*value - excess).clamp(low, high);
                excess -= *value - moved;
                *value = moved;
            }
        }
    }
}

fn check_finite(what: &'static str, list: &[f64]) -> Result<()> {
    match list.iter().position(|value| !value.is_finite()) {
        Some(row) => Err(Error::NonFinite { what, row, column: None }),
        None => Ok(()),
    }
}
