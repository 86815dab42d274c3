//! Losses: known values, derivatives, convexity, extreme arguments, risks.

use lm_core::loss::{Argument, logistic};
use lm_core::{Error, Loss, Weights};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

fn all() -> [Loss; 10] {
    [
        Loss::ZeroOne,
        Loss::Perceptron,
        Loss::Hinge,
        Loss::SquaredHinge,
        Loss::Logistic,
        Loss::Square,
        Loss::epsilon_insensitive(0.0).unwrap(),
        Loss::epsilon_insensitive(0.3).unwrap(),
        Loss::quadratic_epsilon_insensitive(0.0).unwrap(),
        Loss::quadratic_epsilon_insensitive(0.3).unwrap(),
    ]
}

/// A target that the loss accepts.
fn target(loss: Loss, random: &mut ChaCha8Rng) -> f64 {
    match loss.argument() {
        Argument::Margin if random.random::<bool>() => 1.0,
        Argument::Margin => -1.0,
        Argument::Residual => random.random_range(-3.0..3.0),
    }
}

#[test]
fn known_values() {
    let tube = Loss::epsilon_insensitive(0.5).unwrap();
    let bowl = Loss::quadratic_epsilon_insensitive(0.5).unwrap();
    for (loss, y, f, value) in [
        (Loss::ZeroOne, 1.0, -0.1, 1.0),
        (Loss::Perceptron, -1.0, 2.0, 2.0),
        (Loss::Perceptron, 1.0, 2.0, 0.0),
        (Loss::Hinge, 1.0, -1.0, 2.0),
        (Loss::SquaredHinge, -1.0, 2.0, 9.0),
        (Loss::Logistic, 1.0, 0.0, std::f64::consts::LN_2),
        (Loss::Square, 1.0, 4.0, 9.0),
        (tube, 1.0, 1.4, 0.0),
        (tube, 1.0, -1.0, 1.5),
        (bowl, 1.0, -1.0, 2.25),
    ] {
        assert_eq!(loss.value(y, f), value, "{loss:?}");
    }
    // ln(1 + e⁻¹) and e⁻⁴⁰, from their series.
    assert!((Loss::Logistic.value(1.0, 1.0) - 0.313_261_687_518_222_8).abs() < 1e-16);
    assert!((Loss::Logistic.value(1.0, 40.0) / (-40.0_f64).exp() - 1.0).abs() < 1e-15);
}

#[test]
fn derivatives_and_curvatures_agree_with_differences() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let step = 1e-5;
    for loss in all() {
        for case in 0..2_000 {
            let (y, f) = (target(loss, &mut random), random.random_range(-4.0..4.0));
            // A difference across a kink says nothing of either side.
            let kinks = match loss {
                Loss::ZeroOne | Loss::Perceptron => [0.0, 0.0],
                Loss::Hinge | Loss::SquaredHinge => [y, y],
                Loss::EpsilonInsensitive(e) | Loss::QuadraticEpsilonInsensitive(e) => {
                    [y - e.get(), y + e.get()]
                }
                _ => [f64::INFINITY; 2],
            };
            if kinks.iter().any(|kink| (f - kink).abs() < 2.0 * step) {
                continue;
            }
            let slope = (loss.value(y, f + step) - loss.value(y, f - step)) / (2.0 * step);
            let bend = (loss.derivative(y, f + step) - loss.derivative(y, f - step)) / (2.0 * step);
            assert!((slope - loss.derivative(y, f)).abs() < 1e-8, "{loss:?}, case {case}: y = {y}, f = {f}");
            assert!((bend - loss.curvature(y, f)).abs() < 1e-8, "{loss:?}, case {case}: y = {y}, f = {f}");
        }
    }
}

#[test]
fn derivatives_are_subgradients_of_convex_functions() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    for loss in all().into_iter().filter(|loss| loss.is_convex()) {
        for case in 0..5_000 {
            let y = target(loss, &mut random);
            // Points that hit the kinks exactly are among them.
            let mut point = || f64::from(random.random_range(-40..=40)) / 10.0;
            let (f, g) = (point(), point());
            let tangent = loss.value(y, f) + loss.derivative(y, f) * (g - f);
            assert!(tangent <= loss.value(y, g) + 1e-12, "{loss:?}, case {case}: y = {y}, {f} → {g}");
            let middle = loss.value(y, 0.5 * (f + g));
            let chord = 0.5 * (loss.value(y, f) + loss.value(y, g));
            assert!(middle <= chord + 1e-12, "{loss:?}, case {case}: y = {y}, {f} … {g}");
            assert!(loss.curvature(y, f) >= 0.0);
        }
    }
}

