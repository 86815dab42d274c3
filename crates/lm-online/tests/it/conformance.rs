//! Every learner of the crate passes the conformance suite.

use lm_core::testing::conformance::{Check, Suite, assert_conforms};
use lm_core::{OverVectors, VectorKernel};
use lm_online::DualPerceptron;

#[test]
fn dual_perceptron_conforms() {
    let learner =
        OverVectors::new(DualPerceptron::default().with_passes(20), VectorKernel::gaussian(0.5).unwrap());
    // The hypothesis depends on the order in which examples are met: that is the procedure.
    assert_conforms(&Suite::binary(&learner).persistent().certified().without(Check::RowPermutation));
}
