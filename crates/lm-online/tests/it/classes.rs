//! Labels of any two integers are the same machine; procedures for data that cannot be separated.

use lm_core::{BinaryLabels, Hypothesis, Learner};
use lm_online::{AveragedPerceptron, Perceptron, PocketPerceptron, VotedPerceptron};

use crate::sample::noisy;

#[test]
fn labels_of_zero_and_one_are_the_same_machine() {
    for seed in 0..5 {
        let (examples, labels) = noisy(200, 7, 0.1, seed);
        let integers: Vec<i64> = labels.values().iter().map(|&y| i64::from(y > 0.0)).collect();
        let zero_one = BinaryLabels::from_integers(&integers).unwrap();
        let learner = Perceptron::default().with_passes(10);
        let (a, b) = (learner.fit(&examples, &labels).unwrap(), learner.fit(&examples, &zero_one).unwrap());
        assert_eq!(a.model, b.model);
        assert_eq!(a.certificate, b.certificate);
    }
}

#[test]
fn corrections_never_cease_weights_stay_bounded_and_averages_are_better() {
    let (mut last, mut averaged, mut voted, mut pocket) = (0, 0, 0, 0);
    for seed in 0..10 {
        let (examples, labels) = noisy(300, 6, 0.25, seed);
        let errors =
            |signs: Vec<lm_core::Sign>| signs.iter().zip(labels.signs()).filter(|(a, b)| a != b).count();
        let run = |passes| Perceptron::default().with_passes(passes).fit(&examples, &labels).unwrap();
        let (short, long) = (run(20), run(200));
        assert!(short.clone().converged().is_err() && long.clone().converged().is_err());
        let corrections =
            |fit: &lm_core::Fit<_, lm_online::Trace<_>>| fit.certificate.journal().corrections();
        assert!(corrections(&long) > 5 * corrections(&short), "corrections go on");
        assert!(long.certificate.norm() < 10.0 * short.certificate.norm(), "weights stay bounded");
        last += errors(long.model.signs(&examples).unwrap());
        let fit = AveragedPerceptron::default().with_passes(20).fit(&examples, &labels).unwrap();
        averaged += errors(fit.model.signs(&examples).unwrap());
        let fit = VotedPerceptron::default().with_passes(20).fit(&examples, &labels).unwrap();
        voted += errors(fit.model.signs(&examples).unwrap());
        let fit = PocketPerceptron::default().with_passes(20).fit(&examples, &labels).unwrap();
        pocket += errors(fit.model.signs(&examples).unwrap());
    }
    assert!(averaged < last && voted < last && pocket < last, "{averaged} {voted} {pocket} against {last}");
}
