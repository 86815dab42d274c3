//! Passes over the variables of a dual problem: what it costs to move each of them, and which pair gains most.
//!
//! A solver that moves pairs of variables spends its time in two loops over all of them: one that corrects the gradient and
//! finds the cheapest variable to move up and the dearest to move down, one that finds the best partner. Both are here, in
//! single precision and on vectors. Rooms are written as what is added to the gradient, infinite where a variable cannot
//! move, so that the loops have no branch.

use super::simd::{Floats, Instructions, Simd, Task};
use crate::{Error, Result};

/// Variables whose extremes are found together; the place is looked for in the winning block only.
const BLOCK: usize = 256;

/// The gradient of each variable in single precision, and what moving it up or down costs beyond that.
///
/// ```
/// use lm_core::Prices;
///
/// // Three variables at 0 that can only grow, and a row of the Gram matrix.
/// let mut prices = Prices::new(vec![-1.0, 1.0, -3.0], vec![1.0; 3])?;
/// prices.set_room(0, Some(0.0), None);
/// prices.set_room(1, Some(0.0), Some(0.0));
/// prices.set_room(2, Some(0.0), None);
/// let extremes = prices.extremes();
/// assert_eq!((extremes.cheapest, extremes.up, extremes.down), (Some(2), -3.0, 1.0));
/// assert_eq!(prices.partner(-3.0, 1.0, &[0.0, 0.5, 1.0], 1e-6), Some(1));
///
/// let extremes = prices.shift(2.0, &[0.0, 0.5, 1.0], &[0.5, 1.0, 0.5]);
/// assert_eq!((extremes.cheapest, extremes.up, extremes.down), (Some(0), -2.0, 0.0));
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Prices {
    instructions: Instructions,
    gradient: Vec<f32>,
    up: Vec<f32>,
    down: Vec<f32>,
    curvature: Vec<f32>,
    /// The extremes of each block, one for each lane.
    lows: Vec<f32>,
    highs: Vec<f32>,
}

/// The ends of the prices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extremes {
    /// The variable that is cheapest to move up, the first of several; none if none can be moved up.
    pub cheapest: Option<usize>,
    /// Its price.
    pub up: f32,
    /// The most that moving a variable down saves; minus infinity if none can be moved down.
    pub down: f32,
}

impl Prices {
    /// For variables with this gradient and curvature `Kᵢᵢ`, none of which can move yet.
    ///
    /// # Errors
    /// [`Error::Length`] unless both lists are of the same length.
    pub fn new(gradient: Vec<f32>, curvature: Vec<f32>) -> Result<Self> {
        let (expected, found) = (gradient.len(), curvature.len());
        if expected != found {
            return Err(Error::Length { what: "the curvatures", expected, found });
        }
        let (up, down) = (vec![f32::INFINITY; expected], vec![f32::NEG_INFINITY; expected]);
        let instructions = Instructions::best();
        Ok(Self { instructions, gradient, up, down, curvature, lows: Vec::new(), highs: Vec::new() })
    }

    /// The number of variables.
    pub fn len(&self) -> usize {
        self.gradient.len()
    }

    /// Whether there is no variable.
    pub fn is_empty(&self) -> bool {
        self.gradient.is_empty()
    }

    /// Says what is added to the gradient for moving a variable up and down; none where it cannot move.
    ///
    /// # Panics
    /// Panics, as a slice does, if there is no such variable.
    pub fn set_room(&mut self, variable: usize, up: Option<f32>, down: Option<f32>) {
        self.up[variable] = up.unwrap_or(f32::INFINITY);
        self.down[variable] = down.unwrap_or(f32::NEG_INFINITY);
    }

    /// Adds to the gradient of one variable.
    ///
    /// # Panics
    /// Panics, as a slice does, if there is no such variable.
    pub fn add(&mut self, variable: usize, by: f32) {
        self.gradient[variable] += by;
    }

    /// The price of moving a variable up, infinite where there is no room.
    ///
    /// # Panics
    /// Panics, as a slice does, if there is no such variable.
    #[inline]
    pub fn up(&self, variable: usize) -> f32 {
        self.gradient[variable] + self.up[variable]
    }

