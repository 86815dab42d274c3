//! The linear systems of Newton steps over examples.
//!
//! # Problem
//! ```text
//! solve (P + ZᵗDZ) s = −g ,   Z the examples that count, each followed by a 1 for the bias;  P = diag(1, …, 1, p)
//! ```
//! where `p` is 1 for a bias that is penalised and 0 for one that is free; `D` is diagonal and positive.
//! # Method
//! With fewer columns than examples the matrix is formed and factored as it is. With more, its inverse is expressed by that
//! of `D⁻¹ + ZP⁻¹Zᵗ`, one row an example; a free bias is the multiplier of one more equation. Where neither fits, conjugate
//! gradients need only products with `Z`. A free bias lets dense columns be shifted by their mean: the machine is the same,
//! and columns far from 0 are told apart from the bias.
//! # Cost
//! `md²/2 + d³/6` multiply-adds for `m` examples that count and `d ≤ m` columns, `dm²/2 + m³/6` for `m < d`; two passes
//! over them for a product.
//! # Reference
//! Woodbury (1950); Hestenes & Stiefel (1952); Li, Sun & Toh (2018), section 3.2, for Newton steps in the smaller of both forms.

use lm_core::linalg::{Cholesky, Interruptible, Matrix, add_scatter};
use lm_core::{Error, Examples, Meter, Result, Row, Stop, parallel};

use super::sample::{Sample, dot, stored};
use crate::bias::Bias;

/// The largest matrix that is formed, unless the budget says otherwise.
const FORMED: usize = 3000;

/// Columns up to which the matrix has one row a column, however few the examples: its factor does not mind that columns are
/// of different sizes.
const FEW: usize = 300;

/// The right-hand side, and the solution of a system.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Direction {
    /// What concerns the weights.
    pub(super) w: Vec<f64>,
    /// What concerns the bias.
    pub(super) b: f64,
}

/// The examples that count, and how much.
pub(super) struct System<'a, 'b, E: ?Sized> {
    pub(super) sample: &'a Sample<'b, E>,
    /// What is subtracted from each column, if anything: not of sparse examples, and not without a bias.
    pub(super) centre: &'a [f64],
    /// The rows `J` of the examples that count.
    pub(super) rows: &'a [u32],
    /// The diagonal of `D`, one entry for each of them.
    pub(super) weights: &'a [f64],
    /// A curvature for a free bias that no example determines.
    pub(super) faint: f64,
}

impl<E: Examples + ?Sized> System<'_, '_, E> {
    /// The Newton direction for a gradient; the reason if the budget ends first.
    pub(super) fn solve(
        &self,
        gradient: &Direction,
        meter: &mut Meter<'_>,
    ) -> Result<Result<Direction, Stop>> {
        let (m, d) = (self.rows.len(), self.sample.dim());
        if m == 0 {
            return Ok(Ok(self.without_examples(gradient)));
        }
        let size = d + usize::from(self.sample.bias != Bias::None);
        let formed = self.room(meter);
        if m <= size && m <= formed && (size > FEW || size > formed) {
            self.shifted_if(Bias::Free).in_shifted(gradient, |system, g| {
                Ok(system.by_examples(g, meter)?.map(|(direction, _)| direction))
            })
        } else if size <= formed {
            self.in_shifted(gradient, |system, g| system.by_columns(g, meter))
        } else {
            self.shifted_if(Bias::Free).in_shifted(gradient, |system, g| Ok(system.by_products(g, meter)))
        }
    }

    /// The same system; without a shift unless the bias is this one.
    fn shifted_if(&self, bias: Bias) -> Self {
        let centre = if self.sample.bias == bias { self.centre } else { &[] };
        Self { centre, ..*self }
    }

    /// Solves for weights and the bias `b + ⟨w·centre⟩` of shifted examples.
    fn in_shifted(
        &self,
        gradient: &Direction,
        solve: impl FnOnce(&Self, &Direction) -> Result<Result<Direction, Stop>>,
    ) -> Result<Result<Direction, Stop>> {
        let mut shifted = gradient.clone();
        shifted.w.iter_mut().zip(self.centre).for_each(|(g, centre)| *g -= centre * gradient.b);
        Ok(solve(self, &shifted)?.map(|mut direction| {
            direction.b -= dot(&direction.w, self.centre);
            direction
        }))
    }

