//! Ten thousand random sets: the mistakes that traces of runs record keep to their bounds.

use lm_bounds::mistakes::{best_hyperplane, freund_schapire, novikoff, regret, winnow};
use lm_core::{
    BinaryLabels, Certificate, Dense, Hypothesis, Learner, Linear, Sign, TrainingSet, VectorGram,
    VectorKernel,
};
use lm_data::generate::{SeparableSettings, separable};
use lm_online::{Bias, Order, Perceptron, Winnow};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// Sets of each of the two kinds.
const SETS: u64 = 5000;

fn margins(data: (&Dense<'static>, &BinaryLabels), hyperplane: &Linear) -> Vec<f64> {
    let values = hyperplane.decision_values(data.0).unwrap();
    values.iter().zip(data.1.values()).map(|(value, y)| y * value / hyperplane.norm()).collect()
}

fn radius(examples: &Dense<'static>) -> f64 {
    let norms = (0..lm_core::Collection::len(examples))
        .map(|row| examples.slice(row).iter().map(|x| x * x).sum::<f64>());
    norms.fold(0.0, f64::max).sqrt()
}

#[test]
fn runs_over_separable_sets_keep_to_novikoffs_bounds_and_to_that_of_winnow() {
    let mut random = ChaCha8Rng::seed_from_u64(81);
    let (mut tightest, mut tightest_of_winnow) = (0.0_f64, 0.0_f64);
    for seed in 0..SETS {
        let (len, dim) = (random.random_range(4..60), random.random_range(1..8));
        let offset = if seed % 3 == 0 { 0.0 } else { random.random_range(-0.6..0.6) };
        let settings = SeparableSettings::default()
            .with_len(len)
            .with_dim(dim)
            .with_margin(random.random_range(0.03..0.3))
            .with_bias(offset);
        let made = separable(&settings, seed).unwrap();
        let (examples, labels) = (&made.data.examples, &made.data.labels);
        let (norm, radius) = (made.hyperplane.norm(), radius(examples));
        let gamma = margins((examples, labels), &made.hyperplane).into_iter().fold(f64::INFINITY, f64::min);
        let b = made.hyperplane.bias() / norm;
        for step in [Bias::Radius, Bias::Standard, Bias::None] {
            if step == Bias::None && b != 0.0 {
                continue;
            }
            let order = if seed % 2 == 0 { Order::Given } else { Order::Shuffled { seed } };
            let learner = Perceptron::default().with_bias(step).with_order(order).with_passes(1_000_000);
            let fit = learner.fit(examples, labels).unwrap().converged().unwrap();
            let made = fit.certificate.journal().corrections() as f64;
            let bound = match step {
                Bias::Radius => {
                    let sharper = novikoff::with_step(radius, gamma, b, radius * radius).unwrap();
                    assert!(made <= sharper, "seed {seed}: {made} mistakes, {sharper}");
                    novikoff::with_bias(radius, gamma).unwrap()
                }
                Bias::None => novikoff::through_origin(radius, gamma).unwrap(),
                _ => {
                    // The augmented set has the margin γ/√(1 + b²) by unit weights.
                    let augmented = novikoff::augmented(radius, gamma / (1.0 + b * b).sqrt()).unwrap();
                    let same = novikoff::with_step(radius, gamma, b, 1.0).unwrap();
                    assert!((augmented / same - 1.0).abs() < 1e-12);
                    augmented
                }
            };
            assert!(made <= bound, "seed {seed}, {step:?}: {made} mistakes, bound {bound}");
            tightest = tightest.max(made / bound);
        }
        // Winnow: weights of 1-norm 1, with the bias as one attribute of size 1.
        let sum =
            made.hyperplane.weights().iter().map(|w| w.abs()).sum::<f64>() + made.hyperplane.bias().abs();
        let margin = gamma * norm / sum;
        let largest = (0..len).flat_map(|row| examples.slice(row)).fold(1.0_f64, |most, x| most.max(x.abs()));
        let promotion = winnow::best_promotion(largest, margin).unwrap();
        let learner = Winnow::default().with_promotion(promotion).with_passes(100_000);
        let fit = learner.fit(examples, labels).unwrap().converged().unwrap();
        assert!(fit.certificate.verify(&TrainingSet::new(examples, labels).unwrap()).unwrap().is_valid());
        let made = fit.certificate.journal().corrections() as f64;
        let bound = winnow::mistakes(dim as u64 + 1, largest, margin, 0.0, promotion).unwrap();
        assert!(made <= bound, "seed {seed}: Winnow made {made} mistakes, bound {bound}");
        tightest_of_winnow = tightest_of_winnow.max(made / bound);
    }
    assert!(tightest > 0.05 && tightest_of_winnow > 0.02, "{tightest} {tightest_of_winnow}");
}

#[test]
fn first_passes_over_sets_that_are_not_separable_keep_to_the_bound_of_freund_and_schapire() {
    let mut random = ChaCha8Rng::seed_from_u64(82);
    let mut tightest = 0.0_f64;
    for seed in 0..SETS {
        let (len, dim) = (random.random_range(6..80_usize), random.random_range(1..6_usize));
        let noise: f64 = random.random_range(0.05..0.5);
        let mut weights: Vec<f64> = (0..dim).map(|_| random.random_range(-1.0..1.0)).collect();
        weights[0] += 0.1;
        let far = random.random_range(-0.5..0.5);
        let rows: Vec<Vec<f64>> =
            (0..len).map(|_| (0..dim).map(|_| random.random_range(-1.0..1.0) + far).collect()).collect();
        let known = Linear::new(weights, random.random_range(-0.3..0.3)).unwrap();
        let examples = Dense::from_rows(&rows).unwrap();
        let mut signs = known.signs(&examples).unwrap();
        for sign in &mut signs {
            if random.random_range(0.0..1.0) < noise {
                *sign = sign.flipped();
            }
        }
        (signs[0], signs[1]) = (Sign::Positive, Sign::Negative);
        let labels = BinaryLabels::new(signs).unwrap();
        let radius = radius(&examples);
        let first = |bias: Bias| {
            let fit = Perceptron::default().with_bias(bias).with_passes(1).fit(&examples, &labels).unwrap();
            fit.certificate.journal().corrections_in_first_pass() as f64
        };
        let (with_step, without) = (first(Bias::Radius), first(Bias::None));
        // The hyperplane that labelled the examples, its mirror image, one far away, and one at random.
        let at_random =
            Linear::new((0..dim).map(|_| random.random_range(-1.0..1.0) + 0.01).collect(), 0.2).unwrap();
        let away = Linear::new(known.weights().to_vec(), known.bias() + 2.5 * radius * known.norm()).unwrap();
        for hyperplane in [&known, &at_random, &away] {
            let all = margins((&examples, &labels), hyperplane);
            let best = freund_schapire::best_margin(radius, &all).unwrap();
            assert!(with_step <= best.bound, "seed {seed}: {with_step} mistakes, {best:?}");
            tightest = tightest.max(with_step / best.bound);
            let b = hyperplane.bias() / hyperplane.norm();
            for target in [0.05, 0.2, 1.0, 3.0] {
                let at = freund_schapire::at_margin(radius, &all, target).unwrap();
                let sharper = freund_schapire::with_bias(radius, b, at.slack, target).unwrap();
                assert!(with_step <= at.bound && with_step <= sharper, "seed {seed}, γ = {target}");
                // Against the hinge loss.
                let loss: f64 = all.iter().map(|m| (1.0 - m / target).max(0.0)).sum();
                let most =
                    regret::mistakes_with_step(radius, 1.0 / target, b / target, radius * radius, loss)
                        .unwrap();
                assert!(with_step <= most, "seed {seed}, γ = {target}: {with_step} mistakes, regret {most}");
                if b == 0.0 {
                    assert!(without <= regret::mistakes(radius, 1.0 / target, loss).unwrap());
                }
            }
        }
        let gram = VectorGram::new(&examples, VectorKernel::linear()).unwrap();
        let best = best_hyperplane::find(&gram, &labels).unwrap();
        assert!(best.gap() < 1e-4, "seed {seed}: {}", best.gap());
        assert!(with_step <= best.bound, "seed {seed}: {with_step} mistakes, {}", best.bound);
        let others =
            freund_schapire::best_margin(best.radius, &margins((&examples, &labels), &known)).unwrap();
        // The search ends at a gap and not at the minimum.
        assert!(best.bound <= others.bound * (1.0 + 1e-7), "seed {seed}: {} {}", best.bound, others.bound);
        tightest = tightest.max(with_step / best.bound);
    }
    assert!(tightest > 0.1, "{tightest}");
}
