//! Data on which the likelihood has no maximum: a direction in which no margin falls and some margins grow for ever.
//!
//! # Problem
//! ```text
//! find δ with   δ_y(x) − δ_k(x) ≥ 0   for every example x of class y and every other class k,   and > 0 for some
//! ```
//! (for two classes and one function: `y·δ(x) ≥ 0`). Along such a direction the loss falls for ever, and without a
//! penalty weights diverge. If all these margins are positive the classes are separated completely, otherwise
//! quasi-completely: examples of both classes lie on the boundary.
//! # Method
//! Complete separation shows by itself: as the loss falls below `ω log 2`, every margin is positive. Quasi-complete
//! separation leaves a trace in a run that does not settle: margins that grow, and margins that stay. The weights are
//! projected onto the directions that leave the latter at zero, by the eigenvectors of their scatter and corrections
//! from residuals, for each of the largest steps in the sorted margins. What counts is the proof: all margins are
//! computed anew from the data with bounds on their rounding errors, and a direction of which one margin is negative
//! beyond its bound is discarded.
//! # Cost
//! A sweep for the proof; for the search a few sweeps of `n(d + 1)²` operations and an eigenvalue problem each.
//! # Reference
//! Albert & Anderson (1984), *Biometrika* 71, 1–10; Santner & Duffy (1986), *Biometrika* 73.

use lm_core::linalg::{Matrix, SymmetricEigen, add_scatter};
use lm_core::parallel;
use lm_core::{Discrepancy, Examples, Linear, Result, Separation, Verdict};

use super::frame::Frame;
use super::likelihood::Likelihood;
use super::sample::Sample;

/// The claim that the likelihood has no maximum, with a direction along which it grows for ever.
///
/// Examples of weight 0 are absent. A margin counts as zero if it is within the bound on its rounding error.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Recession {
    functions: Vec<Linear>,
    separation: Option<Separation>,
    growing: usize,
    margins: usize,
}

impl Recession {
    /// The direction: one function for two classes, one for each class else.
    pub fn direction(&self) -> &[Linear] {
        &self.functions
    }

    /// Whether every margin grows: the classes are separated completely.
    pub fn is_complete(&self) -> bool {
        self.growing == self.margins
    }

    /// How many margins grow along the direction. The others stay.
    pub fn growing(&self) -> usize {
        self.growing
    }

    /// How many margins there are: for every example one with each other class.
    pub fn margins(&self) -> usize {
        self.margins
    }

    /// The separating hyperplane with its margin, where two classes are separated completely.
    pub fn separation(&self) -> Option<&Separation> {
        self.separation.as_ref()
    }

    /// Computes all margins anew and compares what is claimed of them.
    pub(super) fn check<E: Examples + ?Sized>(&self, sample: &Sample<'_, E>) -> Verdict {
        let now = Margins::of(sample, &self.functions);
        let invalid = |what, claimed: usize, recomputed: usize, row| {
            let (claimed, recomputed) = (claimed as f64, recomputed as f64);
            Verdict::Invalid(Discrepancy { what, claimed, recomputed, row })
        };
        if let Some(row) = now.falling {
            return invalid("the number of margins that fall along the direction", 0, 1, Some(row));
        }
        if now.growing == 0 || now.growing != self.growing {
            return invalid(
                "the number of margins that grow along the direction",
                self.growing,
                now.growing,
                None,
            );
        }
        if now.count != self.margins {
            return invalid("the number of margins", self.margins, now.count, None);
        }
        Verdict::Valid
    }
}

/// Computes the margins of functions and proves with them, if they do, that no maximum exists.
pub(super) fn prove<E: Examples + ?Sized>(
    sample: &Sample<'_, E>,
    functions: Vec<Linear>,
) -> Option<Recession> {
    let margins = Margins::of(sample, &functions);
    if margins.falling.is_some() || margins.growing == 0 {
        return None;
    }
    let complete = margins.growing == margins.count;
    let separation = match &functions[..] {
        [hyperplane] if complete => {
            let (hyperplane, margin) = (hyperplane.clone(), margins.smallest / hyperplane.norm());
            Some(Separation { hyperplane, margin })
        }
        _ => None,
    };
    Some(Recession { functions, separation, growing: margins.growing, margins: margins.count })
}

