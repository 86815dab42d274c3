//! The batch and descent learners pass the conformance suite.

use lm_core::testing::conformance::{Check, Suite, assert_conforms};
use lm_core::{OverVectors, VectorKernel};
use lm_online::{
    BatchDualLms, BatchLms, BatchPerceptron, BatchRelaxation, Bias, DualLms, KernelPegasos, Pegasos, Schedule,
};

#[test]
fn batch_perceptron_conforms() {
    for bias in [Bias::Standard, Bias::Radius] {
        let learner = BatchPerceptron::default().with_bias(bias).with_passes(50);
        assert_conforms(&Suite::binary(&learner).persistent().certified());
    }
    let learner = BatchPerceptron::default().with_schedule(Schedule::harmonic(1.0).unwrap()).with_margin(0.1);
    assert_conforms(&Suite::binary(&learner.with_passes(50)).persistent().certified());
}

#[test]
fn batch_relaxation_conforms() {
    let learner = BatchRelaxation::default().with_passes(2_000);
    assert_conforms(&Suite::binary(&learner).persistent().certified());
}

#[test]
fn batch_lms_conforms() {
    for learner in [BatchLms::default(), BatchLms::default().with_conjugate_directions()] {
        let learner = learner.with_tolerance(1e-9);
        assert_conforms(&Suite::regression(&learner).persistent().certified().with_tolerance(1e-6));
        assert_conforms(&Suite::binary(&learner).persistent().certified().with_tolerance(1e-6));
    }
}

#[test]
fn batch_dual_lms_conforms() {
    let learner = BatchDualLms::default().with_tolerance(1e-9).with_passes(3_000);
    let linear = OverVectors::new(learner.with_conjugate_directions(), VectorKernel::linear());
    assert_conforms(&Suite::regression(&linear).persistent().certified().with_tolerance(1e-6));
    let gaussian = OverVectors::new(learner.with_passes(12), VectorKernel::gaussian(0.5).unwrap());
    assert_conforms(&Suite::binary(&gaussian).persistent().certified().with_tolerance(1e-6));
}

#[test]
fn dual_lms_conforms() {
    let learner = OverVectors::new(DualLms::default().with_passes(8), VectorKernel::linear());
    // One visit after the other: the order of the rows is part of the procedure, and a visit with a weight of two is not
    // the same as two visits.
    let suite = Suite::regression(&learner).persistent().certified();
    assert_conforms(&suite.without(Check::RowPermutation).without(Check::WeightRepetition));
    let suite = Suite::binary(&learner).persistent().certified();
    assert_conforms(&suite.without(Check::RowPermutation).without(Check::WeightRepetition));
}

#[test]
fn pegasos_conforms() {
    // Stochastic descent: equivalent data lead to machines that are equal up to the gap.
    let learner = Pegasos::default().with_cost(1.0).with_tolerance(0.001).with_passes(20_000);
    assert_conforms(&Suite::binary(&learner).persistent().certified().with_tolerance(0.05));
    let learner = learner.without_bias().with_projection();
    assert_conforms(&Suite::binary(&learner).persistent().certified().with_tolerance(0.05));
}

#[test]
fn kernel_pegasos_conforms() {
    let learner = KernelPegasos::default().with_tolerance(0.003).with_passes(2_000);
    let learner = OverVectors::new(learner, VectorKernel::gaussian(0.5).unwrap());
    assert_conforms(&Suite::binary(&learner).persistent().certified().with_tolerance(0.1));
}
