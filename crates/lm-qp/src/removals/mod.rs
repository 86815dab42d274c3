//! A solved machine, and the same machine without some of its examples.
//!
//! # Problem
//! For each example in turn, the decision value at it of the machine that is learned from all others.
//! # Method
//! The machine on all examples is solved once. Its coefficients without one are a point of the smaller problem: already its
//! solution where the example had no coefficient, and near it where it had one. `pairs.rs` goes the rest of the way on rows that
//! all removals share, and `bound.rs` says how far the decision value may still be from the one of the best machine, so that it
//! ends as soon as enough is known. Where single precision or pairs do not get that far, the solvers of all other fits go on
//! from there, to smaller and smaller gaps.
//! # Cost
//! The matrix once in double and once in single precision, `12n²` bytes. A removal takes from some passes over its scores, where
//! nothing moves, to some hundred steps of `n` operations.
//! # Reference
//! DeCoste & Wagstaff (2000), Alpha seeding for support vector machines; Cauwenberghs & Poggio (2001), Incremental and decremental
//! support vector machine learning; Ndiaye et al. (2017), Gap safe screening rules, for the ball around a point.

mod bound;
mod inverse;
mod pairs;
mod rows;
mod tableau;

use lm_core::double_double::dot;
use lm_core::{
    BinaryLabels, Collection, Control, Error, Gram, Labelling, LeftOut, Meter, Result, Share, Stop, Targets,
    TrainingSet, Wanted, Weights, WithoutOne,
};

use crate::bias::Bias;
use crate::certificate::for_rows;
use crate::formulation::Formulation;
use crate::one_class::Unlabelled;
use crate::problem::{Balance, DualProblem};
use crate::smo::default_iterations;
use crate::solver::{Solution, Solver, solve};
use bound::{Judgement, Point, judged};
use inverse::centred;
use rows::Rows;
use tableau::Tableau;

/// The relative duality gap of the machine on all examples: that of the settings, or this where that is larger.
const GAP_OF_ALL: f64 = 1e-7;

/// The share of its violation that a round of pairs leaves.
const SHARE: f64 = 2e-3;

/// Steps of a round, for each example.
const STEPS: u64 = 10;

/// Corrections of the point where a way ends.
const CORRECTIONS: usize = 4;

/// The gaps that the solvers are asked for where pairs in single precision do not know enough.
const GAPS: [f64; 4] = [1e-8, 1e-10, 1e-12, 1e-14];

/// What is to be learned of an example, as a number: a label ±1, a target, or 1 where all belong to one class.
pub trait Aims: Labelling + Clone {
    /// A number for each example.
    fn aims(&self) -> Vec<f64>;
}

impl Aims for BinaryLabels {
    fn aims(&self) -> Vec<f64> {
        self.values()
    }
}

impl Aims for Targets {
    fn aims(&self) -> Vec<f64> {
        self.values().to_vec()
    }
}

impl Aims for Unlabelled {
    fn aims(&self) -> Vec<f64> {
        vec![1.0; self.len()]
    }
}

/// A solved machine, whose examples can be removed.
///
/// The matrix of kernel values is kept whole, and what is said holds for it as it is stored: it must be one of inner products.
/// Decision values and multipliers are those of the problem as it is solved; a machine with a `ν` has them before it is scaled,
/// which changes no sign.
///
/// ```
/// use lm_core::{BinaryLabels, Control, Dense, TrainingSet, VectorGram, VectorKernel, Wanted, WithoutOne};
/// use lm_qp::{CSvc, Removals};
///
/// let examples = Dense::new(vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 6, 1)?;
/// let labels = BinaryLabels::from_integers(&[-1, -1, 1, -1, 1, 1])?;
/// let gram = VectorGram::new(&examples, VectorKernel::linear())?;
/// let set = TrainingSet::new(&gram, &labels)?;
/// let machine = Removals::solve(&CSvc::default(), &set, &Control::default())?;
/// let left_out = machine.without(2, Wanted::Sign, &Control::default())?;
/// assert!(left_out.value < -left_out.error); // the others take it for a negative one
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Removals<F, L> {
    formulation: F,
    labels: L,
    weights: Option<Weights>,
    rows: Rows,
    beta: Vec<f64>,
    scores: Vec<f64>,
    bias: f64,
    shares: Vec<Share>,
    /// Where bounds and balance do not depend on how many examples there are.
    tableau: Option<Tableau>,
}

