//! Sequential minimal optimisation with second-order selection of the pair.
//!
//! # Problem
//! ```text
//! maximise Σαᵢ − ½ ΣΣ αᵢαⱼyᵢyⱼKᵢⱼ   subject to 0 ≤ αᵢ ≤ Cᵢ,  Σ αᵢyᵢ = 0
//! ```
//! # Method
//! Keep `Fᵢ = yᵢ − Σⱼ αⱼyⱼKⱼᵢ`. Take the example `i` with the largest `F` among those that may move up along `y`, and
//! as its partner the example `j` that may move down whose exact two-variable step gains most by second-order
//! information. Stop when the relative duality gap, computed with the bias that minimises the primal, is small
//! enough; tighten the working tolerance while it is not.
//! # Cost
//! Two rows of the Gram matrix, from the cache where they are, and three passes over `n` numbers an iteration.
//! # Reference
//! Platt (1998); Fan, Chen & Lin (2005), WSS 2.

use lm_core::{CacheFigures, Error, Gram, Meter, Result, RowCache, Stop};

/// A limit on iterations that only a run without progress reaches.
pub(crate) fn default_iterations(len: usize) -> u64 {
    (len as u64).saturating_mul(10_000).max(10_000_000)
}

/// The state of the solver.
pub(crate) struct Smo<'a, G: ?Sized> {
    cache: RowCache<'a, G, f64>,
    signs: &'a [f64],
    costs: &'a [f64],
    diagonal: Vec<f64>,
    alpha: Vec<f64>,
    /// `yᵢ − Σⱼ αⱼyⱼKⱼᵢ`: what the bias would have to be for example `i` to lie on its margin.
    f: Vec<f64>,
    /// The smallest curvature that is taken for more than rounding.
    floor: f64,
}

/// The pair with the largest violation and its size.
struct Pair {
    up: usize,
    down: usize,
    violation: f64,
}

impl<'a, G: Gram + ?Sized> Smo<'a, G> {
    pub(crate) fn new(gram: &'a G, signs: &'a [f64], costs: &'a [f64], meter: &Meter<'_>) -> Result<Self> {
        // A quarter of a gigabyte unless the budget says otherwise.
        let bytes = meter.budget().memory().unwrap_or(256 << 20);
        let diagonal = gram.diagonal()?;
        let largest = diagonal.iter().fold(0.0, |a: f64, &b| a.max(b.abs()));
        Ok(Self {
            cache: RowCache::new(gram, bytes)?,
            signs,
            costs,
            diagonal,
            alpha: vec![0.0; gram.len()],
            f: signs.to_vec(),
            floor: (largest * 1e-12).max(f64::MIN_POSITIVE),
        })
    }

    /// Steps until the gap is small enough or the budget is used up. Returns the reason and the best bias.
    pub(crate) fn run(&mut self, gap: f64, meter: &mut Meter<'_>) -> Result<(Stop, f64)> {
        // Steps between two looks at the clock.
        const BLOCK: u64 = 64;
        let len = self.alpha.len() as u64;
        let mut tolerance = 0.1;
        let mut misses = 0;
        loop {
            let (mut settled, mut steps) = (false, 0);
            while !settled && steps < BLOCK.min(meter.iterations_left()) {
                settled = self.step(tolerance)?;
                steps += 1;
            }
            let computed = self.cache.figures().misses;
            let stop = meter.advance(steps, (computed - misses) * len);
            misses = computed;
            if !settled && stop.is_none() {
                continue;
            }
            // Thousands of updates leave rounding behind: the verdict is given on fresh numbers. A run that has to stop
            // has no time for them, and its certificate is computed from scratch in any case.
            if stop.is_none() {
                self.resynchronise()?;
            }
            let (bias, primal, dual) = self.bounds()?;
            let scale = primal.abs().max(dual.abs());
            meter.observe(Some(dual), Some((primal - dual) / scale));
            if primal - dual <= gap * scale {
                return Ok((Stop::Converged, bias));
            }
            if let Some(stop) = stop {
                return Ok((stop, bias));
            }
            if tolerance < f64::EPSILON {
                return Ok((Stop::Stalled, bias));
            }
            tolerance *= 0.25;
        }
    }

    /// Recomputes `F` from the multipliers.
    fn resynchronise(&mut self) -> Result<()> {
        self.f.copy_from_slice(self.signs);
        for i in 0..self.alpha.len() {
            if self.alpha[i] != 0.0 {
                let coefficient = self.alpha[i] * self.signs[i];
                let row = self.cache.row(i)?;
                self.f.iter_mut().zip(row).for_each(|(f, value)| *f -= coefficient * value);
            }
        }
        Ok(())
    }

