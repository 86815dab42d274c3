//! Monomials: products of attributes, each attribute as often as one likes.
//!
//! # Problem
//! List, count and evaluate the terms of the general polynomial of order `m` in `n` variables,
//! ```text
//! g(x) = Σ w_{i₁…iₘ} xᵢ₁⋯xᵢₘ + (terms of lower order) ,   i₁ ≤ i₂ ≤ … ≤ iₘ .
//! ```
//! # Method
//! Terms of one degree are the non-decreasing lists of that many variables, in lexicographic order. Each is one
//! product of the term that it extends by its last variable.
//! # Cost
//! `C(n+m−1, m)` terms of degree `m`, `C(n+m, m)` of degree up to `m`; one multiplication a term.
//! # Reference
//! Duda, Hart & Stork (2001), section 5.3.

use super::FeatureMap;
use crate::{Error, Result};

/// A list of monomials in `n` variables, used as a feature map.
///
/// ```
/// use lm_core::basis::{FeatureMap, Monomials};
///
/// let quadratic = Monomials::up_to(2, 2)?; // x₁², x₁x₂, x₂², x₁, x₂, 1
/// assert_eq!(quadratic.map(&[3.0, 5.0])?, [9.0, 15.0, 25.0, 3.0, 5.0, 1.0]);
/// assert_eq!(Monomials::up_to(10, 2)?.dim_out(), 66); // (n+1)(n+2)/2
/// assert_eq!(Monomials::of_degrees(3, &[3, 1])?.dim_out(), 13); // cubic and linear terms in three variables
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Monomials {
    variables: usize,
    /// The variables of all terms, one term after the other.
    factors: Vec<u32>,
    /// Where each term ends in `factors`.
    ends: Vec<usize>,
}

/// Terms list their factors one by one, so a degree is also a length.
const LARGEST_DEGREE: u32 = 1 << 20;

impl Monomials {
    /// All monomials of degree `degree` down to 0: the terms of the general polynomial, highest order first, the
    /// constant last.
    ///
    /// # Errors
    /// As [`Monomials::of_degrees`].
    pub fn up_to(variables: usize, degree: u32) -> Result<Self> {
        // Checked before the list of degrees is made, which may itself be too long.
        let count = monomials_up_to(variables, degree);
        check_count(count, degree)?;
        Self::of_degrees(variables, &(0..=degree).rev().collect::<Vec<u32>>())
    }

    /// All monomials of exactly this degree.
    ///
    /// # Errors
    /// As [`Monomials::of_degrees`].
    pub fn exactly(variables: usize, degree: u32) -> Result<Self> {
        Self::of_degrees(variables, &[degree])
    }

    /// All monomials of these degrees, one degree after the other in the order given.
    ///
    /// # Errors
    /// [`Error::Empty`] without variables or degrees, [`Error::TooLarge`] for a degree above 2²⁰ or, as
    /// [`Error::Memory`], for too many terms to list.
    pub fn of_degrees(variables: usize, degrees: &[u32]) -> Result<Self> {
        if variables == 0 {
            return Err(Error::Empty { what: "the set of variables" });
        }
        if degrees.is_empty() {
            return Err(Error::Empty { what: "the list of degrees" });
        }
        if let Some(&degree) = degrees.iter().find(|&&degree| degree > LARGEST_DEGREE) {
            let (what, size, limit) = ("the degree of a monomial", degree as usize, LARGEST_DEGREE as usize);
            return Err(Error::TooLarge { what, size, limit });
        }
        let (mut terms, mut length) = (0_usize, 0_usize);
        for &degree in degrees {
            let (count, factors) = check_count(monomials_of(variables, degree), degree)?;
            terms = terms.checked_add(count).ok_or_else(|| too_many(count))?;
            length = length.checked_add(factors).ok_or_else(|| too_many(count))?;
        }
        let (mut factors, mut ends) = (Vec::new(), Vec::new());
        let refused = Error::Allocation {
            what: "the list of monomials",
            needed: terms.saturating_mul(8).saturating_add(length.saturating_mul(4)),
        };
        factors.try_reserve_exact(length).map_err(|_| refused)?;
        ends.try_reserve_exact(terms).map_err(|_| refused)?;
        let mut list = Self { variables, factors, ends };
        degrees.iter().try_for_each(|&degree| list.append(degree))?;
        Ok(list)
    }

