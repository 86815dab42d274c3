//! The 1-norm soft margin machine (C-SVC).
//!
//! ```text
//! primal:  minimise ½‖w‖² + C Σ ξᵢ           subject to yᵢ(⟨w·φ(xᵢ)⟩ + b) ≥ 1 − ξᵢ,  ξᵢ ≥ 0
//! dual:    maximise Σαᵢ − ½ ΣΣ αᵢαⱼyᵢyⱼKᵢⱼ   subject to 0 ≤ αᵢ ≤ C,  Σ αᵢyᵢ = 0
//! ```
//! A weight multiplies the cost `C` of its example, which is what that many copies of the example would do.

use lm_core::{BinaryLabels, Collection, Result, TrainingSet};

use crate::bias::Bias;
use crate::formulation::{Formulation, check_positive, learner, weights};
use crate::problem::{Balance, DualProblem};
use crate::solver::Solver;

/// The settings of the 1-norm soft margin machine.
///
/// ```
/// use lm_core::{BinaryLabels, Certificate, Dense, Hypothesis, Learner, TrainingSet, VectorGram, VectorKernel};
/// use lm_qp::CSvc;
///
/// // Exclusive or, separated by the products of the coordinates.
/// let examples = Dense::new(vec![1.0, 1.0, -1.0, -1.0, 1.0, -1.0, -1.0, 1.0], 4, 2)?;
/// let labels = BinaryLabels::from_integers(&[1, 1, -1, -1])?;
/// let gram = VectorGram::new(&examples, VectorKernel::polynomial(2, 1.0, 1.0)?)?;
/// let fit = CSvc::default().with_cost(10.0).fit(&gram, &labels)?.converged()?;
/// assert_eq!(fit.model.signs(&gram)?, labels.signs());
/// assert!(fit.certificate.figures().relative_gap() <= 1e-6);
/// assert!(fit.certificate.verify(&TrainingSet::new(&gram, &labels)?)?.is_valid());
/// # Ok::<(), lm_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CSvc {
    cost: f64,
    shared: bool,
    bias: Bias,
    solver: Solver,
}

impl Default for CSvc {
    fn default() -> Self {
        Self { cost: 1.0, shared: false, bias: Bias::Free, solver: Solver::default() }
    }
}

impl CSvc {
    /// A machine whose cost is shared out among the examples: `C/n` each, or `C·wᵢ/Σw` with weights.
    ///
    /// ```
    /// use lm_core::{BinaryLabels, Dense, Learner, VectorGram, VectorKernel};
    /// use lm_qp::CSvc;
    ///
    /// let examples = Dense::new(vec![0.0, 1.0, 0.9, 2.0], 4, 1)?;
    /// let labels = BinaryLabels::from_integers(&[0, 0, 1, 1])?;
    /// let gram = VectorGram::new(&examples, VectorKernel::linear())?;
    /// let shared = CSvc::sharing_cost(8.0).fit(&gram, &labels)?;
    /// let each = CSvc::default().with_cost(2.0).fit(&gram, &labels)?;
    /// assert_eq!(shared.model, each.model);
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    #[must_use]
    pub fn sharing_cost(cost: f64) -> Self {
        Self { cost, shared: true, ..Self::default() }
    }

    /// The cost `C` of a unit of slack, finite and > 0; default 1. A larger cost takes more iterations.
    #[must_use]
    pub fn with_cost(self, cost: f64) -> Self {
        Self { cost, ..self }
    }

    /// What is done about the bias; default [`Bias::Free`].
    #[must_use]
    pub fn with_bias(self, bias: Bias) -> Self {
        Self { bias, ..self }
    }

    /// The cost `C`.
    pub fn cost(&self) -> f64 {
        self.cost
    }
}

/// The problem of a classifier whose examples have these largest multipliers.
pub(crate) fn classification<S: Collection + ?Sized>(
    set: &TrainingSet<'_, S, BinaryLabels>,
    most: &[f64],
    bias: Bias,
) -> Result<DualProblem> {
    let signs = set.labels().values();
    let balance = if bias == Bias::Free { Balance::Total(0.0) } else { Balance::Open };
    let upper = most.iter().zip(&signs).map(|(&most, &sign)| if sign > 0.0 { most } else { 0.0 }).collect();
    let lower = most.iter().zip(&signs).map(|(&most, &sign)| if sign > 0.0 { 0.0 } else { -most }).collect();
    DualProblem::new(lower, upper, signs.iter().map(|sign| -sign).collect(), balance)
}

