//! SplitMix64: a random generator of a few lines, for tests that need no library.
//!
//! # Reference
//! Steele, Lea & Flood (2014), *Fast splittable pseudorandom number generators*, with the constants of its Figure 14.

/// A seeded generator: the same seed gives the same numbers everywhere. Good enough for test data, for nothing else.
///
/// ```
/// use lm_core::testing::SplitMix64;
///
/// let mut random = SplitMix64::new(7);
/// let x = random.uniform(-1.0, 1.0);
/// assert!((-1.0..1.0).contains(&x));
/// assert_eq!(SplitMix64::new(7).uniform(-1.0, 1.0), x);
/// ```
#[derive(Debug, Clone)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// A generator that starts at this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number in `[low, high)`, from 53 random bits.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        low + (high - low) * unit
    }

    /// A number below `bound`, or 0 if the bound is 0. The bias is below 2⁻³² for bounds below 2³².
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// Puts a list into a random order.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_of_seed_1234567_are_the_published_ones() {
        let mut random = SplitMix64::new(1_234_567);
        assert_eq!(random.next_u64(), 6_457_827_717_110_365_317);
        assert_eq!(random.next_u64(), 3_203_168_211_198_807_973);
        assert_eq!(random.next_u64(), 9_817_491_932_198_370_423);
    }

    #[test]
    fn every_order_and_every_number_occurs() {
        let mut random = SplitMix64::new(0);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..200 {
            let mut list = [0, 1, 2];
            random.shuffle(&mut list);
            seen.insert(list);
        }
        assert_eq!(seen.len(), 6);
        assert_eq!(random.below(0), 0);
    }
}
