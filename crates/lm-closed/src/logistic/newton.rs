//! The walk of Newton's method: steps that are halved until the objective falls enough.

/// Where a descent is and where it looks next.
///
/// The caller computes the objective at [`Walk::trial`] and asks [`Walk::judge`]; where the trial is accepted, it
/// proposes the next step.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Walk {
    at: Vec<f64>,
    value: f64,
    step: Vec<f64>,
    /// The derivative of the objective along the step, negative.
    slope: f64,
    length: f64,
    trial: Vec<f64>,
}

/// What a trial is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Judged {
    /// It is the point from which to go on.
    Accepted,
    /// A shorter step is to be looked at.
    Shortened,
    /// No step however short makes the objective fall.
    Exhausted,
}

impl Walk {
    /// Armijo's share of the fall that the slope promises.
    const SHARE: f64 = 1e-4;
    /// Halvings after which a step is lost in rounding.
    const SHORTEST: f64 = 1e-12;
    /// What rounding may do to an objective, relative to its value.
    const ROUNDING: f64 = 64.0 * f64::EPSILON;

    /// A walk that has not looked at anything: its first trial is the start.
    pub(super) fn new(start: Vec<f64>) -> Self {
        let step = vec![0.0; start.len()];
        Self { trial: start.clone(), at: start, value: f64::INFINITY, step, slope: 0.0, length: 0.0 }
    }

    /// The best point so far.
    pub(super) fn at(&self) -> &[f64] {
        &self.at
    }

    /// The objective there; infinite before the first look.
    pub(super) fn value(&self) -> f64 {
        self.value
    }

    /// The point to be looked at next.
    pub(super) fn trial(&self) -> &[f64] {
        &self.trial
    }

    /// Takes the objective at the trial, and moves there or shortens the step.
    pub(super) fn judge(&mut self, value: f64) -> Judged {
        let promised = Self::SHARE * self.length * self.slope;
        let allowed = self.value + promised + Self::ROUNDING * self.value.abs();
        if value <= allowed {
            self.at.copy_from_slice(&self.trial);
            self.value = value;
            return Judged::Accepted;
        }
        if self.length <= Self::SHORTEST {
            return Judged::Exhausted;
        }
        self.length *= 0.5;
        self.look();
        Judged::Shortened
    }

    /// Sets out along a step with this derivative, at full length.
    pub(super) fn propose(&mut self, step: &[f64], slope: f64) {
        self.step.copy_from_slice(step);
        self.slope = slope;
        self.length = 1.0;
        self.look();
    }

    fn look(&mut self) {
        for ((trial, at), step) in self.trial.iter_mut().zip(&self.at).zip(&self.step) {
            *trial = at + self.length * step;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_overshoots_is_halved_and_one_uphill_is_given_up() {
        let f = |x: f64| (1.0 + x * x).sqrt();
        let mut walk = Walk::new(vec![3.0]);
        assert_eq!(walk.judge(f(3.0)), Judged::Accepted);
        // Newton's step for √(1 + x²) is −x(1 + x²): from 3 it leads to −27.
        let slope = 3.0 / 10.0_f64.sqrt();
        walk.propose(&[-30.0], -30.0 * slope);
        assert_eq!(walk.trial(), [-27.0]);
        let mut halvings = 0;
        while walk.judge(f(walk.trial()[0])) == Judged::Shortened {
            halvings += 1;
        }
        assert!(halvings > 0 && walk.value() < f(3.0));
        walk.propose(&[walk.at()[0].signum()], -1.0);
        let mut last = Judged::Shortened;
        while last == Judged::Shortened {
            last = walk.judge(f(walk.trial()[0]));
        }
        assert_eq!(last, Judged::Exhausted);
    }
}
