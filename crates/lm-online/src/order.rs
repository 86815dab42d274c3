//! The order in which a pass visits the examples.

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;

/// The order in which each pass visits the examples: it is part of what an error-correcting procedure computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Order {
    /// As they are given, in every pass.
    #[default]
    Given,
    /// A new random order in every pass, all of them fixed by the seed.
    Shuffled {
        /// Where the random numbers begin.
        seed: u64,
    },
}

/// The orders of one run, pass after pass.
#[derive(Debug)]
pub(crate) struct Orders {
    kind: Order,
    rows: Vec<u32>,
}

impl Orders {
    /// The orders over `len` examples, of which there are fewer than 2³².
    pub(crate) fn new(kind: Order, len: usize) -> Self {
        let rows = if kind == Order::Given { Vec::new() } else { (0..len as u32).collect() };
        Self { kind, rows }
    }

    /// The order of pass `pass`, counted from 0; none where it is that of the examples. It depends on the seed and the
    /// number of the pass only, so that a replay can start anywhere.
    pub(crate) fn of_pass(&mut self, pass: u64) -> Option<&[u32]> {
        let Order::Shuffled { seed } = self.kind else { return None };
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(pass);
        (0..).zip(&mut self.rows).for_each(|(row, place)| *place = row);
        self.rows.shuffle(&mut random);
        Some(&self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pass_visits_every_example_once() {
        let mut orders = Orders::new(Order::Shuffled { seed: 5 }, 100);
        let first = orders.of_pass(0).unwrap().to_vec();
        let second = orders.of_pass(1).unwrap().to_vec();
        assert_ne!(first, second);
        assert_eq!(first, orders.of_pass(0).unwrap());
        for mut order in [first, second] {
            order.sort_unstable();
            assert!(order.iter().copied().eq(0..100));
        }
        assert!(Orders::new(Order::Given, 100).of_pass(0).is_none());
    }
}
