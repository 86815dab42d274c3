//! A14, D01 and D02: Fisher's discriminant, the criterion that it maximises, and its threshold.

use lm_closed::{Fisher, Threshold, fisher_criterion};
use lm_core::{Certificate, Learner, Linear, Sign, TrainingSet, Weights};
use lm_data::generate::{Cloud, Spread, gaussians};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::least_squares::{augmented, least_squares};
use crate::reproduce::measure::{Binary, line, of_class, pair, wrong};
use crate::reproduce::vectors::{distance, dot, norm, weights_and_bias};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "A14",
        place: "A 2.1.2",
        claim: "Fisher's discriminant is the hyperplane that maximises F = (m₁ − m₋₁)²/(σ₁² + σ₋₁²) of the outputs ⟨w·x⟩ + b. It is \
                found by solving a linear system with a symmetric matrix, with the difference of the class means on the right.",
        how: "F is computed from means and standard deviations of the outputs as written, and compared with that of 2000 random \
              directions and of small turns away from the solution, on clouds of unequal size and on pairs of iris species.",
        seed: 114,
        body: hyperplane,
    },
    Entry {
        id: "D01",
        place: "D Lemma 1, Fig 4.5",
        claim: "The direction C_W⁻¹(m₊ − m₋) maximises the Fisher criterion, the squared distance of the projected class means over \
                the sum of the scatters of the projections. The criterion does not depend on the length of the direction.",
        how: "Two slanted clouds of the plane: the criterion at 3600 angles is compared with that of the solution; the same with random \
              directions in up to 30 dimensions.",
        seed: 401,
        body: angle,
    },
    Entry {
        id: "D02",
        place: "D 4.2.1",
        claim: "The threshold of the discriminant is chosen by least training error, or taken from least squares; the former makes no \
                more training errors.",
        how: "Training errors are counted for every threshold on a set with a far group in one class, on random sets and on iris; the \
              threshold of least squares is compared with a solution by Householder reflections.",
        seed: 402,
        body: thresholds,
    },
];

/// Two slanted clouds of the plane, of these sizes.
fn slanted(sizes: [usize; 2], seed: u64) -> lm_core::Result<Binary> {
    let spread = |a: f64| Spread::Cholesky(vec![1.6, 0.0, a, 0.5]);
    let clouds = [
        Cloud { class: 0, len: sizes[0], mean: vec![-0.8, 0.6], spread: spread(0.9) },
        Cloud { class: 1, len: sizes[1], mean: vec![0.9, -0.5], spread: spread(1.3) },
    ];
    let made = gaussians(&clouds, seed)?;
    Ok(Binary { labels: made.labels.one_against_rest(1)?, examples: made.examples })
}

/// `F` as source A writes it, from the outputs of a hyperplane.
fn from_outputs(data: &Binary, w: &[f64], b: f64) -> f64 {
    let side = |sign: Sign| {
        let rows = (0..data.labels.signs().len()).filter(|&row| data.labels.signs()[row] == sign);
        let outputs: Vec<f64> = rows.map(|row| dot(data.examples.slice(row), w) + b).collect();
        let mean = outputs.iter().sum::<f64>() / outputs.len() as f64;
        let square = outputs.iter().map(|output| (output - mean).powi(2)).sum::<f64>();
        (mean, (square / outputs.len() as f64).sqrt())
    };
    let ((m, s), (n, t)) = (side(Sign::Positive), side(Sign::Negative));
    (m - n).powi(2) / (s * s + t * t)
}

/// Weights under which both classes count 1, so that scatters are variances.
fn balance(data: &Binary) -> lm_core::Result<Weights> {
    let share = |sign: &Sign| 1.0 / data.labels.count(*sign) as f64;
    Weights::new(data.labels.signs().iter().map(share).collect())
}

fn random_direction(random: &mut ChaCha8Rng, dim: usize) -> Vec<f64> {
    (0..dim).map(|_| random.random_range(-1.0..1.0)).collect()
}

