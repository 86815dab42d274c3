//! One problem, solved twice by methods that share nothing but the problem.

use lm_core::{Control, DualityFigures, Gram, Labelling, Result, TrainingSet};

use crate::formulation::{Formulation, fit_by};
use crate::solver::Method;

/// What two solvers found: the figures of their certificates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CrossCheck {
    /// Of the machine found by pairs of coefficients.
    pub pairs: DualityFigures,
    /// Of the machine found by the interior-point and the active-set method.
    pub interior: DualityFigures,
}

impl CrossCheck {
    /// By how much the two enclosures of the optimum miss each other, in parts of the larger value: 0 where they overlap,
    /// as they must but for rounding.
    pub fn apart(&self) -> f64 {
        let (a, b) = (&self.pairs, &self.interior);
        let between = (a.dual - b.primal).max(b.dual - a.primal).max(0.0);
        let scale = [a.primal, a.dual, b.primal, b.dual].iter().fold(0.0, |s: f64, v| s.max(v.abs()));
        if between == 0.0 { 0.0 } else { between / scale }
    }

    /// Whether the enclosures overlap up to this share of the optimum.
    pub fn agrees_to(&self, share: f64) -> bool {
        self.apart() <= share
    }
}

/// Solves the problem of a machine by pairs, then by the interior-point method, and returns both certificates' figures.
///
/// Each enclosure holds whatever its solver did, so two that do not overlap show an error in one of the solvers, in the
/// certificate or in the Gram matrix. The second method needs the matrix in memory three times.
///
/// ```
/// use lm_core::{BinaryLabels, Control, Dense, TrainingSet, VectorGram, VectorKernel};
/// use lm_qp::{CSvc, cross_check};
///
/// let examples = Dense::new(vec![0.0, 0.1, 0.3, 0.7, 0.9, 1.0], 6, 1)?;
/// let labels = BinaryLabels::from_integers(&[-1, 1, -1, 1, -1, 1])?;
/// let gram = VectorGram::new(&examples, VectorKernel::gaussian(2.0)?)?;
/// let found = cross_check(&CSvc::default(), &TrainingSet::new(&gram, &labels)?, &Control::default())?;
/// assert!(found.agrees_to(1e-12));
/// # Ok::<(), lm_core::Error>(())
/// ```
///
/// # Errors
/// As `fit_with` of the machine, and [`Error::Memory`](lm_core::Error::Memory) if the budget has no room for the matrices.
pub fn cross_check<F, G, L>(
    machine: &F,
    set: &TrainingSet<'_, G, L>,
    control: &Control<'_>,
) -> Result<CrossCheck>
where
    F: Formulation<L>,
    G: Gram + ?Sized,
    L: Labelling,
{
    let by = |method| {
        let solver = machine.solver().with_method(method);
        Ok(fit_by(machine, &solver, set, control, None)?.certificate.figures())
    };
    Ok(CrossCheck { pairs: by(Method::Pairs)?, interior: by(Method::InteriorPoint)? })
}
