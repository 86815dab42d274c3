//! The gap-weighted subsequence kernel: common subsequences, each worth less the further it is spread out.
//!
//! # Problem
//! ```text
//! K(s, t) = Σ_u Σ_{i: s[i]=u} Σ_{j: t[j]=u} λ^{l(i)+l(j)}
//! ```
//! over all sequences `u` of length `p` and all increasing index lists `i`, `j` at which `u` is read off `s` and `t`;
//! `l(i)` is the length of the stretch from the first to the last index, and `0 < λ ≤ 1`.
//! # Method
//! Let `K'_q(a, b)` be the sum over common subsequences of length `q` of the first `a` and `b` symbols, each weighted
//! by its stretch up to the *end* of both. Adding one symbol to `s` gives
//! ```text
//! K''_q(a, b) = λ K''_q(a, b−1) + [s_a = t_b] λ² K'_{q−1}(a−1, b−1)
//! K'_q(a, b)  = λ K'_q(a−1, b) + K''_q(a, b)
//! K           = Σ_{a, b: s_a = t_b} λ² K'_{p−1}(a−1, b−1) .
//! ```
//! Nothing is subtracted, so every value has a small relative error. Rows of all `q` are updated in place, longest
//! first.
//! # Cost
//! Time `O(p|s||t|)`, memory `O(p·min(|s|, |t|))`.
//! # Reference
//! Lodhi, Saunders, Shawe-Taylor, Cristianini & Watkins (2002), section 3.

use super::on_sequences;
use crate::{Error, Kernel, Result};

/// The gap-weighted subsequence kernel of length `p` with decay λ.
///
/// ```
/// use lm_core::kernel::algebra::Normalised;
/// use lm_core::kernel::sequence::GapWeighted;
/// use lm_core::Kernel;
///
/// let k = GapWeighted::new(2, 0.5)?;
/// assert_eq!(k.value("cat", "car"), 0.5_f64.powi(4)); // "ca" in both: λ⁴
/// assert_eq!(Normalised::new(k).value("cat", "car"), 1.0 / (2.0 + 0.25)); // 1/(2 + λ²)
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "(usize, f64)", into = "(usize, f64)"))]
pub struct GapWeighted {
    length: usize,
    decay: f64,
}

impl TryFrom<(usize, f64)> for GapWeighted {
    type Error = Error;

    fn try_from((length, decay): (usize, f64)) -> Result<Self> {
        Self::new(length, decay)
    }
}

impl From<GapWeighted> for (usize, f64) {
    fn from(kernel: GapWeighted) -> Self {
        (kernel.length, kernel.decay)
    }
}

impl GapWeighted {
    /// Subsequences of this length, weighted by `decay` to the power of their stretch.
    ///
    /// # Errors
    /// [`Error::Setting`] unless the length is at least 1 and `0 < decay ≤ 1`.
    pub fn new(length: usize, decay: f64) -> Result<Self> {
        if length == 0 {
            return Err(Error::Setting { name: "length", value: 0.0, accepted: "an integer of at least 1" });
        }
        if !(decay > 0.0 && decay <= 1.0) {
            let accepted = "a number above 0 and at most 1";
            return Err(Error::Setting { name: "decay", value: decay, accepted });
        }
        Ok(Self { length, decay })
    }

    fn of<T: Ord>(self, s: &[T], t: &[T]) -> f64 {
        // One order for every pair: the shorter one sets the memory, and both orders give the same bits.
        let (long, short) = if (s.len(), s) >= (t.len(), t) { (s, t) } else { (t, s) };
        if self.length > short.len() {
            return 0.0;
        }
        let (p, decay, width) = (self.length, self.decay, short.len() + 1);
        // K'_q(·, b) of the symbols of `long` seen so far; K'_0 is 1.
        let mut prefix = vec![0.0; p * width];
        prefix[..width].fill(1.0);
        let mut total = 0.0;
        for symbol in long {
            let last = &prefix[(p - 1) * width..];
            for (other, before) in short.iter().zip(last) {
                if other == symbol {
                    total += decay * decay * before;
                }
            }
            for q in (1..p).rev() {
                let (shorter, own) = prefix.split_at_mut(q * width);
                let (before, own) = (&shorter[(q - 1) * width..], &mut own[..width]);
                let mut run = 0.0;
                for b in 1..width {
                    run *= decay;
                    if short[b - 1] == *symbol {
                        run += decay * decay * before[b - 1];
                    }
                    own[b] = decay * own[b] + run;
                }
            }
        }
        total
    }
}

on_sequences!(GapWeighted);
