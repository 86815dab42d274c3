//! An expansion in kernel values over kept support vectors.

use std::sync::OnceLock;

use super::{Hypothesis, Lift, SupportVectors, check_coefficients, check_finite, check_out, together};
use crate::engine::{Coefficients, Engine, View};
use crate::gram::{Layout, Precision};
use crate::kernel::VectorKernel;
use crate::labels::Sign;
use crate::{Dense, Error, Examples, Result, Selection};

/// `f(x) = Σⱼ cⱼ K(xⱼ, x) + b`, over support vectors that it owns.
///
/// ```
/// use lm_core::{Dense, SupportVectors, VectorExpansion, VectorKernel};
///
/// let support = SupportVectors::DenseF64(Dense::new(vec![1.0, 0.0, 0.0, 1.0], 2, 2)?);
/// let f = VectorExpansion::new(VectorKernel::linear(), support, vec![2.0, -1.0], 0.5)?;
/// assert_eq!(f.decision(&[3.0, 4.0])?, 2.5);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "super::stored::StoredExpansion"))]
pub struct VectorExpansion {
    kernel: VectorKernel,
    support: SupportVectors,
    #[cfg_attr(feature = "serde", serde(with = "crate::serde_array"))]
    coefficients: Vec<f64>,
    bias: f64,
    #[cfg_attr(feature = "serde", serde(skip))]
    packed: Packed,
}

/// The support vectors, packed when the first decision value is asked for. Not a part of the function itself: copies
/// start without it, and it makes no difference to equality.
#[derive(Debug, Default)]
struct Packed(OnceLock<Engine>);

impl Clone for Packed {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Packed {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl VectorExpansion {
    /// An expansion over these vectors.
    ///
    /// # Errors
    /// [`Error::Length`] unless there is one coefficient per vector, [`Error::NonFinite`] or [`Error::Numerical`] if
    /// one is not finite.
    pub fn new(
        kernel: VectorKernel,
        support: SupportVectors,
        coefficients: Vec<f64>,
        bias: f64,
    ) -> Result<Self> {
        let expected = support.as_examples().len();
        if coefficients.len() != expected {
            return Err(Error::Length {
                what: "the list of coefficients",
                expected,
                found: coefficients.len(),
            });
        }
        check_coefficients("coefficient", &coefficients, bias)?;
        Ok(Self { kernel, support, coefficients, bias, packed: Packed::default() })
    }

    /// The kernel.
    pub fn kernel(&self) -> VectorKernel {
        self.kernel
    }

    /// The support vectors.
    pub fn support(&self) -> &SupportVectors {
        &self.support
    }

    /// The coefficient of each support vector.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// The bias `b`.
    pub fn bias(&self) -> f64 {
        self.bias
    }

    /// The decision value of one example.
    ///
    /// # Errors
    /// [`Error::Length`] for another dimension, [`Error::NonFinite`] for an example that is not finite,
    /// [`Error::Numerical`] if the value overflows.
    pub fn decision(&self, example: &[f64]) -> Result<f64> {
        let mut value = [0.0];
        self.decision_values_into(&Dense::single(example)?, &mut value)?;
        Ok(value[0])
    }

