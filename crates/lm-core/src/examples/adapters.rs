//! Examples borrowed from matrices of other libraries, without a copy.

#[cfg(feature = "ndarray")]
mod from_ndarray {
    use crate::{Dense, Element, Error, Result};

    impl<'a, T: Element> TryFrom<ndarray::ArrayView2<'a, T>> for Dense<'a, T> {
        type Error = Error;

        /// Borrows an ndarray view in standard (row-major) layout, whose rows are the examples.
        fn try_from(view: ndarray::ArrayView2<'a, T>) -> Result<Self> {
            let (len, dim) = view.dim();
            let slice =
                view.to_slice().ok_or(Error::Layout { accepted: "an ndarray view in standard layout" })?;
            Dense::borrowed(slice, len, dim)
        }
    }
}
