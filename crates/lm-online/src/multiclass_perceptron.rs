//! The perceptron for several classes: a mistake moves two functions.
//!
//! # Problem
//! ```text
//! find functions gⱼ(x) = ⟨wⱼ·x⟩ + bⱼ with  g_y(x) − max_{j≠y} gⱼ(x) > m  for every example x of class y
//! ```
//! # Method
//! Visit the examples in order. Where the class of an example does not exceed its strongest rival `r` by the margin, add
//! the example to the one and take it from the other:
//!
//! ```text
//! w_y ← w_y + x ,  b_y ← b_y + β ,      w_r ← w_r − x ,  b_r ← b_r − β
//! ```
//!
//! Stop after a pass without a correction. With two classes the difference of both functions is twice the perceptron's.
//! # Cost
//! `k` inner products for each visit, two additions of an example for each correction. If some functions with
//! `Σ‖wⱼ‖² = 1` reach a margin `γ`, there are at most `2(R² + β)/γ²` corrections, up to the part of the bias.
//! # Reference
//! Duda, Hart & Stork (2001), §5.12 (Kesler's construction); Crammer & Singer (2003), *Ultraconservative online algorithms*.

use std::ops::Range;

use lm_core::multiclass::LinearMachine;
use lm_core::{
    Certificate, ClassLabels, Control, Error, Examples, Fit, Learner, Linear, Result, Stop, TrainingSet,
    Verdict,
};

use crate::Bias;
use crate::fit::{Course, bias_step};
use crate::journal::Journal;
use crate::passes::{AHEAD, Procedure};
use crate::replay::{Plain, check_all_spared, replay};
use crate::rule::check_margin;
use crate::trace::{check_len_of, plain_bias_step};
use crate::visits::Visits;
use crate::words::{Walk, setters};

/// The settings of the perceptron for several classes.
///
/// ```
/// use lm_core::multiclass::Classifier;
/// use lm_core::{Certificate, ClassLabels, Dense, Learner, TrainingSet};
/// use lm_online::MulticlassPerceptron;
///
/// let examples = Dense::new(vec![0.0, 0.0, 9.0, 0.0, 0.0, 9.0, 1.0, 1.0], 4, 2)?;
/// let labels = ClassLabels::from_integers(&[10, 20, 30, 10])?;
/// let fit = MulticlassPerceptron::default().fit(&examples, &labels)?.converged()?;
/// assert_eq!(fit.model.classify(&examples)?, [10, 20, 30, 10]);
/// assert!(fit.certificate.verify(&TrainingSet::new(&examples, &labels)?)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MulticlassPerceptron {
    walk: Walk,
    margin: f64,
}

impl Default for MulticlassPerceptron {
    fn default() -> Self {
        Self { walk: Walk::new(1_000, Bias::Radius), margin: 0.0 }
    }
}

impl MulticlassPerceptron {
    setters! { passes = "1000", order, bias = "Radius", radius, margin = "At least 0; default 0. Here `y·g(x)` is what the class of an example exceeds its strongest rival by." }

    fn validate(&self) -> Result<()> {
        self.walk.validate()?;
        check_margin(self.margin)
    }
}

impl<E: Examples + ?Sized> Learner<E, ClassLabels> for MulticlassPerceptron {
    type Model = LinearMachine;
    type Certificate = MulticlassTrace;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, E, ClassLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<LinearMachine, MulticlassTrace>> {
        self.validate()?;
        let (examples, labels) = (set.examples(), set.labels());
        let mut course = Course::start(&self.walk, set, control)?;
        let classes = labels.classes().len();
        let needed = classes.saturating_mul(examples.dim()).saturating_mul(size_of::<f64>());
        course.meter.budget().check_memory("the weight vectors", needed)?;
        let step = bias_step(&self.walk, examples, &course.visits)?;
        let mut machine = Machine {
            labels: labels.indices(),
            weights: vec![vec![0.0; examples.dim()]; classes],
            biases: vec![0.0; classes],
            bias_step: step,
            margin: self.margin,
        };
        let stop = course.run(&mut machine, examples)?;
        let functions = machine.weights.into_iter().zip(machine.biases).map(|(w, b)| Linear::new(w, b));
        let model = LinearMachine::new(labels.classes().to_vec(), functions.collect::<Result<_>>()?)?;
        let certificate = MulticlassTrace {
            margin: self.margin,
            bias: self.walk.bias,
            radius: self.walk.radius,
            bias_step: step,
            separates: stop == Stop::Converged && !course.journal.is_cut(),
            journal: course.journal,
        };
        Ok(Fit { model, report: course.meter.report(stop, None), certificate })
    }
}

