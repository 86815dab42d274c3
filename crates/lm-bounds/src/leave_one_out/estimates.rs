//! What the numbers of a solved machine say about its leave-one-out error.
//!
//! # Problem
//! Estimate, or bound from above, how many examples are misclassified by machines that have not seen them, without leaving one
//! out.
//! # Method
//! With multipliers `α`, functional margins `yf(x)`, slacks `ξ`, the norm `‖w‖` and the radius `R` of the data in feature space:
//! ```text
//! support vectors      #sv / ℓ                                    a bound: an example without a multiplier changes nothing
//! Jaakkola–Haussler    #{ αᵢKᵢᵢ ≥ yᵢf(xᵢ) } / ℓ                   a bound for machines without a free bias
//! ξα (Joachims)        #{ 2αᵢR² + ξᵢ ≥ 1 } / ℓ                    a bound for machines with free multipliers, R² ≥ Kᵢᵢ − Kᵢⱼ
//! radius–margin        R²‖w‖² / ℓ                                 a bound for the hard margin; 2-norm slack as K + δ/C
//! GACV (Wahba)         ( Σξᵢ + Σ αᵢKᵢᵢ + Σ_{yᵢf(xᵢ) < −1} αᵢKᵢᵢ ) / ℓ    an estimate of the hinge loss, not of a share
//! ```
//! Shares are rounded up, so that what is a bound remains one. A margin counts with the error that it is known with.
//! # Cost
//! One pass over the examples.
//! # Reference
//! Vapnik (1998), section 10.5; Jaakkola & Haussler (1999); Joachims (2000); Wahba, Lin & Zhang (2000); Cristianini &
//! Shawe-Taylor (2000), remark 6.9.

use lm_core::double_double::DoubleDouble;
use lm_core::{Error, Result, Share, WithoutOne};

/// `count/of`, rounded up.
pub(super) fn share_up(count: usize, of: usize) -> f64 {
    let share = count as f64 / of as f64;
    // The remainder is exact.
    if share.mul_add(of as f64, -(count as f64)) < 0.0 { share.next_up() } else { share }
}

fn share_of(shares: &[Share], counts: impl Fn(&Share) -> bool) -> f64 {
    share_up(shares.iter().filter(|share| counts(share)).count(), shares.len())
}

/// The share of support vectors: no fewer than the share of leave-one-out errors.
///
/// ```
/// use lm_bounds::support_share;
/// use lm_core::Share;
///
/// let share = Share { target: 1.0, alpha: 0.0, most: 1.0, value: 2.0, error: 0.0, norm_squared: 1.0 };
/// let support = Share { alpha: 0.5, value: 1.0, ..share };
/// assert_eq!(support_share(&[share, support, share, support]), 0.5);
/// ```
pub fn support_share(shares: &[Share]) -> f64 {
    share_of(shares, Share::is_support)
}

/// The bound of Jaakkola and Haussler on the share of leave-one-out errors, for machines without a free bias.
///
/// ```
/// use lm_bounds::jaakkola_haussler;
/// use lm_core::Share;
///
/// let sure = Share { target: -1.0, alpha: 0.5, most: 1.0, value: -0.8, error: 0.0, norm_squared: 1.0 };
/// let unsure = Share { alpha: 1.0, ..sure };
/// assert_eq!(jaakkola_haussler(&[sure, unsure]), 0.5);
/// ```
pub fn jaakkola_haussler(shares: &[Share]) -> f64 {
    share_of(shares, |share| {
        share.is_support() && share.alpha * share.norm_squared >= share.margin() - share.error
    })
}

