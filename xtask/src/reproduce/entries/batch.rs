//! B10 and B13: the batch perceptron, with a threshold and with a variable increment.

use lm_core::{BinaryLabels, Certificate, Control, Dense, Learner, Margins, Sign, Stop, TrainingSet};
use lm_data::generate::{Cloud, SeparableSettings, Spread, gaussians, separable};
use lm_online::{BatchPerceptron, Bias, Criterion, GradientDescent, SampleCriterion, Schedule};

use super::descent::check_threshold;
use crate::reproduce::bench::{Bench, number};
use crate::reproduce::entry::{Entry, Outcome};
use crate::reproduce::figure::{Plot, Stroke};
use crate::reproduce::normalised::normalised;
use crate::reproduce::vectors::{distance, dot, minus, norm};

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "B10",
        place: "B Alg 3, Fig 5.12",
        claim: "The batch perceptron adds η(k) times the sum of all misclassified samples, a step down the gradient of J_p, until \
                a step is shorter than θ. In figure 5.12 it adds y₁ + y₂ + y₃, then y₃, y₁ and y₃; the second step leads away \
                from the solution region, and the fourth into it.",
        how: "Three samples of the plane with exactly this sequence; the run is watched point by point, replayed by its trace, \
              compared with gradient descent on J_p, and run with several thresholds, also on data that no line separates.",
        seed: 10,
        body: trajectory,
    },
    Entry {
        id: "B13",
        place: "B Alg 6",
        claim: "The batch perceptron with variable increment η(k) repeats its step until no sample is misclassified. On separable \
                data that happens after finitely many steps if Σ η(k) is infinite and Σ η(k)²/(Σ η(k))² tends to 0, as with \
                η(k) constant, 1/k or k.",
        how: "Five schedules that have both properties run on 60 separable sets of 2 to 30 dimensions, with and without a \
              margin, each run replayed by its trace; a schedule with a finite sum runs on the same sets.",
        seed: 13,
        body: variable_increment,
    },
];

/// The samples of the figure, sign-normalised.
const SAMPLES: [[f64; 2]; 3] = [[-4.0, 5.0], [3.5, 0.0], [2.5, -2.5]];

/// The distance of `a` from the solution region `aᵗy ≥ 0` of the samples: a wedge of the plane with its corner at 0.
fn from_region(a: &[f64]) -> f64 {
    let inside = |a: &[f64]| SAMPLES.iter().all(|y| dot(a, y) >= -1e-12);
    if inside(a) {
        return 0.0;
    }
    // The nearest point is the corner, or the foot on one of the two edges.
    let edges = SAMPLES.iter().flat_map(|y| [[-y[1], y[0]], [y[1], -y[0]]]).filter(|edge| inside(edge));
    let along = |edge: [f64; 2]| (dot(a, &edge) / dot(&edge, &edge)).max(0.0);
    edges.map(|edge| distance(a, &edge.map(|d| along(edge) * d))).fold(norm(a), f64::min)
}

