//! Memory for weights, asked for in a way that can be refused.

use lm_core::{Error, Result};

/// As many zeros, or an error if there is no memory for them.
pub(crate) fn zeros(what: &'static str, len: usize) -> Result<Vec<f64>> {
    let refused = Error::Allocation { what, needed: len.saturating_mul(size_of::<f64>()) };
    let mut values = Vec::new();
    values.try_reserve_exact(len).map_err(|_| refused)?;
    values.resize(len, 0.0);
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_had_is_refused_and_does_not_abort() {
        assert_eq!(zeros("it", 2).unwrap(), [0.0; 2]);
        for len in [usize::MAX, isize::MAX as usize / 8] {
            assert!(matches!(zeros("it", len), Err(Error::Allocation { what: "it", .. })));
        }
    }
}
