//! A17 and A20: the Widrow–Hoff rule in primal and dual form, one example at a time and all at once.

use lm_core::{
    BinaryLabels, Certificate, Dense, DualExpansion, Error, Hypothesis, Learner, Sign, Targets, TrainingSet,
    VectorGram, VectorKernel,
};
use lm_online::{BatchDualLms, BatchLms, Bias, DualLms, Lms, Schedule};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::Plot;
use crate::reproduce::least_squares::{augmented, check_near, least_squares};
use crate::reproduce::vectors::{distance, dot, minus, weights_and_bias};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "A17",
        place: "A Table 2.3",
        claim: "The Widrow–Hoff algorithm (Adaline) meets one example after the other, moves (w, b) by −η(⟨w·x⟩ + b − y)(x, 1), and \
                converges to the least squares solution.",
        how: "Runs on 30 examples with targets that a linear function meets, on the same with noise, and on labels ±1 are compared \
              with the solution of least squares by Householder reflections; a pass is compared with the table written out.",
        seed: 17,
        body: primal,
    },
    Entry {
        id: "A20",
        place: "A 2.4, exercises 1 and 2",
        claim: "The Widrow–Hoff algorithm has a dual form, and linear regression has iterative algorithms in primal and dual form.",
        how: "The dual forms, which see the examples through the Gram matrix only, are compared with the primal ones pass by pass and \
              step by step; all with least squares by Householder reflections, on random data, on iris and under a kernel.",
        seed: 20,
        body: dual,
    },
];

/// 30 examples of three attributes, with targets that a linear function misses by at most `noise`.
fn regression(seed: u64, noise: f64) -> Result<(Dense<'static>, Targets), Error> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let rows: Vec<[f64; 3]> = (0..30).map(|_| [0; 3].map(|_| random.random_range(-1.0..1.0))).collect();
    let exact = |x: &[f64; 3]| 0.5 * x[0] - 2.0 * x[1] + x[2] + 0.75;
    let targets = rows.iter().map(|x| exact(x) + noise * random.random_range(-1.0..1.0)).collect();
    Ok((Dense::from_rows(&rows)?, Targets::new(targets)?))
}

fn primal(bench: &mut Bench) -> Outcome {
    let (examples, met) = regression(bench.seed(), 0.0)?;
    let rows = augmented(&examples, 30);
    let fixed = Lms::default().with_schedule(Schedule::constant(0.2)?);

    // One pass, as the table has it.
    let mut by_table = vec![0.0; 4];
    for (row, target) in rows.iter().zip(met.values()) {
        let error = dot(&by_table, row) - target;
        by_table.iter_mut().zip(row).for_each(|(w, x)| *w -= 0.2 * error * x);
    }
    let one = fixed.with_passes(1).fit(&examples, &met)?;
    bench.check_at_most(
        "one pass with η = 0.2: distance from the table written out",
        1e-14,
        distance(&weights_and_bias(&one.model), &by_table),
    );

    let solution = least_squares(&rows, met.values());
    let fit = fixed.with_tolerance(1e-9).fit(&examples, &met)?.converged()?;
    check_near(bench, "targets that are met, η = 0.2", 1e-6, &fit.model, &solution);
    bench.check_valid(
        "sum of squares and gradient of that run",
        fit.certificate.verify(&TrainingSet::new(&examples, &met)?)?,
    );

    let (examples, noisy) = regression(bench.seed(), 1.0)?;
    let solution = least_squares(&augmented(&examples, 30), noisy.values());
    let away = |learner: Lms, passes: u64| -> Result<f64, Error> {
        let fit = learner.with_tolerance(0.0).with_passes(passes).fit(&examples, &noisy)?;
        Ok(distance(&weights_and_bias(&fit.model), &solution))
    };
    let long = Lms::default().with_tolerance(0.0).with_passes(1 << 21).fit(&examples, &noisy)?;
    check_near(
        bench,
        "targets with noise, rate 1/(p·max ‖(x, 1)‖²) in pass p, two million passes",
        1e-6,
        &long.model,
        &solution,
    );
    bench.check_valid(
        "sum of squares and gradient of that run",
        long.certificate.verify(&TrainingSet::new(&examples, &noisy)?)?,
    );

    let mut farthest = 0.0_f64;
    for seed in (1..=10).map(|k| bench.seed().wrapping_add(100 * k)) {
        let (examples, targets) = regression(seed, 1.0)?;
        let solution = least_squares(&augmented(&examples, 30), targets.values());
        let fit = Lms::default().with_tolerance(0.0).with_passes(1 << 16).fit(&examples, &targets)?;
        farthest = farthest.max(distance(&weights_and_bias(&fit.model), &solution));
    }
    bench.check_at_most(
        "ten more sets with noise, the same rates, 65 536 passes: largest distance from least squares",
        1e-4,
        farthest,
    );

    let labels = BinaryLabels::new(noisy.values().iter().map(|target| Sign::of(target - 0.75)).collect())?;
    let of_labels = least_squares(&augmented(&examples, 30), &labels.values());
    let fit = Lms::default().with_tolerance(0.0).with_passes(1 << 18).fit(&examples, &labels)?;
    check_near(bench, "labels ±1, falling rate, 262 144 passes", 1e-5, &fit.model, &of_labels);

    constant_rates(bench, &examples, &noisy, &away)
}

