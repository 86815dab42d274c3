//! What a machine does about its bias.

use lm_core::{Collection, Columns, Gram, Precision, Result};

/// How the bias `b` of a machine is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Bias {
    /// It is chosen freely and costs nothing: the hyperplane may lie anywhere.
    #[default]
    Free,
    /// It is penalised like a weight, `½‖w‖² + ½b²`: as if every example had one more attribute that is always 1.
    Penalised,
    /// There is none: the hyperplane passes through the origin.
    None,
}

/// `K + 1`: the Gram matrix of examples with one more attribute that is always 1.
#[derive(Debug)]
pub(crate) struct WithConstant<'a, G: ?Sized>(pub(crate) &'a G);

impl<G: Gram + ?Sized> Collection for WithConstant<'_, G> {
    fn len(&self) -> usize {
        self.0.len()
    }
}

impl<G: Gram + ?Sized> Gram for WithConstant<'_, G> {
    fn diagonal_into(&self, out: &mut [f64]) -> Result<()> {
        self.0.diagonal_into(out)?;
        out.iter_mut().for_each(|value| *value += 1.0);
        Ok(())
    }

    fn fill(&self, rows: &[usize], columns: Columns<'_>, out: &mut [f64]) -> Result<()> {
        self.0.fill(rows, columns, out)?;
        out.iter_mut().for_each(|value| *value += 1.0);
        Ok(())
    }

    fn combine(
        &self,
        rows: &[usize],
        coefficients: &[f64],
        columns: Columns<'_>,
        precision: Precision,
        out: &mut [f64],
    ) -> Result<()> {
        self.0.combine(rows, coefficients, columns, precision, out)?;
        let constant: f64 = coefficients.iter().sum();
        out.iter_mut().for_each(|sum| *sum += constant);
        Ok(())
    }

    fn is_cheap(&self) -> bool {
        self.0.is_cheap()
    }

    fn error_bound(&self, precision: Precision) -> f64 {
        // One more rounding of a value that may have grown by 1.
        let largest =
            self.0.diagonal().map_or(f64::INFINITY, |d| d.iter().fold(0.0, |a: f64, b| a.max(b.abs())));
        let unit = if precision == Precision::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
        self.0.error_bound(precision) + (largest + 1.0) * unit
    }
}
