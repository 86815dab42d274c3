//! What proves or refutes that examples can be separated: fractions, checked by adding and multiplying integers.

use lm_core::{
    BinaryLabels, Budget, Certificate, Collection, Discrepancy, Error, Examples, Inseparability, Linear,
    Result, Separation, Sign, Stop, TrainingSet, Verdict,
};

use crate::exact::{ExactExamples, Integer, Rational};

use super::{Separability, present};

/// A hyperplane that has every example strictly on its own side, in exact numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct ExactSeparation {
    pub(super) weights: Vec<Rational>,
    pub(super) bias: Rational,
    pub(super) least: Rational,
    pub(super) nearest: Option<Vec<(usize, Rational)>>,
    pub(super) separation: Option<Separation>,
}

impl ExactSeparation {
    /// The weights `w`.
    pub fn weights(&self) -> &[Rational] {
        &self.weights
    }

    /// The bias `b`.
    pub fn bias(&self) -> &Rational {
        &self.bias
    }

    /// The least `yᵢ(⟨w·xᵢ⟩ + b)` of an example, above 0.
    pub fn functional_margin(&self) -> &Rational {
        &self.least
    }

    /// The square of the least distance from an example to the hyperplane: a fraction, which the distance itself need not be.
    pub fn margin_squared(&self) -> Rational {
        (&self.least * &self.least).divided(&squares(&self.weights)).unwrap_or_default()
    }

    /// The weights of examples whose combinations are the nearest points of the two convex hulls, 1 in sum on either side, where the
    /// hyperplane is proven to have the largest margin of all; none where that was not shown.
    pub fn nearest(&self) -> Option<&[(usize, Rational)]> {
        self.nearest.as_deref()
    }

    /// Whether no hyperplane has a larger margin, proven.
    pub fn is_maximal(&self) -> bool {
        self.nearest.is_some()
    }

    /// The hyperplane in stored numbers, with its margin rounded down, if rounding leaves every example on its own side: that is checked
    /// exactly. It is missing where the classes are nearer to each other than stored numbers can tell.
    pub fn separation(&self) -> Option<&Separation> {
        self.separation.as_ref()
    }

    fn check(&self, examples: &ExactExamples, signs: &[Sign], rows: &[usize]) -> Result<Verdict> {
        if self.weights.len() != examples.dim() {
            let (expected, found) = (examples.dim(), self.weights.len());
            return Err(Error::Length { what: "the weight vector", expected, found });
        }
        let invalid = |what, claimed: &Rational, recomputed: &Rational, row| {
            let (claimed, recomputed) = (claimed.to_f64(), recomputed.to_f64());
            Ok(Verdict::Invalid(Discrepancy { what, claimed, recomputed, row }))
        };
        if !self.least.is_positive() {
            return invalid("the functional margin, which must be positive,", &self.least, &self.least, None);
        }
        let mut least: Option<Rational> = None;
        for (row, value) in values(&self.weights, &self.bias, examples, rows) {
            let own = if signs[row] == Sign::Negative { -&value } else { value };
            if own < self.least {
                return invalid("the functional margin", &self.least, &own, Some(row));
            }
            least = Some(least.map_or(own.clone(), |least| least.min(own)));
        }
        if let Some(least) = least.filter(|least| *least != self.least) {
            return invalid("the functional margin", &self.least, &least, None);
        }
        if let Some(nearest) = &self.nearest {
            if let Some(found) = unfair(nearest, signs, rows, examples.len()) {
                return Ok(Verdict::Invalid(found));
            }
            // Half the distance of the two points bounds every margin: it must be this one.
            let (bound, own) = (squares(&combined(nearest, examples, signs)), self.margin_squared());
            let four = &own * &Rational::from(Integer::from(4));
            if four != bound {
                return invalid("the squared distance of the hulls", &four, &bound, None);
            }
        }
        Ok(Verdict::Valid)
    }
}

/// The proof that no hyperplane has every example strictly on its own side: `λ ≥ 0` with `Σλ = 1`, `Σ λᵢyᵢ = 0` and `Σ λᵢyᵢxᵢ = 0`, in
/// exact numbers. Any hyperplane would give `0 < Σ λᵢyᵢ(⟨w·xᵢ⟩ + b) = 0`.
#[derive(Debug, Clone, PartialEq)]
pub struct ExactInseparability {
    pub(super) multipliers: Vec<(usize, Rational)>,
}

impl ExactInseparability {
    /// The multipliers that are not 0, each with its row, in the order of the rows: at most `d + 2`.
    pub fn multipliers(&self) -> &[(usize, Rational)] {
        &self.multipliers
    }

    /// The same proof in stored numbers.
    ///
    /// # Errors
    /// As [`Inseparability::new`].
    pub fn rounded<E: Examples + ?Sized>(
        &self,
        set: &TrainingSet<'_, E, BinaryLabels>,
    ) -> Result<Inseparability> {
        let mut multipliers = vec![0.0; set.len()];
        for (row, value) in &self.multipliers {
            let (index, len) = (*row, set.len());
            *multipliers.get_mut(index).ok_or(Error::Index { what: "multiplier", index, len })? =
                value.to_f64();
        }
        Inseparability::new(&multipliers, set)
    }

