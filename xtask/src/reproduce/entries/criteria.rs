//! B09: the criteria of linear discriminants, as functions of the weights.

use lm_core::{BinaryLabels, Certificate, Dense, Stop, TrainingSet};
use lm_data::generate::{Cloud, Spread, gaussians};
use lm_online::{Bias, Criterion, GradientDescent, Newton, SampleCriterion, Schedule};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::normalised::normalised;
use crate::reproduce::vectors::{distance, dot, norm};

pub(super) const ENTRIES: &[Entry] = &[Entry {
    id: "B09",
    place: "B Fig 5.11, 5.5, 5.6",
    claim: "The number of errors J is constant almost everywhere, which no gradient search can use; the perceptron criterion \
            J_p is piecewise linear and ‖a‖ times the sum of the distances of the misclassified samples; J_q has a continuous \
            gradient, but descent can end on the boundary of the solution region, even at a = 0, and long samples rule it; J_r \
            with its margin avoids both; the squared error over all samples is of use where no a separates.",
    how: "The five criteria over three samples of the plane are compared with sums written out here and with differences; \
          descents run on them; and the plane of weights is drawn for each.",
    seed: 9,
    body,
}];

/// Sign-normalised samples; a solution is any `a` with `aᵗy > 0` for all three.
const SAMPLES: [[f64; 2]; 3] = [[2.0, 1.0], [-1.0, 1.2], [1.5, -0.5]];
const MARGIN: f64 = 1.0;

/// The terms of the five criteria for a sample with margin `m = aᵗy`, as the source has them.
fn terms(a: &[f64], y: &[f64]) -> [f64; 5] {
    let (m, short) = (dot(a, y), dot(a, y) - MARGIN);
    let if_wrong = |value: f64| if m <= 0.0 { value } else { 0.0 };
    let relaxed = if m <= MARGIN { 0.5 * short * short / dot(y, y) } else { 0.0 };
    [if_wrong(1.0), if_wrong(-m), if_wrong(m * m), relaxed, short * short]
}

const NAMES: [&str; 5] =
    ["J (errors)", "J_p (perceptron)", "J_q (squares)", "J_r (relaxation)", "J_s (squared error)"];

type Sampled<'a> = SampleCriterion<'a, Dense<'static>>;

fn all<'a>(set: &TrainingSet<'a, Dense<'static>, BinaryLabels>) -> Result<[Sampled<'a>; 5], lm_core::Error> {
    Ok([
        SampleCriterion::error_count(set, Bias::None),
        SampleCriterion::perceptron(set, Bias::None),
        SampleCriterion::squared(set, Bias::None),
        SampleCriterion::relaxation(set, Bias::None, MARGIN)?,
        SampleCriterion::squared_error(set, Bias::None, MARGIN)?,
    ])
}

fn body(bench: &mut Bench) -> Outcome {
    let (examples, labels) = normalised(&SAMPLES)?;
    let set = TrainingSet::new(&examples, &labels)?;
    let criteria = all(&set)?;
    let mut random = ChaCha8Rng::seed_from_u64(bench.seed());
    let points: Vec<[f64; 2]> =
        (0..2000).map(|_| [random.random_range(-4.0..4.0), random.random_range(-4.0..4.0)]).collect();
    formulas(bench, &criteria, &points);
    shapes(bench, &criteria, &points);
    kinks(bench, &criteria);
    boundary(bench)?;
    long_samples(bench)?;
    margins(bench, &criteria, &points)?;
    not_separable(bench)?;
    surfaces(bench, &criteria)
}

