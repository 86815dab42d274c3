//! The conformance suite, tested on learners whose faults are known.

use lm_core::OverVectors;
use lm_core::multiclass::{Dag, LinearMachineLearner, OneVsOne, OneVsRest};
use lm_core::persist::Persist;
use lm_core::testing::close;
use lm_core::testing::conformance::{AnyExamples, Check, Suite, assert_conforms};
use lm_core::{
    BinaryLabels, Control, Examples, Fit, Hypothesis, Learner, Linear, Result, Stop, Targets, TrainingSet,
    VectorKernel,
};

use crate::means::{Flaw, KernelMeans, Means, MeansClaim};

/// `f(x) = ⟨w·x⟩ + b` with `w` the covariance of columns and target, shrunk by the total variance.
#[derive(Default)]
struct Covariance {
    backwards: bool,
}

impl<E: Examples + ?Sized> Learner<E, Targets> for Covariance {
    type Model = Linear;
    type Certificate = ();

    fn fit_with(&self, set: &TrainingSet<'_, E, Targets>, control: &Control<'_>) -> Result<Fit<Linear, ()>> {
        let (examples, y, dim) = (set.examples(), set.labels().values(), set.examples().dim());
        let rows = || 0..set.len();
        let total: f64 = rows().map(|row| set.weight(row)).sum();
        let target = rows().map(|row| set.weight(row) / total * y[row]).sum::<f64>();
        let mut centre = vec![0.0; dim];
        rows().for_each(|row| examples.add_scaled(row, set.weight(row) / total, &mut centre));
        let (mut w, mut variance, mut x) = (vec![0.0; dim], 0.0, vec![0.0; dim]);
        for row in rows() {
            examples.row(row).write_to(&mut x);
            for (k, (x, centre)) in x.iter().zip(&centre).enumerate() {
                w[k] += set.weight(row) / total * (x - centre) * (y[row] - target);
                variance += set.weight(row) / total * (x - centre) * (x - centre);
            }
        }
        let scale = if self.backwards { -1.0 } else { 1.0 } / (1.0 + variance);
        w.iter_mut().for_each(|w| *w *= scale);
        let b = target - w.iter().zip(&centre).map(|(w, c)| w * c).sum::<f64>();
        let report = control.start(1).report(Stop::Converged, None);
        Ok(Fit { model: Linear::new(w, b)?, report, certificate: () })
    }
}

#[test]
fn honest_learners_conform() {
    let means = Means::default();
    assert_conforms(&Suite::binary(&means).persistent().certified());
    assert_conforms(&Suite::regression(&Covariance::default()).persistent());
    let kernel = VectorKernel::polynomial(2, 0.5, 1.0).unwrap();
    assert_conforms(&Suite::binary(&OverVectors::new(KernelMeans, kernel)).persistent());
    assert_conforms(&Suite::classes(&OneVsOne::new(means)).persistent());
    assert_conforms(&Suite::classes(&OneVsRest::new(means)).persistent());
    assert_conforms(&Suite::classes(&Dag::new(means)).persistent());
    assert_conforms(&Suite::classes(&LinearMachineLearner::new(means)).persistent());
}

/// The checks that a learner fails.
fn failed<L: Learner<AnyExamples, Y>, Y: lm_core::Labelling>(suite: &Suite<'_, L, Y>) -> Vec<Check> {
    suite
        .run()
        .err()
        .map_or_else(Vec::new, |findings| findings.0.iter().map(|finding| finding.check).collect())
}

/// Every flaw is found by the checks that are there for it, and by no others.
#[test]
fn every_flaw_is_caught_by_the_check_for_it() {
    let caught = |flaw| failed(&Suite::binary(&Means::with(flaw)).persistent().certified());
    assert_eq!(
        caught(Flaw::IgnoresWeights),
        [Check::WeightRepetition, Check::ZeroWeight],
        "a certificate of the unweighted data still holds"
    );
    assert_eq!(caught(Flaw::PanicsOnWideData), [Check::Wide, Check::FewExamples]);
    assert_eq!(caught(Flaw::SwapsTheClasses), [Check::Learns, Check::LabelIntegers, Check::Evidence]);
    assert_eq!(
        caught(Flaw::IgnoresItsBudget),
        [Check::IterationLimit, Check::TimeLimit, Check::Cancellation]
    );
    assert_eq!(caught(Flaw::ForgesItsCertificate), [Check::Evidence]);
    assert_eq!(
        caught(Flaw::FailsOnDuplicates),
        [Check::DuplicateRows, Check::OppositeLabels, Check::IdenticalPoints, Check::WeightRepetition]
    );
    let dropped = caught(Flaw::DropsTheLastRow);
    assert!(
        dropped.contains(&Check::RowPermutation) && dropped.contains(&Check::WeightRepetition),
        "{dropped:?}"
    );
    assert!(!dropped.contains(&Check::Learns) && !dropped.contains(&Check::Repeatability), "{dropped:?}");
    let stored = caught(Flaw::ReadsStoredEntriesOnly);
    assert!(stored.contains(&Check::SparseStorage), "{stored:?}");
    let by_time = caught(Flaw::DependsOnTime);
    assert!(by_time.contains(&Check::Repeatability), "{by_time:?}");
    #[cfg(feature = "parallel")]
    assert_eq!(caught(Flaw::DependsOnThreads), [Check::Threads]);
    assert_eq!(failed(&Suite::regression(&Covariance { backwards: true })), [Check::Learns]);
}

