//! What the arguments of a bound may be, said in one way everywhere.

use lm_core::{Error, Result};

/// A finite number above 0.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<f64> {
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(Error::Setting { name, value, accepted: "a finite number > 0" })
}

/// A finite number, 0 or more.
pub(crate) fn at_least_zero(name: &'static str, value: f64) -> Result<f64> {
    if value >= 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(Error::Setting { name, value, accepted: "a finite number ≥ 0" })
}

/// A finite number.
pub(crate) fn finite(name: &'static str, value: f64) -> Result<f64> {
    if value.is_finite() {
        return Ok(value);
    }
    Err(Error::Setting { name, value, accepted: "a finite number" })
}

/// The probability δ with which a bound may fail.
pub(crate) fn confidence(delta: f64) -> Result<f64> {
    if delta > 0.0 && delta < 1.0 {
        return Ok(delta);
    }
    Err(Error::Setting { name: "delta", value: delta, accepted: "a number between 0 and 1, both excluded" })
}

/// A number of examples: at least one, and no more than a table of factorials is asked for.
pub(crate) fn examples(count: u64) -> Result<u64> {
    const MOST: u64 = 1 << 52;
    if (1..=MOST).contains(&count) {
        return Ok(count);
    }
    Err(Error::Setting { name: "examples", value: count as f64, accepted: "a whole number from 1 to 2^52" })
}

/// A count that is part of another one.
pub(crate) fn part(name: &'static str, count: u64, of: u64) -> Result<u64> {
    if count <= of {
        return Ok(count);
    }
    Err(Error::Setting { name, value: count as f64, accepted: "a whole number, at most the number of examples" })
}

/// Finite numbers, at least one.
pub(crate) fn all_finite(what: &'static str, values: &[f64]) -> Result<()> {
    if values.is_empty() {
        return Err(Error::Empty { what });
    }
    match values.iter().position(|value| !value.is_finite()) {
        Some(row) => Err(Error::NonFinite { what, row, column: None }),
        None => Ok(()),
    }
}
