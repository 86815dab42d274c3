//! Evidence that a third party can check.

use std::fmt;

use crate::Result;

/// Evidence about a model, checked against data of type `D` by recomputing it from scratch, in another code path
/// than the solver's.
pub trait Certificate<D: ?Sized> {
    /// Recomputes what the certificate claims.
    ///
    /// # Errors
    /// An [`Error`](crate::Error) if the certificate and the data cannot belong together (other shapes), or if the
    /// arithmetic breaks down. A claim that is merely wrong is a [`Verdict::Invalid`].
    fn verify(&self, data: &D) -> Result<Verdict>;
}

/// Whether a certificate holds.
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use]
pub enum Verdict {
    /// Every claim was recomputed and holds.
    Valid,
    /// A claim does not hold.
    Invalid(Discrepancy),
}

impl Verdict {
    /// Whether every claim holds.
    pub fn is_valid(&self) -> bool {
        matches!(self, Self::Valid)
    }
}

/// A claim that does not hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Discrepancy {
    /// What was claimed.
    pub what: &'static str,
    /// The claimed number.
    pub claimed: f64,
    /// The number recomputed from the data.
    pub recomputed: f64,
    /// The row at which the claim fails, where it is a claim about rows.
    pub row: Option<usize>,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Valid => f.write_str("valid"),
            Self::Invalid(found) => {
                write!(
                    f,
                    "invalid: {} claimed {:e}, recomputed {:e}",
                    found.what, found.claimed, found.recomputed
                )?;
                found.row.map_or(Ok(()), |row| write!(f, " (row {row})"))
            }
        }
    }
}

/// The figures that prove a solution of a convex problem near-optimal, all computed in `f64` at the returned model.
///
/// The primal value bounds the optimum from above and the dual value from below, so their difference bounds how far
/// either is from optimal, whatever the solver did.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DualityFigures {
    /// The value of the primal (minimisation) problem at the model.
    pub primal: f64,
    /// The value of the dual (maximisation) problem at the multipliers.
    pub dual: f64,
    /// The largest violation of the optimality conditions.
    pub kkt: f64,
    /// The largest violation of a constraint by the multipliers.
    pub infeasibility: f64,
}

impl DualityFigures {
    /// `(primal − dual) / max(|primal|, |dual|)`: the share by which the model may still be off. It is 0 where both
    /// values are equal, and means the same at every scale of the data.
    pub fn relative_gap(&self) -> f64 {
        let gap = self.primal - self.dual;
        if gap == 0.0 { 0.0 } else { gap / self.primal.abs().max(self.dual.abs()) }
    }
}
