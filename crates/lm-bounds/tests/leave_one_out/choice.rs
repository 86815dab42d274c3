//! Choosing by theory: every criterion through one interface.

use lm_bounds::{Criterion, LogEvidence, WithRadius, choose, judge};
use lm_core::{Control, Error, TrainingSet, VectorGram, VectorKernel, WithoutOne};
use lm_qp::{CSvc, MaximalMargin, Removals, TwoNormSvc};

use crate::sets::bundled;

const MACHINES: [Criterion; 5] = [
    Criterion::RadiusMargin,
    Criterion::Span,
    Criterion::XiAlpha,
    Criterion::ExactLeaveOneOut,
    Criterion::CrossValidation(5),
];

#[test]
fn every_criterion_chooses_a_machine_that_is_nearly_as_good_as_any() {
    let set = &bundled(120)[7];
    let control = Control::default();
    let settings: Vec<(f64, f64)> = [0.001, 0.01, 0.1, 1.0]
        .iter()
        .flat_map(|gamma| [0.1, 1.0, 10.0].map(|cost| (*gamma, cost)))
        .collect();
    let solve = |&(gamma, cost): &(f64, f64)| {
        let gram = VectorGram::new(&set.examples, VectorKernel::gaussian(gamma)?)?;
        Removals::solve(&CSvc::default().with_cost(cost), &TrainingSet::new(&gram, &set.labels)?, &control)
    };
    let exact = choose(&settings, Criterion::ExactLeaveOneOut, &control, solve).unwrap();
    let least = exact.best().figure.unwrap();
    for criterion in MACHINES {
        let choice = choose(&settings, criterion, &control, solve).unwrap();
        assert_eq!(choice.table().len(), settings.len());
        let figure = choice.best().figure.unwrap();
        for (at, judged) in choice.table().iter().enumerate() {
            let Some(other) = judged.figure else { continue };
            let simpler = (judged.support, at) < (choice.best().support, choice.chosen());
            assert!(
                other > figure || (other == figure && !simpler) || at == choice.chosen(),
                "{criterion:?}"
            );
        }
        let error = exact.table()[choice.chosen()].figure.unwrap();
        assert!(error <= least + 0.1, "{criterion:?}: {error}, the least is {least}");
    }
}

#[test]
fn folds_of_one_example_are_the_exact_error() {
    let set = &bundled(60)[2];
    let gram = VectorGram::new(&set.examples, VectorKernel::gaussian(0.5).unwrap()).unwrap();
    let training = TrainingSet::new(&gram, &set.labels).unwrap();
    let control = Control::default();
    let machine = Removals::solve(&CSvc::default().with_gap(1e-9), &training, &control).unwrap();
    let exact = judge(&machine, Criterion::ExactLeaveOneOut, &control).unwrap();
    assert_eq!(judge(&machine, Criterion::CrossValidation(60), &control).unwrap(), exact);
    for folds in [0, 1, 61] {
        let refused = judge(&machine, Criterion::CrossValidation(folds), &control);
        assert!(matches!(refused, Err(Error::Setting { name: "folds", .. })));
    }
}

#[test]
fn slack_is_counted_as_the_machine_counts_it() {
    let set = &bundled(60)[0];
    let gram = VectorGram::new(&set.examples, VectorKernel::gaussian(0.5).unwrap()).unwrap();
    let training = TrainingSet::new(&gram, &set.labels).unwrap();
    let control = Control::default();
    // Hard margins are the limit of squared slack that costs more and more.
    let squared = TwoNormSvc::default().with_cost(1e8).with_gap(1e-10);
    let squared = Removals::solve(&squared, &training, &control).unwrap();
    let near = judge(&squared, Criterion::RadiusMargin, &control).unwrap().unwrap();
    let linear = CSvc::default().with_cost(1e6).with_gap(1e-10);
    let linear = Removals::solve(&linear, &training, &control).unwrap();
    let hard = judge(&linear, Criterion::RadiusMargin, &control).unwrap().unwrap();
    assert!((near - hard).abs() < 1e-4 * hard, "{near} {hard}");
    let norm = 1.0
        / Removals::solve(&MaximalMargin::default().with_gap(1e-10), &training, &control)
            .map(|machine| {
                let value = machine
                    .shares()
                    .iter()
                    .map(|share| share.alpha * share.target * share.value)
                    .sum::<f64>();
                0.25 * value
            })
            .unwrap();
    assert!((hard * 60.0 - norm).abs() < 1e-3 * norm, "{} {norm}", hard * 60.0);
    let tighter = WithRadius { machine: linear, radius_squared: 0.5 };
    let half = judge(&tighter, Criterion::RadiusMargin, &control).unwrap().unwrap();
    assert!((half - 0.5 * hard).abs() < 1e-5 * hard);
}

#[test]
fn evidence_is_for_settings_without_a_machine() {
    let control = Control::default();
    let choice =
        choose(&[1.0, 2.0, 3.0], Criterion::Evidence, &control, |x| Ok(LogEvidence(-(x - 2.2_f64).powi(2))))
            .unwrap();
    assert_eq!((choice.best().setting, choice.best().support), (2.0, None));
    assert!(choose(&[1.0], Criterion::Span, &control, |_| Ok(LogEvidence(0.0))).is_err());
    let none: [f64; 0] = [];
    assert!(matches!(
        choose(&none, Criterion::Evidence, &control, |_| Ok(LogEvidence(0.0))),
        Err(Error::Empty { .. })
    ));
}