    /// What moving a variable down saves, minus infinity where there is no room.
    ///
    /// # Panics
    /// Panics, as a slice does, if there is no such variable.
    #[inline]
    pub fn down(&self, variable: usize) -> f32 {
        self.gradient[variable] + self.down[variable]
    }

    /// The ends of the prices as they are.
    pub fn extremes(&mut self) -> Extremes {
        self.pass(None)
    }

    /// Adds `by·(aᵢ − bᵢ)` to the gradient of every variable, and finds the ends of the prices.
    ///
    /// # Panics
    /// Panics, as a slice does, unless both rows have a number for each variable.
    pub fn shift(&mut self, by: f32, a: &[f32], b: &[f32]) -> Extremes {
        let len = self.len();
        self.pass(Some((by, &a[..len], &b[..len])))
    }

    fn pass(&mut self, change: Option<(f32, &[f32], &[f32])>) -> Extremes {
        let Self { instructions, gradient, up, down, lows, highs, .. } = self;
        instructions.run(Pass { gradient, up, down, lows, highs, change });
        let (low, high) = (least(lows), greatest(highs));
        let cheapest = if low < f32::INFINITY {
            place(lows, low, |at| self.gradient.get(at).is_some_and(|g| g + self.up[at] == low))
        } else {
            None
        };
        Extremes { cheapest, up: low, down: high }
    }

    /// The variable whose move down, paired with one of this curvature and price moving up, gains most by second-order
    /// information: the largest `d²/max(own + Kⱼⱼ − 2rowⱼ, floor)` with `d = down(j) − price > 0`. None if none gains.
    ///
    /// # Panics
    /// Panics, as a slice does, unless the row has a number for each variable.
    pub fn partner(&mut self, price: f32, own: f32, row: &[f32], floor: f32) -> Option<usize> {
        let row = &row[..self.len()];
        let Self { instructions, gradient, down, curvature, highs, .. } = self;
        let offer = Offer { price, own, floor };
        instructions.run(Partner { gradient, down, curvature, row, offer, gains: highs });
        let most = greatest(highs);
        if !(most > 0.0) {
            return None;
        }
        place(highs, most, |at| {
            let Some(gradient) = self.gradient.get(at) else { return false };
            offer.gain(*gradient, self.down[at], self.curvature[at], row[at]) == most
        })
    }
}

fn least(of: &[f32]) -> f32 {
    -greatest_by(of, |value| -value)
}

fn greatest(of: &[f32]) -> f32 {
    greatest_by(of, |value| value)
}

/// The largest of some numbers in blocks of lanes, found lane by lane.
#[inline(always)]
fn greatest_by(of: &[f32], number: impl Fn(f32) -> f32) -> f32 {
    let mut most = [f32::NEG_INFINITY; LANES];
    for block in of.chunks_exact(LANES) {
        for (most, &value) in most.iter_mut().zip(block) {
            let value = number(value);
            *most = if value > *most { value } else { *most };
        }
    }
    most.iter().fold(f32::NEG_INFINITY, |a, &b| if b > a { b } else { a })
}

/// The first place in the first block that holds the extreme value, given the extremes of blocks lane by lane.
fn place(extremes: &[f32], value: f32, mut is_it: impl FnMut(usize) -> bool) -> Option<usize> {
    let block = extremes.iter().position(|&extreme| extreme == value)? / LANES;
    (block * BLOCK..(block + 1) * BLOCK).find(|&at| is_it(at))
}

/// The lanes that the extremes of a block are kept in, whatever the processor's own number: a block has as many of them.
const LANES: usize = 16;

/// What a variable that moves up offers to a partner.
#[derive(Clone, Copy)]
struct Offer {
    price: f32,
    own: f32,
    floor: f32,
}

impl Offer {
    /// The same operations as on vectors, so that the values are equal.
    #[inline(always)]
    fn gain(self, gradient: f32, down: f32, curvature: f32, row: f32) -> f32 {
        let d = (gradient + down) - self.price;
        let d = if d > 0.0 { d } else { 0.0 };
        let c = (curvature + self.own) - (row + row);
        (d * d) / if c > self.floor { c } else { self.floor }
    }
}

struct Pass<'a> {
    gradient: &'a mut [f32],
    up: &'a [f32],
    down: &'a [f32],
    lows: &'a mut Vec<f32>,
    highs: &'a mut Vec<f32>,
    change: Option<(f32, &'a [f32], &'a [f32])>,
}