fn trajectory(bench: &mut Bench) -> Outcome {
    let (examples, labels) = normalised(&SAMPLES)?;
    let set = TrainingSet::new(&examples, &labels)?;
    let learner = BatchPerceptron::default().with_bias(Bias::None);
    let mut way: Vec<Vec<f64>> = Vec::new();
    let fit = learner
        .fit_watching(&set, &Control::default(), &mut |visit| way.push(visit.point.to_vec()))?
        .converged()?;
    let names = |k: usize| {
        let wrong = (0..3).filter(|&i| dot(&way[k], &SAMPLES[i]) <= 0.0);
        wrong.map(|i| ["y₁", "y₂", "y₃"][i]).collect::<Vec<_>>().join(" + ")
    };
    let added: Vec<String> = (0..way.len()).map(names).filter(|names| !names.is_empty()).collect();
    bench.check_equal("what the steps add", "y₁ + y₂ + y₃, y₃, y₁, y₃".to_string(), added.join(", "));
    let steps_off = way.windows(2).map(|pair| {
        let sum = SAMPLES
            .iter()
            .filter(|y| dot(&pair[0], &y[..]) <= 0.0)
            .fold([0.0; 2], |s, y| [s[0] + y[0], s[1] + y[1]]);
        distance(&minus(&pair[1], &pair[0]), &sum)
    });
    bench.check_at_most(
        "largest difference between a step and that sum",
        1e-14,
        steps_off.fold(0.0, f64::max),
    );
    let away: Vec<f64> = way.iter().map(|a| from_region(a)).collect();
    bench.check(
        "distance from the solution region after the first step, and after the second",
        "farther",
        format!("{}, then {}", number(away[1]), number(away[2])),
        away[2] > away[1] && away[1] > 0.0,
    );
    bench.check_all_close("where the run ends", &[3.0, 2.5], fit.model.weights(), 1e-14);
    let least = Margins::functional(&fit.model, &set)?.minimum();
    bench.check("the least aᵗy there", "> 0", number(least), least > 0.0);
    bench.check_valid("replay of the run", fit.certificate.verify(&set)?);

    let criterion = SampleCriterion::perceptron(&set, Bias::None);
    let mut descent: Vec<Vec<f64>> = Vec::new();
    GradientDescent::default().with_schedule(Schedule::ONE).minimise_with(
        &criterion,
        &[0.0, 0.0],
        &Control::default(),
        &mut |visit| descent.push(visit.point.to_vec()),
    )?;
    let same = way.iter().zip(&descent).map(|(a, b)| distance(a, b)).fold(0.0, f64::max);
    bench.check_equal("points of gradient descent on J_p with rate 1", way.len(), descent.len());
    bench.check_at_most("their largest distance from those of the batch perceptron", 1e-14, same);

    thresholds(bench)?;
    draw(bench, &way, &criterion)
}

/// The stop of algorithm 3: a step shorter than θ, whether the samples are separated or not.
fn thresholds(bench: &mut Bench) -> Outcome {
    let cloud = |class: i64, x: f64| Cloud { class, len: 60, mean: vec![x, 0.0], spread: Spread::Round(1.0) };
    let data = gaussians(&[cloud(-1, -1.5), cloud(1, 1.5)], bench.seed())?;
    let labels = data.labels.one_against_rest(1)?;
    let set = TrainingSet::new(&data.examples, &labels)?;
    let side = |sign: Sign| -> Vec<[f64; 2]> {
        let rows =
            (0..set.len()).filter(|&row| labels.signs()[row] == sign).map(|row| data.examples.slice(row));
        rows.map(|x| [x[0], x[1]]).collect()
    };
    let inside = in_triangle(&side(Sign::Positive), &side(Sign::Negative));
    bench.check(
        "overlapping clouds: a positive example inside a triangle of negative ones, so that no line separates them",
        "found",
        inside.map_or("not found".into(), |[x, y]| format!("({}, {})", number(x), number(y))),
        inside.is_some(),
    );
    let mut iterations = Vec::new();
    for theta in [1.0, 0.1, 0.01] {
        let learner = BatchPerceptron::default()
            .with_schedule(Schedule::harmonic(1.0)?)
            .with_threshold(theta)
            .with_passes(100_000);
        let mut steps: Vec<f64> = Vec::new();
        let fit = learner.fit_watching(&set, &Control::default(), &mut |visit| {
            steps.push(visit.gradient_norm / (visit.iteration + 1) as f64);
        })?;
        let what = format!("overlapping clouds, η(k) = 1/k, {} iterations", steps.len());
        check_threshold(bench, &what, theta, &steps, fit.report.stop)?;
        bench.check(
            format!("the same: what the trace says of separation, and its replay, θ = {}", number(theta)),
            "none, and valid",
            format!("{}, and {}", fit.certificate.separates(), fit.certificate.verify(&set)?),
            !fit.certificate.separates() && fit.certificate.verify(&set)?.is_valid(),
        );
        iterations.push(fit.report.iterations);
    }
    bench.note(format!(
        "No line separates the clouds, so algorithm 3 ends by its threshold alone, after {iterations:?} iterations, with samples \
         misclassified. The threshold is compared with the norm of the step: the source compares a vector with a number."
    ));
    Ok(())
}