/// Values against the sums of the source, gradients against differences.
fn formulas(bench: &mut Bench, criteria: &[Sampled<'_>; 5], points: &[[f64; 2]]) {
    for (k, (criterion, name)) in criteria.iter().zip(NAMES).enumerate() {
        let (mut value_off, mut slope_off) = (0.0_f64, 0.0_f64);
        for a in points {
            let expected: f64 = SAMPLES.iter().map(|y| terms(a, y)[k]).sum();
            value_off = value_off.max((criterion.value(a) - expected).abs());
            // Differences across a kink say nothing about either side.
            let h = 1e-6;
            let near_kink =
                SAMPLES.iter().any(|y| [0.0, MARGIN].iter().any(|m| (dot(a, y) - m).abs() < 4.0 * h));
            if !near_kink {
                let mut gradient = [0.0; 2];
                criterion.gradient(a, &mut gradient);
                for (j, slope) in gradient.into_iter().enumerate() {
                    let moved = |by: f64| {
                        let mut moved = *a;
                        moved[j] += by;
                        criterion.value(&moved)
                    };
                    slope_off = slope_off.max(((moved(h) - moved(-h)) / (2.0 * h) - slope).abs());
                }
            }
        }
        bench.check_at_most(
            format!("{name}: largest difference from the sum of the source, 2000 points"),
            1e-12,
            value_off,
        );
        bench.check_at_most(
            format!("{name}: largest difference between gradient and differences"),
            1e-7,
            slope_off,
        );
    }
}

/// Constant, linear, homogeneous: where the set of misclassified samples stays the same.
fn shapes(bench: &mut Bench, criteria: &[Sampled<'_>; 5], points: &[[f64; 2]]) {
    let wrong = |a: &[f64; 2]| SAMPLES.map(|y| dot(a, &y) <= 0.0);
    let (mut constant, mut linear, mut distances, mut pairs) = (true, 0.0_f64, 0.0_f64, 0);
    for pair in points.chunks_exact(2) {
        let (a, b) = (&pair[0], &pair[1]);
        if wrong(a) == wrong(b) {
            let middle = [f64::midpoint(a[0], b[0]), f64::midpoint(a[1], b[1])];
            constant &= criteria[0].value(a) == criteria[0].value(b);
            let [at_a, at_b, at_middle] = [a, b, &middle].map(|a| criteria[1].value(a));
            linear = linear.max((at_middle - f64::midpoint(at_a, at_b)).abs());
            pairs += 1;
        }
        let away = SAMPLES.iter().filter(|y| dot(a, &y[..]) <= 0.0).map(|y| dot(a, y).abs() / norm(a));
        distances = distances.max((criteria[1].value(a) - norm(a) * away.sum::<f64>()).abs());
    }
    bench.check(
        format!("J at {pairs} pairs of points that misclassify the same samples"),
        "equal",
        if constant { "equal" } else { "not equal" },
        constant,
    );
    bench.check_at_most(
        "J_p between two such points: largest difference from a straight line",
        1e-12,
        linear,
    );
    bench.check_at_most("J_p: largest difference from ‖a‖ times the sum of distances", 1e-12, distances);
}

/// How the gradients change across the line `aᵗy₃ = 0`.
fn kinks(bench: &mut Bench, criteria: &[Sampled<'_>; 5]) {
    // On that line, in its part next to the solution region.
    let at = |side: f64| [1.0 + side * 1.5, 3.0 - side * 0.5];
    let jump = |k: usize, size: f64| {
        let [mut low, mut high] = [[0.0; 2]; 2];
        criteria[k].gradient(&at(-size), &mut low);
        criteria[k].gradient(&at(size), &mut high);
        distance(&low, &high)
    };
    bench.check_close(
        "jump of the gradient of J_p across aᵗy₃ = 0, which is ‖y₃‖",
        norm(&SAMPLES[2]),
        jump(1, 1e-9),
        1e-12,
    );
    bench.check_at_most("jump of the gradient of J_q there", 1e-7, jump(2, 1e-9));
    bench.check_equal("jump of the gradient of J there, whose height changes by 1", 0.0, jump(0, 1e-9));
}

/// Descent on J_q ends on the boundary, and even at a = 0.
fn boundary(bench: &mut Bench) -> Outcome {
    let (examples, labels) = normalised(&SAMPLES)?;
    let set = TrainingSet::new(&examples, &labels)?;
    let descent = GradientDescent::default().with_schedule(Schedule::constant(0.02)?);
    let squares = SampleCriterion::squared(&set, Bias::None);
    let fit = descent.minimise(&squares, &[3.0, -2.0])?.converged()?;
    let least = least_margin(&fit.model, &SAMPLES);
    bench.check(
        "descent on J_q from (3, −2): the least aᵗy at the end, and ‖a‖",
        "0: on the boundary",
        format!("{}, {}", number(least), number(norm(&fit.model))),
        least <= 0.0 && least > -1e-6 && norm(&fit.model) > 1.0,
    );
    bench.check_valid("value and gradient at the end", fit.certificate.verify(&squares)?);

    let wedge = [[2.0, 1.0], [-2.0, 1.0]];
    let (examples, labels) = normalised(&wedge)?;
    let set = TrainingSet::new(&examples, &labels)?;
    let squares = SampleCriterion::squared(&set, Bias::None);
    let fit = descent.minimise(&squares, &[0.3, -2.0])?.converged()?;
    bench.check_at_most("descent on J_q of (±2, 1) from (0.3, −2): ‖a‖ at the end", 1e-6, norm(&fit.model));
    let relaxed = SampleCriterion::relaxation(&set, Bias::None, MARGIN)?;
    let fit = descent.minimise(&relaxed, &[0.3, -2.0])?.converged()?;
    bench.check_close(
        "descent on J_r with b = 1 from the same start: the least aᵗy at the end",
        MARGIN,
        least_margin(&fit.model, &wedge),
        1e-6,
    );
    Ok(())
}

/// The least `aᵗy`.
fn least_margin(a: &[f64], samples: &[[f64; 2]]) -> f64 {
    samples.iter().map(|y| dot(a, y)).fold(f64::INFINITY, f64::min)
}

/// The share of one sample in J_q and J_r when it is made ten times as long.
fn long_samples(bench: &mut Bench) -> Outcome {
    let a = [-2.0, 0.5];
    let share = |factor: f64, k: usize| {
        let first = SAMPLES[0].map(|y| factor * y);
        let of = |y: &[f64; 2]| terms(&a, y)[k];
        of(&first) / (of(&first) + of(&SAMPLES[2]))
    };
    let odds = |k: usize| {
        let [short, long] = [1.0, 10.0].map(|factor| share(factor, k));
        long / (1.0 - long) / (short / (1.0 - short))
    };
    bench.check_close(
        "y₁ ten times as long: factor of its term in J_q beside that of y₃",
        100.0,
        odds(2),
        1e-9,
    );
    bench.check(
        "the same in J_r, b = 1",
        "no longer ruled by length: between 0.1 and 10",
        number(odds(3)),
        odds(3) > 0.1 && odds(3) < 10.0,
    );
    Ok(())
}

/// J_r = 0 lies inside the solution region; J_s is a quadratic function.
fn margins(bench: &mut Bench, criteria: &[Sampled<'_>; 5], points: &[[f64; 2]]) -> Outcome {
    let zero: Vec<&[f64; 2]> = points.iter().filter(|a| criteria[3].value(&a[..]) == 0.0).collect();
    let solutions = points.iter().filter(|a| criteria[0].value(&a[..]) == 0.0).count();
    let nearest = |a: &[f64; 2]| SAMPLES.iter().map(|y| dot(a, y) / norm(y)).fold(f64::INFINITY, f64::min);
    let least = zero.iter().map(|a| nearest(a)).fold(f64::INFINITY, f64::min);
    let longest = SAMPLES.iter().map(|y| norm(y)).fold(0.0, f64::max);
    bench.check(
        "points with J_r = 0, of those with J = 0",
        "some, not all",
        format!("{} of {solutions}", zero.len()),
        !zero.is_empty() && zero.len() < solutions,
    );
    bench.check_at_least(
        "their least distance from the boundary of the solution region, b/max ‖y‖ or more",
        MARGIN / longest,
        least,
    );
    let newton = Newton::default().with_steps(1).minimise(&criteria[4], &[-3.0, 2.0])?;
    bench.check_at_most(
        "J_s: norm of the gradient after one Newton step",
        1e-12,
        newton.certificate.gradient_norm(),
    );
    Ok(())
}

/// Where no `a` separates, only the squared error over all samples has a minimum that is of use.
fn not_separable(bench: &mut Bench) -> Outcome {
    let cloud =
        |class: i64, x: f64| Cloud { class, len: 100, mean: vec![x, 0.5 * x], spread: Spread::Round(1.0) };
    let data = gaussians(&[cloud(-1, -1.2), cloud(1, 1.2)], bench.seed())?;
    let labels = data.labels.one_against_rest(1)?;
    let set = TrainingSet::new(&data.examples, &labels)?;
    let [errors, _, squares, _, squared_error] = all(&set)?;
    let directions = (0..3600).map(|k| (std::f64::consts::TAU * f64::from(k) / 3600.0).sin_cos());
    let (mut least, mut fewest) = (f64::INFINITY, f64::INFINITY);
    for (sin, cos) in directions {
        least = least.min(squares.value(&[cos, sin]));
        fewest = fewest.min(errors.value(&[cos, sin]));
    }
    let fit = Newton::default().minimise(&squared_error, &[0.0, 0.0])?.converged()?;
    bench.check_at_most(
        format!("two overlapping clouds: errors of the minimum of J_s, of 200; the best of 3600 directions has {fewest}"),
        fewest + 10.0,
        errors.value(&fit.model),
    );
    let shrinking = GradientDescent::default().minimise(&squares, &[-1.0, 0.3])?;
    bench.check_at_most(
        "two overlapping clouds: ‖a‖ after descent on J_q from (−1, 0.3)",
        1e-6,
        norm(&shrinking.model),
    );
    bench.erratum(
        "The squared error of figure 5.11, to which the text refers for J_q, is useful even when the samples are not separable.",
        "J_q = Σ (aᵗy)² over the misclassified samples is then least at a = 0, which classifies nothing; of use is the sum over \
         all samples with a margin b > 0.",
        format!(
            "On 200 samples of two overlapping clouds J_q(0) = 0, and J_q ≥ {} on the unit circle, where it grows with ‖a‖²; \
             descent on it ended at ‖a‖ = {} ({:?}).",
            number(least),
            number(norm(&shrinking.model)),
            shrinking.report.stop
        ),
        squares.value(&[0.0, 0.0]) == 0.0 && least > 0.0 && shrinking.report.stop == Stop::Converged,
    );
    Ok(())
}

/// Figure 5.11: the criteria over the plane of weights.
fn surfaces(bench: &mut Bench, criteria: &[Sampled<'_>; 5]) -> Outcome {
    let about = [
        ("errors", "The number of errors: flat steps, with no slope to follow."),
        (
            "perceptron",
            "The perceptron criterion: plane facets that meet in kinks, 0 on the solution region.",
        ),
        ("squares", "The squares over misclassified samples: smooth, and flat towards the solution region."),
        (
            "relaxation",
            "The relaxation criterion with margin b = 1: 0 only inside the solution region, away from its boundary.",
        ),
        (
            "squared-error",
            "The squared error with margin b = 1 over all samples: a quadratic function with one minimum.",
        ),
    ];
    for ((criterion, name), (file, caption)) in criteria.iter().zip(NAMES).zip(about) {
        let with_margin = ["relaxation", "squared-error"].contains(&file);
        let mut plot = Plot::new("a₁", "a₂")
            .equal_axes()
            .x_range(-4.0, 4.0)
            .y_range(-4.0, 4.0)
            .field(name, |x, y| criterion.value(&[x, y]));
        for (index, [a, b]) in SAMPLES.into_iter().enumerate() {
            let label = |text: &'static str| if index == 0 { text } else { "" };
            plot = plot.line(label("aᵗy = 0"), [a, b, 0.0], Stroke::THIN);
            if with_margin {
                plot = plot.line(label("aᵗy = b"), [a, b, -MARGIN], Stroke::DASHED);
            }
            plot = plot.text([a, b], &format!("y{}", ["₁", "₂", "₃"][index])).arrow("", [0.0, 0.0], [a, b]);
        }
        bench.figure(
            file,
            format!("{caption} The samples are drawn as arrows, with the lines on which they change sides."),
            plot.render()?,
        )?;
    }
    Ok(())
}
