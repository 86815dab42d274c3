//! Every learner of the crate passes the conformance suite.

use lm_core::testing::conformance::{Suite, assert_conforms};
use lm_core::{OverVectors, VectorKernel};
use lm_qp::{
    Bias, CSvc, EpsilonSvr, LpSvc, MaximalMargin, Method, MixedSvc, NuSvc, NuSvr, QuadraticSvr, Solver,
    TwoNormSvc,
};

const GAP: f64 = 1e-11;

fn gaussian() -> VectorKernel {
    VectorKernel::gaussian(0.5).unwrap()
}

/// Holds a classifier to the suite.
macro_rules! classifier {
    ($machine:expr, $kernel:expr) => {
        let learner = OverVectors::new($machine.with_gap(GAP), $kernel);
        assert_conforms(&Suite::binary(&learner).persistent().certified().with_tolerance(1e-5));
    };
}

/// Holds a regression to the suite.
macro_rules! regression {
    ($machine:expr, $kernel:expr) => {
        let learner = OverVectors::new($machine.with_gap(GAP), $kernel);
        assert_conforms(&Suite::regression(&learner).persistent().certified().with_tolerance(1e-4));
    };
}

#[test]
fn c_svc_conforms() {
    for kernel in [gaussian(), VectorKernel::linear()] {
        classifier!(CSvc::default(), kernel);
    }
}

#[test]
fn c_svc_by_the_interior_point_method_conforms() {
    let solver = Solver::default().with_method(Method::InteriorPoint);
    classifier!(CSvc::default().with_solver(solver), gaussian());
}

#[test]
fn c_svc_with_other_biases_conforms() {
    for bias in [Bias::Penalised, Bias::None] {
        classifier!(CSvc::default().with_bias(bias), gaussian());
    }
}

#[test]
fn the_2_norm_machine_conforms() {
    classifier!(TwoNormSvc::default(), gaussian());
}

#[test]
fn the_mixed_machine_conforms() {
    classifier!(MixedSvc::default(), gaussian());
}

#[test]
fn nu_svc_conforms() {
    classifier!(NuSvc::default().with_nu(0.3), gaussian());
}

#[test]
fn the_maximal_margin_machine_conforms() {
    classifier!(MaximalMargin::default(), gaussian());
}

#[test]
fn epsilon_svr_conforms() {
    for kernel in [gaussian(), VectorKernel::linear()] {
        regression!(EpsilonSvr::default(), kernel);
    }
}

#[test]
fn quadratic_svr_conforms() {
    regression!(QuadraticSvr::default(), gaussian());
}

#[test]
fn nu_svr_conforms() {
    regression!(NuSvr::default().with_cost(20.0), gaussian());
}

#[test]
fn the_linear_programming_machine_conforms() {
    classifier!(LpSvc::default(), gaussian());
}
