//! How well vectors solve systems with the scatter within classes: measured by solvers, recomputed by certificates.
//!
//! A solver measures with the matrix that it has formed. A certificate does not form it: it takes class means and products
//! `S_W v = Σ ω (x − m_c)((x − m_c)ᵗv)` from the examples, in double-double arithmetic.

use lm_core::double_double::{DoubleDouble, add_transposed_products, subtract_products};
use lm_core::{Examples, Result, parallel};

use crate::statistics::RowBlocks;

/// Rows of a block.
const ROWS: usize = 512;

/// What is recomputed from examples.
pub(crate) struct Recomputed {
    /// The sum of the weights of each class.
    pub(crate) weights: Vec<f64>,
    /// The mean of each class, one after the other.
    means: Vec<DoubleDouble>,
    dim: usize,
    /// The diagonal of `S_W`.
    pub(crate) diagonal: Vec<f64>,
    /// `S_W v` of each vector.
    pub(crate) products: Vec<Vec<f64>>,
}

impl Recomputed {
    /// Two passes over the examples: means, then products.
    pub(crate) fn of<E: Examples + ?Sized>(
        examples: &E,
        classes: usize,
        class_of: impl Fn(usize) -> usize + Sync,
        weight: impl Fn(usize) -> f64 + Sync,
        vectors: &[Vec<f64>],
    ) -> Result<Self> {
        let (dim, blocks) = (examples.dim(), RowBlocks::with_rows(examples, ROWS));
        let mut weights = vec![DoubleDouble::ZERO; classes];
        let mut means = vec![DoubleDouble::ZERO; classes * dim];
        let sums = parallel::map(blocks.len(), |block| {
            let mut rows = Vec::new();
            blocks.fill(block, &mut rows);
            let mut sums = vec![DoubleDouble::ZERO; classes * dim];
            for (row, x) in blocks.range(block).zip(rows.chunks_exact(dim)) {
                let (class, own) = (class_of(row), [DoubleDouble::from(weight(row))]);
                add_transposed_products(x, &own, &mut sums[class * dim..(class + 1) * dim]);
            }
            sums
        });
        for part in sums {
            add(&mut means, &part);
        }
        for row in 0..examples.len() {
            weights[class_of(row)] = weights[class_of(row)] + weight(row);
        }
        for (mean, total) in
            means.chunks_exact_mut(dim).zip(&weights).filter(|(_, total)| total.value() > 0.0)
        {
            mean.iter_mut().for_each(|sum| *sum = *sum / *total);
        }
        let vectors: Vec<Vec<DoubleDouble>> =
            vectors.iter().map(|v| v.iter().map(|&v| DoubleDouble::from(v)).collect()).collect();
        let parts = parallel::map(blocks.len(), |block| {
            let mut rows = Vec::new();
            blocks.fill(block, &mut rows);
            for (row, x) in blocks.range(block).zip(rows.chunks_exact_mut(dim)) {
                let mean = &means[class_of(row) * dim..];
                x.iter_mut().zip(mean).for_each(|(x, mean)| *x = (DoubleDouble::from(*x) - *mean).value());
            }
            of_deviations(&rows, dim, |at| weight(blocks.range(block).start + at), &vectors)
        });
        let mut diagonal = vec![DoubleDouble::ZERO; dim];
        let mut products = vec![vec![DoubleDouble::ZERO; dim]; vectors.len()];
        for (squares, part) in parts {
            add(&mut diagonal, &squares);
            products.iter_mut().zip(&part).for_each(|(sum, part)| add(sum, part));
        }
        let rounded = |sums: &Vec<DoubleDouble>| sums.iter().map(|sum| sum.value()).collect();
        Ok(Self {
            weights: weights.iter().map(|weight| weight.value()).collect(),
            means,
            dim,
            diagonal: rounded(&diagonal),
            products: products.iter().map(rounded).collect(),
        })
    }