    /// One exact step on the pair that gains most. True if no pair violates the conditions by more than `tolerance`.
    fn step(&mut self, tolerance: f64) -> Result<bool> {
        let Some(pair) = self.select()? else { return Ok(true) };
        if pair.violation <= tolerance {
            return Ok(true);
        }
        let (i, j) = (pair.up, pair.down);
        let (row_i, row_j) = self.cache.pair(i, j)?;
        let curvature = (self.diagonal[i] + self.diagonal[j] - 2.0 * row_i[j]).max(self.floor);
        // αᵢyᵢ grows by what αⱼyⱼ loses, as far as both boxes allow.
        let room_i = if self.signs[i] > 0.0 { self.costs[i] - self.alpha[i] } else { self.alpha[i] };
        let room_j = if self.signs[j] > 0.0 { self.alpha[j] } else { self.costs[j] - self.alpha[j] };
        let delta = ((self.f[i] - self.f[j]) / curvature).min(room_i).min(room_j);
        for (f, (a, b)) in self.f.iter_mut().zip(row_i.iter().zip(row_j)) {
            *f -= delta * (a - b);
        }
        self.shift(i, self.signs[i] * delta, delta == room_i);
        self.shift(j, -self.signs[j] * delta, delta == room_j);
        Ok(false)
    }

    /// Moves a multiplier; one that used up its room lands on its bound exactly.
    fn shift(&mut self, index: usize, by: f64, to_bound: bool) {
        let cost = self.costs[index];
        self.alpha[index] = match (to_bound, by > 0.0) {
            (true, true) => cost,
            (true, false) => 0.0,
            (false, _) => (self.alpha[index] + by).clamp(0.0, cost),
        };
    }

    /// The example most violating upwards, and its partner of largest second-order gain.
    fn select(&mut self) -> Result<Option<Pair>> {
        let Self { cache, signs, costs, diagonal, alpha, f, floor } = self;
        // αᵢyᵢ may grow where αᵢ may follow its sign, and shrink where it may go against it.
        let has_room =
            |i: usize, up: bool| if (signs[i] > 0.0) == up { alpha[i] < costs[i] } else { alpha[i] > 0.0 };
        let up = (0..f.len()).filter(|&i| has_room(i, true)).reduce(|a, b| if f[b] > f[a] { b } else { a });
        let Some(up) = up else { return Ok(None) };
        let row = cache.row(up)?;
        let (mut best, mut gain, mut lowest) = (None, 0.0, f64::INFINITY);
        for j in (0..f.len()).filter(|&j| has_room(j, false)) {
            let difference = f[up] - f[j];
            lowest = lowest.min(f[j]);
            let curvature = (diagonal[up] + diagonal[j] - 2.0 * row[j]).max(*floor);
            let own = difference * difference / curvature;
            if difference > 0.0 && own > gain {
                (best, gain) = (Some(j), own);
            }
        }
        Ok(best.map(|down| Pair { up, down, violation: f[up] - lowest }))
    }

    /// The bias that minimises the primal value, and both values.
    fn bounds(&self) -> Result<(f64, f64, f64)> {
        let score = |i: usize| self.signs[i] - self.f[i];
        let norm_squared: f64 = (0..self.f.len()).map(|i| self.alpha[i] * self.signs[i] * score(i)).sum();
        let bias = self.best_bias();
        let loss = |i: usize| self.costs[i] * (1.0 - self.signs[i] * (score(i) + bias)).max(0.0);
        let primal = 0.5 * norm_squared + (0..self.f.len()).map(loss).sum::<f64>();
        let dual = self.alpha.iter().sum::<f64>() - 0.5 * norm_squared;
        if primal.is_finite() && dual.is_finite() {
            Ok((bias, primal, dual))
        } else {
            Err(Error::Numerical { what: "the duality gap (rescale the kernel)" })
        }
    }

    /// The primal is piecewise linear in the bias with a kink at every `Fᵢ`: its slope starts at minus the cost of all
    /// positive examples and grows by `Cᵢ` at each kink. The minimum is where it stops being negative; where it is
    /// flat, the middle of the flat part.
    fn best_bias(&self) -> f64 {
        let mut kinks: Vec<usize> = (0..self.f.len()).filter(|&i| self.costs[i] > 0.0).collect();
        kinks.sort_unstable_by(|&a, &b| self.f[a].total_cmp(&self.f[b]));
        let positive: f64 = kinks.iter().filter(|&&i| self.signs[i] > 0.0).map(|&i| self.costs[i]).sum();
        // Compared with rounding in mind: slopes are sums of costs.
        let level = positive * (kinks.len() as f64) * f64::EPSILON;
        let mut slope = -positive;
        for (position, &i) in kinks.iter().enumerate() {
            slope += self.costs[i];
            if slope >= -level {
                let flat = slope <= level;
                let end = kinks.get(position + 1).filter(|_| flat).map_or(self.f[i], |&next| self.f[next]);
                return 0.5 * (self.f[i] + end);
            }
        }
        0.0
    }

    pub(crate) fn cache_figures(&self) -> CacheFigures {
        self.cache.figures()
    }

    pub(crate) fn into_alpha(self) -> Vec<f64> {
        self.alpha
    }
}
