//! The exact leave-one-out error of a machine, without a fit for each example.
//!
//! # Problem
//! How many examples, and which, are misclassified by the machine that is learned from all others?
//! # Method
//! Let `l` be the loss and `(w, b)` the machine on all examples, `(v, c)` the one without example `i`. Each is the best for what it
//! was learned from,
//! ```text
//! P(w, b) + l(yᵢf(xᵢ)) ≤ P(v, c) + l(yᵢg(xᵢ))   and   P(v, c) ≤ P(w, b)
//! ```
//! where `P` is the objective without example `i`. So `l(yᵢg(xᵢ)) ≥ l(yᵢf(xᵢ))`: **an example that is misclassified in training is
//! misclassified when it is left out**. All others are asked of the machine through [`WithoutOne`]: an example without a
//! coefficient changes nothing, the others take steps from where the machine is until the sign of the decision value is
//! certain. A sign that remains within the error of its value is counted as undecided, and never guessed.
//! # Cost
//! One solution, and for each support vector that is no training error some hundred steps of `n` operations.
//! # Reference
//! Luntz & Brailovsky (1969); Joachims (2000), lemma 1, for training errors; Cristianini & Shawe-Taylor (2000), remark 6.9.

use lm_core::{Control, LeftOut, Result, Sign, Wanted, WithoutOne, parallel};

/// What becomes of an example that is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding {
    /// The machine without it gives it its label.
    Right,
    /// The machine without it gives it the other label.
    Wrong,
    /// The decision value is 0 as far as can be told.
    Undecided,
}

/// What was found of one example, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// What becomes of it.
    pub finding: Finding,
    /// The decision value without it, which was not needed for an example that is misclassified in training.
    pub left_out: Option<LeftOut>,
}

/// The exact leave-one-out error.
///
/// ```
/// use lm_bounds::{Finding, leave_one_out};
/// use lm_core::{BinaryLabels, Control, Dense, TrainingSet, VectorGram, VectorKernel};
/// use lm_qp::{CSvc, Removals};
///
/// let examples = Dense::new(vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 6, 1)?;
/// let labels = BinaryLabels::from_integers(&[-1, -1, 1, -1, 1, 1])?;
/// let gram = VectorGram::new(&examples, VectorKernel::linear())?;
/// let machine = Removals::solve(&CSvc::default(), &TrainingSet::new(&gram, &labels)?, &Control::default())?;
/// let found = leave_one_out(&machine, &Control::default())?;
/// assert_eq!((found.errors(), found.undecided()), (2, 0)); // the two in the middle
/// assert_eq!(found.outcomes()[2].finding, Finding::Wrong);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ExactLeaveOneOut {
    outcomes: Vec<Outcome>,
}

/// Leaves out one example after the other of a classifier with labels ±1.
///
/// The result has the same bits for any number of threads.
///
/// # Errors
/// What [`WithoutOne::without`] gives.
pub fn leave_one_out<M: WithoutOne + ?Sized>(machine: &M, control: &Control<'_>) -> Result<ExactLeaveOneOut> {
    let control = control.start(u64::MAX).divided(machine.len());
    let outcomes = parallel::map(machine.len(), |row| outcome(machine, row, &control));
    Ok(ExactLeaveOneOut { outcomes: outcomes.into_iter().collect::<Result<_>>()? })
}

fn outcome<M: WithoutOne + ?Sized>(machine: &M, row: usize, control: &Control<'_>) -> Result<Outcome> {
    let share = &machine.shares()[row];
    if machine.is_sum_of_losses() && share.margin() < -share.error {
        return Ok(Outcome { finding: Finding::Wrong, left_out: None });
    }
    let left_out = machine.without(row, Wanted::Sign, control)?;
    let finding = if !Wanted::Sign.is_met(left_out.value, left_out.error) {
        Finding::Undecided
    } else if Sign::of(left_out.value) == Sign::of(share.target) {
        Finding::Right
    } else {
        Finding::Wrong
    };
    Ok(Outcome { finding, left_out: Some(left_out) })
}

impl ExactLeaveOneOut {
    /// What was found of each example.
    pub fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }

    fn count(&self, of: impl Fn(&Outcome) -> bool) -> usize {
        self.outcomes.iter().filter(|outcome| of(outcome)).count()
    }

    /// The rows of the examples that are misclassified when they are left out, in increasing order.
    pub fn wrong(&self) -> Vec<usize> {
        (0..self.outcomes.len()).filter(|&row| self.outcomes[row].finding == Finding::Wrong).collect()
    }

    /// How many examples are misclassified when they are left out.
    pub fn errors(&self) -> usize {
        self.count(|outcome| outcome.finding == Finding::Wrong)
    }

    /// How many could not be decided.
    pub fn undecided(&self) -> usize {
        self.count(|outcome| outcome.finding == Finding::Undecided)
    }

    /// How many were decided without a step: training errors, and examples whose coefficients change nothing.
    pub fn without_a_step(&self) -> usize {
        self.count(|outcome| outcome.left_out.is_none_or(|left_out| left_out.steps == 0))
    }

    /// The share of errors; those that could not be decided count as half of one.
    pub fn error(&self) -> f64 {
        (self.errors() as f64 + 0.5 * self.undecided() as f64) / self.outcomes.len() as f64
    }
}

/// The decision value at each example of the machine without it, up to an error of this size; of any machine.
///
/// # Errors
/// What [`WithoutOne::without`] gives.
pub fn left_out_values<M: WithoutOne + ?Sized>(
    machine: &M,
    error: f64,
    control: &Control<'_>,
) -> Result<Vec<LeftOut>> {
    let control = control.start(u64::MAX).divided(machine.len());
    let wanted = Wanted::Within(error);
    parallel::map(machine.len(), |row| machine.without(row, wanted, &control)).into_iter().collect()
}