fn hyperplane(bench: &mut Bench) -> Outcome {
    let iris = lm_data::classic::iris()?.data;
    let mut random = ChaCha8Rng::seed_from_u64(bench.seed());
    let sets = [
        ("clouds of 40 and 160 points", slanted([40, 160], bench.seed())?),
        ("iris, versicolor and virginica", pair(&iris, [1.0, 2.0])?),
        ("iris, setosa and versicolor", pair(&iris, [0.0, 1.0])?),
    ];
    for (name, data) in &sets {
        let weights = balance(data)?;
        let set = TrainingSet::new(&data.examples, &data.labels)?.with_weights(&weights)?;
        let fit = Fisher::default().fit_with(&set, &lm_core::Control::default())?;
        let (w, b) = (fit.model.weights(), fit.model.bias());
        let best = from_outputs(data, w, b);
        bench.check_close(
            format!("{name}: F of the outputs, and the criterion of the library"),
            fisher_criterion(&set, w)?,
            best,
            1e-11 * best,
        );
        bench.check_at_most(
            format!("{name}: change of F with the bias, relative"),
            1e-11,
            (from_outputs(data, w, b + 3.0) - best).abs() / best,
        );
        let mut largest = 0.0_f64;
        for _ in 0..2000 {
            largest = largest.max(from_outputs(data, &random_direction(&mut random, w.len()), 0.0));
        }
        bench.check(
            format!("{name}: F of the solution, and the largest of 2000 random directions"),
            "the solution has more",
            format!("{} and {}", number(best), number(largest)),
            best >= largest,
        );
        // At a maximum F falls by the square of a turn.
        let mut worst = 0.0_f64;
        for _ in 0..200 {
            let turn = random_direction(&mut random, w.len());
            for size in [1e-2, -1e-2] {
                let factor = size * norm(w) / norm(&turn);
                let turned: Vec<f64> = w.iter().zip(&turn).map(|(w, t)| w + factor * t).collect();
                worst = worst.max(from_outputs(data, &turned, 0.0) / best - 1.0);
            }
        }
        bench.check_at_most(format!("{name}: largest gain of F by turns of 0.01, relative"), 1e-12, worst);
        bench.check_at_most(
            format!("{name}: what is left of the linear system, relative"),
            1e-11,
            fit.certificate.figures().residual,
        );
        bench.check_valid(format!("{name}: the evidence, recomputed"), fit.certificate.verify(&set)?);
    }
    let (name, data) = &sets[0];
    let plain = Fisher::default().fit(&data.examples, &data.labels)?.model;
    let weights = balance(data)?;
    let set = TrainingSet::new(&data.examples, &data.labels)?.with_weights(&weights)?;
    let balanced = Fisher::default().fit_with(&set, &lm_core::Control::default())?.model;
    let of = |model: &Linear| from_outputs(data, model.weights(), 0.0);
    bench.check(
        format!("{name}: F of the solution with variances, and with sums of squares as in source D"),
        "the former is larger",
        format!("{} and {}", number(of(&balanced)), number(of(&plain))),
        of(&balanced) > of(&plain),
    );
    bench.note(
        "The source divides each class by its own number (standard deviations), source D and Lemma 2 do not; with classes of equal \
         size both are the same. The library takes sums; weights that let both classes count 1 make them variances.",
    );
    Ok(())
}