impl Task for Pass<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self { gradient, up, down, lows, highs, change } = self;
        let blocks = gradient.len().div_ceil(BLOCK);
        lows.clear();
        lows.resize(blocks * LANES, f32::INFINITY);
        highs.clear();
        highs.resize(blocks * LANES, f32::NEG_INFINITY);
        let extremes = lows.chunks_exact_mut(LANES).zip(highs.chunks_exact_mut(LANES));
        let rooms = up.chunks(BLOCK).zip(down.chunks(BLOCK));
        let blocks = gradient.chunks_mut(BLOCK).zip(rooms).zip(extremes);
        match change {
            None => {
                for ((gradient, (up, down)), (low, high)) in blocks {
                    ends(s, gradient, up, down, low, high);
                }
            }
            Some((by, a, b)) => {
                let rows = a.chunks(BLOCK).zip(b.chunks(BLOCK));
                for (((gradient, (up, down)), (low, high)), (a, b)) in blocks.zip(rows) {
                    let lanes = <S as Floats<f32>>::LANES;
                    let factor = Floats::<f32>::splat(s, by);
                    let whole = gradient.len() / lanes * lanes;
                    let (vectors, rest) = gradient.split_at_mut(whole);
                    let rows = a.chunks_exact(lanes).zip(b.chunks_exact(lanes));
                    for (gradient, (a, b)) in vectors.chunks_exact_mut(lanes).zip(rows) {
                        let apart =
                            Floats::<f32>::sub(s, Floats::<f32>::load(s, a), Floats::<f32>::load(s, b));
                        let now = Floats::<f32>::mul_add(s, factor, apart, Floats::<f32>::load(s, gradient));
                        Floats::<f32>::store(s, now, gradient);
                    }
                    for (gradient, (a, b)) in rest.iter_mut().zip(a[whole..].iter().zip(&b[whole..])) {
                        *gradient = by.mul_add(a - b, *gradient);
                    }
                    ends(s, gradient, up, down, low, high);
                }
            }
        }
    }
}

/// The smallest price up and the largest price down of a block, lane by lane; the block is next to the processor.
#[inline(always)]
fn ends<S: Simd>(s: S, gradient: &[f32], up: &[f32], down: &[f32], low: &mut [f32], high: &mut [f32]) {
    let lanes = <S as Floats<f32>>::LANES;
    let whole = gradient.len() / (2 * lanes) * 2 * lanes;
    // Two of each side by side: a comparison waits for the one before it.
    let mut lows = [Floats::<f32>::splat(s, f32::INFINITY); 2];
    let mut highs = [Floats::<f32>::splat(s, f32::NEG_INFINITY); 2];
    let rooms = up.chunks_exact(2 * lanes).zip(down.chunks_exact(2 * lanes));
    for (gradient, (up, down)) in gradient.chunks_exact(2 * lanes).zip(rooms) {
        for side in 0..2 {
            let part = side * lanes..(side + 1) * lanes;
            let gradient = Floats::<f32>::load(s, &gradient[part.clone()]);
            let up = Floats::<f32>::add(s, gradient, Floats::<f32>::load(s, &up[part.clone()]));
            let down = Floats::<f32>::add(s, gradient, Floats::<f32>::load(s, &down[part]));
            lows[side] = Floats::<f32>::min(s, lows[side], up);
            highs[side] = Floats::<f32>::max(s, highs[side], down);
        }
    }
    Floats::<f32>::store(s, Floats::<f32>::min(s, lows[0], lows[1]), low);
    Floats::<f32>::store(s, Floats::<f32>::max(s, highs[0], highs[1]), high);
    let rest = gradient[whole..].iter().zip(up[whole..].iter().zip(&down[whole..]));
    for (gradient, (up, down)) in rest {
        low[0] = if gradient + up < low[0] { gradient + up } else { low[0] };
        high[0] = if gradient + down > high[0] { gradient + down } else { high[0] };
    }
}

struct Partner<'a> {
    gradient: &'a [f32],
    down: &'a [f32],
    curvature: &'a [f32],
    row: &'a [f32],
    offer: Offer,
    gains: &'a mut Vec<f32>,
}

