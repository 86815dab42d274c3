//! Novikoff's bound and that of Freund and Schapire hold, on data of many shapes.

use lm_core::{Certificate, Learner, Linear, TrainingSet};
use lm_data::generate::{SeparableSettings, separable};
use lm_online::{Bias, Order, Perceptron};

use crate::sample::noisy;

#[test]
fn novikoffs_bound_holds_on_separable_data() {
    let mut tightest = f64::INFINITY;
    for (seed, (len, dim, margin, bias)) in (0..).zip([
        (20, 2, 0.1, 0.0),
        (100, 3, 0.05, 0.5),
        (200, 30, 0.2, 0.0),
        (50, 200, 0.02, 0.9),
        (500, 5, 0.01, -0.3),
    ]) {
        let settings =
            SeparableSettings::default().with_len(len).with_dim(dim).with_margin(margin).with_bias(bias);
        let made = separable(&settings, seed).unwrap();
        let set = TrainingSet::new(&made.data.examples, &made.data.labels).unwrap();
        for order in [Order::Given, Order::Shuffled { seed: 1 }] {
            for step in [Bias::Radius, Bias::Standard] {
                let learner = Perceptron::default().with_passes(1_000_000).with_order(order).with_bias(step);
                let fit = learner.fit(&made.data.examples, &made.data.labels).unwrap().converged().unwrap();
                assert!(fit.certificate.verify(&set).unwrap().is_valid());
                for hyperplane in [&made.hyperplane, &fit.model] {
                    let bound = fit.certificate.novikoff(&set, hyperplane).unwrap();
                    assert!(
                        bound.holds() && bound.mistakes as f64 <= bound.sharper,
                        "seed {seed}: {bound:?}"
                    );
                    assert!(
                        step != Bias::Radius || bound.sharper <= bound.bound * (1.0 + 1e-12),
                        "{bound:?}"
                    );
                    tightest = tightest.min(bound.bound / bound.mistakes as f64);
                }
            }
        }
    }
    assert!(tightest < 1000.0, "the bound says something: {tightest}");
}

#[test]
fn without_a_bias_the_bound_is_that_of_hyperplanes_through_the_origin() {
    let settings = SeparableSettings::default().with_len(100).with_dim(4).with_margin(0.05).with_bias(0.0);
    let made = separable(&settings, 3).unwrap();
    let set = TrainingSet::new(&made.data.examples, &made.data.labels).unwrap();
    let learner = Perceptron::default().with_bias(Bias::None).with_passes(100_000);
    let fit = learner.fit(&made.data.examples, &made.data.labels).unwrap().converged().unwrap();
    let through = Linear::new(made.hyperplane.weights().to_vec(), 0.0).unwrap();
    let bound = fit.certificate.novikoff(&set, &through).unwrap();
    assert!(bound.holds());
    let expected = (bound.radius / bound.margin).powi(2);
    assert!((bound.bound / expected - 1.0).abs() < 1e-12);
    let beside = Linear::new(made.hyperplane.weights().to_vec(), 0.01).unwrap();
    assert!(fit.certificate.novikoff(&set, &beside).is_err());
}

#[test]
fn the_first_pass_keeps_to_the_bound_of_freund_and_schapire() {
    for seed in 0..20 {
        let (examples, labels) = noisy(150, 4, 0.3, seed);
        let set = TrainingSet::new(&examples, &labels).unwrap();
        let fit = Perceptron::default().with_passes(30).fit(&examples, &labels).unwrap();
        for gamma in [0.01, 0.1, 0.5, 1.0, 3.0] {
            for hyperplane in [&fit.model, &Linear::new(vec![1.0, -0.5, 0.2, 0.7], 0.1).unwrap()] {
                let bound = fit.certificate.freund_schapire(&set, hyperplane, gamma).unwrap();
                assert!(bound.holds() && bound.mistakes as f64 <= bound.sharper, "seed {seed}: {bound:?}");
                assert_eq!(bound.mistakes, fit.certificate.journal().corrections_in_first_pass());
            }
        }
        assert!(fit.certificate.freund_schapire(&set, &fit.model, f64::NAN).is_err());
    }
}

#[test]
fn a_bound_asks_for_a_hyperplane_that_separates_and_a_constant_rate() {
    let (examples, labels) = noisy(100, 4, 0.5, 1);
    let set = TrainingSet::new(&examples, &labels).unwrap();
    let fit = Perceptron::default().with_passes(3).fit(&examples, &labels).unwrap();
    assert!(fit.certificate.novikoff(&set, &fit.model).is_err());
    let falling = Perceptron::default().with_schedule(lm_online::Schedule::harmonic(1.0).unwrap());
    let fit = falling.with_passes(3).fit(&examples, &labels).unwrap();
    assert!(fit.certificate.freund_schapire(&set, &fit.model, 1.0).is_err());
}

#[test]
fn the_bound_is_that_of_the_theorem_although_the_radius_is_rounded() {
    for seed in 0..50 {
        let made = separable(&SeparableSettings::default().with_dim(50), seed).unwrap();
        let set = TrainingSet::new(&made.data.examples, &made.data.labels).unwrap();
        let fit = Perceptron::default().fit(&made.data.examples, &made.data.labels).unwrap();
        let bound = fit.certificate.novikoff(&set, &made.hyperplane).unwrap();
        let stated = (2.0 * bound.radius / bound.margin).powi(2);
        assert!((bound.bound / stated - 1.0).abs() < 1e-9, "seed {seed}: {} for {stated}", bound.bound);
    }
}
