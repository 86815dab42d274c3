//! What tests of shared rows count with.

use std::sync::atomic::{AtomicU64, Ordering};

use lm_core::{Collection, Columns, Gram, Precision, Result};

/// A Gram matrix that counts the values that it computes.
pub(crate) struct Counting<'a, G>(pub(crate) &'a G, pub(crate) AtomicU64);

impl<G: Gram> Collection for Counting<'_, G> {
    fn len(&self) -> usize {
        self.0.len()
    }
}

impl<G: Gram> Gram for Counting<'_, G> {
    fn diagonal_into(&self, out: &mut [f64]) -> Result<()> {
        self.0.diagonal_into(out)
    }

    fn fill(&self, rows: &[usize], columns: Columns<'_>, out: &mut [f64]) -> Result<()> {
        self.1.fetch_add(out.len() as u64, Ordering::Relaxed);
        self.0.fill(rows, columns, out)
    }

    fn error_bound(&self, precision: Precision) -> f64 {
        self.0.error_bound(precision)
    }
}
