//! Logistic models against digits computed with 60-digit arithmetic.
//!
//! The digits are the output of `tests/data/logistic_reference.py` (mpmath 1.4.1, Python 3.11), which also says how the
//! data are made.

use lm_closed::{FirthLogistic, KernelLogistic, Logistic, Multinomial};
use lm_core::{
    BinaryLabels, ClassLabels, Control, Dense, Learner, Linear, TrainingSet, VectorGram, VectorKernel,
    Weights,
};

const N: u32 = 20;

fn examples() -> Dense<'static> {
    let row = |i: u32| [f64::from((7 * i + 3) % 11) / 4.0 - 1.0, f64::from((5 * i * i + i) % 13) / 8.0];
    Dense::from_rows(&(0..N).map(row).collect::<Vec<_>>()).unwrap()
}

fn labels() -> BinaryLabels {
    let label = |i: u32| i64::from([1, 2, 5].contains(&((3 * i * i + 2 * i) % 7)));
    BinaryLabels::from_integers(&(0..N).map(label).collect::<Vec<_>>()).unwrap()
}

fn classes() -> ClassLabels {
    let class = |i: u32| i64::from((2 * i + i * i / 3) % 3);
    ClassLabels::from_integers(&(0..N).map(class).collect::<Vec<_>>()).unwrap()
}

fn weights() -> Weights {
    Weights::new((0..N).map(|i| f64::from(1 + i % 3)).collect()).unwrap()
}

/// Correct digits of the worst number.
fn digits(found: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let off = |(found, expected): (&f64, &f64)| ((found - expected) / expected).abs().max(1e-17);
    -found.iter().zip(expected).map(off).fold(0.0, f64::max).log10()
}

fn numbers(function: &Linear) -> Vec<f64> {
    function.weights().iter().copied().chain([function.bias()]).collect()
}

#[test]
#[allow(clippy::excessive_precision, reason = "digits as the reference gives them")]
fn two_classes_agree_with_60_digit_arithmetic() {
    let (examples, labels, weights) = (examples(), labels(), weights());
    let set = TrainingSet::new(&examples, &labels).unwrap();
    let weighted = set.with_weights(&weights).unwrap();
    let exact = Logistic::default().with_tolerance(1e-18);
    let control = Control::default();
    let fit = exact.with_penalty(0.0).fit_with(&set, &control).unwrap().converged().unwrap();
    let expected = [-0.1323302274407455543775294, 1.417732951629375689366909, 0.07943922292940812332614821];
    let found = digits(&numbers(fit.model.function()), &expected);
    assert!(found >= 12.0, "{found}");

    let inference = fit.model.inference(&set).unwrap();
    let mut errors = inference.standard_errors().to_vec();
    errors.push(inference.bias_error());
    let expected = [0.6823401016372501180822101, 1.301910775444418809701666, 0.8986144529902533448870918];
    assert!(digits(&errors, &expected) >= 13.0);

    let half = exact.with_penalty(0.5);
    let fit = half.fit_with(&set, &control).unwrap().converged().unwrap();
    let expected = [-0.1326496692905225429536492, 0.7898974355291819461676308, 0.4218061431854182441573514];
    assert!(digits(&numbers(fit.model.function()), &expected) >= 13.0);
    let fit = half.fit_with(&weighted, &control).unwrap().converged().unwrap();
    let expected = [-0.004615006787753670344320391, 0.2560012076218640280505398, 0.6579635901026745881294593];
    assert!(digits(&numbers(fit.model.function()), &expected) >= 12.0);
}

