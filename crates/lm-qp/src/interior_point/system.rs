//! Newton's equations at a point, and what follows from their solution.

use lm_core::linalg::{Cholesky, Interruptible};
use lm_core::{Meter, Result};

use super::{Iterate, Residuals, State};

/// A factored system and what is shared by its right-hand sides.
pub(super) struct Factored {
    pub(super) factor: Cholesky,
    /// `z/x + y/(w − x)`.
    pub(super) barrier: Vec<f64>,
    /// `1/Σ` of the inverse barriers of each variable's parts.
    pub(super) inverse: Vec<f64>,
    /// For each variable its part with the weakest barrier.
    pub(super) softest: Vec<Option<usize>>,
    /// For each row of the balance, the solution for it and the products of the matrix with that.
    pub(super) answers: Vec<(Vec<f64>, Vec<f64>)>,
}

impl State<'_> {
    /// Factors the matrix of this point's Newton equations, and solves for the rows of the balance.
    pub(super) fn factored(&self, meter: &mut Meter<'_>) -> Result<Interruptible<Option<Factored>>> {
        let n = self.problem.len();
        let Iterate { x, z, y, .. } = &self.at;
        let barrier: Vec<f64> = self
            .parts
            .iter()
            .enumerate()
            .map(|(h, part)| {
                z[h] / x[h] + if part.width.is_finite() { y[h] / (part.width - x[h]) } else { 0.0 }
            })
            .collect();
        let mut give = vec![0.0; n];
        for (part, barrier) in self.parts.iter().zip(&barrier) {
            give[part.variable] += part.sign.abs() / barrier;
        }
        let mut softest: Vec<Option<usize>> = vec![None; n];
        for (h, part) in self.parts.iter().enumerate().filter(|(_, part)| part.sign != 0.0) {
            let softest = &mut softest[part.variable];
            if softest.is_none_or(|other| barrier[h] < barrier[other]) {
                *softest = Some(h);
            }
        }
        // A slope that no part can follow keeps its variable at 0.
        let inverse: Vec<f64> = give.iter().map(|&give| (1.0 / give).min(1e30 * self.largest)).collect();
        let mut shift = 1e-15 * self.largest;
        loop {
            let mut matrix = self.k.clone();
            for i in 0..n {
                for (_, row) in self.squared.iter().filter(|(_, row)| row[i] != 0.0) {
                    let by = self.largest * row[i];
                    matrix.column_mut(i).iter_mut().zip(row).for_each(|(to, a)| *to += by * a);
                }
                matrix[(i, i)] += self.problem.ridge(i) + inverse[i] + shift;
            }
            match Cholesky::factor_while(matrix, &mut || meter.advance(0, 0).is_none())? {
                Interruptible::Stopped => return Ok(Interruptible::Stopped),
                Interruptible::Done(Some(factor)) => {
                    let mut system = Factored { factor, barrier, inverse, softest, answers: Vec::new() };
                    for row in &self.rows {
                        let answer = self.answer(&system, row)?;
                        system.answers.push(answer);
                    }
                    return Ok(Interruptible::Done(Some(system)));
                }
                Interruptible::Done(None) if shift > 1e-8 * self.largest => {
                    return Ok(Interruptible::Done(None));
                }
                Interruptible::Done(None) => shift *= 100.0,
            }
        }
    }

    /// What the coefficients do about a slope on the parts, and the products of the matrix with that.
    pub(super) fn answer(&self, system: &Factored, slope: &[f64]) -> Result<(Vec<f64>, Vec<f64>)> {
        let mut right = vec![0.0; self.problem.len()];
        for (h, part) in self.parts.iter().enumerate() {
            right[part.variable] += part.sign * slope[h] / system.barrier[h];
        }
        right.iter_mut().zip(&system.inverse).for_each(|(value, inverse)| *value *= inverse);
        system.factor.solve(&mut right)?;
        let products = self.times_squared(&right)?;
        Ok((right, products))
    }

    /// Newton's direction for these aims of the complementarity products.
    pub(super) fn direction(
        &self,
        system: &Factored,
        now: &Residuals,
        at_zero: &[f64],
        at_width: &[f64],
    ) -> Result<Iterate> {
        let Iterate { x, z, y, .. } = &self.at;
        let slope: Vec<f64> = self
            .parts
            .iter()
            .enumerate()
            .map(|(h, part)| {
                let beyond = if part.width.is_finite() { at_width[h] / (part.width - x[h]) } else { 0.0 };
                let kept: f64 = self.squared.iter().map(|(r, _)| self.rows[*r][h] * now.balance[*r]).sum();
                now.stationarity[h] + at_zero[h] / x[h] - beyond + self.largest * kept
            })
            .collect();
        // What each part would do without the balance, and what a unit of each multiplier takes from it.
        let own = self.moved(system, &slope, &self.answer(system, &slope)?);
        let taken: Vec<Vec<f64>> = self
            .rows
            .iter()
            .zip(&system.answers)
            .map(|(row, answer)| self.moved(system, row, answer))
            .collect();
        let mu = self.multipliers(&own, &taken, &now.balance);
        let mut dx = own;
        for (taken, mu) in taken.iter().zip(&mu) {
            dx.iter_mut().zip(taken).for_each(|(dx, taken)| *dx -= mu * taken);
        }
        let dz = (0..x.len()).map(|h| (at_zero[h] - z[h] * dx[h]) / x[h]).collect();
        let beyond = |h: usize| match self.parts[h].width {
            width if width.is_finite() => (at_width[h] + y[h] * dx[h]) / (width - x[h]),
            _ => 0.0,
        };
        let dy = (0..x.len()).map(beyond).collect();
        Ok(Iterate { x: dx, z: dz, y: dy, mu })
    }

    /// What the parts do about a slope, given what the coefficients do and the products of the matrix with that.
    ///
    /// A part with a strong barrier moves by what its barrier makes of the slope that is left. A part with hardly any has
    /// hardly any slope left either, nothing but rounding: it takes what the other part leaves of its coefficient.
    pub(super) fn moved(&self, system: &Factored, slope: &[f64], answer: &(Vec<f64>, Vec<f64>)) -> Vec<f64> {
        let (coefficients, products) = answer;
        let mut left = coefficients.clone();
        let mut moved: Vec<f64> = Vec::with_capacity(slope.len());
        for (h, part) in self.parts.iter().enumerate() {
            let by = (slope[h] - part.sign * products[part.variable]) / system.barrier[h];
            moved.push(by);
            if Some(h) != system.softest[part.variable] {
                left[part.variable] -= part.sign * by;
            }
        }
        for (i, h) in system.softest.iter().enumerate() {
            if let Some(h) = *h
                && system.barrier[h] < self.k[(i, i)].abs() + self.problem.ridge(i)
            {
                moved[h] = self.parts[h].sign * left[i];
            }
        }
        moved
    }

    /// The changes of the multipliers that keep to the balance: one equation or two.
    pub(super) fn multipliers(&self, own: &[f64], taken: &[Vec<f64>], off: &[f64]) -> Vec<f64> {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let right: Vec<f64> = self.rows.iter().zip(off).map(|(row, off)| dot(row, own) - off).collect();
        let entry = |r: usize, s: usize| dot(&self.rows[r], &taken[s]);
        match right.len() {
            0 => Vec::new(),
            1 => vec![finite_or_nothing(right[0] / entry(0, 0))],
            _ => {
                let (a, b, c, d) = (entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1));
                let determinant = a * d - b * c;
                let first = (d * right[0] - b * right[1]) / determinant;
                let second = (a * right[1] - c * right[0]) / determinant;
                vec![finite_or_nothing(first), finite_or_nothing(second)]
            }
        }
    }
}

pub(super) fn finite_or_nothing(value: f64) -> f64 {
    if value.is_finite() { value } else { 0.0 }
}