/// What there is to say about the margins of all examples.
struct Margins {
    count: usize,
    growing: usize,
    /// The first example with a margin that is negative beyond its rounding error.
    falling: Option<usize>,
    smallest: f64,
}

impl Margins {
    fn of<E: Examples + ?Sized>(sample: &Sample<'_, E>, functions: &[Linear]) -> Self {
        const ROWS: usize = 4096;
        let parts = parallel::map(sample.len().div_ceil(ROWS), |part| {
            let mut margins = Self::none();
            for row in part * ROWS..sample.len().min((part + 1) * ROWS) {
                if sample.weight(row) != 0.0 {
                    margins.add(sample, functions, row);
                }
            }
            margins
        });
        let mut all = Self::none();
        for part in parts {
            all.count += part.count;
            all.growing += part.growing;
            all.falling = all.falling.or(part.falling);
            all.smallest = all.smallest.min(part.smallest);
        }
        all
    }

    fn none() -> Self {
        Self { count: 0, growing: 0, falling: None, smallest: f64::INFINITY }
    }

    fn add<E: Examples + ?Sized>(&mut self, sample: &Sample<'_, E>, functions: &[Linear], row: usize) {
        let class = sample.classes[row];
        if let Likelihood::Logistic = sample.likelihood {
            let sign = if class == 1 { 1.0 } else { -1.0 };
            self.take(row, margin(sample.examples, row, &functions[0], None, sign));
            return;
        }
        let own = &functions[class as usize];
        for (k, other) in functions.iter().enumerate() {
            if k != class as usize {
                self.take(row, margin(sample.examples, row, own, Some(other), 1.0));
            }
        }
    }

    fn take(&mut self, row: usize, (value, error): (f64, f64)) {
        self.count += 1;
        self.growing += usize::from(value > error);
        self.smallest = self.smallest.min(value);
        // Written so that NaN is a margin that falls.
        if !(value >= -error) && self.falling.is_none() {
            self.falling = Some(row);
        }
    }
}

/// `±(f(x) − g(x))` summed term by term, and a bound on the rounding error of that sum.
fn margin<E: Examples + ?Sized>(
    examples: &E,
    row: usize,
    f: &Linear,
    g: Option<&Linear>,
    sign: f64,
) -> (f64, f64) {
    let (mut value, mut size, mut terms) = (f.bias(), f.bias().abs(), 4.0);
    if let Some(g) = g {
        value -= g.bias();
        size += g.bias().abs();
    }
    examples.row(row).for_each(|k, x| {
        let term = f.weights()[k] * x;
        value += term;
        size += term.abs();
        if let Some(g) = g {
            let term = g.weights()[k] * x;
            value -= term;
            size += term.abs();
        }
        terms += 2.0;
    });
    (sign * value, 2.0 * terms * f64::EPSILON * size)
}

/// Searches for a direction along which some margins grow while the others stay, from weights that diverge.
pub(super) fn search<E: Examples + ?Sized>(
    sample: &Sample<'_, E>,
    frame: &Frame,
    theta: &[f64],
) -> Result<Option<Recession>> {
    /// How many places in the sorted margins are tried.
    const TRIES: usize = 6;
    let rows = Rows { sample, frame };
    let mut margins = Vec::new();
    rows.for_each_block(&mut |_, block| {
        margins.extend(block.chunks_exact(theta.len()).map(|a| dot(a, theta)));
        Ok(())
    })?;
    let mut sorted = margins.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    // Places below which margins may be meant to stay: the widest steps upwards, to a margin that counts.
    let mut steps: Vec<(f64, f64)> =
        sorted.windows(2).filter(|pair| pair[1] > 1.0).map(|pair| (pair[1] - pair[0], pair[0])).collect();
    steps.sort_by(|a, b| b.0.total_cmp(&a.0));
    for &(_, threshold) in steps.iter().take(TRIES) {
        if let Some(direction) = rows.project(theta, &margins, threshold)? {
            let width = frame.dim() + 1;
            let functions: Result<Vec<_>> =
                direction.chunks_exact(width).map(|theta| frame.function(theta)).collect();
            if let Some(found) = prove(sample, functions?) {
                return Ok(Some(found));
            }
        }
    }
    Ok(None)
}

