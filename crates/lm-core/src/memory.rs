//! Memory for matrices, asked for in a way that can be refused.

use crate::engine::pages::prefer_large;
use crate::{Error, Result};

/// Zeros for `rows × columns` values, or an error if they cannot be addressed or had.
pub(crate) fn zeros(what: &'static str, rows: usize, columns: usize) -> Result<Vec<f64>> {
    let limit = isize::MAX as usize / size_of::<f64>();
    let size = rows.checked_mul(columns).filter(|&size| size <= limit);
    let size = size.ok_or(Error::TooLarge { what, size: rows.max(columns), limit })?;
    // Asked for in a way that can be refused, then taken as pages of zeros that the system makes when they are touched:
    // by the threads that fill them, not by one that writes zeros first.
    let refused = Error::Allocation { what, needed: size * size_of::<f64>() };
    let mut probe = Vec::<f64>::new();
    probe.try_reserve_exact(size).map_err(|_| refused)?;
    drop(probe);
    let mut values = vec![0.0; size];
    prefer_large(&mut values);
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_had_is_refused_and_does_not_abort() {
        assert_eq!(zeros("it", 2, 3).unwrap(), [0.0; 6]);
        assert!(matches!(zeros("it", usize::MAX, 2), Err(Error::TooLarge { .. })));
        assert!(matches!(zeros("it", isize::MAX as usize / 8, 1), Err(Error::Allocation { .. })));
    }
}
