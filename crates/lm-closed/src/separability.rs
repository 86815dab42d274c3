//! What a procedure that looks for a separating hyperplane can say in the end, with its evidence.

use lm_core::double_double::{DoubleDouble, add_transposed_products};
use lm_core::linalg::Matrix;
use lm_core::{
    BinaryLabels, Certificate, Discrepancy, Error, Examples, Inseparability, Labelling, Linear, Result,
    Selection, Separation, Sign, TrainingSet, Verdict, Weights, parallel,
};

use crate::statistics::{Moments, RowBlocks};
use crate::whitening::Whitening;
use crate::wrong_side::wrong_side;

/// Whether examples are linearly separable, and how that is known.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Separability {
    /// They are: a hyperplane with its margin.
    Separable(Separation),
    /// They are not: multipliers `λ ≥ 0` with `Σ λᵢyᵢ(1, xᵢ) = 0`, up to a margin too small to matter.
    Inseparable(Inseparability),
    /// The run ended before either was shown.
    Undecided(Undecided),
}

/// Where a run ended that has shown neither.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Undecided {
    hyperplane: Linear,
    errors: f64,
}

impl Undecided {
    pub(crate) fn new<E: Examples + ?Sized>(
        hyperplane: Linear,
        set: &TrainingSet<'_, E, BinaryLabels>,
    ) -> Result<Self> {
        let (_, errors) = wrong_side(&hyperplane, set)?;
        Ok(Self { hyperplane, errors })
    }

    /// The weight of the examples that are not safely on their own side of the hyperplane.
    pub fn errors(&self) -> f64 {
        self.errors
    }
}

impl<E: Examples + ?Sized> Certificate<TrainingSet<'_, E, BinaryLabels>> for Separability {
    /// Checks the evidence as its own type does. An example of weight 0 is absent, so a hyperplane need not separate it.
    fn verify(&self, set: &TrainingSet<'_, E, BinaryLabels>) -> Result<Verdict> {
        match self {
            Self::Separable(separation) => {
                let present: Vec<usize> = (0..set.len()).filter(|&row| set.weight(row) > 0.0).collect();
                let examples = Selection::new(set.examples(), &present)?;
                let labels = set.labels().select(&present)?;
                separation.verify(&TrainingSet::new(&examples, &labels)?)
            }
            Self::Inseparable(proof) => {
                let absent = |row: &usize| set.weight(*row) == 0.0 && proof.multipliers()[*row] > 0.0;
                let verdict = proof.verify(set)?;
                match (0..set.len()).find(absent) {
                    Some(row) if verdict.is_valid() => Ok(Verdict::Invalid(Discrepancy {
                        what: "the multiplier of an absent example",
                        claimed: 0.0,
                        recomputed: proof.multipliers()[row],
                        row: Some(row),
                    })),
                    _ => Ok(verdict),
                }
            }
            Self::Undecided(undecided) => {
                let (_, errors) = wrong_side(&undecided.hyperplane, set)?;
                let total = set.weights().map_or(set.len() as f64, Weights::total);
                if (errors - undecided.errors).abs() <= 1e-12 * total {
                    return Ok(Verdict::Valid);
                }
                let (what, claimed) = ("the weight of the examples that are not separated", undecided.errors);
                Ok(Verdict::Invalid(Discrepancy { what, claimed, recomputed: errors, row: None }))
            }
        }
    }
}

