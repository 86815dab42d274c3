//! The dual perceptron makes the mistakes of the primal one, in the same order.

use lm_core::{Control, Learner, TrainingSet, VectorGram, VectorKernel, Weights};
use lm_online::{Bias, DualPerceptron, Order, Perceptron};

use crate::sample::noisy;

#[test]
fn both_forms_make_the_same_mistakes_in_the_same_order() {
    for (seed, (len, dim, noise)) in
        (0..).zip([(20, 2, 0.0), (150, 5, 0.0), (100, 3, 0.3), (60, 90, 0.5), (200, 20, 0.05)])
    {
        let (examples, labels) = noisy(len, dim, noise, seed);
        let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
        for bias in [Bias::Radius, Bias::Standard, Bias::None] {
            for (order, margin) in [(Order::Given, 0.0), (Order::Shuffled { seed }, 0.0), (Order::Given, 2.5)]
            {
                let primal = Perceptron::default().with_bias(bias).with_order(order).with_margin(margin);
                let dual = DualPerceptron::default().with_bias(bias).with_order(order).with_margin(margin);
                let primal = primal.with_passes(15).fit(&examples, &labels).unwrap();
                let dual = dual.with_passes(15).fit(&gram, &labels).unwrap();
                let what = format!("seed {seed}, {bias:?}, {order:?}, margin {margin}");
                assert_eq!(primal.certificate.journal(), dual.certificate.journal(), "{what}");
                assert_eq!(primal.certificate.separates(), dual.certificate.separates(), "{what}");
                let close = 1e-12 * (1.0 + primal.model.bias().abs());
                assert!((primal.model.bias() - dual.model.bias()).abs() <= close, "{what}");
                // ‖α‖₁ is the number of mistakes.
                let sum: f64 = dual.model.coefficients().iter().map(|c| c.abs()).sum();
                assert_eq!(sum, dual.certificate.journal().corrections() as f64, "{what}");
            }
        }
    }
}

#[test]
fn both_forms_take_a_weight_as_a_number_of_visits() {
    let (examples, labels) = noisy(40, 3, 0.2, 9);
    let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
    let weights = Weights::new((0..40).map(|row| f64::from(row % 4)).collect()).unwrap();
    let set = TrainingSet::new(&examples, &labels).unwrap().with_weights(&weights).unwrap();
    let primal = Perceptron::default().with_passes(9).fit_with(&set, &Control::default()).unwrap();
    let over_gram = set.over(&gram).unwrap();
    let dual = DualPerceptron::default().with_passes(9).fit_with(&over_gram, &Control::default()).unwrap();
    assert_eq!(primal.certificate.journal(), dual.certificate.journal());
}
