//! The trace of a run over examples, and its check.

use lm_core::{
    BinaryLabels, Certificate, Discrepancy, Error, Examples, Linear, Result, Sign, TrainingSet, Verdict,
};

use crate::Bias;
use crate::journal::Journal;
use crate::live::Live;
use crate::memory::zeros;
use crate::replay::{Plain, check_all_spared, replay};
use crate::rule::{Label, Meeting, Rule};
use crate::visits::Visits;

/// What a mistake-driven run claims: its rule, where it went and where it made corrections, and what it ended with.
///
/// [`Certificate::verify`] replays the run in plain arithmetic, term by term: every correction was due, none was left out,
/// the function at the end has the norm and the bias that are claimed, and it separates the examples if that is claimed.
/// A margin within the rounding error of its sum may fall either way.
///
/// A trace whose [`Journal`] is cut claims only its beginning.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Trace<R> {
    rule: R,
    bias: Bias,
    radius: Option<f64>,
    bias_step: f64,
    journal: Journal,
    end: End,
    separates: bool,
}

/// The function that a run ended with.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct End {
    norm: f64,
    bias: f64,
}

impl<R: Rule> Trace<R> {
    /// The trace of a run that ended with this learner; `clean` if its last pass needed no correction.
    pub(crate) fn new(
        live: &Live<R>,
        (bias, radius): (Bias, Option<f64>),
        journal: Journal,
        model: &Linear,
        clean: bool,
    ) -> Self {
        Self {
            rule: live.rule().clone(),
            bias,
            radius,
            bias_step: live.bias_step(),
            separates: clean && !journal.is_cut(),
            journal,
            end: End { norm: model.norm(), bias: model.bias() },
        }
    }

    /// The rule of the corrections.
    pub fn rule(&self) -> &R {
        &self.rule
    }

    /// How the bias moved along with the weights.
    pub fn bias(&self) -> Bias {
        self.bias
    }

    /// `β`: a correction by `a·x` moved the bias by `a·β`.
    pub fn bias_step(&self) -> f64 {
        self.bias_step
    }

    /// Where the run went, and where it made corrections.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Whether the run ended with a pass without a correction, so that its function separates the examples with the
    /// margin of the rule. A cut trace does not claim that.
    pub fn separates(&self) -> bool {
        self.separates
    }

    /// `‖w‖` of the function at the end.
    pub fn norm(&self) -> f64 {
        self.end.norm
    }

    /// The bias `b` of the function at the end.
    pub fn final_bias(&self) -> f64 {
        self.end.bias
    }

    /// Checks the claims against examples with as many labels.
    fn check<E: Examples + ?Sized>(
        &self,
        examples: &E,
        labels: &[R::Label],
        visits: &Visits,
    ) -> Result<Verdict> {
        check_len_of(&self.journal, examples.len())?;
        let invalid = |what, claimed, recomputed| {
            Ok(Verdict::Invalid(Discrepancy { what, claimed, recomputed, row: None }))
        };
        if let Err(found) = plain_bias_step((self.bias, self.radius), self.bias_step, examples, visits) {
            return Ok(Verdict::Invalid(found));
        }
        let mut plain = PlainRun::new(self, examples, labels)?;
        let verdict = replay(&self.journal, visits, &mut plain)?;
        if !verdict.is_valid() || self.journal.is_cut() {
            return Ok(verdict);
        }
        let (norm, bias, allowed) = plain.end(self.rule.unit());
        if !((norm - self.end.norm).abs() <= allowed) {
            return invalid("the norm of the weights", self.end.norm, norm);
        }
        if !((bias - self.end.bias).abs() <= allowed * self.bias_step.sqrt()) {
            return invalid("the bias", self.end.bias, bias);
        }
        if self.separates { check_all_spared(examples.len(), visits, &mut plain) } else { Ok(Verdict::Valid) }
    }
}

impl<E: Examples + ?Sized, R: Rule<Label = Sign>> Certificate<TrainingSet<'_, E, BinaryLabels>> for Trace<R> {
    fn verify(&self, set: &TrainingSet<'_, E, BinaryLabels>) -> Result<Verdict> {
        self.check(set.examples(), set.labels().signs(), &Visits::of(set)?)
    }
}

/// Checks that a journal is about as many examples.
pub(crate) fn check_len_of(journal: &Journal, found: usize) -> Result<()> {
    let expected = journal.examples();
    if found == expected {
        return Ok(());
    }
    Err(Error::Length { what: "the training set of a trace", expected, found })
}

