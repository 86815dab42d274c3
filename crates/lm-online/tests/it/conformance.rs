//! Every learner of the crate passes the conformance suite.
//!
//! What all of them leave out is [`Check::RowPermutation`]: the hypothesis depends on the order in which examples are met,
//! that is the procedure.

use lm_core::testing::conformance::{Check, Suite, assert_conforms};
use lm_core::{OverVectors, VectorKernel};
use lm_online::{
    Aggressiveness, AlphaPerceptron, AveragedPerceptron, Bias, DualPerceptron, ExtendedPerceptron, Lms,
    Maxover, MulticlassPerceptron, Order, PassiveAggressive, Perceptron, PocketPerceptron, Relaxation,
    Schedule, VotedPerceptron, Winnow,
};

/// A suite of all checks but those left out by name.
macro_rules! conforms {
    ($suite:expr $(, $check:ident)*) => {
        assert_conforms(&$suite.persistent().certified().without(Check::RowPermutation)$(.without(Check::$check))*)
    };
}

#[test]
fn perceptron_conforms() {
    conforms!(Suite::binary(&Perceptron::default()));
    conforms!(Suite::binary(&Perceptron::default().with_bias(Bias::Standard)));
    let variable = Perceptron::default().with_schedule(Schedule::harmonic(1.0).unwrap()).with_margin(0.1);
    conforms!(Suite::binary(&variable));
    // An order that is drawn by lot depends on the number of examples.
    let shuffled = Perceptron::default().with_order(Order::Shuffled { seed: 2 });
    conforms!(Suite::binary(&shuffled), WeightRepetition, ZeroWeight);
}

#[test]
fn dual_perceptron_conforms() {
    let learner = DualPerceptron::default().with_passes(20);
    conforms!(Suite::binary(&OverVectors::new(learner, VectorKernel::gaussian(0.5).unwrap())));
}

#[test]
fn relaxation_conforms() {
    for rate in [0.5, 1.0, 1.8] {
        conforms!(Suite::binary(&Relaxation::default().with_schedule(Schedule::constant(rate).unwrap())));
    }
}

#[test]
fn passive_aggressive_conforms() {
    for way in [Aggressiveness::Unbounded, Aggressiveness::Capped(0.5), Aggressiveness::Damped(2.0)] {
        conforms!(Suite::binary(&PassiveAggressive::default().with_aggressiveness(way)));
    }
}

#[test]
fn averaged_perceptron_conforms() {
    conforms!(Suite::binary(&AveragedPerceptron::default()));
}

#[test]
fn pocket_perceptron_conforms() {
    conforms!(Suite::binary(&PocketPerceptron::default()));
}

#[test]
fn voted_perceptron_conforms() {
    conforms!(Suite::binary(&VotedPerceptron::default()));
}

#[test]
fn extended_perceptron_conforms() {
    // A copy of an example has an attribute of its own, as every example has; a second visit has not.
    conforms!(Suite::binary(&ExtendedPerceptron::default()), WeightRepetition);
}

#[test]
fn alpha_perceptron_conforms() {
    conforms!(Suite::binary(&AlphaPerceptron::default().with_units(200).with_passes(50)));
}

#[test]
fn maxover_conforms() {
    conforms!(Suite::binary(&Maxover::default().with_passes(500)));
}

#[test]
fn multiclass_perceptron_conforms() {
    conforms!(Suite::classes(&MulticlassPerceptron::default().with_passes(100)));
}

#[test]
fn winnow_conforms() {
    conforms!(Suite::binary(&Winnow::default().with_passes(200)));
}

#[test]
fn lms_conforms() {
    let learner = Lms::default().with_passes(200);
    conforms!(Suite::binary(&learner));
    conforms!(Suite::regression(&learner));
    conforms!(Suite::regression(&learner.with_schedule(Schedule::constant(0.004).unwrap())));
}