impl Formulation<BinaryLabels> for CSvc {
    fn problem<S: Collection + ?Sized>(&self, set: &TrainingSet<'_, S, BinaryLabels>) -> Result<DualProblem> {
        check_positive("cost", self.cost)?;
        let weights = weights(set);
        let cost = if self.shared { self.cost / weights.iter().sum::<f64>() } else { self.cost };
        let most: Vec<f64> = weights.iter().map(|weight| cost * weight).collect();
        classification(set, &most, self.bias)
    }

    fn solver(&self) -> Solver {
        self.solver
    }

    fn bias(&self) -> Bias {
        self.bias
    }

    fn is_sum_of_losses(&self) -> bool {
        !self.shared
    }
}

learner!(CSvc, BinaryLabels);
#[cfg(test)]
mod tests {
    use super::*;
    use lm_core::{
        Budget, Certificate, Control, Dense, Error, Hypothesis, Learner, Stop, VectorGram, VectorKernel,
        Weights,
    };

    fn xor() -> (Dense<'static>, BinaryLabels) {
        let examples = Dense::new(vec![1.0, 1.0, -1.0, -1.0, 1.0, -1.0, -1.0, 1.0], 4, 2).unwrap();
        (examples, BinaryLabels::from_integers(&[1, 1, -1, -1]).unwrap())
    }

    #[test]
    fn exclusive_or_has_multipliers_of_an_eighth() {
        let (examples, labels) = xor();
        let gram = VectorGram::new(&examples, VectorKernel::polynomial(2, 1.0, 1.0).unwrap()).unwrap();
        let fit = CSvc::default()
            .with_cost(100.0)
            .with_gap(1e-12)
            .fit(&gram, &labels)
            .unwrap()
            .converged()
            .unwrap();
        for &alpha in &fit.certificate.alpha() {
            assert!((alpha - 0.125).abs() < 1e-12, "{alpha}");
        }
        assert!(fit.model.bias().abs() < 1e-12);
        let machine = fit.model.over_vectors(&examples, gram.kernel()).unwrap();
        assert!((machine.decision(&[0.5, 3.0]).unwrap() - 1.5).abs() < 1e-12); // g(x) = x₁x₂
    }

    #[test]
    fn a_weight_of_two_is_two_copies() {
        let values = [0.0, 0.4, 0.9, 0.5, 1.2, 2.0];
        let labels = [-1, -1, -1, 1, 1, 1];
        let once = Dense::new(values.to_vec(), 6, 1).unwrap();
        let mut doubled = values.to_vec();
        doubled.push(0.9);
        let twice = Dense::new(doubled, 7, 1).unwrap();
        let kernel = VectorKernel::gaussian(1.0).unwrap();
        let (a, b) = (VectorGram::new(&once, kernel).unwrap(), VectorGram::new(&twice, kernel).unwrap());
        let (la, lb) = (
            BinaryLabels::from_integers(&labels).unwrap(),
            BinaryLabels::from_integers(&[-1, -1, -1, 1, 1, 1, -1]).unwrap(),
        );
        let weights = Weights::new(vec![1.0, 1.0, 2.0, 1.0, 1.0, 1.0]).unwrap();
        let set = TrainingSet::new(&a, &la).unwrap().with_weights(&weights).unwrap();
        let machine = CSvc::default().with_gap(1e-10);
        let weighted = machine.fit_with(&set, &Control::default()).unwrap();
        let repeated = machine.fit(&b, &lb).unwrap();
        let (x, y) = (weighted.certificate.figures(), repeated.certificate.figures());
        assert!((x.dual - y.dual).abs() < 1e-9 * x.dual);
        assert!(weighted.certificate.verify(&set).unwrap().is_valid());
    }

    #[test]
    fn a_stopped_run_is_honest_about_its_gap() {
        let (examples, labels) = xor();
        let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
        let set = TrainingSet::new(&gram, &labels).unwrap();
        let control = Control::new(Budget::default().with_iterations(1));
        let fit = CSvc::default().fit_with(&set, &control).unwrap();
        assert_eq!(fit.report.stop, Stop::Iterations);
        assert!(fit.certificate.figures().relative_gap() > 1e-6);
        assert!(fit.certificate.verify(&set).unwrap().is_valid());
        let solved = CSvc::default().fit(&gram, &labels).unwrap().converged().unwrap();
        assert!(solved.model.decision_values(&gram).unwrap().iter().all(|value| value.abs() < 1e-6));
    }

    #[test]
    fn settings_outside_their_domain_are_named() {
        let (examples, labels) = xor();
        let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let refused = CSvc::default().with_cost(bad).fit(&gram, &labels);
            assert!(matches!(refused, Err(Error::Setting { name: "cost", .. })));
        }
        for bad in [0.0, 1.0, f64::NAN] {
            let refused = CSvc::default().with_gap(bad).fit(&gram, &labels);
            assert!(matches!(refused, Err(Error::Setting { name: "gap", .. })));
        }
    }
}
