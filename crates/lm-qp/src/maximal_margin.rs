//! The maximal margin machine, as the nearest points of two convex hulls.
//!
//! ```text
//! maximise the margin γ             of a hyperplane with every example on its side
//! minimise ½‖Σ λᵢyᵢφ(xᵢ)‖²          subject to λ ≥ 0 with sum 1 over the positive and over the negative examples
//! ```
//! The second problem finds the nearest points of the convex hulls of the two classes. It always has a solution: their
//! distance is `2γ`, and where the hulls meet, `λ` is the proof that no hyperplane separates the examples. The dual of the
//! textbook, `max Σα − ½ΣΣ ααyyK` without upper bounds, has the solution `α = λ/(2γ²)`, and none where the hulls meet.

use lm_core::{BinaryLabels, Collection, Result, TrainingSet};

use crate::certificate::DualCertificate;
use crate::formulation::{Formulation, learner};
use crate::problem::{Balance, DualProblem, Multipliers};
use crate::solver::Solver;

/// The settings of the maximal margin machine.
///
/// The model is in canonical form: the examples nearest to the hyperplane have decision values ±1. Where the hulls of the
/// classes are nearer than `1.4e-7` of the largest norm of an example, [`Report::stop`](lm_core::Report) is
/// [`Stop::Infeasible`](lm_core::Stop), and the certificate proves that no margin is larger than
/// [`DualCertificate::margin_at_most`]. A weight counts only by being 0 or not. For vectors without a kernel
/// [`separate`](crate::separate) decides sharply, however near the hulls are, and proves the answer;
/// [`separate_gram`](crate::separate_gram) does so for a small Gram matrix.
///
/// ```
/// use lm_core::{BinaryLabels, Dense, Learner, Stop, VectorGram, VectorKernel};
/// use lm_qp::MaximalMargin;
///
/// let examples = Dense::new(vec![0.0, 0.0, 3.0, 4.0], 2, 2)?;
/// let labels = BinaryLabels::from_integers(&[-1, 1])?;
/// let gram = VectorGram::new(&examples, VectorKernel::linear())?;
/// let fit = MaximalMargin::default().fit(&gram, &labels)?.converged()?;
/// assert!((fit.certificate.margin_at_most() - 2.5).abs() < 1e-12);
/// assert!((fit.model.coefficients()[0] + 2.0 / 25.0).abs() < 1e-12);
///
/// // −1 between two +1 on a line.
/// let examples = Dense::new(vec![0.0, 1.0, 2.0], 3, 1)?;
/// let labels = BinaryLabels::from_integers(&[1, -1, 1])?;
/// let gram = VectorGram::new(&examples, VectorKernel::linear())?;
/// let fit = MaximalMargin::default().fit(&gram, &labels)?;
/// assert_eq!(fit.report.stop, Stop::Infeasible);
/// assert!(fit.certificate.margin_at_most() < 1e-6);
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MaximalMargin {
    solver: Solver,
}

impl Formulation<BinaryLabels> for MaximalMargin {
    fn problem<S: Collection + ?Sized>(&self, set: &TrainingSet<'_, S, BinaryLabels>) -> Result<DualProblem> {
        let signs = set.labels().values();
        let bound = |side: f64| {
            // More than the sum of a side allows: at a bound of 1 an example that is alone on its side would leave its
            // multiplier open, and with it the place of the hyperplane.
            let most = move |(row, &sign): (usize, &f64)| {
                if sign == side && set.weight(row) > 0.0 { 2.0 * side } else { 0.0 }
            };
            signs.iter().enumerate().map(most).collect::<Vec<f64>>()
        };
        let balance = Balance::Sides { positive: 1.0, negative: 1.0 };
        DualProblem::new(bound(-1.0), bound(1.0), vec![0.0; set.len()], balance)
    }

    fn solver(&self) -> Solver {
        self.solver
    }