/// With a constant rate the limit is another point.
fn constant_rates(
    bench: &mut Bench,
    examples: &Dense<'static>,
    noisy: &Targets,
    away: &dyn Fn(Lms, u64) -> Result<f64, Error>,
) -> Outcome {
    let fixed = |rate: f64| Ok::<_, Error>(Lms::default().with_schedule(Schedule::constant(rate)?));
    let mut rests = Vec::new();
    for rate in [0.2, 0.1, 0.05, 0.025] {
        let (once, twice) = (away(fixed(rate)?, 10_000)?, away(fixed(rate)?, 20_000)?);
        bench.check_at_most(
            format!(
                "noise, η = {}: change of the distance from least squares between passes 10 000 and 20 000",
                number(rate)
            ),
            1e-12,
            (once - twice).abs(),
        );
        rests.push(twice);
    }
    let ratios: Vec<f64> = rests.windows(2).map(|pair| pair[0] / pair[1]).collect();
    let shown: Vec<String> = rests.iter().map(|rest| number(*rest)).collect();
    let too_large = fixed(2.0)?.fit(examples, noisy);
    bench.erratum(
        "With a learning rate η > 0 the algorithm of Table 2.3 converges to the least squares solution.",
        "If no function meets all targets, a run with constant η comes to circle at a distance from it that is about proportional to \
         η, and with a large η it diverges. It converges to the solution when the rates fall to 0 with an infinite sum.",
        format!(
            "Distances {} for η = 0.2, 0.1, 0.05, 0.025, unchanged by more passes; for η = 2: {}.",
            shown.join(", "),
            too_large.as_ref().map_or_else(ToString::to_string, |fit| format!("ended with {:?}", fit.report.stop)),
        ),
        rests.iter().all(|rest| *rest > 1e-3) && ratios.iter().all(|ratio| (1.5..3.0).contains(ratio)) && too_large.is_err(),
    );
    let mut plot = Plot::new("pass", "distance from least squares").log_x().log_y();
    for (name, learner) in
        [("η = 0.2", fixed(0.2)?), ("η = 0.05", fixed(0.05)?), ("falling rate", Lms::default())]
    {
        let points = (0..=16).map(|k| Ok([f64::from(1 << k), away(learner, 1 << k)?]));
        plot = plot.marked_series(name, &points.collect::<Result<Vec<_>, Error>>()?);
    }
    bench.figure(
        "rates",
        "Targets with noise: with a constant rate the run comes to rest at a distance from the least squares solution, with a rate \
         that falls like 1/p it goes on towards it.",
        plot.render()?,
    )
}

fn dual(bench: &mut Bench) -> Outcome {
    let (examples, targets) = regression(bench.seed(), 1.0)?;
    let solution = least_squares(&augmented(&examples, 30), targets.values());
    let gram = VectorGram::new(&examples, VectorKernel::linear())?;
    let over = |model: &DualExpansion| model.over_columns(&examples).map(|model| weights_and_bias(&model));
    // No run is to end before its passes.
    let never = f64::MIN_POSITIVE;
    let rate = Schedule::constant(0.1)?;
    for passes in [1, 10, 100] {
        for (name, primal, dual) in [
            ("η = 0.1", Lms::default().with_schedule(rate), DualLms::default().with_schedule(rate)),
            ("falling rate", Lms::default(), DualLms::default()),
        ] {
            let primal = primal.with_passes(passes).with_tolerance(0.0).fit(&examples, &targets)?;
            let dual = dual.with_passes(passes).with_tolerance(never).fit(&gram, &targets)?;
            bench.check_at_most(
                format!("Widrow–Hoff, {name}, after pass {passes}: distance between primal and dual form"),
                1e-12,
                distance(&weights_and_bias(&primal.model), &over(&dual.model)?),
            );
        }
        let primal =
            BatchLms::default().with_passes(passes).with_tolerance(never).fit(&examples, &targets)?;
        let dual = BatchDualLms::default().with_passes(passes).with_tolerance(never).fit(&gram, &targets)?;
        bench.check_at_most(
            format!("regression by descent, after step {passes}: distance between primal and dual form"),
            1e-9,
            distance(&weights_and_bias(&primal.model), &over(&dual.model)?),
        );
    }
    let fit = DualLms::default().with_passes(1 << 15).with_tolerance(never).fit(&gram, &targets)?;
    bench.check_at_most(
        "dual Widrow–Hoff, falling rate, 32 768 passes: distance from least squares",
        1e-4,
        distance(&over(&fit.model)?, &solution),
    );
    bench.check_valid(
        "its sum of squares and gradient",
        fit.certificate.verify(&TrainingSet::new(&gram, &targets)?)?,
    );
    regressions(bench, "random data", &examples, &targets, &solution)?;
    iris(bench)?;
    under_a_kernel(bench)
}

