//! The trace of a run of Winnow, and its check.

use lm_core::{BinaryLabels, Certificate, Error, Examples, Result, TrainingSet, Verdict};

use crate::Bias;
use crate::journal::Journal;
use crate::replay::{Plain, check_all_spared, replay};
use crate::trace::{check_len_of, plain_bias_step};
use crate::visits::Visits;

/// What a run of Winnow claims: where it went and where it made corrections, and whether it separates the examples.
///
/// [`Certificate::verify`] replays the run from the exponents of its weights, one exponential a term.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WinnowTrace {
    pub(crate) promotion: f64,
    pub(crate) bias: Bias,
    pub(crate) radius: Option<f64>,
    pub(crate) bias_step: f64,
    pub(crate) journal: Journal,
    pub(crate) separates: bool,
}

impl WinnowTrace {
    /// `α`.
    pub fn promotion(&self) -> f64 {
        self.promotion
    }

    /// Where the run went, and where it made corrections.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Whether the run ended with a pass without a correction, so that its function separates the examples. A trace
    /// whose journal is cut does not claim that.
    pub fn separates(&self) -> bool {
        self.separates
    }
}

impl<E: Examples + ?Sized> Certificate<TrainingSet<'_, E, BinaryLabels>> for WinnowTrace {
    fn verify(&self, set: &TrainingSet<'_, E, BinaryLabels>) -> Result<Verdict> {
        let (examples, visits) = (set.examples(), Visits::of(set)?);
        check_len_of(&self.journal, set.len())?;
        if let Err(found) = plain_bias_step((self.bias, self.radius), self.bias_step, examples, &visits) {
            return Ok(Verdict::Invalid(found));
        }
        let mut plain = PlainWinnow {
            rate: self.promotion.ln(),
            constant: self.bias_step.sqrt(),
            examples,
            signs: set.labels().values(),
            exponents: vec![0.0; examples.dim()],
            bias_exponent: 0.0,
            largest: 0.0,
        };
        let verdict = replay(&self.journal, &visits, &mut plain)?;
        if verdict.is_valid() && self.separates {
            return check_all_spared(set.len(), &visits, &mut plain);
        }
        Ok(verdict)
    }
}

/// The run once more, in plain arithmetic.
struct PlainWinnow<'a, E: ?Sized> {
    rate: f64,
    constant: f64,
    examples: &'a E,
    signs: Vec<f64>,
    exponents: Vec<f64>,
    bias_exponent: f64,
    /// The largest exponent so far, by which all weights are divided.
    largest: f64,
}

impl<E: Examples + ?Sized> Plain for PlainWinnow<'_, E> {
    fn excess(&mut self, row: usize) -> Result<(f64, f64)> {
        let weight = |v: f64| (self.rate * v - self.largest).exp() - (-self.rate * v - self.largest).exp();
        let (mut score, mut terms) = (self.constant * weight(self.bias_exponent), 2.0);
        let mut size = score.abs();
        self.examples.row(row).for_each(|k, x| {
            let term = weight(self.exponents[k]) * x;
            (score, size, terms) = (score + term, size + term.abs(), terms + 1.0);
            // The difference of two exponentials may cancel.
            size += f64::EPSILON * ((self.rate * self.exponents[k]).abs() - self.largest).exp() * x.abs();
        });
        // An exponential is as exact as its exponent is.
        let doubt = 4.0 * f64::EPSILON * (terms + 16.0 + 4.0 * self.largest) * size;
        Ok((self.signs[row] * score, doubt))
    }

    fn correct(&mut self, row: usize) -> Result<()> {
        let (y, rate) = (self.signs[row], self.rate);
        self.bias_exponent += y * self.constant;
        let mut largest = self.largest.max(rate * self.bias_exponent.abs());
        let exponents = &mut self.exponents;
        self.examples.row(row).for_each(|k, x| {
            exponents[k] += y * x;
            largest = largest.max(rate * exponents[k].abs());
        });
        self.largest = largest;
        if largest.is_finite() { Ok(()) } else { Err(Error::Numerical { what: "the replay of a run" }) }
    }
}
