//! Dense matrices, their products and factorisations: checked wrappers around faer, the only place that calls it.
//!
//! What arrives is checked before it is handed on: shapes, because faer panics on wrong ones; finiteness, because NaN
//! makes some of its routines run a thousand times longer and others answer with NaN; size, because its singular value
//! decomposition does not converge where squares overflow. What comes back is checked too: a decomposition must multiply
//! to the matrix it is of. Where faer gives up, plain Jacobi rotations take over. Errors are ours, and no type of faer's
//! is in a public signature.
//!
//! faer is always called on one thread. Work is cut into parts whose shapes depend on the matrix only, and parts are
//! shared between threads here; so the same bits come out for any number of threads.
//!
//! ```
//! use lm_core::linalg::{Cholesky, Matrix};
//!
//! let a = Matrix::from_rows(&[4.0, 2.0, 2.0, 3.0], 2, 2)?;
//! let factor = Cholesky::factor(a)?.expect("positive definite");
//! let mut x = [8.0, 7.0];
//! factor.solve(&mut x)?;
//! assert_eq!(x, [1.25, 1.5]);
//! # Ok::<(), lm_core::Error>(())
//! ```

mod blocked;
mod cholesky;
mod condition;
mod eigen;
mod jacobi;
mod matrix;
mod products;
mod qr;
mod scatter;
mod single;
mod svd;

pub use cholesky::{Cholesky, Interruptible};
pub use eigen::SymmetricEigen;
pub use matrix::Matrix;
pub use products::{matrix_vector, product, product_transposed, transposed_product, transposed_vector};
pub use qr::Qr;
pub use scatter::{add_centred_scatter, add_scatter, mean_row};
pub use single::SingleCholesky;
pub use svd::Svd;

use crate::{Error, Result};

/// Checks that two sizes agree.
fn check_length(what: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) }
}

/// A power of two near `value`, so that multiplying by its inverse is exact; 1 for 0.
pub fn power_of_two(value: f64) -> f64 {
    if !(value > 0.0) {
        return 1.0;
    }
    if value < f64::MIN_POSITIVE {
        return f64::MIN_POSITIVE;
    }
    // Clearing the fraction leaves the largest power of two that is not above the value.
    f64::from_bits(value.to_bits() & (0x7ff << 52)).min(2.0_f64.powi(1000))
}
