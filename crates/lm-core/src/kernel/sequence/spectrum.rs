//! The p-spectrum kernel: how many contiguous pieces of length `p` two sequences share.
//!
//! # Problem
//! ```text
//! K(s, t) = Σ_u c_u(s) · c_u(t) ,   c_u(s) = how often the p-gram u occurs in s
//! ```
//! # Method
//! The starts of all p-grams of either sequence are sorted by the p-gram that begins there, and the two sorted lists
//! merged; equal runs of lengths `m` and `n` contribute `m·n`. Sums are integers, so the value is exact below 2⁵³.
//! The blended spectrum adds up the values of all lengths from 1 to `p`.
//! # Cost
//! `O(p·n log n)` for sequences of length `n`. For many sequences use [`SpectrumEmbedding`](super::SpectrumEmbedding).
//! # Reference
//! Leslie, Eskin & Noble (2002); Shawe-Taylor & Cristianini (2004), section 11.2.

use super::on_sequences;
use crate::{Error, Kernel, Result};

/// The spectrum kernel of pieces of length `p`, or of all lengths up to `p`.
///
/// ```
/// use lm_core::kernel::sequence::Spectrum;
/// use lm_core::Kernel;
///
/// let k = Spectrum::new(2)?;
/// assert_eq!(k.value("statistics", "computation"), 4.0); // "ta" and "at" once in both, "ti" twice and once
/// assert_eq!(k.value("aaa", "aa"), 2.0); // "aa" twice, and once
/// assert_eq!(Spectrum::blended(2)?.value(b"ab".as_slice(), b"ab"), 3.0); // "a", "b", "ab"
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "(usize, usize)", into = "(usize, usize)"))]
pub struct Spectrum {
    shortest: usize,
    longest: usize,
}

impl TryFrom<(usize, usize)> for Spectrum {
    type Error = Error;

    /// The shortest and the longest length of the pieces that are counted.
    fn try_from((shortest, longest): (usize, usize)) -> Result<Self> {
        if shortest >= 1 && longest >= shortest {
            Ok(Self { shortest, longest })
        } else {
            let value = if shortest >= 1 { longest } else { shortest };
            let accepted = "an integer of at least 1, and the longest not below the shortest";
            Err(Error::Setting { name: "p", value: value as f64, accepted })
        }
    }
}

impl From<Spectrum> for (usize, usize) {
    fn from(spectrum: Spectrum) -> Self {
        (spectrum.shortest, spectrum.longest)
    }
}

impl Spectrum {
    /// Pieces of exactly this length.
    ///
    /// # Errors
    /// [`Error::Setting`] for length 0.
    pub fn new(p: usize) -> Result<Self> {
        (p, p).try_into()
    }

    /// Pieces of every length from 1 to `p`.
    ///
    /// # Errors
    /// [`Error::Setting`] for length 0.
    pub fn blended(p: usize) -> Result<Self> {
        (1, p).try_into()
    }

    /// The lengths of the pieces that occur in a sequence of length `len`.
    pub(super) fn lengths(self, len: usize) -> std::ops::RangeInclusive<usize> {
        self.shortest..=self.longest.min(len)
    }

    /// The exact value.
    pub(super) fn of<T: Ord>(self, s: &[T], t: &[T]) -> f64 {
        let total: u128 = self.lengths(s.len().min(t.len())).map(|p| shared(s, t, p)).sum();
        total as f64
    }
}

on_sequences!(Spectrum);

/// The p-grams of a sequence, sorted.
pub(super) fn sorted_grams<T: Ord>(s: &[T], p: usize) -> Vec<&[T]> {
    let mut grams: Vec<&[T]> = s.windows(p).collect();
    grams.sort_unstable();
    grams
}

/// `Σ_u c_u(s)·c_u(t)` over the p-grams.
fn shared<T: Ord>(s: &[T], t: &[T], p: usize) -> u128 {
    let (s, t) = (sorted_grams(s, p), sorted_grams(t, p));
    let (mut s_runs, mut t_runs) =
        (s.chunk_by(|a, b| a == b).peekable(), t.chunk_by(|a, b| a == b).peekable());
    let mut total = 0;
    while let (Some(a), Some(b)) = (s_runs.peek(), t_runs.peek()) {
        match a[0].cmp(b[0]) {
            std::cmp::Ordering::Less => drop(s_runs.next()),
            std::cmp::Ordering::Greater => drop(t_runs.next()),
            std::cmp::Ordering::Equal => {
                total += a.len() as u128 * b.len() as u128;
                s_runs.next();
                t_runs.next();
            }
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_counted_as_products() {
        let s = [1, 2, 1, 2, 1];
        assert_eq!(shared(&s, &s, 2), 2 * 2 + 2 * 2);
        assert_eq!(shared(&s, &s, 3), 2 * 2 + 1);
        assert_eq!(shared(&s, &[2, 1], 2), 2);
        assert_eq!(shared(&s, &[3], 1), 0);
        assert_eq!(Spectrum::new(6).unwrap().of(&s, &s), 0.0);
        assert_eq!(Spectrum::new(1).unwrap().of::<u8>(&[], &[]), 0.0);
    }
}
