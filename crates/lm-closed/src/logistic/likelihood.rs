//! The likelihood of a class, given the scores of an example: two classes from one score, or any number from as many.
//!
//! ```text
//! two classes:   ℓ = log(1 + e^(−y f)) ,            p = 1/(1 + e^(−f))
//! K classes:     ℓ = log Σₖ e^(fₖ) − f_y ,           pₖ = e^(fₖ) / Σⱼ e^(fⱼ)
//! ```
//! With one score, classes are 0 and 1, and `y = ±1`. Everything is written so that no intermediate result overflows.

/// `−(1 − p) log(1 − p)`, to full precision for a small `p`.
#[inline]
fn remaining_entropy(p: f64) -> f64 {
    if p < 1.0 { -(1.0 - p) * (-p).ln_1p() } else { 0.0 }
}

/// How many scores an example has, and what they say about its class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Likelihood {
    /// One score, two classes.
    Logistic,
    /// As many scores as classes.
    Softmax(usize),
}

/// `log(1 + e^(−m))`, from the exponential of `−|m|`.
#[inline]
fn soft_hinge(m: f64, small: f64) -> f64 {
    (-m).max(0.0) + small.ln_1p()
}

/// A sum of `log(1 + e)` for small `e ≥ 0`, by one logarithm for many of them: of their product.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Logarithms {
    sum: f64,
    /// The product that is not in the sum; 0 while it is empty.
    product: f64,
}

impl Logarithms {
    /// Adds `weight·log(1 + e)`, where `0 ≤ e ≤ 1`.
    #[inline]
    pub(super) fn add(&mut self, e: f64, weight: f64) {
        if e < 1e-3 {
            // Five terms of the series: the next is below rounding.
            self.sum += weight * (e * (1.0 - e * (0.5 - e * (1.0 / 3.0 - e * (0.25 - e * 0.2)))));
        } else if weight == 1.0 {
            let product = if self.product == 0.0 { 1.0 } else { self.product };
            self.product = product * (1.0 + e);
            if self.product > 1e100 {
                self.sum += self.product.ln();
                self.product = 1.0;
            }
        } else {
            self.sum += weight * e.ln_1p();
        }
    }

    /// The sum.
    pub(super) fn total(self) -> f64 {
        self.sum + if self.product > 0.0 { self.product.ln() } else { 0.0 }
    }
}

/// `log(1 + e^(−m))`: the logistic loss of a margin.
#[inline]
pub(super) fn loss(m: f64) -> f64 {
    soft_hinge(m, (-m.abs()).exp())
}

/// `1/(1 + e^(−f))`.
#[inline]
pub(super) fn sigmoid(f: f64) -> f64 {
    let small = (-f.abs()).exp();
    (if f >= 0.0 { 1.0 } else { small }) / (1.0 + small)
}

/// `−p log p`, and 0 for nothing.
#[inline]
pub(super) fn entropy(p: f64) -> f64 {
    if p > 0.0 { -p * p.ln() } else { 0.0 }
}

/// Slope and curvature of the logistic loss of a score, and its margin, from the exponential of `−|f|`.
#[inline]
pub(super) fn logistic(class: u32, f: f64, small: f64) -> (f64, f64, f64) {
    let sign = if class == 1 { 1.0 } else { -1.0 };
    let margin = sign * f;
    let share = 1.0 / (1.0 + small);
    // The probability of the other class, computed without cancellation.
    let other = if margin >= 0.0 { small * share } else { share };
    (-sign * other, small * share * share, margin)
}

impl Likelihood {
    /// The likelihood of so many classes, in the form that has the fewest scores.
    pub(super) fn width(self) -> usize {
        match self {
            Self::Logistic => 1,
            Self::Softmax(classes) => classes,
        }
    }

    /// The number of pairs of scores: of blocks in the lower triangle of the Hessian.
    pub(super) fn pairs(self) -> usize {
        self.width() * (self.width() + 1) / 2
    }

    /// The loss of an example of this class. Scores are replaced by `∂ℓ/∂fₖ`; `curvature` takes `∂²ℓ/∂fₖ∂fₗ` for `l ≤ k`,
    /// row after row. The second result is the margin: how far the score of its class is above every other.
    #[inline]
    pub(super) fn expand(self, class: u32, scores: &mut [f64], curvature: &mut [f64]) -> (f64, f64) {
        match self {
            Self::Logistic => {
                let small = (-scores[0].abs()).exp();
                let (slope, curve, margin) = logistic(class, scores[0], small);
                scores[0] = slope;
                curvature[0] = curve;
                (soft_hinge(margin, small), margin)
            }
            Self::Softmax(_) => {
                let margin = margin_of(scores, class);
                let loss = softmax(scores, class);
                let mut at = 0;
                for k in 0..scores.len() {
                    for l in 0..k {
                        curvature[at] = -scores[k] * scores[l];
                        at += 1;
                    }
                    let rest: f64 = others(scores, k);
                    curvature[at] = scores[k] * rest;
                    at += 1;
                }
                let own = class as usize;
                scores[own] = -others(scores, own);
                (loss, margin)
            }
        }
    }

