//! Every formula beside values of high precision: never below them, and right to the last digit.
//!
//! `tests/data/references.tsv` says how its values were computed.

use lm_bounds::generalisation::{compression, margin, pac_bayes, rademacher, test_set, vc};
use lm_bounds::mistakes::{freund_schapire, novikoff, regret, winnow};
use lm_bounds::outward::{Enclosed, ln_binomial, ln_factorial, normal_tail};
use lm_bounds::binomial;

/// What a function gives for a row of the table.
enum Found {
    /// A bound from above.
    AtMost(f64),
    /// A bound from below.
    AtLeast(f64),
    /// Both sides.
    Within(Enclosed),
}

fn evaluate(name: &str, a: &[f64]) -> Found {
    let n = |i: usize| a[i] as u64;
    let at_most = |value: lm_core::Result<f64>| Found::AtMost(value.unwrap());
    match name {
        "novikoff.with_bias" => at_most(novikoff::with_bias(a[0], a[1])),
        "novikoff.through_origin" => at_most(novikoff::through_origin(a[0], a[1])),
        "novikoff.augmented" => at_most(novikoff::augmented(a[0], a[1])),
        "novikoff.with_step" => at_most(novikoff::with_step(a[0], a[1], a[2], a[3])),
        "freund_schapire.first_pass" => at_most(freund_schapire::first_pass(a[0], a[1], a[2])),
        "freund_schapire.with_bias" => at_most(freund_schapire::with_bias(a[0], a[1], a[2], a[3])),
        "regret.mistakes" => at_most(regret::mistakes(a[0], a[1], a[2])),
        "regret.mistakes_with_step" => at_most(regret::mistakes_with_step(a[0], a[1], a[2], a[3], a[4])),
        "winnow.mistakes" => at_most(winnow::mistakes(n(0), a[1], a[2], a[3], a[4])),
        "compression.stated" => at_most(compression::stated(n(0), n(1), a[2])),
        "compression.consistent" => at_most(compression::consistent(n(0), n(1), a[2])),
        "compression.with_errors" => at_most(compression::with_errors(n(0), n(1), n(2), a[3])),
        "vc.consistent" => at_most(vc::consistent(n(0), n(1), a[2])),
        "vc.additive" => at_most(vc::additive(n(0), n(1), n(2), a[3])),
        "vc.relative" => at_most(vc::relative(n(0), n(1), n(2), a[3])),
        "test_set.at_most" => at_most(test_set::at_most(n(0), n(1), a[2])),
        "test_set.at_least" => Found::AtLeast(test_set::at_least(n(0), n(1), a[2]).unwrap()),
        "test_set.hoeffding" => at_most(test_set::hoeffding(n(0), n(1), a[2])),
        "margin.fixed" => at_most(margin::fixed(a[0], a[1], n(2), a[3])),
        "margin.observed" => at_most(margin::observed(a[0], a[1], n(2), a[3])),
        "margin.soft" => at_most(margin::soft(a[0], a[1], a[2], n(3), a[4])),
        "margin.complexity" => at_most(margin::complexity(a[0], a[1], a[2])),
        "rademacher.of_kernel" => at_most(rademacher::of_kernel(a[0], n(1))),
        "rademacher.of_ball" => at_most(rademacher::of_ball(a[0], n(1))),
        "rademacher.fixed" => at_most(rademacher::fixed(&a[3..], a[0], a[1], a[2])),
        "binomial.tail" => Found::Within(binomial::tail(n(0), n(1), a[2]).unwrap()),
        "pac_bayes.largest_mean" => at_most(pac_bayes::largest_mean(a[0], a[1])),
        "pac_bayes.training" => Found::AtMost(pac_bayes::at_scale(&a[2..], a[0], a[1]).unwrap().training),
        "pac_bayes.drawn" => Found::AtMost(pac_bayes::at_scale(&a[2..], a[0], a[1]).unwrap().drawn),
        "ln" => Found::Within(Enclosed::from(a[0]).ln()),
        "ln_1p" => Found::Within(Enclosed::from(a[0]).ln_1p()),
        "exp" => Found::Within(Enclosed::from(a[0]).exp()),
        "exp_m1" => Found::Within(Enclosed::from(a[0]).exp_m1()),
        "ln_factorial" => Found::Within(ln_factorial(n(0))),
        "ln_binomial" => Found::Within(ln_binomial(n(0), n(1)).unwrap()),
        "normal_tail" => Found::Within(normal_tail(Enclosed::from(a[0]))),
        other => panic!("no function is named {other}"),
    }
}

#[test]
fn every_value_is_next_to_the_real_number_on_the_right_side() {
    let table = include_str!("../data/references.tsv");
    let mut rows = 0;
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let mut parts = line.split('\t');
        let name = parts.next().unwrap();
        let mut numbers = || -> Vec<f64> {
            parts.next().unwrap().split(' ').map(|number| number.parse().unwrap()).collect()
        };
        let (arguments, truth) = (numbers(), numbers());
        let [hi, lo] = truth[..] else { panic!("{line}") };
        // Values next to each other: their difference is exact.
        let above = |value: f64| (value - hi) - lo >= 0.0;
        let below = |value: f64| (value - hi) - lo <= 0.0;
        // A tail of a normal or binomial variable is a difference from 1 or ½: its last digits are absolute.
        let is_tail = name.contains("tail") || name.starts_with("pac_bayes");
        let allowed = if is_tail { 1e-26 } else { 1e-310 };
        let near = |value: f64| (value - hi).abs() <= 1e-15 * hi.abs() + allowed;
        match evaluate(name, &arguments) {
            Found::AtMost(value) => assert!(above(value) && near(value), "{line}: {value:e}"),
            Found::AtLeast(value) => assert!(below(value) && near(value), "{line}: {value:e}"),
            Found::Within(value) => {
                let (low, high) = (value.at_least(), value.at_most());
                assert!(below(low) && above(high) && near(low) && near(high), "{line}: {low:e} {high:e}");
            }
        }
        rows += 1;
    }
    assert!(rows > 800, "{rows} rows");
}