    fn check(&self, examples: &ExactExamples, signs: &[Sign], rows: &[usize]) -> Result<Verdict> {
        // The claim is scaled to 1 on either side.
        let two = Rational::from(Integer::from(2));
        let doubled: Vec<_> = self.multipliers.iter().map(|(row, value)| (*row, value * &two)).collect();
        if let Some(found) = unfair(&doubled, signs, rows, examples.len()) {
            return Ok(Verdict::Invalid(found));
        }
        let sum = combined(&self.multipliers, examples, signs);
        Ok(match sum.iter().find(|value| !value.is_zero()) {
            None => Verdict::Valid,
            Some(value) => Verdict::Invalid(Discrepancy {
                what: "the sum of the examples with their multipliers and signs",
                claimed: 0.0,
                recomputed: value.to_f64(),
                row: None,
            }),
        })
    }
}

/// Where a search ended that has shown neither, and what is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Undecided {
    pub(super) stop: Stop,
    pub(super) nearest: Vec<(usize, Rational)>,
    pub(super) margin_at_most: f64,
    pub(super) hyperplane: Option<Linear>,
    pub(super) errors: usize,
}

impl Undecided {
    /// Why the search ended.
    pub fn stop(&self) -> Stop {
        self.stop
    }

    /// No hyperplane has a larger margin than this: half the distance of two points of the hulls.
    pub fn margin_at_most(&self) -> f64 {
        self.margin_at_most
    }

    /// The best hyperplane known, unless the points coincide.
    pub fn hyperplane(&self) -> Option<&Linear> {
        self.hyperplane.as_ref()
    }

    /// How many examples are not strictly on their own side of it; all of them where there is none.
    pub fn errors(&self) -> usize {
        self.errors
    }

    fn check(&self, examples: &ExactExamples, signs: &[Sign], rows: &[usize]) -> Result<Verdict> {
        if let Some(found) = unfair(&self.nearest, signs, rows, examples.len()) {
            return Ok(Verdict::Invalid(found));
        }
        let bound = half_root(&squares(&combined(&self.nearest, examples, signs)));
        let errors = match &self.hyperplane {
            Some(hyperplane) => errors(hyperplane, examples, signs, rows)?,
            None => rows.len(),
        };
        let invalid = |what, claimed, recomputed| {
            Ok(Verdict::Invalid(Discrepancy { what, claimed, recomputed, row: None }))
        };
        if !(bound <= self.margin_at_most) {
            return invalid("the largest possible margin", self.margin_at_most, bound);
        }
        if errors != self.errors {
            return invalid("the number of examples not separated", self.errors as f64, errors as f64);
        }
        Ok(Verdict::Valid)
    }
}

impl<E: Examples + ?Sized> Certificate<TrainingSet<'_, E, BinaryLabels>> for Separability {
    /// Recomputes the claim from the stored numbers in exact arithmetic. An example of weight 0 is absent.
    fn verify(&self, set: &TrainingSet<'_, E, BinaryLabels>) -> Result<Verdict> {
        let exact = ExactExamples::new(set.examples(), &Budget::default())?;
        self.check(&exact, set.labels().signs(), &present(set))
    }
}

impl Certificate<TrainingSet<'_, ExactExamples, BinaryLabels>> for Separability {
    /// Recomputes the claim in exact arithmetic. An example of weight 0 is absent.
    fn verify(&self, set: &TrainingSet<'_, ExactExamples, BinaryLabels>) -> Result<Verdict> {
        self.check(set.examples(), set.labels().signs(), &present(set))
    }
}

impl Separability {
    fn check(&self, examples: &ExactExamples, signs: &[Sign], rows: &[usize]) -> Result<Verdict> {
        match self {
            Self::Separable(claim) => claim.check(examples, signs, rows),
            Self::Inseparable(claim) => claim.check(examples, signs, rows),
            Self::Undecided(claim) => claim.check(examples, signs, rows),
        }
    }
}

/// Fractions over one denominator.
fn common(values: &[Rational]) -> (Vec<Integer>, Integer) {
    let mut below = Integer::from(1);
    for value in values {
        let own = value.denominator();
        let part = own.divided(&below.gcd(own)).map_or(Integer::from(1), |(part, _)| part);
        below = &below * &part;
    }
    let whole = |value: &Rational| {
        below.divided(value.denominator()).map_or(Integer::ZERO, |(factor, _)| value.numerator() * &factor)
    };
    (values.iter().map(whole).collect(), below)
}

/// `⟨w·x⟩ + b` for each of these examples.
fn values<'a>(
    weights: &[Rational],
    bias: &'a Rational,
    examples: &'a ExactExamples,
    rows: &'a [usize],
) -> impl Iterator<Item = (usize, Rational)> + 'a {
    let (whole, below) = common(weights);
    let below = &below * examples.scale();
    rows.iter().map(move |&row| {
        let inner = Rational::new(examples.dot(row, &whole), below.clone()).unwrap_or_default();
        (row, &inner + bias)
    })
}

