//! The inverse of the part of a basis that is not trivial, changed by one row or column at a time.
//!
//! A basis of a linear program with `m` rows has `m` columns, but those of row activities are unit columns. What is left after these are
//! taken out with their rows is a square matrix of the `k` basic variables and the `k` rows whose activities are not basic: often much
//! smaller. Its inverse is kept here; the four ways in which a pivot can change it are the four methods that change it.

/// `M⁻¹`, where row `t` and column `p` of `M` belong to the tight row `t` and the inside variable `p`: here `p` counts rows, `t` columns.
#[derive(Debug, Clone, Default)]
pub(super) struct Kernel {
    rows: Vec<Vec<f64>>,
}

impl Kernel {
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Inverts a matrix given row by row. Where it is singular to working precision, the columns without a pivot and the rows without
    /// one are returned, as many of each.
    pub(super) fn inverted(mut matrix: Vec<Vec<f64>>) -> Result<Self, (Vec<usize>, Vec<usize>)> {
        /// A pivot this small beside the largest entry of its column is rounding.
        const SINGULAR: f64 = 1e-11;
        let k = matrix.len();
        let largest: Vec<f64> =
            (0..k).map(|p| matrix.iter().fold(0.0_f64, |largest, row| largest.max(row[p].abs()))).collect();
        let mut inverse: Vec<Vec<f64>> =
            (0..k).map(|i| (0..k).map(|j| f64::from(u8::from(i == j))).collect()).collect();
        // The row in which each column has its pivot.
        let mut place = vec![usize::MAX; k];
        let mut taken = vec![false; k];
        for p in 0..k {
            let free = (0..k).filter(|&t| !taken[t]);
            let Some(t) = free.max_by(|&a, &b| matrix[a][p].abs().total_cmp(&matrix[b][p].abs())) else {
                break;
            };
            if !(matrix[t][p].abs() > SINGULAR * largest[p]) {
                continue;
            }
            (place[p], taken[t]) = (t, true);
            let scale = 1.0 / matrix[t][p];
            matrix[t].iter_mut().chain(&mut inverse[t]).for_each(|value| *value *= scale);
            let (pivot, pivot_inverse) = (matrix[t].clone(), inverse[t].clone());
            for i in (0..k).filter(|&i| i != t) {
                let factor = matrix[i][p];
                if factor != 0.0 {
                    axpy(-factor, &pivot, &mut matrix[i]);
                    axpy(-factor, &pivot_inverse, &mut inverse[i]);
                }
            }
        }
        let columns: Vec<usize> = (0..k).filter(|&p| place[p] == usize::MAX).collect();
        if columns.is_empty() {
            return Ok(Self { rows: place.into_iter().map(|t| std::mem::take(&mut inverse[t])).collect() });
        }
        Err((columns, (0..k).filter(|&t| !taken[t]).collect()))
    }

    /// `M⁻¹a`.
    pub(super) fn times(&self, a: &[f64]) -> Vec<f64> {
        self.rows.iter().map(|row| row.iter().zip(a).map(|(w, a)| w * a).sum()).collect()
    }

