//! Mistakes against the number of irrelevant attributes.

use lm_core::Learner;
use lm_data::generate::{Attributes, IrrelevantSettings, irrelevant};
use lm_online::{Perceptron, Winnow};

/// The mistakes of both on sets in which 5 of so many attributes matter, on average over some sets.
fn mistakes(dim: usize) -> (f64, f64) {
    let sets = 3;
    let (mut winnow, mut perceptron) = (0, 0);
    for seed in 0..sets {
        let settings = IrrelevantSettings::default()
            .with_len(3_000)
            .with_dim(dim)
            .with_attributes(Attributes::PlusMinus);
        let data = irrelevant(&settings, seed).unwrap().data;
        let fit = Winnow::default().fit(&data.examples, &data.labels).unwrap().converged().unwrap();
        winnow += fit.certificate.journal().corrections();
        let fit = Perceptron::default().fit(&data.examples, &data.labels).unwrap().converged().unwrap();
        perceptron += fit.certificate.journal().corrections();
    }
    (winnow as f64 / sets as f64, perceptron as f64 / sets as f64)
}

#[test]
fn winnow_minds_irrelevant_attributes_less_than_the_perceptron() {
    let counts: Vec<(f64, f64)> = [25, 100, 400].into_iter().map(mistakes).collect();
    let text = format!("{counts:?}");
    // 16 times the attributes: a logarithm grows by ln 16 / ln 25 of itself at most.
    let growth = |of: fn(&(f64, f64)) -> f64| of(&counts[2]) / of(&counts[0]);
    assert!(growth(|count| count.0) < 3.0, "{text}");
    assert!(growth(|count| count.1) > 4.0, "{text}");
    assert!(counts[2].0 < counts[2].1, "{text}");
}
