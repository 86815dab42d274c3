//! The step of Pegasos without its vectors: what a score does to the bias, to the norm and to the sums.

use lm_core::{Error, Result};

use crate::averaging::{Averaging, Clock, Rescale};

/// What can be switched on or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Options {
    pub(crate) biased: bool,
    pub(crate) projected: bool,
}

/// The scalars of a run, whether its weights are a vector or a combination of kernel rows.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Pace {
    lambda: f64,
    options: Options,
    clock: Clock,
    /// `‖v‖²`.
    norm_squared: f64,
    bias: f64,
    bias_sum: f64,
    corrections: u64,
}

/// A correction, as it enters the sums of [`crate::averaging`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Correction {
    /// `Δ`, without the sign of the example.
    pub(crate) delta: f64,
    /// `Aₜ₋₁`.
    pub(crate) mass: f64,
}

/// What a step did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Step {
    pub(crate) correction: Option<Correction>,
    /// What has to be done to all sums, after the correction.
    pub(crate) rescale: Option<Rescale>,
}

impl Pace {
    pub(crate) fn new(lambda: f64, options: Options, averaging: Averaging) -> Result<Self> {
        if !(lambda > 0.0 && lambda.is_finite() && lambda.recip().is_finite()) {
            return Err(Error::Setting { name: "lambda", value: lambda, accepted: "a finite number > 0" });
        }
        let clock = Clock::new(averaging);
        Ok(Self { lambda, options, clock, norm_squared: 0.0, bias: 0.0, bias_sum: 0.0, corrections: 0 })
    }

    pub(crate) fn lambda(&self) -> f64 {
        self.lambda
    }

    pub(crate) fn options(&self) -> Options {
        self.options
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    pub(crate) fn corrections(&self) -> u64 {
        self.corrections
    }

    /// The bias that belongs to the averaged weights.
    pub(crate) fn output_bias(&self) -> f64 {
        self.clock.average(self.bias_sum, self.bias)
    }

    /// One step with an example of which `⟨v·x⟩` and, if it is needed, `‖x‖²` are known, and whose loss counts `factor`
    /// times. Nothing is changed if it is refused.
    pub(crate) fn step(
        &mut self,
        raw: f64,
        norm_squared: impl FnOnce() -> f64,
        sign: f64,
        factor: f64,
    ) -> Result<Step> {
        let score = self.clock.scale() * raw + self.bias;
        if !score.is_finite() {
            return Err(Error::Numerical { what: "a score (rescale the examples)" });
        }
        let correction = (sign * score < 1.0)
            .then(|| Correction { delta: self.clock.in_sums(factor / self.lambda), mass: self.clock.mass() });
        if let Some(Correction { delta, .. }) = correction {
            let added = 2.0 * delta * sign * raw + delta * delta * norm_squared();
            if !(self.norm_squared + added).is_finite() {
                return Err(Error::Numerical { what: "a correction (rescale the examples)" });
            }
            self.norm_squared += added;
            if self.options.biased {
                self.bias += sign * factor / ((self.clock.steps() + 1) as f64).sqrt();
            }
            self.corrections += 1;
        }
        self.bias_sum += self.clock.next_weight() * self.bias;
        self.clock.advance(self.projection());
        let rescale = self.clock.rescale();
        if let Some(rescale) = rescale {
            self.norm_squared *= rescale.factor() * rescale.factor();
        }
        Ok(Step { correction, rescale })
    }

    /// What brings the next iterate into the ball of radius `1/√λ`.
    fn projection(&self) -> f64 {
        if !self.options.projected {
            return 1.0;
        }
        let norm = self.norm_squared.max(0.0).sqrt() * self.clock.next_scale();
        let radius = self.lambda.sqrt().recip();
        if norm > radius { radius / norm } else { 1.0 }
    }

    /// Whether the numbers could have come about.
    #[cfg(feature = "serde")]
    pub(crate) fn check(&self) -> Result<()> {
        Self::new(self.lambda, self.options, self.clock.averaging())?;
        let finite = [self.norm_squared, self.bias, self.bias_sum].iter().all(|value| value.is_finite());
        let unbiased = self.options.biased || (self.bias == 0.0 && self.bias_sum == 0.0);
        if finite && unbiased && self.clock.is_sound() && self.corrections <= self.clock.steps() {
            Ok(())
        } else {
            Err(Error::Numerical { what: "the state of the learner" })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_changes_nothing() {
        let options = Options { biased: true, projected: true };
        let mut pace = Pace::new(0.5, options, Averaging::Late).unwrap();
        pace.step(0.0, || 4.0, 1.0, 1.0).unwrap();
        let before = pace.clone();
        assert!(pace.step(f64::NAN, || 1.0, 1.0, 1.0).is_err());
        assert!(pace.step(-1.0, || f64::INFINITY, 1.0, 1.0).is_err());
        assert_eq!(pace, before);
        // ‖w‖ = ‖x‖/λ = 4 is brought into the ball of radius √2.
        assert!((pace.norm_squared.sqrt() * pace.clock.scale() - std::f64::consts::SQRT_2).abs() < 1e-15);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn numbers_that_cannot_have_come_about_are_found() {
        let options = Options { biased: true, projected: false };
        let mut pace = Pace::new(0.5, options, Averaging::Late).unwrap();
        pace.step(0.0, || 4.0, 1.0, 1.0).unwrap();
        assert!(pace.check().is_ok());
        let forge = |change: fn(&mut Pace)| {
            let mut forged = pace.clone();
            change(&mut forged);
            forged.check().is_err()
        };
        assert!(forge(|pace| pace.lambda = 0.0));
        assert!(forge(|pace| pace.bias = f64::NAN));
        assert!(forge(|pace| pace.options.biased = false));
        assert!(forge(|pace| pace.corrections = 2));
        assert!(forge(|pace| pace.clock = Clock::new(Averaging::Late)));
    }
}
