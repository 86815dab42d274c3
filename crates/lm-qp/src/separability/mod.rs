//! Whether examples can be separated by a hyperplane: decided, and proven in exact arithmetic.
//!
//! Exactly one of two things holds for two classes of examples: a hyperplane has every example strictly on its own side, or the convex
//! hulls of the classes have a point in common. [`separate`] finds out which, and returns what shows it: a hyperplane of fractions whose
//! margins are all above 0, or multipliers that write one and the same point as a combination of either class. Both are claims about
//! the stored numbers themselves, or about the decimals that were written ([`separate_exact`]), that hold or do not; nothing in them is
//! up to rounding.
//!
//! A search in floating-point arithmetic proposes (`hulls/active_set.rs`), integers decide (`decide.rs`, `hulls/exact.rs`), and the claim is
//! checked by plain sums of products (`proof.rs`).

mod decide;
mod proof;

use std::collections::HashMap;

use lm_core::{
    BinaryLabels, Collection, Control, Dense, Error, Examples, Gram, Linear, MatrixGram, Meter, Result,
    Separation, Sign, Stop, TrainingSet,
};

use crate::exact::{ExactExamples, Integer, Rational};
use crate::hulls::{self, ExactNearest, Nearest};
use decide::{Decision, decide};
use proof::errors;
pub use proof::{ExactInseparability, ExactSeparation, Undecided};
pub(crate) use proof::{combined, ends, half_root, squares};

/// Rounds of the search and pivots of the decision, together; only a run that gets nowhere needs as many.
const ITERATIONS: u64 = 1_000_000;

/// The most columns for which multipliers are computed exactly.
const MOST_COLUMNS: usize = 128;

/// Whether examples can be separated, with the proof.
#[derive(Debug, Clone, PartialEq)]
pub enum Separability {
    /// They can: a hyperplane with every example strictly on its own side.
    Separable(ExactSeparation),
    /// They cannot: multipliers under which the classes cancel.
    Inseparable(ExactInseparability),
    /// The budget was used up, or exact numbers would be too long, before either was shown.
    Undecided(Undecided),
}

impl Separability {
    /// Whether a hyperplane was found, or shown not to exist; none if neither.
    pub fn is_separable(&self) -> Option<bool> {
        match self {
            Self::Separable(_) => Some(true),
            Self::Inseparable(_) => Some(false),
            Self::Undecided(_) => None,
        }
    }
}

/// Decides whether a hyperplane separates stored examples strictly.
///
/// Where one does, the one returned is that of the largest margin, proven so, as long as no more than 48 examples determine it;
/// otherwise it is near to it. Where none does, the proof has at most `d + 2` multipliers; it is looked for in up to 126 dimensions.
///
/// ```
/// use lm_core::{BinaryLabels, Certificate, Dense, TrainingSet};
/// use lm_qp::{Separability, separate};
///
/// let examples = Dense::new(vec![0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0], 4, 2)?;
/// let labels = BinaryLabels::from_integers(&[-1, -1, -1, 1])?;
/// let found = separate(&examples, &labels)?;
/// let Separability::Separable(claim) = &found else { unreachable!() };
/// assert_eq!(claim.margin_squared().to_string(), "1/8"); // half of the distance of (1, 0) to the diagonal
/// assert!(claim.is_maximal());
///
/// let exclusive_or = BinaryLabels::from_integers(&[-1, -1, 1, 1])?;
/// let found = separate(&examples, &exclusive_or)?;
/// let Separability::Inseparable(proof) = &found else { unreachable!() };
/// assert!(proof.multipliers().iter().all(|(_, lambda)| lambda.to_string() == "1/4"));
/// assert!(found.verify(&TrainingSet::new(&examples, &exclusive_or)?)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Length`] if there are not as many labels as examples, [`Error::Numerical`] if arithmetic breaks down.
pub fn separate<E: Examples + ?Sized>(examples: &E, labels: &BinaryLabels) -> Result<Separability> {
    separate_with(&TrainingSet::new(examples, labels)?, &Control::default())
}

