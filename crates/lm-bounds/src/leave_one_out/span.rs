//! The span of support vectors, and the estimate of Vapnik and Chapelle.
//!
//! # Problem
//! How far is each support vector from what the free ones can make up for it,
//! ```text
//! S_p² = min ‖φ(x_p) − Σ λᵢφ(xᵢ)‖²   over i ≠ p free, Σ λᵢ = 1 where the bias is free
//! ```
//! and how many decision values would then change their sign: as long as free multipliers stay free when `p` is left out,
//! `y_p f(x_p)` falls by exactly `α_p S_p²`.
//! # Method
//! For a free vector `S_p²` is one over a diagonal entry of the inverse of `K` over the free vectors, bordered by ones; for one at
//! its bound it is the distance to their hull. The weights come from a Cholesky factor in working precision, with the free vectors
//! that depend on others left out; a free vector that others make up for has `S_p = 0`. The distance is then evaluated at the
//! weights with twice the digits: the weights are where it is smallest, so their error counts only by its square.
//! # Cost
//! `m³/3` operations for `m` free vectors, and `2m²` for each support vector.
//! # Reference
//! Vapnik & Chapelle (2000); Chapelle, Vapnik, Bousquet & Mukherjee (2002), section 4.

use lm_core::double_double::{DoubleDouble, dot};
use lm_core::{Columns, Gram, Result, WithoutOne, parallel};

use super::estimates::share_up;

/// The share of the largest kernel value that must be left of one, after others are taken out, for it to be independent.
const INDEPENDENT: f64 = 1e-12;

/// Weights of this size are rounding.
const NOTHING: f64 = 1e-7;

/// The spans of the support vectors of a machine, and what follows from them.
#[derive(Debug, Clone, PartialEq)]
pub struct Spans {
    rows: Vec<usize>,
    squared: Vec<f64>,
    wrong: Vec<usize>,
    examples: usize,
}

impl Spans {
    /// The spans of a classifier; `None` if no multiplier is between its bounds, where there is no hull to measure from.
    ///
    /// ```
    /// use lm_bounds::Spans;
    /// use lm_core::{BinaryLabels, Control, Dense, TrainingSet, VectorGram, VectorKernel};
    /// use lm_qp::{CSvc, Removals};
    ///
    /// // On a line the two in the middle carry the machine: each is as far from the other as they are apart.
    /// let examples = Dense::new(vec![-3.0, -0.5, 0.5, 3.0], 4, 1)?;
    /// let labels = BinaryLabels::from_integers(&[-1, -1, 1, 1])?;
    /// let gram = VectorGram::new(&examples, VectorKernel::linear())?;
    /// let machine = CSvc::default().with_cost(10.0);
    /// let machine = Removals::solve(&machine, &TrainingSet::new(&gram, &labels)?, &Control::default())?;
    /// let spans = Spans::of(&machine)?.unwrap();
    /// assert_eq!((spans.rows(), spans.squared()), (&[1, 2][..], &[1.0, 1.0][..]));
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// What the kernel values give.
    pub fn of<M: WithoutOne + ?Sized>(machine: &M) -> Result<Option<Self>> {
        let shares = machine.shares();
        let rows: Vec<usize> = (0..shares.len()).filter(|&row| shares[row].is_support()).collect();
        let free: Vec<usize> = rows.iter().copied().filter(|&row| shares[row].is_free()).collect();
        if free.is_empty() {
            return Ok(None);
        }
        let squared = spans_squared(machine.gram(), &free, &rows, machine.has_free_bias())?;
        let falls = |&(&row, squared): &(&usize, &f64)| {
            let share = &shares[row];
            share.alpha * squared >= share.margin()
        };
        let wrong = rows.iter().zip(&squared).filter(falls).map(|(&row, _)| row).collect();
        Ok(Some(Self { wrong, rows, squared, examples: shares.len() }))
    }

    /// The rows of the support vectors.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// `S_p²` of each support vector.
    pub fn squared(&self) -> &[f64] {
        &self.squared
    }