    /// The largest matrix that the budget has room for: a few of them are held at once.
    fn room(&self, meter: &Meter<'_>) -> usize {
        let bytes = meter.budget().memory().unwrap_or(usize::MAX);
        ((bytes as f64 / (8.0 * 24.0)).sqrt() as usize).min(FORMED)
    }

    fn without_examples(&self, gradient: &Direction) -> Direction {
        let curvature = match self.sample.bias {
            Bias::Free => self.faint,
            Bias::Penalised | Bias::None => 1.0,
        };
        Direction { w: gradient.w.iter().map(|g| -g).collect(), b: -gradient.b / curvature }
    }

    /// Writes an example, shifted, and what follows it.
    fn write(&self, row: u32, out: &mut [f64]) {
        let d = self.sample.dim();
        self.sample.examples.row(row as usize).write_to(&mut out[..d]);
        out.iter_mut().zip(self.centre).for_each(|(x, centre)| *x -= centre);
        out[d..].fill(1.0);
    }

    /// `P + ZᵗDZ`, formed and factored.
    fn by_columns(&self, g: &Direction, meter: &mut Meter<'_>) -> Result<Result<Direction, Stop>> {
        let (d, biased) = (self.sample.dim(), self.sample.bias != Bias::None);
        let size = d + usize::from(biased);
        let total = match self.summed(size, self.rows.len(), meter, |range, total| {
            if self.is_thin() { self.add_thin(range, total) } else { self.add_dense(range, total) }
        })? {
            Ok(total) => total,
            Err(stop) => return Ok(Err(stop)),
        };
        let mut matrix = total;
        for k in 0..d {
            matrix[(k, k)] += 1.0;
        }
        if self.sample.bias == Bias::Penalised {
            // ½(b − ⟨w·centre⟩)² in terms of the shifted bias.
            matrix[(d, d)] += 1.0;
            for (k, &centre) in self.centre.iter().enumerate() {
                let column = matrix.column_mut(k);
                column[d] -= centre;
                column[k..d]
                    .iter_mut()
                    .zip(&self.centre[k..])
                    .for_each(|(value, other)| *value += centre * other);
            }
        }
        let factor = match factor(&matrix, meter)? {
            Ok(factor) => factor,
            Err(stop) => return Ok(Err(stop)),
        };
        let mut s: Vec<f64> = g.w.iter().chain(biased.then_some(&g.b)).map(|g| -g).collect();
        factor.solve(&mut s)?;
        let b = if biased { s.pop().unwrap_or(0.0) } else { 0.0 };
        Ok(Ok(Direction { w: s, b }))
    }

    /// Whether products of stored entries are fewer than those of whole rows, by more than their detours cost.
    fn is_thin(&self) -> bool {
        let (d, n) = (self.sample.dim() as f64, self.sample.len() as f64);
        self.sample.sparse && self.sample.entries() as f64 / n < 0.2 * d
    }

    fn add_thin(&self, range: std::ops::Range<usize>, total: &mut Matrix) -> Result<()> {
        let d = self.sample.dim();
        let biased = self.sample.bias != Bias::None;
        let mut entries: Vec<(usize, f64)> = Vec::new();
        for at in range {
            entries.clear();
            self.sample.examples.row(self.rows[at] as usize).for_each(|k, x| entries.push((k, x)));
            if biased {
                entries.push((d, 1.0));
            }
            for (from, &(k, x)) in entries.iter().enumerate() {
                let (column, scaled) = (total.column_mut(k), self.weights[at] * x);
                entries[from..].iter().for_each(|&(l, x)| column[l] += scaled * x);
            }
        }
        Ok(())
    }