    fn scale(&self, multipliers: Multipliers) -> f64 {
        canonical(multipliers)
    }

    fn nought(&self, largest: f64) -> Option<f64> {
        Some(1e-14 * largest)
    }
}

/// The factor that puts the margin of a machine at ±1, where it has one.
pub(crate) fn canonical(multipliers: Multipliers) -> f64 {
    let factor = 1.0 / multipliers.rho();
    if multipliers.rho() > 0.0 && factor.is_finite() { factor } else { 1.0 }
}

impl DualCertificate<MaximalMargin> {
    /// Half the distance between the two points of the hulls: no hyperplane has a larger margin. It is the margin of the
    /// machine itself as far as the gap is closed.
    pub fn margin_at_most(&self) -> f64 {
        (-0.5 * self.figures().dual).max(0.0).sqrt()
    }

    /// The margin that the multipliers prove to be there: the hulls are at least twice as far apart. With
    /// [`DualCertificate::margin_at_most`] it encloses the margin of the set, up to rounding; 0 proves nothing.
    ///
    /// ```
    /// use lm_core::{BinaryLabels, Dense, Learner, VectorGram, VectorKernel};
    /// use lm_qp::MaximalMargin;
    ///
    /// let examples = Dense::new(vec![0.0, 0.5, 3.5, 7.0], 4, 1)?;
    /// let labels = BinaryLabels::from_integers(&[-1, -1, 1, 1])?;
    /// let gram = VectorGram::new(&examples, VectorKernel::linear())?;
    /// let fit = MaximalMargin::default().fit(&gram, &labels)?.converged()?;
    /// let enclosed = fit.certificate.margin_at_least()..=fit.certificate.margin_at_most() * (1.0 + 1e-15);
    /// assert!(enclosed.contains(&1.5) && enclosed.end() - enclosed.start() < 1e-5);
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    pub fn margin_at_least(&self) -> f64 {
        (-0.5 * self.figures().primal).max(0.0).sqrt()
    }
}

learner!(MaximalMargin, BinaryLabels);

#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::{Dense, Learner, Margins, VectorGram, VectorKernel};

    #[test]
    fn an_example_alone_on_its_side_keeps_the_hyperplane_halfway() {
        // The hyperplane is x = 2; of the negative class one example supports it, and another one is far away.
        let points = [[0.0, 0.0], [-3.0, 0.5], [4.0, 1.0], [4.0, -1.0], [7.0, 0.0]];
        let examples = Dense::from_rows(&points).unwrap();
        let labels = BinaryLabels::from_integers(&[-1, -1, 1, 1, 1]).unwrap();
        let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
        let fit = MaximalMargin::default().with_gap(1e-12).fit(&gram, &labels).unwrap().converged().unwrap();
        let machine = fit.model.over_columns(&examples).unwrap();
        for (found, expected) in machine.weights().iter().chain([&machine.bias()]).zip([0.5, 0.0, -1.0]) {
            assert!((found - expected).abs() < 1e-9, "{machine:?}");
        }
        let set = TrainingSet::new(&gram, &labels).unwrap();
        let margins = Margins::in_feature_space(&fit.model, &set).unwrap();
        assert!((margins.minimum() - 2.0).abs() < 1e-9);
        let (least, most) = (fit.certificate.margin_at_least(), fit.certificate.margin_at_most());
        assert!(least <= 2.0 + 1e-12 && most >= 2.0 - 1e-12 && most - least < 1e-9, "{least} {most}");
    }

    #[test]
    fn the_scale_is_one_over_the_margin_variable() {
        assert_eq!(canonical(Multipliers { positive: -3.0, negative: 1.0 }), 0.5);
        // Hulls that meet have no margin, and the coefficients stay as they are.
        for none in [0.0, f64::NAN, -1.0, 1e-320] {
            assert_eq!(canonical(Multipliers { positive: -none, negative: none }), 1.0, "{none}");
        }
    }
}
