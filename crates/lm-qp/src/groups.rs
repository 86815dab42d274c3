//! The groups of examples by their coefficients: without one, between the bounds, at a bound.

use lm_core::{Error, Gram, Labelling, Result, TrainingSet};

use crate::certificate::DualCertificate;
use crate::formulation::Formulation;

/// The variables of a solved problem by where their coefficients stand.
///
/// For the 1-norm machine these are the examples with margin at least 1, those at margin 1 from which the bias follows, and
/// those that may have slack; for a regression those within the tube, on its edge and outside. Variables are examples,
/// unless the formulation has copies of them: copy after copy then, as in [`DualCertificate::coefficients`].
///
/// Bounds are compared without a tolerance, since the solver ends on them exactly: what is said is where the coefficients
/// are, and the certificate says how far they are from the best ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Groups {
    none: Vec<usize>,
    between: Vec<usize>,
    bound: Vec<usize>,
}

impl Groups {
    /// The variables whose coefficient is 0, in increasing order.
    pub fn none(&self) -> &[usize] {
        &self.none
    }

    /// The variables whose coefficient is neither 0 nor at a bound, in increasing order.
    pub fn between(&self) -> &[usize] {
        &self.between
    }

    /// The variables whose coefficient is at a bound other than 0, in increasing order.
    pub fn bound(&self) -> &[usize] {
        &self.bound
    }

    /// The number of variables with a coefficient: the support vectors.
    pub fn support(&self) -> usize {
        self.between.len() + self.bound.len()
    }
}

impl<F> DualCertificate<F> {
    /// The groups of the variables; the bounds are built from labels and weights of the set that was learned from.
    ///
    /// ```
    /// use lm_core::{BinaryLabels, Dense, Learner, TrainingSet, VectorGram, VectorKernel};
    /// use lm_qp::CSvc;
    ///
    /// // On a line: two examples on the wrong side of each other, two that settle the margin, two far away.
    /// let examples = Dense::new(vec![-4.0, -1.0, 0.5, -0.5, 1.0, 4.0], 6, 1)?;
    /// let labels = BinaryLabels::from_integers(&[-1, -1, -1, 1, 1, 1])?;
    /// let gram = VectorGram::new(&examples, VectorKernel::linear())?;
    /// let fit = CSvc::default().with_cost(2.0).fit(&gram, &labels)?.converged()?;
    /// let groups = fit.certificate.groups(&TrainingSet::new(&gram, &labels)?)?;
    /// assert_eq!((groups.none(), groups.between(), groups.bound()), (&[0, 5][..], &[1, 4][..], &[2, 3][..]));
    /// # Ok::<(), lm_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Length`] for a set of another size, and as [`Formulation::problem`].
    pub fn groups<G, L>(&self, set: &TrainingSet<'_, G, L>) -> Result<Groups>
    where
        F: Formulation<L>,
        G: Gram + ?Sized,
        L: Labelling,
    {
        let problem = self.formulation().problem(set)?;
        let beta = self.coefficients();
        if beta.len() != problem.len() {
            let (expected, found) = (problem.len(), beta.len());
            return Err(Error::Length { what: "the coefficients", expected, found });
        }
        let mut groups = Groups { none: Vec::new(), between: Vec::new(), bound: Vec::new() };
        for (i, &value) in beta.iter().enumerate() {
            let group = if value == 0.0 {
                &mut groups.none
            } else if problem.lower()[i] < value && value < problem.upper()[i] {
                &mut groups.between
            } else {
                &mut groups.bound
            };
            group.push(i);
        }
        Ok(groups)
    }
}

#[cfg(test)]
mod tests {
    use lm_core::{
        BinaryLabels, Control, Dense, Learner, Targets, TrainingSet, VectorGram, VectorKernel, Weights,
    };

    use super::*;
    use crate::{CSvc, EpsilonSvr, MixedSvc, TwoNormSvc};

    /// Three points on a line and the slope ½ of the flattest line within ½ of them: the middle one is inside the tube.
    #[test]
    fn the_edge_of_a_tube_is_between_the_bounds() {
        let examples = Dense::new(vec![-1.0, 0.0, 1.0, 3.0], 4, 1).unwrap();
        let targets = Targets::new(vec![-1.0, 0.1, 1.0, -20.0]).unwrap();
        let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
        let weights = Weights::new(vec![1.0, 1.0, 1.0, 0.001]).unwrap();
        let set = TrainingSet::new(&gram, &targets).unwrap().with_weights(&weights).unwrap();
        let machine = EpsilonSvr::default().with_cost(10.0).with_epsilon(0.5).with_gap(1e-10);
        let fit = machine.fit_with(&set, &Control::default()).unwrap().converged().unwrap();
        let groups = fit.certificate.groups(&set).unwrap();
        // The far target may pull by 0.001·C = 0.01 only: its bound is its own.
        assert_eq!(groups.bound(), [3]);
        assert_eq!((groups.none(), groups.between()), (&[1][..], &[0, 2][..]));
        assert_eq!(groups.support(), 3);
    }

    #[test]
    fn squared_slack_has_no_bound_and_copies_are_counted_one_after_another() {
        let examples = Dense::new(vec![0.0, 1.0, 0.9, 2.0], 4, 1).unwrap();
        let labels = BinaryLabels::from_integers(&[-1, -1, 1, 1]).unwrap();
        let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
        let set = TrainingSet::new(&gram, &labels).unwrap();
        let squared = TwoNormSvc::default().fit(&gram, &labels).unwrap();
        assert!(squared.certificate.groups(&set).unwrap().bound().is_empty());
        let mixed = MixedSvc::default().with_costs(0.1, 1.0).fit(&gram, &labels).unwrap();
        let groups = mixed.certificate.groups(&set).unwrap();
        assert_eq!(groups.none().len() + groups.support(), 8);
        // Where there is slack, the linear cost is paid in full.
        assert_eq!(groups.bound(), [0, 1, 2, 3]);
    }

    #[test]
    fn a_set_of_another_size_is_refused() {
        let labels = BinaryLabels::from_integers(&[-1, 1]).unwrap();
        let examples = Dense::new(vec![0.0, 1.0], 2, 1).unwrap();
        let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
        let fit = CSvc::default().fit(&gram, &labels).unwrap();
        let more = Dense::new(vec![0.0, 1.0, 2.0], 3, 1).unwrap();
        let more = VectorGram::new(&more, VectorKernel::linear()).unwrap();
        let three = BinaryLabels::from_integers(&[-1, 1, 1]).unwrap();
        let refused = fit.certificate.groups(&TrainingSet::new(&more, &three).unwrap());
        assert!(matches!(refused, Err(Error::Length { expected: 3, found: 2, .. })));
    }
}
