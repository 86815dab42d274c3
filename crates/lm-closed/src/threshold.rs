//! Where to cut a line so that the fewest examples fall on the wrong side, exactly.
//!
//! # Problem
//! ```text
//! minimise Σ { ωᵢ : sgn(pᵢ − t) ≠ yᵢ }   over t ,   sgn(0) = +1
//! ```
//! # Method
//! The sum changes only where `t` passes a value `pᵢ`: sort them and walk, one candidate between every two neighbours that
//! differ and one beyond each end. Of equally good cuts the one in the widest gap is taken, and of those the lowest.
//! # Cost
//! `O(n log n)`.
//! # Reference
//! Duda, Hart & Stork (2001), section 5.4; Hastie, Tibshirani & Friedman (2009), section 4.3 ("choose the cut-point that
//! empirically minimises training error").

use lm_core::{Error, Result, Sign};

/// A cut, and the weight of what it puts on the wrong side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cut {
    pub(crate) threshold: f64,
    pub(crate) errors: f64,
}

/// The best cut of values with these signs and weights.
pub(crate) fn least_error(
    values: &[f64],
    sign: impl Fn(usize) -> Sign,
    weight: impl Fn(usize) -> f64,
) -> Result<Cut> {
    let mut order: Vec<usize> = (0..values.len()).filter(|&row| weight(row) > 0.0).collect();
    order.sort_unstable_by(|&a, &b| values[a].total_cmp(&values[b]).then(a.cmp(&b)));
    let (Some(&first), Some(&last)) = (order.first(), order.last()) else {
        return Err(Error::Empty { what: "the list of values to be cut" });
    };
    let (low, high) = (values[first], values[last]);
    // Beyond an end by as much as the values spread, or by 1 where they do not.
    let beyond = if high > low { 0.5 * (high - low) } else { 1.0 };
    // Below all values everything is positive.
    let mut errors: f64 =
        order.iter().filter(|&&row| sign(row) == Sign::Negative).map(|&row| weight(row)).sum();
    let mut best = (Cut { threshold: low - beyond, errors }, 0.0);
    let mut at = 0;
    while at < order.len() {
        let value = values[order[at]];
        // Equal values change sides together.
        while at < order.len() && values[order[at]] == value {
            let own = weight(order[at]);
            errors += if sign(order[at]) == Sign::Positive { own } else { -own };
            at += 1;
        }
        let (threshold, gap) = match order.get(at) {
            Some(&next) => (between(value, values[next]), values[next] - value),
            None => (high + beyond, 0.0),
        };
        // Sums of weights that are not whole numbers differ by rounding where they are equal.
        let same = (errors - best.0.errors).abs() <= 1e-12 * (errors.abs() + best.0.errors.abs());
        if if same { gap > best.1 } else { errors < best.0.errors } {
            best = (Cut { threshold, errors }, gap);
        }
    }
    let cut = Cut { errors: best.0.errors.max(0.0), ..best.0 };
    if cut.threshold.is_finite() { Ok(cut) } else { Err(Error::Numerical { what: "the threshold" }) }
}

/// A number above `low` and not above `high`, halfway where there is one.
fn between(low: f64, high: f64) -> f64 {
    let middle = 0.5 * low + 0.5 * high;
    if middle > low && middle <= high { middle } else { high }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::testing::SplitMix64;

    fn errors(values: &[f64], signs: &[Sign], weights: &[f64], threshold: f64) -> f64 {
        let rows = values.iter().zip(signs).zip(weights);
        rows.filter(|((value, sign), _)| Sign::of(**value - threshold) != **sign).map(|(_, own)| own).sum()
    }

    #[test]
    fn no_other_cut_is_better() {
        let mut random = SplitMix64::new(5);
        for round in 0..300 {
            let len = 1 + random.below(12);
            let values: Vec<f64> = (0..len).map(|_| random.below(6) as f64).collect();
            let signs: Vec<Sign> = (0..len).map(|_| Sign::of(random.uniform(-1.0, 1.0))).collect();
            let weights: Vec<f64> = (0..len).map(|_| 1.0 + random.below(3) as f64).collect();
            let cut = least_error(&values, |row| signs[row], |row| weights[row]).unwrap();
            assert_eq!(errors(&values, &signs, &weights, cut.threshold), cut.errors, "round {round}");
            for half in -1..13 {
                let other = errors(&values, &signs, &weights, 0.5 * f64::from(half));
                assert!(cut.errors <= other, "round {round}");
            }
        }
    }

    #[test]
    fn neighbouring_numbers_are_told_apart() {
        let (low, high) = (1.0, 1.0 + f64::EPSILON);
        let signs = [Sign::Negative, Sign::Positive];
        let cut = least_error(&[low, high], |row| signs[row], |_| 1.0).unwrap();
        assert_eq!(cut.errors, 0.0);
        assert_eq!((Sign::of(low - cut.threshold), Sign::of(high - cut.threshold)), (signs[0], signs[1]));
    }

    #[test]
    fn the_widest_gap_is_taken_and_what_has_no_weight_is_absent() {
        let signs = [Sign::Negative, Sign::Negative, Sign::Positive, Sign::Negative];
        let cut =
            least_error(&[0.0, 1.0, 9.0, 3.0], |row| signs[row], |row| [1.0, 1.0, 1.0, 0.0][row]).unwrap();
        assert_eq!(cut, Cut { threshold: 5.0, errors: 0.0 });
        assert!(least_error(&[1.0], |_| Sign::Positive, |_| 0.0).is_err());
    }
}
