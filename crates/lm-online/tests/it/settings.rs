//! Every setting outside its domain is refused by an error that names the setting, its value and its domain.

use lm_core::{BinaryLabels, ClassLabels, Dense, Error, Learner, MatrixGram, Targets};
use lm_online::{
    Aggressiveness, AlphaPerceptron, AveragedPerceptron, DualPerceptron, ExtendedPerceptron, Lms, Maxover,
    MulticlassPerceptron, PassiveAggressive, Perceptron, PocketPerceptron, Relaxation, Schedule,
    VotedPerceptron, Winnow,
};

fn refused<L: Learner<Dense<'static>, BinaryLabels>>(learner: &L) -> Error {
    let examples = Dense::new(vec![1.0, -2.0, 3.0], 3, 1).unwrap();
    let labels = BinaryLabels::from_integers(&[1, -1, 1]).unwrap();
    learner.fit(&examples, &labels).err().unwrap()
}

#[test]
fn errors_name_the_setting_its_value_and_its_domain() {
    let examples = Dense::new(vec![1.0, -2.0, 3.0], 3, 1).unwrap();
    let classes = ClassLabels::from_integers(&[1, 2, 3]).unwrap();
    let targets = Targets::new(vec![1.0, 2.0, 3.0]).unwrap();
    let gram = MatrixGram::precomputed(vec![1.0, 0.0, 0.0, 1.0], 2).unwrap();
    let binary = BinaryLabels::from_integers(&[1, -1]).unwrap();
    let several = MulticlassPerceptron::default();
    let errors = [
        refused(&Perceptron::default().with_passes(0)),
        refused(&Perceptron::default().with_margin(f64::NAN)),
        refused(&Perceptron::default().with_radius(0.0)),
        Perceptron::default().live(3).err().unwrap(),
        DualPerceptron::default().with_passes(0).fit(&gram, &binary).err().unwrap(),
        DualPerceptron::default().with_margin(-0.5).fit(&gram, &binary).err().unwrap(),
        refused(&Relaxation::default().with_margin(0.0)),
        refused(&Relaxation::default().with_tolerance(1.0)),
        refused(&Relaxation::default().with_schedule(Schedule::constant(2.5).unwrap())),
        refused(&PassiveAggressive::default().with_aggressiveness(Aggressiveness::Capped(0.0))),
        refused(&PassiveAggressive::default().with_aggressiveness(Aggressiveness::Damped(f64::INFINITY))),
        refused(&PassiveAggressive::default().with_tolerance(-1.0)),
        refused(&AveragedPerceptron::default().with_passes(0)),
        refused(&PocketPerceptron::default().with_radius(f64::INFINITY)),
        refused(&VotedPerceptron::default().with_passes(0)),
        refused(&ExtendedPerceptron::default().with_delta(-2.0)),
        refused(&AlphaPerceptron::default().with_units(0)),
        refused(&AlphaPerceptron::default().with_connections(0)),
        refused(&Maxover::default().with_tolerance(f64::NAN)),
        several.with_margin(-1.0).fit(&examples, &classes).err().unwrap(),
        refused(&Winnow::default().with_promotion(1.0)),
        Lms::default().with_tolerance(2.0).fit(&examples, &targets).err().unwrap(),
        Lms::default().live(3).err().unwrap(),
        Schedule::constant(-1.0).err().unwrap(),
        Schedule::power(1.0, 9.0).err().unwrap(),
        Schedule::geometric(1.0, f64::NAN).err().unwrap(),
    ];
    assert!(errors.iter().all(|error| matches!(error, Error::Setting { .. })), "{errors:?}");
    let text: Vec<String> = errors.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(text.join("\n"));
}