    /// Appends the non-decreasing lists of `degree` variables.
    fn append(&mut self, degree: u32) -> Result<()> {
        let last = u32::try_from(self.variables - 1).map_err(|_| too_many(self.variables))?;
        let mut term = vec![0_u32; degree as usize];
        loop {
            self.factors.extend_from_slice(&term);
            self.ends.push(self.factors.len());
            // The rightmost variable that can be raised is raised, and those after it start from there.
            let Some(place) = term.iter().rposition(|&variable| variable < last) else {
                return Ok(());
            };
            let next = term[place] + 1;
            term[place..].fill(next);
        }
    }

    /// The number of terms.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Always false: a list without terms cannot be made.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The variables whose product the term is, each as often as it occurs, in increasing order; counted from 0. The
    /// constant has none.
    pub fn term(&self, index: usize) -> Option<&[u32]> {
        let end = *self.ends.get(index)?;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        Some(&self.factors[start..end])
    }

    /// All terms, in order.
    pub fn terms(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.factors[start..end])
    }
}

impl FeatureMap for Monomials {
    fn dim_in(&self) -> usize {
        self.variables
    }

    fn dim_out(&self) -> usize {
        self.len()
    }

    fn map_into(&self, x: &[f64], out: &mut [f64]) {
        for (out, term) in out.iter_mut().zip(self.terms()) {
            *out = term.iter().map(|&variable| x[variable as usize]).product();
        }
    }
}

/// The number of terms and of their factors, if a list can hold them.
fn check_count(count: Option<u128>, degree: u32) -> Result<(usize, usize)> {
    let limit = isize::MAX as usize / size_of::<u64>();
    let terms = count.and_then(|count| usize::try_from(count).ok()).filter(|&count| count <= limit);
    let factors = terms.and_then(|terms| terms.checked_mul(degree as usize)).filter(|&count| count <= limit);
    match (terms, factors) {
        (Some(terms), Some(factors)) => Ok((terms, factors)),
        _ => Err(too_many(terms.unwrap_or(usize::MAX))),
    }
}

fn too_many(size: usize) -> Error {
    Error::TooLarge { what: "the list of monomials", size, limit: isize::MAX as usize / size_of::<u64>() }
}

/// The number of monomials of exactly this degree, `C(n+d−1, d)`; `None` beyond the range of `u128`.
///
/// ```
/// // The space of (x·z)⁴ on images of 16 × 16 pixels.
/// assert_eq!(lm_core::basis::monomials_of(256, 4), Some(183_181_376));
/// ```
pub fn monomials_of(variables: usize, degree: u32) -> Option<u128> {
    match (variables, degree) {
        (_, 0) => Some(1),
        (0, _) => Some(0),
        _ => binomial((variables as u128 - 1).checked_add(u128::from(degree))?, u128::from(degree)),
    }
}

/// The number of monomials of degree 0 to `degree`, `C(n+d, d)`; `None` beyond the range of `u128`.
pub fn monomials_up_to(variables: usize, degree: u32) -> Option<u128> {
    binomial(variables as u128 + u128::from(degree), u128::from(degree))
}

/// The binomial coefficient `C(n, k)`, exactly; `None` beyond the range of `u128`.
///
/// ```
/// assert_eq!(lm_core::basis::binomial(12, 2), Some(66));
/// assert_eq!(lm_core::basis::binomial(2, 3), Some(0));
/// assert_eq!(lm_core::basis::binomial(1000, 500), None);
/// ```
pub fn binomial(n: u128, k: u128) -> Option<u128> {
    if k > n {
        return Some(0);
    }
    let k = k.min(n - k);
    let mut result = 1_u128;
    let mut i = 1;
    while i <= k {
        // C(n, i) = C(n, i−1)·(n−i+1)/i, cancelled before it is multiplied, so that only the result can overflow.
        let common = gcd(result, i);
        let (reduced, divisor) = (result / common, i / common);
        result = reduced.checked_mul((n - i + 1) / divisor)?;
        i += 1;
    }
    Some(result)
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