    /// The rows whose decision values would change their sign.
    pub fn wrong(&self) -> &[usize] {
        &self.wrong
    }

    /// The share of examples whose decision values would change their sign.
    pub fn error(&self) -> f64 {
        share_up(self.wrong.len(), self.examples)
    }
}

/// `S_p²` of some rows, from the hull of the free ones without `p`; from what they span, where the bias is not free.
///
/// # Errors
/// What the kernel values give.
pub fn spans_squared<G: Gram + ?Sized>(
    gram: &G,
    free: &[usize],
    rows: &[usize],
    free_bias: bool,
) -> Result<Vec<f64>> {
    let system = System::new(gram, free, free_bias)?;
    let fixed = system.fixed(gram)?;
    let one = |at: usize| system.span_squared(gram, rows[at], &fixed);
    parallel::map(rows.len(), one).into_iter().collect()
}

/// The factor of the matrix over the free vectors that do not depend on others.
struct System<'a> {
    free: &'a [usize],
    free_bias: bool,
    /// The free vectors that are kept, and their matrix.
    kept: Vec<usize>,
    matrix: Vec<f64>,
    /// Row by row, of the matrix with `shift` added to every entry; with the solution for ones and its sum.
    lower: Vec<f64>,
    shift: f64,
    ones: Vec<f64>,
}

impl<'a> System<'a> {
    fn new<G: Gram + ?Sized>(gram: &G, free: &'a [usize], free_bias: bool) -> Result<Self> {
        let m = free.len();
        let mut all = vec![0.0; m * m];
        gram.fill(free, Columns::List(free), &mut all)?;
        let largest = all.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        // The square of the border changes nothing on weights that add up to 0.
        let shift = if free_bias { largest } else { 0.0 };
        let (mut kept, mut lower): (Vec<usize>, Vec<f64>) = (Vec::new(), Vec::new());
        for i in 0..m {
            let mut row = Vec::with_capacity(kept.len() + 1);
            let mut start = 0;
            for (k, &j) in kept.iter().enumerate() {
                let other = &lower[start..=start + k];
                let known: f64 = row.iter().zip(other).map(|(a, b): (&f64, &f64)| a * b).sum();
                row.push((all[i * m + j] + shift - known) / other[k]);
                start += k + 1;
            }
            let left = all[i * m + i] + shift - row.iter().map(|value| value * value).sum::<f64>();
            if left > INDEPENDENT * (largest + shift) {
                row.push(left.sqrt());
                lower.extend(row);
                kept.push(i);
            }
        }
        let matrix =
            kept.iter().flat_map(|&i| kept.iter().map(move |&j| (i, j))).map(|(i, j)| all[i * m + j]);
        let matrix = matrix.collect();
        let kept: Vec<usize> = kept.into_iter().map(|at| free[at]).collect();
        let mut system = Self { free, free_bias, kept, matrix, lower, shift, ones: Vec::new() };
        let mut ones = vec![1.0; system.kept.len()];
        system.solve(&mut ones);
        system.ones = ones;
        Ok(system)
    }

    /// Replaces a right side by the solution.
    fn solve(&self, right: &mut [f64]) {
        let row = |i: usize| &self.lower[i * (i + 1) / 2..(i + 1) * (i + 2) / 2];
        for i in 0..right.len() {
            let own = row(i);
            let known: f64 = own[..i].iter().zip(&*right).map(|(a, b)| a * b).sum();
            right[i] = (right[i] - known) / own[i];
        }
        for i in (0..right.len()).rev() {
            let own = row(i);
            right[i] /= own[i];
            let value = right[i];
            right[..i].iter_mut().zip(own).for_each(|(right, a)| *right -= a * value);
        }
    }

