//! What Fisher's discriminant and its kin begin with: class means and the scatter around them, of examples in range.

use lm_core::linalg::{Matrix, matrix_vector, product_transposed, transposed_vector};
use lm_core::{Budget, ClassLabels, Error, Examples, Result, TrainingSet};

use crate::lda::{ClassMeans, ClassMoments};
use crate::range::InRange;
use crate::shrinkage::{best_share, fourth_powers, ledoit_wolf, shrunk};
use crate::statistics::RowBlocks;
use crate::whitening::Whitening;

/// Sums of squares between these bounds, and sums of their products with others, are numbers of full precision.
const MODERATE: std::ops::RangeInclusive<f64> = 1e-200..=1e200;

/// Class means, and the scatter within classes in the form that is the smaller.
pub(crate) struct Centred {
    pub(crate) means: ClassMeans,
    scatter: Scatter,
}

enum Scatter {
    /// The matrix, of more examples than columns.
    Matrix(ClassMoments),
    /// The deviations themselves, each times the root of its weight: `S_W = RᵗR`.
    Rows(Matrix),
}

/// Sweeps over the examples; once more over a scaled copy, which is returned, if squares leave the range of numbers.
pub(crate) fn gather<E: Examples + ?Sized>(
    set: &TrainingSet<'_, E, ClassLabels>,
    budget: &Budget,
) -> Result<(Option<InRange>, Centred)> {
    let (len, dim) = (set.len(), set.examples().dim());
    let numbers = if len > dim { dim.saturating_mul(20) } else { len.saturating_mul(4) }.saturating_mul(dim);
    budget.check_memory("the scatter of the examples", numbers.saturating_mul(size_of::<f64>()))?;
    let first = match Centred::of(set) {
        Ok(centred) if centred.diagonal().iter().all(|square| MODERATE.contains(square)) => {
            return Ok((None, centred));
        }
        Ok(centred) => Some(centred),
        Err(Error::Numerical { .. }) => None,
        Err(error) => return Err(error),
    };
    // A column without scatter may be constant, or too small for squares: the copy is made for the latter only.
    match (InRange::of(set.examples())?, first) {
        (Some(copy), _) => {
            let centred = Centred::of(&set.over(&copy.examples)?)?;
            Ok((Some(copy), centred))
        }
        (None, Some(centred)) => Ok((None, centred)),
        (None, None) => Err(Error::Numerical { what: "the scatter within classes" }),
    }
}

/// The deviations from class means, each times the root of its weight.
fn deviations<E: Examples + ?Sized>(
    set: &TrainingSet<'_, E, ClassLabels>,
    means: &ClassMeans,
) -> Result<Matrix> {
    let dim = means.dim;
    let mut centred = Matrix::zeros(set.len(), dim)?;
    let (blocks, mut rows) = (RowBlocks::new(set.examples()), Vec::new());
    for block in 0..blocks.len() {
        blocks.fill(block, &mut rows);
        for (row, x) in
            blocks.range(block).zip(rows.chunks_exact(dim)).filter(|(row, _)| set.weight(*row) > 0.0)
        {
            let (root, mean) = (set.weight(row).sqrt(), means.mean(set.labels().indices()[row] as usize));
            x.iter().zip(mean).enumerate().for_each(|(k, (x, m))| centred[(row, k)] = root * (x - m));
        }
    }
    Ok(centred)
}

impl Centred {
    fn of<E: Examples + ?Sized>(set: &TrainingSet<'_, E, ClassLabels>) -> Result<Self> {
        if set.len() > set.examples().dim() {
            let moments = ClassMoments::of(set.examples(), set.labels(), set.weights())?;
            return Ok(Self { means: ClassMeans::of_moments(&moments), scatter: Scatter::Matrix(moments) });
        }
        let means = ClassMeans::of(set.examples(), set.labels(), set.weights())?;
        let rows = deviations(set, &means)?;
        let centred = Self { means, scatter: Scatter::Rows(rows) };
        if centred.diagonal().iter().chain(&centred.means.means).all(|value| value.is_finite()) {
            Ok(centred)
        } else {
            Err(Error::Numerical { what: "the scatter within classes" })
        }
    }

    /// The diagonal of `S_W`.
    pub(crate) fn diagonal(&self) -> Vec<f64> {
        (0..self.means.dim)
            .map(|k| match &self.scatter {
                Scatter::Matrix(moments) => moments.scatter()[(k, k)],
                Scatter::Rows(rows) => rows.column(k).iter().map(|x| x * x).sum(),
            })
            .collect()
    }

    /// `S_W v` for each vector.
    pub(crate) fn products(&self, vectors: &[Vec<f64>]) -> Result<Vec<Vec<f64>>> {
        match &self.scatter {
            Scatter::Matrix(moments) => {
                let mut full = moments.scatter().clone();
                full.mirror_lower();
                vectors.iter().map(|v| matrix_vector(&full, v)).collect()
            }
            Scatter::Rows(rows) => {
                vectors.iter().map(|v| transposed_vector(rows, &matrix_vector(rows, v)?)).collect()
            }
        }
    }

    /// The share of Ledoit and Wolf.
    pub(crate) fn ledoit_wolf<E: Examples + ?Sized>(
        &self,
        set: &TrainingSet<'_, E, ClassLabels>,
    ) -> Result<f64> {
        match &self.scatter {
            Scatter::Matrix(moments) => {
                let classes = set.labels().classes();
                let integers: Vec<i64> =
                    set.labels().indices().iter().map(|&index| classes[index as usize]).collect();
                ledoit_wolf(moments, fourth_powers(moments, set.examples(), &integers, set.weights())?)
            }
            Scatter::Rows(rows) => {
                // ‖RᵗR‖ = ‖RRᵗ‖, and the diagonal of RRᵗ has ω‖x − m‖².
                let (gram, total) = (product_transposed(rows, rows)?, self.means.weight());
                let square = gram.values().iter().map(|value| (value / total) * (value / total)).sum::<f64>();
                let trace: f64 = (0..gram.rows()).map(|row| gram[(row, row)] / total).sum();
                let present = (0..gram.rows()).filter(|&row| set.weight(row) > 0.0);
                let fourth: f64 =
                    present.map(|row| gram[(row, row)] * (gram[(row, row)] / set.weight(row))).sum();
                // With fewer rows than columns S is far from a multiple of the identity: nothing cancels.
                best_share(
                    (fourth / total - square) / total,
                    square - trace * (trace / self.means.dim as f64),
                )
            }
        }
    }

    /// The whitening transform of the scatter with a share of the common variance mixed in: from the matrix where that is well
    /// conditioned, from the rows where it is not.
    pub(crate) fn whitening<E: Examples + ?Sized>(
        &self,
        set: &TrainingSet<'_, E, ClassLabels>,
        share: f64,
    ) -> Result<Whitening> {
        let (total, sizes) = (self.means.weight(), self.means.sizes());
        match &self.scatter {
            Scatter::Matrix(moments) if share > 0.0 => {
                Whitening::of_scatter(&shrunk(moments.scatter(), share), total, &sizes)
            }
            Scatter::Matrix(moments) => {
                match Whitening::well_conditioned(moments.scatter(), total, &sizes)? {
                    Some(found) => Ok(found),
                    None => Whitening::of_rows(deviations(set, &self.means)?, total, &sizes),
                }
            }
            Scatter::Rows(rows) if share > 0.0 => Whitening::of_shrunk_rows(rows, share),
            Scatter::Rows(rows) => Whitening::of_rows(rows.clone(), total, &sizes),
        }
    }
}