/// A point, how good it is, and whether there is more to gain than rounding.
struct Solved {
    point: Point,
    found: Judgement,
    is_final: bool,
}

impl<F: Formulation<L>, L: Aims> Removals<F, L> {
    /// Solves the machine on all examples.
    ///
    /// # Errors
    /// As fitting it; [`Error::Memory`] if the budget has no room for the matrix, [`Error::Setting`] for a machine with two
    /// variables an example or with a tube that finds its own width, and [`Error::NotConverged`] if the budget ends the run.
    pub fn solve<G: Gram + ?Sized>(
        formulation: &F,
        set: &TrainingSet<'_, G, L>,
        control: &Control<'_>,
    ) -> Result<Self> {
        let solver = formulation.solver();
        solver.validate()?;
        check_copies(formulation.copies())?;
        let problem = formulation.problem(set)?;
        check_balance(problem.balance())?;
        let mut meter = control.start(default_iterations(set.len()));
        let rows = Rows::new(formulation, set, &meter)?;
        let gap = solver.gap().map_or(GAP_OF_ALL, |gap| gap.min(GAP_OF_ALL));
        let nought = formulation.nought(rows.largest);
        let solver = solver.with_gap(gap);
        let Solution { beta, stop, .. } = solve(&rows.matrix, &problem, None, &solver, nought, &mut meter)?;
        if meter.advance(0, 0).is_some() {
            return Err(Error::NotConverged { stop, iterations: meter.iterations() });
        }
        let mut machine = Self {
            formulation: formulation.clone(),
            labels: set.labels().clone(),
            weights: set.weights().cloned(),
            rows,
            beta,
            scores: Vec::new(),
            bias: 0.0,
            shares: Vec::new(),
            tableau: None,
        };
        machine.read(&problem)?;
        if formulation.is_sum_of_losses() {
            let mut point = machine.point();
            machine.tableau = Tableau::new(&machine.rows, &problem, &mut point)?;
            machine.beta = point.beta;
            machine.read(&problem)?;
        }
        Ok(machine)
    }

    /// Computes the scores with twice the digits, and what follows for each example.
    fn read(&mut self, problem: &DualProblem) -> Result<()> {
        self.scores = for_rows(&self.rows.matrix, &self.beta, |row, beta| dot(row, beta).value())?;
        let found = judged(problem, &self.point(), self.rows.longest());
        self.bias = found.bias;
        let aims = self.labels.aims();
        let share = |i: usize| Share {
            target: aims[i],
            alpha: self.beta[i].abs(),
            most: problem.upper()[i].max(-problem.lower()[i]),
            value: self.scores[i] + found.bias,
            error: found.error(self.rows.diagonal[i].max(0.0).sqrt()),
            norm_squared: self.rows.diagonal[i],
        };
        self.shares = (0..self.beta.len()).map(share).collect();
        Ok(())
    }

    /// The coefficients `β` of the machine on all examples.
    pub fn coefficients(&self) -> &[f64] {
        &self.beta
    }

    fn point(&self) -> Point {
        Point::exact(self.beta.clone(), self.scores.clone())
    }

    /// The problem without some examples, whose variables are there and cannot move.
    fn problem_without(&self, removed: &[usize]) -> Result<DualProblem> {
        let n = self.beta.len();
        if let Some(&index) = removed.iter().find(|&&row| row >= n) {
            return Err(Error::Index { what: "row", index, len: n });
        }
        let mut kept = vec![true; n];
        removed.iter().for_each(|&row| kept[row] = false);
        let kept: Vec<usize> = (0..n).filter(|&row| kept[row]).collect();
        let labels = self.labels.select(&kept)?;
        let weights = self.weights.as_ref().map(|weights| weights.select(&kept)).transpose()?;
        let set = TrainingSet::new(&labels, &labels)?;
        let set = weights.as_ref().map_or(Ok(set), |weights| set.with_weights(weights))?;
        Ok(self.formulation.problem(&set)?.spread(&kept, n))
    }