    /// The decision value of every member of a set, each with an error of at most `tolerance` beside that of double
    /// precision: by single precision where the bound on its error allows it, at up to half the cost.
    ///
    /// ```
    /// use lm_core::{Dense, Hypothesis, SupportVectors, VectorExpansion, VectorKernel};
    ///
    /// let support = SupportVectors::DenseF64(Dense::new(vec![1.5, 0.25, 0.1, 1.0], 2, 2)?);
    /// let f = VectorExpansion::new(VectorKernel::gaussian(0.5)?, support, vec![2.0, -1.0], 0.5)?;
    /// let points = Dense::new(vec![3.0, 4.0, 0.5, 0.1], 2, 2)?;
    /// let (fast, exact) = (f.decision_values_within(&points, 1e-4)?, f.decision_values(&points)?);
    /// assert!(fast.iter().zip(&exact).all(|(a, b)| (a - b).abs() <= 1e-4));
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Hypothesis::decision_values_into`]; [`Error::Setting`] unless the tolerance is > 0.
    pub fn decision_values_within<E: Examples + ?Sized>(&self, set: &E, tolerance: f64) -> Result<Vec<f64>> {
        if !(tolerance > 0.0) {
            return Err(Error::Setting { name: "tolerance", value: tolerance, accepted: "a number > 0" });
        }
        let mut out = vec![0.0; set.len()];
        let Some(engine) = self.engine() else {
            self.decision_values_into(set, &mut out)?;
            return Ok(out);
        };
        let support = self.support.as_examples();
        let bounds = self.bounds(engine, &View(set));
        let within = bounds.iter().all(|bound| *bound <= tolerance);
        let precision = if within { Precision::F32 } else { Precision::F64 };
        self.check(set, &out)?;
        out.fill(self.bias);
        engine.expand(support, &View(set), &Coefficients::single(&self.coefficients), precision, &mut out)?;
        check_finite(&out).map(|()| out)
    }

    /// How the support vectors are packed; none, if there are none.
    pub fn layout(&self) -> Option<Layout> {
        self.engine().map(|engine| engine.plan().layout())
    }

    /// The packed support vectors; none, if there are none.
    fn engine(&self) -> Option<&Engine> {
        let support = self.support.as_examples();
        let made = || self.packed.0.get_or_init(|| Engine::for_expansion(support, self.kernel));
        (!support.is_empty()).then(made)
    }

    fn check<E: Examples + ?Sized>(&self, set: &E, out: &[f64]) -> Result<()> {
        set.check_dim("a support vector", self.support.as_examples().dim())?;
        check_out(set, out)
    }

    /// For each member of a set, a bound on how far its decision values in single and in double precision are apart.
    fn bounds(&self, engine: &Engine, set: &dyn Examples) -> Vec<f64> {
        // A little more for the rounding of the sums, which is 2⁻²⁹ of the bound for each term.
        let sums = 1.0 + self.coefficients.len() as f64 * 2.0_f64.powi(-28);
        let sizes = sums * self.coefficients.iter().map(|c| c.abs()).sum::<f64>();
        engine.query_bounds(self.support.as_examples(), set).into_iter().map(|bound| bound * sizes).collect()
    }
}

impl<E: Examples + ?Sized> Hypothesis<E> for VectorExpansion {
    fn decision_values_into(&self, set: &E, out: &mut [f64]) -> Result<()> {
        self.check(set, out)?;
        out.fill(self.bias);
        if let Some(engine) = self.engine() {
            let (support, parts) = (self.support.as_examples(), Coefficients::single(&self.coefficients));
            engine.expand(support, &View(set), &parts, Precision::F64, out)?;
        }
        check_finite(out)
    }

    /// By single precision first. Where the bound on its error leaves the side in doubt, the value is computed again in
    /// double precision: the sides are those of [`Hypothesis::decision_values`].
    fn signs(&self, set: &E) -> Result<Vec<Sign>> {
        let mut values = vec![self.bias; set.len()];
        self.check(set, &values)?;
        let Some(engine) = self.engine() else {
            return Ok(values.into_iter().map(Sign::of).collect());
        };
        let (support, parts) = (self.support.as_examples(), Coefficients::single(&self.coefficients));
        engine.expand(support, &View(set), &parts, Precision::F32, &mut values)?;
        let bounds = self.bounds(engine, &View(set));
        // Written so that NaN is in doubt.
        let doubtful = |row: &usize| !(values[*row].abs() > bounds[*row]);
        let rows: Vec<usize> = (0..set.len()).filter(doubtful).collect();
        if !rows.is_empty() {
            let mut again = vec![self.bias; rows.len()];
            let some = Selection::new(set, &rows)?;
            engine.expand(support, &some, &parts, Precision::F64, &mut again)?;
            rows.iter().zip(again).for_each(|(&row, value)| values[row] = value);
        }
        check_finite(&values)?;
        Ok(values.into_iter().map(Sign::of).collect())
    }

    fn together(models: &[Self], set: &E, take: &mut dyn FnMut(usize, &[f64])) -> Result<bool> {
        together::decisions(models, set, take)
    }
}

impl Lift for VectorExpansion {
    fn lifted(self, _: &[usize]) -> Result<Self> {
        Ok(self)
    }
}