    /// The loss of an example of this class; scores are replaced by `∂ℓ/∂fₖ`.
    pub(super) fn slope(self, class: u32, scores: &mut [f64]) -> f64 {
        match self {
            Self::Logistic => {
                let mut curvature = [0.0];
                self.expand(class, scores, &mut curvature).0
            }
            Self::Softmax(_) => {
                let loss = softmax(scores, class);
                let own = class as usize;
                scores[own] = -others(scores, own);
                loss
            }
        }
    }

    /// Replaces scores by the probabilities of their classes: of class 1 where there is one score.
    pub(super) fn probabilities(self, scores: &mut [f64]) {
        match self {
            Self::Logistic => scores[0] = sigmoid(scores[0]),
            Self::Softmax(_) => {
                softmax(scores, 0);
            }
        }
    }

    /// `v ← (∂²ℓ/∂f²) v`, from the probabilities.
    #[inline]
    pub(super) fn curve(self, probabilities: &[f64], v: &mut [f64]) {
        match self {
            Self::Logistic => v[0] *= probabilities[0] * (1.0 - probabilities[0]),
            Self::Softmax(_) => {
                let mean: f64 = probabilities.iter().zip(&*v).map(|(p, v)| p * v).sum();
                v.iter_mut().zip(probabilities).for_each(|(v, p)| *v = p * (*v - mean));
            }
        }
    }

    /// Moves probabilities along with a change of the scores, to first order, and back into the simplex if need be.
    pub(super) fn moved(self, probabilities: &mut [f64], change: &mut [f64]) {
        self.curve(probabilities, change);
        match self {
            Self::Logistic => probabilities[0] = (probabilities[0] + change[0]).clamp(0.0, 1.0),
            Self::Softmax(_) => {
                let mut total = 0.0;
                for (p, change) in probabilities.iter_mut().zip(&*change) {
                    *p = (*p + change).max(0.0);
                    total += *p;
                }
                probabilities.iter_mut().for_each(|p| *p /= total);
            }
        }
    }

    /// What an example gives to the dual problem: probabilities at some scores, moved along with a change of these, are
    /// subtracted from 1 for its class and 0 for the others, in place of the scores; the result is their entropy. Nothing
    /// cancels where an example is nearly certain.
    pub(super) fn dual(self, class: u32, scores: &mut [f64], change: &mut [f64]) -> f64 {
        match self {
            Self::Logistic => {
                // Of the other class.
                let side = if class == 1 { -1.0 } else { 1.0 };
                let mut other = [sigmoid(side * scores[0])];
                self.moved(&mut other, &mut [side * change[0]]);
                scores[0] = -side * other[0];
                self.entropy(&other)
            }
            Self::Softmax(_) => {
                softmax(scores, class);
                self.moved(scores, change);
                let own = class as usize;
                let rest = others(scores, own);
                let mut total = if rest < 0.5 { remaining_entropy(rest) } else { entropy(scores[own]) };
                for (k, q) in scores.iter_mut().enumerate() {
                    if k != own {
                        total += entropy(*q);
                    }
                    *q = if k == own { rest } else { -*q };
                }
                total
            }
        }
    }

    /// The entropy of a distribution over the classes.
    pub(super) fn entropy(self, probabilities: &[f64]) -> f64 {
        match self {
            Self::Logistic => entropy(probabilities[0]) + remaining_entropy(probabilities[0]),
            Self::Softmax(_) => probabilities.iter().map(|&p| entropy(p)).sum(),
        }
    }

    /// 1 for the class of an example, 0 for the others: what its probabilities are compared with.
    #[inline]
    pub(super) fn target(self, class: u32, score: usize) -> f64 {
        let is = match self {
            Self::Logistic => class == 1,
            Self::Softmax(_) => class as usize == score,
        };
        f64::from(u8::from(is))
    }

    /// How far the score of its class is above every other.
    pub(super) fn margin(self, class: u32, scores: &[f64]) -> f64 {
        match self {
            Self::Logistic if class == 1 => scores[0],
            Self::Logistic => -scores[0],
            Self::Softmax(_) => margin_of(scores, class),
        }
    }
}

/// `1 − pₖ` as the sum of the others, which keeps small numbers exact.
#[inline]
fn others(probabilities: &[f64], k: usize) -> f64 {
    probabilities[..k].iter().sum::<f64>() + probabilities[k + 1..].iter().sum::<f64>()
}