/// A point of `points` inside a triangle of `others`.
fn in_triangle(points: &[[f64; 2]], others: &[[f64; 2]]) -> Option<[f64; 2]> {
    let turn =
        |a: [f64; 2], b: [f64; 2], c: [f64; 2]| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let encloses = |p: [f64; 2], a: [f64; 2], b: [f64; 2], c: [f64; 2]| {
        let turns = [turn(a, b, p), turn(b, c, p), turn(c, a, p)];
        turns.iter().all(|turn| *turn > 1e-9) || turns.iter().all(|turn| *turn < -1e-9)
    };
    points.iter().copied().find(|&p| {
        (0..others.len())
            .any(|i| (0..i).any(|j| (0..j).any(|k| encloses(p, others[i], others[j], others[k]))))
    })
}

/// Figure 5.12.
fn draw(bench: &mut Bench, way: &[Vec<f64>], criterion: &dyn Criterion) -> Outcome {
    let mut plot = Plot::new("a₁", "a₂")
        .equal_axes()
        .x_range(-5.0, 7.0)
        .y_range(-4.0, 6.5)
        .field("J_p", |x, y| criterion.value(&[x, y]));
    for (index, [a, b]) in SAMPLES.into_iter().enumerate() {
        plot = plot.line(if index == 0 { "aᵗy = 0" } else { "" }, [a, b, 0.0], Stroke::THIN);
        let middle = [1.02 * a, 1.06 * b + 0.1];
        plot = plot.segment(if index == 0 { "samples" } else { "" }, [0.0, 0.0], [a, b], Stroke::DOTTED);
        plot = plot.text(middle, ["y₁", "y₂", "y₃"][index]);
    }
    for (index, pair) in way.windows(2).enumerate().take(4) {
        let label = if index == 0 { "steps" } else { "" };
        plot = plot.arrow(label, [pair[0][0], pair[0][1]], [pair[1][0], pair[1][1]]);
    }
    // Beside the points, where no step passes.
    let places = [(1, [-1.3, 0.3]), (2, [0.0, 0.0]), (3, [0.0, 0.2]), (4, [0.15, 0.1])];
    for (index, [right, up]) in places {
        plot = plot.text([way[index][0] + right, way[index][1] + up], &format!("a({})", index + 1));
    }
    bench.figure(
        "trajectory",
        "The way of the batch perceptron over the surface of J_p, from 0 by y₁ + y₂ + y₃ to a(2), by y₃ to a(3), by y₁ to a(4) and \
         by y₃ to a(5), which lies in the solution region between two of the lines.",
        plot.render()?,
    )
}

