//! What Fisher's discriminant and its kin begin with: moments of examples in range, and a whitening transform.

use lm_core::linalg::Matrix;
use lm_core::{Budget, ClassLabels, Error, Examples, Result, Weights};

use crate::lda::{ClassMoments, sizes};
use crate::range::InRange;
use crate::statistics::RowBlocks;
use crate::whitening::Whitening;

/// Sums of squares between these bounds, and sums of their products with others, are numbers of full precision.
const MODERATE: std::ops::RangeInclusive<f64> = 1e-200..=1e200;

/// Moments, and what they are of.
pub(crate) enum Gathered {
    /// The examples as they are.
    AsGiven(ClassMoments),
    /// A copy with scaled columns.
    Scaled(InRange, ClassMoments),
}

/// Sweeps over the examples; once more over a scaled copy, if squares leave the range of numbers.
pub(crate) fn gather<E: Examples + ?Sized>(
    examples: &E,
    labels: &ClassLabels,
    weights: Option<&Weights>,
    budget: &Budget,
) -> Result<Gathered> {
    let dim = examples.dim();
    let needed = dim.saturating_mul(dim).saturating_mul(20 * size_of::<f64>());
    budget.check_memory("the scatter of the examples", needed)?;
    let moderate = |moments: &ClassMoments| (0..dim).all(|k| MODERATE.contains(&moments.scatter()[(k, k)]));
    let first = match ClassMoments::of(examples, labels, weights) {
        Ok(moments) if moderate(&moments) => return Ok(Gathered::AsGiven(moments)),
        Ok(moments) => Some(moments),
        Err(Error::Numerical { .. }) => None,
        Err(error) => return Err(error),
    };
    // A column without scatter may be constant, or too small for squares: the copy is made for the latter only.
    match (InRange::of(examples)?, first) {
        (Some(copy), _) => {
            let moments = ClassMoments::of(&copy.examples, labels, weights)?;
            Ok(Gathered::Scaled(copy, moments))
        }
        (None, Some(moments)) => Ok(Gathered::AsGiven(moments)),
        (None, None) => Err(Error::Numerical { what: "the scatter within classes" }),
    }
}

/// The whitening transform of the scatter within classes: from the scatter where that is well conditioned, from the rows
/// where it is not.
pub(crate) fn whitening_of<E: Examples + ?Sized>(
    moments: &ClassMoments,
    examples: &E,
    indices: &[u32],
    weights: Option<&Weights>,
) -> Result<Whitening> {
    let (dim, sizes) = (moments.dim(), sizes(moments));
    // Fewer rows than columns cannot fill the space.
    if examples.len() > dim
        && let Some(found) = Whitening::well_conditioned(moments.scatter(), moments.weight(), &sizes)?
    {
        return Ok(found);
    }
    let mut centred = Matrix::zeros(examples.len(), dim)?;
    let (blocks, mut rows) = (RowBlocks::with_rows(examples, 512), Vec::new());
    for block in 0..blocks.len() {
        blocks.fill(block, &mut rows);
        for (row, x) in blocks.range(block).zip(rows.chunks_exact(dim)) {
            let root = weights.map_or(1.0, |weights| weights.values()[row].sqrt());
            let mean = moments.mean(indices[row] as usize);
            x.iter().zip(mean).enumerate().for_each(|(k, (x, m))| centred[(row, k)] = root * (x - m));
        }
    }
    Whitening::of_rows(centred, moments.weight(), &sizes)
}