    /// The sum of all weights.
    pub(crate) fn weight(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// `m_c − m` for every class, `m` being the mean of all examples.
    pub(crate) fn deviations(&self) -> Vec<Vec<f64>> {
        let mean = self.mean();
        let of_class =
            |own: &[DoubleDouble]| own.iter().zip(&mean).map(|(own, all)| (*own - *all).value()).collect();
        self.means.chunks_exact(self.dim).map(of_class).collect()
    }

    /// The mean of all examples, rounded.
    pub(crate) fn total_mean(&self) -> Vec<f64> {
        self.mean().iter().map(|mean| mean.value()).collect()
    }

    fn mean(&self) -> Vec<DoubleDouble> {
        let total = self.weights.iter().fold(DoubleDouble::ZERO, |sum, &weight| sum + weight);
        let of_column = |k: usize| {
            let terms = self.weights.iter().enumerate().map(|(c, &own)| self.means[c * self.dim + k] * own);
            terms.fold(DoubleDouble::ZERO, |sum, term| sum + term) / total
        };
        (0..self.dim).map(of_column).collect()
    }

    /// The difference of the means of two classes.
    pub(crate) fn difference(&self, of: usize, from: usize) -> Vec<f64> {
        let mean = |class: usize| &self.means[class * self.dim..(class + 1) * self.dim];
        mean(of).iter().zip(mean(from)).map(|(a, b)| (*a - *b).value()).collect()
    }
}

/// The squares of the columns and the products with the vectors, of a block of deviations.
fn of_deviations(
    rows: &[f64],
    dim: usize,
    weight: impl Fn(usize) -> f64,
    vectors: &[Vec<DoubleDouble>],
) -> (Vec<DoubleDouble>, Vec<Vec<DoubleDouble>>) {
    let len = rows.len() / dim.max(1);
    let mut squares = vec![DoubleDouble::ZERO; dim];
    for (at, x) in rows.chunks_exact(dim).enumerate() {
        let own = weight(at);
        squares.iter_mut().zip(x).for_each(|(sum, x)| *sum = *sum + DoubleDouble::product(*x, *x) * own);
    }
    let products = vectors.iter().map(|v| {
        let mut along = vec![DoubleDouble::ZERO; len];
        subtract_products(rows, v, &mut along);
        along.iter_mut().enumerate().for_each(|(at, along)| *along = -*along * weight(at));
        let mut product = vec![DoubleDouble::ZERO; dim];
        add_transposed_products(rows, &along, &mut product);
        product
    });
    let products = products.collect();
    (squares, products)
}

fn add(sums: &mut [DoubleDouble], terms: &[DoubleDouble]) {
    sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum = *sum + *term);
}

/// The roots of the diagonal of a scatter matrix: no entry is larger than the product of two of them.
pub(crate) fn roots(diagonal: &[f64]) -> Vec<f64> {
    diagonal.iter().map(|square| square.max(0.0).sqrt()).collect()
}

/// `Σ √s_kk |v_k|`.
pub(crate) fn size_along(roots: &[f64], v: &[f64]) -> f64 {
    roots.iter().zip(v).map(|(root, v)| root * v.abs()).sum()
}

/// The largest `(|Sv − g| + doubt)ᵢ / (√sᵢᵢ Σ √sₖₖ|vₖ| + |gᵢ|)`: what is left of a system, relative to the size of its terms.
pub(crate) fn relative_residual(
    product: &[f64],
    roots: &[f64],
    along: f64,
    rhs: &[f64],
    doubt: impl Fn(usize) -> f64,
) -> f64 {
    let mut worst = 0.0_f64;
    for (i, (product, rhs)) in product.iter().zip(rhs).enumerate() {
        let size = roots[i] * along + rhs.abs();
        let left = (product - rhs).abs() + doubt(i);
        if left > 0.0 {
            worst = worst.max(if size > 0.0 { left / size } else { f64::INFINITY });
        }
    }
    worst
}
