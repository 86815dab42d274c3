//! One pass over the examples: residuals and gradients of several functions to twice the digits of `f64`.

use lm_core::double_double::{DoubleDouble, add_transposed_products, subtract_products};
use lm_core::{Examples, Meter, Stop, parallel};

use super::problem::Problem;
use super::route::ended;
use super::table::sum;
use crate::statistics::RowBlocks;

/// Entries of a block: few enough to stay in the cache of a core.
const ENTRIES: usize = 8192;

/// The fewest rows that a thread takes, the most parts that a pass is cut into, and those between two looks at the clock.
const ROWS: usize = 1024;
const PARTS: usize = 1024;
const WAVE: usize = 128;

/// `Σ ωr·x`, `Σ ωr` and `Σ ωr²` of a function, with `r = t − f(x)`.
#[derive(Debug, Clone)]
pub(crate) struct Sweep {
    pub(crate) gradient: Vec<DoubleDouble>,
    pub(crate) total: DoubleDouble,
    pub(crate) squares: DoubleDouble,
}

/// Weights and bias of a function.
pub(crate) type Coefficients = (Vec<DoubleDouble>, DoubleDouble);

/// A pass over the examples, on all cores; the same bits as on one. The error is why it was not ended.
pub(crate) fn sweep<E: Examples + ?Sized>(
    problem: &Problem<'_, E>,
    functions: &[Coefficients],
    meter: &mut Meter<'_>,
) -> Result<Vec<Sweep>, Stop> {
    let (len, dim) = (problem.examples.len(), problem.examples.dim());
    let rows = (ENTRIES / dim.max(1)).clamp(8, 256);
    let blocks = RowBlocks::with_rows(problem.examples, rows);
    let share = ROWS.max(len.div_ceil(PARTS)).div_ceil(rows);
    let part = |part: usize| {
        let mine = part * share..((part + 1) * share).min(blocks.len());
        let mut sums = vec![vec![DoubleDouble::ZERO; dim + 2]; functions.len()];
        let (mut buffer, mut residuals) = (Vec::new(), Vec::new());
        for block in mine {
            blocks.fill(block, &mut buffer);
            let range = blocks.range(block);
            for ((weights, bias), (targets, sums)) in
                functions.iter().zip(problem.targets.iter().zip(&mut sums))
            {
                residuals.clear();
                residuals.extend(targets[range.clone()].iter().map(|&t| DoubleDouble::from(t) - *bias));
                subtract_products(&buffer, weights, &mut residuals);
                for (row, r) in range.clone().zip(&mut residuals) {
                    let weighted = problem.weights.map_or(*r, |weights| *r * weights.values()[row]);
                    sums[dim] = sums[dim] + weighted;
                    sums[dim + 1] = sums[dim + 1] + weighted * *r;
                    *r = weighted;
                }
                add_transposed_products(&buffer, &residuals, &mut sums[..dim]);
            }
        }
        sums
    };
    let count = blocks.len().div_ceil(share);
    let mut of: Vec<Vec<Vec<DoubleDouble>>> = functions.iter().map(|_| Vec::new()).collect();
    for wave in (0..count).step_by(WAVE) {
        if let Some(stop) = ended(meter).filter(|_| wave > 0) {
            return Err(stop);
        }
        for part in parallel::map(WAVE.min(count - wave), |at| part(wave + at)) {
            of.iter_mut().zip(part).for_each(|(of, sums)| of.push(sums));
        }
    }
    let finish = |parts| {
        let mut gradient = sum(parts, dim + 2);
        let squares = gradient.pop().unwrap_or_default();
        let total = gradient.pop().unwrap_or_default();
        Sweep { gradient, total, squares }
    };
    Ok(of.into_iter().map(finish).collect())
}