/// The functions under correction.
struct Machine<'a> {
    labels: &'a [u32],
    weights: Vec<Vec<f64>>,
    biases: Vec<f64>,
    bias_step: f64,
    margin: f64,
}

impl Machine<'_> {
    /// What the class of each row exceeds its strongest rival by, given the inner products of a class with all rows.
    fn leads(&self, labels: impl Fn(usize) -> usize, dots: impl Fn(&[f64], &mut [f64]), out: &mut [f64]) {
        let (mut own, mut rival, mut values) = ([0.0; AHEAD], [f64::NEG_INFINITY; AHEAD], [0.0; AHEAD]);
        for (class, (weights, bias)) in self.weights.iter().zip(&self.biases).enumerate() {
            dots(weights, &mut values[..out.len()]);
            for (place, value) in values[..out.len()].iter().enumerate() {
                let value = value + bias;
                if labels(place) == class {
                    own[place] = value;
                } else if !(value <= rival[place]) {
                    rival[place] = value;
                }
            }
        }
        out.iter_mut().zip(own.iter().zip(&rival)).for_each(|(out, (own, rival))| *out = own - rival);
    }

    /// The class other than its own that gives an example the largest value, the first of several.
    fn rival(&self, own: usize, value: impl Fn(usize) -> f64) -> usize {
        let mut best = (usize::from(own == 0), f64::NEG_INFINITY);
        for class in (0..self.weights.len()).filter(|&class| class != own) {
            let value = value(class);
            if value > best.1 {
                best = (class, value);
            }
        }
        best.0
    }
}

impl<E: Examples + ?Sized> Procedure<E> for Machine<'_> {
    fn scores(&self, examples: &E, rows: Range<usize>, out: &mut [f64]) {
        let first = rows.start;
        let labels = |place: usize| self.labels[first + place] as usize;
        self.leads(labels, |w, values| examples.dots(rows.clone(), w, values), out);
    }

    fn scores_at(&self, examples: &E, rows: &[u32], out: &mut [f64]) {
        let labels = |place: usize| self.labels[rows[place] as usize] as usize;
        self.leads(labels, |w, values| examples.dots_at(rows, w, values), out);
    }

    fn is_due(&self, _: usize, score: f64) -> bool {
        !(score > self.margin)
    }

    fn correct(&mut self, examples: &E, row: usize, score: f64, _: u64) -> Result<()> {
        let own = self.labels[row] as usize;
        let rival = self.rival(own, |class| examples.dot(row, &self.weights[class]) + self.biases[class]);
        for (class, factor) in [(own, 1.0), (rival, -1.0)] {
            examples.add_scaled(row, factor, &mut self.weights[class]);
            self.biases[class] += factor * self.bias_step;
        }
        if score.is_finite() && self.biases[own].is_finite() {
            Ok(())
        } else {
            Err(Error::Numerical { what: "a correction (rescale the examples)" })
        }
    }
}

/// What a run for several classes claims: where it went and where it made corrections, and whether all examples are right.
///
/// [`Certificate::verify`] replays the run in plain arithmetic, as [`Trace`](crate::Trace) does.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MulticlassTrace {
    margin: f64,
    bias: Bias,
    radius: Option<f64>,
    bias_step: f64,
    journal: Journal,
    separates: bool,
}

impl MulticlassTrace {
    /// Where the run went, and where it made corrections.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Whether the run ended with a pass without a correction, so that its machine tells all examples apart. A trace
    /// whose journal is cut does not claim that.
    pub fn separates(&self) -> bool {
        self.separates
    }
}

impl<E: Examples + ?Sized> Certificate<TrainingSet<'_, E, ClassLabels>> for MulticlassTrace {
    fn verify(&self, set: &TrainingSet<'_, E, ClassLabels>) -> Result<Verdict> {
        let (examples, visits, classes) = (set.examples(), Visits::of(set)?, set.labels().classes().len());
        check_len_of(&self.journal, set.len())?;
        if let Err(found) = plain_bias_step((self.bias, self.radius), self.bias_step, examples, &visits) {
            return Ok(Verdict::Invalid(found));
        }
        let mut plain = PlainMachine {
            trace: self,
            examples,
            labels: set.labels().indices(),
            weights: vec![vec![0.0; examples.dim()]; classes],
            biases: vec![0.0; classes],
        };
        let verdict = replay(&self.journal, &visits, &mut plain)?;
        if verdict.is_valid() && self.separates {
            return check_all_spared(set.len(), &visits, &mut plain);
        }
        Ok(verdict)
    }
}

