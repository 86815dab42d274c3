//! Several expansions on one set: every kernel value is computed once for all of them.
//!
//! The machines of one-against-one share most of their support vectors: an example of a class may support every pair that
//! its class is in. Their union is packed, and a tile of kernel values serves all functions.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::{VectorExpansion, check_finite};
use crate::engine::{Coefficients, Engine};
use crate::gram::Precision;
use crate::{Collection, Examples, Result, Row, Selection};

/// Members of the set whose values are handed out together.
const BLOCK: usize = 1024;

/// Fewer members than this are not worth the packing of a union.
const WORTH_PACKING: usize = 16;

/// The decision values of several expansions; false where one after the other is cheaper or they have nothing in common.
pub(super) fn decisions<E: Examples + ?Sized>(
    models: &[VectorExpansion],
    set: &E,
    take: &mut dyn FnMut(usize, &[f64]),
) -> Result<bool> {
    let Some(first) = models.first() else { return Ok(false) };
    let dim = first.support().as_examples().dim();
    let alike = |model: &VectorExpansion| {
        model.kernel() == first.kernel() && model.support().as_examples().dim() == dim
    };
    if models.len() < 2 || set.len() < WORTH_PACKING || !models.iter().all(alike) {
        return Ok(false);
    }
    let (union, parts) = Union::of(models);
    if union.is_empty() {
        return Ok(false);
    }
    set.check_dim("a support vector", dim)?;
    let engine = Engine::for_expansion(&union, first.kernel());
    let coefficients = Coefficients::several(models.len(), &parts)?;
    let biases: Vec<f64> = models.iter().map(VectorExpansion::bias).collect();
    for start in (0..set.len()).step_by(BLOCK) {
        let rows: Vec<usize> = (start..set.len().min(start + BLOCK)).collect();
        let mut values = biases.repeat(rows.len());
        engine.expand(&union, &Selection::new(set, &rows)?, &coefficients, Precision::F64, &mut values)?;
        check_finite(&values)?;
        take(start, &values);
    }
    Ok(true)
}

/// The support vectors of several expansions, each once.
struct Union<'a> {
    rows: Vec<Row<'a>>,
    dim: usize,
}

impl<'a> Union<'a> {
    /// The union, and the part that each of its vectors has in each function.
    fn of(models: &'a [VectorExpansion]) -> (Self, Vec<Vec<(usize, f64)>>) {
        let dim = models.first().map_or(0, |model| model.support().as_examples().dim());
        let (mut rows, mut parts): (Vec<Row<'a>>, Vec<Vec<(usize, f64)>>) = (Vec::new(), Vec::new());
        let mut known: HashMap<u64, Vec<usize>> = HashMap::new();
        for (function, model) in models.iter().enumerate() {
            let support = model.support().as_examples();
            for (j, &coefficient) in model.coefficients().iter().enumerate() {
                let row = support.row(j);
                let same = known.entry(hash(&row)).or_default();
                let place = match same.iter().find(|&&place| rows[place] == row) {
                    Some(&place) => place,
                    None => {
                        same.push(rows.len());
                        rows.push(row);
                        parts.push(Vec::new());
                        rows.len() - 1
                    }
                };
                parts[place].push((function, coefficient));
            }
        }
        (Self { rows, dim }, parts)
    }
}

/// Equal rows have equal hashes.
fn hash(row: &Row<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    row.for_each(|k, value| {
        // +0 and −0 are equal.
        (k, (value + 0.0).to_bits()).hash(&mut hasher);
    });
    hasher.finish()
}

impl Collection for Union<'_> {
    fn len(&self) -> usize {
        self.rows.len()
    }
}

impl Examples for Union<'_> {
    fn dim(&self) -> usize {
        self.dim
    }

    fn row(&self, row: usize) -> Row<'_> {
        self.rows[row]
    }
}
