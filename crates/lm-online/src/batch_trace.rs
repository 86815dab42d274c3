//! The trace of a batch procedure, and its replay.

use lm_core::{
    BinaryLabels, Certificate, Discrepancy, Error, Examples, Linear, Result, TrainingSet, Verdict,
};

use crate::augmented::{Augmented, norm};
use crate::batch::{Plan, Rule};

/// What is kept of one iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Entry {
    /// How many samples were short of the margin.
    pub(crate) corrected: u32,
    /// `‖a‖` after the step.
    pub(crate) norm: f64,
}

/// How many samples each iteration of a batch procedure corrected, and the norm of the weights after it.
///
/// [`Certificate::verify`] replays the run sample by sample and entry by entry, and checks every count, every norm and
/// the hyperplane at the end. A margin within rounding of the bound may have fallen either way: of such samples the
/// replay corrects as many as the trace says. Of a run of more than [`BatchTrace::LIMIT`] iterations the beginning is
/// kept; then [`BatchTrace::is_whole`] is false, and of the end only the separation is checked.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchTrace {
    plan: Plan,
    entries: Vec<Entry>,
    iterations: u64,
    hyperplane: Linear,
    separates: bool,
}

impl BatchTrace {
    /// The most iterations that a trace keeps.
    pub const LIMIT: usize = 1 << 20;

    pub(crate) fn new(
        plan: Plan,
        entries: Vec<Entry>,
        iterations: u64,
        hyperplane: Linear,
        separates: bool,
    ) -> Self {
        Self { plan, entries, iterations, hyperplane, separates }
    }

    /// How many samples each iteration corrected.
    pub fn corrected(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.entries.iter().map(|entry| entry.corrected)
    }

    /// `‖a‖` after each iteration, the weight of the constant attribute included.
    pub fn norms(&self) -> impl ExactSizeIterator<Item = f64> + '_ {
        self.entries.iter().map(|entry| entry.norm)
    }

    /// The number of iterations of the run.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Whether every iteration of the run is kept.
    pub fn is_whole(&self) -> bool {
        self.entries.len() as u64 == self.iterations
    }

    /// Whether the last iteration of the run corrected nothing: every example is beyond the margin.
    pub fn separates(&self) -> bool {
        self.separates
    }

    /// The hyperplane that the run ended with.
    pub fn hyperplane(&self) -> &Linear {
        &self.hyperplane
    }
}

impl<E: Examples + ?Sized> Certificate<TrainingSet<'_, E, BinaryLabels>> for BatchTrace {
    fn verify(&self, set: &TrainingSet<'_, E, BinaryLabels>) -> Result<Verdict> {
        set.examples().check_dim("the weight vector", self.hyperplane.weights().len())?;
        let mut replay = Replay::new(set, &self.plan, self.entries.len());
        for (k, entry) in (1..).zip(&self.entries) {
            if let Some(found) = replay.step(k, *entry)? {
                return Ok(Verdict::Invalid(found));
            }
        }
        if self.is_whole()
            && let Some(found) = replay.compare(&self.hyperplane)?
        {
            return Ok(Verdict::Invalid(found));
        }
        let short = self.separates.then(|| self.short(set)).flatten();
        Ok(short.map_or(Verdict::Valid, Verdict::Invalid))
    }
}

impl BatchTrace {
    /// The first example that the hyperplane leaves short of the margin, beyond what rounding explains.
    fn short<E: Examples + ?Sized>(&self, set: &TrainingSet<'_, E, BinaryLabels>) -> Option<Discrepancy> {
        let (w, bias) = (self.hyperplane.weights(), self.hyperplane.bias());
        (0..set.len()).filter(|&row| set.weight(row) > 0.0).find_map(|row| {
            let (mut value, mut size) = (bias, bias.abs());
            set.examples().row(row).for_each(|k, x| {
                value += w[k] * x;
                size += (w[k] * x).abs();
            });
            let margin = set.labels().signs()[row].value() * value;
            let doubt = 4.0 * f64::EPSILON * (w.len() as f64 + 2.0) * size;
            // Written so that NaN fails.
            let short = !(margin + doubt > self.plan.required());
            let (what, claimed) = ("the margin of a separation", self.plan.required());
            short.then_some(Discrepancy { what, claimed, recomputed: margin, row: Some(row) })
        })
    }
}

/// The run once more, in plain arithmetic.
struct Replay<'a, 'p, E: ?Sized> {
    set: TrainingSet<'a, E, BinaryLabels>,
    samples: Augmented<'a, E>,
    plan: &'p Plan,
    total_weight: f64,
    a: Vec<f64>,
    /// The sizes of all that was ever added to `a`: what rounding errors are relative to.
    sizes: Vec<f64>,
    rounding: f64,
}

impl<'a, 'p, E: Examples + ?Sized> Replay<'a, 'p, E> {
    fn new(set: &TrainingSet<'a, E, BinaryLabels>, plan: &'p Plan, iterations: usize) -> Self {
        let samples = Augmented::new(set.examples(), plan.bias, |row| set.weight(row));
        let total_weight = (0..set.len()).map(|row| set.weight(row)).sum();
        let (a, sizes) = (vec![0.0; samples.dim()], vec![0.0; samples.dim()]);
        let terms = set.len() + samples.dim() + iterations + 8;
        let rounding = 16.0 * f64::EPSILON * terms as f64;
        Self { set: *set, samples, plan, total_weight, a, sizes, rounding }
    }

