//! Every learner of the crate passes the conformance suite.

use lm_core::testing::conformance::{Check, Suite, assert_conforms};
use lm_core::{OverVectors, VectorKernel};
use lm_online::{Bias, DualPerceptron, Order, Perceptron, Schedule};

#[test]
fn perceptron_conforms() {
    let variable = Perceptron::default().with_schedule(Schedule::harmonic(1.0).unwrap()).with_margin(0.1);
    for learner in [
        Perceptron::default(),
        Perceptron::default().with_bias(Bias::Standard),
        Perceptron::default().with_order(Order::Shuffled { seed: 2 }),
        variable,
    ] {
        // The hypothesis depends on the order in which examples are met: that is the procedure.
        let suite = Suite::binary(&learner).persistent().certified().without(Check::RowPermutation);
        let shuffled = learner == Perceptron::default().with_order(Order::Shuffled { seed: 2 });
        // An order that is drawn by lot depends on the number of examples.
        let suite =
            if shuffled { suite.without(Check::WeightRepetition).without(Check::ZeroWeight) } else { suite };
        assert_conforms(&suite);
    }
}

#[test]
fn dual_perceptron_conforms() {
    let learner =
        OverVectors::new(DualPerceptron::default().with_passes(20), VectorKernel::gaussian(0.5).unwrap());
    assert_conforms(&Suite::binary(&learner).persistent().certified().without(Check::RowPermutation));
}
