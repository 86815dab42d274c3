//! Every linear machine passes the conformance suite, by every solver.

use lm_core::multiclass::OneVsRest;
use lm_core::testing::conformance::{Suite, assert_conforms};
use lm_qp::Bias;
use lm_qp::linear::{LinearSolver, LinearSvc, LinearSvr, SvcLoss, SvrLoss};

const SOLVERS: [LinearSolver; 3] =
    [LinearSolver::Automatic, LinearSolver::DualCoordinateDescent, LinearSolver::Newton];

#[test]
fn linear_classification_conforms() {
    for solver in SOLVERS {
        for loss in [SvcLoss::Hinge, SvcLoss::SquaredHinge] {
            for bias in [Bias::Free, Bias::Penalised, Bias::None] {
                let machine = LinearSvc::default().with_loss(loss).with_bias(bias).with_solver(solver);
                // Half the square of the distance to the best weights is at most the gap.
                let learner = machine.with_gap(1e-12);
                assert_conforms(&Suite::binary(&learner).persistent().certified().with_tolerance(1e-5));
            }
        }
    }
}

#[test]
fn linear_regression_conforms() {
    for solver in SOLVERS {
        for loss in [SvrLoss::EpsilonInsensitive, SvrLoss::SquaredEpsilonInsensitive] {
            for bias in [Bias::Free, Bias::Penalised] {
                let machine = LinearSvr::default().with_loss(loss).with_bias(bias).with_solver(solver);
                let learner = machine.with_gap(1e-12);
                assert_conforms(&Suite::regression(&learner).persistent().certified().with_tolerance(1e-5));
            }
        }
    }
}

#[test]
fn linear_machines_of_several_classes_conform() {
    let learner = OneVsRest::new(LinearSvc::default().with_gap(1e-12));
    assert_conforms(&Suite::classes(&learner).persistent().with_tolerance(1e-5));
}