    fn add_dense(&self, range: std::ops::Range<usize>, total: &mut Matrix) -> Result<()> {
        const VALUES: usize = 32_768;
        let size = total.rows();
        let rows = (VALUES / size).max(16);
        let (mut right, mut left) = (Vec::new(), Vec::new());
        for first in range.clone().step_by(rows) {
            let block = first..range.end.min(first + rows);
            right.clear();
            right.resize(block.len() * size, 0.0);
            left.clear();
            for (at, out) in block.zip(right.chunks_exact_mut(size)) {
                self.write(self.rows[at], out);
                left.extend(out.iter().map(|x| self.weights[at] * x));
            }
            add_scatter(total, &left, &right)?;
        }
        Ok(())
    }

    /// A matrix summed over `count` things, part by part on all cores, and the parts in their order.
    fn summed(
        &self,
        size: usize,
        count: usize,
        meter: &mut Meter<'_>,
        add: impl Fn(std::ops::Range<usize>, &mut Matrix) -> Result<()> + Sync,
    ) -> Result<Result<Matrix, Stop>> {
        let rows = count.div_ceil(64).max(512.max(2 * size));
        let together = if size > 512 { 4 } else { 16 };
        let parts = count.div_ceil(rows);
        let mut total = Matrix::zeros(size, size)?;
        for first in (0..parts).step_by(together) {
            let sums = parallel::map(together.min(parts - first), |part| -> Result<Matrix> {
                let start = (first + part) * rows;
                let mut sum = Matrix::zeros(size, size)?;
                add(start..count.min(start + rows), &mut sum)?;
                Ok(sum)
            });
            for sum in sums {
                let sum = sum?;
                total.values_mut().iter_mut().zip(sum.values()).for_each(|(total, sum)| *total += sum);
            }
            if let Some(stop) = meter.advance(0, 0) {
                return Ok(Err(stop));
            }
        }
        Ok(Ok(total))
    }

    /// By what the variables of the examples that count are too large, to working precision: with these less, `Σ βᵢxᵢ` is as
    /// near to the weights as it can be and `Σ βᵢ` is what the bias asks for. None if there are too many of them.
    pub(super) fn excess(
        &self,
        gradient: &Direction,
        meter: &mut Meter<'_>,
    ) -> Result<Result<Option<Vec<f64>>, Stop>> {
        let m = self.rows.len();
        if m == 0 || m > self.room(meter) || m > 2 * (self.sample.dim() + 1) {
            return Ok(Ok(None));
        }
        let largest = self.rows.iter().map(|&row| self.sample.norms[row as usize]).fold(0.0, f64::max);
        let weights = vec![1e13 / (largest + f64::MIN_POSITIVE); m];
        let Self { sample, rows, faint, .. } = *self;
        let plain =
            System { sample, centre: self.shifted_if(Bias::Free).centre, rows, weights: &weights, faint };
        let mut excess = Vec::new();
        let solved = plain.in_shifted(gradient, |system, g| {
            Ok(system.by_examples(g, meter)?.map(|(direction, found)| {
                excess = found;
                direction
            }))
        })?;
        Ok(solved.map(|_| Some(excess)))
    }

    /// `D⁻¹ + ZP⁻¹Zᵗ`, one row an example; with the change of the variables, `D` times that of the scores.
    fn by_examples(
        &self,
        g: &Direction,
        meter: &mut Meter<'_>,
    ) -> Result<Result<(Direction, Vec<f64>), Stop>> {
        let bias = self.sample.bias;
        let products =
            if self.sample.sparse { self.sparse_products(meter)? } else { self.dense_products(meter)? };
        let mut matrix = match products {
            Ok(matrix) => matrix,
            Err(stop) => return Ok(Err(stop)),
        };
        for (at, weight) in self.weights.iter().enumerate() {
            matrix[(at, at)] += 1.0 / weight;
        }
        if bias == Bias::Penalised {
            matrix.values_mut().iter_mut().for_each(|value| *value += 1.0);
        }
        let factor = match factor(&matrix, meter)? {
            Ok(factor) => factor,
            Err(stop) => return Ok(Err(stop)),
        };
        let own = if bias == Bias::Penalised { g.b } else { 0.0 };
        let shift = dot(&g.w, self.centre);
        let mut pulls = vec![0.0; self.rows.len()];
        self.sample.examples.dots_at(self.rows, &g.w, &mut pulls);
        pulls.iter_mut().for_each(|pull| *pull = -(*pull - shift) - own);
        factor.solve(&mut pulls)?;
        let mut b = -own - pulls.iter().sum::<f64>();
        if bias == Bias::Free {
            let mut ones = vec![1.0; self.rows.len()];
            factor.solve(&mut ones)?;
            b = (-g.b - pulls.iter().sum::<f64>()) / ones.iter().sum::<f64>();
            pulls.iter_mut().zip(&ones).for_each(|(pull, one)| *pull += b * one);
        } else if bias == Bias::None {
            b = 0.0;
        }
        let mut w = self.transposed(&pulls);
        w.iter_mut().zip(&g.w).for_each(|(w, g)| *w = -g - *w);
        Ok(Ok((Direction { w, b }, pulls)))
    }