fn margin_of(scores: &[f64], class: u32) -> f64 {
    let own = scores[class as usize];
    let rival = |(k, &score): (usize, &f64)| (k != class as usize).then_some(own - score);
    scores.iter().enumerate().filter_map(rival).fold(f64::INFINITY, f64::min)
}

/// Replaces scores by probabilities; the result is the loss of the class.
fn softmax(scores: &mut [f64], class: u32) -> f64 {
    let largest = scores.iter().fold(f64::NEG_INFINITY, |largest, &score| largest.max(score));
    let own = scores[class as usize];
    let mut rest = 0.0;
    let mut top = false;
    for score in scores.iter_mut() {
        // The first of the largest scores is the 1 of `ln_1p`.
        let is_top = !top && *score == largest;
        top |= is_top;
        *score = (*score - largest).exp();
        if !is_top {
            rest += *score;
        }
    }
    let total = 1.0 + rest;
    scores.iter_mut().for_each(|score| *score /= total);
    (largest - own) + rest.ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extreme_scores_give_finite_losses_and_probabilities() {
        for f in [0.0, 1.0, -30.0, 800.0, -800.0, 1e300, -1e300] {
            for class in [0, 1] {
                let (mut score, mut curvature) = ([f], [0.0]);
                let (value, margin) = Likelihood::Logistic.expand(class, &mut score, &mut curvature);
                assert!(value.is_finite() && value >= 0.0 && margin.abs() == f.abs());
                assert!((0.0..=0.25).contains(&curvature[0]) && score[0].abs() <= 1.0);
                let (mut scores, mut curvature) = ([0.0, f], [0.0; 3]);
                let (other, _) = Likelihood::Softmax(2).expand(class, &mut scores, &mut curvature);
                assert!((value - other).abs() <= 1e-15 * value, "{f}: {value} {other}");
                assert!((scores[1] - score[0]).abs() <= 1e-15);
            }
        }
        assert!((loss(40.0) / (-40.0_f64).exp() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn one_logarithm_serves_many_losses() {
        let mut random = lm_core::testing::SplitMix64::new(4);
        for weight in [1.0, 2.5] {
            let (mut logarithms, mut plain) = (Logarithms::default(), 0.0);
            for _ in 0..2000 {
                let e = (-random.uniform(0.0, 40.0)).exp();
                logarithms.add(e, weight);
                plain += weight * e.ln_1p();
            }
            assert!((logarithms.total() - plain).abs() <= 1e-13 * plain);
        }
        let mut tiny = Logarithms::default();
        tiny.add(1e-200, 1.0);
        assert_eq!(tiny.total(), 1e-200);
        assert_eq!(Logarithms::default().total(), 0.0);
    }

    #[test]
    fn slopes_and_curvatures_are_differences() {
        let (scores, h) = ([0.3, -1.2, 0.8], 1e-5);
        let likelihood = Likelihood::Softmax(3);
        let slope = |scores: [f64; 3]| {
            let mut slope = scores;
            likelihood.slope(2, &mut slope);
            slope
        };
        let mut curvature = [0.0; 6];
        let mut expanded = scores;
        likelihood.expand(2, &mut expanded, &mut curvature);
        assert_eq!(expanded, slope(scores));
        let mut at = 0;
        for k in 0..3 {
            for l in 0..=k {
                let (mut up, mut down) = (scores, scores);
                up[l] += h;
                down[l] -= h;
                let difference = (slope(up)[k] - slope(down)[k]) / (2.0 * h);
                assert!((difference - curvature[at]).abs() < 1e-9, "{k} {l}");
                at += 1;
            }
        }
    }

    #[test]
    fn what_is_nearly_certain_keeps_its_digits() {
        for f in [30.0_f64, 80.0, 300.0] {
            let tiny = (-f).exp();
            for (class, sign) in [(1, 1.0), (0, -1.0)] {
                let mut score = [sign * f];
                let entropy = Likelihood::Logistic.dual(class, &mut score, &mut [0.0]);
                assert!((score[0] / (sign * tiny) - 1.0).abs() < 1e-12, "{f}");
                assert!((entropy / (tiny * (f + 1.0)) - 1.0).abs() < 1e-10, "{f}");
                let mut scores = if class == 1 { [0.0, f] } else { [f, 0.0] };
                let other = Likelihood::Softmax(2).dual(class, &mut scores, &mut [0.0, 0.0]);
                assert!((other / entropy - 1.0).abs() < 1e-12);
                assert!((scores[1] / score[0] - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn moved_probabilities_stay_a_distribution() {
        let mut p = [0.2, 0.3, 0.5];
        Likelihood::Softmax(3).moved(&mut p, &mut [-40.0, 0.0, 1.0]);
        assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-15 && p.iter().all(|&p| p >= 0.0));
        let mut p = [0.2];
        Likelihood::Logistic.moved(&mut p, &mut [9.0]);
        assert_eq!(p, [1.0]);
    }
}