#[test]
fn what_is_not_promised_is_not_asked_for() {
    let careless = Means::with(Flaw::IgnoresWeights);
    assert_conforms(&Suite::binary(&careless).without(Check::WeightRepetition).without(Check::ZeroWeight));
    let rounded = Means::with(Flaw::DropsTheLastRow);
    assert_conforms(&Suite::binary(&rounded).with_tolerance(1e3).without(Check::FewExamples));
}

/// Means with another type of model.
struct Remodelled<M>(fn(Linear) -> M);

impl<E: Examples + ?Sized, M> Learner<E, BinaryLabels> for Remodelled<M> {
    type Model = M;
    type Certificate = MeansClaim;

    fn fit_with(
        &self,
        set: &TrainingSet<'_, E, BinaryLabels>,
        control: &Control<'_>,
    ) -> Result<Fit<M, MeansClaim>> {
        Ok(Means::default().fit_with(set, control)?.map(self.0))
    }
}

/// Gives NaN where the decision value is large.
struct Breaking(Linear);

impl<E: Examples + ?Sized> Hypothesis<E> for Breaking {
    fn decision_values_into(&self, set: &E, out: &mut [f64]) -> Result<()> {
        self.0.decision_values_into(set, out)?;
        out.iter_mut().filter(|value| value.abs() > 1e3).for_each(|value| *value = f64::NAN);
        Ok(())
    }
}

#[test]
fn values_that_are_not_finite_are_caught() {
    let caught = failed(&Suite::binary(&Remodelled(Breaking)));
    assert_eq!(caught, [Check::Scale]);
}

/// Cuts examples to the columns it knows.
struct Cutting(Linear);

impl<E: Examples + ?Sized> Hypothesis<E> for Cutting {
    fn decision_values_into(&self, set: &E, out: &mut [f64]) -> Result<()> {
        let w = self.0.weights();
        for (row, out) in out.iter_mut().enumerate() {
            *out = self.0.bias();
            set.row(row).for_each(|k, x| *out += w.get(k).copied().unwrap_or(0.0) * x);
        }
        if out.iter().all(|value| value.is_finite()) {
            Ok(())
        } else {
            Err(lm_core::Error::Numerical { what: "a value" })
        }
    }
}

#[test]
fn a_model_that_takes_any_dimension_is_caught() {
    assert_eq!(failed(&Suite::binary(&Remodelled(Cutting))), [Check::Shapes]);
}

/// Loses its bias on the way to disk.
#[derive(serde::Serialize, serde::Deserialize)]
struct Forgetful {
    weights: Vec<f64>,
    #[serde(skip)]
    bias: f64,
}

impl<E: Examples + ?Sized> Hypothesis<E> for Forgetful {
    fn decision_values_into(&self, set: &E, out: &mut [f64]) -> Result<()> {
        Linear::new(self.weights.clone(), self.bias)?.decision_values_into(set, out)
    }
}

impl Persist for Forgetful {
    const KIND: &'static str = "forgetful";
    const VERSION: u16 = 1;
}

#[test]
fn a_model_that_changes_on_disk_is_caught() {
    let learner = Remodelled(|model| Forgetful { weights: model.weights().to_vec(), bias: model.bias() });
    assert_eq!(failed(&Suite::binary(&learner).persistent()), [Check::Persistence]);
}

#[test]
fn findings_name_the_check_and_what_happened() {
    let text = Suite::binary(&Means::with(Flaw::PanicsOnWideData)).run().unwrap_err().to_string();
    assert!(text.contains("Wide: panicked: 60 columns"), "{text}");
}

#[test]
fn closeness_is_symmetric_and_knows_infinities() {
    assert!(close(f64::INFINITY, f64::INFINITY, 0.0, 0.0));
    assert!(!close(f64::INFINITY, f64::MAX, 1.0, f64::INFINITY));
    assert!(close(1e-20, -1e-20, 1e-9, 1e-12) && !close(1e-20, -1e-20, 1e-9, 0.0));
    assert_eq!(close(1.0, 1.0 + 1e-9, 1e-8, 0.0), close(1.0 + 1e-9, 1.0, 1e-8, 0.0));
}