#[test]
#[allow(clippy::excessive_precision, reason = "digits as the reference gives them")]
fn firths_correction_agrees_with_60_digit_arithmetic() {
    let (examples, labels, weights) = (examples(), labels(), weights());
    let set = TrainingSet::new(&examples, &labels).unwrap();
    let weighted = set.with_weights(&weights).unwrap();
    let control = Control::default();
    let fit = FirthLogistic::default().fit_with(&set, &control).unwrap().converged().unwrap();
    let expected = [-0.1031467707620277483696389, 1.123373233922064448615943, 0.1023703600705712467491925];
    assert!(digits(&numbers(fit.model.function()), &expected) >= 11.0);
    let fit = FirthLogistic::default().fit_with(&weighted, &control).unwrap().converged().unwrap();
    let expected = [-0.006021395449650266155168426, 0.3149192834246246674168626, 0.5590872986738692118865978];
    assert!(digits(&numbers(fit.model.function()), &expected) >= 10.0);
}

#[test]
#[allow(clippy::excessive_precision, reason = "the digit as the reference gives it")]
fn firths_slope_on_separable_data_has_twelve_digits() {
    let examples = Dense::new(vec![-3.0, -2.0, -1.0, 1.0, 2.0, 3.0], 6, 1).unwrap();
    let labels = BinaryLabels::from_integers(&[0, 0, 0, 1, 1, 1]).unwrap();
    let fit = FirthLogistic::default().fit(&examples, &labels).unwrap().converged().unwrap();
    let slope = fit.model.function().weights()[0];
    assert!(digits(&[slope], &[0.93841648857806849678]) >= 12.0, "{slope}");
    assert!(fit.model.function().bias().abs() < 1e-13);
}

#[test]
#[allow(clippy::excessive_precision, reason = "digits as the reference gives them")]
fn three_classes_agree_with_60_digit_arithmetic() {
    let (examples, labels, weights) = (examples(), classes(), weights());
    let set = TrainingSet::new(&examples, &labels).unwrap();
    let weighted = set.with_weights(&weights).unwrap();
    let exact = Multinomial::default().with_tolerance(1e-18);
    let all = |functions: &[Linear]| functions.iter().flat_map(numbers).collect::<Vec<f64>>();
    let fit = exact.with_penalty(0.0).fit_with(&set, &Control::default()).unwrap().converged().unwrap();
    let expected = [
        -0.1618028117447540964078772,
        0.2549836718863323483358529,
        0.526773361162782146764372,
        -0.1854740275637846118903884,
        -0.833150839758613098612042,
        0.1270754855775890037185272,
        0.3472768393085387082982656,
        0.5781671678722807502761891,
        -0.6538488467403711504828991,
    ];
    let found = digits(&all(fit.model.machine().functions()), &expected);
    assert!(found >= 12.0, "{found}");
    let fit = exact.with_penalty(0.5).fit_with(&weighted, &Control::default()).unwrap().converged().unwrap();
    let expected = [
        -0.1155357189858666118535388,
        0.02083481273385883072205012,
        0.3391751253898392198587863,
        -0.2700592977190571726136089,
        -0.6529165204215408018264613,
        0.2134464046184954425183383,
        0.3855950167049237844671477,
        0.6320817076876819711044111,
        -0.5526215300083346623771246,
    ];
    let found = digits(&all(fit.model.machine().functions()), &expected);
    assert!(found >= 12.0, "{found}");
}

#[test]
#[allow(clippy::excessive_precision, reason = "digits as the reference gives them")]
fn a_kernel_machine_agrees_with_60_digit_arithmetic() {
    let (examples, labels, weights) = (examples(), labels(), weights());
    let gram = VectorGram::new(&examples, VectorKernel::gaussian(0.5).unwrap()).unwrap();
    let set = TrainingSet::new(&gram, &labels).unwrap().with_weights(&weights).unwrap();
    let learner = KernelLogistic::default().with_penalty(0.3).with_tolerance(1e-18);
    let fit = learner.fit_with(&set, &Control::default()).unwrap().converged().unwrap();
    let mut found = fit.certificate.alpha()[..3].to_vec();
    found.push(fit.model.bias());
    let expected = [
        -2.315165390688396301362052,
        2.429532415180237671313542,
        2.223409410771165236348525,
        1.293951970050140476771824,
    ];
    assert!(digits(&found, &expected) >= 11.0, "{found:?}");
}