    /// `Zᵗu` without the bias.
    pub(super) fn transposed(&self, u: &[f64]) -> Vec<f64> {
        let mut sum = self.sample.folded(self.rows.len(), |range, total| {
            for at in range {
                self.sample.examples.add_scaled(self.rows[at] as usize, u[at], total);
            }
        });
        let all: f64 = u.iter().sum();
        sum.iter_mut().zip(self.centre).for_each(|(sum, centre)| *sum -= all * centre);
        sum
    }

    /// Inner products of examples that count, the lower triangle: a scatter of their columns.
    fn dense_products(&self, meter: &mut Meter<'_>) -> Result<Result<Matrix, Stop>> {
        const VALUES: usize = 32_768;
        let m = self.rows.len();
        self.summed(m, self.sample.dim(), meter, |range, total| {
            let width = (VALUES / m).max(16);
            let mut columns = Vec::new();
            for first in range.clone().step_by(width) {
                let block = first..range.end.min(first + width);
                columns.clear();
                columns.resize(block.len() * m, 0.0);
                for (at, &row) in self.rows.iter().enumerate() {
                    let column = |k: usize| (k - block.start) * m + at;
                    let shift = |k: usize| self.centre.get(k).copied().unwrap_or(0.0);
                    match self.sample.examples.row(row as usize) {
                        Row::DenseF64(x) => {
                            block.clone().for_each(|k| columns[column(k)] = x[k] - shift(k));
                        }
                        Row::DenseF32(x) => {
                            block.clone().for_each(|k| columns[column(k)] = f64::from(x[k]) - shift(k));
                        }
                        other => other.for_each(|k, x| {
                            if block.contains(&k) {
                                columns[column(k)] = x - shift(k);
                            }
                        }),
                    }
                }
                add_scatter(total, &columns, &columns)?;
            }
            Ok(())
        })
    }

    /// Inner products of examples that count, the lower triangle, one example against the others at a time.
    fn sparse_products(&self, meter: &mut Meter<'_>) -> Result<Result<Matrix, Stop>> {
        const EXAMPLES: usize = 256;
        let (m, d) = (self.rows.len(), self.sample.dim());
        let mut matrix = Matrix::zeros(m, m)?;
        for (part, columns) in matrix.values_mut().chunks_mut(m * EXAMPLES).enumerate() {
            parallel::for_each_chunk(columns, m, |at, column| {
                let at = part * EXAMPLES + at;
                let mut example = vec![0.0; d];
                self.sample.examples.row(self.rows[at] as usize).write_to(&mut example);
                self.sample.examples.dots_at(&self.rows[at..], &example, &mut column[at..]);
            });
            if let Some(stop) = meter.advance(0, 0) {
                return Ok(Err(stop));
            }
        }
        Ok(Ok(matrix))
    }
}

/// The factor of a matrix that is positive definite but for rounding: where it is not, its diagonal is made a little larger.
fn factor(matrix: &Matrix, meter: &mut Meter<'_>) -> Result<Result<Cholesky, Stop>> {
    let mut more = 0.0;
    for _ in 0..5 {
        let mut tried = matrix.clone();
        for k in 0..tried.rows() {
            tried[(k, k)] *= 1.0 + more;
        }
        let mut stop = None;
        let mut go_on = || {
            stop = meter.advance(0, 0);
            stop.is_none()
        };
        match (Cholesky::factor_while(tried, &mut go_on)?, stop) {
            (Interruptible::Done(Some(factor)), _) => return Ok(Ok(factor)),
            (Interruptible::Stopped, Some(stop)) => return Ok(Err(stop)),
            _ => more = if more == 0.0 { 64.0 * f64::EPSILON } else { 1e3 * more },
        }
    }
    Err(Error::Numerical { what: "a Newton step" })
}

