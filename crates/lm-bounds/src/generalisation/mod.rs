//! What the error on new examples can be, from what was seen on the training set.
//!
//! Each bound holds with probability at least `1 − δ` over the choice of a training set of independent examples of one
//! distribution; its documentation states what else it assumes. All are rounded up; a value of 1 or more says nothing.
//!
//! | module | needs | reference |
//! |---|---|---|
//! | [`test_set`] | errors on examples that were held out | Clopper & Pearson; Hoeffding |
//! | [`compression`] | number of support vectors | Littlestone & Warmuth; Theorem 6.8 of the source |
//! | [`vc`] | dimension of the space, training errors | Vapnik & Chervonenkis |
//! | [`margin`] | radius, margin, 2-norm of the slacks | Shawe-Taylor, Bartlett, Williamson & Anthony |
//! | [`rademacher`] | margins, trace of the Gram matrix | Bartlett & Mendelson; Koltchinskii & Panchenko |
//! | [`pac_bayes`] | cosines of the angles to the examples | Langford & Shawe-Taylor; Seeger |
//!
//! Margin bounds hold for a margin that is fixed before the data are seen. Those called `observed` hold for the margin that came out:
//! they are stated for the margins `R·2⁻ⁱ` all together, the `i`-th with a share `1/((i + 1)(i + 2))` of `δ`.

pub mod compression;
pub mod margin;
pub mod pac_bayes;
pub mod rademacher;
pub mod test_set;
pub mod vc;

use crate::outward::Enclosed;

/// The share of `δ` that the `i`-th of all strata gets; the shares add up to 1.
fn share(delta: f64, stratum: u32) -> Enclosed {
    let i = f64::from(stratum);
    Enclosed::from(delta) / ((i + 1.0) * (i + 2.0))
}

/// `√(ln(c/δ)/(2ℓ))`.
fn deviation(c: f64, delta: Enclosed, examples: u64) -> Enclosed {
    ((Enclosed::from(c) / delta).ln() / Enclosed::count(examples).scaled(1)).sqrt()
}
