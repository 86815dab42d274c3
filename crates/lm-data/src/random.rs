//! Random numbers from a seed, by one named generator.
//!
//! Every draw is made from the 64-bit output of ChaCha8 by the rules in this file, so a seed gives the same bits on
//! every machine and with every later version. Normal numbers use the ziggurat of `rand_distr`.

use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};
use rand_distr::{Distribution, StandardNormal};

/// A stream of random numbers.
pub(crate) struct Random(ChaCha8Rng);

impl Random {
    /// The stream of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Uniform in [0, 1), a multiple of 2⁻⁵³.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform in [low, high).
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Uniform in 0 … n − 1, up to a bias of n / 2⁶⁴; 0 for n = 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.0.next_u64()) * n as u128) >> 64) as usize
    }

    /// Normal with mean 0 and variance 1.
    pub(crate) fn normal(&mut self) -> f64 {
        StandardNormal.sample(&mut self.0)
    }

    /// Puts a slice into a uniformly random order (Fisher and Yates).
    pub(crate) fn shuffle<T>(&mut self, values: &mut [T]) {
        for last in (1..values.len()).rev() {
            values.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_for_ever() {
        let mut random = Random::new(7);
        let drawn = (random.below(1_000_000), random.below(1_000_000), (random.unit() * 1e6) as u64);
        let mut order: Vec<usize> = (0..6).collect();
        random.shuffle(&mut order);
        insta::assert_debug_snapshot!((drawn, order));
    }
}