fn angle(bench: &mut Bench) -> Outcome {
    let data = slanted([120, 80], bench.seed())?;
    let set = TrainingSet::new(&data.examples, &data.labels)?;
    let model = Fisher::default().fit(&data.examples, &data.labels)?.model;
    let best = fisher_criterion(&set, model.weights())?;
    let at = |degrees: f64| [degrees.to_radians().cos(), degrees.to_radians().sin()];
    let mut curve = Vec::new();
    for step in 0..3600 {
        let degrees = f64::from(step) * 0.05;
        curve.push([degrees, fisher_criterion(&set, &at(degrees))?]);
    }
    let top = curve.iter().fold([0.0_f64; 2], |top, point| if point[1] > top[1] { *point } else { top });
    let found = model.weights()[1].atan2(model.weights()[0]).to_degrees().rem_euclid(180.0);
    bench.check_close(
        "angle of C_W⁻¹(m₊ − m₋), and the best of 3600 angles, in degrees",
        top[0],
        found,
        0.026,
    );
    bench.check(
        "criterion of the solution, and the largest on the curve",
        "the solution has at least as much",
        format!("{} and {}", number(best), number(top[1])),
        best >= top[1],
    );
    bench.check_at_most("the curve's best is missing, relative", 1e-4, 1.0 - top[1] / best);
    let mut scaled = 0.0_f64;
    for factor in [-3.0, 0.01, 1e6] {
        let w: Vec<f64> = model.weights().iter().map(|w| factor * w).collect();
        scaled = scaled.max((fisher_criterion(&set, &w)? / best - 1.0).abs());
    }
    bench.check_at_most("change of the criterion with the length of the direction, relative", 1e-11, scaled);

    let mut random = ChaCha8Rng::seed_from_u64(bench.seed());
    let (mut exceeded, mut tried) = (0_u32, 0_u32);
    for dim in [3, 10, 30] {
        let mean = |side: f64| -> Vec<f64> { (0..dim).map(|k| side * (k as f64 / 5.0).sin()).collect() };
        let spread = Spread::Diagonal((0..dim).map(|k| 0.5 + (k % 3) as f64).collect());
        let cloud = |class, side| Cloud { class, len: 100, mean: mean(side), spread: spread.clone() };
        let made = gaussians(&[cloud(0, -0.5), cloud(1, 0.5)], bench.seed() + dim as u64)?;
        let labels = made.labels.one_against_rest(1)?;
        let set = TrainingSet::new(&made.examples, &labels)?;
        let w = Fisher::default().fit(&made.examples, &labels)?.model;
        let best = fisher_criterion(&set, w.weights())?;
        for _ in 0..1000 {
            tried += 1;
            let near: Vec<f64> =
                w.weights().iter().map(|w| w + norm(&[*w]) * random.random_range(-0.5..0.5)).collect();
            exceeded += u32::from(fisher_criterion(&set, &near)? > best);
        }
    }
    bench.check_equal(
        format!("directions of {tried} in 3, 10 and 30 dimensions that exceed the solution"),
        0,
        exceeded,
    );

    let svg = Plot::new("angle of the direction, degrees", "Fisher criterion")
        .x_range(0.0, 180.0)
        .series("J(w)", &curve)
        .segment("C_W⁻¹(m₊ − m₋)", [found, 0.0], [found, best], Stroke::DASHED)
        .render()?;
    bench.figure(
        "angle",
        "The criterion against the angle of the direction: its only maximum is the solution.",
        svg,
    )?;
    let size = 4.0 / norm(model.weights());
    let end = [size * model.weights()[0], size * model.weights()[1]];
    let svg = Plot::new("x₁", "x₂")
        .equal_axes()
        .points("class −", 0, &of_class(&data, Sign::Negative))
        .points("class +", 1, &of_class(&data, Sign::Positive))
        .line("boundary", line(&model), Stroke::SOLID)
        .arrow("direction", [0.0, 0.0], end)
        .render()?;
    bench.figure(
        "clouds",
        "The two classes, the direction, and the hyperplane halfway between the projected means.",
        svg,
    )
}

/// The errors of a threshold along a direction, counted one by one.
fn counted(data: &Binary, w: &[f64], threshold: f64) -> usize {
    let sides = data.labels.signs().iter().enumerate();
    sides.filter(|(row, sign)| Sign::of(dot(data.examples.slice(*row), w) - threshold) != **sign).count()
}

