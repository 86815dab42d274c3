//! The words that settings share: passes, order, bias, radius, margin, schedule.

use lm_core::{Error, Result};

use crate::{Bias, Order};

/// How the examples are walked over, and what the bias does: the same for every procedure that sees one at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Walk {
    pub(crate) passes: u64,
    pub(crate) order: Order,
    pub(crate) bias: Bias,
    pub(crate) radius: Option<f64>,
}

impl Walk {
    pub(crate) fn new(passes: u64, bias: Bias) -> Self {
        Self { passes, order: Order::Given, bias, radius: None }
    }

    pub(crate) fn validate(&self) -> Result<()> {
        if self.passes == 0 {
            return Err(Error::Setting { name: "passes", value: 0.0, accepted: "an integer of at least 1" });
        }
        self.radius.map_or(Ok(()), check_radius)
    }
}

/// Checks a radius that the caller states.
pub(crate) fn check_radius(radius: f64) -> Result<()> {
    // The square is what is used.
    if radius > 0.0 && (radius * radius).is_finite() {
        return Ok(());
    }
    Err(Error::Setting { name: "radius", value: radius, accepted: "a number > 0 whose square is finite" })
}

/// Writes the setters of a settings type, each documented once. `passes`, `order`, `bias` and `radius` set the field
/// `walk`, the others a field of their name.
macro_rules! setters {
    ($($word:ident $(= $default:literal)?),* $(,)?) => { $(crate::words::setters! { @ $word $($default)? })* };
    (@ passes $default:literal) => {
        #[doc = concat!(
            "Ends the run after this many passes over the data, if it has not converged. At least 1; default ",
            $default,
            ". A budget on iterations takes its place."
        )]
        #[must_use]
        pub fn with_passes(mut self, passes: u64) -> Self {
            self.walk.passes = passes;
            self
        }
    };
    (@ order) => {
        /// The order in which a pass visits the examples. Default: as they are given. A random order costs an array of
        /// 32-bit numbers, one for each example, and reads memory in jumps.
        #[must_use]
        pub fn with_order(mut self, order: crate::Order) -> Self {
            self.walk.order = order;
            self
        }
    };
    (@ bias $default:literal) => {
        #[doc = concat!("How the bias moves along with the weights. Default: [`Bias::", $default, "`](crate::Bias).")]
        #[must_use]
        pub fn with_bias(mut self, bias: crate::Bias) -> Self {
            self.walk.bias = bias;
            self
        }
    };
    (@ radius) => {
        /// The `R` of [`Bias::Radius`](crate::Bias), where it is known beforehand. Above 0, with a finite square. Default:
        /// the largest norm of an example, which costs a look at all of them. A live learner, which does not have them,
        /// must be told.
        #[must_use]
        pub fn with_radius(mut self, radius: f64) -> Self {
            self.walk.radius = Some(radius);
            self
        }
    };
    (@ schedule $default:literal) => {
        #[doc = concat!("The learning rate of each correction. Default: ", $default, ".")]
        #[must_use]
        pub fn with_schedule(self, schedule: crate::Schedule) -> Self {
            Self { schedule, ..self }
        }
    };
    (@ margin $default:literal) => {
        #[doc = concat!(
            "The margin `b`: an example is corrected unless `y·g(x) > b`. ",
            $default
        )]
        #[must_use]
        pub fn with_margin(self, margin: f64) -> Self {
            Self { margin, ..self }
        }
    };
    (@ tolerance $meaning:literal) => {
        #[doc = $meaning]
        #[must_use]
        pub fn with_tolerance(self, tolerance: f64) -> Self {
            Self { tolerance, ..self }
        }
    };
}

pub(crate) use setters;

/// Checks that a share lies between 0 and 1, the latter excluded.
pub(crate) fn check_tolerance(tolerance: f64) -> Result<()> {
    if (0.0..1.0).contains(&tolerance) {
        return Ok(());
    }
    Err(Error::Setting { name: "tolerance", value: tolerance, accepted: "at least 0, below 1" })
}

/// Writes the fit of a rule: validate, walk, trace.
macro_rules! fit_by_rule {
    ($settings:ty, $rule:ty) => {
        impl<E: lm_core::Examples + ?Sized> lm_core::Learner<E, lm_core::BinaryLabels> for $settings {
            type Model = lm_core::Linear;
            type Certificate = crate::Trace<$rule>;

            fn fit_with(
                &self,
                set: &lm_core::TrainingSet<'_, E, lm_core::BinaryLabels>,
                control: &lm_core::Control<'_>,
            ) -> lm_core::Result<lm_core::Fit<lm_core::Linear, crate::Trace<$rule>>> {
                self.validate()?;
                crate::fit::fit(self.rule(), &self.walk, set, control)
            }
        }

        impl $settings {
            /// A learner that takes examples as they come, without end.
            ///
            /// # Errors
            /// As [`Live::new`](crate::Live::new); [`Error::Setting`](lm_core::Error::Setting) for a setting outside its
            /// domain.
            pub fn live(&self, dim: usize) -> lm_core::Result<crate::Live<$rule>> {
                self.validate()?;
                crate::Live::new(self.rule(), dim, self.walk.bias, self.walk.radius)
            }
        }
    };
}

pub(crate) use fit_by_rule;

/// Names the kind under which a rule is kept.
macro_rules! kind {
    ($type:ty, $name:literal) => {
        #[cfg(feature = "persist")]
        impl lm_core::persist::Persist for $type {
            const KIND: &'static str = $name;
            const VERSION: u16 = 1;
        }
    };
}

pub(crate) use kind;
