//! Every learner of the crate passes the conformance suite.

use lm_core::testing::conformance::{Suite, assert_conforms};
use lm_core::{OverVectors, VectorKernel};
use lm_qp::CSvc;

#[test]
fn c_svc_conforms() {
    for kernel in [VectorKernel::gaussian(0.5).unwrap(), VectorKernel::linear()] {
        let learner = OverVectors::new(CSvc::default().with_gap(1e-11), kernel);
        assert_conforms(&Suite::binary(&learner).persistent().certified().with_tolerance(1e-5));
    }
}
