//! What the two descents share: the point, the loop around a step, and the evidence at its end.

use lm_core::{Certificate, Control, Discrepancy, Error, Fit, Result, Stop, Verdict};

use crate::augmented::norm;
use crate::criterion::Criterion;

/// A point on the way of a descent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Visit<'a> {
    /// The number of steps that led here.
    pub iteration: u64,
    /// The point `a`.
    pub point: &'a [f64],
    /// `J(a)`.
    pub value: f64,
    /// `‖∇J(a)‖`.
    pub gradient_norm: f64,
}

/// Where a descent ended: a point, the value and the norm of the gradient there, and the curvature that ended the run,
/// if one did.
///
/// [`Certificate::verify`] evaluates the criterion anew.
#[derive(Debug, Clone, PartialEq)]
pub struct Stationarity {
    point: Vec<f64>,
    value: f64,
    gradient_norm: f64,
    curvature: Option<f64>,
}

impl Stationarity {
    /// The point `a`.
    pub fn point(&self) -> &[f64] {
        &self.point
    }

    /// `J(a)`.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// `‖∇J(a)‖`: 0 at a stationary point.
    pub fn gradient_norm(&self) -> f64 {
        self.gradient_norm
    }

    /// Why no step could be made, where the run ended as [`Stop::Infeasible`]: the curvature `∇JᵗH∇J` along the
    /// gradient, or the pivot of the matrix of second derivatives, that is not positive.
    pub fn curvature(&self) -> Option<f64> {
        self.curvature
    }
}

impl<C: Criterion + ?Sized> Certificate<C> for Stationarity {
    fn verify(&self, criterion: &C) -> Result<Verdict> {
        if self.point.len() != criterion.dim() {
            let (expected, found) = (criterion.dim(), self.point.len());
            return Err(Error::Length { what: "the point of the descent", expected, found });
        }
        let mut gradient = vec![0.0; self.point.len()];
        criterion.gradient(&self.point, &mut gradient);
        let claims = [
            ("the value of the criterion", self.value, criterion.value(&self.point)),
            ("the norm of the gradient", self.gradient_norm, norm(&gradient)),
        ];
        // Written so that NaN fails. The same function at the same point: only its own order of summation may differ.
        let same = |a: f64, b: f64| (a - b).abs() <= 1e-12 * a.abs().max(b.abs());
        let wrong = claims.iter().find(|(_, claimed, recomputed)| !same(*claimed, *recomputed));
        Ok(wrong.map_or(Verdict::Valid, |&(what, claimed, recomputed)| {
            Verdict::Invalid(Discrepancy { what, claimed, recomputed, row: None })
        }))
    }
}

/// The point of a descent, and what the criterion says there.
pub(crate) struct State<'a, C: ?Sized> {
    pub(crate) criterion: &'a C,
    pub(crate) a: Vec<f64>,
    pub(crate) gradient: Vec<f64>,
    pub(crate) value: f64,
    pub(crate) gradient_norm: f64,
}

/// What came of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Turn {
    /// The point moved by a vector of this length.
    Moved(f64),
    /// This curvature is not positive, so the second-order model has no minimum.
    Flat(f64),
}

impl<'a, C: Criterion + ?Sized> State<'a, C> {
    fn new(criterion: &'a C, start: &[f64]) -> Result<Self> {
        let dim = criterion.dim();
        if start.len() != dim {
            return Err(Error::Length {
                what: "the start of the descent",
                expected: dim,
                found: start.len(),
            });
        }
        if let Some(row) = start.iter().position(|value| !value.is_finite()) {
            return Err(Error::NonFinite { what: "the start of the descent", row, column: None });
        }
        let a = start.to_vec();
        let mut state = Self { criterion, a, gradient: vec![0.0; dim], value: 0.0, gradient_norm: 0.0 };
        state.evaluate().map(|()| state)
    }

    fn evaluate(&mut self) -> Result<()> {
        self.criterion.gradient(&self.a, &mut self.gradient);
        self.value = self.criterion.value(&self.a);
        self.gradient_norm = norm(&self.gradient);
        if self.value.is_finite() && self.gradient_norm.is_finite() {
            Ok(())
        } else {
            Err(Error::Numerical { what: "the criterion on the way down (try a smaller learning rate)" })
        }
    }

    /// `a ← a − rate·direction`.
    pub(crate) fn descend(&mut self, rate: f64, direction: Option<&[f64]>) -> Turn {
        let direction = direction.unwrap_or(&self.gradient);
        let length = rate.abs() * norm(direction);
        self.a.iter_mut().zip(direction).for_each(|(a, d)| *a -= rate * d);
        Turn::Moved(length)
    }

    fn into_fit(
        self,
        stop: Stop,
        curvature: Option<f64>,
        meter: &lm_core::Meter<'_>,
    ) -> Fit<Vec<f64>, Stationarity> {
        let (value, gradient_norm) = (self.value, self.gradient_norm);
        let certificate = Stationarity { point: self.a.clone(), value, gradient_norm, curvature };
        Fit { model: self.a, report: meter.report(stop, None), certificate }
    }
}

/// The limits of a descent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Limits {
    /// Steps, where the budget has no limit of its own.
    pub(crate) steps: u64,
    /// The length `θ` of a step that is short enough.
    pub(crate) threshold: f64,
}