type Set = (Dense<'static>, BinaryLabels);

/// Separable sets of many sizes, dimensions, margins and biases.
fn sets(seed: u64) -> Result<Vec<Set>, lm_core::Error> {
    let mut sets = Vec::new();
    for (dim, len, margin) in
        [(2, 40, 0.1), (2, 200, 0.05), (5, 100, 0.1), (10, 100, 0.05), (30, 150, 0.1), (3, 60, 0.02)]
    {
        for k in 0..10 {
            let settings =
                SeparableSettings::default().with_dim(dim).with_len(len).with_margin(margin).with_bias(0.1);
            let made = separable(&settings, seed.wrapping_mul(1000).wrapping_add(k))?;
            sets.push((made.data.examples, made.data.labels));
        }
    }
    Ok(sets)
}

fn variable_increment(bench: &mut Bench) -> Outcome {
    let sets = sets(bench.seed())?;
    let schedules = [
        ("η(k) = 1", Schedule::ONE),
        ("η(k) = 1/k", Schedule::harmonic(1.0)?),
        ("η(k) = k^−½", Schedule::power(1.0, -0.5)?),
        ("η(k) = k", Schedule::growing(1.0)?),
        ("η(k) = k²", Schedule::power(1.0, 2.0)?),
    ];
    let geometric = Schedule::geometric(1.0, 0.5)?;
    for margin in [0.0, 0.5] {
        for (name, schedule) in schedules {
            let runs = Runs::of(&sets, schedule, margin)?;
            bench.check(
                format!(
                    "{name}, margin {}: sets separated, of {}; iterations at most",
                    number(margin),
                    sets.len()
                ),
                "all, by a schedule with both properties",
                format!("{}; {}", runs.separated, runs.longest),
                schedule.conditions().hold() && runs.separated == sets.len(),
            );
            bench.check(
                format!("{name}, margin {}: valid replays; least margin of a run", number(margin)),
                format!("all; above {}", number(margin)),
                format!("{}; {}", runs.valid, number(runs.least)),
                runs.valid == sets.len() && runs.least > margin,
            );
        }
    }
    // With a rate whose sum is 2 the weights stay within 2·n·max‖y‖ of 0: too near for a margin beyond that.
    let finite = Runs::of(&sets, geometric, 0.0)?;
    bench.check(
        "η(k) = 2^(1−k), whose sum is finite: sets separated",
        "not all",
        format!("{} of {}", finite.separated, sets.len()),
        !geometric.conditions().sum_diverges && finite.separated < sets.len(),
    );
    let stuck = finite.first_failure.ok_or("a schedule with a finite sum separated all sets")?;
    draw_increments(
        bench,
        &sets[stuck],
        &[schedules[0], schedules[1], schedules[3], ("η(k) = 2^(1−k)", geometric)],
    )
}

/// What came of one schedule on all sets.
#[derive(Default)]
struct Runs {
    separated: usize,
    /// The first set that was not separated.
    first_failure: Option<usize>,
    valid: usize,
    longest: u64,
    least: f64,
}

impl Runs {
    fn of(sets: &[Set], schedule: Schedule, margin: f64) -> Result<Self, lm_core::Error> {
        let mut runs = Runs { least: f64::INFINITY, ..Runs::default() };
        let learner =
            BatchPerceptron::default().with_schedule(schedule).with_margin(margin).with_passes(20_000);
        for (index, (examples, labels)) in sets.iter().enumerate() {
            let set = TrainingSet::new(examples, labels)?;
            let fit = learner.fit(examples, labels)?;
            let separated = fit.report.stop == Stop::Converged && fit.certificate.separates();
            runs.separated += usize::from(separated);
            if !separated {
                runs.first_failure.get_or_insert(index);
            }
            runs.valid += usize::from(fit.certificate.verify(&set)?.is_valid());
            runs.longest = runs.longest.max(fit.report.iterations);
            runs.least = runs.least.min(Margins::functional(&fit.model, &set)?.minimum());
        }
        Ok(runs)
    }
}

/// Misclassified samples against iterations.
fn draw_increments(bench: &mut Bench, (examples, labels): &Set, schedules: &[(&str, Schedule)]) -> Outcome {
    let mut plot = Plot::new("iteration", "misclassified samples").log_x();
    for (name, schedule) in schedules {
        let fit =
            BatchPerceptron::default().with_schedule(*schedule).with_passes(1000).fit(examples, labels)?;
        let counts: Vec<[f64; 2]> = (1..)
            .zip(fit.certificate.corrected())
            .skip(1)
            .map(|(k, count)| [f64::from(k), f64::from(count)])
            .collect();
        plot = plot.series(name, &counts);
    }
    bench.figure(
        "increments",
        "Misclassified samples of a separable set after the first step. Increments with an infinite sum end at 0; those of a finite sum come to \
         a halt before.",
        plot.render()?,
    )
}
