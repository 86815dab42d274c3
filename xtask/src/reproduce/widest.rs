//! The widest margin of a set in the plane, by trying every direction that can have it: a reference that solves nothing.
//!
//! For a unit vector `u` the best hyperplane lies halfway between the classes, and its margin is half of
//! `min over +1 of ⟨u·x⟩ − max over −1 of ⟨u·x⟩`. On the circle this is a smooth wave between the directions in which two
//! examples of one class change places. So its maximum is at one of these directions, or along the difference of two
//! examples of different classes. It is positive where a line separates the classes, and negative where none does.

use lm_core::{Linear, Result, Sign};

use super::measure::{Binary, of_class};

/// The hyperplane with the widest margin, `‖w‖ = 1`, and that margin.
pub(crate) fn widest(data: &Binary) -> Result<(Linear, f64)> {
    let (positive, negative) = (of_class(data, Sign::Positive), of_class(data, Sign::Negative));
    let mut best = (Linear::new(vec![1.0, 0.0], 0.0)?, f64::NEG_INFINITY);
    let mut attempt = |[x, y]: [f64; 2]| -> Result<()> {
        let length = x.hypot(y);
        if length > 0.0 {
            let u = [x / length, y / length];
            let (margin, bias) = halfway(u, &positive, &negative);
            if margin > best.1 {
                best = (Linear::new(u.to_vec(), bias)?, margin);
            }
        }
        Ok(())
    };
    for p in &positive {
        for n in &negative {
            attempt([p[0] - n[0], p[1] - n[1]])?;
        }
    }
    for class in [&positive, &negative] {
        for (i, p) in class.iter().enumerate() {
            for q in &class[..i] {
                let normal = [p[1] - q[1], q[0] - p[0]];
                attempt(normal)?;
                attempt(normal.map(|x| -x))?;
            }
        }
    }
    Ok(best)
}

/// The margin and the bias of the hyperplane halfway between the classes, with the unit normal `u`.
pub(crate) fn halfway(u: [f64; 2], positive: &[[f64; 2]], negative: &[[f64; 2]]) -> (f64, f64) {
    let along = |p: &[f64; 2]| u[0] * p[0] + u[1] * p[1];
    let low = positive.iter().map(along).fold(f64::INFINITY, f64::min);
    let high = negative.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
    (0.5 * (low - high), -0.5 * (low + high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::{BinaryLabels, Dense};

    fn set(points: &[[f64; 2]], labels: &[i64]) -> Binary {
        Binary {
            examples: Dense::from_rows(points).unwrap(),
            labels: BinaryLabels::from_integers(labels).unwrap(),
        }
    }

    #[test]
    fn known_margins() {
        let two = set(&[[0.0, 0.0], [3.0, 4.0]], &[-1, 1]);
        assert!((widest(&two).unwrap().1 - 2.5).abs() < 1e-15);
        // An edge faces a corner.
        let three = set(&[[0.0, 0.0], [4.0, -1.0], [4.0, 1.0]], &[-1, 1, 1]);
        let (plane, margin) = widest(&three).unwrap();
        assert!((margin - 2.0).abs() < 1e-15 && (plane.bias() + 2.0).abs() < 1e-15);
        // One of +1 between two of −1: at best all are halfway.
        let inside = set(&[[-1.0, 0.0], [1.0, 0.0], [0.0, 0.0]], &[-1, -1, 1]);
        assert!(widest(&inside).unwrap().1.abs() < 1e-15);
        let crossed = set(&[[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]], &[1, 1, -1, -1]);
        assert!((widest(&crossed).unwrap().1 + std::f64::consts::FRAC_1_SQRT_2).abs() < 1e-15);
    }
}