/// The bytes that a run holds at once beside its vectors, at least.
pub(super) fn least_bytes<E: Examples + ?Sized>(sample: &Sample<'_, E>) -> usize {
    let widest = (0..sample.len()).map(|row| stored(&sample.examples.row(row))).max().unwrap_or(0);
    (10 * sample.len() + 40 * sample.dim() + widest) * size_of::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::products::add;
    use crate::problem::{Balance, DualProblem};
    use lm_core::{Budget, Control, Csr, Dense};

    /// Each way of solving gives the same direction, whatever the bias and the storage.
    #[test]
    fn three_ways_to_one_direction() {
        let values: Vec<f64> = (0..8 * 5).map(|k| (f64::from(k) * 1.7).sin() + f64::from(k % 5)).collect();
        let dense = Dense::new(values, 8, 5).unwrap();
        let sparse = Csr::from_rows(&dense).unwrap();
        let open = |n| DualProblem::new(vec![-1.0; n], vec![1.0; n], vec![0.0; n], Balance::Open).unwrap();
        let problem = open(8);
        let rows = [0_u32, 2, 3, 5, 6, 7];
        let weights = [0.5, 2.0, 1.0, 3.0, 0.25, 1.5];
        let gradient = Direction { w: vec![1.0, -2.0, 0.5, 0.0, 3.0], b: -1.5 };
        for bias in [Bias::Free, Bias::Penalised, Bias::None] {
            let mut found: Vec<Direction> = Vec::new();
            for sample in [
                Sample::new(&dense as &dyn Examples, &problem, bias).unwrap(),
                Sample::new(&sparse as &dyn Examples, &problem, bias).unwrap(),
            ] {
                let shifts = bias != Bias::None && !sample.sparse;
                let centre: &[f64] = if shifts { &[1.5, 2.0, 3.0, 4.0, 5.0] } else { &[] };
                let system = System { sample: &sample, centre, rows: &rows, weights: &weights, faint: 1.0 };
                let mut meter = Control::new(Budget::default()).start(10);
                let plain = system.shifted_if(Bias::Free);
                found.extend(system.in_shifted(&gradient, |s, g| s.by_columns(g, &mut meter)).unwrap());
                found.extend(
                    plain
                        .in_shifted(&gradient, |s, g| {
                            Ok(s.by_examples(g, &mut meter)?.map(|(direction, _)| direction))
                        })
                        .unwrap(),
                );
                found.extend(plain.in_shifted(&gradient, |s, g| Ok(s.by_products(g, &mut meter))).unwrap());
                assert_eq!(found.len() % 3, 0);
            }
            // The residual by hand: (P + ZᵗDZ)s + g.
            let s = &found[0];
            let mut residual = gradient.clone();
            add(&mut residual, 1.0, &Direction { w: s.w.clone(), b: 0.0 });
            residual.b += if bias == Bias::Penalised { s.b } else { 0.0 };
            for (&row, weight) in rows.iter().zip(weights) {
                let pull = weight * (dense.dot(row as usize, &s.w) + s.b);
                dense.add_scaled(row as usize, pull, &mut residual.w);
                residual.b += pull;
            }
            if bias == Bias::None {
                assert_eq!(s.b, 0.0);
                residual.b = 0.0;
            }
            assert!(
                residual.w.iter().chain([&residual.b]).all(|r| r.abs() < 1e-12),
                "{bias:?}: {residual:?}"
            );
            for other in &found[1..] {
                let off = other.w.iter().zip(&s.w).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(off < 1e-3 && (other.b - s.b).abs() < 1e-2, "{bias:?}: {found:?}");
            }
        }
    }
}
