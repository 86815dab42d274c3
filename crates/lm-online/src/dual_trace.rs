//! The trace of a run over a Gram matrix, and its check.

use lm_core::{BinaryLabels, Certificate, Columns, Discrepancy, Gram, Result, TrainingSet, Verdict};

use crate::Bias;
use crate::journal::Journal;
use crate::replay::{Plain, check_all_spared, replay};
use crate::trace::check_len_of;
use crate::visits::Visits;

/// What a mistake-driven run over a Gram matrix claims: where it went and where it made corrections.
///
/// [`Certificate::verify`] replays the run: it recomputes the score of every example from the corrections made so far,
/// each time from a row of the Gram matrix, and checks that the run was corrected where it says and nowhere else.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DualTrace {
    pub(crate) margin: f64,
    pub(crate) bias: Bias,
    pub(crate) bias_step: f64,
    pub(crate) journal: Journal,
    pub(crate) separates: bool,
}

impl DualTrace {
    /// The margin that examples were corrected below.
    pub fn margin(&self) -> f64 {
        self.margin
    }

    /// How the bias moved along with the coefficients.
    pub fn bias(&self) -> Bias {
        self.bias
    }

    /// `β`, the step of the bias: `R² = maxᵢ K(xᵢ, xᵢ)`, 1 or 0.
    pub fn bias_step(&self) -> f64 {
        self.bias_step
    }

    /// Where the run went, and where it made corrections.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Whether the run ended with a pass without a correction, so that its hypothesis separates the examples. A trace
    /// whose journal is cut does not claim that.
    pub fn separates(&self) -> bool {
        self.separates
    }
}

impl<G: Gram + ?Sized> Certificate<TrainingSet<'_, G, BinaryLabels>> for DualTrace {
    fn verify(&self, set: &TrainingSet<'_, G, BinaryLabels>) -> Result<Verdict> {
        let (gram, len, visits) = (set.examples(), set.len(), Visits::of(set)?);
        check_len_of(&self.journal, len)?;
        let diagonal = gram.diagonal()?.into_iter().enumerate();
        let visited = diagonal.filter(|&(row, _)| visits.to(row) > 0);
        let step = self.bias.step(visited.fold(0.0, |largest, (_, value)| f64::max(largest, value)));
        if step != self.bias_step {
            let (what, claimed) = ("the step of the bias", self.bias_step);
            return Ok(Verdict::Invalid(Discrepancy { what, claimed, recomputed: step, row: None }));
        }
        let signs = set.labels().values();
        let (alpha, row) = (vec![0.0; len], vec![0.0; len]);
        let mut plain = PlainDual { trace: self, gram, signs, alpha, row, bias: 0.0, corrections: 0.0 };
        let verdict = replay(&self.journal, &visits, &mut plain)?;
        if verdict.is_valid() && self.separates {
            return check_all_spared(len, &visits, &mut plain);
        }
        Ok(verdict)
    }
}

/// The run once more, in plain arithmetic.
struct PlainDual<'a, G: ?Sized> {
    trace: &'a DualTrace,
    gram: &'a G,
    signs: Vec<f64>,
    alpha: Vec<f64>,
    row: Vec<f64>,
    bias: f64,
    corrections: f64,
}

impl<G: Gram + ?Sized> Plain for PlainDual<'_, G> {
    fn excess(&mut self, row: usize) -> Result<(f64, f64)> {
        self.gram.fill(&[row], Columns::All, &mut self.row)?;
        let (mut score, mut size) = (self.bias, self.bias.abs());
        for ((alpha, sign), value) in self.alpha.iter().zip(&self.signs).zip(&self.row) {
            score += alpha * sign * value;
            size += alpha * value.abs();
        }
        // Scores are sums of few large terms: a margin within their rounding may fall either way.
        let operations = self.alpha.len() as f64 + self.corrections + 2.0;
        let doubt = operations * f64::EPSILON * (size + self.trace.margin);
        Ok((self.signs[row] * score - self.trace.margin, doubt))
    }

    fn correct(&mut self, row: usize) -> Result<()> {
        self.alpha[row] += 1.0;
        self.bias += self.signs[row] * self.trace.bias_step;
        self.corrections += 1.0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DualPerceptron;
    use lm_core::{Dense, Learner, VectorGram, VectorKernel};

    #[test]
    fn a_forged_trace_is_found_out() {
        let examples = Dense::new(vec![-1.5, -1.0, 0.7, 1.0], 4, 1).unwrap();
        let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
        let labels = BinaryLabels::from_integers(&[-1, -1, 1, 1]).unwrap();
        let set = TrainingSet::new(&gram, &labels).unwrap();
        let honest = DualPerceptron::default().fit(&gram, &labels).unwrap().certificate;
        assert!(honest.verify(&set).unwrap().is_valid());
        let forge = |change: fn(&mut DualTrace)| {
            let mut forged = honest.clone();
            change(&mut forged);
            forged.verify(&set).map(|verdict| verdict.is_valid())
        };
        let journal = |places: &[usize], visited| {
            let mut journal = Journal::new(honest.journal.order(), 4, usize::MAX);
            places.iter().for_each(|&place| journal.correct(place));
            journal.advance(visited);
            journal
        };
        assert_eq!(honest.journal.mistakes(), [0, 2]);
        assert_eq!(honest.journal, journal(&[0, 2], 8));
        for forged in [journal(&[0, 2, 7], 8), journal(&[3], 8), journal(&[], 8), journal(&[0, 2], 80)] {
            let trace = DualTrace { journal: forged, ..honest.clone() };
            assert!(!trace.verify(&set).unwrap().is_valid());
        }
        assert_eq!(forge(|trace| trace.bias_step = 1.0), Ok(false));
        assert_eq!(forge(|trace| trace.margin = 10.0), Ok(false));
    }
}
