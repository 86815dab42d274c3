//! An estimate of the norm of an inverse from a few solutions.
//!
//! # Problem
//! `‖A⁻¹‖₁`, the largest sum of sizes of a column of the inverse, without the inverse.
//! # Method
//! The norm is the largest value of a convex function over the unit ball of the 1-norm, so a maximum is at a corner `±eⱼ`.
//! Walk from corner to corner along the steepest gradient while the value rises, from the mean of all; then try a
//! vector of alternating signs, which breaks the ties that hold the walk up.
//! # Cost
//! Two to five pairs of solutions with `A` and `Aᵗ`.
//! # Reference
//! Higham (1988), "FORTRAN codes for estimating the one-norm of a real or complex matrix", algorithm 4.1.

use crate::{Error, Result};

/// Steps from corner to corner; the walk almost always ends after two.
const STEPS: usize = 5;

/// A lower bound of `‖A⁻¹‖₁`, as a rule within a factor of 3; `solve` and `solve_transposed` replace a vector by `A⁻¹x`
/// and `A⁻ᵗx`.
///
/// # Errors
/// What the solutions give, and [`Error::Numerical`] if one is not finite.
pub(super) fn inverse_norm(
    n: usize,
    solve: impl Fn(&mut [f64]) -> Result<()>,
    solve_transposed: impl Fn(&mut [f64]) -> Result<()>,
) -> Result<f64> {
    let mut x = vec![1.0 / n as f64; n];
    let mut best = 0.0_f64;
    let mut last = usize::MAX;
    for _ in 0..STEPS {
        solve(&mut x)?;
        let value = one_norm(&x)?;
        if value <= best {
            break;
        }
        best = value;
        x.iter_mut().for_each(|x| *x = if *x < 0.0 { -1.0 } else { 1.0 });
        solve_transposed(&mut x)?;
        let steepest = (0..n).fold(0, |at, i| if x[i].abs() > x[at].abs() { i } else { at });
        if steepest == last {
            break;
        }
        last = steepest;
        x.fill(0.0);
        x[steepest] = 1.0;
    }
    let step = 1.0 / (n as f64 - 1.0).max(1.0);
    for (i, x) in x.iter_mut().enumerate() {
        let size = 1.0 + i as f64 * step;
        *x = if i % 2 == 0 { size } else { -size };
    }
    solve(&mut x)?;
    Ok(best.max(2.0 * one_norm(&x)? / (3.0 * n as f64)))
}

fn one_norm(x: &[f64]) -> Result<f64> {
    let norm: f64 = x.iter().map(|x| x.abs()).sum();
    if norm.is_finite() { Ok(norm) } else { Err(Error::Numerical { what: "the norm of an inverse" }) }
}
