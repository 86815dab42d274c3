//! Every logistic learner passes the conformance suite.

use lm_closed::{FirthLogistic, KernelLogistic, Logistic, Multinomial};
use lm_core::testing::conformance::{Suite, assert_conforms};
use lm_core::{OverVectors, VectorKernel};

#[test]
fn logistic_regression_conforms() {
    assert_conforms(&Suite::binary(&Logistic::default()).persistent().certified());
    assert_conforms(&Suite::binary(&Logistic::default().with_penalty(1e-3)).persistent().certified());
}

#[test]
fn logistic_regression_without_a_penalty_conforms() {
    assert_conforms(&Suite::binary(&Logistic::default().with_penalty(0.0)).persistent().certified());
}

#[test]
fn multinomial_regression_conforms() {
    assert_conforms(&Suite::classes(&Multinomial::default()).persistent().certified());
    assert_conforms(&Suite::classes(&Multinomial::default().with_penalty(0.0)).persistent().certified());
}

#[test]
fn firth_conforms() {
    assert_conforms(&Suite::binary(&FirthLogistic::default()).persistent().certified());
}

#[test]
fn kernel_logistic_regression_conforms() {
    for kernel in [VectorKernel::gaussian(0.5).unwrap(), VectorKernel::linear()] {
        let learner = OverVectors::new(KernelLogistic::default().with_penalty(0.1), kernel);
        assert_conforms(&Suite::binary(&learner).persistent().certified());
    }
}
