//! Least squares and ridge regression pass the conformance suite.

use lm_closed::{Criterion, Form, LeastSquares, Ridge, RidgePath};
use lm_core::testing::conformance::{Suite, assert_conforms};

macro_rules! conforms {
    ($learner:expr) => {{
        let learner = $learner;
        assert_conforms(&Suite::regression(&learner).persistent().certified());
        assert_conforms(&Suite::binary(&learner).persistent().certified());
    }};
}

#[test]
fn least_squares_conforms() {
    conforms!(LeastSquares::default());
    conforms!(LeastSquares::default().with_bias(false));
    conforms!(LeastSquares::default().with_tolerance(1e-9));
}

#[test]
fn ridge_conforms() {
    for form in [Form::Automatic, Form::Primal, Form::Dual] {
        conforms!(Ridge::default().with_form(form));
        conforms!(Ridge::default().with_form(form).with_penalty(1e-3).with_bias(false));
    }
    conforms!(Ridge::default().with_penalty(0.0));
}

#[test]
fn ridge_path_conforms() {
    conforms!(RidgePath::default());
    conforms!(
        RidgePath::default().with_criterion(Criterion::Generalised).with_penalties(vec![0.0, 0.1, 10.0])
    );
}
