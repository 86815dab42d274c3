//! Scores computed ahead of their turn change nothing: every fit is, bit for bit, the plain loop.

use lm_core::{Examples, Learner, Sign};
use lm_online::{Bias, Order, Perceptron, Schedule};

use crate::sample::{noisy, storages};

/// The perceptron as the textbook has it: one example after the other.
fn plain(
    examples: &dyn Examples,
    signs: &[Sign],
    rate: impl Fn(u64) -> f64,
    (margin, step): (f64, f64),
    orders: &[Vec<usize>],
) -> (Vec<f64>, f64, Vec<u32>) {
    let (mut w, mut b, mut mistakes) = (vec![0.0; examples.dim()], 0.0, Vec::new());
    for order in orders {
        let before = mistakes.len();
        for &row in order {
            let y = signs[row].value();
            if y * (examples.dot(row, &w) + b) <= margin {
                mistakes.push(row as u32);
                let a = y * rate(mistakes.len() as u64);
                examples.add_scaled(row, a, &mut w);
                b += a * step;
            }
        }
        if mistakes.len() == before {
            break;
        }
    }
    (w, b, mistakes)
}

#[test]
fn a_fit_in_the_given_order_is_the_plain_loop_bit_for_bit() {
    for (seed, (len, dim, noise)) in
        (0..).zip([(1, 1, 0.0), (7, 3, 0.0), (50, 1, 0.3), (300, 17, 0.0), (300, 64, 0.1), (1000, 9, 0.02)])
    {
        let (examples, labels) = noisy(len.max(2), dim, noise, seed);
        let passes = 12;
        let order: Vec<usize> = (0..len.max(2)).collect();
        for (name, set) in storages(&examples) {
            for (bias, margin) in [(Bias::Standard, 0.0), (Bias::Radius, 0.5), (Bias::None, 0.0)] {
                for schedule in [Schedule::ONE, Schedule::harmonic(1.0).unwrap()] {
                    let settings = Perceptron::default().with_passes(passes).with_bias(bias);
                    let settings = settings.with_margin(margin).with_schedule(schedule);
                    let fit = settings.fit(&*set, &labels).unwrap();
                    let step = fit.certificate.bias_step();
                    let orders = vec![order.clone(); passes as usize];
                    let (w, b, mistakes) =
                        plain(&*set, labels.signs(), |k| schedule.rate(k), (margin, step), &orders);
                    let what = format!("{name}, seed {seed}, {bias:?}, {schedule:?}");
                    assert_eq!(fit.certificate.journal().mistakes(), mistakes, "{what}");
                    assert_eq!(fit.model.weights(), w, "{what}");
                    assert_eq!(fit.model.bias().to_bits(), b.to_bits(), "{what}");
                }
            }
        }
    }
}

#[test]
fn a_fit_in_shuffled_order_is_the_plain_loop_over_that_order() {
    let (examples, labels) = noisy(200, 13, 0.05, 3);
    for (name, set) in storages(&examples) {
        for seed in 0..4 {
            // With an endless margin every example is corrected, so that the journal tells the order.
            let settings = Perceptron::default().with_order(Order::Shuffled { seed }).with_passes(5);
            let all = settings.with_margin(1e300).fit(&*set, &labels).unwrap();
            let visited = all.certificate.journal().mistakes();
            let orders: Vec<Vec<usize>> =
                visited.chunks(200).map(|pass| pass.iter().map(|&row| row as usize).collect()).collect();
            assert_eq!(orders.len(), 5);
            let fit = settings.fit(&*set, &labels).unwrap();
            let step = fit.certificate.bias_step();
            let (w, b, mistakes) = plain(&*set, labels.signs(), |_| 1.0, (0.0, step), &orders);
            assert_eq!(fit.certificate.journal().mistakes(), mistakes, "{name}, seed {seed}");
            assert_eq!((fit.model.weights(), fit.model.bias()), (&w[..], b), "{name}, seed {seed}");
        }
    }
}

#[test]
fn no_rate_and_no_scale_changes_the_mistakes() {
    for seed in 0..5 {
        let (examples, labels) = noisy(300, 11, 0.1, seed);
        let mistakes = |scale: f64, rate: f64| {
            let values = examples.contiguous().unwrap().iter().map(|x| scale * x).collect();
            let scaled = lm_core::Dense::new(values, 300, 11).unwrap();
            let settings = Perceptron::default().with_passes(10);
            let fit =
                settings.with_schedule(Schedule::constant(rate).unwrap()).fit(&scaled, &labels).unwrap();
            (fit.certificate.journal().mistakes(), fit.model)
        };
        let (expected, model) = mistakes(1.0, 1.0);
        for rate in [1e-9, 0.1, 0.3, 7.0, 1e12] {
            let (found, scaled) = mistakes(1.0, rate);
            assert_eq!(found, expected, "rate {rate}, seed {seed}");
            let unscaled = model.weights().iter().map(|w| rate * w);
            assert!(unscaled.eq(scaled.weights().iter().copied()), "the rate is the unit of the weights");
        }
        for scale in [0.125, 64.0, 1e-30, 3.0] {
            assert_eq!(mistakes(scale, 1.0).0, expected, "scale {scale}, seed {seed}");
        }
    }
}
