//! Examples whose squares would leave the range of numbers, brought back into it.

use lm_core::{Dense, Error, Examples, Linear, Result};

/// The exponent of two beyond which the size of a column is too large, or below whose negative it is too small, for sums of
/// products.
const EXPONENT: i32 = 300;

/// A copy of examples with every column times a power of two, so that its largest value is about 1, or at least of
/// moderate size.
pub(crate) struct InRange {
    pub(crate) examples: Dense<'static>,
    pub(crate) scale: Vec<f64>,
}

impl InRange {
    /// The copy; `None` if the examples can be used as they are.
    pub(crate) fn of<E: Examples + ?Sized>(examples: &E) -> Result<Option<Self>> {
        let mut largest = vec![0.0_f64; examples.dim()];
        for row in 0..examples.len() {
            let mut broken = None;
            examples.row(row).for_each(|k, x| {
                if !x.is_finite() {
                    broken = broken.or(Some(k));
                }
                largest[k] = largest[k].max(x.abs());
            });
            if broken.is_some() {
                return Err(Error::NonFinite { what: "example", row, column: broken });
            }
        }
        let exponent = |size: &f64| if *size == 0.0 { 0 } else { size.log2().floor() as i32 };
        if largest.iter().all(|size| exponent(size).abs() <= EXPONENT) {
            return Ok(None);
        }
        // Clamped, so that the power of two is a number; what is below 2⁻¹⁰²² is 2⁻⁵² or more then.
        let scale: Vec<f64> =
            largest.iter().map(|size| 2.0_f64.powi((-exponent(size)).clamp(-1022, 1022))).collect();
        let (len, dim) = (examples.len(), examples.dim());
        let refused =
            Error::TooLarge { what: "a copy of the examples", size: len, limit: isize::MAX as usize };
        let size = len.checked_mul(dim).ok_or(refused)?;
        let mut values = Vec::new();
        let needed = size.saturating_mul(size_of::<f64>());
        values
            .try_reserve_exact(size)
            .map_err(|_| Error::Allocation { what: "a copy of the examples", needed })?;
        values.resize(size, 0.0);
        for (row, out) in values.chunks_exact_mut(dim.max(1)).enumerate() {
            examples.row(row).for_each(|k, x| out[k] = x * scale[k]);
        }
        Ok(Some(Self { examples: Dense::new(values, len, dim)?, scale }))
    }

    /// The function of the examples as they were that has the values of a function of the copy.
    pub(crate) fn restored(&self, function: &Linear) -> Result<Linear> {
        let weights = function.weights().iter().zip(&self.scale).map(|(w, s)| w * s).collect();
        Linear::new(weights, function.bias())
    }

    /// The weights of a function of the copy that has the values of one of the examples as they were.
    pub(crate) fn carried(&self, weights: &[f64]) -> Vec<f64> {
        weights.iter().zip(&self.scale).map(|(w, s)| w / s).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_out_of_range_is_copied_and_scaling_is_exact() {
        let usual = Dense::new(vec![1e60, 0.0, -1e-60, 0.0], 2, 2).unwrap();
        assert!(InRange::of(&usual).unwrap().is_none());
        for extreme in [1e300, 1e-300, 5e-324] {
            let examples = Dense::new(vec![extreme, 3.0, 0.0, 7.0], 2, 2).unwrap();
            let copy = InRange::of(&examples).unwrap().unwrap();
            assert!((1e-16..2.0).contains(&copy.examples.slice(0)[0]), "{extreme:e}");
            assert_eq!(copy.examples.slice(0)[0] / copy.scale[0], extreme);
            assert_eq!(copy.examples.slice(1)[1] / copy.scale[1], 7.0);
        }
    }
}