    /// A point of the problem without some examples, near the solution on all of them.
    fn start(&self, problem: &DualProblem, removed: &[usize]) -> Result<Point> {
        let mut point = self.point();
        pairs::hand_on(&self.rows, problem, &mut point, removed);
        if !self.formulation.is_sum_of_losses() {
            // Bounds and balance depend on how many examples there are.
            let before = point.beta.clone();
            point.beta = problem.feasible_near(&point.beta)?;
            self.rows.follow(&mut point, &before);
        }
        Ok(point)
    }

    /// The point where the way of an example out of the machine ends, and how good it is.
    fn by_table(
        &self,
        tableau: &Tableau,
        problem: &DualProblem,
        row: usize,
        enough: &dyn Fn(&Point, &Judgement) -> bool,
    ) -> Result<Solved> {
        let mut way = tableau.remove(problem, &self.beta, row);
        let mut best = self.at(problem, &way.coefficients(problem, &self.beta))?;
        let settled = way.settled();
        if !enough(&best.point, &best.found) {
            best = self.at_precisely(problem, &best.point.beta)?;
        }
        for _ in 0..CORRECTIONS {
            if enough(&best.point, &best.found) {
                break;
            }
            let slope = |&i: &usize| {
                let (beta, score) = (best.point.beta[i], best.point.scores[i]);
                // A freed coefficient that has not moved is on the side that it would move to.
                let positive = if beta == 0.0 { problem.upper()[i] > 0.0 } else { beta > 0.0 };
                let own = if positive { problem.above()[i] } else { problem.below()[i] };
                score + problem.ridge(i) * beta + own
            };
            let slopes = centred(settled.iter().map(slope).collect(), problem.balance() != Balance::Open);
            if !way.correct(&settled, &slopes) {
                break;
            }
            let next = self.at_precisely(problem, &way.coefficients(problem, &self.beta))?;
            if !(next.found.is_nearer_than(&best.found)) {
                break;
            }
            best = next;
        }
        // The table knows nothing of a coefficient that goes on through 0.
        let one_sided = |i: usize| problem.lower()[i] == 0.0 || problem.upper()[i] == 0.0;
        best.is_final = way.is_done() && (0..problem.len()).all(one_sided);
        Ok(best)
    }

    /// A point at these coefficients, and how good it is.
    fn at(&self, problem: &DualProblem, beta: &[f64]) -> Result<Solved> {
        let mut point = self.point();
        let beta = problem.feasible_near(beta)?;
        let before = std::mem::replace(&mut point.beta, beta);
        self.rows.follow(&mut point, &before);
        let found = judged(problem, &point, self.rows.longest());
        Ok(Solved { point, found, is_final: false })
    }

    /// As [`Removals::at`], with scores computed anew and with twice the digits.
    fn at_precisely(&self, problem: &DualProblem, beta: &[f64]) -> Result<Solved> {
        let beta = problem.feasible_near(beta)?;
        let scores = for_rows(&self.rows.matrix, &beta, |row, beta| dot(row, beta).value())?;
        let point = Point::exact(beta, scores);
        let found = judged(problem, &point, self.rows.longest());
        Ok(Solved { point, found, is_final: false })
    }

    /// Pairs in single precision until enough is known, or they get no further.
    fn by_pairs(
        &self,
        problem: &DualProblem,
        solved: &mut Solved,
        enough: &dyn Fn(&Point, &Judgement) -> bool,
        meter: &mut Meter<'_>,
    ) -> Result<()> {
        let most = STEPS.saturating_mul(self.beta.len() as u64);
        while !enough(&solved.point, &solved.found) && matches!(problem.balance(), Balance::Total(_)) {
            let allowed = most.min(meter.iterations_left());
            let mut point = solved.point.clone();
            let steps = pairs::settle(&self.rows, problem, &mut point, SHARE, allowed)?;
            let found = judged(problem, &point, self.rows.longest());
            let stop = meter.advance(steps, 0);
            if !found.is_nearer_than(&solved.found) || stop.is_some() {
                break;
            }
            (solved.point, solved.found) = (point, found);
        }
        Ok(())
    }