/// Multipliers `λ ≥ 0` with `Σ λᵢyᵢ(1, xᵢ) = 0` near the given ones, if they can be had.
///
/// The given multipliers nearly have that sum. The correction `λᵢ ← λᵢ(1 − yᵢh(xᵢ))`, with `h` the linear function nearest to the
/// labels when examples weigh `λᵢ`, makes the sum 0 exactly but for rounding; it is of use if no multiplier changes its sign.
/// Applied again, it removes the rounding of the first time.
pub(crate) fn multipliers<E: Examples + ?Sized>(
    mut lambda: Vec<f64>,
    set: &TrainingSet<'_, E, BinaryLabels>,
) -> Result<Option<Vec<f64>>> {
    let (examples, labels) = (set.examples(), set.labels().values());
    let dim = examples.dim();
    for _ in 0..2 {
        let largest = lambda.iter().fold(0.0_f64, |largest, &value| largest.max(value));
        if !(largest > 0.0 && largest.is_finite()) {
            return Ok(None);
        }
        lambda.iter_mut().for_each(|value| *value /= largest);
        let weights = Weights::new(lambda.clone())?;
        let moments = Moments::of(examples, &[&labels], Some(&weights))?;
        let mean = moments.mean();
        let mut scatter = Matrix::zeros(dim, dim)?;
        for j in 0..dim {
            scatter.column_mut(j)[j..].copy_from_slice(&moments.scatter().column(j)[j..dim]);
        }
        let slope: Vec<f64> = (0..dim).map(|j| moments.scatter()[(dim, j)]).collect();
        let sizes: Vec<f64> = mean[..dim].iter().map(|mean| mean.abs()).collect();
        let w = Whitening::of_scatter(&scatter, moments.weight(), &sizes)?.solve(&slope)?;
        let bias = mean[dim] - w.iter().zip(mean).map(|(w, m)| w * m).sum::<f64>();
        for (row, value) in lambda.iter_mut().enumerate().filter(|(_, value)| **value > 0.0) {
            *value *= 1.0 - labels[row] * (examples.dot(row, &w) + bias);
            // What is left of a multiplier that vanishes may have either sign; one that is clearly negative is no proof.
            if *value < -1e-9 || !value.is_finite() {
                return Ok(None);
            }
            *value = value.max(0.0);
        }
    }
    Ok(Some(lambda))
}

/// `‖Σ λᵢyᵢxᵢ‖ + R |Σ λᵢyᵢ|` for multipliers with sum 1, in double-double arithmetic: no hyperplane has a larger margin.
pub(crate) fn exact_bound<E: Examples + ?Sized>(
    proof: &Inseparability,
    set: &TrainingSet<'_, E, BinaryLabels>,
    radius: f64,
) -> f64 {
    let (examples, dim) = (set.examples(), set.examples().dim());
    let signed = |row: usize| match set.labels().signs()[row] {
        Sign::Positive => proof.multipliers()[row],
        Sign::Negative => -proof.multipliers()[row],
    };
    let blocks = RowBlocks::new(examples);
    let parts = parallel::map(blocks.len(), |block| {
        let mut rows = Vec::new();
        blocks.fill(block, &mut rows);
        let own: Vec<DoubleDouble> = blocks.range(block).map(|row| DoubleDouble::from(signed(row))).collect();
        let mut sums = vec![DoubleDouble::ZERO; dim];
        add_transposed_products(&rows, &own, &mut sums);
        (sums, own.iter().fold(DoubleDouble::ZERO, |sum, own| sum + *own))
    });
    let (mut residual, mut imbalance) = (vec![DoubleDouble::ZERO; dim], DoubleDouble::ZERO);
    for (sums, part) in parts {
        residual.iter_mut().zip(sums).for_each(|(sum, part)| *sum = *sum + part);
        imbalance = imbalance + part;
    }
    let square = residual.iter().fold(DoubleDouble::ZERO, |sum, r| sum + *r * *r);
    square.sqrt().value() + radius * imbalance.value().abs()
}

/// The proof that multipliers near the given ones give, if it rules out every margin above `share` of the radius.
pub(crate) fn proof<E: Examples + ?Sized>(
    lambda: Vec<f64>,
    set: &TrainingSet<'_, E, BinaryLabels>,
    radius: f64,
    share: f64,
) -> Result<Option<Inseparability>> {
    let Some(lambda) = multipliers(lambda, set)? else { return Ok(None) };
    let proof = match Inseparability::new(&lambda, set) {
        Ok(proof) => proof,
        // Multipliers that vanish, or whose residual overflows, prove nothing.
        Err(Error::Numerical { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let bound = exact_bound(&proof, set, radius).max(proof.margin_at_most());
    Ok((bound <= share * radius).then_some(proof))
}