    /// `M⁻ᵗa`.
    pub(super) fn transposed_times(&self, a: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.len()];
        for (row, &a) in self.rows.iter().zip(a).filter(|(_, a)| **a != 0.0) {
            axpy(a, row, &mut out);
        }
        out
    }

    /// One row of the inverse.
    pub(super) fn row(&self, p: usize) -> &[f64] {
        &self.rows[p]
    }

    /// One column of the inverse.
    pub(super) fn column(&self, t: usize) -> Vec<f64> {
        self.rows.iter().map(|row| row[t]).collect()
    }

    /// Another variable in place `p`, whose entries in the tight rows times the inverse are `alpha`.
    pub(super) fn replace_variable(&mut self, p: usize, alpha: &[f64]) {
        let scale = 1.0 / alpha[p];
        self.rows[p].iter_mut().for_each(|value| *value *= scale);
        let pivot = self.rows[p].clone();
        for (i, row) in self.rows.iter_mut().enumerate() {
            if i != p && alpha[i] != 0.0 {
                axpy(-alpha[i], &pivot, row);
            }
        }
    }

    /// Another tight row in place `t`, whose entries in the inside variables times the inverse are `beta`.
    pub(super) fn replace_row(&mut self, t: usize, beta: &[f64]) {
        for row in &mut self.rows {
            let pivot = row[t] / beta[t];
            axpy(-pivot, beta, row);
            row[t] = pivot;
        }
    }

    /// One more variable and one more tight row: `alpha` and `beta` as above, `rest` the entry of both less what the others explain.
    pub(super) fn grow(&mut self, alpha: &[f64], beta: &[f64], rest: f64) {
        for (row, &a) in self.rows.iter_mut().zip(alpha) {
            axpy(a / rest, beta, row);
            row.push(-a / rest);
        }
        self.rows.push(beta.iter().map(|b| -b / rest).chain([1.0 / rest]).collect());
    }

    /// The variable of place `p` and the tight row of place `t` go; the last of each takes the place.
    pub(super) fn shrink(&mut self, p: usize, t: usize) {
        let mut pivot = self.rows.swap_remove(p);
        let entry = pivot.swap_remove(t);
        for row in &mut self.rows {
            let own = row.swap_remove(t);
            axpy(-own / entry, &pivot, row);
        }
    }
}

/// `y ← y + a·x`.
pub(super) fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
}

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::testing::SplitMix64;

    fn is_inverse(kernel: &Kernel, matrix: &[Vec<f64>]) {
        for (t, row) in matrix.iter().enumerate() {
            // Row t of M times M⁻¹ is the unit row t.
            for (s, value) in kernel.transposed_times(row).iter().enumerate() {
                let unit = f64::from(u8::from(s == t));
                assert!((value - unit).abs() < 1e-9, "{t}, {s}: {value}");
            }
        }
    }

    #[test]
    fn each_change_is_that_of_the_matrix() {
        let mut random = SplitMix64::new(1);
        let number = |random: &mut SplitMix64| random.uniform(-1.0, 1.0);
        let mut matrix: Vec<Vec<f64>> =
            (0..5).map(|_| (0..5).map(|_| number(&mut random)).collect()).collect();
        let mut kernel = Kernel::inverted(matrix.clone()).unwrap();
        is_inverse(&kernel, &matrix);
        for round in 0..40 {
            let k = matrix.len();
            let (p, t) = (random.below(k), random.below(k));
            let row: Vec<f64> = (0..k).map(|_| number(&mut random)).collect();
            match round % 4 {
                0 => {
                    kernel.replace_variable(p, &kernel.times(&row));
                    matrix.iter_mut().zip(&row).for_each(|(own, value)| own[p] = *value);
                }
                1 => {
                    kernel.replace_row(t, &kernel.transposed_times(&row));
                    matrix[t].clone_from(&row);
                }
                2 => {
                    let column: Vec<f64> = (0..k).map(|_| number(&mut random)).collect();
                    let (alpha, beta) = (kernel.times(&column), kernel.transposed_times(&row));
                    let rest = 2.0 - row.iter().zip(&alpha).map(|(r, a)| r * a).sum::<f64>();
                    kernel.grow(&alpha, &beta, rest);
                    matrix.iter_mut().zip(&column).for_each(|(own, value)| own.push(*value));
                    matrix.push(row.iter().copied().chain([2.0]).collect());
                }
                _ => {
                    kernel.shrink(p, t);
                    // Row t of M and column p of M go.
                    matrix.swap_remove(t);
                    for own in &mut matrix {
                        own.swap_remove(p);
                    }
                }
            }
            is_inverse(&kernel, &matrix);
        }
    }

    #[test]
    fn a_singular_matrix_names_what_depends() {
        let matrix = vec![vec![1.0, 2.0, 0.0], vec![2.0, 4.0, 0.0], vec![0.0, 0.0, 3.0]];
        let (columns, rows) = Kernel::inverted(matrix).unwrap_err();
        assert_eq!((columns, rows), (vec![1], vec![0]));
    }
}
