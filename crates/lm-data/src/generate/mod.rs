//! Made-up data with known truth.
//!
//! Everything is drawn from a seed by ChaCha8. The random bits are the same on every machine; where a generator uses
//! a logarithm, a sine or a power, the last digit may follow the machine's mathematics library.
//!
//! | generator | what it makes | label |
//! |---|---|---|
//! | [`separable`] | two classes on either side of a hyperplane, with a margin and inside a ball | binary |
//! | [`gaussians`] | one normal cloud a class, any covariance | class |
//! | [`far_blob`] | two normal clouds, and a group of one class far behind it | binary |
//! | [`two_moons`], [`rings`], [`chess_board`], [`xor`], [`noisy_xor`] | plane shapes that no line separates | binary, class |
//! | [`irrelevant`] | a Boolean function of a few of many attributes | binary |
//! | [`sinc`] | a curve with noise | target |

mod boolean;
mod gaussian;
mod regression;
mod separable;
mod shapes;

pub use boolean::{Attributes, Irrelevant, IrrelevantSettings, Rule, irrelevant};
pub use gaussian::{Cloud, Spread, far_blob, gaussians};
pub use regression::{sinc, sinc_value};
pub use separable::{Separable, SeparableSettings, separable};
pub use shapes::{chess_board, noisy_xor, rings, two_moons, xor};

use lm_core::{BinaryLabels, Dense, Error, Result, Sign};

use crate::Labelled;
use crate::text::pipeline::reserved;

/// Examples of two classes.
type Binary = Labelled<Dense<'static>, BinaryLabels>;

/// Checks that a noise level, a standard deviation or the like is a finite number ≥ 0.
fn check_spread(name: &'static str, value: f64) -> Result<()> {
    if value >= 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(Error::Setting { name, value, accepted: "a finite number ≥ 0" })
}

fn check_at_least(name: &'static str, value: usize, least: usize, accepted: &'static str) -> Result<()> {
    if value >= least {
        return Ok(());
    }
    Err(Error::Setting { name, value: value as f64, accepted })
}

/// An empty array with room for `len` examples; an error, not an abort, if there is no memory for them.
fn room(len: usize, dim: usize) -> Result<Vec<f64>> {
    reserved(len.saturating_mul(dim))
}

/// Signs that alternate: as many of one side as of the other, up to one.
fn alternating(row: usize) -> Sign {
    if row.is_multiple_of(2) { Sign::Positive } else { Sign::Negative }
}

/// Points of the plane and their signs as a labelled set.
fn plane(points: &[[f64; 2]], signs: Vec<Sign>) -> Result<Binary> {
    Ok(Labelled { examples: Dense::from_rows(points)?, labels: BinaryLabels::new(signs)? })
}