/// Joachims's ξα bound on the share of leave-one-out errors.
///
/// `radius_squared` is no smaller than any `Kᵢᵢ − Kᵢⱼ`: the largest `Kᵢᵢ` will do where no kernel value is negative. It is a bound
/// for machines with at least one multiplier between its bounds; `free_bias` says whether the factor of `αR²` is 2 or, without a
/// bias, 1.
///
/// ```
/// use lm_bounds::xi_alpha;
/// use lm_core::Share;
///
/// let free = Share { target: 1.0, alpha: 0.4, most: 1.0, value: 1.0, error: 0.0, norm_squared: 1.0 };
/// let slack = Share { alpha: 0.4, value: 0.75, ..free };
/// assert_eq!(xi_alpha(&[free, slack], 1.0, true)?, 0.5); // 2·0.4 < 1 ≤ 2·0.4 + 0.25
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`] unless the radius is a finite number ≥ 0.
pub fn xi_alpha(shares: &[Share], radius_squared: f64, free_bias: bool) -> Result<f64> {
    check_radius(radius_squared)?;
    let factor = if free_bias { 2.0 } else { 1.0 };
    Ok(share_of(shares, |share| {
        share.is_support() && factor * share.alpha * radius_squared + share.slack() + share.error >= 1.0
    }))
}

/// The radius–margin bound `R²‖w‖²/ℓ` on the share of leave-one-out errors of a machine with a hard margin, rounded up. Of other
/// machines it is a figure to choose by.
///
/// ```
/// use lm_bounds::radius_margin;
///
/// assert_eq!(radius_margin(2.0, 4.0, 16)?, 0.5);
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Setting`] unless radius and norm are finite numbers ≥ 0, [`Error::Empty`] without examples.
pub fn radius_margin(radius_squared: f64, norm_squared: f64, examples: usize) -> Result<f64> {
    check_radius(radius_squared)?;
    if !(norm_squared >= 0.0 && norm_squared.is_finite()) {
        let accepted = "a finite number ≥ 0";
        return Err(Error::Setting { name: "squared norm", value: norm_squared, accepted });
    }
    if examples == 0 {
        return Err(Error::Empty { what: "the set of examples" });
    }
    let product = radius_squared * norm_squared;
    let product =
        if radius_squared.mul_add(norm_squared, -product) > 0.0 { product.next_up() } else { product };
    let share = product / examples as f64;
    Ok(if share.mul_add(examples as f64, -product) < 0.0 { share.next_up() } else { share })
}

/// Generalised approximate cross-validation: an estimate of the mean hinge loss on examples left out.
///
/// ```
/// use lm_bounds::gacv;
/// use lm_core::Share;
///
/// let free = Share { target: 1.0, alpha: 0.5, most: 1.0, value: 1.0, error: 0.0, norm_squared: 1.0 };
/// let far_wrong = Share { alpha: 1.0, value: -2.0, ..free };
/// assert_eq!(gacv(&[free, far_wrong]), (0.5 + 3.0 + 2.0) / 2.0);
/// ```
pub fn gacv(shares: &[Share]) -> f64 {
    let one = |share: &Share| {
        let twice = if share.margin() < -1.0 { 2.0 } else { 1.0 };
        DoubleDouble::product(twice * share.alpha, share.norm_squared) + share.slack()
    };
    shares.iter().fold(DoubleDouble::ZERO, |sum, share| sum + one(share)).value() / shares.len() as f64
}

/// `‖w‖²` of a machine, from its coefficients and decision values: `Σ αᵢyᵢ(f(xᵢ) − b)`.
///
/// ```
/// use lm_bounds::norm_squared;
/// use lm_core::{BinaryLabels, Control, Dense, TrainingSet, VectorGram, VectorKernel};
/// use lm_qp::{CSvc, Removals};
///
/// let examples = Dense::new(vec![-1.0, 1.0], 2, 1)?;
/// let labels = BinaryLabels::from_integers(&[-1, 1])?;
/// let gram = VectorGram::new(&examples, VectorKernel::linear())?;
/// let machine = Removals::solve(&CSvc::default(), &TrainingSet::new(&gram, &labels)?, &Control::default())?;
/// assert!((norm_squared(&machine) - 1.0).abs() < 1e-12); // f(x) = x
/// # Ok::<(), lm_core::Error>(())
/// ```
pub fn norm_squared<M: WithoutOne + ?Sized>(machine: &M) -> f64 {
    norm_of(machine.shares(), machine.bias())
}