/// The run once more, in plain arithmetic.
struct PlainMachine<'a, E: ?Sized> {
    trace: &'a MulticlassTrace,
    examples: &'a E,
    labels: &'a [u32],
    weights: Vec<Vec<f64>>,
    biases: Vec<f64>,
}

impl<E: Examples + ?Sized> PlainMachine<'_, E> {
    /// The value of a class for an example, the size of its terms, and their number.
    fn value(&self, row: usize, class: usize) -> (f64, f64, f64) {
        let (mut value, mut size, mut terms) = (self.biases[class], self.biases[class].abs(), 2.0);
        self.examples.row(row).for_each(|k, x| {
            let term = self.weights[class][k] * x;
            (value, size, terms) = (value + term, size + term.abs(), terms + 1.0);
        });
        (value, size, terms)
    }

    /// The strongest rival of the class of an example.
    fn rival(&self, row: usize) -> usize {
        let own = self.labels[row] as usize;
        let others = (0..self.weights.len()).filter(|&class| class != own);
        let better = |best: (usize, f64), class: usize| {
            let value = self.value(row, class).0;
            if value > best.1 { (class, value) } else { best }
        };
        others.fold((usize::from(own == 0), f64::NEG_INFINITY), better).0
    }
}

impl<E: Examples + ?Sized> Plain for PlainMachine<'_, E> {
    fn excess(&mut self, row: usize) -> Result<(f64, f64)> {
        let own = self.value(row, self.labels[row] as usize);
        let rival = self.value(row, self.rival(row));
        let size = own.1 + rival.1 + self.trace.margin;
        Ok((own.0 - rival.0 - self.trace.margin, 4.0 * f64::EPSILON * own.2 * size))
    }

    fn correct(&mut self, row: usize) -> Result<()> {
        let (own, rival) = (self.labels[row] as usize, self.rival(row));
        for (class, factor) in [(own, 1.0), (rival, -1.0)] {
            let weights = &mut self.weights[class];
            self.examples.row(row).for_each(|k, x| weights[k] += factor * x);
            self.biases[class] += factor * self.trace.bias_step;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Perceptron;
    use lm_core::{BinaryLabels, Dense};

    #[test]
    fn a_correction_by_hand_moves_two_functions() {
        let examples = Dense::new(vec![1.0, 2.0, 3.0, -1.0], 2, 2).unwrap();
        let mut machine = Machine {
            labels: &[2, 0],
            weights: vec![vec![0.0; 2]; 3],
            biases: vec![0.0; 3],
            bias_step: 1.0,
            margin: 0.0,
        };
        machine.correct(&examples, 0, 0.0, 0).unwrap();
        assert_eq!(machine.weights, [[-1.0, -2.0], [0.0, 0.0], [1.0, 2.0]]);
        assert_eq!(machine.biases, [-1.0, 0.0, 1.0]);
        let mut leads = [0.0; 2];
        machine.scores(&examples, 0..2, &mut leads);
        assert_eq!(leads, [6.0, -4.0]); // 6 − 0, −2 − 2
    }

    #[test]
    fn two_classes_are_the_perceptron_with_twice_its_weights() {
        let values: Vec<f64> = (0..90).map(|k| f64::from(k * 37 % 19) - 9.0).collect();
        let examples = Dense::new(values, 30, 3).unwrap();
        let labels: Vec<i64> = (0..30).map(|k| i64::from(k * 7 % 5 > 2)).collect();
        let binary = Perceptron::default().with_passes(20);
        let binary = binary.fit(&examples, &BinaryLabels::from_integers(&labels).unwrap()).unwrap();
        let several = MulticlassPerceptron::default().with_passes(20);
        let several = several.fit(&examples, &ClassLabels::from_integers(&labels).unwrap()).unwrap();
        assert_eq!(binary.certificate.journal(), several.certificate.journal());
        let difference = several.model.boundary(1, 0).unwrap();
        assert!(difference.weights().iter().zip(binary.model.weights()).all(|(d, w)| *d == 2.0 * w));
    }
}