/// As [`separate`], within a budget. An example of weight 0 is absent; other weights do not matter.
///
/// # Errors
/// As [`separate`], and [`Error::Memory`] if the exact copy of the examples does not fit into the budget.
pub fn separate_with<E: Examples + ?Sized>(
    set: &TrainingSet<'_, E, BinaryLabels>,
    control: &Control<'_>,
) -> Result<Separability> {
    let exact = ExactExamples::new(set.examples(), control.budget())?;
    let mut meter = control.start(ITERATIONS);
    Problem { examples: &exact, signs: set.labels().signs(), present: present(set) }.solve(&mut meter)
}

/// As [`separate_with`], for exact numbers: decimals as they are written, say.
///
/// ```
/// use lm_core::{BinaryLabels, Control, TrainingSet};
/// use lm_qp::exact::ExactExamples;
/// use lm_qp::separate_exact;
///
/// // As decimals 0.3 is the middle of 0.1 and 0.5, which the stored numbers next to them need not be.
/// let examples = ExactExamples::from_decimals(&[["0.1", "0.2"], ["0.5", "1.0"], ["0.3", "0.6"]])?;
/// let labels = BinaryLabels::from_integers(&[1, 1, -1])?;
/// let found = separate_exact(&TrainingSet::new(&examples, &labels)?, &Control::default())?;
/// assert_eq!(found.is_separable(), Some(false));
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// As [`separate_with`].
pub fn separate_exact(
    set: &TrainingSet<'_, ExactExamples, BinaryLabels>,
    control: &Control<'_>,
) -> Result<Separability> {
    let mut meter = control.start(ITERATIONS);
    let problem = Problem { examples: set.examples(), signs: set.labels().signs(), present: present(set) };
    problem.solve(&mut meter)
}

/// Whether a kernel separates examples strictly, decided for the stored kernel values.
///
/// Each example is taken for its row of the Gram matrix. For a matrix of inner products this is the same question as in the feature
/// space, because `K(yλ) = 0` exactly if `Σ λᵢyᵢφ(xᵢ) = 0`; the weights of a hyperplane are then the coefficients of an expansion over
/// the examples. Its margin is one among rows of the matrix: that of the feature space is found by [`MaximalMargin`](crate::MaximalMargin).
///
/// ```
/// use lm_core::{BinaryLabels, Control, Dense, TrainingSet, VectorGram, VectorKernel};
/// use lm_qp::separate_gram;
///
/// let examples = Dense::new(vec![1.0, 1.0, -1.0, -1.0, 1.0, -1.0, -1.0, 1.0], 4, 2)?;
/// let exclusive_or = BinaryLabels::from_integers(&[1, 1, -1, -1])?;
/// for (kernel, separable) in [(VectorKernel::linear(), false), (VectorKernel::polynomial(2, 1.0, 1.0)?, true)] {
///     let gram = VectorGram::new(&examples, kernel)?;
///     let found = separate_gram(&TrainingSet::new(&gram, &exclusive_or)?, &Control::default())?;
///     assert_eq!(found.is_separable(), Some(separable));
/// }
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// As [`separate_with`], and [`Error::Memory`] if the whole matrix does not fit into the budget.
pub fn separate_gram<G: Gram + ?Sized>(
    set: &TrainingSet<'_, G, BinaryLabels>,
    control: &Control<'_>,
) -> Result<Separability> {
    let values = MatrixGram::computed(&set.examples(), control.budget())?.into_values();
    let rows = Dense::new(values, set.len(), set.len())?;
    let labelled = TrainingSet::new(&rows, set.labels())?;
    match set.weights() {
        Some(weights) => separate_with(&labelled.with_weights(weights)?, control),
        None => separate_with(&labelled, control),
    }
}

/// The rows of positive weight.
pub(crate) fn present<S: Collection + ?Sized>(set: &TrainingSet<'_, S, BinaryLabels>) -> Vec<usize> {
    (0..set.len()).filter(|&row| set.weight(row) > 0.0).collect()
}