#[test]
fn no_argument_gives_nan() {
    let extremes = [0.0, -0.0, 1e-320, 1.0, 40.0, 710.0, 1e154, 1e300, f64::MAX];
    for loss in all() {
        for f in extremes.iter().flat_map(|&f| [f, -f]) {
            for y in [-1.0, 1.0] {
                for number in [loss.value(y, f), loss.derivative(y, f), loss.curvature(y, f)] {
                    assert!(!number.is_nan(), "{loss:?}: y = {y}, f = {f}");
                }
                assert!(loss.value(y, f) >= 0.0);
            }
        }
    }
    assert_eq!(Loss::Logistic.value(1.0, f64::MAX), 0.0);
    assert_eq!(Loss::Logistic.derivative(1.0, -f64::MAX), -1.0);
    assert_eq!(logistic(f64::MAX), 1.0);
}

#[test]
fn a_weight_counts_as_that_many_copies() {
    let (targets, values) = ([1.0, -1.0, 1.0], [0.5, 0.25, -2.0]);
    let weights = Weights::new(vec![2.0, 0.0, 3.0]).unwrap();
    let copies = ([1.0, 1.0, 1.0, 1.0, 1.0], [0.5, 0.5, -2.0, -2.0, -2.0]);
    for loss in all() {
        let weighted = loss.regularised_risk(1.5, 7.0, &targets, &values, Some(&weights)).unwrap();
        let repeated = loss.regularised_risk(1.5, 7.0, &copies.0, &copies.1, None).unwrap();
        assert!((weighted - repeated).abs() <= 1e-14 * repeated, "{loss:?}: {weighted} and {repeated}");
    }
}

#[test]
fn bad_risks_are_refused() {
    let refused = |loss: Loss, norm, c, targets: &[f64], values: &[f64]| {
        loss.regularised_risk(norm, c, targets, values, None).unwrap_err()
    };
    let hinge = Loss::Hinge;
    for c in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(refused(hinge, 1.0, c, &[1.0], &[1.0]), Error::Setting { name: "C", .. }));
    }
    for norm in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            refused(hinge, norm, 1.0, &[1.0], &[1.0]),
            Error::Setting { name: "norm_squared", .. }
        ));
    }
    assert!(matches!(refused(hinge, 1.0, 1.0, &[], &[]), Error::Empty { .. }));
    assert!(matches!(refused(hinge, 1.0, 1.0, &[1.0], &[1.0, 2.0]), Error::Length { .. }));
    assert!(matches!(refused(hinge, 1.0, 1.0, &[1.0, 0.5], &[1.0, 2.0]), Error::Label { row: 1, .. }));
    assert!(matches!(refused(hinge, 1.0, 1.0, &[1.0], &[f64::NAN]), Error::NonFinite { row: 0, .. }));
    assert!(matches!(refused(Loss::Square, 1.0, 1.0, &[0.0], &[1e200]), Error::Numerical { .. }));
    let two = Weights::new(vec![1.0, 1.0]).unwrap();
    assert!(matches!(hinge.mean(&[1.0], &[1.0], Some(&two)), Err(Error::Length { .. })));
    for epsilon in [-0.1, f64::NAN, f64::INFINITY] {
        assert!(matches!(Loss::epsilon_insensitive(epsilon), Err(Error::Setting { name: "epsilon", .. })));
        assert!(Loss::quadratic_epsilon_insensitive(epsilon).is_err());
    }
}

#[cfg(feature = "serde")]
#[test]
fn a_decoder_checks_the_width_of_the_tube() {
    let loss = Loss::epsilon_insensitive(0.25).unwrap();
    let text = serde_json::to_string(&loss).unwrap();
    assert_eq!(serde_json::from_str::<Loss>(&text).unwrap(), loss);
    assert!(serde_json::from_str::<Loss>(&text.replace("0.25", "-0.25")).is_err());
}