    /// One iteration; what is wrong with it, if something is.
    fn step(&mut self, k: u64, entry: Entry) -> Result<Option<Discrepancy>> {
        // Samples that are short whatever the rounding, and samples that rounding decides, with their margins.
        let (mut short, mut doubtful) = (Vec::new(), Vec::new());
        let required = self.plan.required();
        for row in 0..self.set.len() {
            let (margin, doubt) = self.margin(row);
            if self.set.weight(row) == 0.0 || margin > required + doubt {
                continue;
            }
            let list = if margin <= required - doubt { &mut short } else { &mut doubtful };
            list.push((row, margin));
        }
        let claimed = entry.corrected as usize;
        if claimed < short.len() || claimed > short.len() + doubtful.len() {
            let (what, claimed) = ("the number of samples corrected", f64::from(entry.corrected));
            return Ok(Some(Discrepancy { what, claimed, recomputed: short.len() as f64, row: None }));
        }
        doubtful.sort_by(|a, b| a.1.total_cmp(&b.1));
        doubtful.truncate(claimed - short.len());
        short.append(&mut doubtful);
        short.sort_unstable_by_key(|(row, _)| *row);
        self.correct(k, &short);
        let (now, allowed) = (norm(&self.a), self.rounding * norm(&self.sizes));
        if !allowed.is_finite() {
            return Err(Error::Numerical { what: "the replay of a batch procedure" });
        }
        // Written so that NaN fails.
        let wrong = !((now - entry.norm).abs() <= allowed);
        let discrepancy = Discrepancy { what: "a norm", claimed: entry.norm, recomputed: now, row: None };
        Ok(wrong.then_some(discrepancy))
    }

    /// The margin of a sample, and a bound on its rounding error.
    fn margin(&self, row: usize) -> (f64, f64) {
        let (mut score, mut size) = (0.0, 0.0);
        self.samples.for_each_entry(row, |k, y| {
            score += self.a[k] * y;
            size += self.sizes[k] * y.abs();
        });
        (self.set.labels().signs()[row].value() * score, self.rounding * size)
    }

    fn correct(&mut self, k: u64, short: &[(usize, f64)]) {
        let rate = self.plan.rates.rate(k, self.total_weight);
        let Self { set, samples, plan, a, sizes, .. } = self;
        for &(row, margin) in short {
            let mut squares = 0.0;
            samples.for_each_entry(row, |_, y| squares += y * y);
            let factor = match plan.rule {
                Rule::Perceptron => 1.0,
                Rule::Relaxation if squares == 0.0 => 0.0,
                Rule::Relaxation => (plan.margin - margin) / squares,
            };
            let coefficient = rate * set.weight(row) * factor * set.labels().signs()[row].value();
            samples.for_each_entry(row, |k, y| {
                a[k] += coefficient * y;
                sizes[k] += (coefficient * y).abs();
            });
        }
    }

    /// Compares the weights at the end with those of the model.
    fn compare(&self, hyperplane: &Linear) -> Result<Option<Discrepancy>> {
        let (now, sizes) = (self.samples.hyperplane(&self.a)?, self.samples.hyperplane(&self.sizes)?);
        let pairs = |f: &Linear| f.weights().iter().copied().chain([f.bias()]).collect::<Vec<_>>();
        let claims = pairs(hyperplane).into_iter().zip(pairs(&now)).zip(pairs(&sizes)).enumerate();
        let mut wrong = claims.filter(|(_, ((a, b), size))| !((a - b).abs() <= self.rounding * size));
        Ok(wrong.next().map(|(row, ((claimed, recomputed), _))| Discrepancy {
            what: "a weight at the end",
            claimed,
            recomputed,
            row: Some(row),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BatchPerceptron;
    use lm_core::{Dense, Learner};

    #[test]
    fn a_forged_trace_is_found_out() {
        let examples = Dense::new(vec![-1.5, -1.0, 0.7, 1.0, 0.3, -0.4], 6, 1).unwrap();
        let labels = BinaryLabels::from_integers(&[-1, -1, 1, 1, 1, -1]).unwrap();
        let set = TrainingSet::new(&examples, &labels).unwrap();
        let fit = BatchPerceptron::default().fit(&examples, &labels).unwrap().converged().unwrap();
        let honest = fit.certificate;
        assert!(honest.separates() && honest.is_whole() && honest.verify(&set).unwrap().is_valid());
        let forge = |change: fn(&mut BatchTrace)| {
            let mut forged = honest.clone();
            change(&mut forged);
            forged.verify(&set).map(|verdict| verdict.is_valid())
        };
        assert_eq!(forge(|trace| trace.entries[0].corrected -= 1), Ok(false));
        assert_eq!(forge(|trace| trace.entries[0].norm *= 1.000_001), Ok(false));
        assert_eq!(forge(|trace| trace.entries[0].norm = f64::NAN), Ok(false));
        assert_eq!(forge(|trace| trace.hyperplane = Linear::new(vec![9.0], 0.0).unwrap()), Ok(false));
        assert_eq!(forge(|trace| trace.plan.margin = 50.0), Ok(false));
        let cut = |trace: &mut BatchTrace| {
            trace.entries.pop();
        };
        assert_eq!(forge(cut), Ok(true), "a trace that is cut claims less");
        let cut_and_forged = |trace: &mut BatchTrace| {
            trace.entries.pop();
            trace.hyperplane = Linear::new(vec![9.0], 20.0).unwrap();
        };
        assert_eq!(forge(cut_and_forged), Ok(false));
        assert!(forge(|trace| trace.hyperplane = Linear::new(vec![1.0, 1.0], 0.0).unwrap()).is_err());
    }
}
