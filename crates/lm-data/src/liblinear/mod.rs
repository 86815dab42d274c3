//! Model files of LIBLINEAR: read, used, converted and written.
//!
//! ```text
//! solver_type L2R_L2LOSS_SVC_DUAL
//! nr_class 2
//! label 1 -1                         for classifiers
//! nr_feature 2
//! bias 1                             a column that is always this, if not negative
//! rho 0.5                            for a one-class machine
//! w
//! 0.25                               one row for each column, and for the bias; one column for each function
//! -1
//! 0.125
//! ```
//! A [`Model`] is what such a file says, checked: [`read`] refuses, with line and byte, counts that do not add up, numbers that
//! are not finite and a file that ends too early or too late. What LIBLINEAR wrote is written back byte for byte.
//!
//! ```
//! use lm_core::Dense;
//! use lm_data::liblinear;
//!
//! let text = "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias 1\nw\n0.25 \n-1 \n0.125 \n";
//! let model = liblinear::read(text.as_bytes())?;
//! let points = Dense::new(vec![2.0, 1.0], 1, 2)?;
//! assert_eq!(model.decisions(&points)?.row(0)?, [-0.375]);
//! assert_eq!(model.predict(&points)?, [-1.0]);
//! let mut written = Vec::new();
//! liblinear::write(&mut written, &model)?;
//! assert_eq!(written, text.as_bytes());
//! # Ok::<(), lm_core::Error>(())
//! ```

mod model;
mod read;
mod write;

pub use model::{Model, Solver};
pub use read::{open, read};
pub use write::{save, write};
