//! Iterates and averages of iterates as combinations of sums that change one example at a time.
//!
//! A step of stochastic subgradient descent shrinks the whole weight vector, adds an example to it, and adds the result to
//! an average. Written out that costs `O(d)`; kept as
//!
//! ```text
//! wₜ = cₜ·vₜ ,     Σₛ ωₛwₛ = Aₜ·vₜ − uₜ     with   Aₜ = Σₛ ωₛcₛ ,
//! vₜ = vₜ₋₁ + Δₜ ,  uₜ = uₜ₋₁ + Aₜ₋₁·Δₜ ,
//! ```
//!
//! it costs two additions of the example, and none where the example adds nothing.

/// Which iterates make the weights that are returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Averaging {
    /// The last one.
    Last,
    /// All of them, each counting the same.
    Uniform,
    /// All of them, iterate `t` counting `t` times: an average of late iterates whose weights need no knowledge of when
    /// the run will end, and which removes the logarithm from the rate of convergence, as averages over a suffix do
    /// (Lacoste-Julien, Schmidt & Bach, 2012).
    #[default]
    Late,
}

/// The numbers that turn the sums `v` and `u` into weights.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Clock {
    averaging: Averaging,
    /// The number of steps made.
    t: u64,
    /// `t·cₜ`: 1 but for projections.
    shrink: f64,
    /// `Aₜ`.
    mass: f64,
    /// `Σₛ ωₛ`.
    total: f64,
}

impl Clock {
    pub(crate) fn new(averaging: Averaging) -> Self {
        Self { averaging, t: 0, shrink: 1.0, mass: 0.0, total: 0.0 }
    }

    /// The number of steps made.
    pub(crate) fn steps(&self) -> u64 {
        self.t
    }

    pub(crate) fn averaging(&self) -> Averaging {
        self.averaging
    }

    /// `cₜ`.
    pub(crate) fn scale(&self) -> f64 {
        if self.t == 0 { 0.0 } else { self.shrink / self.t as f64 }
    }

    /// What a part `a/t` of the next iterate is in terms of `v`: `(a/t)/cₜ`.
    pub(crate) fn in_sums(&self, a: f64) -> f64 {
        a / self.shrink
    }

    /// `Aₜ`.
    pub(crate) fn mass(&self) -> f64 {
        self.mass
    }

    /// What the next iterate counts in the average.
    pub(crate) fn next_weight(&self) -> f64 {
        match self.averaging {
            Averaging::Last => 0.0,
            Averaging::Uniform => 1.0,
            Averaging::Late => (self.t + 1) as f64,
        }
    }

    /// The scale of the next iterate before a projection.
    pub(crate) fn next_scale(&self) -> f64 {
        self.shrink / (self.t + 1) as f64
    }

    /// Ends a step after which the iterate is multiplied by `projection`.
    pub(crate) fn advance(&mut self, projection: f64) {
        let weight = self.next_weight();
        self.t += 1;
        self.shrink *= projection;
        self.mass += weight * self.scale();
        self.total += weight;
    }

    /// What has to be done to all sums where projections have made the scale small: `Aₜ·vₜ − uₜ` would lose digits.
    pub(crate) fn rescale(&mut self) -> Option<Rescale> {
        const SMALL: f64 = 1.0 / 1024.0;
        let rescale = Rescale { factor: self.shrink, mass: self.mass };
        (self.shrink < SMALL).then(|| {
            self.shrink = 1.0;
            self.mass = 0.0;
            rescale
        })
    }

    /// The average of values of which `sum = Σₛ ωₛ·valueₛ`, or the last one where nothing is averaged.
    pub(crate) fn average(&self, sum: f64, last: f64) -> f64 {
        if self.total > 0.0 { sum / self.total } else { last }
    }

    /// Whether the numbers could have come about.
    #[cfg(feature = "serde")]
    pub(crate) fn is_sound(&self) -> bool {
        let averages = self.averaging != Averaging::Last && self.t > 0;
        let positive = |value: f64| value > 0.0 && value.is_finite();
        let sums = self.total.is_finite() && self.mass >= 0.0 && self.mass.is_finite();
        positive(self.shrink)
            && self.shrink <= 1.0
            && sums
            && if averages { self.total > 0.0 } else { self.total == 0.0 && self.mass == 0.0 }
    }
}

/// A new beginning of the sums: `v ← factor·v`, and all that was averaged so far goes into `u`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rescale {
    factor: f64,
    mass: f64,
}

impl Rescale {
    /// The factor of every `v`.
    pub(crate) fn factor(&self) -> f64 {
        self.factor
    }
}

/// A pair of sums `v` and `u`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Sums {
    #[cfg_attr(feature = "serde", serde(with = "lm_core::serde_array"))]
    pub(crate) now: Vec<f64>,
    #[cfg_attr(feature = "serde", serde(with = "lm_core::serde_array"))]
    pub(crate) lagged: Vec<f64>,
}

impl Sums {
    pub(crate) fn new(len: usize) -> Self {
        Self { now: vec![0.0; len], lagged: vec![0.0; len] }
    }

    /// Begins anew, as [`Clock::rescale`] asks for.
    pub(crate) fn rescale(&mut self, rescale: Rescale) {
        for (now, lagged) in self.now.iter_mut().zip(&mut self.lagged) {
            *lagged -= rescale.mass * *now;
            *now *= rescale.factor;
        }
    }

    /// The average that the clock keeps, or the last iterate.
    pub(crate) fn output(&self, clock: &Clock) -> Vec<f64> {
        let pairs = self.now.iter().zip(&self.lagged);
        if clock.total > 0.0 {
            pairs.map(|(now, lagged)| (clock.mass * now - lagged) / clock.total).collect()
        } else {
            pairs.map(|(now, _)| clock.scale() * now).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Iterates `wₜ = p·((1 − 1/t)·wₜ₋₁ + aₜ/t)` written out, with and without projections.
    #[test]
    fn sums_give_the_averages_of_the_iterates_written_out() {
        for averaging in [Averaging::Last, Averaging::Uniform, Averaging::Late] {
            let mut clock = Clock::new(averaging);
            let mut sums = Sums::new(1);
            let (mut w, mut plain, mut total) = (0.0, 0.0, 0.0);
            for t in 1..=400_u32 {
                let a = if t % 3 == 0 { 0.0 } else { f64::from(t).sin() };
                let projection = if t % 2 == 0 { 0.3 } else { 1.0 };
                if a != 0.0 {
                    let delta = clock.in_sums(a);
                    sums.now[0] += delta;
                    sums.lagged[0] += clock.mass() * delta;
                }
                clock.advance(projection);
                if let Some(rescale) = clock.rescale() {
                    sums.rescale(rescale);
                }
                w = projection * ((1.0 - 1.0 / f64::from(t)) * w + a / f64::from(t));
                let weight = match averaging {
                    Averaging::Last => 0.0,
                    Averaging::Uniform => 1.0,
                    Averaging::Late => f64::from(t),
                };
                plain += weight * w;
                total += weight;
                let expected = if total > 0.0 { plain / total } else { w };
                let found = sums.output(&clock)[0];
                assert!((found - expected).abs() <= 1e-12, "{averaging:?} at {t}: {found} and {expected}");
                assert!((sums.now[0] * clock.scale() - w).abs() <= 1e-13);
            }
        }
    }
}