/// Batch descent in both forms, by the gradient and by conjugate directions, against the solution.
fn regressions(
    bench: &mut Bench,
    name: &str,
    examples: &Dense<'static>,
    targets: &Targets,
    solution: &[f64],
) -> Outcome {
    let gram = VectorGram::new(examples, VectorKernel::linear())?;
    let primal = BatchLms::default().with_tolerance(1e-10).with_passes(1_000_000);
    // In dual form the gradient is the root of a difference, which rounding bounds from below by about 1e-8.
    let dual = BatchDualLms::default().with_tolerance(1e-8).with_passes(1_000_000);
    let runs = [
        ("gradient", primal, dual),
        ("conjugate directions", primal.with_conjugate_directions(), dual.with_conjugate_directions()),
    ];
    for (way, primal, dual) in runs {
        let primal = primal.fit(examples, targets)?.converged()?;
        check_near(
            bench,
            format!("{name}, primal, {way}, {} steps", primal.report.iterations),
            1e-6,
            &primal.model,
            solution,
        );
        bench.check_valid(
            "its sum of squares and gradient",
            primal.certificate.verify(&TrainingSet::new(examples, targets)?)?,
        );
        let dual = dual.fit(&gram, targets)?.converged()?;
        check_near(
            bench,
            format!("{name}, dual, {way}, {} steps", dual.report.iterations),
            1e-6,
            &dual.model.over_columns(examples)?,
            solution,
        );
        bench.check_valid(
            "its sum of squares and gradient",
            dual.certificate.verify(&TrainingSet::new(&gram, targets)?)?,
        );
    }
    Ok(())
}

/// The width of a petal from the three other measures, each less its mean.
fn iris(bench: &mut Bench) -> Outcome {
    let table = lm_data::classic::iris()?;
    let column = |k: usize| (0..150).map(|row| table.data.examples.slice(row)[k]).collect::<Vec<_>>();
    let mean = |k: usize| column(k).iter().sum::<f64>() / 150.0;
    let means = [mean(0), mean(1), mean(2)];
    let row = |row: usize| {
        let x = table.data.examples.slice(row);
        [x[0] - means[0], x[1] - means[1], x[2] - means[2]]
    };
    let examples = Dense::from_rows(&(0..150).map(row).collect::<Vec<_>>())?;
    let targets = Targets::new(column(3))?;
    let solution = least_squares(&augmented(&examples, 150), targets.values());
    regressions(bench, "iris, width of petals", &examples, &targets, &solution)
}

/// Under a kernel: the values of least squares on the features themselves.
fn under_a_kernel(bench: &mut Bench) -> Outcome {
    let (examples, targets) = regression(bench.seed(), 1.0)?;
    // All products of (x, 1) with itself, whose inner products are (⟨x·z⟩ + 1)².
    let features: Vec<Vec<f64>> = augmented(&examples, 30)
        .iter()
        .map(|x| {
            let root = |i: usize, j: usize| if i == j { 1.0 } else { 2.0_f64.sqrt() };
            (0..4).flat_map(|i| (i..4).map(move |j| (i, j))).map(|(i, j)| root(i, j) * x[i] * x[j]).collect()
        })
        .collect();
    let solution = least_squares(&features, targets.values());
    let expected: Vec<f64> = features.iter().map(|row| dot(row, &solution)).collect();
    let gram = VectorGram::new(&examples, VectorKernel::polynomial(2, 1.0, 1.0)?)?;
    let learner =
        BatchDualLms::default().with_bias(Bias::None).with_conjugate_directions().with_tolerance(1e-7);
    let fit = learner.fit(&gram, &targets)?.converged()?;
    let off =
        minus(&fit.model.decision_values(&gram)?, &expected).iter().map(|d| d.abs()).fold(0.0, f64::max);
    bench.check_at_most(
        "dual regression under (⟨x·z⟩ + 1)²: largest difference from least squares on the ten products",
        1e-6,
        off,
    );
    Ok(())
}
