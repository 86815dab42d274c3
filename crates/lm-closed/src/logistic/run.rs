//! A run over data in memory: which method, when to stop, and what to return.

use lm_core::{Control, Examples, Linear, Meter, Report, Result, Stop};

use super::certificate::LogisticCertificate;
use super::frame::Frame;
use super::irls::{Irls, IrlsState, check_penalty, check_tolerance};
use super::sample::Sample;
use super::separation;
use super::truncated;

/// What a logistic learner is set to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Plan {
    pub(super) penalty: f64,
    pub(super) tolerance: f64,
    pub(super) steps: u64,
}

/// The relative gap that rounding alone may leave.
pub(super) const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// What a run comes to.
pub(super) struct Ended {
    pub(super) stop: Stop,
    pub(super) certificate: LogisticCertificate,
}

impl Plan {
    pub(super) const DEFAULT: Self = Self { penalty: 1.0, tolerance: 1e-10, steps: 100 };

    /// Coefficients up to which the Hessian is formed; beyond, products with it are cheaper.
    const FORMED: usize = 1500;

    pub(super) fn validate(&self) -> Result<()> {
        check_penalty(self.penalty)?;
        check_tolerance(self.tolerance)
    }

    /// Learns from a sample.
    pub(super) fn fit<E: Examples + ?Sized>(
        &self,
        sample: &Sample<'_, E>,
        control: &Control<'_>,
    ) -> Result<(Vec<Linear>, Report, LogisticCertificate)> {
        self.validate()?;
        let mut meter = control.start(self.steps);
        let frame = Frame::of(sample.examples, sample.weights, self.penalty)?;
        let size = (frame.dim() + 1).saturating_mul(sample.likelihood.width());
        let fits = meter.budget().memory().is_none_or(|allowed| sample.bytes() <= allowed);
        let Ended { stop, certificate } = if size <= Self::FORMED && fits {
            self.reweighted(sample, frame, &mut meter)?
        } else {
            meter.budget().check_memory("the vectors of a Newton step", sample.vector_bytes())?;
            truncated::run(self, sample, &frame, &mut meter)?
        };
        Ok((certificate.functions.clone(), meter.report(stop, None), certificate))
    }

    /// Whether the figures of a certificate are those of a solution.
    pub(super) fn meets(&self, certificate: &LogisticCertificate) -> bool {
        // Probabilities that miss the constraints by more than rounding bound nothing.
        const FEASIBLE: f64 = 1e-8;
        let figures = certificate.figures();
        figures.relative_gap() <= self.tolerance.max(ROUNDING) && figures.infeasibility <= FEASIBLE
    }

    /// The end of a run at the end of a step, if it is good enough or no better than the one before.
    pub(super) fn judge(
        &self,
        certificate: LogisticCertificate,
        best: &mut Option<LogisticCertificate>,
    ) -> Option<Ended> {
        if self.meets(&certificate) {
            return Some(Ended { stop: Stop::Converged, certificate });
        }
        let gap = |certificate: &LogisticCertificate| certificate.figures().relative_gap().abs();
        match best.take() {
            // Another step has not made it better: this is what rounding leaves.
            Some(best) if gap(&certificate) > 0.5 * gap(&best) => {
                let certificate = if gap(&best) < gap(&certificate) { best } else { certificate };
                Some(Ended { stop: Stop::Stalled, certificate })
            }
            _ => {
                *best = Some(certificate);
                None
            }
        }
    }

    /// Reweighted least squares.
    fn reweighted<E: Examples + ?Sized>(
        &self,
        sample: &Sample<'_, E>,
        frame: Frame,
        meter: &mut Meter<'_>,
    ) -> Result<Ended> {
        let classes = sample.class_weights().len();
        let mut irls = Irls::at(frame, classes, sample.start(), self.penalty, self.tolerance)?;
        let mut ends = Ends { plan: self, sample, best: None, searched: 0 };
        let mut stop = meter.advance(0, 0);
        loop {
            // A first look is owed even to a run without any time: without it there is no model to speak of.
            let may_end = irls.objective().is_finite();
            let total = match sample.statistics(&irls.statistics()?, may_end, meter)? {
                Ok(total) => total,
                Err(stop) => return ends.at(&irls, stop),
            };
            let state = irls.take(&total)?;
            meter.observe(Some(irls.objective()), Some(0.5 * irls.decrement() / irls.objective()));
            if let Some(ended) = ends.of(&irls, state)? {
                return Ok(ended);
            }
            if let Some(stop) = stop {
                return ends.at(&irls, stop);
            }
            stop = meter.advance(1, 0);
        }
    }
}

/// The ends that a run may come to by itself.
struct Ends<'a, E: ?Sized> {
    plan: &'a Plan,
    sample: &'a Sample<'a, E>,
    /// The best certificate that was not good enough.
    best: Option<LogisticCertificate>,
    /// How often the run seemed to diverge.
    searched: u64,
}

impl<E: Examples + ?Sized> Ends<'_, E> {
    fn of(&mut self, irls: &Irls, state: IrlsState) -> Result<Option<Ended>> {
        match state {
            IrlsState::Continue => Ok(None),
            IrlsState::Settled => self.settled(irls),
            IrlsState::Separated => {
                let found = separation::prove(self.sample, irls.base()?);
                found.map(|found| self.diverged(irls, found)).transpose()
            }
            IrlsState::Diverging => self.diverging(irls),
            IrlsState::Exhausted => {
                let ended = self.at(irls, Stop::Stalled)?;
                let met = self.plan.meets(&ended.certificate);
                Ok(Some(Ended { stop: if met { Stop::Converged } else { Stop::Stalled }, ..ended }))
            }
        }
    }

    /// Measures the gap at the end of the last step.
    fn settled(&mut self, irls: &Irls) -> Result<Option<Ended>> {
        let (functions, base) = (irls.functions()?, irls.base()?);
        let mut certificate = LogisticCertificate::compute(self.sample, functions, base, self.plan.penalty)?;
        certificate.conditioning = Some(irls.conditioning());
        Ok(self.plan.judge(certificate, &mut self.best))
    }

    fn diverging(&mut self, irls: &Irls) -> Result<Option<Ended>> {
        // Margins have to grow before they tell from those that stay: not every step is worth a search.
        self.searched += 1;
        let due = self.searched % 4 == 1 || irls.is_reduced();
        let found = if due { separation::search(self.sample, irls.frame(), irls.point())? } else { None };
        if let Some(found) = found {
            return self.diverged(irls, found).map(Some);
        }
        if irls.is_reduced() { self.at(irls, Stop::Stalled).map(Some) } else { Ok(None) }
    }

    fn diverged(&self, irls: &Irls, found: separation::Recession) -> Result<Ended> {
        let mut ended = self.at(irls, Stop::Infeasible)?;
        ended.certificate.recession = Some(found);
        Ok(ended)
    }

    /// The best point looked at, with what it proves by itself.
    fn at(&self, irls: &Irls, stop: Stop) -> Result<Ended> {
        let functions = irls.base()?;
        let base = functions.clone();
        let mut certificate = LogisticCertificate::compute(self.sample, functions, base, self.plan.penalty)?;
        certificate.conditioning = Some(irls.conditioning());
        Ok(Ended { stop, certificate })
    }
}
