//! Examples borrowed from matrices of other libraries, without a copy.
//!
//! The rows of a matrix are the examples. They may lie any distance apart, in either direction, but each must be
//! contiguous: learners read rows. A matrix that lies otherwise is refused with [`Error::Layout`](crate::Error::Layout),
//! and can be copied.

#[cfg(feature = "faer")]
mod faer;
#[cfg(feature = "ndarray")]
mod ndarray;

#[cfg(feature = "faer")]
pub use self::faer::FaerRows;
#[cfg(feature = "ndarray")]
pub use self::ndarray::NdarrayRows;

#[cfg(any(feature = "faer", feature = "ndarray"))]
mod shared {
    use crate::examples::element::first_non_finite;
    use crate::{Element, Error, Result};

    /// Checks the shape of a matrix and every row of it.
    pub(super) fn check<'a, T: Element>(
        len: usize,
        dim: usize,
        row: impl Fn(usize) -> Option<&'a [T]>,
        accepted: &'static str,
    ) -> Result<()> {
        if len == 0 {
            return Err(Error::Empty { what: "the set of examples" });
        }
        if dim == 0 {
            return Err(Error::Empty { what: "the set of columns" });
        }
        for index in 0..len {
            let values = row(index).ok_or(Error::Layout { accepted })?;
            if let Some(column) = first_non_finite(values) {
                return Err(Error::NonFinite { what: "example", row: index, column: Some(column) });
            }
        }
        Ok(())
    }
}