    /// The solvers of all other fits, to smaller and smaller gaps.
    fn by_solver(
        &self,
        problem: &DualProblem,
        solved: &mut Solved,
        enough: &dyn Fn(&Point, &Judgement) -> bool,
        meter: &mut Meter<'_>,
    ) -> Result<()> {
        let nought = self.formulation.nought(self.rows.largest);
        for gap in GAPS {
            if enough(&solved.point, &solved.found) || meter.advance(0, 0).is_some() {
                break;
            }
            let solver = Solver::default().with_gap(gap);
            let start = Some(&solved.point.beta[..]);
            let Solution { beta, stop, .. } =
                solve(&self.rows.matrix, problem, start, &solver, nought, meter)?;
            let next = self.at_precisely(problem, &beta)?;
            if next.found.is_nearer_than(&solved.found) || enough(&next.point, &next.found) {
                *solved = next;
            }
            if stop != Stop::Converged {
                break;
            }
        }
        Ok(())
    }
}

fn check_copies(copies: usize) -> Result<()> {
    if copies == 1 {
        return Ok(());
    }
    let accepted = "a machine with one variable an example";
    Err(Error::Setting { name: "copies", value: copies as f64, accepted })
}

fn check_balance(balance: Balance) -> Result<()> {
    match balance {
        Balance::Sizes { most, .. } => {
            let accepted = "a machine whose tube does not find its own width";
            Err(Error::Setting { name: "sum of sizes", value: most, accepted })
        }
        Balance::Open | Balance::Total(_) | Balance::Sides { .. } => Ok(()),
    }
}

impl<F: Formulation<L>, L: Aims> Collection for Removals<F, L> {
    fn len(&self) -> usize {
        self.beta.len()
    }
}

impl<F: Formulation<L>, L: Aims> WithoutOne for Removals<F, L> {
    fn shares(&self) -> &[Share] {
        &self.shares
    }

    fn bias(&self) -> f64 {
        self.bias
    }

    fn has_free_bias(&self) -> bool {
        self.formulation.bias() == Bias::Free
    }

    fn is_sum_of_losses(&self) -> bool {
        self.formulation.is_sum_of_losses()
    }

    fn gram(&self) -> &dyn Gram {
        &self.rows.matrix
    }

    fn without(&self, row: usize, wanted: Wanted, control: &Control<'_>) -> Result<LeftOut> {
        wanted.validate()?;
        let problem = self.problem_without(&[row])?;
        let norm = self.rows.diagonal[row].max(0.0).sqrt();
        let enough = |point: &Point, found: &Judgement| {
            wanted.is_met(point.scores[row] + found.bias, found.error(norm))
        };
        let mut meter = control.start(default_iterations(self.len()));
        let mut solved = match &self.tableau {
            Some(tableau) if self.beta[row] != 0.0 => self.by_table(tableau, &problem, row, &enough)?,
            _ => self.at(&problem, &self.start(&problem, &[row])?.beta)?,
        };
        // A way that was gone to its end leaves nothing but rounding.
        if !solved.is_final {
            self.by_pairs(&problem, &mut solved, &enough, &mut meter)?;
            self.by_solver(&problem, &mut solved, &enough, &mut meter)?;
        }
        let Solved { point, found, .. } = solved;
        Ok(LeftOut {
            value: point.scores[row] + found.bias,
            error: found.error(norm),
            steps: meter.iterations(),
        })
    }

    fn without_all(&self, rows: &[usize], control: &Control<'_>) -> Result<Vec<f64>> {
        let problem = self.problem_without(rows)?;
        let mut meter = control.start(default_iterations(self.len()));
        let mut point = self.start(&problem, rows)?;
        let nought = self.formulation.nought(self.rows.largest);
        let solver = self.formulation.solver();
        let Solution { beta, stop, .. } =
            solve(&self.rows.matrix, &problem, Some(&point.beta), &solver, nought, &mut meter)?;
        if meter.advance(0, 0).is_some() {
            return Err(Error::NotConverged { stop, iterations: meter.iterations() });
        }
        let before = std::mem::replace(&mut point.beta, beta);
        self.rows.follow(&mut point, &before);
        let found = judged(&problem, &point, self.rows.longest());
        Ok(rows.iter().map(|&row| point.scores[row] + found.bias).collect())
    }
}