    /// The weights of the kept vectors whose combination is nearest to one with these kernel values, adding up to `total`.
    fn nearest(&self, mut right: Vec<f64>, total: f64) -> Vec<f64> {
        right.iter_mut().for_each(|value| *value += self.shift);
        self.solve(&mut right);
        if self.free_bias {
            let (sum, of_ones) = (right.iter().sum::<f64>(), self.ones.iter().sum::<f64>());
            let by = (total - sum) / of_ones;
            right.iter_mut().zip(&self.ones).for_each(|(weight, one)| *weight += by * one);
        }
        right
    }

    /// Which kept vectors other free ones make up for.
    fn fixed<G: Gram + ?Sized>(&self, gram: &G) -> Result<Vec<bool>> {
        let mut fixed = vec![false; self.kept.len()];
        for &row in self.free.iter().filter(|row| !self.kept.contains(row)) {
            let mut values = vec![0.0; self.kept.len()];
            gram.fill(&[row], Columns::List(&self.kept), &mut values)?;
            let weights = self.nearest(values, 1.0);
            fixed.iter_mut().zip(weights).for_each(|(fixed, weight)| *fixed |= weight.abs() > NOTHING);
        }
        Ok(fixed)
    }

    fn span_squared<G: Gram + ?Sized>(&self, gram: &G, p: usize, fixed: &[bool]) -> Result<f64> {
        match self.kept.iter().position(|&row| row == p) {
            Some(at) if fixed[at] => Ok(0.0),
            Some(at) => Ok(self.of_kept(at)),
            None if self.free.contains(&p) => Ok(0.0),
            None => self.of_other(gram, p),
        }
    }

    /// Of a vector that is one of those kept.
    fn of_kept(&self, at: usize) -> f64 {
        let mut weights = vec![0.0; self.kept.len()];
        weights[at] = 1.0;
        self.solve(&mut weights);
        if self.free_bias {
            let by = weights.iter().sum::<f64>() / self.ones.iter().sum::<f64>();
            weights.iter_mut().zip(&self.ones).for_each(|(weight, one)| *weight -= by * one);
        }
        let own = weights[at];
        if self.kept.len() == 1 || !(own > 0.0) {
            // Nothing else can make up for it: without a bias the distance is to the origin.
            return if self.free_bias { f64::INFINITY } else { self.matrix[0] };
        }
        weights.iter_mut().for_each(|weight| *weight /= own);
        weights[at] = 1.0;
        self.balance(&mut weights, at, 0.0);
        self.form(&weights).value().max(0.0)
    }

    /// Of a vector that is not free.
    fn of_other<G: Gram + ?Sized>(&self, gram: &G, p: usize) -> Result<f64> {
        let mut values = vec![0.0; self.kept.len()];
        gram.fill(&[p], Columns::List(&self.kept), &mut values)?;
        let mut own = [0.0];
        gram.fill(&[p], Columns::List(&[p]), &mut own)?;
        let mut weights = self.nearest(values.clone(), 1.0);
        self.balance(&mut weights, usize::MAX, 1.0);
        let across = dot(&weights, &values) * -2.0;
        Ok((self.form(&weights) + across + own[0]).value().max(0.0))
    }

    /// Makes the weights add up to `total` to the last digit, by the largest one that may be moved.
    fn balance(&self, weights: &mut [f64], but_for: usize, total: f64) {
        if !self.free_bias {
            return;
        }
        // What one correction leaves is smaller than the last digit of the next one.
        for _ in 0..2 {
            let sum = dot(weights, &vec![1.0; weights.len()]);
            let off = (DoubleDouble::from(total) - sum).value();
            let movable = (0..weights.len()).filter(|&i| i != but_for);
            if let Some(i) = movable.min_by(|&a, &b| weights[a].abs().total_cmp(&weights[b].abs())) {
                weights[i] += off;
            }
        }
    }

    /// `cᵗKc`.
    fn form(&self, weights: &[f64]) -> DoubleDouble {
        let m = weights.len();
        let row = |i: usize| dot(&self.matrix[i * m..(i + 1) * m], weights) * weights[i];
        (0..m).fold(DoubleDouble::ZERO, |sum, i| sum + row(i))
    }
}