impl Task for Partner<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self { gradient, down, curvature, row, offer, gains } = self;
        gains.clear();
        gains.resize(gradient.len().div_ceil(BLOCK) * LANES, 0.0);
        let lanes = <S as Floats<f32>>::LANES;
        let [price, own, floor, zero] =
            [offer.price, offer.own, offer.floor, 0.0].map(|value| Floats::<f32>::splat(s, value));
        let lists = gradient.chunks(BLOCK).zip(down.chunks(BLOCK));
        let others = curvature.chunks(BLOCK).zip(row.chunks(BLOCK));
        for (((gradient, down), (curvature, row)), gains) in
            lists.zip(others).zip(gains.chunks_exact_mut(LANES))
        {
            let whole = gradient.len() / lanes * lanes;
            let mut most = zero;
            let vectors = gradient.chunks_exact(lanes).zip(down.chunks_exact(lanes));
            let others = curvature.chunks_exact(lanes).zip(row.chunks_exact(lanes));
            for ((gradient, down), (curvature, row)) in vectors.zip(others) {
                let down =
                    Floats::<f32>::add(s, Floats::<f32>::load(s, gradient), Floats::<f32>::load(s, down));
                let d = Floats::<f32>::max(s, Floats::<f32>::sub(s, down, price), zero);
                let row = Floats::<f32>::load(s, row);
                let c = Floats::<f32>::sub(
                    s,
                    Floats::<f32>::add(s, Floats::<f32>::load(s, curvature), own),
                    Floats::<f32>::add(s, row, row),
                );
                let c = Floats::<f32>::max(s, c, floor);
                most = Floats::<f32>::max(s, most, Floats::<f32>::div(s, Floats::<f32>::mul(s, d, d), c));
            }
            Floats::<f32>::store(s, most, gains);
            for at in whole..gradient.len() {
                let gain = offer.gain(gradient[at], down[at], curvature[at], row[at]);
                gains[0] = if gain > gains[0] { gain } else { gains[0] };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    /// The plainest words for the same: one variable after the other.
    fn plain(prices: &Prices) -> Extremes {
        let mut found = Extremes { cheapest: None, up: f32::INFINITY, down: f32::NEG_INFINITY };
        for at in 0..prices.len() {
            if prices.up(at) < found.up {
                (found.cheapest, found.up) = (Some(at), prices.up(at));
            }
            found.down = found.down.max(prices.down(at));
        }
        found
    }

    #[test]
    fn passes_find_what_plain_loops_find_with_all_instructions() {
        let mut random = ChaCha8Rng::seed_from_u64(11);
        for len in [0, 1, 2, 7, 15, 16, 17, 255, 256, 257, 700, 1500] {
            for instructions in Instructions::available() {
                let mut list = || -> Vec<f32> { (0..len).map(|_| random.random_range(-1.0..1.0)).collect() };
                let (gradient, a, b) = (list(), list(), list());
                let mut prices = Prices::new(gradient.clone(), vec![2.0; len]).unwrap();
                prices.instructions = instructions;
                for at in 0..len {
                    let room = |there: bool| there.then_some(if at % 3 == 0 { -0.25 } else { 0.5 });
                    prices.set_room(at, room(at % 5 != 1), room(at % 7 != 2));
                }
                assert_eq!(prices.extremes(), plain(&prices), "{len}, {instructions:?}");
                let after = prices.shift(0.75, &a, &b);
                for at in 0..len {
                    let expected = gradient[at] + 0.75 * (a[at] - b[at]);
                    assert!((prices.gradient[at] - expected).abs() < 1e-6);
                }
                assert_eq!(after, plain(&prices), "{len}, {instructions:?}");
                let Some(i) = after.cheapest else { continue };
                let gains: Vec<f32> = (0..len)
                    .map(|j| {
                        let d = prices.down(j) - prices.up(i);
                        if d > 0.0 { d * d / (4.0 - 2.0 * a[j]).max(1e-6) } else { 0.0 }
                    })
                    .collect();
                let best = gains.iter().copied().fold(0.0, f32::max);
                let expected = gains.iter().position(|&gain| gain == best && best > 0.0);
                assert_eq!(prices.partner(prices.up(i), 2.0, &a, 1e-6), expected, "{len}, {instructions:?}");
            }
        }
    }
}
