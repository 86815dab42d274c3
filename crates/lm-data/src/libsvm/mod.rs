//! Model files of LIBSVM: read, used, converted and written.
//!
//! ```text
//! svm_type c_svc                     c_svc, nu_svc, one_class, epsilon_svr or nu_svr
//! kernel_type rbf                    linear, polynomial, rbf, sigmoid or precomputed
//! gamma 0.25                         and degree, coef0, where the kernel has them
//! nr_class 2
//! total_sv 2
//! rho 0.5                            one for each pair of classes
//! label 1 -1                         and probA, probB, prob_density_marks, nr_sv, where the machine has them
//! nr_sv 1 1
//! SV
//! 1 1:0.5 3:2                        k − 1 coefficients, then the support vector
//! -1 2:1
//! ```
//! A [`Model`] is what such a file says, checked: [`read`] refuses, with line and byte, counts that do not add up, numbers that
//! are not finite, indices out of order, parameters without meaning, and a file that ends too early or too late. It gives the
//! decision values that LIBSVM gives, up to rounding, and turns into the types of this workspace and back. What LIBSVM wrote
//! is written back byte for byte.
//!
//! ```
//! use lm_core::Dense;
//! use lm_data::libsvm;
//!
//! let text = "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0.5\nlabel 1 -1\nnr_sv 1 1\n\
//!             SV\n1 1:0.5 3:2 \n-1 2:1 \n";
//! let model = libsvm::read(text.as_bytes())?;
//! let points = Dense::new(vec![1.0, 0.0, 1.0], 1, 3)?;
//! assert_eq!(model.decisions(&points)?.row(0)?, [2.0]); // 0.5 + 2 − 0.5
//! assert_eq!(model.predict(&points)?, [1.0]);
//! let mut written = Vec::new();
//! libsvm::write(&mut written, &model)?;
//! assert_eq!(written, text.as_bytes());
//! # Ok::<(), lm_core::Error>(())
//! ```
//!
//! # Not accepted
//! Polynomial kernels with `coef0 < 0` or degree 0, `gamma 0`, and classifiers of one class: LIBSVM trains them, but no kernel
//! or classifier of this workspace is like that. `-0.0` and zero coefficients are kept for writing.
//!
//! # Memory
//! A decoder holds one block of text, eight bytes for each coefficient, sixteen more for each that is not 0, and twelve for
//! each entry of a support vector. Nothing is reserved for a count that a file claims.

mod convert;
mod model;
mod predict;
mod read;
mod write;

pub use model::{Kernel, Model, Task};
pub use read::{open, read};
pub use write::{save, write};
