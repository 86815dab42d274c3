//! The trace of a mistake-driven run, and its replay.

use lm_core::{BinaryLabels, Certificate, Columns, Discrepancy, Error, Gram, Result, TrainingSet, Verdict};

/// The examples on which a perceptron was corrected, in order, and whether its last pass was clean.
///
/// [`Certificate::verify`] replays the run: it recomputes the score of every example from the mistakes made so far,
/// each time from a row of the Gram matrix, and checks that the run was corrected where it says and nowhere else.
#[derive(Debug, Clone, PartialEq)]
pub struct MistakeTrace {
    mistakes: Vec<u32>,
    radius_squared: f64,
    separates: bool,
}

impl MistakeTrace {
    pub(crate) fn new(mistakes: Vec<u32>, radius_squared: f64, separates: bool) -> Self {
        Self { mistakes, radius_squared, separates }
    }

    /// The example of each mistake, in order.
    pub fn mistakes(&self) -> &[u32] {
        &self.mistakes
    }

    /// Whether the run ended with a pass without a mistake, so that its hypothesis separates the data.
    pub fn separates(&self) -> bool {
        self.separates
    }

    /// `R² = maxᵢ K(xᵢ, xᵢ)`, the step of the bias.
    pub fn radius_squared(&self) -> f64 {
        self.radius_squared
    }

    /// How often each of `len` examples was a mistake: the coefficients `α` of the dual form.
    pub fn counts(&self, len: usize) -> Vec<u64> {
        let mut counts = vec![0; len];
        for &example in &self.mistakes {
            if let Some(count) = counts.get_mut(example as usize) {
                *count += 1;
            }
        }
        counts
    }
}

impl<G: Gram + ?Sized> Certificate<TrainingSet<'_, G, BinaryLabels>> for MistakeTrace {
    fn verify(&self, set: &TrainingSet<'_, G, BinaryLabels>) -> Result<Verdict> {
        let (gram, len) = (set.examples(), set.len());
        let signs = set.labels().values();
        if let Some(&index) = self.mistakes.iter().find(|&&example| example as usize >= len) {
            return Err(Error::Index { what: "example of the trace", index: index as usize, len });
        }
        let invalid = |what, claimed, recomputed, row| {
            Ok(Verdict::Invalid(Discrepancy { what, claimed, recomputed, row: Some(row) }))
        };
        let radius_squared = gram.diagonal()?.into_iter().fold(0.0, f64::max);
        if radius_squared != self.radius_squared {
            return invalid("the squared radius", self.radius_squared, radius_squared, 0);
        }
        let rows: Vec<usize> = (0..len).collect();
        let (mut alpha, mut bias, mut next) = (vec![0.0; len], 0.0, 0);
        // A run may be stopped anywhere: of what follows its last mistake it claims nothing, unless it separates.
        let over = |next: usize| next == self.mistakes.len() && !self.separates;
        if over(next) {
            return Ok(Verdict::Valid);
        }
        let mut row = vec![0.0; len];
        loop {
            let before = next;
            for &example in &rows {
                gram.fill(&[example], Columns::All, &mut row)?;
                for _ in 0..set.weight(example) as u64 {
                    let score: f64 = (0..len).map(|j| alpha[j] * signs[j] * row[j]).sum();
                    let margin = signs[example] * (score + bias);
                    // Scores are sums of few large terms: a margin within their rounding may fall either way.
                    let size: f64 = (0..len).map(|j| alpha[j] * row[j].abs()).sum::<f64>() + f64::abs(bias);
                    let doubt = (len as f64 + self.mistakes.len() as f64 + 2.0) * f64::EPSILON * size;
                    let claimed = self.mistakes.get(next) == Some(&(example as u32));
                    if claimed && margin > doubt {
                        return invalid(
                            "the margin of a mistake, which must not be positive,",
                            0.0,
                            margin,
                            example,
                        );
                    }
                    if !claimed && margin <= -doubt {
                        return invalid(
                            "a margin without a mistake, which must be positive,",
                            0.0,
                            margin,
                            example,
                        );
                    }
                    if claimed {
                        alpha[example] += 1.0;
                        bias += signs[example] * radius_squared;
                        next += 1;
                        if over(next) {
                            return Ok(Verdict::Valid);
                        }
                    }
                }
            }
            let clean = next == before;
            if clean && next < self.mistakes.len() {
                return invalid("a mistake after a clean pass", 1.0, 0.0, self.mistakes[next] as usize);
            }
            if clean {
                return Ok(Verdict::Valid);
            }
        }
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
        let forge = |change: fn(&mut MistakeTrace)| {
            let mut forged = honest.clone();
            change(&mut forged);
            forged.verify(&set).map(|verdict| verdict.is_valid())
        };
        assert_eq!(forge(|trace| trace.mistakes.push(3)), Ok(false));
        assert_eq!(forge(|trace| trace.mistakes[0] = 3), Ok(false));
        assert_eq!(forge(|trace| trace.radius_squared = 1.0), Ok(false));
        assert_eq!(forge(|trace| trace.mistakes.clear()), Ok(false));
        assert!(forge(|trace| trace.mistakes[0] = 9).is_err());
    }
}
