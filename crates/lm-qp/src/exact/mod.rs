//! Arithmetic that rounds nothing: integers and fractions of any size, and linear systems over them.
//!
//! Every finite `f64` is a fraction with a power of two below, and every decimal one with a power of ten. A claim about
//! stored or written numbers can therefore be proved about exactly these numbers, and checked by anybody who can multiply
//! and add integers.
//!
//! ```
//! use lm_qp::exact::Rational;
//!
//! let tenth = Rational::from_decimal("0.1")?;
//! assert_eq!(&tenth + &Rational::from_decimal("0.2")?, Rational::from_decimal("0.3")?);
//! // The stored 0.1 is another number.
//! let stored = Rational::from_f64(0.1)?;
//! assert!(stored > tenth);
//! assert_eq!(stored.to_string(), "3602879701896397/36028797018963968");
//! # Ok::<(), lm_core::Error>(())
//! ```

mod examples;
mod integer;
mod inverse;
mod natural;
mod rational;

pub use examples::ExactExamples;
pub use integer::Integer;
pub use rational::Rational;

pub(crate) use inverse::{IntegerInverse, Pivoted};