impl Limits {
    pub(crate) fn validate(self) -> Result<()> {
        if self.steps == 0 {
            return Err(Error::Setting { name: "steps", value: 0.0, accepted: "an integer of at least 1" });
        }
        checked_threshold(self.threshold)
    }
}

/// Checks a limit on passes.
pub(crate) fn checked_passes(passes: u64) -> Result<()> {
    if passes > 0 {
        Ok(())
    } else {
        Err(Error::Setting { name: "passes", value: 0.0, accepted: "an integer of at least 1" })
    }
}

/// Checks a tolerance that is a share of something.
pub(crate) fn checked_share(tolerance: f64) -> Result<()> {
    if tolerance > 0.0 && tolerance < 1.0 {
        Ok(())
    } else {
        Err(Error::Setting { name: "tolerance", value: tolerance, accepted: "a number between 0 and 1" })
    }
}

/// Checks the length of a step that is short enough.
pub(crate) fn checked_threshold(threshold: f64) -> Result<()> {
    if threshold >= 0.0 && threshold.is_finite() {
        Ok(())
    } else {
        Err(Error::Setting { name: "threshold", value: threshold, accepted: "a finite number ≥ 0" })
    }
}

/// The settings and the entry points that both descents share. The type has a field `limits`, and a method `go` that
/// goes down.
macro_rules! minimises {
    ($type:ident, steps = $steps:literal, infeasible = $infeasible:literal) => {
        impl $type {
            /// The length `θ` of a step that is short enough, finite and ≥ 0; default 1e-9. With 0 only a gradient of 0
            /// is.
            #[must_use]
            pub fn with_threshold(mut self, threshold: f64) -> Self {
                self.limits.threshold = threshold;
                self
            }

            #[doc = concat!(
                "Ends the run after this many steps. At least 1; default ",
                $steps,
                ". A budget on iterations takes its place."
            )]
            #[must_use]
            pub fn with_steps(mut self, steps: u64) -> Self {
                self.limits.steps = steps;
                self
            }

            #[doc = concat!(
                "Goes down from a start. [`Stop::Infeasible`](lm_core::Stop::Infeasible) says that ",
                $infeasible,
                "."
            )]
            ///
            /// # Errors
            /// [`Error::Setting`](lm_core::Error::Setting) for a setting outside its domain, `Length` or `NonFinite` for a
            /// start that does not fit, `TooLarge`, `Memory` or `Allocation` if there is no room for second derivatives
            /// that are needed, `Numerical` if the criterion is not finite on the way: the rate was too large.
            pub fn minimise<C: Criterion + ?Sized>(
                &self,
                criterion: &C,
                start: &[f64],
            ) -> Result<Fit<Vec<f64>, Stationarity>> {
                self.minimise_with(criterion, start, &Control::default(), &mut |_| {})
            }

            #[doc = concat!(
                "As [`",
                stringify!($type),
                "::minimise`], within the limits that `control` sets; `watch` is shown every point on the way, the start ",
                "included."
            )]
            ///
            /// # Errors
            #[doc = concat!("As [`", stringify!($type), "::minimise`].")]
            pub fn minimise_with<C: Criterion + ?Sized>(
                &self,
                criterion: &C,
                start: &[f64],
                control: &Control<'_>,
                watch: &mut dyn FnMut(&Visit<'_>),
            ) -> Result<Fit<Vec<f64>, Stationarity>> {
                self.limits.validate()?;
                self.go(criterion, start, control, watch)
            }
        }
    };
}
pub(crate) use minimises;

/// Repeats a step until one is shorter than the threshold, the gradient vanishes, no step can be made, or the budget is
/// used up. `step` is given the number of the step, counted from 1.
pub(crate) fn run<C: Criterion + ?Sized>(
    (criterion, start): (&C, &[f64]),
    control: &Control<'_>,
    limits: Limits,
    watch: &mut dyn FnMut(&Visit<'_>),
    mut step: impl FnMut(&mut State<'_, C>, u64) -> Result<Turn>,
) -> Result<Fit<Vec<f64>, Stationarity>> {
    let mut meter = control.start(limits.steps);
    let mut state = State::new(criterion, start)?;
    let mut before = state.a.clone();
    let mut stop = meter.advance(0, 0);
    loop {
        let (iteration, value, gradient_norm) = (meter.iterations(), state.value, state.gradient_norm);
        watch(&Visit { iteration, point: &state.a, value, gradient_norm });
        meter.observe(Some(value), Some(gradient_norm));
        if gradient_norm == 0.0 {
            return Ok(state.into_fit(Stop::Converged, None, &meter));
        }
        if let Some(stop) = stop {
            return Ok(state.into_fit(stop, None, &meter));
        }
        before.copy_from_slice(&state.a);
        match step(&mut state, iteration + 1)? {
            Turn::Flat(curvature) => return Ok(state.into_fit(Stop::Infeasible, Some(curvature), &meter)),
            Turn::Moved(length) => {
                state.evaluate()?;
                stop = meter.advance(1, 0);
                if length < limits.threshold {
                    stop = Some(Stop::Converged);
                } else if before == state.a {
                    stop = Some(Stop::Stalled);
                }
            }
        }
    }
}