/// Compares the `β` that is claimed with that of the examples.
pub(crate) fn plain_bias_step<E: Examples + ?Sized>(
    (bias, radius): (Bias, Option<f64>),
    claimed: f64,
    examples: &E,
    visits: &Visits,
) -> Result<(), Discrepancy> {
    let radius_squared = match (bias, radius) {
        (Bias::Radius, None) => plain_radius_squared(examples, visits),
        (_, radius) => radius.map_or(0.0, |radius| radius * radius),
    };
    let step = bias.step(radius_squared);
    if (step - claimed).abs() <= 4.0 * (examples.dim() as f64 + 2.0) * f64::EPSILON * step {
        return Ok(());
    }
    Err(Discrepancy { what: "the step of the bias", claimed, recomputed: step, row: None })
}

/// The largest squared norm of an example that is visited, entry by entry.
pub(crate) fn plain_radius_squared<E: Examples + ?Sized>(examples: &E, visits: &Visits) -> f64 {
    let norm_squared = |row: usize| {
        let mut sum = 0.0;
        examples.row(row).for_each(|_, x| sum += x * x);
        sum
    };
    (0..examples.len()).filter(|&row| visits.to(row) > 0).map(norm_squared).fold(0.0, f64::max)
}

/// The run once more, in plain arithmetic.
struct PlainRun<'a, E: ?Sized, R: Rule> {
    rule: &'a R,
    examples: &'a E,
    labels: &'a [R::Label],
    weights: Vec<f64>,
    bias: f64,
    bias_step: f64,
    corrections: u64,
    /// `‖w‖² + b²/β`, kept up to date, and its largest value so far: what rounding errors are measured by.
    size: f64,
    largest: f64,
}

impl<'a, E: Examples + ?Sized, R: Rule> PlainRun<'a, E, R> {
    fn new(trace: &'a Trace<R>, examples: &'a E, labels: &'a [R::Label]) -> Result<Self> {
        let dim = examples.dim();
        let weights = zeros("the weight vector", dim)?;
        let (rule, bias_step) = (&trace.rule, trace.bias_step);
        Ok(Self {
            rule,
            examples,
            labels,
            weights,
            bias: 0.0,
            bias_step,
            corrections: 0,
            size: 0.0,
            largest: 0.0,
        })
    }

    /// The score of an example, `‖x‖² + β`, and the number of terms in the score.
    fn meet(&self, row: usize) -> (f64, f64, f64) {
        let (mut score, mut norm_squared, mut terms) = (self.bias, self.bias_step, 2.0);
        self.examples.row(row).for_each(|k, x| {
            score += self.weights[k] * x;
            norm_squared += x * x;
            terms += 1.0;
        });
        (score, norm_squared, terms)
    }

    /// The norm and the bias of the function, and the rounding error that the norm may have.
    fn end(&self, unit: f64) -> (f64, f64, f64) {
        let norm = self.weights.iter().fold(0.0_f64, |norm, weight| norm.hypot(*weight));
        let operations = self.weights.len() as f64 + self.corrections as f64 + 4.0;
        let allowed = 8.0 * f64::EPSILON * operations * self.largest.sqrt();
        (unit * norm, unit * self.bias, unit * allowed)
    }
}

