//! The dual of margin machines, written out as the sources print it: what the entries compare the library with.

use lm_core::{BinaryLabels, Budget, DualExpansion, Gram, MatrixGram, Result};

use super::vectors::dot;

/// Kernel values and labels, from which everything else follows.
pub(crate) struct DualByHand {
    gram: MatrixGram<'static>,
    /// The labels as ±1.
    pub(crate) y: Vec<f64>,
}

impl DualByHand {
    /// Computes all kernel values.
    pub(crate) fn new<G: Gram + ?Sized>(gram: &G, labels: &BinaryLabels) -> Result<Self> {
        let values = MatrixGram::computed(gram, &Budget::default())?.into_values();
        Ok(Self { gram: MatrixGram::precomputed(values, labels.signs().len())?, y: labels.values() })
    }

    /// The multipliers of a machine: the sizes of its coefficients, 0 where it has none.
    pub(crate) fn multipliers(&self, machine: &DualExpansion) -> Vec<f64> {
        let mut alpha = vec![0.0; self.y.len()];
        machine.rows().iter().zip(machine.coefficients()).for_each(|(&row, c)| alpha[row] = c.abs());
        alpha
    }

    /// `⟨w·φ(xᵢ)⟩ = Σⱼ αⱼyⱼKⱼᵢ` for every example.
    pub(crate) fn outputs(&self, alpha: &[f64]) -> Vec<f64> {
        let signed: Vec<f64> = alpha.iter().zip(&self.y).map(|(a, y)| a * y).collect();
        (0..self.y.len()).map(|i| dot(self.gram.row(i), &signed)).collect()
    }

    /// `‖w‖² = ΣᵢΣⱼ αᵢαⱼyᵢyⱼKᵢⱼ`.
    pub(crate) fn norm_squared(&self, alpha: &[f64]) -> f64 {
        self.outputs(alpha).iter().zip(alpha).zip(&self.y).map(|((f, a), y)| f * a * y).sum()
    }

    /// `W(α) = Σαᵢ − ½ ΣᵢΣⱼ αᵢαⱼyᵢyⱼKᵢⱼ`.
    pub(crate) fn value(&self, alpha: &[f64]) -> f64 {
        alpha.iter().sum::<f64>() - 0.5 * self.norm_squared(alpha)
    }

    /// `yᵢ(⟨w·φ(xᵢ)⟩ + b)` for every example.
    pub(crate) fn margins(&self, alpha: &[f64], b: f64) -> Vec<f64> {
        self.outputs(alpha).iter().zip(&self.y).map(|(f, y)| y * (f + b)).collect()
    }

    /// `b*` of source C, remark 6.4: minus half of the sum of `max over −1` and `min over +1` of `⟨w·φ(xᵢ)⟩`.
    pub(crate) fn bias_halfway(&self, alpha: &[f64]) -> f64 {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for (f, y) in self.outputs(alpha).into_iter().zip(&self.y) {
            if *y > 0.0 {
                low = low.min(f);
            } else {
                high = high.max(f);
            }
        }
        -0.5 * (low + high)
    }

    /// The largest `K(x, x)`.
    pub(crate) fn largest(&self) -> f64 {
        (0..self.y.len()).map(|i| self.gram.row(i)[i]).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_points_by_hand() {
        // x = 0 and x = 2, labels −1 and +1: α = ½ each, w = 1, b = −1, W = ½.
        let gram = MatrixGram::precomputed(vec![0.0, 0.0, 0.0, 4.0], 2).unwrap();
        let labels = BinaryLabels::from_integers(&[-1, 1]).unwrap();
        let dual = DualByHand::new(&gram, &labels).unwrap();
        let alpha = [0.5, 0.5];
        assert_eq!(dual.outputs(&alpha), [0.0, 2.0]);
        assert_eq!((dual.norm_squared(&alpha), dual.value(&alpha)), (1.0, 0.5));
        assert_eq!((dual.bias_halfway(&alpha), dual.margins(&alpha, -1.0)), (-1.0, vec![1.0, 1.0]));
        assert_eq!(dual.largest(), 4.0);
    }
}