/// The least of `⟨w·x⟩` over the positive and the largest over the negative examples.
pub(crate) fn ends(
    weights: &[Rational],
    examples: &ExactExamples,
    signs: &[Sign],
    rows: &[usize],
) -> Option<(Rational, Rational)> {
    let (whole, below) = common(weights);
    let (mut low, mut high): (Option<Integer>, Option<Integer>) = (None, None);
    for &row in rows {
        let value = examples.dot(row, &whole);
        if signs[row] == Sign::Positive {
            low = Some(low.map_or(value.clone(), |low| low.min(value)));
        } else {
            high = Some(high.map_or(value.clone(), |high| high.max(value)));
        }
    }
    let below = &below * examples.scale();
    Some((Rational::new(low?, below.clone())?, Rational::new(high?, below)?))
}

/// `Σ vᵢ²`.
pub(crate) fn squares(values: &[Rational]) -> Rational {
    let (whole, below) = common(values);
    let sum = whole.iter().fold(Integer::ZERO, |sum, value| &sum + &(value * value));
    Rational::new(sum, &below * &below).unwrap_or_default()
}

/// `Σ λᵢyᵢxᵢ`.
pub(crate) fn combined(
    multipliers: &[(usize, Rational)],
    examples: &ExactExamples,
    signs: &[Sign],
) -> Vec<Rational> {
    let (whole, below) = common(&multipliers.iter().map(|(_, value)| value.clone()).collect::<Vec<_>>());
    let mut sum = vec![Integer::ZERO; examples.dim()];
    for ((row, _), share) in multipliers.iter().zip(whole) {
        let signed = if signs[*row] == Sign::Negative { -&share } else { share };
        examples.row(*row).for_each(|(k, x)| sum[k] = &sum[k] + &(&signed * x));
    }
    let below = &below * examples.scale();
    sum.into_iter().map(|value| Rational::new(value, below.clone()).unwrap_or_default()).collect()
}

/// What is wrong with multipliers that must be positive, of examples that are there, and 1 in sum on either side.
fn unfair(
    multipliers: &[(usize, Rational)],
    signs: &[Sign],
    rows: &[usize],
    len: usize,
) -> Option<Discrepancy> {
    let one = Rational::from(Integer::from(1));
    let mut there = vec![false; len];
    rows.iter().for_each(|&row| there[row] = true);
    let mut sums = [Rational::default(), Rational::default()];
    for (row, value) in multipliers {
        let fair = !value.is_negative() && there.get(*row).copied().unwrap_or(false);
        if !fair {
            let what = "a multiplier, which must be that of an example and not negative,";
            return Some(Discrepancy { what, claimed: 0.0, recomputed: value.to_f64(), row: Some(*row) });
        }
        let side = usize::from(signs[*row] == Sign::Negative);
        sums[side] = &sums[side] + value;
    }
    let wrong = sums.iter().find(|sum| **sum != one)?;
    let (what, recomputed) = ("the sum of the multipliers of one class", wrong.to_f64());
    Some(Discrepancy { what, claimed: 1.0, recomputed, row: None })
}

/// How many examples are not strictly on their own side of a hyperplane of stored numbers.
pub(super) fn errors(
    hyperplane: &Linear,
    examples: &ExactExamples,
    signs: &[Sign],
    rows: &[usize],
) -> Result<usize> {
    if hyperplane.weights().len() != examples.dim() {
        let (expected, found) = (examples.dim(), hyperplane.weights().len());
        return Err(Error::Length { what: "the weight vector", expected, found });
    }
    let weights = hyperplane.weights().iter().map(|&w| Rational::from_f64(w)).collect::<Result<Vec<_>>>()?;
    let bias = Rational::from_f64(hyperplane.bias())?;
    let wrong = |(row, value): &(usize, Rational)| match signs[*row] {
        Sign::Positive => !value.is_positive(),
        Sign::Negative => !value.is_negative(),
    };
    Ok(values(&weights, &bias, examples, rows).filter(wrong).count())
}

/// Half the root of a fraction, rounded up.
pub(crate) fn half_root(square: &Rational) -> f64 {
    if square.is_zero() {
        return 0.0;
    }
    // A power of four keeps the square in range, whatever its size.
    let excess = (square.numerator().bits() as i64 - square.denominator().bits() as i64) / 2;
    let four = Rational::from(Integer::power_of_two(2 * excess.unsigned_abs()));
    let near = if excess >= 0 { square.divided(&four).unwrap_or_default() } else { square * &four };
    let root = 0.5 * near.to_f64().sqrt() * (1.0 + 4.0 * f64::EPSILON);
    let scale = Rational::from(Integer::power_of_two(excess.unsigned_abs()));
    let one = Rational::from(Integer::from(1));
    let scale = if excess >= 0 { scale } else { one.divided(&scale).unwrap_or_default() };
    // Both factors are near the numbers they stand for; the product is rounded once.
    Rational::from_f64(root).map_or(f64::INFINITY, |root| (&root * &scale).to_f64().next_up())
}