/// The margins as linear functions of the coefficients: one row of numbers each.
struct Rows<'a, E: ?Sized> {
    sample: &'a Sample<'a, E>,
    frame: &'a Frame,
}

impl<E: Examples + ?Sized> Rows<'_, E> {
    /// Calls `visit` with the number of the first row of a block and the block.
    fn for_each_block(&self, visit: &mut dyn FnMut(usize, &[f64]) -> Result<()>) -> Result<()> {
        const ROWS: usize = 256;
        let (p, width) = (self.frame.dim() + 1, self.sample.likelihood.width());
        let (mut examples, mut block, mut first) = (Vec::new(), Vec::new(), 0);
        for start in (0..self.sample.len()).step_by(ROWS) {
            let rows = start..self.sample.len().min(start + ROWS);
            self.frame.fill(self.sample.examples, rows.clone(), &mut examples);
            block.clear();
            for (row, x) in rows.zip(examples.chunks_exact(p)) {
                let class = self.sample.classes[row] as usize;
                if self.sample.weight(row) == 0.0 {
                    continue;
                }
                if width == 1 {
                    let sign = if class == 1 { 1.0 } else { -1.0 };
                    block.extend(x.iter().map(|x| sign * x));
                    continue;
                }
                for other in (0..width).filter(|&other| other != class) {
                    for k in 0..width {
                        let sign = f64::from(u8::from(k == class)) - f64::from(u8::from(k == other));
                        block.extend(x.iter().map(|x| sign * x));
                    }
                }
            }
            visit(first, &block)?;
            first += block.len() / (p * width);
        }
        Ok(())
    }

    /// The part of the coefficients that leaves margins up to the threshold at zero; none if there is none.
    fn project(&self, theta: &[f64], margins: &[f64], threshold: f64) -> Result<Option<Vec<f64>>> {
        let size = theta.len();
        let mut scatter = Matrix::zeros(size, size)?;
        let mut kept = Vec::new();
        self.for_each_block(&mut |first, block| {
            kept.clear();
            for (a, margin) in block.chunks_exact(size).zip(&margins[first..]) {
                if *margin <= threshold {
                    kept.extend_from_slice(a);
                }
            }
            add_scatter(&mut scatter, &kept, &kept)
        })?;
        let eigen = SymmetricEigen::of(&scatter)?;
        let largest = eigen.values.last().copied().unwrap_or(0.0);
        let zero = 64.0 * size as f64 * f64::EPSILON * largest;
        let mut direction = vec![0.0; size];
        for (k, _) in eigen.values.iter().enumerate().filter(|(_, value)| **value <= zero) {
            let vector = eigen.vectors.column(k);
            let along = dot(vector, theta);
            direction.iter_mut().zip(vector).for_each(|(d, v)| *d += along * v);
        }
        let length = direction.iter().fold(0.0_f64, |length, d| length.max(d.abs()));
        if !(length > 0.0) {
            return Ok(None);
        }
        direction.iter_mut().for_each(|d| *d /= length);
        // What rounding has left of the margins that stay is removed, measured on the rows themselves.
        for _ in 0..2 {
            let mut rest = vec![0.0; size];
            self.for_each_block(&mut |first, block| {
                for (a, margin) in block.chunks_exact(size).zip(&margins[first..]) {
                    if *margin <= threshold {
                        let left = dot(a, &direction);
                        rest.iter_mut().zip(a).for_each(|(rest, a)| *rest += left * a);
                    }
                }
                Ok(())
            })?;
            for (k, value) in eigen.values.iter().enumerate().filter(|(_, value)| **value > zero) {
                let vector = eigen.vectors.column(k);
                let along = dot(vector, &rest) / value;
                direction.iter_mut().zip(vector).for_each(|(d, v)| *d -= along * v);
            }
        }
        Ok(Some(direction))
    }
}

/// `⟨a·b⟩`, term by term.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