impl<E: Examples + ?Sized, R: Rule> Plain for PlainRun<'_, E, R> {
    fn excess(&mut self, row: usize) -> Result<(f64, f64)> {
        let (score, norm_squared, terms) = self.meet(row);
        let (label, margin) = (self.labels[row].value(), self.rule.margin());
        // Terms are rounded when they are multiplied and added, weights once in every correction.
        let operations = terms + self.corrections as f64;
        let doubt =
            4.0 * f64::EPSILON * operations * (self.largest.sqrt() * norm_squared.sqrt() + margin.abs());
        Ok((label * score - margin, doubt))
    }

    fn correct(&mut self, row: usize) -> Result<()> {
        let (score, norm_squared, _) = self.meet(row);
        self.corrections += 1;
        let factor = self.rule.factor(&Meeting {
            score,
            label: self.labels[row].value(),
            norm_squared: if R::USES_NORM { norm_squared } else { 0.0 },
            correction: self.corrections,
        });
        let weights = &mut self.weights;
        self.examples.row(row).for_each(|k, x| weights[k] += factor * x);
        self.bias += factor * self.bias_step;
        // ‖ŵ + a·x̂‖² for the weights and the example with their attribute for the bias.
        self.size += factor * (2.0 * score + factor * norm_squared);
        self.largest = self.largest.max(self.size);
        if self.size.is_finite() && self.bias.is_finite() {
            Ok(())
        } else {
            Err(Error::Numerical { what: "the replay of a run" })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Order, Perceptron, PerceptronRule};
    use lm_core::{Budget, Control, Dense, Learner};

    fn sample() -> (Dense<'static>, BinaryLabels) {
        let examples = Dense::new(vec![1.0, 1.25, -1.0, 0.25, 2.0, 1.0, 0.5, -0.25], 4, 2).unwrap();
        (examples, BinaryLabels::from_integers(&[-1, -1, 1, 1]).unwrap())
    }

    #[test]
    fn a_forged_trace_is_found_out() {
        let (examples, labels) = sample();
        let set = TrainingSet::new(&examples, &labels).unwrap();
        for order in [Order::Given, Order::Shuffled { seed: 4 }] {
            let honest = Perceptron::default().with_order(order).fit(&examples, &labels).unwrap().certificate;
            assert!(honest.verify(&set).unwrap().is_valid());
            let places: Vec<u64> = honest.journal.places().collect();
            assert!(places.len() > 2, "{places:?}");
            let forge = |change: &dyn Fn(&mut Trace<PerceptronRule>)| {
                let mut forged = honest.clone();
                change(&mut forged);
                forged.verify(&set).unwrap().is_valid()
            };
            let rewritten = |places: &[u64], visited: u64| {
                let mut journal = Journal::new(order, 4, usize::MAX);
                for &place in places {
                    journal.correct(place as usize);
                }
                journal.advance(visited as usize);
                journal
            };
            let visited = honest.journal.visited();
            assert!(forge(&|trace| trace.journal = rewritten(&places, visited)), "an honest copy");
            for left_out in 0..places.len() {
                let mut fewer = places.clone();
                fewer.remove(left_out);
                assert!(!forge(&|trace| trace.journal = rewritten(&fewer, visited)), "{left_out}");
            }
            let more = [&places[..], &[visited - 1]].concat();
            assert!(!forge(&|trace| trace.journal = rewritten(&more, visited)));
            assert!(!forge(&|trace| trace.journal = rewritten(&places, u64::MAX / 2)));
            assert!(!forge(&|trace| trace.journal = rewritten(&places, places[0])));
            assert!(!forge(&|trace| trace.end.norm *= 1.0 + 1e-9));
            assert!(!forge(&|trace| trace.end.bias += 1e-9));
            assert!(!forge(&|trace| trace.end.norm = f64::NAN));
            assert!(!forge(&|trace| trace.bias_step *= 1.0 + 1e-9));
        }
    }

    #[test]
    fn a_separation_that_was_not_reached_is_found_out() {
        let (examples, labels) = sample();
        let set = TrainingSet::new(&examples, &labels).unwrap();
        let control = Control::new(Budget::default().with_iterations(1));
        let mut trace = Perceptron::default().fit_with(&set, &control).unwrap().certificate;
        assert!(!trace.separates() && trace.verify(&set).unwrap().is_valid());
        trace.separates = true;
        assert!(!trace.verify(&set).unwrap().is_valid());
    }

    #[test]
    fn a_trace_that_had_to_be_cut_claims_its_beginning_only() {
        let rows: Vec<f64> = (0..400).map(|k| f64::from(k * 37 % 101)).collect();
        let labels: Vec<i64> = (0..400).map(|k| k % 2).collect();
        let (examples, labels) =
            (Dense::new(rows, 400, 1).unwrap(), BinaryLabels::from_integers(&labels).unwrap());
        let set = TrainingSet::new(&examples, &labels).unwrap();
        let control = Control::new(Budget::default().with_memory(100));
        let fit = Perceptron::default().with_passes(20).fit_with(&set, &control).unwrap();
        let journal = fit.certificate.journal();
        assert!(journal.is_cut() && journal.bytes() <= 100);
        assert!(journal.corrections() > 1000 && journal.mistakes().len() < 100);
        assert!(!fit.certificate.separates());
        assert!(fit.certificate.verify(&set).unwrap().is_valid());
        let refused = Perceptron::default().fit_with(&set, &Control::new(Budget::default().with_memory(7)));
        assert!(matches!(refused, Err(Error::Memory { needed: 8, allowed: 7, .. })));
    }

    #[test]
    fn a_trace_of_other_examples_is_refused() {
        let (examples, labels) = sample();
        let trace = Perceptron::default().fit(&examples, &labels).unwrap().certificate;
        let other = Dense::new(vec![1.0, 2.0, 3.0], 3, 1).unwrap();
        let others = BinaryLabels::from_integers(&[-1, 1, 1]).unwrap();
        assert!(trace.verify(&TrainingSet::new(&other, &others).unwrap()).is_err());
    }
}