fn thresholds(bench: &mut Bench) -> Outcome {
    let iris = lm_data::classic::iris()?.data;
    let far = {
        let cloud =
            |class, len, x: f64, y: f64| Cloud { class, len, mean: vec![x, y], spread: Spread::Round(0.8) };
        let made = gaussians(
            &[cloud(0, 60, -1.5, 0.0), cloud(1, 60, 1.0, 0.0), cloud(1, 25, 9.0, -3.0)],
            bench.seed(),
        )?;
        Binary { labels: made.labels.one_against_rest(1)?, examples: made.examples }
    };
    let mut sets = vec![
        ("with a far group".to_string(), far),
        ("iris, versicolor and virginica".to_string(), pair(&iris, [1.0, 2.0])?),
    ];
    for seed in 1..=10 {
        sets.push((format!("clouds {seed}"), slanted([30, 70], bench.seed() + seed)?));
    }
    let (mut not_least, mut more, mut off) = (0_u32, 0_u32, 0.0_f64);
    for (name, data) in &sets {
        let fit = |threshold| Fisher::default().with_threshold(threshold).fit(&data.examples, &data.labels);
        let (least, squares) = (fit(Threshold::LeastError)?, fit(Threshold::LeastSquares)?);
        let w = least.model.weights();
        // A threshold between every two neighbours, and beyond both ends.
        let mut values: Vec<f64> =
            (0..data.labels.signs().len()).map(|row| dot(data.examples.slice(row), w)).collect();
        values.sort_unstable_by(f64::total_cmp);
        let ends = [values[0] - 1.0, values[values.len() - 1] + 1.0];
        let middles = values.windows(2).map(|two| 0.5 * (two[0] + two[1]));
        let best = middles.chain(ends).map(|t| counted(data, w, t)).min().unwrap_or(usize::MAX);
        let (of_least, of_squares) = (
            wrong(&least.model, &data.examples, &data.labels)?,
            wrong(&squares.model, &data.examples, &data.labels)?,
        );
        not_least += u32::from(of_least != best);
        more += u32::from(of_least > of_squares);
        let rows = augmented(&data.examples, data.labels.signs().len());
        let solution = least_squares(&rows, &data.labels.values());
        let found = weights_and_bias(&squares.model);
        let unit = |v: &[f64]| v.iter().map(|x| x / norm(v)).collect::<Vec<_>>();
        off = off.max(distance(&unit(&found), &unit(&solution)));
        let set = TrainingSet::new(&data.examples, &data.labels)?;
        bench.check_valid(format!("{name}: least error, recomputed"), least.certificate.verify(&set)?);
        bench.check(
            format!("{name}: training errors by least error, and by least squares"),
            "no more",
            format!("{of_least} and {of_squares} of {}", data.labels.signs().len()),
            of_least <= of_squares,
        );
    }
    bench.check_equal(
        "sets on which some threshold makes fewer errors than the one of least error",
        0,
        not_least,
    );
    bench.check_equal("sets on which least error makes more errors than least squares", 0, more);
    bench.check_at_most(
        "(w, w₀) of least squares ±1 and with its threshold, as unit vectors: largest distance",
        1e-10,
        off,
    );

    let (_, data) = &sets[0];
    let fit = |threshold| Fisher::default().with_threshold(threshold).fit(&data.examples, &data.labels);
    let (least, squares) = (fit(Threshold::LeastError)?.model, fit(Threshold::LeastSquares)?.model);
    let (fewer, w) = (wrong(&least, &data.examples, &data.labels)?, least.weights());
    bench.check(
        "with a far group: errors by least error, and by least squares",
        "fewer: squares are a bad stand-in for errors",
        format!("{fewer} and {}", wrong(&squares, &data.examples, &data.labels)?),
        fewer < wrong(&squares, &data.examples, &data.labels)?,
    );
    let ends = [-least.bias(), -squares.bias()];
    let span = (ends[0] - ends[1]).abs().max(1.0);
    let (low, high) = (ends[0].min(ends[1]) - 2.0 * span, ends[0].max(ends[1]) + 2.0 * span);
    let curve: Vec<[f64; 2]> = (0..=600)
        .map(|step| low + (high - low) * f64::from(step) / 600.0)
        .map(|t| [t, counted(data, w, t) as f64])
        .collect();
    let svg = Plot::new("threshold", "training errors")
        .series("errors", &curve)
        .segment("least error", [ends[0], 0.0], [ends[0], counted(data, w, ends[0]) as f64], Stroke::SOLID)
        .segment("least squares", [ends[1], 0.0], [ends[1], counted(data, w, ends[1]) as f64], Stroke::DASHED)
        .render()?;
    bench.figure(
        "thresholds",
        "Training errors against the threshold along the discriminant, with the two choices: a far group of its own class draws the \
         threshold of least squares away from the best one.",
        svg,
    )
}