/// The sum with twice the digits: its terms cancel where the bias is large.
fn norm_of(shares: &[Share], bias: f64) -> f64 {
    let sum = shares.iter().fold(DoubleDouble::ZERO, |sum, share| {
        let signed = share.alpha * share.target.signum();
        sum + DoubleDouble::product(signed, share.value) + DoubleDouble::product(-signed, bias)
    });
    sum.value().max(0.0)
}

fn check_radius(value: f64) -> Result<()> {
    if value >= 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(Error::Setting { name: "squared radius", value, accepted: "a finite number ≥ 0" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_rounded_up_and_never_by_more_than_the_last_digit() {
        for of in 1..200_usize {
            for count in 0..=of {
                let share = share_up(count, of);
                // Compared without rounding: the product of a share and a small number has a remainder that is exact.
                assert!(share.mul_add(of as f64, -(count as f64)) >= 0.0, "{count}/{of}");
                assert!(share <= (count as f64 / of as f64).next_up());
            }
        }
        let bound = radius_margin(0.1, 0.3, 7).unwrap();
        let above = bound / (0.1 * 0.3 / 7.0) - 1.0;
        assert!((0.0..=4.0 * f64::EPSILON).contains(&above), "{above:e}");
    }

    /// Shares whose numbers are small multiples of powers of two, and the same as integers.
    fn dyadic(seed: u64) -> (Vec<Share>, Vec<[i128; 4]>) {
        let mut state = seed;
        let mut number = |range: i128| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            i128::from(state >> 33) % range
        };
        let whole: Vec<[i128; 4]> = (0..997)
            .map(|_| [number(1 << 20), number(1 << 10), number(1 << 24) - (1 << 23), 2 * number(2) - 1])
            .collect();
        let share = |&[alpha, norm, value, sign]: &[i128; 4]| Share {
            target: sign as f64,
            alpha: alpha as f64 / 1024.0,
            most: 1024.0,
            value: value as f64 / 65536.0,
            error: 0.0,
            norm_squared: norm as f64 / 256.0,
        };
        (whole.iter().map(share).collect(), whole)
    }

    #[test]
    fn sums_are_those_of_integers_to_the_last_digit() {
        for seed in 0..50 {
            let (shares, whole) = dyadic(seed);
            // In units of 2⁻¹⁸ and 2⁻²⁶.
            let one: i128 = 1 << 16;
            let loss = |&[alpha, norm, value, sign]: &[i128; 4]| {
                let margin = sign * value;
                let twice = if margin < -one { 2 } else { 1 };
                4 * (one - margin).max(0) + twice * alpha * norm
            };
            let exact =
                whole.iter().map(loss).sum::<i128>() as f64 / f64::from(1 << 18) / shares.len() as f64;
            let found = gacv(&shares);
            assert!((found - exact).abs() <= f64::EPSILON * exact, "{found} and {exact}");
            let bias: i128 = (1 << 22) + 12_345;
            let term = |&[alpha, _, value, sign]: &[i128; 4]| alpha * sign * (value - bias);
            let exact = (whole.iter().map(term).sum::<i128>() as f64 / f64::from(1 << 26)).max(0.0);
            let found = norm_of(&shares, bias as f64 / 65536.0);
            assert!((found - exact).abs() <= f64::EPSILON * exact, "{found} and {exact}");
        }
    }

    #[test]
    fn numbers_outside_their_domain_are_named() {
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(radius_margin(bad, 1.0, 1), Err(Error::Setting { name: "squared radius", .. })));
            assert!(matches!(radius_margin(1.0, bad, 1), Err(Error::Setting { name: "squared norm", .. })));
            assert!(xi_alpha(&[], bad, true).is_err());
        }
        assert!(matches!(radius_margin(1.0, 1.0, 0), Err(Error::Empty { .. })));
    }
}