/// The examples, their signs, and the rows that count.
struct Problem<'a> {
    examples: &'a ExactExamples,
    signs: &'a [Sign],
    present: Vec<usize>,
}

impl Problem<'_> {
    fn solve(&self, meter: &mut Meter<'_>) -> Result<Separability> {
        if let Some(pair) = self.same_point() {
            return Ok(Separability::Inseparable(pair));
        }
        let most_bits = hulls::most_bits(self.examples);
        let guess = hulls::search(self.examples, self.signs, &self.present, meter)?;
        let mut stop = guess.stop;
        if matches!(guess.stop, Stop::Converged | Stop::Stalled) {
            match self.nearest(&guess, most_bits, meter)? {
                Ok(found) => return Ok(found),
                Err(why) => stop = why,
            }
            if let Some(found) = self.by_direction(&guess.v)? {
                return Ok(Separability::Separable(found));
            }
        }
        if matches!(stop, Stop::Infeasible | Stop::Stalled | Stop::Converged) {
            if self.examples.dim() + 2 > MOST_COLUMNS {
                return self.undecided(&guess, Stop::Stalled);
            }
            let mut proposal = guess.kept.clone();
            proposal.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            let proposal: Vec<usize> = proposal.iter().map(|(row, _)| *row).collect();
            match decide(self.examples, self.signs, &self.present, &proposal, most_bits, meter)? {
                Decision::Inseparable(multipliers) => {
                    return Ok(Separability::Inseparable(ExactInseparability { multipliers }));
                }
                Decision::Separable(weights, bias) => {
                    return match self.nearest(&guess, most_bits, meter)? {
                        Ok(found @ Separability::Separable(_)) => Ok(found),
                        _ => Ok(Separability::Separable(self.separation(weights, bias, None)?)),
                    };
                }
                Decision::Stopped(why) => stop = why,
            }
        }
        self.undecided(&guess, stop)
    }

    /// Two examples of different classes at the same point, which need no search.
    fn same_point(&self) -> Option<ExactInseparability> {
        let mut seen: HashMap<Vec<(usize, &Integer)>, [Option<usize>; 2]> = HashMap::new();
        for &row in &self.present {
            let entry = seen.entry(self.examples.row(row).collect()).or_default();
            entry[usize::from(self.signs[row] == Sign::Negative)].get_or_insert(row);
            if let [Some(i), Some(j)] = *entry {
                let half = Rational::new(Integer::from(1), Integer::from(2))?;
                let multipliers = vec![(i.min(j), half.clone()), (i.max(j), half)];
                return Some(ExactInseparability { multipliers });
            }
        }
        None
    }

    /// The exact nearest points near a proposal: a verdict either way, or why there is none.
    fn nearest(
        &self,
        guess: &Nearest,
        most_bits: u64,
        meter: &mut Meter<'_>,
    ) -> Result<std::result::Result<Separability, Stop>> {
        if guess.kept.len() > hulls::MOST_KEPT {
            return Ok(Err(Stop::Stalled));
        }
        let found =
            hulls::nearest_exactly(self.examples, self.signs, &self.present, &guess.kept, most_bits, meter)?;
        let (kept, v, offset) = match found {
            ExactNearest::Stopped(stop) => return Ok(Err(stop)),
            ExactNearest::Found { kept, v, offset } => (kept, v, offset),
        };
        let mut kept: Vec<_> = kept.into_iter().filter(|(_, weight)| !weight.is_zero()).collect();
        kept.sort_by_key(|(row, _)| *row);
        if v.iter().all(Rational::is_zero) {
            let half = Rational::new(Integer::from(1), Integer::from(2)).unwrap_or_default();
            let multipliers = kept.iter().map(|(row, weight)| (*row, weight * &half)).collect();
            return Ok(Ok(Separability::Inseparable(ExactInseparability { multipliers })));
        }
        Ok(Ok(Separability::Separable(self.separation(v, -&offset, Some(kept))?)))
    }

    /// A hyperplane across this direction, if it separates the examples exactly.
    fn by_direction(&self, v: &[f64]) -> Result<Option<ExactSeparation>> {
        let weights = v.iter().map(|&v| Rational::from_f64(v)).collect::<Result<Vec<_>>>()?;
        let Some((low, high)) = ends(&weights, self.examples, self.signs, &self.present) else {
            return Ok(None);
        };
        if low <= high {
            return Ok(None);
        }
        let bias = -&middle(&low, &high);
        self.separation(weights, bias, None).map(Some)
    }

    /// The claim about a hyperplane that separates the examples.
    fn separation(
        &self,
        weights: Vec<Rational>,
        bias: Rational,
        nearest: Option<Vec<(usize, Rational)>>,
    ) -> Result<ExactSeparation> {
        let broken = Error::Numerical { what: "an exact hyperplane" };
        let (low, high) = ends(&weights, self.examples, self.signs, &self.present).ok_or(broken)?;
        let least = (&low + &bias).min(-&(&high + &bias));
        if !least.is_positive() {
            return Err(broken);
        }
        let separation = self.rounded(&weights)?;
        Ok(ExactSeparation { weights, bias, least, nearest, separation })
    }

    /// A hyperplane of stored numbers across nearly this direction, if it separates the examples exactly.
    fn rounded(&self, weights: &[Rational]) -> Result<Option<Separation>> {
        // The largest weight becomes 1, so that none is out of range.
        let largest =
            weights.iter().map(|w| if w.is_negative() { -w } else { w.clone() }).max().unwrap_or_default();
        let weights: Vec<f64> =
            weights.iter().map(|w| w.divided(&largest).unwrap_or_default().to_f64()).collect();
        let exact = weights.iter().map(|&w| Rational::from_f64(w)).collect::<Result<Vec<_>>>()?;
        let Some((low, high)) = ends(&exact, self.examples, self.signs, &self.present) else {
            return Ok(None);
        };
        let bias = -middle(&low, &high).to_f64();
        if !bias.is_finite() {
            return Ok(None);
        }
        let exact_bias = Rational::from_f64(bias)?;
        let least = (&low + &exact_bias).min(-&(&high + &exact_bias));
        if !least.is_positive() {
            return Ok(None);
        }
        let hyperplane = Linear::new(weights, bias)?;
        // Rounded down: the norm and the quotient are within two units of the truth.
        let margin = (least.to_f64() / hyperplane.norm()) * (1.0 - 8.0 * f64::EPSILON);
        Ok((margin > 0.0 && margin.is_finite()).then_some(Separation { hyperplane, margin }))
    }

    fn undecided(&self, guess: &Nearest, stop: Stop) -> Result<Separability> {
        let nearest = hulls::rationals(&guess.kept, self.signs)?;
        let margin_at_most = half_root(&squares(&combined(&nearest, self.examples, self.signs)));
        let weights = guess.v.iter().map(|&v| Rational::from_f64(v)).collect::<Result<Vec<_>>>()?;
        let ends = ends(&weights, self.examples, self.signs, &self.present);
        let bias = ends.map_or(0.0, |(low, high)| -middle(&low, &high).to_f64());
        let usable = guess.v.iter().any(|&v| v != 0.0) && bias.is_finite();
        let hyperplane = if usable { Some(Linear::new(guess.v.clone(), bias)?) } else { None };
        let errors = match &hyperplane {
            Some(hyperplane) => errors(hyperplane, self.examples, self.signs, &self.present)?,
            None => self.present.len(),
        };
        Ok(Separability::Undecided(Undecided { stop, nearest, margin_at_most, hyperplane, errors }))
    }
}

fn middle(low: &Rational, high: &Rational) -> Rational {
    let half = Rational::new(Integer::from(1), Integer::from(2)).unwrap_or_default();
    &(low + high) * &half
}
